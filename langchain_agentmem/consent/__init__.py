"""Consent to long-term memory: per user, kind and purpose, an event of the log each time."""

from langchain_agentmem.consent.service import Consent

__all__ = ["Consent"]
