"""Extraction without a model: closed lists of ways people state things about themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.namesakes import shown_apart
from langchain_agentmem.extraction.books.acquaintances import acquainted
from langchain_agentmem.extraction.books.attaining import ATTAINED
from langchain_agentmem.extraction.books.cases import of_cases
from langchain_agentmem.extraction.books.constraints import CONSTRAINTS
from langchain_agentmem.extraction.books.ending import as_undoing, ended, kidded, unended, with_ending
from langchain_agentmem.extraction.books.facts import ADDRESSES, FACTS
from langchain_agentmem.extraction.books.general import SELF
from langchain_agentmem.extraction.books.giving_up import given_up
from langchain_agentmem.extraction.books.instructions import IMPERATIVES, NORMS
from langchain_agentmem.extraction.books.learning import learned
from langchain_agentmem.extraction.books.lifting import lifted
from langchain_agentmem.extraction.books.manners import bound, mannered
from langchain_agentmem.extraction.books.outcomes import CLAIMS, REPORTS, tool_outcomes
from langchain_agentmem.extraction.books.overcoming import OVERCOME
from langchain_agentmem.extraction.books.people import introduced_in, of_people, of_several
from langchain_agentmem.extraction.books.plans import DECISIONS, GOALS
from langchain_agentmem.extraction.books.preferences import PREFERENCES
from langchain_agentmem.extraction.books.refusals import is_refused
from langchain_agentmem.extraction.books.rulebook import Draft, Rule, candidate, first_draft, introduced, of_firm
from langchain_agentmem.extraction.books.tastes import TASTES
from langchain_agentmem.extraction.books.theirs import of_theirs
from langchain_agentmem.extraction.contract import Extraction, FlowExtractor
from langchain_agentmem.extraction.dialogue.allergies import of_another_allergy
from langchain_agentmem.extraction.dialogue.answers import answered, is_nothing_but, verdict
from langchain_agentmem.extraction.dialogue.corrections import (
    Mended,
    corrected,
    corrects,
    read_correction,
    renaming,
    restated,
)
from langchain_agentmem.extraction.dialogue.doses import of_same_medicine
from langchain_agentmem.extraction.dialogue.heard import Heard, Said
from langchain_agentmem.extraction.dialogue.introducing import introduced as introduced_as
from langchain_agentmem.extraction.dialogue.moving_house import moved_there
from langchain_agentmem.extraction.dialogue.referring import carried_over, referred
from langchain_agentmem.extraction.dialogue.replacing import new_one
from langchain_agentmem.extraction.record.conversation import Passage, kept_apart
from langchain_agentmem.extraction.record.quarantine import MASK
from langchain_agentmem.extraction.record.redactions import is_redaction
from langchain_agentmem.extraction.sentences.clauses import Clause, clauses
from langchain_agentmem.extraction.sentences.coordination import apart
from langchain_agentmem.extraction.sentences.ellipses import is_of_another
from langchain_agentmem.extraction.sentences.voice import Voice
from langchain_agentmem.types import Candidate

RULEBOOK: Final[tuple[Rule, ...]] = (
    *OVERCOME, *ADDRESSES, *DECISIONS, *GOALS, *CONSTRAINTS, *IMPERATIVES, *PREFERENCES, *TASTES, *NORMS, *FACTS,
    *REPORTS, *SELF,
)  # fmt: skip
"""Asked in this order: from what is said in set words to what any sentence about oneself may be."""

_ASSISTANT: Final = Voice("The assistant")
_FILLER: Final = lazy_pattern(r"\bthe assistant know\b")
"""What is left of "you know": as a statement of the assistant's it would be "knows"."""

_MIN_ASKED_WORDS: Final = 3  # "remember that" before fewer words points at something outside the sentence
_NOT_A_STATEMENT: Final = lazy_pattern(r"(?:to|when|how|what|who|where|why|this|that|it|me|the time)\b", re.IGNORECASE)
_NOTICED: Final = lazy_pattern(
    (
        r"(?:it (?:seems|sounds|looks)(?: like| that)?|I(?:'ve| have)? (?:notice|noticed|gather|infer"
        r"|take it|can tell|see)(?: that)?|(?:so )?apparently,?|from (?:this|that|what you said"
        r"|our conversation),? (?:it seems|I gather)(?: that)?) (?=you\b|your\b)"
    ),
    re.IGNORECASE,
)
_ADDRESS: Final = (
    (lazy_pattern(r"\byou're\b|\byou are\b", re.IGNORECASE), "I'm"),
    (lazy_pattern(r"\byou've\b", re.IGNORECASE), "I've"),
    (lazy_pattern(r"\byou'd\b", re.IGNORECASE), "I'd"),
    (lazy_pattern(r"\byourself\b", re.IGNORECASE), "myself"),
    (lazy_pattern(r"\byours\b", re.IGNORECASE), "mine"),
    (lazy_pattern(r"\byour\b", re.IGNORECASE), "my"),
    (lazy_pattern(r"\byou\b", re.IGNORECASE), "I"),
)


class _Found(NamedTuple):
    """What is proposed, and what later words may correct."""

    told: Candidate
    said: Said

    def correcting(self, wrong: str | None) -> _Found:
        """Return the same as what takes the place of something that was said."""
        return self if wrong is None else self._replace(told=replace(self.told, corrects=wrong))


class RuleExtractor(FlowExtractor):
    """Extracts without a model: explicit statements only, worded in the third person, with their evidence.

    It leans to silence: hedged, hypothetical, ironic, quoted, asked and passing sentences yield nothing. Of other
    people it takes who they are to the user, and a closed list of relations that last: "my sister Nora works at Acme
    and she lives in Rome".

    Example:
        ```python
        [found] = RuleExtractor().extract([HumanMessage("I prefer tea over coffee.")], user_name="Alice")
        found.content  # 'Alice prefers tea over coffee'
        ```
    """

    def extract_flow(
        self, messages: Sequence[BaseMessage], *, user_name: str | None = None, new_from: int = 0
    ) -> Flow[Extraction]:
        """Extract as a flow that never waits."""
        yield from ()
        voice = Voice(user_name.strip() or None if user_name else None)
        earlier, new = kept_apart(messages, user_name=user_name, new_from=new_from)
        said = [it.text for it in (*earlier, *new) if it.speaker == "user"]
        known = acquainted(said)
        heard = [_heard(it, voice, known) for it in earlier]
        told: list[Candidate] = []
        before = earlier[-1] if earlier else None
        for passage in new:
            told.extend(_told(passage, before, voice, heard, known))
            before = passage
        told = [it for it in shown_apart(told, said) if not is_redaction(it)]
        told += tool_outcomes(messages, new_from=new_from)
        return Extraction(candidates=_without_repeats(told))


def _told(
    passage: Passage, before: Passage | None, voice: Voice, heard: list[Heard], known: frozenset[str]
) -> Iterator[Candidate]:
    """Yield what a new passage tells, and add it to what was heard so far; `known` are people who were introduced."""
    if passage.speaker == "assistant":
        yield from _noticed(passage, voice)
        yield from _claimed(passage)
        heard.append(_heard(passage, voice, known))
        return
    now = Heard(passage)
    heard.append(now)
    kidding = kidded(passage, _told_last(heard), _spoken_before(heard))
    yield from () if kidding is None else (it.told for it in _stated(kidding, voice, known))
    reply = answered(passage, before, _spoken_before(heard))
    is_asked = before is not None and before.speaker == "assistant" and before.text.rstrip().endswith("?")
    said = () if reply is not None and is_nothing_but(reply, passage) else clauses(passage)
    stated = (carried_over(it, heard, known) for it in said)
    replies = [*([reply] if reply else []), *introduced_as(passage, before)]
    for clause, acquaintances in referred([*replies, *stated], known):
        if is_asked and clause.is_denial and read_correction(clause) is None:
            clause = replace(clause, is_correction=False)  # noqa: PLW2901  ("no" answers the question, it corrects nothing)
        outcome = verdict(clause, before)
        if outcome is not None:
            found = [_Found(candidate(outcome, clause, voice), Said(clause=clause, draft=outcome))]
        else:
            last = _told_last(heard)
            question = before.text if before is not None and is_asked else ""
            whole = of_same_medicine(with_ending(clause, last, question), last, question)
            whole = of_another_allergy(new_one(moved_there(whole)), heard)
            found = _resolved(whole, voice, heard, acquaintances)
        now.said.extend(it.said for it in found)
        yield from (it.told for it in found)


def _spoken_before(heard: Sequence[Heard]) -> str:
    """Return what the user said last before this message."""
    return next((it.passage.text for it in reversed(heard[:-1]) if it.passage.speaker == "user"), "")


def _told_last(heard: Sequence[Heard]) -> list[Clause]:
    """Return what the user stated last: in this message, else in the one before it."""
    before = next((it.said for it in reversed(heard[:-1]) if it.passage.speaker == "user"), [])
    return [it.clause for it in heard[-1].said or before]


def _resolved(clause: Clause, voice: Voice, heard: Sequence[Heard], known: frozenset[str]) -> list[_Found]:
    """Return what a clause says, a correction with what was said before it."""
    renamed = renaming(clause, heard)
    if renamed is not None and renamed.wrong is None:
        return []
    correction = renamed or read_correction(clause)
    mended = None if correction is None else corrected(correction, clause, heard)
    found = [] if mended is None else _mended(mended, voice, known)
    found = found or [it.correcting(corrects(it.said, heard)) for it in _stated(clause, voice, known)]
    return found or _found(restated(clause, voice), clause, voice)


def _mended(mended: Mended, voice: Voice, known: frozenset[str]) -> list[_Found]:
    """Return what is right, each in the place of what was made of the same words when they were wrong."""
    found = _stated(mended.clause, voice, known)
    if [it.said.draft.relation for it in found] != [it.relation for it in mended.wrong]:
        return found
    return [it.correcting(wrong.content) for it, wrong in zip(found, mended.wrong, strict=True)]


def _stated(clause: Clause, voice: Voice, known: frozenset[str]) -> list[_Found]:
    """Return what a clause says, of each thing apart where each is a statement of the same kind."""
    whole = _whole(clause, voice, known)
    each = [_whole(it, voice, known) for it in apart(clause)] if whole else []
    kinds = [{it.told.kind for it in found} for found in (whole, *each)]
    is_apart = len(each) > 1 and all(it == kinds[0] for it in kinds)
    return [it for found in each for it in found] if is_apart else whole


def _whole(clause: Clause, voice: Voice, known: frozenset[str]) -> list[_Found]:
    """Return what a clause says by itself: of a case or of somebody else, before it is taken for the user's own."""
    others = [*of_cases(clause), *of_people(clause, known)] or [*of_theirs(clause, known), *of_several(clause)]
    if others:
        return [_of_other(it, clause) for it in others]
    own = _found(_draft(clause, voice), clause, voice)
    if any(it.told.is_correction for it in own):  # what ends does not begin
        return own
    return [*(_of_other(it, clause) for it in introduced_in(clause)), *own]


def _of_other(told: Candidate, clause: Clause) -> _Found:
    draft = Draft(kind=told.kind, content=told.content, relation=told.relation, object=told.object)
    return _Found(told, Said(clause=clause, draft=draft))


def _found(draft: Draft | None, clause: Clause, voice: Voice) -> list[_Found]:
    return [] if draft is None else [_Found(candidate(draft, clause, voice), Said(clause=clause, draft=draft))]


def _draft(clause: Clause, voice: Voice) -> Draft | None:
    if clause.is_ironic or not clause.text:  # of "I think." nothing is left
        return None
    if is_of_another(clause.evidence, clause.before):
        return None
    draft = given_up(clause, voice) or learned(clause, voice) or lifted(clause, voice) or ended(clause, voice)
    draft = draft or mannered(clause, voice)
    draft = draft or first_draft(RULEBOOK, clause, voice) or first_draft(ATTAINED, clause, voice)
    draft = draft or unended(clause, voice) or _conditional(clause, voice) or _asked(clause, voice)
    if draft is None or is_refused(draft, clause):  # what ends something says enough by that
        draft = ended(clause, voice, is_passing=True)
    if draft is None or MASK in draft.content:
        return None
    if _FILLER.search(draft.content):
        return None
    draft = introduced(as_undoing(of_firm(draft, clause)), voice)
    return None if draft is None else bound(draft, clause)


def _conditional(clause: Clause, voice: Voice) -> Draft | None:
    """Return an order together with the case it is for: "whenever you cite a study, give me the link"."""
    if not clause.setting:
        return None
    joint = "" if "," in clause.setting else ","
    return first_draft(IMPERATIVES, replace(clause, text=f"{clause.setting}{joint} {clause.text}", setting=""), voice)


def _asked(clause: Clause, voice: Voice) -> Draft | None:
    """Return what the user asked to have remembered, although no rule knows its form."""
    if not clause.is_asked or clause.is_momentary or len(clause.text.split()) < _MIN_ASKED_WORDS:
        return None
    if _NOT_A_STATEMENT.match(clause.text):
        return None
    return Draft(kind="fact", content=voice.retell(clause.whole), is_correction=clause.is_correction)


def _heard(passage: Passage, voice: Voice, known: frozenset[str]) -> Heard:
    """Return what an earlier passage said; of the assistant, what it said about the user."""

    def read() -> list[Said]:
        about = _addressed(passage) if passage.speaker == "assistant" else passage
        return [it.said for each in clauses(about) for it in _stated(each, voice, known)]

    return Heard(passage, read)


def _noticed(passage: Passage, voice: Voice) -> Iterator[Candidate]:
    """Yield what the assistant says it inferred about the user; the write policy asks for a second sighting."""
    for clause in clauses(passage):
        lead = _NOTICED.match(clause.text)
        if lead is None:
            continue
        about = replace(clause, text=_to_first_person(clause.text[lead.end() :]), is_correction=False)
        draft = _draft(about, voice)
        if draft is not None:
            yield candidate(draft, about, voice, source="inferred")


def _claimed(passage: Passage) -> Iterator[Candidate]:
    """Yield what the assistant says it has done; the write policy waits for a tool or the user to bear it out."""
    for clause in clauses(passage):
        draft = first_draft(CLAIMS, clause, _ASSISTANT)
        if draft is not None:
            yield candidate(draft, clause, _ASSISTANT, source="inferred")


def _addressed(passage: Passage) -> Passage:
    text = _to_first_person(passage.text)
    return replace(passage, text=text, original=text, places=())


def _to_first_person(text: str) -> str:
    for pattern, own in _ADDRESS:
        text = pattern.sub(own, text)
    return text


def _without_repeats(found: Iterable[Candidate]) -> tuple[Candidate, ...]:
    unique = {(each.kind, each.content.casefold()): each for each in reversed(list(found))}
    return tuple(reversed(unique.values()))
