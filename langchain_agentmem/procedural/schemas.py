"""Skills and policies as files: read with the line of what is wrong, written so that they read back the same."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.procedural.documents import Document, Path, read_document, refuse, told, write_document
from langchain_agentmem.types.procedures import Policy, Record, Skill

Kind: TypeAlias = Literal["skills", "policies"]

FOLDERS: Final[Mapping[Kind, type[Skill | Policy]]] = {"skills": Skill, "policies": Policy}
SUFFIXES: Final = (".yaml", ".yml")
_FINGERPRINT_CHARS: Final = 16
_NOT_EVALUATED: Final = {"version", "status", "evaluated"}
_SHOWN_ERRORS: Final = 5


def kind_of(record: Record) -> Kind:
    """Return in which folder a record is kept."""
    return "skills" if isinstance(record, Skill) else "policies"


def read_record(raw: bytes, file: str, kind: Kind) -> Record:
    """Read a skill or a policy.

    Raises:
        ConfigurationError: The file is no YAML of ours, or a value is wrong; it names the file and the lines.
    """
    document = read_document(raw, file)
    try:
        return FOLDERS[kind].model_validate(document.data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
        lines = [_told(document, FOLDERS[kind], each) for each in found]
        first = sorted(lines)[:_SHOWN_ERRORS]
        more = "".join(f"; line {line}: {why}" for line, why in first[1:])
        refuse(file, first[0][0], first[0][1] + more)


def write_record(record: Record) -> bytes:
    """Return a skill or a policy as a file.

    Raises:
        ConfigurationError: No file says the same: it would read back as another record, or not at all.
    """
    said = said_by(record)
    fields = record.model_dump(mode="json", by_alias=True, exclude_unset=True)
    ordered = {name: fields[name] for name in type(record).model_fields if name in fields}
    ordered |= {"version": record.version, "status": record.status}
    try:
        raw = write_document(ordered)
        again = read_record(raw, record.name, kind_of(record))
    except ValueError as error:  # too long, too deep, half a character, or a key that is not used
        raise _unkept(record, error) from error
    if said_by(again) != said:
        raise _unkept(record, "it would read back otherwise")
    return raw


def said_by(record: Record) -> str:
    """Return all that a record says as a text, in which values of different types differ: `1`, `1.0`, true and `"1"`.

    Raises:
        ConfigurationError: A value is of a type that no file has, or holds itself.
    """
    try:
        return json.dumps(record.model_dump(by_alias=True))
    except (TypeError, ValueError, RecursionError) as error:
        raise _unkept(record, error) from error


def _unkept(record: Record, why: object) -> ConfigurationError:
    msg = (
        f"{record.name!r} cannot be kept in a file: {why}; give plain values: texts, true or false, finite numbers of "
        "at most 18 digits, and lists and mappings of them"
    )
    return ConfigurationError(msg)


def fingerprint(skill: Skill) -> str:
    """Return what stands for a skill's text: it changes with anything but its version and status."""
    fields = skill.model_dump(mode="json", by_alias=True, exclude=_NOT_EVALUATED)
    return sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:_FINGERPRINT_CHARS]


def is_evaluated(skill: Skill) -> bool:
    """Whether a skill has no cases to pass, or has passed them with exactly this text."""
    return not skill.evaluation or skill.evaluated == fingerprint(skill)


def _told(document: Document, model: type[BaseModel], error: ErrorDetails) -> tuple[int, str]:
    path = tuple(error["loc"])
    where = ".".join(map(str, path)) or "the file"
    if error["type"] == "extra_forbidden":
        return document.line(path), f"unknown key {path[-1]!r}{_nearest(model, path)}"
    if error["type"] == "missing":
        return document.line(path[:-1]), f"{where} is missing"
    return document.line(path), f"{where}{told(error['msg'], error['input'])}"


def _nearest(model: type[BaseModel], path: Path) -> str:
    """Return the known key that an unknown one was meant to be, where one is near."""
    known: set[str] = set()
    _collect(model, known, set())
    near = difflib.get_close_matches(str(path[-1]), model.model_fields if len(path) == 1 else sorted(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _collect(model: Any, known: set[str], seen: set[Any]) -> None:  # noqa: ANN401  (models, and types of their fields)
    """Gather the names of all keys that a schema knows at any depth."""
    if model in seen:
        return
    seen.add(model)
    if isinstance(model, type) and issubclass(model, BaseModel):
        for name, field in model.model_fields.items():
            known.add(field.alias or name)
            _collect(field.annotation, known, seen)
        return
    for inner in getattr(model, "__args__", ()):
        if isinstance(inner, type) or hasattr(inner, "__args__"):
            _collect(inner, known, seen)
