"""What of an export may be taken in: what the user consents to now, as the policy for sensitive data lets it stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.consent.answers import Answer
from langchain_agentmem.ledger.base import Draft
from langchain_agentmem.policies.consent import Consented
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.privacy.layers import Record
from langchain_agentmem.types import ConsentState, Memory, Scope
from langchain_agentmem.types.consent import Allowance

OF_A_LAYER: Final = "/"
"""In what holds a token: of a conversation, a thread or a working state, and of no memory."""

IMPORTED: Final = "import"
"""The source of an answer that an export does not name one of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The rules of writing that an import keeps too.

    Attributes:
        consented: What a user's consent allows now.
        sensitive: What becomes of sensitive data.
    """

    consented: Callable[[ConsentState], Consented]
    sensitive: SensitivePolicy

    def memories(
        self, memories: Iterable[Memory], consent: ConsentState, scope: Scope
    ) -> Iterator[tuple[Memory, Mapping[str, str]]]:
        """Yield what may be kept, as it may be kept, and what its tokens stand for."""
        consented = self.consented(consent)
        for memory in memories:
            protector = Protector(self.sensitive, "facts", scope)
            changes = protector.fields(memory)
            if consented.admits(memory) and not protector.blocked:
                yield replace(memory, **changes), protector.tokens

    def records(self, records: Sequence[Record], consent: ConsentState) -> Sequence[Record]:
        """Return receipts, uses, steps of runs and values of tokens that may be kept.

        Without consent none leaves a word of a user, but what conversations and working states need to be read.
        """
        if self.consented(consent).may_read():
            return records
        return [it for it in records if OF_A_LAYER in str(it.data.get("holder", ""))]

    def takes_turns(self, consent: ConsentState) -> bool:
        """Whether turns of conversations may be kept."""
        return self.consented(consent).allows("episode")


def told_consent(state: ConsentState) -> Record:
    """Return all that a user said of consent, as an export has it."""
    return Record("consent", {**_told(state.rest), "kinds": {kind: _told(it) for kind, it in state.kinds}})


def answers(records: Sequence[Record]) -> list[Draft]:
    """Return the events by which what an export says of consent holds here: never more than that.

    Raises:
        Exception: Of any kind, where a record is none of `told_consent`.
    """
    drafts: list[Draft] = []
    for record in records:
        drafts += _answers(record.data, None)
        for kind, told in dict(record.data.get("kinds", {})).items():
            drafts += _answers(told, [kind])
    return drafts


def _told(allowance: Allowance) -> dict[str, Any]:
    lists = {"purposes": list(allowance.purposes), "without": list(allowance.without)}
    times = {
        name: None if (at := getattr(allowance, name)) is None else at.isoformat() for name in ("at", "expires_at")
    }
    return {"status": allowance.status, **lists, **times, "source": allowance.source}


def _answers(told: Mapping[str, Any], kinds: list[Any] | None) -> Iterator[Draft]:
    status, without, ends = told["status"], told.get("without", ()), told.get("expires_at")
    if status not in {"unknown", "granted", "expired", "withdrawn"}:
        raise ValueError(status)
    said: dict[str, Any] = {
        "kinds": kinds,
        "source": told.get("source") or IMPORTED,
        "reason": f"imported; said at {told.get('at')}",
    }
    if status in {"granted", "expired"}:
        until = None if ends is None else datetime.fromisoformat(ends)
        yield _draft("consent_granted", Answer(purposes=told["purposes"], expires_at=until, **said))
    if status == "withdrawn":
        yield _draft("consent_withdrawn", Answer(**said))
    elif without:
        yield _draft("consent_withdrawn", Answer(purposes=without, **said))


def _draft(type_: Any, answer: Answer) -> Draft:  # noqa: ANN401  (a type of events)
    return Draft(type=type_, note=answer.note(), rule="imported")
