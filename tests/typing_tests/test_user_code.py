from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_typed_user_code_is_accepted_and_mistakes_are_not() -> None:
    """`mypy --strict` accepts what users write, and finds each marked mistake: an unused `ignore` is an error."""
    file = Path(__file__).with_name("user_code.py")
    # In a process of its own: here it would leave millions of objects, and thaw what the run has frozen for good.
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", file.with_suffix(".ini"), file],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
