"""A conversation with an agent that remembers: what is typed, answered, and asked of a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt

from langchain_agentmem.cli.program import screen
from langchain_agentmem.demo.asking import LEAVING
from langchain_agentmem.demo.models import chat_model, failure, name_of
from langchain_agentmem.demo.record import Recorder
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.errors import AgentMemError, ConfigurationError
from langchain_agentmem.extraction.record.conversation import is_of_user
from langchain_agentmem.graph import GraphOptions, create_memory_graph
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.types import Scope

if TYPE_CHECKING:
    from langchain_agentmem.cli.talking import ChatOptions

PROMPT: Final = "you> "
HELP: Final = "/consent: memory may be kept · /withdraw · /memories: what is remembered · /exit"
DECIDE: Final = "approve or reject> "
_DECISIONS: Final = {
    "approve": "approve",
    "yes": "approve",
    "y": "approve",
    "reject": "reject",
    "no": "reject",
    "n": "reject",
}
_RESTING: Final[Mapping[Any, str]] = {
    "frozen": "memory is frozen: what is known is used, and nothing is added",
    "off": "memory is off: nothing is used, and nothing is added",
}
_SHOWN: Final = 20


def converse(memory: AgentMemory, options: ChatOptions, settings: MemoryOptions) -> None:
    """Answer what is said, or typed until it ends."""
    configured = settings.model if options.model is None else None
    talk = Chat(memory, configured or chat_model(options.model), options, screen())
    talk.begin(settings)
    for words in options.say or _typed(screen()):
        talk.hear(words)


class Chat:
    """One conversation under way."""

    def __init__(self, memory: AgentMemory, model: BaseChatModel, options: ChatOptions, on: Screen) -> None:
        self._memory = memory
        self._model = model
        self._scope = options.scope
        self._is_consent_given = options.consent
        self._screen = on
        self._recorder = Recorder(memory.long_term, self._scope)
        at_once = GraphOptions(writes="inline")  # who talks sees what is kept
        self._graph = create_memory_graph(
            model, memory.tools(), memory, checkpointer=memory.checkpointer, options=at_once
        )
        ids = {"thread_id": options.thread_id, "user_id": options.user, "tenant_id": options.tenant}
        self._config: RunnableConfig = {"configurable": ids}

    def begin(self, settings: MemoryOptions) -> None:
        """Say who is talking, and what is known of the conversation; ask again what an earlier process left open."""
        if self._is_consent_given:
            self._memory.consent.grant(self._scope, reason="--consent on the command line")
        known = len(self._said())
        self._screen.note(f"{name_of(self._model)} · {f'{known} messages so far' if known else 'a new conversation'}")
        told = _is_remembered(self._memory.consent.status(self._scope).status, settings)
        if told:
            self._screen.note(told)
        self._screen.note(HELP)
        state = self._graph.get_state(self._config)
        if state.interrupts:
            places = [place for place, it in enumerate(self._said()) if is_of_user(it)]
            self._go_on(self._decided(state.interrupts), places[-1] if places else 0)

    def hear(self, words: str) -> None:
        """Do what was typed: a command, or something said."""
        if not words.startswith("/"):
            self._answer(words)
        elif words == "/consent":
            self._memory.consent.grant(self._scope, reason="typed /consent")
            self._screen.note("from now on you are remembered")
        elif words == "/withdraw":
            self._memory.consent.withdraw(self._scope, reason="typed /withdraw")
            self._screen.note("nothing more is remembered")
        elif words == "/memories":
            self._show_memories()
        else:
            self._screen.note(HELP)

    def _answer(self, words: str) -> None:
        self._go_on({"messages": [HumanMessage(words)]}, len(self._said()))

    def _go_on(self, given: Any, new_from: int) -> None:  # noqa: ANN401  (what LangGraph takes)
        """Run a turn to its end, and ask what only a person may decide."""
        state = self._run(given)
        while questions := state.get("__interrupt__"):
            state = self._run(self._decided(questions))
        self._screen.turn(self._recorder.record(state, new_from), name_of(self._model))

    def _run(self, given: Any) -> dict[str, Any]:  # noqa: ANN401
        try:
            return self._graph.invoke(given, config=self._config)
        except AgentMemError:
            raise
        except Exception as error:  # what a provider raises where a key is wrong or a server away
            raise ConfigurationError(failure(self._model, error)) from error

    def _decided(self, questions: Sequence[Interrupt]) -> Command[Any]:
        """Ask each question, and return how the run goes on."""
        return Command(resume={it.id: self._decision(it.value) for it in questions})

    def _decision(self, question: Any) -> dict[str, Any]:  # noqa: ANN401  (whatever a tool asks)
        """Show what would be done, and why it is asked; nobody there means no."""
        asked = question if isinstance(question, Mapping) else {"action": question}
        self._screen.note(f"may this be done? {asked.get('action', dict(asked))}")
        for policy in asked.get("policies", ()):
            self._screen.note(f"  {policy['name']}: {policy['reason']}")
        answer = {"decision": _asked(self._screen), "by": self._scope.user_id}
        self._screen.note(f"  {answer['decision']}")
        named = asked.get("approval_id")
        return answer if named is None else {**answer, "approval_id": named}

    def _show_memories(self) -> None:
        page = self._memory.long_term.list(
            scope=Scope(self._scope.user_id, tenant_id=self._scope.tenant_id), limit=_SHOWN
        )
        if not page:
            self._screen.note("nothing is remembered about you")
            return
        for kept in page:
            self._screen.entry((kept.id, kept.kind), kept.content)

    def _said(self) -> list[BaseMessage]:
        values: dict[str, Any] = self._graph.get_state(self._config).values
        return list(values.get("messages", ()))


def _is_remembered(consent: str, settings: MemoryOptions) -> str:
    """Return what the user has to know of the memory before a word is said."""
    if settings.mode in _RESTING:
        return _RESTING[settings.mode]
    if consent == "withdrawn":
        return "nothing is remembered since you withdrew: /consent"
    if consent == "unknown" and settings.consent == "required":
        return "nothing is remembered until you agree: /consent"
    return "you are remembered, as the configuration assumes; /withdraw ends that" if consent == "unknown" else ""


def _asked(on: Screen) -> str:
    """Return `approve` or `reject`; where nobody answers, `reject`."""
    while True:
        try:
            word = on.console.input(DECIDE).strip().lower()
        except (EOFError, KeyboardInterrupt):
            return "reject"
        if word in _DECISIONS:
            return _DECISIONS[word]


def _typed(on: Screen) -> Iterator[str]:
    """Yield what is typed, until the input ends or `exit` is typed."""
    while True:
        on.console.print()
        try:
            line = on.console.input(PROMPT).strip()
        except (EOFError, KeyboardInterrupt):
            on.console.print()
            return
        if line.lower().removeprefix("/") in LEAVING:
            return
        if line:
            yield line
