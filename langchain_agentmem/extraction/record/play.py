"""What is said in play: a role that was agreed on holds until it ends, a dream or a game to the end of its message.

Whoever plays a vampire of five hundred years has not moved to Transylvania. Every function keeps the length of its
text, so that a position in what is left is a position in what it was read from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import LONG_CAPITALIZED

LASTING: Final = 60
"""Messages for which a role holds that nobody ended and nothing renewed: an assistant may have one thread for years."""

_HEAD: Final = (
    r"(?:(?:^|(?<=[.!?\n])|(?<=[.!?\n] )|(?<=, ))(?:(?:hey|hi|ok(?:ay)?|so|well|now|please|pls|and|then|alright"
    r"|yo)[,!]? )"
    r"{0,2})"
)
_ROLEPLAY: Final = r"(?:role[- ]?play(?:ing)?|rp(?:ing)?)"
_TABLE: Final = r"(?:larp(?:ing)?|d ?[&n] ?d|dungeons (?:and|&) dragons)"
_SPORT: Final = rf"(?:{_ROLEPLAY}|{_TABLE})"
_OF_ONES_LIFE: Final = (
    r"(?![^.!?\n]{0,40}\b(?:workshops?|groups?|servers?|clubs?|forums?|conventions?|every|on (?:\w+days?|the)|at work"
    r"|in class|online"
    r"|more often|with (?:my|our|some|other|friends|people)|games? (?:on|at|every|with))\b)"
)
_ROLE: Final = r"(?:an? |the |my |your )[\w'-]"
_TWO_PARTS: Final = (
    r"(?:[^\n]{0,60}?\b)??(?:you(?:'re| are|'ll be| will be| be| play| can be)|be) "
    rf"{_ROLE}[^\n.!?;]{{0,60}}[\n,.;!]*\s?(?:and |while )?(?:I'm|I am|I'll be|I will be|I be|I play|I'll play"
    rf"|me) {_ROLE}"
)
_MAY_OPEN: Final = lazy_pattern(r"role|\b(?:rp|rping|d ?[&n] ?d|larp|play|pretend|imagine|scene)\b", re.IGNORECASE)
_DOING: Final = (
    r" (?:please |just |now )?(?:(?:do|start|begin|play|have|try|continue|resume) )?(?:(?:an?|the|our|some"
    r"|another) )?(?:\w+ )?"
)
_OPENS: Final = lazy_pattern(
    rf"{_HEAD}(?:(?:(?:let's|let us|lets|can we|could we|shall we|wanna|do you want to|can you|could you|will you"
    r"|would you"
    rf"|start|begin|continue|resume){_DOING}{_SPORT}|(?:want to|I want(?: us| you)? to|I'd like(?: us| you)? to"
    r"|I wanna)"
    rf"{_DOING}{_ROLEPLAY})\b{_OF_ONES_LIFE}"
    rf"|{_ROLEPLAY} ?(?:time|scene|start|mode|session|scenario)?(?:[:!]|\s?\n| (?:now|start)\b)"
    rf"|{_TABLE} ?(?:session|scene|time|campaign)?: (?:I'm|I am|you're|you are|we're|we are)\b"
    r"|(?:let's|lets|let us) pretend(?: that)? (?:we|you|I)(?:'re|'m| are| am)\b"
    r"|(?:be|you're|you be) my [\w-]+ (?:for|in) (?:an?|our|this|the)"
    rf" {_SPORT}\b"
    r"|(?:I want you to |you )?(?:play|take|have) the (?:role|part) of [^\n.!?]{1,40}?(?:,| and)"
    rf" (?:I'm|I am|I'll be|I will be|I play) {_ROLE}"
    rf"|(?:let's|lets|let us) play(?: (?:a|this|some) [\w -]{{1,20}})?[:,.]? {_TWO_PARTS}"
    r"|(?:let's|lets|let us) play (?:a|this) [\w -]{1,20} (?:where|in which) (?:I'm|I am|you're|you are|we're"
    r"|we are) (?:an? |the )"
    r"|(?:let's |lets |I want you to )?(?:pretend|imagine|scene|scenario|act like"
    rf"|act as if)\b:?(?: that)? {_TWO_PARTS})",
    re.IGNORECASE,
)
"""How a play is proposed: as such, or by its two parts."""

_ENDS: Final = lazy_pattern(
    r"\b(?:stop|end|quit|finish|enough(?: of| with)?|done with|exit|leave|drop|break(?:ing)?|no more)"
    rf" (?:(?:the|this|our|with|of|being|in) ){{0,3}}(?:{_SPORT}|(?:game|act|scene|character|playing|acting|pretending)"
    r"(?=\W*(?:$|[\n,.!:;]|now|please|for)))"
    rf"|(?:{_SPORT}|game|scene)(?:'s| is)? (?:over|done|finished|ended|end)\b|(?:^|\n)\W*(?:the end|game over"
    rf"|end of {_SPORT})\b"
    r"|(?:^|\n)\W*(?:ok(?:ay)?|alright|all right)[, ]+(?:stop|enough|that's enough)\b"
    r"|(?:^|[\n.!?,(] ?)(?:(?:ok(?:ay)?|and|so|now|let's go|let's get|can we go)[, ]{1,2}){0,3}back to"
    r" (?:me\b|myself|real(?:ity| life)|normal|earth|the real (?:world|me))"
    r"|\b(?:let's|lets|can we) (?:talk about something else|change the (?:topic|subject)|be (?:serious|ourselves"
    r"|normal))"
    r"|\b(?:be|you're|you are) (?:yourself|normal|(?:an?|my|the) (?:ai |usual |normal )?assistant) again"
    rf"|\b(?:that|this) was (?:a )?(?:fun|great|good|nice|cool) (?:game|{_SPORT})"
    r"|\bfor real now\b|(?:^|[\n.!?] ?)(?:(?:ok(?:ay)?|and|so|now)[, ]{1,2}){0,2}(?:new|different|another"
    r"|other) (?:topic|subject|question)\b|\bI'm me again\b",
    re.IGNORECASE,
)
_PAUSES: Final = lazy_pattern(
    r"\(?\b(?:out of character|ooc|irl|in real life|in reality|in actual life|(?:jokes?|joking|kidding) aside"
    r"|seriously (?:now|though)|on a serious note|real talk)\b|\(\(",
    re.IGNORECASE,
)
"""What is meant again for the rest of a message; the play may go on behind it."""

_ANYWAY: Final = lazy_pattern(
    rf"\banyways?,? |\bback to the (?:point|topic)|{_PAUSES.pattern}|\bthen I woke\b|\b(?:the )?(?:answer|truth) is\b",
    re.IGNORECASE,
)
_TITLE: Final = (
    r"(?:(?:film|movie|play|show|series|story|novel|book|dreams?|nightmare|game|script|comic|fanfic|rp|larp|campaign)s?"
    r"|sims(?: \d)?|minecraft|skyrim|stardew(?: valley)?|animal crossing|gta(?: ?\w{1,6}| online)?|roblox|second life"
    r"|world of warcraft"
    r"|wow|zelda|fallout|the witcher|baldur's gate(?: 3)?|bg3|crusader kings|ck3|dnd|d&d)"
)
_SHORT: Final = lazy_pattern(
    rf"{_HEAD}(?:in (?:the |my |our |this |a )?{_TITLE},? (?:I|my|we|I'm|I've)\b(?! (?:saw|watched|read|wrote|bought"
    r"|like|liked|love"
    r"|loved|hate|hated|think|thought|recommend|heard|borrowed|own|lent|club|group|collection|written|mentioned)\b)"
    r"|in[- ]character\b[:,]|ic: "
    rf"|{_SPORT} (?:session|scene|time|night|campaign)?:"
    r"|(?:(?:last night|yesterday|today|this morning|tonight),? )?(?:I|I've|I just) (?:just )?(?:had|have had"
    r"|keep having)"
    r" (?:an?|this|the|such a|another) (?:\w+ ){0,3}?(?:dream|nightmare)s?\b(?! (?!last|where|about|that|in which|and"
    r"|but|again|this|when|so)\w)"
    r"|(?:(?:last night|yesterday|today|this morning),? )?I (?:just |once )?dream(?:t|ed)(?:[.:]"
    r"| (?!(?:of|about|up|big|a lot|in)\b)\w| (?:of|about) being)"
    r"|(?:my|the) (?:\w+ )?(?:dream|nightmare)(?: last night)?:"
    r"|(?:(?:I want|I'd like|I need) you to |you )?act as [^\n.!?;]{1,60}?(?:[\n,.;!]\s?(?:and )?| (?:and|while) "
    r")(?:I'm|I am|I'll be|I will be"
    r"|I play) (?:(?:the|your) \w|an? (?:[\w-]+ ){0,2}?(?:patient|client|customer|candidate|applicant|character"
    r"|victim)\b)"
    r"|two truths and (?:a|one) lie|guess which (?:one )?is (?:false|the lie|a lie|true)|which (?:one )?is the lie"
    r"|knock,? knock|who's there\?|would you rather|never have I ever"
    r"|so there (?:I am|I'm|I was|we are|we were)\b,?|picture (?:this|it):)",
    re.IGNORECASE,
)
"""What begins a game, a dream or a tale: it is over with the message."""

_MARKS: Final = lazy_pattern(r"[\s:,.!;-]*")
_LAST: Final = lazy_pattern(r"\s?(?:$|[.!?\n](?=\s|$))")
_NEAR: Final = 60
"""Characters behind an end in which it may be said again: "ok stop, back to me"."""

_EMOTE: Final = lazy_pattern(
    r"(?:^|(?<=[.!?*\n] )|(?<=\n))\*(?!(?:this|is|was|its|yes|as|always|has|does|his|us|needs|wants"
    r"|likes)\b)[a-z]+s\b [^*\n]{0,80}?"
    r"\b(?:you|your|you're|the|a|an|my|his|her)\b[^*\n]{0,80}\*",
    re.IGNORECASE,
)
"""What a player does instead of saying: "*draws my sword*"."""

_ACCOUNT_OF_ANOTHER: Final = lazy_pattern(
    r"^\W*(?:(?:hi|hello|hey)[,!]? )?(?:(?:this is|it's|I'm|I am|[\w-]+ here)\b[^.!?\n]{0,60}?)?"
    rf"\b(?:using|on|with|from|borrowing) (?:his|her|their|{LONG_CAPITALIZED}'s) (?:account|login|profile)\b",
    re.IGNORECASE,
)
"""Who writes in somebody else's place tells nothing of them."""


def may_open(text: str) -> bool:
    """Whether a text has a word without which no play begins; most have none."""
    return _MAY_OPEN.search(text) is not None


class Play:
    """Follows a conversation and tells what of it is said in play."""

    def __init__(self) -> None:
        """Begin outside any play."""
        self._left = 0

    @property
    def is_on(self) -> bool:
        """Whether the next message is said in play, unless it ends it."""
        return self._left > 0

    def meant(self, text: str) -> str:
        """Return what the user says in their own name, the rest blanked."""
        at = 0 if self.is_on or _EMOTE.search(text) or _ACCOUNT_OF_ANOTHER.match(text) else None
        if self.is_on and _EMOTE.search(text):
            self._left = LASTING
        self._left = max(0, self._left - 1)
        for start, end in self._played(text, at):
            text = text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]
        return text

    def answered(self, text: str) -> str:
        """Return what the assistant says of the user and means: nothing while it plays a part."""
        if not self.is_on:
            return text
        self._left -= 1
        return re.sub(r"\S", " ", text)

    def _played(self, text: str, at: int | None) -> Iterator[tuple[int, int]]:
        """Yield what of a message is play, from where one is going on, if it is."""
        end = 0
        while end < len(text):
            if at is None:
                opened = _opening(text, end)
                if opened is None:
                    return
                at, is_lasting = opened
                self._left = LASTING if is_lasting else self._left
            ended = _ENDS.search(text, at)
            paused = (_PAUSES if self.is_on else _ANYWAY).search(text, at)
            if ended is not None and (paused is None or ended.start() <= paused.start()):
                self._left, paused = 0, None
            end = _past(text, ended) if paused is None else _meant_from(text, at, paused)
            yield at, end
            at = _aside_end(text, paused)


def _past(text: str, found: re.Match[str] | None) -> int:
    """Return where what is meant begins: behind the words that say so, however many there are, and their marks."""
    if found is None:
        return len(text)
    end = found.end()
    while found is not None:
        found = _ENDS.search(text, end, end + _NEAR)
        if found is None or re.search(r"\w", text[end : found.start()]):
            break
        end = found.end()
    return _MARKS.match(text, end).end()  # type: ignore[union-attr]  # may be empty


def _meant_from(text: str, at: int, paused: re.Match[str]) -> int:
    """Return where what is meant begins: behind words that leave a play, or with the sentence that they end."""
    if _LAST.match(text, paused.end()) is None or paused.group().startswith("("):
        return _past(text, paused)
    return max(at, *(text.rfind(mark, at, paused.start()) + 1 for mark in ".!?\n"))


def _aside_end(text: str, paused: re.Match[str] | None) -> int | None:
    """Return where a play goes on that was left for some words in brackets."""
    if paused is None or not paused.group().startswith("("):
        return None
    end = text.find(")", paused.end())
    return end if end >= 0 else None


def _opening(text: str, start: int) -> tuple[int, bool] | None:
    """Return where the next play of a text begins, and whether it lasts beyond the message."""
    lasting = _OPENS.search(text, start) if may_open(text) else None
    short = _SHORT.search(text, start)
    if lasting is not None and (short is None or lasting.start() <= short.start()):
        return lasting.start(), True
    return None if short is None else (short.start(), False)
