"""What wraps the keys of subjects: a master key of the environment, of a file, or of a key management service."""

from __future__ import annotations

import os
from base64 import b64decode
from binascii import Error as NotBase64
from binascii import hexlify, unhexlify
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from string import hexdigits
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from langchain_agentmem._checks import check_callable, check_text, check_timeout
from langchain_agentmem._flow import Flow, in_executor, step
from langchain_agentmem._patience import flow_within
from langchain_agentmem.errors import AgentMemError, ConfigurationError, IntegrityError, LostKeysError, StorageError
from langchain_agentmem.vault.keyring import ID_BYTES, KEY_BYTES, KeyRing, Subject, derived, id_of

NONCE_BYTES: Final = 12
TIMEOUT_S: Final = 10.0
"""A key service answers in milliseconds; what takes longer is down, and the turn goes on without memory."""

_HEX_CHARS: Final = 2 * KEY_BYTES
_ABOUT: Final = b"agentmem about"
_NO_NAME: Final = (
    "what is given as the name of a variable is not set, and is not shown, for it may be a key; put the key into a "
    "variable of the environment, and give its name, such as 'AGENTMEM_KEY'"
)
_MAKE: Final = (
    "give the one that wrapped the keys that there are, or, where there are none yet, make one with "
    'python -c "import secrets; print(secrets.token_hex(32))"'
)


class Master(Protocol):
    """Wraps keys, so that whoever has only the wrapped ones has none."""

    def wrap(self, keys: bytes, about: bytes) -> Flow[bytes]:
        """Return wrapped keys, bound to what they are about."""
        ...

    def unwrap(self, wrapped: bytes, about: bytes) -> Flow[bytes]:
        """Return the keys.

        Raises:
            LostKeysError: It wrapped them, and they were changed since, or are about something else.
            IntegrityError: Another master key wrapped them, or nobody knows.
        """
        ...

    def is_current(self, wrapped: bytes) -> bool:
        """Whether keys are wrapped by what wraps now."""
        ...


class LocalKeys:
    """Master keys of this process's memory: the first wraps, every one unwraps.

    Args:
        keys: 32 bytes each.
        named: What they are called in errors.
    """

    def __init__(self, keys: list[bytes], named: str) -> None:
        self._current = id_of(keys[0])
        self._keys = {id_of(key): key for key in keys}
        self._named = named

    def wrap(self, keys: bytes, about: bytes) -> bytes:
        """Return wrapped keys."""
        nonce = os.urandom(NONCE_BYTES)
        box = AESGCM(self._keys[self._current])
        return self._current + nonce + box.encrypt(nonce, keys, about)

    def unwrap(self, wrapped: bytes, about: bytes) -> bytes:
        """Return the keys."""
        key = self._keys.get(wrapped[:ID_BYTES])
        if key is None:
            msg = (
                f"keys are wrapped by master key {wrapped[:ID_BYTES].hex()}, which {self._named} does not have: it was "
                "rotated out, or this is another key; give the one that wrapped them"
            )
            raise IntegrityError(msg)
        nonce, body = wrapped[ID_BYTES : ID_BYTES + NONCE_BYTES], wrapped[ID_BYTES + NONCE_BYTES :]
        try:
            return AESGCM(key).decrypt(nonce, body, about)
        except (InvalidTag, ValueError):
            msg = "they were changed, cut short, or are another subject's"
            raise LostKeysError(msg) from None

    def is_current(self, wrapped: bytes) -> bool:
        """Whether keys are wrapped by the first key."""
        return wrapped[:ID_BYTES] == self._current

    def secret(self, use: bytes) -> bytes:
        """Return a secret that is derived from the oldest key."""
        return derived(self._oldest, b"agentmem secret", use)

    @property
    def _oldest(self) -> bytes:
        return list(self._keys.values())[-1]

    def rings(self, subject: Subject) -> KeyRing:
        """Return keys of a subject that are derived from these; the digests' key from the last, which is the oldest."""
        keys = {key_id: derived(key, _ABOUT, subject.packed) for key_id, key in self._keys.items()}
        digests = derived(self._oldest, b"agentmem digests", subject.packed)
        return KeyRing(current=self._current, keys=keys, fingerprint_key=digests)


class KeyEnvironment:
    """A master key in a variable of the environment: 32 bytes, as 64 hexadecimal digits or in base64.

    `KeyFolder(path, master=KeyEnvironment(…))` keeps a key for each subject, wrapped by it. Alone in a `SubjectVault`,
    it derives every subject's key, and so none of them can be destroyed: erasing a user is refused.

    Args:
        variable: Name of the variable whose key wraps.
        retired: Names of variables with earlier keys, the latest first; they open what is not wrapped anew yet.

    Raises:
        ConfigurationError: A variable is not set, or holds no such key.
    """

    def __init__(self, variable: str, *retired: str) -> None:
        named = [check_text("variable", it) for it in (variable, *retired)]
        self.variable = variable
        self.local = LocalKeys([_from_environment(it) for it in named], f"the environment ({', '.join(named)})")

    def wrap(self, keys: bytes, about: bytes) -> Flow[bytes]:
        """Return wrapped keys."""
        yield from ()  # nothing to wait for
        return self.local.wrap(keys, about)

    def unwrap(self, wrapped: bytes, about: bytes) -> Flow[bytes]:
        """Return the keys."""
        yield from ()  # nothing to wait for
        return self.local.unwrap(wrapped, about)

    def is_current(self, wrapped: bytes) -> bool:
        """Whether keys are wrapped by the variable's key."""
        return self.local.is_current(wrapped)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.variable!r})"


Wrap = Callable[[bytes, Mapping[str, str]], bytes]
AsyncWrap = Callable[[bytes, Mapping[str, str]], Awaitable[bytes]]


class KeyServer:
    """A key management service: whatever wraps and unwraps a few hundred bytes.

    Args:
        wrap: From bytes and what they are about (a dict of texts: the "encryption context") to wrapped bytes.
        unwrap: The other way round; raises where they were changed, or are about something else.
        awrap: The same, awaited; without it, `wrap` runs in the executor.
        aunwrap: Likewise.
        timeout_s: How long an answer may take; `None`: for ever. A service that gave none is not asked again at once.

    Example:
        ```python
        def wrap(keys, about):
            answer = kms.encrypt(KeyId=KEY, Plaintext=keys, EncryptionContext=about)
            return answer["CiphertextBlob"]
        ```
    """

    def __init__(
        self,
        wrap: Wrap,
        unwrap: Wrap,
        *,
        awrap: AsyncWrap | None = None,
        aunwrap: AsyncWrap | None = None,
        timeout_s: float | None = TIMEOUT_S,
    ) -> None:
        check_timeout("timeout_s", timeout_s)
        self._timeout_s = timeout_s
        check_callable("wrap", wrap, "lambda keys, about: …")
        check_callable("unwrap", unwrap, "lambda wrapped, about: …")
        self._wrap, self._awrap = wrap, awrap
        self._unwrap, self._aunwrap = unwrap, aunwrap

    def wrap(self, keys: bytes, about: bytes) -> Flow[bytes]:
        """Return what the service wrapped."""
        waiting = _called(self._wrap, self._awrap, keys, about)
        return (yield from _answered("wrap", flow_within(self._timeout_s, waiting, of=self)))

    def unwrap(self, wrapped: bytes, about: bytes) -> Flow[bytes]:
        """Return what the service unwrapped."""
        waiting = _called(self._unwrap, self._aunwrap, wrapped, about)
        return (yield from _answered("unwrap", flow_within(self._timeout_s, waiting, of=self)))

    def is_current(self, wrapped: bytes) -> bool:
        """Whether nothing is gained by wrapping anew; only the service knows, so it is always done."""
        return False


def _called(blocking: Wrap, awaitable: AsyncWrap | None, given: bytes, about: bytes) -> Flow[bytes]:
    awaited = partial(in_executor, blocking) if awaitable is None else awaitable
    return (yield from step(blocking, awaited, given, {"agentmem": about.decode()}))


def _answered(what: str, answering: Flow[bytes]) -> Flow[bytes]:
    try:
        answer = yield from answering
    except AgentMemError:
        raise
    except Exception as error:
        msg = f"the key service could not {what} a key ({type(error).__name__}); see that it is there, and may be used"
        raise StorageError(msg, is_retryable=True) from error
    if not isinstance(answer, bytes):
        msg = f"the key service's {what} must return bytes, got {type(answer).__name__}"
        raise ConfigurationError(msg)
    return answer


def read_key(text: str, where: str, remedy: str) -> bytes:
    """Return the key that a text holds; `remedy`: what to do where it holds none.

    Raises:
        ConfigurationError: It holds none; the message does not repeat it.
    """
    text = text.strip()
    try:
        key = unhexlify(text) if len(text) == _HEX_CHARS else b64decode(text.replace("-", "+").replace("_", "/") + "==")
    except (NotBase64, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        msg = f"{where} holds no key of {KEY_BYTES} bytes, as {_HEX_CHARS} hexadecimal digits or in base64; {remedy}"
        raise ConfigurationError(msg)
    return key


def shown_key(key: bytes) -> str:
    """Return a key as it stands in a file."""
    return hexlify(key).decode()


def _may_be_a_key(name: str) -> bool:
    """Whether what stands where a variable's name belongs may be a key, or a part of one."""
    if not (name.isascii() and name.isidentifier()) or (len(name) >= KEY_BYTES and not set(name) - set(hexdigits)):
        return True
    try:
        read_key(name, "", "")
    except ConfigurationError:
        return False
    return True


def _from_environment(variable: str) -> bytes:
    value = os.environ.get(variable)
    if value is None:
        told = f"the variable {variable!r} is not set; it is to hold the master key"
        raise ConfigurationError(_NO_NAME if _may_be_a_key(variable) else told)
    return read_key(value, f"the variable {variable!r}", _MAKE)
