"""A graph's recalls in LangChain's tracing: a retriever's run each, with ids and numbers in place of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_async_callback_manager_for_config, get_callback_manager_for_config

from langchain_agentmem._flow import Flow, step
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.types import Hit, Recall

NAME: Final = "agentmem.recall"

_NO_QUESTION: Final = ""
"""The receipt has it; a trace has no words that memory adds to those of the conversation."""

_Run = CallbackManagerForRetrieverRun | AsyncCallbackManagerForRetrieverRun


def traced(config: RunnableConfig, recalling: Flow[Sequence[Recall]]) -> Flow[Sequence[Recall]]:
    """Return what the recalls of a turn return; the callbacks of its run, if it has any, hear of a retriever's run.

    Its documents have no content: the id of the memory, its kind and score, and the receipt that explains it.
    """
    run: _Run | None = yield from step(partial(_begin, config), partial(_abegin, config))
    if run is None:
        return (yield from recalling)
    try:
        recalls = yield from recalling
    except Exception as error:
        told = error if isinstance(error, AgentMemError) else AgentMemError(type(error).__name__)  # others may quote
        yield from step(run.on_retriever_error, run.on_retriever_error, told)  # type: ignore[arg-type]  # of its colour
        raise
    documents = [_document(hit, recall) for recall in recalls for hit in (*recall.constraints, *recall.hits)]
    yield from step(run.on_retriever_end, run.on_retriever_end, documents)  # type: ignore[arg-type]  # of its colour
    return recalls


def _begin(config: RunnableConfig) -> CallbackManagerForRetrieverRun | None:
    manager = get_callback_manager_for_config(config)
    return manager.on_retriever_start(None, _NO_QUESTION, name=NAME) if manager.handlers else None


async def _abegin(config: RunnableConfig) -> AsyncCallbackManagerForRetrieverRun | None:
    manager = get_async_callback_manager_for_config(config)
    return await manager.on_retriever_start(None, _NO_QUESTION, name=NAME) if manager.handlers else None


def _document(hit: Hit, recall: Recall) -> Document:
    found = {"kind": hit.memory.kind, "score": float(hit.score), "receipt_id": recall.receipt_id}
    return Document(id=hit.memory.id, page_content="", metadata=found)
