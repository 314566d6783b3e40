"""The port through which every stored payload passes, so that encryption changes no schema.

Keys are fetched before a transaction begins (they may live behind a network), sealing happens inside it and never
waits: hence two protocols.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Final, Protocol, cast, runtime_checkable

from langchain_agentmem._flow import Flow
from langchain_agentmem._marks import Marks, Owner, Part, Standing
from langchain_agentmem.errors import ConfigurationError, IntegrityError
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

    def of_thread(self, thread_id: str) -> Cipher:
        """Return the cipher of one of the subject's threads: its keys are derived from the subject's."""
        ...


class Vault(Protocol):
    """Gives the cipher of a subject, and takes it away."""

    def cipher(self, scope: Scope) -> Flow[Cipher]:
        """Return the cipher of the scope's (tenant, user); may wait for a key."""
        ...

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        """Destroy every key of the scope's (tenant, user); what they sealed can be read by nobody, in no copy.

        Done again, it does nothing. The next call of `cipher` begins with another key.

        Args:
            scope: Whose.
            lineage: Of the only ones that are destroyed (`Keyed.lineage`). `None`: all are.

        Raises:
            ConfigurationError: The keys are kept where one of them cannot be destroyed alone.
        """
        ...


class Sealable(Protocol):
    """A database, of which parts may be sealed."""

    marks: Marks
    """What is expected of its parts: use with a vault or without, and by which keys."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing is written to it any more."""
        ...

    def agree(self) -> Flow[None]:
        """Hold that against what the database says of itself, unless that was done.

        Raises:
            ConfigurationError: It says something else, or names other keys.
        """
        ...

    def holds_sealed(self) -> Flow[bool]:
        """Return whether anything in it is sealed, which takes the keys that sealed it."""
        ...

    def standing(self, owner: Owner) -> Flow[Standing]:
        """Return what it has of a user that takes keys."""
        ...


@runtime_checkable
class Serving(Protocol):
    """A vault that can do without its keys, or with others, and so has to know what they sealed."""

    def name(self) -> Flow[str]:
        """Return what tells these keys from all others, and nothing of them; no rotation changes it."""
        ...

    def serve(self, database: Sealable) -> None:
        """Ask a database before keys are begun anew."""
        ...


@runtime_checkable
class Keeping(Protocol):
    """A vault that may keep keys where one user's cannot be destroyed alone."""

    def check_can_destroy(self) -> None:
        """See that it could destroy a user's keys; it must not wait.

        Raises:
            ConfigurationError: It could not, for any user.
        """
        ...


@runtime_checkable
class Keyed(Protocol):
    """A cipher that knows its keys by what they sealed."""

    @property
    def lineage(self) -> str:
        """What its keys keep through every rotation, and none has that was begun before or after; it tells no key."""
        ...

    def is_of_another_key(self, sealed: bytes) -> bool:
        """Whether some bytes, or only their head, look as if a key that is not here, or no more, had sealed them."""
        ...


def vault_of(given: object) -> Vault:
    """Return the vault that was given, `NullVault` for `None`.

    Raises:
        ConfigurationError: It is none.
    """
    if given is None:
        return NullVault()
    if isinstance(given, type) or not callable(getattr(given, "cipher", None)):
        msg = (
            f"vault must be a SubjectVault, or have its method cipher(scope), got {type(given).__name__}; "
            "for example SubjectVault(KeyFolder('keys'))"
        )
        raise ConfigurationError(msg)
    return cast("Vault", given)


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

    def of_thread(self, thread_id: str) -> Cipher:
        """Return itself: there is no key to derive another from."""
        return self


def open_as(cipher: Cipher, sealed: bytes, names: Sequence[str]) -> bytes:
    """Return what a value says, under whichever of its names it was sealed; earlier releases knew shorter ones.

    Nobody without the key can seal under any of them: what has its full name can be given no shorter one.

    Raises:
        IntegrityError: It was sealed under none; it is told by its full name.
    """
    try:
        return cipher.open(sealed, names[0])
    except IntegrityError:
        for name in names[1:]:
            with suppress(IntegrityError):
                return cipher.open(sealed, name)
        raise


def is_sealing(vault: Vault | None) -> bool:
    """Whether a vault encrypts anything."""
    return vault is not None and not isinstance(vault, NullVault)


def use_database(database: Sealable, part: Part, vault: Vault | None) -> None:
    """Say how a part of a database is used, and let a vault know the database.

    Raises:
        ConfigurationError: The same database is used with a vault and without.
    """
    serving = vault if isinstance(vault, Serving) else None
    database.marks.expect(part, is_sealed=is_sealing(vault), keys=None if serving is None else serving.name)
    if serving is not None:
        serving.serve(database)


class NullVault:
    """The vault of a database whose disk is trusted: nothing is encrypted."""

    def cipher(self, scope: Scope) -> Flow[Cipher]:
        """Return the cipher that changes nothing."""
        yield from ()  # nothing to wait for
        return NullCipher()

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        """Destroy nothing: there is no key."""
        yield from ()  # nothing to wait for
