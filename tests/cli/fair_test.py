#!/usr/bin/env python3
"""A run without a limit ends where the program does: the schedule without preemptions starves nobody for ever.

usage: fair_test.py --heddle PROGRAM --programs DIR
"""
import argparse
import subprocess

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--programs", required=True)
options = parser.parse_args()
for carrier in ("fiber", "kernel"):
    command = [options.heddle, "run", "--policy", "stay", "--carrier", carrier, "--", f"{options.programs}/starved"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{carrier}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
