#!/usr/bin/env python3
"""The explorer on programs whose answer is known by hand."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HEAD = "thread 0\n create t1\n create t2\n join t1\n join t2\n"

# Name, program, build, failures with their fewest preemptions.
CASES = [
    # An update that is not atomic is lost by one preemption between its halves, and only where accesses are points.
    ("lost update, instrumented", HEAD + " never p0==1\nthread 1\n load r0 p0\n store p0 r0+1\nthread 2\n load r0 p0\n store p0 r0+1\n",
     "instrumented", {"assert T0.4": 1}),
    ("lost update, plain", HEAD + " never p0==1\nthread 1\n load r0 p0\n store p0 r0+1\nthread 2\n load r0 p0\n store p0 r0+1\n",
     "plain", {}),
    # Two orders of two locks: one preemption.
    ("deadlock", HEAD + "thread 1\n lock m0\n lock m1\n unlock m1\n unlock m0\nthread 2\n lock m1\n lock m0\n unlock m0\n unlock m1\n",
     "plain", {"deadlock T1.1 T2.1": 1}),
    # Lost wake-up: the signal comes first, without a preemption.
    ("lost wake-up", HEAD + "thread 1\n lock m0\n wait c0 m0\n unlock m0\nthread 2\n signal c0\n", "plain", {"deadlock T1.1": 0}),
    # A time-out fires when nothing else can run, and not before ...
    ("time-out", HEAD + " never p0==1\nthread 1\n semtimed r3 s0 d0\n store p0 r3+1\nthread 2\n sempost s0\n", "plain", {}),
    # ... unless it may fire early.
    ("early time-out", HEAD + " never p0==1\nthread 1\n semtimed r3 s0 d0\n store p0 r3+1\nthread 2\n sempost s0\n",
     "plain early", {"assert T0.4": 0}),
    # What follows an unlock happens at once with it ...
    ("unlock", HEAD + " never p0==1\nthread 1\n lock m0\n load r0 p0\n unlock m0\n store p0 r0+1\nthread 2\n lock m0\n store p0 3\n unlock m0\n",
     "plain", {}),
    # ... unless it has a point behind it: then the other's whole section fits in between.
    ("behind unlock", HEAD + " never p0==1\nthread 1\n lock m0\n load r0 p0\n unlock m0\n store p0 r0+1\nthread 2\n lock m0\n store p0 3\n unlock m0\n",
     "plain releases", {"assert T0.4": 1}),
    # Leaving a thread that yields costs nothing.
    ("yield", HEAD + " never p0==1\nthread 1\n load r0 p0\n yield\n yield\n store p0 r0+1\nthread 2\n load r0 p0\n store p0 r0+1\n",
     "instrumented", {"assert T0.4": 0}),
]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True)
    options = p.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        for name, text, build, failures in CASES:
            path = os.path.join(directory, "program.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("program X\n" + text)
            subprocess.run([options.model, directory, "read", path], check=True)
            with open(os.path.join(directory, "truth.json"), encoding="utf-8") as file:
                truth = json.load(file)[0][build]
            good = truth["failures"] == failures
            wrong += not good
            print(f"{'ok' if good else 'WRONG'}  {name}: {truth['failures']}" + ("" if good else f", expected {failures}"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
