from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from tests.meta_tests.package import modules

OPTIONS: Final = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def with_examples() -> list[ModuleType]:
    """Return the modules that show one: to look for examples in all others takes longer than to run these."""
    return [it for it in modules() if it.__file__ and ">>>" in Path(it.__file__).read_text("utf-8")]


@pytest.mark.parametrize("module", with_examples(), ids=lambda module: module.__name__)
def test_the_examples_of_a_module_are_true(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a docstring shows after `>>>` is what happens, without a key and in an empty folder."""
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(module, optionflags=OPTIONS)
    assert result.failed == 0
