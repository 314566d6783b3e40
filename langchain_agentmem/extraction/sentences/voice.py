"""Turn first-person words into third-person ones that stand alone: "I'm on my own" → "Alice is on their own"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.reading.choices import is_known
from langchain_agentmem.english.words.calendar_words import WEEKDAY
from langchain_agentmem.english.words.kin_words import A_CHILD, any_of, kin_of, plurals
from langchain_agentmem.english.words.number_words import spelled
from langchain_agentmem.english.words.patterns import CAPITAL, LETTER, PLAIN_CAPITALIZED
from langchain_agentmem.english.words.word_forms import PAST, UNCHANGED
from langchain_agentmem.extraction.sentences.at_work import is_of_work, is_trade
from langchain_agentmem.extraction.words.pronouns import is_pronoun

_IRREGULAR: Final[Mapping[str, str]] = {
    "am": "is",
    "are": "is",
    "were": "was",
    "was": "was",
    "have": "has",
    "do": "does",
    "go": "goes",
    "be": "is",
    "don't": "does not",
    "haven't": "has not",
    "aren't": "is not",
    "weren't": "was not",
    "can't": "cannot",
    "cannot": "cannot",
    "won't": "will not",
}
_MODALS: Final = frozenset(
    (
        "can could will would shall should must may might ought didn't wasn't couldn't wouldn't shouldn't"
        " mustn't hadn't hasn't isn't doesn't"
    ).split()
)
_FALSE_PAST: Final = frozenset("need feed speed bleed breed succeed proceed exceed embed heed seed weed".split())
_PREFIX: Final = lazy_pattern(r"^(?:re|over|under|out|mis|fore|broad|up|off|in)+(?=\w{3})")
_HABIT: Final = lazy_pattern(
    r"\b(?:(?:each|every|per|(?:once|twice|times) an?) (?:other |second )?(?:day|week|month|year|night|morning|evening"
    r"|weekend|time|\w+day)|always|usually|often|normally|generally|regularly|daily|weekly|monthly|nightly"
    rf"|{WEEKDAY}s|weekdays|weekends|mornings|evenings)\b",
    re.IGNORECASE,
)
_ADVERBS: Final = frozenset(
    "really always never usually also still just actually generally strongly much often sometimes"
    " typically mainly only now currently recently"
    " rather even ever almost already both all mostly absolutely definitely quite very no longer"
    " simply once seldom hardly then sure far".split()
)
_NOT_ADVERBS: Final = frozenset("rely fly reply apply supply comply multiply imply ally rally tally bully".split())
_GRAND: Final = kin_of("grandparent", "grandchild")
_FAMILY: Final = lazy_pattern(
    (
        r"\b(?:kids?|child(?:ren)?|daughters?|sons?|bab(?:y|ies)|dogs?|cats?|pets?|wife|husband|family"
        r"|married|wedding|honeymoon|house|home|flat|apartment|garden|anniversary|mortgage|car|cars|sold(?! out\b)"
        r"|bought|trip|holidays?|vacation|summer|dinner|christmas|diwali|easter|celebrate|rent"
        r"|neighbou?rs?|school|camping|cooks?|flights?|we (?:\w+ )?live|parents?|grandparents|pregnant|engaged"
        r"|retired|vegetarians?|vegans?|gluten|meat|restaurants?|breakfast|brunch|wine|hik(?:e|es|ed|ing)"
        r"|ski(?:s|ed|ing)?|beach|mountains|museums?|picnics?|barbecues?|concerts?|movies?|films|board games"
        r"|(?:window|aisle) seats?|pupp(?:y|ies)|kittens?|hamsters?|guinea pigs?|budgies?|greyhounds?|labradors?"
        r"|rabbits?|bunn(?:y|ies)|parrots?|hors(?:e|es)|pon(?:y|ies)|tortoises?|ferrets?|gerbils?|goldfish|hens"
        r"|chickens"
        r"|re-?home|caravan|campervan|motorhome|allotment|greenhouse|cottage"
        r"|(?<!digital )twins|toddlers?|nephews?|nieces?|in-laws|moved in together|babysitters?|kindergarten"
        r"|(?:a|the) (?:bigger|smaller|new|nicer|cheaper|quieter) place|(?:liv(?:e|es|ing)|moved"
        r"|moving)(?: in)? together"
        r"|retested|vaccinated|paediatrician|pediatrician|daycare|nursery|bedtimes?|ultrasound|ivf|date night"
        rf"|{any_of(_GRAND | plurals(_GRAND))})\b"
    ),
    re.IGNORECASE,
)
_AT_HOME: Final = lazy_pattern(
    rf"\bwe(?:'re| are|'ve been| have been| were)? (?:(?:both|all|originally|still|also) ){{0,2}}(?:from {CAPITAL}"
    r"|born\b|raised\b|allergic\b|muslim|christian|catholic|jewish|hindu|buddhist)"
    r"|\bwe (?:both |all )?(?:grew up|eat|go to (?:church|mosque|synagogue|temple))\b"
    r"|\bwe(?:'re| are) (?:both |finally |also )?expecting\W*$"
    rf"|\bwe\b[^.!?;]{{0,80}}\bwhen I was (?:an? (?:{A_CHILD}|boy|girl|toddler|teen\w*)|little|small|young|born"
    rf"|at school|in (?:primary|nursery|kindergarten|high)|(?:\d{{1,2}}|{spelled(2, 16)})"
    r"\b(?! (?:days|weeks|months|hours)\b))"
    r"|\bwe(?:'ve| have) (?:always |both )?lived\b|\bwe(?:'re| are) (?:now )?(?:expecting (?:again|an? (?:baby|girl"
    r"|boy|child|little)"
    r"|our|another (?:baby|girl|boy|child|one))|staying (?:in|at|with)\b)|\bwe(?:'ve| have)? shifted (?:house|flat"
    rf"|home|to {CAPITAL})|\bmoved to (?:a|the) (?:\w+ )?(?:village|countryside|suburbs)\b",
    re.IGNORECASE,
)
"""What only people do, and with those they live with."""

_HOUSEHOLD: Final = lazy_pattern(
    r"\bwe(?:'ve|'re)?(?: (?:have|are|just|finally|now|also|still|need|want)){0,3} (?:have|had|got|get|getting|bought"
    r"|buying"
    r"|need|want|own|ordered|redid|redoing|doing up|replaced|replacing) (?:(?!in\b|at\b|for\b|to\b|with\b"
    r"|on\b)[\w'-]+ ){0,3}?"
    r"(?:stair ?lifts?|people carriers?|minivans?|dish ?washers?|sofas?|settees?|armchairs?|washing machines?|tumble "
    r"dryers?"
    r"|hoovers?|freezers?|ovens?|hobs?|boilers?|kitchens?|bathrooms?|bedrooms?|living rooms?|lounges?|lofts?|cellars?"
    r"|patios?|conservator(?:y|ies)|bungalows?|bunk beds?|prams?|pushchairs?|cots?|nappies|telly|chimneys?|log burners?"
    r"|lodgers?|au pairs?|childminders?|nann(?:y|ies))\b(?!.* at work\b)",
    re.IGNORECASE,
)
"""What stands in a home, and in few offices."""

_TRAVELS: Final = lazy_pattern(
    r"\bwe\b[^.!?;]{0,60}?\b(?:(?:go(?:ing|es)?|went|gone|been|fly(?:ing)?|flew|flown|driv(?:e|ing)|drove"
    r"|travel(?:l?ing|l?ed)?"
    r"|head(?:ing|ed)?|sail(?:ing|ed)?|off) (?:(?:back|over|away|down|up|out) )?to|visit(?:ing|ed)?)"
    rf" (?P<name>{PLAIN_CAPITALIZED})(?![\w.+#-])",
    re.IGNORECASE,
)
"""A "we" that goes to a place are those one lives or travels with, if no work is spoken of."""

_COUPLE: Final = lazy_pattern(
    r"\bwe(?:'ve|'re| have| are| were| had)? (?:(?:just|recently|finally|now|also|both) ){0,2}"
    r"(?:got |getting |gotten |get |been )?(?:divorced|separated|married|engaged|split up|broke up|broken up)\b"
    r"(?! (?:the|an?|our|this|that|these|it|them)\b)|\bwe(?:'re| are) still (?:together|a couple)\b"
    r"|\bwe(?:'re| are|'ve)? (?:got |gotten )?back together\b",
    re.IGNORECASE,
)
"""What two people do, one of whom tells of it: it is told of the user."""

_SUBORDINATE: Final = frozenset(
    (
        "when whenever if that how what where which because as unless until before after while once since"
        " whether so and but"
    ).split()
)
_OBJECTS_OF: Final = frozenset(
    (
        "for to with about of at by from want need like ask tell let make help give show send call email"
        " remind without on in around between see thank have prefer expect"
    ).split()
)
_TWO: Final = lazy_pattern(
    r"(?:^|, |\b(?i:when|whenever|since|because|that|if|as|while|before|after|until|and|but) )"
    rf"{CAPITAL}[\w'-]*(?:,? {CAPITAL}[\w'-]*){{0,3}},? and $"
)
"""What stands before an "I" that is half of a subject: "Emma and I"."""

_TOKEN: Final = lazy_pattern(rf"{LETTER}+(?:'{LETTER}+)?|[\W\d_]+")
_WORD: Final = lazy_pattern(LETTER)
_SPLIT_CONTRACTIONS: Final = (
    (lazy_pattern(r"\bI'm\b", re.IGNORECASE), "I am"),
    (lazy_pattern(r"\b(I|we|you|they)'ve\b", re.IGNORECASE), r"\1 have"),
    (lazy_pattern(r"\b(we|you|they)'re\b", re.IGNORECASE), r"\1 are"),
    (lazy_pattern(r"\b(I|we|you|they)'ll\b", re.IGNORECASE), r"\1 will"),
    (lazy_pattern(r"\b(I|we|you|they)'d (better|gone|been|already)\b", re.IGNORECASE), r"\1 had \2"),
    (lazy_pattern(r"\b(I|we|you|they)'d\b", re.IGNORECASE), r"\1 would"),
    (lazy_pattern(r"\b(I|we) had (?:got|gotten) to\b", re.IGNORECASE), r"\1 had to"),
    (lazy_pattern(r"\bi\b"), "I"),
)
_EDGES: Final = " \t\n.,;:!?-–—`*_"


def group_of(text: str) -> str:
    """Return which group a "we" of a text means: the team where it works, the family where it lives or travels as one.

    Where it may be either it is no more than a group.
    """
    if is_trade(text):
        return "team"
    if _FAMILY.search(text) or _AT_HOME.search(text) or (_HOUSEHOLD.search(text) and not is_of_work(text)):
        return "family"
    trip = _TRAVELS.search(text)
    if trip is not None and not (is_known(trip["name"]) or is_of_work(text)):
        return "family"
    return "team" if is_of_work(text) else "group"


def third_person(verb: str, *, is_habit: bool = False) -> str:
    """Return the form of a verb that goes with he, she or a name; past and modal forms stay as they are.

    Where one form is both, it stays, too, unless it tells of a habit: "I shut the shop at six every day".
    """
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _MODALS:
        return verb.replace("n't", " not")
    if _is_past(low) and not (is_habit and _root(low) in UNCHANGED):
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _is_past(low: str) -> bool:
    return (low.endswith("ed") and low not in _FALSE_PAST) or not {low, _root(low)}.isdisjoint(PAST | UNCHANGED)


def _root(low: str) -> str:
    """Return a verb without what may lead it: rewrote, overslept, underwent, outgrew, misread, forecast, upset."""
    return _PREFIX.sub("", low)


def _is_adverb(word: str) -> bool:
    low = word.lower()
    return low in _ADVERBS or (low.endswith("ly") and len(low) > 4 and low not in _NOT_ADVERBS)  # noqa: PLR2004  (only, rely, fly)


@dataclass(frozen=True, slots=True)
class Voice:
    """How the user is called in a memory: by name, or as "The user"."""

    name: str | None = None

    @property
    def subject(self) -> str:
        """The user as the subject of a sentence."""
        return self.name or "the user"

    def retell(self, text: str) -> str:
        """Return a statement of the user in the third person: named at first, "they" afterwards.

        The verb of the first mention agrees with the name: "when I travel I prefer trains" becomes "When Alice travels
        they prefer trains". An imperative stays one: "Never call me" becomes "Never call Alice".
        """
        for pattern, full in _SPLIT_CONTRACTIONS:
            text = pattern.sub(full, text)
        retold = _Retelling(self, text.strip(_EDGES)).words()
        return retold[:1].upper() + retold[1:]

    def bare(self, text: str) -> str:
        """Return a phrase with "my" and "me" turned into "their" and "them": the object of a relation."""
        for pattern, full in _SPLIT_CONTRACTIONS:
            text = pattern.sub(full, text)
        return _Retelling(self, text.strip(_EDGES), is_named=True).words()


class _Retelling:
    """One pass over the tokens of a text; `named` tells whether the user was mentioned already."""

    def __init__(self, voice: Voice, text: str, *, is_named: bool = False) -> None:
        self._voice = voice
        self._tokens: list[str] = _TOKEN.findall(text)
        self._is_named = is_named
        self._group = "" if _COUPLE.search(text) else group_of(text)
        self._rewriters: Mapping[str, Callable[[int], str]] = {
            "i": self._first_person,
            "me": lambda at: self._form(self._voice.subject, "them"),
            "my": lambda at: self._form(f"{self._voice.subject}'s", "their"),
            "mine": lambda at: self._form(f"{self._voice.subject}'s", "theirs"),
            "myself": lambda at: "themselves",
            "we": self._group_person,
            "us": lambda at: self._form(self._their_group(), "them"),
            "our": self._group_owner,
            "ours": lambda at: self._form(f"{self._their_group()}'s", "theirs"),
            "ourselves": lambda at: "themselves",
            "you": self._assistant,
            "your": lambda at: "the assistant's",
            "don't": lambda at: "do not",
            "can't": lambda at: "cannot",
            "won't": lambda at: "will not",
        }
        self._nouns = frozenset(
            at
            for at, token in enumerate(self._tokens)
            if token.lower() in self._rewriters and not is_pronoun(self._tokens, at)
        )

    def words(self) -> str:
        """Return the rewritten text."""
        for at in range(len(self._tokens)):
            rewrite = self._rewriters.get(self._tokens[at].lower())
            if rewrite is not None and at not in self._nouns:
                self._tokens[at] = rewrite(at)
        return "".join(self._tokens)

    def _form(self, first: str, later: str) -> str:
        form = later if self._is_named else first
        self._is_named = True
        return form

    def _their_group(self) -> str:
        return f"{self._voice.subject}'s {self._group}" if self._group else self._voice.subject

    def _first_person(self, at: int) -> str:
        if self._is_named:
            self._agree_plural(at)
            return "they"
        self._is_named = True
        if _TWO.search("".join(self._tokens[:at])):
            self._agree_plural(at)
        else:
            self._conjugate(at)
        return self._voice.subject

    def _group_person(self, at: int) -> str:
        if self._is_named:
            return "they"
        self._is_named = True
        self._conjugate(at)
        return self._their_group()

    def _group_owner(self, at: int) -> str:
        is_group = self._neighbour(at, 1) in {"team", "family", "company", "group", "startup", "business", "department"}
        owner = self._voice.subject if is_group else self._their_group()
        return self._form(f"{owner}'s", "their")

    def _assistant(self, at: int) -> str:
        before = self._neighbour(at, -1)
        if before in _SUBORDINATE and before not in _OBJECTS_OF:
            self._conjugate(at)
        return "the assistant"

    def _conjugate(self, at: int) -> None:
        """Make the first verb after `at` agree with a singular subject."""
        verb = self._verb_after(at)
        if verb is not None:
            is_habit = _HABIT.search("".join(self._tokens)) is not None
            self._tokens[verb] = third_person(self._tokens[verb], is_habit=is_habit)

    def _agree_plural(self, at: int) -> None:
        verb = self._verb_after(at)
        if verb is not None:
            low = self._tokens[verb].lower()
            self._tokens[verb] = {"am": "are", "was": "were"}.get(low, self._tokens[verb])

    def _verb_after(self, at: int) -> int | None:
        for position in range(at + 1, len(self._tokens)):
            token = self._tokens[position]
            if not _WORD.match(token):
                if token.strip():
                    return None
                continue
            if not _is_adverb(token):
                return position
        return None

    def _neighbour(self, at: int, direction: int) -> str:
        position = at + direction
        while 0 <= position < len(self._tokens):
            if _WORD.match(self._tokens[position]):
                return self._tokens[position].lower()
            position += direction
        return ""
