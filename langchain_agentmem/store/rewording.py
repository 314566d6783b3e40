"""Items said otherwise where they stand: their values, and what they are found by; their times stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from langchain_agentmem._flow import Flow
from langchain_agentmem.items.base import ItemRow, Items, NewTerms, Owned
from langchain_agentmem.items.facts import facts_of, labels_of
from langchain_agentmem.items.paths import namespace_of, plain_path
from langchain_agentmem.items.sealing import Keys, terms_name, value_name, with_keys
from langchain_agentmem.items.values import (
    decode_value,
    encode_value,
    named_fields,
    pack_texts,
    texts_of,
    unpack_texts,
)
from langchain_agentmem.store.indexing import Indexing
from langchain_agentmem.store.options import StoreOptions
from langchain_agentmem.types.scope import Owner

BATCH: Final = 256
"""Items read, or embedded and written, at a time."""

Reword: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Reworded(NamedTuple):
    """An item that is to say something else.

    Attributes:
        name: Its namespace and key, as an export names it.
    """

    name: str
    stored: Owned
    value: dict[str, Any]


class ItemRewording:
    """Finds items of a user that are to say something else, and lets them say it.

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

    def find(self, owner: Owner, reword: Reword, limit: int) -> Flow[list[Reworded]]:
        """Return items that are to say something else."""
        keys, after, found = Keys(self._options.keeps()), 0, list[Reworded]()
        while len(found) < limit and (page := (yield from self._page(owner, after, keys))):
            for it in page:
                before = decode_value(keys.value(it.row))
                value = dict(reword(before))
                found += [] if value == before else [Reworded(_name(it.row), it, value)]
            after = page[-1].row.ref
        return found[:limit]

    def write(self, found: Iterable[Reworded]) -> Flow[int]:
        """Let them say it, but those that have changed meanwhile; return how many do."""
        waiting, written = list(found), 0
        keys = Keys(self._options.keeps())
        yield from keys.fetch({owner for it in waiting if (owner := it.stored.row.owner) is not None})
        for start in range(0, len(waiting), BATCH):
            written += yield from self._write(waiting[start : start + BATCH], keys)
        return written

    def _page(self, owner: Owner, after: int, keys: Keys) -> Flow[list[Owned]]:
        return with_keys(keys, partial(self._items.theirs, owner, after, BATCH, self._options.now(), keys))

    def _write(self, found: list[Reworded], keys: Keys) -> Flow[int]:
        fields = [self._fields(it, keys) for it in found]
        texts = [self._texts(it, named) for it, named in zip(found, fields, strict=True)]
        vectors = yield from self._indexing.documents([text for some in texts for text in some or ()])
        changes = []
        for it, named, some in zip(found, fields, texts, strict=True):
            row, cipher = it.stored.row, keys.cipher(it.stored.row.owner)
            terms = self._indexing.texts(some, labels_of(facts_of(it.value)).tobytes(), named, vectors)
            sealed = cipher.seal(encode_value(it.value), value_name(row.path, row.key))
            packed = None if terms is None else cipher.seal(pack_texts(terms), terms_name(row.path, row.key))
            changes.append(NewTerms(row.ref, row.path, row.revision, packed, sealed))
        return (yield from self._items.replace_terms(changes))

    def _texts(self, it: Reworded, fields: bytes) -> list[str] | None:
        if it.stored.terms is None:
            return None
        return texts_of(it.value, named_fields(fields, self._indexing.fields))

    def _fields(self, it: Reworded, keys: Keys) -> bytes:
        """Return the fields that the item's writer named."""
        row, terms = it.stored
        if terms is None:
            return b""
        return unpack_texts(keys.cipher(row.owner).open(terms, terms_name(row.path, row.key))).fields


def _name(row: ItemRow) -> str:
    return f"{'.'.join(namespace_of(plain_path(row.path)))}/{row.key}"
