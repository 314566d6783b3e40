"""YAML as files of procedural memory may use it: plain data with one meaning, and the line of every key.

Anchors, aliases, tags, tabs before text, keys that come twice and several documents in one file are refused: each of
them lets a file say something else than it shows. Words are read as YAML 1.2 reads them (`no` and `1:30` are texts).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NoReturn, TypeAlias

import yaml

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.policies.shortening import shortened

MAX_FILE_BYTES: Final = 256 * 1024
"""Of one file; larger ones are refused unread. A skill of a hundred long steps takes about 50 KB."""

MAX_DEPTH: Final = 30
"""Mappings and sequences within one another: none of the schemas needs a third of it."""

_EXPECTED: Final = "Input should be "
"""How pydantic begins to say what it wanted; our own messages name the value themselves."""

_WANTED: Final[Mapping[str, str]] = {
    "a valid string": "a text",
    "a valid number": "a number",
    "a valid integer": "a whole number",
    "a valid boolean": "true or false",
    "a valid list": "a list",
    "a valid tuple": "a list",
}
"""What pydantic calls what it wanted, and what a file calls it."""

_SHOWN_CHARS: Final = 60
_LINE_CHARS: Final = 100

Path: TypeAlias = tuple[str | int, ...]

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONFLICT: Final = ("<<<<<<< ", "||||||| ", ">>>>>>> ")
"""How git begins, divides and ends what two branches have made of one place."""

_MARK_CHARS: Final = 7
_NO_TEXT: Final = "!"
"""Stands for whatever tag a text does not have: written plainly, it would be a number, a truth value or nothing."""

_INT: Final = lazy_pattern(r"[-+]?(?:0|[1-9]\d{0,17})")
_FLOAT: Final = lazy_pattern(r"[-+]?(?:(?:0|[1-9]\d{0,17})(?:\.\d{0,18}|(?=[eE]))|\.\d{1,18})(?:[eE][-+]?\d{1,3})?")
_WORDS: Final[Mapping[str, bool | None]] = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True, slots=True)
class Document:
    """What one file says, and where: `lines` has the line of every key and item by its path."""

    file: str
    data: dict[str, Any]
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Return the line of a path, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def refuse(file: str, line: int, why: str) -> NoReturn:
    """Raise the error that names a file and a line."""
    msg = f"{file}, line {line}: {why}"
    raise ConfigurationError(msg)


def told(problem: str, value: Any) -> str:  # noqa: ANN401  (any YAML value)
    """Return what pydantic says of what a name stands for, with the value, short and without what is sensitive."""
    if not problem.startswith(_EXPECTED):
        return wanted(problem)
    if isinstance(value, str):
        return f"{wanted(problem)}, got {redact(shortened(value, _SHOWN_CHARS))!r}"
    is_number = value is None or isinstance(value, (bool, int, float))
    return f"{wanted(problem)}, got {value!r}" if is_number else f"{wanted(problem)}, got a {type(value).__name__}"


def wanted(problem: str) -> str:
    """Return what pydantic says of what a name stands for, without the value."""
    if problem == "Field required":
        return " is missing"
    if problem == "String should have at least 1 character":
        return " is empty; write a text of one character or more"
    if not problem.startswith(_EXPECTED):
        return f": {problem.removeprefix('Value error, ')}"
    kind = problem.removeprefix(_EXPECTED).partition(", unable to ")[0]
    return f" must be {_WANTED.get(kind, kind)}"


def check_size(file: str, size: int) -> None:
    """Raise `ConfigurationError` for a file that is too large to be read at all."""
    if size > MAX_FILE_BYTES:
        refuse(file, 1, f"the file has {size} bytes; at most {MAX_FILE_BYTES} are read, split it")


def read_document(raw: bytes, file: str, example: str = "name: deploy") -> Document:
    """Read one YAML mapping, such as `example`.

    Raises:
        ConfigurationError: The file is too large, no UTF-8, no YAML, or uses what is refused; it names file and line.
    """
    check_size(file, len(raw))
    text = _text(raw, file)
    try:
        _check_events(text, file)
        node = yaml.compose(text, _LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        refuse(file, mark.line + 1 if mark else 1, f"this is no YAML: {error.problem or error.context}")
    except yaml.YAMLError as error:  # a character that YAML does not allow
        refuse(file, 1, f"this is no YAML: {type(error).__name__}; remove control characters")
    if not isinstance(node, yaml.MappingNode):
        refuse(file, 1, f"the file has to be a mapping of keys to values, such as {example!r}")
    lines: dict[Path, int] = {}
    data = _mapping(node, (), file, lines)
    return Document(file, data, lines)


def write_document(data: Mapping[str, Any]) -> bytes:
    """Return a mapping as `read_document` reads it: a text that it would take for something else is quoted.

    Raises:
        ValueError: A text holds half a character (a lone surrogate).
    """
    text: str = yaml.dump(data, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=_LINE_CHARS)
    return text.encode()


@cache
def _dumper() -> type[Any]:
    """Return what writes without anchors, and with quotes wherever this reader or one of YAML 1.1 asks for them."""

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, _data: object) -> bool:
            return True

        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:  # noqa: ANN401  (PyYAML has no types)
            found = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]  # as above
            is_text = kind is yaml.ScalarNode and implicit[0] and found == yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG
            return _NO_TEXT if is_text and not isinstance(_plain(value), str) else found

    return Dumper


def _text(raw: bytes, file: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse(file, raw[: error.start].count(b"\n") + 1, "this is no UTF-8; save the file as UTF-8")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_CONFLICT):
            why = f"a conflict marker of git ({line[:_MARK_CHARS]}) stands here: two branches changed this place"
            refuse(file, number, f"{why}; keep what is right, remove the markers, and commit, or git merge --abort")
        if "\t" in line[: len(line) - len(line.lstrip())]:
            refuse(file, number, "a tab stands before the text; indent with spaces")
    return text


def _check_events(text: str, file: str) -> None:
    depth = documents = 0
    for event in yaml.parse(text, _LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            refuse(file, line, "anchors (&) and aliases (*) are not used here; write the value out, or quote the sign")
        if (tag := getattr(event, "tag", None)) is not None:
            refuse(file, line, f"the tag {tag!r} is not used here: files hold data, and construct nothing")
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if documents > 1:
            refuse(file, line, "a second document begins; keep one document per file")
        if depth > MAX_DEPTH:
            refuse(file, line, f"values are nested deeper than {MAX_DEPTH}")


def _value(node: yaml.Node, path: Path, file: str, lines: dict[Path, int]) -> Any:  # noqa: ANN401  (any YAML value)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, file, lines)
    if isinstance(node, yaml.SequenceNode):
        for place, item in enumerate(node.value):
            lines[(*path, place)] = item.start_mark.line + 1
        return [_value(item, (*path, place), file, lines) for place, item in enumerate(node.value)]
    is_plain = not getattr(node, "style", None)  # the fast loader has an empty style where the other has none
    return _plain(node.value) if is_plain else node.value


def _mapping(node: yaml.MappingNode, path: Path, file: str, lines: dict[Path, int]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            refuse(file, line, "a key has to be a word")
        key = str(key_node.value)
        if key == "<<":
            refuse(file, line, "the merge key '<<' is not used here; write the keys out")
        if key in values:
            refuse(file, line, f"the key {key!r} stands here twice; the first is in line {lines[(*path, key)]}")
        lines[(*path, key)] = line
        values[key] = _value(value_node, (*path, key), file, lines)
    return values


def _plain(word: str) -> Any:  # noqa: ANN401  (a bool, a number, nothing, or the word)
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if _INT.fullmatch(word):
        return int(word)
    return float(word) if _FLOAT.fullmatch(word) else word
