"""How a numbered thing stands: "ticket T-7 is solved", "my order A-118 never arrived"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from langchain_agentmem.extraction.clauses import Clause
from langchain_agentmem.extraction.quarantine import MASK
from langchain_agentmem.extraction.rulebook import Draft, candidate
from langchain_agentmem.extraction.voice import Voice
from langchain_agentmem.types import Candidate

_PLAIN: Final = Voice()
_THING: Final = (
    r"(?:(?:support )?ticket|case|issue|bug|order|claim|request|complaint|refund|invoice|shipment|parcel|package"
    r"|return|pull request|pr)"
)
_STATES: Final = (
    r"(?P<state>open|reopened|pending|blocked|unresolved|solved|resolved|closed|fixed|settled|cancell?ed|refunded|paid"
    r"|unpaid|overdue|delivered|delayed|lost|shipped|returned|merged|approved|rejected|arrived)"
)
_CASE: Final = re.compile(
    rf"(?:(?:my|our|the|this|and) ){{0,2}}(?P<thing>{_THING}) (?:(?:number|no\.?|id) )?(?P<id>#?(?=[\w-]*\d)[\w-]+)"
    r"(?:'s| is| was| has been| has| got)? (?:(?:still|now|finally|already|just|been|marked|again) ){0,2}"
    rf"(?:{_STATES}|(?P<missing>(?:has )?never (?:been )?(?:arrived|delivered)|(?:did not|didn't) arrive"
    r"|(?:has not|hasn't|was not|wasn't) (?:been )?(?:arrived|delivered)))"
    r"(?P<when> (?:yet|now|again|today|yesterday|this (?:morning|week)|last \w+|on \w+|at last|finally))?",
    re.IGNORECASE,
)


def of_cases(clause: Clause) -> Iterator[Candidate]:
    """Yield how a case with a number stands: it has one status at a time, so that the next one supersedes it."""
    found = None if clause.is_ironic or clause.setting or MASK in clause.text else _CASE.fullmatch(clause.text)
    if found is None:
        return
    said = clause.text if found["when"] is None else clause.text[: found.start("when")]
    draft = Draft(kind="fact", content=_PLAIN.retell(said), is_correction=clause.is_correction)
    state = "missing" if found["state"] is None else found["state"].casefold()
    subject = f"{found['thing'].casefold()} {found['id'].lstrip('#')}"
    yield replace(candidate(draft, clause, _PLAIN), subject=subject, relation="status", object=state)
