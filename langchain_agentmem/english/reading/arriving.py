"""What is to come, and has come: who lives in York by now is moving there no more."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.reading.facts import MOVING, Fact
from langchain_agentmem.english.reading.pair import Judgement, Pair
from langchain_agentmem.english.reading.reading import USER
from langchain_agentmem.english.words.lexicon import stem

_HOME: Final = "lives_in"
_GROUPS: Final = frozenset(map(stem, ("family", "group", "team")))


def arrived(pair: Pair) -> Judgement | None:
    """Judge a home that is told now against a move there that was to come."""
    if pair.old.words.isdisjoint(MOVING):
        return None
    homes = [it for it in pair.new.facts if it.relation == _HOME and it.is_certain]
    moves = [it for it in pair.old.facts if it.relation == _HOME and not it.is_certain]
    if not any(_is_there(pair, home, move) for home in homes for move in moves):
        return None
    return Judgement(relation="conflict", rule="arrived", reason="who lives there by now is moving there no more")


def _is_there(pair: Pair, home: Fact, move: Fact) -> bool:
    """Whether a home is where a move leads, of the same household: a name of both is that of the place."""
    names = {stem(it) for it in pair.new.entities & pair.old.entities}
    return _who(home) == _who(move) and bool(names & home.words & move.words)


def _who(fact: Fact) -> frozenset[str]:
    """Return whom a fact is about; a group of theirs moves with them."""
    about = frozenset(fact.subject.split()) - _GROUPS
    return frozenset({USER}) if about == {"we"} else about


def mastered(pair: Pair) -> Judgement | None:
    """What was hard is learned, or hard again; of the same thing, by every telling word."""
    new, old = pair.new, pair.old
    is_over = bool(new.learned) and new.learned == old.difficult
    is_back = bool(new.difficult) and new.difficult == old.learned
    if not (is_over or is_back) or not pair.subjects_agree:
        return None
    return Judgement(
        relation="conflict", rule="mastered", reason="what is hard for somebody, they have not yet learned"
    )
