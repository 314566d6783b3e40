from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest

from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.sessions.options import SessionOptions, new_uuid, read_settings
from langchain_agentmem.types import Scope


def test_an_id_is_a_random_uuid() -> None:
    """Of version 4, in its usual spelling, and never the same one twice."""
    ids = [new_uuid() for _ in range(1_000)]
    assert len(set(ids)) == 1_000
    assert all(str(uuid.UUID(id)) == id and uuid.UUID(id).version == 4 for id in ids)
    assert {uuid.UUID(id).variant for id in ids} == {uuid.RFC_4122}


def test_settings_change_only_what_they_name() -> None:
    """Whoever limits the length of a session keeps its lifetime."""
    week = SessionOptions(ttl=timedelta(days=7))
    assert read_settings({"max_messages": 3}, week) == SessionOptions(ttl=timedelta(days=7), max_messages=3)
    assert read_settings({"ttl": None}, week).ttl is None
    assert read_settings({}, week) is week


@pytest.mark.parametrize("ttl", [60, "1d", timedelta(0), timedelta(days=40_000)])
def test_a_lifetime_that_cannot_be_is_named_with_one_that_can(ttl: Any) -> None:  # noqa: ANN401
    """A number says no unit; the error shows how to."""
    with pytest.raises(ConfigurationError, match=rf"{re.escape(repr(ttl))}; for example timedelta\(days=7\)"):
        SessionOptions(ttl=ttl)


def test_an_empty_session_id_says_what_to_pass() -> None:
    """It is the conversation's, not the one that an application authenticated."""
    with pytest.raises(ScopeError, match="id of the conversation, such as 'session-1'"):
        Scope.anonymous("")


def test_a_setting_nobody_knows_is_named_with_those_that_are_known() -> None:
    """A typing error says what was meant."""
    with pytest.raises(ConfigurationError, match=r"'max_message'.*max_messages"):
        read_settings({"max_message": 3}, SessionOptions())  # type: ignore[typeddict-unknown-key]  # that is the point
