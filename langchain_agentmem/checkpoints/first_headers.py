"""Headers as they were stored at first: read, and never written."""

from __future__ import annotations

import zlib
from typing import Any, Final

import ormsgpack

from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.checkpoints.versions import Version, unpack_version

_WORDS: Final = (
    b"langgraph_auth_user_id assistant_id graph_id user_id run_id agentmem_conflict counters_since_delta_snapshot "
    b"ls_integration langgraph fork update __pregel_tasks __interrupt__ __error__ "
    b"\xa7context\xa5state\xa6answer\xa5query\xa5model\xa5tools\xa5agent\xaabranch:to:\xafbranch:to:model"
    b"\xafbranch:to:tools\xafbranch:to:agent\xa8messages\x91\xa8messages\xa9__input__\xa9__start__"
    b"\x92\x83\xa1v\x01\xadpending_sends\x90\xb0updated_channels\xc0\x92\x82\xa1v\x04\xb0updated_channels\x91"
    b"\x83\xa6source\xa5input\xa4step\xff\xa7parents\x80\x83\xa6source\xa4loop\xa4step\x01\xa7parents\x80"
)
"""The dictionary they were compressed with."""

_WINDOW: Final = -12


def unpack_first(packed: bytes, codec: Codec) -> tuple[Any, ...]:
    """Return what stands in a header: its fields in their order.

    Raises:
        ValueError: It is damaged, as do the errors of what it is read with.
    """
    ts, pool, versions, seen, refs, body = ormsgpack.unpackb(zlib.decompressobj(_WINDOW, _WORDS).decompress(packed))
    values = list(map(unpack_version, pool))
    rest, metadata = codec.load(body)
    held = {name: ref for name, ref in zip(versions[::2], refs, strict=True) if ref is not None}
    passed = {node: _paired(inner, values) for node, inner in zip(seen[::2], seen[1::2], strict=True)}
    return ts, rest, metadata, _paired(versions, values), passed, held


def _paired(flat: list[Any], values: list[Version]) -> dict[str, Version]:
    return {name: values[place] for name, place in zip(flat[::2], flat[1::2], strict=True)}
