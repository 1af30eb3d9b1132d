#!/usr/bin/env python3
"""Isolation of the deciding switch beside Choi & Zeller (ISSTA 2002): the IntQueue of section 2 and a ray-tracer like that of section 6.

Both are recorded under time slices, with every memory access as a scheduling point, and isolated as published: switches as times of a
global clock under a FIFO dispatch queue, dd between a failing and a passing schedule, the differences of a switch together first. The
passing schedule comes from Gaussian fuzzing of the failing one (`fuzzed`), or is another recording with far longer time slices (`recorded`),
which is what the paper's fuzzing had come to: as many differences as there. A row: preemptive switches and events of the failing
run, fuzzed runs until one passed, atomic differences between the two, tests until one switch was left and until one difference was left, schedules
decided without a run, seconds, the places in the bug's function at which the deciding switch fails and passes, and the line that has the bug.
"""
import pathlib
import re
import sys
import tempfile

import _bench

# Sections 4.4 (Fig. 6) and 6: switches, fuzzed runs, differences, tests to one switch, tests, seconds.
PAPER = {"intqueue": (None, None, 24, None, 4, None), "raytrace": (3770, 66, 3842577240, 12, 50, 1680)}
FUNCTIONS = {"intqueue": ("enqueue", "dequeue"), "raytrace": ("load_scene",)}  # that have the bug


def recorded(options, program, quantum, where, wanted):
    """The first recorded run that fails (passes), as the id under which it is kept."""
    for seed in range(1, 200):
        done = _bench.subprocess.run([str(options.heddle), "record", "--always", "--points", "all", "--quantum", str(quantum), "--max-events",
                                      "50000000", "--seed", str(seed), "--", str(program)], cwd=where, capture_output=True, text=True)
        saved = re.search(r"heddle: recorded .* as \S*/(\w+)\n", done.stderr)
        if saved and (done.returncode != 0) == (wanted == "fails"):
            return saved[1]
    return None


def places(stack, functions):
    """Of a back-trace the innermost frame in one of these functions."""
    for frame in stack:
        function, _, place = frame.partition("  ")
        if function.split("(")[0].rsplit("::", 1)[-1] in functions:
            return place
    return stack[0].rpartition(" ")[2] if stack else "-"


def main():
    options = _bench.options(__doc__)
    columns = [("program", "{}"), ("switches", "{}"), ("events", "{}"), ("fuzzed", "{}"), ("differences", "{:.3g}"),
               ("tests_to_one_switch", "{}", "to 1 switch"), ("tests", "{}"), ("invalid", "{}"), ("seconds", "{:.1f}"), ("named", "{}"),
               ("passes_in", "{}", "or passes"), ("bug_lines", "{}", "bug")]
    table = _bench.Table("isolate", options, columns)
    size = _bench.pick(options, 24, 48, 64)
    with tempfile.TemporaryDirectory() as built:
        for entry in _bench.programs("cz", options.names):
            switches, fuzzed, differences, to_one, tests, seconds = PAPER[entry["row"]]
            table.row(program=f"{entry['row']}: paper", switches=switches, fuzzed=fuzzed, differences=differences, tests_to_one_switch=to_one,
                      tests=tests, seconds=seconds)
            ray = entry["row"] == "raytrace"
            if ray:
                entry = entry | {"defines": {"SIZE": size}}
            program = _bench.compile_program(entry, options.build, built)
            with tempfile.TemporaryDirectory() as where:
                bug = recorded(options, program, 150 if ray else 6, where, "fails")
                passing = recorded(options, program, 4000 if ray else 200, where, "passes")
                if not bug or not passing:
                    table.lost(f"{entry['row']}: no failing or no passing run")
                    continue
                found = _bench.answer([options.heddle, "replay", bug, "--json"], where)
                for name, against in (("fuzzed", []), ("recorded", ["--against", passing])):
                    said = _bench.answer([options.heddle, "isolate", bug, "--found", "--by", "clock", *against, "--json", "--time", 1200], where,
                                         timeout=1500)
                    if not said or not found or found["verdict"] != "failure":
                        table.lost(f"{entry['row']}, {name}: no answer")
                        continue
                    isolated = said["isolate"]
                    functions = FUNCTIONS[entry["row"]]
                    named = places(isolated["stack_failing"], functions) if isolated["isolated"] else isolated.get("why", "")
                    table.row(program=f"{entry['row']}: {name}", switches=found["preemptions"], events=found["events"],
                              fuzzed=isolated["fuzz_executions"], differences=isolated["differences"],
                              tests_to_one_switch=isolated["tests_to_one_switch"], tests=isolated["tests"], invalid=isolated["invalid"],
                              seconds=isolated["seconds"], named=named, passes_in=places(isolated.get("stack_passing", []), functions),
                              bug_lines=entry["bug_lines"], isolated=isolated)
    return table.finish()


if __name__ == "__main__":
    sys.exit(main())
