"""Summaries of conversations: by sentences chosen without a model, or by a chat model that may fail."""

from __future__ import annotations

from langchain_agentmem.summarize.contract import FlowSummarizer, Summarized, Summarizer
from langchain_agentmem.summarize.extractive import ExtractiveSummarizer
from langchain_agentmem.summarize.model import ModelSummarizer

__all__ = ["ExtractiveSummarizer", "FlowSummarizer", "ModelSummarizer", "Summarized", "Summarizer"]
