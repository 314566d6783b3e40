"""The links between episodes that a view holds, from either end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from langchain_agentmem._search import EpisodeLink

_LINK_BYTES: Final = 1_024
"""About what one takes: two ids, and a set of some four numbers."""


class EpisodeLinks:
    """Which episodes update which. An end of a link may be unknown here: then it says nothing."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[EpisodeLink, ...]] = {}
        self._to: dict[str, set[str]] = {}

    def __len__(self) -> int:
        """Return how many episodes update any."""
        return len(self._of)

    @property
    def nbytes(self) -> int:
        """Return about how many bytes they take."""
        return _LINK_BYTES * sum(map(len, self._of.values())) if self._of else 0

    def put(self, episode_id: str, links: Sequence[EpisodeLink]) -> None:
        """Note what an episode updates, which had none here."""
        if links:
            self._of[episode_id] = tuple(links)
        for link in links:
            self._to.setdefault(link.old_id, set()).add(episode_id)

    def remove(self, episode_id: str) -> None:
        """Forget what an episode updates."""
        for link in self._of.pop(episode_id, ()):
            self._to[link.old_id].discard(episode_id)
            if not self._to[link.old_id]:
                del self._to[link.old_id]

    def of(self, episode_id: str) -> tuple[EpisodeLink, ...]:
        """Return what an episode updates."""
        return self._of.get(episode_id, ())

    def to(self, episode_id: str) -> Collection[str]:
        """Return the ids of those that update an episode."""
        return self._to.get(episode_id, ())
