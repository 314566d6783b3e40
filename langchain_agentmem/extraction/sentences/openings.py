"""What stands before a statement: greetings, "by the way", "remember that", "no, actually"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.vocatives import ENDEARMENT
from langchain_agentmem.english.words.patterns import CAPITAL, LONG_CAPITALIZED
from langchain_agentmem.extraction.words.cues import DIAGNOSED
from langchain_agentmem.extraction.words.given_names import ASSISTANTS
from langchain_agentmem.extraction.words.leads import BEFORE_NAME, LEAD, PERSON
from langchain_agentmem.extraction.words.lexicon import YOUTH

_OPENER: Final = lazy_pattern(
    r"(?:(?:well|oh|ok(?:ay)?|so|also|and|but|hey|hi|hello|yes|yeah|yep|sure|right|btw|by the way|fyi"
    r"|just so you know|for your information|just to let you know|for (?:the|your) (?:record"
    r"|reference)|for the avoidance of doubt"
    r"|good (?:morning|evening|afternoon)|honestly|frankly|personally|to be (?:honest|fair|clear)"
    r"|in general|generally(?: speaking)?|basically|anyway|anyways|plus|additionally|furthermore"
    r"|moreover|besides"
    r"|first of all|first|second(?:ly)?|finally|lastly|one (?:more )?(?:thing|note)|another thing"
    r"|heads.?up|quick note|side note|ps|p\.s|note|reminder|important|update|thanks|thank you"
    r"|please note|note|keep in mind|bear in mind"
    r"|you should know|you should also know|i should (?:mention|add|note|say)"
    r"|i (?:just )?(?:want(?:ed)?|would like|'d like|need(?:ed)?) (?:to )?(?:let you know|tell you"
    r"|you to know|mention|add|note)|let me tell you|i(?: have|'ve)? (?:already |just )?(?:told|said"
    r"|mentioned)(?: to)?(?: you)?"
    r"|(?:as|like) (?:i|we)(?:'ve| have)? (?:already |just |once ){0,2}(?:said|mentioned|told you|explained|noted)"
    r"(?: (?:before|earlier|already|above|yesterday|last time|to you)){0,2}"
    r"|as (?:said|mentioned|noted)(?: (?:before|earlier|already|above))?"
    r"|as you (?:said|mentioned|know|told you)|remember(?: to(?= (?:always|never|not"
    r"|only)))?|(?:please|pls|plz|kindly) remember(?: to(?= (?:always|never|not|only)))?"
    r"|(?:can|could|will|would) you (?:(?:please|pls|just) )?remember(?= that (?:I|my|we|our)\b)"
    r"|(?:(?:please|pls|plz) )?don't forget(?: to(?= (?:always"
    r"|never|not|only)))?|make a note|turns out|it turns out|the thing is|truth is|in fact"
    rf"|as a matter of fact|thing is|since(?! {YOUTH})|because|by the way|hopefully|ultimately|eventually|one day"
    r"|someday|some day|long[- ]term|in the long run|some background(?: before we start)?|background"
    r"|context|for context|as i (?:told|said to) [\w ]+|what matters is|my friend|all right|alright"
    r"|great|perfect|cool|nice|got it|after all|(?:quick |short )?(?:intro|background)|hola|hiya|yo|heya|fwiw|imo|tbh"
    r"|ngl|look|listen|ah|um|uh|hmm|ugh|for what it's worth|in case it (?:matters|helps)|fun fact|full disclosure"
    r"|long story short|worth (?:noting|knowing|mentioning)|one (?:small |last |other )?thing|before (?:we start"
    r"|i forget)"
    r"|oh and|oh also|on (?:another|a side|a different|that) note|speaking of which|as for me|just a heads.?up"
    r"|whatever (?:you do|happens)|no matter what"
    r"|(?:(?:i|we)(?:'ve| have)(?: got)? )?(?:(?:some|very|really|sad|bad|good|great|terrible|happy|big|awful|horrible"
    r"|wonderful|exciting) ){1,3}news"
    r"|(?:i'm|i am|we're|we are) (?:so |very )?(?:sad|sorry|happy|glad) to (?:say|tell you|report))"
    r"(?:\s+there)?(?P<end>\s*[,:!.]+\s*(?:that\s+)?|\s+that\s+|\s+(?=(?:I|I'm|I've|I'd|my|we|we've"
    r"|we're|our|always|never|not|only|can't|cannot|hate|love|prefer|big|quick|intro|so|also|btw|hey|just so"
    rf"|please|pls|don't|make sure|call me {CAPITAL}\w*|(?:use|answer|reply|write|speak) (?:to me )?in)\b)))",
    re.IGNORECASE,
)
_LABELLED: Final = lazy_pattern(
    r"(?:(?!(?:goal|rule|decision|final|policy)\b)(?:[\w']+ ){0,3}[\w']+"
    r"|(?:I|we)(?:'ve)? (?:[\w']+ ){1,3}an? new [\w']+)"
    r":\s+(?=(?:I|I'm|I've|we|we're|my|our"
    r"|don't|please|pls|max|at most)\b)",
    re.IGNORECASE,
)
"""A few words and a colon name what the sentence is about, or the news that it tells: "I got a new job: I'm now …"."""

_GREETED: Final = lazy_pattern(rf"(?:hi|hello|hey|thanks|thank you|dear|ok|okay)\s+{LONG_CAPITALIZED}\s*[,!]\s*")
_SPOKEN_TO: Final = lazy_pattern(
    r"(?:(?:hi|hello|hey|yo|thanks|thank you|ok|okay|well|so|dear|sorry)\s*,?\s+)?"
    rf"(?:{'|'.join(sorted(ASSISTANTS))}|{ENDEARMENT}|dude)\s*[,!]\s*",
    re.IGNORECASE,
)
"""Whoever is spoken to, by a name that is no person's: "Claude, I live in Leeds". A person's may head a letter."""

CORRECTING: Final = lazy_pattern(
    r"(?:(?:oh|no|nope|well|wait|hmm|oops|sorry|my bad|my mistake|hang on|hold on|ah|ok|okay|hey|but"
    r"|and)[\s,.!:\u2014-]*){0,4}?(?:(?:no|nope|actually|correction|to correct (?:myself|that|you)"
    r"|small correction|wait|oops|sorry|my mistake|scratch (?:that|the [\w ]{1,40}?)|let me correct (?:that|myself)"
    r"|i (?:misspoke|was wrong|made a mistake)|change of plans?|typo|sorry,? typo"
    r"|forget what i (?:said|told you)(?: about [\w ]+)?|forget (?:about )?that(?=\s*[,.!:\u2014-])"
    r"|(?:i(?:'ve)? )?changed my mind|(?:it )?turns out(?= (?:it|that|he|she)(?:'s| is)\b)|that's (?:wrong"
    r"|not right|incorrect|outdated|no longer (?:true|right"
    r"|the case))|not quite|update|i take that back|strike that)\s*(?:[,.!:\u2014-]+\s*|\s+(?=(?:I|my"
    rf"|we|our|it|that|make|the)\b|no[,.!])|{BEFORE_NAME})(?:but\s+|and\s+)?){{1,4}}",
    re.IGNORECASE,
)
OWNED_UP: Final = lazy_pattern(
    r"(?:sorry,? )?(?:I (?:mistyped|misspoke|misspelled it|made a (?:typo|mistake)|wrote (?:it|that) wrong"
    r"|got (?:it|that|the name) wrong)|(?:it|that) was a (?:typo|mistake)|my (?:mistake|bad|typo))",
    re.IGNORECASE,
)
"""What stands behind a statement that puts something right: "the dog is called Max, I mistyped"."""

DENIAL: Final = lazy_pattern(
    rf"(?:no|nope|nah)(?:\s*[,.!]\s*(?!(?:actually|wait|sorry|that's|it's|I meant)\b)|\s+(?={PERSON}))", re.IGNORECASE
)
REPLACING: Final = lazy_pattern(
    (
        r"\b(?:any ?more|any longer|no longer|used to .+ now|gave up (?:on )?|(?:my"
        r"|our) new (?!(?:goal|year|project|idea|question|hobby)\b)|sold .+ bought|back to (?:an? |the )"
        r"|revers(?:e|ed|ing)|revert(?:ed|ing)?|(?:has|have) (?:changed|been (?:moved|pushed|changed"
        r"|postponed|rescheduled|renamed|extended)) to|changed (?:from .+ )?to|switched (?:from .+ )?to"
        r"|instead now|now instead)\b|\bI(?: now \w+| \w+ [\w ]{1,40} now$|'m [\w ]{1,40} instead$)"
        r"|\b(?:I|we) (?:\w+ )?(?:prefer|like)\b[\w ]{1,40} (?:these days|nowadays)$"
        r"|^(?:these days|nowadays),? (?:I|we)\b"
        r"|,\s*(?:and )?not \S+(?: \S+){0,2}\s*$(?<=\d)"
    ),
    re.IGNORECASE,
)
_MEANT: Final = lazy_pattern(
    r"(?:what I (?P<was>meant|mean)(?: to say)? (?:is|was)|I (?:just |only |really )?(?P<meant>meant|mean)(?: to say)?)"
    r",?\s+(?:that\s+)?(?=(?:I|we|you|he|she|they|there|my|our)(?:'\w+)?\s|(?:it|that|this)(?:'s| is| was)\s"
    r"|(?:the|his|her|their|its) [\w' -]+ (?:is|are)\s)",
    re.IGNORECASE,
)
"""What is said behind it is a sentence: "I meant I live in Lyon" says that the user lives in Lyon."""

_FOUND: Final = lazy_pattern(DIAGNOSED, re.IGNORECASE)
_BEFORE_A_NAME: Final = lazy_pattern(LEAD, re.IGNORECASE)
_LEADS: Final = (_OPENER, _GREETED, _SPOKEN_TO, _LABELLED, _MEANT, _FOUND, _BEFORE_A_NAME)


def skip_openers(text: str, start: int, end: int) -> tuple[int, bool, bool]:
    """Return where the statement proper begins, whether it is a correction and whether it is asked to be remembered."""
    is_correction = is_asked = False
    while True:
        correcting = CORRECTING.match(text, start, end)
        opener = correcting or next(filter(None, (each.match(text, start, end) for each in _LEADS)), None)
        if opener is None or opener.end() >= end:
            return start, is_correction, is_asked
        is_correction |= correcting is not None or "meant" in opener.groupdict().values()
        is_asked |= (
            re.search(
                r"\b(?:remember|forget|note|keep in mind|bear in mind|fyi|for the record)\b",
                opener.group(),
                re.IGNORECASE,
            )
            is not None
        )
        start = opener.end()
