"""A batch from its operations to its results, over any backend that keeps items."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

from langgraph.store.base import Item, Op, PutOp, Result, SearchItem

from langchain_agentmem._checks import check_progress
from langchain_agentmem._flow import Flow
from langchain_agentmem._held_texts import forget_texts
from langchain_agentmem._terms import decode_terms, encode_terms
from langchain_agentmem.errors import ScopeError, StorageError
from langchain_agentmem.items.base import (
    Change,
    Erased,
    Get,
    ItemRow,
    Items,
    Listing,
    Paths,
    Put,
    Query,
    Reindexed,
    Removal,
    Take,
)
from langchain_agentmem.items.facts import labels_of, needle_of
from langchain_agentmem.items.filters import Filter
from langchain_agentmem.items.paths import namespace_of
from langchain_agentmem.items.sealing import Keys, terms_name, value_name, with_keys
from langchain_agentmem.items.searching import ItemSearch, Search, Views
from langchain_agentmem.items.values import decode_value, pack_texts
from langchain_agentmem.items.view import Question
from langchain_agentmem.ledger.codec import EPOCH, from_micros
from langchain_agentmem.store.asking import Asking
from langchain_agentmem.store.operations import (
    Batch,
    Key,
    Naming,
    Reading,
    Removing,
    Searching,
    Writing,
    range_below,
    read_ops,
)
from langchain_agentmem.store.options import StoreOptions, micros_of
from langchain_agentmem.store.reindexing import ItemReindexing, Progress
from langchain_agentmem.store.rewording import ItemRewording
from langchain_agentmem.store.templates import Filling
from langchain_agentmem.types.scope import Owner

if TYPE_CHECKING:
    from langchain_agentmem.access.flows import AccessFlows


class StoredItems:
    """What a store does, in flows.

    Args:
        items: Where items are.
        options: How they are kept.
    """

    def __init__(self, items: Items, options: StoreOptions) -> None:
        """No I/O."""
        self._items = items
        self._options = options
        self._vault = options.keeps()
        self._indexing = options.indexing()
        self.asking = Asking(None, items, options)
        self._filling = Filling(subject=options.owner, is_shared=options.shared)
        self._views = Views(self._indexing.model)
        self._search = ItemSearch(items, self._views)
        self._sweep_after = micros_of("sweep_interval_minutes", (options.ttl or {}).get("sweep_interval_minutes"))
        self._swept_at = options.now() if self._sweep_after else 0

    def batch(self, ops: Iterable[Op]) -> Flow[list[Result]]:
        """Check everything, embed what is new, search, then read and write in one transaction."""
        batch = read_ops(self._redacted(ops), self._indexing.fields, self._filling)
        yield from self.asking.before(batch)
        at, keys = self._options.now(), Keys(self._vault)
        yield from self._sweep_if_due(at)
        vectors = yield from self._indexing.documents(
            [text for it in batch.writes.values() if isinstance(it, Writing) for text in it.texts or ()]
        )
        change = yield from self._change(batch, vectors, at, keys)
        results: list[Any] = [None] * batch.size
        yield from self._answer_queries(batch, at, keys, results)
        yield from self._answer_rest(batch, change, keys, results)
        yield from self.asking.after(batch, results)
        return results

    def bring(self, ops: Iterable[Op], owner: Owner) -> Flow[int]:
        """Put items that are all one user's, into namespaces that become theirs where they are nobody's.

        None is put where one stands. Return how many were.
        """
        batch, at, keys = read_ops(ops, self._indexing.fields, self._filling), self._options.now(), Keys(self._vault)
        puts = [it for it in batch.writes.values() if isinstance(it, Writing)]
        vectors = yield from self._indexing.documents([text for it in puts for text in it.texts or ()])
        change = yield from self._change(batch, vectors, at, keys, owner)
        return (yield from self._items.bring(change))

    def _redacted(self, ops: Iterable[Op]) -> Iterable[Op]:
        redact = self._options.redact
        if redact is None or not isinstance(ops, Iterable):
            return ops
        return [it._replace(value=redact(it.value or {})) if _is_put(it) else it for it in ops]

    def erase(self, owner: Owner) -> Flow[Erased]:
        """Delete what is an owner's, and forget what this process remembers of texts."""
        yield from self.asking.ask("erase", [owner])
        try:
            erased = yield from self._items.erase(owner, lambda path: self._options.owner(namespace_of(path)) == owner)
        finally:
            self._forget_texts()
        return erased

    def clear(self, prefix: object, *, is_dry: bool) -> Flow[Erased]:
        """Delete a namespace and all below it, and forget what this process remembers of texts; or only count."""
        paths, at = range_below(prefix, self._filling), self._options.now()
        try:
            return (
                yield from self.asking.about("erase", lambda check: self._items.clear(paths, at, check, is_dry=is_dry))
            )
        finally:
            if not is_dry:
                self._forget_texts()

    def _forget_texts(self) -> None:
        self._views.clear()
        forget_texts()
        if self._indexing.embedder is not None:
            self._indexing.embedder.clear()

    def reindex(self, progress: Progress | None) -> Flow[Reindexed]:
        """Bring what items are found by up to date."""
        check_progress(progress)
        return (yield from ItemReindexing(self._items, self._options, self._indexing).reindex(progress))

    def rewording(self) -> ItemRewording:
        """Return what lets items say something else where they stand."""
        return ItemRewording(self._items, self._options, self._indexing)

    def sweep(self) -> Flow[int]:
        """Delete what has expired."""
        return (yield from self._items.sweep(self._options.now()))

    def guarded_by(self, access: AccessFlows | None) -> None:
        """Let the application be asked; see `Asking`."""
        self.asking = Asking(access, self._items, self._options)

    def _sweep_if_due(self, at: int) -> Flow[None]:
        if self._sweep_after is None or at < self._swept_at + self._sweep_after:
            return
        self._swept_at = at
        try:
            yield from self._items.sweep(at)
        except StorageError:
            return  # what has expired is not seen in any case; the batch may still succeed, and the next sweep too

    # ------------------------------------------------------------------------------------------------------- reading
    def _answer_queries(self, batch: Batch, at: int, keys: Keys, results: list[Any]) -> Flow[None]:
        asked = {
            place: it for place, it in batch.questions.items() if isinstance(it, Searching) and it.query and it.limit
        }
        if not asked:
            return
        vectors = yield from self._indexing.questions([it.query for it in asked.values()])
        used: list[int] = []
        for place, it in asked.items():
            terms, _ = decode_terms(encode_terms(it.query))
            labels = None if it.filter is None or not it.filter.facts else labels_of(it.filter.facts)
            question = Question(terms=terms, vector=vectors.get(it.query), at=at, labels=labels)
            take = _taking(keys, it.filter)
            found = yield from self._search.search(
                Search(
                    paths=it.paths,
                    question=question,
                    take=take,
                    takes_all=it.filter is None,
                    limit=it.limit,
                    offset=it.offset,
                ),
                keys,
            )
            results[place] = [_scored(hit.answer, hit.score) for hit in found]
            used += [hit.row.ref for hit in found if it.refresh and hit.row.ttl is not None]
        if used:
            yield from self._items.refresh(used, at)

    def _answer_rest(self, batch: Batch, change: Change, keys: Keys, results: list[Any]) -> Flow[None]:
        queries: dict[int, Query] = {}
        for place, it in batch.questions.items():
            if isinstance(it, Reading):
                queries[place] = Get(
                    path=it.path, key=it.key, owner=it.owner, take=partial(_item, keys), refresh=it.refresh
                )
            elif isinstance(it, Naming):
                queries[place] = Paths(paths=it.paths)
            elif results[place] is None:
                queries[place] = Listing(
                    paths=it.paths,
                    take=_taking(keys, it.filter),
                    takes_all=it.filter is None,
                    limit=0 if it.query else it.limit,
                    offset=it.offset,
                    needle=needle_of(it.filter.facts) if it.filter is not None and keys.is_plain else b"",
                    refresh=it.refresh,
                )
        if not queries and change.is_empty:
            return
        asked = list(queries.values())
        if change.is_empty:
            answers = yield from with_keys(keys, partial(self._items.read, asked, change.at, keys))
        else:
            answers = yield from with_keys(keys, partial(self._items.change, asked, change, keys))
        for place, answer in zip(queries, answers, strict=True):
            it = batch.questions[place]
            results[place] = it.chosen(map(namespace_of, answer)) if isinstance(it, Naming) else answer

    # ------------------------------------------------------------------------------------------------------- writing
    def _change(
        self, batch: Batch, vectors: dict[str, bytes], at: int, keys: Keys, owner: Owner | None = None
    ) -> Flow[Change]:
        puts = {key: it for key, it in batch.writes.items() if isinstance(it, Writing)}
        owners = self._named(batch.writes) if owner is None else {path: owner for path, _ in puts}
        owners |= yield from self._known(puts, owners)
        yield from keys.fetch(owners[path] for path, _ in puts if path in owners)
        return Change(
            puts=[self._put(key, it, vectors, keys, owners.get(key[0])) for key, it in puts.items()],
            removals=[Removal(*key) for key, it in batch.writes.items() if isinstance(it, Removing)],
            owners=owners,
            shared={path for (path, _), it in batch.writes.items() if owner is not None or it.owner is not None},
            at=at,
        )

    def _named(self, writes: dict[Key, Writing | Removing]) -> dict[str, Owner]:
        """Return as whose the namespaces are written to, where `subject` or a template says it.

        Raises:
            ScopeError: The two say it of different users.
        """
        subjects = {path: it.namespace for (path, _), it in writes.items() if isinstance(it, Writing)}
        said = {path: self._options.owner(namespace) for path, namespace in subjects.items()}
        owners = {path: owner for path, owner in said.items() if owner is not None}
        for (path, _), it in writes.items():
            if it.owner is not None and owners.setdefault(path, it.owner) != it.owner:
                msg = (
                    f"namespace {namespace_of(path)!r:.200} is another user's as subject= says than the run's, which "
                    "its template named; let subject= return the run's user, or None for namespaces with a template"
                )
                raise ScopeError(msg)
        return owners

    def _known(self, puts: dict[Key, Writing], owners: dict[str, Owner]) -> Flow[dict[str, Owner]]:
        """Return to whom those namespaces belong of which nobody says it, where that must be known.

        Raises:
            ScopeError: There is a vault, and nobody knows whose one is.
        """
        unknown = {path: it for (path, _), it in puts.items() if path not in owners}
        if not unknown or Keys(self._vault).is_plain:
            return {}
        known = yield from self._items.owners(unknown.keys())
        nobodys = next((it for path, it in unknown.items() if path not in known), None)
        if nobodys is not None:
            msg = (
                f"namespace {nobodys.namespace!r:.200} belongs to nobody, so that no key can seal it; "
                "pass subject=, a function from a namespace to its Scope"
            )
            raise ScopeError(msg)
        return known

    def _put(
        self, key: tuple[str, str], writing: Writing, vectors: dict[str, bytes], keys: Keys, owner: Owner | None
    ) -> Put:
        cipher = keys.cipher(owner)
        texts = self._indexing.texts(writing.texts, writing.labels, writing.fields, vectors)
        return Put(
            *key,
            ttl=writing.ttl,
            terms=None if texts is None else cipher.seal(pack_texts(texts), terms_name(*key)),
            sealed=cipher.seal(writing.value, value_name(*key)),
        )


def _is_put(op: object) -> TypeGuard[PutOp]:
    return isinstance(op, PutOp) and isinstance(op.value, dict)


def _item(keys: Keys, row: ItemRow) -> Item:
    return Item(
        value=decode_value(keys.value(row)),
        key=row.key,
        namespace=namespace_of(row.path),
        created_at=from_micros(row.created_at) or EPOCH,
        updated_at=from_micros(row.updated_at) or EPOCH,
    )


def _taking(keys: Keys, wanted: Filter | None) -> Take:
    """Return what makes an item of a search of a row, if its value matches."""

    def take(row: ItemRow) -> SearchItem | None:
        value = decode_value(keys.value(row))
        if wanted is not None and not wanted.matches(value):
            return None
        return SearchItem(
            namespace=namespace_of(row.path),
            key=row.key,
            value=value,
            created_at=from_micros(row.created_at) or EPOCH,
            updated_at=from_micros(row.updated_at) or EPOCH,
        )

    return take


def _scored(item: SearchItem, score: float) -> SearchItem:
    item.score = score
    return item
