"""A configuration as it is given, read strictly: references to the environment, unknown keys, secrets in the clear."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import Any, Final, NoReturn, TypeAlias, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.config.model import ApprovalConfig, MemoryConfig, SensitiveConfig
from langchain_agentmem.config.secrets import secret_in
from langchain_agentmem.config.section import Section
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.backends import check_named
from langchain_agentmem.index.named import NAMED
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.approve import ApprovalPolicy
from langchain_agentmem.policies.matches import SensitiveMatch
from langchain_agentmem.policies.sensitive import ALL_DETECTORS
from langchain_agentmem.presidio import TYPES
from langchain_agentmem.procedural.documents import (
    MAX_DEPTH,
    MAX_FILE_BYTES,
    Document,
    Path,
    check_size,
    read_document,
    told,
    wanted,
)
from langchain_agentmem.redis.address import parse as parse_redis
from langchain_agentmem.redis.keys import check_prefix
from langchain_agentmem.sql.url import CUT_IN_TWO, parse_url

Given: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | MemoryConfig"

HERE: Final = "the configuration"
"""What one that is given as a dict is called in errors."""

_REFERENCE: Final = lazy_pattern(r"\$\$|\$\{(?P<name>[^}]*)\}?")
_NAME: Final = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SHOWN_ERRORS: Final = 5
_NO_KEYS: Final = frozenset({"model_type", "dict_type"})
"""What pydantic calls it where keys were expected, and there are none."""
_NOT_ALONE: Final = frozenset({"model", "planner", "linker", "vault"})
"""Options that work with a model, which may be given beside the file; and what is made of the environment."""


def read_config(given: Given, *, beside: Container[str] = ()) -> MemoryConfig:
    """Return a configuration from a YAML file, a dict, or a `MemoryConfig`.

    In texts, `${NAME}` stands for a variable of the environment, and `$$` for a dollar sign.

    Args:
        given: Where it stands, or what it says.
        beside: Names of what is given in code in place of what stands there.

    Raises:
        ConfigurationError: It cannot be read, has an unknown key or an impossible value, refers to a variable that is
            not set, or is a file with a secret in the clear. It names the line, and repeats no value of a variable.
    """
    if isinstance(given, MemoryConfig):
        return given
    if isinstance(given, Mapping):
        return _read(Document(HERE, dict(given)), beside)
    if not isinstance(given, str | os.PathLike):
        msg = (
            f"config must be a path, a dict or a MemoryConfig, got {type(given).__name__}; for example 'agentmem.yaml'"
        )
        raise ConfigurationError(msg)
    file = FilePath(given)
    document = read_document(_bytes(file), str(file), "path: agent.db")
    for path, text in _texts(document.data):
        _check_secret(document, path, text)
    return _placed(_read(document, beside), file.parent)


def config_schema() -> dict[str, Any]:
    """Return the JSON schema of a configuration file, each key with its meaning and default."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **MemoryConfig.model_json_schema()}
    named = {name: known.options.model_json_schema() for name, known in NAMED.items()}
    schema["$defs"] |= {shown["title"]: shown for shown in named.values()}
    schema["allOf"] = [_options_of(name, f"#/$defs/{shown['title']}") for name, shown in named.items()]
    return schema


def _options_of(index: str, ref: str) -> dict[str, Any]:
    """Return, as a schema, what options an index with a known name takes."""
    named = {"properties": {"index": {"const": index}}, "required": ["index"]}
    return {"if": named, "then": {"properties": {"index_options": {"$ref": ref}}, "required": ["index_options"]}}


def _bytes(file: FilePath) -> bytes:
    try:
        with file.open("rb") as opened:
            check_size(str(file), os.fstat(opened.fileno()).st_size)
            return opened.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        msg = f"the configuration {str(file)!r} cannot be read: {error.strerror}; name a YAML file"
        raise ConfigurationError(msg) from error


def _read(document: Document, beside: Container[str]) -> MemoryConfig:
    data = _filled(document, document.data, ())
    try:
        config = MemoryConfig.model_validate(data)
    except ValidationError as error:
        _refuse_values(document, error)
    if (config.path is None) == (config.sql is None):
        _refuse(document, ("path",), "name either path (a SQLite file) or sql (the URL of a database)")
    if config.durable and config.path is None:
        _refuse(document, ("durable",), "durable is for a SQLite file; name it with path, or leave durable out")
    if config.redis_prefix is not None and config.redis is None:
        _refuse(document, ("redis_prefix",), "redis_prefix is for keys on Redis; name one with redis, or leave it out")
    _check_index(document, config)
    _check_options(document, config)
    _check_places(document, config, beside)
    return config


def _check_places(document: Document, config: MemoryConfig, beside: Container[str]) -> None:
    """Refuse a database, a Redis or an index that cannot be; nothing is opened."""
    checks: list[tuple[str, Callable[[], object]]] = []
    # where a driver is missing, opening says what to install
    if config.sql is not None and not (config.sql.startswith("postgres") and find_spec("psycopg") is None):
        checks.append(("sql", partial(parse_url, config.sql)))
    if config.redis is not None and find_spec("redis") is not None:
        checks.append(("redis", partial(parse_redis, config.redis, {}, {})))
    if config.redis_prefix is not None:
        checks.append(("redis_prefix", partial(check_prefix, config.redis_prefix)))
    if config.index is not None and config.index not in NAMED and "index" not in beside:
        checks.append(("index", partial(check_named, config.index, config.index_options)))
    for key, check in checks:
        try:
            check()
        except ConfigurationError as error:
            _refuse(document, (key,), _told_of_option(document, (key,), str(error)))


def _check_options(document: Document, config: MemoryConfig) -> None:
    """Refuse what an option does not take, each for itself: what hangs on others is seen when all are there."""
    for path, record, value in _said(config):
        try:
            record(**{str(path[-1]): value})
        except ConfigurationError as error:
            _refuse(document, path, _told_of_option(document, path, str(error)))
    for name in sorted(MemoryOptions.__dataclass_fields__.keys() & config.model_fields_set):
        section = getattr(config, name)
        if isinstance(section, Section) and section.record is not None:
            _check_section(document, name, section.record, _given(section))


def _given(section: Section) -> dict[str, Any]:
    """Return what a section says, as its record takes it; what is imported when it is used is not."""
    given = section.given()
    if isinstance(section, SensitiveConfig):
        given |= {"key": given["key"].encode()} if given.get("key") is not None else {}
        given |= {"detectors": (*ALL_DETECTORS, _Presidio())} if given.get("detectors") == "presidio" else {}
    return given


class _Presidio:
    """In the place of Presidio, which need not be installed where a file is read: says what types it finds."""

    types = TYPES

    def __call__(self, text: str) -> list[SensitiveMatch]:
        """Find nothing."""
        return []


def _check_section(document: Document, name: str, record: Callable[..., object], given: Mapping[str, Any]) -> None:
    """Refuse a section that cannot be, as a whole; the key is named that cannot be by itself for the same reason."""
    why = _objection(record, given)
    if why is not None:
        alone = [key for key, value in given.items() if _objection(record, {key: value}) == why]
        path: Path = (name, *alone[:1])
        _refuse(document, path, _told_of_option(document, path, why))


def _objection(record: Callable[..., object], given: Mapping[str, Any]) -> str | None:
    try:
        record(**given)
    except ConfigurationError as error:
        return str(error)
    return None


def _made_policy(approval: ApprovalConfig) -> ApprovalPolicy:
    return approval.policy()


def _said(config: MemoryConfig) -> Iterator[tuple[Path, Callable[..., object], Any]]:
    """Yield each option that is said and is no section: where, what it is an option of, and its value."""
    for name in sorted((MemoryOptions.__dataclass_fields__.keys() & config.model_fields_set) - _NOT_ALONE):
        value = getattr(config, name)
        if isinstance(value, Section) and value.record is not None:
            continue  # as a whole, below
        if isinstance(value, ApprovalConfig):
            yield (name,), _made_policy, value
        else:
            yield (name,), MemoryOptions, value.encode() if name == "audit_key" and value is not None else value


def _told_of_option(document: Document, path: Path, why: str) -> str:
    shown, own = _dotted(path), f"{path[-1]} "
    texts = [text for at, text in _texts(document.data) if at[: len(path)] == path[: len(at)]]
    if why != CUT_IN_TWO and any(map(_REFERENCE.search, texts)):
        return f"{shown}: what its variable holds cannot work; see the option's documentation"
    if why.startswith(shown) and not why[len(shown) :][:1].isalnum():  # it says itself where it stands
        return why
    return f"{shown} {why.removeprefix(own)}" if why.startswith(own) else f"{shown}: {why}"


def _check_index(document: Document, config: MemoryConfig) -> None:
    """Refuse options that an index with a known name does not take."""
    if config.index is None or config.index not in NAMED:
        return
    try:
        NAMED[config.index].options.model_validate(config.index_options)
    except ValidationError as error:
        at = {("index_options",): document.line(("index",)), **document.lines}  # where there are none, by the name
        where = replace(document, lines=at if document.lines else {})
        _refuse_values(where, error, ("index_options",), NAMED[config.index].options)


def _placed(config: MemoryConfig, folder: FilePath) -> MemoryConfig:
    """Return a configuration whose paths begin at its file's folder, or, with `~`, at a user's home."""

    def at(path: str) -> str:
        return path if "://" in path else str(folder / os.path.expanduser(path))  # noqa: PTH111  (Path's may raise)

    moved: dict[str, Any] = {}
    if config.path is not None:
        moved["path"] = at(config.path)
    if config.procedural is not None and config.procedural.path is not None:
        moved["procedural"] = config.procedural.model_copy(update={"path": at(config.procedural.path)})
    if config.vault is not None and config.vault.folder is not None:
        moved["vault"] = config.vault.model_copy(update={"folder": at(config.vault.folder)})
    if config.index == "chroma" and "path" in config.index_options:
        moved["index_options"] = {**config.index_options, "path": at(config.index_options["path"])}
    return config.model_copy(update=moved)


# ------------------------------------------------------------------------------------------------------ the environment
def _filled(document: Document, value: Any, path: Path) -> Any:  # noqa: ANN401  (any YAML value)
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: _looked_up(document, path, match), value)
    if len(path) > MAX_DEPTH:
        _refuse(document, path[:1], f"{path[0]}: values are nested deeper than {MAX_DEPTH}, or hold themselves")
    if isinstance(value, Mapping):
        return {key: _filled(document, item, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(document, item, (*path, place)) for place, item in enumerate(value)]
    return value


def _looked_up(document: Document, path: Path, match: re.Match[str]) -> str:
    name = match["name"]
    if name is None:
        return "$"
    if not _NAME.fullmatch(name) or not match[0].endswith("}"):
        _refuse(document, path, f"{_dotted(path)}: a reference is written ${{NAME}}; for a dollar sign write $$")
    value = os.environ.get(name, "")
    if not value:
        _refuse(document, path, f"{_dotted(path)}: the variable {name} is not set; set it in the environment")
    return value


def _texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:  # noqa: ANN401  (any YAML value)
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(item, (*path, place))


def _check_secret(document: Document, path: Path, text: str) -> None:
    """Refuse a secret that stands in a file."""
    secret = secret_in(path, text)
    if secret and not _REFERENCE.search(secret):
        why = f"{_dotted(path)} holds a secret in the clear; put it into the environment and write ${{NAME}} here"
        _refuse(document, path, why)


# ----------------------------------------------------------------------------------------------------------- the errors
def _refuse(document: Document, path: Path, why: str) -> NoReturn:
    where = f"{document.file}, line {document.line(path)}" if document.lines else document.file
    msg = f"{where}: {why}"
    raise ConfigurationError(msg)


def _refuse_values(
    document: Document, error: ValidationError, at: Path = (), kind: type[BaseModel] = MemoryConfig
) -> NoReturn:
    """Raise what is wrong with the values of a section, which stands at a path."""
    found = error.errors(include_url=False, include_context=False)
    for each in found:
        each["loc"] = (*at, *_written(_at(document.data, at), each["loc"], is_missing=each["type"] == "missing"))
    places = [each["loc"] for each in found]
    found = [it for it in found if not any(it["loc"] == place[: len(it["loc"])] != place for place in places)]
    named = {it["loc"] for it in found if it["type"] not in _NO_KEYS}  # a name, or keys: what is neither is told once
    found = [it for it in found if it["type"] not in _NO_KEYS or it["loc"] not in named]
    found.sort(key=lambda it: _line(document, it))
    first, *others = [_told(document, each, len(at), kind) for each in found[:_SHOWN_ERRORS]]
    more = "".join(f"; line {_line(document, it)}: {why}" for it, why in zip(found[1:], others, strict=False))
    _refuse(document, tuple(found[0]["loc"]), first + (more if document.lines else "".join(f"; {it}" for it in others)))


def _written(data: Any, path: Path, *, is_missing: bool) -> Path:  # noqa: ANN401  (any YAML value)
    """Return where an error is in what was written, without the alternatives of a type that pydantic names as well."""
    found: list[str | int] = []
    for name in path:
        known = data if isinstance(data, Mapping) else dict(enumerate(data)) if isinstance(data, list) else {}
        if name in known:
            found.append(name)
            data = known[name]
    return (*found, *path[-1:]) if is_missing else tuple(found)


def _at(data: Any, path: Path) -> Any:  # noqa: ANN401  (as above)
    for name in path:
        known = data if isinstance(data, Mapping) else dict(enumerate(data)) if isinstance(data, list) else {}
        data = known.get(name)
    return data


def _line(document: Document, error: ErrorDetails) -> int:
    return document.line(tuple(error["loc"]))


def _told(document: Document, error: ErrorDetails, depth: int, kind: type[BaseModel]) -> str:
    path = tuple(error["loc"])
    if error["type"] in _NO_KEYS:
        return f"{_dotted(path)}: write {_short_form(kind, path[depth:])}keys with their values below it"
    if error["type"] != "extra_forbidden":
        is_written = _at(document.data, path) == error["input"]  # it is no key, and stands for no ${NAME}
        problem = told(error["msg"], error["input"]) if is_written else wanted(error["msg"])
        return f"{_dotted(path)}{problem}{_default(kind, path[depth:])}"
    section = _section(kind, path[depth:-1])
    if path[-1] in getattr(section, "code", ()):
        return f"{_dotted(path)} is code, which no file holds; pass it to from_config as an argument of its own"
    near = difflib.get_close_matches(str(path[-1]), section.model_fields, n=1)
    known = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(section.model_fields)}"
    return f"unknown key {_dotted(path)!r}; {known}"


def _default(kind: type[BaseModel], path: Path) -> str:
    """Return what a number or a switch is without a file, where the path is one's."""
    with suppress(LookupError, StopIteration):
        usual = _section(kind, path[:-1]).model_fields[str(path[-1])].default
        if isinstance(usual, (bool, int, float)):
            return (
                f"; the default is {usual:g}"
                if usual is not True and usual is not False
                else f"; the default is {json.dumps(usual)}"
            )
    return ""


def _short_form(kind: type[BaseModel], path: Path) -> str:
    """Return what may be written in the place of the keys of a section, if anything may."""
    with suppress(LookupError, StopIteration):
        short = getattr(_section(kind, path), "short", "")
        return f"its {short} as a text, or " if short else ""
    return ""


def _section(section: type[Any], path: Path) -> type[Any]:
    """Return the section at a path within another one."""
    for name in path:
        field: FieldInfo = section.model_fields[str(name)]
        kinds = (field.annotation, *get_args(field.annotation))
        section = next(it for it in kinds if isinstance(it, type) and issubclass(it, BaseModel))
    return section


def _dotted(path: Path) -> str:
    return ".".join(map(str, path)) or "the file"
