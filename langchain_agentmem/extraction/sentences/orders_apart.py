"""Several orders in one breath: "use Celsius and be brief", "keep it brief, and never deploy on Fridays".

How to answer is ordered by a whole order, so that what is joined to it by "and never" is another one. Behind any other
order it may share its object: "always wash and never iron it".
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.orders import ANSWER_FORMS, LANGUAGES, UNITS, is_of_answers, order_in
from langchain_agentmem.english.words.manners import VALUES
from langchain_agentmem.english.words.patterns import CAPITAL

_MANNER: Final = "|".join(
    words for aspect in ("length", "tone", "candour", "mood", "level") for words in VALUES[aspect].values()
)
ORDERING: Final = lazy_pattern(
    r"(?:(?:please|pls|kindly|just|always|never),? )*(?:use|don't|do not|never|always|answer|reply|respond|speak|talk"
    r"|write|call|be|keep|avoid|stick|switch|no)\b",
    re.IGNORECASE,
)
ORDER_JOINT: Final = lazy_pattern(
    rf"(?<!\s),\s++(?=(?:please\s+)?no\s+{ANSWER_FORMS}\b)"
    r"|(?<!\s)(?:,\s++(?:please|pls))?,?\s++and\s++(?:(?:please|also"
    rf"|just)\s+)*(?=(?:always\s+)?(?:be\s+(?:{_MANNER})\b"
    rf"|call\s+me\s+{CAPITAL}"
    rf"|(?:answer|reply|respond|write|speak|talk)\s+(?:to\s+me\s+)?(?:briefly|concisely|(?:in\s+)?(?:{LANGUAGES}))\b"
    rf"|(?:never\s+|don't\s+|do\s+not\s+)?(?:use|stick\s+to|avoid)\s+(?:the\s+)?(?:{UNITS}|{ANSWER_FORMS})\b)"
    r"|(?P<other>(?:always|never|don't|do\s+not)\s))",
    re.IGNORECASE,
)
"""Between two orders; `other`: whatever the second one asks for."""


def goes_on(head: str, joint: re.Match[str]) -> bool:
    """Whether an order may go on behind a joint, as the one before it is none of how to answer."""
    if not joint.groupdict().get("other"):
        return False
    order = order_in(head)
    return order is None or not (is_of_answers(order) or (order.manner and not order.words))
