"""Consent by kind and purpose, on PostgreSQL."""

from __future__ import annotations

from tests.contracts.consent_contract import ConsentContract


class TestConsent(ConsentContract):
    """The whole contract."""
