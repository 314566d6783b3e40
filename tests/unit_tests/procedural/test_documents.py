from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.procedural.documents import MAX_FILE_BYTES, read_document
from langchain_agentmem.procedural.schemas import read_record, said_by, write_record
from langchain_agentmem.types.procedures import Policy, Skill

POLICY = b"""name: staging-first
description: Production comes after staging
rule:
  tool: deploy
  args: {target: production}
"""
SKILL = b"""name: release
description: Release a service
when_to_use: The user wants a new version out
steps:
- Run the tests
- tool: deploy
  instruction: Deploy it
  args: {target: "{inputs.target}"}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: a\nrule: 1\nname: b\n", "line 3: the key 'name' stands here twice; the first is in line 1"),
        ("a: &x 1\nb: 2\n", "line 1: anchors"),
        ("a: 1\nb: *x\n", "line 2: anchors"),
        ("a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> main\n", "line 2: a conflict marker of git (<<<<<<<)"),
        ("a: 1\nb: 3\n>>>>>>> main\n", "line 3: a conflict marker of git (>>>>>>>)"),
        ("a: 1\nb:\n\tc: 2\n", "line 3: a tab stands before the text"),
        ("a: 1\nb: !!python/object/apply:os.system ['true']\n", "line 2: the tag"),
        ("a: !!str 1\n", "line 1: the tag"),
        ("a: {<<: {b: 1}}\n", "line 1: the merge key"),
        ("a: 1\n---\nb: 2\n", "line 2: a second document"),
        ("- a\n- b\n", "line 1: the file has to be a mapping"),
        ("", "line 1: the file has to be a mapping"),
        ("a: 1\nb: [1, 2\n", "line 3: this is no YAML"),
        ("? [a, b]\n: 1\n", "line 1: a key has to be a word"),
        ("a: \x07\n", "line 1: this is no YAML"),
        ("a: " + "[" * 100 + "]" * 100, "line 1: values are nested deeper"),
    ],
)
def test_yaml_that_may_mean_something_else_is_refused_by_file_and_line(text: str, said: str) -> None:
    """What can surprise its reader is no file of ours, and the error says where it is."""
    with pytest.raises(ConfigurationError, match=r"^policies/a\.yaml, ") as caught:
        read_document(text.encode(), "policies/a.yaml")
    assert said in str(caught.value)


def test_a_file_of_ten_megabytes_is_refused_unread() -> None:
    """Its size is enough to know that it is none of ours: it holds no valid YAML and is never parsed."""
    with pytest.raises(ConfigurationError, match=rf"10485760 bytes; at most {MAX_FILE_BYTES} are read"):
        read_document(b"\xff" * 10 * 2**20, "skills/huge.yaml")


def test_a_file_that_is_no_utf8_names_the_line() -> None:
    """A byte of another encoding is found, not replaced."""
    with pytest.raises(ConfigurationError, match="line 2: this is no UTF-8"):
        read_document(b"a: 1\nb: \xe9\n", "skills/latin.yaml")


def test_words_are_words() -> None:
    """`no` is a country, `1:30` a time of day and `010` a code; only what looks like a number is one."""
    data = read_document(b"a: no\nb: 1:30\nc: 010\nd: 2024-01-01\ne: 12\nf: 1.5\ng: true\nh: '12'\n", "x.yaml").data
    assert data == {"a": "no", "b": "1:30", "c": "010", "d": "2024-01-01", "e": 12, "f": 1.5, "g": True, "h": "12"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"rule:", b"enforcment: soft\nrule:", "line 3: unknown key 'enforcment'; did you mean 'enforcement'?"),
        (b"  tool: deploy\n", b"  tol: deploy\n", "line 4: unknown key 'tol'; did you mean 'tool'?"),
        (b"description: Production comes after staging\n", b"", "line 1: description is missing"),
        (b"staging-first", b"Staging First", "line 1: name"),
        (b"{target: production}", b"{target: {matches: '(('}}", "line 5: rule.args.target.matches"),
        (b"{target: production}", b"{target: {}}", "line 5: rule.args.target"),
        (b"rule:\n  tool: deploy\n  args: {target: production}", b"rule: {}", "line 3: rule: say which actions"),
        (b"rule:", b"version: 0\nrule:", "line 3: version"),
        (b"rule:", b"approval: perhaps\nrule:", "line 3: approval"),
        (b"rule:", b"applies_to: everyone\nrule:", "line 3: applies_to"),
    ],
)
def test_a_wrong_policy_names_the_line_of_its_key(old: bytes, new: bytes, said: str) -> None:
    """Whoever wrote the file is led to the key."""
    with pytest.raises(ConfigurationError) as caught:
        read_record(POLICY.replace(old, new), "policies/p.yaml", "policies")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"  tool: deploy", b"", "unknown key"),
        (b"steps:", b"step:", "line 4: unknown key 'step'; did you mean 'steps'?"),
        (b"- Run the tests", b"- {name: b, instruction: x}\n- {name: b, instruction: y}", "steps has 'b' twice"),
        (b"- Run the tests", b"- 3", "line 5: steps.0"),
        (b"steps:\n", b"required_tools: 7\nsteps:\n", "line 4: required_tools must be a list, got 7"),
    ],
)
def test_a_wrong_skill_names_the_line_of_its_key(old: bytes, new: bytes, said: str) -> None:
    """A list's item is found by its own line."""
    if said == "unknown key":
        old, new = b"  instruction: Deploy it\n", b"  instructions: Deploy it\n"
    with pytest.raises(ConfigurationError) as caught:
        read_record(SKILL.replace(old, new), "skills/s.yaml", "skills")
    assert said in str(caught.value)


def test_a_step_of_words_is_a_step() -> None:
    """Short forms are read as what they stand for, and steps without a name are numbered."""
    skill = read_record(SKILL, "skills/s.yaml", "skills")
    assert isinstance(skill, Skill)
    assert [(step.name, step.tool) for step in skill.steps] == [("step-1", None), ("step-2", "deploy")]


def test_what_is_written_reads_back_the_same() -> None:
    """A record survives its file, defaults that were said on purpose included."""
    everything = Policy.model_validate(
        {
            "name": "all",
            "description": "Every tool: ask — «always» # really",
            "rule": {"tool": "*", "text": [r"\brm\b"], "args": {"a.b": [1, "x"], "n": {"above": 3}, "t": None}},
            "requires": [{"tool": "test", "same": ["ref"], "since": {"tool": "merge"}, "result": "passed"}],
            "exceptions": [{"args": {"dry_run": True}, "reason": "nothing happens"}],
            "applies_to": "agent:deploy*",
            "approval": True,
        }
    )
    for record, kind in ((everything, "policies"), (read_record(SKILL, "s", "skills"), "skills")):
        assert read_record(write_record(record), "again.yaml", kind) == record  # type: ignore[arg-type]  # one of two


@pytest.mark.parametrize("word", ["1234e56", "1e5", "tRUE", "nULL", "~", "0", ".5", "no", "1:30", "<<", "2026-01-01"])
def test_a_text_that_looks_like_something_else_stays_a_text(word: str) -> None:
    """The commit `1234e56` is no number, wherever in a record it stands."""
    rule = {"tool": word, "args": {"commit": word, "in": [word]}}
    record = Policy.model_validate({"name": "p", "description": word, "rule": rule, "exceptions": [rule]})
    assert said_by(read_record(write_record(record), "again.yaml", "policies")) == said_by(record)


def _nested(depth: int) -> Any:  # noqa: ANN401  (lists in each other)
    return [_nested(depth - 1)] if depth else "x"


@pytest.mark.parametrize(
    "value",
    [
        10**18,
        float("inf"),
        float("nan"),
        {1: "a", "1": "b"},
        {"<<": 1},
        "\ud800",
        _nested(40),
        "x" * MAX_FILE_BYTES,
        date(2026, 1, 1),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_would_not_read_back_is_not_written(value: object) -> None:
    """A file that says something else, or nothing that can be read, is never made."""
    step = {"instruction": "Deploy it", "tool": "deploy", "args": {"value": value}}
    record = Skill.model_validate({"name": "s", "description": "d", "when_to_use": "w", "steps": [step]})
    with pytest.raises(ConfigurationError, match="'s' cannot be kept in a file"):
        write_record(record)
