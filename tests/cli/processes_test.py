#!/usr/bin/env python3
"""Processes: a worker that is forked is the one under control, and nothing that heddle starts outlives it, however heddle ends.

usage: processes_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import signal
import subprocess

import cli_test as base


class Outlive(base.InDirectory):
    def started(self, *words):
        tool = subprocess.Popen([base.HEDDLE, *words], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.assertEqual(tool.stdout.readline(), b"ready\n")
        return tool

    def ends(self, tool):
        """The pipe is at its end only when everybody who had it is gone."""
        tool.communicate(timeout=60)

    def test_killed(self):
        for verb in ("run", "record"):
            with self.subTest(verb=verb):
                tool = self.started(verb, "--", base.program("leaves_server"))
                tool.kill()
                self.ends(tool)

    def test_told_to_end(self):
        tool = self.started("run", "--", base.program("leaves_server"))
        tool.send_signal(signal.SIGTERM)
        self.ends(tool)
        self.assertEqual(tool.returncode, 128 + signal.SIGTERM)

    def test_ended_by_itself(self):
        tool = self.started("run", "--", base.program("leaves_server"), "ends")
        self.ends(tool)
        self.assertEqual(tool.returncode, 0)


class Forked(base.InDirectory):
    """The failure is in a child: it is found, recorded, replayed on both carriers, and told like any other."""

    def replays(self):
        for carrier in ("fiber", "kernel"):
            done = self.heddle("replay", "--json", "--carrier", carrier)
            self.assertEqual(done.returncode, 1, done)
            self.assertEqual(json.loads(done.stdout)["verdict"], "failure", done)

    def test_found(self):
        done = self.heddle("debug", "--json", "--seed", 1, "--", base.program("forked_worker"))
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(json.loads(done.stdout)["failure"]["kind"], "signal", done.stdout)
        self.replays()

    def test_recorded(self):
        recorded = [self.heddle("record", "--seed", seed, "--quantum", 2, "--", base.program("forked_worker")) for seed in range(8)]
        said = [done for done in recorded if "heddle: recorded" in done.stderr]
        self.assertTrue(said, recorded)
        self.assertFalse([done for done in said if "does not replay" in done.stderr], said)
        self.replays()


class Ended(base.InDirectory):
    def test_the_signal_of_a_child_goes_to_who_waits_for_it(self):
        for seed in range(1, 7):
            for carrier in ("fiber", "kernel"):
                done = self.heddle("run", "--policy", "random", "--seed", seed, "--carrier", carrier, "--", base.program("child_signals"))
                self.assertEqual(done.returncode, 0, done)
        done = self.heddle("debug", "--executions", 40, "--", base.program("child_signals"))
        self.assertEqual(done.returncode, 0, done)

    def test_a_look_for_ended_children_is_no_wait_for_one(self):
        # A plan's thread waits for somebody outside while another one is about to look, without waiting, whether a child has ended.
        for seed in range(1, 13):
            done = self.heddle("check", "--executions", 60, "--seed", seed, "--", base.program("child_signals"))
            self.assertNotIn("Segmentation fault", done.stdout + done.stderr)

    def test_a_child_gives_back_the_lock_of_its_parent(self):
        for carrier in ("fiber", "kernel"):
            done = self.heddle("run", "--carrier", carrier, "--", base.program("unlocked_for_parent"))
            self.assertEqual(done.returncode, 0, done)


if __name__ == "__main__":
    base.main()
