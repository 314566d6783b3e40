"""What tests search for words that must not be there holds those that a `repr` hides."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field

from tests.spelled import spelled


@dataclass
class Hiding:
    said: object = field(repr=False)


class Model(BaseModel):
    said: object = Field(repr=False)


@pytest.mark.parametrize(
    "value",
    [
        "quokka",
        b"quokka",
        Hiding("quokka"),
        Model(said="quokka"),
        {"a": [Hiding({1: (Model(said={"quokka"}),)})]},
        {Model: Hiding(Hiding("quokka"))},
        AIMessage("hm", additional_kwargs={"agentmem": {"said": "quokka"}}),
    ],
    ids=["text", "bytes", "dataclass", "model", "nested", "twice", "message"],
)
def test_a_word_is_found_wherever_it_is_held(value: object) -> None:
    """In fields, items and keys, however deep."""
    assert "quokka" in spelled("other", value)
    assert "wombat" not in spelled("other", value)
