"""Repositories that only git itself can serve are refused with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from dulwich.repo import Repo

from langchain_agentmem.errors import ConfigurationError, StorageError
from tests.conftest import Call
from tests.unit_tests.procedural.conftest import Open, policy


def configure(folder: Path, section: tuple[str, ...], name: str, value: str) -> None:
    with Repo(str(folder)) as repo:
        config = repo.get_config()
        config.set(tuple(it.encode() for it in section), name.encode(), value.encode())
        config.write_to_path()


async def test_a_repository_of_other_hashes_is_refused(opened: Open, folder: Path, call: Call) -> None:
    """Objects of SHA-1 would damage it."""
    configure(folder, ("core",), "repositoryformatversion", "1")
    configure(folder, ("extensions",), "objectFormat", "sha256")
    with pytest.raises(ConfigurationError, match="by sha256, and only SHA-1 is written here"):
        await call(opened(folder).procedural, "policies")


async def test_a_policy_that_a_sparse_checkout_leaves_out_is_missed(opened: Open, folder: Path, call: Call) -> None:
    """It would not be in force, and nothing would tell."""
    configure(folder, ("core",), "sparseCheckout", "true")
    before = opened(folder).procedural
    assert "staging-first" in {it.name for it in await call(before, "policies")}
    (folder / "policies" / "staging-first.yaml").unlink()
    with pytest.raises(StorageError, match=r"'policies/staging-first.yaml' is committed and .*git sparse-checkout add"):
        await call(opened(folder).procedural, "policies")
    assert "staging-first" in {it.name for it in await call(before, "policies")}
    assert "sparse checkout" in (await call(before, "problems"))[0].message


async def test_a_partial_clone_says_how_to_get_what_it_lacks(opened: Open, folder: Path, call: Call) -> None:
    """Nothing is wrong with it, but that only git asks its origin."""
    configure(folder, ("remote", "origin"), "promisor", "true")
    memory = opened(folder).procedural
    memory.save(policy())
    with Repo(str(folder)) as repo:
        blob = repo.get_object(repo.head()).tree
        for name in (b"policies", b"staging-first.yaml"):
            blob = repo.object_store[blob][name][1]
    (folder / ".git" / "objects" / blob[:2].decode() / blob[2:].decode()).unlink()
    with pytest.raises(StorageError, match=r"is a partial clone and lacks what is asked for.*--refetch"):
        await call(memory, "history", "staging-first")
