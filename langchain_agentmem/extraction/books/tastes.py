"""Ways of saying what one likes that need no verb of liking: praise, comparison, elliptic wishes."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import LETTER
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.words.lexicon import STATING_ADVERB

_THING: Final = (
    r"(?!(?:it|this|that|these|those|which|what|you|he|she|they|I|I'm|I've|we|we're|your|there|here|nothing|something"
    r"|everything|thanks|life|things|one)\b)[\w'+#./-]+(?: [\w'+#./-]+){0,6}?"
)
_HOW_IT_SUITS: Final = (
    r"(?:easier|better|best|worse|worst|nicer|simpler|clearer|faster|ideal|perfect|hard|tough|easy|too much"
    r"|more (?:\w+ing|useful|helpful|comfortable|convenient|fun)|an? (?:pain|nightmare|struggle|must|plus|bonus"
    r"|no-?go|turn-?off|turn-?on|blessing|deal-?breaker))"
)
_MANNER: Final = (
    r"(?:everything|all (?:my |the )?\w+|answers|replies|prices|dates|units|times|my \w+) (?:in|as|with|without|on)"
)

_SCENE: Final = (
    r"^(?!.*\b(?:modes?|units|metric|celsius|fahrenheit|formats?|styles?|themes?|fonts?|tabs|spaces|subtitles|captions"
    r"|types?|hints"
    r"|tests|notation|quotes|names|comments|case|english|german|spanish|french|spelling|euros?|dollars|kilomet\w+"
    r"|miles)\b).*\beverywhere$"
)
"""What lies about, where nothing is named that can be set: "boxes everywhere", "blood everywhere"."""

TASTES: Final[tuple[Rule, ...]] = (
    rule(
        r"my (?:[\w-]+ ){1,3}?preferences? (?:is|are|would be|has always been|have always been)(?: still| always"
        r"| for)?"
        r" (?P<object>.+)",
        "preference",
        "prefers",
    ),
    rule(
        rf"(?P<object>{_THING}) (?:is|are|works?|would be) (?:just |so |much |way |far |a lot |always |usually )?"
        rf"(?:the )?{_HOW_IT_SUITS}(?: than [^,]{{1,40}}?)? for (?:me|us)\b(?! to (?:find|see|open|get)).{{0,80}}",
        "preference",
        veto=rf"\b(?:tomorrow|week|{WEEKDAY}|[\d:]+ ?(?:am|pm))\b",
    ),
    rule(
        rf"(?P<object>{_THING}) (?:is|are) (?:more|really|so|totally|very much|just) my (?:thing|jam|style|speed"
        rf"|vibe)\b.{{0,60}}",
        "preference",
    ),
    rule(
        r"(?:I'm|I am|we're|we are|I feel) (?:much |far |way |a lot )?(?:more comfortable|happier|better"
        r"|more at home|more productive"
        r"|more fluent) (?:with|in|using|on) (?P<object>(?!(?:it|this|that|now)\b).+)",
        "preference",
    ),
    rule(
        r"(?:I|we) (?:really |just |honestly |simply )?(?:can't|cannot|couldn't|could never) (?:deal|cope|put up"
        r"|be bothered) with "
        r"(?P<object>(?!(?:it|this|that|these|those|him|her|them|you)\b).+)",
        "preference",
        "dislikes",
        veto=r"\b(?:anymore|right now|any more)$",
    ),
    rule(
        r"(?:I'd|I would|we'd|we would) (?:really |also |much ){0,2}(?:like|love|appreciate|prefer"
        r"|welcome) (?P<object>(?:shorter|longer"
        r"|fewer|simpler|clearer|plainer|cleaner|less [\w-]+|more (?!time|help|info|information|details? (?:on"
        r"|about))[\w-]+) [\w-]+.*)",
        "preference",
    ),
    rule(
        r"anything but (?P<object>(?!(?:that|this|it|fun|easy|simple|good|nice)\b)[\w' -]{2,40})$",
        "preference",
        "dislikes",
    ),
    rule(
        r"(?P<object>[\w'-]+(?: [\w'-]+){0,4}) or (?:nothing|bust)$",
        "preference",
        veto=r"^(?:I|it|now|all|everything|this)\b",
    ),
    rule(rf"(?:please )?(?:I |we )?(?:need|want|like|prefer|expect) (?P<object>{_MANNER} .+)", "preference", "prefers"),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:always |long |got |still |really ){0,3}(?:been drawn to"
        r"|(?:had? )?a (?:soft spot|weakness"
        r"|thing|preference|taste|passion) for|have a (?:soft spot|weakness|thing|preference|taste|passion) for"
        r"|can't get enough of|can never have enough|gravitate towards?) (?P<object>(?!(?:it|this|that|you)\b).+)",
        "preference",
        "likes",
    ),
    rule(
        rf"(?:what|the thing|one thing|the only thing|all) (?:that )?(?:I|we) {STATING_ADVERB}(?:want|need|hope"
        r"|plan|aim|intend|would like|'d like|wish) (?:to (?:achieve|reach|do|accomplish|get to|see"
        r"|get done|have|finish|improve|learn) )(?:[\w ]+? )?(?:is|are) (?P<object>(?!(?:that|how|when|why"
        r"|to know|if|whether|this|it)\b).+)",
        "goal",
        lasts=True,
    ),
    rule(
        r"(?:what|the thing|one thing|the (?:one|only) thing|something) (?:that )?(?:I"
        rf"|we) {STATING_ADVERB}(?:like|love|enjoy|prefer|appreciate|hate|dislike|can't stand|value|want) (?:most "
        r"|best |more |about [\w ]+ |using |doing |to use |to do ){0,4}(?:is|are) (?P<object>(?!(?:that|how"
        r"|when|why|to know|if|whether|this|it)\b).+)",
        "preference",
    ),
    rule(
        r"(?P<object>(?!(?:it|this|that|which|what|you|he|she|they|I|I'm|I've|we|we're|your"
        r"|thanks)\b)[\w'+#./ -]{2,60}?) (?:helps?|suits?|works? for|motivates?|relaxes?|calms?|annoys?"
        r"|bothers?|irritates?|bores?|distracts?|stresses?|soothes?|energi[sz]es?|inspires?) (?:me"
        r"|us)\b(?! (?:with (?:this|that)|out|find|fix|understand (?:this|that|why)|please)).*",
        "preference",
        veto=r"\b(?:hopefully|can you|could you|please help|who helps|please)\b",
    ),
    rule(
        rf"(?P<object>{LETTER}[\w+#. -]*? ?> ?{LETTER}[\w+#. -]*?)(?:$| for me.*|,.*| any day.*| all day.*"
        r"| every time.*)",
        "preference",
    ),
    rule(
        r"(?:I|we) (?:find|consider) (?P<object>(?!(?:it|this|that|you|your|myself)\b).+? (?:much |far "
        r"|so |really |very |too |a lot |way |more ){0,4}(?:annoying|irritating|unbearable|distracting|boring"
        r"|tedious|ugly|beautiful|relaxing|useful|helpful|pleasant|unpleasant|comfortable|uncomfortable"
        r"|easier|harder|better|worse|nicer|cleaner|fun|enjoyable|exhausting|stressful|overrated|confusing"
        r"|hard|difficult|easy|clearer|awkward|soothing|delicious|disgusting|creepy|cringe|patronising"
        r"|condescending|readable|convenient))\b.*",
        "preference",
        veto=r"\bin (?:this|the) (?:file|page|code)\b",
    ),
    rule(
        r"(?P<object>[\w' -]+?) (?:is|are) (?:by far |still |easily |simply |definitely "
        r"|probably ){0,4}(?:the )?(?:best|worst|greatest|most \w+|only|nicest|tastiest"
        r"|coolest) (?:[\w-]+ ){0,4}?(?:I've|I have|we've|I) (?:ever )?(?:bought|had|used|read|seen|tried"
        r"|tasted|owned|eaten|visited|heard|worked with|played).*",
        "preference",
    ),
    rule(
        r"(?P<object>(?!(?:the|this|that|these|another|more|one|a|an|my|your|it|yes|no|help|can|could"
        r"|would|will|next|same|again|stop|wait|sorry|thanks|and|I|I'm|we|we're|he|she|they|you|there)\b)[\w'-]+"
        r"(?: [\w'/-]+){0,5}?,? (?:only"
        r"|everywhere|always|whenever possible|wherever possible|throughout|by default|every time|any time"
        r"|for everything|at all times|in general)(?:,? (?:please|thanks|(?:for )?(?:me|us)))?)$",
        "preference",
        veto=(
            rf"{_SCENE}|"
            r"\b(?:is|are|was|were|has|have|will|can|not|works?|fails?|happens?|crashes|read|members|available"
            r"|if|for (?:the )?(?:time|first))\b"
        ),
    ),
    rule(
        r"(?P<object>(?!(?:the|this|that|these|another|more|one|it|yes|no|help|not|same|good|bad|great"
        r"|thanks|easy|fine|okay|hard|new|time|too|done|works?"
        r"|is)\b)[\w'-]+(?: [\w'/-]+){0,4}?,? (?:for me|please),? (?:whenever|when(?: you)?|every|always"
        r"|each time|if you|on (?:all|every)|in (?:all|every)|not|and not|rather than|instead of) .+)",
        "preference",
        veto=r"\b(?:is|are|was|were|has|have|will|can|works?|fails?|happens?)\b",
    ),
    rule(
        r"(?P<object>(?!(?:it|this|that|the|these|one)\b)[\w'-]+(?: [\w'/-]+){0,3}? please,? (?:not|no"
        r"|instead of|rather than) .+)",
        "preference",
    ),
    rule(
        r"(?:I|we) (?:do not|don't|never) (?:really |even |ever |actually |usually |generally ){0,4}(?:need"
        r"|want|care about|bother with|do|fancy|trust|believe in|wear|watch|listen to|read|read"
        r"|celebrate) (?P<object>(?!(?:to|it|this|that|you|anything|any (?:more|help|of|idea)|a (?:reply"
        r"|response|bag|receipt)|help|much|more|one|them|these|another|the (?:file|link|code|answer"
        r"|whole))\b).+)",
        "preference",
        veto=r"\b(?:right away|yet)\b",
    ),
    rule(
        r"(?:I'd|I would|we'd|we would) (?:really |also |much ){0,4}(?:like|love|appreciate|want) (?:it if "
        r"|you to |your (?:answers|replies|responses) (?:to be |in )|all |my |everything |answers "
        r"|summaries )(?P<object>.+)",
        "preference",
        veto=(
            r"\b(?:this (?:one|time|file|function|text|email|page|message)|it if you could (?:help|check|look"
            r"|tell|send|fix|explain|confirm|let)|you to (?:help|check|look|tell|find|fix|confirm|book|order"
            r"|cancel|send|review|read|summari[sz]e|write|create|make|take|see|do|add|delete|know|understand"
            r"|translate)|my (?:money|order|account|refund|password|package|data|invoice)|it if you)\b"
        ),
    ),
    rule(
        r"(?:nothing beats|nothing like|you can't beat) (?P<object>(?!(?:it|this|that|you|the (?:feeling"
        r"|look))\b).+)",
        "preference",
    ),
    rule(
        r"(?:give me (?=.*\b(?:over|any ?(?:time|day)|instead of|rather than|every time|always)\b)"
        r"|(?:you can't beat|can't beat|hard to beat|always up for"
        r"|happy with|big on|all about) )(?P<object>(?!(?:a (?:minute|second|moment|sec|hand|break|hint"
        r"|list|summary|bit|few|example|reason|call|head)|an? |the|some|one|more|all|another|it|this|that"
        rf"|\d|your|{TWO_OR_MORE})\b).+)",
        "preference",
    ),
)
