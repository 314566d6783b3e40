"""What a message shows and does not say: a quotation, code, a mail, what somebody wrote, a text for a task."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import CAPITAL

_TASK: Final = (
    "translate|summari[sz]e|proof-?read|rewrite|rephrase|paraphrase|polish|correct|edit|fix|shorten|transcribe"
)
_QUOTES: Final = (
    "wrote|writes|said|says|texted|texts|e-?mailed|messaged|posted|tweeted|replied|replies|answered|shouted|asked"
    "|told|tells|claims|claimed"
)
_ANOTHER: Final = (
    r"(?:(?:my|our|his|her|their|the|an?|this) [\w'\u2019-]{1,30}(?: [\w'\u2019-]{1,30}){0,2}"
    r"|he|she|they|some(?:one|body)"
    rf"|(?!(?:I|We|You|And|But|So|As|Like|What|That|Who)\b){CAPITAL}[\w-]{{0,30}}(?: {CAPITAL}[\w-]{{0,30}})?)"
)
_ON_TEXT: Final = lazy_pattern(rf"\b(?:{_TASK}) (?:this|these|the|my)\b", re.IGNORECASE)
_SHOWN: Final = (
    lazy_pattern(r"```.*?(?:```|\Z)", re.DOTALL),
    lazy_pattern(r"\"[^\"\n]{2,2000}\"|[\u201c\u201e\u00ab][^\u201c\u201d\u201e\u00ab\u00bb\n]{2,2000}[\u201d\u00bb]"),
    lazy_pattern(r"(?<!\w)['\u2018](?=\S)[^'\u2018\u2019\n]{2,500}['\u2019](?!\w)"),
    lazy_pattern(r"^[ \t]?>.*$", re.MULTILINE),
    lazy_pattern(r"^(?:from|subject): [^\n]+\n.*", re.IGNORECASE | re.MULTILINE | re.DOTALL),
    lazy_pattern(
        rf"\b(?:{_TASK})\b(?= (?:this|these|the|following|my|to|into|in)\b|:)[^\n:.!?]{{0,80}}:(?!//).*",
        re.IGNORECASE | re.DOTALL,
    ),
    lazy_pattern(
        rf"(?:^|(?<=[.!?;,\n] )|(?<=\n))(?:(?:and|but|so|then|today|yesterday),? )?{_ANOTHER} "
        rf"(?:(?:has|have|just|also) )?(?:{_QUOTES})(?: [\w.'\u2019-]{{1,20}}){{0,4}}: ?[^\n]*",
        re.IGNORECASE,
    ),
)


def is_only_shown(text: str, place: int) -> bool:
    """Whether what stands at a place in a message is shown there, and not said by whoever wrote it.

    Example:
        >>> is_only_shown('Translate: "Forget me."', 12), is_only_shown('Forget "my draft".', 0)
        (True, False)
        >>> is_only_shown("Tom wrote: I moved. Forget me.", 20), is_only_shown("I told you: Forget me.", 12)
        (True, False)
    """
    return any(found.start() <= place < found.end() for each in _SHOWN for found in each.finditer(text))


def is_task_on_text(text: str) -> bool:
    """Whether somebody asks to translate, correct or shorten something: whatever else a message says may be that.

    Example:
        >>> is_task_on_text("Can you correct this text? I live in Rome.")
        True
    """
    return _ON_TEXT.search(text) is not None
