#!/usr/bin/env python3
"""Loops that wait without a call, in programs that were not built for us: found, made to give way, exact to replay; what cannot be
controlled is one sentence and 125. And what happens right after an operation that lets others go on.

usage: waiting_loops_test.py --heddle PROGRAM --programs DIR
"""
import argparse
import json
import os
import re
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--programs", required=True)
options = parser.parse_args()
scratch = tempfile.TemporaryDirectory()
GIVES_WAY = "waits in a loop without a call"


def heddle(*words, limit=120):
    return subprocess.run([options.heddle, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, cwd=scratch.name)


def program(name):
    return f"{options.programs}/{name}"


def expect(condition, done):
    assert condition, f"{' '.join(done.args)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"


def same_trace_on_both_carriers():
    for name in ("spin_flag", "spin_counts"):
        sums = set()
        for carrier in ("fiber", "kernel"):
            done = heddle("run", "--statistics", "--carrier", carrier, "--", program(name))
            expect(done.returncode == 0 and GIVES_WAY in done.stderr and f"{name}.c:" in done.stderr, done)
            sums.add(re.search(r"sum (\w+)", done.stderr).group(1))
        assert len(sums) == 1, f"{name}: other events on the other carrier: {sums}"


def recorded_and_replayed():
    for carrier in ("fiber", "kernel"):
        done = heddle("record", "--always", "--seed", "1", "--carrier", carrier, "--", program("spin_flag"))
        expect(done.returncode == 0 and "recorded" in done.stderr and "does not replay" not in done.stderr, done)
        bug = re.search(r"as (\S+)", done.stderr).group(1)
        again = heddle("replay", os.path.basename(bug.rstrip("/,")))
        expect(again.returncode in (0, 1) and "diverged" not in again.stdout + again.stderr, again)


def searched():
    results = []
    for jobs in ("1", "2"):
        done = heddle("find", "--json", "--jobs", jobs, "--executions", "60", "--no-retry", "--", program("spin_flag"))
        expect(done.returncode == 0 and GIVES_WAY in done.stderr, done)
        find = json.loads(done.stdout)["find"]
        results.append((find["executions"], find["schedules"], find["behaviours"]))
    assert results[0] == results[1], f"the result depends on the number of workers: {results}"


def one_that_computes_is_left_alone():
    done = heddle("run", "--", program("computes_in_place"))
    expect(done.returncode == 0 and GIVES_WAY not in done.stderr, done)


def proves_nothing_with_one():
    done = heddle("check", "--json", "--", program("spin_flag"))
    expect(done.returncode == 125 and json.loads(done.stdout)["certificate"]["open"] == "threads wait in loops without a call", done)


def never_ends():
    done = heddle("run", "--", program("spin_never"))
    expect(done.returncode == 1 and "livelock" in done.stderr, done)


def cannot_be_controlled():
    for verb in ("run", "record"):
        done = heddle(verb, "--watchdog", "1", "--", program("spin_made_code"))
        expect(done.returncode == 125 and "computed for 1 s without a scheduling point" in done.stderr, done)
    done = heddle("find", "--watchdog", "1", "--executions", "5", "--", program("spin_made_code"))
    expect(done.returncode == 125 and "without a scheduling point" in done.stdout + done.stderr, done)


def starves_nobody():
    done = heddle("find", "--json", "--strategy", "sequential", "--executions", "1", "--", program("spin_locks"))
    expect(json.loads(done.stdout)["verdict"] == "none", done)


def right_after_a_release():
    done = heddle("find", "--json", "--executions", "400", "--", program("pool_teardown"))
    expect(done.returncode == 1 and json.loads(done.stdout)["failure"]["kind"] == "deadlock", done)


for check in (same_trace_on_both_carriers, recorded_and_replayed, searched, one_that_computes_is_left_alone, proves_nothing_with_one, never_ends, cannot_be_controlled, starves_nobody,
              right_after_a_release):
    check()
