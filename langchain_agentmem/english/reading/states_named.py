"""One state in two words: who is pregnant names it "the pregnancy", and who broke up "the break-up".

Whoever asks to forget something names it by a noun, and told of it with an adjective or a verb.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.words.kin_words import A_CHILD

_GROUPS: Final = """
pregnancy pregnant, allergy allergic, diabetes diabetic, autism autistic, depression depressed, anxiety anxious,
addiction addicted addict, asthma asthmatic, epilepsy epileptic, infertility infertile, blindness blind, deafness deaf,
disability disabled, bankruptcy bankrupt, alcoholism alcoholic, obesity obese, anorexia anorexic, bulimia bulimic,
dyslexia dyslexic, celibacy celibate, unemployment unemployed, retirement retired, engagement engaged, marriage married,
adoption adopted, separation separated, divorce divorced, death died dead, suicide suicidal, insomnia insomniac,
schizophrenia schizophrenic, psychosis psychotic, paralysis paralysed paralyzed, diagnosis diagnosed, arrest arrested,
promotion promoted, graduation graduated, redundancy redundant, illness ill, sickness sick, atheism atheist,
loneliness lonely, conviction convicted, miscarriage miscarried, bereavement bereaved, homelessness homeless,
veganism vegan, vegetarianism vegetarian, resignation resigned, dismissal dismissed
"""
SAME_STATE: Final = {
    term: same
    for words in _GROUPS.split(",")
    for same in (tuple(dict.fromkeys(tokenize(words))),)
    if len(same) > 1
    for term in same
}
"""Each term of such words, with all of them."""

_EXPECTING: Final = lazy_pattern(
    rf"\bexpecting(?= (?:(?:(?:an?|the|our|my|another|his|her|their) )(?:[\w-]+ )?(?:{A_CHILD}|girl|boy"
    r"|little one)\b|twins\b|triplets\b|again\b|our (?:first|second|third|next)\b)"
    r"|,? due\b|[.!]?$)",
    re.IGNORECASE,
)
_BROKE_UP: Final = lazy_pattern(r"\b(?:broke|broken|breaking|split|splitting)[ -]up\b|\bbreak-up\b", re.IGNORECASE)


def in_one_word(text: str) -> str:
    """Return a text in which what several words say of a state is said in one.

    Example:
        >>> in_one_word("We're expecting a girl"), in_one_word("I'm expecting a parcel"), in_one_word("We broke up")
        ("We're pregnant a girl", "I'm expecting a parcel", 'We breakup')
    """
    return _BROKE_UP.sub("breakup", _EXPECTING.sub("pregnant", text))
