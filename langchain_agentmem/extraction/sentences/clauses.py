"""Cut a passage into clauses that each say one thing, and drop those that do not mean what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.taken_back import ends_of, is_retracted, is_value_meant, not_taken_back
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.reading.orders import ANSWER_FORMS
from langchain_agentmem.english.text.sentences import is_full_stop
from langchain_agentmem.english.words.calendar_words import MONTH, SEASON
from langchain_agentmem.english.words.patterns import LETTER, LONG_CAPITALIZED
from langchain_agentmem.extraction.record.conversation import SKIPPED, Passage
from langchain_agentmem.extraction.record.spoken import KEPT_MESSAGES
from langchain_agentmem.extraction.sentences.appositions import appositions
from langchain_agentmem.extraction.sentences.asking import (
    INTERROGATIVE,
    RELATIVE,
    statement_before_question,
    told_behind_question,
)
from langchain_agentmem.extraction.sentences.formerly import is_of_one_piece
from langchain_agentmem.extraction.sentences.openings import CORRECTING, DENIAL, OWNED_UP, REPLACING, skip_openers
from langchain_agentmem.extraction.sentences.ordered_behind import is_done_by_others, ordered_behind
from langchain_agentmem.extraction.sentences.orders_apart import ORDER_JOINT, ORDERING, goes_on
from langchain_agentmem.extraction.sentences.politeness import requested
from langchain_agentmem.extraction.sentences.repairs import repaired
from langchain_agentmem.extraction.sentences.run_ons import run_on
from langchain_agentmem.extraction.sentences.slips import is_half_said
from langchain_agentmem.extraction.sentences.small_letters import in_capitals
from langchain_agentmem.extraction.sentences.spelling import spelled
from langchain_agentmem.extraction.sentences.together import told_apart
from langchain_agentmem.extraction.words import cues
from langchain_agentmem.extraction.words.lexicon import YOUTH
from langchain_agentmem.types import Speaker

MAX_SENTENCE_CHARS: Final = 400
"""Nobody states a preference in a sentence longer than this; it bounds the work on pasted text."""

MAX_RUN_ON_CHARS: Final = 2_000
"""Who talks without full stops goes on for so long; it is read in parts, cut where one clause is joined to the next."""

_ASIDE_WORDS: Final = 3  # a hedge that stands on its own ("…, I think") weakens its whole sentence

_BREAK: Final = lazy_pattern(
    r"[.!?\u2026]+[\"')\]]*(?=\s|\Z)|\n+|;(?=\s)|\s(?:[\u2013\u2014]|--?)\s"
    r"|[\U0001F300-\U0001FAFF\u2600-\u27BF]+\ufe0f?"
)
_BULLET: Final = lazy_pattern(r"\s*(?:[-*\u2022+]|\d{1,2}[.)])\s+")

_FIRST: Final = (
    r"(?:I|I'm|I've|I'd|I'll|my|we|we've|we're|we'll|our|pls|please|always(?!\W*$)|never|don't|do not"
    r"|now I'm|now I|now we|wanna|gonna|make sure"
    r"|from now on|actually|nothing|what|the thing|keep|avoid"
    r"|use|be(?= \w+ (?:with|w/?) )|(?:text|call|email|message|write|send|give|show|book|tell|reach|contact|ping) me)"
)
_ROLE: Final = lazy_pattern(
    r"(?:as|being) (?P<role>(?:an?|someone who|somebody who|a person who|the) (?!result|rule|test"
    r"|quick|side|follow|matter|reminder|start|first|last|heads|workaround|bonus|precaution|general"
    r"|final|way|case|next|consequence|joke|user|customer)[^,.!?]{2,60}?)(?:,|\s+(?=(?:I|I'm|we|my)\b))\s*",
    re.IGNORECASE,
)
_SINCE_WHEN: Final = (
    rf"(?:currently|at\s+present|since\s+(?:last\s+(?:year|month|week|{SEASON}|{MONTH})|(?:early\s+|late\s+)?"
    rf"(?:{MONTH}(?:\s+(?:19|20)\d\d)?|(?:19|20)\d\d)|childhood))"
)
_FROM: Final = rf"(?:(?:with\s+effect\s+|effective\s+)?from|as\s+of)\s+(?:\d{{1,2}}\s+)?{MONTH}(?:\s+(?:19|20)\d\d)?"
_SINCE: Final = lazy_pattern(rf"(?:{_SINCE_WHEN}|{_FROM})\s*,?", re.IGNORECASE)
_SETTING: Final = lazy_pattern(
    r"(?:when|whenever|while|for|in|on|at|during|after|before|as|since|because|once|until|with|by|this"
    r"|over|outside|if|unless|given|every|regarding|concerning|within|most|to"
    rf"|going forward)\b[^,]*,\s+(?={_FIRST}\b)"
    r"|(?:from now on|going forward|in (?:the )?future|henceforth|by default),?\s+"
    r"|(?:when|whenever|for|in|on|at|during|after|before|by|as of)\s(?:[^,\s]+\s+){1,8}?(?=(?:(?:I|we)(?:'\w+)?"
    r"|my|our)\s)"
    rf"|{_SINCE_WHEN},?\s+(?=(?:(?:I|we)(?:'\w+)?|my|our)\s)|{_FROM},?\s+(?=(?:my|our)\s)"
    r"|(?:when|whenever)\s+you\s+(?:write|reply|answer|send|draft|explain|talk|text)\s(?:[^,\s]+\s+){0,6}?"
    r"(?=(?:please\s+)?(?:keep|use|don't|dont|always|never|make|avoid|add|put|be|include|limit)\s)",
    re.IGNORECASE,
)
_ALLOWED: Final = ("fine", "ok", "okay", "allowed", "welcome")
_LEAVE: Final = "|".join(
    rf"(?<=\b{subject} {allowed}{now})"
    for subject in ("jargon is", "slang is", "emojis are", "jokes are", "links are", "lists are", "tables are")
    for allowed in _ALLOWED
    for now in ("", " now", " again")
)
"""Behind what is allowed: "emojis are fine now, but no jargon"."""

_THEIR_OWN: Final = rf"(?:[\w-]+\s+){{0,2}}{BEING}s?(?:,?\s+{LONG_CAPITALIZED}(?:,?\s+and\s+{LONG_CAPITALIZED})?)?"
"""Somebody whom one has, at the end of a sentence: "with my wife and our two kids, Tom and Mia"."""

_JOINT: Final = lazy_pattern(
    rf"(?:,\s+(?:please|pls))?\s*[,:]?\s+and\s+(?:also\s+|then\s+|now\s+|that\s+)*(?={_FIRST}\b)(?!always\b|never\b"
    rf"|(?:my|our)\s+(?:[\w-]+|{_THEIR_OWN})\s*$)"
    r"|\s*[,:]?\s+(?:but|so(?!\s+that\b)|plus|though|although|whereas|yet|because"
    rf"|since(?!\s+{YOUTH}))\s+(?:also\s+|then\s+|now\s+|that\s+)*(?={_FIRST}\b)|,\s+(?:also\s+|(?:yes|yeah),?\s+)?(?={_FIRST}\b)"
    r"|,?\s+so\s+(?=(?:please\s+)?(?:never|always|skip|leave|give|show|stick|go\s+easy|write|speak|no|pick|choose"
    r"|find|suggest"
    r"|recommend|plan|book|order)\s+(?!\w+$)"
    r"|(?:the\s+)?(?:[\w-]+\s+){1,3}(?:is|are|works?|needs?|must|has\s+to|have\s+to)\b)"
    rf"|(?:{_LEAVE})\s*,?\s+(?:but|and)\s+(?=(?:please\s+)?no\s+{ANSWER_FORMS}\b)"
    r"|,?\s+(?:but|and)\s+(?=(?:every(?:one|body)\s+calls|(?:people|they|(?:my\s+)?friends)\s+call)\s+me\b)"
    rf"|,\s+(?=(?:the\s+)?[a-z-]+(?:\s+[a-z-]+)?\s+(?:is|are)\s+(?:at\s+\d|on\s+\w+days?\b|every\s)|[a-z]+:\s+{LETTER})"
    rf"|,\s+(?={LONG_CAPITALIZED}\s+is\s+(?:now\s+(?:my|our)\b|(?:my|our)\s+\w+(?:\s\w+)?\s+now$))"
    rf"|\s*,?\s+but\s+(?={ANSWER_FORMS}\s+(?:is|are)\s+(?:now\s+|again\s+)?(?:{'|'.join(_ALLOWED)})\b)",
    re.IGNORECASE,
)
_MEDICATED: Final = (
    r"take\s+(?!(?:it|this|that|them|an?|the|my|our|your|care|part|turns|time|place|off|out|over|up|down|after|notes?"
    r"|photos?"
    r"|pictures|walks?|showers?|breaks?|naps?|lessons|classes|pride|things|everything|pictures|public|taxis?|buses"
    r"|trains?)\b)"
    r"(?:\d+\s?m?g\s+)?[a-z]"
)
_ELIDED: Final = lazy_pattern(
    r"\s*,\s+(?=(?:live|work)\s+(?:in|as|at|for|with|near|alone)\b)"
    rf"|(?<=\S)(?:,|\s++and|,\s++and)\s++(?:also\s++)?(?={_MEDICATED})|\s*,?\s+(?:and|but)\s+(?=(?:(?:also|really"
    r"|always|never|usually|absolutely|still|mostly|now"
    r"|currently|generally)\s+)*(?:(?:do not|don't|can't|cannot)\s+\w+"
    r"|prefer|love|hate|dislike|enjoy|live|work(?! life)|use|have(?! to)|own|speak|play|drive|am"
    r"|collect|despise|detest|adore|like(?! (?:to|that|this)\b)|can't|cannot|need|aim|plan to|hope to"
    r"|want to|avoid|study)\s)",
    re.IGNORECASE,
)
_MISTAKEN: Final = lazy_pattern(
    r"(?:I (?:was (?:wrong|mistaken)|made a mistake|misspoke|mixed)|(?:that|it) (?:is|was|'s) (?:wrong|not right))\b",
    re.IGNORECASE,
)
_STATES: Final = lazy_pattern(rf"(?i:{_FIRST}|the|there|it's|he|she|they)\b")
_SUBJECT: Final = lazy_pattern(r"(?P<subject>I|we)(?:'\w+|\b)", re.IGNORECASE)
_POINTING_BACK: Final = lazy_pattern(r"(?:and |but )?(?:he|she|it)\b", re.IGNORECASE)
_PAIR: Final = lazy_pattern(
    r"(?i:(?:me and )?(?:my|our) (?!goal|aim)[\w-]+(?: [\w-]+)?|me"
    rf"|(?:(?:yesterday|today|(?:last|this) \w+),? )?(?-i:{LONG_CAPITALIZED}(?: {LONG_CAPITALIZED})?))"
)
"""Before "and I" it is half a subject ("my sister and I", "Emma Stone and I"), not a clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One statement: what a rule reads.

    Attributes:
        text: The clause with its subject, without openers such as "by the way,".
        setting: What stood before it and limits it: "for backend work".
        evidence: The exact words in the message.
        quote: Of them those that say this and nothing else, where others share its beginning: "I … own a flat".
        is_correction: It was introduced as one ("actually", "no,").
        is_denial: It was introduced by a mere "no", which after a question is an answer.
        is_replacing: Its words say that something else was true before ("no longer", "my new …").
        is_asked: The user asked for it to be remembered ("remember that …").
        is_momentary: The sentence speaks of now, today or this task.
        is_ironic: The sentence praises what nobody likes.
        before: What stands right before its sentence and is meant, back to where no pronoun begins.
        since: The exact words from there to the end of its sentence.
        other: Of whom it says the same as of the user: "my wife", where it was said of both.
    """

    text: str
    evidence: str
    speaker: Speaker = "user"
    message_ids: tuple[str, ...] = ()
    setting: str = ""
    is_correction: bool = False
    is_denial: bool = False
    is_replacing: bool = False
    is_asked: bool = False
    is_momentary: bool = False
    is_ironic: bool = False
    before: str = ""
    since: str = ""
    other: str = ""
    quote: str = ""

    @property
    def whole(self) -> str:
        """What is retold: the clause behind its setting, or before it where that tells since when."""
        if _SINCE.fullmatch(self.setting):
            return f"{self.text} {self.setting[:1].lower()}{self.setting[1:].rstrip(' ,')}"
        return f"{self.setting} {self.text}" if self.setting else self.text


@of_texts(KEPT_MESSAGES)
def clauses(passage: Passage) -> tuple[Clause, ...]:
    """Return the clauses of a passage that state something: no questions, hedges, hypotheses, hearsay or irony."""
    return tuple(_stating(passage))


def _stating(passage: Passage) -> Iterator[Clause]:
    is_ironic = cues.is_ironic(passage.text)
    carries_correction = False
    said_from = None
    for start, end, is_question in not_taken_back(passage.text, _sentences(passage.text)):
        sentence = passage.text[start:end]
        if cues.opens_fiction(sentence):
            return
        before, said_from = said_from, _begins(sentence, start, said_from)
        if CORRECTING.fullmatch(f"{sentence.strip()}, "):  # "Sorry, my mistake." corrects with the next sentence
            carries_correction = True
            continue
        for clause in _stated(passage, start, end, is_question=is_question):
            yield replace(
                clause,
                is_correction=clause.is_correction or carries_correction,
                is_ironic=is_ironic or cues.is_ironic(sentence),
                before="" if before is None else passage.text[before:start].strip(),
                since=passage.cut(start if before is None else before, end),
            )
            carries_correction = False
        carries_correction = False


def _begins(sentence: str, start: int, before: int | None) -> int | None:
    """Return where that begins which the next sentence may point back to; `None` where this one is not meant so."""
    if _is_not_meant(sentence) or cues.is_hedged(sentence):
        return None
    is_chained = before is not None and start - before <= MAX_SENTENCE_CHARS and _POINTING_BACK.match(sentence)
    return before if is_chained else start


def _sentences(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield start, end and whether it asks, for each sentence of bearable length."""
    start = 0
    for match in _BREAK.finditer(text):
        at = match.start()
        if match.group() == "." and (not is_full_stop(text, at) or is_half_said(text, start, at)):
            continue
        yield from _sentence(text, start, match.start(), "?" in match.group())
        start = match.end()
    yield from _sentence(text, start, len(text), is_question=False)


def _sentence(text: str, start: int, end: int, is_question: bool) -> Iterator[tuple[int, int, bool]]:  # noqa: FBT001
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    while start < end and text[start].isspace():
        start += 1
    if 0 < end - start <= MAX_SENTENCE_CHARS:
        yield start, end, is_question
    elif end - start <= MAX_RUN_ON_CHARS and not _is_not_meant(text[start:end]):
        for first, last in _parts(text, start, end):
            yield first, last, is_question and last == end


def _is_not_meant(sentence: str) -> bool:
    return cues.is_unreal(sentence) or cues.is_reported(sentence)


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run-on sentence: as many whole clauses each as make a sentence of bearable length."""
    part: tuple[int, int] | None = None
    for head, tail in _cut(text, start, end, _JOINT):
        if part is not None and tail - part[0] <= MAX_SENTENCE_CHARS:
            part = (part[0], tail)
            continue
        if part is not None:
            yield part
        part = (head, tail) if tail - head <= MAX_SENTENCE_CHARS else None
    if part is not None:
        yield part


def _stated(passage: Passage, start: int, end: int, *, is_question: bool) -> Iterator[Clause]:
    end = start + cues.before_report(passage.text[start:end])
    order = requested(passage.text, skip_openers(passage.text, start, end)[0], end)
    if order is not None:
        if order:
            clause = _clause(passage, order, passage.cut(start, end))
            yield replace(clause, is_momentary=cues.is_momentary(order))
        return
    told = told_behind_question(passage.text, start, end)
    if told is not None:
        yield from _coordinated(passage, told, end)
        return
    role = _ROLE.match(passage.text, start, end)
    stated = statement_before_question(passage.text[start:end], is_question=is_question)
    sentence = passage.text[start : start + stated if role is None else max(role.end(), start + stated)]
    if _is_not_meant(sentence):
        return
    if role is not None:
        yield _clause(passage, f"I'm {role.group('role')}", role.group())
        stated = statement_before_question(passage.text[role.end() : end], is_question=is_question)
        start = role.end()
    if passage.text[start : start + stated].strip():
        yield from _coordinated(passage, start, start + stated)


def _coordinated(passage: Passage, start: int, end: int) -> Iterator[Clause]:
    is_momentary = cues.is_momentary(passage.text[start:end])
    is_denial = DENIAL.match(passage.text, start, end) is not None
    start, is_correction, is_asked = skip_openers(passage.text, start, end)
    setting = _SETTING.match(passage.text, start, end)
    if is_retracted(passage.text, start, end) or (INTERROGATIVE.match(passage.text, start, end) and not setting):
        return
    limit = passage.text[start : setting.end()].strip() if setting else ""
    spans = list(_spans(passage.text, setting.end() if setting else start, end))
    if len(spans) > 1 and OWNED_UP.fullmatch(passage.text[spans[-1][0] : spans[-1][1]].strip()):
        is_correction = bool(spans.pop())
    ends = ends_of(passage.text, spans)
    hedged = [cues.is_hedged(passage.text[first:last]) for first, last, _ in spans]
    open_ = (passage.text[first:last] for (first, last, _), is_open in zip(spans, hedged, strict=True) if is_open)
    if cues.is_hedged(limit) or any(len(it.split()) <= _ASIDE_WORDS for it in open_):
        return
    for number, (first, last, subject) in enumerate(spans):
        begin = first
        if number and not subject:
            begin, marked, _ = skip_openers(passage.text, first, last)
            is_announced = _announces(passage.text, spans[number - 1], is_correction=is_correction)
            is_correction = marked or is_announced or ends[number - 1] is None or is_value_meant(passage.text, begin)
            is_momentary = cues.is_momentary(passage.text[begin:last]) if is_correction else is_momentary
        end_of = ends[number]
        if hedged[number] or end_of is None:
            continue
        aside = RELATIVE.search(passage.text, begin, last)
        last = aside.start() if aside else end_of  # noqa: PLW2901  (what is said by the way says nothing of its own)
        text = f"{subject.replace(SKIPPED, ' ')} {passage.text[begin:last].strip()}".strip()
        yield replace(
            _clause(passage, text, passage.cut(start if subject or not number else first, last)),
            quote=f"{subject}{SKIPPED}{passage.cut(first, last)}" if subject else "",
            setting="" if number else limit,
            is_correction=is_correction,
            is_denial=is_denial,
            is_replacing=_is_replacing(passage.text, spans[max(0, number - 1)][0], first, last),
            is_asked=is_asked,
            is_momentary=is_momentary,
        )


def _announces(text: str, span: tuple[int, int, str], *, is_correction: bool) -> bool:
    """Whether the next clause is what a correction puts right: the one before it only says that there is one."""
    first, last, _ = span
    return _MISTAKEN.match(text, first, last) is not None or (is_correction and not _STATES.match(text, first, last))


def _is_replacing(text: str, before: int, first: int, last: int) -> bool:
    """Whether a clause says that something else was true, itself or with the one before: "I used to …, now I …"."""
    return any(found.end() > first for found in REPLACING.finditer(text, before, last))


def _clause(passage: Passage, text: str, evidence: str) -> Clause:
    text = repaired(in_capitals(spelled(text), evidence))
    apart = told_apart(text)
    return Clause(
        text=text if apart is None else apart.text,
        evidence=evidence.strip(),
        speaker=passage.speaker,
        message_ids=passage.message_ids,
        other="" if apart is None else apart.other,
    )


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and the subject to be supplied, for each coordinated clause."""
    parts = (it for whole in run_on(text, start, end) for it in ordered_behind(text, *whole))
    for first, last in (it for part in parts for it in _cut(text, *part, _JOINT)):
        subject = _SUBJECT.match(text, first, last)
        if subject is None:
            joint = ORDER_JOINT if ORDERING.match(text, first, last) else None
            yield from ((*it, "") for it in ([(first, last)] if joint is None else _cut(text, first, last, joint)))
            continue
        supplied = ""
        for head, tail in _cut(text, first, last, _ELIDED):
            yield from [(head, tail, supplied)] if supplied else appositions(text, head, tail)
            supplied = subject.group("subject")


def _cut(text: str, start: int, end: int, pattern: re.Pattern[str], least: int = 2) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text, start, end):
        head = text[start : match.start()].strip()
        is_joined = is_of_one_piece(head, text, match.end(), end) or is_done_by_others(head, text, match.end())
        if is_joined or goes_on(head, match):
            continue
        if len(head.split()) >= least and (pattern is ORDER_JOINT or not _PAIR.fullmatch(head)):
            yield start, match.start()
            start = match.end()
    yield start, end
