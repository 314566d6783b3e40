"""Check a chain, event by event, without writing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Row

from langchain_agentmem.errors import AgentMemError, IntegrityError
from langchain_agentmem.ledger import chain
from langchain_agentmem.ledger.base import Head
from langchain_agentmem.ledger.codec import load
from langchain_agentmem.ledger.sql.rows import RowCodec, SubjectRow
from langchain_agentmem.ledger.standing import KEYS_LOST
from langchain_agentmem.ledger.verification import Anchor, Problem, Verification
from langchain_agentmem.types import ConsentState, Memory, Scope
from langchain_agentmem.vault.base import Keyed

WIPING: Final = frozenset({"erased", "cleaned"})
"""Events of a memory that leave nothing of what was said of it before."""

_NOT_ITS_KEYS: Final = (
    "the head that stood here was not authenticated by the key of who wrote on: what is before it may have been "
    "rewritten; an anchor taken there or later vouches for it"
)


class ChainCheck:
    """Walks a chain from its first event to its head and notes what does not fit."""

    def __init__(self, subject: SubjectRow, scope: Scope, key: bytes | None) -> None:
        """Start at the chain's origin."""
        self._subject = subject
        self._key = key
        self._digest: bytes = subject.genesis
        self._seq = 0
        self._digests: dict[int, str] = {0: subject.genesis.hex()}
        self._problems: list[Problem] = []
        self._with_payload: dict[str | None, list[int]] = {}
        self._without_payload: dict[str | None, list[int]] = {}
        self._erased: dict[str, int] = {}
        self._doubted: dict[int, str] = {}
        self._closed: dict[int, str] = {}
        self._ending = 0
        self._check_origin(scope)

    @classmethod
    def of_nothing(cls, anchor: Anchor | None, strays: Iterable[str] = ()) -> Verification:
        """Return the result for a user who has no head: nothing is stored of them, or no head leads to it."""
        findings = [*strays]
        if anchor is not None and anchor.seq > 0:
            findings.append(f"the whole chain is gone; the anchor knew {anchor.seq} events")
        problems = tuple(Problem(seq=0, finding=it) for it in findings)
        return Verification(events=0, anchor=Anchor(seq=0, digest=""), problems=problems)

    def event(self, row: Row[*tuple[Any, ...]], codec: RowCodec) -> dict[str, Any] | None:
        """Check one event; return its payload where it can be read."""
        try:
            self._link(row)
            return self._payload(row, codec)
        except (TypeError, ValueError) as error:  # SQLite keeps text where a number or bytes belong
            self._note(self._seq + 1, f"the event cannot be read: {type(error).__name__}")
            return None

    def applied(self, seq: int, apply: Callable[[], None]) -> None:
        """Note an event that fits into the chain but says nothing that a projection can be made of."""
        try:
            apply()
        except (IntegrityError, KeyError, TypeError) as error:
            self._note(seq, f"the event makes no sense: {error}")

    def standing(self, stored: Head, expected: Head, *, knows_consent: bool) -> None:
        """Compare consent, hold and erasure in force with what the events say, as far as they still say it."""
        if _consent_of(stored) != expected.consent and (knows_consent or not self._ending):
            self._note(0, "the consent in force is not what its events say; replay() restores it")
        if (stored.is_held, stored.is_erasing) != (expected.is_held, expected.is_erasing):
            self._note(0, "the legal hold or erasure in force is not what its events say; replay() restores it")

    def projection(self, stored: Mapping[str, Memory | None], expected: Mapping[str, Memory]) -> None:
        """Compare the table of memories with what the events say."""
        for memory_id in stored.keys() | expected.keys():
            if stored.get(memory_id) != expected.get(memory_id):
                self._note(0, f"the row of memory {memory_id!r} is not what its events say; replay() rebuilds it")

    def found(self, findings: Iterable[str]) -> None:
        """Note what does not open where it stands, or stands where no head leads to it."""
        for finding in findings:
            self._note(0, finding)

    def result(self, anchor: Anchor | None) -> Verification:
        """Close the walk at the chain's head."""
        self._check_payloads()
        self._check_head()
        has_mac = self._check_mac()
        agrees = self._check_anchor(anchor)
        unsigned_to = self._check_doubts(anchor.seq if anchor is not None and agrees else 0)
        has_mac = has_mac and not self._doubted
        head = Anchor(seq=self._seq, digest=self._digest.hex())
        is_authenticated = has_mac or (agrees and anchor == head)
        problems = tuple(sorted(self._problems, key=lambda problem: problem.seq))
        return Verification(
            events=self._seq,
            anchor=head,
            problems=problems,
            is_authenticated=is_authenticated,
            unsigned_to=unsigned_to,
            is_erasing=self._ending > 0,
        )

    def _link(self, row: Row[*tuple[Any, ...]]) -> None:
        if row.seq != self._seq + 1:
            self._note(self._seq + 1, f"events {self._seq + 1} to {row.seq - 1} are missing")
        header = chain.Header(seq=row.seq, type=row.type, at=row.at, memory_id=row.memory_id, rule=row.rule)
        if chain.link(self._digest, header, row.commitment) != row.digest:
            self._note(row.seq, "the event, or one before it, was changed, removed or moved")
        self._seq, self._digest = row.seq, row.digest
        self._digests[row.seq] = row.digest.hex()
        if row.type in {"erasure_begun", "subject_erased"}:
            self._end_subject(row.seq, is_done=row.type == "subject_erased")
        if row.type == chain.UNVERIFIED:
            self._doubted[row.seq] = row.rule
        if row.type in WIPING and row.memory_id is not None:
            self._erased[row.memory_id] = row.seq

    def _payload(self, row: Row[*tuple[Any, ...]], codec: RowCodec) -> dict[str, Any] | None:
        if row.sealed is None and row.rule == KEYS_LOST:
            return None  # it never had one, as its header says
        if row.sealed is None:
            self._without_payload.setdefault(row.memory_id, []).append(row.seq)
            return None
        self._with_payload.setdefault(row.memory_id, []).append(row.seq)
        try:
            salt, data = codec.payload(row.sealed, row.seq)
            if chain.commit(salt, data) != row.commitment:
                self._note(row.seq, "the payload was changed")
                return None
            return load(data)
        except AgentMemError as error:
            finding = f"the payload cannot be read: {error}"
            if isinstance(codec.cipher, Keyed) and codec.cipher.is_of_another_key(row.sealed):
                self._closed[row.seq] = finding
            else:
                self._note(row.seq, finding)
            return None

    def _end_subject(self, at: int, *, is_done: bool) -> None:
        """Expect no payload of what was before: all of the user's was erased, or is about to be."""
        for seqs in self._with_payload.values() if is_done else ():
            for seq in seqs:
                self._note(seq, "the payload is there although its user was erased")
        self._ending = 0 if is_done else at
        if is_done:
            self._with_payload.clear()
        self._without_payload.clear()
        self._erased.clear()

    def _check_origin(self, scope: Scope) -> None:
        salt = self._subject.genesis_salt
        if salt is None or chain.genesis(salt, scope.tenant_id, scope.user_id) != self._subject.genesis:
            self._note(0, "the chain belongs to another user or tenant")

    def _check_payloads(self) -> None:
        for memory_id, seqs in self._without_payload.items():
            erased_at = self._erased.get(memory_id or "", 0)
            for seq in seqs:
                if seq >= erased_at:
                    self._note(seq, "the payload is gone without an erasure")
        for seq, finding in self._closed.items():
            if seq > self._ending:  # before, it is about to be deleted, and its key may be gone already
                self._note(seq, finding)
        for erased_id, erased_at in self._erased.items():
            for seq in self._with_payload.get(erased_id, ()):
                if seq < erased_at:
                    self._note(seq, "the payload is there although its memory was erased")

    def _check_head(self) -> None:
        if self._seq != self._subject.head_seq:
            self._note(self._seq, f"the head names event {self._subject.head_seq}, the log ends at {self._seq}")
        elif self._digest != self._subject.head_digest:
            self._note(self._seq, "the head's digest is not the last event's")

    def _check_mac(self) -> bool:
        if self._key is None:
            return False
        row = self._subject
        expected = chain.authenticate(self._key, row.genesis, row.head_seq, row.head_digest)
        if not chain.is_authentic(row.head_mac, expected):
            self._note(row.head_seq, "the head is not authenticated by the key given")
            return False
        return True

    def _check_doubts(self, vouched: int) -> int:
        """Note heads that a writer found not to be its key's; return up to where there was no code at all.

        Args:
            vouched: The last event that an anchor vouches for: what it covers is in doubt no longer.
        """
        self._doubted = {seq: rule for seq, rule in self._doubted.items() if seq - 1 > vouched}
        for seq, rule in self._doubted.items():
            if rule != "no_code":
                self._note(seq, _NOT_ITS_KEYS)
        return max((seq - 1 for seq, rule in self._doubted.items() if rule == "no_code"), default=0)

    def _check_anchor(self, anchor: Anchor | None) -> bool:
        if anchor is None:
            return False
        if anchor.seq == 0 and not anchor.digest:
            return True
        if self._digests.get(anchor.seq) != anchor.digest:
            self._note(anchor.seq, "the log does not agree with the anchor: it was truncated or rewritten")
            return False
        return True

    def _note(self, seq: int, finding: str) -> None:
        self._problems.append(Problem(seq=seq, finding=finding))


def _consent_of(stored: Head) -> ConsentState | None:
    """Return the consent in force; none, where it cannot be read."""
    try:
        return stored.consent
    except IntegrityError:
        return None
