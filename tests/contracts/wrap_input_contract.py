"""What a chain with a stored conversation around it promises about its new input."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import RunnableLambda

from langchain_agentmem.context import ContextRunnable, SummaryBuffer, SummaryLimits, TokenBuffer
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.summarize import ExtractiveSummarizer
from langchain_agentmem.wrapping import create_history_runnable
from tests.contracts.history_backends import Backend
from tests.contracts.wrap_contract import COLOURS, PROMPT, WAYS, Stores, Way, Wrapped, ids, numbered

BUDGET = 120
CONTEXTS = pytest.mark.parametrize(
    "context",
    [
        TokenBuffer(max_tokens=BUDGET),
        SummaryBuffer(ExtractiveSummarizer(max_tokens=16), limits=SummaryLimits(max_tokens=BUDGET)),
    ],
    ids=["buffer", "summary"],
)
KEYS: dict[str, Any] = {"input_messages_key": "input", "history_messages_key": "history"}


def noting(ran: list[object], given: object) -> AIMessage:
    """A model that notes what it was shown."""
    ran.append(given)
    return AIMessage("ok")


class WrapInputContract:
    """Laws of the input of `create_history_runnable`; a fixture `backend` says where conversations are."""

    @pytest.fixture
    def stores(self, backend: Backend) -> Stores:
        return Stores(backend.sessions())

    # --------------------------------------------------------------------------------------------------- its budget
    @CONTEXTS
    @pytest.mark.parametrize("keys", [{}, KEYS], ids=["list", "keys"])
    @WAYS
    async def test_a_model_never_reads_more_than_the_budget(
        self, stores: Stores, way: Way, keys: dict[str, str], context: ContextRunnable
    ) -> None:
        """Past and new input together, turn by turn; and everything is stored."""
        read: list[int] = []

        def answer(given: PromptValue | list[BaseMessage]) -> AIMessage:
            messages = given if isinstance(given, list) else given.to_messages()
            read.append(count_tokens_approximately(messages))
            return AIMessage("noted")

        inner = PROMPT | RunnableLambda(answer) if keys else RunnableLambda(answer)
        chain = create_history_runnable(inner, stores.sessions, context=context, **keys)
        for size in (50, 200, 100, 180, 40, 210, 8):
            await way(chain, {"input": "x" * size} if keys else [HumanMessage("x" * size)], ids())
        assert len(read) == 7
        assert max(read) <= BUDGET
        assert len(stores.said()) == 14

    @CONTEXTS
    @COLOURS
    async def test_an_input_over_the_budget_is_refused_before_the_model_runs(
        self, stores: Stores, way: Way, context: ContextRunnable
    ) -> None:
        """The error names both numbers and the remedy; nothing is stored, and the session goes on."""
        ran: list[object] = []
        chain = create_history_runnable(RunnableLambda(partial(noting, ran)), stores.sessions, context=context)
        with pytest.raises(ConfigurationError, match=r"budget of 120 tokens.*the new input: 1004.*raise max_tokens"):
            await way(chain, [HumanMessage("x" * 4_000)], ids())
        assert (ran, stores.said()) == ([], [])
        assert await way(chain, [HumanMessage("short")], ids()) == "ok"
        assert stores.said() == ["short", "ok"]

    # ------------------------------------------------------------------------------------------------------ its key
    @COLOURS
    @pytest.mark.parametrize(
        ("keys", "given"),
        [
            ({**KEYS, "input_messages_key": "question"}, {"input": "hi", "language": "en"}),
            ({"history_messages_key": "history"}, {"text": "hi", "language": "en"}),
            (KEYS, {"input": 7, "language": "en"}),
            (KEYS, {"input": None, "language": "en"}),
            (KEYS, {"input": ["hi"], "language": "en"}),
            (KEYS, {"input": {"role": "user"}, "language": "en"}),
        ],
        ids=repr,
    )
    async def test_a_wrong_key_is_named_before_anything_runs_or_is_stored(
        self, stores: Stores, way: Way, keys: dict[str, Any], given: dict[str, Any]
    ) -> None:
        """With the keys that there are and the argument that chooses one; never with what was said."""
        ran: list[object] = []
        chain: Wrapped = create_history_runnable(RunnableLambda(partial(noting, ran)), stores.sessions, **keys)
        wanted = keys.get("input_messages_key", "input")
        with pytest.raises(ConfigurationError, match=rf"'{wanted}'.*'language'.*input_messages_key") as raised:
            await way(chain, given, ids())
        assert "'hi'" not in str(raised.value)
        assert (ran, stores.said()) == ([], [])

    @COLOURS
    @pytest.mark.parametrize("given", [7, None, [HumanMessage("hi"), 7], [("human", "hi")]], ids=repr)
    async def test_an_input_that_is_no_message_is_refused(self, stores: Stores, way: Way, given: object) -> None:
        """Before anything runs: what cannot be stored would be noticed a call too late."""
        chain = create_history_runnable(RunnableLambda(numbered), stores.sessions)
        with pytest.raises(ConfigurationError, match="must be a text, a message or a list of messages, got"):
            await way(chain, given, ids())
        assert stores.said() == []

    @COLOURS
    @pytest.mark.parametrize("given", ["hi", HumanMessage("hi"), [HumanMessage("hi")], (HumanMessage("hi"),)], ids=repr)
    async def test_every_form_that_langchain_takes_is_taken(
        self, stores: Stores, way: Way, given: str | BaseMessage | Sequence[BaseMessage]
    ) -> None:
        """A text, a message, a list or a tuple of messages: under a key, under the only one, and alone."""
        told = RunnableLambda(partial(noting, []))
        for chain, value in (
            (create_history_runnable(told, stores.sessions, **KEYS), {"input": given, "language": "en"}),
            (create_history_runnable(told, stores.sessions, input_messages_key="text"), {"text": given}),
        ):
            assert await way(chain, value, ids()) == "ok"
        assert stores.said() == ["hi", "ok"] * 2
