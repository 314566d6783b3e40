"""Cut a passage into clauses that each say one thing, and drop those that do not mean what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from langchain_agentmem.extraction import cues
from langchain_agentmem.extraction.conversation import Passage
from langchain_agentmem.extraction.quarantine import MASK
from langchain_agentmem.types import Speaker

MAX_SENTENCE_CHARS: Final = 400
"""Nobody states a preference in a sentence longer than this; it bounds the work on pasted text."""

_ASIDE_WORDS: Final = 3  # "I'm not sure", "I think so": too short to be about something of its own

_BREAK: Final = re.compile(r"[.!?\u2026]+[\"')\]]*(?=\s|\Z)|\n+|;(?=\s)|\s(?:[\u2013\u2014]|--?)\s|[\U0001F300-\U0001FAFF\u2600-\u27BF]+\ufe0f?")
_TITLE: Final = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Mt|Jr|Sr|No|vs|approx|ca)\.$")
_ABBREVIATION: Final = re.compile(r"\b(?:e\.g|i\.e|etc|a\.m|p\.m|Inc|Ltd|Corp|Co|U\.S|U\.K|D\.C)\.$", re.IGNORECASE)
_BULLET: Final = re.compile(r"\s*(?:[-*\u2022+]|\d{1,2}[.)])\s+")

_OPENER: Final = re.compile(
    r"(?:(?:well|oh|ok(?:ay)?|so|also|and|but|hey|hi|hello|yes|yeah|yep|sure|right|btw|by the way|fyi|just so you know|for your information|just to let you know|for (?:the|your) (?:record|reference)"
    r"|good (?:morning|evening|afternoon)|honestly|frankly|personally|to be (?:honest|fair|clear)|in general|generally(?: speaking)?|basically|anyway|anyways|plus|additionally|furthermore|moreover|besides"
    r"|first of all|first|second(?:ly)?|finally|lastly|one (?:more )?(?:thing|note)|another thing|heads.?up|quick note|side note|ps|p\.s|note|reminder|important|update|thanks|thank you|please note|note|keep in mind|bear in mind"
    r"|you should know|you should also know|i should (?:mention|add|note|say)|i (?:just )?(?:want(?:ed)?|would like|'d like|need(?:ed)?) (?:to )?(?:let you know|tell you|you to know|mention|add|note)|let me tell you|i(?: have|'ve)? (?:already |just )?(?:told|said|mentioned)(?: to)?(?: you)?"
    r"|as (?:i|you) (?:said|mentioned|know|told you)|like i said|remember(?: to(?= (?:always|never|not|only)))?|please remember(?: to(?= (?:always|never|not|only)))?|don't forget(?: to(?= (?:always|never|not|only)))?|make a note|turns out|it turns out|the thing is|truth is|in fact|as a matter of fact|thing is|since|because|by the way|hopefully|ultimately|eventually|one day|someday|some day|long[- ]term|in the long run|some background(?: before we start)?|background|context|for context|as i (?:told|said to) [\w ]+|what matters is|my friend|all right|alright|great|perfect|cool|nice|got it|after all)"
    r"(?:\s+there)?(?P<end>\s*[,:!.]+\s*(?:that\s+)?|\s+that\s+|\s+(?=(?:I|I'm|I've|I'd|my|we|we've|we're|our|always|never|not|only)\b)))",
    re.IGNORECASE,
)
_GREETED: Final = re.compile(r"(?:hi|hello|hey|thanks|thank you|dear|ok|okay)\s+[A-Z]\w+\s*[,!]\s*")
_CORRECTING: Final = re.compile(
    r"(?:(?:oh|no|nope|well|wait|hmm|oops|sorry|my bad|my mistake|hang on|hold on|ah|ok|okay|hey|but|and)\s*[,.!:\u2014-]*\s*)*?(?:(?:no|nope|actually|correction|to correct (?:myself|that|you)|small correction|wait|oops|sorry|my mistake|scratch that|let me correct (?:that|myself)"
    r"|i (?:misspoke|was wrong|made a mistake)|change of plans?|typo|sorry,? typo|forget what i (?:said|told you)(?: about [\w ]+)?|forget (?:about )?that|i(?:'ve)? changed my mind|that's (?:wrong|not right|incorrect|outdated|no longer (?:true|right|the case))|not quite|update|i take that back|strike that)\s*(?:[,.!:\u2014-]+\s*|\s+(?=(?:I|my|we|our|it|that|make|the)\b))(?:but\s+|and\s+)?)+",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(r"(?:no|nope|nah)\s*[,.!]\s*(?!(?:actually|wait|sorry|that's|it's|I meant)\b)", re.IGNORECASE)
_REPLACING: Final = re.compile(
    r"\b(?:any ?more|no longer|not any longer|used to .+ now|gave up (?:on )?|(?:my|our) new (?!(?:goal|year|project|idea|question|hobby)\b)|sold .+ bought|back to (?:an? |the )|revers(?:e|ed|ing)|revert(?:ed|ing)?|(?:has|have) (?:changed|been (?:moved|pushed|changed|postponed|rescheduled|renamed|extended)) to|changed (?:from .+ )?to|switched (?:from .+ )?to|instead now|now instead)\b|\bI (?:now \w+|\w+ [\w ]{1,40} now$|'m [\w ]{1,40} instead$)|,\s*(?:and )?not \S+(?: \S+){0,2}\s*$(?<=\d)",
    re.IGNORECASE,
)
_FIRST: Final = (
    r"(?:I|I'm|I've|I'd|I'll|im|ive|my|we|we've|we're|we'll|our|please|always|never|don't|dont|do not|from now on|actually|nothing|what|the thing|keep|avoid"
    r"|use|be(?= \w+ (?:with|w/?) )|(?:text|call|email|message|write|send|give|show|book|tell) me)"
)
_ROLE: Final = re.compile(
    r"(?:as|being) (?P<role>(?:an?|someone who|somebody who|a person who|the) (?!result|rule|test|quick|side|follow|matter|reminder|start|first|last|heads|workaround|bonus|precaution|general|final|way|case|next|consequence|joke|user|customer)[^,.!?]{2,60}?)(?:,|\s+(?=(?:I|I'm|we|my)\b))\s*",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"(?:can|could|would|will) (?:you|we|everyone)(?: all)? (?:please |kindly )*(?P<ask>(?:always|never|from now on|stop|not|avoid|keep your|only)\b.*|mind (?P<not>not )?(?P<doing>\w+ing\b.*))|can you (?P<please>please (?:always|never|not|stop|only)\b.*)",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"[\s,]+(?:tbh|fyi|btw|lol|haha|imo|imho|ngl|thanks|thank you|thx|pls|plz|if (?:you don't mind|possible|that's ok(?:ay)?|you can|you could|you would)|to be honest|you know|okay|ok|by the way|silly as that (?:sounds|is)|for what it's worth|as you know|as always|please and thank you)$",
    re.IGNORECASE,
)
_MISSPELT: Final = (
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|should|could|must)nt\b", re.IGNORECASE), r"\1n't"),
    (re.compile(r"\bcant\b", re.IGNORECASE), "can't"),
    (re.compile(r"\bwont\b", re.IGNORECASE), "won't"),
    (re.compile(r"\bim\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\bive\b", re.IGNORECASE), "I've"),
    (re.compile(r"\bi\b"), "I"),
    (re.compile(r"\bw/? (?=me\b)", re.IGNORECASE), "with "),
    (re.compile(r"\b(?:pls|plz)\b", re.IGNORECASE), "please"),
    (re.compile(r"^(?:nah|nope|no),? (?=I)", re.IGNORECASE), ""),
)
_ELLIPSES: Final = (
    (re.compile(r"(?:going|looking|hoping|planning|trying|aiming|working|training|saving|studying|learning|preparing|living) (?:to|towards?|on|for|in|at|as|an?|my)\b", re.IGNORECASE), "I'm "),
    (re.compile(r"(?:not a(?: big| huge)? fan|(?:big|huge|lifelong) fan|allergic|vegetarian|vegan|lactose intolerant|left-handed|born and raised|originally from|based in|married (?:to|with)|single (?:mom|mum|dad|parent)|fluent in|new to|more of an?|(?:very |really |so |totally )?(?:into|fond of|keen on|partial to))\b", re.IGNORECASE), "I'm "),
    (re.compile(r"(?:grew up|just moved|moved|recently moved|started (?:working|at|a|my|learning)|switched|ended up|went with|decided|chose|opted|graduated|quit|bought|adopted|got (?:married|promoted|a)|never (?:got|learned|owned|liked|been)|used to|lost \w+ (?:kilos|kg|pounds)|gave up|signed up|work(?:ed)? (?:at|for|as|in|from|remotely)|live (?:in|with|alone|near)|prefer|hate|can't stand|cannot stand|can't (?:eat|drive|swim|imagine|live|work|have)|love (?!how|it|when|this|that|you|to (?:help|hear|see))|enjoy|dislike|have (?:two|three|four|an?|\d)|speak|drive an?|don't (?:eat|drink|like|smoke|drive|own|have a|want any)|usually|mostly|want to|need to|plan to|hope to)\b", re.IGNORECASE), "I "),
    (re.compile(r"been (?:living|working|playing|learning|studying|using|vegan|vegetarian|married)\b", re.IGNORECASE), "I've "),
)
_SETTING: Final = re.compile(
    rf"(?:when|whenever|while|for|in|on|at|during|after|before|as|since|because|once|until|with|by|this|over|outside|if|unless|given|every|regarding|concerning|within|most|to|going forward)\b[^,]*,\s+(?={_FIRST}\b)"
    r"|(?:from now on|going forward|in (?:the )?future|henceforth|by default),?\s+"
    r"|(?:when|whenever|for|in|on|at|during|after|before|by|as of)\s(?:[^,\s]+\s+){1,8}?(?=(?:I|I'm|I'd|we|my|our)\s)",
    re.IGNORECASE,
)
_JOINT: Final = re.compile(
    rf"\s*[,:]?\s+and\s+(?:also\s+|then\s+|now\s+|that\s+)*(?={_FIRST}\b)(?!always\b|never\b)|\s*[,:]?\s+(?:but|so|plus|though|although|whereas|yet|because|since)\s+(?:also\s+|then\s+|now\s+|that\s+)*(?={_FIRST}\b)|,\s+(?:also\s+)?(?={_FIRST}\b)", re.IGNORECASE
)
_ELIDED: Final = re.compile(
    r"\s*,?\s+(?:and|but)\s+(?=(?:(?:also|really|always|never|usually|absolutely|still|mostly|now|currently|generally)\s+)*(?:(?:do not|don't|can't|cannot)\s+\w+"
    r"|prefer|love|hate|dislike|enjoy|live|work(?! life)|use|have(?! to)|own|speak|play|drive|am|collect|despise|detest|adore|like(?! (?:to|that|this)\b)|can't|cannot|need|aim|plan to|hope to|want to|avoid|study)\s)",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(r"(?P<subject>I|we)(?:'\w+|\b)", re.IGNORECASE)
_AM: Final = re.compile(r"(?P<subject>I'm|I am)\b", re.IGNORECASE)
_AM_ELIDED: Final = re.compile(r",?\s+and\s+(?=(?:an? (?!few\b|lot\b|bit\b)|allergic|vegetarian|vegan|married|from|based|originally|single|retired|left-handed|fluent|\d{2}(?: years old)?(?=\s*(?:$|,|and\b)))\b)", re.IGNORECASE)
_ASKING_TAIL: Final = re.compile(
    r"\s*[,:\u2014-]?\s+(?:and|so|but)?\s*(?:what|which|where|who|whom|whose|how|when|why|can|could|would|will|should|do|does|did|is|are|any|got any|may|shall|have you|has)\b[^,]*$|,\s*(?:and |so )?(?:what|which|where|who|how|when|why|can|could|would|will|should|do|does|did|is|are|any)\b.*$",
    re.IGNORECASE,
)
_ASKING_CLAUSE: Final = re.compile(
    r"\s*(?:[,:;\u2014-]|\b(?:and|so|but|or)\b)+\s+(?:(?:so|and|but|then|also|please|like|maybe) )*(?:(?:can|could|would|will|do|did) you\b|(?:should|can|could|shall|do|am|may) (?:I|we)\b|(?:is|are) there\b|how (?:can|do|should|could|would|might|to|does|will|much|many|long)\b|what(?:'s| is| are| should| would| could| do| does| if| about| can| kind| other| steps| tips)\b|which (?:\w+ )?(?:is|are|should|would|one)\b|where (?:can|should|do|is|are)\b|why (?:is|are|do|does|would)\b|any (?:tips|advice|ideas?|suggestions?|pointers|thoughts|recommendations?|chance)\b|I(?:'m| am| was) (?:just )?(?:wondering|curious|not sure)\b|I wonder\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_TAG_QUESTION: Final = re.compile(r",\s*(?:right|correct|ok|okay|yes|no|isn't it|don't I|aren't I|am I|do I|didn't I|haven't I|yeah|huh|remember|you know|didn't we|don't we)\s*$", re.IGNORECASE)
_INTERROGATIVE: Final = re.compile(
    r"(?:so |and |but |hey |ok |well,? )?(?:what|which|where|who|whom|whose|how|why|can|could|would|will|should|do|does|did|is|are|am|was|were|has|have|shall|may|any|when (?:do|did|is|was|should|can|will))\b(?! you (?:please )?(?:always|never))(?!n't\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One statement: what a rule reads.

    Attributes:
        text: The clause with its subject, without openers such as "by the way,".
        setting: What stood before it and limits it: "for backend work".
        evidence: The exact words in the message.
        is_correction: It was introduced as one ("actually", "no,").
        is_denial: It was introduced by a mere "no", which after a question is an answer.
        is_replacing: Its words say that something else was true before ("no longer", "my new …").
        is_asked: The user asked for it to be remembered ("remember that …").
        is_momentary: The sentence speaks of now, today or this task.
        is_ironic: The sentence praises what nobody likes.
    """

    text: str
    evidence: str
    speaker: Speaker = "user"
    message_ids: tuple[str, ...] = ()
    setting: str = ""
    is_correction: bool = False
    is_denial: bool = False
    is_replacing: bool = False
    is_asked: bool = False
    is_momentary: bool = False
    is_ironic: bool = False

    @property
    def whole(self) -> str:
        """The clause after its setting: what is retold."""
        return f"{self.setting} {self.text}" if self.setting else self.text


def clauses(passage: Passage) -> Iterator[Clause]:
    """Yield the clauses of a passage that state something: no questions, hedges, hypotheses, hearsay or irony."""
    is_ironic = cues.is_ironic(passage.text)
    carries_correction = False
    for start, end, is_question in _sentences(passage.text):
        sentence = passage.text[start:end]
        if cues.opens_fiction(sentence):
            return
        opener = _CORRECTING.fullmatch(f"{sentence.strip()}, ")
        if opener is not None:  # "Sorry, my mistake." corrects with the next sentence
            carries_correction = True
            continue
        for clause in _stated(passage, start, end, is_question=is_question):
            yield replace(
                clause, is_correction=clause.is_correction or carries_correction, is_ironic=is_ironic or cues.is_ironic(sentence)
            )
        carries_correction = False


def _spelled(text: str) -> str:
    """Return a clause as a rule expects it: no politeness behind it, the apostrophes and the subject in their places."""
    bare = None
    while bare != text:
        bare, text = text, _TAIL.sub("", text.strip().rstrip(" ,.;:!\"'"))
    for pattern, right in _MISSPELT:
        text = pattern.sub(right, text)
    subject = next((prefix for pattern, prefix in _ELLIPSES if pattern.match(text)), "")
    return f"{subject}{text[:1].lower()}{text[1:]}" if subject else text


def _sentences(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield start, end and whether it asks, for each sentence of bearable length."""
    start = 0
    for match in _BREAK.finditer(text):
        head = text[start : match.start() + 1]
        follows = text[match.end() : match.end() + 2].strip()
        if match.group() == "." and (_TITLE.search(head) or (_ABBREVIATION.search(head) and not follows[:1].isupper())):
            continue
        yield from _sentence(text, start, match.start(), "?" in match.group())
        start = match.end()
    yield from _sentence(text, start, len(text), is_question=False)


def _sentence(text: str, start: int, end: int, is_question: bool) -> Iterator[tuple[int, int, bool]]:  # noqa: FBT001
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    while start < end and text[start].isspace():
        start += 1
    if 0 < end - start <= MAX_SENTENCE_CHARS:
        yield start, end, is_question


def _stated(passage: Passage, start: int, end: int, *, is_question: bool) -> Iterator[Clause]:
    polite = _POLITE.match(passage.text, start, end)
    if polite is not None:
        yield _requested(passage, polite)
        return
    role = _ROLE.match(passage.text, start, end)
    stated = _statement_before_question(passage.text[start:end], is_question=is_question)
    sentence = passage.text[start : start + stated] if role is None else passage.text[start : max(role.end(), start + stated)]
    if cues.is_unreal(sentence) or cues.is_reported(sentence):
        return
    if role is not None:
        yield _clause(passage, f"I'm {role.group('role')}", role.group())
        stated = _statement_before_question(passage.text[role.end() : end], is_question=is_question)
        start = role.end()
    if passage.text[start : start + stated].strip():
        yield from _coordinated(passage, start, start + stated)


def _coordinated(passage: Passage, start: int, end: int) -> Iterator[Clause]:
    is_momentary = cues.is_momentary(passage.text[start:end])
    is_denial = _DENIAL.match(passage.text, start, end) is not None
    is_replacing = _REPLACING.search(passage.text, start, end) is not None
    start, is_correction, is_asked = _skip_openers(passage.text, start, end)
    setting = _SETTING.match(passage.text, start, end)
    if _INTERROGATIVE.match(passage.text, start, end) and not setting:
        return
    limit = passage.text[start : setting.end()].strip() if setting else ""
    spans = list(_spans(passage.text, setting.end() if setting else start, end))
    hedged = [cues.is_hedged(passage.text[first:last]) for first, last, _ in spans]
    if cues.is_hedged(limit) or any(_is_aside(passage, span) for span, is_open in zip(spans, hedged, strict=True) if is_open):
        return
    for number, (first, last, subject) in enumerate(spans):
        if hedged[number]:
            continue
        text = f"{subject} {passage.text[first:last].strip()}".strip()
        yield replace(
            _clause(passage, text, passage.cut(start if subject or not number else first, last)),
            setting="" if number else limit,
            is_correction=is_correction,
            is_denial=is_denial,
            is_replacing=is_replacing,
            is_asked=is_asked,
            is_momentary=is_momentary,
        )


def _is_aside(passage: Passage, span: tuple[int, int, str]) -> bool:
    """Whether a hedge stands on its own ("…, I think") and so weakens its whole sentence."""
    return len(passage.text[span[0] : span[1]].split()) <= _ASIDE_WORDS


def _clause(passage: Passage, text: str, evidence: str) -> Clause:
    return Clause(text=_spelled(text), evidence=evidence.strip(), speaker=passage.speaker, message_ids=passage.message_ids)


def _requested(passage: Passage, polite: re.Match[str]) -> Clause:
    """Return a polite standing request as the order it is: "would you mind not calling?" asks to avoid calling."""
    doing = polite.group("doing")
    ask = polite.group("ask") or polite.group("please") or ""
    if doing is not None:
        ask = f"avoid {doing}" if polite.group("not") else ""
    elif ask.lower().startswith("not "):
        ask = f"don't {ask[4:]}"
    clause = _clause(passage, ask, passage.original[polite.start() : polite.end()])
    return replace(clause, is_momentary=cues.is_momentary(ask))


def _statement_before_question(sentence: str, *, is_question: bool) -> int:
    """Return how many characters at the start state something: "I live in Berlin, what is open?" states the first four words."""
    if is_question and (_INTERROGATIVE.match(sentence) or _TAG_QUESTION.search(sentence)):
        return 0
    tail = _ASKING_CLAUSE.search(sentence) or (_ASKING_TAIL.search(sentence) if is_question else None)
    if tail is not None:
        return tail.start()
    return 0 if is_question else len(sentence)


def _skip_openers(text: str, start: int, end: int) -> tuple[int, bool, bool]:
    """Return where the statement proper begins, whether it is a correction and whether it is asked to be remembered."""
    is_correction = is_asked = False
    while True:
        correcting = _CORRECTING.match(text, start, end)
        opener = correcting or _OPENER.match(text, start, end) or _GREETED.match(text, start, end)
        if opener is None or opener.end() >= end:
            return start, is_correction, is_asked
        is_correction |= correcting is not None
        is_asked |= re.search(r"\b(?:remember|forget|note|keep in mind|bear in mind|fyi|for the record)\b", opener.group(), re.IGNORECASE) is not None
        start = opener.end()


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and the subject to be supplied, for each coordinated clause."""
    for first, last in _cut(text, start, end, _JOINT):
        subject = _SUBJECT.match(text, first, last)
        if subject is None:
            yield first, last, ""
            continue
        supplied = ""
        for head, tail in _cut(text, first, last, _ELIDED):
            yield from _appositions(text, head, tail, supplied)
            supplied = subject.group("subject")


def _appositions(text: str, first: int, last: int, supplied: str) -> Iterator[tuple[int, int, str]]:
    if supplied or not _AM.match(text, first, last):
        yield first, last, supplied
        return
    subject = ""
    for head, tail in _cut(text, first, last, _AM_ELIDED):
        yield head, tail, subject
        subject = "I'm"


def _cut(text: str, start: int, end: int, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text, start, end):
        if match.start() > start and len(text[start : match.start()].split()) > 1:
            yield start, match.start()
            start = match.end()
    yield start, end
