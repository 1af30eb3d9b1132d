#!/usr/bin/env python3
"""Finding and simplifying beside bounded search (Jalbert & Sen, FSE 2010, Table 3) on the eleven re-created programs.

The paper sets race-directed random testing with simplification against CHESS with a preemption bound of 2, cut off at 10,000
executions, at the same scheduling points. A row: executions and seconds to find a failure and to simplify it (`--strategy race`, then
the default simplification without its proof; means over N seeds), executions and seconds of `--strategy bounded --depth 2` until it finds
a failure or is cut off, and whether it found one. The paper's row stands first; ratios are ours over the paper's.
"""
import pathlib
import sys
import tempfile

import _bench

# Table 3: executions and seconds to find and simplify; executions and seconds of CHESS; whether it found the bug.
PAPER = {
    "bbuf": (300, 19.5, 2081, 183.1, "yes"),
    "blackscholes": (85, 12.8, 10000, 1250.8, "no"),
    "bzip2": (66, 166.2, 10000, 25025.5, "no"),
    "canneal": (464, 79.0, 10000, 1789.4, "no"),
    "ctrace": (252, 21.5, 165, 22.0, "yes"),
    "dedup": (51, 92.5, 10000, 14447.4, "no"),
    "pbzip2": (83, 41.9, 21, 3.9, "yes"),
    "pfscan": (110, 12.3, 10000, 2135.2, "no"),
    "streamcluster": (2591, 769.9, 7, 4.8, "yes"),
    "swarm": (1334, 1659.8, 10000, 3392.2, "no"),
    "x264": (193, 1177.0, 10000, 137484.6, "no"),
}
CUT_OFF = 10_000


def find(options, program, strategy, seed, executions, where, *more):
    return _bench.answer([options.heddle, "find", "--json", "--strategy", strategy, "--seed", seed, "--executions", executions, *more, "--",
                          program], where, timeout=900)


def found_and_simplified(options, program, seed):
    """(executions, seconds) until the simplified trace is there, or None."""
    with tempfile.TemporaryDirectory() as where:
        found = find(options, program, "race", seed, CUT_OFF, where)
        if not found or found["verdict"] != "failure":
            return None
        said = _bench.answer([options.heddle, "simplify", pathlib.Path(found["bug"]).name, "--json", "--certificate", 0], where)
        if not said:
            return None
        return (found["find"]["executions"] + said["simplify"]["executions"], found["find"]["seconds"] + said["simplify"]["seconds"])


def main():
    options = _bench.options(__doc__)
    seeds = options.seeds or _bench.pick(options, 1, 10, 30)
    cut_off = _bench.pick(options, 500, CUT_OFF, CUT_OFF)
    columns = [("program", "{}"), ("seeds", "{}"), ("executions", "{:.0f}", "execs"), ("seconds", "{:.2f}"), ("bounded", "{:.0f}", "bounded"),
               ("bounded_seconds", "{:.2f}", "seconds"), ("bug", "{}"), ("ratio", "{:.2f}", "execs / paper")]
    table = _bench.Table("bounded", options, columns, f"Bounded search is cut off at {cut_off} executions.")
    better = []
    with tempfile.TemporaryDirectory() as built:
        for entry in _bench.programs("tinertia", options.names):
            executions, seconds, bounded, bounded_seconds, bug = PAPER[entry["row"]]
            table.row(program=f"{entry['row']}: paper", seeds=30, executions=executions, seconds=seconds, bounded=bounded,
                      bounded_seconds=bounded_seconds, bug=bug)
            program = _bench.compile_program(entry, options.build, built)
            samples = list(filter(None, (found_and_simplified(options, program, seed) for seed in range(1, seeds + 1))))
            with tempfile.TemporaryDirectory() as where:
                said = find(options, program, "bounded", 1, cut_off, where, "--depth", 2)
            if not samples or not said:
                table.lost(f"{entry['row']}: no failing trace, or no answer")
            mean = _bench.mean([s[0] for s in samples]) if samples else None
            table.row(program=f"{entry['row']}: heddle", seeds=len(samples), executions=mean,
                      seconds=_bench.mean([s[1] for s in samples]) if samples else None, bounded=said["find"]["executions"] if said else None,
                      bounded_seconds=said["find"]["seconds"] if said else None,
                      bug=("yes" if said["verdict"] == "failure" else "no") if said else None, ratio=mean / executions if samples else None,
                      samples=samples)
            if said and samples and said["verdict"] == "failure" and said["find"]["executions"] < mean:
                better.append(entry["row"])
    return table.finish(bounded_search_is_cheaper_on=", ".join(better) or "none")


if __name__ == "__main__":
    sys.exit(main())
