"""A user over two sessions with an agent: what is said in passing makes one graph, and a correction moves it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, GraphOptions, Scope, create_memory_graph
from langchain_agentmem.english.reading.relations import Relations
from langchain_agentmem.entities.views import EntityViews
from tests.conftest import Colour
from tests.unit_tests.faces.scripted import ScriptedModel

ANA = Scope("ana")


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


async def say(memory: AgentMemory, colour: Colour, text: str, thread: str) -> None:
    """Take one turn of a conversation with an agent that knows the user's name."""
    graph = create_memory_graph(ScriptedModel(script=["Noted."]), memory=memory, options=GraphOptions(writes="inline"))
    config: Any = {"configurable": {"thread_id": thread}}
    given: Any = {"user_id": "ana", "user_name": "Ana"}
    if colour == "sync":
        graph.invoke({"messages": [("user", text)]}, config, context=given)
    else:
        await graph.ainvoke({"messages": [("user", text)]}, config, context=given)


async def test_a_user_is_known_over_sessions(memory: AgentMemory, colour: Colour) -> None:
    """Ana, once her name is known, is the user; who she works for moves, and the past can be asked."""
    memory.profiles.set("name", "Ana", scope=ANA)
    for text in ("I work at Acme.", "My manager is Tom Berg.", "I live in Oslo."):
        await say(memory, colour, text, "monday")
    monday = memory._options.clock()
    await say(memory, colour, "Actually, I work at Globex now.", "friday")
    paths = memory.entities.paths("Ana", "Tom Berg", scope=ANA)
    assert [str(it) for it in paths] == ["Ana -manager-> Tom Berg"]
    now = memory.entities.graph(scope=ANA)
    assert {(it.relation, it.object) for it in now.about("user") if it.object} == {
        ("works_at", "globex"),
        ("manager", "tom berg"),
        ("lives_in", "oslo"),
    }
    before = memory.entities.graph(scope=ANA, known_at=monday)
    assert [it.object for it in before.about("user") if it.relation == "works_at"] == ["acme"]


def test_somebody_is_named_by_what_they_are_to_somebody_known(memory: AgentMemory) -> None:
    """By the user's own name, and from one to the next, though no memory says it in these words; of two, neither."""
    memory.profiles.set("name", "Ana", scope=ANA)
    family = ("My sister Nora works at Acme", "Nora's boss is Tom Berg", "Tom Berg lives in Oslo")
    ids = [memory.long_term.remember(said, scope=ANA).require().id for said in family]
    graph = memory.entities.graph(scope=ANA)
    names = ("Ana's sister", "my sister's boss", "the boss", "Ana's brother")
    assert [it and it.name for it in map(graph.get, names)] == ["Nora", "Tom Berg", None, None]
    assert [it.name for it in graph.named_in("Where does Ana's sister's boss live?")] == ["Tom Berg"]
    link = graph.explain_alias("my sister's boss").links[-1]
    assert (link.name, link.other, link.rule, link.memory_id) == ("my sister's boss", "Tom Berg", "role", ids[1])
    memory.long_term.remember("My sister Mia works at Acme", scope=ANA)
    explained = memory.entities.explain_alias("Ana's sister", scope=ANA)
    assert (explained.entity, {it.other for it in explained.candidates}) == (None, {"Nora", "Mia"})


def test_views_of_many_users_stay_within_their_bytes(memory: AgentMemory) -> None:
    """The least recently used one goes first, and is read again when it is asked for."""
    views = EntityViews(memory._parts[0].ledger, Relations(), max_bytes=12_000)
    memory._views = memory._views._replace(entities=views)
    for user in ("a", "b", "c", "a"):
        memory.entities.relate("Nora", "knows", "Bob", scope=Scope(user))
        assert len(memory.entities.graph(scope=Scope(user))) == 2
    assert len(views._views) == 2
    assert views._views.nbytes <= 12_000


@pytest.mark.parametrize("relations", [{"mentor": "two"}, {"": "one"}, {7: "one"}, ["mentor"]])
def test_a_cardinality_is_one_or_many(relations: Any) -> None:  # noqa: ANN401  (wrong on purpose)
    """Anything else is refused before a database is opened."""
    with pytest.raises(ConfigurationError, match=r"relations|must be a str"):
        AgentMemory.in_memory(embeddings=None, relations=relations)


def test_what_has_many_by_itself_may_be_declared_so() -> None:
    """An application takes a relation out of those that have one object at a time."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", relations={"lives in": "many"}) as memory:
        for city in ("Oslo", "Rome"):
            memory.entities.relate("Nora", "lives in", city, scope=ANA)
        assert [it.object for it in memory.entities.about("Nora", scope=ANA)] == ["oslo", "rome"]
