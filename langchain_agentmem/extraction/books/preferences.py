"""Ways of saying what one likes."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.extraction.books.rulebook import Rule, rule

_ADVERB: Final = (
    r"(?:(?:really|always|usually|generally|strongly|much|still|also|absolutely|definitely|mostly"
    r"|often|typically|actually|now|particularly|especially|truly|totally|both|all|just|simply"
    r"|personally|never|only|do|quite|deeply|\w+ly) ){0,4}"
)
_POINTING: Final = (
    r"(?:it|this|that|these|those|them|him|her|you|he|she|they|one|ones|what|where|how|the way|all the"
    r"|all (?:this|that|these|those)|(?:the|your|his|her|their|this|that|these|those) (?:first|second"
    r"|third|fourth|last|former|latter|other|same|previous|next|new|idea|suggestion|answer|sound|look"
    r"|plan|one|ones|above|result|draft|version|option|design|proposal|solution|approach|code|example"
    r"|response|thought|title|name|color scheme|outcome)|your \w+|option \w|both|either|neither"
    r"|to (?:think|say|know|see that|point)|not to (?:say|answer|talk|discuss|tell|share)"
    r"|to not (?:say|answer))(?:\b|$)"
)

_ON_THE_MOVE: Final = (
    r"\b(?:com|mov|fly|driv|stay|stopp|popp|head|pull|hang|bring|carry|tak|look|think|hand|turn|walk|sail|roll|fall"
    r"|lean|pass|cross|sleep|switch|transferr|go|gett|mull|fawn|drool|cry|boil|spill|start|do|watch|invit|hav)ing over "
    r"(?!\w+ing\b)|^\w+ing over (?:the|my|our|his|her|their|an?|it)\b|\bover (?:on|at|in|for|to|from|with|by|tomorrow"
    r"|tonight|today|next|this|here|there|now|soon|later)\b"
)
"""Whom or what comes over, and what is over by some day, is preferred to nothing: "my aunts coming over on Sunday"."""

PREFERENCES: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?:I|we) {_ADVERB}(?:prefer|favou?r) (?P<object>(?!{_POINTING}).+?)(?: (?:for|when|in|at|on"
        r"|during) (?P<what>[^,]+))?$",
        "preference",
        "prefers",
        lasts=False,
    ),
    rule(
        rf"(?:I'd|I would|we'd|we would) {_ADVERB}(?:rather|prefer)(?: to)? (?P<object>(?!{_POINTING}"
        r"|not$).+)",
        "preference",
        "prefers",
        veto=(
            r"\brather not(?:$| (?:say|talk|discuss|tell|share|answer|go into|get into))|\bthan (?:wait|do it"
            r"|argue|talk)\b"
        ),
    ),
    rule(
        r"(?:I'd|I would|we'd|we would|I'll|I will) (?:\w+ly )?(?:always )?(?:take|choose|pick|go for"
        r"|go with) (?P<object>.+ (?:over|instead of|rather than) .+)",
        "preference",
    ),
    rule(
        rf"(?:I|we)(?:'ve| have) (?:grown|come|learned|learnt) to {_ADVERB}(?:like|love|enjoy|hate|dislike"
        r"|prefer|appreciate) (?P<object>.+)",
        "preference",
    ),
    rule(
        rf"(?:I|we) {_ADVERB}(?:like|love|enjoy|adore|appreciate|cherish) (?P<object>(?!{_POINTING}).+)",
        "preference",
        "likes",
        veto=(
            r"\blove you\b|\b\w+ing (?:this|these)\b|\b(?:it|they|that|this) (?:looks?|sounds?|seems?"
            r"|feels?)\b|\blike to (?:think|know"
            r"|book|order|ask|cancel|return|report|change|see|have|get|buy|speak|schedule)\b"
        ),
    ),
    rule(
        rf"(?:I|we) {_ADVERB}(?:hate|dislike|detest|despise|loathe|can't stand|cannot stand|can't bear"
        r"|can't tolerate|find .+ (?:annoying|irritating|unbearable"
        rf"|distracting))\b(?! {_POINTING})(?P<object>.*)",
        "preference",
        "dislikes",
        veto=r"\bhate to (?:bother|ask|say|break|interrupt|be that)\b",
    ),
    rule(
        rf"(?:I|we) {_ADVERB}(?:do not|don't|never|never have|have never|'ve never) {_ADVERB}(?:liked?|cared for"
        r"|got into|enjoy|love|care for|care about|want to see"
        rf"|appreciate|prefer|fancy) (?P<object>(?!{_POINTING}).+)",
        "preference",
        "dislikes",
    ),
    rule(
        rf"(?:I|we) no longer (?:like|love|enjoy|prefer|care for|want) (?P<object>(?!{_POINTING}).+)",
        "preference",
        "dislikes",
        corrects=True,
    ),
    rule(
        r"(?:I'm|I am|we're|we are|(?:I've|I have|we've) (?:always |long "
        rf"|never )?been) {_ADVERB}(?:not )?(?:a )?(?:(?:big|huge|great|massive|real|die-?hard|avid"
        rf"|lifelong|long-?time) )?(?:fans?|lovers?|admirers?) of (?P<object>(?!{_POINTING}).+)",
        "preference",
        "likes",
    ),
    rule(
        r"(?:I'm|I am|we're|we are|(?:I've|I have|we've) (?:always |long |never "
        rf"|ever )?been) {_ADVERB}(?:not )?(?:(?:very|really|big) )?(?:into|fond of|keen on|partial to"
        rf"|crazy about|passionate about|obsessed with|addicted to|averse to) (?P<object>(?!{_POINTING}).+)",
        "preference",
        "likes",
    ),
    rule(
        r"(?:I'm|I am) (?:more of |more |definitely |very much |not "
        r"|really ){0,4}an? (?P<object>[\w ]+? (?:person|lover|addict|enthusiast|nut|purist|fanatic|buff"
        r"|aficionado|guy|gal|girl))\b(?!'s)",
        "preference",
        None,
        veto=(
            r"\b(?:new|nice|good|bad|terrible|sick|busy|sales|delivery|support|contact|wrong|right) (?:person"
            r"|guy)\b"
        ),
    ),
    rule(
        r"(?:my|our) (?:all-?time |absolute |personal |new |current ){0,4}(?:favou?rite|preferred|favou?red"
        r"|go-?to|ideal|usual|default) (?P<what>[\w' -]+?) (?:is|are|has always been|remains|would be"
        r"|will always be) (?:now |still |definitely |actually |always |probably )?(?P<object>(?!(?:it"
        r"|this|that|when|broken|not working)\b).+)",
        "preference",
        "favourite",
    ),
    rule(
        r"(?P<object>(?!it|this|that|which)[\w'+# -]+?) (?:is|are) (?:still |definitely |now "
        r"|by far ){0,4}my (?:all-?time |absolute ){0,4}(?:favou?rite|preferred|go-?to"
        r"|favou?red) (?P<what>[\w' -]+)",
        "preference",
        "favourite",
    ),
    rule(
        r"(?P<object>(?!it\b|this\b|that\b)[\w'+# -]{2,60}?) (?:is|are|isn't|aren't|is not|are not"
        r"|was never|has never been)(?: just| really| definitely| totally| simply)? (?:my (?:thing|jam"
        r"|cup of tea|favou?rite|favou?rites|weakness|comfort \w+|guilty pleasure)|for (?:me|us)|not my thing"
        r"|not for me|not my \w+)\b.*",
        "preference",
        veto=r"\b(?:one|parcel|package|call|letter|gift|email|too (?:much|late|early|hard))\b",
    ),
    rule(
        r"(?P<object>(?!it\b|this\b|that\b|nothing\b|what\b)[\w'+# -]{2,40}? beats? (?!me\b|it\b|that\b"
        r"|this\b)[\w'+# -]{2,40}).*",
        "preference",
        veto=r"\b(?:team|last night|\d|heart|final|match|game)\b",
    ),
    rule(
        r"(?:I|we) (?:could|can) (?:eat|drink|listen to|watch|read|play|live on"
        r"|do) (?P<object>.+ (?:every day|all day|forever|for hours|any time|every week))",
        "preference",
    ),
    rule(
        r"(?P<object>[\w'+# -]{2,60}?) (?:is|are) (?:the )?(?:\w+ ){1,3}(?:I|we) (?:like|love|enjoy|prefer"
        r"|trust|hate|dislike)(?: the)? (?:most|best|least|more)\b.*",
        "preference",
    ),
    rule(
        rf"(?:I|we) {_ADVERB}(?:love|like|appreciate|hate|dislike) (?:it when|that|when"
        r"|how) (?P<object>(?:you|your|the|my|our|we|people|things|answers) .+)",
        "preference",
    ),
    rule(
        r"(?:I'm|I am) (?:a )?(?:(?:big|firm|strong|great) )?(?:believer in|sucker for|convert to"
        r"|proponent of|supporter of|stickler for) (?P<object>.+)",
        "preference",
    ),
    rule(
        r"my preference (?:is|would be|has always been)(?: for| to use| to have| to)? (?P<object>.+)",
        "preference",
        "prefers",
    ),
    rule(
        r"(?:I'll|I will|we'll) (?:take|use|have|book|order|go for|stick to) (?P<object>(?!(?:it|this"
        r"|that)\b).+ from now on)$",
        "preference",
    ),
    rule(r"my (?:favou?rites?|preferences?) (?:is|are) (?P<object>.+)", "preference", "likes"),
    rule(
        rf"(?:I|we) {_ADVERB}(?:tend to|gravitate towards?|swear by|opt for|go for|lean on|stick (?:to"
        rf"|with)) (?P<object>(?!{_POINTING}|it\b).+)",
        "preference",
        "likes",
    ),
    rule(
        r"(?:I|we) (?:always|usually|typically|normally|generally|only|mostly) (?:choose|pick|order"
        r"|go (?:for|with)|take|book|buy|fly|sit|drink|use|write|read|listen to|watch|eat|wear|want"
        r"|get) (?P<object>(?!it\b|this\b|that\b).+)",
        "preference",
        "prefers",
    ),
    rule(
        r"(?:I|we) (?:can't|cannot|couldn't) (?:live|work|function|do) without (?P<object>(?!it\b|this\b"
        r"|that\b|you\b).+)",
        "preference",
        "likes",
    ),
    rule(
        r"(?P<object>(?!it|this|that|which|what|the (?:first|second|last))[\w'+# -]+?) (?:(?:suits?"
        r"|fits?) me|works? (?:best|better|well) for me)\b.*",
        "preference",
        "prefers",
    ),
    rule(
        r"(?P<object>(?!(?:it|its|it's|that"
        r"|all) (?:is )?over\b)[\w+#' -]{2,40} over [\w+#' -]{2,40}?)(?:,? (?:please|always|any day|for me"
        r"|every time|thanks)){0,2}$",
        "preference",
        "prefers",
        veto=(
            rf"{_ON_THE_MOVE}|\b(?:we|he|she|they|decided|chose|picked|went|moved|hand(?:ed)?|take|took|start|game|is"
            rf"|was|are"
            r"|all|come|get|got|going|go|it's|that's|run|ran|look|think|flew|read|bend)\b"
        ),
    ),
    rule(
        r"(?:please |kindly )(?:always )?(?:use|stick to|stick with|default to"
        r"|prefer) (?P<object>(?!(?:the|this|that|these|those|it|attached|following|above|below"
        r"|your)\b).+)",
        "preference",
        "prefers",
        veto=r"\b(?:this|that|these|those|the (?:file|attached|following|above|below|link|code|data))\b",
    ),
    rule(
        r"(?:please |kindly )?(?:always )?(?:keep|make) (?:your |the |all |all your |my )?(?:answers?"
        r"|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|messages?|emails?|updates?|code|it"
        r"|things|tone|outputs?|reports?) (?P<object>(?:very |as |really |nice and |under |below |to |in "
        r"|more |less |simple|short|brief|concise|formal|informal|casual|friendly|polite|minimal|crisp"
        r"|plain|light|professional).*)",
        "preference",
        "prefers",
        veto=r"\b(?:this (?:one|time|answer|email|message)|shorter|it shorter)\b",
    ),
    rule(
        r"(?:please |kindly )(?:always )?(?P<object>(?:answer|reply|respond|write|speak|talk|format"
        r"|explain|give|address|send|show|start|end|address|sign) (?:to )?(?:me |us |answers? |repl(?:y"
        r"|ies) |dates? |numbers? |prices? |times? |responses? |things |everything |code )?(?:in|with|as"
        r"|using|without|by|only|briefly|formally|informally|short|concise|metric|prices|distances"
        r"|temperatures|times)\b.*)",
        "preference",
        "prefers",
        veto=(
            r"\b(?:this|that|these|those|it|the (?:following|attached|above|file|link|report|invoice|email"
            r"|document))\b"
        ),
    ),
    rule(
        r"(?:I|we) (?:want|need|like) (?:you(?:r answers| to)|my (?:answers|replies|responses|summaries"
        r"|reports|code|emails)|answers|responses|replies|code|explanations"
        r"|summaries) (?P<object>(?:always |to (?:always )?be|always|in|short|concise|with|be|use|using"
        r"|answer|reply|respond|speak|address|explain|keep|write).*)",
        "preference",
        "prefers",
        veto=(
            r"\b(?:this|that|these|those|it|the (?:following|attached|above|file|link|report|invoice|email"
            r"|document))\b"
        ),
    ),
)
"""Asked in this order. Irony is judged before: see `clauses`."""
