"""A replayed conversation on the terminal: progress, what became of it, and questions about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from langchain_agentmem.composition import LOCAL
from langchain_agentmem.demo.locomo import Conversation, Question, load_conversation
from langchain_agentmem.demo.models import chat_model, failure, name_of
from langchain_agentmem.demo.options import DemoOptions
from langchain_agentmem.demo.performance import database_for
from langchain_agentmem.demo.record import Line, score_parts
from langchain_agentmem.demo.render import Screen
from langchain_agentmem.demo.replay import Replayed, has_evidence, recall_for, replay
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.long_term.recall.prompt_form import to_prompt
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Hit, Recall

PROMPT: Final = "question (exit to end)> "
LEAVING: Final = frozenset({"exit", "quit", ":q"})
_INSTRUCTION: Final = "Answer in one sentence, from these memories only; say so if they do not hold the answer.\n"


def converse(options: DemoOptions, screen: Screen, *, embeddings: Embeddings | str | None = LOCAL) -> None:
    """Replay the conversation of a file, then answer the questions given, or those typed at a prompt.

    Raises:
        ConfigurationError: The file, or the chat model, cannot be used.
    """
    assert options.file is not None  # noqa: S101  (the command looked)
    conversation = load_conversation(options.file, options.sample)
    model = None if options.model is None else chat_model(options.model)
    extracting = model if options.extract_with_model else None
    with (
        database_for(options.keep) as database,
        AgentMemory.embedded(str(database), embeddings=embeddings, model=extracting) as memory,
    ):
        screen.title(f"{conversation.name}: {' and '.join(conversation.speakers)}", _ABOUT)
        _report(_replay(conversation, memory, screen), conversation, screen)
        asking = Asking(conversation, memory, screen, model)
        asking.its_own(options.questions or 0)
        for question in options.ask or ([] if options.questions else typed(screen)):
            asking.ask(question)


_ABOUT: Final = (
    "Each speaker is a user, and what they say of themselves is held against the write policy. Kept are extracted "
    "memories, not the conversation."
)


def typed(screen: Screen) -> Iterator[str]:
    """Yield the questions typed at a prompt, until the input ends or `exit` is typed."""
    while True:
        screen.console.print()
        try:
            line = screen.console.input(PROMPT).strip()
        except (EOFError, KeyboardInterrupt):
            screen.console.print()
            return
        if line.lower() in LEAVING:
            return
        if line:
            yield line


def _replay(conversation: Conversation, memory: AgentMemory, screen: Screen) -> Replayed:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen.console) as progress:
        task = progress.add_task("sessions", total=len(conversation.talks))
        return replay(conversation, memory, progress=lambda _talk: progress.advance(task))


def _report(replayed: Replayed, conversation: Conversation, screen: Screen) -> None:
    verdicts = ("written", "merged", "pending", "refused")
    rows = [
        [speaker, *(str(tally.verdicts[name]) for name in verdicts), str(tally.superseded), _rules(tally.rules)]
        for speaker, tally in replayed.tallies.items()
    ]
    screen.table(("user", *verdicts, "superseded", "refused by"), rows)
    turns = sum(len(talk.turns) for talk in conversation.talks)
    screen.note(f"{turns} turns in {replayed.seconds:.1f} s")


def _rules(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{rule} {count}" for rule, count in sorted(counts.items(), key=lambda item: -item[1])) or "–"


@dataclass(frozen=True, slots=True)
class Asking:
    """Answers questions about a replayed conversation by showing what is recalled."""

    conversation: Conversation
    memory: AgentMemory
    screen: Screen
    model: BaseChatModel | None = None

    def ask(self, question: str) -> Mapping[str, Recall]:
        """Show what each speaker concerned is remembered by, and the model's answer where there is a model."""
        self.screen.said("you", question)
        found = recall_for(question, self.conversation, self.memory)
        for speaker, recall in found.items():
            hits = [*recall.constraints, *recall.hits]
            self.screen.note(f"of {speaker}" + ("" if hits else ": nothing relevant is remembered"))
            self.screen.lines(_line(hit) for hit in hits)
        if self.model is not None:
            self.screen.said(name_of(self.model), _answer(self.model, question, found))
        return found

    def its_own(self, count: int) -> None:
        """Ask the first questions that came with the file, and count how often the source of the answer was found."""
        chosen = self.conversation.questions[:count]
        found = [self._hits(question) for question in chosen]
        if found:
            self.screen.note(f"\nfor {sum(found)} of {len(found)} questions a memory of the right turn was recalled")

    def _hits(self, question: Question) -> bool:
        recalls = self.ask(question.text)
        is_hit = has_evidence(question, tuple(recalls.values()))
        found = "its source was recalled" if is_hit else "its source was not recalled"
        self.screen.note(f"the file's answer: {question.answer} ({found})")
        return is_hit


def _line(hit: Hit) -> Line:
    memory = hit.memory
    day = f"{memory.valid_at:%d %b %Y} · " if memory.valid_at else ""
    detail = day + score_parts(hit.score, hit.parts)
    return Line(category="recalled", kind=memory.kind, text=memory.content, detail=detail)


def _answer(model: BaseChatModel, question: str, found: Mapping[str, Recall]) -> str:
    known = "\n".join(f"Of {speaker}:\n{to_prompt(recall) or 'nothing'}" for speaker, recall in found.items())
    try:
        return model.invoke([SystemMessage(_INSTRUCTION + known), HumanMessage(question)]).text
    except Exception as error:  # what a provider raises where a key is wrong or a server away
        raise ConfigurationError(failure(model, error)) from error
