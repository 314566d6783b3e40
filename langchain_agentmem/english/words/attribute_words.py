"""Words by which attributes of somebody are named and told, as patterns: of whom one has, of pay, of faith."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.kin_words import (
    A_PARENT,
    A_PARTNER,
    A_RELATIVE,
    A_SIBLING,
    any_of,
    kin_of,
    plurals,
)
from langchain_agentmem.english.words.lexicon import PETS, ROLES
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITALIZED

PARTNER: Final = A_PARTNER
CHILDREN: Final = any_of(kin_of("child") | plurals(kin_of("child")) | {"toddler"})
PARENTS: Final = A_PARENT
SIBLINGS: Final = A_SIBLING
KIN: Final = rf"{CHILDREN}|{A_RELATIVE}"
BOSS: Final = "boss|manager|supervisor|superior"
COLLEAGUES: Final = "colleague|co-?worker|team-?mate"
JOB: Final = "jobs?|occupation|profession|career|position|work|employment|job title"
OF: Final = r"(?:my|our|your|his|her|their|the(?! user\b(?!'))|an?|\w+'s?) (?:[\w-]+ ){0,2}?"
"""Before a noun: "address" is also what a speaker does to a crowd."""

WE: Final = rf"(?:I|we|you|user(?:'s family)?)(?: and (?:my|our|your|their) [a-z-]+(?: {CAPITALIZED})?)?"
HAVING: Final = rf"\b{WE} (?:(?:also|now|still) )?(?:have|has|had|owns?|keeps?|adopted|got)(?: [\w-]+){{0,2}} "
OWNED_BY: Final = r"\b(?:(?:my|our|your|user's(?: family's)?)(?: [\w-]+)?|user [^.;!?\n]{0,80}?\btheir(?: [\w-]+)?) "
AFTER_ONE: Final = (
    rf"(?=$|[^\w\s-]|\s+(?:{CAPITAL}|\d|(?:named|called|aged|who|whose|that|which|and|or|with|of|from|in|at|on|to|by"
    r"|now|too|as|is|are|was|were|together|already|since|for|but|under|over|because|when|while|if|so|both|\w+ing)\b))"
)
"""Behind whom one has: with another noun there it is that one has, a dog bed or a cat flap."""

NO_HEAD: Final = r"(?!-| (?:allerg\w+|food|flaps?|walkers?|sitters?|groomers?|beds?|hair|phobia|lovers?|person)\b)"


def mine(nouns: str) -> str:
    """Return a pattern for whom the user has, by words for them: their husband, and not their sister's."""
    return rf"(?:{OWNED_BY}(?:{nouns})s?\b{NO_HEAD}|{HAVING}(?:{nouns})s?\b{AFTER_ONE})"


BIRTHDAY: Final = r"birth ?day|birth ?date|date of birth|dob"
WHO: Final = r"(?P<who>[\w' -]{1,40}?)"
WORKS: Final = rf"{WHO} (?:works?|(?P<period>used to work|worked))"
AGO: Final = r"(?: (?:before|previously|formerly|in the past))?"
SPOKEN: Final = rf"what languages? {WHO} speaks?"
WORKED_AT: Final = (
    rf"where {WORKS}{AGO}",
    rf"(?:who|whom|which company|what company|the (?:company|firm|place)(?: that| which)?) {WORKS} (?:for|at){AGO}",
    rf"the (?:company|firm|place) where {WORKS}{AGO}",
)
EACH: Final = r"(?:(?:an?|per|every|each) (?:year|month|week|day|hour)|annually|monthly|yearly|weekly|before tax)\b"
AGED: Final = (
    rf"\b(?:I|we|you|he|she|they|user|{CAPITALIZED}|{'|'.join(sorted(ROLES | PETS))})"
    r"(?:'m|'re|'s| am| is| are| was| were| turned| will be)"
    r"(?: (?:now|just|already|about|around|almost|nearly|only|over|an?))* \d+[ -]years?[ -]old\b"
)
"""Of somebody: a house is old too, and whoever has a car has not its age."""

SUM: Final = r"(?:(?:about|around|roughly|only|over|under|almost|nearly|just) )?[$\u20ac\u00a3]?\d"
PAY: Final = (
    r"(?:(?:about|around|roughly|only|over|under|almost|nearly|just) )?"
    r"(?:[$\u20ac\u00a3]\d[\d.,]*k?|\d[\d.,]*k)(?=\s*(?:$|[.,;!]|(?:now|before|after|and|but|at|as|in|by)\b))"
)
"""An amount that nothing is counted by: "90k", and not "90k followers"."""

MONEY: Final = (
    r"(?:(?:about|around|roughly|only|over|under|almost|nearly|just) )?"
    r"(?:[$\u20ac\u00a3]\d[\d.,]*k?"
    r"|\d[\d.,]*(?:k|(?: thousand)? (?:euros?|dollars?|pounds?|francs?|eur|usd|gbp|chf|grand)))"
)
DEVOUT: Final = r"(?:(?:not|an?|very|devout|practi[sc]ing|strict|lapsed|born-again|orthodox|reform|sunni|shia) ){0,3}"
FAITHS: Final = (
    r"Christian|Catholic|Protestant|Anglican|Methodist|Baptist|Lutheran|Presbyterian|Mormon|Quaker|Evangelical|Orthodox"
    r"|Muslim|Moslem|Jewish|Jew|Hindu|Buddhist|Sikh|Jain|Taoist|Pagan|Wiccan|atheist|agnostic|religious"
)
CREEDS: Final = r"Christianity|Catholicism|Islam|Judaism|Hinduism|Buddhism|Sikhism|Taoism|Jainism|Mormonism"
ORIENTATION: Final = r"sexuality|sexual (?:orientation|identity|preferences?)"
ORIENTED: Final = (
    r"(?:(?:'m|\b(?:am|is|are|was|were)) (?:(?:an?|not|also|openly|actually|probably) ){0,3}"
    r"|\b(?:identif(?:y|ies|ied)|c[ao]me out|coming out) (?:to [\w' -]{1,30} )?as )"
    r"(?:gay|lesbian|bisexual|bi|queer|straight|asexual|pansexual|homosexual|heterosexual)\b"
    r"(?!-|'| (?!(?:and|but|or|too|now|since|last|when|who|man|men|woman|women|guy|girl|person|couple)\b)\w)"
)
"""Of somebody: neither "straight out of college" nor "a gay rights lawyer"."""

POLITICS: Final = r"politics|political (?:views?|opinions?|beliefs?|leanings?|affiliation|party)"
VOTES: Final = (
    r"\b(?:vot(?:es?|ed|ing)|campaign(?:s|ed|ing)?) (?:for )?(?:the )?(?:Labour|Conservatives?|Tor(?:y|ies)|Greens?"
    r"|Lib Dems?|Liberals?|Republicans?|Democrats?|SNP|Reform|left|right)\b"
    r"|(?:'m|\b(?:am|is|are|was|were)) (?:an? )?(?:Republican|Democrat|Tory|socialist|communist|libertarian|anarchist"
    r"|leftist|centrist|Marxist|conservative|left-wing|right-wing)\b(?! (?:estimate|guess|investor|approach))"
)
