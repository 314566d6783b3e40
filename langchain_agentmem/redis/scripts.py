"""Lua that Redis runs as one step: nobody sees half of it, and nobody comes between.

What Redis promises of a script, and what ours build on. It runs alone. Its writes reach the append-only file and the
replicas as one transaction, so that a crash leaves all of them or none. Out of memory, a read-only replica, too few
replicas and a disk that cannot be saved to are checked at its first write and never after it: such a refusal leaves
nothing half written. A fault of the script itself would (Redis takes nothing back), so ours check everything first and
write last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha1


@dataclass(frozen=True, slots=True)
class Script:
    """A script, known to the server by its digest."""

    text: str
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", sha1(self.text.encode(), usedforsecurity=False).hexdigest())
