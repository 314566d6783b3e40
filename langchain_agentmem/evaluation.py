"""How a turn ended: what its actions led to, which memories its answer used, and what the user says to that.

Evaluation only observes. What follows from it, confidence up or down, is the policy's matter.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, get_buffer_string
from pydantic import Field

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem._terms import tokenize
from langchain_agentmem.extraction.conversation import ToolRun, is_injected, tool_runs
from langchain_agentmem.extraction.quarantine import plain
from langchain_agentmem.extraction.structured import Answer, Method, ask, conversation
from langchain_agentmem.prompts import load_prompt
from langchain_agentmem.types import Hit, Memory, Outcome

Recalled: TypeAlias = Sequence[Hit | Memory]

USED_SHARE: Final = 0.5
"""Of a memory's words of content, how many an answer must repeat to count as using it. Half: a paraphrase keeps the
names and drops the rest, while two memories of one topic share fewer."""

MIN_SHARED_TERMS: Final = 2
"""One shared word is a topic, not a source."""

_HABITUAL: Final = frozenset(tokenize("user prefers likes loves wants uses works lives always never enjoys team"))
"""Words with which memories are worded; an answer that uses the memory need not repeat them."""

_CONTEXT_MESSAGES: Final = 4  # the last question and answer, with room for a tool call: what a "yes" refers to

_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")

_CONFIRMS: Final = re.compile(
    r"\s*(?:(?:oh|ah|great|perfect|awesome|cool|nice|ok|okay|thanks|thank you|wow|yes|yeah|yep|yup)[\s,.!]+)*"
    r"(?:(?:yes|yeah|yep|yup)?[\s,.!]*(?:exactly|precisely|(?:that|this)(?:'s| is| was)? (?:right"
    r"|correct|true|exactly (?:it|right)|perfect"
    r"|what i (?:meant|wanted|needed))|that (?:worked|works|helped|helps|did it|did the trick|fixed it"
    r"|solved it)|it (?:worked|works now|helped)"
    r"|you(?:'re| are) (?:absolutely |quite )?(?:right|correct)|you remembered|correct|indeed|spot on"
    r"|well remembered|good memory|worked like a charm)"
    r"|(?:yes|yeah|yep|yup)\W*$)",
    re.IGNORECASE,
)
_CONTRADICTS: Final = re.compile(
    r"\s*(?:(?:oh|ah|hm+|um|well|sorry|wait|but|ok|okay|no|nope|nah|actually)[\s,.!]+)*"
    r"(?:(?:that|this|it)(?:'s| is| was|'s just| is just) (?:(?:completely|totally|simply|not at all"
    r"|plain|just) )?(?:wrong|incorrect|false|not (?:right|true|correct|me|what i (?:said|meant"
    r"|asked))|outdated|out of date|untrue|nonsense)"
    r"|(?:that|this|it)(?:'s| is)? (?:no longer|not any ?more) (?:true|right|the case|correct)"
    r"|that (?:isn't|is not|wasn't) (?:right|true|correct|what i (?:said|meant))"
    r"|i (?:never|didn't|did not) (?:say|said|tell|told|ask|asked|want|wanted|mean|meant|mention"
    r"|mentioned)|you(?:'re| are) (?:wrong|mistaken|confus\w+|mixing)"
    r"|(?:you )?(?:got|have) (?:that|it|this|me) wrong|wrong\b|not (?:true|correct|any ?more)\b"
    r"|(?:that|it) (?:didn't|did not|doesn't|does not) (?:work|help)|where did you get that)"
    r"|\s*(?:no|nope)\b\s*[,.!]*\s*(?:i (?:don't|do not|am not|'m not|no longer)|i'm not|it's|that's|$)",
    re.IGNORECASE,
)
_AT_A_LOSS: Final = re.compile(
    (
        r"\b(?:i (?:do not|don't) know|i(?:'m| am) (?:not sure|unable to|afraid i (?:can't|cannot|don't))"
        r"|i (?:can't|cannot|could not|couldn't) (?:answer|help|find|do (?:that|this)|access)"
        r"|i have no (?:information|record|memory))\b"
    ),
    re.IGNORECASE,
)
_MAX_LOSS_CHARS: Final = 300  # a longer answer says something beside its doubts


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a turn showed.

    Attributes:
        outcomes: One per tool call that was answered, with the memories that guided it.
        used: Ids of recalled memories that the answer relies on.
        confirmed: Ids of memories whose use the user confirmed; `contradicted`: rejected.
        answered: Whether the turn ended with an answer.
        failures: Model calls that raised or answered nonsense.
    """

    outcomes: tuple[Outcome, ...] = ()
    used: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    answered: bool = False
    failures: int = 0


class Evaluator(Protocol):
    """Judges a turn after its answer; it changes nothing."""

    def evaluate_flow(
        self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0
    ) -> Flow[Evaluation]:
        """Evaluate as a flow, for a caller that waits on more than this."""
        ...

    def evaluate(self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0) -> Evaluation:
        """Judge the turn `messages[new_from:]`, in which the memories `recalled` were shown to the model."""
        ...

    async def aevaluate(self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0) -> Evaluation:
        """Judge the turn `messages[new_from:]`, in which the memories `recalled` were shown to the model."""
        ...


class FlowEvaluator(ABC):
    """Gives an evaluator both colours over its one flow."""

    @abstractmethod
    def evaluate_flow(
        self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0
    ) -> Flow[Evaluation]:
        """Evaluate as a flow: what a subclass writes."""

    def evaluate(self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0) -> Evaluation:
        """Judge the turn `messages[new_from:]`, in which the memories `recalled` were shown to the model."""
        return run(self.evaluate_flow(messages, recalled=recalled, new_from=new_from))

    async def aevaluate(self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0) -> Evaluation:
        """Judge the turn `messages[new_from:]`, in which the memories `recalled` were shown to the model."""
        return await arun(self.evaluate_flow(messages, recalled=recalled, new_from=new_from))


class RuleEvaluator(FlowEvaluator):
    """Judges without a model: tool results, shared words and numbers, and set phrases of consent and protest.

    A memory counts as used when the answer holds its object, or half of its words of content and every number in it.
    """

    def evaluate_flow(
        self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0
    ) -> Flow[Evaluation]:
        """Evaluate as a flow that never waits."""
        yield from ()
        memories = [hit.memory if isinstance(hit, Hit) else hit for hit in recalled]
        new = messages[new_from:]
        answer = _last_answer(new)
        said = _last_words(new)
        before = _last_answer(_until_last_words(messages))
        meant = tuple(_used(memories, before)) if before else ()
        return Evaluation(
            outcomes=tuple(_outcome(found, memories) for found in tool_runs(messages, new_from=new_from)),
            used=tuple(_used(memories, answer)),
            confirmed=meant if _CONFIRMS.match(said) and not _CONTRADICTS.match(said) else (),
            contradicted=meant if _CONTRADICTS.match(said) else (),
            answered=_is_answer(answer),
        )


class Judgement(Answer):
    """How the turn ended."""

    used: list[str] = Field(default_factory=list, description="ids of recalled memories the last answer relies on")
    confirmed: list[str] = Field(default_factory=list, description="ids of memories the user confirms")
    contradicted: list[str] = Field(default_factory=list, description="ids of memories the user rejects")
    user_words: str = Field(default="", description="the user's words that confirm or reject, copied exactly")
    failed_calls: list[str] = Field(
        default_factory=list, description="ids of tool calls that did not achieve their end"
    )
    answered: bool = Field(default=True, description="whether the last answer gives what was asked for")


class ModelEvaluator(FlowEvaluator):
    """Judges with a chat model that supports structured output; rules verify what it proposes.

    Ids that were not recalled are dropped, and a confirmation or protest counts only with the user's own words for it.
    A call that reports an error stays failed whatever the model thinks. When the model cannot judge, the rules do, and
    the failure is counted.

    Args:
        model: Any chat model with `with_structured_output`.
        prompt: Replaces the packaged prompt `evaluate`.
        max_retries: Further attempts after an answer that did not fit.
        method: How the model is made to answer with a record; `None`: as it does by default.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        prompt: str | None = None,
        max_retries: int = 1,
        method: Method | None = None,
    ) -> None:
        check_count("max_retries", max_retries, 0)
        self._model = model
        self._prompt = prompt if prompt is not None else load_prompt("evaluate")
        self._max_retries = max_retries
        self._method = method
        self._rules = RuleEvaluator()

    def evaluate_flow(
        self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0
    ) -> Flow[Evaluation]:
        """Evaluate as a flow: one call of the model, `max_retries` more at most; none where nothing is to be judged."""
        judged = yield from self._rules.evaluate_flow(messages, recalled=recalled, new_from=new_from)
        if not recalled and not judged.outcomes:
            return judged
        memories = [hit.memory if isinstance(hit, Hit) else hit for hit in recalled]
        prompt = conversation(self._prompt, _render(messages, memories, new_from))
        asked = yield from ask(self._model, Judgement, prompt, max_retries=self._max_retries, method=self._method)
        if asked.answer is None:
            return replace(judged, failures=asked.failures)
        return replace(_verified(asked.answer, judged, messages, memories, new_from), failures=asked.failures)


def _verified(
    proposed: Judgement, judged: Evaluation, messages: Sequence[BaseMessage], memories: Sequence[Memory], new_from: int
) -> Evaluation:
    """Return what the conversation bears out of a model's judgement."""
    known = {memory.id for memory in memories}
    said, words = _fold(_last_words(messages[new_from:])), _fold(proposed.user_words)
    is_said = bool(words) and words in said
    contradicted = _known(proposed.contradicted, known) if is_said else ()
    confirmed = _known(proposed.confirmed, known - set(contradicted)) if is_said else ()
    failed = {message.id for message in _tool_messages(messages, proposed.failed_calls)}
    outcomes = tuple(
        replace(outcome, succeeded=outcome.succeeded and failed.isdisjoint(outcome.provenance.message_ids))
        for outcome in judged.outcomes
    )
    return Evaluation(
        outcomes=outcomes,
        used=_known(proposed.used, known),
        confirmed=confirmed,
        contradicted=contradicted,
        answered=judged.answered and proposed.answered,
    )


def _known(proposed: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_ for id_ in proposed if id_ in known))


def _tool_messages(messages: Sequence[BaseMessage], call_ids: Collection[str]) -> Iterator[ToolMessage]:
    wanted = set(call_ids)
    for message in messages:
        if isinstance(message, ToolMessage) and message.tool_call_id in wanted and message.id:
            yield message


def _outcome(found: ToolRun, memories: Sequence[Memory]) -> Outcome:
    """Return a tool's result with the memories that name the tool or share its arguments' words."""
    words = set(tokenize(found.action.replace("_", " ")))
    guides = tuple(memory.id for memory in memories if _guides(memory, words))
    return Outcome(
        action=found.action,
        succeeded=found.succeeded,
        detail=found.detail,
        memory_ids=guides,
        provenance=found.provenance,
    )


def _guides(memory: Memory, words: set[str]) -> bool:
    own = set(tokenize(memory.content))
    if not own:
        return False
    shared = own & words
    return len(shared) >= MIN_SHARED_TERMS or (
        len(shared) == 1 and memory.object is not None and set(tokenize(memory.object)) <= words
    )


def _used(memories: Iterable[Memory], answer: str) -> Iterator[str]:
    """Yield ids of the memories whose words an answer repeats."""
    terms = set(tokenize(answer))
    numbers = set(_NUMBER.findall(answer))
    for memory in memories:
        if set(_NUMBER.findall(memory.content)) <= numbers and _is_repeated(memory, terms):
            yield memory.id


def _is_repeated(memory: Memory, terms: set[str]) -> bool:
    objects = set(tokenize(memory.object)) if memory.object else set()
    if objects and objects <= terms:
        return True
    own = set(tokenize(memory.content)) - set(tokenize(memory.subject or "")) - _HABITUAL
    shared = own & terms
    return len(shared) >= min(MIN_SHARED_TERMS, len(own)) > 0 and len(shared) >= USED_SHARE * len(own)


def _last_answer(messages: Sequence[BaseMessage]) -> str:
    for message in reversed(messages):
        if isinstance(message, AIMessage) and not message.tool_calls and not is_injected(message):
            return plain(message.text)
    return ""


def _last_words(messages: Sequence[BaseMessage]) -> str:
    said = (message for message in reversed(messages) if isinstance(message, HumanMessage) and not is_injected(message))
    return next((plain(message.text) for message in said), "")


def _until_last_words(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """Return what stood before the user's last message."""
    for place in range(len(messages) - 1, -1, -1):
        if isinstance(messages[place], HumanMessage) and not is_injected(messages[place]):
            return messages[:place]
    return ()


def _is_answer(answer: str) -> bool:
    at_a_loss = len(answer) <= _MAX_LOSS_CHARS and _AT_A_LOSS.search(answer) is not None
    return bool(answer.strip()) and not at_a_loss


def _render(messages: Sequence[BaseMessage], memories: Sequence[Memory], new_from: int) -> str:
    recalled = "\n".join(
        (f"<memory id={quoteattr(memory.id)} kind={quoteattr(memory.kind)}>{escape(memory.content)}</memory>")
        for memory in memories
    )
    shown = [
        message
        for message in messages
        if not is_injected(message) and isinstance(message, (HumanMessage, AIMessage, ToolMessage))
    ]
    before = [message for message in shown if message in messages[:new_from]][-_CONTEXT_MESSAGES:]
    new = [message for message in shown if message in messages[new_from:]]
    results = "\n".join(
        (
            f"<result call_id={quoteattr(message.tool_call_id)}"
            f" status={quoteattr(message.status)}>{escape(plain(message.text))}</result>"
        )
        for message in new
        if isinstance(message, ToolMessage)
    )
    return (
        f"<recalled>\n{recalled}\n</recalled>\n<context>\n{get_buffer_string(before, format='xml')}\n</context>\n"
        f"<new>\n{get_buffer_string(new, format='xml')}\n</new>\n<tool_results>\n{results}\n</tool_results>"
    )


def _fold(text: str) -> str:
    return " ".join(plain(text).casefold().split())
