"""Indexes that other packages bring."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError, Scope
from langchain_agentmem.index.backends import GROUP
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.testing import IndexSuite
from tests.acme import AcmeVectorStore, build_store
from tests.fake_embeddings import WordEmbeddings
from tests.unit_tests.index.view_index import ViewIndex

ALICE = Scope("alice")

Install = Callable[..., None]


class TestAcme(IndexSuite):
    """What a third party proves of its vector store."""

    @pytest.fixture
    def index(self) -> Index:
        return VectorStoreIndex(build_store, "m")


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Give a function that installs entry points, by name, as a package's metadata would."""
    every = metadata.entry_points

    def installed(**values: str) -> None:
        ours = [metadata.EntryPoint(name, value, GROUP) for name, value in values.items()]
        monkeypatch.setattr(
            metadata, "entry_points", lambda **asked: ours if asked == {"group": GROUP} else every(**asked)
        )

    return installed


def remembering(index: str, **options: Any) -> AgentMemory:
    """Remember something with an index of that name."""
    memory = AgentMemory.connect(
        sql="sqlite://", embeddings=WordEmbeddings(), index=index, consent="assumed", **options
    )
    memory.long_term.remember("Alice owns a cat", scope=ALICE)
    assert len(memory.long_term.recall("cat", scope=ALICE)) == 1
    return memory


def index_of(memory: AgentMemory) -> Any:  # noqa: ANN401
    return memory.long_term._flows._writing._searching.index


def test_a_store_is_built_by_the_name_it_is_installed_under(install: Install) -> None:
    """`index="acme"` calls what the entry point names, with the embeddings and the options."""
    install(acme="tests.acme:build_store", other="nowhere:at_all")
    with remembering("acme", index_options={"shelf": "lowest"}) as memory:
        store = index_of(memory)._store
        assert isinstance(store, AcmeVectorStore)
        assert (store.shelf, len(store.rows)) == ("lowest", 1)


def test_an_index_is_made_by_the_name_it_is_installed_under(install: Install) -> None:
    """An entry point may name a subclass of `Index`, which is made with the options."""
    install(views="tests.unit_tests.index.view_index:ViewIndex")
    with remembering("views", index_options={"label": "mine"}) as memory:
        assert isinstance(index_of(memory), ViewIndex)
        assert index_of(memory).label == "mine"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("acne", {}, r"no installed package brings an index named 'acne'; installed: 'acme', 'gone', 'thing'"),
        ("", {}, "no installed package"),
        ("gone", {}, "names 'nowhere:at_all', which cannot be imported"),
        ("thing", {}, "is a str; its package has to name a subclass of Index, or a function"),
        ("acme", {"shelve": 1}, r"does not take index_options \['shelve'\]"),
    ],
)
def test_a_name_that_gives_no_index_is_refused(
    install: Install, name: str, options: dict[str, Any], message: str
) -> None:
    """The error names what is installed, or what is wrong with it."""
    install(acme="tests.acme:build_store", gone="nowhere:at_all", thing="tests.acme:__doc__")
    with pytest.raises(ConfigurationError, match=message):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index=name, index_options=options)


def test_without_packages_the_error_says_so(install: Install) -> None:
    """Where nothing is installed, that is what is listed."""
    install()
    with pytest.raises(ConfigurationError, match="installed: none"):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index="acme")


def test_a_name_of_two_packages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of them would hold the memories is not left to chance."""
    both = [metadata.EntryPoint("acme", value, GROUP) for value in ("tests.acme:build_store", "evil:build_store")]
    monkeypatch.setattr(metadata, "entry_points", lambda **_: both)
    with pytest.raises(ConfigurationError, match="several installed packages bring an index named 'acme'"):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index="acme")


@pytest.mark.parametrize("index", [None, build_store, ViewIndex()])
def test_options_without_a_name_are_refused(index: Any) -> None:  # noqa: ANN401
    """What is given in person has its options already."""
    with pytest.raises(ConfigurationError, match="index_options are for an index that is named"):
        AgentMemory.connect(sql="sqlite://", embeddings=WordEmbeddings(), index=index, index_options={"a": 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"index": 7, "embeddings": WordEmbeddings()}, "index must build a vector store, got 7"),
        (
            {"index": lambda: None, "embeddings": WordEmbeddings()},
            r"from embeddings, got <function .*embedding_function=",
        ),
        ({"index": ViewIndex, "embeddings": WordEmbeddings()}, r"from embeddings, got <class .*ViewIndex"),
        ({"index": lambda _: None, "embeddings": WordEmbeddings()}, "must build a LangChain VectorStore, got NoneType"),
        ({"index": build_store, "embeddings": None}, "index needs embeddings"),
        ({"index_options": "acme", "index": "acme"}, "index_options must be a dict, got str"),
    ],
)
def test_what_is_no_index_is_refused(arguments: dict[str, Any], message: str) -> None:
    """The error names the argument and one that works."""
    with pytest.raises(ConfigurationError, match=message):
        AgentMemory.connect(sql="sqlite://", **arguments)


def test_a_dialect_that_is_none_is_refused() -> None:
    """A class of one's own names a StoreDialect, nothing else."""

    class Wrong(AcmeVectorStore):
        agentmem_dialect = "acme"  # type: ignore[assignment]  # what is refused

    with pytest.raises(ConfigurationError, match=r"Wrong.agentmem_dialect must be a StoreDialect, got str"):
        VectorStoreIndex(Wrong, "m")
