"""Laws of sealed rows."""

from __future__ import annotations

import zlib

import pytest

from langchain_agentmem.checkpoints.base import CheckpointRow, WriteRow
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.vault.base import Cipher, NullCipher
from tests.contracts.sql_saver_contract import Reversing

CIPHERS = pytest.mark.parametrize("cipher", [NullCipher(), Reversing()], ids=["plain", "sealed"])
ROW = CheckpointRow("ns", "2", "1", b"header")


@CIPHERS
@pytest.mark.parametrize("parent_id", ["0", None])
def test_a_checkpoint_has_the_parent_it_was_put_on(cipher: Cipher, parent_id: str | None) -> None:
    """A parent that somebody changed is damage; one that was sealed with the row is not."""
    seal = Seal(cipher, "t")
    stored = seal.checkpoint(ROW)
    assert seal.open_header(stored) == b"header"
    with pytest.raises(IntegrityError, match=r"of thread 't' is damaged|moved"):
        seal.open_header(stored._replace(parent_id=parent_id))
    moved = seal.checkpoint(stored._replace(parent_id=parent_id, header=b"header"))
    assert seal.open_header(moved) == b"header"


@CIPHERS
def test_a_checkpoint_sealed_without_its_parent_opens(cipher: Cipher) -> None:
    """An earlier release did not seal the parent; in its place such a checkpoint is whole, elsewhere it is not."""
    seal = Seal(cipher, "t")
    stored = ROW._replace(header=seal._close(b"header", "checkpoint", "ns", "2"))
    assert seal.open_header(stored) == b"header"
    with pytest.raises(IntegrityError):
        seal.open_header(stored._replace(ns="other"))


@CIPHERS
def test_an_item_has_the_number_and_the_thread_it_was_stored_for(cipher: Cipher) -> None:
    """An item that stands at another number, or in another thread, is damage; at its own it is whole."""
    seal = Seal(cipher, "t")
    stored = {no: seal.item(no, b"\x02item %d" % no) for no in (1, 2, 3, 2**31 + 1)}
    assert [it[1:-4] for it in seal.open_items(list(stored.items())).values()][:3] == [b"item 1", b"item 2", b"item 3"]
    places = [(Seal(cipher, thread), no) for thread in ("t", "u") for no in (*stored, 4)]
    for at, sealed in stored.items():
        for other, no in places:
            if (other.thread_id, no) != ("t", at):
                with pytest.raises(IntegrityError, match=rf"item {no} of thread '{other.thread_id}' is damaged|moved"):
                    other.open_items([(no, sealed)])


@CIPHERS
def test_an_item_with_a_checksum_of_its_content_alone_opens(cipher: Cipher) -> None:
    """An earlier release knew no other checksum: such an item is whole, and one bit of it changed is damage."""
    seal, content = Seal(cipher, "t"), b"\x02item"
    stored = content + zlib.crc32(content).to_bytes(4, "little")
    assert seal.open_items([(1, cipher.seal(stored, seal.identity("item", 1)))]) == {1: stored}
    spoiled = cipher.seal(stored.replace(b"m", b"l"), seal.identity("item", 1))
    with pytest.raises(IntegrityError, match="item 1 of thread 't' is damaged"):
        seal.open_items([(1, spoiled)])


@pytest.mark.parametrize(("ns", "named"), [("", "thread 't'"), ("sub", "namespace 'sub' of thread 't'")])
def test_damage_names_what_is_damaged_and_nothing_else(ns: str, named: str) -> None:
    """The message has the id of the checkpoint, or task and number of the write, and the namespace where it has one."""
    seal = Seal(NullCipher(), "t")
    checkpoint = seal.checkpoint(ROW._replace(ns=ns))
    write = seal.write(WriteRow(ns, "2", "task", 0, "path", "channel", b"value"))
    with pytest.raises(IntegrityError, match=rf"^checkpoint '2' of {named} is damaged;"):
        seal.open_header(checkpoint._replace(header=checkpoint.header[:-1]))
    with pytest.raises(IntegrityError, match=rf"^write 0 of task 'task' of {named} is damaged;"):
        seal.open_write(write._replace(value=write.value[:-1]))
