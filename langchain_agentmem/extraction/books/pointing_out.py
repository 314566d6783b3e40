"""Words that point out of their sentence: a memory of "I use a cream for it" would not say for what.

What they point to is put in their place where the words before name one such thing; nothing is kept where they do not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.kin_words import RELATIVES
from langchain_agentmem.english.words.patterns import CAPITALIZED
from langchain_agentmem.extraction.sentences.clauses import Clause

_ENDS: Final = (
    r"(?=\W*$|\s*[,;(]| (?:in|on|at|from|for|with|without|by|under|over|after|before|during|every|each|daily|weekly"
    r"|nightly|twice|once|now|too|often|again|today|regularly|all the time)\b)"
)
_LINK: Final = r"(?:to|for|of|with|about|from|at|in|on|by|without|against|into|after)"
_ORDER: Final = r"(?:(?:please|kindly|always|never|don't|do not|from now on|just|only|also),? )*"
_OWN: Final = r"(?:(?:I|we)(?:'\w+)? (?!\w+ed\b)|my (?:\w+ )?(?:goal|aim|plan|dream|hope|target) is to )"
_WORDS: Final = r"(?:(?!(?:my|our|an?|the|some|any|and|or|but|when|if|that|what|who|which)\b)(?-i:[a-z])[\w'-]* ){0,5}?"
"""Of which none names a thing with an article, or by its name, that the next word may point to."""

_PLAIN: Final = r"(?:(?!(?:and|or|but|so|that|who|which|when|where|if|because)\b)[\w'-]+ )"
_DOING: Final = r"(?!(?:keep|make|take|call|leave|put|give|let|get|cut|spell|I|we|you|he|she|it|they)\b)[a-z]+"
_POINTS: Final = lazy_pattern(
    rf"{_OWN}{_WORDS}(?:{_LINK} )?(?P<it>it|them|that|this|these|those){_ENDS}"
    rf"|{_OWN}{_WORDS}{_LINK} (?P<their>their|its) (?=[a-z])"
    rf"|{_OWN}{_PLAIN}{{1,5}}?(?:for|about|against) (?P<thing>it|them|that|this){_ENDS}"
    rf"|{_ORDER}{_DOING} (?P<ordered>them|that|this|these|those)"
    r"(?=\W*$|\s*[,;]| (?:in|on|at|to|from|with|into|for|as|by|via|again)\b)"
    rf"|{_OWN}(?:(?!(?:in|at|to|from|near|over)\b){_PLAIN}){{1,5}}?(?P<there>there|then){_ENDS}"
    rf"|{_OWN}{_WORDS}(?:an?|another|the) (?:[\w-]+ )?(?P<one>one)(?=\W*$|\s*,)",
    re.IGNORECASE,
)
"""Each way by the one word that points."""

_HAVING: Final = (
    r"(?:have|has|'ve|'ve got|has got|have got|get|gets|got|keeps?|grows?|owns?|bought|adopted|suffers? from"
    r"|(?:am|'m|is|'s) (?:training|preparing|studying) for)"
)
_NAMED: Final = lazy_pattern(
    rf"(?:.*[.!?] )?(?:I|(?:my|our) [\w-]*[^\Ws]|(?-i:(?:Mr|Mrs|Ms|Dr)\.? )?{CAPITALIZED})(?: |(?='))"
    rf"{_HAVING} (?:(?P<one>an?|one|the|my) )?(?P<thing>(?-i:[a-z])[\w-]+(?: (?-i:[a-z])[\w-]+)?)[.!]*",
    re.IGNORECASE,
)
"""One thing that somebody has, and nothing that could be meant beside it."""

_OWNED: Final = lazy_pattern(
    r"(?:my|our) (?P<thing>(?-i:[a-z])[\w-]+) (?:is|was|has|got|broke|died|gave|wore|stopped)\b[^,;]*", re.IGNORECASE
)
_SEVERAL: Final = lazy_pattern(r"(?<![sui])s$", re.IGNORECASE)
_OF_ONE: Final = frozenset(
    {"diabetes", "shingles", "measles", "mumps", "herpes", "rabies", "rickets", "maths", "physics"}
)
_PASSING_OR_PEOPLE: Final = lazy_pattern(
    r"(?:[\w-]+ )?(?:headache|toothache|(?:stomach|ear|back) ?ache|cold|flu|fever|temperature|cough|hangover|throat"
    rf"|nosebleed|bug|rash|bruise|blister|{RELATIVES}|friends|mates|people|guests)",
    re.IGNORECASE,
)
"""What is over in a week is remembered of nobody; and who loves their kids does not love kids."""

_MANY: Final = frozenset({"them", "their", "these", "those"})


def points_out(text: str) -> bool:
    """Whether a clause leaves what it tells of to a sentence before it.

    Example:
        >>> points_out("I use a cream for it"), points_out("I sold my bike and bought a new one")
        (True, False)
    """
    return _POINTS.match(text) is not None


def spelled_out(clause: Clause, before: str) -> Clause | None:
    """Return a clause with the thing that it points to, which the words before it name; `None` where they do not."""
    points = _POINTS.match(clause.text)
    kind = None if points is None else points.lastgroup
    if points is None or kind is None or kind in {"there", "ordered"}:
        return None
    start, end = points.span(kind)
    meant = _meant(points[kind].casefold(), before)
    if meant is None:
        return None
    text = f"{clause.text[:start]}{meant}{clause.text[end:]}"
    return replace(clause, text=text, evidence=clause.since or clause.evidence, quote="")


def _meant(word: str, before: str) -> str | None:
    found = (_OWNED if word == "one" else _NAMED).fullmatch(before.strip())
    if found is None:
        return None
    thing = found["thing"]
    if word == "one":
        return thing
    if _PASSING_OR_PEOPLE.fullmatch(thing):
        return None
    is_one = _SEVERAL.search(thing) is None or thing.casefold() in _OF_ONE
    if word in {"that", "this"} or (word in _MANY) == is_one:
        return None
    if word in {"their", "its"}:
        return f"{thing}'" if word == "their" else f"the {thing}'s"
    return f"the {thing}" if found["one"] else thing
