"""What the demonstration is told is checked before anything is played."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem.demo import models
from langchain_agentmem.demo.models import chat_model, name_of
from langchain_agentmem.demo.options import DemoOptions
from langchain_agentmem.demo.responder import LABEL
from langchain_agentmem.errors import ConfigurationError


@pytest.mark.parametrize("given", [{"sample": 1}, {"ask": ["why?"]}, {"questions": 3}])
def test_options_of_a_conversation_need_a_file(given: dict[str, Any]) -> None:
    """What would be ignored is refused."""
    with pytest.raises(ConfigurationError, match="add --file"):
        DemoOptions(**given)


def test_extraction_by_a_model_needs_a_model() -> None:
    """The remedy is in the message."""
    with pytest.raises(ConfigurationError, match="add --model provider:name"):
        DemoOptions(extract_with_model=True)


def test_a_database_is_never_overwritten(tmp_path: Path) -> None:
    """`keep` names a new file, and nothing is there of what goes beside it."""
    with pytest.raises(ConfigurationError, match="exists; name a new file"):
        DemoOptions(keep=tmp_path)
    (tmp_path / "new.procedures").mkdir()
    with pytest.raises(ConfigurationError, match=r"new\.procedures exists"):
        DemoOptions(keep=tmp_path / "new.db")


def test_without_a_model_the_offline_responder_answers_by_name() -> None:
    """Its answers carry a label, so that nobody takes it for a language model."""
    assert name_of(chat_model(None)) == LABEL


@pytest.mark.parametrize("name", ["no-such-provider:model", "nonsense"])
def test_an_unknown_model_is_refused_with_an_example(name: str) -> None:
    """A name that LangChain does not know is our error, with a name that works."""
    with pytest.raises(ConfigurationError, match="write provider:name"):
        chat_model(name)


def test_a_provider_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """LangChain knows the provider, and its package is missing."""
    monkeypatch.setitem(sys.modules, "langchain_groq", None)
    with pytest.raises(ConfigurationError, match="package is not installed"):
        chat_model("groq:llama")


def test_a_model_needs_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without LangChain itself the message names the extra that brings it."""
    monkeypatch.setattr(models, "find_spec", lambda _name: None)
    with pytest.raises(ConfigurationError, match=r"langchain-agentmem\[agents\]"):
        chat_model("openai:gpt-5-mini")
