"""Actions as policies see them: a tool, its arguments, and the words in it, whatever they are hidden in."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from typing import Any, Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._patterns import LinearPattern
from langchain_agentmem.english.text.folding import fold_case, fold_look_alikes
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.calls import read_call
from langchain_agentmem.policies.destructive import is_destructive
from langchain_agentmem.types.procedures import ActionPattern, Condition, Expression, Scalar

MAX_READ_CHARS: Final = 1_000_000
"""Of one text. What is longer is not read: it is what a rule is about, and never what lets something pass."""

_MISSING: Final = object()
_UNREADABLE: Final = object()
_GROUP: Final = 3
"""Digits between the commas of a number."""

_CALLED: Final = lazy_pattern(r"\s*([\w.-]{1,200})\s*\(")
_BLANKS: Final = lazy_pattern(r"\s+")
_TRUTHS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True),
    **dict.fromkeys(("0", "false", "f", "no", "n", "off"), False),
}
"""What pydantic, and with it a tool, reads as a truth value."""


@dataclass(frozen=True)
class Action:
    """Something that is to be done.

    Args:
        tool: Name of the tool; empty where there is none.
        args: Its arguments.
        text: Words of the action beside its arguments.
    """

    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict, repr=False)
    text: str = field(default="", repr=False)

    @classmethod
    def of(cls, given: object) -> Action:
        """Return an action from itself, a tool call, or words such as `rm -rf /` or `deploy(eu)`.

        A tool call has `name` and `args` (LangChain), `arguments` (OpenAI, also within `function`) or `input`
        (Anthropic), as a dict or as JSON; what is no JSON counts as words.

        Raises:
            ConfigurationError: It is none of these, or a tool call with a key that none of them has.
        """
        if isinstance(given, Action):
            return given
        if isinstance(given, str):
            called = _CALLED.match(given)
            return cls(tool=called[1] if called else "", text=given)
        if isinstance(given, Mapping) and (call := read_call(given)):
            return cls(tool=call.tool, args=call.args, text=call.text)
        found = "a dict without the name of a tool" if isinstance(given, Mapping) else type(given).__name__
        msg = (
            f"action must be an Action, a tool call or text, got {found}; for example 'rm -rf /', or "
            "{'name': 'shell', 'args': {'command': 'rm -rf /'}}"
        )
        raise ConfigurationError(msg)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every text in the action, and lists of texts joined: a command may come in pieces."""
        return tuple(dict.fromkeys(text for text in (self.text, *_texts(self.args)) if text))

    @cached_property
    def views(self) -> tuple[str, ...]:
        """The words without case and as one thing with what only looks different, each once."""
        whole = f"{self.tool}({_written(dict(self.args))})"
        seen = (view for text in (*self.words, whole) for view in (fold_case(text), fold_look_alikes(text)))
        return tuple(dict.fromkeys(seen))

    @cached_property
    def is_destructive(self) -> bool:
        """Whether it deletes or overwrites for good."""
        return any(map(is_destructive, (*self.views, *self._lines())))

    def _lines(self) -> Iterator[str]:
        """Yield the action as one command: the tool, and its arguments in the order given, and from the last."""
        for args in (list(self.args.items()), list(self.args.items())[::-1]):
            yield " ".join(("call", self.tool, *(word for name, value in args for word in _words(name, value))))


def fits(pattern: ActionPattern, action: Action, *, exactly: bool) -> bool:
    """Whether a pattern means an action.

    Args:
        pattern: What is meant.
        action: What is to be done.
        exactly: For what lets an action pass: values are compared as they are, expressions describe whole texts, and
            what cannot be read does not fit. Else for what stops one: what only looks different is the same, and what
            cannot be read fits.
    """
    return (
        _names_tool(pattern.tool, action.tool, exactly=exactly)
        and all(_has(action, name, condition, exactly) for name, condition in pattern.args.items())
        and (not pattern.text or _says(pattern.text, action, exactly=exactly))
        and (not pattern.is_destructive or action.is_destructive)
        and (not pattern.any_of or any(fits(each, action, exactly=exactly) for each in pattern.any_of))
    )


def agree(names: Sequence[str], one: Action, other: Action) -> bool:
    """Whether two actions have the same values in these arguments."""
    return all(_is_same_at(name, one, other) for name in names)


def _is_same_at(name: str, one: Action, other: Action) -> bool:
    first, second = _found(one.args, name, exactly=True), _found(other.args, name, exactly=True)
    is_known = bool(first) and _MISSING not in first
    return is_known and len(first) == len(second) and all(map(_is_same, first, second))


def finds(expression: Expression, text: str, *, exactly: bool = False) -> bool:
    """Whether an expression is found in a text, or, `exactly`, describes the whole of it."""
    if len(text) > MAX_READ_CHARS:
        return not exactly
    pattern = _pattern(expression)
    return pattern.matches_whole(text) if exactly else pattern.search(text)


def holds(expression: Expression, text: str) -> bool:
    """Whether a text that lets something pass has what it must have; one that is too long to be read has not."""
    return len(text) <= MAX_READ_CHARS and _pattern(expression).search(text)


def _names_tool(globs: Sequence[str], tool: str, *, exactly: bool) -> bool:
    if exactly:
        return any(fnmatchcase(tool, glob) for glob in globs)
    return any(fnmatchcase(fold_look_alikes(tool), fold_look_alikes(glob)) for glob in globs)


def _says(expressions: Sequence[Expression], action: Action, *, exactly: bool) -> bool:
    if exactly:  # every word of it has to be among what is let through
        words = action.words
        return bool(words) and all(any(finds(each, text, exactly=True) for each in expressions) for text in words)
    return any(finds(each, view) for view in action.views for each in expressions)


def _found(args: Mapping[str, Any], name: str, *, exactly: bool) -> list[object]:
    """Return an argument by its name or by a path of names, which leads through each item of a list.

    Exactly, an item that lacks it counts as `_MISSING`; else a text that is JSON is looked into as well, and one
    that looks like it and cannot be read is `_UNREADABLE`.
    """
    found: list[object] = [args]
    for part in (name,) if name in args else name.split("."):
        inner = [item for value in found for item in _items(value, exactly=exactly)]
        found = [
            item if item is _UNREADABLE else item.get(part, _MISSING) if isinstance(item, Mapping) else _MISSING
            for item in inner
        ]
    return found if exactly else [value for value in found if value is not _MISSING]


def _items(value: object, *, exactly: bool) -> Iterator[object]:
    """Yield a value, or the items of a list at any depth, in their order."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str) and not exactly and found.lstrip()[:1] in {"{", "["}:
            found = _parsed(found)
        if isinstance(found, list | tuple):
            waiting += found[::-1]
        else:
            yield found


def _parsed(text: str) -> object:
    try:
        return json.loads(text) if len(text) <= MAX_READ_CHARS else _UNREADABLE
    except (ValueError, RecursionError):
        return _UNREADABLE


def _has(action: Action, name: str, condition: Condition, exactly: bool) -> bool:  # noqa: FBT001  (as `fits`)
    values = _found(action.args, name, exactly=exactly)
    if exactly:
        return bool(values) and all(value is not _MISSING and _holds(condition, value, exactly) for value in values)
    if not values and action.text:  # words have no arguments: they hold what is meant, or not
        return _is_said(condition, action.text)
    return any(value is _UNREADABLE or _holds(condition, value, exactly) for value in values)


def _is_said(condition: Condition, text: str) -> bool:
    """Whether words hold a value that a condition lets through; of a number's bounds nothing can be read from them."""
    wanted = [condition.equals] if "equals" in condition.model_fields_set else list(condition.one_of)
    plain = _plain(text)
    return (not wanted or any(_plain(each) in plain for each in wanted)) and (
        condition.matches is None or _matches(condition.matches, text, exactly=False)
    )


def _holds(condition: Condition, value: object, exactly: bool) -> bool:  # noqa: FBT001  (as `fits`)
    if isinstance(value, list | tuple):
        each = [_holds(condition, item, exactly) for item in value]
        return bool(each) and (all(each) if exactly else any(each))
    named = condition.model_fields_set
    return (
        ("equals" not in named or _equals(value, condition.equals, exactly))
        and ("one_of" not in named or any(_equals(value, each, exactly) for each in condition.one_of))
        and (condition.matches is None or _matches(condition.matches, value, exactly=exactly))
        and (condition.above is None or _exceeds(value, condition.above, 1, exactly))
        and (condition.below is None or _exceeds(value, condition.below, -1, exactly))
    )


def _equals(value: object, wanted: Scalar, exactly: bool) -> bool:  # noqa: FBT001  (as `fits`)
    if exactly:
        return _is_same(value, wanted)
    if isinstance(value, bool) or isinstance(wanted, bool):  # a tool reads `1` and `"yes"` as true
        return _plain(value) == _plain(wanted) or (_truth(value) is not None and _truth(value) == _truth(wanted))
    return _plain(value) == _plain(wanted)


def _truth(value: object) -> bool | None:
    return _TRUTHS.get(_plain(value))


def _is_same(value: object, other: object) -> bool:
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _matches(expression: Expression, value: object, *, exactly: bool) -> bool:
    text = value if isinstance(value, str) else _written(value)
    if exactly:
        return finds(expression, text, exactly=True)
    return any(finds(expression, view) for view in {fold_case(text), fold_look_alikes(text)})


def _exceeds(value: object, bound: float, sign: int, exactly: bool) -> bool:  # noqa: FBT001  (as `fits`)
    number = _number(value, exactly=exactly)
    return not exactly if number is None else sign * number > sign * bound


def _number(value: object, *, exactly: bool) -> float | None:
    """Return a number, of any size; `None` for what is none, or may be read in two ways (`1.000,50`)."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        number = value if isinstance(value, float) else math.nan if exactly else _read_number(str(value))
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _read_number(text: str) -> float:
    """Return the number that a text is, in which commas may stand between thousands."""
    plain = fold_look_alikes(text).replace(" ", "")
    whole, _, rest = plain.partition(".")
    if "," in rest or any(len(group) != _GROUP for group in whole.split(",")[1:]):
        return math.nan
    return float(plain.replace(",", ""))


def _plain(value: object) -> str:
    """Return a value as a reader sees it: `1`, `1.0` and `"1"`, `Production` and ` production ` are the same."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else _written(value)
    return _BLANKS.sub(" ", fold_look_alikes(text)).strip()


def _written(value: object) -> str:
    """Return a value as JSON, with bytes as the text that they are and what else JSON does not know as it prints."""
    try:
        return json.dumps(value, default=_readable, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:  # a key, a circle, or thousands of lists in each other
        msg = f"the arguments of an action cannot be written as JSON ({type(error).__name__}); give plain values"
        raise ConfigurationError(msg) from error


def _readable(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes | bytearray) else str(value)


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a JSON value at any depth, keys included, and those of a list also as one."""
    waiting: list[object] = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, Mapping):
            waiting += [*found.values(), *found.keys()]
        elif isinstance(found, list | tuple):
            waiting += found
            if len(found) > 1 and all(isinstance(item, str | int | float) for item in found):
                yield " ".join(map(str, found))


def _words(name: object, value: object) -> Iterator[str]:
    """Yield an argument as it stands in a command: what is true is an option, what is a text or a number is itself."""
    waiting: list[tuple[object, object]] = [(name, value)]
    while waiting:
        key, found = waiting.pop()
        if isinstance(found, Mapping):
            waiting += list(found.items())[::-1]
        elif isinstance(found, list | tuple):
            waiting += [(key, item) for item in reversed(found)]
        elif isinstance(found, str | int | float) and found is not False:
            yield f"--{str(key).replace('_', '-')}" if found is True else str(found)


@lru_cache(maxsize=1_024)
def _pattern(source: str) -> LinearPattern:
    return LinearPattern(source)
