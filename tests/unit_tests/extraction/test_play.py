"""What is said in a role, a game or a dream is no fact, until it ends; who speaks of games is taken at their word."""

from __future__ import annotations

import time
from typing import Final

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.extraction.record.conversation import with_context
from langchain_agentmem.extraction.record.play import LASTING, Play

AS_BILL: Final = "My name is Bill and I live in Reno. My wife is Mona. I work as a butcher."
COPS: Final = "Let's roleplay. You're a cop, I'm a witness."


def told(*texts: str) -> list[str]:
    """Return what the last message of a thread tells."""
    messages = [HumanMessage(it) for it in texts]
    return [it.content for it in RuleExtractor().extract(messages, new_from=len(messages) - 1)]


@pytest.mark.parametrize(
    "text",
    [
        "rp time: you're a wizard and i'm a vampire. I'm 500 years old, I live in a castle. My name is Vlad. start",
        "Let's play: you're a dragon and I'm a knight. My name is Lancelot. I live in Camelot",
        "in character: I'm a time traveller. I live in New York. I work as a spy. My wife is Zed",
        "dnd session: I am Thorin. My wife is Disa and I live in the mountains",
        "In the sims I have 3 kids and I live in Newcrest. I'm 25 there.",
        "Knock knock. Who's there? I'm Bob",
        "*bites your neck* I hate the sun. My sister Carmilla hates you",
        "So there I am, 20 years old, I live in Berlin and I have no money.",
        "Last night I had a weird dream. I was a teacher and I had six kids. I live in a tent.",
        "In the film I play a nurse. I have a son who is dying.",
        "Two truths and a lie: I have a twin. I was born in Peru. I hate cheese.",
        "Guess which is false: I own a boat, I have six fingers.",
        "Hi this is Anna, Tom's wife, using his account. I'm allergic to eggs. I live in Hull.",
        "When I'm rich I have a yacht and I live in Monaco",
        "Would you rather: I live in a treehouse or I live underwater?",
        "Back in 2010 I live in Rome, I have no job, nothing.",
        "Next life I'm a cat",
        "I dreamt last night. I live in a castle",
        "In Stardew I have a farm and I'm married to Leah. I live in the valley.",
        "*unsheathes my sword* I am the king of Gondor. My wife is Arwen.",
    ],
)
def test_a_message_of_play_tells_nothing(text: str) -> None:
    """Law: what is said behind the words that begin a game, a dream or a tale is not the user's life."""
    assert told(text) == []


@pytest.mark.parametrize(
    "opening",
    [
        COPS,
        "can you roleplay as my girlfriend?",
        "wanna rp?",
        "pretend you're a barista and I'm a customer",
        "Let's play a game, you are a detective and I'm the suspect.",
        "roleplay time!",
        "I want to do a role play, you be the judge",
        "let's play a game where I'm a thief",
        "Let's pretend we're pirates",
        "Play the role of a doctor and I'll be the patient",
        "be my girlfriend for a roleplay",
        "dnd session: I am Thorin, a dwarf cleric.",
        "Let's start a dnd campaign!",
    ],
)
def test_a_role_holds_through_the_thread(opening: str) -> None:
    """Law: a play that was proposed goes on in the messages behind it, until it ends."""
    assert told(opening, AS_BILL) == []
    assert told(opening, AS_BILL, "And I have a dog named Rex.") == []


@pytest.mark.parametrize(
    "ending",
    [
        "ok stop, back to me: I live in Ohio",
        "stop rp. I live in Ohio",
        "Let's stop the roleplay now. I live in Ohio",
        "(ooc: I live in Ohio) *draws my sword* I live in Paris",
        "Out of character: I live in Ohio",
        "let's change the topic. I live in Ohio",
        "enough roleplay, I live in Ohio",
        "In real life I live in Ohio",
        "That was a fun game! I live in Ohio",
    ],
)
def test_what_ends_a_role_is_read_again(ending: str) -> None:
    """Law: behind the words that end a play, or leave it for a moment, the user speaks of themselves."""
    assert any("lives in Ohio" in it for it in told(COPS, AS_BILL, ending))
    assert not any("Paris" in it for it in told(COPS, AS_BILL, ending))


def test_an_aside_does_not_end_a_role() -> None:
    """Law: words out of character leave the play going on; its end does not."""
    assert told(COPS, "(ooc: brb)", "I live in Paris") == []
    assert told(COPS, "stop rp", "I live in Paris") == ["The user lives in Paris"]


@pytest.mark.parametrize(
    "line",
    [
        "I have a different question for you, officer.",
        "Nothing will ever be back to normal.",
        "Stop it!",
        "I will never go back to me and my old ways.",
        "End this madness.",
    ],
)
def test_lines_of_a_part_end_no_role(line: str) -> None:
    """Law: the words that end a play stand at the head of a sentence, and are about the play."""
    assert told(COPS, line, "I live in Reno") == []


def test_a_role_that_nobody_ended_does_not_hold_for_ever() -> None:
    """Law: an assistant may have one thread for years."""
    assert told(COPS, *["Go on."] * LASTING, "I live in Paris") == ["The user lives in Paris"]


def test_what_the_assistant_says_in_its_part_is_no_observation() -> None:
    """Law: in a play the assistant notices nothing about the user either."""
    said: list[BaseMessage] = [HumanMessage(COPS), AIMessage("I notice that you live in Reno.")]
    assert RuleExtractor().extract(said, new_from=1) == []
    assert RuleExtractor().extract(said[1:]) != []


def test_the_message_that_began_a_play_stands_before_new_ones() -> None:
    """Law: however few messages a turn is read with, it knows of the play that it is a part of."""
    said: list[BaseMessage] = [HumanMessage(COPS), *[HumanMessage("Go on.")] * 20, HumanMessage(AS_BILL)]
    heard, new_from = with_context(said, 21, 10)
    assert (heard[0], len(heard), new_from) == (said[0], 12, 11)
    over: list[BaseMessage] = [HumanMessage(COPS), HumanMessage("stop rp"), *said[1:]]
    assert with_context(over, 22, 10) == (over[12:], 10)


@pytest.mark.parametrize(
    ("texts", "contents"),
    [
        (["I play games a lot. I live in Leeds."], ["The user lives in Leeds"]),
        (["I play a nurse in a film. I live in Leeds."], ["The user lives in Leeds"]),
        (["In my play I wrote about Rome. I live in Leeds."], ["The user lives in Leeds"]),
        (["I had a dream. Anyway, I live in Leeds."], ["The user lives in Leeds"]),
        (["I had a dream job in Rome. I live in Leeds"], ["The user lives in Leeds"]),
        (["In the film club I run we have 20 members. I live in Leeds"], ["The user lives in Leeds"]),
        (["I *really need the window seat*. I live in Leeds"], ["The user lives in Leeds"]),
        (["Hi this is Anna, I live in Leeds"], ["The user lives in Leeds"]),
        (["Let's play chess.", "I live in Leeds"], ["The user lives in Leeds"]),
        (["Let's play a game", "I live in Leeds"], ["The user lives in Leeds"]),
        (["You're a great assistant and I'm a nurse.", "I live in Leeds"], ["The user lives in Leeds"]),
        (["I want to do a role play with my class on Monday.", "I live in Leeds"], ["The user lives in Leeds"]),
        (["Act as a career coach.", "I'm a nurse in Leeds"], ["The user is a nurse in Leeds"]),
        (["Act as my therapist. My name is Ida"], ["The user's name is Ida"]),
        (["Please act as my nutritionist. I'm diabetic."], ["The user is diabetic"]),
        (["Act as a tutor. I'm a student at MIT."], ["The user is a student at MIT"]),
        (["I want to start a dnd campaign with my friends.", "I live in Leeds"], ["The user lives in Leeds"]),
        (["D&D!", "I live in Leeds"], ["The user lives in Leeds"]),
        (["dnd session: every Tuesday at 7", "I live in Leeds"], ["The user lives in Leeds"]),
        (["I do roleplay as a hobby. I live in Leeds"], ["The user lives in Leeds"]),
        (["My daughter loves pretend play. I live in Leeds"], ["The user lives in Leeds"]),
        (["I had a dream about cats. I'm vegan in real life"], ["The user is vegan in real life"]),
        (["My favourite character is Frodo."], ["The user's favourite character is Frodo"]),
        (["I play dnd every Tuesday."], ["The user plays dnd every Tuesday"]),
        (["When I'm home I work in the garden."], ["When the user is home they work in the garden"]),
    ],
)
def test_who_speaks_of_games_means_it(texts: list[str], contents: list[str]) -> None:
    """Law: a hobby, an actor's part, a task given to the assistant begin no play."""
    assert told(*texts) == contents


@pytest.mark.parametrize(
    "unit", ["let's play ", "you're a ", "role ", "*bites ", "in the ", "\n", " ", "a", "rp ", "(("]
)
def test_long_runs_are_read_in_linear_time(unit: str) -> None:
    """Law: a pasted run of the words that begin a play takes no time that grows faster than it."""
    play, began = Play(), time.process_time()
    play.meant(unit * (4_000 // len(unit)))
    assert time.process_time() - began < 0.5


def test_a_play_is_known_in_every_part_of_a_long_conversation() -> None:
    """Law: a conversation that is handed over is cut into jobs, and a play goes on in the next one."""
    said: list[BaseMessage] = [HumanMessage("I live in Rome."), HumanMessage(COPS), *[HumanMessage("Go on.")] * 55]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.background.ingest([*said, HumanMessage(AS_BILL)], scope=Scope("kai", session_id="talk"))
        memory.jobs.run()
        assert [it.content for it in memory.long_term.list(scope=Scope("kai"))] == ["The user lives in Rome"]


@pytest.mark.parametrize(
    "text",
    [
        "Act as a pirate. I live on a ship.",
        "Act as a vampire. I am your victim. I live in Paris.",
        "Act as my wife. I'm Bob.",
        "Act as an interviewer. I am the candidate. I live in York.",
        "You act as a translator and I am the client. I live in Rome.",
        "Act as a travel agent, I am a customer. I live in Paris.",
        "Act as my assistant. I'm the boss of a mafia. I live in Palermo.",
    ],
)
def test_who_takes_a_part_beside_the_assistants_means_none_of_it(text: str) -> None:
    """Law: what is said to an adviser is meant, but not by who plays one who comes to them."""
    assert told(text) == []
