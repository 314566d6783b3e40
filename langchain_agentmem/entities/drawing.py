"""A picture of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from langchain_agentmem.english.reading.naming import USER
from langchain_agentmem.entities.exporting import to_networkx
from langchain_agentmem.entities.records import Entity, EntityRelation
from langchain_agentmem.errors import ConfigurationError

_COLOURS: Final = {"person": "#7fb3d5", "place": "#a9dfbf", "organisation": "#f5cba7"}
_OTHER_COLOUR: Final = "#d7dbdd"
_USER_COLOUR: Final = "#f1948a"
_MAX_LABEL_CHARS: Final = 24
_APART: Final = 2.0
"""Twice as far apart as networkx would: names are wider than nodes."""


def draw(entities: Mapping[str, Entity], relations: Iterable[EntityRelation], ax: Any, seed: int) -> Any:  # noqa: ANN401  (matplotlib's)
    """Draw entities and relations; see `EntityGraph.draw`.

    Raises:
        ConfigurationError: matplotlib or networkx is not installed.
    """
    graph = to_networkx(entities, relations)
    try:
        import matplotlib.pyplot as plt  # nobody needs it but who draws
    except ImportError as error:
        msg = "matplotlib is not installed; pip install matplotlib"
        raise ConfigurationError(msg) from error
    import networkx as nx  # it is there: `graph` was made with it

    axes = plt.subplots(figsize=(9, 6))[1] if ax is None else ax
    apart = _APART / max(1, len(graph)) ** 0.5
    places = nx.spring_layout(graph.to_undirected(), k=apart, seed=seed)  # with directions, ends lie on one another
    colours = [_colour(entities[it]) for it in graph]
    nx.draw_networkx_nodes(graph, places, ax=axes, node_color=colours, node_size=1_400, edgecolors="white")
    nx.draw_networkx_labels(graph, places, {it: _label(entities[it].name) for it in graph}, ax=axes, font_size=8)
    nx.draw_networkx_edges(graph, places, ax=axes, edge_color="#85929e", node_size=1_400, arrowsize=12)
    labels: dict[tuple[str, str], str] = {}
    for one, other, relation in graph.edges(keys=True):
        before = labels.get((one, other))
        labels[one, other] = _label(relation) if before is None else f"{before}, {_label(relation)}"
    nx.draw_networkx_edge_labels(graph, places, labels, ax=axes, font_size=7)
    axes.set_axis_off()
    return axes


def _colour(entity: Entity) -> str:
    return _USER_COLOUR if entity.id == USER else _COLOURS.get(entity.type or "", _OTHER_COLOUR)


def _label(text: str) -> str:
    """Return text as it is drawn: short, in one line, and without what matplotlib would read as mathematics."""
    plain = "".join(it if it.isprintable() else " " for it in text)
    shown = plain if len(plain) <= _MAX_LABEL_CHARS else f"{plain[: _MAX_LABEL_CHARS - 1]}…"
    return shown.replace("$", r"\$")
