"""Elements of the list of a conversation in Redis: `links NUL id NUL message`, sealed or with a checksum of it all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from zlib import crc32

from langchain_core.messages import BaseMessage

from langchain_agentmem._checksums import CHECKSUM_BYTES, INTACT, add_checksum, begin
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sessions.batch import Entry
from langchain_agentmem.sessions.messages import answer_of, calls_of, decode
from langchain_agentmem.sessions.redis.keys import SessionKeys
from langchain_agentmem.sessions.redis.scripts import LINK_BYTES
from langchain_agentmem.sessions.stored import MARK, damaged
from langchain_agentmem.vault.base import Cipher, NullCipher


def element_of(entry: Entry, cipher: Cipher, keys: SessionKeys) -> bytes:
    """Return a message as it stands in the list; without a vault, the checksum is about links and id too."""
    head = b"%b\0%b\0" % (links_of(entry.message, cipher), entry.id.encode())
    if type(cipher) is NullCipher:
        return add_checksum(head + MARK + entry.plain, elements_begin(keys))
    return head + cipher.seal(entry.plain, f"message/{keys.name}\0{entry.id}")


def elements_begin(keys: SessionKeys) -> int:
    """Return where the checksums of a session's elements begin."""
    return begin(f"message/{keys.name}")


def links_of(message: BaseMessage, cipher: Cipher) -> bytes:
    """Return by what a call of a tool and its results are known to belong together."""
    answer = answer_of(message)
    linked = sorted(calls_of(message)) if answer is None else [answer]
    if not linked:
        return b""
    hexes = [cipher.fingerprint(id.encode("utf-8", "surrogatepass"))[:LINK_BYTES].hex().encode() for id in linked]
    return b"".join([b"C" if answer is None else b"R", *hexes])


def opened(elements: Iterable[bytes], cipher: Cipher, keys: SessionKeys) -> Iterator[BaseMessage | None]:
    """Give each message, and `None` for an empty place."""
    start, is_plain = elements_begin(keys), type(cipher) is NullCipher
    for element in elements:
        if not element:
            yield None
        elif is_plain and crc32(element, start) == INTACT:
            yield decode(element.split(b"\0", 2)[2][1:-CHECKSUM_BYTES])
        else:
            yield _open_other(element, cipher, keys)


def _open_other(element: bytes, cipher: Cipher, keys: SessionKeys) -> BaseMessage:
    """Return the message of an element whose checksum does not fit: of a vault's, or of one of an earlier release."""
    try:
        _, id, sealed = element.split(b"\0", 2)
        message_id = id.decode()
    except ValueError as error:
        msg = f"an element of {keys.messages!r} is no message; use a prefix that nobody else writes to"
        raise IntegrityError(msg) from error
    plain = cipher.open(sealed, f"message/{keys.name}\0{message_id}")
    try:
        return decode(plain)  # what has a checksum that does not fit has no class of a message in front
    except IntegrityError as error:
        raise damaged(message_id, keys.session_id) from error
