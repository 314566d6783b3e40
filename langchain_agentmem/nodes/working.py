"""The working-memory node: what a turn changes in the state of its task, stored, and how that went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, BaseMessage, convert_to_messages
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict  # pydantic, which makes the schemas, asks for it below Python 3.12

from langchain_agentmem._checks import check_instance, check_options
from langchain_agentmem._flow import Flow, arun, flows_of, run
from langchain_agentmem.context.groups import keys_of
from langchain_agentmem.context.runnable import state_of
from langchain_agentmem.english.requests.intent import Intent, detect_intent
from langchain_agentmem.errors import ConfigurationError, ScopeError, StorageError
from langchain_agentmem.extraction.record.attribution import attributed
from langchain_agentmem.extraction.record.conversation import is_of_user
from langchain_agentmem.identity import anonymous_scope, names_a_user, resolve_scope, resolve_session_id
from langchain_agentmem.long_term.remove.tasks import asked_for
from langchain_agentmem.nodes.intent import as_intent
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import MemoryOutput, MemoryState
from langchain_agentmem.nodes.turn import (
    MAX_QUERY_CHARS,
    Failure,
    NodeFlows,
    attempt,
    mode_of,
    names_of,
    origin_of,
    start_of_turn,
)
from langchain_agentmem.policies.forgotten import Asked
from langchain_agentmem.policies.working import Rewritten, going_on, merge_working, merged, replayed, without_told
from langchain_agentmem.states.base import StoredState
from langchain_agentmem.types import MemoryMode, Scope
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.types.working_update import StateUpdate
from langchain_agentmem.working.contract import Rewrite, Rewriter
from langchain_agentmem.working.model import ModelRewriter
from langchain_agentmem.working.rules import RuleRewriter
from langchain_agentmem.working.service import WorkingMemory

CONTEXT_MESSAGES: Final = 20
"""Before the new ones: a call of a tool whose answer is new stands there, and the question that is answered."""

NOT_STORED: Final = "the working memory was not stored"
UNCHANGED: Final = "the working memory was not changed"
_KEY_BYTES: Final = 16  # of a digest: two of a conversation's messages never share one
_LOST: Final = "the answer stands, its working memory is lost ({status})"
_NO_CONVERSATION: Final = (
    "error: the run names no conversation, nothing was stored; pass config={'configurable': {'thread_id': …}}"
)

WorkingChannel: TypeAlias = Annotated[dict[str, Any], merge_working]
"""The channel of a graph's state: what `WorkingState.from_dict` reads; what nodes return is merged into it."""


class WorkingReport(TypedDict):
    """How the working memory of a turn went.

    Attributes:
        status: `success`; `degraded: …`, where it was made but not stored, made by rules because the model failed, or
            not changed because memory is `frozen` or `off`; or `error: …`, where there is none.
        version: Of the stored state; 0: none is stored.
        accesses: How often this conversation's was used.
        source: Who rewrote it; `none`: nothing was new.
        failures: Calls of the model that failed in this turn.
    """

    status: str
    version: int
    accesses: int
    source: Literal["rules", "model", "none"]
    failures: int


class WorkingGraphState(TypedDict):
    """State of a graph with working memory; extend it for a graph of your own."""

    messages: Annotated[list[AnyMessage], add_messages]
    working: NotRequired[WorkingChannel]
    working_report: NotRequired[WorkingReport]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """What one run of the node sees; `intent` is what its new messages ask of memory."""

    scope: Scope
    mode: MemoryMode
    messages: Sequence[BaseMessage]
    channel: Mapping[str, Any] | None
    intent: Intent


class WorkingMemoryOutput(MemoryOutput):
    """What a turn of a graph with memory ends with, where it keeps working memory, too."""

    working: NotRequired[WorkingChannel]
    working_report: NotRequired[WorkingReport]


class WorkingMemoryState(MemoryState):
    """State of a graph with memory that keeps working memory, too."""

    working: NotRequired[WorkingChannel]
    working_report: NotRequired[WorkingReport]


class UpdateWorkingMemory(Runnable[Any, dict[str, Any]]):
    """Loads the working memory of the run's conversation, rewrites it from the new messages, and stores it.

    A node of any graph whose state has `messages`, and a runnable outside of graphs; it returns an update for the
    channels `working` and `working_report`. User and conversation come from the run. What fails is reported, and raised
    only where the settings say so. Run again over messages that were taken in, it changes nothing.

    The stored state is what counts: what nodes add to the channel is taken over as long as nobody else stored
    something meanwhile, and what was cleared does not come back from a checkpoint.

    Of a turn in which the user asks to forget something nothing is taken in; where it is everything, the state goes.

    Args:
        working: Where it is stored, `memory.working`; `None`: in the graph's state alone, reported as degraded.
        model: Rewrites; without one, rules do.
        rewriter: Replaces both.
        scope: Fixes the user, for a graph that serves one only.
        settings: Of the nodes around it: who, and in which mode at most.

    Raises:
        ConfigurationError: `working` is no working memory, or both a model and a rewriter are given.

    Example:
        ```python
        builder = StateGraph(WorkingGraphState)
        builder.add_node("working", UpdateWorkingMemory(memory.working, model=model))
        ```
    """

    name = "update_working"

    def __init__(
        self,
        working: WorkingMemory | None = None,
        *,
        model: BaseChatModel | None = None,
        rewriter: Rewriter | None = None,
        scope: Scope | None = None,
        settings: NodeSettings | None = None,
    ) -> None:
        """Compose."""
        if working is not None:
            check_instance("working", working, WorkingMemory)
        if model is not None and rewriter is not None:
            msg = "pass either model or rewriter; a rewriter asks a model of its own"
            raise ConfigurationError(msg)
        self._working = None if working is None else flows_of(working)
        self._rewriter: Rewriter = rewriter or (RuleRewriter() if model is None else ModelRewriter(model))
        self._settings = check_options(settings, NodeSettings, "settings")
        self._scope = scope or self._settings.scope

    @property
    def failures(self) -> int:
        """Calls of the model that failed since this node was made."""
        return int(getattr(self._rewriter, "failures", 0))

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> dict[str, Any]:  # noqa: ANN401  (a graph's state)
        """Return the update of the graph's state; `input` is a state, or messages."""
        return run(self._work(input, ensure_config(config)))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **_kwargs: Any) -> dict[str, Any]:  # noqa: ANN401  (as above)
        """Return the update of the graph's state; see `invoke`."""
        return await arun(self._work(input, ensure_config(config)))

    @property
    def _flows(self) -> NodeFlows:
        return NodeFlows(self._work)

    def _work(self, given: Any, config: RunnableConfig) -> Flow[dict[str, Any]]:  # noqa: ANN401  (as above)
        state: Mapping[str, Any] = state_of(given) or {"messages": given}
        try:
            scope = self._resolve(config)
            mode = self._mode(config, scope)
            channel = WorkingState.from_dict(state.get("working") or {})
            messages = self._said(state, scope, config)
        except (ScopeError, ConfigurationError) as error:
            return {"working_report": _report(f"error: {error}; nothing was stored")}
        if scope is None:
            return {"working_report": _report(_NO_CONVERSATION)}
        intent = _intent(state, messages)
        turn = _Turn(scope=scope, mode=mode, messages=messages, channel=state.get("working"), intent=intent)
        made, report = yield from self._turn(turn)
        if self._settings.raise_on_error and mode == "on" and report["status"].endswith(NOT_STORED):
            raise StorageError(_LOST.format(status=report["status"]))
        return {"working": Rewritten(made, channel), "working_report": report}

    def _said(self, state: Mapping[str, Any], scope: Scope | None, config: RunnableConfig) -> list[BaseMessage]:
        """Return what was said, and mark what others than the user say in human messages."""
        messages = _messages(state.get("messages"))
        if scope is None:
            return messages
        known = state if isinstance(state.get("memory"), Mapping) else {}
        return attributed(messages, origin_of(known, names_of(scope.user_id, config)))

    def _resolve(self, config: RunnableConfig) -> Scope | None:
        """Return whose working memory it is; a run without a user has a visitor's, one without a conversation none."""
        if resolve_session_id(config) is None and (self._scope is None or self._scope.session_id is None):
            return None
        if self._scope is None and not names_a_user(config):
            return anonymous_scope(config)
        return resolve_scope(config, explicit=self._scope)

    def _mode(self, config: RunnableConfig, scope: Scope | None) -> MemoryMode:
        mode = mode_of(config, self._settings)
        return mode if self._working is None or scope is None else self._working.mode(scope, mode)

    def _turn(self, turn: _Turn) -> Flow[tuple[WorkingState, WorkingReport]]:
        loaded = yield from self._load(turn)
        known = loaded if isinstance(loaded, StoredState) else None
        is_read = not isinstance(loaded, Failure) and self._working is not None and turn.mode != "off"
        base = going_on(None if known is None else known.state, turn.channel, is_read=is_read)
        base = _without_asked(base, turn)
        if turn.mode != "on":
            report = _report(f"degraded: memory is {turn.mode!r}; {UNCHANGED}", known)
            return _passed_over(base, turn.messages), report
        if turn.intent.forget_all:
            return (yield from self._clear(turn))
        rewrite = yield from attempt(self._rewrite, base, turn)
        if isinstance(rewrite, Failure):
            return base, _report(rewrite.status, known)
        if rewrite is None and base == (WorkingState(seen=base.seen) if known is None else known.state):
            return base, _report(self._problem(turn, loaded) or "success", known)
        made = yield from attempt(self._store, turn, loaded, base, StateUpdate() if rewrite is None else rewrite.update)
        if isinstance(made, Failure):
            return base, _report(made.status, known, rewrite)
        stored, problem = made
        return stored.state, _report(problem or _told(rewrite), stored, rewrite)

    def _load(self, turn: _Turn) -> Flow[StoredState | Failure | None]:
        if self._working is None:
            return None
        return (yield from attempt(self._working.load, turn.scope, turn.mode))

    def _clear(self, turn: _Turn) -> Flow[tuple[WorkingState, WorkingReport]]:
        """Delete the state: the user wants nothing of it remembered."""
        left = _passed_over(WorkingState(), turn.messages)
        if self._working is None:
            return left, _report(f"degraded: there is no backend; {NOT_STORED}")
        done = yield from attempt(self._working.clear, turn.scope)
        return left, _report(f"{done.status}; {UNCHANGED}" if isinstance(done, Failure) else "success")

    def _rewrite(self, base: WorkingState, turn: _Turn) -> Flow[Rewrite | None]:
        """Return what the new messages change; `None` where there are none."""
        messages = turn.messages
        keys = keys_of(messages)
        new_from = _new_from(messages, keys, base.seen)
        if new_from == len(keys):
            return None
        if turn.intent.is_forget_request:  # it says once more what is to be forgotten
            return Rewrite(update=StateUpdate(seen=_digest(keys[-1])))
        first = max(0, new_from - CONTEXT_MESSAGES)
        rewrite = yield from self._rewriter.rewrite_flow(base, messages[first:], new_from=new_from - first)
        return replace(rewrite, update=replace(rewrite.update, seen=_digest(keys[-1])))

    def _store(
        self, turn: _Turn, loaded: StoredState | Failure | None, base: WorkingState, update: StateUpdate
    ) -> Flow[tuple[StoredState, str | None]]:
        """Return the new state, stored where it can be, and what hindered that."""
        problem = self._problem(turn, loaded)
        if problem is None and self._working is not None:
            known = loaded.state if isinstance(loaded, StoredState) else None
            apply = partial(_applied, known=known, base=base, update=update)
            stored = yield from attempt(self._working.change, turn.scope, apply, turn.mode)
            if not isinstance(stored, Failure):
                return stored, None
            problem = f"{stored.status}; {NOT_STORED}"
        accesses = loaded.accesses if isinstance(loaded, StoredState) else 0
        return StoredState(merged(base, update, sheds=True), accesses), problem

    def _problem(self, turn: _Turn, loaded: StoredState | Failure | None) -> str | None:
        """Return why nothing can be stored, or `None`."""
        if self._working is None:
            return f"degraded: there is no backend; {NOT_STORED}"
        return f"{loaded.status}; {NOT_STORED}" if isinstance(loaded, Failure) else None


def working_of(memory: object) -> WorkingMemory:
    """Return the working memory of a memory, else raise `ConfigurationError`."""
    found = getattr(memory, "working", None)
    if not isinstance(found, WorkingMemory):
        msg = (
            f"working=True needs a memory with working memory, got {type(memory).__name__}; for example an AgentMemory"
        )
        raise ConfigurationError(msg)
    return found


def check_rewriter(rewriter: object, *, is_used: bool) -> None:
    """Raise `ConfigurationError` for what rewrites nothing."""
    if rewriter is not None and not (is_used and hasattr(rewriter, "rewrite_flow")):
        msg = f"rewriter must be a Rewriter, for working=True, got {type(rewriter).__name__} with working={is_used}"
        raise ConfigurationError(msg)


def known_state(stored: StoredState | Failure | None, channel: Mapping[str, Any] | None) -> WorkingState:
    """Return the state of a task as the next rewriting finds it: the stored one, with what nodes added since."""
    known = stored.state if isinstance(stored, StoredState) else None
    return going_on(known, channel, is_read=not isinstance(stored, Failure))


def _intent(state: Mapping[str, Any], messages: Sequence[BaseMessage]) -> Intent:
    """Return what the turn asks of memory, as a node has read it, or by the rules."""
    said = [message for message in messages[start_of_turn(messages) :] if is_of_user(message)]
    report = state.get("memory")
    if isinstance(report, Mapping) and report.get("intent") and said and report.get("turn") == said[-1].id:
        return as_intent(report["intent"])
    return detect_intent("\n".join(message.text for message in said)[:MAX_QUERY_CHARS])


def _without_asked(base: WorkingState, turn: _Turn) -> WorkingState:
    """Return the state without what a visitor asks to forget; of a user long-term memory has taken it out already."""
    what = turn.intent.forget_what
    if not (turn.scope.is_anonymous and turn.intent.is_forget_request and what):
        return base
    return without_told(base, asked_for(Asked.each(what), turn.scope))


def _passed_over(base: WorkingState, messages: Sequence[BaseMessage]) -> WorkingState:
    """Return the state as it was, with messages marked as seen: no later turn takes them in from the graph's state."""
    return replace(base, seen=_digest(keys_of(messages)[-1])) if messages else base


def _applied(
    before: WorkingState | None, *, known: WorkingState | None, base: WorkingState, update: StateUpdate
) -> WorkingState:
    """Return the next state: what was rewritten, or, where somebody else wrote meanwhile, theirs with our changes."""
    made = merged(base, update, sheds=True)
    if before == known:
        return made
    state = replayed(before or WorkingState(), known or WorkingState(), base)
    is_done = before is not None and update.seen is not None and before.seen == update.seen
    if is_done:  # another process took the same messages in
        return state
    written = replayed(state, replace(base, scratchpad=""), replace(made, scratchpad=""))
    notes = StateUpdate(scratchpad=update.scratchpad, note=update.note, seen=made.seen)
    return merged(written, notes, sheds=True)


def _new_from(messages: Sequence[BaseMessage], keys: Sequence[str], seen: str | None) -> int:
    """Return the index of the first message that was not taken in yet."""
    if seen is None:
        return 0
    last = next((place for place in range(len(keys) - 1, -1, -1) if _digest(keys[place]) == seen), None)
    return start_of_turn(messages) if last is None else last + 1


def _messages(given: object) -> list[BaseMessage]:
    """Return what was said, else raise `ConfigurationError`, which quotes none of it."""
    try:
        return convert_to_messages(given or [])  # type: ignore[arg-type]  # whatever it is, it is tried
    except (ValueError, TypeError, AttributeError, KeyError, NotImplementedError) as error:
        msg = f"the state's messages cannot be read ({type(error).__name__}); give a list of LangChain messages"
        raise ConfigurationError(msg) from None


def _digest(key: str) -> str:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).hexdigest()


def _told(rewrite: Rewrite | None) -> str:
    is_replaced = rewrite is not None and rewrite.failures and rewrite.source == "rules"
    return "degraded: the chat model failed; rules rewrote the working memory" if is_replaced else "success"


def _report(status: str, stored: StoredState | None = None, rewrite: Rewrite | None = None) -> WorkingReport:
    return WorkingReport(
        status=status,
        version=0 if stored is None else stored.state.version,
        accesses=0 if stored is None else stored.accesses,
        source="none" if rewrite is None else rewrite.source,
        failures=0 if rewrite is None else rewrite.failures,
    )
