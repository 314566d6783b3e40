"""What a message asks to forget, in the user's words, by rules over set phrases.

An order to forget is one by its verb. Of an order to delete, which may be about anything, that holds where it names
memory, or nothing but what is only known of somebody: "my address", and not "my draft", nor "my address in the form".
What somebody said last is named by "what I just said", or by "this" where an order not to keep it stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from langchain_agentmem.policies.attributes import attribute_asked, is_only_known
from langchain_agentmem.policies.gaps import closed_up
from langchain_agentmem.policies.not_keeping import NOT_REMEMBER, not_to_keep, points_back

ASK: Final = (
    r"(?:please |kindly |now |just |also |can you |could you |would you |will you |i want you to "
    r"|i'd like you to |i would like you to |i need you to |you (?:can|may|should|must|have to) "
    r"|go ahead and |ok(?:ay)?,? |hey,? |so,? |actually,? |and |then |let's |sorry,? |no,? ){0,4}"
)
_BEGINS: Final = rf"(?:^|[.!?;\n]\s*|,\s+(?:so |and |but )?|\b(?:and|but|so|then) ){ASK}"
_FORGET: Final = re.compile(
    rf"{_BEGINS}(?P<verb>forget|un-?remember|{NOT_REMEMBER}"
    r"|(?:delete|erase|remove|wipe|purge|clear|drop|scrub"
    r"|get rid of)(?= [^.?!\n]*?\b(?:you(?:'ve)? (?:\w+ )?(?:know|remember|stored?|saved?|kept|have"
    r"|learned|learnt|noted)|from memory|(?:from|in) (?:your|the) (?:memory|memories|records?|notes)|(?:your|the"
    r"|my|all|every|that|this|those|these|any) (?:\w+ )?memor(?:y|ies)|about me|my (?:\w+ )?(?:data"
    r"|profile|history|personal information)|your (?:notes|records)|(?:the|that|what) (?:fact|bit|part"
    r"|thing|info(?:rmation)?|note) (?:that|about|where))\b))"
    r"(?: about)? (?P<what>[^\n]+)",
    re.IGNORECASE,
)
_NO_FORGETTING: Final = re.compile(
    (
        r"\b(?:don't|do not|dont|never|can't|cannot|won't|didn't|did not|let's not|not|shouldn't|must not"
        r"|mustn't|couldn't|could not|wouldn't|will not|please don't) (?:ever |you |you dare "
        r"|you ever )?(?:forget|delete|erase|remove|wipe)\b|\byou (?:always |never |often |sometimes "
        r"|just |keep |keeps |may |might |tend to ){1,3}(?:forget|forgetting)\b|\byou (?:forgot"
        r"|have forgotten)\b|\b(?:i|we|he|she|they|it|who|people) (?:always |never |often |sometimes "
        r"|just |almost |completely |totally |kind of |may |might |will |would |could |tend to |keep "
        r"|keeps ){0,4}(?:forget|forgets|forgot|forgotten)\b(?! (?:to )?what)|\bforget (?:to"
        r"|it\b(?!.*\b(?:memory|about me))|that's|you\b)|\bbefore i forget\b|\blest (?:i|we) forget\b"
        r"|\bi'll (?:never )?forget\b"
    ),
    re.IGNORECASE,
)
_OF_SOME: Final = (
    r" (?:of )?(?:my|our|your|his|her|their|the|these|those)\b(?! (?:\w+ )?(?:memor(?:y|ies)|data|information|info"
    r"|facts|details|things|stuff)\b)"
)
"""Behind "all": all of something, and not all there is."""

_ALL: Final = re.compile(
    (
        r"^(?:about )?(?:absolutely |literally )?(?:everything"
        rf"|all(?!{_OF_SOME})|anything|me(?: (?:completely|entirely"
        r"|please|now))?$|my (?:whole |entire )?(?:memor(?:y|ies)|data|profile|history|existence"
        r"|personal (?:data|information))|(?:all )?(?:of )?(?:my|your|the|our) (?:whole "
        r"|entire )?memor(?:y|ies)|what(?:ever)? you (?:\w+ )?(?:know|remember|stored|saved|learned"
        r"|have)(?: about me| on me)?$|every (?:thing|memory|fact|detail|piece)|all (?:of )?(?:it|that"
        r"|this|memories|data|my data|my memories|facts|information|you))\b"
    ),
    re.IGNORECASE,
)
_NARROWED: Final = re.compile(
    (
        r"\b(?:about|regarding|concerning|on|related to|to do with|that has to do with|of) (?!me\b"
        r"|myself\b|us\b|you\b|everything\b|it\b)(?P<topic>.+)"
    ),
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    (
        r"^(?:(?:about|what|whatever|everything|anything|all|the (?:fact|bit|part|thing|info(?:rmation)?"
        r"|note|memory|detail)s?|any(?:thing)?) )?(?:(?:you(?:'ve| have)? (?:\w+ )?(?:know|remember(?:ed)?"
        r"|stored?|saved?|kept|have|learned|learnt|noted)(?: (?:about|on|of|from|regarding))?"
        r"|i (?:\w+ )?(?:told|said|mentioned|wrote)(?: to)?(?: you)?(?: (?:about|of|that|regarding))?"
        r"|where|about|regarding|concerning)\b ?){1,5}"
    ),
    re.IGNORECASE,
)
_TRAIL: Final = re.compile(
    (
        r"(?:,? (?:any ?more|any longer|again|please|pls|thanks|thank you|now|right now|immediately|at once|for good"
        r"|forever|completely|from memory|from (?:your|the) (?:memory|memories|records?|notes|database)"
        r"|in (?:your|the) memory"
        r"|ok(?:ay)?|will you|would you|can you|if you can)){1,4}$"
    ),
    re.IGNORECASE,
)
_NEXT_CLAUSE: Final = re.compile(
    (
        r"(?<!e\.g)[.!?;](?:\s|$)|,? (?:and|but) (?=(?:then |also |instead |please )?(?:tell|show|give"
        r"|what|how|book|write|send|use|remember|help|can|could|i (?:now|want|need|prefer|moved)))"
        r"|,\s+(?=(?:(?:I|we)(?:'\w+)?|it's|that's|let's|because|since|what|how|can)\b)"
    ),
    re.IGNORECASE,
)

_DELETE: Final = re.compile(
    rf"{_BEGINS}(?P<verb>delete|erase|remove|wipe|purge|clear|drop|scrub|scrap|strike|get rid of) (?P<what>[^\n]+)",
    re.IGNORECASE,
)
_DISMISSED: Final = re.compile(
    r"^forget about (?:(?!\b(?:my|our|me|us)\b)[^,.;!?\u2013\u2014])+(?:[,.;!?]|\s[-\u2013\u2014])\s*"
    r"(?:(?:and|so|but|then) )?(?:what about|how about|let's|let us|instead|just)\b"
    r"|^forget (?:about )?(?:that|this|the|what I (?:just )?said)"
    r"(?: (?!(?:I|we|you|he|she|they|my|our|your|his|her|their|is|are|was|were|has|have)\b)[\w-]+){0,2}"
    r"(?:[,;]|\s[-\u2013\u2014])\s*(?:(?:and|so|but|then) )?(?:use|take|try|go (?:with|for)|make it"
    r"|pick|choose|do|start|write|tell me|show me|give me|stick (?:to|with)|keep)\b",
    re.IGNORECASE,
)
"""Talk that turns to something else: "forget about dinner; what about lunch?" """

_SAID: Final = r"(?:said|told you|wrote|mentioned|sent|shared|typed)(?: (?:to )?you)?(?: here)?"
_HAVE: Final = r"I(?:'ve| have)?"
_LAST_SAID: Final = re.compile(
    rf"(?:about )?(?:(?:what|that|(?:all|everything|the (?:thing|part|bit))(?: that)?) {_HAVE} just {_SAID}"
    rf"|the (?:last|previous) (?:thing|message|bit|part|sentence|statement)(?: that)? {_HAVE} (?:just )?{_SAID}"
    rf"|what {_HAVE} {_SAID} last)",
    re.IGNORECASE,
)
_NUMBERS: Final = {
    "two": 2,
    "both": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_COUNT: Final = rf"(?P<count>{'|'.join(_NUMBERS)}|[2-9]|10)"
_THINGS: Final = r"(?:things|messages|bits|parts|sentences|statements)(?: that)?"
_LAST_FEW_SAID: Final = re.compile(
    rf"(?:about )?(?:the |those )?(?:(?:last|previous) {_COUNT}|{_COUNT.replace('count', 'n')} (?:last|previous))"
    rf" {_THINGS} {_HAVE} (?:just )?{_SAID}"
    rf"|(?:about )?(?:the |those )?{_COUNT.replace('count', 'of')}(?: of the)? {_THINGS} {_HAVE} just {_SAID}",
    re.IGNORECASE,
)
_LAST_FEW: Final = re.compile(
    rf"(?:the|those) (?:last|previous) {_COUNT} (?:things|facts|points)"
    rf"|my (?:last|previous) {_COUNT.replace('count', 'n')} (?:messages|sentences|statements|remarks|things)",
    re.IGNORECASE,
)
"""Name the last few of what the user said."""

_LAST: Final = re.compile(
    rf"{_LAST_SAID.pattern}|(?:my|that) (?:last|previous) (?:message|sentence|statement|remark|bit|part|thing)",
    re.IGNORECASE,
)
"""Names what the user said last."""

_ALONE: Final = re.compile(
    rf"\W*(?:(?:oh|wait|hm+|no|well)\W+){{0,3}}{ASK}"
    r"(?:scrap|strike|scratch|unsay|forget(?: about)?|un-?remember|(?P<thing>delete|erase|remove|wipe))"
    r" (?:that|this)(?P<memory> from (?:the|your) (?:records?|memory))?(?:,? (?:please|again|thanks|thank you))*\W*",
    re.IGNORECASE,
)
"""Takes back what was said last, where nothing stands beside it that would be done instead."""

_IGNORE: Final = re.compile(
    rf"\W*{ASK}(?:ignore|disregard) (?:what|whatever|everything|anything|all|the (?:thing|part|bit)s?)(?: that)?"
    rf" {_HAVE} (?:just |ever |once )?{_SAID} (?:about|on|of|regarding) (?P<what>[^.,;!?\n]+?)(?:,? please)?\W*",
    re.IGNORECASE,
)
"""The whole of a message: with a wish behind it, or about anything but what is known of somebody, it is a task's."""


_EACH: Final = re.compile(
    r"^(about )?(?:both|all)(?: of)? (?=(?:my|our|his|her|their|the|these|those)\b)", re.IGNORECASE
)
_FEW: Final = re.compile(
    r"(?:about )?(?:(?:some|several|a few) of )?(?:the|those|my) "
    r"(?:(?:last|previous) (?:few|couple(?: of)?|several|some)|few last)"
    r" (?:things|messages|facts|points|bits|parts|sentences|statements)"
    rf"(?: (?:that )?{_HAVE} (?:just )?{_SAID})?",
    re.IGNORECASE,
)


def is_of_a_few(what: str) -> bool:
    """Whether a request names the last few of what was said, and not how many.

    Example:
        >>> is_of_a_few("the last few things I told you"), is_of_a_few("the last two things I told you")
        (True, False)
    """
    return _FEW.fullmatch(what) is not None


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


def forget_asked(text: str) -> ForgetAsked | None:
    """Return what a message asks to forget; `None` where it asks for nothing of the kind.

    Example:
        >>> forget_asked("Delete my address.").what, forget_asked("Delete my draft.")
        ('my address', None)
        >>> forget_asked("Forget what I just said.").last, forget_asked("Forget the last two things I said.").last
        (1, 2)
    """
    text = closed_up(text)
    alone = _ALONE.fullmatch(text)
    if alone is not None and alone["memory"] is None:
        return ForgetAsked(last=1, is_bare=True, is_of_things=alone["thing"] is not None)
    if alone is not None or points_back(text):
        return ForgetAsked(last=1)
    what = next(filter(None, (*_ordered(text), *(_bare(it.what) for it in not_to_keep(text)))), None)
    return None if what is None else _read(what)


def _read(what: str) -> ForgetAsked:
    if _FEW.fullmatch(what):
        return ForgetAsked(what=what)
    if _LAST.fullmatch(what):
        return ForgetAsked(last=1)
    few = _LAST_FEW_SAID.fullmatch(what) or _LAST_FEW.fullmatch(what)
    if few is not None:
        count = next(filter(None, few.groups())).lower()
        return ForgetAsked(last=_NUMBERS.get(count) or int(count))
    if attribute_asked(_EACH.sub(r"\1", what)) is not None:
        return ForgetAsked(what=_EACH.sub(r"\1", what))
    narrowed = _NARROWED.search(what)
    is_all = _ALL.match(what) is not None and narrowed is None and not re.search(r"\bexcept\b|\bbut\b", what)
    is_narrowed = narrowed is not None and (_ALL.match(what) or _EACH.match(what)) is not None
    topic = narrowed.group("topic") if narrowed and is_narrowed else _LEAD.sub("", _EACH.sub(r"\1", what)).strip()
    return ForgetAsked(is_all=True) if is_all else ForgetAsked(what=topic or what)


def _ordered(text: str) -> Iterator[str]:
    forget, delete = _FORGET.search(text), _DELETE.search(text)
    if forget is not None and not _is_no_order(text, forget) and not _DISMISSED.search(text[forget.start("verb") :]):
        what = _bare(forget.group("what"))
        yield "" if re.fullmatch(r"(?:it|that|this|(?:all )?about (?:it|that|this))", what, re.IGNORECASE) else what
    if delete is not None and not _is_no_order(text, delete):
        what = _bare(delete.group("what"))
        is_meant = is_only_known(what) or _LAST_SAID.fullmatch(what) or _LAST_FEW_SAID.fullmatch(what)
        yield what if is_meant else ""
    ignored = _IGNORE.fullmatch(text)
    yield ignored["what"] if ignored is not None and attribute_asked(ignored["what"]) is not None else ""


def _is_no_order(text: str, found: re.Match[str]) -> bool:
    return _NO_FORGETTING.search(text[: found.start("what")] + text[found.start("what") :][:40]) is not None


def _bare(what: str) -> str:
    """Return what is named, without the clause that follows, and without words such as "please"."""
    return _TRAIL.sub("", _NEXT_CLAUSE.split(what, maxsplit=1)[0].strip(" .,!?\"'")).strip(" .,!?\"'")
