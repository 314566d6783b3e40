"""Words that tell whether a sentence means what it says: hedges, hypotheses, irony, moods of the moment."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.beings import BEING
from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.kin_words import RELATIVES
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL
from langchain_agentmem.english.words.word_forms import PAST
from langchain_agentmem.extraction.words.grounds import before_grounds, before_voucher
from langchain_agentmem.extraction.words.lexicon import COLLEAGUE, DIET, HEALTH

_HEDGED: Final = lazy_pattern(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|might|not (?:really |entirely |quite |so |100% "
    r"|completely )?(?:sure|certain)|unsure|undecided"
    r"|on the fence|i guess|i suppose|i think i|i think we|i think my|i believe i|i feel like i"
    r"|i wonder|wondering|kind ?of|sort ?of|kinda|sorta|no idea"
    r"|could be|may (?:be|want|like|prefer|move|switch|need|try|go|start|end)|considering"
    r"|thinking (?:about|of)|toying with|leaning|tempted to"
    r"|haven't (?:\w+ ){0,2}decided|have not (?:\w+ ){0,2}decided|hasn't decided|not decided"
    r"|still (?:deciding|debating|figuring|unclear|open)"
    r"|don't know (?:if|whether|what|how)|can't decide|it depends|depends on|or something"
    r"|or so i think|seems like i|not yet decided|torn between"
    r"|who knows|take or leave|either way is fine|no (?:strong )?preference|don't (?:care"
    r"|mind) (?:either way|which|what)|hard to say|i could (?:see|imagine)|don't remember"
    r"|can't remember|(?<!what )(?<!how )(?<!as )(?<!than )(?<!way )(?<!where )(?<!when )i (?:think|believe|reckon"
    r"|assume|presume|guess)(?=\W*$)|iirc|if i (?:recall|remember)|(?:almost|nearly) (?:chose|went|picked|moved|bought"
    r"|switched|left|joined|replaced|dropped|quit|migrated|changed|married|signed)"
    rf"|(?:i|we) (?:almost|nearly) (?:[a-z]+ed|{'|'.join(sorted(PAST))}))\b",
    re.IGNORECASE,
)
_BUT_OF_A_SLIP: Final = (
    rf"(?!(?<=should have) (?:said|written|typed|put) (?:(?:in|at|on|an?|the) )?(?-i:(?!I\b){CAPITAL}|\d))"
)
"""Who should have said Bath puts right what they said; all else that should have been was not."""

_UNREAL: Final = lazy_pattern(
    r"\b(?:suppose|supposing|(?<!can't )(?<!cannot )(?<!couldn't )imagine|imagining|pretend(?:ing)?"
    r"|what if|let's (?:say|assume|pretend|imagine|suppose)|say i (?:lived|am|were|had|was)|assum(?:e"
    r"|ing)"
    r"|hypothetical(?:ly)?|were i|had i|i wish (?!to\b)|if only|as if|as though|(?:i|we|it|you"
    r"|they) (?:would(?:n't)?|could(?:n't)?|should(?:n't)?) have"
    rf"{_BUT_OF_A_SLIP}|in (?:theory|another life"
    r"|a perfect world|an ideal world)"
    r"|in (?:my|the|a|this) (?:novel|story|script|game|dream|movie|film|play|book|poem|song|scenario"
    r"|essay|role)|role-?play|once upon a time"
    r"|for (?:the sake of (?:argument|th(?:e|is) \w+|example)|example|instance)|e\.g\.|my character"
    r"|my avatar (?:does|lives|works)|i (?:(?:once|just|even|also|actually) )?dream(?:t|ed) (?!of|up|big|a lot|in\b"
    r")\w+"
    r"|as an? (?:[\w-]+ ){1,3}would (?:say|put it)|the (?:protagonist|narrator|hero|villain|character)"
    r"|if (?:i|we|you|my|someone|somebody|he|she|they|it) (?:\w+ly )?(?:were|was|had|lived|moved"
    r"|worked|became|got|could|would|owned|won|went|wanted|liked|preferred|hated|loved|needed|used"
    r"|said|told|started|ever)\b"
    r"|when(?:ever)? (?:i|we)(?:'m| am|'re| are) (?:finally )?(?:rich|famous|(?:an? )?(?:multi)?(?:m|b)illionaires?"
    r"|president|king|queen)"
    r"|(?:when|if|once) (?:i|we) (?:finally )?(?:win|hit) (?:the|a) (?:lottery|jackpot)|(?:in )?(?:my |a )?(?:next"
    r"|former|past) life,? (?:i|we)"
    r"|back in (?:19|20)\d\d,? (?:i|we) (?:live|work|am|are|have)"
    r"|if (?:i|we) (?:don't|do not|can't|cannot|get|lose|fail|pass|win|find|miss"
    r"|don't get)\b[^.!?]{1,80}?,? (?:i|we)(?:'ll"
    r"| will) (?:probably |then |just )?(?:have to|need to|be able to|be forced to|be allowed to)"
    r"|^\W*(?:i|we) (?:said|told you)(?: that)? (?:i|we)\b[^.!?]{1,80}\bbut (?:actually|in fact) (?!i\b|we\b"
    r"|my\b|our\b)\w+"
    r"|if i'd|if we'd|if you asked me|unless i (?:were|had))\b",
    re.IGNORECASE,
)
_NO_HOBBY: Final = "".join(
    rf"(?<!\b{it} )"
    for it in (
        "do",
        "does",
        "love",
        "loves",
        "like",
        "likes",
        "enjoy",
        "enjoys",
        "into",
        "of",
        "about",
        "for",
        "run",
        "hate",
    )
)
"""Before a role play that is spoken of, and not played."""

_ADVISER: Final = (
    r"(?:(?:an?|my|our|the) )?(?:[\w-]+ ){0,2}?(?:therapists?|counsell?or|coach|nutritionist|dietiti?an|dietician|tutor"
    r"|trainer|mentor|travel agent|financial advis[eo]r|advis[eo]r|career advis[eo]r|planner|secretary|assistant|pa"
    r"|personal shopper|translator|editor|copywriter)"
)
"""As whom the assistant is asked to help the one who asks: what these say of themselves is meant."""

_FICTION: Final = lazy_pattern(
    r"\b(?:suppose|(?<!can't )(?<!cannot )(?<!couldn't )imagine"
    r"|(?<!\bi )(?<!love )(?<!loves )(?<!like )(?<!likes )(?<!can't )(?<!not )pretend(?! play\b)|hypothetical(?:ly)?"
    rf"|{_NO_HOBBY}role-?play(?!ing? (?:groups?|clubs?|servers?|games?)|(?:ing)? as a hobby"
    rf"|s?\b[^.!?]{{0,20}} (?:group|club|server|class))"
    r"|let's (?:say|assume|pretend|imagine)|for the sake of|in (?:my|the|a|this) (?:novel|story|script"
    r"|scenario)"
    rf"|you are (?:playing|acting)|act as(?! {_ADVISER}\b)|my character|(?:write|tell)(?: me)? an? (?:short |funny "
    r"|little )?(?:story|poem|song|script|dialogue|scene|joke)|as a joke|just kidding|just joking|jk"
    r"|i'm kidding|i'm joking)\b",
    re.IGNORECASE,
)
_IRONY: Final = lazy_pattern(
    r"(?:^|\s)/s\b|🙄|🙃|[.!] (?:not!+|(?-i:NOT)[.! ]*$)|\b(?:yeah,? right|sure,? because|as if|said no ?\w+ ever"
    r"|just what (?:i|we) (?:needed|wanted|always wanted)|how (?:wonderful|lovely|delightful|fun|nice"
    r"|exciting|original)"
    r"|(?:oh|wow|ah|well),? (?:great|joy|good|wonderful|fantastic|brilliant|perfect|lovely|super|nice"
    r"|sure|yes|yay|how|what a|thanks)|what (?:a|an) (?:joy|treat|delight|surprise|pleasure)"
    r"|because who doesn't|because nothing says|who doesn't love|don't (?:you|we) (?:all )?just love"
    r"|lucky me|thanks a lot for|so much fun when|my favou?rite (?:thing|part|hobby|pastime|way)"
    r"|can't wait (?:for|to) (?:another|more|spend|sit|debug|do)|nothing (?:better|i love more) than"
    r"|big surprise|real(?:ly)? helpful|living the dream|sounds like a blast|best (?:day|feeling) ever"
    r"|totally (?:love|enjoy|adore|my)|obviously (?:love|enjoy|adore)|clearly (?:love|enjoy|adore)"
    r"|of course i (?:love|enjoy|adore)|until i (?:die|drop)|exactly what i (?:prefer|love|wanted"
    r"|needed)|for all eternity|(?:how|what) (?:could|would) i do without|my dream(?=\W*$))\b",
    re.IGNORECASE,
)
_PLEASURE: Final = lazy_pattern(
    (
        r"\b(?:love|loves|enjoy|adore|fond of|favou?rite|dream|fan of|live for|can't get enough of"
        r"|fantastic|wonderful|brilliant|superb|splendid|marvell?ous|excellent|terrific|awesome|perfect"
        r"|great|lovely|delightful)\b"
    ),
    re.IGNORECASE,
)
_PAIN: Final = lazy_pattern(
    r"\b(?:crash\w*|broken|breaks? (?:again|every|on)|outages?|downtime|being (?:ignored|interrupted"
    r"|woken|told|lied|micromanaged|blamed|charged)|ignored|interrupted|woken|traffic|jams?|delay(?:s"
    r"|ed)?|cancell?ed|tax (?:forms?|returns?)|taxes|on hold|(?:standing|waiting|stuck) in|queues?"
    r"|spam|pop-?ups?|root canals?"
    r"|hidden fees|screaming|flat tires?|merge conflicts|undocumented|segfaults?|paged|3 ?a\.?m"
    r"|4 ?a\.?m|middle of the night|micromanag\w*|passive.aggressive|wiped|lost all|unpaid"
    r"|another (?:meeting|form|password|update|outage|bug|ticket|email|call|login|reorg|survey|error)"
    r"|more meetings|forms? to fill|filling (?:in|out)|rebooting|fails? (?:again|every|on|at)"
    r"|failing (?:again|every)|burn(?:ed|t)|mosquito\w*|cold platforms|paperwork|hangovers?|layoffs"
    r"|broke (?:again|down)|again and again|for the \w+ time|stack traces?|deadlines? (?:moved|on)"
    r"|rained? on|noisy|screwed|useless)\b",
    re.IGNORECASE,
)
_STRESSED_PLEASURE: Final = lazy_pattern(
    (
        r"\b(?:just|simply|absolutely|so|totally|really|truly|oh,?|always|especially|do) (?:love|enjoy"
        r"|adore|like)\b"
    ),
    re.IGNORECASE,
)
_MILD_PAIN: Final = lazy_pattern(
    (
        r"\b(?:when|how|being|having to|spending|waiting|paying|losing|stuck|late|bugs?|errors?|fail\w*"
        r"|ads|mondays|weekends?|meetings|dentists?|fees|slow|overtime|restart\w*|missing|legacy"
        r"|yet another)\b"
    ),
    re.IGNORECASE,
)

_MOMENT: Final = lazy_pattern(
    r"\b(?:today|tonight|right now|just now|at the moment|this (?:morning|afternoon|evening|minute"
    r"|second|instant|weekend|time)|tomorrow|yesterday|for (?:now|the moment|today|tonight|once)"
    r"|just (?:this once|for this|once|kidding)|in a (?:minute|second|bit|moment|hurry|rush)|on my way"
    r"|brb|currently (?:at|on|in|reading|watching|eating|stuck|waiting|sitting|feeling)"
    rf"|last night|later today|so far today|these days i feel|a minute|in (?:an?|a few|a couple of|{TWO_OR_MORE}"
    rf"|\d+) (?:seconds?|minutes?|hours?)|(?:this|next|all|last) week|until (?:{WEEKDAY}|tomorrow"
    r"|tonight|later)"
    r"|in this (?:chat|conversation|session|thread|message|file|case|example|script|function|email|mock-?up"
    r"|design|draft|screen|slide|exercise|picture)"
    r"|for this (?:one|chat|conversation|session|thread|message|file|case|example|task|question|script"
    r"|email|answer|time))\b",
    re.IGNORECASE,
)
_REPORTED: Final = lazy_pattern(
    r"(?<![\w'])(?!(?:I|we|you|and|I've|we've|always|just|already|as|also|like|have|had|stop|quit|avoid|don't"
    r"|doesn't|didn't|not|never|ever|so|then|therefore|to|please|can|could|would|will|should|must|and|or|but)\b)(?:he"
    r"|she"
    r"|they|it|who|people|someone|somebody|everyone|everybody|one|[\w']+)\s+(?:always |just |once "
    r"|often |also |keeps |kept |has |had |never )?"
    r"(?:said|says|saying|tells?|told (?:me|us|him|her|them)|claims?|claimed|thinks?|believes?"
    r"|insists?|insisted|wrote|writes|argues?|argued|suggests?|suggested|recommends?|recommended|asked"
    r"|swears|mentioned|joked|complained|texted)\b(?! me to always)",
    re.IGNORECASE,
)
_REPORTING: Final = lazy_pattern(r"\s*,?\s+(?:and|but)\s+(?=(?:he|she|they)\s)", re.IGNORECASE)
_HEARSAY: Final = lazy_pattern(
    r"\b(?:according to|as the saying goes|the (?:article|book|docs?|documentation|manual|email|e-mail"
    r"|letter|review|report|post|sign|song|lyrics?|poster|blog) (?:says?|said|states?|reads?|claims?"
    r"|goes)"
    r"|as (?!(?:I|we)\b)\w+(?: \w+)? (?:once |always |famously |used to )?(?:puts?|said|says|say|wrote|writes|sings?"
    r"|sang|observed|remarked)(?: it)?|rumou?r|supposedly|apparently|allegedly|in the words of"
    r"|people say|they say)\b",
    re.IGNORECASE,
)
_SPEAKER: Final = (
    rf"(?:(?:(?:one|some) of )?(?:my|our|his|her|their|the|an?|some) (?:[\w'-]+ ){{0,2}}?"
    rf"(?:{BEING}|{COLLEAGUE}|{RELATIVES}|m[ae]n|wom[ae]n|guys?|girls?|boys?|lady|ladies|person|people|folks?|family)s?"
    r"|my [\w-]+|he|she|they|someone|somebody|everyone|everybody|people"
    rf"|(?!I\b){CAPITAL}[\w.'-]*(?: {CAPITAL}[\w'-]*)?)"
)
_SAID_BEHIND: Final = lazy_pattern(
    r"[,\u2014-]\s*(?:said|says|claims?|claimed|insists?|insisted|thinks|thought|reckons?|reckoned|announced|argues?|argued)"
    rf" {_SPEAKER}(?: (?:at|in|from|on|once|again|yesterday|today|last)\b[\w' -]{{0,30}})?[\s.!]*$",
    re.IGNORECASE,
)
"""Whose words they were, at the end: "I'm not coeliac, said my brother"; who "says a few words" says none of these."""

_SELF_REPORT: Final = lazy_pattern(
    (
        r"\b(?:I|we)(?:'ve)? (?:have |already |just |always |once ){0,4}(?:said|say|told|tell|mentioned|wrote"
        r"|asked|think|believe|suggested|recommend)\b"
    ),
    re.IGNORECASE,
)
_CLINICIAN: Final = lazy_pattern(
    (
        r"\b(?:doctor|dentist|physician|gp|therapist|optician|allergist|dietitian"
        r"|nutritionist)\b[^.]{0,30}\bI(?:'m| am| have)\b"
    ),
    re.IGNORECASE,
)


_DIAGNOSER: Final = (
    r"(?:(?:my |the |our )?(?:doctors?|dentist|physician|gp|psychiatrist|psychologist|therapist|optician|allergist"
    r"|specialist|consultant|cardiologist|dermatologist|neurologist)|they|the hospital)"
)
DIAGNOSED: Final = (
    rf"{_DIAGNOSER} (?:just |also |have |recently )?(?:says?|said|told me|confirmed|diagnosed me,? and said)"
    rf"(?: that)? (?=(?:I have|I've got|I've|I'm|I am|I suffer from) (?:(?:an?|very|severe|mild|chronic|type \w+|got) )"
    r"{0,2}"
    rf"(?:{HEALTH}|{DIET}|allergic to|intolerant)\b)"
)
"""Begins what a doctor found of the speaker, who has it now whoever said so."""

_DIAGNOSIS: Final = lazy_pattern(rf"\b{DIAGNOSED}", re.IGNORECASE)


def before_report(text: str) -> int:
    """Return how many characters stand before "… and she said that …": the speaker's own words, if any of it is so."""
    text = text[: before_grounds(text)]
    text = text[: before_voucher(text)]
    if not is_reported(text):
        return len(text)
    own = (it.start() for it in _REPORTING.finditer(text) if not is_reported(text[: it.start()]))
    return max(own, default=len(text))


def is_hedged(text: str) -> bool:
    """Whether the speaker is not sure: what holds a "maybe" would have less than the least confidence kept."""
    return _HEDGED.search(text) is not None


def is_unreal(text: str) -> bool:
    """Whether the sentence speaks of a case that is not."""
    return _UNREAL.search(text) is not None


def opens_fiction(text: str) -> bool:
    """Whether everything after this in the same message is play."""
    return _FICTION.search(text) is not None


def is_ironic(text: str) -> bool:
    """Whether praise is meant as its opposite: a set phrase, pleasure in pain, or stressed pleasure in a nuisance."""
    if _IRONY.search(text) or (_PLEASURE.search(text) and _PAIN.search(text)):
        return True
    stressed = _STRESSED_PLEASURE.search(text)
    return stressed is not None and _MILD_PAIN.search(text, stressed.end()) is not None


def is_momentary(text: str) -> bool:
    """Whether it is about now, today or this one task."""
    return _MOMENT.search(text) is not None


def is_reported(text: str) -> bool:
    """Whether the sentence passes on what somebody else said; a diagnosis of the speaker by a doctor is their own."""
    if _CLINICIAN.search(text) or _DIAGNOSIS.search(text):
        return False
    if _HEARSAY.search(text) or _SAID_BEHIND.search(text):
        return True
    match = _REPORTED.search(text)
    return match is not None and not _SELF_REPORT.search(text)
