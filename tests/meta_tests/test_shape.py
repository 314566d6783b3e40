"""The gauge: short functions, few parameters, small files, no circles hidden in function bodies."""

from __future__ import annotations

import ast
import inspect
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Final, TypeAlias

from typing_extensions import is_protocol

from tests.meta_tests.package import PACKAGE, classes, nodes, trees

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

MAX_LINES: Final = 40
MAX_MEDIAN_LINES: Final = 8
MAX_PARAMETERS: Final = 6
MAX_FILE_LINES: Final = 400
MAX_STATEMENTS: Final = 2
LONG_FILES: Final = {
    "long_term/service.py": "one class of documented pairs, of two lines each",
}
LAZY_FILES: Final = {"__init__.py", "composition.py", "memory.py"}  # they load parts when they are first used
READ_IN: Final = (
    "policies/",
    "english/",
    "extraction/",
    "long_term/",
    "entities/",
    "profiles/",
    "index/",
    "context/",
    "_",
)
HOLDS_NO_TEXT: Final = {
    "long_term/recall/finding.py _hashed": "words of the thesaurus",
    "policies/actions.py _pattern": "expressions of policies",
    "english/text/folding.py _plain": "single characters",
    "policies/write_rules.py _topic_pattern": "topics of the application",
}
ONE_HEIR: Final = {
    "_governed.Governed": "one file has no room for all that a memory has",
    "_opened.Opened": "how a memory is opened and closed, whatever it is made of",
    "checkpoint.runs.ForRuns": "LangGraph asks for one class of what are three subjects",
    "checkpoint.threads.ThreadMethods": "LangGraph asks for one class of what are three subjects",
    "cli.meaning.Choice": "the options of two commands; the other takes them as they are",
    "context.summaries.SessionSummaries": "whole by itself; the other makes summaries and keeps none",
    "errors.ConflictError": "raised by itself; the other names its reason",
    "errors.IntegrityError": "raised by itself; the other names its reason",
    "errors.ScopeError": "raised by itself; the other names its reason",
    "extraction.proposing.model.ModelExtractor": "whole by itself; the other asks for relations",
    "extraction.proposing.model.ProposedMemories": "a model's answer; the other is one with relations",
    "extraction.proposing.model.ProposedMemory": "a model's answer; the other is one with a relation",
    "index.vector_store.VectorStoreIndex": "whole by itself; the other opens its store, and closes it",
    "ledger.sql.episodes.SQLEpisodeReader": "whoever only reads is given no more",
    "ledger.sql.reader.SQLReader": "whoever only reads is given no more",
    "ledger.sql.writer.SQLWriter": "whole by itself; the other writes while nobody else may",
    "long_term.write.removing.Removing": "the cycle of forgetting changes nothing else",
    "nodes.settings.NodeSettings": "of single nodes; the other is of a whole agent",
    "privacy.conversing_layers.ConversationLayer": "whole by itself; the other finds on Redis what no index names",
    "privacy.conversing_layers.WorkingLayer": "whole by itself; the other finds on Redis what no index names",
    "privacy.graph_layers.ThreadLayer": "whole by itself; the other finds on Redis what no index names",
    "retrievers.MemoryRetriever": "whole by itself; the other retrieves what is told of an entity",
    "sql.postgres.Link": "of threads; the other is of event loops",
    "sql.prepared.Prepared": "one statement; the other is several as one",
    "vault.redis_resealing.RedisValues": "changes values; the other looks at them",
}
VAGUE_MODULES: Final = {"utils.py", "helpers.py", "common.py", "core.py"}
VAGUE_CLASS: Final = re.compile(r"(Manager|Handler|Helper|Engine|Utils|Processor|Service)$")


def functions() -> Iterator[tuple[str, Function]]:
    for path, inside in nodes().items():
        for node in inside:
            if isinstance(node, Function):
                yield f"{path}:{node.lineno} {node.name}", node


def length(node: Function) -> int:
    """Lines from `def` to the end, the docstring not counted."""
    assert node.end_lineno is not None
    first = node.body[0]
    has_docstring = ast.get_docstring(node, clean=False) is not None and first.end_lineno is not None
    docstring = first.end_lineno - first.lineno + 1 if has_docstring and first.end_lineno else 0
    return node.end_lineno - node.lineno + 1 - docstring


def parameters(node: Function) -> list[str]:
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [it.arg for it in every if it.arg not in {"self", "cls"}]


def test_no_function_is_longer_than_forty_lines() -> None:
    """What does not fit on a screen is two functions."""
    assert {name: length(node) for name, node in functions() if length(node) > MAX_LINES} == {}


def test_half_of_the_functions_have_at_most_eight_lines() -> None:
    """The median is the gauge: a package of short functions stays one."""
    assert statistics.median(length(node) for _, node in functions()) <= MAX_MEDIAN_LINES


def test_no_function_takes_more_than_six_parameters() -> None:
    """Beyond six, parameters belong in a record."""
    assert {name: parameters(node) for name, node in functions() if len(parameters(node)) > MAX_PARAMETERS} == {}


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    """A longer file holds two subjects, unless it is listed with a reason."""
    lines = {path: len((PACKAGE / path).read_text("utf-8").splitlines()) for path in trees()}
    assert {path for path, count in lines.items() if count > MAX_FILE_LINES} == set(LONG_FILES)


def test_a_file_that_is_long_for_its_docstrings_holds_no_procedure() -> None:
    """What is listed as long is a face: each of its methods checks and goes on, in one or two statements."""
    inside = {
        name: len(node.body)
        for name, node in functions()
        if name.split(":")[0] in LONG_FILES and node.name != "__init__"
        if len(node.body) > MAX_STATEMENTS + 1 or any(isinstance(it, ast.For | ast.While | ast.Try) for it in node.body)
    }
    assert inside == {}


def test_no_function_imports_our_own_package() -> None:
    """An import inside a function hides a circle; only those that compose may."""
    inside = {
        f"{name}: {ast.unparse(statement)}"
        for name, node in functions()
        if name.split(":")[0] not in LAZY_FILES
        for statement in ast.walk(node)
        if isinstance(statement, ast.Import | ast.ImportFrom) and "langchain_agentmem" in ast.unparse(statement)
    }
    assert inside == set()


def test_what_is_remembered_of_texts_is_known_to_erasures() -> None:
    """Where words of users are read, a cache with arguments is one of `of_texts`, or is listed with what it holds."""
    bare = {
        f"{name.split(':')[0]} {node.name}"
        for name, node in functions()
        if name.startswith(READ_IN) and parameters(node)
        for it in node.decorator_list
        if re.match(r"(functools\.)?(lru_cache|cache)\b", ast.unparse(it))
    }
    assert bare == set(HOLDS_NO_TEXT)


def test_no_class_is_the_base_of_one_other_alone() -> None:
    """What one class alone inherits is a part that it should hold, unless it is a port, a contract or listed."""
    bases = Counter(base for it in classes() for base in it.__bases__ if base.__module__.startswith(PACKAGE.name))
    alone = (it for it, count in bases.items() if count == 1 and not is_port(it) and ".testing." not in it.__module__)
    assert {f"{it.__module__}.{it.__qualname__}".removeprefix(f"{PACKAGE.name}.") for it in alone} == set(ONE_HEIR)


def is_port(cls: type) -> bool:
    """Whether a class says what others have to do."""
    return inspect.isabstract(cls) or is_protocol(cls)


def test_no_module_is_named_after_nothing() -> None:
    """A module called `utils` says nothing about what is in it."""
    assert [path for path in trees() if path.rsplit("/", maxsplit=1)[-1] in VAGUE_MODULES] == []


def test_no_class_is_named_after_nothing() -> None:
    """A class is its storage or role and its interface's noun, never a manager."""
    names = [node.name for inside in nodes().values() for node in inside if isinstance(node, ast.ClassDef)]
    assert [name for name in names if VAGUE_CLASS.search(name)] == []
