"""AES-256-GCM under a subject's keys: what opens, and everything that does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.cipher import MAGIC, OVERHEAD_BYTES, SubjectCipher
from langchain_agentmem.vault.keyring import KeyRing, Subject

ALICE = Subject.of(Scope("alice"))
RING = KeyRing.new()
CIPHER = SubjectCipher(RING, ALICE)

identities = st.text(max_size=40)


@given(st.binary(max_size=200), identities)
def test_what_was_sealed_opens_in_its_row(plain: bytes, identity: str) -> None:
    """Any bytes come back from any row, in another process too, and never look like themselves."""
    sealed = CIPHER.seal(plain, identity)
    assert SubjectCipher(RING, ALICE).open(sealed, identity) == plain
    assert len(sealed) == len(plain) + OVERHEAD_BYTES
    assert sealed != CIPHER.seal(plain, identity)


@given(identities, identities)
def test_a_moved_ciphertext_does_not_open(here: str, there: str) -> None:
    """A ciphertext opens in its own row alone, and the error quotes nothing of it."""
    sealed = CIPHER.seal(b"the needle", here)
    if here != there:
        with pytest.raises(IntegrityError, match="moved from another row") as refused:
            CIPHER.open(sealed, there)
        assert "needle" not in str(refused.value)


@given(st.data())
def test_one_flipped_bit_is_found(data: st.DataObject) -> None:
    """Whatever bit of a sealed value is flipped, or wherever it is cut short, it does not open."""
    sealed = CIPHER.seal(b"the needle in the haystack", "row")
    place = data.draw(st.integers(0, len(sealed) * 8 - 1))
    flipped = bytearray(sealed)
    flipped[place // 8] ^= 1 << place % 8
    for forged in (bytes(flipped), sealed[: place // 8]):
        with pytest.raises(IntegrityError, match="row"):
            CIPHER.open(forged, "row")


@pytest.mark.parametrize("plain", [b"", b'{"content": "needle"}', b"\x93needle", "needle", 7, None])
def test_what_was_never_sealed_is_refused(plain: object) -> None:
    """A plaintext row, and a row of another type, is an error that names the row and the remedy."""
    with pytest.raises(IntegrityError, match=r"'memory/1' is not sealed.*seal_database") as refused:
        CIPHER.open(plain, "memory/1")  # type: ignore[arg-type]  # (SQLite keeps anything anywhere)
    assert "needle" not in str(refused.value)


def test_another_users_row_does_not_open() -> None:
    """The user is part of what is authenticated, even where two users had the same keys."""
    sealed = CIPHER.seal(b"x", "row")
    for other in (Scope("bob"), Scope("alice", tenant_id="acme"), Scope.anonymous("alice")):
        with pytest.raises(IntegrityError, match="moved from another row, user or table"):
            SubjectCipher(RING, Subject.of(other)).open(sealed, "row")
        with pytest.raises(IntegrityError, match="which its user does not have"):
            SubjectCipher(KeyRing.new(), Subject.of(other)).open(sealed, "row")


def test_threads_have_keys_of_their_own() -> None:
    """A thread's cipher opens neither another thread's rows nor its user's others, and gives other digests."""
    one, other = CIPHER.of_thread("1"), CIPHER.of_thread("2")
    sealed = one.seal(b"x", "row")
    assert SubjectCipher(RING, ALICE).of_thread("1").open(sealed, "row") == b"x"
    for foreign in (other, CIPHER):
        with pytest.raises(IntegrityError):
            foreign.open(sealed, "row")
        assert foreign.fingerprint(b"x") != one.fingerprint(b"x")
    assert CIPHER.of_thread("1").fingerprint(b"x") == one.fingerprint(b"x")


def test_a_rotated_key_opens_what_it_sealed_until_it_is_retired() -> None:
    """New rows have the new key at once; old rows open until the old key is gone; digests stay."""
    before = CIPHER.seal(b"x", "row")
    ring = RING.with_new_key()
    after = SubjectCipher(ring, ALICE)
    assert after.open(before, "row") == b"x"
    assert not after.is_of_current_key(before)
    assert after.is_of_current_key(after.seal(b"x", "row"))
    assert after.fingerprint(b"x") == CIPHER.fingerprint(b"x")
    with pytest.raises(IntegrityError, match="rotated out"):
        SubjectCipher(ring.without_old_keys(), ALICE).open(before, "row")


def test_a_key_that_sealed_enough_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many seals another key is derived, long before random nonces could meet; all of it opens."""
    monkeypatch.setattr("langchain_agentmem.vault.cipher.SEALS_PER_KEY", 3)
    cipher = SubjectCipher(RING, ALICE)
    sealed = [cipher.seal(b"x", "row") for _ in range(10)]
    assert len({it[len(MAGIC) : 14] for it in sealed}) == 4
    assert {SubjectCipher(RING, ALICE).open(it, "row") for it in sealed} == {b"x"}


def test_keys_are_shown_nowhere() -> None:
    """No representation of a ring or a cipher holds a key."""
    shown = repr(RING) + repr(CIPHER)
    assert not any(
        repr(key)[2:-1] in shown or key.hex() in shown for key in (*RING.keys.values(), RING.fingerprint_key)
    )


@given(st.lists(st.sampled_from(["new", "drop"]), max_size=5))
def test_a_ring_survives_its_form(changes: list[str]) -> None:
    """A ring comes back from its bytes as it was, however often it was rotated; bytes cut short are refused."""
    ring = RING
    for change in changes:
        ring = ring.with_new_key() if change == "new" else ring.without_old_keys()
    assert KeyRing.unpacked(ring.packed()) == ring
    with pytest.raises(IntegrityError, match="cut short"):
        KeyRing.unpacked(ring.packed()[:-1])
