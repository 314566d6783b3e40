"""A request that names several apart: "my job and my address" is each of them, and "salt and vinegar crisps" is one.

Taken apart only where every part is whole by itself: an attribute, somebody, a thing with its article or owner. What
stands behind a preposition may belong to it, and so may whatever is joined to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.several import is_pair
from langchain_agentmem.english.requests.attributes import attribute_asked
from langchain_agentmem.english.words.kin_words import any_of
from langchain_agentmem.english.words.lexicon import PETS, ROLES
from langchain_agentmem.english.words.patterns import FULL_NAME

MAX_PARTS: Final = 8
"""Of a request; one that lists more tells a story."""

_JOINT: Final = lazy_pattern(r"(?P<last>,? (?:and|or|as well as|plus|&) (?:also )?|, )(?:about )?", re.IGNORECASE)
_BEING: Final = rf"(?:{any_of(ROLES | PETS)}|children|wives|puppies|kitties|famil(?:y|ies))s?"
_NAME: Final = rf"(?!I\b){FULL_NAME}"
_SOMEBODY: Final = lazy_pattern(
    rf"(?:(?:my|our|the) (?:(?:older|younger|elder|little|big|late|best) )?{_BEING}(?:,? {_NAME})?|{_NAME})",
    re.IGNORECASE,
)
_NAMELESS: Final = lazy_pattern(rf"(?:my|our) (?:[a-z]+ )?{_BEING}", re.IGNORECASE)
_OWNER: Final = rf"(?:(?:my|our) {_BEING}['\u2019]s?|{_NAME}['\u2019]s|my|our|the|this|these|those)"
_NO_NOUN: Final = (
    r"(?!(?:of|in|on|at|to|for|from|with|without|by|about|over|as|than|like|near|after|before|between|is|are|was|were"
    r"|has|had|have|that|which|who|not|no|I|we|you|he|she|they|it)\b)"
)
_THING: Final = lazy_pattern(rf"{_OWNER} (?:{_NO_NOUN}[\w-]+ ){{0,2}}{_NO_NOUN}[\w-]+", re.IGNORECASE)
_BEHIND: Final = lazy_pattern(r" (?:of|in|on|at|to|for|from|with|by|about) .+", re.IGNORECASE)
"""What may tell more of the last part, which nothing is joined to."""

_HALF: Final = lazy_pattern(
    r"\b(?:old|new|first|last|former|current|previous|next|favou?rite|big|small|little|older|younger|full|real|private"
    r"|personal|good|bad|best|worst|rest|others?|ups?|downs?|past|future|black|white|home|office|mobile|cell|main)$",
    re.IGNORECASE,
)
"""Ends half a name: "my first and last name", "the black and white dress"."""

_THEIRS: Final = lazy_pattern(r"(?:his|her|their) (?P<had>.+)", re.IGNORECASE)
_OF_SEVERAL: Final = lazy_pattern(rf"(?:(?:my|our) {_BEING}|{_NAME})['\u2019]s? .+", re.IGNORECASE)
_BARE: Final = lazy_pattern(r"[a-z][\w-]*|(?:phone|e-?mail) (?:number|address)|date of birth", re.IGNORECASE)
_CLAIM: Final = lazy_pattern(r"that (?:I|we|my|our|he|she|they)\b.+", re.IGNORECASE)


def named_apart(what: str) -> tuple[str, ...]:
    """Return what a request names, each by itself; all in one where it names one, or rules cannot tell.

    Example:
        >>> named_apart("my job, my address and where I was born")
        ('my job', 'my address', 'where I was born')
        >>> named_apart("my name and age"), named_apart("Tom and his dog")
        (('my name', 'my age'), ('Tom', "Tom's dog"))
        >>> named_apart("that I like salt and vinegar crisps"), named_apart("Tom and Jerry's birthday")
        (('that I like salt and vinegar crisps',), ("Tom and Jerry's birthday",))
    """
    plain = " ".join(what.split()).strip(" .,!?")
    joints = [*_JOINT.finditer(plain)]
    if not joints or len(joints) >= MAX_PARTS or joints[-1]["last"].strip() == "," or is_pair(plain):
        return (what,)
    ends = [*(it.start() for it in joints), len(plain)]
    parts = [plain[start:end] for start, end in zip([0, *(it.end() for it in joints)], ends, strict=True)]
    parts[0] = re.sub(r"^about ", "", parts[0], flags=re.IGNORECASE)
    parts = [*_with_names(parts, [it["last"] == ", " for it in joints])]
    read = [*_each(parts)]
    is_each = 1 < len(read) == len(parts) == len({it.casefold() for it in parts})
    return tuple(read) if is_each and not _are_owners(parts) else (what,)


def _with_names(parts: Sequence[str], are_listed: Sequence[bool]) -> Iterator[str]:
    """Yield the parts, a name with whom it is the name of: "my brother, Ben, and my job"."""
    before = parts[0]
    for part, is_listed in zip(parts[1:], are_listed, strict=True):
        if is_listed and _NAMELESS.fullmatch(before) and re.fullmatch(_NAME, part):
            before = f"{before}, {part}"
        else:
            yield before
            before = part
    yield before


def _each(parts: Sequence[str]) -> Iterator[str]:
    """Yield the parts that are whole, each so that it stands by itself."""
    if all(map(_CLAIM.fullmatch, parts)):
        yield from parts
        return
    before = ""
    for place, part in enumerate(parts):
        whole = _whole(part, parts[0] if place else "", before, is_last=place == len(parts) - 1)
        if whole is None:
            return
        yield whole
        before = part


def _whole(part: str, first: str, before: str, *, is_last: bool) -> str | None:
    theirs = _THEIRS.fullmatch(part)
    if theirs is not None:
        return f"{before}'s {theirs['had']}" if _SOMEBODY.fullmatch(before) else None
    if _SOMEBODY.fullmatch(part) or (attribute_asked(part) is not None and not _HALF.search(part)):
        return part
    if first and _BARE.fullmatch(part):
        return _owned(part, first)
    plain = _BEHIND.sub("", part) if is_last else part
    return part if _THING.fullmatch(plain) and not _HALF.search(plain) else None


def _owned(part: str, first: str) -> str | None:
    """Return a part without an owner as it has that of the first: "my name and age"."""
    owner = re.match(rf"{_OWNER}(?= )", first, re.IGNORECASE)
    if owner is None or not _is_known(first) or _HALF.search(first):
        return None
    owned = f"{owner[0]} {part}"
    return owned if _is_known(owned) else None


def _is_known(what: str) -> bool:
    return attribute_asked(what) is not None or _SOMEBODY.fullmatch(what) is not None


def _are_owners(parts: Sequence[str]) -> bool:
    """Whether somebody may own together what only the last one seems to: "Tom and Jerry's birthday"."""
    return any(
        _OF_SEVERAL.fullmatch(part) and any(map(_SOMEBODY.fullmatch, parts[:place])) for place, part in enumerate(parts)
    )
