"""What every measurement shares: options, the programs under test, tables, results as JSON.

A measurement is a script bench/NAME.py of this shape:

    options = _bench.options(__doc__)                  # --build DIR --quick --full --seeds N, and names of programs
    table = _bench.Table("find", options, [("program", "{}"), ("runs", "{:.1f}")])
    table.row(program="bank", runs=3.5, all=[3, 4])    # printed at once; fields without a column are only saved
    table.lost("bank: no answer")                      # a row that should be there and cannot be: the measurement fails
    return table.finish(geometric_mean=3.5)            # the summary lines, then bench/results/NAME.json; the exit code

Absolute times are never compared between two calls: a row that tells a time has its baseline beside it, measured in the same call.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE / "results"


def options(about, extend=None):
    """The command line that all measurements share; `extend(parser)` adds to it."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="a smoke test: well under a minute")
    size.add_argument("--full", action="store_true", help="the figures of docs/benchmarks/")
    parser.add_argument("--seeds", type=int, default=0, help="repetitions, instead of what --quick or --full imply")
    parser.add_argument("--out", type=pathlib.Path, default=RESULTS, help="where NAME.json goes")
    parser.add_argument("names", nargs="*", help="only these programs")
    if extend:
        extend(parser)
    chosen = parser.parse_args()
    chosen.build = chosen.build.resolve()
    chosen.heddle = chosen.build / "bin" / "heddle"
    return chosen


def pick(chosen, quick, usual, full):
    """One of three sizes, by --quick and --full."""
    return quick if chosen.quick else full if chosen.full else usual


def programs(suite, names=()):
    """The entries of bench/programs/manifest.py for one directory."""
    listed = json.loads(subprocess.check_output([sys.executable, str(HERE / "programs" / "manifest.py"), "--suite", suite]))
    return [entry for entry in listed if not names or entry["name"] in names]


def compile_program(entry, build, where, fixed=False, wrapped=None, defines=()):
    """Compiles a program of the manifest: by heddle-cc where its bug needs single accesses, unless `wrapped` says otherwise. `defines`: NAME=value, besides its own."""
    source = HERE / "programs" / entry["source"]
    cpp = source.suffix == ".cpp"
    if wrapped if wrapped is not None else entry["granularity"] == "access":
        compiler = str(build / "bin" / ("heddle-c++" if cpp else "heddle-cc"))
    else:
        compiler = "g++" if cpp else "gcc"
    program = pathlib.Path(where) / (entry["name"] + (".fixed" if fixed else ""))
    flags = ["-O1", "-g", "-pthread", "-std=c++20" if cpp else "-std=gnu11"]
    flags += [f"-D{name}={value}" for name, value in entry["defines"].items()] + (["-DFIXED"] if fixed else [])
    flags += [f"-D{define}" for define in defines]
    subprocess.run([compiler, *flags, str(source), "-o", str(program), "-lm"], check=True, capture_output=True)
    return program


def answer(command, where, timeout=300):
    """The JSON that a heddle command prints, or None when it says nothing sensible in time."""
    try:
        done = subprocess.run([str(word) for word in command], cwd=where, capture_output=True, text=True, timeout=timeout)
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def seconds(action, times=1):
    """Median duration of `action()` over `times` calls, and all of them."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken), taken


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def geometric_mean(values):
    return math.exp(mean([math.log(value) for value in values])) if values else float("nan")


def median(values):
    return statistics.median(values) if values else float("nan")


def spread(values):
    """Lower and upper quartile: what stands behind a median."""
    if len(values) < 2:
        return (values[0], values[0]) if values else (float("nan"),) * 2
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    return {"processor": model, "processors": os.cpu_count(), "kernel": platform.release(), "load": round(os.getloadavg()[0], 2)}


class Table:
    """Prints rows as they come and keeps them for the JSON. Columns: (field, format) or (field, format, heading)."""

    def __init__(self, name, chosen, columns, note=""):
        self.name, self.chosen, self.rows, self.missing = name, chosen, [], []
        self.columns = [(column[0], column[1], column[2] if len(column) > 2 else column[0].replace("_", " ")) for column in columns]
        self.machine = machine()
        self.widths = [max(len(heading), 28 if index == 0 else 9) for index, (_, _, heading) in enumerate(self.columns)]
        size = pick(chosen, "quick", "usual", "full")
        where = self.machine
        print(f"{name} ({size}): {where['processor']}, {where['processors']} processors, load {where['load']}. {note}".rstrip())
        print("  ".join(self._cell(heading, index) for index, (_, _, heading) in enumerate(self.columns)), flush=True)

    def _cell(self, text, index):
        return text.ljust(self.widths[index]) if index == 0 else text.rjust(self.widths[index])

    def row(self, **fields):
        self.rows.append(fields)
        shown = []
        for index, (field, form, _) in enumerate(self.columns):
            value = fields.get(field)
            shown.append(self._cell("-" if value is None else form.format(value), index))
        print("  ".join(shown), flush=True)

    def lost(self, what):
        """Something that was to be measured was not. Whoever calls the script must learn of it: a table that shrinks looks like one that fits."""
        self.missing.append(what)
        print(what, flush=True)

    def finish(self, **summary):
        if not self.rows and not self.missing:
            self.lost("nothing was measured")
        for name, value in summary.items():
            print(f"{name.replace('_', ' ')}: {value:.3g}" if isinstance(value, float) else f"{name.replace('_', ' ')}: {value}")
        self.chosen.out.mkdir(parents=True, exist_ok=True)
        document = {"name": self.name, "size": pick(self.chosen, "quick", "usual", "full"), "machine": self.machine,
                    "command": "./dev bench " + " ".join([self.name, *(a for a in sys.argv[1:] if a.startswith("--") and a[2:] in ("quick", "full"))]),
                    "summary": summary, "rows": self.rows}
        path = self.chosen.out / f"{self.name}.json"
        path.with_suffix(".tmp").write_text(json.dumps(document, indent=1) + "\n")
        path.with_suffix(".tmp").replace(path)
        if self.missing:
            print(f"{self.name}: not measured: {'; '.join(self.missing)}", file=sys.stderr)
        return 1 if self.missing else 0
