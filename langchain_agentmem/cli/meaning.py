"""Which memories of a user a command means: named by ids, by what they say, or all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from typer import Argument, Option

from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.long_term.forget_requests import Named, Naming
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.nodes.leaving import left_of
from langchain_agentmem.types import GoalProgress, Memory, Scope, Status

LISTED: Final[Mapping[str, Status]] = {
    "active": "active",
    "pending": "pending",
    "superseded": "superseded",
    "forgotten": "archived",
}
"""What can be listed, and the status that it is stored with."""

SHOWN: Final = {status: word for word, status in LISTED.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Options of the commands that change memories.

    Raises:
        ConfigurationError: Nothing says which, or more than one thing does.
    """

    place: Annotated[str, Argument(metavar="PLACE", help="A SQLite file, a URL, or a configuration (agentmem.yaml).")]
    user: Annotated[str, Option(help="Whose memory.")]
    ids: Annotated[
        list[str] | None,
        Option("--id", metavar="ID", help="This one, as `list` shows it; may come more than once."),
    ] = None
    about: Annotated[str | None, Option("--about", metavar="TEXT", help="Every one that says this.")] = None
    everything: Annotated[bool, Option("--all", help="Every one of the user's.")] = False
    reason: Annotated[str, Option(help="Written to the log; no content.")] = "user asked"
    dry_run: Annotated[bool, Option("--dry-run", help="Show which are meant, and why; change nothing.")] = False
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False
    tenant: Annotated[str, Option(help="The user's tenant.")] = "default"
    as_json: Annotated[bool, Option("--json", help="As JSON, for programs; it does not ask.")] = False

    def __post_init__(self) -> None:
        """Refuse what is not clear."""
        ways = {"--id": self.ids, "--about": self.about, "--all": self.everything}
        given = [option for option, value in ways.items() if value]
        if len(given) != 1:
            wrong = f", and only one of them: {' and '.join(given)} were given" if given else ""
            msg = f"say which are meant: --id ID, --about TEXT, or --all{wrong}"
            raise ConfigurationError(msg)
        if self.as_json and not (self.yes or self.dry_run):
            msg = "--json does not ask; add --dry-run, or --yes"
            raise ConfigurationError(msg)

    @property
    def scope(self) -> Scope:
        """Whose memories they are."""
        return Scope(self.user, tenant_id=self.tenant)


class Meant(NamedTuple):
    """A memory, or a turn of a conversation as one, and why it is meant."""

    memory: Memory
    why: str

    @property
    def is_turn(self) -> bool:
        """Whether it is a turn of a conversation."""
        return self.memory.kind == "episode"


def meant(memory: AgentMemory, choice: Choice, statuses: tuple[Status, ...], *, with_turns: bool) -> Iterator[Meant]:
    """Yield what a choice means.

    Args:
        memory: Where it is.
        choice: Which.
        statuses: Of these only.
        with_turns: Turns of conversations, too.

    Raises:
        ConfigurationError: An id is unknown here, or of another status.
    """
    if choice.ids:
        yield from (_by_id(memory, each, choice.scope, statuses) for each in dict.fromkeys(choice.ids))
        return
    what = None if choice.everything else choice.about
    named = Named(what=what, called=(choice.user,), statuses=statuses, with_turns=with_turns)
    for kept in run(Naming(flows_of(memory.long_term), flows_of(memory.episodes)).named_flow(named, choice.scope)):
        every = "all that the user said" if kept.kind == "episode" else "all of the user's memories"
        is_in_plan = bool(left_of_plan(kept, choice))
        said = f"its plan says {what!r}; the rest is kept" if is_in_plan else f"it says {what!r}"
        yield Meant(kept, every if what is None else said)


def left_of_plan(memory: Memory, choice: Choice) -> tuple[GoalProgress, ...]:
    """Return what is kept of a goal of which a choice means a part of the plan alone; of any other memory nothing."""
    if not choice.about or memory.goal is None:
        return ()
    return tuple(it for it in left_of(memory, choice.about, (choice.user,)) if isinstance(it, GoalProgress))


def _by_id(memory: AgentMemory, memory_id: str, scope: Scope, statuses: tuple[Status, ...]) -> Meant:
    kept = memory.long_term.get(memory_id, scope=scope)
    if kept is None or kept.status not in statuses:
        state = "is unknown here" if kept is None else f"is {SHOWN.get(kept.status, kept.status)}"
        msg = f"memory {memory_id!r} {state}; `list` shows what there is, `list --status forgotten` what was forgotten"
        raise ConfigurationError(msg)
    return Meant(kept, "named by its id")
