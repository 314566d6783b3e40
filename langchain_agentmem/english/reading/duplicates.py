"""When two statements say the same, and what forbids to say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from langchain_agentmem.english.reading.facts import Fact
from langchain_agentmem.english.reading.order import swaps
from langchain_agentmem.english.reading.pair import LIGHT_STEMS, Judgement, Pair, distance
from langchain_agentmem.english.reading.statements import Statement
from langchain_agentmem.english.words.lexicon import GENERIC, exclusive_pair, stem

# Measured with all-MiniLM-L6-v2 over the labelled pairs beside the tests: of those that only this rule can merge, the
# nearest that differ ("struggles with", "enjoys solving") have .931, and true paraphrases lie on both sides of it.
PARAPHRASE_COSINE: Final = 0.95
# Share of words that statements in other words still have in common.
MIN_OVERLAP: Final = 0.5
# What says less is a duplicate where only such words are left out. A word of content is a fact of its own: who is
# allergic to pine nuts need not be to nuts, a half marathon is no marathon, and French cooking is not French.
_SAYS_LITTLE: Final = GENERIC | frozenset(
    stem(word)
    for word in """
    absolutely almost completely deeply especially extremely fairly fully genuinely greatly highly nearly particularly
    pretty rather since so somewhat strongly thoroughly totally truly utterly
    """.split()
)


def same_words(pair: Pair) -> Judgement | None:
    """The same text, or the same words in the same order with nothing between them that changes the meaning."""
    is_same_text = pair.new.text.casefold().split() == pair.old.text.casefold().split()
    is_same = (
        _spoken(pair.new) == _spoken(pair.old) != ()
        and pair.same_frame
        and pair.numbers_agree
        and pair.signs_agree
        and pair.new.negated == pair.old.negated
        and pair.new.markers == pair.old.markers
        and pair.new.links == pair.old.links
        and set(pair.new.ordered) == set(pair.old.ordered)
    )
    if is_same_text or is_same:
        return Judgement(relation="duplicate", rule="same_words", reason="it says the same in the same words")
    return None


def _spoken(statement: Statement) -> tuple[str, ...]:
    return tuple(term for term in statement.sequence if term not in LIGHT_STEMS)


# ------------------------------------------------------------------------------------------------- what is no duplicate
def disagreement(pair: Pair) -> Judgement | None:
    """Return why two statements cannot be duplicates, however near they are."""
    reasons: Sequence[tuple[bool, str, str]] = (
        (pair.subjects_agree, "subject_differs", "they are about different people or things"),
        (pair.entities_agree, "entities_differ", "they name different things"),
        (pair.numbers_agree, "numbers_differ", "they give different numbers"),
        (pair.signs_agree, "signs_differ", "they hold different symbols"),
        (
            not pair.polarity_differs and pair.new.negations == pair.old.negations,
            "negation_differs",
            "one of them denies something",
        ),
        (_order_agrees(pair), "order_differs", "the same words stand in another order"),
        (
            pair.new.markers == pair.old.markers,
            "markers_differ",
            "they differ in certainty, condition, quantity or time",
        ),
        (
            exclusive_pair(pair.only_new, pair.only_old) is None,
            "exclusive_words",
            "they use words that exclude each other",
        ),
        (not _is_substitution(pair), "one_word_differs", "they differ in the one word that matters"),
    )
    for agrees, rule, reason in reasons:
        if not agrees:
            return distance(pair, rule, reason)
    return None


def _order_agrees(pair: Pair) -> bool:
    """Whether shared words stand in the same order, but for a phrase moved to the front, or one fact is stated."""
    if any(swaps(new, old) for new in pair.new.ordered for old in pair.old.ordered) or _is_one_sided(pair):
        return False
    if _same_fact_key(pair):
        return True
    new, old = (list(dict.fromkeys(_spoken(statement))) for statement in (pair.new, pair.old))
    common = set(new) & set(old)
    new, old = [term for term in new if term in common], [term for term in old if term in common]
    turn = new.index(old[0]) if old else 0
    return new[turn:] + new[:turn] == old


def _is_one_sided(pair: Pair) -> bool:
    """Whether one statement ranks two things that the other merely mentions."""
    for ranked, plain in ((pair.new, pair.old), (pair.old, pair.new)):
        kinds = {other.kind for other in plain.ordered}
        words = frozenset(plain.content)
        if any(order.kind not in kinds and order.first & words and order.second <= words for order in ranked.ordered):
            return True
    return False


def _is_substitution(pair: Pair) -> bool:
    """Whether words stand in the places of others, or the same relation has another object."""
    if any(not (new.words <= old.words or old.words <= new.words) for new, old in pair.same_keys):
        return True
    if same_fact(pair) is not None:
        return False
    if not pair.only_new and not pair.only_old:
        here, there = set(pair.new.links), set(pair.old.links)
        return bool(here - there) and bool(there - here) and not _same_fact_key(pair)
    if (pair.only_new | pair.only_old) <= GENERIC:
        return False
    new, old = _spoken(pair.new), _spoken(pair.old)
    is_aligned = len(new) == len(old) and all(
        (left == right) or not {left, right} & pair.shared for left, right in zip(new, old, strict=True)
    )
    return is_aligned or len(pair.only_new) == len(pair.only_old) == 1


# ---------------------------------------------------------------------------------------------------------- duplicates
def _same_fact_key(pair: Pair) -> bool:
    return any(new.words == old.words for new, old in pair.same_keys)


def same_fact(pair: Pair) -> Judgement | None:
    """The same relations of the same subjects to the same objects, with nothing beside them that is new."""
    if pair.new.facts and all(_is_known(pair, new) for new in pair.new.facts):
        return Judgement(relation="duplicate", rule="same_fact", reason="it states the same fact")
    return None


def _is_known(pair: Pair, new: Fact) -> bool:
    return any(
        new == fact
        and new.words == old.words
        and new.is_certain == old.is_certain
        and new.rest - pair.new.negated <= frozenset(pair.old.content)
        for fact, old in pair.same_keys
    )


def contained(pair: Pair) -> Judgement | None:
    """The words of the old statement, none left out but what says little."""
    if not pair.new_words or pair.only_new - GENERIC or not _near_or_unknown(pair):
        return None
    # What is left out must be no condition: "deploy on Fridays" is not "deploy on Fridays with approval".
    keeps_conditions = pair.new.negators == pair.old.negators and not Counter(pair.old.links) - Counter(pair.new.links)
    is_unsure = pair.similarity is None and pair.new.subject != pair.old.subject
    may_lack: frozenset[str] = frozenset() if is_unsure else _SAYS_LITTLE
    if keeps_conditions and pair.only_old <= may_lack:
        return Judgement(
            relation="duplicate", rule="contained", reason="it says nothing that the old statement does not say"
        )
    return None


def _near_or_unknown(pair: Pair) -> bool:
    return pair.similarity is None or pair.is_near


def paraphrase(pair: Pair) -> Judgement | None:
    """Other words for the same, as far as a vector can tell once everything else agrees."""
    is_other_words = bool(pair.only_new and pair.only_old) and pair.new.negators == pair.old.negators
    if (
        pair.similarity is None
        or pair.similarity < PARAPHRASE_COSINE
        or pair.overlap < MIN_OVERLAP
        or not is_other_words
    ):
        return None
    return Judgement(relation="duplicate", rule="paraphrase", reason="it says the same in other words")


def near(pair: Pair) -> Judgement | None:
    """About the same thing."""
    return (
        Judgement(relation="related", rule="near", reason="it is about the same thing, but says something else")
        if pair.is_near
        else None
    )
