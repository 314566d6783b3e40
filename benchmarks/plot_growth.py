"""Draw what one more message costs, and what all of them take up, against the messages that are there already.

    python benchmarks/histories.py --json histories.json
    python benchmarks/checkpoints.py --json checkpoints.json
    python benchmarks/plot_growth.py histories.json checkpoints.json [--out docs/growth.svg]

Reads what the two benchmarks wrote and measures nothing; without their files it draws nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

OUT: Final = Path(__file__).parents[1] / "docs" / "growth.svg"
GREY: Final = "#7d8590"  # on white and on near-black alike
OURS: Final = {"SQLite": "#2f81f7", "PostgreSQL": "#a371f7", "Redis": "#e5534b"}
PEERS: Final = ("#c69026", "#57ab5a", "#39a0a0", "#b0876a", "#96a0aa", "#d38dc0")
SKIPPED: Final = ("floor, messages built", "raw RPUSH / LRANGE, messages built")  # the same stores, read otherwise
FLOOR: Final = "floor"
LABEL_GAP: Final = 0.062  # of a panel's height, between two labels
STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "growth",  # the same file for the same figures
    "svg.fonttype": "none",
    "font.size": 9,
    "text.color": GREY,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One drawing: lines by their names, each points of messages and value."""

    title: str
    unit: str
    lines: Mapping[str, list[tuple[int, float]]]


def panels(results: Iterable[Mapping[str, Any]]) -> list[Panel]:
    """Return what to draw from what the benchmarks wrote."""
    found: list[Panel] = []
    for result in results:
        if result["benchmark"] == "histories":
            growth = result["growth"]
            found.append(Panel(title="chat history: one add", unit="µs", lines=_lines(growth, "us", 1)))
            found.append(Panel(title="chat history: bytes kept", unit="kB", lines=_lines(growth, "bytes", 1_000)))
        else:
            lines = _lines(result["turns"], "ms", 1)
            found.append(Panel(title="checkpoints: one turn of two messages", unit="ms", lines=lines))
            kept = _lines(result["bytes"], "bytes", 1_000)
            found.append(Panel(title="checkpoints: bytes kept", unit="kB", lines=kept))
    return found


def _lines(points: Iterable[Mapping[str, Any]], value: str, unit: float) -> dict[str, list[tuple[int, float]]]:
    lines: dict[str, list[tuple[int, float]]] = {}
    for point in points:
        if point["row"] not in SKIPPED and point["messages"] >= 10 and point[value] > 0:
            lines.setdefault(point["row"], []).append((point["messages"], point[value] / unit))
    return {name: sorted(line) for name, line in lines.items()}


def draw(found: list[Panel], path: Path) -> None:
    """Draw the panels, two in a row, on no background: the page's own shows through, light or dark."""
    with mpl.rc_context(STYLE):
        count = (len(found) + 1) // 2
        figure = Figure(figsize=(13, 4.4 * count))
        FigureCanvasSVG(figure)
        edges = {"left": 0.055, "right": 0.84, "wspace": 0.7, "hspace": 0.3, "top": 0.95, "bottom": 0.13 / count}
        rows = figure.subplots(count, 2, squeeze=False, gridspec_kw=edges)
        for axes, panel in zip(rows.flat, found, strict=False):
            _draw_panel(axes, panel)
        path.parent.mkdir(parents=True, exist_ok=True)
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, transparent=True, metadata=metadata)


def _draw_panel(axes: Axes, panel: Panel) -> None:
    axes.set(xscale="log", yscale="log", xlabel="messages in the conversation", ylabel=panel.unit)
    axes.set_title(panel.title, loc="left", fontweight="bold")
    axes.grid(visible=True, which="major", color=GREY, alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_locator(NullLocator())
    colours = _colours(panel.lines)
    for name, line in panel.lines.items():
        is_ours = name.startswith("ours")
        style = "--" if name.startswith(FLOOR) else "-"
        width, order = (2.4, 3) if is_ours else (1.2, 2)
        xs, ys = zip(*line, strict=True)
        axes.plot(xs, ys, style, color=colours[name], linewidth=width, marker="o", markersize=width + 1.5, zorder=order)
    _label(axes, panel, colours)


def _colours(names: Iterable[str]) -> dict[str, str]:
    peers = [name for name in names if not name.startswith(("ours", FLOOR))]
    chosen = {name: PEERS[number % len(PEERS)] for number, name in enumerate(peers)}
    ours = {name: colour for name in names for part, colour in OURS.items() if name == f"ours, {part}"}
    return dict.fromkeys(names, GREY) | chosen | ours


def _label(axes: Axes, panel: Panel, colours: Mapping[str, str]) -> None:
    """Write each name beside the end of its line, moved apart where two would meet."""
    axes.autoscale_view()
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = {name: float(to_axes.transform(line[-1])[1]) for name, line in panel.lines.items()}
    for name, height in _apart(ends).items():
        weight = "bold" if name.startswith("ours") else "normal"
        style: dict[str, Any] = {"va": "center", "fontsize": 8, "color": colours[name], "weight": weight}
        text = name.split(":")[0].replace("langchain-community", "community")
        axes.annotate(text, (1.02, height), xycoords="axes fraction", **style)


def _apart(ends: Mapping[str, float]) -> dict[str, float]:
    """Return heights in the same order with a gap between any two, none above the panel: from the top downwards."""
    placed: dict[str, float] = {}
    ceiling = 1.0
    for name, height in sorted(ends.items(), key=lambda end: -end[1]):
        placed[name] = min(height, ceiling)
        ceiling = placed[name] - LABEL_GAP
    return placed


def main() -> None:
    """Read, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", nargs="*", type=Path, help="what the benchmarks wrote with --json")
    parser.add_argument("--out", type=Path, default=OUT, help=".svg, .png or .pdf")
    parser.add_argument("--quick", action="store_true", help="as of the other scripts; changes nothing")
    options = parser.parse_args()
    if not options.results:
        print("nothing to draw: name the files that histories.py and checkpoints.py wrote with --json")
        return
    draw(panels(json.loads(path.read_text()) for path in options.results), options.out)
    print(options.out)


if __name__ == "__main__":
    main()
