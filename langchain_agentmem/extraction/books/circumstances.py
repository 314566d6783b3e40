"""Ways of stating how one lives: status, health, belongings, skills, habits, tools."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.calendar_words import MONTH, WEEKDAY
from langchain_agentmem.english.words.kin_words import A_RELATIVE, RELATIVES
from langchain_agentmem.english.words.number_words import TWO_OR_MORE
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITAL_OR_DIGIT, LETTER, LONG_CAPITALIZED, SMALL
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.words.lexicon import (
    ADVERB,
    AM,
    COURSE,
    DIET,
    HABIT,
    HAVE,
    HEALTH,
    KIN,
    NATIONALITY,
    NOT_LASTING,
    NUMBER,
    OCCUPATION,
    PET,
    PROPERTY,
    STATUS,
    STUDY,
)
from langchain_agentmem.extraction.words.milestones import IS_WEDDING

_BONES: Final = (
    r"(?:legs?|arms?|wrists?|ankles?|foot|feet|hands?|fingers?|toes?|hips?|knees?|ribs?|collarbone|nose|shoulder)"
)
_OF_NOW: Final[tuple[Rule, ...]] = (
    rule(
        r"I(?:'ve| have)? (?:just |also |recently )?(?:broke|broken|fractured|sprained|dislocated|tore|torn) "
        rf"(?:my|an?|both|{TWO_OR_MORE}|some) (?:[\w-]+ )?{_BONES}\b(?!-|\S| ?nails?\b).*",
        "fact",
        lasts=True,
        veto=r"\b(?:years? ago|once|as a (?:kid|child|teenager)|when I was|almost|nearly|laughing)\b",
    ),
    rule(
        rf"I(?:'m| am) {ADVERB}doing (?:an?|my|the|{TWO_OR_MORE}) (?:[\w-]+ ){{0,2}}?{COURSE}.*",
        "fact",
        lasts=True,
    ),
    rule(
        r"I(?:'m| am) starting (?:work |a (?:new )?(?:job|role|position) )?(?:at|with) (?:the )?"
        rf"(?P<object>(?!\w+day\b){CAPITAL}{SMALL}.*)",
        "fact",
        lasts=True,
        veto=r"\bstarting (?:at|with) (?!the\b)(?!.*\b(?:in|on|next|this|as|from|soon|tomorrow)\b)",
    ),
    rule(r"I(?:'ve| have)? (?:just )?(?:handed|put) in my notice\b.*", "fact", lasts=True, corrects=True),
)
CIRCUMSTANCES: Final[tuple[Rule, ...]] = (
    *_OF_NOW,
    rule(
        rf"(?:I'm|I am|I've been|we're|we are) {ADVERB}(?:an? "
        rf"|the )(?!{NOT_LASTING}\b)(?P<object>[\w-]+.*)",
        "fact",
        None,
        veto=(
            rf"\b(?:I'm|I am|we're|we are) (?:the one|the only (?!(?:[\w-]+ ){{0,2}}{OCCUPATION}\b)|the same"
            rf"|the first|the last"
            r"|an? (?:\w+ )?(?:idiot|mess|moron|failure|wreck|zombie)|all|not a (?:robot|bot|doctor|lawyer"
            r"|expert|fan|problem))\b"
        ),
    ),
    rule(
        rf"(?:I'm|I am|we're|we are|I've been) {ADVERB}(?:not )?(?:severely |very |mildly |strictly "
        rf"|highly |deathly |partially |happily |recently |legally |a bit ){{0,4}}(?:{DIET}|{STATUS}"
        rf"|{NATIONALITY})(?:$|,| (?:to|and|but|from|with|by|since|for|in|citizen|national|now|anymore|on"
        r"|so|american|british|\d).*)",
        "fact",
        None,
        veto=r"\b(?:single (?:time|one)|engaged in|retired from (?:this|that)|blind to|deaf to|In |On )",
    ),
    rule(rf"(?:I'm|I am|we're|we are) {ADVERB}{IS_WEDDING}.*", "fact"),
    rule(
        rf"{AM} {ADVERB}(?:seeing|dating) (?:someone|somebody)(?: new| special)?,?"
        rf" (?:called|named) {LONG_CAPITALIZED}$",
        "fact",
    ),
    rule(
        rf"{AM} (?:now |currently |still )?in (?:(?:my|the) )?(?P<object>"
        r"(?:(?:first|second|third|fourth|fifth|sixth|seventh"
        r"|eighth|ninth|tenth|eleventh|twelfth|final|last|\d{1,2}(?:st|nd|rd|th)) (?:grade|year|semester|form)"
        r"|(?:grade|year|form) \d{1,2}|(?:high|primary|elementary|middle|grad(?:uate)?|law|medical|med) school|college"
        r"|kindergarten)\b.*)",
        "fact",
    ),
    rule(
        rf"(?:I'm|I am) (?:in|on) (?:the )?(?P<object>(?:[\w/+:-]+ )?(?:time ?zone|{LETTER}{{2,4}}T\b"
        r"|UTC ?[+-]? ?\d*|GMT ?[+-]? ?\d*|(?:pacific|eastern|central|mountain"
        r"|central european) (?:standard |daylight )?time)).*",
        "fact",
        "timezone",
    ),
    rule(
        rf"(?:I'm|I am|we're|we are|I've been) {ADVERB}(?:responsible for|in charge of|part of|a member of"
        r"|on the .+ team|fluent in|studying|enrolled (?:in|at)|majoring in|pursuing|self-taught"
        r"|(?:completely |fairly |quite |very |pretty |relatively )?new to (?!this\b|here\b|it\b|that\b)"
        r"|(?:good|bad|great|terrible|awful|horrible|hopeless|better|excellent|decent|useless) (?:at|with"
        r"|in)|afraid of|scared of|terrified of|native to|due (?:in|on)|expecting (?:a|my|our|twins)"
        r"|trained (?:as|in)|certified (?:as|in)|qualified (?:as|in)|familiar with|experienced (?:in|with)"
        r"|\d(?:[.,']\d+)? ?(?:m|cm|feet|ft|kg|'|meters|metres)) ?.+",
        "fact",
        None,
        veto=r"\b(?:that|this|it)$",
    ),
    rule(r"(?:I'm|I am) (?:not )?allergic to (?P<object>.+)", "fact", "allergic_to"),
    rule(
        r"(?:I|we) (?:can't|cannot|don't|do not|never|no longer) (?:ever |really |usually )?(?:eat|drink"
        r"|have|tolerate|digest|consume|touch) (?P<object>(?!it|this|that|any more|time|to|a clue"
        r"|an? (?:idea|problem|question|issue|choice|clue)|any (?:idea|questions?|clue|time|problem|choice"
        r"|preference)|access|enough|much|the|anything|what)\b.+)",
        "fact",
        None,
    ),
    rule(
        r"(?:I|we) (?:can't|cannot|don't|do not) do (?P<object>(?!(?:it|this|that|these|those|anything|much|any"
        r"|my|the|your|what"
        r"|something|everything|more|better|so|well|both|all|one|without)\b)[\w-]+(?: .+)?)",
        "fact",
    ),
    rule(
        rf"{HAVE} {ADVERB}(?:an? |the |my |our |our own |my own |\d+ |{NUMBER} )?(?:(?!question|problem"
        rf"|issue|meeting|call|headache|idea|doubt)[\w'-]+ ){{0,3}}?(?:{KIN}|{PET}|{PROPERTY}|{HEALTH}"
        rf"|{STUDY}|nut allergy|sweet tooth|green thumb|stutter|twins|photographic memory|citizenship"
        r"|nationality|green card|work permit|dual citizenship)\b.*",
        "fact",
        None,
        veto=(
            r"\b(?:have (?:a|an|the|my|some|any) (?:\w+ ){0,2}(?:question|problem|issue|meeting|call"
            r"|appointment|idea|doubt|car accident|phone call)|car trouble|phone call|have to|store open"
            r"|school tomorrow)\b"
        ),
    ),
    rule(
        rf"{HAVE} .+ (?:named|called) {CAPITAL}.*|{HAVE} .+ (?:allergy|allergies|intolerance)\b.*",
        "fact",
        None,
        veto=r"\b(?:function|variable|table|column|file|class|method|branch|package)\b",
    ),
    rule(
        r"(?:I|we) (?:do not|don't|no longer) (?:have|own|drive|smoke|drink|work|live|support|sell|offer|use"
        r"|speak|play|eat"
        r"|study|need|wear) (?P<object>(?!time|to|a clue|an? (?:idea|problem|question|issue|choice|clue)"
        r"|any (?:idea|questions?|clue|time|problem|choice|preference|further)|access|enough|much"
        r"|the (?:time|energy|money|budget for this)|anything|what|it\b|this|that|you|your|any of).+)",
        "fact",
        None,
    ),
    rule(
        rf"(?:I|we) {ADVERB}(?:own|rent|speak|know how to|drive|ride) (?P<object>(?!it\b|this|that|up\b"
        r"|to you|with|about|for).+)",
        "fact",
        None,
        veto=r"\bon my own\b|\bspeak(?:ing)? (?:to|with|about)\b|\bdrive (?:home|there|to)\b|\brent is\b",
    ),
    rule(
        r"(?:I|we) (?:can|could)(?:not|'t)? (?:also |only |already |really |not )?(?:speak|play|swim|cook"
        r"|drive|read|code|ride|ski|type|understand) (?P<object>(?!it\b|this|that|to\b|with\b|the (?:file"
        r"|text|report|page|error)).*)",
        "fact",
        None,
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:just |recently |finally ){0,4}(?:got|get|was|were|are) (?:married|divorced"
        r"|engaged|a (?:new )?(?:dog|cat|puppy|kitten|baby|car|house|apartment|bike|laptop|phone)\b).*"
        r"|(?:I|we)(?:'ve| have)? (?:just |recently |finally ){0,4}(?:adopted|bought|sold|retired"
        r"|had (?:a baby|twins|our|my first|my second|a daughter|a son)|graduated|founded|co-?founded"
        r"|started (?:a|my|our) (?:own )?(?:company|business|startup|blog|podcast|family)|gave birth"
        rf"|lost my (?:{A_RELATIVE}|job))\b.*",
        "fact",
        None,
        lasts=True,
        veto=r"\b(?:bought (?:this|it|the wrong|some|a (?:ticket|coffee|product))|order)\b",
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:(?:started|begun|began) (?:(?:learning|studying|playing|teaching|coaching"
        r"|volunteering|training (?:for|as)|taking (?:[\w-]+ ){0,2}(?:lessons|classes))\b"
        r"|to (?:learn|study|play|teach|volunteer)\b)"
        r"(?! (?:it|this|that|how|why|what|around|with|again|from)\b).*"
        r"|(?:taken|took) up (?:[\w-]+ )?[a-z]{2,}ing\b.*"
        r"|joined (?:an?|the|our|my|another) (?:[\w'-]+ ){0,3}?(?:choir|gym|clubs?|band|orchestra|league|society|class"
        r"|union|church|parish|congregation|party|board|committee|association|community|network|navy|army|police)"
        r"(?=$|,| (?:in|at|near|for|on|with|last|this|where|called|two|three|\d+|an?|yesterday|today)\b).*)",
        "fact",
        None,
        lasts=True,
        veto=r"\b(?:your|this (?:file|book|code|page|chapter)|meeting|call)\b",
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:stud(?:y|ied)|major(?:ed)? in|learned|graduated|taught|served"
        r"|interned|minored) (?P<object>(?!it\b|this\b|that\b|the (?:report|data|file)|something|a lot).+)",
        "fact",
        None,
        veto=r"\b(?:I|we) learned that\b",
    ),
    rule(
        r"(?:I|we)(?:'ve| have) been (?:living|working|teaching|playing|running|coding|programming|using"
        r"|doing|married|together|vegetarian|vegan|sober|practi[cs]ing|studying|learning|in|with|a|an"
        r"|developing|diagnosed|riding|climbing|training|writing) .+",
        "fact",
        None,
        veto=(
            r"\b(?:waiting|on hold|working on (?:this|that|it|the)|all day|hours?|since (?:this )?morning"
            r"|minutes?|in (?:a|this) meeting|using this|doing (?:this|that|it)|a (?:while|bit|long))\b"
        ),
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:just |recently |finally |also ){0,3}(?:(?:gave|given) up|cut out|went off"
        r"|quit|stopped"
        r"(?= (?:eating|drinking|smoking|using|taking|going to|working|playing|watching|wearing|driving|doing"
        r"|buying|flying)))"
        r" (?P<object>(?!(?:it|this|that|hope|trying|looking|on|waiting|my|the|you|because)\b).+)",
        "fact",
        None,
        lasts=True,
        corrects=True,
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:just |recently |finally |also ){0,3}(?:(?:took|taken) up|got into) "
        r"(?P<object>(?!(?:it|this|that|an? (?:fight|argument|accident)|trouble|the)\b).+)",
        "fact",
        None,
        lasts=True,
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:did|done|got|finished|completed|earned) (?:my|an?) (?:[\w']+ )?(?:phd"
        r"|doctorate|mba|master'?s"
        r"|bachelor'?s|degree|residency|apprenticeship|training|military service|licen[cs]e|certification"
        r"|diploma)\b.*",
        "fact",
        None,
        lasts=True,
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:just |now |also |finally ){0,3}(?:renamed|rebranded|upgraded|raised|lowered"
        r"|extended|postponed"
        r"|moved|rescheduled|changed|pushed|increased|reduced|capped) (?:the|our"
        r"|my) (?P<object>[\w' -]{2,60}? (?:to|until|from|by"
        r"|at) .+)",
        "fact",
        None,
        lasts=True,
        corrects=True,
    ),
    rule(rf"(?:I|we) {ADVERB}(?:keep|breed|raise) (?:[\w-]+ ){{0,3}}?{PET}\b.*", "fact", None),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:just |recently |finally ){0,2}moved in with (?P<object>.+)",
        "fact",
        None,
        lasts=True,
    ),
    rule(
        rf"(?:I|we) {ADVERB}(?:look after|care for|take care of|foster|homeschool|babysit"
        rf"|support) (?P<object>(?:my|our|an? |{TWO_OR_MORE} )"
        r".+)",
        "fact",
        None,
    ),
    rule(
        rf"(?:my|our) (?:[\w-]+ ){{0,2}}?{RELATIVES} (?:have"
        rf"|suffer from|are|were diagnosed with) (?:an? |severe |mild |chronic ){{0,2}}(?:{HEALTH}|{DIET})\b.*",
        "fact",
        None,
    ),
    rule(
        r"(?:I|we)(?:'ve| have) (?:always |also |only |mostly ){0,2}(?!(?:waited|tried|wanted|received|noticed"
        r"|been)\b)(?:\w+ed|done|had"
        r"|known|driven|taught|sung|drawn|run|owned|kept) (?!(?:it|this"
        r"|that)\b)(?P<object>.+ (?:since (?!(?:this|yesterday|monday|last"
        r"|\d{1,2}(?::|am|pm))\b)|for (?:\w+ ){0,3}(?:years|decades)).*)",
        "fact",
        None,
    ),
    rule(
        rf"(?P<object>{LETTER}[\w-]+(?: and {LETTER}\w+)?) (?:is|isn't|are|is not) my (?:first|second|third|native|main"
        r"|only|other)"
        r" (?:language|tongue|job|degree|marriage|career)\b.*",
        "fact",
        None,
    ),
    rule(
        r"(?:my|the) (?:doctor|gp|psychiatrist|cardiologist|vet) (?:has )?(?:put|started|diagnosed) me (?:on|with) .+",
        "fact",
    ),
    rule(
        r"(?:I|we)(?: (?:was|were|got|have been)|'ve been) (?:recently |just )?(?:diagnosed with|born with) .+",
        "fact",
        None,
        lasts=True,
    ),
    rule(
        rf"(?:I|we) {ADVERB}suffer from .+|I wear (?:glasses|contacts|contact lenses|a hearing aid|size"
        r"|hearing aids|an? .*(?:size|hearing)).*|I use a (?:wheelchair|screen reader|cane|walker"
        r"|hearing aid|prosthe\w+).*|I (?:live|sleep) with .+",
        "fact",
        None,
    ),
    rule(
        rf"(?:I|we) {ADVERB}(?:use|run|deploy(?: with| to| on)?|build with|develop (?:in|with|on)"
        r"|program in|code in|write (?:in|with|most of|all of|my code|our)|host (?:on|our|with)|rely on"
        r"|drive|manage|maintain) (?P<object>(?!it\b|this\b|that\b|you\b|the (?:following|above|same"
        r"|attached|code|command)|your\b|into\b|out\b|late\b).+?)(?: (?:for|as (?:an?|my|our|the)"
        r"|to) (?P<what>[^,]+))?$",
        "fact",
        "uses",
        veto=(
            r"\b(?:use to|run (?:into|out|late|the (?:command|script|code|test)|this|it)|error|fails?|but it"
            r"|help|when I (?:run|use|try)|how)\b"
        ),
    ),
    rule(
        rf"{AM} {ADVERB}(?:using|running|on) (?P<object>(?-i:{CAPITAL}[\w.+#-]*"
        rf"|v?\d)(?:\s(?-i:{CAPITAL_OR_DIGIT}[\w.+#-]*|v?\d[\w.]*))*)(?: (?:for|as|on|with) (?P<what>.+))?$",
        "fact",
        "uses",
        veto=(rf"\b(?:error|late|out|{WEEKDAY}|{MONTH}|I)\b"),
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:switched|migrated|moved|changed)(?: over)?(?: (?:everything"
        r"|our \w+|my \w+))?(?: from (?:[\w.+#-]+ ?){1,3}?)? to (?P<object>(?!it\b|this\b"
        r"|that\b).+?)(?: for (?P<what>[^,]+))?$",
        "fact",
        "uses",
        lasts=True,
        corrects=True,
        veto=r"\b(?:page|tab|screen|next|slide|mode|window|menu)\b|\bfrom the (?-i:[a-z])\w+ to the \w+$",
    ),
    rule(
        rf"(?:I|we)(?:'ve| have)? {ADVERB}(?:(?:replaced|swapped(?: out)?|traded(?: in)?|ditched|dropped|abandoned"
        r"|decommissioned|phased out|(?:got|gotten) rid of)|(?:moved|migrated|switched|come|came|gone|went|got|gotten)"
        rf" (?:off(?: of)?|away from)) (?P<object>(?:(?:the|our|my) (?:[\w-]+ )?)?{CAPITAL}.+)",
        "fact",
        lasts=True,
        veto=r"\b(?:never|almost|nearly|barely|hardly)\b",
    ),
    rule(
        rf"I {ADVERB}{HABIT}(?:$| (?!it\b|this\b|that\b|your?\b|into\b|out of\b|for it\b|the (?:following"
        r"|command|code|script|file|above|error|test|tests|app)\b)(?P<object>.+))",
        "fact",
        None,
        veto=(
            r"\b(?:error|fails?|help|please|I (?:read|grow|drive|take) (?:that|it|this)|take (?:it|care|that"
            r"|a look|back|note|your)|keep (?:getting|seeing|forgetting|having|going|in mind|you|trying"
            r"|running|calling|asking|it|up|losing)|run (?:into|out|late|the)|read (?:about|that|the|somewhere"
            r"|your|an|a)|write (?:to|you|because|regarding|about)|follow(?:ing)? up|see|watch out|walk me"
            r"|support (?:you|that|this)|build fails)\b"
        ),
    ),
)
