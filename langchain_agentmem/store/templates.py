"""Namespaces with a template in a label, such as `("memories", "{user_id}")`: filled from the run, or refused.

A template that is not filled would be one namespace for everybody. So a label with a pair of braces in it is always a
template, and what it names must be known.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from langchain_agentmem._checks import check_id
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.identity import USER_KEYS, resolve_named, resolve_scope
from langchain_agentmem.items.base import Owner
from langchain_agentmem.items.paths import Namespace

_TEMPLATE: Final = re.compile(r"\{(.*?)\}", re.DOTALL)
_SCOPED: Final = frozenset({*USER_KEYS, "tenant_id"})


class Filled(NamedTuple):
    """A namespace without templates.

    Attributes:
        owner: The run's user, where a template named the user.
        places: Of the labels that were filled.
    """

    namespace: Namespace
    owner: Owner | None = None
    places: frozenset[int] = frozenset()


def fill(namespace: Namespace) -> Filled:
    """Return a namespace with its templates filled from the run around this call.

    Raises:
        ConfigurationError: The run does not say what a template names.
    """
    places = frozenset(place for place, label in enumerate(namespace) if _TEMPLATE.search(label))
    if not places:
        return Filled(namespace)
    names = {name for place in places for name in _TEMPLATE.findall(namespace[place])}
    values = {name: _value(name, namespace) for name in names}
    labels = (_TEMPLATE.sub(lambda it: values[it[1]], label) for label in namespace)
    owner = _owner(namespace) if names & set(USER_KEYS) else None
    return Filled(tuple(labels), owner, places)


def _value(name: str, namespace: Namespace) -> str:
    if name in _SCOPED:
        owner = _owner(namespace)
        return owner.tenant_id if name == "tenant_id" else owner.user_id
    value = resolve_named(name) if name.isidentifier() else None
    if value is None or isinstance(value, bool):
        raise ConfigurationError(_refusal(name, namespace))
    try:
        return check_id(name, str(value))
    except ScopeError as error:
        raise ConfigurationError(_refusal(name, namespace)) from error


def _owner(namespace: Namespace) -> Owner:
    try:
        scope = resolve_scope()
    except ScopeError as error:
        raise ConfigurationError(_refusal("user_id", namespace)) from error
    return Owner(scope.tenant_id, scope.user_id)


def _refusal(name: str, namespace: Namespace) -> str:
    return (
        f"namespace {namespace!r:.200} is a template, but the run says nothing usable under {name!r:.80}; pass "
        f"context={{…}} to the graph or config={{'configurable': {{…}}}} with it, or name the namespace in full"
    )
