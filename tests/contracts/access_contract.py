"""What `authorize` promises: it is asked before every read, write, export and erasure, on every database and colour."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import empty_checkpoint

from langchain_agentmem import AgentMemory, ConfigurationError, GovernanceError, Scope, ScopeError, acting_as
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types.asking import ACTIONS, Action
from tests.conftest import Call, Colour
from tests.ledgers import ALICE, BOB

TEA = "Alice drinks green tea"
TALK = replace(ALICE, session_id="talk")


@dataclass
class Rules:
    """An application's rule, and all that it was asked; what is denied is said no to."""

    denied: set[tuple[str, str]] = field(default_factory=set)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    said: Any = False

    def __call__(self, actor: str, action: str, scope: Scope) -> Any:  # noqa: ANN401  (whatever a test lets it say)
        self.asked.append((actor, action, scope.user_id))
        return self.said if (actor, action) in self.denied else True


class AccessContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def rules(self) -> Rules:
        return Rules()

    @pytest.fixture
    def database(self, sql_url: str) -> Iterator[Database]:
        database = Database(sql_url)
        yield database
        database.close()

    @pytest.fixture
    async def memory(self, database: Database, rules: Rules) -> AsyncIterator[AgentMemory]:
        store = {"subject": lambda namespace: Scope(namespace[1]) if len(namespace) > 1 else None}
        options = MemoryOptions(consent="assumed", authorize=rules, store=store)
        async with AgentMemory(database, embeddings=None, options=options) as memory:
            yield memory

    @pytest.fixture
    def tea(self, memory: AgentMemory, rules: Rules) -> str:
        """Id of a memory of Alice's; nothing was asked yet."""
        kept = memory.long_term.remember(TEA, scope=ALICE).require().id
        rules.asked.clear()
        return kept

    async def test_a_call_is_asked_about_once_as_what_it_is(
        self, memory: AgentMemory, call: Call, rules: Rules, tea: str
    ) -> None:
        """Whatever a write reads and a read notes is part of it; the actor is the user themself."""
        for method, args, action in (
            ("recall", ("green tea",), "read"),
            ("remember", ("Alice owns a red kayak",), "write"),
            ("get", (tea,), "read"),
            ("why", (tea,), "read"),
            ("list", (), "read"),
            ("verify", (), "read"),
            ("forget", (tea,), "write"),
            ("erase", (tea,), "erase"),
        ):
            rules.asked.clear()
            await call(memory.long_term, method, *args, scope=ALICE)
            assert {it[1] for it in rules.asked} == {action}, method
            assert {(it[0], it[2]) for it in rules.asked} == {("alice", "alice")}, method

    async def test_who_may_write_may_not_read_by_it(self, memory: AgentMemory, call: Call, rules: Rules) -> None:
        """Each action is by itself."""
        rules.denied = {("alice", "read")}
        assert (await call(memory.long_term, "remember", TEA, scope=ALICE)).verdict == "written"
        with pytest.raises(GovernanceError) as refused:
            await call(memory.long_term, "recall", "green tea", scope=ALICE)
        assert refused.value.rule == "authorize"
        assert "tea" not in str(refused.value)

    async def test_every_layer_asks(self, memory: AgentMemory, call: Call, rules: Rules, tea: str) -> None:
        """Who may nothing gets nothing, by whatever way: of long-term memory, what is drawn from it, and beside it."""
        rules.denied = {("support-7", it) for it in ("read", "write", "erase", "export")}
        history, saver = memory.history(TALK), memory.checkpointer
        config = {"configurable": {"thread_id": "t1", "checkpoint_ns": "", "user_id": "alice"}}
        saver.put(config, empty_checkpoint(), {}, {})  # type: ignore[arg-type]  # an empty config of LangGraph's
        memory.store.put(("memories", "alice"), "k", {"text": TEA})
        ways: dict[str, tuple[Any, str, tuple[Any, ...], dict[str, Any]]] = {
            "recall": (memory.long_term, "recall", ("tea",), {"scope": ALICE}),
            "list": (memory.long_term, "list", (), {"scope": ALICE}),
            "replay": (memory.long_term, "replay", (), {"scope": ALICE}),
            "episodes": (memory.episodes, "list", (), {"scope": ALICE}),
            "clear episodes": (memory.episodes, "clear", (), {"scope": ALICE}),
            "ingest": (memory.episodes, "ingest", ([HumanMessage("hello", id="m")],), {"scope": TALK}),
            "hand over": (memory.background, "ingest", ([HumanMessage("hello", id="m")],), {"scope": TALK}),
            "profile": (memory.profiles, "get", (), {"scope": ALICE}),
            "goals": (memory.goals, "open", (), {"scope": ALICE}),
            "entities": (memory.entities, "graph", (), {"scope": ALICE}),
            "consent": (memory.consent, "status", (ALICE,), {}),
            "grant": (memory.consent, "grant", (ALICE,), {}),
            "erase by consent": (memory.consent, "withdraw", (ALICE,), {"erase": True}),
            "working": (memory.working, "get", (), {"scope": TALK}),
            "consolidation": (memory.consolidation, "run", (ALICE,), {}),
            "conversations": (memory, "conversations", (ALICE,), {}),
            "thread": (saver, "get_tuple", (config,), {}),
            "delete thread": (saver, "delete_thread", ("t1",), {}),
            "store": (memory.store, "get", (("memories", "alice"), "k"), {}),
            "store put": (memory.store, "put", (("memories", "alice"), "k", {"text": "x"}), {}),
            "store search": (memory.store, "search", (("memories",),), {}),
            "store erase": (memory.store, "erase", (ALICE,), {}),
            "store delete": (memory.store, "delete_namespace", (("memories",),), {}),
            "store dry run": (memory.store, "delete_namespace", (("memories",),), {"dry_run": True}),
        }
        with acting_as("support-7"):
            passed = [name for name, way in ways.items() if not await is_refused(call, *way)]
            assert passed == []
            with pytest.raises(GovernanceError):
                history.add_messages([HumanMessage("hello")])
            with pytest.raises(GovernanceError):
                _ = history.messages
        assert memory.long_term.list(scope=ALICE)[0].content == TEA
        assert memory.store.get(("memories", "alice"), "k") is not None

    async def test_deleting_a_namespace_asks_for_everybody_in_it(
        self, memory: AgentMemory, call: Call, rules: Rules
    ) -> None:
        """As an erasure, once for each, whoever put it there; where one of them may not be erased, nobody is."""
        for user in ("alice", "bob"):
            memory.store.put(("memories", user), "k", {"text": TEA})
        memory.store.put(("memories",), "k", {"text": TEA})
        rules.asked.clear()
        rules.denied = {("alice", "erase")}
        with pytest.raises(GovernanceError):
            await call(memory.store, "delete_namespace", ("memories",))
        assert memory.store.get(("memories", "bob"), "k") is not None
        rules.asked.clear()
        rules.denied = set()
        assert (await call(memory.store, "delete_namespace", ("memories",))).items == 3
        assert sorted(it[:2] for it in rules.asked) == [("alice", "erase"), ("bob", "erase")]

    async def test_a_refusal_is_in_the_users_log(self, memory: AgentMemory, call: Call, rules: Rules, tea: str) -> None:
        """Who, what and why; never the content, and nothing in anybody else's log."""
        rules.denied, rules.said = {("support-7", "erase")}, "needs a second person"
        with acting_as("support-7"), pytest.raises(GovernanceError, match="second person"):
            await call(memory.long_term, "erase", tea, scope=ALICE)
        [event] = [it for it in events(memory, ALICE) if it.type == "access_refused"]
        note = event.payload["note"]
        assert note == {"actor": "support-7", "action": "erase", "reason": "needs a second person"}
        assert memory.long_term.verify(scope=ALICE).is_intact
        memory.long_term.replay(scope=ALICE)
        assert events(memory, BOB) == []

    @pytest.mark.parametrize("said", [None, 1, "", "not in this office", False, {}])
    async def test_nothing_but_true_is_a_yes(self, memory: AgentMemory, call: Call, rules: Rules, said: object) -> None:
        """A rule that forgets to answer lets nobody pass."""
        rules.denied, rules.said = {("alice", "read")}, said
        with pytest.raises(GovernanceError):
            await call(memory.long_term, "list", scope=ALICE)

    @pytest.mark.parametrize("error", [PermissionError("not you"), KeyError("secret of alice")])
    async def test_a_rule_that_raises_says_no(self, database: Database, call: Call, error: Exception) -> None:
        """Whatever breaks in it, nobody passes; of an error that is no refusal only the name is told."""

        def failing(*_: object) -> bool:
            raise error

        memory = AgentMemory(database, embeddings=None, options=MemoryOptions(consent="assumed", authorize=failing))
        with pytest.raises(GovernanceError) as refused:
            await call(memory.long_term, "remember", TEA, scope=ALICE)
        assert "secret" not in str(refused.value)
        assert ("not you" in str(refused.value)) is isinstance(error, PermissionError)

    async def test_a_coroutine_function_is_awaited(self, database: Database, call: Call, colour: Colour) -> None:
        """In the awaitable methods; the others say so, and refuse."""

        async def asked(actor: str, action: str, scope: Scope) -> bool:
            await asyncio.sleep(0)
            return action == "write" and actor == scope.user_id

        memory = AgentMemory(database, embeddings=None, options=MemoryOptions(consent="assumed", authorize=asked))
        if colour == "sync":
            with pytest.raises(ConfigurationError, match="awaited"):
                memory.long_term.remember(TEA, scope=ALICE)
            return
        assert (await call(memory.long_term, "remember", TEA, scope=ALICE)).verdict == "written"
        with pytest.raises(GovernanceError):
            await call(memory.long_term, "recall", "tea", scope=ALICE)

    async def test_who_acts_holds_in_tasks_and_ends_with_the_block(
        self, memory: AgentMemory, rules: Rules, tea: str
    ) -> None:
        """Each task has its own actor; a permission of one is none of another's."""
        rules.denied = {("support-7", "read")}

        async def read_as(actor: str) -> int:
            with acting_as(actor):
                await asyncio.sleep(0)
                return len(await memory.long_term.alist(scope=ALICE))

        found = await asyncio.gather(read_as("alice"), read_as("support-7"), read_as("boss"), return_exceptions=True)
        assert (found[0], type(found[1]), found[2]) == (1, GovernanceError, 1)
        assert memory.long_term.get(tea, scope=ALICE)
        assert rules.asked[-1][0] == "alice"
        with pytest.raises(ScopeError), acting_as(""):
            pass

    async def test_others_ask_in_a_line(
        self, memory: AgentMemory, rules: Rules, colour: Colour, call: Call, tea: str
    ) -> None:
        """`access.check` is for what no port sees, `within` for what is one thing as a whole."""
        rules.denied = {("alice", "export")}
        with pytest.raises(GovernanceError):
            await call(memory.access, "check", "export", scope=ALICE)
        with pytest.raises(GovernanceError):
            await read_within(memory, "export", ALICE, colour)
        rules.denied, rules.asked = set(), []
        await read_within(memory, "export", ALICE, colour)
        assert [it[1] for it in rules.asked] == ["export"]
        with pytest.raises(ConfigurationError, match="action"):
            await call(memory.access, "check", "look", scope=ALICE)
        await call(memory.long_term, "get", "x", scope=ALICE)
        assert [it[1] for it in rules.asked] == ["export", "read"]

    @pytest.mark.parametrize("first", ["write", "erase"])
    async def test_what_may_be_written_may_not_be_erased(
        self, memory: AgentMemory, rules: Rules, tea: str, first: Action
    ) -> None:
        """Whichever of both a transaction does first: it is rolled back as a whole, and nothing is left of it."""
        rules.denied = {("alice", "erase")}
        noted = Draft(type="revised", memory_id=tea, changes={"confidence": 0.5})

        def mixed(writer: LedgerWriter) -> None:
            for it in ("write", "erase") if first == "write" else ("erase", "write"):
                _ = writer.append(noted) if it == "write" else writer.erase(tea, {})

        with pytest.raises(GovernanceError):
            run(memory._parts[0].ledger.append(ALICE, mixed))
        assert [it.confidence for it in memory.long_term.list(scope=ALICE)] != [0.5]

    async def test_what_is_under_way_lets_pass_only_what_it_implies(
        self, memory: AgentMemory, rules: Rules, tea: str
    ) -> None:
        """An erasure writes, and whatever is done reads; the rest is asked about, also in the middle of it."""
        noted = Draft(type="revised", memory_id=tea, changes={"confidence": 0.5})
        does: dict[Action, Callable[[LedgerWriter], object]] = {
            "read": lambda it: it.memory(tea),
            "write": lambda it: it.append(noted),
            "erase": lambda it: it.forget_questions(),
        }
        implied = {("write", "read"), ("export", "read"), ("erase", "read"), ("erase", "write")}
        for whole in ACTIONS:
            for action, body in does.items():
                rules.asked.clear()
                with memory.access.within(whole, scope=ALICE):
                    run(memory._parts[0].ledger.append(ALICE, body))
                asked = [it[1] for it in rules.asked]
                assert asked == [whole, *([] if action == whole or (whole, action) in implied else [action])]

    async def test_who_may_not_write_takes_no_thread_away(self, memory: AgentMemory, rules: Rules, call: Call) -> None:
        """A lease keeps its user from running, so it is asked about; so is when they were here last."""
        saver = memory.checkpointer
        saver.bind("t1", scope=ALICE)
        rules.denied = {("mallory", it) for it in ACTIONS}
        with acting_as("mallory"):
            with pytest.raises(GovernanceError), saver.lease("t1"):
                pass
            with pytest.raises(GovernanceError):
                async with saver.alease("t1"):
                    pass
            with pytest.raises(GovernanceError):
                run(flows_of(saver).last_use(ALICE))
        with saver.lease("t1", timeout=timedelta(0)):
            pass

    async def test_an_erasure_is_no_permission_to_read_others(
        self, memory: AgentMemory, rules: Rules, colour: Colour
    ) -> None:
        """What was allowed for one user is asked about again for another."""
        rules.denied = set()
        await read_within(memory, "erase", BOB, colour)
        assert [(it[1], it[2]) for it in rules.asked] == [("erase", "alice"), ("read", "bob")]


async def read_within(memory: AgentMemory, action: Action, scope: Scope, colour: Colour) -> None:
    """Read a user's memory within something that is done as a whole with that of Alice."""
    if colour == "async":
        async with memory.access.awithin(action, scope=ALICE):
            await memory.long_term.aget("x", scope=scope)
    else:
        with memory.access.within(action, scope=ALICE):
            memory.long_term.get("x", scope=scope)


async def is_refused(call: Call, part: object, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call is refused by the application's rule."""
    try:
        await call(part, method, *args, **kwargs)
    except GovernanceError as error:
        return error.rule == "authorize"
    return False


def events(memory: AgentMemory, scope: Scope) -> list[Any]:
    """Return a user's log."""
    return run(memory._parts[0].ledger.read(scope, lambda reader: reader.events()))
