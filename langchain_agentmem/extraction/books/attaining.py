"""Ways of saying that a goal is reached; the write policy finds out which one."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.endings.reached_goals import ACHIEVED, ADVERBS, FINISHED, PASSED, RAN
from langchain_agentmem.extraction.books.rulebook import Rule, rule

_END: Final = r"(?: (?:in|on|at|with|today|yesterday|this|last|after|for|by|now|finally|already)\b.*)?[.! ]*$"
_WHO: Final = rf"(?:I|we)(?:'ve)? {ADVERBS}"

ATTAINED: Final[tuple[Rule, ...]] = tuple(
    rule(rf"{_WHO}(?P<object>{said}){_END}", "goal", lasts=True, corrects=True)
    for said in (PASSED, RAN, FINISHED, ACHIEVED)
)
"""Of what people work on for long: that a report is finished is no news of a goal."""
