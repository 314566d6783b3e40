"""What a new statement is to an old one: a duplicate, a conflict, near but different, or nothing to it.

Conflict is judged before duplicate, because a vector cannot tell them apart: a contradiction is often nearer than a
paraphrase.
Two statements are duplicates only where numbers, negation, names, markers and the order of arguments all agree: a merge
that is missed costs a row, a merge that is wrong costs a fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Final

from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.arriving import arrived, mastered
from langchain_agentmem.english.reading.choices import revised
from langchain_agentmem.english.reading.corrected_number import corrects_number
from langchain_agentmem.english.reading.counts import role_of
from langchain_agentmem.english.reading.duplicates import (
    contained,
    disagreement,
    near,
    paraphrase,
    same_fact,
    same_words,
)
from langchain_agentmem.english.reading.facts import FUNCTIONAL_RELATIONS, KEPT, TRADE, Fact
from langchain_agentmem.english.reading.instead import denials_before
from langchain_agentmem.english.reading.narrower import denies_less
from langchain_agentmem.english.reading.order import swaps
from langchain_agentmem.english.reading.pair import Judgement, Pair, Relation, Rule, distance
from langchain_agentmem.english.reading.reading import USER
from langchain_agentmem.english.reading.statements import Statement, parse_statement
from langchain_agentmem.english.reading.states import MARITAL_STATUS, WHEN_STEMS, may_both_be
from langchain_agentmem.english.reading.values import are_rivals
from langchain_agentmem.english.text.quantities import amount_of, are_comparable, is_quantity
from langchain_agentmem.english.words.calendar_words import SEASONS, WEEKDAYS
from langchain_agentmem.english.words.lexicon import (
    ATTRIBUTES,
    GENERIC,
    INTENTIONS,
    PEOPLE,
    REGIONS,
    SYNONYMS,
    exclusive_pair,
    stem,
)
from langchain_agentmem.english.words.thesaurus import are_of_one_sort

__all__ = ["FUNCTIONAL_RELATIONS", "KEPT", "Judgement", "Relation", "judge"]


# Dice coefficients of the stems.
CORRECTION_OVERLAP: Final = 0.5
SAME_FRAME_OVERLAP: Final = 0.6

_PEOPLE_STEMS: Final = frozenset(stem(word) for word in PEOPLE)
_INTENTION_STEMS: Final = frozenset(stem(word) for word in INTENTIONS)
_REGION_STEMS: Final = frozenset(stem(word) for word in REGIONS)
_WEEKDAY_STEMS: Final = frozenset(stem(word) for word in WEEKDAYS)
_ATTRIBUTE_STEMS: Final = frozenset(SYNONYMS.get(stem(word), stem(word)) for word in ATTRIBUTES | {"deadline"})
_ADDITIVE: Final = frozenset({"also", "too", "additionally", "another"})
_PERSONAL: Final = frozenset(
    {"lives_in", "works_at", "works_as", "name", "age", "birthday", "birthplace", "origin", "partner"}
    | {MARITAL_STATUS}
)
_CHANGE_STEMS: Final = frozenset(stem(word) for word in ("switched", "changed", "migrated", "moved"))
_OWN: Final = f"{USER} "
_STATES: Final = frozenset({"is", "is_a", "prefers"})
_CONDITIONS: Final = frozenset(map(stem, "dead broken lost gone missing charging empty dying stolen offline".split()))
"""How a thing is for now, which says nothing of what it is."""

_TIMES: Final = _WEEKDAY_STEMS | frozenset(
    map(stem, ("morning", "afternoon", "evening", "night", "noon", "weekend", "weekday", *SEASONS))
)
_NOW: Final = frozenset({"now", "currently"})
_BETTER: Final = frozenset({"better", "more"})
_ONE_BY_NOW: Final = frozenset({"studies", "drives", TRADE})
_AT_A_TIME: Final = _NOW | {"live", "lives"}


def judge(
    new: Statement,
    old: Statement,
    *,
    similarity: float | None,
    same_kind: bool = True,
    functional: frozenset[str] = FUNCTIONAL_RELATIONS,
) -> Judgement:
    """Judge a new statement against an old one of the same user; deterministic, the first rule that applies decides.

    Args:
        new: What is said now.
        old: What is remembered.
        similarity: Cosine of the two texts; `None` without an embedding model, then the words they share decide.
        same_kind: Whether both are of the same kind of memory; across kinds nothing is a duplicate.
        functional: Relations of which a subject has one object at a time.

    Example:
        >>> from langchain_agentmem.english.reading.statements import parse_statement
        >>> judge(parse_statement("I moved to Berlin"), parse_statement("I live in Paris"), similarity=0.4).rule
        'functional_conflict'
    """
    pair = Pair(new, old, similarity, functional)
    for rule in _RULES:
        judgement = rule(pair)
        if judgement is not None:
            break
    else:
        judgement = distance(pair, "no_match", "the statements are not about the same thing")
    if judgement.relation == "duplicate" and not same_kind:
        return Judgement(
            relation="related", rule="kind_differs", reason="the same words, but of another kind of memory"
        )
    return judgement


# ---------------------------------------------------------------------------------------------------------- conflicts
def _functional_conflict(pair: Pair) -> Judgement | None:
    if pair.new.words & _ADDITIVE:
        return None
    for new, old in pair.same_keys:
        if (
            (new.relation in pair.functional or _is_renamed(pair, new, old) or _is_now_another(pair, new))
            and new.is_certain
            and old.is_certain
            and _clash(new, old)
            and _same_circumstances(pair, new, old)
            and are_rivals(new, old, pair.new.text, pair.old.text)
        ):
            reason = f"there is one {new.relation.replace('_', ' ')} at a time, and the new statement names another"
            return Judgement(relation="conflict", rule="functional_conflict", reason=reason)
    return None


def _is_renamed(pair: Pair, new: Fact, old: Fact) -> bool:
    """Whether a correction gives one of several another name, and takes back no other one's."""
    wrong = frozenset((pair.new.corrected_from or "").split())
    return pair.new.correction == "marked" and new.relation in KEPT and (not wrong or wrong == old.words)


def _is_now_another(pair: Pair, new: Fact) -> bool:
    """Whether something of which one may have several is said to be another by now: "Max studies medicine now"."""
    return new.relation in _ONE_BY_NOW and bool(pair.new.words & _NOW)


def _clash(new: Fact, old: Fact) -> bool:
    """Whether two objects cannot both hold: neither is part of the other, and they are of one type."""
    if new.words <= old.words or old.words <= new.words:
        return False
    if new.relation == MARITAL_STATUS and may_both_be(new.words, old.words):
        return False
    if old.object_type == "name" and not new.words.isdisjoint(_CONDITIONS):  # a dead phone is still a Pixel 8
        return False
    types = {new.object_type, old.object_type}
    if len(types) > 1 and not types <= {"name", "word"} and new.relation != "birthday":  # a year, a day without one
        return False
    if new.relation == "is" and (not new.subject or "word" in types):
        return False
    # A city and the country around it can both be true.
    return new.relation not in {"lives_in", "origin", "birthplace"} or bool(new.words & _REGION_STEMS) == bool(
        old.words & _REGION_STEMS
    )


def _same_circumstances(pair: Pair, new: Fact, old: Fact) -> bool:
    """Whether neither holds only somewhere or sometimes ("in staging", "on weekends") where the other does not."""
    here, there = _circumstances(new, pair.new), _circumstances(old, pair.old)
    if new.relation in _PERSONAL:
        return not (here and there and exclusive_pair(here, there)) and not ({"weekend", "weekday"} & (here ^ there))
    return here == there


def _circumstances(fact: Fact, statement: Statement) -> frozenset[str]:
    corrected = frozenset(f"{statement.corrected_from or ''} {statement.corrected_to or ''}".split())
    return frozenset(
        term
        for term in fact.rest - statement.negated - corrected - _WEEKDAY_STEMS - WHEN_STEMS
        if not is_quantity(term)
    )


def _corrects_object(pair: Pair) -> Judgement | None:
    """The new statement names what it takes back, and the old one says just that."""
    wrong = frozenset((pair.new.corrected_from or "").split())
    said = frozenset(pair.old.content) | frozenset(pair.old.numbers)
    taken_back = wrong <= said - pair.old.negated - frozenset((pair.old.corrected_from or "").split())
    right = frozenset((pair.new.corrected_to or "").split())
    is_elliptical = pair.new_words <= wrong | right | _CHANGE_STEMS
    if not wrong or not taken_back or not (pair.subjects_agree or (is_elliptical and _names_nobody(pair))):
        return None
    about_it = (fact.words == wrong and _may_mean(pair, fact) for fact in pair.old.facts)
    topic = (frozenset(pair.new.content) & said) - wrong
    if any(about_it) if is_elliptical else topic and pair.is_near:
        return Judgement(
            relation="conflict", rule="corrects_object", reason="it takes back what the old statement says"
        )
    return None


def _may_mean(pair: Pair, fact: Fact) -> bool:
    """Whether a correction that names no one can be about a fact: the speaker's, or an exclusive one of a name."""
    if fact.subject in {USER, "we", "", pair.new.subject} or (_names_nobody(pair) and fact.subject.startswith(_OWN)):
        return True
    is_named = not pair.new.subject and " " not in fact.subject and fact.subject not in _PEOPLE_STEMS
    return is_named and fact.relation in pair.functional - {"is"}


def _names_nobody(pair: Pair) -> bool:
    """Whether a correction in the speaker's words says of no one what it takes back: "I meant Leeds, not Bath"."""
    return pair.new.subject == USER and not pair.new.facts


def _corrects_topic(pair: Pair) -> Judgement | None:
    """A correction in so many words, about the same thing, with something else in its place."""
    if pair.new.correction != "marked" or pair.new.words & _ADDITIVE or not pair.subjects_agree or not pair.is_near:
        return None
    if pair.shared <= GENERIC | _led_by(pair) and not GENERIC.isdisjoint(pair.shared):
        return None  # who works from home now may still cycle to work
    if pair.new.negated and not _is_of_what_is_denied(pair):
        return None
    floor = CORRECTION_OVERLAP if pair.similarity is not None else SAME_FRAME_OVERLAP
    replaces = (pair.only_new and pair.only_old) or not pair.numbers_agree or pair.polarity_differs
    if replaces and pair.overlap >= floor and not _other_people(pair):
        return Judgement(
            relation="conflict", rule="corrects_topic", reason="it corrects what was said about the same thing"
        )
    return None


def _is_of_what_is_denied(pair: Pair) -> bool:
    """Whether the old statement names what the new one denies: who plays no more tennis may go on playing chess.

    When it is denied is named as well: who drinks no coffee in the evening may drink it in the morning.
    """
    denied = [it for it in pair.new.content if it in pair.new.negated]
    what = denied[1:] or denied  # the first is what is done with it, where more is said
    if pair.old_words.isdisjoint(what) or denies_less(pair.new, pair.old):
        return False
    narrower = any(new.words > old.words for new, old in pair.same_keys if new.words & pair.new.negated)
    return not narrower and _TIMES.isdisjoint(pair.only_new & pair.new.negated)


def _led_by(pair: Pair) -> frozenset[str]:
    """Return the name by which both begin: whose they are, and nothing that they tell of them."""
    return frozenset(pair.new.content[:1]) & frozenset(pair.old.content[:1]) & pair.new.entities


def _other_people(pair: Pair) -> bool:
    return bool((pair.only_new | pair.only_old) & _PEOPLE_STEMS)


def _opposite_polarity(pair: Pair) -> Judgement | None:
    """Behind a comma more is told of what is claimed, and over with that; behind a denial, what is so instead."""
    if pair.old.negations or pair.new.negations != 1:
        return _is_denied(pair)
    claims = (pair.old, parse_statement(pair.old.text.partition(", ")[0]))
    denials = (pair.new, *map(parse_statement, denials_before(pair.new.text)))
    pairs = (Pair(*it, pair.similarity, pair.functional) for it in product(denials, claims))
    return next(filter(None, map(_is_denied, pairs)), None)


def _is_denied(pair: Pair) -> Judgement | None:
    """The one denies what the other claims; what is denied must not be narrower than what is claimed."""
    if (
        not pair.polarity_differs
        or not pair.subjects_agree
        or pair.new.markers - {"past"} != pair.old.markers - {"past"}
    ):
        return None
    new_denies = len(pair.new.negated & pair.both) > len(pair.old.negated & pair.both)
    denied_only, claimed_only = (pair.only_new, pair.only_old) if new_denies else (pair.only_old, pair.only_new)
    denial, claim = (pair.new, pair.old) if new_denies else (pair.old, pair.new)
    is_covered = (
        not denied_only - GENERIC
        and set(denial.numbers) <= set(claim.numbers)
        and not claimed_only & (_PEOPLE_STEMS | _INTENTION_STEMS)
    )
    is_same = pair.entities_agree or any(
        here.words == there.words or denial.entities <= claim.words for here, there in pair.same_keys
    )
    if is_covered and is_same and not denies_less(denial, claim) and (pair.similarity is None or pair.is_near):
        return Judgement(relation="conflict", rule="opposite_polarity", reason="the one denies what the other claims")
    return None


def _swapped_arguments(pair: Pair) -> Judgement | None:
    is_swapped = any(swaps(new, old) for new in pair.new.ordered for old in pair.old.ordered)
    if is_swapped and pair.same_frame and pair.numbers_agree and pair.overlap >= SAME_FRAME_OVERLAP:
        return Judgement(
            relation="conflict", rule="swapped_arguments", reason="the same arguments stand in the opposite order"
        )
    return None


def _other_number(pair: Pair) -> Judgement | None:
    """One number differs in statements that are otherwise the same; a conflict only where they state a value."""
    if (
        pair.numbers_agree
        or not _same_but_numbers(pair)
        or pair.new.markers != pair.old.markers
        or pair.new.words & _ADDITIVE
    ):
        return None
    left, right = (
        (Counter(pair.new.numbers) - Counter(pair.old.numbers)),
        (Counter(pair.old.numbers) - Counter(pair.new.numbers)),
    )
    if left.total() != 1 or right.total() != 1 or not are_comparable(min(left), min(right)):
        return None
    if _states_value(pair, min(left), min(right)):
        return Judgement(relation="conflict", rule="other_number", reason="the same value is given with another number")
    return None


def _same_but_numbers(pair: Pair) -> bool:
    """Whether speaker, names, negation and words are the same; that "one kid" is no "two kids" is no other name."""
    names = (pair.new.entities - PEOPLE <= pair.old.words) and (pair.old.entities - PEOPLE <= pair.new.words)
    is_framed = names and pair.subjects_agree and not pair.polarity_differs
    is_same = pair.new.negations == pair.old.negations and not (pair.only_new | pair.only_old) - GENERIC
    return is_framed and is_same


def _states_value(pair: Pair, new: str, old: str) -> bool:
    """Whether a number is a value of something, and no name of one of several, nor what was done some time."""
    roles = role_of(pair.new.text, new), role_of(pair.old.text, old)
    if "name" in roles or "place" in roles:
        is_object = any(it.relation in pair.functional and new in it.words for it, _ in pair.same_keys)
        return is_object or (roles == ("place", "place") and bool(_AT_A_TIME & pair.new.words))
    if _NOW & pair.new.words or any(it.relation in pair.functional for it, _ in pair.same_keys):
        return True
    if roles[0] == roles[1] is not None:
        return roles[0] != "total" or amount_of(new) > amount_of(old)
    differing = any(
        it.relation == other.relation in pair.functional for it in pair.new.facts for other in pair.old.facts
    )
    return not differing and bool(pair.shared & _ATTRIBUTE_STEMS)


def _preferred_now(pair: Pair) -> Judgement | None:
    """What one prefers by now takes the place of what one preferred, where both are things of one sort."""
    if pair.new.correction == "none" or pair.new.words & _ADDITIVE or not pair.subjects_agree:
        return None
    for new, old in product(pair.new.facts, pair.old.facts):
        is_same = (new.subject, new.qualifier) == (old.subject, old.qualifier)
        are_said = _is_preferred(new, pair.new) and _is_preferred(old, pair.old) and _same_circumstances(pair, new, old)
        named = _named_terms(new, pair.new), _named_terms(old, pair.old)
        if is_same and are_said and are_of_one_sort(*named) and _clash(new, old):
            reason = "of two things of one sort, the new statement says which one is preferred by now"
            return Judgement(relation="conflict", rule="preferred_now", reason=reason)
    return None


def _is_preferred(fact: Fact, statement: Statement) -> bool:
    is_liked_better = fact.relation == "likes" and not _BETTER.isdisjoint(statement.words)
    return fact.is_certain and (fact.relation == "prefers" or is_liked_better) and not statement.negated


def _named_terms(fact: Fact, statement: Statement) -> list[str]:
    words = {stem(it): it for it in statement.words - _BETTER}
    return [term for it in fact.object.split() for term in tokenize(words.get(it, ""))]


def _opposite_words(pair: Pair) -> Judgement | None:
    """A pair of words that exclude each other ("dark", "light") stands for the object of a preference or a state."""
    rivals = exclusive_pair(pair.only_new, pair.only_old)
    if rivals is None or not pair.subjects_agree or not pair.numbers_agree or pair.polarity_differs:
        return None
    left, right = rivals
    for new, old in pair.same_keys:
        states = (
            new.relation in _STATES and new.is_certain and old.is_certain and left in new.words and right in old.words
        )
        if states and not (pair.only_new - {left} | pair.only_old - {right}) - GENERIC:
            return Judgement(relation="conflict", rule="opposite_words", reason="the two exclude each other")
    return None


_RULES: Final[Sequence[Rule]] = (
    same_words,
    _functional_conflict,
    arrived,
    _corrects_object,
    _corrects_topic,
    _opposite_polarity,
    _swapped_arguments,
    _other_number,
    corrects_number,
    mastered,
    revised,
    _preferred_now,
    _opposite_words,
    disagreement,
    same_fact,
    contained,
    paraphrase,
    near,
)
