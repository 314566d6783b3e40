"""The command that lets go of what is no longer needed, and tells of each memory why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from langchain_agentmem.cli.places import memory_at
from langchain_agentmem.cli.program import CHANGING, UNMET, app, emit, screen, taking
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.forgetting import Fate, ForgetReport
from langchain_agentmem.types import Scope

_DONE: Final = {"fade": "faded", "refresh": "refreshed", "archive": "archived", "erase": "erased"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """Options of `forget-cycle`.

    Raises:
        ConfigurationError: It could not ask.
    """

    place: Annotated[
        str, typer.Argument(metavar="PLACE", help="A SQLite file, a URL, or a configuration (agentmem.yaml).")
    ]
    user: Annotated[str, typer.Option(help="Whose memory.")]
    agent: Annotated[str | None, typer.Option(help="What this agent alone remembers; none: what all share.")] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; change nothing.")] = False
    every: Annotated[bool, typer.Option("--every", help="Show also what stays, and what would come next.")] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    tenant: Annotated[str, typer.Option(help="The user's tenant.")] = "default"
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs; it does not ask.")] = False

    def __post_init__(self) -> None:
        """Refuse what is not clear."""
        if self.as_json and not (self.yes or self.dry_run):
            msg = "--json does not ask; add --dry-run, or --yes"
            raise ConfigurationError(msg)

    @property
    def scope(self) -> Scope:
        """Whose memories they are."""
        return Scope(self.user, tenant_id=self.tenant, agent_id=self.agent)


@app.command("forget-cycle", rich_help_panel=CHANGING)
@taking(Cycle)
def forget_cycle(cycle: Cycle) -> None:
    """Let unused memories fade, archive and erase those whose time has come; tells the rule of each."""
    with memory_at(cycle.place) as memory:
        report = memory.forgetting.forget_cycle(cycle.scope, dry_run=True)
        if not cycle.dry_run and (report.moves or report.merged):
            if not cycle.yes:
                _tell(report, cycle)
                if not typer.confirm(f"Do it with {len(report.moves)}? What is erased cannot be taken back."):
                    raise typer.Exit(UNMET)
            report = memory.forgetting.forget_cycle(cycle.scope)
    _tell(report, cycle)


def _tell(report: ForgetReport, cycle: Cycle) -> None:
    """Show a report, without a word of what is remembered."""
    shown = report.fates if cycle.every else report.moves
    if cycle.as_json:
        emit(
            {
                "at": report.at,
                "dry_run": report.is_dry_run,
                "refused": report.refused,
                "held": report.is_held,
                "merged": report.merged,
                "erased": report.erased,
                "changed": report.changed,
                "fates": [asdict(it) for it in shown],
            }
        )
        return
    for fate in shown:
        screen().entry(_heads(fate), _comes(fate))
    done = ", ".join(f"{count} {_DONE[move]}" for move, count in report.counts.items()) or "nothing is due"
    why = f"; refused by {report.refused}" if report.refused else "; a legal hold stands" if report.is_held else ""
    screen().note(f"{'would be: ' if report.is_dry_run else ''}{done}, of {len(report.fates)}{why}")


def _heads(fate: Fate) -> tuple[str, ...]:
    return fate.memory_id, fate.kind, fate.move or "stays", fate.rule


def _comes(fate: Fate) -> str:
    if fate.next_at is None:
        return fate.reason
    saved = f"; {' or '.join(fate.saved_by)} saves it" if fate.saved_by else ""
    return f"{fate.reason}; next: {fate.next_move} on {fate.next_at:%Y-%m-%d} ({fate.next_rule}){saved}"
