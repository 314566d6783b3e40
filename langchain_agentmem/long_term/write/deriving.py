"""What is concluded from several memories: written by the one path that writes any, with its sources named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.ledger.base import Head, LedgerWriter, state_of
from langchain_agentmem.long_term.index.searching import Searching
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.draughts import Draughted, Then, refusal_of
from langchain_agentmem.long_term.write.similar import Similar
from langchain_agentmem.long_term.write.superseding import CONSOLIDATED, stood_for
from langchain_agentmem.long_term.write.writing import Writing
from langchain_agentmem.policies.write import Ruling
from langchain_agentmem.types import Candidate, Decision, Memory, Scope, Source

MERGED: Final[Source] = "merged"

CHANGED: Final = Ruling(verdict="refuse", rule="changed", reason="One of them was changed meanwhile.")
"""Where a source was changed, replaced, forgotten or erased since it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A conclusion.

    Attributes:
        candidate: As the policy judges it; it names in `supersedes` what it takes the place of.
        sources: The memories it is concluded from, as they were read; it is linked with those that stay.
        sightings: Independent ones that it rests on.
        is_merge: It says what its sources said, and is marked so.
        reason: For `why`; names the sources.
    """

    candidate: Candidate
    sources: Sequence[Memory]
    sightings: int = 1
    is_merge: bool = True
    reason: str


class Deriving:
    """Writes conclusions. Where the policy does not accept one, nothing is written and nothing is logged.

    Nobody asked for it: so what objects now is no event, and the same conclusion may be drawn another time.
    """

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._writing = Writing(parts, searching)

    def foresee(self, derived: Derived, scope: Scope, head: Head) -> Decision:
        """Return what would become of a conclusion: nothing is written."""
        ruling = self._ruling(derived, scope, head)
        if ruling.verdict != "accept":
            return refusal_of(ruling)
        return Decision(verdict="written", rule=CONSOLIDATED, reason=derived.reason)

    def derive(self, derived: Derived, scope: Scope, check: Then) -> Flow[Decision]:
        """Write a conclusion, if its sources are what they were and the policy accepts it; else say by which rule not.

        Args:
            derived: What is concluded.
            scope: Whose.
            check: Called first in the transaction; raises where it must not write.
        """
        head, models = yield from self._parts.ledger.read_prepared(scope, state_of)
        ruling = self._ruling(derived, scope, head)
        if ruling.verdict != "accept":
            return refusal_of(ruling)
        mode = self._parts.effective_mode(scope, None)
        plain = yield from self._writing.draught(ruling.candidate or derived.candidate, scope, mode, head, models)
        draughted = Draughted(
            candidate=plain.candidate,
            scope=scope,
            mode=mode,
            seen=plain.seen,
            vector=plain.vector,
            ends=stood_for,
            sightings=derived.sightings,
        )

        def write(writer: LedgerWriter) -> Decision:
            check(writer)
            return self._write(writer, draughted, derived)

        decision = yield from self._parts.ledger.append(scope, write)
        yield from self._searching.follow()
        return decision

    def _write(self, writer: LedgerWriter, draughted: Draughted, derived: Derived) -> Decision:
        known = writer.memories(it.id for it in derived.sources)
        if any(it.id not in known or known[it.id].revision != it.revision for it in derived.sources):
            return refusal_of(CHANGED)
        ruling = self._ruling(derived, draughted.scope, writer.head)
        if ruling.verdict != "accept":
            return refusal_of(ruling)
        stays = [it for it in known.values() if it.id not in derived.candidate.supersedes]
        linked = writer.memories({id_ for it in derived.sources for id_ in it.links} - known.keys())
        related = [*stays, *(it for it in linked.values() if it.status == "active")]
        candidate = ruling.candidate or derived.candidate
        written = replace(draughted, candidate=replace(candidate, source=MERGED) if derived.is_merge else candidate)
        given = Ruling(verdict="accept", rule=CONSOLIDATED, reason=derived.reason)
        return self._writing.insert(writer, written, Similar(related=related), given)

    def _ruling(self, derived: Derived, scope: Scope, head: Head) -> Ruling:
        """Return what the write policy says of a conclusion."""
        context = self._writing.context(scope, self._parts.effective_mode(scope, None), head)
        return self._parts.policy.decide(derived.candidate, replace(context, sightings=derived.sightings - 1))
