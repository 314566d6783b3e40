"""What is in force now: the shipped policies and the files of a repository, read again when something changed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, Final, cast

from langchain_agentmem.errors import ConfigurationError, NotFoundError, StorageError
from langchain_agentmem.policies.contradictions import Contradiction, find_contradictions
from langchain_agentmem.procedural.documents import check_size
from langchain_agentmem.procedural.files import StoredFile, is_yaml
from langchain_agentmem.procedural.options import ProceduralOptions
from langchain_agentmem.procedural.repository import Entry, GitFolder, Listing, version_of
from langchain_agentmem.procedural.schemas import Kind, is_evaluated, read_record
from langchain_agentmem.types.procedures import Policy, Record, Skill

RACY_S: Final = 0.1
"""A file changed this shortly before it was read may change again under the same time stamp: it is read once more."""

SHIPPED: Final = "shipped"
"""Stands for the commit of what comes with this package."""

_BINDING: Final = "policies/"
"""Where a file may be a policy whatever its name ends with."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadProblem:
    """A file that is not in force as it stands, and what is in force instead.

    Attributes:
        is_broken: Whether what it says is missing, and may bind; else less than it says is in force.
    """

    file: str
    message: str
    is_broken: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A record in force. `file` is `None` where it is shipped; `revision` names its state for the log."""

    record: Record
    file: str | None
    revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything in force at one moment."""

    kept: Mapping[str, Kept] = field(default_factory=dict)
    problems: tuple[LoadProblem, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    head: str | None = None

    @property
    def skills(self) -> tuple[Skill, ...]:
        """Every skill, by name."""
        records = (self.kept[name].record for name in sorted(self.kept))
        return tuple(record for record in records if isinstance(record, Skill))

    @property
    def policies(self) -> tuple[Policy, ...]:
        """Every policy, by name."""
        records = (self.kept[name].record for name in sorted(self.kept))
        return tuple(record for record in records if isinstance(record, Policy))

    def get(self, name: str) -> Kept:
        """Return what has this name.

        Raises:
            NotFoundError: Nothing has.
        """
        if name not in self.kept:
            msg = f"there is no skill or policy {name!r}; there is: {', '.join(sorted(self.kept)) or 'nothing'}"
            raise NotFoundError(msg)
        return self.kept[name]


class Library:
    """Reads skills and policies, and reads them again when HEAD or a file changed. Thread-safe.

    A file that cannot be read leaves its last good version in force and is reported: what was read or saved here, or
    what was committed since. Where there is none, nothing is in force and reading fails: a policy must not be missing
    unnoticed. One that was never committed leaves in force what was before.
    """

    def __init__(self, options: ProceduralOptions, clock: Callable[[], datetime]) -> None:
        self._options = options
        self._clock = clock
        self._lock = threading.RLock()
        self._folder: GitFolder | None = None
        self._stamp: tuple[Any, ...] | None = None
        self._snapshot: Snapshot | None = None
        self._good: dict[str, Kept] = {}  # by name
        self._entries: Mapping[str, Entry] = {}  # of HEAD, when that was read
        self._told: set[str] = set()
        self._read: dict[tuple[str, bytes], Record] = {}

    @property
    def folder(self) -> GitFolder:
        """Where records are kept.

        Raises:
            ConfigurationError: No folder was chosen, or it cannot be opened.
        """
        if self._options.path is None:
            msg = "there is no repository to keep this in; pass procedural='path/to/folder' to AgentMemory"
            raise ConfigurationError(msg)
        with self._lock:
            if self._folder is None:
                self._folder = GitFolder(self._options.path, create=self._options.create, clock=self._clock)
            return self._folder

    def current(self) -> Snapshot:
        """Return what is in force; costs a few looks at file names where nothing has changed.

        Raises:
            ConfigurationError: A file cannot be read and never could, nor can what is committed of it; or there is no
                such folder or repository.
            StorageError: The repository cannot be read and never could.
        """
        if self._options.path is None:
            return _shipped_alone(has_defaults=self._options.defaults)
        with self._lock:
            try:
                stamp = self.folder.stamp()
                if self._snapshot is None or stamp != self._stamp:
                    self._snapshot, self._stamp = self._load(self.folder.read()), stamp
                    self._stamp = None if _is_racy(stamp) else stamp
            except (OSError, StorageError) as error:
                return self._last_good(error)
            return self._snapshot

    def shipped(self, name: str) -> Record | None:
        """Return the policy of this name that comes with this package, where those are in force."""
        kept = _shipped().get(name) if self._options.defaults else None
        return None if kept is None else kept.record

    def commit(self, path: str, raw: bytes, told: tuple[str, str], expected: Snapshot) -> None:
        """Commit one file, told by a message and an author; it is in force from then on, whatever becomes of the file.

        Raises:
            ConflictError: Somebody changed the repository since `expected` was read.
            StorageError: Nothing can be committed there.
        """
        with self._lock:
            head = self.folder.commit(path, raw, *told, expected.head)
            found = self._one(StoredFile(path=path, size=len(raw), raw=raw, is_committed=True), head, [])
            self._stamp = None
            if found is not None and self._snapshot is not None:
                self._good[found.record.name] = found
                kept = {**self._snapshot.kept, found.record.name: found}
                self._snapshot = replace(self._snapshot, kept=kept, head=head)

    def _last_good(self, error: OSError | StorageError) -> Snapshot:
        """Return what was in force, with the reason why it still is."""
        if self._snapshot is None:
            if isinstance(error, StorageError):
                raise error
            msg = f"the folder of skills and policies cannot be read ({type(error).__name__}); see the cause"
            raise StorageError(msg, is_retryable=True) from error
        problem = LoadProblem(file=".", message=f"{error}; what was read before stays in force")
        self._snapshot = Snapshot(
            kept=self._snapshot.kept,
            problems=(problem,),
            contradictions=self._snapshot.contradictions,
            head=self._snapshot.head,
        )
        self._stamp = None
        return self._snapshot

    # --------------------------------------------------------------------------------------------------------- load
    def _load(self, listing: Listing) -> Snapshot:
        problems: list[LoadProblem] = []
        read = {file.path: self._one(file, listing.head, problems) for file in listing.files}
        if self._snapshot is not None and any(each.is_broken for each in problems):
            self._good = self._with_head(listing)
        kept: dict[str, Kept] = {}
        for path in sorted(read, key=lambda path: (not self._is_incumbent(path, read[path]), path)):
            found = read[path]
            if found is None:
                continue
            objection = self._objection(found, kept, read)
            if objection is None:
                kept[found.record.name] = found
            else:
                problems.append(LoadProblem(file=path, message=f"{path}, line 1: {objection}"))
        standing = self._standing(kept, read, problems)
        unread = [path for path, found in read.items() if found is None and path in listing.entries]
        self._check_known(problems, unread, len([it for it in standing.values() if it.file not in read]))
        kept |= standing
        self._good, self._entries = dict(kept), listing.entries
        kept = {**(_shipped() if self._options.defaults else {}), **kept}
        return self._reported(kept, problems, listing.head)

    def _is_incumbent(self, path: str, found: Kept | None) -> bool:
        last = None if found is None else self._good.get(found.record.name)
        return last is not None and last.file == path

    def _objection(self, found: Kept, kept: Mapping[str, Kept], read: Mapping[str, Kept | None]) -> str | None:
        """Return why a file cannot have its name: another file, in force before, or what is shipped has it."""
        name = found.record.name
        shipped = _shipped() if self._options.defaults else {}
        if name in shipped and not isinstance(found.record, Policy):
            return f"the name {name!r} is that of a shipped policy, and only a policy can replace it; choose another"
        last = self._good.get(name)
        other = kept.get(name)
        if other is None and last is not None and last.file != found.file and read.get(last.file or "", found) is None:
            other = last  # its file is there, and cannot be read just now
        return None if other is None else f"the name {name!r} is that of {other.file}; choose another"

    def _standing(
        self, kept: Mapping[str, Kept], read: Mapping[str, Kept | None], problems: list[LoadProblem]
    ) -> dict[str, Kept]:
        """Return what was in force and is so still, because a file that may be meant to hold it is not in force itself.

        That is its own file, or, where that is gone, any file that was not in force before: it may have been renamed.
        """
        refused = {each.file: place for place, each in enumerate(problems) if each.is_broken}
        is_any_new = bool(refused.keys() - {last.file for last in self._good.values()})
        found = {}
        for name, last in self._good.items():
            if name in kept or (last.file not in refused and (last.file in read or not is_any_new)):
                continue
            found[name] = last
            instead = f"version {last.record.version} of {name!r} stays in force"
            if last.file in refused:
                each = problems[refused[last.file]]
                problems[refused[last.file]] = replace(each, message=f"{each.message}; {instead}")
            else:
                message = f"{last.file}: the file is gone while others cannot be read; {instead}"
                problems.append(LoadProblem(file=last.file or ".", message=message, is_broken=False))
        return found

    def _one(self, file: StoredFile, head: str | None, problems: list[LoadProblem]) -> Kept | None:
        try:
            record = self._record(file)
        except ConfigurationError as error:
            may_bind = is_yaml(file.path) or file.path.startswith(_BINDING)
            problems.append(LoadProblem(file=_shown(file.path), message=str(error), is_broken=may_bind))
            return None
        if isinstance(record, Skill) and record.status == "active" and not is_evaluated(record):
            message = f"{file.path}: {record.name!r} has not passed its cases as it stands, and is a draft; activate it"
            problems.append(LoadProblem(file=file.path, message=message, is_broken=False))
            record = record.model_copy(update={"status": "draft"})
        revision = version_of(head, is_committed=file.is_committed)
        return Kept(record=record, file=file.path, revision=revision)

    def _record(self, file: StoredFile) -> Record:
        if _shown(file.path) != file.path:
            msg = f"{_shown(file.path)}, line 1: the file's name is no UTF-8; rename it"
            raise ConfigurationError(msg)
        if is_yaml(file.path):
            check_size(file.path, file.size)
        if file.raw is None and not file.size:
            msg = f"{file.path}, line 1: this is no regular file; links are not followed"
            raise ConfigurationError(msg)
        if file.raw is None or not is_yaml(file.path):
            msg = (
                f"{file.path}, line 1: this is no YAML file by its name, and not read; end the name with .yaml, or "
                f"move the file out of {file.path.partition('/')[0]}/ (README and names that begin with a dot may stay)"
            )
            raise ConfigurationError(msg)
        key = (file.path, file.raw)
        if key not in self._read:
            record = read_record(file.raw, file.path, cast("Kind", file.path.partition("/")[0]))
            self._read = {known: value for known, value in self._read.items() if known[0] != file.path}
            self._read[key] = record
        return self._read[key]

    def _with_head(self, listing: Listing) -> dict[str, Kept]:
        """Return the last good versions: what was in force, but for files of which HEAD has another one since."""
        since = sorted(path for path, entry in listing.entries.items() if entry != self._entries.get(path))
        found = {path: self._one(file, listing.head, []) for path, file in self.folder.committed(listing, since)}
        good = {name: last for name, last in self._good.items() if found.get(last.file or "") is None}
        shipped = _shipped() if self._options.defaults else {}
        for it in found.values():
            if it is not None and (it.record.name not in shipped or isinstance(it.record, Policy)):
                good.setdefault(it.record.name, it)
        return good

    def _check_known(self, problems: list[LoadProblem], unread: Sequence[str], moved: int) -> None:
        """Raise where what a file says is missing, and nobody knows what it said: of `moved` records the file is gone.

        In a process that has read everything once, a file that was never committed is no version of anything yet.
        """
        fatal = [each for each in problems if each.is_broken]
        if self._snapshot is not None:
            known = {_shown(last.file or "") for last in self._good.values()}
            lost = {_shown(path) for path in unread} - known
            fatal = [each for each in fatal if each.file in lost][moved:]
        if fatal:
            raise ConfigurationError("; ".join(each.message for each in fatal))

    def _reported(self, kept: dict[str, Kept], problems: list[LoadProblem], head: str | None) -> Snapshot:
        policies = [entry.record for entry in kept.values() if isinstance(entry.record, Policy)]
        contradictions = tuple(find_contradictions(policies))
        told = {*(each.message for each in problems), *(each.finding for each in contradictions)}
        for text in sorted(told - self._told):
            LOGGER.warning("procedural memory: %s", text)
        self._told = told
        return Snapshot(kept=kept, problems=tuple(problems), contradictions=contradictions, head=head)


def _shown(path: str) -> str:
    """Return a file's name as text; bytes of it that are none are written out."""
    return path.encode("utf-8", "backslashreplace").decode()


def _is_racy(stamp: tuple[Any, ...]) -> bool:
    times = [part[1] for part in stamp if isinstance(part, tuple) and part and isinstance(part[0], str)]
    return bool(times) and time.time_ns() - max(times) < RACY_S * 1e9


@cache
def _shipped() -> dict[str, Kept]:
    return {entry.record.name: entry for entry in _read_shipped()}


def _read_shipped() -> Iterator[Kept]:
    for file in files("langchain_agentmem.procedural").joinpath("defaults", "policies").iterdir():
        record = read_record(file.read_bytes(), file.name, "policies")
        yield Kept(record=record, file=None, revision=SHIPPED)


@cache
def _shipped_alone(*, has_defaults: bool) -> Snapshot:
    return Snapshot(kept=_shipped() if has_defaults else {})
