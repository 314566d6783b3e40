"""Tests under a vault: some of the contracts by turns, or all tests where `AGENTMEM_TEST_VAULT=1` says so (`0`: none).

What a test gives no vault is sealed all the same: memories, however they are opened, and adapters alone; the ledger,
conversations, working states, threads and items of LangGraph, and profiles on Redis. Threads and items need an owner
under a vault: those that are nobody's are somebody's here.
"""

from __future__ import annotations

import atexit
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from secrets import token_bytes
from tempfile import mkdtemp
from typing import Any, Final
from zlib import crc32

import pytest

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoint.options import SaverOptions
from langchain_agentmem.checkpoints.setting import Setting
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.store.options import StoreOptions
from langchain_agentmem.types.scope import Owner
from langchain_agentmem.vault import KeyFolder, SubjectVault, Vault
from langchain_agentmem.vault.keyring import KeyRing, Subject

CHOICE: Final = os.environ.get("AGENTMEM_TEST_VAULT", "")
EVERY: Final = 8
"""One test of so many is run under a vault, where nothing is said."""

SEALED: Final = (
    "composition",
    "ledger.sql.ledger",
    "profiles.redis",
    "sessions.redis.sessions",
    "sessions.sql.sessions",
    "states.redis.states",
    "states.sql.states",
)
PLAIN: Final = frozenset(
    (
        # They have vaults of their own, and look at what these leave in the clear.
        "tests.contracts.vault_contract",
        "tests.unit_tests.vault.test_vault",
        "tests.unit_tests.vault.test_keys",
        "tests.unit_tests.vault.test_older_copies",
        "tests.unit_tests.cli.test_sealing",
        # Its memory has a vault of its own, and threads that have none.
        "tests.contracts.governance_contract",
        # It draws itself whether there is a vault.
        "tests.unit_tests.test_governed_law",
        "tests.integration_tests.test_governed_law",
        "tests.governed",
        # They change stored bytes, or write some, and ask what is found: what a vault finds is the vault's contract.
        "tests.contracts.tamper_contract",
        "tests.contracts.head_contract",
        "langchain_agentmem.testing.erasure",
        "test_replay_rebuilds_the_same_rows",
        "test_what_is_appended_is_read_back_whole",
        "test_a_row_at_another_place_is_damage",
        "test_damage_is_found_and_named",
        "test_a_message_in_the_clear_that_was_changed_is_named",
        "test_a_flipped_bit_of_a_message_in_the_clear_is_found",
        "test_a_message_in_the_clear_is_bound_to_its_place",
        "test_a_message_of_an_earlier_release_is_read",
        "test_one_flipped_bit_is_found_in_a_copy",
        "test_damaged_terms_are_said_to_be",
        "test_a_session_whose_own_fields_are_damaged_is_named_and_can_be_cleared",
        "test_a_status_names_the_row_and_the_remedy",
        "test_what_was_lost_is_found_again",
        "test_a_receipt_of_an_earlier_release_is_read",
        "test_a_log_that_is_changed_while_its_user_is_erased_is_found",
        # Their memories are opened once for many tests, before a vault is chosen for one.
        "tests.unit_tests.test_cleaned_lives",
        "tests.unit_tests.test_degraded_parts",
        # They look for a word in the bytes of a file.
        "test_a_task_is_completed_while_somebody_reads",
        "test_a_command_takes_the_step_and_keeps_the_goal",
        "test_no_byte_of_an_erased_memory_is_in_a_file",
        "test_a_reason_keeps_no_sensitive_data",
        # They read and write files of exports, sealed and not, and say themselves which.
        "tests.unit_tests.test_exports",
        "tests.unit_tests.test_importing",
        "tests.unit_tests.working.test_transfer",
        "test_a_copy_of_a_copy_tells_the_same",
        "test_what_a_file_names_and_does_not_have_is_reached_nowhere",
        "test_an_export_that_tells_no_lives_is_imported",
        "test_a_file_without_paths_and_heads_is_imported",
        "test_an_export_has_what_is_kept",
        # Two applications, with keys of their own: an erasure destroys a user's key.
        "tests.integration_tests.test_shared_redis",
        # It brings a vault of its own, which seals nothing and ends its process.
        "test_an_erasure_goes_on_after_a_kill",
        # A file of theirs is read by what has no keys.
        "TestFromSQLSaverToMemory",
        "TestFromOurs",
        "test_an_output_without_a_letter_is_no_error",
        "test_a_command_that_embeds_nothing_loads_no_model",
        "test_the_first_write_of_a_process_compiles_next_to_nothing_under_the_lock",
        # What options are made with: a vault belongs to its process.
        "tests.unit_tests.test_copies",
        # They say themselves whose namespaces are, or that they are nobody's, and have vaults of their own.
        "tests.contracts.store_owner_contract",
        "tests.unit_tests.test_unclaimed",
        "test_deleting_a_namespace_asks_for_everybody_in_it",
        "langchain_agentmem.testing.stores.test_runs_stay_inside",
        # Databases and records that were written in the clear, by earlier releases.
        "tests.unit_tests.test_earlier_releases",
        "test_what_an_earlier_release_wrote_is_there_today",
        "tests.unit_tests.test_fixtures",
        "tests.unit_tests.checkpoints.test_earlier_records",
    )
)
"""Modules, classes and laws that are about what is stored in the clear, each with its reason."""

BY_TURNS: Final = (
    "langchain_agentmem.testing.history",
    "langchain_agentmem.testing.ledgers",
    *(
        f"tests.contracts.{it}_contract"
        for it in "background cold_view episode_ledger episodes goals history ledger long_term merged_times profiles "
        "retention states summary turns".split()
    ),
)
"""Modules whose laws take turns under a vault where nothing is said."""

PLAIN_FOLDERS: Final = ("tests.meta_tests.", "tests.typing_tests.")
"""They are about the code, and the examples of its pages; these have vaults where they are about one."""

SOMEBODY: Final = "somebody"


class MemoryKeys:
    """Keys that live as long as the process: a key store for tests."""

    def __init__(self) -> None:
        self._rings: dict[Subject, KeyRing] = {}
        self._secret = token_bytes(32)

    def is_begun(self) -> bool:
        return True

    def ring(self, subject: Subject) -> Flow[KeyRing]:
        yield from ()
        return self._rings.setdefault(subject, KeyRing.new())

    def holds(self, subject: Subject) -> Flow[bool]:
        yield from ()
        return subject in self._rings

    def is_current(self, subject: Subject, ring: KeyRing) -> bool:
        return self._rings.get(subject) is ring

    def is_kept(self, subject: Subject, ring: KeyRing) -> bool:
        kept = self._rings.get(subject)
        return kept is not None and kept.lineage == ring.lineage

    def change(self, subject: Subject, make: Callable[[KeyRing], KeyRing]) -> Flow[KeyRing]:
        self._rings[subject] = make((yield from self.ring(subject)))
        return self._rings[subject]

    def destroy(self, subject: Subject, lineage: bytes | None = None) -> Flow[bool]:
        yield from ()
        if lineage is not None and subject in self._rings and self._rings[subject].lineage != lineage:
            return False
        self._rings.pop(subject, None)
        return True

    def rotate_master(self) -> Flow[int]:
        yield from ()
        return 0

    def secret(self, use: bytes) -> bytes:
        return self._secret + use


_sealing_folder: Path | None = None


@cache
def shared_folder() -> Path:
    """Return where keys are while tests run: what a fixture opens for many of them is read by all, in any process."""
    folder = mkdtemp(prefix="agentmem-keys-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def vault_in(folder: Path) -> SubjectVault:
    """Return the vault of a folder: the same for all tests, as what a fixture opened for many knows it by itself."""
    return SubjectVault(KeyFolder(folder))


def chosen() -> AbstractContextManager[None]:
    """Seal what a test does: with the keys that all share where all are sealed, else with keys of its own."""
    return sealing_in(shared_folder()) if CHOICE == "1" else sealing(SubjectVault(MemoryKeys()))


def folder_in_use() -> Path | None:
    """Return where the keys are that seal just now, for another process to do so too."""
    return _sealing_folder


@contextmanager
def sealing_in(folder: Path | None) -> Iterator[None]:
    """Seal with the keys of a folder; without one, nothing is sealed."""
    global _sealing_folder  # noqa: PLW0603  (a test seals at a time)
    if folder is None:
        yield
        return
    _sealing_folder = folder
    try:
        with sealing(vault_in(folder)):
            yield
    finally:
        _sealing_folder = None


@contextmanager
def sealing(vault: SubjectVault) -> Iterator[None]:
    """Give a vault to adapters that are given none; where all tests are sealed, to all else that takes one."""
    with pytest.MonkeyPatch.context() as patch:
        for module in SEALED:
            patch.setattr(f"langchain_agentmem.{module}.vault_of", lambda given: vault if given is None else given)
        if CHOICE == "1":
            for options in (MemoryOptions, SaverOptions, StoreOptions):
                patch.setattr(options, "__post_init__", _given(vault, options.__post_init__))
            patch.setattr(Setting, "owner", _thread_owner(vault, Setting.owner))
            patch.setattr(StoreOptions, "owner", _item_owner(vault, StoreOptions.owner))
        yield


def _given(vault: SubjectVault, check: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return what puts the vault where options name none, and lets an index of one's own be beside it."""

    def checked(options: Any) -> None:  # noqa: ANN401  (options of three kinds)
        if options.vault is None:
            object.__setattr__(options, "vault", vault)
            if isinstance(options, MemoryOptions):
                object.__setattr__(options, "allow_plain_vectors", True)
        check(options)

    return checked


def _thread_owner(vault: Vault, asked: Callable[[Setting, str], Flow[Any]]) -> Callable[[Setting, str], Flow[Any]]:
    """Return what seals a thread that is nobody's with somebody's key: under a vault, each has an owner."""

    def owner(setting: Setting, thread_id: str) -> Flow[Any]:
        found = yield from asked(setting, thread_id)
        return found or (Owner("default", SOMEBODY) if setting.vault is vault else None)

    return owner


def _item_owner(vault: Vault, asked: Callable[..., Any]) -> Callable[..., Any]:
    """Return what gives somebody the namespaces that are nobody's."""

    def owner(options: StoreOptions, namespace: tuple[str, ...]) -> Any:  # noqa: ANN401  (whoever it is)
        found = asked(options, namespace)
        return found or (Owner("default", SOMEBODY) if options.vault is vault else None)

    return owner


def is_sealed(item: Any) -> bool:  # noqa: ANN401  (a test of any kind)
    """Whether a test is run under a vault: where all are, or one of a contract whose turn it is."""
    module, law = item.function.__module__, item.function.__name__
    names = (module, item.module.__name__, law, f"{module}.{law}", getattr(item.cls, "__name__", ""))
    is_plain = module.startswith(PLAIN_FOLDERS) or not PLAIN.isdisjoint(names)
    if CHOICE == "0" or is_plain:
        return False
    return CHOICE == "1" or (module in BY_TURNS and crc32(item.nodeid.encode()) % EVERY == 0)
