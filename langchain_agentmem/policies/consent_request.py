"""What a user is asked to allow, what is still open of it, and what their answer leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_agentmem._checks import check_kinds, check_labels, check_text
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.consent import is_given, unanswered
from langchain_agentmem.policies.rulings import ConsentMode
from langchain_agentmem.types import KINDS, Kind
from langchain_agentmem.types.consent import ConsentState

_YES: Final = frozenset({"allow", "allow_all", "approve", "yes", "accept", "agree"})
_NO: Final = frozenset({"refuse", "reject", "no", "deny", "decline"})
_SOME: Final = "some"

QUESTION: Final = "May I remember what you tell me, for later conversations? You can withdraw this at any time."


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRequest:
    """What a user is asked to allow, once it is not known whether they do.

    Args:
        purposes: What for; empty: every purpose.
        kinds: Which kinds of memory; `None`: all.
        question: What the user is shown.

    Raises:
        ConfigurationError: A field has a value that cannot work.
    """

    purposes: Sequence[str] = ()
    kinds: Sequence[Kind] | None = None
    question: str = QUESTION

    def __post_init__(self) -> None:
        """Check every field."""
        object.__setattr__(self, "purposes", tuple(dict.fromkeys(check_labels("purposes", self.purposes))))
        kinds = check_kinds(self.kinds, KINDS)
        if kinds == ():
            msg = "kinds must name a kind of memory, got none; leave it out to ask for all kinds"
            raise ConfigurationError(msg)
        object.__setattr__(self, "kinds", kinds)
        check_text("question", self.question)

    def open_in(self, state: ConsentState, mode: ConsentMode) -> tuple[Kind, ...]:
        """Return the kinds that are to be asked about: where silence is consent, nobody is asked for a plain yes."""
        kinds = tuple(self.kinds or KINDS)
        asked = unanswered(state, kinds, tuple(self.purposes))
        is_enough = mode == "assumed"
        return tuple(it for it in asked if not (is_enough and is_given(state.of(it), mode)))

    def shown(self, kinds: Sequence[Kind]) -> dict[str, Any]:
        """Return what a person is asked, as plain data."""
        return {
            "type": "consent",
            "question": self.question,
            "kinds": list(kinds),
            "purposes": list(self.purposes),
            "answers": ["allow", "some", "refuse"],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a user said to a request: the kinds that they allow, and for which of its purposes."""

    kinds: tuple[Kind, ...]
    purposes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing to record of an answer; `kinds` `None`: of all."""

    is_granted: bool
    kinds: tuple[Kind, ...] | None
    purposes: tuple[str, ...] = ()


def read_answer(answer: object, request: ConsentRequest, kinds: Sequence[Kind]) -> Said | None:
    """Return what an answer says; `None`: it is none, and what it seems to allow is not certain.

    Args:
        answer: A yes or a no, as text or `bool`; or a mapping with a `decision` (`allow`, `some` or `refuse`), and
            with `kinds` and `purposes` where it is some.
        request: What was asked.
        kinds: About which kinds.
    """
    given = answer if isinstance(answer, Mapping) else {"decision": answer}
    said = given.get("decision", given.get("type"))
    said = said.strip().casefold() if isinstance(said, str) else said
    if said is False or said in _NO:
        return Said(kinds=(), purposes=())
    if said is True or said in _YES:
        is_whole = not {"kinds", "purposes"} & given.keys()
        return Said(kinds=tuple(kinds), purposes=tuple(request.purposes)) if is_whole else None
    return _some(given, request, kinds) if said == _SOME else None


def _some(given: Mapping[str, Any], request: ConsentRequest, kinds: Sequence[Kind]) -> Said | None:
    """Return what is allowed of what was asked: nothing that was not."""
    chosen, purposes = given.get("kinds", list(kinds)), given.get("purposes", list(request.purposes))
    are_lists = all(isinstance(it, (list, tuple)) for it in (chosen, purposes))
    if not are_lists or not ({"kinds", "purposes"} & given.keys()):
        return None
    if not set(map(str, chosen)) <= set(kinds) or not set(map(str, purposes)) <= set(request.purposes):
        return None
    if request.purposes and not purposes:
        return Said(kinds=(), purposes=())
    return Said(
        kinds=tuple(it for it in kinds if it in chosen), purposes=tuple(it for it in request.purposes if it in purposes)
    )


def entries(state: ConsentState, request: ConsentRequest, said: Said, kinds: Sequence[Kind]) -> list[Entry]:
    """Return what is to be recorded of an answer, about the kinds that are open; what is not, stays as it is."""
    is_whole = len(kinds) == len(KINDS) and not state.kinds
    refused = tuple(it for it in kinds if it not in said.kinds)
    missing = tuple(it for it in request.purposes if it not in said.purposes)
    found = [
        entry
        for group, purposes in _groups(state, said)
        for entry in (
            Entry(is_granted=True, kinds=None if is_whole and not refused else group, purposes=purposes),
            *([Entry(is_granted=False, kinds=group, purposes=missing)] if missing else []),
        )
    ]
    kept = tuple(it for it in refused if state.of(it).status == "granted")  # a no to more of it leaves what is allowed
    ended = tuple(it for it in refused if it not in kept)
    if kept:
        found.append(Entry(is_granted=False, kinds=kept, purposes=tuple(request.purposes)))
    if ended:
        found.append(Entry(is_granted=False, kinds=None if is_whole and not said.kinds else ended))
    return found


def _groups(state: ConsentState, said: Said) -> list[tuple[tuple[Kind, ...], tuple[str, ...]]]:
    """Return the kinds that are allowed, together with what they are allowed for then: what they were, and more."""
    found: dict[tuple[str, ...], list[Kind]] = {}
    for kind in said.kinds:
        before = state.of(kind)
        known = before.purposes if before.status == "granted" else ()
        found.setdefault(tuple(dict.fromkeys((*known, *said.purposes))), []).append(kind)
    return [(tuple(kinds), purposes) for purposes, kinds in found.items()]
