"""Texts with sensitive data in them, and texts with what only looks like it: made up from a seed, all of it ours."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from langchain_agentmem.policies.detect_identity import _multiplied

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and where what is sensitive stands in it."""

    text: str
    spans: tuple[Span, ...]


NAMES: Final = "alice bob chen dana erik fatima george hana ivan julia".split()
HOSTS: Final = "example.org mail.example.co.uk corp-intranet.dev uni.example.edu post.example.de".split()


# ------------------------------------------------------------------------------------------------------------ values
def digits(random: Random, count: int) -> str:
    return "".join(random.choice(string.digits) for _ in range(count))


def hexes(random: Random, count: int) -> str:
    return "".join(random.choice("0123456789abcdef") for _ in range(count))


def dotted(random: Random, count: int) -> str:
    return ".".join(str(random.randint(0, 30)) for _ in range(count))


def luhn(body: str) -> str:
    total = sum(sum(divmod(2 * int(it), 10)) for it in body[::-2]) + sum(int(it) for it in body[-2::-2])
    return body + str(-total % 10)


def card(random: Random) -> str:
    prefix, length = random.choice([("4", 16), ("53", 16), ("37", 15)])
    number = luhn(prefix + digits(random, length - len(prefix) - 1))
    groups = (
        [number[:4], number[4:10], number[10:]] if len(number) == 15 else [number[i : i + 4] for i in range(0, 16, 4)]
    )
    return random.choice([number, " ".join(groups), "-".join(groups)])


def iban(random: Random) -> str:
    country, length = random.choice([("DE", 22), ("AT", 20), ("CH", 21), ("ES", 24)])
    body = digits(random, length - 4)
    check = 98 - int("".join(str(int(it, 36)) for it in body + country + "00")) % 97
    code = f"{country}{check:02}{body}"
    return random.choice([code, " ".join(code[i : i + 4] for i in range(0, length, 4)), code.lower()])


def email(random: Random) -> str:
    local = (
        f"{random.choice(NAMES)}{random.choice(['', '.', '_', '+'])}{random.choice(NAMES)}{random.choice(['', '7'])}"
    )
    return f"{local}@{random.choice(HOSTS)}"


def phone(random: Random) -> str:
    area, line = random.choice("212 415 312 617 206".split()), digits(random, 4)
    prefix = f"{random.randint(2, 9)}{random.randint(2, 9)}{random.randint(2, 9)}"
    forms = [
        f"+1 {area} {prefix} {line}",
        f"({area}) {prefix}-{line}",
        f"{area}-{prefix}-{line}",
        f"+44 20 7{digits(random, 3)} {line}",
        f"+49 151 2{digits(random, 7)}",
        f"+1{area}{prefix}{line}",
    ]
    return random.choice(forms)


def ssn(random: Random) -> str:
    return f"{random.randint(100, 665)}-{random.randint(10, 99)}-{random.randint(1000, 9999)}"


def secret(random: Random) -> str:
    letters = string.ascii_letters + string.digits
    tail = "".join(random.choice(letters) for _ in range(36)) + "7"
    return random.choice([f"ghp_{tail}", f"sk-proj-{tail}", f"hf_{tail}", f"AKIA{tail.upper()[:16]}", f"xoxb-1-{tail}"])


def ip(random: Random) -> str:
    four = ".".join(str(random.randint(1, 254)) for _ in range(4))
    six = "2001:db8:" + ":".join(f"{random.randint(1, 0xFFFF):x}" for _ in range(6))
    return random.choice([four, four, six, f"fe80::{random.randint(0x1000, 0xFFFF):x}:1"])


def mac(random: Random) -> str:
    parts = [f"{random.randint(0, 255):02x}" for _ in range(6)]
    return random.choice(
        [":".join(parts), "-".join(parts).upper(), ".".join(a + b for a, b in zip(*[iter(parts)] * 2, strict=True))]
    )


def birth_date(random: Random) -> str:
    year, month, day = random.randint(1940, 2010), random.randint(1, 12), random.randint(1, 28)
    named = "January February March April May June July August September October November December".split()[month - 1]
    return random.choice(
        [
            f"{year}-{month:02}-{day:02}",
            f"{day:02}/{month:02}/{year}",
            f"{named} {day}, {year}",
            f"{day} {named} {year}",
            f"{day:02}.{month:02}.{year}",
        ]
    )


def passport(random: Random) -> str:
    return random.choice(["5" + digits(random, 8), "X" + digits(random, 7), "C0" + digits(random, 7)])


def verhoeff(body: str) -> str:
    for last in string.digits:
        check = 0
        for place, digit in enumerate(reversed(body + last)):
            turned = int(digit)
            for _ in range(place % 8):
                turned = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[turned]
            check = _multiplied(check, turned)
        if check == 0:
            return body + last
    raise AssertionError


def national_id(random: Random) -> str:
    number = random.randint(10_000_000, 99_999_999)
    aadhaar = verhoeff(f"{random.randint(2, 9)}{digits(random, 10)}")
    pairs = " ".join(digits(random, 2) for _ in range(3))
    nino = f"{random.choice(['AB', 'CE', 'JG', 'SP'])} {pairs} {random.choice('ABCD')}"
    return random.choice(
        [
            f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}",
            nino,
            nino.replace(" ", ""),
            " ".join(aadhaar[i : i + 4] for i in range(0, 12, 4)),
        ]
    )


VALUES: Final[dict[str, Callable[[Random], str]]] = {
    "email": email,
    "phone": phone,
    "card": card,
    "iban": iban,
    "ssn": ssn,
    "secret": secret,
    "ip": ip,
    "mac": mac,
    "birth_date": birth_date,
    "passport": passport,
    "national_id": national_id,
}
CALLED: Final = {
    "email": "e-mail",
    "phone": "phone",
    "card": "card number",
    "iban": "account",
    "ssn": "SSN",
    "secret": "api key",
    "ip": "client address",
    "mac": "device",
    "birth_date": "date of birth",
    "passport": "passport number",
    "national_id": "national id",
}
SENTENCES: Final = {
    "email": [
        "Please write to {}, thanks!",
        "{} is where I read my mail.",
        "I moved from my old address to {} last week",
    ],
    "phone": ["Call me at {} after six.", "you can reach me on {}", "My mobile is {}, text me."],
    "card": ["I'd like to pay with {} today.", "charge {} please", "the card {} was declined, why?"],
    "iban": ["Send the refund to {}, please.", "my account is {} at the savings bank", "{} is our IBAN."],
    "ssn": ["My SSN is {}, is that enough?", "they asked for {} on the form"],
    "secret": ["I exported {} in my shell.", "why does {} give a 401?", "use {} for the deploy, ok?"],
    "ip": ["The requests come from {} at night.", "ping {} gives nothing", "I log in from {}, please allow it"],
    "mac": ["My laptop has {} as its address.", "the printer {} is offline"],
    "birth_date": ["I was born on {} in Oslo.", "My date of birth is {}.", "she's born {}"],
    "passport": ["My passport number is {}.", "passport {} expires soon"],
    "national_id": ["My national insurance number is {}.", "the id on the form is {}"],
}
STYLES: Final = ("chat", "form", "json", "log", "csv", "mail")

CONFUSABLE: Final[tuple[Callable[[Random], str], ...]] = (
    lambda r: f"Order {digits(r, 10)} has shipped.",
    lambda r: f"order number {digits(r, 4)}-{digits(r, 4)}-{digits(r, 4)}",
    lambda r: f"Invoice INV-{r.randint(2019, 2026)}-{digits(r, 5)} is due",
    lambda r: f"We upgraded from {dotted(r, 3)} to version {dotted(r, 4)}",
    lambda r: f"chrome {r.randint(100, 130)}.0.{r.randint(1000, 6999)}.{r.randint(10, 250)} crashes",
    lambda r: f"pip install thing=={dotted(r, 4)}",
    lambda r: f"The release is on {r.randint(2020, 2027)}-{r.randint(1, 12):02}-{r.randint(1, 28):02} at 12:30:45",
    lambda r: f"commit {hexes(r, 40)} broke it",
    lambda r: f"sha256 {hexes(r, 64)}",
    lambda r: f"request {hexes(r, 8)}-{digits(r, 4)}-4{digits(r, 3)}-a{digits(r, 3)}-{digits(r, 12)}",
    lambda r: f"ISBN 978-{r.randint(0, 9)}-{digits(r, 4)}-{digits(r, 4)}-{r.randint(0, 9)}",
    lambda r: f"tracking 1Z{digits(r, 6)}A{digits(r, 9)} says delivered",
    lambda r: f"parcel {digits(r, 12)} is late",
    lambda r: f"the id of the ticket is {digits(r, 9)}",
    lambda r: f"between {r.randint(1900, 1999)}-{r.randint(2000, 2026)} it doubled",
    lambda r: f"we have {r.randint(1, 999)},{digits(r, 3)},{digits(r, 3)} rows and $12,{digits(r, 3)}.{digits(r, 2)}",
    lambda r: f"at {digits(r, 2)}.{digits(r, 6)}, {digits(r, 2)}.{digits(r, 6)} on the map",
    lambda r: f"the card {wrong(card(r))} of the game",
    lambda r: f"account {wrong(iban(r).upper())} does not exist",
    lambda r: "@pytest.fixture and git@github.com:org/repo.git are no addresses",
    lambda r: f"std::vector and a::b, ratio {r.randint(1, 16)}:{r.randint(1, 9)}, verse {r.randint(1, 40)}:7",
    lambda r: "the password policy asks for 12 characters; my token expired",
    lambda r: f"timestamp {r.randint(1_500_000_000, 1_900_000_000)} and 1{digits(r, 12)} ms",
    lambda r: f"part no. {digits(r, 3)}-{digits(r, 2)}-{digits(r, 3)}, serial SN{digits(r, 8)}",
    lambda r: f"the founding date was {r.randint(1, 28)} May {r.randint(1900, 2020)}",
    lambda r: f"passport renewal took {r.randint(2, 9)} weeks and {r.randint(100, 300)} euros",
    lambda r: f"localhost is 127.0.0.1, mask 255.255.255.0, section {dotted(r, 4)}",
    lambda r: f"model X{digits(r, 4)}B and flight LH{digits(r, 4)} at gate B{r.randint(10, 60)}",
)


def wrong(number: str) -> str:
    """Return a number whose checksum is wrong: its last digit is another one."""
    return number[:-1] + str((int(number[-1]) + 1) % 10)


# ------------------------------------------------------------------------------------------------------------- texts
def corpus(seed: int, per_type: int) -> list[Text]:
    """Return texts of every type in every style, and as many that hold nothing."""
    random = Random(seed)  # noqa: S311  (the same texts in each run)
    texts = [_text(random, type_, STYLES[number % len(STYLES)]) for type_ in VALUES for number in range(per_type)]
    count = len(texts)
    texts += [Text(CONFUSABLE[number % len(CONFUSABLE)](random), ()) for number in range(count)]
    random.shuffle(texts)
    return texts


def _text(random: Random, type_: str, style: str) -> Text:
    value, name = VALUES[type_](random), random.choice(NAMES)
    called = CALLED[type_]
    frame = {
        "chat": lambda: random.choice(SENTENCES[type_]),
        "form": lambda: f"Name: {name}\n{called.title()}: {{}}\nRemarks: none",
        "json": lambda: f'{{{{"user": "{name}", "{called}": "{{}}", "count": {random.randint(1, 99)}}}}}',
        "log": lambda: (
            f"2026-03-0{random.randint(1, 9)}T12:00:0{random.randint(0, 9)} INFO user={name} {called}={{}} ok"
        ),
        "csv": lambda: f"{name},{called},{{}},{random.randint(10, 99)}",
        "mail": lambda: f"Kind regards\n{name.title()}\n{called}: {{}}\nhttps://example.org/about",
    }[style]()
    before = frame.partition("{}")[0].replace("{{", "{").replace("}}", "}")
    return Text(frame.format(value), ((len(before), len(before) + len(value), type_),))
