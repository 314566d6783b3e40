"""Which texts of a configuration file are secrets: files are copied, committed and shown."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.procedural.documents import Path

_SECRET: Final = lazy_pattern(
    r"^key$|((api|audit|access|account|private|secret)_?key"
    r"|secret|password|passwd|auth_?token|authorization|chroma[_-]token)$",
    re.IGNORECASE,
)
_PASSWORD: Final = lazy_pattern(r"[?&](?i:password|passwd|sslpassword|api_?key)=([^&#]*)")
_ABOUT_SECRETS: Final = (("sensitive", "rules"), ("sensitive", "layers"))
"""What is done with secrets is none: `rules: {secret: redact}`."""


def secret_in(path: Path, text: str) -> str | None:
    """Return the secret that a text of a file is or holds, by its key, or because it is a URL with a password."""
    if _SECRET.search(str(path[-1])) and path[:2] not in _ABOUT_SECRETS:
        return text
    return _password(text)


def _password(text: str) -> str | None:
    if "://" not in text:
        return None
    beside = _PASSWORD.search(text)
    try:
        return urlsplit(text).password or (beside[1] if beside else None)
    except ValueError:  # no URL; whoever takes it will say so
        return None
