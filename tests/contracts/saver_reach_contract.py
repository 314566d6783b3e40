"""What our checkpointers promise about how far a call reaches: what a listing decodes, and whose a copy is."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

from langchain_agentmem.checkpoint.stored import StoredSaver
from langchain_agentmem.checkpoints.content import Codec
from langchain_agentmem.errors import ScopeError
from langchain_agentmem.testing.savers import config_of, made
from langchain_agentmem.types import Scope
from tests.conftest import Call
from tests.savers import Open, listed

ALICE, BOB = Scope("alice"), Scope("bob")
COUNT = 6
ASKED: list[tuple[dict[str, Any], list[int]]] = [
    ({"filter": {"number": 2}}, [2]),
    ({"filter": {"number": 9}}, []),
    ({"limit": 2}, [5, 4]),
    ({"filter": {"kind": "odd"}, "limit": 1}, [5]),
]


def value_of(number: int) -> str:
    return f"value {number} " * 20


async def numbered(saver: StoredSaver, call: Call) -> list[RunnableConfig]:
    """Put checkpoints, each with a value and a write of its own, and return where they are."""
    configs = [config_of()]
    for number in range(COUNT):
        metadata = {"number": number, "kind": ("even", "odd")[number % 2]}
        values = {"a": value_of(number)}
        configs.append(await call(saver, "put", configs[-1], made(values), metadata, {"a": "1"}))
        await call(saver, "put_writes", configs[-1], [("b", value_of(number + COUNT))], "task")
    return configs[1:]


class SaverReachContract:
    """Laws of every checkpointer."""

    @pytest.fixture
    def saver(self, open_saver: Open) -> StoredSaver:
        return open_saver()

    async def test_a_listing_decodes_only_what_is_asked_for(
        self, saver: StoredSaver, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each value of what it returns once, and of all other checkpoints none: neither channels nor writes."""
        configs = await numbered(saver, call)
        loaded: list[str] = []

        def noting(codec: Codec, content: bytes, load: Any = Codec.load) -> Any:  # noqa: ANN401  (whatever was stored)
            value = load(codec, content)
            if isinstance(value, str):
                loaded.append(value)
            return value

        monkeypatch.setattr(Codec, "load", noting)
        for asked, wanted in (*ASKED, ({"before": configs[2]}, [1, 0])):
            loaded.clear()
            found = await listed(call.colour, saver, config_of(), **asked)
            assert [it.metadata["number"] for it in found] == wanted  # type: ignore[typeddict-item]  # a key of ours
            assert sorted(loaded) == sorted(value_of(it + more) for it in wanted for more in (0, COUNT))

    async def test_a_copy_belongs_to_the_owner_of_its_source(self, saver: StoredSaver, call: Call) -> None:
        """It is listed as hers, and nobody else's run reads or writes it."""
        await call(saver, "put", config_of(user_id="alice"), made({"a": "x"}), {}, {"a": "1"})
        await call(saver, "copy_thread", "t", "u")
        assert {it.thread_id for it in await call(saver, "threads", ALICE)} == {"t", "u"}
        assert not await call(saver, "threads", BOB)
        assert await call(saver, "get_tuple", config_of("u", user_id="alice")) is not None
        with pytest.raises(ScopeError):
            await call(saver, "get_tuple", config_of("u", user_id="bob"))
        with pytest.raises(ScopeError):
            await call(saver, "put", config_of("u", user_id="bob"), made({"a": "y"}), {}, {"a": "1"})
