#!/usr/bin/env python3
"""What a team adds to its own project: CMake's functions of an installed Heddle, tests under plain CTest, a unit test that explores its own body.

usage: team_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import shutil
import subprocess

import cli_test as base

HERE = pathlib.Path(__file__).resolve().parent


class Team(base.InDirectory):
    def setUp(self):
        super().setUp()
        self.prefix, self.project = self.directory / "prefix", self.directory / "project"
        self.built = self.project / "build-heddle"
        self.quietly("cmake", "--install", pathlib.Path(base.HEDDLE).parent.parent, "--prefix", self.prefix)
        shutil.copytree(HERE / "team", self.project)
        presets = {"version": 4, "include": [str(self.prefix / "lib/cmake/Heddle/HeddlePresets.json")]}
        (self.project / "CMakeUserPresets.json").write_text(json.dumps(presets))
        self.quietly("cmake", "--preset", "heddle", "-G", "Ninja", "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_BUILD_TYPE=", "-DCMAKE_CXX_FLAGS=-g -O0",
                     cwd=self.project)
        self.quietly("cmake", "--build", "--preset", "heddle", cwd=self.project)

    def quietly(self, *words, cwd=None):
        done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=base.TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def team_test(self, test, **variables):
        return subprocess.run([self.built / "team_test", f"--gtest_filter={test}"], cwd=self.directory, env=dict(os.environ, **variables),
                              capture_output=True, text=True, timeout=base.TIMEOUT)

    def test_a_project(self):
        done = subprocess.run(["ctest", "--preset", "heddle"], cwd=self.project, capture_output=True, text=True, timeout=base.TIMEOUT)
        for name, passed in (("heddle.Queue.Right", True), ("heddle.Queue.Wrong", False), ("heddle.worker", False)):
            line = next((line for line in done.stdout.splitlines() if f" {name} " in line and "Test " in line), done.stdout + done.stderr)
            self.assertIn("Passed" if passed else "Failed", line)
        self.assertIn("out of 3", done.stdout)

        heddle = str(self.prefix / "bin/heddle")
        wrong = self.team_test("Body.Wrong", HEDDLE=heddle)
        self.assertEqual(wrong.returncode, 1, wrong)
        self.assertIn("a schedule makes the body fail", wrong.stdout)
        self.assertIn("team_test.cpp:20", wrong.stdout)
        self.assertEqual(self.team_test("Body.Right", HEDDLE=heddle).returncode, 0)
        # Without Heddle the body runs once, as it is.
        plain = self.team_test("Body.*", PATH="/nowhere")
        self.assertEqual(plain.returncode, 0, plain)


if __name__ == "__main__":
    base.main()
