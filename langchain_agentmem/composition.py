"""How the parts of an `AgentMemory` are made; each is imported when it is put in its place.

So importing this module costs as little as importing messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from langchain_agentmem import _faces
from langchain_agentmem._checks import shown
from langchain_agentmem._flow import flows_of
from langchain_agentmem._storing import Guarded, make_backend, make_bare_store, make_saver, make_sessions
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.vault.base import vault_of

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.runnables import RunnableConfig
    from langchain_core.vectorstores import VectorStore

    from langchain_agentmem._flow import Flow
    from langchain_agentmem.checkpoint.dialogues import Dialogues
    from langchain_agentmem.consolidation import Consolidation
    from langchain_agentmem.consolidation.summarising import Summarising
    from langchain_agentmem.entities.service import Entities
    from langchain_agentmem.entities.views import EntityViews
    from langchain_agentmem.evaluation import Evaluator
    from langchain_agentmem.extraction import Extractor
    from langchain_agentmem.extraction.proposing.contradicting import ContradictionJudge
    from langchain_agentmem.extraction.proposing.linking import Linker
    from langchain_agentmem.forgetting import Forgetting
    from langchain_agentmem.index.base import Index
    from langchain_agentmem.jobs import Handler, TakenIn
    from langchain_agentmem.ledger.base import Ledger
    from langchain_agentmem.ledger.sql import SQLLedger
    from langchain_agentmem.ledger.sql.jobs import Job
    from langchain_agentmem.ledger.sql.models import SQLModels
    from langchain_agentmem.long_term.embedder import Embedder
    from langchain_agentmem.long_term.flows import LongTermFlows
    from langchain_agentmem.long_term.index.searching import Indexes, Searching
    from langchain_agentmem.long_term.parts import Parts
    from langchain_agentmem.long_term.service import LongTermMemory
    from langchain_agentmem.long_term.turns.episodes import Episodes
    from langchain_agentmem.long_term.turns.turn_queue import TurnQueue
    from langchain_agentmem.metrics import Metrics
    from langchain_agentmem.metrics.metrics import Measure
    from langchain_agentmem.options import MemoryOptions
    from langchain_agentmem.planning.contract import Planner
    from langchain_agentmem.privacy.composing import Backends
    from langchain_agentmem.procedural.service import ProceduralMemory
    from langchain_agentmem.profiles.service import Profiles
    from langchain_agentmem.profiles.views import ProfileViews
    from langchain_agentmem.redis.database import RedisDatabase
    from langchain_agentmem.sql.engine import Database
    from langchain_agentmem.types import Scope

LOCAL: Final = "local"
"""Embeddings by the local all-MiniLM-L6-v2, loaded when the first text is embedded."""


def open_database(url: str, options: MemoryOptions, *, durable: bool = False) -> Database:
    """Return a database that is opened with its first use."""
    from langchain_agentmem.sql.engine import Database

    busy_s, answer_s = options.busy_timeout_s, options.answer_timeout_s
    return Database(url, durable=durable, busy_timeout_s=busy_s, answer_timeout_s=answer_s)


def make_metrics(
    database: Database, redis: RedisDatabase | None, options: MemoryOptions, asked: Callable[[Scope], Flow[None]]
) -> Metrics:
    """Return what counts, and measures what is stored."""
    measures: list[Measure] = [_faces.SQLUsage(database)]
    if redis is not None:
        measures += [_faces.RedisSessionUsage(redis), _faces.RedisThreadUsage(redis)]
        measures += [_faces.RedisStateUsage(redis), _faces.RedisProfileUsage(redis)]
    return _faces.Metrics(measures, options.clock, asked)


class Views(NamedTuple):
    """What is read of the ledger once and kept at hand."""

    profiles: ProfileViews
    entities: EntityViews


def make_views(guarded: Guarded, redis: RedisDatabase | None, options: MemoryOptions) -> Views:
    """Return what keeps profiles and entities at hand: in this process, and profiles on Redis where there is one."""
    from langchain_agentmem.english.reading.relations import Relations

    remote = None if redis is None else _faces.RedisProfileViews(redis, vault=options.vault)
    relations, max_bytes = Relations(options.relations), options.cache_bytes("entities")
    profiles = _faces.ProfileViews(guarded.ledger, remote, max_bytes=options.cache_bytes("profiles"))
    return Views(profiles, _faces.EntityViews(guarded.ledger, relations, max_bytes=max_bytes))


def make_profiles(
    made: tuple[Parts, Searching], views: ProfileViews, dialogues: Callable[[], Dialogues], options: MemoryOptions
) -> Profiles[Any]:
    """Return the profiles, read as the options' model."""
    seen = _faces.Interactions(dialogues)
    parts = _faces.ProfileParts(parts=made[0], searching=made[1], views=views, interactions=seen)
    return _faces.Profiles(parts, options.profile or _faces.UserProfile)


def make_entities(parts: Parts, views: EntityViews, long_term: LongTermFlows, options: MemoryOptions) -> Entities:
    """Return the entity graph; relations are read from conversations by the options' model, or by rules."""

    def extractor() -> Extractor:
        return _faces.RuleExtractor() if options.model is None else _faces.RelationExtractor(options.model)

    return _faces.Entities(_faces.EntityParts(parts=parts, views=views, long_term=long_term, extractor=extractor))


def make_procedural(parts: Parts, options: MemoryOptions) -> ProceduralMemory:
    """Return skills and policies; nothing is read yet."""
    settings = _faces.read_procedural(options.procedural)
    runs = _faces.Runs(_scope_of_run, _faces.resolve_mode, parts.effective_mode)
    return _faces.ProceduralMemory(settings, parts.ledger, parts.embedder, options.clock, runs)


def _scope_of_run(config: RunnableConfig) -> Scope:
    """Return for whom a run is, or an anonymous scope where it names nobody."""
    scope: Scope = (_faces.resolve_scope if _faces.names_a_user(config) else _faces.anonymous_scope)(config)
    return scope


def make_parts(
    guarded: Guarded,
    embedder: Embedder | None,
    index: Callable[[Embeddings], VectorStore] | Index | str | None,
    options: MemoryOptions,
    metrics: Metrics,
    *,
    views: Views,
) -> tuple[Parts, Searching, SQLModels]:
    """Put together what long-term memory is composed of."""
    from langchain_agentmem.index.episode_index import EpisodeIndex
    from langchain_agentmem.ledger.sql.jobs import SQLJobs
    from langchain_agentmem.ledger.sql.models import SQLModels
    from langchain_agentmem.long_term.index.searching import Searching
    from langchain_agentmem.long_term.parts import Parts
    from langchain_agentmem.long_term.recall.finding import load_episodes_from
    from langchain_agentmem.long_term.watching import Watch

    (access, ledger), name = guarded, embedder.name if embedder else None
    models = SQLModels(ledger.database, options.clock)
    clock = options.clock
    indexes = _make_indexes(ledger, index, options, name)
    copies = _faces.EveryCopy(*views)
    searching = Searching(ledger, indexes, SQLJobs(ledger.database, clock), models, name, copies=copies)
    parts = Parts(
        ledger=ledger,
        index=indexes.used,
        episodes=EpisodeIndex(load_episodes_from(ledger), model=name, max_bytes=options.cache_bytes("turns")),
        history=lambda: _faces.SQLSessions(ledger.database, vault=options.vault, clock=clock),
        embedder=embedder,
        watch=Watch((metrics, *options.observers), access=access),
        access=access,
        relations=views.entities.relations,
        relatives=_faces.EntityRelatives(views.entities, clock, options.consent),
        **_chosen(options),
    )
    return parts, searching, models


def _chosen(options: MemoryOptions) -> dict[str, Any]:
    """Return the parts of long-term memory that are what the options say."""
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.sensitive import SensitivePolicy
    from langchain_agentmem.policies.settling import read_conflicts
    from langchain_agentmem.policies.trust import read_trust
    from langchain_agentmem.policies.write import Sensitive, WritePolicy

    policy = options.policy or WritePolicy()
    if options.sensitive is not None:
        policy = policy.with_rule(Sensitive(policy=options.sensitive))
    if options.approval is not None:
        policy = policy.with_rule(options.approval.as_rule())
    return {
        "clock": options.clock,
        "new_id": options.new_id,
        "policy": policy,
        "approval": options.approval,
        "sensitive": options.sensitive or SensitivePolicy(),
        "weights": options.weights or Weights(),
        "consent_mode": options.consent,
        "mode": options.mode,
        "purpose": options.purpose,
        "planner": make_planner(options),
        "linker": make_linker(options),
        "judge": make_judge(options),
        "reranker": options.reranker,
        "trust": read_trust(options.trust),
        "settling": read_conflicts(options.conflicts),
    }


def _make_indexes(
    ledger: Ledger,
    index: Callable[[Embeddings], VectorStore] | Index | str | None,
    options: MemoryOptions,
    name: str | None,
) -> Indexes:
    """Return what there is to search with."""
    from langchain_agentmem.index.view_cache import ScopeViewIndex
    from langchain_agentmem.long_term.index.loading import keep_in, load_from
    from langchain_agentmem.long_term.index.searching import Indexes

    load, keep = load_from(ledger), keep_in(ledger)
    view = ScopeViewIndex(load, keep=keep, model=name, max_bytes=options.cache_bytes("memories"))
    used: Index = view
    if index is not None or options.index_options:
        _check_plain_vectors(options)
        used = _faces.chosen_index(index, name, options.index_options or {}, options.vault)
    words, above = ScopeViewIndex(load, keep=keep, max_bytes=options.cache_bytes("words")), options.index_above
    return Indexes(used=used, view=view, words=words, above=above, timeout_s=options.index_timeout_s)


def _check_plain_vectors(options: MemoryOptions) -> None:
    if options.vault is not None and not options.allow_plain_vectors:
        msg = (
            "an index beside a vault has vectors in the clear, which tell much of the texts; leave index= out, or pass "
            "allow_plain_vectors=True"
        )
        raise ConfigurationError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SettlingParts:
    """What settles turns; made apart, so that the queue of jobs keeps no memory alive."""

    long_term: LongTermMemory
    episodes: Episodes
    turns: TurnQueue
    consolidation: Consolidation
    options: MemoryOptions

    @property
    def extractor(self) -> Extractor:
        return make_extractor(self.options)

    @property
    def evaluator(self) -> Evaluator:
        return make_evaluator(self.options)


def make_consolidation(
    made: tuple[Parts, Searching], database: Database, redis: RedisDatabase | None, options: MemoryOptions
) -> Consolidation:
    """Return what consolidates; it reads conversations where they are stored."""
    saver = partial(make_saver, database, redis, options)

    def summarising() -> Summarising:
        return _faces.Summarising(
            lambda: _faces.Dialogues(make_sessions(database, redis, options), saver), options.model
        )

    return _faces.Consolidation(*made, summarising, options.consolidate_after)


def make_forgetting(
    made: tuple[Parts, Searching], consolidation: Consolidation, database: Database, options: MemoryOptions
) -> Forgetting:
    """Return what forgets by itself."""
    owners = _faces.SQLOwners(database)
    flows = _faces.ForgettingFlows(
        *made, flows_of(consolidation), owners, options.forgetting, fields=lambda: _faces.relations_of(options.profile)
    )
    return _faces.Forgetting(flows)


class Upkeep(NamedTuple):
    """What keeps memory in order behind the hot path."""

    consolidation: Consolidation
    forgetting: Forgetting


def make_upkeep(
    made: tuple[Parts, Searching], database: Database, redis: RedisDatabase | None, options: MemoryOptions
) -> Upkeep:
    """Return what consolidates, and what forgets by itself."""
    consolidation = make_consolidation(made, database, redis, options)
    return Upkeep(consolidation, make_forgetting(made, consolidation, database, options))


def make_settling(
    long_term: LongTermMemory,
    episodes: Episodes,
    turns: TurnQueue,
    upkeep: Upkeep,
    options: MemoryOptions,
) -> dict[str, Handler]:
    """Return what a process needs to do what follows from turns of agents, and from conversations that rest."""
    from langchain_agentmem.long_term.remove.ending import TURN_JOB

    parts = _SettlingParts(
        long_term=long_term, episodes=episodes, turns=turns, consolidation=upkeep.consolidation, options=options
    )
    return {
        TURN_JOB: lambda job: _faces.settle_turn(parts, job),
        **upkeep.consolidation.handlers,
        **upkeep.forgetting.handlers,
    }


def make_extractor(options: MemoryOptions) -> Extractor:
    """Return what finds candidates in messages: by the options' model, or by rules where there is none."""
    return _faces.RuleExtractor() if options.model is None else _faces.ModelExtractor(options.model)


def make_evaluator(options: MemoryOptions) -> Evaluator:
    """Return what judges turns: by the options' model, or by rules where there is none."""
    return _faces.RuleEvaluator() if options.model is None else _faces.ModelEvaluator(options.model)


def make_planner(options: MemoryOptions) -> Planner | None:
    """Return what makes queries out of conversations; `None`: nothing does."""
    if not isinstance(options.planner, str):
        return options.planner
    return _faces.RulePlanner() if options.planner == "rules" else _faces.ModelPlanner(options.model)


def make_linker(options: MemoryOptions) -> Linker | None:
    """Return what proposes values that turns state; `None`: what rules read stands alone."""
    if not isinstance(options.linker, str):
        return options.linker
    linker: Linker | None = None if options.linker == "rules" else _faces.ModelLinker(options.model)
    return linker


def make_judge(options: MemoryOptions) -> ContradictionJudge | None:
    """Return what proposes contradictions; `None`: those that rules find stand alone."""
    if not isinstance(options.judge, str):
        return options.judge
    judge: ContradictionJudge | None = None if options.judge == "rules" else _faces.ModelJudge(options.model)
    return judge


def make_embedder(embeddings: Embeddings | str | None, options: MemoryOptions) -> Embedder | None:
    """Return what gives vectors; `None`: search by words only."""
    from langchain_agentmem.long_term.embedder import Embedder

    if embeddings is None:
        return None
    if isinstance(embeddings, str) and embeddings == LOCAL:
        return Embedder(_faces.LocalEmbeddings(), name=options.embedding_name)
    if isinstance(embeddings, str) or not hasattr(embeddings, "embed_query"):
        example = "init_embeddings('openai:text-embedding-3-small')"
        msg = f"embeddings must be 'local', LangChain Embeddings such as {example}, or None, got {shown(embeddings)}"
        raise ConfigurationError(msg)
    return Embedder(embeddings, name=options.embedding_name, timeout_s=options.embedding_timeout_s)


def make_backends(
    made: tuple[Parts, Searching], views: Views, redis: RedisDatabase | None, options: MemoryOptions
) -> Backends:
    """Return everything that a memory stores something in, for the rights of its users."""
    parts, searching = made
    stored: Any = parts.ledger
    ledger = cast("SQLLedger", getattr(stored, "bare", stored))
    database, settings = ledger.database, options.threads
    return _faces.Backends(
        ledger=ledger,
        vault=vault_of(options.vault),
        parts=parts,
        searching=searching,
        profiles=views.profiles.drop,
        here=make_backend(database, None, options),
        fast=None if redis is None else make_backend(database, redis, options),
        redis=redis,
        store=partial(make_bare_store, database, options),
        allowed_types=tuple(settings.get("allowed_types", ())),
        clock=options.clock,
    )


def make_privacy_handlers(
    made: tuple[Parts, Searching], views: Views, redis: RedisDatabase | None, options: MemoryOptions
) -> dict[str, Handler]:
    """Return what a process needs to erase users, and to embed what was imported; it is imported with the first."""
    from langchain_agentmem.ledger.standing import EMBED_JOB, RELEASE_JOB, erase_job, erase_jobs_within

    erasing = erase_job(has_index=made[1].index.is_fed, has_redis=redis is not None)

    def handler(kind: str) -> Handler:
        def do(job: Job) -> Flow[TakenIn | None]:
            handlers = _faces.privacy_handlers(lambda: make_backends(made, views, redis, options), erasing)
            done: Flow[TakenIn | None] = handlers[kind](job)
            return done

        return do

    embedding = () if made[0].embedder is None else (EMBED_JOB,)
    return {kind: handler(kind) for kind in (*erase_jobs_within(erasing), RELEASE_JOB, *embedding)}
