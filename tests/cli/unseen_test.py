#!/usr/bin/env python3
"""Correct programs that wait, or work, by means that Heddle does not see: no failure is reported of them.

usage: unseen_test.py --heddle PROGRAM --programs DIR
"""
import argparse
import os
import subprocess
import tempfile

JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--programs", required=True)
options = parser.parse_args()


def expect(codes, words, program, more=None):
    command = [options.heddle, *words, "--", f"{options.programs}/{program}"]
    environment = {**os.environ, **(more or {})}
    done = subprocess.run(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    assert done.returncode in codes, f"{words} {program}: exit code {done.returncode}\n{said}"
    return said


with tempfile.TemporaryDirectory() as work:
    for program in ("waits_unseen", "raw_clone", "clone_thread"):
        for carrier in ("fiber", "kernel"):
            expect((0,), ["run", "--carrier", carrier], program)
        expect((0, 125), ["debug", "--executions", "20"], program)
    for carrier in ("fiber", "kernel"):
        expect((0,), ["run", "--carrier", carrier], "fork_first")
    # When a child ends decides what this one does, and no schedule of its threads does.
    said = expect((125,), ["check"], "looks_at_child")
    assert "not proved" in said and "processes" in said, said
    said = expect((125,), ["find", "--executions", "2", "--max-events", "20000"], "counts_turns")
    assert "limit" in said, said
    if os.path.exists(JEMALLOC):
        for carrier in ("fiber", "kernel"):
            expect((0,), ["run", "--carrier", carrier], "forks_and_allocates", {"LD_PRELOAD": JEMALLOC})
