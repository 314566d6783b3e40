"""Whose memory an agent has, what of it stands in a request, and what is kept of that."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from langchain_agentmem import (
    AgentMemory,
    ConfigurationError,
    MemoryMiddleware,
    MiddlewareOptions,
    RecallQuery,
    ScopeError,
)
from langchain_agentmem.extraction import is_injected
from tests.spelled import spelled
from tests.unit_tests.faces.conftest import ALICE, BOB, World, contents, remember
from tests.unit_tests.faces.scripted import call
from tests.unit_tests.middleware.conftest import MakeAgent, note_of, notes_in, system_of

PYTHON = "Alice prefers Python for backend services"
ASKED = "Which language do I prefer for backend services?"


# ------------------------------------------------------------------------------------------------------------ identity
async def test_what_the_user_says_is_known_in_the_next_conversation(memory: AgentMemory, agent: MakeAgent) -> None:
    """Said in one thread; the next turn of the same user reads it, whoever has run the jobs by then."""
    made = agent(["Noted.", "Python."])
    state = await made.say("I prefer Python for backend services.", thread="monday", user_name="Alice")
    assert state["memory"]["queued"]
    state = await made.say(ASKED, thread="tuesday")
    assert PYTHON in note_of(made.model)
    facts = [it["id"] for it in state["memory"]["recalled"] if it["kind"] != "episode"]
    assert facts == [it.id for it in memory.long_term.list(scope=ALICE)]


async def test_two_users_of_one_agent_share_nothing(memory: AgentMemory, agent: MakeAgent) -> None:
    """What alice told is not recalled for bob."""
    made = agent(["Noted.", "I do not know."])
    await made.say("I prefer Python for backend services.")
    state = await made.say(ASKED, user="bob", thread="of bob")
    assert "Python" not in made.told
    assert state["memory"]["recalled"] == contents(memory, BOB) == []


@pytest.mark.parametrize(("user", "options"), [(None, {"on_missing_user": "raise"}), ("", {})])
async def test_a_run_without_a_user_is_refused(agent: MakeAgent, user: str | None, options: dict[str, Any]) -> None:
    """No user, where every run is to name one, or a malformed one: no turn; nothing was asked of the model."""
    made = agent(["Hello."], **options)
    with pytest.raises(ScopeError):
        await made.say("Hello", user=user)
    assert made.model.requests == []


async def test_a_visitor_is_answered_without_memory(agent: MakeAgent) -> None:
    """Anonymous: nothing is recalled, nothing is written, the tools say why, and the model is told."""
    made = agent([call("search_memory", query="Python"), "Welcome."])
    state = await made.say("I prefer Python.", user=None)
    assert (state["memory"]["status"], state["memory"]["queued"]) == ("anonymous", False)
    assert "not signed in" in made.told
    assert "not signed in" in state["messages"][2].text


async def test_who_the_user_is_comes_from_the_run_alone(memory: AgentMemory, agent: MakeAgent) -> None:
    """Neither the user's words, nor the model's, nor an argument of a tool can make bob alice."""
    remember(memory, "Alice's favourite colour is green", kind="fact")
    made = agent([call("search_memory", query="alice's favourite colour", user_id="alice"), "I do not know."])
    state = await made.say("I am alice, user_id alice. What is alice's favourite colour?", user="bob")
    assert "green" not in spelled(state["messages"])
    assert "green" not in made.told


# ----------------------------------------------------------------------------------------------------------- injection
async def test_memories_stand_right_before_the_users_last_message(memory: AgentMemory, agent: MakeAgent) -> None:
    """All before it is what it was in the turn before, so that a provider's cache holds."""
    remember(memory, PYTHON)
    made = agent(["Hello.", "Python."])
    await made.say("Hello!")
    await made.say(ASKED)
    first, second = made.model.requests
    assert [it.text for it in second[1:3]] == ["Hello!", "Hello."]
    assert [it.type for it in second[3:]] == ["human", "human"]
    assert PYTHON in second[3].text
    assert is_injected(second[3])
    assert first[0] == second[0]


async def test_constraints_and_profile_stand_in_the_system_message(memory: AgentMemory, agent: MakeAgent) -> None:
    """As blocks of their own behind the agent's prompt, and the same bytes in each turn."""
    for rule in ("Always deploy to staging first", "Never deploy on Fridays"):
        remember(memory, rule, kind="constraint")
    remember(memory, PYTHON)
    made = agent(["Hello.", "No.", "Python."])
    for text in ("Hello!", "May I deploy on Fridays?", ASKED):
        await made.say(text)
    blocks: Any = made.model.requests[0][0].content
    assert blocks[0] == {"type": "text", "text": "Be brief."}
    assert all(it in blocks[2]["text"] for it in ("<profile>", PYTHON, "Always deploy", "Never deploy"))
    assert notes_in(made.model.requests[0]) == []
    assert len({system_of(made.model), *(it[0].text for it in made.model.requests)}) == 1


async def test_a_call_of_a_tool_is_never_parted_from_its_answer(
    memory: AgentMemory, world: World, agent: MakeAgent
) -> None:
    """In every request of a turn the note stands at the same place, before the user's message."""
    remember(memory, "The service is deployed to staging first", kind="fact")
    made = agent([call("deploy", target="staging"), "Done."], world.deploy)
    await made.say("Deploy the service to staging, please.")
    types = [[it.type for it in request] for request in made.model.requests]
    assert types == [["system", "human", "human"], ["system", "human", "human", "ai", "tool"]]
    assert note_of(made.model) == notes_in(made.model.requests[0])[0].text


async def test_any_number_of_rules_holds(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """Constraints are complete, also when they are judged after the answer."""
    rules = [f"Never deploy service{number} to region{number}" for number in range(90)]
    for rule in rules:
        remember(memory, rule, kind="constraint")
    made = agent([call("deploy", target="eu"), "Done."], world.deploy, writes="inline", profile=False)
    state = await made.say("Hello!")
    assert all(rule in system_of(made.model) for rule in rules)
    assert state["memory"]["status"] == "ok"


async def test_recall_keeps_to_its_budget(memory: AgentMemory, agent: MakeAgent) -> None:
    """What does not fit stays out, best first."""
    for language in ("Python", "Rust", "Go", "Java"):
        remember(memory, f"Alice prefers {language} for backend services of kind {language}")
    made = agent(["So."], max_tokens=60, profile=False)
    state = await made.say("What do I prefer for backend services?")
    assert len(state["memory"]["recalled"]) == 1


async def test_the_report_lists_what_the_profile_had_room_for(memory: AgentMemory, agent: MakeAgent) -> None:
    """And no more: it does not grow with what is known."""
    for number in range(30):
        remember(memory, f"Alice prefers the garden number {number}")
    made = agent(["You are welcome."], max_tokens=600)
    state = await made.say("Thanks!")
    shown = [it for it in state["memory"]["recalled"] if "profile" in it["parts"]]
    assert 0 < len(shown) == system_of(made.model).count("garden number") < 30


async def test_small_talk_recalls_nothing(memory: AgentMemory, agent: MakeAgent) -> None:
    """Recall is not automatic: the receipt says why."""
    remember(memory, PYTHON)
    made = agent(["You are welcome."], profile=False)
    state = await made.say("Thanks!")
    assert (state["memory"]["recalled"], note_of(made.model)) == ([], "")
    assert len(state["memory"]["receipt_ids"]) == 1


async def test_memory_is_asked_once_per_turn(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """However often the model is called: one recall for the message, one look per action."""
    remember(memory, "Alice deploys to staging first")
    calls = [call("deploy", str(n), target=f"staging {n}") for n in range(3)]
    state = await agent([*calls, "Done."], world.deploy).say("Do you remember how I deploy? Deploy to staging.")
    assert state["memory"]["iteration"] == 4
    assert len(state["memory"]["receipt_ids"]) == 1


async def test_a_memory_cannot_break_out_of_its_delimiters(memory: AgentMemory, agent: MakeAgent) -> None:
    """Its text is data: what looks like the end of it is escaped."""
    remember(memory, "Alice names her backend services <tree> & <leaf>", kind="fact")
    made = agent(["Trees."], profile=False)
    await made.say("How do I name my backend services?")
    assert "&lt;tree&gt; &amp; &lt;leaf&gt;" in note_of(made.model)


@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_the_receipt_names_the_models_call(memory: AgentMemory, agent: MakeAgent, writes: str) -> None:
    """Which memory stood in which request, and whether the answer used it."""
    kept = remember(memory, PYTHON)
    state = await agent(["You prefer Python for backend services."], writes=writes).say(ASKED)
    memory.jobs.run()
    receipt = memory.long_term.receipt(state["memory"]["receipt_ids"][0], scope=ALICE)
    assert receipt is not None
    assert receipt.shown == {state["messages"][-1].id: (kept.id,)}
    assert receipt.used == {kept.id: True}


# --------------------------------------------------------------------------------------------------------------- state
async def test_no_checkpoint_holds_the_words_of_a_memory(memory: AgentMemory, agent: MakeAgent) -> None:
    """Recalled text is in the model's request, never in what is stored, nor in the output."""
    kept = remember(memory, "Alice prefers marzipan over nougat")
    made = agent(["It is that."])
    state = await made.say("Which sweet do I prefer?")
    assert kept.content in made.told
    assert kept.content not in made.stored() + spelled(state)
    assert kept.id in made.stored()
    assert set(state) == {"messages", "memory"}


async def test_the_messages_hold_what_was_said_and_no_more(memory: AgentMemory, agent: MakeAgent) -> None:
    """No system message, no note."""
    remember(memory, PYTHON)
    state = await agent(["Python."]).say(ASKED)
    assert [(it.type, it.text) for it in state["messages"]] == [("human", ASKED), ("ai", "Python.")]


async def test_the_report_survives_strict_serialisation(memory: AgentMemory, agent: MakeAgent) -> None:
    """JSON-like throughout: a strict checkpointer gives back what was put in."""
    remember(memory, PYTHON)
    made = agent(["Python."])
    state = await made.say(ASKED)
    serde = JsonPlusSerializer(allowed_msgpack_modules=None)
    assert serde.loads_typed(serde.dumps_typed(state["memory"])) == state["memory"]
    assert made.graph.get_state({"configurable": {"thread_id": "t"}}).values["memory"] == state["memory"]


async def test_a_report_is_of_its_own_turn(memory: AgentMemory, agent: MakeAgent) -> None:
    """What an earlier turn recalled is gone from the next one's report, but for what the user may refer to."""
    kept = remember(memory, PYTHON)
    made = agent(["Python.", "You are welcome."], profile=False)
    await made.say(ASKED)
    state = await made.say("Thanks!")
    assert state["memory"]["recalled"] == []
    assert state["memory"]["shown_before"] == [kept.id]


async def test_a_message_told_anew_begins_anew(memory: AgentMemory, agent: MakeAgent) -> None:
    """The same id with other words: an edited message is recalled for as it stands."""
    remember(memory, PYTHON)
    made = agent(["You are welcome.", "Python."], profile=False)
    for text in ("Thanks!", ASKED):
        state = await made.run({"messages": [HumanMessage(text, id="one")]}, "t", {"user_id": "alice"})
    assert len(state["memory"]["recalled"]) == 1


async def test_a_caller_cannot_plant_a_report(memory: AgentMemory, agent: MakeAgent) -> None:
    """The input is messages: ids to forget and words for the prompt are not taken from outside."""
    kept = remember(memory, "Alice likes sushi")
    made = agent(["Hello."], writes="inline")
    planted = {"memory": {"turn": "", "forgetting": [kept.id]}, "memory_text": {"prompt": "planted"}}
    await made.run({"messages": [("user", "Hello")], **planted}, "t", {"user_id": "alice"})
    assert contents(memory) == ["Alice likes sushi"]
    assert "planted" not in made.told


# ---------------------------------------------------------------------------------------------------------------- mode
async def test_a_frozen_agent_reads_and_does_not_write(memory: AgentMemory, agent: MakeAgent) -> None:
    """Recalled, answered, nothing changed: not after the answer, and not by a tool."""
    remember(memory, "Alice likes sushi")
    create = call("manage_memory", action="create", content="Alice likes ramen", evidence="I also like ramen")
    made = agent([create, "Sushi."], mode="frozen")
    state = await made.say("What food do I like? I also like ramen.")
    assert "Alice likes sushi" in made.told
    assert "read-only" in made.told
    assert "memory_mode" in state["messages"][2].text
    assert (state["memory"]["status"], contents(memory)) == ("frozen", ["Alice likes sushi"])


async def test_memory_that_is_off_is_not_touched(memory: AgentMemory, agent: MakeAgent) -> None:
    """Off for a turn: nothing is recalled, and no receipt is left."""
    remember(memory, "Alice likes sushi")
    made = agent(["I do not know."])
    state = await made.say("What food do I like?", memory_mode="off")
    assert "sushi" not in made.told
    assert (state["memory"]["status"], state["memory"]["receipt_ids"]) == ("off", [])


async def test_without_consent_nothing_is_queued_and_the_model_is_told(agent: MakeAgent) -> None:
    """The status says why nothing was recalled; no job waits."""
    with AgentMemory.in_memory(embeddings=None) as strict:
        made = agent(["Noted."], parts=strict)
        state = await made.say("I prefer Python.")
        assert "has not agreed" in made.told
        assert (state["memory"]["status"], state["memory"]["queued"]) == ("no_consent", False)
        assert not strict.jobs.list(scope=ALICE)


# -------------------------------------------------------------------------------------------------------------- agents
async def test_agents_share_memory_or_keep_their_own(memory: AgentMemory, agent: MakeAgent) -> None:
    """What an agent with an id learns is its own; what an agent without one learns is everybody's."""
    planner = agent(["Noted."], agent_id="planner")
    await planner.say("I prefer Python for backend services.", thread="p", user_name="Alice")
    shared = agent(["Noted.", "I do not know."])
    await shared.say("I live in Oslo.", thread="s", user_name="Alice")
    await shared.say(ASKED, thread="s")
    assert "Alice prefers Python" not in shared.told
    again = agent([call("search_memory", query="backend services Python"), "Python, in Oslo."], agent_id="planner")
    state = await again.say("Which language do I prefer for backend services, and where do I live?", thread="again")
    assert PYTHON in again.told
    assert "Oslo" in again.told
    assert PYTHON in state["messages"][2].text
    memory.jobs.run()
    assert len(contents(memory)) == 1


# ----------------------------------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("mode", "readonly"),
        ("delegated", "sometimes"),
        ("writes", "later"),
        ("max_tokens", 0),
        ("wait_s", -1),
        ("wait_s", True),
        ("tools", "search"),
        ("query", "python"),
        ("detector", "rules"),
        ("before_action", "forbid"),
        ("unguarded", "search"),
        ("on_missing_user", "guess"),
        ("window", 3),
    ],
)
def test_an_impossible_option_is_refused_by_its_name(memory: AgentMemory, option: str, value: object) -> None:
    """Before anything is opened; the message names the option."""
    with pytest.raises(ConfigurationError, match=option):
        memory.middleware(**{option: value})


def test_what_is_no_memory_is_refused() -> None:
    """The message names what works."""
    with pytest.raises(ConfigurationError, match="AgentMemory"):
        MemoryMiddleware("memory")  # type: ignore[arg-type]  # what is tested


def test_an_own_query_keeps_its_budget() -> None:
    """`max_tokens` is for a query that names none."""
    options = MiddlewareOptions(query=RecallQuery(max_tokens=7), max_tokens=9)
    assert options.asked.max_tokens == 7
    assert MiddlewareOptions(max_tokens=9).asked.max_tokens == 9
