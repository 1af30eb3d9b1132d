#!/usr/bin/env python3
"""--help of the tool and of every verb: the usage line, the groups of options, every enumeration once. The man page and the completion
know the same verbs.

usage: help_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import pathlib
import re

import cli_test as base

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GROUPS = ["Common options", "Search", "Failure", "Simplification", "Output", "Advanced"]
# Options without which a verb asks for them before it looks at the program.
NEEDED = {"show": ("--at", "1"), "submit": ("--github", "--executions", "1")}
PROGRAM = "-- PROGRAM [ARGS...]"


class Help(base.InDirectory):
    def help(self, *words):
        done = self.heddle(*words, "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout

    def verbs(self):
        return re.findall(r"^  ([\w-]+) ", self.help().split("\nVerbs:\n")[1].split("\n\n")[0], re.M)

    def each(self):
        found = self.verbs()
        self.assertGreater(len(found), 10)
        for verb in found:
            yield verb, self.help(verb)

    def test_usage_of_the_tool(self):
        self.assertIn(f"Usage: heddle VERB [OPTIONS] {PROGRAM}\n", self.help())

    def test_usage(self):
        """The usage line shows a program where the verb wants or takes one, and none where it refuses it."""
        for verb, text in self.each():
            usage = re.search(r"Usage: (.*(\n  .*)*)", text)[1]
            self.assertTrue(usage.startswith(f"heddle {verb} [OPTIONS]"), usage)
            for positional in re.findall(r"(?m)^Positionals:\n  ([A-Z]+)", text):
                self.assertIn(positional, usage)
            needed = self.heddle(verb)
            self.assertEqual(f"[OPTIONS] {PROGRAM}" in usage, needed.returncode == 2, (usage, needed.stderr))
            refused = self.heddle(verb, *NEEDED.get(verb, ()), "--", "true")
            self.assertEqual(PROGRAM not in usage, refused.returncode == 2, (usage, refused.stderr))

    def test_groups(self):
        for verb, text in self.each():
            headings = re.findall(r"^([A-Z][a-z ]+):$", text, re.M)
            options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.M)
            self.assertEqual(len(options), len(set(options)), "an option twice")
            self.assertIn("--help", options)
            if "Options" in headings:
                self.assertLessEqual(len(options), 11)
                continue
            listed = [heading for heading in headings if heading != "Positionals"]
            self.assertEqual(listed, [group for group in GROUPS if group in listed])
            self.assertEqual((listed[0], listed[-1]), (GROUPS[0], GROUPS[-1]))
            common = text.split("\nCommon options:\n")[1].split("\n\n")[0]
            self.assertLessEqual(len(re.findall(r"^  -", common, re.M)), 10)

    def test_enumerations_once(self):
        for verb, text in self.each():
            self.assertNotRegex(text, r"[{}]|NONNEGATIVE|\b(UINT|INT|FLOAT|TEXT)\b", "the parser's own words")
            for option, type_ in re.findall(r"^  (--[\w-]+) ([a-z]+(?:\|[a-z]+)+)", text, re.M):
                self.assertEqual(text.count(type_), 1, option)
            for line in re.findall(r"^  --strategy .*", text, re.M):
                self.assertNotIn("|", line)

    def test_passes_are_listed(self):
        """Where they can be given, each with a line; elsewhere the help says where that is."""
        text = self.help("simplify").split("--algorithm")[1].split("\n  -")[0]
        listed = re.findall(r"^ {20,}(\w+) {2,}\S", text, re.M)
        self.assertGreater(len(listed), 6)
        self.assertIn("tinertia", listed)
        self.assertIn("heddle simplify --help", self.help("debug"))

    def test_bad_values_are_told_the_good_ones(self):
        done = self.heddle("find", "--carrier", "none", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "fiber.*kernel")

    def test_the_version_is_the_latest_of_the_changelog(self):
        latest = re.search(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
        self.assertEqual(self.heddle("--version").stdout, f"heddle {latest}\n")
        self.assertIn(f'"heddle {latest}"', (ROOT / "docs" / "man" / "heddle.1").read_text())

    def test_other_places_know_the_verbs(self):
        manual = (ROOT / "docs" / "man" / "heddle.1").read_text()
        completion = (ROOT / "tools" / "completion" / "heddle.bash").read_text()
        headings = re.findall(r"\.TP\n\.B ([a-z, \\-]+)\n", manual.split(".SH VERBS")[1].split(".SH EXIT")[0])
        documented = {verb for heading in headings for verb in heading.replace("\\", "").split(", ")}
        self.assertEqual(documented, set(self.verbs()))
        offered = re.search(r'-W "([a-z -]+) --help --version"', completion)[1].split()
        self.assertEqual(set(offered), set(self.verbs()))


if __name__ == "__main__":
    base.main()
