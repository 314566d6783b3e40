"""A thread as lines of JSON: a header, then a line per checkpoint, each sealed with a digest of all lines up to it.

What JSON knows stands there as it is, messages as their fields, anything else as typed bytes in base64. Of a channel
that has not changed only that is said, and of a list that has grown only what is new, so that a file grows with the
conversation and not with its square.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import ChannelVersions, CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol

from langchain_agentmem.checkpoints.strict import StrictCheck, allowed_by, strict_serde
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.sessions.messages import CLASSES, decode, encode
from langchain_agentmem.sessions.plain import MARK, Plain
from langchain_agentmem.transfer.copying import Key

FORMAT: Final = "langchain-agentmem/thread"
VERSION: Final = 1

_SCALARS: Final = frozenset({str, int, bool, type(None)})
_MESSAGES: Final = frozenset(CLASSES.values())
_SEAL: Final = re.compile(rb',"digest":"([0-9a-f]{64})"\}$')

Values = Mapping[str, Any]


class Seal:
    """Chains lines: each ends with a digest of itself and of the one before it.

    It finds what was changed, cut off or lost on the way; it is no signature, for whoever forges a file can compute it.

    Args:
        is_ascii: Whether lines are written in ASCII alone.
    """

    def __init__(self, *, is_ascii: bool = False) -> None:
        """Begin with the first line."""
        self._last = b""
        self._is_ascii = is_ascii

    def close(self, body: Mapping[str, Any]) -> bytes:
        """Return a line with its digest."""
        text = json.dumps(body, ensure_ascii=self._is_ascii, separators=(",", ":"))
        plain = text.encode("utf-8", "surrogatepass")
        return b'%s,"digest":"%s"}\n' % (plain[:-1], self._next(plain))

    def open(self, line: bytes) -> dict[str, Any]:
        """Return what a line says.

        Raises:
            ValueError: It is not the line that was written after the one before it.
        """
        line = line.rstrip(b"\r\n")
        found = _SEAL.search(line)
        plain = b"" if found is None else line[: found.start()] + b"}"
        if found is None or found[1] != self._next(plain):
            msg = "it was changed, cut off, or does not follow the line before it"
            raise ValueError(msg)
        return said_in(plain)

    def _next(self, plain: bytes) -> bytes:
        self._last = sha256(self._last + plain).hexdigest().encode()
        return self._last


def said_in(line: bytes) -> dict[str, Any]:
    """Return what a line says, without its digest.

    Raises:
        ValueError: It is no JSON object.
    """
    body = json.loads(line.decode("utf-8", "surrogatepass"))
    if not isinstance(body, dict):
        msg = "it is no JSON object"
        raise ValueError(msg)  # noqa: TRY004  (as whatever else is no line)
    body.pop("digest", None)
    return body


class LineCodec:
    """Checkpoints as JSON data, and back; nothing is constructed but messages, safe data and allowed types.

    Args:
        allowed_types: Classes of the state beyond LangChain's messages and documents.
        serde: Of the checkpointer, if it names its classes: they are allowed, too.
    """

    def __init__(self, allowed_types: Sequence[type] = (), serde: SerializerProtocol | None = None) -> None:
        """No work yet."""
        known = () if serde is None else allowed_by(serde)
        self._serde = strict_serde(allowed_types).with_msgpack_allowlist(known)
        self._strict = StrictCheck(self._serde)

    # --------------------------------------------------------------------------------------------------------- writing
    def write(
        self, key: Key, parent_id: str | None, found: CheckpointTuple, parent: Values, versions: ChannelVersions
    ) -> dict[str, Any]:
        """Return a checkpoint as data.

        Args:
            key: Its namespace and id.
            parent_id: Its parent's id.
            found: The checkpoint.
            parent: The parent's values.
            versions: The parent's versions.

        Raises:
            ConfigurationError: A value cannot be written so that it is read back as what it is.
        """
        rest = {name: value for name, value in found.checkpoint.items() if name not in {"id", "channel_values"}}
        mine = found.checkpoint["channel_versions"]
        values: dict[str, Plain] = {}
        for name, value in found.checkpoint["channel_values"].items():
            is_same = name in parent and name in mine and versions.get(name) == mine[name]
            values[name] = {MARK: ["parent", None]} if is_same else self._grown(value, parent.get(name))
        return {
            "ns": key[0],
            "id": key[1],
            "parent": parent_id,
            "checkpoint": self.to_json(rest),
            "metadata": self.to_json(dict(found.metadata)),
            "values": values,
            "writes": [[task, channel, self.to_json(value)] for task, channel, value in found.pending_writes or ()],
        }

    def to_json(self, value: object) -> Plain:
        """Return a value as JSON data.

        Raises:
            ConfigurationError: It holds a class that is not allowed, or what no serializer takes.
        """
        try:
            return self._to_json(value)
        except (TypeError, OverflowError, RecursionError) as error:
            msg = f"a value of type {type(value).__name__} cannot be exported ({type(error).__name__}); keep plain data"
            raise ConfigurationError(msg) from error

    def _grown(self, value: object, before: object) -> Plain:
        """Return a value that has changed: of a list only what follows the beginning it shares with its parent."""
        if type(value) is not list or type(before) is not list:
            return self.to_json(value)
        same = 0
        for new, old in zip(value, before, strict=False):
            if not self._is_same(new, old):
                break
            same += 1
        return {MARK: ["parent", [same, self.to_json(value[same:])]]} if same else self.to_json(value)

    def _is_same(self, new: object, old: object) -> bool:
        """Whether two elements are one; of anything else the JSON is compared, because `1 == True`."""
        if type(new) in _MESSAGES:
            return type(new) is type(old) and new == old
        return json.dumps(self._to_json(new)) == json.dumps(self._to_json(old))

    def _to_json(self, value: Any) -> Plain:  # noqa: ANN401  (anything can stand in a state)
        kind = type(value)
        if kind in _SCALARS or (kind is float and math.isfinite(value)):
            plain: Plain = value
            return plain
        if kind is list:
            return [self._to_json(item) for item in value]
        if kind is tuple:
            return {MARK: ["tuple", [self._to_json(item) for item in value]]}
        if kind is dict and MARK not in value and all(type(name) is str for name in value):
            return {name: self._to_json(item) for name, item in value.items()}
        if kind in _MESSAGES and (message := _message(value)) is not None:
            return {MARK: ["message", message]}
        form, data = self._serde.dumps_typed(value)
        self._strict.check(form, data)
        return {MARK: ["typed", [form, base64.b64encode(data).decode()]]}

    # --------------------------------------------------------------------------------------------------------- reading
    def read_values(self, forms: Mapping[str, Any], parent: Values) -> dict[str, Any]:
        """Return the values of a checkpoint.

        Raises:
            Exception: Of any kind, where the data is none of `write`.
        """
        return {name: self._value(name, form, parent) for name, form in forms.items()}

    def from_json(self, form: Any) -> Any:  # noqa: ANN401
        """Return the value that JSON data stands for.

        Raises:
            Exception: Of any kind, where the data is none of `to_json`.
        """
        if isinstance(form, list):
            return [self.from_json(item) for item in form]
        if not isinstance(form, dict):
            return form
        if MARK not in form:
            return {name: self.from_json(item) for name, item in form.items()}
        name, inner = form[MARK]
        if name == "tuple":
            return tuple(self.from_json(inner))
        if name == "message":
            fields = json.dumps(inner[1], ensure_ascii=False)
            return decode(f"{inner[0]}\n{fields}".encode("utf-8", "surrogatepass"))
        if name == "typed":
            return self._typed(inner[0], base64.b64decode(inner[1], validate=True))
        msg = f"{name!r} is no kind of value"
        raise ValueError(msg)

    def _value(self, name: str, form: Any, parent: Values) -> Any:  # noqa: ANN401
        if not isinstance(form, dict) or MARK not in form or form[MARK][0] != "parent":
            return self.from_json(form)
        shared = form[MARK][1]
        before = parent[name]
        return before if shared is None else [*before[: shared[0]], *self.from_json(shared[1])]

    def _typed(self, form: str, data: bytes) -> Any:  # noqa: ANN401
        if form not in {"msgpack", "bytes", "bytearray", "null"}:
            msg = f"{form!r} is no form of bytes that may be read"
            raise ValueError(msg)
        self._strict.check(form, data)
        return self._serde.loads_typed((form, data))


def _message(value: BaseMessage) -> list[Plain] | None:
    """Return a message as JSON data; `None` where a field holds what its class does not take, as a copy's may."""
    try:
        type_, _, fields = encode(value).partition(b"\n")
    except ConfigurationError:
        return None
    return [type_.decode(), json.loads(fields.decode("utf-8", "surrogatepass"))]
