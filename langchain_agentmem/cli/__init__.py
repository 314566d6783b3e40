"""The command line: `python -m langchain_agentmem`, or `agentmem` once installed."""

from __future__ import annotations

from langchain_agentmem.cli.program import app, main

__all__ = ["app", "main"]
