#!/usr/bin/env python3
"""Removal of whole threads beside LEAN (Huang & Zhang, OOPSLA 2012): Tables 2 to 4 on our drivers, and 450 threads of which two matter.

A row: a failing run found by uniform random walks (by the default search where 1,000 of them find none: Tsp) and what `heddle reduce` left of it, events, threads, switches, seconds of one replay of each;
rounds (a round is two runs, or three where the first sequential order does not come to the check), executions and seconds of the reduction; the paper's figures beside them. The paper's sizes are bytes
of its log, ours are events: what compares is the share that is left.

The last rows place the two threads that matter at random among 450, another place for each seed: rounds and seconds, median.
"""
import contextlib
import random
import sys
import tempfile

import _bench

# Tables 2 and 4: threads before and after, switches before and after, size left in %, replay seconds before and after, rounds, seconds.
PAPER = {
    "BuggyPro": (34, 4, 1003, 28, 2.9, 1.27, 0.039, 6, 8),
    "Tsp": (5, 3, 9190, 4588, 50.1, 280, 115, 2, 199),
    "ArrayList": (451, 3, 2381, 10, 0.4, 6.5, 0.020, 18, 55),
    "LinkedList": (451, 3, 2564, 10, 0.3, 7.2, 0.022, 18, 58),
    "OpenJMS": (36, 7, 7287, 415, 1.5, 606, 16.3, 13, 4265),
    "Tomcat": (13, 4, 3543, 111, 3.3, 206, 3.3, 5, 1082),
    "Jigsaw": (11, 3, 2322, 64, 2.0, 154, 2.4, 4, 630),
    "Derby": (11, 3, 6439, 433, 2.2, 466, 10.2, 4, 1841),
}
THREADS = 450


def one(options, program, seed, where, arguments=()):
    """A failing run and its reduction, or None. Where random walks do not find one soon, the default search does."""
    for how in (["--strategy", "walk", "--executions", 1000], ["--executions", 20000]):
        found = _bench.answer([options.heddle, "find", "--json", *how, "--seed", seed, "--time", 20, "--", program, *arguments], where)
        if found and found["verdict"] == "failure":
            break
    else:
        return None
    bug = found["bug"].rsplit("/", 1)[1]
    reduced = _bench.answer([options.heddle, "reduce", bug, "--found", "--json", "--time", 300], where, timeout=600)
    if not reduced:
        return None
    return {"seed": seed, "bug": bug, "found": found["found"], "strategy": found["find"]["strategy"], "reduced": reduced["reduced"], "reduce": reduced["reduce"]}


def replay_seconds(options, bug, which, where):
    """Seconds of one replay: many in one call, less one call with one."""
    def replays(times):
        return _bench.seconds(lambda: _bench.answer([options.heddle, "replay", bug, which, "--json", "--repeat", times], where), 3)[0]
    times = 20
    return max(0.0, (replays(1 + times) - replays(1)) / times)


def main():
    options = _bench.options(__doc__)
    columns = [("program", "{}"), ("traces", "{}"), ("threads", "{:.1f}"), ("left", "{:.1f}", "-> left"), ("switches", "{:.1f}"),
               ("switches_left", "{:.1f}", "-> left"), ("size_left", "{:.1f}%", "size left"), ("replay", "{:.4f}", "replay s"),
               ("replay_left", "{:.4f}", "-> s"), ("rounds", "{:.1f}"), ("executions", "{:.1f}", "execs"), ("seconds", "{:.2f}")]
    table = _bench.Table("reduce", options, columns, "Means over failing traces.")
    wanted = options.seeds or _bench.pick(options, 1, 5, 30)
    positions = []
    with tempfile.TemporaryDirectory() as built:
        for entry in _bench.programs("lean", options.names):
            threads, left, switches, switches_left, size_left, replay, replay_left, rounds, seconds = PAPER[entry["row"]]
            table.row(program=f"{entry['row']}: paper", traces=1, threads=threads, left=left, switches=switches, switches_left=switches_left,
                      size_left=size_left, replay=replay, replay_left=replay_left, rounds=rounds, seconds=seconds)
            program = _bench.compile_program(entry, options.build, built)
            with contextlib.ExitStack() as stack:  # a directory for each: a search goes on from what it knows
                places = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(wanted)]
                samples = [s for s in (one(options, program, seed, where) for seed, where in enumerate(places, 1)) if s]
                if not samples:
                    table.lost(f"{entry['row']}: no failing trace")
                    continue
                where = places[samples[-1]["seed"] - 1]
                mean = lambda part, field: _bench.mean([s[part][field] for s in samples])
                table.row(program=f"{entry['row']}: heddle", traces=len(samples), threads=mean("found", "threads"), left=mean("reduced", "threads"),
                          switches=mean("found", "switches"), switches_left=mean("reduced", "switches"),
                          size_left=_bench.mean([100 * s["reduced"]["events"] / s["found"]["events"] for s in samples]),
                          replay=replay_seconds(options, samples[-1]["bug"], "--found", where),
                          replay_left=replay_seconds(options, samples[-1]["bug"], "--reduced", where), rounds=mean("reduce", "rounds"),
                          executions=mean("reduce", "executions"), seconds=mean("reduce", "seconds"),
                          sequential_bug=any(s["reduce"]["sequential_bug"] for s in samples), samples=samples)
            if entry["row"] in ("ArrayList", "LinkedList"):
                positions.append((entry, program))
        summary = {}
        for entry, program in positions:
            chosen = random.Random(entry["row"])
            places = [chosen.sample(range(THREADS), 2) for _ in range(options.seeds or _bench.pick(options, 3, 10, 30))]
            samples = []
            for seed, place in enumerate(places, 1):
                with tempfile.TemporaryDirectory() as where:
                    samples += filter(None, [one(options, program, seed, where, place)])
            if not samples:
                table.lost(f"{entry['row']}, two of 450: no failing trace")
                continue
            rounds = [s["reduce"]["rounds"] for s in samples]
            table.row(program=f"{entry['row']}: two of 450 at random", traces=len(samples), threads=_bench.mean([s["found"]["threads"] for s in samples]),
                      left=_bench.median([s["reduced"]["threads"] for s in samples]), rounds=_bench.median(rounds),
                      executions=_bench.median([s["reduce"]["executions"] for s in samples]),
                      seconds=_bench.median([s["reduce"]["seconds"] for s in samples]), places=places, samples=samples)
            low, high = _bench.spread(rounds)
            summary[f"{entry['row']}_rounds"] = f"median {_bench.median(rounds)}, quartiles {low} to {high}, worst {max(rounds, default=0)}"
    return table.finish(**summary)


if __name__ == "__main__":
    sys.exit(main())
