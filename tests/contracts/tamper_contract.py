"""What `verify` finds, and what it lets pass."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias

import pytest
from sqlalchemy import Connection, select

from langchain_agentmem._flow import run
from langchain_agentmem.ledger.base import Draft
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.verification import Anchor, Verification
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import EVENTS, MEMORIES, PAYLOADS, SUBJECTS
from langchain_agentmem.types import Receipt
from tests.ledgers import (
    ALICE,
    BOB,
    KEY,
    START,
    Clock,
    change,
    dump,
    erase,
    history,
    keep,
    memory,
    put,
    sql,
    unchecked,
    use,
)

Attack: TypeAlias = str | Callable[[Database], None]

BAD: Final = b"\x01" * 32
EVENT: Final = "UPDATE agentmem_events SET {} WHERE subject_id = 1 AND seq = 3"
HEAD: Final = "UPDATE agentmem_subjects SET {} WHERE user_id = 'alice'"
ROW: Final = "UPDATE agentmem_memories SET {} WHERE subject_id = 1 AND memory_id = 'm1'"


def rewritten(database: Database, seq: int, change: Callable[[bytes], bytes]) -> None:
    """Change the stored bytes of one payload of alice."""

    def rewrite(connection: Connection) -> None:
        place = (PAYLOADS.c.subject_id == 1) & (PAYLOADS.c.seq == seq)
        sealed = connection.execute(select(PAYLOADS.c.sealed).where(place)).scalar_one()
        assert change(sealed) != sealed
        connection.execute(PAYLOADS.update().where(place).values(sealed=change(sealed)))

    run(database.write(rewrite))


def swap_events(database: Database) -> None:
    """Let the second and the third event change places, with their payloads."""
    for table in ("agentmem_events", "agentmem_payloads"):
        for old, new in ((2, 1_000), (3, 2), (1_000, 3)):
            sql(database, f"UPDATE {table} SET seq = {new} WHERE subject_id = 1 AND seq = {old}")  # noqa: S608


def swap_users(database: Database) -> None:
    """Give alice's chain to bob and bob's to alice."""
    for old, new in (("alice", "x"), ("bob", "alice"), ("x", "bob")):
        sql(database, "UPDATE agentmem_subjects SET user_id = :new WHERE user_id = :old", old=old, new=new)


def swap_users_without_origin(database: Database) -> None:
    """The same, with the commitments to the users removed."""
    sql(database, "UPDATE agentmem_subjects SET genesis_salt = NULL")
    swap_users(database)


def put_back(database: Database) -> None:
    """Put the payload of an erased memory back from a copy."""
    sql(
        database,
        "INSERT INTO agentmem_payloads SELECT subject_id, 4, sealed FROM agentmem_payloads"
        " WHERE subject_id = 1 AND seq = 3",
    )


CHAIN_ATTACKS: Final[dict[str, Attack]] = {
    "seq": EVENT.format("seq = 99"),
    "subject_id": "UPDATE agentmem_events SET subject_id = 2 WHERE subject_id = 1 AND seq = 5",
    "type": EVENT.format("type = 'confirmed'"),
    "at": EVENT.format("at = at + 1"),
    "memory_id": EVENT.format("memory_id = 'm9'"),
    "memory_id gone": EVENT.format("memory_id = NULL"),
    "rule": EVENT.format("rule = 'other'"),
    "commitment": EVENT.format("commitment = :bad"),
    "digest": EVENT.format("digest = :bad"),
    "payload": lambda database: rewritten(database, 3, lambda sealed: sealed.replace(b"tea", b"rum")),
    "payload shorter": lambda database: rewritten(database, 3, lambda sealed: sealed[:20]),
    "payload no JSON": lambda database: rewritten(database, 3, lambda sealed: sealed[:32] + b"?"),
    "payload other JSON": lambda database: rewritten(database, 3, lambda sealed: sealed[:32] + b'{"note": {}}'),
    "salt": lambda database: rewritten(database, 3, lambda sealed: bytes(32) + sealed[32:]),
    "payload gone": "DELETE FROM agentmem_payloads WHERE subject_id = 1 AND seq = 3",
    "first payload gone": "DELETE FROM agentmem_payloads WHERE subject_id = 1 AND seq = 1",
    "payload of the erasure gone": "DELETE FROM agentmem_payloads WHERE subject_id = 1 AND seq = 8",
    "payload put back": put_back,
    "event in the middle gone": "DELETE FROM agentmem_events WHERE subject_id = 1 AND seq = 3",
    "first event gone": "DELETE FROM agentmem_events WHERE subject_id = 1 AND seq = 1",
    "last event gone": "DELETE FROM agentmem_events WHERE subject_id = 1 AND seq = 10",
    "all events gone": "DELETE FROM agentmem_events WHERE subject_id = 1",
    "events swapped": swap_events,
    "users swapped": swap_users,
    "users swapped without origin": swap_users_without_origin,
    "head_seq": HEAD.format("head_seq = head_seq + 1"),
    "head_digest": HEAD.format("head_digest = :bad"),
    "head of nothing": HEAD.format("head_seq = 0, head_digest = genesis"),
    "genesis": HEAD.format("genesis = :bad"),
    "genesis_salt": HEAD.format("genesis_salt = :bad"),
    "consent_status": HEAD.format("consent_status = 'withdrawn'"),
    "consent_purposes": HEAD.format("consent_purposes = '[]'"),
    "consent_at": HEAD.format("consent_at = 1"),
    "is_held": HEAD.format("is_held = 1"),
    "is_erasing": HEAD.format("is_erasing = 1"),
}
HEAD_ATTACKS: Final = ["DELETE FROM agentmem_subjects WHERE user_id = 'alice'", HEAD.format("user_id = 'mallory'")]
ROW_ATTACKS: Final = {
    "agent_id": "'helper'",
    "session_id": "'other'",
    "kind": "'goal'",
    "status": "'archived'",
    "source": "'inferred'",
    "confidence": "0.5",
    "importance": "0.75",
    "trust": "0.5",
    "pinned": "1",
    "sightings": "9",
    "created_at": "1",
    "valid_at": "NULL",
    "invalid_at": "1",
    "expired_at": "1",
    "expires_at": "1",
    "revision": "99",
    "memory_id": "'m1b'",
    "subject_id": "2",
    "body": ":bad",
    "labels": ":bad",
}


class TamperContract:
    """What an attacker with write access to the tables cannot hide."""

    @pytest.fixture
    def ledger(self, sql_url: str) -> Iterator[SQLLedger]:
        database = Database(sql_url)
        ledger = SQLLedger(database, key=KEY, clock=Clock())
        history(ledger)
        yield ledger
        database.close()

    @pytest.fixture
    def keyless(self, ledger: SQLLedger) -> SQLLedger:
        """The same tables, seen without the key."""
        return SQLLedger(ledger.database, clock=Clock())

    # --------------------------------------------------------------------------------------------------------- intact
    def test_an_honest_chain_is_intact(self, ledger: SQLLedger, keyless: SQLLedger) -> None:
        """After all kinds of events and an erasure nothing is found, with the key, and without."""
        assert [found(it) for it in (ledger, keyless)] == [(), ()]
        assert run(ledger.verify(ALICE)).is_authenticated
        assert not run(keyless.verify(ALICE)).is_authenticated
        assert run(ledger.verify(ALICE)).events == 10

    def test_recalls_between_the_events_do_not_touch_the_chain(self, ledger: SQLLedger) -> None:
        """Receipts and uses, written between events and erasures, leave the chain intact."""
        for number in range(20):
            receipt = Receipt(id=f"r{number}", scope=ALICE, at=START, status="ok", reason="found", plan={})
            run(keep(ledger, receipt))
            run(use(ledger, "m1", "m2"))
            run(put(ledger, memory(f"new-{number}")))
        run(erase(ledger, "new-3"))
        run(erase(ledger, "new-7"))
        assert found(ledger) == ()
        assert run(ledger.verify(ALICE)).events == 32

    def test_a_user_of_whom_nothing_is_stored_is_intact(self, ledger: SQLLedger) -> None:
        """An empty log has nothing wrong with it, unless an anchor knows better."""
        nobody = replace(ALICE, user_id="nobody")
        assert run(ledger.verify(nobody)).is_intact
        assert run(ledger.verify(nobody, Anchor(seq=0, digest=""))).is_intact
        assert not run(ledger.verify(nobody, Anchor(seq=3, digest="00"))).is_intact

    # ---------------------------------------------------------------------------------------------------------- found
    @pytest.mark.parametrize("name", CHAIN_ATTACKS)
    def test_a_changed_log_is_found_without_a_key(self, keyless: SQLLedger, name: str) -> None:
        """Whatever is changed, removed, moved or put back in the log of a user, verify() says so and raises nothing."""
        attack = CHAIN_ATTACKS[name]
        if callable(attack):
            attack(keyless.database)
        else:
            assert sql(keyless.database, attack, **({"bad": BAD} if ":bad" in attack else {})) >= 1
        assert found(keyless)

    @pytest.mark.parametrize("attack", HEAD_ATTACKS)
    def test_a_head_that_is_gone_or_renamed_is_found(self, ledger: SQLLedger, keyless: SQLLedger, attack: str) -> None:
        """With the key and without: nothing leads to the log, and that it stands is told; also once it has a new head.

        Of whom the log cannot be, because theirs is older than its end, nothing is found.
        """
        run(put(ledger, memory("after bob's first")))
        unchecked(ledger.database, attack)
        assert all("head" in str(found(it)) for it in (ledger, keyless))
        assert run(ledger.verify(BOB)).is_intact
        run(put(ledger, memory("anew")))
        assert bool(found(ledger)) == attack.startswith("DELETE")

    @pytest.mark.parametrize("column", ROW_ATTACKS)
    def test_a_changed_row_is_found(self, keyless: SQLLedger, column: str) -> None:
        """The table of memories is held against the log, column by column; replay() repairs it."""
        before = dump(keyless.database, MEMORIES)
        statement = ROW.format(f"{column} = {ROW_ATTACKS[column]}")
        if column == "subject_id":
            sql(keyless.database, "DELETE FROM agentmem_memories WHERE subject_id = 2")
        assert sql(keyless.database, statement, **({"bad": BAD} if ":bad" in statement else {})) == 1
        assert found(keyless)
        for scope in (ALICE, BOB):
            run(keyless.replay(scope))
        assert found(keyless) == ()
        assert dump(keyless.database, MEMORIES) == before

    def test_every_column_of_a_memory_is_attacked_here(self) -> None:
        """No column escapes the test above but the one that only search reads."""
        assert {*ROW_ATTACKS, "terms"} == {column.name for column in MEMORIES.columns}

    def test_a_row_that_no_event_made_is_found(self, keyless: SQLLedger) -> None:
        """A memory planted in the table is not in the log."""
        columns = ", ".join(column.name for column in MEMORIES.columns if column.name != "memory_id")
        plant = f"INSERT INTO agentmem_memories (memory_id, {columns}) SELECT 'planted', {columns}"
        sql(keyless.database, f"{plant} FROM agentmem_memories WHERE subject_id = 1 AND memory_id = 'm1'")
        assert "planted" in str(found(keyless))

    def test_a_hold_lifted_in_the_table_is_found(self, keyless: SQLLedger) -> None:
        """The log says that a hold stands; replay() restores it."""
        run(keyless.append(ALICE, lambda writer: writer.append(Draft(type="hold_placed"))))
        sql(keyless.database, HEAD.format("is_held = 0"))
        assert "legal hold" in str(found(keyless))
        run(keyless.replay(ALICE))
        assert found(keyless) == ()

    def test_one_users_damage_is_not_anothers(self, ledger: SQLLedger) -> None:
        """Only the chain that was changed is blamed."""
        sql(ledger.database, EVENT.format("rule = 'other'"))
        assert found(ledger)
        assert run(ledger.verify(BOB)).is_intact

    def test_a_finding_names_the_event(self, ledger: SQLLedger) -> None:
        """What was changed is found where it is, not only at the end."""
        sql(ledger.database, EVENT.format("rule = 'other'"))
        assert {problem.seq for problem in run(ledger.verify(ALICE)).problems} == {3}

    # ------------------------------------------------------------------------------------------------ key and anchor
    @pytest.mark.parametrize("value", [None, BAD])
    def test_a_head_without_its_code_is_found_with_the_key(self, ledger: SQLLedger, value: bytes | None) -> None:
        """A missing or wrong MAC is a finding for whoever holds the key."""
        sql(ledger.database, "UPDATE agentmem_subjects SET head_mac = :value", value=value)
        assert found(ledger)

    def test_a_chain_rebuilt_by_an_attacker_is_found_by_the_key_or_an_anchor(
        self, ledger: SQLLedger, keyless: SQLLedger
    ) -> None:
        """All hashes made anew fit each other: only a key kept elsewhere, or a head exported before, shows it."""
        anchor = run(ledger.verify(ALICE)).anchor
        rebuild(ledger.database, keep=10, rewrite=lambda data: data.replace(b"tea", b"rum"))
        run(keyless.replay(ALICE))
        assert found(keyless) == ()
        assert "authenticated" in str(found(ledger))
        assert "anchor" in str(found(keyless, anchor))

    def test_a_chain_truncated_with_its_head_is_found_by_the_key_or_an_anchor(
        self, ledger: SQLLedger, keyless: SQLLedger
    ) -> None:
        """The last events removed and the head set back: as above."""
        anchor = run(ledger.verify(ALICE)).anchor
        rebuild(ledger.database, keep=8, rewrite=lambda data: data)
        run(keyless.replay(ALICE))
        assert found(keyless) == ()
        assert found(ledger)
        assert found(keyless, anchor)

    @pytest.mark.parametrize("order", [[1, 2, 4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 5, 4, 6, 7, 8, 9, 10]])
    def test_events_taken_out_or_reordered_in_a_rebuilt_chain_are_found_by_the_key_or_an_anchor(
        self, ledger: SQLLedger, keyless: SQLLedger, order: list[int]
    ) -> None:
        """One event in the middle is gone and the rest numbered anew, or two change places: as above."""
        anchor = run(ledger.verify(ALICE)).anchor
        rearrange(ledger.database, order)
        rebuild(ledger.database, keep=len(order), rewrite=lambda data: data)
        run(keyless.replay(ALICE))
        assert found(keyless) == ()
        assert "authenticated" in str(found(ledger))
        assert "anchor" in str(found(keyless, anchor))

    def test_whoever_has_the_key_is_found_by_an_anchor_alone(self, ledger: SQLLedger) -> None:
        """A head that is signed anew vouches for whatever was rewritten before it."""
        anchor = run(ledger.verify(ALICE)).anchor
        rebuild(ledger.database, keep=10, rewrite=lambda data: data.replace(b"tea", b"rum"))
        [[_, _, _, _, genesis, seq, digest, *_], *_] = dump(ledger.database, SUBJECTS)[SUBJECTS.name]
        signed = hmac.new(KEY, genesis + seq.to_bytes(8, "big") + digest, hashlib.sha256).digest()
        sql(ledger.database, HEAD.format("head_mac = :signed"), signed=signed)
        run(ledger.replay(ALICE))
        assert found(ledger) == ()
        assert "anchor" in str(found(ledger, anchor))

    def test_an_old_state_put_back_whole_is_found_by_an_anchor_alone(self, ledger: SQLLedger) -> None:
        """An attacker who kept a copy of rows and head can go back to it; the key vouches for the old head too."""
        old = dump(ledger.database, SUBJECTS)[SUBJECTS.name][0]
        run(change(ledger, "m1", content="later"))
        anchor = run(ledger.verify(ALICE)).anchor
        sql(ledger.database, "DELETE FROM agentmem_payloads WHERE subject_id = 1 AND seq = 11")
        sql(ledger.database, "DELETE FROM agentmem_events WHERE subject_id = 1 AND seq = 11")
        head = dict(zip(("head_seq", "head_digest", "head_mac"), old[5:8], strict=True))
        sql(
            ledger.database,
            HEAD.format("head_seq = :head_seq, head_digest = :head_digest, head_mac = :head_mac"),
            **head,
        )
        run(ledger.replay(ALICE))
        assert found(ledger) == ()
        assert found(ledger, anchor)

    def test_an_anchor_does_not_excuse_the_head(self, ledger: SQLLedger) -> None:
        """A head exported earlier vouches for what came before it: a forged head behind it is still found."""
        anchor = run(ledger.verify(ALICE)).anchor
        run(change(ledger, "m1", content="later"))
        assert run(ledger.verify(ALICE, anchor)).is_intact
        sql(ledger.database, "UPDATE agentmem_subjects SET head_mac = :value", value=BAD)
        result = run(ledger.verify(ALICE, anchor))
        assert (result.is_intact, result.is_authenticated) == (False, False)

    def test_an_anchor_that_is_the_head_authenticates_it(self, keyless: SQLLedger) -> None:
        """Without a key, the head exported last is as good; an older one does not vouch for what followed."""
        anchor = run(keyless.verify(ALICE)).anchor
        assert run(keyless.verify(ALICE, anchor)).is_authenticated
        run(put(keyless, memory("later")))
        older = run(keyless.verify(ALICE, anchor))
        assert (older.is_intact, older.is_authenticated) == (True, False)

    def test_an_anchor_of_another_chain_disagrees(self, ledger: SQLLedger) -> None:
        """Bob's head is not alice's, and a head beyond the end means truncation."""
        of_bob = run(ledger.verify(BOB)).anchor
        assert found(ledger, of_bob)
        assert found(ledger, Anchor(seq=99, digest=of_bob.digest))

    def test_a_key_that_is_too_short_is_refused(self, ledger: SQLLedger) -> None:
        """A guessable key authenticates nothing."""
        with pytest.raises(ValueError, match="16"):
            SQLLedger(ledger.database, key=b"short")

    def test_a_new_user_starts_with_an_authenticated_head(self, ledger: SQLLedger) -> None:
        """A subject without events has a head that the key vouches for."""
        nobody = replace(ALICE, user_id="nobody")
        run(ledger.append(nobody, lambda writer: writer.touch([], START)))
        assert run(ledger.verify(nobody)) == Verification(
            events=0, anchor=run(ledger.verify(nobody)).anchor, is_authenticated=True
        )
        run(ledger.append(nobody, lambda writer: writer.append(Draft(type="consent_granted"))))
        assert run(ledger.verify(nobody)).is_intact


def found(ledger: SQLLedger, anchor: Anchor | None = None) -> tuple[Any, ...]:
    """Return what verify() finds in alice's or bob's log."""
    return (*run(ledger.verify(ALICE, anchor)).problems, *run(ledger.verify(BOB)).problems)


def rearrange(database: Database, order: list[int]) -> None:
    """Give alice's events other places, and drop those that are not named."""
    far = 1_000
    for table in ("agentmem_payloads", "agentmem_events"):
        sql(database, f"UPDATE {table} SET seq = seq + {far} WHERE subject_id = 1")  # noqa: S608
        for place, old in enumerate(order, start=1):
            sql(database, f"UPDATE {table} SET seq = {place} WHERE subject_id = 1 AND seq = {far + old}")  # noqa: S608
        sql(database, f"DELETE FROM {table} WHERE subject_id = 1 AND seq > {far}")  # noqa: S608


def rebuild(database: Database, keep: int, rewrite: Callable[[bytes], bytes]) -> None:
    """Make alice's whole chain anew, as an attacker who read the documentation would: with no code of ours, no key."""

    def forge(connection: Connection) -> None:
        digest = connection.execute(select(SUBJECTS.c.genesis).where(SUBJECTS.c.subject_id == 1)).scalar_one()
        for table in (PAYLOADS, EVENTS):
            connection.execute(table.delete().where(table.c.subject_id == 1, table.c.seq > keep))
        for event in connection.execute(select(EVENTS).where(EVENTS.c.subject_id == 1).order_by(EVENTS.c.seq)).all():
            mine = (PAYLOADS.c.subject_id == 1) & (PAYLOADS.c.seq == event.seq)
            sealed = connection.execute(select(PAYLOADS.c.sealed).where(mine)).scalar()
            commitment = event.commitment
            if sealed is not None:
                forged = sealed[:32] + rewrite(sealed[32:])
                connection.execute(PAYLOADS.update().where(mine).values(sealed=forged))
                commitment = hashlib.sha256(forged).digest()
            header = json.dumps(
                [1, event.seq, event.type, event.at, event.memory_id, event.rule], separators=(",", ":")
            )
            digest = hashlib.sha256(digest + header.encode() + commitment).digest()
            place = (EVENTS.c.subject_id == 1) & (EVENTS.c.seq == event.seq)
            connection.execute(EVENTS.update().where(place).values(commitment=commitment, digest=digest))
        head = {"head_seq": keep, "head_digest": digest}
        connection.execute(SUBJECTS.update().where(SUBJECTS.c.subject_id == 1).values(head))

    run(database.write(forge))
