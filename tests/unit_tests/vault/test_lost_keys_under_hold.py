"""A user whose keys were lost while a legal hold stands: what is kept, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import pytest

from langchain_agentmem import AgentMemory, KeyFolder, LostKeysError, RetentionError, Scope, SubjectVault
from langchain_agentmem._checks import utc_now
from langchain_agentmem.privacy.holding import UNTOLD
from tests.conftest import Call

BOB = Scope("bob")
BOAT = "Owns a boat"
AN_HOUR = timedelta(hours=1)

Open: TypeAlias = Callable[..., AgentMemory]


@pytest.fixture
def open_(tmp_path: Path) -> Open:
    """Return what opens the database, or another one with the same keys."""

    def opened(later: timedelta = timedelta(), name: str = "agent.db") -> AgentMemory:
        def clock() -> datetime:
            return utc_now() + later

        vault = SubjectVault(KeyFolder(tmp_path / "keys"))
        return AgentMemory.embedded(tmp_path / name, vault=vault, consent="assumed", embeddings=None, clock=clock)

    return opened


@pytest.fixture
def file(tmp_path: Path, open_: Open) -> Path:
    """Return the file of the keys of a user under a hold that ends in an hour."""
    with open_() as memory:
        memory.long_term.remember(BOAT, scope=BOB)
        memory.privacy.hold(BOB, reason="a case", until=utc_now() + AN_HOUR)
    [found] = [it for it in (tmp_path / "keys" / "subjects").glob("*/*") if not it.name.startswith(".")]
    return found


@pytest.fixture(params=["gone", "damaged", "begun anew"])
def lost(request: pytest.FixtureRequest, open_: Open, file: Path) -> bytes:
    """Lose these keys, and return what was in their file."""
    whole = file.read_bytes()
    if request.param == "damaged":
        file.write_bytes(whole[:60])
    else:
        file.unlink()
    if request.param == "begun anew":
        with open_(name="other.db") as other:
            other.long_term.remember(BOAT, scope=BOB)
    return whole


def put_back(file: Path, whole: bytes) -> None:
    file.write_bytes(whole)


def opens(file: Path, whole: bytes) -> bool:
    """Whether there are keys, if others."""
    return file.exists() and len(file.read_bytes()) == len(whole)


@pytest.mark.usefixtures("lost")
async def test_a_hold_stands_though_the_keys_are_lost_until_somebody_releases_it(open_: Open, call: Call) -> None:
    """Nobody can read when it ends: it does not by itself. Erasing is refused for it, and done once it is released."""
    with open_(2 * AN_HOUR) as memory:
        held = await call(memory.privacy, "held", BOB)
        assert (held.until, held.reasons) == (None, (UNTOLD,))
        with pytest.raises(RetentionError, match="release"):
            await call(memory.privacy, "erase", BOB)
        assert (await call(memory.privacy, "report", BOB)).status == "held"
        assert await call(memory.privacy, "release", BOB, reason="closed")
        assert await call(memory.privacy, "held", BOB) is None
        report = await call(memory.privacy, "erase", BOB)
        assert (report.status, report.is_empty) == ("erased", True)
        assert memory.long_term.verify(scope=BOB).is_intact


@pytest.mark.usefixtures("lost")
async def test_who_waits_for_the_end_of_a_hold_that_nobody_can_read_is_told(open_: Open, call: Call) -> None:
    """The job that would end it fails where everybody can see it; it is not done, and not in the way."""
    with open_(2 * AN_HOUR) as memory:
        assert (await call(memory.jobs, "run")).failed == 1
        [job] = await call(memory.jobs, "list", BOB)
        assert job.kind == "release_hold"
        assert "stands until it is released" in (job.error or "")
        await call(memory.privacy, "release", BOB, reason="closed")
        assert not await call(memory.jobs, "list", BOB)


async def test_a_hold_can_be_placed_and_released_without_the_keys_it_would_need(
    open_: Open, file: Path, lost: bytes, call: Call
) -> None:
    """No key is begun by it: what is put back opens all, and the log verifies, with events that say but their kind."""
    is_begun_anew = opens(file, lost)
    with open_() as memory:
        placed = await call(memory.privacy, "hold", BOB, reason="another")
        assert placed.until is None
        assert len(placed.reasons) == 2
        await call(memory.privacy, "release", BOB, reason="closed")
        if not is_begun_anew:
            with pytest.raises(LostKeysError):
                memory.long_term.remember("Owns a kayak", scope=BOB)
            put_back(file, lost)
            assert [it.content for it in memory.long_term.list(scope=BOB)] == [BOAT]
            assert await call(memory.privacy, "held", BOB) is None
            assert memory.long_term.verify(scope=BOB).is_intact
            assert memory.vault.check(BOB).is_intact


@pytest.mark.parametrize("later", [timedelta(), 2 * AN_HOUR])
async def test_a_hold_whose_keys_are_put_back_ends_when_it_was_to(
    open_: Open, file: Path, lost: bytes, call: Call, later: timedelta
) -> None:
    """Why and until when is read again."""
    with open_(later) as memory:
        assert (await call(memory.privacy, "held", BOB)).until is None
        put_back(file, lost)
        held = await call(memory.privacy, "held", BOB)
        assert (held is None) if later else (held.reasons == ("a case",))
