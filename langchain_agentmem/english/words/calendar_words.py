"""Names of months, weekdays and seasons, as words and as patterns: the one list of whoever reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MONTHS: Final = tuple("january february march april may june july august september october november december".split())
SURE_MONTHS: Final = tuple(name for name in MONTHS if name != "may")
"""Those that cannot be a common word of a question: "may I?"."""

WEEKDAYS: Final = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
SEASONS: Final[Mapping[str, int]] = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The first of the three months of each."""

MONTH_NUMBERS: Final[Mapping[str, int]] = {
    **{name: number for number, name in enumerate(MONTHS, 1)},
    **{name[:3]: number for number, name in enumerate(MONTHS, 1)},
    "sept": 9,
}
"""By the name of a month, or its abbreviation."""

MONTH: Final = rf"(?:{'|'.join(MONTHS)})"
SURE_MONTH: Final = rf"(?:{'|'.join(SURE_MONTHS)})"
SHORT_MONTH: Final = rf"(?:sept|{'|'.join(name[:3] for name in SURE_MONTHS)})"
"""Abbreviations; what stands behind one has to be asked for, as a word may begin so."""

ANY_MONTH: Final = rf"(?:{MONTH}|{SHORT_MONTH}\b\.?)"
WEEKDAY: Final = rf"(?:{'|'.join(WEEKDAYS)})"
SHORT_WEEKDAY: Final = r"(?:mon|tues?|wed|thu|thurs?|fri|sat|sun)"
SEASON: Final = rf"(?:{'|'.join(SEASONS)})"
