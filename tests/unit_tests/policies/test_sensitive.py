"""What becomes of sensitive data by type and layer, and what the detectors of identity find."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain.agents.middleware import PIIMiddleware
from langchain.agents.middleware.pii import detect_email
from langchain_core.messages import HumanMessage

from langchain_agentmem import ConfigurationError, MemoryConfig, MemoryOptions, Scope, SensitivePolicy
from langchain_agentmem._stand_ins import MARK, TOKEN
from langchain_agentmem.config.building import build_config
from langchain_agentmem.policies.detect_contacts import PhoneDetector
from langchain_agentmem.policies.matches import SensitiveMatch
from langchain_agentmem.policies.protecting import Strategy, masked, type_named
from langchain_agentmem.policies.redact import as_pii_detector, find_cards, find_sensitive, redact
from langchain_agentmem.policies.sensitive import ALL_DETECTORS, LAYERS
from langchain_agentmem.presidio import PresidioDetector

ALICE, BOB = Scope("alice"), Scope("bob")
KEY: Final = b"0123456789abcdef"
CARD: Final = "4111 1111 1111 1111"
VALUES: Final = (
    CARD,
    "alice@example.org",
    "+1 415 555 2671",
    "GB82 WEST 1234 5698 7654 32",
    "123-45-6789",
    "password is hunter2",
    "10.20.30.40",
    "00:1B:44:11:3A:B7",
    "born on 1990-05-01",
    "passport number X1234567",
    "AB 12 34 56 C",
)
TEXTS: Final = st.lists(
    st.one_of(st.sampled_from(VALUES), st.text(max_size=12), st.sampled_from(["[card]", "[", "]", ":", "order 12345"])),
    max_size=6,
).map(" ".join)
STRATEGIES: Final = st.sampled_from(["redact", "mask", "hash", "tokenise"])
FOUND = [
    ("ping 10.20.30.40 now", "ip"),
    ("[2001:db8::8a2e:370:7334] answers", "ip"),
    ("fe80::1ff:fe23:4567:890a", "ip"),
    ("mac 00:1B:44:11:3A:B7", "mac"),
    ("001b.4411.3ab7", "mac"),
    ("born on 1990-05-01", "birth_date"),
    ("date of birth: May 1st, 1990", "birth_date"),
    ("DOB 01/05/1990", "birth_date"),
    ("I was born on the 1st of May 1990", "birth_date"),
    ("my passport number is X1234567", "passport"),
    ("passport no. 533380006", "passport"),
    ("AB 12 34 56 C", "national_id"),
    ("12345678Z", "national_id"),
    ("X1234567L", "national_id"),
    ("RSSMRA85T10A562S", "national_id"),
    ("2 55 08 14 168 025 38", "national_id"),
    ("aadhaar: 4991 1866 5246", "national_id"),
    ('{"passport number": "X1234567"}', "passport"),
    ("login from ip=10.20.30.40", "ip"),
]
NOT_FOUND = [
    "version 10.20.30.40",
    "chrome 120.0.6099.109",
    "numpy==1.26.4.1",
    "300.1.2.3",
    "127.0.0.1",
    "at 12:30:45",
    "std::vector",
    "a::b",
    "released on 1990-05-01",
    "my birthday party costs 300 euros",
    "passport renewal takes 6 weeks",
    "QQ123456C",
    "12345678A",
    "RSSMRA85T10A562T",
    "aadhaar: 4991 1866 5247",
    "order 4991 1866 5246",
    "build 4991-1866-524",
]


# --------------------------------------------------------------------------------------------------------- detectors
@pytest.mark.parametrize(("text", "type_"), FOUND)
def test_what_identifies_is_found(text: str, type_: str) -> None:
    """Each form, wherever it stands in a text."""
    assert {match.type for detector in ALL_DETECTORS for match in find_sensitive(text, [detector])} >= {type_}


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_only_looks_like_it_is_not_found(text: str) -> None:
    """Versions, times, other dates, and numbers whose checksum is wrong."""
    assert SensitivePolicy(rules={"*": "redact"}, detectors="all").protect(text, "facts").text == text


# -------------------------------------------------------------------------------------------------------- strategies
@settings(max_examples=25)
@given(TEXTS, STRATEGIES)
def test_protecting_again_changes_nothing(text: str, strategy: Strategy) -> None:
    """What stands for a value is never taken for one."""
    policy = SensitivePolicy(rules={"*": strategy}, detectors="all", key=KEY)
    once = policy.protect(text, "facts", scope=ALICE)
    again = policy.protect(once.text, "facts", scope=ALICE)
    assert (again.text, again.found) == (once.text, ())


@settings(max_examples=25)
@given(TEXTS, STRATEGIES)
def test_nothing_of_a_value_is_left(text: str, strategy: Strategy) -> None:
    """No row of digits of a value that was found stays where it stood."""
    policy = SensitivePolicy(rules={"*": strategy}, detectors="all", key=KEY)
    made = policy.protect(text, "facts", scope=ALICE)
    tokenised = SensitivePolicy(rules={"*": "tokenise"}, detectors="all", key=KEY).protect(text, "facts", scope=ALICE)
    rest = TOKEN.sub(" ", tokenised.text)
    for value in tokenised.tokens.values():
        for digits in re.findall(r"\d{3,}", value):
            assert made.text.count(digits) <= rest.count(digits)


@settings(max_examples=25)
@given(TEXTS)
def test_tokens_give_the_text_back(text: str) -> None:
    """Every token in place of its value, and the text is what it was."""
    made = SensitivePolicy(rules={"*": "tokenise"}, detectors="all", key=KEY).protect(text, "facts", scope=ALICE)
    whole = made.text
    for token, value in made.tokens.items():
        whole = whole.replace(token, value)
    assert whole == text


@settings(max_examples=25)
@given(st.text(min_size=1))
def test_a_mask_keeps_a_shape_and_nothing_else(value: str) -> None:
    """As long as the value, without one letter or digit of it."""
    assert len(masked(value)) == len(value)
    assert not any(map(str.isalnum, masked(value)))


def test_equal_values_have_equal_hashes_and_only_for_one_user() -> None:
    """However a number is written; another user's, another type's and another key's hash differ."""
    policy = SensitivePolicy(rules={"*": "hash"}, key=KEY)
    other = SensitivePolicy(rules={"*": "hash"}, key=KEY[::-1])
    made = [
        policy.protect(CARD, "facts", scope=ALICE).text,
        policy.protect(CARD.replace(" ", "-"), "facts", scope=ALICE).text,
        policy.protect(CARD, "facts", scope=BOB).text,
        other.protect(CARD, "facts", scope=ALICE).text,
    ]
    assert (made[0] == made[1], len(set(made))) == (True, 3)
    assert all(MARK.fullmatch(it) for it in made)


def test_a_visitor_has_no_tokens() -> None:
    """Nobody could be asked for the value: it is redacted."""
    policy = SensitivePolicy(rules={"*": "tokenise"}, key=KEY)
    assert policy.protect(CARD, "histories", scope=Scope.anonymous("visit")).text == "[card]"


def test_the_strictest_strategy_holds_where_matches_overlap() -> None:
    """A password that looks like an address: neither reading of it leaves more than the other allows."""
    policy = SensitivePolicy(rules={"secret": "redact", "email": "keep"})
    assert policy.protect("my password is alice@example.org", "facts").text == "my password is [secret]"
    policy = SensitivePolicy(rules={"secret": "block", "email": "mask"})
    assert policy.protect("my password is alice@example.org", "facts").blocked


@settings(max_examples=25)
@given(TEXTS)
def test_the_default_is_what_it_always_was(text: str) -> None:
    """Episodes and receipts are redacted as ever, facts are blocked, and the rest is kept."""
    policy = SensitivePolicy()
    assert policy.protect(text, "facts").found == policy.protect(text, "facts").blocked
    assert {it for it in LAYERS if not policy.is_idle(it)} == {"facts", "episodes", "receipts"}
    if "[" not in text:
        assert policy.protect(text, "episodes").text == redact(text)


# ------------------------------------------------------------------------------------------------------- other houses
def test_our_detectors_work_in_the_middleware_of_langchain() -> None:
    """`PIIMiddleware(detector=…)` takes each of them."""
    middleware = PIIMiddleware("card", detector=as_pii_detector(find_cards), strategy="redact")
    state: Any = {"messages": [HumanMessage(f"pay with {CARD}")]}
    changed: Any = middleware.before_model(state, None)  # type: ignore[arg-type]  # it reads no runtime
    assert changed["messages"][0].content == "pay with [REDACTED_CARD]"


def test_detectors_of_langchain_work_here() -> None:
    """Their matches are taken as they are, their names as ours."""
    policy = SensitivePolicy(rules={"EMAIL_ADDRESS": "redact"}, detectors=[detect_email])
    assert policy.protect("write to alice@example.org", "facts").text == "write to [email]"


def test_presidio_is_a_detector_like_any_other() -> None:
    """Its results are ours under our names; nothing of it is loaded before it is used."""

    class Result:
        start, end, entity_type = 9, 26, "EMAIL_ADDRESS"

    class Engine:
        def analyze(self, **asked: Any) -> list[Result]:
            return [Result()] if asked["score_threshold"] == 0.4 else []

    found = PresidioDetector(analyzer=Engine())("write to alice@example.org")
    assert found == [SensitiveMatch(9, 26, "email")]
    with pytest.raises(ConfigurationError, match="AnalyzerEngine"):
        PresidioDetector(analyzer=object())


@pytest.mark.parametrize("text", VALUES)
def test_a_rule_may_name_whatever_is_found(text: str) -> None:
    """Each detector finds no other type than it is known for; one that does not say what it finds may find any."""
    for detector in ALL_DETECTORS:
        for match in find_sensitive(text, [detector]):
            assert SensitivePolicy(rules={match.type: "redact"}, detectors=[detector]).detectors == (detector,)
    assert SensitivePolicy(rules={"plate": "mask"}, detectors=[*ALL_DETECTORS, lambda _: []]).rules == {"plate": "mask"}


# ---------------------------------------------------------------------------------------------------------- bad input
PRESIDIO_OF_CARDS: Final = PresidioDetector(entities=["CREDIT_CARD"], analyzer=SimpleNamespace(analyze=list))


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"rules": {"card": "hide"}}, "hide"),
        ({"rules": ["card"]}, "rules"),
        ({"layers": {"thread": "redact"}}, "thread"),
        ({"layers": {"facts": 3}}, "layers"),
        ({"layers": {"store": "tokenise"}, "key": KEY}, "tokenise"),
        ({"rules": {"card": "hash"}}, "key"),
        ({"rules": {"card": "hash"}, "key": b"short"}, "key"),
        ({"detectors": []}, "detectors"),
        ({"detectors": "some"}, "detectors"),
        ({"may_reveal": "boss"}, "may_reveal"),
        ({"rules": {"emial": "mask"}}, "rules names 'emial', which no detector in use finds; known are .*email"),
        ({"rules": {"national_id": "block"}}, "'national_id', which no detector.*detectors='all' finds it"),
        ({"layers": {"facts": {"crad": "keep"}}, "detectors": "all"}, r"layers\['facts'\] names 'crad'"),
        ({"rules": {"card": "block"}, "detectors": [PhoneDetector("GB")]}, r"'card'.*known are \*, phone"),
        ({"rules": {"iban": "block"}, "detectors": [PRESIDIO_OF_CARDS]}, r"'iban'.*known are \*, card"),
    ],
)
def test_a_policy_that_cannot_work_is_refused(fields: dict[str, Any], named: str) -> None:
    """What is wrong is named, with what works; a key is never shown."""
    with pytest.raises(ConfigurationError, match=named):
        SensitivePolicy(**fields)
    assert KEY.decode() not in repr(SensitivePolicy(rules={"*": "hash"}, key=KEY))


def test_a_file_says_what_becomes_of_sensitive_data() -> None:
    """Rules, layers, detectors and the key; who may see values is code."""
    told = {"rules": {"CREDIT_CARD": "hash"}, "layers": {"histories": "redact"}, "detectors": "all", "key": "k" * 16}
    config: Any = {"path": ":memory:", "sensitive": told}
    options: MemoryOptions = build_config(MemoryConfig(**config), {})["options"]
    assert options.sensitive is not None
    assert (options.sensitive.strategy("working", "card"), options.sensitive.detectors) == ("hash", ALL_DETECTORS)


def test_names_of_other_houses_are_ours() -> None:
    """One vocabulary; a name that nobody knows becomes letters."""
    assert [type_named(it) for it in ("US_SSN", "Credit Card", "NRP", "über 9")] == ["ssn", "card", "nrp", "ber_"]
