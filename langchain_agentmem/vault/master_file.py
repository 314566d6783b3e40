"""The master keys in a file of a folder, and the keys of names: one a line."""

from __future__ import annotations

from pathlib import Path
from secrets import token_bytes
from typing import Final

from langchain_agentmem._flow import Flow, work
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.vault import files
from langchain_agentmem.vault.keyring import KEY_BYTES
from langchain_agentmem.vault.masters import LocalKeys, read_key, shown_key

_REMEDY: Final = "put it back from its backup: a new one opens none of what is there"


class MasterFile:
    """The master keys in a file of a folder: one a line, the one that wraps first.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: files.Stamp | None = None
        self._local: LocalKeys | None = None

    def make(self) -> None:
        """Make the file with a first key."""
        files.replace(self.path, key_lines([token_bytes(KEY_BYTES)]))

    def keys(self) -> list[bytes]:
        """Return the keys of the file.

        Raises:
            ConfigurationError: It is missing, or a line of it is no key.
        """
        found = files.read(self.path)
        if found is None:
            msg = (
                f"the master key {str(self.path)!r} is missing, without which no key opens; put it back from its backup"
            )
            raise ConfigurationError(msg)
        lines = found[0].decode("ascii", "replace").split()
        return [read_key(line, f"line {no} of {str(self.path)!r}", _REMEDY) for no, line in enumerate(lines or [""], 1)]

    def put(self, keys: list[bytes]) -> None:
        """Put other keys into the file."""
        files.replace(self.path, key_lines(keys))

    def wrap(self, keys: bytes, about: bytes) -> Flow[bytes]:
        """Return wrapped keys."""
        return (yield from work(self._wrapped, keys, about))

    def unwrap(self, wrapped: bytes, about: bytes) -> Flow[bytes]:
        """Return the keys."""
        return (yield from work(self._unwrapped, wrapped, about))

    def is_current(self, wrapped: bytes) -> bool:
        """Whether keys are wrapped by the first key of the file, as it is now."""
        return self._read().is_current(wrapped)

    def _wrapped(self, keys: bytes, about: bytes) -> bytes:
        return self._read().wrap(keys, about)

    def _unwrapped(self, wrapped: bytes, about: bytes) -> bytes:
        return self._read().unwrap(wrapped, about)

    def _read(self) -> LocalKeys:
        stamp = files.stamp_of(self.path)
        if self._local is None or stamp is None or stamp != self._stamp:
            files.warn_if_open(self.path)
            self._local = LocalKeys(self.keys(), str(self.path))
            self._stamp = stamp
        return self._local


def read_name_key(content: bytes, path: Path) -> bytes:
    """Return the key of names that a file holds.

    Raises:
        ConfigurationError: It holds none.
    """
    return read_key(content.decode("ascii", "replace"), repr(str(path)), _REMEDY)


def key_lines(keys: list[bytes]) -> bytes:
    """Return what a file of keys that wrap others holds."""
    return "".join(f"{shown_key(key)}\n" for key in keys).encode()
