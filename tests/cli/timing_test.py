#!/usr/bin/env python3
"""Sleeps, time-outs and wake-ups are choices of a run: the default search makes some, a replay makes them again, and reports say so.

usage: timing_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json

import cli_test as base


class Timing(base.InDirectory):
    def find(self, *words):
        done = self.heddle("find", "--no-retry", "--json", *words)
        return done.returncode, json.loads(done.stdout)

    def replays(self):
        for carrier in ("fiber", "kernel"):
            for more in ([], ["--no-snapshots"]):
                document = json.loads(self.heddle("replay", "--repeat", 2, "--carrier", carrier, "--json", *more).stdout)
                self.assertEqual([document["verdict"], document["identical"]], ["failure", True], document)

    def test_a_program_that_relies_on_a_sleep_is_found_and_labelled(self):
        for words, microseconds in (((), (400, 500)), (("two",), (1_900_000, 2_000_000))):
            with self.subTest(words=words):
                code, document = self.find("--executions", 40, "--", base.program("orders_by_sleep"), *words)
                self.assertEqual((code, document["failure"]["kind"]), (1, "abort"), document)
                (need,) = document["needs_timing"]
                self.assertEqual(need["kind"], "sleep")
                self.assertTrue(microseconds[0] <= need["microseconds"] <= microseconds[1], need)
                self.assertIn("main takes longer than T1's sleep of", need["sentence"])
                self.replays()
        story = self.heddle("debug", "--executions", 40, "--", base.program("orders_by_sleep"))
        self.assertIn("TIMING needs that main takes longer than T1's sleep of", story.stdout)

    def test_not_where_the_user_does_not_want_it_and_not_beyond_reason(self):
        for words in (("--no-timing", "--", base.program("orders_by_sleep")), ("--", base.program("orders_by_sleep"), "long")):
            code, document = self.find("--executions", 60, *words)
            self.assertEqual((code, document["verdict"]), (0, "none"), document)
        self.assertTrue(any("sleep" in line for line in self.find("--no-timing", "--executions", 60, "--", base.program(
            "orders_by_sleep"))[1]["account"]["not_seen"]))

    def test_an_if_around_a_wait_is_found_by_a_spurious_wakeup(self):
        for jobs in (1, 2):
            code, document = self.find("--jobs", jobs, "--executions", 200, "--", base.program("if_around_wait"))
            self.assertEqual((code, document["failure"]["kind"]), (1, "abort"), document)
            self.assertEqual([need["kind"] for need in document["needs_timing"]], ["spurious wake-up"])
            self.replays()
        self.assertEqual(self.find("--executions", 200, "--", base.program("if_around_wait"), "while")[0], 0)
        self.assertEqual(self.find("--no-timing", "--executions", 200, "--", base.program("if_around_wait"))[0], 0)
        code, document = self.find("--strategy", "random", "--spurious-wakeups", 1, "--executions", 100, "--",
                                   base.program("if_around_wait"))
        self.assertEqual(code, 1, document)

    def test_an_answer_that_comes_after_the_time_out_is_found(self):
        code, document = self.find("--points", "sync", "--executions", 200, "--", base.program("late_answer"))
        self.assertEqual((code, document["failure"]["kind"]), (1, "abort"), document)
        self.assertEqual({need["kind"] for need in document["needs_timing"]}, {"time-out"})
        self.replays()
        self.assertEqual(self.find("--points", "sync", "--executions", 200, "--", base.program("late_answer"), "check")[0], 0)

    def test_waits_of_seconds_time_out_too_and_those_of_hours_do_not(self):
        program = base.program("gives_up_waiting")
        for how, seconds in (("join", 2), ("condition", 5), ("semaphore", 30)):
            with self.subTest(how=how):
                code, document = self.find("--points", "sync", "--executions", 200, "--", program, how, seconds)
                self.assertEqual((code, document["failure"]["kind"]), (1, "abort"), document)
                (need,) = document["needs_timing"]
                self.assertEqual(need["kind"], "time-out")
                self.assertTrue((seconds - 1) * 1_000_000 <= need["microseconds"] <= seconds * 1_000_000, need)
                self.replays()
                for words in ((how, seconds, "handled"), (how, 3600)):
                    code, document = self.find("--points", "sync", "--executions", 200, "--", program, *words)
                    self.assertEqual((code, document["verdict"]), (0, "none"), document)

    def test_what_fails_without_it_is_not_blamed_on_time(self):
        code, document = self.find("--executions", 200, "--", base.program("lost_update"))
        self.assertEqual((code, document["needs_timing"]), (1, []))


if __name__ == "__main__":
    base.main()
