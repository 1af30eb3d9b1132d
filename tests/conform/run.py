#!/usr/bin/env python3
"""Thread tests of other projects under heddle: each must do there what it does by itself.

usage: run.py [SUITE] [NAME...] [--carrier fiber|kernel] [--seeds N] [--debug SECONDS] [--again]

SUITE is one of glibc, libstdc++, libcxx, tsan; without it all of them run. So are the tests of libraries (libraries.py): glib, libuv, libevent, nng,
onetbb, mimalloc, leveldb and own, or `libraries` for all of those. The sources come from Debian's source packages and are kept under
--work. A test counts if it can be built here and passes by itself. It passes under heddle if it does so under the schedule without preemptions
and under N random ones, on each carrier. What is known to fail is listed with its reason in expected.tsv: an unlisted failure fails the verb,
and so does a listed one that passes everywhere. --debug also looks
for bugs in each with `heddle debug --time SECONDS`, which must find none and end in time. --again takes the programs, and what they did by themselves, from the last time.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import shutil
import sys
import time

import cxx
import glibc
import libraries
import sources
import suite
import tsan

HERE = pathlib.Path(__file__).resolve().parent
CONFORMANCE = [s.name for s in (glibc.Glibc, cxx.Libstdcxx, cxx.Libcxx, tsan.Tsan)]
LIBRARIES = [s.name for s in libraries.ALL]
SUITES = {s.name: s for s in (glibc.Glibc, cxx.Libstdcxx, cxx.Libcxx, tsan.Tsan, *libraries.ALL)}
sources.PACKAGES.update(libraries.PACKAGES)
GRACE = 1.07  # of the time that a search was given


@dataclasses.dataclass
class Result:
    name: str
    left_out: str = ""
    complaints: dict = dataclasses.field(default_factory=dict)  # carrier -> the first complaint


def make(tests, name, directory):
    """The command of a test and what it ends with by itself. Raises LeftOut."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    command = list(tests.build(name, directory))
    return command, tests.native(name, command, directory)


def made(tests, name, directory, again):
    """The same, kept for the next time."""
    kept = directory / "made.json"
    if again and kept.is_file():
        known = json.loads(kept.read_text())
        if known["left_out"]:
            raise suite.LeftOut(known["left_out"])
        return known["command"], known["expected"]
    known = {"left_out": "", "command": [], "expected": 0}
    try:
        command, known["expected"] = make(tests, name, directory)
        known["command"] = [str(word) for word in command]
    except suite.LeftOut as why:
        known["left_out"] = str(why)
        raise
    finally:
        kept.write_text(json.dumps(known))
    return known["command"], known["expected"]


def search(tests, name, command, directory, seconds):
    """A complaint, if the search reports a failure or goes on for too long."""
    words = [tests.heddle, "debug", "--time", str(seconds), "--jobs", "1", "--", *command]
    begun = time.monotonic()
    done = suite.run(words, directory, 10 * seconds, tests.environment(name, directory))
    took = time.monotonic() - begun
    (directory / "debug.log").write_text(done.output)
    if done.code == 1:
        return "debug reports: " + (done.output.strip().splitlines() or [""])[0][:120]
    return f"debug --time {seconds} took {took:.1f} s" if took > seconds * GRACE + 1 else None


def try_one(tests, name, carriers, policies, again, seconds=0):
    directory = tests.work / "tests" / name
    try:
        command, expected = made(tests, name, directory, again)
    except suite.LeftOut as why:
        return Result(name, str(why))
    result = Result(name)
    for carrier in carriers:
        for policy in policies:
            complaint = tests.trial(name, command, directory, expected, carrier, policy)
            if complaint:
                result.complaints[carrier] = f"{' '.join(policy).replace('--', '')}: {complaint}"
                break
    if seconds:
        complaint = search(tests, name, command, directory, seconds)
        if complaint:
            result.complaints.setdefault(carriers[0], complaint)
    return result


def read_expected(file):
    """{(suite, test): (carriers, reason)}; a line is suite, test, carriers or *, reason, with tabs between."""
    known = {}
    for line in file.read_text().splitlines():
        if line and not line.startswith("#"):
            of, test, carriers, reason = line.split("\t")
            known[of, test] = (carriers.split(",") if carriers != "*" else ["fiber", "kernel"], reason)
    return known


def compare(of, results, known, whole):
    """Prints what differs from the list; how many differ."""
    wrong = 0
    for result in results:
        carriers, reason = known.get((of, result.name), ([], ""))
        for carrier, complaint in sorted(result.complaints.items()):
            if carrier in carriers:
                print(f"  known   {result.name} [{carrier}] {complaint}")
            else:
                wrong += 1
                print(f"  FAILED  {result.name} [{carrier}] {complaint}")
        if carriers and not result.left_out and not result.complaints:
            wrong += 1
            print(f"  PASSES  {result.name} is listed as a failure ({reason})")
    names = {result.name for result in results}
    if whole:
        for (suite_name, test) in known:
            if suite_name == of and test not in names:
                wrong += 1
                print(f"  GONE    {test} is listed as a failure, and there is no such test")
    return wrong


def summary(of, results, carriers):
    counted = [r for r in results if not r.left_out]
    print(f"{of}: {len(results)} tests, {len(results) - len(counted)} left out, {len(counted)} counted")
    kinds = collections.Counter(r.left_out.split(":")[0] for r in results if r.left_out)
    for kind, count in kinds.most_common():
        print(f"  left out {count:4}  {kind}")
    for carrier in carriers:
        passed = sum(carrier not in r.complaints for r in counted)
        print(f"  {carrier:8} {passed} of {len(counted)} pass" + (f" ({100 * passed / len(counted):.1f} %)" if counted else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parent.parent / "build/bin/heddle")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/conform"))
    parser.add_argument("--sources", type=pathlib.Path, help="a directory with the unpacked sources, instead of fetching them")
    parser.add_argument("--expected", type=pathlib.Path, default=HERE / "expected.tsv")
    parser.add_argument("--carrier", choices=["fiber", "kernel"], action="append")
    parser.add_argument("--seeds", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--debug", type=int, default=0, metavar="SECONDS")
    parser.add_argument("--left-out", action="store_true", help="name each test that is left out, and why")
    parser.add_argument("--again", action="store_true", help="with the programs that were built and tried by themselves the last time")
    parser.add_argument("words", nargs="*", metavar="SUITE NAME...")
    options = parser.parse_args()
    chosen = [options.words.pop(0)] if options.words and options.words[0] in (*SUITES, "libraries") else CONFORMANCE
    if chosen == ["libraries"]:
        chosen = LIBRARIES
    if options.words and len(chosen) > 1:
        parser.error(f"'{options.words[0]}' is none of {', '.join(SUITES)}")
    carriers = options.carrier or ["fiber", "kernel"]
    policies = [["--policy", "stay"], *(["--policy", "random", "--seed", str(seed)] for seed in range(1, options.seeds + 1))]
    known = read_expected(options.expected)
    wrong = 0
    for of in chosen:
        try:
            place = options.sources or (sources.unpack(options.work, SUITES[of].package) if SUITES[of].package else HERE / of)
        except sources.CannotFetch as why:
            sys.exit(f"conform: {why}")
        tests = SUITES[of](options.heddle.resolve(), place.resolve(), (options.work / of).resolve())
        tests.work.mkdir(parents=True, exist_ok=True)
        tests.prepare()
        names = options.words or tests.find()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda name: try_one(tests, name, carriers, policies, options.again, options.debug), names))
        summary(of, results, carriers)
        if options.left_out:
            for result in results:
                if result.left_out:
                    print(f"  out     {result.name}: {result.left_out}")
        wrong += compare(of, results, known, not options.words)
        sys.stdout.flush()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
