"""People and animals of whom one may have several, and choices that are revised: what stays, and what gives way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import TypeAlias

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.extraction import RuleExtractor
from langchain_agentmem.types import Memory

Kept: TypeAlias = Callable[..., list[Memory]]


@pytest.fixture(scope="module")
def memory() -> Iterator[AgentMemory]:
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        yield memory


@pytest.fixture
def kept(memory: AgentMemory, request: pytest.FixtureRequest) -> Kept:
    """Tell turns of a user of one's own, and return what is in force afterwards, the latest first."""
    scope = Scope(user_id=sha256(request.node.name.encode()).hexdigest())

    def tell(*turns: str) -> list[Memory]:
        said: list[HumanMessage] = []
        for turn in turns:
            said.append(HumanMessage(turn))
            for found in RuleExtractor().extract(said, new_from=len(said) - 1):
                memory.long_term.remember(found, scope=scope)
        return list(memory.long_term.list(scope=scope))

    return tell


@pytest.mark.parametrize("role", ["friend", "brother", "daughter", "colleague", "neighbour", "dog", "cat"])
def test_a_second_friend_or_child_leaves_the_first(kept: Kept, role: str) -> None:
    """One has several of them, however they are introduced."""
    found = kept(f"My {role} is Tom.", f"My new {role} is called Ann.")
    assert {(it.relation, it.object) for it in found} == {(role, "Tom"), (role, "Ann")}


def test_a_name_beside_a_role_is_the_same_relation(kept: Kept) -> None:
    """What "my sister Nora works at Acme" says of Nora is what "my sister is Nora" says."""
    found = kept("My sister Nora works at Acme.", "My sister is Ann.", "My sister is Nora.")
    assert sorted(str(it.object) for it in found if it.relation == "sister") == ["Ann", "Nora"]


@pytest.mark.parametrize("role", ["manager", "boss", "wife", "girlfriend", "mother", "employer"])
def test_of_whom_there_is_one_the_second_replaces_the_first(kept: Kept, role: str) -> None:
    """A manager, a partner, a home: one at a time."""
    [found] = kept(f"My {role} is Paris.", f"My new {role} is Lyon.")
    assert "Lyon" in found.content


@pytest.mark.parametrize(
    ("turns", "names"),
    [
        (["My brother is Tom.", "My brother is called Tim, not Tom."], {"Tim"}),
        (["My brother is Tom.", "My brother is Ben.", "My brother is called Tim, not Tom."], {"Tim", "Ben"}),
        (["My friend is Tom.", "Actually my friend's name is Ann."], {"Ann"}),
        (["My friend is Tom.", "My friend is Bob.", "Actually, my friend's name is Ann."], {"Tom", "Ann"}),
    ],
)
def test_a_correction_replaces_the_name_it_is_about(kept: Kept, turns: list[str], names: set[str]) -> None:
    """The one it takes back, or else the last one named; the others stay."""
    assert {it.object for it in kept(*turns)} == names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We chose microservices.", "We switched to a monolith."),
        ("We picked Postgres for the ledger.", "We decided to move the ledger to MySQL instead."),
        ("We use Postgres.", "We use MySQL now."),
        ("We chose microservices for the backend.", "We decided on a monolith for the backend instead."),
        ("We use Jenkins.", "We migrated to CircleCI."),
        ("We adopted Kafka.", "We replaced Kafka with RabbitMQ."),
        ("We picked Postgres.", "We migrated from Postgres to MySQL."),
        ("We went with React for the dashboard.", "We switched to Vue for the dashboard."),
        ("We decided to use Terraform.", "We moved to Pulumi."),
        ("We use AWS.", "We have switched to Azure."),
        ("We standardized on npm.", "We now use pnpm."),
        ("We picked Kafka for the events.", "We settled on RabbitMQ for the events."),
        ("We settled on REST for the public API.", "We chose GraphQL for the public API instead."),
        ("We picked Zed for the docs.", "We picked Sphinx for the docs instead."),
        ("We chose Python.", "We switched to Rust."),
    ],
)
def test_a_revised_choice_is_in_force_no_more(kept: Kept, first: str, second: str) -> None:
    """What serves the same purpose takes the place of what was chosen before."""
    [found] = kept(first, second)
    assert found.supersedes


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We decided to use Postgres.", "We decided to use Redis for the cache."),
        ("We chose Postgres for the ledger.", "We moved the ledger to Frankfurt."),
        ("We picked Postgres for the ledger.", "We switched to MySQL for the blog."),
        ("We use Postgres.", "We also use MySQL now."),
        ("We chose Postgres.", "We switched to dark mode."),
        ("We use Postgres.", "We use MySQL."),
        ("We use Postgres and MySQL.", "We switched to SQLite."),
        ("We chose Python for the backend.", "We chose TypeScript for the frontend."),
        ("We use Python.", "We now use Rust."),
        ("We use Postgres.", "I switched to MySQL."),
        ("We chose microservices.", "We did not switch to a monolith."),
        ("We use AWS.", "We moved from GCP to Azure."),
        ("We use Slack.", "We use Discord for the community."),
        ("We chose Kafka.", "We moved to Berlin."),
        ("We chose Postgres.", "We use Kafka now."),
    ],
)
def test_a_choice_beside_another_leaves_both(kept: Kept, first: str, second: str) -> None:
    """Another purpose, another sort of thing, another one who chooses, or one more of them revises nothing."""
    assert len(kept(first, second)) == 2
