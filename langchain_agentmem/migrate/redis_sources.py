"""Conversations in Redis as langchain-redis and langchain-community store them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow, step
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.migrate.moving import Source, Stored
from langchain_agentmem.redis.translate import is_of_redis, translate

if TYPE_CHECKING:
    import redis
    import redis.asyncio

    Client: TypeAlias = "redis.Redis | redis.RedisCluster | redis.asyncio.Redis | redis.asyncio.RedisCluster"

BATCH: Final = 500
"""Documents per pipeline: one round trip each, some hundred kilobytes."""

SCAN_COUNT: Final = 1_000
_GLOB: Final = lazy_pattern(r"([*?\[\]\\^-])")


class _Server:
    """A client of either colour; each method is a flow."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401  (four classes of redis-py, whose stubs differ)
        if not callable(getattr(client, "execute_command", None)):
            msg = f"client must be a client of redis-py, got {type(client).__name__}; for example redis.Redis()"
            raise ConfigurationError(msg)
        self._client = client
        self._is_async = inspect.iscoroutinefunction(client.execute_command)

    def keys(self, prefix: str, kind: str) -> Flow[list[bytes]]:
        """Return the keys of a type that begin with a prefix, each once."""
        found = yield from self._call(self._scan, self._ascan, _GLOB.sub(r"\\\1", prefix) + "*", kind)
        return sorted({_bytes(key) for key in found})

    def each(self, commands: Sequence[tuple[Any, ...]]) -> Flow[list[Any]]:
        """Return the answers to some commands; the error of one is its answer."""
        answers = []
        for first in range(0, len(commands), BATCH):
            answers += yield from self._call(self._pipe, self._apipe, commands[first : first + BATCH])
        return answers

    def _call(self, blocking: Any, awaitable: Any, *args: Any) -> Flow[Any]:  # noqa: ANN401
        try:
            if self._is_async:
                return (yield from step(_refuse_blocking, awaitable, *args))
            return (yield from step(blocking, _refuse_awaitable, *args))
        except Exception as error:
            if not is_of_redis(error):
                raise
            raise translate(error, is_write=False) from error

    def _scan(self, pattern: str, kind: str) -> list[Any]:
        return list(self._client.scan_iter(match=pattern, count=SCAN_COUNT, _type=kind))

    async def _ascan(self, pattern: str, kind: str) -> list[Any]:
        return [key async for key in self._client.scan_iter(match=pattern, count=SCAN_COUNT, _type=kind)]

    def _pipe(self, commands: Iterable[tuple[Any, ...]]) -> list[Any]:
        pipe = self._client.pipeline(transaction=False)
        for command in commands:
            pipe.execute_command(*command)
        answers: list[Any] = pipe.execute(raise_on_error=False)
        return answers

    async def _apipe(self, commands: Iterable[tuple[Any, ...]]) -> list[Any]:
        pipe = self._client.pipeline(transaction=False)
        for command in commands:
            pipe.execute_command(*command)
        answers: list[Any] = await pipe.execute(raise_on_error=False)
        return answers


class LangChainRedisSource(Source):
    """Conversations of langchain-redis: a JSON document per message, `chat:<session>:<ULID>`.

    Its class reads them through a search index, which does not find messages of content blocks and takes sessions whose
    names differ in case for one; here the documents themselves are read. The server needs the JSON commands, as it did
    when they were written.
    """

    name = "langchain-redis"

    def __init__(self, client: Client, prefix: str) -> None:
        """No I/O."""
        self._server = _Server(client)
        self._prefix = check_text("prefix", prefix)
        self._keys: dict[str, list[bytes]] | None = None

    def sessions(self) -> Flow[list[str]]:
        """Return the sessions that the keys name."""
        return list((yield from self._by_session()))

    def read(self, session_id: str) -> Flow[list[Stored]]:
        """Read the documents in the order of their times, and of their ULIDs where those are equal."""
        keys = (yield from self._by_session()).get(session_id, [])
        answers = yield from self._server.each([("JSON.GET", key) for key in keys])
        documents = [_document(key, answer) for key, answer in zip(keys, answers, strict=True) if answer is not None]
        return [document.stored for document in sorted(documents, key=lambda it: (it.at, it.ulid))]

    def _by_session(self) -> Flow[dict[str, list[bytes]]]:
        if self._keys is None:
            self._keys = {}
            for key in (yield from self._server.keys(self._prefix, "ReJSON-RL")):
                session_id, _, _ = key.decode("utf-8", "surrogateescape")[len(self._prefix) :].rpartition(":")
                self._keys.setdefault(session_id, []).append(key)
        return self._keys


class CommunityRedisSource(Source):
    """Conversations of langchain-community: a list per session, `message_store:<session>`, newest message first."""

    name = "langchain-community/redis"

    def __init__(self, client: Client, prefix: str) -> None:
        """No I/O."""
        self._server = _Server(client)
        self._prefix = check_text("prefix", prefix)

    def sessions(self) -> Flow[list[str]]:
        """Return the sessions that the keys name."""
        keys = yield from self._server.keys(self._prefix, "list")
        return [key.decode("utf-8", "surrogateescape")[len(self._prefix) :] for key in keys]

    def read(self, session_id: str) -> Flow[list[Stored]]:
        """Read the list from its end."""
        key = f"{self._prefix}{session_id}".encode("utf-8", "surrogateescape")
        [answer] = yield from self._server.each([("LRANGE", key, 0, -1)])
        if isinstance(answer, Exception):
            raise translate(answer, is_write=False) from answer
        return [parsed(item) for item in reversed(answer)]


class _Document(NamedTuple):
    """A message of langchain-redis, with what it is sorted by."""

    at: float
    ulid: str
    stored: Stored


def parsed(text: str | bytes) -> Stored:
    """Return the form that stands in JSON text."""
    try:
        return Stored(json.loads(text))
    except (ValueError, RecursionError):
        return Stored(problem="it is no JSON")


def _document(key: bytes, answer: object) -> _Document:
    ulid = key.rpartition(b":")[2].decode("utf-8", "surrogateescape")
    if isinstance(answer, Exception):
        raise translate(answer, is_write=False) from answer
    # Once a client's `json()` was used, as langchain-redis does, it parses answers by itself.
    read = parsed(answer) if isinstance(answer, (str, bytes)) else Stored(answer)
    form, problem = read.form, read.problem
    if problem is not None or not isinstance(form, Mapping):
        return _Document(0.0, ulid, Stored(problem=problem or "it is no JSON object"))
    at = form.get("timestamp")
    return _Document(float(at) if isinstance(at, int | float) else 0.0, ulid, Stored(_form(form), ulid))


def _form(document: Mapping[str, Any]) -> object:
    """Return what is the message in a document; a type that was lost in `data` stands beside it."""
    return {"type": document.get("type"), "data": document.get("data")}


def _refuse_blocking(*_args: object) -> Any:  # noqa: ANN401  (it only raises)
    msg = "this is a client of redis.asyncio; pass a redis.Redis, or await the function whose name begins with a"
    raise ConfigurationError(msg)


async def _refuse_awaitable(*_args: object) -> Any:  # noqa: ANN401
    msg = "this client cannot be awaited; pass a redis.asyncio.Redis, or call the function whose name has no a"
    raise ConfigurationError(msg)


def _bytes(key: str | bytes) -> bytes:
    return key.encode("utf-8", "surrogateescape") if isinstance(key, str) else key
