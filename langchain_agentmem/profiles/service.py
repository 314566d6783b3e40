"""Profiles as callers see them: read as a model, written as memories."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from langchain_agentmem._flow import arun, run
from langchain_agentmem.profiles.explaining import FieldHistory
from langchain_agentmem.profiles.flows import ProfileFlows
from langchain_agentmem.profiles.model import UserProfile
from langchain_agentmem.profiles.values import check_model
from langchain_agentmem.profiles.writing import ProfileParts, Said
from langchain_agentmem.types import Decision, MemoryMode, Scope, Source

P = TypeVar("P", bound=UserProfile)
Q = TypeVar("Q", bound=UserProfile)


class Profiles(Generic[P]):
    """Who each user is: name, preferences, facts, and fields of your own.

    A profile is a projection of long-term memory and is stored nowhere else. Setting a field is a write like any other:
    consent and the write policy decide, another value supersedes the one before, `forget` and `erase` empty the field,
    `why` explains it. What was said in passing ("my name is Ana") and remembered counts as well.

    Raises (every method): `ScopeError` for anything but a `Scope`, `StorageError` when the database fails.
    """

    def __init__(self, made_of: ProfileParts, model: type[P]) -> None:
        """Compose; made by `AgentMemory`."""
        self._of = made_of
        self._flows = ProfileFlows(made_of, model)

    def as_(self, model: type[Q]) -> Profiles[Q]:
        """Return the same profiles read as your own model, a subclass of `UserProfile` whose fields have defaults.

        Raises:
            ConfigurationError: It is no such class.
        """
        return Profiles(self._of, check_model(model))

    # ----------------------------------------------------------------------------------------------------------- read
    def get(self, scope: Scope, *, purpose: str | None = None, mode: MemoryMode | None = None) -> P:
        """Return the profile of a user, as the ledger is now. What is not known has the model's default.

        Without consent, with memory off and of a visitor it is empty, and `status` says why. With an `agent_id`, what
        that agent was told counts before what its user's agents share.

        Args:
            scope: Whose.
            purpose: What it is for; memories that name purposes are used only for those.
            mode: Stricter than the memory's own mode for this call: `off` reads nothing.
        """
        return run(self._flows.get(scope, purpose, mode))

    async def aget(self, scope: Scope, *, purpose: str | None = None, mode: MemoryMode | None = None) -> P:
        """Return the profile of a user; see `get`."""
        return await arun(self._flows.get(scope, purpose, mode))

    def explain(self, field: str, *, scope: Scope) -> FieldHistory:
        """Return every value that a field has had, the latest first, each with all that happened to its memory.

        Args:
            field: `name`, a field of the model, or `preferences.<key>`; a fact is explained by `long_term.why`.
            scope: Whose.

        Raises:
            ConfigurationError: There is no such field.
        """
        return run(self._flows.explain(field, scope))

    async def aexplain(self, field: str, *, scope: Scope) -> FieldHistory:
        """Return every value that a field has had; see `explain`."""
        return await arun(self._flows.explain(field, scope))

    # ---------------------------------------------------------------------------------------------------------- write
    def set(
        self,
        field: str,
        value: Any,  # noqa: ANN401  (whatever the field's type is)
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Set the name, or a field of the model. Another value supersedes the one before, and it keeps its history.

        Args:
            field: Its name.
            value: As the model takes it.
            scope: Whose. With an `agent_id` it is that agent's own value, and what is shared stays.
            source: `explicit` where the user or the application says so: that counts as a correction. What was
                `inferred` waits where it is less trusted than what it contradicts.
            confidence: In [0, 1]; below 0.7 it is refused by default.
            mode: Stricter than the memory's own mode for this call: `frozen` or `off` refuse.

        Returns:
            What was decided, by which rule, and the memory.

        Raises:
            ConfigurationError: The model has no such field or does not take the value; nothing was read or written.
        """
        return run(self._flows.set(field, value, scope, Said(source, confidence, mode)))

    async def aset(
        self,
        field: str,
        value: Any,  # noqa: ANN401  (as in `set`)
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Set a field; see `set`."""
        return await arun(self._flows.set(field, value, scope, Said(source, confidence, mode)))

    def update_preference(
        self,
        key: str,
        value: Any,  # noqa: ANN401  (any JSON value)
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Set a preference; another value supersedes the one before. The other arguments are those of `set`.

        Args:
            key: Compared without case ("editor", "code style").
            value: Text, a number, a bool, or lists and dicts of them.
            scope: Whose.
            source: As in `set`.
            confidence: As in `set`.
            mode: As in `set`.

        Raises:
            ConfigurationError: The key is no text of at most 100 characters, the value no JSON, or one that the model
                does not take.
        """
        return run(self._flows.update_preference(key, value, scope, Said(source, confidence, mode)))

    async def aupdate_preference(
        self,
        key: str,
        value: Any,  # noqa: ANN401  (as in `update_preference`)
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Set a preference; see `update_preference`."""
        return await arun(self._flows.update_preference(key, value, scope, Said(source, confidence, mode)))

    def add_fact(
        self,
        text: str,
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Remember a sentence about the user as a part of the profile; what it contradicts it supersedes.

        Args:
            text: In words that stand alone ("Ana prepares for the state exam").
            scope: Whose.
            source: As in `set`.
            confidence: As in `set`.
            mode: As in `set`.

        Raises:
            ConfigurationError: The text cannot be stored.
        """
        return run(self._flows.add_fact(text, scope, Said(source, confidence, mode)))

    async def aadd_fact(
        self,
        text: str,
        *,
        scope: Scope,
        source: Source = "explicit",
        confidence: float = 0.9,
        mode: MemoryMode | None = None,
    ) -> Decision:
        """Remember a sentence about the user; see `add_fact`."""
        return await arun(self._flows.add_fact(text, scope, Said(source, confidence, mode)))
