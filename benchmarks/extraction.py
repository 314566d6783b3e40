"""Precision and recall of memory extraction over the labelled corpus, for the rules and, if one is named, a model.

    python benchmarks/extraction.py [--split dev|test|all] [--model provider:name] [--json] [--errors] [--strict]

A candidate matches a gold item of the same kind whose key words it contains (by stem) and whose polarity it shares; one
to one, greedily. Precision counts every candidate, those taken from traps included; optional gold counts neither way.
The format of the corpus and the rules of labelling are in `benchmarks/data/README.md`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import Stemmer
from langchain.chat_models import init_chat_model
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from rich.console import Console
from rich.table import Table

from langchain_agentmem.errors import ModelOutputError
from langchain_agentmem.extraction import ModelExtractor, RuleExtractor
from langchain_agentmem.types import Candidate

Row: TypeAlias = dict[str, Any]
Gold: TypeAlias = dict[str, Any]
Extract: TypeAlias = Callable[[Row], list[Candidate]]

CORPUS: Final = Path(__file__).parent / "data" / "extraction_corpus.jsonl"
SPLITS: Final = ("dev", "test")
MIN_PREFIX: Final = 4  # shorter prefixes match unrelated words

_STEMMER: Final = Stemmer.Stemmer("english")
_WORD: Final = re.compile(r"[^\W_]+(?:[.,:'/_-][^\W_]+)*")
_JOINT: Final = re.compile(r"[.,:'/_-]")
_IDIOMS: Final = re.compile(
    r"\b(?:no (?:more|later|less|fewer) than|not (?:only|more than|just)|can(?:'t|not) wait|"
    r"no (?:problem|worries)|nothing (?:beats|better)|"
    r"(?:don't|doesn't|wouldn't|do not|does not|would not) mind|(?:no|without) errors?)\b"
)
_AUXILIARY: Final = r"(?<!\bis)(?<!\bam)(?<!\bare)(?<!\bwas)(?<!\bdo)(?<!\bdoes)(?<!\bdid)(?<!\bmust)(?<!\bwill)"
_CLAUSE: Final = re.compile(
    r"[;!?()\n]|\.\s|,\s|\s[-–—]\s|—|"
    r"\b(?=(?:but|however|though|although|so|because|since|while|whereas|if|unless|that (?:is|are|does|do)n't|"
    r"instead of|rather than)\b)|"
    rf"\band (?=(?:i|we|he|she|they|it|prefers?|\w+ (?:is|are|was|were|must|should|will|can))\b)|"
    rf"{_AUXILIARY}\s(?=not\b)"
)
_NEGATOR: Final = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|instead of|rather than|"
    r"(?:do|does|did|is|are|was|were|wo|ca|would|should|could|has|have|had)nt|cant|wont)\b|n't\b"
)
_AVERSION: Final = re.compile(
    r"\b(?:hat(?:e|es|ed|ing)|dislik\w+|avoid\w*|stop(?:s|ped|ping)?|refus\w+|unbearable|forbid\w*|prohibit\w*)\b"
)
_FAILURE: Final = re.compile(
    r"fail|error|abort|denied|declin|refus|reject|forbid|exception|traceback|time(?:d|s)? ?out|timing out|unable|"
    r"not\b|n't\b|crash|broke|\bdown\b|complain|too salty|regret|\blost\b|unsuccess|"
    r"exit(?:ed)?(?: with)?(?: code)? [1-9]"
)


@dataclass(slots=True)
class Tally:
    """Hits, false alarms and misses of one kind."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def figures(self) -> dict[str, float | int]:
        """Precision, recall, F1 and the number of gold items."""
        precision = self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0
        recall = self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return {
            "precision": round(precision, 3),
            "recall": round(recall, 3),
            "f1": round(f1, 3),
            "n": self.tp + self.fn,
        }


@dataclass(slots=True)
class TrapTally:
    """Utterances of one trap, how many gave a false positive, and how many false positives there were."""

    n: int = 0
    fooled: int = 0
    false_positives: int = 0

    def figures(self) -> dict[str, float | int]:
        """Rate of utterances with at least one false positive."""
        rate = round(self.fooled / self.n, 3) if self.n else 0.0
        return {"n": self.n, "fooled": self.fooled, "false_positives": self.false_positives, "rate": rate}


@dataclass(slots=True)
class Report:
    """What one extractor did on one split."""

    extractor: str
    split: str
    kinds: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    traps: dict[str, TrapTally] = field(default_factory=lambda: defaultdict(TrapTally))
    errors: list[str] = field(default_factory=list)
    failures: int = 0

    def as_json(self) -> Row:
        """The figures as one JSON object."""
        kinds = {kind: tally.figures() for kind, tally in sorted(self.kinds.items())}
        traps = {trap: tally.figures() for trap, tally in sorted(self.traps.items())}
        return {
            "extractor": self.extractor,
            "split": self.split,
            "kinds": kinds,
            "traps": traps,
            "failures": self.failures,
        }


# ------------------------------------------------------------------------------------------------------------ corpus
def load(split: str = "all", path: Path = CORPUS) -> list[Row]:
    """The utterances of a split, in file order."""
    rows: list[Row] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if split in ("all", row["split"])]


def without_also(rows: Iterable[Row]) -> list[Row]:
    """The same utterances, each gold item accepted under its first kind only."""
    return [row | {"gold": [gold | {"also": []} for gold in row["gold"]]} for row in rows]


def messages_of(row: Row) -> list[BaseMessage]:
    """The conversation an extractor sees: the message before, where there is one, and the new one."""
    text, before, key = row["text"], row["previous"], row["id"]
    if row["speaker"] == "tool":
        tool = row["tool"]
        call = AIMessage(
            before or "", id=f"{key}-0", tool_calls=[{"name": tool["name"], "args": {}, "id": f"call-{key}"}]
        )
        return [call, ToolMessage(text, id=key, tool_call_id=f"call-{key}", name=tool["name"], status=tool["status"])]
    new: BaseMessage = AIMessage(text, id=key) if row["speaker"] == "assistant" else HumanMessage(text, id=key)
    if before is None:
        return [new]
    return [
        HumanMessage(before, id=f"{key}-0") if row["speaker"] == "assistant" else AIMessage(before, id=f"{key}-0"),
        new,
    ]


# ---------------------------------------------------------------------------------------------------------- matching
def stems(text: str) -> set[str]:
    """Lower-case words of a text, whole and in parts, each also stemmed."""
    words = {word for whole in _WORD.findall(text.lower().replace("’", "'")) for word in (whole, *_JOINT.split(whole))}
    return words | set(_STEMMER.stemWords(sorted(words)))


def has_key(found: set[str], key: str) -> bool:
    """Whether one of a key's alternatives is among the words, by stem or as a prefix."""
    for option in key.split("|"):
        if option in found or _STEMMER.stemWord(option) in found:
            return True
        if len(option) >= MIN_PREFIX and any(word.startswith(option) for word in found):
            return True
    return False


def is_negated(clause: str) -> bool:
    """Whether a clause denies or rejects; an aversion denied is none ("does not dislike")."""
    return bool(_NEGATOR.search(clause)) != bool(_AVERSION.search(clause))


def polarities(content: str, gold: Gold) -> set[str]:
    """The polarities with which a content speaks of a gold item's key words."""
    text = _IDIOMS.sub(" ", content.lower().replace("’", "'"))
    if gold["kind"] == "outcome":
        return {"-" if _FAILURE.search(text) else "+"}
    clauses = [part for part in _CLAUSE.split(text) if part and part.strip()]
    counts = [sum(has_key(stems(clause), key) for key in gold["key"]) for clause in clauses]
    best = max(counts, default=0)
    return {"-" if is_negated(clause) else "+" for clause, count in zip(clauses, counts, strict=True) if count == best}


def kind_of(candidate: Candidate) -> str:
    """The kind as the corpus names it: a fact tagged `decision` is a decision."""
    return "decision" if candidate.kind == "fact" and "decision" in candidate.tags else candidate.kind


def matches(candidate: Candidate, gold: Gold) -> bool:
    """Whether a candidate says what a gold item asks for."""
    if kind_of(candidate) not in (gold["kind"], *gold.get("also", ())):
        return False
    found = stems(candidate.content)
    if not all(has_key(found, key) for key in gold["key"]):
        return False
    return gold["polarity"] == "any" or gold["polarity"] in polarities(candidate.content, gold)


def pair(candidates: Sequence[Candidate], golds: Sequence[Gold]) -> dict[int, int]:
    """Match greedily, one to one: index of the candidate to index of its gold item.

    Required gold comes first, then the more specific; a candidate of gold's own kind is preferred to an accepted one.
    """
    order = sorted(range(len(golds)), key=lambda i: (golds[i].get("optional", False), -len(golds[i]["key"])))
    paired: dict[int, int] = {}
    for index in order:
        gold = golds[index]
        free = [i for i, candidate in enumerate(candidates) if i not in paired and matches(candidate, gold)]
        if free:
            paired[min(free, key=lambda i: (kind_of(candidates[i]) != gold["kind"], i))] = index
    return paired


# ----------------------------------------------------------------------------------------------------------- scoring
def score(report: Report, row: Row, candidates: Sequence[Candidate]) -> None:
    """Add one utterance to a report."""
    golds = row["gold"]
    paired = pair(candidates, golds)
    false = [candidate for i, candidate in enumerate(candidates) if i not in paired]
    missed = [gold for i, gold in enumerate(golds) if not gold.get("optional") and i not in paired.values()]
    for index in paired.values():
        if not golds[index].get("optional"):
            _count(report, golds[index]["kind"], "tp")
    for candidate in false:
        _count(report, kind_of(candidate), "fp")
    for gold in missed:
        _count(report, gold["kind"], "fn")
    _score_corrections(report, candidates, golds, paired)
    trap = report.traps[row["trap"] or "none"]
    trap.n += 1
    trap.fooled += bool(false)
    trap.false_positives += len(false)
    report.errors += [f"{row['id']} {row['text']!r} false {kind_of(c)}: {c.content!r}" for c in false]
    report.errors += [f"{row['id']} {row['text']!r} missed {g['kind']} {g['key']} {g['polarity']}" for g in missed]


def _count(report: Report, kind: str, outcome: str) -> None:
    """Count under the kind and under all kinds together."""
    for name in (kind, "all"):
        tally = report.kinds[name]
        setattr(tally, outcome, getattr(tally, outcome) + 1)


def _score_corrections(
    report: Report, candidates: Sequence[Candidate], golds: Sequence[Gold], paired: dict[int, int]
) -> None:
    """Whether corrections were seen to be such: a row of its own, beside the kinds."""
    tally = report.kinds["correction"]
    marked = {paired.get(i) for i, candidate in enumerate(candidates) if candidate.is_correction}
    for index, gold in enumerate(golds):
        if gold.get("correction") and not gold.get("optional"):
            tally.tp += index in marked
            tally.fn += index not in marked
    tally.fp += sum(
        candidate.is_correction and not (i in paired and golds[paired[i]].get("correction"))
        for i, candidate in enumerate(candidates)
    )


def evaluate(name: str, rows: Sequence[Row], extract: Extract, *, split: str) -> Report:
    """Run an extractor over utterances; a model's unusable answer is counted and yields nothing."""
    report = Report(name, split)
    for row in rows:
        try:
            candidates = extract(row)
        except ModelOutputError:
            report.failures += 1
            candidates = []
        score(report, row, candidates)
    return report


# ---------------------------------------------------------------------------------------------------------- printing
def kind_table(report: Report) -> Table:
    """Precision, recall and F1 per kind."""
    table = Table("kind", "precision", "recall", "F1", "n", title=f"{report.extractor} · {report.split}")
    for kind, tally in sorted(report.kinds.items(), key=lambda item: (item[0] in ("all", "correction"), item[0])):
        figures = tally.figures()
        table.add_row(
            kind, f"{figures['precision']:.3f}", f"{figures['recall']:.3f}", f"{figures['f1']:.3f}", str(figures["n"])
        )
    return table


def trap_table(report: Report) -> Table:
    """How often each trap was fallen for."""
    table = Table("trap", "utterances", "with a false positive", "rate", title=f"{report.extractor} · {report.split}")
    for trap, tally in sorted(report.traps.items()):
        table.add_row(trap, str(tally.n), str(tally.fooled), f"{tally.figures()['rate']:.3f}")
    return table


def show(report: Report, *, as_json: bool, with_errors: bool) -> None:
    """Print a report: one JSON line, or two tables and, where asked for, every error."""
    if as_json:
        sys.stdout.write(json.dumps(report.as_json()) + "\n")
        return
    console = Console()
    console.print(kind_table(report), trap_table(report))
    if report.failures:
        console.print(f"{report.failures} answers of the model could not be used")
    if with_errors:
        console.print("\n".join(report.errors), markup=False, highlight=False)


def rules() -> Extract:
    """The extractor that needs no model."""
    extractor = RuleExtractor()

    def extract(row: Row) -> list[Candidate]:
        messages = messages_of(row)
        return extractor.extract(messages, user_name=row["user_name"], new_from=len(messages) - 1)

    return extract


def model(name: str) -> Extract:
    """The extractor that asks a chat model, named as `init_chat_model` names it."""
    extractor = ModelExtractor(init_chat_model(name, temperature=0))

    def extract(row: Row) -> list[Candidate]:
        messages = messages_of(row)
        return extractor.extract(messages, user_name=row["user_name"], new_from=len(messages) - 1)

    return extract


def main(arguments: Iterable[str] | None = None) -> None:
    """Read the command line, run, print."""
    parser = argparse.ArgumentParser(description="Precision and recall of memory extraction")
    parser.add_argument(
        "--split", choices=(*SPLITS, "all"), default="all", help="all: both halves, one after the other"
    )
    parser.add_argument("--model", help="also a chat model, as provider:name")
    parser.add_argument("--json", action="store_true", help="one JSON line per extractor and split")
    parser.add_argument("--errors", action="store_true", help="list false and missed memories of the dev half")
    parser.add_argument("--strict", action="store_true", help="accept the first kind of each gold item only")
    parser.add_argument(
        "--quick", action="store_true", help="accepted as by every benchmark; the rules are quick as they are"
    )
    options = parser.parse_args(None if arguments is None else list(arguments))
    extractors = {"rules": rules()} | ({options.model: model(options.model)} if options.model else {})
    for name, extract in extractors.items():
        for split in SPLITS if options.split == "all" else (options.split,):
            rows = without_also(load(split)) if options.strict else load(split)
            report = evaluate(name, rows, extract, split=split)
            show(report, as_json=options.json, with_errors=options.errors and split == "dev")


if __name__ == "__main__":
    main()
