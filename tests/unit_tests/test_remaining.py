"""What remains of a memory of which a part is over is governed as the whole was, and comes back of no past."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Candidate, ListQuery, Provenance, Scope, SensitivePolicy
from langchain_agentmem._flow import flows_of, run
from langchain_agentmem.types import Memory
from tests.conftest import Call
from tests.contracts.long_term_contract import Clock

ALICE = Scope("alice")
DOGS = "The user has two dogs, Rex and Bella"
BELLA = "The user has a dog called Bella"
PAGE = Provenance(speaker="assistant", tools=("web_search",), evidence="two dogs, Rex and Bella")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(clock: Clock) -> Iterator[AgentMemory]:
    """Memory that believes no page, and keeps telephone numbers under tokens."""
    sensitive = SensitivePolicy(rules={"phone": "tokenise"}, key=b"k" * 32, may_reveal=lambda _: True)
    trust = {"tools": {"web_*": "web"}}
    given: dict[str, Any] = {"consent": "assumed", "trust": trust, "sensitive": sensitive, "clock": clock}
    with AgentMemory.in_memory(embeddings=None, **given) as memory:
        yield memory


def say(memory: AgentMemory, text: str) -> None:
    """Remember what the user says."""
    for it in memory.extractor.extract([HumanMessage(text, id=text)], new_from=0):
        memory.long_term.remember(it, scope=ALICE)


def known(memory: AgentMemory) -> dict[str, Memory]:
    """All that is kept, by its words."""
    query = ListQuery(statuses=("active", "pending", "superseded"))
    return {it.content: it for it in memory.long_term.select(query, scope=ALICE)}


def test_what_remains_of_what_was_not_believed_waits_as_it_did(memory: AgentMemory) -> None:
    """News of a part is no word for the other part, which a page alone has told."""
    memory.long_term.remember(Candidate(content=DOGS, source="inferred", provenance=PAGE), scope=ALICE)
    say(memory, "My dog is called Rex.")
    say(memory, "Rex died.")
    left = known(memory)[BELLA]
    assert (left.status, left.held_by, left.trust) == ("pending", "trust_floor", known(memory)[DOGS].trust)


def test_what_remains_outlives_the_whole_by_age_and_says_nothing_of_its_other_part(
    memory: AgentMemory, clock: Clock
) -> None:
    """A cycle ends what was replaced long ago, and nobody asked to unsay the rest, which quotes it nowhere."""
    say(memory, "I have two dogs, Rex and Bella.")
    say(memory, "Rex died.")
    clock.now += timedelta(days=91)
    memory.forgetting.forget_cycle(ALICE)
    memory.long_term.erase(known(memory)["Rex died"].id, scope=ALICE)
    [left] = known(memory).values()
    assert (left.content, left.provenance.evidence) == (BELLA, None)


def test_a_token_in_what_remains_outlives_the_memory_that_first_held_it(memory: AgentMemory, clock: Clock) -> None:
    """A value ends with the last memory that names its token."""
    told = "The user lives in Leeds and has the number +49 170 1234567"
    whole = memory.long_term.remember(Candidate(content=told), scope=ALICE).require()
    say(memory, "I moved to York.")
    clock.now += timedelta(days=91)
    memory.forgetting.forget_cycle(ALICE)
    assert whole.id not in {it.id for it in known(memory).values()}
    [token] = [it.removeprefix("The user has the number ") for it in known(memory) if "number" in it]
    assert memory.sensitive.reveal(token, scope=ALICE, actor="clerk") == "+49 170 1234567"


@pytest.mark.parametrize("is_in_part", [False, True])
def test_what_was_cleaned_still_tells_what_remained_of_it(clock: Clock, *, is_in_part: bool) -> None:
    """A scan deletes what the log said of both: an erasure takes the rest along, or leaves what the user let stand."""
    keep, mask = (SensitivePolicy(rules={"phone": it}) for it in ("keep", "mask"))
    told = "The user lives in Leeds and has the number +49 170 1234567"
    given: dict[str, Any] = {"consent": "assumed", "sensitive": keep, "clock": clock}
    with AgentMemory.in_memory(embeddings=None, **given) as memory:
        whole = memory.long_term.remember(Candidate(content=told), scope=ALICE).require()
        say(memory, "I moved to York.")
        if is_in_part:
            left = ("The user has the number +49 170 1234567",)
            run(flows_of(memory.long_term).forget_part(whole.id, ALICE, "asked", lambda _: left))
        memory.sensitive.scan(ALICE, dry_run=False, layers=["facts"], policy=mask)
        memory.long_term.erase(whole.id, scope=ALICE)
        assert any("number" in it for it in known(memory)) == is_in_part


@pytest.mark.parametrize("chars", [100, 9_000])
def test_what_remains_is_kept_however_long_the_words_were_that_told_of_it(memory: AgentMemory, chars: int) -> None:
    """What supports one statement fits, and so does what remains of it."""
    further = " and so on" * (chars // 10)
    for content in (DOGS, "Rex died"):
        said = Provenance(speaker="user", evidence=content + further)
        memory.long_term.remember(Candidate(content=content, provenance=said), scope=ALICE)
    assert known(memory)[BELLA].status == "active"


@pytest.mark.parametrize(
    ("told", "news", "left", "is_part"),
    [
        ("I take ramipril and a statin.", "I no longer take the statin.", "The user takes ramipril", True),
        ("I drink coffee and wine.", "I don't drink wine any more.", "The user drinks coffee", True),
        ("I work at Fiat and Lidl.", "I no longer work at Lidl.", "The user works at Fiat and Lidl", False),
    ],
)
def test_what_is_denied_of_one_thing_ends_nothing_of_another(
    memory: AgentMemory, told: str, news: str, left: str, *, is_part: bool
) -> None:
    """The other is kept by itself, and that is explained; or the whole stands where rules find no words for it."""
    say(memory, told)
    say(memory, news)
    it = known(memory)[left]
    reasons = memory.long_term.why(it.id, scope=ALICE).reasons
    assert it.status == "active"
    assert any("what remains of memory" in each for each in reasons) == is_part


@pytest.mark.parametrize(
    "news",
    [
        "I live in Rome with my wife Anna",
        "I moved to York and Clara and I broke up",
        "I moved to York. Clara and I broke up.",
        "Clara and I broke up, and I moved to York",
        "I moved to York, and my wife is Anna now",
        "I moved to York; I got divorced",
    ],
)
async def test_what_ends_a_part_may_end_the_rest_too(memory: AgentMemory, call: Call, news: str) -> None:
    """Each claim of the news is held against what would remain: nothing is in force beside what contradicts it."""
    await call(memory.long_term, "remember", "I live in Graz with my wife Clara", scope=ALICE)
    await call(memory.long_term, "remember", news, scope=ALICE)
    assert {it.content: it.status for it in known(memory).values()} == {
        "I live in Graz with my wife Clara": "superseded",
        news: "active",
    }


@pytest.mark.parametrize(
    "news",
    [
        "I moved to York and my dog died",
        "I moved to York with my dog Rex",
        "I moved to York and I don't think Clara and I broke up",
        "I moved to York and maybe Clara and I broke up",
        "I moved to York and Tom and Mia broke up",
        "I moved to York and if Clara and I broke up I would tell you",
        "I moved to York. Did you hear that Tom and I broke up the fight?",
    ],
)
async def test_a_claim_of_something_else_ends_no_rest(memory: AgentMemory, call: Call, news: str) -> None:
    """Nor does what is denied, supposed, asked or half a sentence."""
    await call(memory.long_term, "remember", "I live in Graz with my wife Clara", scope=ALICE)
    await call(memory.long_term, "remember", news, scope=ALICE)
    told = {"I live in Graz with my wife Clara", "My wife is Clara"}
    assert "active" in {it.status for text, it in known(memory).items() if text in told}


def test_so_it_is_where_the_user_says_it_in_a_conversation(memory: AgentMemory) -> None:
    """In the third person, as it is read from what was said."""
    say(memory, "I live in Graz with my wife Clara.")
    say(memory, "I live in Rome with my wife Anna.")
    assert [text for text, it in known(memory).items() if it.status == "active"] == [
        "The user lives in Rome with their wife Anna"
    ]


async def test_of_several_rests_those_go_that_are_contradicted(memory: AgentMemory, call: Call) -> None:
    """The others are kept, each by itself."""
    told = "I live in Graz with my wife Clara and two kids, Tom and Mia"
    await call(memory.long_term, "remember", told, scope=ALICE)
    await call(memory.long_term, "remember", "I live in Rome with my wife Anna", scope=ALICE)
    rests = {it.content for it in known(memory).values() if it.status == "active"}
    assert rests == {"I live in Rome with my wife Anna", "I have two kids, Tom and Mia"}


@pytest.mark.parametrize(
    ("told", "news", "left"),
    [
        ("I live in Leeds and work at Acme", "I moved to York", "I work at Acme"),
        ("I live in Leeds and work at Acme", "I no longer live in Leeds", "I work at Acme"),
        ("I live in Leeds and work at Acme", "I quit my job", "I live in Leeds"),
        ("I'm 34 and live in Leeds", "I'm 35 now", "I live in Leeds"),
        ("I have diabetes and live in Leeds", "I moved to York", "I have diabetes"),
        ("I'm vegan and allergic to nuts", "I'm no longer vegan", "I'm allergic to nuts"),
        ("I'm allergic to nuts and penicillin", "I'm no longer allergic to nuts", "I'm allergic to penicillin"),
        ("The user lives in Leeds and their wife has a cat", "The user moved to York", "The user's wife has a cat"),
    ],
)
async def test_of_what_was_said_in_one_breath_the_rest_holds(
    memory: AgentMemory, call: Call, told: str, news: str, left: str
) -> None:
    """In the first person, too, as an application passes it on: who moved works where they worked."""
    for said in (told, news):
        await call(memory.long_term, "remember", said, scope=ALICE)
    found = known(memory)
    assert found[told].status == "superseded"
    assert found[left].status == "active"


async def test_what_may_reach_on_stays_whole_beside_the_news(memory: AgentMemory, call: Call) -> None:
    """No rule tells whether Acme is wished for, too: nothing is lost."""
    told = "I plan to live in Leeds and work at Acme"
    for said in (told, "I live in York now"):
        await call(memory.long_term, "remember", said, scope=ALICE)
    assert known(memory)[told].status == "active"
