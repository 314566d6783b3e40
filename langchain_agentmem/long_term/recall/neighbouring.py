"""Turns that were said beside what is found: they come along, marked, from the same conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import EpisodeQuery, Proposal
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.finding import Found
from langchain_agentmem.long_term.recall.judging import Judged, standing
from langchain_agentmem.long_term.recall.replaced import replaced_among
from langchain_agentmem.long_term.said.words import FoundEpisodes, Words
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.sourcing import marked
from langchain_agentmem.types import Hit, RecallQuery, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsBeside:
    """What was said beside hits.

    Attributes:
        of: By the id of a hit, the ids of the turns around it, in the order of the conversation.
        turns: Those turns, with their words, and the state of the conversations in which they were read.
        marks: What they update, and what updated them.
    """

    of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    turns: FoundEpisodes = field(default_factory=FoundEpisodes)
    marks: Sequence[Proposal] = ()


def read_beside(
    parts: Parts, query: RecallQuery, scope: Scope, hits: Iterable[Hit], without: frozenset[str]
) -> Flow[TurnsBeside]:
    """Return what was said around hits, in their own conversation and by the same agent, and with what updated it.

    Args:
        parts: Of long-term memory.
        query: What was asked: it says how many turns on either side.
        scope: Whose.
        hits: What is to be returned; some of them are turns.
        without: Ids of turns that the asker has before them.
    """
    turns, at = [hit.memory.id for hit in hits if hit.memory.kind == "episode"], parts.clock()
    now, as_of = to_micros(at) or 0, to_micros(query.as_of or at)
    around = yield from parts.episodes.around(scope, turns, query.neighbours, now)
    of = {turn: tuple(it for it in near if it not in without) for turn, near in around.items()}
    found = yield from Words(parts).get(scope, dict.fromkeys(chain.from_iterable(of.values())))
    purposes = () if query.purpose is None else (query.purpose,)
    asked = EpisodeQuery(terms=b"", now=now, agent_id=scope.agent_id, purposes=purposes, as_of=as_of)
    marks = yield from parts.episodes.marks(scope, list(found.episodes), asked)
    return TurnsBeside(of=of, turns=found, marks=marks)


def add_neighbours(
    judged: Judged, beside: TurnsBeside, found: Found, reader: LedgerReader, admission: Admission
) -> None:
    """Put the turns around each hit right behind it, each turn once, as far as they are still there."""
    turns = beside.turns
    here = standing(reader, turns, beside.marks, turns.revision)
    stale = replaced_among(reader, admission, here.values())
    taken = {hit.memory.id for hit in judged.hits}
    with_neighbours: list[Hit] = []
    for hit in judged.hits:
        turn = found.turns.episodes.get(hit.memory.id)
        with_neighbours.append(hit if turn is None else replace(hit, place=turn.place))
        for memory in (here[it] for it in beside.of.get(hit.memory.id, ()) if it in here and it not in taken):
            if admission.objection(memory) is None:
                taken.add(memory.id)
                neighbour = Hit(memory=marked(memory, stale), score=0.0, parts={"neighbour": 1.0})
                place = turns.episodes[memory.id].place
                with_neighbours.append(replace(neighbour, place=place, neighbour_of=hit.memory.id))
    judged.hits = with_neighbours
    judged.dropped = [line for line in judged.dropped if line.memory_id not in taken]
