"""Consent to long-term memory: opt-in, per user, an event of the log each time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from langchain_agentmem._checks import check_labels, check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.errors import ScopeError
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerWriter
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.types import ConsentState, Scope

Withdraw: TypeAlias = Callable[[Scope, Draft], Flow[ConsentState]]
"""Records a withdrawal together with what has to end by it."""


class Consent:
    """Records what each user allowed. It holds for the user, whatever the agent or session."""

    def __init__(self, ledger: Ledger, withdraw: Withdraw) -> None:
        """Compose."""
        self._ledger = ledger
        self._withdraw = withdraw

    def grant(self, scope: Scope, *, purposes: Sequence[str] = (), reason: str = "user agreed") -> ConsentState:
        """Record that the user allows long-term memory.

        Args:
            scope: The user.
            purposes: What it may be used for; empty: every purpose.
            reason: How the consent was given.

        Raises:
            ScopeError: The scope is anonymous.
            ConfigurationError: `purposes` is no sequence of short texts.
        """
        return run(self._record_grant(scope, purposes, reason))

    async def agrant(self, scope: Scope, *, purposes: Sequence[str] = (), reason: str = "user agreed") -> ConsentState:
        """Record that the user allows long-term memory; see `grant`."""
        return await arun(self._record_grant(scope, purposes, reason))

    def withdraw(self, scope: Scope, *, reason: str = "user withdrew") -> ConsentState:
        """Record that the user allows it no more: nothing is written or recalled from now on; `erase` deletes.

        What was handed over to `memory.background` and waits is dropped: it may never be kept.
        """
        return run(self._record_withdrawal(scope, reason))

    async def awithdraw(self, scope: Scope, *, reason: str = "user withdrew") -> ConsentState:
        """Record that the user allows it no more; see `withdraw`."""
        return await arun(self._record_withdrawal(scope, reason))

    def status(self, scope: Scope) -> ConsentState:
        """Return what the user allowed last."""
        return run(self._status(scope))

    async def astatus(self, scope: Scope) -> ConsentState:
        """Return what the user allowed last; see `status`."""
        return await arun(self._status(scope))

    def _record_withdrawal(self, scope: Scope, reason: str) -> Flow[ConsentState]:
        note = {"purposes": [], "reason": redact(check_text("reason", reason))}
        draft = Draft(type="consent_withdrawn", note=note)
        return (yield from self._withdraw(_known_user(scope), draft))

    def _record_grant(self, scope: Scope, purposes: Sequence[str], reason: str) -> Flow[ConsentState]:
        note = {"purposes": list(check_labels("purposes", purposes)), "reason": redact(check_text("reason", reason))}
        draft = Draft(type="consent_granted", note=note)

        def record(writer: LedgerWriter) -> ConsentState:
            writer.append(draft)
            return writer.head.consent

        return (yield from self._ledger.append(_known_user(scope), record))

    def _status(self, scope: Scope) -> Flow[ConsentState]:
        return (yield from self._ledger.read(_known_user(scope), lambda reader: reader.head.consent))


def _known_user(scope: Scope) -> Scope:
    if not isinstance(scope, Scope):
        msg = f"scope must be a Scope, got {type(scope).__name__}; for example Scope(user_id='alice')"
        raise ScopeError(msg)
    if scope.is_anonymous:
        msg = "an anonymous scope has no long-term memory to consent to; pass Scope(user_id=…)"
        raise ScopeError(msg)
    return scope
