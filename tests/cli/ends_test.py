#!/usr/bin/env python3
"""How a search ends: what does not replay does not end it, a program that never ends does not hold it up, and it says what it did.

usage: ends_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import subprocess
import tempfile

import cli_test as base


class Ends(base.InDirectory):
    def find(self, *words):
        done = self.heddle("find", "--json", *words)
        return done, json.loads(done.stdout)

    def test_a_failure_that_does_not_replay_is_reported_and_the_search_goes_on(self):
        def program(*words):  # with a file in a place that runs do not have for themselves
            handle, path = tempfile.mkstemp(dir="/var/tmp")
            os.close(handle)
            self.addCleanup(os.unlink, path)
            return ["--", base.program("does_not_replay"), path, *words]

        for jobs in (1, 2):
            with self.subTest(jobs=jobs):
                done, document = self.find("--no-retry", "--jobs", jobs, "--executions", 400, *program("buggy"))
                self.assertEqual((done.returncode, document["failure"]["code"]), (1, 7), document)
        done, document = self.find("--no-retry", "--jobs", 1, "--executions", 60, *program())
        self.assertEqual((done.returncode, document["verdict"]), (125, "inconclusive"), document)
        self.assertIn("does not replay", document["uncontrolled"])
        self.assertEqual(document["find"]["executions"], 60)
        people = self.heddle("find", "--no-retry", "--jobs", 1, "--executions", 60, *program())
        self.assertIn("uncontrolled nondeterminism: run ", people.stdout)

    def test_a_call_that_leads_nowhere_is_placed_at_its_caller(self):
        for carrier in ("fiber", "kernel"):
            with self.subTest(carrier=carrier):
                done, document = self.find("--no-retry", "--executions", 200, "--carrier", carrier, "--", base.program("null_call"))
                self.assertEqual((done.returncode, document["failure"]["kind"]), (1, "signal"), document)
                self.assertIn("null_call", document["failure"]["signature"])
                self.assertIn("in T1, null_call.c:12", self.heddle("explain", "--json").stdout)

    def test_the_runs_of_a_program_that_never_ends_are_short(self):
        done, document = self.find("--executions", 60, "--", base.program("endless_loop"))
        self.assertEqual((done.returncode, document["failure"]["kind"]), (1, "abort"), document)
        self.assertLess(document["found"]["events"], 100_000)

    def test_a_program_that_is_cut_off_before_its_first_thread_is_not_one_without_threads(self):
        people = self.heddle("find", "--executions", 60, "--max-events", 20_000, "--", base.program("starts_late"))
        self.assertEqual(people.returncode, 125, people)
        self.assertNotIn("the one schedule of a program without threads", people.stdout)

    def test_nothing_found_is_accounted_for(self):
        done = self.heddle("find", "--executions", 60, "--", base.program("correct"))
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("NOTHING   no failure in 60 runs of the portfolio search"), done.stdout)
        self.assertTrue(any(line.startswith("COVERED") for line in lines), done.stdout)
        self.assertIn("memory accesses of correct", done.stdout)
        self.assertIn("heddle-cc", done.stdout)
        _, document = self.find("--executions", 60, "--", base.program("correct"))
        self.assertEqual(set(document["account"]), {"verdict", "covered", "not_seen", "next"})

    def test_a_ring_of_all_runs_is_no_finding(self):
        if subprocess.run([base.program("early_ring")]).returncode == 77:
            return  # the kernel allows none here
        done = self.heddle("find", "--executions", 5, "--", base.program("early_ring"))
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("each run starts it anew", done.stdout + done.stderr, done)
        self.assertEqual(self.heddle("run", "--", base.program("early_ring")).returncode, 0)

    def test_what_all_runs_would_share_is_no_finding(self):
        for what in ("file", "memory", "queue", "semaphore", "child"):
            with self.subTest(what=what):
                done = self.heddle("debug", "--executions", 40, "--", base.program("shares_early"), what)
                self.assertEqual(done.returncode, 0, done)
                self.assertIn("each run starts it anew", done.stdout + done.stderr, done)

    def test_threads_of_a_forked_child_are_controlled(self):
        done = self.heddle("find", "--executions", 5, "--", base.program("threads_in_child"))
        self.assertIn("operations of 2 threads", done.stdout, done)


if __name__ == "__main__":
    base.main()
