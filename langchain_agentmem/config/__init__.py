"""A memory out of a file: what can be written in YAML, checked before anything is opened."""

from __future__ import annotations

from langchain_agentmem.config.building import build_config
from langchain_agentmem.config.model import MemoryConfig
from langchain_agentmem.config.reading import config_schema, read_config

__all__ = ["MemoryConfig", "build_config", "config_schema", "read_config"]
