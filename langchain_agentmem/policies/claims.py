"""What an answer claims of its user: which clauses say something of them, and which no rule reads. English."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.sentences import split_sentences

MAX_CLAIM_CHARS: Final = 200
"""Of a claim; a longer clause is more than one, and no rule reads it."""

_MAX_REPLY_WORDS: Final = 5  # a longer reply is a sentence that speaks for itself

_CODE: Final = lazy_pattern(r"```.*?(?:```|\Z)|`[^`\n]*`|^\s*>.*$", re.DOTALL | re.MULTILINE)
_MARKUP: Final = lazy_pattern(r"[*_#]{1,3}|^\s*(?:[-•]|\d+[.)])\s+", re.MULTILINE)
_CLAUSE: Final = lazy_pattern(
    r"\s*(?:[;:(–—]|\s-\s|,?\s+(?:so|because|which|though|although)\s|,\s+(?:and|but|while|since|as)\s"
    r"|\s(?:and|but|while)\s+(?=you(?:r|'re)?\s)|,\s+(?=you(?:r|'re)?\s))\s*",
    re.IGNORECASE,
)
_LEAD: Final = lazy_pattern(
    r"(?:(?:you(?:'re| are) (?:very |most )?welcome"
    r"|yes|no|yep|well|right|sure|of course|certainly|okay|ok|indeed|also|and|but|since|because|as|that|hi|hello"
    r"|as (?:far as |you )?(?:i )?(?:remember|recall|know|said|told me|mentioned)|i (?:remember|recall|know|see)"
    r"|you (?:told me|said|mentioned|wrote)|(?:according to|in|from) (?:my|our) (?:records?|notes?|memory))"
    r"\b[\s,:!]*)+",
    re.IGNORECASE,
)
_OPEN: Final = lazy_pattern(
    r"\b(?:(?<!\d )may(?! \d)|might|could|can|can't|cannot|should|would|will|won't|if|unless|whether|let|please"
    r"|perhaps|maybe|probably|likely|possibly|seems?|appears?|guess|assum\w+|suppose|think|believe|want|need|try|consider"
    r"|recommend|suggest\w*|feel free|for example|such as|e\.g|imagine|as if|about to|going to|sure|unsure)\b"
    r"|\w'(?:ll|d)\b|\?",
    re.IGNORECASE,
)
_VERBS: Final = (
    r"(?:lives?|living|resides?|based|located|works?|working|worked|employed|stud(?:y|ies|ying)|prefers?|likes?|loves?"
    r"|hates?|dislikes?|enjoys?|uses?|using|drives?|owns?|speaks?|named|called|born|married|allergic|from|moved"
    r"|grew up|comes?|booked|ordered|bought|eats?|drinks?|plays?|teach(?:es)?|earns?|have|has|own)"
)
_BEING: Final = r"(?:(?:'re|'s|are|is|am|were|was|do|does|don't|doesn't|not|have|has|been)\s+)*"
_ADVERBS: Final = r"(?:(?:still|currently|now|also|always|already|usually|really|both)\s+)*"
_ADVICE: Final = frozenset(
    "option options choice bet way step steps answer question questions query problem issue error code message request"
    " result results next first best goto idea point concern example total new".split()
)
"""What is the user's only for the time of an answer ("your best option is …"), or is counted up by it."""

PERSONAL: Final = lazy_pattern(
    r"(?:(?:your|my|the user's)\s+(?P<what>[\w' -]{1,60}?)\s+(?:is|are|was|were|starts?|ends?|begins?|takes? place)\s"
    rf"|(?:you|i|the user)\s?{_BEING}{_ADVERBS}{_BEING}(?P<verb>{_VERBS}\s))\s*\S",
    re.IGNORECASE,
)
AGED: Final = lazy_pattern(
    rf"(?:i|the user)\s?{_BEING}{_ADVERBS}(?:aged\s+)?\d{{1,3}}(?:[\s-]years?(?:[\s-]old)?)?", re.IGNORECASE
)
_YOU: Final = lazy_pattern(r"\byou(?:r|rs)?\b", re.IGNORECASE)
_TO_YOU: Final = lazy_pattern(
    r"\b(?:thanks?|about|for|to|with|of|from|on|at|by|like|help\w*|assist\w*|see|seeing|meet\w*|hear\w*|tell\w*|told|give"
    r"|giv\w+|show\w*|remind\w*|ask\w*|wish\w*)\s+you\b",
    re.IGNORECASE,
)
"""Speaks to the user, and tells nothing of them: "here is what I know about you", "thank you"."""

_ASKED: Final = (
    (
        lazy_pattern(r"\b(?:what|who|when|where|which)(?:'s| is| are| was) my (?P<x>[\w' -]{1,60}?)(?: again| now)?\?"),
        "my {x} is {a}",
    ),
    (lazy_pattern(r"\bwhere (?:do|am) i (?:currently |now )?(?:live|living|based)\b"), "I live in {a}"),
    (lazy_pattern(r"\b(?:where|who|for whom) do i work\b"), "I work at {a}"),
    (lazy_pattern(r"\bwhat(?: [\w-]+){1,4} do i (?P<x>prefer|like|love|use|speak|drive)\b"), "I {x} {a}"),
)
"""Questions to which a few words are an answer, and what these then say."""

COMPOSING: Final = lazy_pattern(
    r"\b(?:write|draft|compose|translate|rephrase|rewrite|proofread|summari[sz]e|role-?play|pretend|story|poem|letter"
    r"|e-?mail to|imagine|make up|invent)\b",
    re.IGNORECASE,
)
"""Who asks for a text gets one: whoever is "you" in it, nothing in it is said of the user."""

_REPLY: Final = lazy_pattern(r"(?:(?:it|that)(?:'s| is| was| would be)|in|at|on)\s+", re.IGNORECASE)
_AT_A_LOSS: Final = lazy_pattern(r"\b(?:know|not|no|don't|sorry|sure|unknown|unclear|your?|my|i|we)\b", re.IGNORECASE)
_PRONOUNS: Final = (
    (lazy_pattern(r"\byou(?: a|')re\b", re.IGNORECASE), "I am"),
    (lazy_pattern(r"\byour\b", re.IGNORECASE), "my"),
    (lazy_pattern(r"\byou\b", re.IGNORECASE), "I"),
)


def claims_in(answer: str, question: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield claims about the user: as they stand there, and as the user would say them."""
    if reply := _reply(_plain(answer), question):
        yield reply
    yield from (it for it in clauses_in(answer, names) if _is_claim(*it))


def _plain(answer: str) -> str:
    return _MARKUP.sub("", _CODE.sub(" ", answer.replace("\u2019", "'")))


def clauses_in(answer: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield what an answer states, clause by clause: as it stands there, and as the user would say it."""
    for sentence in sentences_in([_plain(answer)]):
        if sentence.endswith("?"):
            continue
        for clause in _CLAUSE.split(sentence):
            shown = _LEAD.sub("", clause.strip(), count=1) if _LEAD.match(clause.strip()) else clause.strip()
            shown = shown.rstrip(" .!,;:")
            yield shown, as_said_by_user(shown, names)


def _is_claim(shown: str, meant: str) -> bool:
    """Whether a clause says something of the user, and says it plainly."""
    if len(shown) > MAX_CLAIM_CHARS or _OPEN.search(shown):
        return False
    if meant.casefold().startswith(("i ", "my ")) and shown == meant:
        return False  # the assistant's own
    found = PERSONAL.match(f"{meant} ")
    return AGED.fullmatch(meant) is not None if found is None else not _is_advice(found)


def _is_advice(found: re.Match[str]) -> bool:
    return not _ADVICE.isdisjoint((found["what"] or "").casefold().split())


def is_unread(shown: str, meant: str) -> bool:
    """Whether a clause states something of the user that no rule reads: whether that was told, nothing says."""
    if _is_claim(shown, meant) or _OPEN.search(shown):
        return False
    found = PERSONAL.match(f"{meant} ")
    is_of_user = _YOU.search(_TO_YOU.sub("", shown)) is not None or (shown != meant and not _YOU.search(shown))
    return is_of_user and (found is None or not _is_advice(found))


def as_said_by_user(shown: str, names: Iterable[str]) -> str:
    """Return words about the user in the user's own person."""
    for pattern, own in _PRONOUNS:
        shown = pattern.sub(own, shown)
    for name in (*names, "the user"):
        shown = re.sub(rf"^{re.escape(name)}'s\b", "my", shown, flags=re.IGNORECASE)
        shown = re.sub(rf"^{re.escape(name)}\b(?!')", "I", shown, flags=re.IGNORECASE)
    return shown


def _reply(text: str, question: str) -> tuple[str, str] | None:
    """Return what a few words say beside the question that they answer."""
    first = next(sentences_in([text]), "")
    clause = _LEAD.sub("", re.split(r"[,;.!(]", first, maxsplit=1)[0].strip(), count=1)
    words = _REPLY.sub("", clause, count=1) if _REPLY.match(clause) else clause
    if not words or len(words.split()) > _MAX_REPLY_WORDS or _AT_A_LOSS.search(words) or _OPEN.search(first):
        return None
    asked = question.casefold().replace("\u2019", "'")
    for pattern, said in _ASKED:
        if found := pattern.search(asked):
            return clause, said.format(a=words, **found.groupdict())
    return None


def sentences_in(texts: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of several texts, none of them blank."""
    for text in texts:
        yield from (it.strip() for it in split_sentences(text) if it.strip())
