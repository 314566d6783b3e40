"""What every runnable of this package is: a list of messages in and out, or a state of a graph in and an update out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from numbers import Real
from typing import Annotated, Any, ClassVar, Final, NotRequired, TypeAlias, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, RemoveMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from pydantic import BaseModel

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.context.groups import keys_of
from langchain_agentmem.context.running_summary import RunningSummary, without_summaries
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.summarize import ExtractiveSummarizer, FlowSummarizer
from langchain_agentmem.summarize.contract import as_messages

TokenCounter: TypeAlias = Callable[[Sequence[BaseMessage]], int]
"""Any count of the tokens of messages; the default estimates and downloads nothing."""


_STATES: Final = ", or the state of a graph (a dict, a dataclass, a pydantic model)"
_KINDS: Final = {"view": "list", "summary": "dict"}
_READ: Final = "__pregel_read"  # by which LangGraph lets a task read its graph's state


class ContextState(TypedDict):
    """A state for graphs that compress: the record, what the model is to read, and the summary.

    The view can be made again at any time, so no checkpoint keeps it; after an interrupt, run the node again.
    """

    messages: Annotated[list[AnyMessage], add_messages]
    view: NotRequired[Annotated[list[AnyMessage], UntrackedValue]]
    summary: NotRequired[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateKeys:
    """Where a node finds the conversation in a graph's state, and where it writes.

    Args:
        messages: The record.
        view: What the model is to read. The same key as `messages` replaces the record itself: shorter, and final.
        summary: The running summary, as a dict; not written where the record is replaced, for then it is in a message.
    """

    messages: str = "messages"
    view: str = "view"
    summary: str = "summary"

    @property
    def is_replacing(self) -> bool:
        """Whether the record itself is rewritten."""
        return self.view == self.messages


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a model is to read of a conversation.

    Attributes:
        messages: System messages, the summary, and the messages that stayed, in their order.
        summary: The running summary, where there is one.
        left: Ids of the messages that the summary covers since this call.
        failures: Calls of a model that failed in this call.
        status: `ok`, or what could not take part.
    """

    messages: list[BaseMessage] = field(default_factory=list, repr=False)
    summary: RunningSummary | None = None
    left: tuple[str, ...] = ()
    failures: int = 0
    status: str = "ok"


@dataclass(frozen=True, slots=True)
class ViewFlows:
    """What a view of a conversation is asked as part of other flows.

    Args:
        view: As `view` of the runnable, and within a run's config.
    """

    view: Callable[..., Flow[View]]


class ContextRunnable(Runnable[Any, Any], ABC):
    """A view of a conversation, sync and async over one flow; what it is given is never changed.

    In a chain it takes a list of messages or a prompt value and returns a list. In a graph it takes the state and
    returns an update. `summarizer` is what LangChain's `SummarizationMiddleware` takes.

    Args:
        token_counter: Counts tokens; by default four characters are about one.
        keys: Where a graph's state holds the record, the view and the summary.
    """

    makes_summaries: ClassVar[bool] = False
    """Whether a graph's state has to keep a summary from one run of the node to the next."""

    def __init__(
        self, *, token_counter: TokenCounter = count_tokens_approximately, keys: StateKeys | None = None
    ) -> None:
        if not callable(token_counter):
            msg = f"token_counter must be a function of messages, got {token_counter!r}; leave it out to estimate"
            raise ConfigurationError(msg)
        self._count: TokenCounter = partial(_counted, token_counter)
        self._keys = keys or StateKeys()

    @property
    def _flows(self) -> ViewFlows:
        return ViewFlows(self._view)

    @abstractmethod
    def _view(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        config: RunnableConfig | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> Flow[View]:
        """View as a flow: what a subclass writes.

        Messages in `new` come after the view, whoever puts them there: they count against the budget, and what answers
        them is chosen, but they are in neither the view nor its summary.
        """

    @property
    def summarizer(self) -> FlowSummarizer:
        """What writes the text of a summary: messages in, text out."""
        return ExtractiveSummarizer()

    def view(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> View:
        """Return what a model is to read of a conversation.

        Args:
            messages: The whole conversation, oldest first.
            summary: The running summary of an earlier view; one that stands among the messages is found there.
            new: What will stand after the view in the prompt and is not in it: the view leaves room for it.

        Raises:
            ConfigurationError: What must stay exceeds the budget on its own; the message names it.
        """
        return run(self._view(messages, summary=summary, new=new))

    async def aview(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> View:
        """Return what a model is to read of a conversation; see `view`."""
        return await arun(self._view(messages, summary=summary, new=new))

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> Any:  # noqa: ANN401  (list or state)
        """Return the view as a list, or as an update where a state was given; see `view`."""
        return self._call_with_config(lambda given: run(self._answer(given, config)), input, config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> Any:  # noqa: ANN401  (as above)
        """Return the view as a list, or as an update where a state was given; see `view`."""

        async def answer(given: Any) -> Any:  # noqa: ANN401  (as above)
            return await arun(self._answer(given, config))

        return await self._acall_with_config(answer, input, config)

    def _answer(self, input: Any, config: RunnableConfig | None) -> Flow[Any]:  # noqa: ANN401  (as above)
        state = state_of(input)
        if state is None:
            view = yield from self._view(as_messages(input, others=_STATES), config=config)
            return view.messages
        record = self._record(state, config)
        held = None if self._keys.is_replacing else state.get(self._keys.summary)
        before = RunningSummary.from_dict(held) if held else None
        given = record if self._keys.is_replacing else without_summaries(record)
        view = yield from self._view(given, summary=_going_on(before, given), config=config)
        return self._update(record, before, view)

    def _record(self, state: Mapping[str, Any], config: RunnableConfig | None) -> list[BaseMessage]:
        record = as_messages(_in_state(state, self._keys.messages))
        self._check_state(config)
        return record

    def _check_state(self, config: RunnableConfig | None) -> None:
        """Refuse to be a node of a graph whose state has no place for the result: LangGraph would drop it unsaid."""
        has = _state_of(config)
        if self._keys.is_replacing or has is None or not has(self._keys.messages):
            return  # called by hand, or with a state of the caller's own
        written = {"view": self._keys.view, **({"summary": self._keys.summary} if self.makes_summaries else {})}
        missing = {role: key for role, key in written.items() if not has(key)}
        if missing:
            wanted = "; ".join(f"{key}: {_KINDS[role]}" for role, key in missing.items())
            msg = (
                f"the graph's state has no {' and no '.join(map(repr, missing.values()))}, so what this node returns "
                f"would be lost; declare it in the state (class State(MessagesState): {wanted}), name another with "
                f"keys=StateKeys(…), shorten the record itself with StateKeys(view={self._keys.messages!r}), or, "
                f"within a node of your own, give it the list of messages"
            )
            raise ConfigurationError(msg)

    def _update(self, record: Sequence[BaseMessage], before: RunningSummary | None, view: View) -> dict[str, Any]:
        if self._keys.is_replacing:
            unchanged = len(record) == len(view.messages) and all(map(_is, record, view.messages))
            return {} if unchanged else {self._keys.messages: replacing(view.messages)}
        update: dict[str, Any] = {self._keys.view: view.messages}
        if view.summary is not None and view.summary != before:
            update[self._keys.summary] = view.summary.to_dict()
        elif view.summary is None and before is not None:
            update[self._keys.summary] = {}
        return update


def state_of(given: object) -> Mapping[str, Any] | None:
    """Return the state of a graph by its keys, whatever LangGraph makes a state of; `None`: it is no state."""
    if isinstance(given, Mapping):
        return given
    if isinstance(given, BaseModel) and not isinstance(given, PromptValue | BaseMessage):
        return dict(given)
    if is_dataclass(given) and not isinstance(given, type):
        return {each.name: getattr(given, each.name) for each in fields(given)}
    return None


def _going_on(before: RunningSummary | None, record: Sequence[BaseMessage]) -> RunningSummary | None:
    """Return the summary of a state as it stands to its record, out of which other nodes may have taken messages.

    It is the thread's own, so it goes on, unless the record was begun anew: the summary knows none of its messages, and
    nothing has been answered in it.
    """
    if before is None:
        return None
    placed = before.placed(keys_of(record))
    if placed is None and any(isinstance(message, AIMessage) for message in record):
        return before.unplaced()
    return placed


def replacing(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the update of LangGraph's `messages` that leaves these and no others."""
    return [RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages]


def _counted(counter: TokenCounter, messages: Sequence[BaseMessage]) -> int:
    tokens = counter(messages)
    if type(tokens) is not int and (not isinstance(tokens, Real) or math.isnan(tokens)):
        msg = f"token_counter must return a number, got {type(tokens).__name__}; leave it out to estimate"
        raise ConfigurationError(msg)
    return tokens


def _is(one: BaseMessage, other: BaseMessage) -> bool:
    return one is other or one == other


def _state_of(config: RunnableConfig | None) -> Callable[[str], bool] | None:
    """Return what tells whether a key is in the state of the graph that runs this as a node; `None`: none does."""
    read = ((config or {}).get("configurable") or {}).get(_READ)
    if not callable(read):
        return None

    def has(key: str) -> bool:
        try:
            read(key)
        except KeyError:
            return False
        return True

    return has


def _in_state(state: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401  (as_messages checks it)
    if key not in state:
        msg = f"the state has no {key!r}; name the key of the conversation with keys=StateKeys(messages=…)"
        raise ConfigurationError(msg)
    return state[key]
