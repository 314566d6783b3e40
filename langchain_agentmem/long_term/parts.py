"""What long-term memory is composed of, and the conditions of one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from langchain_agentmem._checks import check_choice
from langchain_agentmem._held_texts import forget_texts
from langchain_agentmem.access.flows import AccessFlows
from langchain_agentmem.english.reading.relations import Relations
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.episode_index import EpisodeIndex
from langchain_agentmem.ledger.base import Ledger
from langchain_agentmem.long_term.embedder import Embedder
from langchain_agentmem.long_term.relatives import Relatives
from langchain_agentmem.long_term.watching import Watch
from langchain_agentmem.planning.contract import Planner
from langchain_agentmem.policies.admit import Admission
from langchain_agentmem.policies.approve import ApprovalPolicy
from langchain_agentmem.policies.consent import Consented, judge_consent
from langchain_agentmem.policies.rank import Weights
from langchain_agentmem.policies.rulings import ConsentMode, Ruling
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.settling import ConflictPolicy, Settling
from langchain_agentmem.policies.trust import TrustPolicy
from langchain_agentmem.policies.write import WritePolicy
from langchain_agentmem.sessions.base import Sessions
from langchain_agentmem.states.base import States
from langchain_agentmem.types import ConsentState, Kind, Memory, MemoryMode, RecallQuery, Scope

if TYPE_CHECKING:
    from langchain_agentmem.extraction.proposing.contradicting import ContradictionJudge
    from langchain_agentmem.extraction.proposing.linking import Linker

ModeChoice: TypeAlias = MemoryMode | Callable[[Scope], MemoryMode]

_STRICTNESS: Final[dict[MemoryMode, int]] = {"on": 0, "frozen": 1, "off": 2}

OVER_FETCH: Final = 3
"""Candidates proposed per hit wanted: some are dropped by the ledger's rules."""

RERANKED: Final = 30
"""Candidates that a reranker is given, the best of them; or as many as hits are wanted, where that is more. Twice what
is proposed for five hits, so that it can find what our order has not; its time grows with each of them."""

OWNERS: Final = 100
"""Users looked up at a time, where all of them are gone through."""

FORGET_BELOW: Final = 0.3
"""Confidence below which a memory is forgotten when feedback brings it there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The collaborators of long-term memory, chosen once by the composition root.

    Attributes:
        history: Gives the conversations in the ledger's own database, which episodes point into.
        approval: Which memories wait for a person; `policy` has it as its last rule. `None`: none does.
        planner: Makes queries out of conversations; `None`: a message is asked as it stands.
        linker: Proposes what turns state, beyond what rules read; `None`: nothing does.
        judge: Proposes what a statement contradicts among its neighbours, beyond what rules find; `None`: nothing does.
        relations: How many objects each relation has at a time. `relatives`: finds what stands near what a question
            names; `None`: nothing does.
        reranker: A LangChain document compressor that orders the best candidates anew; `None`: our order stands.
        trust: How far sources are believed. `settling`: what becomes of two statements that contradict each other.
        sensitive: What becomes of sensitive data where no write policy is asked.
        purpose: What memory is used for where nothing else is said.
        watch: Tells observers what is done. `access`: asks the application who may do it.
        tasks: Gives the states of tasks, which lose what is forgotten; `None`: there are none.
    """

    ledger: Ledger
    index: Index
    episodes: EpisodeIndex
    history: Callable[[], Sessions]
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    embedder: Embedder | None = None
    policy: WritePolicy = field(default_factory=WritePolicy)
    approval: ApprovalPolicy | None = None
    weights: Weights = field(default_factory=Weights)
    consent_mode: ConsentMode = "required"
    mode: ModeChoice = "on"
    purpose: str | None = None
    planner: Planner | None = None
    linker: Linker | None = None
    judge: ContradictionJudge | None = None
    relations: Relations = field(default_factory=Relations)
    relatives: Relatives | None = None
    reranker: Any = None
    trust: TrustPolicy = field(default_factory=TrustPolicy)
    settling: Settling = field(default_factory=lambda: ConflictPolicy().resolve)
    watch: Watch = field(default_factory=Watch)
    sensitive: SensitivePolicy = field(default_factory=SensitivePolicy)
    access: AccessFlows = field(default_factory=AccessFlows)
    tasks: Callable[[], States] | None = None

    def effective_mode(self, scope: Scope, turn: MemoryMode | None) -> MemoryMode:
        """Return the strictest of what the application, the scope and the turn allow."""
        general = self.mode(scope) if callable(self.mode) else self.mode
        check_choice("mode", general, tuple(_STRICTNESS))
        if turn is None:
            return general
        check_choice("mode", turn, tuple(_STRICTNESS))
        return max(general, turn, key=lambda mode: _STRICTNESS[mode])

    def objection(self, scope: Scope, turn: MemoryMode | None = None) -> str | None:
        """Return the rule by which nothing may be written for a scope, whatever it is; `None`: none is."""
        if scope.is_anonymous:
            return "anonymous_scope"
        return None if self.effective_mode(scope, turn) == "on" else "memory_mode"

    def under(self, consent_mode: ConsentMode | None) -> Parts:
        """Return the same under the consent by which something was queued, in mode `on`; `None`: it does not say."""
        return self if consent_mode is None else replace(self, consent_mode=consent_mode, mode="on")

    def forget_words(self) -> None:
        """Drop the words of users that this process remembers: of texts it has read, and of those it has embedded."""
        forget_texts()
        if self.embedder is not None:
            self.embedder.clear()

    def proposed(self, limit: int) -> int:
        """Return how many candidates are proposed for so many hits."""
        return max(limit * OVER_FETCH, 0 if self.reranker is None else RERANKED)

    def consented(self, consent: ConsentState) -> Consented:
        """Return what a user's consent allows now."""
        return Consented(state=consent.as_of(self.clock()), mode=self.consent_mode)

    def usable(self, consent: ConsentState) -> Callable[[Memory], bool]:
        """Return what tells whether a memory may be listed: what was withdrawn is not; silence hides nothing."""
        return replace(self.consented(consent), mode="assumed").admits

    def may_read(self, consent: ConsentState, purpose: str | None = None, kinds: Sequence[Kind] | None = None) -> bool:
        """Whether consent allows a recall: what was stored is used as far as the user allows now."""
        return self.consented(consent).may_read(purpose or self.purpose, kinds)

    def refusal(
        self, consent: ConsentState, purposes: Sequence[str] = (), *, kind: Kind | None = None
    ) -> Ruling | None:
        """Return why consent forbids a write of some kind now, or of whatever kind; `None`: it does not."""
        return judge_consent(consent.as_of(self.clock()), self.consent_mode, purposes, kind=kind)

    def asked(self, query: RecallQuery) -> RecallQuery:
        """Return a query with the purpose of this memory, where it names none."""
        return query if self.purpose is None or query.purpose is not None else replace(query, purpose=self.purpose)

    def admission(self, consent: ConsentState, query: RecallQuery) -> Admission:
        """Return the conditions of a recall, as of now."""
        return Admission(query=self.asked(query), now=self.clock(), consent=self.consented(consent))
