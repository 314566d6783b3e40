"""The words of standing orders: how one is given, why, of what and how often, and how one is lifted. English."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.manners import ANSWER_FORMS
from langchain_agentmem.english.words.patterns import LONG_CAPITALIZED

Lifted: TypeAlias = Literal["ban", "duty"]

ADDRESS: Final = "form of address"
"""What a user wants to be called; a preference of this name in their profile."""

LATELY: Final = (
    r"(?:from now on|from (?:today|here) on|going forward|in (?:the )?future|henceforth|by default|as a rule"
    r"|at all times"
    r"|in (?:(?:all|any|your|its|the assistant's) )*(?:answers|replies|responses)"
    r"|any ?more|any longer|now|again|instead(?! of)|please|kindly|just|then|always|ever|only|after all|after this"
    r"|if you like|if you want|thanks|thank you|though|either|actually|exclusively|strictly)"
)
AROUND: Final = lazy_pattern(rf"(?:\b{LATELY}\b[\s,]*)", re.IGNORECASE)
WISH: Final = lazy_pattern(
    r"(?:the user|I|we|[^\W\d_a-z]\w*) (?:(?:really|now|also) )?(?P<not>does not |doesn't |do not |don't |no longer )?"
    r"(?:prefers?|wants?|would like|likes?|expects?|needs?) (?:(?:you|the assistant) )?(?:to (?:be )?)?",
    re.IGNORECASE,
)
NO_WISH: Final = lazy_pattern(
    r"(?:the user|I|we|[^\W\d_a-z]\w*) (?:really )?"
    r"(?:no longer (?:wants?|needs?)"
    r"|(?:does not|doesn't|do not|don't) (?:want|need)(?= .* any ?(?:more|longer)\b)) (?!to\b)",
    re.IGNORECASE,
)
"""Takes back a wish for a thing; what is liked no longer may be wanted all the same."""

BAN: Final = lazy_pattern(
    r"(?:(?:the assistant|you) (?:must|should|may|can|shall|will) (?:not|never|no longer)|never|don't|do not"
    r"|avoid|refrain from"
    r"|no more|no(?! need| longer\b)|stop|quit)\b\s*",
    re.IGNORECASE,
)
DUTY: Final = lazy_pattern(
    r"(?:(?:the assistant|you) (?:must|should|shall|ha(?:s|ve) to|needs? to)|make sure (?:to|that you|you)"
    r"|be sure to|let's|let us)\b\s*",
    re.IGNORECASE,
)
VERB: Final = lazy_pattern(
    r"(?:answer|reply|respond|write|speak|talk|explain|say|give|keep|make|use|show|stick|switch|be|stay|format|phrase"
    r"|word|express|display|quote|list|call|phone|ring|address|treat|include|convert|measure|state|round|contact|text"
    r"|message|email|ping|disturb|wake|interrupt|remind|notify|send|provide|add|mention|ask|tell|set|go|wait|end|start"
    r"|begin|sign|summari[sz]e|translate|describe|change|move|shift|default|continue|chat)\b",
    re.IGNORECASE,
)
CALLED: Final = lazy_pattern(rf"(?:the user|[^\s]+)'s preferred {ADDRESS} is (?P<name>\S.*)", re.IGNORECASE)
NOBODYS: Final = r"(?!(?:the|an?|my|our|your|his|her|their|its|these|those|this|that)\b)"
GOODS: Final = (
    r"(?:(?:red )?meat|pork|beef|lamb|bacon|ham|chicken|poultry|eggs?|fish|seafood|shellfish|prawns|salmon|tuna"
    r"|sushi|nuts"
    r"|peanuts|dairy|milk|cheese|gluten|bread|pasta|rice|potatoes|carbs|alcohol|wine|beer|cocktails|sugar|sweets|chocolate"
    r"|desserts?|coffee|tea|caffeine|mushrooms|onions|garlic|tomatoes|olives|coriander|cilantro|tofu|spicy food|curry"
    r"|fried food|red-?eyes?|layovers|stopovers|early flights|hostels|overtime)"
)
CHANNELS: Final = (
    r"(?:(?:e-?mail(?:ing)?|calling|phoning|ringing|texting|messaging|slack|whatsapp|phone|texts)"
    r"(?: (?:me|us|the user|them))?)"
)
"""By which somebody is reached, or may not be."""

FINE: Final = r"(?:fine|ok|okay|all right|alright|allowed|welcome)"
LIFTS: Final[tuple[tuple[Lifted, re.Pattern[str]], ...]] = (
    (
        "duty",
        lazy_pattern(
            r"(?:(?:the assistant|you) (?:needs? no longer|no longer (?:ha(?:s|ve)|needs?) to|(?:do(?:es)? not|don't"
            r"|doesn't) (?:have|need)"
            r" to|need not|needn't)|(?:it is|it's) (?:not|no longer) necessary (?:for (?:the assistant|you) )?to"
            r"|(?:(?:the assistant|you) (?P<stop>(?:can|may) (?:now )?(?:stop|quit))"
            r"|(?:(?:there is|there's) )?(?P<need>no (?:more )?need(?: for (?:the assistant|you))? (?:to|for))))"
            r" (?P<deed>.+)",
            re.IGNORECASE,
        ),
    ),
    (
        "ban",
        lazy_pattern(
            r"(?:(?:the assistant|you) (?:can|may)(?: now| again)?(?! not\b| never\b| only\b| stop\b)|(?:it is"
            r"|it's) (?:fine|ok|okay"
            r"|all right|alright)(?: (?:for (?:the assistant|you) to|to|if (?:the assistant|you)))"
            r"|feel free to) (?P<deed>.+)",
            re.IGNORECASE,
        ),
    ),
    (
        "ban",
        lazy_pattern(
            rf"(?P<deed>{NOBODYS}"
            rf"(?:[\w-]+ )?(?:{ANSWER_FORMS}|{CHANNELS})(?: (?:before|after|until|at|on|in) [\w: ]{{1,25}}?)?)"
            rf" (?P<be>is|are)(?: now| again)? (?P<fine>{FINE})(?: again| now"
            r"| with me| by me| for me| from now on| after all)*",
            re.IGNORECASE,
        ),
    ),
    (
        "ban",
        lazy_pattern(
            rf"(?P<deed>(?:[\w-]+ )?(?P<thing>{GOODS})) (?P<be>is|are)"
            rf" (?:(?:now|again) (?P<fine>{FINE})|(?P<ok>{FINE}) (?:again|now|from now on|after all))",
            re.IGNORECASE,
        ),
    ),
    (
        "duty",
        lazy_pattern(
            r"(?P<bother>don't|do not) (?:even )?bother (?:with|w/?) (?P<deed>(?!(?:it|this|that|them|me"
            r"|us)\b).+?),?"
            r" any ?(?:more|longer)(?:, .{1,60})?",
            re.IGNORECASE,
        ),
    ),
)
STOP: Final = lazy_pattern(r"(?:please |just )*(?:stop|quit) (?=\w+ing\b)(?P<deed>.+)", re.IGNORECASE)
REASON: Final = lazy_pattern(
    r"(?<=\w),? because .*|(?<=\w), (?:since |as |cause )?(?:(?:(?i:I|we|he|she|they|it|that|this|there|the user)"
    rf"|(?i:the|my|our|his|her|their) [\w-]+|{LONG_CAPITALIZED})"
    r" (?:\w+ly |really |just |also )?(?:am|is|are|was|has|have|hates?|loves?|likes?|prefers?|needs?|wants?"
    r"|makes?|does|do"
    r"|doesn't|don't|can't|cannot)\b|(?i:it|that|he|she|they|I|we)'(?:s|re|m)\b).*"
)
"""Behind an order: why it is given, which is no part of it."""

OF_WHAT: Final = lazy_pattern(
    r"(?:for|in|with) (?P<what>[\w' -]{2,40}?),? (?=(?:please )?(?:always|never|only|use|don't)\b)", re.IGNORECASE
)
FOR_WHAT: Final = lazy_pattern(r"\b(?:for|in|with|as|to the nearest) (?!me\b|us\b)[\w' -]{2,40}$", re.IGNORECASE)
HOW_OFTEN: Final = lazy_pattern(
    r"\b(?:(?:every|each) (?:single )?(?:\w+)|daily|weekly|monthly|hourly|once an? \w+|twice an? \w+|regularly)\b",
    re.IGNORECASE,
)
