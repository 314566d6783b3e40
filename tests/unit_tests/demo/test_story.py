"""The story comes as it is told, by words alone as well: no model is needed to see it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.demo.layers import applied
from langchain_agentmem.demo.render import STYLES, Screen
from langchain_agentmem.demo.responder import LABEL, OfflineResponder
from langchain_agentmem.demo.session import Stage, play
from langchain_agentmem.demo.story import CARD, SESSIONS, Grant, Opening, Session, Words
from langchain_agentmem.long_term import ListQuery


class Played:
    """The sessions, played one after the other on one database."""

    def __init__(self, memory: AgentMemory) -> None:
        self.memory = memory
        self.output = io.StringIO()
        self.problems: list[str] = []
        screen = Screen(Console(file=self.output, width=100))
        self.stage = Stage(memory=memory, model=OfflineResponder(), screen=screen)

    def play(self, *sessions: Session) -> list[str]:
        return [problem for number, each in enumerate(sessions, 1) for problem in play(each, number, self.stage)]


@contextmanager
def beginning(folder: Path) -> Iterator[Played]:
    procedures = {"path": folder / "procedures", "create": True}
    with AgentMemory.in_memory(embeddings=None, procedural=procedures) as memory:
        yield Played(memory)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """Nothing yet."""
    with beginning(tmp_path) as played:
        yield played


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """The whole story, for tests that only look at it."""
    with beginning(tmp_path_factory.mktemp("story")) as played:
        played.problems = played.play(*SESSIONS)
        yield played


def test_everything_the_story_promises_happens(told: Played) -> None:
    """Consent, learning, correction, refusals, forgetting and isolation: each expectation of each turn is met.

    Every layer comes up: the task, the profile, the goal, entities, skills, policies, receipts, what is tidied up.
    """
    assert told.problems == []
    shown = {line.split()[0] for line in told.output.getvalue().splitlines() if line.startswith("  ") and line.strip()}
    assert {*STYLES} - shown == {"held"}


def test_each_user_has_memories_of_their_own(told: Played) -> None:
    """After the story, what stands in bob's memory came from bob."""
    kept = [memory.content for memory in told.memory.long_term.list(scope=Scope("bob"))]
    assert [content for content in kept if "Alice" in content or "checkout" in content] == []
    assert "Bob prefers Rust for backend services" in kept


def test_the_logs_verify_after_the_story(told: Played) -> None:
    """Both users' chains are intact."""
    for user in ("alice", "bob"):
        assert told.memory.long_term.verify(scope=Scope(user)).is_intact


def test_what_happened_stays_true_when_something_else_happens(told: Played) -> None:
    """No outcome of the story replaces another one, and none waits for a confirmation."""
    query = ListQuery(kinds=("outcome",), statuses=("pending", "superseded"))
    assert list(told.memory.long_term.select(query, scope=Scope("alice"))) == []


def test_a_task_is_resumed_and_ended(played: Played) -> None:
    """What one session began is found by the next one, goes on there, and leaves nothing but its outcome."""
    played.play(SESSIONS[0])
    [task] = played.memory.working.sessions(Scope("alice"))
    assert (task.session_id, task.goal) == ("session-1", "deploy checkout to production.")
    played.play(SESSIONS[1])
    assert list(played.memory.working.sessions(Scope("alice"))) == []


def test_what_a_policy_asked_is_logged(told: Played) -> None:
    """The user's log says which policy asked, and how it ended; the command was not run."""
    *_, asked = told.memory.procedural.events(scope=Scope("alice"))
    [blocked] = told.memory.procedural.events(scope=Scope("bob"))
    assert applied(asked) == "destructive-commands, version 1, on run_command: rejected"
    assert applied(blocked) == "production-after-staging, version 1, on deploy: blocked"
    assert "ran rm" not in told.output.getvalue()


def test_a_corrected_fact_stays_among_the_entities(played: Played) -> None:
    """What was said instead stands in the graph; what it replaces does not."""
    played.play(*SESSIONS[:3])
    graph = played.memory.entities.graph(scope=Scope("alice"))
    names = {(it.relation, graph.entities[it.object].name) for it in graph.relations if it.object is not None}
    assert {("uses", "TypeScript"), ("prefers", "Python"), ("lives_in", "Berlin")} <= names
    assert not {("uses", "JavaScript"), ("lives_in", "Paris")} & names


def test_an_approved_command_is_run(played: Played) -> None:
    """A person's word is what the policy waits for."""
    words = Words(says="Run `rm -rf /srv`.", decides="approve", expects={"answer": ("ran rm -rf /srv",)})
    assert played.play(replace(SESSIONS[3], steps=(Grant(), words))) == []


def test_layers_of_another_user_are_a_leak(played: Played) -> None:
    """What must not be shown is looked for in profile, goal, task and entities, too."""
    played.play(SESSIONS[0])
    problems = played.play(replace(SESSIONS[0], steps=(Opening(),), never=("paris",)))
    assert problems == ["'paris' was shown to alice, who must not see it"]


def test_an_expectation_that_is_not_met_is_reported(played: Played) -> None:
    """The demonstration checks itself: what does not come as told is a problem, and is shown as one."""
    words = Words(says="Hello.", expects={"recalled": ("a dragon",)})
    problems = played.play(replace(SESSIONS[3], steps=(words,)))
    assert problems == ["after 'Hello.', nothing recalled mentions 'a dragon'"]
    assert "FAILED" in played.output.getvalue()


def test_what_must_not_be_shown_is_reported(played: Played) -> None:
    """A text that a turn must never show is a problem where it is recalled or answered."""
    played.play(replace(SESSIONS[0], steps=SESSIONS[0].steps[:3]))
    words = Words(says="Which language do I prefer for backend services?", never=("python",))
    assert len(played.play(replace(SESSIONS[1], steps=(words,)))) == 1


def test_every_answer_carries_its_label(played: Played) -> None:
    """No answer of the offline responder can be taken for a language model's."""
    played.play(SESSIONS[3])
    said = played.output.getvalue()
    assert said.count(f"[{LABEL}]") == said.count("\nagent ")


def test_the_card_number_is_shown_by_nobody_but_the_user(told: Played) -> None:
    """It stands in the user's own line, and in none of memory's."""
    assert [line for line in told.output.getvalue().splitlines() if CARD in line][1:] == []


def test_output_needs_no_colour(told: Played) -> None:
    """What a colour says is said by a word as well."""
    said = told.output.getvalue()
    assert "\x1b" not in said
    for word in (
        "recalled",
        "written",
        "refused",
        "superseded",
        "forgotten",
        "action",
        "updated",
        "asked",
        "working",
        "profile",
        "goal",
        "entities",
    ):
        assert f"\n  {word}" in said
