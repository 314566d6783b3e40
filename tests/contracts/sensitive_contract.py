"""What `memory.sensitive` promises: of every layer, on every database and in both colours."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from sqlalchemy import Connection, select

from langchain_agentmem import (
    AgentMemory,
    Candidate,
    ConfigurationError,
    GovernanceError,
    MemoryOptions,
    NotFoundError,
    Provenance,
    RevealRequest,
    Scope,
    ScopeError,
    SensitivePolicy,
)
from langchain_agentmem._flow import run
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.policies.protecting import Strategy
from langchain_agentmem.policies.write import WritePolicy
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import MARKS, METADATA
from langchain_agentmem.vault.base import Vault
from tests.conftest import Call
from tests.contracts.history_backends import ReversingVault
from tests.fake_embeddings import WordEmbeddings
from tests.spelled import spelled

TALK: Final = Scope("alice", session_id="talk")
BOB: Final = Scope("bob", session_id="talk")
CARD: Final = "4111 1111 1111 1111"
PAYS: Final = f"Alice pays with the card {CARD}"
KEY: Final = b"0123456789abcdef"
CARELESS: Final[Any] = {"policy": WritePolicy().without("sensitive_data"), "episodes": False}
Open: TypeAlias = Callable[..., AgentMemory]


def is_boss(request: RevealRequest) -> bool:
    return request.actor == "boss"


def policy(strategy: Strategy, **fields: Any) -> SensitivePolicy:
    """Return a policy of one strategy for everything that is written."""
    return SensitivePolicy(**{"rules": {"*": strategy}, "key": KEY, "may_reveal": is_boss, **fields})


def said(card: str = CARD) -> list[BaseMessage]:
    """Return a turn that says a card's number in every place of a message."""
    call = {"name": "pay", "args": {"card": card, "cents": 100}, "id": "c1"}
    return [
        HumanMessage(f"My card is {card}", id="h1"),
        AIMessage([{"type": "text", "text": f"I pay with {card}"}], tool_calls=[call], id="a1"),
        ToolMessage("paid", tool_call_id="c1", artifact={"with": card}, id="t1"),
    ]


def tells(text: str) -> bool:
    """Return whether the card or a group of its digits is in `text`: on its own, not in a time or an id."""
    return bool(re.search(r"\b1111\b|11111111", text))


def stored(memory: AgentMemory) -> str:
    """Return every row of the database as text, sealed bytes read backwards as the test's vault writes them.

    What marks say of nobody, only of which parts are sealed, is left out.
    """
    tables = [it for it in METADATA.sorted_tables if it is not MARKS]

    def rows(connection: Connection) -> list[Any]:
        return [list(row) for table in tables for row in connection.execute(select(table))]

    found: list[Any] = []
    for row in run(memory._database.read(rows)):
        for value in row:
            plain = value.rpartition(b"\n")[2][::-1] if isinstance(value, bytes) else b""
            found += [value, plain]
    return "\n".join(it.decode("utf-8", "replace") if isinstance(it, bytes) else str(it) for it in found)


class SensitiveContract:
    """Every law; subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def redis(self) -> RedisDatabase | None:
        """Where conversations and states are, where not in the SQL database."""
        return None

    @pytest.fixture
    def vault(self) -> Vault | None:
        return ReversingVault()

    @pytest.fixture
    async def opened(
        self, sql_url: str, vault: Vault | None, redis: RedisDatabase | None, own_call: Call
    ) -> AsyncIterator[Open]:
        """Give what opens memories on one database."""
        database, made = Database(sql_url), list[AgentMemory]()

        def open_memory(**options: Any) -> AgentMemory:
            chosen = MemoryOptions(consent="assumed", vault=vault, store={"subject": lambda _: TALK}, **options)
            made.append(AgentMemory(database, embeddings=WordEmbeddings(), redis=redis, options=chosen))
            return made[-1]

        yield open_memory
        for memory in made:
            await own_call(memory, "close")

    async def tell(self, memory: AgentMemory, call: Call, scope: Scope = TALK) -> None:
        """Say a card's number in every layer."""
        told = Candidate(content=PAYS, tags=("money",), provenance=Provenance(speaker="user", evidence=PAYS))
        await call(memory.long_term, "remember", told, scope=scope)
        await call(memory.history(scope), "add_messages", said())
        await call(memory.working, "update", scope, goal=f"pay with {CARD}", set_results={"card": CARD})

    async def shown(self, memory: AgentMemory, call: Call, scope: Scope = TALK) -> str:
        """Return all that can be read of a user."""
        everything = ListQuery(statuses=("active", "pending", "superseded", "archived"))
        facts = await call(memory.long_term, "select", everything, scope=scope)
        history = memory.history(scope)
        messages = history.messages if call.colour == "sync" else await history.aget_messages()
        state = await call(memory.working, "get", scope)
        titles = [it.title for it in await call(memory, "conversations", scope)]
        return spelled((facts, messages, state, titles))

    # -------------------------------------------------------------------------------------------------------- write
    async def test_what_is_blocked_is_in_no_table(self, opened: Open, call: Call) -> None:
        """A refused value is nowhere, and that it was refused is logged with its type."""
        memory = opened(sensitive=policy("block"))
        decision = await call(memory.long_term, "remember", PAYS, scope=TALK)
        with pytest.raises(GovernanceError, match="card") as refused:
            await call(memory.history(TALK), "add_messages", said())
        with pytest.raises(GovernanceError):
            await call(memory.working, "update", TALK, goal=f"pay with {CARD}")
        with pytest.raises(GovernanceError):
            memory.store.put(("notes",), "1", {"text": [PAYS]})
        assert (decision.rule, refused.value.rule) == ("sensitive_data", "sensitive_data")
        assert not tells(stored(memory) + str(refused.value))

    @pytest.mark.parametrize("strategy", ["redact", "mask", "hash"])
    async def test_what_is_replaced_is_in_no_table(self, opened: Open, strategy: Strategy, call: Call) -> None:
        """Redacted, masked or hashed, the rest of the text is kept, and the value is nowhere."""
        memory = opened(sensitive=policy(strategy))
        await self.tell(memory, call)
        memory.store.put(("notes",), "1", {"text": [PAYS], "n": 1})
        shown = await self.shown(memory, call)
        assert shown.count("Alice pays with the card") == 2  # the memory, and its evidence
        assert not tells(stored(memory) + shown + repr(memory.store.get(("notes",), "1")))

    async def test_a_revised_memory_is_protected_like_a_new_one(self, opened: Open, call: Call) -> None:
        """No way into the ledger goes around the policy."""
        memory = opened(sensitive=policy("tokenise"))
        known = (await call(memory.long_term, "remember", "Alice pays in cash", scope=TALK)).require()
        revised = await call(memory.long_term, "revise", known.id, scope=TALK, content=PAYS)
        token = revised.require().content.partition("card ")[2]
        assert await call(memory.sensitive, "reveal", token, scope=TALK, actor="boss") == CARD

    async def test_each_layer_and_type_has_its_own_strategy(self, opened: Open, call: Call) -> None:
        """A rule of a layer stands before a general one, a named type before any other."""
        chosen = SensitivePolicy(
            rules={"EMAIL_ADDRESS": "keep"}, layers={"facts": {"card": "mask"}, "histories": "redact"}
        )
        memory = opened(sensitive=chosen)
        text = f"Alice uses alice@example.org and {CARD}"
        kept = (await call(memory.long_term, "remember", text, scope=TALK)).require()
        await call(memory.history(TALK), "add_messages", [HumanMessage(text, id="h1")])
        [message] = await call(memory, "conversations", TALK)
        assert kept.content == "Alice uses alice@example.org and **** **** **** ****"
        assert message.title == "Alice uses [email] and [card]"

    # ------------------------------------------------------------------------------------------------------- tokens
    async def test_a_token_is_as_private_as_the_memory_that_names_it(self, opened: Open, call: Call) -> None:
        """An agent's own is revealed in that agent's scope alone, whoever asks and knows the token."""
        memory = opened(sensitive=policy("tokenise"))
        planner = replace(TALK, agent_id="planner")
        kept = memory.long_term.remember(f"Alice pays with {CARD}", scope=planner).require()
        token = kept.content.removeprefix("Alice pays with ")
        for other in (TALK, replace(TALK, agent_id="coder")):
            with pytest.raises(NotFoundError):
                await call(memory.sensitive, "reveal", token, scope=other, actor="boss")
        assert await call(memory.sensitive, "reveal", token, scope=planner, actor="boss") == CARD

    async def test_a_token_is_revealed_to_who_may_see_it(self, opened: Open, call: Call) -> None:
        """What was tokenised comes back whole, in every layer under one token, and the log says who saw it."""
        memory = opened(sensitive=policy("tokenise"))
        await self.tell(memory, call)
        fact = (await call(memory.long_term, "list", scope=TALK))[0].content
        token = fact.partition("card ")[2]
        assert (await self.shown(memory, call)).count(token) >= 7
        assert await call(memory.sensitive, "reveal", token, scope=TALK, actor="boss", reason="refund") == CARD
        last = run(memory._parts[0].ledger.read(TALK, lambda reader: reader.events()))[-1]
        assert last.type == "revealed"
        assert last.payload is not None
        assert last.payload["note"] == {"token": token, "actor": "boss", "reason": "refund"}

    async def test_a_token_is_refused_to_everybody_else(self, opened: Open, call: Call) -> None:
        """Another actor, another user, and a function that fails: none sees the value, and asking is logged."""
        memory = opened(sensitive=policy("tokenise"))
        token = (await call(memory.long_term, "remember", PAYS, scope=TALK)).require().content.partition("card ")[2]
        with pytest.raises(GovernanceError) as refused:
            await call(memory.sensitive, "reveal", token, scope=TALK, actor="guest")
        with pytest.raises(NotFoundError):
            await call(memory.sensitive, "reveal", token, scope=BOB, actor="boss")
        failing = opened(sensitive=policy("tokenise", may_reveal=lambda request: 1 / 0))
        with pytest.raises(GovernanceError):
            await call(failing.sensitive, "reveal", token, scope=TALK, actor="boss")
        events = run(memory._parts[0].ledger.read(TALK, lambda reader: reader.events()))
        assert [it.type for it in events[-2:]] == ["refused", "refused"]
        assert CARD not in str(refused.value)

    async def test_a_value_ends_with_what_held_it(self, opened: Open, call: Call) -> None:
        """Erased with its memory, deleted with its conversation and its state: nothing of it is left."""
        memory = opened(sensitive=policy("tokenise"), episodes=False)
        await self.tell(memory, call)
        [fact] = await call(memory.long_term, "list", scope=TALK)
        token = fact.content.partition("card ")[2]
        await call(memory.long_term, "erase", fact.id, scope=TALK)
        await call(memory.working, "clear", TALK)
        assert await call(memory.sensitive, "reveal", token, scope=TALK, actor="boss") == CARD
        await call(memory.history(TALK), "clear")
        with pytest.raises(NotFoundError):
            await call(memory.sensitive, "reveal", token, scope=TALK, actor="boss")
        assert not tells(stored(memory))

    # --------------------------------------------------------------------------------------------------------- read
    async def test_what_is_shown_is_masked_and_what_is_stored_is_not(self, opened: Open, call: Call) -> None:
        """A strategy on read changes what recalls, listings, histories and states return; nothing is rewritten."""
        careless, careful = opened(**CARELESS), opened(sensitive=SensitivePolicy(layers={"shown": "mask"}), **CARELESS)
        await self.tell(careless, call)
        found = await call(careful.long_term, "recall", "how does Alice pay?", scope=TALK)
        [fact] = await call(careful.long_term, "list", scope=TALK)
        one = await call(careful.long_term, "get", fact.id, scope=TALK)
        assert [it.memory.content for it in found] == ["Alice pays with the card **** **** **** ****"]
        assert (one == fact, tells(await self.shown(careful, call))) == (True, False)
        assert CARD in await self.shown(careless, call)

    # --------------------------------------------------------------------------------------------------------- scan
    async def test_a_dry_run_counts_and_changes_nothing(self, opened: Open, call: Call) -> None:
        """It names layers, types and ids, never a value; another user's data is not seen."""
        careless, careful = opened(**CARELESS), opened(sensitive=policy("redact"))
        await self.tell(careless, call)
        await self.tell(careless, call, BOB)
        before = stored(careful)
        report = await call(careful.sensitive, "scan", TALK)
        assert report.counts == {"facts": {"card": 1}, "histories": {"card": 3}, "working": {"card": 1}}
        assert (stored(careful) == before, report.is_dry_run, report.changed) == (True, True, {})
        assert not tells(spelled(report))

    @pytest.mark.parametrize("strategy", ["block", "redact", "mask", "hash", "tokenise"])
    async def test_a_scan_leaves_what_the_policy_allows(self, opened: Open, strategy: Strategy, call: Call) -> None:
        """Of all layers and of the log the value is gone, but for what tokens stand for; scanning again finds nothing.

        Another user's layers are as they were.
        """
        careless, careful = opened(**CARELESS), opened(sensitive=policy(strategy))
        await self.tell(careless, call)
        await self.tell(careless, call, BOB)
        before = await self.shown(careless, call, BOB)
        report = await call(careful.sensitive, "scan", TALK, dry_run=False)
        again = await call(careful.sensitive, "scan", TALK, dry_run=False)
        assert (dict(report.changed), report.is_complete) == ({"facts": 1, "histories": 3, "working": 1}, True)
        assert (again.findings, again.changed) == ((), {})
        assert not tells(await self.shown(careless, call))
        assert await self.shown(careless, call, BOB) == before

    async def test_a_cleaned_log_verifies_and_replays(self, opened: Open, call: Call) -> None:
        """No payload says the value any more, the chain holds, and the projection is rebuilt from it."""
        careless, careful = opened(**CARELESS), opened(sensitive=policy("redact"))
        kept = (await call(careless.long_term, "remember", PAYS, scope=TALK)).require()
        await call(careless.long_term, "revise", kept.id, scope=TALK, content="Alice pays in cash")
        await call(careful.sensitive, "scan", TALK, dry_run=False)
        [fact] = await call(careful.long_term, "list", scope=TALK)
        await call(careful.long_term, "replay", scope=TALK)
        verified = await call(careful.long_term, "verify", scope=TALK)
        assert (verified.problems, tells(stored(careful))) == ((), False)
        assert [*await call(careful.long_term, "list", scope=TALK)] == [fact]
        assert fact.content == "Alice pays in cash"

    async def test_a_cleaned_memory_keeps_its_life(self, opened: Open, call: Call) -> None:
        """What it was merged from is erased with it, and a forgotten one comes back as what it was."""
        careless, careful = opened(**CARELESS), opened(sensitive=policy("redact"))
        made = [
            await call(careless.long_term, "remember", f"{PAYS} for {it}", scope=TALK) for it in ("tea", "a bicycle")
        ]
        ids = [it.require().id for it in made]
        merged = await call(careless.long_term, "merge", ids, f"{PAYS} for both", scope=TALK)
        await call(careless.long_term, "forget", ids[0], scope=TALK)
        await call(careful.sensitive, "scan", TALK, dry_run=False)
        restored = await call(careful.long_term, "restore", ids[0], scope=TALK)
        erased = await call(careful.long_term, "erase", merged.require().id, scope=TALK)
        assert (restored.status, set(erased)) == ("superseded", {*ids, merged.require().id})

    async def test_a_cleaned_memory_is_found_by_what_is_left_of_it(self, opened: Open, call: Call) -> None:
        """Its vector and its words are those of the new text."""
        careless, careful = opened(**CARELESS), opened(sensitive=policy("redact"))
        await call(careless.long_term, "remember", PAYS, scope=TALK)
        await call(careful.sensitive, "scan", TALK, dry_run=False)
        by_rest = await call(careful.long_term, "recall", "how does Alice pay?", scope=TALK)
        by_value = await call(careful.long_term, "recall", "1111 1111 4111", scope=TALK)
        assert ([it.memory.content for it in by_rest], len(by_value)) == (["Alice pays with the card [card]"], 0)

    async def test_a_scan_goes_on_where_it_was(self, opened: Open, call: Call) -> None:
        """Limited to one thing at a time, several scans do what one would."""
        careless, careful = opened(**CARELESS), opened(sensitive=policy("redact"))
        await self.tell(careless, call)
        scans = [await call(careful.sensitive, "scan", TALK, dry_run=False, limit=1) for _ in range(6)]
        assert [it.is_complete for it in scans] == [False] * 5 + [True]
        assert not tells(await self.shown(careless, call))

    async def test_episodes_are_masked_where_they_were_not(self, opened: Open, call: Call) -> None:
        """Turns that were kept in full are searchable without the value, as pointers and as copies."""
        keeping = opened(sensitive=SensitivePolicy(layers={"episodes": "keep"}))
        careful = opened(sensitive=SensitivePolicy())
        await call(keeping.history(TALK), "add_messages", [HumanMessage(f"I paid with {CARD} in Rome", id="h1")])
        other = replace(TALK, session_id="copied")
        copied = [HumanMessage(f"I paid with {CARD} in Oslo", id="h2")]
        await call(keeping.episodes, "ingest", copied, scope=other)
        report = await call(careful.sensitive, "scan", Scope("alice"), dry_run=False)
        again = await call(careful.sensitive, "scan", Scope("alice"))
        texts = sorted(it.text for it in await call(careful.episodes, "list", scope=Scope("alice")))
        assert (report.counts, again.counts) == ({"episodes": {"card": 2}}, {})
        assert texts == ["I paid with [card] in Oslo", "I paid with [card] in Rome"]

    # ---------------------------------------------------------------------------------------------------- bad input
    async def test_bad_arguments_are_refused_before_anything_is_read(self, opened: Open, call: Call) -> None:
        """An anonymous scope, an unknown layer, and what is no token."""
        memory = opened()
        with pytest.raises(ScopeError):
            await call(memory.sensitive, "scan", Scope.anonymous("visit"))
        with pytest.raises(ConfigurationError, match="layers"):
            await call(memory.sensitive, "scan", TALK, layers=["shown"])
        with pytest.raises(ConfigurationError, match="token"):
            await call(memory.sensitive, "reveal", "[card]", scope=TALK)
