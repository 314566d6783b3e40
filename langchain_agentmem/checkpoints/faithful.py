"""Values to msgpack, but none whose class would be lost on the way.

msgpack writes what derives from a dict, a list, a str or an int as if it were one, and nobody sees it in the bytes. So
it is asked to hand such values over, which costs the others nothing; only where one is found, the value is walked. A
text or a number that comes back as a plain one is equal to what it was, and found by it; a collection has lost what it
did (a `defaultdict` its default), and is refused.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from types import MappingProxyType, NoneType
from typing import Any, Final, NoReturn, cast

import ormsgpack
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, _msgpack_default, _option
from langgraph.checkpoint.serde.types import SendProtocol, _DeltaSnapshot
from langgraph.store.base import Item

from langchain_agentmem.errors import ConfigurationError

CONSTRUCTOR: Final = "model_validate_json"
"""What LangGraph's serializer tries if the class cannot be built of its fields."""

NAMES: Final = MappingProxyType(
    {kind: (kind.__module__, kind.__name__) for kind in (AIMessage, HumanMessage, SystemMessage, ToolMessage)}
)
_FAITHFUL: Final = (_option | ormsgpack.OPT_PASSTHROUGH_SUBCLASS) & ~ormsgpack.OPT_NON_STR_KEYS
"""Keys that are no text are rare, and classes among them (dates, members of an Enum) would become text unseen."""

_REMEDY: Final = "keep plain data, messages or documents in the state, and numbers within 64 bits"
_PLAIN: Final = (dict, list, tuple, str, int, float, bytes, bytearray)
_SCALARS: Final[Mapping[Any, Any]] = MappingProxyType(
    {str: str.__str__, int: int.__int__, float: float.__float__, bytes: b"".__class__}
)
"""What derives from one of these, and what gives the plain value of it."""

_KEYS: Final = frozenset({str, int, float, bool, NoneType, bytes})
_LEAVES: Final = _KEYS | {bytearray, memoryview}
_CONTAINERS: Final = frozenset({dict, list, tuple})
_THEIRS: Final = ("langchain_core.", "langgraph.", "langchain_agentmem.")
"""What LangChain, LangGraph and this package hand out as data with something more, and take back as plain data."""


def pack(value: object) -> bytes:
    """Return a value as LangGraph's serializer would write it.

    Raises:
        ConfigurationError: It holds what would come back as another class, or has no form in bytes.
        TypeError: A number in it is too large, or it holds itself.
    """
    try:
        return ormsgpack.packb(value, default=_checked, option=_FAITHFUL)
    except TypeError:
        _walk(value)
        return ormsgpack.packb(value, default=_unchecked, option=_option)


def _checked(value: Any) -> Any:  # noqa: ANN401  (whatever msgpack has no form for)
    """Return what stands for a value; a class that would be lost has no form."""
    if type(value) in NAMES:
        return _message(value)
    if _is_lost(value):
        raise TypeError
    if isinstance(value, _PLAIN) and not isinstance(value, Enum) and not hasattr(type(value), "_asdict"):
        base = _base(type(value))
        return _SCALARS.get(base, base)(value)
    inner = _inner(value)
    if inner:
        ormsgpack.packb(inner, default=_checked, option=_FAITHFUL)
    return _msgpack_default(value)


def _unchecked(value: Any) -> Any:  # noqa: ANN401  (as above)
    return _message(value) if type(value) in NAMES else _msgpack_default(value)


def _message(value: Any) -> ormsgpack.Ext:  # noqa: ANN401  (one of four classes)
    """Return a message; what stands in its fields becomes plain data, as under every checkpointer."""
    fields = value.__pydantic_serializer__.to_python(value)
    data = ormsgpack.packb((*NAMES[type(value)], fields, CONSTRUCTOR), default=_unchecked, option=_option)
    return ormsgpack.Ext(EXT_PYDANTIC_V2, data)


def _is_lost(value: object) -> bool:
    """Whether a value is a collection of a class of its own, or an error, and would come back as plain data."""
    if isinstance(value, BaseException):
        return True
    kind = type(value)
    is_derived = kind not in _CONTAINERS and isinstance(value, (dict, list, tuple))
    return is_derived and not hasattr(kind, "_asdict") and not kind.__module__.startswith(_THEIRS)


def _base(kind: type) -> Callable[[Any], Any]:
    return next((base for base in _PLAIN if issubclass(kind, base)), repr)


def _inner(value: Any) -> tuple[Any, ...]:  # noqa: ANN401  (as above)
    """Return what an object holds that is stored as it is; models are built anew of their fields, and check them."""
    if isinstance(value, _DeltaSnapshot):
        return (value.value,)
    if hasattr(value, "model_dump"):
        return ()
    if isinstance(value, (set, frozenset, deque)) or (isinstance(value, tuple) and hasattr(type(value), "_asdict")):
        return tuple(value)
    if isinstance(value, SendProtocol):
        return (value.node, value.arg)
    if isinstance(value, Item):
        return (value.value,)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple(getattr(value, it.name, None) for it in dataclasses.fields(value))
    return ()


# ---------------------------------------------------------------------------------------- finding what was handed over
def _walk(value: Any) -> None:  # noqa: ANN401  (as above)
    """Refuse what is lost, or has no form, wherever it is."""
    kind = type(value)
    if kind in _LEAVES:
        return
    if kind is dict:
        for key in value:
            _check_key(key)
    for it in _parts(value):
        _walk(it)
    if kind in _CONTAINERS:
        return
    if _is_lost(value):
        _refuse(value, f"{_base(kind).__name__}(value)")
    if not isinstance(value, _PLAIN):
        _check_form(value)


def _parts(value: Any) -> Iterable[Any]:  # noqa: ANN401  (as above)
    """Return what is looked at by itself; a collection of a class of its own is refused as a whole, or plain."""
    if type(value) is list or type(value) is tuple:
        return cast("Iterable[Any]", value)
    if isinstance(value, dict):
        return cast("Iterable[Any]", value.values())
    return _inner(value)


def _check_key(key: object) -> None:
    kind = type(key)
    if kind in _KEYS:
        return
    if isinstance(key, tuple) and kind is tuple:
        for it in key:
            _check_key(it)
    elif not isinstance(key, tuple(_SCALARS)):
        _refuse(key, "plain keys")


def _check_form(value: object) -> None:
    try:
        _unchecked(value)
    except TypeError as error:
        msg = f"a value holds {_name(value)}, which cannot be stored; {_REMEDY}"
        raise ConfigurationError(msg) from error


def _refuse(value: object, remedy: str) -> NoReturn:
    msg = f"a value holds {_name(value)}, which would come back as plain data; store {remedy} in its place"
    raise ConfigurationError(msg)


def _name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
