#!/usr/bin/env python3
"""Programs that take from Heddle what it needs to control them: "cannot test", never a failure.

usage: control_test.py --heddle PROGRAM --programs DIR
"""
import argparse
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--programs", required=True)
options = parser.parse_args()
CASES = (
    (["strict_mode"], 125, "strict mode"),
    (["own_filter"], 125, "seccomp filter"),
    (["own_filter", "x"], 0, ""),
    ([options.heddle, "doctor"], 125, "Heddle itself"),
)
with tempfile.TemporaryDirectory() as work:
    for words, code, text in CASES:
        command = words if words[0].startswith("/") else [f"{options.programs}/{words[0]}", *words[1:]]
        for verb in (["run"], ["run", "--carrier", "kernel"], ["find", "--executions", "5"]):
            done = subprocess.run(
                [options.heddle, *verb, "--", *command], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
            )
            said = done.stdout + done.stderr
            assert done.returncode == code and text in said, f"{verb} {words}: exit code {done.returncode}\n{said}"
