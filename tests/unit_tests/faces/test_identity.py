from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.identity import is_delegated, resolve_mode, resolve_scope
from langchain_agentmem.types import Scope


@dataclass
class Context:
    user_id: str | None = None
    memory_mode: str | None = None


class Model(BaseModel):
    user_id: str


def runtime(context: Any = None, *, thread: str | None = None, **user: Any) -> Any:  # noqa: ANN401
    """What LangGraph hands to a node; `user` is whom its platform authenticated."""
    server = SimpleNamespace(user=SimpleNamespace(**user) if user else None)
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
    """Explicit, context, configurable: the first that is set decides."""
    config = configured(user_id="dora")
    assert resolve_scope(config, runtime({"user_id": "bob"}), explicit=Scope("alice")).user_id == "alice"
    assert resolve_scope(config, runtime({"user_id": "bob"})).user_id == "bob"
    assert resolve_scope(config, runtime(None)).user_id == "dora"


def test_whom_the_platform_authenticated_is_the_user() -> None:
    """Naming them once more changes nothing; a fixed scope is the application's own choice."""
    assert resolve_scope(configured(), runtime({}, identity="carol")).user_id == "carol"
    assert resolve_scope(configured(user_id="carol"), runtime(None, identity="carol")).user_id == "carol"
    assert resolve_scope(configured(), runtime({}, identity="carol"), explicit=Scope("alice")).user_id == "alice"


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({}, {"user_id": "bob"}),
        ({"user_id": "bob"}, None),
        ({"langgraph_user_id": "bob"}, None),
        ({"langgraph_auth_user_id": "bob"}, None),
        ({}, {"user_id": ""}),
        ({}, {"tenant_id": "acme"}),
        ({"tenant_id": "acme"}, None),
    ],
)
def test_a_client_cannot_overrule_the_platforms_authentication(config: dict[str, Any], context: object) -> None:
    """On a server, context and config come with the request: another user or tenant there is refused."""
    with pytest.raises(ScopeError, match="authenticat"):
        resolve_scope(configured(**config), runtime(context, identity="alice"))


def test_an_authenticated_id_in_the_config_binds_as_well() -> None:
    """Platforms that hand it over there name the same user."""
    with pytest.raises(ScopeError, match="authenticated"):
        resolve_scope(configured(langgraph_auth_user_id="alice"), runtime({"user_id": "bob"}))


def test_the_tenant_is_the_one_that_the_authentication_gave() -> None:
    """As a field of the authenticated user; naming it once more changes nothing."""
    alice = runtime({"tenant_id": "acme"}, identity="alice", tenant_id="acme")
    assert resolve_scope(configured(), alice) == Scope("alice", tenant_id="acme")
    with pytest.raises(ScopeError, match="tenant"):
        resolve_scope(configured(tenant_id="other"), alice)


@pytest.mark.parametrize(
    ("around", "is_known"),
    [("tools:1|model:2", True), ("my_tool_node:1|model:2", True), ("act:1|x:2", True), ("researcher:1|model:2", False)],
)
def test_a_run_within_a_node_that_runs_tools_is_delegated(around: str, is_known: bool) -> None:  # noqa: FBT001  (a case)
    """An agent that is a node of a graph is none."""
    assert is_delegated(configured(checkpoint_ns=around)) is is_known


@pytest.mark.parametrize(
    ("own", "around", "is_known"),
    [("inner:2", "work:1", True), ("work:1|inner:2", "work:1", False), ("work:1", "work:1", False), ("x:1", "", False)],
)
def test_a_run_that_begins_anew_within_a_graph_is_delegated(own: str, around: str, is_known: bool) -> None:  # noqa: FBT001  (a case)
    """A graph's own parts begin where it stands; what has a thread of its own does not."""
    config: Any = {**configured(checkpoint_ns=own), "metadata": {"checkpoint_ns": around}}
    assert is_delegated(config) is is_known


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
