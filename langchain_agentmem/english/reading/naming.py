"""Names as they are compared: without case, spacing, quotes, articles, and the title before a full name."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.relations import ROLES, canonical_role

USER: Final = "user"
"""Key of the user. `SHOWN_USER`: their name, as long as they have not told it."""

SHOWN_USER: Final = "the user"

MAX_NAME_CHARS: Final = 200
"""What is longer is no name; it stays what it is, a text that is said of something."""

KEPT_NAMES: Final = 8_192
"""Names kept as they were folded, the last ones used: a graph asks for each many times."""

_ROUNDS: Final = 8
"""In which a name comes to its last form; two or three are enough for what people write."""

_MYSELF: Final = frozenset({"user", "the user", "i", "me", "myself"})
_TITLE: Final = lazy_pattern(r"(?:dr|mr|mrs|ms|miss|prof|professor|doctor|sir|dame)\.? (?=\S)", re.IGNORECASE)
_ARTICLE: Final = lazy_pattern(r"^(?:(?:the|an?) )+(?=\S)", re.IGNORECASE)
_FOLD: Final = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_ROLE: Final = lazy_pattern(
    rf"(?P<owner>my|our|(?:the )?user's|(?P<name>\S.{{0,99}}?)'s?) (?P<role>{'|'.join(sorted(ROLES))})", re.IGNORECASE
)
_ADDRESS: Final = lazy_pattern(r"([\w.+-]{1,64})@[\w-]+(?:\.[\w-]+)+")
_NO_PERSON: Final = frozenset(
    "info admin contact support sales office team hello mail noreply no-reply postmaster".split()
)


def clean(name: str) -> str:
    """Return a name as it is shown: single spaces, no quotes around it and no mark behind it."""
    return " ".join(unicodedata.normalize("NFKC", name).translate(_FOLD).split()).strip(" \"'`,;:!?").removesuffix(".")


@of_texts(KEPT_NAMES)
def key_of(name: str) -> str:
    """Return the form by which names are compared; of the user and their pronouns, `user`.

    Example:
        >>> key_of("Dr. Nora  BERG"), key_of("The user")
        ('nora berg', 'user')
    """
    folded, before = name, ""
    for _ in range(_ROUNDS):
        if folded == before:
            break
        before, folded = folded, _folded(folded)
    return folded


def _folded(name: str) -> str:
    folded = clean(name).casefold()
    if folded in _MYSELF:
        return USER
    role = role_in(folded)
    if role is not None:
        return f"{role[0]}'s {role[1]}"
    folded = _ARTICLE.sub("", folded.replace(". ", " "))
    bare = without_title(folded)
    return bare if " " in bare else folded


def without_title(name: str) -> str:
    """Return a name without the title before it."""
    found = _TITLE.match(name)
    return name[found.end() :] if found else name


def has_title(name: str) -> bool:
    """Whether a title stands before a name."""
    return _TITLE.match(name) is not None


@of_texts(KEPT_NAMES)
def role_in(name: str) -> tuple[str, str] | None:
    """Return key of the owner, and role, of a name that only says who somebody is to whom: "my sister", "Tom's boss".

    Example:
        >>> role_in("my mum"), role_in("Nora")
        (('user', 'mother'), None)
    """
    found = _ROLE.fullmatch(clean(name))
    if found is None:
        return None
    return (key_of(found["name"]) if found["name"] else USER), canonical_role(found["role"])


def words_of_address(name: str) -> tuple[str, ...]:
    """Return the words before the @ of an e-mail address that may name a person; of anything else nothing."""
    found = _ADDRESS.fullmatch(clean(name))
    if found is None or found[1].casefold() in _NO_PERSON:
        return ()
    return tuple(word for word in re.split(r"[._+-]|\d+", found[1].casefold()) if word)


def shown_as(name: str) -> str:
    """Return a name as it is shown of an entity: the user by that word, and their sister as theirs."""
    if key_of(name) == USER:
        return SHOWN_USER
    role = role_in(name)
    return f"{SHOWN_USER}'s {role[1]}" if role is not None and role[0] == USER else clean(name)


def is_address(name: str) -> bool:
    """Whether a name is an e-mail address."""
    return _ADDRESS.fullmatch(clean(name)) is not None
