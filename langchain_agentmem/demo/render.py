"""The demonstration on a terminal: columns of words that read the same without colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from langchain_agentmem._lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from langchain_agentmem.demo.record import Line, TurnRecord
    from langchain_agentmem.ledger.verification import Verification

STYLES: Final = {
    "recalled": "cyan",
    "held": "yellow",
    "asked": "yellow",
    "action": "blue",
    "written": "green",
    "refused": "red",
    "superseded": "yellow",
    "updated": "yellow",
    "forgotten": "magenta",
    "status": "red",
    "working": "cyan",
    "profile": "cyan",
    "goal": "cyan",
    "entities": "cyan",
    "skill": "blue",
    "receipt": "cyan",
    "merged": "green",
}
MOST_SHOWN: Final = 3
"""Lines of one category shown in one turn; the first are the best."""

_SPEAKER_WIDTH: Final = 8
_CATEGORY_WIDTH: Final = 12
_KIND_WIDTH: Final = 12
_INDENT: Final = 2


_CONTROLS: Final = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal obeys, or what turns the order of letters round: all but a tab and the end of a line."""


def plain(text: str) -> str:
    """Return a text as a terminal may be given it: what it would obey is written as an escape."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def plain_json(text: str) -> str:
    """Return JSON that says the same and that a terminal obeys in nothing."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def written(text: str, style: str = "") -> Text:
    """Return what somebody wrote, to be shown."""
    return Text(plain(text), style)


def complain(error: Exception) -> None:
    """Write an error as one line, where errors are written."""
    Console(stderr=True).print(
        f"error: {plain(str(error))}", style="red", markup=False, emoji=False, highlight=False, soft_wrap=True
    )


def describe(found: Verification) -> str:
    """Return a verification in a sentence: of several problems the first that names an event."""
    if found.is_intact:
        erasing = "; the user is being erased" if found.is_erasing else ""
        unsigned = f"; no key vouches for events 1 to {found.unsigned_to}" if found.unsigned_to else ""
        return f"{found.events} events, chain and payloads intact, head {found.anchor.digest[:12]}…{unsigned}{erasing}"
    first = min(found.problems, key=lambda problem: (problem.seq == 0, problem.seq))
    more = len(found.problems) - 1
    where = f"event {first.seq}: " if first.seq else ""
    return f"{where}{first.finding}{f', and {more} more' if more else ''}"


class Screen:
    """Writes to one console; nothing it is given is read as markup."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._is_piped = not console.is_terminal
        """A line that goes to a program or a file stays one: nobody breaks it to read it."""

    def title(self, text: str, about: str = "") -> None:
        """Begin a part."""
        self.console.print()
        self.console.print(Rule(written(text, "bold"), align="left"))
        if about:
            self.note(about)

    def note(self, text: str) -> None:
        """Say something to the reader."""
        self.console.print(written(text, "dim"), soft_wrap=self._is_piped)

    def said(self, speaker: str, text: str, aside: str = "") -> None:
        """Show what somebody says."""
        self.console.print()
        self._speech(speaker, text, aside)

    def turn(self, record: TurnRecord, answered_by: str) -> None:
        """Show what a turn did, in the order in which it happened."""
        self.lines(record.before)
        self._speech("agent", record.answer, answered_by)
        self.lines(record.after)

    def lines(self, lines: Iterable[Line], most: int = MOST_SHOWN) -> None:
        """Show what happened, each category named once, with at most so many of its lines."""
        table = Table.grid(padding=(0, 1))
        table.add_column(width=_CATEGORY_WIDTH)
        table.add_column(width=_KIND_WIDTH)
        table.add_column(overflow="fold")
        for category, group in groupby(lines, key=lambda line: line.category):
            found = list(group)
            style = STYLES.get(category, "")
            for place, line in enumerate(found[:most]):
                told = [written(line.text, style), *([written(line.detail, "dim")] if line.detail else [])]
                table.add_row(Text("" if place else category, style), written(line.kind), Group(*told))
            if len(found) > most:
                table.add_row("", "", written(f"and {len(found) - most} more", "dim"))
        if table.row_count:
            self.console.print(Padding(table, (0, 0, 0, _INDENT)))

    def verdict(self, is_good: bool, text: str) -> None:  # noqa: FBT001  (the one thing it says)
        """Show the result of a check, in words before colour."""
        mark = Text("ok    ", "bold green") if is_good else Text("FAILED", "bold red")
        self.console.print(Text.assemble(mark, "  ", plain(text)), soft_wrap=self._is_piped)

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Show a table; all columns but the first are numbers or short."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*(written(cell) for cell in row))
        self.console.print(table)

    def entry(self, facts: Iterable[str], text: str) -> None:
        """Show one of many things: what it is, in a line that is never broken, and its words below."""
        self.console.print(written("  ".join(facts), "dim"), soft_wrap=True)
        self.console.print(Text("\n".join(f"    {line}" for line in plain(text).splitlines())), soft_wrap=True)

    def _speech(self, speaker: str, text: str, aside: str = "") -> None:
        table = Table.grid(padding=(0, 1))
        table.add_column(width=_SPEAKER_WIDTH)
        table.add_column(overflow="fold")
        words = Text.assemble(written(text, "bold"), written(f"  [{aside}]" if aside else "", "dim"))
        table.add_row(written(speaker, "bold"), words)
        self.console.print(table)
