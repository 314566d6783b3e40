"""What is said with a wink, or as a figure of speech: "I live under a rock", "my boss is Satan", "I'm 12 at heart"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.kin_words import A_PARTNER, A_RELATIVE, RELATIVES
from langchain_agentmem.extraction.sentences.clauses import Clause

_AM: Final = r"(?:I|we)(?:'m| am|'re| are)"
_SURELY: Final = r"(?:(?:literally|basically|practically|pretty much|totally|just|honestly|kind of|now|such) ){0,2}"
_PET: Final = (
    r"(?:[\w-]+ ){0,2}(?:cat|dog|kitten|puppy|pet|rabbit|hamster|parrot|horse|snake|lizard|tortoise|goldfish)\b"
)
_LEGEND: Final = (
    r"(?:satan|the devil|lucifer|hitler|stalin|voldemort|darth vader|godzilla|sauron|cruella(?: de vil)?|dracula"
    r"|the grinch|the antichrist|gollum|shrek|the joker|batman|superman|superwoman|wonder woman|spider-?man|iron man"
    r"|the hulk|gandalf|yoda|sherlock holmes|james bond|cinderella|santa claus|father christmas)"
)
_THINGS: Final = (
    r"(?:coffee|caffeine|tea|wine|beer|rum|gin|vodka|whisk(?:e)?y|alcohol|booze|chocolate|sugar|cake|pizza|bread|pasta"
    r"|cheese|food|water|ice cream|music|art|reading|running|walking|cooking|baking|gaming|swimming|cycling|yoga|sleep"
    r"|work|rain|sunshine|silence|nature|money|time|google|netflix|youtube|spotify|wikipedia|duolingo|chatgpt|reddit|amazon"
    r"|instagram|tiktok|python|excel|bed|sofa|couch|phone|laptop|fridge|kettle|pillow|duvet|blanket|computer|kindle)"
)
"""What is somebody's friend or therapist only in a manner of speaking."""

_IS_THING: Final = lazy_pattern(_THINGS, re.IGNORECASE)
_FIGURES: Final = lazy_pattern(
    rf"(?:(?:my|our|the) )?{_THINGS}(?:'s| is) {_SURELY}my (?:[\w-]+ ){{0,2}}?(?:{A_PARTNER}|friend|bestie|bff|mate"
    r"|buddy|therapist|teacher|tutor|coach|doctor|boss|lover|baby|enemy)\b|"
    rf"(?:I|we) {_SURELY}(?:live|sleep) {_SURELY}(?:(?:at|in) (?:the |my )?(?:gym|library|room|bed|pub|mall|pjs"
    r"|pyjamas|pajamas|hoodies?"
    r"|sweatpants|leggings|kitchen)|under a rock|on (?:coffee|caffeine|takeouts?|takeaways?|adrenaline|red bull)"
    r"|in (?:my (?:own )?head|(?:constant )?(?:fear|hope|chaos)|the moment|a (?:zoo|madhouse|bubble|dream|circus)|hell"
    r"|the clouds)"
    r"|on (?:another planet|cloud nine)|for the weekends?)(?=$|,)"
    rf"|{_AM} {_SURELY}(?:married|wedded|chained|glued) to (?:my|the|our) (?:job|work|career|phone|games?|sofa|couch"
    r"|desk|gym|laptop"
    r"|screen|bed)\b"
    rf"|{_AM} {_SURELY}an? (?:(?:total|complete|walking|absolute|hot|human|actual) )?(?:zombie|potato|ghost|vegetable"
    r"|vampire|mess|wreck"
    r"|sloth|goblin|gremlin|dinosaur|unicorn|snail|god|goddess|disaster|corpse|slave|robot|monster|idiot|moron)"
    r"(?=$|,| (?:today|on|in the morning|without|before|lately|at|right)\b)"
    r"|(?:I|we) work for (?:peanuts|pennies|chicken ?feed|a pittance)\b"
    rf"|{_AM} {_SURELY}allergic to (?:mondays?|work(?:ing)?|people|mornings?|effort|bullshit|drama|stupid\w*|idiots"
    r"|commitment|fun"
    r"|cardio|responsibilit\w+|meetings|maths?|adulting|small talk|losing|nonsense)(?=$|,)"
    rf"|{_AM} (?:(?:about|like|only|just|still|forever) )?\d\d? at heart\b"
    rf"|(?:{_AM} {_SURELY}|(?:my|our) (?!{_PET})(?:[\w-]+ ){{1,3}}is (?:literally |basically |actually |now )?)"
    rf"{_LEGEND}(?=$|,)",
    re.IGNORECASE,
)
_COUNT: Final = lazy_pattern(
    rf"{_AM} (?:(?:now|already|just|only|about|like|at) ){{0,2}}(?:\d+(?:[.,]\d+)? ?(?:(?:minutes?|mins?|seconds?"
    r"|secs?|hours?|hrs?)"
    r" (?:late|early|away|in|behind|ahead|out)|(?:percent|%) (?:sure|certain|done|there|convinced|through|positive)"
    r"|(?:days?|levels?|points?)(?: (?:now|in|so far))?$|into\b|in (?:levels?|points?|rank\w*|elo)\b|(?:up|down)$)"
    r"|\d+-\d+ (?:up|down)$"
    r"|(?:\d{4,}|[2-9]\d\d|1[3-9]\d) ?(?:years? old|yrs? old|y/?o)\b)",
    re.IGNORECASE,
)
"""How late, how sure, how far one is; and an age that nobody has."""

_NOW: Final = lazy_pattern(
    rf"{_AM} (?:(?:now|down to|up to|at) \d{{1,3}}(?:[.,]\d)?|\d{{1,3}}(?:[.,]\d)? now)$", re.IGNORECASE
)
_MEASURED: Final = lazy_pattern(
    r"\b(?:(?:lost|gained|dropped|put on|shed|weigh\w*|diet\w*)\b[^.!?]{0,40}|(?:exam|test|course|final"
    r"|quiz)s? (?:grades?|results?|scores?"
    r"|marks?)\b[^.!?]{0,20}|(?:kilos?|kgs?|pounds|lbs|grade|grades|scored?|marks|elo|ranked|levell?ed|lvl|bpm|bmi"
    r"|followers|streak"
    r"|sober|subscribers)\b[^.!?]{0,40})$",
    re.IGNORECASE,
)
"""What stands before a number that is of something else than years."""

_SCENE: Final = lazy_pattern(
    r"(?:the|our|my) (?:house|flat|apartment|office|place|room|street|kitchen|garden|bed|fridge) (?:is|feels|looks)"
    r" (?:(?:so|too|very|really|a bit|super|extremely|such) )+(?:quiet|empty|messy|a mess|loud|noisy|cold|hot|warm"
    r"|dirty|clean|dark|full|silent"
    r"|still)\b",
    re.IGNORECASE,
)
_HATED: Final = lazy_pattern(
    rf"(?:I|we) (?:\w+ )?(?:hate|despise|wanna kill|want to kill|could kill) (?:my|our) (?:{A_RELATIVE}|{RELATIVES}"
    r"|cat|dog|life|boss)\b",
    re.IGNORECASE,
)
_LAUGHED: Final = lazy_pattern(
    r"\b(?:lol|lmao|rofl|(?:ha){2,}|jk|hehe)\b|[\U0001F602\U0001F923\U0001F605]", re.IGNORECASE
)


def is_thing(name: str) -> bool:
    """Whether a word is no name at the head of a sentence, where any has a capital: "Coffee is my friend".

    Example:
        >>> is_thing("Coffee"), is_thing("Rex")
        (True, False)
    """
    return _IS_THING.fullmatch(name) is not None


def is_figurative(clause: Clause) -> bool:
    """Whether a clause does not say of the user's life what its words say."""
    text = clause.text
    if any(it.match(text) for it in (_FIGURES, _COUNT, _SCENE)):
        return True
    if _HATED.match(text):
        return _LAUGHED.search(clause.since or clause.evidence) is not None
    return _NOW.match(text) is not None and _is_measured(clause)


def _is_measured(clause: Clause) -> bool:
    """Whether a number stands behind what is counted in something else than years: "lost 4 kilos, I'm 76 now"."""
    ahead, found, _ = clause.since.rpartition(clause.evidence)
    return bool(found) and _MEASURED.search(ahead.rstrip(" ,;.!-")) is not None
