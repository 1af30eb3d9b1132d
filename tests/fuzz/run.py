#!/usr/bin/env python3
"""Random thread programs under Heddle, compared with an explorer that shares nothing with it.

Each program is built plain and instrumented, many in one binary. Compared are: the verdict of `check` up to a bound, the number of preemptions
it found, the verdict of `debug`, the minimum it says is proved, and that the failure replays on both carriers. Exit code 1: a difference.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import time

import shrink
import tool


class Bench:
    """Where programs are written, built and asked about."""

    def __init__(self, options):
        self.options = options
        self.counts = collections.Counter()
        self.judge = tool.Judge(self.count, options)
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)

    def count(self, mode, answer):
        self.counts[(mode, answer)] += 1

    def write(self, name, words):
        """Programs of one binary: a directory, and what is true of each, in the builds that `words` end with."""
        directory = os.path.join(self.options.work, name)
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        done = subprocess.run([self.options.model, directory] + words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"fuzz: {done.stderr.strip()}")
        with open(os.path.join(directory, "truth.json"), encoding="utf-8") as file:
            return directory, json.load(file)

    def build(self, directory, names):
        source = os.path.join(directory, "programs.c")
        builds = []
        for name in names:
            binary = os.path.join(directory, name)
            compiler = [self.options.compiler]
            if name == "instrumented":
                compiler = [os.path.join(os.path.dirname(self.options.heddle), "heddle-cc")]
            environment = {**os.environ, "HEDDLE_CC": self.options.compiler}
            subprocess.run(compiler + ["-O1", "-g", "-w", "-pthread", source, "-o", binary], check=True, env=environment)
            builds.append(tool.Build(name, binary, self.options.heddle, os.path.join(directory, "scratch")))
        return builds

    def ask(self, builds, index, program, number):
        """All differences of one program. What is costly takes turns."""
        found = []
        for turn, build in enumerate(builds):
            its_turn = self.options.thorough or self.options.quick or (number + turn) % 2 == 0
            early = program["timed"] and its_turn
            if "check" in self.options.only:
                if not (self.options.quick and early and number // 2 % 2 == 0):
                    found += self.judge.check(build, index, program)
                    early = early and not self.options.quick
                if early:
                    found += self.judge.check(build, index, program, early=1)
            if "debug" in self.options.only and its_turn:
                carriers = tool.CARRIERS if not self.options.quick else [tool.CARRIERS[number % 2]]
                found += self.judge.debug(build, index, program, carriers)
        return found

    def builds_of(self, batch):
        """The builds of a batch of programs, by its number."""
        return self.options.builds if not self.options.quick else [self.options.builds[batch % len(self.options.builds)]]

    def batch(self, directory, programs, first=0, names=None):
        builds = self.build(directory, names or self.options.builds)
        jobs = [self.pool.submit(self.ask, builds, i, p, first + i) for i, p in enumerate(programs)]
        return [d for job in jobs for d in job.result()]


def parse_arguments():
    p = argparse.ArgumentParser(prog="./dev fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--programs", type=int, default=200, help="how many [200]")
    p.add_argument("--seed", type=int, default=1, help="which [1]")
    p.add_argument("--first", type=int, default=0, help="begin with this one, to go on after a stop [0]")
    p.add_argument("--file", action="append", help="programs as text, instead of random ones")
    p.add_argument("--batch", type=int, default=50, help="programs to a binary [50]")
    p.add_argument("--schedules", type=int, help="the most schedules of a `check`: its bound is chosen by it [1500, quick: 300]")
    p.add_argument("--builds", default="plain,instrumented", type=lambda s: s.split(","), help="[plain,instrumented]")
    p.add_argument("--compiler", default="gcc", help="gcc or clang [gcc]")
    p.add_argument("--thorough", action="store_true", help="`debug` on every build of every program")
    p.add_argument("--quick", action="store_true", help="for many programs: each in one build, one `check`, `debug` and replay, and fewer schedules")
    p.add_argument("--only", default="check,debug", type=lambda s: s.split(","), help="which questions [check,debug]")
    p.add_argument("--check-options", default=[], type=lambda s: s.split(), help="more options for `check`: for tests")
    p.add_argument("--believe-assumed", action="store_true", help="take what `check` only assumes for proved: for tests")
    p.add_argument("--learn-every", type=int, default=1, help="one plain program of so many may learn which accesses race [1]")
    p.add_argument("--no-shrink", action="store_true", help="do not look for a smaller program that shows a difference")
    p.add_argument("--expect", help="sorts of difference, joined by commas, that must be found, and no others: for tests")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--heddle", required=True, help=argparse.SUPPRESS)
    p.add_argument("--model", required=True, help=argparse.SUPPRESS)
    p.add_argument("--work", required=True, help=argparse.SUPPRESS)
    options = p.parse_args()
    options.schedules = options.schedules or (300 if options.quick else 1500)
    for name in ("heddle", "model", "work"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    return options


def tell(bench, difference):
    """The difference, with the smallest program that shows it and the command that repeats it."""
    options = bench.options
    print(f"\nDIFFERENCE {difference}", flush=True)
    program = difference.program
    if not options.no_shrink:
        program = shrink.shrink(bench, difference)
    print(program["text"])
    path = os.path.join(options.work, f"{program['name']}-{re.sub('[^a-z]+', '-', difference.sort)}.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program["text"])
    print(f"  to repeat: ./dev fuzz --file {path} --thorough" + (f" --compiler {options.compiler}" if options.compiler != "gcc" else ""), flush=True)


def table(bench, programs, differences, seconds):
    rows = collections.defaultdict(dict)
    for (mode, answer), count in sorted(bench.counts.items()):
        rows[mode][answer] = count
    print(f"\n{programs} programs, {seconds:.0f} s")
    for mode, answers in rows.items():
        print(f"  {mode:36} " + ", ".join(f"{answer} {count}" for answer, count in answers.items()))
    sorts = collections.Counter(d.sort for d in differences)
    print("  differences: " + (", ".join(f"{sort} {count}" for sort, count in sorts.items()) or "none"), flush=True)
    return sorts


def main():
    options = parse_arguments()
    bench = Bench(options)
    start = time.time()
    differences = []
    done = 0
    if options.file:
        directory, programs = bench.write("file", ["read"] + options.file)
        differences = bench.batch(directory, programs)
        done = len(programs)
    while not options.file and done < options.programs:
        first = options.first + done
        count = min(options.batch, options.programs - done)
        names = bench.builds_of(first // options.batch)
        directory, programs = bench.write(f"batch-{first}", ["generate", str(options.seed), str(first), str(count)] + names)
        new = bench.batch(directory, programs, first, names)
        for difference in new[:3] if not options.expect else []:
            tell(bench, difference)
        differences += new
        shutil.rmtree(directory, ignore_errors=True)
        done += count
        print(f"{done} of {options.programs} programs, {len(differences)} differences, {time.time() - start:.0f} s"
              f" (go on: --seed {options.seed} --first {options.first + done})", file=sys.stderr, flush=True)
    if options.file and not options.expect:
        for difference in differences:
            tell(bench, difference)
    sorts = table(bench, done, differences, time.time() - start)
    if options.expect:
        return 0 if set(sorts) == set(options.expect.split(",")) else 1
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
