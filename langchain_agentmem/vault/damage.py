"""What is said of files of keys that are damaged: which, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from langchain_agentmem.errors import IntegrityError, LostKeysError

_NAMED: Final = 20
"""Files that a message names; there may be thousands."""


def damaged(path: Path, why: object) -> LostKeysError:
    """Return the error of a file of keys that nothing opens any more."""
    msg = (
        f"the key file {str(path)!r} is damaged ({why}); put it back from the key store's own backup, or erase the "
        "user (privacy.erase), of whom nothing opens without it"
    )
    return LostKeysError(msg)


def misled(path: Path) -> IntegrityError:
    """Return the error of a key service that answered with other keys than a file's, or with none: nothing is lost."""
    msg = (
        f"the key service unwrapped something else than the keys in {str(path)!r}: it answers for another key, or that "
        "file was changed; see that it is the service that wrapped them, or put the file back from the key store's own "
        "backup"
    )
    return IntegrityError(msg, is_retryable=True)


class Left:
    """Files of keys that a rotation had to leave as they were."""

    def __init__(self) -> None:
        """None yet."""
        self._paths: list[Path] = []
        self._first = ""

    def add(self, path: Path, error: IntegrityError) -> None:
        """Add one, and why."""
        self._first = self._first or str(error)
        self._paths.append(path)

    def told(self, changed: int) -> str:
        """Return what is to be said of them beside those that were wrapped anew; empty: there are none."""
        if not self._paths:
            return ""
        named = ", ".join(repr(str(it)) for it in self._paths[:_NAMED])
        more = f" and {len(self._paths) - _NAMED} more" if len(self._paths) > _NAMED else ""
        return (
            f"{changed} key files were wrapped anew, and {len(self._paths)} could not be: {named}{more}. The master "
            f"key before is kept until they are put back or their users erased. Of the first: {self._first}"
        )
