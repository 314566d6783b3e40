"""Goals that are denied: "does not want to run a marathon any more" ends one goal, and begins none."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.policies._lexicon import stem
from langchain_agentmem.policies._pair import LIGHT_STEMS
from langchain_agentmem.policies.statements import Statement

_NO_LONGER: Final = frozenset(stem(word) for word in ("any", "more", "anymore", "longer"))


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
