"""How a numbered thing stands: "ticket T-7 is solved", "my order A-118 never arrived"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.extraction.books.rulebook import Draft, candidate
from langchain_agentmem.extraction.record.quarantine import MASK
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import Voice
from langchain_agentmem.types import Candidate

_PLAIN: Final = Voice()
_AT_DESK: Final = r"(?:support )?ticket|case|issue|bug|incident|alert|request|complaint|claim|task|story"
_GOODS: Final = r"order|shipment|parcel|package|return"
_BILLS: Final = r"invoice|refund"
_CHANGES: Final = r"pull request|merge request|pr|mr"
_RELEASES: Final = r"release|deployment|deploy|rollout|build|pipeline|migration"
_LESSONS: Final = r"exercise|assignment|chapter|lesson|unit|quiz|milestone|sprint"
_THING: Final = rf"(?:{_AT_DESK}|{_GOODS}|{_BILLS}|{_CHANGES}|{_RELEASES}|{_LESSONS})"

_ANY_STATE: Final = (
    r"open|pending|blocked|approved|rejected|cancell?ed|delayed|done|finished|complete|completed|overdue"
)
_STATES_OF: Final[tuple[tuple[str, str], ...]] = (
    (_AT_DESK, r"reopened|unresolved|solved|resolved|closed|fixed|settled|assigned|escalated|merged"),
    (_GOODS, r"delivered|lost|shipped|returned|arrived|refunded|paid|unpaid"),
    (_BILLS, r"paid|unpaid|refunded|settled|issued|sent"),
    (_CHANGES, r"merged|closed|reopened|reverted|deployed"),
    (_RELEASES, r"broken|fixed|failing|failed|rolled back|reverted|deployed|released|live|passing|green|red"),
    (_LESSONS, r"solved|graded|submitted|passed|failed|closed"),
)
_STATES: Final = "|".join(dict.fromkeys("|".join((_ANY_STATE, *(it for _, it in _STATES_OF))).split("|")))
_BECAME: Final = r"(?P<became> (?:is|was|has been|has|got))"
_ADVERBS: Final = r"(?:(?:still|now|finally|already|just|been|marked|again) ){0,2}"
_MISSING: Final = (
    r"(?P<missing>(?:has )?never (?:been )?(?:arrived|delivered)|(?:did not|didn't) arrive"
    r"|(?:has not|hasn't|was not|wasn't) (?:been )?(?:arrived|delivered))"
)
_WHEN: Final = r"(?P<when> (?:yet|now|again|today|yesterday|this (?:morning|week)|last \w+|on \w+|at last|finally))?"
_ID: Final = r"#?(?=[\w.-]*\d)[\w-](?:[\w.-]*\w)?"
_NUMBERED: Final = rf"(?P<thing>{_THING}) (?:(?:number|no\.?|id) )?(?P<id>{_ID})"
_STANDS: Final = rf"(?:'s|{_BECAME})? {_ADVERBS}(?:(?P<over>no longer )?(?P<state>{_STATES})|{_MISSING}){_WHEN}"
_CASE: Final = lazy_pattern(rf"(?:(?:my|our|the|this|and) ){{0,2}}{_NUMBERED}{_STANDS}", re.IGNORECASE)
_MENTION: Final = lazy_pattern(rf"(?:\b(?:my|our) )?\b{_NUMBERED}", re.IGNORECASE)
_IT: Final = lazy_pattern(
    rf"(?:and |but )?(?:it|(?:the|this|that) (?P<named>{_THING}))(?P<said>{_STANDS})", re.IGNORECASE
)
_SAME: Final = {"done": "finished"}
"""A state by another name: "done" alone is no word that statements are compared by."""

_CONDITIONS: Final = frozenset("open pending blocked live green red overdue broken unpaid unresolved".split())
"""What somebody says "was" so is over; what "was rejected" is so since."""


class Case(NamedTuple):
    """A thing with a number, as it was named."""

    thing: str
    shown: str


def of_cases(clause: Clause) -> Iterator[Candidate]:
    """Yield how a case with a number stands: it has one status at a time, so that the next one supersedes it."""
    found = None if clause.is_ironic or clause.setting or MASK in clause.text else _CASE.fullmatch(clause.text)
    if found is None:
        return
    state = "missing" if found["state"] is None else found["state"].casefold()
    if _is_past(found["became"], state):
        return
    said = clause.text if found["when"] is None else clause.text[: found.start("when")]
    draft = Draft(kind="fact", content=_PLAIN.retell(_result(said, found)), is_correction=clause.is_correction)
    state = f"not {state}" if found["over"] else _SAME.get(state, state)
    subject = f"{found['thing'].casefold()} {found['id'].lstrip('#')}"
    yield replace(candidate(draft, clause, _PLAIN), subject=subject, relation="status", object=state)


def one_case(text: str) -> Case | None:
    """Return the one numbered thing that a text names; `None` where it names several or none."""
    found = {it["id"].casefold(): it for it in _MENTION.finditer(text)}
    if len(found) != 1:
        return None
    [only] = found.values()
    return Case(only["thing"].casefold(), only[0])


def status_of_it(text: str, case: Case) -> str | None:
    """Return what a clause says of "it", with the case in its place; `None` where that says nothing of such a case."""
    found = _IT.fullmatch(text)
    if found is None or (found["named"] or case.thing).casefold() != case.thing:
        return None
    state = (found["state"] or "delivered").casefold()
    states = next(it for things, it in _STATES_OF if re.fullmatch(things, case.thing))
    said = re.sub(r"\A's\b", " is", found["said"])
    return f"{case.shown}{said}" if re.fullmatch(f"{_ANY_STATE}|{states}", state) else None


def _is_past(became: str | None, state: str) -> bool:
    return (became or "").strip().casefold() == "was" and state in _CONDITIONS


def _result(said: str, found: re.Match[str]) -> str:
    """Return "was fixed" as "has been fixed": it is so since then."""
    if (found["became"] or "").casefold() != " was" or found["missing"] is not None:
        return said
    start, end = found.span("became")
    return f"{said[:start]} has been{said[end:]}"
