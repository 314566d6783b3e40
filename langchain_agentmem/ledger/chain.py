"""The hash chain of the log.

Each event has a digest over the previous digest, its header and a commitment to its payload:

    commitment = SHA-256(salt || payload)          salt: 32 random bytes, kept and erased with the payload
    digest     = SHA-256(previous digest || header || commitment)

The header holds no personal data, so the chain stays whole when a payload is erased, encrypted or re-encrypted. The
first "previous digest" is a salted commitment to the tenant and user, so that chains cannot be swapped between users.

What this proves: whoever changes, removes, reorders or truncates events is found, as long as they cannot also replace
the head. The head is authenticated with HMAC-SHA-256 when a key is given (kept outside the database); without a key,
an attacker with full write access can rebuild a whole consistent chain, and only a head exported earlier (`Anchor`)
shows it.

A writer with a key does not sign over a head that the key does not vouch for: it first writes that into the chain, as
an event of type `UNVERIFIED`. What is written from there on is authenticated, and what came before it stays in doubt.
Source: Haber and Stornetta, *How to time-stamp a digital document*, 1991 (linking); RFC 2104 (HMAC).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as quoted
from typing import Final, Literal, TypeAlias

FORMAT: Final = 1
SALT_BYTES: Final = 32
UNVERIFIED: Final = "head_unverified"
"""The type of the event by which a writer notes that its key did not vouch for the head that it found."""

Doubt: TypeAlias = Literal["no_code", "other_code"]
"""Why, as the rule of that event: the head carried no code, or one that is not of this key and this head."""

_JSON: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the chain says in clear about an event."""

    seq: int
    type: str
    at: int
    memory_id: str | None
    rule: str | None

    def encode(self) -> bytes:
        """Return the canonical bytes that are hashed."""
        named = ",".join("null" if it is None else quoted(it) for it in (self.memory_id, self.rule))
        return f"[{FORMAT},{self.seq},{quoted(self.type)},{self.at},{named}]".encode()


def new_salt() -> bytes:
    """Return a fresh random salt."""
    return os.urandom(SALT_BYTES)


def commit(salt: bytes, payload: bytes) -> bytes:
    """Return the commitment to a payload."""
    return hashlib.sha256(salt + payload).digest()


def genesis(salt: bytes, tenant_id: str, user_id: str) -> bytes:
    """Return the digest before the first event."""
    identity = _JSON.encode([FORMAT, tenant_id, user_id])
    return hashlib.sha256(salt + identity.encode()).digest()


def link(previous: bytes, header: Header, commitment: bytes) -> bytes:
    """Return the digest of an event."""
    return hashlib.sha256(previous + header.encode() + commitment).digest()


def authenticate(key: bytes | None, origin: bytes, seq: int, digest: bytes) -> bytes | None:
    """Return the HMAC of a chain's head, or `None` without a key."""
    if key is None:
        return None
    return hmac.new(key, origin + seq.to_bytes(8, "big") + digest, hashlib.sha256).digest()


def doubt(key: bytes | None, origin: bytes, seq: int, digest: bytes, mac: bytes | None) -> Doubt | None:
    """Return why a key does not vouch for a head; `None` where it does, or there is no key, or nothing was written."""
    try:
        expected = authenticate(key, origin, seq, digest)
    except (AttributeError, OverflowError, TypeError):  # of another type, as SQLite lets it be: nothing can follow it
        return None
    if expected is None or is_authentic(mac, expected):
        return None
    if mac is None:
        return "no_code" if seq else None
    return "other_code"


def is_authentic(mac: bytes | None, expected: bytes | None) -> bool:
    """Whether two MACs agree, compared in constant time."""
    return isinstance(mac, bytes) and expected is not None and hmac.compare_digest(mac, expected)
