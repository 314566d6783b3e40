"""Putting checkpoints and writes: drafted before the transaction, numbered inside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from langgraph.checkpoint.base import WRITES_IDX_MAP
from langgraph.checkpoint.serde.types import ERROR

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Query, WriteRow
from langchain_agentmem.checkpoints.content import Drafting
from langchain_agentmem.checkpoints.drafts import OutdatedError, Parent, PutDraft, ThreadDraft, WritesDraft, Written
from langchain_agentmem.checkpoints.following import MESSAGES, gone_from, said_in
from langchain_agentmem.checkpoints.guard import Move
from langchain_agentmem.checkpoints.headers_only import HeaderReader
from langchain_agentmem.checkpoints.known import Known, Place, outline
from langchain_agentmem.checkpoints.labels import label_of_writes, labels_of
from langchain_agentmem.checkpoints.lookups import get_tuple
from langchain_agentmem.checkpoints.refs import Shape, mark_of
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.checkpoints.setting import Address, Setting, check_key, check_word
from langchain_agentmem.errors import ConfigurationError

_INPUT_CHANNEL: Final = "__start__"
_BY_HAND: Final = "update"
"""What LangGraph calls the source of a checkpoint that no run has put: the application changed the state."""

_NEEDED: Final = frozenset({"id", "ts", "channel_values", "channel_versions", "versions_seen"})

_TRIES: Final = 5
"""How often a put is drafted anew because the thread is pruned again and again meanwhile."""


class Put(NamedTuple):
    """A checkpoint to store.

    Attributes:
        changed: Channels whose values are new in it.
    """

    address: Address
    checkpoint: Mapping[str, Any]
    metadata: Mapping[str, Any]
    changed: frozenset[str]


def put(setting: Setting, it: Put) -> Flow[None]:
    """Store a checkpoint.

    Raises:
        ConflictError: Its run has read what is not the head any more.
        ConfigurationError: A value cannot be stored, or would not come back.
    """
    _check_whole(it.checkpoint)
    yield from _let_go(setting, it)
    seal = yield from setting.seal(it.address.thread_id, it.address.user)
    for tries_left in reversed(range(_TRIES)):
        known = setting.cache.of(it.address.thread_id)
        parent = yield from _parent(setting, it, known, seal)
        try:
            yield from apply(setting, _draft(setting, it, parent, known, seal))
        except OutdatedError:
            setting.cache.forget(it.address.thread_id)
            if not tries_left:
                raise
        else:
            return


def _check_whole(checkpoint: Mapping[str, Any]) -> None:
    """Refuse a checkpoint without what LangGraph puts into each."""
    missing = _NEEDED - checkpoint.keys()
    if missing:
        named = ", ".join(sorted(missing))
        msg = f"the checkpoint has no {named}; begin with langgraph.checkpoint.base.empty_checkpoint(), which is whole"
        raise ConfigurationError(msg)
    check_key("checkpoint['id']", checkpoint["id"])


def apply(setting: Setting, draft: ThreadDraft) -> Flow[None]:
    """Apply a change, and learn from it what the next one can use."""
    thread_id = draft.seal.thread_id
    state = yield from setting.threads.change(thread_id, draft, at=setting.now(), expires_at=setting.expiry())
    setting.cache.learn(thread_id, state, draft.lesson)
    yield from setting.note_use(thread_id, state.owner, setting.expiry())


def _let_go(setting: Setting, it: Put) -> Flow[None]:
    """Let go of messages that the application takes out of the state, before they go: no word outlives them.

    What a run takes out of it is only out of the model's sight: it shortens or sums up its conversation.
    """
    address = it.address
    if address.id is None or it.metadata.get("source") != _BY_HAND or MESSAGES not in it.changed:
        return
    followed = yield from setting.followed(address.thread_id, address.user)
    if followed is None:
        return
    before = yield from get_tuple(setting, Address(address.thread_id, address.ns, address.id, user=address.user))
    said = {} if before is None else said_in(before.checkpoint["channel_values"])
    gone = gone_from(said, said_in(it.checkpoint["channel_values"]))
    if gone:
        follower, owner = followed
        yield from follower.end_messages(address.thread_id, owner, gone)


def _parent(setting: Setting, it: Put, known: Known, seal: Seal) -> Flow[Parent | None]:
    """Return what is taken over from the parent, if anything can be."""
    address, versions = it.address, it.checkpoint["channel_versions"]
    if address.id is None or it.changed.issuperset(versions):
        return None
    found = known.outlines.get((address.place, address.id))
    if found is not None:
        return Parent(known.generation, found)
    reader = HeaderReader(seal, setting.codec)
    yield from setting.threads.load(address.thread_id, Query(ns=address.place, id=address.id), reader)
    return next((Parent(reader.state.generation, outline(it, row.parent_id)) for row, it, _ in reader.found), None)


def _draft(setting: Setting, it: Put, parent: Parent | None, known: Known, seal: Seal) -> PutDraft:
    kept = {} if parent is None else _kept(it, parent)
    values = it.checkpoint["channel_values"]
    fresh = [channel for channel in it.checkpoint["channel_versions"] if channel in values and channel not in kept]
    address = it.address
    return PutDraft(
        seal=seal,
        known=known,
        user=address.user,
        address=address,
        cache=setting.cache,
        move=Move(address.place, it.checkpoint["id"], address.id, address.marker, address.is_run),
        codec=setting.codec,
        checkpoint=it.checkpoint,
        metadata=it.metadata,
        shapes={
            channel: _shape_of(setting, values[channel], known, seal, (address.thread_id, address.place, channel))
            for channel in fresh
        },
        kept=kept,
        generation=None if parent is None else parent.generation,
        guards=not setting.forks,
        labels=labels_of(it.metadata, seal.cipher.fingerprint),
    )


def _kept(it: Put, parent: Parent) -> dict[str, bytes]:
    """Return references of channels that did not change; one without is either empty or encoded anew."""
    refs, before = parent.outline.refs, parent.outline.versions
    return {
        channel: refs[channel]
        for channel, version in it.checkpoint["channel_versions"].items()
        if channel not in it.changed and channel in refs and before.get(channel) == version
    }


def _shape_of(setting: Setting, value: object, known: Known, seal: Seal, place: Place) -> Shape:
    """Return the shape of what a channel holds; the error names the channel."""
    recent = setting.cache.list_at(place) if type(value) is list else None
    drafting = Drafting(setting.codec, seal.cipher.fingerprint, known.numbers, recent)
    shape = _named(place[2], drafting.passing if place[2] == _INPUT_CHANNEL else drafting.shape, value)
    if drafting.recent is not None and drafting.recent is not recent:
        setting.cache.keep_list(place, drafting.recent)
    return shape


def _named(channel: str, shape: Callable[[object], Shape], value: object) -> Shape:
    try:
        return shape(value)
    except ConfigurationError as error:
        msg = f"channel {channel!r}: {error}"
        raise ConfigurationError(msg) from error


def _told(channel: str, value: object) -> object:
    """Return what is kept of a write: of an error that LangGraph notes, as everywhere, its words."""
    return repr(value) if channel == ERROR and isinstance(value, BaseException) else value


class Writes(NamedTuple):
    """What one task wrote on top of a checkpoint; `run_id` is that of the metadata, if there is one."""

    address: Address
    writes: Sequence[tuple[str, Any]]
    task_id: str
    task_path: str
    run_id: str | None = None


def put_writes(setting: Setting, it: Writes) -> Flow[None]:
    """Store writes; what a task has written before stays, but special channels (errors, interrupts) are replaced.

    Raises:
        ConfigurationError: An id is malformed, or a value cannot be stored or would not come back.
    """
    if not it.address.id:
        msg = "put_writes needs the checkpoint that the writes belong to; pass config['configurable']['checkpoint_id']"
        raise ConfigurationError(msg)
    task_id, task_path = check_key("task_id", it.task_id), check_word("task_path", it.task_path)
    channels = [check_word("channel", channel) for channel, _ in it.writes]
    if not channels:
        return
    seal = yield from setting.seal(it.address.thread_id, it.address.user)
    known = setting.cache.of(it.address.thread_id)
    places = [WRITES_IDX_MAP.get(channel, place) for place, channel in enumerate(channels)]
    drafting = Drafting(setting.codec, seal.cipher.fingerprint, known.numbers)
    shapes = (_named(channel, drafting.passing, _told(channel, value)) for channel, value in it.writes)
    draft = WritesDraft(
        seal=seal,
        known=known,
        user=it.address.user,
        address=it.address,
        cache=setting.cache,
        place=WriteRow(it.address.place, it.address.id, task_id, 0, task_path, "", b""),
        writes=list(map(Written, places, channels, shapes)),
        replaces=all(channel in WRITES_IDX_MAP for channel in channels),
    )
    if it.run_id:
        draft.mark = mark_of(it.run_id)
        draft.labels = frozenset({label_of_writes(draft.mark, seal.cipher.fingerprint)})
    yield from apply(setting, draft)
