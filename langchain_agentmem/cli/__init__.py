"""The command line: `python -m langchain_agentmem`, or `agentmem` once installed."""

from __future__ import annotations

from langchain_agentmem.cli import (
    approving,
    asking,
    changing,
    checking,
    consenting,
    forgetting,
    looking,
    playing,
    rights,
    running,
    sealing,
    talking,
    turning_back,
    working_off,
)
from langchain_agentmem.cli.program import app, main

__all__ = [
    "app",
    "approving",
    "asking",
    "changing",
    "checking",
    "consenting",
    "forgetting",
    "looking",
    "main",
    "playing",
    "rights",
    "running",
    "sealing",
    "talking",
    "turning_back",
    "working_off",
]
