"""Which messages of a turn are new to its conversation, and the copies of them that are stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from langchain_core.messages import BaseMessage, HumanMessage


def own_messages(messages: Sequence[BaseMessage], renewed: Collection[BaseMessage] = ()) -> list[BaseMessage]:
    """Return a turn's messages, with copies of those that are to be given an id: one copy for each object.

    The same object in the next turn is another message. A turn that is not saved is kept as these copies: its retry
    has their ids.

    Args:
        messages: Of the turn.
        renewed: Those of them that have an id, and are to be given another one.
    """
    copies: dict[int, BaseMessage] = {}
    without = {id(message) for message in renewed}
    return [
        copies.setdefault(id(message), message.model_copy(update={"id": None}))
        if isinstance(message, BaseMessage) and (not message.id or id(message) in without)
        else message
        for message in messages
    ]


def answers_in(messages: Sequence[BaseMessage], asked: int) -> list[BaseMessage]:
    """Return what was answered in a turn: what follows its input, also where the output begins with that input.

    Args:
        messages: The input, and then the output, which may repeat the conversation and the input.
        asked: How many messages the input is.
    """
    given = {id(message) for message in messages[:asked]}
    names = {_id_of(message) for message in messages[:asked]} - {None}
    repeated = [
        place
        for place, message in enumerate(messages[asked:], asked)
        if id(message) in given or _id_of(message) in names
    ]
    return list(messages[repeated[-1] + 1 if repeated else asked :])


def answered_again(messages: Sequence[BaseMessage], asked: int, record: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the answers of a turn whose ids its conversation has of another turn: a cache may give one again.

    No answer again is what the conversation has right after this very input, as of a turn that is repeated, nor what an
    output that does not repeat its input has of the conversation before anything new.
    """
    answers, ids = answers_in(messages, asked), [message.id for message in record]
    if len(answers) == len(messages) - asked:  # the output does not repeat the input
        new = [place for place, message in enumerate(answers) if _id_of(message) not in ids]
        answers = answers[new[0] if new else 0 :]
    before = set(map(_id_of, messages[:asked]))
    places = [place for place, id in enumerate(ids) if id in before]
    after = record[places[-1] + 1 :] if len(places) == len(before) > 0 else []
    same_turn = {message.id for message in takewhile(lambda it: not isinstance(it, HumanMessage), after)}
    return [message for message in answers if _id_of(message) in ids and _id_of(message) not in same_turn]


def _id_of(message: object) -> str | None:
    """Return the id of a message; an output may hold anything."""
    return message.id if isinstance(message, BaseMessage) else None
