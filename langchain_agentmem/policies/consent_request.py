"""What a user is asked to allow, what is still open of it, and what their answer leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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

    def open_in(self, state: ConsentState, mode: ConsentMode) -> ConsentRequest | None:
        """Return what of it is to be asked; `None`: nothing, the user has said all of it.

        Where silence is consent, nobody is asked for a plain yes.
        """
        asked = unanswered(state, tuple(self.kinds or KINDS), tuple(self.purposes))
        is_enough = mode == "assumed"
        kinds = tuple(it for it in asked if not (is_enough and is_given(state.of(it), mode)))
        purposes = {name for it in kinds for name in _unsaid(state, it, self.purposes)}
        named = tuple(it for it in self.purposes if it in purposes)
        return replace(self, kinds=kinds, purposes=named) if kinds else None

    def shown(self) -> dict[str, Any]:
        """Return what a person is asked, as plain data."""
        return {
            "type": "consent",
            "question": self.question,
            "kinds": list(self.kinds or KINDS),
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


def read_answer(answer: object, request: ConsentRequest) -> Said | None:
    """Return what an answer says; `None`: it is none, and what it seems to allow is not certain.

    Args:
        answer: A yes or a no, as text or `bool`; or a mapping with a `decision` (`allow`, `some` or `refuse`), and
            with `kinds` and `purposes` where it is some.
        request: What was asked.
    """
    given = answer if isinstance(answer, Mapping) else {"decision": answer}
    said = given.get("decision", given.get("type"))
    said = said.strip().casefold() if isinstance(said, str) else said
    if said is False or (isinstance(said, str) and said in _NO):
        return Said(kinds=(), purposes=())
    if said is True or (isinstance(said, str) and said in _YES):
        is_whole = not {"kinds", "purposes"} & given.keys()
        return Said(kinds=tuple(request.kinds or KINDS), purposes=tuple(request.purposes)) if is_whole else None
    return _some(given, request) if said == _SOME else None


def _some(given: Mapping[str, Any], request: ConsentRequest) -> Said | None:
    """Return what is allowed of what was asked: nothing that was not."""
    kinds = tuple(request.kinds or KINDS)
    chosen, purposes = given.get("kinds", list(kinds)), given.get("purposes", list(request.purposes))
    are_lists = all(isinstance(it, (list, tuple)) for it in (chosen, purposes))
    if not are_lists or not ({"kinds", "purposes"} & given.keys()):
        return None
    if not set(map(str, chosen)) <= set(kinds) or not set(map(str, purposes)) <= set(request.purposes):
        return None
    if request.purposes and not purposes:
        return Said(kinds=(), purposes=())
    allowed = tuple(it for it in request.purposes if it in purposes)
    return Said(kinds=tuple(it for it in kinds if it in chosen), purposes=allowed)


def entries(state: ConsentState, request: ConsentRequest, said: Said) -> list[Entry]:
    """Return what is to be recorded of an answer to what is open of a request: what is not, stays as it is."""
    kinds = tuple(request.kinds or KINDS)
    allowed = tuple(it for it in kinds if it in said.kinds)
    refused = tuple(it for it in kinds if it not in allowed)
    is_whole = len(kinds) == len(KINDS) and not state.kinds and not (allowed and refused)
    missing = tuple(it for it in request.purposes if it not in said.purposes)
    found: list[Entry] = []
    for purposes, group in _grouped(allowed, lambda it: _known(state, it, said.purposes)):
        named = None if is_whole else group
        found.append(Entry(is_granted=True, kinds=named, purposes=purposes))
        found += [Entry(is_granted=False, kinds=named, purposes=missing)] if missing else []
    for purposes, group in _grouped(refused, lambda it: _refused(state, it, request.purposes)):
        found.append(Entry(is_granted=False, kinds=None if is_whole else group, purposes=purposes))
    return found


def _known(state: ConsentState, kind: Kind, purposes: Sequence[str]) -> tuple[str, ...]:
    """Return what a kind is allowed for after a yes: what it was, and more."""
    before = state.of(kind)
    known = before.purposes if before.status == "granted" else ()
    return tuple(dict.fromkeys((*known, *purposes)))


def _refused(state: ConsentState, kind: Kind, purposes: Sequence[str]) -> tuple[str, ...]:
    """Return what a no ends: of what is allowed, nothing but what was asked for beyond; of all else, everything."""
    return _unsaid(state, kind, purposes) if state.of(kind).status == "granted" else ()


def _unsaid(state: ConsentState, kind: Kind, purposes: Sequence[str]) -> tuple[str, ...]:
    """Return the purposes that a kind is not allowed for, as far as the user has said nothing of them."""
    before = state.of(kind)
    if before.status != "granted":
        return tuple(purposes)
    return tuple(it for it in purposes if not before.covers(it) and it not in before.without)


def _grouped(
    kinds: Sequence[Kind], key: Callable[[Kind], tuple[str, ...]]
) -> list[tuple[tuple[str, ...], tuple[Kind, ...]]]:
    found: dict[tuple[str, ...], list[Kind]] = {}
    for kind in kinds:
        found.setdefault(key(kind), []).append(kind)
    return [(purposes, tuple(group)) for purposes, group in found.items()]
