#!/usr/bin/env python3
"""What `heddle record` keeps can be had again: in every kind of process, on both carriers, with the world outside gone.

usage: recordings_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import pathlib
import subprocess

import cli_test as base

HERE = pathlib.Path(__file__).resolve().parent
CARRIERS = ("fiber", "kernel")


class Recordings(base.InDirectory):
    def record(self, *words, code=None, **more):
        done = self.heddle("record", *words, **more)
        self.assertNotIn("does not replay", done.stderr, done)
        self.assertIn("heddle: recorded", done.stderr, done)
        if code is not None:
            self.assertEqual(done.returncode, code, done)
        return done

    def replays(self, *words, carriers=CARRIERS, repeat=2):
        """In a fresh process, in one that serves, and in one that is used again."""
        for carrier in carriers:
            for how in ([], ["--no-snapshots"]):
                done = self.heddle("replay", "--json", "--repeat", repeat, "--carrier", carrier, *how, *words)
                self.assertEqual(done.returncode, 1, done)
                document = json.loads(done.stdout)
                self.assertEqual((document["verdict"], document["identical"]), ("failure", True), (carrier, how, document))


class PointSets(Recordings):
    """The same events whether the process is an ordinary one, a server's child, or one that has run before."""

    def test_all(self):
        program = self.directory / "threads"
        compiler = pathlib.Path(base.HEDDLE).parent / "heddle-c++"
        subprocess.run([compiler, "-std=c++20", "-O1", "-g", "-pthread", HERE / "instrumented_threads.cpp", "-o", program], check=True)
        for points in ("sync", "atomics", "racy", "all", "functions"):
            for carrier in CARRIERS:
                with self.subTest(points=points, carrier=carrier):
                    self.record("--seed", 3, "--quantum", 7, "--points", points, "--carrier", carrier, "--", program, code=1)
                    self.replays()


if __name__ == "__main__":
    base.main()
