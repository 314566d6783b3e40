"""Standing orders: what they are about, which of two stands, and which a permission lifts. English.

An order asks for a deed, or forbids it, in a manner: in a language, in units, at a length, in a tone, before or after
an hour. Of each aspect one value holds at a time, so "answer in English" ends "answer in French"; and what is asked for
ends what forbids just that. Every other word has to agree: "write comments in English" is another order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.text.folding import fold
from langchain_agentmem.english.words.lexicon import SYNONYMS, stem
from langchain_agentmem.english.words.manners import (
    ANSWER_FORMS,
    AT_ANY_TIME,
    LANGUAGES,
    LASTING,
    RECURRING,
    SIDE_NAMES,
    SINGLE,
    UNITS,
    hours_in,
    is_for_good,
    manner_in,
)
from langchain_agentmem.english.words.order_words import (
    ADDRESS,
    AROUND,
    BAN,
    CALLED,
    DUTY,
    FOR_WHAT,
    HOW_OFTEN,
    LATELY,
    LIFTS,
    NO_WISH,
    OF_WHAT,
    REASON,
    STOP,
    VERB,
    WISH,
    Lifted,
)

__all__ = [
    "ADDRESS",
    "ANSWER_FORMS",
    "LANGUAGES",
    "LASTING",
    "MAX_ORDER_CHARS",
    "RECURRING",
    "UNITS",
    "Lift",
    "Lifted",
    "Order",
    "is_for_good",
    "is_lifted",
    "is_of_answers",
    "is_overruled",
    "is_same_manner",
    "lift_in",
    "order_in",
    "told_of",
]

MAX_ORDER_CHARS: Final = 300
"""Of an order; a longer text says more than one thing."""

_CASE: Final = lazy_pattern(
    r"\b(?:when|whenever|if|unless|while|until|except|once|during|after|before)\b.*", re.IGNORECASE
)

_OFFERING: Final = frozenset(
    map(stem, "suggest recommend propose offer mention include order buy book serve cook add put".split())
)
"""What is done with a thing that may be wanted or not: who says that pork is fine allows to suggest it."""

_LEAD: Final = lazy_pattern(rf"\A(?:{LATELY}[\s,]+)+(?=\w)", re.IGNORECASE)
_ALWAYS: Final = lazy_pattern(r"(?:[\w ]{1,30}, )?(?:please )?(?:always|only)\b", re.IGNORECASE)
_PARTLY: Final = lazy_pattern(r"\b(?:not|n't) (?:always|only|just)\b|n't (?:always|only|just)\b", re.IGNORECASE)

_TO_ME: Final = lazy_pattern(
    r",? (?:when|whenever|if) (?:you|u|the assistant) (?:talk|speak|write|answer|reply|respond|chat|explain)(?:s|ies)?"
    r"(?: (?:to|with) (?:me|us|the user|them))?$",
    re.IGNORECASE,
)
"""Behind an order for answers it limits nothing."""

_LATER: Final = lazy_pattern(
    r"(?:from now on|going forward|in (?:the )?future|henceforth),? (?:please )?(?!(?:I|we|my|our|he|she|it|they|his"
    r"|her|their|the|an?|there|this|that|no|all|every|some|when|if|user|users)\b|\w+(?:ed|ing)\b)[a-z]+ (?-i:[a-z])",
    re.IGNORECASE,
)
"""Begins an order, whatever its verb."""

_TO: Final = frozenset(("to", "in", "into"))
_WITH: Final = frozenset(("with",))
_WITHOUT: Final = frozenset(("without",))

_TOKEN: Final = lazy_pattern(r"[\w'/-]+")
_WHO: Final = frozenset("the a an my me i us user user's them their it you your assistant am is are be that".split())
_FRAME: Final = frozenset(
    stem(word)
    for word in """
    answer reply respond response write speak talk explain explanation say give keep make show stick switch be stay
    remain format phrase word provide express display quote list state prefer want like send
    change move shift set default continue chat scale clock convert measure put
    in into to as with at of and or for way manner style tone language unit units system terms words point points
    everything things stuff all time times format very more really quite sure
    """.split()
)
"""How an answer is given, in other words: where a manner is named, these add nothing to it."""

_ALL: Final = frozenset((stem("everything"),))
_MEASURED: Final = {
    "temperature": stem("temperatures"),
    "distance": stem("distances"),
    "weight": stem("weights"),
    "currency": stem("prices"),
    "indentation": stem("indentation"),
}
"""What a unit measures, where nothing else is said of it, adds nothing to the unit."""

_GIVING: Final = frozenset(map(stem, ("use", "using", "add", "include", "provide")))
"""That something is given at all: who may use emojis again was told "no emojis"."""

_SAME: Final = {
    **dict.fromkeys(map(stem, ("phone", "ring", "telephone")), "call"),
    **dict.fromkeys(map(stem, ("recommend", "propose")), stem("suggest")),
    stem("emojis"): "emoji",
}


_ANSWERING: Final = frozenset(("length", "tone", "candour", "mood", "level", "form"))
_ANSWER: Final = frozenset(
    stem(word)
    for word in """
    sentence paragraph message email mail reply summary description example suggestion comment code text output report
    update step note word
    """.split()
)


class Order(NamedTuple):
    """What is asked for, or forbidden.

    Attributes:
        is_ban: It says what not to do.
        manner: Aspects with their values: `("language", "french")`, `("before", "9")`.
        words: All other words that say something, by their stems.
        scope: Of these, those that say of what, or how often: "for commit messages", "every day".
        is_unwanted: It is forbidden by a wish that no longer is: "I don't want French any more".
    """

    is_ban: bool
    manner: frozenset[tuple[str, str]]
    words: frozenset[str]
    scope: frozenset[str] = frozenset()
    is_unwanted: bool = False

    @property
    def aspects(self) -> frozenset[str]:
        """What the manner is about."""
        return frozenset(aspect for aspect, _ in self.manner)


class Lift(NamedTuple):
    """An order that ends another one: what was forbidden is allowed, or what was asked for is needed no more.

    Attributes:
        ends: What it ends. `deed`: what is allowed, or needed no more.
        forbids: Where there is nothing to end, it is an order itself: "stop answering in French".
        is_of_thing: A thing is allowed, whatever was not to be done with it: "pork is fine now".
    """

    ends: Lifted
    deed: Order
    forbids: bool = False
    is_of_thing: bool = False


@of_texts(1024)
def order_in(text: str, who: str = "") -> Order | None:
    """Return the order that a sentence gives, or `None` where rules do not read it as one.

    Args:
        text: One sentence.
        who: The user's name: "call Ana" is then "call me".

    Example:
        >>> sorted(order_in("From now on, always answer in French").manner)
        [('language', 'french')]
    """
    plain = _plain(text)
    called = CALLED.fullmatch(plain)
    if called is not None:
        return _deed(f"call {called['name']}", who)
    if len(plain) > MAX_ORDER_CHARS or _PARTLY.search(plain) or any(it.fullmatch(_led(plain)) for _, it in LIFTS):
        return None
    body, scope = _scoped(_bare(plain))
    for is_ban, pattern in ((True, BAN), (False, DUTY)):
        found = pattern.match(body)
        if found is not None:
            return _deed(f"{body[found.end() :]}{scope}", who, is_ban=is_ban)
    wish = WISH.match(body)
    if wish is not None:
        deed = _deed(body[wish.end() :], who, is_ban=wish["not"] is not None)
        return deed._replace(is_unwanted=True) if deed is not None and NO_WISH.match(plain) else deed
    is_order = any(it.match(plain) for it in (_ALWAYS, _LATER)) or VERB.match(body) is not None
    return _deed(f"{body}{scope}", who) if is_order else None


@of_texts(1024)
def lift_in(text: str, who: str = "") -> Lift | None:
    """Return what a sentence lifts, or `None`; arguments are those of `order_in`.

    Example:
        >>> lift_in("You may call me before nine again").ends
        'ban'
    """
    body = _led(_plain(text))
    if len(body) > MAX_ORDER_CHARS:
        return None
    stopped = STOP.fullmatch(body)
    if stopped is not None:
        deed = _deed(_bare(stopped["deed"]), who)
        return None if deed is None else Lift("duty", deed, forbids=True)
    for ends, pattern in LIFTS:
        found = pattern.fullmatch(body)
        deed = _deed(_bare(found["deed"]), who, is_ban=ends == "ban") if found is not None else None
        if found is not None and deed is not None:
            return Lift(ends, deed, is_of_thing="thing" in found.groupdict())
    return None


def told_of(text: str) -> str | None:
    """Return what a sentence lifts, worded to stand alone; `None` where it lifts nothing, or is an order by itself.

    Example:
        >>> told_of("you don't have to answer in French any more")
        'the assistant no longer has to answer in French'
    """
    body = _led(_plain(text))
    for ends, pattern in LIFTS:
        found = pattern.fullmatch(body)
        if found is None:
            continue
        groups, deed = found.groupdict(), _bare(found["deed"])
        if groups.get("be"):
            return f"{deed} {groups['be']} {groups['fine'] or groups['ok']} again"
        if groups.get("bother"):
            return f"{groups['bother']} bother with {deed} any more"
        if ends == "ban":
            return f"the assistant can {deed} again"
        if groups["need"]:
            return f"there is no more need {groups['need'].split()[-1]} {deed}"
        return f"the assistant can stop {deed}" if groups["stop"] else f"the assistant no longer has to {deed}"
    return None


def is_lifted(lift: Lift, order: Order) -> bool:
    """Whether a lift ends an order: exactly that one, or one of another value where it allows this one.

    "You can answer in English again" ends "answer in French"; "you can call me at any time" ends every hour's ban.
    """
    deed = lift.deed
    if lift.is_of_thing:
        return order.is_ban and deed.words == order.words - _OFFERING and not order.manner
    is_same = deed.words == order.words
    if not (is_same or (lift.ends == "duty" and order.words - order.scope <= deed.words < order.words)):
        return False
    if order.is_ban != (lift.ends == "ban"):
        return lift.ends == "ban" and not order.is_ban and _is_rival(deed, order)
    if AT_ANY_TIME in deed.manner:
        return order.aspects <= SIDE_NAMES
    return _agree(deed, order)


def is_overruled(new: Order, old: Order) -> bool:
    """Whether a new order ends an old one: the same deed in another manner, or asked for instead of forbidden."""
    if _is_turned(new, old) or _is_added(new, old) or _is_unwanted(new, old):
        return True
    if new.words != old.words or not (new.words or new.manner):
        return False
    if new.is_ban != old.is_ban:
        return _agree(new, old)
    return _is_rival(new, old) if not new.is_ban else _is_moved(new, old)


def is_of_answers(order: Order) -> bool:
    """Whether an order is about how answers are given, and about nothing else: their length, their tone, their form.

    Example:
        >>> is_of_answers(order_in("Please keep your answers short")), is_of_answers(order_in("Please use plain flour"))
        (True, False)
    """
    return bool(order.aspects & _ANSWERING) and order.words <= _ANSWER


def is_same_manner(new: Order, old: Order) -> bool:
    """Whether two orders ask for the same deed in the same manner, whatever the words: "be brief", "keep it short"."""
    return bool(new.manner) and new.is_ban == old.is_ban and new.words == old.words and new.manner == old.manner


def _is_turned(new: Order, old: Order) -> bool:
    """Whether two orders for one deed ask for it with something, and without."""
    one, other = new.words - _WITH, old.words - _WITH
    is_one_deed = one - _WITHOUT == other - _WITHOUT and new.manner == old.manner
    return is_one_deed and one ^ other == _WITHOUT and not (new.is_ban or old.is_ban)


def _is_added(new: Order, old: Order) -> bool:
    """Whether a new order puts to something what the old one wants it without: "add comments to the code"."""
    is_other = not (new.is_ban or old.is_ban or new.words.isdisjoint(_TO)) and old.words >= _WITHOUT
    return is_other and new.words - _TO == old.words - _WITHOUT - _FRAME and new.manner == old.manner


def _is_unwanted(new: Order, old: Order) -> bool:
    """Whether a wish that no longer is names just what the old order asks for: "I don't want French any more"."""
    if not new.is_unwanted or old.is_ban or new.manner or not new.words:
        return False
    spoken = frozenset(stem(value) for aspect, value in old.manner if aspect == "language")
    return new.words == old.words - _FRAME | spoken and len(old.manner) == len(spoken)


def _is_rival(new: Order, old: Order) -> bool:
    """Whether one value stands for another in each aspect in which they differ, and none is left of the old one."""
    differing = {aspect for aspect, _ in old.manner - new.manner}
    return bool(differing) and old.aspects <= new.aspects and differing <= SINGLE


def _is_moved(new: Order, old: Order) -> bool:
    """Whether the hour from or until which something is forbidden is another one."""
    return new.aspects == old.aspects and bool(new.aspects & SIDE_NAMES) and not _agree(new, old)


def _agree(one: Order, other: Order) -> bool:
    """Whether two manners are one; "before nine" may be said of "9 am"."""
    if one.aspects != other.aspects:
        return False
    there = dict(other.manner)
    return all(value == there[aspect] or _is_same_hour(value, there[aspect]) for aspect, value in one.manner)


def _is_same_hour(one: str, other: str) -> bool:
    bare = (one.rstrip("apm"), other.rstrip("apm"))
    return bare[0] == bare[1] and bare[0][:1].isdigit() and (one in bare or other in bare)


# ------------------------------------------------------------------------------------------------------------- reading
def _plain(text: str) -> str:
    return _TO_ME.sub("", REASON.sub("", " ".join(fold(as_read(text)).text.strip(" .!").split())))


def _led(plain: str) -> str:
    """Return a sentence without what leads to it: "from now on, you can …"."""
    return _LEAD.sub("", plain)


def _bare(plain: str) -> str:
    """Return a sentence without words of time and politeness, which say when an order is given, and not what."""
    return " ".join(AROUND.sub(" ", plain).split()).strip(" ,")


def _scoped(body: str) -> tuple[str, str]:
    """Return an order, and what it is for behind it: "for commit messages, use …" is "use … for commit messages"."""
    what = OF_WHAT.match(body)
    return (body, "") if what is None else (body[what.end() :], f" {what[0].strip(' ,')}")


def _deed(text: str, who: str, *, is_ban: bool = False) -> Order | None:
    """Return the order to do, or not to do, what a phrase names; `None` where it names nothing.

    What it is for ("when I write in English") is compared word for word: its manner is not that of the deed.
    """
    hours, left = hours_in(text)
    case = _CASE.search(left)
    head, tail = (left, "") if case is None else (left[: case.start()], case.group())
    manner, head = manner_in(head)
    measured = frozenset(_MEASURED[aspect] for aspect, _ in manner if aspect in _MEASURED)
    words = frozenset(_stems(head, who)) - (_FRAME | measured if manner else frozenset())
    limits = (found[0] for each in (FOR_WHAT, HOW_OFTEN) for found in each.finditer(head))
    scope = frozenset(it for each in limits for it in _stems(each, who))
    words -= _ALL if scope & words else frozenset()  # "write everything in British English"
    order = Order(is_ban, manner | hours, words | frozenset(_stems(tail, who)), scope & words)
    return order if order.words or order.manner else None


def _stems(text: str, who: str) -> Iterator[str]:
    ignored = _WHO | frozenset(who.casefold().split())
    for word in _TOKEN.findall(text.casefold()):
        term = stem(word)
        if word.removesuffix("'s") not in ignored and term not in _GIVING:
            yield _SAME.get(term, SYNONYMS.get(term, term))
