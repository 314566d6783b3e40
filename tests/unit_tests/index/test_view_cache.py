from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem._flow import Flow, arun, run, step
from langchain_agentmem._search import SearchColumns, SearchRow
from langchain_agentmem.entities.views import EntityView
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.claim_view import ClaimView
from langchain_agentmem.index.episode_view import EpisodeView
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.index.view_cache import INLINE_ROWS, ScopeViewIndex, View, ViewCache
from langchain_agentmem.types import Scope
from tests.conftest import Colour
from tests.held import held
from tests.ledgers import drive_of
from tests.unit_tests.index.rows import query, row

ALICE, BOB = Scope("alice"), Scope("bob")


class FakeLedger:
    """Rows per user with a content revision, as a ledger would load them."""

    def __init__(self) -> None:
        self.rows: dict[str, list[SearchRow]] = {}
        self.loads: list[tuple[str, int, str | None]] = []
        self.renewed_at = 0

    def write(self, scope: Scope, *found: SearchRow) -> None:
        self.rows.setdefault(scope.user_id, []).extend(found)

    def load(self, scope: Scope, since: int, model: str | None) -> Flow[tuple[int, SearchColumns]]:
        self.loads.append((scope.user_id, since, model))

        async def nothing() -> None:
            await asyncio.sleep(0)

        yield from step(lambda: None, nothing)
        found = self.rows.get(scope.user_id, [])
        rows = [it for it in found if it.revision > since]
        return max((it.revision for it in found), default=0), replace(
            SearchColumns.of(rows), renewed_at=self.renewed_at
        )


@pytest.fixture
def ledger() -> FakeLedger:
    return FakeLedger()


def ids(index: ScopeViewIndex, scope: Scope, text: str = "berlin") -> list[str]:
    return [proposal.memory_id for proposal in run(index.search(scope, query(text)))]


def test_a_search_sees_what_another_process_wrote(ledger: FakeLedger) -> None:
    """Every search first loads what changed since the last one, and no more."""
    index = ScopeViewIndex(ledger.load, model="m")
    ledger.write(ALICE, row("a", "berlin", revision=1))
    assert ids(index, ALICE) == ["a"]
    ledger.write(ALICE, row("b", "berlin", revision=2), row("a", status="erased", revision=3))
    assert ids(index, ALICE) == ["b"]
    assert ledger.loads == [("alice", 0, "m"), ("alice", 1, "m")]


def test_the_revision_that_was_searched_is_told(ledger: FakeLedger) -> None:
    """`search_at` names the content revision behind its proposals."""
    ledger.write(ALICE, row("a", "berlin", revision=7))
    revision, proposals = run(ScopeViewIndex(ledger.load).search_at(ALICE, query("berlin")))
    assert (revision, len(proposals)) == (7, 1)


def test_users_have_views_of_their_own(ledger: FakeLedger) -> None:
    """A search of one user never sees rows of another, of another tenant neither."""
    index = ScopeViewIndex(ledger.load)
    ledger.write(ALICE, row("a", "berlin"))
    ledger.write(BOB, row("b", "berlin"))
    assert (ids(index, ALICE), ids(index, BOB)) == (["a"], ["b"])
    assert len(index.views) == 2


def test_a_ledger_restored_from_an_older_copy_is_read_anew(ledger: FakeLedger) -> None:
    """Where the ledger is behind the view, the view is wrong and built again."""
    index = ScopeViewIndex(ledger.load)
    ledger.write(ALICE, row("a", "berlin", revision=5))
    assert ids(index, ALICE) == ["a"]
    ledger.rows["alice"] = [row("old", "berlin", revision=2)]
    assert ids(index, ALICE) == ["old"]


def test_vectors_that_old_rows_were_given_are_searched(ledger: FakeLedger) -> None:
    """No memory has changed by it, so that no search would be told."""
    index = ScopeViewIndex(ledger.load, model="m")
    ledger.write(ALICE, row("a", "berlin", revision=1), row("b", "berlin", revision=1))
    near = [1.0, 0.0, 0.0, 0.0]
    asked = query("", near)
    assert [it.memory_id for it in run(index.search(ALICE, asked))] == []
    ledger.rows["alice"][1] = row("b", "berlin", revision=1, vector=near)
    ledger.renewed_at = 7
    assert [it.memory_id for it in run(index.search(ALICE, asked))] == ["b"]


def test_a_view_that_took_the_place_of_another_is_not_dropped_for_it() -> None:
    """Two searches may find the same view wrong; the second one's judgement is not of what the first has built."""
    cache, key = ViewCache(ScopeView), ("t", "u", None)
    wrong = cache.get(key)
    cache.discard(key, wrong)
    built = cache.get(key)
    cache.discard(key, wrong)
    assert cache.get(key) is built
    assert built is not wrong


@pytest.mark.parametrize("size", [10, INLINE_ROWS + 1])
async def test_awaiting_a_search_gives_what_running_it_gives(ledger: FakeLedger, size: int) -> None:
    """Both colours answer alike, on the loop or in a worker thread."""
    ledger.write(ALICE, *[row(f"{at:05}", "berlin", revision=at + 1) for at in range(size)])
    index = ScopeViewIndex(ledger.load)
    assert await arun(index.search(ALICE, query("berlin"))) == run(index.search(ALICE, query("berlin")))


async def test_two_event_loops_may_share_an_index(ledger: FakeLedger) -> None:
    """Nothing of an index belongs to a loop."""
    ledger.write(ALICE, row("a", "berlin"))
    index = ScopeViewIndex(ledger.load)
    there = await asyncio.to_thread(lambda: asyncio.run(arun(index.search(ALICE, query("berlin")))))
    assert there == await arun(index.search(ALICE, query("berlin")))


def test_threads_may_search_one_user_at_once(ledger: FakeLedger) -> None:
    """Eight threads that search while rows are written see no half-applied view."""
    index, failures = ScopeViewIndex(ledger.load), list[object]()

    def work() -> None:
        for at in range(30):
            ledger.write(ALICE, row("a", "berlin", revision=at + 1, vector=[1, at]))
            if ids(index, ALICE) != ["a"]:
                failures.append(at)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_deleted_row_is_out_of_memory_before_the_next_search(ledger: FakeLedger) -> None:
    """`delete` empties what this process holds of a memory, in the views and in the analyzer."""
    index = ScopeViewIndex(ledger.load)
    ledger.write(ALICE, row("a", "berlin"), row("b", "python"))
    ids(index, ALICE)
    run(index.delete(ALICE, ["a"]))
    (entry,) = index.views.peek("default", "alice")
    assert len(entry.view) == 1
    assert held() == []


def test_forgetting_a_user_drops_that_users_views_alone(ledger: FakeLedger) -> None:
    """`forget` frees one user's views, `reset` everyone's; the next search builds them again."""
    index = ScopeViewIndex(ledger.load)
    ledger.write(ALICE, row("a", "berlin"))
    ids(index, ALICE)
    ids(index, BOB)
    index.forget(ALICE)
    assert (len(index.views), ids(index, ALICE)) == (1, ["a"])
    run(index.reset())
    assert (len(index.views), index.views.nbytes) == (0, 0)


def test_views_beyond_the_bound_are_dropped_least_recently_used_first(ledger: FakeLedger) -> None:
    """The bytes held stay within the bound; the view used last always stays."""
    for user in "abc":
        ledger.write(Scope(user), *[row(f"{at}", "berlin", vector=[1, at]) for at in range(100)])
    one = ScopeViewIndex(ledger.load)
    ids(one, Scope("a"))
    index = ScopeViewIndex(ledger.load, max_bytes=2 * one.views.nbytes)
    for user in "abac":
        ids(index, Scope(user))
    assert [len(index.views.peek("default", user)) for user in "abc"] == [1, 0, 1]
    assert index.views.nbytes == 2 * one.views.nbytes


def test_a_view_forgotten_while_in_use_is_not_counted_again() -> None:
    """A search that ends after its user was forgotten brings nothing back."""
    cache = ViewCache(ScopeView)
    entry = cache.get(("t", "u", None))
    entry.view.apply([row("a", "berlin")], 1)
    cache.forget("t", "u")
    cache.charge(("t", "u", None), entry)
    assert (len(cache), cache.nbytes) == (0, 0)


def test_upserts_are_not_needed(ledger: FakeLedger) -> None:
    """The index reads the ledger itself; feeding it changes nothing."""
    index = ScopeViewIndex(ledger.load)
    run(index.upsert(ALICE, [row("a", "berlin")]))
    assert (index.is_fed, ids(index, ALICE)) == (False, [])


def test_a_bound_that_holds_nothing_is_refused() -> None:
    """`max_bytes` must be positive."""
    with pytest.raises(ConfigurationError, match="max_bytes must be at least 1"):
        ViewCache(ScopeView, max_bytes=0)


@pytest.mark.parametrize("kind", [ScopeView, EpisodeView, ClaimView, EntityView])
def test_users_of_whom_nothing_is_known_make_room_too(kind: type[View]) -> None:
    """A process that serves any number of users keeps no more of them than fits, also where each has nothing."""
    views: ViewCache[View] = ViewCache(kind, max_bytes=100_000)
    for number in range(200):
        views.get(("default", f"user {number}", None))
    assert 0 < len(views) * 900 < views.nbytes <= 100_000
    assert views.peek("default", "user 199")


async def test_what_is_kept_at_hand_of_users_is_bounded_in_bytes(colour: Colour) -> None:
    """However many come, all kinds of views together stay within `cache_mib`, and each user finds what is theirs."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", cache_mib=1) as memory:
        scopes = [Scope(f"user {number}") for number in range(60)]
        for scope in scopes:
            memory.long_term.remember(f"{scope.user_id} lives in Town{scope.user_id[5:]}", scope=scope)
        for scope in scopes:
            await drive_of(colour)(_use(memory, scope))
        parts, views = memory._parts[0], memory._views
        assert 0 < len(parts.episodes.views) < len(scopes)
        held = (parts.index.views, parts.episodes.views, parts.episodes.claims, views.entities._views)
        assert sum(it.nbytes for it in held) + views.profiles._size * 1_024 <= 2**20
        found = memory.long_term.recall("Town0", scope=scopes[0])
        assert [it.memory.content for it in found] == ["user 0 lives in Town0"]


def _use(memory: AgentMemory, scope: Scope) -> Flow[None]:
    yield from step(
        lambda: memory.long_term.recall("town", scope=scope), lambda: memory.long_term.arecall("town", scope=scope)
    )
    yield from step(
        lambda: memory.entities.get("Town1", scope=scope), lambda: memory.entities.aget("Town1", scope=scope)
    )
    yield from step(lambda: memory.profiles.get(scope=scope), lambda: memory.profiles.aget(scope=scope))
