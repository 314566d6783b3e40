"""Namespaces with a template in a label, such as `("memories", "{user_id}")`: filled from the run, or refused.

A template that is not filled would be one namespace for everybody. So a label with a pair of braces in it is always a
template, and what it names must be known. What a template fills is somebody's: the user's whom it names, of their
tenant, or the one's that `subject` says; two users for whom it is filled alike have a namespace each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from langchain_agentmem._checks import check_id
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError, ScopeError
from langchain_agentmem.identity import USER_KEYS, resolve_named, resolve_scope
from langchain_agentmem.items.paths import Namespace
from langchain_agentmem.types.scope import Owner

_TEMPLATE: Final = lazy_pattern(r"\{(.*?)\}", re.DOTALL)
DEFAULT_TENANT: Final = "default"
_SCOPED: Final = frozenset({*USER_KEYS, "tenant_id"})


class Filled(NamedTuple):
    """A namespace without templates.

    Attributes:
        owner: Whose it is, where a template was filled that is not everybody's.
        places: Of the labels that were filled.
    """

    namespace: Namespace
    owner: Owner | None = None
    places: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """Fills templates from the run around a call.

    Args:
        subject: Says whose a namespace is whose template names no user.
        is_shared: What is nobody's then is everybody's; else it is refused.
    """

    subject: Callable[[Namespace], Owner | None]
    is_shared: bool

    def fill(self, namespace: Namespace) -> Filled:
        """Return a namespace with its templates filled.

        Raises:
            ConfigurationError: The run does not say what a template names, or the template names no user, and nothing
                else says whose it is.
        """
        places = frozenset(place for place, label in enumerate(namespace) if _TEMPLATE.search(label))
        if not places:
            return Filled(namespace)
        names = {name for place in places for name in _TEMPLATE.findall(namespace[place])}
        values = {name: _value(name, namespace) for name in names}
        filled = tuple(_TEMPLATE.sub(lambda it: values[it[1]], label) for label in namespace)
        owner = _owner(namespace) if names & set(USER_KEYS) else self._other(filled, namespace, names)
        return Filled(filled, owner, places)

    def _other(self, filled: Namespace, namespace: Namespace, names: set[str]) -> Owner | None:
        """Return whose a namespace is whose template names no user; `None`: everybody's."""
        owner = self.subject(filled)
        if owner is not None:
            return owner
        if not self.is_shared:
            msg = (
                f"the template {namespace!r:.200} names no user, so that everybody for whom it is filled alike would "
                "share what is put there; add '{user_id}', pass subject=, or pass shared=True if that is meant"
            )
            raise ConfigurationError(msg)
        if resolve_named("tenant_id") not in {None, DEFAULT_TENANT} and "tenant_id" not in names:
            msg = f"the template {namespace!r:.200} would be shared by all tenants; add a label '{{tenant_id}}'"
            raise ConfigurationError(msg)
        return None


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
