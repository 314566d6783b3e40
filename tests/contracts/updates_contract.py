"""What is promised of statements that change: whatever database holds them, in both colours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.prepared import Prepared
from langchain_agentmem.types import Memory, Recall
from tests.conftest import Call
from tests.ledgers import START

ALICE: Final = Scope("alice")
HELPER: Final = Scope("alice", agent_id="helper")
ASKED: Final = "How many sources are in my Zotero library?"
FIRST: Final = "I'm keeping 45 sources in my Zotero library, tagged by theme."
SECOND: Final = "My Zotero library now has 52 sources, all tagged by theme."
THIRD: Final = "My Zotero library has grown to 60 sources, tagged by theme."
OTHER: Final = "I walked along the river for an hour."
DAYS: Final = {FIRST: 0, OTHER: 1, SECOND: 2, THIRD: 4}


class UpdatesContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    async def memory(self, sql_url: str) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=lambda: START + timedelta(days=30), consent="assumed")
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            yield memory

    # --------------------------------------------------------------------------------------------------------- locks
    async def test_no_view_is_locked_while_the_database_is_asked(
        self, memory: AgentMemory, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another task of the same user would wait for the lock, and its event loop with it, so for ever."""
        views, execute, held = memory.episodes._flows._parts.episodes.claims, Prepared.rows, list[bool]()

        def rows(*args: Any) -> Any:  # noqa: ANN401  (as it is)
            held.extend(it.lock.locked() for it in views.peek(ALICE.tenant_id, ALICE.user_id))
            return execute(*args)

        monkeypatch.setattr(Prepared, "rows", rows)
        await tell(memory, call, FIRST, SECOND, THIRD)
        assert set(held) == {False}

    # -------------------------------------------------------------------------------------------------------- recall
    async def test_an_update_stands_above_what_it_replaced(self, memory: AgentMemory, call: Call) -> None:
        """Said in another session, without any model: the later value comes first, the earlier one is marked."""
        await tell(memory, call, FIRST, OTHER, SECOND)
        new, old = [hit for hit in await ask(memory, call) if "Zotero" in hit.memory.content]
        assert (said(new.memory), new.memory.status, new.memory.supersedes) == (SECOND, "active", (old.memory.id,))
        assert (said(old.memory), old.memory.status, old.memory.links) == (FIRST, "superseded", (new.memory.id,))
        assert new.parts["updates"] == old.parts["updated"] > 0

    async def test_a_receipt_names_the_link(self, memory: AgentMemory, call: Call) -> None:
        """The lines of both name each other, with how sure it is."""
        await tell(memory, call, FIRST, SECOND)
        found = await ask(memory, call)
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ALICE)
        new, old = receipt.lines
        assert (new.linked, old.linked) == ((old.memory_id,), (new.memory_id,))
        assert new.parts["updates"] == old.parts["updated"]

    async def test_a_question_for_the_past_changes_no_order(self, memory: AgentMemory, call: Call) -> None:
        """Whoever asks for the first value finds it where its words put it, marked all the same."""
        await tell(memory, call, FIRST, OTHER, SECOND)
        found = await call(memory.long_term, "recall", "keeping sources in Zotero originally", scope=ALICE)
        assert (said(found[0].memory), found[0].memory.status) == (FIRST, "superseded")

    async def test_a_look_back_sees_what_was_said_by_then(self, memory: AgentMemory, call: Call) -> None:
        """As of a day between them the earlier value holds, and the later one was not said yet."""
        await tell(memory, call, FIRST, SECOND, THIRD)
        then = await ask(memory, call, as_of=START + timedelta(days=1))
        between = await ask(memory, call, as_of=START + timedelta(days=3))
        assert [(said(hit.memory), hit.memory.status) for hit in then] == [(FIRST, "active")]
        assert [(said(hit.memory), hit.memory.status) for hit in between] == [(SECOND, "active"), (FIRST, "superseded")]

    async def test_the_last_of_several_updates_is_named(self, memory: AgentMemory, call: Call) -> None:
        """Three values of one thing stand in the order of time, the last first, and both others name it."""
        await tell(memory, call, FIRST, SECOND, THIRD)
        found = await ask(memory, call)
        assert [said(hit.memory) for hit in found] == [THIRD, SECOND, FIRST]
        assert [hit.memory.links for hit in found] == [(), (found[0].memory.id,), (found[0].memory.id,)]

    # ------------------------------------------------------------------------------------------------------ ingestion
    @pytest.mark.parametrize("order", list(permutations([FIRST, SECOND, THIRD])))
    async def test_time_decides_not_the_order_of_ingestion(
        self, memory: AgentMemory, call: Call, order: tuple[str, ...]
    ) -> None:
        """An older conversation that comes late is linked as if it had come first."""
        await tell(memory, call, *order)
        assert links(await ask(memory, call)) == [
            (THIRD, {SECOND, FIRST}),
            (SECOND, {FIRST}),
            (FIRST, set()),
        ]

    async def test_one_conversation_updates_itself(self, memory: AgentMemory, call: Call) -> None:
        """Turns that were said at one moment are told apart by their order."""
        told = [HumanMessage(text, id=str(number)) for number, text in enumerate((FIRST, SECOND))]
        await call(memory.episodes, "ingest", told, scope=replace(ALICE, session_id="one"), at=START)
        assert links(await ask(memory, call)) == [(SECOND, {FIRST}), (FIRST, set())]

    async def test_a_conversation_in_the_history_updates_too(self, memory: AgentMemory, call: Call) -> None:
        """Turns that are only pointed at are held against those before them."""
        history = memory.history(replace(ALICE, session_id="kept"))
        await tell(memory, call, FIRST)
        await history.aadd_messages([HumanMessage(SECOND, id="second")])
        assert links(await ask(memory, call)) == [(SECOND, {FIRST}), (FIRST, set())]

    async def test_the_same_conversation_again_links_nothing_anew(self, memory: AgentMemory, call: Call) -> None:
        """Ingesting is idempotent: no event is added."""
        await tell(memory, call, FIRST, SECOND)
        before = await call(memory.long_term, "verify", scope=ALICE)
        await tell(memory, call, SECOND, FIRST)
        assert await call(memory.long_term, "verify", scope=ALICE) == before

    async def test_a_reply_that_comes_late_leaves_the_links(self, memory: AgentMemory, call: Call) -> None:
        """A turn that is kept anew with its reply updates what it updated."""
        await tell(memory, call, FIRST, SECOND, THIRD)
        scope, at = replace(ALICE, session_id=f"day {DAYS[SECOND]}"), START + timedelta(days=DAYS[SECOND])
        told = [HumanMessage(SECOND, id=SECOND[:20]), AIMessage("Well done.", id="later")]
        report = await call(memory.episodes, "ingest", told, scope=scope, at=at)
        assert report.kept == 1
        assert links(await ask(memory, call)) == [(THIRD, {SECOND, FIRST}), (SECOND, {FIRST}), (FIRST, set())]

    # ----------------------------------------------------------------------------------------------------------- end
    async def test_a_forgotten_update_gives_back_what_it_replaced(self, memory: AgentMemory, call: Call) -> None:
        """Without the later statement the earlier one holds again; of three, the one between."""
        await tell(memory, call, FIRST, SECOND, THIRD)
        for left in ([SECOND, FIRST], [FIRST]):
            newest = (await ask(memory, call))[0].memory
            await call(memory.episodes, "forget", [newest.id], scope=ALICE)
            found = await ask(memory, call)
            assert [said(hit.memory) for hit in found] == left
            assert [hit.memory.status for hit in found] == ["active", "superseded"][: len(left)]

    async def test_a_cleared_session_gives_back_what_it_replaced(self, memory: AgentMemory, call: Call) -> None:
        """A conversation takes its updates along, and comes back with them."""
        await tell(memory, call, FIRST, SECOND)
        await call(memory.episodes, "clear", scope=replace(ALICE, session_id=f"day {DAYS[SECOND]}"))
        alone = await ask(memory, call)
        await tell(memory, call, SECOND)
        assert [(said(hit.memory), hit.memory.status) for hit in alone] == [(FIRST, "active")]
        assert links(await ask(memory, call)) == [(SECOND, {FIRST}), (FIRST, set())]

    # ------------------------------------------------------------------------------------------------------ isolation
    async def test_only_the_same_speaker_updates(self, memory: AgentMemory, call: Call) -> None:
        """What Bob says of his library leaves Ann's as it is."""
        for name, text in (("Ann", FIRST), ("Bob", SECOND)):
            message = HumanMessage(text, id=name, name=name)
            at = START + timedelta(days=DAYS[text])
            await call(memory.episodes, "ingest", [message], scope=replace(ALICE, session_id=name), at=at)
        assert {hit.memory.status for hit in await ask(memory, call)} == {"active"}

    async def test_users_do_not_update_each_other(self, memory: AgentMemory, call: Call) -> None:
        """Another user's statement changes nothing."""
        await tell(memory, call, FIRST)
        await tell(memory, call, SECOND, scope=Scope("bob"))
        assert links(await ask(memory, call)) == [(FIRST, set())]

    async def test_what_an_agent_keeps_for_itself_updates_for_it_alone(self, memory: AgentMemory, call: Call) -> None:
        """Shared statements are replaced in that agent's eyes; to others nothing has happened."""
        await tell(memory, call, FIRST)
        await tell(memory, call, SECOND, scope=HELPER)
        assert links(await ask(memory, call)) == [(FIRST, set())]
        seen = await call(memory.long_term, "recall", ASKED, scope=HELPER)
        assert links(seen) == [(SECOND, {FIRST}), (FIRST, set())]

    # ---------------------------------------------------------------------------------------------------- explanation
    async def test_the_log_says_what_updates_what_and_no_word_of_it(self, memory: AgentMemory, call: Call) -> None:
        """Both turns have the event that links them in their lives; it names ids and what kind of value changed."""
        await tell(memory, call, FIRST, SECOND)
        new, old = [hit.memory.id for hit in await ask(memory, call)]
        lives = [await call(memory.long_term, "why", it, scope=ALICE) for it in (new, old)]
        [of_new, of_old] = [life.events[-1] for life in lives]
        assert of_new == of_old
        assert of_new.type == "episodes_superseded"
        [link] = of_new.payload["note"]["links"]
        assert (link["old"], link["new"], link["kind"]) == (old, new, "number")
        assert not any(value in str(of_new.payload) for value in ("45", "Zotero", "theme") if value not in old + new)
        assert new in lives[1].reasons[-1]


async def tell(memory: AgentMemory, call: Call, *texts: str, scope: Scope = ALICE) -> None:
    """Ingest each text as a session of its own, on its day."""
    for text in texts:
        at = START + timedelta(days=DAYS[text])
        place = replace(scope, session_id=f"day {DAYS[text]}")
        await call(memory.episodes, "ingest", [HumanMessage(text, id=text[:20])], scope=place, at=at)


async def ask(memory: AgentMemory, call: Call, **fields: object) -> Recall:
    """Ask for the value."""
    query = replace(RecallQuery(text=ASKED), **fields)  # type: ignore[arg-type]  # fields of a query
    found: Recall = await call(memory.long_term, "recall", query, scope=ALICE)
    return found


def said(memory: Memory) -> str:
    """Return what was said."""
    return memory.content.removeprefix("user: ").split("\n")[0]


def links(found: Recall) -> list[tuple[str, set[str]]]:
    """Return what was said in every hit, and what it updates."""
    texts = {hit.memory.id: said(hit.memory) for hit in found}
    return [(texts[hit.memory.id], {texts[it] for it in hit.memory.supersedes}) for hit in found]
