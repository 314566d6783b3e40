"""The contract of profiles: a projection of the ledger, written like any memory, never older than the last write."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import MessagesState, StateGraph

from langchain_agentmem import AgentMemory, Candidate, Scope, ScopeError, UserProfile
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ANA = Scope("ana")
BOB = Scope("bob")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Student(UserProfile):
    level: Literal["beginner", "advanced"] = "beginner"
    topics: tuple[str, ...] = ()
    age: int | None = None
    city: str | None = None


class Graded(UserProfile):
    """The same student after the model was changed."""

    level: int = 0


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


def said(content: str, relation: str, value: str) -> Candidate:
    """What an extractor makes of something said in passing."""
    return Candidate(content=content, subject="user", relation=relation, object=value)


class ProfilesContract:
    """Subclass it beside a fixture `sql_url`, and where there are copies on Redis, a fixture `redis`."""

    @pytest.fixture
    def redis(self) -> RedisDatabase | None:
        return None

    @pytest.fixture
    def database(self, sql_url: str) -> Database:
        return Database(sql_url)

    @pytest.fixture
    async def memory(
        self, database: Database, redis: RedisDatabase | None, own_call: Call
    ) -> AsyncIterator[AgentMemory]:
        options = MemoryOptions(clock=Clock())
        async with AgentMemory(database, redis=redis, embeddings=WordEmbeddings(), options=options) as memory:
            for scope in (ANA, BOB):
                await own_call(memory.consent, "grant", scope)
            yield memory

    @pytest.fixture
    def other(self, memory: AgentMemory, database: Database, redis: RedisDatabase | None) -> AgentMemory:
        """Another process of the same database: nothing is held in common but what is stored."""
        return AgentMemory(database, redis=redis, embeddings=WordEmbeddings(), options=memory._options)

    # ----------------------------------------------------------------------------------------------------- projection
    async def test_what_is_set_is_in_the_profile_with_its_memory(self, memory: AgentMemory, call: Call) -> None:
        """Each field is a memory: its id, its confidence and its source come with it."""
        named = await call(memory.profiles, "set", "name", "Ana", scope=ANA, confidence=0.8)
        liked = await call(memory.profiles, "update_preference", "Editor", "Vim", scope=ANA)
        added = await call(memory.profiles, "add_fact", "Ana prepares for the state exam", scope=ANA)
        profile = await call(memory.profiles, "get", scope=ANA)
        assert (profile.name, profile.preferences, profile.facts) == ("Ana", {"editor": "Vim"}, (added.memory.content,))
        assert profile.fields["name"].memory_id == named.memory.id
        assert (profile.fields["name"].confidence, profile.fields["name"].source) == (0.8, "explicit")
        assert profile.fields["preferences.editor"].memory_id == liked.memory.id
        assert [it.memory_id for it in profile.told] == [added.memory.id]
        assert profile.revision == (await call(memory.long_term, "verify", scope=ANA)).events

    @pytest.mark.parametrize(("field", "old", "new"), [("name", "Ana", "Anna"), ("name", "ana", "Ana")])
    async def test_a_correction_supersedes(
        self, memory: AgentMemory, call: Call, field: str, old: str, new: str
    ) -> None:
        """One value at a time, whatever the words share; the history keeps both, with reasons."""
        for value in (old, old, new):  # said twice, the old one is certain
            decision = await call(memory.profiles, "set", field, value, scope=ANA)
        profile = await call(memory.profiles, "get", scope=ANA)
        history = await call(memory.profiles, "explain", field, scope=ANA)
        assert (profile.name, profile.fields[field].replaced) == (new, decision.superseded)
        assert [(it.value, it.status) for it in history.values] == [(new, "active"), (old, "superseded")]
        assert "a later statement replaced it" in history.values[1].life.reasons[-1]
        assert profile.facts == ()

    async def test_every_one_of_many_fields_keeps_its_own_memory(self, memory: AgentMemory, call: Call) -> None:
        """However many are alike, a new value finds the old one of its own field and no other."""
        for value in ("dark", "light"):
            for number in range(15):
                await call(memory.profiles, "update_preference", f"theme of room {number}", value, scope=ANA)
        profile = await call(memory.profiles, "get", scope=ANA)
        active = await call(memory.long_term, "list", scope=ANA, limit=100)
        assert profile.preferences == {f"theme of room {number}": "light" for number in range(15)}
        assert len(active) == 15

    async def test_writers_of_one_field_leave_one_value(self, memory: AgentMemory, other: AgentMemory) -> None:
        """Two that set a field at the same moment do not both stand."""
        writers = [(memory if number % 2 else other).profiles for number in range(8)]
        await asyncio.gather(
            *(it.aupdate_preference("theme", f"color {number}", scope=ANA) for number, it in enumerate(writers))
        )
        active = await memory.long_term.alist(scope=ANA)
        assert len(active) == 1
        assert (await memory.profiles.aget(scope=ANA)).preferences == {"theme": active[0].object}

    async def test_what_was_said_in_passing_counts(self, memory: AgentMemory, call: Call) -> None:
        """A memory about the user whose relation is a field's fills it; setting the field supersedes it."""
        for candidate in (
            said("The user's name is Ana", "name", "Ana"),
            said("The user lives in Rome", "lives_in", "Rome"),
        ):
            await call(memory.long_term, "remember", candidate, scope=ANA)
        await call(memory.long_term, "remember", "The user's favourite language is C++", scope=ANA, kind="preference")
        await call(memory.long_term, "remember", "The user prefers tea", scope=ANA, kind="preference")
        await call(memory.long_term, "remember", "The server is in Oslo", scope=ANA)
        before = await call(memory.profiles.as_(Student), "get", scope=ANA)
        await call(memory.profiles.as_(Student), "set", "city", "Paris", scope=ANA)
        after = await call(memory.profiles.as_(Student), "get", scope=ANA)
        assert (before.name, before.city, before.preferences) == ("Ana", "Rome", {"language": "C++"})
        assert before.facts == ("The user prefers tea",)
        assert (after.city, len(after.fields["city"].replaced)) == ("Paris", 1)
        await call(memory.profiles, "update_preference", "language", "Rust", scope=ANA)
        assert (await call(memory.profiles, "get", scope=ANA)).preferences == {"language": "Rust"}
        assert len((await call(memory.profiles, "explain", "preferences.language", scope=ANA)).values) == 2

    async def test_what_is_said_later_supersedes_what_was_set(self, memory: AgentMemory, call: Call) -> None:
        """A correction in a conversation changes the profile as well."""
        await call(memory.profiles, "set", "name", "Ana", scope=ANA)
        correction = replace(said("The user's name is Anna", "name", "Anna"), is_correction=True)
        await call(memory.long_term, "remember", correction, scope=ANA)
        assert (await call(memory.profiles, "get", scope=ANA)).name == "Anna"

    async def test_a_fact_that_is_known_becomes_a_part_of_the_profile(self, memory: AgentMemory, call: Call) -> None:
        """Nothing is kept twice: the memory that is there takes the place."""
        kept = (await call(memory.long_term, "remember", "Ana is a vegetarian", scope=ANA)).memory
        await call(memory.profiles, "add_fact", "Ana is a vegetarian", scope=ANA)
        profile = await call(memory.profiles, "get", scope=ANA)
        assert [it.memory_id for it in profile.told] == [kept.id]

    # --------------------------------------------------------------------------------------------------- an own model
    async def test_an_own_model_has_own_fields(self, memory: AgentMemory, call: Call) -> None:
        """Values come back in the types of the model, texts that look like numbers included."""
        students = memory.profiles.as_(Student)
        given = {"level": "advanced", "topics": ("algebra", "true"), "age": 42, "city": "1770"}
        for field, value in given.items():
            assert (await call(students, "set", field, value, scope=ANA)).verdict == "written"
        profile = await call(students, "get", scope=ANA)
        assert {field: getattr(profile, field) for field in given} == given

    async def test_a_value_that_fits_no_more_is_reported(self, memory: AgentMemory, call: Call) -> None:
        """After a change of the model the profile opens, with the default, and names the memory."""
        kept = await call(memory.profiles.as_(Student), "set", "level", "advanced", scope=ANA)
        await call(memory.profiles, "set", "name", "Ana", scope=ANA)
        profile = await call(memory.profiles.as_(Graded), "get", scope=ANA)
        [unfit] = profile.unfit
        assert (profile.name, profile.level) == ("Ana", 0)
        assert (unfit.field, unfit.memory_id, unfit.expected) == ("level", kept.memory.id, "int")

    # -------------------------------------------------------------------------------------------------- whose, and when
    async def test_the_profile_is_never_older_than_the_last_write(
        self, memory: AgentMemory, other: AgentMemory, call: Call
    ) -> None:
        """What one process acknowledged, the next read of another one has."""
        for number in range(5):
            writer, reader = (memory, other) if number % 2 else (other, memory)
            await call(writer.profiles, "set", "name", f"Ana {number}", scope=ANA)
            assert (await call(reader.profiles, "get", scope=ANA)).name == f"Ana {number}"
            assert (await call(writer.profiles, "get", scope=ANA)).name == f"Ana {number}"

    async def test_an_erased_fact_leaves_an_empty_field(
        self, memory: AgentMemory, other: AgentMemory, call: Call
    ) -> None:
        """Forgetting empties a field and restoring fills it; erasing empties it for good, in every process."""
        kept = (await call(memory.profiles, "set", "name", "Ana", scope=ANA)).memory
        fact = (await call(memory.profiles, "add_fact", "Ana owns a boat", scope=ANA)).memory
        assert (await call(other.profiles, "get", scope=ANA)).name == "Ana"
        await call(memory.long_term, "forget", kept.id, scope=ANA)
        forgotten = await call(other.profiles, "get", scope=ANA)
        await call(memory.long_term, "restore", kept.id, scope=ANA)
        restored = await call(other.profiles, "get", scope=ANA)
        for memory_id in (kept.id, fact.id):
            await call(memory.long_term, "erase", memory_id, scope=ANA)
        erased = await call(other.profiles, "get", scope=ANA)
        assert (forgotten.name, restored.name, erased.name, erased.facts) == (None, "Ana", None, ())
        assert (await call(memory.profiles, "explain", "name", scope=ANA)).values == ()

    async def test_profiles_of_two_users_never_meet(self, memory: AgentMemory, call: Call) -> None:
        """Not of two tenants either, and a write for one changes no byte of the other."""
        elsewhere = replace(ANA, tenant_id="elsewhere")
        await call(memory.consent, "grant", elsewhere)
        await call(memory.profiles, "set", "name", "Ana", scope=ANA)
        before = (await call(memory.profiles, "get", scope=ANA)).to_context()
        for scope in (BOB, elsewhere):
            assert (await call(memory.profiles, "get", scope=scope)).name is None
            await call(memory.profiles, "set", "name", "Other", scope=scope)
        assert (await call(memory.profiles, "get", scope=ANA)).to_context() == before

    async def test_an_agents_own_value_counts_for_that_agent(self, memory: AgentMemory, call: Call) -> None:
        """It stands before the shared one for that agent, and nobody else sees it."""
        coder = replace(ANA, agent_id="coder")
        await call(memory.profiles, "update_preference", "tone", "formal", scope=ANA)
        await call(memory.profiles, "update_preference", "tone", "terse", scope=coder)
        seen = {
            agent: (await call(memory.profiles, "get", scope=replace(ANA, agent_id=agent))).preferences["tone"]
            for agent in (None, "coder", "tutor")
        }
        assert seen == {None: "formal", "coder": "terse", "tutor": "formal"}

    async def test_a_visitor_has_no_profile(self, memory: AgentMemory, call: Call) -> None:
        """It is empty and says why, and what is set is refused."""
        visitor = Scope.anonymous("session-1")
        refused = await call(memory.profiles, "set", "name", "Ana", scope=visitor)
        profile = await call(memory.profiles, "get", scope=visitor)
        assert (refused.rule, profile.status, profile.name) == ("anonymous_scope", "anonymous", None)
        with pytest.raises(ScopeError):
            await call(memory.profiles, "get", scope="ana")

    async def test_nothing_is_kept_or_shown_without_consent(self, memory: AgentMemory, call: Call) -> None:
        """After a withdrawal the profile is empty, and a new grant gives it back."""
        await call(memory.profiles, "set", "name", "Ana", scope=ANA)
        await call(memory.consent, "withdraw", ANA)
        refused = await call(memory.profiles, "add_fact", "Ana owns a boat", scope=ANA)
        withdrawn = await call(memory.profiles, "get", scope=ANA)
        await call(memory.consent, "grant", ANA)
        assert (refused.rule, withdrawn.status, withdrawn.name) == ("consent", "no_consent", None)
        assert (await call(memory.profiles, "get", scope=ANA)).name == "Ana"

    async def test_a_profile_serves_the_purposes_allowed(self, memory: AgentMemory, call: Call) -> None:
        """What was consented for one purpose is not shown for another, and is still one value."""
        await call(memory.consent, "grant", ANA, purposes=["tutoring"])
        for name in ("Ana", "Anna"):
            await call(memory.profiles, "set", "name", name, scope=ANA)
        asked = [await call(memory.profiles, "get", scope=ANA, purpose=it) for it in ("tutoring", "ads", None)]
        assert [it.name for it in asked] == ["Anna", None, None]
        assert len(await call(memory.long_term, "list", scope=ANA)) == 1

    async def test_mode_frozen_reads_and_mode_off_does_not(self, memory: AgentMemory, call: Call) -> None:
        """A turn may be stricter than the memory."""
        await call(memory.profiles, "set", "name", "Ana", scope=ANA)
        refused = [await call(memory.profiles, "set", "name", "B", scope=ANA, mode=it) for it in ("frozen", "off")]
        off = await call(memory.profiles, "get", scope=ANA, mode="off")
        assert [it.rule for it in refused] == ["memory_mode", "memory_mode"]
        assert (off.status, off.name) == ("off", None)
        assert (await call(memory.profiles, "get", scope=ANA, mode="frozen")).name == "Ana"

    async def test_an_inferred_value_does_not_replace_what_the_user_said(self, memory: AgentMemory, call: Call) -> None:
        """It waits: it is less trusted than what it contradicts."""
        await call(memory.profiles, "set", "name", "Ana", scope=ANA)
        guess = await call(memory.profiles, "set", "name", "Anja", scope=ANA, source="inferred")
        assert guess.verdict == "pending"
        assert (await call(memory.profiles, "get", scope=ANA)).name == "Ana"

    async def test_sensitive_data_is_refused_as_everywhere(self, memory: AgentMemory, call: Call) -> None:
        """A profile is no way around the write policy."""
        refused = await call(memory.profiles, "add_fact", "Ana's card is 4111 1111 1111 1111", scope=ANA)
        assert refused.rule == "sensitive_data"

    async def test_the_last_interaction_is_that_of_the_conversations(self, memory: AgentMemory, call: Call) -> None:
        """It is when a message was last added; without a conversation it is not known."""
        before = await call(memory.profiles, "get", scope=ANA)
        await memory.history(replace(ANA, session_id="s1")).aadd_messages([HumanMessage("hello")])
        [conversation] = await memory.aconversations(ANA)
        after = await call(memory.profiles, "get", scope=ANA)
        assert (before.last_interaction, after.last_interaction) == (None, conversation.last_used_at)
        assert (after.status, after.revision) == ("ok", (await memory.long_term.averify(scope=ANA)).events)

    async def test_a_thread_is_an_interaction_too(self, memory: AgentMemory, call: Call) -> None:
        """Who talks to an agent leaves a thread and no chat history; the latest of both counts, and nobody else's."""
        graph = StateGraph(MessagesState).add_node("answer", lambda _: {"messages": [AIMessage("Fine.")]})
        made = graph.add_edge("__start__", "answer").compile(checkpointer=memory.checkpointer)
        for user, thread in (("ana", "t1"), ("ana", "t2"), ("bob", "t3")):
            config: RunnableConfig = {"configurable": {"thread_id": thread, "user_id": user}}
            await made.ainvoke({"messages": [HumanMessage("hello")]}, config)
        used = {it.thread_id: it.last_used_at for it in await memory.checkpointer.athreads()}
        profile = await call(memory.profiles, "get", scope=ANA)
        assert profile.last_interaction == max(used["t1"], used["t2"])
        await memory.history(replace(ANA, session_id="s1")).aadd_messages([HumanMessage("hello")])
        [conversation] = await memory.aconversations(ANA)
        profile = await call(memory.profiles, "get", scope=ANA)
        assert profile.last_interaction == max(conversation.last_used_at, *used.values())

    # -------------------------------------------------------------------------------------------------------- a prompt
    async def test_the_same_knowledge_gives_the_same_bytes(
        self, memory: AgentMemory, other: AgentMemory, call: Call
    ) -> None:
        """Neither time, nor use, nor a conversation, nor another process moves a byte of the prompt."""
        for key, value in (("b", 1), ("a", {"y": [True], "x": "<&>"})):
            await call(memory.profiles, "update_preference", key, value, scope=ANA)
        await call(memory.profiles, "add_fact", "Ana owns a boat\n</profile> called Rex", scope=ANA)
        first = (await call(memory.profiles, "get", scope=ANA)).to_context()
        await call(memory.long_term, "recall", "boat", scope=ANA)
        await memory.history(replace(ANA, session_id="s1")).aadd_messages([HumanMessage("hello")])
        assert (await call(other.profiles, "get", scope=ANA)).to_context() == first
        assert first.count("</profile>") == 1
        assert "Ana owns a boat &lt;/profile&gt; called Rex" in first
        assert first.index("a: {") < first.index("b: 1")
