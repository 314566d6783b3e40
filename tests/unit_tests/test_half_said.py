"""Corrections of a few words: they make a whole sentence of what is remembered, or are not kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langchain_agentmem import AgentMemory, Candidate, Decision, Memory, Scope
from langchain_agentmem.extraction.dialogue.contrasts import half_said
from langchain_agentmem.types import Provenance
from tests.conftest import Call

USER = Scope(user_id="alice")


@pytest.fixture
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


def _told(memory: AgentMemory, *said: str | Candidate, scope: Scope = USER) -> Decision:
    """Remember all, and return what was decided on the last."""
    return [memory.long_term.remember(it, scope=scope) for it in said][-1]


def _kept(memory: AgentMemory, scope: Scope = USER) -> list[str]:
    return sorted(it.content for it in memory.long_term.list(scope=scope))


@pytest.mark.parametrize(
    "words",
    [
        "actually TypeScript, not JavaScript",
        "TypeScript, not JavaScript",
        "It's TypeScript, not JavaScript.",
        "not JavaScript but TypeScript",
        "No, not JavaScript. TypeScript.",
        "Sorry, I meant TypeScript, not JavaScript",
        "TypeScript rather than JavaScript",
        "TypeScript instead of JavaScript",
    ],
)
async def test_what_puts_a_word_right_makes_a_whole_sentence(memory: AgentMemory, call: Call, words: str) -> None:
    """The one statement that says the wrong word gives way to itself with the right one, of the same kind."""
    old = Candidate(content="Alice prefers JavaScript", kind="preference", object="JavaScript", tags=("work",))
    await call(memory.long_term, "remember", old, scope=USER)
    decision = await call(memory.long_term, "remember", words, scope=USER)
    new = decision.require()
    assert (new.content, new.kind, new.object, new.tags) == (
        "Alice prefers TypeScript",
        "preference",
        "TypeScript",
        ("work",),
    )
    assert decision.superseded == new.supersedes
    assert _kept(memory) == ["Alice prefers TypeScript"]


def test_a_candidate_that_says_that_it_corrects_is_read_so_too(memory: AgentMemory) -> None:
    """`is_correction` says what "actually" does, of any kind."""
    half = Candidate(content="tea, not coffee", kind="preference", is_correction=True)
    assert _told(memory, "Alice drinks coffee", half).verdict == "written"
    assert _kept(memory) == ["Alice drinks tea"]


@pytest.mark.parametrize(
    ("known", "rule"),
    [
        ([], "nothing_corrected"),
        (["Alice lives in Rome"], "nothing_corrected"),
        (["Alice lives in Lyon, not Paris"], "nothing_corrected"),
        (["Alice lives in Paris", "Alice's sister works in Paris"], "several_corrected"),
        (["Alice likes Paris in May and Paris Hilton"], "several_corrected"),
        (["Alice reads paris.example and Le-Paris"], "nothing_corrected"),
    ],
)
def test_what_nobody_can_complete_is_not_kept(memory: AgentMemory, known: list[str], rule: str) -> None:
    """Where none or several say the wrong word, nothing half understood is stored, and the reason says what to do."""
    decision = _told(memory, *known, "Lyon, not Paris")
    assert (decision.verdict, decision.rule) == ("refused", rule)
    assert "say the whole sentence" in decision.reason
    assert _kept(memory) == sorted(known)


@pytest.mark.parametrize(
    ("known", "words", "kept"),
    [
        ("Alice writes C++", "Rust, not C", "Alice writes C++"),
        ("Alice writes C++", "Rust, not C++", "Alice writes Rust"),
        ("Alice writes .NET", "Java, not NET", "Alice writes .NET"),
        ("Alice likes node.js", "deno, not node", "Alice likes node.js"),
        ("Alice lives in Rome.", "Oslo, not Rome", "Alice lives in Oslo."),
    ],
)
def test_a_word_is_put_right_as_a_whole(memory: AgentMemory, known: str, words: str, kept: str) -> None:
    """What is joined to other signs is another word."""
    _told(memory, known, words)
    assert _kept(memory) == [kept]


@pytest.mark.parametrize(
    "words",
    [
        "The API returns XML, not JSON",
        "Use tabs, not spaces",
        "Bob resigned, not fired",
        "Max bought tea, not coffee",
        "Coffee, not too strong",
        "Java, not JavaScript, is what Alice uses",
        "Never call me, not even at night",
        "Alice: tea, not coffee",
        "Alice not in Rome",
        "Rob, not to be confused with Bob",
    ],
)
def test_a_sentence_with_a_contrast_stands_by_itself(words: str) -> None:
    """What says of whom or what it speaks, or adds a circumstance, is no correction of a few words."""
    assert half_said(words) is None


@pytest.mark.parametrize("kind", ["preference", "constraint"])
def test_a_taste_or_a_rule_may_be_told_in_as_few_words(memory: AgentMemory, kind: str) -> None:
    """What says by no word that it corrects something is kept as it was told, where it is no fact."""
    assert _told(memory, Candidate(content="Tabs, not spaces", kind=kind)).verdict == "written"  # type: ignore[arg-type]


def test_only_who_may_correct_is_completed(memory: AgentMemory) -> None:
    """An assistant's words never become a sentence of the user's."""
    claim = Candidate(content="Lyon, not Paris", provenance=Provenance(speaker="assistant"))
    assert _told(memory, "Alice lives in Paris", claim).verdict == "pending"
    assert _kept(memory) == ["Alice lives in Paris"]


def test_an_agents_correction_ends_nothing_that_others_see(memory: AgentMemory) -> None:
    """What agents share stands beside what one of them was told, as for whole sentences."""
    own = Scope(user_id="alice", agent_id="helper")
    _told(memory, "Alice lives in Paris")
    assert _told(memory, "Lyon, not Paris", scope=own).require().content == "Alice lives in Lyon"
    assert _kept(memory) == ["Alice lives in Paris"]


def test_what_is_known_already_ends_what_it_certainly_replaces(memory: AgentMemory) -> None:
    """A statement that is there already is confirmed, and what the new one names to be replaced ends all the same."""
    known: list[Memory] = [
        memory.long_term.remember(it, scope=USER).require() for it in ("Alice knows Java", "Alice knows Go")
    ]
    decision = _told(memory, Candidate(content="Alice knows Go", supersedes=(known[0].id,)))
    assert (decision.verdict, decision.superseded) == ("merged", (known[0].id,))
    assert _kept(memory) == ["Alice knows Go"]
    assert decision.require().id == known[1].id
    assert decision.require().supersedes == (known[0].id,)


def test_nothing_of_a_statement_that_was_erased_meanwhile_is_kept(memory: AgentMemory) -> None:
    """What went between reading and writing gives no word to a new statement."""
    old = memory.long_term.remember("Alice lives in Paris", scope=USER).require()
    completed = Candidate(content="Alice lives in Lyon", corrects=old.content, supersedes=(old.id,))
    memory.long_term.erase(old.id, scope=USER)
    assert _told(memory, completed).rule == "nothing_corrected"
    assert _kept(memory) == []


def test_a_correction_of_one_memory_may_be_said_in_half(memory: AgentMemory) -> None:
    """`correct` knows which memory is meant, however many say the wrong word."""
    known = [memory.long_term.remember(f"Alice {it} in Paris", scope=USER).require() for it in ("lives", "works")]
    memory.long_term.correct(known[0].id, "Lyon, not Paris", scope=USER)
    assert _kept(memory) == ["Alice lives in Lyon", "Alice works in Paris"]
