#!/usr/bin/env python3
"""The default is never worse than another of our ways from the same start. The programs are those where one was, once; ./dev bench simplify has the others.

usage: simplify_ways_test.py BUILD
"""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import _bench  # noqa: E402

STARTS = {"segments_split": 1, "three_buffers": 2}  # and the seed of the walk that finds it
WAYS = ("tinertia", "merge+minimal", "preemptions+merge+minimal")


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    heddle = build / "bin" / "heddle"
    wrong = []
    for entry in _bench.programs("heldout", STARTS):
        with tempfile.TemporaryDirectory() as where:
            program = _bench.compile_program(entry, build, where)
            found = _bench.answer([heddle, "find", "--json", "--strategy", "walk", "--seed", STARTS[entry["name"]], "--executions", 3000, "--", program], where)
            reached = {}
            for way in ("default", *WAYS):
                said = _bench.answer([heddle, "simplify", pathlib.Path(found["bug"]).name, "--json", "--algorithm", way, "--executions", 3000], where)
                reached[way] = (said["simplified"]["preemptions"], said["simplified"]["switches"])
            if min(reached.values()) < reached["default"]:
                wrong.append((entry["name"], reached))
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
