"""The errors of this package: one tree, so that a caller can catch as widely or as narrowly as it needs.

```
AgentMemError
├── ConfigurationError(ValueError)
├── ScopeError(ValueError)
├── StorageError
│   ├── ConflictError
│   ├── MigrationError
│   └── IntegrityError
│       └── LostKeysError
├── NotFoundError(LookupError)
├── GovernanceError
│   ├── ConsentError
│   └── RetentionError
└── ModelOutputError(ValueError)
```

A message names the value and the remedy; it never holds a secret or the text of a memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class AgentMemError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(AgentMemError, ValueError):
    """An argument has a value that cannot work; the message names it and one that does."""


class ScopeError(AgentMemError, ValueError):
    """No user, or a malformed user, tenant, agent or session id: refused before any I/O."""


class StorageError(AgentMemError):
    """A database or an index failed.

    Attributes:
        is_retryable: Whether the same call may succeed later (a lock, a lost connection).
        is_read_only: Whether the database can be read all the same: it is a standby, its file may not be written, or
            its disk is full.
    """

    def __init__(self, message: str, *, is_retryable: bool = False, is_read_only: bool = False) -> None:
        """Keep whether a retry may help beside the message, and whether reading does."""
        super().__init__(message)
        self.is_retryable = is_retryable
        self.is_read_only = is_read_only


class ConflictError(StorageError):
    """Someone else wrote first, and keeping both is impossible."""


class MigrationError(StorageError):
    """The tables are newer than this code, or a migration failed."""


class IntegrityError(StorageError):
    """Stored data was tampered with, truncated, or cannot be read back."""


class LostKeysError(IntegrityError):
    """A user's keys are gone or damaged: put them back from their own backup, or erase the user."""


class NotFoundError(AgentMemError, LookupError):
    """The id to change or explain does not exist in this scope."""


class GovernanceError(AgentMemError):
    """A rule said no where the caller demanded a yes.

    Attributes:
        rule: The name of the rule that refused.
    """

    def __init__(self, message: str, *, rule: str) -> None:
        """Keep the rule's name beside the message."""
        super().__init__(message)
        self.rule = rule

    def __reduce__(self) -> tuple[Callable[..., GovernanceError], tuple[Any, ...], dict[str, Any]]:
        """Return how it is made anew: a worker's process hands it on, and waits for good where that cannot be."""
        return partial(type(self), rule=self.rule), self.args, vars(self)


class ConsentError(GovernanceError):
    """The user has not consented to long-term memory, or has withdrawn."""


class RetentionError(GovernanceError):
    """Something has to be kept that was to be deleted, or must not be kept: a legal hold, or an erasure going on."""


class ModelOutputError(AgentMemError, ValueError):
    """A model's answer did not fit the schema asked for.

    Attributes:
        output: What the model answered.
    """

    def __init__(self, message: str, *, output: object = None) -> None:
        """Keep the answer beside the message."""
        super().__init__(message)
        self.output = output
