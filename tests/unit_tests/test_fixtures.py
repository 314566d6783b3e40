from __future__ import annotations

import socket

import pytest
import pytest_socket

from tests.conftest import Call, Colour


class Both:
    """A thing of two colours."""

    def name(self, suffix: str = "") -> str:
        return f"sync{suffix}"

    async def aname(self, suffix: str = "") -> str:
        return f"async{suffix}"


async def test_call_uses_the_method_of_the_tests_colour(call: Call, colour: Colour) -> None:
    """One test line runs the blocking method in one variant and awaits its twin in the other."""
    assert await call(Both(), "name", suffix="!") == f"{colour}!"


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_a_unit_test_reaches_no_network() -> None:
    """Opening a network socket in a unit test is an error."""
    with pytest.raises(pytest_socket.SocketBlockedError):
        socket.socket(socket.AF_INET)


def test_the_database_of_a_test_is_empty_and_its_own(sql_url: str) -> None:
    """A unit test runs over SQLite, and its file does not exist before."""
    assert sql_url == "sqlite://" or sql_url.startswith("sqlite:///")
