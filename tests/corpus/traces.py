#!/usr/bin/env python3
"""The corpus under random schedules: every answer right, the same seed the same trace on every carrier and again, another seed another trace.

usage: traces.py [--heddle FILE] [--work DIR] [--seeds N] [--carriers "fiber kernel"] [--without NAME]... [NAME...]

Exit code 0 if all of it holds, for every program of the list that was not left out by name: one that is not installed gives a wrong answer. A program that is started several times by its command counts with all its runs together.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(rb"heddle: (\d+) events, (\d+) with a choice of threads, (\d+) threads, (\d+) switches, (\d+) preemptions, sum ([0-9a-f]{16})")
LEAST = 1 / 20  # preemptions for each event before which another thread could have run


def run_all(options, seed, carrier, more=""):
    """{program: (right, events, events with a choice, preemptions, sums)}"""
    command = f"{options.heddle.resolve()} run --policy random --seed {seed} --carrier {carrier} --statistics{more} --"
    work = options.work.resolve()
    done = subprocess.run([HERE / "run.sh", work, *options.names], env=dict(os.environ, RUN=command), capture_output=True, text=True)
    seen = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) < 4 or words[2] != "ms":
            continue
        rows = LINE.findall((work / "logs" / f"{words[0]}.log").read_bytes())
        seen[words[0]] = (words[3] == "ok", sum(int(r[0]) for r in rows), sum(int(r[1]) for r in rows), sum(int(r[4]) for r in rows), tuple(sorted(r[5] for r in rows)))
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parent.parent / "build/bin/heddle")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/corpus"))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--carriers", default="fiber kernel")
    parser.add_argument("--without", metavar="NAME", action="append", default=[], help="leave this program out")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    listed = [line.split("\t")[0] for line in (HERE / "corpus.tsv").read_text().splitlines() if line and not line.startswith("#")]
    unknown = set(options.names + options.without) - set(listed)
    if unknown:
        parser.error("not in corpus.tsv: " + ", ".join(sorted(unknown)))
    options.names = [name for name in options.names or listed if name not in options.without]
    carriers = options.carriers.split()
    table = {}  # program -> {(seed, carrier): what was seen}
    for seed in range(1, options.seeds + 1):
        for carrier in carriers:
            seen = run_all(options, seed, carrier)
            print(f"seed {seed}, {carrier}: {sum(s[0] for s in seen.values())} of {len(seen)} right", flush=True)
            for program, what in seen.items():
                table.setdefault(program, {})[seed, carrier] = what
    # What differs from what the model says (tests/targets/model_test.py) is no right answer.
    again = run_all(options, 1, carriers[0], " --check-model")
    print(f"{'program':10} {'right':>9} {'events':>9} {'choices':>9} {'preemptions':>12} {'traces':>7}  complaints")
    broken = not table
    for program in options.names:
        runs = table.get(program, {})
        if len(runs) != options.seeds * len(carriers) or program not in again:
            print(f"{program:10} did not run at all seeds and carriers")
            broken = True
            continue
        complaints = []
        right = sum(r[0] for r in runs.values())
        if right != len(runs) or not again[program][0]:
            complaints.append("wrong answers")
        sums = {}
        for (seed, _), run in runs.items():
            sums.setdefault(seed, set()).add(run[4])
        if any(len(s) > 1 for s in sums.values()):
            complaints.append("carriers differ at seeds " + ", ".join(str(s) for s, found in sums.items() if len(found) > 1))
        if again[program][4] != runs[1, carriers[0]][4]:
            complaints.append("the same seed gave another trace")
        different = len({run[4] for run in runs.values()})
        if different < len(sums):
            complaints.append("seeds with the same trace")
        first = runs[1, carriers[0]]
        if any(r[3] < r[2] * LEAST for r in runs.values()):
            complaints.append("fewer than one preemption in 20 choices")
        broken = broken or bool(complaints)
        print(f"{program:10} {right:4}/{len(runs):<4} {first[1]:9} {first[2]:9} {first[3]:12} {different:7}  {'; '.join(complaints)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
