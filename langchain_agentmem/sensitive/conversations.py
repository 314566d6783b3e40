"""Sensitive data in conversations: stored messages and their titles, episodes, and working states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem._vectors import pack_vector
from langchain_agentmem.english.reading.claims import pack_claims
from langchain_agentmem.ledger.base import LedgerReader, LedgerWriter, ModelState
from langchain_agentmem.ledger.episodes import EpisodeDraft, EpisodePlace, StoredEpisode
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.said.words import Words, masked, vector_text
from langchain_agentmem.long_term.turns.episode_flows import EpisodeFlows
from langchain_agentmem.policies.sensitive import Layer, SensitivePolicy
from langchain_agentmem.policies.sensitive_records import Protector, holder_of
from langchain_agentmem.policies.stated import stated_in
from langchain_agentmem.sensitive.facts import REASON
from langchain_agentmem.sensitive.messages import protect_message
from langchain_agentmem.sensitive.report import Found
from langchain_agentmem.sensitive.states import protect_state
from langchain_agentmem.sessions.base import RewritableSessions
from langchain_agentmem.states.base import States
from langchain_agentmem.types import Episode, Scope
from langchain_agentmem.types.paging import LastUsed
from langchain_agentmem.types.working import WorkingState

PAGE: Final = 200
"""Messages or episodes read at a time."""

_ALL: Final = 10**9


class HistoryScan:
    """Looks through the stored conversations of a user, or through the one that the scope names."""

    layer: Layer = "histories"

    def __init__(self, parts: Parts, sessions: RewritableSessions, episodes: EpisodeFlows) -> None:
        """Compose; the sessions show what is stored as it is."""
        self._parts = parts
        self._sessions = sessions
        self._episodes = episodes

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return messages that hold what they may not."""
        found: list[Found] = []
        last: LastUsed | None = None
        while page := (yield from self._sessions.conversations(scope, before=last)):
            for it in page:
                if scope.session_id in {None, it.session_id} and len(found) < limit:
                    session = replace(scope, session_id=it.session_id)
                    found += yield from self._find_in(session, policy, limit - len(found))
            last = LastUsed.of(page[-1])
        return found

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Rewrite messages where they stand, a session at a time, and its title; its summary is made anew."""
        changed = 0
        for session in dict.fromkeys(it.scope for it in found):
            changed += yield from self._rewrite(session, policy, [it.id for it in found if it.scope == session])
        return changed

    def _find_in(self, session: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        found: list[Found] = []
        after: int | None = 0
        while after is not None and len(found) < limit:
            page = yield from self._sessions.page(session, after=after, limit=PAGE)
            for message in page.messages:
                protector = Protector(policy, "histories", session)
                protect_message(message, protector)
                if protector.found:
                    found.append(Found(message.id or "", tuple(protector.found), session))
            after = page.next_after
        return found[:limit]

    def _rewrite(self, session: Scope, policy: SensitivePolicy, ids: Sequence[str]) -> Flow[int]:
        stored = yield from self._sessions.pick(session, ids)
        protector = Protector(policy, "histories", session)
        anew: list[BaseMessage] = [protect_message(it, protector) for it in stored.values()]
        if protector.tokens and not session.is_anonymous:
            held, tokens = holder_of(session), protector.tokens
            yield from self._parts.ledger.append(session, lambda writer: writer.sensitive.put(held, tokens))
        title = yield from self._title(session, policy)
        changed = yield from self._sessions.rewrite(session, anew, title)
        yield from self._sessions.keep_summary(session, None)
        if not session.is_anonymous:
            yield from _made_anew(self._parts, self._episodes, session)
        return changed

    def _title(self, session: Scope, policy: SensitivePolicy) -> Flow[str | None]:
        """Return what the session is to be called, where its title says what it may not."""
        last: LastUsed | None = None
        while page := (yield from self._sessions.conversations(session, before=last)):
            title = next((it.title for it in page if it.session_id == session.session_id), None)
            if title is not None:
                made = Protector(policy, "histories", session).text(title)
                return None if made == title else made
            last = LastUsed.of(page[-1])
        return None


class EpisodeScan:
    """Looks through what is searchable of a user's conversations."""

    layer: Layer = "episodes"

    def __init__(self, parts: Parts, episodes: EpisodeFlows) -> None:
        """Compose."""
        self._parts = parts
        self._episodes = episodes
        self._words = Words(parts)

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return episodes that hold what they may not, as they are read."""
        found: list[Found] = []
        last: EpisodePlace | None = None
        while len(found) < limit:
            stored = yield from self._parts.ledger.read(scope, _page(scope.session_id, last))
            is_own = policy is self._parts.sensitive
            whole = yield from self._words.of(scope, (it for it in stored if not (is_own and it.is_masked)))
            for episode in whole.episodes.values():
                protector = Protector(policy, "episodes", scope)
                for text in (episode.speaker, episode.text, episode.reply):
                    protector.text(text)
                if protector.found:
                    found.append(Found(episode.id, tuple(protector.found), scope))
            if len(stored) < PAGE:
                break
            last = EpisodePlace.of(stored[-1].episode)
        return found[:limit]

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Write copies anew; what points at a conversation is made anew of it, and so masked by the policy in force.

        What says even so what the scan's policy takes out is dropped: the conversation says it, and is read as it is.
        """
        ids = [it.id for it in found]
        stored = yield from self._parts.ledger.read(scope, lambda reader: reader.episodes.get(ids))
        copies = [it.episode for it in stored.values() if not it.is_pointer]
        yield from self._write_anew(scope, policy, copies)
        for session_id in dict.fromkeys(it.episode.scope.session_id for it in stored.values() if it.is_pointer):
            session = replace(scope, session_id=session_id)
            yield from _made_anew(self._parts, self._episodes, session)
            yield from self._drop(session, (yield from self.find(session, policy, _ALL)))
        yield from self._parts.ledger.scrub()
        return len(stored)

    def _drop(self, session: Scope, found: Sequence[Found]) -> Flow[None]:
        def drop(writer: LedgerWriter) -> None:
            writer.episodes.drop([it.id for it in found], REASON, may_return=True)
            writer.forget_questions()

        if found:
            yield from self._parts.ledger.append(session, drop)
            self._parts.episodes.forget(session)

    def _write_anew(self, scope: Scope, policy: SensitivePolicy, copies: Sequence[Episode]) -> Flow[None]:
        drafts: list[EpisodeDraft] = []
        model: ModelState | None = None
        for episode in copies:
            made = masked(episode, policy)
            vector, model = yield from self._vector(scope, made.episode)
            stated = pack_claims(stated_in(made.episode.text))
            draft = EpisodeDraft(episode=made.episode, claims=stated, vector=vector, tokens=made.tokens)
            drafts += [] if made.is_blocked else [draft]
        gone, kept = [it.id for it in copies], {it.episode.id for it in drafts}

        def write(writer: LedgerWriter) -> None:
            writer.episodes.drop([it for it in gone if it not in kept], REASON)
            writer.episodes.drop(kept, REASON, may_return=True)
            writer.episodes.put(drafts, model)
            for it in drafts:
                writer.sensitive.put(it.episode.id, it.tokens)
            writer.forget_questions()

        if copies:
            yield from self._parts.ledger.append(scope, write)
            self._parts.episodes.forget(scope)

    def _vector(self, scope: Scope, episode: Episode) -> Flow[tuple[bytes | None, ModelState | None]]:
        embedder = self._parts.embedder
        if embedder is None:
            return None, None
        vector = (yield from embedder.documents([vector_text(episode)]))[0]
        models = yield from self._parts.ledger.read(scope, lambda reader: reader.models())
        known = embedder.check(models, vector)
        return pack_vector(vector), known or ModelState(name=embedder.name, dimension=len(vector), is_current=True)


class WorkingScan:
    """Looks through the working states of a user, or of the conversation that the scope names."""

    layer: Layer = "working"

    def __init__(self, parts: Parts, states: States) -> None:
        """Compose; the states are as they are stored."""
        self._parts = parts
        self._states = states

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return states that hold what they may not, by the ids of their sessions."""
        found: list[Found] = []
        last: LastUsed | None = None
        while page := (yield from self._states.sessions(scope, before=last)):
            for it in page:
                session = replace(scope, session_id=it.session_id)
                stored = yield from self._states.read(session, prolongs=False)
                protector = Protector(policy, "working", session)
                if stored is not None and scope.session_id in {None, it.session_id}:
                    protect_state(stored.state, protector)
                if protector.found:
                    found.append(Found(it.session_id, tuple(protector.found), session))
            last = LastUsed.of(page[-1])
        return found[:limit]

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Change each state where it is stored."""
        for it in found:
            yield from self._clean_one(it.scope, policy)
        return len(found)

    def _clean_one(self, session: Scope, policy: SensitivePolicy) -> Flow[None]:
        seen = Protector(policy, "working", session)
        stored = yield from self._states.read(session, prolongs=False)
        if stored is None:
            return
        protect_state(stored.state, seen)
        if seen.tokens and not session.is_anonymous:
            held, tokens = holder_of(session, "working"), seen.tokens
            yield from self._parts.ledger.append(session, lambda writer: writer.sensitive.put(held, tokens))

        def cleaned(state: WorkingState | None) -> WorkingState:
            return protect_state(state or WorkingState(), Protector(policy, "working", session))

        yield from self._states.change(session, cleaned, erases=True)


def _page(session_id: str | None, last: EpisodePlace | None) -> Callable[[LedgerReader], list[StoredEpisode]]:
    return lambda reader: reader.episodes.page(session_id, last, PAGE)


def _made_anew(parts: Parts, episodes: EpisodeFlows, session: Scope) -> Flow[None]:
    """Make the episodes of a conversation anew, of what is stored of it now."""
    session_id = session.session_id

    def clear(writer: LedgerWriter) -> int:
        dropped = writer.episodes.clear(session_id, REASON)
        if dropped:
            writer.forget_questions()
        return dropped

    known = yield from parts.ledger.read(session, lambda reader: reader.episodes.page(session_id, None, 1))
    if any(it.is_pointer for it in known) and (yield from parts.ledger.append(session, clear)):
        parts.episodes.forget(session)
        yield from episodes.index(session)
