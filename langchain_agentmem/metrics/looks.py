"""What was stored when somebody looked, kept in this process: so that sizes have a past, too."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

from langchain_agentmem.policies.drift import Grown, Growth, growth
from langchain_agentmem.types import Scope
from langchain_agentmem.types.watching import LayerSize, Usage

Owner: TypeAlias = tuple[str, str] | None
"""Tenant and user; `None`: all."""

MAX_LOOKS: Final = 32
"""Of one owner. They stand the denser the younger they are: three for each doubling of their age, up to two days."""

MAX_OWNERS: Final = 100
"""Those who were looked at last."""

_NEAR: Final = 0.5
"""Of a window: a look may stand for its beginning if it is not younger than that."""


class LayerGrowth(NamedTuple):
    """How fast a layer grew, in rows and in bytes."""

    rows: Growth
    bytes: Growth

    @property
    def has_moved(self) -> bool:
        """Whether either changed by more than chance does."""
        return self.rows.has_moved or self.bytes.has_moved


class Looks:
    """Remembers sizes, of as many owners and as many times as it has room for."""

    def __init__(self) -> None:
        """Nobody has looked yet."""
        self._lock = Lock()
        self._of: OrderedDict[Owner, list[Usage]] = OrderedDict()

    def add(self, scope: Scope | None, usage: Usage) -> None:
        """Remember what was stored; of two looks at the same moment, the later one."""
        owner = None if scope is None else (scope.tenant_id, scope.user_id)
        with self._lock:
            looks = self._of.setdefault(owner, [])
            self._of.move_to_end(owner)
            looks[:] = _thinned([*(it for it in looks if it.at < usage.at), usage])
            while len(self._of) > MAX_OWNERS:
                self._of.popitem(last=False)

    def growth(self, scope: Scope | None, window: timedelta) -> Mapping[str, LayerGrowth]:
        """Return how each layer grew in the window before the last look, held against the window before that."""
        owner = None if scope is None else (scope.tenant_id, scope.user_id)
        with self._lock:
            looks = [*self._of.get(owner, ())]
        if not looks:
            return {}
        now = looks[-1]
        then = _before(looks, now.at, window)
        first = None if then is None else _before(looks, then.at, window)
        return {name: _layer(name, first, then, now) for name in now.layers}


def _before(looks: Sequence[Usage], at: datetime, window: timedelta) -> Usage | None:
    """Return the look that is nearest to the beginning of a window; `None` where all are too young."""
    wanted = at - window
    found = [it for it in looks if it.at <= at - window * _NEAR]
    return min(found, key=lambda it: abs(it.at - wanted), default=None)


def _layer(name: str, first: Usage | None, then: Usage | None, now: Usage) -> LayerGrowth:
    def grown(place: int) -> tuple[Grown | None, Grown | None]:
        return _grown(first, then, name, place), _grown(then, now, name, place)

    size = now.layers[name]
    old = (then or now).layers.get(name, LayerSize())
    rows = size.rows + old.rows
    return LayerGrowth(growth(*grown(0)), growth(*grown(1), unit=(size.bytes + old.bytes) / rows if rows else 1.0))


def _grown(before: Usage | None, after: Usage | None, name: str, place: int) -> Grown | None:
    if before is None or after is None:
        return None
    old, new = (it.layers.get(name, LayerSize())[place] for it in (before, after))
    return Grown(by=new - old, seconds=(after.at - before.at).total_seconds())


def _thinned(looks: list[Usage]) -> list[Usage]:
    """Return looks without the one that is missed least: its neighbours stand nearest, for its age."""
    if len(looks) <= MAX_LOOKS:
        return looks
    at = looks[-1].at
    inner = range(1, len(looks) - 1)
    least = min(inner, key=lambda it: (looks[it + 1].at - looks[it - 1].at) / (at - looks[it].at))
    return looks[:least] + looks[least + 1 :]
