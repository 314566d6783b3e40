"""Ways of stating a goal or a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from langchain_agentmem.english.words.calendar_words import MONTH, SEASON, WEEKDAY
from langchain_agentmem.english.words.kin_words import A_CHILD, A_PARTNER, A_RELATIVE
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWENTY_OR_MORE, TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER, LONG_CAPITALIZED
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.words.lexicon import PET
from langchain_agentmem.extraction.words.milestones import SEASON_OR_MONTH

ADVERB: Final = (
    r"(?:(?:also|really|still|now|currently|finally|eventually|actively|definitely|ultimately|just"
    r"|already|actually|both|all|hereby|collectively|\w+ly) ){0,4}"
)
_POINTING: Final = (
    r"(?:it\b|this\b|that\b|these\b|those\b|them\b|you\b|the (?:first|second|third|last|former|latter"
    r"|other) (?:one|option)?\b|the same\b|option \w\b(?!:))"
)

LONG_VERB: Final = (
    r"(?:learn|become|be (?:able|fluent|promoted|a |an |the |debt|financially|certified|more|better)"
    r"|run (?:a |an |my |the |for |\d)|lose|gain|save|finish|complete|build|launch|ship|migrate|move"
    r"|relocate|get (?:promoted|fit|better|certified|into|in shape|(?:my|our) (?:\w+ ){0,2}(?:degree"
    r"|licen[cs]e|phd|diploma|certifica\w+|visa|weight|finances|debts?|own)|a (?:degree|promotion|job"
    r"|dog"
    r"|driving|certification|new job|phd|master)|to (?:level|fluent|conversational|a)|the|(?:my|our) \w+ (?:up "
    r"|down )?(?:to|under|below|above|over)|(?:my|our) [\w ]{1,30}? (?:down|up|under control|back|in order"
    r"|sorted)|out of debt"
    r"|healthier|back (?:in|into)|rid of|more|fluent|married|under)|pass|master"
    r"|improve|reduce|increase|cut|quit|stop|start|write (?:a |an |my |the )|publish|graduate"
    r"|buy (?:a |my |our )|retire|travel|visit|climb|grow|earn|reach|hit|achieve|double|triple|halve"
    r"|switch|change careers|transition|release|deliver|expand|hire|raise|open (?:a|my|our)|found"
    rf"|pay off|read (?:\d|more|at|every|all|{ONE_OR_MORE}|{TWENTY_OR_MORE}|a)|speak (?!to\b"
    r"|with\b)|understand (?:\w+ )?(?:better|deeply|fully)|compete|qualify|perform|record|exercise"
    r"|eat (?:less|more|healthier|better)|sleep|meditate|drink (?:less|more)"
    r"|spend (?:less|more)|invest|renovate|restore|apply (?:for|to)|volunteer|teach|automate|replace"
    r"|refactor|rewrite|roll out|upgrade|onboard|win|bring|lower|scale|consolidate|cover|decommission"
    r"|deprecate|modernize|adopt|swim|cycle|bike|walk|hike|play|perfect|attend|organi[sz]e|lead"
    r"|make (?:partner|a living|more)|go (?:vegan|vegetarian|freelance|part-time|to \w+ (?:school|next"
    r"|in))|live|work (?:abroad|remotely|less)|give up|keep|see the|practi[cs]e|break|ride|sail"
    rf"|do (?:a|an|my|\d)|have (?:kids|children|(?:an? |another )(?:\w+ )?(?:{A_CHILD}|family)))"
)
_DEADLINE: Final = (
    rf"\b(?:by (?:the )?(?:end|next|(?:early|mid|late)|{SEASON}|christmas"
    rf"|easter|new year|q[1-4]|{WEEKDAY}|{MONTH}|\d|my|20\d\d|this (?:{SEASON}|year))|before (?:the )?(?:end|next|i"
    r"|my|we|our|summer|winter|christmas|q[1-4]"
    rf"|{MONTH}|20\d\d|(?:move|trip|wedding|exam|baby|launch|holidays?"
    r"|race)\b)"
    rf"|within (?:\w+ )?(?:\w+ )?(?:days|weeks|months|years?)|in (?:the next )?(?:\d+|{TWO_OR_MORE}|a few) (?:weeks"
    rf"|months|years)|this year|next year|this (?:quarter|{SEASON}|semester)|next (?:quarter|month|{SEASON}"
    r"|semester)|someday|one day"
    rf"|until (?:{MONTH})|over the next|per (?:week"
    r"|month|year)|a (?:week|month|year))\b"
)
_ERRAND: Final = (
    r"\b(?:know|ask|tell|talk|cancel|order|return|refund|find|figure|fix|debug|install|log ?in|sign"
    r"|reset|open|close|download|upload|print|send|call|check|verify|confirm|update my"
    r"|change my (?:password|address|email|order|flight|plan)|book|reserve|schedule|buy (?:this|that"
    r"|the|some)|see (?:if|what|how|the)|use (?:this|that|your)|apply this|remove|delete|add|make sure"
    r"|set up an? (?:meeting|call)|hear|go (?:home|to bed|out|eat)|eat (?:something|pizza|lunch"
    r"|dinner)|leave|take a|understand why|understand what|understand how)\b"
)

_STATED: Final[tuple[Rule, ...]] = (
    rule(
        r"(?:we|I|the team|our team|my team|our company|my company|our startup|management|the board"
        rf"|the architecture board|leadership|my (?:{A_PARTNER}) and I)(?:'ve| have"
        rf"| has)? {ADVERB}(?:decided|agreed|chosen?|opted|voted|elected|resolved|settled|concluded"
        r"|committed)(?: together| unanimously| internally| finally| today| yesterday| in \w+| last \w+"
        rf"| this \w+){{0,3}}:? (?P<object>(?!{_POINTING}$|yet\b|whether\b|if\b|nothing\b|to (?:ask|wait"
        r"|stay (?:home|in)|take a (?:nap|break)|go (?:home|to bed))|with (?:you|that|him|her)).+)",
        "fact",
        veto=(
            r"\b(?:not|n't|never|yet to|should(?: have)?|before we|agreed to disagree)\b (?:decided|agreed"
            r"|chosen)"
        ),
    ),
    rule(
        r"(?:we|I|the team|our team|my team|our company|my company)(?:'ve| have| has|'re| are| is|'m| am"
        rf"| will be)? {ADVERB}(?:(?:(?:went|gone|going|go) (?:ahead )?|(?:moving|going|pressing) (?:ahead"
        rf"|forward) )with|sticking with|staying with"
        rf"|(?:went|opted|settled|going) for(?= {CAPITAL})) (?P<object>(?!{_POINTING}|you\b"
        rf"|my (?:friends?|family|{A_RELATIVE})\b|him\b|her\b|friends\b).+)",
        "fact",
        veto=r"\b(?:should|could|might|would) ",
    ),
    rule(
        r"(?:the (?:architecture |steering )?(?:board|committee|council|management|leadership)|management|leadership"
        r"|my (?:boss|manager)|the (?:client|customer|cto|ceo))(?: has| have)?(?: finally| just| now)? "
        rf"(?:approved|rejected|greenlit|picked|chose|selected|signed off on|vetoed|shelved"
        rf"|killed) (?P<object>(?!{_POINTING}).+)",
        "fact",
    ),
    rule(
        r"(?:we|the team|our team|my team|our company|my company)(?:'ve| have| has|'re| are"
        rf"| is)? {ADVERB}(?:picked|selected|adopted|adopting|standardi[sz](?:ed|ing) on|switched"
        r"|switching|migrated|migrating|moved|moving|rejected|ruled out|ruling out|dropped|dropping"
        r"|abandoned|abandoning|approved|postponed|postponing|scrapped|replaced|replacing|retired|retiring"
        r"|deprecated|deprecating|killed|sunsetting|committed to|shelved|reverted to|rolled back to"
        rf"|signed off on) (?P<object>(?!{_POINTING}).+)",
        "fact",
        veto=(
            rf"\badopted .*\b(?:{PET}|girl|boy|{A_CHILD}s?|(?:called|named) {LETTER})"
            rf"|\b(?:moved|moving) (?:house|in|to {LETTER}\w+ (?:last|in))\b|\b(?:page|slide|step|row|line|question) \d"
        ),
    ),
    rule(
        r"(?:we'll|we will|we're going to|we are going to|let's|let us) (?:definitely |now |officially "
        r"|all ){0,4}(?:use|go with|stick with|adopt|standardi[sz]e on|keep using|build (?:it |this "
        r"|the \w+ )?(?:with|in|on)|move to|switch to|stay (?:with|on)|host (?:it |this |everything )?on"
        rf"|write (?:it |this |the \w+ )?in) (?P<object>(?!{_POINTING}|the (?:flow|crowd|other)\b).+)",
        "fact",
        veto=r"\b(?:for now|first|and see)\b",
    ),
    rule(
        rf"(?:we|I|the team|our team|my team)(?:'ve| have| has)? {ADVERB}(?:revised|reversed|reconsidered|changed"
        r"|overturned|overruled|went back on) (?:the|our|my|that) (?:[\w-]+ )?(?:decisions?|choices?|minds?|plans?)"
        r"(?: (?:on|about|for|from|to) [^:,]+?)? ?[:,]? ?(?:and |so )?(?:(?:it's|it is|we use|we're using|we are using"
        r"|we chose|we'll use|we go with|now|go with|use) ){0,2}"
        rf"(?P<object>(?!{_POINTING}).+ (?:instead of|rather than) .+)",
        "fact",
        corrects=True,
    ),
    rule(
        rf"(?:we|I|the team|our team|my team)(?:'ve| have| has|'re| are| is)? {ADVERB}(?:went|gone|going|go|moving"
        rf"|moved|switched|switching) (?:back )?to (?P<object>(?!{_POINTING}|bed\b).+ (?:instead of|rather than) .+)",
        "fact",
        corrects=True,
    ),
    rule(
        r"(?:the |our |my |final |team ){0,4}(?:decision|verdict|conclusion|agreement"
        r"|outcome of the (?:meeting|vote|discussion))(?: is| was| we made| made)?(?: to| that|:| is"
        r"| was){1,3} (?P<object>.+)",
        "fact",
    ),
    rule(r"(?:decided|agreed|decision)(?: today| in the meeting)?(?: that|:| on| to)? (?P<object>.+)", "fact"),
    rule(
        r"it(?: was|'s| has been| is) (?:been )?(?:now |officially |finally ){0,4}(?:decided|agreed|settled"
        r"|official)(?: that| to|:)? (?P<object>.+)",
        "fact",
    ),
    rule(
        rf"I(?:'ve| have)? {ADVERB}(?:picked|selected|enrolled in|signed up for|signed up to|chose|chosen"
        rf"|committed to) (?P<object>(?!{_POINTING}|up\b|the wrong\b|your\b).+)",
        "fact",
        veto=r"\b(?:picked up|wrong)\b",
    ),
    rule(
        r"(?P<object>[\w .+#-]{2,40}?) (?:won (?:out )?over|was chosen over|beat out|got picked over"
        r"|is replacing|replaces|was selected over|was chosen (?:as|for)|has been (?:chosen|selected"
        r"|approved)(?: as| for| over)?|was (?:approved|rejected) (?:for|by|as)) .+",
        "fact",
    ),
    rule(
        r"(?:we|I|the team|our team|my team)(?: \w+)? (?:did not|didn't|won't|will not|are not going to"
        r"|aren't going to|'re not going to|have decided against|'ve decided against|decided against"
        r"|are definitely not going to|'re definitely not going to) (?P<object>(?:choose|pick|go with"
        r"|select|adopt|use|switch|migrate|move|renew|buy|opt|build|support|continue|end up|take|hire"
        r"|extend|sign) .+)",
        "fact",
    ),
    rule(
        r"(?:we|I)(?: will not| won't|'re not| are not|'m not"
        r"| am not) (?:longer )?(?:be )?(?P<object>(?:renewing|using|continuing|extending|switching"
        r"|adopting|moving|buying|supporting|migrating|taking|hiring|signing) .+)",
        "fact",
        veto=r"\b(?:I'm|I am|we're|we are) not using\b",
    ),
    rule(rf"we(?:'re| are) (?:\w+ly )?not going (?:to|with|for|on) (?P<object>{CAPITAL}.+)", "fact"),
    rule(r"(?:we|I)(?: \w+)? (?:ended up|finally ended up|wound up) (?:with|\w+ing) (?P<object>.+)", "fact"),
    rule(
        r"(?:we|I)(?:'m|'re| am| are)? (?:going to|gonna|will|'ll) (?:stick|stay"
        r"|go) with (?P<object>(?!it\b|that\b|this\b|you\b).+)",
        "fact",
    ),
    rule(
        r"(?:please |then |so |just |ok |and |let's ){0,3}(?:go (?:ahead )?with|go for(?= (?:the|an?) )|opt for"
        r"|settle on) (?P<object>"
        rf"(?!{_POINTING}|the (?:flow|crowd|other)\b|your\b|me\b|us\b|whatever\b|any\b|him\b|her\b).+)",
        "fact",
        veto=r"\b(?:for now|this time)\b",
    ),
    rule(
        r"(?:in the end,? |finally,? |so ){0,2}(?:I|we)(?:'ve| have)? (?:finally |just |now )?(?:took|taken"
        r"|accepted|turned down|declined"
        r"|rejected) (?P<object>(?:the|an?|their|my) (?:[\w-]+ ){0,2}?(?:job|offer|position|role|flat|apartment"
        r"|house|place|deal"
        r"|promotion|contract|quote)\b.*)",
        "fact",
    ),
    rule(
        r"we(?:'re| are) (?:now )?(?:doing|getting|taking|booking"
        rf"|hiring) (?P<object>{LONG_CAPITALIZED}(?: [\w-]+){{0,3}})$",
        "fact",
    ),
    rule(r"(?:final |my |our ){0,4}(?:call|choice|pick|selection|winner)(?: is|:) (?P<object>.+)", "fact"),
    rule(
        r"(?:we|I)(?:'re| are|'m| am)? (?:now )?(?:meeting|going|moving|staying|switching|using|doing"
        r"|flying|hosting|running|building|writing|shipping) (?P<object>.+ instead(?: of .+)?)$",
        "fact",
        corrects=True,
    ),
    rule(
        r"(?:so |this time |in the end |finally |after [\w ]+? |following [\w ]+? ){1,2}(?P<object>(?:we|I"
        r"|the team) (?:picked|chose|selected|went with|decided|agreed|settled|opted).+)",
        "fact",
    ),
)

DECISIONS: Final[tuple[Rule, ...]] = tuple(replace(each, tags=("decision",), lasts=True) for each in _STATED)
"""Kept as facts that carry the tag "decision"."""

_TRIP_WHEN: Final = (
    rf"(?:(?:in|over|during|for|at) (?:(?:the|early|mid|late|next|our|my) ){{0,2}}(?:{SEASON_OR_MONTH}|christmas|easter"
    r"|new year|new year's|(?:school |summer |winter |half-term )?(?:holidays?|vacation|break|honeymoon|anniversary)"
    r"|(?:\w+ )?(?:weeks|months|fortnight))\b"
    rf"|(?:next|this) (?:month|year|{SEASON})\b|on {MONTH}\b|on (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b)"
)
_TRIP: Final = (
    rf"(?:(?:I'm|I am|we're|we are) {ADVERB}(?:going|flying|travell?ing|driving|heading|sailing|off)"
    r"|(?:I'll|I will|we'll|we will) (?:be )?(?:go(?:ing)?|fly(?:ing)?|travel(?:l?ing)?))"
    r" (?:(?:back|over|away|down|up|out) )?to"
)

GOALS: Final[tuple[Rule, ...]] = (
    rule(
        rf"{_TRIP} (?P<object>(?-i:{CAPITAL}[\w'-]+)(?: [\w'-]+){{0,4}}?) {_TRIP_WHEN}.*",
        "goal",
    ),
    rule(
        r"(?:(?:one of )?(?:my|our)(?: team's)?|the) (?:\w+ ){0,3}?(?:goal|goals|aim|objective|target|ambition"
        r"|mission"
        r"|resolution|dream|okr|plan|milestone|aspiration|north star|intention)(?: for [^,]+?| this \w+"
        r"| here| right now| now| in life| at the moment| by [\w ]+?)? (?:is|are|would be|remains"
        r"|has always been|was always)(?: still| now| currently| actually| simply| just){0,4}(?: to"
        r"| for)? (?P<object>(?!(?:it|this|that|what|unclear|not|on track|going|done)\b).+)",
        "goal",
        lasts=True,
    ),
    rule(
        rf"(?:I|we)(?:'m|'re| am| are|'ve been| have been)? {ADVERB}(?:trying|aiming|hoping|planning"
        r"|intending|striving|looking|working|determined|committed|on a mission|on track"
        rf"|going) (?:hard )?to (?P<object>(?:(?!{_ERRAND})\w+ly )?{LONG_VERB}\b.*)",
        "goal",
        veto=(
            r"\b(?:this|that) (?:bug|error|issue|code|file|page|message|test|script|one)\b|\b(?:going"
            rf"|looking) to (?:be|get|the|start (?:with|by))\b(?!.*{_DEADLINE})|\b(?:it|that|this)$"
        ),
    ),
    rule(
        rf"(?:I|we) {ADVERB}(?:aim|intend|hope|plan|mean|strive|aspire|dream|resolve|vow|promise myself"
        r"|need|have|must|want|wish|would like|'d like|would love|'d love|can't wait)(?: for (?:us|me"
        r"|the team))? (?:to|of) (?P<object>(?:(?:finally|eventually|one day|really|also"
        rf"|actually) ){{0,4}}{LONG_VERB}\b.*)",
        "goal",
        veto=(
            r"\b(?:this|that) (?:bug|error|issue|code|file|page|message|test|script|one)\b|\b(?:you to"
            r"|need to (?:be|get|keep|do)|have to (?:be|get|keep|do|work|go|leave|live|stop|start)|keep (?:it"
            r"|this|that)|see the (?:menu|manager|page|error|file|code)|start over|stop (?:it|this|that|here"
            r"|the)|play (?:a|some) (?:song|music|game|round)|create an? (?:new )?(?:account|file|function"
            rf"|list|table|ticket|folder)|change)\b|\b(?:it|that|this)$|can't wait to (?!.*{_DEADLINE})"
        ),
    ),
    rule(
        r"(?:I'd|we'd|I would|we would) (?:also |really |eventually |one day |still ){0,4}(?:like"
        rf"|love) to (?:eventually |one day |finally |someday ){{0,4}}(?P<object>{LONG_VERB}\b.*)",
        "goal",
        veto=(
            r"\b(?:play a|start (?:with|by)|see the|keep (?:it|this)|stop (?:it|this|here)|create an? "
            r"|change)\b"
        ),
    ),
    rule(
        r"(?:I|we)(?:'d like|'d love| would like| want| need| plan| hope| aim| intend| am going|'m going"
        r"|'re going|'ll| will| am planning|'m planning|'re planning|'m trying"
        r"| am trying)(?: to)? (?P<object>(?!(?:you|be (?:there|back|home|late)|know|see you"
        rf"|ask)\b).+{_DEADLINE}.*)",
        "goal",
        veto=(
            rf"{_ERRAND}|\b(?:visit|do|see|try|read|get|watch|join|make|have|check) (?:it|that|this)\b"
            r"|\b(?:remind(?:er)?|meeting|appointment|dentist|call|flight|table|tickets?|hotel|invoice|refund"
            r"|delivered|package|order|response|reply|answer|arrive|leave|sleep|be on (?:vacation|holiday"
            r"|leave))\b"
        ),
    ),
    rule(
        rf"(?:I'm|I am|we're|we are|I've been|we've been) {ADVERB}(?:working (?:towards?|on (?:my|becoming"
        r"|getting|improving|learning|building|writing (?:a|my)|a (?:book|novel|phd|startup|thesis|paper"
        r"|side project)))|training (?:for|to)|preparing (?:for|to)|saving(?: up)? (?:for|to)"
        r"|studying (?:for|to)|learning (?!that\b)|practi[cs]ing (?:for|to)|building (?:a|an|my|our)"
        r"|writing (?:a|my) (?:novel|book|thesis|dissertation|memoir)|aiming (?:for|at)|shooting for"
        r"|striving (?:for|to)|gunning for|pursuing|planning (?:a|an|our|my) (?:trip|wedding|move|launch"
        r"|career|migration|marathon)|on track (?:to|for)|teaching myself|job ?hunting"
        r"|looking for a (?:new )?job) ?(?P<object>.*)",
        "goal",
        veto=(
            r"\b(?:this|that) (?:bug|error|issue|function|script)\b|\bworking on my (?:laptop|phone|computer"
            r"|own)\b|\bbuilding an? (?:query|list|table|function|regex)\b"
        ),
    ),
    rule(
        rf"(?:I'm|I am|we're|we are|I've been) {ADVERB}planning (?:to|on) (?P<object>(?!{_ERRAND}).+)",
        "goal",
        veto=r"\b(?:to ask|to use (?:this|that|it|your))\b",
    ),
    rule(
        r"(?:I'm|I am|we're|we are) (?:really |still )?(?:hoping|praying|saving|working|training)(?: up"
        r"| hard)? (?:that |so |so that )?"
        rf"(?:I|we)(?:'ll| will| can| could| get to| manage to| finally){{1,2}} (?P<object>{LONG_VERB}\b.*)",
        "goal",
    ),
    rule(
        rf"(?:I|we) {ADVERB}(?:plan|intend|aim|hope|count) (?:on|at) (?P<object>(?!going (?:home|out"
        rf"|to bed))\w+ing\b.*)",
        "goal",
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:set (?:myself|ourselves) (?:the|a) (?:goal|target|challenge)|set (?:a"
        r"|the|my|our) (?:goal|target)|made it my (?:goal|mission)|signed up for (?:a|the) .*(?:marathon"
        r"|race|course|bootcamp|triathlon|exam)|committed to|resolved to"
        r"|promised myself to) ?(?P<object>.*)",
        "goal",
        lasts=True,
    ),
    rule(
        r"(?:goal|objective|target|new year'?s resolution|resolution)(?: for [^:]+"
        rf"|(?: number)? {ONE_OR_MORE})?(?::| is| -) ?(?P<object>.+)",
        "goal",
        lasts=True,
    ),
    rule(
        r"(?:by|before|within|over) [^,]+,? (?:I|we) (?:want|aim|plan|hope|intend|need|would like|'d like"
        r"|have|expect|will|'ll)(?: to)? (?P<object>.+)",
        "goal",
    ),
    rule(
        r"(?:I|we) (?:dream of \w+ing|aspire to|am determined to|'m determined to|hope to one day|long to"
        r"|strive for|have my (?:heart|sights) set on|look forward to becoming) (?P<object>.+)",
        "goal",
    ),
)
