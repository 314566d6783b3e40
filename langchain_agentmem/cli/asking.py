"""Commands that ask a memory as an agent does, and say why it answered so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from langchain_agentmem.cli.places import current, existing, is_configuration, writing_parts_at
from langchain_agentmem.cli.program import LOOKING, AsJson, Place, Tenant, User, app, emit, screen, taking
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.types import Recall, Receipt, Scope
from langchain_agentmem.types.paging import MAX_LIMIT

_RECEIPT = typer.Argument(metavar="RECEIPT", help="Its id, as `recall` shows it, or `found.receipt_id` in a program.")
_WHY_NOT = typer.Option("--why-not", metavar="ID", help="Of a memory or turn: say why it is not in the answer.")
WordsOnly = Annotated[bool, typer.Option("--words-only", help="Without an embedding model: recall by words.")]
NO_RECEIPT: Final = "–, none can be written"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """What is asked, of whom."""

    place: Place
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked.")]
    user: User
    tenant: Tenant = "default"
    limit: Annotated[int, typer.Option("--limit", min=1, max=MAX_LIMIT, help="Hits at most.")] = 5
    words_only: WordsOnly = False
    as_json: AsJson = False


@app.command(rich_help_panel=LOOKING)
@taking(RecallOptions)
def recall(options: RecallOptions) -> None:
    """Ask a user's memory a question, as an agent does; it leaves a receipt, which says why it answered so."""
    scope = Scope(options.user, tenant_id=options.tenant)
    with asked_at(options.place, words_only=options.words_only) as memory:
        found = memory.long_term.recall(options.question, scope=scope, limit=options.limit)
        lines = () if found.receipt_id is None else memory.long_term.receipt(found.receipt_id, scope=scope).lines
    if options.as_json:
        hits = [(it.memory, it.score, dict(it.parts)) for it in found]
        shown = [
            {"id": memory.id, "kind": memory.kind, "score": score, "parts": parts} for memory, score, parts in hits
        ]
        emit({"status": found.status, "receipt": found.receipt_id, "hits": shown})
        return
    for rank, hit in enumerate(found, start=1):
        screen().entry((f"{rank}.", hit.memory.id, hit.memory.kind, f"score {hit.score:.3f}"), hit.memory.content)
        screen().note(f"    {_parts(hit.parts)}")
    dropped = Counter(it.dropped_by for it in lines)
    screen().note(f"{_told(found)} · dropped: {_counted(dropped)} · receipt {found.receipt_id or NO_RECEIPT}")


@app.command(rich_help_panel=LOOKING)
def receipt(
    place: Place,
    receipt_id: Annotated[str, _RECEIPT],
    user: User,
    tenant: Tenant = "default",
    why_not: Annotated[str | None, _WHY_NOT] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Tell why a recall answered as it did: the candidates in their order, and by which rule each other was dropped."""
    scope = Scope(user, tenant_id=tenant)
    with asked_at(place, words_only=True, only_looks=True) as memory:
        found = memory.long_term.receipt(receipt_id, scope=scope)
        missed = None if why_not is None else memory.long_term.why_not(receipt_id, why_not, scope=scope)
    if as_json:
        emit({**_plain(found), **({} if missed is None else {"why_not": missed})})
        return
    if missed is None:
        rows = [
            (_rank(it.rank), it.memory_id, f"{it.score:.3f}", it.dropped_by or _parts(it.parts)) for it in found.lines
        ]
        screen().table(("rank", "id", "score", "why"), rows)
        screen().note(f"{found.status} · {found.at:%Y-%m-%d %H:%M}" + (f" · {found.reason}" if found.reason else ""))
    else:
        screen().note(missed)


def asked_at(place: str, *, words_only: bool, may_make: bool = False, only_looks: bool = False) -> AgentMemory:
    """Return the memory at a place that must be there, with the embeddings that it is asked with.

    What a bare database was opened with is not known: whoever has not withdrawn consent is taken to have given it.
    """
    if is_configuration(place):
        parts = writing_parts_at(place, words_only=words_only)
        return AgentMemory(**current(place, parts, may_make=may_make, only_looks=only_looks))
    if "://" not in place:
        existing(Path(place))
    parts = current(place, writing_parts_at(place, words_only=words_only), only_looks=only_looks)
    return AgentMemory(**{**parts, "options": replace(parts["options"], consent="assumed")})


def _plain(found: Receipt) -> dict[str, Any]:
    """Return a receipt without the words of the question."""
    lines = [{**asdict(it), "parts": dict(it.parts)} for it in found.lines]
    return {"id": found.id, "at": found.at, "status": found.status, "reason": found.reason, "lines": lines}


def _told(found: Recall) -> str:
    return f"{found.status}: {len(found)} found, {len(found.constraints)} constraints in force"


def _counted(dropped: Counter[str | None]) -> str:
    return ", ".join(f"{count} {rule}" for rule, count in dropped.items() if rule is not None) or "none"


def _parts(parts: Mapping[str, float]) -> str:
    return " ".join(f"{name} {value:.2f}" for name, value in parts.items() if value)


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
