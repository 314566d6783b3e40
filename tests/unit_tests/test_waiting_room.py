"""What waits, and is used by nothing, never costs what the user said its place: in memory, or in a conversation."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import pytest

from langchain_agentmem import AgentMemory, Candidate, Decision, ForgetReport, Scope, UserProfile
from langchain_agentmem.consolidation import known
from langchain_agentmem.policies.approve import ApprovalPolicy, BySpeaker
from langchain_agentmem.policies.forget import ForgettingPolicy
from langchain_agentmem.types import Kind, Provenance, Speaker, TrustClass
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock

ALICE: Final = Scope("alice")
TALK: Final = Scope("alice", session_id="talk")
TOLD: Final = ("Alice works as a nurse", "Alice plays the violin", "Alice prefers tea to coffee")
WOODS: Final = ("oak", "elm", "ash", "fir", "yew", "bay", "fig", "pine", "palm", "larch", "alder", "maple")
THINGS: Final = ("red", "old", "big", "new", "tin", "toy", "wet", "blue", "tall", "fast", "wide")


class Employee(UserProfile):
    """A profile with a field of its own."""

    employer: str | None = None


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> AgentMemory:
    """Memory of which three may be in force."""
    asked = ApprovalPolicy(rules=[BySpeaker({"system": "ask"})])
    bound = ForgettingPolicy(max_memories=3)
    options = {"approval": asked, "forgetting": bound, "profile": Employee}
    return AgentMemory.in_memory(embeddings=None, consent="assumed", clock=clock, **options)


def claim(
    memory: AgentMemory,
    number: int,
    *,
    speaker: Speaker = "tool",
    trust_class: TrustClass | None = "web",
    kind: Kind = "fact",
    scope: Scope | None = None,
) -> Decision:
    """Offer what somebody else than the user says, each time in another conversation."""
    origin = Provenance(speaker=speaker, trust_class=trust_class, message_ids=(f"m{number}",))
    said = f"The {WOODS[number]} shop in town sells boards for {number * 13 + 7} euros"
    candidate = Candidate(content=said, kind=kind, provenance=origin)
    return memory.long_term.remember(candidate, scope=scope or Scope("alice", session_id=f"s{number}"))


def told(memory: AgentMemory, clock: Clock) -> set[str]:
    """Remember three things of the user's, a month ago; return their ids."""
    ids = {memory.long_term.remember(it, scope=ALICE).require().id for it in TOLD}
    clock.now += timedelta(days=30)
    return ids


def archived(report: ForgetReport) -> dict[str, str]:
    """Return by id the rule by which what went to the archive did."""
    return {it.memory_id: it.rule for it in report.moves if it.move == "archive"}


# --------------------------------------------------------------------------------------------------------- in memory
@pytest.mark.parametrize(("source", "stays"), [(("tool", "web"), 3), (("assistant", None), 3), (("system", None), 5)])
async def test_what_waits_never_pushes_out_what_is_in_force(
    memory: AgentMemory, clock: Clock, call: Call, source: tuple[Speaker, TrustClass | None], stays: int
) -> None:
    """However fresh, and however much: the claims go that are too many, and what waits for a person goes not at all."""
    ids = told(memory, clock)
    made = [claim(memory, it, speaker=source[0], trust_class=source[1]) for it in range(5)]
    assert [it.verdict for it in made] == ["pending"] * 5
    foreseen = memory.forgetting.forget_cycle(ALICE, dry_run=True)
    done = await call(memory.forgetting, "forget_cycle", ALICE)
    assert archived(done) == archived(foreseen)
    assert (len(archived(done)), set(archived(done).values())) == (
        5 - stays,
        {"capacity_waiting"} if stays < 5 else set(),
    )
    assert {it.id for it in memory.long_term.list(scope=ALICE)} == ids
    assert memory.forgetting.forget_cycle(ALICE).moves == ()


def test_of_what_waits_the_least_trusted_goes_first(memory: AgentMemory, clock: Clock) -> None:
    """A page makes no room for itself by what was held before of a better source, however old that is."""
    better = {claim(memory, it, speaker="assistant", trust_class=None).require().id for it in range(3)}
    clock.now += timedelta(days=60)
    pages = {claim(memory, it).require().id for it in range(3, 6)}
    gone = archived(memory.forgetting.forget_cycle(ALICE))
    assert (set(gone), better & set(gone)) == (pages, set())


def test_no_kind_keeps_what_waits_where_too_much_does(memory: AgentMemory) -> None:
    """A constraint does not decay once it is in force; before, it is a claim like others."""
    for number in range(5):
        assert claim(memory, number, kind="constraint").verdict == "pending"
    assert len(archived(memory.forgetting.forget_cycle(ALICE))) == 2


def test_a_name_that_waits_leaves_the_profile_its_fields(memory: AgentMemory, clock: Clock) -> None:
    """Whose fields the profile shows, and keeps against age, is told by what is in force alone."""
    memory.profiles.set("name", "Alice", scope=ALICE)
    employer = Candidate(content="Alice is employed by Acme", subject="Alice", relation="employer", object="Acme")
    kept = memory.long_term.remember(employer, scope=ALICE).require()
    clock.now += timedelta(days=1)
    page = Provenance(speaker="tool", trust_class="web")
    claimed = Candidate(content="The user is Bob", subject="user", relation="name", object="Bob", provenance=page)
    assert memory.long_term.remember(claimed, scope=ALICE).verdict == "pending"
    report = memory.forgetting.forget_cycle(ALICE, dry_run=True, now=clock.now + timedelta(days=400))
    assert {it.memory_id: it.rule for it in report.fates}[kept.id] == "profile"


def test_duplicates_are_found_however_much_waits(memory: AgentMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits takes no place among the newest that a consolidation looks at."""
    monkeypatch.setattr(known, "MAX_CONSIDERED", 2)
    for it in ("Alice prefers Python", "Alice strongly prefers Python"):
        memory.long_term.remember(it, scope=ALICE).require()
    for number in range(4):
        claim(memory, number)
    assert len(memory.consolidation.run(ALICE).merged) == 1


# -------------------------------------------------------------------------------------------------- in a conversation
@pytest.mark.parametrize(("speaker", "trust_class"), [("tool", "web"), ("assistant", None)])
async def test_what_others_claim_leaves_the_user_their_ten_writes(
    memory: AgentMemory, call: Call, speaker: Speaker, trust_class: TrustClass | None
) -> None:
    """Ten claims may wait, of whichever agent; then no more are kept, and the user is heard ten times all the same."""
    helper = Scope("alice", agent_id="helper", session_id="talk")
    made = [claim(memory, it, speaker=speaker, trust_class=trust_class, scope=helper) for it in range(11)]
    assert [it.rule for it in made].count("session_cap") == 1
    said = [await call(memory.long_term, "remember", f"Alice owns {it} boats", scope=TALK) for it in THINGS]
    assert [it.verdict for it in said] == ["written"] * 10 + ["refused"]
    assert claim(memory, 11, speaker=speaker, trust_class=trust_class, scope=TALK).rule == "session_cap"


def test_a_claim_that_was_put_away_takes_no_more_of_the_room(memory: AgentMemory) -> None:
    """Whoever throws out what pages claimed is not punished for it; what was accepted counts, as anything written."""
    made = [claim(memory, it, scope=TALK).require() for it in range(10)]
    for it in made[:5]:
        memory.long_term.forget(it.id, scope=TALK)
    said = [memory.long_term.remember(f"Alice owns {it} boats", scope=TALK) for it in THINGS]
    assert [it.verdict for it in said] == ["written"] * 10 + ["refused"]
