"""Why somebody asks to forget something: words beside the request that name nothing of what is meant.

"Forget my ex, it hurts", "forget my tumour because I want to start afresh", "don't save it, I said too much". A
clause with a pronoun in front speaks of what was named. Behind "because" it may be part of a claim ("that I quit
because I was bored"), so there it counts only where something is merely named, or the words speak of the request.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.judgements import JUDGEMENT
from langchain_agentmem.english.words.word_forms import PAST

_CUT: Final = r"(?:(?:,|\s[-\u2013\u2014])\s|\s\()"
_IT: Final = r"(?:it|he|she|they|those|these)(?:'\w+)? (?!(?:and|or|with|from|of|in|on|at|to|for)\b)[a-z]"
_PRIVATE: Final = r"(?:private|confidential|personal|sensitive|secret|a secret|embarrassing|painful|nobody's business)"
_WISHES: Final = (
    r"(?:I|we)(?:'d| would|'m| am|'re| are)? (?:just |really |only |simply )?(?:don't|do not|want|need|rather|prefer"
    r"|shouldn't|should not|should never|never should|regret|wish|hate|feel|can't (?:stand|bear|take)|trying to|ashamed"
    r"|embarrassed|scared|afraid|worried|paranoid|uncomfortable|not (?:sure|ready|comfortable)|changed my mind"
    r"|said too much|overshared|didn't mean to)\b"
)
_SELFLESS: Final = (
    r"(?:(?:too|so|very|really|way too|just too) (?!please\b|pls\b)[a-z]|long story|bad memories|old news"
    r"|(?:broke|split|made) up\b|hurts\b|makes me\b|brings back\b|not true\b|no longer (?:true|relevant)\b|never mind\b"
    r"|my (?:bad|mistake)\b|(?:please|pls),? (?:it|that|this|I|we)\b|sorry\b|(?:thanks|thank you)\b"
    rf"|{_PRIVATE}(?=$|[.,!)]))"
)
_POINTS: Final = (
    r"(?:that|this|which) (?:just |really |still |only |always )?(?:is|was|isn't|wasn't|hurts?|makes?|made|brings?"
    r"|brought|feels?|felt|stays?|upsets?|scares?|bothers?|never)\b|(?:that|this)'s\b"
)
_OTHERS: Final = (
    r"(?:my|our|the) [\w-]+ (?:reads?|sees?|uses?|knows?|checks?|finds?|hates?|might|may|could|can|will|would|should"
    r"|shouldn't|doesn't|don't|isn't|aren't)\b"
)
_NOW: Final = r",? (?:now that|so(?: that)? (?:I|we|you|it|nobody|no one|they) (?:can|don't|doesn't|won't|never))\b"
_BECAUSE: Final = r"(?:,|\s[-\u2013\u2014])?\s(?:because|cause|'?cos|coz|cuz|since|as) "
_ASKED_FOR: Final = (
    rf"(?:(?:it|that|this)(?:'s| is| was) (?:\w+ )?(?:{_PRIVATE}|wrong)\b"
    r"|(?:it|that|this) (?:just |really |only |still )?(?:hurts?|makes? me|upsets|scares|bothers|feels|brings)\b)"
)
_WHY: Final = lazy_pattern(
    rf"{_CUT}(?:{_IT}|{_POINTS}|{_WISHES}|{_SELFLESS}|{_OTHERS})|{_NOW}|{_BECAUSE}{_ASKED_FOR}"
    r"|,? for (?:privacy(?: reasons)?|personal reasons|my (?:own )?(?:sake|privacy|peace of mind))$",
    re.IGNORECASE,
)
_WHY_OF_THING: Final = lazy_pattern(rf"{_BECAUSE}(?:I|we|it|he|she|they|my|our|that|this)(?:'\w+)? ", re.IGNORECASE)
_CLAIM: Final = lazy_pattern(
    r"(?:about )?(?:the fact )?(?:that (?!(?:whole )?(?:thing|stuff|bit|part|about)\b)|(?:I|we|he|she|they|you|it)\b"
    r"|(?:where|when|how|who|why|whether)\b)",
    re.IGNORECASE,
)
"""Says something of somebody, of which a reason may be part."""

_TOLD: Final = lazy_pattern(
    rf"(?:(?:and|but|so|because|cause|'?cos|coz|cuz|since|as) )?(?:{_IT}|{_POINTS}|{_SELFLESS}"
    rf"|{_OTHERS}|I(?:'ve| have)? (?:shouldn't|should not|should never|wish I hadn't|regret|didn't mean to"
    r"|shared too much"
    r"|said too much|overshared|changed my mind|told you (?:that|this|it)|trust(?:ed)? you)\b"
    r"|I(?:'d| would|'m| am)? (?:just |really |only )?(?:ashamed|embarrassed|scared|afraid|worried|paranoid"
    r"|uncomfortable|not (?:sure|ready|comfortable)|(?:don't|do not|never) want (?:it|that|this|any(?:one|body)|people"
    r"|you|my)|rather (?:keep|have) (?:it|that|this)))",
    re.IGNORECASE,
)
_KNOWING: Final = r"(?:know|see|read|hear|learn|find out|guess|notice|be told|have told|tell|share|announce)"
_NONE: Final = (
    r"(?:(?:absolutely |literally )?(?:nobody|no ?one|none of them|hardly any(?:one|body)|not every(?:one|body))"
    r"|(?:only )?(?:a few|few) people|not even (?:my|our) [\w-]+(?: and [\w-]+)?)"
    r"(?: (?:else|here|there|at [\w-]+|in my [\w-]+))?"
)
_THEY: Final = (
    r"(?:I|we|he|she|they|people|the (?:kids|children|others|family|boss|team)"
    r"|(?:my|our|his|her|their) [\w-]+(?: [\w-]+)?(?: and (?:my |our )?[\w-]+)?)"
)
_NOT_KNOWN: Final = (
    rf"(?:{_NONE} (?:knows?|is (?:to|supposed to|allowed to|meant to) know|(?:should|must|may|can) know|has been told"
    rf"|was told|has heard)|{_THEY}"
    r"(?:(?:'ve| have| has)(?:n't| not|n't even| not even| never| yet to)(?: (?:yet|really|actually|even))?"
    r" (?:told|tell|shared|share|announced|announce|heard|been told|said anything|mentioned|spoken)"
    rf"|(?: do| does|'m| am| is| are|'re| must| may| can| should| will| would)(?:n't| not|not)(?: (?:yet|to|supposed to"
    rf"|allowed to|meant to|ready to|going to))? {_KNOWING}|(?: can't| won't) {_KNOWING}"
    r"|(?: would|'d) (?:kill me|be (?:furious|angry|mad|upset|devastated)|freak out|go mad)))"
)
_ABOUT_IT: Final = (
    r"(?: (?:yet|so far|still|either|about (?:it|this|that|us|them|him|her|the [\w-]+)|of (?:it|this|that)|it|this|that"
    r"|(?:any(?:one|body)|people|them|him|her|my [\w-]+|our [\w-]+|the [\w-]+)|at (?:work|home|school|all)|for now"
    r"|here|until [\w -]{2,30}|before [\w -]{2,30}|except [\w -]{2,30}|but [\w -]{2,20}))*"
)
_UNKNOWN: Final = rf"(?:{_NOT_KNOWN}{_ABOUT_IT})"
"""Says that something is known to nobody, or is not to be, and not what: a clause behind it would tell that."""

_FEELS: Final = (
    r"I(?:'m| am| was| feel| felt)(?: just| only| really| so| too| very| a bit| still)*"
    r" (?:ashamed|embarrassed|bad|awful|stupid|guilty|weird|awkward|exposed|drunk|joking|kidding|venting|rambling|upset"
    r"|emotional|angry|oversharing|shy)"
    r"(?: (?:about|of) (?:it|this|that)|(?: for| about)? (?:saying|telling you)(?: (?:it|this|that))?)?"
)
_POINTS_AT_IT: Final = lazy_pattern(
    rf"(?:(?:and|but|so|because|cause|'?cos|coz|cuz|since|as) )?(?:{_UNKNOWN}|{_FEELS})"
    r"(?:,? (?:please|pls|plz|ok(?:ay)?|thanks|thank you|lol|omg|haha))*[\s.!?]*",
    re.IGNORECASE,
)
"""Names nothing: what it speaks of, or points at, was told before."""

_NOBODY: Final = lazy_pattern(rf"(?:(?:and|but) )?{_UNKNOWN}(?:,? (?:so|and))?", re.IGNORECASE)
_NO_NAME: Final = (
    r"(?!(?:about|the|an?|that|this|these|those|what|whatever|all|everything|anything|how|where|when|who|whom|whose|why|if"
    r"|whether|which|while|because|since|as|before|after|until|so|but|and|or|my|our|his|her|their|me|us|you|it|him"
    r"|them)\b)\w[\w-]*"
)
_RUNS_ON: Final = lazy_pattern(
    rf"(?P<named>(?:about )?(?:(?:my|our) \w[\w-]*(?: {_NO_NAME})?|{_NO_NAME}))"
    r" (?:he|she|they|it)(?:'\w+ [a-z]| (?!(?:and|or|with|from|of|in|on|at|to|for|said|says?|told|tells?|asked|asks)\b)"
    r"[a-z])",
    re.IGNORECASE,
)
"""A reason in one breath with what somebody has, or with a name: "my dentist she retired"."""

_HAPPENED: Final = (
    rf"(?:(?:just|already|finally|since|long|recently) )*(?:(?:\w+ed|gone|{'|'.join(sorted(PAST))})"
    r"(?:$| (?:on|away|out|off|up|down|back|me|us|to|from|it|the|my|our|his|her|their)\b)"
    r"|(?:dead|over|out|away|done|leaving|lying|dying|being)\b|not (?:talking|speaking|worth|coming|my|with)\b)"
)
_HELD: Final = lazy_pattern(
    rf"(?:he|she|they) ?(?P<verb>(?:'s|'re|is|are|has|have)(?! {_HAPPENED})|lives?|works?|plays?|likes?|loves?|hates?"
    r"|eats?|speaks?|studies|teaches|(?:can't|cannot|doesn't|don't)(?= (?:eat|drink|smoke|have|like|love|hate|drive"
    r"|speak|work|live|play|use|own)\b)) (?P<said>\S.*)(?<! now)",
    re.IGNORECASE,
)
_IN_FULL: Final = {"'s": "is", "'re": "are"}
"""What holds of somebody is no reason, but what is to be forgotten: "my son he is allergic to nuts"; news is one."""

_JUDGED: Final = lazy_pattern(JUDGEMENT, re.IGNORECASE)
"""So is what is thought of somebody: "my ex he is a jerk" names the ex."""

_OF_SECRETS: Final = lazy_pattern(
    rf"(?:{_CUT}|{_BECAUSE}|[.!;]\s)(?:(?:it|that|this)(?:'s| is| was| feels)? (?:\w+ )?{_PRIVATE}\b|{_PRIVATE}$"
    r"|(?:shouldn't|should not|should never|never should) have (?:said|told|mentioned|shared|brought|written)\b"
    r"|I(?:'ve)? (?:shouldn't|should not|should never|never should|regret|wish I hadn't|overshared|shared too much"
    r"|said too much|(?:don't|do not) want (?:you|any(?:one|body)|people|my \w+"
    r"|(?:it|that|this) (?:saved|stored|kept|on|in)\b)))"
    r"[^.!?\n]{0,80}[.!?]{0,3}$",
    re.IGNORECASE,
)
"""Ends a message that asks for secrecy, whatever the order before it may be about."""

_OF_THE_UNTOLD: Final = lazy_pattern(
    rf"(?:{_CUT}|{_BECAUSE}|[.!;]\s)(?:(?:and|but) )?{_UNKNOWN}[.!?]{{0,3}}$", re.IGNORECASE
)


def without_secrecy(text: str) -> str:
    """Return a message without the words at its end that it is private, or should not have been said.

    Example:
        >>> without_secrecy("Delete this please, it's private"), without_secrecy("Delete this, it's wrong")
        ('Delete this please', "Delete this, it's wrong")
    """
    return _OF_THE_UNTOLD.sub("", _OF_SECRETS.sub("", text))


def without_why(what: str) -> str:
    """Return what a request names without the reason that is given for it.

    Example:
        >>> without_why("my miscarriage, it makes me sad"), without_why("my tumour because I want to start afresh")
        ('my miscarriage', 'my tumour')
        >>> without_why("that I quit because I was bored"), without_why("my son he's vegan")
        ('that I quit because I was bored', 'that my son is vegan')
        >>> without_why("my ex he's such a jerk")
        'my ex'
    """
    run_on = _RUNS_ON.match(what)
    held = run_on and _HELD.fullmatch(what, run_on.end("named") + 1)
    if run_on and held and not _JUDGED.match(held["said"]):
        is_has = held["verb"] == "'s" and held["said"].startswith(("got ", "been ", "had "))
        verb = "has" if is_has else _IN_FULL.get(held["verb"], held["verb"])
        return f"that {run_on['named']} {verb} {held['said']}"
    named = run_on["named"] if run_on is not None else _WHY.split(what, maxsplit=1)[0]
    return named if _CLAIM.match(named) else _WHY_OF_THING.split(named, maxsplit=1)[0]


def is_why(words: str) -> bool:
    """Whether words behind an order not to keep "this" say why, and not what.

    Example:
        >>> is_why("I shouldn't have said it"), is_why("nobody knows yet"), is_why("I am ill")
        (True, True, False)
    """
    return _TOLD.match(words) is not None or _POINTS_AT_IT.fullmatch(words) is not None


def is_untold(words: str) -> bool:
    """Whether words before an order not to keep "that" only say that nobody knows: "that" stands for what is before.

    Example:
        >>> is_untold("Nobody knows yet, so"), is_untold("Nobody knows that I smoke, so")
        (True, False)
    """
    return _NOBODY.fullmatch(words) is not None
