"""`agentmem vault`: what is sealed, other keys, and sealing what was written in the clear."""

from __future__ import annotations

from typing import Annotated

import typer

from langchain_agentmem.cli.places import counted_at, vaulted_at
from langchain_agentmem.cli.program import CHANGING, UNMET, AsJson, Place, Tenant, User, app, emit, screen
from langchain_agentmem.types import Scope

vault = typer.Typer(help="The vault: see what is sealed, take other keys, seal what is not.", no_args_is_help=True)
app.add_typer(vault, name="vault", rich_help_panel=CHANGING)

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@vault.command()
def status(place: Place, *, as_json: AsJson = False) -> None:
    """Show which parts of the memory are sealed; it takes no keys."""
    with counted_at(place) as memory:
        parts = memory.vault.status()
    if as_json:
        emit(parts)
        return
    for part, state in parts.items():
        screen().note(f"{part}: {state}")


@vault.command()
def check(place: Place, user: User, *, tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Open everything that is stored of a user, and tell which rows do not open."""
    with vaulted_at(place) as memory:
        found = memory.vault.check(Scope(user, tenant_id=tenant))
    if as_json:
        emit({"values": found.values, "unreadable": [it._asdict() for it in found.unreadable]})
    else:
        for it in found.unreadable:
            screen().note(f"{it.table}: {it.row}: {it.problem}")
        screen().note(f"{user}: {found.values} values looked at, {len(found.unreadable)} do not open")
    if not found.is_intact:
        raise typer.Exit(UNMET)


@vault.command()
def rotate(place: Place, user: User, *, tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Give a user another data key, and seal what is stored of them with it; an hour later, again forgets the old."""
    with vaulted_at(place) as memory:
        done = memory.vault.rotate(Scope(user, tenant_id=tenant))
    if as_json:
        emit(done._asdict())
        return
    rest = "the earlier key is forgotten" if done.is_done else "the earlier key stays for an hour; then do this again"
    screen().note(f"{user}: {done.values} values sealed with another key; {rest}")


@vault.command(name="rotate-master")
def rotate_master(place: Place, *, as_json: AsJson = False) -> None:
    """Wrap every user's keys by another master key; nothing that is stored changes."""
    with vaulted_at(place) as memory:
        wrapped = memory.vault.rotate_master()
    emit({"wrapped": wrapped}) if as_json else screen().note(f"keys of {wrapped} users wrapped by another master key")


@vault.command()
def seal(place: Place, *, yes: Yes = False, as_json: AsJson = False) -> None:
    """Seal what was written before there was a vault; stop writers without one first."""
    if not yes:
        typer.confirm("Is nobody writing without the vault any more, and are the keys backed up?", abort=True)
    with vaulted_at(place) as memory:
        values = memory.vault.seal_database()
    emit({"values": values}) if as_json else screen().note(f"{values} values sealed")
