"""From messages to turns: laws of any conversation."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from langchain_agentmem.extraction.record.conversation import MARK
from langchain_agentmem.long_term.said.turns import Turn, begins_turn, episode_ids, is_said, turns_of, words_in
from langchain_agentmem.types import Scope
from tests.ledgers import ALICE, START
from tests.talks import TALK

WORDS = st.text(max_size=12)
IDS = st.none() | st.uuids().map(str)
MESSAGES = st.one_of(
    st.builds(HumanMessage, WORDS, id=IDS, name=st.none() | WORDS),
    st.builds(AIMessage, WORDS, id=IDS),
    st.builds(SystemMessage, WORDS, id=IDS),
    st.builds(ToolMessage, WORDS, tool_call_id=st.just("c"), id=IDS),
    st.builds(HumanMessage, WORDS, id=IDS, additional_kwargs=st.just({MARK: "memory"})),
)
TALKS = st.lists(MESSAGES, max_size=12)


def cut(messages: list[BaseMessage]) -> list[Turn]:
    return list(turns_of(messages, lambda _: START))


@given(TALKS)
def test_every_word_is_in_exactly_one_turn(messages: list[BaseMessage]) -> None:
    """What people and assistants say comes back once, in its order, and nothing else does."""
    said = [message for message in messages if is_said(message)]
    assert [message for turn in cut(messages) for message in turn.messages] == said


@given(TALKS)
def test_only_the_first_turn_may_begin_with_a_reply(messages: list[BaseMessage]) -> None:
    """Each other one begins with a person, and holds no second message of a person."""
    turns = cut(messages)
    for number, turn in enumerate(turns):
        assert [begins_turn(message) for message in turn.messages[1:]].count(True) == 0
        assert number == 0 or begins_turn(turn.messages[0])


@given(TALKS)
def test_both_sides_say_what_their_messages_say(messages: list[BaseMessage]) -> None:
    """The person's words in `text`, the assistants' lines in `reply`; a turn without either does not exist."""
    for turn in cut(messages):
        parts = [turn.text] if turn.text else []
        parts += [words_in(message) for message in turn.messages if not begins_turn(message)]
        assert "\n".join(parts) == "\n".join(filter(None, (turn.text, turn.reply))) != ""
        assert turn.speaker


@given(TALKS)
def test_ids_of_turns_tell_them_apart(messages: list[BaseMessage]) -> None:
    """In one conversation, with ids or without, and the same ones whenever it is cut."""
    ids = [turn.episode(TALK).id for turn in cut(messages)]
    assert len(set(ids)) == len(ids)
    assert ids == [turn.episode(TALK).id for turn in cut(messages)]


@given(TALKS)
def test_a_turn_keeps_its_id_when_it_grows(messages: list[BaseMessage]) -> None:
    """A reply that comes later changes no id."""
    grown = [*messages, AIMessage("one more thing")]
    assert [it.episode(TALK).id for it in cut(messages)] == [it.episode(TALK).id for it in cut(grown)][
        : len(cut(messages))
    ]


@given(TALKS.map(lambda talk: [message for message in talk if message.id]))
def test_what_is_before_the_asker_is_known_by_its_messages(messages: list[BaseMessage]) -> None:
    """The ids of turns follow from messages, also from those of a turn's middle; for the agent and for all."""
    helper = Scope("alice", agent_id="helper", session_id="talk")
    kept = {turn.episode(scope).id for scope in (TALK, helper) for turn in cut(messages)}
    assert kept <= episode_ids(messages, helper)


def test_sessions_agents_and_times_make_other_turns() -> None:
    """The same message is another turn in another session or of another agent; without an id, at another time."""
    named, nameless = HumanMessage("yes", id="1"), HumanMessage("yes")
    scopes = (TALK, Scope("alice", session_id="other"), Scope("alice", agent_id="helper", session_id="talk"))
    ids = {Turn(messages=(named,), at=START).episode(scope).id for scope in scopes}
    later = {Turn(messages=(nameless,), at=at).episode(TALK).id for at in (START, START + timedelta(1))}
    assert (len(ids), len(later)) == (3, 2)
    assert Turn(messages=(named,), at=START).episode(TALK).scope.user_id == ALICE.user_id
