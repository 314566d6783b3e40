"""The parts of a memory that govern it, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from langchain_agentmem import _faces, _storing
from langchain_agentmem._flow import flows_of
from langchain_agentmem._opened import Opened

if TYPE_CHECKING:
    from langchain_agentmem.long_term.turns.episodes import Episodes
    from langchain_agentmem.long_term.write.approvals import Approvals
    from langchain_agentmem.options import MemoryOptions
    from langchain_agentmem.quarantine import Quarantine
    from langchain_agentmem.sensitive import SensitiveData
    from langchain_agentmem.timeline import Timeline
    from langchain_agentmem.vault.resealing import Resealing


class Governed(Opened):
    """What a memory has of approval, sensitive data, time, quarantine and keys; see `AgentMemory`."""

    _options: MemoryOptions
    episodes: Episodes
    store: Any

    @cached_property
    def approvals(self) -> Approvals:
        """Return what waits for a person's word, and where they give it."""
        return _faces.Approvals(*self._parts, lambda *given: _faces.resolve_decider(*given))  # noqa: PLW0108  (imported when somebody decides)

    @cached_property
    def sensitive(self) -> SensitiveData:
        """Return what finds sensitive data in what is stored, and reveals what tokens stand for."""
        databases = self._database, self._redis
        return _storing.make_sensitive(
            self._parts, flows_of(self.episodes), databases, self._options, lambda: self.store
        )

    @cached_property
    def timeline(self) -> Timeline:
        """Return each user's log as a line of time, to be looked back along and gone back on."""
        return _faces.Timeline(*self._parts)

    @cached_property
    def quarantine(self) -> Quarantine:
        """Return what lists what was stopped, and by which rule."""
        return _faces.Quarantine(self._parts[0])

    @cached_property
    def vault(self) -> Resealing:
        """Return what rotates the keys of the vault, and seals what was written before there was one."""
        fast, asked = None if self._redis is None else _faces.RedisResealing(self._redis), self._parts[0].access
        return _faces.Resealing(self._database, self._options.vault, fast, asked=asked.within)
