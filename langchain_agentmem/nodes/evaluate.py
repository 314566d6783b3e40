"""How the turn went: outcomes of its actions, and which recalled memories it used, confirmed or contradicted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage

from langchain_agentmem._flow import Flow, flows_of
from langchain_agentmem.evaluation import Evaluation
from langchain_agentmem.extraction.books.outcomes import tool_outcomes
from langchain_agentmem.extraction.record.calls import has_any
from langchain_agentmem.extraction.record.conversation import MARK, is_injected
from langchain_agentmem.nodes.settings import NodeSettings
from langchain_agentmem.nodes.state import ActionOutcome
from langchain_agentmem.nodes.turn import Failure, MemoryNode, MemoryParts, Turn, attempt
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.policies.support import Support, telling
from langchain_agentmem.types import Memory, Outcome

_TOLD: Final = ("told", "skills", "working", "goal")
"""What the model reads beside memories, which are read anew."""

MAX_BEFORE: Final = 200
"""Messages before a turn on which its answer may stand; what is older is in no model's view without a summary."""


class Evaluate(MemoryNode):
    """Judges the turn after the answer; it changes nothing, `Update` does.

    Args:
        memory: An `AgentMemory`.
        ignore: Names of tools whose results are no outcomes: those that read and write memory itself.
        settings: For whom, and in which mode.
    """

    name = "evaluate"

    def __init__(
        self,
        memory: MemoryParts,
        *,
        ignore: Collection[str] = (),
        settings: NodeSettings | None = None,
    ) -> None:
        super().__init__(settings)
        self._memory = memory
        self._ignore = frozenset(ignore)

    def _work(self, turn: Turn) -> Flow[dict[str, Any]]:
        if not turn.may_write:
            return turn.update(outcomes=[])  # nothing would follow from it
        done = yield from attempt(self.evaluate_flow, turn)
        return turn.failed(self.name, done) if isinstance(done, Failure) else done

    def evaluate_flow(self, turn: Turn) -> Flow[dict[str, Any]]:
        """Return the update of the state; what fails is raised."""
        recalled = yield from self._recalled(turn)
        messages, new_from = _with_told(turn, self._ignore)
        found = yield from self._memory.evaluator.evaluate_flow(messages, recalled=recalled, new_from=new_from)
        status = yield from self._note_used(turn, found)
        return turn.did(
            self.name,
            status=status,
            outcomes=[_plain(outcome) for outcome in _telling(found.outcomes, messages, new_from)],
            used=list(found.used),
            confirmed=list(found.confirmed),
            contradicted=list(found.contradicted),
            answered=found.answered,
            supported=found.supported,
            unsupported=[redact(claim) for claim in found.unsupported],
            failures=turn.report["failures"] + found.failures,
        )

    def _note_used(self, turn: Turn, found: Evaluation) -> Flow[str]:
        """Note in the receipts of this turn what its answer used; return the status after that."""
        status = turn.report["status"]
        support = Support(supported=found.supported, unsupported=found.unsupported)
        noted_in = [] if found.supported is None else turn.report["receipt_ids"]
        judged: dict[str, dict[str, bool | None]] = {receipt_id: {} for receipt_id in noted_in}
        for receipt_id, used in (judged | _used(turn, found)).items():
            noted = yield from attempt(
                flows_of(self._memory.long_term).note_used, receipt_id, used, turn.scope, support
            )
            status = noted.status if isinstance(noted, Failure) else status
        return status

    def _recalled(self, turn: Turn) -> Flow[list[Memory]]:
        shown = [*turn.report["shown_before"], *(entry["id"] for entry in turn.report["recalled"])]
        found = yield from flows_of(self._memory.long_term).get_each(shown, turn.scope, turn.text)
        return list(found.values())


def _used(turn: Turn, found: Evaluation) -> dict[str, dict[str, bool | None]]:
    """Return, by receipt, whether the answer used what was recalled; where nothing was answered, nobody knows."""
    noted: dict[str, dict[str, bool | None]] = {}
    is_answered = any(map(_is_answer, turn.messages[turn.new_from :]))
    for entry in turn.report["recalled"]:
        if entry["receipt_id"] is not None:
            is_used = entry["id"] in found.used if is_answered else None
            noted.setdefault(entry["receipt_id"], {})[entry["id"]] = is_used
    return noted


def _is_answer(message: BaseMessage) -> bool:
    return isinstance(message, AIMessage) and not message.tool_calls and bool(message.text.strip())


def _with_told(turn: Turn, names: Collection[str]) -> tuple[Sequence[BaseMessage], int]:
    """Return the conversation without results of some tools, and what the model was told besides before it."""
    left = _answers_of(turn.messages, names)
    told = "\n".join(filter(None, [*_told(turn), *(turn.messages[place].text for place in left)]))
    kept = [it for place, it in enumerate(turn.messages) if place not in left] if left else turn.messages
    before = turn.new_from - sum(place < turn.new_from for place in left)
    if not told:
        return kept, before
    return [SystemMessage(told, additional_kwargs={MARK: "told"}), *kept], before + 1


def _answers_of(messages: Sequence[BaseMessage], names: Collection[str]) -> list[int]:
    """Return the places of what some tools answered."""
    if not has_any(messages, ToolMessage):
        return []
    return [place for place, it in enumerate(messages) if isinstance(it, ToolMessage) and it.name in names]


def _told(turn: Turn) -> list[str]:
    words = turn.state.get("memory_text") or {}
    return [words[name] for name in _TOLD if words.get(name)]


def telling_of(turn: Turn, context: int) -> str:
    """Return what an answer may stand on that its turn alone does not say, for judging it later.

    Args:
        turn: As it stands after the answer.
        context: So many messages before the turn are at hand then.
    """
    answer = next((it.text for it in reversed(turn.messages[turn.new_from :]) if _is_answer(it)), "")
    before = turn.messages[: max(0, turn.new_from - context)][-MAX_BEFORE:]
    said = [it.text for it in before if is_injected(it) or not isinstance(it, AIMessage)]
    return "\n".join(telling([*_told(turn), *said], answer))


def _telling(outcomes: Sequence[Outcome], messages: Sequence[BaseMessage], new_from: int) -> list[Outcome]:
    """Return what can be learned from: every failure, and the success of what changes the world."""
    deeds = {found.provenance.message_ids for found in tool_outcomes(messages, new_from=new_from)}
    return [outcome for outcome in outcomes if not outcome.succeeded or outcome.provenance.message_ids in deeds]


def _plain(outcome: Outcome) -> ActionOutcome:
    return {
        "action": outcome.action,
        "succeeded": outcome.succeeded,
        "detail": outcome.detail,
        "memory_ids": list(outcome.memory_ids),
        "message_ids": list(outcome.provenance.message_ids),
        "evidence": outcome.provenance.evidence,
        "tools": list(outcome.provenance.tools),
    }
