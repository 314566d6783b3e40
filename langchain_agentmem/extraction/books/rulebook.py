"""A rule recognises one way of saying something about oneself; a rulebook asks its rules in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.home_moves import speaks_of_firm
from langchain_agentmem.english.reading.relations import ROLES, canonical_role
from langchain_agentmem.english.reading.statements import FUNCTIONAL_RELATIONS
from langchain_agentmem.english.reading.values import names_value
from langchain_agentmem.english.words.calendar_words import ANY_MONTH, MONTH, SEASON, WEEKDAY
from langchain_agentmem.english.words.lexicon import PETS
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import Voice
from langchain_agentmem.policies.defaults import SAID
from langchain_agentmem.types import Candidate, Kind, Provenance, Source

CORRECTED: Final = 0.95
"""Confidence in an explicit correction."""

GUESSED: Final = 0.7
"""Confidence in what the assistant says it noticed: the least that is kept at all."""

_OBJECT_END: Final = lazy_pattern(
    r"\s+(?:because|since|so that|which|who|when(?:ever)?|after|if|but|although|though|while|as (?:it"
    r"|they|a result)|anymore|any more|any longer|now|these days|at the moment|right now|actually|instead|already"
    r"|too|as well"
    r"|please|thanks|btw|though|haha|lol|with my|with a|now that|until|unless|last (?:week|month|year"
    rf"|{SEASON})|this (?:year|month)|next (?:week|month|year)|a (?:few|couple)"
    r"|two \w+ ago|from now on|again|starting|effective|and (?:I|we|my|have|am|it|that|she|he"
    r"|they))\b.*|\s*[,;:(].*",
    re.IGNORECASE,
)
_WHEN_END: Final = lazy_pattern(
    r"(?<=\S)\s+(?:yesterday|today|(?:back )?(?:in|on|since|around|last|this)\s+(?:the\s+)?(?:(?:early|mid|late)[ -])?"
    rf"(?:(?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+(?={ANY_MONTH})"
    rf"|(?:{MONTH}"
    rf"|{WEEKDAY})\b)).*$",
    re.IGNORECASE,
)
"""When something became so is no part of what is so: "moved to Lille last March" is about Lille."""

_CLEAR_RELATIONS: Final = (FUNCTIONAL_RELATIONS | ROLES | PETS) - {
    "favourite",
    "preferred",
    "primary",
    "default",
    "main",
    "native",
    "uses_for",
    "prefers_for",
    "is",
}
"""Named in the candidate; what needs a qualifier ("favourite colour") is left to be read from the content."""

_ARTICLE: Final = lazy_pattern(r"\A(?:an?|the|my|our|some)\s+(?!(?-i:us)\b)", re.IGNORECASE)
_UNDONE: Final = lazy_pattern(
    r"(?:I|we)(?:'ve|'d| have| had)? (?:\w+ )?(?:never|almost|nearly|barely|hardly)\b", re.IGNORECASE
)
"""What was not done replaces nothing."""

_DENIED: Final = lazy_pattern(r"\b(?:not|never|no longer)\b|n't\b", re.IGNORECASE)
_GROUPS: Final = "'s group "
_TEAMS: Final = "'s team "
_CLUB: Final = lazy_pattern(
    r"\b(?:my|our) (?:[\w-]+ ){0,2}(?:clubs?|choir|band|orchestra|church|parish|congregation|quilting|knitting circle"
    r"|support group"
    r"|book group|reading group|running group|prayer group|scouts|league|society)\b",
    re.IGNORECASE,
)
"""Whom one meets in one's own time."""

_QUOTES: Final = "\"'`*_ \t.,;:!?"
_MAX_OBJECT_CHARS: Final = 120  # longer is a clause, not the object of a relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a rule made of a clause, before it becomes a candidate."""

    kind: Kind
    content: str
    relation: str | None = None
    object: str | None = None
    tags: tuple[str, ...] = ()
    is_correction: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One way of saying something.

    Args:
        pattern: Matched at the start of a clause. Group `object` is the object of what is said.
        kind: What it says.
        relation: Name of the relation.
        veto: Where this is found in the clause, the rule does not apply.
        lasts: The rule states something lasting even where the sentence speaks of today ("we decided today …").
        corrects: Saying it this way always replaces what was true before ("I moved to …").
    """

    pattern: re.Pattern[str]
    kind: Kind
    relation: str | None = None
    veto: re.Pattern[str] | None = None
    tags: tuple[str, ...] = ()
    lasts: bool = False
    corrects: bool = False

    def draft(self, clause: Clause, voice: Voice) -> Draft | None:
        """Return what the clause says by this rule, or `None`."""
        match = self.pattern.match(clause.text)
        if match is None or (clause.is_momentary and not self.lasts) or (self.veto and self.veto.search(clause.text)):
            return None
        if self.corrects and _UNDONE.match(clause.text):
            return None
        role = _role(match)
        return Draft(
            kind=self.kind,
            content=voice.retell(clause.whole),
            relation=None if _is_denied(match) else self.relation or role,
            object=_group(match, "object", voice),
            tags=self.tags,
            is_correction=self.corrects
            or clause.is_correction
            or (clause.is_replacing and (role is None or role in FUNCTIONAL_RELATIONS)),
        )


def rule(
    pattern: str,
    kind: Kind,
    relation: str | None = None,
    *,
    veto: str | None = None,
    lasts: bool = False,
    corrects: bool = False,
) -> Rule:
    """Compile a rule; patterns ignore case, and blanks in them stand for any space."""
    return Rule(
        pattern=_compiled(pattern),
        kind=kind,
        relation=relation,
        veto=_compiled(veto) if veto else None,
        lasts=lasts,
        corrects=corrects,
    )


def first_draft(rules: Sequence[Rule], clause: Clause, voice: Voice) -> Draft | None:
    """Return what the first rule that applies makes of the clause."""
    for each in rules:
        draft = each.draft(clause, voice)
        if draft is not None:
            return draft
    return None


def candidate(draft: Draft, clause: Clause, voice: Voice, *, source: Source = "explicit") -> Candidate:
    """Return a draft as a candidate with the words that support it."""
    is_told = draft.object is not None and names_value(draft.relation or "", draft.object, draft.content)
    is_clear = draft.relation in _CLEAR_RELATIONS and is_told
    said = CORRECTED if draft.is_correction else SAID
    return Candidate(
        content=draft.content,
        kind=draft.kind,
        source=source,
        confidence=said if clause.speaker == "user" else GUESSED,
        subject=voice.name or "user",
        relation=draft.relation if is_clear else None,
        object=draft.object if is_clear else None,
        tags=draft.tags,
        is_correction=draft.is_correction,
        provenance=Provenance(
            speaker=clause.speaker, message_ids=clause.message_ids, evidence=clause.quote or clause.evidence
        ),
    )


def introduced(draft: Draft, voice: Voice) -> Draft | None:
    """Return a draft in which the user gives their name as such, or `None` where it is known, or no name."""
    if draft.relation != "name" or draft.object is None:
        return draft
    if not names_value("name", draft.object, draft.content):
        return None
    if voice.name is None:
        return replace(draft, content=f"The user's name is {draft.object}")
    is_known = set(draft.object.casefold().split()) <= set(voice.name.casefold().split())
    return None if is_known else draft


def of_firm(draft: Draft, clause: Clause) -> Draft:
    """Return a draft of a group as one of the team where an office is spoken of, and the other way where a club is."""
    if _GROUPS in draft.content and speaks_of_firm(clause.before):
        return replace(draft, content=draft.content.replace(_GROUPS, _TEAMS))
    if _TEAMS in draft.content and _CLUB.search(f"{clause.before} {clause.since}"):
        return replace(draft, content=draft.content.replace(_TEAMS, _GROUPS))
    return draft


def trimmed(text: str) -> str:
    """Return a noun phrase without article, reason or afterthought."""
    return _ARTICLE.sub("", _OBJECT_END.sub("", text.strip(_QUOTES)), count=1).strip(_QUOTES)


def _group(match: re.Match[str], name: str, voice: Voice) -> str | None:
    if name not in match.re.groupindex or match.group(name) is None:
        return None
    found = voice.bare(trimmed(_WHEN_END.sub("", match.group(name))))
    return found if 0 < len(found) <= _MAX_OBJECT_CHARS else None


def _is_denied(match: re.Match[str]) -> bool:
    """Whether what leads to the object denies it: "I don't work at Acme anymore" tells no employer."""
    start = match.start("object") if "object" in match.re.groupindex else -1
    return start > 0 and _DENIED.search(match.string, 0, start) is not None


def _role(match: re.Match[str]) -> str | None:
    """Return what the one named is to the user, where a rule reads just that, and of one."""
    groups = match.groupdict()
    name = (groups.get("role") or "").casefold()
    return canonical_role(name) if name in ROLES | PETS and not groups.get("more") else None


def _compiled(pattern: str) -> re.Pattern[str]:
    return lazy_pattern(pattern.replace(" ?", r"\s*").replace(" ", r"\s+"), re.IGNORECASE)
