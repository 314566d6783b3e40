"""Profiles as callers see them: read as a model, written as memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.english.profile_fields import PREFERENCES, claim_of, key_of
from langchain_agentmem.english.statements import canonical_relation
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.ledger.base import LedgerReader
from langchain_agentmem.long_term.recall.explaining import shown_life
from langchain_agentmem.policies.sensitive_records import shown_memory
from langchain_agentmem.profiles.explaining import FieldHistory, Show, history_of
from langchain_agentmem.profiles.model import Origins, ProfileStatus, UserProfile
from langchain_agentmem.profiles.projecting import project
from langchain_agentmem.profiles.values import check_model, checked_preference, checked_value, own_fields
from langchain_agentmem.profiles.views import ProfileView, every
from langchain_agentmem.profiles.writing import FieldWriting, ProfileParts, Said
from langchain_agentmem.types import Decision, Memory, MemoryMode, RecallQuery, Scope, Source
from langchain_agentmem.types.memories import KEPT_STATUSES
from langchain_agentmem.types.scope import check_scope, known_user

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
        self._parts = made_of.parts
        self._model: type[P] = check_model(model)
        self._writing = FieldWriting(made_of)

    def as_(self, model: type[Q]) -> Profiles[Q]:
        """Return the same profiles read as your own model, a subclass of `UserProfile` whose fields have defaults.

        Raises:
            ConfigurationError: It is no such class.
        """
        return Profiles(self._of, check_model(model))

    # ----------------------------------------------------------------------------------------------------------- read
    def get(self, *, scope: Scope, purpose: str | None = None, mode: MemoryMode | None = None) -> P:
        """Return the profile of a user, as the ledger is now. What is not known has the model's default.

        Without consent, with memory off and of a visitor it is empty, and `status` says why. With an `agent_id`, what
        that agent was told counts before what its user's agents share.

        Args:
            scope: Whose.
            purpose: What it is for; memories that name purposes are used only for those.
            mode: Stricter than the memory's own mode for this call: `off` reads nothing.
        """
        return run(self.get_flow(scope, purpose, mode))

    async def aget(self, *, scope: Scope, purpose: str | None = None, mode: MemoryMode | None = None) -> P:
        """Return the profile of a user; see `get`."""
        return await arun(self.get_flow(scope, purpose, mode))

    def get_flow(self, scope: Scope, purpose: str | None = None, mode: MemoryMode | None = None) -> Flow[P]:
        """Return a profile as part of another flow; see `get`."""
        return self._got(scope, purpose, mode, self._shown)

    def whole_flow(self, scope: Scope) -> Flow[P]:
        """Return a profile as it is kept, whatever the policy for what is shown: the user's own copy, in an export."""
        return self._got(scope, None, None, lambda memory: memory)

    def _got(
        self, scope: Scope, purpose: str | None, mode: MemoryMode | None, show: Callable[[Memory], Memory]
    ) -> Flow[P]:
        query = self._parts.asked(RecallQuery(purpose=purpose))
        if check_scope(scope).is_anonymous:
            return self._empty("anonymous")
        if self._parts.effective_mode(scope, mode) == "off":
            return self._empty("off")
        view = yield from self._of.views.open(scope, self._parts.may_read)
        if not self._parts.may_read(view.head.consent, purpose):
            return self._empty("no_consent", view.head.seq)
        profile = self._projected(view, query, scope, show)
        seen = yield from self._of.interactions.last(scope)
        return profile if seen is None else profile.model_copy(update={"last_interaction": seen})

    def explain(self, field: str, *, scope: Scope) -> FieldHistory:
        """Return every value that a field has had, the latest first, each with all that happened to its memory.

        Args:
            field: `name`, a field of the model, or `preferences.<key>`; a fact is explained by `long_term.why`.
            scope: Whose.

        Raises:
            ConfigurationError: There is no such field.
        """
        return run(self._explain(field, scope))

    async def aexplain(self, field: str, *, scope: Scope) -> FieldHistory:
        """Return every value that a field has had; see `explain`."""
        return await arun(self._explain(field, scope))

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
        return run(self._set(field, value, scope, Said(source, confidence, mode)))

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
        return await arun(self._set(field, value, scope, Said(source, confidence, mode)))

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
        return run(self._update_preference(key, value, scope, Said(source, confidence, mode)))

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
        return await arun(self._update_preference(key, value, scope, Said(source, confidence, mode)))

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
        return run(self._writing.add_fact(text, scope, Said(source, confidence, mode)))

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
        return await arun(self._writing.add_fact(text, scope, Said(source, confidence, mode)))

    # ---------------------------------------------------------------------------------------------------------- flows
    def _set(self, field: str, value: Any, scope: Scope, said: Said) -> Flow[Decision]:  # noqa: ANN401  (as in `set`)
        stored = checked_value(self._model, field, value)
        return self._writing.write(field, stored, scope, said)

    def _update_preference(self, key: str, value: Any, scope: Scope, said: Said) -> Flow[Decision]:  # noqa: ANN401  (any JSON value)
        name, stored = checked_preference(self._model, key, value)
        return self._writing.write(PREFERENCES + name, stored, scope, said)

    def _explain(self, field: str, scope: Scope) -> Flow[FieldHistory]:
        name = self._checked_field(field)
        view = yield from self._of.views.open(known_user(scope), self._parts.may_read)
        called = self._projected(view, RecallQuery(min_confidence=0.0), scope, lambda it: it).name
        relations = {canonical_relation(it): it for it in own_fields(self._model)}

        def read(reader: LedgerReader) -> FieldHistory:
            claims = ((claim_of(it, relations, called), it.id) for it in every(reader, KEPT_STATUSES))
            ids = [memory_id for claim, memory_id in claims if claim is not None and claim.field == name]
            return history_of(reader, name, ids, scope, self._show(reader, scope))

        return (yield from self._parts.ledger.read(scope, read))

    def _checked_field(self, field: str) -> str:
        check_text("field", field)
        if field.startswith(PREFERENCES):
            return PREFERENCES + key_of(field.removeprefix(PREFERENCES))
        if field not in own_fields(self._model):
            known = ", ".join(own_fields(self._model))
            msg = f"{self._model.__name__} has no field {field!r} to explain; it has {known}, or preferences.<key>"
            raise ConfigurationError(msg)
        return field

    def _show(self, reader: LedgerReader, scope: Scope) -> Show:
        is_usable = self._parts.usable(reader.head.consent)
        return Show(is_usable, self._shown, lambda life: shown_life(self._parts.sensitive, life, scope))

    def _shown(self, memory: Memory) -> Memory:
        return shown_memory(self._parts.sensitive, memory)

    def _projected(self, view: ProfileView, query: RecallQuery, scope: Scope, show: Callable[[Memory], Memory]) -> P:
        admission = self._parts.admission(view.head.consent, query)
        admitted = [show(it) for it in view.memories.values() if admission.objection(it) is None]
        return project(self._model, admitted, view.head.seq, scope.agent_id)

    def _empty(self, status: ProfileStatus, revision: int = 0) -> P:
        profile = self._model()
        profile._origins = Origins(status=status, revision=revision)  # noqa: SLF001  (this is where profiles are made)
        return profile
