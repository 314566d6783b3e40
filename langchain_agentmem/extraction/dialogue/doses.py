"""A dose that is changed in words which leave out of what: "I take 50 mg of sertraline", and then "upped to 100"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.ending_words import TREATS
from langchain_agentmem.extraction.record.conversation import SKIPPED
from langchain_agentmem.extraction.sentences.clauses import Clause

_JUST: Final = r"(?:(?:now|just|recently|since|then|have|has|'ve|'s) ?){0,2}"
_CHANGED: Final = lazy_pattern(
    rf"(?:(?:{TREATS}|they|(?:he|she)(?! (?:went|is|was|got)\b)|I|we|it|that|the dose) ?{_JUST}"
    r"(?:(?:was|got|been|is|went) ){0,2})?"
    r"(?:(?P<more>upped|increased|raised|bumped|up)|(?P<less>lowered|reduced|decreased|cut|down)|changed|went)"
    r"(?: (?:it|that|this|the dose|my dose))?(?: (?:(?P<up>up)|(?P<down>down)|back))?(?: from \d[\w.]*(?: m[cg]?g)?)?"
    r" to (?P<dose>\d+(?:[.,]\d+)?\b)(?: ?(?P<unit>mg|mcg))?(?: (?:now|today|yesterday|(?:this|last) \w+))?[.! ]*",
    re.IGNORECASE,
)
_TAKEN: Final = lazy_pattern(
    r"I(?:'m| am)? (?:(?:now|currently) )?(?:take|taking|on) (?P<dose>\d+(?:[.,]\d+)?) ?(?P<unit>mg|mcg) (?:of )?"
    r"(?P<what>[^\W\d][\w-]+)(?!.*(?:,| and | or ))",
    re.IGNORECASE,
)
_OF_DOSES: Final = lazy_pattern(
    r"\b(?:dos(?:es?|age)|medic\w+|meds?|pills?|tablets?)\b|\d ?(?:mg|mcg)\b", re.IGNORECASE
)
_MOST: Final = 10
"""Times by which a dose may change at once; a larger change is one of something else."""

_THOUSANDS: Final = lazy_pattern(r",(?=\d{3}\b)")
_NUMBER: Final = lazy_pattern(r"\d")
"""Of two statements with numbers either may be meant: "my rent is 700, I take 50 mg", and then "they upped it"."""


def of_same_medicine(clause: Clause, said: Sequence[Clause], asked: str = "") -> Clause:
    """Return a clause that tells another dose as what is taken by now, of the one medicine that was told of last.

    Args:
        clause: As it was said.
        said: What the user stated last.
        asked: What the assistant asked right before, which may be about something else.

    Example:
        >>> before = Clause(text="I take 50 mg of sertraline", evidence="")
        >>> of_same_medicine(Clause(text="They upped it to 100", evidence=""), [before]).text
        'I take 100 mg of sertraline now'
    """
    found = _CHANGED.fullmatch(clause.text) if said and clause.speaker == "user" and not clause.is_ironic else None
    taken = _TAKEN.match(said[-1].text) if found else None
    numbered = [it for it in said if _NUMBER.search(it.text)]
    if found is None or taken is None or len(numbered) > 1 or not _is_likely(found, taken["dose"]):
        return clause
    if asked and taken["what"].casefold() not in asked.casefold() and _OF_DOSES.search(asked) is None:
        return clause
    unit = taken["unit"]
    if found["unit"] and found["unit"].casefold() != unit.casefold():
        return clause
    evidence = f"{said[-1].evidence}{SKIPPED}{clause.evidence}"
    ids = tuple(dict.fromkeys((*said[-1].message_ids, *clause.message_ids)))
    text = f"I take {found['dose']} {unit} of {taken['what']} now"
    return replace(clause, text=text, evidence=evidence, message_ids=ids, is_correction=True)


def _is_likely(changed: re.Match[str], before: str) -> bool:
    """Whether a number may be the dose that another one became: upped to more of it, cut to less."""
    old, new = (float(_THOUSANDS.sub("", it).rstrip(".,").replace(",", ".")) for it in (before, changed["dose"]))
    if changed["more"] or changed["up"]:
        return old < new <= old * _MOST
    if changed["less"] or changed["down"]:
        return new < old <= new * _MOST
    return max(old, new) <= min(old, new) * _MOST
