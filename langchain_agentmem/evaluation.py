"""How a turn ended: what its actions led to, which memories its answer used, and what the user says to that.

Evaluation only observes. What follows from it, confidence up or down, is the policy's matter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, get_buffer_string
from pydantic import Field

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.triples import triples_of
from langchain_agentmem.english.text.folding import in_one_line
from langchain_agentmem.english.text.reactions import confirms, contradicts, is_answer
from langchain_agentmem.extraction.proposing.structured import Answer, Method, RecordModel
from langchain_agentmem.extraction.record.conversation import ToolRun, is_injected, is_of_user, tool_runs, without_note
from langchain_agentmem.extraction.record.quarantine import plain
from langchain_agentmem.policies.repeating import tells_another
from langchain_agentmem.policies.support import Grounds, Support, check_answer, is_told
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

MAX_UNSUPPORTED: Final = 8
"""Claims that are told of one answer: the first ones show what kind of answer it is."""

MAX_TOLD_CHARS: Final = 8_000
"""Of instructions and of what a harness put into the conversation: about 2,000 tokens."""

_CONTEXT_MESSAGES: Final = 4  # the last question and answer, with room for a tool call: what a "yes" refers to

_NUMBER: Final = lazy_pattern(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a turn showed.

    Attributes:
        outcomes: One per tool call that was answered, with the memories that guided it.
        used: Ids of recalled memories that the answer relies on.
        confirmed: Ids of memories whose use the user confirmed; `contradicted`: rejected.
        answered: Whether the turn ended with an answer.
        supported: Whether what the answer says of the user was told to the assistant, by memories, tools or the
            conversation; `None`: it says nothing of them, or that cannot be told.
        unsupported: The claims that nothing supports, in the answer's words.
        failures: Model calls that raised or answered nonsense.
    """

    outcomes: tuple[Outcome, ...] = ()
    used: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    answered: bool = False
    supported: bool | None = None
    unsupported: tuple[str, ...] = field(default=(), repr=False)
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

    A memory counts as used when the answer holds its object, or half of its words of content and every number in it,
    and names nothing else in its place. So who protests against what a model made up contradicts no memory.
    """

    def evaluate_flow(
        self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0
    ) -> Flow[Evaluation]:
        """Evaluate as a flow that never waits."""
        yield from ()
        memories = [hit.memory if isinstance(hit, Hit) else hit for hit in recalled]
        new = messages[new_from:]
        answer, said = _last_answer(new), _last_words(new)
        grounds = _grounds(messages, memories)
        support = check_answer(answer, grounds, said)
        is_confirmed, is_contradicted = confirms(said), contradicts(said)
        meant = _meant(messages, memories, grounds) if is_confirmed or is_contradicted else ()
        return Evaluation(
            outcomes=tuple(_outcome(found, memories) for found in tool_runs(messages, new_from=new_from)),
            used=tuple(_used(memories, answer, support)),
            confirmed=meant if is_confirmed else (),
            contradicted=meant if is_contradicted else (),
            answered=is_answer(answer),
            supported=support.supported,
            unsupported=support.unsupported,
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
    supported: bool | None = Field(
        default=None, description="whether the data bears out all that the last answer states about the user"
    )
    unsupported: list[str] = Field(
        default_factory=list, description="statements of the last answer that nothing bears out, copied exactly"
    )


class ModelEvaluator(FlowEvaluator):
    """Judges with a chat model that supports structured output; rules verify what it proposes.

    Ids that were not recalled are dropped, and a confirmation or protest counts only with the user's own words for it.
    A call that reports an error stays failed whatever the model thinks, and a claim counts as unsupported only where it
    stands in the answer and nothing says it. When the model cannot judge, the rules do, and
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
        instructions = load_prompt("evaluate") if prompt is None else prompt
        self._model = RecordModel(model, Judgement, instructions, max_retries=max_retries, method=method)
        self._rules = RuleEvaluator()

    def evaluate_flow(
        self, messages: Sequence[BaseMessage], *, recalled: Recalled, new_from: int = 0
    ) -> Flow[Evaluation]:
        """Evaluate as a flow: one call of the model, `max_retries` more at most; none where nothing is to be judged."""
        judged = yield from self._rules.evaluate_flow(messages, recalled=recalled, new_from=new_from)
        if not recalled and not judged.outcomes:
            return judged
        memories = [hit.memory if isinstance(hit, Hit) else hit for hit in recalled]
        asked = yield from self._model.ask(_render(messages, memories, new_from))
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
    answer, grounds = _last_answer(messages[new_from:]), _grounds(messages, memories)
    unsupported = _unsupported(proposed, judged, answer, grounds)
    denied = check_answer(answer, grounds, _last_words(messages[new_from:])).denied
    return Evaluation(
        outcomes=outcomes,
        used=_known(proposed.used, known - denied),
        confirmed=confirmed,
        contradicted=contradicted,
        answered=judged.answered and proposed.answered,
        supported=False
        if unsupported
        else judged.supported
        if judged.supported is not None
        else proposed.supported or None,
        unsupported=unsupported,
    )


def _unsupported(proposed: Judgement, judged: Evaluation, answer: str, grounds: Grounds) -> tuple[str, ...]:
    """Return the claims that rules or the model call unfounded, as far as they stand in the answer and nowhere else."""
    said, known = _fold(answer), [_fold(claim) for claim in judged.unsupported]
    claims = [claim.strip() for claim in proposed.unsupported if _fold(claim)]
    new = (it for it in claims if _fold(it) in said and not any(own in _fold(it) or _fold(it) in own for own in known))
    return (*judged.unsupported, *(it for it in dict.fromkeys(new) if not is_told(it, grounds)))[:MAX_UNSUPPORTED]


def _grounds(messages: Sequence[BaseMessage], memories: Sequence[Memory]) -> Grounds:
    """Return what the assistant was told; what it said itself is no ground for saying it again."""
    said = (plain(it.text) for it in messages if is_of_user(it))
    told = (plain(it.text) for it in messages if not isinstance(it, AIMessage) and not is_of_user(it))
    return Grounds(memories=memories, said=said, told=told)


def _known(proposed: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_ for id_ in proposed if id_ in known))


def _tool_messages(messages: Sequence[BaseMessage], call_ids: Collection[str]) -> Iterator[ToolMessage]:
    wanted = set(call_ids)
    for message in messages:
        if isinstance(message, ToolMessage) and message.tool_call_id in wanted and message.id:
            yield message


def _outcome(found: ToolRun, memories: Sequence[Memory]) -> Outcome:
    """Return a tool's result with the memories that name the tool or share its arguments' words."""
    words, numbers = set(tokenize(found.action.replace("_", " "))), set(_NUMBER.findall(found.action))
    guides = tuple(memory.id for memory in memories if _guides(memory, words) and _agrees(memory, numbers))
    return Outcome(
        action=found.action,
        succeeded=found.succeeded,
        detail=found.detail,
        memory_ids=guides,
        provenance=found.provenance,
    )


def _agrees(memory: Memory, numbers: set[str]) -> bool:
    """Whether a call does not put other numbers in the place of a memory's: then it did not follow it."""
    own = set(_NUMBER.findall(memory.content))
    return not own or not numbers or bool(own & numbers)


def _guides(memory: Memory, words: set[str]) -> bool:
    own = set(tokenize(memory.content))
    if not own:
        return False
    shared = own & words
    return len(shared) >= MIN_SHARED_TERMS or (
        len(shared) == 1 and memory.object is not None and set(tokenize(memory.object)) <= words
    )


_OWNER: Final = frozenset(tokenize("the user's"))


def _meant(messages: Sequence[BaseMessage], memories: Sequence[Memory], grounds: Grounds) -> tuple[str, ...]:
    """Return ids of the memories that the answer used to which the user's last words react."""
    earlier = _until_last_words(messages)
    answer = _last_answer(earlier)
    return tuple(_used(memories, answer, check_answer(answer, grounds, _last_words(earlier)))) if answer else ()


def _used(memories: Iterable[Memory], answer: str, support: Support) -> Iterator[str]:
    """Yield ids of the memories whose words an answer repeats; one in whose place it names something else is none."""
    terms = set(tokenize(answer))
    numbers = set(_NUMBER.findall(answer))
    for memory in memories:
        if not set(_NUMBER.findall(memory.content)) <= numbers:
            continue
        subjects, objects = _parts(memory)
        has_object = bool(objects) and objects <= terms
        if memory.id in support.denied and not has_object:
            continue
        if memory.id in support.mistaken and terms.isdisjoint(subjects - _OWNER):
            continue
        if has_object or (_is_repeated(memory, subjects, terms) and not tells_another(memory.content, answer)):
            yield memory.id


def _parts(memory: Memory) -> tuple[set[str], set[str]]:
    """Return the words of whom a memory is about and of what it says of them: as stored, else as one statement says."""
    subject, said = memory.subject or "", memory.object or ""
    stated = () if said or memory.relation is not None else triples_of(memory)
    if len(stated) == 1:
        subject, said = stated[0].subject, stated[0].object
    return set(tokenize(subject)), set(tokenize(said))


def _is_repeated(memory: Memory, subjects: set[str], terms: set[str]) -> bool:
    """Whether an answer has enough of the words that a memory says of whom it is about."""
    own = set(tokenize(memory.content)) - subjects - _HABITUAL
    shared = own & terms
    return len(shared) >= min(MIN_SHARED_TERMS, len(own)) > 0 and len(shared) >= USED_SHARE * len(own)


def _last_answer(messages: Sequence[BaseMessage]) -> str:
    for message in reversed(messages):
        if isinstance(message, AIMessage) and not message.tool_calls and not is_injected(message):
            return plain(message.text)
    return ""


def _last_words(messages: Sequence[BaseMessage]) -> str:
    said = (message for message in reversed(messages) if is_of_user(message))
    return next((plain(message.text) for message in said), "")


def _until_last_words(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """Return what stood before the user's last message."""
    for place in range(len(messages) - 1, -1, -1):
        if is_of_user(messages[place]):
            return messages[:place]
    return ()


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
            f" status={quoteattr(message.status)}>{escape(plain(without_note(message).text))}</result>"
        )
        for message in new
        if isinstance(message, ToolMessage)
    )
    told = "\n".join(
        plain(it.text) for it in messages if it not in shown and not isinstance(it, (AIMessage, ToolMessage))
    )
    return (
        f"<recalled>\n{recalled}\n</recalled>\n<told>\n{escape(told[:MAX_TOLD_CHARS])}\n</told>\n"
        f"<context>\n{get_buffer_string(before, format='xml')}\n</context>\n"
        f"<new>\n{get_buffer_string(new, format='xml')}\n</new>\n<tool_results>\n{results}\n</tool_results>"
    )


def _fold(text: str) -> str:
    return in_one_line(plain(text))
