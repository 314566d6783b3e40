"""What was queued is done under the consent and the mode by which it was taken, whichever process does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage

from langchain_agentmem import AgentMemory, Outcome, Scope, create_memory_graph
from langchain_agentmem.long_term.said.handed import Handed
from tests.conftest import Call

ALICE: Final = Scope("alice")
TALK: Final = Scope("alice", session_id="talk")
SAID: Final = (HumanMessage("I live in Berlin.", id="1"), AIMessage("Noted.", id="2"))
WORKERS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"consent": "assumed", "mode": "frozen"},
    {"consent": "assumed", "mode": "off"},
)
FAILED_WITH: Final = ("no quota", "a timeout", "no route")
Open = Callable[..., AgentMemory]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open the same database with other options, as another process does."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            AgentMemory.embedded(tmp_path / "memory.db", embeddings=None, **options)
        )


async def say(call: Call, memory: AgentMemory, text: str, thread: str = "talk") -> Any:  # noqa: ANN401  (a report)
    graph = create_memory_graph(FakeListChatModel(responses=["Noted."]), memory=memory)
    config = {"configurable": {"user_id": "alice", "thread_id": thread}}
    return (await call(graph, "invoke", {"messages": [("user", text)]}, config))["memory"]


def known(memory: AgentMemory) -> list[str]:
    """What the application finds remembered: facts, and turns of conversations."""
    turns = memory.episodes.list(scope=ALICE)
    return [it.content for it in memory.long_term.list(scope=ALICE)] + [it.text for it in turns]


@pytest.mark.parametrize("worker", WORKERS, ids=str)
async def test_a_turn_keeps_the_consent_and_mode_under_which_it_was_taken(
    call: Call, opened: Open, worker: dict[str, Any]
) -> None:
    """A worker with other options writes it: nobody withdrew consent."""
    app = opened(consent="assumed")
    assert (await say(call, app, SAID[0].text))["queued"] is True
    assert (await call(opened(**worker).jobs, "run")).failed == 0
    assert known(app) == ["The user lives in Berlin", SAID[0].text]


async def test_a_reading_turn_elsewhere_destroys_no_turn_that_waits(call: Call, opened: Open) -> None:
    """Read-your-writes in a process that may not remember by itself does what waits, and still reads nothing."""
    app = opened(consent="assumed")
    await say(call, app, SAID[0].text)
    assert (await say(call, opened(), "Where do I live?", "other"))["status"] == "no_consent"
    await call(app.jobs, "run")
    assert known(app)[0] == "The user lives in Berlin"


async def test_consent_that_was_withdrawn_since_then_counts_everywhere(call: Call, opened: Open) -> None:
    """What was taken under assumed consent is dropped with the withdrawal."""
    app = opened(consent="assumed")
    await say(call, app, SAID[0].text)
    await call(app.background, "ingest", SAID, scope=TALK)
    await call(app.consent, "withdraw", ALICE)
    await call(opened(consent="assumed").jobs, "run")
    assert known(app) == []


@pytest.mark.parametrize("mode", ["frozen", "off"])
async def test_memory_that_may_not_write_queues_no_turn(call: Call, opened: Open, mode: str) -> None:
    """A worker that may would write it otherwise."""
    app = opened(consent="assumed", mode=mode)
    assert (await say(call, app, SAID[0].text))["queued"] is False
    await call(opened(consent="assumed").jobs, "run")
    assert known(app) == []


@pytest.mark.parametrize("worker", WORKERS, ids=str)
async def test_a_conversation_keeps_the_consent_and_mode_under_which_it_was_handed_over(
    call: Call, opened: Open, worker: dict[str, Any]
) -> None:
    """A worker with other options takes it in."""
    app = opened(consent="assumed")
    await call(app.background, "ingest", SAID, scope=TALK)
    await call(opened(**worker).jobs, "run")
    assert known(app) == ["The user lives in Berlin", SAID[0].text]


@pytest.mark.parametrize("worker", WORKERS, ids=str)
async def test_consolidation_keeps_the_consent_and_mode_under_which_it_was_scheduled(
    call: Call, opened: Open, worker: dict[str, Any]
) -> None:
    """A worker with other options concludes what the application would have."""
    app = opened(consent="assumed")
    for detail in FAILED_WITH:
        app.long_term.learn(Outcome(action="deploy", succeeded=False, detail=detail), scope=TALK)
    assert await call(app.consolidation, "schedule", TALK, after=timedelta())
    await call(opened(**worker).jobs, "run")
    assert len(known(app)) == len(FAILED_WITH) + 1


@pytest.mark.parametrize(("worker", "facts"), [({}, 0), ({"consent": "assumed"}, 1)], ids=str)
async def test_what_an_earlier_release_queued_is_done_under_the_options_of_who_does_it(
    call: Call, opened: Open, monkeypatch: pytest.MonkeyPatch, worker: dict[str, Any], facts: int
) -> None:
    """It does not say what held when it was queued: nothing is assumed for it."""
    app, pack = opened(consent="assumed"), Handed.pack
    monkeypatch.setattr(Handed, "pack", lambda it: pack(it).replace(b', "consent": "assumed"', b"", 1))
    await say(call, app, SAID[0].text)
    monkeypatch.undo()
    await call(opened(**worker).jobs, "run")
    assert len(app.long_term.list(scope=ALICE)) == facts
