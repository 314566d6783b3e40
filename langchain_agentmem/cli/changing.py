"""Commands that change what is stored; each shows first what it would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.cli.meaning import SHOWN, Choice, Meant, left_of_plan, meant
from langchain_agentmem.cli.places import memory_at, parts_at
from langchain_agentmem.cli.program import CHANGING, UNMET, AsJson, Place, app, emit, screen, taking
from langchain_agentmem.english.requests.attributes import attribute_asked
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.sql.peeking import peek
from langchain_agentmem.sql.schema_version import HEAD, check_known
from langchain_agentmem.types import Memory, Status

_KEPT: Final[tuple[Status, ...]] = ("active", "pending", "superseded")
_FORGOTTEN: Final[tuple[Status, ...]] = ("archived",)
_ANY: Final[tuple[Status, ...]] = (*_KEPT, *_FORGOTTEN)
_LOOKED_AMONG: Final = {
    "forgotten": "no memory that is not forgotten yet",
    "restored": "no forgotten memory",
    "erased": "no memory, forgotten or not,",
}
"""What was looked through, where nothing of it is meant."""


@app.command(rich_help_panel=CHANGING)
@taking(Choice)
def forget(choice: Choice) -> None:
    """Recall memories no more, until `restore`; turns of conversations that say the same are gone for good."""
    with memory_at(choice.place) as memory:
        chosen = list(meant(memory, choice, _KEPT, with_turns=True))
        if not choice.dry_run and any(it.is_turn for it in chosen):  # a hold keeps turns: then all of it stays
            run(flows_of(memory.episodes).check_may_end(choice.scope, is_any_named=True))
        is_agreed = _is_agreed(chosen, choice, "forgotten", "Forget {}?")
        chosen = _noted(memory, choice, chosen, _KEPT)
        if not is_agreed:
            return
        with _telling(choice, "forgotten") as done:
            turns = [each for each in chosen if each.is_turn]
            memory.episodes.forget([it.memory.id for it in turns], scope=choice.scope, reason=choice.reason)
            done.extend(turns)
            for each in chosen:
                if not each.is_turn:
                    _forget(memory, choice, each.memory)
                    done.append(each)


@app.command(rich_help_panel=CHANGING)
@taking(Choice)
def restore(choice: Choice) -> None:
    """Take back memories that were forgotten: they are recalled again."""
    with memory_at(choice.place) as memory:
        chosen = list(meant(memory, choice, _FORGOTTEN, with_turns=False))
        if not _is_agreed(chosen, choice, "restored", "Restore {}?"):
            return
        with _telling(choice, "restored") as done:
            for each in sorted(chosen, key=lambda it: it.memory.created_at):  # what others rest on is the older
                now = memory.long_term.get(each.memory.id, scope=choice.scope) or each.memory
                if now.status == each.memory.status:  # it may have come back with another
                    memory.long_term.restore(now.id, scope=choice.scope, reason=choice.reason)
                done.append(each)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing(Choice):
    """Options of `erase`."""

    with_sources: Annotated[
        bool, typer.Option("--with-sources", help="Also the turns that the memories were taken from, whole.")
    ] = False


@app.command(rich_help_panel=CHANGING)
@taking(Erasing)
def erase(choice: Erasing) -> None:
    """Delete memories and turns for good, forgotten ones too: words, vectors, and what the log holds of them."""
    with memory_at(choice.place) as memory:
        chosen = list(meant(memory, choice, _ANY, with_turns=True))
        is_agreed = _is_agreed(chosen, choice, "erased", "Erase {} for good? This cannot be taken back.")
        chosen = _noted(memory, choice, chosen, _ANY)
        if not is_agreed:
            return
        with _telling(choice, "erased") as done:
            for each in chosen:
                if (
                    memory.long_term.get(each.memory.id, scope=choice.scope) is not None
                ):  # it may have gone with another
                    _erase(memory, choice, each.memory)
                done.append(each)
    if not choice.as_json:
        screen().note("messages of chat histories and threads are the application's: they stay")


@app.command(rich_help_panel=CHANGING)
def migrate(
    place: Place,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring a database to the schema of this version, under a lock; what is stored stays."""
    parts = parts_at(place, is_new=False)
    database = parts["database"]
    _check_there(database.url.database, is_file=database.is_sqlite and not database.is_memory)
    before = run(peek(database)).revision
    check_known(before)
    is_changed = before != HEAD and not dry_run
    try:
        if is_changed:
            run(database.open())
    finally:
        database.close()
    if as_json:
        emit({"from": before, "to": HEAD, "migrated": is_changed})
    elif before == HEAD:
        screen().verdict(is_good=True, text=f"the schema is {HEAD} already")
    elif dry_run:
        screen().note(f"would migrate: schema {before or 'none'} → {HEAD}")
    else:
        screen().verdict(is_good=True, text=f"migrated: schema {before or 'none'} → {HEAD}")


def _noted(memory: AgentMemory, choice: Choice, chosen: list[Meant], statuses: tuple[Status, ...]) -> list[Meant]:
    """Note what is asked for in words, as turns that are open may still say it; return what is meant by then."""
    if choice.dry_run or choice.ids:
        return chosen
    run(flows_of(memory.episodes).ask(choice.about, choice.scope, choice.reason))
    return list(meant(memory, choice, statuses, with_turns=True))


def _forget(memory: AgentMemory, choice: Choice, kept: Memory) -> None:
    left = partial(left_of_plan, choice=choice)
    if left(kept):
        run(flows_of(memory.long_term).forget_part(kept.id, choice.scope, choice.reason, left))
    else:
        memory.long_term.forget(kept.id, scope=choice.scope, reason=choice.reason)


def _erase(memory: AgentMemory, choice: Erasing, kept: Memory) -> None:
    left, with_sources = partial(left_of_plan, choice=choice), choice.with_sources
    if left(kept):
        erasing = flows_of(memory.long_term).erase_part
        run(erasing(kept.id, choice.scope, choice.reason, left, with_sources=with_sources))
    else:
        memory.long_term.erase(kept.id, scope=choice.scope, reason=choice.reason, with_sources=with_sources)


def _check_there(path: str | None, *, is_file: bool) -> None:
    if is_file and not Path(str(path)).is_file():
        msg = f"{path} does not exist; a new database needs no migration"
        raise ConfigurationError(msg)


def _is_agreed(chosen: Sequence[Meant], choice: Choice, done: str, question: str) -> bool:
    """Show what is meant, and return whether it is to be done; JSON is told then, for it says what was done.

    Raises:
        Exit: It is not, because the answer was no.
    """
    if choice.as_json and (choice.dry_run or not chosen):
        _emit(chosen, choice, done)
    elif choice.as_json:
        return True
    elif chosen:
        for it in chosen:
            status = SHOWN.get(it.memory.status, it.memory.status)
            screen().entry((it.memory.id, it.memory.kind, status, it.why), it.memory.content)
    else:
        screen().note(f"nothing of {choice.user} is meant{_why_nothing(choice, done)}")
    if not chosen or choice.dry_run:
        return False
    if not choice.yes and not typer.confirm(question.format(len(chosen))):
        raise typer.Exit(UNMET)
    return True


def _why_nothing(choice: Choice, done: str) -> str:
    if not choice.about:
        return ""
    is_noted = done != "restored" and not choice.dry_run
    waiting = "; what still waits to be learned is held against it" if is_noted else ""
    lacks = "has every word of" if attribute_asked(choice.about) is None else "tells"
    return f": {_LOOKED_AMONG[done]} {lacks} {choice.about!r}{waiting}"


@contextmanager
def _telling(choice: Choice, done: str) -> Iterator[list[Meant]]:
    """Tell what was done, when it is done: what the block notes. Broken off, as far as it came, if it came anywhere."""
    noted: list[Meant] = []
    try:
        yield noted
    except BaseException:
        if noted:
            _tell(noted, choice, done)
        raise
    _tell(noted, choice, done)


def _tell(chosen: Sequence[Meant], choice: Choice, done: str) -> None:
    if choice.as_json:
        _emit(chosen, choice, done)
    else:
        screen().note(f"{len(chosen)} {done} ({choice.reason})")


def _emit(chosen: Sequence[Meant], choice: Choice, done: str) -> None:
    told = [(it.memory, it.why) for it in chosen]
    shown = [{"id": kept.id, "kind": kept.kind, "status": kept.status, "why": why} for kept, why in told]
    emit({"dry_run": choice.dry_run, done: shown})
