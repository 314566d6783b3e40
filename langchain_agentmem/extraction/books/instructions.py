"""Ways of giving a standing order, and of saying what ought to be."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.kin_words import A_RELATIVE
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWO_OR_MORE
from langchain_agentmem.english.words.patterns import PLAIN_CAPITALIZED
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.words.lexicon import OCCASION, PERIOD

ORDER: Final = (
    r"(?:add|address|allow|answer|apply|archive|ask|attach|back up|book|bring|build|call|cap|cc|check|choose"
    r"|cite|close|commit|confirm|contact|convert|copy|count|create|default|delete|deploy|describe|anonymi[sz]e"
    r"|append|assume|consult|cross-check|double-check|estimate|lint|proofread|re-?check"
    r"|redact|refer|reject|rename|replace|sign off|spell-?check|track|trim"
    r"|display|document|drop|email|e-mail|encrypt|escalate|exclude|explain|express|flag|format|forward"
    r"|give|group|highlight|include|indent|inform|install|keep|label|leave|limit|link|list|log|lock"
    r"|mail|make|mark|mask|measure|mention|merge|message|move|name|notify|offer|order|page|pass|pay"
    r"|phone|pick|pin|ping|prefix|prefer|prioriti[sz]e|provide|publish|push|put|quote|recommend|record"
    r"|reduce|release|remind|remove|reply|report|request|require|reserve|respond|restrict|retry|return"
    r"|review|rotate|round|run|save|schedule|scan|seat|send|separate|set|ship|show|sign|skip|sort"
    r"|speak|spell|split|squash|stage|start|state|stick|store|submit|suggest|summari[sz]e|switch|tag"
    r"|talk|tell|test|text|translate|treat|turn|update|use|validate|verify|wait|warn|wrap|write)"
)

_STANDING: Final = (
    r"(?:\b(?:every(?: single)? time|each time|whenever|every (?:day|week|month|morning|evening|night"
    r"|\w+day|release|deploy\w*|commit|change|reply|answer|message|meeting|call|order|e?-?mail"
    r"|function|file|report|pull request|pr|merge|trip|flight|booking|invoice|customer|payment|test"
    r"|time)|each (?:day|week|month|release|deploy\w*|commit|change|reply|answer|message|meeting|call"
    r"|order|function|file|report|pull request|pr|merge|trip|flight|booking|invoice)|by default"
    r"|as (?:the|my|a) default|my default|at most|at least|no (?:more|less|fewer|later|earlier) than"
    r"|max(?:imum)?|minimum|before you (?:\w+)|before (?:any|every|each|merging|deploying|committing"
    r"|releasing|pushing|sending|booking|ordering|deleting|publishing|replying|shipping)"
    r"|after (?:every|each)|unless (?:I|we|you|it|there)|(?:in|for|with) (?:all|every|each|any) "
    r"(?!(?:of )?(?:the |these |those |two\b|three\b|four\b|five\b|\d))|in future|in the future|from now on"
    r"|going forward|as a rule|without exception"
    r"|at all times|no exceptions|when you (?:write|reply|answer|book|send|email|talk|speak|address"
    r"|explain|show|order|schedule|code|call|summari[sz]e|suggest|recommend|quote|format)"
    r"|when (?:replying|writing|answering|booking|addressing|emailing|coding|scheduling|ordering"
    r"|explaining|talking to me|in doubt))\b)"
)

_THIS_CASE: Final = (
    r"\b(?:this (?:one|time|file|function|line|test|error|bug|message|email|page|code|script|document"
    r"|text|list|table|image|section|paragraph|sentence|question|data|column|report|mock-?up|design|draft"
    r"|version|screen|slide|exercise|game|level|assignment|problem|picture|room)|the (?:attached"
    r"|following|above|below|second|first|third|last|next|previous) \w+|again|right now|now(?! on\b))\b"
    r"|^\w+ (?:it|this|that|them)\b"
)

_GENERIC: Final = (
    r"(?:things|everything|anything|stuff|(?:all )?(?:prices|dates|numbers|amounts|times|units|answers|replies"
    r"|responses|distances|temperatures|citations"
    r"|quotes|reports|summaries|explanations|emails|mails|messages|drafts|code(?: comments)?|tests|docs|comments))"
)
_WORDED: Final = (
    r"(?:write|show|give|format|display|express|quote|state|list|round|spell|phrase|word|present|put|label|mark|sign"
    r"|draft|sort|cite|limit|cap|measure|prefix|return|report|indent|convert|summari[sz]e|explain|describe|use|name)"
)
_FORM: Final = (
    r"(?:only |always )?(?:(?:as|in|without|under|below|with|using|by) (?!(?:the|this|that|these|those|last|next)\b)"
    r"|(?:in the|with the) (?:\w+ )?(?:language|currency|format|style|order|units?|tense|voice|time ?zone)\b"
    rf"|to (?:the nearest|at most|a|{ONE_OR_MORE}|\d)|(?:step by step|simply|briefly|clearly|formally)\b)"
)
"""How something is to look. Where it is to go ("reports to production") is an order of the moment."""

IMPERATIVES: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?:please |kindly |just |then ){{0,4}}(?:{ORDER}) (?P<object>(?=.*{_STANDING}).+)",
        "constraint",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:please |kindly ){0,4}(?:text|call|email|e-mail|message|phone|write|ping|reach|contact|send|give"
        r"|show|use|book|address|treat|talk to|speak to) (?:to )?(?:me |us )?(?P<object>(?!(?:it|this|that"
        r"|them)\b).+ (?:instead|any ?time|any day)|instead)",
        "preference",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:please |kindly |just ){0,3}(?:reach|contact|ping|text|call|message|e-?mail|page) me (?:only )?(?:on"
        r"|via|by|through"
        rf"|over|at) (?P<object>(?!(?:the|this|that|once|\d{{1,2}}(?::\d\d)? ?(?:am|pm)?$|{WEEKDAY}|noon)\b).+)",
        "preference",
        veto=_THIS_CASE,
    ),
    rule(
        rf"(?:please |kindly |just ){{0,3}}(?:{_WORDED} (?:me )?(?P<object>{_GENERIC} {_FORM}.*)"
        rf"|(?:keep|leave) {_GENERIC} (?:{_FORM}.*|(?:\w+ and )?\w+$))",
        "constraint",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:please )?(?P<object>(?!(?:me|you|ladies|safety|the|at|one)\b)[\w' -]{2,40}? (?:first|upfront"
        r"|up front),? (?:then |and )?"
        r"[\w' -]{2,40}? (?:later|second|after(?:wards)?|last|next|below))(?:,? please)?$",
        "preference",
        veto=r"\b(?:is|was|are|were|came|went|did|do)\b",
    ),
    rule(
        r"(?:please )?(?:ask|check|confirm|wait|test|back up|warn me|tell me|ping me)(?: (?:me|with me"
        r"|for .{1,30}?))?(?: first)? "
        r"before (?P<object>(?:\w+ing\b|you \w+).+)",
        "constraint",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:please |kindly |just ){0,3}(?:write|answer|reply|respond|speak|talk"
        r"|explain) (?:to me )?(?P<object>in (?:plain"
        rf"|simple|short|full|bullet|complete|everyday|{PLAIN_CAPITALIZED}(?: {PLAIN_CAPITALIZED})?$).*)",
        "preference",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:please |kindly |just |always ){0,3}(?:speak|talk|write|text|chat) (?:to|with) (?:me|us) "
        r"(?P<object>(?:more "
        r"|a bit more |really |very )?(?:slow(?:er|ly)?|normal(?:ly)?|nicely|politely|kindly|gently|casual(?:ly)?"
        r"|formal(?:ly)?|plainly|simply|straight|honestly|directly|respectfully|calmly)(?: please)?"
        r"|like (?:(?:I'm|I am|we're|you're) (?!in\b|on\b|at\b)|(?:an?|my|any) (?!lot\b)).+)$",
        "preference",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:if|when|whenever|unless|until) [^,]{2,120}, (?P<object>(?:nobody|no one|nothing|everyone|everything"
        r"|everybody) "
        r"(?:merges?|deploys?|ships?|pushes|commits?|releases?|gets?|goes?|leaves?|must|may|can|has to|stops?"
        r"|works?|waits?).*)",
        "constraint",
    ),
    rule(
        r"(?P<object>(?:must|has to|have to|needs to)(?: not| also| always)? (?:be|have|fit|include|support"
        r"|allow|cost|come with"
        r"|run on|work (?:with|on|for)|stay|accept) .+)",
        "constraint",
        veto=(
            r"\bmust be (?:a|an|the|you|nice|fun|hard|tough|great|why|how|something|wrong|down|here|there"
            r"|kidding|love|true"
            r"|fate|\w+ing)\b"
        ),
    ),
    rule(
        r"(?:please |just ){0,4}be (?:more |less |very |as |totally |completely |always |brutally "
        r"|extra ){0,4}(?P<object>(?:blunt|direct|honest|brief|concise|concrete|specific|polite|formal"
        r"|informal|friendly|gentle|critical|strict|frank|straightforward|precise|explicit|funny|nice|kind"
        r"|detailed|thorough|short|patient|encouraging)\b.*)",
        "preference",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:set|change|switch|make|keep|turn) (?:my|our|the) (?:default "
        r"|preferred )?(?:[\w-]+ ){0,2}?(?:timeout|limit|language|theme|time ?zone|currency|units?|locale"
        r"|reminders?|font|notifications?|temperature|threshold|budget|frequency|format|mode|tone"
        r"|signature|alarm|interval|name|retention|rate) (?:to|at|in|as|off|on|below|under) (?P<object>.+)",
        "constraint",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:if|when|whenever|unless|once|should) [^,]+, (?:please |then |just |always ){0,4}(?P<object>"
        + ORDER
        + r" .+)",
        "constraint",
        veto=rf"{_THIS_CASE}|{OCCASION}|\b(?:tomorrow|tonight|today)\b",
    ),
    rule(
        r"(?:from now on|going forward|in (?:the )?future|henceforth|by default),? (?:please |just ){0,2}(?P<object>"
        + ORDER
        + r" .+)",
        "constraint",
        veto=_THIS_CASE,
    ),
    rule(
        rf"(?:please |kindly )?(?:{ORDER}|correct|plan|cook|check) "
        rf"(?P<object>(?!(?:it|this|that|them|you|to|in|out|up|off|late|early)\b)\w[^,]{{2,80}}), always$",
        "constraint",
        veto=_THIS_CASE,
    ),
    rule(
        rf"(?:please |kindly )?(?:{ORDER}|correct) (?P<object>always (?:my|our|the|your|all|in|with)\b.+)",
        "constraint",
        veto=_THIS_CASE,
    ),
    rule(
        r"(?:there's|there is|there are|you have|we have) no need (?:to|for) (?P<object>.+)",
        "constraint",
        veto=r"\bto (?:worry|apologi[sz]e|hurry|rush|thank|panic|be sorry)\b",
    ),
    rule(
        r"(?:nothing|no one|nobody) (?P<object>(?:[\w-]+ ){0,3}(?:before|after|over|above|below|under|with"
        r"|without|on|from|longer than|more than|between|earlier than|later than) .+)",
        "constraint",
        veto=(
            r"^nothing (?:beats|like|better)\b|\b(?:is|was|are|works?|happens?|happened|helped|changed|came|to do with"
            r"|wrong with)\b"
        ),
    ),
)
"""Orders are standing where they name a repetition, a default or a bound; one without is a request of the moment."""

NORMS: Final[tuple[Rule, ...]] = (
    rule(
        r"(?P<object>(?!(?:no|I|we|you|he|she|it|they|this|that|there|these|those|which|who|what|someone"
        r"|somebody|something|my \w+|his|her|their|your|the (?:problem|issue|error|bug|reason|answer|cause"
        r"|culprit))\b)[\w./'-]+(?: [\w./'-]+){0,6}?) (?:must(?:n't| not| never| always| only)?"
        r"|shall(?: not| never| always)?|(?:has|have|needs?) to|may (?:not|never|only)|(?:should|can"
        r"|may) (?:never|always|only|not)|shouldn't|can't|cannot|is not to|are not to|is to be"
        r"|are to be) (?:be |go |exceed |have |use |run |stay |get |come |pass |contain |follow |include "
        r"|support |fit |happen |end |start |remain |leave |take |cost |go |match |comply |live |work "
        r"|allow |use |wait |\w+ ).*",
        "constraint",
        veto=(
            r"^(?:if|when|once|unless|should|in case) (?:.*\b(?:I|we)(?:'ll| will) (?:have|need) to\b|(?:it|he|she"
            r"|they) "
            r"[^,]*\b(?:I|we) (?:must|have to|need to)\b)|\b(?:must (?:have|feel|seem|mean|hurt|suck|love|know|take"
            r"|get|cost|come|think|want|need|miss|say"
            r"|look|sound|make)\b|must be (?:so|very|really|pretty|quite|great|hard|tough|nice|amazing|awesome"
            r"|a|an|the|rewarding|exciting|fun|good|bad|difficult|challenging|beautiful|lovely|tired|happy"
            r"|proud|\w+ing|how|why|what|because|such|there|here|down|up|off|out|wrong|right|true)\b"
            r"|must be (?:a bug|an error|a mistake|wrong|broken|kidding|joking|nice|hard|something|missing"
            r"|an? )|cannot be (?:found|reached|opened|loaded|read|resolved)|can't (?:find|open|connect"
            r"|be (?:found|reached|opened|loaded|serious|right|true))|has to be (?:a|an|the|something|because)"
            r"|cannot (?:find|open|connect|load|read|see|resolve)|needs? to know|in this \w+$|should not be (?:hard"
            r"|a problem|difficult|happening))\b"
        ),
    ),
    rule(
        r"(?P<object>(?:all|every|each|any|anything|everything|anyone|whatever|both|our|my|the|code|new"
        r"|only|\w+s|\w+ [\w-]+s)(?: [\w./'-]+){0,6}? (?:should(?:n't| not| never| always| only)?"
        rf"|(?:needs?|requires?) (?:at least |at most |exactly |an? |{TWO_OR_MORE} |\d+ |explicit "
        r"|written |prior |my |our |(?:\w+ ){0,2}(?=approval|reviews?\b|sign-?off|permission"
        r"|consent)))) ?.+",
        "constraint",
        veto=(
            r"^(?:I|we|you|he|she|it|they|this|that|there|what|who|which|does|his|hers|always|perhaps|yes"
            r"|thanks|guess)\b|\b(?:should (?:pass$|work|be (?:fine|ok|okay|ready|easy|done|here|working"
            r"|enough|able|good|possible|back)|work|load|do it|help|have|know|I|we|suffice)|needs? (?:a|an|my"
            r"|some) (?:fix|look|minute|second|break|hug|moment|hand|walk|nap|new battery|restart|doctor"
            rf"|coffee|rest|reboot|repair|ride|vet)|my (?:\w+ )?(?:{A_RELATIVE}|friend|boss|colleague|dog|cat|car"
            r"|neighbou?r|flight|package|order"
            r"|parcel) )\b"
        ),
    ),
    rule(
        (
            r"(?:I|we) (?:have to|need to|must|am required to|'m required to"
            r"|are required to) (?P<object>(?!(?:admit|say|ask|go now|leave|know|think|check|find|figure"
            r"|apologi[sz]e|run\b(?!s)|get back|be honest)\b)(?:(?:support|comply|stay|keep|use|follow|meet"
            r"|adhere|respect|document|log|report|include|obtain|maintain|remain|run|take|be|avoid|limit|fit"
            r"|have|pick|work|sleep|eat|wear|account|pay|provide|get|finish|leave|drive|file|submit|send|store"
            r"|sign|inject|travel|do|go)\b.*(?:"
        )
        + _STANDING
        + r"|"
        + PERIOD
        + (
            r"|\b(?:until|weekdays|weekends|daily|weekly|monthly|nightly|twice|once|always|never|at all times"
            rf"|under|below|within|compliant|{WEEKDAY}s?)\b).*|(?:support"
            r"|comply|adhere|stay (?:on|under|within|with|compliant)|remain|avoid|respect|follow"
            r"|take (?:insulin|medication|pills?|my)|account for|limit) .+))"
        ),
        "constraint",
    ),
    rule(
        r"(?:I|we)(?:'ll| will| won't| will not) (?:not |never |only |always |no longer "
        r"|under no circumstances )(?P<object>(?!(?:be|forget|have|give up|tell|know|find|see|get|let"
        r"|do (?:it|that|this)|need|take (?:it|long))\b).+)|(?:I|we) won't (?:ever )?(?:work|travel|fly"
        r"|pay|use|accept|eat|drink|attend|sign|deploy|share|take|buy|live|answer|do) (?!it\b|this\b"
        r"|that\b).+",
        "constraint",
        veto=r"\b(?:it|this|that)$",
    ),
    rule(
        r"(?:my |our |the |total |trip |project |spending |price |cost |gift |travel |grocery |monthly |hard "
        r"|upper ){0,4}(?:budget|spending limit|deadline|limit"
        r"|cap)(?: for [^,]+?| of the [^,]+?| on [^,]+?)? ?(?:is|are|of|about|around|at|max|maximum|under"
        r"|below|up to|roughly|approximately|:|~|<|remains|stays){1,4} ?(?P<object>.*(?:\d|\b(?:hundred"
        rf"|thousand|k|grand|{WEEKDAY}|{MONTH}|noon|midnight|end of)\b).*)",
        "constraint",
        lasts=True,
    ),
    rule(
        r"(?:the|my|our) (?:[\w-]+ ){0,2}?deadline(?: for [^,]+?)? (?:has been|was|is|got|has"
        r"|moved) ?(?:moved|pushed|postponed|changed|rescheduled|delayed|extended|brought forward|shifted"
        r"|set|back|forward|out){0,4}(?: back| forward| out| up)? (?:to|until|by|for|on) (?P<object>.+)",
        "constraint",
        lasts=True,
        corrects=True,
    ),
    rule(
        rf"(?P<object>[\w' -]+) (?:insists? on|mandates?|demands?|requires?|expects?) .*(?:\d|\b(?:{TWO_OR_MORE}"
        r"|minimum|at least|at most|maximum|approval"
        r"|sign-?off)\b).*",
        "constraint",
        veto=(
            rf"^(?:I|he|she|it|this|that|my (?:{A_RELATIVE}|friend|cat"
            r"|dog))\b"
        ),
    ),
)
"""What ought to be, said of things rather than to somebody."""
