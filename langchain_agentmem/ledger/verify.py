"""Check a chain, event by event, without writing anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row

from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.ledger import chain
from langchain_agentmem.ledger.base import Anchor, Problem, Verification
from langchain_agentmem.ledger.codec import load
from langchain_agentmem.ledger.sql_rows import RowCodec
from langchain_agentmem.types import Memory, Scope


class ChainCheck:
    """Walks a chain from its first event to its head and notes what does not fit."""

    def __init__(self, subject: Row[*tuple[Any, ...]], scope: Scope, key: bytes | None) -> None:
        """Start at the chain's origin."""
        self._subject = subject
        self._key = key
        self._digest: bytes = subject.genesis
        self._seq = 0
        self._digests: dict[int, str] = {0: subject.genesis.hex()}
        self._problems: list[Problem] = []
        self._without_payload: dict[str | None, list[int]] = {}
        self._erased: dict[str, int] = {}
        self._check_origin(scope)

    @classmethod
    def of_nothing(cls, anchor: Anchor | None) -> Verification:
        """Return the result for a user of whom nothing is stored."""
        empty = Anchor(seq=0, digest="")
        if anchor is None or anchor.seq == 0:
            return Verification(events=0, anchor=empty)
        missing = Problem(seq=0, finding=f"the whole chain is gone; the anchor knew {anchor.seq} events")
        return Verification(events=0, anchor=empty, problems=(missing,))

    def event(self, row: Row[*tuple[Any, ...]], codec: RowCodec) -> dict[str, Any] | None:
        """Check one event; return its payload where it can be read."""
        if row.seq != self._seq + 1:
            self._note(self._seq + 1, f"events {self._seq + 1} to {row.seq - 1} are missing")
        header = chain.Header(seq=row.seq, type=row.type, at=row.at, memory_id=row.memory_id, rule=row.rule)
        if chain.link(self._digest, header, row.commitment) != row.digest:
            self._note(row.seq, "the event, or one before it, was changed, removed or moved")
        self._seq, self._digest = row.seq, row.digest
        self._digests[row.seq] = row.digest.hex()
        if row.type == "erased":
            self._erased[row.memory_id] = row.seq
        return self._payload(row, codec)

    def projection(self, stored: Mapping[str, Memory], expected: Mapping[str, Memory]) -> None:
        """Compare the table of memories with what the events say."""
        for memory_id in stored.keys() | expected.keys():
            if stored.get(memory_id) != expected.get(memory_id):
                self._note(0, f"the row of memory {memory_id!r} is not what its events say; replay() rebuilds it")

    def result(self, anchor: Anchor | None) -> Verification:
        """Close the walk at the chain's head."""
        self._check_payloads()
        self._check_head()
        agrees = self._check_anchor(anchor)
        is_authenticated = agrees or self._check_mac()
        head = Anchor(seq=self._seq, digest=self._digest.hex())
        problems = tuple(sorted(self._problems, key=lambda problem: problem.seq))
        return Verification(events=self._seq, anchor=head, problems=problems, is_authenticated=is_authenticated)

    def _payload(self, row: Row[*tuple[Any, ...]], codec: RowCodec) -> dict[str, Any] | None:
        if row.sealed is None:
            self._without_payload.setdefault(row.memory_id, []).append(row.seq)
            return None
        try:
            salt, data = codec.payload(row.sealed, row.seq)
            if chain.commit(salt, data) != row.commitment:
                self._note(row.seq, "the payload was changed")
            return load(data)
        except AgentMemError as error:
            self._note(row.seq, f"the payload cannot be read: {error}")
            return None

    def _check_origin(self, scope: Scope) -> None:
        salt = self._subject.genesis_salt
        if salt is not None and chain.genesis(salt, scope.tenant_id, scope.user_id) != self._subject.genesis:
            self._note(0, "the chain belongs to another user or tenant")

    def _check_payloads(self) -> None:
        for memory_id, seqs in self._without_payload.items():
            erased_at = self._erased.get(memory_id or "", 0)
            for seq in seqs:
                if seq >= erased_at:
                    self._note(seq, "the payload is gone without an erasure")

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
