"""How much of what answers a question is found, without any language model, on public conversations.

    python benchmarks/retrieval.py --locomo FILE [--beam FOLDER] [--longmemeval FILE] [--no-model] [--facts]
                                   [--hops N] [--json FILE]

Takes any file in the published formats (`.json` or `.json.xz`; BEAM: a folder with any number of chats below it). Each
conversation is ingested as one user's episodes and every question is asked through `long_term.recall`. Prints one JSON
line per data set and category, in percent: `R@k` is the share of the units that answer a question among the first k
found (LoCoMo: one turn, else one exchange), `session_hit@5` the share of questions one of whose sessions is among the
first five found, `ci95_R@10` the 95 % bootstrap interval over questions. For LoCoMo, "all" leaves out the adversarial
questions, except in `session_hit@5`. What lines of `abstention` say stands in `_nothing.py`, of `facts` in `_facts.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from _common import pin_threads
from _facts import measure_facts
from _found import Answer, Line, Places, judge, report, search
from _nothing import Doubt, doubt_of, foreign_doubts, is_answerable
from _nothing import report as report_nothing
from _questions import ABSTENTION, Conversation, read_beam, read_locomo, read_longmemeval

from langchain_agentmem import AgentMemory, Scope

READERS = {"locomo": read_locomo, "beam": read_beam, "longmemeval": read_longmemeval}


def ingest(memory: AgentMemory, conversation: Conversation) -> Scope:
    """Keep every session of a conversation as episodes of one user."""
    scope = Scope(conversation.id)
    for session in conversation.sessions:
        place = Scope(conversation.id, session_id=session.id)
        memory.episodes.ingest(session.messages, scope=place, at=session.at)
    return scope


def ask(memory: AgentMemory, conversation: Conversation) -> tuple[list[Answer], list[Doubt]]:
    """Ask every question about a conversation."""
    scope, places = Scope(conversation.id), Places.of(conversation)
    answers, doubts = [], []
    for question in conversation.questions:
        recall = search(memory, scope, question)
        doubts.append(doubt_of(memory, scope, question.category, recall))
        if question.evidence and question.category != ABSTENTION:
            answers.append(judge(recall, question, places))
    return answers, doubts


def measure(data: str, conversations: Sequence[Conversation], *, has_model: bool) -> list[Line]:
    """Ingest and ask everything; the time goes to the error stream."""
    mode, answers, doubts = "model" if has_model else "no-model", [], []
    with AgentMemory.in_memory(embeddings="local" if has_model else None, consent="assumed") as memory:
        began = time.perf_counter()
        for conversation in conversations:
            ingest(memory, conversation)
        ingested = time.perf_counter()
        for conversation in conversations:
            found, doubted = ask(memory, conversation)
            answers += found
            doubts += doubted
        asked = time.perf_counter()
        for one, other in _neighbours(data, conversations):
            doubts += foreign_doubts(memory, one, other)
    print(
        f"{data}, {mode}: {len(conversations)} conversations ingested in {ingested - began:.1f} s, "
        f"{len(answers)} questions with an answer and {len(doubts) - len(answers)} without in {asked - ingested:.1f} s "
        f"and {time.perf_counter() - asked:.1f} s",
        file=sys.stderr,
    )
    return [*report(data, mode, answers), *report_nothing(data, mode, doubts)]


def _neighbours(data: str, conversations: Sequence[Conversation]) -> list[tuple[Conversation, Conversation]]:
    """Return each conversation with the next; of LongMemEval none: its conversations share their sessions."""
    several = [it for it in conversations if any(map(is_answerable, it.questions))]
    if data == "longmemeval" or len(several) < 2:
        return []
    return list(pairwise([*several, several[0]]))


def main() -> None:
    """Read what was named, measure, and print each data set's lines as soon as they are known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for data in READERS:
        parser.add_argument(f"--{data}", type=Path)
    parser.add_argument("--no-model", action="store_true", help="search by words only")
    parser.add_argument("--facts", action="store_true", help="also ask what extraction made of the conversations")
    parser.add_argument("--hops", type=int, default=0, help="ask facts along so many relations of what is named")
    parser.add_argument("--quick", action="store_true", help="the first conversation of each data set only")
    parser.add_argument("--json", type=Path, help="also write the lines to this file")
    chosen = parser.parse_args()
    lines: list[Line] = []
    for data, read in READERS.items():
        path = getattr(chosen, data)
        if path is None:
            continue
        conversations = read(path)[: 1 if chosen.quick else None]
        if not conversations:
            parser.error(f"no conversations in {path}; expected what {data} publishes")
        found = measure(data, conversations, has_model=not chosen.no_model)
        if chosen.facts:
            found += measure_facts(data, conversations, has_model=not chosen.no_model, hops=chosen.hops)
        print("\n".join(map(json.dumps, found)), flush=True)
        lines += found
    if not lines:
        print("nothing to read: name --locomo FILE or --beam FOLDER; neither is part of this project", file=sys.stderr)
    if chosen.json is not None:
        chosen.json.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


if __name__ == "__main__":
    pin_threads()
    main()
