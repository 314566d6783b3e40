"""All of a conversation's memory in one object: its last messages, its summary, and what long-term memory knows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.errors import GraphBubbleUp

from langchain_agentmem._flow import Flow, arun, flows_of, run
from langchain_agentmem.context.assembly import ContextAssembly
from langchain_agentmem.context.history import viewed
from langchain_agentmem.context.runnable import ContextRunnable, StateKeys, View
from langchain_agentmem.context.running_summary import RunningSummary, summary_in
from langchain_agentmem.context.summaries import InProcessSummaries, SummaryStore, summaries_of
from langchain_agentmem.context.summary_buffer import SummaryBuffer
from langchain_agentmem.context.tiers import ContextParts
from langchain_agentmem.english.people.since import dated
from langchain_agentmem.errors import AgentMemError, ConfigurationError, ScopeError
from langchain_agentmem.extraction import Extractor
from langchain_agentmem.extraction.contract import EXTRACTION_CONTEXT
from langchain_agentmem.extraction.record.conversation import is_of_user
from langchain_agentmem.long_term import LongTermMemory
from langchain_agentmem.long_term.recall.asking import united
from langchain_agentmem.long_term.said.turns import episode_ids
from langchain_agentmem.planning.dialogue import dialogue_of
from langchain_agentmem.policies.querying import Dialogue
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.summarize import FlowSummarizer
from langchain_agentmem.summarize.marks import data_of
from langchain_agentmem.types import Candidate, Decision, Recall, RecallQuery, Scope

_TAIL_GROWTH: Final = 8

T = TypeVar("T")
LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridParts:
    """What a hybrid memory rests on; each part may be missing.

    Args:
        sessions: Where conversations are stored: for `add` and `read`.
        summaries: Where running summaries are kept between calls; `None`: with the conversations.
        long_term: `AgentMemory.long_term`: for recall, and for what is extracted.
        extractor: `AgentMemory.extractor`: proposes memories from each turn; nothing is written without `long_term`.
    """

    sessions: Sessions | None = None
    summaries: SummaryStore | None = None
    long_term: LongTermMemory | None = None
    extractor: Extractor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of a turn that was added.

    Attributes:
        count: Messages that were new to the conversation.
        summary: The running summary after it.
        decisions: Of the write policy, one for each memory that was proposed.
        failures: Calls of models that failed on the way.
        status: `ok`, or `degraded: …` with what could not take part. The messages are stored in any case.
    """

    count: int
    summary: RunningSummary | None = None
    decisions: tuple[Decision, ...] = ()
    failures: int = 0
    status: str = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What memory has for a turn.

    Attributes:
        messages: The prompt: constraints, summary, last messages and recalled memories, within the budget.
        summary: The running summary.
        recall: What was recalled, with the receipt of the first question.
        receipt_ids: Receipts of every question that was asked.
        recent: The last messages as they were said.
        status: `ok`, or `degraded: …` with what could not take part.
    """

    messages: list[BaseMessage] = field(repr=False)
    summary: RunningSummary | None = None
    recall: Recall = field(default_factory=Recall)
    receipt_ids: tuple[str, ...] = ()
    recent: tuple[BaseMessage, ...] = field(default=(), repr=False)
    status: str = "ok"


class _Learned(NamedTuple):
    """What extraction led to."""

    failures: int = 0
    decisions: tuple[Decision, ...] = ()


class HybridMemory(ContextRunnable):
    """Last messages, running summary and long-term memory together.

    Adding a turn stores it, updates the summary, and offers it to extraction; a policy decides what is remembered.
    What the assistant says is not offered: it may speak from memory, and would confirm itself. Reading draws on all
    three. Only storing the messages can fail an `add`; whatever else breaks is told in `status`.

    As a runnable it views a conversation that is given, in a chain or in a graph: the summary of its oldest messages,
    and memories recalled for the user's last one.

    Args:
        parts: What it rests on.
        buffer: Keeps the last messages and the summary; `None`: `SummaryBuffer()`.
        assembly: Puts the prompt together; `None`: `ContextAssembly()`.
        query: What every recall is asked with: kinds, limit, purpose.
        scope_of: Whose conversation a run is, from its config; `None`: the runnable recalls nothing.
        keys: Where a graph's state holds the record, the view and the summary.

    Example:
        >>> from langchain_agentmem import AgentMemory, Scope
        >>> from langchain_core.messages import AIMessage, HumanMessage
        >>> memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
        >>> parts = HybridParts(long_term=memory.long_term, extractor=memory.extractor)
        >>> hybrid = HybridMemory(parts, scope_of=lambda config: Scope("alice"))
        >>> _ = memory.long_term.remember("Alice prefers Python", scope=Scope("alice"))
        >>> "Alice prefers Python" in hybrid.invoke([HumanMessage("Which language does Alice prefer?")])[0].text
        True
    """

    makes_summaries = True

    def __init__(
        self,
        parts: HybridParts,
        *,
        buffer: SummaryBuffer | None = None,
        assembly: ContextAssembly | None = None,
        query: RecallQuery | None = None,
        scope_of: Callable[[RunnableConfig], Scope] | None = None,
        keys: StateKeys | None = None,
    ) -> None:
        super().__init__(keys=keys)
        self._parts = parts
        self._summaries = parts.summaries or _summaries_beside(parts.sessions)
        self._buffer = buffer or SummaryBuffer()
        self._assembly = assembly or ContextAssembly()
        self._query = query or RecallQuery()
        self._scope_of = scope_of

    @property
    def summarizer(self) -> FlowSummarizer:
        """What writes the text of a summary: messages in, text out."""
        return self._buffer.summarizer

    def add(self, messages: Sequence[BaseMessage], *, scope: Scope) -> Added:
        """Store a turn, update the summary, and offer the turn to extraction.

        Args:
            messages: What is new: the user's words, calls of tools and their results, the answer.
            scope: Whose, and which conversation.

        Raises:
            ConfigurationError: There are no `sessions`, or something is no message that can be stored.
            ScopeError: The scope names no session.
            StorageError: The messages could not be stored; nothing else was done.
        """
        return run(self._add(messages, scope))

    async def aadd(self, messages: Sequence[BaseMessage], *, scope: Scope) -> Added:
        """Store a turn, update the summary, and offer the turn to extraction; see `add`."""
        return await arun(self._add(messages, scope))

    def read(self, query: str = "", *, scope: Scope) -> Reading:
        """Return the prompt that memory has for a turn.

        Args:
            query: What to recall for; empty: the user's last stored message.
            scope: Whose, and which conversation.

        Raises:
            ConfigurationError: There are no `sessions`, or what must stay exceeds the budget on its own.
            ScopeError: The scope names no session.
            StorageError: The conversation could not be read.
        """
        return run(self._read(query, scope))

    async def aread(self, query: str = "", *, scope: Scope) -> Reading:
        """Return the prompt that memory has for a turn; see `read`."""
        return await arun(self._read(query, scope))

    def _add(self, messages: Sequence[BaseMessage], scope: Scope) -> Flow[Added]:
        sessions = self._sessions()
        count = yield from sessions.append(scope, messages)
        view = yield from _attempt(viewed, self._buffer, self._tail(scope), scope, self._summaries)
        done = view if isinstance(view, View) else View(status=view)
        status, learned = done.status, _Learned()
        if count:
            got = yield from _attempt(self._learn, {message.id for message in messages}, count, scope)
            status, learned = (got, learned) if isinstance(got, str) else (status, got)
        failures = done.failures + learned.failures
        return Added(count=count, summary=done.summary, decisions=learned.decisions, failures=failures, status=status)

    def _read(self, query: str, scope: Scope) -> Flow[Reading]:
        view = yield from viewed(self._buffer, self._tail(scope), scope, self._summaries)
        return (yield from self._reading(view, query or _last_words(view.messages), scope))

    def _view(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        config: RunnableConfig | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> Flow[View]:
        """View as a flow: a recall, and a call of the summarizer where something leaves."""
        view = yield from flows_of(self._buffer).view(messages, summary=summary, new=new)
        scope = None if self._scope_of is None else self._scope_of(ensure_config(config))
        reading = yield from self._reading(view, _last_words([*messages, *new]), scope, new)
        return replace(view, messages=reading.messages, status=reading.status)

    # ------------------------------------------------------------------------------------------------------ the parts
    def _sessions(self) -> Sessions:
        if self._parts.sessions is None:
            msg = "a conversation is stored in sessions; pass HybridParts(sessions=…), or use the memory as a runnable"
            raise ConfigurationError(msg)
        return self._parts.sessions

    def _reading(self, view: View, query: str, scope: Scope | None, new: Sequence[BaseMessage] = ()) -> Flow[Reading]:
        recent = tuple(message for message in view.messages if not _is_ours(message))
        got = yield from self._recalled(_dialogue([*recent, *new], query), scope, recent)
        recalls = () if isinstance(got, str) else got
        found = united(recalls, max_tokens=self._query.max_tokens)
        parts = ContextParts(constraints=found.constraints, memories=found.hits, summary=view.summary, messages=recent)
        return Reading(
            messages=self._assembly.assemble_before(parts, new),
            summary=view.summary,
            recall=found,
            receipt_ids=tuple(recall.receipt_id for recall in recalls if recall.receipt_id is not None),
            recent=recent,
            status=got if isinstance(got, str) else view.status,
        )

    def _recalled(
        self, dialogue: Dialogue, scope: Scope | None, recent: Sequence[BaseMessage]
    ) -> Flow[tuple[Recall, ...] | str]:
        long_term = self._parts.long_term
        if long_term is None or scope is None or scope.is_anonymous or not dialogue.text:
            return ()
        recalling = partial(flows_of(long_term).recall_each, without=episode_ids(recent, scope))
        return (yield from _attempt(recalling, dialogue, replace(self._query, text=""), scope))

    def _tail(self, scope: Scope) -> Callable[[int | None], Flow[list[BaseMessage]]]:
        sessions = self._sessions()
        return lambda last: sessions.read(scope, last=last)

    def _learn(self, ids: AbstractSet[str | None], count: int, scope: Scope) -> Flow[_Learned]:
        """Offer the `count` new messages of a call to extraction, with some before them to be understood by."""
        extractor, long_term = self._parts.extractor, self._parts.long_term
        if extractor is None or long_term is None or scope.is_anonymous:
            return _Learned()
        record = yield from self._record_with(ids, scope)
        places = [place for place, message in enumerate(record) if message.id in ids][-count:]
        first, end = (places[0], places[-1] + 1) if places else (0, 0)
        start = max(first - EXTRACTION_CONTEXT, 0)
        found = yield from extractor.extract_flow(record[start:end], new_from=first - start)
        decisions: list[Decision] = []
        for candidate in filter(_is_evidence, found.candidates):
            decision = yield from flows_of(long_term).remember(dated(candidate, long_term.now()), scope)
            decisions.append(decision)
        return _Learned(found.failures, tuple(decisions))

    def _record_with(self, ids: AbstractSet[str | None], scope: Scope) -> Flow[list[BaseMessage]]:
        """Return the end of the record that holds these messages, as they are stored; others may write meanwhile."""
        size = len(ids) + EXTRACTION_CONTEXT
        while True:
            record = yield from self._tail(scope)(size)
            places = [place for place, message in enumerate(record) if message.id in ids]
            is_whole = len(record) < size or (len(places) == len(ids) and places[0] >= EXTRACTION_CONTEXT)
            if is_whole:
                return record
            size *= _TAIL_GROWTH


def _summaries_beside(sessions: Sessions | None) -> SummaryStore:
    return InProcessSummaries() if sessions is None else summaries_of(sessions)


def _is_evidence(candidate: Candidate) -> bool:
    return candidate.provenance.speaker != "assistant"


def _attempt(flow: Callable[..., Flow[T]], *args: Any) -> Flow[T | str]:
    """Return what a flow returns, or in what way it failed: what breaks here costs a part of the turn, never the turn.

    A missing user or session is no such failure, nor is an interrupt: they propagate.
    """
    try:
        return (yield from flow(*args))
    except (ScopeError, GraphBubbleUp):
        raise
    except Exception as error:  # noqa: BLE001  (whatever a database, an embedder or an extension raises)
        LOGGER.warning("a part of the memory failed in this turn: %s", type(error).__name__)
        detail = f": {error}" if isinstance(error, AgentMemError) else ""  # others may quote what they were given
        return f"degraded: {type(error).__name__}{detail}"


def _last_words(messages: Sequence[BaseMessage]) -> str:
    return next((message.text for message in reversed(messages) if is_of_user(message)), "")


def _dialogue(messages: Sequence[BaseMessage], query: str) -> Dialogue:
    """Return what a planner reads: the query, and what was said before the message that it is, if it is one."""
    last = next((place for place in range(len(messages) - 1, -1, -1) if is_of_user(messages[place])), len(messages))
    is_said = last < len(messages) and messages[last].text == query
    return dialogue_of(query, messages[:last] if is_said else messages)


def _is_ours(message: BaseMessage) -> bool:
    return data_of(message).get("kind") == "tier" or summary_in(message) is not None
