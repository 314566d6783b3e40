"""Notebooks show what they print and draw to whoever only looks at them, and nothing of the machine that ran them."""

from __future__ import annotations

import ast
import base64
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fixtures.execute_notebooks import FOLDER, MAX_PICTURE_BYTES, kept

NOTEBOOKS: Final = sorted(FOLDER.glob("*.ipynb"))
MACHINE: Final = re.compile(rb"/(?:home|root|work|tmp|Users|opt|usr)/")
FAILED: Final = ("Traceback", "Warning:")


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def prints(source: str) -> bool:
    """Whether a cell prints by itself; others may do so in what they call."""
    body = [it for it in ast.parse(source).body if not isinstance(it, (ast.FunctionDef, ast.ClassDef))]
    calls = [it for part in body for it in ast.walk(part) if isinstance(it, ast.Call)]
    return any(isinstance(it.func, ast.Name) and it.func.id == "print" for it in calls)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda it: it.stem)
def test_what_a_cell_prints_and_draws_is_kept(path: Path) -> None:
    """And nothing else: `python -m tests.fixtures.execute_notebooks` runs them anew."""
    for cell in cells(path):
        source = "".join(cell["source"])
        drawn = [it for it in cell["outputs"] if it["output_type"] == "display_data"]
        assert len(drawn) == source.count("plt.show()")
        assert any(it["output_type"] == "stream" for it in cell["outputs"]) or not prints(source), source
        assert (cell["outputs"], cell["execution_count"]) == (kept(cell["outputs"]), None)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda it: it.stem)
def test_nothing_went_wrong_in_it(path: Path) -> None:
    """No cell shows an error or a warning."""
    printed = "".join(line for cell in cells(path) for it in cell["outputs"] for line in it.get("text", ()))
    assert [word for word in FAILED if word in printed] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda it: it.stem)
def test_a_picture_is_small_and_tells_no_path(path: Path) -> None:
    """It is a PNG; nowhere in a notebook stands where it was made."""
    assert MACHINE.search(path.read_bytes()) is None
    for it in (it for cell in cells(path) for it in cell["outputs"] if it["output_type"] == "display_data"):
        picture = it["data"]["image/png"]
        drawn = base64.b64decode(picture)
        assert (len(picture) < MAX_PICTURE_BYTES, drawn[:4], MACHINE.search(drawn)) == (True, b"\x89PNG", None)
