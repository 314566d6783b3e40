"""Laws of isolation for what governs a memory: approvals, time, quarantine, runs, forgetting, privacy, sensitive data.

Subclass `GovernanceLeakSuite` beside a fixture `memory` that asks about what tools say:

```python
import pytest

from langchain_agentmem import AgentMemory, ApprovalPolicy
from langchain_agentmem.policies.approve import BySpeaker
from langchain_agentmem.testing import GovernanceLeakSuite


class TestGovernanceLeaks(GovernanceLeakSuite):
    @pytest.fixture
    def memory(self, tmp_path):
        policy = ApprovalPolicy(rules=[BySpeaker({"tool": "ask"})])
        with AgentMemory.embedded(tmp_path / "agent.db", embeddings=None, approval=policy) as memory:
            yield memory
```
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.policies.matches import PIIMatch
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.testing.laws import COLOURS, Colour, parametrize
from langchain_agentmem.testing.leaks import DIMENSIONS, FAMILIES, Dimension, Law, _Crowd, demands_scope, scopes_of
from langchain_agentmem.types import Candidate, Memory, Provenance, Scope
from langchain_agentmem.types.approvals import ApprovalDecision

TOKEN: Final = "[email:abcdefghijklmnop]"  # noqa: S105  (no secret: it stands for nothing)


def halls(text: str) -> list[PIIMatch]:
    """Find the word before `hall`, which is a scope's own: a detector in the shape of LangChain's."""
    before, found, _ = text.partition(" hall")
    start = before.rfind(" ") + 1
    end = len(before)
    return [PIIMatch(type="hall", value=text[start:end], start=start, end=end)] if found else []


HALLS: Final = SensitivePolicy(rules={"hall": "redact", "*": "keep"}, detectors=[halls])


class GovernanceLeakSuite:
    """Laws of isolation for the parts that govern; see the module's text for how to run them.

    Attributes:
        colours: The colours to run. `dimensions`: the kinds of id. `families`: ids that are as alike as can be.
    """

    colours: tuple[Colour, ...] = COLOURS
    dimensions: tuple[Dimension, ...] = DIMENSIONS
    families: Sequence[Sequence[str]] = FAMILIES[:2]

    def pytest_generate_tests(self, metafunc: Any) -> None:  # noqa: ANN401  (pytest's own class; it is not imported)
        """Run each law in both colours, and for every kind of id it names."""
        parametrize(metafunc, "colour", metafunc.cls.colours)
        parametrize(metafunc, "dimension", metafunc.cls.dimensions)
        parametrize(metafunc, "owner", [it for it in metafunc.cls.dimensions if it != "agent_id"])

    # ----------------------------------------------------------------------------------------------------------- reads
    def test_what_governs_shows_a_scope_its_own(self, memory: Any, colour: Colour, dimension: Dimension) -> None:  # noqa: ANN401
        """Approvals, time, quarantine and forgetting tell a scope of its own memories, and take no other's id."""
        self._run(memory, colour, dimension, self._looks, self._foreign)

    async def _looks(self, crowd: _Crowd) -> None:
        asked = await _proposals(crowd)
        for scope, other in crowd.pairs:
            own = {crowd.kept[scope].id, asked[scope].id}
            waiting = await crowd.call("approvals.list", scope=scope)
            assert [it.id for it in waiting] == [asked[scope].id], f"approvals.list() of {scope!r}"
            events = await crowd.call("timeline.events", scope, limit=1_000)
            assert {it.memory_id for it in events} - {None} == own, f"timeline.events() of {scope!r}"
            foreign = await crowd.call("timeline.events", scope, memory_id=crowd.kept[other].id)
            assert list(foreign) == [], f"events of another's memory, from {scope!r}"
            believed = await crowd.call("timeline.as_of", events[-1].seq, scope=scope)
            assert {it.id for it in believed} == {crowd.kept[scope].id}, f"timeline.as_of() of {scope!r}"
            changed = await crowd.call("timeline.diff", 1, scope=scope)
            assert {it.memory.id for it in changed.added} <= own, f"timeline.diff() of {scope!r}"
            stopped = await crowd.call("quarantine.list", scope)
            assert [it.memory.id for it in stopped] == [asked[scope].id], f"quarantine.list() of {scope!r}"
            counts = (await crowd.call("quarantine.report", scope)).waiting
            assert sum(counts.values()) == 1, f"quarantine.report() of {scope!r}"
            fates = (await crowd.call("forgetting.forget_cycle", scope, dry_run=True)).fates
            assert {it.memory_id for it in fates} == own, f"forget_cycle() of {scope!r}"
            found = (await crowd.call("sensitive.scan", scope, policy=HALLS, layers=["facts"])).findings
            assert {id_ for it in found for id_ in it.ids} == {crowd.kept[scope].id}, f"sensitive.scan() of {scope!r}"

    async def _foreign(self, crowd: _Crowd) -> None:
        asked, before = await _proposals(crowd), await crowd.everything()
        for scope, other in crowd.pairs:
            decision = ApprovalDecision(id=asked[other].id, verdict="approve")
            await crowd.refuses("approvals.decide", decision, scope=scope, decided_by="carol")
            made = crowd.kept[other].revision
            undone = await _undone(crowd, made, scope)
            assert crowd.kept[other].id not in undone, f"undo() of another's event, from {scope!r}"
        for scope in crowd.scopes:
            assert len(await crowd.call("approvals.list", scope=scope)) == 1, f"what waits of {scope!r}"
        assert await crowd.everything() == before, "what every scope remembers after foreign ids were tried"

    def test_runs_stay_inside(self, memory: Any, colour: Colour, dimension: Dimension) -> None:  # noqa: ANN401
        """A recorded run is listed and told to the scope it was recorded for."""
        self._run(memory, colour, dimension, self._runs)

    async def _runs(self, crowd: _Crowd) -> None:
        ids = {scope: _recorded(crowd, scope) for scope in crowd.scopes}
        for scope, other in crowd.pairs:
            assert [it.id for it in await crowd.call("runs.list", scope)] == [ids[scope]], f"runs.list() of {scope!r}"
            for method in ("steps", "state", "compare"):
                await crowd.refuses(f"runs.{method}", ids[other], scope=scope)

    def test_rights_stay_inside(self, memory: Any, colour: Colour, owner: Dimension) -> None:  # noqa: ANN401
        """An export, a report, a history of consent and a token are one owner's; a hold and an erasure too."""
        self._run(memory, colour, owner, self._told, self._held, self._erased)

    async def _told(self, crowd: _Crowd) -> None:
        for scope, other in crowd.pairs:
            said = [it.type for it in await crowd.call("consent.history", scope)]
            assert said == ["consent_granted"], f"consent.history() of {scope!r}"
            counts = (await crowd.call("privacy.report", scope)).counts
            assert (counts["memories"], counts["events"]) == (1, 2), f"privacy.report() of {scope!r}"
            exported = (await crowd.call("privacy.export", scope, sealed=False)).data.decode()
            assert crowd.word(scope) in exported, f"privacy.export() of {scope!r}"
            assert f"{crowd.word(other)} hall" not in exported, f"another's words in the export of {scope!r}"
            await crowd.refuses_anything("sensitive.reveal", TOKEN, scope=scope)

    async def _held(self, crowd: _Crowd) -> None:
        held = crowd.scopes[::2]
        for scope in held:
            await crowd.call("privacy.hold", scope, reason="a case")
        for scope in crowd.scopes:
            hold = await crowd.call("privacy.held", scope)
            assert (hold is not None) == (scope in held), f"privacy.held() of {scope!r}"
        for scope in held:
            await crowd.call("privacy.release", scope, reason="over")

    async def _erased(self, crowd: _Crowd) -> None:
        gone = crowd.scopes[1::2]
        for scope in gone:
            assert (await crowd.call("privacy.erase", scope)).status == "erased", f"privacy.erase() of {scope!r}"
        for scope in crowd.scopes:
            wanted = [] if scope in gone else [crowd.kept[scope]]
            assert await crowd.contents(scope) == wanted, f"list() of {scope!r} after others were erased"
            consent = (await crowd.call("consent.status", scope)).status
            assert consent == ("unknown" if scope in gone else "granted"), f"consent of {scope!r}"

    # ---------------------------------------------------------------------------------------------------------- writes
    def test_going_back_and_cleaning_stay_inside(self, memory: Any, colour: Colour, dimension: Dimension) -> None:  # noqa: ANN401
        """What one scope decides, takes back, forgets or cleans, the others keep and find with the same scores."""
        self._run(memory, colour, dimension, self._writes)

    async def _writes(self, crowd: _Crowd) -> None:
        changing = crowd.scopes[1::2]
        asked = await _proposals(crowd)
        staying = {scope: await _standing(crowd, scope) for scope in crowd.scopes[::2]}
        for scope in changing:
            decision = ApprovalDecision(id=asked[scope].id, verdict="approve")
            await crowd.call("approvals.decide", decision, scope=scope, decided_by="carol")
            await crowd.call("sensitive.scan", scope, dry_run=False, policy=HALLS, layers=["facts"])
            await crowd.call("forgetting.forget_cycle", scope)
            await crowd.call("timeline.rollback", scope, to=0)
            assert await crowd.contents(scope) == [], f"list() of {scope!r} after it went back to nothing"
        for scope, stood in staying.items():
            assert await _standing(crowd, scope) == stood, f"what {scope!r} has after others went back"

    def test_what_governs_demands_a_scope(self, memory: Any, colour: Colour) -> None:  # noqa: ANN401
        """A bare id, none, or a visitor is refused before anything is read."""
        self._run(memory, colour, "user_id", self._no_scope)

    async def _no_scope(self, crowd: _Crowd) -> None:
        before, one = await crowd.everything(), crowd.kept[crowd.scopes[0]].id
        decision = ApprovalDecision(id=one, verdict="approve")
        for bad in ("u1", None, {"user_id": "u1"}, Scope.anonymous("u1")):
            await demands_scope(crowd, "approvals.list", scope=bad)
            await demands_scope(crowd, "approvals.decide", decision, scope=bad, decided_by="carol")
            for method in ("events", "rollback"):
                await demands_scope(crowd, f"timeline.{method}", bad, **({"to": 1} if method == "rollback" else {}))
            for method in ("as_of", "diff", "undo"):
                await demands_scope(crowd, f"timeline.{method}", 1, scope=bad)
            for name in ("quarantine.list", "quarantine.report", "runs.list", "consent.history", "sensitive.scan"):
                await demands_scope(crowd, name, bad)
            for method in ("steps", "state", "compare"):
                await demands_scope(crowd, f"runs.{method}", "run", scope=bad)
            for method in ("export", "erase", "report", "held"):
                await demands_scope(crowd, f"privacy.{method}", bad)
            for method in ("hold", "release"):
                await demands_scope(crowd, f"privacy.{method}", bad, reason="a case")
            await demands_scope(crowd, "sensitive.reveal", TOKEN, scope=bad)
        assert await crowd.everything() == before, "what every scope remembers after a call without a scope"

    def _run(self, memory: Any, colour: Colour, dimension: Dimension, *laws: Law) -> None:  # noqa: ANN401
        async def gathered() -> None:
            crowd = _Crowd(memory, colour, scopes_of(dimension, self.families))
            await crowd.gather()
            for law in laws:
                await law(crowd)

        asyncio.run(gathered())


async def _proposals(crowd: _Crowd) -> dict[Scope, Memory]:
    """Let a tool say the same in every scope, so that it waits there; return what waits."""
    asked = {}
    for scope in crowd.scopes:
        content = "The choir practises on Mondays"
        candidate = Candidate(content=content, provenance=Provenance(speaker="tool", evidence=content))
        waiting = list(await crowd.call("approvals.list", scope=scope))
        decision = None if waiting else await crowd.call("long_term.remember", candidate, scope=scope)
        assert decision is None or decision.verdict == "pending", "the memory under test must ask about tools' words"
        asked[scope] = waiting[0].memory if decision is None else decision.memory
    return asked


async def _undone(crowd: _Crowd, seq: int, scope: Scope) -> set[str]:
    """Return which memories the undoing of an event would take back; none, where it is refused."""
    try:
        return {it.memory_id for it in await crowd.call("timeline.undo", seq, scope=scope, dry_run=True)}
    except AgentMemError:
        return set()


async def _standing(crowd: _Crowd, scope: Scope) -> list[Any]:
    """Return what a scope has and finds: memories, proposals, events, and hits with their relevance."""
    hits = await crowd.call("long_term.recall", "in which hall is the rehearsal?", scope=scope)
    events = await crowd.call("timeline.events", scope, limit=1_000)
    return [
        await crowd.contents(scope),
        [it.id for it in await crowd.call("approvals.list", scope=scope)],
        [it.type for it in events if it.memory_id is not None],
        [(hit.memory.id, hit.parts["relevance"]) for hit in hits],
    ]


def _recorded(crowd: _Crowd, scope: Scope) -> str:
    """Record a run of nothing for a scope; return its id."""
    memory: Any = crowd.memory
    recorder, run_id = memory.runs.recorder(scope), uuid4()
    recorder.on_chain_start({}, {}, run_id=run_id, parent_run_id=None, metadata={})
    recorder.on_chain_end({}, run_id=run_id, parent_run_id=None)
    return str(run_id)
