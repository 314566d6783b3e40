from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.whole import few

PLUGIN = "plugins = pydantic.mypy\n"


@pytest.mark.parametrize("has_plugin", few([False], of=[True, False]))
def test_typed_user_code_is_accepted_and_mistakes_are_not(tmp_path: Path, *, has_plugin: bool) -> None:
    """`mypy --strict` accepts what users write, and finds each marked mistake: an unused `ignore` is an error.

    Also with pydantic's plugin, where the whole is asked for: it takes mypy as long again.
    """
    file = Path(__file__).with_name("user_code.py")
    settings = file.with_suffix(".ini").read_text()
    assert PLUGIN in settings
    chosen = tmp_path / "mypy.ini"
    chosen.write_text(settings if has_plugin else settings.replace(PLUGIN, "").replace("/user_code", "/no_plugin"))
    # In a process of its own: here it would leave millions of objects, and thaw what the run has frozen for good.
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", chosen, file],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
