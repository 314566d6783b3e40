"""Patterns that are compiled when they are first asked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from langchain_agentmem import AgentMemory, Scope
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


def test_the_first_write_of_a_process_compiles_next_to_nothing_under_the_lock(tmp_path: Path) -> None:
    """What a sentence ends is read before: other writers of a file do not wait while hundreds of patterns are made."""
    url = f"sqlite:///{tmp_path / 'agent.db'}"
    with AgentMemory.connect(sql=url, embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice owns boat 7", scope=Scope("alice"))
    code = (
        "import re, sys\n"
        "from langchain_agentmem import AgentMemory, Scope\n"
        "from langchain_agentmem.sql.engine import Database\n"
        "compile_, run, mode, compiled = re._compiler.compile, Database._run_on_driver, ['read'], []\n"
        "re._compiler.compile = lambda source, flags=0: compiled.append(mode[-1]) or compile_(source, flags)\n"
        "def body_in(body, its, taken):\n"
        "    mode.append(its)\n"
        "    try:\n"
        "        return body(taken)\n"
        "    finally:\n"
        "        mode.pop()\n"
        "def run_on(self, body, its, cancelled=None):\n"
        "    return run(self, lambda taken: body_in(body, its, taken), its, cancelled)\n"
        "Database._run_on_driver = run_on\n"
        "with AgentMemory.connect(sql=sys.argv[1], embeddings=None, consent='assumed') as memory:\n"
        "    memory.long_term.remember('Alice owns boat 1', scope=Scope('alice'))\n"
        "print(compiled.count('write'), compiled.count('read'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, url], capture_output=True, text=True, check=True)
    under_the_lock, before = map(int, done.stdout.split())
    assert before > 200
    assert under_the_lock < 50
