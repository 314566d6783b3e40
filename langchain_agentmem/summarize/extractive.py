"""A summary without a model: the sentences that matter most, in order, each with who said it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, cast

from langchain_core.messages import BaseMessage

from langchain_agentmem._flow import Flow
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.summarize.contract import CHARS_PER_TOKEN, FlowSummarizer, Summarized
from langchain_agentmem.summarize.salience import MAX_SENTENCE_CHARS, cut, salience, sentences
from langchain_agentmem.summarize.utterances import HOSTILE, Utterance, Voice, utterances

TITLE: Final = "Summary of earlier messages, in sentences chosen from them:"
NOTHING_SAID: Final = "- (nothing was said in words)"
GOAL_WEIGHT: Final = 7.0
"""What the user said first is what the conversation is for: more than all other signs of salience together."""

_LINE: Final = lazy_pattern(
    r"- (?P<voice>user|assistant|tool)(?: \((?P<name>[^()\n]{1,80})\))?: (?P<text>.+)", re.IGNORECASE
)
_NAME: Final = lazy_pattern(r"[\w .@-]{1,80}")


class Line(NamedTuple):
    """One sentence of a summary."""

    voice: Voice
    name: str | None
    text: str

    def __str__(self) -> str:
        """Return the line as it is written and read."""
        if self.voice == "summary":
            return f"- {self.text}"
        return f"- {self.voice} ({self.name}): {self.text}" if self.name else f"- {self.voice}: {self.text}"


class ExtractiveSummarizer(FlowSummarizer):
    """Summarizes by choosing sentences: the same messages give the same summary, on every machine, at no cost.

    Sentences of the user, decisions, numbers, names and what tools led to come first; what does not fit is left out,
    and the order of the conversation stays. Lines of an earlier summary compete with the new ones. Injected memories,
    system messages and text that tries to instruct the assistant are never in it.

    Args:
        max_tokens: Bound of a summary's length, estimated at four characters each.

    Raises:
        ConfigurationError: `max_tokens` is no int of at least 16.

    Example:
        >>> from langchain_core.messages import AIMessage, HumanMessage
        >>> said = [HumanMessage("We chose PostgreSQL 16."), AIMessage("Great! Let me know if you need help.")]
        >>> print(ExtractiveSummarizer(max_tokens=30).invoke(said))
        Summary of earlier messages, in sentences chosen from them:
        - user: We chose PostgreSQL 16.
    """

    def summarize_flow(self, messages: Sequence[BaseMessage], *, previous: str = "") -> Flow[Summarized]:
        """Summarize as a flow that never waits."""
        yield from ()
        return Summarized(text=extract(messages, previous=previous, max_chars=self.max_tokens * CHARS_PER_TOKEN))


def extract(messages: Sequence[BaseMessage], *, previous: str = "", max_chars: int) -> str:
    """Return the lines that matter most of an earlier summary and of messages, within `max_chars`."""
    return written([*read(previous), *lines(utterances(messages))], max_chars)


def written(candidates: Sequence[Line], max_chars: int) -> str:
    """Return a summary of at most `max_chars` made of these lines; one that says that there is nothing, if need be."""
    chosen = _chosen(candidates, max_chars - len(TITLE))
    return cut("\n".join([TITLE, *map(str, chosen)] if chosen else [TITLE, NOTHING_SAID]), max_chars)


def lines(said: Iterable[Utterance]) -> Iterator[Line]:
    """Yield the sentences of utterances as lines of a summary."""
    for utterance in said:
        if utterance.voice == "summary":
            yield from read(utterance.text)
        elif utterance.voice == "tool":
            yield Line("tool", None, cut(" ".join(utterance.text.split()), MAX_SENTENCE_CHARS))
        else:
            for sentence in sentences(utterance.text.replace(HOSTILE, "")):
                yield Line(utterance.voice, _label(utterance.name), sentence)


def read(summary: str) -> Iterator[Line]:
    """Yield the lines of an earlier summary, whoever wrote it."""
    for row in summary.splitlines():
        text = row.strip()
        found = _LINE.fullmatch(text)
        if found:
            yield Line(cast("Voice", found["voice"].lower()), found["name"], found["text"])
        elif text and text not in {TITLE, NOTHING_SAID}:
            for sentence in sentences(text):
                yield Line("summary", None, sentence)


def _chosen(candidates: Sequence[Line], room: int) -> list[Line]:
    """Return the best lines that fit, in their order; said twice, a line counts where it was said last."""
    last = {str(line).casefold(): place for place, line in enumerate(candidates)}
    goal = next((place for place, line in enumerate(candidates) if _may_be_goal(line)), -1)
    if goal >= 0:
        last[str(candidates[goal]).casefold()] = goal
    places = sorted(last.values())
    ranked = sorted(places, key=lambda place: (-_score(candidates[place], is_goal=place == goal), -place))
    taken: set[int] = set()
    for place in ranked:
        size = len(str(candidates[place])) + 1
        if size <= room and _score(candidates[place], is_goal=place == goal) > 0:
            taken.add(place)
            room -= size
    return [candidates[place] for place in sorted(taken)]


def _score(line: Line, *, is_goal: bool) -> float:
    return salience(line.voice, line.text) + (GOAL_WEIGHT if is_goal else 0.0)


def _may_be_goal(line: Line) -> bool:
    return line.voice in {"user", "summary"} and salience(line.voice, line.text) > 0


def _label(name: str | None) -> str | None:
    """Return a participant's name if it can stand in a line without passing for something else."""
    return name if name and _NAME.fullmatch(name) else None
