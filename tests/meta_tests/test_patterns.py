"""Patterns are compiled when they are first asked: nothing waits for them, and none has a mistake."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from tests.meta_tests.package import modules, nodes, trees
from tests.meta_tests.test_vocabulary import texts
from tests.unit_tests.policies.test_linear import patterns

READERS: Final = ("english/", "extraction/", "summarize/", "policies/stated", "policies/support", "policies/carrying")
WRITTEN_BY_PROGRAMS: Final = {"english/words/patterns.py", "extraction/record/redactions.py"}


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is run when a module is imported: all but the bodies of functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from run_on_import(child)


def compiles(node: ast.AST) -> bool:
    """Whether a node is a call of `re.compile`; of bytes there are few, and they are small."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "compile":
        return False
    return not ast.unparse(node).startswith("re.compile(b") and ast.unparse(node.func) == "re.compile"


def test_no_module_compiles_when_it_is_imported() -> None:
    """There `lazy_pattern` stands for `re.compile`: a process that asks a few patterns does not pay for a thousand."""
    found = {path: [it.lineno for it in run_on_import(tree) if compiles(it)] for path, tree in trees().items()}  # type: ignore[attr-defined]  # a call has a line
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_no_pattern_has_a_mistake() -> None:
    """What importing no longer finds is found here."""
    found = [it for module in modules() for value in vars(module).values() for it in patterns(value)]
    assert len(found) > 1_000
    assert all(it.groups >= 0 for it in found)


def test_no_pattern_but_one_says_what_a_capital_is() -> None:
    """What reads people's words takes `CAPITAL` and `FULL_NAME`: of A to Z alone, Élodie and Łukasz would be nobody."""
    readers = {path: inside for path, inside in nodes().items() if path.startswith(READERS)}
    found = {path for path, inside in readers.items() if any("A-Z" in text for text in texts(inside))}
    assert found <= WRITTEN_BY_PROGRAMS
