"""`MemoryRetriever`: long-term memory as a LangChain retriever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from pydantic import ConfigDict

from langchain_agentmem._checks import check_count
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.identity import resolve_mode, resolve_scope
from langchain_agentmem.long_term import LongTermMemory
from langchain_agentmem.types import STATED_KINDS, Hit, Kind, MemoryMode, Recall, RecallQuery, Scope
from langchain_agentmem.types.recall import MAX_HOPS

_OF_CALL: Final = ("k", "kinds", "min_confidence")
"""What a call may ask for otherwise than the retriever."""


class MemoryRetriever(BaseRetriever):
    """Recalls memories of one user, and turns of their conversations, as documents, best first, at most `k`.

    Constraints count as any memory here: all that are in force are in `recall(…).constraints`, and the middleware and
    the graph put them into the prompt. A document's metadata is JSON-safe and holds the score, its parts, and the id
    of the receipt that explains the recall.

    Args:
        long_term: `AgentMemory.long_term`.
        scope: Whose memory; `None`: the user of the run (its context or `configurable`), refused where there is none.
        k: Documents at most.
        kinds: Kinds to draw from, one alone or several; `None`: all.
        min_confidence: Less certain memories are left out.

    Example:
        ```python
        memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
        alice = Scope("alice")
        memory.long_term.remember("Alice prefers Python", scope=alice)
        memory.retriever(scope=alice).invoke("does she prefer Python?")[0].page_content  # 'Alice prefers Python'
        ```
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    long_term: LongTermMemory
    scope: Scope | None = None
    k: int = 5
    kinds: Sequence[Kind] | None = None
    min_confidence: float = 0.7

    def __init__(self, **fields: Any) -> None:
        """Check what a recall will be asked, before pydantic does it in its words.

        Raises:
            ConfigurationError: `k`, `kinds` or `min_confidence` cannot work.
        """
        check_count("k", fields.get("k", 1))
        query = RecallQuery(**{name: fields[name] for name in ("kinds", "min_confidence") if name in fields})
        super().__init__(**{**fields, **({"kinds": query.kinds} if "kinds" in fields else {})})

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """Return the documents for a question; see `BaseRetriever.invoke`.

        Args:
            input: The question.
            config: Names the user, where the retriever does not.
            kwargs: `k`, `kinds` and `min_confidence` count for this call, in place of the retriever's.

        Raises:
            ScopeError: Neither the retriever nor the run names a user.
            ConfigurationError: A keyword is none of those, or has a value that cannot work.
        """
        return super().invoke(input, config, **_asked(kwargs), **self._resolved(config))

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """Return the documents for a question; see `invoke`."""
        return await super().ainvoke(input, config, **_asked(kwargs), **self._resolved(config))

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        scope, mode = _for_whom(self, kwargs)
        return _documents(self.long_term.recall(self._query(query, **_only(kwargs)), scope=scope, mode=mode))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        scope, mode = _for_whom(self, kwargs)
        return _documents(await self.long_term.arecall(self._query(query, **_only(kwargs)), scope=scope, mode=mode))

    def _resolved(self, config: RunnableConfig | None) -> dict[str, Any]:
        """Return what only the config tells: LangChain does not hand it to `_get_relevant_documents`."""
        return {"scope": resolve_scope(config, explicit=self.scope), "mode": resolve_mode(config)}

    def _query(
        self,
        text: str,
        k: int | None = None,
        kinds: Kind | Sequence[Kind] | None = None,
        min_confidence: float | None = None,
    ) -> RecallQuery:
        wanted = self.kinds if kinds is None else (kinds,) if isinstance(kinds, str) else kinds
        least = self.min_confidence if min_confidence is None else min_confidence
        query = RecallQuery(text=text, kinds=None if wanted is None else tuple(wanted), min_confidence=least)
        return replace(query, limit=self.k if k is None else k)


class EntityRetriever(MemoryRetriever):
    """Recalls memories about the people and things that a question names, and about those near them.

    A question that names nothing known finds nothing. Otherwise like `MemoryRetriever`, receipt included; the score's
    part `entity` is 1 for what is about something named, and 1/2 for what is about something one relation away.

    Args:
        hops: Relations from what is named, 1 or 2.

    Example:
        ```python
        memory = AgentMemory.in_memory(embeddings=None, consent="assumed")
        alice = Scope("alice")
        memory.long_term.remember("Nora works at Acme", scope=alice)
        memory.long_term.remember("Acme is based in Bergen", scope=alice)
        found = EntityRetriever(long_term=memory.long_term, scope=alice).invoke("Which city does Nora drive to?")
        [it.page_content for it in found]  # ['Nora works at Acme', 'Acme is based in Bergen']
        ```
    """

    hops: int = 1

    def __init__(self, **fields: Any) -> None:
        """Check what a recall will be asked.

        Raises:
            ConfigurationError: `hops` or another field cannot work.
        """
        check_count("hops", fields.get("hops", 1), 1, MAX_HOPS)
        super().__init__(**fields)

    def _query(
        self,
        text: str,
        k: int | None = None,
        kinds: Kind | Sequence[Kind] | None = None,
        min_confidence: float | None = None,
    ) -> RecallQuery:
        query = super()._query(text, k, kinds, min_confidence)
        return replace(query, kinds=query.kinds or STATED_KINDS, hops=self.hops, hops_only=True)


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """Return keywords of one call; LangChain leaves out without a word what it does not know."""
    other = next((name for name in given if name not in {*_OF_CALL, "run_id"}), None)
    if other is not None:
        msg = (
            f"a call of the retriever takes {', '.join(_OF_CALL)}, not {other!r:.80}; whose memory it is, say when it "
            "is made, or in the run's configurable (user_id, memory_mode)"
        )
        raise ConfigurationError(msg)
    return given


def _only(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in _OF_CALL if name in given}


def _for_whom(retriever: MemoryRetriever, given: dict[str, Any]) -> tuple[Scope, MemoryMode]:
    scope = given.get("scope")
    return (resolve_scope(explicit=retriever.scope) if scope is None else scope), given.get("mode", "on")


def _documents(recall: Recall) -> list[Document]:
    return [_document(hit, recall.receipt_id) for hit in recall]


def _document(hit: Hit, receipt_id: str | None) -> Document:
    memory = hit.memory
    metadata = {
        "id": memory.id,
        "kind": memory.kind,
        "score": float(hit.score),
        "parts": {name: float(value) for name, value in hit.parts.items()},
        "confidence": memory.confidence,
        "source": memory.source,
        "receipt_id": receipt_id,
        "created_at": memory.created_at.isoformat(),
        "valid_at": _iso(memory.valid_at),
        "session_id": memory.scope.session_id,
        "speaker": memory.subject if memory.kind == "episode" else None,
        "tags": list(memory.tags),
    }
    return Document(id=memory.id, page_content=memory.content, metadata=metadata)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
