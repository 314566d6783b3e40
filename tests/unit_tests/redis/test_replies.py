from __future__ import annotations

import pytest
from redis import exceptions
from redis.exceptions import AskError, MovedError, NoScriptError, RedisError, ResponseError

from langchain_agentmem.errors import IntegrityError, StorageError
from langchain_agentmem.redis.address import Node
from langchain_agentmem.redis.replies import Redirection, checked, is_unknown_script, pairs, redirection
from langchain_agentmem.redis.slots import read_table
from langchain_agentmem.redis.translate import is_lost, is_of_redis, translate


@pytest.mark.parametrize(
    ("error", "words", "is_retryable"),
    [
        (exceptions.ConnectionError("Error 111 connecting to h:1"), "no answer", True),
        (exceptions.TimeoutError("Timeout reading from h:1"), "no answer", True),
        (ConnectionResetError(104, "reset"), "no answer", True),
        (exceptions.BusyLoadingError("Redis is loading"), "loading", True),
        (exceptions.ReadOnlyError("You can't write"), "read-only replica", True),
        (exceptions.OutOfMemoryError("command not allowed"), "out of memory", True),
        (ResponseError("OOM command not allowed when used memory > 'maxmemory'."), "out of memory", True),
        (exceptions.ClusterDownError("The cluster is down"), "cluster is down", True),
        (exceptions.TryAgainError("Multiple keys request"), "moving", True),
        (exceptions.MasterDownError("Link with MASTER is down"), "lost its primary", True),
        (ResponseError("NOREPLICAS Not enough good replicas"), "too few replicas", True),
        (ResponseError("BUSY Redis is busy"), "busy", True),
        (ResponseError("MISCONF Redis is configured"), "disk", True),
        (exceptions.AuthenticationError("invalid password"), "password", False),
        (ResponseError("NOAUTH Authentication required."), "password", False),
        (exceptions.NoPermissionError("this user"), "may not do this", False),
        (ResponseError("unknown command 'EVALSHA', with args beginning with: 'secret'"), "'EVALSHA'", False),
        (ResponseError("secret went wrong"), "refused the call", False),
    ],
)
def test_an_error_says_what_happened_and_whether_a_retry_may_help(
    error: Exception, words: str, *, is_retryable: bool
) -> None:
    """Each kind has its remedy, and no text of a value is in it."""
    found = translate(error, is_write=False)
    assert is_of_redis(error)
    assert words in str(found)
    assert found.is_retryable is is_retryable
    assert "secret" not in str(found)


def test_a_write_whose_answer_was_lost_is_in_doubt() -> None:
    """The message of a write says so, or that it can be repeated; that of a read says neither."""
    lost = exceptions.ConnectionError("gone")
    assert "look before repeating" in str(translate(lost, is_write=True))
    assert "nothing is stored twice" in str(translate(lost, is_write=True, is_repeatable=True))
    assert str(translate(lost, is_write=False, is_repeatable=True)).endswith("gone")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), "> 'maxmemory'."),
        (ResponseError("OOM command not allowed when used memory > 'maxmemory'."), "says: command not allowed"),
        (exceptions.ReadOnlyError("You can't write against a read only replica."), "a read only replica."),
        (ResponseError("MISCONF Errors writing to the AOF file: No space left"), "No space left"),
        (exceptions.NoPermissionError("User app has no permissions to run the 'evalsha' command"), "'evalsha'"),
        (exceptions.NoPermissionError("No permissions to access a key"), "access a key"),
        (ResponseError("DB index is out of range"), "out of range"),
    ],
)
def test_an_error_holds_the_servers_own_sentence(error: Exception, sentence: str) -> None:
    """It is what an administrator looks for."""
    assert sentence in str(translate(error, is_write=True))


@pytest.mark.parametrize(
    "error",
    [
        exceptions.NoPermissionError("User app has no permissions to access the 'secret' key"),
        ResponseError('MISCONF cannot store "secret'),
        ResponseError("BUSY with `secret'"),
        ResponseError("invalid value for secret"),
    ],
)
def test_a_sentence_that_may_quote_a_key_or_a_value_is_left_out(error: Exception) -> None:
    """Whatever a server puts in quotation marks, and whatever has no code, may be somebody's text."""
    assert "secret" not in str(translate(error, is_write=True))


def test_a_key_of_another_type_is_damage() -> None:
    """Somebody else wrote there."""
    assert isinstance(translate(ResponseError("WRONGTYPE Operation against a key"), is_write=False), IntegrityError)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (exceptions.ConnectionError("gone"), True),
        (OSError(104, "reset"), True),
        (exceptions.TimeoutError("slow"), False),
        (TimeoutError("slow"), False),
        (exceptions.BusyLoadingError("loading"), False),
        (exceptions.AuthenticationError("no"), False),
    ],
)
def test_only_a_broken_connection_is_worth_another(error: Exception, *, expected: bool) -> None:
    """A server that is slow or refuses will do so again."""
    assert is_lost(error) is expected


def test_the_first_refusal_is_raised() -> None:
    """A transaction that was aborted says why, not that it was."""
    refused = [b"OK", exceptions.OutOfMemoryError("x"), exceptions.ExecAbortError("y")]
    with pytest.raises(StorageError, match="out of memory"):
        checked(refused, is_write=True)
    assert checked([b"OK", None, 1], is_write=True) == [b"OK", None, 1]


@pytest.mark.parametrize(
    "text",
    [
        "user_script:26: EVICTED script: 8aad, on @user_script:26.",
        "Error running script (call to f_8aad): @user_script:26: user_script:26: EVICTED",
    ],
    ids=["7", "6.2"],
)
def test_a_script_that_misses_a_key_tells_of_eviction(text: str) -> None:
    """As servers of either kind pass on what it ended with; any other end of a script is damage."""
    assert "noeviction" in str(translate(ResponseError(text), is_write=True))
    assert "noeviction" not in str(translate(ResponseError(text.replace("EVICTED", "attempt")), is_write=True))


def test_a_cluster_that_was_not_named_as_one_is_told() -> None:
    """A server that sends elsewhere wants another URL."""
    with pytest.raises(StorageError, match=r"redis\+cluster://"):
        checked([MovedError("12 h:1")], is_write=False)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MovedError("12 other:7"), Redirection(Node("other", 7), is_for_once=False)),
        (AskError("12 other:7"), Redirection(Node("other", 7), is_for_once=True)),
        (MovedError("12 :7"), Redirection(Node("asked", 7), is_for_once=False)),
    ],
)
def test_a_redirection_names_the_server_to_ask(error: RedisError, expected: Redirection) -> None:
    """For good or for once; without a host it is another port of the same one."""
    assert redirection([b"OK", error], Node("asked", 1)) == expected
    assert redirection([b"OK", ResponseError("ERR")], Node("asked", 1)) is None


def test_a_script_is_sent_whole_where_it_is_not_known() -> None:
    """Nothing else means that."""
    assert is_unknown_script(NoScriptError("No matching script"))
    assert not is_unknown_script(ResponseError("ERR"))


def test_fields_of_a_hash_are_the_same_under_both_protocols() -> None:
    """RESP2 gives a list, RESP3 a mapping."""
    assert pairs([b"a", b"1", b"b", b"2"]) == pairs({b"a": b"1", b"b": b"2"}) == {b"a": b"1", b"b": b"2"}


def test_a_table_knows_who_holds_a_slot() -> None:
    """Ranges may come in any order; a server may leave out its own name; a hole is a retryable error."""
    table = read_table([[11, 16_383, [b"b", 2, b"id"], [b"c", 3]], [0, 9, [b"", 1, b"id"]]], Node("asked", 1))
    assert [table.node_of(slot) for slot in (0, 9, 11, 16_383)] == [Node("asked", 1)] * 2 + [Node("b", 2)] * 2
    assert table.every_node() == [Node("asked", 1), Node("b", 2)]
    with pytest.raises(StorageError, match="slot 10") as hole:
        table.node_of(10)
    assert hole.value.is_retryable
