"""The graph in the forms of others: whatever a name holds is data there too."""

from __future__ import annotations

import io
import re
from typing import Final
from xml.etree import ElementTree as ET

import matplotlib as mpl
import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_agentmem import EntityGraph, Scope
from langchain_agentmem.english.reading.relations import Relations
from langchain_agentmem.english.reading.triples import Triple
from langchain_agentmem.entities.projecting import Told, project
from tests.ledgers import memory

HOSTILE: Final = [
    "Robert'); DROP TABLE memories;--",
    "x'}) DETACH DELETE n //",
    "`]->() DELETE n",
    "</data></node><node id='evil'>&amp; <!-- ]]> \"",
    "a\\' \\u0027 OR 1=1",
    "line\nbreak\ttab\x01\u2028",
    "$x^2$ {param} %s",
]
LITERAL: Final = r"'(?:[^'\\\n]|\\\\|\\'|\\u[0-9a-f]{4})*'"
NODE: Final = rf"\(\w:Entity {{id: {LITERAL}}}\)"
SET: Final = rf" SET(?: [nr]\.\w+ = (?:{LITERAL}|\[(?:{LITERAL}(?:, )?)*\]|[\d.]+),?)+;"
STATEMENT: Final = re.compile(
    rf"(?:MERGE {NODE}|MATCH {NODE}, {NODE} MERGE \(a\)-\[r:`\w+` {{name: {LITERAL}}}\]->\(b\)){SET}"
)


def graph_of(*said: tuple[str, str, str], is_value: bool = False) -> EntityGraph:
    triples = [Triple(*it, is_value=is_value, rule="stored") for it in said]
    told = [Told(memory(f"m{n}", Scope("a"), status="active"), (it,)) for n, it in enumerate(triples)]
    return project(told, Relations(), 1)


@pytest.fixture
def hostile() -> EntityGraph:
    return graph_of(*((it, f"knows {it}", "Nora") for it in HOSTILE))


def test_networkx_has_every_entity_and_relation(hostile: EntityGraph) -> None:
    """Names stay what they are, and algorithms run on it."""
    found = hostile.to_networkx()
    assert sorted(found.nodes) == sorted(hostile.entities)
    assert {name for _, name in found.nodes(data="name")} == {it.name for it in hostile}
    assert found.number_of_edges() == len(HOSTILE)
    assert found.edges[next(iter(found.edges))]["memory_ids"]
    assert nx.number_weakly_connected_components(found) == 1


def test_what_is_said_of_an_entity_goes_with_it() -> None:
    """A value is no node."""
    graph = graph_of(("Nora", "likes", "tea"), ("Nora", "likes", "chess"), is_value=True)
    assert graph.to_networkx().nodes["nora"]["facts"] == [("likes", "chess"), ("likes", "tea")]
    assert "'likes: chess', 'likes: tea'" in graph.to_cypher()
    assert "likes: chess; likes: tea" in graph.to_graphml()


def test_graphml_is_read_back_by_others(hostile: EntityGraph) -> None:
    """It reads as many nodes and edges, and the names as far as XML can hold them."""
    found = nx.read_graphml(io.BytesIO(hostile.to_graphml().encode()), force_multigraph=True)
    assert (found.number_of_nodes(), found.number_of_edges()) == (len(hostile), len(hostile.relations))
    assert {name for _, name in found.nodes(data="name")} == {it.name.replace("\x01", "") for it in hostile}


@pytest.mark.parametrize("names", [("Nora", "No\x02ra"), ("\ufffe", "\uffff"), ("a\x02", "a\\u0002")])
def test_two_entities_are_two_nodes_of_graphml(names: tuple[str, str]) -> None:
    """Also where they differ in nothing that XML can hold; no edge leads to the other one."""
    graph = graph_of(*((it, "knows", "Tom") for it in names))
    found = nx.read_graphml(io.BytesIO(graph.to_graphml().encode()), force_multigraph=True)
    assert (found.number_of_nodes(), found.number_of_edges(), found.degree["tom"]) == (3, 2, 2)
    assert "" not in found


def test_cypher_holds_a_name_as_a_literal_only(hostile: EntityGraph) -> None:
    """Every line is one statement of ours, however a name tries to end it."""
    lines = hostile.to_cypher().splitlines()
    assert len(lines) == len(hostile) + len(hostile.relations)
    assert [it for it in lines if not STATEMENT.fullmatch(it)] == []


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.text(min_size=1, max_size=30)] * 3), max_size=4))
def test_any_name_is_data(said: list[tuple[str, str, str]]) -> None:
    """In XML and in Cypher."""
    named = [it for it in said if all(part.strip() and part.isprintable() for part in it)]
    graph = graph_of(*named)
    assert ET.fromstring(graph.to_graphml()).tag.endswith("graphml")  # noqa: S314  (our own)
    assert all(map(STATEMENT.fullmatch, graph.to_cypher().splitlines()))


def test_a_picture_is_drawn(hostile: EntityGraph) -> None:
    """Also of names that would be mathematics, and the same picture every time."""
    mpl.use("Agg")
    axes = hostile.draw()
    axes.figure.canvas.draw()
    assert len(axes.texts) >= len(hostile)
    again = hostile.draw()
    assert [it.get_position() for it in again.texts] == [it.get_position() for it in axes.texts]
    mpl.pyplot.close("all")
