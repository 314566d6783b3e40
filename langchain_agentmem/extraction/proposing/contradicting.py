"""Contradictions that no rule has words for, proposed by a chat model among a statement's nearest neighbours."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol
from xml.sax.saxutils import escape

from langchain_core.language_models import BaseChatModel
from pydantic import Field

from langchain_agentmem._flow import Flow
from langchain_agentmem.extraction.proposing.structured import Answer, Method, RecordModel
from langchain_agentmem.prompts import load_prompt


class Contradictions(Answer):
    """Which remembered statements cannot be true together with the new one; mostly none."""

    numbers: list[int] = Field(default_factory=list, description="numbers of remembered statements")


class ContradictionJudge(Protocol):
    """Proposes what a new statement contradicts; a conflict policy decides what becomes of it."""

    def contradicted_flow(self, new: str, known: Sequence[str]) -> Flow[Collection[int]]:
        """Return the places in `known` of the statements that `new` contradicts."""
        ...


class ModelJudge:
    """Asks a chat model that supports structured output: one call for each statement that has neighbours.

    When the model cannot answer, what the rules found stands alone, and the failure is counted.

    Args:
        model: Any chat model with `with_structured_output`. It sees a new statement, and the user's nearest memories.
        prompt: Replaces the packaged prompt `contradict`.
        max_retries: Further attempts after an answer that did not fit.
        method: How the model is made to answer with a record; `None`: as it does by default.

    Raises:
        ConfigurationError: `max_retries` is below 0.
    """

    def __init__(
        self, model: BaseChatModel, *, prompt: str | None = None, max_retries: int = 1, method: Method | None = None
    ) -> None:
        instructions = load_prompt("contradict") if prompt is None else prompt
        self._model = RecordModel(model, Contradictions, instructions, max_retries=max_retries, method=method)

    @property
    def failures(self) -> int:
        """Answers that were unusable, and calls that failed, since this object was made."""
        return self._model.failures

    def contradicted_flow(self, new: str, known: Sequence[str]) -> Flow[Collection[int]]:
        """Ask as a flow; a number that was not shown is no answer."""
        shown = "\n".join(f'<known number="{number}">{escape(text)}</known>' for number, text in enumerate(known))
        asked = yield from self._model.ask(f"<new>{escape(new)}</new>\n{shown}")
        return frozenset(asked.answer.numbers if asked.answer is not None else ()) & frozenset(range(len(known)))
