"""Where procedural memory is, and how it is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from langchain_agentmem._checks import check_flag, check_text, check_unit, install_hint
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.errors import ConfigurationError

DEFAULT_AUTHOR: Final = "langchain-agentmem <agentmem@localhost>"

MIN_SCORE: Final = 0.12
"""Relevance below which a skill is no answer. Ten skills, 15 requests for them and 15 for something else: with
all-MiniLM-L6-v2, and with words alone, 12 of the first find theirs, and 2 of the second find one."""

_AUTHOR: Final = lazy_pattern(r"[^<>\n\r\x00]{1,200} <[^<>\n\r\x00]{0,200}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProceduralOptions:
    """Where skills and policies are.

    Args:
        path: A folder in a git repository, with a working tree or bare; `None`: only what is shipped.
        create: Make folder and repository where they are missing.
        defaults: Enforce the shipped policies, too; one of the same name in the repository replaces its shipped one.
        author: Of commits that name no other, as `Name <mail>`.
        min_score: Relevance below which `find` returns no skill, in [0, 1].

    Raises:
        ConfigurationError: A value cannot work.
    """

    path: str | os.PathLike[str] | None = None
    create: bool = False
    defaults: bool = True
    author: str = DEFAULT_AUTHOR
    min_score: float = MIN_SCORE

    def __post_init__(self) -> None:
        """Check what can be checked without looking at the disk."""
        if self.path is not None and not isinstance(self.path, str | os.PathLike):
            msg = f"procedural path must be a path, got {type(self.path).__name__}; for example 'procedures'"
            raise ConfigurationError(msg)
        if self.path is not None:
            check_text("procedural path", os.fspath(self.path))
            check_git()
        for name in ("create", "defaults"):
            check_flag(name, getattr(self, name))
        check_author(self.author)
        check_unit("min_score", self.min_score)


def check_git() -> None:
    """See that there is what reads and writes git repositories.

    Raises:
        ConfigurationError: It is not installed.
    """
    if find_spec("dulwich") is None:
        msg = f"procedural memory in git needs dulwich; {install_hint('procedural')}"
        raise ConfigurationError(msg)


def read_procedural(given: object) -> ProceduralOptions:
    """Return options from a path, a dict of fields, a `ProceduralOptions`, or `None`.

    Raises:
        ConfigurationError: It is none of these, or a field is unknown.
    """
    if given is None or isinstance(given, str | os.PathLike):
        return ProceduralOptions(path=given)
    if isinstance(given, ProceduralOptions):
        return given
    if not isinstance(given, Mapping):
        msg = f"procedural must be a path or a dict of settings, got {type(given).__name__}; for example 'procedures'"
        raise ConfigurationError(msg)
    fields: Mapping[str, Any] = given
    unknown = sorted(set(fields) - set(ProceduralOptions.__dataclass_fields__))
    if unknown:
        known = ", ".join(ProceduralOptions.__dataclass_fields__)
        msg = f"procedural has no option {unknown[0]!r}; use one of {known}"
        raise ConfigurationError(msg)
    return ProceduralOptions(**fields)


def check_author(author: object) -> str:
    """Return an author as git knows them, else raise `ConfigurationError`."""
    if not isinstance(author, str) or not _AUTHOR.fullmatch(author):
        msg = f"author must be 'Name <mail>', got {author!r}; for example 'Ada <ada@example.org>'"
        raise ConfigurationError(msg)
    return author
