"""The flows behind `Profiles`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from langchain_agentmem._checks import check_text
from langchain_agentmem._flow import Flow
from langchain_agentmem.english.reading.profile_fields import PREFERENCES, claim_of, key_of
from langchain_agentmem.english.reading.statements import canonical_relation
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
from langchain_agentmem.types import Decision, Memory, MemoryMode, RecallQuery, Scope
from langchain_agentmem.types.memories import KEPT_STATUSES
from langchain_agentmem.types.scope import check_scope, known_user

P = TypeVar("P", bound=UserProfile)


class ProfileFlows(Generic[P]):
    """What `Profiles` promises, as flows."""

    def __init__(self, made_of: ProfileParts, model: type[P]) -> None:
        """Compose."""
        self._of = made_of
        self._parts = made_of.parts
        self._model: type[P] = check_model(model)
        self._writing = FieldWriting(made_of)

    def get(self, scope: Scope, purpose: str | None = None, mode: MemoryMode | None = None) -> Flow[P]:
        """Return a profile; see `Profiles.get`."""
        return self._got(scope, purpose, mode, self._shown)

    def whole(self, scope: Scope) -> Flow[P]:
        """Return a profile as it is kept, whatever the policy for what is shown: the user's own copy, in an export."""
        return self._got(scope, None, None, lambda memory: memory)

    def explain(self, field: str, scope: Scope) -> Flow[FieldHistory]:
        """Return every value that a field has had, the latest first."""
        name = self._checked_field(field)
        view = yield from self._of.views.open(known_user(scope), self._parts.may_read)
        called = self._projected(view, RecallQuery(min_confidence=0.0), scope, lambda it: it).name
        relations = {canonical_relation(it): it for it in own_fields(self._model)}

        def read(reader: LedgerReader) -> FieldHistory:
            claims = ((claim_of(it, relations, called), it.id) for it in every(reader, KEPT_STATUSES))
            ids = [memory_id for claim, memory_id in claims if claim is not None and claim.field == name]
            return history_of(reader, name, ids, scope, self._show(reader, scope))

        return (yield from self._parts.ledger.read(scope, read))

    def set(self, field: str, value: Any, scope: Scope, said: Said) -> Flow[Decision]:  # noqa: ANN401  (as in `set`)
        """Set the name, or a field of the model."""
        stored = checked_value(self._model, field, value)
        return self._writing.write(field, stored, scope, said)

    def update_preference(self, key: str, value: Any, scope: Scope, said: Said) -> Flow[Decision]:  # noqa: ANN401  (any JSON value)
        """Set a preference."""
        name, stored = checked_preference(self._model, key, value)
        return self._writing.write(PREFERENCES + name, stored, scope, said)

    def add_fact(self, text: str, scope: Scope, said: Said) -> Flow[Decision]:
        """Remember a sentence about the user as a part of the profile; what it contradicts it supersedes."""
        return self._writing.add_fact(text, scope, said)

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
