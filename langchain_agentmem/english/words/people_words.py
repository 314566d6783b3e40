"""Words for what else than kin somebody is to the user, of what setting and how many: the one list of its readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

Setting: TypeAlias = Literal["work", "care", "home", "service", "study", "friend"]
Number: TypeAlias = Literal["one", "new", "many"]


class PersonWord(NamedTuple):
    """What one word says.

    Attributes:
        setting: Where one has such a person.
        number: `one`: whoever is told of later takes the place of whoever was told of before; `new`: they do where
            they are said to be so now, since one may have two; `many`: one has several.
        name: The one word under which it is judged: "coworker" is `colleague`.
    """

    setting: Setting
    number: Number
    name: str


_ROWS: Final[tuple[tuple[Setting, Number, str], ...]] = (
    ("work", "one", "boss/supervisor"),
    ("work", "new", "manager"),
    ("work", "many", "colleague coworker co-worker/teammate/assistant/secretary/intern/mentor/client"),
    ("work", "many", "cofounder co-founder"),
    ("care", "one", "dentist/therapist"),
    ("care", "new", "doctor/gp/physio physiotherapist/counsellor counselor/psychiatrist/psychologist/midwife/optician"),
    ("care", "new", "cardiologist/neurologist/oncologist/dermatologist"),
    ("care", "many", "nurse/surgeon/consultant/specialist/carer"),
    ("home", "one", "landlord/landlady"),
    ("home", "many", "flatmate/roommate/housemate/neighbour neighbor"),
    ("service", "new", "accountant/lawyer/solicitor/hairdresser/barber/vet"),
    ("service", "many", "bookkeeper/adviser advisor/cleaner/gardener/nanny/childminder/babysitter/trainer"),
    ("study", "many", "teacher/tutor/coach"),
    ("friend", "many", "friend"),
)
"""By setting and number: words that say another thing behind a stroke each, and those that say the same together."""

PEOPLE_WORDS: Final[Mapping[str, PersonWord]] = {
    word: PersonWord(setting, number, same.split()[0])
    for setting, number, row in _ROWS
    for same in row.split("/")
    for word in same.split()
}
SAME_PEOPLE: Final = tuple(same for _, _, row in _ROWS for same in row.split("/") if " " in same)
"""Words that say the same, the one name first, each row in a string."""


def people_of(*settings: Setting, number: Number | None = None) -> frozenset[str]:
    """Return the words for people of some settings, of all where none is named, of whom one has so many.

    Example:
        >>> sorted(people_of("home", number="one")), sorted(people_of("friend"))
        (['landlady', 'landlord'], ['friend'])
    """
    return frozenset(
        word
        for word, it in PEOPLE_WORDS.items()
        if (not settings or it.setting in settings) and (number is None or it.number == number)
    )


ACQUAINTANCES: Final = frozenset(PEOPLE_WORDS)
LONE: Final = people_of(number="one")
"""Of whom somebody has one at a time. `LONE_BY_NOW`: and those of whom it is so where one is said to be the new one."""

LONE_BY_NOW: Final = LONE | people_of(number="new")
