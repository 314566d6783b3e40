"""Given names as they are typed in haste: "im kate". Short and closed: what is a word as well is none of them."""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern

GIVEN_NAMES: Final = frozenset(
    """
    aaron abby abdul abigail adam adrian ahmed aisha alan alejandro alex alexander alexandra alexis alfred ali alice
    alicia alison allison amanda amelia amina amy ana andre andrea andreas andrew andy angela anita ann anna anne
    annie anthony antonio aoife arjun arthur ashley barbara beatrice becky ben benjamin beth betty bianca bob bobby
    brandon brenda brendan brian bruno caitlin carla carlos carmen caroline catherine cathy charlie charlotte chiara
    chloe chris christian christina christine christopher claire clara clare colin connor craig cristina cynthia dan
    daniel daniela danny dave david debbie deborah denise dennis deshawn diana diego dmitri dominic donald donna
    doug douglas dylan ed eddie edward elaine elena eleanor elizabeth ella ellen elliot emily emma eric erica erik
    erin ethan eva evelyn fatima felix fernando fiona francesca francesco francisco frederick gabriel gabriela
    gareth gary gavin geoff george georgia gerald giulia giulio giovanni greg gregory hannah hans harry hassan helen
    helena henry hugo ian ibrahim ingrid irene isaac isabel isabella ivan jacob jake james jamie jan jane janet
    jason javier jeff jennifer jenny jeremy jess jessica jim jimmy joan joanna joe joel john johnny jon jonas
    jonathan jorge jose joseph josh joshua juan judith julian julie juliet justin karen karl kate katherine kathleen
    kathryn katie keith kelly ken kenneth kevin kim kumar kyle lars laura lauren laurence leah lena leon leonie liam
    linda linh lisa lorenzo louis louise lucas lucia lucy luis luke maggie marco marcus margaret maria marie mario
    marta martha martin martina mary matt matteo matthew maya meg megan melanie melissa mia michael michelle miguel mike
    mikhail minh miriam mohamed mohammed molly monica muhammad nadia natalia natalie natasha nathan nancy neil niamh
    nicholas nick nicola nicole nigel nina noah nora oliver olivia omar oscar owen pablo pamela patricia patrick
    paul paula pedro peggy peter phil philip pierre priya rachel rafael raj rania ravi raymond rebecca ricardo richard
    rita robert roberto robin roger ronald rosa rosie ross roy ruth ryan sally sam samantha samir samuel sandra
    sanjay sara sarah scott sean sebastian sergio shannon sharon simon siobhan sofia sonia sophia sophie stefan
    stephanie stephen steve steven stuart sue susan suzanne sven tania tanya tara theresa thomas tim timothy tina
    tom tommy tony tracy valentina vanessa vera vicky victor vincent walter wendy william yasmin yuki yusuf zoe
    """.split()
)
ASSISTANTS: Final = frozenset("claude chatgpt gpt gemini copilot siri alexa assistant bot".split())
"""What the one who is spoken to may be called."""

_PLACES_TOO: Final = frozenset({"charlotte", "georgia", "helena"})
_WORDS_TOO: Final = frozenset(
    """
    bill chase cliff daisy dale dawn dean don drew faith glen grace heather holly iris ivy jack jay joy june lance lily
    mark max miles pat penny ray rob rose ruby will
    """.split()
)
"""Names that are words as well, but none that says anything of oneself: "I'm will" is whole, and can only name."""

_ONESELF: Final = lazy_pattern(r"(?:I'm|I am|my name's|my name is|the name's) $", re.IGNORECASE)
_SAID: Final = lazy_pattern(
    r"(?P<lead>(?:I'm|I am|it's|this is|my name's|my name is|the name's"
    r"|(?:my|our) (?:[\w-]+ ){0,2}[\w-]+(?:'s name)? is(?: called| named)?"
    r"|(?:(?:please|pls|just|now) ){0,2}(?:(?:don't|do not|never) )?call me) )(?P<name>[a-z]{2,})"
    r"(?=$|,| (?:please|pls|instead|ok|from now on|any ?more)$"
    r"| and (?:I'm|I am|I|my)\b| from\b| here$| by the way$| btw$| but (?:everyone|everybody|people) calls?\b)",
    re.IGNORECASE,
)


def with_capital(text: str) -> str:
    """Return a clause with a capital where somebody introduces themselves by a name in lower case.

    Example:
        >>> with_capital("I'm kate, 34"), with_capital("I'm will"), with_capital("I'm frank")
        ("I'm Kate, 34", "I'm Will", "I'm frank")
    """
    found = _SAID.match(text)
    if found is None:
        return text
    is_word = found["name"] in _WORDS_TOO and _ONESELF.fullmatch(found["lead"]) is not None
    if not is_word and found["name"] not in GIVEN_NAMES:
        return text
    return f"{found['lead']}{found['name'].capitalize()}{text[found.end() :]}"


def is_spoken_to(name: str, *, beside: str, of_somebody: bool = False) -> bool:
    """Whether a name behind "sorry" is of whoever is spoken to, and not what is right in the place of another.

    Args:
        name: It.
        beside: The name that it would take the place of: where that is a person's, a person may be right.
        of_somebody: The other is told to be somebody's, or an animal's: "my dog is called Rex".

    Example:
        >>> is_spoken_to("Claude", beside="Leeds"), is_spoken_to("York", beside="Leeds")
        (True, False)
        >>> is_spoken_to("Kate", beside="Leeds"), is_spoken_to("Kate", beside="Anna")
        (True, False)
    """
    word, persons = name.casefold(), GIVEN_NAMES | _WORDS_TOO
    is_person = word in persons and word not in _PLACES_TOO and beside.casefold() not in persons
    return (is_person and not of_somebody) or word in ASSISTANTS
