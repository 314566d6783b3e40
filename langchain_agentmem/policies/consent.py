"""Whether a user's consent covers a use of long-term memory, and what an answer of theirs leaves of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.policies.redact import redact
from langchain_agentmem.policies.rulings import ConsentMode, Ruling, refuse
from langchain_agentmem.policies.shortening import beginning
from langchain_agentmem.types import KINDS, Kind, Memory
from langchain_agentmem.types.consent import Allowance, ConsentState, consent_of

_RULE: Final = "consent"
_SHOWN_CHARS: Final = 64
"""Of a label in a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consented:
    """What a user's consent allows at one time, under the application's way to ask.

    Args:
        state: As of that time.
        mode: Whether silence is consent.
    """

    state: ConsentState
    mode: ConsentMode = "required"

    def allows(self, kind: Kind) -> bool:
        """Whether memories of a kind may be used at all."""
        return is_given(self.state.of(kind), self.mode)

    def serves(self, kind: Kind, purpose: str | None) -> bool:
        """Whether memories of a kind may be used for a purpose; without one, for what needs none to be named."""
        allowance = self.state.of(kind)
        return not allowance.purposes if purpose is None else allowance.covers(purpose)

    def admits(self, memory: Memory) -> bool:
        """Whether a memory may be used for anything."""
        of = self.state.of(memory.kind)
        return is_given(of, self.mode) and (not memory.purposes or any(map(of.covers, memory.purposes)))

    @property
    def kinds(self) -> tuple[Kind, ...] | None:
        """The kinds that may be used; `None`: all."""
        found = tuple(kind for kind in KINDS if self.allows(kind)) if self.state.kinds else None
        return None if found is None or len(found) == len(KINDS) else found

    def may_read(self, purpose: str | None = None, kinds: Iterable[Kind] | None = None) -> bool:
        """Whether a recall of some kinds may find anything: what was stored is used as far as the user allows now."""
        if not self.state.kinds:
            rest = self.state.rest
            return is_given(rest, self.mode) and (purpose is None or rest.covers(purpose))
        asked = KINDS if kinds is None else tuple(kinds)
        return any(self.allows(it) and (purpose is None or self.serves(it, purpose)) for it in asked)


def is_given(allowance: Allowance, mode: ConsentMode) -> bool:
    """Whether there is consent, whatever it is for."""
    return allowance.status == "granted" or (allowance.status == "unknown" and mode == "assumed")


def judge_consent(
    state: ConsentState, mode: ConsentMode, purposes: Sequence[str] = (), *, kind: Kind | None = None
) -> Ruling | None:
    """Return a refusal that names the remedy, or `None` where consent covers every one of `purposes`.

    A withdrawal counts in either mode, and so does a restriction to purposes. No purposes at all are covered by any
    grant: what they are restricted to is then up to the caller.

    Args:
        state: As of now: see `ConsentState.as_of`.
        mode: Whether silence is consent.
        purposes: What it is to be used for.
        kind: Of what; `None`: of whatever is allowed.
    """
    allowance = state.of(kind) if kind is not None else _best(state, mode)
    if not is_given(allowance, mode):
        return refuse(_RULE, _missing(allowance, None if kind is None or not _is_apart(state, kind, mode) else kind))
    beyond = [it for it in purposes if not allowance.covers(it)]
    return refuse(_RULE, _beyond(beyond[0], kind)) if beyond else None


def consent_after(state: ConsentState, event_type: str, note: Mapping[str, Any], at: datetime) -> ConsentState:
    """Return what an event of consent leaves of the consent before it.

    A grant says all over again what it names kinds for; without kinds, everything. A withdrawal of purposes leaves the
    others, and one of kinds the other kinds.
    """
    named: Any = note.get("kinds")
    own, rest = dict(state.kinds), state.rest
    for_purposes, source = tuple(note.get("purposes", ())), str(note.get("source", ""))
    if event_type == "consent_withdrawn" and for_purposes:
        less = {kind: _less(state.of(kind), for_purposes, source, at) for kind in (own if named is None else named)}
        rest = _less(rest, for_purposes, source, at) if named is None else rest
        return consent_of(rest, {**own, **less}, at)
    said = Allowance(status="withdrawn", at=at, source=source)
    if event_type == "consent_granted":
        ends = note.get("expires_at")
        until = None if ends is None else datetime.fromisoformat(ends)
        said = replace(said, status="granted", purposes=for_purposes, expires_at=until)
    return consent_of(said, {}, at) if named is None else consent_of(rest, {**own, **dict.fromkeys(named, said)}, at)


def common_purposes(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...] | None:
    """Return what two restrictions to purposes allow together, `None` where that is nothing; none at all allows all."""
    if not first or not second:
        return tuple(first or second)
    return tuple(it for it in first if it in second) or None


def limits_of(state: ConsentState) -> dict[str, Any]:
    """Return the purposes that consent is limited to, of each kind, as they can be kept with what waits."""
    own = {kind: list(it.purposes) for kind, it in state.kinds}
    return {"purposes": list(state.purposes), **({"kinds": own} if own else {})}


def narrowed(limits: Mapping[str, Any], state: ConsentState) -> dict[Kind, tuple[str, ...]]:
    """Return, by kind, the purposes that consent still covers; where it covers none, all: so they are refused."""
    own, rest = limits.get("kinds", {}), limits["purposes"]
    return {kind: _still(own.get(kind, rest), state.of(kind)) for kind in KINDS}


def _still(purposes: Sequence[str], allowance: Allowance) -> tuple[str, ...]:
    return tuple(filter(allowance.covers, purposes)) or tuple(purposes)


def unanswered(state: ConsentState, kinds: Sequence[Kind], purposes: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of which the user has said nothing yet, or nothing any more, for one of some purposes."""
    return tuple(kind for kind in kinds if _is_open(state.of(kind), purposes))


def _is_open(allowance: Allowance, purposes: Sequence[str]) -> bool:
    """Whether there is something to ask: a no is an answer."""
    if allowance.status != "granted":
        return allowance.status in {"unknown", "expired"}
    return any(not allowance.covers(it) and it not in allowance.without for it in purposes)


def _best(state: ConsentState, mode: ConsentMode) -> Allowance:
    """Return what holds for most kinds, or, where that is a no, for one that is allowed."""
    every = (state.rest, *(it for _, it in state.kinds))
    return next((it for it in every if is_given(it, mode)), state.rest)


def _is_apart(state: ConsentState, kind: Kind, mode: ConsentMode) -> bool:
    """Whether something else is allowed, so that it has to be said which kind is not."""
    return is_given(_best(state, mode), mode) and not is_given(state.of(kind), mode)


def _missing(allowance: Allowance, kind: Kind | None) -> str:
    what = "long-term memory" if kind is None else f"memories of the kind {kind!r}"
    call = "memory.consent.grant(scope)" if kind is None else f"memory.consent.grant(scope, kinds=[{kind!r}])"
    if allowance.status == "withdrawn":
        return f"The user has withdrawn consent to {what}; {call} gives it again."
    if allowance.status == "expired":
        return f"The user's consent to {what} has expired; call {call} once they have agreed again."
    return f"The user has not consented to {what}; call {call} once they have."


def _beyond(purpose: str, kind: Kind | None) -> str:
    what = "this" if kind is None else f"memories of the kind {kind!r}"
    named = redact(beginning(purpose, _SHOWN_CHARS))
    return (
        f"The user's consent does not cover every purpose of {what}: {named!r} is not among them; drop it, or call"
        " memory.consent.grant(scope, purposes=…) once they have agreed."
    )


def _less(allowance: Allowance, purposes: Sequence[str], source: str, at: datetime) -> Allowance:
    """Return what a withdrawal of purposes leaves."""
    without = tuple(dict.fromkeys((*allowance.without, *purposes)))
    left = tuple(it for it in allowance.purposes if it not in purposes)
    if allowance.status == "withdrawn" or (allowance.purposes and not left):
        return Allowance(status="withdrawn", at=at, source=source)
    return replace(allowance, purposes=left, without=without, at=at, source=source)
