from __future__ import annotations

from pathlib import Path

from mypy import api


def test_typed_user_code_is_accepted_and_mistakes_are_not() -> None:
    """`mypy --strict` accepts what users write, and finds each marked mistake: an unused `ignore` is an error."""
    file = Path(__file__).with_name("user_code.py")
    report, errors, status = api.run(["--config-file", str(file.with_suffix(".ini")), str(file)])
    assert status == 0, report + errors
