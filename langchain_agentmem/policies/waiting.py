"""What has not been taken in yet, when something that it may say is erased."""

from __future__ import annotations

from langchain_agentmem._terms import tokenize
from langchain_agentmem.policies.evidence import is_supported
from langchain_agentmem.types import Memory


def may_say(text: str, memory: Memory) -> bool:
    """Whether a text could be the evidence of a memory: by the rule that judges the evidence of every new one.

    What cannot be is refused as evidence later, too; so without what could be, the memory does not come back.
    """
    if memory.content in text:
        return True
    shares_words = not set(tokenize(memory.content)).isdisjoint(tokenize(text))
    return shares_words and is_supported(memory.content, text, subject=memory.subject)
