"""What was chosen, used or held ends where a later sentence names it as left."""

from __future__ import annotations

import pytest

from langchain_agentmem.english.reading.choices import is_revised
from langchain_agentmem.english.reading.statements import parse_statement
from langchain_agentmem.policies.conflict import judge


@pytest.mark.parametrize(
    ("left", "held"),
    [
        ("The user's team replaced Nagios with Prometheus", "The user's team runs Nagios"),
        ("The user's team swapped Slack for Zulip", "The user's team uses Slack for the support"),
        ("The user's team has moved off Heroku", "The user's team hosts on Heroku"),
        ("The user's team got rid of Sentry", "The user's team uses Sentry"),
        ("The user's team switched to Linear from Trello", "The user's team uses Trello"),
        ("Ana has left Acme", "Ana works at Acme"),
        ("The user moved away from Leeds", "The user lives in Leeds"),
        ("The user switched from French to Spanish", "The user is learning French"),
    ],
)
def test_what_is_left_by_name_is_over(left: str, held: str) -> None:
    """However it is said, the one that names what it leaves ends the one that says it is so."""
    assert is_revised(left, held)


@pytest.mark.parametrize(
    ("left", "held"),
    [
        ("The user moved away from Leeds", "The user likes Leeds"),
        ("The user has left Acme", "The user's team works at Acme"),
        ("The user's team almost dropped Slack", "The user's team uses Slack"),
        ("The user's team never dropped Slack", "The user's team uses Slack"),
        ("The user's team replaced Slack with Zulip for alerts", "The user's team uses Slack for the support"),
        ("The user's team replaced Slack and Zulip", "The user's team uses Slack"),
        ("The user's team dropped Slack", "The user's team uses Slack Connect"),
        ("The user's team replaced Prometheus with Nagios", "The user's team runs Nagios"),
        ("The user left the keys at Acme", "The user works at Acme"),
    ],
)
def test_what_is_not_left_stands(left: str, held: str) -> None:
    """Another's, another thing, another purpose, a liking, or what was nearly done."""
    assert not is_revised(left, held)


@pytest.mark.parametrize("change", ["never switched", "almost switched", "did not switch"])
def test_a_change_that_was_not_made_takes_nothing_back(change: str) -> None:
    """Who never went from one to the other still has the one."""
    new, old = parse_statement(f"The user {change} from Vim to Emacs"), parse_statement("The user uses Vim")
    assert judge(new, old, similarity=None).relation != "conflict"
