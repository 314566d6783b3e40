"""Whether memory says that it holds nothing about a question where it does not, and only there.

A recall of conversations is empty where the likelihood that anything there answers is below a threshold. Asked here:

* `abstention`: questions that a data set gives as unanswerable (BEAM). Most ask for a missing detail of something that
  was talked about at length.
* `abstention/adversarial`: questions that ask of one person what the other said (LoCoMo).
* `abstention/foreign`: the answerable questions of each conversation, asked of the next one, with the names of who
  speaks there in place of their own: nothing of it was ever talked about.

Each line holds them against the answerable questions, asked of their own conversations. Precision depends on how many
there are of each: `n` and `n_answerable`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from _found import LOCOMO_ASIDE, Line, interval, percent, search
from _questions import ABSTENTION, Conversation, Question

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.policies.rank import Weights
from langchain_agentmem.types import Recall

FOREIGN: Final = "foreign"
THRESHOLD: Final = Weights().min_likelihood
OTHER_THRESHOLDS: Final = (0.02, 0.025, 0.03, 0.05, 0.1, 0.15, 0.25, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """How likely memory found it that anything answers a question, and whether it answered nothing."""

    category: str
    likelihood: float
    is_empty: bool


def doubt_of(memory: AgentMemory, scope: Scope, category: str, recall: Recall) -> Doubt:
    """Read from the receipt of a recall how likely it found an answer."""
    receipt = memory.long_term.receipt(str(recall.receipt_id), scope=scope)
    told = {} if receipt is None else receipt.plan.get("conversations", {})
    return Doubt(category=category, likelihood=told.get("likelihood", 0.0), is_empty=not recall)


def foreign_doubts(memory: AgentMemory, asked: Conversation, other: Conversation) -> Iterator[Doubt]:
    """Ask the answerable questions of one conversation of another."""
    scope = Scope(other.id)
    for question in asked.questions:
        if is_answerable(question):
            renamed = replace(question, text=_renamed(question.text, asked.speakers, other.speakers))
            yield doubt_of(memory, scope, FOREIGN, search(memory, scope, renamed))


def is_answerable(question: Question) -> bool:
    """Return whether something in its own conversation answers a question."""
    return bool(question.evidence) and question.category not in {ABSTENTION, LOCOMO_ASIDE}


def _renamed(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    table = dict(zip(map(str.casefold, names), others, strict=False))
    if not table:
        return text
    pattern = rf"\b(?:{'|'.join(map(re.escape, table))})\b"
    return re.sub(pattern, lambda match: table[match.group().casefold()], text, flags=re.IGNORECASE)


# ------------------------------------------------------------------------------------------------------------- lines
def report(data: str, mode: str, doubts: Sequence[Doubt]) -> Iterator[Line]:
    """Yield one line for each sort of question that nothing answers."""
    sorts = {ABSTENTION: ABSTENTION, LOCOMO_ASIDE: f"{ABSTENTION}/{LOCOMO_ASIDE}", FOREIGN: f"{ABSTENTION}/{FOREIGN}"}
    answerable = [it for it in doubts if it.category not in sorts]
    for category, name in sorts.items():
        group = [it for it in doubts if it.category == category]
        if group and answerable:
            yield {"data": data, "mode": mode, "category": name, **_figures(group, answerable)}


def _figures(group: Sequence[Doubt], answerable: Sequence[Doubt]) -> Line:
    hits, alarms = sum(it.is_empty for it in group), sum(it.is_empty for it in answerable)
    return {
        "n": len(group),
        "n_answerable": len(answerable),
        "threshold": THRESHOLD,
        "precision": percent([hits / (hits + alarms)]) if hits + alarms else None,
        "recall": percent(it.is_empty for it in group),
        "ci95_recall": interval([float(it.is_empty) for it in group]),
        "answerable_lost": percent(it.is_empty for it in answerable),
        "auc": _auc([it.likelihood for it in group], [it.likelihood for it in answerable]),
        "recall_and_lost_at": {
            str(cut): [percent(it.likelihood < cut for it in every) for every in (group, answerable)]
            for cut in OTHER_THRESHOLDS
        },
    }


def _auc(low: Sequence[float], high: Sequence[float]) -> float:
    """Return how often one of `high` lies above one of `low`; a tie counts half."""
    wins = sum((a > b) + (a == b) / 2 for a in high for b in low)
    return round(wins / (len(high) * len(low)), 3)
