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
    rf"(?:(?:{TREATS}|they|he|she|I|we|it|that|the dose) ?{_JUST}(?:(?:was|got|been|is|went) ){{0,2}})?"
    r"(?:upped|increased|raised|bumped|lowered|reduced|decreased|cut|changed|went|up|down)"
    r"(?: (?:it|that|this|the dose|my dose))?(?: (?:up|down|back))?(?: from \d[\w.]*(?: m[cg]?g)?)?"
    r" to (?P<dose>\d[\d.,]*\b)(?: ?(?P<unit>mg|mcg))?(?: (?:now|today|yesterday|(?:this|last) \w+))?[.! ]*",
    re.IGNORECASE,
)
_TAKEN: Final = lazy_pattern(
    r"I(?:'m| am)? (?:(?:now|currently) )?(?:take|taking|on) \d[\d.,]* ?(?P<unit>mg|mcg) (?:of )?"
    r"(?P<what>[^\W\d][\w-]+)(?!.*(?:,| and | or ))",
    re.IGNORECASE,
)
_NUMBER: Final = lazy_pattern(r"\d")
"""Of two statements with numbers either may be meant: "my rent is 700, I take 50 mg", and then "they upped it"."""


def of_same_medicine(clause: Clause, said: Sequence[Clause]) -> Clause:
    """Return a clause that tells another dose as what is taken by now, of the one medicine that was told of last.

    Args:
        clause: As it was said.
        said: What the user stated last.

    Example:
        >>> before = Clause(text="I take 50 mg of sertraline", evidence="")
        >>> of_same_medicine(Clause(text="They upped it to 100", evidence=""), [before]).text
        'I take 100 mg of sertraline now'
    """
    found = _CHANGED.fullmatch(clause.text) if said and clause.speaker == "user" and not clause.is_ironic else None
    taken = _TAKEN.match(said[-1].text) if found else None
    numbered = [it for it in said if _NUMBER.search(it.text)]
    if found is None or taken is None or len(numbered) > 1:
        return clause
    unit = taken["unit"]
    if found["unit"] and found["unit"].casefold() != unit.casefold():
        return clause
    evidence = f"{said[-1].evidence}{SKIPPED}{clause.evidence}"
    ids = tuple(dict.fromkeys((*said[-1].message_ids, *clause.message_ids)))
    text = f"I take {found['dose']} {unit} of {taken['what']} now"
    return replace(clause, text=text, evidence=evidence, message_ids=ids, is_correction=True)
