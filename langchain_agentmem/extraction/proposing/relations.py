"""Relations between people and things, proposed by a chat model and held against the words of the conversation."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from langchain_agentmem.extraction.proposing.model import ModelExtractor, ProposedMemories, ProposedMemory


class ProposedRelation(ProposedMemory):
    """One relation, as the model proposes it."""

    kind: str = Field(default="fact", description="always fact", json_schema_extra={"enum": ["fact"]})
    subject: str = Field(description="whom or what it is about, by name; `user` for the user")
    relation: str = Field(description="what relates them, in snake case, such as works_at, sister, depends_on")
    object: str = Field(description="the name of the other one, or what is said of the subject")


class ProposedRelations(ProposedMemories):
    """The relations that the new messages state; often none."""

    memories: list[ProposedRelation] = Field(default_factory=list)  # type: ignore[assignment]  # a narrower list, only read


class RelationExtractor(ModelExtractor):
    """Proposes subject, relation and object of what a conversation says of named people and things.

    As with `ModelExtractor`, a proposal is kept only if its evidence stands in a new message, and the write policy
    decides on each.
    """

    schema: ClassVar[type[ProposedMemories]] = ProposedRelations
    prompt_name: ClassVar[str] = "relations"
