"""Values that turns of a conversation state, proposed by a chat model where the rules know no words for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, TypeAlias
from xml.sax.saxutils import escape

from langchain_core.language_models import BaseChatModel
from pydantic import Field

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.reading.claims import Claim
from langchain_agentmem.extraction.proposing.structured import Answer, Method, RecordModel
from langchain_agentmem.extraction.record.quarantine import is_injection, plain
from langchain_agentmem.policies.stated import SLOTS, borne_out
from langchain_agentmem.prompts import load_prompt

Claims: TypeAlias = tuple[Claim, ...]

TURNS_AT_ONCE: Final = 20
"""Turns in one call of the model: a page or two, of which a small model still reads every line."""

MAX_PROPOSED: Final = 4
"""Values of one turn, the first that are proposed; people state one or two."""

MAX_READ_CHARS: Final = 2_000
"""Of one turn: what is pasted behind that is no statement of the user's."""


class StatedValue(Answer):
    """One thing that a turn says of the user, and that has one value at a time."""

    turn: int = Field(description="number of the turn")
    about: str = Field(description="what has the value", json_schema_extra={"enum": list(SLOTS)})
    of: str = Field(default="", description="which favourite, role, number or thing, in the turn's own words")
    value: str = Field(description="the value itself, copied exactly")
    changed: bool = Field(default=False, description="whether the turn says that it was another one before")
    evidence: str = Field(description="the words of the turn that say so, copied exactly")


class StatedValues(Answer):
    """What the turns state; often nothing."""

    values: list[StatedValue] = Field(default_factory=list)


class Linker(Protocol):
    """Proposes what turns state, by which later ones update earlier ones; it links nothing itself."""

    def claims_flow(self, texts: Sequence[str]) -> Flow[Sequence[Claims]]:
        """Return the claims of each text beyond those that rules find, in the order of the texts."""
        ...


class ModelLinker:
    """Proposes with a chat model that supports structured output; rules verify each proposal, and link.

    A proposal stands only with words of the turn that hold the value, in a sentence that the user says of themselves
    and that is no question. Whether one turn updates another is decided by the same policy as of what rules read. When
    the model cannot answer, what the rules read stands alone, and the failure is counted.

    Args:
        model: Any chat model with `with_structured_output`. It sees what users say, and no memory.
        prompt: Replaces the packaged prompt `link`.
        max_retries: Further attempts after an answer that did not fit.
        method: How the model is made to answer with a record; `None`: as it does by default.

    Attributes:
        failures: Answers that were unusable, and calls that failed, since this object was made.

    Raises:
        ConfigurationError: `max_retries` is below 0.
    """

    def __init__(
        self, model: BaseChatModel, *, prompt: str | None = None, max_retries: int = 1, method: Method | None = None
    ) -> None:
        instructions = load_prompt("link") if prompt is None else prompt
        self._model = RecordModel(model, StatedValues, instructions, max_retries=max_retries, method=method)

    @property
    def failures(self) -> int:
        """Answers that were unusable, and calls that failed, since this object was made."""
        return self._model.failures

    def claims_flow(self, texts: Sequence[str]) -> Flow[Sequence[Claims]]:
        """Propose as a flow: one call of the model for every twenty turns, `max_retries` more at most for each."""
        found: list[Claims] = []
        for start in range(0, len(texts), TURNS_AT_ONCE):
            found += yield from self._claims_of(texts[start : start + TURNS_AT_ONCE])
        return found

    def _claims_of(self, texts: Sequence[str]) -> Flow[list[Claims]]:
        read = [text[:MAX_READ_CHARS] for text in texts]
        shown = "\n".join(_shown(number, text) for number, text in enumerate(read) if _is_readable(text))
        if not shown:
            return [()] * len(texts)
        asked = yield from self._model.ask(f"<turns>\n{shown}\n</turns>")
        proposed = asked.answer.values if asked.answer is not None else []
        return [_verified(text, (it for it in proposed if it.turn == number)) for number, text in enumerate(read)]


def _is_readable(text: str) -> bool:
    return bool(text.strip()) and not is_injection(plain(text))


def _shown(number: int, text: str) -> str:
    return f'<turn number="{number}">{escape(text)}</turn>'


def _verified(text: str, proposed: Iterable[StatedValue]) -> Claims:
    if not _is_readable(text):
        return ()
    claims = (
        borne_out(text, about=it.about, of=it.of, value=it.value, quote=it.evidence, is_change=it.changed)
        for it in proposed
    )
    return tuple(it for it in claims if it is not None)[:MAX_PROPOSED]
