"""How the consent in force is stored beside a chain's head: labels and times, none of them personal.

A grant of every kind for some purposes is a list of them, as every release has written it. Anything more is an object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from langchain_agentmem.ledger.codec import from_micros, to_micros
from langchain_agentmem.types.consent import Allowance, ConsentState

KEPT_CONSENTS: Final = 4_096
"""Consents kept as they were read, those of the users of late: it is asked for whenever anything of theirs is read."""


def dump_consent(consent: ConsentState) -> str:
    """Return the text of what goes beyond status and time."""
    rest = _terms(consent.rest)
    kinds = {kind: {"status": it.status, "at": to_micros(it.at), **_terms(it)} for kind, it in consent.kinds}
    more = {**rest, **({"kinds": kinds} if kinds else {}), **({"others": consent.others} if consent.others else {})}
    return json.dumps(list(consent.purposes) if more.keys() <= {"purposes"} else more, sort_keys=True)


@lru_cache(maxsize=KEPT_CONSENTS)
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
