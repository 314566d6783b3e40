"""What actions led to: as a tool reports it, and as the user tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from langchain_core.messages import BaseMessage

from langchain_agentmem.english.words.calendar_words import MONTH, SEASON
from langchain_agentmem.english.words.kin_words import A_RELATIVE
from langchain_agentmem.extraction.books.rulebook import Rule, rule
from langchain_agentmem.extraction.record.conversation import ToolRun, tool_runs
from langchain_agentmem.policies.defaults import SAID
from langchain_agentmem.types import Candidate

_DEED: Final = (
    r"(?:deployed|sent|created|booked|merged|fixed|updated|scheduled|deleted|restarted|migrated"
    r"|rolled back|installed|published|ordered|cancelled|canceled|paid|transferred|reserved|renewed"
    r"|uploaded|submitted|moved|renamed|removed|configured|enabled|disabled|upgraded|released|restored"
    r"|archived|invited|charged|refunded|rescheduled|emailed|posted|added)"
)

_READING: Final = frozenset(
    "search get list read fetch lookup look find query describe show view retrieve recall check count"
    " browse open load inspect browse download weather"
    " calculate calculator convert translate summarize time now current web wikipedia arxiv google"
    " tavily sql_db_list retriever think status head tail cat ls grep select peek scan stat help".split()
)
_MEMORY: Final = frozenset("memory memories remember recall forget".split())

_TROUBLE: Final = (
    r"(?:failed|crashed|broke|timed out|was rolled back|was rejected|did(?:n't| not) (?:work|help|fix)"
    r"|blew up|caused|led to|resulted in|errored|corrupted|stalled|never finished|went down|deadlocked"
    r"|hung|was denied|bounced)"
)
_RELIEF: Final = (
    r"(?:worked|succeeded|passed|fixed|solved|resolved|helped|went (?:well|fine|smoothly|through"
    r"|through fine)|completed|finished|did the trick|made it (?:work|worse|better|faster|slower"
    r"|through)|sped up|cut|reduced|improved|doubled|tripled|halved|quadrupled|increased|decreased"
    r"|raised|lowered|showed|yielded|gave (?:me|us)|paid off|turned out|made .+ (?:faster|slower"
    r"|better|worse|easier|harder|cheaper|cleaner|smaller|go away|disappear|vanish)|was accepted|was approved"
    r"|cleared up"
    r"|unblocked|brought)"
)
_DOING: Final = (
    r"(?:last time,? |yesterday,? |today,? |this morning,? |in the end,? |on \w+day,? )?(?:(?:the|our"
    rf"|my|your|adding|\w+ing|a|an|both|all|every|each|no) (?!(?:(?:late|dear|poor|beloved|old) )?(?:{A_RELATIVE}"
    r"|friend|neighbour|neighbor|colleague|boss|doctor|dentist|gp|nurse|consultant|therapist"
    r"|psychiatrist|specialist|surgeon|landlord|landlady|clinic"
    r"|grand\w+)\b)[\w'./+-]+(?: [\w'./%:+-]+){0,11}?|[\w-]*(?:ing|tion|ment|up|down|deploy|build"
    r"|release|migration|rollback|backup|restart|fix|patch|update|upgrade)(?: [\w'./%:+-]+){0,9}?)"
)

_ARRANGED: Final = (
    r"\b(?:fixed (?:for|on|at) (?:(?:the|next|this|early|mid|late) )?(?:£|\$|€|\d|noon|half|month|week|year|\w+day\b"
    rf"|{MONTH}|{SEASON})"
    r"|passed to\b|finished for (?:the|today|tonight|now|good|this)\b|(?:rent|bill|fee|price|estate|house|title) "
    r"passed\b"
    r"|(?:man|bloke|guy|woman|lady|lad|lads|chap|people) (?:\w+ )?fixed\b)"
)
"""What is set for a day, comes to somebody or is over for the season is no outcome of a deed."""

REPORTS: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?P<object>{_DOING}) (?:has |have |had |just |still |also |finally |completely |immediately "
        rf"|only |actually |always |again |got |was |were |been ){{0,4}}(?:{_TROUBLE}|{_RELIEF}|accepted|rejected"
        r"|approved|declined|refused|cancelled|rolled back)(?:\b.+|(?<=away|nish|pear|ster|aper|ower|sier|aner"
        r"|rder|ller)$)",
        "outcome",
        lasts=True,
        veto=(
            rf"{_ARRANGED}|\b(?:will|would|could|may|should|if|used to|to) (?:\w+ )?(?:have )?(?:work|fail|help|pass)\b"
            r"|\b(?:passed away|broke up|broke my|cut my|passed by|finished (?:my|the|a) (?:book|coffee|lunch)"
            r"|helped me|worked (?:at|for|as|in))\b"
        ),
    ),
    rule(
        r"(?:we|I)(?:'ve| have)? (?:just |recently |finally |then |also |once |already ){0,4}(?:tried"
        r"|attempted) .+(?:but|and) .*(?:fail|crash|error|broke|work|help|time|timed|reject|slow|no luck"
        r"|succe|fixed|solv|pass|lost|lose|turned out|came out|burn|hurt|leak|drop|went|made|never again|felt"
        r"|sick\b|worse|better).*",
        "outcome",
        lasts=True,
    ),
    rule(
        r"(?:we|I)(?:'ve| have)? (?:just |recently |finally |then |once ){0,4}(?:\w+(?:ed|t|n|d)|took|ran|ate"
        r"|gave) .+ (?:and|but|so"
        r"|which) (?:it|that|this|everything|the [\w ]+?|our [\w ]+?|[\w-]{3,}s|nothing|all of it) (?:then "
        r"|just |immediately |promptly |suddenly |still ){0,4}(?:took|broke|failed|crashed|lost|worked|fixed"
        r"|solved|helped|brought|went|got|passed|blew|deleted|caused|made|cost|stopped|timed|leaked"
        r"|corrupted|saved|cut|sped|tripled|doubled|halved|increased|reduced|dropped|improved|didn't"
        r"|did not|did (?:nothing|wonders|the trick)|had no effect)\b.*",
        "outcome",
        lasts=True,
        veto=r"^(?:I|we)(?:'ve| have)? \w+ (?:it|this|that)\b",
    ),
    rule(
        r"(?:we|I)(?:'ve| have)? (?:just |recently |finally |then |once ){0,4}(?:\w+(?:ed|t|n|d)|took|ran"
        r"|gave) .+ (?:and|but) (?:then "
        r"|promptly |still ){0,2}(?:lost|broke|saved|halved|doubled|tripled|corrupted|crashed|gained|cut) .+",
        "outcome",
        lasts=True,
    ),
    rule(
        r"(?:we|I)(?:'ve| have)? (?:just |recently |finally |then ){0,4}(?:fixed|solved|resolved|broke|crashed"
        r"|rolled back|reverted|recovered|restored) .+ (?:by|with|after|because|when|due to|using"
        r"|since) .+",
        "outcome",
        lasts=True,
    ),
)
"""How a user tells of an outcome: what was done and what came of it, both named."""


CLAIMS: Final[tuple[Rule, ...]] = (
    rule(
        rf"(?:I|we)(?:'ve| have)? (?:now |just |already |successfully ){{0,4}}{_DEED} (?P<object>(?!(?:it|this"
        r"|that|you|some|an example)\b).+)",
        "outcome",
        lasts=True,
    ),
    rule(
        r"the (?P<object>[\w' -]+?) (?:(?:has|have) been|was|were|is|are|went|got|failed|completed"
        rf"|succeeded)(?: now| successfully){{0,4}} (?:{_DEED}|live|out|through|to|with|because|after|in|at"
        r"|without).*",
        "outcome",
        lasts=True,
        veto=r"\b(?:is|are) (?:in|at|to|with|without|out)\b",
    ),
)
"""How an assistant reports a deed of its own; without a tool's answer beside it, it is a claim and stays one."""


def tool_outcomes(messages: Sequence[BaseMessage], *, new_from: int = 0) -> Iterator[Candidate]:
    """Yield what the tools of the new messages led to: every failure, and the success of what changes the world."""
    for run in tool_runs(messages, new_from=new_from):
        words = run.tool.replace("-", "_").lower().split("_")
        if not _MEMORY.isdisjoint(words) or (run.succeeded and (words[0] in _READING or run.was_told)):
            continue  # memory that remembers its own bookkeeping feeds on itself; a read, or an errand, changes nothing
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
    action = f"{run.tool}(…)" if run.was_told else run.action
    return f"{action} {verb}: {run.detail}" if run.detail else f"{action} {verb}"
