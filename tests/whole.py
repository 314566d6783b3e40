"""How much of a product of backends, colours and kinds of id is run.

Some laws of isolation are run for many ids that are as alike as ids can be; in every colour, on every backend and for
every kind of id they take longer than all other tests together. So kinds and colours take turns among the backends,
unless the whole is asked for: `make test-all`, or `AGENTMEM_TEST_WHOLE=1`. The examples of a law are then other ones in
each run, too.
"""

from __future__ import annotations

import os
from typing import Final, TypeVar

T = TypeVar("T")

IS_WHOLE: Final = bool(os.environ.get("AGENTMEM_TEST_WHOLE"))


def few(some: T, *, of: T) -> T:
    """Return some of the parameters of a suite, or all of them where the whole is asked for."""
    return of if IS_WHOLE else some
