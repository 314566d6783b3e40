"""Whether an answer's claims about its user stand on anything that the assistant was told.

Of the user and of what is theirs a model knows what memory, tools and the conversation say, and nothing besides. What
it says of the rest of the world is its own knowledge, and is not judged here. English; what no rule reads is no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.reading.attributing import is_of_another, is_of_same
from langchain_agentmem.english.reading.statements import FUNCTIONAL_RELATIONS, Fact, Statement, parse_statement
from langchain_agentmem.english.text.quantities import dimension
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.kin_words import PARTNERS
from langchain_agentmem.english.words.lexicon import ATTRIBUTES, PEOPLE, REGIONS, stem
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.policies.conflict import judge
from langchain_agentmem.types import Memory

MAX_CLAIMS: Final = 16
"""Of one answer, the first: who lists more of a user is asked to list what is remembered, and shows it."""

MAX_SENTENCES: Final = 200
"""That an answer is held against, about 40 ms of work; where there are more, nothing is called new to all of them."""

MAX_CLAIM_CHARS: Final = 200
"""Of a claim; a longer clause is more than one, and no rule reads it."""

MAX_TELLING: Final = 20
MAX_TOLD_CHARS: Final = 500
"""Sentences that are kept of a conversation for judging an answer later, and their length."""

_SAME_LETTERS: Final = 4
"""Names that begin with the same letters may be forms of one name ("Berlin", "Berliner")."""

_MAX_ACRONYM: Final = 5
_MAX_REPLY_WORDS: Final = 5  # a longer reply is a sentence that speaks for itself

_TOLD: Final = FUNCTIONAL_RELATIONS - {"is", "is_a", "default", "main", "primary", "preferred", "uses_for"}
"""Relations of which a user has one object at a time, and that are told rather than found out."""

_CODE: Final = lazy_pattern(r"```.*?(?:```|\Z)|`[^`\n]*`|^\s*>.*$", re.DOTALL | re.MULTILINE)
_MARKUP: Final = lazy_pattern(r"[*_#]{1,3}|^\s*(?:[-•]|\d+[.)])\s+", re.MULTILINE)
_CLAUSE: Final = lazy_pattern(
    r"\s*(?:[;:(–—]|\s-\s|,?\s+(?:so|because|which|though|although)\s|,\s+(?:and|but|while|since|as)\s"
    r"|\s(?:and|but|while)\s+(?=you(?:r|'re)?\s)|,\s+(?=you(?:r|'re)?\s))\s*",
    re.IGNORECASE,
)
_LEAD: Final = lazy_pattern(
    r"(?:(?:yes|no|yep|well|right|sure|of course|certainly|okay|ok|indeed|also|and|but|since|because|as|that|hi|hello"
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
    r"|grew up|comes?|booked|ordered|bought|eats?|drinks?|plays?|teach(?:es)?)"
)
_BEING: Final = r"(?:(?:'re|'s|are|is|am|were|was|do|does|don't|doesn't|not|have|has|been)\s+)*"
_ADVERBS: Final = r"(?:(?:still|currently|now|also|always|already|usually|really|both)\s+)*"
_ADVICE: Final = frozenset(
    "option options choice bet way step steps answer question questions query problem issue error code message request"
    " result results next first best goto idea point concern example total new".split()
)
"""What is the user's only for the time of an answer ("your best option is …"), or is counted up by it."""

_TOPICS: Final = (
    ATTRIBUTES
    | PARTNERS
    | PEOPLE
    | frozenset(
        "dog cat pet doctor dentist school university college company car birthday anniversary flight train appointment"
        " meeting neighbourhood neighborhood country home team deadline".split()
    )
)
"""What is told of a person. Of what a user works at ("your cluster", "your function") a model may find out more."""

_TRAITS: Final = lazy_pattern(
    r"(?:lives?|living|resides?|based|located|(?:works?|working|worked|employed) (?:at|for|as|in)|stud(?:y|ies|ying)"
    r"|prefers?|likes?|loves?|hates?|dislikes?|enjoys?|drives?|owns?|speaks?|named|called|born|married|allergic|from"
    r"|moved|grew up|comes?|eats?|drinks?|plays?|teach(?:es)?)\b",
    re.IGNORECASE,
)
"""What is said of a person, not of what is to be done ("you use Helm to install it")."""

_PERSONAL: Final = lazy_pattern(
    r"(?:(?:your|my|the user's)\s+(?P<what>[\w' -]{1,60}?)\s+(?:is|are|was|were|starts?|ends?|begins?|takes? place)\s"
    rf"|(?:you|i|the user)\s?{_BEING}{_ADVERBS}{_BEING}(?P<verb>{_VERBS}\s))\s*\S",
    re.IGNORECASE,
)
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

_COMPOSING: Final = lazy_pattern(
    r"\b(?:write|draft|compose|translate|rephrase|rewrite|proofread|summari[sz]e|role-?play|pretend|story|poem|letter"
    r"|e-?mail to|imagine|make up|invent)\b",
    re.IGNORECASE,
)
"""Who asks for a text gets one: whoever is "you" in it, nothing in it is said of the user."""

_REPLY: Final = lazy_pattern(r"(?:(?:it|that)(?:'s| is| was| would be)|in|at|on)\s+", re.IGNORECASE)
_AT_A_LOSS: Final = lazy_pattern(r"\b(?:know|not|no|don't|sorry|sure|unknown|unclear|your?|my|i|we)\b", re.IGNORECASE)
_NAME: Final = lazy_pattern(rf"(?<=\s){CAPITAL}[\w'-]*")
_PRONOUNS: Final = (
    (lazy_pattern(r"\byou(?: a|')re\b", re.IGNORECASE), "I am"),
    (lazy_pattern(r"\byour\b", re.IGNORECASE), "my"),
    (lazy_pattern(r"\byou\b", re.IGNORECASE), "I"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What was found of an answer.

    Attributes:
        supported: Whether all it claims of its user was told; `False`: something was not; `None`: it claims nothing, or
            rules cannot tell.
        unsupported: The claims that nothing supports, in the answer's words.
        denied: Ids of memories in whose place the answer names something else.
        mistaken: Ids of memories about somebody of whom the answer says nothing, while it says the same of another.
    """

    supported: bool | None = None
    unsupported: tuple[str, ...] = field(default=(), repr=False)
    denied: frozenset[str] = field(default=frozenset(), repr=False)
    mistaken: frozenset[str] = field(default=frozenset(), repr=False)


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """What an assistant was told.

    Attributes:
        memories: That were shown to it.
        said: The user's words. `told`: answers of tools, instructions, and whatever else it read.
    """

    memories: Sequence[Memory] = ()
    said: Sequence[str] = field(default=(), repr=False)
    told: Sequence[str] = field(default=(), repr=False)
    names: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find out what the user is called."""
        known = {memory.scope.user_id.casefold() for memory in self.memories}
        told = {(memory.object or "").casefold() for memory in self.memories if memory.relation == "name"}
        object.__setattr__(self, "names", frozenset(known | told) - {""})

    @cached_property
    def read(self) -> tuple[tuple[str, Statement], ...]:
        """What memories say, by their ids; turns of conversations are read sentence by sentence."""
        return tuple((it.id, said) for it in self.memories if it.kind != "episode" for said in self._read(it))

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """All that was told, sentence by sentence."""
        episodes = (memory.content for memory in self.memories if memory.kind == "episode")
        texts = islice(_sentences([*self.said, *self.told, *episodes]), MAX_SENTENCES)
        return (*(said for _, said in self.read), *map(self.parse, texts))

    @cached_property
    def is_whole(self) -> bool:
        """Whether all that was told was read."""
        return len(self.statements) - len(self.read) < MAX_SENTENCES

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of it, and its stems."""
        own = {word for name in self.names for word in name.split()}
        return frozenset(own).union(*(it.words.union(it.content) for it in self.statements))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number of it."""
        return frozenset(number for it in self.statements for number in it.numbers)

    def parse(self, text: str) -> Statement:
        """Read a sentence; the user's name is the user."""
        called = next((name for name in sorted(self.names) if name in text.casefold()), None)
        return parse_statement(text, speaker_name=called)

    def _read(self, memory: Memory) -> Iterator[Statement]:
        """Yield what a memory's words say, and its fields."""
        yield self.parse(memory.content)
        if memory.relation is not None and memory.object is not None:
            is_user = (memory.subject or "user").casefold() in self.names | {"user", "the user", "i"}
            subject = "user" if is_user else memory.subject
            yield parse_statement(memory.content, subject=subject, relation=memory.relation, object=memory.object)


def check_answer(answer: str, grounds: Grounds, question: str = "") -> Support:
    """Hold an answer's claims about its user against what the assistant was told.

    Args:
        answer: Its last words.
        grounds: What it was told.
        question: What it answers; a few words may be a claim beside it ("Where do I live?" "In Paris.").

    Example:
        >>> check_answer("You live in Paris.", Grounds(said=["I live in Berlin."])).unsupported
        ('You live in Paris',)
    """
    if _COMPOSING.search(question):
        return Support()
    claims = [(shown, grounds.parse(meant)) for shown, meant in islice(_claims(answer, question, grounds), MAX_CLAIMS)]
    found = [_is_supported(claim, grounds) for _, claim in claims]
    unsupported = tuple(shown for (shown, _), verdict in zip(claims, found, strict=True) if verdict is False)
    denied = {id_ for id_, said in grounds.read if any(_names_another(claim, said) for _, claim in claims)}
    supported = False if unsupported else (all(found) or None) if found else None
    mistaken = {id_ for id_, said in grounds.read if any(is_of_another(said, claim) for _, claim in claims)}
    return Support(supported=supported, unsupported=unsupported, denied=frozenset(denied), mistaken=frozenset(mistaken))


def is_told(claim: str, grounds: Grounds) -> bool:
    """Whether something that was told has every word and number of a claim, or says the same."""
    read = grounds.parse(_of_user(claim, grounds.names))
    return _is_supported(read, grounds) is True


def telling(texts: Iterable[str], answer: str) -> tuple[str, ...]:
    """Return the sentences that an answer's claims about its user may stand on, those with most of its words first.

    Of a long conversation that is all it takes to judge an answer later; where nothing is claimed, there are none.
    """
    if next(_claims(answer, "", Grounds()), None) is None:
        return ()
    words = frozenset(tokenize(answer))
    shared = {it: len(words.intersection(tokenize(it))) for it in _sentences(texts) if len(it) <= MAX_TOLD_CHARS}
    best = sorted((it for it, count in shared.items() if count), key=lambda it: -shared[it])
    return tuple(best[:MAX_TELLING])


# --------------------------------------------------------------------------------------------------------------- claims
def _claims(answer: str, question: str, grounds: Grounds) -> Iterator[tuple[str, str]]:
    """Yield claims about the user: as they stand there, and as the user would say them."""
    text = _MARKUP.sub("", _CODE.sub(" ", answer.replace("\u2019", "'")))
    if reply := _reply(text, question):
        yield reply
    for sentence in _sentences([text]):
        if sentence.endswith("?"):
            continue
        for clause in _CLAUSE.split(sentence):
            shown = _LEAD.sub("", clause.strip(), count=1) if _LEAD.match(clause.strip()) else clause.strip()
            shown = shown.rstrip(" .!,;:")
            meant = _of_user(shown, grounds.names)
            if _is_claim(shown, meant):
                yield shown, meant


def _is_claim(shown: str, meant: str) -> bool:
    """Whether a clause says something of the user, and says it plainly."""
    if len(shown) > MAX_CLAIM_CHARS or _OPEN.search(shown):
        return False
    found = _PERSONAL.match(f"{meant} ")
    if found is None or (meant.casefold().startswith(("i ", "my ")) and shown == meant):
        return False  # the assistant's own
    return not set((found["what"] or "").casefold().split()) & _ADVICE


def _of_user(shown: str, names: Iterable[str]) -> str:
    """Return words about the user in the user's own person."""
    for pattern, own in _PRONOUNS:
        shown = pattern.sub(own, shown)
    for name in (*names, "the user"):
        shown = re.sub(rf"^{re.escape(name)}'s\b", "my", shown, flags=re.IGNORECASE)
        shown = re.sub(rf"^{re.escape(name)}\b(?!')", "I", shown, flags=re.IGNORECASE)
    return shown


def _reply(text: str, question: str) -> tuple[str, str] | None:
    """Return what a few words say beside the question that they answer."""
    first = next(_sentences([text]), "")
    clause = _LEAD.sub("", re.split(r"[,;.!(]", first, maxsplit=1)[0].strip(), count=1)
    words = _REPLY.sub("", clause, count=1) if _REPLY.match(clause) else clause
    if not words or len(words.split()) > _MAX_REPLY_WORDS or _AT_A_LOSS.search(words) or _OPEN.search(first):
        return None
    asked = question.casefold().replace("\u2019", "'")
    for pattern, said in _ASKED:
        if found := pattern.search(asked):
            return clause, said.format(a=words, **found.groupdict())
    return None


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (it.strip() for it in split_sentences(text) if it.strip())


# -------------------------------------------------------------------------------------------------------------- support
def _is_supported(claim: Statement, grounds: Grounds) -> bool | None:
    if any(_says(told, claim) for told in grounds.statements):
        return True
    if any(judge(claim, told, similarity=None).rule in _REFUTES for _, told in grounds.read):
        return False
    is_unfounded = _is_new(claim, grounds) or any(is_of_another(told, claim) for told in grounds.statements)
    return False if grounds.is_whole and is_unfounded else None


_CHOSEN: Final = frozenset({"favourite", "favorite", "preferred"})
_REGION_STEMS: Final = frozenset(stem(word) for word in REGIONS)
"""Where a city is known, so is its country."""

_DAYS: Final = frozenset({*WEEKDAYS, *MONTHS})
"""Of a date that was told, the day of the week can be found out."""

_REFUTES: Final = frozenset({"functional_conflict", "other_number", "opposite_polarity"})


def _says(told: Statement, claim: Statement) -> bool:
    """Whether what was told has all of a claim, and denies what it denies."""
    own, others = {*claim.content, *claim.numbers}, {*told.content, *told.numbers}
    if own.isdisjoint(others) or not is_of_same(told, claim):
        return False
    if own <= others and claim.content and bool(claim.negated) == bool(told.negated):
        return True
    return judge(claim, told, similarity=None).relation == "duplicate"


def _is_new(claim: Statement, grounds: Grounds) -> bool:
    """Whether a claim about a person names somebody, something or a time that nothing told the assistant."""
    if not _is_of_person(claim.text):
        return False
    told = {dimension(number) for number in grounds.numbers}
    is_dated = "date" in told or bool(_DAYS & grounds.words)
    named = [name for name in _NAME.findall(claim.text) if name != "I"]
    if any(name.isupper() and len(name) <= _MAX_ACRONYM for name in named):
        return False  # a short form of anything
    names = (name for name in named if name.casefold() not in (REGIONS | _DAYS if is_dated else REGIONS))
    if any(not _is_known(name, grounds.words) for name in names):
        return True
    sizes = {dimension(number) for number in claim.numbers if number not in grounds.numbers}
    if any(size and size not in told for size in sizes):
        return True
    facts = (fact for fact in claim.facts if fact.relation in _TOLD and fact.is_certain and fact.object.isalpha())
    return any(not fact.words & (grounds.words | _REGION_STEMS) for fact in facts)


def _is_of_person(claim: str) -> bool:
    """Whether a claim, in the user's person, is about somebody rather than about what they work at."""
    found = _PERSONAL.match(f"{claim} ")
    if found is None:
        return False
    if found["what"] is None:
        return _TRAITS.match(claim, found.start("verb")) is not None
    words = found["what"].casefold().replace("'s", "").split()
    return words[-1] in _TOPICS or not _CHOSEN.isdisjoint(words)


def _is_known(name: str, words: frozenset[str]) -> bool:
    parts = [part for part in re.split(r"['-]", name.casefold()) if part and part != "s"]
    begins = {word[:_SAME_LETTERS] for word in words}
    return any(part in words or part[:_SAME_LETTERS] in begins for part in parts)


def _names_another(claim: Statement, told: Statement) -> bool:
    """Whether a claim has something else in the place of what a memory says; whoever it is about."""
    return any(_differ(new, old) for new in claim.facts for old in told.facts)


def _differ(new: Fact, old: Fact) -> bool:
    is_one = new.relation == old.relation and set(new.qualifier.split()) == set(old.qualifier.split())
    functional = new.relation in _TOLD or (new.relation == "is" and new.subject == old.subject)
    return is_one and functional and new.is_certain and old.is_certain and not new.words & old.words
