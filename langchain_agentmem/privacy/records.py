"""What a user's rights give back: holds, exports, imports and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from langchain_agentmem.privacy.layers import Restored
from langchain_agentmem.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A legal hold that stands.

    Attributes:
        until: When it ends by itself; `None`: when somebody releases it.
        reasons: Of each time it was placed since the last release.
    """

    placed_at: datetime
    until: datetime | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerReport:
    """How much there is of a user in one layer.

    Attributes:
        before: How much there was before an erasure; `None` in a report of what stands.
        remains: What stays in files that are not ours, and until when; empty: nothing, or nothing was there.
    """

    name: str
    count: int
    before: int | None = None
    remains: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyReport:
    """What is stored of a user, found by asking every layer anew; numbers only.

    Attributes:
        status: `stored`, `held` (a legal hold stands), `erasing`, `erased` (nothing was stored since the erasure), or
            `unknown`: nothing is stored, and the log has never heard of the user.
        layers: Every layer, those with nothing too.
        remains: What stays, and why: sentences for whoever has to answer for it. Also what may be the user's and is
            nobody's: namespaces of the store that have their id as a label.
        digest: Of the last event of the user's log: an anchor, see `long_term.verify`.
        problems: What may be the user's and no layer finds, because somebody removed or renamed the head of a log.
    """

    scope: Scope
    at: datetime
    status: str
    layers: tuple[LayerReport, ...]
    remains: tuple[str, ...] = ()
    digest: str = ""
    problems: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no layer holds anything of the user, and nothing stands that may be theirs and cannot be found."""
        return not self.problems and not any(it.count for it in self.layers)

    @property
    def counts(self) -> dict[str, int]:
        """Return how much each layer holds."""
        return {it.name: it.count for it in self.layers}


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What was exported.

    Attributes:
        scope: Whose; `None`: the file is sealed, and was not opened. So it is with `at`.
        counts: Records of each layer; of a file that was not opened, as each line names its layer in the clear.
        sha256: Of all lines but the last, in hex; the last line says it.
        id: Of the export; what is imported names it.
        is_sealed: Whether nobody can read it without the user's key.
        path: The file; `None`: `data` holds the lines, or a file was given.
    """

    scope: Scope | None
    at: datetime | None
    counts: Mapping[str, int]
    sha256: str
    id: str = ""
    is_sealed: bool = False
    path: Path | None = None
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """What became of an import: an account of each layer, with what was left out of it (`skipped`).

    Events of a log are always left out: a chain belongs to its database. Read them in the file.

    Attributes:
        export_id: Of the export; the events of the log that brought something name it.
    """

    scope: Scope
    layers: Mapping[str, Restored]
    export_id: str = ""

    @property
    def added(self) -> int:
        """Return how many records were written."""
        return sum(it.added for it in self.layers.values())
