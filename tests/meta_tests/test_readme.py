"""What is written for people is short, and its code runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.meta_tests.package import ROOT

README: Final = (ROOT / "README.md").read_text("utf-8")
MAX_README_LINES: Final = 200
MAX_CONTRIBUTING_LINES: Final = 80
FIRST_CODE_BY_LINE: Final = 25
# A fence that is exactly "python" is run; one with more to say (```python needs="PostgreSQL") is only compiled.
FENCE: Final = re.compile(r"^```python(?P<needs>[^\n]*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


def in_place(block: re.Match[str]) -> str:
    """The block's code at the lines it has in the README, so that an error names the right one."""
    return "\n" * README.count("\n", 0, block.start("code")) + block["code"]


def runnable() -> list[re.Match[str]]:
    return [block for block in FENCE.finditer(README) if not block["needs"].strip()]


def test_the_readme_is_read_in_one_sitting() -> None:
    """At most two hundred lines."""
    assert len(README.splitlines()) <= MAX_README_LINES


def test_the_first_code_comes_early() -> None:
    """Code that runs begins by line 25."""
    assert README.count("\n", 0, runnable()[0].start("code")) + 1 <= FIRST_CODE_BY_LINE


def test_every_example_compiles() -> None:
    """Also an example that needs a server is Python."""
    for block in FENCE.finditer(README):
        compile(in_place(block), "README.md", "exec")


def test_the_examples_run_in_order(tmp_path: Path) -> None:
    """Typed one after the other in an empty folder, the examples work."""
    parts = [in_place(block) for block in runnable()]
    script = f"shared = {{}}\nfor part in {parts!r}:\n    exec(compile(part, 'README.md', 'exec'), shared)\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_contributing_is_short() -> None:
    """At most eighty lines."""
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= MAX_CONTRIBUTING_LINES
