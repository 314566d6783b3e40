"""A governed memory under every operation there is, beside a model of it that a person can check by reading.

The model knows what each user allowed, what each memory says and in which state it is. What an operation is not about
must stay as it is; what is erased must be nowhere; what is not allowed must not be recalled.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from langchain_agentmem import AgentMemory, ApprovalPolicy, Candidate, Decision, Memory, Provenance, RecallQuery, Scope
from langchain_agentmem._flow import run
from langchain_agentmem.errors import AgentMemError, GovernanceError
from langchain_agentmem.forgetting import ForgettingPolicy
from langchain_agentmem.ledger.base import Page
from langchain_agentmem.policies.approve import BySpeaker
from langchain_agentmem.policies.confidence import Signal
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.sql.schema import MEMORIES, METADATA, SUBJECTS
from langchain_agentmem.types import KINDS, Kind, Status
from langchain_agentmem.vault import KeyFolder, SubjectVault, resealing
from tests.ledgers import dump

Rows: TypeAlias = dict[str, Memory]
State: TypeAlias = dict[str, tuple[str, str]]

PEOPLE: Final = (Scope("alice"), Scope("bob"), Scope("alice", tenant_id="acme"))
AGENTS: Final = (None, "helper")
PURPOSES: Final = ("support", "research")
USED_KINDS: Final[tuple[Kind, ...]] = ("fact", "preference", "goal")
EVERY: Final[tuple[Status, ...]] = ("pending", "active", "superseded", "archived")
WORDLESS: Final = ("", "")
"""What is known of a memory as it was before all of its user's was erased: that it was there."""

DAY: Final = timedelta(days=1)
ASKED_FOR: Final = 5 * DAY
STRICT: Final = SensitivePolicy(rules={"*": "redact"})
OPTIONS: Final[dict[str, Any]] = {
    "embeddings": None,
    "approval": ApprovalPolicy(rules=[BySpeaker({"tool": "ask"})], expires_after=ASKED_FOR),
    "forgetting": ForgettingPolicy(superseded_days=20, archived_days=20, max_idle_days=120),
    "sensitive": SensitivePolicy(rules={"*": "keep"}),
}

SOAK: Final = int(os.environ.get("AGENTMEM_TEST_SOAK", "0"))
"""`make soak` asks for ten: ten thousand operations in a file and two thousand on PostgreSQL, others each time."""

who, agent = st.integers(0, len(PEOPLE) - 1), st.sampled_from(AGENTS)
number, kind = st.integers(0, 1_000), st.sampled_from(USED_KINDS)
some_kinds = st.one_of(st.none(), st.lists(kind, min_size=1, max_size=2, unique=True))
named_purposes = st.lists(st.sampled_from(PURPOSES), min_size=1, max_size=2, unique=True)
some_purposes: st.SearchStrategy[list[str]] = st.one_of(st.just([]), named_purposes)


def drawn(examples: int, *, soaked: int) -> settings:
    """Return how many histories are drawn, of 25 operations; where it is soaked, of 100."""
    return settings(
        max_examples=soaked * SOAK // 10 or examples,
        stateful_step_count=100 if SOAK else 25,
        derandomize=not SOAK,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=(Phase.generate,),  # a failing run is told as it was: making it smaller takes minutes
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )


@dataclass
class Allowed:
    """What a user said of one kind of memory."""

    status: str = "unknown"
    purposes: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    until: datetime | None = None

    def holds(self, now: datetime) -> bool:
        return self.status == "granted" and (self.until is None or now < self.until)

    def covers(self, purpose: str) -> bool:
        return purpose in self.purposes if self.purposes else purpose not in self.without

    def less(self, purposes: Sequence[str]) -> Allowed:
        left = self.purposes - {*purposes}
        if self.status == "withdrawn" or (self.purposes and not left):
            return Allowed("withdrawn")
        return Allowed(self.status, left, self.without | {*purposes}, self.until)


@dataclass
class Copy:
    """What an export of a user holds."""

    path: Path
    rows: Rows
    said: dict[str, set[str]]
    allowed: dict[str, Allowed]


@dataclass
class Person:
    """What the model knows of one user; `ended` is what went when all of the user did, and an import may bring back."""

    scope: Scope
    rows: Rows = field(default_factory=dict)
    said: dict[str, set[str]] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)
    copies: list[Copy] = field(default_factory=list)
    cleaned: set[str] = field(default_factory=set)
    past: dict[int, State] = field(default_factory=dict)
    times: dict[int, datetime] = field(default_factory=dict)
    allowed: dict[str, Allowed] = field(default_factory=lambda: {it: Allowed() for it in KINDS})
    is_held: bool = False

    def seen_by(self, agent_id: str | None) -> Rows:
        return {key: it for key, it in self.rows.items() if it.scope.agent_id in {None, agent_id}}

    def ids(self, agent_id: str | None, *statuses: str) -> list[str]:
        return sorted(key for key, it in self.seen_by(agent_id).items() if not statuses or it.status in statuses)

    def family(self, one: str) -> set[str]:
        """A memory, what it was made from or replaced, and what was made from it."""
        found, size = {one}, 0
        while size < len(found):
            size = len(found)
            for key, it in self.rows.items():
                if key in found or found & {*it.supersedes}:
                    found |= {key, *it.supersedes}
        return found

    def admits(self, memory: Memory, now: datetime, *, where_silent: bool = False) -> bool:
        of = self.allowed[memory.kind]
        may = of.holds(now) or (where_silent and of.status == "unknown")
        return may and (not memory.purposes or any(map(of.covers, memory.purposes)))


def state_of(rows: Rows) -> State:
    return {key: (it.status, it.content) for key, it in rows.items()}


def essence(memory: Memory) -> tuple[Any, ...]:
    """What nothing but an operation on a memory may change."""
    return memory.status, memory.content, memory.kind, memory.purposes, memory.pinned, memory.scope, memory.expires_at


class Governed(RuleBasedStateMachine):
    """Users who remember, allow, forget and change their minds, all in one database: a file, unless a URL is given."""

    def __init__(self, url: str | None = None) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.away = Path(tempfile.mkdtemp())
        self.is_file = url is None
        self.url = url or f"sqlite:///{self.folder.name}/agent.db"
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.people = [Person(scope) for scope in PEOPLE]
        self.ids = count(1)
        self.words = 0
        self.is_sealed = False
        self.vault: SubjectVault | None = None
        self.others: tuple[Scope, Any] | None = None

    @initialize(place=number)
    def begin(self, place: int) -> None:
        """Most have agreed and said something before; one in four histories begins with nothing."""
        self.is_sealed = place % 3 == 0
        self._open()
        for index in range(len(PEOPLE)) if place % 4 else ():
            self.grant(index, [], None, 0)
            for each in range(4):
                self.remember(index, AGENTS[each % 2], USED_KINDS[each % 3], [], each + 3, pinned=False)

    def _open(self) -> None:
        self.vault = SubjectVault(KeyFolder(self.away / "keys")) if self.is_sealed else None
        given: dict[str, Any] = {
            "clock": lambda: self.now,
            "new_id": lambda: f"{next(self.ids):05}",
            "vault": self.vault,
        }
        self.memory = AgentMemory.connect(sql=self.url, **given, **OPTIONS)

    def teardown(self) -> None:
        try:
            if hasattr(self, "memory"):
                self.all_is_provable()
                left = b"" if self.is_file else repr(dump(self.memory._database)).encode()
                self.memory.close()
                self.nothing_erased_is_left(left)
        finally:
            self.folder.cleanup()
            shutil.rmtree(self.away)

    # --------------------------------------------------------------------------------------------------------- support
    def word(self) -> str:
        """A word that nobody has said yet."""
        self.words += 1
        place, letters = self.words, ""
        for _ in range(4):
            place, rest = divmod(place, 20)
            letters += "bcdfghjklmnpqrstvwxz"[rest] + "aou"[rest % 3]
        return f"zy{letters}x"

    def turn(self, index: int) -> Person:
        """Begin an operation of a person, a moment later; remember what is stored of all others."""
        self.now += timedelta(seconds=1)
        person = self.people[index]
        self.others = (person.scope, self._stored_of_others(person.scope))
        return person

    def _stored_of_others(self, scope: Scope) -> Mapping[str, Any]:
        tables = [table for table in METADATA.sorted_tables if "subject_id" in table.columns]
        held = dump(self.memory._database, *tables)
        mine = {
            row[0]
            for row in held[SUBJECTS.name]
            if {"user_id": scope.user_id, "tenant_id": scope.tenant_id}.items()
            <= dict(zip(SUBJECTS.columns.keys(), row, strict=True)).items()
        }
        places = {table.name: table.columns.keys().index("subject_id") for table in tables}
        return {name: [row for row in rows if row[places[name]] not in mine] for name, rows in held.items()}

    def read(self, person: Person) -> Rows:
        found: Rows = {}
        for agent_id in AGENTS:
            scope = Scope(person.scope.user_id, tenant_id=person.scope.tenant_id, agent_id=agent_id)
            page = Page(statuses=EVERY, limit=1_000)
            reading = self.memory._parts[0].ledger.read(scope, lambda reader, page=page: reader.page(page))
            found |= {it.id: it for it in run(reading)}
        return found

    def at(self, person: Person, agent_id: str | None) -> Scope:
        return Scope(person.scope.user_id, tenant_id=person.scope.tenant_id, agent_id=agent_id)

    def done(self, person: Person, touched: Iterable[str] = ()) -> Rows:
        """Look at what is stored now: what the operation was not about is as it was. Return what was there before."""
        before, person.rows = person.rows, self.read(person)
        about = {*touched}
        for key, old in before.items():
            new = person.rows.get(key)
            assert key in about or (new is not None and essence(new) == essence(old)), f"{old} became {new}"
        assert not person.rows.keys() - before.keys() - about, "something appeared that nobody remembered"
        assert not person.gone & person.rows.keys(), "an erased memory came back"
        for key in before.keys() - person.rows.keys():
            person.gone.add(key)
            person.dead |= person.said.pop(key, set())
        seq = self.memory.long_term.verify(scope=person.scope).events
        person.past[seq], person.times[seq] = state_of(person.rows), self.now
        return before

    def tried(self, call: Callable[[], Any], *errors: type[AgentMemError]) -> Any:  # noqa: ANN401
        """Return what a call returns; `None` where it is refused as it may be."""
        expected = errors or (GovernanceError,)
        try:
            return call()
        except expected:
            return None

    def pick(self, ids: Sequence[str], place: int) -> str | None:
        return ids[place % len(ids)] if ids else None

    def noted(self, person: Person, decision: Decision, words: set[str], extra: Iterable[str] = ()) -> None:
        """Take over what was decided; the words of what was refused must be nowhere."""
        if decision.memory is None:
            assert decision.is_refused
            person.dead |= words
            self.done(person, extra)
            return
        one = decision.memory.id
        person.said.setdefault(one, set()).update(words)
        before = self.done(person, {one, *decision.superseded, *extra})
        expected = {"written": "active", "merged": "active", "pending": "pending"}[decision.verdict]
        if decision.rule == "revised":
            expected = before[one].status
        assert person.rows[one].status == expected, decision
        if decision.verdict != "pending":
            replaced = {person.rows[it].status for it in decision.superseded}
            assert replaced <= {"superseded", "archived"}, (decision, replaced)

    # --------------------------------------------------------------------------------------------------------- writing
    @rule(index=who, agent_id=agent, what=kind, how=number)
    def remember_for_anything(self, index: int, agent_id: str | None, what: Kind, how: int) -> None:
        """The user says something."""
        self.remember(index, agent_id, what, [], how, pinned=how % 2 == 0)

    @rule(index=who, purposes=some_purposes, how=number)
    def agree_and_say(self, index: int, purposes: list[str], how: int) -> None:
        """The user agrees, and says something."""
        self.grant(index, purposes, None, how % 40)
        self.remember(index, AGENTS[how % 2], USED_KINDS[how % 3], purposes, how, pinned=how % 5 == 0)

    @rule(index=who, agent_id=agent, what=kind, purposes=some_purposes, how=number, pinned=st.booleans())
    def remember(
        self, index: int, agent_id: str | None, what: Kind, purposes: list[str], how: int, *, pinned: bool
    ) -> None:
        """The user says something, or a tool does and somebody is asked; some of it ends by itself."""
        person, word = self.turn(index), self.word()
        words, content = {word}, f"The user keeps a {word} in the garden"
        if how % 5 == 0:
            words.add(mail := self.word())
            content += f" and writes to {mail}@mail.example"
        candidate = Candidate(
            content=content,
            kind=what,
            purposes=tuple(purposes),
            pinned=pinned and how % 3 == 0,
            expires_at=self.now + (how % 40) * DAY + DAY if how % 4 == 0 else None,
            provenance=Provenance(speaker="tool" if how % 7 < 2 else "user", evidence=content),
        )
        of = person.allowed[what]
        may = of.holds(self.now) and all(map(of.covers, purposes))
        decision = self.memory.long_term.remember(candidate, scope=self.at(person, agent_id))
        assert (decision.rule == "consent") != may, (decision, of)
        self.noted(person, decision, words)

    @rule(index=who, agent_id=agent, place=number, how=st.sampled_from(["revise", "correct", "merge"]), other=number)
    def change(self, index: int, agent_id: str | None, place: int, other: int, how: str) -> None:
        """The user says it in other words."""
        person, word = self.turn(index), self.word()
        scope, content = self.at(person, agent_id), f"The user keeps the {word} near the house"
        one, two = (self.pick(person.ids(agent_id), it) for it in (place, other))
        if one is None or two is None:
            return
        long_term = self.memory.long_term
        calls: dict[str, Callable[[], Decision]] = {
            "revise": lambda: long_term.revise(one, scope=scope, content=content),
            "correct": lambda: long_term.correct(one, content, scope=scope),
            "merge": lambda: long_term.merge([one, two], content, scope=scope),
        }
        decision = self.tried(calls[how], AgentMemError)
        if decision is None:
            person.dead.add(word)
            self.done(person)
        else:
            self.noted(person, decision, {word}, {one, two} if how == "merge" else {one})

    @rule(index=who, agent_id=agent, place=number, how=st.sampled_from(["confirmed", "contradicted"]))
    def feedback(self, index: int, agent_id: str | None, place: int, how: Signal) -> None:
        """A memory was right or wrong."""
        person = self.turn(index)
        one = self.pick(person.ids(agent_id), place)
        if one is not None:
            self.tried(lambda: self.memory.long_term.feedback(one, how, scope=self.at(person, agent_id)), AgentMemError)
            self.done(person, person.family(one))

    @rule(index=who, agent_id=agent, place=number)
    def forget_and_restore(self, index: int, agent_id: str | None, place: int) -> None:
        """What is forgotten can be taken back."""
        person, scope = self.turn(index), self.at(index_scope(self, index), agent_id)
        one = self.pick(person.ids(agent_id), place)
        if one is None:
            return
        if person.rows[one].status == "archived":
            self.tried(lambda: self.memory.long_term.restore(one, scope=scope), AgentMemError)
            self.done(person, {one})
            return
        self.tried(lambda: self.memory.long_term.forget(one, scope=scope), AgentMemError)
        self.done(person, person.family(one))

    @rule(index=who, agent_id=agent, place=number)
    def erase(self, index: int, agent_id: str | None, place: int) -> None:
        """What is erased is gone with what it was made from; under a hold nothing is."""
        person = self.turn(index)
        one = self.pick(person.ids(agent_id), place)
        if one is None:
            return
        erased = self.tried(lambda: self.memory.long_term.erase(one, scope=self.at(person, agent_id)))
        assert (erased is None) == person.is_held, "an erasure under a hold, or none without"
        before = self.done(person, {*(erased or ()), *person.rows})
        if erased is None:
            assert state_of(before) == state_of(person.rows)
        else:
            assert one in erased
            assert not {*erased} & person.rows.keys()
            back = {key for key in person.rows if essence(person.rows[key]) != essence(before[key])}
            assert all(before[key].status in {"superseded", "archived"} for key in back), "more than sources came back"

    # --------------------------------------------------------------------------------------------------------- reading
    @rule(index=who, agent_id=agent, place=number, purpose=st.sampled_from([None, *PURPOSES]))
    def recall(self, index: int, agent_id: str | None, place: int, purpose: str | None) -> None:
        """Only what is in force, visible and allowed is found; and that is."""
        person, scope = self.turn(index), self.at(index_scope(self, index), agent_id)
        one = self.pick(person.ids(agent_id), place)
        text = "what does the user keep in the garden?" if one is None else person.rows[one].content.split(" and ")[0]
        found = self.memory.long_term.recall(RecallQuery(text=text, purpose=purpose, limit=100), scope=scope)
        hits = [*found, *found.constraints]
        for hit in hits:
            row = person.rows[hit.memory.id]
            of = person.allowed[row.kind]
            assert row.status == "active"
            assert row.scope.agent_id in {None, agent_id}
            assert row.expires_at is None or row.expires_at > self.now
            assert person.admits(row, self.now), (row, of)
            if purpose is not None:
                assert of.covers(purpose)
                assert not row.purposes or purpose in row.purposes
            else:
                assert not of.purposes
        self.done(person)

    # --------------------------------------------------------------------------------------------------------- consent
    @rule(index=who, purposes=some_purposes, kinds=some_kinds, days=st.integers(0, 60))
    def grant(self, index: int, purposes: list[str], kinds: list[Kind] | None, days: int) -> None:
        """The user allows it: all, or some kinds, for some purposes, for some time."""
        person = self.turn(index)
        until = self.now + days * DAY if days % 3 == 1 else None
        self.memory.consent.grant(person.scope, purposes=purposes or None, kinds=kinds, expires_at=until)
        for it in kinds or KINDS:
            person.allowed[it] = Allowed("granted", frozenset(purposes), until=until)
        self.done(person)

    @rule(index=who, purposes=some_purposes, kinds=some_kinds, how=number)
    def withdraw(self, index: int, purposes: list[str], kinds: list[Kind] | None, how: int) -> None:
        """The user allows it no more; sometimes what it covered goes as well."""
        person, is_erased = self.turn(index), how % 4 == 0
        given: dict[str, Any] = {"purposes": purposes or None, "kinds": kinds, "erase": is_erased}
        done = self.tried(lambda: self.memory.consent.withdraw(person.scope, **given))
        assert (done is None) == (is_erased and person.is_held)
        if done is not None:
            for it in kinds or KINDS:
                person.allowed[it] = person.allowed[it].less(purposes) if purposes else Allowed("withdrawn")
        self.done(person, person.rows if is_erased else ())
        if is_erased and done is not None and not purposes:
            assert not [it for it in person.rows.values() if it.kind in (kinds or KINDS)], "what was covered is there"

    # ------------------------------------------------------------------------------------------------------- approvals
    @rule(index=who, agent_id=agent, place=number, how=st.sampled_from(["approve", "edit", "reject"]))
    def decide(self, index: int, agent_id: str | None, place: int, how: str) -> None:
        """A person decides on one of those that wait, and on nothing else."""
        person, word = self.turn(index), self.word()
        scope = self.at(person, agent_id)
        waiting = self.memory.approvals.list(scope=scope)
        assert {it.id for it in waiting} <= {*person.ids(agent_id, "pending")}
        if not waiting:
            return
        asked = waiting[place % len(waiting)]
        word_given = asked.edit(f"The user keeps a {word} elsewhere") if how == "edit" else getattr(asked, how)()
        [outcome] = self.memory.approvals.decide(word_given, scope=scope, decided_by="carol")
        if how == "edit":
            if outcome.verdict == "approved":
                person.said.setdefault(asked.id, set()).add(word)
            else:
                person.dead.add(word)
        self.done(person, {asked.id, *outcome.superseded})
        wanted = {"approved": "active", "rejected": "archived", "refused": "pending", "expired": "archived"}
        assert person.rows[asked.id].status == wanted[outcome.verdict]
        if outcome.verdict == "approved":
            assert how != "reject"
            assert person.allowed[person.rows[asked.id].kind].holds(self.now), "approved without consent"

    # ------------------------------------------------------------------------------------------------------------ time
    @rule(index=who, agent_id=agent, place=number, by_time=st.booleans())
    def rollback(self, index: int, agent_id: str | None, place: int, *, by_time: bool) -> None:
        """All that the scope sees is what it was; what is erased since stays so, and other agents' is untouched."""
        person, scope = self.turn(index), self.at(index_scope(self, index), agent_id)
        seqs = sorted(person.past)
        if not seqs:
            return
        seq = seqs[place % len(seqs)]
        at = person.times[seq]
        seq = max(it for it in seqs if person.times[it] <= at) if by_time else seq
        seen = person.seen_by(agent_id)
        done = self.tried(lambda: self.memory.timeline.rollback(scope, to=at if by_time else seq))
        self.done(person, seen)
        if done is None:
            return
        for key, (status, content) in person.past[seq].items():
            row = person.rows.get(key)
            if row is None or row.scope.agent_id not in {None, agent_id} or key in person.cleaned:
                continue
            if status == WORDLESS[0]:
                assert essence(row) == essence(seen[key]), "nobody knows what it said then, and it was changed"
                continue
            assert row.status == status, f"{key} is {row.status}, it was {status}"
            assert row.content == content, f"{key} does not say what it said"
        for key in seen.keys() & person.rows.keys() - person.past[seq].keys():
            assert person.rows[key].status == "archived", "what was not there is still believed"

    @rule(index=who, agent_id=agent, place=number, with_later=st.booleans())
    def undo(self, index: int, agent_id: str | None, place: int, *, with_later: bool) -> None:
        """One event is taken back, and the undoing of it leaves what was there before."""
        person, scope = self.turn(index), self.at(index_scope(self, index), agent_id)
        events = self.memory.timeline.events(scope, since=max(0, max(person.past, default=0) - 12))
        if not events:
            return
        seq = events[place % len(events)].seq
        undo = self.memory.timeline.undo
        done = self.tried(lambda: undo(seq, scope=scope, with_later=with_later), AgentMemError)
        before = self.done(person, () if done is None else {it.memory_id for it in done})
        if done is not None and place % 3 == 0 and done:
            assert done[0].event is not None
            again = undo(done[0].event, scope=scope)
            self.done(person, {it.memory_id for it in again})
            assert state_of(person.rows) == state_of(before), "the undoing undone is not what was there"

    @rule(hours=st.integers(1, 24 * 40))
    def wait(self, hours: int) -> None:
        """Time goes by."""
        self.now += timedelta(hours=hours)

    # ------------------------------------------------------------------------------------------------------ forgetting
    @rule(index=who, agent_id=agent)
    def forget_cycle(self, index: int, agent_id: str | None) -> None:
        """What is due moves, as the dry run said; nothing pinned, nothing held."""
        person, scope = self.turn(index), self.at(index_scope(self, index), agent_id)
        foreseen = self.memory.forgetting.forget_cycle(scope, dry_run=True)
        report = self.memory.forgetting.forget_cycle(scope)
        moves = {it.memory_id: it.move for it in report.moves}
        assert moves == {it.memory_id: it.move for it in foreseen.moves}
        before = self.done(person, {*moves, *report.erased, *(person.rows if report.erased else ())})
        self._stayed(person, before)
        assert {person.rows[key].scope.agent_id for key in moves.keys() & person.rows.keys()} <= {agent_id}

    def _stayed(self, person: Person, before: Rows) -> None:
        """Nothing pinned or held was let go, but for what ends by a time of its own."""
        for key, old in before.items():
            new = person.rows.get(key)
            is_over = old.expires_at is not None and old.expires_at <= self.now
            if person.is_held:
                assert new is not None, "erased under a hold"
            if old.pinned and old.status == "active" and not is_over:
                assert new is not None
                assert new.status == "active", "a pinned memory was let go"
            if new is None:
                assert old.status in {"archived", "superseded"}, f"erased without having been let go: {old}"

    @rule()
    def run_jobs(self) -> None:
        """Whatever is due by itself."""
        self.now += timedelta(seconds=1)
        self.others = None
        self.memory.jobs.run()
        for person in self.people:
            before = self.done(person, person.rows)
            self._stayed(person, before)
            for key, new in person.rows.items():
                assert new.content == before[key].content
                assert new.status == before[key].status or new.status == "archived" or before[key].status != "active"

    # --------------------------------------------------------------------------------------------------------- privacy
    @rule(index=who, days=st.integers(0, 30))
    def hold(self, index: int, days: int) -> None:
        """A legal hold is placed, or ends."""
        person = self.turn(index)
        if person.is_held:
            assert self.memory.privacy.release(person.scope, reason="over")
        else:
            self.memory.privacy.hold(person.scope, reason=f"case {days}")
        person.is_held = not person.is_held
        self.done(person)

    @rule(index=who, how=st.integers(0, 3))
    def erase_user(self, index: int, how: int) -> None:
        """All of a user is erased, now and then; they may begin anew."""
        person = self.turn(index)
        if how:
            return
        report = self.tried(lambda: self.memory.privacy.erase(person.scope))
        assert (report is None) == person.is_held
        self.done(person, person.rows if report else ())
        if report is not None:
            assert not person.rows
            person.past = {seq: dict.fromkeys(state, WORDLESS) for seq, state in person.past.items()}
            person.allowed = {it: Allowed() for it in KINDS}
            person.ended = {*person.gone}
            for words in person.said.values():
                person.dead |= words
            person.said = {}

    @rule(index=who)
    def export(self, index: int) -> None:
        """The user takes everything along."""
        person = self.turn(index)
        path = self.away / f"{self.word()}.jsonl"
        self.memory.privacy.export(person.scope, path, sealed=False)  # keys end with their user, and with rotations
        said = {key: {*words} for key, words in person.said.items()}
        person.copies.append(Copy(path, dict(person.rows), said, dict(person.allowed)))
        self.done(person)

    @rule(index=who, place=number)
    def import_again(self, index: int, place: int) -> None:
        """What was erased alone stays so; once the whole user was, their own export brings back what is allowed.

        What they had allowed comes along where the file is trusted, and they have said nothing since.
        """
        person = self.turn(index)
        if not person.copies:
            return
        copy = person.copies[place % len(person.copies)]
        is_silent = {it.status for it in person.allowed.values()} == {"unknown"}
        is_trusted = place % 3 > 0  # a plain file is not believed about consent by itself
        self.memory.privacy.import_(copy.path, scope=person.scope, trust_consent=is_trusted)
        person.allowed = dict(copy.allowed) if is_silent and is_trusted else person.allowed
        back = {key for key in copy.rows.keys() & person.ended if person.admits(copy.rows[key], self.now)}
        for them in (person.gone, person.ended, person.cleaned):
            them.difference_update(back)
        self.done(person, back)
        for key in back:
            assert essence(person.rows[key]) == essence(copy.rows[key])
            person.said[key] = {*copy.said[key]}
            person.dead -= copy.said[key]

    @rule(index=who, place=number)
    def leave_and_return(self, index: int, place: int) -> None:
        """The user takes everything along, is erased, and comes back with it, or with an earlier export."""
        self.export(index)
        self.nobody_else_is_touched()
        self.erase_user(index, how=0)
        self.nobody_else_is_touched()
        self.import_again(index, place)

    @rule(index=who, agent_id=agent)
    def scan(self, index: int, agent_id: str | None) -> None:
        """What is sensitive is taken out of all that the scope sees; a second look finds nothing."""
        person, scope = self.turn(index), self.at(index_scope(self, index), agent_id)
        sensitive = self.memory.sensitive
        if self.tried(lambda: sensitive.scan(scope, dry_run=False, policy=STRICT, layers=["facts"])) is None:
            self.done(person)
            return
        seen = person.seen_by(agent_id)
        self.done(person, seen)
        for key in seen.keys() & person.rows.keys():
            if person.rows[key].content != seen[key].content:
                person.cleaned.add(key)
            mails = {it for it in person.said.get(key, ()) if f"{it}@" in seen[key].content}
            person.dead |= mails
            assert not [it for it in mails if it in person.rows[key].content]
        assert not sensitive.scan(scope, policy=STRICT, layers=["facts"]).findings

    # ------------------------------------------------------------------------------------------------------ the machine
    @precondition(lambda self: self.vault is not None)
    @rule(index=who, is_later=st.booleans())
    def rotate(self, index: int, *, is_later: bool) -> None:
        """A user gets a new key, or the one before is forgotten an hour later; nothing else changes."""
        person = self.turn(index)
        with pytest.MonkeyPatch.context() as patch:
            if is_later:
                patch.setattr(resealing, "GRACE_S", 0)
            self.memory.vault.rotate(person.scope)
        self.done(person)

    @precondition(lambda self: self.vault is not None)
    @rule()
    def rotate_master(self) -> None:
        """Every user's keys are wrapped by another master key, and not a byte of the database changes."""
        before = dump(self.memory._database)
        self.memory.vault.rotate_master()
        assert dump(self.memory._database) == before

    @rule()
    def reopen(self) -> None:
        """The process ends, and another one begins."""
        self.memory.close()
        self._open()
        for person in self.people:
            before = self.done(person)
            assert before == person.rows

    # ------------------------------------------------------------------------------------------------------ invariants
    @precondition(lambda self: self.others is not None)
    @invariant()
    def nobody_else_is_touched(self) -> None:
        """Not a byte of another user's rows changed."""
        assert self.others is not None
        scope, before = self.others
        self.others = None
        after = self._stored_of_others(scope)
        assert after == before, [name for name in after if after[name] != before[name]]

    @precondition(lambda self: hasattr(self, "memory"))
    @invariant()
    def what_is_listed_is_what_is_believed(self) -> None:
        """For each agent: what is active, has not expired, and was not withdrawn."""
        for person in self.people:
            for agent_id in AGENTS:
                listed = {it.id for it in self.memory.long_term.list(scope=self.at(person, agent_id), limit=1_000)}
                believed = {
                    key
                    for key, it in person.seen_by(agent_id).items()
                    if it.status == "active"
                    and (it.expires_at is None or it.expires_at > self.now)
                    and person.admits(it, self.now, where_silent=True)
                }
                assert listed == believed

    def all_is_provable(self) -> None:
        """Every log verifies; a replay makes the same rows."""
        before = dump(self.memory._database, MEMORIES)
        for person in self.people:
            assert self.memory.long_term.verify(scope=person.scope).problems == ()
            self.memory.long_term.replay(scope=person.scope)
            assert self.read(person) == person.rows
        assert self.vault is not None or dump(self.memory._database, MEMORIES) == before

    def nothing_erased_is_left(self, stored: bytes) -> None:
        """No word of what was erased or refused, in the file or in the tables; under a vault no word at all."""
        stored += b"".join(it.read_bytes() for it in Path(self.folder.name).iterdir())
        words = {word for person in self.people for word in person.dead}
        if self.vault is not None:
            words |= {word for person in self.people for said in person.said.values() for word in said}
        assert [it for it in sorted(words) if it.encode() in stored] == []


def index_scope(world: Governed, index: int) -> Person:
    """The person at a place."""
    return world.people[index]
