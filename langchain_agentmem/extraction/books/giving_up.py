"""Ways of saying that a goal is pursued no more; the write policy finds out which one."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.forget_asked import FOR_NOW
from langchain_agentmem.english.words.kin_words import A_RELATIVE, RELATIVES
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.extraction.books.plans import ADVERB, LONG_VERB
from langchain_agentmem.extraction.books.rulebook import Draft, Rule, first_draft, rule
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.voice import Voice

_NO_MORE: Final = r"\b(?:any ?more|any longer|after all)\b"
_POINTING: Final = (
    r"(?:it|this|that|these|those|him|her|them|you|me|us|myself|yourself|people|life|humanity|everyone|someone"
    rf"|(?:my|our|his|her|their) (?:\w+ )?(?:{A_RELATIVE}|{RELATIVES}|friends?|boss|team|cat|dog))\b"
)
_CHORE: Final = (
    r"\b(?:bugs?|errors?|issues?|tickets?|files?|code|page|scripts?|tests?|functions?|message|e-?mail|mail|order"
    r"|question|answer|link|button|line|login|password|call|meeting|seats?|sleep)\b"
)
_LIVING: Final = (
    r"\b(?:want|plan|intend|aim|hope|wish|mean|need|aspire) to"
    r" (?:live|work|play|drink|eat|sleep|keep|see|travel|visit|walk|drive|teach|lead|invest|have)\b"
)
"""How one lives: who no longer wants to live somewhere states a preference."""

_DOING: Final = (
    r"(?:learning|studying|training|practi[cs]ing|preparing|saving|running|writing|working (?:on|towards?)|trying to"
    r"|pursuing|aiming|striving|planning|becoming|getting|losing|building|passing|finishing|teaching myself)"
)
_SET_ASIDE: Final = (
    r"(?:marathon|half[ -]marathon|triathlon|ironman|race|exams?|degree|phd|master'?s?|diploma|certifica\w+|licen[cs]e"
    r"|promotion|novel|book|memoir|thesis|dissertation|start-?up|business|career change|career|diet|course|bootcamp"
    r"|move|wedding|trip|journey|holiday|vacation|migration|relocation|renovation|goals?|plans?|resolutions?|ambitions?"
    r"|dreams?|project|challenge)"
)
_PLAN: Final = r"(?:plans?|goals?|dreams?|ideas?|ambitions?|hopes?|resolutions?|aims?|attempts?|intentions?)"

_GIVEN_UP: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?:I|we) {ADVERB}(?:don't|do not) {ADVERB}(?:want|plan|intend|aim|hope|wish|mean|need|aspire) to"
        rf" (?P<object>{LONG_VERB}\b.*{_NO_MORE}.*)",
        "goal",
        veto=rf"{_CHORE}|{_LIVING}|\b(?:it|this|that) (?:any ?more|any longer)\b",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we) {ADVERB}no longer {ADVERB}(?:want|plan|intend|aim|hope|wish|mean|need|aspire) to"
        rf" (?P<object>{LONG_VERB}\b.*)",
        "goal",
        veto=rf"{_CHORE}|{_LIVING}",
        lasts=True,
        corrects=True,
    ),
    rule(
        r"(?:I'm|I am|we're|we are) (?:no longer|not) (?:trying|aiming|hoping|planning|intending|striving|looking"
        rf"|going) to (?P<object>{LONG_VERB}\b.*)",
        "goal",
        veto=rf"{_CHORE}|^(?!.*(?:no longer|{_NO_MORE}))",
        lasts=True,
        corrects=True,
    ),
    rule(
        r"(?:I'm|I am|we're|we are) (?:no longer|not) (?:learning|studying|training|practi[cs]ing|preparing"
        r"|saving(?: up)?|working (?:towards?|on becoming|on (?:my|our) (?:novel|book|thesis|phd|degree|memoir))"
        r"|aiming|striving|pursuing) (?P<object>.+)",
        "goal",
        veto=rf"{_CHORE}|^(?!.*(?:no longer|{_NO_MORE}))",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we)(?:'ll| will not| won't) (?:not )?(?P<object>{LONG_VERB}\b.* after all)$",
        "goal",
        veto=rf"{_CHORE}|^(?!.*\b(?:not|won't)\b)",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we)(?:'ve| have|'m|'re| am| are)? {ADVERB}(?:gave|given|giving) up on (?P<object>(?!{_POINTING}).+)",
        "goal",
        veto=_CHORE,
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we)(?:'ve| have|'m|'re| am| are)? {ADVERB}(?:gave|given|giving) up"
        rf" (?P<object>(?:{_DOING}|(?:my|our|the) (?:\w+ )?{_PLAN})\b.+)",
        "goal",
        veto=_CHORE,
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"I(?:'ve| have)? {ADVERB}(?:stopped|quit) (?P<object>(?:learning|studying|training|practi[cs]ing|preparing"
        r"|saving|trying to|working (?:towards?|on (?:my|our) (?:novel|book|thesis|phd|degree|memoir))|pursuing)\b.+)",
        "goal",
        veto=_CHORE,
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:abandoned|dropped|scrapped|shelved|cancell?ed|let go of|buried)"
        rf" (?P<object>(?:my|our|the|all) (?:(?:\w+ )?{_PLAN} (?:to|of|for|about) .+"
        rf"|(?:[\w-]+ ){{0,3}}{_SET_ASIDE} (?:plans?|goal|dream|idea|project)(?: for good|,? because .+)?$))",
        "goal",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:cancell?ed|called off) (?P<object>(?:my|our|the) (?:\w+ )?(?:trip|journey"
        rf"|holiday|vacation|visit) (?:to|in) {CAPITAL}.*)",
        "goal",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we)(?:'ve| have| had to)? {ADVERB}(?:drop(?:ped)? out of|pull(?:ed)? out of|withdr(?:e|a)wn? from)"
        rf" (?P<object>(?:my|our|the) (?:[\w-]+ ){{0,3}}{_SET_ASIDE}\b.*)",
        "goal",
        lasts=True,
        corrects=True,
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:\w+ )?lost (?:all )?interest in"
        rf" (?P<object>(?:{_DOING}|(?:the|my|our) (?:\w+ )?{_SET_ASIDE})\b.*)",
        "goal",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I'm|I am|we're|we are) (?:no longer|not) interested in (?P<object>{_DOING}\b.*)",
        "goal",
        veto=rf"{_CHORE}|^(?!.*(?:no longer|{_NO_MORE}))",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?P<object>\w+ing\b.{{1,80}}?) (?:is|are) no longer (?:one of )?(?:a|my|our|the) (?:\w+ )?{_PLAN}",
        "goal",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? (?:\w+ )?changed (?:my|our) minds? about (?P<object>{_DOING}\b.*)",
        "goal",
        lasts=True,
        corrects=True,
    ),
)
_TAKEN_BACK: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?:I|we) {ADVERB}(?:don't|do not) {ADVERB}(?:want|plan|intend|aim|hope|wish|need) to"
        rf" (?P<object>{LONG_VERB}\b.*)",
        "goal",
        veto=rf"{_CHORE}|{_LIVING}|\b(?:it|this|that)$",
        lasts=True,
        corrects=True,
    ),
)
"""In a correction these take something back; elsewhere they say what one dislikes."""

_FORGET: Final = lazy_pattern(
    rf"(?:(?:let's|let us|please|just|you can) )*(?:forget(?: about)?|never mind|drop)"
    rf" (?P<what>{_DOING}\b.{{1,200}}"
    rf"|(?:the|my|our|that) (?:[\w-]+ ){{0,2}}?{_SET_ASIDE}(?: (?:in|to|of|for) .{{1,80}})?)",
    re.IGNORECASE,
)
_FOR_A_WHILE: Final = lazy_pattern(
    r"(?:let's|let us) (?:just )?forget(?: about)? (?:my|our|the) (?:\w+ )?diet\b", re.IGNORECASE
)
"""Proposes an exception: nobody ends a diet for both."""


def given_up(clause: Clause, voice: Voice) -> Draft | None:
    """Return what a clause gives up, or `None`."""
    draft = first_draft(_GIVEN_UP, clause, voice)
    if draft is None and clause.is_correction:
        draft = first_draft(_TAKEN_BACK, clause, voice)
        content = draft and f"{draft.content} any more"
        return None if draft is None else Draft(kind="goal", content=str(content), is_correction=True)
    if draft is not None:
        return draft
    told = _FORGET.fullmatch(clause.text.strip(" .!"))
    if told is None or clause.is_asked or FOR_NOW.search(told["what"]) or _FOR_A_WHILE.match(told[0]):
        return None
    return Draft(kind="goal", content=voice.retell(f"I gave up on {told['what']}"), is_correction=True)
