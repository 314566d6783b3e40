"""The rights of a user: to have everything, to have it taken along, to have it deleted, and to be told."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from langchain_agentmem._checks import check_flag, check_text, check_time
from langchain_agentmem._flow import Flow, arun, run
from langchain_agentmem.access.flows import AccessFlows
from langchain_agentmem.errors import ConfigurationError, GovernanceError, StorageError
from langchain_agentmem.jobs import JobFlows
from langchain_agentmem.ledger.sql.ending import owner_of
from langchain_agentmem.ledger.standing import ERASE_JOBS
from langchain_agentmem.long_term.watching import Watch
from langchain_agentmem.policies.redact import redact
from langchain_agentmem.privacy.erasing import Erasure
from langchain_agentmem.privacy.holding import Holds
from langchain_agentmem.privacy.moving import Moving
from langchain_agentmem.privacy.records import Export, Hold, Import, PrivacyReport
from langchain_agentmem.privacy.reporting import Reporting
from langchain_agentmem.privacy.writing import Target
from langchain_agentmem.types import Scope
from langchain_agentmem.types.scope import known_user

ASKED: Final = "user asked"
ERASE_WITHIN_S: Final = 600.0
"""How long an erasure is waited for that another worker does; it goes on in any case."""

ENDS: Final = 2
"""Erasures of one call, where the first was another process's that does not reach all that this one does."""

OUT_OF_REACH: Final = "it was begun where there is an index or a Redis beside the database; open the memory with these"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyParts:
    """What the rights are made of.

    Attributes:
        access: Asked before each of them, as a whole. `watch`: told of an erasure.
        forget: Drops what is cached of a user's items of the store, beside what the erasure drops.
        may_write: Whether an import may write for a user, as the memory's mode is.
    """

    erasure: Erasure
    holds: Holds
    moving: Moving
    reporting: Reporting
    jobs: JobFlows
    access: AccessFlows
    watch: Watch
    clock: Callable[[], datetime]
    forget: Callable[[Scope], Flow[Any]]
    may_write: Callable[[Scope], bool]


class Privacy:
    """Export, import, erase, hold and report: of one user, of every agent, in every layer and backend."""

    def __init__(self, parts: PrivacyParts) -> None:
        """Compose."""
        self._parts = parts

    # --------------------------------------------------------------------------------------------------- export, import
    def export(self, scope: Scope, path_or_file: Target = None, *, sealed: bool | None = None) -> Export:
        """Write everything that is stored of a user as JSON lines; docs/privacy.md tells their schema.

        Where there is a vault, each line is sealed with the user's key: nobody reads the file after that is destroyed
        or rotated out. `sealed=False` writes plain text instead, for the user themselves: whoever has that file reads
        it, after an erasure too. The log tells of either, by counts and a digest.

        A file appears when it is whole, and only its owner may read it. Layers are read one after the other, some rows
        at a time: what is written meanwhile may be missing.

        Args:
            scope: Whose; agent and session narrow nothing.
            path_or_file: A path, or a file open for writing, which is given each line as soon as it is known; `None`:
                the lines are returned as `data`.
            sealed: Whether it is sealed; `None`: where there is a vault.

        Raises:
            ConfigurationError: `path_or_file` is neither, there is no vault to seal with, or a thread holds a class
                that is not allowed.
            IntegrityError: Something stored cannot be read.
            RetentionError: The user is being erased.
            ScopeError: The scope names no user.
            StorageError: The file cannot be written, or a backend failed.
        """
        return run(self._export(scope, path_or_file, sealed=sealed))

    async def aexport(self, scope: Scope, path_or_file: Target = None, *, sealed: bool | None = None) -> Export:
        """Write everything that is stored of a user; see `export`."""
        return await arun(self._export(scope, path_or_file, sealed=sealed))

    def verify_export(self, path: str | os.PathLike[str], *, scope: Scope | None = None) -> Export:
        """Check that an export is whole and as it was written, and return what it holds.

        Digests find damage, not forgery: the log of whom it was exported from has the last one, too. In a sealed export
        forgery shows as well, but only where `scope` says whose key opens it; without, digests alone are checked.

        Args:
            path: A file that `export` wrote.
            scope: Whose it is to be; who asks has to be one who may export them.

        Raises:
            ConfigurationError: A later release wrote it.
            GovernanceError: `authorize` refused: whoever names a user asks what is stored of them.
            IntegrityError: It is damaged, or sealed with another key; the message names the line.
            ScopeError: It is somebody else's export.
            StorageError: It cannot be read.
        """
        return run(self._verify(path, scope))

    async def averify_export(self, path: str | os.PathLike[str], *, scope: Scope | None = None) -> Export:
        """Check that an export is whole; see `verify_export`."""
        return await arun(self._verify(path, scope))

    def import_(
        self, path: str | os.PathLike[str], *, scope: Scope, as_: Scope | None = None, trust_consent: bool = False
    ) -> Import:
        """Write what an export holds and is not there yet; what is there stays as it is.

        All of it is checked before anything is written. Then layer follows layer; where that is broken off, the same
        call goes on. Memories keep ids, fields and provenance, and the log says from which export each came, and what
        the number of its last event was there. The log, jobs and requests are told, not taken over. What is found by
        meaning is embedded anew: now, or by whichever process runs `jobs` with embeddings.

        Args:
            path: A file that `export` wrote.
            scope: Whose export it is.
            as_: Who is to have it, where that is somebody else.
            trust_consent: Believe what the file says that the user allowed, where nothing is known of that here; of a
                sealed one of theirs that is believed in any case. Into a plain one anybody can write it.

        Raises:
            ConfigurationError: A later release wrote it, it is sealed and there is no vault, or a thread holds a class
                that is not allowed.
            GovernanceError: Memory is `frozen` or `off`, or `authorize` refused: who gives somebody else's export to
                `as_` has to be one who may export them.
            IntegrityError: It is damaged, or sealed with another key; the message names the line; nothing was written.
            RetentionError: The user is being erased.
            ScopeError: It is somebody else's export, or a scope names no user.
            StorageError: It cannot be read, or a backend failed; the same call goes on.
        """
        return run(self._import(path, scope, as_, trust_consent=trust_consent))

    async def aimport_(
        self, path: str | os.PathLike[str], *, scope: Scope, as_: Scope | None = None, trust_consent: bool = False
    ) -> Import:
        """Write what an export holds; see `import_`."""
        return await arun(self._import(path, scope, as_, trust_consent=trust_consent))

    # ----------------------------------------------------------------------------------------------------------- erase
    def erase(self, scope: Scope, *, reason: str = ASKED, all_keys: bool = False) -> PrivacyReport:
        """Delete everything that is stored of a user, in every layer and backend, and then their key.

        From its first moment nothing is written of the user in the ledger. It is a durable job: a process that ends in
        the middle leaves it to the next call, or to any process that runs `jobs`. Two at once are one. The chain of the
        log stays, and verifies; its last event says that the user was erased. Afterwards the user may begin anew.

        Args:
            scope: Whose; agent and session narrow nothing.
            reason: For the log, where it stays as the record of the erasure: no personal data belongs into it.
            all_keys: Destroy those of the user's keys, too, that sealed nothing of what is here. They are left
                otherwise, for what they sealed is in another copy of the database, or in a backup; the report says so.

        Returns:
            What is there now, asked anew of every layer, what was there, and what stays where and why.

        Raises:
            ConfigurationError: The key stands in the environment alone, where no user's can be destroyed; nothing was
                deleted.
            RetentionError: A legal hold stands; nothing was deleted.
            ScopeError: The scope names no user.
            StorageError: A backend failed, or another worker is at it still; the erasure was begun, and goes on by
                itself wherever jobs are run. Only where the SQL database or the user's keys are away it is not begun.
        """
        return run(self._erase(scope, reason, all_keys=all_keys))

    async def aerase(self, scope: Scope, *, reason: str = ASKED, all_keys: bool = False) -> PrivacyReport:
        """Delete everything that is stored of a user; see `erase`."""
        return await arun(self._erase(scope, reason, all_keys=all_keys))

    def report(self, scope: Scope) -> PrivacyReport:
        """Return how much is stored of a user, layer by layer; after an erasure also what stays, and why.

        Raises:
            ScopeError: The scope names no user.
            StorageError: A backend could not be asked.
        """
        return run(self._report(scope))

    async def areport(self, scope: Scope) -> PrivacyReport:
        """Return how much is stored of a user; see `report`."""
        return await arun(self._report(scope))

    # ------------------------------------------------------------------------------------------------------------ hold
    def hold(self, scope: Scope, *, reason: str, until: datetime | None = None) -> Hold:
        """Place a legal hold: nothing of the user's in the ledger is deleted for good until it is released.

        Erasing the user, a memory or a turn is refused, and so is clearing a conversation or deleting a thread whose
        turns are kept; sweeps pass over what is held. The user can still forget: that deletes nothing. Placed again,
        the longer of both counts.

        Where their keys were lost, none is needed: it stands until it is released, and the log has no words of it.

        Args:
            scope: Whose.
            reason: For the log.
            until: When it ends by itself; `None`: with `release`.

        Raises:
            ConfigurationError: `until` is past, or has no time zone.
            RetentionError: The user is being erased.
            ScopeError: The scope names no user.
        """
        return run(self._hold(scope, reason, until))

    async def ahold(self, scope: Scope, *, reason: str, until: datetime | None = None) -> Hold:
        """Place a legal hold; see `hold`."""
        return await arun(self._hold(scope, reason, until))

    def release(self, scope: Scope, *, reason: str) -> bool:
        """End a user's legal hold, however often it was placed; return whether one stood. No key of theirs is needed.

        Raises:
            ScopeError: The scope names no user.
        """
        return run(self._release(scope, reason))

    async def arelease(self, scope: Scope, *, reason: str) -> bool:
        """End a user's legal hold; see `release`."""
        return await arun(self._release(scope, reason))

    def held(self, scope: Scope) -> Hold | None:
        """Return the legal hold that stands; `None`: there is none."""
        return run(self._held(scope))

    async def aheld(self, scope: Scope) -> Hold | None:
        """Return the legal hold that stands; see `held`."""
        return await arun(self._held(scope))

    # ----------------------------------------------------------------------------------------------------------- flows
    def _export(self, scope: Scope, target: Target, *, sealed: bool | None) -> Flow[Export]:
        user = known_user(scope)
        if sealed is not None:
            check_flag("sealed", sealed)
        exporting = self._parts.moving.export(user, target, sealed=sealed)
        return (yield from self._parts.access.within("export", user, exporting))

    def _verify(self, path: str | os.PathLike[str], scope: Scope | None) -> Flow[Export]:
        file = _path(path)
        if scope is None:
            return (yield from self._parts.moving.verify(file, None))
        user = known_user(scope)
        return (yield from self._parts.access.within("export", user, self._parts.moving.verify(file, user)))

    def _import(
        self, path: str | os.PathLike[str], scope: Scope, as_: Scope | None, *, trust_consent: bool
    ) -> Flow[Import]:
        owner = known_user(scope if as_ is None else as_)
        check_flag("trust_consent", trust_consent)
        if not self._parts.may_write(owner):
            msg = "memory is frozen or off for this user: nothing is imported; open it with mode='on'"
            raise GovernanceError(msg, rule="memory_mode")
        user = known_user(scope)
        taking = self._parts.moving.take(_path(path), user, as_, trusts_consent=trust_consent)
        if owner_of(user) != owner_of(owner):  # what is theirs is handed to somebody else
            taking = self._parts.access.within("export", user, taking)
        return (yield from self._parts.access.within("write", owner, taking))

    def _erase(self, scope: Scope, reason: str, *, all_keys: bool) -> Flow[PrivacyReport]:
        check_flag("all_keys", all_keys)
        owner, why = known_user(scope), redact(check_text("reason", reason))
        begun, ending = self._parts.watch.now(), self._end(owner, why, all_keys=all_keys)
        report = yield from self._parts.access.within("erase", owner, ending)
        self._parts.watch.tell("erase_user", owner, {("erased", "erase_user"): 1}, begun)
        return report

    def _end(self, owner: Scope, why: str, *, all_keys: bool) -> Flow[PrivacyReport]:
        yield from self._parts.erasure.give_up_lost_keys(owner)
        yield from self._parts.holds.current(owner)
        strays = yield from self._parts.reporting.strays(owner)
        for _ in range(ENDS):  # another process, which reaches less than this one, may have been at it already
            yield from self._parts.erasure.begin(owner, why, all_keys=all_keys)
            report = yield from self._followed(owner, strays)
            if not any(report.counts.values()):
                break
        return report

    def _followed(self, owner: Scope, strays: Sequence[str]) -> Flow[PrivacyReport]:
        """Wait for the end of an erasure that was begun, and return what is there then."""
        try:
            left = yield from self._parts.jobs.settle(owner, ERASE_JOBS, ERASE_WITHIN_S)
            yield from self._parts.forget(owner)
            report = None if left else (yield from self._parts.reporting.report(owner, strays))
        except StorageError as error:
            raise _unfinished(str(error)) from error
        if report is None or report.status == "erasing":
            raise _unfinished(left or OUT_OF_REACH)
        return report

    def _report(self, scope: Scope) -> Flow[PrivacyReport]:
        user = known_user(scope)
        return (yield from self._parts.access.within("read", user, self._parts.reporting.report(user)))

    def _hold(self, scope: Scope, reason: str, until: datetime | None) -> Flow[Hold]:
        owner, why = known_user(scope), redact(check_text("reason", reason))
        if until is not None and check_time("until", until) <= self._parts.clock():
            msg = f"until must be in the future, got {until.isoformat()}; leave it out for a hold without end"
            raise ConfigurationError(msg)
        return (yield from self._parts.access.within("erase", owner, self._place(owner, why, until)))

    def _place(self, owner: Scope, why: str, until: datetime | None) -> Flow[Hold]:
        yield from self._parts.holds.current(owner)
        return (yield from self._parts.holds.place(owner, why, until))

    def _release(self, scope: Scope, reason: str) -> Flow[bool]:
        owner, why = known_user(scope), redact(check_text("reason", reason))
        return (yield from self._parts.access.within("erase", owner, self._parts.holds.release(owner, why)))

    def _held(self, scope: Scope) -> Flow[Hold | None]:
        owner = known_user(scope)
        return (yield from self._parts.access.within("read", owner, self._parts.holds.current(owner)))


def _unfinished(left: str) -> StorageError:
    msg = (
        "the user is not erased yet; the erasure was begun and goes on by itself wherever jobs are run, and nothing is "
        f"written of them meanwhile: {left}; call erase again to try it at once"
    )
    return StorageError(msg, is_retryable=True)


def _path(path: object) -> Path:
    if isinstance(path, str | os.PathLike):
        return Path(path)
    msg = f"path must be a path, got {type(path).__name__}; for example 'alice.jsonl'"
    raise ConfigurationError(msg)
