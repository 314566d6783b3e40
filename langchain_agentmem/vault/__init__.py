"""The vault: how stored bytes are sealed, and where keys come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from langchain_agentmem._lazy import lazily

if TYPE_CHECKING:
    from langchain_agentmem.vault.base import Cipher, NullCipher, NullVault, Vault
    from langchain_agentmem.vault.folder import KeyFolder
    from langchain_agentmem.vault.masters import KeyEnvironment, KeyServer
    from langchain_agentmem.vault.subject import SubjectVault

__all__ = ["Cipher", "KeyEnvironment", "KeyFolder", "KeyServer", "NullCipher", "NullVault", "SubjectVault", "Vault"]

_MODULES: Final = {
    **dict.fromkeys(("Cipher", "NullCipher", "NullVault", "Vault"), "langchain_agentmem.vault.base"),
    "KeyEnvironment": "langchain_agentmem.vault.masters",
    "KeyFolder": "langchain_agentmem.vault.folder",
    "KeyServer": "langchain_agentmem.vault.masters",
    "SubjectVault": "langchain_agentmem.vault.subject",
}

if not TYPE_CHECKING:
    __getattr__ = lazily(__name__, _MODULES)
