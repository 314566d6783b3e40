"""A view with a running summary in place of the oldest messages."""

from __future__ import annotations

import logging
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow
from langchain_agentmem.context.groups import DIGEST, Group, flat, is_own_system, keys_of, orphans, split
from langchain_agentmem.context.runnable import ContextRunnable, StateKeys, TokenCounter, View
from langchain_agentmem.context.running_summary import RunningSummary, following, summary_in
from langchain_agentmem.context.selection import Budget, late_places, pinned, systems_first, too_much
from langchain_agentmem.context.triggers import CONTEXT_WINDOW, MAX_MESSAGES, Load, Trigger, after_messages
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.summarize import ExtractiveSummarizer, FlowSummarizer, ModelSummarizer, Summarized, Summarizer
from langchain_agentmem.summarize.contract import CHARS_PER_TOKEN
from langchain_agentmem.summarize.extractive import extract
from langchain_agentmem.summarize.utterances import shorten

KEEP_MESSAGES: Final = 10
"""Messages that stay when the oldest are compressed."""

KEEP_TURNS: Final = 4
"""Turns that stay even where tool calls make them longer than `KEEP_MESSAGES`: with ten messages, four to six stay."""

_LEAST_CHARS: Final = 40  # of a summary; less says nothing
LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLimits:
    """How much stands in a view before the oldest messages are compressed, and how much stays.

    Args:
        max_messages: More than this (system messages and the summary apart) start a compression.
        keep_messages: So many stay then, rather fewer than a group that is cut.
        keep_turns: So many turns of the user stay even if they are more messages, as long as `max_messages` allows.
        max_tokens: The view never has more.

    Raises:
        ConfigurationError: A number is not positive, or `keep_messages` is above `max_messages`.
    """

    max_messages: int = MAX_MESSAGES
    keep_messages: int = KEEP_MESSAGES
    keep_turns: int = KEEP_TURNS
    max_tokens: int = CONTEXT_WINDOW

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_count("max_messages", self.max_messages, hint=f"for example {MAX_MESSAGES}")
        check_count("keep_messages", self.keep_messages, hint=f"for example {KEEP_MESSAGES}")
        check_count("keep_turns", self.keep_turns, least=0, hint=f"for example {KEEP_TURNS}")
        check_count("max_tokens", self.max_tokens, hint=f"for example {CONTEXT_WINDOW}")
        if self.keep_messages > self.max_messages:
            msg = f"keep_messages {self.keep_messages} is above max_messages {self.max_messages}; keep fewer"
            raise ConfigurationError(msg)


class _Keyed(NamedTuple):
    """A message of the conversation with its key."""

    key: str
    message: BaseMessage


_Rest: TypeAlias = list[_Keyed]


class _Now(NamedTuple):
    """The conversation with the keys of its messages, the summary so far, and what comes after the view."""

    record: Sequence[BaseMessage]
    keys: Sequence[str]
    before: RunningSummary | None
    new: Sequence[BaseMessage]


class SummaryBuffer(ContextRunnable):
    """The newest messages, and one running summary of all that were before them.

    What leaves the view enters the summary in the same step, once: each update gives the summarizer only the messages
    that leave, together with the summary so far. When a model cannot summarize, sentences are chosen without one and
    `failures` grows; no message is lost. The conversation itself is not changed.

    A list that goes through twice comes out the same. The summary travels in its own message, so that a chain that
    hands the view on continues it; a graph keeps it in its state besides, and a stored conversation beside it: those
    two believe no summary that stands among their messages.

    Args:
        summarizer: A chat model, or any `Summarizer`; `None`: sentences are chosen without a model.
        limits: How much may stand in the view, and how much stays.
        trigger: When to compress; `None`: after `limits.max_messages`. Over `limits.max_tokens` it is always time.
        token_counter: Any count of the tokens of messages; the default estimates and downloads nothing. It is asked
            once at construction.
        keys: Where a graph's state holds the record, the view and the summary.

    Attributes:
        failures: Calls of the summarizer that failed since this object was made.

    Raises:
        ConfigurationError: `limits.max_tokens` leaves no room beside a summary, or `summarizer` is none.

    Example:
        >>> from langchain_core.messages import AIMessage, HumanMessage
        >>> said = [HumanMessage("We chose PostgreSQL 16."), AIMessage("Noted."), HumanMessage("Deploy to staging?")]
        >>> view = SummaryBuffer(limits=SummaryLimits(max_messages=2, keep_messages=1)).view(said)
        >>> view.summary.text.splitlines()[-1], view.messages[-1].text
        ('- user: We chose PostgreSQL 16.', 'Deploy to staging?')
    """

    makes_summaries = True

    def __init__(
        self,
        summarizer: Summarizer | BaseChatModel | None = None,
        *,
        limits: SummaryLimits | None = None,
        trigger: Trigger | None = None,
        token_counter: TokenCounter = count_tokens_approximately,
        keys: StateKeys | None = None,
    ) -> None:
        super().__init__(token_counter=token_counter, keys=keys)
        self._limits = limits or SummaryLimits()
        self._trigger = trigger or after_messages(self._limits.max_messages)
        self._by = _summarizer(summarizer)
        self._failures = 0
        self._lock = threading.Lock()
        self._check_room()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy goes on from: all but the lock."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Go on from that."""
        vars(self).update(state, _lock=threading.Lock())

    @property
    def failures(self) -> int:
        """Calls of the summarizer that failed since this object was made."""
        return self._failures

    @property
    def summarizer(self) -> FlowSummarizer:
        """What writes the text of a summary: messages in, text out. Its failures count as the buffer's."""
        return _Counting(self._summarize, self._by.max_tokens)

    def _view(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        config: RunnableConfig | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> Flow[View]:
        """View as a flow: one call of the summarizer where something leaves, none else."""
        record = [message for message in messages if summary_in(message) is None]
        keys = keys_of(record)
        before, covered = _latest(messages, summary, keys)
        places = {place for place, key in enumerate(keys) if key not in covered or is_own_system(record[place])}
        rest = [_Keyed(keys[place], record[place]) for place in sorted(places)]
        late = {keys[place] for place in orphans(record, places)} if before else set()
        now = _Now(record, keys, before, new)
        stays = self._stays([it for it in rest if it.key not in late], now)
        left = [it for it in rest if it.key not in stays]
        kept = [it.message for it in rest if it.key in stays]
        if not left:
            return View(messages=_composed(kept, before), summary=before)
        done = yield from self._summarize([it.message for it in left], before.text if before else "")
        after = following(before, done, [it.key for it in left], covered=covered, keys=keys)
        after = self._fitting(kept, after, new)
        view = View(messages=_composed(kept, after), summary=after, left=after.added)
        return _failed(view, done.failures)

    def _check_room(self) -> None:
        """Refuse a budget that a summary alone may fill: it would fail with the first compression."""
        needed, given = self._count([_room(self._by.max_tokens).to_message()]), self._limits.max_tokens
        if needed >= given:
            msg = (
                f"max_tokens {given} leaves no room beside a summary of up to {self._by.max_tokens} tokens ({needed} "
                f"as a message); raise max_tokens above {needed}, or pass a summarizer with a smaller max_tokens"
            )
            raise ConfigurationError(msg)

    # ----------------------------------------------------------------------------------------------------- what stays
    def _stays(self, rest: _Rest, now: _Now) -> set[str]:
        """Return the keys of the messages that stay in the view."""
        said = [it.message for it in rest]
        groups = split([*said, *now.new])
        spoken = [message for message in said if not is_own_system(message)]
        whole = [*_composed(said, now.before), *now.new]
        load = Load(messages=len(spoken), steps=_steps(now), count=lambda: self._count(whole))
        if self._trigger(load) or load.tokens > self._limits.max_tokens:
            places = self._within(groups, self._recent(groups, len(now.new)), now)
        else:
            places = set(range(len(groups)))
        return {key for place, part in enumerate(_parts(groups, rest)) for key in part if place in places}

    def _recent(self, groups: Sequence[Group], late: int) -> set[int]:
        """Return the places of the newest groups, and of what never leaves."""
        kept = _fixed(groups, late)
        messages = turns = 0
        for place in reversed(range(late_places(groups, late).start)):
            group = groups[place]
            if group.is_system:
                continue
            messages += len(group.messages)
            is_turn_kept = turns < self._limits.keep_turns and messages < self._limits.max_messages
            if messages > self._limits.keep_messages and not is_turn_kept:
                break
            kept.add(place)
            turns += group.is_of_user
        return kept

    def _within(self, groups: Sequence[Group], kept: set[int], now: _Now) -> set[int]:
        """Drop the oldest groups until the view fits, with room for a summary where something leaves.

        Raises:
            ConfigurationError: What never leaves exceeds the budget on its own.
        """
        fixed = _fixed(groups, len(now.new))
        loose = sorted(kept - fixed)
        room = _room(self._by.max_tokens)

        def cost(dropped: int) -> int:
            places = sorted(kept.difference(loose[:dropped]))
            return self._cost([groups[place] for place in places], now.before if len(places) == len(groups) else room)

        dropped = 0
        if cost(0) > self._limits.max_tokens:  # the more groups are dropped, the less it costs: so it is searched
            numbers = range(1, len(loose) + 1)
            dropped = 1 + bisect_left(numbers, -self._limits.max_tokens, key=lambda number: -cost(number))
            while dropped <= len(loose) and cost(dropped) > self._limits.max_tokens:
                dropped += 1  # a counter need not add up
        if dropped > len(loose):
            raise ConfigurationError(self._too_much(groups, fixed, now, room))
        return kept.difference(loose[:dropped])

    def _too_much(self, groups: Sequence[Group], fixed: set[int], now: _Now, room: RunningSummary) -> str:
        budget = Budget(limit=self._limits.max_tokens, cost=self._count, unit="tokens", remedy="max_tokens")
        names = {place: name for place, name in pinned(groups, len(now.new)).items() if place in fixed}
        summary = now.before if len(fixed) == len(groups) else room
        return too_much(groups, names, budget, summary=[] if summary is None else [summary.to_message()])

    def _cost(self, groups: Sequence[Group], summary: RunningSummary | None) -> int:
        return self._count(_composed(flat(groups), summary))

    # ---------------------------------------------------------------------------------------------------- the summary
    def _summarize(self, left: Sequence[BaseMessage], previous: str) -> Flow[Summarized]:
        done: Summarized | None = None
        try:
            done = yield from self._by.summarize_flow(left, previous=previous)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001  (whatever a summarizer raises, the turn goes on)
            LOGGER.warning("a summarizer failed: %s", type(error).__name__)
        if done is None or not done.text.strip():
            text = extract(left, previous=previous, max_chars=self._by.max_tokens * CHARS_PER_TOKEN)
            done = Summarized(text=text, failures=1)
        with self._lock:
            self._failures += done.failures
        return done

    def _fitting(
        self, kept: Sequence[BaseMessage], summary: RunningSummary, new: Sequence[BaseMessage]
    ) -> RunningSummary:
        """Return the summary with as much of its text as fits; escaping may have made it longer than foreseen."""
        summary = summary.shortened(shorten(summary.text, self._by.max_tokens * CHARS_PER_TOKEN))
        limit = self._limits.max_tokens
        while self._count([*_composed(kept, summary), *new]) > limit and len(summary.text) > _LEAST_CHARS:
            summary = summary.shortened(shorten(summary.text, max(len(summary.text) * 3 // 4, _LEAST_CHARS)))
        return summary


class _Counting(FlowSummarizer):
    """A buffer's summarizer as others call it: what fails is counted there, and made up for."""

    def __init__(self, by: Callable[[Sequence[BaseMessage], str], Flow[Summarized]], max_tokens: int) -> None:
        super().__init__(max_tokens=max_tokens)
        self._by = by

    def summarize_flow(self, messages: Sequence[BaseMessage], *, previous: str = "") -> Flow[Summarized]:
        """Summarize as a flow: as the buffer does."""
        return self._by(messages, previous)


def _summarizer(given: Summarizer | BaseChatModel | None) -> Summarizer:
    if given is None:
        return ExtractiveSummarizer()
    if isinstance(given, BaseChatModel):
        return ModelSummarizer(given)
    if not hasattr(given, "summarize_flow"):
        msg = f"summarizer must be a chat model or a Summarizer, got {type(given).__name__}; leave it out for none"
        raise ConfigurationError(msg)
    return given


def _latest(
    messages: Sequence[BaseMessage], given: RunningSummary | None, keys: Sequence[str]
) -> tuple[RunningSummary | None, frozenset[str]]:
    """Return the newest summary there is, and which messages it covers.

    One that stands among the messages was put there in place of what it covers: only messages with ids of their own can
    be told to be those. One that was given and knows no message of the conversation is about one that was deleted,
    unless it names none: then what it covers went before all that is there.
    """
    found = [summary for message in messages if (summary := summary_in(message)) is not None]
    newest = max(found, key=lambda summary: summary.version, default=None)
    own = given if given is None or given.last_id is None else given.placed(keys)
    if own is not None and (newest is None or own.version >= newest.version):
        return own, own.among(keys)
    if newest is None:
        return None, frozenset()
    return newest, frozenset(key for key in newest.among(keys) if not str(newest.last_id).startswith(DIGEST))


def _steps(now: _Now) -> int:
    """Return how many answers of the assistant came since the last compression."""
    before = now.before
    seen = now.keys.index(before.seen_id) + 1 if before and before.seen_id in now.keys else 0
    return sum(isinstance(message, AIMessage) for message in now.record[seen:])


def _fixed(groups: Sequence[Group], late: int) -> set[int]:
    """Return the places of what never leaves; summaries of others may, into ours."""
    own = len(groups) - max(len(late_places(groups, late)), 1)
    foreign = {place for place, group in enumerate(groups[:own]) if group.is_summary}
    return set(pinned(groups, late)) - foreign


def _parts(groups: Sequence[Group], rest: _Rest) -> Iterator[list[str]]:
    """Yield the keys of each group."""
    start = 0
    for group in groups:
        yield [it.key for it in rest[start : start + len(group.messages)]]
        start += len(group.messages)


def _composed(kept: Sequence[BaseMessage], summary: RunningSummary | None) -> list[BaseMessage]:
    """Return the view: leading system messages, the summary, the rest."""
    if summary is None:
        return list(kept)
    place = systems_first(kept)
    return [*kept[:place], summary.to_message(), *kept[place:]]


def _room(max_tokens: int) -> RunningSummary:
    """Return a summary as long as one may get."""
    return RunningSummary(version=1, text="x" * (max_tokens * CHARS_PER_TOKEN))


def _failed(view: View, failures: int) -> View:
    status = "ok" if not failures else "degraded: the summary was made without the model"
    return View(messages=view.messages, summary=view.summary, left=view.left, failures=failures, status=status)
