"""What "scrap that" points to: the task the user spoke of last, or what they told of somebody.

It names neither. Of a task nothing is to be forgotten for good, so it means memory only where the last sentence before
it told something: something was learned from it, or it is about whoever speaks, and asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.intent import Intent, is_small_talk
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.text.utterances import is_question
from langchain_agentmem.types import Memory

_OPENER: Final = (
    r"(?:(?:well|so|and|but|also|oh|ok(?:ay)?|yes|yeah|no|hey|hi|hello|actually|honestly|anyway|btw|by the way|fyi"
    r"|sorry|because|since|now|today|yesterday|lately|recently|currently|sometimes|usually|sadly|luckily"
    r"|unfortunately)[\s,]+){0,4}"
)
_SETTING: Final = r"(?:(?:when|while|as|at|in|on|after|before|during|until|last|every)\b[^.!?\n]{1,80}?,? )?"
_OF_SPEAKER: Final = lazy_pattern(
    rf"\W*{_OPENER}{_SETTING}(?:(?:I|we)(?:'\w+)?\s|(?:my|our) \w)",
    re.IGNORECASE,
)
_ASKS: Final = lazy_pattern(
    r"\b(?:I|we)(?:'d| would)? (?:just |really |also |only )?(?:want|need|wish|(?<='d )(?:like|love|prefer|appreciate)"
    r"|(?<=would )(?:like|love|prefer|appreciate|suggest)|ask|beg|suggest|hope you|wonder)\b"
    r"|\b(?:I'm|I am|we're|we are|I was|we were) (?:just |still )?(?:looking for|asking|wondering|trying to)\b"
    r"|\b(?:please|can you|could you|would you|will you|let's|let us)\b",
    re.IGNORECASE,
)
"""What is wanted of whoever is spoken to, in the first person."""

_PARTS: Final = lazy_pattern(r"\s*\u2026\s*|\s*[.!?\n]+\s*")


def points_to_task(said: str, learned: Iterable[str] = (), *, is_of_things: bool = False) -> bool:
    """Whether "scrap that" right behind a message is about what the message wants done, and not about memory.

    Args:
        said: The message before it.
        learned: The words that support what was learned from it.
        is_of_things: It was "delete that": where nothing was learned it is about what else is at hand.

    Example:
        >>> points_to_task("Write a haiku about rain."), points_to_task("I live in Rome.")
        (True, False)
        >>> points_to_task("I am allergic to nuts. What can I cook?", ["I am allergic to nuts"])
        True
    """
    sentences = [it for it in split_sentences(said.replace("\u2019", "'")) if it.strip() and not is_small_talk(it)]
    if not sentences:
        return True
    last = sentences[-1]
    if any(_is_in(evidence, last) for evidence in learned):
        return False
    return is_of_things or is_question(last) or _ASKS.search(last) is not None or _OF_SPEAKER.match(last) is None


def points_to(memory: Memory, said: str, message_ids: Collection[str], intent: Intent) -> bool:
    """Whether an order to forget "this" right behind a message means a memory.

    Args:
        memory: Of the user.
        said: The message.
        message_ids: Its id.
        intent: Of the order.
    """
    told = memory.provenance
    if set(message_ids).isdisjoint(told.message_ids):
        return False
    return not (intent.is_bare and points_to_task(said, [told.evidence or ""], is_of_things=intent.is_of_things))


def _is_in(evidence: str, sentence: str) -> bool:
    """Whether words that support a memory stand in a sentence, whole or with what was left out."""
    parts = [it.casefold() for it in _PARTS.split(evidence.replace("\u2019", "'")) if it.strip()]
    return bool(parts) and parts[-1] in sentence.casefold()
