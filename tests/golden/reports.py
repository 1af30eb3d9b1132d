#!/usr/bin/env python3
"""The reports for machines and the page, of a program whose file name and output are full of markup.

usage: reports.py --heddle PROGRAM [--cc gcc] [--work DIR] machines|sarif|page

machines  SARIF in the shape that we mean to write, JUnit, Perfetto, replay strings, and the script for gdb
sarif     against the whole published schema (tests/page/sarif-2.1.0.json, as OASIS published it), by Debian's python3-jsonschema
page      in a headless Chromium (tests/page/page.py), Debian's chromium-headless-shell
What is not installed is a failure and not a reason to skip: ./dev setup installs it.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

DEBIAN = "/usr/bin/python3"
PAGE = pathlib.Path(__file__).resolve().parent.parent / "page"
NAME = "a<img src=x onerror=alert(1)>&'b.c"
SOURCE = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100; /* </script><script>alert(2)</script> */
static void* customer(void* unused) {
  pthread_mutex_lock(&lock);
  int enough = balance >= 80;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (enough) balance -= 80;
  if (balance < 0) fprintf(stderr, "]]></failure><script>alert(3)</script>\033[31m\001\n");
  assert(balance >= 0 && "<b>bold</b>");
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, customer, NULL);
  pthread_create(&b, NULL, customer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
"""

# The parts of the SARIF 2.1.0 schema that a result with a code flow uses, in our own words: type, required properties, and what
# each may hold. A property that is not listed here is one that we do not write.
MESSAGE = {"text": str}
REGION = {"startLine": int, "startColumn?": int, "snippet?": {"text": str}}
LOCATION = {
    "id?": int,
    "physicalLocation?": {"artifactLocation": {"uri": re.compile(r"^(file:///)?[A-Za-z0-9/._~%-]+$")}, "region": REGION},
    "logicalLocations?": [{"fullyQualifiedName": str, "kind": {"function"}}],
    "message?": MESSAGE,
}
SARIF = {
    "$schema": str,
    "version": {"2.1.0"},
    "runs": [
        {
            "tool": {
                "driver": {
                    "name": str,
                    "version": str,
                    "rules": [
                        {
                            "id": str,
                            "name": str,
                            "shortDescription": MESSAGE,
                            "fullDescription": MESSAGE,
                            "defaultConfiguration": {"level": {"none", "note", "warning", "error"}},
                        }
                    ],
                }
            },
            "invocations": [
                {
                    "executionSuccessful": bool,
                    "commandLine": str,
                    "toolExecutionNotifications?": [{"message": MESSAGE, "level": {"note"}}],
                }
            ],
            "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
            "results": [
                {
                    "ruleId": str,
                    "ruleIndex": int,
                    "level": {"none", "note", "warning", "error"},
                    "message": MESSAGE,
                    "locations": [LOCATION],
                    "relatedLocations?": [LOCATION],
                    "codeFlows": [
                        {
                            "message": MESSAGE,
                            "threadFlows": [
                                {
                                    "id": str,
                                    "message": MESSAGE,
                                    "locations": [
                                        {
                                            "location": LOCATION,
                                            "executionOrder": int,
                                            "importance": {"important", "essential", "unimportant"},
                                        }
                                    ],
                                }
                            ],
                        }
                    ],
                    "fingerprints": dict,
                    "properties": dict,
                }
            ],
        }
    ],
}


def validate(value, shape, path="$"):
    if isinstance(shape, set):
        assert value in shape, f"{path}: {value!r} is none of {sorted(shape)}"
    elif isinstance(shape, re.Pattern):
        assert isinstance(value, str) and shape.search(value), f"{path}: {value!r}"
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{path} is no array"
        for index, item in enumerate(value):
            validate(item, shape[0], f"{path}[{index}]")
    elif isinstance(shape, dict):
        assert isinstance(value, dict), f"{path} is no object"
        known = {key.rstrip("?") for key in shape}
        assert set(value) <= known, f"{path} has {sorted(set(value) - known)}"
        for key, inner in shape.items():
            name = key.rstrip("?")
            if name in value:
                validate(value[name], inner, f"{path}.{name}")
            else:
                assert key.endswith("?"), f"{path} lacks {name}"
    else:
        assert isinstance(value, shape) and not (shape is int and isinstance(value, bool)), f"{path}: {value!r}"


class Heddle:
    def __init__(self, program, directory):
        self.program, self.directory = program, directory

    def __call__(self, *arguments, code=0):
        done = subprocess.run(
            [self.program, *arguments],
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=600,
        )
        assert done.returncode == code, f"heddle {arguments}: exit code {done.returncode}\n{done.stderr}"
        return done.stdout


def machines(heddle, _directory):
    sarif = json.loads(heddle("report", "--format", "sarif", "-o", "-"))
    validate(sarif, SARIF)
    result = sarif["runs"][0]["results"][0]
    assert result["locations"], "no location"
    orders = [at["executionOrder"] for flow in result["codeFlows"][0]["threadFlows"] for at in flow["locations"]]
    assert sorted(orders) == list(range(1, len(orders) + 1)), "the steps are not one order"
    assert any(at["importance"] == "essential" for flow in result["codeFlows"][0]["threadFlows"] for at in flow["locations"])

    suites = xml.etree.ElementTree.fromstring(heddle("report", "--format", "junit", "-o", "-"))
    failure = suites.find("testsuite/testcase/failure")
    assert failure is not None and failure.get("type") == "atomicity-violation", "no failure"
    assert len(list(suites.iter())) == 4, "text became elements"

    perfetto = json.loads(heddle("report", "--format", "perfetto", "-o", "-"))
    assert {event["ph"] for event in perfetto["traceEvents"]} <= {"M", "X", "i"}
    assert sum(event["ph"] == "X" for event in perfetto["traceEvents"]) >= len(orders)

    explained = heddle("explain")
    assert "\033" not in explained and "\001" not in explained, "the program steers the terminal"
    pasted = re.search(r"^PASTE +heddle replay (hd2:\S+) -- PROGRAM$", explained, re.M)
    assert pasted, "no replay string"
    heddle("replay", pasted[1], "--", "./hostile", code=1)
    heddle("replay", pasted[1][:-4], "--", "./hostile", code=125)

    page = heddle("report", "-o", "-")
    assert len(page) < 1_000_000
    for bad in ("<script>alert", "<img", "</script><script>alert"):
        assert bad not in page, f"{bad} in the page"

    if shutil.which("gdb"):
        said = heddle("replay", "--gdb-commands", "info heddle;heddle-next-switch;kill")
        assert "is about to be stopped after operation" in said, said
        assert "before: locks" in said, said
        # gdb's own words, and the program's frame on top.
        said = heddle("replay", "--gdb", "--", "-batch", "-ex", "bt", "-ex", "kill")
        first = next(line for line in said.splitlines() if line.startswith("#"))
        assert "libheddle-rt" not in first and "heddle::" not in first, said
        assert ".c" in first, said
        # There and back: the same place again. And who changed a variable last, and who before that.
        said = heddle("replay", "--gdb", "--", "-batch", "-ex", "info heddle", "-ex", "heddle-next-switch", "-ex", "heddle-reverse", "-ex", "info heddle",
                      "-ex", "kill")
        places = re.findall(r"^heddle: after \d+ of \d+ operations\n(?:[ *] .*\n)+", said, re.M)
        assert len(places) == 2 and places[0] == places[1], said
        said = heddle("replay", "--gdb", "--from", "99", "--", "-batch", "-ex", "heddle-last balance", "-ex", "heddle-last", "-ex", "print balance",
                      "-ex", "kill")
        assert re.findall(r"^heddle: balance was changed by (\S+),", said, re.M) == ["T1", "T2"], said
        assert "$1 = 20" in said, said


def sarif(heddle, _directory):
    try:
        import jsonschema  # here: the other parts do without it
    except ImportError:
        # Another Python than Debian's comes first in the path, and has not what Debian's package brings.
        if sys.executable == DEBIAN:
            raise
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    schema = json.loads((PAGE / "sarif-2.1.0.json").read_text())
    validator = jsonschema.Draft4Validator(schema)
    report = json.loads(heddle("report", "--format", "sarif", "-o", "-"))
    # A validator that accepts anything proves nothing.
    assert not validator.is_valid({"version": "2.1.0"}) and not validator.is_valid(report | {"version": "1.0.0"})
    complaints = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(report)]
    assert not complaints, "\n".join(complaints)


def page(heddle, directory):
    heddle("report", "-o", "report.html")
    subprocess.run([sys.executable, str(PAGE / "page.py"), "report.html", "page.png"], cwd=directory, timeout=300, check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("reports-work"))
    parser.add_argument("part", choices=("machines", "sarif", "page"))
    options = parser.parse_args()
    directory = options.work / options.part
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    (directory / NAME).write_text(SOURCE)
    subprocess.run([options.cc, "-O1", "-g", "-pthread", NAME, "-o", "hostile"], cwd=directory, check=True)
    heddle = Heddle(str(pathlib.Path(options.heddle).resolve()), directory)
    heddle("debug", "--json", "--executions", "5000", "--", "./hostile", code=1)
    {"machines": machines, "sarif": sarif, "page": page}[options.part](heddle, directory)


if __name__ == "__main__":
    main()
