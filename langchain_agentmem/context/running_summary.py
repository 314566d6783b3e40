"""The summary of a conversation as one versioned object, and as the message in which a model reads it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Final, Literal, Self

from langchain_core.messages import BaseMessage, HumanMessage

from langchain_agentmem.context.groups import DIGEST, keys_of
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.summarize.contract import Summarized
from langchain_agentmem.summarize.marks import DATA_KEY, data_of, delimited, marked

_ID_BYTES: Final = 8  # tells summaries of one version apart, in forks of one conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSummary:
    """What the messages said that left the view.

    It covers the conversation up to `last_id` but for `kept`: so its size does not grow with the conversation. A
    message without an id goes by a digest of what it says.

    Attributes:
        version: Grows by one with every update; the first is 1.
        text: The summary.
        added: Ids of the messages that this version covers and the one before did not.
        count: How many messages it covers in all.
        last_id: The one of them that stands last in the conversation.
        kept: Ids of the messages before `last_id` that stayed in the view.
        seen_id: The newest message of the conversation when this version was made; steps are counted from there.
        source: Who wrote this version: the rules, or a model.
    """

    version: int
    text: str = field(repr=False)
    added: tuple[str, ...] = ()
    count: int = 0
    last_id: str | None = None
    kept: tuple[str, ...] = ()
    seen_id: str | None = None
    source: Literal["rules", "model"] = "rules"

    def covered(self, messages: Sequence[BaseMessage]) -> list[str]:
        """Return the ids of the messages of a conversation that it stands for."""
        keys = keys_of(messages)
        among = self.among(keys)
        return [key for key in keys if key in among]

    def among(self, keys: Sequence[str]) -> frozenset[str]:
        """Return which of a conversation's keys it covers; none where it is about another conversation."""
        if self.last_id is None or self.last_id not in keys:
            return frozenset()
        return frozenset(keys[: keys.index(self.last_id) + 1]) - frozenset(self.kept)

    def placed(self, keys: Sequence[str]) -> Self | None:
        """Return it for a conversation out of which messages were taken: up to the last that is left of what it covers.

        `None` where it knows none of these messages, by the ids of what it covered last and of the newest it has seen:
        then it is about another conversation, or little is left of its own.
        """
        if self.last_id is not None and self.last_id in keys:
            return self
        if not any(key in keys for key in (*self.added, self.seen_id) if key and not key.startswith(DIGEST)):
            return None
        here = [key for key in keys if key in self.added]
        return replace(self, last_id=here[-1]) if here else self.unplaced()

    def unplaced(self) -> Self:
        """Return it as one of what went before all messages that are there."""
        return replace(self, last_id=None, kept=())

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON knows it: what a graph's state and a store may hold."""
        return {**asdict(self), "added": list(self.added), "kept": list(self.kept)}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Return what `to_dict` was called on.

        Raises:
            ConfigurationError: The data is none of `to_dict`.
        """
        if isinstance(data, cls):
            return data
        try:
            fields = dict(data)  # type: ignore[call-overload]  # whatever is no mapping is caught below
            read = cls(**{**fields, **{name: tuple(fields.get(name, ())) for name in ("added", "kept")}})
        except (TypeError, ValueError) as error:
            msg = f"a running summary must be the dict of to_dict(), got {type(data).__name__}; leave it out to begin"
            raise ConfigurationError(msg) from error
        wrong = next((name for name, is_right in _RIGHT.items() if not is_right(getattr(read, name))), None)
        if wrong is not None:
            got = type(getattr(read, wrong)).__name__
            msg = f"a running summary must be the dict of to_dict(), got {got} as {wrong}; leave it out to begin"
            raise ConfigurationError(msg)
        return read

    def to_message(self) -> HumanMessage:
        """Return the message a model reads: marked, so that memory never takes it for something that was said."""
        digest = blake2b(f"{self.last_id}\n{self.text}".encode("utf-8", "replace"), digest_size=_ID_BYTES).hexdigest()
        data = {"kind": "summary", "summary": self.to_dict()}
        return marked(delimited(self.text), data, id=f"summary-{self.version}-{digest}")

    def shortened(self, text: str) -> Self:
        """Return it with less text."""
        return replace(self, text=text)


def following(
    before: RunningSummary | None,
    done: Summarized,
    left: Sequence[str],
    *,
    covered: Collection[str],
    keys: Sequence[str],
) -> RunningSummary:
    """Return the next version: what was covered before, and what left now, of a conversation with these keys."""
    gone = {*covered, *left}
    last = max(place for place, key in enumerate(keys) if key in gone)
    return RunningSummary(
        version=before.version + 1 if before else 1,
        text=done.text,
        added=tuple(left),
        count=(before.count if before else 0) + len(left),
        last_id=keys[last],
        kept=tuple(key for key in keys[:last] if key not in gone),
        seen_id=keys[-1],
        source=done.source,
    )


def summary_in(message: BaseMessage) -> RunningSummary | None:
    """Return the running summary that a message of ours carries; `None` for every other message.

    One that is marked as ours and carries none that can be read is a message like any other. Whoever writes the mark
    is believed: do not take `additional_kwargs` of a message from a user.
    """
    data = data_of(message)
    held = data.get("summary") if data.get("kind") == "summary" else None
    try:
        return RunningSummary.from_dict(held) if isinstance(held, Mapping) else None
    except ConfigurationError:
        return None


def without_summaries(record: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return a record whose summary is kept beside it: none in it is ours, and none is taken for one."""
    return [_unmarked(message) if data_of(message).get("kind") == "summary" else message for message in record]


def _unmarked(message: BaseMessage) -> BaseMessage:
    extra = {name: value for name, value in message.additional_kwargs.items() if name != DATA_KEY}
    return message.model_copy(update={"additional_kwargs": extra})


def _is_int(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _are_texts(value: Sequence[object]) -> bool:
    return all(isinstance(item, str) for item in value)


def _is_id(value: object) -> bool:
    return value is None or isinstance(value, str)


_RIGHT: Final[Mapping[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        "version": partial(_is_int, least=1),
        "text": lambda value: isinstance(value, str),
        "added": _are_texts,
        "count": partial(_is_int, least=0),
        "last_id": _is_id,
        "kept": _are_texts,
        "seen_id": _is_id,
        "source": lambda value: value in ("rules", "model"),
    }
)
