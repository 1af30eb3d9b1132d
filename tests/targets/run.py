#!/usr/bin/env python3
"""Runs the target programs under heddle and compares what it says with what each source file expects.

usage: run.py [--heddle PROGRAM] [--programs DIR] [--repeat N] [NAME...]

A source file states its expectation in comment lines of the form
  // heddle: expect=deadlock preemptions=1 switches=2 runs<=200 flags="--points all" args="4 x" compile=plain
expect       the failure's kind (deadlock, signal, abort, assert, exception, exit, output, livelock, misuse), or none
preemptions  of the simplified schedule; also preemptions<=N
switches     of the simplified schedule; also switches<=N
threads      of the simplified schedule; also threads<=N
runs<=N      the search must succeed within N executions; with expect=none: how many it makes (default 500)
message      a regular expression that the failure's message must contain
flags        more options for `heddle debug`
args         arguments for the program
compile      plain (default) or instrumented (with heddle-cc)
options      more options for the compiler, joined by commas, as -fopenmp
A found failure is replayed --repeat times on each carrier, strictly, and every replay must be identical; a program with
expect=none must also give its own exit code, 0, under `heddle run` with random schedules on each carrier, and one random schedule of it
is replayed --repeat times on each carrier, too.
"""
import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CARRIERS = ("fiber", "kernel")
COUNTS = ("preemptions", "switches", "threads")
KINDS = "deadlock signal abort assert exception exit output livelock misuse none".split()
DEFAULT_RUNS = 500
TIMEOUT = 300  # a hang of heddle itself, not a measurement


class Mismatch(Exception):
    """What heddle said is not what the file expects; carries the command to look at it with."""

    def __init__(self, what, command=None):
        super().__init__(what)
        self.command = command


def parse_expectation(text):
    """The `// heddle:` lines of a source text -> {key: (operator, value)}; all lines together state one expectation."""
    found = {}
    for line in re.findall(r"^// heddle:(.*)$", text, re.M):
        for word in shlex.split(line):
            match = re.fullmatch(r"(\w+)(<=|=)(.*)", word, re.S)
            if not match:
                raise ValueError(f"cannot read '{word}' in the heddle line")
            key, operator, value = match.groups()
            if key not in ("expect", "runs", "message", "flags", "args", "compile", "options", *COUNTS):
                raise ValueError(f"unknown key '{key}' in the heddle line")
            if key in found:
                raise ValueError(f"'{key}' is given twice")
            found[key] = (operator, int(value) if key == "runs" or key in COUNTS else value)
    if "expect" not in found:
        raise ValueError("no `// heddle: expect=...` line")
    if found["expect"][1] not in KINDS:
        raise ValueError(f"unknown expectation '{found['expect'][1]}'")
    return found


def holds(condition, value):
    operator, wanted = condition
    return value <= wanted if operator == "<=" else value == wanted


class Heddle:
    """Calls the tool in one directory and reads its JSON."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory

    def shown(self, arguments):
        return f"cd {shlex.quote(str(self.directory))} && {shlex.join([str(self.program), *arguments])}"

    def call(self, arguments, exit_codes):
        try:
            done = subprocess.run(
                [str(self.program), *arguments],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            raise Mismatch(f"heddle {arguments[0]} did not end within {TIMEOUT} s", self.shown(arguments)) from None
        if done.returncode not in exit_codes:
            wanted = " or ".join(map(str, exit_codes))
            tail = (done.stderr.strip() or done.stdout.strip())[-2000:]
            raise Mismatch(
                f"heddle {arguments[0]} exits with {done.returncode}, not {wanted}\n{tail}", self.shown(arguments)
            )
        return done

    def json(self, arguments, exit_codes):
        done = self.call(arguments, exit_codes)
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise Mismatch(f"standard output is no JSON document: {done.stdout[:300]!r}", self.shown(arguments)) from None


def check_replays(heddle, failure, simplified, repeat):
    """Strict replay, many times on each carrier: the same failure with the same counts, and the same trace each time."""
    for carrier in CARRIERS:
        command = ["replay", "--repeat", str(repeat), "--carrier", carrier, "--json"]
        shown = heddle.shown(command)
        replay = heddle.json(command, exit_codes=(1,))
        if replay.get("verdict") != "failure":
            raise Mismatch(f"replay on {carrier}: verdict {replay.get('verdict')!r}, not 'failure'", shown)
        for key in ("kind", "signature"):
            if replay["failure"].get(key) != failure.get(key):
                raise Mismatch(f"replay on {carrier}: {key} {replay['failure'].get(key)!r}, not {failure.get(key)!r}", shown)
        if repeat > 1 and replay.get("identical") is not True:
            raise Mismatch(f"replay on {carrier}: {repeat} replays are not identical", shown)
        for key in ("preemptions", "switches", "events"):
            if replay.get(key) != simplified.get(key):
                raise Mismatch(
                    f"replay on {carrier}: {key}={replay.get(key)}, but the schedule has {simplified.get(key)}", shown
                )


def check_correct(heddle, program, arguments):
    for carrier in CARRIERS:
        for seed in ("1", "2", "3"):
            heddle.call(
                ["run", "--policy", "random", "--seed", seed, "--carrier", carrier, "--", program, *arguments], exit_codes=(0,)
            )


def check_correct_replays(heddle, program, arguments, repeat):
    """A run that passes, kept by calling every exit code a failure: the same events again, each time."""
    impossible = ["--expect-exit", "256"]
    search = ["find", "--json", "--strategy", "random", "--seed", "7", "--executions", "1", *impossible]
    found = heddle.json([*search, "--", program, *arguments], exit_codes=(1,))
    check_replays(heddle, found["failure"], found["found"], repeat)


def check_target(source, options):
    """Raises Mismatch or ValueError; returns one line of figures."""
    expectation = parse_expectation(source.read_text())
    program = options.programs / source.stem
    if not program.is_file():
        raise Mismatch(f"{program} has not been built")
    directory = options.programs / "work" / source.stem
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    heddle = Heddle(options.heddle, directory)

    wanted = expectation["expect"][1]
    runs = expectation.get("runs", ("<=", DEFAULT_RUNS))
    flags = shlex.split(expectation.get("flags", ("=", ""))[1])
    arguments = shlex.split(expectation.get("args", ("=", ""))[1])
    command = ["debug", "--json", "--executions", str(runs[1]), *flags, "--", str(program), *arguments]
    result = heddle.json(command, exit_codes=(0,) if wanted == "none" else (1,))
    shown = heddle.shown(command)
    verdict = "none" if wanted == "none" else "failure"
    if result.get("verdict") != verdict:
        raise Mismatch(f"verdict {result.get('verdict')!r}, not {verdict!r}: {json.dumps(result.get('failure'))}", shown)
    if wanted == "none":
        check_correct(heddle, str(program), arguments)
        check_correct_replays(heddle, str(program), arguments, options.repeat)
        return f"no failure in {result['find']['executions']} runs"

    failure, found, simplified = result["failure"], result["find"], result["simplified"]
    replay = heddle.shown(["replay"])
    if failure.get("kind") != wanted:
        raise Mismatch(f"kind {failure.get('kind')!r}, not {wanted!r} ({failure.get('message')})", replay)
    if not re.search(expectation.get("message", ("=", ""))[1], failure.get("message", "")):
        raise Mismatch(f"message {failure.get('message')!r}", replay)
    if not holds(runs, found["executions"]):
        raise Mismatch(f"found after {found['executions']} runs, not runs{runs[0]}{runs[1]}", replay)
    for key in COUNTS:
        if key in expectation and not holds(expectation[key], simplified[key]):
            condition = "".join(map(str, expectation[key]))
            raise Mismatch(f"simplified to {key}={simplified[key]}, not {key}{condition}", replay)
    check_replays(heddle, failure, simplified, options.repeat)
    return (
        f"{wanted} after {found['executions']} runs, {simplified['preemptions']} preemptions, {simplified['switches']} switches"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/bin/heddle")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/tests/targets")
    parser.add_argument("--sources", type=pathlib.Path, default=HERE)
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.heddle, options.programs = options.heddle.resolve(), options.programs.resolve()
    sources = {path.stem: path for pattern in ("*.c", "*.cpp") for path in sorted(options.sources.glob(pattern))}
    unknown = [name for name in options.names if name not in sources]
    if unknown:
        parser.error(f"no such target: {' '.join(unknown)}")

    passed = failed = 0
    for name in options.names or sorted(sources):
        try:
            print(f"{name}: {check_target(sources[name], options)}", flush=True)
            passed += 1
        except (Mismatch, ValueError, KeyError, TypeError) as problem:
            text = f"the JSON lacks {problem}" if isinstance(problem, KeyError) else problem
            print(f"{name}: FAILED: {text}", flush=True)
            if getattr(problem, "command", None):
                print(f"  look at it with: {problem.command}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
