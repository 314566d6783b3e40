"""The prompt of a turn: every layer within one budget, and a trace that hides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Never

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.utils import count_tokens_approximately

from langchain_agentmem import AgentMemory, ConfigurationError, RecallQuery, Scope, ScopeError, StorageError
from langchain_agentmem.context import ContextAssembly, ContextParts, Tier
from langchain_agentmem.context.layers import LAYERS
from langchain_agentmem.context.runnable import TokenCounter
from langchain_agentmem.context.tiers import LISTED, TIERS, Entry
from langchain_agentmem.context.turn import TURN_TIERS, TurnAssembly, TurnContext
from langchain_agentmem.policies.enforce import ActionContext, in_force, told
from langchain_agentmem.types.procedures import Policy
from tests.conftest import Call

ALICE: Final = Scope("alice", session_id="today")
ASKED: Final = "Which language should Alice use for backend services?"
SYSTEM: Final = "You are a careful assistant."


@pytest.fixture(scope="module")
def known() -> Iterator[AgentMemory]:
    """A user of whom every layer knows something."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Alice prefers Python for backend services", scope=ALICE, kind="preference")
        memory.long_term.remember("The backend services run on Kubernetes", scope=ALICE)
        memory.long_term.remember("Never deploy on Fridays", scope=ALICE, kind="constraint")
        memory.profiles.update_preference("editor", "vim", scope=ALICE)
        memory.goals.add("Alice wants to pass the exam", scope=ALICE, steps=["read", "write"])
        memory.working.update(ALICE, goal="Deploy version 2", add_pending=["run the tests"])
        memory.history(ALICE).add_messages([HumanMessage("Good morning"), AIMessage("Good morning, Alice")])
        yield memory


def texts(context: TurnContext) -> list[str]:
    return [message.text for message in context.messages]


async def test_a_turn_has_every_layer(known: AgentMemory, call: Call) -> None:
    """In one call, in both colours, each with its tokens."""
    context = await call(known, "assemble", ASKED, scope=ALICE, system=SYSTEM)
    prompt = "\n".join(texts(context))
    for words in (
        SYSTEM,
        "destructive-commands",
        "Never deploy",
        "editor: vim",
        "prefers Python",
        "pass the exam",
        "Kubernetes",
    ):
        assert words in prompt
    assert ("version 2" in prompt, "Good morning, Alice" in prompt, texts(context)[-1]) == (True, True, ASKED)
    there = {name for name, trace in context.layers.items() if trace.status == "ok" and trace.tokens}
    every = {"system", "policies", "constraints", "profile", "memories", "goal", "working", "messages"}
    assert there - {"entities"} == every
    assert (context.status, context.dropped, context.tokens) == ("ok", {}, count_tokens_approximately(context.messages))
    assert known.long_term.receipt(context.receipt_ids[0], scope=ALICE).lines


def test_what_seldom_changes_stands_first(known: AgentMemory) -> None:
    """So that a provider's cache keeps the beginning: another question leaves it byte for byte as it was."""
    one = known.assemble(ASKED, scope=ALICE, system=SYSTEM)
    other = known.assemble("What does Alice want to pass?", scope=ALICE, system=SYSTEM)
    stable = texts(one).index("Good morning, Alice") + 1
    assert texts(one)[:stable] == texts(other)[:stable]
    assert known.assemble(ASKED, scope=ALICE, system=SYSTEM).messages[:stable] == one.messages[:stable]
    assert [it.type for it in one.messages].count("system") == 1


@settings(max_examples=40)
@given(budget=st.integers(1, 500), words=st.integers(1, 60))
def test_a_turn_is_never_over_its_budget(known: AgentMemory, budget: int, words: int) -> None:
    """The system prompt and the user's last words are always whole, or an error names what is too much."""
    said = HumanMessage(f"{ASKED} {'please ' * words}", id="now")
    try:
        context = known.assemble(
            [HumanMessage("Hello"), AIMessage("Hi"), said], scope=ALICE, system=SYSTEM, max_tokens=budget
        )
    except ConfigurationError as error:
        alone = count_tokens_approximately([SystemMessage(SYSTEM), said])
        assert (alone > budget, "raise" in str(error)) == (True, True)  # noqa: PT017  (either is right)
        return
    assert context.tokens <= budget
    assert context.messages[0].text.startswith(SYSTEM)
    assert context.messages[-1] == said


def test_what_has_a_name_is_cut_by_it() -> None:
    """Policies are; a text without a name is told by its place, and of notes the newest stay."""
    policies = [Entry(name, LOREM) for name in ("careful", "no-friday")]
    parts = ContextParts(policies=policies, scratch=["old " * 40, "new"], messages=[HumanMessage("Hi")])
    done = ContextAssembly(max_tokens=110, tiers=TIERS).assemble(parts)
    assert done.cut == {"policies": ("no-friday",), "scratch": ("#1",)}


LOREM: Final = "with words enough that they do not all fit into the share " * 3
LINE: Final = st.text("abc <&>\né", min_size=1, max_size=60)
LINES: Final = st.lists(LINE, max_size=6)


class Long:
    """Says as much of itself as it may."""

    def __init__(self, text: str) -> None:
        self.text = text

    def to_context(self, *, max_tokens: int) -> str:
        return f"<long>{self.text[: max_tokens * 4]}</long>" if self.text else ""


@st.composite
def parts(draw: st.DrawFn) -> ContextParts:
    listed: dict[str, Any] = {
        name: draw(LINES) for name in ("policies", "constraints", "memories", "entities", "scratch")
    }
    shrinking: dict[str, Any] = {name: draw(st.builds(Long, LINE)) for name in ("profile", "goal", "working")}
    earlier = [HumanMessage(text) if place % 2 else AIMessage(text) for place, text in enumerate(draw(LINES))]
    return ContextParts(system=draw(LINE), messages=[*earlier, HumanMessage(draw(LINE))], **listed, **shrinking)


def by_characters(messages: Sequence[BaseMessage]) -> int:
    return sum(len(message.text) + 7 for message in messages)


@settings(max_examples=50)
@given(
    parts=parts(), budget=st.integers(30, 2_000), counter=st.sampled_from([by_characters, count_tokens_approximately])
)
def test_any_parts_fit_any_budget(parts: ContextParts, budget: int, counter: TokenCounter) -> None:
    """Whatever each layer holds and however tokens are counted; what is left out is told."""
    assembly = ContextAssembly(max_tokens=budget, tiers=TURN_TIERS, token_counter=counter)
    try:
        done = assembly.assemble(parts, late=1)
    except ConfigurationError as error:
        assert "raise" in str(error)  # noqa: PT017  (either is right)
        return
    assert counter(done.messages) <= budget
    assert (done.messages[-1], parts.system in done.messages[0].text) == (parts.messages[-1], True)
    whole = ContextAssembly(max_tokens=10**6, tiers=TURN_TIERS, token_counter=counter).assemble(parts, late=1)
    assert (done.dropped == {}) == (done.messages == whole.messages)
    assert done.cut.keys() == done.dropped.keys()
    assert all(len(done.cut[name]) == done.dropped[name] for name in (*LISTED, "messages") if name in done.cut)


async def test_what_was_cut_is_named(call: Call) -> None:
    """Memories and messages by id, a text by its sections: the trace says what was not told."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        kept = [memory.long_term.remember(f"Backend {it} {LOREM}", scope=ALICE).memory for it in range(3)]
        memory.long_term.remember(f"Never deploy {LOREM}", scope=ALICE, kind="constraint")
        memory.working.update(ALICE, goal="Deploy", scratchpad=LOREM)
        said = [HumanMessage(LOREM * 9, id=f"m{it}") for it in range(3)]
        context = await call(memory, "assemble", [*said, HumanMessage("Which backend?")], scope=ALICE, max_tokens=700)
    assert context.cut.keys() == context.dropped.keys()
    assert context.cut["working"] == ("scratchpad",)
    assert set(context.cut["memories"]) < {it.id for it in kept if it is not None}
    assert set(context.cut["messages"]) < {"m0", "m1", "m2"}
    assert context.layers["memories"].dropped == len(context.layers["memories"].cut) > 0


@pytest.mark.parametrize("layer", sorted(LAYERS))
async def test_a_layer_that_fails_costs_itself_only(
    known: AgentMemory, call: Call, layer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is given, and the trace names the layer and the error."""
    service = {"policies": "procedural", "profile": "profiles", "memories": "long_term", "goal": "goals"}.get(
        layer, layer
    )

    class Broken:
        def __getattr__(self, name: str) -> Never:
            msg = "the database is away"
            raise StorageError(msg)

    known.entities.list(scope=ALICE)  # made of long-term memory, when first asked: before that breaks
    monkeypatch.setitem(vars(known), service, Broken())
    context = await call(known, "assemble", ASKED, scope=ALICE, system=SYSTEM)
    assert context.layers[layer].status == "failed: StorageError: the database is away"
    assert (context.status.startswith("degraded: "), texts(context)[-1]) == (True, ASKED)
    broken = {name for name, trace in context.layers.items() if trace.is_broken}
    assert broken - {"constraints"} == {layer}


async def test_without_a_stored_conversation_the_turn_goes_on(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said before is missing, and the trace says so; what else fails does not repeat what it was given."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        monkeypatch.setattr(memory._sessions, "read", lambda *_, **__: 1 / 0)
        context = await call(memory, "assemble", ASKED, scope=ALICE, system=SYSTEM)
    assert context.layers["messages"].status == "failed: ZeroDivisionError"
    assert texts(context)[-1] == ASKED


def test_what_profile_and_goal_say_word_for_word_is_not_said_again(known: AgentMemory) -> None:
    """It stands there, unless that was cut."""
    context = known.assemble(ASKED, scope=ALICE, system=SYSTEM)
    for words in ("Alice prefers Python for backend services", "Alice wants to pass the exam"):
        assert "\n".join(texts(context)).count(words) == 1
        assert words in {hit.memory.content for hit in context.recall.hits}
    bare = TurnAssembly(
        known, assembly=ContextAssembly(tiers=[tier for tier in TURN_TIERS if tier.name != "profile"])
    ).assemble(ASKED, scope=ALICE)
    assert "\n".join(texts(bare)).count("Alice prefers Python for backend services") == 1


async def test_who_is_named_is_known_by_their_relations(call: Call) -> None:
    """In words, and only what does not stand among the memories anyway."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.entities.relate("Nora", "works_at", "Acme", scope=ALICE)
        context = await call(memory, "assemble", "Tell me of Nora", scope=ALICE)
        quiet = await call(memory, "assemble", "Tell me of something", scope=ALICE)
    assert "Acme" in "\n".join(texts(context))
    assert quiet.layers["entities"].status == "empty"


def test_a_visitor_has_a_conversation_and_no_memory(known: AgentMemory) -> None:
    """The trace says why."""
    context = known.assemble(ASKED, scope=Scope.anonymous("visit"), system=SYSTEM)
    assert {context.layers[it].status for it in ("profile", "memories", "constraints")} == {"anonymous"}
    assert (context.status, texts(context)[-1]) == ("ok", ASKED)


def test_without_consent_nothing_is_recalled() -> None:
    """And the turn has the rest."""
    with AgentMemory.in_memory(embeddings=None) as memory:
        context = memory.assemble(ASKED, scope=ALICE, system=SYSTEM)
    assert {context.layers[it].status for it in ("profile", "memories")} == {"no_consent"}
    assert context.status == "ok"


def test_a_message_that_is_stored_already_stands_once(known: AgentMemory) -> None:
    """A conversation given whole is not doubled by the stored one."""
    stored = known.history(ALICE).messages
    context = known.assemble([*stored, HumanMessage(ASKED)], scope=ALICE)
    assert texts(context).count("Good morning") == 1
    assert context.layers["system"].status == "empty"


async def test_a_long_conversation_comes_as_summary_and_last_messages(call: Call) -> None:
    """Within the budget; what was said last is there, what was said first is in the summary."""
    long = Scope("alice", session_id="long")
    said = [HumanMessage(f"Fact {place}: the port of service {place} is {8000 + place}.") for place in range(60)]
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.history(long).add_messages([it for one in said for it in (one, AIMessage("Noted."))])
        context = await call(memory, "assemble", ASKED, scope=long, system=SYSTEM, max_tokens=1_500)
    assert (context.layers["summary"].status, context.layers["messages"].status) == ("ok", "ok")
    assert (context.layers["summary"].tokens > 0, context.tokens <= 1_500) == (True, True)
    assert "service 59" in "\n".join(texts(context))


@pytest.mark.parametrize("said", ["Where do I work?", "Hi!"])
def test_constraints_that_are_told_are_told_of(said: str) -> None:
    """They hold whatever else is recalled: of a layer that stands in the prompt the trace says so."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        memory.long_term.remember("Always answer in German", scope=Scope("bob"), kind="constraint")
        turn = memory.assemble(said, scope=Scope("bob"))
    assert "German" in "".join(it.text for it in turn.messages)
    assert (turn.layers["constraints"].status, turn.layers["constraints"].tokens > 0) == ("ok", True)
    assert turn.layers["memories"].status != "ok"


def test_a_turn_may_be_stricter_than_the_memory(known: AgentMemory) -> None:
    """With `off`, nothing is recalled for it."""
    context = TurnAssembly(known).assemble(ASKED, scope=ALICE, mode="off")
    assert {context.layers[it].status for it in ("profile", "memories", "entities", "goal", "working")} == {"off"}


def test_a_policy_is_told_to_whom_it_binds_only() -> None:
    """Hard ones first, with what they ask for; what is for another agent, or out of force, is left out."""
    rule = {"tool": "deploy"}
    policies = [
        Policy.model_validate({"description": "Mind the costs", "rule": rule, **given})
        for given in (
            {"name": "a-advice", "enforcement": "soft"},
            {"name": "b-others", "applies_to": ["agent:other"]},
            {"name": "c-draft", "status": "draft"},
            {"name": "d-mine", "applies_to": ["agent:mine"], "requires": [{"tool": "run_tests"}]},
            {"name": "e-all", "approval": True},
        )
    ]
    assert [told(policy) for policy in in_force(policies, ActionContext(agent_id="mine"))] == [
        "d-mine: Mind the costs. First, with success: run_tests.",
        "e-all: Mind the costs. A person has to agree first.",
        "a-advice (advice): Mind the costs. Avoid it.",
    ]


def test_a_recall_may_be_asked_with_a_query(known: AgentMemory) -> None:
    """Kinds, limit, and another question than what is said."""
    query = RecallQuery(text="Which language for backend services?", kinds=("fact",))
    context = TurnAssembly(known).assemble("Go on.", scope=ALICE, query=query)
    assert not [hit for hit in context.recall.hits if hit.memory.kind == "preference"]


@pytest.mark.parametrize(("messages", "error"), [("", "empty"), ("  ", "empty"), ([], "empty"), (3, "messages")])
def test_a_turn_in_which_nothing_is_said_is_refused(
    known: AgentMemory, messages: list[BaseMessage], error: str
) -> None:
    """Before anything is read."""
    with pytest.raises(ConfigurationError, match=error):
        known.assemble(messages, scope=ALICE)


def test_a_mode_that_is_none_is_refused(known: AgentMemory) -> None:
    """Before anything is read."""
    with pytest.raises(ConfigurationError, match="frozen"):
        TurnAssembly(known).assemble(ASKED, scope=ALICE, mode="sometimes")  # type: ignore[arg-type]  # that is the point


def test_a_scope_is_no_text(known: AgentMemory) -> None:
    """A missing user is an error, not a layer that failed."""
    with pytest.raises(ScopeError, match="Scope"):
        known.assemble(ASKED, scope="alice")  # type: ignore[arg-type]  # that is the point


def test_a_state_may_use_the_names_of_layers_for_something_else() -> None:
    """A graph's own `profile` or `working` is left alone."""
    state = {"messages": [HumanMessage("Hi")], "profile": {"name": "x"}, "working": 3, "goal": "win", "policies": True}
    update = ContextAssembly(max_tokens=100).invoke(state)
    assert [message.text for message in update["view"]] == ["Hi"]


def test_a_layer_that_must_be_whole_is_refused_where_it_does_not_fit() -> None:
    """Its name and what it takes are in the error."""
    tiers = (Tier(name="messages", priority=1), Tier(name="profile", priority=2, share=0.1, is_required=True))
    parts = ContextParts(profile=Long("x" * 400), messages=[HumanMessage("Hi")])
    with pytest.raises(ConfigurationError, match=r"exceeds 100 tokens .*profile: \d+"):
        ContextAssembly(max_tokens=100, tiers=tiers).assemble(parts)
