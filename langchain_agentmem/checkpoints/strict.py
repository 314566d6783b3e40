"""What may be stored: only what a strict serializer gives back as the class it was."""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

import ormsgpack
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_METHODS, SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import (
    EXT_CONSTRUCTOR_KW_ARGS,
    EXT_CONSTRUCTOR_POS_ARGS,
    EXT_CONSTRUCTOR_SINGLE_ARG,
    EXT_DELTA_SNAPSHOT,
    EXT_METHOD_SINGLE_ARG,
    EXT_NUMPY_ARRAY,
    EXT_PYDANTIC_V1,
    EXT_PYDANTIC_V2,
    JsonPlusSerializer,
)

from langchain_agentmem.errors import ConfigurationError

_MAY_HOLD_CLASSES: Final = re.compile(rb"[\xc7-\xc9\xd4-\xd8]").search
"""Bytes with which msgpack begins an extension; text holds some of them too, so this only tells what is free of any."""

_CONSTRUCTED: Final = frozenset(
    {
        EXT_CONSTRUCTOR_SINGLE_ARG,
        EXT_CONSTRUCTOR_POS_ARGS,
        EXT_CONSTRUCTOR_KW_ARGS,
        EXT_PYDANTIC_V1,
        EXT_PYDANTIC_V2,
    }
)
_LOOKED_INTO: Final = _CONSTRUCTED | {EXT_DELTA_SNAPSHOT, EXT_METHOD_SINGLE_ARG, EXT_NUMPY_ARRAY}
_NO_NUMBERS: Final = ("O", "V")
"""Kinds of numpy's arrays that come back as nothing (of objects), or without the names of their fields."""
_ARRAY: Final = "ndarray of objects or records"
MAX_NESTED: Final = 50
"""Objects inside objects (messages, tuples with names, deques and the like; plain lists and dicts do not count). Each
takes two frames of Python's stack to read, and LangGraph's serializer reads nothing where the stack ends: measured, 100
came back damaged under 940 other frames, of a thousand that there are."""

_NOUNS: Final = "langchain_agentmem.types"
"""Our own records once stood in this module itself; checkpoints of that time name them so."""

_TOO_DEEP: Final = ("", "objects inside objects")
_PROBE: Final = {"probe": ["the same value", 1, None]}


def strict_serde(allowed_types: Iterable[type] = ()) -> JsonPlusSerializer:
    """Return LangGraph's serializer, which constructs data, messages and the given classes, and nothing else.

    Raises:
        ConfigurationError: One of them is no class, or none that can be imported by its name.
    """
    if isinstance(allowed_types, (str, type)) or not isinstance(allowed_types, Iterable):
        msg = f"allowed_types must be a list of classes, got {allowed_types!r}; for example [MyState]"
        raise ConfigurationError(msg)
    classes = [_importable(it) for it in allowed_types]
    earlier = [(_NOUNS, it.__name__) for it in classes if it.__module__.startswith(f"{_NOUNS}.")]
    return JsonPlusSerializer(allowed_msgpack_modules=[*classes, *earlier] or None)


def allowed_by(serde: SerializerProtocol) -> Collection[tuple[str, ...]]:
    """Return which classes a serializer was told to construct, by module and name; of one that tells nobody, none."""
    allowed = getattr(serde, "_allowed_msgpack_modules", None)
    return allowed if isinstance(allowed, Collection) else ()


def check_serde(serde: SerializerProtocol) -> None:
    """Refuse a serializer under which content would not be shared, or would construct whatever the database names.

    Raises:
        ConfigurationError: It encrypts, falls back to pickle, or constructs any class.
    """
    if isinstance(serde, EncryptedSerializer) or serde.dumps_typed(_PROBE) != serde.dumps_typed(_PROBE):
        msg = (
            f"serde {type(serde).__name__} encrypts: the same message would be stored again and again, because no two "
            "ciphertexts are equal; leave serde out and pass vault=, which encrypts what is stored once"
        )
        raise ConfigurationError(msg)
    if getattr(serde, "pickle_fallback", False) or getattr(serde, "_allowed_msgpack_modules", None) is True:
        msg = (
            f"serde {type(serde).__name__} would construct any class that the database names; leave serde out and pass "
            "allowed_types=[…], or build it with pickle_fallback=False and allowed_msgpack_modules=[…]"
        )
        raise ConfigurationError(msg)


class StrictCheck:
    """Finds what a serializer would not give back as the class it was.

    Args:
        serde: LangGraph's own is looked into; any other answers for itself.
    """

    def __init__(self, serde: SerializerProtocol) -> None:
        """No work yet."""
        is_known = isinstance(serde, JsonPlusSerializer)
        self._allowed = SAFE_MSGPACK_TYPES | set(allowed_by(serde))
        self._is_checking = is_known and not getattr(serde, "_custom_unpack_ext_hook", False)

    def check(self, kind: str, data: bytes) -> None:
        """Refuse a dump with a class in it that would come back as a plain dict, or that is nested too deeply.

        Raises:
            ConfigurationError: It names the class and the remedy.
        """
        if kind != "msgpack" or not self._is_checking or not _MAY_HOLD_CLASSES(data):
            return
        blocked: list[tuple[str, str]] = []
        self._unpack(data, blocked, 0)
        if _TOO_DEEP in blocked:
            msg = f"a value holds objects inside objects, more than {MAX_NESTED} deep; store plain lists and dicts"
            raise ConfigurationError(msg)
        if blocked:
            raise ConfigurationError(_told(list(dict.fromkeys(blocked))))

    def _unpack(self, data: bytes, blocked: list[tuple[str, str]], depth: int) -> Any:  # noqa: ANN401  (whatever msgpack holds)
        """Read data without constructing anything, and note what is not allowed; a hook of msgpack cannot raise."""

        def visit(code: int, inner: bytes) -> None:
            if depth >= MAX_NESTED:
                blocked.append(_TOO_DEEP)
                return
            parts: Any = self._unpack(inner, blocked, depth + 1) if code in _LOOKED_INTO else ()
            if code in _CONSTRUCTED and (parts[0], parts[1]) not in self._allowed:
                blocked.append((parts[0], parts[1]))
            if code == EXT_METHOD_SINGLE_ARG and (parts[0], parts[1], parts[3]) not in SAFE_MSGPACK_METHODS:
                blocked.append((parts[0], parts[1]))
            if code == EXT_NUMPY_ARRAY and parts[0][1:].startswith(_NO_NUMBERS):
                blocked.append(("numpy", _ARRAY))

        return ormsgpack.unpackb(data, ext_hook=visit, option=ormsgpack.OPT_NON_STR_KEYS)


def _told(blocked: Sequence[tuple[str, str]]) -> str:
    """Return what is wrong with a value that holds some classes: all of them at once, as allowing one is not enough."""
    names = [name for _, name in blocked if name != _ARRAY]
    allowed = f"{'class' if len(names) == 1 else 'classes'}: allowed_types=[{', '.join(names)}]"
    return (
        f"a value holds {', '.join(map('.'.join, blocked))}, which would come back as plain data; store plain data "
        f"(str, int, list, dict, messages){f', or allow the {allowed}' if len(names) == len(blocked) else ''}"
    )


def _importable(kind: Any) -> type[Any]:  # noqa: ANN401  (comes from outside)
    if not isinstance(kind, type):
        msg = f"allowed_types holds {kind!r}, which is no class; for example [MyState]"
        raise ConfigurationError(msg)
    name = f"{kind.__module__}.{kind.__qualname__}"
    found: object = getattr(importlib.import_module(kind.__module__), kind.__name__, None)
    if found is not kind:
        msg = f"allowed_types holds {name}, which cannot be imported by that name; define it at the top of a module"
        raise ConfigurationError(msg)
    return kind
