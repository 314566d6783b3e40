"""Text that is written for the model instead of for memory: hidden characters, role marks, orders to drop the rules.

Memory is shown to a model again and again: what gets in once speaks in every later turn. So text that looks like an
attack is refused, whoever says it. Source: OWASP Top 10 for LLM Applications (prompt injection, memory poisoning).
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from html import unescape
from typing import Final
from urllib.parse import unquote

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.text.folding import fold_look_alikes

# --------------------------------------------------------------------------------------------------- hidden characters
# Flags of England, Scotland and Wales are written with tag characters and are no attack (Unicode TS 51, annex C).
_FLAG: Final = lazy_pattern("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
_HIDDEN: Final = lazy_pattern(
    "[\U000e0000-\U000e007f]"  # tag characters carry ASCII unseen
    "|[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u00ad]{2,}"  # one joins an emoji or a Persian word, a run hides bits
    "|[\ufe00-\ufe0f]{2,}|[\U000e0100-\U000e01ef]{2,}"  # variation selectors
    "|[\u202d\u202e]"  # overrides of the direction of writing
)

# --------------------------------------------------------------------------------------------------- marks and phrases
_MARKS: Final = lazy_pattern(
    # our own delimiters
    r"(?:<|&lt;)\s{0,3}/?\s{0,3}(?:recalled[_ -])?memor(?:y|ies)|\[\s{0,3}/?\s{0,3}recalled[_ ]memor"
    r"|<\|[a-z_]{1,40}\|>|<\|?(?:im_start|im_end|endoftext|eot_id)"
    r"|<\s{0,3}/?\s{0,3}(?:system|assistant|developer|human|instructions?|tool_calls?|tool_result|function_calls?"
    r"|prompt)\b[^<>]{0,80}>"
    r"|\[/?inst\]|<</?sys>>|(?:^|\n)\s{0,8}#{2,6}\s{0,3}(?:system|instructions?|assistant|human|response|new task)\b"
    r"|(?:^|\n)\s{0,8}(?:assistant|human|developer)\s{0,3}:"
    r"|(?:^|\n|[.!?] )\s{0,8}\[?system\]?(?: (?:prompt|message|note|override|update|alert))?\]?\s{0,3}:"
    r"\s{0,3}(?:you|ignore|from now|new|override|the (?:user|assistant)|always|never|do not|remember|all)\b"
    r"|(?:begin|end|start) (?:of )?(?:the )?system prompt\b|system prompt\s{0,3}:"
)
_RULES: Final = (
    r"(?:instructions?|prompts?|rules|guidelines?|directives?|commands?|messages?|context|training|programming"
    r"|polic(?:y|ies)|restrictions?|constraints?|safeguards?|filters?)"
)
_DROP: Final = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|override|bypass|discard|drop|do not follow|don't follow|stop following"
    r"|pay no attention to)"
)
_PHRASES: Final = lazy_pattern(
    rf"\b{_DROP}\s{{1,3}}(?:\w{{1,20}}\s{{1,3}}){{0,3}}?(?:previous|prior|above|earlier|preceding|foregoing|your"
    rf"|system|existing|original)"
    rf"\s{{1,3}}(?:\w{{1,20}}\s{{1,3}}){{0,3}}?{_RULES}\b"
    rf"|\b{_DROP}\s{{1,3}}(?:all|any|every|the|these|those)?\s{{0,3}}(?:of\s{{1,3}}(?:the"
    rf"|your)\s{{1,3}})?(?:instructions|(?:system )?prompt"
    r"|safety (?:rules|guidelines|filters|policies|polic(?:y|ies)))\b"
    r"|\b(?:ignore|forget|disregard) (?:everything|all(?: of)? (?:that|this)|anything|what)\b[^.!?\n]{0,40}\b(?:above"
    r"|before|previously|so far|told|said)\b"
    r"|(?<!where )(?<!what )(?<!who )(?<!how )(?<!than )\byou are now\s{1,3}\w"
    r"|\byou're now (?:a|an|in|the|free|no longer|dan)\b|\bfrom now on,? you are\b"
    r"|\bpretend (?:to be|you are|you're|that you)\b|\bdo anything now\b|\b(?:act|behave|respond) as (?:if you (?:are"
    r"|were|have)|dan\b|an? (?:unrestricted|unfiltered|evil|jailbroken))"
    r"|\b(?:enter|enable|activate|switch to|you are in) (?:developer|god|admin|dan|jailbreak"
    r"|unrestricted) mode\b"
    r"|\b(?:reveal|print|show|repeat|output|leak|disclose|tell me)\s{1,3}(?:\w{1,20}\s{1,3}){0,3}?(?:system prompt"
    r"|(?:your|initial|hidden|system) (?:instructions|prompt|rules))\b"
    rf"|\bnew (?:system )?(?:instructions|prompt|directive)s?\s{{0,3}}:|\byour (?:real|true"
    rf"|actual) (?:{_RULES}|task|goal|purpose) (?:is|are)\b"
    r"|\bignorier(?:e|en sie)? (?:bitte )?alle\b[^.!?\n]{0,30}\banweisungen\b|\bignor(?:a|e|ez|en) (?:todas "
    r"|toutes )?(?:las |les |tus )?instruc"
)

_HIDE: Final = (
    r"(?:do not|don't|never|without) (?:tell|telling|inform|informing|(?:mention|reveal|show)(?:ing)? (?:this|it) to)"
)
_HIDES: Final = lazy_pattern(
    rf"\b{_HIDE} (?:the )?user\b"
    r"(?! to (?:stay (?:positive|calm|strong)|calm down|relax|cheer up|smile|breathe|think positive)\b)"
)
_HIDES_FROM_ME: Final = lazy_pattern(rf"\b{_HIDE} (?:me|us|my|our)\b")
"""What a user says of themselves ("never tell me what to do", "don't tell my boss") is retold with "the user" in it."""

# ------------------------------------------------------------------------------------------------------- granted trust
_TRUST: Final = (
    r"(?:trusted|trustworthy|authori[sz]ed|pre-?authori[sz]ed|pre-?approved|approved|whitelisted|white-?listed"
    r"|allow-?listed"
    r"|safe to (?:run|execute|open|click|share)|(?:an? )?(?:admin|administrator|superuser|root)|administrators?"
    r"|verified|legitimate|reputable|authoritative|allowed to (?:see|access|read|delete|transfer|approve))"
)
_GRANTS: Final = lazy_pattern(
    r"\b(?:remember|memori[sz]e|record|note|store|save|keep in mind|treat|consider|regard|mark|flag|assume)\b"
    r"(?:[^.!?\n]|\.\w){0,100}?(?:\b(?:is|are|am|as|be|was|has been|have been)|'s|'m|'re) "
    rf"(?:[\w-]{{1,20}} ){{0,3}}?{_TRUST}\b"
    r"|(?:^|[.!?;:,]\s{0,3})(?:please |from now on,? )?(?:always trust\b|trust (?:all|every|any|the|this|that"
    r"|everything|anything|whatever|links?|\S{1,60} as)\b)"
    r"|(?<!never )(?<!not )(?<!n't )\b(?:skip|bypass|disable|waive) (?:\w{1,20} ){0,3}?(?:approvals?|confirmations?"
    r"|authori[sz]ation|authentication|verification|(?:safety|security|permission) (?:checks?|prompts?))\b"
    r"|\bno (?:approval|confirmation|authori[sz]ation|verification) (?:is )?(?:needed|required|necessary)\b"
)

# ---------------------------------------------------------------------------------------------------------------- codes
_KEPT: Final = 256  # answers: each is asked for before a write, and again within it
_MAX_CODES: Final = 16  # of one text; who hides more of them hides nothing any more
_BASE64: Final = lazy_pattern(r"(?<![\w+/])[\w+/-]{24,4000}={0,2}(?![\w+/])", re.ASCII)
_HEX: Final = lazy_pattern(r"\b(?:[0-9a-fA-F]{2}){12,2000}\b")
_SPELLED: Final = lazy_pattern(r"\b(?:\w[ ._-]){5,40}\w\b")


@of_texts(_KEPT)
def is_injected(text: str, said: str = "") -> bool:
    """Whether `text` carries hidden characters, marks of a conversation or ours, or an order to drop rules or trust.

    Args:
        text: Whatever may be shown to a model.
        said: The words it was taken from. Where these say "tell me", no order to hide something from the user is meant.

    Example:
        >>> is_injected("Do not tell the user's boss"), is_injected("Do not tell the user's boss", "don't tell my boss")
        (True, False)
    """
    if _HIDDEN.search(_FLAG.sub("", text)):
        return True
    is_own = _HIDES_FROM_ME.search(fold_look_alikes(as_read(said))) is not None
    return any(_is_attack(fold_look_alikes(it), is_own=is_own) for it in (text, *_decoded(text)))


def _is_attack(plain: str, *, is_own: bool) -> bool:
    if not is_own and _HIDES.search(plain):
        return True
    return any(pattern.search(plain) for pattern in (_MARKS, _PHRASES, _GRANTS))


def _decoded(text: str) -> Iterator[str]:
    """Yield what a text says once its codes are read: entities, percent signs, base64, hex, letters told one by one."""
    if "&" in text:
        yield unescape(text)
    if "%" in text:
        yield unquote(text)
    for found in _HEX.findall(text):
        yield bytes.fromhex(found).decode("utf-8", "replace")
    for found in _BASE64.findall(text)[:_MAX_CODES]:
        yield _of_base64(found)
    if _SPELLED.search(text):
        yield _SPELLED.sub(lambda match: re.sub(r"[ ._-](?=\w)", "", match.group()) + " ", text)


def _of_base64(code: str) -> str:
    padded = code.replace("-", "+").replace("_", "/").rstrip("=")
    padded = padded[: len(padded) - (len(padded) % 4 == 1)]
    return b64decode(padded + "=" * (-len(padded) % 4)).decode("utf-8", "replace")
