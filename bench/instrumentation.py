#!/usr/bin/env python3
"""What announced memory accesses cost, beside gcc's own detector (libtsan) on the same code in the same call.

Kernels: plain -O1; libtsan; ours with the calls rewritten (`heddle run --points sync`); ours with race detection (`heddle run --races`).
Processor time is read by the program itself around the kernel, so that start-up does not count; the least of several runs that take turns.

Real programs (--full, or by name): wall time of a whole run under each of the same four, and of one run of a search that has
learnt the racing sites and has them as points.
"""
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import _bench

sys.path.insert(0, str(_bench.HERE / "real"))
import programs as real  # noqa: E402

KERNELS = {"sort": 40, "hash": 80, "matrix": 80, "list": 200, "bytes": 160}
REAL = ["zstd", "x264"]


def compile_kernels(options, where):
    source = str(_bench.HERE / "access" / "kernels.c")
    count = str(_bench.HERE / "access" / "count.c")
    built = {name: where / name for name in ("plain", "libtsan", "ours", "counted")}
    flags = ["-O1", "-g", "-pthread", source]
    subprocess.run(["gcc", *flags, "-o", built["plain"]], check=True)
    subprocess.run(["gcc", *flags, "-fsanitize=thread", "-o", built["libtsan"]], check=True)
    subprocess.run([options.build / "bin" / "heddle-cc", *flags, "-o", built["ours"]], check=True)
    subprocess.run(["gcc", *flags, "-fsanitize=thread", "-c", "-o", where / "kernels.o"], check=True)
    subprocess.run(["gcc", "-pthread", where / "kernels.o", count, "-o", built["counted"]], check=True)
    return built


def nanoseconds(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


def measure_kernels(options, table, times):
    with tempfile.TemporaryDirectory() as where:
        built = compile_kernels(options, pathlib.Path(where))
        for kernel, rounds in KERNELS.items():
            if options.names and kernel not in options.names:
                continue
            if options.quick:
                rounds //= 4
            words = [kernel, rounds]
            counted = subprocess.run([built["counted"], kernel, str(rounds)], capture_output=True, text=True, check=True)
            once = subprocess.run([built["counted"], kernel, "0"], capture_output=True, text=True, check=True)
            accesses = int(counted.stderr) - int(once.stderr)
            commands = {"plain": [built["plain"], *words], "libtsan": [built["libtsan"], *words],
                        "rewritten": [options.heddle, "run", "--points", "sync", "--", built["ours"], *words],
                        "detecting": [options.heddle, "run", "--points", "sync", "--races", "--", built["ours"], *words]}
            taken = {name: [] for name in commands}
            for _ in range(times):  # in turns: what the machine does besides falls on all of them
                for name, command in commands.items():
                    taken[name].append(nanoseconds(command))
            best = {name: min(values) for name, values in taken.items()}
            middle = {name: statistics.median(values) for name, values in taken.items()}
            ns = {name: (best[name] - best["plain"]) / accesses for name in commands}
            table.row(kernel=kernel, accesses=accesses, libtsan=best["libtsan"] / best["plain"], rewritten=best["rewritten"] / best["plain"],
                      detecting=best["detecting"] / best["plain"], libtsan_ns=ns["libtsan"], rewritten_ns=ns["rewritten"],
                      detecting_ns=ns["detecting"], against_libtsan=best["detecting"] / best["libtsan"], medians=middle, all=taken)


def wall(command, where):
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


# A search watches for races until so many runs have shown no new site (Epochs::kQuiet); from then on the racing sites are points, and hooks that
# are called often for nothing are rewritten.
WATCHED, UNWATCHED = 250, 50


def racing_run(options, command, where):
    """Seconds for a run of a search that knows the racing sites: what UNWATCHED runs more cost."""
    seconds = []
    for executions in (WATCHED, WATCHED + UNWATCHED):
        shutil.rmtree(pathlib.Path(where) / ".heddle", ignore_errors=True)
        found = _bench.answer([options.heddle, "find", "--json", "--jobs", 1, "--seed", 1, "--strategy", "random", "--executions", executions, "--", *command],
                              where, timeout=900)
        if not found or found["find"]["executions"] != executions:
            return None
        seconds.append(found["find"]["seconds"])
    return (seconds[1] - seconds[0]) / UNWATCHED


def measure_real(options, table, times):
    where = (options.build / "real").resolve()
    where.mkdir(parents=True, exist_ok=True)
    tsan = where / "libtsan-wrappers"
    tsan.mkdir(exist_ok=True)
    for wrapper, compiler in (("cc", "gcc"), ("c++", "g++")):
        script = tsan / wrapper
        script.write_text(f'#!/bin/sh\nexec {compiler} "$@" -fsanitize=thread\n')
        script.chmod(0o755)
    for program in real.named(options.names and [n for n in options.names if n not in KERNELS] or REAL):
        words = real.arguments(program, where)
        plain = real.build(program, where, ("gcc", "g++"), "-plain")
        libtsan = real.build(program, where, (tsan / "cc", tsan / "c++"), "-libtsan")
        ours = real.build(program, where, real.wrapped(options.build))
        commands = {"plain": [plain, *words], "libtsan": [libtsan, *words],
                    "rewritten": [options.heddle, "run", "--points", "sync", "--", ours, *words],
                    "detecting": [options.heddle, "run", "--points", "sync", "--races", "--", ours, *words]}
        taken = {name: [] for name in commands}
        with tempfile.TemporaryDirectory() as here:
            for _ in range(times):
                for name, command in commands.items():
                    taken[name].append(wall(command, here))
            one_run = racing_run(options, [ours, *words], here)
        if not one_run:
            table.lost(f"{program.name}: no search that knows the racing sites")
        best = {name: min(values) for name, values in taken.items()}
        table.row(kernel=program.name, plain_s=best["plain"], libtsan=best["libtsan"] / best["plain"], rewritten=best["rewritten"] / best["plain"],
                  detecting=best["detecting"] / best["plain"], against_libtsan=best["detecting"] / best["libtsan"],
                  racing=one_run / best["plain"] if one_run else None,
                  racing_against_libtsan=one_run / best["libtsan"] if one_run else None, all=taken)


def main():
    options = _bench.options(__doc__)
    times = options.seeds or _bench.pick(options, 3, 7, 15)
    kernels = not options.names or any(name in KERNELS for name in options.names)
    programs = options.full or any(name not in KERNELS for name in options.names)
    table = _bench.Table("instrumentation", options, [
        ("kernel", "{}"), ("libtsan", "{:.1f}x"), ("rewritten", "{:.2f}x"), ("detecting", "{:.1f}x"), ("libtsan_ns", "{:.2f}", "ns"),
        ("rewritten_ns", "{:.2f}", "ns rewr."), ("detecting_ns", "{:.2f}", "ns det."), ("against_libtsan", "{:.2f}", "det./libtsan"),
        ("racing", "{:.1f}x", "racing"), ("racing_against_libtsan", "{:.2f}", "rac./libtsan")], "slowdown against plain -O1; ns: for an access.")
    if kernels:
        measure_kernels(options, table, times)
    if programs:
        measure_real(options, table, times)
    rows = [row for row in table.rows if "accesses" in row]
    return table.finish(worst_rewritten=max((row["rewritten"] for row in rows), default=float("nan")),
                 mean_ns_rewritten=_bench.mean([row["rewritten_ns"] for row in rows]),
                 detecting_against_libtsan=_bench.geometric_mean([row["against_libtsan"] for row in rows]))


if __name__ == "__main__":
    sys.exit(main())
