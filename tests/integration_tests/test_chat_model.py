"""A real chat model in every place that takes one: it fills in our records, and what it makes up is left out.

`AGENTMEM_TEST_MODEL=provider:name` names it, as `init_chat_model` takes it; where it is served, the variables of its
provider say (`OPENAI_BASE_URL`, `OPENAI_API_KEY`). Without it these tests are not collected.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage

from langchain_agentmem import AgentMemory, Scope, create_memory_graph
from langchain_agentmem.evaluation import ModelEvaluator
from langchain_agentmem.extraction.proposing.contradicting import ModelJudge
from langchain_agentmem.extraction.proposing.linking import ModelLinker
from langchain_agentmem.extraction.proposing.model import ModelExtractor
from langchain_agentmem.extraction.proposing.relations import RelationExtractor
from langchain_agentmem.planning.model import ModelPlanner
from langchain_agentmem.policies.querying import Dialogue, Said
from langchain_agentmem.summarize.model import ModelSummarizer
from langchain_agentmem.testing.laws import drive
from langchain_agentmem.types.working import WorkingState
from langchain_agentmem.working.model import ModelRewriter
from tests.conftest import LLM_VARIABLE, Call

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

pytestmark = [
    pytest.mark.llm,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # a provider's client leaves its connections to the end
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

USER = "Priya"
TOLD = "I'm Priya, I work as a structural engineer in Leeds, and I'm allergic to peanuts."


@pytest.fixture(scope="module")
def chat_model() -> BaseChatModel:
    """Give the model that is named, as steady as it can be."""
    model: BaseChatModel = init_chat_model(os.environ[LLM_VARIABLE], temperature=0, max_retries=0)
    return model


async def test_what_a_model_extracts_was_said(chat_model: BaseChatModel, call: Call) -> None:
    """It is the model that answers, its memories name what was said, and each has the user's own words for it."""
    found = await call(ModelExtractor(chat_model, fallback=None), "extract", [HumanMessage(TOLD)], user_name=USER)
    assert re.search("engineer|Leeds|peanuts", " ".join(it.content for it in found))
    assert all(it.provenance.evidence.casefold() in TOLD.casefold() for it in found)


async def test_a_model_takes_nothing_from_a_question(chat_model: BaseChatModel, call: Call) -> None:
    """Neither what is asked nor what the assistant answers is a memory of the user."""
    asked: list[BaseMessage] = [HumanMessage("What is the capital of Peru?"), AIMessage("Lima.")]
    found = await call(ModelExtractor(chat_model, fallback=None), "extract", asked, user_name=USER)
    assert [it.content for it in found if it.source == "explicit"] == []


async def test_a_model_names_what_relates_people(chat_model: BaseChatModel, call: Call) -> None:
    """A relation has both its ends from the conversation."""
    said = [HumanMessage("My sister Nora works at Acme.")]
    found = await call(RelationExtractor(chat_model, fallback=None), "extract", said, user_name=USER)
    assert {it.object for it in found if it.object} & {"Nora", "Acme"}


async def test_a_model_plans_what_is_meant(chat_model: BaseChatModel, call: Call) -> None:
    """What is asked of memory says whom "she" means, and brings in nobody whom the conversation does not know."""
    dialogue = Dialogue(text="Where does she work now?", before=(Said("user", "My sister Nora moved to Hull."),))
    planner = ModelPlanner(chat_model)
    queries = await call(planner, "plan", dialogue)
    assert planner.failures == 0
    assert any("Nora" in it.text for it in queries)


async def test_a_model_links_what_a_turn_states(chat_model: BaseChatModel, call: Call) -> None:
    """A value that it proposes stands in the turn, and one turn of small talk has none."""
    turns = ["I live in York now, we left Leeds in May.", "Thanks, that was kind of you."]
    linker = ModelLinker(chat_model)
    claims = await drive(call, linker.claims_flow(turns))
    assert linker.failures == 0
    assert len(claims) == len(turns)
    assert claims[1] == ()


async def test_a_model_tells_what_cannot_both_hold(chat_model: BaseChatModel, call: Call) -> None:
    """It fills in the record, and names nothing that may hold beside the new statement: another thing altogether."""
    known = ["The user's flat is on the third floor", "The user plays the cello"]
    judge = ModelJudge(chat_model)
    named = await drive(call, judge.contradicted_flow("The user's flat is on the ground floor", known))
    assert judge.failures == 0
    assert 1 not in named


async def test_a_model_summarizes_within_its_bound(chat_model: BaseChatModel, call: Call) -> None:
    """Names and dates stay, and the summary before is continued."""
    summarizer = ModelSummarizer(chat_model, max_tokens=128)
    said: list[BaseMessage] = [HumanMessage("Release 4.2 goes to staging on Friday."), AIMessage("Noted.")]
    found = await call(summarizer, "summarize", said, previous="The user leads the team Heron.")
    assert (found.source, found.failures) == ("model", 0)
    assert "Heron" in found.text
    assert "4.2" in found.text


async def test_a_model_keeps_the_notes_of_a_task(chat_model: BaseChatModel, call: Call) -> None:
    """The goal of a task is in the words of whoever set it."""
    rewriter = ModelRewriter(chat_model)
    said = [HumanMessage("Please migrate the billing tables to PostgreSQL. Never touch the invoices table.")]
    update = await call(rewriter, "rewrite", WorkingState(), said)
    assert rewriter.failures == 0
    assert "billing" in (update.goal or "")


async def test_a_model_judges_a_turn(chat_model: BaseChatModel, call: Call) -> None:
    """It fills in the record, and takes no question for a protest against what was recalled."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    kept = memory.long_term.remember("Priya is allergic to peanuts", scope=Scope("priya")).require()
    said: list[BaseMessage] = [
        SystemMessage("Answer from memory."),
        HumanMessage("Which food must I avoid?"),
        AIMessage("You are allergic to peanuts, so avoid peanuts."),
    ]
    judged = await call(ModelEvaluator(chat_model), "evaluate", said, recalled=[kept], new_from=1)
    assert judged.failures == 0
    assert judged.contradicted == ()


def test_a_graph_remembers_with_a_model(chat_model: BaseChatModel) -> None:
    """What was said in one thread answers in another, and the memory's own calls stream nothing."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed", model=chat_model, planner="model")
    graph = create_memory_graph(chat_model, memory=memory)
    context: Any = {"user_id": "priya", "user_name": USER}
    graph.invoke({"messages": [("user", TOLD)]}, context=context)
    memory.jobs.run()
    assert [it for it in memory.long_term.list(scope=Scope("priya")) if "peanut" in it.content]
    asked: Any = {"messages": [("user", "Which food must I avoid? Answer in one sentence.")]}
    parts = list(graph.stream(asked, context=context, stream_mode=["messages", "values"]))
    state: Any = [value for mode, value in parts if mode == "values"][-1]
    streamed = "".join(
        part[0].text for mode, part in parts if mode == "messages" if isinstance(part[0], AIMessageChunk)
    )
    assert state["memory"]["status"] == "ok"
    assert "peanut" in state["messages"][-1].text.casefold()
    assert streamed.strip() in {"", state["messages"][-1].text.strip()}


def test_an_agent_answers_from_memory(chat_model: BaseChatModel) -> None:
    """A middleware brings what is remembered before the model, which answers with it."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    memory.long_term.remember("Priya's boiler has the serial number KX-2291", scope=Scope("priya"))
    agent = create_agent(chat_model, middleware=[memory.middleware()])
    asked: Any = {"messages": [("user", "What is the serial number of my boiler?")]}
    answered = agent.invoke(asked, {"configurable": {"user_id": "priya"}})
    assert "KX-2291" in answered["messages"][-1].text
