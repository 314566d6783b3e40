"""A move told in two breaths: "We moved house, we're in Leeds now", "I used to live in Rome, now I'm in Turin"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import CAPITAL, SAINT
from langchain_agentmem.extraction.record.conversation import SKIPPED
from langchain_agentmem.extraction.sentences.clauses import Clause

_TOWN: Final = rf"{SAINT}?{CAPITAL}[\w'-]*(?: {CAPITAL}[\w'-]*)?"
_MOVED: Final = lazy_pattern(
    r"\b(?P<said>(?P<who>I|we)(?:(?:['\u2019]ve| have)?(?: just| finally)? moved(?: house| home| flat)?"
    rf"(?: (?:away from|out of|from) {_TOWN})?(?: (?:last|this) \w+| yesterday| recently)?"
    rf"| used to live in {_TOWN}))(?:[,.!;]+|,? (?:and|so|but)| [-\u2013])? ?$",
    re.IGNORECASE,
)
_THERE: Final = lazy_pattern(
    r"(?:(?:I|we)(?:['\u2019](?:m|re)| am| are) )?(?:now )?(?:living )?in "
    rf"(?P<place>{_TOWN})(?: now)?[.! ]*",
    re.IGNORECASE,
)


def moved_there(clause: Clause) -> Clause:
    """Return a clause that tells where somebody is by now as the move that was told right ahead of it."""
    there = _THERE.fullmatch(clause.text) if clause.speaker == "user" and not clause.is_ironic else None
    moved = None if there is None else _MOVED.search(clause.since.partition(clause.evidence)[0])
    if there is None or moved is None:
        return clause
    evidence = f"{moved['said']}{SKIPPED}{clause.evidence}"
    who = "I" if moved["who"] in {"I", "i"} else "We"
    return replace(clause, text=f"{who} moved to {there['place']}", evidence=evidence, is_correction=True)
