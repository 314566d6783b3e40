"""`memory.sensitive`: what of a user's memory is sensitive, what becomes of it, and who may see it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, Protocol

from langchain_agentmem._checks import check_choice, check_count, check_flag, check_instance, check_text
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem._stand_ins import TOKEN
from langchain_agentmem.access.flows import unasked_flow
from langchain_agentmem.errors import ConfigurationError, GovernanceError, NotFoundError
from langchain_agentmem.ledger.base import Draft, LedgerWriter
from langchain_agentmem.ledger.standing import check_not_held
from langchain_agentmem.long_term.checked import checked_reason
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.policies.sensitive import LAYERS, Layer, RevealRequest, SensitivePolicy
from langchain_agentmem.sensitive.report import Found, SensitiveFinding, SensitiveReport, findings_of
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import known_user

DEFAULT_LIMIT: Final = 1_000
"""Things that one scan changes at most: some seconds of work."""

SCANNED: Final = tuple(it for it in LAYERS if it != "shown")
"""What is shown is made of the rest."""

REVEAL: Final = "sensitive_reveal"
_ALL: Final = 10**9


class _Look(NamedTuple):
    dry_run: bool
    layers: Sequence[Layer]
    policy: SensitivePolicy
    left: int


class LayerScan(Protocol):
    """Finds and cleans one layer."""

    layer: Layer

    def find(self, scope: Scope, policy: SensitivePolicy, limit: int) -> Flow[list[Found]]:
        """Return what holds sensitive data that is not kept as it is; nothing is changed."""
        ...

    def clean(self, scope: Scope, policy: SensitivePolicy, found: Sequence[Found]) -> Flow[int]:
        """Bring what was found under the policy; return how many things were changed."""
        ...


class SensitiveData:
    """Looks for sensitive data in what is stored already, and gives back what tokens stand for.

    Args:
        parts: Have the policy in force for what is written, and what keeps the values that tokens stand for.
        scans: Each made when it is first asked for.
    """

    def __init__(self, parts: Parts, scans: Callable[[], Sequence[LayerScan]]) -> None:
        """Compose."""
        self.policy = parts.sensitive
        self._parts = parts
        self._scans = scans

    # ----------------------------------------------------------------------------------------------------------- scan
    def scan(
        self,
        scope: Scope,
        *,
        dry_run: bool = True,
        layers: Sequence[Layer] | None = None,
        policy: SensitivePolicy | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> SensitiveReport:
        """Look through a user's memory for what a policy would not let stand there now; and change it.

        A memory is changed by an event that says all of it anew, and no earlier payload of it stays; one that is
        blocked is erased. Everything else is rewritten where it stands: a thread in each of its checkpoints, in one
        step. Scanning again finds nothing: what a killed scan left, the next one does.

        Args:
            scope: Whose; agents' memories and runs as in a recall. A session narrows conversations, working states and
                threads.
            dry_run: Only report.
            layers: Some of `facts`, `episodes`, `histories`, `working`, `threads`, `store`, `receipts`, `runs`, `jobs`;
                `None`: all of them.
            policy: In place of the memory's own, for example before it is put in force.
            limit: How many things are changed at most; a dry run looks at all.

        Raises:
            ScopeError: The scope is anonymous.
            ConfigurationError: An argument cannot work.
            RetentionError: Something is to be changed, and a legal hold stands; nothing was.
        """
        return run(self._scan(scope, dry_run, _checked(layers), policy, limit))

    async def ascan(
        self,
        scope: Scope,
        *,
        dry_run: bool = True,
        layers: Sequence[Layer] | None = None,
        policy: SensitivePolicy | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> SensitiveReport:
        """Look through a user's memory; see `scan`."""
        return await arun(self._scan(scope, dry_run, _checked(layers), policy, limit))

    def _scan(
        self,
        scope: Scope,
        dry_run: bool,  # noqa: FBT001  (as the public pair has it)
        layers: Sequence[Layer] | None,
        policy: SensitivePolicy | None,
        limit: int,
    ) -> Flow[SensitiveReport]:
        known_user(scope)
        check_flag("dry_run", dry_run)
        left = _ALL if dry_run else check_count("limit", limit)
        used = self.policy if policy is None else check_instance("policy", policy, SensitivePolicy)
        scanning = self._look(scope, _Look(dry_run, layers or LAYERS, used, left))
        return (yield from self._parts.access.within("read" if dry_run else "erase", scope, scanning))

    def _look(self, scope: Scope, look: _Look) -> Flow[SensitiveReport]:
        dry_run, layers, used, left = look
        if not dry_run:
            check_not_held((yield from self._parts.ledger.read(scope, lambda reader: reader.head)))
        findings: list[SensitiveFinding] = []
        changed: dict[str, int] = {}
        for it in self._scans():
            if left <= 0 or used.is_idle(it.layer) or it.layer not in layers:
                continue
            found = yield from it.find(scope, used, left)
            findings += findings_of(it.layer, found, used)
            left -= len(found)
            if found and not dry_run:
                done = yield from it.clean(scope, used, found)
                changed[it.layer] = changed.get(it.layer, 0) + done
        return SensitiveReport(findings=tuple(findings), changed=changed, is_dry_run=dry_run, is_complete=left > 0)

    # --------------------------------------------------------------------------------------------------------- reveal
    def reveal(self, token: str, *, scope: Scope, actor: str | None = None, reason: str = "asked") -> str:
        """Return the value that a token stands for, if the policy's `may_reveal` grants it; either way it is logged.

        Args:
            token: As it stands in a text, `[card:…]`.
            scope: Whose.
            actor: Who asks, for `may_reveal` and the log.
            reason: What for.

        Raises:
            GovernanceError: It was not granted; `.rule` is `sensitive_reveal`.
            NotFoundError: The token is unknown in this scope, or what held it was erased.
            ConfigurationError: It is no token.
        """
        return run(self._reveal(token, scope, actor, reason))

    async def areveal(self, token: str, *, scope: Scope, actor: str | None = None, reason: str = "asked") -> str:
        """Return the value that a token stands for; see `reveal`."""
        return await arun(self._reveal(token, scope, actor, reason))

    def _reveal(self, token: str, scope: Scope, actor: str | None, reason: str) -> Flow[str]:
        request = _request(token, known_user(scope), actor, reason)
        return (yield from self._parts.access.within("read", scope, self._told(request, scope)))

    def _told(self, request: RevealRequest, scope: Scope) -> Flow[str]:
        is_granted = self._is_granted(request)
        tell = partial(_revealed, request=request, is_granted=is_granted)
        value = yield from unasked_flow(scope, self._parts.ledger.append(scope, tell))  # it is noted, by whoever reads
        if not is_granted:
            msg = f"{request.token} may not be revealed here; SensitivePolicy(may_reveal=…) decides who may see values"
            raise GovernanceError(msg, rule=REVEAL)
        if value is None:
            msg = f"{request.token} stands for nothing in this scope; its memory or conversation may be erased"
            raise NotFoundError(msg)
        return value

    def _is_granted(self, request: RevealRequest) -> bool:
        """Whether the application grants it: nothing but `True` does."""
        if self.policy.may_reveal is None:
            return False
        try:
            return self.policy.may_reveal(request) is True
        except Exception:  # noqa: BLE001  (whatever the application's function raises: it has not granted anything)
            return False


def _revealed(writer: LedgerWriter, request: RevealRequest, *, is_granted: bool) -> str | None:
    """Return the value, and log who saw it; or that it was refused."""
    value = writer.sensitive.value(request.token) if is_granted else None
    if value is None and is_granted:
        return None
    note = {"token": request.token, "actor": request.actor, "reason": request.reason}
    writer.append(Draft(type="revealed" if is_granted else "refused", rule=REVEAL, note=note))
    return value


def _request(token: str, scope: Scope, actor: str | None, reason: str) -> RevealRequest:
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        msg = "token must be one as it stands in a text, [type:letters]; what is redacted or hashed cannot be revealed"
        raise ConfigurationError(msg)
    who = None if actor is None else checked_reason(check_text("actor", actor, max_chars=200))
    type_ = token[1:].partition(":")[0]
    return RevealRequest(scope=scope, token=token, type=type_, actor=who, reason=checked_reason(reason))


def _checked(layers: Sequence[Layer] | None) -> Sequence[Layer] | None:
    if layers is None:
        return None
    if isinstance(layers, str) or not isinstance(layers, Sequence):
        msg = f"layers must be a sequence of layers, got {layers!r}; for example ['facts', 'histories']"
        raise ConfigurationError(msg)
    for layer in layers:
        check_choice("layers", layer, SCANNED)
    return layers
