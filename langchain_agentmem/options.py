"""How memory is governed and measured: one record of options, each of which has a default that works."""

from __future__ import annotations

import importlib
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, Literal

from langchain_agentmem._checks import (
    CheckedClock,
    check_callable,
    check_choice,
    check_count,
    check_flag,
    check_instance,
    check_known,
    check_labels,
    check_patience,
    check_secret,
    check_text,
    check_timeout,
    shown,
    utc_now,
)
from langchain_agentmem._patience import DEFAULT_ANSWER_TIMEOUT_S, DEFAULT_BUSY_TIMEOUT_S
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types.watching import Observer

if TYPE_CHECKING:
    from langchain_agentmem.access.flows import Authorize
    from langchain_agentmem.english.reading.relations import Cardinality
    from langchain_agentmem.extraction.proposing.contradicting import ContradictionJudge
    from langchain_agentmem.extraction.proposing.linking import Linker
    from langchain_agentmem.long_term.parts import ModeChoice
    from langchain_agentmem.planning.contract import Planner
    from langchain_agentmem.policies.approve import ApprovalPolicy
    from langchain_agentmem.policies.forget import ForgettingPolicy
    from langchain_agentmem.policies.rank import Weights
    from langchain_agentmem.policies.rulings import ConsentMode
    from langchain_agentmem.policies.sensitive import SensitivePolicy
    from langchain_agentmem.policies.settling import ConflictPolicy, Settling, Strategy
    from langchain_agentmem.policies.trust import TrustPolicy
    from langchain_agentmem.policies.write import WritePolicy
    from langchain_agentmem.procedural.options import ProceduralOptions
    from langchain_agentmem.profiles.model import UserProfile
    from langchain_agentmem.vault.base import Vault

_BY_MODEL: Final = {
    "planner": ("Planner", "plan_flow"),
    "linker": ("Linker", "claims_flow"),
    "judge": ("ContradictionJudge", "contradicted_flow"),
}
"""What rules or the chat model may do, or an object of the application's with this method."""

MAX_RECEIPTS_DAYS: Final = 36_500
"""A hundred years; what is to be kept longer is kept for ever."""

DEFAULT_CACHE_MIB: Final = 1_408
"""Enough for about a hundred users of 1,000 memories and 3,000 turns at the same time."""

_SHARES: Final = {"memories": 4, "words": 4, "turns": 8, "statements": 4, "entities": 1, "profiles": 1}
"""How what is kept at hand is divided: `words` only where there is an index, `statements` at half of `turns`."""

DEFAULT_INDEX_ABOVE: Final = 50_000
"""A view of so many memories takes about 90 MB with vectors of 384 numbers, and a search in it some 10 ms."""

_RECORDS: Final = {
    "sessions": ("langchain_agentmem.sessions.options", "SessionOptions"),
    "threads": ("langchain_agentmem.checkpoint.options", "SaverOptions"),
    "store": ("langchain_agentmem.store.options", "StoreOptions"),
    "working": ("langchain_agentmem.states.options", "WorkingOptions"),
}
"""Which settings there are for conversations, threads, items and tasks; imported where some are given, not before."""

_CLASSES: Final = {
    "approval": ("langchain_agentmem.policies.approve", "ApprovalPolicy"),
    "sensitive": ("langchain_agentmem.policies.sensitive", "SensitivePolicy"),
    "policy": ("langchain_agentmem.policies.write", "WritePolicy"),
    "weights": ("langchain_agentmem.policies.rank", "Weights"),
    "forgetting": ("langchain_agentmem.policies.forget", "ForgettingPolicy"),
}
"""What some options must be; whoever gives one has imported it."""


def _random_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOptions:
    """How memory is governed and measured; every default works.

    Args:
        consent: `required`: nothing long-term is kept before `memory.consent.grant(scope)`; `assumed`: the application
            has asked its users itself.
        mode: `on`, `frozen` (memory learns and changes nothing) or `off` (nor recalls), for all or by a callable per
            scope. Histories, threads and store items are the application's own writes, and consent, holds and erasure
            the user's: they work in each.
        approval: Which memories wait for a person before anything uses them; `None`: none does.
        sensitive: What becomes of sensitive data, by type and layer, in place of the write policy's own rule for it.
        purpose: What memory is used for where a recall does not say; see `RecallQuery.purpose`.
        authorize: `authorize(actor, action, scope)` is asked before memory of any layer is read, written, exported or
            erased (`read`, `write`, `export`, `erase`), a function or a coroutine function; what it returns but `True`
            is a no. The actor is the user, unless the run or `acting_as` names another.
        policy: The write policy. `weights`: the order of a recall.
        vault: Encrypts what is stored: `SubjectVault(KeyFolder("keys"))`. `audit_key`: authenticates the log's heads,
            at least 16 bytes, kept elsewhere.
        allow_plain_vectors: Under a vault, let an index of your own have the vectors of memories, in the clear: whoever
            reads them can tell much of the texts. Without it, a vault and an index are refused together.
        model: A chat model for extraction and evaluation; without one, rules.
        profile: A subclass of `UserProfile` with fields of your own, as which `memory.profiles` reads.
        relations: How many objects a relation has at a time, `one` or `many`, for example `{"mentor": "one"}`: of one
            that has one, a later object supersedes the one before.
        conflicts: What becomes of two statements that contradict each other: `confident`, `newest`, `trusted`, `ask` or
            `keep_both`; one by kind, relation or `default`, for example `{"works_at": "ask"}`; or a policy of yours.
        trust: How far sources are believed: a `TrustPolicy`, or its fields, for example
            `{"tools": {"web_search": "web"}}`.
        planner: Makes queries out of what is said in a conversation: `rules`; `model`, which asks `model` first; a
            `Planner` of your own; or `None`, and a message is asked as it stands.
        linker: Finds what later turns of conversations update of earlier ones, as they are kept: `rules`; `model`,
            which proposes beside them what it reads in words of yours; or a `Linker` of your own.
        judge: Finds what a new statement contradicts: `rules`; `model`, which proposes beside them among its nearest
            neighbours; or a `ContradictionJudge` of your own. What becomes of it, `conflicts` says.
        reranker: Any LangChain document compressor (`BaseDocumentCompressor`): it orders the best 30 candidates of each
            recall anew, and may leave some out. It sees the words of the user's memories and the question.
        sessions: How conversations are kept: fields of `SessionOptions`, for example `{"ttl": timedelta(days=30)}`.
        threads: How LangGraph's threads are kept: fields of `SaverOptions`, for example `{"on_conflict": "fork"}`.
        store: How LangGraph's store keeps items: fields of `StoreOptions`, for example `{"ttl": {"default_ttl": 60}}`.
        procedural: A folder of skills and policies in a git repository, or fields of `ProceduralOptions`.
        working: How working states are kept: fields of `WorkingOptions`, for example `{"ttl": timedelta(days=7)}`.
        consolidate_after: Once a conversation was quiet for so long, what it left is consolidated by whichever process
            runs `memory.jobs`; for example `timedelta(seconds=30)`. `None`: only `memory.consolidation` does.
        forgetting: By which policy memories fade, are archived and erased once a day, by whichever process runs
            `memory.jobs`; for example `ForgettingPolicy()`. `None`: only `memory.forgetting` does, by the default one.
        receipts_days: How long receipts of recalls are kept; `None`: for ever.
        episodes: Conversations become searchable turn by turn, as they are stored or answered; `False`: only by
            `memory.episodes.ingest` and `index`.
        episodes_for: How long copied turns of conversations stay searchable; `None`: until they are forgotten.
        index_options: What an index named by `index="…"` is made with.
        index_above: A user with more memories than that is searched by the index; with fewer, in a view in memory.
        cache_mib: How much of users is kept at hand in this process, to be searched; those used last. The others are
            read anew when they come back. What is known of threads takes up to 140 MiB beside it,
            items of the store that were searched up to 128, vectors of texts embedded lately up to 64.
        index_timeout_s: How long the index may take for an answer, before the ledger is searched instead; `None`: for
            ever.
        observers: What is told of recalls and writes: ids and numbers; see `langchain_agentmem.callbacks`.
        embedding_name: Recorded with the vectors instead of the embeddings' own name.
        embedding_timeout_s: How long embeddings of yours may take for a question, or for each 32 texts, before that
            counts as a failure; `None`: for ever. A chat model has the `timeout` you give it, and two minutes at most.
        busy_timeout_s: How long a writer waits for another one in a SQLite database that is opened with these options;
            0: for nothing. A `Database` that is passed on has its own.
        answer_timeout_s: How long PostgreSQL may leave a statement without an answer, likewise; `None`: for ever.
        clock: Gives the time, aware UTC. `new_id`: gives ids.
    """

    consent: ConsentMode = "required"
    mode: ModeChoice = "on"
    approval: ApprovalPolicy | None = None
    sensitive: SensitivePolicy | None = None
    purpose: str | None = None
    authorize: Authorize | None = None
    policy: WritePolicy | None = None
    weights: Weights | None = None
    vault: Vault | None = None
    allow_plain_vectors: bool = False
    audit_key: bytes | None = field(default=None, repr=False)
    model: Any = None
    profile: type[UserProfile] | None = None
    relations: Mapping[str, Cardinality] = field(default_factory=dict)
    conflicts: Strategy | Mapping[str, Strategy] | ConflictPolicy | Settling = "confident"
    trust: TrustPolicy | Mapping[str, Any] | None = None
    planner: Planner | Literal["rules", "model"] | None = "rules"
    linker: Linker | Literal["rules", "model"] = "rules"
    judge: ContradictionJudge | Literal["rules", "model"] = "rules"
    reranker: Any = None
    sessions: Mapping[str, Any] = field(default_factory=dict)
    threads: Mapping[str, Any] = field(default_factory=dict)
    store: Mapping[str, Any] = field(default_factory=dict)
    procedural: str | os.PathLike[str] | Mapping[str, Any] | ProceduralOptions | None = None
    working: Mapping[str, Any] = field(default_factory=dict)
    consolidate_after: timedelta | None = None
    forgetting: ForgettingPolicy | None = None
    receipts_days: float | None = 90.0
    episodes: bool = True
    episodes_for: timedelta | None = None
    index_options: Mapping[str, Any] | None = field(default_factory=dict)
    index_above: int = DEFAULT_INDEX_ABOVE
    cache_mib: int = DEFAULT_CACHE_MIB
    index_timeout_s: float | None = 30.0
    observers: Sequence[Observer] = ()
    embedding_name: str | None = None
    embedding_timeout_s: float | None = 30.0
    busy_timeout_s: float = DEFAULT_BUSY_TIMEOUT_S
    answer_timeout_s: float | None = DEFAULT_ANSWER_TIMEOUT_S
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = _random_id

    def __post_init__(self) -> None:
        """Check what can be checked before anything is opened."""
        _check_use(self)
        if self.index_options is None:  # as of a caller who passes on what they were given
            object.__setattr__(self, "index_options", {})
        check_instance("index_options", self.index_options, dict, "{'path': 'vectors'}")
        check_count("index_above", self.index_above, least=0)
        check_count("cache_mib", self.cache_mib)
        check_flag("episodes", self.episodes)
        if self.audit_key is not None:
            check_secret("audit_key", self.audit_key)
        for name in _RECORDS:
            _check_settings(name, getattr(self, name))
        for name, (module, kind) in _CLASSES.items():
            if getattr(self, name) is not None:
                check_instance(name, getattr(self, name), getattr(importlib.import_module(module), kind))
        check_flag("allow_plain_vectors", self.allow_plain_vectors)
        if self.embedding_name is not None:
            check_text("embedding_name", self.embedding_name)
        object.__setattr__(self, "clock", CheckedClock(self.clock))
        check_callable("new_id", self.new_id, "lambda: uuid4().hex")
        _check_governing(self)
        _check_quiet(self.consolidate_after)
        _check_model(self.model)
        _check_by_model(self)
        _check_reranker(self.reranker)
        _check_days(self.receipts_days)
        _check_times(self)
        _check_observers(self.observers)
        if self.episodes_for is not None and not (
            isinstance(self.episodes_for, timedelta) and self.episodes_for > timedelta(0)
        ):
            msg = (
                f"episodes_for must be a positive timedelta, got {self.episodes_for!r}; for example timedelta(days=90)"
            )
            raise ConfigurationError(msg)

    def cache_bytes(self, share: str) -> int:
        """Return how much of `cache_mib` a kind of view may take."""
        return self.cache_mib * 2**20 * _SHARES[share] // sum(_SHARES.values())


def read_options(given: dict[str, Any], taken_by: Callable[..., object]) -> MemoryOptions:
    """Return options from keyword arguments; an unknown one is refused beside what else the call takes by name."""
    named = [it.name for it in signature(taken_by).parameters.values() if it.kind is it.KEYWORD_ONLY]
    check_known(given, MemoryOptions, named)
    return MemoryOptions(**given)


def _check_governing(options: MemoryOptions) -> None:
    """Check what is read by modules of its own; each is imported where something is given."""
    if options.vault is not None:
        importlib.import_module("langchain_agentmem.vault.base").vault_of(options.vault)
    if options.relations != {}:
        importlib.import_module("langchain_agentmem.english.reading.relations").Relations(options.relations)
    if options.conflicts != "confident":
        importlib.import_module("langchain_agentmem.policies.settling").read_conflicts(options.conflicts)
    if options.trust is not None:
        importlib.import_module("langchain_agentmem.policies.trust").read_trust(options.trust)
    if options.profile is not None:
        importlib.import_module("langchain_agentmem.profiles.values").check_model(options.profile)
    if options.procedural is not None:
        importlib.import_module("langchain_agentmem.procedural.options").read_procedural(options.procedural)


def _check_settings(name: str, given: Mapping[str, Any]) -> None:
    """Refuse settings that no store of conversations, threads or items would take."""
    if not isinstance(given, Mapping):
        msg = f"{name} must be a dict of settings, got {given!r}"
        raise ConfigurationError(msg)
    if not given:
        return
    module, record = _RECORDS[name]
    settings = getattr(importlib.import_module(module), record)
    known = settings.__dataclass_fields__
    unknown = [key for key in given if key not in known]
    if unknown:
        msg = f"{name} has no option {unknown[0]!r}; use one of {', '.join(known)}"
        raise ConfigurationError(msg)
    try:
        settings(**given)
    except ConfigurationError as error:
        msg = f"{name}: {error}"
        raise ConfigurationError(msg) from error


def _check_model(model: object) -> None:
    if model is not None and not _has(model, "invoke"):
        example = "init_chat_model('openai:gpt-5')"
        msg = f"model must be a LangChain chat model, or None, got {shown(model)}; for example {example}"
        raise ConfigurationError(msg)


def _check_by_model(options: MemoryOptions) -> None:
    """Refuse what neither names rules nor the model, nor is one of its kind."""
    for name, (kind, method) in _BY_MODEL.items():
        given = getattr(options, name)
        if (given is None and name == "planner") or _has(given, method):
            continue
        if not isinstance(given, str):
            told = f"'rules', 'model', a {kind} or None" if name == "planner" else f"'rules', 'model' or a {kind}"
            msg = f"{name} must be {told}, got {type(given).__name__}; see MemoryOptions"
            raise ConfigurationError(msg)
        check_choice(name, given, ("rules", "model"))
        if given == "model" and options.model is None:
            msg = f"{name} 'model' needs a chat model; pass model=… as well, or {name}='rules'"
            raise ConfigurationError(msg)


def _has(given: object, method: str) -> bool:
    return callable(getattr(given, method, None)) and not isinstance(given, type)


def _check_use(options: MemoryOptions) -> None:
    check_choice("consent", options.consent, ("required", "assumed"))
    if not callable(options.mode):
        check_choice("mode", options.mode, ("on", "frozen", "off"))
    if options.purpose is not None:
        check_labels("purpose", (options.purpose,))
    if options.authorize is not None:
        check_callable("authorize", options.authorize, "lambda actor, action, scope: actor == scope.user_id")


def _check_times(options: MemoryOptions) -> None:
    check_patience("busy_timeout_s", options.busy_timeout_s)
    for name in ("embedding_timeout_s", "index_timeout_s", "answer_timeout_s"):
        check_timeout(name, getattr(options, name))


def _check_quiet(after: object) -> None:
    if after is not None:
        importlib.import_module("langchain_agentmem.consolidation.flows").check_quiet("consolidate_after", after)


def _check_reranker(reranker: object) -> None:
    is_one = all(callable(getattr(reranker, name, None)) for name in ("compress_documents", "acompress_documents"))
    if reranker is not None and (not is_one or isinstance(reranker, type)):
        msg = f"reranker must be a LangChain document compressor, got {type(reranker).__name__}; see MemoryOptions"
        raise ConfigurationError(msg)


def _check_observers(observers: object) -> None:
    if not isinstance(observers, (list, tuple)):
        msg = f"observers must be a list, got {type(observers).__name__}; for example [OpenTelemetryObserver()]"
        raise ConfigurationError(msg)
    for observer in observers:
        if not isinstance(observer, Observer):
            msg = f"observers must be objects of a subclass of callbacks.Observer, got {observer!r}"
            raise ConfigurationError(msg)


def _check_days(days: object) -> None:
    if days is None:
        return
    if isinstance(days, bool) or not isinstance(days, (int, float)) or not 0 <= days <= MAX_RECEIPTS_DAYS:
        msg = f"receipts_days must be from 0 to {MAX_RECEIPTS_DAYS}, or None for ever, got {days!r}; for example 90"
        raise ConfigurationError(msg)
