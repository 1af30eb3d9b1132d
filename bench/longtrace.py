#!/usr/bin/env python3
"""Simplification of long failing traces (Jalbert & Sen, FSE 2010, section 5.4): time and memory against the number of events.

A row: a failing run of bench/engine/long_trace.c found by a random walk, about half of whose events are switches, and what `heddle simplify` left of
it: executions, seconds of the simplification and of the whole command (which loads the trace and confirms the result), the command's
peak memory, and that for each event. Ten million events need some 7 GB of memory and as much again as shared memory of the runs.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import _bench


def measured(command, where):
    """What the command printed as JSON, its seconds and its peak memory in MB."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([str(word) for word in command], cwd=where, stdout=out, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # waited for
        out.seek(0)
        return json.load(out), time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    options = _bench.options(__doc__)
    columns = [("program", "{}"), ("switches", "{}"), ("switches_after", "{}", "-> left"), ("preemptions_after", "{}", "preempt."),
               ("executions", "{}", "execs"), ("seconds", "{:.2f}"), ("in_all", "{:.2f}", "s in all"), ("peak", "{:.0f}", "peak MB"),
               ("bytes_an_event", "{:.0f}", "B/event")]
    table = _bench.Table("longtrace", options, columns)
    with tempfile.TemporaryDirectory() as built:
        program = os.path.join(built, "long_trace")
        subprocess.run(["gcc", "-O1", "-g", "-pthread", str(_bench.HERE / "engine" / "long_trace.c"), "-o", program], check=True)
        for rounds in (2_500, 25_000, 250_000, 2_500_000)[:_bench.pick(options, 2, 3, 4)]:
            with tempfile.TemporaryDirectory() as where:
                found, _, _ = measured([options.heddle, "find", "--json", "--strategy", "walk", "--seed", 1, "--executions", 100, "--max-events",
                                        50_000_000, "--watchdog", 60, "--", program, rounds], where)
                if found["verdict"] != "failure":
                    table.lost(f"{rounds} rounds: no failing trace")
                    continue
                said, in_all, peak = measured([options.heddle, "simplify", "--json", "--time", 600], where)
            events, cost, after = found["found"]["events"], said["simplify"], said["simplified"]
            table.row(program=f"{events:,} events", switches=found["found"]["switches"], switches_after=after["switches"],
                      preemptions_after=after["preemptions"], executions=cost["executions"], seconds=cost["seconds"], in_all=in_all, peak=peak,
                      bytes_an_event=peak * 2**20 / events, events=events)
    return table.finish(most_bytes_an_event=max((row["bytes_an_event"] for row in table.rows if row["events"] >= 1_000_000), default=0.0))


if __name__ == "__main__":
    sys.exit(main())
