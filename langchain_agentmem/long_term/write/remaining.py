"""What remains of a memory that holds several things, of which a new one says that a part is over: kept by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow
from langchain_agentmem._stand_ins import TOKEN
from langchain_agentmem._vectors import Vector
from langchain_agentmem.english.people.own_words import embedded_text
from langchain_agentmem.ledger.base import Head, LedgerReader, LedgerWriter, Page
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.draughts import Draughted
from langchain_agentmem.long_term.write.lifting import MAX_FACTS
from langchain_agentmem.long_term.write.merges import REMAINS
from langchain_agentmem.long_term.write.revising import candidate_of
from langchain_agentmem.long_term.write.similar import Similar
from langchain_agentmem.policies.write import Ruling, hold
from langchain_agentmem.types import Candidate, GoalProgress, Memory, MemoryMode, Scope

_KNOWN: Final = Ruling(verdict="accept", rule=REMAINS, reason="it says nothing that was not known")
"""Of a goal without a part of its plan: no rule is asked again, and no consent to keep less than is kept."""

T = TypeVar("T")
Part: TypeAlias = str | GoalProgress
"""What is left of a memory: a part of its words, or all of them and a part of its plan."""

Demand = Callable[[Candidate, Scope, MemoryMode, Head], Ruling]


class Parted(NamedTuple):
    """Memories of which a part is over, what is left of each, by its id, and what says so.

    Attributes:
        by: Another memory; `None`: the user asked to forget that part.
    """

    of: Sequence[Memory]
    left: Mapping[str, Sequence[Part]]
    by: Memory | None = None

    @property
    def why(self) -> str:
        """Say why only a part is left."""
        if self.by is None:
            return "another part of it was forgotten"
        return f"memory {self.by.id} says that another part of it is over"


class Taken(NamedTuple):
    """What a memory takes the place of as it begins.

    Attributes:
        ended: Ids of what it replaces, and when.
        parted: Those of which it may end only a part.
        beside: What it may contradict and does not replace.
    """

    ended: Sequence[str]
    at: datetime
    by: Memory
    parted: Sequence[Memory] = ()
    left: Mapping[str, Sequence[str]] = {}
    beside: Sequence[Memory] = ()


class Rest(NamedTuple):
    """What remains, ready to be inserted or refused."""

    draughted: Draughted
    similar: Similar
    ruling: Ruling


class Unembedded(Exception):  # noqa: N818  (no error: the transaction is begun anew with what it lacks)
    """A transaction lacks the vectors of what remains of a memory; nothing of it is written."""

    def __init__(self, texts: Sequence[str], vectors: dict[str, Vector]) -> None:
        """Name what has no vector, and where it is looked for."""
        super().__init__(len(texts))
        self.texts, self.vectors = texts, vectors


def committed(parts: Parts, scope: Scope, body: Callable[[LedgerWriter], T]) -> Flow[T]:
    """Run `body` in one transaction; where it finds that something remains, once more with that embedded."""
    while True:
        try:
            return (yield from parts.ledger.append(scope, body))
        except Unembedded as lacking:
            if parts.embedder is None:
                raise
            found = yield from parts.embedder.documents([*lacking.texts])
            lacking.vectors.update(zip(lacking.texts, found, strict=True))


def rests(writer: LedgerWriter, draughted: Draughted, parted: Parted, demand: Demand) -> Iterator[Rest]:
    """Yield what remains of memories and is not known, and what a rule says of it.

    Args:
        writer: The transaction.
        draughted: With whose mode and vectors.
        parted: The memories, and what is left of them.
        demand: What the write policy says where it asks neither for evidence nor how much was written.

    Raises:
        Unembedded: It has no vectors yet.
    """
    told = [(old, remaining(old, part)) for old in parted.of for part in parted.left.get(old.id, ())]
    texts = [embedded_text(it, old.scope.user_id) for old, it in told]
    vectors = draughted.vectors
    lacking = [it for it in texts if vectors is not None and it not in vectors]
    if lacking and vectors is not None:
        raise Unembedded(lacking, vectors)
    for (old, candidate), text in zip(told, texts, strict=True):
        ruling = (
            _KNOWN if candidate.content == old.content else demand(candidate, old.scope, draughted.mode, writer.head)
        )
        if _is_known(writer, candidate, old):
            continue
        tokens = {**_held(writer, candidate), **ruling.tokens}
        rest = replace(draughted, candidate=ruling.candidate or candidate, scope=old.scope, tokens=tokens)
        rest = replace(rest, left_of=None if parted.by is None else old.id)
        if ruling.verdict == "refuse":
            yield Rest(rest, Similar(), ruling)
            continue
        reason = f"It is what remains of memory {old.id}: {parted.why}."
        given = replace(_KNOWN, reason=reason)
        if old.status == "pending":  # no part of it was believed yet
            given = hold(old.held_by or REMAINS, reason)
        related = [old] if parted.by is None else [parted.by, old]
        yield Rest(replace(rest, vector=(vectors or {}).get(text)), Similar(related=related), given)


def remaining(old: Memory, part: Part) -> Candidate:
    """Return what remains of a memory: as it was known, and without words that tell of the other part.

    Who erases what told of that has it erased here too, and who takes back what ended it takes nothing back of this.
    """
    origin = replace(old.provenance, evidence=None)
    if isinstance(part, GoalProgress):
        return candidate_of(old, {"goal": part, "provenance": origin})
    return candidate_of(old, {"content": part, "relation": None, "object": None, "provenance": origin})


def _held(writer: LedgerWriter, candidate: Candidate) -> dict[str, str]:
    """Return what the tokens of a candidate stand for: the memory that held them so far may end first."""
    text = "\n".join((candidate.content, *(candidate.goal.texts if candidate.goal else ())))
    found = {it: writer.sensitive.value(it) for it in TOKEN.findall(text)}
    return {token: value for token, value in found.items() if value is not None}


def _is_known(reader: LedgerReader, candidate: Candidate, old: Memory) -> bool:
    """Whether the same is in force in the same words, beside the memory that it remains of."""
    words = candidate.content.casefold().split()
    known = reader.page(Page(kinds=(candidate.kind,), limit=MAX_FACTS))
    others = (it for it in known if it.id != old.id and it.scope.agent_id == old.scope.agent_id)
    return any(it.content.casefold().split() == words for it in others)
