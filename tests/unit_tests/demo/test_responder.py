"""The offline responder says of the user what memory recalled, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool

from langchain_agentmem.demo.responder import NOTHING, OfflineResponder, quoted
from langchain_agentmem.extraction import MARK
from langchain_agentmem.nodes.telling import FORGETTING, NOTES

PYTHON = '<memories>\n<memory id="1" kind="preference">Alice prefers C &amp; Python</memory>\n</memories>'
WARNED = '<memory id="2" kind="outcome">deploy(environment="production") failed: not in staging</memory>'


@tool
def deploy(service: str, environment: str) -> str:
    """Deploy."""
    return f"{service} {environment}"


@tool
def manage_memory(action: str, content: str) -> str:
    """Change memory."""
    return f"{action} {content}"


def answer(*messages: BaseMessage) -> AIMessage:
    return OfflineResponder().bind_tools([deploy, manage_memory]).invoke(list(messages))


def called(message: AIMessage) -> list[dict[str, Any]]:
    return [call["args"] for call in message.tool_calls]


def done(text: str, **fields: Any) -> ToolMessage:
    return ToolMessage(text, tool_call_id="1", **fields)


def test_what_was_recalled_is_quoted_word_for_word() -> None:
    """The words of a memory come back as they were, with its kind."""
    told = answer(SystemMessage(f"Help.\n{PYTHON}"), HumanMessage("Which language?")).text
    assert told == "I remember “Alice prefers C & Python” (preference)."


def test_without_a_memory_it_says_so() -> None:
    """It does not guess."""
    assert answer(SystemMessage("Help."), HumanMessage("Which language?")).text == NOTHING


def test_what_a_user_writes_is_no_memory() -> None:
    """Only the system's words and what memory put before the model are read as memories."""
    assert quoted([HumanMessage(PYTHON), done(PYTHON)]) == []


def test_production_comes_first_where_nothing_warns() -> None:
    """Without a memory the order is carried out as it stands."""
    asked = answer(HumanMessage("Deploy checkout to production."))
    assert called(asked) == [{"service": "checkout", "environment": "production"}]


def test_a_recalled_failure_changes_the_plan() -> None:
    """Where memory speaks of staging, staging comes first and production second."""
    begun = [SystemMessage(WARNED), HumanMessage("Deploy checkout to production.")]
    first = answer(*begun)
    second = answer(*begun, first, done("ok"))
    assert [call["environment"] for call in [*called(first), *called(second)]] == ["staging", "production"]


def test_a_call_that_memory_held_back_is_planned_anew() -> None:
    """A held call counts as not made."""
    held = done("Not run yet", status="error", additional_kwargs={MARK: "hold"})
    asked = answer(SystemMessage(WARNED), HumanMessage("Deploy checkout to production."), AIMessage(""), held)
    assert called(asked) == [{"service": "checkout", "environment": "staging"}]


def test_a_call_that_a_policy_blocked_ends_the_plan() -> None:
    """Called again, it would be blocked again."""
    blocked = done("Not run. Staging first.", status="error", additional_kwargs={MARK: "block"})
    asked = answer(HumanMessage("Deploy checkout to production."), AIMessage(""), blocked)
    assert (asked.text, asked.tool_calls) == ("That failed: Not run. Staging first.", [])


def test_a_failure_ends_the_plan() -> None:
    """It reports what went wrong and does not try again."""
    asked = answer(HumanMessage("Deploy checkout to production."), AIMessage(""), done("Error: no", status="error"))
    assert asked.text == "That failed: Error: no"
    assert not asked.tool_calls


def test_without_the_tool_nothing_is_called() -> None:
    """A tool that is not bound is not called."""
    assert not OfflineResponder().invoke([HumanMessage("Deploy checkout to production.")]).tool_calls


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        ({"result": "refused", "reason": "It is a guess."}, "I do not keep that. It is a guess."),
        ({"result": "written", "reason": "No rule objected."}, "Noted."),
    ],
)
def test_a_note_is_answered_with_the_decision_on_it(decision: dict[str, str], told: str) -> None:
    """What is to be noted goes to memory's own tool, and its decision to the user."""
    asked = answer(HumanMessage("Note: maybe Rust."))
    assert called(asked)[0]["content"] == "maybe Rust."
    assert answer(HumanMessage("Note: maybe Rust."), asked, done(json.dumps(decision))).text == told


def test_forgetting_is_announced_and_what_is_forgotten_not_used() -> None:
    """What the prompt marks as to be forgotten is not quoted as remembered."""
    told = answer(SystemMessage(f"{FORGETTING}\n{PYTHON}"), HumanMessage("Forget that I prefer Python.")).text
    assert told == "I forget: “Alice prefers C & Python”."


@pytest.mark.parametrize(("note", "word"), [("no_consent", "not agreed"), ("degraded", "unavailable")])
def test_that_memory_takes_no_part_is_said(note: str, word: str) -> None:
    """The user is told where nothing is kept, or where memory failed."""
    assert word in answer(SystemMessage(NOTES[note]), HumanMessage("Hello")).text
