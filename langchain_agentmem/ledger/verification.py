"""What a check of a chain is asked, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """An exported head of a chain: kept elsewhere, it shows later that nothing before it was rewritten."""

    seq: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that `verify` found. `seq` is 0 where no single event is to blame."""

    seq: int
    finding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` found.

    Attributes:
        is_authenticated: The head carried a valid HMAC, as did each that was written on; or it is the anchor given. An
            older anchor vouches for the events up to it only.
        unsigned_to: The last event that no code vouches for, where a key came to a log without one: it was first used
            then, or somebody took the code away. 0 where there is none, and where an anchor vouches for them.
        is_erasing: All of the user's is being erased, and some may be gone already: that is no problem. What is still
            there was checked, and so was the chain.
    """

    events: int
    anchor: Anchor
    problems: tuple[Problem, ...] = ()
    is_authenticated: bool = False
    unsigned_to: int = 0
    is_erasing: bool = False

    @property
    def is_intact(self) -> bool:
        """Whether nothing was found."""
        return not self.problems
