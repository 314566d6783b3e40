"""What goes by a request to forget, and what stays, where words alone would mean more or less."""

from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope
from tests.unit_tests.faces.either import Make
from tests.unit_tests.faces.either import make as make  # noqa: PLC0414  (a fixture)
from tests.unit_tests.faces.either import memory as memory  # noqa: PLC0414  (a fixture)

ALICE = Scope("alice")
HOME, JOB = "The user lives in York", "The user works as a nurse"


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        (["I live in York.", "I work as a nurse."], "Forget my job and answer in French.", [HOME]),
        (["I live in York.", "I work as a nurse."], "Forget where I live, but keep my job.", [JOB]),
        (["I live in York.", "I work as a nurse."], "Forget work, it's Friday!", [HOME, JOB]),
        (["I live in York."], "I shouldn't have told you that. Forget it.", []),
        (["I live in York."], "Hmm, actually, please forget I said that.", []),
        (["I live in York."], "Forget it, I'll look it up.", [HOME]),
        (["I have MS.", "I take Tecfidera.", "I live in York."], "Forget my medical information.", [HOME]),
        (["I am Muslim.", "I live in York."], "Forget my religion.", [HOME]),
        (["I hate phone calls."], "Forget my phone.", ["The user hates phone calls"]),
        (["I weigh 90 kg.", "I live in York."], "Forget my weight.", [HOME]),
        (["I play golf with Tom and Jerry."], "Forget Tom.", ["The user plays golf with Jerry"]),
        (["I live in York with my sister Nora."], "Forget the York thing.", ["The user's sister is Nora"]),
        (["My mum lives in Hull.", "I live in York."], "Forget everything about my mother.", [HOME]),
    ],
)
async def test_a_request_takes_what_it_means(
    memory: AgentMemory, make: Make, said: list[str], words: str, left: list[str]
) -> None:
    """No more and no less."""
    agent = make(["Fine."] * (len(said) + 1))
    for it in said:
        await agent.say(it)
    await agent.say(words)
    assert sorted(it.content for it in memory.long_term.list(scope=ALICE)) == sorted(left)


@pytest.mark.parametrize(
    ("said", "words", "is_asked"),
    [
        ("I live in Ely. I play darts.", "Forget that last bit.", True),
        ("I live in Ely. I play darts.", "Forget the last thing I said.", True),
        ("I live in Ely.", "Forget that last bit.", False),
        ("I live in Ely. I play darts.", "Forget my last message.", False),
        ("I live in Ely. I play darts.", "Forget what I just said.", False),
    ],
)
async def test_the_last_bit_of_several_is_asked_about(
    memory: AgentMemory, make: Make, said: str, words: str, *, is_asked: bool
) -> None:
    """Which sentence it is, nothing tells: none of them goes."""
    agent = make(["Fine."] * 2)
    await agent.say(said)
    report = (await agent.say(words))["memory"]
    assert ("how_many_meant" in {it["rule"] for it in report["refused"]}) is is_asked
    assert bool(memory.long_term.list(scope=ALICE)) is is_asked
