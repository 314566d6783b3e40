"""What the ledger hands to an index, and what an index hands back.

An index proposes ids by relevance inside one scope; it never decides. Times are integers: microseconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langchain_agentmem.types import KINDS, STATUSES, Candidate, Kind, Memory, Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from langchain_agentmem.index.snapshot import Snapshot

KIND_CODES: Final[Mapping[str, int]] = {kind: code for code, kind in enumerate(KINDS)}
STATUS_CODES: Final[Mapping[str, int]] = {status: code for code, status in enumerate(STATUSES)}


class SearchRow(NamedTuple):
    """One memory as an index sees it: no text, only what search needs. A tuple, because a cold view makes thousands.

    Attributes:
        agent_id: `None` where the memory is shared by the user's agents.
        status: A row with status `erased` is to be dropped from every index.
        terms: Output of `_terms.encode_terms(search_text(memory))`: stemmed token counts.
        labels: Output of `_terms.encode_labels(...)`: hashes of tags and purposes.
        vector: float32 little-endian unit vector of the current embedding model, or `None`.
        revision: Number of the event that changed the memory last.
    """

    memory_id: str
    revision: int
    agent_id: str | None
    kind: Kind
    status: Status
    confidence: float
    created_at: int
    valid_at: int | None
    invalid_at: int | None
    expires_at: int | None
    terms: bytes
    labels: bytes
    vector: bytes | None


@dataclass(slots=True)
class SearchColumns:
    """Search rows of distinct memories, column by column: a cold view of thousands of rows never makes one of them.

    Attributes:
        erased: Ids of the rows of status `erased`; the columns hold the others.
        renewed_at: When rows of the ledger that had no vector got one last; another time than before asks for all rows.
        kept: A view that holds all that is older, for who has none yet.
        has_vector: Of each row; `vectors`: those that there are, some joined. `vector_sizes`: the bytes of each.
    """

    memory_id: list[str] = field(default_factory=list)
    revision: list[int] = field(default_factory=list)
    agent_id: list[str | None] = field(default_factory=list)
    kind: list[Kind] = field(default_factory=list)
    status: list[Status] = field(default_factory=list)
    confidence: list[float] = field(default_factory=list)
    created_at: list[int] = field(default_factory=list)
    valid_at: list[int | None] = field(default_factory=list)
    invalid_at: list[int | None] = field(default_factory=list)
    expires_at: list[int | None] = field(default_factory=list)
    terms: list[bytes] = field(default_factory=list)
    labels: list[bytes] = field(default_factory=list)
    has_vector: list[bool] = field(default_factory=list)
    vectors: list[bytes] = field(default_factory=list)
    vector_sizes: set[int] = field(default_factory=set)
    erased: list[str] = field(default_factory=list)
    renewed_at: int = 0
    kept: Snapshot | None = None

    @classmethod
    def of(cls, rows: Sequence[SearchRow]) -> SearchColumns:
        """Return rows as columns; of several of one memory, the one of the highest revision."""
        latest = {row.memory_id: row for row in sorted(rows, key=itemgetter(_REVISION))}
        columns = cls()
        columns.extend(list(latest.values()))
        return columns

    def __len__(self) -> int:
        """Return the number of rows, those of status `erased` included."""
        return len(self.memory_id) + len(self.erased)

    def rows(self) -> list[SearchRow]:
        """Return the rows that the columns hold, without their vectors."""
        fields = (getattr(self, name) for name in SearchRow._fields[:-1])
        return [SearchRow._make((*row, None)) for row in zip(*fields, strict=True)]

    def extend(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows, each with the fields of a `SearchRow` in their order."""
        columns = list(zip(*rows, strict=True))
        if columns and "erased" in columns[_STATUS]:
            self.erased += [row[_ID] for row in rows if row[_STATUS] == "erased"]
            columns = list(zip(*(row for row in rows if row[_STATUS] != "erased"), strict=True))
        if not columns:
            return
        *fields, vectors = columns
        for name, column in zip(SearchRow._fields, fields, strict=False):  # all but the vector
            getattr(self, name).extend(column)
        self.has_vector += [vector is not None for vector in vectors]
        here = [vector for vector in vectors if vector is not None]
        self.vector_sizes.update(map(len, here))
        self.vectors.append(b"".join(here))


_ID: Final = SearchRow._fields.index("memory_id")
_REVISION: Final = SearchRow._fields.index("revision")
_STATUS: Final = SearchRow._fields.index("status")

ENDS_ASKING: Final = 1
"""What was said ends with a question mark."""

ASKS: Final = 2
"""There is a question mark in what was said."""

FIRST_PERSON: Final = 4
"""Who speaks, speaks of themselves."""

HAS_REPLY: Final = 8


class EpisodeLink(NamedTuple):
    """What an episode updates.

    Attributes:
        old_id: The earlier episode.
        kind: What kind of value changed.
        terms: Hashes of the terms that tell what it is the value of, and that both have.
        event_seq: The event of the log that says so.
    """

    old_id: str
    kind: str
    terms: frozenset[int]
    event_seq: int = 0


class ClaimRow(NamedTuple):
    """The values that were stated in one episode, and where it stands among the others.

    Attributes:
        speaker: Hash of the speaker's name.
        claims: Output of `policies.claims.pack_claims`; empty where the episode is gone.
    """

    episode_id: str
    revision: int
    agent_id: str | None
    session_id: str
    place: int
    at: int
    speaker: int
    claims: bytes


class EpisodeRow(NamedTuple):
    """One episode as a view sees it: no text, only what search needs.

    Attributes:
        is_gone: The row is to be dropped from every view; all that follows is empty then.
        updates: The earlier episodes that it updates.
        speaker: Hash of the speaker's name, as `_terms.speaker_hash` gives it; `first_name`: of its first word.
        signs: Bits of `ENDS_ASKING`, `ASKS`, `FIRST_PERSON`, `HAS_REPLY`.
        terms: Encoded terms of what was said; `pairs`: of its neighbouring terms; `reply_terms`: of what was replied.
        purposes: Hashes of those that it may be used for; empty: all.
        vector: float32 little-endian unit vector of what was said, or `None`.
    """

    episode_id: str
    revision: int
    agent_id: str | None
    session_id: str
    place: int
    at: int
    expires_at: int | None
    is_gone: bool
    updates: tuple[EpisodeLink, ...]
    speaker: int
    first_name: int
    signs: int
    terms: bytes
    pairs: bytes
    reply_terms: bytes
    purposes: tuple[int, ...]
    vector: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Which rows may be proposed; applied before the cut. The ledger verifies each proposal again on its own row.

    Args:
        agent_id: Rows of this agent and shared rows; `None`: shared rows only.
        kinds: Kinds allowed; `None`: all. `statuses`: statuses allowed.
        tags: All of them must be on the row.
        purposes: Rows that name purposes must name one of these; empty: only rows that name none; `None`: whatever they
            name, where nothing is shown of them.
        now: Rows with `expires_at <= now` are out.
        at: Time at which the row must be valid (`valid_at <= at < invalid_at`, open where unknown).
        ended: Also rows whose validity had ended by then.
        since: Rows valid (where unknown: created) at or after; `until`: before.
    """

    now: int
    at: int
    ended: bool = False
    agent_id: str | None = None
    kinds: tuple[Kind, ...] | None = None
    statuses: tuple[Status, ...] = ("active",)
    tags: tuple[str, ...] = ()
    purposes: tuple[str, ...] | None = ()
    min_confidence: float = 0.0
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How the words of a question are to be matched, by the hashes of their terms.

    Attributes:
        related: What else may stand for a term, and what it counts, in (0, 1]: a form of the word, or one that answers.
        faint: Terms that count little beside others: what they say, questions about anything say.
    """

    related: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    faint: frozenset[int] = frozenset()


PLAIN: Final = Wording()
"""Every word as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """One search.

    Args:
        text: Words to match; may be empty. `wording`: how they are matched.
        vector: Unit vector of the text, float32 of shape (dim,), or `None` where there is no embedding model.
        is_of_oneself: The user asks about themselves: what is hardly near may answer.
        limit: Proposals at most.
        offset: Proposals to pass over first; pages of one question show each row once as long as nothing is written.
    """

    text: str
    filter: SearchFilter
    wording: Wording = PLAIN
    vector: NDArray[np.float32] | None = None
    is_of_oneself: bool = False
    limit: int = 15
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDate:
    """A day, or a month, that a question names; without a year, that of any year.

    Attributes:
        weight: How surely it is the one that is meant, in (0, 1].
    """

    month: int
    day: int | None = None
    year: int | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Days that a question names, both ends included: days since 1970.

    Attributes:
        slack: How many days before and after them may be meant as well, the less the further away.
        weight: How much it says that something was said then, in (0, 1]: a year says less than a day.
    """

    first: int
    last: int
    slack: int = 0
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeQuery:
    """One search in a user's conversations.

    Args:
        terms: Encoded terms to match. `pairs`: encoded pairs of neighbouring terms to match.
        wording: How the terms are matched.
        speakers: Hashes of speakers that the question names. `identifiers`: encoded terms that name one thing alone.
        dates: Days and months that it names: what was said then, or soon after, is preferred. `utc_offset`: by so many
            microseconds they begin before those of UTC.
        vector: Unit vector of what is asked, or `None` where there is no embedding model.
        now: Rows with `expires_at <= now` are out.
        agent_id: Rows of this agent and shared rows; `None`: shared rows only.
        purposes: Rows that name purposes must name one of these; empty: only rows that name none; `None`: whatever they
            name. Others are as if they were not there.
        without: Ids of rows that are not to be proposed.
        since: Rows said at or after; `until`: before.
        as_of: Rows said later are out, and update nothing yet.
        asks_for_value: It asks for something as it is now: what was updated is proposed after what updated it.
        asks_for_past: It asks for it as it was: no update moves anything.
        dated: Hashes of those of its terms that only say when: what lacks them is no less of an answer.
        days: Hashes of numbers of days, each with those of its month: they count only where that is named as well.
        slots: Terms that stand for what it asks the value of, beside its words.
        is_of_speaker: It asks for nothing but what the speakers named said. `is_of_time`: nothing but what was said
            then, which a whole year tells as well as a day.
        limit: Proposals at most.
    """

    terms: bytes
    now: int
    pairs: bytes = b""
    wording: Wording = PLAIN
    identifiers: bytes = b""
    speakers: frozenset[int] = frozenset()
    dates: tuple[NamedDate | Period, ...] = ()
    utc_offset: int = 0
    vector: NDArray[np.float32] | None = None
    agent_id: str | None = None
    purposes: tuple[str, ...] | None = None
    without: frozenset[str] = frozenset()
    since: int | None = None
    until: int | None = None
    as_of: int | None = None
    asks_for_value: bool = False
    asks_for_past: bool = False
    dated: frozenset[int] = frozenset()
    days: Mapping[int, frozenset[int]] = field(default_factory=dict)
    slots: frozenset[int] = frozenset()
    is_of_speaker: bool = False
    is_of_time: bool = False
    limit: int = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An id that an index proposes.

    Attributes:
        relevance: In [0, 1], higher is better. `parts`: what it is made of (`vector`: cosine clipped to [0, 1];
            `lexical`: BM25 as a share of the best score any document could reach for this query).
        updates: Ids of rows that it updates. `updated_by`: id of the row that updated it.
        vector: Its unit vector, where the index has it at hand: near-duplicates are told by it.
    """

    memory_id: str
    relevance: float
    parts: Mapping[str, float] = field(default_factory=dict)
    updates: tuple[str, ...] = ()
    updated_by: str | None = None
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)


def search_text(record: Memory | Candidate) -> str:
    """Return the words by which a memory is found: its content, and what it is known to mean.

    "The user moved to Berlin last month" answers "where do I live?" only through its relation, `lives_in`.
    """
    return found_by(record.content, record.subject, record.relation, record.object)


def found_by(content: str, subject: str | None, relation: str | None, object_: str | None) -> str:
    """Return what `search_text` does of a memory with these."""
    if relation is None or object_ is None:
        return content
    return f"{content}\n{subject or ''} {relation.replace('_', ' ').replace(':', ' ')} {object_}"
