#!/usr/bin/env python3
"""Bugs, their fixes and wrong fixes: what `heddle verify` says of each build.

usage: run.py --heddle PROGRAM [--cases DIR] [--verbose] [NAME...]

A case is a directory with bug.c (or .cpp) and other versions of the same file, each edited in place and built anew; a version that is a directory has the file split into
several. The first line of a version (of its prog.c) says what is expected: `// verify: VERDICT`, or several with | between them. `// verify-build: heddle-cc` in the bug
builds all of them with that.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 300


class Case:
    def __init__(self, where, heddle):
        self.where, self.heddle = where, pathlib.Path(heddle).resolve()
        self.bug = next(where.glob("bug.c*"))
        build = re.search(r"^// verify-build: (\S+)", self.bug.read_text(), re.M)
        flags = re.search(r"^// verify-flags: (.*)", self.bug.read_text(), re.M)
        self.flags = flags[1].split() if flags else ["-O1"]
        cxx = self.bug.suffix == ".cpp"
        self.compiler = [self.heddle.parent / build[1].replace("cc", "c++" if cxx else "cc")] if build else ["g++" if cxx else "gcc"]

    def versions(self):
        return sorted(path for path in self.where.iterdir() if path != self.bug and (path.is_dir() or path.suffix == self.bug.suffix))

    def build(self, version, work, *options):
        if version.is_dir():
            shutil.copytree(version, work, dirs_exist_ok=True)
        else:
            shutil.copy(version, work / f"prog{self.bug.suffix}")
        sources = sorted(path.name for path in version.glob(f"*{self.bug.suffix}")) or [f"prog{self.bug.suffix}"]
        command = [*map(str, self.compiler), "-g", *self.flags, *options, *sources, "-o", "prog", "-pthread"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode != 0:
            raise SystemExit(f"{version}: does not build: {done.stderr}")

    def find(self, work):
        self.build(self.bug, work)
        done = run(self.heddle, "debug", "--json", "--no-reduce", "--no-slice", "--no-isolate", "--simplify-time", "0", "--", "./prog", cwd=work)
        if done.returncode != 1:
            raise SystemExit(f"{self.bug}: no failure found: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def verify(self, version, work, *words):
        self.build(version, work)
        done = run(self.heddle, "verify", "--json", "--time", "0", *words, "--", "./prog", cwd=work)
        try:
            return done.returncode, json.loads(done.stdout)
        except json.JSONDecodeError:
            raise SystemExit(f"{version}: {done.returncode}: {done.stdout}{done.stderr}") from None


def run(*words, cwd):
    return subprocess.run([str(w) for w in words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)


def expected(version):
    text = next(version.glob("prog.c*")) if version.is_dir() else version
    said = re.search(r"^// verify: (\S+)", text.read_text(), re.M)
    return said[1].split("|")


EXITS = {"fixed": 0, "still-fails": 1, "fails-differently": 1, "cannot-tell": 125}


def check(case, verbose):
    """(version, expected, said, document) of each version."""
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        case.find(work)
        for version in case.versions():
            code, document = case.verify(version, work)
            assert code == EXITS[document["verdict"]], document
            assert set(document) == {"verdict", "confidence", "anchors", "evidence"}, document
            yield version, expected(version), document["verdict"], document


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--cases", default=HERE / "cases", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    wrong = right = 0
    for where in sorted(path for path in options.cases.iterdir() if path.is_dir() and (not options.names or path.name in options.names)):
        for version, wanted, said, document in check(Case(where, options.heddle), options.verbose):
            good = said in wanted
            right, wrong = right + good, wrong + (not good)
            print(f"{'ok   ' if good else 'WRONG'} {where.name}/{version.name}: {said}"
                  + ("" if good else f", expected {'|'.join(wanted)}"), flush=True)
            if options.verbose or not good:
                print(json.dumps(document, indent=1))
    print(f"{right} right, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
