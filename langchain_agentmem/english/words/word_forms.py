"""Forms of a word that no stemmer brings together: "what did Ana buy?" is answered by "I bought a bike".

English: irregular forms, what is short or familiar for a word, and the spellings of both sides of the Atlantic. A form
that usually is another word ("left", "bit", "rose", "lay") stands for itself alone, and so do verbs that go with
anything ("go", "get", "make", "take"): in any form, they say little of what a question is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from typing import Final

from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.words.kin_words import SAME_KIN

__all__ = ["PAST", "UNCHANGED", "forms_of"]

_FORMS: Final = """
arise arose arisen, awake awoke awoken, beat beaten, become became, begin began begun, bend bent, bite bitten,
bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt, buy bought,
catch caught, choose chose chosen, cling clung, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, fight fought, flee fled,
fly flew flown, forbid forbade forbidden, foresee foresaw foreseen, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, kneel knelt, lead led,
learn learnt, lend lent, light lit, lose lost, meet met, mistake mistook mistaken, outgrow outgrew outgrown,
overcome overcame, oversleep overslept, pay paid, rebuild rebuilt, retell retold, rewrite rewrote rewritten,
ride rode ridden, ring rang rung, rise risen, run ran, seek sought, sell sold, send sent, sew sewn,
shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk,
sit sat, sleep slept, slide slid, smell smelt, speak spoke spoken, speed sped, spell spelt, spend spent, spill spilt,
spin spun, spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung, stink stank stunk,
strike struck, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum, swing swung,
teach taught, tear tore torn, throw threw thrown, undergo underwent undergone, understand understood,
undertake undertook undertaken, wake woke woken, wear wore worn, weave wove woven, weep wept, win won,
withdraw withdrew withdrawn, write wrote written,

calf calves, elf elves, foot feet, goose geese, half halves, hoof hooves, knife knives,
loaf loaves, man men, mouse mice, scarf scarves, shelf shelves, thief thieves, tooth teeth, wife wives, wolf wolves,
woman women,

advertisement advert ad, airplane aeroplane plane, bicycle bike, birthday bday, congratulations congrats,
examination exam, festival fest,
gymnasium gym, influenza flu, information info, introduction intro, laboratory lab, mathematics math maths,
motorcycle motorbike, photograph photo pic, refrigerator fridge,
telephone phone, television tv, vegetable veggie, veterinarian vet,

aluminium aluminum, analyse analyze, apologise apologize, behaviour behavior, catalogue catalog, centre center,
colour color, cosy cozy, defence defense, dialogue dialog, doughnut donut, favourite favorite fave,
fibre fiber, flavour flavor, grey gray, harbour harbor, honour honor, humour humor,
jewellery jewelry, labour labor, licence license, litre liter, metre meter, mould mold, neighbour neighbor,
organise organize, plough plow, practise practice, programme program, pyjamas pajamas, realise realize,
recognise recognize, rumour rumor, sceptical skeptical, skilful skillful, specialise specialize,
theatre theater, whisky whiskey, yoghurt yogurt,

child children kid, """ + ", ".join(it for it in SAME_KIN if it != "child kid")
PAST: Final = frozenset(
    "became began bought broke brought built came caught chose cut did drew drove ate fell felt"
    " fought found flew forgot gave got grew had"
    " heard held kept knew led left lent lost made met paid put quit ran read rose said sat saw sent"
    " set shot slept sold spent spoke stood"
    " struck swam taught thought threw told took understood went woke won wore wrote bred laid hurt"
    " arose awoke bent bled blew burnt clung crept dealt drank dreamt dug fled flung forgave froze hid hung knelt leant"
    " leapt learnt lit meant mistook overcame overslept rang rewrote rode sank sang shone shook shrank slid sought spat"
    " spelt spilt spoilt sprang spun stank stole stuck stung swept swore swung tore undertook underwent wept"
    " withdrew withstood wove".split()
)
"""Past forms that do not end in -ed; a participle is one only where it is the same word."""

UNCHANGED: Final = frozenset(
    "beat bet bid burst cast cut hit hurt let put quit read rid set shed shut slit split spread thrust wed".split()
)
"""Of one form for now and then, but for "costs": "I cut my hair" tells of either."""


def forms_of(term: str) -> tuple[str, ...]:
    """Return the terms of a word's other forms, where `tokenize` gives them another term than that of the word.

    Example:
        >>> forms_of("bought"), forms_of("paint")
        (('buy',), ())
    """
    return _table().get(term, ())


def has_any(text: str, terms: Iterable[str]) -> bool:
    """Whether a text has one of some words, in any form.

    Args:
        text: Any text.
        terms: As `tokenize` gives them.

    Example:
        >>> has_any("Hello!", ["buy"]), has_any("I bought it.", ["buy"])
        (False, True)
    """
    said = frozenset(tokenize(text))
    return any(term in said or not said.isdisjoint(forms_of(term)) for term in terms)


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    words = (list(dict.fromkeys(chain.from_iterable(map(tokenize, line.split())))) for line in _FORMS.split(","))
    return {one: tuple(it for it in forms if it != one) for forms in words for one in forms if len(forms) > 1}
