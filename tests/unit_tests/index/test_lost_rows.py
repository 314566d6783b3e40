"""Vector stores in which others delete or alter rows behind memory's back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, Final

import pytest
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_agentmem import AgentMemory, Recall, Scope, StorageError
from langchain_agentmem._flow import Flow, run
from langchain_agentmem._search import SearchRow
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.long_term.index import proposing, still_indexed
from langchain_agentmem.options import MemoryOptions
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings
from tests.ledgers import Clock

ALICE: Final = Scope("alice")
THINGS: Final = ("cat", "boat", "piano", "drone", "ladder", "kettle")


class Meanings(WordEmbeddings):
    """Embeddings that know what a feline is; no word of the question is in the answer."""

    def _embed(self, text: str) -> list[float]:
        return super()._embed(text.replace("which feline", "Alice owns a cat"))


class Watched(VectorStoreIndex):
    """An index in a dict, whose answers to looks a test may replace."""

    def __init__(self) -> None:
        self.built: list[InMemoryVectorStore] = []
        self.before_upsert: Callable[[], object] = lambda: None
        self.before_number: Callable[[], object] = lambda: None
        self.says: list[bool] = []
        super().__init__(self._make, "words")

    def _make(self, embeddings: Any) -> InMemoryVectorStore:  # noqa: ANN401
        self.built.append(InMemoryVectorStore(embeddings))
        return self.built[-1]

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        return self.built[-1].store

    def upsert(self, scope: Scope, rows: Sequence[SearchRow]) -> Flow[None]:
        self.before_upsert()
        yield from super().upsert(scope, rows)

    def holds(self, scope: Scope, count: int) -> Flow[bool]:
        self.before_number()
        return (yield from super().holds(scope, count)) and (self.says.pop(0) if self.says else True)


@pytest.fixture
def index() -> Watched:
    return Watched()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(index: Watched, clock: Clock) -> Iterator[AgentMemory]:
    options: dict[str, Any] = {"consent": "assumed", "index_above": 0, "clock": clock}
    with AgentMemory.connect(sql="sqlite://", embeddings=Meanings(), index=index, **options) as memory:
        for thing in THINGS:
            memory.long_term.remember(f"Alice owns a {thing}", scope=ALICE)
        yield memory


async def asked(memory: AgentMemory, call: Call) -> Recall:
    found: Recall = await call(memory.long_term, "recall", "which feline", scope=ALICE, limit=1)
    return found


def said(found: Recall) -> tuple[list[str], str]:
    return [hit.memory.content for hit in found], found.status


def key_of(index: Watched, memory: AgentMemory, content: str) -> str:
    [memory_id] = [it.id for it in memory.long_term.list(scope=ALICE) if it.content == content]
    [key] = [key for key, row in index.rows.items() if row["metadata"]["memory"] == memory_id]
    return key


def lose(row: str, rows: dict[str, dict[str, Any]]) -> None:
    del rows[row]


def turn(row: str, rows: dict[str, dict[str, Any]]) -> None:
    rows[row]["vector"] = [-it for it in rows[row]["vector"]]


def unlearn(row: str, rows: dict[str, dict[str, Any]]) -> None:
    rows[row]["vector"] = None


def spoil(row: str, rows: dict[str, dict[str, Any]]) -> None:
    del rows[row]["vector"]  # reading it raises


def hide(row: str, rows: dict[str, dict[str, Any]]) -> None:
    rows[row]["metadata"]["status"] = "archived"


def empty(_row: str, rows: dict[str, dict[str, Any]]) -> None:
    rows.clear()


@pytest.mark.parametrize("harm", [lose, turn, unlearn, spoil, hide, empty])
async def test_what_only_its_meaning_finds_is_found_though_its_vector_is_gone(
    memory: AgentMemory, index: Watched, call: Call, harm: Callable[[str, Any], None]
) -> None:
    """The first recall notices, the ledger answers, and the next write has the row brought again."""
    before = await asked(memory, call)
    harm(key_of(index, memory, "Alice owns a cat"), index.rows)
    found = [await asked(memory, call) for _ in range(2)]
    await call(memory.long_term, "remember", "Alice owns a tent", scope=ALICE)
    after = await asked(memory, call)
    assert said(before) == said(after) == (["Alice owns a cat"], "ok")
    assert [said(it) for it in found] == [(["Alice owns a cat"], "degraded")] * 2
    assert (await call(memory.long_term, "repair_index", dry_run=True)).damaged == 0


async def test_a_row_that_cannot_be_read_keeps_no_other_from_being_brought(
    memory: AgentMemory, index: Watched, call: Call
) -> None:
    """It is damaged like one that is lost, and both are brought again."""
    spoil(key_of(index, memory, "Alice owns a cat"), index.rows)
    turn(key_of(index, memory, "Alice owns a boat"), index.rows)
    reports = [await call(memory.long_term, "repair_index") for _ in range(2)]
    assert [it.damaged for it in reports] == [2, 0]
    assert said(await asked(memory, call)) == (["Alice owns a cat"], "ok")


async def test_a_store_that_cannot_be_read_at_all_is_told_how_it_is_made_anew(
    memory: AgentMemory, index: Watched, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row counts as damaged there: what brings it back is named."""
    monkeypatch.setattr(index.built[-1], "store", None)
    with pytest.raises(StorageError, match=r"rebuild_index\(\)"):
        await call(memory.long_term, "repair_index")


async def test_rows_that_the_ledger_does_not_know_crowd_out_no_answer(
    memory: AgentMemory, index: Watched, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restored copy: the view answers, jobs delete what was found, until the index can be asked again."""
    monkeypatch.setattr(proposing, "LOOKS", 1)
    cat = index.rows[key_of(index, memory, "Alice owns a cat")]["metadata"]["memory"]
    [row] = run(memory.long_term._flows._writing._searching.rows(ALICE, [cat]))
    run(index.upsert(ALICE, [row._replace(memory_id=f"{number:03}") for number in range(120)]))
    found: list[Recall] = []
    while not found or (found[-1].status == "degraded" and len(found) < 9):
        found.append(await asked(memory, call))
        await call(memory.jobs, "run")
    assert {tuple(said(it)[0]) for it in found} == {("Alice owns a cat",)}
    assert [it.status for it in found] == ["degraded"] * (len(found) - 1) + ["ok"]
    assert len(found) == 3
    assert len(index.rows) - len(THINGS) in range(20, 23)  # the cat resembles itself as they do: it may be in a look


async def test_an_altered_row_among_many_is_noticed_in_the_end(
    memory: AgentMemory, index: Watched, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each recall looks at some rows, chosen anew: whichever was altered, one of the next looks at it."""
    monkeypatch.setattr(still_indexed, "SAMPLE", 1)
    turn(key_of(index, memory, "Alice owns a kettle"), index.rows)
    for _ in range(150):  # (5/6)^150 is 1e-12
        if (found := await asked(memory, call)).status == "degraded":
            break
    assert said(found) == (["Alice owns a cat"], "degraded")


async def test_what_a_process_without_the_store_wrote_is_brought_to_it(memory: AgentMemory, call: Call) -> None:
    """Its rows are missed there, but for those that have no vector; and a loss is noticed beside such rows, too."""
    without, wordless = (
        AgentMemory(memory._database, embeddings=it, options=MemoryOptions(consent="assumed"))
        for it in (Meanings(), None)
    )
    states = []
    for other, thing in ((wordless, "tent"), (without, "violin"), (wordless, "canoe"), (without, "sledge")):
        await call(other.long_term, "remember", f"Alice owns a {thing}", scope=ALICE)
        states.append((await asked(memory, call)).status)
        await call(memory.jobs, "run")
        states.append((await asked(memory, call)).status)
    assert states == ["ok", "ok", "degraded", "ok"] * 2


async def test_recalls_that_notice_at_once_queue_one_job(memory: AgentMemory, index: Watched, call: Call) -> None:
    """However many know of a loss, it is mended once."""
    lose(key_of(index, memory, "Alice owns a cat"), index.rows)
    others: list[Recall] = []

    def ask_meanwhile() -> None:
        index.before_number = lambda: None
        others.append(memory.long_term.recall("which feline", scope=ALICE, limit=1))

    index.before_number = ask_meanwhile
    found = [await asked(memory, call), *others]
    assert [said(it) for it in found] == [(["Alice owns a cat"], "degraded")] * 2
    assert await call(memory.jobs, "counts") == {"queued": 1}


async def test_a_look_during_which_others_erase_is_no_loss(memory: AgentMemory, index: Watched, call: Call) -> None:
    """What the ledger had a moment ago, and has no more, the index need not have."""
    page = await call(memory.long_term, "list", scope=ALICE)
    [kettle] = [it.id for it in page if "kettle" in it.content]

    def erase() -> None:
        index.before_number = lambda: None
        memory.long_term.erase(kettle, scope=ALICE)

    index.before_number = erase
    found = await asked(memory, call)
    assert (said(found), await call(memory.jobs, "counts")) == ((["Alice owns a cat"], "ok"), {})


async def test_rows_that_are_held_and_not_found_are_told_until_somebody_rebuilds(
    memory: AgentMemory, index: Watched, clock: Clock, call: Call
) -> None:
    """An index that has every row and finds fewer is not asked; the job that found nothing to bring says why."""
    index.says = [False] * 99
    found = await asked(memory, call)
    await call(memory.jobs, "run")
    [job] = await call(memory.jobs, "list")
    assert (said(found), "rebuild_index" in job.error) == ((["Alice owns a cat"], "degraded"), True)
    assert (await asked(memory, call)).status == "degraded"
    index.says = []
    clock.now += timedelta(minutes=1)
    await call(memory.jobs, "run")
    assert (said(await asked(memory, call)), await call(memory.jobs, "counts")) == ((["Alice owns a cat"], "ok"), {})


async def test_a_repair_asked_for_ends_what_a_job_could_not_mend(
    memory: AgentMemory, index: Watched, call: Call
) -> None:
    """Once every row was held against the ledger, the index is asked again, whatever became of the job."""
    index.says = [False] * 3
    assert [(await asked(memory, call)).status for _ in range(2)] == ["degraded"] * 2
    await call(memory.jobs, "run")
    report = await call(memory.long_term, "repair_index")
    assert ((report.damaged, await call(memory.jobs, "counts")), (await asked(memory, call)).status) == ((0, {}), "ok")


@pytest.mark.parametrize("look", ["holds", "damaged"])
async def test_an_index_that_fails_when_it_is_looked_at_costs_no_answer(
    memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    """It is not asked any further, and nothing counts as lost."""

    def fail(*_: object) -> Flow[Sequence[SearchRow]]:
        msg = "away"
        raise StorageError(msg, is_retryable=True)

    monkeypatch.setattr(Watched, look, fail)
    found = await asked(memory, call)
    assert (said(found), await call(memory.jobs, "counts")) == ((["Alice owns a cat"], "degraded"), {})


@pytest.mark.parametrize("change", ["revise", "erase"])
async def test_of_two_workers_with_one_row_the_slower_brings_nothing_old(
    memory: AgentMemory, index: Watched, call: Call, change: str
) -> None:
    """What was read, and then changed or erased and brought by another, does not come back as it was."""
    [kettle] = [it.id for it in await call(memory.long_term, "list", scope=ALICE) if "kettle" in it.content]

    def overtake() -> None:
        index.before_upsert = lambda: None
        changes = {"content": "Alice owns two kettles"} if change == "revise" else {}
        getattr(memory.long_term, change)(kettle, scope=ALICE, **changes)

    index.before_upsert = overtake
    await call(memory.long_term, "revise", kettle, content="Alice owns a red kettle", scope=ALICE)
    held = sorted(row["metadata"]["memory"] for row in index.rows.values())
    known = run(memory.long_term._flows._writing._searching.rows(ALICE, held))
    assert [it.memory_id for it in known if it.status != "erased"] == held
    assert (await call(memory.long_term, "repair_index", dry_run=True)).damaged == 0
