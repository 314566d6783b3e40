"""Vector stores that are named, with their options."""

from __future__ import annotations

from importlib import util
from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, Scope, StorageError
from langchain_agentmem.config import config_schema
from langchain_agentmem.index.named import NAMED
from tests.conftest import Call
from tests.fake_embeddings import WordEmbeddings

ALICE, BOB = Scope("alice"), Scope("bob")


async def test_chroma_works_from_a_file(tmp_path: Path, call: Call) -> None:
    """One file of YAML: what is remembered is proposed by the vector store, across openings, and erased from it."""
    file = tmp_path / "agentmem.yaml"
    named = "index: chroma\nindex_above: 0\nindex_options: {path: vectors}\n"
    file.write_text(f"path: a.db\nconsent: assumed\n{named}", encoding="utf-8")
    with AgentMemory.from_config(file, embeddings=WordEmbeddings()) as memory:
        kept = await call(memory.long_term, "remember", "Alice owns a cat", scope=ALICE)
        await call(memory.long_term, "remember", "Bob owns a cat", scope=BOB)
        await call(memory.jobs, "run")
    with AgentMemory.from_config(file, embeddings=WordEmbeddings()) as again:
        found = await call(again.long_term, "recall", "cat", scope=ALICE)
        receipt = await call(again.long_term, "receipt", found.receipt_id, scope=ALICE)
        assert ([hit.memory.content for hit in found], receipt.plan["index"]) == (["Alice owns a cat"], "vector_store")
        await call(again.long_term, "erase", kept.memory.id, scope=ALICE, reason="asked")
        await call(again.jobs, "run")
        index: Any = again._parts[0].index
        assert len(index._store.get()["ids"]) == 1
    assert (tmp_path / "vectors").is_dir()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("chroma", {}, "index_options: name either path"),
        ("chroma", {"path": "v", "host": "h"}, "index_options: name either path"),
        ("chroma", {"path": "v", "collection": "a"}, r"index_options\.collection"),
        ("redis", {"url": "redis://h", "dims": 4}, r"its options are url, dim, name"),
        ("redis", {"url": "http://h", "dim": 4}, r"index_options\.url"),
        ("pgvector", {"url": "postgresql://h/d", "dim": 0}, r"index_options\.dim"),
        ("pgvector", {"url": "postgresql://h/d", "dim": 4, "table": "a; DROP TABLE b"}, r"index_options\.table"),
    ],
)
def test_options_that_cannot_work_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    """Before anything is opened, with the option's name."""
    with pytest.raises(ConfigurationError, match=message):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index=name, index_options=options)


@pytest.mark.parametrize("name", NAMED)
def test_a_store_that_is_not_installed_is_named_with_its_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And with the command that installs it."""
    find = util.find_spec
    monkeypatch.setattr(
        "langchain_agentmem.index.named.find_spec", lambda it: None if it == NAMED[name].package else find(it)
    )
    with pytest.raises(ConfigurationError, match=rf'pip install "langchain-agentmem\[{name}\]"'):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index=name)


def test_a_store_that_cannot_be_opened_is_a_storage_error(tmp_path: Path) -> None:
    """A file where the folder would be."""
    (tmp_path / "vectors").write_text("")
    options = {"path": str(tmp_path / "vectors")}
    with pytest.raises(StorageError, match="the vector store failed"):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index="chroma", index_options=options)


def test_the_schema_knows_the_options_of_each_name() -> None:
    """So that an editor checks them as they are written."""
    schema = config_schema()
    shown = {it["if"]["properties"]["index"]["const"]: it["then"]["properties"] for it in schema["allOf"]}
    assert set(shown) == set(NAMED)
    for name, properties in shown.items():
        options = schema["$defs"][properties["index_options"]["$ref"].rpartition("/")[2]]
        assert set(options["properties"]) == set(NAMED[name].options.model_fields)
