#!/usr/bin/env python3
"""What is called proved is proved: plain programs, early time-outs, searches that say what they know.

usage: proofs_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HEDDLE = ""
PROGRAMS = pathlib.Path()
TIMEOUT = 300  # a hang, not a measurement


class Proofs(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="heddle-proofs-"))

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def heddle(self, *words):
        return subprocess.run(
            [HEDDLE, *map(str, words)], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT
        )

    def answer(self, *words):
        done = self.heddle(*words)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def found(self, name, at_least):
        """A failing schedule of the program with so many preemptions or more."""
        for seed in range(1, 30):
            said = self.answer("find", "--no-retry", "--json", "--strategy", "walk", "--seed", seed, "--", PROGRAMS / name)
            if said["verdict"] == "failure" and said["found"]["preemptions"] >= at_least:
                return said
        return self.fail("no such schedule")

    def test_check_sees_that_accesses_are_hidden(self):
        said = self.answer("check", "--bound", 2, "--json", "--", PROGRAMS / "unseen_order")
        self.assertEqual((said["verdict"], said["found"]["preemptions"]), ("failure", 2))
        said = self.answer("check", "--bound", 1, "--json", "--", PROGRAMS / "unseen_order")
        self.assertEqual(said["verdict"], "proved")
        self.assertEqual(said["not_seen"], ["memory accesses of unseen_order: only calls are scheduling points there"])
        self.assertIn("\nNOT SEEN  memory accesses", self.heddle("check", "--bound", 1, "--", PROGRAMS / "unseen_order").stdout)

    def test_what_is_assumed_is_not_proved(self):
        words = ("check", "--bound", 2, "--assume-race-free")
        done = self.heddle(*words, "--", PROGRAMS / "unseen_order")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("not proved; it would be if no accesses race", done.stdout.splitlines()[0])
        said = self.answer(*words, "--json", "--", PROGRAMS / "unseen_order")
        self.assertEqual(said["verdict"], "assumed")
        self.assertIn("race-free", said["certificate"]["assumed"])

    def test_the_bounded_strategy_makes_no_false_claim(self):
        said = self.answer("find", "--strategy", "bounded", "--json", "--", PROGRAMS / "unseen_order")
        self.assertEqual(said["verdict"], "failure")

    def test_the_certificate_reverses_what_nobody_sees(self):
        self.found("unseen_blocks", 1)
        for algorithm in ("bound", "exhaustive", "default"):
            said = self.answer("simplify", "--algorithm", algorithm, "--json")
            self.assertEqual(said["simplified"]["preemptions"], 0, algorithm)

    def test_a_certificate_that_assumes_is_none(self):
        self.found("unseen_order", 3)
        said = self.answer("simplify", "--algorithm", "bound", "--json")
        self.assertEqual((said["simplified"]["preemptions"], said["simplify"]["minimal"]), (2, "proved"))
        said = self.answer("simplify", "--algorithm", "bound", "--assume-race-free", "--json")
        self.assertEqual(said["simplify"]["minimal"], "local")

    def test_an_early_time_out_has_no_certificate(self):
        program = PROGRAMS / "early_sleep"
        self.assertEqual(self.answer("check", "--bound", 1, "--json", "--", program)["verdict"], "proved")
        said = self.answer("debug", "--early-timeouts", 2, "--no-isolate", "--no-reduce", "--json", "--", program)
        self.assertEqual((said["verdict"], said["simplify"]["minimal"]), ("failure", "local"))
        self.assertIn("a time-out fires while something else can run", said["simplify"]["certificate"])

    def test_check_ends_no_long_wait(self):
        """What it says of --early-timeouts holds: a wait that takes longer than anybody's work does not end before its time."""
        words = ("check", "--bound", 1, "--early-timeouts", 1, "--json", "--", PROGRAMS / "waits_an_hour")
        said = self.answer(*words)
        self.assertEqual(said["verdict"], "proved", said)
        self.assertEqual(self.answer(*words, "shortly")["verdict"], "failure")

    def test_pct_does_not_speak_of_early_time_outs(self):
        said = self.answer("find", "--strategy", "pct", "--executions", 50, "--json", "--", PROGRAMS / "early_sleep")
        self.assertEqual(said["verdict"], "none")
        self.assertIn("says nothing", said["knowledge"])

    def test_options_that_would_be_ignored_are_refused(self):
        for option, value in (("--strategy", "pct"), ("--depth", 2)):
            done = self.heddle("check", option, value, "--", PROGRAMS / "unseen_order")
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(option, done.stderr)
        for verb, option, value, *others in (("run", "--stay", 0.5), ("run", "--quantum", 7, "--policy", "random"), ("run", "--depth", 2, "--policy", "pos"),
                                             ("run", "--length", 9, "--policy", "slice"), ("find", "--depth", 2, "--strategy", "surw"),
                                             ("debug", "--depth", 2, "--strategy", "random")):
            done = self.heddle(verb, *others, option, value, "--", PROGRAMS / "unseen_order")
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(f"{option}: means something with ", done.stderr)
        for words in (("run", "--policy", "pct", "--depth", 2, "--length", 50), ("run", "--policy", "slice", "--quantum", 3),
                      ("find", "--depth", 2, "--executions", 5), ("find", "--strategy", "delay", "--depth", 1, "--executions", 5)):
            self.assertNotEqual(self.heddle(*words, "--", PROGRAMS / "unseen_order").returncode, 2, words)
        done = self.heddle("show", "--json")
        self.assertEqual(done.returncode, 2, done)

    def test_gaussian_around_a_recorded_run(self):
        program = PROGRAMS / "unseen_order"
        done = self.heddle("record", "--always", "--quantum", 3, "--seed", 1, "--", program)
        run = done.stderr.split(" as .heddle/bugs/")[1].split()[0]
        words = ("find", "--no-retry", "--executions", 200, "--json", "--strategy")
        said = self.answer(*words, "gaussian", "--around", run, "--", program)
        self.assertIn(said["verdict"], ("failure", "none"))
        self.assertEqual(self.heddle(*words, "pct", "--around", run, "--", program).returncode, 2)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--programs", required=True)
    options, rest = parser.parse_known_args()
    global HEDDLE, PROGRAMS  # noqa: PLW0603
    HEDDLE = str(pathlib.Path(options.heddle).resolve())
    PROGRAMS = pathlib.Path(options.programs).resolve()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
