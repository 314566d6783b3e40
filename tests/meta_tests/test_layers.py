from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.meta_tests.package import ROOT


def test_imports_only_point_down() -> None:
    """The contracts in pyproject.toml hold, and every module has a place in the layers."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
