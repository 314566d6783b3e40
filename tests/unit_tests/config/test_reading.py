"""A configuration file says what it means, or is refused with the line and the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from langchain_agentmem import AgentMemory, ConfigurationError
from langchain_agentmem.config import MemoryConfig, read_config


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "agentmem.yaml"


def refusal(file: Path, text: str) -> str:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        AgentMemory.from_config(file)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("mode: 'on'\nsql: nonsense\n", 2, "sql 'nonsense' is none of a database; for example"),
        ("sql: mysql://x/y\n", 1, "sql names 'mysql'; use sqlite or postgresql"),
        ("path: a.db\nmdoe: frozen\n", 2, "unknown key 'mdoe'; did you mean 'mode'?"),
        ("path: a.db\nsessions:\n  tll: 3 days\n", 3, "unknown key 'sessions.tll'; did you mean 'ttl'?"),
        ("path: a.db\nembeddings: 5\n", 2, "embeddings: write its name as a text, or keys with their values below it"),
        ("path: a.db\nxyz: 1\n", 2, "known are path, sql"),
        ("path: a.db\npolicy: mine\n", 2, "policy is code"),
        ("path: a.db\nvault: {folder: 5}\n", 2, "vault.folder"),
        ("path: a.db\nsessions: {ttl: 3}\n", 2, "30 days"),
        ("path: a.db\nconsent: maybe\n", 2, "'required' or 'assumed'"),
        ("path: a.db\nthreads: fork\n", 2, "keys with their values"),
        ("path: a.db\nconflicts:\n  lives_in: x\n", 3, "line 3: conflicts.lives_in must be 'confident'"),
        ("path: a.db\npurpose: ''\n", 2, "purpose is empty; write a text of one character or more"),
        ("path: a.db\ndurable: maybe\n", 2, "durable must be true or false, got 'maybe'"),
        ("path: 3\n", 1, "path must be a text, got 3"),
        ("path: a.db\nconsent: [a]\n", 2, "consent must be 'required' or 'assumed', got a list"),
        (
            "path: a.db\nsensitive:\n  layers: {facts: {card: x}}\n",
            3,
            "line 3: sensitive.layers.facts.card must be ",
        ),
        ("path: a.db\napproval: {kinds: {x: ask}}\n", 2, "approval.kinds.x must be 'fact'"),
        ("path: a.db\n\nmode: 'on'\nmode: 'off'\n", 4, "twice"),
        ("path: &a a.db\n", 1, "anchors"),
        ("path: !!python/object:os.system a.db\n", 1, "tag"),
        ("path: a.db\nsessions:\n\tttl: 3 days\n", 3, "tab"),
        ("path: a.db\n---\npath: b.db\n", 2, "second document"),
        ("- path\n", 1, "mapping"),
        ("", 1, "such as 'path: agent.db'"),
        ("path: a.db\nreceipts_days: many\n", 2, "receipts_days must be a number, got 'many'; the default is 90"),
        ("path: a.db\nepisodes: maybe\n", 2, "episodes must be true or false, got 'maybe'; the default is true"),
        ("path: a.db\ncache_mib: lots\n", 2, "cache_mib must be a whole number, got 'lots'; the default is"),
        ("path: a.db\nsql: sqlite://\n", 1, "either path"),
        ("mode: 'on'\n", 1, "either path"),
        ("sql: sqlite://\ndurable: true\n", 2, "SQLite file"),
        ("path: a.db\naudit_key: ${AGENTMEM_NO_SUCH}\n", 2, "the variable AGENTMEM_NO_SUCH is not set"),
        ("path: ${\n", 1, "${NAME}"),
        ("path: a.db\nindex: chroma\n", 2, "index_options: name either path (a folder) or host"),
        ("path: a.db\nindex: chroma\nindex_options:\n  pth: v\n", 4, "'index_options.pth'; did you mean 'path'?"),
        ("path: a.db\nindex: redis\nindex_options: {url: 'redis://h'}\n", 3, "index_options.dim is missing"),
        ("path: a.db\nindex: pgvector\nindex_options:\n  dim: 4\n  url: redis://h\n", 5, "sqlite or postgresql"),
        ("path: a.db\nindex: pgvector\nindex_options: {dim: 4, url: 'sqlite://'}\n", 3, "must name a PostgreSQL"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(written: Path, text: str, line: int, why: str) -> None:
    """Unknown keys, impossible values and YAML with a second meaning are refused."""
    told = refusal(written, text)
    assert (f"{written}, line {line}: " in told, why in told, "\n" in told) == (True, True, False), told


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("sessions:\n  refresh_on_read: true\n  max_messages: 0\n", 4, "sessions.max_messages must be an int"),
        ("threads: {ttl: 0s}\n", 2, "threads.ttl must be None or a timedelta"),
        ("store:\n  shared: true\n  ttl: {default_ttl: -1}\n", 4, "store.ttl: default_ttl must be minutes"),
        ("store:\n  index: {dims: 0}\n", 3, "store.index: dims must be an int of at least 1, got 0"),
        ("weights:\n  task: 0.2\n  recency: -1\n", 4, "weights.recency must be a number of 0 or more, got -1"),
        ("weights: {min_relevance: 2}\n", 2, "weights.min_relevance must be a number in [0, 1], got 2"),
        ("procedural: {min_score: 3}\n", 2, "procedural.min_score must be a number in [0, 1]"),
        ("procedural:\n  path: p\n  author: Ada\n", 4, "procedural.author must be 'Name <mail>'"),
        ("mode: 'on'\nconsolidate_after: 40 days\n", 3, "consolidate_after must be a timedelta from 0 to 30 days"),
        ("receipts_days: -1\n", 2, "receipts_days must be from 0"),
        ("busy_timeout_s: -1\n", 2, "busy_timeout_s must be a number of seconds"),
        ("relations: {' ': one}\n", 2, "relations is empty"),
        ("\nredis: http://x\n", 3, "redis: url is no Redis URL; for example"),
        ("index: nosuch\n", 2, "index: no installed package brings an index named 'nosuch'"),
    ],
)
def test_a_value_that_no_option_takes_is_named_with_its_line(written: Path, text: str, line: int, why: str) -> None:
    """What the option itself refuses, where it stands."""
    told = refusal(written, f"path: a.db\n{text}")
    assert (f"{written}, line {line}: " in told, why in told, "\n" in told) == (True, True, False), told


@pytest.mark.parametrize(
    "text",
    [
        "sql: postgresql://app:hunter2@db/agentmem\n",
        "path: a.db\nredis: redis://:hunter2@cache:6379/0\n",
        "sql: postgresql://db/agentmem?user=app&password=hunter2\n",
        "path: a.db\naudit_key: hunter2hunter2hunter2\n",
        "path: a.db\nsensitive: {rules: {email: hash}, key: hunter2hunter2hunter2}\n",
        "path: a.db\nmodel: {name: 'openai:x', options: {api_key: hunter2}}\n",
        "path: a.db\nindex: chroma\nindex_options: {host: h, headers: {authorization: 'Bearer hunter2'}}\n",
        "path: a.db\nindex: acme\nindex_options: {nodes: ['https://me:hunter2@acme']}\n",
    ],
)
def test_a_secret_in_the_clear_is_refused_and_not_repeated(written: Path, text: str) -> None:
    """Files are copied and committed; secrets come from the environment."""
    told = refusal(written, text)
    assert ("in the clear" in told, "hunter2" in told) == (True, False)


@pytest.mark.parametrize(
    ("trust", "why"),
    [
        ("hold_below: 2", "trust.hold_below must be a number"),
        ("classes: {web: 3}", "trust.classes['web'] must be a number"),
        ("refuse_below: 0.9, hold_below: 0.1", "trust.refuse_below 0.9 is above"),
    ],
)
def test_where_a_value_stands_is_told_once(written: Path, trust: str, why: str) -> None:
    """Also where what refuses it names the section itself."""
    told = refusal(written, f"path: a.db\ntrust: {{{trust}}}\n")
    assert told.split("line 2: ")[1].startswith(why)


def test_a_name_that_is_wrong_is_told_once(written: Path) -> None:
    """Where keys may stand in its place, too: what was written is a name, and the remedy is another one."""
    told = refusal(written, "path: a.db\nconflicts: latest\n")
    assert told.endswith("conflicts must be 'confident', 'newest', 'trusted', 'ask' or 'keep_both', got 'latest'")


def test_a_path_may_begin_at_the_home_of_the_user(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a shell: `~` made a folder of that name beside the file, with keys in it."""
    home = written.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    written.write_text("path: ~/agent.db\nvault: ~/keys\n")
    config = read_config(written)
    assert (config.path, config.vault and config.vault.folder) == (str(home / "agent.db"), str(home / "keys"))


def test_a_url_is_no_path(written: Path) -> None:
    """It is told where it belongs, and is not shown: it may have a password in it."""
    told = refusal(written, "path: postgresql://app@db/agentmem\nembeddings: null\n")
    assert ("path is a URL" in told, "give it as sql" in told, "agentmem" in told.split("sql")[0]) == (
        True,
        True,
        False,
    )


def test_what_is_done_with_secrets_is_none(written: Path) -> None:
    """The name of a strategy stands beside the kind of data that it is for, and that may be `secret`."""
    written.write_text("path: a.db\nsensitive: {rules: {secret: redact}, layers: {shown: {secret: mask}}}\n")
    sensitive = read_config(written).sensitive
    assert sensitive is not None
    assert (sensitive.rules, sensitive.layers) == ({"secret": "redact"}, {"shown": {"secret": "mask"}})


def test_references_are_filled_in_from_the_environment(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference may be a part of a text, and a number; two dollar signs are one."""
    monkeypatch.setenv("DB_PASSWORD", "s3cret")
    monkeypatch.setenv("DAYS", "7")
    written.write_text(
        "sql: postgresql://app:${DB_PASSWORD}@db/agentmem\nreceipts_days: ${DAYS}\nembedding_name: a$$b\n", "utf-8"
    )
    config = read_config(written)
    assert (config.sql, config.receipts_days) == ("postgresql://app:s3cret@db/agentmem", 7.0)
    assert (config.embedding_name, "s3cret" in repr(config)) == ("a$b", False)


def test_a_value_of_the_environment_is_in_no_error(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference in the wrong place does not show what it stands for."""
    monkeypatch.setenv("SECRET", "s3cret")
    for text in (
        "consent: {}",
        "receipts_days: {}",
        "planner: {}",
        "durable: {}",
        "redis: {}",
        "procedural: {{author: '{}'}}",
    ):
        assert "s3cret" not in refusal(written, f"path: a.db\n{text.format('${SECRET}')}\n")
    told = refusal(written, "path: a.db\naudit_key: ${SECRET}\n")
    assert f"{written}, line 2: audit_key: what its variable holds cannot work" in told


def test_paths_begin_at_the_folder_of_the_file(written: Path) -> None:
    """Wherever the process was started."""
    written.write_text(
        "path: data/agent.db\nprocedural: procedures\nindex: chroma\nindex_options: {path: vectors}\n", "utf-8"
    )
    config = read_config(written)
    assert config.procedural is not None
    assert (config.path, config.procedural.path) == (
        str(written.parent / "data" / "agent.db"),
        str(written.parent / "procedures"),
    )
    assert config.index_options == {"path": str(written.parent / "vectors")}


@pytest.mark.parametrize("given", [3, None, b"agentmem.yaml", ["a.db"]])
def test_what_is_no_configuration_is_refused(given: object) -> None:
    """A path, a dict or a `MemoryConfig`."""
    with pytest.raises(ConfigurationError, match=r"agentmem\.yaml"):
        read_config(given)  # type: ignore[arg-type]  # that is the point


def test_a_file_that_is_missing_or_huge_is_refused(written: Path) -> None:
    """Ten megabytes are not read."""
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_config(written)
    assert "10000012 bytes; at most" in refusal(written, "path: a.db\n#" + "x" * 10_000_000)


def test_a_configuration_can_be_made_in_python() -> None:
    """As a model or as a dict, with the same meaning."""
    config = MemoryConfig(path="a.db", sessions={"ttl": "90 minutes"}, model="openai:gpt-5-mini")
    assert read_config(config) is config
    assert read_config({"path": "a.db", "sessions": {"ttl": "90 minutes"}, "model": "openai:gpt-5-mini"}) == config


@pytest.mark.parametrize(
    "section",
    [
        "sensitive:\n  rules: {card: tokenise}\n  key: ${LONG_ENOUGH}",
        "sensitive: {rules: {card: block}, detectors: presidio}",
        "forgetting: {archive_below: 0.6, fade_below: 0.8}",
        "trust: {refuse_below: 0.5, hold_below: 0.6}",
    ],
)
def test_keys_that_hang_together_are_judged_together(
    written: Path, monkeypatch: pytest.MonkeyPatch, section: str
) -> None:
    """What one key needs, another one of the section may say."""
    monkeypatch.setenv("LONG_ENOUGH", "kept outside the database")
    written.write_text(f"path: agent.db\n{section}\n")
    assert read_config(written).path


@pytest.mark.parametrize(
    ("section", "line", "why"),
    [
        ("sensitive:\n  detectors: all\n  rules: {card: tokenise}", 4, "needs a key"),
        ("sensitive:\n  rules: {card: tokenise}\n  key: ${TOO_SHORT}", 4, "variable"),
        ("forgetting:\n  growth: 2\n  archive_below: 0.9\n  fade_below: 0.8", 2, "below"),
    ],
)
def test_a_section_that_cannot_be_is_refused(
    written: Path, monkeypatch: pytest.MonkeyPatch, section: str, line: int, why: str
) -> None:
    """By the key that cannot be by itself, else by the section."""
    monkeypatch.setenv("TOO_SHORT", "short")
    written.write_text(f"path: agent.db\n{section}\n")
    with pytest.raises(ConfigurationError, match=f"line {line}: .*{why}") as raised:
        read_config(written)
    assert "'short'" not in str(raised.value)


def test_a_configuration_that_holds_itself_is_refused() -> None:
    """In a file an alias is none; in a dict a value may be within itself."""
    relations: dict[str, Any] = {}
    relations["mentor"] = relations
    with pytest.raises(ConfigurationError, match="relations: values are nested deeper than 30, or hold themselves"):
        read_config({"path": "a.db", "relations": relations})


@pytest.mark.parametrize("detectors", ["default", "all", "presidio"])
def test_a_rule_for_a_type_that_nothing_finds_is_named_with_its_line(written: Path, detectors: str) -> None:
    """A slip of the pen in a type's name protects nothing, and is told; Presidio's types are known unloaded."""
    written.write_text(f"path: agent.db\nsensitive:\n  rules: {{emial: mask}}\n  detectors: {detectors}\n")
    with pytest.raises(
        ConfigurationError, match=r"line [23]: sensitive.*names 'emial', which no detector in use finds"
    ):
        read_config(written)
    written.write_text("path: agent.db\nsensitive: {rules: {CRYPTO: mask}, detectors: presidio}\n")
    assert read_config(written).path


@pytest.mark.parametrize(
    "said",
    [
        "sessions: {max_messages: true}",
        "receipts_days: true",
        "index_above: true",
        "busy_timeout_s: false",
        "cache_mib: true",
        "forgetting: {stability_days: {fact: true}}",
    ],
)
def test_a_flag_is_no_number(tmp_path: Path, said: str) -> None:
    """To Python `true` is 1, which nobody means who writes it."""
    file = tmp_path / "agentmem.yaml"
    file.write_text(f"path: agent.db\nembeddings: null\n{said}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"line 3.*no numbers"):
        AgentMemory.from_config(file)
