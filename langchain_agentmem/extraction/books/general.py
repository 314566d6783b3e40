"""Shapes of statements about oneself that the themes do not name: asked last, each with the words that take it back."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.kin_words import A_RELATIVE, RELATIVES
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.words.lexicon import PERIOD, STATING_ADVERB

_PASSING_STATE: Final = (
    r"(?:dead(?! (?:\w+ )?(?:against|on|set)\b)|alright|all right|sorry|sure|certain|glad|happy|sad|excited|stoked"
    r"|pumped|hyped|thrilled|delighted|pleased"
    r"|grateful|thankful|hungry|thirsty|tired|exhausted|sleepy|bored|busy|free|late|early|sick|ill"
    r"|cold|hot|warm|fine|good|well|okay|ok|great|bad|better|worse|awake|drunk|nervous|worried|anxious"
    r"|stressed|upset|angry|annoyed|frustrated|confused|lost|stuck|surprised|shocked|curious"
    r"|interested|impressed|amazed|disappointed|embarrassed|afraid|aware|ready|done|finished|back|here"
    r"|there|home|out|off|away|around|close|almost|about|able|unable|supposed|willing|set|kidding"
    r"|joking|serious|right|wrong|correct|alone|in (?:a|the|my) (?:meeting|call|hurry|rush|car|bus"
    r"|train|office|middle|mood|kitchen|shop|store|queue|line)|on (?:a|the|my) (?:call|train|bus|plane"
    r"|phone|way|road|line|page|same)|at (?:a|the|my|work|home|lunch|\d+(?: ?%| percent)?)"
    r"|gonna|keen to|rooting|running (?:late|out|into|the|this)|referring|just|saying|in|up|down"
    r"|over|under|all|one|you|the one|glad|with you|for real|from|so|too|more|less|not|it|that|this"
    r"|dying|freezing|starving|hurt|injured|jetlagged|hungover|overwhelmed|swamped|behind|ahead"
    r"|heart-?broken|devastated|gutted|crushed|distraught|shattered|grieving|in (?:shock|tears|bits|pieces)|overjoyed"
    r"|ecstatic|elated|miserable|furious|livid|mortified|speechless|terrified(?! of)|relieved|hopeful|lonely|homesick"
    r"|heavy-?hearted|broken-?hearted|emotional|numb"
    r"|convinced|positive|missing|blocked|concerned|unclear|unsure|amused|proud|sold|game|good to go"
    r"|kind|half|nearly|only here|using (?:the|this|that|your|it)|new here)\b"
)

_PASSING_DOING: Final = (
    r"(?!(?:studying|training|living|working|learning|building|raising|running (?:an?|my|our)|managing"
    r"|teaching|writing (?:an?|my) (?:\w+ )?(?:book|novel|thesis|dissertation|memoir|screenplay|blog"
    r"|paper)|taking|using"
    r"|expecting|dating|renting|coaching|leading|developing|serving|volunteering|commuting|pursuing"
    r"|exploring|migrating|moving|hiring|saving|fasting"
    r"|growing|breeding|restoring|renovating|mentoring|majoring|practi[cs]ing|freelancing|hosting"
    r"|maintaining|supporting|caring|homeschooling|fostering"
    r"|planning|integrating|rebuilding|rewriting|replacing|switching|retiring|transitioning|applying"
    r"|competing|recovering|seeing a (?:therapist|doctor|specialist))\b)\w+ing\b"
)
"""What one is doing is of the moment, but for what takes weeks."""

_PASSING_THING: Final = (
    r"(?:questions?|problems?|issues?|ideas?|doubts?|trouble|concerns?|feeling|headache|cold|fever|flu"
    r"|hangover|clue|time|minutes?|seconds?|moment|bit|look|call|chat|meeting|appointment|errors?"
    r"|bugs?|crash|exception|warning|feedback|point|thought|suggestions?|request|favou?r|choice|option"
    r"|luck|fun|sense|access|enough|faith|hope|hunch|plans?|reason|reservation(?:s)? about|to|been|had"
    r"|done|seen|heard|read|tried|just|never|not|no|nothing|everything|something|anything|it|this|that"
    r"|these|those|them|you|your|one|stuck|lost|used to|rid|up|back|home|here|there|in|out|on|off|over"
    r"|through|along|started|going|ready|better|worse|tired|confused|sick|hungry|bored|annoyed|angry"
    r"|worried|excited|the (?:same|following|feeling|impression|result|error|answer|file|message|point"
    r"|idea|joke|code|output|gist|right|wrong)|a lot|lots|more|less|all|some|any|what|why|how|another"
    r"|so|too|work|paid|lunch|dinner|breakfast|coffee)\b"
)

_PASSING_DEED: Final = (
    r"(?:think|know|guess|mean|see|wonder|hope|feel|understand|agree|disagree|believe|forgot|remember"
    r"|hear|heard|ask|say|said|tell|told|suppose|assume|try|tried|seem|look|looked|find|found|notice"
    r"|realize|realise|thank|appreciate|apologi[sz]e|promise|swear|bet|doubt|wish|expect|care|mind"
    r"|worry|need|want|get|got|go|come|came|went|saw|thought|meant|wanted|needed|asked|could|would"
    r"|should|might|may|will|shall|must|can|did|was|were|had|have|do|just|see|give|put|set|let|call"
    r"|called|send|sent|mention|mentioned|recommend|suggest|copy|click|press|open|close|checked|check"
    r"|add|added|paste|upload|download|install|installed|made|make|wrote|left|lost|miss|missed|follow"
    r"|receive|received|noticed|clicked|ordered|felt|reali[sz]ed|understood|hit|ran|keep|kept|wait"
    r"|waited|confirm|accept|decline|refuse|insist|request|intend|plan|aim|fail|failed|like|love"
    r"|prefer|hate|enjoy|spent|ate|slept|woke|bought|broke|read|took|used to|imagine|recall|gotta|beg"
    r"|ate|don't|do not|am|'m|not|no|used|is|are|has|be|stay|stand|sit|start|stop|turn|bring|show"
    r"|leave|meet|met|lie|win|won|owe|dare|reckon|figure|gather|sense|admit|regret|understand|trust"
    r"|question|visited|watched|tested|created|deleted|fixed|worked|moved|decided|chose|picked"
    r"|finished|completed|learned|dropped|gave|changed|switched|spoke|talked|replaced|deployed|merged"
    r"|pushed|updated|upgraded|tried)\b"
)

_UNHELPFUL: Final = (
    r"(?:find|open|connect|access|load|log|sign|figure|understand|remember|believe|wait|tell|hear|seem"
    r"|help|see|reach|get|imagine|reproduce|say|think|recall|download|upload|install|start|stop|click"
    r"|send|be|do|make|come|go|agree|decide|explain|promise|guarantee|confirm|find|read (?:it|this"
    r"|that|the)|show|check|try|give|even|just|really|also see|move on|continue|proceed|thank|complain"
    r"|ask|blame|argue|resolve|build|compile|run (?:it|this|that|the)|use (?:it|this|that|the)|deploy"
    r"|wrap|put|call|share (?:the|my screen)|stress|share|provide|describe|walk|compare|follow|handle"
    r"|implement|apply|add|improve|ensure|balance|do|feel|smell|keep|talk (?:right )?now|sleep)\b"
)

_BROKEN: Final = (
    r"(?:not (?:working|loading|building|starting|responding|here|great|good|ready|sure|on|connecting"
    r"|charging|the (?:problem|issue|point))|broken|down|slow|stuck|failing|crash\w*|dead|dying|low"
    r"|full|empty|lost|gone|wrong|late|delayed|missing|ready|done|here|fine|good|great|bad|okay|ok"
    r"|hurting|sore|killing|acting|making|getting|giving|showing|throwing|returning|still|unclear"
    r"|unknown|complete|finished|as follows|below|above|attached|due|about|how|why|what|that|whether"
    r"|if|when|this|it|simple|easy|hard|difficult|clear|correct|right|cold|hot|dirty|wet|cancelled"
    r"|canceled|on (?:fire|hold|the way|its way|sale)|in (?:trouble|the way|the mail|progress|review)"
    r"|an? (?:mess|wreck|disaster|joke|pain|nightmare|bit|little|lot|problem|question|issue|error|bug"
    r"|question)|to (?:ask|know|you)|nothing|something|happy|sad|angry|tired|sick|asleep|crying|coming"
    r"|leaving|waiting|asking|telling|driving|going|fault|bad|lol|over|up|off|out|so|too|really"
    r"|pretty bad|simply)\b"
)

_OTHERS: Final = (
    rf"(?:{A_RELATIVE}|{RELATIVES}|family|friends?|colleagues?|coworkers?"
    r"|co-workers?|boss|manager|neighbou?rs?|roommates?|flatmates?|landlord|landlady|teacher|professor"
    r"|doctor|dentist|therapist|lawyer|ex|ex-\w+|mentor|client|clients|customers?|competitors?|biggest"
    r"|dog|cat|company|employer|team ?lead|ceo|cto|director|supervisor|students?|users?|dog's|people"
    r"|folks|guys)"
)

SELF: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?:none|all|both|most|neither|each|half|some|{ONE_OR_MORE}) of us {STATING_ADVERB}(?P<object>(?:is|are"
        r"|has|have|\w+s?) .+)",
        "fact",
        veto=rf"\bof us (?:are |is )?{_PASSING_STATE}|\bof us (?:think|know|want|need|agree|hope)",
    ),
    rule(
        r"(?:I|we)(?:'m| am|'re| are|'ve been| have been| was| were|'m no longer| am no longer)(?: not"
        rf"| no longer| never)?+ {STATING_ADVERB}(?P<object>(?!{_PASSING_STATE})(?!{_PASSING_DOING})"
        r"(?!\w+ed (?:that|to (?:see|hear"
        r"|know|find)))[\w$€£-]+.+)",
        "fact",
        veto=(
            r"\b(?:I|we) (?:was|were)\b(?! (?:born|raised|diagnosed|promoted|brought up|trained|educated"
            r"|adopted))|\b(?:this (?:bug|error|issue|one|file|page|step|code|function|message|part)|of you"
            r"|with you|to you|your (?:answer|help|reply|work)|(?:minutes|seconds|hours|miles|km) (?:away|late"
            r"|early|behind|left))\b|^(?:I'm|I am) (?:the )?(?:user|admin|administrator|root|developer)\b"
            r"|\b(?:it|this|that)$"
        ),
    ),
    rule(
        r"(?:I|we)(?:'ve| have| have got|'ve got| got| get| had| own| hold| earn| make)(?:'ve)? (?:also "
        r"|already |only |just |about |around |roughly |over |at least |nearly |almost |currently |always "
        rf"|still |recently ){{0,4}}+(?P<object>(?!{_PASSING_THING})(?!\w+ed\b)(?!(?:an? |the |some |any |my "
        r"|another )?(?:\w+ ){0,2}?(?:questions?|problems?|issues?|ideas?|doubts?|trouble|concerns?"
        r"|feeling|headaches?|cold|fever|hangover|clue|errors?|bugs?|exceptions?|warnings?|favou?r|request"
        r"|look|minutes?|seconds?|moment|bit|lot|hunch|suggestion|thought|point|crash|coffee|lunch|dinner"
        r"|call|chat|message from|e-?mail from|reply|answer|response|notification|refund|copy|screenshot"
        r"|hard time|good time|great time|nice day|long day|rough day|bad day|toothache|stomach \w+"
        rf"|sore \w+)\b)(?:an? |the |my |our |\d|{TWO_OR_MORE} "
        rf"|several |no |many |{CAPITAL}|\w+ ).+)",
        "fact",
        veto=(
            r"\b(?:have to|have been|got to|had to|had a (?:look|chat|call)|had (?:been|the)|get (?:the"
            r"|an?) (?:following|error|exception|message|\d{3}|blank|warning|timeout|weird|strange|different"
            r"|syntax|stack|null|type|key|value|connection|import)|get (?:errors?|this|that|you|to|it|back"
            r"|there)|when (?:I|we) (?:open|run|try|click|go|load|use|start|visit|press)|(?:minutes|seconds"
            r"|hours) (?:away|late|left)|got (?:an? )?(?:error|exception|message|email|reply|this|the)"
            r"|make (?:sure|a|the|it|sense|this)|in (?:this|the) (?:file|code|table|function|list|page|script)"
            r"|had (?:lunch|dinner|breakfast|some|fun|enough)|I had (?!(?:an? |my )?(?:surgery|transplant"
            r"|stroke|heart|operation|c-section|miscarriage|bypass)))\b"
        ),
    ),
    rule(
        r"(?:I|we) (?:can|can't|cannot|can not)(?: only| also| already| barely| hardly| easily| not"
        rf"| no longer| never){{0,4}}+ (?P<object>(?!{_UNHELPFUL})(?:\w+)(?: (?!it\b|this\b|that\b|you\b"
        r"|your\b).+)?)",
        "fact",
        veto=(
            r"\b(?:error|this|that (?:file|page)|the (?:file|page|button|link|app|api|code|server|command|site"
            r"|website|screen|error|message)|because (?:the|it))\b"
        ),
    ),
    rule(
        r"(?:I|we) \w+(?:ed|t|n|ew|ook|ade|an|ot) (?P<object>(?!it\b|this\b|that\b|your?\b).+ (?:in"
        r"|since) (?:19|20)\d\d\b.*)",
        "fact",
    ),
    rule(
        r"(?:I|we) (?:haven't|have not) (?!(?:received|heard|gotten|got|seen|tried|decided|found|finished"
        r"|checked|done)\b)(?P<object>\w+ .*(?:since|in (?:\w+ )?(?:years|months|decades)"
        r"|for (?:\w+ )?(?:years|months|decades)).*)",
        "fact",
    ),
    rule(
        r"(?:I|we)(?:'ve| have) never (?!(?:seen|heard|thought|felt|understood|noticed|had (?:this|that"
        r"|a problem|an issue)|been (?:so|more|this)|known)\b)(?P<object>\w+ .+)",
        "fact",
        veto=r"\b(?:this|that) (?:error|bug|issue|problem|message|happen)\b|\b(?:it|this|that)$",
    ),
    rule(
        r"(?:I|we) (?:still |always |really |just |often |sometimes |never |constantly "
        r"|keep ){0,4}(?:struggle(?: with| to)|have (?:trouble|difficulty|difficulties|a hard time"
        r"|problems?) (?:with|understanding|remembering|reading|sleeping|concentrating)|don't (?:get"
        r"|understand|grasp|really get|really understand|fully understand)|never understood"
        r"|get confused (?:by|with|about)|mix up|mixing up|confuse|am weak (?:at|in)|find it (?:hard"
        r"|difficult|easier|easy) to|suck at|excel at|am terrible (?:at|with)|tend to (?:forget|overthink"
        r"|procrastinate)) (?P<object>(?!(?:it|this|that|what you|why|your|the (?:error|message|question"
        r"|point|code|above|output|problem|issue|last))\b).+)",
        "fact",
    ),
    rule(
        rf"(?:I|we) {STATING_ADVERB}(?P<object>(?!(?:think|know|guess|see|wonder|hope|feel|want|need|got|had|was"
        r"|were|did|went|will|would|should|could|can|am|is|are|have|do"
        rf"|get)\b)(?!\w+ed\b)[a-z]+ .*(?:{PERIOD}|\b(?:daily|weekly|monthly|yearly|once|twice|nightly"
        rf"|on (?:the \d+\w* of|weekdays|weekends|{WEEKDAY}s)|every)\b).*)",
        "fact",
        veto=r"\b(?:error|this (?:bug|file|page)|every (?:time|attempt))\b",
    ),
    rule(
        rf"(?:I|we) {STATING_ADVERB}(?P<object>(?:no longer |(?:don't|do not) (?=.* any ?(?:more|longer)$))?+"
        rf"(?!{_PASSING_DEED})"
        rf"(?!\w+ed\b)[a-z]+ (?!(?:it|this|that|you|your|to (?!\d|{CAPITAL})"
        r"|about this|about that|the (?:following|error|file|code|above|same|link|page|message|command"
        r"|button|problem|issue))\b).+)",
        "fact",
        veto=(
            r"\b(?:please|thanks|help me|right away|error|your|I (?:see|agree|second|bet)"
            r"|for (?:the )?(?:confusion|delay)|for (?:this|that)|this (?:bug|error|issue|one|file|page|step"
            r"|code|function|message|part))\b|\b(?:it|this|that)(?: well| enough| much| now| too| all)?$"
        ),
    ),
    rule(
        rf"(?:my|our) (?P<object>(?!(?:{_OTHERS}|goal|question|problem|issue|point|guess|idea|bad|apologies"
        r"|mistake|fault|pleasure|understanding|concern|suggestion|thoughts?|advice|head|back|eyes?|feet"
        r"|stomach|only (?:question|concern)|internet|wifi|code|query|build|day|morning|evening|night|turn"
        r"|god|goodness|last|previous|next|first|second|answer|argument|theory|take|opinion|impression"
        r"|hope|worry|fear|script|program|function|page|screen|order)\b)(?:[\w'./&-]+ ){1,7}?(?:is|are"
        r"|isn't|aren't|is not|are not|has|have|runs?|starts?|ends?|uses?|begins?|costs?|contains?"
        r"|consists? of|belongs? to|speaks?|was called|changed to|got moved to|moved to|expires?|renews?"
        r"|takes? place|falls? on|includes?|needs|covers?|pays?|allows?|requires?|closes?|opens?|arrives?"
        r"|departs?|leaves?|lands?|takes|lasts?|sits?|lives?|stands?|supports?|measures?"
        rf"|weighs?) (?!{_BROKEN}).+)",
        "fact",
        veto=(
            rf"^(?:my|our) (?:\w+ )?{_OTHERS}(?:'s)?\b(?! (?:name|birthday|number))|\b(?:error|bug|crash\w*"
            r"|exception|this (?:morning|one)|broken|is (?:really|so|very|too|pretty) \w+$)\b"
        ),
    ),
    rule(
        r"the (?:[\w-]+ ){0,3}?(?:invoices?|orders?|booking|ticket|case|account|transactions?|customer"
        r"|reference|tracking|contract|policy|reservation|flight|confirmation|serial|licen[cs]e|repo"
        r"|repository|wi-?fi|project|codebase|code|front-?end|back-?end|website|site|app|api|gateway|pipeline|service"
        r"|docs|documentation|dashboard|tracker|board|wiki|server"
        r"|database|production database|bucket|branch|main branch|package|module|endpoint|domain|hostname"
        r"|registry|cluster|environment|data|backups?|secrets?|logs|design|figma|spreadsheet|folder|key"
        r"|doorman|office|apartment|house|meeting room|alarm|locker|gate|door)(?: number| id| code"
        r"| name)?(?: (?:for|in|of|on|with|to) [\w' -]+?)? (?:(?:is|are)(?: (?:at|in|on|called|named|under"
        r"|with|hosted (?:on|at|in|with)|stored (?:in|on|at)|kept (?:in|on|at)|located (?:in|at)"
        r"|managed (?:by|in|with)|(?:now )?(?:written in|built (?:in|on|with)|based on|running on"
        rf"|deployed (?:to|on))))? (?P<object>(?=\S*(?:{LETTER}|[\d./@]))\S.*)|(?:lives?|sits?|resides?"
        r"|runs?) (?:at|in|on|under) (?P<what>.+))",
        "fact",
        veto=(
            r"\b(?:is|are) (?:not working|down|broken|failing|slow|stuck|late|wrong|missing|due|\d+ (?:minutes"
            r"|hours) late|on fire|full)\b|^the (?:row|column|line|question|step|answer)\b"
        ),
    ),
    rule(
        r"(?:my|our|the) (?:[\w'-]+ ){1,3}?(?:has been|have been|was|were|got|is being|is now"
        r"|has) (?:now )?(?:moved|pushed|postponed|changed|rescheduled|delayed|extended|brought forward"
        r"|shifted|renamed|upgraded|migrated|switched|reassigned|relocated|transferred|downgraded|raised"
        r"|lowered|increased|reduced|promoted)(?: back| forward| out| up| down| over)? (?:to|until|into|as"
        r"|through) (?P<object>.+)",
        "fact",
        lasts=True,
        corrects=True,
    ),
)
"""Any lasting statement about oneself; only words of the moment, of conversation and of trouble take it back."""
