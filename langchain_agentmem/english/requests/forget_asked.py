"""What a message asks to forget, in the user's words, by rules over set phrases.

An order to forget is one by its verb. Of an order to delete, which may be about anything, that holds where it names
memory, or nothing but what is only known of somebody: "my address", and not "my draft", nor "my address in the form".
What somebody said last is named by "what I just said", or by "this" where an order not to keep it stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.taken_back import is_own_retraction, may_be_of_others
from langchain_agentmem.english.requests.asked_apart import MAX_PARTS, named_apart
from langchain_agentmem.english.requests.asked_behind import put_first
from langchain_agentmem.english.requests.asked_kindly import is_one_taken_back, put_plainly
from langchain_agentmem.english.requests.asked_why import without_secrecy, without_why
from langchain_agentmem.english.requests.attributes import attribute_asked, is_only_known
from langchain_agentmem.english.requests.dismissing import is_dismissed
from langchain_agentmem.english.requests.not_keeping import NOT_REMEMBER, not_to_keep, points_back, points_loosely_back
from langchain_agentmem.english.requests.said_last import (
    ALONE,
    ASK,
    HAVE,
    LAST,
    LAST_FEW,
    LAST_FEW_SAID,
    LAST_SAID,
    NUMBERS,
    REGRETTED,
    SAID,
)
from langchain_agentmem.english.requests.sparing import not_all_of, spares_what_is_known
from langchain_agentmem.english.requests.withheld import IF_MET, is_withheld
from langchain_agentmem.english.text.only_shown import is_only_shown
from langchain_agentmem.english.text.vocatives import without_vocatives
from langchain_agentmem.english.words.ailments import is_of_health
from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.lexicon import ROLES
from langchain_agentmem.english.words.patterns import CAPITALIZED

_BEGINS: Final = rf"(?:^|[.!?;\n]\s*+|,\s++(?:so |and |but )?|\b(?:and|but|so|then) ){ASK}"
_FORGET: Final = lazy_pattern(
    rf"{_BEGINS}(?P<verb>forget|un-?remember|{NOT_REMEMBER}"
    r"|(?:delete|erase|remove|wipe|purge|clear|drop|scrub"
    r"|get rid of)(?= [^.?!\n]*?\b(?:you(?:'ve)? (?:\w+ )?(?:know|remember|stored?|saved?|kept|have"
    r"|learned|learnt|noted)|from memory|(?:from|in) (?:your (?:memory|memories|records?|notes)|the memor(?:y|ies))"
    r"|(?:your|the"
    r"|my|all|every|that|this|those|these|any) (?:\w+ )?memor(?:y|ies)|about me|your (?:notes"
    r"|records)|(?:the|that|what) (?:fact|bit|part"
    r"|thing|info(?:rmation)?|note) (?:that|about|on my|where)|(?:what|everything|all)(?: that)? I(?:'ve| have)?"
    r" (?:told|said|mentioned|shared)(?: to)?(?: you)? about)\b)"
    r"|(?:strike|scrap|scratch|cross)(?= [^.?!\n]*?\b(?:from|out of|off) your (?:memory|memories|records?|notes)\b)"
    r"|take(?= [^.?!\n]*?\b(?:out of|off) your (?:memory|memories|records?|notes)\b))"
    r"(?: about)? (?P<what>[^\n]+)",
    re.IGNORECASE,
)
_KNOWN: Final = (
    r"(?:(?:that )?you(?:'ve| have)?(?: ever)?(?: \w+)?"
    r" (?:know|remember(?:ed)?|stored?|saved?|kept|keep|have|hold|learned|learnt|noted|recorded|collected|got)"
    r"|(?:that )?I(?:'ve| have)?(?: ever)? (?:told|shared with) you|(?:that )?there is)"
)
_ABOUT_ME: Final = r"(?:about|on|of|regarding|concerning) (?:me|us|myself)"
_KEPT: Final = r"(?:memor(?:y|ies)|data|info(?:rmation)?|facts|details|records)"
_STORE: Final = (
    r"(?:memor(?:y|ies)|profile|history|(?:personal )?data|personal info(?:rmation)?|existence)(?: (?:of|about) me)?"
)
_ALL_MINE: Final = lazy_pattern(
    rf"(?:about )?(?:(?:everything|all|anything|whatever|every (?:single )?thing) {_ABOUT_ME}"
    rf"|(?:all )?(?:of )?(?:my|your|our) (?:whole |entire |complete )?{_STORE}"
    rf"|(?:all|every bit)(?: of)? my (?:personal |private |stored |saved )?{_KEPT})",
    re.IGNORECASE,
)
"""Names all there is of whoever speaks, and is about memory by itself."""

_ALL: Final = lazy_pattern(
    rf"(?:about )?(?:(?:absolutely |literally )?(?:(?:everything|all|anything)|what(?:ever)?(?= you\b)"
    rf"|(?:every|any)(?: single)? (?:thing|memory|fact|detail|piece)(?: of {_KEPT})?)"
    rf"(?:(?: of)? (?:(?:the|my|our|your|these|those) )?(?:personal |private |stored |saved )?"
    rf"(?:{_KEPT}|things|stuff))?(?: {_KNOWN})?(?: {_ABOUT_ME})?"
    rf"|me(?: completely| entirely)?|the (?:whole |entire )?memor(?:y|ies)|{_ALL_MINE.pattern})",
    re.IGNORECASE,
)
_SAID_OF_ALL: Final = r"(?:everything|all|anything|what(?:ever)?)(?: that)?"
_TALKED: Final = (
    r"(?:I|we)(?:'ve| have)? (?:just |ever )?(?:said|told|wrote|written|mentioned|sent|shared|typed|discussed"
    r"|(?:talked|spoke|chatted)(?: about)?)(?: (?:to |with )?you)?"
)
_WHOLE_TALK: Final = lazy_pattern(
    rf"(?:about )?(?:{_SAID_OF_ALL} {_TALKED} (?:(?:so far )?(?:in|during) (?:this|our) (?:conversation|chat|session)"
    rf"|so far|here)|(?:everything|all)(?: that)? I(?:'ve| have)? said"
    r"|(?:this|our) (?:whole |entire |current )?(?:conversation|chat))",
    re.IGNORECASE,
)
"""Names all that was said in the conversation."""

WHOLE_TALK: Final = 1_000_000
"""As so many of the last messages: all of them."""

_WHEN: Final = (
    r"(?:today|yesterday|tonight|earlier(?: today)?|recently|lately|before|since|after"
    r"|this (?:morning|afternoon|evening|week|month|year)|last (?:night|week|month|year|time)"
    rf"|(?:in|over|during|within|for) the (?:last|past)|on (?:the \d|{WEEKDAY}))\b"
)
_UNCLEAR: Final = lazy_pattern(
    rf"(?:about )?(?:{_SAID_OF_ALL} (?:{_TALKED} |from )?{_WHEN}.*"
    r"|(?:everything|anything|all)(?: that)? (?:(?:I|we|you|it)\b"
    r"(?!.*\b(?:about|on|of|regarding|concerning|to do with)\b)"
    r"|except\b|but\b|(?:[^,]{1,80} )?(?:except|besides|apart from)\b).*)",
    re.IGNORECASE,
)
"""Names much of what was said, by when or but for what: nothing tells which memories that are."""

_ORDERS: Final = lazy_pattern(
    r"(?<=[.!?;])\s|\n|,? and (?=(?:(?:then|also|please) ){0,2}(?:forget|delete|erase|remove)\b)", re.IGNORECASE
)
"""Between two orders of one message."""

_AFRESH: Final = lazy_pattern(
    r"\b(?:start|begin|try|go)(?:ing)? (?:all )?(?:over|again|afresh|fresh|anew|from scratch"
    r"|from the (?:beginning|start))",
    re.IGNORECASE,
)
"""Beside it, "forget everything" may be about the conversation alone."""

_NARROWED: Final = lazy_pattern(
    (
        r"\b(?:about|regarding|concerning|on|related to|to do with|that has to do with|of) (?!me\b"
        r"|myself\b|us\b|you\b|everything\b|it\b)(?P<topic>.+)"
    ),
    re.IGNORECASE,
)
_LEAD: Final = lazy_pattern(
    (
        r"^(?:(?:about|what|whatever|everything|anything|things|all|(?:all )?that(?= about\b)"
        r"|(?:the|that|this|all (?:the|that))(?: whole)? (?:fact|bit|part|thing|stuff|info(?:rmation)?|story"
        r"|business|news"
        r"|note|memory|detail)s?|any(?:thing)?) )?(?:(?:you(?:'ve| have)? (?:\w+ )?(?:know|remember(?:ed)?"
        r"|stored?|saved?|kept|have|learned|learnt|noted)(?: (?:about|on|of|from|regarding))?"
        r"|i (?:\w+ )?(?:told|said|mentioned|wrote)(?: to)?(?: you)?(?: (?:about|of|that|regarding))?"
        r"|where|about|on(?= (?:my|our)\b)|regarding|concerning)\b ?){1,5}"
    ),
    re.IGNORECASE,
)
_TRAIL: Final = lazy_pattern(
    r"(?:,? (?:any ?more|any longer|again|too|as well|please|pls|thanks|thank you|now|right now|immediately|at once"
    r"|omg|lol|for good|forever|completely|from memory|(?:from|out of|off) (?:your (?:memory|memories|records?"
    r"|notes|database)|the (?:memory|memories|database))"
    r"|in (?:your|the) memory"
    r"|ok(?:ay)?|will you|would you|can you|if you can)){1,4}$"
    r"| (?:that )?I(?:'ve| have)? (?:just )?(?:pasted|copied in|dumped)(?: (?:in|here|above|earlier|before|in here))?$",
    re.IGNORECASE,
)
_FROM_WHERE: Final = lazy_pattern(
    r"^(?:from|out of|off|in) your (?:memory|memories|records?|notes) (?=\w)", re.IGNORECASE
)
_NEXT_CLAUSE: Final = lazy_pattern(
    r"(?<!e\.g)[.!?;](?:\s|$)|,? (?:and|but) (?=(?:then |also |instead |please )?(?:tell|show|give"
    r"|what|how|book|write|send|use|remember|help|can|could|i (?:now|want|need|prefer|moved)"
    r"|start|begin|go|move|continue|let|close|cancel|stop|make|just|don't|never|leave|log|delete|erase|remove|forget"
    r"|(?:answer|reply|respond|speak|switch|explain|translate|find|check|suggest|recommend|list|call|ask|remind"
    r"|read|carry|get|put|add|set|change|update|save|store|keep|talk) (?:me|us|my|our|the|this|that|it|in|to|with"
    r"|back|on|only|what|everything))\b)"
    r"|,\s+(?=(?:(?:I|we|he|she|it|they|that)(?:'\w+)|I|we|let's|because|since|(?:what|how)(?! (?:I|we)\b)|can"
    r"|(?:where|who|when|which|why)(?:'s| (?:is|are|am|do|does|did|was|were|can|could|should|would|will))"
    r"|(?:do|does|did|could|should|would|will|are|is) (?:I|we|you|it|there|he|she|they)"
    r"|(?:that|(?:the|my|our) [\w-]+) (?:is|was|were|got|has|have|had|isn't|wasn't|says?|said"
    r"|\w+ed))\b)"
    r"|,\s+(?=(?:I )?(?:left|quit|changed|moved|lost) (?:that|the|my|this|out|it)\b)",
    re.IGNORECASE,
)

_DELETE: Final = lazy_pattern(
    rf"{_BEGINS}(?P<verb>delete|erase|remove|wipe|purge|clear|drop|scrub|scrap|strike|get rid of) (?P<what>[^\n]+)",
    re.IGNORECASE,
)
_OF_A_PART: Final = lazy_pattern(r"\b(?:bits?|parts?|sentences?|statements?|things?|facts?|points?)\b", re.IGNORECASE)

_IGNORE: Final = lazy_pattern(
    rf"\W*{ASK}(?:ignore|disregard) (?:what|whatever|everything|anything|all|the (?:thing|part|bit)s?)(?: that)?"
    rf" {HAVE} (?:just |ever |once )?{SAID} (?:about|on|of|regarding) (?P<what>[^.,;!?\n]+?)(?:,? please)?\W*",
    re.IGNORECASE,
)
"""The whole of a message: with a wish behind it, or about anything but what is known of somebody, it is a task's."""

_EACH: Final = lazy_pattern(
    r"^(about )?(?:both|all)(?: of)? (?=(?:my|our|his|her|their|the|these|those)\b)", re.IGNORECASE
)
_FEW: Final = lazy_pattern(
    r"(?:about )?(?:(?:some|several|a few) of )?(?:the|those|my) "
    r"(?:(?:last|previous) (?:few|couple(?: of)?|several|some)|few last)"
    r" (?:things|messages|facts|points|bits|parts|sentences|statements)"
    rf"(?: (?:that )?{HAVE} (?:just )?{SAID})?",
    re.IGNORECASE,
)


_LIMIT: Final = lazy_pattern(
    r"(?:the|that|my|your) (?:\d+[ -])?(?:word|character|sentence|paragraph) limit", re.IGNORECASE
)
"""Of answers: it stands nowhere but in memory."""


def is_unclear(what: str) -> bool:
    """Whether a request names much of what was said, and not which: the last few things, or what was said today.

    Example:
        >>> is_unclear("the last few things I told you"), is_unclear("the last two things I told you")
        (True, False)
        >>> is_unclear("everything I told you today"), is_unclear("everything I told you about Tom")
        (True, False)
    """
    return any(it.fullmatch(what) for it in (_FEW, _UNCLEAR, _EVERYTHING))


def is_of_everything(text: str) -> bool:
    """Whether a request is for everything about something, of whomever it is told: "all you know about Java"."""
    said = _meant(" ".join(text.split()))
    return any(_MUCH.match(it) or _SAID_ABOUT.match(it) for it in _ordered(said))


def is_of_a_part(text: str) -> bool:
    """Whether a request for what was said last may mean a part of a message: "that last bit", "the last two things".

    Example:
        >>> is_of_a_part("Forget that last bit."), is_of_a_part("Forget my last message.")
        (True, False)
    """
    return _OF_A_PART.search(text) is not None and forget_asked(text) is not None


_EVERYTHING: Final = lazy_pattern("everything", re.IGNORECASE)
_SAID_ABOUT: Final = lazy_pattern(r"what (?:I|we)\b", re.IGNORECASE)
_MUCH: Final = lazy_pattern(
    r"(?:about )?(?:everything|anything|whatever|what you|(?:both|all)\b|every (?:thing|memory|fact|detail|piece))\b",
    re.IGNORECASE,
)
_NOTHING: Final = lazy_pattern(
    r"(?:(?:all )?(?:of )?|all about |about )?(?:it|that|this)|it all|the whole thing"
    rf"|(?:that )?{HAVE} (?:ever |even |just )?{SAID}(?: (?:it|that|this|anything|so))?",
    re.IGNORECASE,
)
"""Points to what nothing tells, in a message that says more."""

FOR_NOW: Final = lazy_pattern(
    r"\bfor (?:now|once|today|tonight|this (?:time|once)|the (?:moment|time being|day|night)|an? (?:\w+ )?(?:second"
    r"|sec|moment|minute|while|bit|day|night))$",
    re.IGNORECASE,
)
"""Behind what is only put aside."""

_OF_SOMEBODY: Final = lazy_pattern(
    rf"(?:everything|all|anything|whatever)(?: (?:that )?you (?:know|remember))? (?:about|on|regarding) (?:my|our)"
    rf" (?:[\w-]+ )?(?:ex(?:-\w+)?|{'|'.join(sorted(ROLES))})(?: {CAPITALIZED})?",
    re.IGNORECASE,
)
"""Of whom one has there is nothing but what is known."""


class ForgetAsked(NamedTuple):
    """What is to be forgotten.

    Attributes:
        what: In the user's words; `None`: `is_all`, everything, or the `last` so many things they said.
        is_bare: Nothing but "scrap that", which may as well be about a task.
        is_of_things: Of these, "delete that", which may as well be about anything at hand.
    """

    what: str | None = None
    is_all: bool = False
    last: int = 0
    is_bare: bool = False
    is_of_things: bool = False


def takes_back(text: str) -> bool:
    """Whether a message takes back what its speaker said last, or last about something: it was never so.

    Example:
        >>> takes_back("I was joking"), takes_back("I take back what I said about tea")
        (True, True)
        >>> takes_back("Forget that I hate tea")
        False
    """
    return is_own_retraction(text) or is_one_taken_back(text)


def forget_asked(text: str) -> ForgetAsked | None:
    """Return what a message asks to forget; `None` where it asks for nothing of the kind.

    Example:
        >>> forget_asked("Delete my address.").what, forget_asked("Delete my draft.")
        ('my address', None)
        >>> forget_asked("Forget what I just said.").last, forget_asked("Forget the last two things I said.").last
        (1, 2)
    """
    text = _meant("\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip()))
    bare = without_secrecy(text)
    alone = ALONE.fullmatch(bare)
    if REGRETTED.fullmatch(text):
        return ForgetAsked(last=1)
    if alone is not None and alone["memory"] is None:
        return ForgetAsked(last=1, is_bare=True, is_of_things=bool(alone["thing"]) and bare == text)
    if alone is not None or points_back(text):
        return ForgetAsked(last=1)
    if is_own_retraction(text):
        return ForgetAsked(last=1, is_bare=may_be_of_others(text))
    if points_loosely_back(text):
        return ForgetAsked(last=1, is_bare=True, is_of_things=True)
    unkept = (_bare(it.what) for it in not_to_keep(text) if not is_only_shown(text, it.start))
    what = next(filter(None, chain(_ordered(text), unkept)), None)
    return None if what is None else _read(_with_further(what, text), text)


def _meant(text: str) -> str:
    """Return a message with its requests as plain orders in front of what they name, and nobody spoken to."""
    return put_first(without_vocatives(put_plainly(text)))


def _with_further(what: str, text: str) -> str:
    """Return what is to be forgotten, with what further orders of the message name, where each is whole by itself."""
    chunks = _ORDERS.split(text, maxsplit=MAX_PARTS)
    each = dict.fromkeys((what, *filter(None, (next(filter(None, _ordered(it)), None) for it in chunks))))
    together = " and ".join(each)
    parts = [part for it in each for part in named_apart(it)]
    return together if len(each) > 1 and [*named_apart(together)] == parts else what


def _read(what: str, text: str) -> ForgetAsked:
    if LAST.fullmatch(what):
        return ForgetAsked(last=1)
    few = LAST_FEW_SAID.fullmatch(what) or LAST_FEW.fullmatch(what)
    if few is not None:
        count = next(filter(None, few.groups())).lower()
        return ForgetAsked(last=NUMBERS.get(count) or int(count))
    if _WHOLE_TALK.fullmatch(what):
        return ForgetAsked(last=WHOLE_TALK)
    if _ALL.fullmatch(not_all_of(what, text) or ""):
        return ForgetAsked(what="everything")  # nothing tells what is left
    if _ALL.fullmatch(what):
        return ForgetAsked(what="everything") if _AFRESH.search(text) else ForgetAsked(is_all=True)
    each = _EACH.sub(r"\1", what)
    if is_unclear(what) or all(attribute_asked(it) is not None for it in named_apart(each)):
        return ForgetAsked(what=each)
    narrowed = _NARROWED.search(what)
    is_narrowed = narrowed is not None and _MUCH.match(what) is not None
    topic = narrowed.group("topic") if narrowed and is_narrowed else _LEAD.sub("", each).strip()
    return ForgetAsked(what=topic or what)


def _ordered(text: str) -> Iterator[str]:
    forget, delete = _FORGET.search(text), _DELETE.search(text)
    if forget is not None and _is_order(text, forget) and not is_dismissed(text, forget.start("verb")):
        what = _bare(forget.group("what"))
        yield "" if _NOTHING.fullmatch(what) or FOR_NOW.search(what) else what
    if delete is not None and _is_order(text, delete):
        what = _bare(delete.group("what"))
        named = (LAST_SAID, LAST_FEW_SAID, _ALL_MINE, _OF_SOMEBODY, _LIMIT)
        is_meant = any(it.fullmatch(what) for it in named) or _are_known(named_apart(what)) or is_of_health(what)
        is_but_for = spares_what_is_known(what) or _ALL_MINE.fullmatch(not_all_of(what, text) or "") is not None
        yield what if is_meant or is_but_for else ""
    ignored = _IGNORE.fullmatch(text)
    yield ignored["what"] if ignored is not None and attribute_asked(ignored["what"]) is not None else ""


def _are_known(parts: Sequence[str]) -> bool:
    """Whether parts are only known of somebody; beside one that is, so is what may be a thing: "my job"."""
    asked = [attribute_asked(it) for it in parts if not is_only_known(it)]
    are_single = all(is_only_known(it) or not it.endswith("s") for it in parts)
    return len(asked) < len(parts) and are_single and all(it is not None and not it.attribute.is_kept for it in asked)


def _is_order(text: str, found: re.Match[str]) -> bool:
    return not is_only_shown(text, found.start("verb")) and not is_withheld(text, found.start("verb"))


def _bare(what: str) -> str:
    """Return what is named, without the clause that follows, and without words such as "please"."""
    named = IF_MET.sub("", without_why(_NEXT_CLAUSE.split(what, maxsplit=1)[0]).strip(" .,!?\"'"))
    return _FROM_WHERE.sub("", _TRAIL.sub("", named)).strip(" .,!?\"'")
