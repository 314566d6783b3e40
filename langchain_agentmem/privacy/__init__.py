"""The rights of whom memory is about: export, import, erasure of everything, legal hold, and an account of it."""

from langchain_agentmem.privacy.layers import Layer, Record, Restored
from langchain_agentmem.privacy.records import Export, Hold, Import, LayerReport, PrivacyReport
from langchain_agentmem.privacy.service import Privacy

__all__ = [
    "Export",
    "Hold",
    "Import",
    "Layer",
    "LayerReport",
    "Privacy",
    "PrivacyReport",
    "Record",
    "Restored",
]
