"""Words for whoever is spoken to, and words that say nothing, beside an order: "forget that, love" names no love.

Who types as they speak puts them where a named thing would stand. Behind "that" such a word is one only at the end of
its clause: "forget that love is hard" says something. Some are as well what somebody may mean ("that man"): these have
to be set off by a comma, or to stand before words of regret.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

ENDEARMENT: Final = (
    r"(?:dear(?:ie|y|est)?|love|luv|darling|hun|hon|sweet(?:ie|heart)|mate(?:s|y)?|bro|bruh|bruv|bestie|pal|buddy|babes?"
    r"|fam|lads|chum|guv|blud)"
)
"""For whoever is spoken to, behind an order and behind a statement."""

_DEAR: Final = rf"(?:(?:my )?{ENDEARMENT}|my friend|lovely|honey|chief|champ|innit|sir|madam|ma'am)"
_MAN: Final = r"(?:man|dude|boss|baby|pet|duck|hen|petal|girl|guys|folks|son|sis|y'all|old (?:chap|boy|man|thing))"
_FILLER: Final = (
    r"(?:lol|lmao|haha+|tbh|actually|sorry|soz|thx|ty|ta|cheers|tho|though|k|okay|ok|ffs|omg|x{1,3}|yeah|right|then"
    r"|would you|will you|can you|could you)"
)
ASIDE: Final = rf"(?:{_DEAR}|{_FILLER})"
"""What may stand behind "that", and is not what is meant."""

_REGRET: Final = (
    r"(?:(?:I (?:really )?)?(?:shouldn't|should not|should never|never should) (?:have|of|a) (?:\w+ )?"
    r"(?:said|told|mentioned|shared|written|brought)"
    r"|I wish I hadn't (?:said|told|mentioned|shared)|I (?:didn't|did not) mean to (?:say|tell|share|mention)"
    r"|I said too much|I overshared|I changed my mind)\b"
)
_ENDS: Final = rf"(?=\s*(?:$|[.,;:!?\n)])|\s(?:please|pls|plz|thanks|thank you|{_FILLER}\b|{_REGRET}))"
_VERB: Final = (
    r"(?:forget|un-?remember|scrap|strike|scratch|unsay|delete|erase|remove|wipe|store|save|keep|record|remember|note)"
)
_POINTED: Final = r"(?:(?:all(?: of)? )?(?:that|this)|it all|it|all of it|the whole thing)"
_SAID: Final = (
    r"forget (?:that |what )?I(?:'ve| have)? (?:ever |even |just )?(?:said|told you|mentioned|wrote)"
    r"(?: (?:it|that|this|so))?"
)
_ORDER: Final = rf"\b(?P<order>{_VERB}(?: about)? {_POINTED}|{_SAID})"
_TAG: Final = lazy_pattern(rf"{_ORDER}(?:,? (?:please|pls|plz))?,? (?:{_FILLER})\s?\?", re.IGNORECASE)
"""Asks for consent, and nothing: "don't save that, ok?"."""

_BEHIND: Final = lazy_pattern(
    rf"{_ORDER}"
    rf"(?:(?:,? (?:{ASIDE})\b|, {_MAN}\b){_ENDS}|,? {_MAN}(?=,? {_REGRET}))+",
    re.IGNORECASE,
)
_LAST: Final = lazy_pattern(rf"(?P<order>\w), (?:{_DEAR}|{_MAN})(?=\s*(?:$|[.!?\n]))", re.IGNORECASE)
_FIRST: Final = lazy_pattern(
    rf"(?P<order>(?:^|[.!?\n]\s?))(?:(?:oh|hey|no|wait|ah|sorry|ok|okay),? )?(?:{_DEAR}|{_MAN}),? "
    rf"(?=(?:please |pls |plz |just |can you |could you |would you )?{_VERB}\b)",
    re.IGNORECASE,
)
_RUNS_ON: Final = lazy_pattern(rf"(?P<order>\b{_VERB}(?: about)? {_POINTED}) (?={_REGRET})", re.IGNORECASE)
"""An order and its reason in one breath: "forget that I shouldn't have said it"."""


def without_vocatives(text: str) -> str:
    """Return an order as it is meant, without words for whoever is spoken to; where more follows, with a comma.

    Example:
        >>> without_vocatives("forget that dear i shouldn't have said it"), without_vocatives("Forget that, mate.")
        ("forget that, i shouldn't have said it", 'Forget that.')
        >>> without_vocatives("Forget that man."), without_vocatives("Forget that love is hard.")
        ('Forget that man.', 'Forget that love is hard.')
    """
    text = _TAG.sub(r"\g<order>.", text)
    for each in (_FIRST, _BEHIND, _LAST):
        text = each.sub(r"\g<order>", text)
    return _RUNS_ON.sub(r"\g<order>, ", text)
