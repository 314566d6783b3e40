"""A prompt out of tiers under one budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.runnables import RunnableConfig

from langchain_agentmem._checks import check_count
from langchain_agentmem._flow import Flow
from langchain_agentmem.context.cutting import cut_of
from langchain_agentmem.context.groups import Group, flat, split
from langchain_agentmem.context.runnable import ContextRunnable, StateKeys, TokenCounter, View, state_of
from langchain_agentmem.context.running_summary import RunningSummary
from langchain_agentmem.context.selection import Budget, newest, pinned, systems_first
from langchain_agentmem.context.tiers import (
    LISTED,
    NAMES,
    SHRINKING,
    TIERS,
    ContextParts,
    Said,
    Shrinkable,
    Tier,
    check_tiers,
    delimited_items,
    fitting_items,
    fitting_summary,
    fitting_text,
    rendered,
    said,
    whole,
)
from langchain_agentmem.context.triggers import CONTEXT_WINDOW
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.summarize.marks import data_of

_STABLE: Final = ("constraints", "profile", "summary")
_VOLATILE: Final = ("memories", "entities", "goal", "working", "scratch")
_ROUNDS: Final = 3  # a counter that does not add up is met with a smaller budget so many times


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A prompt, and what became of each tier.

    Attributes:
        tokens: Of each tier that is in it.
        dropped: How many items or messages of each tier did not fit; of what is one text (the summary, the
            profile, the goal, the working state) 1 where it was shortened or left.
        cut: Which of them: see `cutting`.
        borrowed: Of the tokens of a tier those beyond its share, which the others left.
    """

    messages: list[BaseMessage] = field(repr=False)
    tokens: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    cut: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    borrowed: Mapping[str, int] = field(default_factory=dict)


class _Room(NamedTuple):
    """A budget, how many of the last messages are in it for sure, and whether a tier may have more than its share."""

    limit: int
    late: int
    is_lent: bool = False


class ContextAssembly(ContextRunnable):
    """Puts a prompt together: what must be in it first, then each tier by its priority, as much as its share allows.

    What a tier leaves of its share is not lost: once each has been served, the tiers that were cut are served again by
    their priority, out of all that is left. So a share is what a tier is sure of, as far as what must be in the prompt
    and the tiers of higher priority leave it, and nothing is cut while there is room for it.

    The order in the prompt is another one. What seldom changes stands first, so that providers can cache it: system,
    policies, constraints, profile, summary, earlier messages; what is of the turn stands before the user's last
    message: memories, entities, goal, working state, scratch. All but the system prompt and the conversation is marked
    and delimited as data.

    In a chain it takes `ContextParts` or messages. In a graph it takes the state, with any of the parts under their
    names.

    Args:
        max_tokens: Tokens of the whole prompt.
        tiers: How each part is treated; a part without a tier is left out.
        token_counter: Any count of the tokens of messages; the default estimates and downloads nothing.
        keys: Where a graph's state holds the record, the view and the summary.

    Raises:
        ConfigurationError: `max_tokens` is no int of at least 1, or `tiers` are no `Tier`s, or two have one name.

    Example:
        >>> from langchain_core.messages import HumanMessage
        >>> parts = ContextParts(
        ...     system="You deploy.", memories=("Alice prefers Python",), messages=[HumanMessage("Deploy?")]
        ... )
        >>> [message.type for message in ContextAssembly(max_tokens=1_000).invoke(parts)]
        ['system', 'human', 'human']
    """

    def __init__(
        self,
        *,
        max_tokens: int = CONTEXT_WINDOW,
        tiers: Sequence[Tier] = TIERS,
        token_counter: TokenCounter = count_tokens_approximately,
        keys: StateKeys | None = None,
    ) -> None:
        super().__init__(token_counter=token_counter, keys=keys)
        self._max = check_count("max_tokens", max_tokens, hint=f"for example {CONTEXT_WINDOW}")
        tiers = check_tiers(tiers)
        self._tiers = {tier.name: tier for tier in sorted(tiers, key=lambda tier: -tier.priority)}
        if len(self._tiers) != len(tiers):
            msg = "two tiers have one name; give each name once"
            raise ConfigurationError(msg)

    @property
    def max_tokens(self) -> int:
        """Tokens of the whole prompt, at most."""
        return self._max

    def count(self, messages: Sequence[BaseMessage]) -> int:
        """Return how many tokens messages take, by the counter of this assembly."""
        return self._count(messages)

    def assemble(self, parts: ContextParts, *, late: int = 0) -> Assembled:
        """Return the prompt of these parts.

        Args:
            parts: What it is made of.
            late: So many of the last messages are new, and are never left out.

        Raises:
            ConfigurationError: What must be in it exceeds the budget; the message names what takes how much.
        """
        parts = _fresh(parts, late)
        limit = self._max
        for _ in range(_ROUNDS):
            assembled = self._assembled(parts, limit, late)
            over = self._count(assembled.messages) - self._max
            if over <= 0:
                return assembled
            limit -= over
        msg = f"the token counter does not add up: the parts fit into {self._max} tokens one by one, not together"
        raise ConfigurationError(msg)

    def _view(
        self,
        messages: Sequence[BaseMessage],
        *,
        summary: RunningSummary | None = None,
        config: RunnableConfig | None = None,
        new: Sequence[BaseMessage] = (),
    ) -> Flow[View]:
        """View as a flow that never waits."""
        yield from ()
        parts = ContextParts(messages=messages, summary=summary)
        return View(messages=self.assemble_before(parts, new), summary=summary)

    def assemble_before(self, parts: ContextParts, new: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Return the prompt of these parts without the new messages, which come after it and for which room is left.

        Raises:
            ConfigurationError: What must be in it exceeds the budget; the message names what takes how much.
        """
        own = [message.model_copy() for message in new]  # told from the others, whichever objects were given twice
        done = self.assemble(replace(parts, messages=[*parts.messages, *own]), late=len(own))
        return _without_these(done.messages, own)

    def _answer(self, input: Any, config: RunnableConfig | None) -> Flow[Any]:  # noqa: ANN401  (list or state)
        if isinstance(input, ContextParts):
            return self.assemble(input).messages
        state = state_of(input)
        if state is None:
            return (yield from super()._answer(input, config))
        given: dict[str, Any] = {name: state[name] for name in NAMES if _is_part(name, state.get(name))}
        held = state.get(self._keys.summary)
        summary = RunningSummary.from_dict(held) if held else None
        record = self._record(state, config)
        done = self.assemble(ContextParts(messages=record, summary=summary, **given))
        return self._update(record, summary, View(messages=done.messages, summary=summary))

    # ------------------------------------------------------------------------------------------------------ the tiers
    def _assembled(self, parts: ContextParts, limit: int, late: int) -> Assembled:
        taken = replace(parts, messages=self._must(parts, late), **_without(self._required()))
        for tier in self._tiers.values():
            if not tier.is_required:
                taken = self._served(tier, parts, taken, _Room(limit, late))
        taken = self._lent(parts, taken, _Room(limit, late, is_lent=True))
        tokens = self._tokens(taken)
        return Assembled(
            messages=_ordered(taken),
            tokens=tokens,
            dropped=_dropped(parts, taken),
            cut=cut_of(parts, taken),
            borrowed={name: it - self._cap(name) for name, it in tokens.items() if it > self._cap(name)},
        )

    def _lent(self, parts: ContextParts, taken: ContextParts, given: _Room) -> ContextParts:
        """Return the parts taken so far and, of those that their share cut, as much as what is left allows."""
        cut = _dropped(parts, taken)
        for tier in self._tiers.values():
            if tier.name in cut and not tier.is_required and tier.share < 1:
                more = self._served(tier, parts, taken, given)
                if self._taken_by(tier.name, more) > self._taken_by(tier.name, taken):
                    taken = more
        return taken

    def _required(self) -> set[str]:
        return {name for name, tier in self._tiers.items() if tier.is_required}

    def _must(self, parts: ContextParts, late: int) -> list[BaseMessage]:
        """Return the messages that never leave, once everything that must be in the prompt is known to fit.

        Raises:
            ConfigurationError: It does not; the message names what is over.
        """
        new = list(parts.messages[len(parts.messages) - late :])
        groups = split(parts.messages)
        fixed = self._fixed(parts, groups, late) if "messages" in self._tiers else new
        needed = {name: self._taken_by(name, parts) for name in self._required() - {"messages"}}
        needed["messages that must stay"] = self._count(_without_these(fixed, new))
        needed["the new input"] = self._count(new)
        if sum(needed.values()) > self._max:
            shown = ", ".join(f"{name}: {tokens}" for name, tokens in sorted(needed.items()) if tokens)
            msg = f"what must be in the prompt exceeds {self._max} tokens ({shown}); raise max_tokens or shorten it"
            raise ConfigurationError(msg)
        return fixed

    def _fixed(self, parts: ContextParts, groups: Sequence[Group], late: int) -> list[BaseMessage]:
        """Return the messages that never leave: all, where the tier of messages must be whole."""
        if self._tiers["messages"].is_required:
            return list(parts.messages)
        return flat(groups[place] for place in sorted(pinned(groups, late)))

    def _served(self, tier: Tier, parts: ContextParts, taken: ContextParts, given: _Room) -> ContextParts:
        """Return the parts taken so far and as much of this tier as has room."""
        tokens = self._tokens(taken)
        own = tokens.get(tier.name, 0)
        left = max(given.limit - sum(tokens.values()) + own, 0)
        room = left if given.is_lent else min(left, max(self._cap(tier.name), own))
        if tier.name == "messages":
            budget = Budget(limit=room, cost=self._count, unit="tokens", remedy="max_tokens")
            return replace(taken, messages=flat(newest(split(parts.messages), budget, given.late)))
        if tier.name == "summary":
            summary = parts.summary
            return replace(taken, summary=summary and fitting_summary(summary, self._count, room))
        if tier.name in SHRINKING:
            source = getattr(parts, tier.name)
            text = "" if source is None else fitting_text(tier.name, source, self._count, room)
            words: dict[str, Any] = {tier.name: Said(text) if text else None}
            return replace(taken, **words)
        if tier.name == "system":
            fits = self._count(_messages_of("system", parts)) <= room
            return replace(taken, system=parts.system if fits else "")
        items: dict[str, Any] = {tier.name: fitting_items(tier.name, getattr(parts, tier.name), self._count, room)}
        return replace(taken, **items)

    def _cap(self, name: str) -> int:
        return int(self._tiers[name].share * self._max)  # type: ignore[index]  # only names of tiers come here

    def _taken_by(self, name: str, parts: ContextParts) -> int:
        messages = _messages_of(name, parts)
        return self._count(messages) if messages else 0

    def _tokens(self, parts: ContextParts) -> dict[str, int]:
        found = {name: self._taken_by(name, parts) for name in self._tiers}
        return {name: tokens for name, tokens in found.items() if tokens}


def _is_part(name: str, value: object) -> bool:
    """Whether a state holds this part under its name: a graph may well use the name for something else."""
    if name in {"messages", "summary"} or not value:
        return False
    if name in SHRINKING:
        return isinstance(value, Shrinkable)
    return name == "system" or isinstance(value, Sequence)


def _without(required: set[str]) -> dict[str, Any]:
    """Return what empties every part that is not required, but the messages."""
    empty = {"system": "", "summary": None, **dict.fromkeys(LISTED, ()), **dict.fromkeys(SHRINKING)}
    return {name: value for name, value in empty.items() if name not in required}


def _messages_of(name: str, parts: ContextParts) -> list[BaseMessage]:
    if name == "messages":
        return list(parts.messages)
    if name == "summary":
        return [parts.summary.to_message()] if parts.summary else []
    if name == "system":
        return [SystemMessage(parts.system)] if parts.system else []
    if name in SHRINKING:
        return said(name, whole(getattr(parts, name)))
    return rendered(name, getattr(parts, name))


def _instructions(parts: ContextParts) -> list[BaseMessage]:
    """Return the application's own words as one message: many providers take one only."""
    policies = [delimited_items("policies", parts.policies)] if parts.policies else []
    text = "\n\n".join([*filter(None, [parts.system]), *policies])
    return [SystemMessage(text)] if text else []


def _ordered(parts: ContextParts) -> list[BaseMessage]:
    """Return the prompt in its order."""
    record = list(parts.messages)
    lead = systems_first(record)
    asked = max(_asked(record), lead)
    stable = [message for name in _STABLE for message in _messages_of(name, parts)]
    volatile = [message for name in _VOLATILE for message in _messages_of(name, parts)]
    first = [*_instructions(parts), *record[:lead], *stable]
    return [*first, *record[lead:asked], *volatile, *record[asked:]]


def _asked(messages: Sequence[BaseMessage]) -> int:
    """Return where the group with the user's last message begins; the end where there is none."""
    place = asked = 0
    is_found = False
    for group in split(messages):
        if group.is_of_user:
            asked, is_found = place, True
        place += len(group.messages)
    return asked if is_found else place


def _fresh(parts: ContextParts, late: int) -> ContextParts:
    """Return the parts without what an earlier prompt put among the messages and is given anew."""

    def is_stale(message: BaseMessage) -> bool:
        data = data_of(message)
        name = "summary" if data.get("kind") == "summary" else str(data.get("tier", ""))
        return bool(name and getattr(parts, name, None))

    end = len(parts.messages) - late
    kept = [message for place, message in enumerate(parts.messages) if place >= end or not is_stale(message)]
    return replace(parts, messages=kept)


def _without_these(messages: Sequence[BaseMessage], gone: Sequence[BaseMessage]) -> list[BaseMessage]:
    ids = set(map(id, gone))
    return [message for message in messages if id(message) not in ids]


def _dropped(parts: ContextParts, taken: ContextParts) -> dict[str, int]:
    lost = {name: len(getattr(parts, name)) - len(getattr(taken, name)) for name in (*LISTED, "messages")}
    lost |= {name: int(whole(getattr(parts, name)) != whole(getattr(taken, name))) for name in SHRINKING}
    lost["summary"] = int(parts.summary != taken.summary)
    lost["system"] = int(parts.system != taken.system)
    return {name: number for name, number in lost.items() if number}
