from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.identity import resolve_mode, resolve_scope
from langchain_agentmem.types import Scope


@dataclass
class Context:
    user_id: str | None = None
    memory_mode: str | None = None


class Model(BaseModel):
    user_id: str


def runtime(context: Any = None, *, identity: str | None = None, thread: str | None = None) -> Any:  # noqa: ANN401
    """What LangGraph hands to a node."""
    server = SimpleNamespace(user=SimpleNamespace(identity=identity))
    return SimpleNamespace(context=context, server_info=server, execution_info=SimpleNamespace(thread_id=thread))


def configured(**values: Any) -> Any:  # noqa: ANN401
    return {"configurable": values}


@pytest.mark.parametrize("context", [{"user_id": "alice"}, Context("alice"), Model(user_id="alice")])
def test_the_context_names_the_user_whatever_its_type(context: object) -> None:
    """A mapping, a dataclass and a pydantic model all do."""
    assert resolve_scope(runtime=runtime(context)).user_id == "alice"


@pytest.mark.parametrize("key", ["user_id", "langgraph_user_id", "langgraph_auth_user_id"])
def test_a_config_names_the_user_outside_of_a_graph(key: str) -> None:
    """`configurable` is the last source."""
    assert resolve_scope(configured(**{key: "alice"})).user_id == "alice"


def test_the_sources_have_an_order() -> None:
    """Explicit, context, authenticated identity, configurable: the first that is set decides."""
    config = configured(user_id="dora")
    assert (
        resolve_scope(config, runtime({"user_id": "bob"}, identity="carol"), explicit=Scope("alice")).user_id == "alice"
    )
    assert resolve_scope(config, runtime({"user_id": "bob"}, identity="carol")).user_id == "bob"
    assert resolve_scope(config, runtime({}, identity="carol")).user_id == "carol"
    assert resolve_scope(config, runtime(None)).user_id == "dora"


def test_without_a_user_the_run_is_refused_with_the_remedy() -> None:
    """Nobody's memory is nobody's: the error says how to name a user."""
    with pytest.raises(ScopeError, match="user_id"):
        resolve_scope(configured(thread_id="t"))


@pytest.mark.parametrize("user_id", ["", 42, "a\x00b"])
def test_a_malformed_user_is_refused_and_not_passed_over(user_id: object) -> None:
    """A broken id never falls through to another source."""
    with pytest.raises(ScopeError):
        resolve_scope(configured(user_id="bob"), runtime({"user_id": user_id}))


def test_thread_tenant_and_agent_come_along() -> None:
    """The thread is the session; tenant and agent are as the application says."""
    scope = resolve_scope(configured(tenant_id="acme"), runtime({"user_id": "a"}, thread="t1"), agent_id="helper")
    assert scope == Scope("a", tenant_id="acme", agent_id="helper", session_id="t1")


def test_the_strictest_mode_wins() -> None:
    """A turn can be stricter than its graph, never laxer."""
    assert resolve_mode(configured(memory_mode="on"), runtime(None), mode="frozen") == "frozen"
    assert resolve_mode(configured(memory_mode="frozen"), runtime(Context(memory_mode="off"))) == "off"


def test_an_unknown_mode_is_refused() -> None:
    """A typing error does not switch memory on."""
    with pytest.raises(ConfigurationError, match="memory_mode"):
        resolve_mode(configured(memory_mode="paused"))
