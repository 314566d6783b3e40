"""Whatever users, agents and time do in whichever order, the promises of a governed memory hold."""

from __future__ import annotations

from tests.governed import Governed, drawn
from tests.whole import few

TestGoverned = Governed.TestCase
TestGoverned.settings = drawn(few(6, of=40), soaked=100)
