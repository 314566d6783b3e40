"""The rules of the write policy: each answers one question about a candidate and knows no other rule.

A rule is a function of the candidate and its context that returns a `Ruling`, or `None` where it has nothing to object.
Rules with `needs_history = True` look at what was written before; the others can be asked before any text is embedded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Final

from langchain_agentmem._checks import check_choice, check_count, check_labels, check_unit
from langchain_agentmem.english.endings.endings import PASSING, ending_in
from langchain_agentmem.english.people.own_words import speaker_of
from langchain_agentmem.english.text.folding import fold_case
from langchain_agentmem.english.text.utterances import is_instruction, is_question, is_transient, is_unstable
from langchain_agentmem.policies.consent import judge_consent
from langchain_agentmem.policies.defaults import default_importance
from langchain_agentmem.policies.evidence import is_supported
from langchain_agentmem.policies.injection import is_injected
from langchain_agentmem.policies.redact import DEFAULT_DETECTORS, Detector, find_sensitive, redact
from langchain_agentmem.policies.rulings import Rule, Ruling, WriteContext, amend, hold, refuse, texts_of
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import protect_candidate
from langchain_agentmem.policies.tool_words import tool_words
from langchain_agentmem.policies.trust import OWN_WORD, class_of
from langchain_agentmem.types import KINDS, Candidate, Kind, Scope

# Kinds that state how things are. An outcome reports what was observed: it may speak of the moment, ask and guess
# without claiming anything.
STATEMENTS: Final[frozenset[Kind]] = frozenset(("fact", "preference", "constraint", "goal"))
MIN_CONFIDENCE: Final = 0.7
MAX_WRITES_PER_SESSION: Final = 10
MIN_SIGHTINGS: Final = 3


# ---------------------------------------------------------------------------------------------------------- permission
def anonymous_scope(_candidate: Candidate, context: WriteContext) -> Ruling | None:
    """A visitor without an account has no long-term memory."""
    if not context.scope.is_anonymous:
        return None
    return refuse("anonymous_scope", "A visitor without an account is not remembered; sign in and use Scope(user_id).")


def memory_mode(_candidate: Candidate, context: WriteContext) -> Ruling | None:
    """Memory that is off or frozen takes nothing in."""
    if context.mode == "on":
        return None
    word = "off" if context.mode == "off" else "frozen (read-only)"
    return refuse("memory_mode", f"Memory is {word} here; set the mode to 'on' to keep new memories.")


def consent(candidate: Candidate, context: WriteContext) -> Ruling | None:
    """Nothing is kept beyond what the user allowed; a memory without purposes takes on those of the consent."""
    consent = context.consent.as_of(context.now)
    ruling = judge_consent(consent, context.consent_mode, candidate.purposes, kind=candidate.kind)
    purposes = consent.of(candidate.kind).purposes
    if ruling is not None or candidate.purposes or not purposes:
        return ruling
    bound = replace(candidate, purposes=purposes)
    return amend("consent", "Kept for the purposes the user consented to.", bound)


def already_expired(candidate: Candidate, context: WriteContext) -> Ruling | None:
    """What is to be forgotten already is not learned."""
    if candidate.expires_at is None or candidate.expires_at > context.now:
        return None
    return refuse("already_expired", "Its time to be forgotten has passed; give a later expires_at, or none.")


# ------------------------------------------------------------------------------------------------------- what is said
def injected_text(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    """Text written to steer the model is not kept, whoever says it; evidence is shown to a model as well."""
    said = candidate.provenance.evidence or ""
    if not (is_injected(said) or any(is_injected(it, said) for it in texts_of(candidate))):
        return None
    return refuse(
        "injected_text",
        "It reads like text meant to steer the assistant (hidden characters, conversation marks, or an order to drop"
        " rules or"
        " to trust); state the fact itself, in plain words.",
    )


@dataclass(frozen=True, slots=True)
class Sensitive:
    """Sensitive data is not kept: a match refuses the candidate, one in its evidence alone is masked there.

    What a tool did is not refused for a value in its words: that it failed is no secret, and the value is redacted.

    Args:
        detectors: Functions from a text to its matches, ours or in the shape of LangChain's `PIIMiddleware`.
        policy: What becomes of each type, in place of `detectors`; what it does not block is changed where it stands.
    """

    detectors: Sequence[Detector] = DEFAULT_DETECTORS
    policy: SensitivePolicy | None = None
    name: ClassVar[str] = "sensitive_data"

    def __call__(self, candidate: Candidate, context: WriteContext) -> Ruling | None:
        """Return what this rule says, `None` where it has no objection."""
        if self.policy is not None:
            return self._judge_by(self.policy, candidate, context.scope)
        found = sorted({match.type for text in texts_of(candidate) for match in find_sensitive(text, self.detectors)})
        if found and _is_of_a_tool(candidate):
            return self._judge_by(SensitivePolicy(detectors=tuple(self.detectors)), candidate, context.scope)
        return self._refusal(found) if found else self._judge_evidence(candidate)

    def _judge_by(self, policy: SensitivePolicy, candidate: Candidate, scope: Scope) -> Ruling | None:
        made = protect_candidate(policy, candidate, scope)
        if made.blocked and not _is_of_a_tool(candidate):
            return self._refusal(sorted(made.blocked))
        if made.candidate == candidate:
            return None
        return replace(amend(self.name, "Sensitive data in it was replaced.", made.candidate), tokens=made.tokens)

    def _refusal(self, found: Sequence[str]) -> Ruling:
        reason = f"It holds sensitive data ({', '.join(found)}); say it without, or keep it in a system made for it."
        return refuse(self.name, reason)

    def _judge_evidence(self, candidate: Candidate) -> Ruling | None:
        evidence = candidate.provenance.evidence
        if evidence is None or (masked := redact(evidence, self.detectors)) == evidence:
            return None
        clean = replace(candidate, provenance=replace(candidate.provenance, evidence=masked))
        return amend(self.name, "Sensitive data in the words it was taken from is masked.", clean)


def _is_of_a_tool(candidate: Candidate) -> bool:
    """Whether a tool said what came of an action; what a user or a model says of one is said by them."""
    return candidate.kind == "outcome" and candidate.provenance.speaker == "tool"


@dataclass(frozen=True, slots=True)
class Banned:
    """Topics, kinds and tags that an application keeps out of memory altogether; empty bans nothing.

    Args:
        topics: Words or phrases, matched whole and without case in every text of the candidate; a plural matches too.
        kinds: Kinds of memory.
        tags: Tags, compared without case.
    """

    topics: Sequence[str] = ()
    kinds: Sequence[Kind] = ()
    tags: Sequence[str] = ()
    name: ClassVar[str] = "banned"

    def __post_init__(self) -> None:
        """Check the lists."""
        for field in ("topics", "kinds", "tags"):
            object.__setattr__(self, field, check_labels(field, getattr(self, field)))
        for kind in self.kinds:
            check_choice("kinds", kind, KINDS)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Ruling | None:
        """Return what this rule says, `None` where it has no objection."""
        if candidate.kind in self.kinds:
            return refuse(
                self.name, f"Memories of kind {candidate.kind} are not kept here; the application rules them out."
            )
        banned = {fold_case(tag) for tag in self.tags}
        if any(fold_case(tag) in banned for tag in candidate.tags):
            return refuse(
                self.name, "Memories with one of these tags are not kept here; the application rules them out."
            )
        if self.topics and self._names_a_topic(candidate):
            return refuse(self.name, "This topic is not kept here; the application rules it out.")
        return None

    def _names_a_topic(self, candidate: Candidate) -> bool:
        pattern = _topic_pattern(tuple(self.topics))
        texts = (*texts_of(candidate), candidate.provenance.evidence or "")
        return any(pattern.search(fold_case(text)) for text in texts)


@lru_cache(maxsize=64)
def _topic_pattern(topics: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(r"\s+".join(map(re.escape, fold_case(topic).split())) for topic in topics)
    return re.compile(rf"(?<!\w)(?:{words})(?:e?s)?(?!\w)")


# ------------------------------------------------------------------------------------------------------ how it is said
def question(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    """A question claims nothing."""
    if candidate.kind not in STATEMENTS or not is_question(candidate.content):
        return None
    return refuse("question", "A question is not a memory; state what is to be remembered as a sentence.")


def unstable(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    """A guess, an undecided plan or a hypothesis is not yet so."""
    if candidate.kind not in STATEMENTS or not is_unstable(candidate.content):
        return None
    return refuse("unstable", "It is a guess or not decided yet; say it again once it is certain.")


def transient(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    """How things are just now is soon wrong; with an end of its own it may be kept until then."""
    has_end = candidate.expires_at is not None or candidate.invalid_at is not None
    if candidate.kind not in STATEMENTS or has_end:
        return None
    if not is_transient(candidate.content, is_lasting=candidate.kind == "goal"):
        return None
    ending = ending_in(candidate.content, speaker_of(candidate))
    if ending is not None and (PASSING in candidate.tags or not ending.is_state):
        return None  # what came to be over today stays over
    return refuse(
        "transient", "It describes a passing state; say how it is in general, or give it an end with expires_at."
    )


def imperative(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    """An instruction becomes a constraint; one that a tool, a page or an assistant speaks waits for the user."""
    if candidate.kind not in STATEMENTS or not is_instruction(candidate.content):
        return None
    if class_of(candidate.provenance) not in {"user", "application", "system"}:
        return hold(
            "imperative", "Only the user or the application can set a rule; it waits until one of them says so."
        )
    if candidate.goal is not None:
        return None  # what is to be reached is said like an order ("run a marathon")
    constraint = replace(candidate, kind="constraint")
    importance = max(candidate.importance or 0.0, default_importance(replace(constraint, importance=None)))
    amended = replace(constraint, importance=importance)
    if amended == candidate:
        return None
    return amend("imperative", "Kept as a constraint, because it is an instruction.", amended)


# ------------------------------------------------------------------------------------------------- how well it is known
def trust_floor(candidate: Candidate, context: WriteContext) -> Ruling | None:
    """What comes from a source that is hardly believed waits for somebody who is, or is not kept at all."""
    settled = context.trust.settled(candidate)
    trust = context.trust.hold_below if settled.trust is None else settled.trust
    if trust >= context.trust.hold_below:
        return None
    source = context.trust.class_of(candidate.provenance)
    told = f"Its source ({source}) is trusted {trust:.2f}"
    if trust < context.trust.refuse_below:
        floor = context.trust.refuse_below
        return refuse("trust_floor", f"{told}, below {floor:.2f}; it is kept if the user says it themselves.")
    return hold("trust_floor", f"{told}, below {context.trust.hold_below:.2f}; it waits until the user says the same.")


def evidence(candidate: Candidate, _context: WriteContext) -> Ruling | None:
    """What was inferred names its source, and what is given as evidence says what it is evidence for.

    How a tool's call ended is put together from the call and its answer; the answer need not repeat the arguments.
    """
    origin = candidate.provenance
    if (candidate.kind, candidate.source, origin.speaker) == ("outcome", "learned", "tool"):
        return None
    if origin.evidence is not None and not is_supported(candidate.content, origin.evidence, subject=candidate.subject):
        return refuse("evidence", "The words given as evidence do not say this; quote those that do.")
    if candidate.source == "inferred" and origin.evidence is None and not origin.message_ids:
        return hold("evidence", "It was inferred from nothing that can be shown; it waits until a message supports it.")
    return None


@dataclass(frozen=True, slots=True)
class MinimumConfidence:
    """What is not known well enough is not kept.

    Args:
        floor: The lowest confidence kept, in [0, 1].
    """

    floor: float = MIN_CONFIDENCE
    name: ClassVar[str] = "minimum_confidence"

    def __post_init__(self) -> None:
        """Check the range."""
        object.__setattr__(self, "floor", check_unit("floor", self.floor))

    def __call__(self, candidate: Candidate, context: WriteContext) -> Ruling | None:
        """Return what this rule says, `None` where it has no objection."""
        if candidate.confidence >= self.floor:
            return None
        reason = (
            f"Its confidence of {candidate.confidence:.2f} is below {self.floor:.2f}; confirm it explicitly to keep it."
        )
        return refuse(self.name, reason)


@dataclass(frozen=True, slots=True)
class AssistantClaim:
    """What the assistant itself claimed waits for the user, a tool or a second independent sighting."""

    name: ClassVar[str] = "assistant_claim"
    needs_history: ClassVar[bool] = True

    def __call__(self, candidate: Candidate, context: WriteContext) -> Ruling | None:
        """Return what this rule says, `None` where it has no objection."""
        if candidate.provenance.speaker != "assistant" or context.sightings >= 1:
            return None
        return hold(
            self.name,
            "The assistant said so itself; it waits until the user, a tool result or a second sighting supports it.",
        )


@dataclass(frozen=True, slots=True)
class RepeatedSignal:
    """A preference that was inferred waits until it was seen often enough.

    Args:
        min_sightings: Independent sightings needed, the present one included.
    """

    min_sightings: int = MIN_SIGHTINGS
    name: ClassVar[str] = "repeated_signal"
    needs_history: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the number."""
        check_count("min_sightings", self.min_sightings)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Ruling | None:
        """Return what this rule says, `None` where it has no objection."""
        seen = context.sightings + 1
        if candidate.kind != "preference" or candidate.source != "inferred" or seen >= self.min_sightings:
            return None
        reason = (
            f"An inferred preference counts after {self.min_sightings} sightings, this is number {seen}; or state it."
        )
        return hold(self.name, reason)


@dataclass(frozen=True, slots=True)
class SessionCap:
    """No conversation fills memory on its own; what takes the place of something known adds nothing, and is heard.

    Outcomes are counted by themselves: what an agent does leaves the room for what its user says. So does what a page
    or a model claims, as long as it waits.

    Args:
        max_writes: Memories that one session may write, as many outcomes, and as many claims that wait.
    """

    max_writes: int = MAX_WRITES_PER_SESSION
    name: ClassVar[str] = "session_cap"
    needs_history: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the number."""
        check_count("max_writes", self.max_writes)

    def __call__(self, candidate: Candidate, context: WriteContext) -> Ruling | None:
        """Return what this rule says, `None` where it has no objection."""
        is_full = context.scope.session_id is not None and context.writes_in_session >= self.max_writes
        is_no_news = candidate.is_correction or not context.is_growth
        if not is_full or (is_no_news and class_of(candidate.provenance) in OWN_WORD):  # of a page or a model: never
            return None
        reason = (
            f"Nothing new is kept in this conversation any more: it has written {self.max_writes} memories already. "
            "Say it in a new one, or raise SessionCap(max_writes=…) in the write policy."
        )
        return refuse(self.name, reason)


# Permission first, then what must not be read further, then form, then knowledge, and last what needs the ledger.
DEFAULT_RULES: Final[tuple[Rule, ...]] = (
    anonymous_scope,
    memory_mode,
    consent,
    already_expired,
    injected_text,
    trust_floor,
    tool_words,
    evidence,
    Sensitive(),
    Banned(),
    question,
    unstable,
    transient,
    imperative,
    MinimumConfidence(),
    AssistantClaim(),
    RepeatedSignal(),
    SessionCap(),
)
