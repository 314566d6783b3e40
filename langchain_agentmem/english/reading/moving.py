"""Ways of saying that an appointment was moved, in the words that say when it is now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.words.calendar_words import MONTH, SHORT_MONTH, WEEKDAY

APPOINTMENT: Final = (
    r"(?:meeting|appointment|interview|exam|wedding|party|conference|workshop|webinar|ceremony|review|retro|demo|kick-?off"
    r"|launch|check-?up|viewing|rehearsal|recital|reunion|audition|hearing|surgery|operation)"
)
HAPPENS_ONCE: Final = (
    rf"(?:{APPOINTMENT}|flight|trip|journey|holiday|vacation|honeymoon|call|visit|concert|gig|dinner|lunch|brunch"
    r"|reservation|booking|delivery|test|scan|trial|funeral|christening|barbecue|op|procedure|biopsy"
    r"|(?:court|due|wedding|exam|surgery|closing|start|delivery|release|moving|move-in) date|court|resit|retake|midterm"
    r"|viva|defen[cs]e|presentation|pitch|assessment|inspection|submission|hand-in)"
)
"""What is at one time, and then over."""

HAPPENS_OFTEN: Final = r"(?:class|lesson|session|practice|training|stand-?up|game|match|course)"
"""What is one of many: that one was cancelled ends none of the others."""

DAY: Final = (
    rf"(?:{WEEKDAY}|(?:{MONTH}|{SHORT_MONTH})(?: the)? \d{{1,2}}(?:st|nd|rd|th)?"
    rf"|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH}|{SHORT_MONTH}))"
)
TIME: Final = r"(?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d|noon|midnight)"
MOVED: Final = (
    r"(?:moved|rescheduled|postponed|shifted|delayed|extended|changed|(?:pushed|put|brought|moved|pulled|bumped)"
    r"(?: back| forward| out| up)?)"
)
_MOVED_WORDS: Final = "moved rescheduled postponed shifted delayed extended changed pushed put brought pulled bumped"
_WHAT: Final = r"(?:[\w-]+ ){0,3}?[\w-]+(?: with [\w-]+(?: [\w-]+)?)?"
_WHO: Final = r"(?:(?:the user's|my|our|the|his|her|their) [\w-]+|(?!not\b|never\b|almost\b|nearly\b)[\w-]+)"
_LEADS: Final = ((rf"(?={DAY}\b)", "on"), (rf"(?={TIME})", "at"))

NOW: Final[Sequence[tuple[str, str, str]]] = tuple(
    (_MOVED_WORDS, *row)
    for ahead, link in _LEADS
    for row in (
        (rf"\b(?:was|were|is|are|(?:has|have) been|got) {MOVED} (?:to|until|till) {ahead}", f"is now {link} "),
        (
            rf"^(?:I|the user)(?: have| has|'ve)?(?: just)? {MOVED} (?:my|their) ({_WHAT}) (?:to|until|till) {ahead}",
            rf"my \1 is now {link} ",
        ),
        (
            rf"^{_WHO}(?: have| has|'ve)?(?: just)? {MOVED} (?:the|our) ({_WHAT}) (?:to|until|till) {ahead}",
            rf"the \1 is now {link} ",
        ),
    )
)
"""Each such saying behind the words of which it has one, and what it comes to."""
