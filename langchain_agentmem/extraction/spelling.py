"""Read a clause as its writer meant it: apostrophes and subjects in their places, politeness behind it gone."""

from __future__ import annotations

import re
from typing import Final

_TAIL: Final = re.compile(
    (
        r"[\s,]+(?:tbh|fyi|btw|lol|haha|imo|imho|ngl|thanks|thank you|thx|pls|plz|if (?:you don't mind"
        r"|possible|that's ok(?:ay)?|you can|you could|you would)|to be honest|you know|okay|ok|by the way"
        r"|silly as that (?:sounds|is)|for what it's worth|as you know|as always|please and thank you)$"
    ),
    re.IGNORECASE,
)
_MISSPELT: Final = (
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|should|could|must)nt\b", re.IGNORECASE), r"\1n't"),
    (re.compile(r"\bcant\b", re.IGNORECASE), "can't"),
    (re.compile(r"\bwont\b", re.IGNORECASE), "won't"),
    (re.compile(r"\bim\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\bive\b", re.IGNORECASE), "I've"),
    (re.compile(r"\bi\b"), "I"),
    (re.compile(r"\bw/? (?=me\b)", re.IGNORECASE), "with "),
    (re.compile(r"\b(?:pls|plz)\b", re.IGNORECASE), "please"),
    (re.compile(r"^(?:nah|nope|no),? (?=I)", re.IGNORECASE), ""),
)
_ELLIPSES: Final = (
    (
        re.compile(
            (
                r"(?:going|looking|hoping|planning|trying|aiming|working|training|saving|studying|learning"
                r"|preparing|living) (?:to|towards?|on|for|in|at|as|an?|my)\b"
            ),
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        re.compile(
            (
                r"(?:not a(?: big| huge)? fan|(?:big|huge|lifelong) fan|allergic|vegetarian|vegan"
                r"|lactose intolerant|left-handed|not (?:into|keen on|fond of|allergic|married|religious"
                r"|vegetarian|vegan)|born and raised|originally from|based in|married (?:to|with)|single (?:mom"
                r"|mum|dad|parent)|fluent in|new to|more of an?|(?:very |really |so |totally )?(?:into|fond of"
                r"|keen on|partial to))\b"
            ),
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        re.compile(
            (
                r"(?:grew up|just moved|moved|recently moved|started (?:working|at|a|my|learning)|switched"
                r"|ended up|went with|decided|chose|opted|graduated|quit|bought|adopted|got (?:married|promoted|a)"
                r"|never (?:got|learned|owned|liked|been)|used to|lost \w+ (?:kilos|kg|pounds)|gave up|signed up"
                r"|work(?:ed)? (?:at|for|as|in|from|remotely)|live (?:in|with|alone|near)|prefer|hate|can't stand"
                r"|cannot stand|can't (?:eat|drive|swim|imagine|live|work|have)|love (?!how|it|when|this|that|you"
                r"|to (?:help|hear|see))|enjoy|dislike|have (?:two|three|four|an?|\d)|speak|drive an?|don't (?:eat"
                r"|drink|like|smoke|drive|own|have a|want any)|usually|mostly|want to|need to|plan to|hope to)\b"
            ),
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        re.compile(
            r"been (?:living|working|playing|learning|studying|using|vegan|vegetarian|married)\b", re.IGNORECASE
        ),
        "I've ",
    ),
)


def spelled(text: str) -> str:
    """Return a clause as a rule expects it: politeness gone, apostrophes and subject in their places."""
    bare = None
    while bare != text:
        bare, text = text, _TAIL.sub("", text.strip().rstrip(" ,.;:!\"'"))
    for pattern, right in _MISSPELT:
        text = pattern.sub(right, text)
    subject = next((prefix for pattern, prefix in _ELLIPSES if pattern.match(text)), "")
    return f"{subject}{text[:1].lower()}{text[1:]}" if subject else text
