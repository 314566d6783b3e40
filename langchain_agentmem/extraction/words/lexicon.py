"""Words that several rulebooks share: kin, pets, belongings, health, callings, names as patterns."""

from __future__ import annotations

from typing import Final

from langchain_agentmem.english.words.kin_words import A_RELATIVE, A_SIBLING, GROUPS
from langchain_agentmem.english.words.number_words import ONE_OR_MORE, TWENTY_OR_MORE, spelled
from langchain_agentmem.english.words.patterns import CAPITAL, CAPITAL_OR_DIGIT, LINKED, LONG_CAPITALIZED

AM: Final = r"(?:I'm|I am|I've been|I have been)"
HAVE: Final = r"(?:I have|I've|I've got|I have got|we have|we've got|we've|we have got)"
ADVERB: Final = (
    r"(?:(?:also|currently|now|still|originally|actually|mostly|usually|always|never|generally|just"
    r"|recently|already|only|primarily|mainly|regularly|often|no longer|do not|don't|both|all"
    r"|\w+ly) ){0,4}"
)
BY_NOW: Final = r"(?: (?:now|currently|actually|still|officially))?"
NUMBER: Final = (
    rf"(?:\d{{1,2}}|{ONE_OR_MORE}|several|a few|some"
    r"|many|no|zero|any)"
)
AGE: Final = rf"(?:\d{{1,3}}|{TWENTY_OR_MORE}|eighteen|nineteen)"
ANY_AGE: Final = rf"(?:{AGE}|{spelled(1, 17)})"
"""Of somebody else; "I have two" tells no age."""

YOUTH: Final = (
    r"(?:I|we) ?(?:(?:was|were)\b|(?:'m|am|'re|are) (?:(?:very|so|still|only|just) )?(?:(?:an? )?"
    r"(?:(?:little|small|young|wee|tiny) )?(?:kids?|child(?:ren)?|boys?|girls?|bab(?:y|ies)|toddlers?|infants?"
    r"|teen(?:ager)?s?|adolescents?|students?|pupils?|schoolboys?|schoolgirls?)|little|small|young|(?:at|in) school"
    rf"|{ANY_AGE}(?: years? old| years of age)?) *(?=$|[,.;!?)]|(?:I|we|my|and|but|so)\b))"
)
"""What somebody was behind "since", be it told as if they were: "I speak French since I'm a kid"."""

NAME: Final = rf"(?-i:{CAPITAL}[\w'.-]*(?: (?:of |{LINKED}){CAPITAL}[\w'.-]*){{0,3}})"
PLACE: Final = (
    r"(?:(?:the|a|an|central|downtown|south|north|east|west|rural|upstate|southern|northern|eastern"
    rf"|western|suburban|greater|inner) ){{0,4}}{CAPITAL_OR_DIGIT}.*|(?:a|an|the) (?:small |big |tiny |large "
    r"|quiet |remote |little ){0,4}(?:village|city|town|flat|apartment|house|farm|suburbs?|countryside"
    r"|cabin|studio|condo|dorm|shared \w+|houseboat|boat|mountains?|coast|desert|forest).*"
)

KIN: Final = rf"(?:twin {A_SIBLING}|{GROUPS}|{A_RELATIVE}|roommates?|flatmates?)"
SPECIES: Final = (
    r"(?:dogs?|cats?|pupp(?:y|ies)|pups?|kitt(?:y|ies)|kittens?|rabbits?|hamsters?|parrots?|birds?"
    r"|fish|goldfish|horses?"
    r"|tortoises?|turtles?|snakes?|lizards?|guinea pigs?|ferrets?|pets?|chickens?|goats?|bees)"
)
PET: Final = (
    rf"(?:{SPECIES}|\w*(?:retriever|terrier|poodle|labrador|beagle|shepherd|collie|corgi|dachshund|husky|bulldog)s?)"
)
PROPERTY: Final = (
    r"(?:cars?|bikes?|bicycles?|motorcycles?|motorbikes?|scooters?|vans?|trucks?|boats?|houses?"
    r"|apartments?|flats?|condos?|cabins?|cottages?|farms?|gardens?|garages?|laptops?|macbooks?"
    r"|thinkpads?|desktops?|pcs?|iphones?|androids?|phones?|tablets?|ipads?|kindles?|cameras?|pianos?"
    r"|guitars?|violins?|drones?|3d printers?|telescopes?|restaurants?|caf[eé]s?|bakery|shops?|stores?"
    r"|company|companies|business(?:es)?|startups?|agency|blogs?|podcasts?|channels?|tesla|toyota"
    r"|honda|ford|bmw|volvo|vw|subaru|driver'?s licen[cs]e|passports?|visas?|tattoos?|piercings?"
    r"|(?:gym )?memberships?|subscriptions?)"
)
HEALTH: Final = (
    r"(?:allerg\w+|intoleran\w+|asthma|diabetes|adhd|autism|dyslexia|epilepsy|migraines?|arthritis"
    r"|celiac(?: disease)?|coeliac(?: disease)?|hypertension|high blood pressure|low blood pressure"
    r"|insomnia|anxiety|depression|eczema|psoriasis|ibs|crohn'?s(?: disease)?|scoliosis|tinnitus"
    r"|anemia|anaemia|a bad (?:back|knee|hip|shoulder)|bad (?:knees|eyesight|back)|a pacemaker"
    r"|a heart condition|type [12] diabetes|color blindness|colour blindness|a disability"
    r"|hearing aids?|an? \w+ (?:allergy|intolerance|disorder|disease|condition|syndrome|deficiency)"
    r"|a phobia|dietary restrictions?|hay fever|vertigo|claustrophobia|parkinson'?s(?: disease)?"
    r"|alzheimer'?s(?: disease)?|dementia|multiple sclerosis"
    r"|lupus|endometriosis|down'?s syndrome|copd|cerebral palsy|cystic fibrosis|osteoporosis|sleep apno?ea)"
)
STUDY: Final = (
    r"(?:(?:a |an |my )?(?:\w+'?s? )?(?:degree|phd|ph\.d\.?|doctorate|mba|master'?s|bachelor'?s|ba|bsc"
    r"|msc|diploma|certificate|certification|background|years? of experience|decade of experience"
    r"|experience (?:with|in)|driver))"
)
COURSE: Final = (
    r"(?:masters?|master's|phd|doctorate|degree|m\.?sc|b\.?sc|ba|ma|mba|pgce|diploma|apprenticeship|a-levels|gcses|nvq"
    r"|btec)\b(?! (?:assignments?|homework|essays?|coursework|applications?|revision|work|of|right|justice)\b)"
)
DIET: Final = (
    r"(?:vegetarian|vegan|pescatarian|flexitarian|lactose[- ]intolerant|gluten[- ](?:free|intolerant)"
    r"|c(?:o)?eliac|kosher|halal|keto|teetotal|sober|diabetic|asthmatic|epileptic|anemic|allergic"
    r"|left[- ]handed|right[- ]handed|ambidextrous|colou?r[- ]?blind|deaf|blind|hard of hearing"
    r"|near-?sighted|short-?sighted|far-?sighted|dyslexic|autistic|neurodivergent|disabled|paraplegic"
    r"|pregnant)"
)
STATUS: Final = (
    r"(?:married|single|divorced|widowed|engaged|separated|retired|unemployed|self-employed"
    r"|freelanc\w+|bilingual|trilingual|multilingual|tenured|colou?r-blind|an only child|the (?:eldest"
    r"|oldest|youngest)|remote|fully remote|muslim|jewish|christian|catholic|protestant|hindu|buddhist"
    r"|sikh|atheist|agnostic|orthodox|mormon|gay|lesbian|bisexual|trans(?:gender)?|non-?binary"
    r"|straight|adopted|colorblind)"
)
NATIONALITY: Final = (
    rf"(?-i:{LONG_CAPITALIZED}(?:an|ish|ese|ch|eek|elsh|utch|wiss|ai|aqi|ani|raeli|ench|hai|zech|ane|ole|urk|inn"
    r"|wede))"
)
HEAD: Final = (
    r"(?:cto|ceo|cfo|coo|vp|head|lead|manager|director|owner|founder|co-?founder|engineer|developer"
    r"|designer|architect|maintainer|chair|president|principal|captain|\w+ (?:lead|manager|engineer"
    r"|developer|designer|owner|director|architect|editor|officer|maintainer|analyst|administrator"
    r"|admin))"
)

OCCUPATION: Final = (
    r"(?:accountant|analyst|architect|artist|attorney|baker|barber|barista|biologist|bookkeeper|carpenter|ceo|chef"
    r"|chemist|coach|consultant|cook|copywriter|cto|data scientist|dentist|designer|dev|developer|director|doctor"
    r"|economist|editor|electrician|engineer|entrepreneur|farmer|firefighter|florist|founder|freelancer|gardener"
    r"|hairdresser|historian|illustrator|intern|journalist|lawyer|lecturer|librarian|manager|mechanic|midwife"
    r"|musician"
    r"|nurse|paralegal|paramedic|pharmacist|photographer|physicist|physiotherapist|pilot|plumber|postdoc|producer"
    r"|professor|programmer|psychologist|realtor|researcher|salesperson|scientist|secretary|sysadmin|student|surgeon"
    r"|surveyor|tailor|teacher|technician|therapist|translator|tutor|veterinarian|vet|waiter|waitress|writer)"
)

COLLEAGUE: Final = (
    rf"(?:{OCCUPATION}|manager|mentor|supervisor|advis[eo]r|assistant|owner|co-?founder|lead|officer|contact|partner"
    r"|agent|master|reviewer|maintainer)"
)

NOT_LASTING: Final = (
    r"(?:bit|little|lot|mess|few|tad|while|idiot|fool|failure|dead|wreck|problem|loss|step|hurry|fan"
    r"|lover|believer|person|stranger|burden|pro at|total|hot|meeting|call|minute|moment|rush|pickle"
    r"|bind|big|huge|good|bad|terrible|horrible|better|worse|sucker)"
)
HABIT: Final = (
    r"(?:play|collect|practi[cs]e|teach|coach|volunteer|commute|cycle|bike|run|jog|swim|paint|draw"
    r"|sing|cook|bake|garden|knit|hike|climb|surf|ski|dance|meditate|fish|camp|travel|wake up|get up"
    r"|go to (?:bed|the gym|church|school|yoga|therapy|university|college|sleep)|wear|weigh|take|drink"
    r"|eat|smoke|sleep|read|write|blog|train|lift|exercise|work out|manage|lead|run|maintain|mentor"
    r"|supervise|teach|study|speak|code|program|develop|build|design|drive|ride|fly|own|rent|vape|fast"
    r"|box|row|sail|invest|freelance|host|shop|pray|observe|celebrate|keep|raise|breed|grow|walk"
    r"|attend|follow|listen to|watch|listen|subscribe|deploy|ship|test|report to|share|support"
    r"|specialize in|specialise in|contribute|moderate|co-?own|co-?founded|founded|started)"
)

NO_NAME: Final = (
    rf"(?:{CAPITAL}[a-z]*(?:istic|etic|ptic|lexic|phobic|ous|ful|less|sexual|gender|theist)|(?:Pregnant|Celiac|Coeliac|Bi|Gay|Queer"
    r"|Trans|Straight|Asexual|Nonbinary|Non-binary|Deaf|Blind|Anaemic|Anemic|Asthmatic|Insomniac|Vegan|Vegetarian"
    r"|Pescatarian|Single|Married|Divorced|Widowed|Engaged|Separated|Retired|Unemployed|Employed|Gemini|Leo|Virgo|Libra"
    r"|Scorpio|Sagittarius|Capricorn|Aquarius|Pisces|Aries|Taurus|Fine|Sorry|Back|Home|Here|There|Happy|Sad|Tired|Ready|Done"
    r"|Good|Great|Awesome|Amazing|Okay|Sure|Serious|Allergic|Born|Busy|Hungry|Thirsty|Lost|New|Bored|Sick|Ill|Well|Excited"
    r"|Afraid|Scared|Curious|Confused|Late|Early|Old|Young|Tall|Short|Rich|Poor|Free|Alone|Lonely|Stuck|Stressed|Depressed"
    r"|Anxious|Wrong|Right|Just|Now|Still|Also|Really|Very|Too|Always|Never|Only|Going|Trying|Looking|Working|Living|Using"
    r"|Fun|Nice|Bad|Terrible|Horrible|Perfect|Interesting|Important|Urgent|Ridiculous|Nonsense|True|False|Easy|Hard"
    r"|White|Black|Latino|Latina|Hispanic|Asian|African|European|Sunni|Shia|Mormon|Protestant|Orthodox|Atheist|Agnostic))\b"
)
"""In capitals, what follows "I'm" and "this is" and names nobody."""

ATTRIBUTES: Final = (
    ("name", r"(?:full |first |real |given |legal )?name"),
    ("middle_name", r"middle name"),
    ("surname", r"surname|(?:last|family) name"),
    ("nickname", r"nick ?name"),
    ("birthday", r"birthday|birth date|birthdate|date of birth|dob"),
    ("age", r"age"),
    ("email", r"(?:work |personal |primary |private |business |new )?e-?mail(?: address)?"),
    ("phone", r"(?:work |mobile |cell |home |new )?(?:phone|telephone|mobile|cell)(?: number)?|number"),
    (
        "address",
        r"(?:postal |shipping |delivery |billing |mailing |office )address|zip code|postcode|postal code",
    ),
    ("timezone", r"time ?zone|local time ?zone"),
    (
        "lives_in",
        (
            r"(?:new |current )?(?:home |street )?address|home ?town now|current city|city of residence|home is in"
            r"|home base"
        ),
    ),
    ("works_at", r"employer|company|workplace|new (?:employer|company)"),
    ("works_as", r"job|job title|role|(?:current |new )?(?:job|position|title|role|occupation|profession)|day job"),
    ("native_language", r"native language|mother tongue|first language|native tongue"),
    ("nationality", r"nationality|citizenship"),
    ("blood_type", r"blood type|blood group"),
    ("pronouns", r"pronouns"),
)
OTHER_ATTRIBUTES: Final = (
    r"height|weight|shoe size|(?:t-?)?shirt size|clothing size|dress size|jacket size|ring size|salary"
    r"|budget|(?:monthly |annual )?income|religion|faith|hometown|birthplace|major|minor|university"
    r"|college|school|alma mater|degree|field|industry|department|team name|hobb(?:y|ies)|interests?"
    r"|star sign|zodiac sign|diet|allerg(?:y|ies)"
    r"|(?:github|gitlab|twitter|instagram|slack|discord|linkedin|steam)(?: handle| username| account"
    r"| id| name)?|user ?name|handle|login name|(?:customer|account|employee|order|invoice"
    r"|member(?:ship)?|student|patient|policy|case|ticket|reference|loyalty|frequent[- ]flyer|passport"
    r"|reservation|booking|contract|transaction|license|licence|tax)[\w -]{0,12}?(?:number|no|id|code)"
    r"|website|blog|portfolio|domain|company name|start date|commute|schedule|working hours|work hours"
    r"|office hours|office|desk|doctor|dentist|therapist|lawyer|accountant|landlord|emergency contact"
    r"|anniversary|wedding anniversary|bedtime|lunch break|team size|internet speed|locale|currency"
    r"|keyboard layout|dominant hand"
)
THINGS: Final = (
    r"(?:(?:main|primary|current|new|old|work|personal|home|daily|company|team|tech|production|prod"
    r"|staging|dev|development|default|favou?rite|front-?end|back-?end|backup|build|test|mobile|web"
    r"|data|issue|project|internal) ){0,4}(?:car|bike|laptop|computer|machine|phone|tablet|camera|os"
    r"|operating system|editor|ide|shell|terminal|browser|keyboard|monitor|stack|database|db|backend"
    r"|frontend|framework|language|ci|ci/cd|pipeline|cloud|cloud provider|cluster|server|servers|repo"
    r"|repository|monorepo|codebase|api|app|website|site|product|project|startup|company|team|sprint"
    r"|sprints|stand-?up|standups|retro|fiscal year|release cycle|office|headquarters|hq|tracker|wiki"
    r"|orm|queue|cache|message broker|bank|insurance|insurer|provider|gym|distro|build|builds|linter"
    r"|releases?|docs|domain|shop|environment"
    r"|deployment|infrastructure|infra|tests|services|microservices|data warehouse|warehouse|customers"
    r"|users|clients|headcount)"
)

STATING_ADVERB: Final = (
    r"(?:(?:also|currently|now|still|originally|actually|mostly|usually|always|never|generally|just"
    r"|recently|already|only|primarily|mainly|regularly|often|sometimes|both|all|normally|typically"
    r"|rarely|seldom|simply|super|even|truly|pretty|quite|very|rather|really|too|so|completely|totally|(?!(?:rely|fly"
    r"|reply|apply|supply|comply|family|only) )\w+ly) ){0,4}+"
)
"""Taken whole or not at all (`*+`): what a rule denies after it must not be reached by giving an adverb back."""

QUIT_IT: Final = r"quit(?= (?!(?:now|please|pls|it|this|that|for)\b)\w)"
"""What the speaker did, who leaves themselves out; without more, "quit" is an order."""

PERIOD: Final = r"\b(?:a|per|each|every|this|next) (?:day|week|month|year|quarter|night|morning|evening|\w+day)\b"

OCCASION: Final = (
    r"^(?:once (?!.*\b(?:always|never)\b)|as soon as |(?:after|before) the [\w-]+(?: [\w-]+)?,"
    r"|(?:when|if|after) you(?:'ve| have|'re| are| get| find)(?: got| found| finished| done)?"
    r" (?:the|it|them|done|finished|ready|time|everything)\b|(?:when|if) the [^,]*? (?:is|are|looks?) "
    r"(?:done|ready|green|finished|complete|available|up|back|fine|ok|okay|good)\b)"
)
"""What comes once: an order for then is one of the moment, as in "once the tests pass, deploy the service"."""
