"""What a memory that holds several things says of each: "two dogs, Rex and Bella", "lives in Leeds with their wife".

Where one of them is over, the others hold on. Each is put into words of its own, as far as rules can; where they can
not, it is only told that there are several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import ADJECTIVES, BEING, NAME, OWNER, PARTNER, THEIRS, WHO
from langchain_agentmem.english.people.in_turn import said_in_turn
from langchain_agentmem.english.reading.orders import ANSWER_FORMS, order_in
from langchain_agentmem.english.words.lexicon import PETS
from langchain_agentmem.english.words.number_words import counts
from langchain_agentmem.english.words.patterns import CAPITALIZED

MAX_CHARS: Final = 300
"""Of a memory that is taken apart; a longer one tells a story."""

_MAX_PARTS: Final = 8
_NUMBERS: Final = counts(2, 12)
_COUNT: Final = rf"(?:{'|'.join(_NUMBERS)}|\d{{1,2}})"
_SUBJECT: Final = rf"(?:{WHO}|{NAME})"
_OF: Final = rf"(?:{OWNER}|{NAME}'s)"
_ONE_NAME: Final = CAPITALIZED
_NAMES: Final = rf"(?P<names>{_ONE_NAME}(?:, {_ONE_NAME}){{0,6}},? and {_ONE_NAME})"
_BEINGS: Final = r"(?P<which>(?:(?-i:[a-z-]+) ){0,2}?)(?P<beings>(?-i:[a-z]+))"
_JOINT: Final = lazy_pattern(r",? and |, ", re.IGNORECASE)
_JOINING: Final = (" and ", " with ", ", ", "; ", ". ", " but ")
_BESIDE: Final = lazy_pattern(rf"(?:,? and|,) (?=(?:{THEIRS}|{_COUNT}) )", re.IGNORECASE)
"""Between two whom somebody has, each with its own owner or number: "their wife Clara and two kids, Tom and Mia"."""

_HAS_NAMED: Final = lazy_pattern(
    rf"(?P<head>{_SUBJECT} (?:also |now )?(?:has|have|owns?|keeps?|got|adopted)) (?P<count>{_COUNT}) {_BEINGS}"
    rf"(?:[,:]|,? (?:called|named))? {_NAMES}",
    re.IGNORECASE,
)
_ARE_CALLED: Final = lazy_pattern(rf"(?P<head>{_OF}) {_BEINGS} are (?:called |named )?{_NAMES}", re.IGNORECASE)
_ARE_THEIRS: Final = lazy_pattern(rf"{_NAMES} are (?P<head>{OWNER}) {_BEINGS}", re.IGNORECASE)

_LIVES: Final = lazy_pattern(
    rf"(?P<who>{_SUBJECT}) (?:(?:now|currently|still) )?(?:lives?|is living|am living|resides?)"
    r"(?: (?:in|near|outside|on|at) (?P<place>[^,;.]+))?",
    re.IGNORECASE,
)
_COMPANY: Final = lazy_pattern(
    rf"(?:{THEIRS} {ADJECTIVES}(?P<role>{BEING})(?:,? (?P<name>{NAME}))?"
    rf"|(?:{THEIRS} )?(?P<count>{_COUNT}) (?P<beings>[a-z]+)(?P<called>,? {_NAMES})?)",
    re.IGNORECASE,
)
_AT_HOME: Final = lazy_pattern(
    rf"(?:{PARTNER}|sons?|daughters?|child(?:ren)?|kids?|baby|twins|(?:{'|'.join(sorted(PETS))})s?)", re.IGNORECASE
)
"""Whom somebody has whether or not they live there; so are all who are told of by name, but `_SHARES_HOME`."""

_SHARES_HOME: Final = lazy_pattern(r"mate|lodger|tenant|landlord|landlady|neighbou?r|host", re.IGNORECASE)

_VERB: Final = (
    r"(?:lives|works|likes|loves|enjoys|hates|plays|speaks|owns|drives|rides|teaches|studies|keeps|runs|collects|prefers"
    r"|has|is)"
)
_WITH_NAMES: Final = lazy_pattern(
    rf"(?P<head>{_SUBJECT} (?:(?:also|now|still|often|usually) )?(?:plays?|goes|sings?|runs?|trains?|cycles?|hikes?"
    r"|swims?|dances?|climbs?|jogs?|walks?|travels?|studies|studied|practi[sc]es?)(?: [\w-]+){0,4} with) "
    rf"{_NAMES}",
    re.IGNORECASE,
)
_SO_DOES: Final = lazy_pattern(
    rf"(?P<who>{_SUBJECT}) (?P<does>{_VERB}|does not \w+|is not|dislikes?|detests?|eats|drinks)"
    rf" (?P<what>[^,;.]+?),? and (?:so|neither|nor) (?:do|does|is) {THEIRS}"
    rf" (?P<role>{ADJECTIVES}{BEING}(?:,? {NAME})?)",
    re.IGNORECASE,
)
_WAY: Final = (
    r"(?:vegan|vegetarian|pescatarian|flexitarian|(?:gluten|dairy|lactose|sugar|nut)[- ]free"
    r"|(?:lactose|gluten)[- ]intolerant|teetotal|sober|kosher|halal|married|single|divorced|widowed|engaged|retired"
    r"|allergic to [\w-]+(?: [\w-]+)?"
    r"|unemployed|pregnant|diabetic|asthmatic|dyslexic|autistic|deaf|blind|colou?r[- ]blind|(?:left|right)[- ]handed)"
)
_IS_BOTH: Final = lazy_pattern(
    rf"(?P<head>{_SUBJECT}(?: (?:(?:also|now|still) )?(?:is|am)|'m))"
    rf" (?P<ways>(?:an? )?{_WAY}(?:, {_WAY}){{0,4}},? and {_WAY})",
    re.IGNORECASE,
)
"""How somebody is in several ways, of which each holds without the others."""

_BOTH_ORDERED: Final = lazy_pattern(
    r"(?P<one>[^;.]+?),? and (?P<other>(?:please )?(?:always|never|do not|don't|only) [^;.]+)", re.IGNORECASE
)
_FORM: Final = lazy_pattern(rf"\b{ANSWER_FORMS}\b", re.IGNORECASE)
_CASE: Final = lazy_pattern(r"\b(?:when|whenever|if|unless|while|until|except|once|during|for)\b", re.IGNORECASE)
_CLAUSE: Final = lazy_pattern(r" (?:who|which|that|because|if|when|while|so|but|where)\b", re.IGNORECASE)

_IS_OF: Final = r"(?:allergic to|fond of|into|an? (?:big )?fan of)"
_LIST: Final = lazy_pattern(
    rf"(?P<head>{_SUBJECT}(?:'m {_IS_OF}| (?:(?:also|now|still|really) )?(?:(?P<has>has|have|owns?|drives?|rides?)"
    r"|likes?|loves?|enjoys?|adores?|hates?|dislikes?|plays?|(?P<names>speaks?)|collects?|uses?|studies|teaches"
    rf"|(?:is|am) {_IS_OF}))) (?P<items>.+)",
    re.IGNORECASE,
)
_NO_NOUN: Final = (
    r"(?!(?:of|in|on|at|to|for|from|with|by|about|over|and|or|who|which|that|because|is|are|was|when|while|since|but"
    r"|not|no|as|than|if|so|like|near|after|before)\b)"
)
_ITEM: Final = lazy_pattern(rf"(?:(?:{_NO_NOUN}[\w'/+#&-]+) ?){{1,4}}", re.IGNORECASE)
_DOES: Final = lazy_pattern(
    rf"(?P<head>{_SUBJECT} (?:(?:also|now|still|often|usually|always|only) )?"
    r"(?:(?!(?:is|am|are|was|were|has|have|had|do|does|did|be|been|can|will|would|not|no|never)\b)(?-i:[a-z]+)"
    r"(?: (?:at|on|for|from|in))?|(?:is|am) on)) (?P<items>.+)",
    re.IGNORECASE,
)
"""What somebody does with one thing and another, whatever it is."""

_MARKED: Final = lazy_pattern(rf"(?:an?|the|my|our|their|his|her|{_COUNT}) ", re.IGNORECASE)
_COUNTED: Final = lazy_pattern(rf"{_COUNT} [a-z]+s", re.IGNORECASE)
_PAIRS: Final = frozenset(
    "gin and tonic|bread and butter|fish and chips|salt and pepper|salt and vinegar|rhythm and blues|rock and roll"
    "|drum and bass|mac and cheese|macaroni and cheese|arts and crafts|bed and breakfast|peanut butter and jelly"
    "|rum and coke|oil and vinegar|milk and sugar|beans and toast|bacon and eggs|black and white|cheese and wine"
    "|dungeons and dragons|trial and error|country and western|cats and dogs".split("|")
)


def is_pair(text: str) -> bool:
    """Whether a text is two words that are one thing: "gin and tonic"."""
    return text.casefold() in _PAIRS


class Several(NamedTuple):
    """What a memory says of each of several things.

    Attributes:
        parts: Each in a sentence of its own.
        implied: What it says besides, which is over together with one of them and is not kept by itself.
        can_stand: Whether the sentences are sure to say no more than the memory did; else they only tell what is meant.
    """

    parts: tuple[str, ...]
    implied: tuple[str, ...] = ()
    can_stand: bool = True


def several_in(text: str) -> Several | None:
    """Return what a memory says of each of several things; `None` where it holds one, or rules cannot tell.

    Example:
        >>> several_in("The user has two dogs, Rex and Bella").parts
        ('The user has a dog called Rex', 'The user has a dog called Bella')
        >>> several_in("The user likes gin and tonic").can_stand
        False
    """
    if len(text) > MAX_CHARS or not any(it in text for it in _JOINING):
        return None
    plain = " ".join(text.split()).rstrip(". ")
    found = next((it for read in _READ if (it := read(plain)) is not None), None)
    return found if found is not None and 1 < len(found.parts) + len(found.implied) <= _MAX_PARTS else None


def _names(found: re.Match[str]) -> list[str]:
    return _JOINT.split(found["names"])


def _one_of(beings: str) -> str | None:
    """Return the word for one of several people or animals, if it is one."""
    word = beings.casefold()
    if word == "children":
        return "child"
    if not word.endswith("s"):
        return None
    one = f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    return one if re.fullmatch(BEING, one) else None


def _named(text: str) -> Several | None:
    found = _HAS_NAMED.fullmatch(text)
    one = _one_of(found["beings"]) if found is not None else None
    if found is None or one is None:
        return None
    noun, names = f"{found['which']}{one}", _names(found)
    article = "an" if noun[0] in "aeiou" else "a"
    count = found["count"].casefold()
    is_all = len(names) == (int(count) if count.isdigit() else _NUMBERS[count])
    return Several(tuple(f"{found['head']} {article} {noun} called {it}" for it in names), can_stand=is_all)


def _called(text: str) -> Several | None:
    found = _ARE_CALLED.fullmatch(text) or _ARE_THEIRS.fullmatch(text)
    one = _one_of(found["beings"]) if found is not None else None
    if found is None or one is None:
        return None
    noun = f"{found['head']} {found['which']}{one}"
    is_led = text.startswith(noun[: len(found["head"])])
    return Several(tuple(f"{noun} is called {it}" if is_led else f"{it} is {noun}" for it in _names(found)))


def _together(text: str) -> Several | None:
    """Read where somebody lives, and with whom they share their life: "in Leeds with their wife Clara"."""
    head, _, behind = text.partition(" with ")
    whom, _, place = behind.partition(" in ")
    lives = _LIVES.fullmatch(f"{head} in {place}" if place else head)
    if lives is None or not lives["place"]:
        return None
    read = [_COMPANY.fullmatch(it) for it in _BESIDE.split(whom)]
    company = [_companion(it, lives["who"]) for it in read if it is not None]
    if not whom or len(company) < len(read) or None in company:
        return None
    home = lives[0]
    with_each = (f"{lives['who']} lives with {it[0]}" for it in read if it is not None)
    return Several((home, *filter(None, company)), tuple(with_each))


def _companion(found: re.Match[str], who: str) -> str | None:
    """Return whom somebody has, if it is one who is theirs wherever they live."""
    is_kin = found["name"] and not _SHARES_HOME.search(found["role"] or "")
    if not (is_kin or _AT_HOME.fullmatch(found["role"] or found["beings"])):
        return None
    has = "have" if who.casefold() in {"i", "we"} else "has"
    if found["count"]:
        return f"{who} {has} {found['count']} {found['beings']}{found['called'] or ''}"
    role = found["role"]
    if found["name"]:
        return f"{_owner(who)} {role} is {found['name']}"
    return f"{who} {has} {'an' if role[0].casefold() in 'aeiou' else 'a'} {role}"


def _owner(who: str) -> str:
    return {"i": "My", "we": "Our"}.get(who.casefold()) or (who if who.endswith("'s") else f"{who}'s")


def _with_names(text: str) -> Several | None:
    """Read with whom somebody does something: "plays golf with Tom and Jerry"."""
    found = _WITH_NAMES.fullmatch(text)
    return None if found is None else Several(tuple(f"{found['head']} {it}" for it in _names(found)))


def _in_turn(text: str) -> Several | None:
    """Read what is said of somebody one thing after the other: "lives in Leeds and works at Siemens"."""
    found = said_in_turn(text)
    return None if found is None else Several(found.parts, can_stand=found.can_stand)


def _ways(text: str) -> Several | None:
    """Read how somebody is in several ways: "is vegan and gluten free"."""
    found = _IS_BOTH.fullmatch(text)
    return None if found is None else Several(tuple(f"{found['head']} {it}" for it in _JOINT.split(found["ways"])))


def _so_does(text: str) -> Several | None:
    """Read what is said of somebody, and of one whom they have: "hates cilantro and so does their wife"."""
    found = _SO_DOES.fullmatch(text)
    if found is None or _CLAUSE.search(found["what"]):
        return None
    said = f"{found['does']} {found['what']}"
    return Several((f"{found['who']} {said}", f"{_owner(found['who'])} {found['role']} {said}"))


def _listed(text: str) -> Several | None:
    """Read what somebody likes, plays or has, one beside the other."""
    found = _LIST.fullmatch(text)
    items = _JOINT.split(found["items"]) if found is not None else []
    if found is None or len(items) < 2 or not all(items) or _CLAUSE.search(found["items"]):  # noqa: PLR2004
        return None
    are_marked = all(map(_MARKED.match, items))
    if found["has"] and not are_marked:  # "a beautiful and old house"
        return None
    are_names = not found["names"] and all(it[:1].isupper() for it in items)  # "Ben and Jerry"
    is_one = are_names or is_pair(found["items"])
    parts = tuple(f"{found['head']} {it}" for it in items)
    return Several(parts, can_stand=not is_one and _are_apart(items))


def _done_with_each(text: str) -> Several | None:
    """Read what somebody does with each of several things: "takes ramipril and a statin"."""
    found = _DOES.fullmatch(text)
    items = _JOINT.split(found["items"]) if found is not None else []
    if found is None or len(items) < 2 or any(it[:1].isupper() or it[:1].isdigit() for it in items):  # noqa: PLR2004
        return None
    if is_pair(found["items"]) or not _are_apart(items):
        return None
    return Several(tuple(f"{found['head']} {it}" for it in items))


def _are_apart(items: Sequence[str]) -> bool:
    """Whether no item can be half a name of another, nor tell what the others are: "salt and vinegar crisps"."""
    if not all(_ITEM.fullmatch(it) for it in items):
        return False
    are_marked = [_MARKED.match(it) is not None for it in items]
    if all(are_marked):
        return not (_COUNTED.fullmatch(items[0]) and len(items) > 2)  # noqa: PLR2004  ("two cars, a Volvo and a Fiat")
    is_led = are_marked == sorted(are_marked)  # "a red and white Mini" is one thing
    return is_led and all(" " not in it for it, is_marked in zip(items, are_marked, strict=True) if not is_marked)


def _ordered(text: str) -> Several | None:
    """Read two standing orders of how to answer: "keep it short and always use metric units"."""
    found = _BOTH_ORDERED.fullmatch(text)
    parts = (found["one"], f"{found['other'][:1].upper()}{found['other'][1:]}") if found is not None else ()
    orders = [order_in(it) for it in parts]
    are_both = all(it is not None and (it.manner or _FORM.search(part)) for it, part in zip(orders, parts, strict=True))
    if not orders or not are_both or _CASE.search(text):
        return None
    return Several(parts)


_READ: Final[Sequence[Callable[[str], Several | None]]] = (
    _named,
    _called,
    _together,
    _with_names,
    _in_turn,
    _ways,
    _so_does,
    _listed,
    _done_with_each,
    _ordered,
)
