from __future__ import annotations

import pytest

from langchain_agentmem import AgentMemory, Scope
from langchain_agentmem.errors import ConfigurationError
from tests.conftest import Call
from tests.faulty import FaultyEmbeddings

ALICE = Scope("alice")


async def test_a_vector_of_another_size_is_a_passing_fault(call: Call) -> None:
    """What a model answered once in another size is refused and not remembered: the same question is answered later."""
    embeddings = FaultyEmbeddings()
    with AgentMemory.in_memory(embeddings=embeddings, consent="assumed") as memory:
        await call(memory.long_term, "remember", "Alice lives in Oslo", scope=ALICE)
        embeddings.break_("another size")
        with pytest.raises(ConfigurationError, match="511"):
            await call(memory.long_term, "recall", "Where does Alice live?", scope=ALICE)
        embeddings.fault = None
        found = await call(memory.long_term, "recall", "Where does Alice live?", scope=ALICE)
        assert [hit.memory.content for hit in found] == ["Alice lives in Oslo"]
