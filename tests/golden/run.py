#!/usr/bin/env python3
"""The terminal report of known bugs, compared with what is kept in expected/.

usage: run.py --heddle PROGRAM [--cc gcc] [--cxx g++] [--work DIR] [--update] NAME...

NAME is a kernel of bench/programs, which is compiled here: as any program, or by heddle-cc where its header says that the bug lies
between memory accesses. Each is debugged with a fixed seed in a directory of its own; the report at 120 and at 80
characters' width must equal expected/NAME.txt, the class must be the one that the kernel's header states, and the line that its
source marks // BUG must be named. What depends on the build alone (ids, replay strings, times) is left out of the comparison.
--update writes what heddle says now; look at the difference before committing it.
"""
import argparse
import difflib
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "bench" / "programs"
TIMEOUT = 600  # a hang of heddle itself, not a measurement
sys.path.insert(0, str(KERNELS))
from classes import CLASSES  # noqa: E402


def manifest():
    done = subprocess.run(
        [sys.executable, str(KERNELS / "manifest.py"), "--suite", "kernels"], capture_output=True, text=True, check=True
    )
    return {entry["name"]: entry for entry in json.loads(done.stdout)}


def build(name, entry, options, directory):
    source = KERNELS / entry["source"]
    cpp = source.suffix == ".cpp"
    if entry["granularity"] == "access":
        compiler = str(pathlib.Path(options.heddle).parent / ("heddle-c++" if cpp else "heddle-cc"))
    else:
        compiler = options.cxx if cpp else options.cc
    program = directory / name
    defines = [f"-D{key}={value}" for key, value in entry["defines"].items()]
    subprocess.run(
        [compiler, "-std=c++20" if cpp else "-std=gnu11", "-O1", "-g", "-pthread", *defines, str(source), "-o", str(program), "-lm"],
        check=True,
    )
    return program.resolve()


def call(heddle, arguments, directory, codes):
    done = subprocess.run(
        [heddle, *arguments], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT
    )
    if done.returncode not in codes:
        raise AssertionError(f"heddle {' '.join(arguments)} exits with {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def settled(text, bug):
    """Without what changes from build to build."""
    text = re.sub(r"^PASTE .*\n", "", text, flags=re.M)
    text = re.sub(r"^FOUND (?:.*\n)(?: {7}.*\n)*", "", text, flags=re.M)
    return text.replace(bug, "ID")


def check(name, entry, options, directory):
    program = build(name, entry, options, directory)
    # Which instructions of a plain program become points depends on what fits into the time: the calls alone give the same report anywhere.
    points = [] if entry["granularity"] == "access" else ["--points", "sync"]
    said = json.loads(
        call(
            options.heddle,
            ["debug", "--json", "--seed", "1", "--executions", "5000", "--simplify-time", "0", "--no-reduce", "--no-slice", *points, "--", str(program)],
            directory,
            (1,),
        )
    )
    diagnosis = said["diagnosis"]
    bug = said["bug"].rsplit("/", 1)[-1]
    report = "".join(
        settled(call(options.heddle, ["explain", "--width", str(width)], directory, (0,)), bug) for width in (120, 80)
    )
    problems = []
    if diagnosis["class"] not in CLASSES[entry["class"]]:
        problems.append(f"called {diagnosis['class']}, is {entry['class']}")
    source = pathlib.Path(entry["source"]).name
    if not any(re.search(rf"(?m)({re.escape(source)}:{line}\b|^\s+{line} \|)", report) for line in entry["bug_lines"]):
        problems.append(f"does not name {source}:{entry['bug_lines']}")
    golden = HERE / "expected" / f"{name}.txt"
    if options.update:
        golden.write_text(report)
    elif not golden.exists():
        problems.append(f"{golden.name} is missing; make it with --update")
    elif golden.read_text() != report:
        problems.append(
            "".join(difflib.unified_diff(golden.read_text().splitlines(True), report.splitlines(True), "expected", "now"))
        )
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("golden-work"))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    options.heddle = str(pathlib.Path(options.heddle).resolve())
    entries = manifest()
    failed = False
    for name in options.names:
        directory = options.work / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        problems = check(name, entries[name], options, directory)
        failed |= bool(problems)
        print(f"{name}: {'ok' if not problems else ''}")
        for problem in problems:
            print(f"  {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
