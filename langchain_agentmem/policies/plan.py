"""How a question is searched for: what of its words counts, whom it names, and when.

A question says more than what it is about: how to answer it ("list in order, only five items"), that it is about a
conversation ("did I mention"), and of whom. Those words would be matched like any others, and found everywhere.
English; what no rule knows is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem._terms import speaker_hash, tokenize
from langchain_agentmem.english.time.dates import dates_in, meets, numbers_of_days, without_counted, without_dates
from langchain_agentmem.policies.updates import asks_for_past, asks_for_value

MIN_TERMS: Final = 2
"""What is left of a question must have this many terms; else it is taken as it is."""

FEW_TERMS: Final = 3
"""Beside fewer, words for days that count from today would decide: "What did I eat yesterday?" finds no other turn that
says "yesterday"."""

MAX_NAME_WORDS: Final = 3

_META_WORDS: Final = """
conversation conversations chat discussion discuss discussed discussing session mention mentioned mentioning say said
tell told talk talked bring brought list order ordering summary summarize summarise comprehensive clear complete
overview throughout across different aspect various item ever according remind walk share give provide recommend
recommended suggest suggested please specific certain answer yes question message request
"""
_META: Final = frozenset(tokenize(_META_WORDS))

_HAPPENED_WORDS: Final = """
happen happened happening happens new news going up everything anything something else day days week weekend during
"""
_HAPPENED: Final = frozenset(tokenize(_HAPPENED_WORDS))
"""Words of a question about whatever was told of a time: "What happened last summer?", "Anything new?"."""
_FORMAT: Final = lazy_pattern(
    r"(?:^|(?<=[.?!])\s+)(?:please\s+)?(?:mention|answer|list|respond|reply|include|use|keep|limit|be|return)\b[^.?!]*"
    r"\b(?:only|exactly|yes or no|items?|words?|sentences?|brief|concise|order|format)\b[^.?!]*[.?!]?\s*$",
    re.IGNORECASE,
)
_LEAD: Final = lazy_pattern(
    r"^\s*(?:please\s+)?(?:(?:can|could|would|will) you (?:please )?|please )"
    r"(?:list|walk me through|give me|provide(?: me with)?|tell me(?: about)?|summari[sz]e|show me|"
    r"remind me(?: of| about)?|share|describe|recap|help me (?:with|to)?|explain)?\s*",
    re.IGNORECASE,
)
_ABOUT: Final = lazy_pattern(
    r"\b(?:an? )?(?:clear |comprehensive |complete |brief |detailed |full )*(?:summary|overview|recap) of\b"
    r"|\bthe order in which I (?:brought up|mentioned|discussed|talked about)\b|\bin order how I brought up\b"
    r"|\b(?:different|various) (?:aspects|ways|concepts|areas) (?:of|related to)\b"
    r"|\b(?:throughout|across|in|over|from|during) (?:all )?(?:of )?(?:our|my|the|these|all) (?:previous |past )?"
    r"(?:conversations?|chats?|discussions?|sessions|questions|requests|messages)\b"
    r"|,? ?\bin (?:the |chronological )?order\b|\bover time\b"
    r"|\bdid (?:I|you|we) (?:say|mention|tell (?:me|you))\b(?: that)?"
    r"|\b(?:I|you|we)(?:'ve| have) (?:mentioned|discussed|talked about|covered)\b|\bI (?:mentioned|told you)\b",
    re.IGNORECASE,
)
_ASKS_WHICH: Final = lazy_pattern(r"\b(?:where|who|whom|whose|why|when)\b", re.IGNORECASE)
"""Asks for something of a time, and not for whatever was told of it: "Where was I yesterday?"."""

_ORDERING: Final = lazy_pattern(
    r"\b(?:throughout|across|over time|in order|order in which|summar|overview"
    r"|how .* (?:developed|evolved|progressed|changed))",
    re.IGNORECASE,
)
_UNSAID: Final = lazy_pattern(
    r"(?<=\bhow )(?:much|many|high|large|big|tall|old)\b"
    r"|\b(?:currently|presently|nowadays|right now|now|at (?:the|this) moment|at present|these days"
    r"|as of (?:now|today))\b",
    re.IGNORECASE,
)
"""What asks for a number, or for how it is now: "My rent is 900 euros" says how much it is now without these."""

_SUM: Final = lazy_pattern(
    r"\b(?:rents?|mortgage|tuition|salary|wages?|fees?|premiums?|deposit|tax(?:es)?|pension|allowance|dues|fares?"
    r"|bills?)\b",
    re.IGNORECASE,
)
_PAYING: Final = lazy_pattern(r"\b(?:pay|paid|paying|earn|owe)\b", re.IGNORECASE)
"""What a sum is for says that it is paid: who tells of their rent need not say that they pay it."""

_WORD: Final = lazy_pattern(r"[^\W_]+(?:[-.'\u2019][^\W_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How to search for what a question asks.

    Attributes:
        text: What is to be embedded: without asking phrases, and as the speakers named would say it.
        terms: Terms to match, each once. `words`: the same in the order of the question, repeats included.
        speakers: Hashes of the speakers named.
        dates: Days and months named.
        is_ordering: It asks for a sequence, a development or a summary over several sessions.
        asks_for_value: It asks for something that may have changed, as it is now. `asks_for_past`: as it was.
        is_of_speaker: It asks for nothing but what the speakers named said. `is_of_time`: nothing but what was said at
            the time that is named.
        dated: Those of the terms that no answer needs: they only say when, or ask how much it is, or how it is now.
        days: Numbers of days among the terms, each with the names of its month.
    """

    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...] = ()
    speakers: frozenset[int] = frozenset()
    dates: tuple[NamedDate | Period, ...] = ()
    is_ordering: bool = False
    asks_for_value: bool = False
    asks_for_past: bool = False
    is_of_speaker: bool = False
    is_of_time: bool = False
    dated: tuple[str, ...] = ()
    days: Mapping[str, frozenset[str]] = field(default_factory=dict)


def plan(question: str, speakers: Iterable[int] = (), now: datetime | None = None, said: Period | None = None) -> Plan:
    """Return how to search for what a question asks.

    Args:
        question: In the user's words.
        speakers: Hashes (`_terms.speaker_hash`) of the names of those who speak in the conversations.
        now: What relative dates are counted from; `None`: they are not read.
        said: From when to when anything was said; `None`: not known.
    """
    bare = without_asking(question)
    names = _named(question, frozenset(speakers))
    uncounted = set(tokenize(without_counted(bare, now, said)))
    every, undated = tokenize(bare), set(tokenize(without_counted(_needed(bare), now, said)))
    days = _days_in(bare)
    meant = [it for it in every if it not in _META and (it in uncounted or not it[:1].isdigit())]
    of_names = set(chain.from_iterable(map(tokenize, names)))
    telling = [term for term in meant if term not in of_names]
    beside_time = set(tokenize(without_dates(bare, now))) - _META - _HAPPENED - of_names
    dates = dates_in(question, now)
    is_told = not beside_time and any(meets(it, said) for it in dates)
    beside = [term for term in telling if term in uncounted and not (is_told and term in _HAPPENED)]
    telling = beside if is_told or 0 < len(beside) < FEW_TERMS else telling
    terms = beside if is_told else telling or meant or every
    return Plan(
        text=_spoken(bare, names),
        terms=tuple(dict.fromkeys(terms)),
        words=tuple(terms),
        speakers=frozenset(map(speaker_hash, names)),
        dates=dates,
        is_ordering=_ORDERING.search(question) is not None,
        asks_for_value=asks_for_value(question),
        asks_for_past=asks_for_past(question),
        is_of_speaker=bool(names) and not telling,
        is_of_time=not beside_time and len(names) <= 1 and _ASKS_WHICH.search(question) is None,
        dated=tuple(dict.fromkeys(term for term in terms if term not in undated)),
        days={term: months for term, months in days.items() if term in terms},
    )


def without_asking(question: str) -> str:
    """Return a question without what it says of the answer's form and of the conversation."""
    rest = _ABOUT.sub(" ", _LEAD.sub("", _FORMAT.sub("", question)))
    rest = re.sub(r"\s+([,?.!])(?!\w)", r"\1", " ".join(rest.split())).strip(" ,")
    return rest if len(tokenize(rest)) >= MIN_TERMS else question


def _days_in(question: str) -> dict[str, frozenset[str]]:
    """Return the numbers of days that a question names, each with its month, as terms."""
    days = numbers_of_days(question).items()
    return {term: frozenset(tokenize(" ".join(months))) for number, months in days for term in tokenize(number)}


def _needed(question: str) -> str:
    """Return a question without words that no answer needs."""
    rest = _UNSAID.sub(" ", question)
    return _PAYING.sub(" ", rest) if _SUM.search(rest) else rest


def _named(question: str, speakers: frozenset[int]) -> list[str]:
    """Return the names in a question that are those of speakers."""
    if not speakers:
        return []
    words = [match.group().removesuffix("'s").removesuffix("\u2019s") for match in _WORD.finditer(question)]
    runs = (
        " ".join(words[start : start + size])
        for size in range(MAX_NAME_WORDS, 0, -1)
        for start in range(len(words) - size + 1)
    )
    return [run for run in dict.fromkeys(runs) if speaker_hash(run) in speakers]


def _spoken(text: str, names: Iterable[str]) -> str:
    """Return a text as a speaker would say it of themselves: they say "I", not their name."""
    for name in names:
        text = re.sub(rf"\b{re.escape(name)}['\u2019]s(?!\w)", "my", text, flags=re.IGNORECASE)
        text = re.sub(rf"\b{re.escape(name)}(?!\w)", "I", text, flags=re.IGNORECASE)
    return text
