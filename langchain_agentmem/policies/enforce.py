"""Which policies an action meets, and what they say to it. Pure: an action, the policies, and what happened before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final, Literal

from langchain_agentmem.policies.actions import Action, agree, fits, holds
from langchain_agentmem.types.procedures import ActionPattern, Policy, Requirement

_EFFECTS: Final = ("allow", "warn", "ask", "forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class PastAction:
    """An action of the same thread, in its order; `is_of_turn`: since the user spoke last."""

    action: Action
    succeeded: bool = True
    result: str = field(default="", repr=False)
    is_of_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionContext:
    """Under which circumstances an action is to be done.

    Args:
        preceding: What was done in the thread before, oldest first.
        agent_id: The agent that acts. `user_id`, `tenant_id`: for whom.
        approved: Names of policies whose approval a person has given for this very action.
    """

    preceding: tuple[PastAction, ...] = ()
    agent_id: str | None = None
    user_id: str | None = None
    tenant_id: str | None = None
    approved: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one policy says to an action.

    Attributes:
        effect: `allow`: nothing stands against it; `warn`; `ask`: a person must agree; `forbid`.
        reason: For the model and the user.
        is_premature: Whether something has to succeed first.
    """

    policy: str
    version: int
    effect: Literal["allow", "warn", "ask", "forbid"]
    reason: str
    is_premature: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCheck:
    """What the policies say to an action.

    Attributes:
        findings: One for each policy that the action met, in the order of their names.
    """

    findings: tuple[Finding, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the action may be done now: nothing forbids it, and no approval is outstanding."""
        return not self.violations and not self.needs_approval

    @property
    def violations(self) -> tuple[Finding, ...]:
        """Hard policies that the action would break."""
        return self._of("forbid")

    @property
    def needs_approval(self) -> tuple[Finding, ...]:
        """Policies that want a person's consent first."""
        return self._of("ask")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Soft policies that the action would break."""
        return self._of("warn")

    @property
    def reason(self) -> str:
        """What stands against the action, in words; empty where nothing does."""
        return " ".join(finding.reason for finding in (*self.violations, *self.needs_approval))

    def _of(self, effect: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.effect == effect)


def check_action(action: Action, policies: Sequence[Policy], context: ActionContext | None = None) -> ActionCheck:
    """Return what active policies say to an action. The strictest counts; none permits what another forbids."""
    context = context or ActionContext()
    met = (policy for policy in policies if _binds(policy, context) and _is_met(policy, action))
    return ActionCheck(findings=tuple(_finding(policy, action, context) for policy in sorted(met, key=_name)))


def strictest(checks: Sequence[ActionCheck]) -> ActionCheck:
    """Return of each policy the strictest that it says to an action in any of its readings."""
    found: dict[str, Finding] = {}
    for finding in (it for check in checks for it in check.findings):
        known = found.get(finding.policy)
        if known is None or _EFFECTS.index(finding.effect) > _EFFECTS.index(known.effect):
            found[finding.policy] = finding
    return ActionCheck(findings=tuple(found[name] for name in sorted(found)))


def in_force(policies: Sequence[Policy], context: ActionContext | None = None) -> tuple[Policy, ...]:
    """Return the active policies that bind an agent and its user, hard ones first, by name."""
    context = context or ActionContext()
    found = [policy for policy in policies if _binds(policy, context)]
    return tuple(sorted(found, key=lambda policy: (policy.enforcement != "hard", policy.name)))


def told(policy: Policy) -> str:
    """Return a policy in words, for a prompt."""
    needs = [f"First, with success: {describe(each)}." for each in policy.requires]
    needs += ["A person has to agree first."] if policy.approval else []
    needs += ["This is forbidden." if policy.enforcement == "hard" else "Avoid it."] if policy.forbids else []
    weight = "" if policy.enforcement == "hard" else " (advice)"
    return " ".join([f"{policy.name}{weight}: {_sentence(policy.description)}", *needs])


def _name(policy: Policy) -> str:
    return policy.name


def _binds(policy: Policy, context: ActionContext) -> bool:
    ids = {"agent": context.agent_id, "user": context.user_id, "tenant": context.tenant_id}
    return policy.status == "active" and any(_is_bound(each, ids) for each in policy.applies_to)


def _is_bound(binding: str, ids: dict[str, str | None]) -> bool:
    role, _, glob = binding.partition(":")
    known = ids.get(role)
    return binding == "*" or (known is not None and fnmatchcase(known, glob))


def _is_met(policy: Policy, action: Action) -> bool:
    return fits(policy.rule, action, exactly=False) and not any(
        fits(exemption, action, exactly=True) for exemption in policy.exceptions
    )


def _finding(policy: Policy, action: Action, context: ActionContext) -> Finding:
    missing = [each for each in policy.requires if not _is_done(each, action, context.preceding)]
    if missing or policy.forbids:
        effect, said = "forbid", "".join(f" First, with success: {describe(each)}." for each in missing)
    elif policy.approval and policy.name not in context.approved:
        effect, said = "ask", " A person has to agree first."
    else:
        effect, said = "allow", ""
    if effect != "allow" and policy.enforcement == "soft":
        effect = "warn"
    reason = f"{_sentence(policy.description)}{said} (policy {policy.name!r}, version {policy.version})"
    return Finding(
        policy=policy.name,
        version=policy.version,
        effect=effect,  # type: ignore[arg-type]  # one of four
        reason=reason,
        is_premature=bool(missing),
    )


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _is_done(required: Requirement, action: Action, preceding: Sequence[PastAction]) -> bool:
    return any(_meets(required, done, action) for done in _since(required, preceding))


def _since(required: Requirement, preceding: Sequence[PastAction]) -> Iterator[PastAction]:
    """Yield what was done inside the time that counts, the last first."""
    for done in reversed(preceding):
        if required.since == "turn" and not done.is_of_turn:
            return
        if isinstance(required.since, ActionPattern) and fits(required.since, done.action, exactly=False):
            return
        yield done


def _meets(required: Requirement, done: PastAction, action: Action) -> bool:
    return (
        done.succeeded
        and fits(required, done.action, exactly=True)
        and agree(required.same, action, done.action)
        and (required.result is None or holds(required.result, done.result))
    )


def describe(pattern: ActionPattern) -> str:
    """Return a pattern in a few words, for a reason."""
    args = (
        f"{name}={condition.model_dump_json(by_alias=True, exclude_unset=True)}"
        for name, condition in pattern.args.items()
    )
    what = " or ".join(pattern.tool) if pattern.tool != ("*",) else "an action"
    said = f" saying {' or '.join(pattern.text)}" if pattern.text else ""
    shown = f"{what}({', '.join(args)}){said}" if pattern.args else f"{what}{said}"
    return " or ".join([shown, *map(describe, pattern.any_of)]) if pattern.any_of else shown
