from __future__ import annotations

from typing import Any

import pytest

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.redis.address import Node, parse
from langchain_agentmem.redis.database import RedisDatabase


@pytest.mark.parametrize(
    ("url", "transport", "is_cluster", "nodes"),
    [
        ("redis://", "tcp", False, (Node("localhost", 6379),)),
        ("redis://h:1/3", "tcp", False, (Node("h", 1),)),
        ("rediss://u:p@h:1", "tls", False, (Node("h", 1),)),
        ("unix:///run/redis.sock?db=2", "unix", False, (Node(),)),
        ("redis+cluster://h:1", "tcp", True, (Node("h", 1),)),
        ("rediss+cluster://u:p%40@a:1,b,c:3/?protocol=3", "tls", True, (Node("a", 1), Node("b", 6379), Node("c", 3))),
        ("redis+cluster://a:1,b:2?socket_timeout=3", "tcp", True, (Node("a", 1), Node("b", 2))),
    ],
)
def test_a_url_says_where_and_how(url: str, transport: str, *, is_cluster: bool, nodes: tuple[Node, ...]) -> None:
    """Servers, transport, and whether they are a cluster; a port that is not named is the usual one."""
    address = parse(url, {}, {})
    assert (address.transport, address.is_cluster, address.nodes) == (transport, is_cluster, nodes)


def test_options_come_before_the_url_and_the_url_before_defaults() -> None:
    """Whoever says it most closely to the code is heard."""
    address = parse("redis://h?socket_timeout=2&protocol=3", {"socket_timeout": 1, "db": 4}, {"protocol": 2})
    assert {**address.options} | {"host": "h"} == {"host": "h", "socket_timeout": 2, "protocol": 2, "db": 4}


def test_what_is_decided_here_cannot_be_said_by_a_url() -> None:
    """Replies are bytes and nothing is sent twice, whatever the URL asks for other users of it."""
    options = parse("redis://h?decode_responses=true&max_connections=3&retry=1", {}, {}).options
    assert set(options) <= {"host"}


@pytest.mark.parametrize(
    "url",
    ["", "postgresql://h/n", "localhost:6379", "redis+cluster://h:1/3", "redis://h:port", "redis://h?db=x", 7, None],
)
def test_a_url_that_cannot_work_is_refused(url: Any) -> None:  # noqa: ANN401
    """The error comes at once, before anything is opened."""
    with pytest.raises(ConfigurationError):
        RedisDatabase(url)


@pytest.mark.parametrize(
    ("url", "options", "named"),
    [
        ("redis://h/abc", {}, "'abc'"),
        ("redis://h/1/2", {}, "'1/2'"),
        ("rediss://u:p@h/-1", {}, "'-1'"),
        ("unix:///run/redis.sock?db=two", {}, "'two'"),
        ("redis+cluster://h/abc", {}, "'abc'"),
        ("redis://h", {"db": -1}, "'-1'"),
    ],
)
def test_a_database_that_is_no_number_is_refused(url: str, options: dict[str, Any], named: str) -> None:
    """It is never taken for database 0; the error names it and says how to write one."""
    with pytest.raises(ConfigurationError, match=rf"{named}.*localhost:6379/0"):
        RedisDatabase(url, options=options)


def test_a_password_with_a_slash_is_not_shown() -> None:
    """It looks like a database that is no number."""
    with pytest.raises(ConfigurationError, match="database of the Redis URL") as refused:
        RedisDatabase("redis://u:sec/ret@h/0")
    assert "ret" not in str(refused.value)


def test_an_argument_that_redis_py_does_not_take_is_refused() -> None:
    """A misspelt option is told when the database is made, without the password."""
    with pytest.raises(ConfigurationError, match="options hold an argument") as refused:
        RedisDatabase("redis://u:secret@h", options={"sockettimeout": 3})
    assert "secret" not in str(refused.value)


def test_no_password_is_shown() -> None:
    """Neither the address nor its text form for messages holds it."""
    address = parse("redis+cluster://u:secret@a:1,b:2?ssl_ca_certs=x", {}, {"password": "secret2"})
    assert "secret" not in repr(address)
    assert address.url == "redis+cluster://a:1,b:2"


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without redis-py the URL is refused at once, and the message says what to install."""
    monkeypatch.setattr("langchain_agentmem.redis.address.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"langchain-agentmem\[redis\]"):
        RedisDatabase("redis://h")
