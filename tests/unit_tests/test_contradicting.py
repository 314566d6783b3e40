"""What a chat model proposes that a statement contradicts; the conflict policy decides on it as on any other."""

from __future__ import annotations

from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, Scope
from langchain_agentmem.extraction.proposing.contradicting import Contradictions
from tests.conftest import Call
from tests.fake_chat_model import ScriptedChatModel
from tests.ledgers import ALICE, BOB

VEGAN = "Alice eats no animal products at dinner"
STEAK = "Alice eats steak at dinner"


def opened(*script: Any, **options: Any) -> AgentMemory:
    model = ScriptedChatModel(script=list(script))
    return AgentMemory.in_memory(embeddings=None, consent="assumed", model=model, judge="model", **options)


async def told(memory: AgentMemory, call: Call, *texts: str) -> list[str]:
    """Tell each text, and return what is in force."""
    for text in texts:
        await call(memory.long_term, "remember", text, scope=ALICE)
    return sorted(it.content for it in await call(memory.long_term, "list", scope=ALICE))


async def test_what_the_model_finds_contradicted_is_settled_by_the_policy(call: Call) -> None:
    """By default the newer stands; the model names only which two cannot be true together."""
    with opened(Contradictions(numbers=[0])) as memory:
        assert await told(memory, call, VEGAN, STEAK) == [STEAK]
    with opened(Contradictions(numbers=[0]), conflicts="keep_both") as memory:
        assert await told(memory, call, VEGAN, STEAK) == [VEGAN, STEAK]


@pytest.mark.parametrize("line", [RuntimeError("down"), Contradictions(numbers=[7, -1]), Contradictions()], ids=repr)
async def test_without_an_answer_the_rules_stand_alone(call: Call, line: Any) -> None:  # noqa: ANN401  (likewise)
    """A model that fails, or names what it was not shown, changes nothing and loses nothing."""
    with opened(line) as memory:
        assert await told(memory, call, VEGAN, STEAK) == [VEGAN, STEAK]


async def test_nothing_but_near_neighbours_of_the_user_are_shown(call: Call) -> None:
    """Without any, no model is asked; what is far, or somebody else's, it never sees."""
    with opened(Contradictions()) as memory:
        await call(memory.long_term, "remember", "Bob eats steak at dinner", scope=BOB)
        await told(memory, call, "Alice owns a red bicycle", VEGAN, STEAK)
        model: Any = memory._options.model
        [request] = model.requests
        assert VEGAN in request[-1].text
        assert not [word for word in ("bicycle", "Bob") if word in request[-1].text]


async def test_one_of_many_contradicts_nothing(call: Call) -> None:
    """Of a relation that is declared to have many objects, no model is asked."""
    with opened(relations={"speaks": "many"}) as memory:
        both = ["Alice speaks Czech", "Alice speaks Dutch"]
        model: Any = memory._options.model
        assert (await told(memory, call, *both), model.requests) == (both, [])


@pytest.mark.parametrize("judge", ["model", "llm", 7, Scope], ids=str)
def test_an_impossible_judge_is_refused(judge: Any) -> None:  # noqa: ANN401  (of any type)
    """By its name, before anything is opened."""
    with pytest.raises(ConfigurationError, match="judge"):
        AgentMemory.in_memory(embeddings=None, judge=judge)
