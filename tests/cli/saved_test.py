#!/usr/bin/env python3
"""What an earlier version saved stays valid: saved/VERSION/ holds a bug and a replay string as that version wrote them, and the program.
Never write these files anew; a new version adds a directory.

usage: saved_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess

import cli_test as base

SAVED = pathlib.Path(__file__).resolve().parent / "saved"
# The bug knows its program by the build id, so every build of the same source gets the same one.
BUILD = ["gcc", "-O1", "-g", "-pthread", "-Wl,--build-id=0x0100000000000000000000000000000000000001"]


class Saved(base.InDirectory):
    def setUp(self):
        super().setUp()
        for source in SAVED.glob("*/program.c"):
            shutil.copy(source, self.directory)
        subprocess.run([*BUILD, "program.c", "-o", "program"], cwd=self.directory, check=True)
        for bug in SAVED.glob("*/*/"):
            shutil.copytree(bug, self.directory / ".heddle" / "bugs" / bug.name)

    def json(self, code, *words):
        done = self.heddle(*words)
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def test_it_is_told(self):
        self.assertIn("2e92", self.heddle("list").stdout)
        told = self.heddle("explain", "2e92")
        self.assertEqual(told.returncode, 0, told)
        self.assertIn("BUG 2e92  atomicity violation", told.stdout)
        self.assertIn("13 events, 3 threads, 3 switches, 1 preemption", self.heddle("show", "2e92").stdout)
        page = self.heddle("report", "2e92", "-o", "-")
        self.assertEqual((page.returncode, page.stdout[:15]), (0, "<!doctype html>"), page.stderr)

    def test_it_is_replayed(self):
        for carrier in ("fiber", "kernel"):
            for which in ((), ("--found",), ("--reduced",)):
                told = self.json(1, "replay", "2e92", "--repeat", 2, "--carrier", carrier, "--json", *which, "--", "./program")
                self.assertEqual((told["verdict"], told["identical"]), ("failure", True), told)

    def test_its_replay_string(self):
        (text,) = (path.read_text().strip() for path in SAVED.glob("0.1/*.string"))
        self.assertEqual(self.json(1, "replay", text, "--json", "--", "./program")["verdict"], "failure")

    def test_it_is_worked_on(self):
        self.assertEqual(self.json(0, "simplify", "2e92", "--json", "--", "./program")["simplified"]["preemptions"], 1)


if __name__ == "__main__":
    base.main()
