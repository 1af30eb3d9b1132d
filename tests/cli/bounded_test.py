#!/usr/bin/env python3
"""What a program does a thousand times must not cost the tool a thousand times a thousand."""
import argparse
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest


class Bounded(unittest.TestCase):
    heddle = None
    programs = None

    def test_nested_locks(self):
        # Processor time, which a busy machine does not change.
        with tempfile.TemporaryDirectory() as here:
            done = subprocess.run([self.heddle, "find", "--executions", "3", "--", str(self.programs / "nested_locks")], cwd=here,
                                  capture_output=True, text=True, timeout=280, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (40, 40)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def call(self, *arguments, here):
        return subprocess.run([self.heddle, *arguments], cwd=here, capture_output=True, text=True, timeout=200, check=False)

    def test_time_ends_a_run_under_way(self):
        # A run of so many events would take a minute and tens of gigabytes; that it ends at all is what is tested.
        endless = str(self.programs / "locks_for_ever")
        for verb in ("find", "check", "debug"):
            with tempfile.TemporaryDirectory() as here:
                done = self.call(verb, "--time", "1", "--max-events", "2000000000", "--", endless, here=here)
            self.assertEqual(done.returncode, 125, verb + done.stdout + done.stderr)
            self.assertIn("stopped: out of time", done.stdout + done.stderr)

    def test_output_is_bounded(self):
        prints = str(self.programs / "prints_much")
        for options in ([], ["--no-snapshots"]):
            with tempfile.TemporaryDirectory() as here:
                done = self.call("find", "--executions", "2", *options, "--", prints, "1500", here=here)
            self.assertEqual(done.returncode, 125, done.stdout + done.stderr)
            self.assertIn("it printed more than 256 MB", done.stdout + done.stderr)
        with tempfile.TemporaryDirectory() as here:
            done = self.call("find", "--executions", "2", "--", prints, "20", here=here)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = self.call("record", "--always", "--", prints, "600", here=here)
            self.assertIn("does not replay: it printed more than 256 MB", done.stderr)

    def test_a_signal_is_obeyed_in_every_phase(self):
        with tempfile.TemporaryDirectory() as here:
            for after in (0.1, 0.5, 1.5, 3):
                heddle = subprocess.Popen([self.heddle, "debug", "--time", "60", "--", str(self.programs / "locks_for_ever")], cwd=here,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                try:
                    heddle.communicate(timeout=after)
                except subprocess.TimeoutExpired:
                    heddle.send_signal(signal.SIGTERM)
                said, _ = heddle.communicate(timeout=100)
                self.assertEqual(heddle.returncode, 130, said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    options, rest = parser.parse_known_args()
    Bounded.heddle, Bounded.programs = options.heddle, options.programs.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
