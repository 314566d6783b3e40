"""The flows behind our checkpointers: what the rest of the package asks of stored threads."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoint.arguments import check_limit, owner_of
from langchain_agentmem.checkpoints import keeping as whole
from langchain_agentmem.checkpoints.heads import heads, set_heads
from langchain_agentmem.checkpoints.lookups import task_paths
from langchain_agentmem.checkpoints.rewording import Wording
from langchain_agentmem.checkpoints.setting import Setting, check_thread
from langchain_agentmem.ledger.codec import from_micros
from langchain_agentmem.types.scope import Owner, Scope
from langchain_agentmem.vault.base import Cipher, is_sealing


@dataclass(frozen=True, slots=True)
class SaverFlows:
    """What is done with threads as part of other flows.

    Args:
        setting: Where and how threads are kept.
    """

    setting: Setting

    def owner(self, thread_id: str) -> Flow[Owner | None]:
        """Return whose a thread is; `None`: nobody's, or it is not there."""
        return self.setting.owner(thread_id)

    def cipher(self, thread_id: str) -> Flow[Cipher | None]:
        """Return what seals whatever is of a thread's user; `None`: there is no vault.

        Raises:
            ScopeError: There is a vault, and nobody knows whose the thread is.
        """
        if not is_sealing(self.setting.vault):
            return None
        seal = yield from self.setting.seal(thread_id)
        user = seal.owner
        if user is None:
            return None
        return (yield from self.setting.vault.cipher(Scope(user.user_id, tenant_id=user.tenant_id)))

    def message_ids(self, thread_id: str) -> Flow[set[str]]:
        """Return the ids of messages that at least one checkpoint of a thread holds."""
        return whole.message_ids(self.setting, thread_id)

    def reword(self, thread_id: str, wording: Wording, *, is_dry: bool = False) -> Flow[bool]:
        """Say what a thread holds otherwise, in each of its checkpoints.

        Whoever goes on from one of them finds a thread like any other; a run that read it before puts what it read.

        Returns:
            Whether anything was changed.
        """
        return whole.reword(self.setting, thread_id, wording, is_dry=is_dry)

    def task_paths(self, thread_id: str, key: tuple[str, str]) -> Flow[dict[str, str]]:
        """Return the paths of the tasks that wrote to a checkpoint (namespace and id)."""
        return task_paths(self.setting, thread_id, key)

    def erase(self, thread_id: str) -> Flow[None]:
        """Delete a thread with everything of it, its lease too: nothing tells of it."""
        return whole.delete(self.setting, [thread_id], with_lease=True)

    def every_thread(self) -> Flow[list[str]]:
        """Return the ids of all threads; under a vault one that is nobody's holds nothing, and is left out."""
        found = dict.fromkeys((yield from whole.thread_ids(self.setting)))
        for thread_id in list(found) if is_sealing(self.setting.vault) else ():
            if (yield from self.setting.owner(thread_id)) is None:
                del found[thread_id]
        return list(found)

    def heads(self, thread_id: str) -> Flow[Mapping[str, str]]:
        """Return from which checkpoint of each namespace a run goes on."""
        return heads(self.setting, thread_id)

    def set_heads(self, thread_id: str, wanted: Mapping[str, str], among: AbstractSet[tuple[str, str]]) -> Flow[None]:
        """Let runs go on from other checkpoints of those that were copied (namespace and id); see `heads`."""
        return set_heads(self.setting, thread_id, wanted, among)

    def last_use(self, scope: Scope) -> Flow[datetime | None]:
        """Return when one of a user's threads was last written to; `None`: there is none."""
        used = yield from self.setting.threads.last_use(owner_of(scope))
        return from_micros(used)

    def ids(self, scope: Scope, after: str | None, limit: int) -> Flow[list[str]]:
        """Return the ids of a page of a user's threads."""
        owner, start = owner_of(scope), None if after is None else check_thread(after)
        rows = yield from self.setting.threads.threads(owner=owner, after=start, limit=check_limit(limit))
        return [it.thread_id for it in rows]
