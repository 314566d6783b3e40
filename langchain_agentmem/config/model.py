"""What a configuration file may say: the options of `AgentMemory` that are no code."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import Field, StringConstraints

from langchain_agentmem._patience import DEFAULT_ANSWER_TIMEOUT_S, DEFAULT_BUSY_TIMEOUT_S
from langchain_agentmem.checkpoint.options import SaverOptions
from langchain_agentmem.composition import LOCAL
from langchain_agentmem.config.section import Duration, Number, Section, ShortSection, Whole
from langchain_agentmem.english.reading.relations import Cardinality
from langchain_agentmem.options import DEFAULT_CACHE_MIB, DEFAULT_INDEX_ABOVE, MemoryOptions
from langchain_agentmem.policies.approve import (
    ApprovalPolicy,
    ApprovalRule,
    ByConfidence,
    ByKind,
    BySensitivity,
    BySource,
    BySpeaker,
    ByTrust,
    Tier,
)
from langchain_agentmem.policies.forget import ForgettingPolicy
from langchain_agentmem.policies.protecting import Strategy
from langchain_agentmem.policies.rank import Weights
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.policies.settling import DEFAULT
from langchain_agentmem.policies.settling import Strategy as ConflictStrategy
from langchain_agentmem.policies.trust import HOLD_BELOW, TrustPolicy
from langchain_agentmem.procedural.options import DEFAULT_AUTHOR, MIN_SCORE, ProceduralOptions
from langchain_agentmem.sessions.options import SessionOptions
from langchain_agentmem.states.options import DEFAULT_TTL, WorkingOptions
from langchain_agentmem.store.options import StoreOptions
from langchain_agentmem.types import Kind, Source, Speaker, TrustClass

Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, strict=True)]

_CLOCK: Final = frozenset({"clock"})


class SessionsConfig(Section):
    """How conversations are kept."""

    record: ClassVar[type | None] = SessionOptions
    code: ClassVar[frozenset[str]] = _CLOCK | {"new_id", "redact"}

    ttl: Duration | None = None
    refresh_on_read: bool = False
    max_messages: Whole | None = None


class ThreadsConfig(Section):
    """How threads of LangGraph are kept."""

    record: ClassVar[type | None] = SaverOptions
    code: ClassVar[frozenset[str]] = _CLOCK | {"allowed_types", "serde", "vault"}

    ttl: Duration | None = None
    refresh_on_read: bool = False
    on_conflict: Literal["raise", "fork"] = "raise"


class WorkingConfig(Section):
    """How the states of tasks are kept."""

    record: ClassVar[type | None] = WorkingOptions
    code: ClassVar[frozenset[str]] = _CLOCK

    ttl: Duration = DEFAULT_TTL
    refresh_on_read: bool = True


class StoreIndexConfig(Section):
    """Which fields of items are searched by meaning.

    Args:
        dims: Length of the vectors, as the embeddings give them.
        fields: Paths in an item's value, such as `text` or `notes[*].text`; `$`: the whole value.
    """

    dims: Whole
    fields: tuple[Text, ...] = ("$",)


class StoreTTLConfig(Section):
    """How long items live, in minutes, as LangGraph counts them.

    Args:
        default_ttl: Minutes that an item lives after it was last written; `None`: for ever.
        refresh_on_read: Reading prolongs its life like a write.
        omit_expired: As LangGraph has it; here what has expired is never returned.
        sweep_interval_minutes: Batches delete what has expired, that long after the last time.
    """

    default_ttl: Number | None = None
    refresh_on_read: bool = True
    omit_expired: bool = True
    sweep_interval_minutes: Whole | None = None


class StoreConfig(Section):
    """How LangGraph's store keeps items."""

    record: ClassVar[type | None] = StoreOptions
    code: ClassVar[frozenset[str]] = _CLOCK | {"subject", "vault", "redact"}

    index: StoreIndexConfig | None = None
    ttl: StoreTTLConfig | None = None
    shared: bool = False


class WeightsConfig(Section):
    """What the order of a recall is made of.

    Args:
        confidence: Part of the prior: how sure a memory is.
        recency: Part of the prior: how new it is.
        frequency: Part of the prior: how often it was used.
        task: Part of the prior: how well it fits the task at hand.
    """

    record: ClassVar[type | None] = Weights

    confidence: Number = 0.4
    recency: Number = 0.3
    frequency: Number = 0.2
    task: Number = 0.1
    prior_share: Number = 0.2
    min_relevance: Number = 0.03
    min_likelihood: Number = 0.025
    min_share: Number = 0.05
    diversity: Number = 0.04


class SensitiveConfig(Section):
    """What becomes of sensitive data.

    Args:
        detectors: `default`; `all`: also IP and MAC addresses, dates of birth and national ids; `presidio`:
            all of them, and Microsoft Presidio's.
        key: For `hash` and `tokenise`, at least 16 bytes, kept elsewhere.
    """

    record: ClassVar[type | None] = SensitivePolicy
    code: ClassVar[frozenset[str]] = frozenset({"may_reveal"})

    rules: dict[str, Strategy] = Field(default={})
    layers: dict[Layer, Strategy | dict[str, Strategy]] = Field(default={})
    detectors: Literal["default", "all", "presidio"] = "default"
    key: Text | None = Field(default=None, repr=False)


class ProceduralConfig(ShortSection):
    """Where skills and policies are.

    Args:
        path: A folder in a git repository, from the folder of the configuration file; none: only what is shipped.
    """

    record: ClassVar[type | None] = ProceduralOptions
    short: ClassVar[str] = "path"

    path: Text | None = None
    create: bool = False
    defaults: bool = True
    author: Text = DEFAULT_AUTHOR
    min_score: Number = MIN_SCORE


class TrustConfig(Section):
    """How far sources are believed.

    Args:
        classes: How far a class is believed, in [0, 1], in place of the packaged figures.
    """

    record: ClassVar[type | None] = TrustPolicy

    tools: dict[str, TrustClass] = Field(default={})
    classes: dict[TrustClass, Number] = Field(default={})
    hold_below: Number = HOLD_BELOW
    refuse_below: Number = 0.0


class ApprovalConfig(Section):
    """Which memories wait for a person; each entry says `auto`, `ask` or `refuse`, and the strictest counts.

    Args:
        kinds: By kind, for example `constraint: ask`.
        sources: By how it was come by: `explicit`, `inferred`, `learned` or `merged`.
        speakers: By who said it: `user`, `assistant`, `tool`, `system` or `application`.
        below_confidence: What is less certain is asked about.
        below_trust: What comes from a source that is trusted less is asked about.
        topics: Words or phrases: what is about them is asked about.
        default: Of everything else.
        expires_after: How long a memory waits before it can no longer be decided; null: for ever.
    """

    kinds: dict[Kind, Tier] = Field(default={})
    sources: dict[Source, Tier] = Field(default={})
    speakers: dict[Speaker, Tier] = Field(default={})
    below_confidence: Number | None = None
    below_trust: Number | None = None
    topics: tuple[Text, ...] = ()
    default: Tier = "auto"
    expires_after: Duration | None = timedelta(days=7)

    def policy(self) -> ApprovalPolicy:
        """Return the rules that the file says; what it leaves out is no rule.

        Raises:
            ConfigurationError: A bound, a topic or a time cannot be.
        """
        rules = [
            ByKind(self.kinds) if self.kinds else None,
            BySource(self.sources) if self.sources else None,
            BySpeaker(self.speakers) if self.speakers else None,
            None if self.below_confidence is None else ByConfidence(self.below_confidence),
            None if self.below_trust is None else ByTrust(self.below_trust),
            BySensitivity(topics=self.topics) if self.topics else None,
        ]
        told: list[ApprovalRule] = [rule for rule in rules if rule is not None]
        return ApprovalPolicy(rules=told, default=self.default, expires_after=self.expires_after)


class VaultConfig(ShortSection):
    """Where the keys are that encrypt what is stored.

    Args:
        folder: A folder of keys, from the folder of the configuration file, outside the data and its backups.
        variable: Name of the variable of the environment that holds the master key; none: the folder holds it.
        retired: Names of variables with earlier master keys, the latest first.
    """

    short: ClassVar[str] = "folder"

    folder: Text | None = None
    variable: Text | None = None
    retired: tuple[Text, ...] = ()


class ForgettingConfig(Section):
    """When memories fade, go to the archive, and are erased; `{}`: by the default policy."""

    record: ClassVar[type | None] = ForgettingPolicy

    stability_days: dict[Kind, Number | None] = Field(default={})
    growth: Number = 1.3
    importance_gain: Number = 1.0
    importance_half_life_days: Number = 365.0
    max_stability_days: Number = 3_650.0
    fade_below: Number = 0.5
    archive_below: Number = 0.05
    forget_below: Number = 0.3
    confidence_grace_days: Number = 90.0
    confidence_half_life_days: Number | None = 730.0
    max_idle_days: Number | None = 365.0
    rare_uses: Whole = 3
    archived_days: Number | None = 90.0
    superseded_days: Number | None = 90.0
    max_memories: Whole | None = None


class Named(ShortSection):
    """A model of a provider.

    Args:
        name: As `provider:name`, for example `openai:gpt-5-mini`.
        options: What else it is made with, for example `temperature`.
    """

    short: ClassVar[str] = "name"

    name: Text
    options: dict[str, Any] = Field(default={}, repr=False)


class MemoryConfig(Section):
    """A memory as a configuration file describes it; each key is an option of `AgentMemory`, with the same default.

    Args:
        path: A SQLite file, from the folder of the configuration file; or `sql`.
        sql: URL of the database: `postgresql://user:${PASSWORD}@host/name`, or of SQLite; or `path`.
        durable: Survive power loss for every acknowledged write; of a SQLite file.
        redis: URL of the Redis that has conversations, threads and working states; none: the SQL database has them.
        redis_prefix: What every key there begins with; none: `agentmem`. Applications with databases of their own that
            share a Redis take a prefix each.
        embeddings: `local`, `provider:name` as LangChain has it, that with `options`, or null to search by words only.
        index: For users with more memories than `index_above`: `chroma`, `redis`, `pgvector`, or the name of an index
            that an installed package brings.
        vault: Encrypts what is stored: a folder of keys, or that with the variable that holds its master key.
        audit_key: Authenticates the log's heads, at least 16 bytes, kept elsewhere.
        model: A chat model for extraction and evaluation, `provider:name`, or that with `options`; none: rules.
        planner: Makes queries out of what is said: `rules`; `model`, which asks `model` first; or null, and a message
            is asked as it stands.
        linker: Finds what later turns of conversations update: `rules`; or `model`, which proposes beside them.
        judge: Finds what a new statement contradicts: `rules`; or `model`, which proposes beside them.
        mode: `on`, `frozen` (memory learns and changes nothing) or `off` (nor recalls). Histories, threads and store
            items are written in each.
        conflicts: What becomes of two statements that contradict each other: `confident`, `newest`, `trusted`, `ask` or
            `keep_both`; or one by kind, relation or `default`.
        trust: How far sources are believed, and what is not believed enough.

    Example:
        >>> MemoryConfig(path="agent.db", consent="assumed", sessions={"ttl": "30 days"}).sessions.ttl
        datetime.timedelta(days=30)
    """

    record: ClassVar[type | None] = MemoryOptions
    code: ClassVar[frozenset[str]] = _CLOCK | {
        "authorize",
        "new_id",
        "policy",
        "profile",
        "reranker",
        "observers",
    }

    path: Text | None = None
    sql: Text | None = Field(default=None, repr=False)
    durable: bool = False
    redis: Text | None = Field(default=None, repr=False)
    redis_prefix: Text | None = None
    embeddings: Named | None = Named(name=LOCAL)
    index: Text | None = None
    index_options: dict[str, Any] = Field(default={}, repr=False)
    index_above: Whole = DEFAULT_INDEX_ABOVE
    cache_mib: Whole = DEFAULT_CACHE_MIB
    index_timeout_s: Number | None = 30.0
    consent: Literal["required", "assumed"] = "required"
    mode: Literal["on", "frozen", "off"] = "on"
    approval: ApprovalConfig | None = None
    sensitive: SensitiveConfig | None = None
    purpose: Text | None = None
    weights: WeightsConfig | None = None
    vault: VaultConfig | None = None
    allow_plain_vectors: bool = False
    audit_key: Text | None = Field(default=None, repr=False)
    model: Named | None = None
    relations: dict[str, Cardinality] = Field(default={})
    conflicts: ConflictStrategy | dict[str, ConflictStrategy] = DEFAULT
    trust: TrustConfig | None = None
    planner: Literal["rules", "model"] | None = "rules"
    linker: Literal["rules", "model"] = "rules"
    judge: Literal["rules", "model"] = "rules"
    sessions: SessionsConfig = SessionsConfig()
    threads: ThreadsConfig = ThreadsConfig()
    store: StoreConfig = StoreConfig()
    procedural: ProceduralConfig | None = None
    working: WorkingConfig = WorkingConfig()
    consolidate_after: Duration | None = None
    forgetting: ForgettingConfig | None = None
    receipts_days: Number | None = 90.0
    episodes: bool = True
    episodes_for: Duration | None = None
    embedding_name: Text | None = None
    embedding_timeout_s: Number | None = 30.0
    busy_timeout_s: Number = DEFAULT_BUSY_TIMEOUT_S
    answer_timeout_s: Number | None = DEFAULT_ANSWER_TIMEOUT_S
