"""Embeddings as this package uses them: named, checked, of unit length, and computed once per text."""

from __future__ import annotations

import logging
import math
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_agentmem._away import is_passing
from langchain_agentmem._flow import Flow, step
from langchain_agentmem._patience import athread_within, awithin, breaker_of, within
from langchain_agentmem.errors import AgentMemError, ConfigurationError, StorageError

DEFAULT_CACHE_BYTES: Final = 64 * 2**20
"""About 40,000 vectors of 384 numbers."""

ENTRY_BYTES: Final = 250
"""Bytes a cached vector takes beside its numbers: key, array header, place in the dict (measured)."""

TIMEOUT_S: Final = 30.0
"""As long as a database is waited for at most: a question takes a model less than a second, hosted ones with their
retries a few."""

TEXTS_AT_ONCE: Final = 32
"""So many texts have the time of one call: what models embed at once by default. A longer list has more time."""

_NAME_ATTRIBUTES: Final = ("model", "model_name", "model_id", "deployment", "deployment_name", "repo_id")
_DIM_ATTRIBUTES: Final = ("dim", "dimension", "size")
_ASKED_DIM_ATTRIBUTES: Final = ("dimensions", "output_dimensionality")
"""Sizes that a caller asks for: the same model gives other vectors then, so they belong to the name."""

_STATEMENT: Final = b"statement"

_LOOK: Final = "; nothing was kept: try again, and look at the model or its server where it stays so"

LOGGER: Final = logging.getLogger("langchain_agentmem")

Vector: TypeAlias = NDArray[np.float32]
_STORED: Final = np.dtype("<f4")
T = TypeVar("T")


class UnusableVectorError(ConfigurationError):
    """A model returned what is no vector, twice; it may be otherwise later."""

    is_retryable: ClassVar[bool] = True


def embedding_identity(embeddings: Embeddings, *, name: str | None = None) -> tuple[str, int | None]:
    """Return the name under which vectors of this model are kept, and their size where the model tells it.

    Vectors of different names are never compared. The name is what the object calls its model, with the size where one
    was asked for; else its class.

    Args:
        embeddings: Any LangChain embeddings.
        name: Overrides the name, for a model that two classes serve or one that has no name of its own.
    """
    asked = next(filter(_is_size, _attributes(embeddings, _ASKED_DIM_ATTRIBUTES)), None)
    dim = next(filter(_is_size, _attributes(embeddings, _DIM_ATTRIBUTES)), asked)
    if name:
        return name, dim
    names = (value for value in _attributes(embeddings, _NAME_ATTRIBUTES) if isinstance(value, str) and value)
    found = next(names, f"{type(embeddings).__module__}.{type(embeddings).__qualname__}")
    return found if asked is None else f"{found}@{asked}", dim


def unit_vector(values: Sequence[float] | NDArray[Any], *, dim: int | None = None, name: str = "model") -> Vector:
    """Return an embedding as float32 of length 1.

    Args:
        values: The numbers the model returned.
        dim: The size they must have, `None` where it is not known yet.
        name: Name of the model, for messages.

    Raises:
        ConfigurationError: Not a list of numbers, NaN or infinite, all zero, or of another size.
    """
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        msg = f"the embedding model {name!r} returned something that is not a list of numbers{_LOOK}"
        raise UnusableVectorError(msg) from error
    if vector.ndim != 1 or not vector.size:
        msg = f"the embedding model {name!r} returned an array of shape {vector.shape}; it must be (size,){_LOOK}"
        raise UnusableVectorError(msg)
    if dim is not None and vector.size != dim:
        msg = f"the embedding model {name!r} returned {vector.size} numbers where {dim} are stored; run reindex()"
        raise ConfigurationError(msg)
    length = math.sqrt(np.vdot(vector, vector))  # infinite where numbers are too large: told below
    if not math.isfinite(length) or not length:
        what = "NaN or infinite numbers" if length else "zeros only"
        msg = f"the embedding model {name!r} returned {what}{_LOOK}; half precision may overflow: load it in float32"
        raise UnusableVectorError(msg)
    return (vector / length).astype(np.float32)


def pack_vector(vector: Vector) -> bytes:
    """Return a vector as stored: float32, little-endian."""
    return vector.astype(_STORED, copy=False).tobytes()


def embed_texts(embeddings: Embeddings, texts: Sequence[str], *, dim: int | None = None) -> Flow[list[Vector]]:
    """Embed statements, and check what comes back.

    Raises:
        ConfigurationError: A vector cannot be used, they differ in size, or there are fewer or more of them than texts.
        StorageError: The model failed.
    """
    return (yield from _twice(partial(_texts, embeddings, texts, dim))) if texts else []


def _texts(embeddings: Embeddings, texts: Sequence[str], dim: int | None) -> Flow[list[Vector]]:
    found = yield from _guarded(embeddings.embed_documents, embeddings.aembed_documents, list(texts))
    name, _ = embedding_identity(embeddings)
    if len(found) != len(texts):
        msg = f"the embedding model {name!r} returned {len(found)} vectors for {len(texts)} texts{_LOOK}"
        raise UnusableVectorError(msg)
    vectors = [unit_vector(values, dim=dim, name=name) for values in found]
    sizes = sorted({it.size for it in vectors})
    if len(sizes) > 1:
        msg = (
            f"the embedding model {name!r} returned vectors of {' and '.join(map(str, sizes))} numbers for one list; "
            "nothing was kept: try again, and look at the model where it stays so"
        )
        raise UnusableVectorError(msg)
    return vectors


def embed_question(embeddings: Embeddings, text: str, *, dim: int | None = None) -> Flow[Vector]:
    """Embed a question, and check what comes back.

    Raises:
        ConfigurationError: The vector cannot be used.
        StorageError: The model failed.
    """
    return (yield from _twice(partial(_question, embeddings, text, dim)))


def _question(embeddings: Embeddings, text: str, dim: int | None) -> Flow[Vector]:
    found = yield from _guarded(embeddings.embed_query, embeddings.aembed_query, text)
    return unit_vector(found, dim=dim, name=embedding_identity(embeddings)[0])


def _twice(ask: Callable[[], Flow[T]]) -> Flow[T]:
    """Ask once more where what came back was no vector: an overflow passes, a wrong model stays wrong."""
    try:
        return (yield from ask())
    except UnusableVectorError:
        LOGGER.warning("an embedding model returned what is no vector; it is asked once more")
    return (yield from ask())


class CachedEmbeddings(Embeddings):
    """Embeddings that remember what they computed, by a hash of the text: a repeated text costs nothing. Thread-safe.

    Args:
        wrapped: The embeddings to ask for what is not remembered. Where its attribute `is_symmetric` is true, questions
            and statements share what is remembered.
        max_bytes: Bound; what was not used longest goes first.
        timeout_s: How long a call may take, for each 32 texts; then `TimeoutError`. `None`: for ever.

    Raises:
        ConfigurationError: `max_bytes` is negative.
    """

    def __init__(
        self, wrapped: Embeddings, *, max_bytes: int = DEFAULT_CACHE_BYTES, timeout_s: float | None = None
    ) -> None:
        if max_bytes < 0:
            msg = f"max_bytes must not be negative, got {max_bytes!r}; 0 remembers nothing"
            raise ConfigurationError(msg)
        self.wrapped = wrapped
        self.model, self.dim = embedding_identity(wrapped)
        self._question = _STATEMENT if getattr(wrapped, "is_symmetric", False) else b"question"
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s
        self._nbytes = 0
        self._lock = threading.Lock()
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """Return the bytes that the remembered vectors take."""
        return self._nbytes

    def clear(self) -> None:
        """Forget every vector: embeddings can be inverted to something close to their text."""
        with self._lock:
            self._vectors.clear()
            self._nbytes = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the embeddings of statements."""
        keys, found, missing = self._lookup(_STATEMENT, texts)
        if missing:
            found |= self._remember(missing, self._embed("embed_documents", list(missing.values())))
        return [found[key].tolist() for key in keys]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the embeddings of statements."""
        keys, found, missing = self._lookup(_STATEMENT, texts)
        if missing:
            found |= self._remember(missing, await self._aembed("embed_documents", list(missing.values())))
        return [found[key].tolist() for key in keys]

    def embed_query(self, text: str) -> list[float]:
        """Return the embedding of a question."""
        (key,), found, missing = self._lookup(self._question, [text])
        if missing:
            found |= self._remember(missing, [self._embed("embed_query", text)])
        values: list[float] = found[key].tolist()
        return values

    async def aembed_query(self, text: str) -> list[float]:
        """Return the embedding of a question."""
        (key,), found, missing = self._lookup(self._question, [text])
        if missing:
            found |= self._remember(missing, [await self._aembed("embed_query", text)])
        values: list[float] = found[key].tolist()
        return values

    def _embed(self, method: str, given: str | list[str]) -> Any:  # noqa: ANN401  (one vector, or several)
        with breaker_of(self.wrapped).watched():
            return within(self._allowed_s(given), getattr(self.wrapped, method), given)

    async def _aembed(self, method: str, given: str | list[str]) -> Any:  # noqa: ANN401  (as above)
        is_awaited = getattr(type(self.wrapped), f"a{method}", None) is not getattr(Embeddings, f"a{method}")
        with breaker_of(self.wrapped).watched():
            if is_awaited or self._timeout_s is None:
                return await awithin(self._allowed_s(given), getattr(self.wrapped, f"a{method}"), given)
            return await athread_within(self._allowed_s(given), getattr(self.wrapped, method), given)

    def _allowed_s(self, given: str | list[str]) -> float | None:
        calls = 1 if isinstance(given, str) else 1 + len(given) // TEXTS_AT_ONCE
        return None if self._timeout_s is None else self._timeout_s * calls

    def _lookup(self, kind: bytes, texts: list[str]) -> tuple[list[bytes], dict[bytes, Vector], dict[bytes, str]]:
        """Return the keys of the texts, the vectors that are known, and the texts without one, once each."""
        keys = [sha256(kind + text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return keys, found, {key: text for key, text in zip(keys, texts, strict=True) if key not in found}

    def _remember(self, missing: dict[bytes, str], fresh: list[list[float]]) -> dict[bytes, Vector]:
        """Keep new vectors; one that cannot be used is handed on for the caller to refuse, but not kept."""
        if len(fresh) != len(missing):
            msg = f"the embedding model {self.model!r} returned {len(fresh)} vectors for {len(missing)} texts{_LOOK}"
            raise UnusableVectorError(msg)
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
            found = {key: np.asarray(values, np.float32) for key, values in zip(missing, fresh, strict=True)}
        with self._lock:
            for key, vector in found.items():
                if key not in self._vectors and _is_usable(vector):
                    self._vectors[key] = vector
                    self._nbytes += vector.nbytes + ENTRY_BYTES
            while self._nbytes > self._max_bytes:
                _, oldest = self._vectors.popitem(last=False)
                self._nbytes -= oldest.nbytes + ENTRY_BYTES
        return found


def _attributes(thing: object, names: Sequence[str]) -> list[Any]:
    return [value for value in (getattr(thing, name, None) for name in names) if value is not None]


def _is_usable(vector: Vector) -> bool:
    """Whether `unit_vector` takes it."""
    return vector.ndim == 1 and bool(vector.any()) and bool(np.isfinite(vector).all())


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _guarded(blocking: Callable[[Any], T], awaitable: Callable[[Any], Awaitable[T]], argument: object) -> Flow[T]:
    try:
        return (yield from step(blocking, awaitable, argument))
    except AgentMemError:
        raise
    except TimeoutError as error:
        msg = "the embedding model did not answer in time; try again, or give it longer with embedding_timeout_s=…"
        raise StorageError(msg, is_retryable=True) from error
    except Exception as error:  # every model has errors of its own: here they become ours
        msg = f"the embedding model failed with {type(error).__name__}; see the cause, and try again if it is passing"
        raise StorageError(msg, is_retryable=is_passing(error)) from error
