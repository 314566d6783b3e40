"""Profiles on SQLite, in a file and in memory."""

from __future__ import annotations

from tests.contracts.profiles_contract import ProfilesContract


class TestProfiles(ProfilesContract):
    """The whole contract."""
