"""What a job carries of a conversation: messages, and when they were said."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from langchain_core.messages import BaseMessage

from langchain_agentmem.english.people.since import dated
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.ledger.codec import from_micros, to_micros
from langchain_agentmem.long_term.said.turns import begins_turn
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.sessions.messages import decode, encode
from langchain_agentmem.types import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """What one job carries: messages with the times at which they were said; those before `new_from` only explain.

    `consent` is whose asking counted when it was queued: the job is done under it, whichever process does it. One that
    an earlier release queued does not say. `actor` is who queued it, where that was not the user.
    """

    messages: Sequence[BaseMessage]
    times: Sequence[int]
    new_from: int = 0
    consent: ConsentMode | None = None
    actor: str | None = None

    def pack(self) -> bytes:
        """Return it as bytes: a line that describes the others, then two per message, its type and its fields."""
        head: dict[str, Any] = {"times": list(self.times), "new_from": self.new_from, "consent": self.consent}
        head |= {} if self.actor is None else {"actor": self.actor}
        return b"\n".join([json.dumps(head).encode(), *map(encode, self.messages)])

    @classmethod
    def unpack(cls, packed: bytes) -> Handed:
        """Return what was packed."""
        try:
            head, *lines = packed.split(b"\n")
            stored = (b"\n".join(pair) for pair in zip(lines[::2], lines[1::2], strict=True))
            return cls(messages=[*map(decode, stored)], **json.loads(head))
        except (TypeError, ValueError) as error:
            msg = "a conversation that was handed over cannot be read; hand it over again"
            raise IntegrityError(msg) from error

    def without(self, is_gone: Callable[[BaseMessage], bool]) -> Handed | None:
        """Return it without the turns of which a message is gone; `None` where nobody says anything new any more."""
        starts = [place for place, it in enumerate(self.messages) if begins_turn(it) or place in {0, self.new_from}]
        turns = [range(*ends) for ends in pairwise([*starts, len(self.messages)])]
        kept = [at for turn in turns if not any(is_gone(self.messages[at]) for at in turn) for at in turn]
        new = [at for at in kept if at >= self.new_from]
        if len(kept) < len(self.messages) and not any(begins_turn(self.messages[at]) for at in new):
            return None
        messages, times = [self.messages[at] for at in kept], [self.times[at] for at in kept]
        return replace(self, messages=messages, times=times, new_from=len(kept) - len(new))

    def by(self, now: datetime) -> Handed:
        """Return it as said by now: the clock of who handed it over may be ahead."""
        latest = to_micros(now) or 0
        return replace(self, times=[min(it, latest) for it in self.times])

    def said_at(self, message: BaseMessage) -> datetime:
        """Return when a message was said."""
        return self._times_by_id()[message.id or ""]

    def dated(self, candidate: Candidate) -> Candidate:
        """Return what was found as valid from the day it names, or from when it was said."""
        times = self._times_by_id()
        said = [times[it] for it in candidate.provenance.message_ids if it in times]
        return dated(candidate, max(said)) if said else candidate

    def _times_by_id(self) -> dict[str, datetime]:
        pairs = reversed(list(zip(self.messages, self.times, strict=True)))  # of an id given twice, the first time
        return {message.id or "": moment for message, at in pairs if (moment := from_micros(at)) is not None}
