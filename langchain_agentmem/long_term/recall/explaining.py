"""Why a memory is as it is, and why a recall answered as it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from langchain_agentmem._checks import check_labels
from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import AgentMemError, NotFoundError
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter
from langchain_agentmem.ledger.episodes import PREFIX, StoredEpisode
from langchain_agentmem.ledger.lives import read_life
from langchain_agentmem.ledger.presence import missing
from langchain_agentmem.long_term.checked import checked_id
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.recall.finding import Finding
from langchain_agentmem.long_term.recall.receipts import query_of
from langchain_agentmem.long_term.said.words import Words
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.consent import Consented
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import shown_event, shown_memory
from langchain_agentmem.policies.support import Support
from langchain_agentmem.types import Event, Memory, RecallQuery, Receipt, ReceiptLine, Scope
from langchain_agentmem.types.recall import SEARCHED
from langchain_agentmem.types.scope import known_user
from langchain_agentmem.types.showing import briefly

MEANINGS: Final[Mapping[str, str]] = {
    "status_pending": "it waited for support",
    "awaits_approval": "nobody has approved it yet",
    "status_superseded": "another memory had replaced it",
    "status_archived": "it was forgotten",
    "status_erased": "it was erased",
    "expired": "it had expired",
    "not_valid_then": "it was not true at the time asked for: not yet, or no longer",
    "outside_window": "it happened outside of the time asked for",
    "consent": "the user does not allow memories of its kind to be used",
    "purpose": "it may not be used for the purpose of the question",
    "kind": "its kind was not asked for",
    "tags": "it lacks a tag that was asked for",
    "confidence": "it is less certain than was asked for",
    "relevance": "it answers too little of the question",
    "likelihood": "it most likely answers nothing of the question",
    "share": "it has no word of the question, and others answer it far better",
    "left_open": "it asks as well, and nobody knew the answer",
    "greeting": "it only greets, and has no word of the question",
    "small_talk": (greeted := "the question is a greeting, and the memory is about nothing of that name"),
    "small talk": greeted,  # in receipts of earlier releases
    "gone": "it was gone when the answer was made",
    "limit": "better ones took every place that was asked for",
    "budget": "it did not fit into the tokens that were left",
    "duplicate": "it says the same as a better one",
    "reranker": "the reranker left it out",
    "not_reranked": "it was too far down to be shown to the reranker",
}
"""What each rule of a recall says, in words for whoever asks."""

_ENDED: Final = frozenset({"archived", "superseded"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The life of a memory.

    Attributes:
        memory: As it is now; `None` once erased.
        events: All that happened to it, in order; the payloads of an erased memory are gone.
        reasons: A line for each event, without the memory's content.
    """

    __repr__ = briefly()

    memory: Memory | None
    events: tuple[Event, ...]
    reasons: tuple[str, ...]


_UNJUDGED: Final = Support()


class Absence(NamedTuple):
    """Why a memory was not returned; with the query, where it may be asked again at which place it stands."""

    reason: str
    query: RecallQuery | None = None


class Explaining:
    """Answers why and why not from the log and from receipts."""

    def __init__(self, parts: Parts, finding: Finding) -> None:
        """Compose."""
        self._parts = parts
        self._finding = finding
        self._words = Words(parts)

    def why(self, memory_id: str, scope: Scope) -> Flow[Explanation]:
        """Return the life of a memory, or of a turn of a conversation, as it may be shown."""
        life = yield from self._life(memory_id, scope)
        return shown_life(self._parts.sensitive, life, scope)

    def _life(self, memory_id: str, scope: Scope) -> Flow[Explanation]:
        if memory_id.startswith(PREFIX):
            linked = yield from self._parts.episodes.linked(scope, memory_id)
            stored, kept = yield from self._parts.ledger.read(scope, lambda reader: _kept(reader, memory_id, linked))
            found = yield from self._words.of(scope, stored)
            for episode in found.episodes.values():
                reasons = tuple(_line(event, memory_id) for event in kept)
                return Explanation(memory=episode.as_memory(), events=kept, reasons=reasons)
        return (yield from self._parts.ledger.read(scope, lambda reader: life_of(reader, memory_id, scope)))

    def receipt(self, receipt_id: str, scope: Scope) -> Flow[Receipt]:
        """Return a receipt."""
        return (yield from self._parts.ledger.read(scope, lambda reader: _receipt(reader, receipt_id)))

    def note_injected(
        self, receipt_id: str, call_id: str, scope: Scope, memory_ids: Sequence[str] | None
    ) -> Flow[Receipt]:
        """Note in a receipt into which model call its hits were put, all of them or those that are named."""
        checked_id(receipt_id, "receipt_id")
        checked_id(call_id, "call_id")
        if memory_ids is None:
            known = yield from self.receipt(receipt_id, known_user(scope))
            memory_ids = known.returned
        ids = check_labels("memory_ids", memory_ids)
        return (yield from self.injected(receipt_id, (), known_user(scope), {redact(call_id): ids}))

    def injected(
        self, receipt_id: str, into: Sequence[str], scope: Scope, shown: Mapping[str, Sequence[str]]
    ) -> Flow[Receipt]:
        """Note in a receipt where its hits were put, and which of them each model call was shown."""
        known, receipt = yield from self._parts.ledger.append(
            scope, lambda writer: _inject(writer, receipt_id, into, shown)
        )
        self._parts.watch.inject(receipt_id, _shown_anew(known, receipt), scope)
        return receipt

    def note_used(
        self, receipt_id: str, used: Mapping[str, bool | None], scope: Scope, support: Support = _UNJUDGED
    ) -> Flow[Receipt]:
        """Note in a receipt what the answer used of what was returned, and whether it was supported."""
        known, receipt = yield from self._parts.ledger.append(
            scope, lambda writer: _note_used(writer, receipt_id, used, support)
        )
        self._parts.watch.use(receipt, _judged_anew(known, receipt), scope)
        return receipt

    def why_not(self, receipt_id: str, memory_id: str, scope: Scope) -> Flow[str]:
        """Return why a recall did not return a memory; where it was not proposed, where it would stand now."""
        said = yield from self._parts.ledger.read(scope, lambda reader: self._absence(reader, receipt_id, memory_id))
        if said.query is None:
            return said.reason
        try:
            placed = yield from self._finding.place_of(memory_id, said.query, scope)
        except AgentMemError:  # the reason stands without it: the model may be another one now, the index away
            placed = None
        if placed is None:
            return said.reason
        return f"{said.reason}; asked now, it is number {placed.place}, with relevance {placed.relevance:.3f}"

    def _absence(self, reader: LedgerReader, receipt_id: str, memory_id: str) -> Absence:
        receipt = _receipt(reader, receipt_id)
        turns = (it.episode.as_memory() for it in reader.episodes.get([memory_id]).values())
        memory = reader.memory(memory_id) or next(turns, None)
        line = next((it for it in receipt.lines if it.memory_id == memory_id), None)
        if line is not None and (memory is not None or memory_id.startswith(PREFIX)):
            return Absence(_of_line(line))  # also of a turn that is gone: it may be kept again
        if memory is None:
            raise missing(memory_id)
        if receipt.status not in SEARCHED:
            return Absence(f"memory was not searched: {receipt.reason}")
        return _of_rules(reader, memory, receipt, self._parts.consented(reader.head.consent))


def _inject(
    writer: LedgerWriter, receipt_id: str, into: Sequence[str], shown: Mapping[str, Sequence[str]]
) -> tuple[Receipt, Receipt]:
    """Return a receipt as it was, and as it is then."""
    receipt = _receipt(writer, receipt_id)
    seen = {call: tuple(it for it in receipt.returned if it in ids) for call, ids in shown.items()}
    where = tuple(dict.fromkeys([*receipt.injected, *into, *seen]))
    injected = replace(receipt, injected=where, shown={**receipt.shown, **seen})
    if injected != receipt:
        writer.put_receipt(injected)
    return receipt, injected


def _shown_anew(known: Receipt, receipt: Receipt) -> list[int]:
    """Return the tokens of what model calls were shown, of each call what was not noted before."""
    tokens = {line.memory_id: line.tokens for line in receipt.lines if line.rank is not None}
    return [
        tokens.get(memory_id, 0)
        for call, ids in receipt.shown.items()
        for memory_id in ids
        if memory_id not in known.shown.get(call, ())
    ]


def life_of(reader: LedgerReader, memory_id: str, scope: Scope) -> Explanation:
    """Return all that happened to a memory.

    Raises:
        NotFoundError: It never existed in this scope.
    """
    memory = reader.memory(memory_id)
    events = tuple(reader.events(memory_id=memory_id)) if memory or not scope.agent_id else ()
    is_erased = bool(events) and events[-1].type == "erased"
    if memory is None and not is_erased:
        raise missing(memory_id)
    return Explanation(memory=memory, events=events, reasons=tuple(_line(event) for event in events))


def shown_life(policy: SensitivePolicy, life: Explanation, scope: Scope) -> Explanation:
    """Return the life of a memory as it may be shown to a model or a caller."""
    memory = life.memory and shown_memory(policy, life.memory)
    return replace(life, memory=memory, events=tuple(shown_event(policy, it, scope) for it in life.events))


def _kept(
    reader: LedgerReader, episode_id: str, linked: frozenset[str]
) -> tuple[list[StoredEpisode], tuple[Event, ...]]:
    """Return an episode, if it is there, the event that kept it, and those that linked it with others."""
    stored = list(reader.episodes.get([episode_id]).values())
    links = reader.episodes.links([episode_id, *linked]) if stored else {}
    pairs = ((it.event_seq, {new_id, it.old_id} - {episode_id}) for new_id, every in links.items() for it in every)
    seqs = {seq for seq, others in pairs if len(others) == 1 and others <= linked}
    every = [it.event_seq for it in stored] + sorted(seqs)
    return stored, tuple(event for seq in every for event in reader.events(after=seq - 1, limit=1))


def _line(event: Event, episode_id: str = "") -> str:
    note = event.note
    said = "it was said in a conversation" if event.type == "episodes_kept" else ""
    if event.type == "episodes_superseded":
        said = "; ".join(_of_link(link, episode_id) for link in note.get("links", ()) if episode_id in link.values())
    reason = note.get("reason") or said or ("its payload was erased" if event.payload is None else "no reason given")
    by = f", {note['by']}" if note.get("by") and event.type == "superseded" else ""
    source = f" (source: {note['trust_class']}, trusted {note.get('trust', 0.0):.2f})" if "trust_class" in note else ""
    return f"{event.at.isoformat(timespec='seconds')} {event.type}: {reason}{by}{source}"


def _of_link(link: Mapping[str, Any], episode_id: str) -> str:
    shared = f"{link['shared']} telling words in common"
    if link["new"] == episode_id:
        return f"it may give another {link['kind']} than {link['old']} did, {shared}"
    return f"{link['new']} may give another {link['kind']} than it did, {shared}"


def _receipt(reader: LedgerReader, receipt_id: str) -> Receipt:
    receipt = reader.receipt(receipt_id)
    if receipt is None:
        msg = f"receipt {receipt_id!r} does not exist in this scope, or was kept long enough; a recall names its own"
        raise NotFoundError(msg)
    return receipt


def _judged_anew(known: Receipt, receipt: Receipt) -> list[bool | None]:
    """Return the verdicts that were not noted before."""
    return [it for id_, it in receipt.used.items() if id_ not in known.used or known.used[id_] is not it]


def _note_used(
    writer: LedgerWriter, receipt_id: str, used: Mapping[str, bool | None], support: Support
) -> tuple[Receipt, Receipt]:
    """Return a receipt as it was, and as it is then."""
    receipt = _receipt(writer, receipt_id)
    noted = {memory_id: used[memory_id] for memory_id in receipt.returned if memory_id in used}
    judged = replace(receipt, used={**receipt.used, **noted})
    if support.supported is not None:
        claims = tuple(redact(claim) for claim in support.unsupported)
        judged = replace(judged, supported=support.supported, unsupported=claims)
    if judged != receipt:
        writer.put_receipt(judged)
    return receipt, judged


def _of_line(line: ReceiptLine) -> str:
    if line.dropped_by is not None:
        told = f"it was a candidate with score {line.score:.3f} and was dropped by the rule {line.dropped_by!r}"
        than = f" ({line.linked[0]})" if line.dropped_by == "duplicate" and line.linked else ""
        return f"{told}{_meaning(line.dropped_by)}{than}"
    if line.beside is not None:
        return f"it was returned beside {line.beside}, next to which it was said"
    if line.rank:
        return f"it was returned, at rank {line.rank} with score {line.score:.3f}"
    return "it was returned among the constraints in force"


def _meaning(rule: str) -> str:
    return f": {MEANINGS[rule]}" if rule in MEANINGS else ""


def _of_rules(reader: LedgerReader, memory: Memory, receipt: Receipt, consent: Consented) -> Absence:
    if memory.created_at > receipt.at:
        return Absence("it was not known yet")
    query = query_of(receipt.plan)
    then = _at(reader, memory, receipt.at)
    rule = Admission(query=query, now=receipt.at, consent=consent).objection(then)
    if rule is not None:
        return Absence(f"as it is now, the rule {rule!r} keeps it out{_meaning(rule)}")
    if memory.kind == "episode" and "conversations" not in receipt.plan:
        return Absence("the conversations were not searched for this question")
    since = "" if then is memory else f"; it is {memory.status} since then"
    return Absence(_unlisted(memory, receipt) + since, query)


def _at(reader: LedgerReader, memory: Memory, moment: datetime) -> Memory:
    """Return a memory with the status it had: what was forgotten or replaced later is no reason for what was before."""
    if memory.status not in _ENDED or memory.expired_at is None or memory.expired_at <= moment:
        return memory
    held = read_life(reader, memory.id).again if memory.status == "superseded" else {"expired_at": None}
    return replace(memory, **{**held, "status": "active"})


def _unlisted(memory: Memory, receipt: Receipt) -> str:
    """Return what is known of a memory that has no line in a receipt."""
    if receipt.unlisted:
        rules = ", ".join(f"{count} by {rule!r}" for rule, count in receipt.unlisted.items())
        return f"it is not among the best of {receipt.proposed} candidates; the others dropped have no line: {rules}"
    withheld = receipt.plan.get("withheld", 0)
    if withheld and memory.scope.session_id == receipt.scope.session_id and memory.kind == "episode":
        return f"it was not proposed: {withheld} turns of this conversation were before the model already"
    return f"it was not relevant enough: it is not among the {receipt.proposed} that the index proposed"
