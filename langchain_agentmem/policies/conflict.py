"""What a new statement is to an old one: a duplicate, a conflict, near but different, or nothing to it.

Conflict is judged before duplicate, because a vector cannot tell them apart: a contradiction is often nearer than a paraphrase.
Two statements are duplicates only where numbers, negation, names, markers and the order of arguments all agree; a merge that is missed
costs a row, a merge that is wrong costs a fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from langchain_agentmem.policies._facts import FUNCTIONAL_RELATIONS, Fact
from langchain_agentmem.policies._lexicon import ATTRIBUTES, GENERIC, INTENTIONS, LIGHT, PEOPLE, REGIONS, SYNONYMS, WEEKDAYS, exclusive_pair, stem
from langchain_agentmem.policies._quantities import dimension, is_quantity
from langchain_agentmem.policies._reading import USER
from langchain_agentmem.policies.statements import OrderedPair, Statement

__all__ = ["FUNCTIONAL_RELATIONS", "Judgement", "Relation", "judge"]

Relation: TypeAlias = Literal["duplicate", "conflict", "related", "unrelated"]

# Measured with all-MiniLM-L6-v2 over the labelled pairs beside the tests; see `test_conflict.py`.
RELATED_COSINE: Final = 0.45
PARAPHRASE_COSINE: Final = 0.80
# Without a model: Dice coefficient of the stems.
RELATED_OVERLAP: Final = 0.4
CORRECTION_OVERLAP: Final = 0.5
SAME_FRAME_OVERLAP: Final = 0.6
# A new statement that says less than the old one is a duplicate as long as it leaves out at most this share of its words.
MAX_LEFT_OUT: Final = 1 / 3

_LIGHT_STEMS: Final = frozenset(stem(word) for word in LIGHT)
_PEOPLE_STEMS: Final = frozenset(stem(word) for word in PEOPLE)
_INTENTION_STEMS: Final = frozenset(stem(word) for word in INTENTIONS)
_REGION_STEMS: Final = frozenset(stem(word) for word in REGIONS)
_WEEKDAY_STEMS: Final = frozenset(stem(word) for word in WEEKDAYS)
_ATTRIBUTE_STEMS: Final = frozenset(SYNONYMS.get(stem(word), stem(word)) for word in ATTRIBUTES | {"deadline"})
_ADDITIVE: Final = frozenset({"also", "too", "additionally", "another"})
_PERSONAL: Final = frozenset({"lives_in", "works_at", "works_as", "name", "age", "birthday", "birthplace", "origin", "partner"})
_STATES: Final = frozenset({"is", "is_a", "prefers"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the new statement is to the old one, the rule that said so, and why in a sentence."""

    relation: Relation
    rule: str
    reason: str


def judge(
    new: Statement, old: Statement, *, similarity: float | None, same_kind: bool = True, functional: frozenset[str] = FUNCTIONAL_RELATIONS
) -> Judgement:
    """Judge a new statement against an old one of the same user; deterministic, the first rule that applies decides.

    Args:
        new: What is said now. `old`: what is remembered.
        similarity: Cosine of the two texts; `None` without an embedding model, then the words they share decide.
        same_kind: Whether both are of the same kind of memory; across kinds nothing is a duplicate.
        functional: Relations of which a subject has one object at a time.

    Example:
        >>> from langchain_agentmem.policies.statements import parse_statement
        >>> judge(parse_statement("I moved to Berlin"), parse_statement("I live in Paris"), similarity=0.4).rule
        'functional_conflict'
    """
    pair = _Pair(new, old, similarity, functional)
    for rule in _RULES:
        judgement = rule(pair)
        if judgement is not None:
            break
    else:
        judgement = _distance(pair, "no_match", "the statements are not about the same thing")
    if judgement.relation == "duplicate" and not same_kind:
        return Judgement(relation="related", rule="kind_differs", reason="the same words, but of another kind of memory")
    return judgement


class _Pair:
    """Two statements side by side."""

    def __init__(self, new: Statement, old: Statement, similarity: float | None, functional: frozenset[str]) -> None:
        self.new, self.old, self.similarity, self.functional = new, old, similarity, functional

    @cached_property
    def new_words(self) -> frozenset[str]:
        return frozenset(self.new.content) - _LIGHT_STEMS

    @cached_property
    def old_words(self) -> frozenset[str]:
        return frozenset(self.old.content) - _LIGHT_STEMS

    @cached_property
    def shared(self) -> frozenset[str]:
        return self.new_words & self.old_words

    @cached_property
    def only_new(self) -> frozenset[str]:
        return self.new_words - self.old_words

    @cached_property
    def only_old(self) -> frozenset[str]:
        return self.old_words - self.new_words

    @cached_property
    def overlap(self) -> float:
        """Dice coefficient of the words."""
        total = len(self.new_words) + len(self.old_words)
        return 2 * len(self.shared) / total if total else float(self.numbers_agree and bool(self.new.numbers))

    @cached_property
    def is_near(self) -> bool:
        return self.overlap >= RELATED_OVERLAP if self.similarity is None else self.similarity >= RELATED_COSINE

    @cached_property
    def subjects_agree(self) -> bool:
        return not self.new.subject or not self.old.subject or self.new.subject == self.old.subject

    @cached_property
    def entities_agree(self) -> bool:
        return self.new.entities <= self.old.words and self.old.entities <= self.new.words

    @cached_property
    def numbers_agree(self) -> bool:
        return Counter(self.new.numbers) == Counter(self.old.numbers)

    @cached_property
    def both(self) -> frozenset[str]:
        """Words and numbers that stand in both."""
        return self.shared | (frozenset(self.new.numbers) & frozenset(self.old.numbers))

    @cached_property
    def polarity_differs(self) -> bool:
        return self.new.negated & self.both != self.old.negated & self.both

    @cached_property
    def same_frame(self) -> bool:
        """Whether speaker, names and negation are the same, so that what differs stands alone."""
        return self.subjects_agree and self.entities_agree and not self.polarity_differs and self.new.negations == self.old.negations

    @cached_property
    def same_keys(self) -> tuple[tuple[Fact, Fact], ...]:
        return tuple((new, old) for new in self.new.facts for old in self.old.facts if new.key == old.key)


_Rule: TypeAlias = Callable[[_Pair], Judgement | None]


def _distance(pair: _Pair, rule: str, reason: str) -> Judgement:
    return Judgement(relation="related" if pair.is_near else "unrelated", rule=rule, reason=reason)


# -------------------------------------------------------------------------------------------------------- same words
def _same_words(pair: _Pair) -> Judgement | None:
    """The same text, or the same words in the same order with nothing between them that changes the meaning."""
    is_same_text = pair.new.text.casefold().split() == pair.old.text.casefold().split()
    is_same = (
        _spoken(pair.new) == _spoken(pair.old) != ()
        and pair.same_frame
        and pair.numbers_agree
        and pair.new.negated == pair.old.negated
        and pair.new.markers == pair.old.markers
        and pair.new.links == pair.old.links
        and set(pair.new.ordered) == set(pair.old.ordered)
    )
    if is_same_text or is_same:
        return Judgement(relation="duplicate", rule="same_words", reason="it says the same in the same words")
    return None


def _spoken(statement: Statement) -> tuple[str, ...]:
    return tuple(term for term in statement.sequence if term not in _LIGHT_STEMS)


# ---------------------------------------------------------------------------------------------------------- conflicts
def _functional_conflict(pair: _Pair) -> Judgement | None:
    if pair.new.words & _ADDITIVE:
        return None
    for new, old in pair.same_keys:
        if new.relation in pair.functional and new.is_certain and old.is_certain and _clash(new, old) and _same_circumstances(pair, new, old):
            reason = f"there is one {new.relation.replace('_', ' ')} at a time, and the new statement names another"
            return Judgement(relation="conflict", rule="functional_conflict", reason=reason)
    return None


def _clash(new: Fact, old: Fact) -> bool:
    """Whether two objects cannot both hold: neither is part of the other, and they are of one type."""
    if new.words <= old.words or old.words <= new.words:
        return False
    types = {new.object_type, old.object_type}
    if len(types) > 1 and not types <= {"name", "word"}:
        return False
    if new.relation == "is" and (not new.subject or "word" in types):
        return False
    # A city and the country around it can both be true.
    return new.relation not in {"lives_in", "origin", "birthplace"} or bool(new.words & _REGION_STEMS) == bool(old.words & _REGION_STEMS)


def _same_circumstances(pair: _Pair, new: Fact, old: Fact) -> bool:
    """Whether neither holds only somewhere or sometimes ("in staging", "on weekends") where the other does not."""
    here, there = _circumstances(new, pair.new), _circumstances(old, pair.old)
    if new.relation in _PERSONAL:
        return not (here and there and exclusive_pair(here, there)) and not ({"weekend", "weekday"} & (here ^ there))
    return here == there


def _circumstances(fact: Fact, statement: Statement) -> frozenset[str]:
    corrected = frozenset(f"{statement.corrected_from or ''} {statement.corrected_to or ''}".split())
    return frozenset(term for term in fact.rest - statement.negated - corrected - _WEEKDAY_STEMS if not is_quantity(term))


def _corrects_object(pair: _Pair) -> Judgement | None:
    """The new statement names what it takes back, and the old one says just that."""
    wrong = frozenset((pair.new.corrected_from or "").split())
    said = frozenset(pair.old.content) | frozenset(pair.old.numbers)
    taken_back = wrong <= said - pair.old.negated - frozenset((pair.old.corrected_from or "").split())
    if not wrong or not taken_back or not pair.subjects_agree:
        return None
    right = frozenset((pair.new.corrected_to or "").split())
    is_elliptical = pair.new_words <= wrong | right
    about_it = (fact.words == wrong and fact.subject in {USER, "we", "", *pair.new.subject.split(",")} for fact in pair.old.facts)
    topic = (frozenset(pair.new.content) & said) - wrong
    if any(about_it) if is_elliptical else topic and pair.is_near:
        return Judgement(relation="conflict", rule="corrects_object", reason="it takes back what the old statement says")
    return None


def _corrects_topic(pair: _Pair) -> Judgement | None:
    """A correction in so many words, about the same thing, with something else in its place."""
    if pair.new.correction != "marked" or pair.new.words & _ADDITIVE or not pair.subjects_agree or not pair.is_near:
        return None
    floor = CORRECTION_OVERLAP if pair.similarity is not None else SAME_FRAME_OVERLAP
    replaces = (pair.only_new and pair.only_old) or not pair.numbers_agree or pair.polarity_differs
    if replaces and pair.overlap >= floor and not _other_people(pair):
        return Judgement(relation="conflict", rule="corrects_topic", reason="it corrects what was said about the same thing")
    return None


def _other_people(pair: _Pair) -> bool:
    return bool((pair.only_new | pair.only_old) & _PEOPLE_STEMS)


def _opposite_polarity(pair: _Pair) -> Judgement | None:
    """The one denies what the other claims; what is denied must not be narrower than what is claimed."""
    if not pair.polarity_differs or not pair.subjects_agree or pair.new.markers - {"past"} != pair.old.markers - {"past"}:
        return None
    new_denies = len(pair.new.negated & pair.both) > len(pair.old.negated & pair.both)
    denied_only, claimed_only = (pair.only_new, pair.only_old) if new_denies else (pair.only_old, pair.only_new)
    denial, claim = (pair.new, pair.old) if new_denies else (pair.old, pair.new)
    is_covered = not denied_only - GENERIC and set(denial.numbers) <= set(claim.numbers) and not claimed_only & (_PEOPLE_STEMS | _INTENTION_STEMS)
    is_same = pair.entities_agree or (bool(pair.same_keys) and denial.entities <= claim.words)
    if is_covered and is_same and (pair.similarity is None or pair.is_near):
        return Judgement(relation="conflict", rule="opposite_polarity", reason="the one denies what the other claims")
    return None


def _swapped_arguments(pair: _Pair) -> Judgement | None:
    is_swapped = any(_swaps(new, old) for new in pair.new.ordered for old in pair.old.ordered)
    if is_swapped and pair.same_frame and pair.numbers_agree and pair.overlap >= SAME_FRAME_OVERLAP:
        return Judgement(relation="conflict", rule="swapped_arguments", reason="the same arguments stand in the opposite order")
    return None


def _swaps(new: OrderedPair, old: OrderedPair) -> bool:
    return new.kind == old.kind and bool((new.first & old.second) - new.second and (new.second & old.first) - new.first)


def _other_number(pair: _Pair) -> Judgement | None:
    """One number differs in statements that are otherwise the same; a conflict only where they state a value."""
    if pair.numbers_agree or not pair.same_frame or (pair.only_new | pair.only_old) - GENERIC or pair.new.markers != pair.old.markers:
        return None
    left, right = (Counter(pair.new.numbers) - Counter(pair.old.numbers)), (Counter(pair.old.numbers) - Counter(pair.new.numbers))
    if left.total() != 1 or right.total() != 1 or dimension(min(left)) != dimension(min(right)) or pair.new.words & _ADDITIVE:
        return None
    if _states_value(pair):
        return Judgement(relation="conflict", rule="other_number", reason="the same value is given with another number")
    return None


def _states_value(pair: _Pair) -> bool:
    if any(new.relation in pair.functional for new, _ in pair.same_keys):
        return True
    differing = any(new.relation == old.relation in pair.functional for new in pair.new.facts for old in pair.old.facts)
    return not differing and bool(pair.shared & _ATTRIBUTE_STEMS)


def _opposite_words(pair: _Pair) -> Judgement | None:
    """A pair of words that exclude each other ("dark", "light") stands for the object of a preference or a state."""
    rivals = exclusive_pair(pair.only_new, pair.only_old)
    if rivals is None or not pair.subjects_agree or not pair.numbers_agree or pair.polarity_differs:
        return None
    left, right = rivals
    for new, old in pair.same_keys:
        states = new.relation in _STATES and new.is_certain and old.is_certain and left in new.words and right in old.words
        if states and not (pair.only_new - {left} | pair.only_old - {right}) - GENERIC:
            return Judgement(relation="conflict", rule="opposite_words", reason="the two exclude each other")
    return None


# ------------------------------------------------------------------------------------------------- what is no duplicate
def _disagreement(pair: _Pair) -> Judgement | None:
    """Return why two statements cannot be duplicates, however near they are."""
    reasons: Sequence[tuple[bool, str, str]] = (
        (pair.subjects_agree, "subject_differs", "they are about different people"),
        (pair.entities_agree, "entities_differ", "they name different things"),
        (pair.numbers_agree, "numbers_differ", "they give different numbers"),
        (not pair.polarity_differs and pair.new.negations == pair.old.negations, "negation_differs", "one of them denies something"),
        (_order_agrees(pair), "order_differs", "the same words stand in another order"),
        (pair.new.markers == pair.old.markers, "markers_differ", "they differ in certainty, condition, quantity or time"),
        (exclusive_pair(pair.only_new, pair.only_old) is None, "exclusive_words", "they use words that exclude each other"),
        (not _is_substitution(pair), "one_word_differs", "they differ in the one word that matters"),
    )
    for agrees, rule, reason in reasons:
        if not agrees:
            return _distance(pair, rule, reason)
    return None


def _order_agrees(pair: _Pair) -> bool:
    """Whether shared words stand in the same order, but for a phrase moved to the front, or the relation says the same."""
    if any(_swaps(new, old) for new in pair.new.ordered for old in pair.old.ordered) or _is_one_sided(pair):
        return False
    if _same_fact_key(pair):
        return True
    new, old = (list(dict.fromkeys(_spoken(statement))) for statement in (pair.new, pair.old))
    common = set(new) & set(old)
    new, old = [term for term in new if term in common], [term for term in old if term in common]
    return not new or any(new[turn:] + new[:turn] == old for turn in range(len(new)))


def _is_one_sided(pair: _Pair) -> bool:
    """Whether one statement ranks two things that the other merely mentions."""
    for ranked, plain in ((pair.new, pair.old), (pair.old, pair.new)):
        kinds = {other.kind for other in plain.ordered}
        words = frozenset(plain.content)
        if any(order.kind not in kinds and order.first & words and order.second <= words for order in ranked.ordered):
            return True
    return False


def _is_substitution(pair: _Pair) -> bool:
    """Whether a single word stands in place of another, or the same relation has another object."""
    if any(not (new.words <= old.words or old.words <= new.words) for new, old in pair.same_keys):
        return True
    if not pair.only_new and not pair.only_old:
        new, old = set(pair.new.links), set(pair.old.links)
        return bool(new - old) and bool(old - new) and not _same_fact_key(pair)
    return len(pair.only_new) == 1 and len(pair.only_old) == 1 and not (pair.only_new | pair.only_old) <= GENERIC


# ---------------------------------------------------------------------------------------------------------- duplicates
def _same_fact_key(pair: _Pair) -> bool:
    return any(new.words == old.words for new, old in pair.same_keys)


def _same_fact(pair: _Pair) -> Judgement | None:
    if len(pair.new.facts) != 1:
        return None
    for new, old in pair.same_keys:
        if new.words == old.words and new.is_certain == old.is_certain and new.rest - pair.new.negated <= frozenset(pair.old.content):
            return Judgement(relation="duplicate", rule="same_fact", reason="it states the same fact")
    return None


def _contained(pair: _Pair) -> Judgement | None:
    if not pair.new_words or pair.only_new - GENERIC or not _near_or_unknown(pair):
        return None
    if len(pair.only_old) <= MAX_LEFT_OUT * len(pair.old_words):
        return Judgement(relation="duplicate", rule="contained", reason="it says nothing that the old statement does not say")
    return None


def _near_or_unknown(pair: _Pair) -> bool:
    return pair.similarity is None or pair.is_near


def _paraphrase(pair: _Pair) -> Judgement | None:
    if pair.similarity is None or pair.similarity < PARAPHRASE_COSINE or pair.overlap < CORRECTION_OVERLAP or not pair.only_old:
        return None
    return Judgement(relation="duplicate", rule="paraphrase", reason="it says the same in other words")


def _near(pair: _Pair) -> Judgement | None:
    return Judgement(relation="related", rule="near", reason="it is about the same thing, but says something else") if pair.is_near else None


_RULES: Final[Sequence[_Rule]] = (
    _same_words,
    _functional_conflict,
    _corrects_object,
    _corrects_topic,
    _opposite_polarity,
    _swapped_arguments,
    _other_number,
    _opposite_words,
    _disagreement,
    _same_fact,
    _contained,
    _paraphrase,
    _near,
)
