"""Sensitive data in the items of LangGraph's store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_agentmem.errors import GovernanceError
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.sensitive.sessions import RULE


def value_protector(policy: SensitivePolicy) -> Callable[[Mapping[str, Any]], dict[str, Any]] | None:
    """Return what makes a value one that may be stored; `None` where every value may."""
    if policy.is_idle("store"):
        return None

    def protect(value: Mapping[str, Any]) -> dict[str, Any]:
        protector = Protector(policy, "store", None)
        made: dict[str, Any] = protector.value(value)
        if protector.blocked:
            msg = f"the value holds sensitive data ({', '.join(sorted(protector.blocked))}) that may not be stored"
            raise GovernanceError(msg, rule=RULE)
        return made

    return protect
