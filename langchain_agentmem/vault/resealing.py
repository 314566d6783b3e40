"""Seal rows anew: with a user's newest key, or for the first time; batch by batch, while others read and write."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from sqlalchemy import Connection, bindparam, select, tuple_, union, update

from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem._marks import PARTS, SEALED, SEALING
from langchain_agentmem.checkpoints.envelope import content_of
from langchain_agentmem.errors import ConfigurationError, IntegrityError, ScopeError
from langchain_agentmem.ledger.codec import dump, load
from langchain_agentmem.redis.marks import PARTS as REDIS_PARTS
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.marks import mark_rest, read_marks
from langchain_agentmem.sql.schema import (
    ITEMS,
    JOBS,
    SESSIONS,
    STATES,
    STORE_NAMESPACES,
    SUBJECTS,
    THREAD_LABELS,
    THREADS,
)
from langchain_agentmem.types import Scope
from langchain_agentmem.vault.base import Cipher, Vault
from langchain_agentmem.vault.cipher import SubjectCipher
from langchain_agentmem.vault.keyring import Subject
from langchain_agentmem.vault.layers import LAYERS, AnyRow, Layer
from langchain_agentmem.vault.redis_resealing import Opened, RedisResealing
from langchain_agentmem.vault.subject import SubjectVault

BATCH_ROWS: Final = 200
PLAIN: Final = "not sealed"
GRACE_S: Final = 3_600
"""How long a key that seals no more stays: whoever took it at hand before has written with it, or given up."""

_OPTIONAL: Final = frozenset({"claims", "updates"})
"""Columns of episodes that are empty where there is nothing to say."""

Asked: TypeAlias = Callable[[Literal["write"], Scope, Flow["Resealed"]], Flow["Resealed"]]
_Values: TypeAlias = Mapping[str, Any]


class Resealed(NamedTuple):
    """What a rotation did.

    Attributes:
        values: How many values it sealed anew.
        is_done: Whether earlier keys are forgotten; if not, the same call does so an hour after the first.
    """

    values: int
    is_done: bool


def _nobody_asked(_action: str, _scope: Scope, flow: Flow[Resealed]) -> Flow[Resealed]:
    return flow


class Resealing:
    """Rotates users' keys, and seals what was written in the clear.

    Everything can be read and written meanwhile. A call that was killed is made again, and goes on.

    Args:
        database: Where the rows are.
        vault: Where the keys are.
        redis: Seals anew what is on Redis, where that has a part.
        asked: Asks who may change a user's rows before a flow does.
    """

    def __init__(
        self,
        database: Database,
        vault: Vault | None,
        redis: RedisResealing | None = None,
        *,
        asked: Asked = _nobody_asked,
    ) -> None:
        self._database = database
        self._given = vault
        self._redis = redis
        self._asked = asked

    def rotate(self, scope: Scope) -> Resealed:
        """Give a user another data key, seal every row of theirs with it, and forget the ones before.

        New rows are sealed with it at once. The keys before are forgotten by the first call an hour later, so that no
        process that took one at hand loses what it wrote.

        Raises:
            ScopeError: It is no scope.
            ConfigurationError: There is no vault, or its keys cannot be rotated one by one.
            IntegrityError: A row does not open; nothing is forgotten.
        """
        return run(self._asked("write", scope, self._rotate(scope)))

    async def arotate(self, scope: Scope) -> Resealed:
        """Give a user another data key; see `rotate`."""
        return await arun(self._asked("write", scope, self._rotate(scope)))

    def rotate_master(self) -> int:
        """Wrap all keys by another master key; see `SubjectVault.rotate_master`."""
        return self._vault.rotate_master()

    async def arotate_master(self) -> int:
        """Wrap all keys by another master key; see `SubjectVault.rotate_master`."""
        return await self._vault.arotate_master()

    def seal_database(self) -> int:
        """Seal what was written in the clear before there was a vault; return how many values that were.

        Raises:
            ConfigurationError: There is no vault; or a thread or a namespace belongs to nobody: bind or delete it.
        """
        return run(self._seal_database())

    async def aseal_database(self) -> int:
        """Seal what was written in the clear; see `seal_database`."""
        return await arun(self._seal_database())

    def status(self) -> dict[str, str]:
        """Return of each part whether it is `sealed`, `sealing` (being sealed, or broken off) or `not sealed`."""
        return run(self._status())

    async def astatus(self) -> dict[str, str]:
        """Return of each part whether it is sealed; see `status`."""
        return await arun(self._status())

    @property
    def _vault(self) -> SubjectVault:
        if not isinstance(self._given, SubjectVault):
            msg = "there is no SubjectVault; open the memory with vault=SubjectVault(KeyFolder('keys'))"
            raise ConfigurationError(msg)
        return self._given

    def _rotate(self, scope: Scope) -> Flow[Resealed]:
        if not isinstance(scope, Scope):
            msg = f"scope must be a Scope, got {type(scope).__name__}; for example Scope(user_id='alice')"
            raise ScopeError(msg)
        subject, vault = Subject.of(scope), self._vault
        cipher = yield from vault.subject_cipher(subject)
        is_new = len(cipher.ring.keys) == 1
        if is_new:
            yield from vault.rotate_flow(scope)
            cipher = yield from vault.subject_cipher(subject)
        changed = yield from self._pass(subject, cipher, opened_by)
        if is_new or time.time() - cipher.ring.changed_at < GRACE_S:
            return Resealed(changed, is_done=False)
        yield from vault.retire_flow(scope)
        return Resealed(changed, is_done=True)

    def _seal_database(self) -> Flow[int]:
        vault, changed = self._vault, 0
        with self._waived():
            subjects = yield from self._everybody()  # refuses what cannot be sealed before anything is
            yield from self._mark(SEALING)
            for subject in subjects:
                cipher = yield from vault.subject_cipher(subject)
                changed += yield from self._pass(subject, cipher, opened_or_plain)
            yield from self._mark(SEALED)
        yield from self._database.scrub()
        return changed

    @contextmanager
    def _waived(self) -> Iterator[None]:
        """Look at what is stored, whatever its marks say."""
        marks = [self._database.marks, *(() if self._redis is None else (self._redis.database.marks,))]
        for it in marks:
            it.is_waived = True
        try:
            yield
        finally:
            for it in marks:
                it.is_waived = False

    def _status(self) -> Flow[dict[str, str]]:
        with self._waived():
            found: dict[str, str] = yield from self._database.read(read_marks)
            states: dict[str, str] = {part: found.get(part, PLAIN) for part in PARTS}
            if self._redis is not None:
                on_redis = yield from self._redis.database.read_marks()
                states |= {f"{part} on Redis": on_redis.get(part, PLAIN) for part in REDIS_PARTS}
        return states

    def _everybody(self) -> Flow[list[Subject]]:
        found: list[Subject] = yield from self._database.read(_subjects)
        return found if self._redis is None else sorted({*found, *(yield from self._redis.subjects())})

    def _mark(self, state: str) -> Flow[None]:
        yield from self._database.write(partial(mark_rest, state=state))
        if self._redis is not None:
            yield from self._redis.database.mark(state)

    def _pass(self, subject: Subject, cipher: SubjectCipher, opened: Opened) -> Flow[int]:
        """Seal every row of a subject anew that is not sealed with its current key."""
        changed = yield from self._database.write(lambda connection: _jobs(connection, subject, cipher, opened))
        for layer in LAYERS:
            batch = _Batch(layer, subject, cipher, opened)
            while not batch.is_last:
                yield from self._database.write(batch.run)
            changed += batch.changed
        if self._redis is not None:
            changed += yield from self._redis.reseal(subject, cipher, opened, is_first=opened is opened_or_plain)
        return changed


def opened_by(cipher: SubjectCipher, value: bytes, names: tuple[str, ...]) -> bytes:
    """Return what a value says, under whichever of its names it was sealed.

    Raises:
        IntegrityError: Under none.
    """
    for name in names[:-1]:
        try:
            return cipher.open(value, name)
        except IntegrityError:
            continue
    return cipher.open(value, names[-1])


def opened_or_plain(cipher: SubjectCipher, value: bytes, names: tuple[str, ...]) -> bytes:
    """Return what a value says, or the value itself where it was never sealed."""
    if not cipher.is_of_its_keys(value):
        return value
    try:
        return opened_by(cipher, value, names)
    except IntegrityError:  # it only looks like one that is sealed
        return value


class _Batch:
    """One batch after the other of a layer's rows, in the order of their keys."""

    def __init__(self, layer: Layer, subject: Subject, cipher: SubjectCipher, opened: Opened) -> None:
        self.changed = 0
        self.is_last = False
        self._layer, self._cipher, self._opened = layer, cipher, opened
        self._owner = _names(subject)
        self._after: tuple[Any, ...] | None = None

    def run(self, connection: Connection) -> None:
        """Take the next batch; nothing is remembered of one that failed."""
        rows = self._next(connection)
        changed = sum(self._reseal(connection, row) for row in rows)
        self.changed += changed
        self.is_last = len(rows) < BATCH_ROWS
        if rows:
            self._after = tuple(rows[-1])[: len(self._layer.key)]

    def _next(self, connection: Connection) -> list[AnyRow]:
        layer = self._layer
        sealed = [layer.table.c[cell.column] for cell in layer.cells]
        statement = select(*layer.key, *sealed, *layer.shown).select_from(layer.source).where(layer.owned)
        if self._after is not None:
            last = (bindparam(None, it, type_=key.type) for it, key in zip(self._after, layer.key, strict=True))
            statement = statement.where(tuple_(*layer.key) > tuple_(*last))
        return list(connection.execute(statement.order_by(*layer.key).limit(BATCH_ROWS), self._owner).all())

    def _reseal(self, connection: Connection, row: AnyRow) -> int:
        cipher = self._cipher.of_thread(row.thread_id) if self._layer.is_of_threads else self._cipher
        table, changed = self._layer.table, 0
        for column, name in self._layer.cells:
            value = getattr(row, column)
            if value is None or cipher.is_of_current_key(value) or _is_left_empty(row, column):
                continue
            names = name(row)
            plain = self._opened(cipher, value, names)
            values = {column: cipher.seal(plain, names[0]), **_digest(table, plain, cipher)}
            here = [key == it for key, it in zip(self._layer.key, row, strict=False)]
            done = connection.execute(update(table).where(*here, table.c[column] == value).values(values))
            changed += done.rowcount  # none, where somebody wrote meanwhile, and so with the current key
        return changed


def _is_left_empty(row: AnyRow, column: str) -> bool:
    """Whether a value is empty because there is none: what was erased has no body either."""
    return not getattr(row, column) and (column in _OPTIONAL or not getattr(row, "body", True))


def _digest(table: object, plain: bytes, cipher: Cipher) -> _Values:
    """Return the digest by which an item of a thread is found again; the key of digests never changes, but for none."""
    return {"digest": cipher.fingerprint(content_of(plain))} if table is ITEMS else {}


def _jobs(connection: Connection, subject: Subject, cipher: SubjectCipher, opened: Opened) -> int:
    """Seal what the subject's jobs keep anew; and drop labels that a thread had in the clear."""
    mine = select(SUBJECTS.c.subject_id).where(
        SUBJECTS.c.tenant_id == bindparam("tenant"), SUBJECTS.c.user_id == bindparam("user")
    )
    found = connection.execute(
        select(JOBS.c.job_id, JOBS.c.payload).where(JOBS.c.subject_id.in_(mine)).with_for_update(), _names(subject)
    ).all()
    changed = 0
    for job_id, payload in found:
        kept = load(payload.encode())
        value = b64decode(kept.get("sealed", ""))
        if value and not cipher.is_of_current_key(value):
            name = f"job/{kept['name']}"
            kept["sealed"] = b64encode(cipher.seal(opened(cipher, value, (name,)), name)).decode()
            connection.execute(update(JOBS).where(JOBS.c.job_id == job_id).values(payload=dump(kept).decode()))
            changed += 1
    if opened is opened_or_plain:
        theirs = select(THREADS.c.thread_ref).where(
            THREADS.c.tenant_id == bindparam("tenant"), THREADS.c.user_id == bindparam("user")
        )
        connection.execute(THREAD_LABELS.delete().where(THREAD_LABELS.c.thread_ref.in_(theirs)), _names(subject))
    return changed


def _subjects(connection: Connection) -> list[Subject]:
    """Return everybody of whom something is stored.

    Raises:
        ConfigurationError: Something belongs to nobody, and so no key could seal it.
    """
    for table, name in ((THREADS, "thread_id"), (STORE_NAMESPACES, "path")):
        lost = connection.execute(select(table.c[name]).where(table.c.user_id.is_(None)).limit(1)).scalar()
        if lost is not None:
            what = f"thread {lost!r}" if table is THREADS else f"namespace {lost!r} of the store"
            msg = f"{what} belongs to nobody, so that no key can seal it; bind it to a user, or delete it"
            raise ConfigurationError(msg)
    users = [select(it.c.tenant_id, it.c.user_id) for it in (SUBJECTS, SESSIONS, STATES, THREADS, STORE_NAMESPACES)]
    found = {Subject(*row) for row in connection.execute(union(*users)) if row.user_id}
    visits = [
        select(it.c.tenant_id, it.c.user_id, it.c.session_id).where(it.c.user_id == "") for it in (SESSIONS, STATES)
    ]
    return sorted(found | {Subject(*row) for row in connection.execute(union(*visits))})


def _names(subject: Subject) -> dict[str, Any]:
    return {"tenant": subject.tenant_id, "user": subject.user_id, "session": subject.session_id}
