"""The prompt of a turn in one call: every layer of memory under one budget, and a trace of what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, get_args

from langchain_core.messages import BaseMessage, HumanMessage

from langchain_agentmem._checks import check_choice, check_instance, check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.context.assembly import Assembled, ContextAssembly
from langchain_agentmem.context.layers import (
    EMPTY,
    FAILED,
    OK,
    Found,
    Layered,
    Turn,
    attempt,
    read_conversation,
    read_layers,
)
from langchain_agentmem.context.summary_buffer import SummaryBuffer
from langchain_agentmem.context.tiers import NAMES, TIERS, ContextParts
from langchain_agentmem.context.triggers import CONTEXT_WINDOW
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.extraction.record.conversation import is_of_user
from langchain_agentmem.profiles.goal import Goal
from langchain_agentmem.profiles.model import UserProfile
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.summarize.contract import as_messages
from langchain_agentmem.types import Hit, MemoryMode, Recall, RecallQuery, Scope
from langchain_agentmem.types.scope import check_scope

TURN_TIERS: Final = tuple(replace(tier, is_required=tier.name == "system") for tier in TIERS)
"""As `TIERS`, but only the system prompt must be whole: a user with many constraints gets an answer, and the trace
says how many of them did not fit."""

MAX_SAID_CHARS: Final = 1_000_000
"""Of what a user says at once; the budget of tokens is the real limit."""

_NOTHING: Final = (EMPTY, "skipped")

_READ_WITH: Final = {"constraints": "memories", "summary": "messages"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTrace:
    """What became of one layer in a prompt.

    Attributes:
        status: `ok`; `empty`: it has nothing for this turn; `missing`: there is no such layer here; `off`, `no_consent`
            or `anonymous`: memory may not be read; `degraded: …` or `failed: …` with the error.
        tokens: In the prompt; of memories 0 where the profile says all of them already.
        dropped: So many items did not fit; of what is one text, 1 where it was shortened or left out.
        cut: Which: ids of memories and of messages, names of policies, of a relation the id of a memory that says it;
            of what is one text, the sections that were shortened or left out. What has no name is told by its place
            among its like, `#1` for the first.
        borrowed: Of the tokens, those beyond its share: the other layers left them.
    """

    name: str
    status: str = OK
    tokens: int = 0
    dropped: int = 0
    cut: tuple[str, ...] = ()
    borrowed: int = 0

    @property
    def is_broken(self) -> bool:
        """Whether it should have taken part, and could not, or not in full."""
        return self.status.partition(":")[0] in {FAILED, "degraded"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """The prompt of a turn, and how it came about.

    Attributes:
        messages: What the model is to read; what seldom changes stands first.
        layers: What became of each layer, by its name.
        recall: What was recalled, with the receipt of the first question.
        receipt_ids: Receipts of every question that was asked.
        tokens: Of the whole prompt. `max_tokens`: its budget.
    """

    messages: list[BaseMessage] = field(repr=False)
    layers: Mapping[str, LayerTrace]
    recall: Recall = field(default_factory=Recall)
    receipt_ids: tuple[str, ...] = ()
    tokens: int
    max_tokens: int

    @property
    def status(self) -> str:
        """`ok`, or `degraded: …` with the layers that could not take part."""
        broken = [trace.name for trace in self.layers.values() if trace.is_broken]
        return f"degraded: {', '.join(broken)}" if broken else OK

    @property
    def dropped(self) -> dict[str, int]:
        """How much of each layer did not fit."""
        return {trace.name: trace.dropped for trace in self.layers.values() if trace.dropped}

    @property
    def cut(self) -> dict[str, tuple[str, ...]]:
        """What of each layer did not fit, by name or id."""
        return {trace.name: trace.cut for trace in self.layers.values() if trace.cut}

    @property
    def borrowed(self) -> dict[str, int]:
        """How many tokens each layer has beyond its share, because the others left them."""
        return {trace.name: trace.borrowed for trace in self.layers.values() if trace.borrowed}


class TurnAssembly:
    """Puts together what a model is to read in a turn: every layer that is there, with shares of one budget.

    A layer that is missing, empty or broken costs nothing but itself, and the trace names it. What a layer leaves of
    its share goes to the others by their priority (`TURN_TIERS`); what does not fit then is cut. The system prompt and
    what is said in this turn are always whole.

    Args:
        memory: An `AgentMemory`.
        assembly: Puts the prompt together: the budget, the tiers, the counter of tokens. `None`: the default of each.
        buffer: Keeps the summary of a stored conversation; `None`: `SummaryBuffer()`.
        sessions: Where conversations are read; `None`: the memory's chat histories.

    Example:
        >>> from langchain_agentmem import AgentMemory, Scope
        >>> memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
        >>> _ = memory.long_term.remember("Alice prefers Python", scope=Scope("alice"), kind="preference")
        >>> context = TurnAssembly(memory).assemble("Which language does Alice prefer?", scope=Scope("alice"))
        >>> context.layers["memories"].status, context.layers["working"].status
        ('ok', 'missing')
    """

    def __init__(
        self,
        memory: Layered,
        *,
        assembly: ContextAssembly | None = None,
        buffer: SummaryBuffer | None = None,
        sessions: Sessions | None = None,
    ) -> None:
        """Compose; nothing is opened yet."""
        self._memory = memory
        self._assembly = assembly or ContextAssembly(tiers=TURN_TIERS)
        self._buffer = buffer or SummaryBuffer()
        self._sessions = sessions

    def assemble(
        self,
        messages: str | Sequence[BaseMessage],
        *,
        scope: Scope,
        system: str = "",
        query: RecallQuery | None = None,
        mode: MemoryMode | None = None,
    ) -> TurnContext:
        """Return the prompt of a turn.

        Args:
            messages: What the user says, or the conversation up to it. Where the scope names a session, what is stored
                of it and not among these messages comes before them.
            scope: Whose, and which conversation.
            system: The application's instructions.
            query: What every recall is asked with: kinds, limit, purpose; with a `text`, that in place of what is said.
            mode: Stricter than the memory's own mode for this turn: `off` recalls nothing.

        Raises:
            ConfigurationError: Nothing is said, or the system prompt and what is said exceed the budget on their own.
            ScopeError: It is no `Scope`.
        """
        return run(self._assemble(messages, scope, system, query, mode))

    async def aassemble(
        self,
        messages: str | Sequence[BaseMessage],
        *,
        scope: Scope,
        system: str = "",
        query: RecallQuery | None = None,
        mode: MemoryMode | None = None,
    ) -> TurnContext:
        """Return the prompt of a turn; see `assemble`."""
        return await arun(self._assemble(messages, scope, system, query, mode))

    def _assemble(
        self,
        messages: str | Sequence[BaseMessage],
        scope: Scope,
        system: str = "",
        query: RecallQuery | None = None,
        mode: MemoryMode | None = None,
    ) -> Flow[TurnContext]:
        check_scope(scope)
        given = _said(messages)
        check_instance("query", query or RecallQuery(), RecallQuery)
        check_choice("mode", mode or "on", get_args(MemoryMode))
        turn = Turn(scope=scope, messages=given, query=query or RecallQuery(), mode=mode)
        talk = yield from attempt("messages", partial(self._talk, turn))
        turn = replace(turn, before=talk.parts.get("messages", ()))
        found = {"messages": talk, **(yield from read_layers(self._memory, turn))}
        fields: dict[str, Any] = {name: value for it in found.values() for name, value in it.parts.items()}
        parts = ContextParts(**{**fields, "system": system, "messages": [*turn.before, *given]})
        return self._traced(self._told_once(parts, _late(given)), found, parts)

    def _talk(self, turn: Turn) -> Flow[Found]:
        sessions = self._sessions or self._memory._sessions  # noqa: SLF001  (a port, and no face for users)
        return read_conversation(sessions, turn, self._buffer)

    def _told_once(self, parts: ContextParts, late: int) -> Assembled:
        """Return the prompt without memories that its profile or its goal says, where these still do without them."""
        done = self._assembly.assemble(parts, late=late)
        fewer = _unsaid(parts, done)
        if len(fewer.memories) == len(parts.memories):
            return done
        again = self._assembly.assemble(fewer, late=late)
        return again if len(_unsaid(parts, again).memories) <= len(fewer.memories) else done

    def _traced(self, done: Assembled, found: Mapping[str, Found], parts: ContextParts) -> TurnContext:
        statuses: dict[str, str] = {name: _status(name, found, parts) for name in NAMES if name != "scratch"}
        layers = {
            name: LayerTrace(
                name=name,
                status=status,
                tokens=done.tokens.get(name, 0),
                dropped=done.dropped.get(name, 0),
                cut=done.cut.get(name, ()),
                borrowed=done.borrowed.get(name, 0),
            )
            for name, status in statuses.items()
        }
        return TurnContext(
            messages=done.messages,
            layers=layers,
            recall=found["memories"].recall,
            receipt_ids=found["memories"].receipt_ids,
            tokens=self._assembly.count(done.messages),
            max_tokens=self._assembly.max_tokens,
        )


def _status(name: str, found: Mapping[str, Found], parts: ContextParts) -> str:
    """Return how the reading of a layer went; two of them are read with another one."""
    source, is_told = found.get(_READ_WITH.get(name, name), Found()), bool(getattr(parts, name))
    if name == "constraints" and source.status in _NOTHING and is_told:  # they are read where nothing is recalled
        return OK
    return EMPTY if source.status == OK and not is_told else source.status


def _unsaid(parts: ContextParts, done: Assembled) -> ContextParts:
    """Return the parts without memories that the profile or the goal in the prompt say word for word."""
    told: set[str] = set()
    if isinstance(parts.profile, UserProfile) and "profile" not in done.dropped:
        told |= {state.memory_id for state in parts.profile.told}
    if isinstance(parts.goal, Goal) and "goal" not in done.dropped:
        told.add(parts.goal.id)
    return replace(parts, memories=[it for it in parts.memories if not isinstance(it, Hit) or it.memory.id not in told])


def make_turn_assembly(
    memory: Layered, buffer: SummaryBuffer, max_tokens: int = CONTEXT_WINDOW, sessions: Sessions | None = None
) -> TurnAssembly:
    """Return what puts a memory's turns together under a budget."""
    assembly = ContextAssembly(max_tokens=max_tokens, tiers=TURN_TIERS)
    return TurnAssembly(memory, assembly=assembly, buffer=buffer, sessions=sessions)


def _said(messages: str | Sequence[BaseMessage]) -> tuple[BaseMessage, ...]:
    if isinstance(messages, str):
        return (HumanMessage(check_text("messages", messages, max_chars=MAX_SAID_CHARS)),)
    given = tuple(as_messages(messages))
    if not given:
        msg = "messages is empty; pass what the user says, or the conversation up to it"
        raise ConfigurationError(msg)
    return given


def _late(given: Sequence[BaseMessage]) -> int:
    """Return how many of the messages are of this turn: from the user's last one on."""
    places = [place for place, message in enumerate(given) if is_of_user(message)]
    return len(given) - places[-1] if places else 1
