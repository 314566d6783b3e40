"""What follows from an answer: judged, written, updated and forgotten; and what happens where that fails."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent

from langchain_agentmem import AgentMemory, StorageError
from langchain_agentmem._flow import flows_of
from langchain_agentmem.long_term.remove.ending import TURN_JOB
from tests.conftest import Colour
from tests.spelled import spelled
from tests.unit_tests.faces.conftest import ALICE, World, contents, remember
from tests.unit_tests.faces.scripted import ScriptedModel, call
from tests.unit_tests.middleware.conftest import MakeAgent, note_of

PYTHON = "Alice prefers Python for backend services"
ASKED = "Which language do I prefer for backend services?"


def broken(*_args: object, **_kwargs: object) -> Any:  # noqa: ANN401
    """Fail as with a database that is gone."""
    msg = "the database is gone; start it"
    raise StorageError(msg)


def confidence(memory: AgentMemory, memory_id: str) -> float:
    """How sure a memory is."""
    found = memory.long_term.get(memory_id, scope=ALICE)
    assert found is not None
    return found.confidence


# -------------------------------------------------------------------------------------------------------------- inline
async def test_inline_the_report_lists_what_was_written(memory: AgentMemory, agent: MakeAgent) -> None:
    """At the end of the run it is there, and nothing waits."""
    made = agent(["Noted.", "Changed."], writes="inline")
    state = await made.say("I live in Paris.", user_name="Alice")
    [old] = state["memory"]["written"]
    assert contents(memory) == ["Alice lives in Paris"]
    state = await made.say("Actually, I moved to Berlin.", user_name="Alice")
    assert state["memory"]["superseded"] == [old["id"]]
    assert (state["memory"]["queued"], [*memory.jobs.list(scope=ALICE)]) == (False, [])


async def test_what_is_refused_is_counted_and_not_quoted(agent: MakeAgent) -> None:
    """The report names the rule; the text is nowhere in it."""
    made = agent(["I will not keep that."], writes="inline")
    state = await made.say("Remember that my card number is 4111 1111 1111 1111.")
    assert [it["kind"] for it in state["memory"]["refused"]]
    assert "4111 1111" not in spelled(state["memory"])


# ---------------------------------------------------------------------------------------------------- evaluate, update
@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_what_the_user_says_of_an_answer_moves_its_memories(
    memory: AgentMemory, agent: MakeAgent, writes: str
) -> None:
    """A memory that was used and then rejected is less sure; now, or when the turn is settled."""
    kept = remember(memory, PYTHON)
    made = agent(["You prefer Python for backend services.", "Sorry."], writes=writes)
    await made.say(ASKED)
    before = confidence(memory, kept.id)
    await made.say("That's wrong.")
    memory.jobs.run()
    assert confidence(memory, kept.id) == pytest.approx(before - 0.2)


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_an_answer_from_memory_does_not_confirm_itself(
    memory: AgentMemory, agent: MakeAgent, writes: str
) -> None:
    """What the assistant repeats, from a recall or from the profile, is an echo and no sighting."""
    kept = remember(memory, PYTHON)
    made = agent(["It seems you prefer Python for backend services."], writes=writes)
    await made.say(ASKED)
    memory.jobs.run()
    [after] = memory.long_term.list(scope=ALICE)
    assert (after.id, after.sightings) == (kept.id, 1)


async def test_a_memory_that_guided_a_success_is_surer(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """The outcome is remembered, and what was followed is confirmed by it."""
    guide = remember(memory, "Deploy to staging before production", kind="constraint")
    before = confidence(memory, guide.id)
    made = agent([call("deploy", target="staging before production"), "Done."], world.deploy)
    await made.say("Hello!")
    memory.jobs.run()
    assert confidence(memory, guide.id) > before
    assert {it.kind for it in memory.long_term.list(scope=ALICE)} == {"constraint", "outcome"}


# -------------------------------------------------------------------------------------------------------------- forget
async def test_a_request_to_forget_is_carried_out_at_once(memory: AgentMemory, agent: MakeAgent) -> None:
    """Also where writes wait: it is gone when the run ends, and the model was told what would be forgotten."""
    kept = remember(memory, "Alice likes sushi")
    made = agent(["Forgotten."])
    state = await made.say("Please forget that I like sushi.")
    assert "Alice likes sushi" in note_of(made.model)
    assert "asked you to forget" in note_of(made.model)
    assert [it["id"] for it in state["memory"]["forgotten"]] == [kept.id]
    assert (contents(memory), [*memory.jobs.list(scope=ALICE)]) == ([], [])


async def test_what_still_waits_is_forgotten_too(memory: AgentMemory, agent: MakeAgent) -> None:
    """A turn that was queued does not bring back what the next one asks to forget, however little it waits for."""
    made = agent(["Noted.", "Forgotten."], read_your_writes=False)
    await made.say("I like sushi.", user_name="Alice")
    await made.say("Please forget that I like sushi.", user_name="Alice")
    memory.jobs.run()
    assert contents(memory) == []


# ------------------------------------------------------------------------------------------------------------ degraded
async def test_memory_down_is_said_and_the_turn_answered(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is told that memory is unavailable, and answers."""
    for name in ("recall", "decline"):
        monkeypatch.setattr(flows_of(memory.long_term), name, broken)
    made = agent(["I cannot look it up now."])
    state = await made.say(ASKED)
    assert state["messages"][-1].text == "I cannot look it up now."
    assert state["memory"]["status"].startswith("degraded: StorageError")
    assert "memory is unavailable" in note_of(made.model)


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_a_failure_after_the_answer_is_a_status(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch, writes: str
) -> None:
    """The answer stands; with `raise_on_error` the error does."""
    monkeypatch.setattr(flows_of(memory.long_term), "remember", broken)
    monkeypatch.setattr(flows_of(memory.turns), "put", broken)
    state = await agent(["Noted."], writes=writes).say("I live in Paris.")
    assert state["messages"][-1].text == "Noted."
    assert state["memory"]["status"].startswith("degraded: StorageError")
    with pytest.raises(StorageError):
        await agent(["Noted."], writes=writes, raise_on_error=True).say("I live in Paris.")


async def test_a_task_that_cannot_be_stored_is_raised_where_that_is_wanted(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the turn leaves in long-term memory is written all the same."""
    monkeypatch.setattr(memory.working._flows._states, "change", broken)
    with pytest.raises(StorageError, match="not stored"):
        await agent(["Noted."], writes="inline", working=True, raise_on_error=True).say("I live in Paris.")
    assert contents(memory) == ["The user lives in Paris"]


async def test_a_failing_profile_costs_the_profile(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn says that it went without, and memories are there all the same."""
    kept = remember(memory, PYTHON)
    monkeypatch.setattr("langchain_agentmem.profiles.flows.ProfileFlows.get", broken)
    state = await agent(["Python."]).say(ASKED)
    assert state["memory"]["status"].startswith("degraded")
    assert [it["id"] for it in state["memory"]["recalled"]] == [kept.id]


async def test_tools_run_when_memory_cannot_be_asked(
    memory: AgentMemory, world: World, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look before the tool fails, the tool runs, and the report tells."""
    made = agent([call("deploy", target="eu"), "Done."], world.deploy, profile=False)
    ask = flows_of(memory.long_term).recall
    monkeypatch.setattr(
        flows_of(memory.long_term),
        "recall",
        lambda query, *rest, **kw: (broken if query.action else ask)(query, *rest, **kw),
    )
    state = await made.say("Hello!")
    assert world.deployed == ["eu"]
    assert state["memory"]["status"].startswith("degraded")


async def test_the_next_healthy_turn_goes_on(
    memory: AgentMemory, agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A status is of its turn."""
    made = agent(["Sorry.", "Hello."])
    with monkeypatch.context() as patch:
        patch.setattr(flows_of(memory.long_term), "recall", broken)
        await made.say(ASKED)
    state = await made.say("Hello!")
    assert state["memory"]["status"] == "ok"


async def test_a_model_that_fails_is_not_hidden(memory: AgentMemory, agent: MakeAgent) -> None:
    """The answer itself is not memory's to save; nothing was written of a turn without one."""
    with pytest.raises(TimeoutError):
        await agent([TimeoutError()]).say("I live in Paris.")
    assert not memory.jobs.list(scope=ALICE)


@pytest.mark.parametrize("text", ["", "   ", "\u200b"])
async def test_a_message_without_words_is_no_failure(agent: MakeAgent, text: str) -> None:
    """There is nothing to look for, and memory is not to blame for it."""
    state = await agent(["Yes?"]).say(text)
    assert (state["messages"][-1].text, state["memory"]["status"]) == ("Yes?", "ok")


# ---------------------------------------------------------------------------------------------------- models of its own
@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_the_memorys_own_models_do_not_stream(colour: Colour, writes: str) -> None:
    """Whoever watches the answer's tokens sees the answer only, whenever memory asks its model."""
    own = ScriptedModel(script=["internal"] * 9)
    with AgentMemory.in_memory(embeddings=None, consent="assumed", model=own, planner="model") as memory:
        made = create_agent(ScriptedModel(script=["Noted.", "Oslo."]), middleware=[memory.middleware(writes=writes)])
        config: Any = {"configurable": {"user_id": "alice", "thread_id": "t"}}
        seen: list[str] = []
        for text in ("I live in Oslo, as I told you.", "Where do I live, and since when?"):
            given: Any = {"messages": [("user", text)]}
            if colour == "sync":
                tokens: Any = made.stream(given, config, stream_mode="messages")
                seen += [token.text for token, _ in tokens]
            else:
                stream: Any = made.astream(given, config, stream_mode="messages")
                seen += [token.text async for token, _ in stream]
        assert own.requests
        assert [it for it in seen if it] == ["Noted.", "Oslo."]
        assert [it.kind for it in memory.jobs.list(scope=ALICE)] in ([], [TURN_JOB], ["empty_log", TURN_JOB])
