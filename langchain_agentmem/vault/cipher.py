"""AES-256-GCM for the rows of one subject (NIST SP 800-38D).

A sealed value is `magic ‖ key id ‖ salt ‖ nonce ‖ ciphertext ‖ tag`. The key that seals is derived from the data key
and the salt, which is drawn anew for each cipher and again after 2^20 seals; so the bound of SP 800-38D for random
nonces, 2^32 seals per key, is out of reach however many processes write however long. Associated data is the subject
and the row's identity: a ciphertext in another row, another table or another user's row does not open.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from langchain_agentmem.errors import ConflictError, IntegrityError, LostKeysError
from langchain_agentmem.vault.base import FINGERPRINT_BYTES
from langchain_agentmem.vault.keyring import ID_BYTES, KeyRing, Subject, derived

MAGIC: Final = b"\xa6\x01"
"""No UTF-8 text and no content of a checkpoint begins with the first byte; the second is the version."""

SALT_BYTES: Final = 8
NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16
HEADER_BYTES: Final = len(MAGIC) + ID_BYTES + SALT_BYTES
OVERHEAD_BYTES: Final = HEADER_BYTES + NONCE_BYTES + TAG_BYTES

SEALS_PER_KEY: Final = 1 << 20
"""A 4,096th of what SP 800-38D allows with random nonces."""

_BOXES: Final = 512
_THREADS: Final = 64
_ID_END: Final = len(MAGIC) + ID_BYTES
_NONCE_END: Final = HEADER_BYTES + NONCE_BYTES
_SEALING: Final = b"agentmem seal"
_THREAD: Final = b"agentmem thread"


class SubjectCipher:
    """Seals and opens the bytes of one subject.

    Args:
        ring: The subject's keys.
        subject: Who it is; part of what each row is bound to.
        about: What else each row is bound to.
        is_kept: Whether the keys are still there; asked before each seal, so it must not wait. Where they were lost, it
            raises `LostKeysError`.
    """

    __slots__ = ("_about", "_boxes", "_is_kept", "_left", "_ring", "_subject", "_threads", "_writing")

    def __init__(
        self, ring: KeyRing, subject: Subject, about: bytes = b"", *, is_kept: Callable[[], bool] = lambda: True
    ) -> None:
        self._is_kept = is_kept
        self._ring = ring
        self._subject = subject
        self._about = MAGIC + blake2b(subject.packed + about, digest_size=FINGERPRINT_BYTES).digest()
        self._boxes: OrderedDict[bytes, AESGCM] = OrderedDict()
        self._threads: OrderedDict[str, SubjectCipher] = OrderedDict()
        self._left = 0
        self._writing = (b"", AESGCM(bytes(32)))

    def seal(self, plaintext: bytes, identity: str) -> bytes:
        """Return sealed bytes, bound to the row that `identity` names.

        Raises:
            ConflictError: The keys were destroyed since this cipher was made: nobody could open what it seals.
        """
        if not self._is_kept():
            _refuse_late()
        if self._left <= 0:
            self._begin()
        self._left -= 1
        header, box = self._writing
        nonce = os.urandom(NONCE_BYTES)
        return header + nonce + box.encrypt(nonce, plaintext, self._bound(identity))

    def open(self, sealed: bytes, identity: str) -> bytes:
        """Return the plaintext.

        Raises:
            IntegrityError: It was never sealed, changed, or moved from another row.
            LostKeysError: The key that sealed it is not here, or not any more.
        """
        if type(sealed) is not bytes or not is_sealed(sealed):
            msg = (
                f"{identity!r} is not sealed: it was written without the vault, or by somebody else; "
                "memory.vault.seal_database() seals what was written in the clear"
            )
            raise IntegrityError(msg)
        header = sealed[:HEADER_BYTES]
        box = self._boxes.get(header) or self._box(header, identity)
        try:
            return box.decrypt(sealed[HEADER_BYTES:_NONCE_END], sealed[_NONCE_END:], self._bound(identity))
        except InvalidTag:
            msg = f"{identity!r} was changed, or moved from another row, user or table; verify() tells what else was"
            raise IntegrityError(msg) from None

    def fingerprint(self, plaintext: bytes) -> bytes:
        """Return a keyed digest."""
        return blake2b(plaintext, key=self._ring.fingerprint_key, digest_size=FINGERPRINT_BYTES).digest()

    def of_thread(self, thread_id: str) -> SubjectCipher:
        """Return the cipher of a thread."""
        made = self._threads.get(thread_id)
        if made is None:
            name = thread_id.encode()
            keys = {key_id: derived(key, _THREAD, name) for key_id, key in self._ring.keys.items()}
            digests = derived(self._ring.fingerprint_key, _THREAD, name)
            ring = KeyRing(current=self._ring.current, keys=keys, fingerprint_key=digests)
            made = self._threads[thread_id] = SubjectCipher(ring, self._subject, name, is_kept=self._is_kept)
            _shorten(self._threads, _THREADS)
        return made

    def is_of_current_key(self, sealed: bytes) -> bool:
        """Whether some bytes are sealed with the key that seals now."""
        return is_sealed(sealed) and sealed[len(MAGIC) : _ID_END] == self._ring.current

    def is_of_its_keys(self, sealed: bytes) -> bool:
        """Whether some bytes look as if one of these keys had sealed them."""
        return is_sealed(sealed) and sealed[len(MAGIC) : _ID_END] in self._ring.keys

    def is_of_another_key(self, sealed: bytes) -> bool:
        """Whether some bytes, or only their head, look as if a key that is not here, or no more, had sealed them."""
        return sealed[: len(MAGIC)] == MAGIC and sealed[len(MAGIC) : _ID_END] not in self._ring.keys

    @property
    def ring(self) -> KeyRing:
        """The keys that it was made with."""
        return self._ring

    @property
    def lineage(self) -> str:
        """What tells them from all that their user had before or has later."""
        return self._ring.lineage.hex()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {len(self._ring.keys)} keys>"

    def _begin(self) -> None:
        """Derive a key that seals from now on."""
        header = MAGIC + self._ring.current + os.urandom(SALT_BYTES)
        self._writing = header, self._box(header, "")
        self._left = SEALS_PER_KEY

    def _box(self, header: bytes, identity: str) -> AESGCM:
        key_id = header[len(MAGIC) : _ID_END]
        key = self._ring.keys.get(key_id)
        if key is None:
            self._refuse_key(key_id, identity)
        box = AESGCM(derived(key, _SEALING, header[_ID_END:]))
        self._boxes[header] = box
        _shorten(self._boxes, _BOXES)
        return box

    def _refuse_key(self, key_id: bytes, identity: str) -> NoReturn:
        """Say what to do about a key that is not here; where all of the user's were lost, the same as when sealing."""
        what = f"{identity!r} is sealed with key {key_id.hex()}, which its user does not have"
        try:
            self._is_kept()
        except LostKeysError as lost:
            msg = f"{what}; {lost}"
            raise LostKeysError(msg) from None
        msg = (
            f"{what}: it was destroyed with an erasure, or rotated out, or another key store sealed it; where this is "
            "an older copy of the database, erase the user in it (privacy.erase): what they began elsewhere stays; "
            "memory.vault.check(scope) tells what else does not open"
        )
        raise LostKeysError(msg)

    def _bound(self, identity: str) -> bytes:
        return self._about + identity.encode("utf-8", "surrogatepass")


def is_sealed(stored: bytes) -> bool:
    """Whether some bytes have the form of sealed ones."""
    return stored[: len(MAGIC)] == MAGIC and len(stored) >= OVERHEAD_BYTES


def key_id_of(sealed: bytes) -> str | None:
    """Return the id of the key that sealed some bytes, in hex; `None`: they are not sealed as we do."""
    return sealed[len(MAGIC) : _ID_END].hex() if is_sealed(sealed) else None


def _refuse_late() -> NoReturn:
    msg = (
        "all of this user's was erased while this was on its way, and their keys with it: nothing of it is stored; "
        "what is written from now on begins anew"
    )
    raise ConflictError(msg)


def _shorten(cache: OrderedDict[bytes, AESGCM] | OrderedDict[str, SubjectCipher], most: int) -> None:
    """Let go of what was made first."""
    while len(cache) > most:
        try:
            cache.popitem(last=False)
        except KeyError:  # another thread was faster
            return
