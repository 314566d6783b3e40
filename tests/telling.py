"""All that an answer holds, in words: also what its `repr` keeps from logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from pydantic import BaseModel


def told(answer: object) -> str:
    """Return every value of a record, and of those in it, as text."""
    if is_dataclass(answer):
        return repr({it.name: told(getattr(answer, it.name)) for it in fields(answer)})
    if isinstance(answer, BaseModel):
        return repr(answer.model_dump())
    if isinstance(answer, Mapping):
        return repr({key: told(value) for key, value in answer.items()})
    if isinstance(answer, list | tuple | set | frozenset):
        return repr([told(it) for it in answer])
    return repr(answer)
