"""Lines of an export that only the vault can open which has its user's key."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.vault.base import Cipher, Keyed
from langchain_agentmem.vault.cipher import key_id_of

SEALED: Final = "langchain-agentmem/sealed-subject"
SEALED_THREAD: Final = "langchain-agentmem/sealed-thread"
SEALED_WORKING: Final = "langchain-agentmem/sealed-working"
"""Formats of the first line, in clear."""

_OPENED_BY: Final = {
    SEALED: "memory.privacy.import_(file, scope=…) of a memory with the vault that has the key",
    SEALED_WORKING: "transfer.import_working(working, file, scope=…) of a memory with the vault that has the key",
    SEALED_THREAD: "transfer.import_thread(saver, file), bound to its user, with the vault that has the key",
}
HEADER: Final = "header"
END: Final = "end"
"""What the lines about others are sealed as, in the place of a layer."""


class Envelope:
    """Seals what each line says, bound to the export, to its layer and to the number of its line.

    Args:
        cipher: Of whom the export is of.
        export_id: Of the export; no two have the same.
    """

    def __init__(self, cipher: Cipher, export_id: str) -> None:
        """No work yet."""
        self._cipher = cipher
        self.export_id = export_id

    def clear_header(self, version: int, form: str = SEALED) -> dict[str, Any]:
        """Return the first line: what the file is and which key opens it, and nothing of whom it is of."""
        key = key_id_of(self._cipher.seal(b"", self._name(0, HEADER)))
        known = {} if key is None else {"key": key}
        return {
            "format": form,
            "version": version,
            "export": self.export_id,
            "cipher": "AES-256-GCM",
            **known,
            "open": _OPENED_BY[form],
        }

    def close(self, number: int, layer: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return what stands in a line in place of what it says."""
        plain = json.dumps(said, ensure_ascii=True, separators=(",", ":")).encode()
        return {"layer": layer, "sealed": b64encode(self._cipher.seal(plain, self._name(number, layer))).decode()}

    def open(self, number: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a line says.

        Raises:
            IntegrityError: It was sealed as another line, of another export, or with a key that is not here.
            ValueError: It is no sealed line.
        """
        layer, sealed = body.get("layer"), body.get("sealed")
        if not isinstance(layer, str) or not isinstance(sealed, str):
            msg = "it is no sealed line"
            raise ValueError(msg)  # noqa: TRY004  (as whatever else is no line)
        data = b64decode(sealed, validate=True)
        self._check_is_theirs(data)
        said = json.loads(self._cipher.open(data, self._name(number, layer)))
        if not isinstance(said, dict):
            msg = "it is no JSON object"
            raise ValueError(msg)  # noqa: TRY004  (likewise)
        return said

    def _check_is_theirs(self, sealed: bytes) -> None:
        """See that a line was sealed with a key of the user's: else they are as likely to be the wrong one.

        Raises:
            LostKeysError: Those of the user were lost, or are damaged.
            IntegrityError: It was sealed with a key that they do not have.
        """
        if isinstance(self._cipher, Keyed) and self._cipher.is_of_another_key(sealed):
            self._cipher.seal(b"", "")  # says so itself where theirs were lost
            msg = (
                f"it is sealed with key {key_id_of(sealed)}, which this user does not have: it is another user's "
                "export, or that key was destroyed with an erasure, or rotated out, since it was written"
            )
            raise IntegrityError(msg)

    def _name(self, number: int, layer: str) -> str:
        return f"export/{self.export_id}/{number}/{layer}"
