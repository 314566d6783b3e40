"""What all that is done with threads has in common: where they are, how they are sealed, read and timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from langchain_agentmem._checks import MAX_ID_BYTES, check_id
from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Page, Query, Threads
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.following import Follower
from langchain_agentmem.checkpoints.guard import Marker, marker_of, read_marker
from langchain_agentmem.checkpoints.header import Header
from langchain_agentmem.checkpoints.known import Cache
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.ledger.codec import to_micros
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import NullCipher, NullVault, Vault

_RUNTIME_KEY: Final = "__pregel_runtime"
SEES_PRUNED: Final = "__agentmem_sees_pruned"
"""Key in `configurable` of who copies a thread: it is shown also what only stays for others to be rebuilt from."""

_PLAIN: Final = NullCipher()

MAX_NS_BYTES: Final = 2_000
"""What an index of PostgreSQL surely takes beside a number (rows of 2,704 bytes); some forty subgraphs deep."""


class UnownedThreadError(ScopeError):
    """A thread is nobody's, so that no key can seal it: it stays unstored, and is no secret of anybody else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where threads are and how they are kept.

    Attributes:
        ttl: How long a thread lives after its last use; `None`: for ever.
        refreshes_on_read: Whether reading is a use.
        forks: Whether a put that comes too late makes a branch; else it is an error.
        follower: Keeps something of the threads' conversations, and lets go of it with them.
    """

    threads: Threads
    codec: Codec
    vault: Vault
    cache: Cache
    clock: Callable[[], datetime]
    ttl: timedelta | None = None
    refreshes_on_read: bool = False
    forks: bool = False
    follower: Follower | None = None

    def now(self) -> int:
        """Return the time in microseconds since 1970."""
        return to_micros(self.clock()) or 0

    def expiry(self) -> int | None:
        """Return when a thread that is used now will expire."""
        return None if self.ttl is None else (to_micros(self.clock() + self.ttl) or 0)

    def expiry_of_read(self) -> int | None:
        """Return when a thread that is read now will expire, if reading changes that."""
        return self.expiry() if self.refreshes_on_read else None

    def seal(self, thread_id: str, user: Owner | None = None) -> Flow[Seal]:
        """Return the seal of a thread.

        Raises:
            UnownedThreadError: There is a vault, and nobody knows whose the thread is.
        """
        if isinstance(self.vault, NullVault):
            return Seal(_PLAIN, thread_id)
        owner = user or (yield from self.owner(thread_id))  # what is known may be of a thread deleted elsewhere
        if owner is None:
            msg = (
                f"thread {thread_id!r} belongs to nobody, so that no key can seal it; name the user in the run "
                "(context={'user_id': …}), or call saver.bind(thread_id, scope=…) first"
            )
            raise UnownedThreadError(msg)
        scope = Scope(owner.user_id, tenant_id=owner.tenant_id, session_id=thread_id)
        return Seal((yield from self.vault.cipher(scope)).of_thread(thread_id), thread_id, owner)

    def seal_if_owned(self, thread_id: str) -> Flow[Seal | None]:
        """Return the seal of a thread; `None` where there is a vault, and so no thread that is nobody's."""
        if isinstance(self.vault, NullVault):
            return Seal(_PLAIN, thread_id)
        owner = yield from self.owner(thread_id)
        return None if owner is None else (yield from self.seal(thread_id, owner))

    def note_use(self, thread_id: str, owner: Owner | None, expires_at: int | None) -> Flow[None]:
        """Tell who follows the thread until when it lives now."""
        if self.follower is not None and owner is not None and expires_at is not None:
            yield from self.follower.used(thread_id, owner, expires_at)

    def followed(self, thread_id: str, user: Owner | None = None) -> Flow[tuple[Follower, Owner] | None]:
        """Return who keeps something of a thread's conversation, and whose it is; `None`: nobody does."""
        if self.follower is None:
            return None
        owner = user or (yield from self.owner(thread_id))
        if owner is None or not (yield from self.follower.has_any(owner)):
            return None
        return self.follower, owner

    def owner(self, thread_id: str) -> Flow[Owner | None]:
        """Return whose a thread is; `None`: nobody's, or it is not there."""
        reader = StateReader()
        yield from self.threads.load(thread_id, Query(ns="", limit=0), reader)
        return reader.page.state.owner


class StateReader:
    """Reads rows, and no items."""

    page: Page

    def take_page(self, page: Page) -> None:
        """Keep it."""
        self.page = page

    def wants(self) -> list[range]:
        """Want nothing more."""
        return []

    def take_items(self, items: Any) -> None:  # noqa: ANN401  (never called with any)
        """Take nothing."""


class Address(NamedTuple):
    """What a config points at.

    Attributes:
        ns: The namespace; `None`: the config names none.
        id: The checkpoint; `None`: the config names none.
        marker: What the run has read in this namespace.
        is_run: Whether a graph's run asks.
        user: The user whom the run names.
        read_ns: In which namespace of the thread the run has read something; `None`: in none.
        sees_pruned: Whether it points also at what only stays for later checkpoints to be rebuilt from.
    """

    thread_id: str
    ns: str | None = None
    id: str | None = None
    marker: Marker | None = None
    is_run: bool = False
    user: Owner | None = None
    read_ns: str | None = None
    sees_pruned: bool = False

    @property
    def place(self) -> str:
        """The namespace; the root if the config names none."""
        return self.ns or ""

    @property
    def naming(self) -> dict[str, str]:
        """What names the user in configs that are returned, so that a run that begins there is theirs, too.

        A run names its user itself, each time.
        """
        if self.user is None or self.is_run:
            return {}
        return {"user_id": self.user.user_id, "tenant_id": self.user.tenant_id}

    def can_see(self, header: Header) -> bool:
        """Whether a checkpoint is there for who asks: one that was pruned is so only for who copies the thread."""
        return self.sees_pruned or not header.is_pruned


def read_address(configurable: Any, user: Owner | None) -> Address:  # noqa: ANN401  (comes from outside)
    """Return what `config["configurable"]` points at.

    Raises:
        ScopeError: The thread id is missing or malformed.
        ConfigurationError: The namespace or the checkpoint id is malformed.
    """
    thread_id = check_thread(configurable.get("thread_id"))
    ns = configurable.get("checkpoint_ns")
    checkpoint_id = configurable.get("checkpoint_id")
    read = read_marker(configurable, thread_id)
    return Address(
        thread_id,
        None if ns is None else check_ns("checkpoint_ns", ns),
        check_key("checkpoint_id", checkpoint_id) if checkpoint_id else None,
        marker_of(read, configurable, ns or ""),
        _RUNTIME_KEY in configurable,
        user,
        None if read is None else read.ns,
        SEES_PRUNED in configurable,
    )


def check_thread(thread_id: object) -> str:
    """Return a thread id as text.

    Raises:
        ScopeError: It is missing, empty, too long, or holds NUL or a lone surrogate.
    """
    if type(thread_id) is str:
        return check_id("thread_id", thread_id)
    is_other = isinstance(thread_id, (int, UUID)) and not isinstance(thread_id, bool)
    return check_id("thread_id", str(thread_id) if is_other else thread_id)


def check_key(name: str, value: object, *, max_bytes: int = MAX_ID_BYTES) -> str:
    """Return text by which rows are found.

    Raises:
        ConfigurationError: It is no text, holds NUL or a lone surrogate, or is longer than an index takes.
    """
    word = check_word(name, value)
    if len(word) > max_bytes or len(word.encode()) > max_bytes:
        msg = f"{name} {word[:40]!r}… is longer than {max_bytes} bytes; shorten or hash it"
        raise ConfigurationError(msg)
    return word


def check_ns(name: str, value: object) -> str:
    """Return a namespace, which names a subgraph inside a subgraph and so on.

    Raises:
        ConfigurationError: It is no text, holds NUL or a lone surrogate, or is longer than an index takes.
    """
    return check_key(name, value, max_bytes=MAX_NS_BYTES)


def check_word(name: str, value: object) -> str:
    """Return text that can stand in any database.

    Raises:
        ConfigurationError: It is no text, or holds NUL or a lone surrogate.
    """
    if type(value) is str and value.isascii() and "\0" not in value:
        return value
    if not isinstance(value, str):
        msg = f"{name} must be a str, got {type(value).__name__}"
        raise ConfigurationError(msg)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        msg = f"{name} {value!r} holds a lone surrogate; remove it"
        raise ConfigurationError(msg) from error
    if "\0" in value:
        msg = f"{name} {value!r} holds NUL; remove it"
        raise ConfigurationError(msg)
    return value
