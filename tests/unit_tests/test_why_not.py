"""Why a memory was not recalled, on SQLite, in a file and in memory."""

from __future__ import annotations

import re

from langchain_agentmem.long_term.recall.explaining import MEANINGS
from langchain_agentmem.long_term.recall.recalling import SMALL_TALK
from tests.contracts.why_not_contract import WhyNotContract
from tests.meta_tests.package import ROOT


class TestWhyNot(WhyNotContract):
    """The whole contract."""


def test_an_older_spelling_of_a_rule_has_its_words() -> None:
    """Receipts that were stored before name it so."""
    assert MEANINGS["small talk"] == MEANINGS[SMALL_TALK]


def test_each_rule_is_in_the_documentation() -> None:
    """Whatever keeps a memory out has words for it, and its name is on the page that tells of receipts."""
    told = set(re.findall(r"`([a-z_ ]+)`", (ROOT / "docs" / "watching.md").read_text("utf-8")))
    assert MEANINGS.keys() - {"status_erased"} <= told  # what was erased has no reason, and no answer
