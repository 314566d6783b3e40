"""The leak suite: laws of isolation that any backend of long-term memory has to keep.

Subclass `LeakSuite` in a test module run by pytest, and give it a fixture `memory` with what is to be tested:

```python
import pytest

from langchain_agentmem import AgentMemory
from langchain_agentmem.testing import LeakSuite


class TestLeaks(LeakSuite):
    @pytest.fixture
    def memory(self, tmp_path):
        with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None) as memory:
            yield memory
```

A crowd of scopes whose ids are prefixes, case variants, wildcards, look-alikes or other spellings of each other shares
one database; every law is run for tenants, users, agents and (tenant, user) pairs that read the same when joined,
through the blocking methods and through the awaited ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias

from langchain_agentmem.consent import Consent
from langchain_agentmem.errors import AgentMemError, NotFoundError, ScopeError
from langchain_agentmem.long_term.service import LongTermMemory
from langchain_agentmem.testing.laws import COLOURS, Colour, fail, parametrize
from langchain_agentmem.types import Candidate, Memory, Outcome, Scope

Dimension: TypeAlias = Literal["tenant_id", "user_id", "agent_id", "joined"]

DIMENSIONS: Final[tuple[Dimension, ...]] = ("tenant_id", "user_id", "agent_id", "joined")
SEPARATORS: Final = (":", "/", ".", "|", ",", ";", "-", "_", " ", "\\", "\x1f")

FAMILIES: Final[tuple[tuple[str, ...], ...]] = (
    ("u1", "u10", "u", "1"),
    ("Alice", "alice", "ALICE", "\u0430lice"),  # the last one with a Cyrillic letter
    ("ab", "a%", "a_", "a*", "a?", "[a]b", "%", "*"),
    ("caf\u00e9", "cafe\u0301", "cafe", "CAFE\u0301"),  # composed, decomposed, bare
    ("carol", "carol ", " carol", "carol\n", "carol\u200b"),
    ("x:y", "x/y", "x.y", "x|y", "x,y", "x\x1fy", "x\\y", "x", "y"),
    ("null", "None", "default", "0", "00", "' OR '1'='1", '"', "'"),
    ("stra\u00dfe", "strasse", "\ufb01n", "fin", "\u0130", "i\u0307"),  # equal under case folding or NFKC
)
"""Ids of which a careless backend takes one for another."""

_HALLS: Final = (
    "amber basil cedar delta ember fjord grove hazel iris jade karma lemon maple nylon ocean pearl quartz raven sable "
    "tulip umber velvet willow xenon yarrow zephyr acorn birch coral dune elm fern ginger heron indigo jasmine kelp "
    "lotus mango nectar olive pepper quince rowan sage thyme ultra violet walnut yucca zinnia"
).split()

_QUESTIONS: Final = (
    "in which hall is the rehearsal?",
    "does the rehearsal take place in the amber hall?",
    "where do rehearsals take place",
)
_FOUND: Final = 10
"""Memories of the one who asks, and hits: each question finds them all, so that they are used alike by being found."""


class GovernedMemory(Protocol):
    """What the suite needs of the thing it tests; an `AgentMemory` has it."""

    long_term: LongTermMemory
    consent: Consent


class _Crowd:
    """Scopes that must not see each other, each with one memory of its own in the same words.

    Args:
        memory: What is tested.
        colour: Whether its methods are called or awaited.
        scopes: Who they are.
    """

    def __init__(self, memory: GovernedMemory, colour: Colour, scopes: Sequence[Scope]) -> None:
        """Keep the scopes; `gather` fills them."""
        self.memory = memory
        self._colour = colour
        self.scopes = scopes
        self.kept: dict[Scope, Memory] = {}

    @property
    def pairs(self) -> Iterable[tuple[Scope, Scope]]:
        """Each scope with the one that comes after it in its family."""
        return zip(self.scopes, [*self.scopes[1:], self.scopes[0]], strict=True)

    async def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (what the method returns)
        """Call `part.method` of the memory in this crowd's colour."""
        part, method = name.split(".")
        if self._colour == "sync":
            return getattr(getattr(self.memory, part), method)(*args, **kwargs)
        return await getattr(getattr(self.memory, part), f"a{method}")(*args, **kwargs)

    async def gather(self) -> None:
        """Let every scope remember the same sentence, with a word that is its own."""
        for scope in dict.fromkeys(Scope(it.user_id, tenant_id=it.tenant_id) for it in self.scopes):
            await self.call("consent.grant", scope)
        for scope in self.scopes:
            decision = await self.call("long_term.remember", self.statement(scope), scope=scope)
            assert decision.verdict == "written", f"what {scope!r} remembers first ({decision.rule})"
            assert (decision.superseded, decision.linked) == ((), ()), f"what the memory of {scope!r} refers to"
            self.kept[scope] = decision.memory

    def statement(self, scope: Scope) -> str:
        """Return what a scope remembers."""
        return f"The rehearsal takes place in the {self.word(scope)} hall"

    def word(self, scope: Scope) -> str:
        """Return the word that only this scope knows."""
        return _HALLS[self.scopes.index(scope)]

    async def contents(self, scope: Scope) -> list[Memory]:
        """Return all that a scope lists."""
        return list(await self.call("long_term.list", scope=scope, limit=1_000))

    async def everything(self) -> Mapping[Scope, list[Memory]]:
        """Return what every scope lists."""
        return {scope: await self.contents(scope) for scope in self.scopes}

    async def refuses_anything(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        """Expect an error of ours, whichever."""
        try:
            found = await self.call(name, *args, **kwargs)
        except AgentMemError:
            return
        fail(f"{name}, seen from {kwargs['scope']!r}, returned {found!r}")

    async def refuses(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        """Expect that an id of another scope is unknown here."""
        try:
            found = await self.call(name, *args, **kwargs)
        except NotFoundError:
            return
        fail(f"{name} with another scope's id, seen from {kwargs['scope']!r}, returned {found!r}")


class LeakSuite:
    """Laws of isolation and non-interference; see the module's text for how to run them.

    A subclass has a pytest fixture `memory` that gives a `GovernedMemory` over an empty database.

    Attributes:
        colours: The colours to run; a second class of the same backend may do with less.
        dimensions: The kinds of id to run.
        families: Ids that are as alike as ids can be; a backend that never sees an id may do with some of them.
        neighbours: How many others write 26 rows each in the same words, to move a score; less is faster.
    """

    colours: tuple[Colour, ...] = COLOURS
    dimensions: tuple[Dimension, ...] = DIMENSIONS
    families: Sequence[Sequence[str]] = FAMILIES
    neighbours: int = 8

    def pytest_generate_tests(self, metafunc: Any) -> None:  # noqa: ANN401  (pytest's own class; it is not imported)
        """Run each law in both colours, and for every kind of id it names."""
        parametrize(metafunc, "colour", metafunc.cls.colours)
        parametrize(metafunc, "dimension", metafunc.cls.dimensions)
        parametrize(metafunc, "owner", [it for it in metafunc.cls.dimensions if it != "agent_id"])

    # ----------------------------------------------------------------------------------------------------------- reads
    def test_reads_stay_inside(self, memory: GovernedMemory, colour: Colour, dimension: Dimension) -> None:
        """Listing, recalling and getting show a scope its own memories and no other's, whatever is asked for.

        The life of a memory, receipts and reasons of another scope do not exist here either.
        """
        self._run(memory, colour, dimension, self._reads, self._explanations)

    async def _reads(self, crowd: _Crowd) -> None:
        page = await crowd.call("long_term.list", scope=crowd.scopes[0], limit=1)
        for scope, other in crowd.pairs:
            own, foreign = crowd.kept[scope], crowd.kept[other]
            assert await crowd.contents(scope) == [own], f"list() of {scope!r}"
            assert await crowd.call("long_term.get", own.id, scope=scope) == own, f"get() of {scope!r}"
            assert await crowd.call("long_term.get", foreign.id, scope=scope) is None, (
                f"another's memory, from {scope!r}"
            )
            for text in (crowd.statement(other), crowd.word(other), "in which hall is the rehearsal?"):
                found = await crowd.call("long_term.recall", text, scope=scope, limit=100)
                assert {hit.memory.id for hit in found} - {own.id} == set(), f"recall() of {scope!r}"
            if page.cursor is not None:
                follows = await crowd.call("long_term.list", scope=scope, cursor=page.cursor)
                assert {it.id for it in follows} - {own.id} == set(), f"another's cursor, from {scope!r}"

    async def _explanations(self, crowd: _Crowd) -> None:
        receipts = {
            scope: (await crowd.call("long_term.recall", crowd.statement(scope), scope=scope)).receipt_id
            for scope in crowd.scopes
        }
        for scope, other in crowd.pairs:
            life = await crowd.call("long_term.why", crowd.kept[scope].id, scope=scope)
            assert len(life.events) == 1, f"events of the memory of {scope!r}"
            receipt = await crowd.call("long_term.receipt", receipts[scope], scope=scope)
            assert {line.memory_id for line in receipt.lines} == {crowd.kept[scope].id}, f"receipt of {scope!r}"
            await crowd.refuses("long_term.why", crowd.kept[other].id, scope=scope)
            await crowd.refuses("long_term.receipt", receipts[other], scope=scope)
            await crowd.refuses("long_term.why_not", receipts[scope], crowd.kept[other].id, scope=scope)
            await crowd.refuses("long_term.why_not", receipts[other], crowd.kept[scope].id, scope=scope)
            await crowd.refuses("long_term.note_used", receipts[other], {crowd.kept[other].id: True}, scope=scope)
            await crowd.refuses("long_term.note_injected", receipts[other], "call", scope=scope)

    def test_counts_stay_inside(self, memory: GovernedMemory, colour: Colour, owner: Dimension) -> None:
        """A log, its check and its replay count the events and memories of one owner."""
        self._run(memory, colour, owner, self._counts)

    async def _counts(self, crowd: _Crowd) -> None:
        for scope in crowd.scopes:
            verification = await crowd.call("long_term.verify", scope=scope)
            assert (verification.events, verification.problems) == (2, ()), f"verify() of {scope!r}"
            assert await crowd.call("long_term.replay", scope=scope) == 1, f"rows replayed of {scope!r}"
            assert await crowd.contents(scope) == [crowd.kept[scope]], f"list() of {scope!r} after replay()"

    # ---------------------------------------------------------------------------------------------------------- writes
    def test_changes_stay_inside(self, memory: GovernedMemory, colour: Colour, dimension: Dimension) -> None:
        """No method changes a memory by an id that belongs to another scope, and none of the others moves."""
        self._run(memory, colour, dimension, self._changes)

    async def _changes(self, crowd: _Crowd) -> None:
        before = await crowd.everything()
        for scope, other in crowd.pairs:
            own, foreign = crowd.kept[scope].id, crowd.kept[other].id
            await crowd.refuses("long_term.revise", foreign, scope=scope, content="The rehearsal is off")
            await crowd.refuses("long_term.merge", [own, foreign], "There are two rehearsals", scope=scope)
            await crowd.refuses("long_term.feedback", foreign, "contradicted", scope=scope)
            await crowd.refuses("long_term.forget", foreign, scope=scope)
            await crowd.refuses("long_term.restore", foreign, scope=scope)
            await crowd.refuses("long_term.erase", foreign, scope=scope)
            takes_over = Candidate(content="The rehearsal moved to the park", supersedes=(foreign,))
            await crowd.refuses("long_term.remember", takes_over, scope=scope)
        assert await crowd.everything() == before, "what every scope remembers after foreign ids were tried"

    def test_outcomes_stay_inside(self, memory: GovernedMemory, colour: Colour, dimension: Dimension) -> None:
        """An outcome that names another scope's memory moves no confidence there."""
        self._run(memory, colour, dimension, self._outcomes)

    async def _outcomes(self, crowd: _Crowd) -> None:
        for scope, other in crowd.pairs:
            outcome = Outcome(action="book the hall", succeeded=False, memory_ids=(crowd.kept[other].id,))
            decisions = await crowd.call("long_term.learn", outcome, scope=scope)
            assert len(decisions) == 1, f"decisions on an outcome of {scope!r}"
        for scope in crowd.scopes:
            found = await crowd.call("long_term.get", crowd.kept[scope].id, scope=scope)
            assert found == crowd.kept[scope], f"the memory of {scope!r} after the outcomes of others"

    def test_the_same_words_are_kept_by_each(
        self, memory: GovernedMemory, colour: Colour, dimension: Dimension
    ) -> None:
        """A sentence that another scope knows already is new here: nothing is merged or replaced across scopes."""
        self._run(memory, colour, dimension, self._same_words)

    async def _same_words(self, crowd: _Crowd) -> None:
        for scope in crowd.scopes:
            decision = await crowd.call("long_term.remember", "The orchestra plays Mozart on Fridays", scope=scope)
            assert decision.verdict == "written", f"what {scope!r} says first"
        for scope in crowd.scopes:
            assert len(await crowd.contents(scope)) == 2, f"memories of {scope!r}"

    def test_deletes_stay_inside(self, memory: GovernedMemory, colour: Colour, dimension: Dimension) -> None:
        """What one scope forgets or erases, the others keep and find, byte for byte."""
        self._run(memory, colour, dimension, self._deletes)

    async def _deletes(self, crowd: _Crowd) -> None:
        gone = {
            scope: ("long_term.erase", "long_term.forget")[place // 2 % 2]
            for place, scope in enumerate(crowd.scopes)
            if place % 2
        }
        for scope, method in gone.items():
            await crowd.call(method, crowd.kept[scope].id, scope=scope)
        for scope in crowd.scopes:
            wanted = [] if scope in gone else [crowd.kept[scope]]
            assert await crowd.contents(scope) == wanted, f"list() of {scope!r} after others deleted"
            found = await crowd.call("long_term.recall", crowd.statement(scope), scope=scope)
            assert [hit.memory for hit in found] == wanted, f"recall() of {scope!r} after others deleted"

    # -------------------------------------------------------------------------------------------------- consent, scopes
    def test_consent_stays_inside(self, memory: GovernedMemory, colour: Colour, owner: Dimension) -> None:
        """Consent given or withdrawn by one owner is not another's."""
        asyncio.run(self._consent(_Crowd(memory, colour, scopes_of(owner, self.families))))

    async def _consent(self, crowd: _Crowd) -> None:
        wanted = {scope: ("unknown", "granted", "withdrawn")[place % 3] for place, scope in enumerate(crowd.scopes)}
        for scope, status in wanted.items():
            if status != "unknown":
                await crowd.call("consent.grant", scope, purposes=(crowd.word(scope),))
            if status == "withdrawn":
                await crowd.call("consent.withdraw", scope)
        for scope, status in wanted.items():
            state = await crowd.call("consent.status", scope)
            purposes = (crowd.word(scope),) if status == "granted" else ()
            assert (state.status, state.purposes) == (status, purposes), f"consent of {scope!r}"

    async def _visitor(self, crowd: _Crowd) -> None:
        scope, foreign = Scope.anonymous("u1"), crowd.kept[crowd.scopes[0]].id
        found = await crowd.call("long_term.recall", crowd.statement(crowd.scopes[0]), scope=scope)
        assert (len(found), found.constraints, found.status) == (0, (), "anonymous"), "what a visitor recalls"
        decision = await crowd.call("long_term.remember", "The rehearsal is off", scope=scope)
        assert (decision.verdict, decision.memory) == ("refused", None), "what a visitor may keep"
        await self._refused(crowd, scope, foreign)

    def test_a_scope_is_demanded(self, memory: GovernedMemory, colour: Colour) -> None:
        """A bare id, or none, is no scope: every method refuses it before anything is read.

        An anonymous scope recalls and keeps nothing, and every other method refuses it as well.
        """
        self._run(memory, colour, "user_id", self._no_scope, self._visitor)

    async def _no_scope(self, crowd: _Crowd) -> None:
        for bad in ("u1", None, {"user_id": "u1"}):
            await self._refused(crowd, bad, crowd.kept[crowd.scopes[0]].id)

    async def _refused(self, crowd: _Crowd, scope: Any, memory_id: str) -> None:  # noqa: ANN401  (what is no scope)
        before = await crowd.everything()
        for method in ("get", "why", "receipt", "forget", "restore", "erase"):
            await demands_scope(crowd, f"long_term.{method}", memory_id, scope=scope)
        for method in ("list", "verify", "replay"):
            await demands_scope(crowd, f"long_term.{method}", scope=scope)
        await demands_scope(crowd, "long_term.revise", memory_id, scope=scope, content="The rehearsal is off")
        await demands_scope(crowd, "long_term.merge", [memory_id, "other"], "Two rehearsals", scope=scope)
        await demands_scope(crowd, "long_term.feedback", memory_id, "contradicted", scope=scope)
        await demands_scope(crowd, "long_term.why_not", "receipt", memory_id, scope=scope)
        await demands_scope(crowd, "long_term.note_used", "receipt", {memory_id: True}, scope=scope)
        await demands_scope(crowd, "long_term.note_injected", "receipt", "call", scope=scope)
        for method in ("grant", "withdraw", "status"):
            await demands_scope(crowd, f"consent.{method}", scope)
        assert await crowd.everything() == before, "what every scope remembers after a call without a scope"

    # ------------------------------------------------------------------------------------------------- non-interference
    def test_others_move_no_score(self, memory: GovernedMemory, colour: Colour, dimension: Dimension) -> None:
        """Ids, order and scores of a recall are the same after a crowd of rows of others came, in the same words."""
        asyncio.run(self._interference(_Crowd(memory, colour, scopes_of(dimension, self.families)), dimension))

    async def _interference(self, crowd: _Crowd, dimension: Dimension) -> None:
        alice = crowd.scopes[0]
        await crowd.call("consent.grant", Scope(alice.user_id, tenant_id=alice.tenant_id))
        for word in _HALLS[:_FOUND]:
            await crowd.call("long_term.remember", f"The rehearsal takes place in the {word} hall", scope=alice)
        before = await _ranking(crowd, alice)
        for scope in crowd.scopes[1 : 1 + self.neighbours]:
            if dimension != "agent_id":
                await crowd.call("consent.grant", scope)
            for word in _HALLS[:26]:
                await crowd.call("long_term.remember", f"The {word} hall is where rehearsals take place", scope=scope)
        assert await _ranking(crowd, alice) == before, "what alice recalls after others wrote"

    def _run(self, memory: GovernedMemory, colour: Colour, dimension: Dimension, *laws: Law) -> None:
        """Hold one crowd to laws that leave it as it was, but for the last."""

        async def gathered() -> None:
            crowd = _Crowd(memory, colour, scopes_of(dimension, self.families))
            await crowd.gather()
            for law in laws:
                await law(crowd)

        asyncio.run(gathered())


Law: TypeAlias = Callable[[_Crowd], Awaitable[None]]


def scopes_of(dimension: Dimension, families: Sequence[Sequence[str]] = FAMILIES) -> list[Scope]:
    """Return scopes that differ in one id only, by as little as an id can; neighbours are the most alike."""
    names = [name for family in families for name in family]
    if dimension == "tenant_id":
        return [Scope("alice", tenant_id=name) for name in names]
    if dimension == "user_id":
        return [Scope(name) for name in names]
    if dimension == "agent_id":
        return [Scope("alice", agent_id=name) for name in names]
    pairs = [((f"a{it}b", "c"), ("a", f"b{it}c")) for it in SEPARATORS]
    return [Scope(user, tenant_id=tenant) for pair in pairs for tenant, user in pair]


async def _ranking(crowd: _Crowd, scope: Scope) -> list[list[tuple[str, float, dict[str, float]]]]:
    """Return ids, scores and their parts; what time and use alone move is left out."""
    found = []
    for text in _QUESTIONS:
        hits = await crowd.call("long_term.recall", text, scope=scope, limit=_FOUND)
        parts = [{key: it for key, it in hit.parts.items() if key not in {"recency", "frequency"}} for hit in hits]
        found.append([(hit.memory.id, hit.parts["relevance"], part) for hit, part in zip(hits, parts, strict=True)])
    return found


async def demands_scope(crowd: _Crowd, name: str, /, *args: Any, **kwargs: Any) -> None:
    """Expect that a call is refused for its scope."""
    try:
        found = await crowd.call(name, *args, **kwargs)
    except ScopeError:
        return
    except AgentMemError as error:
        fail(f"{name} without a scope raised {error!r}, not ScopeError")
    fail(f"{name} without a scope returned {found!r}")
