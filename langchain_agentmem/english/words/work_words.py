"""Words by which work is told: titles, trades, workplaces, and what somebody does there, as patterns."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.lexicon import PETS, ROLES
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITALIZED
from langchain_agentmem.english.words.thesaurus import SPORTS, WORKERS

WORKPLACES: Final = """
    hospital clinic surgery school kindergarten nursery college university council bank startup company firm agency
    studio shop store cafe café restaurant bar pub hotel library museum gallery theatre theater cinema factory plant
    warehouse garage farm gym salon bakery butcher newspaper publisher magazine airline airport police church charity
    ngo government nhs ministry embassy army navy supermarket pharmacy practice laboratory lab brewery winery zoo
    institute foundation consultancy bookshop florist nonprofit bookstore call-centre post-office post insurer station
    """
_CHIEFS: Final = r"ceo|cto|cfo|coo|cio"
OFFICES: Final = rf"head|chief|director|vp|{_CHIEFS}|president|chair(?:man|woman)?|manager|lead|partner|deputy|mayor"
WORKER: Final = (
    rf"(?:{WORKERS.replace(' ', '|')}|head|chief|nurse|vet|cto|ceo|cfo|dj|clerk|judge|coach|guard|aide|barber"
    r"|[a-z]{2,30}(?:ist|ian|eer|eur|man|woman|ssor|yst|tant|ator|itor|ctor|ayer|cher|nter|iver|aker|ller|gner|ager"
    r"|iter|oper|ener|urer|sser|mber|mmer|nner|cker|rker|lder|ster|nder|dler|cer))"
)
"""What somebody may be for a living, also by its ending."""

_BE: Final = r"(?:'m|\b(?:am|is|are|was|were)) (?:(?:now|currently|also|still|just) )?"
_FURTHER: Final = (
    r"(?:(?!(?:an?|the|my|our|your|his|her|their|not|no|in|at|on|of|by|with|for|to|from|and|or|like|good|great|bad"
    r"|terrible|keen|amateur|hobby|aspiring|volunteer|fellow|careful|cautious|fast(?! food)|slow|safe|reckless|nervous"
    r"|designated|passionate|decent|excellent|better|born)\b)[\w-]+ )"
)
"""A word of a title: neither whom somebody meets ("seeing a doctor") nor how well they do it ("a good cook")."""

TRADE: Final = rf"{_BE}(?:an? |the )?{_FURTHER}{{0,2}}?(?:{WORKERS.replace(' ', '|')})\b(?!'s| at heart\b)"
_POST: Final = (
    rf"{_BE}(?:an? |the |one of the )?{_FURTHER}{{0,3}}?"
    r"(?!(?:student|retired|member|beginner|speaker|teenager|youngster|woman|man|winner|\w*holder|\w*sister)\b)"
    rf"(?:{OFFICES}|{WORKER}|founder|owner|intern|apprentice)"
)
_NO_DAY: Final = rf"(?!(?:{'|'.join((*MONTHS, *WEEKDAYS))}|christmas|easter)\b)"
_ONE: Final = r"(?:an?|the|my|our|your|their|two|three|several|(?:my|our|their) own) (?:[\w'-]+ ){0,3}?"
_WORKPLACE: Final = (
    rf"{_ONE}(?:{'|'.join(WORKPLACES.split())}|business|bakeries)(?:e?s)?\b"
    r"(?=$|[.,;!)]|\s+(?:in|at|on|of|for|with|near|by|from|called|named|and|or|where|which|that|outside|as|since|now"
    r"|together|who|here)\b)"
)
"""Where people work, and no other thing that has to do with it: a bar, and no bar stool."""

_GROUP: Final = (
    rf"(?!(?:[\w-]+ ){{1,3}}(?:{SPORTS.replace(' ', '|')}|quiz|youth)\b){_ONE}(?:teams?|departments?)(?= of\b|[.,;!]|$)"
)
_FIRM: Final = rf"(?:(?:the )?{_NO_DAY}{CAPITAL}|{_WORKPLACE})"
_SOMEBODY: Final = (
    r"\b(?<!do )(?<!did )(?<!does )(?<!can )"
    rf"(?:I|we|you|he|she|they|and|user|family|{'|'.join(sorted(ROLES | PETS))}|{CAPITALIZED})"
)
_ALSO: Final = r"(?:(?:'m|'re|'ve|'s|am|is|are|have|has|been|now|currently|also|still) ){0,3}"
_DOES: Final = rf"{_SOMEBODY} ?{_ALSO}"
_SUBJECT_TAUGHT: Final = (
    r"(?!(?:my|our|your|his|her|their|the|an?|it|you|him|them|me|us|how|to|that|by|with|at|in|\w+sel(?:f|ves))\b)"
    r"[\w-]+(?: [\w-]+)?"
)
EMPLOYED: Final = (
    r"\bwork(?:s|ed|ing)?(?: (?:nights|days|shifts|(?:part|full)[- ]time|remotely|freelance))? (?:at|for)\b"
    rf"|\bwork(?:s|ed|ing)? as [^.,;!?\n]{{1,60}}? (?:at|for|with) {_FIRM}"
    rf"|\bwork(?:s|ed|ing)? (?:as [^.,;!?\n]{{1,60}}? )?in {_WORKPLACE}"
    rf"|{_POST}(?: of (?:[\w&-]+ ){{1,4}}?| )(?:(?:at|for|with) {_FIRM}|in {_WORKPLACE})"
    rf"|{_BE}(?:the )?{_FURTHER}{{0,2}}?(?:{_CHIEFS}|president|founder|managing director) of (?:the )?{CAPITAL}"
    rf"|{_DOES}teach(?:es|ing)? (?:{_SUBJECT_TAUGHT} )?(?:at|in) {_FIRM}"
)
"""By what it is told for whom somebody works: a post at a firm, too, and work as something there."""

WORKING: Final = (
    rf"{EMPLOYED}|\bwork(?:s|ed|ing)? (?:as\b|in {_GROUP})|{TRADE}"
    rf"|{_BE}(?:an? |the )?{_FURTHER}{{0,3}}?(?:{_CHIEFS}|vp|chief \w+ officer|managing director)\b(?!')"
    rf"|{_BE}(?:an? |the )?{_FURTHER}{{0,3}}?(?:head|director|vice[- ]president|president|chief|chair|lead) of "
    r"(?!(?:(?:the|my|our|this|that|an?) )?(?:[\w-]+ ){0,2}?(?:household|family|house|queue|line|class|table|club"
    r"|society|pta|union|association|choir|committee|party|pack|group)\b)\w"
    rf"|{_DOES}(?:run|runs|running|manages?|managing|operates?|operating|heads?|leads?|leading)"
    rf" (?:{_WORKPLACE}|{_GROUP})"
    rf"|{_DOES}teach(?:es|ing)? {_SUBJECT_TAUGHT}(?=$|[.,;!]| (?:for a living|full[- ]time|part[- ]time)\b)"
)
"""By what it is told what somebody does for a living: what they are, run or teach."""
