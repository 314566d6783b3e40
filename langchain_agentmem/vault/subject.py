"""`SubjectVault`: a data key for each user, kept outside the database and its backups."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import Final, NoReturn, Protocol, TypeVar
from weakref import WeakSet

from langchain_agentmem._flow import Flow, arun, run, work
from langchain_agentmem._marks import Owner, Standing
from langchain_agentmem.errors import ConfigurationError, LostKeysError, StorageError
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher, Sealable
from langchain_agentmem.vault.cipher import SubjectCipher
from langchain_agentmem.vault.keyring import KeyRing, Subject
from langchain_agentmem.vault.masters import KeyEnvironment, LocalKeys

MAX_CIPHERS: Final = 4_096
"""Subjects whose keys are kept at hand; some 2 KiB each."""

NAME_BYTES: Final = 8
"""Of a key store: enough that two are not called the same by chance."""

T = TypeVar("T")


class KeyStore(Protocol):
    """Where the keys of subjects are."""

    def is_begun(self) -> bool:
        """Whether it ever had keys; it must not wait, and make nothing."""
        ...

    def ring(self, subject: Subject) -> Flow[KeyRing]:
        """Return a subject's keys; where it has none, new ones.

        Raises:
            LostKeysError: It has some, which are damaged.
        """
        ...

    def holds(self, subject: Subject) -> Flow[bool]:
        """Return whether a subject has keys."""
        ...

    def is_current(self, subject: Subject, ring: KeyRing) -> bool:
        """Whether a subject's keys are still these; asked before each use, so it must not wait."""
        ...

    def is_kept(self, subject: Subject, ring: KeyRing) -> bool:
        """Whether a subject's keys are these, or come of them by rotation; asked before each seal: it must not wait."""
        ...

    def change(self, subject: Subject, make: Callable[[KeyRing], KeyRing]) -> Flow[KeyRing]:
        """Change a subject's keys, whoever else does so meanwhile."""
        ...

    def destroy(self, subject: Subject, lineage: bytes | None = None) -> Flow[bool]:
        """Destroy a subject's keys, or only those of a lineage; return whether none are left."""
        ...

    def rotate_master(self) -> Flow[int]:
        """Wrap every key by another master key; return how many were wrapped anew."""
        ...

    def secret(self, use: bytes) -> bytes:
        """Return 32 bytes for a use that is nobody's in particular; they outlive every rotation."""
        ...


class SubjectVault:
    """Encrypts what is stored, with keys of each user's own.

    AES-256-GCM; what a row is and whose it is are part of what is authenticated. When a user's keys are destroyed, what
    they sealed is unreadable, in every backup too.

    Args:
        keys: Where keys are: `KeyFolder("keys")`, or `KeyEnvironment("AGENTMEM_KEY")`, which cannot forget one user.

    Raises:
        ConfigurationError: It is no key store.

    Example:
        ```python
        memory = AgentMemory.embedded("agent.db", vault=SubjectVault(KeyFolder("/var/lib/agent-keys")))
        ```
    """

    def __init__(self, keys: KeyStore | KeyEnvironment) -> None:
        """Nothing is read yet."""
        self._keys: KeyStore = DerivedKeys(keys) if isinstance(keys, KeyEnvironment) else _checked(keys)
        self._ciphers: OrderedDict[Subject, SubjectCipher] = OrderedDict()
        self._destroyed: OrderedDict[Subject, None] = OrderedDict()
        self._served: WeakSet[Sealable] = WeakSet()
        self._name = ""
        self._lock = Lock()

    def serve(self, database: Sealable) -> None:
        """Ask a database before keys are made: where something is sealed by others, its keys are elsewhere."""
        self._served.add(database)

    def cipher(self, scope: Scope) -> Flow[Cipher]:
        """Return the cipher of the scope's user; a user without keys is given some.

        But for one of whom a database that is served holds what was sealed with keys that are not here any more, or
        whose keys are damaged: that cipher raises `LostKeysError` for what it is to seal, and for what it is to open.

        Raises:
            ConfigurationError: A database that is served holds what other keys sealed.
        """
        return (yield from self.subject_cipher(Subject.of(scope)))

    def name(self) -> Flow[str]:
        """Return what tells this key store from all others; a database remembers by it who sealed it.

        Raises:
            ConfigurationError: No keys were ever begun here, and a database that is served holds what others sealed.
        """
        if not self._name:
            yield from self._check_begun()
            secret = yield from work(self._keys.secret, b"name")
            self._name = blake2b(secret, digest_size=NAME_BYTES).hexdigest()
        return self._name

    def check_can_destroy(self) -> None:
        """See that one user's keys could be destroyed, before anything is deleted that only goes with them.

        Raises:
            ConfigurationError: They are all derived from one variable.
        """
        if isinstance(self._keys, DerivedKeys):
            raise self._keys.no_erasure

    def destroy(self, scope: Scope, lineage: str | None = None) -> Flow[None]:
        """Destroy the keys of the scope's user, or only those of a lineage, for every process at once."""
        subject = Subject.of(scope)
        meant = None if lineage is None else bytes.fromhex(lineage)
        if not (yield from self._checked(self._keys.destroy(subject, meant))):
            return
        with self._lock:
            self._ciphers.pop(subject, None)
            self._destroyed[subject] = None
            while len(self._destroyed) > MAX_CIPHERS:
                self._destroyed.popitem(last=False)

    def holds(self, scope: Scope) -> bool:
        """Return whether the scope's user has keys."""
        return run(self._checked(self._keys.holds(Subject.of(scope))))

    async def aholds(self, scope: Scope) -> bool:
        """Return whether the scope's user has keys; see `holds`."""
        return await arun(self._checked(self._keys.holds(Subject.of(scope))))

    def rotate_master(self) -> int:
        """Wrap every user's keys by another master key; return how many were wrapped anew.

        Nothing in a database changes. Killed in between, the next call goes on.

        Raises:
            ConfigurationError: The master key stands in the environment alone: every data key hangs on it.
        """
        return run(self._checked(self._keys.rotate_master()))

    async def arotate_master(self) -> int:
        """Wrap every user's keys by another master key; see `rotate_master`."""
        return await arun(self._checked(self._keys.rotate_master()))

    def secret(self, use: bytes) -> bytes:
        """Return a secret for a use that is nobody's in particular; it outlives every rotation. It reads a file."""
        return self._keys.secret(use)

    def rotate(self, scope: Scope) -> None:
        """Give the scope's user another data key, which seals from now on; the ones before still open.

        Raises:
            ConfigurationError: Keys are derived from one in the environment.
        """
        run(self._flows.rotate(scope))

    async def arotate(self, scope: Scope) -> None:
        """Give the scope's user another data key; see `rotate`."""
        await arun(self._flows.rotate(scope))

    @property
    def _flows(self) -> KeyFlows:
        return KeyFlows(self.cipher, self._change)

    def _change(self, subject: Subject, make: Callable[[KeyRing], KeyRing]) -> Flow[KeyRing]:
        return self._checked(self._keys.change(subject, make))

    def subject_cipher(self, subject: Subject) -> Flow[SubjectCipher]:
        """Return a subject's cipher, made anew where its keys have changed; see `cipher`."""
        known = self._ciphers.get(subject)
        if known is not None and self._keys.is_current(subject, known.ring):
            return known
        if (yield from self._has_lost(subject)):
            return SubjectCipher(KeyRing.new(), subject, is_kept=self._refuse_lost)
        try:
            ring = yield from self._checked(self._keys.ring(subject))
        except LostKeysError as error:
            return SubjectCipher(KeyRing.new(), subject, is_kept=partial(_refuse_damaged, str(error)))
        made = SubjectCipher(ring, subject, is_kept=partial(self._keys.is_kept, subject, ring))
        with self._lock:
            self._ciphers[subject] = made
            while len(self._ciphers) > MAX_CIPHERS:
                self._ciphers.popitem(last=False)
        return made

    def _checked(self, asked: Flow[T]) -> Flow[T]:
        """Ask the key store for something, where it may be asked."""
        yield from self._check()
        return (yield from asked)

    def _check(self) -> Flow[None]:
        """Make and change no keys beside a database that others sealed.

        Raises:
            ConfigurationError: It would be so; nothing was made.
        """
        yield from self._check_begun()
        for database in self._open():
            with suppress(StorageError):  # it is away, and asks before it takes what these seal
                yield from database.agree()

    def _has_lost(self, subject: Subject) -> Flow[bool]:
        """Whether keys of a subject are gone, and what they sealed is not, nor about to be erased."""
        if subject in self._destroyed or (yield from self._checked(self._keys.holds(subject))):
            return False
        found = set[Standing]()
        for database in self._open():
            with suppress(StorageError):  # it is away, and nothing is written to it
                found.add((yield from database.standing(Owner(*subject))))
        if "sealed" not in found or "ending" in found:
            return False
        return not (yield from self._keys.holds(subject))  # whoever sealed it meanwhile made the keys first

    def _open(self) -> list[Sealable]:
        """Return the databases that are served and not closed: what is written no more takes no keys."""
        return [it for it in list(self._served) if not it.is_closed]

    def _refuse_lost(self) -> NoReturn:
        """Seal nothing with new keys, which open nothing of what is there."""
        msg = (
            f"the keys of this user are not in {self._keys!r}, and the database holds what they sealed: either they "
            "were lost, or destroyed with an erasure, and this is an older copy of the database; put them back from "
            "the key store's own backup, or erase the user (privacy.erase)"
        )
        raise LostKeysError(msg)

    def _check_begun(self) -> Flow[None]:
        """Begin no keys beside a database that others sealed; likewise."""
        if self._keys.is_begun():
            return
        for database in self._open():
            is_others = yield from database.holds_sealed()
            if is_others and not self._keys.is_begun():  # whoever sealed it meanwhile began these
                msg = (
                    f"{self._keys!r} holds no keys, and the database holds what other keys sealed; mount the key "
                    "store, or put it back from its own backup: new keys would open nothing, and seal beside it"
                )
                raise ConfigurationError(msg)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._keys!r})"


@dataclass(frozen=True, slots=True)
class KeyFlows:
    """How a user's keys are changed as part of other flows.

    Args:
        cipher: Gives the cipher of a scope's user.
        change: Makes other keys of a subject's.
    """

    cipher: Callable[[Scope], Flow[Cipher]]
    change: Callable[[Subject, Callable[[KeyRing], KeyRing]], Flow[KeyRing]]

    def rotate(self, scope: Scope) -> Flow[None]:
        """Give the scope's user another data key."""
        known = yield from self.cipher(scope)
        known.seal(b"", "")  # keys that were lost are not replaced
        yield from self.change(Subject.of(scope), KeyRing.with_new_key)

    def retire(self, scope: Scope) -> Flow[None]:
        """Forget the keys before the current one; what is still sealed with them is lost."""
        yield from self.change(Subject.of(scope), KeyRing.without_old_keys)


class DerivedKeys:
    """Keys of subjects that are derived from one in the environment, and stored nowhere.

    Args:
        master: The variable.
    """

    def __init__(self, master: KeyEnvironment) -> None:
        self._master = master

    @property
    def _local(self) -> LocalKeys:
        return self._master.local

    def is_begun(self) -> bool:
        """Whether there are keys: always."""
        return True

    def ring(self, subject: Subject) -> Flow[KeyRing]:
        """Return a subject's keys."""
        yield from ()  # nothing to wait for
        return self._local.rings(subject)

    def holds(self, subject: Subject) -> Flow[bool]:
        """Return that a subject has keys: everyone has."""
        yield from ()  # nothing to wait for
        return True

    def is_current(self, subject: Subject, ring: KeyRing) -> bool:
        """Whether a subject's keys are still these: they never change."""
        return True

    def is_kept(self, subject: Subject, ring: KeyRing) -> bool:
        """Whether a subject's keys come of these: they never go."""
        return True

    def change(self, subject: Subject, make: Callable[[KeyRing], KeyRing]) -> Flow[KeyRing]:
        """Refuse: there is nowhere to keep another key.

        Raises:
            ConfigurationError: Always.
        """
        yield from ()  # nothing to wait for
        raise _refused(self._master.variable, wanted="given another key")

    def destroy(self, subject: Subject, lineage: bytes | None = None) -> Flow[bool]:
        """Refuse: whoever has the variable can derive the keys again.

        Raises:
            ConfigurationError: Always.
        """
        yield from ()  # nothing to wait for
        raise self.no_erasure

    @property
    def no_erasure(self) -> ConfigurationError:
        """Why no user can be erased, and what is done instead."""
        refused = _refused(self._master.variable, wanted="rid of its keys")
        return ConfigurationError(
            f"{refused} in a database of its own, where export(sealed=False) and import_ bring users; until then "
            "memory.consent.withdraw(scope, erase=True) deletes a user's memories and turns"
        )

    def rotate_master(self) -> Flow[int]:
        """Refuse: every row is sealed by what is derived from the master key.

        Raises:
            ConfigurationError: Always.
        """
        yield from ()  # nothing to wait for
        raise _refused(self._master.variable, wanted="wrapped by another key")

    def secret(self, use: bytes) -> bytes:
        """Return a secret that is derived from the earliest key."""
        return self._local.secret(use)

    def __repr__(self) -> str:
        return repr(self._master)


def _refuse_damaged(why: str) -> NoReturn:
    """Seal nothing with new keys in the place of those that nothing opens."""
    raise LostKeysError(why)


def _checked(keys: KeyStore) -> KeyStore:
    names = (it for it in vars(KeyStore) if not it.startswith("_"))
    if all(callable(getattr(keys, it, None)) for it in names) and not isinstance(keys, type):
        return keys
    msg = f"keys must be a KeyFolder or a KeyEnvironment, got {type(keys).__name__}; for example KeyFolder('keys')"
    if hasattr(keys, "unwrap"):
        msg = "a KeyServer wraps keys and keeps none; use KeyFolder(path, master=KeyServer(…))"
    raise ConfigurationError(msg)


def _refused(variable: str, *, wanted: str) -> ConfigurationError:
    msg = (
        f"every user's keys are derived from the variable {variable!r}, so that no user alone can be {wanted}; "
        f"use SubjectVault(KeyFolder(path, master=KeyEnvironment({variable!r})))"
    )
    return ConfigurationError(msg)
