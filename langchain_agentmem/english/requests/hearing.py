"""Turns held against a question by what they say themselves, once signals have found them.

Signals say how well a turn fits: by its words, its meaning, and by what stands around it. A turn that only greets fits
well in the middle of what is asked about, and one that asks the same fits best of all; neither answers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from langchain_agentmem.english.requests.intent import is_small_talk
from langchain_agentmem.english.text.only_asked import asks_what_was_asked, is_echo, is_left_open
from langchain_agentmem.english.words.word_forms import has_any
from langchain_agentmem.types import Episode, Hit

ECHO: Final = "echo"
"""Part of a score: the share that is left of it where a turn has the question's words only because it asks the same."""

ECHO_SHARE: Final = 0.5


class Question(NamedTuple):
    """What is asked.

    Attributes:
        text: In the asker's words.
        terms: What is asked for, as `tokenize` gives it; none: anything that was said may be meant.
    """

    text: str
    terms: Collection[str]

    @property
    def is_about_asking(self) -> bool:
        """Whether it is about questions: turns that only ask may answer it."""
        return asks_what_was_asked(self.text)


def hear(
    question: Question, hits: Sequence[Hit], turns: Mapping[str, Episode], min_share: float
) -> tuple[list[Hit], list[tuple[Hit, str]]]:
    """Return hits with the scores that their turns deserve, and those that answer nothing, each with the rule.

    Args:
        question: What is asked.
        hits: Of any kind; memories stay as they are.
        turns: With their words, by id.
        min_share: Of the best turn's score, below which a turn without any word of the question says nothing of it.
    """
    weighed = [_weighed(hit, turns.get(hit.memory.id), question) for hit in hits]
    best = max((hit.score for hit in weighed if hit.memory.id in turns), default=0.0)
    heard, unheard = list[Hit](), list[tuple[Hit, str]]()
    for hit in weighed:
        turn = turns.get(hit.memory.id)
        rule = None if turn is None else _rule(turn, question, is_far=hit.score < min_share * best)
        if rule is None:
            heard.append(hit)
        else:
            unheard.append((hit, rule))
    return heard, unheard


def _weighed(hit: Hit, turn: Episode | None, question: Question) -> Hit:
    if turn is None or question.is_about_asking or not is_echo(turn.text, turn.reply, question.terms):
        return hit
    return replace(hit, score=hit.score * ECHO_SHARE, parts={**hit.parts, ECHO: ECHO_SHARE})


def _rule(turn: Episode, question: Question, *, is_far: bool) -> str | None:
    """Return the rule by which a turn answers nothing; `None`: it may.

    One without any word of the question was found for what stands around it, or for its meaning. Small talk has none,
    and belongs to nothing around it; what lies far below the best turn means something else.
    """
    if not question.is_about_asking and is_left_open(turn.text, turn.reply):
        return "left_open"
    rule = "greeting" if is_small_talk(turn.text) else "share" if is_far else None
    is_blank = rule is not None and question.terms and not has_any(f"{turn.text}\n{turn.reply}", question.terms)
    return rule if is_blank else None
