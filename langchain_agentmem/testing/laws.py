"""What the suites share: the two colours, and a failure that says what was expected."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

Colour: TypeAlias = Literal["sync", "async"]

COLOURS: Final[tuple[Colour, ...]] = ("sync", "async")


def expect(found: object, wanted: object, what: str) -> None:
    """Fail unless what was found is what was wanted.

    Raises:
        AssertionError: It is not; the message names both.
    """
    if found != wanted:
        fail(f"{what}: expected {wanted!r}, found {found!r}")


def fail(msg: str) -> None:
    """Fail.

    Raises:
        AssertionError: Always.
    """
    raise AssertionError(msg)


def parametrize(metafunc: Any, name: str, values: object) -> None:  # noqa: ANN401  (pytest's own class; it is not imported)
    """Run a test once per value, where it has a parameter of that name."""
    if name in metafunc.fixturenames:
        metafunc.parametrize(name, values)
