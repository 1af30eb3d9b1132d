#!/usr/bin/env python3
"""Bugs found among those put into working programs, as RaceBench does it: the default search beside POS, SURW, PCT and the random walk.

bench/programs/inject has six kernels of 10^4 to 10^6 accesses and 4 to 16 threads, each with 20 bugs of two to six steps (machines.h). Each search
has 500 runs and one core. A row: bugs found of those tried by each strategy, and for the default the mean number of runs to those it found; `false`:
what the program without a bug was said to have. A search that is not over after a minute has found nothing, and is counted as late.
"""
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import _bench

PROGRAMS = ["product", "bodies", "sorting", "counting", "packing", "walking"]
STRATEGIES = ["default", "pos", "surw", "pct", "random"]
BUGS = 20


def search(chosen, program, strategy, bug, runs, seconds):
    with tempfile.TemporaryDirectory() as where:
        command = [chosen.heddle, "find", "--json", "--jobs", 1, "--executions", runs, "--time", seconds]
        command += ["--strategy", strategy] if strategy != "default" else []
        return _bench.answer([*command, "--", program, bug], where, seconds + 60)


def measure(chosen, table, name, where, bugs, runs, seconds):
    entry = {"name": name, "source": f"inject/{name}.c", "granularity": "access", "defines": {}}
    program = _bench.compile_program(entry, chosen.build, where)
    fields, late, lost = {"program": name, "bugs": len(bugs)}, 0, 0
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        for strategy in STRATEGIES:
            answers = list(pool.map(lambda bug, s=strategy: search(chosen, program, s, bug, runs, seconds), bugs))
            lost += sum(1 for answer in answers if answer is None)
            answers = [answer for answer in answers if answer is not None]
            found = [answer for answer in answers if answer["verdict"] == "failure"]
            late += sum(1 for answer in answers if answer["verdict"] != "failure" and answer["find"]["executions"] < runs)
            fields[strategy] = len(found)
            if strategy == "default":
                fields["runs"] = _bench.mean([answer["find"]["executions"] for answer in found]) if found else None
                fields["execution"] = [[bug, answer["find"]["executions"]] for bug, answer in zip(bugs, answers) if answer in found]
    control = search(chosen, program, "default", 0, runs, seconds)
    if control is None or lost:
        table.lost(f"{name}: no answer")
        return None
    fields["false"] = control["verdict"] if control["verdict"] == "failure" else "-"
    fields["late"] = late
    table.row(**fields)
    return fields


def main():
    chosen = _bench.options(__doc__)
    runs = _bench.pick(chosen, 40, 500, 500)
    seconds = _bench.pick(chosen, 20, 60, 600)
    bugs = _bench.pick(chosen, [1, 2], list(range(1, BUGS + 1)), list(range(1, BUGS + 1)))
    columns = [("program", "{}"), ("bugs", "{}"), *((s, "{}") for s in STRATEGIES), ("runs", "{:.1f}", "runs, default"), ("late", "{}"), ("false", "{}")]
    table = _bench.Table("inject", chosen, columns, f"{runs} runs a search, {seconds} s at most")
    totals = dict.fromkeys(STRATEGIES, 0)
    with tempfile.TemporaryDirectory() as where:
        for name in chosen.names or PROGRAMS:
            fields = measure(chosen, table, name, pathlib.Path(where), bugs, runs, seconds)
            for strategy in STRATEGIES if fields else ():
                totals[strategy] += fields[strategy]
    return table.finish(**totals)


if __name__ == "__main__":
    sys.exit(main())
