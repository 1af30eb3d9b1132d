#!/usr/bin/env python3
"""The model that the tool feeds with events against the runtime that asks glibc and the kernel: at every event of every program here, what
they think of every thread must be the same.

usage: model_test.py [--heddle PROGRAM] [--programs DIR] [--seeds N] [NAME...]

Prints one line for each program that differs, and how many answers were compared. Exit code 0 if nothing differs.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from run import HERE, ROOT, parse_expectation  # noqa: E402

LINE = re.compile(r"heddle: model: (\d+) events, (\d+) answers compared, (\d+) different, (\d+) not known")
TIMEOUT = 120  # a hang of heddle itself, not a measurement
EVENTS = "20000"
LEAST = 500  # answers; fewer: nothing was tested


def check(options, source, seed):
    """(answers compared, what is wrong or None)"""
    expectation = parse_expectation(source.read_text())
    arguments = shlex.split(expectation["args"][1]) if "args" in expectation else []
    carrier = ("fiber", "kernel")[seed % 2]
    command = [options.heddle, "run", "--check-model", "--policy", "random", "--seed", str(seed), "--carrier", carrier]
    command += ["--max-events", EVENTS, "--"]  # some work for ever
    command += [options.programs / source.stem, *arguments]
    command = [str(word) for word in command]
    with tempfile.TemporaryDirectory() as directory:
        try:
            done = subprocess.run(
                command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            return 0, f"no end within {TIMEOUT} s: {shlex.join(command)}"
    found = LINE.search(done.stderr)
    if not found:
        return 0, f"nothing was compared: {shlex.join(command)}\n{done.stderr[-500:]}"
    if int(found.group(3)):
        return int(found.group(2)), f"{shlex.join(command)}\n" + "\n".join(re.findall(r"heddle: before event.*", done.stderr))
    return int(found.group(2)), None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/bin/heddle")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/tests/targets")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.heddle = options.heddle.resolve()
    options.programs = options.programs.resolve()
    sources = [s for s in sorted(HERE.iterdir()) if s.suffix in (".c", ".cpp") and (not options.names or s.stem in options.names)]
    compared, wrong = 0, 0
    for source in sources:
        for seed in range(1, options.seeds + 1):
            answers, what = check(options, source, seed)
            compared += answers
            if what:
                wrong += 1
                print(f"{source.stem}, seed {seed}: {what}", flush=True)
    print(f"{len(sources)} programs, {compared} answers compared, {wrong} runs differ")
    return 1 if wrong or (not options.names and compared < LEAST) else 0


if __name__ == "__main__":
    sys.exit(main())
