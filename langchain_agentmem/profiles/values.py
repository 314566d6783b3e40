"""Values of fields held against the user's model, before anything is written and after it was read."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from langchain_agentmem._checks import MAX_LABEL_CHARS, check_text
from langchain_agentmem.english.reading.profile_fields import PREFERENCES, TAG, decoded, encoded, key_of
from langchain_agentmem.english.reading.statements import canonical_relation
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.profiles.model import BASE_FIELDS, UserProfile

P = TypeVar("P", bound=UserProfile)
MAX_VALUE_CHARS: Final = 1_000
"""The object of a memory holds no more."""

MAX_KEY_CHARS: Final = 100
_ROOM: Final = MAX_LABEL_CHARS - len(TAG)
_TAKEN: Final = frozenset({"status", "revision", "fields", "told", "unfit", "to_context"})
"""What every profile has beside its fields."""

_ANY_JSON: Final[TypeAdapter[JsonValue]] = TypeAdapter(JsonValue)


def check_model(model: object) -> type[Any]:
    """Return a model that an empty profile fits.

    Raises:
        ConfigurationError: No subclass of `UserProfile`, a field without a default, or one named like a property.
    """
    if not isinstance(model, type) or not issubclass(model, UserProfile):
        msg = f"a profile must be a subclass of UserProfile, got {model!r}; for example class Student(UserProfile): …"
        raise ConfigurationError(msg)
    wanting = [name for name, field in model.model_fields.items() if field.is_required()]
    if wanting:
        msg = f"field {wanting[0]!r} of {model.__name__} has no default; give it one, a profile begins empty"
        raise ConfigurationError(msg)
    taken = sorted(_TAKEN & model.model_fields.keys())
    if taken:
        msg = f"{model.__name__} has a field {taken[0]!r}, which every profile has as a property; give it another name"
        raise ConfigurationError(msg)
    long = next((name for name in model.model_fields if len(name) > _ROOM), None)
    if long is not None:
        msg = f"field {long[:40]!r}… of {model.__name__} is longer than {_ROOM} characters; shorten it"
        raise ConfigurationError(msg)
    try:
        model()
    except (ValidationError, ValueError, TypeError) as error:
        msg = f"{model.__name__} does not take its own defaults ({problem_of(error)}); a profile begins empty"
        raise ConfigurationError(msg) from error
    return model


def own_fields(model: type[BaseModel]) -> list[str]:
    """Return the fields that hold one value each: the name, and what a subclass adds."""
    return [name for name in model.model_fields if name == "name" or name not in BASE_FIELDS]


def relations_of(model: type[BaseModel] | None) -> dict[str, str]:
    """Return the fields that hold one value each by the relation that says each; `None`: of a plain profile."""
    return {canonical_relation(name): name for name in own_fields(model or UserProfile)}


def checked_value(model: type[BaseModel], field: str, value: object) -> Any:  # noqa: ANN401  (any JSON value)
    """Return a value as it is stored, JSON-like.

    Raises:
        ConfigurationError: The model has no such field, or does not take the value.
    """
    if not isinstance(field, str) or field not in own_fields(model):
        raise ConfigurationError(_no_field(model, field))
    if value is None:
        msg = f"None is no value of profile field {field!r}; to empty it, forget the memory that says it"
        raise ConfigurationError(msg)
    try:
        given = model.model_validate({field: value})
        stored = given.model_dump(mode="json").get(field)
        text = encoded(stored)
    except (ValidationError, ValueError, TypeError) as error:
        raise ConfigurationError(_misfit(model, field, value, problem_of(error))) from None  # it may quote the value
    taken = getattr(given, field)
    if isinstance(value, bool) and isinstance(taken, (int, float)) and not isinstance(taken, bool):
        raise ConfigurationError(_misfit(model, field, value, "a number was wanted"))
    if field not in given.model_fields_set or read_value(model, field, text) != (taken, None):
        msg = f"profile field {field!r} is not read back as it was set, so it is not kept; a secret, an alias, a strict"
        msg += " type, or a field that is excluded cannot be: use a type that goes through JSON and back"
        raise ConfigurationError(msg)
    check_text(f"profile field {field!r}", text, max_chars=MAX_VALUE_CHARS)
    return stored


def read_value(model: type[BaseModel], field: str, text: str) -> tuple[Any, str | None]:
    """Return a stored value as the model takes it, else which rule it breaks; "42" may be a number, or a text."""
    problem = None
    read = decoded(text)
    for value in [read] if isinstance(read, str) else [read, text]:
        try:
            return getattr(model.model_validate({field: value}), field), None
        except (ValidationError, ValueError, TypeError) as error:
            problem = problem or problem_of(error)
    return None, problem


def checked_preference(model: type[BaseModel], key: object, value: object) -> tuple[str, Any]:
    """Return a preference as it is stored: its key as it is compared, and a JSON value.

    Raises:
        ConfigurationError: The key is no short text, the value no JSON, or one that the model does not take.
    """
    name = key_of(check_text("preference", key, max_chars=MAX_KEY_CHARS))
    check_text("preference, with its letters in lower case,", name, max_chars=_ROOM - len(PREFERENCES))
    if value is None:
        msg = f"None is no preference; to drop {name!r}, forget the memory that says it"
        raise ConfigurationError(msg)
    try:
        stored = _ANY_JSON.validate_python(value)
        text = encoded(stored)
    except (ValidationError, ValueError, TypeError, RecursionError):
        msg = f"preference {name!r} must be text, a number, a bool, or lists and dicts of them, got {_type(value)}"
        raise ConfigurationError(msg) from None
    check_text(f"preference {name!r}", text, max_chars=MAX_VALUE_CHARS)
    try:
        model.model_validate({"preferences": {name: stored}})
    except (ValidationError, ValueError, TypeError) as error:
        msg = f"preference {name!r} is not taken by {model.__name__}, got {_type(value)} ({problem_of(error)})"
        raise ConfigurationError(msg) from None  # its text may quote the value
    return name, stored


def expected(model: type[BaseModel], field: str) -> str:
    """Return what a field takes, as it is written in the model."""
    annotation = model.model_fields[field].annotation
    name = annotation.__name__ if isinstance(annotation, type) and not hasattr(annotation, "__args__") else None
    return name or str(annotation).replace("typing.", "")


def problem_of(error: Exception) -> str:
    """Return which rule a value breaks, without the value."""
    if isinstance(error, ValidationError):
        return str(error.errors(include_input=False, include_url=False, include_context=False)[0]["type"])
    return type(error).__name__


def _no_field(model: type[BaseModel], field: object) -> str:
    known = ", ".join(own_fields(model))
    if not isinstance(field, str):
        return f"a profile field is named by a str, got {_type(field)}; {model.__name__} has {known}"
    if field in {"preferences", "facts"}:
        return f"profile field {field!r} is not set whole; use update_preference(key, value) or add_fact(text)"
    if field == "last_interaction":
        return "profile field 'last_interaction' is not set: it is when a message was last added to a conversation"
    return f"{model.__name__} has no field {field!r}; it has {known}: add one in a subclass, profiles.as_(YourProfile)"


def _misfit(model: type[BaseModel], field: str, value: object, problem: str) -> str:
    return f"profile field {field!r} takes {expected(model, field)}, got {_type(value)} ({problem})"


def _type(value: object) -> str:
    return type(value).__name__
