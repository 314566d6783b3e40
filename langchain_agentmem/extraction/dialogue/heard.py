"""What a conversation said before: what new words may correct."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.record.conversation import Passage
from langchain_agentmem.extraction.sentences.clauses import Clause


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement already heard, and what a rule made of it."""

    clause: Clause
    draft: Draft


class Heard:
    """What somebody said at once, and the statements in it so far.

    Args:
        passage: Their words.
        read: Reads the statements of an earlier passage, when something asks for them: few new words do.
    """

    def __init__(self, passage: Passage, read: Callable[[], list[Said]] = list) -> None:
        self.passage = passage
        self._read = read

    @cached_property
    def said(self) -> list[Said]:
        """Statements that were understood, in order."""
        return self._read()
