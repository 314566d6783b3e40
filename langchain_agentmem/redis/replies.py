"""What a server answered: replies, refusals among them, and where to ask instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.redis.address import Node
from langchain_agentmem.redis.translate import code_of, translate


class Redirection(NamedTuple):
    """The server to ask instead: from now on, or only this once because the key is just being moved."""

    node: Node
    is_for_once: bool


def checked(replies: Sequence[Any], *, is_write: bool) -> list[Any]:
    """Return replies, or raise what was refused first.

    Raises:
        StorageError: The server refused a command.
    """
    refused = next((it for it in replies if isinstance(it, Exception)), None)
    if refused is None:
        return replies if isinstance(replies, list) else list(replies)
    if redirection([refused], Node()) is not None:
        msg = "this Redis is a server of a cluster; name it by 'redis+cluster://host:port'"
        raise StorageError(msg) from refused
    raise translate(refused, is_write=is_write) from refused


def redirection(replies: Sequence[Any], asked: Node) -> Redirection | None:
    """Return where the server sends us; what it redirects it has not done, nor the transaction around it."""
    refusals = [it for it in replies if isinstance(it, Exception)]
    if not refusals:
        return None
    from redis.exceptions import AskError, MovedError

    found = next((it for it in refusals if isinstance(it, (AskError, MovedError))), None)
    if found is None:
        return None
    node = Node(str(found.host) or asked.host, int(found.port))  # without a host: another port of the same one
    return Redirection(node, isinstance(found, AskError) and not isinstance(found, MovedError))


def is_split(replies: Sequence[Any]) -> bool:
    """Whether the keys asked for are on their way, some here and some there; as with a redirection nothing was done."""
    if not any(isinstance(it, Exception) for it in replies):
        return False
    from redis.exceptions import TryAgainError

    return any(isinstance(it, TryAgainError) for it in replies)


def is_elsewhere(reply: object) -> bool:
    """Whether a command was not done because its key is not there, or not any more, or not yet."""
    return redirection([reply], Node()) is not None or is_split([reply])


def is_unknown_script(reply: object) -> bool:
    """Whether the server has to be sent the whole script."""
    if not isinstance(reply, Exception):
        return False
    from redis.exceptions import NoScriptError

    return isinstance(reply, NoScriptError)


def is_of_another_type(reply: object) -> bool:
    """Whether the server refused a command because its key holds another type."""
    return isinstance(reply, Exception) and code_of(reply) == "WRONGTYPE"


def number(packed: bytes | int | None, what: str) -> int:
    """Return a number.

    Raises:
        IntegrityError: It is none.
    """
    try:
        return int(b"" if packed is None else packed)
    except ValueError as error:
        raise damaged(what) from error


def damaged(what: str) -> IntegrityError:
    """Return the error for something that is stored, and is not what was stored."""
    return IntegrityError(f"{what} is damaged; delete what it is of, or restore it from a backup")


def pairs(reply: Any) -> dict[bytes, bytes]:  # noqa: ANN401  (a list under RESP2, a mapping under RESP3)
    """Return the fields of a hash, whichever protocol they came by."""
    if isinstance(reply, Mapping):
        return dict(reply)
    return dict(zip(reply[::2], reply[1::2], strict=True))
