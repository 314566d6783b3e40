"""What is written in the files of procedural memory: how things are done (skills), and what binds (policies).

These are pydantic models because files come from outside; what they refuse, the reader reports with file and line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictInt,
    StringConstraints,
    model_serializer,
    model_validator,
)

from langchain_agentmem._patterns import LinearPattern

if TYPE_CHECKING:
    from typing import Required, TypedDict, Unpack

    _Given: TypeAlias = Mapping[str, Any]

    class _PatternFields(TypedDict, total=False):
        tool: str | Sequence[str]
        args: _Given
        text: str | Sequence[str]
        is_destructive: bool
        any_of: Sequence[ActionPattern | _Given]

    class _ExemptionFields(_PatternFields, total=False):
        reason: str

    class _RequirementFields(_PatternFields, total=False):
        result: str | None
        same: Sequence[str]
        since: Literal["thread", "turn"] | ActionPattern | _Given

    class _PolicyFields(TypedDict, total=False):
        name: Required[str]
        description: Required[str]
        rule: Required[ActionPattern | _Given]
        enforcement: Literal["hard", "soft"]
        rationale: str
        exceptions: Sequence[Exemption | _Given]
        applies_to: str | Sequence[str]
        requires: Sequence[Requirement | _Given]
        approval: bool | None
        version: int
        status: Status

    class _SkillFields(TypedDict, total=False):
        name: Required[str]
        description: Required[str]
        when_to_use: Required[str]
        steps: Required[Sequence[SkillStep | str | _Given]]
        required_tools: Sequence[str]
        safety_checks: Sequence[SafetyCheck | str | _Given]
        examples: Sequence[SkillExample | str | _Given]
        evaluation: Sequence[EvaluationCase | _Given]
        version: int
        status: Status
        evaluated: str


MAX_NAME_CHARS: Final = 64
MAX_TEXT_CHARS: Final = 10_000
_LISTS: Final = frozenset({"text", "any_of"})
"""Of an action pattern: what is left out says nothing, and what is empty would say that nothing fits, or everything."""

MAX_ITEMS: Final = 100
"""Steps, checks, exceptions or patterns of one record: what needs more is more than one."""


def _compiled(source: str) -> str:
    LinearPattern(source)
    return source


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _named(key: str) -> BeforeValidator:
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


def _condition(value: object) -> object:
    if isinstance(value, Condition | Mapping):
        return value
    return {"in": value} if isinstance(value, list | tuple) else {"equals": value}


Name: TypeAlias = Annotated[str, StringConstraints(pattern=rf"\A[a-z0-9][a-z0-9_-]{{0,{MAX_NAME_CHARS - 1}}}\z")]
"""Lower-case letters, digits, `-` and `_`: it is a file's name, too."""

Text: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TEXT_CHARS, pattern=r"\A[^\x00]*\z")
]
Glob: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Expression: TypeAlias = Annotated[str, StringConstraints(min_length=1), AfterValidator(_compiled)]
Scalar: TypeAlias = StrictBool | StrictInt | float | str | None
Status: TypeAlias = Literal["active", "draft", "deprecated"]
Version: TypeAlias = Annotated[StrictInt, Field(ge=1)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Condition(_Record):
    """What an argument's value must be; of several, all.

    Attributes:
        equals: This value. `one_of` (in files: `in`): one of these.
        matches: An expression found in it (see `_patterns`). `above`, `below`: bounds of a number, exclusive.
    """

    equals: Scalar = None
    one_of: Annotated[tuple[Scalar, ...], Field(alias="in", max_length=MAX_ITEMS)] = ()
    matches: Expression | None = None
    above: Annotated[float, Field(allow_inf_nan=False)] | None = None
    below: Annotated[float, Field(allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        named = self.model_fields_set
        is_empty = "one_of" in named and not self.one_of
        is_open = any(getattr(self, name) is None for name in named & {"matches", "above", "below"})
        if not named or is_empty or is_open:
            msg = "say what the value must be: a value, a list of some, or {matches: …}, {above: …}, {below: …}"
            raise ValueError(msg)
        return self

    @model_serializer(mode="wrap")
    def _as_written(self, handler: SerializerFunctionWrapHandler) -> Any:  # noqa: ANN401  (a scalar stands for itself)
        if self.model_fields_set == {"equals"}:
            return self.equals
        named = {"in" if name == "one_of" else name for name in self.model_fields_set} | self.model_fields_set
        return {name: value for name, value in handler(self).items() if name in named}


class ActionPattern(_Record):
    """Which actions are meant: those of which everything that is set is true.

    Attributes:
        tool: Globs of tool names; of several, one.
        args: A condition for each argument named; `a.b` is looked for inside `a`, also in each item of a list.
        text: Expressions, of which one is found in the action's words.
        is_destructive: Only what deletes or overwrites for good: `rm -rf`, `DROP TABLE`, `git push --force`, …
        any_of: Patterns, of which one fits.
    """

    if TYPE_CHECKING:  # plain data, as in a file: a type checker knows no validators

        def __init__(self, **fields: Unpack[_PatternFields]) -> None: ...

    tool: Annotated[tuple[Glob, ...], BeforeValidator(_listed), Field(max_length=MAX_ITEMS)] = ("*",)
    args: Annotated[dict[str, Annotated[Condition, BeforeValidator(_condition)]], Field(max_length=MAX_ITEMS)] = Field(
        default_factory=dict
    )
    text: Annotated[tuple[Expression, ...], BeforeValidator(_listed), Field(max_length=MAX_ITEMS)] = ()
    is_destructive: StrictBool = False
    any_of: Annotated[tuple[ActionPattern, ...], Field(max_length=MAX_ITEMS)] = ()

    @model_validator(mode="after")
    def _means_something(self) -> Self:
        is_said = "tool" in self.model_fields_set or self.args or self.text or self.is_destructive or self.any_of
        if not is_said or not self.tool:
            msg = "say which actions are meant; tool: '*' means all of them"
            raise ValueError(msg)
        for name in _LISTS & self.model_fields_set:
            if not getattr(self, name):
                msg = f"{name} is an empty list, of which nothing can be found; name something, or leave it out"
                raise ValueError(msg)
        return self

    @model_serializer(mode="wrap")
    def _as_said(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        unsaid = _LISTS - self.model_fields_set
        return {name: value for name, value in handler(self).items() if name not in unsaid}


class Exemption(ActionPattern):
    """Actions that a policy does not bind; compared exactly, so that nothing passes that only looks alike."""

    if TYPE_CHECKING:  # plain data, as in a file: a type checker knows no validators

        def __init__(self, **fields: Unpack[_ExemptionFields]) -> None: ...

    reason: str = ""


class Requirement(ActionPattern):
    """An action that must have succeeded before, in the same thread.

    Attributes:
        result: An expression that its result must hold.
        same: Arguments in which both actions must agree.
        since: `thread`: at any time; `turn`: since the user spoke last; or after the last action of this pattern.
    """

    if TYPE_CHECKING:  # plain data, as in a file: a type checker knows no validators

        def __init__(self, **fields: Unpack[_RequirementFields]) -> None: ...

    result: Expression | None = None
    same: Annotated[tuple[str, ...], Field(max_length=MAX_ITEMS)] = ()
    since: Literal["thread", "turn"] | ActionPattern = "thread"


Binding: TypeAlias = Annotated[str, StringConstraints(pattern=r"\A(\*|(agent|user|tenant):[^\s\x00][^\x00]{0,199})\z")]


class Policy(_Record):
    """A rule for actions.

    Where the rule fits and no exception does: with `requires`, these must have been done; with `approval`, a person
    must agree; with neither, the action is forbidden.

    Attributes:
        enforcement: `hard` stops the action, `soft` warns.
        applies_to: Whom it binds: `*`, or `agent:…`, `user:…`, `tenant:…` with a glob.
        approval: `False` says that none is meant to be needed: a policy that asks for one contradicts this one.
    """

    if TYPE_CHECKING:  # plain data, as in a file: a type checker knows no validators

        def __init__(self, **fields: Unpack[_PolicyFields]) -> None: ...

    name: Name
    description: Text
    rule: ActionPattern
    enforcement: Literal["hard", "soft"] = "hard"
    rationale: str = ""
    exceptions: Annotated[tuple[Exemption, ...], Field(max_length=MAX_ITEMS)] = ()
    applies_to: Annotated[tuple[Binding, ...], BeforeValidator(_listed), Field(min_length=1, max_length=MAX_ITEMS)] = (
        "*",
    )
    requires: Annotated[tuple[Requirement, ...], Field(max_length=MAX_ITEMS)] = ()
    approval: StrictBool | None = None
    version: Version = 1
    status: Status = "active"

    @property
    def forbids(self) -> bool:
        """Whether what it describes must not be done at all."""
        return not self.requires and not self.approval


class SafetyCheck(_Record):
    """What is seen to before a skill's first step: by a tool, or in words, by a person.

    Attributes:
        expects: An expression that the tool's result must hold.
    """

    description: Text
    tool: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    expects: Expression | None = None


class SkillStep(_Record):
    """One step: a tool with arguments, or words that a model acts on.

    Attributes:
        args: `{inputs.x}` and `{results.step}` stand for what was given and found before.
        expects: An expression that the result must hold.
    """

    name: Name = "step"
    instruction: Text
    tool: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    expects: Expression | None = None


class ExampleCall(_Record):
    """A tool's call in an example."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class SkillExample(_Record):
    """A request that the skill answers, and the calls it leads to."""

    request: Text
    calls: Annotated[tuple[ExampleCall, ...], Field(max_length=MAX_ITEMS)] = ()


class EvaluationCase(_Record):
    """A case that the skill must pass before it is used.

    Attributes:
        expects: An expression that the result must hold.
    """

    name: Name
    inputs: dict[str, Any] = Field(default_factory=dict)
    expects: Expression


class Skill(_Record):
    """How something is done.

    Attributes:
        when_to_use: In the words of those who would ask for it.
        required_tools: Tools that must be there, beside those its steps name.
        safety_checks: Seen to before the first step.
        evaluation: Cases; with any, the skill is active only once they passed for exactly this text.
        evaluated: Fingerprint of the text that passed; `activate` writes it.
    """

    if TYPE_CHECKING:  # plain data, as in a file: a type checker knows no validators

        def __init__(self, **fields: Unpack[_SkillFields]) -> None: ...

    name: Name
    description: Text
    when_to_use: Text
    steps: Annotated[tuple[Annotated[SkillStep, _named("instruction")], ...], Field(min_length=1, max_length=MAX_ITEMS)]
    required_tools: Annotated[tuple[str, ...], Field(max_length=MAX_ITEMS)] = ()
    safety_checks: Annotated[
        tuple[Annotated[SafetyCheck, _named("description")], ...], Field(max_length=MAX_ITEMS)
    ] = ()
    examples: Annotated[tuple[Annotated[SkillExample, _named("request")], ...], Field(max_length=MAX_ITEMS)] = ()
    evaluation: Annotated[tuple[EvaluationCase, ...], Field(max_length=MAX_ITEMS)] = ()
    version: Version = 1
    status: Status = "active"
    evaluated: str = ""

    @model_validator(mode="before")
    @classmethod
    def _number_steps(cls, values: Any) -> Any:  # noqa: ANN401  (whatever stands in the file)
        """Give each step without a name its number, before anything refers to it."""
        steps = values.get("steps") if isinstance(values, Mapping) else None
        if isinstance(steps, list | tuple):
            return {**values, "steps": [_numbered(step, number) for number, step in enumerate(steps, 1)]}
        return values

    @model_validator(mode="after")
    def _tells_apart(self) -> Self:
        for what, named in (("steps", self.steps), ("evaluation", self.evaluation)):
            names = [item.name for item in named]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                msg = f"{what} has {twice[0]!r} twice; give each a name of its own"
                raise ValueError(msg)
        return self

    @property
    def tools(self) -> tuple[str, ...]:
        """Every tool that the skill cannot do without, once each."""
        used = (*(check.tool for check in self.safety_checks), *(step.tool for step in self.steps))
        return tuple(dict.fromkeys((*self.required_tools, *filter(None, used))))


def _numbered(step: object, number: int) -> object:
    if isinstance(step, str):
        return {"name": f"step-{number}", "instruction": step}
    if isinstance(step, Mapping) and "name" not in step:
        return {"name": f"step-{number}", **step}
    return step


Record: TypeAlias = Skill | Policy
Records: TypeAlias = Sequence[Skill] | Sequence[Policy]
