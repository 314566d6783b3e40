"""Words that judge somebody, and tell nothing of them that a memory would hold: "she is awful", "he's a jerk"."""

from __future__ import annotations

from typing import Final

_NOUNS: Final = (
    "jerk|idiot|moron|fool|liar|loser|bully|creep|ass|asshole|arsehole|dick|dickhead|prick|bastard|bitch|cow|pig|snake"
    "|rat|monster|nightmare|clown|psycho|psychopath|sociopath|narcissist|cheat|cheater|traitor|hypocrite|coward|twat"
    "|disgrace|wanker|bellend|scumbag|dirtbag|douche|douchebag|control freak|drama queen|snob|gossip|brat|pest|burden"
    "|pain|joke|mess|disaster|piece of (?:work|shit|crap)|waste of (?:time|space)"
)
_ADJECTIVES: Final = (
    "awful|terrible|horrible|horrid|dreadful|mean|cruel|nasty|rude|selfish|toxic|abusive|annoying|irritating|useless"
    "|stupid|dumb|crazy|insane|evil|vile|fake|pathetic|ridiculous|boring|weird|creepy|impossible|unbearable|insufferable"
    "|disgusting|hateful|spiteful|arrogant|manipulative|controlling|narcissistic|two-faced|dishonest|unfair|unkind"
    "|obnoxious|ungrateful|childish|immature|untrustworthy|unreliable|hopeless|lousy|crap|shit|trash|garbage|rubbish"
    "|no good|the worst"
)
_MUCH: Final = "(?:(?:just|really|so|such|very|too|always|still|honestly|actually|pretty|absolutely|totally|simply) )*"
_SUCH: Final = "(?:(?:total|complete|real|absolute|fucking|bloody|utter|massive|huge|proper|big|stupid|little|lying) )*"
_BEHIND: Final = "(?=$|[.,;!?)]| (?:to|with|about|and|at|anyway|lol|tbh|honestly|sometimes|lately)\\b)"

JUDGEMENT: Final = rf"{_MUCH}(?:an? {_SUCH}(?:{_NOUNS})|{_NOUNS.replace('|', 's|')}s|{_ADJECTIVES}){_BEHIND}"
"""Stands behind "is", and before nothing that it would belong to: "a pain specialist" is something to be."""
