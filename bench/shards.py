#!/usr/bin/env python3
"""A campaign in shards: schedules a second and time to the first bug against the number of shards, and what a million schedules cost.

A row of the first kind: the same number of runs in N shards of one worker each, all started at once on this machine: seconds until the last is done, processor seconds of all of
them, schedules a second, and processor seconds for a million schedules. Of the second kind: seconds until the first shard has the bug (median over seeds), of a program that fails in
about one run of 50,000 (tests/cluster/rare.c). Shards beyond the processors of the machine share them: what they cost is seen then, not what they gain. The last rows: the cost
of a million schedules of other programs, measured with fewer.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import _bench

ROOT = _bench.HERE.parent
RARE = ROOT / "tests" / "cluster" / "rare.c"
SMALL = _bench.HERE / "engine" / "small.c"
PR_SET_CHILD_SUBREAPER = 36
COSTS = ["account", "bounded_queue", "philosophers"]  # of bench/programs/kernels, repaired: nothing ends a search early


def compiled(source, where, *options):
    program = pathlib.Path(where) / source.stem
    subprocess.run(["gcc", "-O1", "-g", "-pthread", *options, str(source), "-o", str(program)], check=True, capture_output=True)
    return program


class Shard:
    def __init__(self, options, program, index, count, runs, seed, where):
        self.store = pathlib.Path(where) / f"shard-{index}"
        self.store.mkdir()
        words = [options.heddle, "find", "--json", "--jobs", 1, "--strategy", "random", "--seed", seed, "--executions", runs, "--shard",
                 f"{index}/{count}", "--", program]
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "HEDDLE_STORE": str(self.store)})

    def runs(self):
        """How many it made, by what it left; None where it left nothing."""
        try:
            return sum(test["executions"] for test in json.loads((self.store / ".heddle" / "shard.json").read_text())["tests"])
        except (OSError, ValueError):
            return None


def campaign(options, program, count, runs, seed, first_only=False):
    """Seconds until all shards are done (or the first has a bug), processor seconds, runs that were made, and whether a bug was found."""
    with tempfile.TemporaryDirectory() as where:
        start = time.perf_counter()
        left = {}
        for index in range(1, count + 1):
            shard = Shard(options, program, index, count, runs, seed, where)
            left[shard.process.pid] = shard
        processor, made, found, taken = 0.0, 0, False, None
        while left:
            pid, status, used = os.wait4(-1, 0)
            processor += used.ru_utime + used.ru_stime
            shard = left.pop(pid, None)
            if shard is None:
                continue  # a process that a shard left behind: its time counts
            shard.process.returncode = os.waitstatus_to_exitcode(status)
            if shard.runs() is None:
                continue
            made += shard.runs()
            if shard.process.returncode == 1 and not found:
                found, taken = True, time.perf_counter() - start
                if first_only:
                    for other in left:
                        os.kill(other, signal.SIGTERM)  # terminate() would reap one that is over, and its time would be lost
        seconds = taken if first_only and found else time.perf_counter() - start
        with contextlib.suppress(ChildProcessError):
            while True:
                used = os.wait4(-1, 0)[2]
                processor += used.ru_utime + used.ru_stime
        return seconds, processor, made, found


def cost(table, name, program, options, runs):
    seconds, processor, made, _ = campaign(options, program, 1, runs, 1)
    if made != runs:
        table.lost(f"{name}: {made} runs were made, not {runs}")
        return
    table.row(what=f"cost: {name}", shards=1, runs=runs, seconds=seconds, processor=processor, rate=runs / seconds, million=processor * 1e6 / runs)


def main():
    # What a shard's own server leaves behind comes to us, with the time that it used.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    options = _bench.options(__doc__)
    table = _bench.Table("shards", options, [("what", "{}"), ("shards", "{}"), ("runs", "{}"), ("seconds", "{:.2f}"), ("processor", "{:.2f}", "processor s"),
                                             ("rate", "{:.0f}", "schedules/s"), ("million", "{:.1f}", "processor s, 1e6")])
    runs = _bench.pick(options, 2_000, 200_000, 1_000_000)
    counts = _bench.pick(options, [1, 2], [1, 2, 4, 8], [1, 2, 4, 8, 16])
    seeds = options.seeds or _bench.pick(options, 1, 5, 15)
    with tempfile.TemporaryDirectory() as where:
        small, rare = compiled(SMALL, where), compiled(RARE, where, *(["-DTURNS=3"] if options.quick else []))
        for count in counts:
            seconds, processor, made, _ = campaign(options, small, count, runs, 1)
            if made != runs:
                table.lost(f"throughput, {count} shards: {made} runs were made, not {runs}")
                continue
            table.row(what="throughput", shards=count, runs=runs, seconds=seconds, processor=processor, rate=runs / seconds, million=processor * 1e6 / runs)
        for count in counts:
            samples = [campaign(options, rare, count, 400_000, seed, first_only=True) for seed in range(1, seeds + 1)]
            taken = [seconds for seconds, _, _, found in samples if found]
            if not taken:
                table.lost(f"first bug, {count} shards: none was found")
                continue
            table.row(what="first bug", shards=count, runs=None, seconds=_bench.median(taken), processor=_bench.median([p for _, p, _, f in samples if f]),
                      rate=None, million=None, found=len(taken), of=seeds, all=taken)
        for entry in [] if options.quick else _bench.programs("kernels", COSTS):
            with contextlib.suppress(subprocess.CalledProcessError):
                cost(table, entry["name"], _bench.compile_program(entry, options.build, where, fixed=True), options, runs // 10)
    if not any(row["what"] == "throughput" for row in table.rows):
        return table.finish()
    base = next(row for row in table.rows if row["what"] == "throughput")
    best = max((row for row in table.rows if row["what"] == "throughput"), key=lambda row: row["rate"])
    return table.finish(processor_seconds_for_a_million=base["million"], best_rate=best["rate"], gain_over_one_shard=best["rate"] / base["rate"])


if __name__ == "__main__":
    sys.exit(main())
