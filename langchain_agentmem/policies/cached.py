"""What the policies remember of texts judged lately: it makes them fast, and has to go with an erasure."""

from __future__ import annotations

from langchain_agentmem.policies import _lexicon, naming, utterances


def forget_cached_texts() -> None:
    """Drop every text and word this process remembers from judging; called where an erasure must leave none behind."""
    _lexicon.stem.cache_clear()
    naming.key_of.cache_clear()
    naming.role_in.cache_clear()
    utterances._plain.cache_clear()  # noqa: SLF001  (a cache is its module's own affair but for its end)
