"""What one list of words has, every reader knows: counts and kin are read alike wherever they stand."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.number_words import counts
from langchain_agentmem.english.withheld import is_withheld
from langchain_agentmem.extraction import RuleExtractor


def contents(text: str) -> list[str]:
    return [it.content for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize("count", counts(2, 12))
def test_a_count_is_read_alike_however_large_it_is(count: str) -> None:
    """A list that ends at three, five or ten knows no more of what is counted than one that ends at twelve."""
    assert contents(f"We look after {count} foster kids") == [f"The user's family looks after {count} foster kids"]
    assert contents(f"I'm having {count} cats, named Tom and others") == [
        f"The user has {count} cats, named Tom and others"
    ]
    order = f"In {count} months, forget my job"
    assert is_withheld(order, order.index("forget"))
