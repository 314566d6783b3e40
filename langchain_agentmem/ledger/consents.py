"""How the consent in force is stored beside a chain's head: status and time in the clear, what else was said sealed.

A grant of every kind for some purposes is a list of them, as every release has written it. Anything more is an object.
The column is of text, so that what is sealed stands there in base64, which neither of the two can be. Nothing is not
sealed: it has to be read when the key is gone. Nor was anything in earlier releases, which the next rotation mends.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.ledger.codec import from_micros, to_micros
from langchain_agentmem.types.consent import Allowance, ConsentState
from langchain_agentmem.vault.base import Cipher

UNREADABLE: Final = "the stored consent cannot be read; run verify(), then replay() restores it from its events"

KEPT_CONSENTS: Final = 4_096
"""Consents kept as they were read, those of the users of late: it is asked for whenever anything of theirs is read."""


SEALED_AS: Final = "consent"
"""What it is sealed as; the cipher is the user's, of whom there is one."""

NOTHING: Final = "[]"
"""The text of a consent of which nothing is said but its status."""


def to_column(stored: bytes) -> str:
    """Return what stands in the column of a sealed text, or of one in the clear."""
    return stored.decode() if is_plain(stored) else b64encode(stored).decode()


def from_column(text: str) -> bytes | None:
    """Return the sealed text, or whatever else stands in the column, as it is; `None`: nothing is said."""
    if text == NOTHING:
        return None
    found = str(text).encode(errors="replace")
    try:
        return found if is_plain(found) else b64decode(found, validate=True)
    except ValueError:
        return found


def is_plain(stored: bytes) -> bool:
    """Whether it is a text in the clear."""
    return stored[:1] in {b"[", b"{"}


def seal_consent(consent: ConsentState, cipher: Cipher) -> str:
    """Return what stands in the column of a consent."""
    text = dump_consent(consent)
    return text if text == NOTHING else to_column(cipher.seal(text.encode(), SEALED_AS))


def open_consent(status: str, text: str, at: int | None, cipher: Cipher) -> ConsentState:
    """Return the consent that stands in the columns of a row.

    Raises:
        IntegrityError: It cannot be read.
    """
    stored = from_column(text)
    if stored is not None and not is_plain(stored):
        text = cipher.open(stored, SEALED_AS).decode(errors="replace")
    try:
        return load_consent(status, text, at)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise IntegrityError(UNREADABLE) from error


def dump_consent(consent: ConsentState) -> str:
    """Return the text of what goes beyond status and time."""
    rest = _terms(consent.rest)
    kinds = {kind: {"status": it.status, "at": to_micros(it.at), **_terms(it)} for kind, it in consent.kinds}
    more = {**rest, **({"kinds": kinds} if kinds else {}), **({"others": consent.others} if consent.others else {})}
    return json.dumps(list(consent.purposes) if more.keys() <= {"purposes"} else more, sort_keys=True)


@of_texts(KEPT_CONSENTS)
def load_consent(status: str, text: str, at: int | None) -> ConsentState:
    """Return the consent in force.

    Raises:
        ValueError: The text is none of these; or another error of what cannot be read.
    """
    stored: Any = json.loads(text)
    given: Mapping[str, Any] = {"purposes": stored} if isinstance(stored, list) else stored
    known: Any = status
    kinds: Any = tuple((kind, _allowance(it)) for kind, it in sorted(given.get("kinds", {}).items()))
    rest = _allowance({**given, "status": status, "at": at})
    return ConsentState(
        status=known,
        purposes=rest.purposes,
        at=rest.at,
        without=rest.without,
        source=rest.source,
        expires_at=rest.expires_at,
        kinds=kinds,
        others=given.get("others"),
    )


def _terms(allowance: Allowance) -> dict[str, Any]:
    """Return what is said of an allowance besides its status and its time, as far as anything is."""
    told = {
        "purposes": list(allowance.purposes),
        "without": list(allowance.without),
        "source": allowance.source,
        "expires_at": to_micros(allowance.expires_at),
    }
    return {name: value for name, value in told.items() if value}


def _allowance(given: Mapping[str, Any]) -> Allowance:
    return Allowance(
        status=given["status"],
        purposes=tuple(given.get("purposes", ())),
        without=tuple(given.get("without", ())),
        at=from_micros(given["at"]),
        source=given.get("source", ""),
        expires_at=from_micros(given.get("expires_at")),
    )
