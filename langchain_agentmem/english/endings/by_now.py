"""What is another one by now: a doctor, a dose, a day of the week, a name, and what was so once. English.

"My doctor is Dr. Kern now" ends "The user's doctor is Dr. Weber", "I'm on 100 mg of sertraline now" the dose before,
"We rehearse on Thursdays now" Mondays, "I used to be a lawyer" being one. Of what one may have several ("I use Zed
now") nothing ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.amounts import amount
from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, TREATS, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.endings.pastimes import BEHIND, is_done
from langchain_agentmem.english.people.beings import NAME, OWNER, THEIRS, WHO
from langchain_agentmem.english.people.belongings import WHAT
from langchain_agentmem.english.reading.values import is_demonym
from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.kin_words import any_of, kin_of
from langchain_agentmem.english.words.lexicon import stem
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITAL_OR_DIGIT, LINKED, TITLE, TITLES
from langchain_agentmem.english.words.people_words import LONE_BY_NOW

# ------------------------------------------------------------------------------------------------------------- people
_TITLED: Final = rf"{TITLE}?{NAME}"
_ONE_ROLE: Final = rf"(?:line manager|{any_of(LONE_BY_NOW)})"
_IS_NOW_ROLE: Final = (
    any_case(rf"{OWNER} (?P<role>{_ONE_ROLE}) is (?:called |named )?(?P<name>{_TITLED}) now{PLAIN_TAIL}"),
    any_case(rf"{OWNER} (?P<role>{_ONE_ROLE}) is now (?:called |named )?(?P<name>{_TITLED}){PLAIN_TAIL}"),
    any_case(rf"{OWNER} new (?P<role>{_ONE_ROLE}) is (?:called |named )?(?P<name>{_TITLED}){PLAIN_TAIL}"),
    any_case(rf"(?P<name>{_TITLED}) is {OWNER} new (?P<role>{_ONE_ROLE})(?: now)?{PLAIN_TAIL}"),
    any_case(rf"(?P<name>{_TITLED}) is now {OWNER} (?P<role>{_ONE_ROLE}){PLAIN_TAIL}"),
    any_case(rf"(?P<name>{_TITLED}) is {OWNER} (?P<role>{_ONE_ROLE}) now{PLAIN_TAIL}"),
)
_WAS_ROLE: Final = any_case(
    rf"(?:{OWNER} (?:new )?(?P<whose>{_ONE_ROLE})(?:'s name)? is (?:now )?(?:called |named )?(?P<is>{_TITLED})(?: now)?"
    rf"|(?P<named>{_TITLED}) is {OWNER} (?:new )?(?P<role>{_ONE_ROLE})(?: now)?)"
)

# ----------------------------------------------------------------------------------------------- whatever is new now
_OF_SEVERAL: Final = kin_of("child", "sibling", "grandchild", "relative")
MANY: Final = (
    r"(?:friend|mate|neighbou?r|colleague|co-?worker|client|customer|student|pupil|patient|tenant|employee|hire|intern|recruit"
    rf"|teammate|{any_of(_OF_SEVERAL)}|pet|dog|cat"
    r"|puppy|kitten|rabbit|hamster|fish|bird|horse|book|novel|album|song|single|track|film|movie|show|series|game|podcast"
    r"|episode|article|post|video|recipe|dish|project|course|class|module|subject|hobby|word|idea|toy|plant|tattoo|goal|plan"
    r"|rule|resolution|habit|crush|obsession|favou?rite|addition|member|skill|language|medication|med|medicine|drug|pill"
    r"|allergy|favou?rite thing|motto|name|nickname|question|problem|challenge|role|job|title|diagnosis|tool|app|skin)"
)
"""Of which one may have several: the new one stands beside the old."""

_NEW: Final = rf"(?P<role>(?!(?:[\w-]+ )?{MANY}s?\b)(?:[\w-]+ )?[\w-]+?)"
_VALUE: Final = (
    rf"(?:called |named )?(?:(?:an?|the) )?(?P<name>{TITLE}?{CAPITAL}[\w'-]*"
    rf"(?: {LINKED}{CAPITAL_OR_DIGIT}[\w'-]*){{0,3}})"
)
_NEW_ONE: Final = (
    any_case(rf"(?P<owner>{OWNER}) new {_NEW} is {_VALUE}{PLAIN_TAIL}"),
    any_case(rf"(?P<owner>{OWNER}) new {_NEW} is (?:called |named )?(?P<word>(?-i:[a-z]+)){PLAIN_TAIL}"),
)
_OLD_ONE: Final = any_case(
    rf"(?P<owner>{OWNER}) (?:current |new )?(?P<role>(?:[\w-]+ )?[\w-]+?)(?:'s name)? is (?:now )?"
    rf"(?:(?P<word>(?-i:[a-z]+))|{_VALUE}"
    r"(?:,.*| (?:at|from|in|of|since|and|who|with|for|now)\b.*)?)[.! ]*"
)

# -------------------------------------------------------------------------------------------------------------- doses
_DOSE: Final = r"(?P<dose>\d[\d.,]*(?: ?(?:mg|mcg|ml|g|iu|units?|tablets?|pills?|puffs?))?)"
_TAKES: Final = r"(?:takes?|(?:is|am|are) (?:now )?(?:on|taking))"
_SET: Final = r"(?:raised|lowered|increased|reduced|decreased|upped|cut|bumped|changed|put up|put down|halved|doubled)"
_BARE_TREATS: Final = r"(?:gp|doc|doctor|consultant|psychiatrist|cardiologist|neurologist|nurse|hospital|clinic)"
_DOSE_NOW: Final = (
    any_case(rf"{WHO} {_TAKES} {_DOSE} (?:of )?(?P<what>{WHAT}?) now{PLAIN_TAIL}"),
    any_case(rf"{WHO} (?:now {_TAKES}|(?:is|am|are) now (?:on|taking)) {_DOSE} (?:of )?(?P<what>{WHAT}){PLAIN_TAIL}"),
    any_case(
        rf"(?:{TREATS}|they|{_BARE_TREATS}|{WHO}) {NEWS}{_SET} (?:{THEIRS} |the )?(?:dos(?:ag)?e of )?(?P<what>{WHAT}?)"
        rf"(?: dose| dosage)?(?: up| down)?(?: from \d[\w.,]*(?: [a-z]+)?)? to {_DOSE}{PLAIN_TAIL}"
    ),
    any_case(
        rf"{OWNER} (?P<what>{WHAT}?)(?: dose| dosage) {NEWS}(?:(?:went|is|has gone) (?:up|down)"
        rf"|(?:was|got|has been|is) {_SET}|is now)(?: from \d[\w.,]*(?: [a-z]+)?)?(?: to)? {_DOSE}{PLAIN_TAIL}"
    ),
)
_TOOK_DOSE: Final = any_case(
    rf"{WHO} (?:(?:now|currently|still) )?{_TAKES} {_DOSE} (?:of )?(?P<what>[^\d,;.]+?)(?: now)?"
    r"(?:,.*| (?:every|each|once|twice|a|per|for|in|at|before|after|with)\b.*)?[.! ]*"
)
_DOSE_TOLD: Final = any_case(
    rf"{WHO} (?:(?:currently|still) )?{_TAKES} (?P<dose>\d[\d.,]* ?(?:mg|mcg)) (?:of )?(?P<what>[^\W\d][\w-]+)[.! ]*"
)
"""All that is said of a medicine is its dose: who says another one takes that instead, at whatever time of the day."""

# --------------------------------------------------------------------------------------------------- days of the week
_DAY: Final = rf"{WEEKDAY}s?"
_DAYS: Final = rf"(?P<days>{_DAY}(?:(?:,| and|, and) {_DAY}){{0,4}})"
_DAY_NOW: Final = (
    any_case(rf"(?P<what>[^,;]{{3,80}}?) on {_DAYS} now{PLAIN_TAIL}"),
    any_case(rf"(?P<what>[^,;]{{3,80}}?) (?:is|are) now on {_DAYS}{PLAIN_TAIL}"),
    any_case(rf"(?P<what>{WHO} now [^,;]{{3,80}}?) on {_DAYS}{PLAIN_TAIL}"),
)
_ON_DAY: Final = any_case(
    rf"(?P<what>[^,;]{{3,80}}?) (?:on|every|each) {_DAYS}(?: at [\w:. ]{{1,10}}?)?(?: now)?[.! ]*"
)
_FRAME: Final = frozenset(
    "the user user's team team's group group's family family's my our we i their a an has have is are am now do does go"
    " goes to attend attends usually still".split()
)

# -------------------------------------------------------------------------------------------------------------- names
_RENAMED: Final = (
    any_case(rf"{WHO} {NEWS}changed (?:the|{THEIRS}) (?P<what>[\w-]+?)(?:'s)? name to .+"),
    any_case(rf"{WHO} {NEWS}renamed (?:the|{THEIRS}) (?P<what>[\w-]+) (?:to |as )?.+"),
    any_case(rf"(?:the|{OWNER}) (?P<what>[\w-]+) is (?:now called|called [^,;]{{1,60}} now).*"),
)
_CALLED: Final = any_case(
    rf"{OWNER} (?P<what>[\w-]+)(?:'s name is| name is| is (?:now )?(?:called|named)) .+|{WHO} (?:has|have|plays? in)"
    r" an? (?P<has>[\w-]+),? (?:called|named) .+"
)
_SEVERAL: Final = _OF_SEVERAL | {"dog", "cat", "friend"}

# ------------------------------------------------------------------------------------------------------ once, instead
_ONCE: Final = any_case(
    rf"{WHO} (?:also )?used to (?P<does>[a-z]+)(?: (?P<what>[^,;]{{1,100}}?))?"
    r"(?:,.*| (?:but|and|then|until) .*| (?:once|before|back then|in the past))?[.! ]*"
)
_INSTEAD: Final = any_case(
    rf"{WHO} (?:now )?(?P<does>(?:use|drink|eat|take|play|drive|ride|study|wear|read|smoke|watch)s?)"
    rf" [^,;]{{1,60}}? (?:now )?instead of (?P<what>{WHAT})(?: now)?{PLAIN_TAIL}"
)
_SO: Final = any_case(
    rf"{WHO} (?:(?:now|currently|still|also|usually) )*(?P<does>[a-z]+)(?: (?P<what>\S.*?))?(?: now)?[.! ]*"
)
_FORMS: Final = {**dict.fromkeys(("is", "am", "are"), "be"), "has": "have", "does": "do", "goes": "go"}


def _of_role(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who it was, of whom one has one at a time."""
    role = found["role"].casefold()
    told = {place: it.groupdict() for place, it in told_by(_WAS_ROLE, known).items()}
    same = {place: it for place, it in told.items() if (it["whose"] or it["role"]).casefold() == role}
    return [place for place, it in same.items() if is_other_name(it["is"] or it["named"], found["name"])]


def is_other_name(one: str, other: str) -> bool:
    """Whether two names share no word but a title: Tom may be Tom Smith.

    Example:
        >>> is_other_name("Dr. Kern", "Dr. Lam"), is_other_name("Tom Smith", "Tom")
        (True, False)
    """
    return _told_apart(one).isdisjoint(_told_apart(other))


def _told_apart(name: str) -> frozenset[str]:
    return frozenset(_bare(name).split()) - {it.casefold() for it in TITLES}


def _of_new(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what the one thing or person was in whose place there is a new one, told in a name or a word alike."""
    role, said = found["role"].casefold(), found.groupdict()
    key = "word" if said.get("word") else "name"
    told = {place: it for place, it in told_by(_OLD_ONE, known).items() if it[key] and it["role"].casefold() == role}
    same = {place: it for place, it in told.items() if _is_shared(it["owner"]) == _is_shared(found["owner"])}
    others = {place: _bare(it[key]) for place, it in same.items() if _bare(it[key]) != _bare(said[key])}
    is_one = len(set(others.values())) == 1 and not any(map(is_demonym, (said[key], *others.values())))
    return [*others] if is_one else ()


def _is_shared(owner: str) -> bool:
    return re.search(r"(?:\bour|(?:family|team|group)'s)$", owner.casefold()) is not None


def _bare(name: str) -> str:
    return name.casefold().replace(".", "")


def _of_dose(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what told another dose of the same."""
    what, dose = found["what"].casefold(), amount(found["dose"])[0]
    told = {place: it for place, it in told_by(_TOOK_DOSE, known).items() if it["what"].casefold() == what}
    return [place for place, it in told.items() if amount(it["dose"])[0] != dose]


def _of_whole_dose(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what told another dose of the same, and no more of it."""
    return [place for place in _of_dose(found, known) if _DOSE_TOLD.fullmatch(known[place])]


def _of_weekday(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what told that the same is on other days of the week."""
    what, days = _activity(found["what"]), _days(found["days"])
    told = {place: it for place, it in told_by(_ON_DAY, known).items() if what and _activity(it["what"]) == what}
    return [place for place, it in told.items() if _days(it["days"]) != days]


def _activity(what: str) -> frozenset[str]:
    return frozenset(stem(it) for it in what.casefold().split() if it not in _FRAME)


def _days(text: str) -> frozenset[str]:
    return frozenset(it.rstrip("s") for it in re.findall(_DAY, text.casefold()))


def _of_name(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    what = found["what"].casefold()
    told = told_by(_CALLED, known) if what not in _SEVERAL else {}
    return [place for place, it in told.items() if (it["what"] or it["has"]).casefold() == what and it[0] != found[0]]


def _of_once(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells as holding now what was so once, and says it in no fewer words."""
    does, what = _verb(found["does"]), (found["what"] or "").casefold()
    told = {place: it for place, it in told_by(_SO, known).items() if _verb(it["does"]) == does}
    return [place for place, it in told.items() if _goes_on(it["what"] or "", what)]


def _verb(word: str) -> str:
    return stem(_FORMS.get(word.casefold(), word.casefold()))


def _goes_on(told: str, what: str) -> bool:
    is_same = told.casefold().startswith(what) and " and " not in told
    return is_same and (told.casefold() == what or (bool(what) and BEHIND.match(told, len(what)) is not None))


def _of_instead(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    does = stem(found["does"].casefold())
    return [place for place, text in enumerate(known) if is_done(text, does, found["what"])]


OTHER_BY_NOW: Final = (
    Ends(_of_role, _IS_NOW_ROLE, is_passing=True, tells="state"),
    Ends(_of_new, _NEW_ONE, is_passing=True, tells="state"),
    Ends(_of_dose, _DOSE_NOW, is_passing=True, tells="state"),
    Ends(_of_whole_dose, (_DOSE_TOLD,), is_passing=True, tells="state"),
    Ends(_of_weekday, _DAY_NOW, is_passing=True, tells="state"),
    Ends(_of_name, _RENAMED, is_passing=True, tells="state"),
    Ends(_of_once, (_ONCE,), is_passing=True, tells="state"),
    Ends(_of_instead, (_INSTEAD,), is_passing=True, tells="state"),
)
"""Sentences that say that something is another by now, and what they end of all that is remembered.

What is new in them other rules keep; by themselves they are worth remembering only where they end something.
"""
