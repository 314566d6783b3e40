"""Candidates for memory out of a conversation: by rules alone, or by a chat model that rules verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_agentmem._lazy import lazily

if TYPE_CHECKING:
    from langchain_agentmem.extraction.contract import Extraction, Extractor
    from langchain_agentmem.extraction.proposing.model import ModelExtractor
    from langchain_agentmem.extraction.record.conversation import MARK, is_injected
    from langchain_agentmem.extraction.rules import RuleExtractor

__all__ = ["MARK", "Extraction", "Extractor", "ModelExtractor", "RuleExtractor", "is_injected"]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        {
            "Extraction": "contract",
            "Extractor": "contract",
            "MARK": "langchain_agentmem.extraction.record.conversation",
            "is_injected": "langchain_agentmem.extraction.record.conversation",
            "ModelExtractor": "langchain_agentmem.extraction.proposing.model",
            "RuleExtractor": "rules",
        },
    )
