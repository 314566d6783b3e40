"""A chain with a stored conversation around it.

LangChain's own wrapper does the work. Here it gets its user and session from the configuration of the call, a view of
the conversation that stands still while the call runs, and an end to lost turns: LangChain logs and swallows an error
of saving a turn, so the error is kept here and raised when the session is read next.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from langchain_core._api import LangChainDeprecationWarning
from langchain_core.messages import BaseMessage
from langchain_core.runnables import (
    ConfigurableFieldSpec,
    Runnable,
    RunnableConfig,
    RunnablePassthrough,
    RunnableSequence,
)
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.graph import Graph
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.tracers.schemas import Run
from langgraph.pregel import Pregel

from langchain_agentmem._checks import check_among, check_instance
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.chat_history.stored import SessionChatMessageHistory
from langchain_agentmem.context.history import HistoryView
from langchain_agentmem.context.runnable import ContextRunnable
from langchain_agentmem.context.summaries import summaries_of
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.identity import resolve_mode
from langchain_agentmem.long_term.turns.kept_sessions import KeptSessions
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.sessions.turns import answered_again, answers_in, own_messages
from langchain_agentmem.sessions.unsaved import SessionKey, Unsaved, lost_turn
from langchain_agentmem.types import MemoryMode, Scope

DEFAULT_TENANT: Final = "default"


def create_history_runnable(
    runnable: Runnable[Any, Any],
    sessions: Sessions,
    *,
    input_messages_key: str | None = None,
    history_messages_key: str | None = None,
    output_messages_key: str | None = None,
    context: ContextRunnable | None = None,
) -> Runnable[Any, Any]:
    """Return a runnable that reads the conversation before each call of `runnable` and adds the turn after it.

    User and session come from the call's configuration and from nowhere else, never from its input:
    `chain.invoke(input, {"configurable": {"user_id": "alice", "session_id": "1"}})`, and `tenant_id` where there are
    several. A call without a user or a session is refused with `ScopeError`, before anything is read. With a memory's
    own sessions each turn can be searched once it is stored; `memory_mode` of the call may be stricter.

    A turn whose storing fails is answered all the same, because LangChain swallows the error. The next call of that
    user's session raises it as `StorageError`; the messages are kept in this process, and the call after that writes
    them before it reads. Nothing is written twice; an answer whose id an earlier turn has, as a cache may give one, is
    stored under another. Messages that no attempt could store (a `RemoveMessage` in the output) are not kept. A stream
    that its reader gives up leaves what LangChain knew of the answer, which in async is nothing, and no error. A graph
    streams by node, which tells no answer: it is refused, unless it was given `stream_mode = "values"`.

    Args:
        runnable: A chain, or a chat model.
        sessions: Where conversations are stored.
        input_messages_key: Key of the input dictionary that holds the new message or messages.
        history_messages_key: Key of the input dictionary under which the chain expects the conversation so far. `None`:
            the conversation is put before the new messages.
        output_messages_key: Key of the output dictionary that holds the answer. `None`: its only key, else `output`,
            else `messages`, as graphs have it.
        context: What the chain is to see of the conversation: a buffer, a summary buffer, a hybrid memory. Its budget
            is for the conversation and the new messages together. The conversation itself is kept whole, and its
            running summary with it: another process, or this one after a restart, goes on from there. `None`: the
            chain sees all of it.

    Raises:
        ConfigurationError: `runnable` is no LangChain runnable, or is wrapped already, or `context` no view of a
            conversation. A call raises it before anything is run or stored, if the new messages are not where they are
            said to be, or are over the budget of `context` on their own, or a graph is to stream by node.
    """
    if not isinstance(runnable, Runnable):
        msg = f"only a runnable can be wrapped, got {type(runnable).__name__}; for example prompt | model"
        raise ConfigurationError(msg)
    if _is_wrapped(runnable):
        msg = "the runnable has a conversation around it already, every turn would be stored twice; wrap it once"
        raise ConfigurationError(msg)
    if context is not None:
        check_instance("context", context, ContextRunnable)  # type: ignore[type-abstract]  # a check, no construction
    unsaved = Unsaved()
    summaries = summaries_of(sessions)

    def history(
        *, tenant_id: str, user_id: str, session_id: str, memory_mode: MemoryMode
    ) -> _TurnHistory | HistoryView:
        used = sessions.within(memory_mode) if isinstance(sessions, KeptSessions) else sessions
        turn = _TurnHistory(used, Scope(user_id, tenant_id=tenant_id, session_id=session_id), unsaved)
        return turn if context is None else HistoryView(turn, context, summaries=summaries)

    return _HistoryRunnable(
        _as_sequence(runnable),
        history,
        streams_by_node=_streams_by_node(runnable),
        input_messages_key=input_messages_key,
        history_messages_key=history_messages_key,
        output_messages_key=output_messages_key,
        history_factory_config=list(_SPECS),
        config_factories=[_identity],
    )


def wrap_with_keys(runnable: Runnable[Any, Any], sessions: Sessions, keys: Mapping[str, Any]) -> Runnable[Any, Any]:
    """Return `create_history_runnable` with some keys; an unknown one is refused by its name."""
    check_among(keys, _KEYS)
    return create_history_runnable(runnable, sessions, **keys)


_KEYS: Final = ("input_messages_key", "history_messages_key", "output_messages_key", "context")
_SPECS: Final = (
    ConfigurableFieldSpec(id="user_id", annotation=str, name="User", description="The authenticated user."),
    ConfigurableFieldSpec(id="session_id", annotation=str, name="Session", description="The conversation."),
    ConfigurableFieldSpec(
        id="tenant_id", annotation=str, name="Tenant", description="The user's customer.", default=DEFAULT_TENANT
    ),
    ConfigurableFieldSpec(
        id="memory_mode", annotation=str, name="Mode", description="on, frozen or off, for this turn.", default="on"
    ),
)


def _identity(config: RunnableConfig) -> RunnableConfig:
    """Check that a call names its user and session, and fill in the tenant and the mode."""
    given: Mapping[str, Any] = config.get("configurable", {})
    for name in ("user_id", "session_id"):
        if given.get(name) is None:
            example = "{'configurable': {'user_id': …, 'session_id': …}}"
            msg = f"the call names no {name}; pass a config of the ids that your application authenticated: {example}"
            raise ScopeError(msg)
    tenant_id, memory_mode = given.get("tenant_id", DEFAULT_TENANT), resolve_mode(config)
    return {"configurable": {**given, "tenant_id": tenant_id, "memory_mode": memory_mode}}


def _is_block(item: object) -> bool:
    """Whether something is a block of a message's content, as a text or an image beside it."""
    return isinstance(item, dict) and "type" in item and "role" not in item


def _is_wrapped(runnable: object) -> bool:
    while isinstance(runnable, RunnableBindingBase) and not isinstance(runnable, _HistoryRunnable):
        runnable = runnable.bound
    return isinstance(runnable, _HistoryRunnable)


def _as_sequence(runnable: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """Give a lone model a sequence around it: what LangChain records of a model loses some kinds of messages."""
    return runnable if isinstance(runnable, RunnableSequence) else RunnablePassthrough() | runnable


def _streams_by_node(runnable: Runnable[Any, Any]) -> bool:
    """Whether it ends with a graph that streams updates, or more than one thing at once."""
    while isinstance(runnable, RunnableBindingBase | RunnableSequence):
        runnable = runnable.last if isinstance(runnable, RunnableSequence) else runnable.bound
    return isinstance(runnable, Pregel) and runnable.stream_mode != "values"


class _HistoryRunnable(RunnableWithMessageHistory):  # type: ignore[no-redef]  # pydantic's plugin: a field `kwargs`
    """LangChain's wrapper; what goes wrong while a turn is saved is noted before LangChain swallows it."""

    streams_by_node: bool = False

    def __init__(self, runnable: Runnable[Any, Any], history: Callable[..., Any], **options: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LangChainDeprecationWarning)  # it goes with version 2, and this module too
            super().__init__(runnable, history, **options)

    def get_graph(self, config: RunnableConfig | None = None) -> Graph:
        """Return how it is built, to be drawn: that is the same for whoever calls it, and asks for nobody."""
        return self.bound.get_graph(config)

    def _enter_history(self, value: Any, config: RunnableConfig) -> list[BaseMessage]:  # noqa: ANN401  (as of LangChain)
        self._expect(value, config)
        return super()._enter_history(value, config)

    async def _aenter_history(self, value: Any, config: RunnableConfig) -> list[BaseMessage]:  # noqa: ANN401  (as above)
        self._expect(value, config)
        return await super()._aenter_history(value, config)

    def _expect(self, value: Any, config: RunnableConfig) -> None:  # noqa: ANN401  (as above)
        """Check what was given before anything is read or run, and leave room for it in the view."""
        new = self._new_messages(value)
        _turn_of(config).asked = len(new)
        history = config["configurable"]["message_history"]
        if isinstance(history, HistoryView):
            history.expect(new)

    def _new_messages(self, value: Any) -> list[BaseMessage]:  # noqa: ANN401  (as above)
        """Return the messages of an input, as LangChain will find them when the turn is saved.

        Raises:
            ConfigurationError: There are none where they are said to be.
        """
        if not isinstance(value, dict):
            return self._messages_in(value, "the input", "pass the new messages")
        keys = [*value, *([self.history_messages_key] if self.history_messages_key else [])]
        name = self.input_messages_key or (keys[0] if len(set(keys)) == 1 else "input")
        shown = ", ".join(map(repr, value)) or "none"
        remedy = f"its keys are {shown}: name the one of the new messages with input_messages_key=…"
        if name not in value:
            msg = f"the input has no {name!r}; {remedy}"
            raise ConfigurationError(msg)
        is_blocks = isinstance(value[name], list) and bool(value[name]) and all(map(_is_block, value[name]))
        around = f"put these blocks into one message: {{{name!r}: HumanMessage([…])}}"
        return self._messages_in(value[name], f"{name!r} of the input", around if is_blocks else remedy)

    def _messages_in(self, value: Any, place: str, remedy: str) -> list[BaseMessage]:  # noqa: ANN401  (as above)
        found: list[Any] = [value]
        if not isinstance(value, dict):
            with contextlib.suppress(TypeError, ValueError):
                found = self._get_input_messages(value)
        wrong = [type(each).__name__ for each in found if not isinstance(each, BaseMessage)]
        if wrong:
            msg = f"{place} must be a text, a message or a list of messages, got {wrong[0]}; {remedy}"
            raise ConfigurationError(msg)
        return found

    def _get_output_messages(self, output_val: Any) -> list[BaseMessage]:  # noqa: ANN401  (as of LangChain)
        """Return the messages of an output.

        Raises:
            ConfigurationError: There are none where they are said to be.
        """
        if not isinstance(output_val, dict) or "generations" in output_val:
            return super()._get_output_messages(output_val)
        usual = [*(output_val if len(output_val) == 1 else ()), "output", "messages"]
        name = self.output_messages_key or next((it for it in usual if it in output_val), "output")
        if name in output_val:
            return super()._get_output_messages(output_val[name])
        shown = ", ".join(map(repr, output_val)) or "none"
        msg = f"the output has no {name!r}; its keys are {shown}: name the one of the answer with output_messages_key=…"
        raise ConfigurationError(msg)

    def _merged(self, config: RunnableConfig | None) -> RunnableConfig:
        """Return the configuration of a stream, before anything of it runs."""
        if self.streams_by_node:
            msg = (
                "a graph streams what each node returns, which does not tell the answer to store; set its "
                'stream_mode = "values" before it is wrapped, or call invoke'
            )
            raise ConfigurationError(msg)
        return self._merge_configs(config)

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: ANN401  (as of LangChain)
        merged = self._merged(config)
        yield from _watched(self.bound.stream(input, merged, **{**self.kwargs, **kwargs}), _turn_of(merged))

    def transform(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: ANN401  (as above)
        merged = self._merged(config)
        yield from _watched(self.bound.transform(input, merged, **{**self.kwargs, **kwargs}), _turn_of(merged))

    def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:  # noqa: ANN401  (as above)
        merged = self._merged(config)
        return _awatched(self.bound.astream(input, merged, **{**self.kwargs, **kwargs}), _turn_of(merged))

    def atransform(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:  # noqa: ANN401  (as above)
        merged = self._merged(config)
        return _awatched(self.bound.atransform(input, merged, **{**self.kwargs, **kwargs}), _turn_of(merged))

    def _exit_history(self, run: Run, config: RunnableConfig) -> None:
        turn = _turn_of(config)
        try:
            super()._exit_history(run, config)
        except Exception as error:
            if turn.is_unanswered(error):
                return
            turn.note(error)
            raise

    async def _aexit_history(self, run: Run, config: RunnableConfig) -> None:
        turn = _turn_of(config)
        try:
            await super()._aexit_history(run, config)
        except Exception as error:
            if turn.is_unanswered(error):
                return
            turn.note(error)
            raise


def _watched(chunks: Iterator[Any], turn: _TurnHistory) -> Iterator[Any]:
    """Pass a stream on; tell its turn if the caller stops reading it, before the chain ends for that."""
    with contextlib.closing(cast("Generator[Any]", chunks)):
        try:
            for chunk in chunks:  # noqa: UP028  (`yield from` would end the chain first)
                yield chunk
        except GeneratorExit:
            turn.is_given_up = True
            raise


async def _awatched(chunks: AsyncIterator[Any], turn: _TurnHistory) -> AsyncGenerator[Any]:
    """Pass a stream on; see `_watched`."""
    async with contextlib.aclosing(cast("AsyncGenerator[Any]", chunks)):
        try:
            async for chunk in chunks:
                yield chunk
        except GeneratorExit:
            turn.is_given_up = True
            raise


def _turn_of(config: RunnableConfig) -> _TurnHistory:
    history: _TurnHistory | HistoryView = config["configurable"]["message_history"]
    turn: Any = history.history if isinstance(history, HistoryView) else history
    return cast("_TurnHistory", turn)


class _TurnHistory(SessionChatMessageHistory):
    """The history of one call: read once, so that the call sees one conversation from beginning to end."""

    def __init__(self, sessions: Sessions, scope: Scope, unsaved: Unsaved) -> None:
        super().__init__(sessions, scope)
        self._unsaved = unsaved
        self._key: SessionKey = (scope.tenant_id, scope.user_id, scope.session_id)
        self._view: list[BaseMessage] | None = None
        self._noted: Exception | None = None
        self.is_given_up = False
        self.asked = 0

    def is_unanswered(self, error: Exception) -> bool:
        """Whether there was nothing to save: the caller stopped reading before anything of the answer was known."""
        return self.is_given_up and error is not self._noted

    def note(self, error: Exception, messages: Sequence[BaseMessage] = ()) -> None:
        """Remember that this turn was not saved; of the same error only the first note counts."""
        if error is not self._noted:
            self._noted = error
            self._unsaved.note(self._key, error, messages)

    def last(self, n: int) -> list[BaseMessage]:
        """Return the last `n` messages; what was not saved before comes first, as for all of them."""
        return run(self._last(n))

    async def alast(self, n: int) -> list[BaseMessage]:
        """Return the last `n` messages; see `last`."""
        return await arun(self._last(n))

    def _last(self, n: int) -> Flow[list[BaseMessage]]:
        yield from self._settle()
        return (yield from self._sessions.read(self.scope, last=n))

    def _read(self) -> Flow[list[BaseMessage]]:
        if self._view is None:
            yield from self._settle()
            self._view = yield from super()._read()
        return list(self._view)

    def _add(self, messages: Sequence[BaseMessage]) -> Flow[None]:
        messages = own_messages(messages)
        try:
            messages = own_messages(messages, (yield from self._again(messages)))
            yield from super()._add(messages)
        except (ConfigurationError, ScopeError) as error:
            self.note(error)
            raise
        except Exception as error:
            self.note(error, messages)
            raise

    def _again(self, messages: Sequence[BaseMessage]) -> Flow[list[BaseMessage]]:
        """Return the answers whose ids the conversation has already of another turn: they are new ones."""
        if self._view is None:  # a part of the conversation was read: most turns bring ids that nobody has seen
            ids = {str(it.id) for it in answers_in(messages, self.asked) if isinstance(it, BaseMessage) and it.id}
            if not ids or not (yield from self._sessions.pick(self.scope, ids)):
                return []
            return answered_again(messages, self.asked, (yield from self._sessions.read(self.scope)))
        return answered_again(messages, self.asked, self._view)

    def _settle(self) -> Flow[None]:
        """Raise the error of an earlier turn, once; after that, write its messages first."""
        error = self._unsaved.take_error(self._key)
        if error is not None:
            raise lost_turn(error, is_kept=bool(self._unsaved.messages(self._key))) from error
        messages = self._unsaved.messages(self._key)
        if messages:
            yield from super()._add(messages)
            self._unsaved.forget(self._key, messages)
