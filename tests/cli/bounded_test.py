#!/usr/bin/env python3
"""What a program does a thousand times must not cost the tool a thousand times a thousand."""
import argparse
import pathlib
import resource
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    options, rest = parser.parse_known_args()
    Bounded.heddle, Bounded.programs = options.heddle, options.programs.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
