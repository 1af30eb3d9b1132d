#!/usr/bin/env python3
"""Builds the small programs of racy/ and free/ with heddle-cc and asks `heddle races` about each, with its default settings.

usage: run.py --heddle PROGRAM --build DIR [--compiler gcc|clang] [--flags "-O1"] [--plain] [--executions N] [NAME...]

Every program of racy/ must be told to have a confirmed race in its own source; no program of free/ may be told so. A race that is only
possible is no statement about the program and is counted, not judged, but for programs that begin with "// not even possible".

With --plain they are built by the compiler alone and watched by Valgrind. There, what is not in the instructions is not found (UNSEEN), and
without -g in the flags a race of a racy program may be only possible.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
TIMEOUT = 300  # a hang of heddle itself, not a measurement
# The processor's own order is stronger than what these programs ask for, and a plain access of an atomic variable looks like an atomic one.
UNSEEN = {"atomic_and_plain", "fence_after_store", "fence_only_acquire", "fence_only_release", "mapped_too_late", "relaxed_acquire",
          "relaxed_counter_guard", "relaxed_publish", "relaxed_spinlock", "release_relaxed", "ring_without_order"}
ANNOTATED = {"annotated_lock", "failed_try_annotated"}  # do not link without the wrappers


def build(source, options):
    c, cxx = COMPILERS[options.compiler]
    wrapper = options.heddle.parent / ("heddle-cc" if source.suffix == ".c" else "heddle-c++")
    compiler = (c if source.suffix == ".c" else cxx) if options.plain else str(wrapper)
    standard = "-std=gnu17" if source.suffix == ".c" else "-std=c++20"
    program = options.build / f"{'plain-' * options.plain}{options.compiler}{options.flags.replace(' ', '')}" / source.parent.name / source.stem
    program.parent.mkdir(parents=True, exist_ok=True)
    newest = max(path.stat().st_mtime for path in (source, HERE / "two.h", HERE / "own_lock.h", wrapper))
    if not program.exists() or program.stat().st_mtime < newest:
        command = [compiler, standard, *([] if options.plain else ["-g"]), "-pthread", *shlex.split(options.flags), str(source), "-o", str(program)]
        # While races are looked for no plain copy of a function is used: half the time for nothing.
        subprocess.run(command, check=True, env={"PATH": "/usr/bin:/bin", "HEDDLE_CC": c, "HEDDLE_CXX": cxx, "HEDDLE_TWINS": "0"})
    return program


def problem_of(source, options):
    """None, or what is wrong; and the number of possible races."""
    program = build(source, options)
    # Without heddle it must run as well.
    plain = subprocess.run([str(program)], capture_output=True, timeout=TIMEOUT)
    if source.parent.name == "free" and plain.returncode != 0:
        return f"without heddle it exits with {plain.returncode}", 0
    command = [str(options.heddle), "races", "--json", *(["--executions", options.executions] if options.executions else []), "--", str(program)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    shown = shlex.join(command)
    if done.returncode not in (0, 1):
        return f"exit code {done.returncode}: {done.stderr.strip()[-500:]}\n  {shown}", 0
    result = json.loads(done.stdout)
    confirmed = [race for race in result["races"] if race["kind"] == "confirmed"]
    sure = not options.plain or "-g" in options.flags.split()
    own = [race for race in (confirmed if sure else result["races"]) if not sure or any(race[side]["file"].endswith(source.name) for side in ("first", "second"))]
    if "inconclusive" in result:
        return f"inconclusive: {result['inconclusive']}\n  {shown}", result["possible"]
    if options.plain and result["seen_by"] != "valgrind":
        return f"seen by {result['seen_by']}", 0
    if source.parent.name == "racy" and not own and not (options.plain and source.stem in UNSEEN):
        return f"no race found in {result['executions']} runs\n  {shown}", result["possible"]
    if source.parent.name == "free" and confirmed:
        places = "; ".join(f"{race['object']}: {race['first']['place']} and {race['second']['place']}" for race in confirmed)
        return f"false race: {places}\n  {shown}", result["possible"]
    if sure and source.read_text().startswith("// not even possible") and result["possible"]:
        return f"{result['possible']} possible races\n  {shown}", result["possible"]
    if source.parent.name == "free" and result["failing_runs"]:
        return f"{result['failing_runs']} runs failed\n  {shown}", result["possible"]
    return None, result["possible"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", choices=sorted(COMPILERS), default="gcc")
    parser.add_argument("--flags", default="-O1")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--executions")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.heddle, options.build = options.heddle.resolve(), options.build.resolve()
    sources = [path for kind in ("racy", "free") for path in sorted((HERE / kind).iterdir()) if path.suffix in (".c", ".cpp")]
    failed = possible = count = 0
    for source in sources:
        name = f"{source.parent.name}/{source.name}"
        if options.plain and source.stem in ANNOTATED:
            continue
        if options.names and not any(name.endswith(wanted) for wanted in options.names):
            continue
        problem, suspicions = problem_of(source, options)
        count += 1
        possible += suspicions
        if problem:
            failed += 1
            print(f"{name}: FAILED: {problem}", flush=True)
    print(f"{count - failed} passed, {failed} failed; {possible} possible races were named besides")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
