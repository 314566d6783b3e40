"""Seal rows anew: with a user's newest key, or for the first time; batch by batch, while others read and write."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from sqlalchemy import Connection, bindparam, select, union, update

from langchain_agentmem._flow import Flow, arun, flows_of, run
from langchain_agentmem._marks import PARTS, SEALED, SEALING, Owner
from langchain_agentmem.checkpoints.envelope import content_of
from langchain_agentmem.errors import ConfigurationError, IntegrityError, RetentionError
from langchain_agentmem.ledger.codec import dump
from langchain_agentmem.ledger.standing import ERASING
from langchain_agentmem.redis.marks import PARTS as REDIS_PARTS
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.marks import check_sealed, mark_rest, read_marks
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
from langchain_agentmem.types.scope import check_scope
from langchain_agentmem.vault.base import Cipher, Vault, open_as
from langchain_agentmem.vault.checking import Checking, VaultCheck
from langchain_agentmem.vault.cipher import SubjectCipher
from langchain_agentmem.vault.keyring import Subject
from langchain_agentmem.vault.redis_resealing import Opened, RedisResealing
from langchain_agentmem.vault.subject import SubjectVault
from langchain_agentmem.vault.walking import SealedValue, jobs_of, places_of, walk

PLAIN: Final = "not sealed"
GRACE_S: Final = 3_600
"""How long a key that seals no more stays: whoever took it at hand before has written with it, or given up."""

_Action: TypeAlias = Literal["read", "write"]
_Values: TypeAlias = Mapping[str, Any]


T = TypeVar("T")


class Asked(Protocol):
    """Asks who may do something with a user's rows before a flow does it."""

    def __call__(self, action: _Action, scope: Scope, flow: Flow[T], /) -> Flow[T]:
        """Return a flow that asks first."""
        ...


class Resealed(NamedTuple):
    """What a rotation did.

    Attributes:
        values: How many values it sealed anew.
        is_done: Whether earlier keys are forgotten; if not, the same call does so an hour after the first.
    """

    values: int
    is_done: bool


def _nobody_asked(_action: _Action, _scope: Scope, flow: Flow[T], /) -> Flow[T]:
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
            RetentionError: The user is being erased, and their keys with them.
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
            ConfigurationError: There is no vault, or other keys sealed something; or a thread or a namespace belongs to
                nobody: bind or delete it.
        """
        return run(self._seal_database())

    async def aseal_database(self) -> int:
        """Seal what was written in the clear; see `seal_database`."""
        return await arun(self._seal_database())

    def check(self, scope: Scope) -> VaultCheck:
        """Open every sealed value of a user in every layer, and tell which do not open; writes go on meanwhile.

        Beside `verify`, which walks the log: this looks at conversations, working states, threads, items of the store
        and jobs as well, on SQL and on Redis. Nothing is changed, and nothing of a content is told.

        Raises:
            ScopeError: It is no scope.
            ConfigurationError: There is no vault.
        """
        return run(self._checked(scope))

    async def acheck(self, scope: Scope) -> VaultCheck:
        """Open every sealed value of a user; see `check`."""
        return await arun(self._checked(scope))

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

    def _checked(self, scope: Scope) -> Flow[VaultCheck]:
        subject, vault = _subject_of(scope), self._vault

        def check() -> Flow[VaultCheck]:
            cipher = yield from vault.subject_cipher(subject)
            return (yield from Checking(subject, cipher).run(self._database, self._redis))

        return (yield from self._asked("read", scope, check()))

    def _rotate(self, scope: Scope) -> Flow[Resealed]:
        subject, vault = _subject_of(scope), self._vault
        if (yield from self._database.standing(Owner(*subject))) == "ending":
            raise RetentionError(ERASING, rule="subject_erasing")
        cipher = yield from vault.subject_cipher(subject)
        is_new = len(cipher.ring.keys) == 1
        if is_new:
            yield from flows_of(vault).rotate(scope)
            cipher = yield from vault.subject_cipher(subject)
        changed = yield from self._pass(subject, cipher, opened_by)
        # the machine's time: the one of a file that holds keys
        if is_new or time.time() - cipher.ring.changed_at < GRACE_S:
            return Resealed(changed, is_done=False)
        yield from flows_of(vault).retire(scope)
        return Resealed(changed, is_done=True)

    def _seal_database(self) -> Flow[int]:
        vault, changed = self._vault, 0
        with self._waived():
            yield from self._check_sealed((yield from vault.name()))
            subjects = yield from self._everybody()  # refuses what cannot be sealed before anything is
            for subject in subjects[:1]:  # keys are begun before anything says that it is sealed
                yield from vault.subject_cipher(subject)
            yield from self._mark(SEALING)
            for subject in subjects:
                cipher = yield from vault.subject_cipher(subject)
                changed += yield from self._pass(subject, cipher, opened_or_plain)
            yield from self._mark(SEALED)
        yield from self._database.scrub(up_to=inf)
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

    def _check_sealed(self, keys: str) -> Flow[None]:
        """Seal nothing once more that other keys sealed."""
        yield from self._database.read(partial(check_sealed, keys=keys))
        if self._redis is not None:
            yield from self._redis.database.check_sealed(keys)

    def _mark(self, state: str) -> Flow[None]:
        keys = yield from self._vault.name()
        yield from self._database.write(partial(mark_rest, state=state, keys=keys))
        if self._redis is not None:
            yield from self._redis.database.mark(state, keys)

    def _pass(self, subject: Subject, cipher: SubjectCipher, opened: Opened) -> Flow[int]:
        """Seal every row of a subject anew that is not sealed with its current key."""
        changed = yield from self._database.write(lambda connection: _jobs(connection, subject, cipher, opened))
        changed += yield from walk(self._database, subject, cipher, _Anew(opened), is_change=True)
        if self._redis is not None:
            changed += yield from self._redis.reseal(subject, cipher, opened, is_first=opened is opened_or_plain)
        return changed


def opened_by(cipher: SubjectCipher, value: bytes, names: tuple[str, ...]) -> bytes:
    """Return what a value says, under whichever of its names it was sealed.

    Raises:
        IntegrityError: Under none.
    """
    return open_as(cipher, value, names)


def opened_or_plain(cipher: SubjectCipher, value: bytes, names: tuple[str, ...]) -> bytes:
    """Return what a value says, or the value itself where it was never sealed."""
    if not cipher.is_of_its_keys(value):
        return value
    try:
        return opened_by(cipher, value, names)
    except IntegrityError:  # it only looks like one that is sealed
        return value


class _Anew:
    """Seals a value anew that the current key did not seal."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def __call__(self, connection: Connection, it: SealedValue) -> int:
        """Do so, where it is still what was read; return whether it was."""
        if it.cipher.is_of_current_key(it.value):
            return 0
        table = it.layer.table
        plain = it.value if it.form.is_plain(it.value) else self._opened(it.cipher, it.value, it.names)
        values = {it.column: it.form.write(it.cipher.seal(plain, it.names[0])), **_digest(table, plain, it.cipher)}
        here = [key == part for key, part in zip(it.layer.key, it.row, strict=False)]
        statement = update(table).where(*here, table.c[it.column] == it.form.write(it.value)).values(values)
        return int(connection.execute(statement).rowcount)  # none, where somebody wrote meanwhile, and so with this key


def _digest(table: object, plain: bytes, cipher: Cipher) -> _Values:
    """Return the digest by which an item of a thread is found again; the key of digests never changes, but for none."""
    return {"digest": cipher.fingerprint(content_of(plain))} if table is ITEMS else {}


def _jobs(connection: Connection, subject: Subject, cipher: SubjectCipher, opened: Opened) -> int:
    """Seal what the subject's jobs keep anew; and drop labels that a thread had in the clear."""
    changed = 0
    for job in jobs_of(connection, subject, locked=True):
        if not cipher.is_of_current_key(job.value):
            sealed = cipher.seal(opened(cipher, job.value, (job.name,)), job.name)
            kept = {**job.kept, "sealed": b64encode(sealed).decode()}
            connection.execute(update(JOBS).where(JOBS.c.job_id == job.job_id).values(payload=dump(kept).decode()))
            changed += 1
    if opened is opened_or_plain:
        theirs = select(THREADS.c.thread_ref).where(
            THREADS.c.tenant_id == bindparam("tenant"), THREADS.c.user_id == bindparam("user")
        )
        connection.execute(THREAD_LABELS.delete().where(THREAD_LABELS.c.thread_ref.in_(theirs)), places_of(subject))
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


def _subject_of(scope: object) -> Subject:
    return Subject.of(check_scope(scope))
