"""The rights of whom memory is about: export, import, erasure of everything, legal hold, and an account of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_agentmem._lazy import lazily

if TYPE_CHECKING:
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

_MODULES = {
    **dict.fromkeys(("Layer", "Record", "Restored"), "layers"),
    **dict.fromkeys(("Export", "Hold", "Import", "LayerReport", "PrivacyReport"), "records"),
    "Privacy": "service",
}

if not TYPE_CHECKING:
    __getattr__ = lazily(__name__, _MODULES)
