#!/usr/bin/env python3
"""Processes: nothing that heddle starts outlives it, however heddle ends.

usage: processes_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
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


if __name__ == "__main__":
    base.main()
