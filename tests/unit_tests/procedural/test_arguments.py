from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool, tool
from langgraph.prebuilt import InjectedState
from pydantic import BaseModel, Field

from langchain_agentmem.procedural.arguments import Reader


class Target(StrEnum):
    PRODUCTION = "production"


class Where(BaseModel):
    target: str = "production"


class Options(BaseModel):
    where: Where = Field(default_factory=Where)
    force: bool = True


@tool
def enumerated(target: Target = Target.PRODUCTION) -> str:
    """Deploy."""
    return target


@tool(args_schema=Options)
def nested(where: Where, force: bool) -> str:  # noqa: FBT001  (a tool's argument)
    """Deploy."""
    return where.target if force else ""


@tool
def injected(state: Annotated[dict[str, Any], InjectedState], target: str = "production") -> str:
    """Deploy."""
    return target if state else ""


SCHEMA = {
    "type": "object",
    "properties": {"where": {"$ref": "#/$defs/Where", "default": {}}, "force": {"type": "boolean", "default": True}},
    "$defs": {"Where": {"type": "object", "properties": {"target": {"type": "string", "default": "production"}}}},
}
described = StructuredTool(name="described", description="Deploy.", args_schema=SCHEMA, func=lambda **_: "")


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (enumerated, {"target": "production"}),
        (nested, {"where": {"target": "production"}, "force": True}),
        (injected, {"target": "production"}),
        (described, {"where": {"target": "production"}, "force": True}),
    ],
)
def test_what_a_call_leaves_out_is_the_default(made: BaseTool, expected: dict[str, Any]) -> None:
    """Whichever way a tool describes its arguments."""
    assert Reader(made).read({}) == (expected, expected)


def test_arguments_are_read_as_written_and_as_the_tool_reads_them() -> None:
    """A model may write a flag as a word."""
    written, read = Reader(nested).read({"force": "yes", "where": {}})
    assert (written["force"], read["force"]) == ("yes", True)
    assert read["where"] == {"target": "production"}


def test_arguments_that_do_not_fit_are_read_as_they_are() -> None:
    """The tool refuses them itself."""
    assert Reader(nested).read({"force": "perhaps"})[0]["force"] == "perhaps"
    assert Reader(None).read({"x": 1}) == ({"x": 1}, {"x": 1})
