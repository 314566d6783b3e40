"""Move conversations that other packages stored into a history of ours, or into a LangGraph thread.

Each function moves the sessions that are asked for, or all, and returns an account. `into` gives the history that takes
a session, and so says whose it is; `None` leaves the session out:

```python
into = lambda session_id: SQLChatMessageHistory(session_id, scope=Scope(owners[session_id]), url="sqlite:///chat.db")
into = lambda session_id: ThreadChatMessageHistory(checkpointer, session_id)
```

A second run adds nothing: a message keeps its id, and one that has none gets an id made of its source, its session and
its key or content. With `dry_run=True` nothing is written, and the account is the same. Messages are added at the end,
so move a conversation before it goes on in its new place; and into a history with `max_messages` only once, for what
has made room there is not known for ever. All of a session is added, or nothing of it. Nothing but
LangChain's known classes of messages is ever constructed, and what a source did not store cannot come back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.migrate.json_source import JSONSource, Messages
from langchain_agentmem.migrate.moving import History, Into, Migration, Refusal, check_history, move
from langchain_agentmem.migrate.redis_sources import CommunityRedisSource, LangChainRedisSource
from langchain_agentmem.migrate.sql_source import CommunitySQLSource, Place

if TYPE_CHECKING:
    from langchain_agentmem.migrate.redis_sources import Client

__all__ = [
    "Migration",
    "Refusal",
    "afrom_community_redis",
    "afrom_community_sql",
    "afrom_json",
    "afrom_langchain_redis",
    "from_community_redis",
    "from_community_sql",
    "from_json",
    "from_langchain_redis",
]


def from_langchain_redis(
    client: Client,
    into: Into,
    *,
    session_ids: Collection[str] | None = None,
    prefix: str = "chat:",
    dry_run: bool = False,
) -> Migration:
    """Move conversations of langchain-redis' `RedisChatMessageHistory`.

    That class stores no tool calls (but those that OpenAI's models left in `additional_kwargs`), no names, usage or
    artifacts: they cannot come back, and the account's `unanswered` counts the tool results left without a call.
    Messages that its search index lost are found.

    Args:
        client: A client of redis-py, with `protocol=2` or 3. The awaitable twin takes one of `redis.asyncio`.
        into: Gives the history of a session, or `None`.
        session_ids: Which sessions; `None`: all.
        prefix: Its `key_prefix`.
        dry_run: Write nothing.

    Raises:
        ConfigurationError: An argument has a value that cannot work.
        StorageError: Source or target failed; what was moved is moved, and the same call goes on.
    """
    return run(move(LangChainRedisSource(client, prefix), into, session_ids=session_ids, dry_run=dry_run))


async def afrom_langchain_redis(
    client: Client,
    into: Into,
    *,
    session_ids: Collection[str] | None = None,
    prefix: str = "chat:",
    dry_run: bool = False,
) -> Migration:
    """Move conversations of langchain-redis; see `from_langchain_redis`."""
    return await arun(move(LangChainRedisSource(client, prefix), into, session_ids=session_ids, dry_run=dry_run))


def from_community_redis(
    client: Client,
    into: Into,
    *,
    session_ids: Collection[str] | None = None,
    prefix: str = "message_store:",
    dry_run: bool = False,
) -> Migration:
    """Move conversations of langchain-community's `RedisChatMessageHistory`.

    Arguments and errors are those of `from_langchain_redis`.
    """
    return run(move(CommunityRedisSource(client, prefix), into, session_ids=session_ids, dry_run=dry_run))


async def afrom_community_redis(
    client: Client,
    into: Into,
    *,
    session_ids: Collection[str] | None = None,
    prefix: str = "message_store:",
    dry_run: bool = False,
) -> Migration:
    """Move conversations of langchain-community in Redis; see `from_community_redis`."""
    return await arun(move(CommunityRedisSource(client, prefix), into, session_ids=session_ids, dry_run=dry_run))


def from_community_sql(
    database: Place,
    into: Into,
    *,
    session_ids: Collection[str] | None = None,
    table: str = "message_store",
    session_column: str = "session_id",
    dry_run: bool = False,
) -> Migration:
    """Move conversations of langchain-community's `SQLChatMessageHistory`, as its default converter stores them.

    `database` is a URL, or an engine of SQLAlchemy, of any database that it knows; `table` is the class's `table_name`,
    `session_column` its `session_id_field_name`. The other arguments and the errors are those of
    `from_langchain_redis`.
    """
    source = CommunitySQLSource(database, table, session_column)
    return run(move(source, into, session_ids=session_ids, dry_run=dry_run))


async def afrom_community_sql(
    database: Place,
    into: Into,
    *,
    session_ids: Collection[str] | None = None,
    table: str = "message_store",
    session_column: str = "session_id",
    dry_run: bool = False,
) -> Migration:
    """Move conversations of langchain-community in SQL; see `from_community_sql`."""
    source = CommunitySQLSource(database, table, session_column)
    return await arun(move(source, into, session_ids=session_ids, dry_run=dry_run))


def from_json(messages: Messages, into: History, *, dry_run: bool = False) -> Migration:
    """Move one conversation of plain JSON.

    A message stands in LangChain's form (`messages_to_dict`, `dumpd`, `model_dump`) or in that of OpenAI's interface
    (`{"role": …, "content": …}`); they may be mixed.

    Args:
        messages: The messages, or the path of a file that holds them: a list, an object with a list `messages`, or one
            message per line.
        into: The history that takes them.
        dry_run: Write nothing.

    Raises:
        ConfigurationError: An argument has a value that cannot work.
        StorageError: The file cannot be read, or the history failed; nothing was added.

    Example:
        >>> from langgraph.checkpoint.memory import InMemorySaver
        >>> from langchain_agentmem.thread_history import ThreadChatMessageHistory
        >>> history = ThreadChatMessageHistory(InMemorySaver(), "thread-1")
        >>> from_json([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi!"}], history).added
        2
    """
    return run(_of_json(messages, into, dry_run=dry_run))


async def afrom_json(messages: Messages, into: History, *, dry_run: bool = False) -> Migration:
    """Move one conversation of plain JSON; see `from_json`."""
    return await arun(_of_json(messages, into, dry_run=dry_run))


def _of_json(messages: Messages, into: History, *, dry_run: bool) -> Flow[Migration]:
    history = check_history("into must be", into)
    return (yield from move(JSONSource(messages), lambda _: history, session_ids=None, dry_run=dry_run))
