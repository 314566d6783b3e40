"""What `authorize` promises of the parts that govern a memory: a no means that nothing is read, changed or queued."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, GovernanceError, Scope, SubjectVault, acting_as
from langchain_agentmem._flow import run
from langchain_agentmem._stand_ins import DIGEST_LETTERS
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.approve import ApprovalPolicy, ByKind
from langchain_agentmem.policies.forget import ForgettingPolicy
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.types.asking import ACTIONS, Action
from langchain_agentmem.types.runs import RunStep
from tests.conftest import Call
from tests.contracts.access_contract import Rules, events, is_refused
from tests.contracts.long_term_contract import START, Clock
from tests.vaults import MemoryKeys

ALICE: Final = Scope("alice")
TOKEN: Final = f"[card:{'a' * DIGEST_LETTERS}]"
GOVERNED: Final = (
    *("approvals", "consent", "forgetting", "jobs", "metrics", "privacy", "quarantine"),
    *("runs", "sensitive", "timeline", "vault"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A memory, and what a call is made with."""

    memory: AgentMemory
    kept: str
    seq: int
    file: Path


Given = Callable[[Made], tuple[tuple[Any, ...], dict[str, Any]]]


def given(*args: Any, **kwargs: Any) -> Given:
    return lambda _: (args, kwargs)


SCOPED: Final = given(scope=ALICE)
CALLS: Final[dict[str, tuple[Action, Given]]] = {
    "approvals.list": ("read", SCOPED),
    "approvals.decide": ("write", lambda it: ((approved(it),), {"scope": ALICE, "decided_by": "boss"})),
    "consent.grant": ("write", given(ALICE)),
    "consent.withdraw": ("write", given(ALICE)),
    "consent.status": ("read", given(ALICE)),
    "consent.history": ("read", given(ALICE)),
    "consent.explain": ("read", given(ALICE, kind="fact")),
    "forgetting.forget_cycle": ("erase", given(ALICE)),
    "forgetting.schedule": ("erase", given(ALICE)),
    "jobs.list": ("read", given(scope=ALICE)),
    "metrics.growth": ("read", given(ALICE)),
    "metrics.usage": ("read", given(ALICE)),
    "privacy.export": ("export", lambda it: ((ALICE, it.file.with_name("other.jsonl")), {})),
    "privacy.import_": ("write", lambda it: ((it.file,), {"scope": ALICE})),
    "privacy.verify_export": ("export", lambda it: ((it.file,), {"scope": ALICE})),
    "privacy.erase": ("erase", given(ALICE)),
    "privacy.report": ("read", given(ALICE)),
    "privacy.hold": ("erase", given(ALICE, reason="case")),
    "privacy.release": ("erase", given(ALICE, reason="case")),
    "privacy.held": ("read", given(ALICE)),
    "quarantine.list": ("read", given(ALICE)),
    "quarantine.report": ("read", given(ALICE)),
    "runs.list": ("read", given(ALICE)),
    "runs.steps": ("read", given("run-1", scope=ALICE)),
    "runs.state": ("read", given("run-1", scope=ALICE)),
    "runs.compare": ("read", given("run-1", scope=ALICE)),
    "sensitive.scan": ("erase", given(ALICE, dry_run=False)),
    "sensitive.reveal": ("read", given(TOKEN, scope=ALICE)),
    "timeline.events": ("read", given(ALICE)),
    "timeline.as_of": ("read", given(START, scope=ALICE)),
    "timeline.diff": ("read", given(START, scope=ALICE)),
    "timeline.rollback": ("write", lambda it: ((ALICE,), {"to": it.seq})),
    "timeline.undo": ("write", lambda it: ((it.seq,), {"scope": ALICE})),
    "vault.check": ("read", given(ALICE)),
    "vault.rotate": ("write", given(ALICE)),
}  # fmt: skip
"""Every public method of the parts that govern, what it asks for, and how it is called."""

DRY: Final[dict[str, Given]] = {
    "forgetting.forget_cycle": given(ALICE, dry_run=True),
    "sensitive.scan": given(ALICE),
    "timeline.rollback": lambda it: ((ALICE,), {"to": it.seq, "dry_run": True}),
}
NOBODYS: Final = {
    "jobs.counts",
    "jobs.retry",
    "jobs.run",
    "metrics.drift",
    "metrics.on_injection",
    "metrics.on_recall",
    "metrics.on_use",
    "metrics.on_write",
    "metrics.snapshot",
    "metrics.totals",
    "runs.recorder",
    "vault.rotate_master",
    "vault.seal_database",
    "vault.status",
}
"""What concerns a file, nobody yet, or a whole database."""


def approved(it: Made) -> list[Any]:
    with acting_as("root"):
        return [each.approve() for each in it.memory.approvals.list(scope=ALICE)]


def public(memory: AgentMemory) -> set[str]:
    """Every method of the parts that govern, but the awaitable twins."""
    found = set()
    for part in GOVERNED:
        kind = type(getattr(memory, part))
        names = {it for it in vars(kind) if not it.startswith("_") and callable(getattr(kind, it))}
        twins = {f"a{it}" for it in names}
        found |= {f"{part}.{it}" for it in names - twins}
    return found


class GovernedAccessContract:
    """Subclass it beside a fixture `sql_url`."""

    @pytest.fixture
    def rules(self) -> Rules:
        return Rules()

    @pytest.fixture
    def memory(self, sql_url: str, rules: Rules) -> Iterator[AgentMemory]:
        options = MemoryOptions(
            authorize=rules,
            clock=Clock(),
            vault=SubjectVault(MemoryKeys()),
            approval=ApprovalPolicy(rules=[ByKind({"constraint": "ask"})]),
            forgetting=ForgettingPolicy(),
            sensitive=SensitivePolicy(may_reveal=lambda _: True),
        )
        with AgentMemory(Database(sql_url), embeddings=None, options=options) as memory:
            yield memory

    @pytest.fixture
    def made(self, memory: AgentMemory, tmp_path: Path, rules: Rules) -> Made:
        """Something in every layer; nothing was asked yet."""
        memory.consent.grant(ALICE)
        kept = memory.long_term.remember("Alice drinks green tea", scope=ALICE).require()
        memory.long_term.remember("Never call Alice before noon", kind="constraint", scope=ALICE)
        memory.history(Scope("alice", session_id="talk")).add_messages([HumanMessage("hello", id="m")])
        steps = [RunStep(no=1, kind="began", at=START, body={"thread_id": "t"})]
        run(memory._parts[0].ledger.append(ALICE, lambda it: it.runs.put("run-1", steps)))
        run(memory._parts[0].ledger.append(ALICE, lambda it: it.sensitive.put(kept.id, {TOKEN: "4111"})))
        memory.privacy.export(ALICE, tmp_path / "alice.jsonl")
        seq = memory.timeline.events(ALICE, memory_id=kept.id).items[-1].seq
        rules.asked.clear()
        return Made(memory=memory, kept=kept.id, seq=seq, file=tmp_path / "alice.jsonl")

    def test_every_method_is_in_the_table(self, memory: AgentMemory) -> None:
        """A new one cannot be forgotten."""
        assert public(memory) - {"sensitive.policy", "forgetting.policy"} == CALLS.keys() | NOBODYS

    async def test_who_may_not_gets_nothing_and_changes_nothing(self, made: Made, call: Call, rules: Rules) -> None:
        """Each is refused by `authorize`, with an event each, and not a row is another one afterwards."""
        before = rows(made.memory)
        ways = [*CALLS.items(), *((name, ("read", how)) for name, how in DRY.items())]
        for number, (name, (action, how)) in enumerate(ways, 1):
            part, method = name.split(".")
            args, kwargs = how(made)
            rules.denied, rules.asked = {("support-7", it) for it in ACTIONS}, []
            with acting_as("support-7"):
                assert await is_refused(call, getattr(made.memory, part), method, args, kwargs), name
            assert {it[1] for it in rules.asked} == {action}, name
            assert len(rules.asked) == 1, name
            refused = [it for it in events(made.memory, ALICE) if it.type == "access_refused"]
            assert (len(refused), refused[-1].payload["note"]["action"]) == (number, action), name
        assert rows(made.memory) == before
        assert not made.file.with_name("other.jsonl").exists()
        assert made.memory.long_term.verify(scope=ALICE).is_intact

    async def test_one_permission_is_enough_and_asked_for_once(self, made: Made, call: Call, rules: Rules) -> None:
        """Who may do just this may do all of it: whatever it reads and writes on its way is part of it."""
        last = ("privacy.erase", "vault.rotate", "consent.withdraw", "timeline.rollback", "timeline.undo")
        for name in [*(it for it in CALLS if it not in last), "vault.rotate", "privacy.erase"]:
            action, how = CALLS[name]
            part, method = name.split(".")
            args, kwargs = how(made)
            rules.denied, rules.asked = {("alice", it) for it in ACTIONS if it != action}, []
            if name == "runs.compare":  # there is no such thread
                continue
            await call(getattr(made.memory, part), method, *args, **kwargs)
            assert {it[1:] for it in rules.asked} == {(action, "alice")}, name
        assert made.memory.privacy.report is not None

    async def test_who_may_not_export_a_user_opens_no_export_of_theirs(
        self, made: Made, call: Call, rules: Rules
    ) -> None:
        """Neither to look through it nor to hand it to somebody else, plain or sealed; digests anybody may check."""
        plain = made.file.with_name("plain.jsonl")
        made.memory.privacy.export(ALICE, plain, sealed=False)
        privacy, bob = made.memory.privacy, Scope("bob")
        rules.denied = {("support-7", "export")}
        with acting_as("support-7"):
            for file in (made.file, plain):
                assert await is_refused(call, privacy, "verify_export", (file,), {"scope": ALICE})
                assert await is_refused(call, privacy, "import_", (file,), {"scope": ALICE, "as_": bob})
                assert (await call(privacy, "verify_export", file)).sha256
            assert (await call(privacy, "report", bob)).is_empty

    async def test_a_job_is_nobodys_to_refuse(self, made: Made, call: Call, rules: Rules) -> None:
        """What was allowed when it was queued is done, whoever does it, and whatever the user may do themself."""
        await call(
            made.memory.background,
            "ingest",
            [HumanMessage("I live in Rome", id="r")],
            scope=Scope("alice", session_id="talk"),
        )
        await call(made.memory.forgetting, "schedule", ALICE)
        await call(made.memory.privacy, "hold", ALICE, reason="case", until=START + timedelta(hours=1))
        rules.denied = {(who, it) for who in ("alice", "worker") for it in ACTIONS}
        with acting_as("worker"):
            report = await call(made.memory.jobs, "run")
        assert (report.failed, report.done > 1) == (0, True)
        assert not [it for it in events_as_root(made.memory) if it.type == "access_refused"]
        with pytest.raises(GovernanceError):
            await call(made.memory.long_term, "list", scope=ALICE)

    async def test_what_somebody_else_queued_is_done_as_them(self, made: Made, call: Call, rules: Rules) -> None:
        """They are asked about anew, whoever works; who may not write any more writes nothing, and the log says who."""
        said, talk = [HumanMessage("I live in Rome", id="r")], Scope("alice", session_id="talk")
        with acting_as("support"):
            await call(made.memory.background, "ingest", said, scope=talk)
        rules.asked.clear()
        rules.denied = {("support", "write")}
        with acting_as("worker"):
            refused = await call(made.memory.jobs, "run")
        assert (refused.failed, [*rules.asked]) == (1, [("support", "write", "alice")])
        last = events_as_root(made.memory)[-1]
        assert (last.type, (last.payload or {})["note"]["actor"]) == ("access_refused", "support")
        with acting_as("root"):
            assert all("Rome" not in it.content for it in made.memory.long_term.list(scope=ALICE))

    async def test_an_erasure_that_was_allowed_is_done_by_whoever_comes(
        self, made: Made, call: Call, rules: Rules
    ) -> None:
        """An officer erases; the user may not, and neither may the worker that ends it."""
        rules.denied = {(who, it) for who in ("alice", "worker") for it in ACTIONS}
        with acting_as("officer"):
            run(made.memory.privacy._parts.erasure.begin(ALICE, "asked by letter"))
        with acting_as("worker"):
            assert (await call(made.memory.jobs, "run")).failed == 0
        with acting_as("officer"):
            assert (await call(made.memory.privacy, "report", ALICE)).status == "erased"


def rows(memory: AgentMemory) -> dict[str, int]:
    """How much there is of a user, in every layer but the log."""
    with acting_as("root"):
        counts = dict(memory.privacy.report(ALICE).counts)
    counts.pop("events")
    return counts


def events_as_root(memory: AgentMemory) -> list[Any]:
    with acting_as("root"):
        return events(memory, ALICE)
