"""Which parts of a database are sealed: what its users expect, held against what the database says of itself.

So a writer without keys puts no text beside ciphertexts, and one with keys no ciphertexts beside text. It is asked once
for each part, object and process, with the first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, NoReturn, TypeAlias, get_args

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import ConfigurationError

Part: TypeAlias = Literal["ledger", "conversations", "working", "threads", "store"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)

KEYS: Final = "keys"
"""Stands beside the parts: the name of the key store that seals them, by which another one is told."""

NameOfKeys: TypeAlias = Callable[[], Flow[str]]

Standing: TypeAlias = Literal["nothing", "sealed", "ending"]
"""What a database has of a user: nothing that is sealed, something, or what is being erased as a whole."""


class Owner(NamedTuple):
    """Whose something is: a user of a tenant; of a visitor, who has no id, one conversation."""

    tenant_id: str
    user_id: str
    session_id: str = ""


HEAD_BYTES: Final = 6
"""Of a sealed value: its form, and the id of the key that sealed it."""


class Heads(NamedTuple):
    """How what a database has of a user begins.

    Attributes:
        log: Of the oldest event in the log that still says anything.
        others: Of everything else that is sealed, each once.
    """

    log: bytes | None
    others: frozenset[bytes]


SEALED: Final = "sealed"
SEALING: Final = "sealing"

_REMEDY: Final = "memory.vault.seal_database(), or `agentmem vault seal`"


class Marks:
    """What the users of one database expect of its parts.

    Attributes:
        due: The parts that the database is still to be asked for.
        is_waived: Whether it is not asked: while everything in it is being sealed.
    """

    def __init__(self) -> None:
        """Nothing is expected yet."""
        self._expected: dict[Part, bool] = {}
        self._names: list[NameOfKeys] = []
        self.due: frozenset[Part] = frozenset()
        self.is_waived = False

    def expect(self, part: Part, *, is_sealed: bool, keys: NameOfKeys | None = None) -> None:
        """Say that a part is used with keys or without, and what names the store that they are in.

        Raises:
            ConfigurationError: The same database is used both ways.
        """
        if self._expected.get(part, is_sealed) != is_sealed:
            msg = f"one database is given to {part} with a vault and without one; pass the same vault= to both"
            raise ConfigurationError(msg)
        if part not in self._expected:
            self._expected[part] = is_sealed
            self.due |= {part}
        if keys is not None and keys not in self._names:
            self._names.append(keys)

    @property
    def sealed(self) -> list[Part]:
        """The parts that are to be asked for, and used with keys."""
        return [part for part in sorted(self.due) if self._expected[part]]

    def keys(self) -> Flow[str]:
        """Return the name of the key store that is used; empty where none is, or it has no name.

        Raises:
            ConfigurationError: Two are.
        """
        name = ""
        for ask in self._names:
            other = yield from ask()
            if name and other != name:
                msg = "one database is given to vaults with different key stores; pass the same vault= to all parts"
                raise ConfigurationError(msg)
            name = other
        return name

    def in_question(self, found: Mapping[str, str], keys: str) -> list[Part]:
        """Return the parts of which `check` has to know whether they hold anything."""
        return [part for part in self.sealed if part not in found] + sealed_by_others(found, keys)

    def check(self, found: Mapping[str, str], filled: frozenset[Part], keys: str) -> dict[str, str]:
        """Return what is to be marked: parts as sealed, and the name of the keys that seal them.

        Args:
            found: The marks that there are.
            filled: The parts that hold something.
            keys: The name of the key store that is used.

        Raises:
            ConfigurationError: A part is sealed and its user has no keys, or the other way round, or half of it is; or
                it is sealed by other keys.
        """
        check_keys(found, filled, keys)
        for part in sorted(self.due):
            _check(part, found.get(part), is_sealed=self._expected[part], is_filled=part in filled)
        begun: dict[str, str] = {part: SEALED for part in self.sealed if part not in found}
        is_older = KEYS not in found and any(part in found for part in PARTS)  # sealed before keys had a name
        return begun if not keys or is_older or found.get(KEYS) == keys else {**begun, KEYS: keys}

    def agreed(self, asked: frozenset[Part]) -> None:
        """Note of parts that the database says what is expected."""
        self.due -= asked


def sealed_by_others(found: Mapping[str, str], keys: str | None) -> list[Part]:
    """Return the parts that are sealed by other keys than those of a name, if they hold anything; `None`: than none."""
    is_others = keys is None or (keys and found.get(KEYS, keys) != keys)
    return [part for part in PARTS if part in found] if is_others else []


def check_keys(found: Mapping[str, str], filled: frozenset[Part], keys: str) -> None:
    """Let no other keys in than those that sealed a database.

    Raises:
        ConfigurationError: Others did.
    """
    if not filled.isdisjoint(sealed_by_others(found, keys)):
        msg = (
            f"this database is sealed by the keys of key store {found[KEYS]}, and vault= has those of {keys}; open it "
            "with the key store that sealed it, or put that back from its own backup"
        )
        raise ConfigurationError(msg)


def _check(part: Part, mark: str | None, *, is_sealed: bool, is_filled: bool) -> None:
    if mark is not None and not is_sealed:
        msg = (
            f"{part} of this database: it is sealed, and would get text in the clear; open it with the vault= that "
            "sealed it, or in YAML with vault:"
        )
        raise ConfigurationError(msg)
    if mark == SEALING:
        msg = f"{part} of this database: it is being sealed, or that was broken off; wait, or call {_REMEDY}"
        raise ConfigurationError(msg)
    if is_sealed and mark is None and is_filled:
        _refuse_plain(part)


def _refuse_plain(part: Part) -> NoReturn:
    msg = (
        f"{part} of this database: it is not sealed, but was written without a vault; stop writers without one, and "
        f"call {_REMEDY} once; or leave vault= out"
    )
    raise ConfigurationError(msg)
