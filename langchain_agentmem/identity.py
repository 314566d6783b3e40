"""Who a call is for: the user, the conversation and the memory mode, as the application set them at run time.

Identity comes from the run and nowhere else: no message, no state, no argument that a model can write, no memory. A
run without a user is a visitor's, or refused, as its settings say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, cast, get_args

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import CONFIG_KEYS, ensure_config
from langgraph.runtime import get_runtime

from langchain_agentmem._checks import check_choice, check_id
from langchain_agentmem.errors import ConfigurationError, GovernanceError, ScopeError
from langchain_agentmem.types import MemoryMode, Scope

USER_KEYS: Final = ("user_id", "langgraph_user_id", "langgraph_auth_user_id")
"""Keys of `configurable` that name the user: ours, and the two that LangGraph's platform sets."""

THREAD_KEYS: Final = ("thread_id", "session_id")
MODES: Final = cast("tuple[MemoryMode, ...]", get_args(MemoryMode))  # the strictest last

AUTH_KEY: Final = "langgraph_auth_user_id"
"""Key of `configurable` under which LangGraph's platform puts whom it has authenticated."""

TOOL_NODES: Final = frozenset({"act", "action", "actions"})
"""Nodes that run tools, beside those whose name has `tool` in it: of ours, and of older agents."""

_ACTING: Final[ContextVar[tuple[MemoryMode, str | None]]] = ContextVar("agentmem_acting", default=("on", None))
_IN_TOOL: Final[ContextVar[bool]] = ContextVar("agentmem_in_tool", default=False)
_CONFIG_KEYS: Final = frozenset(CONFIG_KEYS)
_NO_USER: Final = (
    "this run has no user; pass context={'user_id': …} to the graph, config={'configurable': {'user_id': …}} to any "
    "runnable, or scope=Scope(user_id=…) where the object is built"
)
_OTHER_USER: Final = (
    "this run names the user {named!r}, but its authenticated user is {authenticated!r}; leave user_id out of context "
    "and configurable, let the server's authentication name the user, or build with scope=Scope(user_id=…)"
)
_OTHER_ACTOR: Final = (
    "this run says that {named!r} acts, but its authenticated user is {authenticated!r}; leave actor out of context "
    "and configurable, and let the server's authentication say who acts"
)
_OTHER_TENANT: Final = (
    "this run names the tenant {named!r}, but its authenticated user belongs to {own!r}; leave tenant_id out of "
    "context and configurable, and let the server's authentication give the user a tenant_id"
)


def resolve_scope(
    config: RunnableConfig | None = None,
    runtime: Any = None,  # noqa: ANN401  (Runtime, ToolRuntime, or what a test stands in for them)
    *,
    explicit: Scope | None = None,
    agent_id: str | None = None,
) -> Scope:
    """Return whose memory a run is about; works in nodes, in tools, and outside of any graph.

    Where LangGraph's platform has authenticated a user, that is the user, and the tenant is the `tenant_id` which the
    authentication gave them: a server takes context and `configurable` from its client, so that another user or tenant
    named there is refused. Else the user is looked for in the runtime's context (`user_id` of a mapping or an object),
    then in `configurable` (`user_id`, `langgraph_user_id`). The first that is set decides; a malformed one is refused,
    not passed over. Before all of them stands `explicit`: the application chose it.

    Args:
        config: Of the call; without it, of the run around it.
        runtime: Of the node or tool; without it, of the run around it.
        explicit: A scope chosen when the object was built; it only takes the conversation's id from the run.
        agent_id: The agent that acts; without it, the one within whose call this is.

    Raises:
        ScopeError: No source names a user, an id is malformed, or another one than the authenticated user is named.
    """
    configurable = _configurable(config)
    runtime = _ambient() if runtime is None else runtime
    session_id = _session_id(configurable, runtime)
    agent_id = agent_id or _ACTING.get()[1]
    if explicit is not None:
        return replace(explicit, session_id=explicit.session_id or session_id, agent_id=explicit.agent_id or agent_id)
    user_id = _user_id(configurable, runtime)
    if user_id is None:
        raise ScopeError(_NO_USER)
    return Scope(user_id, tenant_id=_tenant_id(configurable, runtime), agent_id=agent_id, session_id=session_id)


def names_a_user(config: RunnableConfig | None = None, runtime: Any = None) -> bool:  # noqa: ANN401  (as above)
    """Return whether the run names a user at all, well-formed or not."""
    return _user_id(_configurable(config), _ambient() if runtime is None else runtime) is not None


def anonymous_scope(config: RunnableConfig | None = None, runtime: Any = None) -> Scope:  # noqa: ANN401  (as above)
    """Return the scope of a run whose user is unknown: no long-term memory, nothing shared with anyone."""
    configurable = _configurable(config)
    runtime = _ambient() if runtime is None else runtime
    session_id = _session_id(configurable, runtime) or "anonymous"
    return Scope.anonymous(session_id, tenant_id=_tenant_id(configurable, runtime))


def resolve_mode(
    config: RunnableConfig | None = None,
    runtime: Any = None,  # noqa: ANN401  (as above)
    *,
    mode: MemoryMode = "on",
) -> MemoryMode:
    """Return the strictest of `mode`, `memory_mode` of the run's context and of its `configurable`, and the agent's.

    Raises:
        ConfigurationError: A mode is none of `on`, `frozen` and `off`.
    """
    runtime = _ambient() if runtime is None else runtime
    asked = (_field(_context(runtime), "memory_mode"), _configurable(config).get("memory_mode"))
    modes = [mode, _ACTING.get()[0], *(each for each in asked if each is not None)]
    for each in modes:
        check_choice("memory_mode", each, MODES)
    return max(modes, key=MODES.index)


@contextmanager
def in_tool(mode: MemoryMode = "on", agent_id: str | None = None) -> Iterator[None]:
    """Let what is called within act for the agent that calls a tool: LangGraph tells a tool of the run, not of whom.

    It acts in no laxer mode, and with the agent's own memories beside the shared ones, unless it has an agent's id of
    its own. Every run that is started within counts as started by a tool, whatever config it is given.
    """
    tokens = (_ACTING.set((mode, agent_id)), _IN_TOOL.set(True))
    try:
        yield
    finally:
        _ACTING.reset(tokens[0])
        _IN_TOOL.reset(tokens[1])


def is_delegated(config: RunnableConfig | None = None) -> bool:
    """Return whether a run was started by a tool of another agent: what its user says there, a model wrote.

    Tools that an agent with memory runs are known for sure. Those of another agent are told by the node around the run,
    or, where the run has a thread of its own, by the place in the graph around it that LangChain hands on with the
    metadata: whatever stands there, a graph wrote it.
    """
    own = str(_configurable(config).get("checkpoint_ns") or "")
    return _IN_TOOL.get() or any(map(_runs_tools, own.split("|")[:-1])) or not _is_within(own, _place_around(config))


def resolve_decider(named: str | None = None) -> str:
    """Return who decides on what waits for approval: who is named, else the user of the run around this call.

    Raises:
        GovernanceError: This is within a tool, where a model may have asked for it.
        ConfigurationError: Nobody is named, and no run around this call has a user.
    """
    place = str(_configurable(None).get("checkpoint_ns") or "")
    if _IN_TOOL.get() or any(map(_runs_tools, place.split("|"))):
        msg = "nothing is approved within a tool: a model may have asked for it; decide where a person does"
        raise GovernanceError(msg, rule="self_approval")
    if named is not None:
        return named
    if not names_a_user():
        msg = "decided_by must name who decides, as no run around this call has a user; for example decided_by='carol'"
        raise ConfigurationError(msg)
    return resolve_scope().user_id


def resolve_user_name(config: RunnableConfig | None = None, runtime: Any = None) -> str | None:  # noqa: ANN401  (as above)
    """Return what to call the user in memories (`user_name` of the context or `configurable`); it identifies nobody."""
    runtime = _ambient() if runtime is None else runtime
    name = _field(_context(runtime), "user_name") or _configurable(config).get("user_name")
    return name if isinstance(name, str) else None


def resolve_named(name: str) -> object:
    """Return what the run around this call says under a name: its context first, then its `configurable`; or `None`."""
    found = _field(_context(_ambient()), name)
    return _configurable(None).get(name) if found is None else found


def resolve_actor(config: RunnableConfig | None = None, runtime: Any = None) -> str | None:  # noqa: ANN401  (as above)
    """Return who acts in a run (`actor` of its context or `configurable`); `None`: it is its user.

    Where LangGraph's platform has authenticated somebody, that is who acts, whatever the client says.

    Raises:
        ScopeError: The name is malformed, or another one than the authenticated user's.
    """
    runtime, configurable = _ambient() if runtime is None else runtime, _configurable(config)
    named = _field(_context(runtime), "actor")
    named = configurable.get("actor") if named is None else named
    authenticated, _ = _authenticated(configurable, runtime)
    if authenticated is not None and named not in {None, authenticated}:
        raise ScopeError(_OTHER_ACTOR.format(named=named, authenticated=authenticated))
    actor = authenticated if named is None else named
    return None if actor is None else check_id("actor", actor)


def resolve_session_id(config: RunnableConfig | None = None, runtime: Any = None) -> str | None:  # noqa: ANN401  (as above)
    """Return the conversation that the run names: its thread, or `session_id` of its `configurable`; or `None`."""
    return _session_id(_configurable(config), _ambient() if runtime is None else runtime)


def resolve_run_id(runtime: Any = None) -> str | None:  # noqa: ANN401  (as above)
    """Return the id of the graph's run, for provenance: the one it was given, or under which it is recorded."""
    execution = getattr(_ambient() if runtime is None else runtime, "execution_info", None)
    run_id = getattr(execution, "run_id", None)
    return _recorded_run() if run_id is None else str(run_id)


def _recorded_run() -> str | None:
    """Return the id by which a `RunRecorder` of the run around this call knows it."""
    callbacks = ensure_config().get("callbacks")
    parent = getattr(callbacks, "parent_run_id", None)
    known = (getattr(it, "root_of", None) for it in getattr(callbacks, "handlers", ()))
    return next((found for it in known if it is not None and (found := it(parent)) is not None), None)


def _configurable(config: RunnableConfig | None) -> Mapping[str, Any]:
    given = None if config is None else config.get("configurable")
    if config is None or given is None or not config.keys() <= _CONFIG_KEYS:
        return ensure_config(config).get("configurable") or {}
    return given  # what `ensure_config` would return a copy of, at several times the cost


def _ambient() -> Any:  # noqa: ANN401  (a Runtime of whatever context the graph has, or nothing)
    """Return the runtime of the run around this call, or `None` outside of a graph."""
    try:
        return get_runtime()
    except (RuntimeError, KeyError):
        return None


def _place_around(config: RunnableConfig | None) -> str:
    """Return where the first graph around this call stands, as what it calls inherits it with any `configurable`."""
    metadata = (config or {}).get("metadata") or ensure_config(config).get("metadata") or {}
    return str(metadata.get("checkpoint_ns") or "")


def _is_within(own: str, around: str) -> bool:
    """Whether a task of a graph is within another one, or the same: its own run, not one that has begun anew."""
    return not around or own == around or own.startswith(f"{around}|")


def _runs_tools(task: str) -> bool:
    node = task.partition(":")[0].casefold()
    return "tool" in node or node in TOOL_NODES


def _context(runtime: Any) -> Any:  # noqa: ANN401  (a user's own type)
    return getattr(runtime, "context", None)


def _field(record: Any, name: str) -> Any:  # noqa: ANN401  (a context is a mapping, a dataclass or a pydantic model)
    if record is None:
        return None
    return record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)


def _authenticated(configurable: Mapping[str, Any], runtime: Any) -> tuple[Any, Any]:  # noqa: ANN401  (`Scope` checks it)
    """Return whom the platform has authenticated, and their tenant; `None` for what it does not say."""
    user = getattr(getattr(runtime, "server_info", None), "user", None)
    identity = getattr(user, "identity", None) or configurable.get(AUTH_KEY) or None
    return identity, _claim(user, "tenant_id")


def _claim(user: Any, name: str) -> Any:  # noqa: ANN401  (a platform's type: fields are attributes or keys)
    found = getattr(user, name, None)
    if found is not None or not hasattr(user, "__getitem__"):
        return found
    try:
        return user[name]
    except (KeyError, AttributeError):
        return None


def _user_id(configurable: Mapping[str, Any], runtime: Any) -> Any:  # noqa: ANN401  (`Scope` checks it)
    authenticated, _ = _authenticated(configurable, runtime)
    named = [_field(_context(runtime), "user_id"), *map(configurable.get, USER_KEYS)]
    named = [source for source in named if source is not None]
    if authenticated is None:
        return next(iter(named), None)
    other = next((source for source in named if source != authenticated), None)
    if other is not None:
        raise ScopeError(_OTHER_USER.format(named=other, authenticated=authenticated))
    return authenticated


def _tenant_id(configurable: Mapping[str, Any], runtime: Any) -> Any:  # noqa: ANN401  (`Scope` checks it)
    authenticated, tenant_id = _authenticated(configurable, runtime)
    sources = (_field(_context(runtime), "tenant_id"), configurable.get("tenant_id"))
    named = [source for source in sources if source is not None]
    if authenticated is None:
        return next(iter(named), "default")
    own = "default" if tenant_id is None else tenant_id
    other = next((source for source in named if source != own), None)
    if other is not None:
        raise ScopeError(_OTHER_TENANT.format(named=other, own=own))
    return own


def _session_id(configurable: Mapping[str, Any], runtime: Any) -> str | None:  # noqa: ANN401  (a Runtime)
    execution = getattr(runtime, "execution_info", None)
    sources = (getattr(execution, "thread_id", None), *map(configurable.get, THREAD_KEYS))
    found = next((source for source in sources if source is not None), None)
    return None if found is None else str(found)  # LangGraph takes any thread id; here it is a label
