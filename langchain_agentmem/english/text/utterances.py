"""Whether a sentence is a question, a guess, a passing state or an instruction.

The rules know English, and a few words of other languages.

Each function reads one candidate's content. Quoted parts do not count: who quotes a "maybe" does not say one.
The lists lean to refusing: a memory that was not written can be told again, a wrong one misleads for years.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.text.currently import as_it_is
from langchain_agentmem.english.text.folding import fold, sentences, without_quotes
from langchain_agentmem.english.words.calendar_words import WEEKDAY

_PRONOUN: Final = r"(?:i|you|we|they|he|she|it|there)"
_DETERMINER: Final = (
    r"(?:this|that|these|those|the|my|your|his|her|our|their|its|a|an|any|some|every|all|any(?:one|body)"
    r"|some(?:one|body))"
)


@of_texts(1024)
def _plain(content: str) -> str:
    """Return `content` folded and without quotations, in its own case."""
    return without_quotes(fold(as_read(content)).text)


# ----------------------------------------------------------------------------------------------------------- questions
_QUESTION_MARK: Final = lazy_pattern(r"[?\u061f\u037e][\s\"')\]!?.]*$|^\s*\u00bf|[?][\"')\]]*\s")
_MODALS: Final = r"can|could|should|would|will|shall|may|might|must"
_AUXILIARY: Final = rf"(?:is|are|was|were|am|do|does|did|has|have|had|{_MODALS})"
_NEGATED: Final = r"(?:don't|doesn't|didn't|isn't|aren't|wasn't|won't|can't|couldn't|wouldn't|shouldn't|haven't|hasn't)"
_OPENING: Final = r"^(?:(?:and|but|so|ok|okay|hey|hi|well|also|um|hmm|please)\b[,\s]*+)*+"
_WH: Final = r"(?:what|which|who|whom|whose|where|when|why|how)"
_ASKED: Final = lazy_pattern(
    _OPENING + rf"(?:{_WH}(?:'s|'re| \w+)? (?:{_AUXILIARY}|{_NEGATED}) {_PRONOUN}\b(?!\w)"
    rf"|{_WH}(?:'s|'re| (?:{_AUXILIARY}|{_NEGATED})) (?!why\b)(?!.*\b(?:is|are|was|were)\b)"
    r"|how (?:many|much|often|long|old|far|come|about|to)\b|what (?:if|about)\b"
    rf"|{_AUXILIARY} (?:not )?{_PRONOUN}\b|{_NEGATED} {_PRONOUN}\b"
    rf"|(?:is|are|was|were|does|did|has|can|could|should|would|will) {_DETERMINER}\b"
    r"|(?:does any(?:one|body)|tell me (?:what|who|where|when|why|how|if|whether|which)|any (?:idea|clue)) )",
    re.IGNORECASE,
)
_WONDERED: Final = lazy_pattern(
    r"\b(?:i|we|they|he|she|user)(?:'m| am|'re| are| is)? (?:just |still )?wonder(?:s|ing|ed)?"
    rf" (?:if|whether|about|{_WH})\b"
    r"|\b(?:wants?|would like|like|asks?|asked|asking|curious|need|wondering) (?:to know |me |you )?(?:if|whether)\b",
    re.IGNORECASE,
)
_POLITE: Final = lazy_pattern(
    _OPENING + r"(?:can|could|would|will) you (?:please )?(?:(?:always|never)\b|make sure|from now on)", re.IGNORECASE
)


def is_question(content: str) -> bool:
    """Whether any sentence of `content` asks, also indirectly ("I wonder whether …") and without a question mark.

    A polite standing request ("could you always answer in German?") is an instruction, not a question.
    """
    return any(_asks(sentence) for sentence in sentences(_plain(content)))


def _asks(sentence: str) -> bool:
    if _POLITE.match(sentence):
        return False
    return bool(_QUESTION_MARK.search(sentence) or _ASKED.match(sentence) or _WONDERED.search(sentence))


# --------------------------------------------------------------------------------------------------------- uncertainty
_BE: Final = r"(?:\b(?:am|is|are|was|were|be|been)|'m|'s|'re)"
_HEDGES: Final = (
    r"maybe|perhaps|probably|possibly|presumably|supposedly|allegedly|apparently|conceivably|tentatively"
    r"|i guess|i suppose|i assume|might've"
    r"|not (?:really |entirely |quite |yet |so |100% |completely |totally )?(?:sure|certain|decided)|unsure|uncertain"
    r"|undecided"
    r"|(?:do not|don't|does not|doesn't) (?:really |yet )?know (?:if|whether|yet)"
    r"|(?:have not|haven't|has not|hasn't) (?:really |yet )?decided|(?:can not|cannot|can't) decide|torn between"
    r"|on the fence|up in the air|if i (?:remember|recall) correctly|iirc|afaik|toying with"
    r"|hypothetically|in theory|let's say|suppose (?:i|we|that)|imagine (?:i|if|that|we)"
    r"|vielleicht|möglicherweise|peut-être|quizás?|tal vez|talvez|forse|misschien"
)
_UNSURE: Final = lazy_pattern(
    r"\b(?<!what )(?<!how )(?<!as )(?<!than )(?<!way )(?<!where )(?<!when )i (?:think|believe|reckon|presume)[.! ]*$"
    rf"|\b(?:{_HEDGES})\b|\bcould (?:be|have been|potentially|possibly|also be)\b"
    rf"|(?:^|{_BE} |[.,;] )(?:still |just |also |only |actually |currently |now |half ){{0,3}}"
    r"(?:thinking (?:about|of)|considering|contemplating|leaning towards?|wondering|hesitating)\b",
    re.IGNORECASE,
)
# "May" is a month, a name and a permission ("you may call me Bob") as well, "might" a strength: neighbours tell.
_MODAL: Final = lazy_pattern(r"(?:(?P<before>(?<![\w'])[\w']+),? )?\b(?P<modal>may|might)\b(?: (?P<after>[\w']+))?")
_NOT_MODAL_BEFORE: Final = {
    "might": frozenset("my his her its our your their all full own of the no with military".split()),
    "may": frozenset(
        "in on of by to is or and this next last late early until till since from every each mid between before after"
        " around you users user's one nobody during for through".split()
    ),
}
_NOT_MODAL_AFTER: Final = {
    "might": frozenset(("and",)),
    "may": frozenset("not only call is was and or the to of i".split()),
}
_POLITE_WISH: Final = r"(?:like|prefer|love|rather|appreciate|you)"
_HYPOTHETICAL: Final = lazy_pattern(
    r"\b(?:if|unless) [\w']{1,40}?(?:'d| were| was| had| could| would| won| ever| happened?)\b(?! to\b)"
    r"|\bif (?:i|we|he|she|they) (?:moved|became|got|lost|quit|owned|lived|worked|knew|wanted|needed|left|stopped)\b"
    rf"|\bif\b[^.!?]{{0,200}}(?:\bwould|\bcould|\bmight|'d)\b(?! {_POLITE_WISH}\b)"
    rf"|(?:\bwould|\bcould|\bmight|'d) (?!{_POLITE_WISH}\b)[^.!?]{{0,200}}\bif (?:i|we|he|she|they|it|the)\b",
    re.IGNORECASE,
)
_IF_I: Final = lazy_pattern(_OPENING + r"if (?:i|we)\b", re.IGNORECASE)
# What makes of a condition a general truth ("if I drink milk I get sick") or a rule ("if I say deploy, use staging").
_GENERAL: Final = lazy_pattern(
    r"\b(?:always|usually|often|every|each|whenever|never|tends? to|gets?|generally|typically)\b"
    r"|, (?:then )?(?:please|do|don't|use|notify|ask|tell|answer|run|stop|remind|call|send|make)\b",
    re.IGNORECASE,
)
_HEDGED_END: Final = lazy_pattern(
    r"\b(?:maybe|perhaps|probably|i guess|i suppose|i think|possibly|for now|right now|at the moment|today"
    r"|tonight)[.! ]*$",
    re.IGNORECASE,
)


def is_unstable(content: str) -> bool:
    """Whether `content` is a guess, an undecided plan or a hypothesis. "May" the month and quoted words are none.

    In an instruction ("always ask when you are not sure") the uncertainty is another's; only a hedge at its end counts.
    """
    text = _plain(content)
    if is_instruction(content):
        return bool(_HEDGED_END.search(text))
    return bool(_UNSURE.search(text)) or _has_modal(text) or _is_hypothetical(text)


def _has_modal(text: str) -> bool:
    lowered = text.casefold() if text.isupper() else text
    return any(_is_modal(found) for found in _MODAL.finditer(lowered))


def _is_modal(found: re.Match[str]) -> bool:
    modal, before, after = found["modal"], (found["before"] or "").casefold(), found["after"] or ""
    if before in _NOT_MODAL_BEFORE[modal] or after in _NOT_MODAL_AFTER[modal] or before[:1].isdigit():
        return False
    return modal == "might" or (bool(before) and after[:1].islower())


def _is_hypothetical(text: str) -> bool:
    if _HYPOTHETICAL.search(text):
        return True
    return any(_IF_I.match(sentence) and not _GENERAL.search(sentence) for sentence in sentences(text))


# ------------------------------------------------------------------------------------------------------ passing states
_NOW: Final = lazy_pattern(
    r"\b(?:right now|just now|for now|as of now|for the moment|momentarily|temporarily|in a (?:minute|moment|bit"
    r"|second)"
    r"|brb|be right back|on (?:my|his|her|the) way (?:to|home|back|there|over)|running late|stuck in traffic"
    r"|in \d{1,3} (?:minutes|min|hours)|just woke up|just (?:had|ate|finished) (?:lunch|dinner|breakfast|coffee))\b",
    re.IGNORECASE,
)
# A goal lives for weeks, and a home for years: that it is so "currently" does not make it pass.
_AT_PRESENT: Final = lazy_pattern(
    r"\b(?:currently|at the moment|at present|presently|momentan|gerade|en ce moment|ahora mismo)\b", re.IGNORECASE
)
_SINCE_TODAY: Final = lazy_pattern(
    r"\b(?:as of|from|starting|since|until|beginning) (?:today|tonight|tomorrow|this \w{1,20})\b|\busa today\b"
    r"|\b(?:user is|I am|I'm) \d{1,3}(?: years old)? today$",
    re.IGNORECASE,
)
"""What begins on that day, as a new age does, does not end with it."""

_DAY: Final = r"(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)|later (?:today|tonight))"
_PRESENT: Final = (
    r"(?:\b(?:am|is|are|be|feel|feels|feeling|seem|seems|want|wants|need|needs|have|has|prefer|prefers|like|likes"
    r"|crave|craves"
    r"|can't|cannot|don't|doesn't|isn't|aren't|not|won't|will|going)|'m|'s|'re|'ll)"
)
_CLAUSE: Final = lazy_pattern(r"[.;!?\n]")
_DAY_WORD: Final = lazy_pattern(rf"\b{_DAY}\b", re.IGNORECASE)
_PRESENT_WORD: Final = lazy_pattern(rf"{_PRESENT}\b", re.IGNORECASE)
_STATE: Final = lazy_pattern(
    r"(?:\b(?:am|is|are|feel|feels|feeling)|'m|'s|'re)"
    r" (?:(?:so|very|really|pretty|quite|just|too|a bit|a little|kind of|super|extremely|still|now) ){0,3}"
    r"(?:tired|exhausted|sleepy|hungry|thirsty|starving|bored|busy|hungover|jet-?lagged|dizzy|nauseous|in a meeting"
    r"|in a hurry|on the (?:bus|train|phone)|about to (?:leave|go|eat|sleep))\b"
    r"(?! (?:of|for|on|with|every|after|when|whenever|before|in|because of|at)\b)"
    r"|\b(?:have|has|got|having) a (?:headache|cold|fever|hangover|meeting in|stomach ?ache)\b",
    re.IGNORECASE,
)
_HABIT: Final = lazy_pattern(
    r"\b(?:always|usually|often|never|every|each|whenever|regularly|chronic(?:ally)?|weekends|mornings|evenings"
    r"|frequently"
    rf"|on {WEEKDAY}s?|sometimes|most days|tends? to)\b",
    re.IGNORECASE,
)


def is_transient(content: str, *, is_lasting: bool = False) -> bool:
    """Whether `content` describes how things are just now ("I'm tired today"), not how they are.

    Args:
        content: What was said.
        is_lasting: It is a goal: "currently" is then no sign of passing.
    """
    text = _SINCE_TODAY.sub(" ", _plain(content))
    if is_instruction(content):
        return bool(_HEDGED_END.search(text))
    if _NOW.search(text) or (not is_lasting and _AT_PRESENT.search(as_it_is(text))):
        return True
    return _is_of_today(text) or bool(_STATE.search(text) and not _HABIT.search(text))


def _is_of_today(text: str) -> bool:
    clauses = _CLAUSE.split(text)
    return any(_DAY_WORD.search(clause) and _PRESENT_WORD.search(clause) for clause in clauses)


# -------------------------------------------------------------------------------------------------------- instructions
_LEAD: Final = (
    r"(?:(?:please|also|and|but|so|then|ok|okay|hey|well|important|note|rule|remember|reminder|policy|instruction"
    r"|just|kindly"
    r"|ai|assistant)\b[,:!.\s-]*){0,4}"
)
_LATER: Final = (
    r"(?:from (?:now|here|today|this point) on(?:wards?)?|going forward|henceforth|in (?:the )?future|ab jetzt"
    r"|à partir de maintenant)\b"
)
_FROM_NOW: Final = rf"{_LATER}[,:\s]*"
# After "always" and "never" these make a statement without its subject ("Never been to Paris", "Always late").
_NO_ORDER: Final = (
    r"(?:been|had|seen|gone|done|eaten|drunk|met|known|made|got|gotten|took|taken|felt|found|thought|wanted|went|was"
    r"|were|am|is"
    r"|are|has|mind|happy|late|early|tired|busy|hungry|in|on|at|a|an|the|my|i|i'm|we|he|she|it|they|fun|nice|good"
    r"|great|too"
    r"|heard|again|ever|enough|here|there|up|down|out|off|saw|knew|came|gave|said|told|open|welcome|more|less|so|very"
    r"|such"
    r"|nothing|ready|around|about|with|for|from|of|to|worth|easy)\b"
)
_NO_DONT: Final = (
    r"(?:like|love|want|know|care|think|believe|understand|mind|own|feel|drink|eat|smoke|have|enjoy|worry|need"
    r"|remember|you|we"
    r"|i|they)\b"
)
_BASE_ED: Final = r"(?:need|feed|seed|embed|heed|shed|speed|proceed|exceed|succeed)\b"
_BASE_ING: Final = r"(?:bring|sing|ping|ring|swing|string)\b"
_VERB: Final = rf"(?:(?={_BASE_ED}|{_BASE_ING})|(?!{_NO_ORDER})(?!\w+(?:ed|ing)\b))[a-z]"
_ORDER: Final = (
    rf"(?:(?:always|never)\s+(?:ever\s+)?{_VERB}|(?:do not|don't)\s+(?:ever\s+)?(?!{_NO_DONT})[a-z]"
    r"|make sure\b|be sure to\b|ensure\b|see to it\b|take care to\b|remember to\b|(?:do not|don't|never) forget to\b"
    r"|avoid\s+(?!.*\b(?:is|are)\b)|refrain from\b|stick to\b|only use\b|use only\b|stop\s+\w+ing\b"
    r"|under no circumstances\b"
    r"|you must (?!(?:be|have|feel|love|really|think|know|miss|enjoy|see|all|both)\b)|you (?:shall|have to"
    r"|are (?:not )?(?:allowed|permitted|supposed) to|should not|shouldn't|may not|must not|mustn't)\b"
    r"|you (?:should|need to) (?:always|never|only)\b|you (?:may|can) (?:never|only)\b"
    r"|(?:can|could|would|will) you (?:please )?(?:(?:always|never)\b|make sure|from now on)"
    r"|(?:it is|it's) (?:forbidden|prohibited|mandatory) to\b|immer\s|niemals\s)"
)
_INSTRUCTION: Final = lazy_pattern(rf"^{_LEAD}(?:{_FROM_NOW})?{_LEAD}{_ORDER}", re.IGNORECASE)
_FROM_NOW_ORDER: Final = lazy_pattern(
    rf"^{_LEAD}{_FROM_NOW}(?:please )?(?P<next>(?!(?:i|we|my|our|he|she|it|they|his|her|their|the|a|an|there|this"
    rf"|that|i'm|we're"
    r"|no|all|user)\b)[a-z'-]+)",
    re.IGNORECASE,
)
_ASKED_OF: Final = (
    r"(?:answer|reply|respond|write|speak|talk|say|tell|ask|address|explain|show|give|send|use|keep|be|cite"
    r"|list|format|include|leave|skip|translate|summari[sz]e|check|test|remind|stick)\b"
)
_ORDER_FROM_NOW: Final = lazy_pattern(rf"^{_LEAD}{_ASKED_OF}.*\s{_LATER}[.!]*$", re.IGNORECASE)
"""What may also begin a statement says so at its end with a word that only tells somebody to do something."""

_ORDER_BEHIND: Final = lazy_pattern(
    rf"^{_LEAD}{_ASKED_OF}[^;:!?]{{1,120}}?,? and (?:please |also )?(?=always|never|do not|don't){_ORDER}",
    re.IGNORECASE,
)
"""What is ordered as well, behind a wish of how to answer: "keep it brief, and never deploy on Fridays"."""

_WANTED: Final = lazy_pattern(
    r"\b(?i:i|we|user|they|he|she|[a-z][\w'-]{0,40})"
    r" (?:want|wants|need|needs|would like|'d like|asked|asks|told|tells|expect|expects|require|requires)"
    r" (?:you|me|us|it|the (?:assistant|agent|bot|ai|model)) (?:to (?:always|never|not)|not to|(?:always|never) to)\b"
)


def is_instruction(content: str) -> bool:
    """Whether `content` tells the agent how to act from now on ("Always deploy to staging first").

    A habit ("I always deploy to staging first"), a statement without its subject ("Never been to Paris") and a question
    ("Don't you love Python?") tell nothing.
    """
    return any(_orders(sentence) for sentence in sentences(_plain(content)))


def _orders(sentence: str) -> bool:
    if any(it.match(sentence) for it in (_INSTRUCTION, _ORDER_FROM_NOW, _ORDER_BEHIND)) or _WANTED.search(sentence):
        return True
    later = _FROM_NOW_ORDER.match(sentence)
    return later is not None and not later["next"][0].isupper()
