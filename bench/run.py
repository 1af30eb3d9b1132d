#!/usr/bin/env python3
"""Runs measurements: each is a script bench/NAME.py that prints a table and writes bench/results/NAME.json.

usage: run.py [--build DIR] [--list] [NAME...] [options handed on to the scripts, such as --quick or --full]
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main(arguments):
    build, names, rest = HERE.parent / "build", [], []
    available = sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run" and not path.stem.startswith("_"))
    arguments = list(arguments)
    while arguments:
        argument = arguments.pop(0)
        if argument == "--build" and arguments:
            build = pathlib.Path(arguments.pop(0))
        elif argument == "--list":
            print("\n".join(available))
            return 0
        elif argument.startswith("-"):
            rest.append(argument)
        else:
            names.append(argument)
    unknown = [name for name in names if name not in available]
    if unknown:
        print(f"no such measurement: {' '.join(unknown)} (there are: {' '.join(available) or 'none'})", file=sys.stderr)
        return 2
    if not names and not available:
        print("there is no measurement yet", file=sys.stderr)
        return 2
    failed = []
    for name in names or available:
        print(f"== {name}", flush=True)
        script = [sys.executable, str(HERE / f"{name}.py"), "--build", str(build.resolve()), *rest]
        if subprocess.run(script).returncode != 0:
            failed.append(name)
    if failed:
        print(f"failed: {' '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
