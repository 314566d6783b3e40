"""What users may import, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

import langchain_agentmem

EXPECTED: Final = [
    "Action",
    "ActionCheck",
    "ActionContext",
    "AgentMemError",
    "AgentMemory",
    "Anchor",
    "AnsweringGraph",
    "Approval",
    "ApprovalDecision",
    "ApprovalMiddleware",
    "ApprovalOutcome",
    "ApprovalPolicy",
    "Candidate",
    "ConfigurationError",
    "ConflictError",
    "ConflictPolicy",
    "ConsentError",
    "ConsentRequest",
    "ConsentState",
    "ConsolidationReport",
    "ContextAssembly",
    "Conversation",
    "Decision",
    "Dialogue",
    "Entity",
    "EntityGraph",
    "EntityRelation",
    "EntityRetriever",
    "Event",
    "Explanation",
    "Fate",
    "ForgetReport",
    "ForgettingPolicy",
    "Goal",
    "GoalProgress",
    "GovernanceError",
    "GraphOptions",
    "HistoryView",
    "Hit",
    "HybridMemory",
    "IntegrityError",
    "KeyEnvironment",
    "KeyFolder",
    "KeyServer",
    "LayerTrace",
    "Linker",
    "ListQuery",
    "LostKeysError",
    "Memory",
    "MemoryConfig",
    "MemoryMiddleware",
    "MemoryOptions",
    "MemoryRetriever",
    "MessageBuffer",
    "MiddlewareOptions",
    "MigrationError",
    "ModelLinker",
    "ModelOutputError",
    "ModelPlanner",
    "ModelRewriter",
    "NotFoundError",
    "Outcome",
    "Page",
    "PastAction",
    "Planner",
    "Policy",
    "PresidioDetector",
    "PrivacyReport",
    "ProceduralMemory",
    "ProceduralOptions",
    "Provenance",
    "Recall",
    "RecallQuery",
    "Receipt",
    "ReceiptLine",
    "RedisChatMessageHistory",
    "RedisSaver",
    "RetentionError",
    "RevealRequest",
    "RulePlanner",
    "RuleRewriter",
    "Ruling",
    "RunningSummary",
    "SQLChatMessageHistory",
    "SQLSaver",
    "SQLStore",
    "SaverOptions",
    "Scope",
    "ScopeError",
    "SensitivePolicy",
    "SensitiveReport",
    "SessionOptions",
    "Skill",
    "StateKeys",
    "StateUpdate",
    "StorageError",
    "SubjectVault",
    "SummaryBuffer",
    "SummaryLimits",
    "ThreadChatMessageHistory",
    "TokenBuffer",
    "ToolCallRecord",
    "TrustPolicy",
    "TurnAssembly",
    "TurnContext",
    "UpdateWorkingMemory",
    "UserProfile",
    "Verification",
    "Weights",
    "WorkingChannel",
    "WorkingDecision",
    "WorkingGraphState",
    "WorkingMemory",
    "WorkingOptions",
    "WorkingReport",
    "WorkingSession",
    "WorkingState",
    "WriteContext",
    "WritePolicy",
    "__version__",
    "acting_as",
    "aevery",
    "create_consent_node",
    "create_memory_graph",
    "every",
]
BACKENDS: Final = ["chromadb", "psycopg", "redis", "sentence_transformers", "torch", "transformers"]


def loaded_by(code: str, names: list[str]) -> list[str]:
    """Which of these packages a fresh interpreter has loaded after running the code."""
    script = f"import sys\n{code}\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_public_names_are_these() -> None:
    """A name is added to or taken from the package on purpose."""
    assert sorted(langchain_agentmem.__all__) == EXPECTED


@pytest.mark.parametrize("name", EXPECTED)
def test_a_public_name_can_be_imported(name: str) -> None:
    """Each public name is there when it is asked for."""
    assert getattr(langchain_agentmem, name)


def test_the_public_names_are_listed_before_they_are_loaded() -> None:
    """`dir()` shows every public name, so that completion works in a shell."""
    assert set(EXPECTED) <= set(dir(langchain_agentmem))


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The lazy table answers for its own names only."""
    name = "no_such_name"
    with pytest.raises(AttributeError, match=name):
        getattr(langchain_agentmem, name)


def test_the_bare_import_loads_no_framework_and_no_driver() -> None:
    """`import langchain_agentmem` is nearly free."""
    heavy = [*BACKENDS, "alembic", "langchain_core.messages", "langgraph", "numpy", "sqlalchemy"]
    assert loaded_by("import langchain_agentmem", heavy) == []


def test_importing_the_root_class_loads_no_backend() -> None:
    """Models and drivers are loaded when they are first used."""
    assert loaded_by("from langchain_agentmem import AgentMemory, Scope", BACKENDS) == []


def test_facts_load_no_agent_and_no_extraction() -> None:
    """Whoever remembers and recalls facts alone starts without LangGraph, LangSmith and the rules that read talk."""
    code = (
        "from langchain_agentmem import AgentMemory, Scope\n"
        "memory = AgentMemory.in_memory(embeddings=None, consent='assumed')\n"
        "memory.long_term.remember('Alice likes tea', scope=Scope('alice'))\n"
        "memory.long_term.recall('tea', scope=Scope('alice'))"
    )
    heavy = [*BACKENDS, "langgraph.types", "langsmith", "langchain_agentmem.extraction.rules"]
    assert loaded_by(code, heavy) == []


WITHOUT_LANGCHAIN: Final = """
import sys
class Hidden:
    def __init__(self, finder): self.finder = finder
    def __getattr__(self, name): return getattr(self.finder, name)
    def find_spec(self, name, *rest):
        return None if name.split(".")[0] == "langchain" else self.finder.find_spec(name, *rest)
sys.meta_path[:] = map(Hidden, sys.meta_path)
"""
"""Hides what the extra `agents` brings."""


def printed(code: str) -> str:
    """What a fresh interpreter without LangChain prints."""
    script = WITHOUT_LANGCHAIN + code
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_everything_can_be_imported_from_a_core_installation() -> None:
    """`import *` and whoever walks over the names meet nothing that an extra brings; `dir` does not, either."""
    code = (
        "from langchain_agentmem import *\nimport langchain_agentmem as it\n"
        "print([name for name in it.__all__ if not hasattr(it, name)], AgentMemory.__name__, "
        "'MemoryMiddleware' in dir(it))"
    )
    assert printed(code) == "[] AgentMemory False\n"


def test_what_an_extra_brings_says_so_where_it_is_asked_for() -> None:
    """By name it is an import that fails, as Python has it; by a method an error of ours; both say what to install."""
    code = (
        "from langchain_agentmem import AgentMemory, ConfigurationError\n"
        "try: AgentMemory.in_memory(embeddings=None).middleware()\n"
        "except ConfigurationError as error: print(error)\n"
        "try: from langchain_agentmem import MemoryMiddleware\n"
        "except ImportError as error: print(error)"
    )
    assert [line.count('pip install "langchain-agentmem[agents]"') for line in printed(code).splitlines()] == [1, 1]
