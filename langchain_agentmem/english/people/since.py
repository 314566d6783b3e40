"""Since when a statement holds: the day it names ("I moved to Lille last March"), else when it was said. English.

Only changes of one's circumstances are dated by their words, and only by one day, month or year that lies behind: the
date of a plan, an appointment or a deadline is what is said of it, not since when that is so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Any, Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem.english.people.belongings import KNOWN_THING
from langchain_agentmem.english.time.dates import dates_in, days_of
from langchain_agentmem.english.words.calendar_words import MONTH
from langchain_agentmem.english.words.lexicon import PETS
from langchain_agentmem.types import Candidate, Memory

__all__ = ["dated", "ended", "held_since", "held_until"]

MAX_CHARS: Final = 400
"""Of a statement that is read for a date; a longer text tells of more than one thing."""

_EPOCH: Final = date(1970, 1, 1)
_GOT: Final = (
    r"got(?= (?:\w+ly )?(?:married|remarried|divorced|engaged|separated|promoted|hired|fired|sacked|laid off|diagnosed"
    r"|made redundant|naturali[sz]ed|certified|qualified|pregnant|rid)\b"
    r"|[^.;]*\b(?:last (?!minute)|back in |yesterday\b|ago\b))"
    rf"|(?<!\bhas )(?<!\bhave )(?<!\bhad )(?<!'ve )got(?= (?:an?|the|another|two|three) (?:[\w'-]+ ){{0,3}}?"
    rf"(?:{KNOWN_THING}|{'|'.join(sorted(PETS))}|job|house|home|tattoo|degree|licen[cs]e|visa|passport)s?"
    r"(?=$|,| (?:in|on|at|from|for|with|this|called|named)\b))"
)
"""Whoever gets a thing has it since; who has got something that takes place will have it, on the day that is named."""

_CHANGED: Final = lazy_pattern(
    r"^(?:[\w.'\u2019-]+ ){1,4}?(?:(?:has|have|had) )?(?:(?:just|recently|finally|already|also|now|then|\w+ly) ){0,2}"
    rf"(?:moved|relocated|settled|emigrated|immigrated|started|began|begun|joined|became|become|{_GOT}|married|divorced"
    r"|separated|quit|left|resigned|retired|switched|migrated|bought|sold|adopted|graduated|stopped|gave up|given up"
    r"|turned|converted|opened|founded|enrolled|changed jobs?|(?:was|were|been) (?:promoted|hired|diagnosed|laid off"
    r"|fired|admitted|naturali[sz]ed|stolen|made redundant)|died|passed away|broke up|split up|gave away"
    r")\b(?! to (?:move|start|leave|go|buy|sell|marry)\b)",
    re.IGNORECASE,
)
_SINCE: Final = lazy_pattern(
    r"\bsince\s+(?:the )?(?:early |mid |late |beginning of |start of |end of )?", re.IGNORECASE
)
_NOT_WHEN: Final = lazy_pattern(
    rf"\b(?:to|for|until|till|by|before|after|from|called|named) (?:the )?(?:\d|next\b|{MONTH}\b)[^,.;]*",
    re.IGNORECASE,
)
_YEAR: Final = lazy_pattern(r"\b(?:in|since|back in|early|mid|late)[ -](19\d\d|20\d\d)\b", re.IGNORECASE)
_LAST_MONTH_NAMED: Final = lazy_pattern(rf"\blast {MONTH}\b", re.IGNORECASE)
_LAST_YEAR: Final = lazy_pattern(r"\blast year\b", re.IGNORECASE)


def dated(candidate: Candidate, said: datetime) -> Candidate:
    """Return a candidate with the time since when it holds; one that tells itself stays as it is.

    Args:
        candidate: What was found in what somebody said.
        said: When they said it.
    """
    if candidate.valid_at is not None or candidate.invalid_at is not None:
        return candidate
    return replace(candidate, valid_at=held_since(candidate.content, said) or said)


def held_since(statement: str, said: datetime) -> datetime | None:
    """Return the beginning of the time that a change is dated by, if it is dated by one that lies behind.

    Example:
        >>> held_since("Ana moved to Lille last March", datetime(2026, 6, 1, tzinfo=UTC))
        datetime.datetime(2026, 3, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    since = _SINCE.search(statement[:MAX_CHARS])
    if len(statement) > MAX_CHARS or (since is None and _CHANGED.match(statement) is None):
        return None
    told = statement[since.start() :] if since is not None else _NOT_WHEN.sub(" ", statement)
    try:
        days = _days(told, said.astimezone(UTC))
    except (OverflowError, ValueError):  # a time outside the calendar
        return None
    if len(days) != 1:
        return None
    begins = datetime.combine(days.pop(), time(tzinfo=UTC))
    return begins if begins <= said else None


def ended(old: Memory | None, by: Memory, now: datetime) -> Mapping[str, Any]:
    """Return what becomes of a memory that another one replaces: it held until the other one began, or its own end.

    Where that one tells of a change that lies before the day from which the old one is known, the old one held before:
    "I live in Paris", said today, and then "I moved to Lille last March".

    Args:
        old: Is replaced.
        by: Replaces it.
        now: When.
    """
    ends = by.valid_at or now
    changes: dict[str, Any] = {"status": "superseded", "expired_at": now}
    is_earlier = old is not None and old.valid_at is not None and old.valid_at > ends
    if old is None or not is_earlier:
        return {**changes, "invalid_at": held_until(old, ends)}
    if held_since(by.content, by.created_at) == ends and held_since(old.content, old.created_at) is None:
        return {**changes, "valid_at": None, "invalid_at": ends}
    return {**changes, "invalid_at": held_until(old, ends)}


def held_until(old: Memory | None, ends: datetime) -> datetime:
    """Return until when a memory held for which another one stands from some time on: it has no day more, nor less.

    An end of its own that came before stays; what began later than that never held.
    """
    if old is None:
        return ends
    until = ends if old.invalid_at is None else min(ends, old.invalid_at)
    return until if old.valid_at is None else max(until, old.valid_at)


def _days(told: str, said: datetime) -> set[date]:
    """Return the days, or first days of months and years, that a text names."""
    today = said.date()
    named = dates_in(_SINCE.sub("", told), said)
    found = {_first(it, told, today) for it in named if not _is_still_open(it, today)}
    if not found:
        found = {date(int(year), 1, 1) for year in _YEAR.findall(told)}
    if not found and _LAST_YEAR.search(told):
        found = {date(today.year - 1, 1, 1)}
    return found


def _is_still_open(named: NamedDate | Period, today: date) -> bool:
    """Whether several days are named of which none is the first, or the last is no day before today: "before May"."""
    if not isinstance(named, Period):
        return False
    return named.first < named.last and (named.first <= 0 or named.last >= (today - _EPOCH).days)


def _first(named: NamedDate | Period, told: str, today: date) -> date:
    if isinstance(named, Period) or named.year is not None:
        return days_of(named, today)[0]
    is_before = named.day is None and named.month == today.month and _LAST_MONTH_NAMED.search(told) is not None
    first, _ = days_of(named, today)
    return first.replace(year=first.year - 1) if is_before and first.year == today.year else first
