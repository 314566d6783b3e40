"""What is another one by now of somebody around the user: whose teacher is who, and where they live. English.

"Ruby's teacher is Ms Burke now" ends "Ruby's teacher is Ms Byrne", "The user's dad has moved in with the user" that he
lives in Leeds, unless that is where the user lives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.people.beings import NAME, OWNER, WHO, being_of, kin_of
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER, LINKED, TITLE

_WHOSE: Final = rf"(?P<whose>(?:{OWNER} (?:[\w-]+ ){{0,2}}?[\w-]+|{NAME})'s)"
_OF_ONE: Final = (
    r"(?:new |current )?(?P<what>"
    r"(?:(?:class|form|head|key|social|nursery|primary|secondary|line|maths|piano|swimming) )?"
    r"(?:teacher|tutor|coach|gp|doctor|dentist|therapist|consultant|specialist|surgeon|carer|worker|childminder|nanny|boss"
    r"|manager|landlord|landlady|solicitor|school|nursery|preschool|kindergarten|college|university|uni))"
)
_VALUE: Final = rf"(?:called |named )?(?P<is>{TITLE}?{CAPITAL}[\w'.-]*(?: {LINKED}{CAPITAL}[\w'.-]*){{0,4}}?)"
_IS_NOW: Final = (
    any_case(rf"{_WHOSE} {_OF_ONE} is {_VALUE} now{PLAIN_TAIL}"),
    any_case(rf"{_WHOSE} {_OF_ONE} is now {_VALUE}{PLAIN_TAIL}"),
    any_case(rf"{_WHOSE} new (?P<what>[\w-]+(?: [\w-]+)?) is {_VALUE}{PLAIN_TAIL}"),
)
_WAS: Final = any_case(rf"{_WHOSE} {_OF_ONE}(?:'s name)? is (?:now )?{_VALUE}(?: now)?[.! ]*")

_SOMEBODY: Final = r"(?P<somebody>.{2,60}?)"
_WHOM: Final = (
    r"(?:(?P<user>me|us|them|(?:the )?user(?:'s (?:family|group|team))?)|[^,;]{2,60}?)"
    rf"(?: in (?P<place>{LETTER}+(?:[ -]{LETTER}+)?))?"
)
_MOVED_IN: Final = (
    any_case(rf"{_SOMEBODY} {NEWS}moved in with {_WHOM}{PLAIN_TAIL}"),
    any_case(rf"{_SOMEBODY} (?:now lives|is now living) with {_WHOM}{PLAIN_TAIL}"),
    any_case(rf"{_SOMEBODY} (?:lives|is living) with {_WHOM} now{PLAIN_TAIL}"),
)
_LIVES: Final = any_case(
    r"(?:(?:now|currently|still|also) )*(?:lives?|is (?:living|based)|(?:has )?(?:just )?moved)(?: back)? (?:in|to)"
    rf" (?P<place>{CAPITAL}[\w'-]+)\b.*"
)
_HOME: Final = any_case(
    rf"{WHO} (?:(?:now|currently|still|also) )*(?:lives?|(?:is|are) (?:living|based)|(?:has )?moved)(?: back)?"
    rf" (?:in|to) (?P<place>{CAPITAL}[\w'-]+)\b.*"
)


def _of_theirs(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return who or what it was before."""
    key, now = _key(found), found["is"].casefold().replace(".", "")
    told = {place: it for place, it in told_by(_WAS, known).items() if _key(it) == key}
    return [place for place, it in told.items() if it["is"].casefold().replace(".", "") != now]


def _key(found: re.Match[str]) -> tuple[str, str]:
    return found["whose"].casefold().removeprefix("the "), found["what"].casefold()


def _of_their_home(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return where somebody lived, who lives with the user by now, or in another town."""
    who, place = being_of(f"{found['somebody']} moved"), (found["place"] or "").casefold()
    if who is None or not (found["user"] or place):
        return ()
    beings = [being_of(it) for it in known]
    meant = kin_of(beings, who.word or None, who.name, who.which)
    told = {place: it for place, it in enumerate(beings) if meant and it is not None and meant.is_told_in(it)}
    homes = {place: home["place"].casefold() for place, it in told.items() if (home := _LIVES.fullmatch(it.rest))}
    own = {it["place"].casefold() for it in told_by(_HOME, known).values()} if not place else {place.split()[0]}
    return [place for place, home in homes.items() if home not in own]


THEIRS_BY_NOW: Final = (
    Ends(_of_theirs, _IS_NOW, is_passing=True, tells="state"),
    Ends(_of_their_home, _MOVED_IN, is_passing=True, tells="state"),
)
"""Sentences that say so, and what they end of all that is remembered; other rules keep them."""
