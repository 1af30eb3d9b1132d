#!/usr/bin/env python3
"""Runs measurements: each is a script bench/NAME.py that prints a table and writes bench/results/NAME.json. Then draws the plots.

usage: run.py [--build DIR] [--list] [NAME...] [options handed on to the scripts, such as --quick, --full or --seeds 5]

Without a NAME the seven of the evaluation are run, in the order in which they are listed.
"""
import pathlib
import subprocess
import sys

import _plots

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ["engine", "instrumentation", "find", "simplify", "isolate", "reduce", "real"]
ALONE = ["optimality", "bounded", "explain", "longtrace", "reduction", "servers", "record", "verify", "inject", "planted", "deadline", "shards", "binaries"]  # only when asked for by name


def main(arguments):
    build, names = HERE.parent / "build", []
    arguments = list(arguments)
    while arguments:
        if arguments[0] == "--build" and len(arguments) > 1:
            build = pathlib.Path(arguments[1])
            del arguments[:2]
        elif arguments[0] == "--list":
            print("\n".join(NAMES + ALONE))
            return 0
        elif arguments[0] in NAMES + ALONE:
            names.append(arguments.pop(0))
        elif not arguments[0].startswith("-") and not names:
            print(f"no such measurement: {arguments[0]} (there are: {' '.join(NAMES + ALONE)})", file=sys.stderr)
            return 2
        else:
            break
    failed = []
    for name in names or NAMES:
        print(f"\n== {name}", flush=True)
        script = [sys.executable, str(HERE / f"{name}.py"), "--build", str(build.resolve()), *arguments]
        if subprocess.run(script).returncode != 0:
            failed.append(name)
    _plots.draw(HERE / "results", HERE / "results")
    if failed:
        print(f"failed: {' '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
