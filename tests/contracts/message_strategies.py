"""Generated messages of every class."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, ChatMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage

from langchain_agentmem.sessions.plain import MARK

# Text includes NUL and lone surrogates; what is not equal to itself (NaN) has a test of its own.
TEXT = st.text(st.characters(), max_size=12)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
TIMES = st.datetimes(timezones=st.none() | st.just(UTC)) | st.dates() | st.times() | st.timedeltas()
SETS = st.frozensets(TEXT, max_size=3) | st.sets(st.integers(), max_size=3)
DOCUMENTS = st.builds(Document, TEXT, metadata=st.dictionaries(TEXT, TEXT, max_size=2))
LEAF = PLAIN | TIMES | SETS | DOCUMENTS | st.binary(max_size=6) | st.uuids() | st.decimals(allow_nan=False)
KEY = TEXT | st.just(MARK)
VALUE = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEY, inner, max_size=3)
        | st.dictionaries(st.integers() | st.tuples(st.integers()), inner, max_size=2)
        | st.lists(inner, max_size=2).map(tuple)
    ),
    max_leaves=6,
)
ANYTHING = st.dictionaries(KEY, VALUE, max_size=3)
CONTENT = TEXT | st.lists(TEXT | ANYTHING, max_size=3)
COMMON: dict[str, Any] = {
    "content": CONTENT,
    "id": st.none() | TEXT,
    "name": st.none() | TEXT,
    "response_metadata": ANYTHING,
    "additional_kwargs": st.dictionaries(st.sampled_from(["a", "é", MARK]), VALUE, max_size=2),
    "extra_field": VALUE,
}
CALLS = st.lists(st.fixed_dictionaries({"name": TEXT, "args": ANYTHING, "id": st.none() | TEXT}), max_size=2)
INVALID = st.lists(
    st.fixed_dictionaries({"name": TEXT, "args": TEXT, "id": TEXT, "error": st.none() | TEXT}), max_size=2
)
TOKENS = st.integers(0, 10**9)
USAGE = st.fixed_dictionaries(
    {"input_tokens": TOKENS, "output_tokens": TOKENS, "total_tokens": TOKENS},
    optional={"input_token_details": st.fixed_dictionaries({"cache_read": TOKENS})},
)
ai = st.builds(AIMessage, tool_calls=CALLS, invalid_tool_calls=INVALID, usage_metadata=st.none() | USAGE, **COMMON)
tool = st.builds(ToolMessage, tool_call_id=TEXT, artifact=VALUE, status=st.sampled_from(["success", "error"]), **COMMON)
function = st.builds(FunctionMessage, **{**COMMON, "name": TEXT})
NAME = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)  # pydantic takes no lone surrogate in a name
ODD_KEY = (NAME | st.just(MARK)).filter(lambda key: not key.isidentifier())  # no parameter of a message's constructor
named = st.builds(lambda content, extra: HumanMessage(content, **extra), TEXT, st.dictionaries(ODD_KEY, TEXT))
others = [st.builds(cls, **COMMON) for cls in (HumanMessage, SystemMessage)]
message = st.one_of(ai, tool, function, named, st.builds(ChatMessage, role=TEXT, **COMMON), *others)
