"""Bring what items are found by up to date: after another embedding model, other fields, or damage."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple

from langchain_agentmem._flow import Flow
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.items.base import Indexed, Items, NewTerms, Reindexed
from langchain_agentmem.items.facts import facts_of, labels_of
from langchain_agentmem.items.sealing import Keys, terms_name, with_keys
from langchain_agentmem.items.values import (
    Texts,
    decode_value,
    joined,
    named_fields,
    pack_texts,
    terms_of,
    texts_of,
    unpack_texts,
)
from langchain_agentmem.store.indexing import PROBE, Indexing
from langchain_agentmem.store.options import StoreOptions

BATCH: Final = 256
"""Items embedded between two commits: what a kill can cost."""

_NOTHING: Final = Texts(())

Progress = Callable[[int], None]


class _Draft(NamedTuple):
    """An item and what it is to be found by. `texts`: those whose vectors are missing."""

    indexed: Indexed
    wanted: Texts
    texts: list[str]
    is_stale: bool


class ItemReindexing:
    """Writes vectors of the model in use beside those of another one, batch by batch, and then drops the others.

    Killed at any point, it goes on where it was. Until the last vector is there, a process with the old model ranks as
    before, and one with the new model finds by words what has no new vector yet.

    Args:
        items: Where items are.
        options: How they are kept.
        indexing: How they are made findable.
    """

    def __init__(self, items: Items, options: StoreOptions, indexing: Indexing) -> None:
        """Nothing is read yet."""
        self._items = items
        self._options = options
        self._indexing = indexing

    def reindex(self, progress: Progress | None) -> Flow[Reindexed]:
        """Add what is missing until nothing is, then drop what is left over."""
        embedder = self._indexing.embedder
        dim = None if embedder is None else (yield from self._indexing.questions([PROBE]))[PROBE].size
        written = 0
        while True:
            checked, damaged, now, was_changed = yield from self._pass(partial(self._completed, dim), written, progress)
            written += now
            if not was_changed:
                break
        if embedder is not None:
            yield from self._pass(self._reduced, written, None)
        name = None if embedder is None else embedder.name
        return Reindexed(checked=checked, written=written, damaged=damaged, model=name)

    def _pass(
        self, draft: Callable[[Indexed, Keys], _Draft], before: int, progress: Progress | None
    ) -> Flow[tuple[int, int, int, bool]]:
        """Look at every item; return how many, how many are damaged or were written, and whether some had changed."""
        keys, after = Keys(self._options.keeps()), 0
        checked = damaged = written = 0
        was_changed = False
        while page := (yield from self._page(after, keys)):
            drafts, bad = _drafts(page, lambda it: draft(it, keys))
            now, asked = yield from self._write(drafts, keys)
            after, was_changed = page[-1].row.ref, was_changed or now < asked
            checked, damaged, written = checked + len(page), damaged + bad, written + now
            if progress is not None and now:
                progress(before + written)
        return checked, damaged, written, was_changed

    def _page(self, after: int, keys: Keys) -> Flow[list[Indexed]]:
        return with_keys(keys, partial(self._items.indexed, after, BATCH, self._options.now(), keys))

    def _completed(self, dim: int | None, indexed: Indexed, keys: Keys) -> _Draft:
        """Say how an item is to be found, the vectors of another model kept as long as they are of the same texts."""
        row = indexed.row
        value = decode_value(keys.value(row))
        stored = _stored(indexed, keys)
        fields = b"" if stored is None else stored.fields
        texts = texts_of(value, named_fields(fields, self._indexing.fields))
        wanted = Texts(terms_of(texts), labels_of(facts_of(value)).tobytes(), fields)
        if stored is not None and list(stored.terms) == wanted.terms:
            wanted = wanted._replace(vectors=stored.vectors)
        ours = wanted.vectors.get(self._indexing.model)
        lacks = dim is not None and bool(texts) and (ours is None or ours.dim != dim)
        return _Draft(indexed, wanted, texts if lacks else [], lacks or wanted != stored)

    def _reduced(self, indexed: Indexed, keys: Keys) -> _Draft:
        """Say how an item is to be found by vectors of the model in use alone."""
        stored = _stored(indexed, keys)
        model = self._indexing.model
        if stored is None or not stored.vectors.keys() - {model}:
            return _Draft(indexed, stored or _NOTHING, [], is_stale=False)
        kept = {it: vectors for it, vectors in stored.vectors.items() if it == model}
        return _Draft(indexed, stored._replace(vectors=kept), [], is_stale=bool(kept))

    def _write(self, drafts: Iterable[_Draft], keys: Keys) -> Flow[tuple[int, int]]:
        """Embed and write what is stale; return for how many that was done, and was to be done."""
        stale = [it for it in drafts if it.is_stale]
        if not stale:
            return 0, 0
        vectors = yield from self._indexing.documents([text for it in stale for text in it.texts])
        changes = [self._change(it, vectors, keys) for it in stale]
        return (yield from self._items.replace_terms(changes)), len(changes)

    def _change(self, draft: _Draft, vectors: dict[str, bytes], keys: Keys) -> NewTerms:
        row, texts = draft.indexed.row, draft.wanted
        if draft.texts:
            ours = joined([vectors[text] for text in draft.texts])
            texts = texts._replace(vectors={**texts.vectors, self._indexing.model: ours})
        sealed = keys.cipher(row.owner).seal(pack_texts(texts), terms_name(row.path, row.key))
        return NewTerms(row.ref, row.path, row.revision, sealed)


def _drafts(page: Iterable[Indexed], draft: Callable[[Indexed], _Draft]) -> tuple[list[_Draft], int]:
    """Return what is to become of items, and how many cannot be read."""
    drafts: list[_Draft] = []
    damaged = 0
    for indexed in page:
        try:
            drafts.append(draft(indexed))
        except IntegrityError:
            damaged += 1
    return drafts, damaged


def _stored(indexed: Indexed, keys: Keys) -> Texts | None:
    """Return what an item is found by, or `None` if that is damaged."""
    row = indexed.row
    try:
        texts = unpack_texts(keys.cipher(row.owner).open(indexed.terms, terms_name(row.path, row.key)))
        named_fields(texts.fields, ())
    except IntegrityError:
        return None
    return texts
