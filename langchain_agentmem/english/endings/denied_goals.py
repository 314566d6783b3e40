"""Goals that are given up: "does not want to run a marathon any more" ends one goal, and begins none. English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.pair import LIGHT_STEMS
from langchain_agentmem.english.reading.statements import Statement, parse_statement
from langchain_agentmem.english.words.lexicon import stem

MAX_DENIAL_CHARS: Final = 400
"""Of a sentence that gives something up; a longer text is no single statement."""

_NO_LONGER: Final = frozenset(stem(word) for word in ("any", "more", "anymore", "longer"))
_PURSUING: Final = frozenset(
    stem(word)
    for word in """
    want wish plan intend aim hope need mean try go will would look work train prepare practice save study strive aspire
    dream goal object objective target ambition idea project intention resolution pursue continue keep give up stop quit
    abandon drop out pull withdrew withdraw cancel scrap shelve lost interest interested decide decided against change
    mind changed forget forgot
    """.split()
)
"""Ways to say that something is pursued, or no more; what is pursued are the other words."""

_TRIPS: Final = {stem(it): stem("trip") for it in ("travel", "journey", "visit", "holiday", "vacation")}
"""Words for one way of going somewhere."""

_NO_PART: Final = frozenset(stem(word) for word in "half full quarter mini ultra double triple second third".split())
"""What stands before a thing and makes another of it: who gives up "the marathon" may still run the half one."""

_VERBS: Final = (
    r"(?:wants|wishes|plans|intends|aims|hopes|needs|tries|would|will|is|has|does|no longer|never|gave|stopped|quit"
    r"|lost|abandoned|dropped|pulled|withdrew|cancell?ed|scrapped|shelved|changed|decided|dreams|aspires|strives|finally|really)"
)
_WHO: Final = lazy_pattern(
    rf"^(?:(?:(?:the )?user|the team|[^\W\d_a-z][\w.-]*)(?:['\u2019]s)?(?: [\w.'\u2019-]+){{0,2}}? (?={_VERBS}\b)"
    r"|(?:I|we|my|our)(?:['\u2019]\w+)? )",
)
_SUBJECT: Final = r"^(?:(?!to\b|of\b|wants?\b|wish\b|plans?\b)[\w.'\u2019-]+ ){1,4}?"
_HAS: Final = r"(?:(?:has|have|had|also|just|now|finally|really|completely|officially) ){0,3}"
_ENDED: Final = lazy_pattern(
    rf"{_SUBJECT}{_HAS}(?:gave up|given up|(?:is|are|am|['\u2019]m) giving up|stopped|quit|abandoned"
    r"|(?:dropped|pulled) out of|withdrew from|dropped|cancell?ed"
    r"|called off|scrapped|shelved|lost interest in|decided (?:against|not to"
    r"|(?:that )?(?:I|we|they)(?: am| are|['\u2019](?:m|re)| will) not)|changed (?:\w+ )?minds? about)\b",
    re.IGNORECASE,
)
_NO_MORE: Final = lazy_pattern(
    r"^(?:(?!\bto\b)[^.!?;\n])*?\b(?:no longer\b"
    r"|(?:not|\w+n['\u2019]t|never)\b[^.!?;\n]*\b(?:any ?more|any longer|after all)\b)"
    r"|\bno longer (?:\w+ ){0,2}?(?:[\w'\u2019]+ )?(?:goal|plan|dream|aim|ambition)\b",
    re.IGNORECASE,
)
_FOR_IT: Final = lazy_pattern(r"\b(?:training|preparing|practi[cs]ing|saving(?: up)?|studying) for\b", re.IGNORECASE)
"""What one does for the sake of what is named behind it, which is what one pursues."""

_WHEN: Final = lazy_pattern(
    r"\s(?:in|by|before|within|until|this|next|after|during|at|with|because|so|over|per|every|on|for)\s.*$",
    re.IGNORECASE | re.DOTALL,
)
_AFTERTHOUGHT: Final = lazy_pattern(
    r"(?:,.*|,? (?:(?:is|are) no longer [^.]*?\b(?:goal|plan|dream|aim|ambition)\b.*|any ?more|any longer|after all|now"
    r"|because .*|since .*|but .*|as .*|and .*))$",
    re.IGNORECASE,
)


def is_given_up(text: str) -> bool:
    """Whether a sentence about a goal says that it is pursued no more.

    Example:
        >>> is_given_up("Ana gave up on learning French")
        True
        >>> is_given_up("Ana wants to give up sugar")
        False
    """
    plain = text.strip()
    if len(plain) > MAX_DENIAL_CHARS:
        return False
    return _ENDED.match(plain) is not None or _NO_MORE.search(plain) is not None


def given_up(denial: str, goals: Sequence[str]) -> tuple[int, ...]:
    """Return which goals a denial ends, by their places.

    What is named in full is meant before what is named in part: "run a marathon" before "run a marathon in June". Who
    names no more than a thing ("the exam") means the one goal that is about it; where there are two, none is ended.

    Args:
        denial: A sentence that gives a goal up.
        goals: What is pursued.
    """
    said = _Aim(_AFTERTHOUGHT.sub("", denial.strip().rstrip(".!")))
    if not said.words:
        return ()
    ranks = [_rank(said, _Aim(goal[:MAX_DENIAL_CHARS])) for goal in goals]
    best = min((rank for rank in ranks if rank is not None), default=None)
    found = tuple(place for place, rank in enumerate(ranks) if rank is not None and rank == best)
    return found if len(found) == 1 or best in {_WHOLE, _BROADER} else ()


_WHOLE, _BROADER, _THING, _HEAD = range(4)


@dataclass(frozen=True)
class _Aim:
    """What somebody pursues, without who and how."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        return _aim(parse_statement(self._bare))

    @cached_property
    def core(self) -> tuple[str, ...]:
        """Without when, where and with whom."""
        return _aim(parse_statement(_WHEN.sub("", _FOR_IT.sub("", self._bare))))

    @property
    def things(self) -> tuple[frozenset[str], frozenset[str]]:
        """What it is about, without what is done with it: without and with when and where."""
        doing = 0 if _FOR_IT.search(self._bare) else 1
        return frozenset(self.core[doing:]), frozenset(self.words[doing:])

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return parse_statement(self._bare).numbers

    @property
    def _bare(self) -> str:
        return _WHO.sub("", self.text.strip(), count=1)


def _aim(statement: Statement) -> tuple[str, ...]:
    left = LIGHT_STEMS | _NO_LONGER | _PURSUING
    return tuple(dict.fromkeys(_TRIPS.get(term, term) for term in statement.content if term not in left))


def _rank(said: _Aim, goal: _Aim) -> int | None:
    """Return how well a denial names a goal, the smaller the better; `None` where it means another."""
    if set(said.words) == set(goal.words) and sorted(said.numbers) == sorted(goal.numbers):
        return _WHOLE
    if said.numbers and sorted(said.numbers) != sorted(goal.numbers):
        return None
    if set(said.words) == set(goal.core) and sorted(said.numbers) in ([], sorted(goal.numbers)):
        return _BROADER
    thing, whole = goal.things
    if set(said.words) in (thing, whole):
        return _THING
    is_head = bool(thing) and said.words[-1] == goal.core[-1] and set(said.words) < thing
    return _HEAD if is_head and not (thing - set(said.words)) & _NO_PART else None


# ------------------------------------------------------------------------------------------- beside what is pursued
def is_other_side(new: Statement, old: Statement) -> bool:
    """Whether one of them says "not", and the other does not."""
    return new.negations % 2 != old.negations % 2


def is_denial(new: Statement, old: Statement) -> bool:
    """Whether the new one says "not" of what the old one claims."""
    return new.negations % 2 == 1 and is_other_side(new, old)


def is_word_for_word(new: Statement, old: Statement) -> bool:
    """Whether nothing but a "not" differs: another distance, month or language is another goal."""
    words = [frozenset(it.content) - LIGHT_STEMS - _NO_LONGER for it in (new, old)]
    return words[0] == words[1] and sorted(new.numbers) == sorted(old.numbers)
