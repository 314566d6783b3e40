"""Requests to forget in polite words, put as the orders they are: "would you mind forgetting where I live?"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read

_VERBS: Final = {
    "forget": ("forgetting", "forgot"),
    "delete": ("deleting", "deleted"),
    "erase": ("erasing", "erased"),
    "remove": ("removing", "removed"),
    "wipe": ("wiping", "wiped"),
    "purge": ("purging", "purged"),
    "clear": ("clearing", "cleared"),
    "drop": ("dropping", "dropped"),
    "scrub": ("scrubbing", "scrubbed"),
    "get rid of": ("getting rid of", "got rid of"),
}
"""Each with its forms behind "would you mind" and behind "it would be great if you"."""

_PLAIN: Final = {form: verb for verb, forms in _VERBS.items() for form in (verb, *forms)}
_BASE: Final = "|".join(_VERBS)
_DOING: Final = "|".join(doing for doing, _ in _VERBS.values())
_DONE: Final = "|".join(done for _, done in _VERBS.values())

_LEAD: Final = r"(?:(?:please|kindly|hey|hi|hello|ok(?:ay)?|so|well|and|but|also|actually|sorry),? ){0,3}"
_HOW: Final = r"(?:(?:please|kindly|just|also|simply|now|completely) ){0,2}"
_MUCH: Final = r"(?:(?:really|very|so|much|most|greatly|also) ){0,2}"
_KIND: Final = r"(?:great|nice|good|lovely|helpful|awesome|ideal|best|perfect|cool|kind|better)"
_IF_YOU: Final = (
    rf"(?:I(?:'d| would) {_MUCH}(?:appreciate|love|like|prefer) it(?: very much| a lot)? if you"
    rf"|(?:it|that)(?:'d| would) be {_MUCH}{_KIND}(?: of you)? if you"
    rf"|I(?:'d| would) {_MUCH}be {_MUCH}(?:grateful|glad|happy|thankful) if you"
    r"|I(?:'d| would) (?:rather|prefer)(?: that)? you)"
)
_YOU_MAY: Final = (
    rf"(?:{_IF_YOU} (?:could|would|can|might)"
    r"|(?:I was wondering|I wonder|I'm wondering) (?:if|whether) you (?:could|would|can|might)"
    r"|(?:is there )?any chance (?:that )?you (?:could|would|can|might)"
    r"|do you think you (?:could|can)"
    r"|I think you (?:should|had better)|you(?:'d| had) better"
    r"|would it be possible(?: for you)? to|is it possible for you to"
    r"|(?:may|can|could|might) I ask you to|I(?:'d| would| must| have to| need to)?(?: like to)? (?:ask|beg) you to"
    r"|(?:(?:would|could) you (?:please )?)?be (?:so kind (?:as )?|kind enough )to"
    r"|(?:(?:can|could|would|will) you (?:please )?)?do me (?:a|the) favou?r(?: and|[,:]))"
)
_TAKES_BACK: Final = (
    rf"(?P<before>(?:^|[.!?;\n]\s*+|,\s++)){_LEAD}"
    r"(?:I(?:'d| would) like to |I want to |let me |I(?:'ll| will) |I have to |can I |I )take back "
)
_SAID_OF_IT: Final = (
    r" I(?:'ve| have)? (?:just )?(?:said|told you|mentioned) (?:about|of|on|regarding)"
    r" (?!(?:it|this|that|them|you|your|yours|yourself)\b)"
)
_TAKEN_BACK: Final = lazy_pattern(
    rf"{_TAKES_BACK}(?=(?:what(?:ever)?|everything|all(?: that)?|anything|the things?(?: that)?){_SAID_OF_IT})",
    re.IGNORECASE,
)
"""Of what was said about somebody or something: what is taken back is to be known no more."""

_ONE_TAKEN_BACK: Final = lazy_pattern(rf"{_TAKES_BACK}(?:what|the thing(?: that)?){_SAID_OF_IT}", re.IGNORECASE)

_ASKED: Final = lazy_pattern(
    rf"(?P<before>(?:^|[.!?;\n]\s*+|,\s++|\b(?:and|but|so) )){_LEAD}"
    rf"(?:{_YOU_MAY} {_HOW}(?P<base>{_BASE})"
    rf"|(?:(?:would|do|could) you {_HOW}mind|I(?:'d| would) {_MUCH}appreciate your?) {_HOW}(?P<doing>{_DOING})"
    rf"|(?:{_IF_YOU}|it(?:'s| is) (?:about )?time(?: that)? you) {_HOW}(?P<done>{_DONE}))\b(?!-)",
    re.IGNORECASE,
)


def put_plainly(text: str) -> str:
    """Return a text in which polite requests to forget stand as orders, and all else as it is read.

    Example:
        >>> put_plainly("Hi! Would you mind forgetting where I live?")
        'Hi! please forget where I live?'
        >>> put_plainly("I'd be sad if you forgot my birthday."), put_plainly("I take back what I said about Sam")
        ("I'd be sad if you forgot my birthday.", 'please forget what I said about Sam')
    """
    return _TAKEN_BACK.sub(r"\g<before>please forget ", _ASKED.sub(_order, as_read(text)))


def is_one_taken_back(text: str) -> bool:
    """Whether a message takes back what its speaker said last about something, and not all that they ever did.

    Example:
        >>> is_one_taken_back("I take back what I said about tea"), is_one_taken_back("Forget what I said about tea")
        (True, False)
    """
    return _ONE_TAKEN_BACK.search(as_read(text)) is not None


def _order(found: re.Match[str]) -> str:
    verb = next(it for it in (found["base"], found["doing"], found["done"]) if it)
    return f"{found['before']}please {_PLAIN[' '.join(verb.casefold().split())]}"
