"""How rows of a thread look in Redis, and what a thread was last known to be.

Checkpoints and writes are members of two sorted sets of score 0, in the order of their bytes: namespace, id and so on,
each ended by NUL, then the content. So those of one namespace, or the writes of one checkpoint, stand together: what is
looked for is found and fetched by the same command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_agentmem.checkpoints.base import CheckpointRow, Item, ThreadState, WriteRow
from langchain_agentmem.checkpoints.redis.registry import NEVER
from langchain_agentmem.checkpoints.shorthand import longhand, shorthand
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.redis.replies import damaged, number
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault.base import FINGERPRINT_BYTES

NUL: Final = b"\x00"
_NO_DIGEST: Final = bytes(FINGERPRINT_BYTES)
"""Stands where an item was removed."""
_CHECKPOINT_PARTS: Final = 4
_SHOWN: Final = 80
"""Bytes of a damaged member that an error shows: its place, and hardly anything of its content."""
_WRITE_PARTS: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a thread was when it was last seen.

    Attributes:
        heads: By namespace, `None` where there is none; a namespace that is missing is not known.
        horizon: Until when the registry keeps it, in milliseconds or `never`; empty: not at all.
        labels: Some of its labels.
        first: The number that `digests` begin with.
    """

    generation: int = 0
    next_no: int = 1
    owner: Owner | None = None
    horizon: str = ""
    revision: int = 0
    heads: Mapping[str, str | None]
    labels: frozenset[bytes] = frozenset()
    first: int = 1
    digests: bytes = b""

    def state(self, namespaces: Iterable[str] | None = None) -> ThreadState:
        """Return the state for a draft of these namespaces, or for a reader, who begins nothing and sees all heads."""
        names = self.heads if namespaces is None else namespaces
        found = ((ns, self.heads.get(ns)) for ns in names)
        heads = {ns: head for ns, head in found if head is not None}
        is_new = namespaces is not None and not self.generation
        return ThreadState(self.generation, self.next_no, self.owner, heads, is_new=is_new)


def known(thread_id: str, reply: Sequence[Any], namespaces: Sequence[str] | None) -> Known:
    """Return what a script says of a thread; heads come in the order asked for, or with their namespaces.

    Raises:
        IntegrityError: The thread's own numbers are damaged.
    """
    generation, next_no, owner, horizon, revision, found = reply
    names = [_text(it) for it in found[::2]] if namespaces is None else namespaces
    heads = [unpack_optional(it) for it in (found[1::2] if namespaces is None else found)]
    return Known(
        generation=number(generation, f"the generation of thread {thread_id!r}"),
        next_no=number(next_no, f"the next number of thread {thread_id!r}"),
        owner=unpack_owner(owner, thread_id),
        horizon=_horizon(horizon, f"the horizon of thread {thread_id!r}"),
        revision=number(revision, f"the revision of thread {thread_id!r}"),
        heads=dict(zip(names, heads, strict=True)),
    )


def pack_optional(text: str | None) -> bytes:
    """Return a text that may be missing, and may be empty, as bytes."""
    return b"" if text is None else b"=" + text.encode()


def unpack_optional(packed: bytes) -> str | None:
    """Return the text of these bytes."""
    return _text(packed[1:]) if packed else None


def pack_owner(owner: Owner | None) -> bytes:
    """Return an owner as bytes; nobody is empty."""
    return b"" if owner is None else owner.tenant_id.encode() + NUL + owner.user_id.encode()


def unpack_owner(packed: bytes | None, thread_id: str) -> Owner | None:
    """Return the owner of a thread.

    Raises:
        IntegrityError: They are damaged.
    """
    if not packed:
        return None
    tenant_id, end, user_id = _text(packed).partition("\x00")
    if not end:
        what = f"the owner of thread {thread_id!r}"
        raise damaged(what)
    return Owner(tenant_id, user_id)


def owner_if_any(packed: bytes | None) -> Owner | None:
    """Return an owner where a damaged thread must not stop what is done; `None` where there is none."""
    try:
        return unpack_owner(packed, "")
    except IntegrityError:
        return None


def checkpoint_key(ns: str, checkpoint_id: str) -> bytes:
    """Return what the member of a checkpoint, and those of its writes, begin with."""
    return ns.encode() + NUL + checkpoint_id.encode() + NUL


def write_key(row: WriteRow) -> bytes:
    """Return what the member of a write begins with."""
    return checkpoint_key(row.ns, row.checkpoint_id) + row.task_id.encode() + NUL + str(row.idx).encode() + NUL


def checkpoint_rest(row: CheckpointRow) -> bytes:
    """Return what follows the key of a checkpoint."""
    return pack_optional(row.parent_id) + NUL + row.header


def write_rest(row: WriteRow) -> bytes:
    """Return what follows the key of a write."""
    return shorthand(row.task_path).encode() + NUL + shorthand(row.channel).encode() + NUL + row.value


def unpack_checkpoint(member: bytes) -> CheckpointRow:
    """Return the checkpoint of a member.

    Raises:
        IntegrityError: It is damaged.
    """
    ns, checkpoint_id, parent, header = _split(member, _CHECKPOINT_PARTS, "checkpoint")
    return CheckpointRow(_text(ns), _text(checkpoint_id), unpack_optional(parent), header)


def unpack_write(member: bytes) -> WriteRow:
    """Return the write of a member.

    Raises:
        IntegrityError: It is damaged.
    """
    ns, checkpoint_id, task, idx, path, channel, value = _split(member, _WRITE_PARTS, "write")
    place = number(idx, f"the write {member[:_SHOWN]!r}")
    names = longhand(_text(path)), longhand(_text(channel))
    return WriteRow(_text(ns), _text(checkpoint_id), _text(task), place, *names, value)


def pack_digests(items: Sequence[Item]) -> bytes:
    """Return the digests of items, one after the other.

    Raises:
        ConfigurationError: One has another length than a fingerprint.
    """
    for item in items:
        if len(item.digest) != FINGERPRINT_BYTES:
            msg = f"the digest of item {item.no} has {len(item.digest)} bytes; a fingerprint has {FINGERPRINT_BYTES}"
            raise ConfigurationError(msg)
    return b"".join(item.digest for item in items)


def unpack_digests(packed: bytes, first: int) -> list[tuple[int, bytes]]:
    """Return number and digest of the items that are there."""
    places = range(0, len(packed) - FINGERPRINT_BYTES + 1, FINGERPRINT_BYTES)
    found = [(first + n, packed[at : at + FINGERPRINT_BYTES]) for n, at in enumerate(places)]
    return [it for it in found if it[1] != _NO_DIGEST]


def _split(member: bytes, count: int, kind: str) -> list[bytes]:
    parts = member.split(NUL, count - 1)
    if len(parts) != count:
        what = f"the {kind} {member[:_SHOWN]!r}"
        raise damaged(what)
    return parts


def _text(packed: bytes) -> str:
    """Return text, as far as it is any: what is damaged no checksum fits."""
    return packed.decode(errors="replace")


def number_if_any(packed: bytes | None) -> int | None:
    """Return a number, likewise."""
    try:
        return number(packed, "it") if packed else None
    except IntegrityError:
        return None


def _horizon(packed: bytes, what: str) -> str:
    horizon = _text(packed)
    if horizon not in {"", NEVER}:
        number(packed, what)
    return horizon
