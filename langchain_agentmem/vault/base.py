"""The port through which every stored payload passes, so that encryption changes no schema.

Keys are fetched before a transaction begins (they may live behind a network), sealing happens inside it and never
waits: hence two protocols.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Protocol

from langchain_agentmem._flow import Flow
from langchain_agentmem.types import Scope

FINGERPRINT_BYTES: Final = 16
"""Two of 2^32 items in one thread collide with a chance below 10^-19."""


class Cipher(Protocol):
    """Seals and opens the bytes of one subject. Pure CPU work."""

    def seal(self, plaintext: bytes, identity: str) -> bytes:
        """Return sealed bytes; `identity` names the row and is authenticated with it."""
        ...

    def open(self, sealed: bytes, identity: str) -> bytes:
        """Return the plaintext.

        Raises:
            IntegrityError: The bytes were changed, moved from another row, or sealed with another key.
        """
        ...

    def fingerprint(self, plaintext: bytes) -> bytes:
        """Return 16 bytes, equal for equal plaintexts of this subject, that tell nothing to who lacks the key."""
        ...


class Vault(Protocol):
    """Gives the cipher of a subject."""

    def cipher(self, scope: Scope) -> Flow[Cipher]:
        """Return the cipher of the scope's (tenant, user); may wait for a key."""
        ...

    def destroy(self, scope: Scope) -> Flow[None]:
        """Destroy the key of the scope's (tenant, user) for good: what it sealed can be read by nobody any more.

        A cipher asked for afterwards has a new key. Repeating the call is no error.

        Raises:
            StorageError: Where the keys are could not be reached; the call is to be repeated.
        """
        ...


class NullCipher:
    """Keeps bytes as they are."""

    def seal(self, plaintext: bytes, identity: str) -> bytes:
        """Return the bytes unchanged."""
        return plaintext

    def open(self, sealed: bytes, identity: str) -> bytes:
        """Return the bytes unchanged."""
        return sealed

    def fingerprint(self, plaintext: bytes) -> bytes:
        """Return a plain digest; who can guess the plaintext can check the guess."""
        return blake2b(plaintext, digest_size=FINGERPRINT_BYTES).digest()


class NullVault:
    """The vault of a database whose disk is trusted: nothing is encrypted."""

    def cipher(self, scope: Scope) -> Flow[Cipher]:
        """Return the cipher that changes nothing."""
        yield from ()  # nothing to wait for
        return NullCipher()

    def destroy(self, scope: Scope) -> Flow[None]:
        """Destroy nothing: there is no key."""
        yield from ()  # nothing to wait for
