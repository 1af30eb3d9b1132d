#!/usr/bin/env python3
"""Every wait with a time-out and every sleep that ends early is a choice of the run: it is recorded, and a replay makes it again.

usage: early_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json

import cli_test as base

WAITS = """
nanosleep usleep sleep clock_nanosleep clock_nanosleep_until clock_nanosleep_until_real thrd_sleep
cond_timedwait cond_clockwait sem_timedwait sem_clockwait mutex_timedlock mutex_clocklock rwlock_timedrdlock rwlock_timedwrlock
timedjoin clockjoin poll ppoll poll_nothing select select_nothing pselect epoll_wait recv futex futex_until mq_timedreceive sigtimedwait
""".split()


class EarlyEnds(base.InDirectory):
    def ends_early(self, wait):
        program = [base.program("ends_early"), wait]
        quiet = self.heddle("run", "--policy", "random", "--seed", 1, "--", *program)
        self.assertEqual(quiet.returncode, 0, quiet)
        found = self.heddle("find", "--strategy", "random", "--early-timeouts", 1, "--executions", 300, "--json", "--", *program)
        self.assertEqual(found.returncode, 1, found)
        self.assertEqual(json.loads(found.stdout)["failure"]["kind"], "exit")
        for carrier in ("fiber", "kernel"):
            for more in ([], ["--no-snapshots"]):
                again = self.heddle("replay", "--repeat", 2, "--carrier", carrier, "--json", *more)
                self.assertEqual(again.returncode, 1, again)
                document = json.loads(again.stdout)
                self.assertEqual([document["verdict"], document["identical"]], ["failure", True], document)

    def test_each(self):
        for wait in WAITS:
            with self.subTest(wait=wait):
                self.ends_early(wait)

    def test_simplified(self):
        """The simplified schedule has the early end, too, where the failure needs it."""
        for wait in ("nanosleep", "sem_timedwait"):
            with self.subTest(wait=wait):
                program = [base.program("ends_early"), wait]
                done = self.heddle("debug", "--strategy", "random", "--early-timeouts", 1, "--json", "--", *program)
                self.assertEqual(done.returncode, 1, done)
                again = self.heddle("replay", "--repeat", 5, "--json")
                self.assertEqual(json.loads(again.stdout)["verdict"], "failure", again)


if __name__ == "__main__":
    base.main()
