"""What a backend of checkpoints promises, on every database and in both colours."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.checkpoints.base import (
    Change,
    CheckpointRow,
    Inventory,
    Item,
    Key,
    Query,
    Removal,
    Threads,
    ThreadState,
)
from langchain_agentmem.errors import ConflictError
from tests.conftest import Colour
from tests.ledgers import Drive, drive_of
from tests.threads import (
    ALICES,
    BOBS,
    LOOK_ALIKES,
    NOW,
    SECOND,
    Apply,
    Put,
    Removing,
    Taken,
    digest_of,
    everything,
    fill,
    load,
    put,
    remove,
    write,
)

EXAMPLES = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORKERS = 4
ROUNDS = 8
UUIDS = [f"1f0{place:05x}-0000-6000-8000-00000000000{place % 7}" for place in range(12)]
TEXTS = ["", "0", "1", "10", "2", "A", "a", "ä", "ｚ", "😀", "1f000000-0000-6000", "checkpoint 7"]
NAMESPACES = ["", "a", "a|b", "B", "é", "ｚ"]
LATEST = Query(ns="", is_latest=True)
Holds = Callable[[], int]


def keys_of(ids: Sequence[str]) -> st.SearchStrategy[list[Key]]:
    return st.lists(st.tuples(st.sampled_from(NAMESPACES), st.sampled_from(ids)), unique=True, max_size=12)


KEYS = st.one_of(keys_of(UUIDS), keys_of(TEXTS))


def newest_first(keys: Sequence[Key]) -> list[Key]:
    return sorted(sorted(keys), key=lambda key: key[1], reverse=True)


def contents_of(reader: Taken) -> list[bytes]:
    return [content for _, content in reader.items]


class ThreadsContract:
    """Laws of `Threads`; a subclass gives the fixtures `threads` and `holds`."""

    @pytest.fixture
    def threads(self) -> Threads:
        """Give an empty backend."""
        raise NotImplementedError

    @pytest.fixture
    def holds(self) -> Holds:
        """Give a function that counts the rows or keys that the backend keeps."""
        raise NotImplementedError

    @pytest.fixture
    def drive(self, colour: Colour) -> Drive:
        return drive_of(colour)

    # --------------------------------------------------------------------------------------------- what is put is read
    async def test_what_is_put_comes_back(self, threads: Threads, drive: Drive) -> None:
        """A checkpoint has its bytes, its parent, its writes and its items again."""
        writes = [write("1"), write("1", 1, b"", task_id="other", channel="ä")]
        await drive(put(threads, Put("0", [b"x"])))
        await drive(put(threads, Put("1", [b"x", b"\x00\xff" * 5_000, b""], parent_id="0", writes=writes)))
        found = await drive(load(threads, LATEST, [range(1, 4)]))
        [(row, its)] = found.page.rows
        assert row == CheckpointRow("", "1", "0", b"1 2 3")
        assert sorted(its) == sorted(writes)
        assert found.items == [(1, b"x"), (2, b"\x00\xff" * 5_000), (3, b"")]

    async def test_an_unknown_thread_is_an_empty_page(self, threads: Threads, drive: Drive, holds: Holds) -> None:
        """Reading, removing or deleting what is not there is no error, and begins nothing."""
        found = await drive(load(threads))
        assert (found.keys, found.page.state) == ([], ThreadState())
        await drive(threads.load("t", Query(), Taken(), expires_at=NOW + SECOND))
        assert await drive(remove(threads, Removing())) is None
        assert await drive(threads.delete("t")) is False
        assert await drive(threads.threads()) == []
        assert holds() == 0

    async def test_an_id_of_any_form_comes_back(self, threads: Threads, drive: Drive) -> None:
        """Ids are text, compared exactly, whether they look like UUIDs or not."""
        ids = [*TEXTS, *UUIDS[:2], UUIDS[0].upper(), UUIDS[0].replace("-", ""), f"{{{UUIDS[0]}}}", UUIDS[0][:-1] + "g"]
        for id_ in ids:
            await drive(put(threads, Put(id_, parent_id=id_, writes=[write(id_, task_id=id_)])))
        for id_ in ids:
            [(row, [its])] = (await drive(load(threads, Query(id=id_)))).page.rows
            assert (row.id, row.parent_id, its.checkpoint_id, its.task_id) == (id_,) * 4

    async def test_the_same_key_replaces_its_checkpoint(self, threads: Threads, drive: Drive) -> None:
        """Putting a checkpoint again leaves one, the later, with the writes of both."""
        await drive(put(threads, Put("1", [b"x"], parent_id="0", writes=[write("1", 0)])))
        await drive(put(threads, Put("1", [b"y"], writes=[write("1", 1)])))
        [(row, its)] = (await drive(load(threads))).page.rows
        assert row == CheckpointRow("", "1", None, b"2")
        assert sorted(it.idx for it in its) == [0, 1]

    @pytest.mark.parametrize("mode", ["keeps", "replaces"])
    async def test_a_write_is_kept_or_replaced(self, threads: Threads, drive: Drive, mode: str) -> None:
        """Where a write stands already, it stays, unless the change says that it replaces."""
        first, second = write("1", -1, b"first"), write("1", -1, b"second", channel="other", task_path="")
        await drive(put(threads, Put("1", writes=[first])))
        await drive(put(threads, Apply(Change(writes=[second, write("1", 5)], replaces=mode == "replaces"))))
        [(_, its)] = (await drive(load(threads))).page.rows
        assert sorted(its) == [second if mode == "replaces" else first, write("1", 5)]

    async def test_writes_wait_for_their_checkpoint(self, threads: Threads, drive: Drive) -> None:
        """Writes may come first; until their checkpoint comes, they are seen in the inventory only."""
        await drive(put(threads, Apply(Change(writes=[write("1")]))))
        assert (await drive(load(threads))).keys == []
        plan = Removing()
        await drive(remove(threads, plan))
        assert list(plan.inventory.writes) == [write("1")]
        await drive(put(threads, Put("1")))
        assert (await drive(load(threads))).page.rows[0][1] == [write("1")]

    # -------------------------------------------------------------------------------------------------------- a change
    async def test_a_draft_sees_the_state_that_was_left(self, threads: Threads, drive: Drive) -> None:
        """What a change returns is what the next draft, and a reader, are given."""
        first = Put("1", [b"x", b"y"], owner=ALICES)
        left = await drive(put(threads, first))
        assert (first.state.is_new, left.is_new) == (True, False)
        assert (left.next_no, left.heads, left.owner) == (3, {"": "1"}, ALICES)
        draft = Put("2", [b"z"])
        after = await drive(put(threads, draft))
        assert draft.state == left
        assert (after.next_no, after.heads, after.generation) == (4, {"": "2"}, left.generation)
        assert (await drive(load(threads, LATEST))).page.state == after

    async def test_a_draft_is_given_the_digests_it_asks_for(self, threads: Threads, drive: Drive) -> None:
        """Number and digest of each item from `since` on, in order; none where it asks for none."""
        await drive(put(threads, Put("1", [b"%d" % number for number in range(1, 8)])))
        for low, given_numbers in ((1, range(1, 8)), (5, range(5, 8)), (8, ())):
            draft = Apply(Change(), low=low)
            await drive(put(threads, draft))
            assert draft.digests == [(number, digest_of(b"%d" % number)) for number in given_numbers]

    async def test_a_draft_that_raises_changes_nothing(self, threads: Threads, drive: Drive, holds: Holds) -> None:
        """Its error reaches the caller, and no row of it stays, not even the thread."""

        def refuse(_: ThreadState) -> Change:
            msg = "someone else wrote first"
            raise ConflictError(msg)

        with pytest.raises(ConflictError, match="wrote first"):
            await drive(put(threads, Apply(refuse)))
        assert (holds(), await drive(threads.threads())) == (0, [])
        before = await drive(put(threads, Put("1", [b"x"])))
        with pytest.raises(ConflictError, match="wrote first"):
            await drive(put(threads, Apply(refuse)))
        assert (await drive(load(threads, LATEST))).page.state == before

    async def test_a_thread_begins_with_its_first_change(self, threads: Threads, drive: Drive) -> None:
        """Even one that adds nothing; later ones move its last use only, and never back."""
        await drive(threads.change("t", Apply(Change()), at=NOW, expires_at=None))
        await drive(threads.change("t", Apply(Change()), at=NOW + 5, expires_at=None))
        await drive(threads.change("t", Apply(Change()), at=NOW + 3, expires_at=None))
        [row] = await drive(threads.threads())
        assert row == ("t", None, NOW, NOW + 5, None)

    async def test_heads_are_those_of_the_namespaces_asked_for(self, threads: Threads, drive: Drive) -> None:
        """A head moves only where a change says so, and a draft sees those it names."""
        await drive(put(threads, Put("1")))
        await drive(put(threads, Put("2", ns="sub")))
        await drive(put(threads, Apply(Change(checkpoints=[CheckpointRow("", "3", None, b"")]))))
        for names, heads in (((), {}), (("",), {"": "1"}), (("sub", "none"), {"sub": "2"})):
            draft = Apply(Change(), names)
            await drive(put(threads, draft))
            assert {name: draft.state.heads[name] for name in names if name in draft.state.heads} == heads

    async def test_a_change_may_touch_many_namespaces(self, threads: Threads, drive: Drive) -> None:
        """Also such as it did not ask for: all of their rows and heads are there."""
        names = [f"node:{number}" for number in range(40)]
        rows = [CheckpointRow(ns, "1", None, b"") for ns in names]
        writes = [write("1", ns=ns) for ns in names]
        await drive(put(threads, Put("1", ns=names[0])))
        change = Change(checkpoints=rows, writes=writes, heads=dict.fromkeys(names, "1"))
        for asked in ((names[1],), (names[2],), ()):
            await drive(put(threads, Apply(change, asked)))
        found = await drive(load(threads))
        assert found.keys == sorted((ns, "1") for ns in names)
        assert [its for _, its in found.page.rows] == [[write("1", ns=ns)] for ns in sorted(names)]
        assert found.page.state.heads == dict.fromkeys(names, "1")

    async def test_a_head_is_moved_without_a_checkpoint(self, threads: Threads, drive: Drive) -> None:
        """To one that is there already; what is put next goes on from there."""
        for id_ in ("1", "2"):
            await drive(put(threads, Put(id_, ns="sub")))
        await drive(put(threads, Apply(Change(heads={"sub": "1"}), ("sub",))))
        found = await drive(load(threads, Query(ns="sub", is_latest=True)))
        assert (found.keys, found.page.state.heads["sub"]) == ([("sub", "1")], "1")
        draft = Put("3", ns="sub")
        await drive(put(threads, draft))
        assert draft.state.heads == {"sub": "1"}

    async def test_an_owner_is_bound_once(self, threads: Threads, drive: Drive) -> None:
        """The first owner that a change names stays."""
        await drive(put(threads, Put("1")))
        for owner in (ALICES, BOBS, None):
            assert (await drive(put(threads, Put("2", owner=owner)))).owner == ALICES
        assert [row.owner for row in await drive(threads.threads())] == [ALICES]

    async def test_a_generation_is_never_used_twice(self, threads: Threads, drive: Drive) -> None:
        """A thread that is begun anew, or has lost an item, is told from what it was."""
        seen: list[int] = []
        for _ in range(3):
            for _ in range(3):
                before = await drive(put(threads, Put("1", [b"x"])))
                assert (await drive(put(threads, Put("2", [b"x", b"y"])))).generation == before.generation
                seen.append(before.generation)
                await drive(remove(threads, Removing(Removal(items=[range(1, before.next_no)]))))
            await drive(threads.delete("t"))
        assert len(set(seen)) == len(seen) == 9

    async def test_numbers_are_never_used_twice(self, threads: Threads, drive: Drive) -> None:
        """After a removal numbers go on where they were."""
        await drive(put(threads, Put("1", [b"x", b"y"])))
        await drive(remove(threads, Removing(everything)))
        assert (await drive(put(threads, Put("2", [b"x"])))).next_no == 4
        assert (await drive(load(threads, LATEST, [range(1, 9)]))).items == [(3, b"x")]

    # ------------------------------------------------------------------------------------------------------- isolation
    async def test_threads_that_look_alike_are_apart(self, threads: Threads, drive: Drive) -> None:
        """Each has its own rows and numbers, whatever happens to the others."""
        for number, name in enumerate(LOOK_ALIKES):
            await drive(put(threads, Put("1", [b"%d" % number], writes=[write("1")]), name))
        await drive(threads.delete(LOOK_ALIKES[0]))
        await drive(remove(threads, Removing(everything), LOOK_ALIKES[1]))
        for number, name in enumerate(LOOK_ALIKES[2:], 2):
            found = await drive(load(threads, None, [range(9)], thread_id=name))
            assert (found.keys, found.items, found.page.state.next_no) == ([("", "1")], [(1, b"%d" % number)], 2)

    async def test_namespaces_that_look_alike_are_apart(self, threads: Threads, drive: Drive) -> None:
        """The same checkpoint id in two namespaces is two checkpoints with writes of their own."""
        names = ("", "t", *LOOK_ALIKES)
        for ns in names:
            await drive(put(threads, Put("1", ns=ns, writes=[write("1", ns=ns, value=ns.encode())])))
        await drive(remove(threads, Removing(Removal(checkpoints=frozenset({("", "1")}), heads={"": None}))))
        for ns in names[1:]:
            found = await drive(load(threads, Query(ns=ns)))
            assert (found.keys, found.page.state.heads[ns]) == ([(ns, "1")], "1")
            assert [it.value for it in found.page.rows[0][1]] == [ns.encode()]
        assert (await drive(load(threads, Query(ns="")))).keys == []

    # ------------------------------------------------------------------------------------------------------------ pages
    @EXAMPLES
    @given(keys=KEYS, size=st.integers(1, 5), ns=st.sampled_from([None, "", "a"]))
    def test_pages_hold_every_checkpoint_once(
        self, threads: Threads, keys: list[Key], size: int, ns: str | None
    ) -> None:
        """Pages joined are the whole: newest id first, then by namespace."""
        thread_id = uuid.uuid4().hex
        fill(threads, keys, thread_id)
        joined: list[Key] = []
        query = Query(ns=ns, limit=size)
        while page := run(load(threads, query, thread_id=thread_id)).keys:
            joined += page
            assert len(page) <= size
            assert len(joined) <= len(keys)
            query = query._replace(after_key=page[-1])
        assert joined == newest_first([key for key in keys if ns is None or key[0] == ns])
        assert joined == run(load(threads, Query(ns=ns), thread_id=thread_id)).keys

    @EXAMPLES
    @given(keys=KEYS, ns=st.sampled_from([None, "", "a"]), limit=st.sampled_from([None, 1, 3]), data=st.data())
    def test_a_query_cuts_before_it_limits(
        self, threads: Threads, keys: list[Key], ns: str | None, limit: int | None, data: st.DataObject
    ) -> None:
        """`before` leaves out ids that are not less, then `limit` takes the newest of what is left."""
        thread_id = uuid.uuid4().hex
        fill(threads, keys, thread_id)
        before = data.draw(st.sampled_from(UUIDS if {id_ for _, id_ in keys} <= {*UUIDS} else TEXTS))
        wanted = newest_first([key for key in keys if key[1] < before and (ns is None or key[0] == ns)])
        query = Query(ns=ns, before=before, limit=limit)
        assert run(load(threads, query, thread_id=thread_id)).keys == wanted[:limit]

    async def test_one_checkpoint_is_found_by_its_id(self, threads: Threads, drive: Drive) -> None:
        """In one namespace, or in all of them."""
        for ns in ("", "sub"):
            for id_ in UUIDS[:3]:
                await drive(put(threads, Put(id_, ns=ns, writes=[write(id_, ns=ns)])))
        assert (await drive(load(threads, Query(ns="sub", id=UUIDS[1])))).keys == [("sub", UUIDS[1])]
        assert (await drive(load(threads, Query(id=UUIDS[1])))).keys == [("", UUIDS[1]), ("sub", UUIDS[1])]
        assert (await drive(load(threads, Query(ns="", id="none")))).keys == []
        assert (await drive(load(threads, Query(ns="none", id=UUIDS[1])))).keys == []

    async def test_the_latest_is_the_head(self, threads: Threads, drive: Drive) -> None:
        """Not the greatest id: clocks of machines differ."""
        await drive(put(threads, Put("9")))
        await drive(put(threads, Put("5")))
        await drive(put(threads, Put("7", ns="sub")))
        assert (await drive(load(threads, LATEST))).keys == [("", "5")]
        assert (await drive(load(threads, Query(is_latest=True)))).keys == [("sub", "7"), ("", "5")]
        assert (await drive(load(threads, Query(ns="none", is_latest=True)))).keys == []

    async def test_a_page_has_the_writes_of_its_checkpoints_only(self, threads: Threads, drive: Drive) -> None:
        """Writes of others, and orphans in between, stay out."""
        for id_ in ("1", "3", "5"):
            await drive(put(threads, Put(id_, writes=[write(id_)])))
        await drive(put(threads, Apply(Change(writes=[write("2"), write("4"), write("4", ns="sub")]))))
        found = await drive(load(threads, Query(ns="", before="5")))
        assert [(row.id, list(its)) for row, its in found.page.rows] == [("3", [write("3")]), ("1", [write("1")])]

    @EXAMPLES
    @given(numbers=st.sets(st.integers(1, 60), min_size=1, max_size=40))
    def test_exactly_the_wanted_items_are_given(self, threads: Threads, numbers: set[int]) -> None:
        """In ascending order, whatever the ranges; what is not there is left out."""
        if not run(load(threads, LATEST)).keys:
            run(put(threads, Put("1", [b"%d" % number for number in range(1, 51)])))
        ranges = [range(number, number + 1) for number in sorted(numbers)]
        found = run(load(threads, LATEST, ranges, [range(2, 5), range(7, 9)]))
        wanted = [number for number in sorted(numbers) if number <= 50]
        assert found.items == [(number, b"%d" % number) for number in [*wanted, 2, 3, 4, 7, 8]]

    async def test_a_thread_may_be_large(self, threads: Threads, drive: Drive) -> None:
        """Thousands of rows are put, read by hundreds of ranges, and removed, in one call each."""
        rows = [CheckpointRow("", f"{number:05}", None, b"h") for number in range(1_500)]
        writes = [write(row.id, idx) for row in rows for idx in range(2)]
        items = [Item(number, digest_of(b"%d" % number), b"%d" % number) for number in range(1, 3_001)]
        await drive(put(threads, Apply(Change(items=items, checkpoints=rows, writes=writes, heads={"": rows[-1].id}))))
        scattered = [range(number, number + 1) for number in range(1, 3_001, 2)]
        found = await drive(load(threads, Query(ns=""), scattered))
        assert (len(found.keys), sum(len(its) for _, its in found.page.rows), len(found.items)) == (1_500, 3_000, 1_500)
        await drive(remove(threads, Removing(lambda whole: Removal(checkpoints=everything(whole).checkpoints))))
        await drive(remove(threads, Removing(Removal(items=scattered))))
        plan = Removing()
        await drive(remove(threads, plan))
        assert not plan.inventory.checkpoints
        assert not plan.inventory.writes
        assert list(plan.inventory.numbers) == list(range(2, 3_001, 2))

    # ---------------------------------------------------------------------------------------------------------- removal
    async def test_a_plan_sees_everything(self, threads: Threads, drive: Drive) -> None:
        """State, checkpoints, writes and numbers of the whole thread, and the items it asks for."""
        await drive(put(threads, Put("1", [b"x", b"y"], writes=[write("1")], owner=ALICES)))
        state = await drive(put(threads, Put("2", [b"y", b"z"], ns="sub", parent_id="1")))
        plan = Removing(steps=[[range(2, 3)], [range(1, 2), range(3, 9)]])
        assert await drive(remove(threads, plan)) == Removal()
        assert sorted(plan.inventory.checkpoints) == [
            CheckpointRow("", "1", None, b"1 2"),
            CheckpointRow("sub", "2", "1", b"2 3"),
        ]
        assert list(plan.inventory.writes) == [write("1")]
        assert list(plan.inventory.numbers) == [1, 2, 3]
        assert plan.items == [(2, b"y"), (1, b"x"), (3, b"z")]
        assert plan.inventory.state.heads == {"": "1", "sub": "2"}
        assert (plan.inventory.state.generation, plan.inventory.state.owner) == (state.generation, ALICES)

    async def test_what_a_plan_says_is_removed(self, threads: Threads, drive: Drive) -> None:
        """Checkpoints with their writes, orphans, items; what stays has its new parents, headers and heads."""
        for place in range(1, 5):
            its = [write(str(place))]
            await drive(put(threads, Put(str(place), [b"%d" % place], parent_id=str(place - 1), writes=its)))
        await drive(put(threads, Apply(Change(writes=[write("8"), write("9")]))))
        removal = Removal(
            checkpoints=frozenset({("", "1"), ("", "4")}),
            orphans=frozenset({("", "9")}),
            items=[range(1, 2), range(4, 5)],
            replaced={("", "2"): CheckpointRow("", "2", None, b"new"), ("", "3"): CheckpointRow("", "3", "1", b"new")},
            heads={"": "3"},
        )
        assert await drive(remove(threads, Removing(removal))) == removal
        plan = Removing()
        await drive(remove(threads, plan))
        assert sorted(plan.inventory.checkpoints, key=lambda row: row.id) == list(removal.replaced.values())
        assert sorted(it.checkpoint_id for it in plan.inventory.writes) == ["2", "3", "8"]
        assert (list(plan.inventory.numbers), plan.inventory.state.heads) == ([2, 3], {"": "3"})

    async def test_a_write_alone_can_be_removed(self, threads: Threads, drive: Drive) -> None:
        """The others of its task and of its checkpoint stay."""
        its = [write("1"), write("1", idx=1), write("1", task_id="b")]
        await drive(put(threads, Put("1", writes=its)))
        gone = (its[0].ns, its[0].checkpoint_id, its[0].task_id, its[0].idx)
        await drive(remove(threads, Removing(Removal(writes=frozenset({gone, ("other", "1", "a", 0)})))))
        assert sorted((await drive(load(threads))).page.rows[0][1]) == sorted(its[1:])

    async def test_a_plan_that_raises_removes_nothing(self, threads: Threads, drive: Drive) -> None:
        """Its error reaches the caller."""
        before = await drive(put(threads, Put("1", [b"x"])))

        def refuse(_: Inventory) -> Removal:
            msg = "not now"
            raise ConflictError(msg)

        with pytest.raises(ConflictError, match="not now"):
            await drive(remove(threads, Removing(refuse)))
        found = await drive(load(threads, LATEST, [range(1, 2)]))
        assert (found.page.state, found.items) == (before, [(1, b"x")])

    async def test_a_thread_outlives_its_last_checkpoint(self, threads: Threads, drive: Drive, holds: Holds) -> None:
        """A removal leaves the thread and its owner, and a deletion leaves nothing at all."""
        for ns in ("", "sub"):
            await drive(put(threads, Put("1", [b"x"], ns=ns, writes=[write("1", ns=ns)], owner=ALICES)))
        await drive(put(threads, Apply(Change(writes=[write("2", ns="other")]))))
        await drive(remove(threads, Removing(everything)))
        found = await drive(load(threads))
        assert (found.keys, found.page.state.heads, found.page.state.owner) == ([], {}, ALICES)
        assert [row.thread_id for row in await drive(threads.threads(owner=ALICES))] == ["t"]
        assert await drive(threads.delete("t")) is True
        assert holds() == 0

    async def test_a_deleted_thread_leaves_nothing(self, threads: Threads, drive: Drive, holds: Holds) -> None:
        """No row, label or, where that is asked for, lease of it, and no owner when its id is used again."""
        writes = [write("1"), write("2", ns="sub")]
        draft = Put("1", [b"x"], writes=writes, labels=frozenset({b"l"}), owner=ALICES)
        await drive(put(threads, draft, expires_at=NOW + 36_000 * SECOND))
        await drive(threads.lease("t", "holder", at=NOW, until=NOW + 36_000 * SECOND))
        assert [await drive(threads.delete("t", with_lease=True)) for _ in range(2)] == [True, False]
        assert holds() == 0
        await drive(put(threads, Put("2", owner=BOBS)))
        assert (await drive(load(threads))).keys == [("", "2")]
        assert await drive(threads.threads(labels=frozenset({b"l"}))) == []
        assert await drive(threads.lease("t", "other", at=NOW, until=NOW + 36_000 * SECOND))

    # --------------------------------------------------------------------------------------------------------- listing
    async def test_threads_come_in_pages_in_the_order_of_their_ids(self, threads: Threads, drive: Drive) -> None:
        """Each once, by code points."""
        for name in LOOK_ALIKES:
            await drive(put(threads, Put("1"), name))
        found: list[str] = []
        while page := await drive(threads.threads(after=found[-1] if found else None, limit=3)):
            found += [row.thread_id for row in page]
        assert found == sorted(LOOK_ALIKES)

    async def test_a_listing_is_of_one_owner(self, threads: Threads, drive: Drive) -> None:
        """Threads of others, and of nobody, stay out; pages and labels work in it."""
        owners = {"a": ALICES, "b": BOBS, "c": ALICES, "d": None, "e": ALICES, "f": ALICES._replace(tenant_id="other")}
        for name, owner in owners.items():
            await drive(put(threads, Put("1", owner=owner, labels=frozenset({name.encode(), b"all"})), name))
        for options, names in (
            ({}, ["a", "c", "e"]),
            ({"after": "a", "limit": 1}, ["c"]),
            ({"labels": frozenset({b"all", b"e"})}, ["e"]),
            ({"labels": frozenset({b"b"})}, []),
        ):
            rows = await drive(threads.threads(owner=ALICES, **options))
            assert [row.thread_id for row in rows] == names

    async def test_a_listing_is_of_what_was_used_lately(self, threads: Threads, drive: Drive) -> None:
        """Threads that were last changed before a time stay out; reading is no change."""
        for place, name in enumerate("abcd"):
            await drive(threads.change(name, Put("1", owner=ALICES), at=NOW + place, expires_at=None))
        await drive(threads.load("a", LATEST, Taken()))
        await drive(threads.change("b", Put("2"), at=NOW + 9, expires_at=None))
        for options, names in (({}, "bcd"), ({"owner": ALICES, "limit": 2}, "bc"), ({"after": "c"}, "d")):
            rows = await drive(threads.threads(used_since=NOW + 2, **options))
            assert [row.thread_id for row in rows] == list(names)

    async def test_labels_are_only_added_to(self, threads: Threads, drive: Drive) -> None:
        """A thread is found by all of the labels that any change of it had."""
        sets = [{b"\x00" * 16}, {b"x", b"y"}, {b"x"}, set()]
        for number, labels in enumerate(sets):
            await drive(put(threads, Put(str(number), labels=frozenset(labels))))
        await drive(put(threads, Put("1", labels=frozenset({b"x", b"z"})), "u"))
        for labels, names in (
            ({b"x"}, ["t", "u"]),
            ({b"x", b"y", b"\x00" * 16}, ["t"]),
            ({b"y", b"z"}, []),
            ({b"none"}, []),
        ):
            rows = await drive(threads.threads(labels=frozenset(labels)))
            assert [row.thread_id for row in rows] == names

    # ----------------------------------------------------------------------------------------------------------- expiry
    async def test_an_expired_thread_is_no_thread(self, threads: Threads, drive: Drive) -> None:
        """Nobody sees anything of it, and reading it does not bring it back."""
        draft = Put("1", [b"x"], labels=frozenset({b"l"}), owner=ALICES)
        await drive(threads.change("t", draft, at=NOW - 9 * SECOND, expires_at=NOW - 5 * SECOND))
        reader = Taken()
        await drive(threads.load("t", Query(), reader, expires_at=NOW + 36_000 * SECOND))
        assert (reader.keys, reader.page.state) == ([], ThreadState())
        assert (await drive(load(threads))).keys == []
        for options in ({}, {"owner": ALICES}, {"labels": frozenset({b"l"})}):
            assert await drive(threads.threads(**options)) == []
        assert await drive(remove(threads, Removing())) is None
        assert await drive(threads.delete("t")) is False

    async def test_an_expired_thread_is_begun_anew(self, threads: Threads, drive: Drive) -> None:
        """Without owner, items, labels or checkpoints, and in another generation."""
        draft = Put("1", [b"x"], writes=[write("2")], labels=frozenset({b"l"}), owner=ALICES)
        old = await drive(threads.change("t", draft, at=NOW - 9 * SECOND, expires_at=NOW - 5 * SECOND))
        again = Put("2", [b"x"])
        new = await drive(put(threads, again))
        assert (again.digests, again.state.owner, new.next_no, new.owner) == ([], None, 2, None)
        assert new.generation != old.generation
        [(row, its)] = (await drive(load(threads))).page.rows
        assert (row.id, list(its)) == ("2", [])
        assert await drive(threads.threads(labels=frozenset({b"l"}))) == []

    async def test_a_thread_expires_as_its_last_use_said(self, threads: Threads, drive: Drive) -> None:
        """A change sets the expiry or takes it away; a read sets it where it is told to."""
        for expires_at in (None, NOW + 36_000 * SECOND, NOW + 54_000 * SECOND, None):
            await drive(put(threads, Put("1", [b"x"], labels=frozenset({b"l"}), owner=ALICES), expires_at=expires_at))
            assert [row.expires_at for row in await drive(threads.threads())] == [expires_at]
        await drive(threads.load("t", Query(), Taken(), expires_at=NOW + 48_000 * SECOND))
        assert [row.expires_at for row in await drive(threads.threads())] == [NOW + 48_000 * SECOND]
        await drive(load(threads))
        assert [row.expires_at for row in await drive(threads.threads())] == [NOW + 48_000 * SECOND]
        await drive(threads.load("t", Query(), Taken(), expires_at=NOW - SECOND))
        assert (await drive(load(threads))).keys == []

    async def test_what_has_expired_can_be_swept(self, threads: Threads, drive: Drive, holds: Holds) -> None:
        """Deleting every thread that has expired leaves the living ones and nothing else."""
        for number in range(5):
            await drive(threads.change(f"old {number}", Put("1", [b"x"]), at=NOW - 9, expires_at=NOW - 5 + number))
        while names := await drive(threads.expired(at=NOW, limit=2)):
            assert len(names) <= 2
            for name in names:
                await drive(threads.delete(name))
        assert holds() == 0
        await drive(put(threads, Put("1"), "young", expires_at=NOW + 36_000 * SECOND))
        await drive(put(threads, Put("1"), "for ever"))
        assert await drive(threads.expired(at=NOW)) == []
        assert len(await drive(threads.threads())) == 2

    # ----------------------------------------------------------------------------------------------------------- leases
    async def test_a_lease_has_one_holder(self, threads: Threads, drive: Drive, holds: Holds) -> None:
        """Until it is released by its holder, or ends; it begins no thread and keeps nobody from writing."""
        until = NOW + 36_000 * SECOND
        assert await drive(threads.lease("t", "one", at=NOW, until=until))
        assert not await drive(threads.lease("t", "two", at=NOW, until=until))
        assert await drive(threads.lease("u", "two", at=NOW, until=until))
        await drive(threads.release("t", "two"))
        assert not await drive(threads.lease("t", "two", at=NOW, until=until))
        assert await drive(threads.threads()) == []
        await drive(threads.release("t", "one"))
        assert await drive(threads.lease("t", "two", at=NOW, until=until))
        for name in ("t", "u"):
            await drive(threads.release(name, "two"))
        assert holds() == 0

    async def test_a_deleted_thread_is_still_its_holders(self, threads: Threads, drive: Drive, holds: Holds) -> None:
        """Who deletes under a lease, or beside one, lets nobody else run; and when it ends, nothing is left."""
        until = NOW + 36_000 * SECOND
        await drive(threads.lease("t", "one", at=NOW, until=until))
        for is_there in (True, False):
            if is_there:
                await drive(put(threads, Put("1")))
            assert await drive(threads.delete("t")) is is_there
            assert not await drive(threads.lease("t", "two", at=NOW, until=until))
        await drive(threads.release("t", "one"))
        assert holds() == 0

    async def test_a_holder_extends_its_lease(self, threads: Threads, drive: Drive) -> None:
        """Asking again never shortens it."""
        for seconds in (10, 60, 20):
            assert await drive(threads.lease("t", "one", at=NOW, until=NOW + seconds * SECOND))
        assert not await drive(threads.lease("t", "two", at=NOW + 40 * SECOND, until=NOW + 54_000 * SECOND))

    async def test_a_lease_ends_by_itself(self, threads: Threads, drive: Drive) -> None:
        """Whoever comes after its end has it."""
        assert await drive(threads.lease("t", "one", at=NOW - 9 * SECOND, until=NOW - 5 * SECOND))
        assert await drive(threads.lease("t", "two", at=NOW, until=NOW + 36_000 * SECOND))
        assert not await drive(threads.lease("t", "one", at=NOW, until=NOW + 36_000 * SECOND))

    # ------------------------------------------------------------------------------------------------------ concurrency
    def test_changes_from_threads_lose_and_double_nothing(self, threads: Threads) -> None:
        """Everything that was put is there, every content once, and numbers have no gaps."""
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda worker: [run(flow) for flow in changes_of(threads, worker)], range(WORKERS)))
        check_all_changes(run(load(threads, None, [range(1, 999)])))

    async def test_changes_from_tasks_lose_and_double_nothing(self, threads: Threads) -> None:
        """The same on one event loop."""

        async def work(worker: int) -> None:
            for flow in changes_of(threads, worker):
                await arun(flow)

        await asyncio.gather(*map(work, range(WORKERS)))
        check_all_changes(await arun(load(threads, None, [range(1, 999)])))

    def test_one_of_many_gets_a_lease(self, threads: Threads) -> None:
        """However many ask at once."""
        with ThreadPoolExecutor(WORKERS) as pool:
            asked = [
                pool.submit(run, threads.lease("t", f"holder {worker}", at=NOW, until=NOW + 36_000 * SECOND))
                for worker in range(WORKERS)
            ]
        assert sorted(it.result() for it in asked) == [False, False, False, True]

    def test_a_removal_takes_nothing_that_came_meanwhile(self, threads: Threads) -> None:
        """While others put, whoever removes the unreferenced removes nothing that is referred to."""

        def sweep(_: int) -> None:
            for _ in range(ROUNDS):
                run(remove(threads, Removing(all_but_the_newest)))

        def work(worker: int) -> None:
            for flow in changes_of(threads, worker):
                run(flow)

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda worker: sweep(worker) if worker == 0 else work(worker), range(WORKERS)))
        found = run(load(threads, None, [range(1, 9_999)]))
        numbers = {number for number, _ in found.items}
        assert all(numbers.issuperset(map(int, row.header.split())) for row, _ in found.page.rows)
        assert len(set(contents_of(found))) == len(found.items)

    def test_deleting_while_others_put_is_whole(self, threads: Threads) -> None:
        """Whatever comes after a deletion begins a thread of its own, with all that it refers to."""

        def work(worker: int) -> None:
            for flow in changes_of(threads, worker):
                run(flow)
                if worker == 0:
                    run(threads.delete("t"))

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(work, range(WORKERS)))
        run(put(threads, Put("last", [b"last"])))
        found = run(load(threads, None, [range(1, 999)]))
        assert [number for number, _ in found.items] == list(range(1, found.page.state.next_no))
        assert all(
            int(number) < found.page.state.next_no for row, _ in found.page.rows for number in row.header.split()
        )

    async def test_a_cancelled_change_is_whole_or_not_at_all(self, threads: Threads) -> None:
        """Wherever it is cancelled, and the next change works."""
        await arun(put(threads, Put("first", [b"first"])))
        for turns in range(12):
            draft = Put(f"{turns:02}", [b"%d" % turns], writes=[write(f"{turns:02}")])
            task = asyncio.ensure_future(arun(put(threads, draft)))
            for _ in range(turns):
                await asyncio.sleep(0.0005)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            found = await arun(load(threads, None, [range(1, 99)]))
            assert len(found.items) == len(found.keys) == found.page.state.next_no - 1
        await arun(put(threads, Put("last", [b"last"])))
        assert (await arun(load(threads, LATEST))).keys == [("", "last")]


def changes_of(threads: Threads, worker: int) -> Iterator[Flow[ThreadState]]:
    """Make changes of one worker: content of its own, and content that all of them put."""
    for turn in range(ROUNDS):
        id_ = f"{turn}-{worker}"
        yield put(threads, Put(id_, [id_.encode(), b"%d" % turn, b"shared"], writes=[write(id_)]))


def check_all_changes(found: Taken) -> None:
    ids = {f"{turn}-{worker}" for turn in range(ROUNDS) for worker in range(WORKERS)}
    contents = {id_.encode() for id_ in ids} | {b"%d" % turn for turn in range(ROUNDS)} | {b"shared"}
    assert {id_ for _, id_ in found.keys} == ids
    assert [number for number, _ in found.items] == list(range(1, len(contents) + 1))
    assert set(contents_of(found)) == contents
    by_number = dict(found.items)
    for row, its in found.page.rows:
        turn = row.id.split("-")[0]
        assert [by_number[int(number)] for number in row.header.split()] == [row.id.encode(), turn.encode(), b"shared"]
        assert list(its) == [write(row.id)]


def all_but_the_newest(inventory: Inventory) -> Removal:
    """Keep the two newest checkpoints and what they refer to."""
    rows = sorted(inventory.checkpoints, key=lambda row: row.id)
    kept = {int(number) for row in rows[-2:] for number in row.header.split()}
    return Removal(
        checkpoints=frozenset((row.ns, row.id) for row in rows[:-2]),
        items=[range(number, number + 1) for number in inventory.numbers if number not in kept],
    )
