#!/usr/bin/env python3
"""Programs that were not built for Heddle: what points at their racing instructions find, and what they cost.

Kernels that need a point at a memory access: schedules to the first failure of the instrumented build, and of plain builds by gcc and clang at
-O0 and -O2 (`--points racy`; the runs under Valgrind that learn the points count as schedules). A miss counts as 10,000. `within`: no more
than twice as many as instrumented, or as many as learning took where that is more.

The price of a point: time of a run whose points are 20,000 accesses, by a jump and by a breakpoint, beside the same accesses instrumented.
Learning: the time of one run under our Valgrind tool beside Helgrind and DRD, on the same binary in the same call.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import _bench

MISS = 10_000
QUICK = ["plain_race"]
BUILDS = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")]
PRICE = _bench.HERE / "access" / "one_access.c"


def build_plain(entry, compiler, level, where):
    source = _bench.HERE / "programs" / entry["source"]
    cpp = source.suffix == ".cpp"
    name = {"gcc": "g++", "clang": "clang++"}[compiler] if cpp else compiler
    program = pathlib.Path(where) / f"{entry['name']}{level}{compiler}"
    defines = [f"-D{macro}={value}" for macro, value in entry["defines"].items()]
    subprocess.run([name, level, "-g", "-pthread", "-std=c++20" if cpp else "-std=gnu11", *defines, str(source), "-o", str(program), "-lm"],
                   check=True, capture_output=True)
    return program


def schedules(options, program, seed, *more):
    """How many it took, and what was learnt; nothing where there was no answer."""
    with tempfile.TemporaryDirectory() as where:
        answer = _bench.answer([options.heddle, "find", "--json", "--jobs", "1", "--seed", seed, "--executions", options.most, "--time", "60", *more,
                                "--", program], where, 180)
    if not answer:
        return None
    learnt = answer["find"].get("learnt", {})
    taken = answer["find"]["executions"] + learnt.get("runs", 0)
    return (taken if answer["verdict"] == "failure" else MISS), learnt


def measure_kernels(options, table):
    kernels = [e for e in _bench.programs("kernels", options.names or (QUICK if options.quick else ())) if e["granularity"] == "access"]
    builds = BUILDS[1:2] if options.quick else BUILDS
    seeds = options.seeds or _bench.pick(options, 1, 1, 3)
    found = total = within = 0
    with tempfile.TemporaryDirectory() as where:
        for entry in kernels:
            instrumented = _bench.compile_program(entry, options.build, where, wrapped=True)
            alone = [schedules(options, instrumented, s) for s in range(1, seeds + 1)]
            if None in alone:
                table.lost(f"{entry['name']}: no answer")
                continue
            base = _bench.mean([a[0] for a in alone])
            for compiler, level in builds:
                try:
                    program = build_plain(entry, compiler, level, where)
                except subprocess.CalledProcessError:
                    table.lost(f"{entry['name']}: {compiler} {level} does not build it")
                    continue
                runs = [schedules(options, program, s, "--points", "racy") for s in range(1, seeds + 1)]
                if None in runs:
                    table.lost(f"{entry['name']}: no answer with {compiler} {level}")
                    continue
                taken = _bench.mean([r[0] for r in runs])
                learning = max(r[1].get("runs", 0) for r in runs)
                good = taken < MISS and taken <= max(2 * base, base + learning)
                found, total, within = found + (taken < MISS), total + 1, within + good
                table.row(program=entry["name"], build=f"{compiler} {level}", instrumented=base, plain=taken if taken < MISS else None,
                          learnt=learning, points=max(r[1].get("sites", 0) for r in runs), within="yes" if good else "no")
    return {"kernels": len(kernels), "builds": total, "found": found / max(total, 1), "within_twice": within / max(total, 1)}


def time_of(command, where, times):
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run([str(word) for word in command], cwd=where, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        taken.append(time.perf_counter() - begun)
    return min(taken)


def measure_price(options, where, times):
    """Microseconds a point, above a run without points of the same binary."""
    result = {}
    for how, compiler, macro in (("jump", "gcc", "-DLONG"), ("breakpoint", "gcc", "-DSHORT"), ("instrumented", options.build / "bin" / "heddle-cc", "-DLONG")):
        program = pathlib.Path(where) / f"one_access_{how}"
        subprocess.run([str(compiler), "-O2", "-g", "-pthread", macro, str(PRICE), "-o", str(program)], check=True, capture_output=True)
        rates = {}
        for points in ("racy", "sync"):
            best = None
            for _ in range(times):
                with tempfile.TemporaryDirectory() as own:
                    answer = _bench.answer([options.heddle, "find", "--json", "--jobs", "1", "--no-retry", "--no-timing", "--strategy", "random", "--executions", "40",
                                            "--points", points, "--", program], own, 300)
                if answer:
                    learning = answer["find"].get("learnt", {}).get("seconds", 0)
                    each = (answer["find"]["seconds"] - learning) / answer["find"]["executions"]
                    best = each if best is None else min(best, each)
            rates[points] = best
        if None not in rates.values():
            result[how] = (rates["racy"] - rates["sync"]) / 20_000 * 1e6
    return result


def measure_learning(options, where, times):
    program = pathlib.Path(where) / "learning"
    subprocess.run(["gcc", "-O1", "-g", "-pthread", str(_bench.HERE / "access" / "kernels.c"), "-o", str(program)], check=True, capture_output=True)
    words = [program, "sort", 2 if options.quick else 8]
    tools = {"heddle": [options.heddle, "races", "--executions", "1", "--", *words], "helgrind": ["valgrind", "-q", "--tool=helgrind", *words],
             "drd": ["valgrind", "-q", "--tool=drd", *words]}
    return {name: time_of(command, where, times) for name, command in tools.items()}


def main():
    options = _bench.options(__doc__)
    options.most = _bench.pick(options, 400, 2_000, MISS)
    table = _bench.Table("binaries", options, [("program", "{}"), ("build", "{}"), ("instrumented", "{:.1f}"), ("plain", "{:.1f}"), ("learnt", "{}"),
                                               ("points", "{}"), ("within", "{}")])
    summary = measure_kernels(options, table)
    times = _bench.pick(options, 1, 2, 5)
    with tempfile.TemporaryDirectory() as where:
        price = measure_price(options, where, times) if not options.names else {}
        learning = measure_learning(options, where, times) if not options.names else {}
    summary |= {f"microseconds_{how}": value for how, value in price.items()}
    summary |= {f"seconds_{name}": value for name, value in learning.items()}
    return table.finish(**summary)


if __name__ == "__main__":
    sys.exit(main())
