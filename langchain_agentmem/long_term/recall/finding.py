"""Candidates for a question: what the indexes of facts and of conversations propose."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem._search import EpisodeQuery, Period, Proposal, SearchFilter, SearchQuery, Wording
from langchain_agentmem._terms import encode_counts, encode_pairs, identifiers, term_hash, tokenize
from langchain_agentmem._vectors import Vector
from langchain_agentmem.english.people.own_words import in_own_words, names_of_id
from langchain_agentmem.english.people.whose import asks_of_oneself
from langchain_agentmem.english.time.dates import period
from langchain_agentmem.english.words.thesaurus import FAINT, reworded, standing_for
from langchain_agentmem.index.episode_index import LoadEpisodes
from langchain_agentmem.index.view_cache import ScopeViewIndex
from langchain_agentmem.ledger.base import Ledger, LedgerReader, ModelState
from langchain_agentmem.ledger.codec import EPOCH, to_micros
from langchain_agentmem.ledger.episodes import PREFIX
from langchain_agentmem.long_term.embedder import check_model
from langchain_agentmem.long_term.index.searching import Searched, Searching
from langchain_agentmem.long_term.parts import OVER_FETCH, Parts
from langchain_agentmem.long_term.relatives import with_related
from langchain_agentmem.long_term.said.words import FoundEpisodes, Words
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.plan import Plan, plan
from langchain_agentmem.policies.stated import slots_asked
from langchain_agentmem.types import RecallQuery, Scope

FAILED: Final = "failed"
"""Tag of an outcome that was a failure."""

_FIRST: Final = datetime.min.replace(tzinfo=UTC)

MAX_PLACE: Final = 300
"""How far down is looked for what a recall did not propose: a hundred hits' worth of candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the indexes proposed, before the ledger was asked.

    Attributes:
        proposals: Memories. `of_action`: past failures of the action at hand. `episodes`: turns of conversations.
        turns: Those turns, with their words.
        plan: How the conversations were searched; `None` where they were not.
        seen: Content revision of the ledger when the search began. `episode_revision`: that of the conversations.
        withheld: How many turns were not to be proposed, because the asker has them before them.
        index: Name of what proposed memories. `trouble`: why the index had to be left out, and the ledger itself was
            searched; empty where it had not.
    """

    proposals: Sequence[Proposal] = ()
    of_action: Sequence[Proposal] = ()
    episodes: Sequence[Proposal] = ()
    turns: FoundEpisodes = field(default_factory=FoundEpisodes)
    plan: Plan | None = None
    seen: int = 0
    episode_revision: int = 0
    withheld: int = 0
    index: str = ScopeViewIndex.name
    trouble: str = ""

    @property
    def likelihood(self) -> float | None:
        """How likely anything that was said answers; `None` where conversations were not searched."""
        if self.plan is None:
            return None
        return next((it.parts["likelihood"] for it in self.episodes if "likelihood" in it.parts), 0.0)


class Placed(NamedTuple):
    """At which place an id is proposed, from 1, and how relevant the index finds it."""

    place: int
    relevance: float


class _OfEpisodes(NamedTuple):
    """What is proposed of conversations, how it was looked for, and in which state of them."""

    plan: Plan | None = None
    proposals: Sequence[Proposal] = ()
    revision: int = 0


class Finding:
    """Asks the indexes; what they propose is judged elsewhere."""

    def __init__(self, parts: Parts, searching: Searching) -> None:
        """Compose."""
        self._parts = parts
        self._searching = searching
        self._words = Words(parts)

    def find(
        self, query: RecallQuery, scope: Scope, models: list[ModelState], seen: int, without: frozenset[str]
    ) -> Flow[Found]:
        """Return what is proposed for a query; of turns, none of those that the asker has before them."""
        admission = Admission(query=query, now=self._parts.clock())
        searched = about_action = Searched([], ScopeViewIndex.name)
        proposals: Sequence[Proposal] = ()
        if query.kinds != ("episode",):
            searched = yield from self._propose(
                query.text, scope, _filter(admission, scope, query.kinds), models, query
            )
            proposals = yield from self._with_related(searched.proposals, query, scope)
        if query.action:
            failures = _filter(admission, scope, ("outcome",), (*query.tags, FAILED))
            about_action = yield from self._propose(query.action, scope, failures, models, query)
        planned, episodes, revision = yield from self._find_episodes(query, scope, models, without)
        turns = yield from self._words.get(scope, (it.memory_id for it in episodes))
        return Found(
            proposals=proposals,
            of_action=about_action.proposals,
            episodes=episodes,
            turns=turns,
            plan=planned,
            seen=seen,
            episode_revision=revision,
            withheld=len(without),
            index=searched.proposed_by,
            trouble=searched.trouble or about_action.trouble,
        )

    def _with_related(
        self, proposals: Sequence[Proposal], query: RecallQuery, scope: Scope
    ) -> Flow[Sequence[Proposal]]:
        """Return proposals with what stands near the entities that the question names."""
        if not query.hops or self._parts.relatives is None or not query.text.strip():
            return proposals
        related = yield from self._parts.relatives.related(query, scope)
        return with_related(proposals, related, only=query.hops_only)

    def place_of(self, memory_id: str, query: RecallQuery, scope: Scope) -> Flow[Placed | None]:
        """Return where an id stands among what is proposed when a query is asked now; `None` too far down.

        Nothing is searched where the user does not allow it now, or the question's words are gone.
        """
        head, models = yield from self._parts.ledger.read(scope, lambda reader: (reader.head, reader.models()))
        is_allowed = self._parts.effective_mode(scope, None) != "off" and self._parts.may_read(
            head.consent, query.purpose
        )
        if not is_allowed or not query.text.strip():
            return None
        deep = replace(query, limit=MAX_PLACE // OVER_FETCH)
        proposals: Sequence[Proposal]
        if memory_id.startswith(PREFIX):
            proposals = (yield from self._find_episodes(deep, scope, models, frozenset())).proposals
        else:
            admission = Admission(query=deep, now=self._parts.clock())
            wanted = _filter(admission, scope, deep.kinds)
            proposals = (yield from self._propose(deep.text, scope, wanted, models, deep)).proposals
        for place, proposal in enumerate(proposals, 1):
            if proposal.memory_id == memory_id:
                return Placed(place, proposal.relevance)
        return None

    def _propose(
        self, text: str, scope: Scope, wanted: SearchFilter, models: list[ModelState], query: RecallQuery
    ) -> Flow[Searched]:
        if not text.strip():
            return Searched([], ScopeViewIndex.name)
        vector = yield from self._vector(in_own_words(text, names_of_id(scope.user_id)), models)
        words = reworded(text)
        search = SearchQuery(
            text=words,
            wording=_wording(frozenset(tokenize(words))),
            vector=vector,
            is_of_oneself=asks_of_oneself(text),
            filter=wanted,
            limit=self._parts.proposed(query.limit),
        )
        return (yield from self._searching.search(scope, search))

    def _find_episodes(
        self, query: RecallQuery, scope: Scope, models: list[ModelState], without: frozenset[str]
    ) -> Flow[_OfEpisodes]:
        is_wanted = query.kinds is None or "episode" in query.kinds
        if not is_wanted or query.tags or not query.text.strip():
            return _OfEpisodes()
        now = self._parts.clock()
        asked_at = query.asked_at or now
        utc_offset = (asked_at.utcoffset() or timedelta()) // timedelta(microseconds=1)
        opened = yield from self._parts.episodes.open(scope, utc_offset)
        if not opened.any_rows:
            return _OfEpisodes()
        planned = _preferring(plan(query.text, opened.speakers, asked_at, opened.days), query, asked_at)
        search = EpisodeQuery(
            terms=encode_counts(planned.terms),
            pairs=encode_pairs(planned.words),
            wording=_wording(planned.terms),
            identifiers=encode_counts(identifiers(planned.terms)),
            vector=(yield from self._vector(planned.text, models)),
            speakers=planned.speakers,
            dates=planned.dates,
            utc_offset=utc_offset,
            now=to_micros(now) or 0,
            agent_id=scope.agent_id,
            purposes=() if query.purpose is None else (query.purpose,),
            without=without,
            since=to_micros(query.since),
            until=to_micros(query.until),
            as_of=to_micros(query.as_of or now),
            asks_for_value=planned.asks_for_value,
            asks_for_past=planned.asks_for_past,
            dated=frozenset(map(term_hash, planned.dated)),
            days={term_hash(it): frozenset(map(term_hash, months)) for it, months in planned.days.items()},
            slots=slots_asked(query.text),
            is_of_speaker=planned.is_of_speaker,
            is_of_time=planned.is_of_time,
            limit=self._parts.proposed(query.limit),
        )
        proposals = yield from self._parts.episodes.search(opened, search)
        return _OfEpisodes(planned, proposals, opened.view.view.revision)

    def _vector(self, text: str, models: list[ModelState]) -> Flow[Vector | None]:
        embedder = self._parts.embedder
        if embedder is None or check_model(models, embedder.name) is None:
            return None
        vector = yield from embedder.query(text)
        embedder.check(models, vector)
        return vector


def load_episodes_from(ledger: Ledger) -> LoadEpisodes:
    """Return how a view of conversations reads what changed."""

    def load(scope: Scope, since: int, model: str | None) -> Flow[tuple[int, Sequence[Any]]]:
        def read(reader: LedgerReader) -> tuple[int, Sequence[Any]]:
            return reader.episodes.revision, reader.episodes.rows(since, model)

        return (yield from ledger.read_prepared(scope, read))

    return load


def _wording(terms: Collection[str]) -> Wording:
    """Return what may stand for the terms of a question, and which of them say little."""
    return Wording(
        related={term_hash(term): _hashed(term) for term in terms if standing_for(term)},
        faint=frozenset(map(term_hash, FAINT.intersection(terms))),
    )


@cache
def _hashed(term: str) -> Mapping[int, float]:
    """Return what may stand for a term of the closed lists; of no other, as it is kept for good."""
    return {term_hash(other): share for other, share in standing_for(term).items()}


def _preferring(planned: Plan, query: RecallQuery, asked_at: datetime) -> Plan:
    return replace(planned, dates=(*planned.dates, *_preferred(query, asked_at)))


def _preferred(query: RecallQuery, asked_at: datetime) -> Iterator[Period]:
    """Yield the time that a query prefers, as days where it is asked; what ends at midnight does not touch the next."""
    since, until = query.prefer_since, query.prefer_until
    if since is None and until is None:
        return
    first, last = since or EPOCH, asked_at if until is None else _before(until)
    if first <= last:
        yield period(_day(first, asked_at), _day(last, asked_at))


def _before(moment: datetime) -> datetime:
    return moment if moment == _FIRST else moment - timedelta(microseconds=1)


def _day(moment: datetime, asked_at: datetime) -> date:
    """Return the day of a moment where a question is asked."""
    try:
        return moment.astimezone(asked_at.tzinfo).date()
    except OverflowError:  # on the first or the last day that there is
        return moment.date()


def _filter(
    admission: Admission, scope: Scope, kinds: tuple[Any, ...] | None, tags: tuple[str, ...] | None = None
) -> SearchFilter:
    query = admission.query
    return SearchFilter(
        now=to_micros(admission.now) or 0,
        at=to_micros(admission.at) or 0,
        ended=admission.sees_ended,
        agent_id=scope.agent_id,
        kinds=kinds,
        statuses=admission.statuses,
        tags=query.tags if tags is None else tags,
        purposes=() if query.purpose is None else (query.purpose,),
        min_confidence=query.min_confidence,
        since=to_micros(query.since),
        until=to_micros(query.until),
    )
