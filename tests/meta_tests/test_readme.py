"""What is written for people is short, and its code runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.meta_tests import pages
from tests.meta_tests.package import ROOT

README: Final = ROOT / "README.md"
PAGES: Final = [README, *sorted((ROOT / "docs").glob("*.md"))]
MAX_README_LINES: Final = 200
MAX_CONTRIBUTING_LINES: Final = 80
FIRST_CODE_BY_LINE: Final = 25
# A fence that is exactly "python" is run; one with more to say (```python needs="PostgreSQL") is only compiled.
SPANNING: Final = re.DOTALL | re.MULTILINE
FENCE: Final = re.compile(r"^```python(?P<needs>[^\n]*)\n(?P<code>.*?)^```$", SPANNING)
PRINTED: Final = re.compile(r"^ *print\(.*\)  # ([^:…\n]+)", re.MULTILINE)


def examples(page: Path, *, runnable: bool) -> list[str]:
    """The code of a page, each block at the lines it has there, so that an error names the right one."""
    text = page.read_text("utf-8")
    blocks = [block for block in FENCE.finditer(text) if not (runnable and block["needs"].strip())]
    return ["\n" * text.count("\n", 0, block.start("code")) + block["code"] for block in blocks]


def promises(page: Path) -> list[str]:
    """What the README says that a `print` prints: the comment behind it, up to a colon or an ellipsis."""
    return [said.strip() for code in examples(page, runnable=True) for said in PRINTED.findall(code)]


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


@pytest.fixture(scope="module")
def reader() -> Iterator[subprocess.Popen[str]]:
    """Runs each page in a process that has imported the libraries under it, and nothing of ours."""
    command = [sys.executable, str(pages.__file__)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        yield reader


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_run_in_order(page: Path, reader: subprocess.Popen[str], tmp_path: Path) -> None:
    """Typed one after the other in an empty folder, the examples of a page work; the README's print what it says."""
    assert reader.stdin
    assert reader.stdout
    print(json.dumps([page.name, str(tmp_path), examples(page, runnable=True)]), file=reader.stdin, flush=True)
    code = reader.stdout.readline()
    told = Path(f"{tmp_path}{pages.SAID}").read_text("utf-8")
    assert code == "0\n", told
    assert page != README or [it for it in promises(page) if it not in told] == [], told


def test_what_the_demo_installs_is_enough_for_the_readme() -> None:
    """Its examples need local embeddings and LangChain for agents, the demo itself a repository of policies."""
    installed = re.search(
        r"^\$\(VENV\)/\.demo:.*?\[(?P<extras>[^]]*)\]", (ROOT / "Makefile").read_text("utf-8"), SPANNING
    )
    assert installed
    assert set(installed["extras"].split(",")) >= {"local", "agents", "procedural"}


def test_contributing_is_short() -> None:
    """At most eighty lines."""
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= MAX_CONTRIBUTING_LINES
