"""Laws of messages as they are stored."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem._flow import run
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sessions.batch import prepare
from langchain_agentmem.sessions.messages import encode
from langchain_agentmem.sessions.options import SessionOptions
from langchain_agentmem.sessions.redis.elements import element_of, opened
from langchain_agentmem.sessions.redis.keys import session_keys
from langchain_agentmem.sessions.sql.sealing import SealedSession, message_names
from langchain_agentmem.vault import SubjectVault
from langchain_agentmem.vault.base import NullCipher
from langchain_agentmem.vault.cipher import SubjectCipher
from langchain_agentmem.vault.redis_resealing import RedisValues
from tests.contracts.history_backends import ALICE, Reversing
from tests.vaults import MemoryKeys

SAID = HumanMessage("Pay 10 to Ann", id="m1")
PLAIN = SealedSession(1, "s", NullCipher())


@pytest.mark.parametrize(
    ("session", "seq", "message_id"),
    [
        (SealedSession(2, "s", NullCipher()), 1, "m1"),
        (SealedSession(1, "t", NullCipher()), 1, "m1"),
        (PLAIN, 2, "m1"),
        (PLAIN, 1, "m2"),
    ],
    ids=["row of the session", "session", "number", "id"],
)
def test_a_message_in_the_clear_is_of_one_session_number_and_id(
    session: SealedSession, seq: int, message_id: str
) -> None:
    """What is stored of a message opens at its own place alone."""
    stored = PLAIN.seal_message(1, "m1", encode(SAID))
    assert PLAIN.message(1, "m1", stored) == SAID
    with pytest.raises(IntegrityError, match=f"^message '{message_id}' of session '{session.session_id}' is damaged"):
        session.message(seq, message_id, stored)


def test_a_damaged_message_that_is_sealed_later_stays_damaged() -> None:
    """Sealing what was written in the clear takes its checksum along: a vault makes nothing whole that was not."""
    cipher = Reversing()
    sealed, name = SealedSession(1, "s", cipher), message_names(1, 1, "s", "m1")[0]
    stored = PLAIN.seal_message(1, "m1", encode(SAID))
    assert sealed.message(1, "m1", cipher.seal(stored, name)) == SAID
    with pytest.raises(IntegrityError, match=r"^message 'm1' of session 's' is damaged"):
        sealed.message(1, "m1", cipher.seal(stored.replace(b"10", b"90"), name))


def test_a_text_in_the_place_of_a_message_is_damage() -> None:
    """SQLite lets a text stand where bytes should: it is told as damage by whoever reads the message or its links."""
    text: object = encode(SAID).decode()
    for read in (PLAIN.message, PLAIN.links):
        with pytest.raises(IntegrityError, match=r"^message 'm1' of session 's' is damaged"):
            read(1, "m1", text)  # type: ignore[arg-type]  # as SQLite hands it over


@pytest.mark.parametrize("words", [b"Pay 10 to Ann", b"Pay 90 to Ann"], ids=["whole", "damaged"])
def test_an_element_that_is_sealed_later_is_as_whole_as_it_was(words: bytes) -> None:
    """On Redis the seal takes the place of a checksum that fits; one that does not stays, and is told of by readers."""
    keys, cipher = session_keys("p", ALICE, "s"), run(SubjectVault(MemoryKeys()).cipher(ALICE))
    assert isinstance(cipher, SubjectCipher)
    [entry] = prepare([SAID], SessionOptions()).entries
    element = element_of(entry, NullCipher(), keys).replace(b"Pay 10 to Ann", words)
    sealed = RedisValues(cipher, lambda _, value, __: value).element(element, keys)
    assert words not in sealed
    if words in entry.plain:
        assert list(opened([sealed], cipher, keys)) == [SAID]
    else:
        with pytest.raises(IntegrityError, match=r"^message 'm1' of session 's' is damaged"):
            list(opened([sealed], cipher, keys))
