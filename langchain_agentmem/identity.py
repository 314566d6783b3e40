"""Who a call is for: the user, the conversation and the memory mode, as the application set them at run time.

Identity comes from the run and nowhere else: no message, no state, no argument that a model can write, no memory. A
run without a user is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast, get_args

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import CONFIG_KEYS, ensure_config
from langgraph.runtime import get_runtime

from langchain_agentmem._checks import check_choice
from langchain_agentmem.errors import ScopeError
from langchain_agentmem.types import MemoryMode, Scope

USER_KEYS: Final = ("user_id", "langgraph_user_id", "langgraph_auth_user_id")
"""Keys of `configurable` that name the user: ours, and the two that LangGraph's platform sets."""

THREAD_KEYS: Final = ("thread_id", "session_id")
MODES: Final = cast("tuple[MemoryMode, ...]", get_args(MemoryMode))  # the strictest last

_CONFIG_KEYS: Final = frozenset(CONFIG_KEYS)
_NO_USER: Final = (
    "this run has no user; pass context={'user_id': …} to the graph, config={'configurable': {'user_id': …}} to any "
    "runnable, or scope=Scope(user_id=…) where the object is built"
)


def resolve_scope(
    config: RunnableConfig | None = None,
    runtime: Any = None,  # noqa: ANN401  (Runtime, ToolRuntime, or what a test stands in for them)
    *,
    explicit: Scope | None = None,
    agent_id: str | None = None,
) -> Scope:
    """Return whose memory a run is about; works in nodes, in tools, and outside of any graph.

    The user is looked for in this order: `explicit`, the runtime's context (`user_id` of a mapping or an object), the
    identity that LangGraph's platform authenticated, `configurable` (`user_id`, `langgraph_user_id`,
    `langgraph_auth_user_id`). The first that is set decides; a malformed one is refused, not passed over.

    Args:
        config: Of the call; without it, of the run around it.
        runtime: Of the node or tool; without it, of the run around it.
        explicit: A scope chosen when the object was built; it only takes the conversation's id from the run.
        agent_id: The agent that acts.

    Raises:
        ScopeError: No source names a user, or an id is malformed.
    """
    configurable = _configurable(config)
    runtime = _ambient() if runtime is None else runtime
    session_id = _session_id(configurable, runtime)
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
    """Return the strictest of `mode`, `memory_mode` of the run's context, and `memory_mode` of its `configurable`.

    Raises:
        ConfigurationError: A mode is none of `on`, `frozen` and `off`.
    """
    runtime = _ambient() if runtime is None else runtime
    asked = (_field(_context(runtime), "memory_mode"), _configurable(config).get("memory_mode"))
    modes = [mode, *(each for each in asked if each is not None)]
    for each in modes:
        check_choice("memory_mode", each, MODES)
    return max(modes, key=MODES.index)


def resolve_user_name(config: RunnableConfig | None = None, runtime: Any = None) -> str | None:  # noqa: ANN401  (as above)
    """Return what to call the user in memories (`user_name` of the context or `configurable`); it identifies nobody."""
    runtime = _ambient() if runtime is None else runtime
    name = _field(_context(runtime), "user_name") or _configurable(config).get("user_name")
    return name if isinstance(name, str) else None


def resolve_named(name: str) -> object:
    """Return what the run around this call says under a name: its context first, then its `configurable`; or `None`."""
    found = _field(_context(_ambient()), name)
    return _configurable(None).get(name) if found is None else found


def resolve_run_id(runtime: Any = None) -> str | None:  # noqa: ANN401  (as above)
    """Return the id of the graph's run, for provenance."""
    execution = getattr(_ambient() if runtime is None else runtime, "execution_info", None)
    run_id = getattr(execution, "run_id", None)
    return None if run_id is None else str(run_id)


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


def _context(runtime: Any) -> Any:  # noqa: ANN401  (a user's own type)
    return getattr(runtime, "context", None)


def _field(record: Any, name: str) -> Any:  # noqa: ANN401  (a context is a mapping, a dataclass or a pydantic model)
    if record is None:
        return None
    return record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)


def _user_id(configurable: Mapping[str, Any], runtime: Any) -> Any:  # noqa: ANN401  (`Scope` checks it)
    server = getattr(runtime, "server_info", None)
    authenticated = getattr(getattr(server, "user", None), "identity", None)
    for source in (_field(_context(runtime), "user_id"), authenticated, *map(configurable.get, USER_KEYS)):
        if source is not None:
            return source
    return None


def _tenant_id(configurable: Mapping[str, Any], runtime: Any) -> Any:  # noqa: ANN401  (`Scope` checks it)
    sources = (_field(_context(runtime), "tenant_id"), configurable.get("tenant_id"))
    return next((source for source in sources if source is not None), "default")


def _session_id(configurable: Mapping[str, Any], runtime: Any) -> str | None:  # noqa: ANN401  (a Runtime)
    execution = getattr(runtime, "execution_info", None)
    sources = (getattr(execution, "thread_id", None), *map(configurable.get, THREAD_KEYS))
    found = next((source for source in sources if source is not None), None)
    return None if found is None else str(found)  # LangGraph takes any thread id; here it is a label
