"""The contract of entities: a graph read from the ledger, corrected by memories, and never older than a write."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ConfigurationError,
    EntityGraph,
    RecallQuery,
    Scope,
    ScopeError,
    SensitivePolicy,
)
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.contracts.history_backends import ReversingVault
from tests.contracts.profiles_contract import ANA, BOB, Clock
from tests.fake_embeddings import WordEmbeddings
from tests.held import held
from tests.paged import paged

FAMILY = ("My sister Nora works at Acme", "Nora's boss is Tom Berg", "Tom Berg lives in Oslo")
MAY = datetime(2025, 5, 1, tzinfo=UTC)


def drawn(graph: EntityGraph) -> set[tuple[str, str, str]]:
    """The relations of a graph, by names."""
    names = {it.id: it.name for it in graph}
    return {(names[it.subject], it.relation, names.get(it.object or "", it.value or "")) for it in graph.relations}


class EntitiesContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def database(self, sql_url: str) -> Database:
        return Database(sql_url)

    @pytest.fixture
    async def memory(self, database: Database, own_call: Call) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=Clock(), vault=ReversingVault(), relations={"mentor": "one"})
        async with AgentMemory(database, embeddings=WordEmbeddings(), options=options) as memory:
            for scope in (ANA, BOB):
                await own_call(memory.consent, "grant", scope)
            yield memory

    @pytest.fixture
    def other(self, memory: AgentMemory, database: Database) -> AgentMemory:
        """Another process of the same database: nothing is held in common but what is stored."""
        return AgentMemory(database, embeddings=WordEmbeddings(), options=memory._options)

    # ------------------------------------------------------------------------------------------------------ projection
    async def test_what_is_remembered_is_a_graph(self, memory: AgentMemory, call: Call) -> None:
        """Each relation names the memories that say it; no other user's graph holds any of it."""
        ids = [(await call(memory.long_term, "remember", it, scope=ANA)).memory.id for it in FAMILY]
        graph = await call(memory.entities, "graph", scope=ANA)
        assert drawn(graph) == {
            ("the user", "sister", "Nora"),
            ("Nora", "works_at", "Acme"),
            ("Nora", "boss", "Tom Berg"),
            ("Tom Berg", "lives_in", "Oslo"),
        }
        [lives] = await call(memory.entities, "about", "Oslo", scope=ANA)
        assert (lives.memory_ids, lives.cardinality, lives.status, lives.confidence) == (
            (ids[2],),
            "one",
            "active",
            0.9,
        )
        found = await call(memory.entities, "get", "my SISTER", scope=ANA)
        assert (found.name, found.type, found.memory_ids) == ("Nora", "person", (ids[0], ids[1]))
        assert len(await call(memory.entities, "graph", scope=BOB)) == 0

    async def test_it_is_asked_for_ways_and_surroundings(self, memory: AgentMemory, call: Call) -> None:
        """Neighbours by distance, paths in words, a part of the graph, and lists by sort."""
        for it in FAMILY:
            await call(memory.long_term, "remember", it, scope=ANA)
        entities = memory.entities
        near = await call(entities, "neighbours", "Nora", scope=ANA, depth=2)
        assert [(it.entity.name, it.distance) for it in near] == [
            ("Acme", 1),
            ("the user", 1),
            ("Tom Berg", 1),
            ("Oslo", 2),
        ]
        assert [
            it.entity.name for it in await call(entities, "neighbours", "Nora", scope=ANA, relation="Works for")
        ] == ["Acme"]
        [path] = await call(entities, "paths", "user", "Oslo", scope=ANA)
        assert (str(path), len(path)) == ("the user -sister-> Nora -boss-> Tom Berg -lives_in-> Oslo", 3)
        assert await call(entities, "paths", "user", "Oslo", scope=ANA, max_length=2) == ()
        assert set((await call(entities, "subgraph", ["Oslo"], scope=ANA)).entities) == {"oslo", "tom berg"}
        assert {it.name for it in await call(entities, "list", scope=ANA, type="person")} == {
            "Nora",
            "Tom Berg",
            "the user",
        }
        every = await call(entities, "list", scope=ANA)
        assert tuple(await paged(call, entities, scope=ANA)) == every.items
        with pytest.raises(ConfigurationError, match=r"entities\.list"):
            await call(entities, "list", scope=ANA, cursor="Nora")
        assert (await call(entities, "to_networkx", scope=ANA)).number_of_edges() == 4

    async def test_a_correction_moves_the_relation_and_the_past_stays(self, memory: AgentMemory, call: Call) -> None:
        """`at` is what was true of the world then, `known_at` what this system believed then."""
        before = memory._options.clock()
        said = Candidate(content="Tom lives in Oslo", valid_at=MAY)
        old = (await call(memory.long_term, "remember", said, scope=ANA)).memory
        between = memory._options.clock()
        moved = Candidate(content="Tom moved to Rome", valid_at=MAY + timedelta(days=90), is_correction=True)
        assert (await call(memory.long_term, "remember", moved, scope=ANA)).superseded == (old.id,)

        async def home(**when: datetime) -> list[str]:
            graph = await call(memory.entities, "graph", scope=ANA, **when)
            return [it.object for it in graph.about("Tom")]

        assert await home() == ["rome"]
        assert await home(at=MAY + timedelta(days=1)) == ["oslo"]
        assert await home(at=MAY - timedelta(days=1)) == []
        assert (await home(known_at=between), await home(known_at=before)) == (["oslo"], [])
        [past] = await call(memory.entities, "about", "Tom", scope=ANA, at=MAY + timedelta(days=1))
        assert (past.status, past.valid_at, past.invalid_at) == ("superseded", MAY, MAY + timedelta(days=90))

    async def test_what_was_known_then_is_told_by_the_log(self, memory: AgentMemory, call: Call) -> None:
        """Revised, forgotten, restored or gone since: as it was believed then; of what is erased nothing is left."""
        clock = memory._options.clock
        times = [clock()]
        kept = (await call(memory.long_term, "remember", "Tom lives in Oslo", scope=ANA)).memory
        times.append(clock())
        await call(memory.long_term, "revise", kept.id, scope=ANA, content="Tom lives in Rome")
        times.append(clock())
        await call(memory.long_term, "forget", kept.id, scope=ANA)
        times.append(clock())
        await call(memory.long_term, "restore", kept.id, scope=ANA)
        await call(memory.long_term, "revise", kept.id, scope=ANA, expires_at=clock() + timedelta(seconds=1))
        assert [*itertools.islice(iter(clock, None), 1_000)][-1] > kept.created_at + timedelta(seconds=1)  # a tick each

        async def home(**when: datetime) -> list[str]:
            graph = await call(memory.entities, "graph", scope=ANA, **when)
            return [it.object for it in graph.about("Tom")]

        assert [await home(known_at=it) for it in times] == [[], ["oslo"], ["rome"], []]
        assert [await home(known_at=times[1], at=times[1]), await home()] == [["oslo"], []]
        assert len(await call(memory.entities, "graph", scope=BOB, known_at=times[1])) == 0
        await call(memory.long_term, "erase", kept.id, scope=ANA)
        assert [await home(known_at=it) for it in times] == [[]] * 4

    async def test_one_at_a_time_is_what_an_application_declares(self, memory: AgentMemory, call: Call) -> None:
        """The conflict policy and the graph read one declaration."""
        await call(memory.entities, "relate", "Nora", "mentor", "Eva Lind", scope=ANA)
        second = await call(memory.entities, "relate", "Nora", "mentor", "Max Roth", scope=ANA)
        assert len(second.superseded) == 1
        graph = await call(memory.entities, "graph", scope=ANA)
        assert drawn(graph) == {("Nora", "mentor", "Max Roth")}
        assert [memory.entities.cardinality(it) for it in ("mentor", "works for", "friend")] == ["one", "one", "many"]

    # ---------------------------------------------------------------------------------------------------------- aliases
    async def test_an_alias_is_a_memory_that_can_be_forgotten(self, memory: AgentMemory, call: Call) -> None:
        """It joins two entities, explains itself, and goes and comes with its memory."""
        await call(memory.long_term, "remember", FAMILY[2], scope=ANA)
        await call(memory.entities, "relate", "Tommy", "plays", "chess", scope=ANA)
        said = (await call(memory.entities, "alias", "Tommy", "Tom Berg", scope=ANA)).memory
        found = await call(memory.entities, "get", "tommy", scope=ANA)
        assert [it.rule for it in (await call(memory.entities, "explain_alias", "tom", scope=ANA)).links] == [
            "said",
            "short_name",
        ]
        assert (found.name, found.aliases) == ("Tom Berg", ("Tommy",))
        explained = await call(memory.entities, "explain_alias", "Tommy", scope=ANA)
        assert [(it.rule, it.memory_id) for it in explained.links] == [("said", said.id)]
        assert (await call(memory.long_term, "why", said.id, scope=ANA)).reasons
        await call(memory.long_term, "forget", said.id, scope=ANA)
        assert (await call(memory.entities, "get", "tommy", scope=ANA)).name == "Tommy"
        await call(memory.long_term, "restore", said.id, scope=ANA)
        assert (await call(memory.entities, "get", "tommy", scope=ANA)).name == "Tom Berg"

    async def test_an_alias_says_something_new_or_is_refused(self, memory: AgentMemory, call: Call) -> None:
        """Of itself, around in a circle, or of what was told apart: an error that names the memory to forget."""
        first = (await call(memory.entities, "alias", "Bob", "Robert", scope=ANA)).memory
        await call(memory.entities, "alias", "Rob", "Bob", scope=ANA)
        with pytest.raises(ConfigurationError, match="same name"):
            await call(memory.entities, "alias", "Bob", " BOB ", scope=ANA)
        with pytest.raises(ConfigurationError, match=f"already, by memory {first.id}|already, by memory .*{first.id}"):
            await call(memory.entities, "alias", "Robert", "Rob", scope=ANA)
        with pytest.raises(ConfigurationError, match="said to be one"):
            await call(memory.entities, "distinguish", "Rob", "Robert", scope=ANA)
        apart = (await call(memory.entities, "distinguish", "Bob", "Bobby", scope=ANA)).memory
        for name in ("Bob", "Rob", "Robert"):  # one step and two steps away as well
            with pytest.raises(ConfigurationError, match=apart.id):
                await call(memory.entities, "alias", "Bobby", name, scope=ANA)

    @pytest.mark.parametrize("given", ["****@*.***", "[email]", "nora@acme.com"])
    async def test_what_stands_in_the_place_of_a_value_is_no_alias(self, sql_url: str, call: Call, given: str) -> None:
        """Masked before, or by the policy: it would say nothing of anybody; the error shows that, and no value."""
        options = MemoryOptions(consent="assumed", sensitive=SensitivePolicy(rules={"email": "mask"}))
        async with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            for act, names in itertools.product(("alias", "distinguish"), ((given, "Nora"), ("Nora", given))):
                with pytest.raises(ConfigurationError, match="pass the name") as refused:
                    await call(memory.entities, act, *names, scope=ANA)
                shown = "****@****.***" if given == "nora@acme.com" else given
                assert repr(shown) in str(refused.value)
                assert "acme" not in str(refused.value)
            assert len(await call(memory.timeline, "events", ANA)) == 0

    async def test_a_circle_that_two_processes_close_is_one_entity(
        self, memory: AgentMemory, other: AgentMemory
    ) -> None:
        """What no check could see in time says nothing new, and harms nothing."""
        for writer, name, same in ((memory, "Bob", "Robert"), (memory, "Robert", "Rob"), (other, "Rob", "Bob")):
            said = Candidate(content=f"{name} is also {same}", subject=name, relation="same as", object=same)
            await writer.long_term.aremember(said, scope=ANA)
        [found] = await memory.entities.alist(scope=ANA)
        assert {found.name, *found.aliases} == {"Bob", "Rob", "Robert"}

    async def test_two_that_were_told_apart_are_joined_by_no_rule(self, memory: AgentMemory, call: Call) -> None:
        """The rule's suggestion is told, with the reason why it is not followed."""
        await call(memory.long_term, "remember", "Nora Berg lives in Rome", scope=ANA)
        await call(memory.long_term, "remember", "Nora plays chess", scope=ANA)
        assert (await call(memory.entities, "get", "Nora", scope=ANA)).name == "Nora Berg"
        await call(memory.entities, "distinguish", "Nora", "Nora Berg", scope=ANA)
        assert (await call(memory.entities, "get", "Nora", scope=ANA)).name == "Nora"
        explained = await call(memory.entities, "explain_alias", "Nora", scope=ANA)
        assert [(it.other, it.rule) for it in explained.candidates] == [("Nora Berg", "told_apart")]

    # ------------------------------------------------------------------------------------------- freshness and erasure
    async def test_what_another_process_writes_is_there(
        self, memory: AgentMemory, other: AgentMemory, call: Call
    ) -> None:
        """The ledger is asked before every answer, and only what changed is read."""
        await call(memory.long_term, "remember", FAMILY[0], scope=ANA)
        await call(memory.entities, "graph", scope=ANA)
        erased = (await call(other.long_term, "remember", FAMILY[1], scope=ANA)).memory
        assert ("Nora", "boss", "Tom Berg") in drawn(await call(memory.entities, "graph", scope=ANA))
        await call(other.long_term, "erase", erased.id, scope=ANA)
        assert await call(memory.entities, "get", "Tom Berg", scope=ANA) is None

    async def test_nothing_erased_is_held(self, memory: AgentMemory, call: Call) -> None:
        """In this process it goes with the erasure itself, and not with the next question."""
        said = (await call(memory.long_term, "remember", FAMILY[1], scope=ANA)).memory
        await call(memory.entities, "graph", scope=ANA)
        views = memory._views.entities._views
        assert len(views) == 1
        await call(memory.long_term, "erase", said.id, scope=ANA)
        assert (len(views), held()) == (0, [])

    async def test_a_memory_counts_while_it_is_in_force(self, memory: AgentMemory, call: Call) -> None:
        """A graph that was drawn is drawn anew when a memory begins or ends, though nothing was written."""
        clock = memory._options.clock
        ends = clock() + timedelta(days=1)
        await call(memory.long_term, "remember", Candidate(content=FAMILY[2], expires_at=ends), scope=ANA)
        assert len(await call(memory.entities, "graph", scope=ANA)) == 2
        clock.clock.now = ends  # type: ignore[attr-defined]  # the test's own clock
        assert len(await call(memory.entities, "graph", scope=ANA)) == 0

    # ------------------------------------------------------------------------------------------------------- governance
    async def test_consent_mode_and_purpose_decide(self, memory: AgentMemory, call: Call) -> None:
        """Without leave there is no graph and no write, and the answer says why."""
        await call(memory.long_term, "remember", Candidate(content=FAMILY[2], purposes=("care",)), scope=ANA)
        graph = memory.entities
        assert len(await call(graph, "graph", scope=ANA)) == 0
        assert len(await call(graph, "graph", scope=ANA, purpose="care")) == 2
        assert (await call(graph, "graph", scope=ANA, mode="off")).status == "off"
        frozen = await call(graph, "alias", "a", "b", scope=ANA, mode="frozen")
        assert (frozen.is_refused, frozen.rule) == (True, "memory_mode")
        assert (await call(graph, "graph", scope=Scope.anonymous("s"))).status == "anonymous"
        await call(memory.consent, "withdraw", ANA)
        assert (await call(graph, "graph", scope=ANA)).status == "no_consent"
        assert (await call(graph, "relate", "Nora", "works at", "Acme", scope=ANA)).rule == "consent"

    async def test_an_agent_sees_its_own_and_what_is_shared(self, memory: AgentMemory, call: Call) -> None:
        """What one agent was told is in no other agent's graph."""
        coder = replace(ANA, agent_id="coder")
        await call(memory.long_term, "remember", FAMILY[2], scope=ANA)
        await call(memory.long_term, "remember", "Nora works at Acme", scope=coder)
        assert set((await call(memory.entities, "graph", scope=coder)).entities) == {"acme", "nora", "oslo", "tom berg"}
        for scope in (ANA, replace(ANA, agent_id="planner")):
            assert set((await call(memory.entities, "graph", scope=scope)).entities) == {"oslo", "tom berg"}

    async def test_what_is_no_name_is_refused_before_anything_is_read(self, memory: AgentMemory, call: Call) -> None:
        """Empty, of marks only, with NUL, ten kilobytes, or no text at all."""
        for name in ("", "?!", "a\0b", "x" * 10_240, 7):
            for method, rest in (("get", ()), ("alias", ("b",)), ("relate", ("knows", "Bob")), ("neighbours", ())):
                with pytest.raises(ConfigurationError):
                    await call(memory.entities, method, name, *rest, scope=ANA)
        with pytest.raises(ScopeError):
            await call(memory.entities, "graph", scope="ana")

    async def test_a_name_is_data(self, memory: AgentMemory, call: Call) -> None:
        """Named like SQL, Cypher or XML, it is written, found and related like any other."""
        for name in ("Robert'); DROP TABLE memories;--", "}) DETACH DELETE n //", "%s <b>&amp; </b>"):
            await call(memory.entities, "relate", name, "works at", "Acme", scope=ANA)
            found = await call(memory.entities, "get", name, scope=ANA)
            assert (found.name, found.type) == (name, "person")
            assert [it.entity.id for it in await call(memory.entities, "neighbours", name, scope=ANA)] == ["acme"]
        assert (await call(memory.long_term, "verify", scope=ANA)).is_intact

    async def test_a_relation_to_itself_is_refused_and_draws_nothing(self, memory: AgentMemory, call: Call) -> None:
        """Where a memory says so all the same, it is kept, and names the entity."""
        with pytest.raises(ConfigurationError, match="itself"):
            await call(memory.entities, "relate", "Nora", "knows", "nora", scope=ANA)
        await call(memory.long_term, "remember", "Nora knows Nora", scope=ANA)
        graph = await call(memory.entities, "graph", scope=ANA)
        assert (set(graph.entities), graph.relations) == ({"nora"}, ())

    # ----------------------------------------------------------------------------------------------------------- recall
    async def test_recall_follows_the_relations_of_what_is_named(self, memory: AgentMemory, call: Call) -> None:
        """With `hops`, a fact that shares no word with the question comes in, and its parts and receipt say how."""
        for it in (*FAMILY, "Acme was founded in 1990", "The user likes tea"):
            await call(memory.long_term, "remember", it, scope=ANA)
        question = "Which trams go to Nora's boss?"
        plain = await call(memory.long_term, "recall", RecallQuery(text=question, limit=10), scope=ANA)
        assert FAMILY[2] not in [hit.memory.content for hit in plain]
        asked = RecallQuery(text=question, hops=1, hops_only=True, limit=10)
        found = await call(memory.long_term, "recall", asked, scope=ANA)
        parts = {hit.memory.content: hit.parts["entity"] for hit in found}
        assert {it: parts[it] for it in FAMILY} == dict(zip(FAMILY, (0.5, 1.0, 1.0), strict=True))  # Tom Berg is named
        assert "The user likes tea" not in parts
        receipt = await call(memory.long_term, "receipt", found.receipt_id, scope=ANA)
        assert (receipt.plan["query"]["hops"], receipt.returned) == (1, tuple(hit.memory.id for hit in found))
