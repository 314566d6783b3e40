"""`agentmem consent`: what a user allows, and recording what they said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

import typer

from langchain_agentmem.cli.places import memory_at
from langchain_agentmem.cli.program import CHANGING, UNMET, AsJson, Place, Tenant, User, app, emit, screen, taking
from langchain_agentmem.cli.times import check_time
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types import Allowance, ConsentState, Kind, Scope

SOURCE: Final = "command line"

consent = typer.Typer(help="What a user allows: see it, or record what they said.", no_args_is_help=True)
app.add_typer(consent, name="consent", rich_help_panel=CHANGING)

Purposes = Annotated[
    list[str] | None, typer.Option("--purpose", help="For this purpose; may come more than once. Without: for any.")
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="Of this kind of memory; may come more than once. Without: of all.")
]
Reason = Annotated[str, typer.Option("--reason", help="How the user said so; written to the log.")]


@consent.command()
def status(place: Place, user: User, *, tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Show what a user allows now, and every answer that they gave."""
    scope = Scope(user, tenant_id=tenant)
    with memory_at(place, only_looks=True) as memory:
        state, answers = memory.consent.status(scope), memory.consent.history(scope)
    told = [{"at": it.at.isoformat(), "type": it.type, **it.note} for it in answers]
    if as_json:
        emit({"user": user, "tenant": tenant, **_shown(state), "answers": told})
        return
    screen().note(f"{user}: {_told(state.rest)}")
    for kind, it in state.kinds:
        screen().note(f"  {kind}: {_told(it)}")
    for each in told:
        screen().note(f"  {each['at']} {each['type']} ({each.get('source', 'unknown')}): {each.get('reason', '')}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Granting:
    """What is recorded of a user's yes."""

    place: Place
    user: User
    purposes: Purposes = None
    kinds: Kinds = None
    until: Annotated[str | None, typer.Option("--until", help="A date, such as 2027-01-31: then it ends.")] = None
    reason: Reason = "user agreed"
    tenant: Tenant = "default"
    as_json: AsJson = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawing:
    """What is recorded of a user's no.

    Raises:
        ConfigurationError: It would have to ask, and must not.
    """

    place: Place
    user: User
    purposes: Purposes = None
    kinds: Kinds = None
    erase: Annotated[bool, typer.Option("--erase", help="Erase for good what it covered as well.")] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    reason: Reason = "user withdrew"
    tenant: Tenant = "default"
    as_json: AsJson = False

    def __post_init__(self) -> None:
        """Refuse what is not clear."""
        if self.erase and self.as_json and not self.yes:
            msg = "--json does not ask; add --yes"
            raise ConfigurationError(msg)


@consent.command()
@taking(Granting)
def grant(given: Granting) -> None:
    """Record that a user agreed, to kinds of memory and for purposes, or to all of it."""
    with memory_at(given.place, may_make=True) as memory:
        state = memory.consent.grant(
            Scope(given.user, tenant_id=given.tenant),
            purposes=given.purposes or None,
            kinds=cast("list[Kind] | None", given.kinds),
            source=SOURCE,
            expires_at=None if given.until is None else check_time("--until", given.until),
            reason=given.reason,
        )
    _end(state, given.user, as_json=given.as_json)


@consent.command()
@taking(Withdrawing)
def withdraw(given: Withdrawing) -> None:
    """Record that a user withdrew, from kinds of memory or from purposes, or from all of it."""
    question = "Erase for good what it covered? This cannot be taken back."
    if given.erase and not given.yes and not typer.confirm(question):
        raise typer.Exit(UNMET)
    with memory_at(given.place, may_make=True) as memory:
        state = memory.consent.withdraw(
            Scope(given.user, tenant_id=given.tenant),
            purposes=given.purposes or None,
            kinds=cast("list[Kind] | None", given.kinds),
            erase=given.erase,
            source=SOURCE,
            reason=given.reason,
        )
    _end(state, given.user, as_json=given.as_json)


def _end(state: ConsentState, user: str, *, as_json: bool) -> None:
    if as_json:
        emit({"user": user, **_shown(state)})
    else:
        screen().verdict(is_good=True, text=f"{user}: {state.status}")


def _shown(state: ConsentState) -> dict[str, Any]:
    kinds = {kind: _plain(it) for kind, it in state.kinds}
    return {"status": state.status, "others": _plain(state.rest), "kinds": kinds}


def _plain(allowance: Allowance) -> dict[str, Any]:
    at, until = allowance.at, allowance.expires_at
    return {
        "status": allowance.status,
        "purposes": list(allowance.purposes),
        "without": list(allowance.without),
        "source": allowance.source,
        "at": None if at is None else at.isoformat(),
        "expires_at": None if until is None else until.isoformat(),
    }


def _told(allowance: Allowance) -> str:
    parts: list[str] = [allowance.status]
    if allowance.purposes:
        parts.append(f"for {', '.join(allowance.purposes)}")
    if allowance.without:
        parts.append(f"not for {', '.join(allowance.without)}")
    if allowance.source:
        parts.append(f"as said in {allowance.source}")
    if allowance.expires_at is not None:
        parts.append(f"until {allowance.expires_at.isoformat()}")
    return " · ".join(parts)
