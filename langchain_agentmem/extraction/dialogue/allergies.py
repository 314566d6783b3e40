"""An allergy that is told as another one: "I was wrong about the nut allergy, it's shellfish".

Of "the" allergy nobody can tell whose it is, but where the user's own was spoken of just before, and nobody else's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.extraction.dialogue.heard import Heard
from langchain_agentmem.extraction.sentences.clauses import Clause

_TO: Final = (
    r"(?:(?:tree )?nuts?|peanuts?|almonds?|cashews?|hazelnuts?|walnuts?|pistachios?|shellfish|seafood|fish|prawns?"
    r"|shrimps?|crabs?|lobster|mussels|oysters|squid|eggs?|milk|dairy|lactose|gluten|wheat|soya?|soybeans?|sesame|mustard"
    r"|celery|lupins?|corn|kiwis?|strawberr(?:y|ies)|tomato(?:es)?|citrus|mushrooms?|garlic|sulphites|sulfites|pollen|grass"
    r"|dust|dust mites?|mould|mold|cats?|dogs?|horses?|feathers|latex|nickel|penicillin|amoxicillin|ibuprofen|aspirin"
    r"|codeine|(?:bee|wasp) stings?)"
)
"""What people are allergic to: "it's fine" names nothing of it."""

_PUT_RIGHT: Final = lazy_pattern(
    rf"(?:I was (?:wrong|mistaken) about (?:(?P<whose>the|that)|my|having an?) (?P<wrong>{_TO}) allergy"
    rf"|(?:I'm|I am) not allergic to (?P<not>{_TO})|I (?:don't|do not) have an? (?P<none>{_TO}) allergy)"
    r"(?: after all)?(?:[,;.:]| -+| but)+ (?:but |actually,? )?(?:it's|it is|it was|to)"
    rf" (?:actually |really |rather )?(?:an? )?(?P<right>{_TO})(?: allergy)?(?: (?:that )?I'm allergic to)?[.! ]*",
    re.IGNORECASE,
)
_OWN: Final = lazy_pattern(r"I(?:'m|'ve)?\b|my allergy\b", re.IGNORECASE)
_BEHIND: Final = 80
"""Characters before a clause in which what it puts right may stand."""


def of_another_allergy(clause: Clause, heard: Sequence[Heard] = ()) -> Clause:
    """Return a clause that puts an allergy right as one that names both, the right one first.

    Args:
        clause: As it was said.
        heard: What was said so far, of which the user may speak.

    Example:
        >>> of_another_allergy(Clause(text="I was wrong about my nut allergy, it's shellfish", evidence="")).text
        "I'm allergic to shellfish, not nut"
    """
    if clause.speaker != "user" or clause.is_ironic or not clause.text:
        return clause
    behind = clause.since.partition(clause.text)[0]
    for text in (clause.text, f"{behind[-_BEHIND:]}{clause.text}", clause.since[: 2 * _BEHIND]):
        found = _PUT_RIGHT.fullmatch(text.strip())
        if found is not None and (not found["whose"] or _is_own(found["wrong"], heard)):
            wrong = found["wrong"] or found["not"] or found["none"]
            said = f"I'm allergic to {found['right']}, not {wrong}"
            evidence = clause.evidence if text == clause.text else clause.since
            return replace(clause, text=said, evidence=evidence, is_correction=True)
    return clause


def _is_own(what: str, heard: Sequence[Heard]) -> bool:
    """Whether the allergy that was spoken of is the user's own."""
    named = re.compile(rf"\b{re.escape(what.rstrip('s'))}", re.IGNORECASE)
    told = [it.clause.text for each in heard if each.passage.speaker == "user" for it in each.said]
    told = [it for it in told if "allerg" in it.casefold() and named.search(it)]
    return bool(told) and all(map(_OWN.match, told))
