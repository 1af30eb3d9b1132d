#!/usr/bin/env python3
"""What control costs: one execution, one scheduling point, whole programs; and how it grows with threads, events and memory.

usage: engine.py [--build DIR] [--quick | --full] [GROUP...]        groups: execution point program disk threads events memory

Every row has its rival beside it, measured in the same call on the same core: the same program started natively by posix_spawn, one after
the other. A time is that of the quickest of many executions, on one core: what it takes when nobody else wants the core. The results
hold the lowest tenth, the median and the highest tenth beside it. Whole programs are compared by processor time.
"""
import functools
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import _bench

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent / "tests" / "corpus"
CORE = max(os.sched_getaffinity(0))


def on_one_core():
    os.sched_setaffinity(0, {CORE})


def ask(command, where):
    done = subprocess.run([str(word) for word in command], cwd=where, capture_output=True, text=True, preexec_fn=on_one_core)
    return json.loads(done.stdout) if done.returncode == 0 else None


class Lab:
    def __init__(self, options, where):
        self.options, self.where = options, pathlib.Path(where)
        for name in ("small", "grow", "spawn", "timed"):
            subprocess.run(["gcc", "-O1", "-pthread", HERE / "engine" / f"{name}.c", "-o", self.where / name], check=True)

    @functools.cached_property
    def measure(self):
        if (self.options.build / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "--build", self.options.build, "-t", "heddle-measure"], check=True, stdout=subprocess.DEVNULL)
        return self.options.build / "bin" / "heddle-measure"

    def ours(self, runs, program, policy="random:0", mode="server"):
        return ask([self.measure, runs, policy, mode, *self.words(program)], self.where)

    def native(self, runs, program):
        return ask([self.where / "spawn", runs, *self.words(program)], self.where)

    def words(self, program):
        return [self.where / program[0], *program[1:]]


def compare(lab, table, group, what, program, runs, goal, policy="random:0", mode="server", rival_runs=None):
    """One execution of ours beside one of the rival's."""
    ours, rival = lab.ours(runs, program, policy, mode), lab.native(rival_runs or max(5, runs // 2), program)
    if not ours or not rival:
        table.lost(f"{what}: failed")
        return None
    table.row(group=group, what=what, ours=ours["best"] * 1e3, rival=rival["best"] * 1e3, ratio=rival["best"] / ours["best"], goal=goal, details=ours,
              rival_details=rival)
    return ours


def executions(lab, table, runs):
    small = ("small",)
    compare(lab, table, "execution", "small program, 3 threads", small, runs, "8x the rival")
    compare(lab, table, "execution", "the same, a fresh process each", small, max(5, runs // 10), "-", mode="fresh")
    compare(lab, table, "execution", "100 MB touched before the threads", ("grow", 3, 3, 100), max(5, runs // 10), "-")
    compare(lab, table, "execution", "1 GB touched before the threads", ("grow", 3, 3, 1024), max(5, runs // 20), "3 ms", rival_runs=3)
    floor = ask([lab.where / "spawn", runs, "-"], lab.where)
    if not floor:
        table.lost("the floor: failed")
    else:
        table.row(group="execution", what="a fork that ends at once, the floor", rival=floor["best"] * 1e3, goal="-", rival_details=floor)
    points = ("grow", 3, 2000, 0)
    compare(lab, table, "execution", "12,000 points, 8,000 switches", points, max(10, runs // 5), "1 ms")
    near = compare(lab, table, "execution", "the same from a snapshot near its end", points, max(10, runs // 5), "0.2 ms", mode="snapshot")
    return near["from_snapshots"] if near else 0


def points(lab, table, runs):
    """Cycles that the program itself counts, so that reading the trace is not in it. Runs of a few milliseconds: of many such, some have the
    core for themselves even on a busy machine."""
    rounds, native_rounds = 10000, 300000
    alone, apart = ("grow", 1, 3 * rounds, 0), ("grow", 3, rounds, 0)
    native, empty = lab.native(20, ("grow", 1, native_rounds, 0)), lab.native(40, ("grow", 1, 1, 0))
    stays, switches = lab.ours(runs, alone, "stay"), lab.ours(runs, apart, "random:0")
    if not (native and empty and stays and switches):
        table.lost("points: failed")
        return
    ns = 1e9 / native["rate"]
    plain = (native["best"] - empty["best"]) * 1e9 / (2 * native_rounds)
    without = stays["said"] * ns / stays["events"]
    each = switches["said"] * ns / switches["events"]
    share = switches["switches"] / switches["events"]
    with_switch = (each - without * (1 - share)) / share
    for what, value, goal in (("a point without a switch", without, "60 ns"), ("a point with a switch", with_switch, "100 ns")):
        table.row(group="point", what=f"{what}: {value:.0f} ns", ours=value / 1e6, rival=plain / 1e6, ratio=plain / value, goal=goal,
                  nanoseconds=value, native_nanoseconds=plain)


def real_programs(lab, table, names, times):
    """The programs of the corpus under `run` and `record`, against themselves on one core. Whatever else their command starts is not counted."""
    work, times_file = lab.where / "corpus", lab.where / "seconds"
    heddle = lab.options.heddle.resolve()
    ways = {"native": "", "run": f"{heddle} run --policy random --seed 1 --", "record": f"{heddle} record --"}
    known = [line.split("\t")[0] for line in (CORPUS / "corpus.tsv").read_text().splitlines() if line and not line.startswith("#")]
    slower = {"run": [], "record": []}
    for name in names or known:
        taken = {way: [] for way in ways}
        for _ in range(times):  # in turn, so that all see the same load
            for way, launcher in ways.items():
                times_file.unlink(missing_ok=True)
                done = subprocess.run([CORPUS / "run.sh", work, name], env=dict(os.environ, RUN=f"{lab.where / 'timed'} {times_file} {launcher}"),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=on_one_core)
                if done.returncode == 0 and times_file.exists():
                    taken[way].append(sum(float(line) for line in times_file.read_text().split()))
        if not all(taken.values()):
            table.lost(f"{name}: failed, or not installed")
            continue
        for way in slower:
            ratio = min(taken[way]) / min(taken["native"])
            slower[way].append(ratio)
            table.row(group="program", what=f"{name}, {way}", ours=min(taken[way]) * 1e3, rival=min(taken["native"]) * 1e3, ratio=1 / ratio,
                      goal="1.3x median", slower=ratio)
    summary = {f"slower_under_{way}": _bench.median(values) for way, values in slower.items() if values}
    summary.update({f"slowest_under_{way}": max(values) for way, values in slower.items() if values})
    return summary


def on_disk(lab, table, events):
    trace = lab.where / "trace"
    command = [lab.options.heddle, "run", "--policy", "random", "--seed", "1", "--max-events", "1000000000", "--save", trace, "--",
               *lab.words(("grow", 4, events // 8, 0))]
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=on_one_core)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0 or not trace.exists():
        table.lost(f"{events:,} events on disk: failed")
        return
    each = trace.stat().st_size / events
    table.row(group="disk", what=f"{events:,} events kept on disk", ours=(used.ru_utime + used.ru_stime) * 1e3, goal="4 bytes an event",
              bytes_an_event=each, tool_kb=used.ru_maxrss)
    print(f"  {each:.3f} bytes an event on disk, the tool's memory {used.ru_maxrss / 1024:.0f} MB")


def exponent(pairs):
    """Slope of the line through the logarithms, by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in pairs if y > 0]
    if len(logs) < 2:
        return float("nan")
    mx, my = _bench.mean([x for x, _ in logs]), _bench.mean([y for _, y in logs])
    return sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)


def grow(lab, table, group, values, program, runs):
    pairs = []
    for value in values:
        many = runs(value)
        ours, rival = lab.ours(many, program(value)), lab.native(max(3, min(many, 20)), program(value))
        if not ours:
            table.lost(f"{value:,} {group}: failed")
            continue
        table.row(group=group, what=f"{value:,} {group}", ours=ours["best"] * 1e3, rival=rival["best"] * 1e3 if rival else None,
                  ratio=rival["best"] / ours["best"] if rival else None, x=value, a_second=1 / ours["best"], tool_kb=ours["tool_kb"], details=ours)
        pairs.append((value, ours["best"] * 1e3))
    # The knee: the exponent over the upper half of the curve, where what does not grow no longer counts.
    return {f"exponent_{group}": exponent(pairs), f"exponent_{group}_upper": exponent(pairs[len(pairs) // 2:])}


def main():
    options = _bench.options(__doc__)
    wanted = set(options.names)
    table = _bench.Table("engine", options, [("what", "{}"), ("ours", "{:.3f}", "ours ms"), ("rival", "{:.3f}", "rival ms"), ("ratio", "{:.2f}"), ("goal", "{}")],
                         note="The quickest of many executions.")
    summary = {}
    free_mb = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemAvailable")) // 1024
    size = lambda quick, usual, full: _bench.pick(options, quick, usual, full)
    with tempfile.TemporaryDirectory() as where:
        lab = Lab(options, where)
        asked = lambda group: not wanted or group in wanted
        if asked("execution"):
            summary["runs_from_snapshots"] = executions(lab, table, size(150, 600, 2000))
        if asked("point"):
            points(lab, table, size(50, 200, 600))
        if asked("program"):
            summary.update(real_programs(lab, table, size(["pigz", "xz", "sqlite3"], [], []), size(1, 3, 5)))
        if asked("disk"):
            on_disk(lab, table, size(10**6, 10**7, 10**7))
        if asked("threads"):
            summary.update(grow(lab, table, "threads", size([2, 32, 450], [2, 8, 32, 128, 450, 1000], [2, 4, 8, 16, 32, 64, 128, 256, 450, 1000]),
                                lambda n: ("grow", n, 3, 0), lambda n: max(5, size(100, 400, 2000) // n)))
        if asked("events"):
            summary.update(grow(lab, table, "events", [10**k for k in range(2, size(5, 7, 7) + 1)], lambda n: ("grow", 4, max(1, n // 8), 0),
                                lambda n: max(3, min(size(50, 200, 1000), 2 * 10**6 // n))))
        if asked("memory"):
            values = [mb for mb in size([1, 16, 128], [1, 4, 16, 64, 256, 1024], [1, 4, 16, 64, 256, 1024, 4096]) if mb * 2 < free_mb]
            summary.update(grow(lab, table, "memory", values, lambda mb: ("grow", 3, 3, mb), lambda mb: max(5, size(40, 200, 500) // max(1, mb // 8))))
    return table.finish(**summary)


if __name__ == "__main__":
    sys.exit(main())
