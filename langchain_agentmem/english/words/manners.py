"""The manner of what is ordered: in which language and units, at what length, in what form, when. English."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.number_words import counts

LANGUAGES: Final = (
    r"arabic|bengali|bulgarian|cantonese|catalan|chinese|croatian|czech|danish|dutch|english|estonian|farsi|finnish"
    r"|flemish|french|gaelic|german|greek|hebrew|hindi|hungarian|icelandic|indonesian|irish|italian|japanese|korean"
    r"|latin|latvian|lithuanian|malay|mandarin|norwegian|persian|polish|portuguese|punjabi|romanian|russian|serbian"
    r"|slovak|slovene|slovenian|spanish|swahili|swedish|tagalog|tamil|thai|turkish|ukrainian|urdu|vietnamese|welsh"
)
VALUES: Final = {
    "units": {"metric": r"metric|si", "imperial": r"imperial|us customary"},
    "temperature": {"celsius": r"celsius|centigrade", "fahrenheit": r"fahrenheit", "kelvin": r"kelvin"},
    "distance": {"kilometre": r"kilomet(?:er|re)s?|km", "mile": r"miles?"},
    "weight": {"kilo": r"kilos?|kilograms?|kg", "pound": r"pounds|lbs"},
    "clock": {"24": r"24[- ]?h(?:ours?|rs?)?", "12": r"12[- ]?h(?:ours?|rs?)?"},
    "currency": {"euro": r"euros?|eur", "dollar": r"dollars?|usd", "yen": r"yen", "franc": r"(?:swiss )?francs?|chf"},
    "indentation": {
        "tabs": r"tabs",
        "2": r"(?:2|two)[- ]spaces?",
        "4": r"(?:4|four)[- ]spaces?",
        "8": r"(?:8|eight)[- ]spaces?",
        "spaces": r"spaces",
    },
    "length": {
        "short": r"short(?:er)?(?! than)|brief(?:er|ly)?|concise(?:ly)?|terse(?:ly)?|succinct(?:ly)?|crisp"
        r"|compact|to the point",
        "long": r"(?<!as )long(?:er)?(?! than| as)|lengthy|(?:more )?detail(?:ed|s)?|thorough(?:ly)?|verbose"
        r"|in[- ]depth|elaborate"
        r"|extensive(?:ly)?|comprehensive(?:ly)?|exhaustive(?:ly)?",
    },
    "tone": {
        "formal": r"formal(?:ly)?|professional(?:ly)?",
        "informal": r"(?:informal|casual|colloquial)(?:ly)?|chatty",
    },
    "candour": {"blunt": r"(?:blunt|direct|frank)(?:ly)?", "gentle": r"gentl[ey]|diplomatic(?:ally)?|tactful(?:ly)?"},
    "mood": {"serious": r"serious(?:ly)?", "funny": r"funny|humorous(?:ly)?|playful(?:ly)?|witty"},
    "level": {
        "simple": r"simpl[ey]|plain(?: english)?|lay(?:man's)?(?= terms)",
        "technical": r"technical(?:ly)?|academic(?:ally)?",
    },
    "form": {"bullets": r"bullet(?:ed)?(?: points?| lists?)?|bullets", "prose": r"prose|paragraphs|running text"},
}
"""What an answer can be like, by aspect: of each one value at a time."""

ANSWER_FORMS: Final = (
    r"(?:spoilers?|emojis?|jargon|slang|abbreviations?|acronyms|markdown|bullet points?|lists?|tables?"
    r"|code(?: samples?)?"
    r"|small talk|fluff|filler|pleasantries|disclaimers?|apologies|swearing|jokes?|puns?|metaphors?|formulas?"
    r"|summaries|recaps?|greetings|headings|footnotes|exclamation marks|follow-up questions"
    r"|screenshots?"
    r"|attachments?|links?|voice (?:notes?|messages?)|phone calls?|calls|cold calls|emails|newsletters|notifications"
    r"|reminders|upsells?)"
)
"""What an answer is made of, and what is sent: named alone, they are wanted or not wanted at all."""

_END: Final = (
    r"(?=\s*(?:$|[,.;:!]|(?:only|instead|please|always|too|now|again|from|by|when|whenever|for|in|on|with|to|unless"
    r"|if|and|or|any|at)\b))"
)
RECURRING: Final = r"reminders|notifications|alerts|digests|newsletters"
"""What is sent again and again comes at one time of the day; a single deed may be wanted at several."""

_INSTEAD_OF: Final = lazy_pattern(
    rf"(?<=\w)(?:\s*(?:,|\b(?:and|but))\s*\bnot|\s+(?:instead of|rather than))(?: in| to)? (?:the )?(?:{LANGUAGES}"
    rf"|{'|'.join(words for values in VALUES.values() for words in values.values())})\b(?: units| system)?",
    re.IGNORECASE,
)
"""A value that is named to be left is not asked for."""

_MEASURES: Final = ("units", "temperature", "distance", "weight", "clock", "currency")
UNITS: Final = "|".join(words for aspect in _MEASURES for words in VALUES[aspect].values())
"""What is measured in; who names one means it for good."""

_PATTERNS: Final = (
    *(
        (aspect, value, lazy_pattern(rf"\b(?:in |as |with |using )?(?:{words})\b(?![-'])", re.IGNORECASE))
        for aspect, values in VALUES.items()
        for value, words in values.items()
    ),
)
_LANGUAGE: Final = lazy_pattern(
    rf"\b(?:(?:in|into|to|use|using|speak|speaking|only|and|or) )(?P<value>{LANGUAGES}){_END}", re.IGNORECASE
)
_NUMBERS: Final = {word: str(number) for word, number in counts(1, 12).items()} | {"noon": "12pm", "midnight": "12am"}
_BOUND: Final = lazy_pattern(
    r"\b(?P<side>before|earlier than|after|later than|past|until|till) "
    rf"(?P<hour>\d{{1,2}}(?::\d\d)?|{'|'.join(_NUMBERS)})(?:\s*(?P<half>[ap])\.?m\b\.?| o'clock)?"
    r"(?P<part> in the (?:morning|afternoon|evening)| at night)?(?!\s*[%$€\w]*\d)"
    r"(?=\s*(?:$|[,.;!]|(?:now|again|any|on|from|please|at|in|if|when|unless|because|as|instead)\b))",
    re.IGNORECASE,
)
_SIDES: Final = {"earlier than": "before", "later than": "after", "past": "after", "till": "until"}
_ANY_TIME: Final = lazy_pattern(
    r"\b(?:(?:at )?any ?time|at any (?:time|hour)|at all hours|whenever)(?: (?:of (?:the )?day|you (?:like"
    r"|want|need)))?",
    re.IGNORECASE,
)

_RECURRING: Final = lazy_pattern(rf"\b(?:{RECURRING})\b", re.IGNORECASE)
_TIME: Final = lazy_pattern(
    r"\b(?:(?:in|to|for|during) the |(?:every|each|in|at|to) )"
    r"(?P<part>morning|afternoon|evening|night|noon|lunchtime)s?\b"
    rf"|\b(?:at|to) (?P<hour>\d{{1,2}}(?::\d\d)?|{'|'.join(_NUMBERS)})(?:\s*(?P<half>[ap])\.?m\b\.?| o'clock)?"
    r"(?: in the (?P<of>morning|afternoon|evening)| at night)?",
    re.IGNORECASE,
)

LASTING: Final = (
    r"(?:always|from now on|going forward|in (?:the )?future|by default|at all times|henceforth|from (?:today|here) on)"
)
_LASTING: Final = lazy_pattern(rf"\b{LASTING}\b", re.IGNORECASE)

SIDE_NAMES: Final = frozenset({"before", "after", "until"})
AT_ANY_TIME: Final = ("hour", "any")
SINGLE: Final = frozenset({*VALUES, "language", "time"})


def is_for_good(text: str) -> bool:
    """Whether an order says of itself that it lasts."""
    return _LASTING.search(text) is not None


def hours_in(text: str) -> tuple[frozenset[tuple[str, str]], str]:
    """Return from or until which hour, and the text without it."""
    found = set[tuple[str, str]]()
    for it in _BOUND.finditer(text):
        side, hour = it["side"].casefold(), it["hour"].casefold()
        half = it["half"] or ("" if it["part"] is None else "a" if "morning" in it["part"].casefold() else "p")
        found.add((_SIDES.get(side, side), _NUMBERS.get(hour, hour) + (f"{half.casefold()}m" if half else "")))
    if _ANY_TIME.search(text):
        found.add(AT_ANY_TIME)
    return frozenset(found), _ANY_TIME.sub(" ", _BOUND.sub(" ", text))


def manner_in(text: str) -> tuple[frozenset[tuple[str, str]], str]:
    """Return aspects with their values, and the text without them; of an aspect with two, both are its value."""
    text = _INSTEAD_OF.sub(" ", text)
    found: dict[str, set[str]] = {}
    for aspect, value, pattern in _PATTERNS:
        if pattern.search(text):
            found.setdefault(aspect, set()).add(value)
            text = pattern.sub(" ", text)
    languages = {it["value"].casefold() for it in _LANGUAGE.finditer(text)}
    if languages:
        found["language"] = languages
        text = _LANGUAGE.sub(" ", text)
    if _RECURRING.search(text):
        found["time"] = set(map(_time, _TIME.finditer(text)))
        text = _TIME.sub(" ", text)
    return frozenset((aspect, "+".join(sorted(values))) for aspect, values in found.items() if values), text


def _time(found: re.Match[str]) -> str:
    if found["part"]:
        return found["part"].casefold()
    half = (found["half"] or "").casefold() or {"morning": "a", None: ""}.get(found["of"], "p")
    return _NUMBERS.get(found["hour"].casefold(), found["hour"]) + (f"{half}m" if half else "")
