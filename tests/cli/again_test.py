#!/usr/bin/env python3
"""Recordings of programs that are their own world: their children, their connections with themselves, their temporary files.

usage: again_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json

import cli_test as base

CARRIERS = ("fiber", "kernel")


class Again(base.InDirectory):
    def all_again(self, code, name, *words):
        """Recorded on each carrier; the replays are identical, and print what the recording printed."""
        for carrier in CARRIERS:
            said = self.heddle("record", "--seed", 7, "--carrier", carrier, "--", base.program(name), *words)
            self.assertNotIn("does not replay", said.stderr, said)
            self.assertEqual(said.returncode, code, said)
            for other in CARRIERS:
                done = self.heddle("replay", "--json", "--repeat", 2, "--carrier", other)
                document = json.loads(done.stdout)
                self.assertEqual((done.returncode, document["identical"]), (1, True), (carrier, other, document))
            again = self.heddle("replay")
            self.assertTrue(again.stdout.startswith(said.stdout), (said.stdout, again.stdout))

    def test_children_that_are_waited_for_beside_threads(self):
        """Whether the wait was over already at a switch is in the trace."""
        for slow in ("child", "threads"):
            self.all_again(6, "waits_for_child", slow)

    def test_children_that_wait_for_locks_of_their_parent(self):
        self.all_again(6, "waits_for_locks")

    def test_a_program_that_talks_to_itself(self):
        """In the replay its ports are others, and it sees those of the recording."""
        self.all_again(6, "talks_to_itself")

    def test_names_of_temporary_files(self):
        """One that the recording left is there in the replay, and has the name all the same."""
        self.all_again(5, "temporary_names")


if __name__ == "__main__":
    base.main()
