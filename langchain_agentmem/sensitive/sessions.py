"""Conversations without the sensitive data that may not stand in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import GovernanceError
from langchain_agentmem.ledger.base import Draft, Ledger, LedgerWriter
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector, holder_of
from langchain_agentmem.sensitive.messages import protect_message
from langchain_agentmem.sessions.base import DEFAULT_PAGE, Conversation, KeptSummary, MessagePage, Sessions
from langchain_agentmem.types import Scope
from langchain_agentmem.types.paging import LastUsed

T = TypeVar("T")
RULE = "sensitive_data"


class ProtectedSessions(Sessions):
    """Sessions that store, and show, what a policy allows.

    Args:
        sessions: Where conversations are stored.
        policy: Says what becomes of each type.
        ledger: Keeps what tokens stand for, and notes what was refused.
        new_id: Gives the id of a message that has none.
    """

    def __init__(self, sessions: Sessions, policy: SensitivePolicy, ledger: Ledger, new_id: Callable[[], str]) -> None:
        """Compose."""
        self._sessions = sessions
        self._policy = policy
        self._ledger = ledger
        self._new_id = new_id
        self.keeps_summaries = sessions.keeps_summaries

    def append(self, scope: Scope, messages: Sequence[BaseMessage]) -> Flow[int]:
        """Add messages as they may be stored.

        Raises:
            GovernanceError: One holds what may not be stored; nothing is.
        """
        if self._policy.is_idle("histories") or not _are_messages(messages):
            return (yield from self._sessions.append(scope, messages))
        protector = Protector(self._policy, "histories", scope)
        made = [self._protected(message, protector) for message in messages]
        yield from keep_found(self._ledger, scope, protector, holder_of(scope))
        return (yield from self._sessions.append(scope, made))

    def _protected(self, message: BaseMessage, protector: Protector) -> BaseMessage:
        if not message.id:
            message.id = self._new_id()  # on the object itself, so that the same call can be repeated after an error
        return protect_message(message, protector)

    def read(self, scope: Scope, *, last: int | None = None) -> Flow[list[BaseMessage]]:
        """Read what may be shown."""
        return self._shown(scope, (yield from self._sessions.read(scope, last=last)))

    def page(self, scope: Scope, *, after: int = 0, limit: int = DEFAULT_PAGE) -> Flow[MessagePage]:
        """Read what may be shown."""
        page = yield from self._sessions.page(scope, after=after, limit=limit)
        return replace(page, messages=tuple(self._shown(scope, page.messages)))

    def pick(self, scope: Scope, message_ids: Iterable[str]) -> Flow[dict[str, BaseMessage]]:
        """Read what may be shown."""
        found = yield from self._sessions.pick(scope, message_ids)
        return dict(zip(found, self._shown(scope, found.values()), strict=True))

    def search(self, scope: Scope, text: str, *, limit: int = DEFAULT_PAGE) -> Flow[list[BaseMessage]]:
        """Search what is stored, and read of it what may be shown."""
        return self._shown(scope, (yield from self._sessions.search(scope, text, limit=limit)))

    def summary(self, scope: Scope) -> Flow[bytes | None]:
        """Read from the sessions."""
        return self._sessions.summary(scope)

    def keep_summary(self, scope: Scope, kept: KeptSummary | None) -> Flow[bool]:
        """Keep it in the sessions."""
        return self._sessions.keep_summary(scope, kept)

    def clear(self, scope: Scope) -> Flow[int]:
        """Delete a session, and then what its tokens stood for."""
        cleared = yield from self._sessions.clear(scope)
        if self._policy.tokenises("histories") and not scope.is_anonymous:
            yield from self._ledger.append(scope, lambda writer: writer.sensitive.drop(holder_of(scope)))
        return cleared

    def count(self, scope: Scope) -> Flow[int]:
        """Count in the sessions."""
        return self._sessions.count(scope)

    def conversations(
        self, scope: Scope, *, limit: int = DEFAULT_PAGE, before: LastUsed | None = None
    ) -> Flow[list[Conversation]]:
        """List those of the sessions, with titles that may be shown."""
        listed = yield from self._sessions.conversations(scope, limit=limit, before=before)
        if self._policy.is_idle("shown"):
            return listed
        protector = Protector(self._policy, "shown", scope)
        return [it if it.title is None else replace(it, title=protector.text(it.title)) for it in listed]

    def sweep(self) -> Flow[int]:
        """Sweep the sessions."""
        return self._sessions.sweep()

    def _shown(self, scope: Scope, messages: Iterable[BaseMessage]) -> list[BaseMessage]:
        if self._policy.is_idle("shown"):
            return list(messages)
        protector = Protector(self._policy, "shown", scope)
        return [protect_message(message, protector) for message in messages]


def keep_found(
    ledger: Ledger, scope: Scope, protector: Protector, holder: str, layer: Layer = "histories"
) -> Flow[None]:
    """Keep what new tokens stand for, before anything names them; refuse what is blocked, and note that it was.

    Raises:
        GovernanceError: What was found may not stand there.
    """
    blocked, tokens = sorted(protector.blocked), protector.tokens

    def note(writer: LedgerWriter) -> None:
        if blocked:
            writer.append(Draft(type="refused", rule=RULE, note={"layer": layer, "types": blocked}))
        else:
            writer.sensitive.put(holder, tokens)

    if not scope.is_anonymous and (blocked or tokens):
        yield from ledger.append(scope, note)
    if blocked:
        msg = f"it holds sensitive data ({', '.join(blocked)}) that may not be kept in {layer}; say it without"
        raise GovernanceError(msg, rule=RULE)


def _are_messages(messages: object) -> bool:
    return isinstance(messages, Sequence) and all(isinstance(it, BaseMessage) for it in messages)
