"""The life of a memory, as its events tell it: how it began, what ended it, and what a person was asked.

A scan for sensitive data deletes the payloads of all that was said of a memory before. What they told of its life, the
event `cleaned` carries on; what it was in the database that a memory was imported from, the event that brings it does.
All are read here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.ledger.codec import from_micros
from langchain_agentmem.types import Event, Status
from langchain_agentmem.types.memories import LIVE_STATUSES

IMPORTED_LIFE: Final = "life"
"""In the note of the event that brings a memory: what its life told where it comes from; see `Life.carried`."""

ENDINGS: Final = frozenset({"forgotten", "rejected", "approval_expired", "superseded"})
"""Events by which a memory may come to be archived or superseded."""

MERGING: Final = frozenset({"consolidated", "derived"})
"""Rules under which a memory ends for one that says the same."""

_STATED: Final = frozenset({"remembered", "approval_asked", "revised", "contradicted"})
"""Events after which there is something else to decide on."""

_ASKED: Final = ("reason", "agent", "session", "run", "speaker", "expires_at")
"""What is noted of a question."""

_HELD: Final = ("valid_at", "invalid_at")

_HELD_TRUE: Final = frozenset({"active", "superseded"})

_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked of a memory that waits; what waits by another rule was asked when it was remembered.

    Attributes:
        seq: Of the event by which it was asked, at that time.
        note: What is known of the question; `None`: an earlier release deleted it.
    """

    seq: int
    at: datetime
    note: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What the events of a memory tell since it was remembered; nothing of another life that an erasure ended.

    Attributes:
        began: The source that it began with, whatever a revision made of that since.
        before: The last status in which it was live. `was`: what it was when it was put away last; `None` where the log
            does not tell.
        ended_by: The memory that replaced it last; `None` where the log does not tell, as in an import of an export
            that an earlier release wrote. `was_merged_into`: whether that says the same.
        held: Its own `valid_at` and `invalid_at`, whatever is made of them while it is replaced, in microseconds; none
            where the log does not tell.
        went_with: The memory because of which it was forgotten last. `back_with`: the one because of which it came
            back, if nothing happened to it since.
        left_of: The memory of which it is what remained when a part of that was over; `None` where the log does not
            tell, as in such an import.
        left: What remained of it, where an import tells so: the log of another database has the events beside its end.
        status: What it is by now; `None`: the log tells nothing of it.
        ending: The last of `ENDINGS`; `None`: that was taken back. `was_forgotten`: whether it ever was forgotten.
            `is_in_part`: whether the user asked to forget a part of it last, and what else it said was to stay.
        rule: Which decided last. `why`: for what reason.
        version: The last event that changed what is to be decided. `asked`: what was asked.
    """

    began: str | None = None
    before: Status = "active"
    was: Status | None = None
    ended_by: str | None = None
    was_merged_into: bool = False
    held: Mapping[str, int | None] = field(default_factory=dict)
    went_with: str | None = None
    back_with: str | None = None
    left_of: str | None = None
    left: tuple[str, ...] = ()
    status: Status | None = None
    ending: str | None = None
    was_forgotten: bool = False
    is_in_part: bool = False
    rule: str | None = None
    why: str = field(default="", repr=False)
    version: int = 0
    asked: Asked | None = None

    @classmethod
    def of(cls, events: Iterable[Event]) -> Life:
        """Return the life that the events of one memory tell, all of them in order."""
        told: dict[str, Any] = {}
        status: Status | None = None
        for event in events:
            note = {**event.note, **event.note.get(IMPORTED_LIFE, {})}
            if event.type == "remembered":
                told = {}
            status = "erased" if event.type == "erased" else (event.payload or {}).get("status", status)
            told |= _of_any(event, note)
            told["held"] = {**told.get("held", {}), **_held(event, note, status)}
            if event.type in _TELLS:
                told |= _TELLS[event.type](event, note)
            if event.type == "cleaned":
                told |= _carried_on(event, note, told.get("asked"))
        return cls(**told, status=status)

    @property
    def was_merged(self) -> bool:
        """Whether it began as a merge."""
        return self.began == "merged"

    @property
    def again(self) -> dict[str, Any]:
        """What it is once nothing stands in its place any more: live as before, and until its own end."""
        held = {name: from_micros(it) for name, it in self.held.items()}
        return {"status": self.before, "invalid_at": None, "expired_at": None, **held}

    @property
    def carried(self) -> dict[str, Any]:
        """What is to be told of it where its events do not tell it any more: ids, times, and no word."""
        told = {
            "by": self.ended_by,
            "merged_into": self.was_merged_into,
            "with": self.went_with,
            "back_with": self.back_with,
            "was": self.was,
            "before": self.before,
            "began": self.began,
            "left_of": self.left_of,
            "left": [*self.left],
            "in_part": self.is_in_part,
            "forgotten": self.was_forgotten,
        }
        return {"held": {**self.held}, **{name: it for name, it in told.items() if it}}

    def note(self, masked: Callable[[str], str]) -> dict[str, Any]:
        """Return what `cleaned` carries on of it: nobody else can tell it then.

        Args:
            masked: Makes of a reason what may be kept of it.
        """
        known = {**self.carried, "ending": self.ending, **({"why": why} if (why := masked(self.why)) else {})}
        if self.asked is None or self.asked.note is None:
            return known
        reason = {"reason": masked(str(self.asked.note["reason"]))} if self.asked.note.get("reason") else {}
        return {**known, "asked": {**self.asked.note, **reason}}


def read_life(reader: LedgerReader, memory_id: str) -> Life:
    """Return the life of a memory of any agent."""
    return Life.of(_events(reader, memory_id))


def reasons_of(event: Event) -> Iterator[str]:
    """Yield what an event says in words of the user's or of a program: why, and why it was before a `cleaned`."""
    yield from (str(told["reason"]) for told in (event.note, event.note.get("asked", {})) if told.get("reason"))
    yield from filter(None, [event.note.get("why")])


def _events(reader: LedgerReader, memory_id: str) -> Iterator[Event]:
    after = 0
    while True:
        batch = reader.events(memory_id=memory_id, after=after, limit=_BATCH)
        yield from batch
        if len(batch) < _BATCH:
            return
        after = batch[-1].seq


def _of_any(event: Event, note: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an event of any type tells."""
    status = event.payload.get("status") if event.payload else None
    told: dict[str, Any] = {}
    if status in LIVE_STATUSES:
        told["before"] = status
    elif note.get("before") in LIVE_STATUSES:
        told["before"] = note["before"]
    if note.get("was", "archived") != "archived":
        told["was"] = note["was"]
    if event.type in ENDINGS:
        told["ending"] = event.type
    if event.type in _STATED:
        told["version"] = event.seq
    if event.type != "cleaned":
        told["back_with"] = None
        if event.rule is not None:
            told |= {"rule": event.rule, "why": str(note.get("reason", ""))}
    return told


def _held(event: Event, note: Mapping[str, Any], status: Status | None) -> Mapping[str, Any]:
    """Return what an event tells of a memory's own beginning and end: of what is replaced, another's may stand there.

    Args:
        event: What happened.
        note: What it tells beside.
        status: Of the memory after it.
    """
    if "held" in note:
        told: Mapping[str, Any] = note["held"]
        return told
    if status not in LIVE_STATUSES and event.type != "revised":
        return {}
    return {name: it for name, it in (event.payload or {}).items() if name in _HELD}


def _relations(event: Event, carried: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is carried of a life; earlier releases carried less: what the log tells beside it stays known."""
    told = {
        "began": carried.get("began", (event.payload or {}).get("source")),
        "ended_by": carried.get("by"),
        "went_with": carried.get("with"),
        "back_with": carried.get("back_with"),
        "left_of": carried.get("left_of"),
        "is_in_part": bool(carried.get("in_part")),
    }
    more = {
        "was_merged_into": carried.get("merged_into"),
        "was_forgotten": carried.get("forgotten"),
        "left": tuple(carried.get("left", ())),
    }
    return {**told, **{name: it for name, it in more.items() if it}}


def _asked(event: Event, note: Mapping[str, Any]) -> dict[str, Any]:
    known = None if event.payload is None else {name: note[name] for name in _ASKED if name in note}
    return {"asked": Asked(seq=event.seq, at=event.at, note=known)}


def _taken_back(event: Event, note: Mapping[str, Any]) -> dict[str, Any]:
    """Return what going or coming back tells: by what a memory is replaced then, and how it came to be archived."""
    told: dict[str, Any] = {}
    if "by" in note:
        told |= {"ended_by": note["by"], "was_merged_into": bool(note.get("merged"))}
    if (event.payload or {}).get("status") == "archived" and ("ending" in note or note.get("was") in _HELD_TRUE):
        told["ending"] = note.get("ending")  # earlier releases did not say
    return told


_TELLS: Final[Mapping[str, Callable[[Event, Mapping[str, Any]], dict[str, Any]]]] = {
    "remembered": lambda event, note: {
        **_relations(event, event.note.get(IMPORTED_LIFE, {"left_of": note.get("left_of")})),
        **_asked(event, note),
    },
    "approval_asked": _asked,
    "superseded": lambda event, note: {"ended_by": note.get("by"), "was_merged_into": event.rule in MERGING},
    "reverted": _taken_back,
    "forgotten": lambda _, note: {
        "went_with": note.get("with"),
        "was_forgotten": True,
        "is_in_part": bool(note.get("in_part")),
    },
    "restored": lambda event, note: {"back_with": note.get("with"), **_taken_back(event, note)},
}
"""What events of each type tell."""


def _carried_on(event: Event, note: Mapping[str, Any], asked: Asked | None) -> dict[str, Any]:
    """Return what `cleaned` tells of all before it."""
    return {
        **_relations(event, note),
        **{name: note[name] for name in ("ending",) if name in note},  # earlier releases did not say
        "why": note.get("why", ""),
        "asked": None if asked is None else Asked(seq=asked.seq, at=asked.at, note=note.get("asked")),
    }
