"""What actions led to: as a tool reports it, and as the user tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem.extraction.conversation import ToolRun, tool_runs
from langchain_agentmem.extraction.rulebook import SAID, Rule, rule
from langchain_agentmem.types import Candidate

_READING: Final = frozenset(
    "search get list read fetch lookup look find query describe show view retrieve recall check count browse open load inspect browse download weather"
    " calculate calculator convert translate summarize time now current web wikipedia arxiv google tavily sql_db_list retriever think status head tail cat ls grep select peek scan stat help".split()
)
_MEMORY: Final = frozenset("memory memories remember recall forget".split())

_TROUBLE: Final = r"(?:failed|crashed|broke|timed out|was rolled back|was rejected|did(?:n't| not) (?:work|help|fix)|blew up|caused|led to|resulted in|errored|corrupted|stalled|never finished|went down|deadlocked|hung|was denied|bounced)"
_RELIEF: Final = r"(?:worked|succeeded|passed|fixed|solved|resolved|helped|went (?:well|fine|smoothly|through|through fine)|completed|finished|did the trick|made it|sped up|cut|reduced|improved|paid off|was accepted|was approved|cleared up|unblocked|brought)"
_DOING: Final = r"(?:(?!(?:it|that|this|I|we|he|she|they|you|what|which|who|if|when|nothing|someone|my (?:mom|dad|wife|husband|sister|brother|son|daughter|friend)) )[\w'./-]+(?: [\w'./%:+-]+){0,11}?)"

REPORTS: Final[tuple[Rule, ...]] = (
    rule(rf"(?P<object>{_DOING}) (?:has |have |had |just |still |also |finally |completely |immediately |only |actually |always )*(?:{_TROUBLE}|{_RELIEF})\b.+", "outcome", lasts=True, veto=r"\b(?:will|would|could|may|should|if|used to|to) (?:\w+ )?(?:have )?(?:work|fail|help|pass)|\b(?:passed away|broke up|broke my|cut my|passed by|finished (?:my|the|a) (?:book|coffee|lunch)|I|you|helped me|worked (?:at|for|as))\b"),
    rule(r"(?:we|I)(?:'ve| have)? (?:just |recently |finally |then |also |once |already )*(?:tried|attempted) .+(?:but|and) .*(?:fail|crash|error|broke|work|help|time|timed|reject|slow|no luck|succe|fixed|solv|pass).*", "outcome", lasts=True),
    rule(r"(?:we|I)(?:'ve| have)? (?:just |recently |finally |then )*(?:fixed|solved|resolved|broke|crashed|rolled back|reverted|recovered|restored) .+ (?:by|with|after|because|when|due to|using|since) .+", "outcome", lasts=True),
)
"""How a user tells of an outcome: what was done and what came of it, both named."""


def tool_outcomes(messages: Sequence[BaseMessage], *, new_from: int = 0) -> Iterator[Candidate]:
    """Yield what the tools of the new messages led to: every failure, and the success of what changes the world."""
    for run in tool_runs(messages, new_from=new_from):
        words = run.tool.replace("-", "_").lower().split("_")
        if not _MEMORY.isdisjoint(words) or (run.succeeded and words[0] in _READING):
            continue  # memory that remembers its own bookkeeping feeds on itself; a read changes nothing
        yield Candidate(
            content=_sentence(run),
            kind="outcome",
            source="learned",
            confidence=SAID,
            subject=run.tool[:200],
            tags=("tool",),
            provenance=run.provenance,
        )


def _sentence(run: ToolRun) -> str:
    verb = "succeeded" if run.succeeded else "failed"
    return f"{run.action} {verb}: {run.detail}" if run.detail else f"{run.action} {verb}"
