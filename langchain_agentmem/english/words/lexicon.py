"""Closed word lists by which statements are read: English, small on purpose, and only where a word changes the meaning.

A word that is missing here costs a merge that could have been made; it never causes one that should not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import Stemmer

from langchain_agentmem._held_texts import of_texts
from langchain_agentmem.english.words.calendar_words import SEASONS, SURE_MONTHS, WEEKDAYS
from langchain_agentmem.english.words.kin_words import KIN, SAME_KIN
from langchain_agentmem.english.words.people_words import ACQUAINTANCES, LONE


@of_texts(20_000)
def stem(word: str) -> str:
    """Return the English Snowball stem of a casefolded word."""
    # A stemmer of its own per miss: they must not be shared between threads.
    return str(Stemmer.Stemmer("english", 0).stemWord(word))


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _groups(rows: str) -> Mapping[str, str]:
    """Map every word of a line to the first word of that line."""
    return {word: line.split()[0] for line in rows.strip().splitlines() for word in line.split()}


FIRST_PERSON: Final = _set("i me myself im")
FIRST_PERSON_OWNER: Final = _set("my mine")
PRONOUN_SUBJECTS: Final = _groups("we us our ours\nhe him his\nshe her hers\nthey them their theirs")
USER_COMPOUNDS: Final = _set("""
    interface interfaces experience account accounts table tables story stories id ids name names model data manual
    guide base group groups role roles
    """)

STOP: Final = _set("""
    a an the this that these those there here it its he him his she her hers they them their theirs you your yours
    we us our ours is am are was were be been being isnt has have had having do does did doing done to of in on at
    by for with as and or so than then but about into onto up out off when while where which who whom whose what
    because although though however me my mine myself i user let us please oh ok okay yes hi hello 's not no rather
    instead own over before after from instead-of rather-than
    """)
LIGHT: Final = _set("""
    always usually generally typically normally really very quite currently now today still also too just actually
    already basically mainly mostly recently nowadays anymore ever well simply definitely certainly even like'd any
    anyway
    """)
GENERIC: Final = frozenset(
    stem(word)
    for word in """
    work works working service services development code coding project projects stuff task tasks thing things all
    """.split()
)

NEGATORS: Final = _set("not no never without none nothing nobody nowhere neither nor hardly")
NEGATIVE_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        _set("dislike dislikes disliked hate hates hated detest detests despise despises loathe loathes"), "like"
    ),
    **dict.fromkeys(_set("disable disables disabled"), "enabl"),
    **dict.fromkeys(_set("forbid forbids forbidden prohibited disallowed disallow banned"), "allow"),
    **dict.fromkeys(_set("lack lacks lacking"), ""),
    **dict.fromkeys(_set("avoid avoids avoided avoiding refuse refuses"), ""),
    **dict.fromkeys(_set("unable incapable"), "abl"),
    **dict.fromkeys(_set("closed"), "open"),
    **dict.fromkeys(_set("absent"), "present"),
    **dict.fromkeys(_set("untrue false wrong incorrect"), "true"),
    **dict.fromkeys(_set("unavailable"), stem("available")),
    **dict.fromkeys(_set("unmarried"), stem("married")),
    **dict.fromkeys(_set("inactive deactivated"), "activ"),
    **dict.fromkeys(_set("formerly previously"), ""),
}
STOP_VERBS: Final = _set("stop stops stopped quit quits cease ceases ceased")
BE: Final = _set("is am are was were be been being get gets got")
AUXILIARIES: Final = BE | _set("do does did has have had can could will would shall should may might must need")

SYNONYMS: Final[Mapping[str, str]] = {
    stem(word): stem(head)
    for word, head in _groups(
        "\n".join(SAME_KIN)
        + """
        like likes love loves enjoy enjoys adore fond
        neighbour neighbor
        live lives reside resides
        prefer prefers preferred favor favors favour favours
        favorite favourite
        big large
        small little
        begin start
        reply answer response replies answers responses
        short concise brief
        buy purchase
        child children
        job occupation profession
        movie film
        photo picture image
        email mail e-mail
        phone mobile cellphone smartphone
        car automobile
        color colour
        doctor physician
        company firm employer
        fast quick rapid
        deploy deployment deployments deploys
        release ship
        frontend front-end
        backend back-end
        teach teaches taught
        choose chose chosen chooses
        buy bought
        speak spoke
        write wrote written
        drive drove
        repository repo
        database db
        production prod
        environment env
        documentation docs
        configuration config
        application app
        meeting appointment
        ask asks asked request requests requested
        want wants wish wishes
        fluent fluently
        allergic allergy allergies
        """
    ).items()
}
ALIASES: Final[Mapping[str, str]] = {
    "js": "javascript",
    "ts": "typescript",
    "py": "python",
    "k8s": "kubernetes",
    "postgres": "postgresql",
    "golang": "go",
    "gb": "uk",
    "vscode": "vs-code",
    "nyc": "new-york",
}

_EXCLUSIVE: Final[tuple[frozenset[str], ...]] = tuple(
    frozenset(stem(word) for word in line.split())
    for line in f"""
    {" ".join(WEEKDAYS)}
    {" ".join(SURE_MONTHS)}
    dark light
    short long
    big small medium
    high low
    hot cold
    fast slow
    early late
    morning afternoon evening night
    daily weekly monthly yearly hourly
    day week month year
    always usually sometimes rarely seldom
    more less
    most least
    left right
    increase decrease
    open close
    enter leave arrive depart
    accept reject
    approve decline
    buy sell
    lend borrow
    succeed fail
    public private
    internal external
    remote onsite
    vegan vegetarian pescatarian
    red blue green yellow black white orange purple pink brown grey
    north south east west
    first last
    morning night
    married single divorced widowed
    {" ".join(SEASONS.keys() - {"fall"})}
    breakfast lunch dinner
    formal informal casual
    detailed brief
    verbose terse
    paper digital
    up down
    on off
    mother father
    brother sister
    wife husband
    son daughter
    active archived paused pending
    staging production
    """.strip().splitlines()
)
_RIVALS: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    word: tuple(group - {word} for group in _EXCLUSIVE if word in group) for word in frozenset().union(*_EXCLUSIVE)
}
"""By word: what cannot be meant where it is, by each group that has it."""
MARKERS: Final[Mapping[str, str]] = {
    **_groups(
        """
        may might maybe perhaps possibly probably
        must should shall ought
        can could
        will gonna
        all every each everyone everybody everything
        some several
        few
        more
        less fewer
        most
        least
        against
        above
        below under
        only solely exclusively
        unless
        until till
        before
        after
        from
        except besides
        if
        would
        was were
        """
    )
}
UNCERTAIN: Final = _set("may must can will would if unless")
INTENTIONS: Final = _set("""
    want wants wanted plan plans planned planning hope hopes wish wishes consider considers considering think thinks
    thinking going dream dreams try tries trying
    """)

_KIN: Final = KIN - {"baby"}
"""A baby is an animal's as well, and a word of endearment."""

ROLES: Final = _KIN | ACQUAINTANCES
"""What one person is to another; of most of them somebody may have several."""

LONE_ROLES: Final = LONE | {"mother", "father"}
"""Of whom somebody has one at a time, as of a manager and a partner."""

PEOPLE: Final = ROLES | {"parents", "customer", "team", "cat", "dog", "pet"}
"""Whoever may be told of without a name."""

PETS: Final = _set("""
    dog cat pet puppy pup kitten kitty rabbit hamster parrot bird fish goldfish horse tortoise turtle snake lizard
    ferret chicken goat
    """)

ATTRIBUTES: Final = _set("""
    address age birthday branch budget capital city color currency database deadline default diet directory domain
    editor email employer endpoint environment font framework gender hometown host hostname ide interval language
    limit locale location manager name nationality nickname number owner password phone plan port price priority
    quota rate region release role salary score shell size stack status surname target theme threshold timeout
    timezone title url username version weight height max maximum minimum min profession occupation job
    """)
CHOICES: Final = _set("preferred primary default main go-to native current usual")

REGIONS: Final = _set("""
    europe asia africa america oceania germany france italy spain portugal uk england scotland wales ireland us usa
    canada mexico brazil argentina chile china japan korea india australia austria switzerland netherlands belgium
    denmark sweden norway finland poland czechia hungary romania bulgaria greece turkey russia ukraine israel egypt
    kenya nigeria ethiopia ghana morocco thailand vietnam indonesia philippines singapore malaysia pakistan
    bangladesh california texas florida bavaria ontario quebec kingdom states emirates zealand arabia colombia peru
    iceland estonia latvia lithuania croatia serbia
    """)
NOT_PLACES: Final = _set("""
    python typescript javascript java rust go kotlin swift ruby postgresql postgres mysql mongodb redis kubernetes
    docker linux windows mac macos vim emacs github gitlab slack notion jira react vue angular svelte django flask
    fastapi node aws azure gcp team department project task role position
    """)

COMMON_FIRST_WORDS: Final = _set("""
    use uses used using prefer prefers likes like loves love hates hate always never please deploy run test write
    keep make do don't does the a an my our your his her their its this that these those there it he she they we you
    when while before after for from with without in on at by to as and or but if since because actually no yes not
    only also now works work working lives live moved wants want needs need has have had is are was were will would
    can could should must may might all every each some any most many few more less no nothing nobody correction
    sorry wait oops remember note instead rather today tomorrow yesterday allergic avoid speaks speak owns own
    drives drive favourite favorite preferred let answer reply ask check send call set add remove delete everybody
    everyone everything somebody someone something anybody anyone anything create build start stop quit give get
    take put show tell try turn open close read commit push merge release review who what where why how
    """)


def exclusive_pair(left: Iterable[str], right: Iterable[str]) -> tuple[str, str] | None:
    """Return a word of `left` and one of `right` that cannot both be meant, or `None`."""
    others = frozenset(right)
    for word in left:
        for rivals in _RIVALS.get(word, ()):
            if not rivals.isdisjoint(others):
                return word, min(rivals & others)
    return None
