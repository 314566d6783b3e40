"""Laws of the places in which memories stand in a request."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from langchain_agentmem.extraction import is_injected
from langchain_agentmem.nodes.placing import place_of_note, with_blocks, with_note
from tests.unit_tests.middleware.test_together import is_valid

SUMMARY = HumanMessage("what was said", additional_kwargs={"lc_source": "summarization"})


def acted(number: int, calls: int) -> list[BaseMessage]:
    """A message with calls, and its answers."""
    ids = [f"{number}-{it}" for it in range(calls)]
    made = [{"name": "look_up", "args": {}, "id": it} for it in ids]
    return [AIMessage("", tool_calls=made), *(ToolMessage("found", tool_call_id=it) for it in ids)]


@st.composite
def conversations(draw: st.DrawFn) -> list[Any]:
    """A conversation that a provider takes, with summaries, tools and several turns."""
    said: list[BaseMessage] = [SUMMARY] if draw(st.booleans()) else []
    for number, what in enumerate(draw(st.lists(st.sampled_from(["human", "ai", "act", "acts"]), max_size=12))):
        match what:
            case "human":
                said.append(HumanMessage(f"question {number}"))
            case "ai":
                said.append(AIMessage(f"answer {number}"))
            case _:
                said += acted(number, 1 if what == "act" else 3)
    return said


@settings(max_examples=50)
@given(conversations())
def test_a_note_leaves_a_request_valid_and_what_was_said_in_order(said: list[Any]) -> None:
    """Taken out again, the conversation is what it was; and no call is parted from its answer."""
    noted = with_note(said, "<memories>…</memories>")
    notes = [it for it in noted if is_injected(it) and it is not SUMMARY]
    assert len(notes) == 1
    assert [it for it in noted if it is not notes[0]] == said
    assert is_valid(noted)


@settings(max_examples=50)
@given(conversations())
def test_a_note_stands_before_the_users_last_words(said: list[Any]) -> None:
    """What comes before it is what stood there in the turn before: a cache holds up to it."""
    place = place_of_note(said)
    own = [it for it, message in enumerate(said) if isinstance(message, HumanMessage) and message is not SUMMARY]
    assert place == (own[-1] if own else 0)


@settings(max_examples=50)
@given(st.text(max_size=20), st.lists(st.text(min_size=1, max_size=20), max_size=3))
def test_a_system_message_keeps_what_it_says(own: str, added: list[str]) -> None:
    """Its own words come first, unchanged, with all it carries; each text is a block of its own."""
    before = SystemMessage(own, name="prompt", additional_kwargs={"cache": True})
    after = with_blocks(before, added)
    assert after is not None
    assert (after.name, after.additional_kwargs, before.content) == ("prompt", {"cache": True}, own)
    assert after.text == own + "".join(added)
    assert added == [] or [it["text"] for it in after.content if isinstance(it, dict)] == [own, *added]


def test_blocks_of_a_provider_stay_as_they_are() -> None:
    """A mark for a provider's cache is not lost."""
    block: dict[str | Any, Any] = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    after = with_blocks(SystemMessage([block]), ["rules"])
    assert after is not None
    assert after.content == [block, {"type": "text", "text": "rules"}]


def test_without_a_prompt_memory_makes_one() -> None:
    """And without anything to say, none."""
    assert with_blocks(None, []) is None
    made = with_blocks(None, ["rules"])
    assert made is not None
    assert made.text == "rules"
