"""What a tool answers is kept as far as it tells how an action ended, and no further.

An error may carry anybody's text: a file's name, a page, a row of somebody's database. It comes back to the model with
every later recall of that failure, so an order in it would be repeated to the model again and again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.folding import fold_look_alikes
from langchain_agentmem.policies.rulings import Ruling, WriteContext, amend
from langchain_agentmem.types import Candidate

RULE: Final = "tool_words"

_ORDER: Final = lazy_pattern(
    r"\b(?:from now on|always|whenever|keep in mind|remember (?:that|to)|remember:|(?:note|message) (?:to|for) "
    r"(?:the )?(?:ai|assistant|agent|model)"
    r"|(?:the )?user (?:has (?:authori[sz]ed|approved|confirmed|asked)|authori[sz]ed|approved|confirmed|corrected"
    r"|wants|prefers|likes|said|asked|told|is an? (?:admin\w*|owner)))\b"
)
_ENDING: Final = lazy_pattern(r" (?P<ending>failed|succeeded)(?:: |\Z)")


def tool_words(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    """What reads like an order, or like the user's own decision, in what a tool answered is left out."""
    tools = candidate.provenance.tools
    texts = (candidate.content, candidate.provenance.evidence or "")
    if candidate.kind != "outcome" or not tools or not any(map(_orders, texts)):
        return None
    said = _ENDING.search(candidate.content)
    action = candidate.content[: said.start()] if said is not None else ""
    action = action if action and not _orders(action) else tools[0]
    bare = f"{action} {said['ending'] if said is not None else 'ended'}"
    origin = replace(candidate.provenance, evidence=None)
    reason = "What the tool answered reads like an order; only how the action ended is kept."
    return amend(RULE, reason, replace(candidate, content=bare, provenance=origin))


def _orders(text: str) -> bool:
    return _ORDER.search(fold_look_alikes(text)) is not None
