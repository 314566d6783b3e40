"""Ways of saying that something is over: sold, dead, left; the write policy finds out what was remembered of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.endings.appointments import BARE
from langchain_agentmem.english.endings.ending_words import BACK_AGAIN, FICTION, plain
from langchain_agentmem.english.endings.endings import PASSING, ending_in, may_be_death
from langchain_agentmem.english.endings.jobs_left import QUIT_ALONE
from langchain_agentmem.english.endings.taken_back import IN_FUN, is_own_retraction, may_be_of_others
from langchain_agentmem.english.endings.undone import denial_of, undone_in
from langchain_agentmem.english.people.beings import ANIMALS, BEING, LOWER_NAME, PARTNER
from langchain_agentmem.english.reading.moving import DAY, MOVED
from langchain_agentmem.english.requests.pointing import points_to_task
from langchain_agentmem.english.words.kin_words import any_of
from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.record.conversation import SKIPPED, Passage
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.sentences.ellipses import tells_of_somebody
from langchain_agentmem.extraction.sentences.voice import Voice
from langchain_agentmem.extraction.words.lexicon import QUIT_IT

_NOT_SO: Final = lazy_pattern(
    r"\b(?:if|whenever|would|could|might|whether|unless|until|hop(?:e|ed|ing)|wish|want|dream(?:ed|t)?|suppose"
    r"|imagine|afraid"
    r"|worr(?:y|ied)|(?<!to )(?:says?|tells?)|said|told|claims?|heard|thinks?|thought|rumou?r|pretend|almost|nearly)\b",
    re.IGNORECASE,
)
"""Before what is said to be over, such words say that it may not be."""

_LEAD: Final = lazy_pattern(
    r"(?:sadly|unfortunately|tragically|luckily|finally|(?P<when>yesterday|today|last (?:night|week|month|year|\w+day)"
    r"|this (?:morning|week|month|year)|on \w+day)),? (?=\w)",
    re.IGNORECASE,
)
"""What may stand before it; when it was, is said behind it."""

_REASON: Final = lazy_pattern(r",? (?:but |just |only )?(?:because|since|so that|in order)\b", re.IGNORECASE)
"""What stands behind it may be all that is denied: who did not sell a car because of its age may have sold it."""

_OF_WORK: Final = lazy_pattern(
    r"\b(?:jobs?|work\w*|boss\w*|managers?|offices?|compan(?:y|ies)|employer|colleagues?|co-?workers?|shifts?|salary"
    r"|career|hired?)\b",
    re.IGNORECASE,
)
_JOINED: Final = lazy_pattern(
    r"\b(?:join\w*|play\w*|sing\w*|smok\w+|vap\w+|drink\w*|gambl\w+|stud(?:y|ies|ying)|attend\w*|cours\w+|class\w*"
    r"|lessons?|clubs?|choirs?|bands?|teams?|gyms?|schools?|college|uni\w*|diets?|games?)\b",
    re.IGNORECASE,
)
"""Else one quits what one has joined, or does too much."""

_EXCLAIMED: Final = 3
"""Words that tell of nothing before it: "That's it. I quit." """

_STRONGER: Final = lazy_pattern(r"\W*(?:I|we) (?:\w+ )?(?:hate|loathe|detest|despise|can't stand) it\b", re.IGNORECASE)
"""What stands behind it may say more: who does not dislike fish may hate it."""

_IT: Final = lazy_pattern(r"\b(?:it|him|her|them|he|she|they)\b", re.IGNORECASE)
_CIRCUMSTANCE: Final = lazy_pattern(r"(?:when|after|before|as|since|because|once)\b", re.IGNORECASE)
"""So begins what tells at what time, or why, something came to be over."""

_LEFT_ME: Final = lazy_pattern(r"(?P<who>she|he) (?:\w+ )?(?:left|dumped|divorced|broke up with) me\b", re.IGNORECASE)
_PARTNER: Final = lazy_pattern(rf"\b(?:my|our) (?P<role>{PARTNER})\b", re.IGNORECASE)
_SOMEBODY: Final = lazy_pattern(rf"\b{BEING}s?\b", re.IGNORECASE)
_OF_OTHER_SEX: Final = {
    "she": frozenset({"husband", "boyfriend", "fiance", "fianc\u00e9"}),
    "he": frozenset({"wife", "girlfriend", "fiancee", "fianc\u00e9e"}),
}

_OF_TWO: Final = lazy_pattern(r"I\b.*\b(?:broke|split) up\b", re.IGNORECASE)

_OF_TALE: Final = lazy_pattern(rf"{FICTION.pattern}|\b(?:watch|read|saw|see|seen|play)(?:ed|ing)?\b", re.IGNORECASE)
"""Before "the dog died": it may be the dog of a film. It may be somebody else's as well, of whom was told."""

_ANIMAL: Final = lazy_pattern(rf"\b{any_of(ANIMALS)}s?\b", re.IGNORECASE)
_NOBODY: Final = lazy_pattern(
    rf"(?:just |finally |recently )?(?:sold|bought|got (?:the|my|our)|swapped|stopped|{QUIT_IT}|gave (?:my|the|our)"
    r"|lost my job|cancell?ed|traded|broke up with|split up with|got rid of|moved (?:in|out)|retired"
    r"|got (?:laid off|fired|divorced)|came off|(?P<am>off|back from|back at work|(?:down|up) to(?= \d)"
    r"|not (?:doing|running|taking|sitting|giving)(?= [\w ]{1,60}? (?:any ?more|after all)\b)))\b",
    re.IGNORECASE,
)
"""So people begin what is over for them, without themselves."""

_FIRST_NAME: Final = lazy_pattern(rf"\b(?P<name>{LOWER_NAME})(?= (?:and I\b|(?:just |has )?turned \d))")

_PRESENT: Final = lazy_pattern(r"\bsplits(?= (?:up|from)\b)")
"""What is over is past, and "I split up" has the form of the present."""


_I_AM: Final = lazy_pattern(
    r"(?:I'm|I am) (?P<what>(?!being|going)\w.*)|I (?P<does>(?:live|work|like|love|hate|have|own|use|play|speak"
    r"|eat|drink|smoke|prefer"
    r"|drive|take) .+)",
    re.IGNORECASE,
)
_JOKED: Final = lazy_pattern(rf"\b(?:{IN_FUN}|lied|lying|lie|made)\b", re.IGNORECASE)
"""Who only takes back what they said ("scrap that") says nothing of how it is."""

_DENIED: Final = lazy_pattern(r"\b(?:not|never|no|nobody|nothing|don't|can't|no longer)\b|n't\b", re.IGNORECASE)


def ended(clause: Clause, voice: Voice, *, is_passing: bool = False) -> Draft | None:
    """Return what a clause says to be over, or `None`; what was told of both is told of the user with the other.

    `is_passing`: only what is worth remembering where it ends something, and else only what always is.
    """
    ahead, _, behind = clause.since.partition(clause.text) if clause.text in clause.since else ("", "", "")
    is_back = BACK_AGAIN.match(behind.lstrip(" ,")) is not None or _STRONGER.match(behind) is not None
    if clause.is_ironic or clause.speaker != "user" or _NOT_SO.search(ahead) or is_back:
        return None
    text, is_bare = _with_article(_with_subject(_in_order(_behind(clause))))
    other = clause.other
    if not other and _OF_TWO.match(text) and " with " not in text:  # nobody breaks up alone
        return None
    is_theirs = tells_of_somebody(clause.before) and _ANIMAL.search(clause.before) is not None
    is_of_another = is_theirs or _OF_TALE.search(clause.before) is not None
    if is_of_another and text[:4].casefold() == "the " and may_be_death(text):
        return None
    ending = ending_in(f"{other} and {text}" if other else text)
    if ending is None or (ending.is_passing or (is_bare and not ending.tells_day)) is not is_passing:
        return None
    content = _PRESENT.sub("split", voice.retell(_of_both(text, other)), count=1)
    return Draft(kind="fact", content=content, tags=(PASSING,) if is_passing else (), is_correction=True)


def _with_subject(text: str) -> str:
    """Return a sentence with the user as its subject, where it has none, and with a capital for a name."""
    bare = _NOBODY.match(text)
    if bare is not None:
        return f"{'I am' if bare['am'] else 'I'} {text[:1].lower()}{text[1:]}"
    return _FIRST_NAME.sub(lambda it: it[0].capitalize(), text, count=1)


_TO_A_THING: Final = lazy_pattern(
    rf"\b{MOVED} (?:to|until|till) {DAY} (?!(?:mornings?|afternoon|evening|night|lunch\w*|noon|at|due|because|of"
    rf"|instead|now"
    r"|and|so|but|from|by|as|since|lol|please|too|again|though|tho|with|for|in|on|actually|unfortunately|sadly"
    r"|apparently"
    r"|luckily|thanks|also|if|when|which|until|to|not|after|before|around|this|next|omg|haha|yay|btw|fyi|early|late"
    r"|sharp|rooms?|online|then|already|thank|ugh|argh|yesterday|today|i|we|it|he|she|they)\b)[a-z][\w-]*",
    re.IGNORECASE,
)
"""What is moved to something that is called by a day, is no appointment: "test moved to 3 May branch"."""


def _with_article(text: str) -> tuple[str, bool]:
    """Return news of an appointment with an article, and whether it had none: "exam got postponed to the 28th"."""
    bare = BARE.match(text)
    if bare is None or _TO_A_THING.search(text):
        return text, False
    is_name = bare[0] != bare[0].lower() and " " in bare[0]
    return f"The {text if is_name else text[:1].lower() + text[1:]}", True


def _behind(clause: Clause) -> str:
    """Return a clause with what stood before it behind it: "When I moved to Kiel, I sold my car"."""
    if _CIRCUMSTANCE.match(clause.setting) is None:
        return clause.whole
    return f"{clause.text} {clause.setting[:1].lower()}{clause.setting[1:].rstrip(' ,')}"


def _in_order(text: str) -> str:
    """Return a sentence with its day at the end: "yesterday my dog died"."""
    lead = _LEAD.match(text)
    if lead is None:
        return text
    when = (lead["when"] or "").casefold()
    return f"{text[lead.end() :]} {when}".strip()


def _of_both(text: str, other: str) -> str:
    if not other:
        return text
    link = "with" if _OF_TWO.match(text) else "from"
    whom = other if other.partition(" ")[0].casefold() not in {"my", "our"} else f"{other[:1].lower()}{other[1:]}"
    return f"{text} {link} {whom}"


def unended(clause: Clause, voice: Voice) -> Draft | None:
    """Return what a clause says not to be over, or `None`; the write policy finds out what it takes back."""
    ahead, _, behind = clause.since.partition(clause.text) if clause.text in clause.since else ("", "", "")
    is_open = clause.is_ironic or bool(clause.setting) or _NOT_SO.search(ahead) or _REASON.match(behind)
    if is_open or clause.speaker != "user":
        return None
    text = f"{clause.other} and {clause.text}" if clause.other else clause.text
    if undone_in(text) is None:
        return None
    return Draft(kind="fact", content=voice.retell(text), is_correction=True)


def as_undoing(draft: Draft) -> Draft:
    """Return a draft by any rule as a correction where it says that something is not over: "my dog is still alive"."""
    is_undone = draft.kind == "fact" and undone_in(draft.content) is not None
    return replace(draft, is_correction=True) if is_undone else draft


def with_ending(clause: Clause, said: Sequence[Clause], question: str = "") -> Clause:
    """Return a clause with what was said last to be over in the place of its pronoun: "I didn't sell it".

    Who quits what they have just spoken of, or were asked about, quits "it".
    """
    clause = _left_by(clause, said[-1].text) if said else clause
    if any(it.fullmatch(plain(clause.text)) for it in QUIT_ALONE) and _is_of_another_thing(clause, said, question):
        return replace(clause, text="I quit it")
    ending = ending_in(said[-1].text) if said else None
    whole = None if ending is None or ending.of_what is None else ending.of_what
    text = clause.text if whole is None else _IT.sub(whole, clause.text, count=1)
    is_meant = text != clause.text and undone_in(text) is not None
    return replace(clause, text=f"{text[:1].upper()}{text[1:]}") if is_meant else clause


def _is_of_another_thing(clause: Clause, said: Sequence[Clause], question: str) -> bool:
    """Whether what was spoken of right before somebody quit is no work."""
    spoken = clause.before or question
    if not spoken:
        return bool(said) and _JOINED.search(said[-1].text) is not None
    return len(spoken.split()) > _EXCLAIMED and _OF_WORK.search(spoken) is None


def _left_by(clause: Clause, before: str) -> Clause:
    """Return a clause with the partner who was spoken of last in the place of a pronoun: "She left me"."""
    left, partner = _LEFT_ME.match(clause.text), [it["role"].casefold() for it in _PARTNER.finditer(before)]
    is_one = len(partner) == 1 and len(_SOMEBODY.findall(before)) == 1
    if left is None or not is_one or partner[0] in _OF_OTHER_SEX[left["who"].casefold()]:
        return clause
    return replace(clause, text=f"My {partner[0]} {clause.text[left.end('who') + 1 :]}")


def kidded(passage: Passage, said: Sequence[Clause], spoken: str) -> Clause | None:
    """Return what a message says that does no more than take back what was said last: "just kidding".

    Args:
        passage: The message.
        said: What the user stated last.
        spoken: The whole of their message before: one that ends by asking for a joke was none itself.
    """
    if not said or not is_own_retraction(passage.text):
        return None
    if may_be_of_others(passage.text) and points_to_task(spoken, [said[-1].evidence]):
        return None
    text = denial_of(said[-1].text) if ending_in(said[-1].text) is not None else _not_so(said, passage)
    ids = tuple(dict.fromkeys((*passage.message_ids, *said[-1].message_ids)))
    evidence = f"{said[-1].evidence}{SKIPPED}{passage.original.strip()}"
    return None if text is None else Clause(text=text, evidence=evidence, message_ids=ids)


def _not_so(said: Sequence[Clause], passage: Passage) -> str | None:
    """Return the denial of the one thing that was said last about oneself: "I'm not vegan" after "I'm vegan"."""
    plain = _I_AM.fullmatch(said[-1].text) if len(said) == 1 and not said[-1].setting else None
    if plain is None or _DENIED.search(said[-1].text) or _JOKED.search(passage.text) is None:
        return None
    return f"I'm not {plain['what']}" if plain["what"] else f"I don't {plain['does']}"
