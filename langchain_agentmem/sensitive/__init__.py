"""Sensitive data: a strategy for each type in each layer, scans of what is stored, and values behind tokens."""

from langchain_agentmem.policies.protecting import Strategy
from langchain_agentmem.policies.sensitive import ALL_DETECTORS, LAYERS, Layer, RevealRequest, SensitivePolicy
from langchain_agentmem.sensitive.report import SensitiveFinding, SensitiveReport
from langchain_agentmem.sensitive.service import SensitiveData

__all__ = [
    "ALL_DETECTORS",
    "LAYERS",
    "Layer",
    "RevealRequest",
    "SensitiveData",
    "SensitiveFinding",
    "SensitivePolicy",
    "SensitiveReport",
    "Strategy",
]
