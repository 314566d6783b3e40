"""Fields of a user's profile: how each is said, and which memory says which.

A field that was set is a memory like any other, with a tag that names the field. Two memories of one field are never
near to each other by accident: the same value is the same statement, another value replaces it, whatever the words.
What was said in passing ("my name is Ana") counts for a field where its subject is the user and its relation the
field's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.statements import canonical_relation
from langchain_agentmem.types import Candidate, Memory

Standing: TypeAlias = Literal["duplicate", "conflict", "unrelated"]

TAG: Final = "profile:"
FACT_TAG: Final = "profile:facts"
"""Of what was added to the profile as a sentence."""

PREFERENCES: Final = "preferences."
"""Begins the name of a field that is a preference; no field of a model has a dot in it."""

USER: Final = "user"
_PREFERRED: Final = "preferred"
_MYSELF: Final = frozenset({"user", "the user", "me", "i", "myself"})
_SAID: Final = lazy_pattern(
    r"(?:(?P<owner>the user|[^\s']{1,60})'s|my) (?:preferred|favou?rite) (?P<key>[^\W\d][\w -]{0,99}?) is "
    r"(?P<value>\S.{0,999}?)\.?",
    re.IGNORECASE | re.DOTALL,
)


class Claim(NamedTuple):
    """What a memory says of a field, as text."""

    field: str
    text: str


def tag_of(field: str) -> str:
    """Return the tag of the memories that say a field."""
    return TAG + field


def field_of(record: Candidate | Memory) -> str | None:
    """Return the field that a record was written for; `None` for every other memory."""
    return next((tag[len(TAG) :] for tag in record.tags if tag.startswith(TAG) and tag != FACT_TAG), None)


def key_of(key: str) -> str:
    """Return a preference's key as it is compared: without case, and with single spaces."""
    return " ".join(key.casefold().split())


def relation_of(field: str) -> str:
    """Return the relation by which a field's memories are compared with what else is known."""
    return _PREFERRED if field.startswith(PREFERENCES) else field


def sentence_of(field: str, shown: str) -> str:
    """Return the statement that a field has a value, in words that stand alone."""
    if field.startswith(PREFERENCES):
        return f"The user's preferred {field.removeprefix(PREFERENCES).replace('_', ' ')} is {shown}"
    return f"The user's {field.replace('_', ' ')} is {shown}"


def encoded(value: Any) -> str:  # noqa: ANN401  (any JSON value)
    """Return a value as a memory's object: text as it is, unless it reads like JSON; anything else as JSON.

    Raises:
        ValueError: It holds a number that JSON has not, such as infinity.
    """
    if isinstance(value, str) and _as_json(value) is None:
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def decoded(text: str) -> Any:  # noqa: ANN401  (any JSON value)
    """Return the value that `encoded` was given."""
    found = _as_json(text)
    return text if found is None else found[0]


def shown(value: Any) -> str:  # noqa: ANN401  (any JSON value)
    """Return a value as words in a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value:
        return ", ".join(map(shown, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def standing(candidate: Candidate, memory: Memory) -> Standing | None:
    """Return what a candidate is to a memory where both are of fields; `None`: the words decide."""
    own, other = field_of(candidate), field_of(memory)
    if own is None or other is None:
        return None
    if own != other:
        return "unrelated"
    return "duplicate" if candidate.object == memory.object else "conflict"


def is_about_user(memory: Memory, name: str | None = None) -> bool:
    """Whether a memory says of itself that it is about the user, by that word or by the user's name."""
    subject = (memory.subject or "").casefold()
    return subject in _MYSELF or (name is not None and subject == name.casefold())


def may_be_of_profile(memory: Memory) -> bool:
    """Whether a memory can have a place in a profile: a field, a preference, or a fact about somebody named."""
    if any(tag.startswith(TAG) for tag in memory.tags):
        return True
    return memory.kind == "preference" or (memory.kind == "fact" and memory.subject is not None)


def claim_of(memory: Memory, fields: dict[str, str], name: str | None = None) -> Claim | None:
    """Return what a memory says of a field, if anything.

    Args:
        memory: Of a profile.
        fields: Names of fields by the name under which a relation is judged (`works_at` for `employer`).
        name: The user's name.
    """
    field = field_of(memory)
    if field is not None:
        return Claim(field, memory.object or "")
    if memory.kind == "preference":
        return _preferred(memory, name)
    if memory.relation is None or memory.object is None or not is_about_user(memory, name):
        return None
    found = fields.get(canonical_relation(memory.relation))
    return None if found is None else Claim(found, memory.object)


def name_in(memories: Iterable[Memory]) -> str | None:
    """Return the user's name as the first of the memories that says it."""
    claims = (claim_of(memory, {"name": "name"}) for memory in memories)
    return next((claim.text for claim in claims if claim is not None and claim.field == "name"), None)


def _preferred(memory: Memory, name: str | None) -> Claim | None:
    """Return the preference that a sentence names, where it is the user's."""
    found = _SAID.fullmatch(memory.content.strip())
    if found is None:
        return None
    owner = (found["owner"] or USER).casefold()
    is_own = owner in _MYSELF or (name is not None and owner == name.casefold())
    return Claim(PREFERENCES + key_of(found["key"]), found["value"]) if is_own else None


def _as_json(text: str) -> tuple[Any] | None:
    """Return what text says as JSON, in a tuple; `None` where it is plain text."""
    try:
        return (json.loads(text, parse_constant=_refuse),)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> Any:  # noqa: ANN401  (json's own signature)
    msg = f"{constant} is no JSON"
    raise ValueError(msg)
