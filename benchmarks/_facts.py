"""How much is found of what became facts: the conversations go through extraction, and facts alone are asked.

Every turn of a person goes through the extraction by rules, with what was said just before as context, and through the
write policy, with consent. Who speaks is a user of their own: facts are about "I". A question is asked of those whom it
names, of everybody where it names nobody; what several people's memories hold is put in the order of the scores.

A line of `facts`:

* `n`: questions with an answer in at least one message that became a fact. `R@k`: the share of those messages
  among the sources of the first k facts. It is known where a fact came from, not whether it says what was asked for.
* `n_all`: questions with an answer at all. `share_of_all`: `n` of them. `R@10_of_all`: where what became no fact is not
  found. `turns`, `facts`: how many there were; `turns_with_facts`: the share that left any.
* `decisions`: what the write policy said of all candidates, by verdict.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from _found import CUTS, DEPTH, Line, interval, percent
from _nothing import is_answerable
from _questions import Conversation, Question
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_agentmem import AgentMemory, RecallQuery, Scope
from langchain_agentmem.types import KINDS, Hit

FACT_KINDS: Final = tuple(kind for kind in KINDS if kind != "episode")
SOMEBODY: Final = "user"


@dataclass(slots=True)
class Learnt:
    """What became of one conversation: whose facts there are, and from which messages each fact came."""

    scopes: dict[str, Scope]
    sources: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    verdicts: Counter[str] = field(default_factory=Counter)
    turns: int = 0

    @property
    def messages(self) -> set[str]:
        """Return the ids of the messages from which a fact was written."""
        return set().union(*self.sources.values())


@dataclass(slots=True)
class Total:
    """Counts over all conversations."""

    turns: int = 0
    turns_with_facts: int = 0
    facts: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What was found of a question's messages that became facts, by cut; nothing where none did."""

    category: str
    found: dict[int, float]
    share_of_evidence: float


def learn(memory: AgentMemory, conversation: Conversation) -> Learnt:
    """Extract facts from every turn of a person, and let the write policy decide."""
    names = _names(conversation)
    learnt = Learnt(scopes={name: Scope(f"{conversation.id}/{name}") for name in names})
    for scope in learnt.scopes.values():
        memory.consent.grant(scope)
    for session in conversation.sessions:
        before: BaseMessage | None = None
        for message in session.messages:
            if isinstance(message, HumanMessage) and message.text.strip():
                _learn_turn(memory, learnt, message, before)
            before = message
    return learnt


def _names(conversation: Conversation) -> list[str]:
    people = (it for session in conversation.sessions for it in session.messages if isinstance(it, HumanMessage))
    return list(dict.fromkeys(it.name or SOMEBODY for it in people))


def _learn_turn(memory: AgentMemory, learnt: Learnt, message: BaseMessage, before: BaseMessage | None) -> None:
    name = message.name or SOMEBODY
    scope = learnt.scopes[name]
    context = [AIMessage(before.text)] if before is not None and before.text.strip() else []
    learnt.turns += 1
    called = None if name == SOMEBODY else name
    for candidate in memory.extractor.extract([*context, message], user_name=called, new_from=len(context)):
        decision = memory.long_term.remember(candidate, scope=scope)
        learnt.verdicts[decision.verdict] += 1
        if decision.memory is not None and decision.verdict in {"written", "merged"}:
            learnt.sources[decision.memory.id].add(str(message.id))


# --------------------------------------------------------------------------------------------------------------- ask
def show(memory: AgentMemory, learnt: Learnt, question: Question, hops: int = 0) -> Shown:
    """Ask facts alone, and hold their sources against what answers the question."""
    wanted = question.evidence & learnt.messages
    hits = sorted(_hits(memory, learnt, question, hops), key=lambda hit: -hit.score) if wanted else []
    found = {cut: len(wanted & _sources(learnt, hits[:cut])) / max(1, len(wanted)) for cut in CUTS}
    return Shown(category=question.category, found=found, share_of_evidence=len(wanted) / len(question.evidence))


def _hits(memory: AgentMemory, learnt: Learnt, question: Question, hops: int) -> Iterator[Hit]:
    named = [name for name in learnt.scopes if re.search(rf"\b{re.escape(name)}\b", question.text, re.IGNORECASE)]
    query = RecallQuery(text=question.text, kinds=FACT_KINDS, limit=DEPTH, asked_at=question.asked_at, hops=hops)
    for name in named or learnt.scopes:
        yield from memory.long_term.recall(query, scope=learnt.scopes[name])


def _sources(learnt: Learnt, hits: Sequence[Hit]) -> set[str]:
    return {message_id for hit in hits for message_id in learnt.sources.get(hit.memory.id, ())}


# ------------------------------------------------------------------------------------------------------------- lines
def measure_facts(data: str, conversations: Sequence[Conversation], *, has_model: bool, hops: int = 0) -> list[Line]:
    """Learn and ask everything, along so many relations of what is named; the time goes to the error stream."""
    mode, began = "model" if has_model else "no-model", time.perf_counter()
    shown, whole = [], Total()
    with AgentMemory.in_memory(embeddings="local" if has_model else None) as memory:
        for conversation in conversations:
            learnt = learn(memory, conversation)
            shown += [show(memory, learnt, it, hops) for it in conversation.questions if is_answerable(it)]
            whole.turns += learnt.turns
            whole.verdicts += learnt.verdicts
            whole.facts += len(learnt.sources)
            whole.turns_with_facts += len(learnt.messages)
    took = time.perf_counter() - began
    print(f"{data}, {mode}, facts: {whole.turns} turns learnt and asked in {took:.1f} s", file=sys.stderr)
    return [_line(data, mode, "facts", shown) | _learnt(whole), *_by_category(data, mode, shown)]


def _by_category(data: str, mode: str, shown: Sequence[Shown]) -> Iterator[Line]:
    for category in dict.fromkeys(it.category for it in shown):
        yield _line(data, mode, f"facts/{category}", [it for it in shown if it.category == category])


def _learnt(whole: Total) -> Line:
    return {
        "turns": whole.turns,
        "turns_with_facts": percent([whole.turns_with_facts / whole.turns]) if whole.turns else None,
        "facts": whole.facts,
        "decisions": dict(whole.verdicts),
    }


def _line(data: str, mode: str, category: str, shown: Sequence[Shown]) -> Line:
    became = [it for it in shown if it.share_of_evidence]
    return {
        "data": data,
        "mode": mode,
        "category": category,
        "n": len(became),
        "n_all": len(shown),
        "share_of_all": percent(bool(it.share_of_evidence) for it in shown),
        **{f"R@{cut}": percent(it.found[cut] for it in became) for cut in CUTS},
        "ci95_R@10": interval([it.found[10] for it in became]),
        "R@10_of_all": percent(it.found[10] * it.share_of_evidence for it in shown),
    }
