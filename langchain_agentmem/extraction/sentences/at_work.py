"""Whether a "we" is at work: it sells, ships or releases something, or speaks of customers, code and budgets."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.people.home_moves import speaks_of_firm
from langchain_agentmem.english.reading.choices import is_known
from langchain_agentmem.english.words.calendar_words import MONTHS, WEEKDAYS
from langchain_agentmem.english.words.kin_words import A_RELATIVE, RELATIVES
from langchain_agentmem.english.words.patterns import CAPITAL

_OFTEN: Final = r"(?:(?:also|now|mostly|mainly|only|always|usually|still|currently|both|no longer|don't|do not) ){0,2}"
_ONES_OWN: Final = (
    rf"(?:our|the|my) (?:[\w-]+ )?(?:{A_RELATIVE}|{RELATIVES}|neighbou?rs?|friends?|mates|famil(?:y|ies)"
    r"|guests?|church)\b"
)
"""For whom one does something, and lives by nothing."""

_TRADE: Final = lazy_pattern(
    rf"\bwe {_OFTEN}(?:(?:sell|manufacture|supply|stock|export|publish|distribute|market|rent out|cater for"
    rf"|speciali[sz]e in|(?:design|produce|import|offer|provide|repair)(?!.{{0,60}} (?:for|to|with) {_ONES_OWN}))"
    r"(?! (?:our|the|my|it|that|this|them|at|for|up)\b) [\w]"
    r"|(?:run|operate) (?:an?|two|three) (?!household|marathon|half|race|bath|mile|\d))",
    re.IGNORECASE,
)
"""What somebody lives by, whoever buys it: "we sell baby clothes", "we run a home for dogs"."""

_DAY: Final = "|".join((*MONTHS, *(f"{it}s?" for it in WEEKDAYS)))
_WORK: Final = lazy_pattern(
    r"\b(?:conferences?|off-?sites?|summits?|meet-?ups?|trade (?:show|fair)|workshops?|clients?|customers?|investors?"
    r"|for work|at work|kick-?offs?|sprints?|hackathons?|pitch|deploy\w*|releas(?:e|es|ed|ing)|ship(?:s|ped|ping)?"
    r"|merg\w+|refactor\w*|migrat\w+|rewr(?:ite|ote|itten|iting)|stand-?ups?|retros?|code|codebase|coding|spaces"
    r"|repo(?:s|sitory|sitories)?|mono-?(?:lith|repo)|(?:micro-?)?services?|databases?|schemas?|api|apis|endpoints?"
    r"|servers?|clusters?|back-?end|front-?end|staging|production|prod|pipelines?|ci|cd|builds?|tests|bugs?|incidents?"
    r"|on-?call|outages?|uptime|latency|metrics|alerts?|dashboards?|backups?|features?|branch(?:es)?|pull requests?|prs"
    r"|reviews?|backlog|roadmap|scrum|kanban|agile|trunk|projects?|products?|prototypes?|specs?|users|tenants|deadlines?"
    r"|milestones?|budgets?|revenue|turnover|mrr|arr|sales|marketing|stakeholders?|vendors?|suppliers?|invoic\w+|vat"
    r"|payroll|headcount|hir(?:e|es|ed|ing)|recruit\w*|fir(?:e|ed|ing)|interns?|staff|employees?|workforce|manager|ceo"
    r"|cto|cfo|quarter(?:s|ly)?|okrs?|kpis?|newsletter|website|apps?|software|frameworks?|librar(?:y|ies)|datasets?"
    r"|(?:our|in the) (?:shop|store|warehouse|factory|showroom|salon|clinic|practice)|linters?|formatters?|closed"
    r"|opening hours|helpdesk|patients?|pupils?|audits?|compliance|gdpr|soc ?2|type ?script|decision|sold out of)\b"
    rf"|\bmoved (?:from [\w ]{{1,30}}? )?to (?-i:{CAPITAL}[a-z]+{CAPITAL})"
    r"|\bwe(?:'re|'ve| are| have)? (?:[\w']+ ){0,2}?(?:us(?:e|ed|ing)|run(?:ning)?|host(?:ed|ing)?|switch(?:ed|ing)?|on"
    r"|replac(?:e|ed|ing)|dropp?(?:ed|ing)?|adopt(?:ed|ing)|chose|choose|moved off|standardi[sz]ed on|got rid)"
    rf" (?!in |the )(?:[\w-]+ ){{0,3}}?(?!(?:{_DAY})\b){CAPITAL}",
    re.IGNORECASE,
)
"""Words of work, and a thing by its name that one uses for it."""

_NAME: Final = lazy_pattern(rf"(?<=\s){CAPITAL}[\w+#]*")


def is_trade(text: str) -> bool:
    """Whether a "we" of a text makes or sells something for others, whatever it is.

    Example:
        >>> is_trade("we sell baby clothes"), is_trade("we sell the house")
        (True, False)
    """
    return _TRADE.search(text) is not None


def is_of_work(text: str) -> bool:
    """Whether a text speaks of what people work at, by its words or by the name of a tool.

    Example:
        >>> is_of_work("we deploy on Fridays"), is_of_work("we eat late on Fridays")
        (True, False)
    """
    if _WORK.search(text) or speaks_of_firm(text):
        return True
    return any(is_known(it[0]) for it in _NAME.finditer(text))
