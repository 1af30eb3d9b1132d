#!/usr/bin/env python3
"""Programs that take from Heddle what it needs to control them: "cannot test", never a failure.

usage: control_test.py --heddle PROGRAM --programs DIR
"""
import argparse
import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--heddle", required=True)
parser.add_argument("--programs", required=True)
options = parser.parse_args()
CASES = (
    (["strict_mode"], 125, "strict mode"),
    (["own_filter"], 125, "seccomp filter"),
    (["own_filter", "x"], 0, ""),
    (["library_threads", "message"], 125, "mq_notify with SIGEV_THREAD"),
    (["library_threads"], 125, "getaddrinfo_a with SIGEV_THREAD"),
    ([options.heddle, "doctor"], 125, "Heddle itself"),
    (["/usr/bin/env", options.heddle, "run", "--", "/bin/true"], 125, "Heddle itself"),
    (["/bin/sh", "-c", f"exec {options.heddle} run -- /bin/true"], 125, "Heddle itself"),
)


def heddle(*words):
    """Exit code and what was said. Not through a pipe: whatever stayed would hold its other end."""
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run([options.heddle, *words], cwd=work, stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=300)
        said.seek(0)
        return done.returncode, said.read()


def left_running(word):
    """Processes that have this word in their command line and are not on their way out."""
    left = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                if word.encode() in file.read():
                    left.append(int(path.split("/")[2]))
        except OSError:
            pass
    return [pid for pid in left if pid != os.getpid()]


def nothing_left(word):
    for _ in range(100):
        if not left_running(word):
            return
        time.sleep(0.1)
    left = left_running(word)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    raise AssertionError(f"still running: {left}")


with tempfile.TemporaryDirectory() as work:
    for words, code, text in CASES:
        command = words if words[0].startswith("/") else [f"{options.programs}/{words[0]}", *words[1:]]
        for verb in (["run"], ["run", "--carrier", "kernel"], ["find", "--executions", "5"]):
            returned, said = heddle(*verb, "--", *command)
            assert returned == code and text in said, f"{verb} {words}: exit code {returned}\n{said}"

    # A search ends when its first runs say that there is nothing to search, in one sentence.
    for verb in ("debug", "find", "check"):
        returned, said = heddle(verb, "--", f"{options.programs}/strict_mode")
        lines = [line for line in said.splitlines() if line != "heddle: no threads were created"]
        assert returned == 125 and len(lines) == 1 and lines[0].startswith("cannot test: "), f"{verb}: exit code {returned}\n{said}"
        returned, said = heddle(verb, "--json", "--", f"{options.programs}/strict_mode")
        document = json.loads(said[said.index("{") :])
        assert document["verdict"] == "inconclusive" and document["find"]["executions"] <= 3, said

    # Programs that trace others: what they trace does not stay, stopped for ever.
    traced = f"{work}/traced_program"
    shutil.copy(f"{options.programs}/own_filter", traced)
    for tracer in (["strace", traced, "x"], ["strace", "-f", traced, "x"], ["gdb", "--batch", "-ex", "run", "--args", traced, "x"]):
        if shutil.which(tracer[0]) is None:
            print(f"{tracer[0]} is not installed: not tried")
            continue
        for verb in ("run", "debug"):
            returned, said = heddle(verb, "--", *tracer)
            nothing_left(traced)
            assert returned == 125 and "controls other processes by ptrace" in said, f"{verb} {tracer}: exit code {returned}\n{said}"
