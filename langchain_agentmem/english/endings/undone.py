"""What takes an ending back: "I didn't sell my car", "I still have my car", "Rex is alive". English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.endings import MAX_CHARS, ended_by, ending_in, name_of, of_user
from langchain_agentmem.english.people.beings import ADJECTIVES, BEING, NAME, OWNER, PARTNER, THEIRS, WHO
from langchain_agentmem.english.people.belongings import WHAT

_PAST: Final[Mapping[str, str]] = {
    "sell": "sold",
    "give": "gave",
    "get": "got",
    "break": "broke",
    "leave": "left",
    "lose": "lost",
    "have": "had",
    "quit": "quit",
    "split": "split",
    "cancel": "cancelled",
    "total": "totalled",
    "scrap": "scrapped",
}
_PARTICIPLES: Final[Mapping[str, str]] = {"given": "gave", "gotten": "got", "broken": "broke"}
_BASE: Final[Mapping[str, str]] = {
    **{past: base for base, past in _PAST.items()},
    "totaled": "total",
    **{f"{it}d": it for it in ("donate", "separate", "divorce", "retire", "die")},
    **{f"{it}ed": it for it in ("part", "trade", "wreck", "pass", "dump", "resign", "call")},
    "traded": "trade",
}
_SURE: Final = r"(?:(?:actually|really|even|in fact) )?"
_DID_NOT: Final = lazy_pattern(
    rf"(?P<who>.+?) {_SURE}(?:(?P<base>did not|didn't|do not|don't)|(?:have|has|had) not|haven't|hasn't|hadn't|never)"
    rf" {_SURE}(?P<verb>[a-z]+)(?P<rest>.*)",
    re.IGNORECASE,
)
_IS_NOT: Final = lazy_pattern(
    rf"(?P<who>.+?) {_SURE}(?:(?P<be>was|were|is|are|am|got) not|(?P<short>was|were|is|are)n't) {_SURE}(?P<rest>.+)",
    re.IGNORECASE,
)
_ANOTHER_WAY: Final = lazy_pattern(
    r"\b(?:because|until|for|to|just|only|when|before|after|on|at|last|yesterday|today|tonight|alone|yet another|if)\b",
    re.IGNORECASE,
)
"""What may be all that is denied: who did not sell a car for money may have sold it."""

_DEATHS: Final = frozenset({"died", "passed", "dead", "put"})
_END: Final = lazy_pattern(
    r"(?:,? (?:after all|actually|though|yet|at all|in the end|you know))*[.! ]*$", re.IGNORECASE
)
_STILL: Final = "(?:still|actually still)"
_ALIVE: Final = r"(?:(?:still|actually|not dead,?|very much) )*alive(?: and (?:well|kicking))?"
_SAYS: Final = (
    (
        lazy_pattern(
            rf"(?P<who>{WHO}) {_STILL} (?:have|has|own|owns|drives?|rides?) {THEIRS} (?P<what>{WHAT})", re.IGNORECASE
        ),
        r"\g<who> sold their \g<what>",
    ),
    (lazy_pattern(rf"(?P<who>{WHO}) {_STILL} works? (?:at|for) (?P<at>{NAME})", re.IGNORECASE), r"\g<who> left \g<at>"),
)
_JOB: Final = lazy_pattern(rf"(?P<who>{WHO}) {_STILL} (?:have|has) {THEIRS} job", re.IGNORECASE)
_STILL_SO: Final = (
    *_SAYS,
    (
        lazy_pattern(rf"(?P<who>{OWNER} {ADJECTIVES}{BEING}(?:,? {NAME})?) is {_ALIVE}", re.IGNORECASE),
        r"\g<who> died",
    ),
)
_IS_ALIVE: Final = lazy_pattern(rf"(?P<who>{NAME}) is {_ALIVE}", re.IGNORECASE)
_TOGETHER: Final = lazy_pattern(
    rf"(?P<who>(?:{OWNER} {PARTNER}|{NAME}) and {WHO}|{WHO}) (?:(?:are|is|am) {_STILL} (?:together|a couple)"
    r"|(?:are |is |am |got |have got |has got |have gotten )(?:now )?back together(?: again)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Undone:
    """What a sentence says not to be over.

    Attributes:
        ending: In the words of one who says that it is.
        is_statement: It tells something by itself: "I still have my car" says that there is one, "I'm not divorced" how
            one is.
        verb: What is denied, where another way to the same end is none: who did not quit may have been laid off.
    """

    ending: str
    is_statement: bool = False
    verb: str | None = None

    def means(self, said: str, ended: Sequence[str], speaker: str | None = None) -> bool:
        """Whether it takes back what was said to be over.

        Args:
            said: Is remembered as over.
            ended: What ended by it.
            speaker: The user's name.
        """
        mine, theirs = ending_in(self.ending, speaker), ending_in(said, speaker)
        is_another_way = self.verb is not None and self.verb not in said.casefold().split()
        if mine is None or theirs is None or is_another_way:
            return False
        return mine.is_of_same(theirs) or bool(ended_by(self.ending, ended, speaker))


def undone_in(text: str, speaker: str | None = None) -> Undone | None:
    """Return what a sentence says not to be over, or `None`.

    Example:
        >>> undone_in("I didn't sell my car").ending, undone_in("I didn't see my car")
        ('I sold my car', None)
    """
    if len(text) > MAX_CHARS:
        return None
    plain = _END.sub("", " ".join(text.replace("\u2019", "'").split()))
    plain = re.sub(r"(?<=\w)'ve\b", " have", re.sub(r"(?<=I)'m\b", " am", plain))
    told = of_user(plain, name_of(speaker))
    if _JOB.fullmatch(told):
        return Undone(_JOB.sub(r"\g<who> lost their job", told), is_statement=True)
    if _IS_ALIVE.fullmatch(told):
        return Undone(_IS_ALIVE.sub(r"\g<who> died", told))
    if _TOGETHER.fullmatch(told):
        return Undone(_TOGETHER.sub(r"\g<who> broke up", told))
    way = next((it for it in _STILL_SO if it[0].fullmatch(told)), None)
    return _denied(told) if way is None else Undone(way[0].sub(way[1], told), is_statement=True)


def _denied(told: str) -> Undone | None:
    did, be = _DID_NOT.fullmatch(told), _IS_NOT.fullmatch(told)
    denied = did or be
    if denied is None or _ANOTHER_WAY.search(denied["rest"]):
        return None
    if did is not None:
        verb = _past(did["verb"].casefold(), is_base=did["base"] is not None)
        ending = f"{did['who']} {verb}{did['rest']}"
    else:
        verb = denied["rest"].casefold().split()[0]
        ending = f"{denied['who']} {denied['be'] or denied['short']} {denied['rest']}"
    is_state = re.search(r"\b(?:divorced|separated)$", denied["rest"]) is not None and did is None
    verb = "" if verb in _DEATHS else verb
    over = ending_in(ending)
    return None if over is None or over.is_change else Undone(ending, is_statement=is_state, verb=verb or None)


def _past(verb: str, *, is_base: bool) -> str:
    if not is_base:
        return _PARTICIPLES.get(verb, verb)
    return _PAST.get(verb) or (f"{verb}d" if verb.endswith("e") else f"{verb}ed")


def denial_of(ending: str) -> str | None:
    """Return a sentence that says of something that it is not over, where rules know its verb.

    Example:
        >>> denial_of("I finally sold my car"), denial_of("I was laid off")
        ('I did not sell my car', 'I was not laid off')
    """
    words = ending.split()
    for place, word in enumerate(words[1:], start=1):
        head = [it for it in words[:place] if it.casefold() not in {"just", "finally", "sadly", "already", "recently"}]
        if word.casefold() in {"was", "were", "is", "are", "am"}:
            return " ".join([*head, word, "not", *words[place + 1 :]])
        if word.casefold() in _BASE:
            return " ".join([*head, "did not", _BASE[word.casefold()], *words[place + 1 :]])
    return None
