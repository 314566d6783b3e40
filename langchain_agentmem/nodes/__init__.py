"""The loop's nodes, each usable alone in any graph whose state has `messages`.

A graph whose state is `MemoryState`, or extends it, also gets the report of what memory did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_agentmem._lazy import lazily

if TYPE_CHECKING:
    from langchain_agentmem.nodes.act import Act
    from langchain_agentmem.nodes.approving import Approve, Ask
    from langchain_agentmem.nodes.consenting import AskConsent, create_consent_node
    from langchain_agentmem.nodes.evaluate import Evaluate
    from langchain_agentmem.nodes.forget import Forget
    from langchain_agentmem.nodes.forget_cycle import ForgetCycle
    from langchain_agentmem.nodes.intent import DetectIntent
    from langchain_agentmem.nodes.looking import BeforeAction
    from langchain_agentmem.nodes.options import AgentOptions
    from langchain_agentmem.nodes.queueing import Queue
    from langchain_agentmem.nodes.reason import Reason
    from langchain_agentmem.nodes.retrieve import Retrieve
    from langchain_agentmem.nodes.settings import NodeSettings
    from langchain_agentmem.nodes.state import MemoryInput, MemoryOutput, MemoryReport, MemoryState, MemoryText
    from langchain_agentmem.nodes.turn import MemoryNode, MemoryParts
    from langchain_agentmem.nodes.update import Update
    from langchain_agentmem.nodes.working import (
        UpdateWorkingMemory,
        WorkingChannel,
        WorkingGraphState,
        WorkingMemoryOutput,
        WorkingMemoryState,
        WorkingReport,
    )
    from langchain_agentmem.nodes.write import Write

__all__ = [
    "Act",
    "AgentOptions",
    "Approve",
    "Ask",
    "AskConsent",
    "BeforeAction",
    "DetectIntent",
    "Evaluate",
    "Forget",
    "ForgetCycle",
    "MemoryInput",
    "MemoryNode",
    "MemoryOutput",
    "MemoryParts",
    "MemoryReport",
    "MemoryState",
    "MemoryText",
    "NodeSettings",
    "Queue",
    "Reason",
    "Retrieve",
    "Update",
    "UpdateWorkingMemory",
    "WorkingChannel",
    "WorkingGraphState",
    "WorkingMemoryOutput",
    "WorkingMemoryState",
    "WorkingReport",
    "Write",
    "create_consent_node",
]

_MODULES = {
    "Act": "act",
    **dict.fromkeys(("Approve", "Ask"), "approving"),
    **dict.fromkeys(("AskConsent", "create_consent_node"), "consenting"),
    "Evaluate": "evaluate",
    "Forget": "forget",
    "ForgetCycle": "forget_cycle",
    "DetectIntent": "intent",
    "BeforeAction": "looking",
    "AgentOptions": "options",
    "Queue": "queueing",
    "Reason": "reason",
    "Retrieve": "retrieve",
    "NodeSettings": "settings",
    **dict.fromkeys(("MemoryInput", "MemoryOutput", "MemoryReport", "MemoryState", "MemoryText"), "state"),
    **dict.fromkeys(("MemoryNode", "MemoryParts"), "turn"),
    "Update": "update",
    **dict.fromkeys(
        (
            "UpdateWorkingMemory",
            "WorkingChannel",
            "WorkingGraphState",
            "WorkingMemoryOutput",
            "WorkingMemoryState",
            "WorkingReport",
        ),
        "working",
    ),
    "Write": "write",
}

if not TYPE_CHECKING:
    __getattr__ = lazily(__name__, _MODULES)
