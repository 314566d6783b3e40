"""Words of requests for what was said last: "forget what I just said", "scrap that", "the last two things"."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.dismissing import POINTED
from langchain_agentmem.english.words.number_words import counts

ASK: Final = (
    r"(?:please |pl[sz] |kindly |quickly |now |just |also |can you |could you |would you |will you "
    r"|i want (?:that )?you (?:to )?|i'd like you to |i would like you to |i need you to "
    r"|you (?:can|may|should|must|have to) "
    r"|go ahead and |ok(?:ay)?,? |hey,? |so,? |actually,? |and |then |sorry,? |no,? ){0,4}"
)
SAID: Final = r"(?:said|told you|wrote|mentioned|sent|shared|typed)(?: (?:to )?you)?(?: here)?"
HAVE: Final = r"I(?:'ve| have)?"
LAST_SAID: Final = lazy_pattern(
    rf"(?:about )?(?:(?:what|that|(?:all|everything|the (?:thing|part|bit))(?: that)?) {HAVE} just {SAID}"
    rf"|the (?:last|previous) (?:thing|message|bit|part|sentence|statement)(?: that)? {HAVE} (?:just )?{SAID}"
    rf"|what {HAVE} {SAID} last)",
    re.IGNORECASE,
)
NUMBERS: Final = {"both": 2} | counts(2, 12)
COUNT: Final = rf"(?P<count>{'|'.join(NUMBERS)}|[2-9]|1[0-2])"
THINGS: Final = r"(?:things|messages|bits|parts|sentences|statements)(?: that)?"
LAST_FEW_SAID: Final = lazy_pattern(
    rf"(?:about )?(?:the |those )?(?:(?:last|previous) {COUNT}|{COUNT.replace('count', 'n')} (?:last|previous))"
    rf" {THINGS} {HAVE} (?:just )?{SAID}"
    rf"|(?:about )?(?:the |those )?{COUNT.replace('count', 'of')}(?: of the)? {THINGS} {HAVE} just {SAID}",
    re.IGNORECASE,
)
LAST_FEW: Final = lazy_pattern(
    rf"(?:the|those) (?:last|previous) {COUNT} (?:things|facts|points)"
    rf"|my (?:last|previous) {COUNT.replace('count', 'n')} (?:messages|sentences|statements|remarks|things)",
    re.IGNORECASE,
)
"""Name the last few of what the user said."""

LAST: Final = lazy_pattern(
    rf"{LAST_SAID.pattern}|(?:my|that) (?:last|previous) (?:message|sentence|statement|remark|bit|part|thing)",
    re.IGNORECASE,
)
"""Names what the user said last."""

ALONE: Final = lazy_pattern(
    rf"\W*(?:(?:oh|wait|hm+|no|well)\W+){{0,3}}{ASK}"
    rf"(?:(?:scrap|strike|scratch|unsay|forget(?: about)?|un-?remember) (?:{POINTED})"
    rf"|forget what {HAVE} {SAID}|(?P<regret>forget (?:that )?{HAVE} (?:just |ever )?{SAID} (?:that|this|it|so))"
    rf"|(?P<thing>delete|erase|remove|wipe) (?:that|this))"
    r"(?P<memory> from (?:the|your) (?:records?|memory))?(?:,? (?:please|again|now|thanks|thank you))*\W*",
    re.IGNORECASE,
)
"""Takes back what was said last, where nothing stands beside it that would be done instead."""

REGRETTED: Final = lazy_pattern(
    rf"\W*(?:(?:oh|wait|hm+|no|oops|sorry)\W+){{0,3}}I (?:shouldn't|should not|should never|wish I hadn't)(?: have)?"
    rf" (?:ever )?{SAID}(?: (?:that|this|it|so|anything))?[,.!;]\s*{ASK}forget (?:about )?(?:it|{POINTED})"
    r"(?:,? (?:please|again|now))*\W*",
    re.IGNORECASE,
)
"""Takes back what was said last, and no task: "I shouldn't have told you that. Forget it." """
