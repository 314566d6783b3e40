"""What of somebody's life is likely no more, by news that do not name it: "my girlfriend moved in with me". English.

Each puts in doubt a state that cannot be beside what is told: living alone beside a flatmate, being single beside a
boyfriend, two children beside a third one. It ends nothing: she may have moved in for the summer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import of_state, told_by
from langchain_agentmem.english.people.beings import ADJECTIVES, NAME, OWNER, PARTNER, THEIRS, WHO
from langchain_agentmem.english.words.kin_words import A_PARTNER, A_RELATIVE, any_of, kin_of
from langchain_agentmem.english.words.lexicon import stem
from langchain_agentmem.english.words.number_words import NUMBER_WORDS
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.english.words.people_words import people_of

_STILL: Final = r"(?:(?:now|currently|still|also|quite|happily|perfectly|always|all) )*"
_IS: Final = r"(?:is|am|are)"

# --------------------------------------------------------------------------------------------------------- households
_MATE: Final = any_of([it for it in people_of("home") if it.endswith("mate")])
_ONE_OF_US: Final = (
    rf"(?:{OWNER} {ADJECTIVES}(?:{A_RELATIVE}|friend|{_MATE})"
    rf"(?:,? {NAME},?)?(?: and [^,;]{{1,40}}?)?|(?:an?|{OWNER}) (?:[\w-]+ )?(?:{_MATE}|friend)|{NAME})"
)
_JOINED: Final = (
    any_case(
        rf"{_ONE_OF_US} {NEWS}moved in(?: with (?:me|us))?(?! (?:with|to|next|above|below|across"
        rf"|opposite)\b){PLAIN_TAIL}"
    ),
    any_case(rf"{_ONE_OF_US} (?:now lives? with (?:me|us)|lives? with (?:me|us) now){PLAIN_TAIL}"),
    any_case(rf"(?!{NAME} lives){_ONE_OF_US} lives? with (?:me|us)(?:,.*)?[.! ]*"),
    any_case(
        rf"{WHO} {NEWS}(?:has|have|got)(?: got)? an? (?:new )?{_MATE}(?: now)?(?:,? (?:called |named"
        rf" )?{NAME})?{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}moved in together{PLAIN_TAIL}"),
)
_ALONE: Final = any_case(
    rf"{WHO} (?:{_IS} .{{1,60}} and )?{_STILL}(?:lives?|{_IS} living) {_STILL}(?:alone|by (?:myself|themselves)"
    r"|on (?:my|their) own)\b.*"
)
_LEFT: Final = (
    any_case(rf"(?P<who>{NAME}) {NEWS}moved (?:out|away|(?:away )?to {CAPITAL}[\w'-]+){PLAIN_TAIL}"),
    any_case(rf"{OWNER} (?P<who>{A_RELATIVE}|{_MATE}) (?:has )?{NEWS}moved out{PLAIN_TAIL}"),
)
_WITH: Final = any_case(
    rf"(?:{WHO} {_STILL}(?:lives?|{_IS} living|shares? an? (?:[\w-]+ )?(?:flat|house|apartment|place)) (?:together )?"
    rf"with (?:{THEIRS} )?(?P<whom>[^,;]+)|(?:{OWNER} )?(?P<one>[\w-]+) (?:still )?lives? with (?:me|us)"
    rf"|{OWNER} {_MATE} is (?P<mate>{NAME}))\b.*"
)


def _of_those_who_left(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what tells that the user lives with whoever moved out."""
    who = found["who"].casefold()
    told = {place: it["whom"] or it["one"] or it["mate"] for place, it in told_by(_WITH, known).items()}
    return [place for place, it in told.items() if re.search(rf"\b{re.escape(who)}\b(?!'s| and\b)", it, re.IGNORECASE)]


# ------------------------------------------------------------------------------------------------------------ couples
_WITH_SOMEBODY: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:has|have|got|found)(?: got)? an? (?:new )?{A_PARTNER}(?: now)?"
        rf"(?:,? (?:called |named )?{NAME})?{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}met (?:someone|somebody|{NAME}),? and (?:we|they) (?:are|have been) (?:now )?(?:together|dating"
        rf"|seeing each other|an item|in love)(?: now)?{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {_IS} (?:now )?(?:(?:dating|going out with|engaged to|married to) (?:{NAME}|someone|somebody)"
        rf"|seeing (?:someone|somebody)).*"
    ),
    any_case(
        rf"(?:(?:{WHO}|{NAME}) and (?:{WHO}|{NAME})|{WHO}) {_IS} {NEWS}(?:together|official|an item|a couple|dating"
        rf"|engaged|married)(?: now| since .+)?{PLAIN_TAIL}"
    ),
    any_case(rf"(?:(?:{WHO}|{NAME}) and )?(?:{WHO}|{NAME}) {NEWS}exchanged rings\b.*"),
)
_SINGLE: Final = any_case(
    rf"{WHO} (?:{_IS} {_STILL}single\b.*|(?:do not|don't|does not|doesn't) have an? {A_PARTNER}\b"
    rf".*)"
)
_PROMISE_OFF: Final = (
    any_case(
        rf"(?:{WHO}|{NAME} and {WHO}|{WHO} and {NAME}) {NEWS}(?:(?:called off|broke off|broken off|cancell?ed|ended)"
        rf" (?:{OWNER}|the) (?:engagement|wedding)|(?:called|broke) (?:the|{OWNER}) (?:engagement|wedding)"
        rf" off){PLAIN_TAIL}"
    ),
    any_case(
        rf"(?:{NAME}|{OWNER} {PARTNER}(?: {NAME})?) {NEWS}(?:called off|broke off|broken off|cancell?ed|ended) {OWNER}"
        rf" (?:engagement|wedding){PLAIN_TAIL}"
    ),
    any_case(
        rf"(?:{OWNER}|the) (?:engagement|wedding) (?:is|was|has been|got) {NEWS}(?:off|called off|broken off"
        rf"|cancell?ed){PLAIN_TAIL}"
    ),
)
_PROMISED: Final = any_case(
    rf"(?:{WHO} {_IS} {_STILL}(?:engaged\b|getting married\b|planning (?:{OWNER}|the|a) wedding)|{OWNER} fianc[eé]e? is"
    rf"|{NAME} is {OWNER} fianc[eé]e?|{OWNER} wedding is (?!cancelled|off)|{WHO} (?:has|have) an? fianc[eé]e?).*"
)

# ----------------------------------------------------------------------------------------------------- one more of them
_CHILDREN: Final = kin_of("child") | {"boy", "girl"}
_COUNTED: Final = rf"(?P<kind>{any_of(_CHILDREN | kin_of('grandchild'))}|cat|dog|horse|car|bike)"
_NTH: Final = {word: number for number, word in enumerate("first second third fourth fifth sixth".split(), 1)}
_ONE_MORE: Final = (
    any_case(
        rf"{OWNER} (?P<nth>{'|'.join(_NTH)}) {_COUNTED}(?:,? {NAME},?|, an? (?:boy|girl|son|daughter),)? (?:(?:was|is"
        rf"|has been|has) {NEWS}(?:born|arrived|here)|arrived){PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:had|welcomed|have|has|adopted|got|bought) (?:an?|{THEIRS}) (?P<nth>{'|'.join(_NTH)})"
        rf" {_COUNTED}(?:,? (?:called |named )?{NAME})?{PLAIN_TAIL}"
    ),
    any_case(
        rf"(?:{OWNER} (?P<kind>{any_of(_CHILDREN)}|twins)(?:,? {NAME},?)? (?:was|is|has been|were) {NEWS}born"
        rf")(?P<nth>){PLAIN_TAIL}"
    ),
)
_HAS_SO_MANY: Final = any_case(
    rf"{WHO} (?:(?:have|has)(?: got)?|{_IS} an? parent of) (?P<count>no|\d|[a-z]+)(?: (?P<what>[a-z]+))?\b.*"
)
_LACKS: Final = any_case(rf"{WHO} (?:do not|don't|does not|doesn't) have (?:any )?(?:children|kids)\b.*")


def _of_count(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return how many the user was said to have, where there is one more by now."""
    nth, kind = _NTH.get((found["nth"] or "first").casefold(), 1), found["kind"].casefold()
    told = {
        place: (_count(it["count"]), it["what"] or "children") for place, it in told_by(_HAS_SO_MANY, known).items()
    }
    fewer = {place: what for place, (count, what) in told.items() if count is not None and count < nth}
    lacks = list(told_by(_LACKS, known)) if nth == 1 and kind in {*_CHILDREN, "twins"} else []
    return [*(place for place, what in fewer.items() if _counts_as(what.casefold(), kind)), *lacks]


def _count(word: str) -> int | None:
    said = word.casefold()
    if said.isdigit():
        return int(said)
    return 0 if said == "no" else NUMBER_WORDS.get(said)


def _counts_as(what: str, kind: str) -> bool:
    """Whether one more of a kind makes a count of `what` another one: a son is a child, and a child no son."""
    one = {"children": "child", "grandchildren": "grandchild", "babies": "baby"}.get(what, what.removesuffix("s"))
    is_child, is_grandchild = kind in {*_CHILDREN, "twins"}, kind in kin_of("grandchild")
    return one == kind or (one in kin_of("child", sex="") and is_child) or (one == "grandchild" and is_grandchild)


# --------------------------------------------------------------------------------------------------------------- again
_FOODS: Final = r"(?:meat|fish|chicken|beef|pork|poultry|seafood|bacon|eggs?|cheese|dairy|sushi|ham|steak)"
_EATS_AGAIN: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:(?:is|am|are|started|began|resumed|(?:went|gone|got|going) back to) )?(?:eats?|eating)"
        rf" (?:(?:some|a little|more|{_FOODS}(?:,| and)?) )*(?P<what>{_FOODS})\b.* again\b.*"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:gone|went|(?:is|am|are)) back to (?:eating )?(?:{_FOODS}(?:,| and) )?(?P<what>{_FOODS})\b.*"
    ),
    any_case(rf"{WHO} {NEWS}(?:gave up|given up|quit|stopped) being (?:an? )?(?P<diet>vegan|vegetarian){PLAIN_TAIL}"),
)
_MEATLESS: Final = any_case(rf"{WHO} {_IS} {_STILL}(?:an? )?(?:strict )?(?P<diet>vegan|vegetarian|pescatarian)\b.*")
_EATS_NO: Final = any_case(
    rf"{WHO} (?:(?:do|does) not|don't|doesn't|never|no longer|(?:have|has) (?:given up|stopped eating)|gave up|stopped"
    rf" eating)(?: eat)? (?:any )?(?P<what>{_FOODS})\b.*"
)
_DRINKS_AGAIN: Final = (
    any_case(rf"{WHO} {NEWS}(?:started|(?:is|am|are)) drinking(?: (?:alcohol|wine|beer))? again{PLAIN_TAIL}"),
    any_case(rf"{WHO} (?:now )?drinks? (?:alcohol|wine|beer) again{PLAIN_TAIL}"),
)
_SOBER: Final = any_case(
    rf"{WHO} (?:{_IS} {_STILL}(?:an? )?(?:teetotal(?:l?er)?|sober)\b.*|(?:do not|don't|does not|doesn't) drink"
    rf"(?: alcohol)?(?: any ?more| at all)?[.! ]*|{NEWS}(?:quit|gave up|stopped) (?:drinking|alcohol)\b.*)"
)
_SMOKES_AGAIN: Final = any_case(rf"{WHO} (?:{NEWS}(?:started|(?:is|am|are)) smoking|smokes?) again{PLAIN_TAIL}")
_SMOKE_FREE: Final = any_case(
    rf"{WHO} (?:{_IS} {_STILL}an? non-?smoker\b.*|(?:do not|don't|does not|doesn't) smoke\b.*|{NEWS}(?:quit|gave up"
    r"|stopped) smoking\b.*)"
)
_NO_ALCOHOL: Final = any_case(
    rf"{WHO} {NEWS}(?:gave up|given up|quit|sw(?:ore|orn) off|stopped drinking|cut out) (?:alcohol|drink|booze)"
    rf"(?: altogether| completely| for good)?{PLAIN_TAIL}"
)
_DRINKS: Final = any_case(
    rf"{WHO} (?:(?:do|does) )?(?:drinks?(?: (?:a lot|socially|too much|occasionally|at weekends|alcohol))?[.! ]*"
    rf"|(?:has|have|drinks?) an? (?:few )?(?:glass of wine|glass of red|beers?|pint|whisk(?:e)?y|drink)\b.*)"
)


def _of_diet(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return that somebody eats nothing of what they eat again."""
    said = found.groupdict()
    what, diet = stem((said.get("what") or "").casefold()), (said.get("diet") or "").casefold()
    diets = {place: it["diet"].casefold() for place, it in told_by(_MEATLESS, known).items()}
    without = {place: stem(it["what"].casefold()) for place, it in told_by(_EATS_NO, known).items()}
    kept = {place for place, it in diets.items() if (it == diet if diet else _is_without(it, what))}
    return sorted({*kept, *(place for place, it in without.items() if it == what or (it == "meat" and what in _MEATS))})


_MEATS: Final = frozenset(map(stem, "chicken beef pork poultry bacon ham steak".split()))
_OF_ANIMALS: Final = frozenset(map(stem, "egg eggs cheese dairy".split()))
_OF_WATER: Final = frozenset(map(stem, "fish seafood sushi".split()))


def _is_without(diet: str, what: str) -> bool:
    if what in _OF_ANIMALS:
        return diet == "vegan"
    return diet in {"vegan", "vegetarian"} or what not in _OF_WATER


# ---------------------------------------------------------------------------------------------------------------- work
_FULL_TIME: Final = any_case(
    rf"{WHO} (?:{NEWS}(?:went|gone|switched to|moved to|changed to) |(?:work|works|{_IS}) (?:working )?(?:now )?)"
    rf"full[- ]time(?: now)?{PLAIN_TAIL}"
)
_PART_TIME: Final = any_case(
    rf"{WHO} (?:{NEWS}(?:went|gone|switched to|moved to|changed to) |(?:work|works|{_IS}) (?:working )?(?:now )?)"
    rf"part[- ]time(?: now)?{PLAIN_TAIL}"
)
_IS_PART_TIME: Final = any_case(rf"{WHO} {_STILL}(?:works?|{_IS}(?: working)?) part[- ]time\b.*")
_IS_FULL_TIME: Final = any_case(rf"{WHO} {_STILL}(?:works?|{_IS}(?: working)?) full[- ]time\b.*")
_WORKS: Final = (
    any_case(rf"{WHO} {NEWS}(?:started|found|got) (?:an?|{THEIRS}) (?:new )?job{PLAIN_TAIL}"),
    any_case(rf"{WHO} (?:has|have) an? (?:new )?job (?:now|again){PLAIN_TAIL}"),
)
_OUT_OF_WORK: Final = any_case(
    rf"{WHO} {_IS} {_STILL}(?:unemployed|between jobs|out of work|job[ -]hunting|(?:looking|searching) for"
    r" (?:a|another) (?:new )?job)\b.*"
)
_RIDE: Final = r"(?:cycle|bike|drive|walk|run|take (?:the|a) (?:bus|train|tram|subway|tube|metro|car|bike|ferry))"
_RIDES_NOW: Final = any_case(
    rf"{WHO} (?:now (?P<ride>{_RIDE})|(?P<by>{_RIDE})) to (?P<where>work|school|the office|uni)(?P<now>"
    rf" now)?{PLAIN_TAIL}"
)
_RIDES: Final = any_case(rf"{WHO} {_STILL}(?P<ride>{_RIDE}) to (?P<where>work|school|the office|uni)\b.*")


def _of_ride(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return how else the user was said to get to the same place."""
    ride, where = found["ride"] or found["by"], found["where"].casefold()
    if found["by"] and not found["now"]:
        return ()
    told = {place: it for place, it in told_by(_RIDES, known).items() if it["where"].casefold() == where}
    return [place for place, it in told.items() if it["ride"].casefold() != ride.casefold()]


LIVES_IN_DOUBT: Final[Sequence[Ends]] = (
    Ends(of_state(_ALONE), _JOINED),
    Ends(_of_those_who_left, _LEFT),
    Ends(of_state(_SINGLE), _WITH_SOMEBODY),
    Ends(of_state(_PROMISED), _PROMISE_OFF),
    Ends(_of_count, _ONE_MORE),
    Ends(_of_diet, _EATS_AGAIN),
    Ends(of_state(_SOBER), _DRINKS_AGAIN),
    Ends(of_state(_DRINKS), (_NO_ALCOHOL,)),
    Ends(of_state(_SMOKE_FREE), (_SMOKES_AGAIN,)),
    Ends(of_state(_IS_PART_TIME), (_FULL_TIME,)),
    Ends(of_state(_IS_FULL_TIME), (_PART_TIME,)),
    Ends(of_state(_OUT_OF_WORK), _WORKS),
    Ends(_of_ride, (_RIDES_NOW,)),
)
"""News of the user's life, and the states that they put in doubt."""
