"""What is said of names, as memories: that two are one, that two are different, how two are related."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._checks import check_text
from langchain_agentmem.english.people.aliases import AliasLink
from langchain_agentmem.english.reading.naming import MAX_NAME_CHARS, clean, key_of, shown_as
from langchain_agentmem.english.reading.relations import DIFFERENT_FROM, SAME_AS
from langchain_agentmem.english.reading.statements import canonical_relation
from langchain_agentmem.entities.graph import EntityGraph, checked_name
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.types import Candidate, Source

_CERTAIN: Final = 0.95
"""What an application says of two names is meant."""


def said_alias(graph: EntityGraph, name: str, other: str) -> Candidate:
    """Return the memory that two names are one.

    Raises:
        ConfigurationError: It would say nothing new, or contradict what was said.
    """
    _check_two(name, other, "an alias of itself")
    chained = _chain(graph, key_of(name), key_of(other))
    if chained:
        ids = ", ".join(str(it.memory_id) for it in chained)
        msg = f"the two names are one entity already, by memory {ids}; nothing is to be added"
        raise ConfigurationError(msg)
    apart = _told_apart(graph, name, other)
    if apart:
        msg = f"the two names were told apart by memory {apart}; long_term.forget it first"
        raise ConfigurationError(msg)
    return _said(f"{shown_as(name)} is another name of {shown_as(other)}.", (name, SAME_AS, other))


def said_difference(graph: EntityGraph, name: str, other: str) -> Candidate:
    """Return the memory that two names are different entities.

    Raises:
        ConfigurationError: It would say nothing new, or contradict what was said.
    """
    _check_two(name, other, "different from itself")
    apart = _told_apart(graph, name, other)
    if apart:
        msg = f"the two names were told apart already, by memory {apart}; nothing is to be added"
        raise ConfigurationError(msg)
    chained = _chain(graph, key_of(name), key_of(other))
    if chained:
        ids = ", ".join(str(it.memory_id) for it in chained)
        msg = f"the two names were said to be one by memory {ids}; long_term.forget it first"
        raise ConfigurationError(msg)
    return _said(
        f"{shown_as(name)} is somebody or something else than {shown_as(other)}.", (name, DIFFERENT_FROM, other)
    )


def said_relation(subject: str, relation: str, other: str, source: Source, confidence: float) -> Candidate:
    """Return the memory of a relation.

    Raises:
        ConfigurationError: A name cannot be one, the relation is empty, or both ends are the same.
    """
    if checked_name(subject) == key_of(check_text("object", other, max_chars=1_000)):
        msg = "subject and object are the same name, and nothing is related to itself; name another object"
        raise ConfigurationError(msg)
    named = canonical_relation(check_text("relation", relation, max_chars=MAX_NAME_CHARS))
    shown = shown_as(subject)
    return Candidate(
        content=f"{shown[:1].upper()}{shown[1:]} {named.replace('_', ' ')} {clean(other)}",
        subject=key_of(subject) if key_of(subject) == "user" else clean(subject),
        relation=named,
        object=clean(other),
        source=source,
        confidence=confidence,
    )


def checked_messages(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """Return messages that can be read.

    Raises:
        ConfigurationError: They are no list of messages.
    """
    if not isinstance(messages, Sequence) or not all(isinstance(it, BaseMessage) for it in messages):
        msg = f"messages must be a list of LangChain messages, got {type(messages).__name__}"
        raise ConfigurationError(msg)
    return messages


def _said(content: str, about: tuple[str, str, str]) -> Candidate:
    subject, relation, other = about
    return Candidate(
        content=f"{content[:1].upper()}{content[1:]}",
        subject=clean(subject),
        relation=relation,
        object=clean(other),
        confidence=_CERTAIN,
    )


def _check_two(name: str, other: str, what: str) -> None:
    if checked_name(name) == checked_name(other):
        msg = f"name and other are the same name, and nothing is {what}; name two"
        raise ConfigurationError(msg)


def _chain(graph: EntityGraph, one: str, other: str) -> list[AliasLink]:
    """Return what was said, link by link, by which two names are one; empty where it was not."""
    return _ways(graph, one).get(other, [])


def _ways(graph: EntityGraph, one: str) -> dict[str, list[AliasLink]]:
    """Return each name that was said to be one with a name, and what was said, link by link."""
    said = [it for it in graph.naming.links if it.rule == "said"]
    ways: dict[str, list[AliasLink]] = {one: []}
    queue = [one]
    for here in queue:
        for it in said:
            ends = (key_of(it.name), key_of(it.other))
            there = ends[1] if ends[0] == here else ends[0] if ends[1] == here else None
            if there is not None and there not in ways:
                ways[there] = [*ways[here], it]
                queue.append(there)
    return ways


def _told_apart(graph: EntityGraph, name: str, other: str) -> str | None:
    """Return the memory that tells two names apart, or names that were said to be one with them."""
    ours, theirs = _ways(graph, key_of(name)), _ways(graph, key_of(other))
    told = ((key_of(it.name), key_of(it.other), it.memory_id) for it in graph.naming.apart)
    return next((id_ for a, b, id_ in told if (a in ours and b in theirs) or (b in ours and a in theirs)), None)
