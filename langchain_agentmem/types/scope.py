"""Whose memory a call is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from langchain_agentmem._checks import check_id
from langchain_agentmem.errors import ScopeError
from langchain_agentmem.types.showing import briefly


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory a call is about. Every method of the package takes one; ids are compared exactly.

    Args:
        user_id: The authenticated user; any text without NUL and lone surrogates, at most 512 bytes.
        tenant_id: The customer or installation the user belongs to.
        agent_id: With it, memories of that agent and those shared by the user's agents; `None`: the shared ones.
        session_id: The conversation, for provenance and per-session limits; it does not narrow a recall.
        is_anonymous: Set by `Scope.anonymous` only.

    Raises:
        ScopeError: An id is empty, too long, or holds NUL or a lone surrogate.
    """

    __repr__ = briefly()

    user_id: str
    tenant_id: str = field(default="default", kw_only=True)
    agent_id: str | None = field(default=None, kw_only=True)
    session_id: str | None = field(default=None, kw_only=True)
    is_anonymous: bool = field(default=False, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        """Refuse malformed ids."""
        if self.is_anonymous:
            if self.user_id:
                msg = f"an anonymous scope has no user, got user_id {self.user_id!r}; use Scope.anonymous(session_id)"
                raise ScopeError(msg)
            check_id("session_id", self.session_id)
        for name in ("user_id", "tenant_id", "agent_id", "session_id"):
            value = getattr(self, name)
            is_left_out = (
                value is None if name in {"agent_id", "session_id"} else name == "user_id" and self.is_anonymous
            )
            if not is_left_out:
                object.__setattr__(self, name, check_id(name, value))

    @classmethod
    def anonymous(cls, session_id: str, *, tenant_id: str = "default") -> Scope:
        """Scope of a visitor without an account: context and working memory only, nothing long-term."""
        return cls("", tenant_id=tenant_id, session_id=session_id, is_anonymous=True)


def check_scope(scope: object, example: str = "Scope(user_id='alice')") -> Scope:
    """Return a scope.

    Raises:
        ScopeError: It is none.
    """
    if not isinstance(scope, Scope):
        msg = f"scope must be a Scope, got {type(scope).__name__}; for example {example}"
        raise ScopeError(msg)
    return scope


def known_user(scope: object) -> Scope:
    """Return the scope of a known user: of nobody else there is anything to remember, to consent to, or to erase.

    Raises:
        ScopeError: It is none, or an anonymous one.
    """
    known = check_scope(scope)
    if known.is_anonymous:
        msg = (
            "an anonymous scope names no user, and has no long-term memory; pass Scope(user_id=…). What a visitor "
            "leaves ends with its session"
        )
        raise ScopeError(msg)
    return known


class Owner(NamedTuple):
    """Whose a row is, in every session and of every agent."""

    tenant_id: str
    user_id: str
