"""How much of what answers a question was found: by units, by sessions, and by updates; in percent, with intervals."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from _questions import Conversation, Question
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from langchain_agentmem.types import Recall

DEPTH: Final = 100
"""Hits asked for: enough to see five sessions."""

CUTS: Final = (5, 10, 20)
SESSIONS: Final = 5
RESAMPLES: Final = 2_000
LOCOMO_ASIDE: Final = "adversarial"
UPDATED: Final = frozenset({"all", "knowledge_update"})

Line = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one question found: shares by cut, and whether one of its sessions is among the first five."""

    category: str
    found: dict[int, float]
    session_hit: bool
    update_in_top5: bool | None = None
    update_above_stale: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the messages of a conversation are: their unit and their session."""

    unit: dict[str, str]
    session: dict[str, str]

    @classmethod
    def of(cls, conversation: Conversation) -> Places:
        """Number the units: each message of a person begins one."""
        unit: dict[str, str] = {}
        session: dict[str, str] = {}
        for talk in conversation.sessions:
            current = ""
            for message in talk.messages:
                name = str(message.id)
                current = name if isinstance(message, HumanMessage) or not current else current
                unit[name], session[name] = current, talk.id
        return cls(unit=unit, session=session)

    def units(self, recall: Recall) -> list[str]:
        """Return the units of what was found, best first, each once."""
        named = (name for hit in recall for name in hit.memory.provenance.message_ids[:1])
        return list(dict.fromkeys(self.unit[name] for name in named if name in self.unit))


def search(memory: AgentMemory, scope: Scope, question: Question) -> Recall:
    """Ask one question of a user's conversations."""
    query = RecallQuery(text=question.text, kinds=("episode",), limit=DEPTH, asked_at=question.asked_at)
    return memory.long_term.recall(query, scope=scope)


def judge(recall: Recall, question: Question, places: Places) -> Answer:
    """Hold what was found against what answers the question."""
    units = places.units(recall)
    wanted = {places.unit[name] for name in question.evidence}
    sessions = list(dict.fromkeys(places.session[unit] for unit in units))[:SESSIONS]
    in_top, above = _update(units, question, places)
    return Answer(
        category=question.category,
        found={cut: len(wanted.intersection(units[:cut])) / len(wanted) for cut in CUTS},
        session_hit=not {places.session[name] for name in question.evidence}.isdisjoint(sessions),
        update_in_top5=in_top,
        update_above_stale=above,
    )


def _update(units: list[str], question: Question, places: Places) -> tuple[bool | None, bool | None]:
    stale = {places.unit[name] for name in question.stale}
    updated = {places.unit[name] for name in question.updated} - stale
    if not stale or not updated:
        return None, None
    rank = {unit: place for place, unit in enumerate(units)}
    best = min(rank.get(unit, DEPTH) for unit in updated)
    return best < CUTS[0], best < min(rank.get(unit, DEPTH) for unit in stale)


# ------------------------------------------------------------------------------------------------------------- lines
def report(data: str, mode: str, answers: Sequence[Answer]) -> Iterator[Line]:
    """Yield the lines of one data set: all, and each category."""
    by_category: defaultdict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_category[answer.category].append(answer)
    counted = [it for it in answers if not (data == "locomo" and it.category == LOCOMO_ASIDE)]
    yield _line(data, mode, "all", counted) | {"session_hit@5": percent(it.session_hit for it in answers)}
    for category, group in by_category.items():
        yield _line(data, mode, category, group)


def _line(data: str, mode: str, category: str, answers: Sequence[Answer]) -> Line:
    line: Line = {"data": data, "mode": mode, "category": category, "n": len(answers)}
    line |= {f"R@{cut}": percent(it.found[cut] for it in answers) for cut in CUTS}
    line["session_hit@5"] = percent(it.session_hit for it in answers)
    line["ci95_R@10"] = interval([it.found[10] for it in answers])
    updates = [it for it in answers if it.update_in_top5 is not None]
    if data == "beam" and category in UPDATED:
        line["n_updates"] = len(updates)
        line["update_in_top5"] = percent(bool(it.update_in_top5) for it in updates)
        line["update_above_stale"] = percent(bool(it.update_above_stale) for it in updates)
    return line


def percent(values: Iterable[float]) -> float | None:
    """Return the mean in percent; `None` of nothing."""
    every = list(values)
    return round(100 * sum(every) / len(every), 1) if every else None


def interval(values: Collection[float]) -> list[float]:
    """Return the 95 % interval of the mean in percent, by drawing as many values again and again; none of nothing."""
    every, rng = list(values), random.Random(1)  # noqa: S311  (resampling, not a secret)
    if not every:
        return []
    means = sorted(sum(rng.choices(every, k=len(every))) / len(every) for _ in range(RESAMPLES))
    return [round(100 * means[int(RESAMPLES * share)], 1) for share in (0.025, 0.975)]
