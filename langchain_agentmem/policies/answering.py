"""How likely it is that anything which was said answers a question: was it talked about, and was just this said?

Two things can be missing. Nobody may ever have talked about what is asked: then no turn is near, and none has the
words. Or it was talked about, but not this of it: then what fits best lacks a telling word of the question, or somebody
else said it than the question says. Each is a logistic of a few numbers that mean something alone. Since both must
hold, they are multiplied.

The first was fitted on questions about LoCoMo and BEAM, asked of their own conversations and of others; the second on
the questions that both give as unanswerable. It takes such questions to be as frequent as they are there, about one in
five. The weights are the same for both, and each has the sign that its meaning demands.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Final, NamedTuple

AS_NAMED: Final = 0.5
"""How likely at least something answers that was said when a question says, that has the identifier it names, or that
was said by whom it says where it says no more: such a question ("what did we talk about last Tuesday?", "what did Ben
say?") may have no word in common with any answer."""


class _TalkedAbout(NamedTuple):
    nearest: float
    covered: float
    covered_around: float
    constant: float


BY_BOTH: Final = _TalkedAbout(12.5, 3.2, 1.3, -8.0)
BY_WORDS: Final = _TalkedAbout(0.0, 4.0, 3.0, -3.4)
"""Log-odds that it was talked about, by each part of the evidence; without a model, by words alone."""

MISSING: Final = -2.2
ELSEWHERE: Final = -1.0
JUST_THIS: Final = 3.2
"""Log-odds that just this was said, by what is missing, by what fits better elsewhere, and of neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What conversations have in common with a question.

    Attributes:
        nearest: The best cosine; `None` without a model.
        covered: The best share of the question's words, by how rare they are, that was said in one turn.
        covered_around: The same of a turn together with its reply and its neighbours.
        missing: How rare the rarest word of the question is that was not said in the turn that fits best: 0 where all
            were said in it, 1 where nobody ever said one of them, or where neither word nor vector can be compared.
        elsewhere: By how much what others said fits better than all that those said whom the question names, in the
            unit of a score; 0 where it names nobody.
        is_named: The question names when, by whom or under which identifier it was said, and something was.
    """

    nearest: float | None
    covered: float
    covered_around: float
    missing: float = 0.0
    elsewhere: float = 0.0
    is_named: bool = False


def likelihood(evidence: Evidence) -> float:
    """Return how likely it is, in [0, 1], that anything answers."""
    found = talked_about(evidence) * just_this(evidence)
    return max(found, AS_NAMED) if evidence.is_named else found


def talked_about(evidence: Evidence) -> float:
    """Return how likely it is that what is asked was talked about."""
    weights, nearest = (BY_WORDS, 0.0) if evidence.nearest is None else (BY_BOTH, evidence.nearest)
    by_words = weights.covered * evidence.covered + weights.covered_around * evidence.covered_around
    return _probability(weights.nearest * nearest + by_words + weights.constant)


def just_this(evidence: Evidence) -> float:
    """Return how likely it is that, of what was talked about, just this was said, and by whom the question says."""
    return _probability(MISSING * evidence.missing + ELSEWHERE * evidence.elsewhere + JUST_THIS)


def _probability(odds: float) -> float:
    return 1 / (1 + exp(-odds))
