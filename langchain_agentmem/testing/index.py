"""The index suite: laws that whatever proposes memories has to keep.

Subclass `IndexSuite` in a test module run by pytest, and give it a fixture `index` with an empty index:

```python
import pytest

from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.testing import IndexSuite


class TestAcme(IndexSuite):
    @pytest.fixture
    def index(self):
        return VectorStoreIndex(lambda embeddings: AcmeVectorStore(embeddings), "any model")
```

Every law is run through the blocking and the awaited calls. The rows have vectors of four numbers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem._search import Proposal, SearchQuery, SearchRow
from langchain_agentmem._vectors import unit_vector
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.scope_view import ScopeView
from langchain_agentmem.testing.laws import COLOURS, Colour, fail, parametrize
from langchain_agentmem.testing.leaks import FAMILIES, scopes_of
from langchain_agentmem.testing.rows import DIM, FAR, FILTERS, NEAR, query, row, varied_rows
from langchain_agentmem.types import Scope

TOLERANCE: Final = 1e-4
"""What 32-bit floats and another order of additions may move a relevance by."""

_ALICE: Final = Scope("alice")
_BOB: Final = Scope("bob")
_HOSTILE: Final = (
    "a,b",
    "A,B",
    "a|b",
    "a b",
    "a",
    "*",
    "a*",
    "%",
    "a_b",
    "-",
    "'; DROP TABLE memories; --",
    "' OR '1'='1",
    '{"$ne": null}',
    "@tag:{*}",
    "caf\u00e9",
    "cafe\u0301",
)
"""Names that a store's filter language would take for something else, or for each other."""

T = TypeVar("T")


class _Asked:
    """An index in one colour."""

    def __init__(self, index: Index, colour: Colour) -> None:
        """Nothing is asked yet."""
        self.index = index
        self._colour = colour

    async def run(self, flow: Flow[T]) -> T:
        """Run a flow blocking, or await it."""
        return run(flow) if self._colour == "sync" else await arun(flow)

    async def put(self, scope: Scope, *rows: SearchRow) -> None:
        """Write rows."""
        await self.run(self.index.upsert(scope, rows))

    async def delete(self, scope: Scope, *memory_ids: str) -> None:
        """Remove rows."""
        await self.run(self.index.delete(scope, memory_ids))

    async def find(self, scope: Scope = _ALICE, vector: Sequence[float] = NEAR, **asked: Any) -> list[Proposal]:
        """Search by a vector, with fields of the query and of its filter."""
        return await self.run(self.index.search(scope, query(vector, **asked)))

    async def ids(self, scope: Scope = _ALICE, **asked: Any) -> list[str]:
        """Search by a vector; only the ids."""
        return [proposal.memory_id for proposal in await self.find(scope, **asked)]


Law: TypeAlias = Callable[[_Asked], Awaitable[None]]


class IndexSuite:
    """Laws of an `Index`; see the module's text for how to run them.

    A subclass has a pytest fixture `index` that gives an empty `Index`.

    Attributes:
        colours: The colours to run.
        families: Ids of users that are as alike as ids can be; less is faster.
        tells_damage: Whether `damaged` knows what is held; else it has to name every row.
        tells_number: Whether `holds` knows how many rows there are; else it has to say yes.
    """

    colours: ClassVar[tuple[Colour, ...]] = COLOURS
    families: ClassVar[Sequence[Sequence[str]]] = FAMILIES
    tells_damage: ClassVar[bool] = True
    tells_number: ClassVar[bool] = True

    def pytest_generate_tests(self, metafunc: Any) -> None:  # noqa: ANN401  (pytest's own class; it is not imported)
        """Run each law in both colours."""
        parametrize(metafunc, "colour", metafunc.cls.colours)

    # ------------------------------------------------------------------------------------------------------- isolation
    def test_users_do_not_meet(self, index: Index, colour: Colour) -> None:
        """Users and tenants whose ids are alike, with memories of equal ids, each find and delete their own."""
        _run(index, colour, self._users)

    async def _users(self, asked: _Asked) -> None:
        scopes = [*scopes_of("user_id", self.families), *scopes_of("joined")]
        for place, scope in enumerate(scopes):
            await asked.put(scope, row("same", FAR, confidence=place / len(scopes)))
        for place, scope in enumerate(scopes):
            own = {"min_confidence": place / len(scopes)}
            assert await asked.ids(scope, **own) == ["same"], f"what {scope!r} finds of its own"
        for scope in scopes[::2]:
            await asked.delete(scope, "same")
        for place, scope in enumerate(scopes):
            assert await asked.ids(scope) == ["same"] * (place % 2), f"what {scope!r} finds after others deleted"

    def test_others_move_nothing(self, index: Index, colour: Colour) -> None:
        """Ids, order and scores are the same after another user's rows came, nearer and in any number."""
        _run(index, colour, self._interference)

    async def _interference(self, asked: _Asked) -> None:
        await asked.put(_ALICE, *(row(f"a{it}", (1.0, it / 10, 0.0, 0.0)) for it in range(12)))
        before = await asked.find(limit=5)
        await asked.put(_BOB, *(row(f"b{it}", NEAR) for it in range(300)))
        assert await asked.find(limit=5) == before, "what alice finds after bob wrote"

    # ---------------------------------------------------------------------------------------------------------- filter
    def test_a_filter_is_applied_before_the_cut(self, index: Index, colour: Colour) -> None:
        """The one row that is admitted is found with a limit of one, however many nearer ones are not."""
        _run(index, colour, self._before_the_cut)

    async def _before_the_cut(self, asked: _Asked) -> None:
        wanted = {"kind": "goal", "tags": ("work",), "purposes": ("ads",), "valid_at": 40, "agent_id": "coder"}
        await asked.put(
            _ALICE, *(row(f"near{it:03}", NEAR, valid_at=5) for it in range(200)), row("far", FAR, **wanted)
        )
        shared: dict[str, Any] = {"limit": 1, "agent_id": "coder", "purposes": ("ads",)}
        for condition in ({"kinds": ("goal",)}, {"tags": ("work",)}, {"since": 30}):
            assert await asked.ids(**shared, **condition) == ["far"], f"the only row for {condition!r}"

    def test_exactly_the_admitted_rows_are_proposed(self, index: Index, colour: Colour) -> None:
        """Of rows of every kind, agent, status, time and label a filter admits what it says, at the cosine's worth."""
        _run(index, colour, self._admitted)

    async def _admitted(self, asked: _Asked) -> None:
        rows, view = varied_rows(120), ScopeView()
        view.apply(rows, 1)
        await asked.put(_ALICE, *rows)
        for wanted in FILTERS:
            question = SearchQuery(text="", vector=unit_vector([1, 1, 0, 0]), filter=wanted, limit=200)
            found = await asked.run(asked.index.search(_ALICE, question))
            expected = {it.memory_id: it.relevance for it in view.search(question)}
            assert {it.memory_id for it in found} == set(expected), f"what {wanted!r} admits"
            for it in found:
                if abs(it.relevance - expected[it.memory_id]) > TOLERANCE:
                    fail(f"relevance of {it.memory_id}: expected {expected[it.memory_id]}, found {it.relevance}")

    def test_names_are_compared_exactly(self, index: Index, colour: Colour) -> None:
        """Tags, purposes and agents with separators, wildcards, quotes or code in them are names like any other."""
        _run(index, colour, self._names)

    async def _names(self, asked: _Asked) -> None:
        for place, name in enumerate(_HOSTILE):
            await asked.put(_ALICE, row(f"tag{place}", NEAR, tags=(name,)), row(f"for{place}", NEAR, purposes=(name,)))
            await asked.put(_ALICE, row(f"of{place}", NEAR, agent_id=name))
        for place, name in enumerate(_HOSTILE):
            assert await asked.ids(tags=(name,), limit=99) == [f"tag{place}"], f"rows with the tag {name!r}"
            by_purpose = set(await asked.ids(purposes=(name,), limit=99))
            assert {it for it in by_purpose if it.startswith("for")} == {f"for{place}"}, f"rows for {name!r}"
            by_agent = set(await asked.ids(agent_id=name, limit=99))
            assert {it for it in by_agent if it.startswith("of")} == {f"of{place}"}, f"rows of the agent {name!r}"

    # --------------------------------------------------------------------------------------------------- write, delete
    def test_a_row_is_replaced_as_a_whole(self, index: Index, colour: Colour) -> None:
        """An upsert leaves nothing of the row before, neither tag nor end nor vector; repeating it changes nothing."""
        _run(index, colour, self._replaced)

    async def _replaced(self, asked: _Asked) -> None:
        await asked.put(_ALICE, row("a", FAR, tags=("work",), purposes=("ads",), invalid_at=10, status="superseded"))
        for _ in range(2):
            await asked.put(_ALICE, row("a", NEAR))
            (proposal,) = await asked.find()
            assert (proposal.memory_id, round(proposal.parts["vector"], 3)) == ("a", 1.0), "the row as it is now"
            assert await asked.ids(tags=("work",)) == [], "rows with the tag it had"

    def test_what_is_erased_or_has_no_vector_is_removed(self, index: Index, colour: Colour) -> None:
        """A row that comes as erased, or without anything to compare, is not proposed any more."""
        _run(index, colour, self._removed)

    async def _removed(self, asked: _Asked) -> None:
        await asked.put(_ALICE, row("a", NEAR), row("b", NEAR), row("c", NEAR))
        await asked.put(_ALICE, row("a", NEAR, status="erased"), row("b", None))
        assert await asked.ids() == ["c"], "what is left"

    def test_a_deleted_row_is_gone(self, index: Index, colour: Colour) -> None:
        """Deleting removes what is named and nothing else; unknown ids, and none at all, are no error."""
        _run(index, colour, self._deleted)

    async def _deleted(self, asked: _Asked) -> None:
        await asked.put(_ALICE, row("a", NEAR), row("b", NEAR))
        await asked.put(_ALICE)
        await asked.delete(_ALICE)
        await asked.delete(_ALICE, "a", "unknown", "' OR '1'='1")
        await asked.delete(_ALICE, "a")
        assert await asked.ids() == ["b"], "what is left"

    def test_any_id_comes_back_as_it_was(self, index: Index, colour: Colour) -> None:
        """Ids of memories are any text: hostile, long, or in another script."""
        _run(index, colour, self._any_id)

    async def _any_id(self, asked: _Asked) -> None:
        ids = sorted([*_HOSTILE, "x" * 512, "\u8a18\u61b6", "0", "1.0", "true"])
        await asked.put(_ALICE, *(row(it, NEAR) for it in ids))
        assert await asked.ids(limit=99) == ids, "all ids, ties in their order"
        await asked.delete(_ALICE, *ids[::2])
        assert await asked.ids(limit=99) == ids[1::2], "what is left"

    def test_many_rows_are_written_at_once(self, index: Index, colour: Colour) -> None:
        """A rebuild brings thousands of rows in one call."""
        _run(index, colour, self._many)

    async def _many(self, asked: _Asked) -> None:
        rows = [row(f"{it:04}", (1.0, it / 1_500, 0.0, 0.0)) for it in range(1_500)]
        await asked.put(_ALICE, *rows)
        assert await asked.ids(limit=30) == [f"{it:04}" for it in range(30)], "the nearest"
        await asked.delete(_ALICE, *(it.memory_id for it in rows[1:]))
        assert await asked.ids(limit=30) == ["0000"], "what is left"

    # ------------------------------------------------------------------------------------------------- order and pages
    def test_equals_are_ordered_by_id_also_at_the_cut(self, index: Index, colour: Colour) -> None:
        """Which of many equals are proposed does not depend on the order in which they were written."""
        _run(index, colour, self._ties)

    async def _ties(self, asked: _Asked) -> None:
        names = [f"{it:02}" for it in range(40)]
        shuffled = [names[it * 7 % 40] for it in range(40)]
        await asked.put(_ALICE, row("zz", NEAR), *(row(it, FAR) for it in shuffled))
        for _ in range(2):
            assert await asked.ids(limit=6) == ["zz", *names[:5]], "the best, equals by id"
            await asked.put(_ALICE, *(row(it, FAR) for it in names[:3]))

    def test_pages_show_every_row_once(self, index: Index, colour: Colour) -> None:
        """Page by page, a ranking is the one that is given at once; beyond its end there is nothing."""
        _run(index, colour, self._pages)

    async def _pages(self, asked: _Asked) -> None:
        await asked.put(_ALICE, *(row(f"{it:02}", (1.0, it // 3 / 10, 0.0, 0.0)) for it in range(23)))
        whole = await asked.find(limit=99)
        pages = [await asked.find(limit=5, offset=place) for place in range(0, 30, 5)]
        assert [len(page) for page in pages] == [5, 5, 5, 5, 3, 0], "sizes of the pages"
        assert [it for page in pages for it in page] == whole, "all pages together"

    def test_any_limit_is_answered(self, index: Index, colour: Colour) -> None:
        """A limit or an offset of a million, and of more than any store can count, is no error."""
        _run(index, colour, self._limits)

    async def _limits(self, asked: _Asked) -> None:
        await asked.put(_ALICE, row("a", NEAR), row("b", FAR))
        for limit in (1_000_000, 10**30):
            assert await asked.ids(limit=limit) == ["a", "b"], f"all rows with a limit of {limit}"
            assert await asked.ids(offset=limit) == [], f"rows beyond {limit}"

    def test_nothing_relevant_is_a_normal_answer(self, index: Index, colour: Colour) -> None:
        """Rows that have nothing to do with the question are not proposed, nor is anything where there is nothing."""
        _run(index, colour, self._nothing)

    async def _nothing(self, asked: _Asked) -> None:
        assert await asked.ids() == [], "an empty index"
        await asked.put(_ALICE, row("a", (0.0, 1.0, 0.0, 0.0)), row("b", (-1.0, 0.0, 0.0, 0.0)))
        assert await asked.ids() == [], "unrelated rows"
        assert await asked.ids(statuses=()) == [], "a filter that admits nothing"
        assert await asked.run(asked.index.search(_ALICE, replace(query(NEAR), vector=None))) == [], "no question"

    # ---------------------------------------------------------------------------------------------------------- repair
    def test_what_is_lost_or_altered_is_named(self, index: Index, colour: Colour) -> None:
        """`damaged` names rows that are missing or held otherwise, and none besides; brought again, they are whole."""
        _run(index, colour, self._damage)

    async def _damage(self, asked: _Asked) -> None:
        rows = varied_rows(30)
        live = {it.memory_id for it in rows}
        await asked.put(_ALICE, *rows)
        await asked.put(_BOB, *rows)
        await asked.delete(_ALICE, "m01", "m02")
        turned = row("x", (0.0, 0.0, 0.0, 1.0)).vector
        await asked.put(_ALICE, rows[3]._replace(vector=turned), rows[4]._replace(confidence=0.99, labels=b""))
        found = set(await asked.run(asked.index.damaged(_ALICE, rows)))
        assert found == ({"m01", "m02", "m03", "m04"} if self.tells_damage else live), "what is damaged"
        await asked.put(_ALICE, *(it for it in rows if it.memory_id in found))
        again = set(await asked.run(asked.index.damaged(_ALICE, rows)))
        assert again == (set() if self.tells_damage else live), "what is damaged after the repair"

    def test_a_lost_row_is_missed_in_their_number(self, index: Index, colour: Colour) -> None:
        """`holds` says yes to as many rows of a user as there are, and, where the index can tell, no to one more."""
        _run(index, colour, self._number)

    async def _number(self, asked: _Asked) -> None:
        rows = varied_rows(30)
        await asked.put(_ALICE, *rows)
        await asked.put(_BOB, *rows[1:], row("x", NEAR), row("y", NEAR))
        for scope, number in ((_ALICE, 30), (_ALICE, 29), (_BOB, 31)):
            said = [await asked.run(asked.index.holds(scope, it)) for it in (0, 1, number, number + 1)]
            assert said == [True, True, True, not self.tells_number], f"whether {scope!r} has 0, 1, all, and one more"
            await asked.delete(_ALICE, "m01")

    def test_an_emptied_index_takes_any_size(self, index: Index, colour: Colour) -> None:
        """`reset` leaves nothing of anyone; then vectors of the new model's size come."""
        _run(index, colour, self._emptied)

    async def _emptied(self, asked: _Asked) -> None:
        await asked.put(_ALICE, row("a", NEAR))
        await asked.put(_BOB, row("b", NEAR))
        for size in (6, DIM):
            await asked.run(asked.index.reset(size))
            vector = [1.0] + [0.0] * (size - 1)
            for scope in (_ALICE, _BOB):
                assert await asked.ids(scope, vector=vector) == [], f"what is left of {scope!r}"
            await asked.put(_ALICE, row("c", vector))
            assert await asked.ids(vector=vector) == ["c"], f"a row of {size} numbers"

    def test_a_vector_of_another_size_is_refused(self, index: Index, colour: Colour) -> None:
        """The error says so before the index could lose or mix anything."""
        _run(index, colour, self._sizes)

    async def _sizes(self, asked: _Asked) -> None:
        await asked.put(_ALICE, row("a", NEAR))
        with_six = [1.0] + [0.0] * 5
        await _refused(asked.put(_ALICE, row("b", with_six)), "a row of another size")
        await _refused(asked.find(vector=with_six), "a question of another size")
        assert await asked.ids() == ["a"], "what was there before"


async def _refused(call: Awaitable[object], what: str) -> None:
    try:
        found = await call
    except ConfigurationError:
        return
    fail(f"{what} was not refused, and gave {found!r}")


def _run(index: Index, colour: Colour, law: Law) -> None:
    async def kept() -> None:
        await law(_Asked(index, colour))

    asyncio.run(kept())
