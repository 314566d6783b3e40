"""What a conversation's rows are sealed as: where they stand, and which conversation and message they are of."""

from __future__ import annotations

from typing import NamedTuple

from langchain_agentmem.vault.base import Cipher, open_as


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


class SealedSession(NamedTuple):
    """Seals and opens what one conversation has: its row, by which id it is found, and its user's cipher."""

    ref: int
    session_id: str
    cipher: Cipher

    def seal_message(self, seq: int, message_id: str, plain: bytes) -> bytes:
        """Return a message sealed for its place."""
        return self.cipher.seal(plain, message_names(self.ref, seq, self.session_id, message_id)[0])

    def message(self, seq: int, message_id: str, sealed: bytes) -> bytes:
        """Return the message at a place."""
        return open_as(self.cipher, sealed, message_names(self.ref, seq, self.session_id, message_id))

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
