#!/usr/bin/env python3
"""Instructions of programs that were not built for us as scheduling points: racing ones, learnt under Valgrind, and atomic ones. What only
they reach is found; the trace does not depend on the carrier or the number of workers; a saved bug replays; nothing is proved over them.

usage: plain_points_test.py --heddle PROGRAM --programs DIR
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


def heddle(where, *words, limit=120):
    return subprocess.run([options.heddle, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, cwd=where)


def program(name):
    return f"{options.programs}/{name}"


def expect(condition, done):
    assert condition, f"{' '.join(done.args)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"


def find(where, name, *more):
    done = heddle(where, "find", "--json", "--no-retry", "--seed", "1", "--executions", "400", *more, "--", program(name))
    expect(done.returncode in (0, 1), done)
    return done, json.loads(done.stdout)


def out_of_reach_without():
    with tempfile.TemporaryDirectory() as where:
        for name in ("plain_update", "own_spinlock"):
            done, answer = find(where, name, "--points", "sync")
            expect(answer["verdict"] == "none" and "learnt" not in answer["find"], done)


def found_at_racing_instructions():
    results = []
    with tempfile.TemporaryDirectory() as where:
        for more in (("--jobs", "1"), ("--jobs", "2"), ("--carrier", "kernel")):
            done, answer = find(where, "plain_update", "--points", "racy", *more)
            expect(answer["verdict"] == "failure", done)
            learnt = answer["find"]["learnt"]
            expect(learnt["by"] == "valgrind" and learnt["runs"] > 0 and learnt["racing"] >= 1 and learnt["why_not"] == "", done)
            expect("scheduling points" in done.stderr, done)
            results.append((answer["find"]["executions"], learnt["sites"], answer["found"]["events"]))
    assert len(set(results)) == 1, f"it depends on the workers or the carrier: {results}"


def learnt_by_itself():
    """Without --points: after a few runs over the calls, or at once where these leave no choice."""
    with tempfile.TemporaryDirectory() as where:
        results = set()
        for jobs in ("1", "2"):
            done, answer = find(where, "plain_update", "--jobs", jobs)
            expect(answer["verdict"] == "failure" and answer["find"]["executions"] <= 16 and answer["find"]["learnt"]["racing"] >= 1, done)
            expect(answer["find"]["points"] == "racy" and answer["find"]["sites"] == answer["find"]["learnt"]["sites"], done)
            expect(answer["find"]["learnt"]["runs"] <= 2, done)
            expect(done.stderr.count("scheduling points") == 1, done)
            results.add((answer["find"]["executions"], answer["found"]["events"]))
        assert len(results) == 1, f"it depends on the workers: {results}"
        done, answer = find(where, "lost_update")
        expect(answer["verdict"] == "failure" and "learnt" not in answer["find"], done)


def accessed_before_the_first_locked_instruction():
    with tempfile.TemporaryDirectory() as where:
        done, answer = find(where, "early_load")
        expect(answer["verdict"] == "failure" and answer["find"]["executions"] <= 4, done)
        expect(answer["find"]["learnt"]["runs"] == 1 and answer["find"]["learnt"]["racing"] == 0, done)


def found_in_one_instruction_without_debug_information():
    """The optimiser makes one instruction of the update, and nothing says that the variable is not atomic."""
    with tempfile.TemporaryDirectory() as where:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "plain_update.c")
        subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-s", "-pthread", source, "-o", f"{where}/stripped"], check=True)
        code = subprocess.run(["objdump", "-d", f"{where}/stripped"], capture_output=True, text=True, check=True).stdout
        assert re.search(r"(add|inc)\w* .*\(%rip\)", code), "the update is not one instruction"
        done = heddle(where, "find", "--json", "--points", "racy", "--seed", "1", "--executions", "400", "--", "./stripped")
        answer = json.loads(done.stdout)
        expect(answer["verdict"] == "failure" and answer["find"]["learnt"]["racing"] == 1 and answer["find"]["learnt"]["atomic"] == 0, done)


def watched_runs_share_one_start():
    """Under Valgrind, too, runs are forked from a server: what the program does before its first thread is done once."""
    with tempfile.TemporaryDirectory() as where, tempfile.NamedTemporaryFile(dir="/var/tmp") as starts:
        with open(f"{where}/starts.c", "w") as source:
            source.write(f"""
#include <pthread.h>
#include <stdio.h>
static int shared;
static void* work(void* unused) {{ shared++; return unused; }}
int main(void) {{
  pthread_t threads[2];
  FILE* starts = fopen("{starts.name}", "a");
  fputs("started\\n", starts);
  fclose(starts);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}}
""")
        subprocess.run([os.environ.get("CC", "gcc"), "-O1", "-g", "-pthread", f"{where}/starts.c", "-o", f"{where}/starts"], check=True)
        done = heddle(where, "races", "--json", "--executions", "3", "--", "./starts")
        expect(done.returncode == 1 and json.loads(done.stdout)["executions"] >= 3, done)
        with open(starts.name) as file:
            assert file.read() == "started\n", "each watched run starts the program"


def use_of_freed_memory():
    with tempfile.TemporaryDirectory() as where:
        for name in ("plain_delete", "plain_freed"):
            done, answer = find(where, name, "--points", "racy")
            expect(answer["verdict"] == "failure" and answer["failure"]["kind"] == "misuse" and "freed" in answer["failure"]["message"], done)
        for more in ((), ("--carrier", "kernel"), ("--no-snapshots",)):
            again = heddle(where, "replay", os.path.basename(answer["bug"]), *more)
            expect(again.returncode == 1 and "reproduced" in again.stdout, again)


def calls_that_access_memory():
    with tempfile.TemporaryDirectory() as where:
        done, answer = find(where, "plain_text", "--points", "racy")
        expect(answer["verdict"] == "failure" and answer["find"]["learnt"]["not_points"] == [], done)
        again = heddle(where, "replay", os.path.basename(answer["bug"]))
        expect(again.returncode == 1 and "reproduced" in again.stdout, again)


def debugged_and_replayed():
    with tempfile.TemporaryDirectory() as where:
        done = heddle(where, "debug", "--json", "--points", "racy", "--seed", "1", "--executions", "400", "--", program("plain_update"))
        expect(done.returncode == 1, done)
        answer = json.loads(done.stdout)
        bug = os.path.basename(answer["bug"])
        expect(answer["simplify"]["minimal"] != "proved" and answer["simplified"]["preemptions"] == 1, done)
        for more in ((), ("--found",), ("--carrier", "kernel"), ("--no-snapshots",)):
            again = heddle(where, "replay", bug, *more)
            expect(again.returncode == 1 and "reproduced" in again.stdout, again)
        told = heddle(where, "explain", bug)
        expect(re.search(r"reads tally -> 0 +:(9|10)\b", told.stdout), told)


def crash_is_where_the_program_crashes():
    with tempfile.TemporaryDirectory() as where:
        done, answer = find(where, "plain_pointer", "--points", "racy")
        expect(answer["verdict"] == "failure" and answer["failure"]["kind"] == "signal", done)
        told = heddle(where, "explain", os.path.basename(answer["bug"]))
        expect("plain_pointer.c:15" in told.stdout, told)


def own_locks():
    with tempfile.TemporaryDirectory() as where:
        for points in ("atomics", "racy"):
            done, answer = find(where, "own_spinlock", "--points", points)
            expect(answer["verdict"] == "failure" and answer["find"]["learnt"]["atomic"] >= 2, done)
            again = heddle(where, "replay", os.path.basename(answer["bug"]))
            expect(again.returncode == 1 and "reproduced" in again.stdout, again)


def code_that_no_watched_run_came_to():
    with tempfile.TemporaryDirectory() as where:
        done, answer = find(where, "between_atomics", "--points", "racy")
        expect(answer["verdict"] == "failure" and any("no watched run" in words for words in answer["find"]["learnt"]["not_points"]), done)
        again = heddle(where, "replay", os.path.basename(answer["bug"]))
        expect(again.returncode == 1 and "reproduced" in again.stdout, again)


def nothing_is_proved():
    with tempfile.TemporaryDirectory() as where:
        done = heddle(where, "check", "--json", "--points", "racy", "--preemptions", "0", "--", program("plain_update"))
        answer = json.loads(done.stdout)
        expect(answer["verdict"] != "proved" and "learnt" in answer["certificate"]["open"], done)


out_of_reach_without()
found_at_racing_instructions()
learnt_by_itself()
found_in_one_instruction_without_debug_information()
watched_runs_share_one_start()
use_of_freed_memory()
calls_that_access_memory()
debugged_and_replayed()
crash_is_where_the_program_crashes()
own_locks()
code_that_no_watched_run_came_to()
nothing_is_proved()
accessed_before_the_first_locked_instruction()
