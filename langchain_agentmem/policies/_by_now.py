"""What is another one by now: a doctor, a rate, a dose, a day of the week, a name, and what was so once. English.

"My doctor is Dr. Kern now" ends "The user's doctor is Dr. Weber", "My rent went up to 720" the rent before, "I'm on
100 mg of sertraline now" the dose before, "We rehearse on Thursdays now" Mondays, "I used to be a lawyer" being one. Of
what one may have several ("I use Zed now") nothing ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from langchain_agentmem.policies._beings import NAME, OWNER, THEIRS, WHO
from langchain_agentmem.policies._belongings import WHAT
from langchain_agentmem.policies._ending_words import NEWS, PLAIN_TAIL, TREATS, Ends, any_case
from langchain_agentmem.policies._for_a_while import told_by
from langchain_agentmem.policies._lexicon import WEEKDAYS, stem
from langchain_agentmem.policies._pastimes import BEHIND, is_done

# ------------------------------------------------------------------------------------------------------------- people
_TITLED: Final = rf"(?:(?:Dr|Mrs?|Ms|Prof)\.? )?{NAME}"
_ONE_ROLE: Final = (
    r"(?:boss|manager|supervisor|line manager|landlord|landlady|dentist|therapist|doctor|gp|physio|counsellor|counselor"
    r"|psychiatrist|psychologist|accountant|lawyer|solicitor|hairdresser|barber|vet|midwife|cardiologist|neurologist"
    r"|oncologist|dermatologist|optician)"
)
_IS_NOW_ROLE: Final = (
    any_case(rf"{OWNER} (?P<role>{_ONE_ROLE}) is (?:called |named )?(?P<name>{_TITLED}) now{PLAIN_TAIL}"),
    any_case(rf"{OWNER} (?P<role>{_ONE_ROLE}) is now (?:called |named )?(?P<name>{_TITLED}){PLAIN_TAIL}"),
    any_case(rf"{OWNER} new (?P<role>{_ONE_ROLE}) is (?:called |named )?(?P<name>{_TITLED}){PLAIN_TAIL}"),
    any_case(rf"(?P<name>{_TITLED}) is {OWNER} new (?P<role>{_ONE_ROLE})(?: now)?{PLAIN_TAIL}"),
)
_WAS_ROLE: Final = any_case(
    rf"(?:{OWNER} (?:new )?(?P<whose>{_ONE_ROLE})(?:'s name)? is (?:now )?(?:called |named )?(?P<is>{_TITLED})(?: now)?"
    rf"|(?P<named>{_TITLED}) is {OWNER} (?:new )?(?P<role>{_ONE_ROLE})(?: now)?)"
)

# ------------------------------------------------------------------------------------------------------------ amounts
_PRICED: Final = (
    r"(?:(?:(?:hourly|daily|day|monthly|weekly|annual|health|car|home) ){0,2}"
    r"(?:rent|rates?|salary|wages?|fees?|mortgage|pension|allowance|insurance|premium|pay|income|pocket money|budget))"
)
_AMOUNT: Final = r"(?:[$€£]\d[\w.,]*(?: ?[/a-z€$£%]+){0,3}|\d[\w.,]*(?: ?[/a-z€$£%]+){0,3})"
_ROSE: Final = (
    r"(?:(?:went|is|has gone|gone) (?:up|down)|rose|risen|fell|dropped|increased|decreased"
    r"|(?:was|got|has been|is being) (?:raised|lowered|increased|reduced|cut|put up))"
)
_IS_NOW_PRICED: Final = (
    any_case(rf"{OWNER} (?P<what>{_PRICED}) is (?P<much>{_AMOUNT}?) now{PLAIN_TAIL}"),
    any_case(rf"{OWNER} (?P<what>{_PRICED}) is now (?P<much>{_AMOUNT}){PLAIN_TAIL}"),
)
_ROSE_TO: Final = (
    any_case(rf"{OWNER} (?P<what>{_PRICED}) {NEWS}{_ROSE}(?: from [\w$€£.,]+)? to (?P<much>{_AMOUNT}){PLAIN_TAIL}"),
)
_WAS_PRICED: Final = any_case(
    rf"{OWNER} (?P<what>{_PRICED}) (?:is (?:now )?|{NEWS}{_ROSE} to )(?P<much>{_AMOUNT})(?: now)?[.! ]*"
)

# -------------------------------------------------------------------------------------------------------------- doses
_DOSE: Final = r"(?P<dose>\d[\d.,]*(?: ?(?:mg|mcg|ml|g|iu|units?|tablets?|pills?|puffs?))?)"
_TAKES: Final = r"(?:takes?|(?:is|am|are) (?:now )?(?:on|taking))"
_SET: Final = r"(?:raised|lowered|increased|reduced|decreased|upped|cut|bumped|changed|put up|put down|halved|doubled)"
_DOSE_NOW: Final = (
    any_case(rf"{WHO} {_TAKES} {_DOSE} (?:of )?(?P<what>{WHAT}?) now{PLAIN_TAIL}"),
    any_case(rf"{WHO} (?:now {_TAKES}|(?:is|am|are) now (?:on|taking)) {_DOSE} (?:of )?(?P<what>{WHAT}){PLAIN_TAIL}"),
    any_case(
        rf"(?:{TREATS}|they|{WHO}) {NEWS}{_SET} (?:the |{THEIRS} )?(?:dose of |dosage of )?(?P<what>{WHAT}?)"
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

# --------------------------------------------------------------------------------------------------- days of the week
_DAY: Final = rf"(?:{'|'.join(sorted(WEEKDAYS))})s?"
_DAYS: Final = rf"(?P<days>{_DAY}(?:(?:,| and|, and) {_DAY}){{0,4}})"
_DAY_NOW: Final = (
    any_case(rf"(?P<what>[^,;]{{3,80}}?) on {_DAYS} now{PLAIN_TAIL}"),
    any_case(rf"(?P<what>[^,;]{{3,80}}?) (?:is|are) now on {_DAYS}{PLAIN_TAIL}"),
    any_case(rf"(?P<what>{WHO} now [^,;]{{3,80}}?) on {_DAYS}{PLAIN_TAIL}"),
)
_ON_DAY: Final = any_case(rf"(?P<what>[^,;]{{3,80}}?) on {_DAYS}(?: at [\w:. ]{{1,10}}?)?(?: now)?[.! ]*")
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
_SEVERAL: Final = frozenset("son daughter child kid dog cat sister brother friend cousin".split())

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
_UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("€", "euro", "euros"), "eur"),
    **dict.fromkeys(("$", "dollar", "dollars"), "usd"),
    **dict.fromkeys(("£", "pound", "pounds", "quid"), "gbp"),
}
_FORMS: Final = {**dict.fromkeys(("is", "am", "are"), "be"), "has": "have", "does": "do", "goes": "go"}


def _of_role(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who it was, of whom one has one at a time."""
    role, name = found["role"].casefold(), _bare(found["name"])
    told = {place: it.groupdict() for place, it in told_by(_WAS_ROLE, known).items()}
    same = {place: it for place, it in told.items() if (it["whose"] or it["role"]).casefold() == role}
    return [place for place, it in same.items() if _bare(it["is"] or it["named"]) != name]


def _bare(name: str) -> str:
    return name.casefold().replace(".", "")


def _of_amount(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what told another amount of the same, in a unit that may be the same."""
    what, much = found["what"].casefold(), _amount(found["much"])
    told = {place: it for place, it in told_by(_WAS_PRICED, known).items() if it["what"].casefold() == what}
    amounts = {place: _amount(it["much"]) for place, it in told.items()}
    return [place for place, it in amounts.items() if it[0] != much[0] and _are_alike(it[1], much[1])]


def _amount(text: str) -> tuple[str, frozenset[str]]:
    number = re.search(r"\d[\d.,]*k?", text.casefold())
    units = re.findall(r"[a-z]+|[$€£%]", re.sub(r"\d[\d.,]*k?", " ", text.casefold()))
    return (number[0].rstrip(".,") if number else "", frozenset(_UNITS.get(it, it) for it in units))


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one or bool(one & other)


def _of_dose(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what told another dose of the same."""
    what, dose = found["what"].casefold(), _amount(found["dose"])[0]
    told = {place: it for place, it in told_by(_TOOK_DOSE, known).items() if it["what"].casefold() == what}
    return [place for place, it in told.items() if _amount(it["dose"])[0] != dose]


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
    Ends(_of_amount, _IS_NOW_PRICED, is_passing=True, tells="state"),
    Ends(_of_dose, _DOSE_NOW, is_passing=True, tells="state"),
    Ends(_of_weekday, _DAY_NOW, is_passing=True, tells="state"),
    Ends(_of_name, _RENAMED, is_passing=True, tells="state"),
    Ends(_of_once, (_ONCE,), is_passing=True, tells="state"),
    Ends(_of_instead, (_INSTEAD,), is_passing=True, tells="state"),
)
"""Sentences that say that something is another by now, and what they end of all that is remembered.

What is new in them other rules keep; by themselves they are worth remembering only where they end something.
"""


ROSE: Final = (Ends(_of_amount, _ROSE_TO, tells="state"),)
"""The same of what tells its new value in no other way, and is kept for it."""
