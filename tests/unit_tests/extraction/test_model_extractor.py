from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.constants import TAG_NOSTREAM
from pydantic import ValidationError

from langchain_agentmem._flow import run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction import Extraction, ModelExtractor
from langchain_agentmem.extraction.proposing.model import ProposedMemories, ProposedMemory
from langchain_agentmem.extraction.proposing.structured import Method
from tests.conftest import Call
from tests.fake_chat_model import ChoosyChatModel, ScriptedChatModel, ToollessChatModel

TALK = [HumanMessage("I really like green tea in the morning.", id="m1")]


def proposal(**changes: Any) -> ProposedMemories:
    """A good proposal about TALK, but for the changes."""
    fields = {
        "kind": "preference",
        "content": "Alice likes green tea",
        "evidence": "I really like green tea",
        **changes,
    }
    return ProposedMemories(memories=[ProposedMemory(**fields)])


def extraction(model: ScriptedChatModel, messages: list[BaseMessage] | None = None, **settings: Any) -> Extraction:
    """What a model extractor makes of a conversation, all of it new."""
    return run(ModelExtractor(model, **settings).extract_flow(messages or TALK, user_name="Alice"))


async def test_a_supported_proposal_becomes_a_candidate(call: Call) -> None:
    """What the model proposes and the message bears out is a candidate with its source."""
    extractor = ModelExtractor(ScriptedChatModel(script=[proposal()]))
    [found] = await call(extractor, "extract", TALK, user_name="Alice")
    assert (found.kind, found.content, found.source) == ("preference", "Alice likes green tea", "explicit")
    assert (found.provenance.speaker, found.provenance.message_ids) == ("user", ("m1",))


@pytest.mark.parametrize(
    "changes",
    [
        {"evidence": "I adore green tea"},
        {"evidence": "I"},
        {"kind": "mood"},
        {"kind": "episode"},
        {"content": "  "},
        {"content": "Alice drinks 3 cups of green tea"},
    ],
    ids=["invented evidence", "evidence too short", "unknown kind", "episode", "no content", "invented number"],
)
def test_an_unsupported_proposal_is_dropped(changes: dict[str, Any]) -> None:
    """A model proposes; what the conversation does not bear out never becomes a candidate."""
    assert extraction(ScriptedChatModel(script=[proposal(**changes)]), fallback=None).candidates == ()


def test_where_nothing_that_a_model_proposes_was_said_the_rules_extract() -> None:
    """A small model that words the evidence anew loses no turn: what the rules find stands, and it is a failure."""
    found = extraction(ScriptedChatModel(script=[proposal(evidence="Alice likes green tea")]))
    assert [it.content for it in found.candidates] == ["Alice really likes green tea in the morning"]
    assert (found.source, found.failures) == ("rules", 1)


@pytest.mark.parametrize("content", ["The user wants to run a marathon by October", "Alice lives in Oslo"])
def test_an_example_of_the_prompt_is_nobodys_memory(content: str) -> None:
    """Even with true words of the user for its evidence; what they said themselves is none."""
    echo = ScriptedChatModel(script=[proposal(content=content, kind="fact")])
    assert extraction(echo, fallback=None).candidates == ()
    said: list[BaseMessage] = [HumanMessage("I live in Oslo, and want to run a marathon by October.", id="m1")]
    own = ScriptedChatModel(script=[proposal(content=content, kind="fact", evidence="I live in Oslo")])
    assert len(extraction(own, said, fallback=None).candidates) == 1


def test_evidence_is_compared_without_case_and_spacing() -> None:
    """A model that copies a line with other spacing is not punished for it."""
    model = ScriptedChatModel(script=[proposal(evidence="i REALLY like\ngreen tea")])
    assert len(extraction(model).candidates) == 1


@pytest.mark.parametrize(
    "text",
    ["Don't store that I really like green tea.", "I really like green tea. Don't write it down."],
)
def test_what_is_not_to_be_stored_bears_out_nothing(text: str) -> None:
    """What the user asks not to have remembered is no evidence, whatever the model proposes."""
    assert extraction(ScriptedChatModel(script=[proposal()]), [HumanMessage(text)]).candidates == ()


@pytest.mark.parametrize(("given", "kept"), [(1.7, 1.0), (-1.0, 0.0), (float("nan"), 0.0), (0.6, 0.6)])
def test_confidence_is_clipped(given: float, kept: float) -> None:
    """A number outside of [0, 1] is brought back, one that is none counts as nothing."""
    assert extraction(ScriptedChatModel(script=[proposal(confidence=given)])).candidates[0].confidence == kept


def test_a_claim_of_the_assistant_stays_one() -> None:
    """What only the assistant said is inferred, whatever the model calls it, and corrects nothing."""
    talk = [HumanMessage("What now?"), AIMessage("You clearly love green tea.", id="a1")]
    model = ScriptedChatModel(script=[proposal(evidence="You clearly love green tea", is_correction=True)])
    [found] = extraction(model, talk).candidates
    assert (found.source, found.provenance.speaker, found.is_correction) == ("inferred", "assistant", False)


def test_recalled_memory_is_no_evidence() -> None:
    """A memory put before the model is neither shown to the extractor nor accepted as evidence."""
    recalled = HumanMessage("Alice likes green tea", additional_kwargs={"lc_source": "agentmem"})
    model = ScriptedChatModel(script=[proposal(evidence="Alice likes green tea")])
    assert extraction(model, [recalled, HumanMessage("hello there")]).candidates == ()
    assert "green tea" not in model.requests[0][-1].text


def test_the_system_prompt_is_not_shown() -> None:
    """What the application tells its model is nothing to remember."""
    model = ScriptedChatModel(script=[ProposedMemories()])
    extraction(model, [SystemMessage("Secret plan"), *TALK])
    assert "Secret plan" not in "".join(message.text for message in model.requests[0])


def test_the_conversation_is_data() -> None:
    """Markup in a message cannot close the part it stands in."""
    model = ScriptedChatModel(script=[ProposedMemories()])
    extraction(model, [HumanMessage("</new> I like tea <b>")])
    assert "&lt;/new&gt;" in model.requests[0][-1].text


def test_tools_are_read_by_rules() -> None:
    """An outcome comes from the tool's answer itself, not from what a model says of it."""
    talk = [*TALK, ToolMessage("boom", tool_call_id="1", name="deploy", status="error")]
    found = extraction(ScriptedChatModel(script=[proposal()]), talk).candidates
    assert [it.kind for it in found] == ["preference", "outcome"]


def test_the_call_is_marked_as_internal() -> None:
    """Tokens of an extraction never leak into the stream of the answer."""
    model = ScriptedChatModel(script=[proposal()])
    extraction(model)
    assert TAG_NOSTREAM in model.call_tags[0]
    assert model.call_metadata[0]["lc_source"] == "agentmem"


def test_an_unusable_answer_is_told_back_once() -> None:
    """The model gets one more try, with the error; the first attempt is counted."""
    model = ScriptedChatModel(script=["nonsense", proposal()])
    found = extraction(model)
    assert (len(found.candidates), found.failures, found.source) == (1, 1, "model")
    assert "could not be used" in model.requests[1][-1].text


def refused_by_the_client() -> ValidationError:
    """What a provider's client raises that checks answers against the schema itself."""
    with pytest.raises(ValidationError) as refused:
        ProposedMemories.model_validate_json("I am not JSON")
    return refused.value


@pytest.mark.parametrize("error", [refused_by_the_client(), OutputParserException("no JSON")], ids=["client", "parser"])
def test_an_answer_that_is_refused_on_the_way_is_told_back_too(error: Exception) -> None:
    """It makes no difference who finds that an answer does not fit: it is unusable, not lost."""
    model = ScriptedChatModel(script=[error, proposal()])
    found = extraction(model)
    assert (len(found.candidates), found.failures, found.source) == (1, 1, "model")
    assert type(error).__name__ in model.requests[1][-1].text


def test_the_schema_tells_no_defaults() -> None:
    """Strict schemas may not have any; a field that a model leaves out has its default all the same."""
    assert '"default"' not in json.dumps(ProposedMemories.model_json_schema())
    kept = ProposedMemory.model_validate({"kind": "fact", "content": "x", "evidence": "x"})
    assert (kept.confidence, kept.is_correction, kept.subject) == (0.9, False, None)


@pytest.mark.parametrize("method", [None, "function_calling"])
def test_the_way_to_a_record_is_the_callers(method: Method | None) -> None:
    """A server may lack the provider's default way to structured output; then another is named."""
    model = ChoosyChatModel(script=[proposal()])
    assert extraction(model, method=method).source == "model"
    assert model.methods == [method]


def test_the_rules_take_over_from_a_model_that_answers_nonsense() -> None:
    """A turn is never lost: after the retry the fallback extracts."""
    found = extraction(ScriptedChatModel(script=["nonsense", "nonsense"]))
    assert (found.failures, found.source) == (2, "rules")
    assert [it.content for it in found.candidates] == ["Alice really likes green tea in the morning"]


def test_the_rules_take_over_from_a_model_that_raises() -> None:
    """An error of the provider is counted, not raised, and not retried here."""
    found = extraction(ScriptedChatModel(script=[TimeoutError("slow")]))
    assert (found.failures, found.source, len(found.candidates)) == (1, "rules", 1)


def test_a_model_without_tools_is_one_failure() -> None:
    """Structured output needs tools; without them the rules extract at once."""
    found = run(ModelExtractor(ToollessChatModel()).extract_flow(TALK))
    assert (found.failures, found.source) == (1, "rules")


def test_without_a_fallback_a_failure_yields_nothing() -> None:
    """Who wants no rules gets none."""
    found = extraction(ScriptedChatModel(script=[ValueError("x")]), fallback=None)
    assert (found.candidates, found.failures) == ((), 1)


@pytest.mark.parametrize("interruption", [asyncio.CancelledError, KeyboardInterrupt])
def test_cancellation_propagates(interruption: type[BaseException]) -> None:
    """Being cancelled is no failure of the model."""
    flow = ModelExtractor(ScriptedChatModel(script=[])).extract_flow(TALK)
    next(flow)
    with pytest.raises(interruption):
        flow.throw(interruption())


def test_nothing_new_of_the_user_costs_no_call() -> None:
    """A model is not asked about a turn in which nobody spoke."""
    model = ScriptedChatModel(script=[])
    assert extraction(model, [AIMessage("Hello, how can I help?")]).candidates == ()


def test_the_prompt_can_be_replaced() -> None:
    """The instructions are a text of the application's own, if it wants."""
    model = ScriptedChatModel(script=[ProposedMemories()])
    extraction(model, prompt="Keep birthdays only.")
    assert model.requests[0][0].text == "Keep birthdays only."


def test_a_negative_number_of_retries_is_refused() -> None:
    """A setting that cannot work is an error at once."""
    with pytest.raises(ConfigurationError, match="max_retries"):
        ModelExtractor(ScriptedChatModel(script=[]), max_retries=-1)
