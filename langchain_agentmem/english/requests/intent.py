"""What a user's message asks of memory: recall or none, something to forget, everything that is known.

Rules over set phrases; where none fits, memory is asked: a needless recall costs a
millisecond, a missed one the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.requests.forget_agreed import agreed_to
from langchain_agentmem.english.requests.forget_asked import forget_asked
from langchain_agentmem.english.requests.kinds_asked import kinds_asked
from langchain_agentmem.english.requests.said_last import ASK
from langchain_agentmem.english.text.contractions import as_read
from langchain_agentmem.english.text.questions import questions_in
from langchain_agentmem.english.words.patterns import LETTER
from langchain_agentmem.types import Kind

__all__ = ["Intent", "agreed_intent", "detect_intent", "is_small_talk", "planned_action", "says_it"]

_KEPT: Final = 1_024
MAX_SMALL_TALK_WORDS: Final = 8
"""A longer message wants something beside the pleasantry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What a message asks of memory.

    Attributes:
        needs_memory: Whether to recall at all; `reason`: why, or why not, for the receipt.
        is_about_me: The user asks what is remembered about them.
        is_forget_request: The user asks to forget `forget_what`, with `forget_all` everything, or with `forget_last`
            so many of the messages they sent last.
        is_bare: `forget_last` is no more than "scrap that", which may be about a task; see `pointing.points_to_task`.
            `is_of_things`: or "delete that", which may be about anything at hand.
        questions: What is asked, one by one, where a message asks more than one thing.
        planned_action: What the user wants done, in their own words, where they name a deed.
        kinds: Kinds of memories that are asked for as such: "what are my goals?"
    """

    needs_memory: bool
    reason: str
    is_about_me: bool = False
    is_forget_request: bool = False
    forget_what: str | None = field(default=None, repr=False)
    forget_all: bool = False
    forget_last: int = 0
    is_bare: bool = False
    is_of_things: bool = False
    questions: tuple[str, ...] = field(default=(), repr=False)
    planned_action: str | None = field(default=None, repr=False)
    kinds: tuple[Kind, ...] = ()


_PLEASANTRY: Final = (
    r"(?:hi+|hello+|hey+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|night|day)|morning|evening"
    r"|thanks?(?: you)?(?: (?:so|very) much| a lot| again| anyway)?|thx|ty|cheers|much appreciated"
    r"|no (?:problem|worries|thanks)|you're welcome"
    r"|bye(?: bye)?|goodbye|see (?:you|ya)(?: (?:later|soon|tomorrow))?|take care|good ?night"
    r"|talk (?:to you )?(?:soon|later)"
    r"|ok(?:ay)?|k|cool|great|nice|awesome|perfect|wonderful|lovely|amazing|sounds good|got it|i see"
    r"|makes sense|that makes sense|understood|fair enough|all good|sure|right|alright|yes|no|yep|nope"
    r"|yeah|wow|haha+|lol|hm+|oh"
    r"|how are you(?: (?:doing|today|doing today))?|how(?:'s| is) it going|what's (?:up|new)|sup"
    r"|how (?:are things|have you been|was your day)|long time no see"
    r"|have an? (?:nice|good|great|lovely) (?:day|evening|night|weekend|one)|good to (?:see|hear from) you"
    r"|nice to meet you|happy (?:new year|holidays|friday)|merry christmas|congrats|congratulations"
    r"|welcome back|never mind|nevermind|i'm (?:good|fine)|there|everyone|all|so much|very much|too"
    r"|again|my friend|buddy|and|then)"
)
_SMALL_TALK: Final = lazy_pattern(rf"\W*+(?:{_PLEASANTRY}\W++)*{_PLEASANTRY}\W*+", re.IGNORECASE)

_SUM: Final = lazy_pattern(
    r"\W*+(?:(?:please|hey|hi|ok|so|and|now|quick|can you|could you)\W++){0,4}(?:what(?:'s| is| does)"
    r"|how much is|calculate|compute|solve|work out|tell me|evaluate)?\W*+"
    r"(?:(?:the )?(?:square root|sum|product|difference|cube root|result|value|answer|factorial) of\W*+)?"
    r"[-+(]*\d[\d.,\s]*(?:(?:% of|percent of|[-+*/x×÷^%=()]|\*\*|plus|minus|times|divided by|multiplied by|over|mod"
    r"|modulo|to the power of|percent of|% of|squared|cubed|and|equal|equals?|factorial"
    r"|!)[\s\d.,()%-]*+)++\W*",
    re.IGNORECASE,
)
_ONE_OFF: Final = lazy_pattern(
    r"\W*(?:(?:please|hey|hi|ok|can you|could you|would you|quickly|just)\W++){0,4}"
    r"(?:translate|what does .{1,60} mean|what(?:'s| is) the (?:capital|population|currency|area"
    r"|height|chemical symbol|plural|opposite|synonym|definition|meaning|boiling point|speed"
    r"|past tense|square root) of|define|spell|how do you (?:say|spell|pronounce)"
    r"|convert [\d.,]+|how many [\w ]+ (?:are )?(?:in|per) an? |(?:tell|give) (?:me |us )?(?:a|another"
    r"|one more) (?:\w+ )?(?:joke|riddle|fun fact|random \w+|haiku|limerick|proverb)"
    r"|write (?:me )?an? (?:haiku|limerick|poem|joke) about"
    r"|who (?:invented|discovered|wrote|painted|composed|directed|founded|won)|when (?:was"
    rf"|did) (?:the )?{LETTER}|what year|flip a coin|roll a (?:die|dice)|pick a random|generate a random"
    r"|count to|reverse the (?:string|word)|sort (?:these|this|the following)|capitali[sz]e"
    r"|what time is it|what day is (?:it|today)|what(?:'s| is) (?:today's|the) date)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_PERSONAL: Final = lazy_pattern(
    (
        r"\b(?:i|i'm|i've|i'd|i'll|my|mine|myself|we|we're|we've|our|ours|us|last time|again|as (?:usual"
        r"|always|before)|usual|same as|like before|previous(?:ly)?|earlier|remember(?:ed)?|recall"
        r"|the other day|yesterday|continue|where (?:were|did) we|still|favou?rite|prefer(?:red|ence)?)\b"
    ),
    re.IGNORECASE,
)
_ME_ONLY_AS_LISTENER: Final = lazy_pattern(
    r"\b(?:tell|give|show|write|send|explain to|teach|help) (?:me|us)\b|\bcan i\b", re.IGNORECASE
)
_ME: Final = lazy_pattern(r"\bme\b", re.IGNORECASE)

_ABOUT_ME: Final = lazy_pattern(
    r"\b(?:what|which (?:things|facts)|everything|anything|tell me (?:what|everything)|show me (?:what"
    r"|everything)|list (?:what|everything|all))\b[^.?!]{0,40}?\b(?:do |did |have |that |is "
    r"|are )?you(?:'ve)? (?:\w+ )?"
    r"(?:know|remember(?:ed)?|recall|stored?|saved?|kept|keep|learn(?:ed|t)?|have (?:stored|saved"
    r"|on file|on record)|got)\b(?: (?:\w+ )?(?:about|on|of) (?:me|us|my (?:data|profile|account))"
    r"|[^.?!]{0,12}$)"
    r"|\bwhat (?:is|'s|are|do you have) (?:stored|saved|in (?:your|my) memor(?:y|ies)"
    r"|on file)(?: about (?:me|us)| for me)?\b|\b(?:show|list|print|display|export|dump|see"
    r"|view)(?: me)? (?:all )?(?:of )?(?:my|your) (?:memor(?:y|ies)|stored (?:data|facts)"
    r"|saved (?:data|facts))\b"
    r"|\bwhat (?:memor(?:y|ies)|data|information|facts) (?:do you (?:have|hold|keep|store)"
    r"|have you (?:got|stored|saved|kept))(?: (?:about|on|of) (?:me|us))?\b|\bwho am i\b"
    r"|\bdo you (?:even )?(?:know|remember) (?:anything |something |things )?(?:about |who )(?:me"
    r"|i am)\b",
    re.IGNORECASE,
)

_DEED: Final = lazy_pattern(
    rf"(?:^|[.!?;\n]\s*|,\s+(?:so |and )?){ASK}(?:i (?:want|need|would like|'d like) (?:you )?to "
    r"|let's |we (?:should|need to|have to|must) )?"
    r"(?P<deed>(?:deploy|release|ship|publish|push|merge|roll ?back|restart|delete|remove|drop|migrate"
    r"|install|upgrade|update|run|execute|book|order|buy|pay|transfer|send|e-?mail|call|text|schedule"
    r"|cancel|reserve|create|submit|share|post|invite|refund|rename|move|back ?up|restore|start|stop"
    r"|close|open|archive|charge|renew|subscribe|unsubscribe|sign up|apply|approve|reject|assign"
    r"|invoice|print|upload|download|sell|rebook|reschedule)\b[^.!?\n]*)",
    re.IGNORECASE,
)


def detect_intent(text: str) -> Intent:
    """Return what a message asks of memory.

    Example:
        >>> detect_intent("thanks!").needs_memory
        False
        >>> detect_intent("Please forget that I like sushi.").forget_what
        'that I like sushi'
    """
    text = as_read(text).strip()
    if not text:
        return Intent(needs_memory=False, reason="the message holds no words")
    forgotten = _forgotten(text)
    if forgotten is not None:
        return forgotten
    questions = questions_in(text)
    if _ABOUT_ME.search(text):
        return Intent(
            needs_memory=True, reason="the user asks what is remembered", is_about_me=True, questions=questions
        )
    kinds = kinds_asked(text)
    if kinds:
        reason = f"the user asks for memories of kind {' and '.join(kinds)}"
        return Intent(needs_memory=True, reason=reason, questions=questions, kinds=kinds)
    idle = _idle_reason(text)
    if idle is not None:
        return Intent(needs_memory=False, reason=idle)
    planned = planned_action(text)
    return Intent(needs_memory=True, reason=_reason(text, planned), questions=questions, planned_action=planned)


def agreed_intent(requested: str, asked: str, text: str) -> Intent | None:
    """Return what a message asks of memory that agrees to forget what the assistant asked about; else `None`.

    Args:
        requested: The user's message before: where it asked to forget nothing, nothing is agreed to.
        asked: What the assistant said to it.
        text: The message.

    Example:
        >>> agreed_intent("Forget the fish thing.", "Shall I forget that you like sushi?", "Yes.").forget_what
        'that I like sushi'
    """
    what = agreed_to(asked, text)
    if what is None or not detect_intent(requested).is_forget_request:
        return None
    reason = "the user agrees to forget something"
    return Intent(needs_memory=True, reason=reason, is_forget_request=True, forget_what=what)


@of_texts(_KEPT)
def is_small_talk(text: str) -> bool:
    """Whether a message only greets, thanks, agrees or takes leave: nothing that was said answers it.

    Example:
        >>> is_small_talk("Good morning!"), is_small_talk("Good morning, what do I drink?")
        (True, False)
    """
    plain = as_read(text).strip()
    return len(plain.split()) <= MAX_SMALL_TALK_WORDS and _SMALL_TALK.fullmatch(plain) is not None


_BETWEEN: Final = r"[\W_]+"


def says_it(content: str, text: str, *, as_name: bool) -> bool:
    """Whether a memory has the words of small talk: "Buddy" is a greeting, and may be the dog's name.

    Args:
        content: What is remembered.
        text: What is said; words that say nothing are left out at both ends.
        as_name: Only where they stand as a name: capitalised in both, and not at the beginning of a sentence.

    Example:
        >>> says_it("My dog is called Buddy.", "Buddy?", as_name=True), says_it("Nice one!", "Nice", as_name=True)
        (True, False)
    """
    words = re.findall(r"[^\W_]+", text)
    telling = [place for place, word in enumerate(words) if tokenize(word)]
    if not telling:
        return False
    wanted = words[telling[0] : telling[-1] + 1]
    if as_name and not wanted[0][0].isupper():
        return False
    phrase = rf"\b{_BETWEEN.join(wanted)}\b"
    return re.search(rf"(?<=\w ){phrase}" if as_name else f"(?i:{phrase})", content) is not None


def planned_action(text: str) -> str | None:
    """Return what a message wants done, in its own words; `None` where it names no deed."""
    deed = _DEED.search(as_read(text))
    return deed.group("deed").strip() if deed else None


def _forgotten(text: str) -> Intent | None:
    asked = forget_asked(text)
    if asked is None:
        return None
    return Intent(
        needs_memory=True,
        reason="the user asks to forget something",
        is_forget_request=True,
        forget_what=asked.what,
        forget_all=asked.is_all,
        forget_last=asked.last,
        is_bare=asked.is_bare,
        is_of_things=asked.is_of_things,
    )


def _idle_reason(text: str) -> str | None:
    """Return why a message needs no memory, or `None` where it may."""
    if is_small_talk(text):
        return "small talk"
    if _SUM.fullmatch(text):
        return "arithmetic"
    if _ONE_OFF.fullmatch(text) and not _is_personal(text):
        return "a request that depends on nothing said before"
    return None


def _is_personal(text: str) -> bool:
    bare = re.sub(r"\"[^\"]*\"|(?<!\w)'[^'\n]+'(?!\w)", " ", _ME_ONLY_AS_LISTENER.sub(" ", text))
    return _PERSONAL.search(bare) is not None or _ME.search(bare) is not None


def _reason(text: str, planned: str | None) -> str:
    if _is_personal(text):
        return "the message is about the user or goes on from earlier"
    return "the message asks for an action" if planned else "memory may help, and nothing speaks against it"
