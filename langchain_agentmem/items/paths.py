"""Namespaces as paths: the text under which a database keeps them, ordered so that a prefix is a range."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.items.base import Range
from langchain_agentmem.types.scope import Owner

MAX_BYTES: Final = 2_048
"""Of a path, and of a key: an index of PostgreSQL takes no entry over 2,704 bytes."""

SEPARATOR: Final = "."
"""Stands behind every label; no label holds one, which LangGraph sees to."""

ANY: Final = "*"
_AFTER_SEPARATOR: Final = "/"
_BESIDE: Final = SEPARATOR * 2
_OWNER_BYTES: Final = 16
_BEYOND: Final = "\U0010ffff" * (MAX_BYTES // 4 + 1)

Namespace: TypeAlias = tuple[str, ...]


class Condition(NamedTuple):
    """How namespaces of a listing begin or end; `None` stands for any label."""

    is_suffix: bool
    labels: tuple[str | None, ...]

    def matches(self, namespace: Namespace) -> bool:
        """Return whether a namespace begins, or ends, like that."""
        if len(namespace) < len(self.labels):
            return False
        pairs = zip(reversed(self.labels), reversed(namespace)) if self.is_suffix else zip(self.labels, namespace)  # noqa: B905  (the namespace may be longer)
        return all(wanted is None or wanted == label for wanted, label in pairs)


def path_of(namespace: Namespace) -> str:
    """Return the path of a namespace."""
    return "".join([f"{label}{SEPARATOR}" for label in namespace])


def own_path(path: str, owner: Owner) -> str:
    """Return the path of an owner's namespace where another user's has that path already.

    No label is empty, so that no other namespace has this path; it lies in the range of the same prefixes.
    """
    digest = blake2b("\x00".join(owner).encode(), digest_size=_OWNER_BYTES, person=b"store-owner").hexdigest()
    return f"{path}{SEPARATOR}{digest}"


def plain_path(path: str) -> str:
    """Return the path that a namespace has by its labels alone."""
    labels, beside, _ = path.partition(_BESIDE)
    return f"{labels}{SEPARATOR}" if beside else path


def namespace_of(path: str) -> Namespace:
    """Return the namespace of a path."""
    return tuple(plain_path(path).split(SEPARATOR)[:-1])


def range_of(prefix: Namespace, owner: Owner | None = None) -> Range:
    """Return the paths of a namespace and of all below it, as an owner sees them; of the empty one, all."""
    low = path_of(prefix)
    return Range(low, f"{low[:-1]}{_AFTER_SEPARATOR}" if low else _BEYOND, *(owner or ()))


def range_of_conditions(conditions: Sequence[Condition], owner: Owner | None = None) -> Range:
    """Return a range that holds every path which matches the conditions, as an owner sees them."""
    longest: Namespace = ()
    for condition in conditions:
        if not condition.is_suffix:
            fixed = condition.labels[: next((place for place, it in enumerate(condition.labels) if it is None), None)]
            longest = max(longest, tuple(label for label in fixed if label is not None), key=len)
    return range_of(longest, owner)


def check_namespace(namespace: Any) -> Namespace:  # noqa: ANN401  (whatever a caller passes)
    """Return a namespace as a tuple of plain text that can be stored.

    Raises:
        ConfigurationError: It is no sequence of text, has too many bytes, or holds a lone surrogate.
    """
    if isinstance(namespace, str) or not isinstance(namespace, Sequence):
        msg = f"a namespace must be a tuple of str, got {namespace!r:.80}; for example ('memories', 'alice')"
        raise ConfigurationError(msg)
    if not all(isinstance(label, str) for label in namespace):
        return tuple(namespace)  # refused by LangGraph's own check, in its words
    _check_bytes("a namespace", SEPARATOR.join(namespace))
    return tuple(map(str.__str__, namespace))


def check_key(key: Any) -> str:  # noqa: ANN401  (whatever a caller passes)
    """Return a key that can be stored.

    Raises:
        ConfigurationError: It is no text, too long, or holds NUL or a lone surrogate.
    """
    if not isinstance(key, str):
        msg = f"a key must be a str, got {type(key).__name__}"
        raise ConfigurationError(msg)
    if "\x00" in key:
        msg = f"key {key!r:.80} holds NUL; remove it"
        raise ConfigurationError(msg)
    _check_bytes("a key", key)
    return str.__str__(key)


def _check_bytes(name: str, text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        msg = f"{name} holds a lone surrogate, got {text!r:.80}; remove it"
        raise ConfigurationError(msg) from error
    if size >= MAX_BYTES:
        msg = f"{name} has {size} bytes, got {text!r:.80}…; keep it below {MAX_BYTES}"
        raise ConfigurationError(msg)
