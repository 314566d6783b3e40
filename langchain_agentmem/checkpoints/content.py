"""Values as pieces of content, and back."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from langchain_agentmem.checkpoints.envelope import body_start, content_of, joined, split, unwrap, wrap
from langchain_agentmem.checkpoints.messages import MessageSerde
from langchain_agentmem.checkpoints.ranges import Run, to_numbers
from langchain_agentmem.checkpoints.refs import (
    Fields,
    FieldsRef,
    Inline,
    InlineRef,
    ItemRef,
    ListRef,
    Packed,
    Pieces,
    Ref,
    Shape,
    Snapshot,
    SnapshotRef,
    Whole,
)
from langchain_agentmem.checkpoints.strict import StrictCheck, check_serde
from langchain_agentmem.errors import AgentMemError, ConfigurationError

MAX_INLINE_BYTES: Final = 64
"""A value up to here takes less room in every header than an item with its digest takes once."""

MAX_PACKED_BYTES: Final = 2_048
"""Input of this size stands in two headers and a write; of more, the repetitions would weigh more than an item."""

_ELEMENTS: Final = (BaseMessage, Document, dict)
Fingerprint: TypeAlias = Callable[[bytes], bytes]


class Codec:
    """Values to shapes and references to values, by one serializer.

    Args:
        serde: What turns a value into bytes.

    Raises:
        ConfigurationError: As of `check_serde`.
    """

    def __init__(self, serde: SerializerProtocol) -> None:
        """Check the serializer."""
        check_serde(serde)
        self.serde = serde
        self._strict = StrictCheck(serde)
        self._messages = MessageSerde(serde) if type(serde) is JsonPlusSerializer else None
        self._dumps_typed = serde.dumps_typed if self._messages is None else self._messages.dumps_typed

    # --------------------------------------------------------------------------------------------------------- writing
    def dump(self, value: object) -> bytes:
        """Return a value as one content; refuse what would not come back.

        Raises:
            ConfigurationError: It has no form in bytes, or holds a class that is not allowed.
        """
        kind, data = self._dump(value)
        self._strict.check(kind, data)
        return wrap(kind, data)

    def check(self, content: bytes) -> None:
        """Refuse a content that would not come back.

        Raises:
            ConfigurationError: It holds a class that is not allowed.
        """
        self._strict.check(*unwrap(content))

    def wrapped(self, value: object) -> bytes:
        """Return a value as one content, unchecked.

        Raises:
            ConfigurationError: It has no form in bytes.
        """
        return wrap(*self._dump(value))

    def array(self, messages: list[Any]) -> bytes | None:
        """Return a list of messages as one msgpack array; `None`: the serializer writes no msgpack.

        Raises:
            ConfigurationError: One of them has no form in bytes.
        """
        if self._messages is None or dict in set(map(type, messages)):
            return None
        kind, data = self._dump(messages)
        return data if kind == "msgpack" else None

    def _dump(self, value: object) -> tuple[str, bytes]:
        try:
            return self._dumps_typed(value)
        except ConfigurationError:
            raise
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            msg = (
                f"a value of type {type(value).__name__} cannot be stored ({type(error).__name__}); keep plain data, "
                "messages or documents in the state, and numbers within 64 bits"
            )
            raise ConfigurationError(msg) from error

    # --------------------------------------------------------------------------------------------------------- reading
    def load(self, content: bytes) -> Any:  # noqa: ANN401  (whatever was stored)
        """Return the value of a content.

        Raises:
            UnreadableError: The serializer cannot read it.
            ValueError: It is damaged.
        """
        kind, data = unwrap(content)
        try:
            return self.serde.loads_typed((kind, data))
        except AgentMemError:
            raise
        except Exception as error:
            msg = f"{type(self.serde).__name__} raised {type(error).__name__}"
            raise UnreadableError(msg) from error

    def load_all(self, stored: list[bytes]) -> list[Any]:
        """Return the values of many stored contents at the cost of one list.

        Raises:
            ValueError: One of them is damaged.
        """
        whole = joined(stored) if self._messages is not None else None
        if whole is None or self._messages is None:
            return [self.load(content_of(it)) for it in stored]
        try:
            values: list[Any] = self._messages.load(whole)
        except Exception as error:
            msg = f"a list of contents cannot be read ({type(error).__name__})"
            raise ValueError(msg) from error
        return values


class UnreadableError(ValueError):
    """A content that is whole, as far as anybody can tell, and that its serializer cannot read."""


class SplitList(NamedTuple):
    """A list of messages as it was put: its elements one after another, where each ends, and its digest.

    A longer list that begins with the same bytes begins with the same elements, and nobody has to look at them again.
    """

    body: bytes
    ends: Sequence[int]
    digests: Sequence[bytes]

    def content(self, place: int) -> bytes:
        """Return the content of an element."""
        start = self.ends[place - 1] if place else 0
        return wrap("msgpack", self.body[start : self.ends[place]])


class Drafting:
    """Values to shapes.

    Args:
        codec: How values become bytes.
        fingerprint: Gives the digest of a content.
        known: Digests of what was checked before.
        recent: What the channel held last, if that was a list of messages; then what it holds now.

    Each method raises `ConfigurationError` for a value that has no form in bytes, or that would not come back.
    """

    def __init__(
        self, codec: Codec, fingerprint: Fingerprint, known: Container[bytes], recent: SplitList | None = None
    ) -> None:
        """No work yet."""
        self._codec = codec
        self._fingerprint = fingerprint
        self._known = known
        self.recent = recent

    def shape(self, value: object) -> Shape:
        """Return the shape of what a channel keeps."""
        if _is_split(value):
            return self._split(value) or self._pieces(value)
        if type(value) is _DeltaSnapshot:
            return Snapshot(self.shape(value.value))
        if type(value) is dict and any(map(_is_split, value.values())) and all(type(key) is str for key in value):
            return Fields([(key, self._field(inner)) for key, inner in value.items()])
        return self._whole(value)

    def passing(self, value: object) -> Shape:
        """Return the shape of what is on its way into a channel.

        Messages that are still to be given their ids stand in the reference: nothing will ever be equal to them, and as
        items they would take more room and tear the numbers of the conversation apart.
        """
        if _is_without_ids(value):
            content = self._codec.wrapped(value)
            if len(content) <= MAX_PACKED_BYTES:
                self._codec.check(content)
                return Packed(content)
        return self.shape(value)

    def _field(self, value: object) -> Shape:
        return self._pieces(value) if _is_split(value) else self._whole(value)

    def _whole(self, value: object) -> Shape:
        content = self._codec.wrapped(value)
        if len(content) <= MAX_INLINE_BYTES:
            self._codec.check(content)
            return Inline(content)
        return Whole(self._digest(content), content)

    def _pieces(self, value: list[Any]) -> Pieces:
        contents = list(map(self._codec.wrapped, value))
        return Pieces(list(map(self._digest, contents)), contents.__getitem__)

    def _split(self, value: list[Any]) -> Pieces | None:
        """Return the pieces of a list that is dumped at once; `None`: its elements have to be dumped one by one."""
        array = self._codec.array(value)
        if array is None:
            return None
        start = body_start(array)
        before = self.recent if self.recent and array.startswith(self.recent.body, start) else _NOTHING
        new_ends = split(array, start + len(before.body))
        if new_ends is None:
            return None
        begin, ends, digests = start + len(before.body), [*before.ends], [*before.digests]
        for end in new_ends:
            ends.append(end - start)
            digests.append(self._digest(wrap("msgpack", array[begin:end])))
            begin = end
        self.recent = SplitList(array[start:], ends, digests)
        return Pieces(digests, self.recent.content)

    def _digest(self, content: bytes) -> bytes:
        digest = self._fingerprint(content)
        if digest not in self._known:
            self._codec.check(content)
        return digest


_NOTHING: Final = SplitList(b"", (), ())


def _is_split(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list whose elements are worth storing each on its own."""
    return type(value) is list and bool(value) and all(map(_is_element, set(map(type, value))))


def _is_element(kind: type) -> bool:
    return issubclass(kind, _ELEMENTS)


def _is_without_ids(value: object) -> bool:
    """Whether a value is a message without an id, a list of some, or a dict of such lists."""
    if isinstance(value, dict):
        return bool(value) and all(type(inner) is list and _is_without_ids(inner) for inner in value.values())
    messages = value if type(value) is list else [value]
    return bool(messages) and all(isinstance(it, BaseMessage) and it.id is None for it in messages)


class Resolver:
    """References to values, given what is stored of the items.

    Args:
        codec: How contents are read.
        stored: Items by number, whole and intact.
        is_shared: Whether what several references name is decoded once and handed out again and again.
    """

    def __init__(self, codec: Codec, stored: Mapping[int, bytes], *, is_shared: bool) -> None:
        """Nothing is decoded yet."""
        self._codec = codec
        self._stored = stored
        self._shared: dict[int, Any] | None = {} if is_shared else None

    def value(self, ref: Ref) -> Any:  # noqa: ANN401  (whatever was stored)
        """Return the value of a reference.

        Raises:
            ValueError: It is damaged.
        """
        match ref:
            case InlineRef(content):
                return self._codec.load(content)
            case ItemRef(no):
                return self._item(no)
            case ListRef(listed):
                return self._list(listed.runs)
            case SnapshotRef(inner):
                return _DeltaSnapshot(self.value(inner))
            case FieldsRef(fields):
                return {key: self.value(inner) for key, inner in fields}

    def of_channel(self, channel: str, ref: Ref, task_id: str | None = None) -> Any:  # noqa: ANN401  (as above)
        """Return the value of a channel, or the one that a task has written to it.

        Raises:
            UnreadableError: The serializer cannot read it; it says of which channel it is.
            ValueError: It is damaged.
        """
        try:
            return self.value(ref)
        except UnreadableError as error:
            by = "" if task_id is None else f", as task {task_id!r} wrote it"
            msg = f"channel {channel!r}{by}: {error}"
            raise UnreadableError(msg) from error

    def _item(self, no: int) -> Any:  # noqa: ANN401  (as above)
        if self._shared is None:
            return self._codec.load(content_of(self._stored[no]))
        if no not in self._shared:
            self._shared[no] = self._codec.load(content_of(self._stored[no]))
        return self._shared[no]

    def _list(self, runs: Sequence[Run]) -> list[Any]:
        numbers = to_numbers(runs)
        shared = self._shared
        if shared is None:
            return self._codec.load_all([self._stored[no] for no in numbers])
        fresh = [no for no in numbers if no not in shared]
        shared.update(zip(fresh, self._codec.load_all([self._stored[no] for no in fresh]), strict=True))
        return [shared[no] for no in numbers]
