"""Sensitive data in names, metadata and keys, and where a scan's policy is stricter than that of the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final, TypeAlias

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, Scope, SensitivePolicy
from langchain_agentmem.errors import GovernanceError
from langchain_agentmem.policies.sensitive_records import Protector

MAIL: Final = "zorro.quixote@example.org"
TALK: Final = Scope("alice", session_id="monday")
KEEP: Final = SensitivePolicy(rules={"*": "keep"})
Open: TypeAlias = Callable[[SensitivePolicy], AgentMemory]

HIDDEN: Final[tuple[BaseMessage, ...]] = (
    HumanMessage("hello there", id="1", name=MAIL),
    AIMessage("ok", id="1", response_metadata={"x": MAIL, "logprobs": [MAIL]}),
    AIMessage("ok", id="1", response_metadata={MAIL: 1}),
    AIMessage("ok", id="1", additional_kwargs={MAIL: 1}),
    AIMessage("", id="1", tool_calls=[{"name": "look", "args": {MAIL: 1}, "id": "c"}]),
)
every_place = pytest.mark.parametrize("message", HIDDEN, ids=["name", "metadata", "metadata_key", "kwargs_key", "args"])


@pytest.fixture
def opened() -> Iterator[Open]:
    """What opens memories, and closes them."""
    with ExitStack() as stack:
        yield lambda policy: stack.enter_context(
            AgentMemory.in_memory(embeddings=None, consent="assumed", sensitive=policy)
        )


class TestMessages:
    @every_place
    def test_what_is_blocked_is_refused_wherever_it_stands(self, opened: Open, message: BaseMessage) -> None:
        """In a name, in what a provider tells, and as a key."""
        memory = opened(SensitivePolicy(rules={"email": "block"}))
        with pytest.raises(GovernanceError, match="email"):
            memory.history(TALK).add_messages([message])
        assert memory.history(TALK).messages == []

    @every_place
    def test_what_is_redacted_or_shown_otherwise_is_so_wherever_it_stands(
        self, opened: Open, message: BaseMessage
    ) -> None:
        """When it is written, and when it is read."""
        for layer in ("histories", "shown"):
            memory = opened(SensitivePolicy(rules={"*": "keep"}, layers={layer: "redact"}))
            memory.history(TALK).add_messages([message])
            read = str(memory.history(TALK).messages)
            assert MAIL not in read
            assert "[email]" in read

    @every_place
    def test_a_scan_finds_it_wherever_it_stands(self, opened: Open, message: BaseMessage) -> None:
        """And rewrites it, once."""
        memory = opened(KEEP)
        memory.history(TALK).add_messages([message])
        strict = SensitivePolicy(layers={"histories": "redact"})
        report = memory.sensitive.scan(Scope("alice"), policy=strict, dry_run=False)
        assert report.changed["histories"] == 1
        assert memory.sensitive.scan(Scope("alice"), policy=strict, layers=["histories"]).counts == {}
        assert MAIL not in str(memory.history(TALK).messages)


class TestKeys:
    def test_items_of_the_store_have_no_blocked_keys(self, opened: Open) -> None:
        """A key of a value says as much as a value."""
        memory = opened(SensitivePolicy(layers={"store": "block"}))
        with pytest.raises(GovernanceError, match="email"):
            memory.store.put(("alice",), "k", {"deep": [{MAIL: "a"}]})

    def test_keys_that_look_alike_once_protected_stay_apart(self) -> None:
        """Nothing is lost, and what was protected once stays as it is."""
        policy = SensitivePolicy(layers={"histories": "redact"})
        given: dict[Any, Any] = {"a@example.org": 1, "b@example.org": 2, "[email]": 3, 4: "c@example.org"}
        made = Protector(policy, "histories", None).value(given)
        assert made == {"[email] 2": 1, "[email] 3": 2, "[email]": 3, 4: "[email]"}
        assert Protector(policy, "histories", None).value(made) == made


def test_a_scan_with_a_stricter_policy_is_done_once(opened: Open) -> None:
    """What is reported as changed is gone, also where the memory's own policy would say it anew."""
    memory = opened(KEEP)
    said = HumanMessage(f"My brother {MAIL} flew to Rome in May", id="1", name="Al")
    memory.history(TALK).add_messages([said])
    assert MAIL in memory.episodes.list(scope=TALK)[0].text
    strict = SensitivePolicy(rules={"email": "redact"}, layers={"histories": "keep"})
    report = memory.sensitive.scan(Scope("alice"), policy=strict, dry_run=False)
    assert (dict(report.changed), report.is_complete) == ({"episodes": 1}, True)
    assert memory.sensitive.scan(Scope("alice"), policy=strict, dry_run=False).changed == {}
    assert not [it for it in memory.episodes.list(scope=TALK) if MAIL in it.text]
    assert MAIL in memory.history(TALK).messages[0].text


def test_a_scan_sees_what_a_laxer_policy_leaves_of_a_masked_turn(opened: Open) -> None:
    """That some of its words are masked whenever it is read says nothing of the others."""
    memory = opened(SensitivePolicy(rules={"*": "keep"}, layers={"episodes": {"email": "keep", "card": "redact"}}))
    memory.history(TALK).add_messages([HumanMessage(f"My card is 4111 1111 1111 1111, mail {MAIL}", id="1")])
    strict = SensitivePolicy(rules={"email": "redact"}, layers={"histories": "keep"})
    assert memory.sensitive.scan(Scope("alice"), policy=strict, layers=["episodes"]).counts == {
        "episodes": {"email": 1}
    }
