"""Short replies mean something only beside the question or the advice before them."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.text.sentences import split_sentences
from langchain_agentmem.english.words.number_words import TWENTY_OR_MORE, spelled
from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.dialogue.asked_open import told_by_choice
from langchain_agentmem.extraction.record.conversation import SKIPPED, Passage
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.words.cues import is_hedged
from langchain_agentmem.extraction.words.lexicon import NO_NAME

_MAX_ANSWER_WORDS: Final = 6  # a longer reply is a sentence that speaks for itself
_MAX_ANSWER_CHARS: Final = 120
_MAX_ADVICE_CHARS: Final = 160  # of the advice that a verdict repeats: a longer one cannot be told in a sentence

_LAST_QUESTION: Final = lazy_pattern(r"(?:^|[.!?:\n]\s*|,\s+(?:and |so )?)(?P<question>[^.!?\n]{1,300})\?\W*$")
_AFTERTHOUGHT: Final = lazy_pattern(
    r"[.!]$|,\s+(?:mostly|mainly|usually|I think|please|nice to meet)\b|\s+(?:lol|haha)$"
)
_OPEN: Final = (
    (
        lazy_pattern(
            (
                r"(?:and |so )?where (?:do you|are you) (?P<rest>(?:currently |now )?(?:live|living|work|working"
                r"|based|located|come from|from|studying|study))\b.*"
            ),
            re.IGNORECASE,
        ),
        "I'm {rest} in {answer}",
    ),
    (
        lazy_pattern(
            (
                r"(?:and |so )?(?:which|what) (?:city|town|country|place|area|region|part of \w+) (?:do you live"
                r"|are you (?:based|living|located)) in\b.*"
            ),
            re.IGNORECASE,
        ),
        "I live in {answer}",
    ),
    (
        lazy_pattern(
            r"(?:and |so )?(?:which|what) (?:company|employer|firm) do you work (?:for|at)\b.*", re.IGNORECASE
        ),
        "I work at {answer}",
    ),
    (
        lazy_pattern(
            (
                r"(?:and |so )?(?:what do you do(?: for (?:a living|work))?|what(?:'s| is) your (?:job|profession"
                r"|occupation|line of work))\b.*"
            ),
            re.IGNORECASE,
        ),
        "I work as {answer}",
    ),
    (
        lazy_pattern(
            (
                r"(?:and |so )?(?:what should I call you|who am I (?:talking|speaking) (?:to|with)|what(?:'s"
                r"| is) your (?:\w+ )?name|may I (?:ask|have) your name|how should I address you)\b.*"
            ),
            re.IGNORECASE,
        ),
        "my name is {answer}",
    ),
    (lazy_pattern(r"(?:and |so )?how old are you\b.*", re.IGNORECASE), "I'm {answer}"),
    (lazy_pattern(r"and (?P<rest>your [\w' -]+ names?)", re.IGNORECASE), "{rest} is {answer}"),
    (
        lazy_pattern(
            (
                r"(?:and |so )?(?:what|which|when|where|who)(?: is| are|'s) (?P<rest>your [\w' -]+?)(?<! like)"
                r"(?: these days| now| by the way)?$"
            ),
            re.IGNORECASE,
        ),
        "{rest} is {answer}",
    ),
    (
        lazy_pattern(
            (
                r"(?:and |so )?(?:what|which)(?: [\w-]+){0,4} (?:do|would) you (?P<rest>(?:usually |normally "
                r"|generally |mostly |currently )?(?:like to \w+|like|love|prefer|enjoy|use|speak|drive|play|study"
                r"|teach|read"
                r"|watch|eat|drink|take|own|have|want|listen to|program in|write in|work with))\b.*"
            ),
            re.IGNORECASE,
        ),
        "I {rest} {answer}",
    ),
    (
        lazy_pattern(
            (
                r"(?:and |so )?(?:what|which)(?: [\w-]+){0,3} are you (?P<rest>allergic to|learning|studying"
                r"|working on|training for|saving for|using|into|interested in)\b.*"
            ),
            re.IGNORECASE,
        ),
        "I'm {rest} {answer}",
    ),
)
_CLOSED: Final = (
    (
        lazy_pattern(
            (
                r"(?:and |so )?are you (?P<rest>(?!sure|ready|okay|ok|free|there|still there|done|asking|saying"
                r"|looking|trying|able|happy|referring)[\w' -]+)"
            ),
            re.IGNORECASE,
        ),
        "I'm {rest}",
        "I'm not {rest}",
    ),
    (
        lazy_pattern(
            (
                r"(?:and |so )?do you (?P<rest>(?:have|own|like|love|prefer|enjoy|eat|drink|smoke|speak|drive|play"
                r"|use|work|live|study)\b(?! (?:a (?:question|moment|minute)|any (?:questions|preference)"
                r"|time)\b)[\w' -]+)"
            ),
            re.IGNORECASE,
        ),
        "I {rest}",
        "I don't {rest}",
    ),
)
_OPEN_CHOICE: Final = lazy_pattern(r"\b(?:any\w*|some\w*|either|or)\b", re.IGNORECASE)
"""What a "yes" leaves open: "do you have any allergies?"."""

_YES: Final = lazy_pattern(
    (
        r"(?:yes|yeah|yep|yup|correct|exactly|indeed|I am|I do|that's right|of course|absolutely"
        r"|definitely)(?:,? (?:I (?:do|am)|indeed|that's right|exactly|always))?"
    ),
    re.IGNORECASE,
)
_NO: Final = lazy_pattern(
    (
        r"(?:no|nope|nah|not at all|never|I'm not|I don't|I do not|I am not)(?:,? (?:I (?:don't|do not"
        r"|am not)|I'm not|not at all|never))?"
    ),
    re.IGNORECASE,
)
_NOT_AN_ANSWER: Final = lazy_pattern(
    (
        r"^(?:yes|no|yeah|nope|nah|ok|okay|sure|thanks|thank you|maybe|perhaps|I |I'm|I'd|we |it |it's"
        r"|that|this|the (?:first|second|third|last|former|latter|same|other)|either|neither|both|none"
        r"|nothing|anything|whatever|no idea|not|don't|do|what|why|how|who|when|where|can|could|please|hmm"
        r"|well|wait|sorry|stop|never mind|nobody|never|always|all of|any|depends|good|great|later|skip"
        r"|pass|why do|my |our |you|your|let|just|only|because|if|forget|actually|hi|hello|hey|bye)\b"
    ),
    re.IGNORECASE,
)
_EVASION: Final = lazy_pattern(
    r"(?:used to\b|with\b|kidding|joking|boring|stressful|exhausting|far\b|abroad\b|away\b|around\b|nearby\b"
    r"|complicated|personal|confidential|up to you|hard to|a long story|nowhere|somewhere|everywhere|anywhere"
    r"|same\b|guess"
    r"|take a guess|(?:a )?secret|ha(?:ha|h| ha)*\b|lol\b|hehe"
    r"|old enough|too\b|ex\b|none of|private|classified|between|retired|unemployed|home\b|here\b|there\b|all over"
    r"|not )",
    re.IGNORECASE,
)
"""What is no answer, however short."""

_PREPOSITION: Final = lazy_pattern(
    r"(?P<how>in|at|near|from|on|outside|around|for|as|by"
    r"|with(?= (?:my|our|an?|family|friends|flatmates|housemates|roommates)\b)) (?=\S)",
    re.IGNORECASE,
)
_LED: Final = lazy_pattern(
    r"(?:(?:it's|its|it is|that's|still|just|um|uh|oh|well|sure|hi|hey)[,\s]+){1,3}(?=\S)", re.IGNORECASE
)
_TRAILING: Final = lazy_pattern(
    r"(?:[\s,]+(?:please|pls|plz|thanks|thx|lol|haha"
    r"|(?:is|will be) (?:fine|good|ok|okay|great)|will do|works|originally))+$",
    re.IGNORECASE,
)
"""Words before and behind an answer that are none of it."""

_OPEN_END: Final = lazy_pattern(r" (?:(?P<in>in|at)|as|is|from) $", re.IGNORECASE)
_NUMBER_WORDS: Final = rf"(?:{TWENTY_OR_MORE}|{spelled(10, 19)})"
_WANTED: Final = (
    (
        lazy_pattern(r"\bI'm $"),
        lazy_pattern(rf"(?:almost |nearly |about )?(?:\d{{1,3}}|{_NUMBER_WORDS})(?: years old)?", re.IGNORECASE),
    ),
    (
        lazy_pattern(r"\bname is $", re.IGNORECASE),
        lazy_pattern(
            r"(?:(?:dr|mrs?|ms|prof)\.? )?[^\W\d_][\w'\u2019-]*(?: [^\W\d_][\w'\u2019.-]*){0,3}", re.IGNORECASE
        ),
    ),
    (
        lazy_pattern(r" (?:in|at|near|from|outside|around) $", re.IGNORECASE),
        lazy_pattern(r"(?:the )?[^\W_][\w'\u2019&.-]*(?:,? [^\W_][\w'\u2019&.-]*){0,4}", re.IGNORECASE),
    ),
)
"""After which words an answer must be what: an age, a name, a place."""

_VERDICT: Final = lazy_pattern(
    (
        r"(?:(?:ok|okay|hmm|well|great|thanks|thank you|perfect|awesome|nice|unfortunately|sadly|nope|no"
        r"|yes|yeah|so)[,.!]* ){0,4}(?:(?:that|this|it|your (?:suggestion|fix|advice|tip|solution|idea|answer)"
        r"|the (?:fix|suggestion|tip|advice|trick|workaround)) (?:still |just |actually |really |totally "
        r"|finally |completely ){0,4}(?:worked|works|did the trick|did(?:n't| not) (?:work|help|fix|change|do)"
        r"|does(?:n't| not) (?:work|help|fix)|fixed|solved|helped|failed|fails|broke|made it worse|did it"
        r"|resolved|crashed)|worked (?:like a charm|perfectly|fine|great|well|now|for me)|works (?:now"
        r"|like a charm|perfectly)|still (?:not working|fails|failing|broken|the same (?:error|problem"
        r"|issue)|getting|doesn't work|does not work|crashes|no luck)|no luck|same (?:error|problem|issue"
        r"|result)(?: again| as before)?|(?:did|does)(?:n't| not) (?:work|help))\b.*"
    ),
    re.IGNORECASE,
)
_ADVICE: Final = lazy_pattern(
    (
        r"(?:please |you (?:could|can|should|might want to|may want to|need to) |(?:could|can|would"
        r"|will) you (?:please )?(?:try )?|try |maybe |perhaps |let's |I(?:'d| would)? (?:suggest"
        r"|recommend|advise)(?: that you| you| to)? |have you tried |what about |how about "
        r"|why not ){0,4}(?P<deed>[\w-].*)"
    ),
    re.IGNORECASE,
)


def answered(reply: Passage, before: Passage | None, spoken: str = "") -> Clause | None:
    """Return a short answer to the assistant's last question as a full statement of the user.

    Args:
        reply: The answer.
        before: What the assistant said.
        spoken: What the user had said before that.
    """
    text = _first_sentence(reply.text)
    asked = _LAST_QUESTION.search(before.text.strip()) if before is not None and before.speaker == "assistant" else None
    if asked is None or not text:
        return None
    question = asked.group("question").strip()
    closed = _closed(question, text) or told_by_choice(question, split_sentences(reply.text.strip())[0], spoken)
    stated = closed or _opened(question, text)
    if before is None or stated is None:
        return None
    at = reply.text.index(text)
    words = reply.cut(at, at + len(text))
    if closed is None:
        return Clause(text=stated, evidence=words, speaker=reply.speaker, message_ids=reply.message_ids)
    ids = tuple(dict.fromkeys((*before.message_ids, *reply.message_ids)))  # "yes" says nothing without its question
    return Clause(text=stated, evidence=f"{question}?{SKIPPED}{words}", speaker=reply.speaker, message_ids=ids)


def is_nothing_but(reply: Clause, passage: Passage) -> bool:
    """Whether a message says nothing beside the answer that was read in it."""
    return reply.evidence.endswith(passage.original.strip(" .,!\n"))


def verdict(clause: Clause, before: Passage | None) -> Draft | None:
    """Return how the assistant's advice turned out, where the user says so right after it."""
    if before is None or before.speaker != "assistant" or not _VERDICT.fullmatch(clause.text):
        return None
    sentences = [part.strip() for part in split_sentences(before.text.strip()) if part.strip()]
    advice = _ADVICE.fullmatch(sentences[-1]) if sentences else None
    if advice is None or len(advice.group("deed")) > _MAX_ADVICE_CHARS:
        return None
    deed = advice.group("deed").rstrip(" .!?:")
    return Draft(kind="outcome", content=f"{deed[:1].upper()}{deed[1:]}: {clause.text}")


def _closed(question: str, reply: str) -> str | None:
    for pattern, yes, no in _CLOSED:
        match = pattern.fullmatch(question)
        if match and _YES.fullmatch(reply) and not _OPEN_CHOICE.search(question):
            return _about_me(yes.format(rest=match.group("rest")))
        if match and _NO.fullmatch(reply):
            return _about_me(no.format(rest=match.group("rest")))
    return None


def _opened(question: str, said: str) -> str | None:
    reply = _TRAILING.sub("", _LED.sub("", said, count=1)) if len(said) <= _MAX_ANSWER_CHARS else ""
    for pattern, template in _OPEN if reply and _is_answer(reply) else ():
        match = pattern.fullmatch(question)
        if match:
            rest = match.groupdict().get("rest") or ""
            rest = _progressive(rest) if template.startswith("I'm ") else rest
            ahead, _, behind = template.partition("{answer}")
            answer = _fitting(ahead.format(rest=rest).replace("from in ", "from "), reply)
            return None if answer is None else _about_me(f"{answer.removesuffix(behind)}{behind}")
    return None


def _fitting(lead: str, reply: str) -> str | None:
    """Return the words before an answer with it, or `None` where it is none: "my name is" takes a name, "in" a place.

    Who is asked where they live may say "In Oslo" or "Near Leeds", and when their birthday is, "On 4 May".
    """
    place, said = _PREPOSITION.match(reply), reply
    if place is not None:
        said = reply[place.end() :]
        lead = _OPEN_END.sub(lambda it: f" {place['how'].lower()} " if it["in"] else it[0], lead)
    wanted = next((wanted for ends, wanted in _WANTED if ends.search(lead)), None)
    if lead.endswith("name is "):
        said = " ".join(it.capitalize() if it.islower() else it for it in said.split())
        wanted = None if wanted is None or re.match(NO_NAME, said) else wanted
        if wanted is None:
            return None
    return None if not said or _EVASION.match(said) or (wanted and not wanted.fullmatch(said)) else f"{lead}{said}"


def _progressive(rest: str) -> str:
    forms = {"live": "living", "work": "working", "come from": "from", "study": "studying"}
    return forms.get(rest.lower(), rest)


def _about_me(text: str) -> str:
    return re.sub(r"\byour\b", "my", text, flags=re.IGNORECASE)


def _is_answer(text: str) -> bool:
    return len(text.split()) <= _MAX_ANSWER_WORDS and not _NOT_AN_ANSWER.match(text) and not is_hedged(text)


def _first_sentence(text: str) -> str:
    first = split_sentences(text.strip())[0]
    return _AFTERTHOUGHT.split(first, maxsplit=1)[0].strip(" .!,")
