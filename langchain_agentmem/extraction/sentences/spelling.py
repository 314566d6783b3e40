"""Read a clause as its writer meant it: apostrophes and subjects in their places, politeness behind it gone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.words.calendar_words import MONTH
from langchain_agentmem.english.words.comments import without_comment
from langchain_agentmem.english.words.kin_words import A_PARENT, INFORMAL, MEN, WOMEN, any_of
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITAL_OR_DIGIT, TITLED
from langchain_agentmem.extraction.sentences.ellipses import with_subject
from langchain_agentmem.extraction.words.given_names import with_capital
from langchain_agentmem.extraction.words.lexicon import DIET, HEALTH
from langchain_agentmem.extraction.words.vocatives import without_vocative

_TAIL: Final = lazy_pattern(
    (
        r"[\s,]+(?:tbh|fyi|btw|lol|lmao|haha|imo|imho|ngl|rn|tho|thanks|thank you|thx|ty|pls|plz|definitely|for sure"
        r"|(?:please|pls|kindly) (?:advise|help(?: me)?)|any (?:advice|tips|help)(?: (?:please|pls))?"
        r"|obviously|these days|if (?:you don't mind"
        r"|possible|that's ok(?:ay)?|you can|you could|you would)|you know|okay|ok|by the way"
        r"|silly as that (?:sounds|is)|for what it's worth|as always|please and thank you)$"
    ),
    re.IGNORECASE,
)
_THESE_DAYS: Final = (
    (lazy_pattern(r"^(?:these days|nowadays),? (?=(?:I|we) (?:\w+ )?(?:prefer|like)\b)", re.IGNORECASE), "now "),
    (lazy_pattern(r"^((?:I|we) (?:\w+ )?(?:prefer|like)\b.*?),? (?:these days|nowadays)$", re.IGNORECASE), r"\1 now"),
)
"""What is preferred of late was not before."""

_EMOTICON: Final = lazy_pattern(r"\s*[:;]['-]?[()DPp]+\s*$")
_NAMED: Final = (
    r"(?:(?:main |big |total |monthly |new )?(?:deadline|birthday|budget|goal|plan|limit|dream|address|email|job"
    r"|pronouns"
    r"|time ?zone|phone number|surname|nickname))"
)
_FIRST_WORD: Final = r"(?:I|we|it|it's|my|our|the|I'm|we're|let's|please|no|don't|all)\b"
_STANDS: Final = r"(?:in|on|at|from|called|named|hosted|built|written|based|not|due|closed|open|an?|the|\d\w*)\b"
_FEW: Final = r"[^,;]{1,60}?"
_OVER: Final = rf"(?: no longer {_FEW}|(?:n't| not) {_FEW} any ?(?:more|longer))"
_GROUP: Final = r"(?:team(?:mates)?|colleagues|co-?workers|department|company)"
_PROPER: Final = rf"((?:(?:in|on|at) )?{CAPITAL_OR_DIGIT}[^,;]{{0,40}}?)"
_NTH: Final = r"(\d{1,3})(?:st|nd|rd|th)"
_WHOSE: Final = r"((?:(?:my|our) )?[\w-]+(?: [\w-]+)?)'s"
_PERSON: Final = TITLED
_PARENTS: Final = rf"{A_PARENT}"
_SOME: Final = rf"(?:{ONE_OR_MORE}|\d)"
_WHOM_YOU_KNOW: Final = "".join(
    rf"(?<!\b{it} )"
    for it in (
        "everything", "anything", "something", "all", "what", "that", "who", "whom", "someone", "somebody", "people",
        "person", "do", "did", "if", "as", "let", "like", "than", "whatever", "how", "because", "since", "when", "so",
        "and", "or", "but", "where", "why", "don't", "which", "things", "stuff", "anyone", "whether", "glad", "sure",
    )
)  # fmt: skip
_FILLERS: Final = (
    (lazy_pattern(rf", {_WHOM_YOU_KNOW}you know,(?= )", re.IGNORECASE), ""),
    (lazy_pattern(rf"(?<=\w) {_WHOM_YOU_KNOW}you know,(?= )", re.IGNORECASE), ","),
    (lazy_pattern(rf"(?<=\w) {_WHOM_YOU_KNOW}you know (?=(?:the|my|our|an?|by the|near)\b)", re.IGNORECASE), ", "),
    (
        lazy_pattern(
            rf",? {_WHOM_YOU_KNOW}you know (?=(?:like|over|(?:and|but|so|cos|cuz|because) (?!love|like|hate"
            rf"|trust)\w+)\b)",
            re.IGNORECASE,
        ),
        " ",
    ),
)
"""Words between others that say nothing: "I live in Hull you know, by the docks"."""

_MISSPELT: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    *_FILLERS,
    (lazy_pattern(r"(?<=\w) (?:btw|tbh|ngl|lol|fr|tho|lmao)(?=,)", re.IGNORECASE), ""),
    (
        lazy_pattern(
            r"^I(?:'m| am) (\d{1,3}) (?=(?:on (?:the )?(?:\w+day|\d)|tomorrow|tmrw|tmr|tomoz|(?:this |next |the "
            r")coming\b"
            rf"|next (?!to\b|door\b)\w+|in (?:{MONTH}|(?:an?|{TWO_OR_MORE}|\d+) (?:days?|weeks?|months?))"
            r"|this (?:coming )?\w+day)\b)",
            re.IGNORECASE,
        ),
        r"I turn \1 ",
    ),
    (lazy_pattern(rf"^(?:so|and|but|also|plus),? (?={_FIRST_WORD}|now,? (?:I|we)\b)", re.IGNORECASE), ""),
    (lazy_pattern(r"\bi\b"), "I"),
    (lazy_pattern(r"^we(?:'re| are) pregnant\b", re.IGNORECASE), "we're expecting a baby"),
    (
        lazy_pattern(
            r"^(I(?:'m| am) (?:not )?an? (?!(?:better|new|different|happier|whole|real) )[\w-]+),? me$", re.IGNORECASE
        ),
        r"\1",
    ),
    (
        lazy_pattern(
            rf"^(?!.*\b(?:any ?more|any longer)\b)((?:my|our) (?:[\w'-]+ ){{1,4}}?)(?:isn't|is not) {_PROPER},?"
            rf" (?:it's|it is|but) (?:actually )?{_PROPER}$",
            re.IGNORECASE,
        ),
        r"\1is \3, not \2",
    ),
    (lazy_pattern(rf"^({_PERSON})'s (?=(?:my|our) (?:[\w-]+ ){{0,2}}?{BEING}\b(?!'))", re.IGNORECASE), r"\1 is "),
    (
        lazy_pattern(
            rf"^(I|we) got (?!(?:{DIET}|intolerant)(?! disease)\b)"
            rf"(?=(?:(?:severe|mild|chronic|bad) )?{HEALTH}(?=$|,| too\b))",
            re.IGNORECASE,
        ),
        r"\1 have ",
    ),
    (lazy_pattern(r"\b(?:gonna|gunna)\b", re.IGNORECASE), "going to"),
    (lazy_pattern(r"^(please )?(?:don't|do not) ever (?=\w)", re.IGNORECASE), r"\1never "),
    (lazy_pattern(r"\bwanna\b", re.IGNORECASE), "want to"),
    (lazy_pattern(r"\bgotta\b", re.IGNORECASE), "have to"),
    (lazy_pattern(r"\b(?:imma|I'ma)\b", re.IGNORECASE), "I'm going to"),
    (lazy_pattern(r"(\w{2}in)'(?= |$)", re.IGNORECASE), r"\1g"),
    (lazy_pattern(r"(?<= )(?:cuz|coz|'cause)(?= )", re.IGNORECASE), "because"),
    (lazy_pattern(r"\bw/o\b", re.IGNORECASE), "without"),
    (lazy_pattern(r"(?<= years) young(?=$|[.,!]| (?:today|now)\b)", re.IGNORECASE), " old"),
    (lazy_pattern(rf"^(?:it's|it is|today is) my {_NTH} birthday(?: today)?$", re.IGNORECASE), r"I turned \1 today"),
    (
        lazy_pattern(rf"^(?:it's|it is|today is) {_WHOSE} {_NTH} birthday(?: today)?$", re.IGNORECASE),
        r"\1 turned \2 today",
    ),
    (
        lazy_pattern(rf"^(?:it was|yesterday was) {_WHOSE} {_NTH} birthday( yesterday| last \w+)?$", re.IGNORECASE),
        r"\1 turned \2\3",
    ),
    (
        lazy_pattern(
            r"^I (?:ought to have|should have|should've) (?:said|written|typed|put)"
            rf" (?=(?:(?:in|at|on|an?|the) )?(?-i:(?!I\b){CAPITAL}|\d))",
            re.IGNORECASE,
        ),
        "I meant ",
    ),
    (
        lazy_pattern(
            r"^(I|we)(?:'m| am|'re| are|'ve| have)? (?:(?:went|gone) )?back to eating (meat|fish|dairy|eggs|gluten)\b",
            re.IGNORECASE,
        ),
        r"\1 started eating \2 again",
    ),
    (
        lazy_pattern(
            rf"^(?:it's|it is|it was|today is|yesterday was) {_WHOSE} birthday(?: today| yesterday)?(?:,? and|,)"
            r" (?:he|she)(?:'s| is| turned| has turned)(?: now)? (\d{1,3})(?: years old)?(?: now| today)?$",
            re.IGNORECASE,
        ),
        r"\1 is \2 now",
    ),
    (
        lazy_pattern(
            rf"^((?:(?:single|proud|busy|working|stay-at-home|full-time|new) ){{1,2}}{_PARENTS}) here(?:,?"
            rf" (?:with |of )?({_SOME} (?:boys|girls|kids|children|sons|daughters)\b.*))?$",
            re.IGNORECASE,
        ),
        lambda it: f"I'm a {it[1].casefold()}" + (f" of {it[2]}" if it[2] else ""),
    ),
    (
        lazy_pattern(
            rf"^(I|we)(?:'m| am|'re| are) having ({_SOME} (?:(?:younger|older|elder|little|big|small) )?"
            rf"(?:{any_of(WOMEN | MEN)}|cousin|dog|cat)s?(?=$|,| named| called| and| {CAPITAL}))",
            re.IGNORECASE,
        ),
        r"\1 have \2",
    ),
    (lazy_pattern(r"\bre-(?=hom(?:e|ed|ing)\b)", re.IGNORECASE), "re"),
    (lazy_pattern(rf"^((?:my |our |the )?{_NAMED})'s (?=\w)", re.IGNORECASE), r"\1 is "),
    (lazy_pattern(rf"^((?:our|my|the) [\w-]+(?: [\w-]+)?)'s (?={_STANDS})", re.IGNORECASE), r"\1 is "),
    (lazy_pattern(rf"^(?=(?:{_NAMED}) is\b)", re.IGNORECASE), "my "),
    (lazy_pattern(rf"^(?:(?:my|our) {_GROUP} and I|me and (?:my|our) {_GROUP})\b", re.IGNORECASE), "we"),
    (
        lazy_pattern(rf"^((?:my|our) {_FEW} (?:is|are)) currently (?=(?:called |named )?{CAPITAL})", re.IGNORECASE),
        r"\1 now ",
    ),
    (
        lazy_pattern(rf"^((?:my|our) {_FEW}(?: is| are)){_OVER},? (?:but|it's|it is) (?:now )?", re.IGNORECASE),
        r"\1 now ",
    ),
    (lazy_pattern(r"^((?:my |the )?[a-z-]+)'s (?=(?:all |finally |now )?(?:gone|over)$)", re.IGNORECASE), r"\1 is "),
    (lazy_pattern(r"^(covid|flu|cold)s (?=(?:all |finally |now )?(?:gone|over)$)", re.IGNORECASE), r"\1 is "),
    (lazy_pattern(r"^now,? (I'm|I am|we're|we are|I|we) ", re.IGNORECASE), r"\1 now "),
    (
        lazy_pattern(
            r"^(I|we)(?: now have(?: got)?|(?:'ve| have) now(?: got)?) (?!(?:to|been|no idea|it|this|that|the)\b)(?=\w)"
            r"(?!\w+ed\b)([^,;]{1,80})$",
            re.IGNORECASE,
        ),
        r"\1 have \2 now",
    ),
    (
        lazy_pattern(
            rf"^({_PERSON}) is (?:now ((?:my|our) [a-z-]+(?: [a-z-]+)?)|((?:my|our) [a-z-]+(?: [a-z-]+)??) now)"
            r"(?=$|,)",
            re.IGNORECASE,
        ),
        r"\2\3 is \1 now",
    ),
    (lazy_pattern(r"\bw/? (?=(?:me|my|our|him|her|them|the|an?)\b)", re.IGNORECASE), "with "),
    (lazy_pattern(r"\b(my|our|his|her|their) bf\b", re.IGNORECASE), r"\1 boyfriend"),
    (lazy_pattern(r"\b(my|our|his|her|their) gf\b", re.IGNORECASE), r"\1 girlfriend"),
    (lazy_pattern(r"\b(my|our|her|his) hubby\b", re.IGNORECASE), r"\1 husband"),
    (lazy_pattern(r"\b(my|our|his|her) (?:wifey|missus)\b", re.IGNORECASE), r"\1 wife"),
    (
        lazy_pattern(
            r"^(?:it's|it is|today is|today's|I just had) my (\d{1,3})(?:st|nd|rd|th) birthday(?: today)?$",
            re.IGNORECASE,
        ),
        r"I turned \1 today",
    ),
    (lazy_pattern(r"\b(?:pls|plz)\b", re.IGNORECASE), "please"),
    (lazy_pattern(r"^(?:nah|nope|no),? (?=I)", re.IGNORECASE), ""),
)
_TOO: Final = (
    lazy_pattern(
        r"^(I(?:'m| am)?) ((?!so\b|in\b|up\b|love\b)(?:take|like|have|use|drink|eat|play|speak|study|own|hate"
        r"|(?<='m )[a-z]|(?<=am )[a-z])"
        r"(?! (?:it|that|this|them|you|him|her|those|these|one)\b)[\w' -]*),? too$",
        re.IGNORECASE,
    ),
    r"\1 also \2",
)
"""What is said beside something else stands alone: "I'm vegan too"."""

_PARENT: Final = lazy_pattern(
    rf"(?:{any_of(INFORMAL)}|(?-i:Mother|Father))"
    r"(?=(?:'s| and I| (?:is|was|has|had|isn't|lives|moved|takes|works|worked|died|passed|can't|doesn't|never|no longer"
    r"|still|also|just|now|loves|likes|hates|enjoys|needs|turned|turns|retired|got|suffers|speaks|plays|finally"
    r"|recently))(?!\w))",
    re.IGNORECASE,
)
"""At the head of a clause, before what they are or do, it is the user's own: "Dad lives with me"."""

_POLITE_ORDER: Final = lazy_pattern(
    r"(?:use|stick|default|prefer|answer|reply|respond|write|speak|talk|format|explain|give|address|send|show"
    r"|sign|draft)\b"
    r".{0,200}\b(?:please|pls|plz|thx|thanks)\W*$",
    re.IGNORECASE,
)
"""A "please" at the end makes an order of these verbs as one in front does."""

_PLEASE_BEHIND: Final = lazy_pattern(r"[\s,]+(?:please|pls|plz)\W*$", re.IGNORECASE)


def _without_tail(text: str) -> str:
    return _TAIL.sub("", without_comment(text))


def spelled(text: str) -> str:
    """Return a clause as a rule expects it: politeness gone, apostrophes and subject in their places."""
    text, bare = _EMOTICON.sub("", text), None
    if _POLITE_ORDER.match(text):
        text = f"please {text[:1].lower()}{_PLEASE_BEHIND.sub('', text[1:])}"
    for pattern, now in _THESE_DAYS:
        text = pattern.sub(now, text.strip(" .!"))
    while bare != text:
        bare, text = text, without_vocative(_without_tail(text.strip().rstrip(" ,.;:!\"'")))
    for pattern, right in _MISSPELT:
        text = pattern.sub(right, text)
    parent = _PARENT.match(text)
    text = with_capital(text if parent is None else f"my {parent[0].casefold()}{text[parent.end() :]}")
    text = _TOO[0].sub(_TOO[1], text)
    return with_subject(text)
