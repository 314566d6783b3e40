"""A memory's parts out of a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from inspect import signature
from typing import Any, Final

from langchain_agentmem import _faces
from langchain_agentmem._checks import check_known, install_hint
from langchain_agentmem._storing import redis_at
from langchain_agentmem.composition import LOCAL, open_database
from langchain_agentmem.config.model import MemoryConfig, Named, VaultConfig
from langchain_agentmem.config.reading import Given, read_config
from langchain_agentmem.config.section import Section
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.policies.forget import ForgettingPolicy
from langchain_agentmem.policies.rank import Weights
from langchain_agentmem.policies.sensitive import ALL_DETECTORS, SensitivePolicy
from langchain_agentmem.sql.url import sqlite_url

BESIDE: Final = ("embeddings", "index")
"""Arguments of `AgentMemory` that may be given as objects, and are no fields of `MemoryOptions`."""


def build_config(given: Given, code: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an `AgentMemory`; nothing is opened yet.

    Args:
        given: A path of a YAML file, a dict, or a `MemoryConfig`.
        code: What cannot stand in a file, or is to be used in place of what stands there.

    Raises:
        ConfigurationError: Something of it cannot work.
    """
    options = {name: value for name, value in code.items() if name not in BESIDE}
    check_known(options, MemoryOptions, BESIDE)
    config = read_config(given, beside=code)
    if "index" in code:  # what stands in the file is for the index that is named there
        config = config.model_copy(update={"index_options": {}})
    redis = redis_at(config.redis, config.redis_prefix)
    url = sqlite_url(config.path) if config.path is not None else config.sql
    chosen = MemoryOptions(**_merged(options_of(config, options), options))
    return {
        "database": open_database(str(url), chosen, durable=config.durable),
        "redis": redis,
        "embeddings": code["embeddings"] if "embeddings" in code else _embeddings(config.embeddings),
        "index": code.get("index", config.index),
        "options": chosen,
    }


def options_of(config: MemoryConfig, code: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `MemoryOptions` that a configuration says, but for those that code takes the place of."""
    names = set(MemoryOptions.__dataclass_fields__) & config.model_fields_set
    wanted = [name for name in sorted(names) if name not in code or isinstance(code[name], Mapping)]
    return {name: _value(name, getattr(config, name)) for name in wanted}


def _merged(said: Mapping[str, Any], code: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options; of settings, code adds to what the file says."""
    both: dict[str, Any] = {
        name: {**said[name], **code[name]} for name in said if name in code and isinstance(said[name], Mapping)
    }
    if isinstance(code.get("sensitive"), Mapping):
        both["sensitive"] = _sensitive_with(said.get("sensitive"), code["sensitive"])
    return {**said, **code, **both}


def _value(name: str, value: Any) -> Any:  # noqa: ANN401  (any value of a configuration)
    if name == "model":
        return None if value is None else _chat_model(value)
    if name == "sensitive":
        return None if value is None else _sensitive(value)
    if name == "weights":
        return None if value is None else Weights(**value.given())
    if name == "approval":
        return None if value is None else value.policy()
    if name == "vault":
        return None if value is None else _vault(value)
    if name == "forgetting":
        return None if value is None else ForgettingPolicy(**value.given())
    if name == "audit_key":
        return None if value is None else value.encode()
    return value.given() if isinstance(value, Section) else value


def _sensitive(section: Section) -> SensitivePolicy:
    given = section.given()
    if given.get("detectors") == "presidio":
        given["detectors"] = (*ALL_DETECTORS, _faces.PresidioDetector())
    if given.get("key") is not None:
        given["key"] = given["key"].encode()
    return SensitivePolicy(**given)


def _sensitive_with(said: SensitivePolicy | None, code: Mapping[str, Any]) -> SensitivePolicy:
    """Return the policy of the file with what code adds to it, such as who may see values."""
    check_known(code, SensitivePolicy)
    return SensitivePolicy(**code) if said is None else replace(said, **code)


def _vault(said: VaultConfig) -> Any:  # noqa: ANN401  (a `SubjectVault`)
    """Return the vault with keys in a folder, in the environment, or in a folder under a key of the environment."""
    master = None if said.variable is None else _faces.KeyEnvironment(said.variable, *said.retired)
    keys = master if said.folder is None else _faces.KeyFolder(said.folder, master=master)
    if keys is None:
        msg = "vault names neither a folder nor a variable; write vault: keys, or vault: {variable: AGENTMEM_KEY}"
        raise ConfigurationError(msg)
    return _faces.SubjectVault(keys)


def _embeddings(named: Named | None) -> Any:  # noqa: ANN401  (LangChain's `Embeddings`, `local`, or nothing)
    if named is None or (named.name == LOCAL and not named.options):
        return None if named is None else LOCAL
    if named.name == LOCAL:
        return _local(named.options)
    if ":" not in named.name:
        example = "openai:text-embedding-3-small"
        msg = f"embeddings {named.name!r} is unknown; use local, null, or provider:name such as {example}"
        raise ConfigurationError(msg)
    _check_langchain("embeddings", named)
    from langchain.embeddings import init_embeddings

    return _made("embeddings", init_embeddings, named)


def _local(options: Mapping[str, Any]) -> Any:  # noqa: ANN401  (LangChain's `Embeddings`)
    made = _faces.LocalEmbeddings
    known = signature(made).parameters
    unknown = sorted(options.keys() - known)
    if unknown:
        msg = f"embeddings local takes no option {unknown[0]!r}; use one of {', '.join(known)}"
        raise ConfigurationError(msg)
    return made(**options)


def _chat_model(named: Named) -> Any:  # noqa: ANN401  (LangChain's `BaseChatModel`)
    _check_langchain("model", named)
    from langchain.chat_models import init_chat_model

    return _made("model", init_chat_model, named)


def _check_langchain(key: str, named: Named) -> None:
    if find_spec("langchain") is None:
        msg = f"{key} {named.name} needs LangChain; {install_hint('agents')}"
        raise ConfigurationError(msg)


def _made(key: str, make: Callable[..., Any], named: Named) -> Any:  # noqa: ANN401  (what LangChain makes)
    try:
        return make(named.name, **named.options)
    except ImportError as error:
        msg = f"{key} {named.name}: the provider's package is not installed: {error}"
        raise ConfigurationError(msg) from error
    except Exception as error:  # every provider raises its own kind of error, and some quote what they were given
        msg = (
            f"{key} {named.name} cannot be made ({type(error).__name__}); write provider:name, for example "
            "openai:gpt-5-mini, and set the provider's key in the environment"
        )
        raise ConfigurationError(msg) from error
