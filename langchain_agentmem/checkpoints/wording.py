"""What messages say again and again, in two bytes; written once per message, expanded for a thousand at once.

Half of a short message is the names of its class and fields. General compression would find that too, but reading a
thousand messages would then take half as long again; this costs a tenth.

The phrases are part of the format: none may ever be changed or removed, and new ones go to the end.
"""

from __future__ import annotations

import zlib
from typing import Final

_MARK: Final = b"\xc1"
"""The one byte that msgpack never uses; in data that holds it nevertheless it is marked itself."""

_MARK_ITSELF: Final = 0xFF

_PHRASES: Final = (
    b"\x05\x94\xbdlangchain_core.messages.human\xacHumanMessage\x86\xa7content",
    b"\x05\x94\xbalangchain_core.messages.ai\xa9AIMessage\x89\xa7content",
    b"\x05\x94\xbclangchain_core.messages.tool\xabToolMessage\x89\xa7content",
    b"\x05\x94\xbelangchain_core.messages.system\xadSystemMessage\x86\xa7content",
    b"\x05\x94\xbdlangchain_core.documents.base\xa8Document\x84\xa2id",
    b"\xb1additional_kwargs\x80\xb1response_metadata\x80\xa4type\xa5human\xa4name\xc0\xa2id\xc0\xb3model_validate_json",
    b"\xb1additional_kwargs\x80\xb1response_metadata\x80\xa4type\xa5human\xa4name\xc0\xa2id",
    b"\xb1additional_kwargs\x80\xb1response_metadata\x80\xa4type\xa2ai\xa4name\xc0\xa2id",
    b"\xb1additional_kwargs\x80\xb1response_metadata\x80\xa4type\xa4tool\xa4name",
    b"\xb1additional_kwargs\x80\xb1response_metadata\x80\xa4type\xa6system\xa4name\xc0\xa2id",
    b"\xb1additional_kwargs\x80\xb1response_metadata",
    b"\xa4type\xa2ai\xa4name\xc0\xa2id",
    b"\xaatool_calls\x90\xb2invalid_tool_calls\x90\xaeusage_metadata\xc0\xb3model_validate_json",
    b"\xaatool_calls\x90\xb2invalid_tool_calls\x90\xaeusage_metadata",
    b"\xa4type\xa9tool_call\xb2invalid_tool_calls\x90\xaeusage_metadata",
    b"\xactool_call_id",
    b"\xa8artifact\xc0\xa6status\xa7success\xb3model_validate_json",
    b"\xacinput_tokens",
    b"\xadoutput_tokens",
    b"\xactotal_tokens",
    b"\xb3input_token_details",
    b"\xb4output_token_details",
    b"\xaamodel_name",
    b"\xadfinish_reason",
    b"\xacpage_content",
    b"\xaatool_calls\x91\x84\xa4name",
    b"\xb3model_validate_json",
)
_TOKENS: Final = tuple((phrase, _MARK + bytes((place,))) for place, phrase in enumerate(_PHRASES))
_EXPANDED: Final = {**dict(enumerate(_PHRASES)), _MARK_ITSELF: _MARK}

_LEVEL: Final = 6
_WINDOW: Final = -12
_MEMORY: Final = 5
_DICTIONARY: Final = b"".join(reversed(_PHRASES))


def shorten(data: bytes) -> bytes:
    """Return data with phrases in two bytes each."""
    if _MARK in data:
        data = data.replace(_MARK, _MARK + bytes((_MARK_ITSELF,)))
    for phrase, token in _TOKENS:
        data = data.replace(phrase, token)
    return data


def escape(data: bytes) -> bytes:
    """Return data so that `expand` gives it back; nearly always it is the data itself."""
    return data.replace(_MARK, _MARK + bytes((_MARK_ITSELF,))) if _MARK in data else data


def expand(data: bytes) -> bytes:
    """Return what `shorten` or `escape` was given, also for several joined.

    Raises:
        ValueError: The data is damaged.
    """
    first, *rest = data.split(_MARK)
    try:
        return b"".join([first, *[_EXPANDED[part[0]] + part[1:] for part in rest]])
    except (IndexError, KeyError) as error:
        msg = "a content has an unknown phrase"
        raise ValueError(msg) from error


def deflate(data: bytes) -> bytes:
    """Return data compressed, knowing the phrases: for what is seldom read."""
    deflating = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    return deflating.compress(data) + deflating.flush()


def inflate(data: bytes) -> bytes:
    """Return what `deflate` was given.

    Raises:
        ValueError: The data is damaged.
    """
    try:
        return zlib.decompressobj(_WINDOW, _DICTIONARY).decompress(data)
    except zlib.error as error:
        msg = "a content cannot be inflated"
        raise ValueError(msg) from error
