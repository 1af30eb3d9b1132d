#!/usr/bin/env python3
"""The harness itself, without the network: it must see a failure, know a listed one, and complain of one that passes.

usage: smoke_test.py --heddle FILE --work DIR
"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CASES = [
    # what is listed, exit code, what is said
    ("", 1, ["4 tests, 2 left out, 2 counted", "fiber    1 of 2 pass (50.0 %)", "FAILED  30_threads/fails.cc [fiber]", "left out    1  only compiled, not run", "left out    1  natively"]),
    ("libstdc++\t30_threads/fails.cc\t*\tundefined\n", 0, ["known   30_threads/fails.cc [fiber]"]),
    ("libstdc++\t30_threads/fails.cc\tkernel\tundefined\n", 1, ["FAILED  30_threads/fails.cc [fiber]"]),
    ("libstdc++\t30_threads/fails.cc\t*\tundefined\nlibstdc++\t30_threads/passes.cc\t*\tnone\n", 1, ["PASSES  30_threads/passes.cc"]),
    ("libstdc++\t30_threads/fails.cc\t*\tundefined\nlibstdc++\t30_threads/gone.cc\t*\tnone\n", 1, ["GONE    30_threads/gone.cc"]),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for listed, code, said in CASES:
        expected = options.work / "expected.tsv"
        expected.write_text(listed)
        done = subprocess.run([sys.executable, HERE / "run.py", "libstdc++", "--carrier", "fiber", "--heddle", options.heddle, "--work", options.work, "--sources", HERE / "sample", "--expected", expected], capture_output=True, text=True)
        missing = [words for words in said if words not in done.stdout]
        if done.returncode != code or missing:
            wrong += 1
            print(f"listed {listed!r}: exit {done.returncode}, not {code}; not said: {missing}\n{done.stdout}{done.stderr}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
