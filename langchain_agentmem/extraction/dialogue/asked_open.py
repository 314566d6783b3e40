"""What a few words answer: "Do you have any allergies?" by what they are to, "Metric or imperial?" by a choice.

Only answers of the form that a question asks for are taken; a joke, an evasion or a sentence says nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.reading.orders import LANGUAGES
from langchain_agentmem.english.words.number_words import ONE_OR_MORE
from langchain_agentmem.extraction.words.lexicon import DIET

_Telling: TypeAlias = Callable[[re.Match[str], re.Match[str]], str]

_MAX_CHARS: Final = 120
"""Of an answer: whoever says more says it in a sentence."""

_LEAD: Final = r"(?:(?:and|so|also|great|ok|okay),? )?"
_SAYS_NO: Final = (
    r"(?!.*\b(?:I|you|we|they|it|this|that|these|those|my|your|is|are|am|was|were|be|been|have|has|had|do|does|did|can"
    r"|could|will|would|should|may|might|must|not|no|none|nothing|never|nope|maybe|perhaps|probably|sometimes|why|what|who"
    r"|how|when|where|lots|loads|many|several|some|few|plenty|everything|anything|something|most|stuff|things|tons|yes"
    r"|people|life|work|homework|chores|mondays?|you|lol|haha|depends|used|if|because|but|guess|think|sure|ok|okay"
    r"|much|all|every|private|secret|please|pls|thanks|ask|later|same|before|usual|bit|on|at|when|weekends?|occasionally|rarely|socially|often|daily"
    r"|once|twice|week|month|year|today|tonight|tomorrow|now|skip|pass|next|stop|wait|help|hello|hi|hey|way|part|theory)\b)"
)
_NOUNS: Final = (
    rf"{_SAYS_NO}(?P<said>[^\W\d_][\w'-]*(?: [\w'.-]+){{0,2}}"
    rf"(?:(?:, and |, | and | or )[\w'-]+(?: [\w'-]+){{0,2}}){{0,4}})"
)
_COUNT: Final = rf"(?:an?|{ONE_OR_MORE}|\d{{1,2}})"
_YES: Final = r"(?:(?:yes|yeah|yep|yup|sure|I do|I am)[\s,.:!-]+)?(?:(?:just|only|mainly|mostly) )?"
_YES_SAID: Final = r"(?:yes|yeah|yep|yup|sure)[\s,]+"
_NO_SAID: Final = r"(?:no|nope|nah)[\s,]+"
_TAIL: Final = lazy_pattern(r"(?:[\s,]+(?:please|pls|plz|thanks|thx|always|actually|tbh))+$", re.IGNORECASE)
_STATUS: Final = r"(?:married|single|divorced|widowed|engaged|separated|retired|self-employed|unemployed)"
_ANSWERS: Final = r"(?:answers?|replies|reply|responses?)"


def _reads(question: str, answer: str, telling: str | _Telling) -> tuple[re.Pattern[str], re.Pattern[str], _Telling]:
    def formed(asked: re.Match[str], said: re.Match[str]) -> str:
        return str(telling).format(**asked.groupdict(), **said.groupdict())

    made = formed if isinstance(telling, str) else telling
    return lazy_pattern(f"{_LEAD}{question}", re.IGNORECASE), lazy_pattern(answer, re.IGNORECASE), made


def _had(asked: re.Match[str], said: re.Match[str]) -> str:
    what = said["what"] or f" {asked['noun']}"
    named = f" called {_as_name(said['name'])}" if said["name"] else ""
    return f"I have {said['count']}{what}{named}"


def _as_name(words: str) -> str:
    return " ".join(it.capitalize() if it.islower() else it for it in words.split())


_READ: Final[Sequence[tuple[re.Pattern[str], re.Pattern[str], _Telling]]] = (
    _reads(
        r"(?:(?:do you have|have you got|have you|any)(?: any)? (?:[\w-]+ )?allerg(?:y|ies)\b.*"
        r"|are you allergic to (?:any|some)\w*\b.*|(?:which|what) allergies do you have\b.*)",
        rf"{_YES}(?:to )?{_NOUNS}",
        "I'm allergic to {said}",
    ),
    _reads(
        r"(?:(?:do you|are you)(?: currently)? (?:take|taking|on) (?:any|some) (?:\w+ )?"
        r"(?:medications?|medicines?|meds|pills|supplements)\b.*)",
        rf"{_YES}{_NOUNS}",
        "I take {said}",
    ),
    _reads(
        r"(?:do you have any|any|are there any) (?:foods?|dishes|vegetables|ingredients) (?:that )?you"
        r" (?P<how>dislike|hate|avoid|don't like|don't eat|can't eat)\b.*",
        rf"{_YES}{_NOUNS}",
        "I {how} {said}",
    ),
    _reads(
        r"(?:do you have|have you got)(?: any)? (?P<noun>pets|kids|children|siblings)\b.*",
        rf"{_YES}(?P<count>{_COUNT})(?P<what> (?!and\b|or\b)[a-z-]+(?: and {_COUNT} [a-z-]+)?)?"
        r"(?:, (?:(?:called|named) )?(?P<name>[a-z]+)$|, .*)?",
        _had,
    ),
    _reads(
        r"do you (?P<how>play|speak) any (?:\w+ )?(?:instruments?|sports?|languages?|games?)\b.*",
        rf"{_YES}{_NOUNS}",
        "I {how} {said}",
    ),
    _reads(
        r"(?:do you have |are there )?any dietary (?:restrictions?|requirements?|needs|preferences?)\b.*",
        rf"{_YES}(?:I'm )?(?P<said>{DIET})",
        "I'm {said}",
    ),
    _reads(
        r"(?:do you have |are there )?any dietary (?:restrictions?|requirements?|needs|preferences?)\b.*",
        r"no (?P<said>(?!problems?\b|restrictions?\b|idea\b|clue\b|preferences?\b|thanks?\b)"
        r"[a-z]+(?:(?:,| or| and) [a-z]+)?)",
        "I don't eat {said}",
    ),
    _reads(
        r"do you (?P<how>eat|drink) \w+(?: \w+)?",
        rf"(?:{_YES_SAID}|{_NO_SAID}|not really,? )?(?:but )?(?:only|just) (?:eat |drink )?{_NOUNS}",
        "I only {how} {said}",
    ),
    _reads(
        rf"are you (?:{_STATUS}|(?:a |an )?(?:{DIET}))\b.*",
        rf"{_NO_SAID}(?:I'm )?(?P<said>{_STATUS}|{DIET})",
        "I'm {said}",
    ),
    _reads(
        r"are you (?P<how>married|engaged)\b.*",
        rf"{_YES_SAID}to (?P<said>{_SAYS_NO}[^\W\d_]+)",
        lambda asked, said: f"I'm {asked['how']} to {_as_name(said['said'])}",
    ),
    _reads(
        r"do you (?P<how>work|live|study)\b.*",
        rf"{_YES_SAID}(?P<said>(?:at|in|for|near|as an?) {_SAYS_NO}[\w'-]+(?: [\w'-]+){{0,3}})",
        "I {how} {said}",
    ),
    _reads(
        rf"how old(?: is|'s) your (?P<who>(?:\w+ )?{BEING}(?: \w+)?)(?: now)?",
        r"(?:(?:he|she|it)(?:'s| is) )?(?:just |almost |nearly )?(?P<said>\d{1,2})(?: years old| now)?",
        "my {who} is {said}",
    ),
    _reads(
        r"(?:(?=.*\b(?:I|you|we)\b)|(?=metric|imperial|celsius|fahrenheit)).*\b(?:metric|celsius|fahrenheit|imperial|units|kilomet\w+|miles)\b.*",
        r"(?P<said>metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles)(?: units)?",
        lambda asked, said: f"please always use {_unit(said['said'])}",
    ),
    _reads(
        rf"(?:.*\b(?:short|brief|concise|long|detailed)\b.*\bor\b.*\b{_ANSWERS}\b.*"
        rf"|how (?:long|short|detailed) (?:should|do you want|would you like) (?:my|the) {_ANSWERS}\b.*)",
        r"(?P<said>short|brief|concise|long|detailed)(?: ones| answers)?",
        "please keep your answers {said}",
    ),
    _reads(
        r"(?:which|what) language (?:should|shall|do you (?:want|prefer)|would you (?:like|prefer))\b.*",
        rf"(?:in )?(?P<said>{LANGUAGES})",
        lambda asked, said: f"please always answer in {said['said'].capitalize()}",
    ),
)

_TAGGED: Final = lazy_pattern(
    rf"{_LEAD}(?P<said>(?:you(?:'re| are)?|your) [\w' -]{{1,60}}? (?:in|at|for|is|are|as)"
    r" (?P<value>[\w' -]{1,40})),? (?:right|correct|yes|is that right)",
    re.IGNORECASE,
)
_AGREES: Final = lazy_pattern(
    r"(?:yes|yeah|yep|yup|correct|right|exactly|indeed|that's right|that's correct)", re.IGNORECASE
)
_INSTEAD: Final = lazy_pattern(
    rf"{_NO_SAID}(?:(?:in|at|it's) )?(?P<said>{_SAYS_NO}[\w'-]+(?: [\w'-]+)?)", re.IGNORECASE
)
_WHOSE: Final = lazy_pattern(rf"{_LEAD}what(?:'s| is| are) (?:his|her|its|their) names?", re.IGNORECASE)
_HAVING: Final = lazy_pattern(rf"\b(?:an?|my|our) (?:(?!{BEING})[a-z]+ )?(?P<who>{BEING})\b(?!')", re.IGNORECASE)
_NAME: Final = lazy_pattern(
    rf"(?:(?:it|he|she|his name|her name)(?:'s| is) )?(?P<said>{_SAYS_NO}[^\W\d_]{{2,20}})", re.IGNORECASE
)
_TO_ME: Final = (
    (lazy_pattern(r"^you(?:'re| are)\b", re.IGNORECASE), "I'm"),
    (lazy_pattern(r"^you\b", re.IGNORECASE), "I"),
    (lazy_pattern(r"\byour\b", re.IGNORECASE), "my"),
)


def told_by_choice(question: str, reply: str, spoken: str) -> str | None:
    """Return as a sentence of the user what a few words answer; `None` where they are no answer of the form asked for.

    Args:
        question: What the assistant asked, without its question mark.
        reply: The user's words.
        spoken: What the user had said before the question: whom "his name" is of.
    """
    said = _TAIL.sub("", reply.strip(" .,!")) if len(reply) <= _MAX_CHARS else ""
    for asks, answers, telling in _READ:
        asked = asks.fullmatch(question)
        found = None if asked is None else answers.fullmatch(said)
        if asked is not None and found is not None:
            return telling(asked, found) or None
    return _tagged(question, said) or _named(question, said, spoken)


def _tagged(question: str, said: str) -> str | None:
    """Return what the assistant supposed, where the user agrees, or names what is so instead: "no, Leeds"."""
    asked = _TAGGED.fullmatch(question)
    if asked is None:
        return None
    instead = _INSTEAD.fullmatch(said)
    text = asked["said"] if _AGREES.fullmatch(said) else ""
    if instead is not None:
        text = asked["said"][: asked.start("value") - asked.start("said")] + instead["said"]
    for pattern, own in _TO_ME:
        text = pattern.sub(own, text)
    return text or None


def _named(question: str, said: str, spoken: str) -> str | None:
    """Return whose name was asked for, where the user had spoken of one somebody just before."""
    found = _NAME.fullmatch(said)
    beings = {it["who"].casefold() for it in _HAVING.finditer(spoken)}
    if found is None or len(beings) != 1 or not _WHOSE.fullmatch(question):
        return None
    return f"my {beings.pop()} is called {_as_name(found['said'])}"


def _unit(word: str) -> str:
    low = word.casefold()
    return f"{low} units" if low in {"metric", "imperial"} else low.capitalize() if low[0] in "cf" else low
