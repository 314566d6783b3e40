"""Which index a memory has besides its own view: one that is given, or one that an installed package brings.

A package declares in its `pyproject.toml`:

```toml
[project.entry-points."langchain_agentmem.backends"]
acme = "acme_memory:build_store"
```

and `AgentMemory.connect(sql=…, index="acme", index_options={"url": "…"})` calls `build_store(embeddings, url="…")` for
a LangChain `VectorStore`; or the entry point names a subclass of `Index`, which is made as `cls(url="…")`.
`chroma`, `redis` and `pgvector` need no package but their extra: see `named`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from importlib import metadata
from typing import Any, Final, TypeAlias

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.index.base import Index
from langchain_agentmem.index.named import NAMED, named_index, named_options
from langchain_agentmem.index.vector_store import VectorStoreIndex

GROUP: Final = "langchain_agentmem.backends"

BuildStore: TypeAlias = Callable[[Embeddings], VectorStore]


def chosen_index(
    index: BuildStore | Index | str | None, model: str | None, options: Mapping[str, Any], vault: object = None
) -> Index:
    """Return the index that a memory was told to have.

    Args:
        index: What builds a vector store, an index, or the name of one: `chroma`, `redis`, `pgvector`, or one that an
            installed package brings.
        model: Name of the embedding model, `None` where there is none.
        options: What a named index is made with.
        vault: Keys the names in a vector store that was given no key.

    Raises:
        ConfigurationError: It is none of these, there is no embedding model to fill it, there are options and no name,
            or the name is not installed.
        StorageError: What is named could not be opened.
    """
    found = _chosen_index(index, model, options)
    if vault is not None and isinstance(found, VectorStoreIndex) and found.is_guessable:
        found.name_by(_secret_of(vault))
    return found


def _chosen_index(index: BuildStore | Index | str | None, model: str | None, options: Mapping[str, Any]) -> Index:
    if options and not isinstance(index, str):
        msg = "index_options are for an index that is named, index='…'; give them to what builds the store instead"
        raise ConfigurationError(msg)
    if model is None:
        msg = "index needs embeddings; pass embeddings='local' or any LangChain Embeddings beside it"
        raise ConfigurationError(msg)
    if isinstance(index, str) and index in NAMED:
        return named_index(index, options, model)
    found = installed_index(index, options) if isinstance(index, str) else index
    if isinstance(found, Index):
        return found
    if not callable(found):
        msg = f"index must build a vector store, got {found!r}; for example lambda e: Chroma(embedding_function=e)"
        raise ConfigurationError(msg)
    return VectorStoreIndex(found, model)


def _secret_of(vault: object) -> Callable[[], bytes]:
    """Return what gives a secret of a vault, for names that stand outside of it.

    Raises:
        ConfigurationError: It has none to give.
    """
    secret = getattr(vault, "secret", None)
    if not callable(secret):
        msg = (
            f"{type(vault).__name__} gives no secret for the names of users in an index, which anybody could guess; "
            "pass index=VectorStoreIndex(build, model, key=…)"
        )
        raise ConfigurationError(msg)
    return partial(secret, b"index")


def check_named(name: str, options: Mapping[str, Any]) -> None:
    """Check a name and what is to be made with it; nothing is opened.

    Raises:
        ConfigurationError: It is neither known nor installed, or does not take these options.
    """
    if name in NAMED:
        named_options(name, options)
    else:
        _backend(name, options)


def installed_index(name: str, options: Mapping[str, Any]) -> Index | BuildStore:
    """Return the index of that name, or what builds its vector store, made with these options.

    Raises:
        ConfigurationError: No installed package has that name, or two have; what it names cannot be imported, is
            neither an `Index` nor callable, or takes other options.
    """
    backend, is_index = _backend(name, options)
    if is_index:
        index: Index = backend(**options)
        return index
    return partial(backend, **options)


def _backend(name: str, options: Mapping[str, Any]) -> tuple[Any, bool]:
    """Return what a package brings under a name, checked, and whether it is an index itself."""
    backend = _loaded(name)
    is_index = inspect.isclass(backend) and issubclass(backend, Index)
    if not is_index and not callable(backend):
        msg = (
            f"the index {name!r} is a {type(backend).__name__}; its package has to name a subclass of Index, or a "
            "function from Embeddings to a VectorStore"
        )
        raise ConfigurationError(msg)
    _check_options(name, backend, () if is_index else (None,), options)
    return backend, is_index


def _loaded(name: str) -> Any:  # noqa: ANN401  (what another package names)
    installed = metadata.entry_points(group=GROUP)
    found = [entry for entry in installed if entry.name == name]
    if not found:
        known = ", ".join(sorted({repr(entry.name) for entry in installed})) or "none"
        msg = (
            f"no installed package brings an index named {name!r}; installed: {known}; "
            f"known without one: {', '.join(NAMED)}"
        )
        raise ConfigurationError(msg)
    if len({entry.value for entry in found}) > 1:
        msg = f"several installed packages bring an index named {name!r}: {', '.join(sorted(it.value for it in found))}"
        raise ConfigurationError(msg)
    try:
        return found[0].load()
    except (ImportError, AttributeError) as error:
        msg = f"the index {name!r} names {found[0].value!r}, which cannot be imported: {error}"
        raise ConfigurationError(msg) from error


def _check_options(
    name: str, backend: Callable[..., Any], before: tuple[None, ...], options: Mapping[str, Any]
) -> None:
    try:
        inspect.signature(backend).bind(*before, **options)
    except TypeError as error:
        msg = f"the index {name!r} does not take index_options {sorted(options)}: {error}"
        raise ConfigurationError(msg) from error
    except ValueError:
        return  # what has no signature is tried
