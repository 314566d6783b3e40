"""Words by which people say that something is not as it was, by what they say of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.number_words import ONE_OR_MORE

CHANGE_WORDS: Final[Mapping[str, re.Pattern[str]]] = {
    "denies": lazy_pattern(
        r"\b(?:no longer|any ?more|never again|not|never|none|nothing|nobody|without|no|neither"
        r"|(?:can|do|does|did|is|was|are|were|have|has|had|wo|would|should|could)n't)\b",
        re.IGNORECASE,
    ),
    "over": lazy_pattern(
        r"\b(?:no longer|any ?more|never again|quit|stop(?:ped|s)?|g[ai]ve (?:it |them |this )?(?:up|away)|given up"
        r"|giv(?:es|ing) up|drop(?:ped|s)?|cancel\w*|off|over|through with|done with|end(?:ed|s)?|gone|out of|broken?"
        r"|split|fell|(?:got|get|gets) rid|thr[eo]wn?|sold|lost|left|died|dead|passed away|retire[ds]?|resign\w*"
        r"|laid off|let go|fired|divorc\w*|delet\w*|remov\w*|unsubscrib\w*|closed|shut|shaved|wiped|scrap\w*|ditch\w*"
        r"|dump\w*|abandon\w*|expired|outgr[eo]wn?|totall?ed|returned|donated|traded)\b",
        re.IGNORECASE,
    ),
    "changed": lazy_pattern(
        r"\b(?:switch\w*|swap\w*|mov(?:ed?|es|ing)|chang(?:ed?|es|ing)|instead|replac\w*|transferr?\w*|convert\w*"
        r"|migrat\w*|upgrad\w*|downgrad\w*|renam\w*|rebook\w*|re-?sched\w*|postpon\w*|push(?:ed|es)|pulled|brought"
        r"|bump\w*|shift\w*|became|becom\w*|turned|went (?:from|back|up|down)|tak\w+ over|took over|rais\w+|lower\w+"
        r"|cut|increas\w*|reduc\w*|down to|up to|grew|dropped to|rose)\b",
        re.IGNORECASE,
    ),
    "now": lazy_pattern(
        r"\b(?:now|nowadays|these days|currently|as of|from now on|since|lately|finally|officially|recently|already"
        r"|starting|again|back|at last)\b",
        re.IGNORECASE,
    ),
    "lately": lazy_pattern(
        r"\b(?:today|yesterday|tonight|just|last (?:night|week|month|weekend|year|\w+day)"
        r"|this (?:week|month|morning|weekend|year))\b",
        re.IGNORECASE,
    ),
    "corrects": lazy_pattern(
        r"\b(?:actually|meant|mistak\w*|wrong|turn(?:s|ed) out|after all|in fact|correction|misspoke|mix\w* up"
        r"|scratch that|never mind|sorry|not true)\b",
        re.IGNORECASE,
    ),
    "achieved": lazy_pattern(
        r"\b(?:finish\w*|complet\w*|graduat\w*|passed|got|picked up|made it|paid|won|reached|hit|bought|accept\w*"
        r"|promot\w*|came (?:home|back)|fixed|repaired|married|engaged|born|open(?:ed|s)|launch\w*|shipped|publish\w*"
        r"|found|signed|hired|adopted|elected|joined|started|began|begun|learned|healed|recover\w*|cured)\b",
        re.IGNORECASE,
    ),
    "all": lazy_pattern(
        r"\b(?:only|all|every|everything|always|full[- ]time|for good|whole|entirely|completely|exclusively)\b",
        re.IGNORECASE,
    ),
}
"""By what they say: that something is denied, is over, was changed, holds now, happened lately, was wrong, was reached,
or holds of all."""

_TO_END: Final = (
    r"(?:quit|stop|give up|switch|sell|leave|cancel|move|change|drop|get rid|replace|upgrade|trade|swap|break up|resign"
    r"|retire)"
)
_ENDING: Final = (
    r"(?:quitting|stopping|giving up|switching|selling|leaving|cancelling|canceling|moving|changing|dropping|replacing"
    r"|upgrading|trading|swapping|breaking up|resigning|retiring)"
)
_ENDED: Final = (
    r"(?:quit|stopped|gave up|switched|sold|left|cancell?ed|moved|changed|dropped|got rid|replaced|upgraded|traded"
    r"|swapped|broke up|resigned|retired|did)"
)
NOT_DONE: Final = lazy_pattern(
    rf"\b(?:(?:almost|nearly) {_ENDED}|(?:want|wants|wanted|like|hope|hopes|try|trying|tried|tempted|told me|tells me"
    rf"|wants me|asked me|considered|might|may|(?:I|we) (?:should|could|need)) (?:to )?{_TO_END}"
    rf"|(?:thinking|thought|dreaming|talking|talked) (?:about|of) {_ENDING}|considering {_ENDING}"
    rf"|(?:quit|stopped|gave up) .{{1,40}} for (?:(?:an?|{ONE_OR_MORE}|\d+|this|a few|a couple of) )?(?:days?"
    r"|weeks?|months?|while|lent))\b",
    re.IGNORECASE,
)
"""What says of a change that it never came, or passed: somebody wants it, tried it, or did it for a while."""
