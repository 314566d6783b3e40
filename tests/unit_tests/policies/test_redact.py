"""Detectors of sensitive data: what each finds, what only looks like it, and how matches are used."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.detect_numbers import is_card_number, is_iban
from langchain_agentmem.policies.redact import (
    DEFAULT_DETECTORS,
    PhoneDetector,
    PIIMatch,
    SensitiveMatch,
    as_pii_detector,
    find_cards,
    find_phones,
    find_sensitive,
    redact,
)

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
WALLET = "abandon ability able about above absent absorb abstract absurd abuse access accident".split()
REDACTED = [
    ("card 4111 1111 1111 1111, thanks", "card [card], thanks"),
    ("4111-1111-1111-1111", "[card]"),
    ("5555.5555.5555.4444", "[card]"),
    ("３７８２８２２４６３１０００５", "[card]"),
    ("٤١١١١١١١١١١١١١١١", "[card]"),
    ("4111\u200b1111\u00a01111\u20131111", "[card]"),
    ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "[card]"),
    ("4111 1111 1111 1111 12/27 123", "[card] 12/27 123"),
    ("card4111111111111111", "card[card]"),
    ("4111\n1111\n1111\n1111", "[card]"),
    ("pay with 3782/822463/10005", "pay with [card]"),
    ("pw: xyz99secret", "pw: [secret]"),
    ("login bob / pass hunter2", "login bob / pass [secret]"),
    ("the passphrase: correct horse battery", "the passphrase: [secret]"),
    ("mein Passwort lautet geheim99", "mein Passwort lautet [secret]"),
    ("my recovery phrase is apple river stone cloud.", "my recovery phrase is [secret]."),
    ("my seed words are: apple river stone cloud", "my seed words are: [secret]"),
    (f"seed phrase: {' '.join(WALLET)}", "seed phrase: [secret]"),
    ("30569309025904 and 6011111111111117", "[card] and [card]"),
    ("GB82 WEST 1234 5698 7654 32.", "[iban]."),
    ("de89370400440532013000", "[iban]"),
    ("123-45-6789", "[ssn]"),
    ("my ssn is 123456789", "my ssn is [ssn]"),
    ("write to alice.b+x@mail.example.co.uk, ok", "write to [email], ok"),
    ("alice＠example．com", "[email]"),
    ("..-alice@example.com", "..-[email]"),
    ("alice at gmail dot com", "[email]"),
    ("call +1 415 555 2671", "call [phone]"),
    ("0049 151 23456789", "[phone]"),
    ("(415) 555-2671 or 415.555.2671", "[phone] or [phone]"),
    ("my phone number is 020 7946 0958", "my phone number is [phone]"),
    ("my password is hunter2", "my password is [secret]"),
    ("my password is swordfish", "my password is [secret]"),
    ("password=letmein", "password=[secret]"),
    ("the wifi password for the office is sunflower99.", "the wifi password for the office is [secret]."),
    ("hunter2 is my password", "[secret] is my password"),
    ("I changed my password to hunter2", "I changed my password to [secret]"),
    ("mein Passwort ist geheim123", "mein Passwort ist [secret]"),
    ("my PIN is 4821", "my PIN is [secret]"),
    ("my password is 123456", "my password is [secret]"),
    ("cvv 123", "cvv [secret]"),
    ("key sk-proj-abc123def456ghi789jkl", "key [secret]"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[secret]"),
    ("AKIAIOSFODNN7EXAMPLE", "[secret]"),
    ("xoxb-123456789012-abcdefGHIJ", "[secret]"),
    ("AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe", "[secret]"),
    (f"use {JWT} now", "use [secret] now"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end", "[secret] end"),
    ("-----BEGIN PRIVATE KEY-----\nMIIE", "[secret]"),
    ("API_KEY=9f86d081884c7d659a2feaa0c55ad015", "API_KEY=[secret]"),
    ("redis://:s3cret@db/0", "redis://:[secret]@db/0"),
    ("my pin is four two one nine", "my pin is [secret]"),
    ("pin: 4 2 1 9", "pin: [secret]"),
    ("the door code is double four two one", "the door code is [secret]"),
    ("my pin is nineteen eighty-four", "my pin is [secret]"),
    ("the combination to my safe is 12 24 36", "the combination to my safe is [secret]"),
    ("the till code is 7788", "the till code is [secret]"),
    ("the code for the safe is 4471", "the code for the safe is [secret]"),
    ("4471 is the key safe code", "[secret] is the key safe code"),
    ("passport number is FT482913", "passport number is [passport]"),
]
CLEAN = """4111 1111 1111 1112
see 1/4111/1111/1111/1111 and 4111/1111/1111/1112
rent pw: £1,250
login page / pass rate
login bob / pass him the salt
the recovery phrase is stored in the safe
the recovery phrase is inside grandma kitchen drawer
my passphrase is too long to remember
passphrase: ask your admin
recovery phrase: twelve random words
das Passwort lautet wie der Hund
order number 1234567890123456
INV-2024-00123
transaction ids 8829301 and 7712045
order 4155552671
my e-mail address has changed
the @app.route decorator
git@github.com:acme/api.git
foo@1.2.3
version 3.11.0.1
Python 3.11, Node 20.10.0, Go 1.22.1
192.168.100.200
2024-11-21
on 21.11.2024 at 10:30
from 2024/01/01 to 2024/12/31
2019-2024
0.4111111111111111
1732184100123456
uuid 550e8400-e29b-41d4-a716-446655440000
da39a3ee5e6b4b0d3255bfef95601890afd80709
€1 234 567 890
EUR 1.234.567,89
10000000 users
coordinates 52.520008, 13.404954
1 2 3 4 5 6 7 8 9 10 11 12
GB82 WEST 1234 5698 7654 33
000-12-3456
666-12-3456
900-12-3456
password policy: rotate every 90 days
the password is required
my password is too short
my password is expired
password: 12+ characters
password is 12-character minimum
the password is stored in 1Password
1Password is my password manager
password=os.environ['X']
password = request.form["password"]
password = <your password>
apiKey = 'YOUR_API_KEY'
the token is expired
max tokens: 100000 tokens
the secret to success is patience
pin numpy to 1.26.4
the api key is rotated monthly
my PIN is secret
This is my password
1 22 333 4444 55555 6
+999 1234567
my password is 123 digits long
my pin is four digits
my pin is 1 2 or 3 digits long
the door code is twenty one characters
the access code is one two three digits
the secret is one two three steps
the error code is 7788
the postal code is 90210
7788 is the error code
the code for the course is 101
the code for the lock screen is 400 lines
my passport is in the safe""".splitlines()


@pytest.mark.parametrize(("text", "expected"), REDACTED)
def test_sensitive_data_is_found_and_masked(text: str, expected: str) -> None:
    """The match covers the value, and nothing around it."""
    assert redact(text) == expected


@pytest.mark.parametrize("text", CLEAN)
def test_what_only_looks_sensitive_is_left_alone(text: str) -> None:
    """Failed checksums, dates, versions, amounts, ids, code and talk about passwords are no matches."""
    assert find_sensitive(text) == []


@given(st.integers(0, 10**15 - 1))
def test_of_ten_numbers_that_differ_in_the_last_digit_one_is_a_card(body: int) -> None:
    """The Luhn digit is unique: a wrong last digit is never believed."""
    stem = f"4{body:015d}"[:15]
    assert sum(is_card_number(f"{stem}{digit}") for digit in range(10)) == 1


@given(st.integers(0, 9), st.integers(0, 14))
def test_one_wrong_digit_makes_a_card_number_wrong(digit: int, place: int) -> None:
    """Luhn notices every single changed digit."""
    number = "4111111111111111"
    changed = f"{number[: place + 1]}{digit}{number[place + 2 :]}"
    assert is_card_number(changed) == (changed == number)


@given(st.integers(4, 21), st.sampled_from("0123456789"))
def test_one_wrong_digit_makes_an_iban_wrong(place: int, digit: str) -> None:
    """The remainder of 97 notices every single changed digit."""
    number = "DE89370400440532013000"
    changed = number[:place] + digit + number[place + 1 :]
    assert is_iban(changed) == (changed == number)


@pytest.mark.parametrize(
    "number", ["", "DE", "XX82WEST12345698765432", "DE8937040044053201300", "ÄÖ89370400440532013000"]
)
def test_a_malformed_iban_is_none(number: str) -> None:
    """An unknown country or another length is no account."""
    assert not is_iban(number)


@given(st.text(max_size=80), st.sampled_from(["4111 1111 1111 1111", "GB82WEST12345698765432"]), st.text(max_size=80))
def test_masked_text_keeps_everything_else(before: str, secret: str, after: str) -> None:
    """What stands around a value, set off by line breaks, survives; the value does not."""
    masked = redact(f"{before}\n\n{secret}\n\n{after}", DEFAULT_DETECTORS[1:3])
    assert secret not in masked
    assert masked.endswith(redact(after, DEFAULT_DETECTORS[1:3]))


@given(st.text(max_size=200))
def test_matches_lie_inside_the_text(text: str) -> None:
    """Offsets refer to the text as given, in order."""
    matches = find_sensitive(text)
    assert matches == sorted(matches)
    assert all(0 <= match.start < match.end <= len(text) for match in matches)


def test_a_region_finds_its_national_numbers() -> None:
    """Without a region a national number is none; with one it is, unless it is called an order."""
    british = PhoneDetector("GB")
    assert find_phones("020 7946 0958") == []
    assert [match.type for match in british("020 7946 0958")] == ["phone"]
    assert british("order 020 7946 0958") == []


def test_overlapping_matches_are_masked_once() -> None:
    """Two detectors on the same words leave one mask, named after the longer match."""

    def first(_text: str) -> list[SensitiveMatch]:
        return [SensitiveMatch(2, 5, "short"), SensitiveMatch(7, 8, "apart")]

    def second(_text: str) -> list[SensitiveMatch]:
        return [SensitiveMatch(1, 6, "long")]

    assert redact("0123456789", (first, second)) == "0[long]6[apart]89"


def test_a_match_never_holds_the_value() -> None:
    """A match can be logged: it says where and what kind."""
    assert repr(find_cards("4111111111111111")[0]) == "SensitiveMatch(start=0, end=16, type='card')"


@pytest.mark.parametrize("span", [(3, 3), (-1, 2), (4, 1)])
def test_an_empty_or_negative_span_is_refused(span: tuple[int, int]) -> None:
    """A detector that finds nothing somewhere is a mistake, said at once."""
    with pytest.raises(ConfigurationError, match="badge"):
        SensitiveMatch(*span, "badge")


def test_a_detector_fits_langchains_middleware() -> None:
    """The adapter returns dictionaries with type, value, start and end, and takes either shape."""
    detect = as_pii_detector(find_cards)
    found = detect("pay 4111111111111111 now")
    assert found == [PIIMatch(type="card", value="4111111111111111", start=4, end=20)]
    assert as_pii_detector(detect)("pay 4111111111111111 now") == found


def test_the_numbering_plans_are_not_loaded_on_import() -> None:
    """Who never looks for a phone number does not pay for the library that knows them."""
    code = "import sys, langchain_agentmem.policies.write; sys.exit('phonenumbers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


ADVERSARIAL = [
    "4111\n",
    "1111/",
    "passphrase: ",
    "apple ",
    "login a/",
    "4",
    "4 ",
    "a@",
    "a.",
    "eyJ-",
    "eyJ.",
    "-----BEGIN PRIVATE KEY-----",
    "password is ",
    "key=",
    "1.",
    "sk-a ",
    "://:",
]


@pytest.mark.parametrize(
    "unit", [*ADVERSARIAL, "GB82 ", "+1 ", "a at a dot ", "\u200b", "１a", "password for a a a a ", "(1"]
)
def test_long_text_is_searched_to_its_end(unit: str) -> None:
    """After a hundred thousand characters of beginnings, the address at the end is still found."""
    text = unit * (100_000 // len(unit)) + "\nalice@example.org"
    assert max(match.end for match in find_sensitive(text)) == len(text)
