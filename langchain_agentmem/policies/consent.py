"""Whether a user's consent covers a use of long-term memory."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_agentmem.policies.rulings import ConsentMode, Ruling, refuse
from langchain_agentmem.types import ConsentState

_RULE = "consent"


def judge_consent(state: ConsentState, mode: ConsentMode, purposes: Sequence[str] = ()) -> Ruling | None:
    """Return a refusal that names the remedy, or `None` where consent covers every one of `purposes`.

    A withdrawal counts in either mode, and so does a restriction to purposes. No purposes at all are covered by any
    grant: what they are restricted to is then up to the caller.
    """
    if state.status == "withdrawn":
        return refuse(
            _RULE, "The user has withdrawn consent to long-term memory; memory.consent.grant(scope) gives it again."
        )
    if state.status == "unknown" and mode == "required":
        return refuse(
            _RULE, "The user has not consented to long-term memory; call memory.consent.grant(scope) once they have."
        )
    if state.purposes and not set(purposes) <= set(state.purposes):
        return refuse(
            _RULE,
            "The user's consent does not cover every purpose of this; drop the others, or call"
            " memory.consent.grant(scope, purposes=…) once they have agreed.",
        )
    return None


def common_purposes(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...] | None:
    """Return what two restrictions to purposes allow together, `None` where that is nothing; none at all allows all."""
    if not first or not second:
        return tuple(first or second)
    return tuple(it for it in first if it in second) or None
