"""Ways of saying that what ailed one is over: "my cat allergy is gone"; the conflict policy ends what it was."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.extraction.rulebook import Rule, rule
from langchain_agentmem.policies._overcome import OVER

OVERCOME: Final[tuple[Rule, ...]] = (rule(OVER, "fact", lasts=True, corrects=True),)
