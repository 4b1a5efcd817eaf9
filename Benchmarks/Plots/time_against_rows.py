"""Draws query times against the number of rows, both on logarithmic axes, one line per method.

    python3 time_against_rows.py bench.json [more.json ...] out.svg

Each input is what `bench --json` or `bench peers --json` wrote: the median time of one query for ten
matches. Exact methods are drawn solid, approximate ones dashed.
"""

import json
import math
import sys
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 900, 560
LEFT, RIGHT, TOP, BOTTOM = 70, 235, 50, 60
LABEL_DISTANCE = 15
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#b0468c", "#7a5c00", "#3b4cc0",
    "#c22e2e", "#2a7f8e", "#6b6b6b", "#5a8f00", "#8457b5", "#a0522d",
)  # fmt: skip
MOST_DECADES_WITH_STEPS = 3
MINIMUM_DECADES = 0.5
"""An axis covers at least this much, so that one point can be drawn."""
OWN = "swift-embedding-store"


class InputError(Exception):
    pass


@dataclass
class Method:
    name: str
    exact: bool
    points: list[tuple[float, float]] = field(default_factory=list)
    """Rows and milliseconds."""


@dataclass
class Axis:
    """Maps the logarithm of a value to a place in the picture."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def around(cls, values: list[float], start: float, end: float) -> "Axis":
        low, high = math.log10(min(values)), math.log10(max(values))
        missing = max(MINIMUM_DECADES - (high - low), 0.1) / 2
        return cls(low - missing, high + missing, start, end)

    def place(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Returns the powers of ten on the axis and, where there is room, 2 and 5 times these."""
        steps = (1, 2, 5) if self.high - self.low <= MOST_DECADES_WITH_STEPS else (1,)
        exponents = range(math.floor(self.low), math.ceil(self.high) + 1)
        values = [step * 10.0**exponent for exponent in exponents for step in steps]
        return [value for value in values if self.low <= math.log10(value) <= self.high]


def main() -> int:
    if len(sys.argv) < 3:
        print("usage: time_against_rows.py points.json [more.json ...] out.svg", file=sys.stderr)
        return 2
    *inputs, output = map(Path, sys.argv[1:])
    try:
        output.write_text(drawing(read_methods(inputs)), encoding="utf-8")
    except (InputError, OSError) as error:
        print(f"time_against_rows.py: {error}", file=sys.stderr)
        return 2
    return 0


def read_methods(paths: list[Path]) -> list[Method]:
    methods: dict[str, Method] = {}
    for path in paths:
        for name, rows, milliseconds, exact in read_points(path):
            method = methods.setdefault(name, Method(name, exact))
            if method.exact != exact:
                raise InputError(f"{path}: {name} is both exact and approximate")
            method.points.append((rows, milliseconds))
    if not methods:
        raise InputError("there are no points to draw")
    for method in methods.values():
        method.points.sort()
    return list(methods.values())


def read_points(path: Path) -> list[tuple[str, float, float, bool]]:
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    match report:
        case {"own": own, "peers": list(peers)}:
            lines = [own] + [peer.get("peer") for peer in peers]
            return [read_line(path, line) for line in lines if line and line.get("p50_ms_k10")]
        case {"rows": int(rows), "figures": list(figures)}:
            values = {figure.get("name"): figure.get("value") for figure in figures}
            return [
                (OWN + suffix, rows, values[name], True)
                for name, suffix in (("cascade_k10_p50", ""), ("search_k10_p50", ", full scan"))
                if name in values
            ]
    raise InputError(f"{path} is not a report of bench")


def read_line(path: Path, line: dict) -> tuple[str, float, float, bool]:
    match line:
        case {
            "peer": str(name),
            "rows": int(rows),
            "p50_ms_k10": int(milliseconds) | float(milliseconds),
            "exact": bool(exact),
        } if rows > 0 and 0 < milliseconds < math.inf:
            return name, rows, milliseconds, exact
    raise InputError(f"{path} holds a line without its figures: {json.dumps(line)[:80]}")


def drawing(methods: list[Method]) -> str:
    points = [point for method in methods for point in method.points]
    across = Axis.around([rows for rows, _ in points], LEFT, WIDTH - RIGHT)
    up = Axis.around([time for _, time in points], HEIGHT - BOTTOM, TOP)
    coloured = list(zip(methods, cycle(COLOURS)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#333">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        *grid(across, up),
        *(line(method, colour, across, up) for method, colour in coloured),
        *labels(coloured, across, up),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def grid(across: Axis, up: Axis) -> list[str]:
    parts = [
        text(LEFT, 24, "Median time of one query for ten matches", 'font-size="15"'),
        text(LEFT, TOP - 8, "milliseconds; solid: exact, dashed: approximate"),
        text(WIDTH - RIGHT, HEIGHT - 16, "rows", 'text-anchor="end"'),
    ]
    for value in across.ticks():
        place = across.place(value)
        parts.append(rule(place, TOP, place, HEIGHT - BOTTOM))
        parts.append(text(place, HEIGHT - BOTTOM + 18, f"{value:,.0f}", 'text-anchor="middle"'))
    for value in up.ticks():
        place = up.place(value)
        parts.append(rule(LEFT, place, WIDTH - RIGHT, place))
        parts.append(text(LEFT - 8, place + 4, f"{value:,.12g}", 'text-anchor="end"'))
    return parts


def line(method: Method, colour: str, across: Axis, up: Axis) -> str:
    places = [(across.place(rows), up.place(time)) for rows, time in method.points]
    dashes = "" if method.exact else ' stroke-dasharray="6 4"'
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places
    )
    return (
        f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'
        + dots
    )


def labels(coloured: list[tuple[Method, str]], across: Axis, up: Axis) -> list[str]:
    """Names each line at its end; names that would overlap move apart."""
    ends = [
        (up.place(method.points[-1][1]), across.place(method.points[-1][0]), method.name, colour)
        for method, colour in coloured
    ]
    ends.sort()
    parts = []
    for (y, x, name, colour), height in zip(ends, apart([end[0] for end in ends])):
        start = WIDTH - RIGHT + 14
        parts.append(
            f'<path d="M{x + 4:.1f} {y:.1f}L{start - 4} {height:.1f}" fill="none" '
            f'stroke="{colour}" stroke-opacity="0.4"/>'
        )
        parts.append(text(start, height + 4, name, f'fill="{colour}"'))
    return parts


def apart(heights: list[float]) -> list[float]:
    """Moves sorted heights so that neighbours keep a distance and all stay in the picture."""
    distance = min(LABEL_DISTANCE, (HEIGHT - TOP) / len(heights))
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + distance) if moved else height)
    limit = HEIGHT - 10.0
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - distance
    return moved


def rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#e2e2e2"/>'


def text(x: float, y: float, words: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(words)}</text>'


if __name__ == "__main__":
    sys.exit(main())
