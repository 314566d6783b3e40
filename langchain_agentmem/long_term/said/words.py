"""The words of episodes: masked where they are kept, read in the conversation where they are only pointed at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.ledger.episodes import StoredEpisode
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.said.turns import Turn
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.types import Episode, Scope
from langchain_agentmem.types.episodes import MAX_EPISODE_CHARS

GONE: Final = "its messages are gone"
"""Why a pointer is taken out; the conversation ended by other means than ours, or expired and is not swept yet."""

_MARGIN: Final = 200
"""Characters read beyond those that are kept: what is cut in two there is masked all the same. A secret is shorter."""


def vector_text(episode: Episode) -> str:
    """Return what is embedded of an episode: what was said; where nothing was, the reply."""
    return episode.text or episode.reply


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEpisodes:
    """Episodes with their words.

    Attributes:
        episodes: By id. `gone`: ids of those whose words are not in the conversation any more.
        revision: The state of the user's episodes in which they were read.
    """

    episodes: dict[str, Episode] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    revision: int = 0


class Words:
    """Reads episodes whole, wherever their words are."""

    def __init__(self, parts: Parts) -> None:
        """Compose."""
        self._parts = parts

    def of(self, scope: Scope, stored: Iterable[StoredEpisode]) -> Flow[FoundEpisodes]:
        """Return episodes with their words, without those that expired."""
        now = self._parts.clock()
        live = [it for it in stored if it.episode.expires_at is None or it.episode.expires_at > now]
        messages = yield from self._messages(scope, live)
        episodes: dict[str, Episode] = {}
        for it in live:
            said = messages.get(it.episode.scope.session_id, {})
            episode = _with_words(it, said, self._parts.sensitive)
            if episode is not None:
                episodes[episode.id] = episode
        gone = tuple(it.episode.id for it in live if it.episode.id not in episodes)
        return FoundEpisodes(episodes=episodes, gone=gone)

    def get(self, scope: Scope, episode_ids: Iterable[str]) -> Flow[FoundEpisodes]:
        """Return the visible ones of several episodes, in the order of their ids."""
        ids = list(episode_ids)
        if not ids:
            return FoundEpisodes()
        revision, stored = yield from self._parts.ledger.read(
            scope, lambda reader: (reader.episodes.revision, reader.episodes.get(ids))
        )
        found = yield from self.of(scope, (stored[it] for it in ids if it in stored))
        return replace(found, revision=revision)

    def drop_gone(self, scope: Scope, found: FoundEpisodes) -> Flow[None]:
        """Take out what points at nothing."""
        if found.gone:
            dropping = self._parts.ledger.append(
                scope, lambda writer: writer.episodes.drop(found.gone, GONE, may_return=True)
            )
            yield from unasked_flow(scope, dropping)

    def _messages(
        self, scope: Scope, stored: Iterable[StoredEpisode]
    ) -> Flow[dict[str | None, dict[str, BaseMessage]]]:
        """Return the messages that episodes point at, by conversation."""
        wanted: dict[str | None, list[str]] = {}
        for it in stored:
            if it.is_pointer:
                wanted.setdefault(it.episode.scope.session_id, []).extend(it.episode.message_ids)
        found: dict[str | None, dict[str, BaseMessage]] = {}
        for session_id, ids in wanted.items():
            found[session_id] = yield from self._parts.history().pick(replace(scope, session_id=session_id), ids)
        return found


class Masked(NamedTuple):
    """An episode as it may be kept: what tokens in it stand for, and whether it may not be kept at all."""

    episode: Episode
    tokens: Mapping[str, str]
    is_blocked: bool


def masked(episode: Episode, policy: SensitivePolicy) -> Masked:
    """Return what is kept of an episode: without sensitive data, up to 200,000 characters of either side."""
    protector = Protector(policy, "episodes", episode.scope)
    said = (episode.speaker, episode.text, episode.reply)
    speaker, text, reply = (protector.text(it[: MAX_EPISODE_CHARS + _MARGIN])[:MAX_EPISODE_CHARS] for it in said)
    kept = replace(episode, speaker=speaker, text=text, reply=reply)
    return Masked(kept, protector.tokens, bool(protector.blocked))


def _with_words(stored: StoredEpisode, messages: dict[str, BaseMessage], policy: SensitivePolicy) -> Episode | None:
    episode = stored.episode
    if not stored.is_pointer:
        return episode
    said = tuple(messages[it] for it in episode.message_ids if it in messages)
    if not said or len(said) < len(episode.message_ids):
        return None
    turn = Turn(messages=said, at=episode.at)
    text, reply = turn.text, turn.reply
    whole = replace(episode, text=text, reply=reply)
    return masked(whole, policy).episode if stored.is_masked else whole
