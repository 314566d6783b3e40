"""What one node sees of a turn, and what every node of the loop has in common."""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from traceback import walk_tb
from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeVar

from langchain_core.messages import BaseMessage, SystemMessage, convert_to_messages
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.errors import GraphBubbleUp

from langchain_agentmem._checks import check_options
from langchain_agentmem._flow import Flow, arun, flows_of, run
from langchain_agentmem.context.runnable import state_of
from langchain_agentmem.errors import AgentMemError, ScopeError
from langchain_agentmem.evaluation import Evaluator
from langchain_agentmem.extraction import Extractor
from langchain_agentmem.extraction.record.attribution import Origin, attributed
from langchain_agentmem.extraction.record.conversation import is_of_user
from langchain_agentmem.extraction.record.quarantine import plain
from langchain_agentmem.identity import (
    MODES,
    anonymous_scope,
    is_delegated,
    names_a_user,
    resolve_mode,
    resolve_scope,
    resolve_user_name,
)
from langchain_agentmem.long_term import Episodes, LongTermMemory
from langchain_agentmem.nodes.reporting import fitted
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import MemoryReport, merge_reports, report_of, unwrapped, wrapped
from langchain_agentmem.types import MemoryMode, Scope

MAX_QUERY_CHARS: Final = 2_000
"""Of a message, used to search with: embedding models read about a thousand, and a pasted document is no question."""

_OWNER_CHARS: Final = 16  # 64 bits: no two users of a thread are alike by chance
_NOT_THEIRS: Final = "this turn was begun by another user; go on with it as that user, or begin a new thread"

T = TypeVar("T")

LOGGER: Final = logging.getLogger("langchain_agentmem")


class MemoryParts(Protocol):
    """What the nodes need of an `AgentMemory`."""

    @property
    def long_term(self) -> LongTermMemory:
        """Remembers, recalls and forgets."""
        ...

    @property
    def episodes(self) -> Episodes:
        """Keeps the turns of conversations."""
        ...

    @property
    def extractor(self) -> Extractor:
        """Proposes memories from a turn."""
        ...

    @property
    def evaluator(self) -> Evaluator:
        """Judges how a turn went."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn as a node finds it: `messages[new_from:]` is new, and `report` tells what memory did so far.

    `actor` is who acts for whom, for the policies: known even where memory takes no part, and `scope` is nobody's.
    """

    id: str
    state: Mapping[str, Any]
    messages: list[BaseMessage]
    new_from: int
    report: MemoryReport
    config: RunnableConfig
    mode: MemoryMode
    scope: Scope
    actor: Scope | None = None

    @property
    def may_read(self) -> bool:
        """Whether memory may be recalled."""
        return self.mode != "off" and not self.scope.is_anonymous

    @property
    def may_write(self) -> bool:
        """Whether memory may be changed."""
        return self.mode == "on" and not self.scope.is_anonymous

    @property
    def status(self) -> str:
        """How memory takes part, as far as the run decides."""
        if self.mode != "off" and self.scope.is_anonymous:
            return "anonymous"
        return "ok" if self.mode == "on" else self.mode

    @property
    def text(self) -> str:
        """The user's new words, as they can be searched with."""
        new = (message for message in self.messages[self.new_from :] if is_of_user(message))
        return plain("\n".join(message.text for message in new))[:MAX_QUERY_CHARS].strip()

    def update(self, **changes: Any) -> dict[str, Any]:
        """Return the state update that changes these fields of the report."""
        return {"memory": {"turn": self.id, **changes}}

    def did(self, part: str, **changes: Any) -> dict[str, Any]:
        """Return the state update that says which part of what follows from the answer is done."""
        return self.update(added={"done": [part]}, **changes)

    def failed(self, part: str, failure: Failure, **changes: Any) -> dict[str, Any]:
        """Return the state update that says which part of what follows from the answer is not done."""
        left = [*self.report["left"], part]
        return self.update(status=failure.status, left=left, **changes)

    def after(self, update: Mapping[str, Any]) -> Turn:
        """Return the turn as the next node finds it, where no graph runs them."""
        report = merge_reports(self.report, update["memory"])
        return replace(self, report=report, state={**self.state, **update, "memory": report})


@dataclass(frozen=True, slots=True)
class Failure:
    """Memory could not do its part."""

    status: str


class NodeFlows(NamedTuple):
    """What a node does, for who runs a turn without a graph of nodes: `work` returns the update of the state."""

    work: Callable[..., Flow[Any]]


class MemoryNode(Runnable[Any, Any], ABC):
    """A node of the loop, sync and async over one flow; it works in any graph whose state has `messages`."""

    is_opening: ClassVar[bool] = False
    """Whether a run begins with this node."""

    def __init__(self, settings: NodeSettings | None = None) -> None:
        self._settings = check_options(settings, NodeSettings, "settings")

    @abstractmethod
    def _work(self, turn: Turn) -> Flow[Any]:
        """Return the state update of this node."""

    @property
    def _flows(self) -> NodeFlows:
        return NodeFlows(self._work)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> Any:  # noqa: ANN401  (an update, or commands of tools)
        """Return the node's update of the state."""
        turn = self._begin(input, config)
        return fitted(wrapped(run(self._work(turn))), turn.report, turn.config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> Any:  # noqa: ANN401  (as above)
        """Return the node's update of the state; see `invoke`."""
        turn = self._begin(input, config)
        return fitted(wrapped(await arun(self._work(turn))), turn.report, turn.config)

    def _begin(self, state: object, config: RunnableConfig | None) -> Turn:
        return begin(state, config, self._settings, is_opening=self.is_opening)


def begin(
    state: object,
    config: RunnableConfig | None,
    settings: NodeSettings,
    *,
    is_opening: bool = False,
    is_over: bool = False,
) -> Turn:
    """Return the turn of a state, with user, conversation and mode taken from the run around this call.

    The turn is that of the input: what tools and other agents add to it as human messages is marked as theirs.

    Args:
        state: It has `messages`, whatever LangGraph makes a state of: a mapping, a dataclass or a pydantic model.
        config: Of the run.
        settings: For whom, and in which mode.
        is_opening: Whether the run begins here; then the last human message is its input.
        is_over: Whether the run ends here; then no call of a tool waits for an answer any more.

    Raises:
        ScopeError: The run has no user, and is not allowed to go on without; or another user began the turn.
        ConfigurationError: The run asks for an unknown mode.
    """
    given = state_of(state)
    config, state = ensure_config(config), unwrapped({"messages": state} if given is None else given)
    mode = mode_of(config, settings)
    scope = _scope(config, settings, mode)
    origin = replace(origin_of(state, names_of(scope.user_id, config), is_opening=is_opening), is_over=is_over)
    messages = attributed(messages_of(state), origin)
    turn_id = next((message.id or "" for message in reversed(messages) if is_of_user(message)), "")
    actor, report = _actor(config, settings, scope), report_of(state, turn_id)
    if not is_opening and report.get("owner", owner := owner_of(actor)) != owner:
        raise ScopeError(_NOT_THEIRS)
    return Turn(
        id=turn_id,
        state=state,
        messages=messages,
        new_from=start_of_turn(messages),
        report=report,
        config=config,
        mode=mode,
        scope=scope,
        actor=actor,
    )


def messages_of(state: Mapping[str, Any]) -> list[BaseMessage]:
    """Return the messages of a state; what LangGraph's reducer has put there are such already, and is not read anew."""
    given = state["messages"]
    is_read = isinstance(given, list) and all(issubclass(it, BaseMessage) for it in set(map(type, given)))
    return list(given) if is_read else convert_to_messages(given)


def mode_of(config: RunnableConfig, settings: NodeSettings) -> MemoryMode:
    """Return the strictest mode of settings and run, and of runs that tools start where this is one."""
    allowed = (settings.mode, settings.delegated if is_delegated(config) else "on")
    return resolve_mode(config, mode=max(allowed, key=MODES.index))


def owner_of(actor: Scope) -> str:
    """Return a digest of the user whose turn it is: enough to tell another one."""
    identity = json.dumps([actor.tenant_id, actor.user_id])
    return sha256(identity.encode("utf-8")).hexdigest()[:_OWNER_CHARS]


def origin_of(state: Mapping[str, Any], names: frozenset[str], *, is_opening: bool = False) -> Origin:
    """Return what a state knows of its user's words; it has words of memory only where the turn began in this run."""
    turn = str((state.get("memory") or {}).get("turn", ""))
    is_begun = state.get("memory_text") is not None
    return Origin(turn=turn, is_begun=is_begun, is_opening=is_opening, names=names)


def names_of(user_id: str, config: RunnableConfig | None) -> frozenset[str]:
    """Return what the user of a run may be called."""
    return frozenset(filter(None, (user_id, resolve_user_name(config))))


def start_of_turn(messages: Sequence[BaseMessage]) -> int:
    """Return the index of the first new message: the user's last one, with system messages right before it.

    An earlier message without an answer is not taken as theirs: it may be what a refused run, of somebody else, has
    left in the thread.
    """
    last = next((place for place in range(len(messages) - 1, -1, -1) if is_of_user(messages[place])), 0)
    while last > 0 and isinstance(messages[last - 1], SystemMessage):
        last -= 1
    return last


def began_flow(memory: MemoryParts, turn: Turn) -> Flow[MemoryReport]:
    """Return for the report where the user's log stands as a turn begins; where nobody can tell, 0, and why."""
    if not turn.may_read or "began" in turn.report:
        return {}
    began = yield from attempt(flows_of(memory.episodes).began, turn.scope)
    return {"began": 0, "status": began.status} if isinstance(began, Failure) else {"began": began}


def attempt(flow: Callable[..., Flow[T]], *args: Any, **kwargs: Any) -> Flow[T | Failure]:
    """Return what `flow(*args)` returns, or the failure: what breaks in memory costs the memory, never the turn.

    A missing user is no failure of memory, and an interrupt none at all: both propagate.
    """
    try:
        return (yield from flow(*args, **kwargs))
    except (ScopeError, GraphBubbleUp):
        raise
    except Exception as error:  # noqa: BLE001  (whatever a database, an embedder or an extension raises)
        LOGGER.warning("memory failed in this turn: %s in %s", type(error).__name__, _place(error))
        return Failure(_status(error))


def _place(error: Exception) -> str:
    """Return where an error was raised: enough to find it, and no word of what was remembered."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return f"{frames[-1].f_code.co_filename}:{frames[-1].f_lineno}" if frames else "an unknown place"


def _status(error: Exception) -> str:
    detail = f": {error}" if isinstance(error, AgentMemError) else ""  # others may quote what they were given
    return f"degraded: {type(error).__name__}{detail}"


def _scope(config: RunnableConfig, settings: NodeSettings, mode: MemoryMode) -> Scope:
    may_be_unknown = settings.scope is None and settings.on_missing_user == "anonymous"
    if mode == "off" or (may_be_unknown and not names_a_user(config)):
        return anonymous_scope(config)
    return resolve_scope(config, explicit=settings.scope, agent_id=settings.agent_id)


def _actor(config: RunnableConfig, settings: NodeSettings, scope: Scope) -> Scope:
    if scope.is_anonymous and (settings.scope is not None or names_a_user(config)):
        return resolve_scope(config, explicit=settings.scope, agent_id=settings.agent_id)
    return replace(scope, agent_id=scope.agent_id or settings.agent_id)
