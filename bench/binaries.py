#!/usr/bin/env python3
"""Programs that were not built for Heddle: what points at their racing instructions find, and what they cost.

kernels: those of bench/programs/kernels that need a point at a memory access, plainly built by gcc and clang at -O0 and -O2, with -g and
stripped. Schedules to the first failure, those under Valgrind that learn the points included, beside those of the instrumented build. A miss counts as
10,000. `within`: no more than twice as many. `line`: with -g, `debug` names the broken line. `--points racy`; `default` is the same without that option.
own: the bugs of bench/programs/plain (C, C++, Rust, a shared library, locks made by hand), by `debug` without options. `set=held`: not looked at while the
search was mended.
price: microseconds of a point by a jump and by a breakpoint, beside the same accesses instrumented; a search over twenty racing instructions, plain and
instrumented; one profiling run beside Helgrind and DRD. All in the same call.
debian: races of programs of Debian as they are installed (bench/_debian.py).
forms: every form of instruction of the C library, the C++ library and those programs is displaced and compared with the original on random states.

--part NAME: only that one; each part writes its own table.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import _bench
import _debian
import _plain

sys.path.insert(0, str(_bench.HERE / "programs"))
import manifest  # noqa: E402

QUICK = ["plain_race"]
QUICK_OWN = ["stats_pair"]
ACCESS = _bench.HERE / "access"
PARTS = ("kernels", "own", "price", "debian", "forms")


def extend(parser):
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one")
    parser.add_argument("--jobs", type=int, default=1)


def measure_build(options, entry, base, compiler, level, debug, where):
    """A row of the table, or a sentence about why there is none."""
    try:
        program = _plain.build_plain(entry, compiler, level, where, debug)
    except subprocess.CalledProcessError:
        return f"{entry['name']}: {compiler} {level} does not build it"
    answer = _plain.ask(options, "debug" if debug else "find", program, 1, "--points", "racy")
    usual = _plain.ask(options, "find", program, 1) if debug else None
    if not answer or (debug and not usual):
        return f"{entry['name']}: no answer with {compiler} {level}"
    taken = answer["taken"]
    found = taken < _plain.MISS
    return dict(program=entry["name"], build=f"{compiler} {level}{' -g' if debug else ''}", instrumented=base, plain=taken if found else None,
                learnt=answer["learnt"].get("runs", 0), points=answer["learnt"].get("sites", 0), within="yes" if found and taken <= 2 * base else "no",
                line=("yes" if _plain.names_line(answer["answer"], entry) else "no") if debug and found else None,
                default=usual["taken"] if usual and usual["taken"] < _plain.MISS else None)


def measure_kernels(options):
    table = _bench.Table("binaries", options, [("program", "{}"), ("build", "{}"), ("instrumented", "{:.0f}"), ("plain", "{:.0f}"), ("learnt", "{}"),
                                               ("points", "{}"), ("within", "{}"), ("line", "{}"), ("default", "{:.0f}")])
    kernels = [e for e in _bench.programs("kernels", options.names or (QUICK if options.quick else ())) if e["granularity"] == "access"]
    builds = [("gcc", "-O2", True)] if options.quick else [(*level, debug) for level in _plain.LEVELS for debug in (True, False)]

    def one(entry):
        with tempfile.TemporaryDirectory() as where:
            base = _plain.ask(options, "find", _bench.compile_program(entry, options.build, where, wrapped=True), 1)
            if not base:
                return [f"{entry['name']}: no answer"]
            return [measure_build(options, entry, base["taken"], *build, where) for build in builds]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for rows in pool.map(one, kernels):
            for row in rows:
                if isinstance(row, str):
                    table.lost(row)
                else:
                    table.row(**row)
    rows = table.rows
    share = lambda good, of: f"{sum(map(good, of))} of {len(of)} ({100 * sum(map(good, of)) / max(1, len(of)):.1f} %)"  # noqa: E731
    bare, full = [r for r in rows if not r["build"].endswith("-g")], [r for r in rows if r["build"].endswith("-g")]
    return table.finish(found=share(lambda r: r["plain"] is not None, rows), within_twice=share(lambda r: r["within"] == "yes", rows),
                        within_twice_with_debug_information=share(lambda r: r["within"] == "yes", full),
                        within_twice_without=share(lambda r: r["within"] == "yes", bare),
                        right_line=share(lambda r: r["line"] == "yes", [r for r in full if r["plain"] is not None]),
                        within_twice_by_default=share(lambda r: r["default"] is not None and r["default"] <= 2 * r["instrumented"], full),
                        found_by_default=share(lambda r: r["default"] is not None, full))


def measure_own(options):
    table = _bench.Table("binaries-own", options, [("program", "{}"), ("set", "{}"), ("build", "{}"), ("found", "{}"), ("schedules", "{:.0f}"), ("preemptions", "{}"),
                                                   ("line", "{}"), ("called", "{}")])
    entries = [e for e in manifest.plain() if not options.names or e["name"] in options.names]
    if options.quick:
        entries = [e for e in entries if e["name"] in QUICK_OWN]
    with tempfile.TemporaryDirectory() as where:
        for entry in entries:
            rust = entry["source"].endswith(".rs")
            builds = [("rustc", "-O0", True), ("rustc", "-O2", True), ("rustc", "-O2", False)] if rust else [(*level, True) for level in _plain.LEVELS] + [("gcc", "-O2", False)]
            for compiler, level, debug in builds[1:2] if options.quick else builds:
                try:
                    program = _plain.build_plain(entry, compiler, level, where, debug)
                except (subprocess.CalledProcessError, FileNotFoundError) as error:
                    table.lost(f"{entry['name']}: {compiler} {level} does not build it: {error}")
                    continue
                said = _plain.ask(options, "debug", program, 1)
                if not said:
                    table.lost(f"{entry['name']}: no answer")
                    continue
                answer, found = said["answer"], said["taken"] < _plain.MISS
                kind = found and answer["failure"]["kind"]
                table.row(program=entry["name"], set=entry["set"], build=f"{compiler} {level}{' -g' if debug else ' stripped'}",
                          found="yes" if found and kind in entry["kind"].split(",") else kind or "no", schedules=said["taken"] if found else None,
                          preemptions=answer["simplified"]["preemptions"] if found else None,
                          line=("yes" if _plain.names_line(answer, entry) else "no") if found and debug else None,
                          called=answer["diagnosis"]["class"] if found else None)
    summary = {}
    for name in ("tuned", "held"):
        rows = [r for r in table.rows if r["set"] == name]
        found = [r for r in rows if r["found"] == "yes"]
        lines = [r for r in found if r["line"]]
        summary[f"{name}_found"] = f"{len(found)} of {len(rows)}"
        summary[f"{name}_line"] = f"{sum(r['line'] == 'yes' for r in lines)} of {len(lines)}"
    return table.finish(**summary)


def time_of(command, where, times):
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run([str(word) for word in command], cwd=where, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        taken.append(time.perf_counter() - begun)
    return min(taken)


def seconds_a_run(options, program, points, runs, times):
    best = None
    for _ in range(times):
        with tempfile.TemporaryDirectory() as own:
            answer = _bench.answer([options.heddle, "find", "--json", "--jobs", "1", "--no-retry", "--no-timing", "--strategy", "random", "--executions", runs,
                                    "--points", points, "--", program], own, 300)
        if answer:
            each = (answer["find"]["seconds"] - answer["find"].get("learnt", {}).get("seconds", 0)) / answer["find"]["executions"]
            best = each if best is None else min(best, each)
    return best


def compiled(options, how, source, where, *flags):
    program = pathlib.Path(where) / f"{source.stem}_{how}"
    compiler = options.build / "bin" / "heddle-cc" if how == "instrumented" else "gcc"
    subprocess.run([str(compiler), "-O2", "-g", "-pthread", *flags, str(source), "-o", str(program)], check=True, capture_output=True)
    return program


def measure_price(options):
    table = _bench.Table("binaries-price", options, [("program", "{}", "what"), ("value", "{:.3g}"), ("unit", "{}")])
    times = _bench.pick(options, 1, 2, 5)
    with tempfile.TemporaryDirectory() as where:
        for how, macro in (("jump", "-DLONG"), ("breakpoint", "-DSHORT"), ("instrumented", "-DLONG")):
            program = compiled(options, how, ACCESS / "one_access.c", where, macro)
            racy, sync = (seconds_a_run(options, program, points, 40, times) for points in ("racy", "sync"))
            if racy is None or sync is None:
                table.lost(f"the price of a point: {how}")
            else:
                table.row(program=f"a point: {how}", value=(racy - sync) / 20_000 * 1e6, unit="us")
        for how in ("plain", "instrumented"):
            each = seconds_a_run(options, compiled(options, how, ACCESS / "twenty.c", where), "racy", 300 if options.quick else 3000, times)
            if each is None:
                table.lost(f"a search over twenty instructions: {how}")
            else:
                table.row(program=f"a run, 20 racing instructions: {how}", value=each * 1e6, unit="us")
        program = pathlib.Path(where) / "learning"
        subprocess.run(["gcc", "-O1", "-g", "-pthread", str(ACCESS / "kernels.c"), "-o", str(program)], check=True, capture_output=True)
        words = [program, "sort", 2 if options.quick else 8]
        for name, command in {"heddle races": [options.heddle, "races", "--executions", "1", "--", *words], "Helgrind": ["valgrind", "-q", "--tool=helgrind", *words],
                              "DRD": ["valgrind", "-q", "--tool=drd", *words]}.items():
            table.row(program=f"a profiling run: {name}", value=time_of(command, where, times), unit="s")
    return table.finish()


def measure_forms(options):
    table = _bench.Table("binaries-forms", options, [("program", "{}", "module"), ("compared", "{}"), ("faulted", "{}"), ("refused", "{}")])
    test = options.build / "tests" / "unit" / "unit_displace_test"
    modules = _debian.modules(quick=options.quick)
    done = subprocess.run([str(test), "--gtest_filter=Displace.OfGivenModules"], env={"HEDDLE_DISPLACE": ":".join(modules), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    for path, compared, faulted, refused in re.findall(r"^(/\S+): (\d+) forms compared, (\d+) fault in both, (\d+) refused", done.stdout, re.M):
        table.row(program=path, compared=int(compared), faulted=int(faulted), refused=int(refused))
    if done.returncode != 0 or len(table.rows) != len(modules):
        table.lost(f"the comparison failed: {done.stdout[-300:]}{done.stderr[-200:]}")
    total, refused = sum(r["compared"] + r["faulted"] for r in table.rows), sum(r["refused"] for r in table.rows)
    return table.finish(forms=total, refused=refused, share=refused / max(1, total + refused))


def main():
    options = _bench.options(__doc__, extend)
    options.most = _bench.pick(options, 400, 2_000, _plain.MISS)
    parts = {"kernels": measure_kernels, "own": measure_own, "price": measure_price, "debian": _debian.measure, "forms": measure_forms}
    wanted = options.part or (("kernels",) if options.names else ("kernels", "own", "price") if options.quick else PARTS)
    return max(parts[name](options) for name in wanted)


if __name__ == "__main__":
    sys.exit(main())
