"""What a writer with a key does with a head that the key does not vouch for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pytest

from langchain_agentmem._flow import run
from langchain_agentmem.ledger.chain import UNVERIFIED
from langchain_agentmem.ledger.sql import SQLLedger
from langchain_agentmem.ledger.verification import Anchor
from langchain_agentmem.sql.engine import Database
from tests.contracts.tamper_contract import BAD, HEAD, found, rearrange, rebuild
from tests.ledgers import ALICE, BOB, KEY, Clock, erase, fetch, history, memory, put, sql, use

NO_CODE: Final = HEAD.format("head_mac = NULL")


def reworded(database: Database) -> None:
    """Let an event say something else, and hash the chain anew."""
    rebuild(database, keep=10, rewrite=lambda data: data.replace(b"tea", b"rum"))


def shortened(database: Database) -> None:
    """Cut the newest events off, and set the head back."""
    rebuild(database, keep=8, rewrite=lambda data: data)


def taken_out(database: Database) -> None:
    """Take an event out of the middle, number the rest anew, and hash the chain anew."""
    rearrange(database, [1, 2, 4, 5, 6, 7, 8, 9, 10])
    rebuild(database, keep=9, rewrite=lambda data: data)


def signed_otherwise(database: Database) -> None:
    """Put a code in the head's place that is not of the key."""
    sql(database, HEAD.format("head_mac = :value"), value=BAD)


ATTACKS: Final[list[Callable[[Database], None]]] = [reworded, shortened, taken_out, signed_otherwise]


class HeadContract:
    """What stays visible of a head that was forged, whatever is written after it."""

    @pytest.fixture
    def keyless(self, sql_url: str) -> Iterator[SQLLedger]:
        """A log that is written without a key."""
        database = Database(sql_url)
        yield SQLLedger(database, clock=Clock())
        database.close()

    @pytest.fixture
    def keyed(self, keyless: SQLLedger) -> SQLLedger:
        """The same tables, written with a key."""
        return SQLLedger(keyless.database, key=KEY, clock=Clock())

    @pytest.fixture
    def ledger(self, keyed: SQLLedger) -> SQLLedger:
        """The same, with a history that was signed from the first event on."""
        history(keyed)
        return keyed

    @pytest.mark.parametrize("attack", ATTACKS)
    def test_no_later_write_vouches_for_a_head_that_was_forged(
        self, ledger: SQLLedger, keyless: SQLLedger, attack: Callable[[Database], None]
    ) -> None:
        """What is written is taken, and the finding names the event before which the break is: for good."""
        attack(ledger.database)
        run(ledger.replay(ALICE))
        for name in ("later", "latest"):
            run(put(ledger, memory(name)))
        [problem] = run(ledger.verify(ALICE)).problems
        noted = [it for it in run(ledger.read(ALICE, lambda it: it.events(limit=99))) if it.type == UNVERIFIED]
        assert [(it.seq, it.rule) for it in noted] == [(problem.seq, "other_code")]
        assert not run(ledger.verify(ALICE)).is_authenticated
        assert found(keyless) == (problem,)
        assert run(fetch(ledger, "latest")) is not None
        assert run(ledger.verify(BOB)).is_authenticated

    @pytest.mark.parametrize("attack", ATTACKS)
    def test_a_head_without_its_code_is_not_signed_as_if_it_had_had_one(
        self, ledger: SQLLedger, attack: Callable[[Database], None]
    ) -> None:
        """Who rewrites a log and takes its code away leaves what a log without a key is: never authenticated."""
        attack(ledger.database)
        sql(ledger.database, NO_CODE)
        run(ledger.replay(ALICE))
        length = run(ledger.verify(ALICE)).events
        for name in ("later", "latest"):
            run(put(ledger, memory(name)))
        result = run(ledger.verify(ALICE))
        assert (result.is_authenticated, result.unsigned_to) == (False, length)

    def test_a_note_that_is_taken_out_is_written_anew(self, ledger: SQLLedger) -> None:
        """The note is signed with what follows it: without it the head is another one again."""
        reworded(ledger.database)
        run(put(ledger, memory("later")))
        rearrange(ledger.database, [*range(1, 11), 12])
        rebuild(ledger.database, keep=11, rewrite=lambda data: data)
        run(ledger.replay(ALICE))
        assert "authenticated" in str(found(ledger))
        run(put(ledger, memory("latest")))
        assert [it.seq for it in run(ledger.verify(ALICE)).problems] == [12]

    def test_the_note_is_the_first_event_of_its_transaction(self, ledger: SQLLedger) -> None:
        """What is written beside an event by its number, and who reads the last one, find what they wrote."""
        signed_otherwise(ledger.database)
        run(erase(ledger, "m2"))
        events = run(ledger.read(ALICE, lambda it: it.events(after=10)))
        assert [it.type for it in events] == [UNVERIFIED, "erased"]
        run(use(ledger, "m1"))
        assert run(ledger.verify(ALICE)).events == 12

    def test_a_key_may_come_to_a_log_that_had_none(self, keyless: SQLLedger, keyed: SQLLedger) -> None:
        """It goes on, intact, and tells up to where nobody signed; what is forged from there on is found."""
        history(keyless)
        run(put(keyed, memory("signed")))
        run(put(keyed, memory("signed, too")))
        result = run(keyed.verify(ALICE))
        assert (result.problems, result.is_authenticated, result.unsigned_to) == ((), False, 10)
        rebuild(keyed.database, keep=12, rewrite=lambda data: data)
        assert found(keyed)

    def test_a_log_that_begins_with_a_key_is_signed_from_its_first_event(
        self, keyless: SQLLedger, keyed: SQLLedger
    ) -> None:
        """Nothing needs to be noted, also where a process without the key knew the user before there was an event."""
        run(use(keyless))
        run(put(keyed, memory("first")))
        result = run(keyed.verify(ALICE))
        assert (result.events, result.problems, result.is_authenticated, result.unsigned_to) == (1, (), True, 0)

    @pytest.mark.parametrize("attack", [signed_otherwise, lambda database: sql(database, NO_CODE)])
    def test_an_anchor_vouches_for_what_came_before_a_head_in_doubt(
        self, ledger: SQLLedger, attack: Callable[[Database], object]
    ) -> None:
        """One of that head, or of a later one, does, for it is kept where nobody forges it; an older one does not."""
        older = Anchor(seq=9, digest=run(ledger.read(ALICE, lambda it: it.events(after=8)))[0].digest)
        last = run(ledger.verify(ALICE)).anchor
        attack(ledger.database)
        run(put(ledger, memory("later")))
        since = run(ledger.verify(ALICE)).anchor
        run(put(ledger, memory("latest")))
        for anchor, is_sound in ((older, False), (last, True), (since, True)):
            result = run(ledger.verify(ALICE, anchor))
            assert result.is_authenticated == is_sound
            assert (result.is_intact and not result.unsigned_to) == is_sound

    def test_the_log_of_another_key_is_written_on_and_says_so(self, ledger: SQLLedger) -> None:
        """Neither of two keys vouches for what the other one signed."""
        other = SQLLedger(ledger.database, key=KEY[::-1], clock=Clock())
        run(put(other, memory("of another")))
        run(put(ledger, memory("of the first")))
        assert [it.seq for it in run(ledger.verify(ALICE)).problems] == [11, 13]
