"""Detector of secrets: keys of known services, tokens, private keys, and what is called a password.

Every pattern is bounded, possessive, or starts only at the beginning of a word, so that work grows linearly.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import fold
from langchain_agentmem.english.words.number_words import counts
from langchain_agentmem.policies.matches import SensitiveMatch

# ------------------------------------------------------------------------------------- keys with a prefix of their own
# Source: the formats each service publishes for secret scanning.
_KEYS: Final = lazy_pattern(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-(?=[\w-]{0,200}\d)[\w-]{16,400}+"  # OpenAI, Anthropic, OpenRouter, DeepSeek
    r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,200}+|whsec_[A-Za-z0-9+/=]{16,200}+"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{20,300}+|github_pat_\w{20,300}+"  # GitHub
    r"|gl(?:pat|ptt|dt|rt|cbt|oas|soat)-[\w-]{16,300}+"  # GitLab
    r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS
    r"|xox[a-z]-[A-Za-z0-9-]{10,300}+|xapp-[A-Za-z0-9-]{10,300}+"  # Slack
    r"|AIza[\w-]{35}(?![\w-])|ya29\.[\w-]{20,500}+|GOCSPX-[\w-]{20,100}+"  # Google
    r"|hf_[A-Za-z0-9]{20,100}+|gsk_[A-Za-z0-9]{20,200}+|xai-[A-Za-z0-9]{20,200}+|pplx-[A-Za-z0-9]{20,200}+"
    r"|lsv2_(?:pt|sk)_\w{20,200}+|tvly-[\w-]{16,200}+|nvapi-[\w-]{20,200}+|r8_[A-Za-z0-9]{20,100}+"
    r"|npm_[A-Za-z0-9]{20,100}+|pypi-[\w-]{16,500}+|rubygems_[a-f0-9]{20,100}+"
    r"|SG\.[\w-]{16,100}\.[\w-]{16,100}+|SK[0-9a-f]{32}(?![0-9a-z])|key-[0-9a-f]{32}(?![0-9a-z])"  # SendGrid, Twilio
    r"|do[opr]_v1_[a-f0-9]{32,128}+|dapi[a-f0-9]{32,64}+|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,64}+"
    r"|\d{8,10}:AA[\w-]{32,40}+|PMAK-[\w-]{20,100}+|sbp_[a-f0-9]{20,100}+|vault:v\d+:[\w+/=]{16,500}+"
    r"|hvs\.[\w-]{20,300}+"
    r")"
)
_JSON_WEB_TOKEN: Final = lazy_pattern(r"(?<![\w-])eyJ[\w-]{8,8000}+\.eyJ[\w-]{8,8000}+(?:\.[\w-]{0,8000}+)?")
_PEM_START: Final = lazy_pattern(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END: Final = lazy_pattern(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BEARER: Final = lazy_pattern(r"\bbearer\s{1,3}(?P<value>(?=[\w.~+/-]{0,400}\d)[\w.~+/-]{16,8000}+=*+)", re.IGNORECASE)
_URL_PASSWORD: Final = lazy_pattern(r"://[^\s:/@]{0,64}:(?P<value>[^\s@/]{1,128})@")
_CARD_CODE: Final = lazy_pattern(r"\b(?:cvv2?|cvc2?)\s{1,3}(?P<value>\d{3,4})\b", re.IGNORECASE)
_WEBHOOK: Final = lazy_pattern(r"hooks\.slack\.com/services/(?P<value>[\w/]{16,200}+)")

# ------------------------------------------------------------------------------------------ what is called a password
_LOCKS: Final = (
    r"(?:(?:front|back|garage|garden|side|main|office|shop|car|staff) )?door|access|alarm|gate|unlock|entry|till|safe"
    r"|(?:key|bike|pad|combination)[ -]?(?:safe|lock|box)|lock|keypad|barrier"
)
_PIN_WORDS: Final = (
    rf"pin(?:[ -](?:code|number))?|cvv2?|cvc2?|security code|(?:{_LOCKS}) (?:code|combination)"
    rf"|(?:code|combination) (?:for|to|of|on) (?:the|my|our|his|her|their) (?:{_LOCKS})"
)
"""What is said of digits that open something: a postal, an area or an error code opens nothing."""

_SPOKEN_WORDS: Final = (
    r"pass(?:word|phrase|code|wd)|pwd|passwort|kennwort|mot de passe|contrase[nñ]a|senha|wachtwoord|parola|(?:seed"
    r"|recovery)"
    r" phrase"
)
_KEY_WORDS: Final = (
    r"(?:api|access|secret|private|encryption|licen[cs]e|recovery|signing|master)[ _-]?(?:key|token|code)"
    r"|auth(?:entication)?[ _-]?token|client[ _-]?secret|credentials?|secret|token|pw"
)
_TOLD: Final = (
    rf"(?<![^\W_])(?:(?P<pin>{_PIN_WORDS})|(?P<password>{_SPOKEN_WORDS})|(?P<token>{_KEY_WORDS}))(?![^\W_])"
    r"(?:\s{1,3}(?:for|to|of|on|at|in)(?:\s{1,3}[\w.'@/-]{1,40}){1,5}?)?"
    r"\s{0,3}(?P<link>=>|->|:=|=|:|\b(?:is|was|equals|to|now|ist|lautet|est|es|é|è)\b)(?:\s{1,3}(?:now|still|just))?\s{0,3}"
)
"""What leads to a secret: what it is called, what it is for, and "is"."""

_CALLED: Final = lazy_pattern(
    _TOLD + r"[\"'`(\[]{0,2}(?P<value>[^\s\"'`]{3,200})(?P<quote>[\"'`]?)",
    re.IGNORECASE,
)
_DIGIT: Final = rf"(?:{'|'.join((*counts(0, 9), 'oh', 'nought', 'double', 'triple'))}|\d)\b"
_TWO_DIGITS: Final = rf"(?:{'|'.join(reversed(counts(10, 99)))})\b"  # "twenty-one" before "twenty"
_IN_DIGITS: Final = (
    rf"(?P<value>(?:{_DIGIT}(?:[ ,-]{{1,2}}{_DIGIT}){{2,11}}+"
    r"|\d{1,2}(?:[ -]\d{1,2}){2,5}+(?![\w/])"
    rf"|(?:{_TWO_DIGITS}(?:[ ,-]{{1,2}}{_DIGIT})?[ ,-]{{1,2}}){{1,5}}{_TWO_DIGITS}(?:[ ,-]{{1,2}}{_DIGIT})?))"
)
"""Digits one by one, in words or apart, or two by two: "four two one nine", "4 2 1 9", "nineteen eighty-four"."""

_SPELLED_OUT: Final = lazy_pattern(rf"{_TOLD}{_IN_DIGITS}", re.IGNORECASE)
_BESIDE_LOGIN: Final = lazy_pattern(
    r"\b(?:log-?in|user(?:name)?|account)(?::\s?|\s)[\w.@+-]{1,64}\s?[/|,;]\s?(?:pass(?:word|wd)?|pw)(?::\s?|\s)"
    r"(?P<value>[^\s\"'`]{4,100})",
    re.IGNORECASE,
)
_PHRASE: Final = lazy_pattern(
    r"\b(?:passphrase|(?:seed|recovery|mnemonic|backup)[ -](?:phrase|words))\s?"
    r"(?:(?:\b(?:is|are)\s?)?(?P<named>:|=)|\b(?:is|are)\b)\s?"
    r"[\"'`]?(?P<value>[a-z]{3,8}(?:[ \n][a-z]{3,8}){2,23}+)(?=[\"'`]?[ ]?(?:[.,;!?)\n]|$))",
    re.IGNORECASE,
)
"""Words that stand for nothing together: those of a wallet have three to eight letters each."""

_REVERSED: Final = lazy_pattern(
    r"(?<!\S)[\"'`]?(?P<value>[^\s\"'`]{4,100})[\"'`]?\s{1,3}(?:is|as)\s{1,3}(?:my|our|the|his|her|their)\s{1,3}"
    rf"(?:[\w-]{{1,30}}\s{{1,3}}){{0,3}}?(?:(?P<pin>{_PIN_WORDS})|{_SPOKEN_WORDS}|{_KEY_WORDS})(?!\s{{1,3}}(?:manager|policy|store|vault"
    rf"|app)|\w)",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = lazy_pattern(
    r"[<{$%\[].*|\*+|x{3,}|\.{3,}|none|null|true|false|str|string|redacted|changeme|os\.environ.*|.*getenv.*"
    r"|process\.env.*|env\..*|[£€¥]\d[\d.,]*k?",
    re.IGNORECASE,
)
_EXAMPLE: Final = lazy_pattern(r"(?:your|my|the|some)[_-]?\w*(?:key|token|password|secret)\w*", re.IGNORECASE)
_CODE: Final = lazy_pattern(r"[A-Za-z_]\w*+(?:\.\w++)*+[(\[].*")  # "password = read(…)" names a secret, it holds none
_MEASURE: Final = lazy_pattern(
    r"\s?(?:digits?|char\w*|letters?|symbols?|words?|lines?|steps?|bits?|bytes?|days?|weeks?|months?|years?|hours?|min\w*|times?)\b",
    re.IGNORECASE,
)
_COUNTED: Final = lazy_pattern(r"\d+[+-]?(?:char|digit|letter|day|week|month|year|hour|min|bit|word)", re.IGNORECASE)
_DERIVED: Final = lazy_pattern(r".*(?:ed|ing|able|ible|ful|less|-sensitive|n't)", re.IGNORECASE)
_CLAUSE_END: Final = lazy_pattern(r"\s*(?:$|[.,;!?)\n]|\b(?:and|but|for|please|now|so|which)\b)")
# Words that say something about a password and are none.
_ORDINARY: Final = frozenset(
    "weak strong wrong invalid valid correct incorrect missing empty blank required optional unknown secret safe"
    " secure insecure"
    " long short too not never always the a an my our your his her their its this that same different new old unique"
    " random"
    " what it in on at kept lost stolen easy hard simple complex complicated public private important fine good bad"
    " terrible"
    " something nothing anything hidden still just only very really again available necessary ready up out there here"
    " okay"
    " due rate case stuck about visible sensitive mandatory known stale none up-to-date set reset".split()
)
# Words by which something is said of a phrase: where one of them stands, it is none.
_SAYING: Final = _ORDINARY - {"correct"} | frozenset(
    "and are ask but can contact does for from has have how into let may more must need our over please put read see"
    " she should tell than then they use was were who why will with would you your word words phrase phrases letters"
    " letter digits characters written down somewhere anywhere saved gone mine paper note notes today tomorrow"
    " yesterday twelve twenty four eight three five six seven nine him all any because before after when where while"
    " inside outside under below above behind beside near between within".split()
)
_WALLET_WORDS: Final = frozenset({12, 15, 18, 21, 24})
"""Of so many words is the phrase of a wallet (BIP 39); hardly a sentence has so many of three to eight letters."""

_MIN_WORDS: Final = 4
"""Behind "is", which more often begins what is said of a phrase than the phrase."""

_MIN_TOKEN_CHARS: Final = 6
_MIN_PASSWORD_DIGITS: Final = 4
_MAX_PIN_DIGITS: Final = 12
_DOT_NUMBER: Final = lazy_pattern(r"v?\d++(?:\.\d++)*+")

# ------------------------------------------------------------------------------------------- high-entropy assignments
_ASSIGNED: Final = lazy_pattern(
    r"(?:key|token|secret|passw(?:or)?d|pwd|credential|auth)\w{0,20}[\"'`]?\s{0,3}(?:=>|:=|=|:)\s{0,3}[\"'`]?"
    r"(?P<value>[A-Za-z0-9+/_=.~-]{16,400}+)",
    re.IGNORECASE,
)
# Hexadecimal of random bytes has about 3.5 bits per character at 32 characters, English in one word about 3 or less
# without any digit; the digit is asked for beside it.
_MIN_BITS_PER_CHAR: Final = 3.0


def find_secrets(text: str) -> list[SensitiveMatch]:
    """Find keys, tokens, private keys and passwords; the match covers the secret, not the words around it."""
    folded = fold(text)
    spans = {span for find in _FINDERS for span in find(folded.text)}
    return [SensitiveMatch(*folded.span(*span), "secret") for span in sorted(spans)]


def _known_keys(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_KEYS, _JSON_WEB_TOKEN):
        yield from (found.span() for found in pattern.finditer(text))
    for pattern in (_BEARER, _URL_PASSWORD, _WEBHOOK, _CARD_CODE):
        yield from (
            found.span("value") for found in pattern.finditer(text) if not _PLACEHOLDER.fullmatch(found["value"])
        )


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    place = 0
    while start := _PEM_START.search(text, place):
        end = _PEM_END.search(text, start.end())
        place = end.end() if end else len(text)
        yield start.start(), place


def _called_secrets(text: str) -> Iterator[tuple[int, int]]:
    for found in _CALLED.finditer(text):
        if _is_secret_value(found, text):
            yield found.start("value"), found.start("value") + len(_value(found))
    for found in _SPELLED_OUT.finditer(text):
        if not found["token"] and not _MEASURE.match(text, found.end("value")):
            yield found.span("value")
    for found in _REVERSED.finditer(text):
        is_pin = found["pin"] is not None and _value(found).isdigit()
        if (is_pin or _is_mixed(_value(found))) and not _is_beside_the_point(found, text):
            yield found.start("value"), found.start("value") + len(_value(found))


def _phrases(text: str) -> Iterator[tuple[int, int]]:
    for found in _PHRASE.finditer(text):
        words = found["value"].casefold().split()
        is_said = any(it in _SAYING or _DERIVED.fullmatch(it) for it in words)
        is_long = found["named"] or len(words) >= _MIN_WORDS
        if len(words) in _WALLET_WORDS or (is_long and not is_said):
            yield found.span("value")
    for found in _BESIDE_LOGIN.finditer(text):
        if _is_mixed(_value(found)) and not _is_beside_the_point(found, text):
            yield found.start("value"), found.start("value") + len(_value(found))


def _assigned_secrets(text: str) -> Iterator[tuple[int, int]]:
    for found in _ASSIGNED.finditer(text):
        value = found["value"]
        if any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and bits_per_char(value) >= _MIN_BITS_PER_CHAR:
            yield found.span("value")


_FINDERS: Final = (_known_keys, _private_keys, _called_secrets, _phrases, _assigned_secrets)


def bits_per_char(text: str) -> float:
    """Return the entropy of the characters of `text` in bits per character.

    Source: Shannon, "A Mathematical Theory of Communication" (1948), section 6.
    """
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values())


def _value(found: re.Match[str]) -> str:
    return found["value"].rstrip(".,;!?)]")


def _is_secret_value(found: re.Match[str], text: str) -> bool:
    value = _value(found)
    if _is_beside_the_point(found, text):
        return False
    if value.isdigit():
        return _is_secret_number(found, value)
    if found["pin"]:
        return False
    if found["token"]:
        return len(value) >= _MIN_TOKEN_CHARS and _is_mixed(value) and not _DOT_NUMBER.fullmatch(value)
    return found["link"] == "=" or bool(found["quote"]) or _is_mixed(value) or _is_lone_word(value, text, found.end())


def _is_beside_the_point(found: re.Match[str], text: str) -> bool:
    value = _value(found)
    if not value or _COUNTED.match(value) or any(form.fullmatch(value) for form in (_PLACEHOLDER, _EXAMPLE, _CODE)):
        return True
    return any(map(str.isdigit, value)) and bool(_MEASURE.match(text, found.end("value")))


def _is_secret_number(found: re.Match[str], value: str) -> bool:
    if found["pin"]:
        return found["link"] != "to" and len(value) <= _MAX_PIN_DIGITS
    return len(value) >= (_MIN_PASSWORD_DIGITS if found["password"] else _MIN_TOKEN_CHARS)


def _is_mixed(value: str) -> bool:
    """Whether `value` looks made up: a digit among letters, a sign, or a capital inside a word."""
    letters = value.replace("-", "").replace("'", "").replace(".", "").replace("/", "")
    if not letters.isalnum():
        return bool(letters)
    return (not letters.isalpha() and not letters.isdigit()) or (
        letters[1:] != letters[1:].lower() and letters != letters.upper()
    )


def _is_lone_word(value: str, text: str, end: int) -> bool:
    """Whether a word of letters stands where a password would: nothing follows, and it says nothing about one."""
    word = value.casefold()
    is_ordinary = word in _ORDINARY or _DERIVED.fullmatch(word)
    return not is_ordinary and bool(value != text[end - len(value) : end] or _CLAUSE_END.match(text, end))
