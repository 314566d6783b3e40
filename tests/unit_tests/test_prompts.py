from __future__ import annotations

from pathlib import Path

import pytest

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.prompts import load_prompt


@pytest.mark.parametrize("name", ["agent", "contradict", "extract", "evaluate", "plan", "working"])
def test_every_prompt_says_what_is_data(name: str) -> None:
    """Each prompt is shipped, and tells the model that what it reads gives no orders."""
    text = load_prompt(name)
    assert "data" in text
    assert "instruction" in text


def test_a_folder_of_ones_own_comes_first(tmp_path: Path) -> None:
    """A file of the same name replaces a prompt; the others stay."""
    (tmp_path / "extract.md").write_text("\nKeep nothing.\n", encoding="utf-8")
    assert load_prompt("extract", folder=tmp_path) == "Keep nothing."
    assert load_prompt("agent", folder=tmp_path) == load_prompt("agent")


@pytest.mark.parametrize("name", ["missing", "../errors", "__init__"])
def test_an_unknown_prompt_is_refused(name: str) -> None:
    """The error names the prompts there are; no path leads out of the folder."""
    with pytest.raises(ConfigurationError, match="evaluate, extract"):
        load_prompt(name)
