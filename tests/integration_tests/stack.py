"""The production stack as one application uses it: PostgreSQL, Valkey, a vector store, a git repository, two agents.

Everything is reached through lines that can be cut, and a worker of its own process does the jobs.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, tool
from pydantic import ConfigDict, Field
from sqlalchemy import make_url

from langchain_agentmem import (
    AgentMemory,
    ForgettingPolicy,
    GraphOptions,
    KeyFolder,
    Policy,
    Scope,
    SensitivePolicy,
    StorageError,
    SubjectVault,
    WritePolicy,
    create_memory_graph,
)
from langchain_agentmem.extraction.proposing import structured
from langchain_agentmem.extraction.proposing.model import ProposedMemories
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.summarize import model
from tests.fake_embeddings import WordEmbeddings
from tests.faulty import FaultyModel, Switch
from tests.ledgers import KEY
from tests.processes import Say
from tests.proxy import Proxy, proxy
from tests.vector_stores import Place, opened

DIM: Final = 64
CACHE_MIB: Final = 2
"""So little that it is full before a quarter of a soak is over: what grows from then on is something else."""

SLOW_S: Final = 0.5
"""How long a server may take here."""

WAIT_S: Final = 0.5
"""How long a turn waits for the user's earlier ones: a worker that was killed keeps its jobs for a minute."""

PAUSE_S: Final = 0.1
"""How long a worker waits before it looks again what is due."""

SHAPES: Final = ("ann", "Ann", "ANN", " ann", "ann ", "ann:1", "ann/1", "ann%", "ann_", "ann*", "ann}", "аnn", "änn")
"""Ids that are one to whoever folds, trims, splits, matches or formats them."""

WORD: Final = re.compile(r"wq\d+x")
"""What only one user says."""

CARD: Final = "4111 1111 1111 1111"
"""What threads keep, which are the application's; no layer of ours does."""

_FIRST: Final = "First, with success"
_HELD: Final = "Not run yet"
_MOST_CALLS: Final = 8
_REMEMBERED: Final = re.compile(r"Remember that (the [^.<]*)\.")


# ------------------------------------------------------------------------------------------------------------- people
class Person(NamedTuple):
    """A user, and the word that nobody else says."""

    user: str
    word: str

    @property
    def scope(self) -> Scope:
        return Scope(self.user)

    @property
    def namespace(self) -> tuple[str, ...]:
        return ("memories", self.user)

    def thread(self, place: int) -> str:
        return f"{self.user}/{place}"


def people(count: int) -> list[Person]:
    """Return so many users whose ids are easily taken for one another's."""
    ids = [SHAPES[it % len(SHAPES)] + str(it // len(SHAPES) or "") for it in range(count)]
    assert len(set(ids)) == count
    return [Person(user, f"wq{number}x") for number, user in enumerate(ids)]


# ------------------------------------------------------------------------------------------------------------- models
class Answering(BaseChatModel):
    """The agents' model: it deploys when asked to, production first, and notes requests with words of two users."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    crossed: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "answering"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = "\n".join(it.text for it in messages)
        if len(set(WORD.findall(text))) > 1:
            self.crossed.append(text)
        return ChatResult(generations=[ChatGeneration(message=_answer(messages))])


def _answer(messages: Sequence[BaseMessage]) -> AIMessage:
    asked = max(place for place, it in enumerate(messages) if it.type == "human")
    heard = [it.text for it in messages[asked:] if it.type == "tool"]
    version = re.search(r"Deploy (\S+) to", messages[asked].text)
    target = _next_target(heard) if version else None
    if version is None or target is None:
        return AIMessage(answer_to(messages[asked].text))
    call = {"name": "deploy", "args": {"target": target, "version": version[1]}, "id": f"c{len(messages)}"}
    return AIMessage("", tool_calls=[call])


def answer_to(text: str) -> str:
    """What an agent answers in the end."""
    return f"Very well: {text}"


def _next_target(heard: Sequence[str]) -> str | None:
    """Production; first staging, if a policy says so; and what memory held, once more."""
    if not heard:
        return "production"
    if len(heard) >= _MOST_CALLS:
        return None
    if heard[-1].startswith(_HELD):
        return "staging" if any(_FIRST in it for it in heard) else "production"
    if _FIRST in heard[-1]:
        return "staging"
    return "production" if "staging" in heard[-1] else None


class Reading(FaultyModel):
    """The memory's model: it proposes what the user wants to be remembered, or raises where its switch says so."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.switch.fault == "raises":
            return super()._generate(messages, stop, run_manager, **kwargs)
        if self.switch.fault == "slow":
            self.switch.answer.wait()  # and then it answers as ever: who still listens is to hear what is right
        schema = kwargs["tools"][0]
        found = _REMEMBERED.findall(messages[-1].text.partition("<new>")[2]) if schema is ProposedMemories else []
        memories = [{"kind": "fact", "content": it[0].upper() + it[1:], "evidence": it} for it in found]
        call = {"name": schema.__name__, "args": {"memories": memories} if memories else {}, "id": "1"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])


class Failing(WordEmbeddings):
    """Embeddings that can be made to fail, or to give no answer."""

    def __init__(self) -> None:
        super().__init__(dim=DIM)
        self._answer = threading.Event()
        self._answer.set()

    def break_(self) -> None:
        """Fail from now on."""
        self.fails_with = ConnectionError("the embedder is away")

    def pause(self) -> None:
        """Answer nothing from now on."""
        self._answer.clear()

    def heal(self) -> None:
        """Answer again, also those who still wait."""
        self.fails_with = None
        self._answer.set()

    def _embed(self, text: str) -> list[float]:
        self._answer.wait()
        vector = super()._embed(text)
        self.texts.clear()  # of a long life
        return vector


# --------------------------------------------------------------------------------------------------------------- world
@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where everything is; picklable, for workers."""

    sql: str
    redis: str
    vectors: Place
    git: Path
    keys: Path


@dataclass(slots=True, kw_only=True)
class Stack:
    """A memory behind lines that break, and its agents.

    Attributes:
        lines: The ways to PostgreSQL, Valkey and the vector store.
        spoiled: A policy in the repository that is no longer one.
        deployed: What the tool did: version and target.
    """

    memory: AgentMemory
    lines: tuple[Proxy, Proxy, Proxy]
    embeddings: Failing
    brain: Switch
    spoiled: Path
    model: Answering = field(default_factory=Answering)
    deployed: list[tuple[str, str]] = field(default_factory=list)
    agents: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make an agent of each kind, once."""
        middleware, tools = self.memory.middleware(wait_s=WAIT_S), [self._deploy()]
        self.agents["create_agent"] = create_agent(
            self.model, tools=tools, middleware=[middleware], checkpointer=self.memory.checkpointer
        )
        self.agents["create_memory_graph"] = create_memory_graph(
            self.model, tools, self.memory, checkpointer=self.memory.checkpointer, options=GraphOptions(writes="inline")
        )

    def _deploy(self) -> BaseTool:
        @tool
        def deploy(target: str, version: str) -> str:
            """Deploy a version to a target."""
            self.deployed.append((version, target))
            return f"deployed {version} to {target}"

        return deploy

    def heal(self) -> None:
        """End every fault."""
        for line in self.lines:
            line.heal()
        self.brain.fault = None
        self.brain.answer.set()
        self.embeddings.heal()
        self.spoiled.unlink(missing_ok=True)


@contextlib.contextmanager
def stack(where: Addresses) -> Iterator[Stack]:
    """Open the memory of the application, with a policy in its repository."""
    urls = (where.sql, where.redis, where.vectors.where)
    with contextlib.ExitStack() as held:
        patch = held.enter_context(pytest.MonkeyPatch.context())
        for module in (structured, model):
            patch.setattr(module, "MODEL_TIMEOUT_S", SLOW_S)
        lines = [held.enter_context(proxy(make_url(url).port or 0)) for url in urls]
        ways = [url.replace(f":{make_url(url).port}", f":{it.port}") for url, it in zip(urls, lines, strict=True)]
        embeddings, brain = Failing(), Switch()
        place = Place(store=where.vectors.store, where=ways[2], dim=DIM, name=where.vectors.name)
        memory = AgentMemory(
            Database(ways[0], answer_timeout_s=SLOW_S),
            embeddings=embeddings,
            index=held.enter_context(opened(place)),
            redis=RedisDatabase(ways[1], timeout_s=SLOW_S, connect_timeout_s=SLOW_S),
            options=_options(where, Reading(switch=brain)),
        )
        memory.procedural.save(
            Policy.model_validate(
                {
                    "name": "staging-first",
                    "description": "Production comes after staging",
                    "rule": {"tool": "deploy", "args": {"target": "production"}},
                    "requires": [{"tool": "deploy", "args": {"target": "staging"}, "same": ["version"]}],
                }
            )
        )
        with memory:
            spoiled = where.git / "policies" / "merged.yaml"
            yield Stack(
                memory=memory,
                lines=(lines[0], lines[1], lines[2]),
                embeddings=embeddings,
                brain=brain,
                spoiled=spoiled,
            )


@contextlib.contextmanager
def quiet(where: Addresses, late: timedelta = timedelta(0)) -> Iterator[AgentMemory]:
    """Open the same memory past the lines, as of a later time."""
    with opened(where.vectors) as build:
        memory = AgentMemory(
            Database(where.sql),
            embeddings=Failing(),
            index=build,
            redis=RedisDatabase(where.redis),
            options=_options(where, Reading(switch=Switch()), late),
        )
        with memory:
            yield memory


def _options(where: Addresses, brain: BaseChatModel, late: timedelta = timedelta(0)) -> MemoryOptions:
    return MemoryOptions(
        consent="required",
        authorize=lambda actor, _action, scope: actor == scope.user_id,
        sensitive=SensitivePolicy(rules={"*": "redact"}),
        forgetting=ForgettingPolicy(),
        vault=SubjectVault(KeyFolder(where.keys)),
        allow_plain_vectors=True,
        model=brain,
        audit_key=KEY,
        policy=WritePolicy().without("session_cap"),  # these sessions say more than ten things
        procedural={"path": where.git, "create": True},
        index_above=0,
        embedding_timeout_s=SLOW_S,
        cache_mib=CACHE_MIB,
        store={"subject": lambda namespace: Scope(namespace[1])},
        clock=lambda: datetime.now(UTC) + late,
    )


def work(_say: Say, where: Addresses) -> None:
    """Do what is due until killed; a database that is away for a moment ends nothing."""
    with quiet(where) as memory:
        while True:
            with contextlib.suppress(StorageError):
                memory.jobs.run()
            time.sleep(PAUSE_S)


# --------------------------------------------------------------------------------------------------------------- count
class Count:
    """How many turns were taken; threads and tasks add to it."""

    def __init__(self) -> None:
        self.value = 0
        self._lock = threading.Lock()

    def add(self) -> int:
        """Add one, and return how many there are now."""
        with self._lock:
            self.value += 1
            return self.value


def said_by(messages: Sequence[BaseMessage]) -> list[str]:
    """Return the user's messages and the agent's last words of each turn, in order."""
    return [it.text for it in messages if isinstance(it, HumanMessage) or (it.type == "ai" and it.text)]
