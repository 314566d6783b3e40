"""What a conversation's rows are sealed as: where they stand, and which conversation and message they are of."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TypeVar

from langchain_core.messages import BaseMessage

from langchain_agentmem._checksums import begin
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sessions.messages import decode, links_of
from langchain_agentmem.sessions.stored import close, damaged, open_stored
from langchain_agentmem.vault.base import Cipher, NullCipher, open_as

T = TypeVar("T")


def message_names(ref: int, seq: int, session_id: str, message_id: str) -> tuple[str, str]:
    """Return what a message is sealed as, and was by earlier releases: by its place alone."""
    place = f"message/{ref}/{seq}"
    return f"{place}\0{session_id}\0{message_id}", place


def title_names(ref: int, session_id: str) -> tuple[str, str]:
    """Return what a title is sealed as, and was by earlier releases."""
    place = f"title/{ref}"
    return f"{place}\0{session_id}", place


def summary_names(ref: int, version: int | None, session_id: str) -> tuple[str, str]:
    """Return what a summary is sealed as, and was by earlier releases."""
    place = f"summary/{ref}/{version}"
    return f"{place}\0{session_id}", place


def calls_name(ref: int, seq: int) -> str:
    """Return what the calls are sealed as that went with a message."""
    return f"calls/{ref}/{seq}"


class SealedSession:
    """Seals and opens what one conversation has.

    Args:
        ref: Its row.
        session_id: By which it is found.
        cipher: Its user's.
    """

    __slots__ = ("_is_plain", "_start", "cipher", "ref", "session_id")

    def __init__(self, ref: int, session_id: str, cipher: Cipher) -> None:
        self.ref = ref
        self.session_id = session_id
        self.cipher = cipher
        self._is_plain = type(cipher) is NullCipher
        self._start = begin(f"message/{ref}\0{session_id}")

    def seal_message(self, seq: int, message_id: str, plain: bytes) -> bytes:
        """Return a message sealed for its place."""
        if self._is_plain:
            return close(plain, self._begin(seq, message_id))
        return self.cipher.seal(plain, message_names(self.ref, seq, self.session_id, message_id)[0])

    def message(self, seq: int, message_id: str, sealed: bytes) -> BaseMessage:
        """Return the message at a place.

        Raises:
            IntegrityError: It was damaged, or is of another place.
        """
        return self._read(decode, seq, message_id, sealed)

    def links(self, seq: int, message_id: str, sealed: bytes) -> tuple[frozenset[str], str | None]:
        """Return of the message at a place which calls it makes, and which it answers.

        Raises:
            IntegrityError: It was damaged, or is of another place.
        """
        return self._read(links_of, seq, message_id, sealed)

    def seal_title(self, plain: bytes) -> bytes:
        """Return a title sealed."""
        return self.cipher.seal(plain, title_names(self.ref, self.session_id)[0])

    def title(self, sealed: bytes) -> bytes:
        """Return the title."""
        return open_as(self.cipher, sealed, title_names(self.ref, self.session_id))

    def seal_summary(self, version: int, plain: bytes) -> bytes:
        """Return a summary sealed."""
        return self.cipher.seal(plain, summary_names(self.ref, version, self.session_id)[0])

    def summary(self, version: int, sealed: bytes) -> bytes:
        """Return the summary of a version."""
        return open_as(self.cipher, sealed, summary_names(self.ref, version, self.session_id))

    def seal_calls(self, seq: int, plain: bytes) -> bytes:
        """Return the calls sealed that went with a message."""
        return self.cipher.seal(plain, calls_name(self.ref, seq))

    def calls(self, seq: int, sealed: bytes) -> bytes:
        """Return the calls that went with a message."""
        return self.cipher.open(sealed, calls_name(self.ref, seq))

    def _read(self, read: Callable[[bytes], T], seq: int, message_id: str, sealed: bytes) -> T:
        if type(sealed) is not bytes or type(seq) is not int or type(message_id) is not str:  # SQLite takes any type
            raise damaged(message_id, self.session_id)
        if not self._is_plain:
            sealed = open_as(self.cipher, sealed, message_names(self.ref, seq, self.session_id, message_id))
        try:
            return read(open_stored(sealed, self._begin(seq, message_id)))
        except IntegrityError as error:
            raise damaged(message_id, self.session_id) from error

    def _begin(self, seq: int, message_id: str) -> int:
        return zlib.crc32(message_id.encode(), self._start ^ seq)
