"""Two statements side by side: what they share, and in what they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from langchain_agentmem.english.reading.attributing import are_of_one
from langchain_agentmem.english.reading.facts import Fact
from langchain_agentmem.english.reading.statements import Statement
from langchain_agentmem.english.words.lexicon import LIGHT, stem

# Measured with all-MiniLM-L6-v2 over labelled pairs: unrelated ones reach .386 but for one at .481.
RELATED_COSINE: Final = 0.45
# Without a model: Dice coefficient of the stems.
RELATED_OVERLAP: Final = 0.4
LIGHT_STEMS: Final = frozenset(stem(word) for word in LIGHT)

Relation: TypeAlias = Literal["duplicate", "conflict", "related", "unrelated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the new statement is to the old one, the rule that said so, and why in a sentence."""

    relation: Relation
    rule: str
    reason: str


class Pair:
    """Two statements side by side."""

    def __init__(self, new: Statement, old: Statement, similarity: float | None, functional: frozenset[str]) -> None:
        self.new, self.old, self.similarity, self.functional = new, old, similarity, functional

    @cached_property
    def new_words(self) -> frozenset[str]:
        """Stems of the new statement that count."""
        return frozenset(self.new.content) - LIGHT_STEMS

    @cached_property
    def old_words(self) -> frozenset[str]:
        """Stems of the old statement that count."""
        return frozenset(self.old.content) - LIGHT_STEMS

    @cached_property
    def shared(self) -> frozenset[str]:
        """Stems of both."""
        return self.new_words & self.old_words

    @cached_property
    def only_new(self) -> frozenset[str]:
        """Stems of the new statement alone."""
        return self.new_words - self.old_words

    @cached_property
    def only_old(self) -> frozenset[str]:
        """Stems of the old statement alone."""
        return self.old_words - self.new_words

    @cached_property
    def overlap(self) -> float:
        """Dice coefficient of the words."""
        total = len(self.new_words) + len(self.old_words)
        return 2 * len(self.shared) / total if total else float(self.numbers_agree and bool(self.new.numbers))

    @cached_property
    def is_near(self) -> bool:
        """Whether they are about the same thing, by the vector or, without one, by the words."""
        return self.overlap >= RELATED_OVERLAP if self.similarity is None else self.similarity >= RELATED_COSINE

    @cached_property
    def subjects_agree(self) -> bool:
        """Whether both may be about the same person or thing."""
        return are_of_one(self.new, self.old)

    @cached_property
    def entities_agree(self) -> bool:
        """Whether every name of the one is a word of the other."""
        return self.new.entities <= self.old.words and self.old.entities <= self.new.words

    @cached_property
    def numbers_agree(self) -> bool:
        """Whether the same quantities stand in both."""
        return Counter(self.new.numbers) == Counter(self.old.numbers)

    @cached_property
    def signs_agree(self) -> bool:
        """Whether the same symbols stand in both, or the one has none: beside words they are decoration."""
        return not self.new.signs or not self.old.signs or self.new.signs == self.old.signs

    @cached_property
    def both(self) -> frozenset[str]:
        """Words and numbers that stand in both."""
        return self.shared | (frozenset(self.new.numbers) & frozenset(self.old.numbers))

    @cached_property
    def polarity_differs(self) -> bool:
        """Whether something is denied in the one and claimed in the other."""
        return self.new.negated & self.both != self.old.negated & self.both

    @cached_property
    def same_frame(self) -> bool:
        """Whether speaker, names and negation are the same, so that what differs stands alone."""
        return (
            self.subjects_agree
            and self.entities_agree
            and not self.polarity_differs
            and self.new.negations == self.old.negations
        )

    @cached_property
    def same_keys(self) -> tuple[tuple[Fact, Fact], ...]:
        """The facts of both that tell the same of the same, whatever their values."""
        return tuple((new, old) for new in self.new.facts for old in self.old.facts if new.key == old.key)


Rule: TypeAlias = Callable[[Pair], Judgement | None]


def distance(pair: Pair, rule: str, reason: str) -> Judgement:
    """Judge by nearness alone, for a rule that has excluded everything else."""
    return Judgement(relation="related" if pair.is_near else "unrelated", rule=rule, reason=reason)
