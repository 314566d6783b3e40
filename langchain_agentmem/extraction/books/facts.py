"""Ways of stating who one is: name, age, home, work, belonging, and the team one works in."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from langchain_agentmem.english.people.address import CALLED
from langchain_agentmem.english.reading.moving import APPOINTMENT, DAY
from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.kin_words import A_PARENT, A_PARTNER, any_of, kin_of
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, LINKED, PLAIN_CAPITALIZED
from langchain_agentmem.english.words.places import CITIES
from langchain_agentmem.extraction.books.circumstances import CIRCUMSTANCES
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.sentences.formerly import FORMERLY
from langchain_agentmem.extraction.words.lexicon import (
    ADVERB,
    AGE,
    AM,
    ANY_AGE,
    ATTRIBUTES,
    BY_NOW,
    COLLEAGUE,
    DIET,
    HEAD,
    KIN,
    NAME,
    NATIONALITY,
    NO_NAME,
    NOT_LASTING,
    OCCUPATION,
    OTHER_ATTRIBUTES,
    PET,
    PLACE,
    THINGS,
)


def _attributes() -> tuple[Rule, ...]:
    tail = (
        r"(?: (?:is|are)| has changed to| changed to|'s)(?: now| actually| currently| still"
        r"| officially)? (?:called |named |at |on |in )?(?P<object>(?!not (?:working|important)|wrong$"
        r"|broken|down\b|due\b|full\b|killing).+)"
    )
    named = tuple(rule(rf"my (?:{words}){tail}", "fact", relation) for relation, words in ATTRIBUTES)
    return (*named, rule(rf"(?:my|our) (?P<what>{OTHER_ATTRIBUTES}){tail}", "fact", "is"))


ADDRESSES: Final[tuple[Rule, ...]] = (
    replace(
        rule(
            r"(?:please |kindly |just |simply ){0,3}(?:call me|you (?:can|may|could) (?:just |also )?call me|I go by"
            r"|(?:they|people|(?:my )?friends) call me|every(?:one|body) calls me|address me as|refer to me as"
            r"|I(?:'d| would)? (?:prefer|like|rather|want) (?:to be|being) (?:called|addressed as))"
            rf" (?P<object>{NAME})(?!(?: \w+)* names?\b)",
            "fact",
            "name",
            veto=r"\bcall me (?:at|on|back|when|if|later|tomorrow|tonight|ASAP"
            rf"|{WEEKDAY}\b)",
        ),
        tags=(CALLED,),
    ),
)
"""What somebody wants to be called: their name, as long as they have not told another one."""

_DWELLING: Final = r"(?:house|flat|apartment|cottage|bungalow|condo|cabin|farmhouse|villa|townhouse)"
_IN_ER: Final = any_of([it for it in kin_of("parent", "sibling") if it.endswith("er")])
_CITY: Final = rf"^this is (?:{'|'.join(map(re.escape, sorted(CITIES)))})\b"
_PERSONAL: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?:my|our) (?:new |current )?{A_PARTNER}(?:(?:'s name)? is{BY_NOW}(?: called| named)?"
        rf"|,) (?P<object>{NAME})(?:$|,| and| now$)",
        "fact",
        "partner",
    ),
    rule(
        r"(?:my|our) (?:(?:\w+ )?(?:older|younger|little|big|eldest|oldest|youngest|twin|only|other|first"
        rf"|second|best|new|late|baby|{TWO_OR_MORE}|\w+-year-old) ){{0,4}}(?P<role>{KIN}|{PET}|boss|manager|friend"
        r"|mentor|ex(?:-\w+)?|co-?founder|supervisor|team ?lead|colleague|assistant|doctor|dentist|teacher|therapist"
        r"|landlord|neighbou?r|nanny|coach|tutor)(?:'s names?|s' names?| names?|s(?= are\b))? (?:is|are)"
        rf"{BY_NOW}(?: called| named)? (?P<object>{NAME})(?:$|,| and(?P<more> {CAPITAL})?| who| now$)",
        "fact",
    ),
    rule(
        rf"(?:my|our) [\w-]+ {COLLEAGUE}(?:'s name)? is{BY_NOW}(?: called| named)?"
        rf" (?P<object>{NAME})(?:$|,| and| who| now$)",
        "fact",
    ),
    rule(rf"(?:I'm called|I am called) (?P<object>{NAME})", "fact", "name"),
    rule(rf"this is (?P<object>(?-i:(?!{NO_NAME})){NAME})(?: speaking| here)?$", "fact", "name", veto=_CITY),
    rule(
        rf"(?:I'm|I am|name's|the name's|I was named) (?P<object>(?-i:(?!{NO_NAME}))"
        rf"(?!(?:{NATIONALITY}|CET|EST|PST|GMT|UTC"
        r"|OK|Team|Muslim|Jewish|Christian|Catholic|Hindu|Buddhist|Sikh|In|At|On|So|The"
        rf"|Not)\b){PLAIN_CAPITALIZED}(?: {LINKED}{CAPITAL}[\w'.-]+){{0,2}})(?:$|,| from| and| \(| by the way"
        r"| but (?:every(?:one|body)|people|they|(?:my )?friends) calls? me\b)",
        "fact",
        "name",
    ),
    rule(
        rf"(?:I'll be|I will be) (?:turning )?(?P<object>{AGE})(?: years? old)?(?: next \w+| in \w+| soon)?$",
        "fact",
    ),
    rule(
        r"(?:I'm|I am|I've|I have|I just)(?: just| now| already"
        rf"| only){{0,4}}(?: turned)? (?P<object>{AGE})(?: and a (?:half|quarter|bit))?"
        r"(?: years? old| yrs? old| y/?o| years of age)?"
        r"(?: now| already| (?:as of )?(?:today|yesterday)| since \w+| next \w+| in \w+)?$",
        "fact",
        "age",
        lasts=True,
    ),
    rule(
        rf"I(?: just| recently)? turned (?P<object>{AGE})\b(?! (?:around|off|on|into|down))", "fact", "age", lasts=True
    ),
    rule(r"(?:I'm|I am) an? (?P<object>\d{1,3})[- ]years?[- ]old\b.*", "fact", "age"),
    rule(
        rf"I was born (?:on|in) (?P<object>(?:the \d|\d|{MONTH}\b).*)",
        "fact",
        "birthday",
    ),
    rule(r"I was born .+|I grew up .+|I was raised (?:in|by|on) .+", "fact"),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:moved|relocated)(?: back| house| out"
        rf"| away)?(?: from [\w ]+?)? (?:to|into) (?P<object>(?!a new (?:framework|version|tool)){PLACE})",
        "fact",
        "lives_in",
        lasts=True,
        corrects=True,
        veto=(
            r"\bmoved (?:to|into) (?:a different|the next|production|staging|Git|AWS|Azure|GCP|Kubernetes"
            r"|Postgres|Slack)"
        ),
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:moved|relocated) (?:out of|away from|back from|here from"
        rf"|from) (?P<object>{PLACE})",
        "fact",
        lasts=True,
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:lived?|living|reside|stay permanently) (?:right |just |mostly )?(?:in|at"
        r"|near|outside) (?P<object>.+)",
        "fact",
        "lives_in",
        veto=r"\blive in (?:fear|hope|the (?:moment|now|past))\b",
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:lived?|living) (?:right |just |mostly )?(?:(?:on|with) .+|alone\b.*)",
        "fact",
        veto=r"\blive with (?:fear|hope|it|that|this)\b",
    ),
    rule(
        rf"(?:I'm|I am|we're|we are|I've been|we've been) {ADVERB}(?:based|living|located|residing"
        r"|settled) (?:in|out of|near|at|outside) (?P<object>.+)",
        "fact",
        "lives_in",
    ),
    rule(
        r"(?:I'm|I am|we're|we are|I come|I hail|we come) (?:originally "
        rf"|actually )?from (?P<object>{CAPITAL}.+)",
        "fact",
        "from",
    ),
    rule(
        rf"(?:I|we) {ADVERB}work(?:ed|ing)? (?:full[- ]time |part[- ]time |remotely |freelance ){{0,4}}(?:at"
        r"|for) (?P<object>(?!home\b|night|it\b|me\b|free\b|this|that|the (?:moment"
        r"|weekend)).+?)(?: as (?:an? )?.+)?$",
        "fact",
        "works_at",
        veto=r"\b(?:works? for (?:me|us)|worked (?:at|for))\b",
    ),
    rule(
        rf"(?:I'm|I am|I've been|I have been) {ADVERB}(?:working|employed) (?:full[- ]time |part[- ]time "
        r"|remotely ){0,4}(?:at|for|by) (?P<object>(?!home\b|night\b|free\b|this|that|\d).+)",
        "fact",
        "works_at",
    ),
    rule(
        rf"(?:I|we)(?:'ve| have|'m| am)? {ADVERB}(?:join(?:ed|ing)|got (?:a|the) (?:new )?job (?:at|with)"
        r"|got hired (?:at|by)|was hired by|start(?:ed)? (?:working |a (?:new )?(?:job|role"
        r"|position) )?(?:at|with)|switched jobs to|accepted (?:a|an|the) (?:job|offer|role"
        rf"|position) (?:at|from|with)) (?P<object>{CAPITAL}.+)",
        "fact",
        "works_at",
        lasts=True,
        corrects=True,
        veto=r"\bjoin(?:ed|ing) \S+(?: \S+)? (?:for|early|late|in the|at the)\b",
    ),
    rule(rf"(?:I|we) {ADVERB}work(?:ing)? as (?P<object>(?:an? |the )?.+)", "fact", "works_as"),
    rule(rf"{AM} {ADVERB}working as (?P<object>.+)", "fact", "works_as"),
    rule(
        rf"{AM} (?P<object>(?!\w+ing (?:an?|the|my)\b)(?:[\w/-]+ ){{0,2}}?{OCCUPATION})\b"
        r"(?: (?:at|for|from|in|by|here) .{1,60}| here)?$",
        "fact",
        "works_as",
    ),
    rule(
        rf"(?:my|our) new (?:home is|place is(?= an? (?:[\w-]+ ){{0,2}}{_DWELLING}\b)) (?:now )?"
        rf"(?:(?:in|near|outside) (?={CAPITAL}))?"
        rf"(?P<object>(?:an? (?:[\w-]+ ){{0,2}}{_DWELLING} (?:in|near|outside) )?{CAPITAL}[^,;]*)$",
        "fact",
        "lives_in",
        corrects=True,
        veto=r"\b(?:holidays?|weekends?|let|letting|out|investment|for|but|not|once|when|from|next|soon)\b",
    ),
    rule(FORMERLY, "fact", lasts=True),
    rule(rf"{AM} now (?:living|based) (?:in|at) (?P<object>{CAPITAL}.+)", "fact", "lives_in", corrects=True),
    rule(r"(?:it's|it is|my (?:first |last )?name is) (?:spelled|spelt|pronounced|written) (?P<object>.+)", "fact"),
    rule(
        rf"I(?:'ve| have)? {ADVERB}(?:got|was|been|am being|'m being) promoted to (?P<object>.+)|I(?:'ve"
        r"| have)? (?:just |recently )?(?:became|become) (?:an? |the )?(?P<what>[\w ]+ (?:manager|engineer"
        rf"|director|lead|partner|doctor|nurse|teacher|lawyer|citizen|{A_PARENT}|vegetarian|vegan))",
        "fact",
        "works_as",
        lasts=True,
        corrects=True,
    ),
    rule(
        r"I(?:'ve| have)?(?: just| recently| finally){0,4} (?:quit|left|resigned from|was laid off from"
        r"|got laid off from|got fired from) (?P<object>(?:my |the )?(?:job|position|company|role)\b.*"
        rf"|{CAPITAL}.+)",
        "fact",
        None,
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?:I|we) {ADVERB}work(?:ing)? (?:mostly |primarily |mainly )?(?:in (?!progress)|on the|remotely"
        rf"|from home|part[- ]time|full[- ]time|nights|night shifts|shifts|weekends|with|{WEEKDAY}|\d|from \d"
        rf"|{TWO_OR_MORE}|freelance) ?.*",
        "fact",
        None,
        veto=r"\bon the (?:same|bug|issue|fix|problem|report|following|attached|feature)\b",
    ),
    rule(
        rf"(?:I'm|I am) {ADVERB}(?P<object>(?:the |an? |our |head |lead |vp "
        rf"|chief )(?:[\w/-]+ ){{0,3}}?{HEAD}\b.*)",
        "fact",
        "works_as",
        veto=r"\b(?:not|the lead on this)\b",
    ),
    rule(
        rf"(?:I'm|I am|I've been|I have been) {ADVERB}(?:an? )(?!(?:[\w-]+ ){{0,2}}?{DIET}(?:$|[,;]| (?:since|for|and"
        rf"|now|from|all)\b))(?P<object>(?!{NOT_LASTING}\b)(?:[\w/-]+"
        r" ){0,4}?(?:\w{2,}(?:er|or|ist|ian|eer|eur|ssor|yst)|nurse|chef|student|undergrad|freshman"
        r"|sophomore|accountant|consultant|assistant|attendant|surgeon|physician|lawyer|pilot|judge|clerk"
        r"|coach|cook|pharmacist|scientist|intern|attorney|programmer|dev|sysadmin|admin|vet|veteran"
        r"|entrepreneur|freelancer|mechanic|plumber|electrician|nomad|professor|postdoc|surveyor|paramedic"
        r"|midwife|soldier|politician|writer|poet|diplomat|ceo|cto))\b(?! (?:of|in) (?:this|that)\b).*",
        "fact",
        "works_as",
        veto=(
            r"\b(?:early riser|night owl|\w*owner|volunteer|tourist|buddhist|atheist|feminist|optimist|pessimist"
            r"|perfectionist|minimalist|pacifist|renter|commuter|newlywed|insomniac|foreigner|outsider|dreamer"
            r"|early adopter|of life|at heart"
            r"|believer|lover|supporter|member|customer|beginner|newcomer|subscriber"
            rf"|user|swimmer|runner|climber|smoker|drinker|eater|owner|{_IN_ER}|sleeper"
            r"|learner|reader|gamer|cyclist|hiker|collector|speaker|minor|senior|survivor|walker|bigger|better"
            r"|number|winner|loser|over|under|never|ever|carer|either|neither|Christian)\b|\b(?:vegetari|pescatari|flexitari)an$"
        ),
    ),
)
FACTS: Final[tuple[Rule, ...]] = (
    *_attributes(),
    *_PERSONAL,
    *CIRCUMSTANCES,
    rule(
        rf"(?:my|our) (?:[\w-]+ ){{0,2}}?{KIN} (?:is|are|turned|just turned) (?P<object>{AGE}(?:,? (?:and"
        r"|years|months) .*|$))",
        "fact",
    ),
    rule(
        rf"(?:my|our) (?:(?!ex\b)[\w-]+ ){{0,2}}?{KIN}(?:,? {NAME},?)? (?:has |just )*turned (?P<object>{ANY_AGE})"
        r"(?: years? old)?(?: (?:on \w+day|today|yesterday|this \w+|last \w+|in \w+|recently|now)"
        r"| \w+ (?:days|weeks) ago)?$",
        "fact",
        lasts=True,
    ),
    rule(
        rf"(?:my|our) (?:[\w-]+ ){{0,2}}?{PET}(?:,? {NAME},?)? (?:is|are|has|have|turned|turns|eats?"
        r"|needs?|takes?|weighs?|loves?|hates?|likes?|sleeps?) (?P<object>(?!(?:not|sick|missing|lost"
        r"|hungry|asleep|here|barking|crying|dying|so|too|really|being|driving|on)\b).+)",
        "fact",
    ),
    rule(rf"(?:my|our) (?:[\w-]+ ){{0,2}}?{KIN}(?:,? {NAME},?)? lives? with (?:me|us)\b.*", "fact"),
    rule(
        rf"our (?:{THINGS}) (?:\w+ )?(?:is|are|runs?|uses?|starts?|ends?|has|have|lasts?|lives?|stands?"
        r"|takes?|consists?|supports?|happens?|sits?|deploys?|targets?|gets?(?= .*\b(?:every|each|nightly|daily"
        r"|weekly)\b)"
        r"|works?) (?P<object>(?!(?:not (?:working|building|loading)|down|broken|failing|slow|failed"
        r"|crash\w*|wrong|stuck|full|late|offline|red|getting|having|throwing|giving|an error|issues?"
        r"|problems?)\b).+)",
        "fact",
        None,
    ),
    rule(
        rf"my (?:{THINGS}) (?:is|are|runs?|uses?|has|have|consists?) (?:still |now |currently |running "
        r"|based |built |written |called |named |hosted |using ){0,4}(?P<object>(?:an? |the |on |in |with |by "
        rf"|\d|{CAPITAL}).+)",
        "fact",
        None,
        veto=(
            r"\b(?:broken|error|down|slow|crash\w*|in the (?:shop|garage)|on fire|stuck|an? (?:mess|wreck|bug"
            r"|issue|problem)|low|dead|dying|out of|in trouble)\b"
        ),
    ),
    rule(
        r"(?:we|our team|my team|the team|our company|my company|our startup|our department) (?:currently "
        r"|now |also |mostly |only |all |still |primarily ){0,4}(?:have|has|use|uses|run|runs|deploy|deploys"
        r"|meet|meets|ship|ships|release|releases|follow|follows|work|works|host|hosts|write|writes"
        r"|operate|operates|employ|employs|consists? of|is|are|build|builds|support|supports|store|stores"
        r"|do|does|serve|serves|sell|sells|practi[cs]es?|target|targets|rely|relies|track"
        r"|tracks) (?P<object>(?!(?:to|a (?:problem|bug|question|meeting|deadline|call|crisis)"
        r"|an? (?:issue|outage|error|emergency)|issues|problems|not|fine|done|ready|good|late|going"
        r"|getting|having|seeing|trying|stuck|blocked|no idea|it|this|that|you|waiting|looking|working on"
        r"|testing|close|almost|behind|ahead|in trouble|excited|happy|sorry|here|all)\b).+)",
        "fact",
        None,
    ),
    rule(
        r"(?:the|our|my) (?:[\w-]+ ){1,3}?(?:is|are) (?:always |only )?(?P<object>(?:closed|open|shut|staffed"
        r"|available|unavailable|off"
        r"|offline|read-only|frozen|busy) (?:on|from|between|every|during|for|until|before|after|at) .+)",
        "fact",
        None,
        veto=(rf"\b(?:until|at|after) (?:\d|noon|tomorrow|tonight|{WEEKDAY})\b|\bmoment\b"),
    ),
    rule(
        r"(?P<object>(?:(?:the|our|my) )?[\w-]+(?: [\w-]+){0,2} (?:is|are|falls?|happens?) (?:due |always "
        r"|usually |only |held )?"
        rf"(?:on )?(?:every|each|the (?:first|second|third|last)) (?:\w+ )?(?:{WEEKDAY}|day|week|month"
        r"|quarter)\b.*)",
        "fact",
        None,
        veto=r"^(?:it|this|that|he|she|they|there)\b",
    ),
    rule(
        rf"(?:the|our|my) (?:(?!next |other )[\w-]+ ){{0,2}}?{APPOINTMENT}(?: with [\w' -]{{1,40}}?)?"
        rf" (?:is{BY_NOW}|will be) (?:(?:scheduled |set |planned |fixed |down )?(?:on|for) )(?P<object>{DAY}\b.*)",
        "fact",
        lasts=True,
    ),
    rule(
        rf"there are (?P<object>(?:\d+|{TWO_OR_MORE}) .+ (?:of us|(?:in|on) (?:my|our) .+))",
        "fact",
        None,
    ),
)
"""Asked in this order: attributes by name, the person, the team."""
