#!/usr/bin/env python3
"""Fixes that put another mechanism in the place of the old one, the same program under other names, and changes that are suggested where no lock is held.

usage: mechanism_test.py --heddle PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import run as cases

HERE = pathlib.Path(__file__).resolve().parent
HEDDLE = ""


class Mechanism(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)

    def find(self, name, flags=None):
        self.case = cases.Case(HERE / name, HEDDLE)
        if flags:
            self.case.flags = [flags]
        self.case.find(self.work)

    def verdict(self, version):
        document = self.case.verify(self.case.where / version, self.work)[1]
        return document["verdict"], document

    def test_a_lock_that_became_an_atomic(self):
        self.find("replaced/token")
        verdict, document = self.verdict("fix_cas.c")
        self.assertEqual(verdict, "fixed", document)
        self.assertRegex(document["confidence"]["sentence"], r"at most 2 preemptions fails .* at calls and at \d+ instructions")
        # No anchor of it was found: it is known by all schedules, and by nothing else.
        self.assertTrue(any(e["step"] == "enumerated" and "if nothing else races" in e["what"] for e in document["evidence"]), document)
        self.assertEqual(self.verdict("wrong_atomic.c")[0], "still-fails")

    def test_what_the_library_does_now(self):
        self.find("later/rendezvous")
        verdict, document = self.verdict("fix_posix.c")
        self.assertEqual(verdict, "fixed", document)
        self.assertEqual(self.verdict("wrong_unlocked.c")[0], "still-fails")

    def test_a_call_in_last_place(self):
        # Without optimisation the call has a place of its own; with it, its object alone.
        self.find("mixed/latch", "-O0")
        self.case.flags = ["-O2"]
        verdict, document = self.verdict("fix_outside.cpp")
        self.assertEqual(verdict, "fixed", document)
        self.assertEqual(self.verdict("wrong_notify.cpp")[0], "still-fails")

    def test_what_fills_the_space_before_a_loop_is_no_access(self):
        # `nopw 0(%rax,%rax)` names an address. Read, it was a fault of a right program.
        self.find("later/pool", "-O0")
        self.case.flags = ["-O2"]
        self.assertEqual(self.verdict("fix.cpp")[0], "fixed")

    def test_programs_of_which_nothing_can_be_said(self):
        self.find("mixed/seats")
        # Another program that fails by itself; and the right fix without debug information: what ran under a lock is not known.
        for name, options, words in (("farewell/bug.c", ["-g"], "another program"), ("seats/fix.c", [], "lacks debug information")):
            subprocess.run(["gcc", "-O1", *options, HERE / "mixed" / name, "-o", "prog", "-pthread"], cwd=self.work, check=True)
            done = cases.run(HEDDLE, "verify", "--json", "--time", "0", "--", "./prog", cwd=self.work)
            self.assertEqual(done.returncode, 125, done.stdout + done.stderr)
            self.assertIn(words, json.loads(done.stdout)["confidence"]["sentence"])

    def test_suggestions_where_no_lock_is_held(self):
        self.find("mixed/latch")
        self.assertRegex(self.suggestion(), r"take `job\.ready\.mutex_` around prog\.cpp:\d+ \(Latch::open\), which broadcasts")
        self.find("mixed/publish")
        self.assertRegex(self.suggestion(), r"make prog\.cpp:\d+ .* to prog\.cpp:\d+ .* one critical section")

    def suggestion(self):
        done = cases.run(HEDDLE, "suggest", "--json", "--time", "0", cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["suggestion"]

    def test_a_history_in_which_only_a_routine_keeps_its_name(self):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        bug, fix = ((HERE / "mixed/seats" / name).read_text() for name in ("bug.c", "fix.c"))
        renamed = re.sub(r"\bhall\b", "theatre", bug)

        def commit(name, text, message):
            for old in self.work.glob("*.c"):
                old.unlink()
            (self.work / name).write_text(text)
            subprocess.run(["git", "add", "-A", "."], cwd=self.work, check=True)
            subprocess.run([*git, "commit", "-q", "-m", message], cwd=self.work, check=True)
            return subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.work, check=True, capture_output=True, text=True).stdout.strip()

        subprocess.run(["git", "init", "-q", "."], cwd=self.work, check=True)
        (self.work / ".gitignore").write_text("prog\n.heddle\n")
        commit("seats.c", fix, "Begin")
        commit("seats.c", fix + "broken\n", "Does not build")
        commit("hall.c", fix, "Another file")
        first = commit("hall.c", bug, "Hold the lock for less long")
        commit("hall.c", bug + "broken\n", "Does not build either")
        commit("theatre.c", renamed, "Other names")
        build = "gcc -g -O1 *.c -o prog -pthread"
        subprocess.run(build, shell=True, cwd=self.work, check=True)
        self.assertEqual(cases.run(HEDDLE, "debug", "--no-reduce", "--no-slice", "--no-isolate", "--", "./prog", cwd=self.work).returncode, 1)
        done = cases.run(HEDDLE, "bisect", "--json", "--build", build, "--", "./prog", cwd=self.work)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(done.stdout)["commit"], first)


if __name__ == "__main__":
    at = sys.argv.index("--heddle")
    HEDDLE = str(pathlib.Path(sys.argv[at + 1]).resolve())
    del sys.argv[at:at + 2]
    unittest.main()
