"""Messages as bytes, and back: every class of LangChain's, whole.

What JSON knows is stored as JSON, exactly, NUL and lone surrogates included. Beyond it, tuples, sets, bytes, dates and
times, UUIDs, decimals, dictionaries with any keys, and LangChain's documents come back as what they were. Any other
object (it can only stand in an artifact, in metadata, or in an extra field) becomes plain data: a pydantic model or a
dataclass the dictionary of its fields, an enum member its value, a mapping a dictionary, a sequence a list, an array
its `tolist()`; what has no such form, or raises when it is asked for it, becomes `{"not_stored": "its.class",
"repr": "…"}`. No message is lost for it. In a set, or as a key, a list becomes a tuple, and a dictionary one of pairs.

What is stored can be read back: a message whose fields were set to something that its class does not take is refused,
but for what only tells of the answer. Such usage or response metadata is left out, and the message kept: a hit of
LangChain's cache of answers comes with a usage that says nothing but that it cost nothing.
Only the known classes of messages are ever constructed from what is stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    message_chunk_to_message,
)

from langchain_agentmem._checks import MAX_ID_BYTES
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.sessions.plain import MARK, from_plain, to_plain

CLASSES: Final[Mapping[str, type[BaseMessage]]] = MappingProxyType(
    {
        "human": HumanMessage,
        "ai": AIMessage,
        "system": SystemMessage,
        "chat": ChatMessage,
        "function": FunctionMessage,
        "tool": ToolMessage,
    }
)
MAX_TITLE_CHARS: Final = 80
_NAMES: Final = {cls: name for name, cls in CLASSES.items()}
_BY_NAME: Final = {name.encode(): cls for name, cls in CLASSES.items()}
_MARK: Final = f'"{MARK}"'.encode()
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_NO_DEFAULT: Final = object()
_UNREADABLE: Final = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What validators raise: pydantic's turns the first into its own, and lets the others pass."""

_TEXTS: Final = frozenset({"content", "id", "name", "role", "tool_call_id"})
"""Fields that may hold any text."""

_CALL: Final = frozenset({"name", "args", "id", "type"})
_TOLD: Final = ("usage_metadata", "response_metadata")
"""Fields that tell of an answer and are no part of it: a message is kept without them."""

_COUNTS: Final = frozenset({"input_tokens", "output_tokens", "total_tokens"})
_DETAILS: Final = frozenset({"input_token_details", "output_token_details"})
_INTEGER: Final = frozenset({int})


def check_message(message: object) -> BaseMessage:
    """Return `message` if it can be stored in a conversation.

    Raises:
        ConfigurationError: It is no message, one that removes others, of an unknown type, or its id cannot be stored.
    """
    if isinstance(message, RemoveMessage):
        msg = "a RemoveMessage is an order to a graph's state and cannot be stored; call clear() to delete a session"
        raise ConfigurationError(msg)
    if not isinstance(message, BaseMessage):
        msg = f"messages must be LangChain messages, got {type(message).__name__}; for example HumanMessage('hi')"
        raise ConfigurationError(msg)
    if type(message) not in _NAMES and _name_of(message) is None:
        msg = f"a message of type {message.type!r} cannot be stored; use one of {', '.join(CLASSES)}"
        raise ConfigurationError(msg)
    if message.id:
        _check_id(message.id)
    return message


def encode(message: BaseMessage) -> bytes:
    """Return a message as bytes; a chunk becomes the message it is a chunk of.

    Raises:
        ConfigurationError: It holds something nested too deeply, or within itself, or could not be read back.
    """
    return as_stored(message)[0]


def as_stored(message: BaseMessage) -> tuple[bytes, BaseMessage]:
    """Return a message as bytes, and as what those are read back as: one of the known classes, every field valid.

    Fields can be set to anything after a message was made. The usual ones are looked at; the bytes of a message that
    has others are read back at once, and made again without metadata that does not fit.

    Raises:
        ConfigurationError: As for `encode`.
    """
    try:
        fields, whole, type_ = _fields(message)
    except _UNREADABLE as error:
        raise ConfigurationError(_refusal(message)) from error
    is_sure = type(whole) is CLASSES[type_] and whole.type == type_ and not message.model_extra
    texts = [f'"{it}":{encode_basestring(text)}' for it, text in fields.items() if type(text) is str and it in _TEXTS]
    if is_sure and len(texts) == len(fields):  # as most are
        text = ",".join(texts)
        is_sure = _required(type(whole)).issubset(fields)
    else:
        text = _as_json(message, fields)
        is_sure = is_sure and MARK not in text and _is_usual(type(whole), fields)
    data = f"{type_}\n{{{text}}}".encode("utf-8", "surrogatepass")
    if is_sure:
        return data, whole
    try:
        return data, decode(data)
    except IntegrityError as error:
        unfit = _unfit(type(whole), fields)
        if not unfit:
            raise ConfigurationError(_refusal(message)) from error
    return as_stored(whole.model_copy(update=unfit))


def decode(data: bytes) -> BaseMessage:
    """Return the message that `encode` was given.

    Raises:
        IntegrityError: The bytes are none of `encode`.
    """
    try:
        type_, _, fields = data.partition(b"\n")
        cls = _BY_NAME[type_]
        return _read_marked(cls, fields) if _MARK in fields else _read(cls, fields)
    except _UNREADABLE as error:
        msg = "a stored message cannot be read back; restore the database from a backup"
        raise IntegrityError(msg) from error


def _as_json(message: BaseMessage, fields: dict[str, Any]) -> str:
    try:
        return _ENCODER.encode(to_plain(fields))[1:-1]  # without the braces
    except (RecursionError, ValueError) as error:
        msg = f"message {message.id!r} holds something nested too deeply, or within itself; simplify its artifact"
        raise ConfigurationError(msg) from error


def _unfit(cls: type[BaseMessage], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that a message cannot be read back with, each with what stands there when there is none."""
    unfit: dict[str, Any] = {}
    for name in _TOLD:
        if name in fields and name in cls.model_fields:
            try:
                AIMessage(content="", **{name: fields[name]})
            except _UNREADABLE:
                unfit[name] = cls.model_fields[name].get_default(call_default_factory=True)
    return unfit


def _refusal(message: BaseMessage) -> str:
    return f"a field of message {message.id!r} was set to what {type(message).__name__} does not take; make it anew"


def _read(cls: type[BaseMessage], fields: bytes) -> BaseMessage:
    """Let pydantic parse the JSON straight into a new instance: what `cls(**fields)` does, in half the time."""
    message = cls.__new__(cls)
    try:
        cls.__pydantic_validator__.validate_json(fields, self_instance=message)
    except ValueError:
        return _read_marked(cls, fields)  # pydantic's parser knows no lone surrogate, Python's does
    return message


def _read_marked(cls: type[BaseMessage], fields: bytes) -> BaseMessage:
    return cls(**json.loads(fields.decode("utf-8", "surrogatepass"), object_hook=from_plain))


def title_of(message: BaseMessage) -> str | None:
    """Return the beginning of what a user said; `None` where a message is not the user's, or has no text."""
    if message.type not in {"human", "HumanMessageChunk"} or "lc_source" in message.additional_kwargs:
        return None  # lc_source: LangChain's mark of a human message that no human wrote
    text = message.content if type(message.content) is str else str(message.text)
    return text.strip()[:MAX_TITLE_CHARS] or None


def decode_title(data: bytes, session_id: str) -> str:
    """Return the title of a session as text.

    Raises:
        IntegrityError: The bytes are none of a title.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        msg = f"the title of session {session_id!r} is damaged; clear the session, or restore it from a backup"
        raise IntegrityError(msg) from error


def calls_of(message: BaseMessage) -> frozenset[str]:
    """Return the ids of the tool calls that a message makes, invalid ones too: they are answered as well."""
    if not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls):
        return frozenset()
    return frozenset(str(call["id"]) for call in (*message.tool_calls, *message.invalid_tool_calls) if call["id"])


def answer_of(message: BaseMessage) -> str | None:
    """Return the id of the tool call that a message is a result of."""
    return message.tool_call_id if isinstance(message, ToolMessage) else None


def links_of(plain: bytes) -> tuple[frozenset[str], str | None]:
    """Return `calls_of` and `answer_of` of an encoded message; most messages need no decoding for it.

    Raises:
        IntegrityError: The bytes are none of `encode`.
    """
    if not plain.startswith(b"tool\n") and b"tool_calls" not in plain:
        return frozenset(), None
    message = decode(plain)
    return calls_of(message), answer_of(message)


def has_words(message: BaseMessage, words: Iterable[str]) -> bool:
    """Whether each of some case-folded words stands in a message's text, alone or inside a longer word."""
    text = str(message.text).casefold()
    return all(word in text for word in words)


def _check_id(id: object) -> None:
    if not isinstance(id, str):
        msg = f"message id must be a str, got {type(id).__name__}; leave it out for a new one"
        raise ConfigurationError(msg)
    try:
        is_plain = "\x00" not in id and len(id.encode()) <= MAX_ID_BYTES
    except UnicodeEncodeError:
        is_plain = False
    if not is_plain:
        msg = f"message id {id[:40]!r} holds NUL or a lone surrogate, or is over {MAX_ID_BYTES} bytes; leave it out"
        raise ConfigurationError(msg)


def _name_of(message: BaseMessage) -> str | None:
    """Return the name under which a message of a known class, or of one that extends it, is stored."""
    return next((name for name, known in CLASSES.items() if isinstance(message, known)), None)


def _fields(message: BaseMessage) -> tuple[dict[str, Any], BaseMessage, str]:
    """Return what tells a message from an empty one, the message whose fields those are, and its type."""
    type_ = _NAMES.get(type(message))
    whole = message
    if type_ is None:
        whole = message_chunk_to_message(message) if isinstance(message, BaseMessageChunk) else message
        type_ = _name_of(whole) or ""
    default_of = _defaults(CLASSES[type_]).get
    stored = {
        name: value
        for name, value in vars(whole).items()
        if value is not (default := default_of(name, _NO_DEFAULT))
        and (type(value) is not type(default) or not value == default)  # noqa: SIM201  (what `!=` says is its own matter)
        and name != "type"  # a subclass may make up its type
    }
    return ({**stored, **message.model_extra} if message.model_extra else stored), whole, type_


@cache
def _defaults(cls: type[BaseMessage]) -> dict[str, Any]:
    """Return the fields that need not be stored when they have these values."""
    fields = cls.model_fields.items()
    return {name: field.get_default(call_default_factory=True) for name, field in fields if not field.is_required()}


@cache
def _required(cls: type[BaseMessage]) -> frozenset[str]:
    return frozenset(name for name, field in cls.model_fields.items() if field.is_required())


def _is_usual(cls: type[BaseMessage], fields: Mapping[str, Any]) -> bool:
    """Whether all fields are as pydantic makes them: then, where they are JSON, they can be read back."""
    for name, value in fields.items():
        if name not in _USUAL or not _USUAL[name](value):
            return False
    return _required(cls).issubset(fields)


def _is_content(value: object) -> bool:
    return type(value) is str or (type(value) is list and all(type(block) in (str, dict) for block in value))


def _is_usage(value: object) -> bool:
    if type(value) is not dict or not _COUNTS.issubset(value):
        return False
    for name, part in value.items():
        is_known = type(part) is int if name in _COUNTS else name in _DETAILS and type(part) is dict
        if not is_known or (type(part) is dict and not _INTEGER.issuperset(map(type, part.values()))):
            return False
    return True


def _are_calls(value: object) -> bool:
    return type(value) is list and all(
        type(call) is dict
        and call.keys() == _CALL
        and type(call["name"]) is str
        and type(call["args"]) is dict
        and (call["id"] is None or type(call["id"]) is str)
        and call["type"] == "tool_call"
        for call in value
    )


def _is_text(value: object) -> bool:
    return type(value) is str


_USUAL: Final[Mapping[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        **dict.fromkeys(_TEXTS, _is_text),
        "content": _is_content,
        "additional_kwargs": lambda value: type(value) is dict and "tool_calls" not in value,  # LangChain parses those
        "response_metadata": lambda value: type(value) is dict,
        "tool_calls": _are_calls,
        "usage_metadata": _is_usage,
        "artifact": lambda _: True,
        "status": lambda value: value in ("success", "error"),
    }
)
