"""Making room in a session of limited length."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from langchain_agentmem.sessions.base import KEPT_IDS, MAX_NUMBER
from langchain_agentmem.sessions.sql import rows
from langchain_agentmem.sessions.sql.episodes import end_episodes
from langchain_agentmem.sessions.sql.sealing import SealedSession
from langchain_agentmem.sql.prepared import Transaction

ROWS_AT_A_TIME: Final = 100
"""Rarely is more than one message in the way; after a limit was lowered, many are."""


def make_room(connection: Transaction, session: SealedSession, *, max_messages: int, at: int) -> None:
    """Empty the oldest messages of a session, and with tool calls their results, wherever those stand."""
    ref = session.ref
    found = rows.LAST_TO_GO.rows(connection, {"ref": ref, "kept": max_messages})
    if not found:
        return
    last = int(found[0][0])
    end_episodes(connection, ref, last=last)
    results, unanswered = _results(connection, session, last)
    values = [{"ref": ref, "first": at, "last": to, "nothing": b""} for at, to in ((1, last), *results)]
    rows.EMPTY_MESSAGES.change(connection, values)
    if unanswered:
        sealed = session.seal_calls(last, json.dumps(sorted(unanswered)).encode())
        rows.NOTE_CALLS.change(connection, [{"ref": ref, "place": -last, "sealed_calls": sealed}])
    rows.FORGET_IDS.change(connection, [{"ref": ref, "horizon": KEPT_IDS - last, "named_at": at}])


def name_again(connection: Transaction, added: Sequence[Mapping[str, Any]]) -> None:
    """Note of ids that a call names, some of them known, that it did: they are remembered as long as the call is."""
    values = [{"ref": row["session_ref"], "about": row["message_id"], "named_at": row["at"]} for row in added]
    rows.NAME_AGAIN.change(connection, values)


def lost_calls(connection: Transaction, session: SealedSession, answers: AbstractSet[str]) -> set[str]:
    """Return which of these are answers to calls that went before they were answered: they have no place any more.

    Where a call that is there uses an id again, it is that one which is answered.
    """
    found = rows.SELECT_CALLS.rows(connection, {"ref": session.ref, "nothing": b""})
    lost = {id for _, seq, _, sealed in found for id in json.loads(session.calls(-seq, sealed))}
    lost &= answers
    for _, calls, _ in _links(connection, session, is_backwards=True) if lost else ():
        lost -= calls
        if not lost:
            break
    return lost


def _results(connection: Transaction, session: SealedSession, last: int) -> tuple[list[tuple[int, int]], set[str]]:
    """Return the places, behind the `last` message that goes, of results whose calls go, and the unanswered calls.

    It looks until every call is answered, and at the results that directly follow. A call that stays and uses an id
    again has the results behind it.
    """
    places: list[tuple[int, int]] = []
    gone: set[str] = set()
    unanswered: set[str] = set()
    for seq, calls, answer in _links(connection, session):
        if seq <= last:
            gone |= calls
            unanswered |= calls
        else:
            gone -= calls
            unanswered -= calls
            if answer in gone:
                places.append((seq, seq))
            elif not unanswered and answer is None:
                break
        unanswered.discard(answer or "")
    return places, unanswered


def _links(
    connection: Transaction, session: SealedSession, *, is_backwards: bool = False
) -> Iterator[tuple[int, frozenset[str], str | None]]:
    """Give the place of each message, the tool calls it makes, and the one it answers; the oldest or newest first."""
    statement, place = (rows.SELECT_BACK, MAX_NUMBER) if is_backwards else (rows.SELECT_FROM, 0)
    is_more = True
    while is_more:
        found = statement.rows(connection, {"ref": session.ref, "place": place, "limit": ROWS_AT_A_TIME})
        for _, seq, message_id, sealed in found:
            calls, answer = session.links(seq, message_id, sealed)
            yield seq, calls, answer
            place = seq
        is_more = len(found) == ROWS_AT_A_TIME
