"""A value that is given anew with a wrong one beside it, whatever was on file: "it is 8.55, not 8.6"."""

from __future__ import annotations

from collections import Counter

from langchain_agentmem.english.reading.pair import Judgement, Pair
from langchain_agentmem.english.text.quantities import dimension
from langchain_agentmem.english.words.lexicon import GENERIC


def corrects_number(pair: Pair) -> Judgement | None:
    """A correction says which value is right; the old one may be neither it nor the one that is called wrong."""
    new, old = Counter(pair.new.numbers), Counter(pair.old.numbers)
    wrong = Counter(frozenset((pair.new.corrected_from or "").split()) & frozenset(new))
    if not wrong or (pair.new.negations, pair.old.negations) != (1, 0) or not pair.subjects_agree:
        return None
    right, gone = new - wrong - old, old - new
    is_same = not (pair.only_new | pair.only_old) - GENERIC and pair.new.markers == pair.old.markers
    if not is_same or right.total() != 1 or gone.total() != 1 or dimension(min(right)) != dimension(min(gone)):
        return None
    reason = "it corrects the number that was given for the same thing"
    return Judgement(relation="conflict", rule="corrects_number", reason=reason)
