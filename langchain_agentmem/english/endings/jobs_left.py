"""Where somebody works no more: "I quit", "I was laid off from Siemens", "I retired". English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.endings.ending_words import AND_MORE, AT_LAST, NEWS, PLAIN_TAIL, Ends, any_case
from langchain_agentmem.english.people.beings import NAME, OWNER, THEIRS, WHO
from langchain_agentmem.english.people.belongings import WHAT
from langchain_agentmem.english.words.patterns import CAPITAL

_BOSSES: Final = r"(?:my|their|the|our) (?:boss|manager|company|employer|firm|work)"
_LEFT: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:(?:quit|left|lost|resigned from|gave up) (?:{THEIRS}|the) (?:(?:old|current|full-time"
        rf"|day) )?job|(?:quit|resigned from) (?:{THEIRS}|the) position)"
        rf"(?: (?:at|with) (?P<at>{NAME}|(?:the|an?|{THEIRS}) [\w'-]+(?: [\w'-]+)??))?{PLAIN_TAIL}"
    ),
    any_case(rf"{WHO} {NEWS}(?:quit|resigned from|retired from|resigned at) (?P<at>{NAME}){PLAIN_TAIL}"),
    any_case(
        rf"{WHO} {NEWS}left (?P<at>{NAME})(?:{AT_LAST}| after (?:\w+ ){{1,3}}(?:years?|months?)"
        rf"| to (?:join|found|start)\b.*|,? (?:and|so|but) (?:I |now )*(?:now|joined|started|work)\b.*)?[.! ]*$"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:was|were|got|have been|been|am|is) {NEWS}(?:laid off|fired|let go(?! early| home)"
        rf"|made redundant|sacked)(?: (?:from|by|at) (?:(?P<at>{NAME})|{_BOSSES}))?{PLAIN_TAIL}"
    ),
    any_case(
        rf"{WHO} {NEWS}(?:retired(?! early| last night)|(?:is|am) (?:(?:now|finally|officially) retired|retired now)"
        rf"|resigned|handed in (?:my|their) notice(?: to {_BOSSES})?){PLAIN_TAIL}"
    ),
)
_QUIT: Final = (
    any_case(
        rf"{WHO} {NEWS}(?:quit|resigned from) (?!(?:{THEIRS} )?job\b)(?:(?:the|{THEIRS}) )?(?P<at>{WHAT}){PLAIN_TAIL}"
    ),
)
"""Of a firm in small letters, or one that is a bakery: it is known, or it was none."""

QUIT_ALONE: Final = (any_case(rf"(?:(?:the )?user|I) {NEWS}quit{PLAIN_TAIL}"),)
"""Of what, is not told: who is known to work somewhere left that, unless they may have stopped something else."""

_HABIT: Final = any_case(
    rf"{WHO} (?:(?:now|still|also) )*(?:smokes?|vapes?|gambles?|drinks?(?! (?:[\w-]+ )?(?:tea|coffee|water)\b))\b.*"
)
"""What one is said to have quit without a word for it."""

_A_JOB: Final = r"(?:an?|the|their|my) (?:(?:new|first|part[- ]time|full[- ]time|weekend|summer) ){0,2}job"
_HOURS: Final = (
    r"(?:(?:nights|days|mornings|evenings|weekends|shifts|(?:night|day|early|late) shifts|part[- ]time|full[- ]time"
    r"|remotely|freelance) )?"
)
_WORKS: Final = any_case(
    rf"{WHO} (?:now |currently |still |also )?(?:works? {_HOURS}(?:at|for)|is employed (?:at|by|with)|joined"
    rf"|(?:(?:just|finally|recently) )?(?:got|landed|started|has|have) {_A_JOB} (?:at|with|for)) (?P<at>.+)"
)
_WORKS_AS: Final = any_case(
    rf"(?:{WHO} (?:(?:now|currently|still|also) )?(?:works? {_HOURS}as (?P<as>(?:an? |the )?[^,;]+?)"
    rf"|(?:is|am) (?P<being>an?(?: [\w-]+){{1,3}}?)(?= at {CAPITAL}))(?:,? (?:at|for) (?P<at>.+))?"
    rf"|{OWNER} (?:current )?(?:job|occupation) is (?P<job>[^,;]+))"
)
_EMPLOYER: Final = any_case(rf"{OWNER} (?:current |new )?(?:employer|company|workplace) is (?P<at>.+)")


def _of_job(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    jobs = {place: job for place, text in enumerate(known) if (job := _job(text)) is not None}
    wanted = found.groupdict().get("at")
    if wanted is not None:
        return [place for place, (firm, _) in jobs.items() if firm == _firm(wanted)]
    firms, callings = ({it[which] for it in jobs.values()} - {""} for which in (0, 1))
    return list(jobs) if max(len(firms), len(callings)) <= 1 else []


def _of_quitting(found: re.Match[str], known: Sequence[str]) -> Sequence[int]:
    """Return the job, where nothing else is known that one quits."""
    return () if any(map(_HABIT.fullmatch, known)) else _of_job(found, known)


def _job(text: str) -> tuple[str, str] | None:
    """Return at which firm, and as what, the user is told to work, each as far as it is told."""
    at = _WORKS.fullmatch(text) or _EMPLOYER.fullmatch(text)
    if at is not None and AND_MORE.search(at["at"]):  # "at Siemens and teach yoga" holds more than a job
        return None
    if at is not None:
        return _firm(at["at"]), ""
    work = _WORKS_AS.fullmatch(text)
    if work is None:
        return None
    return _firm(work["at"] or ""), (work["as"] or work["being"] or work["job"]).strip().casefold()


def _firm(at: str) -> str:
    """Return a firm's name without article, and what stands behind it: "Siemens as an engineer"."""
    firm = re.split(r",| (?:as|in|since|for|from|and|on|where|with)\b", at, maxsplit=1)[0].replace(".", "")
    return re.sub(r"^(?:the|an?|my|their) ", "", firm.strip().casefold())


JOBS_LEFT: Final = (
    Ends(_of_job, _LEFT),
    Ends(_of_job, _QUIT, is_passing=True),
    Ends(_of_quitting, QUIT_ALONE, is_passing=True),
)
"""Sentences that say so, and what they end of all that is remembered."""
