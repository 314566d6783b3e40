"""The keys of one subject, and how they are told from all others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from secrets import token_bytes
from typing import Any, Final, NamedTuple, Self

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types import Scope

KEY_BYTES: Final = 32
"""AES-256."""

ID_BYTES: Final = 4
"""Ids are drawn anew until they differ within a ring; a key of another subject fails by its associated data."""

_LENGTH_BYTES: Final = 4
_FORM: Final = b"\x01"
_ENTRY_BYTES: Final = ID_BYTES + KEY_BYTES

LINEAGE_BYTES: Final = 8


class Subject(NamedTuple):
    """Whose keys they are: a user of a tenant; of a visitor, one conversation."""

    tenant_id: str
    user_id: str
    session_id: str = ""

    @classmethod
    def of(cls, scope: Scope) -> Self:
        """Return the subject of a scope."""
        return cls(scope.tenant_id, scope.user_id, (scope.session_id or "") if scope.is_anonymous else "")

    @property
    def packed(self) -> bytes:
        """Bytes that no other subject has."""
        parts = [part.encode() for part in self]
        return b"".join(len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRing:
    """The data keys of one subject.

    Attributes:
        current: The id of the key that seals.
        keys: Every key that may open, by its id.
        fingerprint_key: Of digests; it outlives rotations, so that equal content is found again.
        changed_at: When it was last changed, in seconds since 1970; 0: nobody knows.
        stamp: What a key store knows this state of the ring by.
    """

    current: bytes
    keys: dict[bytes, bytes] = field(repr=False)
    fingerprint_key: bytes = field(repr=False)
    changed_at: float = field(default=0.0, compare=False)
    stamp: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def new(cls) -> Self:
        """Return a ring with one new key."""
        key_id = token_bytes(ID_BYTES)
        return cls(current=key_id, keys={key_id: token_bytes(KEY_BYTES)}, fingerprint_key=token_bytes(KEY_BYTES))

    def with_new_key(self) -> Self:
        """Return the ring with one more key, which seals from now on."""
        key_id = token_bytes(ID_BYTES)
        while key_id in self.keys:
            key_id = token_bytes(ID_BYTES)
        return replace(self, current=key_id, keys={**self.keys, key_id: token_bytes(KEY_BYTES)})

    def without_old_keys(self) -> Self:
        """Return the ring with nothing but the key that seals."""
        return replace(self, keys={self.current: self.keys[self.current]})

    @property
    def lineage(self) -> bytes:
        """What a ring keeps through every rotation, and no other ring has; it tells nothing of a key."""
        return derived(self.fingerprint_key, b"agentmem lineage", b"")[:LINEAGE_BYTES]

    def packed(self) -> bytes:
        """Return the ring as bytes, its current key first."""
        ids = [self.current, *(it for it in self.keys if it != self.current)]
        return _FORM + self.fingerprint_key + b"".join(it + self.keys[it] for it in ids)

    @classmethod
    def unpacked(cls, packed: bytes) -> Self:
        """Return the ring in some bytes.

        Raises:
            IntegrityError: There is none.
        """
        body = packed[1 + KEY_BYTES :]
        if packed[:1] != _FORM or not body or len(body) % _ENTRY_BYTES:
            msg = "a key ring is of another form, or was cut short; restore the key store from its own backup"
            raise IntegrityError(msg)
        entries = [body[at : at + _ENTRY_BYTES] for at in range(0, len(body), _ENTRY_BYTES)]
        keys = {it[:ID_BYTES]: it[ID_BYTES:] for it in entries}
        return cls(current=entries[0][:ID_BYTES], keys=keys, fingerprint_key=packed[1 : 1 + KEY_BYTES])


def derived(key: bytes, use: bytes, about: bytes) -> bytes:
    """Return a key for one use out of another (keyed BLAKE2b, a pseudorandom function: RFC 7693)."""
    return blake2b(about, key=key, digest_size=KEY_BYTES, person=use).digest()


def id_of(key: bytes) -> bytes:
    """Return the id of a key that is known by nothing else."""
    return derived(key, b"agentmem id", b"")[:ID_BYTES]
