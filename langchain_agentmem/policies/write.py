"""The write policy: whether a candidate becomes a memory, and why.

A policy is a row of rules asked in order. The first refusal decides; amendments chain, so that a later rule sees the
amended candidate; a hold stands unless a later rule refuses, or asks for approval; where nobody objects, the candidate
is accepted. When in doubt, a rule refuses: what was not written can be said again.

Example:
    ```python
    from langchain_agentmem.policies.write import Banned, MinimumConfidence, WritePolicy, refuse


    def no_shouting(candidate, context):
        if candidate.content.isupper():
            return refuse("no_shouting", "Say it in lower case.")


    policy = WritePolicy().with_rule(no_shouting).with_rule(MinimumConfidence(0.8)).with_rule(Banned(topics=["health"]))
    ```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.approve import APPROVAL
from langchain_agentmem.policies.defaults import default_importance, default_trust
from langchain_agentmem.policies.rulings import ConsentMode, Rule, RuleError, Ruling, WriteContext, amend, hold, refuse
from langchain_agentmem.policies.write_rules import (
    DEFAULT_RULES,
    AssistantClaim,
    Banned,
    MinimumConfidence,
    RepeatedSignal,
    Sensitive,
    SessionCap,
)
from langchain_agentmem.types import Candidate

__all__ = [
    "DEFAULT_RULES",
    "NOTHING_CORRECTED",
    "NOTHING_ENDED",
    "NOTHING_LIFTED",
    "SEVERAL_CORRECTED",
    "AssistantClaim",
    "Banned",
    "ConsentMode",
    "MinimumConfidence",
    "RepeatedSignal",
    "Rule",
    "Ruling",
    "Sensitive",
    "SessionCap",
    "WriteContext",
    "WritePolicy",
    "amend",
    "default_importance",
    "default_trust",
    "hold",
    "refuse",
    "rule_name",
]

ACCEPTED = "accepted"
NOTHING_LIFTED = Ruling(verdict="refuse", rule="nothing_lifted", reason="It lifts no instruction that is in force.")
NOTHING_ENDED = Ruling(
    verdict="refuse",
    rule="nothing_ended",
    reason="It ends nothing that is remembered of the user, and is no news else.",
)
NOTHING_TAKEN_BACK = Ruling(
    verdict="refuse", rule="nothing_taken_back", reason="Nothing that it says not to be over was remembered as over."
)
OF_NOTHING = frozenset(it.rule for it in (NOTHING_ENDED, NOTHING_LIFTED, NOTHING_TAKEN_BACK))
"""Rules about words that would only end something: what they leave as it was is nothing that was refused."""

NOTHING_CORRECTED = Ruling(
    verdict="refuse",
    rule="nothing_corrected",
    reason="It puts a word right, and nothing that is remembered says the other one; say the whole sentence.",
)
SEVERAL_CORRECTED = Ruling(
    verdict="refuse",
    rule="several_corrected",
    reason="It puts a word right that is said more than once; say the whole sentence, or `correct` the one meant.",
)


def rule_name(rule: Rule) -> str:
    """Return the name a rule is known by: its attribute `name`, else its function's name."""
    name = getattr(rule, "name", None) or getattr(rule, "__name__", None) or type(rule).__name__
    return str(name)


class WritePolicy:
    """A row of rules, asked in order; immutable, so that one policy may serve every thread.

    Args:
        rules: Functions of a candidate and a `WriteContext` that return a `Ruling` or `None`.

    Raises:
        ConfigurationError: A rule cannot be called, has no name of its own, or shares its name with another.
    """

    __slots__ = ("_rules",)

    def __init__(self, rules: Sequence[Rule] = DEFAULT_RULES) -> None:
        self._rules = tuple(rules)
        names = [_checked_name(rule) for rule in self._rules]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            msg = f"rules share a name: {', '.join(twice)}; a name is how a decision is explained, give each its own"
            raise ConfigurationError(msg)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in the order they are asked."""
        return self._rules

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rules, in the order they are asked."""
        return tuple(map(rule_name, self._rules))

    @property
    def max_writes(self) -> int | None:
        """How many memories one session may write; `None`: as many as it likes."""
        return next((rule.max_writes for rule in self._rules if isinstance(rule, SessionCap)), None)

    def decide(self, candidate: Candidate, context: WriteContext) -> Ruling:
        """Return the ruling of all rules: `accept`, `hold` or `refuse`; unless refused, with the amended candidate.

        Raises:
            ConfigurationError: A rule failed, or returned something else; nothing is decided then.
        """
        return _ask(self._rules, candidate, context)

    def screen(self, candidate: Candidate, context: WriteContext) -> Ruling:
        """Return the ruling of the rules that need no history, so that refused text is never embedded or queried.

        What passes, or is held, is to be put to `decide` with the history filled in.
        """
        return _ask([rule for rule in self._rules if not getattr(rule, "needs_history", False)], candidate, context)

    def with_rule(self, rule: Rule, *, before: str | None = None) -> WritePolicy:
        """Return a policy with `rule` last, or before a named one; a rule of the same name is replaced in place.

        Raises:
            ConfigurationError: `before` is the name of no rule, or the rule has no name of its own.
        """
        name = _checked_name(rule)
        if before is None and name in self.names:
            return WritePolicy([rule if rule_name(each) == name else each for each in self._rules])
        others = [each for each in self._rules if rule_name(each) != name]
        place = len(others) if before is None else self._place(before, others)
        return WritePolicy([*others[:place], rule, *others[place:]])

    def without(self, name: str) -> WritePolicy:
        """Return a policy without the rule of this name.

        Raises:
            ConfigurationError: No rule has this name.
        """
        place = self._place(name, self._rules)
        return WritePolicy([*self._rules[:place], *self._rules[place + 1 :]])

    def _place(self, name: str, rules: Sequence[Rule]) -> int:
        names = [rule_name(rule) for rule in rules]
        if name not in names:
            msg = f"no rule is named {name!r}; use one of {', '.join(names)}"
            raise ConfigurationError(msg)
        return names.index(name)


def _checked_name(rule: Rule) -> str:
    if not callable(rule) or isinstance(rule, type):
        msg = f"a rule must be a function of a candidate and a context, got {rule!r}; for example Banned(), not Banned"
        raise ConfigurationError(msg)
    name = rule_name(rule)
    if name == "<lambda>":
        msg = "a rule needs a name to explain its decisions by; write it with def instead of lambda"
        raise ConfigurationError(msg)
    return name


def _ask(rules: Sequence[Rule], candidate: Candidate, context: WriteContext) -> Ruling:
    held: Ruling | None = None
    reasons: list[str] = []
    tokens: dict[str, str] = {}
    for rule in rules:
        ruling = _judged(rule, candidate, context)
        if ruling is None or ruling.verdict == "accept":
            continue
        if ruling.verdict == "refuse":
            return replace(ruling, candidate=None, tokens={})
        tokens |= ruling.tokens
        if ruling.candidate is not None:
            candidate = ruling.candidate
        if ruling.verdict == "hold":
            held = ruling if held is None or ruling.rule == APPROVAL else held
        else:
            reasons.append(ruling.reason)
    if held is not None:
        return replace(held, candidate=candidate, tokens=tokens)
    reason = " ".join(reasons) or "No rule objected."
    return Ruling(verdict="accept", rule=ACCEPTED, reason=reason, candidate=candidate, tokens=tokens)


def _judged(rule: Rule, candidate: Candidate, context: WriteContext) -> Ruling | None:
    try:
        ruling = rule(candidate, context)
    except RuleError:  # it says already which rule it is, and what to do
        raise
    except Exception as error:
        msg = f"rule {rule_name(rule)!r} raised {type(error).__name__}; mend it, or let it return a Ruling or None"
        raise ConfigurationError(msg) from error  # its own words may quote the candidate
    if ruling is not None and not isinstance(ruling, Ruling):
        msg = f"rule {rule_name(rule)!r} returned {type(ruling).__name__}; return a Ruling, or None for no objection"
        raise ConfigurationError(msg)
    return ruling
