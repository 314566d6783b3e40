"""What an observer is told: ids and numbers of what memory did, never a word of what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from langchain_agentmem.types.recall import RecallStatus
from langchain_agentmem.types.scope import Scope
from langchain_agentmem.types.showing import briefly

Operation: TypeAlias = Literal[
    "remember",
    "learn",
    "revise",
    "merge",
    "feedback",
    "forget",
    "restore",
    "erase",
    "erase_user",
    "keep_episodes",
    "drop_episodes",
    "withdraw",
]
"""`erase_user`: all that is stored of a user. `withdraw`: the user's consent, or a part of it. Episodes that expire are
`drop_episodes` by the rule `expired`; what a cycle of forgetting does is `forget`, by its moves, and `erase`."""


class RecallSeen(NamedTuple):
    """A recall that ended. A tuple, because every recall makes one.

    Attributes:
        status: As the recall says; `failed` where it raised, and `error` names the class then.
        seconds: How long the caller waited.
        memory_ids: Of the hits, best first. `episodes`: how many of them are turns of conversations.
        constraints: How many came beside the hits.
        tokens: About how many all of them take in a prompt.
    """

    scope: Scope
    status: RecallStatus | Literal["failed"]
    seconds: float
    receipt_id: str | None = None
    memory_ids: tuple[str, ...] = ()
    episodes: int = 0
    constraints: int = 0
    tokens: int = 0
    error: str | None = None


class Ruled(NamedTuple):
    """How many records a rule brought to an end in the same way."""

    verdict: str
    rule: str
    records: int = 1


class WriteSeen(NamedTuple):
    """A write that ended, a refused one too.

    Attributes:
        outcomes: What became of the records it was about, by verdict and rule. A `Decision` has its own; what changed
            without one is `changed`, `erased` or `dropped`, by the rule of its operation.
        memory_id: Of the memory, where the write is about one.
        error: Class of what was raised, where it failed.
    """

    scope: Scope
    operation: Operation
    seconds: float
    outcomes: tuple[Ruled, ...] = ()
    memory_id: str | None = None
    error: str | None = None


class UseSeen(NamedTuple):
    """What became of a recall: how many of its memories the answer used, did not use, and could not be judged."""

    scope: Scope
    receipt_id: str
    used: int = 0
    unused: int = 0
    unknown: int = 0


class InjectionSeen(NamedTuple):
    """Memories of a recall that a model call was shown: how many, and about how many tokens they take there."""

    scope: Scope
    receipt_id: str
    memories: int = 0
    tokens: int = 0


class Observer:
    """Watches what memory does; override what you want to hear of, and pass it in `observers=[…]`.

    A method is called where the work was done: on the caller's thread, or on its event loop. It is to return at once.
    What it raises is logged, and changes nothing.
    """

    def on_recall(self, seen: RecallSeen) -> None:
        """Hear of a recall."""

    def on_write(self, seen: WriteSeen) -> None:
        """Hear of a write."""

    def on_injection(self, seen: InjectionSeen) -> None:
        """Hear of what a model call was shown."""

    def on_use(self, seen: UseSeen) -> None:
        """Hear of what an answer used."""


class LayerSize(NamedTuple):
    """How much of a layer is stored: rows, and the bytes of what is in them, without the database's own.

    Of what is on Redis, the bytes are those that the server itself reports for the keys.
    """

    rows: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What is stored in the SQL database and on Redis, of one user or of all.

    Attributes:
        layers: `conversations` (messages), `threads` (checkpoints), `working` (states of tasks), `memories`,
            `episodes`, `vectors` of both, `log` (events), `receipts`, `runs` (steps), `store` (items), `jobs` (what
            waits to be done), and where there is a Redis, `profiles` (copies on it).
            What is in a vector store is not counted: it is a copy of `vectors`.
        users: How many have a ledger; 1 or 0 where it is about one.
    """

    __repr__ = briefly()

    at: datetime
    layers: Mapping[str, LayerSize] = field(default_factory=dict)
    users: int = 0

    @property
    def rows(self) -> int:
        """Return the rows of all layers."""
        return sum(it.rows for it in self.layers.values())

    @property
    def bytes(self) -> int:
        """Return the bytes of all layers."""
        return sum(it.bytes for it in self.layers.values())

    def __add__(self, other: Usage) -> Usage:
        """Return what is stored in two places together."""
        layers = dict(self.layers)
        for name, size in other.layers.items():
            known = layers.get(name, LayerSize())
            layers[name] = LayerSize(known.rows + size.rows, known.bytes + size.bytes)
        return Usage(at=self.at, layers=layers, users=self.users + other.users)

    def since(self, before: Usage) -> dict[str, LayerSize]:
        """Return by how much each layer grew (below 0: shrank) since an earlier look."""
        grown = {}
        for name, size in self.layers.items():
            old = before.layers.get(name, LayerSize())
            grown[name] = LayerSize(size.rows - old.rows, size.bytes - old.bytes)
        return grown
