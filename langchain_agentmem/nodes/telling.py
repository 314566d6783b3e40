"""What a model is told about memory beside the memories, and the note of what it was shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.long_term.flows import LongTermFlows
from langchain_agentmem.nodes.objections import NOT_HELD, PARTLY_UNKNOWN, UNCLEAR_HOW_MANY, UNCLEAR_WHO
from langchain_agentmem.nodes.state import is_forget_refused
from langchain_agentmem.nodes.turn import Failure, Turn, attempt

NOTES: Final[Mapping[str, str]] = {
    "degraded": "The memory is unavailable in this turn. Answer without it and tell the user so.",
    "off": "The memory is off in this turn: nothing is recalled and nothing will be remembered.",
    "frozen": "The memory is read-only in this turn: nothing will be remembered or forgotten.",
    "anonymous": "The user is not signed in: nothing is recalled and nothing will be remembered.",
    "no_consent": "The user has not agreed to a memory: nothing is recalled and nothing will be remembered.",
}
"""What the model is told where memory takes no full part; by the first word of the report's status."""

PARTLY: Final = "A part of the memory is unavailable in this turn: what you are shown of it may not be all there is."
"""What the model is told in place of the note that there is none, where it is shown some."""

FULL: Final = (
    "This conversation has had as much remembered of it as it may. What the user tells now and is new is not kept, nor "
    "may be the last of what they told before; only what replaces something remembered is. Do not say that you will "
    "remember it: say that nothing new is kept in this conversation, and that they can tell it in a new one."
)
"""What the model is told where the conversation writes no more memories: it may promise nothing."""

FORGETTING: Final = (
    "The user asked you to forget something. These memories will be forgotten when you have answered; say so briefly, "
    "and do not use them:"
)
NOTHING_TO_FORGET: Final = (
    "The user asked you to forget something, but nothing that matches is remembered. Say so. Where a memory that you "
    'are shown may be what they mean, ask: "Shall I forget that ...?", in its words; when they say yes, it goes.'
)

WHO_IS_MEANT: Final = (
    "The user asked you to forget somebody. It is not clear whom the user means: memory knows several, or somebody "
    "else of that name. What is not named here to be forgotten is kept. Ask the user whom they mean, by name."
)
HOW_MANY_ARE_MEANT: Final = (
    "The user asked you to forget a part of what they said. Nothing is forgotten, as it is not clear which part. "
    "Ask them how many of the last things, or which."
)
PART_IS_UNKNOWN: Final = (
    "Of a part of what the user asked to forget nothing that matches is remembered. Say of which. Where a memory that "
    'you are shown may be what they mean, ask: "Shall I forget that ...?", in its words; when they say yes, it goes.'
)
_TO_ASK: Final = (
    (UNCLEAR_WHO, WHO_IS_MEANT),
    (UNCLEAR_HOW_MANY, HOW_MANY_ARE_MEANT),
    (PARTLY_UNKNOWN, PART_IS_UNKNOWN),
)

TO_BE_SOUGHT: Final = (
    "The user asked you to forget something. It is looked for when you have answered, and what is found then is "
    "forgotten, unless something stands against it. Say that it is looked for, and promise no more."
)
BAN_IS_NOT_HELD: Final = (
    "The user asked that something be not remembered from now on. The memory does not hold to that: what they tell "
    "later is remembered as before. Say so, and that they can ask of each message that it be not remembered."
)
MAY_NOT_FORGET: Final = (
    "The user asked you to forget something, but a legal hold stands: nothing of it is forgotten, for now. Say so."
)


def remarks(turn: Turn, status: str, told: Mapping[str, Any]) -> list[str]:
    """Return what is to be said of memory's part in a turn: where it keeps nothing, and what is to be forgotten."""
    kind = status.partition(":")[0]
    note = PARTLY if kind == "degraded" and (told.get("prompt") or told.get("standing")) else NOTES.get(kind, "")
    full = FULL if turn.report["full"] and kind in {"ok", "degraded"} else ""
    banned = BAN_IS_NOT_HELD if NOT_HELD in turn.report["refused"] else ""
    return [note, full, *_forgetting(turn, status, told), banned]


def answered_flow(long_term: LongTermFlows, turn: Turn, answer_id: str | None, told: str) -> Flow[dict[str, Any]]:
    """Return the update of the state after the model's answer, and note in the receipts what it was shown.

    Args:
        long_term: Where the receipts are.
        turn: As the model was asked.
        answer_id: Of its message.
        told: What the application told it: the answer may stand on that, and is judged by it.
    """
    text: Mapping[str, Any] = turn.state.get("memory_text") or {}
    status = turn.report["status"]
    if text:
        status = yield from note_injection(long_term, turn, status, answer_id)
    update = turn.update(iteration=turn.report["iteration"] + 1, status=status)
    return {**update, "memory_text": {**text, "told": told} if text and told else text}


def note_injection(long_term: LongTermFlows, turn: Turn, status: str, answer_id: str | None) -> Flow[str]:
    """Note in the receipts into which turn and model call their memories went; return the status after that."""
    shown: dict[str, list[str]] = {}
    for entry in turn.report["recalled"]:
        if entry["receipt_id"] is not None:
            shown.setdefault(entry["receipt_id"], []).append(entry["id"])
    for receipt_id, ids in shown.items():
        calls = {} if answer_id is None else {answer_id: ids}
        noted = yield from attempt(long_term.injected, receipt_id, (turn.id,), turn.scope, calls)
        status = noted.status if isinstance(noted, Failure) else status
    return status


def _forgetting(turn: Turn, status: str, told: Mapping[str, Any]) -> list[str]:
    if not turn.report["intent"].get("is_forget_request") or status != "ok":
        return []  # where memory takes no part, the note on the status says what becomes of the request
    if is_forget_refused(turn.report):
        return [MAY_NOT_FORGET]
    to_ask = [note for refusal, note in _TO_ASK if refusal in turn.report["refused"]]
    if not turn.report["forgetting"]:
        return to_ask or [NOTHING_TO_FORGET if turn.report["sought"] else TO_BE_SOUGHT]
    return [FORGETTING, told.get("forgetting", ""), *to_ask]
