"""Who somebody is, told as on a form: "Kate, 34, from Leeds." opens a conversation, or answers who they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.lexicon import COMMON_FIRST_WORDS, REGIONS
from langchain_agentmem.english.words.patterns import CAPITALIZED, PLAIN_CAPITALIZED
from langchain_agentmem.english.words.places import CITIES
from langchain_agentmem.extraction.record.conversation import Passage
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.words.lexicon import NO_NAME

_FORM: Final = lazy_pattern(
    r"\s*(?:(?i:hi|hello|hey)[,.!]? )?(?P<lead>(?i:my name is|my name's|the name's) )?"
    rf"(?!(?i:{NO_NAME}))(?P<name>{PLAIN_CAPITALIZED}(?: {PLAIN_CAPITALIZED})?)(?P<here> here)?, ?"
    r"(?P<age>\d{1,2})(?i: years old| yo| y/o)?"
    rf"(?:,? (?:and )?(?P<place>(?i:from|living in|based in|born in) {CAPITALIZED}(?: {CAPITALIZED}){{0,2}}))?[.!]*"
    r"(?=\s*\Z|(?<=[.!])\s|\n)"
)
_ASKS_WHO: Final = lazy_pattern(
    r"\b(?:about (?:yourself|you)|introduce yourself|who (?:are you|is this)|your name|call you|address you"
    r"|who am I (?:talking|speaking|chatting) (?:to|with))\b",
    re.IGNORECASE,
)
_OF_ANOTHER: Final = lazy_pattern(r"\b(?:she|he|they|her|his|him|their|them|persona|character)\b", re.IGNORECASE)
"""Goes on about somebody who was named, and who is not the speaker."""


_OF_ONESELF: Final = lazy_pattern(r"\b(?:I|[Mm]y|me|[Ww]e)\b")
_NO_PERSON: Final = CITIES | REGIONS | COMMON_FIRST_WORDS


def introduced(passage: Passage, before: Passage | None) -> Iterator[Clause]:
    """Yield name, age and home of a user who tells them at the head of a message, one statement for each.

    Args:
        passage: The message.
        before: What was said right before it; without a question who they are, only a whole form without a word
            before it is one.
    """
    form = _FORM.match(passage.text)
    if form is None or form["name"].casefold() in _NO_PERSON or not _is_of_oneself(passage.text[form.end() :]):
        return
    is_opened = before is None and form["place"] is not None
    if not (is_opened or form["lead"] or form["here"] or _is_asked_who(before)):
        return
    for part, text in (("name", "My name is {}"), ("age", "I'm {}"), ("place", "I'm {}")):
        if form[part] is not None:
            yield Clause(
                text=text.format(form[part]),
                evidence=passage.cut(*form.span()),
                quote=passage.cut(*form.span(part)),
                speaker=passage.speaker,
                message_ids=passage.message_ids,
            )


def _is_of_oneself(behind: str) -> bool:
    """Whether what stands behind a form goes on about the speaker, if anything stands there."""
    return not behind.strip() or (_OF_ONESELF.search(behind) is not None and _OF_ANOTHER.search(behind) is None)


def _is_asked_who(before: Passage | None) -> bool:
    asked = split_sentences(before.text.strip())[-1] if before is not None and before.speaker == "assistant" else ""
    return _ASKS_WHO.search(asked) is not None
