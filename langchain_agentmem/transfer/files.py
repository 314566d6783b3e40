"""A thread into a file and back: whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

from langgraph.checkpoint.base import Checkpoint, CheckpointTuple

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow, flows_of, work
from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.errors import ConfigurationError, NotFoundError
from langchain_agentmem.transfer.copying import (
    Glance,
    Key,
    Missing,
    Saver,
    Survey,
    Tally,
    TaskPaths,
    Transfer,
    compare,
    fetch,
    in_order,
    paths_of,
    put,
    put_writes,
    set_heads,
    survey,
    take_away,
)
from langchain_agentmem.transfer.envelope import SEALED_THREAD, Envelope
from langchain_agentmem.transfer.lines import FORMAT, VERSION, LineCodec, Seal, Values
from langchain_agentmem.transfer.sealed import NewFile, damaged, of_version, open_lines, read_sealed
from langchain_agentmem.vault.base import Cipher

NO_VAULT: Final = "the checkpointer has no vault to seal an export with; pass sealed=False, or open it with vault="
NO_VAULT_HERE: Final = "the export is sealed; import it with a checkpointer that has the vault with its user's key"
_HEADER_FIELDS: Final = ("format", "version", "thread_id", "checkpoints")


def write_thread(
    saver: Saver, thread_id: str, path: Path, codec: LineCodec, *, sealed: bool | None = None
) -> Flow[Transfer]:
    """Write a thread into a file; see `export_thread`."""
    found = yield from survey(saver, thread_id)
    if not found:
        msg = f"there is no thread {thread_id!r} to export; check its id"
        raise NotFoundError(msg)
    cipher = None if sealed is False else (yield from cipher_of(saver, thread_id))
    if sealed and cipher is None:
        raise ConfigurationError(NO_VAULT)
    file = yield from work(NewFile, path)
    try:
        written = _Written(file, thread_id, len(found), None if cipher is None else Envelope(cipher, uuid4().hex))
        writes = yield from _write_lines(saver, found, written, codec)
        yield from work(file.finish)
    finally:
        file.discard()
    return Transfer(threads=1, found=len(found), added=len(found), writes=writes)


class _Written:
    """Lines of a thread on their way into a file."""

    def __init__(self, file: NewFile, thread_id: str, count: int, envelope: Envelope | None) -> None:
        """Nothing is written yet."""
        self.thread_id = thread_id
        self._file, self._count, self._envelope = file, count, envelope
        self._seal, self._number = Seal(), 1

    def begin(self) -> None:
        """Write the header."""
        header = dict(zip(_HEADER_FIELDS, (FORMAT, VERSION, self.thread_id, self._count), strict=True))
        clear = {} if self._envelope is None else self._envelope.clear_header(VERSION, SEALED_THREAD)
        self._file.write(self._seal.close({**header, **clear}))

    def add(self, body: dict[str, Any]) -> None:
        """Write a checkpoint."""
        self._number += 1
        if self._envelope is not None:
            body = self._envelope.close(self._number, _layer(self.thread_id, self._count), body)
        self._file.write(self._seal.close(body))


def cipher_of(saver: Saver, thread_id: str) -> Flow[Cipher | None]:
    """Return what seals whatever is of a thread's user; `None`: nothing does."""
    return (yield from flows_of(saver).cipher(thread_id)) if isinstance(saver, StoredSaver) else None


def _layer(thread_id: str, count: int) -> str:
    """Return what checkpoints of a thread that has so many are sealed as."""
    return f"thread/{count}/{thread_id}"


def _write_lines(saver: Saver, found: Survey, written: _Written, codec: LineCodec) -> Flow[int]:
    writes = 0
    yield from work(written.begin)

    def write(body: dict[str, Any]) -> Flow[None]:
        nonlocal writes
        writes += len(body["writes"])
        yield from work(written.add, body)

    yield from each_body(saver, written.thread_id, found, codec, write)
    return writes


def each_body(
    saver: Saver, thread_id: str, found: Survey, codec: LineCodec, take: Callable[[dict[str, Any]], Flow[None]]
) -> Flow[None]:
    """Give the checkpoints of a thread as data, a parent before its children."""
    parents = Parents(found)
    for key in in_order(found):
        checkpoint = yield from fetch(saver, thread_id, key, found[key].writes)
        parent_id = found[key].parent_id
        parent = found.get((key[0], parent_id or ""))
        values = parents.take(key[0], parent_id)
        body = codec.write(key, parent_id, checkpoint, values, {} if parent is None else parent.versions)
        parents.keep(key, checkpoint.checkpoint["channel_values"])
        paths = yield from paths_of(saver, thread_id, key)
        yield from take(body | ({"paths": paths} if paths else {}) | ({"head": True} if found[key].is_head else {}))


class Parents:
    """The values of checkpoints whose children are still to come; a parent is let go of with its last child."""

    def __init__(self, found: Survey) -> None:
        """Count the children."""
        self._children = Counter((ns, glance.parent_id) for (ns, _), glance in found.items())
        self._values: dict[Key, Values] = {}

    def keep(self, key: Key, values: Values) -> None:
        """Keep a checkpoint's values if it has children."""
        if self._children[key]:
            self._values[key] = values

    def take(self, ns: str, parent_id: str | None) -> Values:
        """Return a parent's values for one of its children; none where the parent is not there."""
        if parent_id is None:
            return {}
        self._children[ns, parent_id] -= 1
        if self._children[ns, parent_id]:
            return self._values.get((ns, parent_id), {})
        return self._values.pop((ns, parent_id), {})


# ------------------------------------------------------------------------------------------------------------- reading
class Lines(NamedTuple):
    """A file whose lines are whole and follow each other; its bodies can be gone through again and again."""

    path: Path
    thread_id: str
    bodies: Iterable[dict[str, Any]]
    found: Survey


def read_thread(saver: Saver, path: Path, thread_id: str | None, codec: LineCodec, *, dry_run: bool) -> Flow[Transfer]:
    """Read a thread from a file; see `import_thread`."""
    header, *bodies = yield from work(read_sealed, path, _check_header, "checkpoints")
    name = check_text("thread_id", header["thread_id"] if thread_id is None else thread_id)
    if header["format"] == SEALED_THREAD:
        cipher = yield from cipher_of(saver, name)
        if cipher is None:
            raise ConfigurationError(NO_VAULT_HERE)
        envelope = Envelope(cipher, str(header.get("export")))
        bodies = yield from work(open_lines, path, envelope, _layer(header["thread_id"], header["checkpoints"]), bodies)
    lines = Lines(path, header["thread_id"], bodies, (yield from work(survey_of, path, bodies)))
    yield from work(check_lines, name, lines, codec)
    return (yield from put_thread(saver, name, lines, codec, dry_run=dry_run))


def put_thread(saver: Saver, name: str, lines: Lines, codec: LineCodec, *, dry_run: bool = False) -> Flow[Transfer]:
    """Put what a checkpointer lacks of a thread whose lines were checked: all of it, or nothing."""
    here = yield from survey(saver, name)
    missing = compare(name, lines.found, here)
    is_whole = dry_run
    try:
        if not dry_run:
            yield from _put_lines(saver, name, lines, missing, codec)
        is_whole = True
    finally:
        if not is_whole and not here:
            yield from take_away(saver, name, lines.found)
    tally = Tally(found=len(lines.found))
    tally.count(missing)
    return tally.account(dry_run=dry_run)


def _put_lines(saver: Saver, thread_id: str, lines: Lines, missing: Missing, codec: LineCodec) -> Flow[None]:
    for key, found, paths in _tuples(thread_id, lines, codec):
        parent = lines.found.get((key[0], lines.found[key].parent_id or ""))
        if key in missing.checkpoints:
            yield from put(saver, thread_id, found, {} if parent is None else parent.versions)
        if key in missing.with_writes:
            yield from put_writes(saver, thread_id, found, paths)
    yield from set_heads(saver, thread_id, lines.found)


def check_lines(thread_id: str, lines: Lines, codec: LineCodec) -> None:
    """Read every line once for nothing: what cannot be read shows before anything is put."""
    for _ in _tuples(thread_id, lines, codec):
        pass


def _tuples(thread_id: str, lines: Lines, codec: LineCodec) -> Iterator[tuple[Key, CheckpointTuple, TaskPaths]]:
    parents = Parents(lines.found)
    for number, body in enumerate(lines.bodies, 2):
        key = (body["ns"], body["id"])
        try:
            found = _tuple(thread_id, body, parents.take(key[0], body["parent"]), codec)
            paths = _paths(body)
        except ConfigurationError:
            raise  # a class that is not allowed: it names the class and the remedy
        except Exception as error:
            raise damaged(lines.path, number, f"it cannot be read ({type(error).__name__})") from error
        parents.keep(key, found.checkpoint["channel_values"])
        yield key, found, paths


def _tuple(thread_id: str, body: dict[str, Any], parent: Values, codec: LineCodec) -> CheckpointTuple:
    checkpoint: Checkpoint = codec.from_json(body["checkpoint"])
    metadata: Any = {**codec.from_json(body["metadata"])}
    checkpoint["id"] = body["id"]
    checkpoint["channel_values"] = codec.read_values(body["values"], parent)
    place = {"thread_id": thread_id, "checkpoint_ns": body["ns"]}
    return CheckpointTuple(
        config={"configurable": {**place, "checkpoint_id": body["id"]}},
        checkpoint=checkpoint,
        metadata=metadata,
        parent_config=None if body["parent"] is None else {"configurable": {**place, "checkpoint_id": body["parent"]}},
        pending_writes=[(task, channel, codec.from_json(value)) for task, channel, value in body["writes"]],
    )


def _paths(body: dict[str, Any]) -> TaskPaths:
    """Return the paths of tasks; files of earlier releases, and of other checkpointers, have none."""
    paths = body.get("paths", {})
    if not all(isinstance(path, str) for path in paths.values()):
        msg = "a path is no text"
        raise TypeError(msg)
    return dict(paths)


def _check_header(path: Path, header: dict[str, Any]) -> None:
    if header.get("format") not in {FORMAT, SEALED_THREAD} or not all(name in header for name in _HEADER_FIELDS):
        raise damaged(path, 1, "it is no header of an exported thread")
    if header["version"] != VERSION:
        raise of_version(path, header["version"], VERSION)


def survey_of(path: Path, bodies: Iterable[dict[str, Any]]) -> Survey:
    """Return what checkpoints as data tell of themselves; `path` names in errors where they are from."""
    found: Survey = {}
    for number, body in enumerate(bodies, 2):
        try:
            key, versions = _key(body), body["checkpoint"]["channel_versions"]
            if key in found:
                raise damaged(path, number, "its checkpoint stands in a line before it")
            found[key] = Glance(body["parent"], dict(versions), len(body["writes"]), _is_head(body))
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(path, number, f"it is no checkpoint ({type(error).__name__})") from error
    return found


def _is_head(body: dict[str, Any]) -> bool:
    """Return whether a run goes on from a checkpoint; files of earlier releases do not say of any."""
    said = body.get("head", False)
    if not isinstance(said, bool):
        msg = "whether it is the head is no truth value"
        raise TypeError(msg)
    return said


def _key(body: dict[str, Any]) -> Key:
    """Return whose line it is; savers take other ids than text, and fail when they are asked for them."""
    ns, id, parent = body["ns"], body["id"], body["parent"]
    if not isinstance(ns, str) or not isinstance(id, str) or not isinstance(parent, str | None):
        msg = "an id is no text"
        raise TypeError(msg)
    return ns, id
