"""Numbers in words, from zero to ninety-nine, and patterns for them: the one table of whoever reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["NUMBER_WORDS", "ONE_OR_MORE", "TWENTY_OR_MORE", "TWO_OR_MORE", "counts", "spelled"]

_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS: Final[Mapping[str, int]] = {
    **{word: number for number, word in enumerate(_SMALL)},
    **{ten: 10 * number for number, ten in enumerate(_TENS, 2)},
    **{f"{ten}-{_SMALL[one]}": 10 * tens + one for tens, ten in enumerate(_TENS, 2) for one in range(1, 10)},
}


def counts(first: int, last: int) -> dict[str, int]:
    """Return the words of the numbers from the first to the last one, in their order.

    Example:
        >>> counts(2, 4)
        {'two': 2, 'three': 3, 'four': 4}
    """
    found = {word: number for word, number in NUMBER_WORDS.items() if first <= number <= last}
    return dict(sorted(found.items(), key=lambda it: it[1]))


def spelled(first: int, last: int) -> str:
    """Return a pattern for the words of the numbers from the first to the last one; a longer word goes before others.

    Example:
        >>> spelled(5, 7)
        '(?:seven|five|six)'
    """
    return rf"(?:{'|'.join(sorted(counts(first, last), key=len, reverse=True))})"


ONE_OR_MORE: Final = spelled(1, 12)
TWO_OR_MORE: Final = spelled(2, 12)
"""How many there are of something, as far as people write it out: what is more, they write in digits."""

TWENTY_OR_MORE: Final = rf"(?:(?:{'|'.join(_TENS)})(?:[- ]{spelled(1, 9)})?)"
