"""Where a thread stands: the heads of its namespaces, told and set for whoever copies it checkpoint by checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.base import Change, Key, Query, ThreadState
from langchain_agentmem.checkpoints.drafts import Numbers, OutdatedError, ThreadDraft
from langchain_agentmem.checkpoints.known import Outline
from langchain_agentmem.checkpoints.setting import Setting, StateReader
from langchain_agentmem.checkpoints.writing import apply


@dataclass(kw_only=True)
class _Heads(ThreadDraft):
    """Other heads, where nobody went on meanwhile."""

    wanted: Mapping[str, str]
    among: AbstractSet[Key]

    def namespaces(self) -> Sequence[str]:
        return list(self.wanted)

    def rows(self, state: ThreadState, numbers: Numbers) -> tuple[Change, Sequence[tuple[Key, Outline]]]:
        if state.is_new:
            msg = f"thread {self.seal.thread_id!r} was deleted while it was copied; call again"
            raise OutdatedError(msg, is_retryable=True)
        return Change(heads=_moved(state.heads, self.wanted, self.among)), ()


def heads(setting: Setting, thread_id: str) -> Flow[Mapping[str, str]]:
    """Return from which checkpoint of each namespace a run goes on."""
    reader = StateReader()
    yield from setting.threads.load(thread_id, Query(is_latest=True), reader)
    return reader.page.state.heads


def set_heads(setting: Setting, thread_id: str, wanted: Mapping[str, str], among: AbstractSet[Key]) -> Flow[None]:
    """Let runs go on from other checkpoints than those that were put last.

    Args:
        setting: Where the thread is.
        thread_id: Which thread.
        wanted: The checkpoint of each namespace.
        among: What was copied; where the head is none of it, somebody went on meanwhile, and it stays.
    """
    moved = _moved((yield from heads(setting, thread_id)), wanted, among)
    if moved:
        seal = yield from setting.seal(thread_id)
        yield from apply(setting, _Heads(seal=seal, known=setting.cache.of(thread_id), wanted=moved, among=among))


def _moved(now: Mapping[str, str], wanted: Mapping[str, str], among: AbstractSet[Key]) -> dict[str, str]:
    return {ns: id_ for ns, id_ in wanted.items() if ns in now and now[ns] != id_ and (ns, now[ns]) in among}
