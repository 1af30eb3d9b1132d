#!/usr/bin/env python3
"""A project's defaults in .heddle/config.toml: which options they set, what the command line overrides, what is refused.

usage: config_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json

import cli_test as base


class Defaults(base.InDirectory):
    def configure(self, text):
        (self.directory / ".heddle").mkdir(exist_ok=True)
        (self.directory / ".heddle/config.toml").write_text(text)

    def executions(self, *words):
        done = self.heddle("find", "--json", "--no-retry", *words, "--", base.program("correct"))
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)["find"]["executions"], done.stderr

    def test_what_the_command_line_leaves_open_comes_from_the_file(self):
        self.configure('strategy = "random"\nexecutions = 7\n[check]\npreemptions = 1\n')
        count, err = self.executions()
        self.assertEqual(count, 7)
        self.assertIn(".heddle/config.toml", err)
        self.assertEqual(self.executions("--executions", "3")[0], 3)
        self.assertEqual(self.executions("--executions=4")[0], 4)

    def test_a_verb_has_its_own_table(self):
        self.configure('strategy = "random"\nexecutions = 7\n[find]\nexecutions = 5\n')
        self.assertEqual(self.executions()[0], 5)

    def test_expected_failures_of_a_suite(self):
        self.configure('[test]\nexecutions = 20\nfilter = "Locks"\nexpected-failure = ["Locks.Deadlock"]\n')
        done = self.heddle("test", "--no-explain", "--", base.program("gtest_suite"))
        self.assertEqual(done.returncode, 0, done)

    def test_what_is_not_right_is_one_sentence(self):
        for text, words in (
                ('fails-if = "touch harm"', "fails-if cannot be set here"),
                ('[test]\njunit = "/etc/passwd"', "junit cannot be set here"),
                ("executions = ", "line 1"),
                ("executions = true", "takes a value"),
                ('executions = "many"', "executions"),
                ("[nothing]\ntime = 1", "[nothing] is not a verb"),
                ("[find]\nfilter = 'x'", "find has no option --filter"),
                ("time = 1\ntime = 2", "line 2"),
        ):
            with self.subTest(text):
                self.configure(text)
                verb = "test" if "test" in text else "find"
                done = self.heddle(verb, "--", base.program("gtest_suite" if verb == "test" else "correct"))
                self.assertEqual(done.returncode, 2, done)
                self.assertIn(words, done.stderr)
                self.assertNotIn("harm", [path.name for path in self.directory.iterdir()])

    def test_streams_of_a_run_stay_the_programs(self):
        self.configure("seed = 3")
        self.assertEqual(self.heddle("run", "--", base.program("correct")).stderr, "to stderr\n")


if __name__ == "__main__":
    base.main()
