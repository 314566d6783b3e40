"""Laws of sealed rows."""

from __future__ import annotations

import pytest

from langchain_agentmem.checkpoints.base import CheckpointRow
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
