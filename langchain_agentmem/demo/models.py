"""Which chat model answers: any that LangChain knows by `provider:name`, or the offline responder."""

from __future__ import annotations

from importlib.util import find_spec

from langchain_core.language_models import BaseChatModel

from langchain_agentmem._checks import install_hint
from langchain_agentmem.demo.responder import LABEL, OfflineResponder
from langchain_agentmem.errors import ConfigurationError


def chat_model(name: str | None) -> BaseChatModel:
    """Return the chat model of this name; without one, the offline responder.

    Raises:
        ConfigurationError: LangChain or the provider's package is not installed, the name is unknown, or the
            provider refuses to be built (a missing key, say); the message says what helps.
    """
    if name is None:
        return OfflineResponder()
    if find_spec("langchain") is None:
        msg = f"--model {name} needs LangChain; {install_hint('agents')}"
        raise ConfigurationError(msg)
    from langchain.chat_models import init_chat_model

    try:
        model: BaseChatModel = init_chat_model(name)
    except ImportError as error:
        msg = f"--model {name}: the provider's package is not installed: {error}"
        raise ConfigurationError(msg) from error
    except Exception as error:  # every provider raises its own kind of error where its key is missing
        msg = (
            f"--model {name} cannot be used ({type(error).__name__}: {_first_line(error)}); write provider:name, for "
            "example openai:gpt-5-mini, and set the provider's key in the environment"
        )
        raise ConfigurationError(msg) from error
    return model


def name_of(model: BaseChatModel) -> str:
    """Return what to call a model beside its answers."""
    if isinstance(model, OfflineResponder):
        return LABEL
    return str(getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__)


def failure(model: BaseChatModel, error: Exception) -> str:
    """Return what to say where a model failed to answer."""
    return f"{name_of(model)} did not answer ({type(error).__name__}: {_first_line(error)}); check its key and address"


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "")
