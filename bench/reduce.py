#!/usr/bin/env python3
"""Removal of threads and of iterations beside LEAN (Huang & Zhang, OOPSLA 2012): Tables 2 to 5 on our drivers, and 450 threads of which two matter.

A row: a failing run found by uniform random walks (by the default search where 1,000 of them find none: Tsp) and what `heddle reduce` left of it, events, threads, switches, iterations, seconds of one replay of each from
the program's first thread on; rounds (a round is two runs, or three where the first sequential order does not come to the check) for threads and for iterations, up to the result as the paper's Figs. 8 and 9 count, and with those that
make 1-minimality sure ("all"); loops that were found and those that were really redundant (Table 4, RCB), executions and seconds of the reduction; the paper's figures beside them. The paper's sizes are bytes
of its log, ours are events: what compares is the share that is left. "threads %", "loops %" and "slicing %" are the shares of the size that went with threads, with iterations and with statements (Table 3);
"statements" are executed ones, of what threads and iterations left (only where the program is built by heddle-cc with clang: the rows "late, marked"). "ER %" is what Execution Reduction
alone takes away from the same run (Table 5): `reduce --by dependence`, in the rows "late".

"late" is the long form of a driver (bench/programs/lean/late.h): its bug needs the seventh iteration or a later one, and a whole run has at least 10^5 events (10^4 with --quick, 10^6 with --full).

Below: the rounds of Figs. 8 and 9, the paper's Derby and ours.

The last rows place the two threads that matter at random among 450, another place for each seed: rounds and seconds, median.
"""
import contextlib
import os
import random
import sys
import tempfile
import unittest.mock

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
# Tables 3 and 4: shares of the size that go with threads and with repetitions, rounds and seconds for the repetitions, loops found and really redundant.
PAPER_LOOPS = {
    "OpenJMS": (78.2, 15.5, 11, 152, 1, 1),
    "Tomcat": (61.9, 24.0, 12, 55, 1, 1),
    "Jigsaw": (79.4, 13.4, 10, 37, 1, 1),
    "Derby": (79.8, 12.3, 10, 200, 1, 1),
}
# Table 4: loops found, and really redundant.
PAPER_RCB = {"BuggyPro": (4, 0), "Tsp": (3, 0), "ArrayList": (None, None), "LinkedList": (None, None), "OpenJMS": (1, 1), "Tomcat": (1, 1), "Jigsaw": (1, 1), "Derby": (1, 1)}
# Table 3: the share of the size that goes with threads, and with slicing. Table 5: what Execution Reduction takes away.
PAPER_SLICING = {"BuggyPro": 0.2, "Tsp": 0.7, "OpenJMS": 5.7, "Tomcat": 11.0, "Jigsaw": 4.5, "Derby": 6.6}
PAPER_THREADS = {"BuggyPro": 96.9, "Tsp": 49.2, "ArrayList": 99.6, "LinkedList": 99.7}
PAPER_ER = {"BuggyPro": 2.1, "Tsp": 0.0, "ArrayList": 2.9, "LinkedList": 3.0, "OpenJMS": 10.2, "Tomcat": 6.9, "Jigsaw": 4.6, "Derby": 2.5}
# Drivers that repeat, with their threads: the long form does so much in each of its ten iterations that a run has the events asked for.
LATE = {"BuggyPro": 33, "Tsp": 4, "ArrayList": 450, "LinkedList": 450, "OpenJMS": 20, "Tomcat": 10, "Jigsaw": 10, "Derby": 10}
THREADS = 450


def one(options, program, seed, where, arguments=(), by_dependence=False):
    """A failing run and its reduction, or None. Where random walks do not find one soon, the default search does."""
    for how in (["--strategy", "walk", "--executions", 1000], ["--executions", 20000]):
        found = _bench.answer([options.heddle, "find", "--json", *how, "--seed", seed, "--time", 60, "--", program, *arguments], where)
        if found and found["verdict"] == "failure":
            break
    else:
        return None
    bug = found["bug"].rsplit("/", 1)[1]
    reduced = _bench.answer([options.heddle, "reduce", bug, "--found", "--json", "--time", 300], where, timeout=600)
    if not reduced:
        return None
    whole = _bench.answer([options.heddle, "reduce", bug, "--found", "--json", "--by", "dependence", "--time", 120], where, timeout=300) if by_dependence else None
    gone = 100 * (1 - whole["reduced"]["events"] / whole["found"]["events"]) if whole and whole.get("reduction", {}).get("dependences", {}).get("memory") else None
    return {"seed": seed, "bug": bug, "by_dependence": gone, "found": found["found"], "strategy": found["find"]["strategy"], "reduced": reduced["reduced"], "reduce": reduced["reduce"],
            "reduction": reduced["reduction"]}


def shares(sample):
    """Of the size of the whole run, in percent: what went with threads, with iterations, and with statements."""
    whole, reduce, left = sample["found"]["events"], sample["reduce"], sample["reduced"]["events"]
    after_threads = reduce["threads"]["events_left"]
    sliced = "statements" in sample["reduction"]
    after_iterations = reduce["iterations"]["events_left"] if sliced else left
    return [100 * (before - after) / whole for before, after in ((whole, after_threads), (after_threads, after_iterations), (after_iterations, left))]


def marked(entry, options, stack, defines):
    """The program with its statements marked: by heddle-cc with clang."""
    where = stack.enter_context(tempfile.TemporaryDirectory())
    clang = {"HEDDLE_CC": "clang", "HEDDLE_CXX": "clang++", "HEDDLE_STATEMENTS": "1"}
    with unittest.mock.patch.dict(os.environ, clang):
        return _bench.compile_program(entry, options.build, where, wrapped=True, defines=defines)


def our_row(options, table, name, samples):
    mean = lambda part, field: _bench.mean([s[part][field] for s in samples])
    stage = lambda which, field: _bench.mean([s["reduce"][which][field] for s in samples])
    statements = [s["reduction"]["statements"] for s in samples if "statements" in s["reduction"]]
    iterations = [s["reduction"]["iterations"] for s in samples if "iterations" in s["reduction"]]
    table.row(program=name, traces=len(samples), events=mean("found", "events"), threads=mean("found", "threads"), left=mean("reduced", "threads"),
              switches=mean("found", "switches"), switches_left=mean("reduced", "switches"),
              iterations=_bench.mean([i["before"] for i in iterations]) if iterations else None,
              iterations_left=_bench.mean([i["after"] for i in iterations]) if iterations else None,
              size_left=_bench.mean([100 * s["reduced"]["events"] / s["found"]["events"] for s in samples]),
              by_threads=_bench.mean([shares(s)[0] for s in samples]), by_iterations=_bench.mean([shares(s)[1] for s in samples]),
              by_statements=_bench.mean([shares(s)[2] for s in samples]) if statements else None,
              statements=_bench.mean([i["before"] for i in statements]) if statements else None,
              statements_left=_bench.mean([i["after"] for i in statements]) if statements else None,
              by_dependence=_bench.mean([s["by_dependence"] for s in samples if s["by_dependence"] is not None]) if any(s["by_dependence"] is not None for s in samples) else None,
              replay=_bench.mean([s["reduction"]["replay_seconds"]["before"] for s in samples]),
              replay_left=_bench.mean([s["reduction"]["replay_seconds"]["after"] for s in samples]),
              shorter=_bench.mean([s["reduction"]["replay_seconds"]["before"] / s["reduction"]["replay_seconds"]["after"] for s in samples]),
              rounds=stage("threads", "rounds_to_result"), all_rounds=stage("threads", "rounds"),
              iteration_rounds=stage("iterations", "rounds_to_result") if iterations else None,
              all_iteration_rounds=stage("iterations", "rounds") if iterations else None,
              loops=_bench.mean([s["reduce"]["loops"]["found"] for s in samples]) if iterations else None,
              redundant=_bench.mean([s["reduce"]["loops"]["redundant"] for s in samples]) if iterations else None, executions=mean("reduce", "executions"), seconds=mean("reduce", "seconds"),
              sequential_bug=any(s["reduce"]["sequential_bug"] for s in samples), samples=samples)


def failing_runs(options, program, wanted, stack, by_dependence):
    """Reduced failing runs, one for each seed."""
    places = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(wanted)]  # a search goes on from what it knows
    return [s for s in (one(options, program, seed, where, by_dependence=by_dependence) for seed, where in enumerate(places, 1)) if s]


# Figs. 8 and 9: what was kept in each round on Derby, and whether the bug was still there.
PAPER_FIGURES = {
    "threads": ["T1-T5 yes", "T1-T3 yes", "T1 T2 no", "T2 T3 yes"],
    "iterations": ["15 no", "15 yes", "13 yes", "12 no", "12 yes", "11 yes", "6 yes", "4 no", "3 yes", "2 yes"],
}


def print_figures(name, sample):
    """The rounds of one reduction, as the paper's Figs. 8 and 9 show Derby's: threads that were kept, then iterations."""
    print(f"\nrounds of {name} (after the last \"yes\" they make 1-minimality sure)")
    for stage in ("threads", "iterations"):
        rounds = [r for r in sample["reduce"]["history"] if r["stage"] == stage]
        what = lambda r: (" ".join(r["kept"][1:]) if r["threads"] <= 12 else f"{r['threads']} threads") if stage == "threads" else str(r.get("iterations"))
        print(f"  {stage}, paper:  " + " | ".join(PAPER_FIGURES[stage]))
        print(f"  {stage}, heddle: " + " | ".join(f"{what(r)} {'yes' if r['holds'] else 'no'}" for r in rounds))


def main():
    options = _bench.options(__doc__)
    columns = [("program", "{}"), ("traces", "{}"), ("events", "{:.0f}"), ("threads", "{:.1f}"), ("left", "{:.1f}", "-> left"), ("switches", "{:.1f}"),
               ("switches_left", "{:.1f}", "-> left"), ("iterations", "{:.1f}"), ("iterations_left", "{:.1f}", "-> left"), ("size_left", "{:.2f}%", "size left"), ("by_threads", "{:.1f}", "threads %"), ("by_iterations", "{:.1f}", "loops %"), ("by_statements", "{:.1f}", "slicing %"), ("statements", "{:.0f}"), ("statements_left", "{:.0f}", "-> left"), ("by_dependence", "{:.1f}", "ER %"),
               ("replay", "{:.4f}", "replay s"), ("replay_left", "{:.5f}", "-> s"), ("shorter", "{:.0f}x"), ("rounds", "{:.1f}"), ("all_rounds", "{:.1f}", "all"), ("iteration_rounds", "{:.1f}", "its rounds"), ("all_iteration_rounds", "{:.1f}", "all"),
               ("loops", "{:.0f}"), ("redundant", "{:.0f}", "redundant"),
               ("executions", "{:.1f}", "execs"), ("seconds", "{:.2f}")]
    table = _bench.Table("reduce", options, columns, "Means over failing traces.")
    wanted = options.seeds or _bench.pick(options, 1, 5, 30)
    work = _bench.pick(options, 5_000, 55_000, 550_000)  # locks in a whole late run: two events each
    positions, figures = [], []
    with tempfile.TemporaryDirectory() as built, tempfile.TemporaryDirectory() as built_late, contextlib.ExitStack() as stack_of_builds:
        for entry in _bench.programs("lean", options.names):
            threads, left, switches, switches_left, size_left, replay, replay_left, rounds, seconds = PAPER[entry["row"]]
            loops = PAPER_LOOPS.get(entry["row"])
            table.row(program=f"{entry['row']}: paper", traces=1, threads=threads, left=left, switches=switches, switches_left=switches_left,
                      size_left=size_left, replay=replay, replay_left=replay_left, shorter=replay / replay_left, rounds=rounds, seconds=seconds + (loops[3] if loops else 0),
                      iteration_rounds=loops[2] if loops else None, by_threads=loops[0] if loops else PAPER_THREADS[entry["row"]], by_iterations=loops[1] if loops else None,
                      loops=PAPER_RCB[entry["row"]][0], redundant=PAPER_RCB[entry["row"]][1],
                      by_statements=PAPER_SLICING.get(entry["row"]), by_dependence=PAPER_ER[entry["row"]])
            program = _bench.compile_program(entry, options.build, built)
            forms = [("heddle", program)]
            if entry["row"] in LATE:
                defines = ["LATE=6", f"WORK={work // (10 * LATE[entry['row']])}"]
                forms.append(("heddle, late", _bench.compile_program(entry, options.build, built_late, defines=defines)))
                forms.append(("heddle, late, marked", marked(entry, options, stack_of_builds, defines)))
            for form, built_program in forms:
                with contextlib.ExitStack() as stack:
                    samples = failing_runs(options, built_program, wanted, stack, by_dependence=form == "heddle, late")
                    if not samples:
                        table.lost(f"{entry['row']}: {form}: no failing trace")
                        continue
                    our_row(options, table, f"{entry['row']}: {form}", samples)
                    if form != "heddle":
                        figures.append((f"{entry['row']}, {form}", samples[0]))
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
    done = table.finish(**summary)
    for name, sample in figures:
        print_figures(name, sample)
    return done


if __name__ == "__main__":
    sys.exit(main())
