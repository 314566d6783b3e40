"""A folder of keys: one file per subject, wrapped by a master key."""

from __future__ import annotations

import dataclasses
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from secrets import token_bytes
from threading import Lock
from typing import Final

from langchain_agentmem._checks import check_flag
from langchain_agentmem._flow import Flow, work
from langchain_agentmem.errors import ConfigurationError, IntegrityError, LostKeysError
from langchain_agentmem.vault import files
from langchain_agentmem.vault.damage import Left, damaged, misled
from langchain_agentmem.vault.keyring import KEY_BYTES, LINEAGE_BYTES, KeyRing, Subject, derived
from langchain_agentmem.vault.master_file import MasterFile, key_lines, read_name_key
from langchain_agentmem.vault.masters import KeyServer, Master

LOGGER: Final = logging.getLogger("langchain_agentmem")

_MASTER: Final = "master.key"
_NAMES: Final = "names.key"
_SUBJECTS: Final = "subjects"
_LOCK: Final = ".lock"
_NAME_BYTES: Final = 20
_SHELF_CHARS: Final = 2
_NS_PER_S: Final = 1_000_000_000
_TRIED: Final = 8
"""Files of keys that a master key may fail to open before it is taken for another one: some may be damaged."""
_MARK: Final = b"\xa6k"
"""Begins a file of keys; then their lineage, in the clear, and the wrapped keys."""

_LINEAGE_END: Final = len(_MARK) + LINEAGE_BYTES


class KeyFolder:
    """Keys in a folder, a file for each subject: a subject's keys are destroyed with its file.

    Keep it where neither the database nor its backups are, and back it up apart, no longer than erased users may be
    readable: who restores a backup of the folder restores the keys in it. Any number of processes may share it. Files
    are readable by their owner only, and named by a keyed digest of whose they are.

    Args:
        path: The folder; it is made where it is missing.
        master: What wraps the keys: `KeyEnvironment` or `KeyServer`. Without one, a master key in the folder itself:
            then who has the folder has the keys.
        create: Whether a folder that holds no keys yet may be begun. Say `False` once it was, where it stands on a
            disk of its own: a process that starts before the disk is there is refused, and seals nothing with new keys.
        rekeys: Whether every erasure of a user is followed by `rotate_master`, so that copies of the folder from before
            it open for nobody who has not the old master key as well. It writes one small file for each user.

    Raises:
        ConfigurationError: The path is no folder, the master key is missing or malformed, or nothing was begun there.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        master: Master | None = None,
        create: bool = True,
        rekeys: bool = False,
    ) -> None:
        """Check the path; nothing is made yet."""
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            msg = f"path must name a folder, got {path!r}; for example KeyFolder('keys')"
            raise ConfigurationError(msg)
        if master is not None and not all(
            callable(getattr(master, it, None)) for it in ("wrap", "unwrap", "is_current")
        ):
            msg = f"master must be a KeyEnvironment, a KeyServer or None, got {type(master).__name__}"
            raise ConfigurationError(msg)
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            msg = f"{str(self.path)!r} is a file; KeyFolder needs a folder of its own"
            raise ConfigurationError(msg)
        self._master: Master = master or MasterFile(self.path / _MASTER)
        self._names: bytes | None = None
        self._making = Lock()
        self._is_proven = False
        self._rekeys = check_flag("rekeys", rekeys)
        if not check_flag("create", create) and not self.is_begun():
            msg = f"{str(self.path)!r} holds no keys; mount it or put it back, or pass create=True to begin it"
            raise ConfigurationError(msg)

    # --------------------------------------------------------------------------------------------------- key store
    def is_begun(self) -> bool:
        """Whether the folder ever had keys, as far as this process knows."""
        return self._names is not None or files.stamp_of(self.path / _NAMES) is not None

    def ring(self, subject: Subject) -> Flow[KeyRing]:
        """Return a subject's keys; where it has none, new ones.

        Raises:
            LostKeysError: Their file is damaged; it is not replaced.
            IntegrityError: It does not open, nor does any other: the master key is another one.
        """
        path = yield from work(self._path, subject)
        while True:
            found = yield from work(files.read, path)
            if found is not None:
                files.warn_if_open(path)
                ring = yield from self._judged(path, found[0])
                return dataclasses.replace(ring, stamp=(path, found[1]), changed_at=found[1][1] / _NS_PER_S)
            yield from self._prove()
            yield from work(self._swap, path, None, (yield from self._wrapped(KeyRing.new(), path)))

    def holds(self, subject: Subject) -> Flow[bool]:
        """Return whether a subject has keys."""
        path = yield from work(self._path, subject)
        return files.stamp_of(path) is not None

    def is_current(self, subject: Subject, ring: KeyRing) -> bool:
        """Whether a subject's keys are still these; looks at one file's dates."""
        path, stamp = ring.stamp
        return bool(files.stamp_of(path) == stamp)

    def is_kept(self, subject: Subject, ring: KeyRing) -> bool:
        """Whether a subject's keys come of these; reads one file's first bytes where its dates have changed."""
        path, stamp = ring.stamp
        if files.stamp_of(path) == stamp:
            return True
        found = files.read(path)
        return found is not None and _split(found[0])[0] == ring.lineage

    def change(self, subject: Subject, make: Callable[[KeyRing], KeyRing]) -> Flow[KeyRing]:
        """Change a subject's keys, whoever else does so meanwhile."""
        path = yield from work(self._path, subject)
        while True:
            ring = yield from self.ring(subject)
            changed = make(ring)
            content = yield from self._wrapped(changed, path)
            if (yield from work(self._swap, path, ring.stamp[1], content)):
                return (yield from self.ring(subject))

    def destroy(self, subject: Subject, lineage: bytes | None = None) -> Flow[bool]:
        """Destroy a subject's keys, or only those of a lineage; return whether none are left."""
        path = yield from work(self._path, subject)
        if lineage is not None:
            yield from self._mark(path)
        are_gone: bool = yield from work(self._destroyed, path, lineage)
        if self._rekeys:  # also where a call that was broken off has destroyed them
            _, left = yield from self._rotated()
            if left:  # somebody else's, and no reason to keep this one from being erased
                LOGGER.warning("%s", left)
        return are_gone

    def rotate_master(self) -> Flow[int]:
        """Wrap every key by another master key; return how many were wrapped anew.

        The master key of the folder itself is replaced by a new one, and forgotten when nothing is wrapped by it any
        more. Killed in between, the next call goes on. Readers and writers go on meanwhile.

        Raises:
            IntegrityError: Some files are damaged; it names them. The others were wrapped anew, and the master key
                before stays until these are put back, or their users erased.
        """
        changed, left = yield from self._rotated()
        if left:
            raise IntegrityError(left)
        return changed

    def _rotated(self) -> Flow[tuple[int, str]]:
        """Wrap every key anew; return how many were, and what is to be said of those that could not be."""
        if isinstance(self._master, MasterFile):
            yield from work(self._add_master, self._master)
        done = yield from self._wrap_anew()
        if isinstance(self._master, MasterFile):
            yield from work(self._drop_masters, self._master)
        yield from work(self._sweep)
        return done

    def secret(self, use: bytes) -> bytes:
        """Return a secret that is derived from the key of names, which no rotation changes."""
        return derived(self._open(), b"agentmem secret", use)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    # ------------------------------------------------------------------------------------------------------- files
    def _path(self, subject: Subject) -> Path:
        name = derived(self._open(), b"agentmem file", subject.packed)[:_NAME_BYTES].hex()
        return self.path / _SUBJECTS / name[:_SHELF_CHARS] / name

    def _open(self) -> bytes:
        """Make the folder where it is new; return the key that names its files."""
        if self._names is None:
            with self._making:
                files.make_folder(self.path / _SUBJECTS)
                with files.alone(self.path / _LOCK):
                    files.sweep(self.path)
                    self._names = self._read_names()
        return self._names

    def _read_names(self) -> bytes:
        path = self.path / _NAMES
        found = files.read(path)
        if found is not None:
            files.warn_if_open(path)
            return read_name_key(found[0], path)
        if next(self._files(), None) is not None:
            msg = f"{str(path)!r} is missing, and nobody's keys are found without it; put it back from its backup"
            raise ConfigurationError(msg)
        if isinstance(self._master, MasterFile) and not self._master.path.exists():
            self._master.make()  # first, so that a folder that has names has had a master key
        names = token_bytes(KEY_BYTES)
        files.replace(path, key_lines([names]))
        return names

    def _prove(self) -> Flow[None]:
        """Wrap no new keys with a master key that opens none of those that are here.

        Raises:
            IntegrityError: It is another one.
        """
        refused: IntegrityError | None = None
        tried = [] if self._is_proven else (yield from work(lambda: list(islice(self._files(), _TRIED))))
        for path in tried:
            try:
                if (yield from self._opens(path)):
                    refused = None
                    break
            except LostKeysError:  # it is damaged, which tells nothing of the master key
                continue
            except IntegrityError as error:
                refused = error
        if refused is not None:
            raise refused
        self._is_proven = True

    def _opens(self, path: Path) -> Flow[bool]:
        """Open a file of keys; return whether there is one. Errors as `_opened`."""
        found = yield from work(files.read, path)
        if found is not None:
            yield from self._opened(path, found[0])
        return found is not None

    def _judged(self, path: Path, content: bytes) -> Flow[KeyRing]:
        """Return the keys in a file; where it does not open, and another one does, it is damaged. Errors as `ring`."""
        try:
            return (yield from self._opened(path, content))
        except LostKeysError:
            raise
        except IntegrityError as error:
            if error.is_retryable:
                raise
            others = yield from work(lambda: list(islice((it for it in self._files() if it != path), _TRIED)))
            for other in others:
                is_open = False
                with suppress(IntegrityError):
                    is_open = yield from self._opens(other)
                if is_open:
                    raise damaged(path, error) from error
            raise

    def _opened(self, path: Path, content: bytes) -> Flow[KeyRing]:
        """Return the keys in a file.

        Raises:
            LostKeysError: It is damaged: a master key that is here has wrapped them, and they are not what they were.
            IntegrityError: It is damaged, or another master key has wrapped them; `is_retryable`: a key service answers
                with something else than these keys, which tells nothing of the file.
        """
        lineage, wrapped = _split(content)
        if not wrapped:
            raise damaged(path, "it is empty, or was cut short")
        try:
            packed = yield from self._master.unwrap(wrapped, _about(path))
        except LostKeysError as error:
            raise damaged(path, error) from error
        except IntegrityError as error:
            msg = f"the key file {str(path)!r} does not open: {error}"
            raise IntegrityError(msg) from error
        try:
            return _checked(KeyRing.unpacked(packed), lineage)
        except IntegrityError as error:
            raise (misled(path) if isinstance(self._master, KeyServer) else damaged(path, error)) from error

    def _wrapped(self, ring: KeyRing, path: Path) -> Flow[bytes]:
        """Return what a file of keys holds."""
        return _MARK + ring.lineage + (yield from self._master.wrap(ring.packed(), _about(path)))

    def _swap(self, path: Path, known: files.Stamp | None, content: bytes) -> bool:
        """Put wrapped keys in the place of those that are known, unless somebody else was faster.

        Raises:
            ConfigurationError: The folder is not there any more: what new keys sealed would be lost when it is back.
        """
        if files.stamp_of(self.path / _NAMES) is None:
            msg = f"the key folder {str(self.path)!r} is not there any more; mount it, or put it back from its backup"
            raise ConfigurationError(msg)
        files.make_folder(path.parent)
        with files.alone(self.path / _LOCK):
            if files.stamp_of(path) != known or not self._is_lasting(content):
                return False
            files.replace(path, content)
            return True

    def _is_lasting(self, content: bytes) -> bool:
        """Whether no master key that is about to be forgotten wraps these keys."""
        return not isinstance(self._master, MasterFile) or self._master.is_current(_split(content)[1])

    def _destroyed(self, path: Path, lineage: bytes | None) -> bool:
        """Destroy a file of keys, unless they are of another lineage, and whatever of its shelf is in drafts.

        One of these may be of it. Return whether there is no such file now.
        """
        with files.alone(self.path / _LOCK):
            files.sweep(path.parent)
            found = None if lineage is None else files.read(path)
            if found is not None and _split(found[0])[0] != lineage:
                return False
            files.destroy(path)
            return True

    def _mark(self, path: Path) -> Flow[None]:
        """Write the lineage of keys before them, where an earlier release left it out. Errors as `_opened`."""
        while True:
            found = yield from work(files.read, path)
            if found is None or _split(found[0])[0]:
                return
            content = yield from self._wrapped((yield from self._opened(path, found[0])), path)
            yield from work(self._swap, path, found[1], content)

    def _sweep(self) -> None:
        """Destroy every draft: a key that is to be forgotten may wrap what is in it, or stand there itself."""
        with files.alone(self.path / _LOCK):
            for folder in (self.path, *self._shelves()):
                files.sweep(folder)

    # -------------------------------------------------------------------------------------------------- master key
    def _add_master(self, master: MasterFile) -> None:
        self._open()
        with files.alone(self.path / _LOCK):
            keys = master.keys()
            if len(keys) == 1:  # with more, a rotation was broken off
                master.put([token_bytes(KEY_BYTES), *keys])

    def _drop_masters(self, master: MasterFile) -> None:
        with files.alone(self.path / _LOCK):
            read = (files.read(path) for path in self._files())
            if all(master.is_current(_split(found[0])[1]) for found in read if found is not None):
                master.put(master.keys()[:1])

    def _wrap_anew(self) -> Flow[tuple[int, str]]:
        changed, left = 0, Left()
        yield from work(self._open)
        paths: list[Path] = yield from work(partial(list, self._files()))
        for path in paths:
            try:
                changed += yield from self._wrap_file(path)
            except IntegrityError as error:
                left.add(path, error)
        return changed, left.told(changed)

    def _wrap_file(self, path: Path) -> Flow[bool]:
        while True:
            found = yield from work(files.read, path)
            if found is None or self._master.is_current(_split(found[0])[1]):
                return False
            content = yield from self._wrapped((yield from self._opened(path, found[0])), path)
            if (yield from work(self._swap, path, found[1], content)):
                return True

    def _files(self) -> Iterator[Path]:
        for shelf in self._shelves():
            yield from sorted(path for path in shelf.iterdir() if not path.name.startswith("."))

    def _shelves(self) -> list[Path]:
        return sorted((self.path / _SUBJECTS).iterdir())


def _about(path: Path) -> bytes:
    """Return what wrapped keys are bound to: the file's name, which is a digest of whose they are."""
    return path.name.encode()


def _split(content: bytes) -> tuple[bytes, bytes]:
    """Return the lineage of a file's keys, and the wrapped keys."""
    if content.startswith(_MARK):
        return content[len(_MARK) : _LINEAGE_END], content[_LINEAGE_END:]
    return b"", content  # a master that knows it not says so


def _checked(ring: KeyRing, lineage: bytes) -> KeyRing:
    if lineage and ring.lineage != lineage:
        msg = "it was changed"
        raise IntegrityError(msg)
    return ring
