"""A request to forget by the word for it, or by pointing back, in both kinds of agent: what goes, and what stays."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from langchain_agentmem import AgentMemory, Candidate, Provenance, Scope, create_memory_graph
from langchain_agentmem.graph import GraphOptions
from langchain_agentmem.tools import create_manage_memory_tool
from tests.conftest import Call
from tests.unit_tests.faces.either import After, Make
from tests.unit_tests.faces.either import after as after  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.scripted import ScriptedModel
from tests.unit_tests.faces.scripted import call as called

ALICE = Scope("alice")
SAID = {
    "home": "I live at 12 Rue de la Paix, Lille.",
    "name": "My name is Ana.",
    "cat": "I have a cat named Minka.",
    "work": "I work at Acme.",
    "trade": "I'm a nurse.",
    "phone": "My phone number is +33 6 12 34 56 78.",
    "sister": "My sister Nora lives in Leeds.",
    "food": "I'm vegan.",
    "wish": "I want to live in Oslo.",
}


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("Delete my address.", ["home"]),
        ("Remove my phone number from your memory.", ["phone"]),
        ("Forget my name.", ["name"]),
        ("Forget my cat's name.", ["cat"]),
        ("Forget my job.", ["work", "trade"]),
        ("You can forget about my old job.", []),
        ("Forget where my sister lives.", ["sister"]),
        ("Stop remembering things about my sister.", ["sister"]),
        ("Remove the info on my diet.", ["food"]),
        ("Forget my diet.", ["food"]),
        ("I'd like you to forget my diet.", ["food"]),
        ("Would you mind forgetting where I live?", ["home"]),
        ("Forget what I just said.", ["wish"]),
        ("Don't store this.", ["wish"]),
        ("Forget my blood type.", []),
        ("Forget my address and my phone number.", ["home", "phone"]),
        ("Delete my address and phone number.", ["home", "phone"]),
        ("Forget my job and where my sister lives.", ["work", "trade", "sister"]),
        ("Forget my diet and my blood type.", ["food"]),
        ("Forget where I used to live.", []),
        ("Delete my job and my phone number.", ["work", "trade", "phone"]),
        ("Forget my diet. And forget my cat.", ["cat", "food"]),
        ("Forget my diet and forget my blood type.", ["food"]),
        ("Forget everything except my job.", []),
    ],
)
async def test_exactly_what_was_meant_is_gone(memory: AgentMemory, after: After, words: str, gone: list[str]) -> None:
    """The facts and the turns, and nothing else of either; the request itself leaves nothing."""
    agent = await after(*SAID.values())
    turns = [it.text for it in memory.episodes.list(scope=ALICE)]
    facts = {it.content for it in memory.long_term.list(scope=ALICE)}
    report = (await agent.say(words))["memory"]
    left = [it.text for it in memory.episodes.list(scope=ALICE)]
    places = [turns.index(it) for it in turns if it not in left]
    assert places == [[*SAID].index(it) for it in gone]
    now = {it.content for it in memory.long_term.list(scope=ALICE)}
    assert now <= facts
    assert len(report["forgotten"]) == len(facts - now) + len(places)
    assert gone or any(it in agent.told for it in ("nothing that matches is remembered", "not clear which part"))


LIFE = {
    "post": "I'm VP of sales at Acme.",
    "shop": "I run a bakery.",
    "class": "I teach maths at a high school.",
    "work": "I work as a product manager at Renault.",
    "ill": "I have lupus.",
    "nuts": "I'm allergic to nuts.",
    "gay": "I'm gay.",
    "run": "I run every morning.",
    "dog": "I have a dog.",
}


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("Please forget my job.", ["post", "shop", "class", "work"]),
        ("Forget my employer.", ["post", "class", "work"]),
        ("Forget the company I work for.", ["post", "class", "work"]),
        ("Forget my diagnosis.", ["ill"]),
        ("Forget my sexual orientation.", ["gay"]),
    ],
)
async def test_a_word_for_it_means_what_tells_it_without_that_word(
    memory: AgentMemory, after: After, words: str, gone: list[str]
) -> None:
    """A post at a firm, what one runs or teaches, an illness that one has; the rest of a life stays."""
    agent = await after(*LIFE.values())
    await agent.say(words)
    left = [said for name, said in LIFE.items() if name not in gone]
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == left
    assert {it.provenance.evidence for it in memory.long_term.list(scope=ALICE)} == {it[:-1] for it in left}


@pytest.mark.parametrize(
    ("words", "is_asked"), [("Forget my diet and my blood type.", True), ("Forget my diet.", False)]
)
async def test_a_part_of_which_nothing_is_known_is_asked_about(
    memory: AgentMemory, make: Make, words: str, *, is_asked: bool
) -> None:
    """While the other part is forgotten."""
    agent = make(["Fine."] * 2)
    await agent.say(SAID["food"])
    report = (await agent.say(words))["memory"]
    assert ("partly_unknown" in {it["rule"] for it in report["refused"]}) == is_asked
    assert ("Of a part of what the user asked" in agent.told) == is_asked
    assert not [*memory.long_term.list(scope=ALICE)]


async def test_there_may_be_nothing_to_point_back_to(memory: AgentMemory, make: Make) -> None:
    """In a conversation that begins with it, nothing is meant, and the model says so."""
    memory.long_term.remember("The user likes tea", scope=ALICE)
    agent = make(["Fine."])
    assert (await agent.say("Forget what I just said."))["memory"]["forgotten"] == []
    assert "nothing that matches is remembered" in agent.told
    assert len(memory.long_term.list(scope=ALICE)) == 1


@pytest.mark.parametrize(
    ("words", "is_said"),
    [
        ("Forget my employer.", True),
        ("Forget my employer and my blood type.", True),
        ("Forget my diet.", False),
        ("Forget everything.", False),
        ("What is my employer?", False),
    ],
)
async def test_the_report_says_of_a_request_that_nothing_matches_it(make: Make, words: str, *, is_said: bool) -> None:
    """As the model is told, so that an application need not compare lists; where all goes, nothing has to match."""
    agent = make(["Fine."] * 2)
    await agent.say(SAID["food"])
    report = (await agent.say(words))["memory"]
    assert ("nothing_matches" in {it["rule"] for it in report["refused"]}) == is_said
    assert ("nothing that matches is remembered" in agent.told) == is_said


@pytest.mark.parametrize(
    ("said", "words", "is_meant"),
    [
        ("Write a haiku about rain.", "Scrap that.", False),
        ("I am allergic to nuts. What can I cook?", "Strike that, please.", False),
        ("What is on at the cinema?", "Don't store this.", True),
        ("Write a haiku about rain.", "Forget what I just said.", True),
        ("I live in Rome.", "Scrap that.", True),
        ("I live in Rome.", "Forget all that.", True),
        ("Write a haiku about rain.", "Forget the whole thing.", False),
        ("My boss is a bully.", "Scrap that.", True),
        ("Nora works at Acme.", "Scrap that.", True),
    ],
)
@pytest.mark.parametrize("writes", ["inline", "background"])
async def test_a_bare_taking_back_is_about_the_task_unless_somebody_was_told_of(
    memory: AgentMemory, make: Make, said: str, words: str, writes: str, *, is_meant: bool
) -> None:
    """The turn and what it taught go, or all of it stays; explicit words always mean memory."""
    agent = make(["Fine."] * 2, writes=writes)
    await agent.say(said)
    memory.jobs.run()
    facts = len(memory.long_term.list(scope=ALICE))
    report = (await agent.say(words))["memory"]
    memory.jobs.run()
    turns = [it.text for it in memory.episodes.list(scope=ALICE)]
    assert (turns, report["intent"]["is_forget_request"]) == (([], True) if is_meant else ([said, words], False))
    assert len(memory.long_term.list(scope=ALICE)) == (0 if is_meant else facts)
    assert is_meant or "nothing that matches is remembered" not in agent.told


@pytest.mark.parametrize(("source", "is_gone"), [("b", True), ("a", False)])
async def test_a_tool_deletes_what_was_taken_from_the_message_pointed_back_to(
    memory: AgentMemory, call: Call, source: str, *, is_gone: bool
) -> None:
    """Of an earlier message the user has not asked it."""
    told = Candidate(content="The user likes tea", provenance=Provenance(speaker="user", message_ids=(source,)))
    kept = memory.long_term.remember(told, scope=ALICE).require()
    said = [HumanMessage("Hello", id="a"), HumanMessage("I like tea", id="b"), HumanMessage("Scrap that.", id="c")]
    asked = called("manage_memory", action="delete", id=kept.id, evidence="Scrap that.")
    config = {"configurable": {"__pregel_runtime": Runtime()}}  # outside of a graph
    await call(
        ToolNode([create_manage_memory_tool(memory, scope=ALICE)]), "invoke", {"messages": [*said, asked]}, config
    )
    assert (len(memory.long_term.list(scope=ALICE)) == 0) == is_gone


async def test_a_tool_keeps_what_was_told_before_a_task_that_is_taken_back(memory: AgentMemory, call: Call) -> None:
    """The memory was taken from the same message, and is not meant."""
    provenance = Provenance(speaker="user", message_ids=("b",), evidence="I like tea")
    kept = memory.long_term.remember(Candidate(content="The user likes tea", provenance=provenance), scope=ALICE)
    said = [HumanMessage("I like tea. Write a poem.", id="b"), HumanMessage("Scrap that.", id="c")]
    asked = called("manage_memory", action="delete", id=kept.require().id, evidence="Scrap that.")
    config = {"configurable": {"__pregel_runtime": Runtime()}}  # outside of a graph
    await call(
        ToolNode([create_manage_memory_tool(memory, scope=ALICE)]), "invoke", {"messages": [*said, asked]}, config
    )
    assert len(memory.long_term.list(scope=ALICE)) == 1


@pytest.mark.parametrize("threads", [("t", "t", "t"), ("u", "t", "t")])
async def test_what_the_last_message_confirmed_goes_whole(
    memory: AgentMemory, make: Make, threads: tuple[str, ...]
) -> None:
    """It was said again, and is to be forgotten; the earlier message stays a turn, and the memory can be restored."""
    agent = make(["Fine."] * 3)
    for said, thread in zip(
        ["I live in Rome.", "I really live in Rome.", "Forget what I just said."], threads, strict=True
    ):
        report = (await agent.say(said, thread_id=thread))["memory"]
    assert len(memory.long_term.list(scope=ALICE)) == 0
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == ["I live in Rome."]
    [fact] = [it["id"] for it in report["forgotten"] if it["kind"] == "fact"]
    memory.long_term.restore(fact, scope=ALICE)
    assert [it.content for it in memory.long_term.list(scope=ALICE)] == ["The user lives in Rome"]


TOPICS = {
    "pills": "I take antidepressants.",
    "ill": "I have asthma.",
    "work": "I work at Acme.",
    "boss": "My boss is Karen.",
    "pay": "I earn 5000 euros a month.",
    "rule": "Always answer in French.",
    "born": "My birthday is on 3 March.",
    "age": "I am 34 years old.",
    "pizza": "I love pizza.",
}


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("Forget about my medication", ["pills"]),
        ("Delete everything about my health", ["pills", "ill"]),
        ("Forget where I work", ["work"]),
        ("Forget who my boss is", ["boss"]),
        ("Forget everything about my job", ["work", "boss", "pay"]),
        ("Forget my instructions", ["rule"]),
        ("Delete my age", ["age"]),
        ("Forget my birthday", ["born"]),
        ("Ignore what I said about my health.", ["pills", "ill"]),
        ("I don't want you to know that I love pizza.", ["pizza"]),
        ("Actually, delete that.", ["pizza"]),
        ("Forget that, please.", ["pizza"]),
        ("Forget the last two things I told you.", ["age", "pizza"]),
    ],
)
async def test_a_topic_goes_with_all_that_tells_it(
    memory: AgentMemory, after: After, words: str, gone: list[str]
) -> None:
    """The facts and the turns, in whatever words; nothing else goes, and the request teaches nothing."""
    agent = await after(*TOPICS.values())
    facts = {it.provenance.evidence: it.content for it in memory.long_term.list(scope=ALICE)}
    await agent.say(words)
    left = [said for name, said in TOPICS.items() if name not in gone]
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == left
    kept = {facts[it[:-1]] for it in left}
    assert {it.content for it in memory.long_term.list(scope=ALICE)} == kept


async def test_small_talk_is_not_what_was_said_last(memory: AgentMemory, make: Make) -> None:
    """Thanks stand between, and are nothing to forget."""
    agent = make(["Fine."] * 3)
    for said in ["I live in Rome.", "Thanks!", "Forget what I just said."]:
        await agent.say(said)
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == ["Thanks!"]
    assert not memory.long_term.list(scope=ALICE)


@pytest.mark.parametrize(
    ("words", "left"), [("Forget what I just said.", ["I like tea."]), ("Forget the last two things I said.", [])]
)
async def test_what_the_state_has_no_more_is_read_from_the_conversation(
    memory: AgentMemory, call: Call, words: str, left: list[str]
) -> None:
    """A graph without a checkpointer is given the new message alone; other conversations are not meant."""
    graph = create_memory_graph(ScriptedModel(script=["Fine."] * 4), [], memory, options=GraphOptions(writes="inline"))
    for thread, said in [("other", "I own a boat."), ("t", "I like tea."), ("t", "I live in Rome."), ("t", words)]:
        config = {"configurable": {"user_id": "alice", "thread_id": thread}}
        await call(graph, "invoke", {"messages": [("user", said)]}, config)
    kept = [it.text for it in memory.episodes.list(scope=ALICE)]
    assert kept == ["I own a boat.", *left]
    assert len(memory.long_term.list(scope=ALICE)) == len(kept)


async def test_what_a_tool_did_since_is_nearer_than_what_was_told(make: Make) -> None:
    """Who takes it back then means the entry that was made, and not the words it was made of."""

    @tool
    def enter(what: str) -> str:
        """Make an entry."""
        return f"entered {what}"

    asked = called("enter", what="dentist")
    agent = make([asked, "Done.", "Fine."], enter)
    await agent.say("I see my dentist on Monday.")
    report = (await agent.say("Scrap that."))["memory"]
    assert (report["intent"]["is_forget_request"], report["forgotten"]) == (False, [])


@pytest.mark.parametrize(("said", "is_done"), [("Forget my brother.", True), ("Forget my sister.", False)])
async def test_a_tool_knows_whom_a_request_names(memory: AgentMemory, call: Call, said: str, *, is_done: bool) -> None:
    """What is kept of Ben is deleted where the user asks to forget their brother, who is Ben."""
    brother = Candidate(content="The user's brother is Ben", subject="user", relation="brother", object="Ben")
    memory.long_term.remember(brother, scope=ALICE).require()
    pilot = memory.long_term.remember(Candidate(content="Ben is a pilot", subject="Ben"), scope=ALICE).require()
    asked = called("manage_memory", action="delete", id=pilot.id, evidence=said)
    config = {"configurable": {"__pregel_runtime": Runtime()}}  # outside of a graph
    node = ToolNode([create_manage_memory_tool(memory, scope=ALICE)])
    await call(node, "invoke", {"messages": [HumanMessage(said, id="a"), asked]}, config)
    assert (len(memory.long_term.list(scope=ALICE)) == 1) is is_done


@pytest.mark.parametrize(
    "words", ["Forget the last two things I told you.", "Forget about my medication", "Delete that."]
)
async def test_a_legal_hold_keeps_all_of_what_is_pointed_at(memory: AgentMemory, make: Make, words: str) -> None:
    """The facts, too, which a hold alone would let go to the archive."""
    agent = make(["Fine."] * 3)
    told = ["I live in Rome.", "I take antidepressants."]
    for said in told:
        await agent.say(said)
    memory.privacy.hold(ALICE, reason="case")
    report = (await agent.say(words))["memory"]
    assert ([it["rule"] for it in report["refused"]], report["forgotten"]) == (["legal_hold"], [])
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == told
    assert len(memory.long_term.list(scope=ALICE)) == len(told)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Forget all that.", ["I live in Rome.", "I like chess."]),
        ("Forget this conversation.", ["I live in Rome."]),
        ("Forget everything I told you today.", ["I live in Rome.", "I like chess.", "I am vegan."]),
        ("Forget everything.", []),
    ],
)
async def test_how_much_goes_is_what_was_asked(memory: AgentMemory, make: Make, words: str, left: list[str]) -> None:
    """The last message, the conversation, all there is; and nothing where a part is meant that nothing tells."""
    agent = make(["Fine."] * 4)
    for said, thread in [("I live in Rome.", "u"), ("I like chess.", "t"), ("I am vegan.", "t")]:
        await agent.say(said, thread_id=thread)
    report = (await agent.say(words))["memory"]
    assert [it.text for it in memory.episodes.list(scope=ALICE)] == left
    assert len(memory.long_term.list(scope=ALICE)) == len(left)
    assert [it["rule"] for it in report["refused"]] == (["how_many_meant"] if len(left) == 3 else [])
