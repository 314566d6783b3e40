"""What a user allowed, of which kinds of memory, and for what."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias

from langchain_agentmem.types.memories import Kind
from langchain_agentmem.types.showing import briefly

ConsentStatus: TypeAlias = Literal["unknown", "granted", "withdrawn", "expired"]

_FIRST: Final[tuple[ConsentStatus, ...]] = ("granted", "withdrawn", "expired", "unknown")
"""What a state is called that is not one for every kind: what is allowed counts before what is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What a user said last of a kind of memory.

    Attributes:
        status: `unknown`: nothing yet. `expired`: it was granted until a time that is over.
        purposes: What it covers; empty: every purpose.
        without: Purposes that were withdrawn since, of a grant that covered all.
        source: Where the user said so: a label of the application's, such as `settings`.
        expires_at: When it ends by itself; `None`: it does not.
    """

    __repr__ = briefly("status")

    status: ConsentStatus = "unknown"
    purposes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    at: datetime | None = None
    source: str = ""
    expires_at: datetime | None = None

    def as_of(self, now: datetime) -> Allowance:
        """Return what is left of it at a time."""
        is_over = self.status == "granted" and self.expires_at is not None and self.expires_at <= now
        return replace(self, status="expired") if is_over else self

    def covers(self, purpose: str) -> bool:
        """Whether the purpose is among those it was given for; the status is another question."""
        return purpose not in self.without and (not self.purposes or purpose in self.purposes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentState:
    """What a user allowed.

    Attributes:
        status: `unknown` until granted, then `granted` or `withdrawn`; `expired` where a grant ended by itself. Where
            kinds have words of their own, it is `granted` if anything is.
        purposes: What the consent covers; empty: every purpose.
        without: Purposes that were withdrawn since.
        at: When the user said so last.
        source: Where.
        expires_at: When it ends by itself; `None`: it does not.
        kinds: Kinds of memory with words of their own. `purposes` and what follows are those of the other kinds.
        others: The status of those other kinds; `None`: it is `status`.
        rest: What holds for every one of them; it follows from the others.
    """

    __repr__ = briefly("status")

    status: ConsentStatus = "unknown"
    purposes: tuple[str, ...] = ()
    at: datetime | None = None
    without: tuple[str, ...] = ()
    source: str = ""
    expires_at: datetime | None = None
    kinds: tuple[tuple[Kind, Allowance], ...] = ()
    others: ConsentStatus | None = None
    rest: Allowance = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Put together what every candidate of a recall is held against."""
        rest = Allowance(
            status=self.others or self.status,
            purposes=self.purposes,
            without=self.without,
            at=self.at,
            source=self.source,
            expires_at=self.expires_at,
        )
        object.__setattr__(self, "rest", rest)

    def of(self, kind: Kind) -> Allowance:
        """Return what holds for a kind of memory."""
        return dict(self.kinds).get(kind) or self.rest

    def as_of(self, now: datetime) -> ConsentState:
        """Return what is left of it at a time: consent that has expired counts as none."""
        if self.expires_at is None and not self.kinds:
            return self
        return consent_of(self.rest.as_of(now), {kind: it.as_of(now) for kind, it in self.kinds}, self.at)


def consent_of(rest: Allowance, kinds: dict[Kind, Allowance], at: datetime | None) -> ConsentState:
    """Return a state put together: what holds for most kinds, and for those with words of their own."""
    own = {kind: it for kind, it in kinds.items() if it != rest}
    found = {rest.status, *(it.status for it in own.values())}
    status = next(it for it in _FIRST if it in found)
    return ConsentState(
        status=status,
        purposes=rest.purposes,
        at=at,
        without=rest.without,
        source=rest.source,
        expires_at=rest.expires_at,
        kinds=tuple(sorted(own.items())),
        others=None if rest.status == status else rest.status,
    )
