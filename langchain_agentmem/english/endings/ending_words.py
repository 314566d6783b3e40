"""Sentences that say that something is over, and what is remembered of such things. English."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import (
    ADJECTIVES,
    ANIMALS,
    BEING,
    LOWER_NAME,
    NAME,
    OWNER,
    PARTNER,
    SPOUSE,
    THEIRS,
    WHO,
)
from langchain_agentmem.english.people.belongings import KNOWN_THING, WHAT
from langchain_agentmem.english.reading.moving import HAPPENS_OFTEN, HAPPENS_ONCE
from langchain_agentmem.english.words.calendar_words import MONTH, SEASON, WEEKDAY
from langchain_agentmem.english.words.kin_words import A_CHILD, WOMEN, any_of, kin_of
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITALIZED, LETTER, LONG_CAPITALIZED

Means: TypeAlias = Callable[[re.Match[str], Sequence[str]], Sequence[int]]
"""Which memories a sentence means, by their places."""


class Ends(NamedTuple):
    """Sentences that say that something is over, and what they mean of all that is remembered.

    Attributes:
        means: Finds it. `patterns`: of the sentences, whole.
        is_passing: They are said on any day: each is worth remembering only where it ends something.
        tells: Whether they say that it is over, what came instead, or only how it is by now, as any statement does.
    """

    means: Means
    patterns: Sequence[re.Pattern[str]]
    is_passing: bool = False
    tells: Literal["end", "change", "state"] = "end"


def any_case(pattern: str) -> re.Pattern[str]:
    """Return a pattern for sentences in capitals and small letters alike, compiled where it is first used."""
    return lazy_pattern(pattern, re.IGNORECASE)


NEWS: Final = (
    r"(?:(?:just|finally|recently|already|sadly|now|also|actually|eventually|officially|unfortunately|have|has|both"
    r"|suddenly|peacefully) ){0,3}"
)
_DAYS: Final = rf"{WEEKDAY}|{MONTH}|{SEASON}|morning|afternoon|evening|night|weekend"
_AGO: Final = (
    rf"(?:an? (?:few |couple of )?(?:day|week|month|year|while)s?|(?:{TWO_OR_MORE}|some|\d+) (?:day|week|month"
    r"|year)s?)"
)
_WHEN: Final = (
    r"(?:(?:(?:early |late |back |earlier )?(?:last|this)|yesterday|today|recently"
    rf"|(?:on|in|since|over) (?=(?:the )?(?:early |late |mid-?)?(?:{_DAYS}|\d))|{_AGO})\b.*)"
)
AT_LAST: Final = (
    rf"(?: (?:last|this) (?!night|morning|afternoon|evening)\w+| (?:in|since) (?=\d|(?:early |late )?(?:{_DAYS}))[\w ]+"
    rf"| {_AGO} ago| yesterday| recently| for good| for (?:another|someone|somebody)\b.*)"
)
"""When, or for whom, somebody left for good: who left "today", "early" or "at five" may be back tomorrow."""

ASIDE: Final = any_case(
    r"(?:[,.!]? (?:omg|lol|lmao|lmfao|rofl|ugh+|argh+|ha(?:ha)+h?|sigh|smh|ffs|wtf|yay|phew|whew|damn|sadly"
    r"|unfortunately|thank god|thank goodness|thankfully|btw|tbh|ngl|:[-']?[()]"
    r"|[\u2600-\u27bf\U0001f300-\U0001faff]+))+[.! ]*$"
)
"""What people add to any news, and that says nothing of it."""

_LONG: Final[Mapping[str, str]] = {"'ve": " have", "'m": " am", "'re": " are"}
_SHORT: Final = lazy_pattern(r"(?<=\w)'(?:ve|m|re)\b", re.IGNORECASE)
AND_MORE: Final = lazy_pattern(r" and (?=[a-z])")
"""Behind a firm or a school: it holds more than that."""

_HAS: Final = lazy_pattern(r"(?<=\w)'s(?= (?:been|gone|risen|fallen|grown)\b)", re.IGNORECASE)
_IS: Final = lazy_pattern(
    r"(?<=\w)(?<!\buser)'s(?= (?:now|off|(?:down|up) to|cancell?ed|called off)(?![\w-]))", re.IGNORECASE
)


def plain(text: str) -> str:
    """Return a sentence in one line, without asides, and with its short forms in full: "knee op's been cancelled"."""
    folded = ASIDE.sub("", " ".join(text.replace("\u2019", "'").split())).rstrip(".! ")
    told = _IS.sub(" is", _HAS.sub(" has", folded))
    return _SHORT.sub(lambda it: _LONG[it[0].casefold()], told)


_SO: Final = r"(?:,? (?:and|so|but|because|since|when|after|before|to|with|over|due|by|as|now|already|for)\b.*|,.*)"
WHY: Final = r"(?:,? (?:and|so|but|because|since|when|after|due|over|now|already)\b.*|,.*)"
PLAIN_TAIL: Final = rf"(?: {_WHEN}|{WHY}| before \w+.*)?[.! ]*$"
_TAIL: Final = rf"(?: {_WHEN}| (?:on|in|at|online|privately|cheaply)\b.*|{_SO})?[.! ]*$"
_LASTING: Final = rf"(?!(?:[\w'-]+ ){{0,3}}(?:{HAPPENS_ONCE}|{HAPPENS_OFTEN})\b)"
"""What is no event: a subscription that was cancelled is over, a lesson is one of many."""

FOR_SHOW: Final = (
    r"(?:(?:pure |sheer )?(?:laugh\w*|boredom|embarrass\w*|shame|joy|happiness|fright|curiosity|envy|jealousy"
    r"|excitement|cringe)\b)"
)
"""Of what nobody dies."""

_LIFE_TAIL: Final = (
    rf"(?: {_WHEN}| (?:(?:of|from)(?! {FOR_SHOW})|peacefully|suddenly|unexpectedly|at (?:home|\d+)"
    rf"|in (?:(?:his|her|their|its) sleep|hospital"
    rf"|the hospital|an? (?:\w+ )?accident|surgery))\b.*|{_SO})?[.! ]*$"
)
BACK_AGAIN: Final = any_case(
    r"\bbut\b.*\b(?:back(?:ed)?|found|fell through|(?:was|were|am|is) (?:only |just )?(?:joking|kidding)"
    r"|changed \w+ minds?|reconsidered|returned|recovered|survived|joke)\b"
)
"""What is said behind it tells that it is not over after all."""

FICTION: Final = lazy_pattern(
    r"\b(?:film|movie|book|novel|game|show|series|episode|season|chapter|story|scene|dream|level|act|musical"
    r"|(?<!longer )(?<!n't )(?<!not )(?<!time to )play|comic|opera|minecraft|the sims|gran turismo|gta|roblox"
    r"|fortnite|almost|nearly|imagine|laughing|on (?:me|us|them|the user))\b",
    re.IGNORECASE,
)
_WHOM: Final = rf"(?:{THEIRS} (?P<which>{ADJECTIVES})(?P<role>{PARTNER})(?:,? (?P<named>{NAME}))?|(?P<name>{NAME}))"
LONG_AGO: Final = lazy_pattern(
    r"\byears? ago\b|\b(?:in|since|back in|of) (?:\w+ )?(?:19|20)\d\d\b|\b(?:when|while|as)"
    r" (?:I|the user|they|we|he|she) (?:was|were)\b|\bas an? (?:child|kid|teenager|student)\b|\bdecades?\b",
    re.IGNORECASE,
)
"""What was over so long ago is history told, and no news of what was remembered since."""

_X: Final = rf"(?:{OWNER} (?P<which>{ADJECTIVES})(?P<role>{PARTNER})(?:,? (?P<named>{NAME}))?|(?P<name>{NAME}))"
_APART: Final = (
    r"(?:broke up|split up|split|divorced|got divorced|(?:are|is) (?:now )?(?:divorced"
    r"|separated|no longer (?:together|a couple|married|engaged)|not together any ?more)|parted ways|called it quits"
    r"|called off (?:the|our|their) engagement)"
)
_PARTED_TAIL: Final = rf"(?: {_WHEN}| for good|{WHY}| as friends| amicably)?[.! ]*$"
_SHORTLY: Final = (
    rf"(?: (?:yesterday|today|(?:last|this) (?:night|week|month|weekend|morning|\w+day)|(?:{TWO_OR_MORE}"
    r"|\d+|a few)"
    rf" (?:days|weeks) ago|(?:a|one) week ago|on {WEEKDAY}|at last)|,.*"
    r"|,? (?:and (?:we |I )?)?(?:called|named)\b.*)?[.! ]*$"
)
_CHILD: Final = rf"(?:{A_CHILD}|boy|girl|twins|baby (?:boy|girl)|little (?:one|boy|girl))"

_THE_CHILD: Final = (
    rf"(?:(?:an?|our|their|my|her|the) )?(?:(?:first|second|third|healthy|beautiful|little) ){{0,2}}{_CHILD}"
)


GONE: Final = (
    any_case(
        rf"(?P<who>{WHO}) {NEWS}(?:sold|gave away|given away|got rid of|parted with|traded in|donated|scrapped"
        rf"|total?led|wrecked|re-?homed|(?:had to|have had to) (?:sell|give away|get rid of|part with|scrap|re-?home))"
        rf" (?:{THEIRS}|the) (?P<what>{WHAT}){_TAIL}"
    ),
    any_case(
        rf"(?P<who>{WHO}) {NEWS}(?:gave|given|(?:had to|have had to) give) (?:{THEIRS}|the) (?P<what>{WHAT})"
        rf" away(?: to (?!charity\b)[\w' -]{{1,40}}?)?{_TAIL}"
    ),
    any_case(rf"(?P<who>{WHO}) {NEWS}cancell?ed (?:{THEIRS}|the) {_LASTING}(?P<what>{WHAT}){PLAIN_TAIL}"),
    any_case(
        rf"(?P<who>{WHO}) {NEWS}(?:traded|swapped|exchanged) (?:{THEIRS}|the) (?P<what>{WHAT}) (?:in )?for"
        rf" (?:an?|another|some) (?!few\b|couple\b|day\b|while\b|bit\b)\w.*"
    ),
    any_case(rf"(?P<who>{WHO}) {NEWS}replaced {THEIRS} (?P<what>{KNOWN_THING}) (?:with|by) (?:an?|another) \w.*"),
    any_case(
        rf"(?P<who>{WHO}) {NEWS}(?:got|bought) an? [\w' +-]{{1,40}}? instead of {THEIRS} (?P<what>{KNOWN_THING}){_TAIL}"
    ),
    any_case(
        rf"(?P<who>{OWNER}) (?P<what>{WHAT}) (?:was|got|has been|is) {NEWS}(?:stolen|sold|scrapped|total?led"
        rf"|written off)"
        rf"{_TAIL}"
    ),
    any_case(
        rf"(?P<who>{OWNER}) {_LASTING}(?P<what>{WHAT}) (?:was|got|has been|is) {NEWS}(?:cancell?ed|called off)"
        rf"{PLAIN_TAIL}"
    ),
)
NO_MORE: Final = (
    any_case(
        rf"{WHO} (?:do not|does not|don't|doesn't) (?:have|own) (?:an?|the|any|{THEIRS}) (?P<what>{WHAT})"
        r" any ?(?:more|longer)"
    ),
    any_case(rf"{WHO} no longer (?:has|have|owns?) (?:an?|the|any|{THEIRS}) (?P<what>{WHAT}){_TAIL}"),
)
_HAS_DIED: Final = (
    r"(?:died|passed away|passed on|is dead|is no longer with us|(?:was|were|had to be|has been) put (?:down|to"
    r" sleep)(?! (?:for|so|to|before|during|while|with|until|on(?! \w+day\b))\b))"
)
DIED: Final = any_case(
    rf"(?:{OWNER} (?P<which>{ADJECTIVES})(?P<role>{BEING})(?:,? (?P<named>{NAME}))?"
    rf"|(?:(?:poor|dear|sweet|old|our|little) )?+(?P<name>{NAME})),? {NEWS}{_HAS_DIED}{_LIFE_TAIL}"
)
PET_DIED: Final = any_case(
    rf"the (?P<which>(?:(?:old|poor|other|older|younger|little|big) ){{0,2}})(?P<role>{any_of(ANIMALS)})"
    rf"(?:,? (?P<named>{NAME}))?(?P<name>(?!))?,? {NEWS}{_HAS_DIED}{_LIFE_TAIL}"
)
"""Of the one animal that is known; whoever tells of a film says so as well."""

IS_DEAD: Final = any_case(r"\b(?:died|passed|dead|no longer with|put (?:down|to))\b")
PARTED: Final = (
    any_case(rf"(?:{_X} and (?:{WHO}|they)|(?:{WHO}) and {_WHOM.replace('P<', 'P<x')}) {NEWS}{_APART}{_PARTED_TAIL}"),
    any_case(rf"(?P<name>{LOWER_NAME}) and (?:I|me|the user) {NEWS}{_APART}{_PARTED_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}(?:broke up with|split up with|split from|separated from|divorced|dumped|got divorced from)"
        rf" {_WHOM}{_PARTED_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}left {_WHOM}{AT_LAST}?[.! ]*$"),
    any_case(
        rf"{_X} {NEWS}(?:left|dumped|divorced|broke up with) (?:me|us|the user|user|them|him|her)"
        rf"(?:{AT_LAST}|,? because\b.*)?[.! ]*$"
    ),
    any_case(rf"{WHO} {NEWS}(?:broke up|split up|got divorced|(?:is|am|are) (?:now )?divorced){_PARTED_TAIL}"),
    any_case(
        rf"(?:{WHO}|{_X} and (?:{WHO}|they)|the user's group) {NEWS}(?:got )?separated"
        rf"(?:{AT_LAST}|,? because\b.*)?[.! ]*$"
    ),
    any_case(rf"(?:{WHO}|the user's group) {NEWS}(?:divorced|parted ways){_PARTED_TAIL}"),
)
_MOTHER: Final = (
    rf"(?:(?:step-|half-?)?{any_of(WOMEN - kin_of('partner', 'grandparent'))}(?:-in-law)?|cousin|friend|boss|manager"
    r"|colleague|co-?worker|neighbou?r|teacher|flatmate|roommate)"
)
"""Who may be with child beside the user and their partner."""

BORN: Final = (
    any_case(
        rf"{OWNER} {ADJECTIVES}(?P<mother>{_MOTHER})(?:,? {NAME},?)? {NEWS}(?:(?:had|welcomed|delivered) {_THE_CHILD}"
        rf"|gave birth(?: to {_THE_CHILD})?){_SHORTLY}"
    ),
    any_case(
        rf"(?:{WHO}|{OWNER} {SPOUSE}(?:,? {NAME})?) {NEWS}(?:(?:had|welcomed|delivered) {_THE_CHILD}"
        rf"|gave birth(?: to {_THE_CHILD})?){_SHORTLY}"
    ),
    any_case(
        rf"(?:(?:(?:{OWNER}|the) (?:(?:first|second|little|new) )?{_CHILD}(?:,? {NAME},?)?|(?:the )?(?:baby|babies"
        rf"|baby boy|baby girl|twins)) (?:was|were|has been|have been|is|are) (?:just |finally )?born"
        rf"|(?:(?:the|{OWNER}) )?baby (?:is (?:finally )?here|(?:has )?(?:finally )?arrived)){_SHORTLY}"
    ),
)
PREGNANCY_LOST: Final = (
    any_case(
        rf"(?:{WHO}|{OWNER} {SPOUSE}(?:,? {NAME})?) {NEWS}(?:(?:had|suffered) an? (?:miscarriage"
        rf"|stillbirth|abortion)|lost (?:the|{THEIRS}) baby|miscarried|terminated the pregnancy){PLAIN_TAIL}"
    ),
)
TREATS: Final = (
    r"(?:(?:my|our|the|the user's) (?:new )?(?:doctor|gp|consultant|psychiatrist|specialist|cardiologist|oncologist"
    r"|neurologist|dermatologist|rheumatologist|endocrinologist|paediatrician|pediatrician|nurse|hospital|clinic)s?"
    rf"|Dr\.? {LETTER}[\w'-]+)"
)
MEDICINE: Final = (
    rf"(?:(?:{OWNER}|the(?= pill\b)) )?(?P<what>(?:(?:blood|heart|pain|sleeping|blood pressure) )?"
    r"(?:med(?:ication|icine)?s?|pills?|tablets?|thinners|antidepressants|antibiotics|painkillers|steroids)"
    r"|beta[- ]blockers|[a-z]{3,}(?:in|ine|one|ole|ol|il|pam|ram|lam|ide|ate|mab|ium|fen)s?(?<!again)"
    r"|coffee|alcohol|sugar|meat|dairy|gluten|cigarettes|weed|social media"
    rf"|(?!(?:{_DAYS}|christmas|easter)\b){LONG_CAPITALIZED})"
)
"""What one takes: known words, the endings of names of drugs, and names; who is off shopping takes none of it."""

TAKEN_OFF: Final = (
    any_case(
        rf"{TREATS} {NEWS}(?:took|taken|weaned) (?:me|us|them|the user|user) off"
        rf" (?!work\b|sick\b|duty\b|guard\b|hold\b)(?:{OWNER} )?(?P<what>{WHAT}){PLAIN_TAIL}"
    ),
    any_case(rf"they {NEWS}(?:took|taken|weaned) (?:me|us|the user|user) off {MEDICINE}{PLAIN_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}(?:came|come|weaned (?:myself|themselves)|(?:was|were|been|am|is) (?:taken|weaned)) off"
        rf" {MEDICINE}{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} (?:is|am|are|have been|has been) (?:(?:now|finally|completely) )*off {MEDICINE}"
        rf"(?: (?:now|completely|altogether|entirely|for good)){{0,2}}{WHY}?[.! ]*$"
    ),
)
"""Of medicines: what somebody takes no more, whoever decided it."""

TAKES: Final = any_case(
    rf"(?:{WHO} (?:(?:now|currently|still|also) )*(?:takes?|taking|(?:(?:is|am|are) )?(?:on|taking|prescribed)"
    rf"|(?:was|were|has been|have been|got) (?:put on|prescribed))|{TREATS} {NEWS}(?:(?:put|started)"
    rf" (?:me|us|them|the user|user) (?:back )?on|prescribed(?: (?:me|us|them|the user|user))?))"
    rf" (?:(?:\d[\w.]*(?: (?:mg|mcg|ml)(?: of)?)?|an?|some|the|{THEIRS}) )*"
    r"(?P<what>\S.*)"
)
_DEGREE: Final = (
    rf"(?:(?:{CAPITALIZED} ){{0,3}}(?:uni|university|college)|grad school|law school|med(?:ical)? school"
    rf"|business school|(?:the )?University of {NAME})"
)
LEFT_STUDIES: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:(?:dropped|flunked) out(?: of {_DEGREE})?|graduated(?: from {_DEGREE})?"
        rf"|(?:quit|withdrew from|finished) {_DEGREE}){PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} (?:have|has) {NEWS}left {_DEGREE}(?: for good)?{WHY}?[.! ]*$"),
    any_case(rf"{WHO} {NEWS}left {_DEGREE}{AT_LAST}[.! ]*$"),
)
_THERE: Final = rf"(?:the )?{_DEGREE}(?:$|,| (?:in|with|near|part|full)\b)"
STUDIES: Final = any_case(
    r"(?!.*\b(?:ph\.?d|doctora|master|postgrad|msc|mba))"
    rf"{WHO} (?:(?:now|currently|still|also) )*(?:(?:is|am) an? (?:[\w-]+ ){{0,3}}student\b(?! (?:loan|nurse|teacher))"
    rf"|(?:is|am) (?:in|at) {_THERE}|(?:stud(?:y|ies)|(?:is|am) (?:studying|reading)) (?:[\w-]+ ){{0,4}}?"
    rf"(?:at (?:the )?{CAPITAL}|(?:at|in) {_THERE})|(?:goes to|go to|attends?) {_THERE}).*"
)
EXPECTING: Final = (
    r"(?:(?!not\b|no\b|never\b)[\w-]+ ){0,4}?"
    r"(?:pregnant\b|expecting\b(?! (?:(?:an?|the|some|my|their|to) )(?!(?:\w+ )?(?:baby|child|girl|boy|twins?)\b)))"
)
"""With a child, and no parcel; who is not is told of in other words."""

IS_DUE: Final = (
    rf"due (?:(?:in|on|around|at the (?:end|beginning|start) of) )?(?:(?:the|of|early|mid|late|next|\d\w*) ){{0,4}}"
    rf"{MONTH}\b"
)
"""How a child is expected; who is due in court is told of no month."""

PREGNANT: Final = any_case(
    rf"(?:{WHO}|{OWNER} {SPOUSE}(?:,? (?P<named>{NAME}),?)?|(?P<name>{NAME})"
    rf"|{OWNER} {ADJECTIVES}(?P<mother>{_MOTHER})(?:,? {NAME},?)?) (?:is|are|am|'m|'re)"
    rf" {EXPECTING}.*|(?:{OWNER}|the) baby(?:'s due date)? is (?:due|expected)\b.*|{OWNER} due date is\b.*"
    rf"|{WHO} (?:is|am) {IS_DUE}.*"
)
STATE: Final = any_case(
    rf"{WHO} (?:is|am|are|has been|have been) (?:now |happily |still )?(?P<how>married|engaged|dating|seeing"
    rf"|in a relationship)\b(?: (?:to|with))?(?: (?P<rest>.*))?"
)
WITH: Final = any_case(
    rf"{WHO} (?:now |still |currently )?(?:lives?|is living|am living) (?:together )?with (?:{THEIRS}"
    rf" (?P<which>{ADJECTIVES})(?P<role>{BEING})"
    rf"(?:,? (?P<named>{NAME}))?|(?P<name>{NAME})).*"
)
THEN: Final = any_case(
    r"(?:was|were|had|did|died|born|used to|passed|grew|comes? from|(?:is|are) (?:originally )?from|(?:is|are)"
    r" (?:my|the user's)"
    r"|(?!based\b|retired\b|married\b)\w+ed)\b.*"
)
"""What stays true of somebody: what they did, and where they come from."""
