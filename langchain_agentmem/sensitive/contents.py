"""Sensitive data in what a serializer of LangGraph's has written: texts are replaced, and no class is constructed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import (
    EXT_CONSTRUCTOR_KW_ARGS,
    EXT_CONSTRUCTOR_POS_ARGS,
    EXT_CONSTRUCTOR_SINGLE_ARG,
    EXT_DELTA_SNAPSHOT,
    EXT_PYDANTIC_V1,
    EXT_PYDANTIC_V2,
    _option,
)

from langchain_agentmem.checkpoints.envelope import unwrap, wrap
from langchain_agentmem.checkpoints.rewording import Wording
from langchain_agentmem.policies.sensitive_records import Protector
from langchain_agentmem.sensitive.messages import protect_fields

_MESSAGES: Final = "langchain_core.messages"
_OF_FIELDS: Final = frozenset({EXT_PYDANTIC_V1, EXT_PYDANTIC_V2, EXT_CONSTRUCTOR_KW_ARGS})
_ARGUMENTS: Final = 2
"""What an object is made of stands behind its module and its name."""

_NAMES: Final = frozenset(
    "source step parents run_id thread_id user_id tenant_id agent_id session_id assistant_id graph_id checkpoint_id"
    " checkpoint_ns langgraph_auth_user_id agentmem_conflict agentmem_pruned".split()
)
"""Keys of metadata that say where a checkpoint belongs, in the names of LangGraph and of the application."""


def wording_of(protector: Protector) -> Wording:
    """Return what says a thread's contents as they may stand there, and collects what is found in them."""

    def metadata(said: Mapping[str, Any]) -> dict[str, Any]:
        return protector.mapping(said, _NAMES)

    return Wording(lambda content: _said(content, protector), metadata)


def _said(content: bytes, protector: Protector) -> bytes:
    """Return a content as it may stand there; bytes, and what another serializer wrote, are left as they are."""
    kind, data = unwrap(content)
    if kind == "msgpack":
        made = _packed(data, protector)
    elif kind == "json":
        said = json.loads(data)
        made = data if (new := protector.value(said)) == said else json.dumps(new).encode()
    else:
        return content
    return content if made == data else wrap(kind, made)


def _packed(data: bytes, protector: Protector, take: Callable[[Any], Any] | None = None) -> bytes:
    """Return msgpack with its texts protected: the very same bytes where nothing is to be changed."""
    before = dict(protector.found)
    protector.found = {}

    def object_of(code: int, inner: bytes) -> ormsgpack.Ext:
        return ormsgpack.Ext(code, _object(code, inner, protector))

    value = ormsgpack.unpackb(data, ext_hook=object_of, option=ormsgpack.OPT_NON_STR_KEYS)
    made = (take or protector.value)(value)
    is_same = not protector.found
    protector.found = before | protector.found
    return data if is_same else ormsgpack.packb(made, option=_option)


def _object(code: int, inner: bytes, protector: Protector) -> bytes:
    """Return what an object is made of; numbers, times, paths and ids written as text are left as they are."""
    if code == EXT_DELTA_SNAPSHOT:
        return _packed(inner, protector)
    is_looked_into = code in _OF_FIELDS or code in {EXT_CONSTRUCTOR_SINGLE_ARG, EXT_CONSTRUCTOR_POS_ARGS}
    return _packed(inner, protector, lambda parts: _parts(code, parts, protector)) if is_looked_into else inner


def _parts(code: int, parts: Any, protector: Protector) -> Any:  # noqa: ANN401  (what msgpack holds)
    module, name, made_of = parts[0], parts[1], parts[_ARGUMENTS]
    if code in _OF_FIELDS:
        is_message = str(module).startswith(_MESSAGES)
        made = protect_fields(made_of, protector) if is_message else protector.value(made_of)
    elif code == EXT_CONSTRUCTOR_SINGLE_ARG:
        made = protector.value(made_of) if isinstance(made_of, list) else made_of  # a set or a deque
    elif name == "Send":
        made = [made_of[0], protector.value(made_of[1]), *made_of[2:]]
    else:
        made = made_of
    return [module, name, made, *parts[_ARGUMENTS + 1 :]]
