"""One Redis: a server or a cluster, sync or awaited.

Only commands that every Redis from 6.2 on, Valkey and the managed services have: no module, nothing administrative.
Each operation is one round trip to one server, its keys in one slot. Several commands together are a transaction.

An operation whose connection was lost is repeated once where repeating it does no harm: reading does none, a script
does none if its author says so. Anything else fails, and says that it may have been done: redis-py, left to itself,
would send it again and could do it twice. What a cluster says was not done, for the keys are elsewhere or on their way,
is sent again, to where they are, or a moment later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem._marks import KEYS, SEALED, Marks, Owner, Part, Standing, check_keys, sealed_by_others
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.redis import marks
from langchain_agentmem.redis.address import EXAMPLES, Address, parse
from langchain_agentmem.redis.keys import check_prefix, name_key
from langchain_agentmem.redis.replies import checked, is_of_another_type, is_unknown_script
from langchain_agentmem.redis.routes import Routes, Send
from langchain_agentmem.redis.scripts import Script
from langchain_agentmem.redis.wire import Argument, Command, make_connection

DEFAULT_PREFIX: Final = "agentmem"
DEFAULT_TIMEOUT_S: Final = 10.0
DEFAULT_CONNECT_TIMEOUT_S: Final = 5.0
DEFAULT_MAX_CONNECTIONS: Final = 32
SCAN_COUNT: Final = 1_000
_US_PER_MS: Final = 1_000

Take: TypeAlias = Callable[[Sequence[bytes]], Flow[bool]]
"""Is given some keys, and says whether no more of this server's are wanted."""


class RedisDatabase:
    """A Redis server or cluster; usable at once, from several threads, and from several event loops in one process.

    Args:
        url: `redis://[user:password@]host:port/db`, `rediss://…` (TLS), `unix:///path?db=0`, and for a cluster
            `redis+cluster://host:port[,host:port]` or `rediss+cluster://…`: some of its servers, the others are found.
        prefix: What every key of ours begins with.
        timeout_s: How long an answer, or a free connection, may take before `StorageError(is_retryable=True)`.
        connect_timeout_s: How long opening a connection may take.
        max_connections: To one server, at once; of all threads together, and of each event loop.
        options: More arguments for redis-py's connections, such as `{"ssl_ca_certs": "ca.pem"}` or
            `{"credential_provider": …}`.

    Raises:
        ConfigurationError: An argument cannot work, or redis-py is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str = DEFAULT_PREFIX,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        connect_timeout_s: float = DEFAULT_CONNECT_TIMEOUT_S,
        max_connections: int = DEFAULT_MAX_CONNECTIONS,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Check the arguments; nothing is opened yet."""
        defaults = {"protocol": 2, "socket_timeout": timeout_s, "socket_connect_timeout": connect_timeout_s}
        self.prefix = check_prefix(prefix)
        self.address = parse(url, defaults, options or {})
        _check_options(self.address)
        self._routes = Routes(self.address, max_connections, timeout_s)
        self.marks = Marks()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed; nothing is read or written any more."""
        return self._routes.is_closed

    def key(self, tag: str, *parts: str) -> bytes:
        """Return the name of a key; all keys of one tag live in one slot. Tag and parts may be any text."""
        return name_key(self.prefix, tag, *parts)

    def mark(self, state: str, keys: str) -> Flow[None]:
        """Say of every part whether it is sealed, and by which keys."""
        yield from self._mark({**dict.fromkeys(marks.PARTS, state), KEYS: keys})

    def check_sealed(self, keys: str) -> Flow[None]:
        """Let no other keys in than those that sealed what is here.

        Raises:
            ConfigurationError: Others did.
        """
        found = yield from self.read_marks()
        check_keys(found, (yield from self._filled(sealed_by_others(found, keys))), keys)

    def read_marks(self) -> Flow[dict[str, str]]:
        """Return the mark of each part that has one, and the name of the keys."""
        return marks.read(checked((yield from self._exchange([("HGETALL", self.key(marks.TAG))])), is_write=False)[0])

    def read(self, *commands: Command) -> Flow[list[Any]]:
        """Run commands that change nothing, all of one slot; several of them see the state of one moment.

        The first argument of each is its key. Replies are as Redis gives them: bytes, numbers, `None`, lists.

        Raises:
            StorageError: Redis is away, slow or refuses; retryable where waiting may help.
            IntegrityError: A key holds another type.
        """
        return (yield from self._transaction(commands, is_write=False, is_repeatable=True))

    def write(self, *commands: Command, is_repeatable: bool = False) -> Flow[list[Any]]:
        """Run commands, all of one slot; several of them in one transaction (MULTI), so that nobody sees half of it.

        A command that fails in itself, say for the type of its key, does not undo the others. Out of memory and a
        read-only replica are known before the first of them: then none is done.

        Args:
            commands: The first argument of each is its key.
            is_repeatable: Doing it twice is like doing it once: it is repeated if the connection is lost.

        Raises:
            StorageError: As for `read`; where the connection was lost, the commands may have been done.
        """
        return (yield from self._transaction(commands, is_write=True, is_repeatable=is_repeatable))

    def call(
        self, script: Script, keys: Sequence[bytes], args: Sequence[Argument] = (), *, is_repeatable: bool = False
    ) -> Flow[Any]:
        """Run a script on keys of one slot and return what it returns.

        Args:
            script: Sent by its digest, and whole to a server that does not know it yet.
            keys: At least one.
            args: Bytes, text or numbers.
            is_repeatable: As for `write`.

        Raises:
            StorageError: As for `write`.
        """
        yield from self.agree()
        tail: Command = (len(keys), *keys, *args)
        for head in (("EVALSHA", script.digest), ("EVAL", script.text)):
            sent: list[Command] = [(*head, *tail)]
            replies = yield from self._routes.exchange(keys[0], sent, is_write=True, is_repeatable=is_repeatable)
            if not is_unknown_script(replies[0]):
                break
        return checked(replies, is_write=True)[0]

    def spread(self, commands: Sequence[Command]) -> Flow[list[Any]]:
        """Run commands that are safe to repeat and have nothing to do with each other, each in the slot of its key.

        One round trip per server, not one per command; nothing is promised of them together.
        """
        return checked((yield from self._spread(commands)), is_write=False)

    def ask_each(self, commands: Sequence[Command]) -> Flow[list[Any]]:
        """Run commands that change nothing; likewise. `None` of a key that holds another type: somebody else's."""
        replies = yield from self._spread(commands)
        return checked([None if is_of_another_type(it) else it for it in replies], is_write=False)

    def call_each(self, script: Script, calls: Sequence[tuple[Sequence[bytes], Sequence[Argument]]]) -> Flow[list[Any]]:
        """Run a script that is safe to repeat for each of several keys and arguments; likewise.

        Raises:
            StorageError: As for `write`; some calls may have been done.
        """
        if len(calls) == 1:
            return [(yield from self.call(script, *calls[0], is_repeatable=True))]
        replies = yield from self._spread([("EVALSHA", script.digest, len(it), *it, *args) for it, args in calls])
        for place, each in enumerate(calls):
            if is_unknown_script(replies[place]):
                replies[place] = yield from self.call(script, *each, is_repeatable=True)
        return checked(replies, is_write=True)

    def scan(self, pattern: bytes) -> Flow[list[bytes]]:
        """Return the keys that match a pattern, of all servers, in no order; it visits every key there is."""
        found: dict[bytes, None] = {}

        def take(keys: Sequence[bytes]) -> Flow[bool]:
            yield from ()
            found.update(dict.fromkeys(keys))
            return False

        yield from self.each_scanned(pattern, take)
        return list(found)

    def each_scanned(self, pattern: bytes, take: Take) -> Flow[None]:
        """Give the keys that match a pattern, of all servers, some at a time; it visits every key there is.

        Args:
            pattern: Names of keys have no character that it knows, see `redis.keys`.
            take: Is given each key, some of them more than once.
        """
        yield from self.agree()
        yield from self._scanned(pattern, take)

    def _scanned(self, pattern: bytes, take: Take) -> Flow[None]:
        """Scan whatever the marks say."""

        def look(send: Send) -> Flow[None]:
            cursor: Argument = 0
            while True:
                replies = yield from send([("SCAN", cursor, "MATCH", pattern, "COUNT", SCAN_COUNT)])
                cursor, keys = checked(replies, is_write=False)[0]
                is_enough = bool(keys) and (yield from take(keys))
                if int(cursor) == 0 or is_enough:
                    break

        yield from self._routes.visit(look)

    def agree(self) -> Flow[None]:
        """Hold what users of this object expect against what Redis says, and mark what they begin to seal."""
        asked = self.marks.due
        if not asked or self.marks.is_waived:
            return
        keys = yield from self.marks.keys()
        begun = yield from self._unmarked((yield from self.read_marks()), keys)
        if begun:
            yield from self._mark(begun)
        self.marks.agreed(asked)

    def holds_sealed(self) -> Flow[bool]:
        """Return whether anything is sealed; it asks as the next call would, and marks nothing."""
        found = yield from self.read_marks()
        if not self.marks.is_waived:
            yield from self._unmarked(found, "")
        return bool((yield from self._filled(sealed_by_others(found, None))))

    def standing(self, owner: Owner) -> Flow[Standing]:
        """Return what it has of a user that takes keys; who knows of erasures is the SQL database."""
        found = yield from self.read_marks()
        named = [key for part, key in marks.indexes(self.key, owner).items() if found.get(part) == SEALED]
        there = (yield from self.read(*[("EXISTS", key) for key in named])) if named else []
        return "sealed" if any(there) else "nothing"

    def _unmarked(self, found: Mapping[str, str], keys: str) -> Flow[dict[str, str]]:
        """Return what is to be marked."""
        return self.marks.check(found, (yield from self._filled(self.marks.in_question(found, keys))), keys)

    def _mark(self, states: Mapping[str, str]) -> Flow[None]:
        checked((yield from self._exchange([marks.put(self.key(marks.TAG), states)])), is_write=True)

    def _filled(self, parts: Iterable[Part]) -> Flow[frozenset[Part]]:
        filled = set[Part]()
        for part, pattern in marks.patterns(self.prefix, parts).items():

            def take(_: Sequence[bytes], part: Part = part) -> Flow[bool]:
                yield from ()
                filled.add(part)
                return True

            yield from self._scanned(pattern, take)
        return frozenset(filled)

    def _exchange(self, sent: Sequence[Command]) -> Flow[list[Any]]:
        """Run a command on the marks, whatever they say."""
        return (yield from self._routes.exchange(self.key(marks.TAG), sent, is_write=True, is_repeatable=True))

    def close(self) -> None:
        """Release every connection of every thread and event loop. Calling it again does nothing."""
        self._routes.close()

    async def aclose(self) -> None:
        """Release every connection; those of the running event loop are closed politely."""
        await self._routes.aclose()

    def _transaction(self, commands: Sequence[Command], *, is_write: bool, is_repeatable: bool) -> Flow[list[Any]]:
        if not commands:
            return []
        yield from self.agree()
        is_one = len(commands) == 1
        sent: Sequence[Command] = commands if is_one else [("MULTI",), *commands, ("EXEC",)]
        key = _key_of(commands[0])
        replies = yield from self._routes.exchange(key, sent, is_write=is_write, is_repeatable=is_repeatable)
        replies = checked(replies, is_write=is_write)
        return replies if is_one else checked(replies[-1], is_write=is_write)

    def _spread(self, commands: Sequence[Command]) -> Flow[list[Any]]:
        """Return replies and refusals."""
        yield from self.agree()
        return (yield from self._routes.spread([_key_of(it) for it in commands], commands))


def until(expires_at: int | None, *keys: bytes) -> list[Command]:
    """Return the commands that end keys at a time, or never: to be run in the transaction that writes them.

    Args:
        expires_at: Microseconds since 1970; `None`: they stay.
        keys: All keys that were written.
    """
    if expires_at is None:
        return [("PERSIST", key) for key in keys]
    return [("PEXPIREAT", key, milliseconds(expires_at)) for key in keys]


def milliseconds(at: int) -> int:
    """Return a time in microseconds as Redis wants it; never earlier than it was."""
    return -(-at // _US_PER_MS)


def _key_of(command: Command) -> bytes:
    """Return the key of a command: the first argument, or that of a script."""
    place = 3 if command[0] in {"EVAL", "EVALSHA"} else 1
    key = command[place]
    return key if isinstance(key, bytes) else str(key).encode()


def _check_options(address: Address) -> None:
    """Build a connection, which opens nothing, so that a misspelt option is told now."""
    try:
        make_connection(address, address.nodes[0])
    except Exception as error:  # whatever redis-py makes of an argument it cannot use; its text may quote a password
        msg = f"url or options hold an argument that redis-py does not take ({type(error).__name__}); {EXAMPLES}"
        raise ConfigurationError(msg) from error
