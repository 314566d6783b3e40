"""What a part of a configuration file is: a model whose keys are documented where the options themselves are."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)

from langchain_agentmem._lazy_pattern import lazy_pattern

_UNITS: Final[Mapping[str, timedelta]] = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}
_DURATION: Final = lazy_pattern(
    r"(?P<number>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[smhd]|(?:second|minute|hour|day)s?)", re.ASCII
)
_ARGS: Final = lazy_pattern(r"^ *(?:Args|Attributes):\n(?P<lines>.*?)(?:\n\n|\n *\Z|\Z)", re.DOTALL | re.MULTILINE)
_OTHER: Final = lazy_pattern(r" (?=`\w+`: )")
_OTHER_NAME: Final = lazy_pattern(r"`(?P<name>\w+)`: ")
_ENTRY: Final = lazy_pattern(r"^(?P<name>\w+): (?P<text>.*)$")


def read_duration(value: object) -> object:
    """Return a length of time written as a number and a unit; what is no text stays for pydantic to judge.

    Raises:
        ValueError: It has no unit, or is none.
    """
    if isinstance(value, timedelta) or value is None:
        return value
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        msg = "a length of time is a number with its unit: 30 days, 12 hours, 90 minutes or 45 seconds"
        raise ValueError(msg)
    return float(match["number"]) * _UNITS[match["unit"][0]]


Duration: TypeAlias = Annotated[
    timedelta,
    BeforeValidator(read_duration),
    WithJsonSchema(
        {"type": "string", "pattern": f"^{_DURATION.pattern}$".replace("?P<number>", "").replace("?P<unit>", "")}
    ),
]
"""A length of time, such as `30 days`."""


def _refuse_flag(value: object) -> object:
    """Return what is no flag: to Python, and so to pydantic, `true` is 1.

    Raises:
        ValueError: It is one.
    """
    if isinstance(value, bool):
        msg = "true and false are no numbers"
        raise ValueError(msg)  # noqa: TRY004  (what pydantic takes for a wrong value)
    return value


Whole: TypeAlias = Annotated[int, BeforeValidator(_refuse_flag)]
"""A whole number."""
Number: TypeAlias = Annotated[float, BeforeValidator(_refuse_flag)]
"""Any number."""


def _describe(schema: dict[str, Any], model: type[Any]) -> None:
    told = model.told()
    for name, shown in schema.get("properties", {}).items():
        shown.pop("title", None)
        if name in told:
            shown["description"] = told[name]
    schema["description"] = (model.__doc__ or "").split("\n", maxsplit=1)[0]


class Section(BaseModel):
    """A part of the configuration; keys that it does not know are refused.

    Attributes:
        record: The options that it stands for: its keys are fields of theirs, with the same defaults.
        code: Fields of theirs that are code, and cannot stand in a file.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, json_schema_extra=_describe
    )
    record: ClassVar[type | None] = None
    code: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def told(cls) -> dict[str, str]:
        """Return what is said of each key: by the options, or by this section where it says more."""
        return {**described(cls.record), **described(cls)}

    def given(self) -> dict[str, Any]:
        """Return what the file says, and nothing else."""
        return self.model_dump(exclude_unset=True)


class ShortSection(Section):
    """A part of the configuration that may be written as one word.

    Attributes:
        short: The key that this word is the value of.
    """

    short: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, value: object) -> object:
        return {cls.short: value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:  # noqa: ANN401  (pydantic's)
        """Show both forms."""
        shown = handler(schema)
        whole = handler.resolve_ref_schema(shown)
        written_out = dict(whole)
        whole.clear()
        whole["anyOf"] = [{"type": "string", "minLength": 1}, written_out]
        return shown


def described(record: type | None) -> dict[str, str]:
    """Return what a docstring says of each argument."""
    found = None if record is None else _ARGS.search(record.__doc__ or "")
    if record is None or found is None:
        return {}
    lines = found["lines"].split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    names: set[str] = set(getattr(record, "model_fields", getattr(record, "__dataclass_fields__", ())))
    told: dict[str, str] = {}
    for name, text in _entries((line[indent:] for line in lines), names):
        told[name] = f"{told[name]} {text}" if name in told else text
    return told


def _entries(lines: Iterable[str], names: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield pieces of text, each with the argument that it is about; within a line another one may begin."""
    name = ""
    for line in lines:
        entry = _ENTRY.match(line)
        name, text = (entry["name"], entry["text"]) if entry else (name, line.strip())
        for piece in _OTHER.split(text):
            other = _OTHER_NAME.match(piece)
            if other and other["name"] in names:
                name = other["name"]
                yield name, piece[other.end() :]
            elif piece:
                yield name, piece
