"""What the owner of a checkpointer may choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypedDict

from langgraph.checkpoint.serde.base import SerializerProtocol, maybe_add_typed_methods

from langchain_agentmem._checks import CheckedClock, check_choice, check_flag, check_known, check_ttl, utc_now
from langchain_agentmem.checkpoints.base import Threads
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.known import Cache
from langchain_agentmem.checkpoints.setting import Setting
from langchain_agentmem.checkpoints.strict import strict_serde
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.vault.base import Vault, vault_of

OnConflict = Literal["raise", "fork"]
_SERDES: Final = (("dumps_typed", "loads_typed"), ("dumps", "loads"))
"""What LangGraph asks of a serializer, and what it asked of one in its first releases."""


class SaverSettings(TypedDict, total=False):
    """The fields of `SaverOptions` as keyword arguments of a checkpointer."""

    ttl: timedelta | None
    refresh_on_read: bool
    on_conflict: OnConflict
    allowed_types: Sequence[type]
    serde: SerializerProtocol | None
    vault: Vault | None
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaverOptions:
    """How threads are kept.

    Args:
        ttl: How long a thread lives after its last write; `None`: until it is deleted. A thread that has expired is as
            if it had never been.
        refresh_on_read: Reading prolongs it like a write.
        on_conflict: What happens to a run that goes on from what is not the latest any more, because someone else wrote
            meanwhile: `raise` a `ConflictError`, or keep both branches (`fork`): the later one is what the next run
            goes on from, and its metadata says `agentmem_conflict`.
        allowed_types: Classes of your own that may stand in the state; anything else but plain data, messages and what
            LangGraph needs itself is refused, because it would come back as plain data.
        serde: In place of `allowed_types`: what turns values into bytes. It must be strict, and give equal bytes for
            equal values.
        vault: Encrypts what is stored; each thread then needs an owner.
        clock: Gives the time, aware UTC.

    Raises:
        ConfigurationError: A field has a value that cannot work.
    """

    ttl: timedelta | None = None
    refresh_on_read: bool = False
    on_conflict: OnConflict = "raise"
    allowed_types: Sequence[type] = ()
    serde: SerializerProtocol | None = None
    vault: Vault | None = None
    clock: Callable[[], datetime] = utc_now

    def __post_init__(self) -> None:
        """Check every field before anything is opened."""
        check_ttl(self.ttl)
        check_flag("refresh_on_read", self.refresh_on_read)
        vault_of(self.vault)
        check_choice("on_conflict", self.on_conflict, ("raise", "fork"))
        if self.serde is not None and self.allowed_types:
            msg = "pass either serde or allowed_types; a serde knows its own classes"
            raise ConfigurationError(msg)
        if self.serde is not None and not any(map(self._can, _SERDES)):
            msg = (
                f"serde must have dumps_typed and loads_typed, got {type(self.serde).__name__}; leave it out, or pass "
                "langgraph.checkpoint.serde.jsonplus.JsonPlusSerializer(allowed_msgpack_modules=[…])"
            )
            raise ConfigurationError(msg)
        object.__setattr__(self, "clock", CheckedClock(self.clock))

    def _can(self, methods: tuple[str, str]) -> bool:
        return all(callable(getattr(self.serde, name, None)) for name in methods)

    def serializer(self) -> SerializerProtocol:
        """Return what turns values into bytes."""
        return strict_serde(self.allowed_types) if self.serde is None else maybe_add_typed_methods(self.serde)

    def setting(self, threads: Threads) -> Setting:
        """Return how threads are kept there."""
        return Setting(
            threads=threads,
            codec=Codec(self.serializer()),
            vault=vault_of(self.vault),
            cache=Cache(),
            clock=self.clock,
            ttl=self.ttl,
            refreshes_on_read=self.refresh_on_read,
            forks=self.on_conflict == "fork",
        )


def read_settings(given: SaverSettings) -> SaverOptions:
    """Return options of keyword arguments.

    Raises:
        ConfigurationError: One is unknown, or has a value that cannot work.
    """
    check_known(given, SaverOptions)
    return SaverOptions(**given)
