"""What looks back, as it may be shown: by the policy for what recalls and listings return; what is stored stays."""

from __future__ import annotations

from dataclasses import dataclass, replace

from langchain_agentmem.policies.reverting import Changed
from langchain_agentmem.policies.sensitive import SensitivePolicy
from langchain_agentmem.policies.sensitive_records import shown_event, shown_field, shown_memory
from langchain_agentmem.timeline.records import Difference, FieldChange, Reversal, Reverted
from langchain_agentmem.types import Event, Memory, Scope


@dataclass(frozen=True, slots=True)
class Showing:
    """Shows what the log of one user tells."""

    policy: SensitivePolicy
    scope: Scope

    def memory(self, memory: Memory) -> Memory:
        """Return a memory as it may be shown."""
        return shown_memory(self.policy, memory)

    def event(self, event: Event) -> Event:
        """Return an event as it may be shown."""
        return shown_event(self.policy, event, self.scope)

    def difference(self, found: Difference) -> Difference:
        """Return what changed: a change stays one also where both values are shown alike."""
        return replace(
            found,
            added=tuple(replace(it, memory=self.memory(it.memory)) for it in found.added),
            changed=tuple(map(self._change, found.changed)),
            ended=tuple(replace(it, memory=self.memory(it.memory)) for it in found.ended),
        )

    def reversal(self, done: Reversal) -> Reversal:
        """Return what was taken back."""
        return replace(done, reverted=tuple(map(self._reverted, done)))

    def _change(self, change: FieldChange) -> FieldChange:
        both = self._both(change.field, Changed(change.before, change.after))
        return replace(change, before=both.before, after=both.after)

    def _reverted(self, step: Reverted) -> Reverted:
        return replace(step, changes={name: self._both(name, it) for name, it in step.changes.items()})

    def _both(self, field: str, values: Changed) -> Changed:
        return Changed(*(shown_field(self.policy, field, it, self.scope) for it in values))
