from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.checkpoints.base import CheckpointRow, Item, WriteRow
from langchain_agentmem.checkpoints.redis.registry import MIN_SLACK_MS, NEVER, Registered, Registry, horizon_of
from langchain_agentmem.checkpoints.redis.rows import (
    Known,
    checkpoint_key,
    checkpoint_rest,
    known,
    pack_digests,
    pack_optional,
    pack_owner,
    unpack_checkpoint,
    unpack_digests,
    unpack_optional,
    unpack_owner,
    unpack_write,
    write_key,
    write_rest,
)
from langchain_agentmem.checkpoints.redis.thread import later
from langchain_agentmem.checkpoints.seen import Seen
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.types.scope import Owner

IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
HOUR_US = 3_600_000_000


@given(ns=IDS, id_=IDS, parent=st.none() | IDS, header=st.binary(max_size=20))
def test_a_checkpoint_comes_back(ns: str, id_: str, parent: str | None, header: bytes) -> None:
    """With every id, also empty ones, and whatever bytes its header has."""
    row = CheckpointRow(ns, id_, parent, header)
    assert unpack_checkpoint(checkpoint_key(ns, id_) + checkpoint_rest(row)) == row


@given(
    row=st.builds(WriteRow, IDS, IDS, IDS, st.integers(-9, 99), IDS, IDS, st.binary(max_size=20)),
)
def test_a_write_comes_back(row: WriteRow) -> None:
    """With a negative place, too."""
    assert unpack_write(write_key(row) + write_rest(row)) == row


@given(keys=st.lists(st.tuples(IDS, IDS), max_size=8))
def test_members_are_in_the_order_of_namespace_and_id(keys: list[tuple[str, str]]) -> None:
    """In the order of code points, as Python sorts text; no id runs into the next."""
    members = [checkpoint_key(*key) for key in keys]
    assert sorted(members) == [checkpoint_key(*key) for key in sorted(keys)]


@pytest.mark.parametrize("member", [b"", b"\x00", b"ns\x00id\x00", b"no end"])
def test_a_damaged_member_is_named(member: bytes) -> None:
    """The error holds its beginning."""
    with pytest.raises(IntegrityError, match="damaged"):
        unpack_checkpoint(member)
    with pytest.raises(IntegrityError, match="damaged"):
        unpack_write(member)


def test_damage_is_never_an_error_of_python() -> None:
    """What is no text is shown as far as it is one, for the checksum to find; what is no number is damage."""
    row = WriteRow("n", "c", "t", 0, "p", "a", b"v")
    member = write_key(row) + write_rest(row)
    assert unpack_write(member.replace(b"p", b"\xff")).task_path == "\ufffd"
    for call in (
        lambda: unpack_write(member.replace(b"0", b"o")),
        lambda: unpack_owner(b"tenant", "bad"),
        lambda: known("bad", [b"1", None, None, b"", b"1", []], None),
        lambda: known("bad", [b"1zz", b"1", None, b"", b"1", []], None),
        lambda: known("bad", [b"1", b"1", None, b"nevermore", b"1", []], None),
    ):
        with pytest.raises(IntegrityError, match="damaged"):
            call()


@given(digests=st.lists(st.binary(min_size=16, max_size=16).filter(any), max_size=9), first=st.integers(1, 99))
def test_digests_come_back_with_their_numbers(digests: list[bytes], first: int) -> None:
    """In the order of numbers; where an item was removed, there is none."""
    items = [Item(first + place, digest, b"") for place, digest in enumerate(digests)]
    packed = pack_digests(items)
    assert unpack_digests(packed, first) == [(item.no, item.digest) for item in items]
    assert unpack_digests(bytes(16) + packed, first) == [(item.no + 1, item.digest) for item in items]


def test_a_digest_of_another_length_is_refused() -> None:
    """It would displace all that follow."""
    with pytest.raises(ConfigurationError, match="item 3 has 2 bytes"):
        pack_digests([Item(3, b"ab", b"")])


def test_nothing_is_told_from_empty() -> None:
    """An empty id is one, and nobody owns what has no owner."""
    assert [unpack_optional(pack_optional(it)) for it in (None, "", "=", "a")] == [None, "", "=", "a"]
    owners = (None, Owner("default", "alice"), Owner("", "a b"))
    assert [unpack_owner(pack_owner(it), "t") for it in owners] == list(owners)


def test_a_state_has_the_heads_that_were_asked_for() -> None:
    """What is known to have no head is not among them."""
    known = Known(generation=7, heads={"": "1", "a": None, "b": ""})
    assert known.state([""]).heads == {"": "1"}
    assert known.state().heads == {"": "1", "b": ""}


def test_the_threads_seen_last_are_remembered() -> None:
    """No more than the capacity; whoever was asked for stays."""
    known = Seen(later, 2)
    for name in ("a", "b"):
        known.put(name, Known(heads={}))
    assert known.get("a") is not None
    known.put("c", Known(heads={}))
    assert [known.get(it) is not None for it in "abc"] == [True, False, True]
    known.drop("a")
    known.drop("a")
    assert known.get("a") is None


def test_what_is_known_of_a_thread_goes_forward_only() -> None:
    """Whoever comes late with an older state of the same generation changes nothing."""
    known = Seen(later)
    for generation, revision in ((7, 2), (7, 1), (8, 1), (8, 3)):
        known.put("a", Known(generation=generation, revision=revision, heads={}))
        found = known.get("a")
        assert found is not None
        assert (found.generation, found.revision) == ((7, 2) if generation == 7 else (8, revision))


def test_entries_outlive_their_thread() -> None:
    """By as long as it was to live; never for less than they are kept already, or for ever."""
    now = 1_700_000_000_000_000
    ends_ms = (now + HOUR_US) // 1_000
    assert horizon_of(now + HOUR_US, now, "") == str(ends_ms + HOUR_US // 1_000)
    assert horizon_of(now + HOUR_US, now, str(ends_ms * 2)) == str(ends_ms * 2)
    assert horizon_of(now - HOUR_US, now, "") == str((now - HOUR_US) // 1_000 + MIN_SLACK_MS)
    assert horizon_of(None, now, "5") == horizon_of(now + HOUR_US, now, NEVER) == NEVER


def test_what_was_never_registered_is_not_fresh() -> None:
    """Nor what was registered long ago by the monotonic clock."""
    assert not Registered().is_fresh()
    assert not Registered(horizon=NEVER, at_s=-1_000).is_fresh()


@given(labels=st.lists(st.binary(min_size=1, max_size=16), unique=True, min_size=2, max_size=9))
def test_labels_share_few_keys_and_are_apart_in_them(labels: list[bytes]) -> None:
    """Each has a prefix of its own, and no prefix begins another."""
    registry = Registry(RedisDatabase("redis://h"))
    prefixes = [registry.of_label(label).prefix for label in labels]
    assert not [(a, b) for a in prefixes for b in prefixes if a is not b and b.startswith(a)]
    assert len({registry.of_label(b"%d" % number).ids for number in range(1_000)}) == 64
