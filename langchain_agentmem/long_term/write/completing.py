"""Corrections of a few words as whole sentences: "TypeScript, not JavaScript" means what is known of JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from langchain_agentmem._flow import Flow
from langchain_agentmem.english.reading.reading import read
from langchain_agentmem.extraction.dialogue.contrasts import Contrast, half_said, put_right, whole
from langchain_agentmem.ledger.base import LedgerReader, Page
from langchain_agentmem.long_term.parts import Parts
from langchain_agentmem.long_term.write.addressing import as_known
from langchain_agentmem.long_term.write.similar import statement_of
from langchain_agentmem.long_term.write.weighing import is_live
from langchain_agentmem.policies.purposes import are_apart
from langchain_agentmem.policies.trust import OWN_WORD, class_of
from langchain_agentmem.policies.write import NOTHING_CORRECTED, SEVERAL_CORRECTED, Ruling
from langchain_agentmem.types import Candidate, Kind, Memory, Scope

_TOLD: Final[tuple[Kind, ...]] = ("fact", "preference", "constraint", "goal")
"""Kinds that are a user's statements; an outcome is what was done."""


def as_meant(parts: Parts, candidates: Sequence[Candidate], scope: Scope) -> Flow[list[Candidate]]:
    """Return candidates as what is known has them mean, what only puts a word right as a whole sentence.

    What nobody can complete is as it was: `cannot_stand` refuses it. The ledger is read only where there is one; its
    state that the transaction is held against is read before.
    """
    candidates = yield from as_known(parts.ledger, candidates, scope)
    if not any(map(contrast_of, candidates)):
        return candidates
    return (
        yield from parts.ledger.read(
            scope, lambda reader: [_completed(reader, it, scope, parts.clock()) for it in candidates]
        )
    )


def contrast_of(candidate: Candidate) -> Contrast | None:
    """Return what a candidate puts right, where it is the user's word and says nothing else.

    A preference or a rule may be told in no more words ("tabs, not spaces") and puts something right only where it says
    so.
    """
    if class_of(candidate.provenance) not in OWN_WORD or candidate.kind not in _TOLD or candidate.supersedes:
        return None
    said = half_said(candidate.content)
    may_correct = said is not None and (candidate.kind == "fact" or candidate.is_correction or said.is_marked)
    return said.contrast if said is not None and may_correct else None


def cannot_stand(reader: LedgerReader, candidate: Candidate, now: datetime) -> Ruling | None:
    """Return why what puts a word right is not kept: the other is not said, or not just once, or went meanwhile."""
    if candidate.corrects is not None and candidate.supersedes:
        known = reader.memories(candidate.supersedes)
        is_there = all(it in known and is_live(known[it], now) for it in candidate.supersedes)
        return None if is_there else NOTHING_CORRECTED
    contrast = contrast_of(candidate)
    if contrast is None:
        return None
    return SEVERAL_CORRECTED if len(_saying(reader, candidate, contrast, now)) > 1 else NOTHING_CORRECTED


def as_sentence(words: str, old: Memory) -> str:
    """Return the user's words about the memory they mean: as a whole sentence, where they say it in half."""
    said = half_said(words)
    mended = old.content if said is None else put_right(old.content, said.contrast)
    return words if mended == old.content else mended


def _completed(reader: LedgerReader, candidate: Candidate, scope: Scope, now: datetime) -> Candidate:
    contrast = contrast_of(candidate)
    found = [] if contrast is None else _saying(reader, candidate, contrast, now)
    if contrast is None or len(found) != 1:
        return candidate
    [old] = found
    subject, value = (None if it is None else put_right(it, contrast) for it in (old.subject, old.object))
    return replace(
        candidate,
        content=put_right(old.content, contrast),
        kind=old.kind,
        subject=subject,
        relation=old.relation,
        object=value,
        tags=candidate.tags or old.tags,
        purposes=candidate.purposes or old.purposes,
        legal_basis=candidate.legal_basis or old.legal_basis,
        goal=candidate.goal or old.goal,
        pinned=candidate.pinned or old.pinned,
        is_correction=True,
        corrects=old.content,
        supersedes=(old.id,) if old.scope.agent_id == scope.agent_id else (),  # what others see, an agent never ends
    )


def _saying(reader: LedgerReader, candidate: Candidate, contrast: Contrast, now: datetime) -> list[Memory]:
    """Return what is remembered with the wrong words, once for each time it says them, and does not deny them.

    Of the same words the newest counts alone.
    """
    wrong, terms = whole(contrast.wrong), {token.term for token in read(contrast.wrong) if token.is_content}
    known = {
        it.content: it
        for it in reader.every(Page(kinds=_TOLD))
        if wrong.search(it.content)
        and is_live(it, now)
        and not are_apart(candidate, it)
        and not (terms and terms <= statement_of(it).negated)
    }
    return [it for it in known.values() for _ in wrong.finditer(it.content)]
