"""Words that answer a question without being in it: "what is my job?" is answered by "she works as a nurse".

A question names what it asks for, a statement its value: a pet is a cat, a brother a sibling, and who drives a Fiat has
a car. An embedding knows some of it, and words alone know nothing. English, and only what people tell of themselves
every day: a closed list, since a thesaurus of the whole language finds everything in everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._terms import tokenize
from langchain_agentmem.english.words.kin_words import PARTNERS, kin_of
from langchain_agentmem.english.words.word_forms import forms_of

__all__ = ["FAINT", "are_of_one_sort", "reworded", "sorts_of", "standing_for"]

MEANING: Final = 0.6
EXAMPLE: Final = 0.3
"""What a word counts that says the same as that of the question, or is one of many that answer it, beside that word."""

_PETS: Final = (
    "cat kitten dog puppy parrot budgie hamster rabbit tortoise goldfish horse pony lizard snake terrier spaniel"
)
_PARTNERS: Final = f"{' '.join(sorted(PARTNERS))} married engaged bf gf hubby"
_CHILDREN: Final = "son daughter baby toddler twins boy girl"
_SIBLINGS: Final = "brother sister"
_PARENTS: Final = "mother father"
_KIN: Final = " ".join(sorted(kin_of("relative", "grandparent")))
_DRINKS: Final = "tea coffee espresso cappuccino latte wine beer juice water cola lemonade cocoa whisky gin smoothie"
_FOODS: Final = "dish cuisine snack breakfast lunch dinner pizza pasta sushi curry soup salad bread cheese cook recipe"
_DIETS: Final = "vegetarian vegan pescatarian keto halal kosher gluten lactose"
SPORTS: Final = (
    "football soccer tennis basketball volleyball badminton hockey rugby cricket golf swim run jog marathon cycling "
    "hike climb bouldering ski snowboard surf row box judo karate yoga pilates gym crossfit dance triathlon squash"
)
_INSTRUMENTS: Final = "violin viola cello piano guitar ukulele flute clarinet saxophone trumpet drums harp organ bass"
_HOBBIES: Final = (
    "paint draw knit sew garden photography chess pottery bake read sing choir fish puzzle crochet carpentry "
    "birdwatching astronomy baking gardening"
)
_GENRES: Final = "jazz rock classical pop techno opera folk metal blues soul reggae"
_GAMES: Final = "playstation xbox nintendo steam chess poker"
_LANGUAGES: Final = (
    "english german french italian spanish portuguese dutch polish russian ukrainian turkish arabic hebrew hindi "
    "mandarin cantonese chinese japanese korean greek swedish danish norwegian finnish czech hungarian romanian latin"
)
WORKERS: Final = (
    "teacher nurse midwife doctor surgeon paediatrician vet engineer developer programmer designer lawyer solicitor "
    "accountant pilot chef cook baker barista waiter driver electrician plumber carpenter farmer journalist writer "
    "editor photographer musician actor artist architect scientist researcher professor lecturer student consultant "
    "manager analyst administrator secretary receptionist salesman policeman paramedic firefighter soldier pharmacist "
    "librarian translator hairdresser mechanic freelancer retired"
)
_DEVICES: Final = "laptop macbook thinkpad desktop pc"
_SYSTEMS: Final = "linux debian ubuntu fedora arch windows macos android ios"
_EDITORS: Final = "vim neovim emacs vscode pycharm intellij"
_WORK: Final = "work employ employer employee hire freelance"
_ILLNESSES: Final = "asthma diabetes migraine eczema arthritis hypertension epilepsy anaemia insomnia diagnosed suffer"
_VEHICLES: Final = "car van truck motorcycle scooter bicycle"
_RIDES: Final = "train bus tram subway underground metro ferry bicycle drive walk"
_COLOURS: Final = "red blue green yellow black white purple orange pink turquoise"

_THESAURUS: Final = f"""
job profession occupation career employment vocation: {_WORK} | {WORKERS}
employer company firm: work employ job company
work: job employ employer career
home address residence: live reside move | house flat apartment
live: home address reside move base
house flat apartment: house flat apartment home live
rent: landlord tenant
landlord landlady: rent landlord
city town country: live reside | move
neighbourhood: live district
flatmate roommate housemate: flatmate roommate housemate share
partner: {_PARTNERS}
boyfriend: bf
girlfriend: gf
wife husband spouse married marriage: hubby wife husband spouse married engaged
wedding anniversary: married marry wedding anniversary
divorced: divorce separate
children kid: {_CHILDREN}
son: boy
daughter: girl
sibling: {_SIBLINGS} twin
parents: {_PARENTS}
relatives family: {_PARTNERS} {_CHILDREN} {_SIBLINGS} {_PARENTS} child {_KIN}
pregnant: baby expect due
friend mate buddy pal: friend
neighbour: next door
pet: | {_PETS}
animal: | {_PETS}
name nickname: call
age old: age old year
birthday birth born birthdate: birthday birth born
hometown childhood: born grow raise childhood
nationality citizenship passport: born citizen passport
car vehicle: car drive | {_VEHICLES}
drive: car
bicycle: cycle ride
cycle: bicycle ride
commute transport: commute | {_RIDES}
phone mobile smartphone cellphone: phone telephone mobile smartphone | iphone android pixel galaxy
computer: | {_DEVICES}
laptop: macbook thinkpad notebook computer
os: | {_SYSTEMS}
browser: | firefox chrome safari edge
editor ide: | {_EDITORS}
headphones earphones: headphones earphones earbuds
camera photography: camera photograph
allergy allergic intolerance: allergy allergic intolerant intolerance
avoid: allergic allergy intolerant intolerance dislike hate | {_DIETS}
hate dislike: hate dislike
fear afraid scared phobia: fear afraid scared phobia
food: eat meal | {_FOODS} {_DIETS}
diet eat: eat | {_DIETS}
meat: | {_DIETS}
drink beverage: drink | {_DRINKS}
alcohol: drink wine beer sober teetotal
dessert sweets: dessert sweets cake chocolate
cook: recipe dish bake
restaurant: eat dine
favourite: prefer love like enjoy
prefer: favourite love like enjoy
colour: | {_COLOURS}
hobby pastime: enjoy | {_HOBBIES} {SPORTS} {_INSTRUMENTS} {_GAMES}
sport exercise workout: train | {SPORTS}
football soccer: football soccer
race: run marathon triathlon
instrument: play | {_INSTRUMENTS}
music: play band orchestra choir song sing concert | {_INSTRUMENTS} {_GENRES}
listen: music podcast radio | {_GENRES}
sing: choir
game: play | {_GAMES}
art: paint draw sculpt
garden plant: garden grow plant vegetables
language: speak fluent learn | {_LANGUAGES}
speak: language fluent
movie film cinema: movie film cinema
book read novel: book read novel author
course class lesson: course class lesson learn
university college degree: university college degree study graduate major bachelor master
school education: school attend study graduate university college
study: university college degree graduate major
holiday vacation trip travel journey: holiday vacation trip travel journey | visit fly
flight plane: fly seat
boss manager supervisor: boss manager supervisor
doctor physician gp: doctor physician gp
therapist psychologist: therapy therapist psychologist
coach trainer tutor instructor: coach trainer tutor instructor teach
colleague coworker teammate: colleague coworker teammate
salary income wage: salary income wage earn pay
volunteer charity: volunteer charity donate
appointment: dentist doctor checkup interview haircut
health illness condition disease sick: illness condition disease | {_ILLNESSES}
pain hurt ache: pain hurt ache injure migraine headache
injury injured: injure break sprain tear surgery
surgery operation: surgery operation
medication medicine pill drug: medication medicine pill tablet dose prescribe | insulin inhaler antibiotics ibuprofen
email mail: email mail
sleep: insomnia
wake: morning
shoe: size
glasses: eyesight contact lens
tall height: tall height cm
weight: weigh kg pounds
"""

_FAINT: Final = """
name called favourite prefer like kind type sort thing tell talk know remember mention say list give anything something
"""

_PHRASES: Final = MappingProxyType(
    {
        "do for (?:a |my )?(?:living|work)": "job",
        "(?:earn|make|earning|making) (?:my|a|his|her|their) living": "job",
        "reports? to": "boss",
        "operating systems?": "os",
        "come from|gr[eo]w up|(?:where|which \\w+) (?:am|are|is) (?:\\w+ ){1,2}from": "hometown",
        "(?:stay|keep) away from|steer clear of|(?:can't|cannot|shouldn't|mustn't|not) (?:I )?eat": "avoid",
        "can't stand|cannot stand": "hate",
        "work(?:ing)? out": "exercise",
        "(?:free|spare) time|for fun|(?:to )?(?:relax|unwind)": "hobby",
        "(?:other|better) half|significant other": "partner",
        "little ones": "children",
        "get (?:around|to work)|travel to work": "commute",
        "(?:wake|get) up": "wake",
        "get paid": "salary",
    }
)
"""What is asked in several words, of which each alone means something else, and the word that is asked for."""

_PHRASE: Final = tuple((lazy_pattern(rf"\b{said}\b", re.IGNORECASE), word) for said, word in _PHRASES.items())


_SORTS: Final = (
    _PETS, _DRINKS, SPORTS, _INSTRUMENTS, _GENRES, _LANGUAGES, _DEVICES, _SYSTEMS, _EDITORS, _RIDES, _COLOURS,
)  # fmt: skip
"""Things of one sort each; of which, who prefers one prefers none of the others."""


def are_of_one_sort(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether what two names say in the end, by their terms, is of one sort; neither names several of that sort.

    Example:
        >>> are_of_one_sort(tokenize("green tea"), tokenize("coffee")), are_of_one_sort(["tea"], ["train"])
        (True, False)
    """
    return any(_is_one_of(sort, one) and _is_one_of(sort, other) for sort in _sorted_terms())


def sorts_of(terms: Iterable[str]) -> Mapping[int, frozenset[str]]:
    """Return what is of one sort among some terms, by the number of the sort."""
    told = frozenset(terms)
    return {number: told & sort for number, sort in enumerate(_sorted_terms()) if not sort.isdisjoint(told)}


def _is_one_of(sort: frozenset[str], terms: Sequence[str]) -> bool:
    return bool(terms) and terms[-1] in sort and sort.isdisjoint(terms[:-1])


@cache
def _sorted_terms() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(tokenize(it)) for it in _SORTS)


def reworded(question: str) -> str:
    """Return a question with one word for what it says in several that mean something else one by one.

    Example:
        >>> reworded("What do I do for a living?")
        'What do I job?'
    """
    for phrase, word in _PHRASE:
        question = phrase.sub(word, question)
    return question


def standing_for(term: str) -> Mapping[str, float]:
    """Return the terms that answer where one is asked for, and what each counts, in (0, 1]: 1 for a form of the word.

    Args:
        term: As `tokenize` gives it.

    Example:
        >>> standing_for("movi"), standing_for("bought")
        ({'film': 0.6, 'cinema': 0.6}, {'buy': 1.0})
    """
    return {**_answers().get(term, {}), **dict.fromkeys(forms_of(term), 1.0)}


@cache
def _answers() -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in filter(None, _THESAURUS.splitlines()):
        asked, _, answers = line.partition(":")
        meanings, _, examples = answers.partition("|")
        every = dict.fromkeys(_in_any_form(examples), EXAMPLE) | dict.fromkeys(
            _in_any_form(f"{asked} {meanings}"), MEANING
        )
        for term in _in_any_form(asked):
            found.setdefault(term, {}).update({it: share for it, share in every.items() if it != term})
    return found


def _in_any_form(words: str) -> dict[str, None]:
    terms = dict.fromkeys(tokenize(words))
    return {**terms, **{form: None for term in terms for form in forms_of(term)}}


FAINT: Final = frozenset(_in_any_form(_FAINT))
"""Terms that say of anything how it is asked for: alone they answer, beside others they count little."""
