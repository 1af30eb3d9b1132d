#!/usr/bin/env python3
"""Isolation of the deciding switch beside Choi & Zeller (ISSTA 2002): the IntQueue of section 2 and a ray-tracer like that of section 6.

Both are recorded under time slices, with function entries as scheduling points for the ray-tracer (their yield points), and isolated as
published: switches as times of a global clock under a FIFO dispatch queue, a passing schedule by Gaussian fuzzing of the failing one, dd
between the two with the differences of a switch together first. A row: preemptive switches and events of the failing run, fuzzed runs until
one passed, atomic differences between the two, tests until one switch was left and until one difference was left, schedules decided without
a run, seconds, and the source line that the switch is named by beside the line that has the bug.
"""
import pathlib
import re
import sys
import tempfile

import _bench

# Sections 4.4 (Fig. 6) and 6: switches, fuzzed runs, differences, tests to one switch, tests, seconds.
PAPER = {"intqueue": (None, None, 24, None, 4, None), "raytrace": (3770, 66, 3842577240, 12, 50, 1680)}


def failing(options, program, arguments, where):
    """The first recorded run that fails, as the id of its bug, and how many runs that took."""
    for seed in range(1, 200):
        done = _bench.subprocess.run([str(options.heddle), "record", *map(str, arguments), "--seed", str(seed), "--", str(program)], cwd=where,
                                     capture_output=True, text=True)
        saved = re.search(r"heddle: recorded .* as \S*/(\w+)\n", done.stderr)
        if saved:
            return saved[1], seed
    return None, 0


def main():
    options = _bench.options(__doc__)
    columns = [("program", "{}"), ("switches", "{}"), ("events", "{}"), ("fuzzed", "{}"), ("differences", "{:.3g}"),
               ("tests_to_one_switch", "{}", "to 1 switch"), ("tests", "{}"), ("invalid", "{}"), ("seconds", "{:.1f}"), ("named", "{}"),
               ("bug_lines", "{}", "bug")]
    table = _bench.Table("isolate", options, columns)
    size = _bench.pick(options, 24, 96, 160)
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
                how = ["--points", "functions", "--quantum", 230] if ray else ["--points", "all", "--quantum", 6]
                bug, runs = failing(options, program, [*how, "--max-events", 50_000_000], where)
                if not bug:
                    print(f"{entry['row']}: no failing run", flush=True)
                    continue
                found = _bench.answer([options.heddle, "replay", bug, "--json"], where)
                said = _bench.answer([options.heddle, "isolate", bug, "--found", "--by", "clock", "--json", "--time", 1200], where, timeout=1500)
            if not said:
                print(f"{entry['row']}: no answer", flush=True)
                continue
            isolated = said["isolate"]
            cause = said.get("cause", [{}])[0]
            named = f"{pathlib.Path(cause.get('file', '')).name}:{cause.get('line', 0)}" if isolated["isolated"] else isolated.get("why", "")
            table.row(program=f"{entry['row']}: heddle", switches=found["preemptions"], events=found["events"], fuzzed=isolated["fuzz_executions"],
                      differences=isolated["differences"], tests_to_one_switch=isolated["tests_to_one_switch"], tests=isolated["tests"],
                      invalid=isolated["invalid"], seconds=isolated["seconds"], named=named, bug_lines=entry["bug_lines"], recorded=runs,
                      isolated=isolated)
    table.finish()


if __name__ == "__main__":
    sys.exit(main())
