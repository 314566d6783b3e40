"""What a caller of a checkpointer says, checked before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    get_serializable_checkpoint_metadata,
)

from langchain_agentmem._checks import check_choice, check_count, check_time
from langchain_agentmem.checkpoints.header import PRUNED_KEY
from langchain_agentmem.checkpoints.lookups import Listing
from langchain_agentmem.checkpoints.plans import Keeping
from langchain_agentmem.checkpoints.setting import Address, Setting, check_key, check_thread, check_word, read_address
from langchain_agentmem.checkpoints.writing import Put
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.identity import names_a_user, resolve_actor, resolve_scope
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner

STRATEGIES: Final = ("keep_latest", "delete")
MAX_LIMIT: Final = 2**31 - 1
_RUNTIME_KEY: Final = "__pregel_runtime"
_MAPPINGS: Final = (dict, Mapping)  # a dict is told at once, an abstract class asks around


def address_of(config: RunnableConfig) -> Address:
    """Return what a config points at, and whom its run names.

    Raises:
        ScopeError: The thread id or the user is missing or malformed.
        ConfigurationError: The namespace or the checkpoint id is malformed.
    """
    configurable = config.get("configurable") if isinstance(config, _MAPPINGS) else None
    if not isinstance(configurable, _MAPPINGS):
        msg = f"config must be a dict with 'configurable', got {type(config).__name__}; pass the thread_id in it"
        raise ConfigurationError(msg)
    return read_address(configurable, _owner(config, configurable.get(_RUNTIME_KEY)))


def _owner(config: RunnableConfig, runtime: object) -> Owner | None:
    if not names_a_user(config, runtime):
        return None
    scope = resolve_scope(config, runtime)
    return Owner(scope.tenant_id, scope.user_id)


def actor_of(config: RunnableConfig | None, *, is_user_required: bool) -> str | None:
    """Return who acts by a run's config: who it says, else its user, else nobody (""); `None`: it is no run's.

    Raises:
        ScopeError: A user is required, and the run names none.
    """
    runtime = None if config is None else (config.get("configurable") or {}).get(_RUNTIME_KEY)
    if config is None or runtime is None:
        return None
    if is_user_required or names_a_user(config, runtime):
        return resolve_actor(config, runtime) or resolve_scope(config, runtime).user_id
    return resolve_actor(config, runtime) or ""


def put_of(
    config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
) -> Put:
    """Return what a put is to store, with the metadata of its run."""
    address = address_of(config)
    described: Mapping[str, Any] = get_serializable_checkpoint_metadata(config, metadata)
    if PRUNED_KEY in described and address.is_run:  # only a copy is hidden as what it was copied from
        described = {key: value for key, value in described.items() if key != PRUNED_KEY}
    return Put(address, checkpoint, described, frozenset(new_versions))


def config_after(it: Put) -> RunnableConfig:
    """Return the config that points at what was put."""
    place = {"thread_id": it.address.thread_id, "checkpoint_ns": it.address.place}
    return {"configurable": {**it.address.naming, **place, "checkpoint_id": it.checkpoint["id"]}}


def run_id_of(config: RunnableConfig) -> str | None:
    """Return the id of a run, as the metadata of its checkpoints will have it."""
    run_id = (config.get("metadata") or {}).get("run_id") or config["configurable"].get("run_id")
    return run_id.replace("\0", "") if isinstance(run_id, str) else None


def owner_of(scope: Scope) -> Owner:
    """Return the user of a scope.

    Raises:
        ConfigurationError: It is no scope, or an anonymous one.
    """
    if not isinstance(scope, Scope) or scope.is_anonymous:
        msg = f"scope must name a user, got {scope!r}; for example Scope('alice')"
        raise ConfigurationError(msg)
    return Owner(scope.tenant_id, scope.user_id)


def listing(
    setting: Setting,
    config: RunnableConfig | None,
    filter: Mapping[str, Any] | None,
    before: RunnableConfig | None,
    limit: int | None,
) -> Listing:
    """Return the listing that was asked for.

    Raises:
        ConfigurationError: An argument cannot be understood.
    """
    wanted = {} if filter is None else _metadata("filter", filter)
    before_id = (before.get("configurable") or {}).get("checkpoint_id") if before else None
    return Listing(
        setting=setting,
        address=None if config is None else address_of(config),
        wanted=wanted,
        before=check_key("before's checkpoint_id", before_id) if before_id else None,
        limit=None if limit is None else check_limit(limit, at_least=0),
    )


def _metadata(name: str, wanted: object) -> dict[str, Any]:
    if not isinstance(wanted, Mapping) or not all(isinstance(key, str) for key in wanted):
        msg = (
            f"{name} must be a dict of metadata by name, got {type(wanted).__name__}; for example {{'source': 'loop'}}"
        )
        raise ConfigurationError(msg)
    return dict(wanted)


def check_limit(limit: object, *, at_least: int = 1, name: str = "limit") -> int:
    """Return a number of things, none too many for a database.

    Raises:
        ConfigurationError: It is no int, or too small.
    """
    return min(check_count(name, limit, at_least), MAX_LIMIT)


def check_ids(name: str, values: object) -> list[str]:
    """Return ids as a list; a str is not a list of one-letter ids.

    Raises:
        ConfigurationError: It is a str, or no sequence of str.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        msg = f"{name} must be a list of ids, got {values!r}; for example [{values!r}]"
        raise ConfigurationError(msg)
    return [check_word(f"one of {name}", value) for value in values]


def read_keeping(
    setting: Setting, strategy: object, keep_last: object, older_than: object, keep_tagged: object
) -> Keeping | None:
    """Return what a pruning keeps; `None`: nothing.

    Raises:
        ConfigurationError: The strategy is unknown, or does not go with the others.
    """
    check_choice("strategy", strategy, STRATEGIES)
    last = check_limit(keep_last, name="keep_last")
    tagged = None if keep_tagged is None else _metadata("keep_tagged", keep_tagged)
    if strategy == "delete" and (last != 1 or older_than is not None or tagged is not None):
        msg = "keep_last, older_than and keep_tagged go with strategy='keep_latest'; strategy='delete' keeps nothing"
        raise ConfigurationError(msg)
    if tagged == {}:
        msg = "keep_tagged is empty, which every checkpoint has; for example {'label': 'release'}, or leave it out"
        raise ConfigurationError(msg)
    now = setting.clock()
    return None if strategy == "delete" else Keeping(last=last, since=_since(older_than, now), tagged=tagged, now=now)


def _since(older_than: object, now: datetime) -> datetime | None:
    if older_than is not None and not isinstance(older_than, timedelta | datetime):
        msg = f"older_than must be a timedelta or a datetime, got {older_than!r}; for example timedelta(days=30)"
        raise ConfigurationError(msg)
    if not isinstance(older_than, timedelta):
        return None if older_than is None else check_time("older_than", older_than)
    try:
        return now - older_than
    except OverflowError as error:
        msg = f"older_than {older_than} reaches beyond the year 1; choose a shorter time"
        raise ConfigurationError(msg) from error


def threads_of(name: str, values: object) -> list[str]:
    """Return thread ids, each checked.

    Raises:
        ConfigurationError: It is no list.
        ScopeError: One of them is malformed.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        msg = f"{name} must be a list of thread ids, got {values!r}; for example [{values!r}]"
        raise ConfigurationError(msg)
    return list(map(check_thread, values))


def check_span(name: str, value: object, *, at_least: timedelta) -> timedelta:
    """Return a length of time.

    Raises:
        ConfigurationError: It is none, or too short.
    """
    if not isinstance(value, timedelta) or value < at_least:
        msg = f"{name} must be a timedelta of at least {at_least}, got {value!r}; for example timedelta(seconds=30)"
        raise ConfigurationError(msg)
    return value
