"""From memories to a profile: pure, the same memories always give the same profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import ValidationError

from langchain_agentmem.english.reading.profile_fields import (
    FACT_TAG,
    PREFERENCES,
    Claim,
    claim_of,
    decoded,
    is_about_user,
    name_in,
)
from langchain_agentmem.english.reading.statements import canonical_relation
from langchain_agentmem.policies.marks import marked_among
from langchain_agentmem.profiles.model import FieldState, Origins, UnfitField, UserProfile
from langchain_agentmem.profiles.values import expected, own_fields, problem_of, read_value
from langchain_agentmem.types import Memory

P = TypeVar("P", bound=UserProfile)
MAX_FACTS: Final = 100
"""As many as constraints come with a recall: more is no profile but the memory itself."""

MAX_PREFERENCES: Final = 200


class Sorted(NamedTuple):
    """Memories of a profile by what they are for, those that count before those that do not."""

    claims: Mapping[str, list[tuple[Claim, Memory]]]
    told: list[Memory]


class _Known(NamedTuple):
    """What is known of a user: own fields, preferences, facts; and what of it the model does not take."""

    fields: Mapping[str, FieldState] = MappingProxyType({})
    chosen: Mapping[str, FieldState] = MappingProxyType({})
    told: tuple[FieldState, ...] = ()
    refused: tuple[FieldState, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """Return it as the model is given it."""
        own = {name: state.value for name, state in self.fields.items()}
        preferences = {name.removeprefix(PREFERENCES): state.value for name, state in self.chosen.items()}
        return {**own, "preferences": preferences, "facts": tuple(state.value for state in self.told)}


def project(model: type[P], memories: Iterable[Memory], revision: int, agent_id: str | None) -> P:
    """Return the profile that memories in force make.

    Of several that say one field, the asking agent's own counts before what is shared, then the more trusted, then the
    newer one. A value that the model does not take is reported, and the field has its default.
    """
    known = list(memories)
    found = _sorted(model, marked_among({it.id for it in known}, known), agent_id)
    fields, unfit = _fields(model, found.claims)
    profile, kept, problem = _made(model, _Known(fields, dict(_preferences(found.claims)), _told(found.told)))
    profile._origins = Origins(  # noqa: SLF001  (this is where profiles are made)
        revision=revision,
        fields=MappingProxyType({**kept.fields, **kept.chosen}),
        told=kept.told,
        unfit=(*unfit, *(_misfit(state, problem) for state in kept.refused)),
    )
    return profile


def by_weight(memories: Iterable[Memory], agent_id: str | None) -> list[Memory]:
    """Return memories so that of two that say one field the first counts."""

    def weight(memory: Memory) -> tuple[bool, float, datetime, str]:
        is_own = agent_id is not None and memory.scope.agent_id == agent_id
        return is_own, memory.trust, memory.created_at, memory.id

    return sorted(memories, key=weight, reverse=True)


def _sorted(model: type[P], memories: list[Memory], agent_id: str | None) -> Sorted:
    ordered = by_weight(memories, agent_id)
    relations = {canonical_relation(name): name for name in own_fields(model)}
    name = name_in(ordered)
    claims: dict[str, list[tuple[Claim, Memory]]] = {}
    for claim, memory in _claims(ordered, relations, name):
        claims.setdefault(claim.field, []).append((claim, memory))
    used = {memory.id for every in claims.values() for _, memory in every}
    told = [it for it in ordered if it.id not in used and _is_told(it, name)]
    return Sorted(claims, told)


def _claims(ordered: list[Memory], relations: dict[str, str], name: str | None) -> Iterator[tuple[Claim, Memory]]:
    for memory in ordered:
        claim = claim_of(memory, relations, name)
        if claim is not None:
            yield claim, memory


def _is_told(memory: Memory, name: str | None) -> bool:
    return FACT_TAG in memory.tags or memory.kind == "preference" or is_about_user(memory, name)


def _told(memories: list[Memory]) -> tuple[FieldState, ...]:
    """Return the most important facts, in the order in which they were learned: a new one changes no line before it."""
    best = sorted(memories, key=lambda it: (it.pinned, it.importance, it.created_at, it.id), reverse=True)[:MAX_FACTS]
    ordered = sorted(best, key=lambda it: (it.created_at, it.id))
    return tuple(FieldState.of("facts", it.content, it) for it in ordered)


def _preferences(claims: Mapping[str, list[tuple[Claim, Memory]]]) -> Iterator[tuple[str, FieldState]]:
    names = sorted(name for name in claims if name.startswith(PREFERENCES))
    for name in names[:MAX_PREFERENCES]:
        claim, memory = claims[name][0]
        yield name, FieldState.of(name, decoded(claim.text), memory)


def _fields(
    model: type[P], claims: Mapping[str, list[tuple[Claim, Memory]]]
) -> tuple[dict[str, FieldState], list[UnfitField]]:
    fields: dict[str, FieldState] = {}
    unfit: list[UnfitField] = []
    known = set(own_fields(model))
    for name in sorted(name for name in claims if not name.startswith(PREFERENCES)):
        claim, memory = claims[name][0]
        if name not in known:
            unfit.append(
                UnfitField(field=name, memory_id=memory.id, expected="no such field", problem="extra_forbidden")
            )
            continue
        value, problem = read_value(model, name, claim.text)
        if problem is not None:
            wanted = expected(model, name)
            unfit.append(UnfitField(field=name, memory_id=memory.id, expected=wanted, problem=problem))
            continue
        fields[name] = FieldState.of(name, value, memory)
    return fields, unfit


def _made(model: type[P], known: _Known) -> tuple[P, _Known, str]:
    """Return the model, what it was made of, and which rule the rest breaks.

    Preferences and facts that it does not take are left out, then fields that do not go together, and then everything:
    a rule over all of them leaves none, but no stored value keeps a profile from being read.
    """
    made, problem = _tried(model, known)
    kept = known
    for narrower in (_without_unfit, _without_fields, _without_all):
        if made is not None:
            return made, kept, problem
        kept = narrower(model, kept)
        made, _ = _tried(model, kept)
    return (made or model()), kept, problem


def _tried(model: type[P], known: _Known) -> tuple[P | None, str]:
    try:
        return model.model_validate(known.values), ""
    except (ValidationError, ValueError, TypeError) as error:
        return None, problem_of(error)


def _without_unfit(model: type[P], known: _Known) -> _Known:
    chosen = {name: it for name, it in known.chosen.items() if _is_taken(model, _Known(chosen={name: it}))}
    told: tuple[FieldState, ...] = ()
    for state in reversed(known.told):  # the newest stay, where not all can
        told = (state, *told) if _is_taken(model, _Known(told=(state, *told))) else told
    ids = {it.memory_id for it in (*chosen.values(), *told)}
    refused = tuple(it for it in (*known.chosen.values(), *known.told) if it.memory_id not in ids)
    return _Known(known.fields, chosen, told, (*known.refused, *refused))


def _is_taken(model: type[P], known: _Known) -> bool:
    return _tried(model, known)[0] is not None


def _without_fields(_model: type[P], known: _Known) -> _Known:
    fields = {name: it for name, it in known.fields.items() if name == "name"}
    refused = tuple(it for name, it in known.fields.items() if name != "name")
    return known._replace(fields=fields, refused=(*known.refused, *refused))


def _without_all(_model: type[P], known: _Known) -> _Known:
    return _Known(refused=(*known.refused, *known.fields.values(), *known.chosen.values(), *known.told))


def _misfit(state: FieldState, problem: str) -> UnfitField:
    is_own = state.field != "facts" and not state.field.startswith(PREFERENCES)
    wanted = "to agree with the others" if is_own else "to be taken by the model"
    return UnfitField(field=state.field, memory_id=state.memory_id, expected=wanted, problem=problem)
