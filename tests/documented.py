"""What the pages of the documentation define, as tests want it: a class of an example is a class to be collected."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.meta_tests.package import ROOT
from tests.meta_tests.test_readme import examples


@cache
def classes_of(page: str) -> dict[str, Any]:
    """Run the examples of a page, one after the other, and return what they define."""
    shared: dict[str, Any] = {"__name__": "documented"}
    for code in examples(ROOT / "docs" / page, runnable=True):
        exec(compile(code, page, "exec", dont_inherit=True), shared)  # noqa: S102  (our own page)
    return shared
