"""The graph in the forms of others: networkx, GraphML, Cypher. Names and values are data in each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape, quoteattr

from langchain_agentmem._checks import install_hint
from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.entities.records import Entity, EntityRelation
from langchain_agentmem.errors import ConfigurationError

if TYPE_CHECKING:
    import networkx as nx

_NO_XML: Final = lazy_pattern("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""

_UNPRINTED: Final = lazy_pattern(r"[^\x20-\x7e\u00a1-\u2027\u202a-\ud7ff\U00010000-\U0010ffff]")
"""What would end a line somewhere, or is not printed."""

_NODE_KEYS: Final = ("name", "type", "aliases", "memory_ids", "facts")
_EDGE_KEYS: Final = (
    *("relation", "confidence", "status", "cardinality", "valid_at", "invalid_at"),
    *("created_at", "expired_at", "memory_ids"),
)


def to_networkx(entities: Mapping[str, Entity], relations: Iterable[EntityRelation]) -> nx.MultiDiGraph[str]:
    """Return a directed graph with parallel edges; see `EntityGraph.to_networkx`.

    Raises:
        ConfigurationError: networkx is not installed.
    """
    try:
        import networkx as nx  # an extra
    except ImportError as error:
        msg = f"networkx is not installed; {install_hint('graph')}"
        raise ConfigurationError(msg) from error
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for entity in entities.values():
        graph.add_node(
            entity.id,
            name=entity.name,
            type=entity.type,
            aliases=list(entity.aliases),
            memory_ids=list(entity.memory_ids),
            facts=[],
        )
    for it in relations:
        if it.object is None:
            graph.nodes[it.subject]["facts"].append((it.relation, it.value))
        else:
            graph.add_edge(it.subject, it.object, key=it.relation, **_carried(it))
    return graph


def _carried(it: EntityRelation) -> dict[str, Any]:
    """Return what an edge carries."""
    values = {name: getattr(it, name) for name in _EDGE_KEYS}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def to_graphml(entities: Mapping[str, Entity], relations: Iterable[EntityRelation]) -> str:
    """Return GraphML; see `EntityGraph.to_graphml`."""
    found = list(relations)
    nodes = (line for it in entities.values() for line in _node(it, found))
    edges = (line for number, it in enumerate(found) if it.object is not None for line in _edge(number, it))
    keys = (
        f'  <key id="{kind}_{name}" for="{kind}" attr.name="{name}" '
        f'attr.type="{"double" if name == "confidence" else "string"}"/>'
        for kind, names in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS))
        for name in names
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    return "\n".join([head, *keys, '  <graph edgedefault="directed">', *nodes, *edges, "  </graph>", "</graphml>", ""])


def _node(entity: Entity, relations: Iterable[EntityRelation]) -> Iterator[str]:
    said = _said(entity, relations)
    yield f"    <node id={_attribute(entity.id)}>"
    yield from _data("node", {"name": entity.name, "type": entity.type, "facts": "; ".join(said) or None})
    yield from _data("node", {"aliases": "; ".join(entity.aliases) or None, "memory_ids": " ".join(entity.memory_ids)})
    yield "    </node>"


def _said(entity: Entity, relations: Iterable[EntityRelation]) -> list[str]:
    """Return what is said of an entity, in words."""
    return [f"{it.relation}: {it.value}" for it in relations if it.subject == entity.id and it.value is not None]


def _edge(number: int, it: EntityRelation) -> Iterator[str]:
    ends = f"source={_attribute(it.subject)} target={_attribute(it.object or '')}"
    yield f'    <edge id="e{number}" {ends}>'
    values = {name: getattr(it, name) for name in _EDGE_KEYS}
    yield from _data("edge", {**values, "memory_ids": " ".join(it.memory_ids)})
    yield "    </edge>"


def _data(kind: str, values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if value is not None:
            shown = value.isoformat() if hasattr(value, "isoformat") else str(value)
            yield f'      <data key="{kind}_{name}">{escape(_NO_XML.sub("", shown))}</data>'


def _attribute(text: str) -> str:
    """Return an id as a value of XML; two ids stay two, also where XML cannot hold what tells them apart."""
    return quoteattr(_NO_XML.sub(_unicode, text.replace("\\", "\\\\")))


def to_cypher(entities: Mapping[str, Entity], relations: Iterable[EntityRelation]) -> str:
    """Return Cypher; see `EntityGraph.to_cypher`."""
    found = list(relations)
    lines = [_merge_node(it, found) for it in entities.values()]
    return "\n".join([*lines, *(_merge_edge(it) for it in found if it.object is not None), ""])


def _merge_node(entity: Entity, relations: Iterable[EntityRelation]) -> str:
    aliases, facts = ", ".join(map(_literal, entity.aliases)), ", ".join(map(_literal, _said(entity, relations)))
    type_ = "" if entity.type is None else f", n.type = {_literal(entity.type)}"
    return (
        f"MERGE (n:Entity {{id: {_literal(entity.id)}}}) "
        f"SET n.name = {_literal(entity.name)}, n.aliases = [{aliases}], n.facts = [{facts}]{type_};"
    )


def _merge_edge(it: EntityRelation) -> str:
    ends = f"MATCH (a:Entity {{id: {_literal(it.subject)}}}), (b:Entity {{id: {_literal(it.object or '')}}})"
    times = ("valid_at", "invalid_at", "created_at", "expired_at")
    known = {name: getattr(it, name) for name in times if getattr(it, name) is not None}
    values = [f"r.confidence = {it.confidence!r}", f"r.status = {_literal(it.status)}"]
    values += [f"r.{name} = {_literal(value.isoformat())}" for name, value in known.items()]
    values.append(f"r.memory_ids = [{', '.join(map(_literal, it.memory_ids))}]")
    kind = f"r:`{_label(it.relation)}` {{name: {_literal(it.relation)}}}"
    return f"{ends} MERGE (a)-[{kind}]->(b) SET {', '.join(values)};"


def _literal(text: str) -> str:
    """Return text as a string of Cypher: quotes, backslashes and whatever ends a line are escaped."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + _UNPRINTED.sub(_unicode, escaped) + "'"


def _unicode(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _label(name: str) -> str:
    """Return a name of a relation as every dialect takes it; the name itself is a property."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)
