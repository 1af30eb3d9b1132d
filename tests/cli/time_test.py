#!/usr/bin/env python3
"""Time: a recording has the machine's and is replayed with the times that it saw; a search has its own.

usage: time_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import time

import cli_test as base

CARRIERS = ("fiber", "kernel")


class Clocks(base.InDirectory):
    def wall(self, text):
        return float(text.splitlines()[0].split()[1])

    def test_a_recording_has_the_time_of_the_machine(self):
        for carrier in CARRIERS:
            done = self.heddle("record", "--seed", 1, "--carrier", carrier, "--", base.program("tells_time"))
            self.assertEqual(done.returncode, 1, done)
            self.assertNotIn("does not replay", done.stderr, done)
            self.assertLess(abs(self.wall(done.stdout) - time.time()), 3600, done)
            for again in CARRIERS:
                replayed = self.heddle("replay", "--carrier", again)
                self.assertEqual(replayed.returncode, 1, replayed)
                self.assertTrue(replayed.stdout.startswith(done.stdout), (done.stdout, replayed.stdout))

    def test_a_timer_of_the_machine_ends_a_wait(self):
        for carrier in CARRIERS:
            done = self.heddle("record", "--carrier", carrier, "--", base.program("timer_ticks"))
            self.assertIn("recorded exit code 5", done.stderr, done)
            self.assertNotIn("does not replay", done.stderr, done)
            replayed = self.heddle("replay", "--carrier", carrier)
            self.assertIn("reproduced: exit code 5", replayed.stdout, replayed)

    def test_another_schedule_of_a_recording_begins_at_its_time(self):
        done = self.heddle("record", "--seed", 1, "--", base.program("tells_time"))
        self.assertEqual(done.returncode, 1, done)
        bug = next((self.directory / ".heddle/bugs").iterdir()).name
        searched = self.heddle("debug", "--json", bug)
        self.assertEqual(searched.returncode, 1, searched)
        json.loads(searched.stdout)

    def test_a_run_with_the_time_of_the_machine(self):
        done = self.heddle("run", "--real-time", "--", base.program("tells_time"))
        self.assertEqual(done.returncode, 1, done)
        self.assertLess(abs(self.wall(done.stdout) - time.time()), 3600, done)

    def test_a_run_with_a_seed_is_the_same_again(self):
        said = {self.heddle("run", "--seed", 5, "--policy", "random", "--carrier", c, "--", base.program("tells_time")).stdout for c in CARRIERS * 2}
        self.assertEqual(len(said), 1, said)


if __name__ == "__main__":
    base.main()
