"""Ways of saying what one likes."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.extraction.rulebook import Rule, rule

_ADVERB: Final = r"(?:(?:really|always|usually|generally|strongly|much|still|also|absolutely|definitely|mostly|often|typically|actually|now|particularly|especially|truly|totally|both|all|just|simply|personally|never|only|do|quite|deeply|\w+ly) )*"
_POINTING: Final = (
    r"(?:it|this|that|these|those|them|him|her|you|he|she|they|one|ones|what|where|how|the way|all the|all (?:this|that|these|those)|(?:the|your|his|her|their|this|that|these|those) (?:first|second|third|fourth|last|former|latter|other|same|previous|next|new|idea|suggestion|answer|sound|look"
    r"|plan|one|ones|above|result|draft|version|option|design|proposal|solution|approach|code|example|response|thought|title|name|color scheme|outcome)|your \w+|option \w|both|either|neither|to (?:think|say|know|see that|point)|not to (?:say|answer|talk|discuss|tell|share)|to not (?:say|answer))(?:\b|$)"
)

PREFERENCES: Final[tuple[Rule, ...]] = (
    rule(rf"(?:I|we) {_ADVERB}(?:prefer|favou?r) (?P<object>(?!{_POINTING}).+?)(?: (?:for|when|in|at|on|during) (?P<what>[^,]+))?$", "preference", "prefers", lasts=False),
    rule(rf"(?:I'd|I would|we'd|we would) {_ADVERB}(?:rather|prefer)(?: to)? (?P<object>(?!{_POINTING}|not$).+)", "preference", "prefers", veto=r"\brather not\b|\bthan (?:wait|do it|argue|talk)\b"),
    rule(rf"(?:I|we) {_ADVERB}(?:like|love|enjoy|adore|appreciate|cherish) (?P<object>(?!{_POINTING}).+)", "preference", "likes", veto=r"\blove you\b|\b(?:it|they|that|this) (?:looks?|sounds?|seems?|feels?)\b|\blike to (?:think|know|book|order|ask|cancel|return|report|change|see|have|get|buy|speak|schedule)\b"),
    rule(rf"(?:I|we) {_ADVERB}(?:hate|dislike|detest|despise|loathe|can't stand|cannot stand|can't bear|can't tolerate|find .+ (?:annoying|irritating|unbearable|distracting)) ?(?P<object>(?!{_POINTING}).*)", "preference", "dislikes", veto=r"\bhate to (?:bother|ask|say|break|interrupt|be that)\b"),
    rule(rf"(?:I|we) {_ADVERB}(?:do not|don't) {_ADVERB}(?:like|enjoy|love|care for|care about|want to see|appreciate|prefer|fancy) (?P<object>(?!{_POINTING}).+)", "preference", "dislikes"),
    rule(rf"(?:I|we) no longer (?:like|love|enjoy|prefer|care for|want) (?P<object>(?!{_POINTING}).+)", "preference", "dislikes", corrects=True),
    rule(rf"(?:I'm|I am|we're|we are|(?:I've|I have|we've) (?:always |long |never )?been) {_ADVERB}(?:not )?(?:a )?(?:(?:big|huge|great|massive|real|die-?hard|avid|lifelong|long-?time) )?(?:fans?|lovers?|admirers?) of (?P<object>(?!{_POINTING}).+)", "preference", "likes"),
    rule(rf"(?:I'm|I am|we're|we are|(?:I've|I have|we've) (?:always |long |never |ever )?been) {_ADVERB}(?:not )?(?:(?:very|really|big) )?(?:into|fond of|keen on|partial to|crazy about|passionate about|obsessed with|addicted to|averse to) (?P<object>(?!{_POINTING}).+)", "preference", "likes"),
    rule(r"(?:I'm|I am) (?:more of |more |definitely |very much |not |really )*an? (?P<object>[\w ]+? (?:person|lover|addict|enthusiast|nut|purist|fanatic|buff|aficionado|guy|gal|girl))\b", "preference", None, veto=r"\b(?:new|nice|good|bad|terrible|sick|busy|sales|delivery|support|contact|wrong|right) (?:person|guy)\b"),
    rule(r"(?:my|our) (?:all-?time |absolute |personal |new |current )*(?:favou?rite|preferred|favou?red|go-?to|ideal|usual|default) (?P<what>[\w' -]+?) (?:is|are|has always been|remains|would be|will always be) (?:now |still |definitely |actually |always |probably )?(?P<object>(?!(?:it|this|that|when|broken|not working)\b).+)", "preference", "favourite"),
    rule(r"(?P<object>(?!it|this|that|which)[\w'+# -]+?) (?:is|are) (?:still |definitely |now |by far )*my (?:all-?time |absolute )*(?:favou?rite|preferred|go-?to|favou?red) (?P<what>[\w' -]+)", "preference", "favourite"),
    rule(r"my preference (?:is|would be|has always been)(?: for| to use| to have| to)? (?P<object>.+)", "preference", "prefers"),
    rule(r"my (?:favou?rites?|preferences?) (?:is|are) (?P<object>.+)", "preference", "likes"),
    rule(rf"(?:I|we) {_ADVERB}(?:tend to|gravitate towards?|swear by|opt for|go for|lean on|stick (?:to|with)) (?P<object>(?!{_POINTING}|it\b).+)", "preference", "likes"),
    rule(r"(?:I|we) (?:always|usually|typically|normally|generally|only|mostly) (?:choose|pick|order|go (?:for|with)|take|book|buy|fly|sit|drink|use|write|read|listen to|watch|eat|wear|want|get) (?P<object>(?!it\b|this\b|that\b).+)", "preference", "prefers"),
    rule(r"(?:I|we) (?:can't|cannot|couldn't) (?:live|work|function|do) without (?P<object>(?!it\b|this\b|that\b|you\b).+)", "preference", "likes"),
    rule(r"(?P<object>(?!it|this|that|which|what|the (?:first|second|last))[\w'+# -]+?) (?:(?:suits?|fits?) me|works? (?:best|better|well) for me)\b.*", "preference", "prefers"),
    rule(r"(?P<object>[\w+#' -]{2,40} over [\w+#' -]{2,40}?)(?:,? (?:please|always|any day|for me|every time|thanks)){0,2}$", "preference", "prefers", veto=r"\b(?:we|he|she|they|decided|chose|picked|went|moved|hand(?:ed)?|take|took|start|game|is|was|are|all|come|get|got|going|go|it's|that's|run|ran|look|think|flew|read|bend)\b"),
    rule(r"(?:please |kindly )(?:always )?(?:use|stick to|stick with|default to|prefer) (?P<object>(?!(?:the|this|that|these|those|it|attached|following|above|below|your)\b).+)", "preference", "prefers", veto=r"\b(?:this|that|these|those|the (?:file|attached|following|above|below|link|code|data))\b"),
    rule(r"(?:please |kindly )?(?:always )?(?:keep|make) (?:your |the |all |all your |my )?(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|messages?|emails?|updates?|code|it|things|tone|outputs?|reports?) (?P<object>(?:very |as |really |nice and |under |below |to |in |more |less |simple|short|brief|concise|formal|informal|casual|friendly|polite|minimal|crisp|plain|light|professional).*)", "preference", "prefers", veto=r"\b(?:this (?:one|time|answer|email|message)|shorter|it shorter)\b"),
    rule(r"(?:please |kindly )(?:always )?(?P<object>(?:answer|reply|respond|write|speak|talk|format|explain|give|address|send|show|start|end|address|sign) (?:to )?(?:me |us |answers? |repl(?:y|ies) |dates? |numbers? |prices? |times? |responses? |things |everything |code )?(?:in|with|as|using|without|by|only|briefly|formally|informally|short|concise|metric|prices|distances|temperatures|times)\b.*)", "preference", "prefers", veto=r"\b(?:this|that|these|those|it|the (?:following|attached|above|file|link|report|invoice|email|document))\b"),
    rule(r"(?:I|we) (?:want|need|like) (?:you(?:r answers| to)|answers|responses|replies|code|explanations|summaries) (?P<object>(?:always |to (?:always )?be|always|in|short|concise|with|be|use|using|answer|reply|respond|speak|address|explain|keep|write).*)", "preference", "prefers", veto=r"\b(?:this|that|these|those|it|the (?:following|attached|above|file|link|report|invoice|email|document))\b"),
)
"""Asked in this order. Irony is judged before: see `clauses`."""
