"""Names of keys: `prefix:{tag}:part:part`.

Redis Cluster decides by what stands between the braces where a key lives, so all keys of one tag share a slot and can
be changed together. Tags and parts are ids, hence data: whatever is not a letter, a digit or one of `-._~` is
percent-encoded, and no id can look like a brace, a separator, another id or a pattern. So a pattern that is built of
names matches what it names, and `*` stands for whatever follows.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types import Scope

_PREFIX: Final = lazy_pattern(r"[A-Za-z0-9_.:~-]{1,64}")


def check_prefix(prefix: object) -> str:
    """Return a prefix that no hash tag and no pattern can hide in.

    Raises:
        ConfigurationError: Not a str, empty, over 64 characters, or with other characters than `A-Z a-z 0-9 _ . : ~ -`.
    """
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix):
        msg = f"prefix {prefix!r} cannot begin a key; use 1 to 64 letters, digits or _.:~- such as 'agentmem'"
        raise ConfigurationError(msg)
    return prefix


def encode(text: str) -> str:
    """Return text as a part of a key."""
    return quote(text, safe="")


def decode(part: str) -> str:
    """Return the text that `encode` was given."""
    return unquote(part)


def owner_tag(scope: Scope) -> str:
    """Return the tag of a user's keys, or of a visitor's: no id holds NUL, and no user is empty."""
    owner = f"{scope.tenant_id}\0{scope.user_id}"
    return f"{owner}\0{scope.session_id}" if scope.is_anonymous else owner


def name_key(prefix: str, tag: str, *parts: str) -> bytes:
    """Return the key of a tag (an id, or several joined by the caller's rule) and what it is of it.

    Raises:
        ConfigurationError: The tag is empty: Redis would read such a key as one without a tag.
    """
    if not tag:
        msg = "the tag of a key is empty; pass the id whose key it is"
        raise ConfigurationError(msg)
    return ":".join((prefix, f"{{{encode(tag)}}}", *map(encode, parts))).encode()


def tag_of(key: bytes) -> str:
    """Return the tag of a key."""
    return _text(key.partition(b"{")[2].partition(b"}")[0])


def parts_of(key: bytes) -> list[str]:
    """Return what stands behind the tag of a key, part by part."""
    return [_text(it) for it in key.partition(b"}:")[2].split(b":")]


def _text(part: bytes) -> str:
    """Return what a part says; that of a key which somebody else named may say nothing."""
    return decode(part.decode(errors="replace"))
