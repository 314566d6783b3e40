"""What is written for people is short, and its code runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.meta_tests.package import ROOT

README: Final = ROOT / "README.md"
PAGES: Final = [README, *sorted((ROOT / "docs").glob("*.md"))]
MAX_README_LINES: Final = 200
MAX_CONTRIBUTING_LINES: Final = 80
FIRST_CODE_BY_LINE: Final = 25
# A fence that is exactly "python" is run; one with more to say (```python needs="PostgreSQL") is only compiled.
FENCE: Final = re.compile(r"^```python(?P<needs>[^\n]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


def examples(page: Path, *, runnable: bool) -> list[str]:
    """The code of a page, each block at the lines it has there, so that an error names the right one."""
    text = page.read_text("utf-8")
    blocks = [block for block in FENCE.finditer(text) if not (runnable and block["needs"].strip())]
    return ["\n" * text.count("\n", 0, block.start("code")) + block["code"] for block in blocks]


def test_the_readme_is_read_in_one_sitting() -> None:
    """At most two hundred lines."""
    assert len(README.read_text("utf-8").splitlines()) <= MAX_README_LINES


def test_the_first_code_comes_early() -> None:
    """Code that runs begins by line 25."""
    first = examples(README, runnable=True)[0]
    assert len(first) - len(first.lstrip("\n")) + 1 <= FIRST_CODE_BY_LINE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_compiles(page: Path) -> None:
    """Also an example that needs a server is Python."""
    for code in examples(page, runnable=False):
        assert compile(code, page.name, "exec").co_code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_run_in_order(page: Path, tmp_path: Path) -> None:
    """Typed one after the other in an empty folder, the examples of a page work."""
    parts = examples(page, runnable=True)
    script = f"shared = {{}}\nfor part in {parts!r}:\n    exec(compile(part, {page.name!r}, 'exec'), shared)\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_contributing_is_short() -> None:
    """At most eighty lines."""
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= MAX_CONTRIBUTING_LINES
