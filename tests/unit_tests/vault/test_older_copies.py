"""A copy of the database from before an erasure, used beside the one in which the user began anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from langchain_agentmem import AgentMemory, KeyFolder, LostKeysError, Scope, SubjectVault
from langchain_agentmem._checks import utc_now
from langchain_agentmem._flow import run
from langchain_agentmem.privacy.erasing import Begun
from langchain_agentmem.privacy.held_layers import ProfileLayer
from tests.conftest import Call

BOB = Scope("bob")
TALK = Scope("bob", session_id="talk")
BOAT, KAYAK = "Owns a boat", "Owns a kayak"

Open: TypeAlias = Callable[..., AgentMemory]


@pytest.fixture
def open_(tmp_path: Path) -> Open:
    """Return what opens a database of a name, all by the keys of one folder."""

    def opened(name: str, *, rekeys: bool = False, later: timedelta = timedelta()) -> AgentMemory:
        def clock() -> datetime:
            return utc_now() + later

        vault = SubjectVault(KeyFolder(tmp_path / "keys", rekeys=rekeys))
        return AgentMemory.embedded(tmp_path / name, vault=vault, consent="assumed", embeddings=None, clock=clock)

    return opened


@pytest.fixture(params=["facts", "messages"])
def keep(request: pytest.FixtureRequest) -> Callable[[AgentMemory], None]:
    """What the copy has of the user: something in the log, or nothing there."""

    def kept(memory: AgentMemory) -> None:
        if request.param == "facts":
            memory.long_term.remember(BOAT, scope=BOB)
        else:
            memory.history(TALK).add_user_message(BOAT)

    return kept


def copy(folder: Path, *, source: str = "live.db", target: str = "copy.db") -> None:
    with closing(sqlite3.connect(folder / source)) as data, closing(sqlite3.connect(folder / target)) as other:
        data.backup(other)


def listed(memory: AgentMemory) -> list[str]:
    return [it.content for it in memory.long_term.list(scope=BOB)]


@pytest.mark.parametrize("rekeys", [False, True])
async def test_an_erasure_in_a_copy_leaves_keys_that_were_begun_since(
    tmp_path: Path, open_: Open, keep: Callable[[AgentMemory], None], call: Call, *, rekeys: bool
) -> None:
    """Nothing is left in the copy, however often it is asked; what the user began anew is read, and says so."""
    with open_("live.db") as live:
        keep(live)
        copy(tmp_path)
        await call(live.privacy, "erase", BOB)
        live.long_term.remember(KAYAK, scope=BOB)
    with open_("copy.db", rekeys=rekeys) as other:
        for _ in range(2):
            report = await call(other.privacy, "erase", BOB)
            assert (report.status, report.is_empty) == ("erased", True)
            assert any("sealed nothing of what was erased here" in it for it in report.remains)
            assert other.long_term.verify(scope=BOB).is_intact
    with open_("live.db") as live:
        assert listed(live) == [KAYAK]
        live.long_term.remember(BOAT, scope=BOB)
        assert live.vault.check(BOB).is_intact


def test_an_erasure_that_waits_in_a_copy_leaves_keys_that_were_begun_since(tmp_path: Path, open_: Open) -> None:
    """It was begun before the copy was made, and any worker does it: nobody asked for those keys to be destroyed."""
    with open_("live.db") as live:
        live.long_term.remember(BOAT, scope=BOB)
        run(live.privacy._parts.erasure.begin(BOB, "letter"))
        copy(tmp_path)
        live.privacy.erase(BOB)
        live.long_term.remember(KAYAK, scope=BOB)
    with open_("copy.db", later=timedelta(minutes=5)) as other:
        other.jobs.run()
        assert other.privacy.report(BOB).status == "erased"
    with open_("live.db") as live:
        assert listed(live) == [KAYAK]


def test_who_goes_on_in_a_copy_is_erased_there_with_their_keys(tmp_path: Path, open_: Open) -> None:
    """A copy that took the place of the database: what is written there since is sealed by keys that are its own."""
    with open_("live.db") as live:
        live.long_term.remember(BOAT, scope=BOB)
        copy(tmp_path)
        live.privacy.erase(BOB)
    with open_("copy.db") as other:
        other.privacy.erase(BOB)
        other.long_term.remember(KAYAK, scope=BOB)
        copy(tmp_path, source="copy.db", target="later.db")
        report = other.privacy.erase(BOB)
        assert not any("sealed nothing" in it for it in report.remains)
    with open_("later.db") as later, pytest.raises(LostKeysError):
        listed(later)


def test_keys_of_earlier_releases_are_told_by_their_lineage_too(tmp_path: Path, open_: Open) -> None:
    """Their files do not say it in the clear: it is written there before anything is destroyed, or left."""
    with open_("live.db") as live:
        live.long_term.remember(BOAT, scope=BOB)
        copy(tmp_path)
        live.privacy.erase(BOB)
        live.long_term.remember(KAYAK, scope=BOB)
    [file] = [it for it in (tmp_path / "keys" / "subjects").glob("*/*") if not it.name.startswith(".")]
    file.write_bytes(file.read_bytes()[10:])
    with open_("copy.db") as other:
        other.privacy.erase(BOB)
    with open_("live.db") as live:
        assert listed(live) == [KAYAK]
        live.privacy.erase(BOB)
        assert live.privacy.report(BOB).is_empty


async def test_what_a_copy_cannot_read_names_the_remedy(tmp_path: Path, open_: Open, call: Call) -> None:
    """The keys that sealed it are gone, though the user has others: it is an error of lost keys."""
    with open_("live.db") as live:
        live.long_term.remember(BOAT, scope=BOB)
        copy(tmp_path)
        live.privacy.erase(BOB)
        live.long_term.remember(KAYAK, scope=BOB)
    with open_("copy.db") as other:
        given: dict[str, Any] = {"scope": BOB}
        with pytest.raises(LostKeysError, match=r"older copy of the database, erase the user in it \(privacy.erase\)"):
            await call(other.long_term, "list", **given)


@pytest.mark.parametrize("has_others", [False, True])
async def test_a_copy_that_never_heard_of_a_user_leaves_their_keys(
    tmp_path: Path, open_: Open, keep: Callable[[AgentMemory], None], call: Call, *, has_others: bool
) -> None:
    """It was made before they came: nothing of theirs is in it, and what their keys sealed elsewhere is read."""
    with open_("live.db") as live:
        if has_others:
            live.long_term.remember(BOAT, scope=Scope("ann"))
        copy(tmp_path)
        keep(live)
    with open_("copy.db") as other:
        for _ in range(2):
            report = await call(other.privacy, "erase", BOB)
            assert (report.status, report.is_empty) == ("erased", True)
            assert any("all_keys=True" in it for it in report.remains)
            assert other.long_term.verify(scope=BOB).is_intact
    with open_("live.db") as live:
        assert BOAT in str([*listed(live), *live.history(TALK).messages])
        assert live.vault.check(BOB).is_intact
        assert not any("all_keys" in it for it in live.privacy.erase(BOB).remains)
        copy(tmp_path, target="later.db")
        assert not listed(live)


async def test_all_keys_of_a_user_are_destroyed_where_that_is_asked_for(
    tmp_path: Path, open_: Open, keep: Callable[[AgentMemory], None], call: Call
) -> None:
    """Also where nothing is here that they seal, and where the erasure was begun without: no backup is read then."""
    with open_("live.db") as live:
        copy(tmp_path)
        keep(live)
        copy(tmp_path, target="backup.db")
    with open_("copy.db") as other:
        await call(other.privacy, "erase", BOB)
        run(other.privacy._parts.erasure.begin(BOB, "letter"))
        report = await call(other.privacy, "erase", BOB, all_keys=True)
        assert (report.status, report.is_empty) == ("erased", True)
        assert not any("all_keys" in it for it in report.remains)
    with open_("backup.db") as backup, pytest.raises(LostKeysError):
        assert not [*listed(backup), *backup.history(TALK).messages]


@pytest.mark.parametrize(("layer", "keys"), [("index", ""), ("profiles_redis", ""), ("conversations", "aa")])
def test_what_is_made_of_memories_elsewhere_does_not_make_a_user_known(open_: Open, layer: str, keys: str) -> None:
    """A copy that is opened with the Redis or the index in use finds there what the database in use made of its own."""
    nowhere: Any = None
    with open_("copy.db") as other:
        layers = [*other.privacy._parts.erasure._layers(), ProfileLayer(nowhere, nowhere, "")]
    assert layer in {it.name for it in layers}
    assert Begun("letter", {layer: 1}, "aa", is_known=False).in_use(layers).keys == keys
