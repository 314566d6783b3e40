"""What a clause may say, as patterns for its words in normal form; those that fit first are asked first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.states import STATE_PATTERNS
from langchain_agentmem.english.words.kin_words import any_of

_SUBJECT: Final = (
    r"(?:(?P<s>(?:[^ ,]+(?: 's(?: (?!is |are )[^ ,]+){1,2})?|the (?:[^ ,]+ ){0,2}[^ ,]+|[^ ,]+(?: [^ ,]+){1,4})) )?"
)
_OBJECT: Final = r"(?P<o>[^,]+?)"
_TAIL: Final = (
    r"(?P<tail>(?: ?,.*| (?:for|with|since|because|when|while|at|on|in|by|as|during|near|after|before|until|if|over"
    r"|instead-of|rather-than|than|to|from|and then|then|not|formerly|these days|user 's|so|via|using|which|who"
    r"|that) .*)?)$"
)
_BEING: Final = "is are am was were be been being"
_BE: Final = any_of(_BEING.split())
_HAVE: Final = r"(?:(?:has|have|had|is|are) )?"
_DWELLING: Final = "live lives living lived reside resides residing based located settled"
_DWELLS: Final = any_of(_DWELLING.split())
_WORKING: Final = "work works working worked employed"
_WORKS: Final = any_of(_WORKING.split())
_EMPLOYED: Final = (
    rf"(?:{_WORKS} (?:at|for|by)|joined"
    r"|(?:got|landed|started) an? (?:new )?job (?:at|with))"
)
_FOR: Final = r"(?:for|when (?:writing|building|doing|coding|working on)|as (?:user 's|her|his|their|the|an?))"
RULES: Final[Sequence[tuple[str, frozenset[str], re.Pattern[str]]]] = tuple(
    (relation, frozenset(words.split()), lazy_pattern("^" + pattern))
    for relation, words, pattern in (
        ("birthday", "born", rf"{_SUBJECT}(?:{_BE} )?born (?:on|in(?= \d{{4}}\b)) {_OBJECT}{_TAIL}"),
        ("birthplace", "born", rf"{_SUBJECT}(?:{_BE} )?born (?:in|at) {_OBJECT}{_TAIL}"),
        ("lives_in", _DWELLING, rf"{_SUBJECT}{_HAVE}{_DWELLS} (?:in|at|near) {_OBJECT}{_TAIL}"),
        (
            "address",
            "address",
            rf"(?P<s>user) 's (?:(?:home|street|current|new) ){{0,2}}address {_BE} {_OBJECT}{_TAIL}",
        ),
        (
            "moved_to",
            "moved relocated moving relocating",
            rf"{_SUBJECT}{_HAVE}(?:moved|relocated|moving|relocating) (?:from [^,]+? )?to {_OBJECT}{_TAIL}",
        ),
        ("origin", "from", rf"{_SUBJECT}(?:{_BE} |comes? )from {_OBJECT}{_TAIL}"),
        ("works_as", _WORKING, rf"{_SUBJECT}{_HAVE}{_WORKS} as (?:an? |the )?{_OBJECT}{_TAIL}"),
        ("works_at", f"{_WORKING} joined job", rf"{_SUBJECT}{_HAVE}{_EMPLOYED} {_OBJECT}{_TAIL}"),
        ("partner", "married engaged", rf"{_SUBJECT}(?:{_BE} )?(?:married|engaged) (?:to )?{_OBJECT}{_TAIL}"),
        *((relation, words, f"{_SUBJECT}{said}(?P<tail>(?: .*)?)$") for relation, words, said in STATE_PATTERNS),
        ("called", "call", rf"(?:please )?call user {_OBJECT}{_TAIL}"),
        ("called", "goes go", rf"{_SUBJECT}(?:goes by|go by) {_OBJECT}{_TAIL}"),
        ("name", "called named", rf"{_SUBJECT}{_BE} (?:called|named) {_OBJECT}{_TAIL}"),
        ("allergic_to", "allergy", rf"{_SUBJECT}(?:has|have) (?:an? )?{_OBJECT} allergy{_TAIL}"),
        ("allergic_to", "allergy", rf"{_SUBJECT}(?:has|have) an allergy to {_OBJECT}{_TAIL}"),
        ("allergic_to", "allergic", rf"{_SUBJECT}{_BE} allergic to {_OBJECT}{_TAIL}"),
        ("favourite", "favourite favorite", rf"{_OBJECT} {_BE} (?P<s>[^ ,]+) 's favou?rite (?P<q>[^,]+)$"),
        (
            "preferred",
            "preferred go-to usual",
            rf"{_OBJECT} {_BE} (?P<s>[^ ,]+) 's (?:preferred|go-to|usual) (?P<q>[^,]+)$",
        ),
        (
            "prefers_for",
            "prefer prefers",
            rf"for (?P<q>[^,]+?) ?,? (?P<s>user|we|he|she|they|[^ ,]+) prefers? (?:to use |using )?{_OBJECT}{_TAIL}",
        ),
        (
            "uses_for",
            "use uses",
            rf"for (?P<q>[^,]+?) ?,? (?P<s>user|we|he|she|they|[^ ,]+) (?:use|uses) {_OBJECT}{_TAIL}",
        ),
        (
            "prefers_for",
            "prefer prefers favour favours favor favors like likes",
            (
                rf"{_SUBJECT}(?:(?:prefers?|favou?rs?)(?: to (?:use|write|work with)| using| writing)?"
                rf"|likes? (?:to use|using)) {_OBJECT}"
                rf"(?: (?:over|to|instead-of|rather-than) [^,]+?)? {_FOR} (?P<q>[^,]+)$"
            ),
        ),
        (
            "uses_for",
            "use uses using relies rely",
            rf"{_SUBJECT}(?:(?:is|are) )?(?:use|uses|using|relies on|rely on) {_OBJECT} {_FOR} (?P<q>[^,]+)$",
        ),
        ("deadline", "due", rf"(?P<s>[^,]+?) {_BE} due (?:on |by |at |in )?{_OBJECT}{_TAIL}"),
        (
            "age",
            f"{_BEING} turned turns",
            rf"{_SUBJECT}(?:{_BE}|turned|turns) (?P<o>\d{{1,3}})(?: turning \d{{1,3}}\b.*)?{_TAIL}",
        ),
        (
            "likes",
            "like likes love loves enjoy enjoys adore adores fond",
            (
                rf"{_SUBJECT}(?:{_BE} )?(?:likes?|loves?|enjoys?|adores?|fond of) (?:to |drinking |eating )?"
                rf"{_OBJECT}{_TAIL}"
            ),
        ),
        ("prefers", "prefer prefers", rf"{_SUBJECT}(?:prefer|prefers) (?:to use |using )?{_OBJECT}{_TAIL}"),
        ("uses", "use uses using", rf"{_SUBJECT}(?:use|uses|using) {_OBJECT}{_TAIL}"),
        (
            "studies",
            "study studies studying majoring major majors",
            (
                rf"{_SUBJECT}(?:(?:is|am) )?(?:study|studies|studying|majoring in|majors? in) "
                rf"(?!at\b|for\b|with\b|in\b|how\b){_OBJECT}{_TAIL}"
            ),
        ),
        ("drives", "drive drives", rf"{_SUBJECT}(?:drive|drives) (?:an? |the )?{_OBJECT}{_TAIL}"),
        ("owns", "own owns", rf"{_SUBJECT}(?:own|owns) (?:an? |the )?{_OBJECT}{_TAIL}"),
        ("speaks", "speak speaks", rf"{_SUBJECT}(?:speak|speaks) {_OBJECT}{_TAIL}"),
        ("has", "has have", rf"{_SUBJECT}(?:has|have) (?:an? |the )?{_OBJECT}{_TAIL}"),
        (
            "is",
            f"{_BEING} = :",
            (
                rf"(?P<s>[^,=]+?)(?: {_BE}| ?[=:]) (?:set to |scheduled |now |on |at |in |by |for )*(?P<a>an? |the )?"
                rf"{_OBJECT}{_TAIL}"
            ),
        ),
    )
)
"""The relation, words of which a clause has one at least where the pattern fits, and the pattern."""

LEAD: Final = lazy_pattern(
    r"^(?:(?:remember|note) that |user (?:meant|mean) |correction |it is (?=[^ ]+ (?:is|are) )"
    r"|(?:sorry|wait|oops|yes|so|and|but|also|fyi|that is|by the way) |[,:] ?)+"
)
