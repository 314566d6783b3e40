"""A request to forget reaches the plan of a goal: the step that says it goes, and the goal stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Candidate, ConfigurationError, GoalProgress, Scope
from langchain_agentmem.english.requests.forget_request import Wanted
from langchain_agentmem.types import Memory
from tests.conftest import Call
from tests.unit_tests.cli.commands import answer, run
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALICE = Scope("alice")
WISH = "Alice wants to feel better"
STEP = "find a therapist for my depression"


def added(memory: AgentMemory, *steps: str) -> Memory:
    """Return a goal with a plan."""
    return memory.goals.add(WISH, scope=ALICE, steps=steps).require()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (STEP, "Forget about my depression."),
        ("tell my therapist about my depression", "Forget about my depression."),
        ("see the dentist", "Forget about my dentist."),
        ("call Nora", "Forget Nora."),
        ("buy my antidepressants", "Forget my medication."),
    ],
)
async def test_a_step_that_says_what_was_asked_goes(memory: AgentMemory, make: Make, step: str, words: str) -> None:
    """It is reported, shown to no model any more, and the rest of the plan is pursued as before."""
    goal = added(memory, step, "run")
    report = (await make(["Fine."]).say(words))["memory"]
    assert goal.id in {it["id"] for it in report["forgotten"]}
    [left] = memory.goals.open(scope=ALICE)
    assert (left.text, left.progress) == (WISH, GoalProgress(steps=("run",), next_step="run"))
    assert memory.long_term.verify(scope=ALICE).is_intact


async def test_what_was_done_and_comes_next_goes_too(memory: AgentMemory, make: Make) -> None:
    """What progress was told as is no less of a goal than its plan."""
    goal = added(memory, "run")
    memory.goals.progress(goal.id, scope=ALICE, completed="told Tom about my depression", next_step=STEP)
    await make(["Fine."]).say("Forget about my depression.")
    [left] = memory.goals.open(scope=ALICE)
    assert left.progress == GoalProgress(status="active", steps=("run",), next_step="run")


async def test_a_goal_that_says_it_itself_goes_whole(memory: AgentMemory, make: Make) -> None:
    """Its plan is for nothing else."""
    memory.goals.add("Alice wants to treat her depression", scope=ALICE, steps=["run"])
    await make(["Fine."]).say("Forget about my depression.")
    assert memory.goals.open(scope=ALICE) == ()


async def test_a_step_about_something_else_stays(memory: AgentMemory, make: Make) -> None:
    """Nothing is said to be forgotten that no step says."""
    goal = added(memory, "run", "sleep")
    report = (await make(["Fine."]).say("Forget about my depression."))["memory"]
    assert (report["forgotten"], [it.id for it in memory.goals.open(scope=ALICE)]) == ([], [goal.id])


async def test_progress_of_a_goal_that_lost_a_step_names_what_remains(memory: AgentMemory, make: Make) -> None:
    """Whoever kept the id is led to the goal that stands in its place, and not to what was forgotten."""
    goal = added(memory, STEP, "run")
    await make(["Fine."]).say("Forget about my depression.")
    [left] = memory.goals.open(scope=ALICE)
    with pytest.raises(ConfigurationError, match=f"report progress of goal '{left.id}'"):
        memory.goals.progress(goal.id, scope=ALICE, completed="run")


async def test_a_goal_that_is_restored_takes_the_place_of_what_was_left(
    memory: AgentMemory, make: Make, call: Call
) -> None:
    """A slip is taken back without a goal being there twice; what was left of it can be taken back again."""
    goal = added(memory, STEP, "run")
    await make(["Fine."]).say("Forget about my depression.")
    [left] = memory.goals.open(scope=ALICE)
    for known in (goal, left.memory):
        await call(memory.long_term, "restore", known.id, scope=ALICE)
        assert [(it.id, it.progress) for it in memory.goals.open(scope=ALICE)] == [(known.id, known.goal)]


async def test_a_step_of_a_task_is_read_as_one_of_a_goal(memory: AgentMemory, make: Make) -> None:
    """It tells of the depression as the user's, wherever the therapist is to be found."""
    talk = Scope("alice", session_id="monday")
    memory.working.update(talk, goal="feel better", add_pending=[STEP, "run"])
    await make(["Fine."]).say("Forget about my depression.")
    left = memory.working.get(talk)
    assert left is not None
    assert left.pending_actions == ("run",)


def test_what_may_become_a_goal_is_meant_by_its_steps() -> None:
    """A turn that waits brings no step back that the user asked to forget meanwhile."""
    planned = Candidate(content=WISH, kind="goal", goal=GoalProgress(steps=(STEP,)))
    assert Wanted.of("my depression").means_told(planned, ["alice"])
    assert not Wanted.of("Tom's depression").means_told(planned, ["alice"])


@pytest.mark.parametrize("command", ["forget", "erase"])
def test_a_command_takes_the_step_and_keeps_the_goal(tmp_path: Path, command: str) -> None:
    """The log keeps less than it did, which needs no consent; an erasure leaves no byte of the step in the file."""
    place = tmp_path / "agent.db"
    with AgentMemory.embedded(place, embeddings=None, consent="assumed") as memory:
        goal = added(memory, STEP, "run")
        memory.goals.progress(goal.id, scope=ALICE, completed="read about depression")
    of = (place, "--user", "alice", "--about", "depression")
    assert "its plan says 'depression'; the rest is kept" in " ".join(run(command, *of, "--dry-run").output.split())
    [done] = answer(command, *of, "--yes")[{"forget": "forgotten", "erase": "erased"}[command]]
    with AgentMemory.embedded(place, embeddings=None, consent="assumed") as memory:
        [left] = memory.goals.open(scope=ALICE)
        assert memory.long_term.verify(scope=ALICE).is_intact
    assert (done["id"], left.text, left.progress.left) == (goal.id, WISH, ("run",))
    assert (b"depression" in place.read_bytes()) == (command == "forget")
