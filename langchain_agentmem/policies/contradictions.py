"""Policies that cannot be kept together. Only what is certain is reported: no pattern is guessed to mean another."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import permutations
from typing import Literal

from langchain_agentmem.policies.enforce import describe
from langchain_agentmem.types.procedures import ActionPattern, Condition, Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Policies, or one with itself, that disagree.

    Attributes:
        kind: `required_and_forbidden`, `approval`, `shadowed_exception`, or `circle`: each waits for the next.
        policies: Their names. `finding`: what is wrong, and what happens.
    """

    kind: Literal["required_and_forbidden", "approval", "shadowed_exception", "circle"]
    policies: tuple[str, ...]
    finding: str


def find_contradictions(policies: Sequence[Policy]) -> list[Contradiction]:
    """Return what contradicts among active policies, each pair or circle once."""
    active = [policy for policy in policies if policy.status == "active"]
    found = [each for policy in active for each in _within(policy)]
    for one, other in permutations(active, 2):
        if _bind_one([one, other]):
            found += [*_required_and_forbidden(one, other), *_approvals(one, other), *_shadowed(one, other)]
    found += _circles([it for it in active if it.requires and it.enforcement == "hard"])
    return sorted(found, key=lambda each: (each.policies, each.kind, each.finding))


def covers(wide: ActionPattern, narrow: ActionPattern) -> bool:
    """Whether whatever the narrow pattern means is certainly meant by the wide one, too."""
    return (
        all(
            any(glob == tool or (_is_plain(tool) and fnmatchcase(tool, glob)) or glob == "*" for glob in wide.tool)
            for tool in narrow.tool
        )
        and all(name in narrow.args and _implies(narrow.args[name], wanted) for name, wanted in wide.args.items())
        and (not wide.text or (bool(narrow.text) and set(narrow.text) <= set(wide.text)))
        and (not wide.is_destructive or narrow.is_destructive)
        and (not wide.any_of or wide.any_of == narrow.any_of)
    )


def _is_plain(glob: str) -> bool:
    return not set(glob) & set("*?[")


def _implies(narrow: Condition, wide: Condition) -> bool:
    """Whether each value that the narrow condition lets through passes the wide one."""
    if narrow == wide:
        return True
    values, allowed = _values(narrow), _values(wide)
    return values is not None and allowed is not None and all(value in allowed for value in values)


def _values(condition: Condition) -> tuple[object, ...] | None:
    """Return the only values a condition lets through, where it names them."""
    if condition.model_fields_set == {"equals"}:
        return (condition.equals,)
    return condition.one_of if condition.model_fields_set == {"one_of"} else None


def _forbids_outright(policy: Policy, pattern: ActionPattern) -> bool:
    return (
        policy.forbids
        and policy.enforcement == "hard"
        and covers(policy.rule, pattern)
        and not any(covers(exemption, pattern) for exemption in policy.exceptions)
    )


def _required_and_forbidden(one: Policy, other: Policy) -> Iterator[Contradiction]:
    for required in one.requires:
        if _forbids_outright(other, required):
            finding = (
                f"{one.name!r} requires {describe(required)} first, which {other.name!r} forbids: what {one.name!r} is "
                "about can never be done"
            )
            yield Contradiction(kind="required_and_forbidden", policies=(one.name, other.name), finding=finding)


def _circles(policies: Sequence[Policy]) -> Iterator[Contradiction]:
    """Yield policies of which each requires first what the next one binds, and the last what the first one does."""
    after = {
        one.name: [it for it in policies if any(_binds_all(it, each) for each in one.requires)] for one in policies
    }
    told = set[frozenset[str]]()
    for one in sorted(policies, key=lambda it: it.name):
        circle = _shortest(one, after)
        names = tuple(it.name for it in circle)
        if circle and frozenset(names) not in told and _bind_one(circle):
            told.add(frozenset(names))
            steps = ", ".join(f"{it.name!r} requires {' and '.join(map(describe, it.requires))} first" for it in circle)
            finding = f"{steps}: each waits for the next, and what they are about can never be begun"
            yield Contradiction(kind="circle", policies=names, finding=finding)


def _shortest(start: Policy, after: Mapping[str, Sequence[Policy]]) -> tuple[Policy, ...]:
    """Return the shortest way from a policy back to itself, by what each requires; empty where there is none."""
    ways, seen = deque[tuple[Policy, ...]]([(start,)]), {start.name}
    while ways:
        way = ways.popleft()
        for other in after[way[-1].name]:
            if other.name == start.name:
                return way
            if other.name not in seen:
                seen.add(other.name)
                ways.append((*way, other))
    return ()


def _binds_all(policy: Policy, pattern: ActionPattern) -> bool:
    """Whether every action that a pattern means is bound, for certain."""
    return covers(policy.rule, pattern) and all(_never_meet(it, pattern) for it in policy.exceptions)


def _bind_one(policies: Sequence[Policy]) -> bool:
    """Whether all of them bind the same, for certain."""
    narrow = [set(it.applies_to) for it in policies if "*" not in it.applies_to]
    return not narrow or bool(set.intersection(*narrow))


def _approvals(one: Policy, other: Policy) -> Iterator[Contradiction]:
    """Yield where `one` asks for an approval that `other` makes useless, or says is not needed."""
    if not one.approval:
        return
    if _forbids_outright(other, one.rule) and other.approval is None:
        finding = f"{one.name!r} asks for approval of what {other.name!r} forbids: approved or not, it is stopped"
        yield Contradiction(kind="approval", policies=(one.name, other.name), finding=finding)
    elif other.approval is False and (covers(other.rule, one.rule) or covers(one.rule, other.rule)):
        finding = f"{one.name!r} asks for an approval that {other.name!r} says is not needed: it is asked for"
        yield Contradiction(kind="approval", policies=(one.name, other.name), finding=finding)


def _shadowed(one: Policy, other: Policy) -> Iterator[Contradiction]:
    """Yield exceptions of `one` that `other` forbids all the same."""
    for exemption in one.exceptions:
        if _forbids_outright(other, exemption):
            finding = f"{one.name!r} excepts {describe(exemption)}, which {other.name!r} forbids: the exception is void"
            yield Contradiction(kind="shadowed_exception", policies=(one.name, other.name), finding=finding)


def _within(policy: Policy) -> Iterator[Contradiction]:
    """Yield exceptions that leave nothing of their own policy, or take nothing from it."""
    for exemption in policy.exceptions:
        if covers(exemption, policy.rule):
            finding = f"{policy.name!r} excepts {describe(exemption)}, which is all it is about: it binds nobody"
        elif _never_meet(exemption, policy.rule):
            finding = f"{policy.name!r} excepts {describe(exemption)}, which it is not about: the exception is void"
        else:
            continue
        yield Contradiction(kind="shadowed_exception", policies=(policy.name,), finding=finding)


def _never_meet(one: ActionPattern, other: ActionPattern) -> bool:
    """Whether no action can be meant by both, for certain."""
    if all(map(_is_plain, one.tool)) and not any(fnmatchcase(tool, glob) for tool in one.tool for glob in other.tool):
        return True
    return any(
        (here := _values(one.args[name])) is not None
        and (there := _values(other.args[name])) is not None
        and not set(map(str, here)) & set(map(str, there))
        for name in one.args.keys() & other.args.keys()
    )
