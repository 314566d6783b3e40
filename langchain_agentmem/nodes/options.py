"""What of an agent with memory can be chosen, whichever kind of agent it is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from langchain_agentmem._checks import check_count, check_instance
from langchain_agentmem.english.requests.intent import detect_intent
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.nodes.intent import Detector
from langchain_agentmem.nodes.looking import BeforeAction
from langchain_agentmem.nodes.settings import NodeSettings, check_names
from langchain_agentmem.nodes.stopping import MAX_REFUSALS
from langchain_agentmem.nodes.working import check_rewriter
from langchain_agentmem.policies.consent_request import ConsentRequest
from langchain_agentmem.working.contract import Rewriter


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions(NodeSettings):
    """Options of `create_memory_graph` and of the middleware alike: `NodeSettings`, and these.

    With `working=True` the state of the task is also rewritten and stored when the model has answered; it is in the
    agent's state as `working` and `working_report`.

    Args:
        prompt: Replaces the packaged prompt `agent`, which tells the model what memories are.
        detector: Reads the intent of a message; by rules unless replaced.
        before_action: May forbid a tool's call: `before_action(action, recall)`, with what memory knows about the
            action, returns `None`, where the call may run, or why it must not, for the model. Where it raises, or
            returns anything else (such as `True`), the call does not run, and the report's status says so.
        unguarded: Names of tools that run without a look at memory.
        max_refusals: How often the same call may be refused for the same reason before the turn ends with that.
        ask_consent: Ask the user with `interrupt()` where it is not known whether they allow a memory; `True`: for all
            of it, a `ConsentRequest`: for what it names. It needs a checkpointer.
        rewriter: Rewrites working memory, for example a `ModelRewriter`; by rules unless given.
    """

    prompt: str | None = None
    detector: Detector = detect_intent
    before_action: BeforeAction | None = None
    unguarded: Collection[str] = ()
    max_refusals: int = MAX_REFUSALS
    rewriter: Rewriter | None = None
    ask_consent: ConsentRequest | bool = False

    def __post_init__(self) -> None:
        """Check what can be checked before anything is opened."""
        NodeSettings.__post_init__(self)  # `super()` finds no class with slots
        check_count("max_refusals", self.max_refusals)
        check_rewriter(self.rewriter, is_used=self.working)
        check_names("unguarded", self.unguarded)
        if not isinstance(self.ask_consent, bool):
            check_instance("ask_consent", self.ask_consent, ConsentRequest)
        for name in ("detector", "before_action"):
            _check_callable(name, getattr(self, name))

    @property
    def consent_request(self) -> ConsentRequest | None:
        """What the user is asked to allow; `None`: nothing."""
        return ConsentRequest() if self.ask_consent is True else self.ask_consent or None


def _check_callable(name: str, value: object) -> None:
    if value is not None and not callable(value):
        msg = f"{name} must be callable, got {type(value).__name__}; leave it out for the default"
        raise ConfigurationError(msg)
