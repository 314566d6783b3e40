"""Ways of saying what must always or never be done: imperatives, obligations, bans and limits."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.reading.orders import ANSWER_FORMS
from langchain_agentmem.english.words.calendar_words import MONTH, SEASON
from langchain_agentmem.english.words.kin_words import KIN, any_of
from langchain_agentmem.english.words.lexicon import ROLES
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITALIZED, LETTER
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.words.lexicon import OCCASION

_POINTING: Final = (
    r"\b(?:this (?:one|time|file|function|line|test|error|bug|message|email|page|code|script|document"
    r"|text|answer|question|button|link|part|section|step|paragraph)?|the (?:attached|following|above"
    r"|below|last|previous|first|second)|here|yet|right now|just now|again yet|so (?:much|hard"
    r"|fast))\b|^(?:please |kindly |don't |do not |never |always |stop |avoid ){0,4}\w+ (?:to |with |on "
    r"|for |at )?(?:this|that|it)$"
)
_IDLE: Final = (
    r"(?:mind|heard|been|thought|said|knew|seen|again|ever seen|fear|ending|a (?:dull|problem|bad)"
    r"|really|quite|had|was|were|is|good|nice|happy|great|a pleasure|the|wanted|wondered|wrong|right"
    r"|tell me never|too late|enough|got|did|done|made|found|met|worked|works|fails|goes|seems|gets"
    r"|up|on|there|here|at|down|for|by|ready|excited|hungry|tired|late|took|tried|saw|came|liked|loved"
    r"|felt|told|learned|surprised|worry|trust a|say never"
    r"|in my life|full|calm|peaceful|fun|worth|amazing|grateful|open|better|a blast|busy|\w+ful"
    r"|(?!(?:bring|ring|ping|string|sing|swing|sling|cling|spring)\b)\w+ing"
    r"|(?!(?:need|feed|seed|embed|shed|speed|proceed)\b)\w+ed)\b"
)
_TAKEN_SO: Final = (
    r"(?:\w+ly|wrong|(?:in )?the wrong way|to heart|as|for (?:a|an|the|granted|gospel)|out on|too|so|that|hard|bad"
    r"|amiss|easy|lying down|like (?:that|this))"
)
"""How one takes what is said; with it "take it" is an idiom, whatever else is said."""
_TONES: Final = (
    r"(?:formal|informal|verbose|wordy|long-?winded|chatty|brief|terse|curt|blunt|casual|technical|vague|cheerful"
    r"|enthusiastic|flattering|preachy|robotic|apologetic|repetitive|sarcastic|condescending|patronising|patronizing)"
)
"""How answers sound: who says "don't be so formal" wants it otherwise, and "don't be so sad" is a comfort."""

_CHAT: Final = (
    r"(?:worry|forget|mention(?=$| (?:it|that|this)\b)|mind|bother(?: me with| yourself)?$|bother$|know"
    r"|think (?:so|that|I|you"
    r"|it)|get me wrong|get it|understand|care|believe|you (?:think|know|see|agree|just)|I\b|we\b"
    r"|be (?:sorry|silly|shy|afraid|sad|mean|a stranger"
    rf"|so(?! {_TONES}\b))|let\b|feel bad|give in|stress|overthink"
    r"|push yourself|sell yourself|beat yourself|underestimate|panic|sweat|stop (?:now|there"
    r"|believing)|look at me|hesitate|go (?:yet|away|anywhere)|give up|leave|laugh|cry|hang up|move"
    r"|touch (?:it|that|anything yet)|do (?:it|that|this|anything (?:yet|now))|run (?:it|that|this)"
    r"|ask(?: me)?(?: (?:why|how|what|where|when|who))?$|quote me"
    rf"|take (?:offen[cs]e|(?:it|this|that|me|everything)(?: {_TAKEN_SO}\b|(?!.* (?:without|unless)\b)))"
    r"|shoot the messenger|call me names|be (?:ridiculous|absurd|stupid|daft|modest|nervous|upset|mad|angry|offended"
    r"|jealous|surprised|alarmed|discouraged|embarrassed|scared|worried|hard on|too hard|a (?:\w+ )?(?:fool|baby))"
    r"|start yet|see (?:why|how|it|what|any)|have|want|need|like|remember|feel|agree|see|usually"
    r"|really|even|say (?:it|that)|work (?:too|so)|wait(?: up)?|tell me (?:you|that|it|what))\b"
)
_WHOM: Final = (
    rf"(?:any(?:one|body)|people|others|him|her|them|(?:(?:my|our|the) )?(?:[\w-]+ )?(?:{any_of(ROLES | KIN)}|nan"
    r"|famil(?:y|ies)|folk|ex|team|work|hr)s?"
    rf"|(?!(?:Me|Us)\b){CAPITALIZED})"
)
_IT: Final = r"(?:it|this|that|any of (?:it|this|that)|anything|a (?:word|thing))"
_SECRECY: Final = (
    rf"(?:ever )?(?:tell {_WHOM}(?:(?: about| of)? {_IT})?|let {_WHOM} (?:know|find out|hear|see)(?:(?: about"
    rf"| of)? {_IT})?"
    rf"|(?:say|mention|show|share|repeat|reveal|pass) {_IT} (?:on )?(?:to|with) {_WHOM}|breathe a word)"
    r"(?: (?:at|in|from|to) (?:work|school|home|church|uni|college|the office|the family))?"
    r"(?:,? (?:yet|please|pls|ok(?:ay)?|ever|though|haha|lol|thanks|for now|of this))*[\s.!]*$"
)
"""That somebody be told nothing: what is kept of one user is told to nobody else, and the order is silent on what."""

_GOODS: Final = (
    r"(?:meat|pork|beef|fish|seafood|shellfish|nuts|peanuts|dairy|gluten|alcohol|sugar|spicy food"
    r"|caffeine|red-?eyes?(?: flights)?|layovers|stopovers|overtime|hacks|workarounds|globals|force pushes)"
)

_SENT: Final = rf"(?:{ANSWER_FORMS}|{_GOODS}|meetings?|deploy\w*|deployments?|releases?|merges?|commits?|than)"
"""What is wanted no more, as an order; "no more physio on Fridays" tells of something that is over."""

_HOURS: Final = (
    r"(?:(?:the |any |most )?(?:(?:early|late|school) )?(?:mornings?|afternoons?|evenings?|nights?|weekends?|holidays?"
    rf"|{SEASON}|days?time|noon|midnight|lunch\w*|christmas|easter|\w+day|week)\b"
    rf"|(?:less|more|under|anything|anyone|at|free|now|{MONTH}"
    r"|the (?:next|first|last|rest|moment|same))\b|[£$€]?\d)"
)
"""At which times one does not work limits what may be planned; at which place one does not is a fact."""

CONSTRAINTS: Final[tuple[Rule, ...]] = (
    rule(
        r"(?:please |kindly |you (?:should|must|need to|have to|are to) |and )?(?:always|never ever"
        rf"|never) (?!{_IDLE})(?!{_SECRECY})(?P<object>[a-z]\w+.*)",
        "constraint",
        veto=(
            rf"{_POINTING}|^(?:always|never) (?!access|process|pass|press|address|discuss|focus|express|bypass"
            r"|compress|suppress|guess)\w+s\b"
        ),
    ),
    rule(
        r"(?:please |kindly )?(?:don't|do not|do n't) (?:you )?(?:ever |please "
        rf"|always )?(?!{_CHAT})(?!{_SECRECY})(?P<object>\w+ ?.+)",
        "constraint",
        veto=rf"{_POINTING}|^(?:please )?(?:don't|do not) you\b",
    ),
    rule(
        r"(?:please |kindly )?(?:avoid|refrain from|stay away from|steer clear of|stop|quit|stick to|limit"
        r"|cap|restrict) (?P<object>(?!(?:it|this|that|here|now|there|by|for|please|the (?:music|timer|server"
        r"|process|job|video))\b).+)",
        "constraint",
        veto=_POINTING,
    ),
    rule(
        r"(?:please )?(?:make sure|ensure|be sure|be careful|see to it|take care)(?: to| that| you| we"
        r"|,){1,3} (?P<object>.*\b(?:always|never|every|all|any|before|no|not|each|only|whenever|don't|first"
        r"|without|at least|at most)\b.*)",
        "constraint",
        veto=_POINTING,
    ),
    rule(
        r"(?:please )?only (?P<object>(?:ever )?(?:use|send|contact|call|email|text|message|reply|answer"
        r"|respond|schedule|book|deploy|recommend|suggest|show|write|speak|merge|run|buy|order|invite"
        r"|notify|ping|reach|share|include|commit|release|propose|accept|order|quote|cite|change|edit"
        r"|touch|push) .+)",
        "constraint",
        veto=_POINTING,
    ),
    rule(
        rf"(?:no|absolutely no|zero|strictly no) (?P<object>(?!more (?!(?:[\w-]+ )?{_SENT}\b))(?!(?:problem"
        r"|worries|idea|thanks|need|way"
        r"|doubt|one|rush|hurry|luck|matter|longer|clue|wonder|kidding|pressure|big|more questions|I|it"
        r"|that|we|offense|comment)\b)[\w'-]+(?: [\w'/-]+){0,4}? (?:before|after|on|in|without|during|for"
        r"|between|unless|over|past|under|above|until|at|from|to|with|whatsoever|allowed|please|ever)\b.*)",
        "constraint",
        veto=r"\b(?:for me|in (?:my|the) (?:fridge|house|inbox)|response|reply|answer|luck|at all$)\b",
    ),
    rule(
        r"(?:all|every|each|any|no|our|nobody|no one|everyone|everybody|the|changes?|deployments?|deploys?"
        r"|releases?|commits?|code|pull requests?|prs?|emails?|e-mails|messages?|meetings?|calls?|reports?"
        r"|invoices?|backups?|passwords?|secrets?|migrations?|tests?|reviews?|payments?|expenses?|orders?"
        r"|documents?|data|logs?|customers?|budget|payloads?|answers?|replies|replies|production|staging"
        r"|[\w-]+ (?:deployments?|releases?|changes?|commits?|data|meetings?|requests?|migrations?"
        r"|backups?|keys?|credentials?|reports?|updates?|invoices?))(?: [\w'/%$€£.-]+){0,6}? (?:must(?:n't"
        r"| not| never| always| only)?|shall(?: not)?|(?:has|have) to (?:be|go|pass|stay|use|include|run"
        r"|have|get|always|never|come|contain|follow|support|fit|comply|wait)|needs? to (?:be (?:approved"
        r"|reviewed|signed|encrypted|tested|backed|checked|logged)|pass|go through|always|have)"
        r"|needs? (?:at least|two|an?|my|explicit|written|prior) .*(?:approval|review|sign-?off|tests?"
        r"|permission)|requires? .*(?:approval|review|sign-?off|permission|consent)|(?:should|may|can|are"
        r"|is) (?:never|not|always|only)\b|are not allowed|is not allowed|aren't allowed|isn't allowed"
        r"|(?:is|are) (?:strictly )?(?:forbidden|prohibited|off limits|off-limits|banned|mandatory"
        r"|required|not permitted)|cannot|can't be|should (?:always|never|first)|always|never|may not"
        r"|may only|mustn't) ?(?P<object>.+)?",
        "constraint",
        veto=(
            r"\b(?:must have|must be (?:down|up|off|out|a bug|an error|a mistake|wrong|broken|kidding|joking"
            r"|nice|hard"
            r"|something|missing)|never (?:works?|worked|loads?|loaded|responds?|arrived|heard|came|got|been"
            r"|mind)|always (?:fails?|crash\w*|break\w*|works?|late|slow|wrong|been|the same|gets?|returns?)"
            r"|not (?:working|sure|loading|responding|building|found|ready|here|available yet|fun|good|bad"
            r"|great|the|a|an|in|on|yet|like|just|really|very|too|that|happy|done|complete|finished|correct"
            r"|right|enough|so|interested|done|my|our|one|only)|cannot (?:find|open|connect|be (?:found"
            r"|reached|opened|resolved|read)|load|see|reach|log|start|read|resolve|believe)|can't (?:find|open"
            r"|connect|be (?:found|reached|opened|serious|right|true))|is (?:only|always|not|never)"
            r"|are (?:only|always)|we (?:can|should|may) (?:always|only|not)|the user|you (?:are"
            r"|can) (?:always|not|never|only)|you're)\b"
        ),
    ),
    rule(
        r"(?:we|our team|my team|the team) (?:always|never|only(?: ever)?|don't ever|do not ever"
        r"|absolutely never|don't (?:deploy|merge|push|release|ship|commit|accept|allow|schedule|use|do"
        r"|support|store|log|hire|work|have meetings|hold|send|share|sign|pay)|do not (?:deploy|merge|push"
        r"|release|ship|commit|accept|allow|schedule|use|do|support|store|log|hire|work|hold|send|share"
        r"|sign|pay)) ?(?P<object>.+)",
        "constraint",
        veto=(
            r"\b(?:have|had|got|get|find|been|seem|see|know|remember|this time|use it)\b (?:time|it|that|a|the"
            r"|any)?|\bnever (?:met|been|heard|got|saw|tried|finished|agreed|decided)\b|\b(?:it|that|this)$"
            r"|\bany ?(?:more|longer)$"
        ),
    ),
    rule(
        r"(?:you|we) (?:must|have to|need to|should|shall|are supposed to|ought to|can|may)(?:n't| not"
        r"| never| always| only| first| ever){1,3} (?P<object>(?!be (?:a|an|the|able|sure|serious|right)"
        r"|have\b|be (?:kidding|joking|tired|hungry)).+)",
        "constraint",
        veto=(
            rf"{_POINTING}|\b(?:we can't (?:find|see|log|open|connect|reach|seem|get|wait|believe|afford)"
            r"|you can't (?:be|see|have|imagine)|can not|can only|can always|may not be|may only"
            r"|you can (?:always|only))\b"
        ),
    ),
    rule(
        r"(?P<object>[\w' -]{3,120}?),? (?:no exceptions|without exceptions?|full stop|period|non-?negotiable)$",
        "constraint",
        veto=r"^(?:I|we|it|this|that|he|she|they)(?:'\w+)? (?:was|were|am|love|loved|hate|hated|liked?)\b",
    ),
    rule(
        r"(?:my|our|the) (?:\w+ )?(?:manager|boss|accountant|lawyer|team ?lead|lead|legal(?: team)?"
        r"|finance(?: team)?|cto|ceo"
        r"|cfo|client|security(?: team)?|supervisor|director) (?:has to|have to|must|needs? to"
        r"|should always)(?: always| first)?"
        r" (?P<object>(?:sign off|approve|review|confirm|see|agree|be (?:cc'd|copied|asked|consulted|informed"
        r"|notified))\b.*)",
        "constraint",
    ),
    rule(
        r"(?:please |just ){0,2}stop (?P<object>(?!(?:it|that|this|here|now)\b)\w+ing\b(?! (?:it|that|this)\b).*)",
        "constraint",
    ),
    rule(
        rf"(?:please )?no more (?P<object>(?:[\w-]+ )?{ANSWER_FORMS}(?:,? please| from now on)?)$",
        "constraint",
        veto=r"\bmore (?:code|lists?|tables?|calls)\b",
    ),
    rule(
        rf"(?:please )?(?:absolutely |strictly )?no (?P<object>(?:[\w-]+ )?(?:{ANSWER_FORMS}|{_GOODS}|[\w-]+(?= (?:ever"
        rf"|whatsoever|please)$)"
        r"|[\w-]+-(?:based|heavy|only|style) \w+)(?:,? (?:or|and) [\w -]{2,40})?(?:,? ever| whatsoever| please"
        r"| at all)?)$",
        "constraint",
        veto=r"\bno (?:worries|problem|idea|thanks|rush|way|one|more|need)\b",
    ),
    rule(
        r"(?:please )?(?:hands off|leave (?=.* alone)|keep (?:off|out of)|stay (?:off"
        r"|out of)) (?P<object>(?!(?:it|this|that|me)\b).+)",
        "constraint",
    ),
    rule(
        r"(?:you(?:'re| are)|(?:the )?(?:assistant|agent|bot) is) (?:not|never|only) (?:allowed|permitted"
        r"|authori[sz]ed) to "
        r"(?P<object>.+)",
        "constraint",
    ),
    rule(
        r"(?P<object>(?:all |every |any |each )?(?:[\w-]+s|(?:our|the) [\w-]+|[\w-]+ (?:over|above|under|below"
        r"|from|for) [^,]{1,40}?)"
        r"(?: (?:over|above|under|below|from|for|with|of) [^,]{1,40}?)? (?:go(?:es)?|runs?"
        r"|pass(?:es)?) (?:through|via|by) .+)",
        "constraint",
        veto=(
            r"^(?:it|this|that|he|she|they|always|things|(?:\w+ )?(?:bus|train|road|river|time|life))\b"
            r"|\b(?:my|your) (?:head|mind)\b"
        ),
    ),
    rule(
        r"(?:please |just ){0,2}(?:skip|leave out|omit|exclude|filter out) (?P<object>(?!(?:it|this|that|these"
        r"|those|me)\b)(?!the (?:first"
        rf"|next|last|rest|second|following|above|{TWO_OR_MORE}|tests?)\b)(?:[\w-]+ ){{0,4}}?[\w-]+s\b.*)",
        "constraint",
        veto=_POINTING,
    ),
    rule(
        rf"(?:nobody|no one|no-one|only (?:I|we|the [\w-]+|my [\w-]+|{LETTER}\w+)|everyone|everybody"
        r"|all [\w-]+)(?: (?:but|except|other than)"
        r" [\w -]{1,40}?)? (?:may|is allowed to|are allowed to|gets? to|is permitted to) (?P<object>.+)",
        "constraint",
        veto=r"\bmay (?:be|have|think|know|say)\b",
    ),
    rule(
        r"(?:I|we) (?:need|want|require|expect) (?P<object>(?:at least|at most|a (?:minimum|maximum) of"
        r"|no more than|no less than"
        rf"|not more than) (?:\d|an? |{ONE_OR_MORE}|half).+)",
        "constraint",
    ),
    rule(
        r"(?:it's|it is) (?:very |really |absolutely |super )?(?:important|essential|crucial|critical|vital"
        r"|imperative|mandatory) "
        r"(?:(?:to|for) (?:me|us) )?that (?P<object>(?!(?:you (?:know|are|feel)|we all|I|he|she|they|people"
        r"|everyone)\b).+)",
        "constraint",
    ),
    rule(
        r"(?:max(?:imum)?|at most|(?:no|not) more than|min(?:imum)?) (?:of )?(?P<object>[$€£]?\d[\d.,]*k? ?[\w€$£]* "
        r"(?:per|an?|each|for|on|every|to) .+)",
        "constraint",
    ),
    rule(
        r"(?:under no circumstances|at no (?:point|time)|in no case|on no account|by no means"
        r"|no matter what,?) (?P<object>.+)",
        "constraint",
    ),
    rule(
        r"(?:I|we) (?:do not|don't|never|no longer) (?:ever )?want (?:you to |to be |to (?:get|receive|see"
        r"|have|hear|be)\b|any\b|anyone|calls|emails|notifications|meetings|messages|spam|newsletters"
        r"|marketing|my (?:data|name|email|address|phone)|this shared) ?(?P<object>.*)",
        "constraint",
        veto=(
            r"\b(?:remember|store|save|memori[sz]e|record)\b|\bwant to be (?:rude|late|a|sad|that)\b"
            r"|\bwant to (?:hear|see|get|have) (?:it|that|this|into|sick|fired|about it)\b"
        ),
    ),
    rule(
        r"(?:I|we) (?:need|want|expect|require|ask|would like) (?:you|everyone|everything|all \w+"
        r"|every \w+|any \w+|each \w+) (?:to )?(?:always|never|only|not|be (?:approved|reviewed|logged"
        r"|encrypted|signed)) ?(?P<object>.+)",
        "constraint",
    ),
    rule(
        r"(?:I|we) (?:can't|cannot|can only|could only|won't|will not|may not|may only|must not|mustn't"
        r"|must|am only able to|'m only able to) (?:ever |only )?(?P<object>(?:spend|meet|attend"
        r"|take (?:calls|meetings)|do (?:calls|meetings|anything (?:before|after))|work (?:on|before|after"
        r"|past|weekends|more than)|travel|fly|accept|schedule|have (?:meetings|calls)|join (?:calls"
        r"|meetings)|exceed|pay|share|store|use|deploy|be (?:reached|contacted|disturbed)|go over|afford"
        r"|lift|sit|drive|stay|talk|send|leave|spend).+)",
        "constraint",
        veto=(
            r"\b(?:this (?:file|link|page|function|app|feature|card)|log ?in|anymore|it\b|the (?:app|site|link"
            rf"|button|page|feature|api|function|camera|file|command))|{_POINTING}"
        ),
    ),
    rule(
        r"(?:I'm|I am|we're|we are) (?:not|never|only|un)(?: |-)?(?:available|free|reachable|allowed to"
        r"|able to (?:meet|take calls|attend)|permitted to|in the office"
        rf"|working(?! (?:at|in|for|from) (?!{_HOURS}))|bookable) (?P<object>(?:on|before|after|between|from|during"
        rf"|at|in|until|to|for|\w+days?)\b.*"
        r"|(?:to )?(?:spend|eat|drink|use|store|share|deploy|lift|drive|work|fly).*)",
        "constraint",
    ),
    rule(
        r"(?:my|our|the) (?:hard |maximum |max |total |monthly |yearly |annual |daily |weekly |strict "
        r"|upper |minimum |absolute ){0,4}(?:limit|deadline|cutoff|cut-off|cap|budget cap|ceiling|maximum"
        r"|minimum|spending limit|price limit|requirement|rule|policy|constraint|hard rule|golden rule"
        r"|house rule|non-negotiable|dealbreaker|deal-breaker)(?: for [^,]+?| on [^,]+?| here"
        r"| at work)? (?:is|are|says?|of|:|remains){1,4} ?(?P<object>(?!(?:unclear|unknown|wrong|stupid"
        r"|approaching|over|soon|too|not|passed)\b).+)",
        "constraint",
        lasts=True,
    ),
    rule(
        r"(?:my|our|the) (?:total |monthly |yearly |annual |weekly |travel |project |grocery "
        r"|marketing ){0,4}budget (?:is|can't|cannot|must|may|should|for [\w ]+ is|of) (?:\w+ ){0,4}?(?:at most"
        r"|max(?:imum)?|no more than|under|below|capped|limited|up to|not exceed|exceed|only"
        r"|strictly) ?(?P<object>.*)",
        "constraint",
    ),
    rule(
        r"(?:keep|stay|remain) (?:\w+ ){0,3}(?:under|below|within|above|out of|away from|off|confidential"
        r"|private|secret|anonymous) ?(?P<object>.*)",
        "constraint",
        veto=rf"{_POINTING}|^keep (?:it )?(?:up|going|in mind)",
    ),
    rule(
        r"(?:before|after|when|whenever|if|unless|once|for|on|in) [^,]+, (?:please )?(?:always|never|don't"
        r"|do not|make sure|ask|check|confirm|run|use|notify|wait|stop|you must|we must|require|first"
        r"|escalate|tell me|let me know|get|send) ?(?P<object>.+)",
        "constraint",
        veto=rf"{_POINTING}|{OCCASION}",
    ),
    rule(
        r"(?:let me know|tell me|ask me|warn me|remind me|check with me)(?: first)? (?:before|whenever"
        r"|every time|each time) (?P<object>.+)",
        "constraint",
        veto=_POINTING,
    ),
    rule(
        r"(?:always|never|ask|check with|consult|confirm with|notify|warn|tell|inform|cc|copy|loop in"
        r"|alert) (?:me|us|my \w+|legal|the \w+)(?: first)? (?:before|whenever|when|every time|if|on"
        r"|about (?:any|every|all)) (?P<object>.+)",
        "constraint",
        veto=_POINTING,
    ),
    rule(
        r"(?P<object>[\w' -]{3,60}) (?:is|are) (?:strictly |absolutely |completely |totally )?(?:forbidden"
        r"|prohibited|off[- ]limits|banned|mandatory|non-negotiable|not (?:allowed|permitted|an option"
        r"|negotiable)|a must|a no-go|out of the question)\b.*",
        "constraint",
        veto=r"^(?:it|this|that)\b",
    ),
    rule(
        r"(?:it has to|it must|everything (?:has to|must)|the (?:solution|app|design|code|result|answer"
        r"|output|trip|hotel|venue|restaurant|gift|flight|apartment|meal|food|menu|recipe|product|library"
        r"|package|tool|script|service|api|database|system|website|report)s? (?:has to|have to|must"
        r"|needs to|cannot|can't|should not|must not)) (?P<object>(?:be|work|run|support|fit|cost|have|use"
        r"|stay|include|allow|comply|handle|exceed|contain|depend|require|rely|not|never|also|only|always"
        r"|take|finish|last) ?.+)",
        "constraint",
        veto=(
            r"\b(?:be (?:a bug|broken|wrong|something|because|nice|hard|kidding|the)|be (?:found|reached"
            r"|opened|resolved)|work (?:now|today)|run into)\b|^it (?:must|has to) be\b"
        ),
    ),
)
"""What they cover becomes binding: they ask for a word that makes it general, and yield to what points at one case."""
