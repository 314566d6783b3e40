"""Whatever users, agents and time do in whichever order, the promises of a governed memory hold."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

from tests.governed import Governed
from tests.whole import few

SOAK = int(os.environ.get("AGENTMEM_TEST_SOAK", "0"))
"""`make soak` asks for ten: ten thousand operations, others each time."""

TestGoverned = Governed.TestCase
TestGoverned.settings = settings(
    max_examples=10 * SOAK or few(6, of=40),
    stateful_step_count=100 if SOAK else 25,
    derandomize=not SOAK,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    phases=(Phase.generate,),  # a failing run is told as it was: making it smaller takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
