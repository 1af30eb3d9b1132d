#!/usr/bin/env python3
"""Tests the runner itself against a stand-in for heddle that answers as it is told to."""
import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import run

STAND_IN = """#!{python}
import json, pathlib, sys
answers = json.loads(pathlib.Path({answers!r}).read_text())
answer = answers[sys.argv[1]]
print(json.dumps(answer["out"]))
sys.exit(answer["code"])
"""


def failing(**changes):
    counts = {"events": 9, "threads": 3, "switches": 2, "preemptions": 1}
    failure = {"kind": "deadlock", "message": "two wait", "signature": "s"}
    return {
        "debug": {
            "code": 1,
            "out": {"verdict": "failure", "failure": failure, "find": {"executions": 7}, "simplified": counts, **changes},
        },
        "replay": {"code": 1, "out": {"verdict": "failure", "failure": failure, "identical": True, **counts}},
        "run": {"code": 0, "out": {}},
    }


class Runner(unittest.TestCase):
    def check(self, line, answers):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "x.c").write_text(f"// heddle: {line}\nint main(void) {{ return 0; }}\n")
            (root / "x").write_text("")
            (root / "answers").write_text(json.dumps(answers))
            heddle = root / "heddle"
            heddle.write_text(STAND_IN.format(python=sys.executable, answers=str(root / "answers")))
            heddle.chmod(heddle.stat().st_mode | stat.S_IXUSR)
            arguments = ["--heddle", heddle, "--programs", root, "--sources", root]
            done = subprocess.run([sys.executable, run.__file__, *arguments], capture_output=True, text=True)
            self.assertIn(done.stdout.splitlines()[-1], ("1 passed, 0 failed", "0 passed, 1 failed"), done.stderr)
            return done.returncode == 0, done.stdout

    def test_expected_failure_passes(self):
        ok, out = self.check("expect=deadlock preemptions=1 switches=2 runs<=7 message='two w'", failing())
        self.assertTrue(ok, out)

    def test_every_condition_can_fail(self):
        for line in (
            "expect=assert",
            "expect=none",
            "expect=deadlock preemptions=0",
            "expect=deadlock switches<=1",
            "expect=deadlock runs<=6",
            "expect=deadlock message=three",
            "expect=deadlok",
            "preemptions=1",
        ):
            ok, out = self.check(line, failing())
            self.assertFalse(ok, f"{line}: {out}")

    def test_replay_must_be_the_same(self):
        for change in ({"identical": False}, {"verdict": "diverged"}, {"switches": 3}, {"failure": {"kind": "exit"}}):
            answers = failing()
            answers["replay"]["out"].update(change)
            ok, out = self.check("expect=deadlock", answers)
            self.assertFalse(ok, f"{change}: {out}")
            self.assertIn("heddle replay", out)

    def test_correct_program(self):
        answers = {"debug": {"code": 0, "out": {"verdict": "none", "find": {"executions": 500}}}, "run": {"code": 0, "out": {}}}
        answers["find"] = {"code": 1, "out": {**failing()["debug"]["out"], "found": failing()["debug"]["out"]["simplified"]}}
        answers["replay"] = failing()["replay"]
        self.assertTrue(self.check("expect=none", answers)[0])
        answers["run"]["code"] = 3
        self.assertFalse(self.check("expect=none", answers)[0])

    def test_quoted_values(self):
        parsed = run.parse_expectation('// heddle: expect=exit flags="--points all" args="1 2"\n// heddle: runs<=5\n')
        self.assertEqual(parsed["flags"], ("=", "--points all"))
        self.assertEqual(parsed["runs"], ("<=", 5))


if __name__ == "__main__":
    unittest.main()
