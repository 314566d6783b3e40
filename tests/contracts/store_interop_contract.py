"""The tools that others build on LangGraph's store run on ours: langmem's, and the file system of deepagents."""

from __future__ import annotations

import json
import uuid
import warnings
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from langchain_agentmem import SQLStore
from langchain_agentmem.store import memory_record
from tests.conftest import Colour
from tests.fake_embeddings import WordEmbeddings
from tests.stores import Open

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of these packages, about what they import themselves
    from deepagents.backends.store import StoreBackend
    from langmem import create_manage_memory_tool, create_memory_store_manager, create_search_memory_tool


async def ask(colour: Colour, tool: Any, asked: dict[str, Any], config: Any = None) -> Any:  # noqa: ANN401
    return tool.invoke(asked, config) if colour == "sync" else await tool.ainvoke(asked, config)


class Extracting(GenericFakeChatModel):
    """A model that answers with the calls it was given."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        return self


@pytest.mark.filterwarnings("ignore")
class StoreInteropContract:
    """A subclass has a fixture `open_store`."""

    @pytest.fixture
    def store(self, open_store: Open) -> SQLStore:
        return open_store(index={"embed": WordEmbeddings(dim=64)})

    async def test_langmems_tools_manage_and_search(self, store: SQLStore, colour: Colour) -> None:
        """What the manage tool creates, updates and deletes for a user, the search tool finds for that user alone."""
        namespace = ("memories", "{langgraph_user_id}")
        manage, search = (
            create_manage_memory_tool(namespace, store=store),
            create_search_memory_tool(namespace, store=store),
        )
        configs = [{"configurable": {"langgraph_user_id": user}} for user in ("alice", "bob")]
        said = await ask(colour, manage, {"content": "Alice drinks green tea", "action": "create"}, configs[0])
        key = said.rpartition(" ")[2]
        await ask(
            colour, manage, {"content": "Alice drinks water", "action": "update", "id": uuid.UUID(key)}, configs[0]
        )
        found = [json.loads(await ask(colour, search, {"query": "drinks"}, config)) for config in configs]
        assert [[item["value"] for item in items] for items in found] == [[{"content": "Alice drinks water"}], []]
        await ask(colour, manage, {"action": "delete", "id": uuid.UUID(key)}, configs[0])
        assert store.list_namespaces() == []

    async def test_langmems_manager_reads_our_records(self, store: SQLStore, colour: Colour) -> None:
        """Records with kind and content are read by langmem's manager, and what it writes its search tool finds."""
        namespace = ("memories", "alice")
        store.put(namespace, "old", memory_record("Alice drinks green tea"))
        call = {"name": "Memory", "args": {"content": "Alice moved to Berlin"}, "id": "1", "type": "tool_call"}
        model = Extracting(messages=iter([AIMessage("", tool_calls=[call]) for _ in range(5)]))
        manager = create_memory_store_manager(model, namespace=namespace, store=store)
        await ask(
            colour, manager, {"messages": [{"role": "user", "content": "I moved to Berlin, and drink green tea"}]}
        )
        tool = create_search_memory_tool(namespace, store=store)
        found = json.loads(await ask(colour, tool, {"query": "Where is Berlin?"}))
        assert {item["value"]["kind"] for item in found} == {"Memory"}
        assert "Alice moved to Berlin" in {item["value"]["content"]["content"] for item in found}

    async def test_deepagents_keeps_files(self, store: SQLStore, colour: Colour) -> None:
        """Files are written, read, edited, listed, searched and deleted on our store, inside a graph."""
        backend: Any = StoreBackend(namespace=lambda runtime: ("files", runtime.context["user_id"]))
        seen: dict[str, Any] = {}

        def work(_: MessagesState) -> dict[str, Any]:
            backend.write("/notes/tea.md", "green tea\nblack tea\n")
            backend.edit("/notes/tea.md", "black", "white")
            seen["ls"], seen["read"] = backend.ls("/notes"), backend.read("/notes/tea.md")
            seen["grep"] = backend.grep("white", "/")
            return {}

        async def awork(_: MessagesState) -> dict[str, Any]:
            await backend.awrite("/notes/tea.md", "green tea\nblack tea\n")
            await backend.aedit("/notes/tea.md", "black", "white")
            seen["ls"], seen["read"] = await backend.als("/notes"), await backend.aread("/notes/tea.md")
            seen["grep"] = await backend.agrep("white", "/")
            return {}

        builder: Any = StateGraph(MessagesState, context_schema=dict)
        builder.add_node("work", work if colour == "sync" else awork)
        graph = builder.add_edge(START, "work").compile(store=store)
        asked: tuple[Any, ...] = ({"messages": []},)
        if colour == "sync":
            graph.invoke(*asked, context={"user_id": "alice"})
        else:
            await graph.ainvoke(*asked, context={"user_id": "alice"})
        assert [it["path"] for it in seen["ls"].entries] == ["/notes/tea.md"]
        assert "white tea" in seen["read"].file_data["content"]
        assert [it["path"] for it in seen["grep"].matches] == ["/notes/tea.md"]
        assert store.list_namespaces() == [("files", "alice")]
