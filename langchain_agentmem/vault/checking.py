"""Open every sealed value of one user where it stands, and tell which do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from sqlalchemy import Connection

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoints.sealing import Seal
from langchain_agentmem.errors import IntegrityError
from langchain_agentmem.sessions.redis.keys import SessionKeys
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.schema import JOBS
from langchain_agentmem.vault.cipher import SubjectCipher, is_sealed
from langchain_agentmem.vault.keyring import Subject
from langchain_agentmem.vault.redis_resealing import RedisResealing, RedisValues
from langchain_agentmem.vault.walking import SealedValue, jobs_of, walk

Problem: TypeAlias = Literal["not sealed", "foreign key", "changed or moved"]

_REDIS: Final = "Redis"


class Unreadable(NamedTuple):
    """A value that does not open where it stands.

    Attributes:
        table: The table; `Redis` for what is there.
        row: The row's key and the column, or what the value should be sealed as.
        problem: `not sealed`: it was written without the vault; `foreign key`: with a key that its user does not have,
            or has no more; `changed or moved`: somebody put it there.
    """

    table: str
    row: str
    problem: Problem


class VaultCheck(NamedTuple):
    """What a check found.

    Attributes:
        values: How many values it opened, or tried to.
        unreadable: Those that do not open; none in what nobody touched.
    """

    values: int
    unreadable: tuple[Unreadable, ...]

    @property
    def is_intact(self) -> bool:
        """Whether every value opens where it stands."""
        return not self.unreadable


class Checking:
    """Opens what one user has, and keeps nothing of it.

    Args:
        cipher: The user's.
    """

    def __init__(self, subject: Subject, cipher: SubjectCipher) -> None:
        self._subject, self._cipher = subject, cipher
        self._values = 0
        self._found: list[Unreadable] = []

    def run(self, database: Database, redis: RedisResealing | None) -> Flow[VaultCheck]:
        """Look everywhere, in short transactions."""
        yield from walk(database, self._subject, self._cipher, self._visit, is_change=False)
        yield from database.read(self._look_at_jobs)
        if redis is not None:
            yield from redis.visit(self._subject, _OpenedValues(self._cipher, self._on_redis))
        return VaultCheck(self._values, tuple(self._found))

    def _visit(self, _: Connection, it: SealedValue) -> int:
        if it.form.is_plain(it.value):
            return 0
        key = ", ".join(f"{column.key}={value!r}" for column, value in zip(it.layer.key, it.row, strict=False))
        self._open(it.cipher, it.value, it.names, (it.layer.table.name, f"{key}, {it.column}"))
        return 0

    def _look_at_jobs(self, connection: Connection) -> None:
        for job in jobs_of(connection, self._subject):
            self._open(self._cipher, job.value, (job.name,), (JOBS.name, f"job_id={job.job_id}"))

    def _on_redis(self, cipher: SubjectCipher, value: bytes, names: tuple[str, ...]) -> None:
        self._open(cipher, value, names, (_REDIS, names[0]))

    def _open(self, cipher: SubjectCipher, value: bytes, names: tuple[str, ...], place: tuple[str, str]) -> None:
        self._values += 1
        if not any(_opens(cipher, value, name) for name in names):
            self._found.append(Unreadable(*place, _problem(cipher, value)))


class _OpenedValues(RedisValues):
    """Hands every value to a check, and leaves it as it is."""

    def __init__(self, cipher: SubjectCipher, look: Callable[[SubjectCipher, bytes, tuple[str, ...]], None]) -> None:
        super().__init__(cipher, lambda _, value, __: value)
        self._look = look

    def of_thread(self, thread_id: str) -> RedisValues:
        return _OpenedValues(self._cipher.of_thread(thread_id), self._look)

    def anew(self, value: bytes, *names: str) -> bytes:
        self._look(self._cipher, value, names)
        return value

    def element(self, element: bytes, keys: SessionKeys) -> bytes:
        _, message_id, sealed = [*element.split(b"\0", 2), b"", b""][:3]
        self.anew(sealed, f"message/{keys.name}\0{message_id.decode(errors='replace')}")
        return element

    def item(self, no: bytes, value: bytes, seal: Seal) -> tuple[bytes, ...]:
        self.anew(value, seal.identity("item", int(no)))
        return ()


def _opens(cipher: SubjectCipher, value: bytes, name: str) -> bool:
    try:
        cipher.open(value, name)
    except IntegrityError:
        return False
    return True


def _problem(cipher: SubjectCipher, value: object) -> Problem:
    if not isinstance(value, bytes) or not is_sealed(value):
        return "not sealed"
    return "changed or moved" if cipher.is_of_its_keys(value) else "foreign key"
