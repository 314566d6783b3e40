"""What a policy puts in the place of a value is no name: two people whose address is masked stay two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, SensitivePolicy
from langchain_agentmem.policies.protecting import STRATEGIES

ANA = Scope("ana")
NORA, KIRA = "nora@x.org", "kira@y.org"
Open = Callable[[str], AgentMemory]


@pytest.fixture
def opened() -> Iterator[Open]:
    """What opens a memory with one way to treat addresses, and closes it."""
    with ExitStack() as stack:

        def opening(strategy: str) -> AgentMemory:
            policy = SensitivePolicy(rules={"email": strategy}, key=b"k" * 32)  # type: ignore[dict-item]  # one of STRATEGIES
            return stack.enter_context(AgentMemory.in_memory(embeddings=None, consent="assumed", sensitive=policy))

        yield opening


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("said", ["{}'s email is {}", "{}'s e-mail address is {}", "{}'s work email is {}"])
def test_who_has_an_address_stays_who_they_are(opened: Open, strategy: str, said: str) -> None:
    """However it is stored, nothing that is known of Kira is told of Nora."""
    memory = opened(strategy)
    for it in (said.format("Nora", NORA), "Nora works at Acme", said.format("Kira", KIRA), "Kira lives in Oslo"):
        memory.long_term.remember(it, scope=ANA)
    assert {it.name for it in memory.entities.list(scope=ANA)} == {"Nora", "Kira", "Acme", "Oslo"}
    assert memory.entities.paths("Nora", "Oslo", scope=ANA) == ()


def test_an_address_that_two_share_is_neither_of_them(opened: Open) -> None:
    """Which one it is, nobody said, and `explain_alias` says that."""
    memory = opened("keep")
    for it in ("Nora", "Kira"):
        memory.long_term.remember(f"{it}'s email is info@acme.org", scope=ANA)
    why = memory.entities.explain_alias("info@acme.org", scope=ANA)
    assert {(it.other, it.rule) for it in why.candidates} == {("Nora", "ambiguous"), ("Kira", "ambiguous")}
    assert memory.entities.get("Nora", scope=ANA) != memory.entities.get("Kira", scope=ANA)


@pytest.mark.parametrize("strategy", ["mask", "redact", "hash", "tokenise"])
def test_a_profile_with_a_masked_name_makes_nobody_the_user(opened: Open, strategy: str) -> None:
    """Nor does an alias whose one side would be a mark: it is refused."""
    memory = opened(strategy)
    memory.profiles.set("name", NORA, scope=ANA)
    with pytest.raises(ConfigurationError, match="no name"):
        memory.entities.alias("Nora", NORA, scope=ANA)
    memory.long_term.remember("Nora lives in Oslo", scope=ANA)
    nora = memory.entities.get("Nora", scope=ANA)
    assert nora is not None
    assert (nora.name, nora.aliases) == ("Nora", ())
