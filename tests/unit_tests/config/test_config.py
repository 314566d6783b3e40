"""A configuration has every option, with the same default, and builds what the arguments would."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import MISSING, fields
from datetime import timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from langchain_agentmem import AgentMemory, ConfigurationError, ForgettingPolicy, MemoryOptions, Scope
from langchain_agentmem.config import MemoryConfig, build_config, config_schema
from langchain_agentmem.config.section import Section
from langchain_agentmem.index.backends import GROUP
from tests.fake_chat_model import ScriptedChatModel
from tests.fake_embeddings import WordEmbeddings

ALICE = Scope("alice")


def sections(model: type[Section] = MemoryConfig) -> Iterator[type[Section]]:
    yield model
    for field in model.model_fields.values():
        for kind in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(kind, type) and issubclass(kind, Section):
                yield from sections(kind)


@pytest.mark.parametrize("section", [it for it in sections() if it.record], ids=lambda it: it.__name__)
def test_a_section_has_every_option_of_its_record(section: type[Section]) -> None:
    """An option that is added is added here too, or named as code."""
    assert section.record is not None
    known = {it.name for it in fields(section.record)}
    own = (
        {"path", "sql", "redis", "redis_prefix", "durable", "embeddings", "index"} if section is MemoryConfig else set()
    )
    assert set(section.model_fields) - own == known - section.code
    assert section.code <= known


@pytest.mark.parametrize("section", [it for it in sections() if it.record], ids=lambda it: it.__name__)
def test_a_section_has_the_defaults_of_its_record(section: type[Section]) -> None:
    """What a file leaves out is as if the argument had been left out."""
    assert section.record is not None
    for field in fields(section.record):
        if field.name in section.model_fields:
            default = field.default if field.default_factory is MISSING else field.default_factory()
            shown = section.model_fields[field.name].default
            assert (shown.model_dump(exclude_unset=True) if isinstance(shown, BaseModel) else shown) == default


def test_connecting_takes_what_a_configuration_names() -> None:
    """The arguments beside the options have the same names."""
    taken = {*inspect.signature(AgentMemory.connect).parameters, *inspect.signature(AgentMemory.embedded).parameters}
    assert taken - {"options"} <= set(MemoryConfig.model_fields)


def test_every_key_is_documented() -> None:
    """The schema tells what each key means."""
    schema = config_schema()
    assert json.loads(json.dumps(schema)) == schema
    for shown in (schema, *schema["$defs"].values()):
        whole = shown if "properties" in shown else shown["anyOf"][1]
        for name, told in whole["properties"].items():
            assert len(told.get("description", "")) > 15, (whole["title"], name)


def built(given: dict[str, Any], **code: Any) -> MemoryOptions:
    options = build_config({"path": "a.db", **given}, code)["options"]
    assert isinstance(options, MemoryOptions)
    return options


def test_options_are_what_the_configuration_says() -> None:
    """Lengths of time, keys and weights become what the arguments take."""
    options = built(
        {
            "mode": "frozen",
            "audit_key": "0123456789abcdef",
            "weights": {"diversity": 0.1},
            "sessions": {"ttl": "30 days", "max_messages": 50},
            "threads": {"on_conflict": "fork"},
            "store": {"ttl": {"default_ttl": 60}},
            "working": {"ttl": "7d"},
            "episodes_for": "12 hours",
            "procedural": "procedures",
            "receipts_days": None,
            "forgetting": {"max_memories": 5_000, "stability_days": {"constraint": 365}},
        }
    )
    assert options.weights is not None
    assert options.forgetting == ForgettingPolicy(max_memories=5_000, stability_days={"constraint": 365.0})
    assert (options.mode, options.audit_key, options.weights.diversity) == ("frozen", b"0123456789abcdef", 0.1)
    assert options.sessions == {"ttl": timedelta(days=30), "max_messages": 50}
    assert (options.threads, options.store) == ({"on_conflict": "fork"}, {"ttl": {"default_ttl": 60.0}})
    assert (options.working, options.episodes_for) == ({"ttl": timedelta(days=7)}, timedelta(hours=12))
    assert (options.procedural, options.receipts_days) == ({"path": "procedures"}, None)


def test_what_is_code_is_passed_beside_the_file() -> None:
    """It takes the place of what the file says; settings are added to it."""
    model = ScriptedChatModel(script=[])
    given = {"model": "nobody:none", "sessions": {"max_messages": 9}}
    options = built(given, model=model, sessions={"redact": lambda message: message})
    assert (options.model, options.sessions["max_messages"], "redact" in options.sessions) == (model, 9, True)
    with pytest.raises(ConfigurationError, match="polcy"):
        built({}, polcy=None)


def test_a_model_is_made_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """As LangChain's `init_chat_model` and `init_embeddings` do it, with the options of the file."""
    model = ScriptedChatModel(script=[])
    made_with: dict[str, Any] = {}

    def init(name: str, **options: Any) -> ScriptedChatModel:
        made_with.update(options, name=name)
        return model

    monkeypatch.setattr("langchain.chat_models.init_chat_model", init)
    assert built({"model": {"name": "acme:one", "options": {"temperature": 0}}}).model is model
    assert made_with == {"name": "acme:one", "temperature": 0}
    monkeypatch.setattr("langchain.embeddings.init_embeddings", lambda *_: WordEmbeddings())
    made = build_config({"path": "a.db", "embeddings": "acme:two"}, {})
    assert isinstance(made["embeddings"], WordEmbeddings)


def test_an_index_of_another_package_is_made_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the options of the file."""
    ours = [metadata.EntryPoint("acme", "tests.acme:build_store", GROUP)]
    every = metadata.entry_points
    monkeypatch.setattr(metadata, "entry_points", lambda **asked: ours if asked == {"group": GROUP} else every(**asked))
    given = {"path": str(tmp_path / "a.db"), "index": "acme", "index_options": {"shelf": "top"}, "consent": "assumed"}
    with AgentMemory.from_config(given, embeddings=WordEmbeddings()) as memory:
        memory.long_term.remember("Alice prefers tea", scope=ALICE)
        memory.jobs.run()
        assert [hit.memory.content for hit in memory.long_term.recall("tea", scope=ALICE)] == ["Alice prefers tea"]


def test_an_index_of_code_takes_the_place_of_the_one_named(tmp_path: Path) -> None:
    """With its options; those that code gives beside it count."""
    given = {"path": str(tmp_path / "a.db"), "index": "chroma", "index_options": {"path": "v"}}
    with AgentMemory.from_config(given, embeddings=WordEmbeddings(), index=None) as memory:
        assert list(memory.long_term.list(scope=ALICE)) == []
    made = build_config(given, {"index": "acme", "index_options": {"shelf": "top"}})
    assert (made["index"], made["options"].index_options) == ("acme", {"shelf": "top"})


@pytest.mark.parametrize("given", [{"model": "acme:one"}, {"embeddings": "acme:one"}, {"embeddings": "lokal"}])
def test_a_model_that_cannot_be_made_is_named(given: dict[str, Any]) -> None:
    """With what to write; what the provider said may quote a key, and is left out."""
    with pytest.raises(ConfigurationError, match=r"acme:one|lokal"):
        built(given) if "model" in given else build_config({"path": "a.db", **given}, {})


@pytest.mark.parametrize("options", [{"modle": "x"}, {"dtype": "int4"}])
def test_an_option_that_local_embeddings_do_not_take_is_named(options: dict[str, Any]) -> None:
    """With those that they take."""
    with pytest.raises(ConfigurationError, match=r"'modle'; use one of model, dtype|dtype 'int4' is unknown"):
        build_config({"path": "a.db", "embeddings": {"name": "local", "options": options}}, {})


def test_embedded_memory_works_from_a_file(tmp_path: Path) -> None:
    """The file is all there is to it."""
    file = tmp_path / "agentmem.yaml"
    file.write_text("path: agent.db\nembeddings: null\nconsent: assumed\n", encoding="utf-8")
    with AgentMemory.from_config(file) as memory:
        memory.long_term.remember("Alice prefers tea", scope=ALICE)
    with AgentMemory.from_config({"path": str(tmp_path / "agent.db"), "embeddings": None}) as again:
        assert [it.content for it in again.long_term.list(scope=ALICE)] == ["Alice prefers tea"]


def test_scaled_out_memory_is_composed_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL and Redis, with the password from the environment; nothing is opened yet."""
    monkeypatch.setenv("PGPASSWORD_OF_APP", "s3cret")
    file = tmp_path / "agentmem.yaml"
    file.write_text(
        "sql: postgresql://app:${PGPASSWORD_OF_APP}@db.invalid/agentmem\nredis: redis://cache.invalid:6379/0\n"
        "embeddings: null\n",
        encoding="utf-8",
    )
    memory = AgentMemory.from_config(file)
    assert (memory._database.url.password, memory._redis is None) == ("s3cret", False)
    memory.close()


def test_a_file_says_which_memories_wait_for_a_person(tmp_path: Path) -> None:
    """By kind, source, speaker, certainty, trust and topic; what it leaves out is no rule."""
    said = {
        "kinds": {"constraint": "ask"},
        "sources": {"merged": "refuse"},
        "speakers": {"tool": "ask"},
        "below_confidence": 0.8,
        "below_trust": 0.5,
        "topics": ["diagnosis"],
        "expires_after": "3 days",
    }
    given = {"path": str(tmp_path / "a.db"), "consent": "assumed", "embeddings": None, "approval": said}
    with AgentMemory.from_config(given) as memory:
        decision = memory.long_term.remember("Alice has a diagnosis", scope=Scope("alice"))
        assert (decision.verdict, decision.rule) == ("pending", "approval")
        [approval] = memory.approvals.list(scope=Scope("alice"))
        assert approval.expires_at is not None
        assert timedelta(days=2) < approval.expires_at - approval.asked_at <= timedelta(days=3)
    with pytest.raises(ConfigurationError, match="approval"):
        AgentMemory.from_config({**given, "approval": {"kinds": {"constraint": "maybe"}}})


def test_who_may_see_values_stands_beside_the_section_of_a_file() -> None:
    """Code adds what no file can hold, and leaves the rules of the file as they are; a wrong name is refused."""
    said: dict[str, Any] = {"path": ":memory:", "embeddings": None, "sensitive": {"rules": {"card": "mask"}}}
    with AgentMemory.from_config(said, sensitive={"may_reveal": lambda request: True}) as memory:
        policy = memory.sensitive.policy
    assert (dict(policy.rules), policy.may_reveal is None) == ({"card": "mask"}, False)
    with pytest.raises(ConfigurationError, match="may_revel"):
        AgentMemory.from_config(said, sensitive={"may_revel": None})
