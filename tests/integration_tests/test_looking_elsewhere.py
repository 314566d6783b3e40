"""Commands on a PostgreSQL that is not an agent's memory."""

from __future__ import annotations

import psycopg
import pytest

from tests.unit_tests.cli.commands import refusal

LOOKS = [("stats",), ("vault", "status")]
OF_A_USER = [("list",), ("inspect",), ("verify",), ("timeline",), ("recall", "What?"), ("why", "some-id")]


@pytest.mark.parametrize("command", [*LOOKS, *[(*it, "--user", "alice") for it in OF_A_USER]])
def test_looking_makes_no_table(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    """A mistyped URL is told as such, without its password, and the database of others stays as it was."""
    words = 2 if command[0] == "vault" else 1
    told = refusal(monkeypatch, capsys, *command[:words], postgres_url, *command[words:])
    assert ("no memory in it" in told, postgres_url in told) == (True, False)
    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall() == []
