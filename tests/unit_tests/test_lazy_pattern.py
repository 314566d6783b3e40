"""Patterns that are compiled when they are first asked."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from langchain_agentmem._lazy_pattern import lazy_pattern

SOURCE = r"(?P<name>[a-z]+)=(\d+)"
TEXT = "A=1, b=22;c=3"


def test_it_does_what_a_compiled_pattern_does() -> None:
    """Every method answers as that of `re.compile`, the first time and later."""
    lazy, compiled = lazy_pattern(SOURCE, re.IGNORECASE), re.compile(SOURCE, re.IGNORECASE)
    for _ in range(2):
        assert lazy.findall(TEXT) == compiled.findall(TEXT)
        assert [it.span() for it in lazy.finditer(TEXT)] == [it.span() for it in compiled.finditer(TEXT)]
        assert lazy.sub(r"\2", TEXT, count=1) == compiled.sub(r"\2", TEXT, count=1)
        assert lazy.subn("", TEXT) == compiled.subn("", TEXT)
        assert lazy.split(TEXT) == compiled.split(TEXT)
        for method in ("match", "search", "fullmatch"):
            for text in (TEXT, "a=1", "none"):
                found, expected = getattr(lazy, method)(text, 0), getattr(compiled, method)(text, 0)
                assert (found and found.groupdict()) == (expected and expected.groupdict())
    assert (lazy.pattern, lazy.flags, lazy.groups) == (compiled.pattern, compiled.flags, compiled.groups)
    assert lazy.groupindex == compiled.groupindex


def test_a_mistake_is_raised_by_the_first_use() -> None:
    """And by every other one: it is never half compiled."""
    lazy = lazy_pattern("(")
    for _ in range(2):
        with pytest.raises(re.error, match="unterminated subpattern"):
            lazy.match("")


def test_importing_compiles_next_to_nothing() -> None:
    """A process that reads no language does not pay for the rules of it."""
    code = (
        "import re\n"
        "compiled, compile_ = [], re._compiler.compile\n"
        "re._compiler.compile = lambda source, flags=0: compiled.append(source) or compile_(source, flags)\n"
        "import langgraph.graph, langchain_core.language_models, sqlalchemy, alembic.command, yaml\n"
        "others = len(compiled)\n"
        "from langchain_agentmem import AgentMemory, create_memory_graph\n"
        "print(len(compiled) - others)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100
