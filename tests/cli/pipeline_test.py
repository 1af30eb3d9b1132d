#!/usr/bin/env python3
"""What a pipeline runs: the script of the GitHub action and the GitLab template, and Meson's tests through a wrapper.

usage: pipeline_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import yaml

import cli_test as base

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCRIPT = ROOT / "ci/heddle-ci.sh"


class Pipeline(base.InDirectory):
    def environment(self, **variables):
        path = f"{pathlib.Path(base.HEDDLE).resolve().parent}:{os.environ['PATH']}"
        return dict(os.environ, PATH=path, **variables)

    def run_script(self, words=(SCRIPT,), **variables):
        return subprocess.run([*map(str, words)], cwd=self.directory, env=self.environment(**variables), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=base.TIMEOUT)

    def test_new_failures_fail_the_build_and_old_ones_do_not(self):
        wanted = {"HEDDLE_PROGRAM": base.program("gtest_suite"), "HEDDLE_OPTIONS": "--executions 40 --no-explain --filter Account"}
        done = self.run_script(**wanted)
        self.assertEqual(done.returncode, 1, done)
        output = self.directory / "heddle-results"
        self.assertEqual(xml.etree.ElementTree.parse(output / "heddle.xml").getroot().get("failures"), "1")
        self.assertEqual(json.loads((output / "heddle.sarif").read_text())["version"], "2.1.0")
        (output / "results.json").rename(self.directory / "known.json")
        done = self.run_script(**wanted, HEDDLE_BASELINE="known.json")
        self.assertEqual(done.returncode, 0, done)

    def test_what_is_missing_is_said(self):
        self.assertEqual(self.run_script().returncode, 2)
        # No heddle, and nothing that could be installed.
        done = subprocess.run([str(SCRIPT)], cwd=self.directory, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 125, done)
        self.assertIn("heddle is not installed", done.stderr)

    def test_the_action_and_the_template_run_the_script(self):
        known = set(re.findall(r"^#   (HEDDLE_\w+)", SCRIPT.read_text(), re.M))
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        step = next(step for step in action["runs"]["steps"] if "run" in step)
        self.assertLessEqual(set(step["env"]), known)
        self.assertEqual({re.search(r"inputs\.(\w+)", value)[1] for value in step["env"].values()}, set(action["inputs"]))
        wanted = {"HEDDLE_PROGRAM": base.program("gtest_suite"), "HEDDLE_OPTIONS": "--executions 10 --no-explain --filter Plain.StartsNoThread"}
        done = self.run_script(("bash", "-c", step["run"]), GITHUB_ACTION_PATH=str(ROOT), **wanted)
        self.assertEqual(done.returncode, 0, done)
        job = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())[".heddle"]
        variables = dict(job["variables"], HEDDLE_SCRIPT=str(SCRIPT))
        self.assertLessEqual(set(variables) - {"HEDDLE_SCRIPT"}, known)
        done = self.run_script(("bash", "-c", "\n".join(job["script"])), **variables | wanted)
        self.assertEqual(done.returncode, 0, done)

    def test_meson(self):
        plain = {name: value for name, value in self.environment().items() if name not in ("CC", "CXX")}
        subprocess.run(["meson", "setup", "--buildtype=debug", "built", str(HERE / "meson")], cwd=self.directory, env=plain, check=True,
                       capture_output=True)
        done = subprocess.run(["meson", "test", "-C", "built", "--wrapper", f"{base.HEDDLE} find --strategy random --executions 300 --"],
                              cwd=self.directory, env=plain, capture_output=True, text=True, timeout=base.TIMEOUT)
        self.assertRegex(done.stdout, r"correct +OK")
        self.assertRegex(done.stdout, r"lost_update +FAIL")


if __name__ == "__main__":
    base.main()
