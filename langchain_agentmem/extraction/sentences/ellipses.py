"""What leaves out its subject: the speaker's own, unless the sentence before it tells of somebody else.

"Born in 1985." and "Allergic to nuts." are said of oneself; behind "My son is 8." they are said of the son.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import ANIMALS, BEING
from langchain_agentmem.english.reading.orders import LANGUAGES
from langchain_agentmem.english.words.kin_words import A_PARENT, any_of
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, LONG_CAPITALIZED
from langchain_agentmem.english.words.people_words import people_of
from langchain_agentmem.extraction.words.lexicon import QUIT_IT

_NONE: Final = r"no (?:kids|children|siblings|pets)(?: yet)?"
_ELLIPSES: Final = (
    (lazy_pattern(rf"born (?:in|on) (?!\w+day\b(?![^.]*\d{{4}}))(?=\d|{CAPITAL})", re.IGNORECASE), "I was "),
    (
        lazy_pattern(
            r"(?:currently|now) (?:living|based|working) (?:in|at|for|near)\b(?! (?:fear|hope|the|this)\b)",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (lazy_pattern(r"(?:type [12] )?(?:diabetic|c(?:o)?eliac|asthmatic|epileptic)(?= here$)", re.IGNORECASE), "I'm a "),
    (
        lazy_pattern(
            r"(?:[\w+#/-]+ ){1,3}(?:(?:user|dev|developer|engineer|owner|fan|student|parent) here\b|(?:person"
            r"|lover)(?: here)?$)",
            re.IGNORECASE,
        ),
        "I'm a ",
    ),
    (
        lazy_pattern(
            (
                r"(?!\w+ing(?: [\w']+){0,4} (?:is|was|are|has|can|helps?|makes?)\b)"
                r"(?:going|looking|hoping|planning|trying|aiming|working|training|saving|studying|learning"
                r"|preparing|living) (?:to|towards?|on|for|in|at|as|an?|my)\b"
                r"|(?:gunning|shooting|striving) for\b|hoping (?:we|I|that)\b|(?:learning"
                rf"|studying) (?={LONG_CAPITALIZED}$|\w+$)"
            ),
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        lazy_pattern(
            (
                r"(?:not a(?: big| huge)? fan|(?:big|huge|lifelong) fan|allergic|vegetarian|vegan"
                r"|lactose intolerant|left-handed|not (?:into|keen on|fond of|allergic|married|religious"
                r"|vegetarian|vegan)|hard of hearing|gluten[- ]free|scared of|afraid of|terrified of"
                rf"|born and raised|originally from|based in|married (?:to|with)|single {A_PARENT}|fluent in|new to"
                r"|more of an?|(?:very |really |so |totally )?(?:into|fond of"
                r"|keen on|partial to))\b(?! (?:did(?:n't)?|does(?:n't)?|is(?:n't)?|was(?:n't)?|has(?:n't)?"
                r"|works?|worked|makes?"
                r"|made|helped|food|bread|pasta|recipes?|options?|stuff|restaurants?)\b)"
            ),
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        lazy_pattern(
            (
                r"(?:grew up|just (?:joined|started|got|turned|adopted|bought|had|became|finished)|just moved"
                r"|moved|recently moved|started (?:working|at|a|my|learning)|switched"
                r"|ended up|went with|decided|chose|opted|graduated|bought|adopted|got (?:married|promoted|a)"
                rf"|{QUIT_IT}"
                r"|never (?:got|learned|owned|liked|been)|used to|lost \w+ (?:kilos|kg|pounds)|gave up|signed up"
                r"|work(?:ed)? (?:at|for|as|in|from|remotely)|live (?:in|with|alone|near)|prefer|hate|can't stand"
                r"|cannot stand|can't (?:get enough|handle|tolerate|do|eat|drive|swim|imagine|live|work|have)"
                r"|love (?!how|it|when|this|that|you"
                rf"|to (?:help|hear|see))|enjoy|dislike|have (?:{TWO_OR_MORE}|an?|\d)"
                rf"|speak(?= (?:[\w-]+ ){{0,3}}?(?:{LANGUAGES})\b| (?:to|with) (?:my|our)\b)(?! in\b"
                rf"|[^.]*? (?:with|to) (?:me|us)\b| (?:{LANGUAGES})(?: only| instead| again| from now on)?"
                r"(?:\W*$| when(?:ever)? (?:you|we (?:talk|speak|chat|discuss)|I ask)\b))"
                r"|drive an?|don't (?:eat"
                r"|drink|like|smoke|drive|own|have a|want any)|usually|mostly|want to|need to|plan to|hope to)\b"
            ),
            re.IGNORECASE,
        ),
        "I ",
    ),
    (lazy_pattern(rf"{_NONE}$", re.IGNORECASE), "I have "),
    (lazy_pattern(r"no longer (?:an? |at |in |with |vegan|vegetarian|married|single|\w+ing\b)", re.IGNORECASE), "I'm "),
    (lazy_pattern(r"no longer (?:live|work|use|eat|drink|need|want|have|own|drive|like)\b", re.IGNORECASE), "I "),
    (
        lazy_pattern(
            r"rather (?:have|take|not have|sit|walk|cycle|drive|fly|eat|use|stay|be|do|work|get|pay)\b", re.IGNORECASE
        ),
        "I'd ",
    ),
    (lazy_pattern(r"team (?:voted|decided|agreed|chose|picked|uses|runs|wants|prefers)\b", re.IGNORECASE), "the "),
    (
        lazy_pattern(
            r"been (?:living|working|playing|learning|studying|using|vegan|vegetarian|married)\b", re.IGNORECASE
        ),
        "I've ",
    ),
)
_OWNER: Final = r"(?:(?:so|and|but|well|oh|also|yes|no|hi|hey),? )*(?:my|our)"
_PET: Final = "|".join(sorted(ANIMALS, key=len, reverse=True))
_CARERS: Final = any_of(people_of("care") | {"dietitian"})
"""Whose allergies nobody tells: behind them the patient goes on of themselves."""

_WHICH: Final = r"(?:[\w-]+ ){0,2}?"
_OF_SOMEBODY: Final = lazy_pattern(
    rf"{_OWNER} {_WHICH}(?!(?:{_PET}|{_CARERS})s?\b){BEING}s?\b|(?:he|she|they)\b|it's (?:an? )?(?:boy|girl|twins)\b"
    rf"|(?!I\b)[\w-]+(?: [\w-]+)? (?:is|was) (?:my|our) {_WHICH}{BEING}\b"
    r"|(?:works|lives|has|is|was|loves|likes|hates|plays|takes|teaches|speaks|studies|comes)\b"
    r"|(?!.*\bI\b).*\b(?:he|she)\b",  # "it's strawberries he can't eat - allergic"
    re.IGNORECASE,
)
_HAS_NONE: Final = lazy_pattern(_NONE, re.IGNORECASE)
_OF_ONESELF: Final = lazy_pattern(
    r"(?:(?:hi|hey|hello|so|well|also|and),? )*(?:I|I'm|I've)\b(?! (?:want|need|look|wish)\b)", re.IGNORECASE
)
_OF_A_PET: Final = lazy_pattern(rf"{_OWNER} {_WHICH}(?:{_PET})s?\b", re.IGNORECASE)
_NEW: Final = lazy_pattern(
    rf"\b(?:have|has|had|got|adopted|bought|welcomed|rescued|birth to|'ve|it's) {_WHICH}(?:{BEING}|boy|girl|bab(?:y"
    rf"|ies))s?\b",
    re.IGNORECASE,
)
"""Tells that somebody is there, whose birth may be told next."""

_SPEAKERS: Final = lazy_pattern(
    r"(?:(?:work|live|prefer|hate|love|enjoy|dislike|have|speak|drive|don't|want|need|plan|hope) "
    r"|(?:looking|hoping|planning|trying|aiming|saving|gunning|shooting|striving)\b)",
    re.IGNORECASE,
)
"""In the form of the first person, or of what only the speaker asks help with."""

_STATES: Final = lazy_pattern(r"(?:born|allergic|scared|afraid|terrified|hard of hearing|lactose)\b", re.IGNORECASE)
_BORN: Final = lazy_pattern(r"born\b", re.IGNORECASE)


def with_subject(text: str) -> str:
    """Return a clause with the subject that it leaves out, if it does."""
    subject = _left_out(text)
    return f"{subject}{text[:1].lower()}{text[1:]}" if subject else text


def is_of_another(text: str, before: str) -> bool:
    """Whether a clause without a subject goes on with somebody else, of whom the words before it tell.

    Example:
        >>> is_of_another("Allergic to nuts", "My son is 8."), is_of_another("Allergic to nuts", "I live in Leeds.")
        (True, False)
    """
    if _HAS_NONE.fullmatch(text):  # alone it may be wished for: "A resort. No kids."
        return _OF_ONESELF.match(before) is None
    if not before or not _left_out(text).startswith("I") or _SPEAKERS.match(text):
        return False
    is_of_somebody = tells_of_somebody(before)
    is_of_pet = _OF_A_PET.match(before) is not None and _STATES.match(text) is not None
    return is_of_somebody or is_of_pet or (_BORN.match(text) is not None and _NEW.search(before) is not None)


def tells_of_somebody(before: str) -> bool:
    """Whether words tell of somebody else than whoever speaks, of whom the next ones may go on to tell."""
    return _OF_SOMEBODY.match(before) is not None


def _left_out(text: str) -> str:
    return next((subject for pattern, subject in _ELLIPSES if pattern.match(text)), "")
