from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.actions import MAX_READ_CHARS, Action
from langchain_agentmem.policies.contradictions import find_contradictions
from langchain_agentmem.policies.enforce import ActionContext, PastAction, check_action
from langchain_agentmem.types.procedures import Policy

PRODUCTION: dict[str, Any] = {"tool": "deploy", "args": {"target": "production"}}
STAGING: dict[str, Any] = {"tool": "deploy", "args": {"target": "staging"}}


def policy(name: str = "p", **fields: Any) -> Policy:
    return Policy.model_validate({"name": name, "description": "No", "rule": PRODUCTION, **fields})


def deploy(**args: Any) -> Action:
    return Action(tool="deploy", args={"target": "production", **args})


def done(*, succeeded: bool = True, result: str = "", turn: bool = True, **args: Any) -> PastAction:
    given = {"target": "staging", **args}
    return PastAction(action=Action(tool="deploy", args=given), succeeded=succeeded, result=result, is_of_turn=turn)


def allowed(made: Policy, action: Action, *past: PastAction, **context: Any) -> bool:
    return check_action(action, [made], ActionContext(preceding=past, **context)).allowed


@pytest.mark.parametrize(
    "target", ["production", "Production", " production ", "pr\u043eduction", ["eu", "production"]]
)
def test_what_only_looks_different_is_forbidden_too(target: object) -> None:
    """A capital, a blank, a Cyrillic letter or a list around it do not get past a rule."""
    assert not allowed(policy(), deploy(target=target))
    assert allowed(policy(), deploy(target="staging"))


@pytest.mark.parametrize("target", ["Staging", "st\u0430ging", ["staging", "production"], "staging "])
def test_an_exception_is_taken_exactly(target: object) -> None:
    """What lets an action pass must be what it says, to the letter."""
    made = policy(rule={"tool": "deploy"}, exceptions=[STAGING])
    assert allowed(made, deploy(target="staging"))
    assert not allowed(made, deploy(target=target))


def test_an_expression_of_an_exception_describes_the_whole_text() -> None:
    """An exception for one folder does not cover a command that also deletes another."""
    exempt = {"args": {"command": {"matches": r"rm -rf /tmp/\w+"}}}
    made = policy(rule={"is_destructive": True}, exceptions=[exempt])
    assert allowed(made, Action(tool="bash", args={"command": "rm -rf /tmp/x"}))
    assert not allowed(made, Action(tool="bash", args={"command": "rm -rf /tmp/x; rm -rf /"}))


@pytest.mark.parametrize(
    ("amount", "is_allowed"),
    [
        *((500, True), (501, False), ("1,000", False), ("much", False), (float("nan"), False)),
        *(("1.000,50", False), ("1,5", False), ("-1,000.5", True), (10**400, False), (-(10**400), True)),
    ],
)
def test_what_cannot_be_read_counts_against_an_action(amount: object, *, is_allowed: bool) -> None:
    """A bound on a number is not passed by something that is none."""
    made = policy(rule={"tool": "refund", "args": {"amount": {"above": 500}}})
    assert allowed(made, Action(tool="refund", args={"amount": amount})) is is_allowed


def test_nothing_hides_behind_a_long_text() -> None:
    """A text too long to be searched is taken for what is searched for."""
    made = policy(rule={"text": "secret"})
    assert not allowed(made, Action(tool="send", args={"text": "x" * (MAX_READ_CHARS + 1)}))


@pytest.mark.parametrize("result", ["ERROR " * 5_000, "x" * (MAX_READ_CHARS + 1)])
def test_a_long_result_does_not_say_what_it_must(result: str) -> None:
    """What lets an action pass is searched as it is, and what cannot be read lets nothing pass."""
    made = policy(requires=[{**STAGING, "result": "healthy"}])
    assert not allowed(made, deploy(), done(result=result))


@pytest.mark.parametrize("value", [True, 1, "true", "Yes", 1.0])
def test_what_a_tool_reads_as_true_is_true(value: object) -> None:
    """A rule about a flag is not passed by another spelling of it."""
    made = policy(rule={"tool": "push", "args": {"force": True}})
    assert not allowed(made, Action(tool="push", args={"force": value}))
    assert allowed(made, Action(tool="push", args={"force": 0}))


@pytest.mark.parametrize(
    "fields",
    [
        {"exceptions": [{"args": {}}]},
        {"exceptions": [{"text": []}]},
        {"exceptions": [{"tool": "deploy", "text": []}]},
        {"rule": {"tool": "deploy", "any_of": []}},
        {"requires": [{"args": {}}]},
        {"rule": {"tool": []}},
        {"rule": {"tool": "deploy", "args": {"target": []}}},
        {"exceptions": [{"args": {"target": {"matches": None}}}]},
    ],
)
def test_a_pattern_that_means_all_or_nothing_is_refused(fields: dict[str, Any]) -> None:
    """Whoever means every action says so; an empty list is a slip."""
    with pytest.raises(ValueError, match=r"say wh|name something"):
        policy(**fields)


def test_a_policy_is_what_its_fields_say() -> None:
    """What a policy gives out makes the same policy, with all that was left out."""
    made = policy(rule={"any_of": [{"text": "x"}, {"args": {"a": {"above": 1}, "b": [1, 2]}}]}, exceptions=[STAGING])
    assert Policy.model_validate(made.model_dump()) == made


@pytest.mark.parametrize(
    "payments",
    [
        *({"amount": 5_000}, [{"amount": 1}, {"amount": 5_000}], [[{"amount": 5_000}]], ({"amount": "much"},)),
        *('[{"amount": 5000}]', [' {"amount": 5000}'], "[{'amount': 5000}]", [{"amount": [5_000]}]),
    ],
)
def test_a_rule_looks_into_each_item_of_a_list(payments: object) -> None:
    """One payment that is too large is seen among others, and in JSON that stands as a text or cannot be read."""
    made = policy(rule={"tool": "pay", "args": {"payments.amount": {"above": 1_000}}})
    assert not allowed(made, Action(tool="pay", args={"payments": payments}))
    assert allowed(made, Action(tool="pay", args={"payments": [{"amount": 1}, {"to": "bob"}, "cash"]}))


@pytest.mark.parametrize("payments", [[], [{"to": "eu"}, {}], [{"to": "eu"}, {"to": "us"}], ['{"to": "eu"}'], "eu"])
def test_an_exception_holds_for_every_item_of_a_list(payments: object) -> None:
    """What lets a list pass has to be true of each of its items."""
    made = policy(rule={"tool": "pay"}, exceptions=[{"args": {"payments.to": "eu"}}])
    assert allowed(made, Action(tool="pay", args={"payments": [{"to": "eu"}, {"to": "eu"}]}))
    assert not allowed(made, Action(tool="pay", args={"payments": payments}))


@pytest.mark.parametrize(
    "args",
    [
        *({"cmd": ["rm", "-rf", "/"]}, {"a": {"b": [{"c": "rm -rf /"}]}}, {"rm -rf /": 1}, {"cmd": "rm -rf /"}),
        *({"cmd": b"rm -rf /"}, {"a": {"b": (b"rm -rf /",)}}, {"cmd": {"rm -rf /"}}),
    ],
)
def test_a_command_is_found_wherever_it_stands(args: dict[str, Any]) -> None:
    """In pieces, at any depth, as a key, or in values that JSON does not know."""
    assert not allowed(policy(rule={"is_destructive": True}), Action(tool="bash", args=args))


def test_a_preceding_step_must_have_succeeded() -> None:
    """Staging first: not done, failed, and done."""
    made = policy(requires=[STAGING])
    assert not allowed(made, deploy())
    assert not allowed(made, deploy(), done(succeeded=False))
    assert allowed(made, deploy(), done())


def test_a_preceding_step_may_have_to_agree() -> None:
    """Another version on staging proves nothing about this one."""
    made = policy(requires=[{**STAGING, "same": ["version"]}])
    assert allowed(made, deploy(version=2), done(version=2))
    assert not allowed(made, deploy(version=2), done(version=1))
    assert not allowed(made, deploy(), done())
    inner = policy(requires=[{**STAGING, "same": ["parts.id"]}])
    assert allowed(inner, deploy(parts=[{"id": 1}, {"id": 2}]), done(parts=[{"id": 1}, {"id": 2}]))
    assert not allowed(inner, deploy(parts=[{"id": 1}, {"id": 2}]), done(parts=[{"id": 1}]))


def test_a_preceding_step_may_have_to_say_something() -> None:
    """That tests ran is not that they passed."""
    made = policy(requires=[{**STAGING, "result": "healthy"}])
    assert allowed(made, deploy(), done(result="all healthy"))
    assert not allowed(made, deploy(), done(result="no answer"))


def test_a_preceding_step_may_have_to_be_recent() -> None:
    """In this turn, or since the last change."""
    this_turn = policy(requires=[{**STAGING, "since": "turn"}])
    assert not allowed(this_turn, deploy(), done(turn=False))
    since_merge = policy(requires=[{**STAGING, "since": {"tool": "merge"}}])
    merge = PastAction(action=Action(tool="merge"), succeeded=False)
    assert not allowed(since_merge, deploy(), done(), merge)
    assert allowed(since_merge, deploy(), merge, done())


def test_approval_is_asked_for_and_given_by_name() -> None:
    """Another policy's approval is none."""
    made = policy(approval=True)
    check = check_action(deploy(), [made])
    assert ([it.policy for it in check.needs_approval], check.violations) == (["p"], ())
    assert not allowed(made, deploy(), approved=frozenset({"q"}))
    assert allowed(made, deploy(), approved=frozenset({"p"}))


def test_an_approval_replaces_no_preceding_step() -> None:
    """What must be done first is done first, whoever agrees."""
    made = policy(approval=True, requires=[STAGING])
    assert not allowed(made, deploy(), approved=frozenset({"p"}))


def test_a_soft_policy_warns() -> None:
    """It says the same and stops nothing."""
    check = check_action(deploy(), [policy(enforcement="soft"), policy("q", enforcement="soft", approval=True)])
    assert (check.allowed, [it.policy for it in check.warnings]) == (True, ["p", "q"])


@pytest.mark.parametrize(
    ("bound", "context", "is_allowed"),
    [
        ("agent:deploy*", {"agent_id": "deployer"}, False),
        ("agent:deploy*", {"agent_id": "planner"}, True),
        ("agent:deploy*", {}, True),
        ("user:al?ce", {"user_id": "alice"}, False),
        ("tenant:acme", {"tenant_id": "other"}, True),
    ],
)
def test_a_policy_binds_whom_it_names(bound: str, context: dict[str, str], *, is_allowed: bool) -> None:
    """Agents, users and tenants, by a glob."""
    assert allowed(policy(applies_to=bound), deploy(), **context) is is_allowed


@pytest.mark.parametrize("status", ["draft", "deprecated"])
def test_only_active_policies_bind(status: str) -> None:
    """A draft is not in force, nor is what was taken out of it."""
    assert check_action(deploy(), [policy(status=status)]).findings == ()


@settings(max_examples=30)
@given(st.permutations(["a", "b", "c"]), st.sets(st.sampled_from(["a", "b", "c"])))
def test_no_policy_permits_what_another_forbids(order: list[str], soft: set[str]) -> None:
    """The strictest counts, in whatever order they are read."""
    made = [policy(name, enforcement="soft" if name in soft else "hard") for name in order]
    check = check_action(deploy(), made)
    assert check.allowed == (soft == {"a", "b", "c"})
    assert [it.policy for it in check.findings] == ["a", "b", "c"]


@pytest.mark.parametrize(("text", "is_allowed"), [("deploy(Production)", False), ("deploy to staging", True)])
def test_words_are_searched_for_what_an_argument_must_be(text: str, *, is_allowed: bool) -> None:
    """A command has no named arguments; a value that stands in it is meant."""
    assert allowed(policy(), Action.of(text)) is is_allowed


def test_arguments_that_nobody_can_read_are_refused() -> None:
    """Keys that are no text, circles, and no end of dicts in each other are an error of ours, and nothing passes."""
    circle: dict[str, Any] = {}
    circle["a"] = circle
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    for args in (circle, deep, {"a": {("b",): 1}}):
        with pytest.raises(ConfigurationError, match="cannot be written as JSON"):
            check_action(Action(tool="deploy", args=args), [policy(rule={"is_destructive": True})])


@pytest.mark.parametrize("bound", ["above", "below"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_bound_is_a_number(bound: str, value: float) -> None:
    """Nothing lies above what is no number: such a rule would bind nobody."""
    with pytest.raises(ValueError, match="finite number"):
        policy(rule={"tool": "refund", "args": {"amount": {bound: value}}})


def test_an_action_is_also_a_call_or_words() -> None:
    """As tools are called, and as people write; anything else is refused."""
    assert Action.of({"name": "deploy", "args": {"target": "eu"}, "id": "1"}).tool == "deploy"
    assert (Action.of("deploy(eu)").tool, Action.of("rm -rf /").is_destructive) == ("deploy", True)
    with pytest.raises(ConfigurationError, match="action must be"):
        Action.of(3)


@pytest.mark.parametrize(
    "call",
    [
        {"name": "deploy", "args": {"target": "production"}, "id": "1", "type": "tool_call"},
        {"name": "deploy", "args": '{"target": "prod', "id": "1", "error": None, "type": "invalid_tool_call"},
        {"name": "deploy", "arguments": {"target": "production"}},
        {"type": "function_call", "call_id": "1", "name": "deploy", "arguments": '{"target": "production"}'},
        {"id": "1", "type": "function", "function": {"name": "deploy", "arguments": '{"target": "production"}'}},
        {"function": {"name": "deploy", "arguments": {"target": "production"}, "index": 0}},
        {"type": "tool_use", "id": "1", "name": "deploy", "input": {"target": "production"}},
        {"type": "custom_tool_call", "call_id": "1", "name": "deploy", "input": "to production, please"},
        {"name": "deploy", "arguments": '{"target": "\\u0070roduction"'},
        {"name": "deploy", "arguments": '{"target": "production", "target": "eu"}'},
    ],
)
def test_a_call_is_read_in_every_shape_that_calls_have(call: dict[str, Any]) -> None:
    """Wherever its arguments stand, as a dict, as JSON, or as text that is none: they are what a policy looks at."""
    assert not allowed(policy(rule={"tool": "deploy", "args": {"target": {"matches": "prod"}}}), Action.of(call))


@pytest.mark.parametrize(
    "broken",
    [
        '{"command":"rm -rf /srv"',
        '{"command":"rm -rf /srv',
        '{"n":1,"n":2,"c":"rm -rf /srv"}',
        '{"argv":["rm","-rf","/srv"],}',
        '{"sql":"-- tidy\\nDROP TABLE users"',
        '{"command":"r\\u006d -rf /srv"',
    ],
)
def test_broken_json_hides_nothing_that_its_strings_say(broken: str) -> None:
    """A reader that mends it would run it; what has no harm in it stays harmless."""
    assert Action.of({"name": "shell", "arguments": broken}).is_destructive
    harmless = broken.replace("rm", "ls").replace("\\u006d", "").replace("DROP TABLE", "SELECT * FROM")
    assert not Action.of({"name": "shell", "arguments": harmless}).is_destructive


@pytest.mark.parametrize("nothing", [{}, {"args": None}, {"arguments": ""}, {"arguments": "null"}, {"input": {}}])
def test_a_call_without_arguments_has_none(nothing: dict[str, Any]) -> None:
    """A tool that takes nothing is called with nothing, in whatever shape that is written."""
    assert Action.of({"name": "stop", **nothing}) == Action(tool="stop")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"name": "shell", "arg": {"command": "rm -rf /"}}, "unknown key 'arg'.*'args', 'arguments' or 'input'"),
        ({"name": "shell", "args": {}, "kwargs": {"command": "rm"}}, "unknown key 'kwargs'"),
        ({"function": {"name": "shell", "parameters": {"command": "rm"}}}, "unknown key 'parameters'"),
        ({"function": {"name": "shell"}, "arguments": {"command": "rm"}}, "unknown key 'arguments'"),
        ({"name": "shell", "args": {}, "input": {"command": "rm"}}, "in 'args' and in 'input'; keep one"),
        ({"function": {"arguments": {}}}, "without the name of a tool"),
        ({"function": "shell"}, "without the name of a tool"),
    ],
)
def test_a_call_with_a_key_that_nobody_knows_is_refused(call: dict[str, Any], message: str) -> None:
    """What stands there may be what the tool is to do: it passed unread, and destroyed what it named."""
    with pytest.raises(ConfigurationError, match=message):
        Action.of(call)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ({"requires": [STAGING]}, {"rule": STAGING}, "required_and_forbidden"),
        ({"approval": True}, {"rule": {"tool": "deploy"}}, "approval"),
        ({"approval": True}, {"approval": False, "requires": [STAGING]}, "approval"),
        ({"rule": {"tool": "*"}, "exceptions": [STAGING]}, {"rule": {"tool": "dep*"}}, "shadowed_exception"),
        ({"exceptions": [PRODUCTION]}, {"rule": {"tool": "x"}}, "shadowed_exception"),
        ({"exceptions": [{"tool": "release"}]}, {"rule": {"tool": "x"}}, "shadowed_exception"),
        ({"exceptions": [STAGING]}, {"rule": {"tool": "x"}}, "shadowed_exception"),
    ],
)
def test_policies_that_cannot_be_kept_together_are_found(one: dict[str, Any], other: dict[str, Any], kind: str) -> None:
    """Each contradiction names who disagrees, and what happens."""
    assert [it.kind for it in find_contradictions([policy("a", **one), policy("b", **other)])] == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"requires": [STAGING]}, {"rule": STAGING, "approval": True}),
        ({"requires": [STAGING]}, {"rule": STAGING, "enforcement": "soft"}),
        ({"requires": [STAGING]}, {"rule": {"tool": "deploy"}, "exceptions": [STAGING]}),
        ({"requires": [STAGING], "applies_to": "agent:a"}, {"rule": STAGING, "applies_to": "agent:b"}),
        ({"requires": [STAGING]}, {"rule": STAGING, "status": "draft"}),
        ({"approval": True}, {"rule": {"tool": "deploy", "text": "x"}}),
    ],
)
def test_policies_that_can_be_kept_together_are_no_contradiction(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Only what is certain is reported."""
    assert find_contradictions([policy("a", **one), policy("b", **other)]) == []


A: dict[str, Any] = {"tool": "a"}
B: dict[str, Any] = {"tool": "b"}
C: dict[str, Any] = {"tool": "c"}


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([{"rule": A, "requires": [A]}], ("p0",)),
        ([{"rule": {"tool": "deploy"}, "requires": [STAGING]}], ("p0",)),
        ([{"rule": A, "requires": [B]}, {"rule": B, "requires": [A]}], ("p0", "p1")),
        ([{"rule": A, "requires": [C, B]}, {"rule": {"tool": "*"}, "requires": [A]}], ("p0", "p1")),
        ([{"rule": it, "requires": [to]} for it, to in ((A, B), (B, C), (C, A))], ("p0", "p1", "p2")),
    ],
)
def test_policies_that_wait_for_each_other_are_found(given: list[dict[str, Any]], names: tuple[str, ...]) -> None:
    """None of what they are about can ever be done first; each circle is told once, the shortest."""
    found = find_contradictions([policy(f"p{place}", **each) for place, each in enumerate(given)])
    assert names in {it.policies for it in found if it.kind == "circle"}
    assert len({it.policies for it in found}) == len(found)
    assert all(it in found[0].finding for it in found[0].policies)


@pytest.mark.parametrize(
    "given",
    [
        [{"rule": {"tool": "deploy"}, "requires": [STAGING], "exceptions": [STAGING]}],
        [{"rule": A, "requires": [B]}, {"rule": {"tool": "b", "args": {"x": 1}}, "requires": [A]}],
        [{"rule": A, "requires": [B]}, {"rule": B, "requires": [A], "enforcement": "soft"}],
        [{"rule": A, "requires": [B], "applies_to": "user:a"}, {"rule": B, "requires": [A], "applies_to": "user:b"}],
        [{"rule": A, "requires": [B]}, {"rule": B, "requires": [C]}],
        [
            {"rule": A, "requires": [B], "applies_to": "user:a"},
            {"rule": B, "requires": [C]},
            {"rule": C, "requires": [A], "applies_to": "user:b"},
        ],
    ],
)
def test_policies_of_which_one_can_be_met_first_are_no_circle(given: list[dict[str, Any]]) -> None:
    """An exception, a softer rule, somebody else whom it binds, or an action that is free."""
    assert find_contradictions([policy(f"p{place}", **each) for place, each in enumerate(given)]) == []
