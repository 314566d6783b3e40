"""Which words that look like pronouns are none: the US, type I diabetes, World War I, a gold mine, "Tell Me Lies"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.patterns import LETTER

_WORD: Final = lazy_pattern(LETTER)
_CLOSED_UP: Final = lazy_pattern(r"[/&.+-]\w*")
_DIGITS: Final = lazy_pattern(r"[/&.+-]?\d")
_OPENS: Final = lazy_pattern(r"[.!?:;\n\"]\s*$")
_ARTICLES: Final = frozenset({"a", "an", "the"})
_POINTING: Final = frozenset("the any every each which that this of".split())
_ALONE: Final = frozenset({"Me", "Us", "We", "Mine", "Ours", "Myself", "Ourselves"})
_OWNERS: Final = frozenset({"My", "Our", "Your", "You"})
_COUNTED: Final = frozenset(
    "type class phase part grade stage level chapter volume act section category tier group book war unit step".split()
)
"""What is counted by Roman numerals."""

_BEFORE_ME: Final = frozenset(
    """
    and or nor than as but not only just so do does did am was were have had has can could will would shall should may
    might must is are if when that what who which where how because while than neither either
    """.split()
)
"""After which a last "I" is the speaker all the same: "so do I", "she and I"."""

_NO_VERBS: Final = frozenset("and or at in on for with from by of to as into during".split())
_DOING: Final = frozenset(
    """
    am was have had do did can could will would shall should may might must like love hate dislike enjoy prefer want
    need use own play take teach study learn know think see get got go went make made work live read write eat drink
    buy bought find found feel felt keep kept call always never usually often really also still just only mostly don't
    can't won't didn't couldn't wouldn't
    """.split()
)
_LINKING: Final = frozenset(
    """
    of is are was were be than as like to with for from on in at by and or but not about over under is isn't aren't
    wasn't that this i we you he she they who
    """.split()
)
_MAX_BETWEEN: Final = 2
"""Words between an article and its noun: "an old coal mine"."""


def is_pronoun(tokens: Sequence[str], at: int) -> bool:
    """Whether the word at a place, which is spelled as a pronoun of the first or second person, is one there.

    Args:
        tokens: Words, and what stands between them, in turn.
        at: Place of the word.
    """
    word = tokens[at]
    if _is_closed_up(tokens, at):
        return False
    before, after = _words_before(tokens, at), _word_after(tokens, at)
    is_article_before = bool(before) and before[0].lower() in _ARTICLES
    if word.lower() == "i":
        return not _is_numeral(tokens, at, before, after)
    if word.lower() == "mine" and (before[:1] in (["I"], ["we"], ["We"]) or _is_after_article(before)):
        return False
    return not (is_article_before and word.lower() in {"us", "me"}) and not _is_name(tokens, at, before, after)


def _is_closed_up(tokens: Sequence[str], at: int) -> bool:
    """Whether a mark binds the word to another one, or to a number: "I/O", "I-95", "i5", "R.I."."""
    after = tokens[at + 1] if at + 1 < len(tokens) else ""
    before = tokens[at - 1] if at else ""
    follows = _DIGITS.match(after) or (_CLOSED_UP.fullmatch(after) and at + 2 < len(tokens))
    return bool(follows) or _CLOSED_UP.fullmatch(before) is not None


def _is_numeral(tokens: Sequence[str], at: int, before: Sequence[str], after: str) -> bool:
    if not before or before[0].lower() in _BEFORE_ME:
        return False
    is_last = not after or not tokens[at + 1].isspace()
    is_counted = before[0].lower() in _COUNTED
    is_titled = before[0][:1].isupper() and before[0] != "I" and len(before) > 1
    if is_counted:
        is_pointing = len(before) > 1 and before[1].lower() in _POINTING
        return is_last or (not is_pointing and after.lower() not in _DOING and not after.lower().endswith("ed"))
    return is_titled and (is_last or after.lower() in _NO_VERBS)


def _is_after_article(before: Sequence[str]) -> bool:
    for word in before[: _MAX_BETWEEN + 1]:
        if word.lower() in _ARTICLES:
            return True
        if word.lower() in _LINKING:
            return False
    return False


def _is_name(tokens: Sequence[str], at: int, before: Sequence[str], after: str) -> bool:
    """Whether a capital inside a sentence makes it a name, or a part of one."""
    word = tokens[at]
    is_shouted = len(tokens) > 1 and "".join(tokens).isupper()
    if word == "US":
        return not is_shouted
    if not word[:1].isupper() or is_shouted or not before or _OPENS.search(tokens[at - 1]):
        return False
    if word in _ALONE:
        return True
    return word in _OWNERS and (after[:1].isupper() and after != "I")


def _words_before(tokens: Sequence[str], at: int) -> list[str]:
    """Return the words before a place, the nearest first, back to a mark."""
    found: list[str] = []
    for token in reversed(tokens[:at]):
        if _WORD.match(token):
            found.append(token)
        elif token.strip():
            break
    return found


def _word_after(tokens: Sequence[str], at: int) -> str:
    return next((it for it in tokens[at + 1 :] if _WORD.match(it)), "")
