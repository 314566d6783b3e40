"""A second opinion on the best candidates: any LangChain document compressor, asked between two transactions.

It orders and leaves out; what it says of a candidate's words is not used. What it does not know how to answer costs
nothing but its opinion: our order stands then.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Final

from langchain_core.documents import Document

from langchain_agentmem._flow import Flow
from langchain_agentmem._patience import step_within
from langchain_agentmem._vectors import TIMEOUT_S
from langchain_agentmem.long_term.parts import RERANKED
from langchain_agentmem.long_term.recall.judging import Judged
from langchain_agentmem.types import Hit, RecallQuery

_SCORE: Final = "relevance_score"
"""Where LangChain's compressors note their score."""

LOGGER: Final = logging.getLogger("langchain_agentmem")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """What a reranker made of candidates.

    Attributes:
        name: Its class.
        given: Ids of what it was given. `order`: of what it returned, in its order. `scores`: its own, where it told.
        has_failed: It raised, or returned nothing that is known: then our order stands.
    """

    name: str
    given: frozenset[str]
    order: tuple[str, ...] = ()
    scores: dict[str, float] = field(default_factory=dict)
    has_failed: bool = False

    @property
    def told(self) -> dict[str, Any]:
        """Return what a receipt says of it."""
        plan = {"name": self.name, "given": len(self.given), "returned": len(self.order)}
        return {**plan, "degraded": True} if self.has_failed else plan

    def apply(self, judged: Judged) -> None:
        """Bring what passed the rules into its order; what it left out, or was not given, is dropped."""
        if self.has_failed:
            return
        here = {hit.memory.id: hit for hit in judged.hits}
        for hit in judged.hits:
            if hit.memory.id not in self.order:
                judged.drop(hit, "reranker" if hit.memory.id in self.given else "not_reranked")
        judged.hits = [self._scored(here[memory_id]) for memory_id in self.order if memory_id in here]

    def _scored(self, hit: Hit) -> Hit:
        value = self.scores.get(hit.memory.id)
        return hit if value is None else replace(hit, parts={**hit.parts, "rerank": value})


def rerank(reranker: Any, query: RecallQuery, hits: Sequence[Hit]) -> Flow[Reranked | None]:  # noqa: ANN401  (by shape)
    """Return what a reranker makes of the best candidates; `None` where there is nothing to ask it.

    Args:
        reranker: A `BaseDocumentCompressor`.
        query: What was asked.
        hits: What passed the rules, best first.
    """
    asked = "\n".join(filter(None, (query.text, query.action)))
    best = hits[: max(RERANKED, query.limit)]
    if not best or not asked.strip():
        return None
    reranked = Reranked(name=type(reranker).__name__, given=frozenset(hit.memory.id for hit in best))
    try:
        documents = [_document(hit) for hit in best]
        calls = (reranker.compress_documents, reranker.acompress_documents)
        answer = yield from step_within(TIMEOUT_S, *calls, documents, asked, of=reranker)
        return _read(reranked, list(answer))
    except Exception as error:  # noqa: BLE001  (whatever a reranker raises, the recall goes on without it)
        LOGGER.warning("the reranker %s failed: %s; our own order stands", reranked.name, type(error).__name__)
        return replace(reranked, has_failed=True)


def _document(hit: Hit) -> Document:
    memory = hit.memory
    return Document(
        id=memory.id, page_content=memory.content, metadata={"id": memory.id, "kind": memory.kind, "score": hit.score}
    )


def _read(reranked: Reranked, answer: Sequence[Document]) -> Reranked:
    """Return which of the candidates were returned, each once; what else was returned is ignored."""
    named = ((_id_of(it), it) for it in answer)
    known = {memory_id: it for memory_id, it in reversed([*named]) if memory_id in reranked.given}
    order = tuple(memory_id for memory_id in dict.fromkeys(map(_id_of, answer)) if memory_id in known)
    if answer and not order:
        LOGGER.warning("the reranker %s returned documents without their ids; our own order stands", reranked.name)
        return replace(reranked, has_failed=True)
    scores = {memory_id: _score_of(known[memory_id]) for memory_id in order}
    return replace(reranked, order=order, scores={it: value for it, value in scores.items() if value is not None})


def _id_of(document: Document) -> str:
    """Return the id of the memory that a document was made of: compressors copy metadata, and not always the id."""
    return str(document.metadata.get("id") or document.id or "")


def _score_of(document: Document) -> float | None:
    value = document.metadata.get(_SCORE)
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        return None
    return float(value)
