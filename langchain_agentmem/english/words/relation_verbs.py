"""The words by which a relation is told, as patterns: a closed list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from langchain_agentmem.english.words.kin_words import PARTNERS, SAME_KIN
from langchain_agentmem.english.words.people_words import SAME_PEOPLE

_SAME: Final = "\n".join((*SAME_KIN, *SAME_PEOPLE)).replace("-", "_")
RELATION_NAMES: Final[Mapping[str, str]] = {
    name: line.split()[0]
    for line in f"""
    lives_in live_in residence home city located_in based_in moved_to
    works_at works_for work_at employed_by employer
    works_as job occupation profession
    name called named is_called
    partner married_to {" ".join(PARTNERS)}
    {_SAME}
    favourite favorite
    prefers_for prefer_for
    uses_for use_for
    likes like loves love
    prefers prefer
    uses use
    marital_status marital civil_status relationship_status
    birthday born_on
    birthplace born_in
    allergic_to allergy allergic
    preferred go-to usual
    deadline due
    email e-mail
    """.strip().splitlines()
    for name in line.split()
}
"""The one name under which a relation is judged, by every other that it goes by."""

VERBS: Final[Mapping[str, str]] = {
    "lives_in": (
        r"(?:lives?|resides?|(?:is|am) (?:living|based|located)|(?:has |have )?(?:moved|relocated))(?: back)?"
        r"(?: from [^,]+?)? (?:in|to|near|at)"
    ),
    "works_at": r"(?:works? (?:at|for)|(?:has |have )?joined|(?:is|am) employed (?:by|at))",
    "works_as": r"works? as",
    "works_with": r"(?:works? (?:together )?with|collaborates? with)",
    "birthplace": r"(?:was|were|is) born in",
    "origin": r"(?:comes?|is|am) from",
    "studies_at": r"(?:stud(?:y|ies) at|(?:is|am) a student (?:at|of))",
    "graduated_from": r"graduated from",
    "teaches_at": r"teach(?:es)? at",
    "partner": r"(?:(?:is|am) (?:married|engaged) to|married)",
    "manages": r"(?:manages?|leads?|supervises?|heads?|mentors?)",
    "reports_to": r"reports? to",
    "knows": r"(?:knows?|(?:is|am) (?:good |best |close )?friends with)",
    "met": r"(?:has |have )?met",
    "founded": r"(?:co-?)?founded",
    "created": r"(?:created|built|wrote|designed|developed|painted|composed)",
    "owns": r"(?:owns?|bought|adopted)",
    "maintains": r"maintains?",
    "uses": r"(?:uses?|runs? on|(?:is|am) using|(?:is|are) (?:written|built|hosted) (?:in|on|with))",
    "depends_on": r"(?:depends? on|relies on|rely on|requires?)",
    "part_of": r"(?:(?:is|are) (?:a )?(?:part|members?) of|belongs? to)",
    "located_in": r"lies in",
    "visited": r"(?:has |have )?(?:visited|travell?ed to|went to)",
    "speaks": r"speaks?",
    "drives": r"drives?",
    "allergic_to": r"(?:is|am) allergic to",
    "prefers": r"prefers?",
    "likes": r"(?:likes?|loves?|enjoys?|(?:is|am) fond of)",
    "plays": r"plays?",
    "supports": r"supports?",
    "attends": r"attends?",
}
