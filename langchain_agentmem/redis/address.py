"""What a Redis URL says: which servers, and how to speak to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

from langchain_agentmem._checks import given, install_hint
from langchain_agentmem.errors import ConfigurationError

DEFAULT_PORT: Final = 6379
EXAMPLES: Final = "'redis://localhost:6379/0', 'rediss://…', 'unix:///run/redis.sock' or 'redis+cluster://host:6379'"
_CLUSTER_SCHEMES: Final = {"redis+cluster": "redis", "rediss+cluster": "rediss"}
_MAX_SHOWN: Final = 40
_OURS: Final = frozenset({"connection_class", "decode_responses", "max_connections", "timeout", "retry"})
"""What a URL may say for other users of it, but what is decided here: results are bytes, nothing is sent twice."""


Transport: TypeAlias = Literal["tcp", "tls", "unix"]


class Node(NamedTuple):
    """Where a server listens; a unix socket has neither."""

    host: str = ""
    port: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where to connect.

    Attributes:
        url: Without user and password, for messages.
        nodes: The server; of a cluster, those that are asked which others there are.
        options: Arguments of every connection of redis-py. They may hold a password, and are never shown.
    """

    url: str
    transport: Transport
    is_cluster: bool
    nodes: tuple[Node, ...]
    options: Mapping[str, Any] = field(repr=False)

    def connection_options(self, node: Node) -> dict[str, Any]:
        """Return the arguments of a connection to one of the servers."""
        place = {"host": node.host, "port": node.port} if node.host else {}
        return {**self.options, **place}


def parse(url: str, defaults: Mapping[str, Any], options: Mapping[str, Any]) -> Address:
    """Return what a URL says; what it does not say comes from `defaults`, and `options` come before both.

    Raises:
        ConfigurationError: The URL is malformed, or redis-py is not installed.
    """
    if find_spec("redis") is None:
        msg = f"redis-py is not installed; {install_hint('redis')}"
        raise ConfigurationError(msg)
    if not isinstance(url, str):
        msg = f"url must be a str, got {given(url)}; for example {EXAMPLES}"
        raise ConfigurationError(msg)
    scheme, slashes, rest = url.partition("://")
    if not slashes:
        shown = "url" if "@" in url else f"url {url[:_MAX_SHOWN]!r}"  # … which may stand behind a password
        msg = f"{shown} does not begin with redis://, or another scheme of Redis; for example {EXAMPLES}"
        raise ConfigurationError(msg)
    is_cluster = scheme in _CLUSTER_SCHEMES
    urls = _urls_of_nodes(_CLUSTER_SCHEMES[scheme], rest) if is_cluster else [url]
    found = [_parse_one(one) for one in urls]
    merged = {**defaults, **found[0], **options}
    _check_database(options.get("db", 0))
    if is_cluster and str(merged.pop("db", 0)) not in {"0", ""}:
        msg = "url names a database, but a cluster has only one; leave out what follows the port"
        raise ConfigurationError(msg)
    nodes = tuple(_node_of(one) for one in found)
    kept = {key: value for key, value in merged.items() if key not in _OURS}
    transport: Transport = "unix" if "path" in found[0] else "tls" if scheme.startswith("rediss") else "tcp"
    return Address(url=_without_password(url), transport=transport, is_cluster=is_cluster, nodes=nodes, options=kept)


def _urls_of_nodes(scheme: str, rest: str) -> list[str]:
    """Split `user:password@host:port,host:port/path?query` into one URL each."""
    place, slash, tail = rest.partition("/")
    if not slash:
        place, slash, tail = rest.partition("?")
    user, at, hosts = place.rpartition("@")
    return [f"{scheme}://{user}{at}{host}{slash}{tail}" for host in hosts.split(",")]


def _parse_one(url: str) -> dict[str, Any]:
    from redis.connection import parse_url

    try:
        databases = _databases(url)
        parsed = dict(parse_url(url)) if all(map(_is_database, databases)) else {}  # type: ignore[no-untyped-call]
    except (ValueError, TypeError) as error:  # its text may quote the URL, and with it a password
        msg = f"url is no Redis URL; for example {EXAMPLES}"
        raise ConfigurationError(msg) from error
    for named in databases:
        _check_database(named)
    return parsed


def _databases(url: str) -> list[str]:
    """Return what a URL says of its database; redis-py takes a name that is no number for database 0."""
    parts = urlsplit(url)
    named = parse_qs(parts.query).get("db", [])
    path = unquote(parts.path).strip("/")
    return named if parts.scheme == "unix" or not path else [path, *named]


def _is_database(named: object) -> bool:
    return str(named).isascii() and str(named).isdigit()


def _check_database(named: object) -> None:
    if _is_database(named):
        return
    text = str(named)
    shown = "" if "@" in text else f" {text[:_MAX_SHOWN]!r}"  # of a password with a slash in it, nothing
    msg = f"database{shown} of the Redis URL is no number from 0 on; write it after the port: redis://localhost:6379/0"
    raise ConfigurationError(msg)


def _node_of(parsed: Mapping[str, Any]) -> Node:
    if "path" in parsed:
        return Node()
    return Node(str(parsed.get("host", "localhost")), int(parsed.get("port", DEFAULT_PORT)))


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2].partition('?')[0]}"
