"""The contracts under a vault: by turns, or all of them where `AGENTMEM_TEST_VAULT=1` says so (`0`: none).

What a test gives no vault is sealed all the same: the ledger, conversations, working states and profiles on Redis.
Threads and items of LangGraph need an owner under a vault; their own contracts give them one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from secrets import token_bytes
from typing import Any, Final
from zlib import crc32

import pytest

from langchain_agentmem._flow import Flow
from langchain_agentmem.checkpoint.options import SaverOptions
from langchain_agentmem.checkpoints.base import Owner
from langchain_agentmem.checkpoints.setting import Setting
from langchain_agentmem.items.base import Owner as ItemOwner
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.store.options import StoreOptions
from langchain_agentmem.vault import SubjectVault
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
        "tests.contracts.tamper_contract",
        "tests.contracts.shared_history_contract",
        "tests.contracts.vault_contract",
        "langchain_agentmem.testing.erasure",
        "test_replay_rebuilds_the_same_rows",
        "test_what_is_appended_is_read_back_whole",
    )
)
"""Modules and laws that look at stored bytes, write some, or start processes; the vault's own laws have a vault."""

BY_TURNS: Final = (
    "langchain_agentmem.testing.history",
    "langchain_agentmem.testing.ledgers",
    *(
        f"tests.contracts.{it}_contract"
        for it in "background cold_view episode_ledger episodes goals history ledger long_term profiles retention "
        "states summary turns".split()
    ),
)
"""Modules whose laws take turns under a vault where nothing is said."""

PLAIN_FOLDERS: Final = ("tests.meta_tests.", "tests.typing_tests.")
SOMEBODY: Final = "somebody"


class MemoryKeys:
    """Keys that live as long as the process: a key store for tests."""

    def __init__(self) -> None:
        self._rings: dict[Subject, KeyRing] = {}
        self._secret = token_bytes(32)

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

    def destroy(self, subject: Subject) -> Flow[bool]:
        yield from ()
        return self._rings.pop(subject, None) is not None

    def rotate_master(self) -> Flow[int]:
        yield from ()
        return 0

    def secret(self, use: bytes) -> bytes:
        return self._secret + use


@contextmanager
def sealing(vault: SubjectVault) -> Iterator[None]:
    """Give a vault to whatever is given none: to adapters, to memories, to checkpointers and stores."""
    with pytest.MonkeyPatch.context() as patch:
        for module in SEALED:
            patch.setattr(f"langchain_agentmem.{module}.NullVault", lambda: vault)
        for options in (MemoryOptions, SaverOptions, StoreOptions):
            patch.setattr(options, "__post_init__", _given(vault, options.__post_init__))
        patch.setattr(Setting, "owner", _thread_owner(Setting.owner))
        patch.setattr(StoreOptions, "owner", _item_owner(StoreOptions.owner))
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


def _thread_owner(asked: Callable[[Setting, str], Flow[Any]]) -> Callable[[Setting, str], Flow[Any]]:
    """Return what seals a thread that is nobody's with somebody's key: under a vault, each has an owner."""

    def owner(setting: Setting, thread_id: str) -> Flow[Any]:
        return (yield from asked(setting, thread_id)) or Owner("default", SOMEBODY)

    return owner


def _item_owner(asked: Callable[..., Any]) -> Callable[..., Any]:
    """Return what gives somebody the namespaces that are nobody's."""
    return lambda options, namespace: asked(options, namespace) or ItemOwner("default", SOMEBODY)


def is_sealed(item: Any) -> bool:  # noqa: ANN401  (a test of any kind)
    """Whether a test is run under a vault: where all are, or one of a contract whose turn it is."""
    module, law = item.function.__module__, item.function.__name__
    is_plain = module.startswith(PLAIN_FOLDERS) or not PLAIN.isdisjoint((module, law, f"{module}.{law}"))
    if CHOICE == "0" or is_plain:
        return False
    return CHOICE == "1" or (module in BY_TURNS and crc32(item.nodeid.encode()) % EVERY == 0)
