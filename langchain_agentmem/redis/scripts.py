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
from typing import Final

EVICTED: Final = "EVICTED"
"""What a script of ours ends with where a part of what it is about is gone; see `CHECK_WHOLE`."""

CHECK_WHOLE: Final = f"""
-- Keys that belong together end at one time, but for what moving them to another server takes. Where some are gone, and
-- one stays for longer than that or for ever, Redis has evicted them: it is not over, and not to be begun anew.
local function check_whole(keys, expected)
  local there = redis.call('EXISTS', unpack(keys))
  if there == 0 or there >= expected then return end
  for _, key in ipairs(keys) do
    local left = redis.call('PTTL', key)
    if left == -1 or left > 1000 then error('{EVICTED}') end
  end
end
"""


@dataclass(frozen=True, slots=True)
class Script:
    """A script, known to the server by its digest."""

    text: str
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", sha1(self.text.encode(), usedforsecurity=False).hexdigest())
