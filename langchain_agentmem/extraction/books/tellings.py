"""What stays true of somebody for months, by the verbs that say it: where they live, what they cannot eat or love."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.ailments import MEDICINES
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.extraction.words.lexicon import ANY_AGE, DIET, HEALTH, OCCUPATION, PET
from langchain_agentmem.extraction.words.milestones import MILESTONE

ADVERB: Final = r"(?:(?:now|currently|also|still|just|mostly|mainly) )?"
_JUST: Final = r"(?:(?:has|just|recently) ){0,2}"
_NO_CALLING: Final = r"(?!(?:good|great|bad|terrible|better|real|total|(?:\w+ )?student (?:at|of))\b)"
_CALLING: Final = (
    rf"(?:{OCCUPATION}|cellist|pianist|violinist|guitarist|drummer|singer|actor|actress|composer|novelist|poet|builder"
    r"|butcher|joiner|roofer|bricklayer|postman|policeman|policewoman|police officer|social worker|housewife"
    r"|(?:bus|lorry|truck|taxi|train|delivery) driver|priest|vicar|pastor|imam|rabbi|soldier|judge|banker|optician"
    r"|radiologist|cardiologist|an(?:a)?esthetist|psychiatrist|civil servant|estate agent|flight attendant)"
)
"""Of somebody else, who says of no one "I'm a great singer"."""

_NO_MORE: Final = r"(?:$|[,;]| (?:and|but|at|in|for|with|from|by|who|so|now|since)\b)"
_NO_TASTE: Final = (
    r"(?:it|this|that|these|those|the|them|him|her|me|us|you|your|my|our|when|how|what|where|who|everything|all|both|being"
    r"|having|seeing|waiting|to (?:say|think|joke|tell|believe|pretend|complain|argue|tease|call)"
    r"|nothing|much|any|anything|an? (?:bit|lot)|each|one)"
)
_NO_GAME: Final = (
    r"(?:it|this|that|the (?:role|part|fool|victim|game|song|file)|an? (?:role|part|trick|game|joke|song)|along|around"
    r"|down|up|out|tricks?|games|safe|dumb|host|nice|hard|outside|music|my|our|your|his|her|with|on|for|at|in|to|back|like)"
)
_NO_FIELD: Final = (
    r"(?:the|this|that|my|our|his|her|their|your|progress|theory|practice|silence|peace|pairs|general|mysterious|here|there"
    rf"|{WEEKDAY}s?|\w+ing)"
)
_HOURS: Final = r"offshore|nights|night shifts|shifts|part[- ]time|full[- ]time|remotely|from home|abroad|weekends"
_TAKEN: Final = r"(?:(?:\d+ ?m?c?g|daily|weekly|low-dose|regular|strong|an?|his|her|the|some|of) )"
_A_DAY: Final = rf"(?:once|twice|(?:\d|{TWO_OR_MORE}) times) (?:a|per|every) day\b"
TELLING: Final = {
    "works_at": rf"(?:(?:works?|is working) (?:at|for|in(?= {CAPITAL}{{2}}))"
    r"|is (?:now |currently )?employed (?:by|at))",
    "works_as": rf"(?:works? as|is(?= an? {_NO_CALLING}(?:[\w/-]+ ){{0,2}}?{_CALLING}{_NO_MORE}))",
    "home": r"(?:lives|moved in|has moved in) with(?= (?:me|us|my|our)\b)",
    "lives_in": r"(?:(?:is |has )?(?:now |currently )?(?:lives?|living|based|moved|relocated)(?: back)? (?:in|to))",
    "birthplace": rf"was born (?:in|on(?= (?:the )?(?:\d|{MONTH})))",
    "studies": (
        r"(?:studies|is studying)(?= (?!(?:at|for|with|in|on|how|hard|to|by|from|like|alone|together|abroad"
        r"|\w+ly)\b)\w)"
    ),
    "studies_at": r"(?:studies at|is studying at|is an? (?:\w+ )?student (?:at|of))",
    "partner": r"is (?:now )?(?:married|engaged) to",
    "manages": r"(?:manages|leads|supervises)",
    "reports_to": r"reports to",
    "teaches_at": r"teaches at",
    "owns": rf"(?:owns|has) an? (?:[\w-]+ ){{0,2}}?(?:{PET}) (?:called|named)",
    "uses": r"uses",
    "speaks": r"speaks",
    "maintains": r"maintains",
    "allergic_to": (
        r"(?:is (?:\w+ly )?allergic to|(?:has|suffers from)(?: an?)?(?: (?:severe|mild|strong|bad))?"
        r"(?= (?!allerg)[\w-]+(?: [\w-]+)? allerg(?:y|ies)\b))"
    ),
    "health": (
        r"(?:(?:is|has|suffers from)|(?:was|has been|is) diagnosed with)(?: (?:an?|very|severe|severely|mild|mildly"
        rf"|chronic|strictly)){{0,2}}(?= (?:{HEALTH}|{DIET})\b(?! to\b))"
    ),
    "age": (
        rf"(?:is|{_JUST}turned)"
        rf"(?= (?:(?!one\b){ANY_AGE}|{ANY_AGE} (?:years?|months) old|an? {ANY_AGE}[ -]years?[ -]old)"
        r"(?: (?:now|already|today|last \w+|this \w+|yesterday))?(?:$|[,;]| (?:and|but|so)\b))"
    ),
    "taste": (
        r"(?:(?:really |absolutely )?(?:loves|likes|hates|enjoys|adores|dislikes|detests)"
        r"|(?:doesn't|does not|can't|cannot) (?:like|stand|eat|drink|tolerate)|(?:only|never) (?:eats|drinks))"
        rf"(?= (?!{_NO_TASTE}\b)\w)"
    ),
    "plays": rf"plays(?= (?!{_NO_GAME}\b)\w)",
    "works": rf"works(?= (?:{_HOURS}|in (?!{_NO_FIELD}\b)[\w-]+)(?:$|[,;]| (?:and|but|in|on|for)\b))",
    "school": r"(?:goes to|is in)(?= (?:[\w'-]+ ){0,3}?(?:school|university|college|kindergarten|nursery|preschool)\b)",
    "contact": r"is(?= (?:my|our) (?:emergency contact|next of kin|care ?giver|carer|legal guardian)\b)",
    "medicine": rf"(?:takes|is on|is taking)(?= (?:{_TAKEN}{{0,3}}(?:{MEDICINES})|(?:[\w-]+ ){{1,3}}{_A_DAY}))",
    "milestone": rf"(?={MILESTONE})[a-z]+",
}
"""What stays true of somebody for months, in the words that say it."""

OF_WHOM_ONE_KNOWS: Final = frozenset(
    {"health", "age", "taste", "plays", "works", "school", "contact", "home", "medicine"}
)
"""What is told of the user's own, or of somebody by name: of others it is gossip, or of the moment."""

TOLD_WHOLE: Final = frozenset({"taste", "plays", "works", "school", "contact", "home", "medicine"})
"""What relates to nothing, and has its "and": "loves cats and dogs"."""
