"""Which parts of a database are sealed: what its users expect, held against what the database says of itself.

So a writer without keys puts no text beside ciphertexts, and one with keys no ciphertexts beside text. It is asked once
for each part, object and process, with the first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NoReturn, TypeAlias, get_args

from langchain_agentmem.errors import ConfigurationError

Part: TypeAlias = Literal["ledger", "conversations", "working", "threads", "store"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)

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
        self.due: frozenset[Part] = frozenset()
        self.is_waived = False

    def expect(self, part: Part, *, is_sealed: bool) -> None:
        """Say that a part is used with keys or without.

        Raises:
            ConfigurationError: The same database is used both ways.
        """
        if self._expected.get(part, is_sealed) != is_sealed:
            msg = f"one database is given to {part} with a vault and without one; pass the same vault= to both"
            raise ConfigurationError(msg)
        if part not in self._expected:
            self._expected[part] = is_sealed
            self.due |= {part}

    @property
    def sealed(self) -> list[Part]:
        """The parts that are to be asked for, and used with keys."""
        return [part for part in sorted(self.due) if self._expected[part]]

    def check(self, found: Mapping[str, str], filled: frozenset[Part]) -> list[Part]:
        """Return the parts to be marked as sealed.

        Args:
            found: The mark of each part that has one.
            filled: The parts that hold something.

        Raises:
            ConfigurationError: A part is sealed and its user has no keys, or the other way round, or half of it is.
        """
        for part in sorted(self.due):
            _check(part, found.get(part), is_sealed=self._expected[part], is_filled=part in filled)
        return [part for part in self.sealed if part not in found]

    def agreed(self, asked: frozenset[Part]) -> None:
        """Note of parts that the database says what is expected."""
        self.due -= asked


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
