"""Extraction with a chat model: it proposes, and what it proposes is checked against the words of the conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, get_buffer_string
from pydantic import Field

from langchain_agentmem._checks import MAX_CONTENT_CHARS
from langchain_agentmem._flow import Flow
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.extraction.books.outcomes import tool_outcomes
from langchain_agentmem.extraction.contract import Extraction, Extractor, FlowExtractor
from langchain_agentmem.extraction.proposing.structured import Answer, Method, RecordModel
from langchain_agentmem.extraction.record.conversation import Passage, is_injected, kept_passages, without_note
from langchain_agentmem.extraction.record.quarantine import folded, is_injection, plain
from langchain_agentmem.extraction.rules import RuleExtractor
from langchain_agentmem.prompts import load_prompt
from langchain_agentmem.types import STATED_KINDS, Candidate, Kind, Provenance, Source, Speaker

_MIN_EVIDENCE_CHARS: Final = 3  # a letter or two stands in every message and supports nothing
_NUMBER: Final = lazy_pattern(r"\d+(?:[.,:]\d+)*")
_MAX_RELATION_CHARS: Final = 200
_NOBODY: Final = frozenset(tokenize("Alice, the user"))
"""Whom the examples of a prompt are about."""


class ProposedMemory(Answer):
    """One thing worth remembering, as the model proposes it."""

    kind: str = Field(description="what sort of memory it is", json_schema_extra={"enum": list(STATED_KINDS)})
    evidence: str = Field(description="the words of the message that support it, copied exactly as the user wrote them")
    content: str = Field(description="one short sentence in the third person that stands alone")
    confidence: float = Field(default=0.9, description="how sure the speaker is, from 0 to 1")
    is_correction: bool = Field(default=False, description="the user replaces something said before")
    subject: str | None = Field(default=None, description="whom it is about")
    relation: str | None = Field(default=None, description="a relation with one value at a time, such as lives_in")
    object: str | None = Field(default=None, description="the value of the relation")


class ProposedMemories(Answer):
    """What is worth remembering from the new messages; often nothing."""

    memories: list[ProposedMemory] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Heard:
    """The new messages as evidence is looked for in them."""

    passages: tuple[Passage, ...]
    numbers: frozenset[str]
    said: frozenset[str]
    folded: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", tuple(folded(passage.text) for passage in self.passages))

    def is_echo(self, content: str, instructions: frozenset[str]) -> bool:
        """Whether a proposal only repeats an example of the instructions: no word of it was said, each stands there."""
        terms = frozenset(tokenize(content)) - _NOBODY
        return bool(terms) and terms <= instructions and terms.isdisjoint(self.said)

    def source_of(self, evidence: str) -> Passage | None:
        """Return the message that holds the evidence; the user's before the assistant's."""
        wanted = folded(evidence)
        if len(wanted) < _MIN_EVIDENCE_CHARS:
            return None
        found = [passage for passage, text in zip(self.passages, self.folded, strict=True) if wanted in text]
        return min(found, key=lambda passage: passage.speaker != "user", default=None)


_BY_RULES: Final = RuleExtractor()


class ModelExtractor(FlowExtractor):
    """Extracts with a chat model that supports structured output.

    A proposal is kept only if its evidence stands in a new message outside of quotes and pasted text, its kind exists,
    its numbers occur in the conversation, and it repeats no example of the prompt. A claim that only the assistant made
    is marked as inferred. What tools led to is read by rules. An unusable answer is told back once; after that, when
    the call fails, or where nothing that it proposes was said, the fallback extracts and the failure is counted: a turn
    is never lost.

    Args:
        model: Any chat model with `with_structured_output`.
        prompt: Replaces the packaged prompt `extract`.
        fallback: Extracts when the model cannot; `None`: nothing is extracted then.
        max_retries: Further attempts after an answer that did not fit.
        method: How the model is made to answer with a record; `None`: as it does by default. A server that lacks the
            default may know another, such as `function_calling`.
    """

    schema: ClassVar[type[ProposedMemories]] = ProposedMemories
    prompt_name: ClassVar[str] = "extract"

    def __init__(
        self,
        model: BaseChatModel,
        *,
        prompt: str | None = None,
        fallback: Extractor | None = _BY_RULES,
        max_retries: int = 1,
        method: Method | None = None,
    ) -> None:
        instructions = load_prompt(self.prompt_name) if prompt is None else prompt
        self._model = RecordModel(model, self.schema, instructions, max_retries=max_retries, method=method)
        self._instructions = frozenset(tokenize(instructions))
        self._fallback = fallback

    def extract_flow(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> Flow[Extraction]:
        """Extract as a flow: one call of the model, at most `max_retries` more."""
        outcomes = tuple(tool_outcomes(messages, new_from=new_from))
        new = _readable(messages[new_from:])
        if not any(isinstance(message, HumanMessage) for message in new):
            return Extraction(candidates=outcomes)
        data = _render(_readable(messages[:new_from]), new, user_name)
        asked = yield from self._model.ask(data)
        if asked.answer is None:
            return (yield from self._fall_back(messages, user_name, new_from, asked.failures))
        passages = tuple(kept_passages(messages, user_name=user_name, new_from=new_from))
        heard = _Heard(passages, _numbers(messages), frozenset(tokenize(data)))
        own = [it for it in asked.answer.memories if not heard.is_echo(it.content, self._instructions)]
        proposed = tuple(_verified(own, heard))
        if asked.answer.memories and not proposed:
            return (yield from self._fall_back(messages, user_name, new_from, asked.failures + 1))
        return Extraction(candidates=(*proposed, *outcomes), failures=asked.failures, source="model")

    def _fall_back(
        self, messages: Sequence[BaseMessage], user_name: str | None, new_from: int, failures: int
    ) -> Flow[Extraction]:
        if self._fallback is None:
            return Extraction(candidates=tuple(tool_outcomes(messages, new_from=new_from)), failures=failures)
        found = yield from self._fallback.extract_flow(messages, user_name=user_name, new_from=new_from)
        return Extraction(candidates=found.candidates, failures=failures + found.failures, source=found.source)


def _readable(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return what the model may see: no system message, nothing that memory put there, no hostile text."""
    spoken = (
        without_note(message) for message in messages if isinstance(message, (HumanMessage, AIMessage, ToolMessage))
    )
    return [message for message in spoken if not is_injected(message) and not is_injection(plain(message.text))]


def _render(context: Sequence[BaseMessage], new: Sequence[BaseMessage], user_name: str | None) -> str:
    name = f"<user_name>{_escape(user_name)}</user_name>\n" if user_name else ""
    before = get_buffer_string(context, format="xml") if context else ""
    return f"{name}<context>\n{before}\n</context>\n<new>\n{get_buffer_string(new, format='xml')}\n</new>"


def _verified(proposals: Sequence[ProposedMemory], heard: _Heard) -> Iterator[Candidate]:
    """Yield the proposals that the conversation bears out."""
    for proposal in proposals:
        source = heard.source_of(proposal.evidence)
        content = " ".join(plain(proposal.content).split())
        if source is None or proposal.kind not in STATED_KINDS or not 0 < len(content) <= MAX_CONTENT_CHARS:
            continue
        if not set(_NUMBER.findall(content)) <= heard.numbers:
            continue  # an invented number is the likeliest and most harmful invention
        yield _candidate(proposal, content, source)


def _candidate(proposal: ProposedMemory, content: str, source: Passage) -> Candidate:
    speaker: Speaker = source.speaker
    is_explicit = speaker == "user"
    provenance_source: Source = "explicit" if is_explicit else "inferred"
    return Candidate(
        content=content,
        kind=cast("Kind", proposal.kind),
        source=provenance_source,
        confidence=min(1.0, max(0.0, proposal.confidence)) if proposal.confidence == proposal.confidence else 0.0,
        subject=_label(proposal.subject),
        relation=_label(proposal.relation),
        object=_label(proposal.object),
        is_correction=proposal.is_correction and is_explicit,
        provenance=Provenance(
            speaker=speaker, message_ids=source.message_ids, evidence=plain(proposal.evidence).strip()
        ),
    )


def _label(text: str | None) -> str | None:
    cleaned = " ".join(plain(text).split()) if text else ""
    return cleaned if 0 < len(cleaned) <= _MAX_RELATION_CHARS else None


def _numbers(messages: Sequence[BaseMessage]) -> frozenset[str]:
    return frozenset(
        number
        for message in messages
        if not is_injected(message)
        for number in _NUMBER.findall(without_note(message).text)
    )


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
