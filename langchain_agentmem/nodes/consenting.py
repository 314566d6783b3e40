"""Asks the user whether they want a memory at all: LangGraph's `interrupt()`, where nobody knows yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import interrupt

from langchain_agentmem._checks import check_instance
from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.consent import Consent
from langchain_agentmem.consent.flows import ConsentFlows
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.identity import resolve_run_id
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.turn import Failure, MemoryNode, Turn, attempt, begin
from langchain_agentmem.policies.consent_request import QUESTION, ConsentRequest, Said, read_answer
from langchain_agentmem.procedural.guard import can_ask
from langchain_agentmem.types import Kind

_NOTE = "answer with 'allow', 'refuse', or {'decision': 'some', 'kinds': […], 'purposes': […]}, of what was asked"


class AskConsent(MemoryNode):
    """Asks for consent where it is not known, and records the answer: at the beginning of a graph with a checkpointer.

    A no is an answer, too: nobody is asked again about what they refused. Without a checkpointer nobody can be asked,
    and the turn goes on without long-term memory.

    Args:
        memory: An `AgentMemory`.
        request: What for.
        settings: For whom, and in which mode.
    """

    name = "ask_consent"
    is_opening = True

    def __init__(self, memory: object, request: ConsentRequest, settings: NodeSettings | None = None) -> None:
        super().__init__(settings)
        self._consent = consent_of(memory)
        self._request = check_instance("request", request, ConsentRequest)

    def _begin(self, state: object, config: RunnableConfig | None) -> Turn:
        del state  # it asks whatever the state of the graph is
        return begin({"messages": []}, config, self._settings, is_opening=True)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        yield from ask_consent_flow(self._consent, self._request, turn)
        return {}


def ask_consent_flow(consent: ConsentFlows, request: ConsentRequest, turn: Turn) -> Flow[None]:
    """Ask for what is open of a request, as part of another flow; what fails costs the question, never the turn."""
    if not turn.may_write or not can_ask(turn.config):
        return
    left = yield from attempt(consent.open, turn.scope, request)
    if isinstance(left, Failure) or left is None:
        return
    said = _asked(left)
    origin = {"run_id": resolve_run_id(), "thread_id": turn.scope.session_id}
    yield from attempt(consent.answer, turn.scope, left, said, origin)


def create_consent_node(
    memory: object,
    *,
    purposes: Sequence[str] = (),
    kinds: Sequence[Kind] | None = None,
    question: str = QUESTION,
    settings: NodeSettings | None = None,
) -> AskConsent:
    """Return a node that asks the user for consent with `interrupt()`, where it is not known, and records the answer.

    The graph is resumed with `"allow"`, `"refuse"`, or `{"decision": "some", "kinds": […], "purposes": […]}`.

    Args:
        memory: An `AgentMemory`.
        purposes: What for; empty: every purpose.
        kinds: Which kinds of memory; `None`: all.
        question: What the user is shown.
        settings: For whom, and in which mode.

    Raises:
        ConfigurationError: There is no memory, or an argument has a value that cannot work.
    """
    return AskConsent(memory, ConsentRequest(purposes=purposes, kinds=kinds, question=question), settings)


def consent_of(memory: object) -> ConsentFlows:
    """Return what records the consent of a memory's users.

    Raises:
        ConfigurationError: It is no `AgentMemory`.
    """
    found = getattr(memory, "consent", None)
    if not isinstance(found, Consent):
        msg = f"memory must be an AgentMemory, got {type(memory).__name__}; for example AgentMemory.in_memory()"
        raise ConfigurationError(msg)
    return flows_of(found)


def _asked(request: ConsentRequest) -> Said:
    shown = request.shown()
    while (said := read_answer(interrupt(shown), request)) is None:
        shown = {**shown, "note": _NOTE}
    return said
