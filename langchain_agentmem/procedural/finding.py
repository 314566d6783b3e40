"""Skills by what is asked for: words and meaning, with a floor below which none is the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from langchain_agentmem._flow import Flow
from langchain_agentmem._terms import decode_terms, encode_terms
from langchain_agentmem.index.bm25 import Postings, bm25_shares
from langchain_agentmem.index.relevance import Relevance
from langchain_agentmem.long_term.embedder import Embedder
from langchain_agentmem.types.procedures import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillMatch:
    """A skill that answers a request; `score` in [0, 1], higher is better."""

    skill: Skill
    score: float


def find_skills(
    skills: Sequence[Skill], text: str, limit: int, min_score: float, embedder: Embedder | None
) -> Flow[list[SkillMatch]]:
    """Return the skills that answer a request, the best first; none where nothing is near enough."""
    if not skills or not text.strip():
        return []
    cosines = None if embedder is None else (yield from _cosines(embedder, [said_of(skill) for skill in skills], text))
    scores = Relevance().fuse(cosines, _shares(skills, text))
    if scores is None:
        return []
    matches = [
        SkillMatch(skill=skill, score=float(score))
        for skill, score in zip(skills, scores, strict=True)
        if score >= min_score
    ]
    return sorted(matches, key=lambda match: (-match.score, match.skill.name))[:limit]


def said_of(skill: Skill) -> str:
    """Return the words by which a skill is found."""
    requests = (example.request for example in skill.examples)
    return "\n".join([skill.name.replace("-", " "), skill.description, skill.when_to_use, *requests])


def to_prompt(skill: Skill) -> str:
    """Return a skill as delimited text for a prompt: how it is done, with every word of it escaped."""
    lines = [f"<skill name={quoteattr(skill.name)} version={quoteattr(str(skill.version))}>"]
    lines += [f"<description>{escape(skill.description)}</description>"]
    lines += [f"<when_to_use>{escape(skill.when_to_use)}</when_to_use>"]
    lines += [f"<tools>{escape(', '.join(skill.tools))}</tools>"] if skill.tools else []
    lines += [f"<check>{escape(check.description)}</check>" for check in skill.safety_checks]
    for number, step in enumerate(skill.steps, 1):
        tool = "" if step.tool is None else f" tool={quoteattr(step.tool)}"
        lines.append(f'<step number="{number}"{tool}>{escape(step.instruction)}</step>')
    lines += [f"<example>{escape(example.request)}</example>" for example in skill.examples]
    return "\n".join([*lines, "</skill>"])


def _cosines(embedder: Embedder, texts: list[str], question: str) -> Flow[np.ndarray[tuple[int], np.dtype[np.float32]]]:
    vectors = yield from embedder.documents(texts)
    query = yield from embedder.query(question)
    cosines: np.ndarray[tuple[int], np.dtype[np.float32]] = np.maximum(0.0, np.stack(vectors) @ query)
    return cosines


def _shares(skills: Sequence[Skill], text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    terms, _ = decode_terms(encode_terms(text))
    if not terms.size:
        return None
    postings, lengths = Postings(), np.zeros(len(skills), np.int64)
    for slot, skill in enumerate(skills):
        hashes, counts = decode_terms(encode_terms(said_of(skill)))
        postings.add(hashes, np.full(hashes.size, slot, np.intp), counts)
        lengths[slot] = int(counts.sum())
    return bm25_shares(terms, postings, lengths, np.ones(len(skills), np.bool_))
