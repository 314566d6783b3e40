"""Messages to msgpack and back as LangGraph's serializer does it, in about two thirds of its time.

It asks every object anew what it is, imports the module of each message, and builds it as if it were made just now.
Here the four classes that conversations consist of are known; everything else is left to it. Unlike it, this refuses
what would come back as another class (`faithful`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import ormsgpack
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, JsonPlusSerializer
from pydantic import BaseModel

from langchain_agentmem.checkpoints.faithful import NAMES, pack

_KINDS: Final = MappingProxyType({name: kind for kind, name in NAMES.items()})


class MessageSerde:
    """LangGraph's serializer, but messages take a shorter way; bytes and values are the same.

    Args:
        serde: What all else is left to.
    """

    def __init__(self, serde: JsonPlusSerializer) -> None:
        self._serde = serde
        self._others: Callable[[int, bytes], Any] = serde._unpack_ext_hook  # noqa: SLF001  (there is no public way)

    def dumps_typed(self, value: object) -> tuple[str, bytes]:
        """Return kind and bytes of a value.

        Raises:
            ConfigurationError: As of `pack`.
            TypeError: As of `pack`.
        """
        if value is None:
            return "null", b""
        if type(value) is bytes or type(value) is bytearray:
            return self._serde.dumps_typed(value)
        return "msgpack", pack(value)

    def load(self, data: bytes) -> Any:  # noqa: ANN401  (whatever was stored)
        """Return the value of msgpack."""
        return ormsgpack.unpackb(data, ext_hook=self._construct, option=ormsgpack.OPT_NON_STR_KEYS)

    def _construct(self, code: int, data: bytes) -> Any:  # noqa: ANN401  (as above)
        if code != EXT_PYDANTIC_V2:
            return self._others(code, data)
        module, name, fields, *_ = ormsgpack.unpackb(data, ext_hook=self._others, option=ormsgpack.OPT_NON_STR_KEYS)
        kind = _KINDS.get((module, name))
        if kind is None:
            return self._others(code, data)
        try:
            return _restored(kind, fields)
        except (TypeError, ValueError):
            return self._others(code, data)


def _restored(kind: type[BaseMessage], fields: dict[str, Any]) -> BaseMessage:
    """Return a message of its fields, validated; its constructor only turns other arguments into these."""
    message = kind.__new__(kind)
    BaseModel.__init__(message, **fields)
    return message
