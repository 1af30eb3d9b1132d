#!/usr/bin/env python3
"""The corpus under random schedules: every answer right, the same seed the same trace on every carrier and again, another seed another trace.

usage: traces.py [--heddle FILE] [--work DIR] [--seeds N] [--carriers "fiber kernel"] [--part ci] [--record] [--without NAME]... [NAME...]

Exit code 0 if all of it holds, for every program of the list that was not left out by name: one that is not installed gives a wrong answer. A
program that is started several times by its command counts with all its runs together. Of servers and of programs with several processes only
the answers are compared: what comes from outside is not a function of the seed. --record records each of them and replays the recording, with the inputs
deleted and the peers gone: it must be the same run.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(rb"heddle: (\d+) events, (\d+) with a choice of threads, (\d+) threads, (\d+) switches, (\d+) preemptions, sum ([0-9a-f]{16})")
LEAST = 1 / 20  # preemptions for each event before which another thread could have run
OUTSIDE = ("server", "own")


def read_list():
    """{name: part}"""
    rows = [line.split("\t") for line in (HERE / "corpus.tsv").read_text().splitlines() if line and not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def run_corpus(options, names, launcher):
    """{program: did it answer right}"""
    done = subprocess.run([HERE / "run.sh", options.work.resolve(), *names], env=dict(os.environ, RUN=launcher), capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {words[0]: words[3] == "ok" for words in lines if len(words) >= 4 and words[2] == "ms"}


def run_all(options, seed, carrier, more=""):
    """{program: (right, events, events with a choice, preemptions, sums)}"""
    answers = run_corpus(options, options.names, f"{options.heddle.resolve()} run --policy random --seed {seed} --carrier {carrier} --statistics{more} --")
    seen = {}
    for name, right in answers.items():
        rows = LINE.findall((options.work / "logs" / f"{name}.log").read_bytes())
        seen[name] = (right, sum(int(r[0]) for r in rows), sum(int(r[1]) for r in rows), sum(int(r[4]) for r in rows), tuple(sorted(r[5] for r in rows)))
    return seen


def replay_all(options, name):
    """Records the program and replays what was recorded: complaints."""
    heddle, work = options.heddle.resolve(), options.work.resolve()
    for old in work.rglob(".heddle"):
        shutil.rmtree(old)
    if not run_corpus(options, [name], f"{heddle} record --always --seed 1 --").get(name):
        return ["recorded: a wrong answer"]
    said = (work / "logs" / f"{name}.log").read_text(errors="replace")
    complaints = [f"record: {words}" for words in re.findall(r"but it does not replay: (.*)", said)[:1]]
    places = [place for place in work.rglob(".heddle") if (place / "bugs").is_dir()]
    if not places:
        return complaints or ["nothing was recorded"]
    inputs, away = work / "in", work / "away"
    deletes = not any(inputs in place.parents for place in places)
    if deletes:
        inputs.rename(away)
    try:
        for place in places:
            for bug in sorted((place / "bugs").iterdir()):
                done = subprocess.run([heddle, "replay", bug.name], cwd=place.parent, capture_output=True, text=True, errors="replace", timeout=300, stdin=subprocess.DEVNULL)
                if done.returncode == 125:
                    complaints.append("replay: " + ((done.stderr + done.stdout).strip().splitlines() or [""])[-1][:150])
    except subprocess.TimeoutExpired:
        complaints.append("replay: goes on for more than 300 s")
    finally:
        if deletes:
            shutil.rmtree(inputs, ignore_errors=True)
            away.rename(inputs)
    return complaints[:1]


def judge(options, part, runs, again, carriers):
    complaints = []
    if sum(r[0] for r in runs.values()) != len(runs) or not again[0]:
        complaints.append("wrong answers")
    if part in OUTSIDE:
        return complaints
    sums = {}
    for (seed, _), run in runs.items():
        sums.setdefault(seed, set()).add(run[4])
    if any(len(s) > 1 for s in sums.values()):
        complaints.append("carriers differ at seeds " + ", ".join(str(s) for s, found in sums.items() if len(found) > 1))
    if again[4] != runs[1, carriers[0]][4]:
        complaints.append("the same seed gave another trace")
    if len({run[4] for run in runs.values()}) < len(sums):
        complaints.append("seeds with the same trace")
    if any(r[3] < r[2] * LEAST for r in runs.values()):
        complaints.append("fewer than one preemption in 20 choices")
    return complaints


def schedules(options, parts):
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
        complaints = judge(options, parts[program], runs, again[program], carriers)
        first = runs[1, carriers[0]]
        right, different = sum(r[0] for r in runs.values()), len({run[4] for run in runs.values()})
        broken = broken or bool(complaints)
        print(f"{program:10} {right:4}/{len(runs):<4} {first[1]:9} {first[2]:9} {first[3]:12} {different:7}  {'; '.join(complaints)}")
    return broken


def recordings(options):
    broken = False
    for name in options.names:
        complaints = replay_all(options, name)
        broken = broken or bool(complaints)
        print(f"{name:10} {complaints[0] if complaints else 'recorded and replayed'}", flush=True)
    return broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parent.parent / "build/bin/heddle")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/corpus"))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--carriers", default="fiber kernel")
    parser.add_argument("--part", action="append", help="only programs of this part of the list")
    parser.add_argument("--record", action="store_true", help="record and replay, instead of comparing schedules")
    parser.add_argument("--without", metavar="NAME", action="append", default=[], help="leave this program out")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    parts = read_list()
    unknown = set(options.names + options.without) - set(parts)
    if unknown:
        parser.error("not in corpus.tsv: " + ", ".join(sorted(unknown)))
    wanted = [name for name in parts if not options.part or parts[name] in options.part]
    options.names = [name for name in options.names or wanted if name not in options.without]
    return 1 if (recordings(options) if options.record else schedules(options, parts)) else 0


if __name__ == "__main__":
    sys.exit(main())
