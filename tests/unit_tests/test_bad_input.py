"""Whatever a caller passes, the answer is right or an error of ours: never a driver's, never a silent wrong one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.store.base import ListNamespacesOp

from langchain_agentmem.errors import AgentMemError, ConfigurationError, StorageError
from langchain_agentmem.long_term import ListQuery
from langchain_agentmem.long_term.recall.receipts import query_of
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.types import Candidate, Outcome, Provenance, RecallQuery, Scope

ALICE = Scope("alice")
TALK = Scope("alice", session_id="1")
JUNK: tuple[Any, ...] = (5, -1, float("nan"), 10**400, "a\x00b", "a\ud800b", "", "  ", "x" * 200_000, b"x", object())


@pytest.fixture
def memory() -> AgentMemory:
    return AgentMemory.in_memory(embeddings=None, consent="assumed")


def id_calls(memory: AgentMemory) -> dict[str, Callable[[Any], object]]:
    """Every method that takes the id of something stored."""
    long_term = memory.long_term
    return {
        "get": lambda id: long_term.get(id, scope=ALICE),
        "why": lambda id: long_term.why(id, scope=ALICE),
        "receipt": lambda id: long_term.receipt(id, scope=ALICE),
        "why_not": lambda id: long_term.why_not("1", id, scope=ALICE),
        "why_not_of": lambda id: long_term.why_not(id, "1", scope=ALICE),
        "note_used": lambda id: long_term.note_used("1", {id: True}, scope=ALICE),
        "note_injected": lambda id: long_term.note_injected("1", id, scope=ALICE),
        "note_injected_of": lambda id: long_term.note_injected(id, "call", scope=ALICE),
        "note_used_of": lambda id: long_term.note_used(id, {"1": True}, scope=ALICE),
        "revise": lambda id: long_term.revise(id, scope=ALICE, tags=("a",)),
        "merge": lambda id: long_term.merge(["1", id], "Alice likes tea", scope=ALICE),
        "feedback": lambda id: long_term.feedback(id, "confirmed", scope=ALICE),
        "forget": lambda id: long_term.forget(id, scope=ALICE),
        "restore": lambda id: long_term.restore(id, scope=ALICE),
        "erase": lambda id: long_term.erase(id, scope=ALICE),
    }


def test_what_could_find_nothing_is_refused(memory: AgentMemory) -> None:
    """No kind at all, and a time that ends before it begins: the answer would be "nothing", whatever is known."""
    long_term, none = memory.long_term, []  # type: ignore[var-annotated]  # as a form without a tick gives it
    for call in (
        lambda: long_term.recall("tea", scope=ALICE, kinds=none),
        lambda: long_term.list(scope=ALICE, kinds=none),
        lambda: RecallQuery(text="tea", kinds=()),
    ):
        with pytest.raises(ConfigurationError, match=r"kinds names no kind.*leave it out for all"):
            call()
    plan = {"query": {"kinds": [], "since": "2030-01-01T00:00:00+00:00", "until": "2020-01-01T00:00:00+00:00"}}
    assert query_of(plan).kinds is None, "a receipt of an earlier release can be explained"
    with pytest.raises(ConfigurationError, match=r"since 2030-.* is after until 2020-.*; swap them"):
        RecallQuery(since=datetime(2030, 1, 1, tzinfo=UTC), until=datetime(2020, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: repr(junk)[:12])
def test_what_cannot_be_an_id_is_refused(memory: AgentMemory, junk: object) -> None:
    """No method hands to the database what it cannot compare."""
    for call in id_calls(memory).values():
        with pytest.raises(AgentMemError):
            call(junk)


@pytest.mark.parametrize("junk", [*JUNK, None, ["a"]], ids=lambda junk: repr(junk)[:12])
def test_what_cannot_be_a_reason_is_refused(memory: AgentMemory, junk: Any) -> None:  # noqa: ANN401
    """A reason is text that can be stored."""
    known = memory.long_term.remember("Alice likes tea", scope=ALICE).require()
    calls: tuple[Callable[..., object], ...] = (
        memory.long_term.forget,
        memory.long_term.restore,
        memory.long_term.erase,
        lambda memory_id, **told: memory.long_term.feedback(memory_id, "confirmed", **told),
    )
    for call in calls:
        with pytest.raises(ConfigurationError):
            call(known.id, scope=ALICE, reason=junk)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RecallQuery(text=None),  # type: ignore[arg-type]
        lambda: RecallQuery(purpose=0),  # type: ignore[arg-type]
        lambda: RecallQuery(limit=None),  # type: ignore[arg-type]
        lambda: RecallQuery(kinds=5),  # type: ignore[arg-type]
        lambda: RecallQuery(include_pending="no"),  # type: ignore[arg-type]
        lambda: RecallQuery(min_confidence=10**400),
        lambda: ListQuery(tags="work"),  # type: ignore[arg-type]
        lambda: ListQuery(statuses="active"),  # type: ignore[arg-type]
        lambda: ListQuery(kinds=5),  # type: ignore[arg-type]
        lambda: Candidate(content="Alice likes tea", provenance=None),  # type: ignore[arg-type]
        lambda: Candidate(content="Alice likes tea", pinned="no"),  # type: ignore[arg-type]
        lambda: Candidate(content="Alice likes tea", is_correction="no"),  # type: ignore[arg-type]
        lambda: Candidate(content="x", valid_at=datetime.max.replace(tzinfo=timezone(-timedelta(hours=5)))),
        lambda: Outcome(action="deploy", succeeded="no"),  # type: ignore[arg-type]
        lambda: Outcome(action="deploy", succeeded=True, detail=None),  # type: ignore[arg-type]
        lambda: Outcome(action="deploy", succeeded=True, provenance=None),  # type: ignore[arg-type]
        lambda: Provenance(run_id="\ud800"),
    ],
)
def test_a_record_that_exists_is_valid(make: Callable[[], object]) -> None:
    """A field of the wrong type or range is refused where the record is made."""
    with pytest.raises(ConfigurationError):
        make()


@pytest.mark.parametrize("digits", [400, 5_000])
def test_a_number_is_named_in_few_digits(digits: int) -> None:
    """An error that names a wrong number stays short, also where Python would not write that number out."""
    with pytest.raises(ConfigurationError, match="confidence must be a number in") as refused:
        Candidate(content="Alice likes tea", confidence=10**digits)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("tags", ["work", 5, [5]])
def test_tags_are_a_sequence_of_texts(memory: AgentMemory, tags: Any) -> None:  # noqa: ANN401
    """One text is not a sequence of letters, of which nothing would be found."""
    with pytest.raises(ConfigurationError):
        memory.long_term.list(scope=ALICE, tags=tags)


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.long_term.learn("deployed", scope=ALICE),
        lambda memory: memory.long_term.select("all", scope=ALICE),
        lambda memory: memory.long_term.verify(scope=ALICE, anchor="x"),
        lambda memory: memory.long_term.merge(5, "x", scope=ALICE),
        lambda memory: memory.long_term.recall("tea", scope=ALICE, kinds=5),
        lambda memory: memory.jobs.run(limit="all"),
        lambda memory: memory.jobs.run(limit=10**400),
        lambda memory: memory.history(Scope("alice", session_id="1")).add_messages(5),
        lambda memory: memory.history(Scope("alice", session_id="1")).last(10**30),
        lambda memory: memory.tools(scope="alice"),
        lambda memory: memory.retriever(scope=ALICE, kinds=["foo"]),
        lambda memory: memory.retriever(scope=ALICE, k="5"),
        lambda memory: memory.episodes.ingest([HumanMessage("tea")], scope=TALK, progress=5),
        lambda memory: memory.episodes.index(scope=TALK, progress=5),
        lambda memory: memory.long_term.reindex(progress=5),
        lambda memory: memory.store.reindex(progress=5),
        lambda memory: memory.store.batch(None),
        lambda memory: memory.store.batch([ListNamespacesOp(match_conditions=5)]),  # type: ignore[arg-type]
        lambda memory: memory.store.search(("a",), filter={"n": np.int64(1)}),
    ],
)
def test_a_record_of_another_kind_is_refused(memory: AgentMemory, call: Callable[[AgentMemory], object]) -> None:
    """What is no record of ours is named, before anything is read."""
    with pytest.raises(AgentMemError):
        call(memory)


@pytest.mark.parametrize(
    "option",
    [
        {"audit_key": 5},
        {"receipts_days": float("nan")},
        {"receipts_days": -1},
        {"receipts_days": "90"},
        {"embedding_name": 5},
        {"clock": datetime.now(UTC)},
        {"new_id": "id"},
        {"embeddings": 5},
    ],
)
def test_an_option_that_cannot_work_is_refused_at_once(option: dict[str, Any]) -> None:
    """Not the first call fails, but the construction."""
    with pytest.raises(ConfigurationError):
        AgentMemory.in_memory(**{"embeddings": None, **option})


@pytest.mark.parametrize("moment", [None, 5, datetime(2026, 1, 1), "2026-01-01"], ids=repr)  # noqa: DTZ001
def test_a_clock_that_gives_no_time_is_named(moment: Any) -> None:  # noqa: ANN401
    """Wherever the time is read, before anything is written."""
    given: list[Any] = [datetime(2026, 1, 1, tzinfo=UTC)]
    with AgentMemory.in_memory(embeddings=None, consent="assumed", clock=lambda: given[-1]) as memory:
        given.append(moment)
        checkpoint: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        calls: tuple[Callable[[], object], ...] = (
            lambda: memory.long_term.remember("Alice likes tea", scope=ALICE),
            lambda: memory.history(TALK).add_messages([HumanMessage("tea")]),
            lambda: memory.checkpointer.put(checkpoint, empty_checkpoint(), {}, {}),
            lambda: memory.store.put(("a",), "k", {"n": 1}),
        )
        for call in calls:
            with pytest.raises(ConfigurationError, match="the time that clock gives"):
                call()


@pytest.mark.parametrize("path", [None, 5, b"agent.db", "a\ud800.db", "a\x00.db", ["agent.db"]])
def test_what_is_no_path_is_refused(path: Any) -> None:  # noqa: ANN401
    """A database is a file that the system can name."""
    with pytest.raises(ConfigurationError):
        AgentMemory.embedded(path, embeddings=None)


@pytest.mark.parametrize("age", [30, "30 days", timedelta], ids=repr)
def test_what_is_no_age_is_told_one_that_works(memory: AgentMemory, age: Any) -> None:  # noqa: ANN401
    """The error names what was passed, and a length of time."""
    with pytest.raises(
        ConfigurationError, match=r"older_than must be .*30|timedelta.*for example timedelta\(days=30\)"
    ):
        memory.checkpointer.prune(["thread"], older_than=age)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda it: it.long_term.remember(42, scope=ALICE), "content must be a str, got 42; pass a text"),
        (lambda it: it.long_term.recall(42, scope=ALICE), "got 42; for example 'where"),
        (
            lambda it: it.long_term.receipt(None, scope=ALICE),
            "receipt_id must be a str, got None; pass the receipt_id of",
        ),
        (lambda it: it.long_term.erase("", scope=ALICE), "memory_id is empty; pass the id of a memory"),
        (lambda it: it.long_term.get("x" * 600, scope=ALICE), "'xxx.*… is longer than .*; pass the id of a memory"),
        (
            lambda it: it.timeline.rollback(ALICE, to="yesterday"),
            r"'yesterday' .*datetime\(2026, 3, 1.*2026-03-01T12:00",
        ),
        (lambda it: it.timeline.rollback(ALICE, to=None), r"such as datetime\(2026, .*, or the id of a run, got None"),
        (lambda it: it.timeline.as_of("now", scope=ALICE), r"such as datetime\(2026, .* such as 12, got 'now'"),
        (lambda it: it.procedural.check_action({}), "without the name of a tool; .*'name': 'shell', 'args': {"),
        (lambda it: it.long_term.learn("done", scope=ALICE), r"must be an Outcome, got str; for example Outcome\("),
        (lambda it: it.approvals.decide(["x"], scope=ALICE, decided_by="c"), r"got str; for example it.approve\(\)"),
        (lambda _: AgentMemory.in_memory(embeddings="nope"), "'local', .*init_embeddings.* or None, got 'nope'"),
        (
            lambda it: it.long_term.remember("Alice likes tea", scope=ALICE, kind="episode"),
            "kind 'episode' is that of turns .*one of fact, preference, outcome, constraint, goal",
        ),
        (lambda _: AgentMemory.embedded("a.db", concent="assumed"), "'concent'; did you mean 'consent'"),
        (lambda _: AgentMemory.embedded("a.db", embedings=None), "'embedings'; did you mean 'embeddings'"),
        (lambda _: AgentMemory.embedded("a.db", durabel=True), "'durabel'; did you mean 'durable'"),
        (lambda _: AgentMemory.connect(sql="sqlite://", rediss="redis://a"), "'rediss'; did you mean 'redis'"),
        (lambda _: AgentMemory.from_config({"path": "a.db"}, indx=None), "'indx'; did you mean 'index'"),
        (lambda it: it.checkpointer.get_tuple({"configurable": {"user_id": "alice"}}), "thread_id .*'configurable': {"),
        (lambda it: it.middleware(writs="inline"), "'writs'; did you mean 'writes'"),
        (lambda it: it.middleware(xyz=1), "unknown option 'xyz'; use one of .*writes"),
        (
            lambda it: it.wrap(RunnableLambda(str), input_message_key="input"),
            "'input_message_key'; did you mean 'input_messages_key'",
        ),
        (lambda _: AgentMemory.connect(sql="agent.db"), "sql 'agent.db' .*'sqlite:///agent.db'"),
        (lambda _: AgentMemory.connect(sql="sqlite://", redis="localhost"), "'localhost' does not begin with redis://"),
        (
            lambda it: it.long_term.why("unknown", scope=ALICE),
            "'unknown' .*; `list` shows what",
        ),
    ],
)
def test_an_error_names_the_value_and_what_to_pass(
    memory: AgentMemory, call: Callable[[AgentMemory], object], told: str
) -> None:
    """Who made the mistake can mend it by the message alone."""
    with pytest.raises(AgentMemError, match=told):
        call(memory)


def test_an_error_shows_no_words_that_were_passed_by_mistake(memory: AgentMemory) -> None:
    """Of what may hold what a user said, the type; and of an address with a password in it, nothing."""
    with pytest.raises(ConfigurationError, match="content must be a str, got HumanMessage;"):
        memory.long_term.remember(HumanMessage("quokka"), scope=ALICE)  # type: ignore[arg-type]
    for wrong in ({"sql": "u:quokka@host"}, {"sql": "sqlite://", "redis": "u:quokka@host"}):
        with pytest.raises(ConfigurationError) as refused:
            AgentMemory.connect(embeddings=None, **wrong)
        assert "quokka" not in str(refused.value)


@pytest.mark.parametrize("kinds", ["fact", ["fact"], ("fact",)])
def test_one_kind_may_stand_alone(memory: AgentMemory, kinds: Any) -> None:  # noqa: ANN401
    """Wherever kinds are chosen, a kind by itself means what a list of it means; no kind is spelled in letters."""
    memory.long_term.remember("Alice likes tea", scope=ALICE)
    memory.long_term.remember("Alice prefers Python", scope=ALICE, kind="preference")
    assert RecallQuery(kinds=kinds).kinds == ListQuery(kinds=kinds).kinds == ("fact",)
    assert [it.kind for it in memory.long_term.list(scope=ALICE, kinds=kinds)] == ["fact"]
    assert {it.memory.kind for it in memory.long_term.recall("Alice", scope=ALICE, kinds=kinds)} == {"fact"}
    assert [it.kind for it in memory.timeline.as_of(2, scope=ALICE, kinds=kinds)] == ["fact"]
    assert [kind for kind, _ in memory.consent.grant(ALICE, kinds=kinds).kinds] == ["fact"]
    assert [kind for kind, _ in memory.consent.withdraw(ALICE, kinds=kinds).kinds] == ["fact"]


@pytest.mark.parametrize("kinds", ["facts", "", 5, {"fact"}, ["fact", 5], ["fact"] * 65])
def test_what_is_no_kind_is_refused_wherever_kinds_are_chosen(memory: AgentMemory, kinds: Any) -> None:  # noqa: ANN401
    """By the same check, with the same words."""
    calls: tuple[Callable[[], object], ...] = (
        lambda: RecallQuery(kinds=kinds),
        lambda: memory.long_term.recall("tea", scope=ALICE, kinds=kinds),
        lambda: memory.long_term.list(scope=ALICE, kinds=kinds),
        lambda: memory.retriever(scope=ALICE, kinds=kinds),
        lambda: memory.consent.grant(ALICE, kinds=kinds),
        lambda: memory.consent.withdraw(ALICE, kinds=kinds),
    )
    told = set()
    for call in calls:
        with pytest.raises(ConfigurationError, match=r"^kinds ") as refused:
            call()
        told.add(str(refused.value))
    assert len(told) == 1


class Users(StrEnum):
    """Ids as an application may name them."""

    BOB = "alice"


def test_an_id_is_the_plain_text_of_what_was_passed() -> None:
    """An enum member stands for its value with every driver, and never for its name."""
    scope = Scope(Users.BOB)
    assert type(scope.user_id) is str
    assert scope == ALICE


def test_no_message_shows_a_secret() -> None:
    """Not a password among the parameters of a URL, nor the end of one that has an `@`; and no record an audit key."""
    word = "hunter" + "2"
    memory = AgentMemory.connect(sql=f"postgresql://u@127.0.0.1:1/x?password={word}", embeddings=None)
    memory.close()
    with pytest.raises(StorageError, match="was closed") as closed:
        memory.long_term.list(scope=ALICE)
    with pytest.raises(ConfigurationError, match="%40") as cut:
        AgentMemory.connect(sql=f"postgresql://u:a@{word}@127.0.0.1:1/x", embeddings=None)
    made = MemoryOptions(audit_key=word.encode() * 4)
    assert word not in f"{closed.value} {cut.value} {made!r}"
