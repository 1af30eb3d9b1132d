"""Plots of the measurements, as SVG that follows the reader's light or dark mode. Drawn from bench/results/*.json alone.

A plot is one row of PLOTS: file name, the result that it is drawn from, and a function from that result to a drawing. A result that is
missing, or lacks the rows a plot needs, gives no plot and no error: not every measurement is made on every machine.
"""
import html
import json
import math
import pathlib

WIDTH, HEIGHT = 760, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 46, 58
STYLE = """
svg { background: #fff; color: #1c2128; font: 12px system-ui, sans-serif }
text { fill: currentColor } .title { font-size: 14px; font-weight: 600 } .faint { stroke: currentColor; opacity: .15 }
.axis { stroke: currentColor; opacity: .6 } .s0 { --c: #2563a8 } .s1 { --c: #c2571a } .s2 { --c: #2f7d4f } .s3 { --c: #7a4fa3 }
.fill { fill: var(--c) } .line { stroke: var(--c); fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  svg { background: #14181d; color: #e4e8ee } .s0 { --c: #6ea8e6 } .s1 { --c: #f0955a } .s2 { --c: #6fc492 } .s3 { --c: #b592dd }
}
"""


class Axis:
    """Maps values to pixels, linearly or by the logarithm, and knows where its ticks are."""

    def __init__(self, values, start, end, log):
        self.start, self.end, self.log = start, end, log
        values = [value for value in values if value is not None and (value > 0 or not log)]
        low, high = (min(values), max(values)) if values else (0, 1)
        if log:
            self.low, self.high = math.floor(math.log10(low)), math.ceil(math.log10(high))
            self.high = max(self.high, self.low + 1)
        else:
            self.low, self.high = min(0, low), high if high > 0 else 1

    def at(self, value):
        value = math.log10(max(value, 1e-12)) if self.log else value
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self):
        if self.log:
            return [10.0**power for power in range(self.low, self.high + 1)]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (step * factor) <= 6)
        return [step * index for index in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def number(value):
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(str(words))}</text>'


def frame(title, x_title, y_title, y_axis, series, body):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
             f"<title>{html.escape(title)}</title><style>{STYLE}</style>", text(LEFT, 20, title, "start", ' class="title"')]
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        parts.append(f'<line class="faint" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>' + text(LEFT - 6, y + 4, number(tick), "end"))
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM}"/>')
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_title))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(text(16, middle, y_title, "middle", f' transform="rotate(-90 16 {middle:.0f})"'))
    for index, name in enumerate(series):
        x = WIDTH - RIGHT - 150 * (len(series) - index)
        parts.append(f'<rect class="fill s{index}" x="{x}" y="26" width="10" height="10"/>' + text(x + 14, 35, name, "start"))
    return "\n".join([*parts, *body, "</svg>\n"])


def bars(title, labels, series, y_title, log=False):
    """Grouped bars: `series` maps a name to one value (or None) for each label."""
    y_axis = Axis([value for values in series.values() for value in values] + ([] if log else [0]), HEIGHT - BOTTOM, TOP, log)
    room = (WIDTH - LEFT - RIGHT) / max(1, len(labels))
    width = max(1.0, room * 0.8 / len(series))
    body, floor = [], HEIGHT - BOTTOM
    for index, label in enumerate(labels):
        left = LEFT + room * index + room * 0.1
        for place, values in enumerate(series.values()):
            if values[index] is None:
                continue
            top = min(y_axis.at(values[index]), floor - 1)
            body.append(f'<rect class="fill s{place}" x="{left + place * width:.1f}" y="{top:.1f}" width="{width:.1f}" height="{floor - top:.1f}">'
                        f"<title>{html.escape(str(label))}: {values[index]:g}</title></rect>")
        if len(labels) <= 24:
            x = left + room * 0.4
            tilt = f' transform="rotate(-30 {x:.0f} {floor + 14})"' if len(labels) > 8 else ""
            body.append(text(x, floor + 14, label, "end" if tilt else "middle", tilt))
    return frame(title, "" if len(labels) <= 24 else f"{len(labels)} programs", y_title, y_axis, series if len(series) > 1 else (), body)


def lines(title, series, x_title, y_title):
    """Curves on logarithmic axes: `series` maps a name to a list of (x, y)."""
    points = [point for values in series.values() for point in values]
    x_axis = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT, True)
    y_axis = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, True)
    body = [text(x_axis.at(tick), HEIGHT - BOTTOM + 16, number(tick)) for tick in x_axis.ticks()]
    for place, values in enumerate(series.values()):
        path = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in sorted(values))
        body.append(f'<polyline class="line s{place}" points="{path}"/>')
        body += [f'<circle class="fill s{place}" cx="{x_axis.at(x):.1f}" cy="{y_axis.at(y):.1f}" r="3"/>' for x, y in values]
    return frame(title, x_title, y_title, y_axis, series if len(series) > 1 else (), body)


def schedules_to_first_bug(result):
    rows = sorted(result["rows"], key=lambda row: row["mean"])
    series = {"default": [row["mean"] for row in rows]}
    if any(row.get("best_mean") for row in rows):
        series["best single, if measured"] = [row.get("best_mean") for row in rows]
    return bars("Schedules to the first failure (mean over seeds; a miss counts 10,000)", [row["name"] for row in rows], series, "schedules", log=True)


def runs_a_second(result):
    rows = sorted((row for row in result["rows"] if row.get("rate")), key=lambda row: row["rate"])
    return bars("Schedules a second on the fixed twins, one worker", [row["name"] for row in rows], {"default": [row["rate"] for row in rows]},
                "runs/s", log=True)


def by_algorithm(result, field):
    """For each program of the simplification table, what `field` is for the paper's traces, for Tinertia and for the default."""
    kinds, table = ("tinertia", "default"), {}
    for row in result["rows"]:
        program, _, kind = row["program"].partition(": ")
        table.setdefault(program, {})[kind] = row
    programs = [program for program, rows in table.items() if all(kind in rows for kind in kinds)]
    return programs, {kind: [table[program][kind].get(field) for program in programs] for kind in kinds}, table


def switches_before_and_after(result):
    programs, after, table = by_algorithm(result, "switches_after")
    before = [table[program]["default"]["switches"] for program in programs]
    return bars("Context switches before and after simplification (mean over traces)", programs, {"before": before, **after}, "switches", log=True)


def executions_to_simplify(result):
    programs, series, _ = by_algorithm(result, "executions")
    return bars("Executions of the simplification, without the proof", programs, series, "executions", log=True)


def distance_to_the_optimum(result):
    """Tinertia's Fig. 6: how many traces are how many switches over the optimum."""
    kinds = ("default", "tinertia")
    over = {kind: {int(more): times for more, times in result["summary"][f"{kind}_switches_over_optimum"].items()} for kind in kinds}
    bins = range(0, max(max(histogram) for histogram in over.values()) + 1)
    return bars("Switches over the optimum (traces of the kernels whose optimum is known)", [str(more) for more in bins],
                {kind: [over[kind].get(more, 0) for more in bins] for kind in kinds}, "traces")


def growth(group, unit):
    def plot(result):
        rows = [row for row in result["rows"] if row["group"] == group]
        if len(rows) < 2:
            raise ValueError("too few points for a curve")
        series = {"ours": [(row["x"], row["ours"]) for row in rows], "natively": [(row["x"], row["rival"]) for row in rows if row.get("rival")]}
        return lines(f"Time of one execution against {unit}", series, unit, "ms")

    return plot


PLOTS = [
    ("find.svg", "find", schedules_to_first_bug),
    ("find-rate.svg", "find", runs_a_second),
    ("simplify-switches.svg", "simplify", switches_before_and_after),
    ("simplify-executions.svg", "simplify", executions_to_simplify),
    ("optimality.svg", "optimality", distance_to_the_optimum),
    ("engine-threads.svg", "engine", growth("threads", "threads")),
    ("engine-memory.svg", "engine", growth("memory", "MB touched before the threads")),
]


def draw(results, where):
    """Draws every plot whose result is there; returns the files written."""
    written = []
    for name, source, plot in PLOTS:
        path = pathlib.Path(results) / f"{source}.json"
        if not path.exists():
            continue
        try:
            drawing = plot(json.loads(path.read_text()))
        except (KeyError, ValueError, ZeroDivisionError, TypeError, IndexError):
            continue  # a measurement of a few rows only
        (pathlib.Path(where) / name).write_text(drawing)
        written.append(name)
    return written
