"""Whether what a statement tells is another value of the same: a town, a firm, a job, a name.

"My wife is Spanish" is no other wife than Ana, "I work at night" is no other firm, and "I live in a small flat" is no
other town: each tells more of what is known. Of two statements only values of one kind, and of one time, exclude each
other. English; what is not known to be a value is none, for an ending that is missed costs less than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.facts import KEPT, TRADE, Fact
from langchain_agentmem.english.reading.states import STATE_RELATIONS
from langchain_agentmem.english.text.quantities import may_be_one_date
from langchain_agentmem.english.words.calendar_words import MONTH, MONTHS, SEASON, WEEKDAY, WEEKDAYS
from langchain_agentmem.english.words.lexicon import LONE_ROLES, stem
from langchain_agentmem.english.words.manners import LANGUAGES
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.english.words.places import is_place
from langchain_agentmem.english.words.work_words import OFFICES, WORKER, WORKPLACES

_Tells: TypeAlias = Callable[[list[str], str], bool]

_WORD: Final = lazy_pattern(r"[^\W_][\w'&.+#-]*")
_MOVED: Final = lazy_pattern(r"\b(?:moved|relocated|moving|relocating)\b", re.IGNORECASE)
_BEGUN: Final = lazy_pattern(
    r"\b(?:moved|relocated|started|began|joined|became|become|turned|went|got|switched|now|new|since)\b", re.IGNORECASE
)
_AT_TIMES: Final = lazy_pattern(
    rf"\b(?:on|at|in|over|during|every|most|some) (?:the |my |their )?"
    rf"(?P<when>weekends?|weekdays?|nights?|night school|evenings?|mornings?|{WEEKDAY}s?)\b"
    r"|\b(?P<side>part[- ]time|on the side|evening classes|night school|temporarily|for now"
    r"|(?:for|at) the moment)\b",
    re.IGNORECASE,
)
_FOR_A_WHILE: Final = lazy_pattern(
    rf"\b(?:this|for the|for this|for an?|until|till) (?P<span>days?|week|month|{SEASON}|year"
    rf"|fortnight|term|semester|season|while|bit|{WEEKDAY}|{MONTH}|next \w+)\b"
    rf"|\bin (?:the )?(?P<part>{SEASON}|holidays)\b",
    re.IGNORECASE,
)
"""Of what has just begun this says when it did."""

_NO_TOWN: Final = lazy_pattern(
    r"\bliv\w+ in (?:fear|hope|peace|poverty|denial|sin|harmony|chaos|dread|luxury|squalor|the (?:past|moment))\b"
    r"|\b(?:act|chapter|level|page|step|phase|section|part|round|version|slide|question|stage) \d",
    re.IGNORECASE,
)
_NAMED: Final = lazy_pattern(r"\b(?:called|named|married to|goes by)\b", re.IGNORECASE)
_LIVED: Final = lazy_pattern(r"\blived\b", re.IGNORECASE)
_STILL_LIVED: Final = lazy_pattern(r"\b(?:has|have|'ve)\b", re.IGNORECASE)
_WHERE: Final = lazy_pattern(
    r"\b(?:is|are|'s) (?:now |still |always )?(?:on|in|at|all|over|from|for|by|under|behind|near|with)\b", re.IGNORECASE
)
_DEMONYM: Final = lazy_pattern(
    rf"(?:{LANGUAGES}|american|canadian|mexican|brazilian|argentin(?:ian|e)|chilean|peruvian|colombian|venezuelan|cuban"
    r"|jamaican|british|scottish|australian|austrian|belgian|swiss|egyptian|moroccan|tunisian|algerian|nigerian|kenyan"
    r"|ghanaian|ethiopian|african|asian|european|indian|pakistani|bangladeshi|nepali|sri lankan|lebanese|syrian|iraqi"
    r"|iranian|israeli|saudi|filipin[oa]|taiwanese|maltese|cypriot|bosnian|albanian|macedonian|georgian|armenian"
    r"|texan|californian|londoner|parisian|bavarian|sicilian|catholic|protestant|muslim|jewish|hindu|buddhist|sikh"
    r"|christian|anglican|baptist|mormon|methodist|quaker|orthodox|atheist|deaf|black|white|latina|latino|hispanic)",
    re.IGNORECASE,
)
_TITLE: Final = lazy_pattern(rf"(?:{OFFICES}|vice|senior|junior|professor at|team|captain of)", re.IGNORECASE)
_NO_NAME: Final = frozenset(
    """
    hard difficult easy short long common rare unusual weird strange boring spelled spelt pronounced missing wrong
    misspelled mispronounced unique popular old new funny nice pretty beautiful important not a the an so very too
    quite really just on in at all over from for of with french irish everywhere known taken gone unpronounceable
    embarrassing bit little tad pain
    """.split()
)
_NO_FAVOURITE: Final = frozenset(map(stem, """
    expensive cheap hard easy lovely great good bad nice beautiful pretty ugly amazing awesome terrible boring closed
    open over gone dead missing touring playing coming back away here there out sold broken busy late popular famous
    rare unavailable delicious tasty healthy unhealthy overrated underrated fun funny interesting difficult
    """.split()))  # fmt: skip
_PERFORMERS: Final = frozenset(map(stem, "band singer artist team player author actor actress writer group".split()))
_WORKPLACES: Final = frozenset(map(stem, WORKPLACES.split()))
_BRANCH: Final = lazy_pattern(
    r"\b(?:at|for|in) (?:the|our|my|their) (?:[\w-]+ )?(?:office|branch|site|headquarters|hq|campus|department|desk)\b",
    re.IGNORECASE,
)
_JOINED: Final = lazy_pattern(r"\bjoin(?:s|ed|ing)? (?:the )?(?P<rest>.+)", re.IGNORECASE)
_AS_FIRM: Final = lazy_pattern(
    rf"(?P<firm>{CAPITAL}[\w&.'-]*(?: {CAPITAL}[\w&.'-]*){{0,3}})"
    r"(?: (?:as|in|on|last|this|next|recently|today|yesterday|full[- ]time|and|team)\b.*)?[.! ]*"
)
_SERVICES: Final = frozenset(
    """
    spotify linkedin netflix facebook instagram twitter x tiktok discord slack reddit zoom teams whatsapp telegram
    signal mastodon bluesky threads pinterest tinder bumble hinge strava duolingo audible patreon twitch youtube
    snapchat mensa greenpeace amnesty rotary scouts labour conservatives greens
    """.split()
)
"""What people join beside their work."""

_SOMEBODY: Final = lazy_pattern(
    r"\b(?:for|at) (?:an? |the )?(?:[\w-]+ )?(?:woman|man|guy|lady|girl|boy|friend|couple|person|people|gentleman)\b",
    re.IGNORECASE,
)
_SELF: Final = lazy_pattern(r"\bfor (?:my|them|him|her)sel(?:f|ves)\b", re.IGNORECASE)
_NO_WORK: Final = lazy_pattern(
    r"\bas (?:part|hard|much|fast|long|well|soon|quickly|often|late|usual|one|little|few|many|(?:a|the) (?:team|hobby"
    r"|pair|couple|favou?r|family|group|unit|rule|way|result|whole|duo))\b",
    re.IGNORECASE,
)
_BEING: Final = lazy_pattern(r"\b(?:is|am|'m) (?:(?:now|also|still) )?an? ", re.IGNORECASE)
_NO_CALLING: Final = frozenset(
    "volunteer hobby amateur aspiring homeowner owner feminist optimist pessimist tourist".split()
)
_JOB_IS: Final = lazy_pattern(r"\b(?:job|role|position|occupation|profession|title)(?: is|'s)\b", re.IGNORECASE)
_WORKER: Final = lazy_pattern(WORKER, re.IGNORECASE)


_BRIEFLY: Final = lazy_pattern(
    rf"\bfor (?:the|an?|{ONE_OR_MORE}|a few|a couple of|\d+) (?P<span>weekend|days?|nights?|weeks?|fortnight)\b"
    rf"|\bduring (?:the |my )?(?P<part>{SEASON}|holidays|week|term)\b",
    re.IGNORECASE,
)
"""However it began, it is not for good."""

_FOR_MONTHS: Final = lazy_pattern(
    rf"\bfor (?:the next |another |about |around )?(?P<span>(?:an?|{ONE_OR_MORE}|a few"
    r"|a couple of|several|some|\d+) months?)\b|\b(?P<soon>for the time being|temporarily)\b",
    re.IGNORECASE,
)
"""Of a stay; who has lived somewhere for months says how long they have."""

_OF_TIMES: Final = frozenset({"lives_in", "works_at", "works_as", TRADE, *STATE_RELATIONS})
"""What somebody is or does at some times only, beside what they are and do at others."""


def tells_value(fact: Fact, text: str) -> bool:
    """Whether a statement tells a value of a relation, rather than how its value is.

    Example:
        >>> from langchain_agentmem.english.reading.statements import parse_statement
        >>> [tells_value(parse_statement(it).facts[0], it) for it in ("My wife is Ana", "My wife is Spanish")]
        [True, False]
    """
    tells = _TELLS.get(fact.relation)
    return tells is None or tells(_shown(fact, text), text)


def is_demonym(word: str) -> bool:
    """Whether a word says where somebody comes from, or what they believe."""
    return _DEMONYM.fullmatch(word) is not None


def names_value(relation: str, value: str, text: str) -> bool:
    """Whether a value is one of a relation, as the words of a text tell it."""
    tells = _TELLS.get(relation)
    return tells is None or tells(_WORD.findall(value), text)


def are_rivals(new: Fact, old: Fact, new_text: str, old_text: str) -> bool:
    """Whether both tell a value of the same, for the same times: who moves leaves whatever home they had."""
    if not tells_value(new, new_text) or (new.relation in _OF_TIMES and _times(new_text) != _times(old_text)):
        return False
    if new.relation == "works_as" and _is_studying_beside(new, old, new_text):
        return False
    if new.relation == "works_at" and _BEING.search(new_text) and not _IN_ITS_PLACE.search(new_text):
        return False  # who is a lecturer at one place may be a nurse at another
    if new.relation == "age":
        return _is_later_age(new, old, new_text)
    if new.relation == "birthday":
        return not may_be_one_date(new.object, old.object)
    has_left = new.relation == "lives_in" and _MOVED.search(new_text) is not None
    return has_left or tells_value(old, old_text)


_LEARNERS: Final = frozenset(map(stem, "student undergraduate undergrad postgrad postgraduate pupil".split()))
_IN_ITS_PLACE: Final = lazy_pattern(
    r"\b(?:now|currently|these days|actually|instead|no longer|finally|became|become|qualified|graduated)\b",
    re.IGNORECASE,
)


def _is_studying_beside(new: Fact, old: Fact, text: str) -> bool:
    """Whether one is told as a student and once as what they work as: who studies may work, and says if it is over."""
    is_learner = not _LEARNERS.isdisjoint(new.words), not _LEARNERS.isdisjoint(old.words)
    return is_learner in {(True, False), (False, True)} and _IN_ITS_PLACE.search(text) is None


def _shown(fact: Fact, text: str) -> list[str]:
    """Return the words of a fact's object as they are written."""
    plain = text.replace("\u2019", "'").partition(" ")[2]  # the first word is capital whatever it is
    words = [it.strip(".'").removesuffix("'s") for it in _WORD.findall(plain)]
    found = [it for it in words if {it.casefold(), stem(it.casefold())} & fact.words]
    return found or [it for it in _WORD.findall(text)[:1] if stem(it.casefold()) in fact.words]


def _times(text: str) -> frozenset[str]:
    """Return at which times, or for how long, something is said to be so."""
    found = {(it["when"] or it["side"]).casefold().rstrip("s") for it in _AT_TIMES.finditer(text)}
    found |= {(it["span"] or it["part"]).casefold() for it in _BRIEFLY.finditer(text)}
    if _STILL_LIVED.search(text) is None:
        found |= {(it["span"] or it["soon"]).casefold() for it in _FOR_MONTHS.finditer(text)}
    if _BEGUN.search(text) is None:
        found |= {(it["span"] or it["part"]).casefold() for it in _FOR_A_WHILE.finditer(text)}
    return frozenset(found)


_NOT_IN_YEARS: Final = lazy_pattern(
    r"\bin (?:dog|cat|human|people|horse|light) years\b|\bat heart\b|\b(?:inside|mentally|on paper|in spirit)\b"
    r"|\bturned \d+ (?:back )?in (?:19|20)\d\d\b|\bturns \d+ (?:on|in|this|later)\b"
    r"|\b(?:on \w+day|tomorrow|next \w+|soon)\b",
    re.IGNORECASE,
)


def _is_later_age(new: Fact, old: Fact, text: str) -> bool:
    """Whether an age is one of today: who turned 21 once is 34 by now, and nobody grows younger."""
    if _NOT_IN_YEARS.search(text):
        return False
    ages = new.object.partition(" ")[0], old.object.partition(" ")[0]
    is_past = "turned" in text and all(it.isdigit() for it in ages) and int(ages[0]) < int(ages[1])
    return not is_past


def _is_home(words: list[str], text: str) -> bool:
    if _LIVED.search(text) and not _STILL_LIVED.search(text):
        return False
    return _NO_TOWN.search(text) is None and is_place(words, is_moved=_MOVED.search(text) is not None)


def _is_firm(words: list[str], text: str) -> bool:
    joined = _JOINED.search(text)
    if joined is not None:
        firm = _AS_FIRM.fullmatch(joined["rest"])
        return firm is not None and firm["firm"].casefold() not in _SERVICES
    if _SOMEBODY.search(text) or _BRANCH.search(text):
        return False
    if _SELF.search(text):
        return True
    return any(_is_name(it) or stem(it.casefold()) in _WORKPLACES for it in words)


def _is_name(word: str) -> bool:
    return any(it.isupper() for it in word) and word.casefold().rstrip("s") not in {*WEEKDAYS, *MONTHS}


def _is_job(words: list[str], text: str) -> bool:
    if _JOB_IS.search(text):
        return not _WHERE.search(text) and any(_WORKER.fullmatch(it) for it in words)
    if _BEING.search(text) and not _is_calling(words):
        return False
    return _NO_WORK.search(text) is None


def _is_calling(words: list[str]) -> bool:
    """Whether words that somebody is tell what they do for a living, not what they have, believe or do beside it."""
    is_other = any(it.casefold() in _NO_CALLING or _DEMONYM.fullmatch(it) for it in words)
    return not is_other and any(map(_WORKER.fullmatch, words))


def _is_called(words: list[str], text: str) -> bool:
    if _NAMED.search(text) or not words:
        return True
    is_told = words[0].casefold() not in _NO_NAME and not _DEMONYM.fullmatch(words[-1]) and not _WHERE.search(text)
    return is_told and (words[0][:1].isupper() or len(words) <= 2)  # noqa: PLR2004  (a name typed in a hurry)


def _is_called_so(words: list[str], _text: str) -> bool:
    """Whether it is a name by which one is called: "call me Ali", and not "call me later"."""
    return bool(words) and _is_name(words[0])


def _is_somebody(words: list[str], text: str) -> bool:
    if _NAMED.search(text) or not words:
        return True
    return not any(map(_DEMONYM.fullmatch, words)) and not _TITLE.fullmatch(words[0])


def _is_favourite(words: list[str], text: str) -> bool:
    stems = {stem(it.casefold()) for it in words}
    is_doing = not _PERFORMERS.isdisjoint(map(stem, text.casefold().split())) and text.rstrip(". ").endswith("ing")
    return not (_WHERE.search(text) or is_doing or stems <= _NO_FAVOURITE)


def _is_town(words: list[str], _text: str) -> bool:
    return is_place(words, is_moved=False)


_TELLS: Final[Mapping[str, _Tells]] = {
    **dict.fromkeys(KEPT | LONE_ROLES | {"partner"}, _is_somebody),
    "lives_in": _is_home,
    "works_at": _is_firm,
    "works_as": _is_job,
    "name": _is_called,
    "called": _is_called_so,
    "hometown": _is_town,
    "favourite": _is_favourite,
    "preferred": _is_favourite,
}
