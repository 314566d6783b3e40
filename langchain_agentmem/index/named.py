"""Vector stores that are known by name, with options that can stand in a file: `chroma`, `redis` and `pgvector`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Self, TypeAlias

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from langchain_agentmem._checks import install_hint
from langchain_agentmem._flow import Flow, run, step, work
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.opening import Opened, open_chroma, open_pgvector, open_redis
from langchain_agentmem.index.reaching import Reached, reach_chroma, reach_pgvector, reach_redis
from langchain_agentmem.index.vector_store import VectorStoreIndex
from langchain_agentmem.sql.url import parse_url

Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, strict=True)]
Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$")]
"""As Chroma wants its collections named, which neither Redis nor PostgreSQL has to escape."""

Dim: TypeAlias = Annotated[int, Field(ge=1, le=16_000)]
"""Numbers in a vector: pgvector holds 16,000 at most."""

_DIM: Final = "Numbers in a vector of the embeddings: 384 with `local`, 1536 with `openai:text-embedding-3-small`."


class _Options(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ChromaOptions(_Options):
    """Chroma, embedded in a folder or on its server."""

    path: Text | None = Field(None, description="A folder, from that of the configuration file, for one process.")
    host: Text | None = Field(None, description="Chroma's server; in place of `path`.")
    port: int = Field(8000, ge=1, le=65_535, description="Where the server listens.")
    ssl: bool = Field(default=False, description="Speak to the server by HTTPS.")
    headers: dict[str, str] = Field(
        default={}, repr=False, description="Sent with every request, for example `authorization`."
    )
    collection: Name = Field("agentmem", description="Name of the collection; made where it is missing.")

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        if (self.path is None) == (self.host is None):
            msg = "name either path (a folder) or host (Chroma's server)"
            raise ValueError(msg)
        return self

    def open(self, embeddings: Embeddings) -> Opened:
        """Return the store, connected."""
        return open_chroma(embeddings, **dict(self))

    def reach(self) -> Reached:
        """Return what the store is, without opening it."""
        return reach_chroma(**dict(self))


class RedisIndexOptions(_Options):
    """Redis with the query engine, by langchain-redis."""

    url: Annotated[str, StringConstraints(pattern=r"^(rediss?|unix)://")] = Field(
        repr=False, description="Where the query engine is: `redis://host:6379`, `rediss://…` or `unix://…`."
    )
    dim: Dim = Field(description=_DIM)
    name: Name = Field("agentmem", description="Name of the index, and prefix of its keys; made where it is missing.")

    def open(self, embeddings: Embeddings) -> Opened:
        """Return the store, connected."""
        return open_redis(embeddings, **dict(self))

    def reach(self) -> Reached:
        """Return what the store is, without opening it."""
        return reach_redis(**dict(self))


class PGVectorOptions(_Options):
    """PostgreSQL with pgvector, by langchain-postgres."""

    url: Text = Field(repr=False, description="The database: `postgresql://user:${PASSWORD}@host/name`.")
    dim: Dim = Field(description=_DIM)
    table: Annotated[str, StringConstraints(pattern=r"^[a-z_][a-z0-9_]{0,47}$")] = Field(
        "agentmem_index", description="Name of the table; made where it is missing, with an index on `subject`."
    )

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        if parse_url(url).get_backend_name() != "postgresql":
            msg = "url must name a PostgreSQL, such as postgresql://user@host/name"
            raise ValueError(msg)
        return url

    def open(self, embeddings: Embeddings) -> Opened:
        """Return the store, connected."""
        return open_pgvector(embeddings, **dict(self))

    def reach(self) -> Reached:
        """Return what the store is, without opening it."""
        return reach_pgvector(**dict(self))


IndexOptions: TypeAlias = ChromaOptions | RedisIndexOptions | PGVectorOptions


class _Known(NamedTuple):
    options: type[IndexOptions]
    package: str


NAMED: Final[Mapping[str, _Known]] = {
    "chroma": _Known(ChromaOptions, "langchain_chroma"),
    "redis": _Known(RedisIndexOptions, "langchain_redis"),
    "pgvector": _Known(PGVectorOptions, "langchain_postgres"),
}
"""By name, which is the extra's, too. A package that brings an index has to call it something else."""


class NamedIndex(VectorStoreIndex):
    """A vector store that was opened here, and is closed with the memory.

    Args:
        options: Which store, and where.
        model: Name of the embedding model.

    Raises:
        ConfigurationError: The store is laid out so that it would lose or leak rows.
        StorageError: It could not be opened.
    """

    def __init__(self, options: IndexOptions, model: str) -> None:
        self._opened: list[Opened] = []
        try:
            super().__init__(self._open(options), model)
        except BaseException:
            run(self.close())
            raise

    def _open(self, options: IndexOptions) -> Callable[[Embeddings], VectorStore]:
        def build(embeddings: Embeddings) -> VectorStore:
            self._opened.append(options.open(embeddings))
            return self._opened[-1].store

        return build

    def close(self) -> Flow[None]:
        """Release what was opened."""
        while self._opened:
            opened = self._opened.pop()
            yield from work(opened.close) if opened.aclose is None else step(opened.close, opened.aclose)


def named_index(name: str, options: Mapping[str, Any], model: str) -> NamedIndex:
    """Return the index of a name in `NAMED`, connected to its store.

    Raises:
        ConfigurationError: An option is missing, unknown or cannot work, or the extra is not installed.
        StorageError: The store could not be opened.
    """
    return NamedIndex(named_options(name, options), model)


def named_options(name: str, options: Mapping[str, Any]) -> IndexOptions:
    """Return the options of a name in `NAMED`, checked.

    Raises:
        ConfigurationError: One is missing, unknown or cannot work, or the extra is not installed.
    """
    known = NAMED[name]
    if find_spec(known.package) is None:
        package = known.package.replace("_", "-")
        msg = f"index {name!r} needs {package}; {install_hint(name)}"
        raise ConfigurationError(msg)
    try:
        return known.options.model_validate(dict(options))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(["index_options", *map(str, first["loc"])])
        told = first["msg"].removeprefix("Value error, ")
        msg = f"index {name!r}: {where}: {told}; its options are {', '.join(known.options.model_fields)}"
        raise ConfigurationError(msg) from None  # the original quotes what it was given
