"""What a rule takes for a lasting statement and a careful reader would not: mottos, moods, talk about the other."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.requests.forget_asked import forget_asked
from langchain_agentmem.english.words.calendar_words import SEASON
from langchain_agentmem.english.words.kin_words import INFORMAL, any_of
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import LONG_CAPITALIZED
from langchain_agentmem.extraction.books.figurative import is_figurative
from langchain_agentmem.extraction.books.learning import LEARNED
from langchain_agentmem.extraction.books.pointing_out import points_out
from langchain_agentmem.extraction.books.rulebook import Draft
from langchain_agentmem.extraction.sentences.clauses import Clause
from langchain_agentmem.extraction.words.lexicon import COURSE

# ------------------------------------------------------------------------------------------------ orders that are none
_HEART: Final = (
    r"give up|giv(?:e|ing) (?:in|up)|quit(?!\w)(?= *$| on\b|,)|surrender|lose (?:hope|faith|heart|sight|yourself"
    r"|your)"
    r"|persever\w+|keep (?:smiling|persever\w+|at it)|stop (?:dreaming|believing|trying|learning|growing|smiling"
    r"|dancing"
    r"|being|loving|until|fighting|chasing|shining)"
    r"|dream (?:big|small)|follow your|believe in|trust (?:your|yourself|the process|in)|settle for less|look back"
    r"|take .{1,40} for granted|say never|judge|underestimate|compare yourself|miss a (?:beat|thing|chance)|hold back"
    r"|look on the|(?:please )?(?:go|leave)$|(?:ever )?change$|sweat|get discouraged"
    r"|(?:ever )?forget that you|lose hope|miss out"
    r"|be safe"
    r"|grow (?:up|old)|be (?:so |too )?(?:scared|afraid|ashamed|hard on|discouraged|kind|yourself|grateful|positive"
    r"|proud|late to|true to)|let (?:anyone|anything|fear|it|them|that|this|others?|people|go)|apologi[sz]e for who"
    r"|regret|worry|doubt|stay (?:positive|strong|true)|keep (?:going|pushing|fighting|dreaming|your (?:head|chin))"
    r"|count (?:on me|me out)|go to bed angry|have fun|(?:just )?do it\b|(?:worry|stress|blam|beat|doubt)ing"
    r"|(?:stay|be)ing positive|rest\b|enjoy\b|take care|breathe|smile|celebrate"
)
_FOND: Final = (
    r"remember|forget|cherish|treasure|miss|love|be (?:there|grateful|thankful|here|with|your|my)|look(?:s"
    r"|ed)? forward"
    r"|stand by|support|believe|regret|get (?:tired|enough|old|over)|know|wonder|appreciate|feel|say|make me|enjoy"
    r"|have (?:fun|a great|a good|such|each)|laugh|find|seem|end up|want|wanted|dream|think|hope|admire|try|tries"
)
_OWN_REPLY: Final = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|tone|outputs?|messages?|sentences?|code"
    r"|suggestions?|recommendations?|estimates?|sources?|reasoning|work(?:ings?)?|language|wording|advice|questions?"
    r"|commits?|tools?|calls?|emails?|drafts?|citations?|examples?|comments?|own)"
)
_SUBJECT: Final = (
    r"(?:(?:please|but|and|so|just|you|one|we|people|everyone|everybody|always|never|don't|do not|should|must"
    r"|need to|have to|can|will|ever|only|not|to|make sure|be sure|remember|sure|I|I'll|I will|our family|my family"
    r"|also|really)[,\s]+){0,7}"
)
_MOTTO: Final = lazy_pattern(
    rf"{_SUBJECT}(?:{_HEART}|you deserve)|(?:I|I'll|I will|we|we'll|we will|my \w+|our \w+) (?:also )?(?:will )?"
    rf"(?:always|never|won't|will not) (?:ever |really )?(?:{_FOND})\b"
    r"|(?:I|we|you) (?:must|should|need to|have to)(?:n't| not)? (?:remember|forget|support each|be (?:grateful"
    r"|thankful|kind))\b"
    r"|(?:life|love|family|people|one|kids|friends|dreams?|nothing|time|art|music|nobody|men|women|parents|money"
    r"|happiness|success|beauty|health|it|that|this|things|you can(?:'t| never)?|we can't have)\b"
    r".{0,40}\b(?:must|should|always|never|can't|has to|have to|too short|come first)\b",
    re.IGNORECASE,
)
_ABOUT_YOU: Final = lazy_pattern(
    rf"\b(?:yourself|you deserve|you're worth|your (?!{_OWN_REPLY}\b)(?:\w+ )?(?:\w+))\b", re.IGNORECASE
)
_SURMISE: Final = lazy_pattern(
    r"\b(?:must|has to|have to|can't|cannot|couldn't)(?:n't| not)?(?: have|'ve| of) (?:been|had|felt|gone|done"
    r"|taken|made"
    r"|left|lost|forgotten|seen|got|gotten|come|meant|hurt|cost|put|known|found|\w+ed)\b"
    r"|\bmust(?: really| all| just)? (?:feel|mean|hurt|be (?:so|such|very|really|nice|great|amazing|hard|tough"
    r"|proud|fun"
    r"|exciting|special|lovely|tired|happy|wonderful|incredible|awesome|rewarding|difficult))\b|^it (?:has"
    r"|had) to be\b"
    r"|\bI must (?:say|admit|confess|be|have)\b|\byou (?:must|have to|need to|gotta) (?:see|try|come|visit|tell|watch"
    r"|hear|read|be|know|love|miss|show|check|give)\b|\bmust .{1,40}\b(?:again|sometime|soon)$",
    re.IGNORECASE,
)
_EXERCISE: Final = lazy_pattern(
    r"\ba must-\w|^\w+ing .{0,80}\bis a must\b|^(?:just|still|really|simply|only|now|then) (?:have|has|need|got) to\b"
    r"|^(?:keep|make|take|let|get) (?:things|everything|stuff) \w+ing\b|\bimportant (?:to (?:me"
    r"|us) )?that (?:every|all|each|our|we|kids"
    r"|children) ?(?:kids?|child(?:ren)?|person|people|one|students?|body)?\b(?=.{0,20}\b(?:ha(?:s|ve)|gets?"
    r"|feels?|knows?|is loved)\b)"
    r"|^(?:the|this|your|each|a) (?:[\w-]+ ){0,2}?(?:function|method|class|variable|loop|array|regex|query|program|sum"
    r"|equation|string|integer|number|argument|parameter)s? (?:must|should|has to|have to|needs to|cannot|can't"
    r"|shall)\b"
    r"|^(?:[a-z]|(?:the |this |that )?(?:answer|result|value|sum|total|output|password|solution|number)) (?:must"
    r"|should|has to|can't"
    r"|cannot) be\b|\bshould not (?:crash|fail|hang|throw)\b",
    re.IGNORECASE,
)

# -------------------------------------------------------------------------------- statements that say little
_YOU: Final = lazy_pattern(r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd|y'all)\b", re.IGNORECASE)
_YOU_ALLOWED: Final = lazy_pattern(
    r"\b(?:you (?:can|may|could|should) call|thank you|if you|when you|whatever you|as you|tell you"
    r"|show you)\b",
    re.IGNORECASE,
)
_YOU_DID: Final = lazy_pattern(
    rf"\byourself\b|\b(?:appreciate|love|like|enjoy|admire)(?: \w+)? your (?!{_OWN_REPLY}\b)|\bhave you\b"
    rf"|\b(?:that|how|where|having|seeing|hearing|because|to have|with|of|about) (?:you\b(?:$|,|(?:'re|'ve)?"
    rf" (?:are|have|were|did|got|chose|made|found|went|took|\w+ed|\w+ing|all|guys|in|there)\b)"
    rf"|your (?!{_OWN_REPLY}))",
    re.IGNORECASE,
)
_POINTLESS: Final = lazy_pattern(
    r"^(?:I|we) (?:\w+ )?(?:hate|love) (?:it )?when (?:that|this|it)\b|\b(?:to|them|those|each other|it|this"
    r"|that|so|too|you|(?:friendship|friend|support)(?: too)?(?:,.*)?)$"
    r"|^(?:so (?:much|glad|many|happy)|they(?:'ve|'re| have| are)?|feel free|your(?! \w+ (?:should|must))|but|really"
    r"|give me (?:love|strength|hope|peace)|\w+ing (?:it|that|this|them|you)|I'm over|we're over|just)\b",
    re.IGNORECASE,
)
_VAGUE_GOAL: Final = lazy_pattern(
    r"\b(?:(?:to )?keep (?:it up|on|going|working hard|pushing|chasing|pursuing|moving|using|believing|fighting"
    r"|trying"
    r"|dancing|making|learning|growing|smiling|doing|in touch|you)|make (?:it|things|a difference|the most|sure)"
    r"|pass it"
    r"|learning (?:a ton|a lot|so much|loads|more)|do (?:my|our) best|work hard|give back|see (?:what|how|where|if)"
    r"|never quit|stay strong|support (?:you|them|each)|be there)\b",
    re.IGNORECASE,
)
_HOLLOW: Final = lazy_pattern(
    r"(?:\b(?:to|them|those|each other|a few|some|one|things?|stuff|(?-i:[Ii]t)|this|that|so|too|(?<!the )(?-i:[Uu]s)"
    r"|you|of|(?<!any )more"
    r"|ones?|both|plans|something to \w+|a lot|so much|on it|him|her)"
    r"|\b(?:I|we)(?:'ve| have)? (?:love|like|enjoy|hate|got|have)(?: got)?)$",
    re.IGNORECASE,
)
_UNNAMED: Final = lazy_pattern(
    r"(?:I|we)(?:'\w+)?(?: [\w'-]+){1,4}? (?:them|these|those|him|her)\b(?! \w+s\b)"
    r"|(?:I|we)(?:'\w+)?(?: \w+){0,2}? (?:enjoy|love|hate|recommend|do|did|treasure|chose|write about|love his"
    r"|love her) "
    r"(?:it|this|that)\b(?! (?:when|if|that|to|hot|cold|how)\b)|(?:I|we)(?: \w+)? (?:love|like|enjoy) (?:his|her"
    r"|their)\b",
    re.IGNORECASE,
)
"""What is spoken of was named in another sentence: the memory would not stand alone."""

_SHOWN: Final = lazy_pattern(
    rf"\b(?:love|adore) (?:the (?!outdoors|sea\b|ocean|beach|mountains?|city|country|cold|heat|snow|rain|{SEASON}"
    r"|blues|theat(?:re|er)|cinema|gym|opera|woods|forest|sun\b|water|night|idea of|smell of|sound of"
    r"|taste of|feeling of|feel of)|theme|and\b|how (?:it|that|this|the)|when (?:it|that))",
    re.IGNORECASE,
)
_MOOD: Final = lazy_pattern(
    r"(?:I|we)(?:'m| am|'re| are|'ve been| have been| feel)(?:(?: so| real| completely| really| very| super"
    r"| truly| just| all| even| also"
    r"| still| now| totally| absolutely| incredibly| extremely| more| pretty| too| always| quite| such){0,4}) "
    r"(?:lucky|blessed|determined|inspired|fascinated|honou?red|touched|moved by|humbled|over the moon|a mix of"
    r"|pumped"
    r"|psyched|eager|hopeful|optimistic|confident|relieved|bummed|jealous|motivated|thankful|grateful|thrilled|stoked"
    r"|hyped|excited|keen to|focused|happier|happy|glad|on the hunt|sunk|proud|(?:living|livin'?) (?:my|the|our"
    r"|her|his)|after|in awe|blown away|obsessed with (?:those|this|that|these|it)"
    r"|working (?:on (?:the|this|that|it|some|a)|hard|late)|learning (?:a ton|a lot|so much|loads|with)|speechless"
    r"|(?:a )?work in progress|on fire|as well|content|too \w+ to|running (?:a fever|late|low)"
    r"|(?:not )?a (?:big |huge )?fan of (?:this|that|it|these)"
    r"|individual|wonderfully|on different|dealing|going through"
    r"|getting(?! (?:married|engaged|divorced)\b)|making|checking"
    r"|researching|looking|trying out|hanging|heading|sitting|loving|having|feeling|bringing|success"
    rf"|doing(?! (?:an?|my|the|{TWO_OR_MORE}) (?:[\w-]+ ){{0,2}}?{COURSE})"
    r"|facing|keeping|finding)\b",
    re.IGNORECASE,
)
_EPISODE: Final = lazy_pattern(
    r"(?:my|our) (?:\w+ )?battery\b|(?:I|we)(?:'ve| have) (?:(?:even|really|just|also|already|finally|recently"
    r"|always) ){0,3}(?:met|come|sunk|put|found"
    r"|gone|begun|made|done|given(?! up (?!hope|every|all|trying|on\b)[a-z])"
    r"|taken(?! up\b)|felt|heard|told|thought|brought|shown|spoken|kept|finished"
    r"|been (?:blessed|lucky"
    r"|busy|through|so|really))\b|(?:I|we) (?:last|even|first|once|finally) (?!(?:use|work|live|speak)\b)\w+"
    r"|(?:I|we) can (?:easily |now |finally |already |also |just |both |all |still |definitely |really "
    r"|totally ){0,2}"
    r"(?!(?:only|barely|hardly|speak|swim|play|drive|cook|code|read|ride|ski|type|sing|paint|juggle|touch|sew"
    r"|knit|program"
    r"|fly|sail|work|meet|eat|drink|lift|travel|walk|run|not)\b)\w+"
    r"|(?:I|we)(?:'ve| have)(?: got)? (?:each other|such|so (?:much|many)|(?:good|great|bad|big|exciting) news"
    r"|some (?:cool|great|amazing|exciting)"
    r"|lots of"
    r" (?:love|fun)|an? (?:great|good|nice|lovely|wonderful|awesome|amazing)|an? (?:\w+ )?(?:meeting|appointment"
    r"|interview|call|flight|class|date) (?:at|in) \d)|(?:I|we) had an? (?:\w+ )?(?:blast|time|day|night|talk"
    r"|chat|laugh|moment)\b|(?:I|we)(?: \w+)? keep \w+ing\b|\w+ing (?:\w+ )?is (?:so |very"
    r" |really )?(?:important|key|everything)$",
    re.IGNORECASE,
)


_PASSING: Final = lazy_pattern(
    r"(?:I'm|I am|we're|we are) (?:(?:so|really|absolutely|totally|completely|a bit|pretty|just|all"
    r"|both) ){0,2}(?:knackered"
    r"|skint|broke|pooped|bushed|drained|zonked|wiped(?: out)?|frazzled|peckish|famished|grumpy|tipsy|restless"
    r"|swamped)\b"
    r"|(?:I'm|I am) (?:(?:currently|still|now|only|just) )?on (?:(?:page|chapter|episode|line|question) \w+"
    r"|(?:my|a|the) (?:\w+ )?(?:break|commute|loo|toilet|sofa|couch|bus|tube))\b"
    r"|(?:I|we)(?:'ve| have)(?: got)? (?:[\w-]+ ){1,3}(?:tabs?|windows?|files?|terminals?|apps?) open\b"
    r"|(?:my|our|the) (?:\w+ )?(?:phone|battery|laptop|tablet|ipad|watch|mobile|headphones) (?:is|are"
    r"|'s) (?:now )?(?:at|on)"
    r" \d+ ?(?:%|percent)"
    rf"|(?:I'm|I am|we're|we are|we'll be) (?:about )?(?:\d{{1,3}}|{TWO_OR_MORE})"
    r" (?:people |persons |guests |of us )?for (?:the |a |our )?(?:\w+ )?(?:dinner|lunch|breakfast|brunch|supper|drinks"
    r"|tea|coffee|meal|party|barbecue|bbq)\b(?!.*\b(?:every|usually|always|most|each|normally)\b)"
    r"|(?:I|we) (?:use|have|put|added) an? (?:[\w-]+ )?(?:loop|if|function|variable|lambda|regex|class|list"
    r"|dict)\b.*\bhere$"
    r"|(?:I|we)(?:'ve| have)? (?:just )?got (?:an?|another) (?:(?:parking|speeding) (?:ticket|fine)|puncture"
    r"|flat tyre|flat tire"
    r"|haircut)\b|we(?:'ve| have)? (?:just )?had an? (?:\w+ )?(?:fight|row|argument|quarrel)\b",
    re.IGNORECASE,
)
"""What is over by tomorrow: tired, short of money, in the middle of a book, five tabs open."""

_ELLIPTIC_BAN: Final = lazy_pattern(
    r"(?:please )?(?:no|nothing with|without) (?!.*\b(?:ever|always|never)\b)", re.IGNORECASE
)
_ASKED_FOR_NOW: Final = lazy_pattern(
    r"\b(?:tonight|today|tomorrow|this \w+|dinner|lunch|breakfast|supper|cook|eat|ideas?|recipes?|gift"
    r"|present)\b[^?]*\?\s*$",
    re.IGNORECASE,
)
_FOR_GOOD: Final = lazy_pattern(
    r"\b(?:allerg\w+|intoleran\w+|can't (?:eat|have)|cannot (?:eat|have)|vegan|vegetarian|halal|kosher"
    r"|c(?:o)?eliac|pregnant"
    r"|diabetic|doctor|religio\w+|muslim|jewish)\b",
    re.IGNORECASE,
)


def _is_for_now(clause: Clause) -> bool:
    """Whether a ban without a verb limits what was just asked for: "what can I cook tonight? No fish please"."""
    is_ban = _ELLIPTIC_BAN.match(clause.text) and _ASKED_FOR_NOW.search(clause.before)
    return bool(is_ban) and _FOR_GOOD.search(clause.since) is None


_FOR_THIS: Final = lazy_pattern(r"[\s,]*(?:(?:please|kindly)\s*)?:\s*\S", re.IGNORECASE)
_STATED: Final = lazy_pattern(r"(?:I|we|my|our|the|it|always|never)\b", re.IGNORECASE)


def _is_for_this(clause: Clause) -> bool:
    """Whether an order leads to what it is for: "answer in English: what is the capital of France?"."""
    _, found, after = clause.since.partition(clause.evidence)
    return bool(found) and _STATED.match(clause.text) is None and _FOR_THIS.match(after) is not None


_OF_REQUESTS: Final = frozenset({"fact", "preference", "constraint"})
"""As which a request to forget is never kept; a goal that is dropped ("forget the marathon") ends by it."""


def is_refused(draft: Draft, clause: Clause) -> bool:
    """Whether a draft is no memory after all; what the user asked to have remembered is never refused for its tone."""
    text = clause.text
    if LEARNED in draft.tags:
        return False
    if draft.kind in _OF_REQUESTS and forget_asked(text) is not None:
        return True
    if draft.kind in {"fact", "preference"} and is_figurative(clause):
        return True
    if draft.kind in {"constraint", "preference"} and (_is_for_this(clause) or _is_for_now(clause)):
        return True
    if draft.kind in _OF_REQUESTS | {"goal"} and not clause.is_asked and points_out(text):
        return True
    if draft.kind == "constraint":
        return _is_no_order(text)
    if clause.is_asked:
        return bool(_ABOUT_YOU.search(text) or _MOTTO.match(text))
    if draft.kind == "outcome":
        return text.lower().startswith("your ")
    if draft.kind == "preference":
        return any(each.search(text) for each in (_YOU_DID, _SHOWN, _POINTLESS)) or bool(_UNNAMED.match(text))
    if draft.kind == "goal" and _VAGUE_GOAL.search(text):
        return True
    if _YOU.search(text) and not _YOU_ALLOWED.search(text):
        return True
    if "decision" in draft.tags:
        return bool(_UNNAMED.match(text))
    return draft.kind == "fact" and _says_little(text)


_NEWS: Final = lazy_pattern(
    r"(?:so |and |but )?(?:absolutely |still )?no (?:better\b|(?:(?:real|good|proper|hot|more) )?(?:childcare|gym|news"
    r"|word|visitors?|guests?"
    r"|school|classes|lessons|lectures|sleep|driving|running|training|workouts?|sports?|football|exercise|swimming"
    r"|lifting|internet"
    r"|wi-?fi|signal|power|electricity|water|heating|repl(?:y|ies)|answer|response|sign|trace|rain|snow|customers"
    r"|clients|money|cash"
    r"|income|salary|pay|bonus|progress|change|improvement|symptoms|fever|pain|results?|trains?|buses|flights|parking)"
    rf"\b(?! please)[^.!?]{{0,40}}?(?: for (?:an?|the|\d+|{TWO_OR_MORE}|several|some|another"
    r"|many) (?:\w+ )?(?:days?|weeks?|months?"
    r"|years?|while|hours?)\b| (?:from|since|because|yet|so far|left|again|either)\b))",
    re.IGNORECASE,
)
"""What there is not, told as news: nobody can be ordered so."""

_SECRET: Final = lazy_pattern(
    r"(?:(?:but|and|so|just|please|pls)[, ]+){0,3}(?:do not|don't|never) (?:ever )?tell (?:anyone|anybody|people"
    rf"|others|him|her|them|{any_of(INFORMAL)}|(?:my|our) (?:[\w-]+ )?[\w-]+|{LONG_CAPITALIZED})(?: (?:at"
    r"|in) [\w ]{1,20})?(?: (?:about )?(?:it|this|that))?"
    r"(?:,? (?:haha|lol|please|pls|ok|okay|yet|though))*$",
    re.IGNORECASE,
)
"""Secrecy towards others, which a memory of one user has by itself; what is secret stands elsewhere, if at all."""


def _is_no_order(text: str) -> bool:
    if _NEWS.match(text) or _SECRET.match(text):
        return True
    return any(pattern.search(text) for pattern in (_ABOUT_YOU, _SURMISE, _EXERCISE)) or bool(_MOTTO.match(text))


_UNSAID: Final = lazy_pattern(
    r"(?:I|we)(?:'d like to| want to| have to)? (?:take|took) back (?:what|everything|anything|all|that|this|it)\b",
    re.IGNORECASE,
)
"""Takes words back, which tells nothing of who said them."""


_BROKEN_OFF: Final = lazy_pattern(
    r"(?:I|we)(?:'m| am|'re| are|'ve been| was| were)(?: not| no longer| never)?(?: (?:really|quite|exactly|very|so|too"
    r"|yet|always|still|just|necessarily|particularly|especially|entirely|totally|completely|actually|sure|at all"
    r"|any ?more|either|much|now))+(?=$|\s*[,;:(-])",
    re.IGNORECASE,
)
"""Leaves to the words before it what it denies: "I'm not really, just tired"."""


def _says_little(text: str) -> bool:
    opens = (_UNNAMED, _PASSING, _MOOD, _EPISODE, _UNSAID, _BROKEN_OFF)
    return any(it.match(text) for it in opens) or _HOLLOW.search(text) is not None
