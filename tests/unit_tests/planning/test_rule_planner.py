"""Plans by rules."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem import Dialogue, RulePlanner
from tests.contracts.planner_contract import SAID, PlannerContract, check_any_text


class TestRulePlanner(PlannerContract):
    """The whole contract."""

    @pytest.fixture
    def planner(self) -> RulePlanner:
        return RulePlanner()


def test_a_plan_names_who_made_it() -> None:
    """Each query says that it comes from rules: the receipt tells it."""
    queries = RulePlanner().plan(Dialogue(text="Where do I live, and what do I like?"))
    assert [query.planned_by for query in queries] == ["rules", "rules"]


@given(text=st.text(max_size=200), said=SAID, at=st.datetimes())
def test_any_text_has_a_plan(text: str, said: list[str], at: datetime) -> None:
    """Rules plan whatever is said, whenever, after whatever else."""
    check_any_text(RulePlanner(), text, said, at)
