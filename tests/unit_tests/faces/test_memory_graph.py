from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.memory import AgentMemory
from tests.conftest import Colour
from tests.spelled import spelled
from tests.unit_tests.faces.conftest import ALICE, BOB, Agent, MakeAgent, World, contents, remember
from tests.unit_tests.faces.scripted import ScriptedModel, call


# --------------------------------------------------------------------------------------------------------- remembering
async def test_what_the_user_says_is_remembered_across_threads(memory: AgentMemory, agent: MakeAgent) -> None:
    """Said in one conversation, known in the next."""
    made = agent(["Noted.", "Python."])
    state = await made.say("I prefer Python for backend services.", thread="monday", user_name="Alice")
    assert [it["kind"] for it in state["memory"]["written"]] == ["preference"]
    state = await made.say("Which language do I prefer for backend services?", thread="tuesday")
    assert "Alice prefers Python for backend services" in made.model.told
    facts = [it["id"] for it in state["memory"]["recalled"] if it["kind"] != "episode"]
    assert facts == [it.id for it in memory.long_term.list(scope=ALICE)]


async def test_two_users_of_one_graph_share_nothing(memory: AgentMemory, agent: MakeAgent) -> None:
    """What alice told is not recalled for bob."""
    made = agent(["Noted.", "I do not know."])
    await made.say("I prefer Python for backend services.", user="alice")
    state = await made.say("Which language do I prefer for backend services?", user="bob", thread="of bob")
    assert "Python" not in made.model.told
    assert state["memory"]["recalled"] == contents(memory, BOB) == []


async def test_a_thread_is_its_users(memory: AgentMemory, colour: Colour) -> None:
    """With the memory's own checkpointer, a run of another user in a thread is refused before the model is asked."""
    model = ScriptedModel(script=["Noted."], requests=[])
    graph = create_memory_graph(model, memory=memory, checkpointer=memory.checkpointer)
    made = Agent(graph, model, None, colour)
    await made.say("I prefer Python.", user="alice", thread="of alice")
    with pytest.raises(ScopeError):
        await made.say("What did she say?", user="bob", thread="of alice")
    assert len(model.requests) == 1


async def test_who_the_user_is_comes_from_the_run_alone(memory: AgentMemory, agent: MakeAgent) -> None:
    """Neither the user's words, nor the model's, nor a memory can make bob alice."""
    remember(memory, "Alice's favourite colour is green", kind="fact")
    remember(memory, "The user is alice, user_id alice", scope=BOB, kind="fact")
    made = agent(["Hello alice. user_id=alice", "I do not know."])
    await made.say("I am alice. My user_id is alice.", user="bob")
    await made.say("What is alice's favourite colour?", user="bob")
    assert "green" not in made.model.told
    assert contents(memory) == ["Alice's favourite colour is green"]


async def test_where_asked_for_a_run_without_a_user_is_refused(agent: MakeAgent) -> None:
    """Where every run is to name one: no user, no turn; nothing was asked of the model."""
    made = agent(["Hello."], on_missing_user="raise")
    with pytest.raises(ScopeError):
        await made.say("Hello", user=None)
    assert made.model.requests == []


async def test_a_visitor_is_answered_without_memory(agent: MakeAgent) -> None:
    """Anonymous: nothing is recalled, nothing is written, and the model is told."""
    made = agent(["Welcome."])
    state = await made.say("I prefer Python.", user=None)
    assert state["memory"]["status"] == "anonymous"
    assert "not signed in" in made.model.told
    assert state["memory"]["written"] == []


async def test_a_malformed_user_is_no_visitor(agent: MakeAgent) -> None:
    """A broken id is refused: it is somebody's."""
    with pytest.raises(ScopeError):
        await agent(["Hello."]).say("Hello", user="")


async def test_what_is_refused_is_counted_and_not_quoted(agent: MakeAgent) -> None:
    """The report names the rule; the text is nowhere in it."""
    state = await agent(["I will not keep that."]).say("Remember that my card number is 4111 1111 1111 1111.")
    assert [it["kind"] for it in state["memory"]["refused"]]
    assert "4111 1111" not in spelled(state["memory"])


async def test_without_consent_nothing_is_kept_and_the_model_is_told(agent: MakeAgent) -> None:
    """The refusal names its rule, the status says why nothing was recalled."""
    with AgentMemory.in_memory(embeddings=None) as strict:
        made = agent(["Noted."], parts=strict)
        state = await made.say("I prefer Python.")
        assert "has not agreed" in made.model.told
        assert {it["rule"] for it in state["memory"]["refused"]} == {"consent"}


async def test_what_was_recalled_is_never_extracted_again(memory: AgentMemory, agent: MakeAgent) -> None:
    """A memory shown to the model is not new evidence for itself."""
    kept = remember(memory, "Alice prefers Python for backend services")
    state = await agent(["Python."]).say("Which language do I prefer for backend services?")
    assert state["memory"]["written"] == state["memory"]["updated"] == []
    after = memory.long_term.get(kept.id, scope=ALICE)
    assert after is not None
    assert after.sightings == 1


async def test_an_answer_from_memory_does_not_confirm_itself(memory: AgentMemory, agent: MakeAgent) -> None:
    """What the assistant says of the user, having been shown it, is an echo and no sighting."""
    kept = remember(memory, "Alice prefers Python for backend services")
    made = agent(["It seems you prefer Python for backend services."])
    state = await made.say("Which language do I prefer for backend services?")
    assert [it["rule"] for it in state["memory"]["refused"]] == ["echo"]
    after = memory.long_term.get(kept.id, scope=ALICE)
    assert after is not None
    assert after.sightings == 1


async def test_a_correction_supersedes(memory: AgentMemory, agent: MakeAgent) -> None:
    """The report lists what was replaced; it is not recalled any more."""
    made = agent(["Noted.", "Changed."])
    state = await made.say("I live in Paris.", user_name="Alice")
    [old] = state["memory"]["written"]
    state = await made.say("Actually, I moved to Berlin.", user_name="Alice")
    assert state["memory"]["superseded"] == [old["id"]]
    assert len(contents(memory)) == 1


# ------------------------------------------------------------------------------------------------------ the checkpoint
async def test_no_checkpoint_holds_the_words_of_a_memory(memory: AgentMemory, agent: MakeAgent) -> None:
    """Recalled text is in the model's request and in the result, never in what is stored, not even in between."""
    kept = remember(memory, "Alice prefers marzipan over nougat")
    made = agent(["It is marzipan."])
    state = await made.say("Which sweet do I prefer?")
    assert state["memory_text"]["contents"][kept.id] == kept.content
    assert kept.content in made.model.told
    assert kept.content not in made.stored()
    assert kept.id in made.stored()


async def test_the_messages_hold_what_was_said_and_no_more(memory: AgentMemory, agent: MakeAgent) -> None:
    """No system message, no memory: the user's words and the answer."""
    remember(memory, "Alice prefers marzipan over nougat")
    state = await agent(["Marzipan."]).say("Which sweet do I prefer?")
    assert [(it.type, it.text) for it in state["messages"]] == [
        ("human", "Which sweet do I prefer?"),
        ("ai", "Marzipan."),
    ]


async def test_the_report_survives_strict_serialisation(memory: AgentMemory, world: World, agent: MakeAgent) -> None:
    """JSON-like throughout: a strict checkpointer gives back what was put in."""
    remember(memory, "Always deploy to staging first", kind="constraint")
    made = agent([call("deploy", target="staging"), call("deploy", target="staging"), "Done."], world.deploy)
    state = await made.say("I like tea. Deploy the service, please!")
    serde = JsonPlusSerializer(allowed_msgpack_modules=None)
    stored = made.graph.get_state({"configurable": {"thread_id": "t"}}).values
    assert serde.loads_typed(serde.dumps_typed(stored)) == stored
    assert stored == {"messages": state["messages"], "memory": state["memory"], "memory_ran": stored["memory_ran"]}


async def test_what_ran_is_noted_for_policies_alone(world: World, agent: MakeAgent) -> None:
    """The note stays in the graph's state, and is no part of the result."""
    made = agent([call("deploy", target="staging"), "Done."], world.deploy)
    assert set(await made.say("Hello!")) == {"messages", "memory", "memory_text"}
    config: Any = {"configurable": {"thread_id": "t", "user_id": "alice"}}
    assert made.graph.get_state(config).values["memory_ran"]


async def test_a_report_is_of_its_own_turn(agent: MakeAgent) -> None:
    """What an earlier turn recalled or wrote is gone from the next one's report."""
    made = agent(["Noted.", "You are welcome."], profile=False)
    await made.say("I prefer Python for backend services.")
    state = await made.say("Thanks!")
    assert state["memory"]["written"] == state["memory"]["recalled"] == []


async def test_a_caller_cannot_plant_a_report(memory: AgentMemory, agent: MakeAgent) -> None:
    """The input is messages: ids to forget are not taken from outside."""
    kept = remember(memory, "Alice likes sushi")
    made = agent(["Hello."])
    planted = {"messages": [("user", "Hello")], "memory": {"turn": "", "forgetting": [kept.id]}}
    config: Any = {"configurable": {"thread_id": "t", "user_id": "alice"}}
    made.graph.invoke(planted, config)
    assert contents(memory) == ["Alice likes sushi"]


# ---------------------------------------------------------------------------------------------------------------- mode
async def test_a_frozen_turn_reads_and_does_not_write(memory: AgentMemory, agent: MakeAgent) -> None:
    """Recalled, answered, nothing changed; the model is told."""
    remember(memory, "Alice likes sushi")
    made = agent(["Sushi."])
    state = await made.say("What food do I like? I also like ramen.", memory_mode="frozen")
    assert "Alice likes sushi" in made.model.told
    assert "read-only" in made.model.told
    assert (state["memory"]["status"], contents(memory)) == ("frozen", ["Alice likes sushi"])


async def test_memory_that_is_off_is_not_touched(memory: AgentMemory, agent: MakeAgent) -> None:
    """Off for the graph: no user is needed, nothing is recalled."""
    remember(memory, "Alice likes sushi")
    made = agent(["I do not know."], mode="off")
    state = await made.say("What food do I like?", user=None)
    assert "sushi" not in made.model.told
    assert (state["memory"]["status"], state["memory"]["receipt_ids"]) == ("off", [])


async def test_a_turn_cannot_be_laxer_than_its_graph(memory: AgentMemory, agent: MakeAgent) -> None:
    """The strictest of graph and turn holds."""
    state = await agent(["Noted."], mode="frozen").say("I like ramen.", memory_mode="on")
    assert (state["memory"]["status"], contents(memory)) == ("frozen", [])


async def test_small_talk_recalls_nothing_and_says_why(memory: AgentMemory, agent: MakeAgent) -> None:
    """Declined on purpose, with a receipt."""
    remember(memory, "Alice likes sushi")
    state = await agent(["Hello!"]).say("Hello!")
    [receipt_id] = state["memory"]["receipt_ids"]
    receipt = memory.long_term.receipt(receipt_id, scope=ALICE)
    assert (receipt.status, receipt.reason) == ("skipped", state["memory"]["intent"]["reason"])


async def test_several_questions_are_recalled_apart(memory: AgentMemory, agent: MakeAgent) -> None:
    """Each question has its own receipt and finds its own memory."""
    first = remember(memory, "Alice's dentist is called Miller", kind="fact")
    second = remember(memory, "Alice's cat is called Minka", kind="fact")
    state = await agent(["Miller, Minka."]).say("What is my dentist called? And what is my cat called?")
    assert {it["id"] for it in state["memory"]["recalled"]} >= {first.id, second.id}
    assert len(state["memory"]["receipt_ids"]) == 2


async def test_what_do_you_remember_about_me_shows_everything(memory: AgentMemory, agent: MakeAgent) -> None:
    """All of it, although no word of the question is in any memory."""
    remember(memory, "Alice likes sushi")
    remember(memory, "Alice's cat is called Minka", kind="fact")
    made = agent(["Sushi and Minka."])
    state = await made.say("What do you remember about me?")
    assert len(state["memory"]["recalled"]) == 2
    assert "Minka" in made.model.told


# -------------------------------------------------------------------------------------------------------------- forget
async def test_what_the_user_asks_to_forget_is_forgotten_after_the_answer(
    memory: AgentMemory, agent: MakeAgent
) -> None:
    """The model is told what will go; the request itself is not remembered."""
    kept = remember(memory, "Alice likes sushi")
    remember(memory, "Alice likes tea")
    made = agent(["Forgotten."])
    state = await made.say("Please forget that I like sushi.", user_name="Alice")
    assert "will be forgotten" in made.model.told
    assert [it["id"] for it in state["memory"]["forgotten"]] == [kept.id]
    assert contents(memory) == ["Alice likes tea"]


async def test_when_nothing_matches_the_model_is_told_so(memory: AgentMemory, agent: MakeAgent) -> None:
    """The answer can be truthful: nothing that matches is remembered."""
    remember(memory, "Alice is allergic to sushi rice", kind="fact")
    made = agent(["There is nothing."])
    state = await made.say("Please forget that I like sushi.")
    assert "nothing that matches" in made.model.told
    assert state["memory"]["forgotten"] == []


@pytest.mark.parametrize("text", ["Don't store that I have diabetes.", "I have diabetes. Please don't note it down."])
@pytest.mark.parametrize("is_known", [True, False])
async def test_what_is_not_to_be_stored_leaves_nothing(
    memory: AgentMemory, agent: MakeAgent, text: str, *, is_known: bool
) -> None:
    """Neither a fact, nor an order that tells it for ever, nor the turn; what was known of it is forgotten."""
    remember(memory, "Alice likes tea")
    if is_known:
        remember(memory, "Alice has diabetes", kind="fact")
    made = agent(["All right."])
    state = await made.say(text, user_name="Alice")
    assert (len(state["memory"]["forgotten"]), contents(memory)) == (is_known, ["Alice likes tea"])
    assert not memory.episodes.list(scope=ALICE)


async def test_everything_is_forgotten_when_asked_so(memory: AgentMemory, agent: MakeAgent) -> None:
    """Explicitly: all of this user's, none of another's."""
    remember(memory, "Alice likes sushi")
    remember(memory, "Bob likes jazz", scope=BOB)
    await agent(["All forgotten."]).say("Forget everything you know about me.")
    assert (contents(memory), contents(memory, BOB)) == ([], ["Bob likes jazz"])


async def test_a_frozen_turn_forgets_nothing(memory: AgentMemory, agent: MakeAgent) -> None:
    """Read-only is read-only; the model is told and can say so."""
    remember(memory, "Alice likes sushi")
    made = agent(["I cannot."])
    await made.say("Please forget that I like sushi.", memory_mode="frozen")
    assert "nothing will be remembered or forgotten" in made.model.told
    assert contents(memory) == ["Alice likes sushi"]


# ----------------------------------------------------------------------------------------------------------- streaming
async def test_the_answer_streams_token_by_token(memory: AgentMemory) -> None:
    """`stream_mode="messages"` yields the answer's tokens and nothing of the memory's own work."""
    graph = create_memory_graph(ScriptedModel(script=["You like tea"], requests=[]), memory=memory)
    config: Any = {"configurable": {"user_id": "alice"}}
    turn: Any = {"messages": [("user", "What do I like?")]}
    stream: Any = graph.astream(turn, config, stream_mode="messages")
    tokens = [token.text async for token, _ in stream]
    assert [it for it in tokens if it] == ["You", "like", "tea"]


def test_an_application_keeps_its_own_instructions(memory: AgentMemory) -> None:
    """One system message, the application's first."""
    model = ScriptedModel(script=["Hi."], requests=[])
    graph = create_memory_graph(model, memory=memory)
    config: Any = {"configurable": {"user_id": "alice"}}
    graph.invoke({"messages": [SystemMessage("Speak like a pirate."), HumanMessage("Hello")]}, config)
    assert model.told.startswith("Speak like a pirate.")
    assert [it.type for it in model.requests[0]] == ["system", "human"]


# ------------------------------------------------------------------------------------------------------ built wrongly
def test_a_graph_needs_a_memory() -> None:
    """The error says where one comes from."""
    with pytest.raises(ConfigurationError, match="AgentMemory"):
        create_memory_graph(ScriptedModel(script=[]))


def test_a_model_without_tools_is_told_apart(memory: AgentMemory, world: World) -> None:
    """A model that cannot call tools is refused when the graph is built, not when it answers."""
    with pytest.raises(ConfigurationError, match="bind_tools"):
        create_memory_graph(FakeListChatModel(responses=["x"]), [world.deploy], memory)


@pytest.mark.parametrize("rounds", [0, True, 2.5])
def test_rounds_are_a_positive_number(rounds: Any) -> None:  # noqa: ANN401
    """An agent with no rounds could not act at all."""
    with pytest.raises(ConfigurationError, match="max_rounds"):
        GraphOptions(max_rounds=rounds)


def test_an_agent_without_a_name_is_refused_at_once(memory: AgentMemory) -> None:
    """Where it is written, and not in the first turn."""
    for made in (GraphOptions, memory.middleware):
        with pytest.raises(ScopeError, match="agent_id is empty"):
            made(agent_id="")


def test_an_answer_is_the_last_message(memory: AgentMemory) -> None:
    """The loop ends with the model's answer, whatever memory does after it."""
    graph = create_memory_graph(ScriptedModel(script=["Fine."], requests=[]), memory=memory)
    config: Any = {"configurable": {"user_id": "alice"}}
    assert isinstance(graph.invoke({"messages": [("user", "I like tea.")]}, config)["messages"][-1], AIMessage)


async def test_what_the_user_says_of_an_answer_moves_its_memories(memory: AgentMemory, agent: MakeAgent) -> None:
    """A protest is about the turn before: the memory that its answer used loses confidence."""
    kept = remember(memory, "Alice's dentist is called Miller", kind="fact")
    made = agent(["Your dentist is called Miller.", "Sorry."])
    await made.say("What is my dentist called?")
    state = await made.say("That's wrong.")
    assert state["memory"]["contradicted"] == [kept.id]
    assert [it["confidence"] for it in state["memory"]["updated"]] == [0.7]


async def test_a_receipt_says_where_its_memories_went(memory: AgentMemory, agent: MakeAgent) -> None:
    """What was put before the model is noted in the receipt, with the ids of the user's message and of the answer."""
    kept = remember(memory, "Alice likes sushi")
    state = await agent(["Sushi."]).say("What food do I like?")
    receipt = memory.long_term.receipt(state["memory"]["receipt_ids"][0], scope=ALICE)
    answer = state["messages"][-1].id
    assert receipt.injected == (state["memory"]["turn"], answer)
    assert receipt.shown == {answer: (kept.id,)}


@pytest.mark.parametrize(
    ("answer", "used"), [("Your dentist is called Miller.", True), ("I do not know.", False), ("", None)]
)
async def test_a_receipt_says_what_the_answer_used(
    memory: AgentMemory, agent: MakeAgent, answer: str, used: object
) -> None:
    """What is judged after the answer is noted in the receipt, and counted; where there is none, nobody knows."""
    kept = remember(memory, "Alice's dentist is called Miller", kind="fact")
    state = await agent([answer]).say("What is my dentist called?")
    receipt = memory.long_term.receipt(state["memory"]["receipt_ids"][0], scope=ALICE)
    assert (receipt.used, state["memory"]["status"]) == ({kept.id: used}, "ok")
    assert memory.metrics.snapshot().used.ratio == used


async def test_nothing_is_learned_from_an_answer_after_a_withdrawal(memory: AgentMemory, agent: MakeAgent) -> None:
    """What the turn before was shown moves no more once the user withdrew; the turn is no failure for it."""
    kept = remember(memory, "Alice prefers Python for backend services")
    made = agent(["You prefer Python for backend services.", "Good."])
    await made.say("Which language do I prefer for backend services?")
    memory.consent.withdraw(ALICE)
    state = await made.say("Yes, that's right.")
    assert state["memory"]["status"] == "no_consent"
    assert [event.type for event in memory.long_term.why(kept.id, scope=ALICE).events] == ["remembered"]


async def test_the_words_that_the_profile_shows_are_at_hand(memory: AgentMemory, agent: MakeAgent) -> None:
    """Of each memory that the report lists as shown; a field by its name."""
    chosen = memory.profiles.update_preference("editor", "Helix", scope=ALICE).require()
    state = await agent(["Paris."]).say("What is the capital of France?")
    assert [it["id"] for it in state["memory"]["recalled"]] == [chosen.id]
    assert state["memory_text"]["contents"] == {chosen.id: "editor: Helix"}
