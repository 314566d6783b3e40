"""Entities, what relates them, and why two names are one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from langchain_agentmem.english.people.aliases import AliasCandidate, AliasLink
from langchain_agentmem.english.reading.relations import Cardinality
from langchain_agentmem.types import Status

GraphStatus: TypeAlias = Literal["ok", "off", "no_consent", "anonymous"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Somebody or something that memories are about.

    Attributes:
        id: The form by which its name is compared; `user` for the user. It changes where a better name is learned.
        type: `person`, `place`, `organisation`, or what was said of it ("Postgres is a database"); `None`: unknown.
        aliases: Other ways it is written.
        memory_ids: Memories that name it, the oldest first.
        candidates: Names of entities that it might be, and is not taken for; see `explain_alias`.
    """

    id: str = field(repr=False)
    name: str = field(repr=False)
    type: str | None = field(default=None, repr=False)
    aliases: tuple[str, ...] = field(default=(), repr=False)
    memory_ids: tuple[str, ...] = ()
    candidates: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRelation:
    """A relation between two entities, or what is said of one.

    Attributes:
        subject: Id of an entity. `object`: id of another; `None` where there is a `value`.
        memory_ids: Memories that say so.
        confidence: Of the surest of them. `status`: `active`, or `superseded` where the past is looked at.
        cardinality: Whether a subject has one object at a time by this relation.
        valid_at: From when it is true of the world (`None`: always was); `invalid_at`: until when.
        created_at: When this system learned it; `expired_at`: when it stopped believing it.
        rivals: Memories in force that name another object, though there is one at a time: neither replaced the other.
    """

    subject: str = field(repr=False)
    relation: str = field(repr=False)
    object: str | None = field(default=None, repr=False)
    value: str | None = field(default=None, repr=False)
    memory_ids: tuple[str, ...]
    confidence: float
    status: Status
    cardinality: Cardinality
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    created_at: datetime
    expired_at: datetime | None = None
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entity near another: how many relations away, and the last of them on a shortest way."""

    entity: Entity
    distance: int
    relations: tuple[EntityRelation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPath:
    """A way from one entity to another, each step a relation that may be walked against its direction."""

    entities: tuple[Entity, ...]
    relations: tuple[EntityRelation, ...]

    def __len__(self) -> int:
        """Return the number of relations."""
        return len(self.relations)

    def __str__(self) -> str:
        """Return the way in words: "Nora -works_at-> Acme <-founded- Tom"."""
        words = [self.entities[0].name]
        for before, step, after in zip(self.entities, self.relations, self.entities[1:], strict=False):
            is_forward = step.subject == before.id and step.object == after.id
            words.append(f"-{step.relation}-> {after.name}" if is_forward else f"<-{step.relation}- {after.name}")
        return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasExplanation:
    """Which entity a name means, and why.

    Attributes:
        entity: `None` where nothing is known by this name, or where several could be meant.
        links: Why each of its names is its own; `memory_id` of what was said can be forgotten, which undoes it.
        candidates: What the name might mean besides, and why it is not taken for that.
    """

    name: str = field(repr=False)
    entity: Entity | None = None
    links: tuple[AliasLink, ...] = field(default=(), repr=False)
    candidates: tuple[AliasCandidate, ...] = field(default=(), repr=False)
