"""What a receipt says of a recall: how it was planned, and every candidate, as far as there is room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Final, NamedTuple

from langchain_agentmem._search import NamedDate, Period
from langchain_agentmem.ledger.codec import EPOCH
from langchain_agentmem.long_term.recall.finding import Found
from langchain_agentmem.long_term.watching import ELEMENT_CHARS
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.types import Hit, RecallQuery, ReceiptLine
from langchain_agentmem.types.fitting import CHARS_PER_TOKEN

MAX_DROPPED: Final = 40
"""Dropped candidates with a line of their own: all of them, where five hits are wanted. A recall of a hundred hits
drops five hundred more at most, which would be most of what it writes, and is read by nobody."""

_DEFAULTS: Final = {field.name: field.default for field in fields(RecallQuery)}
_TEXTS: Final = ("text", "action", "task", "purpose")


class Lines(NamedTuple):
    """Lines of a receipt, and how many candidates have none, by the rule that dropped them."""

    listed: tuple[ReceiptLine, ...]
    unlisted: dict[str, int]


def lines_of(hits: Iterable[Hit], constraints: Iterable[Hit], dropped: Sequence[ReceiptLine]) -> Lines:
    """Return a line for each hit, in order, for each constraint, and for the best of what was dropped."""
    ranks = count(1)
    chosen = [line_of(hit, 0 if hit.neighbour_of else next(ranks)) for hit in hits]
    complete = [line_of(hit, 0) for hit in constraints]
    best = sorted(range(len(dropped)), key=lambda place: -dropped[place].score)[:MAX_DROPPED]
    told = {place: dropped[place] for place in sorted(best)}
    rest = Counter(line.dropped_by or "" for place, line in enumerate(dropped) if place not in told)
    return Lines((*chosen, *complete, *told.values()), dict(rest))


def plan_of(
    query: RecallQuery, found: Found, *, model: str | None, policy: SensitivePolicy | None = None
) -> dict[str, Any]:
    """Return how a recall was planned, JSON-like: what was asked, and how it was looked for."""
    plan: dict[str, Any] = {
        "query": _plain(query, policy or SensitivePolicy()),
        "index": found.index,
        "model": model,
        "revision": found.seen,
    }
    if query.planned_by is not None:
        plan["planner"] = plan["query"].pop("planned_by")
    if found.withheld:
        plan["withheld"] = found.withheld
    return plan if found.plan is None else {**plan, "conversations": _of_conversations(found)}


def query_of(plan: Mapping[str, Any]) -> RecallQuery:
    """Return what was asked, as far as a receipt's plan still knows it."""
    times = {"since", "until", "prefer_since", "prefer_until", "as_of", "asked_at"}
    values: dict[str, Any] = {
        name: datetime.fromisoformat(value) if name in times else value for name, value in plan.get("query", {}).items()
    }
    for name in ("kinds", "tags"):
        if values.get(name):
            values[name] = tuple(values[name])
    return RecallQuery(**{name: value for name, value in values.items() if not _was_taken(name, values)})


def _was_taken(name: str, values: Mapping[str, Any]) -> bool:
    """Whether an earlier release took a value that found nothing, and is refused by now."""
    since: datetime | None = values.get("since")
    if name == "kinds":
        return len(values[name]) == 0
    return name == "until" and since is not None and bool(since > values[name])


def line_of(hit: Hit, rank: int | None = None, dropped_by: str | None = None) -> ReceiptLine:
    """Return the line of a hit, or of what was nearly one."""
    linked = dict.fromkeys((*hit.memory.supersedes, *hit.memory.links, *hit.memory.contradicts, *hit.contradicts))
    return ReceiptLine(
        memory_id=hit.memory.id,
        score=hit.score,
        parts=hit.parts,
        rank=rank,
        dropped_by=dropped_by,
        linked=tuple(linked),
        beside=hit.neighbour_of,
        tokens=0 if rank is None else round((len(hit.memory.content) + ELEMENT_CHARS) / CHARS_PER_TOKEN),
    )


def _of_conversations(found: Found) -> dict[str, Any]:
    """Return how conversations were searched; the terms are only counted: they are words of the question."""
    plan = found.plan
    if plan is None:
        return {}
    told = {
        "revision": found.episode_revision,
        "terms": len(plan.terms),
        "speakers": [f"{speaker:016x}" for speaker in sorted(plan.speakers)],
        "dates": [_date(it) for it in plan.dates],
        "is_ordering": plan.is_ordering,
        "likelihood": found.likelihood,
    }
    return {name: value for name, value in told.items() if value not in ([], False, None)}


def _date(named: NamedDate | Period) -> str:
    """Return a date as a question names it: `2026-05-07`, `--05-07` of any year, `--05`, `first/last`, or `../last`."""
    if isinstance(named, Period):
        first, last = (EPOCH + timedelta(days=day) for day in (named.first, named.last))
        return f"{f'{first:%Y-%m-%d}' if named.first else '..'}/{last:%Y-%m-%d}"
    year = "-" if named.year is None else f"{named.year:04}"
    day = "" if named.day is None else f"-{named.day:02}"
    return f"{year}-{named.month:02}{day}"


def _plain(query: RecallQuery, policy: SensitivePolicy) -> dict[str, Any]:
    """Return the query as JSON-like values, without what was left at its default.

    A receipt is stored: what the write policy would not keep as a memory does not stay as a question either.
    """
    asked = {name: getattr(query, name) for name in _DEFAULTS}
    given = {name: value for name, value in asked.items() if value != _DEFAULTS[name]}
    protector = Protector(policy, "receipts", None)
    masked: dict[str, Any] = {name: protector.text(given[name]) for name in _TEXTS if given.get(name)}
    if "tags" in given:
        masked["tags"] = tuple(map(protector.text, given["tags"]))
    plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in given.items()}
    return {**plain, **masked}
