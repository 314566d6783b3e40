"""The command line: `python -m langchain_agentmem`, or `agentmem` once installed."""

from __future__ import annotations

from langchain_agentmem.cli import changing, checking, looking, playing, running, talking, turning_back
from langchain_agentmem.cli.program import app, main

__all__ = ["app", "changing", "checking", "looking", "main", "playing", "running", "talking", "turning_back"]
