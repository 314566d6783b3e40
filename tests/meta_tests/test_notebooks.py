"""Notebooks show their pictures to whoever only looks at them, and nothing of the machine that drew them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fixtures.draw_notebooks import FOLDER, MAX_PICTURE_BYTES, pictures

NOTEBOOKS: Final = sorted(FOLDER.glob("*.ipynb"))
MACHINE: Final = re.compile(rb"/(?:home|root|work|tmp|Users|opt|usr)/")


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda it: it.stem)
def test_a_picture_that_is_drawn_is_kept(path: Path) -> None:
    """One for each that is shown, and no other output: `python -m tests.fixtures.draw_notebooks` draws them anew."""
    for cell in cells(path):
        assert len(cell["outputs"]) == "".join(cell["source"]).count("plt.show()")
        assert (cell["outputs"], cell["execution_count"]) == (pictures(cell["outputs"]), None)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda it: it.stem)
def test_a_picture_is_small_and_tells_no_path(path: Path) -> None:
    """It is a PNG; nowhere in a notebook stands where it was made."""
    assert MACHINE.search(path.read_bytes()) is None
    for picture in (it["data"]["image/png"] for cell in cells(path) for it in cell["outputs"]):
        drawn = base64.b64decode(picture)
        assert (len(picture) < MAX_PICTURE_BYTES, drawn[:4], MACHINE.search(drawn)) == (True, b"\x89PNG", None)
