#!/usr/bin/env python3
"""Bugs met of 20 planted in each of eight kernels, in RaceBench's manner and as it counts: all are in the program at once, none ends the run, and what counts is how
many different ones were met in 500 runs. The default search beside POS, SURW, PCT, the random walk and the uniform walk.

The kernels (bench/programs/planted) have 4 to 8 threads. TUNED were looked at while the default was changed, the others were not. A row: bugs met by
each strategy, mean over the seeds; the processor seconds of a run of the default's search (its learning and the tool's own work included), and what that is of a run of the same program under gcc's ThreadSanitizer.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import _bench

TUNED = ["pricing", "annealing", "deflating", "chunking"]
OTHERS = ["clustering", "flowing", "rendering", "encoding"]
STRATEGIES = ["default", "pos", "surw", "pct", "random", "walk"]
HERE = pathlib.Path(__file__).resolve().parent / "programs" / "planted"


def compile_kernel(chosen, name, where, tsan=False):
    source = next(HERE.glob(f"{name}.c*"))
    cpp = source.suffix == ".cpp"
    compiler = ["g++" if cpp else "gcc", "-fsanitize=thread"] if tsan else [chosen.build / "bin" / ("heddle-c++" if cpp else "heddle-cc")]
    program = pathlib.Path(where) / (name + (".tsan" if tsan else ""))
    flags = ["-O1", "-g", "-pthread", "-std=c++20" if cpp else "-std=gnu11", "-D_GNU_SOURCE", f'-DPLANTED="planted_{name}.h"', f"-I{HERE}"]
    subprocess.run([*compiler, *flags, source, "-o", program, "-lm"], check=True, capture_output=True)
    return program


def spent():
    """Processor seconds of all children so far: a busy machine does not change them much."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def under_tsan(program):
    """Processor seconds of a run, the best of three."""
    taken = []
    for _ in range(3):
        start = spent()
        subprocess.run([program], capture_output=True, env={**os.environ, "TSAN_OPTIONS": "report_bugs=0"})
        taken.append(spent() - start)
    return min(taken)


def search(chosen, program, strategy, seed, runs):
    with tempfile.TemporaryDirectory() as where:
        met = pathlib.Path(where) / "met"
        os.environ["PLANTED_MET"] = str(met)
        command = [chosen.heddle, "find", "--json", "--jobs", 1, "--keep-going", "--real-files", "--seed", seed, "--executions", runs, "--time", chosen.limit]
        command += ["--strategy", strategy] if strategy != "default" else []
        start = spent()
        answer = _bench.answer([*command, "--", program], where, chosen.limit + 60)
        used = spent() - start
        bits = 0
        for line in met.read_text().splitlines() if met.exists() else ():
            bits |= int(line, 16)
    return answer and {"met": bin(bits).count("1"), "which": [bug for bug in range(20) if bits >> bug & 1], "runs": answer["find"]["executions"],
                       "seconds": answer["find"]["seconds"], "cpu": used, "verdict": answer["verdict"]}


def measure(chosen, table, name, where, runs, seeds):
    program = compile_kernel(chosen, name, where)
    fields = {"program": name, "tuned": "yes" if name in TUNED else "no"}
    for strategy in chosen.strategies:
        answers = [search(chosen, program, strategy, seed, runs) for seed in range(1, seeds + 1)]
        if None in answers:
            table.lost(f"{name} {strategy}: no answer")
            return None
        fields[strategy] = _bench.mean([a["met"] for a in answers])
        fields[f"{strategy}_all"] = answers
        if strategy == "default":
            fields["seconds"] = sum(a["cpu"] for a in answers) / sum(a["runs"] for a in answers)
            fields["tsan"] = fields["seconds"] / under_tsan(compile_kernel(chosen, name, where, tsan=True))
    fields["any"] = len({bug for s in chosen.strategies for a in fields[f"{s}_all"] for bug in a["which"]})
    fields["late"] = sum(1 for s in chosen.strategies for a in fields[f"{s}_all"] if a["runs"] < runs)
    table.row(**fields)
    return fields


def options():
    def extend(parser):
        parser.add_argument("--strategies", nargs="*", default=STRATEGIES)
        parser.add_argument("--runs", type=int, default=0, help="of one search")
        parser.add_argument("--limit", type=int, default=300, help="seconds for one search")

    return _bench.options(__doc__, extend)


def main():
    chosen = options()
    runs = chosen.runs or _bench.pick(chosen, 20, 500, 500)
    seeds = chosen.seeds or _bench.pick(chosen, 1, 1, 5)
    columns = [("program", "{}"), ("tuned", "{}"), *((s, "{:.1f}") for s in chosen.strategies), ("any", "{}", "met by any"), ("seconds", "{:.3f}", "cpu s/run"),
               ("tsan", "{:.2f}", "of tsan"), ("late", "{}")]
    table = _bench.Table("planted", chosen, columns, f"{runs} runs a search, {seeds} seeds.")
    totals = dict.fromkeys(chosen.strategies, 0.0)
    with tempfile.TemporaryDirectory() as where:
        for name in chosen.names or (["chunking"] if chosen.quick else TUNED + OTHERS):
            fields = measure(chosen, table, name, where, runs, seeds)
            for strategy in chosen.strategies if fields else ():
                totals[strategy] += fields[strategy]
    return table.finish(**totals)


if __name__ == "__main__":
    sys.exit(main())
