"""Plans that are carried out, or given up, in the words of any day. English.

"I got a PS5" ends "is saving up for a PS5", "I'm not doing Valencia any more" training for the Valencia marathon.
What is of another name, somebody else's deed, or one of two plans ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.ending_words import NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.endings.for_a_while import told_by
from langchain_agentmem.english.people.beings import THEIRS, WHO
from langchain_agentmem.english.words.patterns import CAPITAL_OR_DIGIT

_IS: Final = r"(?:is|am|are)"
_THING: Final = r"(?:[\w'+.-]+ ){0,4}?[\w'+-]+"
_WHEN: Final = (
    r"(?:,.*| (?:soon|in|by|next|this|for|when|before|after|at|on|from|with|to|so|because|and|once|one day)\b.*)?"
)
_STILL: Final = r"(?:still |now |currently )?"
_NOT_DONE_TO: Final = (
    r"(?! (?:[\w'+.-]+ ){1,4}?(?:in order|under control|ready|sorted|fixed|repaired|serviced|done|right|wrong|back"
    r"|clean\w*|wet|dirty|together|going|working|moving|started)\b)"
)
"""Who got something into a state had it; and "I got a headache" names nothing that one saves for."""

_BOUGHT: Final = any_case(
    rf"{WHO} {NEWS}(?:(?:bought|purchased) (?:an?|the|{THEIRS})"
    rf"|(?:got|picked up) (?:the|{THEIRS}|an?(?= (?:new )?{CAPITAL_OR_DIGIT})){_NOT_DONE_TO}) "
    rf"(?:new )?(?P<what>{_THING})(?: installed| delivered| set up)?{PLAIN_TAIL}"
)
_SEEKS: Final = any_case(
    rf"{WHO} (?:{_IS} {_STILL}(?:planning|hoping|looking|going) to (?:buy|get|purchase)"
    rf"|(?:wants?|plans?|hopes?|intends?|would like) to (?:buy|get|purchase)"
    rf"|{_IS} {_STILL}saving(?: up)? (?:for|to (?:buy|get))|wants?|saves?(?: up)? for)"
    rf" (?:an?|the|another|{THEIRS}) (?:new )?(?P<what>{_THING}){_WHEN}[.! ]*"
)
_IN_A_NAME: Final = lazy_pattern(CAPITAL_OR_DIGIT)

_NO_MORE: Final = (
    any_case(
        rf"{WHO} {_IS} not (?:doing|running|taking|sitting|giving|entering|going for|training for|preparing for)"
        rf" (?:the |{THEIRS} )?(?P<what>{_THING}) (?:any ?more|any longer|after all){PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {_IS} no longer (?:doing|running|taking|sitting|giving|entering|going for|training for|preparing for)"
        rf" (?:the |{THEIRS} )?(?P<what>{_THING}){PLAIN_TAIL}"
    ),
)
_PREPARES: Final = any_case(
    rf"{WHO} {_IS} {_STILL}(?:training|preparing|practi[cs]ing|studying|revising) (?:hard )?for"
    rf" (?:an?|the|{THEIRS})?(?P<what>.+)"
)


def _of_wish(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the plan to have what somebody has got, of that name or a longer one of the same."""
    told = told_by(_SEEKS, known)
    return [place for place, it in told.items() if _is_same(found["what"].split(), it["what"].split())]


def _is_same(got: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether one is what was wanted: a "MacBook Air M3" is a MacBook Air, a "car seat" is no car."""
    more = got[len(wanted) :]
    is_so_far = [it.casefold() for it in got[: len(wanted)]] == [it.casefold() for it in wanted]
    return is_so_far and all(map(_IN_A_NAME.search, more))


def _of_preparing(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return what somebody gets ready for which they will not do, if it is the only one that has all these words."""
    wanted = {*found["what"].casefold().split()}
    told = {place: {*it["what"].casefold().split()} for place, it in told_by(_PREPARES, known).items()}
    meant = [place for place, words in told.items() if wanted <= words]
    return meant if len(meant) == 1 else ()


DONE_OR_NOT: Final = (
    Ends(_of_wish, (_BOUGHT,), is_passing=True),
    Ends(_of_preparing, _NO_MORE, is_passing=True),
)
"""Sentences that say that a plan came true, or to nothing, and what they end of all that is remembered.

They are said on any day: each is worth remembering only where it ends something.
"""
