"""Conversations become searchable: turns are kept as episodes, in batches, governed like any memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, NamedTuple

from langchain_agentmem._flow import Flow, work
from langchain_agentmem._vectors import pack_vector
from langchain_agentmem.english.reading.claims import pack_claims
from langchain_agentmem.ledger.base import Draft, Head, LedgerReader, LedgerWriter, ModelState
from langchain_agentmem.ledger.episodes import EpisodeDraft
from langchain_agentmem.long_term.embedder import check_model
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.remove.asked import forgotten_turns
from langchain_agentmem.long_term.said.turns import BATCH, Turn
from langchain_agentmem.long_term.said.words import masked, vector_text
from langchain_agentmem.long_term.turns.linking import Linking
from langchain_agentmem.policies.forgotten import FORGOTTEN_MEANWHILE
from langchain_agentmem.policies.injection import is_injected
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.policies.stated import stated_in
from langchain_agentmem.types import ConsentState, IngestReport, MemoryMode, Scope

INLINE_CHARS: Final = 10_000
"""Up to this many characters are read through in about 15 ms. All that is kept is read, up to 200,000 characters of
either side of a turn, at a cost that grows with them (1.5 µs each): an event loop must not wait for that."""

Progress = Callable[[IngestReport], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How turns are kept.

    Args:
        mode: Stricter than the memory's own mode.
        is_pointer: Their words stay in the conversation, in the same database.
        is_asked_for: Somebody asked for it: a refusal is noted in the log. What memory does by itself, turn by turn,
            leaves no trace where the user has not consented.
        purposes: What they may be used for at most; empty: all that the user's consent covers when they are kept.
        consent: Under which they were queued, in mode `on`; `None`: they were not, or it is not known.
        check: Called first in each transaction that keeps any; what it raises keeps them out.
        began: See `Candidate.began`.
        is_latest: They were just said, and stand where their conversation stands: see `EpisodeDraft`.
    """

    mode: MemoryMode | None = None
    is_pointer: bool = False
    is_asked_for: bool = True
    purposes: tuple[str, ...] = ()
    consent: ConsentMode | None = None
    check: Callable[[LedgerWriter], object] | None = None
    began: int | None = None
    is_latest: bool = False


class _Sifted(NamedTuple):
    """Turns as episodes that may be kept, and how many others there were, by rule."""

    drafts: list[EpisodeDraft]
    refused: dict[str, int]


class _Seen(NamedTuple):
    """What is there before a batch is embedded."""

    head: Head
    models: list[ModelState]
    news: list[EpisodeDraft]


class Ingesting:
    """The one path by which turns become episodes.

    Turns are looked up by their ids first: what is there already costs no embedding, so that an ingestion that was
    interrupted goes on where it was.

    Args:
        parts: Of long-term memory.
        copies_for: How long copies are kept after they were said; `None`: until they are forgotten. What is pointed at
            ends with its conversation.
    """

    def __init__(self, parts: Parts, copies_for: timedelta | None) -> None:
        """Compose."""
        self._parts = parts
        self._copies_for = copies_for
        self._linking = Linking(parts.episodes.claims)

    def ingest(
        self, turns: Iterable[Turn], scope: Scope, manner: Manner, progress: Progress | None = None
    ) -> Flow[IngestReport]:
        """Keep turns of the scope's session, a batch at a time, and say what became of them."""
        report, stood = IngestReport(), list[int]()
        for batch in _batches(turns):
            report += yield from self._ingest_batch(batch, scope, manner, stood)
            if progress is not None:
                progress(report)
        return report

    def _ingest_batch(self, turns: list[Turn], scope: Scope, manner: Manner, stood: list[int]) -> Flow[IngestReport]:
        """Keep a batch; `stood`: where the log did as the first was looked up. An erasure since ends all of them."""
        rule = self._parts.under(manner.consent).objection(scope, manner.mode)
        if rule is not None:
            return IngestReport(refused={rule: len(turns)})
        drafts, refused = yield from self._sifted(turns, scope, manner)
        seen = yield from self._parts.ledger.read(scope, lambda reader: self._look_up(reader, scope, drafts))
        if not self._may_keep(seen.head, manner):
            return (yield from self._refuse(scope, len(turns), manner))
        stood.append(seen.head.seq)
        news = yield from self._with_proposed(seen.news)
        embedded, model = yield from self._embed(news, seen.models)
        if not embedded and not refused:
            return IngestReport(known=len(drafts))

        def keep(writer: LedgerWriter) -> IngestReport | None:
            if manner.check is not None:
                manner.check(writer)
            if not self._may_keep(writer.head, manner):
                return None
            meant = forgotten_turns(writer, embedded, manner.began, stood[0])
            why = {**refused, FORGOTTEN_MEANWHILE.rule: len(meant)} if meant else refused
            kept = self._keep(writer, scope, [it for it in embedded if it not in meant], model, why)
            return IngestReport(kept=kept, known=len(drafts) - kept - len(meant), refused=why)

        report = yield from self._parts.ledger.append(scope, keep)
        if report is None:  # withdrawn while the turns were embedded
            return (yield from self._refuse(scope, len(turns), manner))
        return report

    def _until(self, at: datetime) -> datetime | None:
        try:
            return None if self._copies_for is None else at + self._copies_for
        except OverflowError:  # beyond the last year that there is
            return None

    def _may_keep(self, head: Head, manner: Manner) -> bool:
        parts = self._parts.under(manner.consent)
        return parts.refusal(head.consent, manner.purposes, kind="episode") is None

    def _refuse(self, scope: Scope, count: int, manner: Manner) -> Flow[IngestReport]:
        refused = {"consent": count}
        if manner.is_asked_for:
            yield from self._parts.ledger.append(scope, lambda writer: _note(writer, refused))
        return IngestReport(refused=refused)

    def _sifted(self, turns: Sequence[Turn], scope: Scope, manner: Manner) -> Flow[_Sifted]:
        """Sift turns, beside the event loop where they are long."""
        if sum(len(message.text) for turn in turns for message in turn.messages) <= INLINE_CHARS:
            return self._sift(turns, scope, manner)
        return (yield from work(self._sift, turns, scope, manner))

    def _sift(self, turns: Sequence[Turn], scope: Scope, manner: Manner) -> _Sifted:
        """Return what may be kept, masked: a secret said in passing does not become searchable."""
        now, drafts, refused = self._parts.clock(), [], Counter[str]()
        for turn in turns:
            episode = turn.episode(scope, None if manner.is_pointer else self._until(turn.at))
            kept, tokens, blocked = masked(episode, self._parts.sensitive)
            allowed = replace(kept, purposes=manner.purposes)
            if episode.expires_at is not None and episode.expires_at <= now:
                refused["already_expired"] += 1
            elif blocked:
                refused["sensitive_data"] += 1
            elif any(map(is_injected, (kept.speaker, kept.text, kept.reply))):
                refused["injected_text"] += 1
            else:
                stated = pack_claims(stated_in(kept.text))
                is_masked = kept != episode
                draft = EpisodeDraft(episode=allowed, is_pointer=manner.is_pointer, is_masked=is_masked, claims=stated)
                draft = replace(draft, tokens=tokens, is_latest=manner.is_latest)
                drafts.append(replace(draft, shared_id=turn.id_in(replace(scope, agent_id=None))))
        return _Sifted(drafts, dict(refused))

    def _with_proposed(self, drafts: list[EpisodeDraft]) -> Flow[list[EpisodeDraft]]:
        """Return new episodes with what a linker proposes that they state; what rules read stays."""
        linker = self._parts.linker
        if linker is None or not drafts:
            return drafts
        claims = yield from linker.claims_flow([it.episode.text for it in drafts])
        both = zip(drafts, claims, strict=True)
        return [replace(draft, claims=draft.claims + pack_claims(proposed)) for draft, proposed in both]

    def _embed(
        self, drafts: list[EpisodeDraft], models: list[ModelState]
    ) -> Flow[tuple[list[EpisodeDraft], ModelState | None]]:
        embedder = self._parts.embedder
        if embedder is None or not drafts:
            return drafts, None
        check_model(models, embedder.name)
        vectors = yield from embedder.documents([vector_text(it.episode) for it in drafts])
        embedder.check(models, vectors[0])
        model = ModelState(name=embedder.name, dimension=len(vectors[0]), is_current=True)
        embedded = [replace(it, vector=pack_vector(vector)) for it, vector in zip(drafts, vectors, strict=True)]
        return embedded, model

    def _keep(
        self,
        writer: LedgerWriter,
        scope: Scope,
        drafts: list[EpisodeDraft],
        model: ModelState | None,
        refused: dict[str, int],
    ) -> int:
        _note(writer, refused)
        if model is not None:  # the database may have gone over to another one meanwhile
            model = check_model(writer.models(), model.name, model.dimension) or model
        before = writer.episodes.revision
        kept = writer.episodes.put([_bound(it, writer.head.consent) for it in drafts], model)
        for it in drafts:
            writer.sensitive.put(it.episode.id, it.tokens)
        if kept:
            self._linking.link(writer, scope, before)
        return kept

    def _look_up(self, reader: LedgerReader, scope: Scope, drafts: Sequence[EpisodeDraft]) -> _Seen:
        self._linking.refresh(reader, scope)
        return _Seen(reader.head, reader.models(), reader.episodes.news(drafts))


def _bound(draft: EpisodeDraft, consent: ConsentState) -> EpisodeDraft:
    """Return an episode that may be used for what the user's consent is limited to, whatever it covers later."""
    limits = consent.of("episode").purposes
    if draft.episode.purposes or not limits:
        return draft
    return replace(draft, episode=replace(draft.episode, purposes=limits))


def _note(writer: LedgerWriter, refused: Mapping[str, int]) -> None:
    """Log how many turns were refused, and by which rule; never what they said."""
    for rule, count in refused.items():
        writer.append(Draft(type="refused", rule=rule, note={"kind": "episode", "count": count}))


def _batches(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    iterator = iter(turns)
    while batch := list(islice(iterator, BATCH)):
        yield batch
