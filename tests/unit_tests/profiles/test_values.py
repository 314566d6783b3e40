"""What a profile and a goal do not take, told before anything is read or written."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import Field, SecretStr, create_model, field_validator, model_validator

from langchain_agentmem import AgentMemory, ConfigurationError, MemoryOptions, Scope, UserProfile
from tests.conftest import Call
from tests.contracts.profiles_contract import ANA, Student


@pytest.fixture(scope="module")
def memory() -> AgentMemory:
    """A memory whose database cannot be used any more: whoever would read or write fails."""
    memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
    memory.close()
    return memory


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("age", "forty", r"'age' takes int \| None, got str \(int_parsing\)"),
        ("level", "expert", "'level' takes Literal"),
        ("name", 7, "'name' takes str"),
        ("name", None, "None is no value of profile field 'name'"),
        ("name", "x" * 1_001, "has 1001 characters"),
        ("name", " ", "is empty"),
        ("name", "a\0", "NUL"),
        ("facts", ["a"], "update_preference"),
        ("last_interaction", "now", "is not set"),
        ("nam", "Ana", "Student has no field 'nam'; it has name, level"),
        (["name"], "Ana", "named by a str, got list"),
        ("age", True, r"'age' takes int \| None, got bool"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(memory: AgentMemory, field: str, value: object, says: str) -> None:
    """The error names the field, the type given and what is expected, never the value."""
    with pytest.raises(ConfigurationError, match=says) as refused:
        memory.profiles.as_(Student).set(field, value, scope=ANA)
    assert not {"forty", "expert"} & set(str(refused.value).replace("'", " ").split())


@pytest.mark.parametrize(
    ("key", "value"),
    [("", "x"), ("k" * 101, "x"), ("ß" * 100, "x"), (7, "x"), ("k", None), ("k", object()), ("k", float("nan"))],
)
def test_a_preference_that_is_no_json_is_refused(memory: AgentMemory, key: Any, value: object) -> None:  # noqa: ANN401
    """So is a key that is no short text."""
    with pytest.raises(ConfigurationError):
        memory.profiles.update_preference(key, value, scope=ANA)


class Lossy(UserProfile):
    """Fields that are not read back as they were set."""

    pin: SecretStr = SecretStr("")
    day: date | None = Field(default=None, strict=True)
    hidden: str = Field(default="", exclude=True)
    ways: tuple[str, ...] = Field(default=(), strict=True)
    salted: str = ""

    @field_validator("salted")
    @classmethod
    def _salt(cls, value: str) -> str:
        return f"{value}!"


@pytest.mark.parametrize(
    ("field", "value"),
    [("pin", "1234"), ("day", date(2026, 3, 1)), ("hidden", "x"), ("ways", ("a", "b")), ("salted", "x")],
)
def test_a_value_that_would_be_lost_is_refused(memory: AgentMemory, field: str, value: object) -> None:
    """What is acknowledged is read back: a type that does not go through JSON and back is refused."""
    with pytest.raises(ConfigurationError, match=f"'{field}' is not read back"):
        memory.profiles.as_(Lossy).set(field, value, scope=ANA)


class Picky(UserProfile):
    preferences: dict[str, str] = Field(default={})  # type: ignore[assignment]  # narrower than the base's on purpose
    facts: tuple[str, ...] = Field(default=(), max_length=1)


def test_what_a_model_does_not_take_keeps_no_profile_from_being_read() -> None:
    """A preference is held against the model before it is written; what is stored already is left out, and told."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", profile=Picky) as memory:
        with pytest.raises(ConfigurationError, match=r"'font size' is not taken by Picky, got int"):
            memory.profiles.update_preference("font size", 12, scope=ANA)
        memory.profiles.as_(UserProfile).update_preference("font size", 12, scope=ANA)
        memory.profiles.update_preference("tone", "terse", scope=ANA)
        memory.profiles.set("name", "Ana", scope=ANA)
        for owned in ("a boat", "a horse"):
            memory.profiles.add_fact(f"Ana owns {owned}", scope=ANA)
        profile = memory.profiles.get(scope=ANA)
        assert (profile.name, profile.preferences, profile.facts) == ("Ana", {"tone": "terse"}, ("Ana owns a horse",))
        assert {it.field for it in profile.unfit} == {"preferences.font size", "facts"}
        assert set(profile.fields) == {"name", "preferences.tone"}


async def test_other_bad_input_is_refused(memory: AgentMemory, call: Call) -> None:
    """A source, a confidence, a field to explain and a budget are held against what they may be."""
    for given in ({"source": "rumour"}, {"confidence": 2}):
        with pytest.raises(ConfigurationError):
            await call(memory.profiles, "set", "name", "Ana", scope=ANA, **given)
    with pytest.raises(ConfigurationError, match="no field 'facts' to explain"):
        await call(memory.profiles, "explain", "facts", scope=ANA)
    with pytest.raises(ConfigurationError, match="max_tokens"):
        UserProfile().to_context(0)


@pytest.mark.parametrize("steps", ["one", [""], ["x" * 501], [f"{n}" for n in range(201)], [7], 7])
def test_steps_that_cannot_be_kept_are_refused(memory: AgentMemory, steps: Any) -> None:  # noqa: ANN401
    """They are short texts, and not too many."""
    with pytest.raises(ConfigurationError, match="steps"):
        memory.goals.add("Ana wants to pass the exam", scope=ANA, steps=steps)


class Wanting(UserProfile):
    level: int


class Refusing(UserProfile):
    @model_validator(mode="after")
    def _never(self) -> Refusing:
        msg = "no"
        raise ValueError(msg)


@pytest.mark.parametrize("model", [Wanting, Refusing, dict, "Student", UserProfile(name="Ana")])
def test_a_model_that_an_empty_profile_does_not_fit_is_refused(memory: AgentMemory, model: Any) -> None:  # noqa: ANN401
    """Where it is named, as an option or later."""
    with pytest.raises(ConfigurationError):
        memory.profiles.as_(model)
    with pytest.raises(ConfigurationError):
        MemoryOptions(profile=model)


@pytest.mark.parametrize("name", ["status", "revision", "fields", "told", "unfit", "to_context"])
@pytest.mark.filterwarnings("ignore:Field name:UserWarning")
def test_a_field_named_like_a_property_is_refused(memory: AgentMemory, name: str) -> None:
    """It would be stored, and never shown."""
    with pytest.raises(ConfigurationError, match=f"{name!r}, which every profile has"):
        memory.profiles.as_(create_model("Named", __base__=UserProfile, **{name: (int, 0)}))  # type: ignore[call-overload]  # a name that is computed


class Ruled(UserProfile):
    """Fields with rules of their own, one of them over two."""

    start: int = 0
    end: int = 10

    @field_validator("name")
    @classmethod
    def _capital(cls, name: str | None) -> str | None:
        return name.title() if name else name

    @model_validator(mode="after")
    def _ordered(self) -> Ruled:
        if self.end < self.start:
            msg = f"{self.end} is before {self.start}"
            raise ValueError(msg)
        return self


def test_fields_that_do_not_go_together_are_reported() -> None:
    """Each fits alone, both do not: the profile opens without them, and the rest of it is there."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", profile=Ruled) as memory:
        memory.profiles.set("name", "ana", scope=ANA)
        memory.profiles.set("start", 8, scope=ANA)
        memory.profiles.set("end", 5, scope=ANA)
        profile = memory.profiles.get(scope=ANA)
        assert (profile.name, profile.start, profile.end) == ("Ana", 0, 10)
        assert {it.field for it in profile.unfit} == {"start", "end"}
        assert set(profile.fields) == {"name"}


def test_a_prompt_is_bounded() -> None:
    """Fields go before preferences and facts; of facts the newest stay, and what is missing is counted."""
    facts = tuple(f"Ana has read chapter {number}" for number in range(100))
    profile = Student(name="Ana", age=7, preferences={"tone": "terse"}, facts=facts)
    text = profile.to_context(max_tokens=100)
    assert len(text) <= 400
    assert "name: Ana" in text
    assert "tone: terse" in text
    assert text.endswith("Ana has read chapter 99\n</facts>\n</profile>")
    assert 'omitted="' in text
    assert UserProfile().to_context() == ""


def test_an_agent_may_read_with_a_model_of_the_options() -> None:
    """`profile=` is what `memory.profiles` reads as; another model reads the same memories."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed", profile=Student) as memory:
        memory.profiles.set("city", "Rome", scope=Scope("ana"))
        assert memory.profiles.get(scope=Scope("ana")).city == "Rome"
        [unfit] = memory.profiles.as_(UserProfile).get(scope=Scope("ana")).unfit
        assert (unfit.field, unfit.expected) == ("city", "no such field")
