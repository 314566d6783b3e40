"""What a message shows and does not say: a quotation, a block of code, a mail, a text to be translated."""

from __future__ import annotations

import re
from typing import Final

_TASK: Final = (
    "translate|summari[sz]e|proof-?read|rewrite|rephrase|paraphrase|polish|correct|edit|fix|shorten|transcribe"
)
_SHOWN: Final = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"\"[^\"\n]{2,2000}\"|[\u201c\u201e\u00ab][^\u201c\u201d\u201e\u00ab\u00bb\n]{2,2000}[\u201d\u00bb]"),
    re.compile(r"(?<!\w)['\u2018](?=\S)[^'\u2018\u2019\n]{2,500}['\u2019](?!\w)"),
    re.compile(r"^[ \t]?>.*$", re.MULTILINE),
    re.compile(r"^(?:from|subject): [^\n]+\n.*", re.IGNORECASE | re.MULTILINE | re.DOTALL),
    re.compile(
        rf"\b(?:{_TASK})\b(?= (?:this|these|the|following|my|to|into|in)\b|:)[^\n:.!?]{{0,80}}:(?!//).*",
        re.IGNORECASE | re.DOTALL,
    ),
)


def is_only_shown(text: str, place: int) -> bool:
    """Whether what stands at a place in a message is shown there, and not said by whoever wrote it.

    Example:
        >>> is_only_shown('Translate: "Forget me."', 12), is_only_shown('Forget "my draft".', 0)
        (True, False)
    """
    return any(found.start() <= place < found.end() for each in _SHOWN for found in each.finditer(text))
