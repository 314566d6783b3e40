"""Repositories that this package cannot serve as git does, and what to do about each."""

from __future__ import annotations

from typing import Any, Final

from langchain_agentmem.errors import ConfigurationError

_OURS: Final = b"sha1"


def check_served(repo: Any, where: str) -> None:  # noqa: ANN401  (dulwich is imported where it is first used)
    """Raise `ConfigurationError` where what is written would damage a repository."""
    try:
        found = bytes(repo.get_config_stack().get((b"extensions",), b"objectformat")).lower()
    except KeyError:
        return
    if found != _OURS:
        msg = (
            f"the git repository of {where!r} names its objects by {found.decode(errors='replace')}, and only SHA-1 is "
            "written here; make one for this folder: git init --object-format=sha1"
        )
        raise ConfigurationError(msg)


def is_partial(repo: Any) -> bool:  # noqa: ANN401  (as above)
    """Whether it was cloned with a filter, so that git fetches objects when they are asked for."""
    config = repo.get_config_stack()
    return any(config.get_boolean(section, b"promisor") for section in config.sections() if len(section) > 1)


def is_sparse(repo: Any) -> bool:  # noqa: ANN401  (as above)
    """Whether its working tree was told to leave files out."""
    return bool(repo.get_config_stack().get_boolean((b"core",), b"sparsecheckout"))
