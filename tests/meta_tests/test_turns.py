"""What takes turns in the default run: never is all of a law, a backend or a colour left out."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tests import whole
from tests.meta_tests.test_laws import nodes
from tests.whole import CONTRACTS, TWINS, has_turn, taking_turns

LAWS: Final = [f"test_law_{number}" for number in range(64)]
COLOURS: Final = ("sync", "async")
CONTRACT: Final = f"{CONTRACTS[0]}some_contract"


@pytest.fixture(autouse=True)
def _by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "IS_WHOLE", False)


def made(module: str, **params: Sequence[Any]) -> list[Any]:
    """Return the tests of a law in a module, one for each combination of its parameters."""
    function = SimpleNamespace(__module__=module)
    combined = (dict(zip(params, values, strict=True)) for values in product(*params.values()))
    return [SimpleNamespace(function=function, callspec=SimpleNamespace(params=it)) for it in combined]


def values_of(tests: Sequence[Any], name: str) -> list[str]:
    return [it.callspec.params[name] for it in tests]


@pytest.mark.parametrize("law", LAWS[:8])
def test_every_backend_and_every_colour_has_its_turn(law: str) -> None:
    """Of two colours on each of three backends a law is run on every backend once, and in both colours."""
    backends = ("postgresql", "valkey", "cluster")
    turns = taking_turns(law, made(CONTRACT, redis_url=backends, colour=COLOURS))
    assert tuple(values_of(turns, "redis_url")) == backends
    assert set(values_of(turns, "colour")) == set(COLOURS)


@pytest.mark.parametrize("law", LAWS[:8])
def test_every_combination_has_a_colour(law: str) -> None:
    """Of two kinds of agent and three faults each pair is run once; each agent, and each fault, in both colours."""
    agents, faults = ("graph", "agent"), ("down", "slow", "dies")
    turns = taking_turns(law, made(CONTRACT, make=agents, fault=faults, colour=COLOURS))
    pairs = list(zip(values_of(turns, "make"), values_of(turns, "fault"), strict=True))
    assert pairs == list(product(agents, faults))
    for name, values in (("make", agents), ("fault", faults)):
        met = {(it.callspec.params[name], it.callspec.params["colour"]) for it in turns}
        assert met == set(product(values, COLOURS))


@pytest.mark.parametrize("law", LAWS[:8])
def test_of_many_cases_each_is_run_in_one_way(law: str) -> None:
    """Said to one kind of agent in one colour, while of the kinds and colours each pair has its cases."""
    agents, words = ("graph", "agent"), tuple(f"forget {number}" for number in range(10))
    turns = taking_turns(law, made(CONTRACT, words=words, make=agents, colour=COLOURS))
    assert tuple(values_of(turns, "words")) == words
    ways = Counter(zip(values_of(turns, "make"), values_of(turns, "colour"), strict=True))
    assert set(ways) == set(product(agents, COLOURS))
    assert min(ways.values()) >= 2


def test_parameters_that_go_together_take_turns_too() -> None:
    """Of four pairs of what is said and what is told each is run once, half of them called and half awaited."""
    pairs = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]
    tests = made(CONTRACT, colour=COLOURS, pair=pairs)
    for params in (it.callspec.params for it in tests):
        params["text"], params["told"] = params.pop("pair")
    turns = taking_turns("test_something", tests)
    assert sorted(zip(values_of(turns, "text"), values_of(turns, "told"), strict=True)) == pairs
    assert sorted(values_of(turns, "colour")) == ["async", "async", "sync", "sync"]


def test_a_law_in_both_colours_alone_keeps_them() -> None:
    """Where there is nothing to take turns with, it is called and awaited."""
    tests = made(CONTRACT, colour=COLOURS)
    assert taking_turns("test_something", tests) == tests


def test_the_whole_leaves_out_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the whole is asked for, every law has everything on everything."""
    monkeypatch.setattr(whole, "IS_WHOLE", True)
    tests = made(CONTRACT, sql_url=["postgresql"], colour=COLOURS)
    assert [taking_turns(law, tests) for law in LAWS] == [tests] * len(LAWS)


@pytest.mark.parametrize("module", CONTRACTS)
@pytest.mark.parametrize("more", [{}, {"sql_url": ["postgresql"]}], ids=["alone", "by backend"])
def test_a_law_of_a_contract_has_one_colour_on_a_server(module: str, more: dict[str, list[str]]) -> None:
    """Half of the laws are called there and half awaited; on SQLite each has both colours."""
    turns = [taking_turns(law, made(f"{module}it", **more, colour=COLOURS), is_served=True) for law in LAWS]
    assert [len(it) for it in turns] == [1] * len(LAWS)
    called = sum(values_of(it, "colour") == ["sync"] for it in turns)
    assert len(LAWS) / 4 < called < len(LAWS) * 3 / 4


def test_a_law_on_postgresql_alone_has_both_colours() -> None:
    """What is no contract's is run nowhere else."""
    tests = made("tests.integration_tests.test_something", sql_url=["postgresql"], colour=COLOURS)
    assert taking_turns("test_something", tests, is_served=True) == tests


def test_of_two_servers_of_one_protocol_a_law_has_one() -> None:
    """Each of them has half of the laws, in both colours; what else there is has all."""
    backends = (*TWINS, "cluster")
    turns = [it for law in LAWS for it in taking_turns(law, made(CONTRACT, url=backends, colour=COLOURS))]
    counts = Counter(values_of(turns, "url"))
    assert counts["cluster"] == counts["valkey"] + counts["redis"] == len(LAWS)
    assert len(set(zip(values_of(turns, "url"), values_of(turns, "colour"), strict=True))) == 6
    assert min(counts.values()) > len(LAWS) / 4


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("number", [0, 1])
def test_a_class_with_some_of_the_laws_has_both_colours(number: int, count: int) -> None:
    """Which class has a law says nothing about the colour it is run in there."""
    contract = type("Contract", (), dict.fromkeys(LAWS))
    cls = type("TestIt", (contract,), {"by_turns": (contract, number, count)})
    laws = [law for law in LAWS if has_turn(cls, law)]
    tests = [it for law in laws for it in taking_turns(law, made(CONTRACT, colour=COLOURS), is_served=True)]
    assert len(LAWS) / count / 2 < len(laws) < len(LAWS) / count * 2
    assert set(values_of(tests, "colour")) == set(COLOURS)


# --------------------------------------------------------------------------------------------------- contracts' classes
def classes_in(folder: str) -> Iterator[ast.ClassDef]:
    for file, inside in nodes().items():
        if file.parts[:2] == ("tests", folder):
            yield from (node for node in inside if isinstance(node, ast.ClassDef))


def bases_of(node: ast.ClassDef) -> set[str]:
    return {it.id for it in node.bases if isinstance(it, ast.Name)}


def named_in(node: ast.ClassDef) -> set[str]:
    """Return the names of what a class defines itself."""
    assigned = (it.targets if isinstance(it, ast.Assign) else [getattr(it, "target", None)] for it in node.body)
    names = {it.id for targets in assigned for it in targets if isinstance(it, ast.Name)}
    return names | {it.name for it in node.body if isinstance(it, ast.FunctionDef)}


def ancestors(name: str, bases: Mapping[str, set[str]]) -> set[str]:
    return {name}.union(*(ancestors(it, bases) for it in bases.get(name, ())))


def test_what_has_one_colour_on_a_server_has_both_on_sqlite() -> None:
    """A contract that integration tests inherit is inherited by unit tests that run each of its laws."""
    bases = {node.name: bases_of(node) for node in classes_in("contracts")}
    whole_here = [it for it in classes_in("unit_tests") if named_in(it).isdisjoint({"by_turns", "colour"})]
    on_sqlite = {name for it in whole_here for base in bases_of(it) for name in ancestors(base, bases)}
    served = [it for it in classes_in("integration_tests") if "colour" not in named_in(it)]
    contracts = {base for it in served for base in bases_of(it)} & {node.name for node in classes_in("contracts")}
    assert len(contracts) > 40
    assert contracts - on_sqlite == set()
