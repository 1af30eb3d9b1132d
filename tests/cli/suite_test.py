#!/usr/bin/env python3
"""Whole test suites: test binaries of several frameworks, CTest, budgets, baselines, shards and what heddle merge makes of them.

usage: suite_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
import xml.etree.ElementTree

import cli_test as base

VERDICTS = {
    "Account.Overdraws": "failure",
    "Account.Adds": "passed",
    "Locks.Deadlock": "failure",
    "Plain.StartsNoThread": "no-threads",
    "Plain.WrongWithoutThreads": "fails-always",
    "Plain.WrongWithThreads": "fails-always",
    "Plain.WantsAVariable": "fails-always",
    "Some/Sized.Works/0": "passed",
    "Some/Sized.Works/1": "passed",
    "Some/Sized.Works/2": "passed",
}
RUNS = ("--executions", "40", "--no-explain")


class Suite(base.InDirectory):
    def run_json(self, *words, store=None, code=1):
        variables = dict(os.environ, **({"HEDDLE_STORE": str(store)} if store else {}))
        done = subprocess.run([base.HEDDLE, *map(str, words)], cwd=self.directory, env=variables, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=base.TIMEOUT)
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def verdicts(self, document):
        return {test["name"]: test["verdict"] for test in document["tests"]}

    def test_every_test_gets_its_verdict(self):
        document = self.run_json("test", *RUNS, "--json", "--junit", "out.xml", "--", base.program("gtest_suite"))
        self.assertEqual(self.verdicts(document), VERDICTS)
        self.assertEqual(document["verdict"], "failure")
        failing = {test["name"]: test for test in document["tests"]}["Account.Overdraws"]
        bug = json.loads((self.directory / failing["bug"] / "bug.json").read_text())
        self.assertEqual(bug["test"], "Account.Overdraws")
        suite = xml.etree.ElementTree.parse(self.directory / "out.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("10", "5"))
        self.assertIn("Account.Overdraws", (self.directory / ".heddle/suite/index.html").read_text())
        # The bug of one test replays by itself.
        again = self.heddle("replay", failing["bug"].rsplit("/", 1)[1])
        self.assertEqual(again.returncode, 1, again)

    def test_baseline_and_expected_failures(self):
        self.run_json("test", *RUNS, "--json", "--", base.program("gtest_suite"))
        old = (self.directory / ".heddle/suite/results.json").read_bytes()
        (self.directory / "old.json").write_bytes(old)
        document = self.run_json("test", *RUNS, "--json", "--baseline", "old.json", "--", base.program("gtest_suite"), code=0)
        self.assertEqual((document["verdict"], document["new_failures"]), ("none", 0))
        document = self.run_json("test", *RUNS, "--json", "--filter", "Account|Locks", "--expected-failure", "Locks.Deadlock", "--",
                                 base.program("gtest_suite"))
        self.assertEqual(document["new_failures"], 1)
        self.run_json("test", *RUNS, "--json", "--filter", "Account|Locks", "--suppress", "deadlock|actual: -60", "--",
                      base.program("gtest_suite"), code=0)

    def test_shards_are_the_whole(self):
        whole = self.run_json("test", *RUNS, "--json", "--", base.program("gtest_suite"))
        for i in (1, 2, 3):
            self.run_json("test", *RUNS, "--json", "--shard", f"{i}/3", "--", base.program("gtest_suite"), store=self.directory / f"part{i}")
        merged = self.run_json("merge", "--json", "part3", "part1", "part2")
        self.assertEqual(merged["shards"]["missing"], [])

        def facts(document):
            return sorted((t["name"], t["verdict"], t["executions"], t["bug"].rsplit("/", 1)[-1]) for t in document["tests"])

        self.assertEqual(facts(merged), facts(whole))
        partly = self.run_json("merge", "--json", "part1", "part3")
        self.assertEqual(partly["shards"]["missing"], [2])
        self.one_sentence(self.heddle("merge", "part1", "part1"), 2)
        self.one_sentence(self.heddle("merge", "nowhere"), 2)

    def test_shards_of_a_search(self):
        def parts(name):
            for i in (1, 2, 3, 4):
                self.run_json("find", "--executions", "80", "--strategy", "random", "--shard", f"{i}/4", "--json", "--",
                              base.program("gtest_suite"), "--gtest_filter=Account.Overdraws", store=self.directory / f"{name}{i}")
            return self.run_json("merge", "--json", *[f"{name}{i}" for i in (4, 2, 3, 1)])["tests"]

        first, second = parts("a"), parts("b")
        for test in first + second:
            del test["seconds"]
        self.assertEqual(first, second)
        self.assertEqual(first[0]["verdict"], "failure")

    def test_campaign_on_an_engine(self):
        """sbatch and squeue stand for the cluster: the array's shards run one after the other, and one of them is lost."""
        tools = self.directory / "tools"
        tools.mkdir()
        (tools / "sbatch").write_text("""#!/bin/bash
for i in 1 2 4; do SLURM_ARRAY_TASK_ID=$i bash "$1" || exit 1; done
echo Submitted batch job 17
""")
        (tools / "squeue").write_text("#!/bin/sh\nexit 1\n")
        for tool in tools.iterdir():
            tool.chmod(0o755)
        variables = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")

        def call(*words):
            return subprocess.run([base.HEDDLE, *words], cwd=self.directory, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  timeout=base.TIMEOUT)

        words = ("--shards", "4", "--executions", "80", "--", base.program("gtest_suite"), "--gtest_filter=Account.Adds")
        sent = call("submit", "--slurm", *words)
        self.assertEqual(sent.returncode, 0, sent)
        status = call("status", "--json")
        self.assertEqual(status.returncode, 125, status)  # nothing failed, and a quarter was not looked at
        document = json.loads(status.stdout)
        self.assertEqual(document["shards"]["missing"], [3])
        self.assertEqual(document["tests"][0]["executions"], 60)
        self.one_sentence(call("submit", "--slurm", *words), 2)  # the place is taken
        (tools / "sbatch").write_text("""#!/bin/bash
[ "$1" = --array=3 ] || exit 1
SLURM_ARRAY_TASK_ID=3 bash "$2" && echo Submitted batch job 18
""")
        call("status", "--resubmit")
        self.assertEqual(json.loads((self.directory / "heddle-campaign/campaign.json").read_text())["job"], "17,18")
        again = call("status", "--json")
        self.assertEqual(again.returncode, 0, again)
        self.assertEqual(json.loads(again.stdout)["tests"][0]["executions"], 80)
        self.one_sentence(call("submit", *words), 2)
        self.assertIn("completionMode: Indexed", call("submit", "--kubernetes", *words).stdout)
        self.assertIn("shard: [1, 2, 3, 4]", call("submit", "--github", *words).stdout)

    def test_other_frameworks(self):
        for framework, name, first in (("doctest", "doctest_suite", "takes one, gives one"), ("Catch2", "catch2_suite", "takes one, gives [one]*")):
            document = self.run_json("test", *RUNS, "--json", "--", base.program(name))
            self.assertEqual(document["framework"], framework)
            self.assertEqual(self.verdicts(document), {first: "passed", "takes one": "no-threads", "sometimes wrong": "failure"})

    def test_a_catch2_test_explores_its_own_body(self):
        words = [base.program("catch2_suite"), "[body]"]
        for variables, explored in ({"HEDDLE": base.HEDDLE}, True), ({"PATH": "/nowhere"}, False):
            done = subprocess.run(words, cwd=self.directory, env={**os.environ, **variables}, capture_output=True, text=True, timeout=base.TIMEOUT)
            self.assertEqual("a schedule makes the body fail" in done.stdout, explored, done)
            self.assertIn("test cases: 1 |" if explored else "1 assertion", done.stdout.replace("assertions: 1", "1 assertion"), done)

    def test_ctest(self):
        build = self.directory / "build"
        build.mkdir()
        (self.directory / "elsewhere").mkdir()
        suite = base.program("gtest_suite")
        (build / "CTestTestfile.cmake").write_text(f"""
add_test(all {suite} --gtest_filter=Plain.WantsAVariable)
set_tests_properties(all PROPERTIES ENVIRONMENT "WANTED=here" WORKING_DIRECTORY {self.directory}/elsewhere FIXTURES_REQUIRED made)
add_test(make /usr/bin/touch {self.directory}/made)
set_tests_properties(make PROPERTIES FIXTURES_SETUP made)
add_test(unmake /bin/rm {self.directory}/made)
set_tests_properties(unmake PROPERTIES FIXTURES_CLEANUP made)
add_test(skips /bin/sh -c "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
add_test(missing {build}/no-such-program)
add_test(accounts {suite} --gtest_filter=Account.*)
""")
        document = self.run_json("test", *RUNS, "--json", "--ctest", build)
        self.assertEqual(self.verdicts(document), {"all": "no-threads", "skips": "cannot-test", "missing": "cannot-test", "accounts": "failure"})
        self.assertFalse((self.directory / "made").exists())
        self.one_sentence(self.heddle("test", "--ctest", "elsewhere"), 2)

    def test_what_ctest_expects(self):
        build = self.directory / "build"
        build.mkdir()
        suite, correct = base.program("gtest_suite"), base.program("correct")
        (build / "CTestTestfile.cmake").write_text(f'''
add_test(prints {correct} 3)
set_tests_properties(prints PROPERTIES PASS_REGULAR_EXPRESSION "never;to std.*err")
add_test(prints_other {correct})
set_tests_properties(prints_other PROPERTIES PASS_REGULAR_EXPRESSION "to nobody")
add_test(prints_wrong {correct})
set_tests_properties(prints_wrong PROPERTIES FAIL_REGULAR_EXPRESSION "^to stdout")
add_test(will_fail {correct} 3)
set_tests_properties(will_fail PROPERTIES WILL_FAIL TRUE LABELS "odd;slow")
add_test(skips_by_words {correct})
set_tests_properties(skips_by_words PROPERTIES SKIP_REGULAR_EXPRESSION "to stderr")
add_test(fails_by_chance {suite} --gtest_filter=Account.Overdraws)
set_tests_properties(fails_by_chance PROPERTIES WILL_FAIL TRUE)
add_test(wants {suite} --gtest_filter=Plain.WantsAVariable)
set_tests_properties(wants PROPERTIES ENVIRONMENT "WANTED=he" ENVIRONMENT_MODIFICATION "WANTED=string_append:re")
add_test(first /bin/sh -c "echo once > {self.directory}/made")
add_test(second /bin/sh -c "test -s {self.directory}/made")
set_tests_properties(second PROPERTIES DEPENDS first)
add_test(lacks_a_file {correct})
set_tests_properties(lacks_a_file PROPERTIES REQUIRED_FILES no-such-file)
''')
        document = self.run_json("test", *RUNS, "--json", "--ctest", build)
        self.assertEqual(self.verdicts(document), {
            "prints": "passed", "prints_other": "fails-always", "prints_wrong": "fails-always", "will_fail": "passed",
            "skips_by_words": "cannot-test", "fails_by_chance": "failure", "wants": "no-threads", "first": "no-threads",
            "second": "no-threads", "lacks_a_file": "cannot-test"})
        # The bug carries how CTest judged it.
        by_name = {test["name"]: test for test in document["tests"]}
        self.assertIn("WILL_FAIL", by_name["fails_by_chance"]["words"])
        self.assertEqual(self.heddle("replay", by_name["fails_by_chance"]["bug"].rsplit("/", 1)[1]).returncode, 1)
        labelled = self.run_json("test", *RUNS, "--json", "--label", "^od", "--ctest", build, code=0)
        self.assertEqual(self.verdicts(labelled), {"will_fail": "passed"})
        self.one_sentence(self.heddle("test", "--label", "none", "--ctest", build), 125)
        self.one_sentence(self.heddle("test", "--label", "none", "--", suite), 2)

    def on_terminal(self, kind, *words):
        """What heddle writes to a terminal of 40 rows and 100 columns."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        process = subprocess.Popen([base.HEDDLE, *map(str, words)], cwd=self.directory, env={**os.environ, "TERM": kind}, stdin=subprocess.DEVNULL,
                                   stdout=its, stderr=its)
        os.close(its)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:
            pass  # the other end is closed
        os.close(ours)
        self.assertEqual(process.wait(), 1)
        return written.decode()

    def test_a_live_table_on_a_terminal(self):
        words = ("test", "--time", "4", "--no-explain", "--", base.program("gtest_suite"))
        shown = self.on_terminal("xterm", *words)
        frames = shown.split("\x1b[J")
        tables = [frame for frame in frames if "VERDICT" in frame]
        self.assertGreater(len(tables), 2)
        self.assertRegex(tables[-1], r"\d+ of 10 tests begun, \d+ settled, \d+ s left")
        self.assertRegex(tables[-1], r"failure +\d+ +[\d.]+  Account.Overdraws")
        for line in tables[-1].replace("\x1b[K", "").replace("\r", "").splitlines():
            self.assertLess(len(line), 105, line)
        # Taken away before the result is printed, and the rows of the result come once.
        self.assertEqual(frames[-1].count("VERDICT"), 0)
        self.assertEqual(frames[-1].count("Account.Adds"), 1)
        plain = self.on_terminal("dumb", *words)
        self.assertNotIn("\x1b[", plain)
        self.assertIn("Account.Overdraws", plain)

    def test_tests_that_fail_alike_have_a_bug_each(self):
        document = self.run_json("test", *RUNS, "--json", "--filter", "Plain.Wrong|Overdraws", "--", base.program("gtest_suite"))
        bugs = {test["name"]: test["bug"].rsplit("/", 1)[1] for test in document["tests"]}
        self.assertEqual(len(set(bugs.values())), len(bugs), bugs)
        for name, bug in bugs.items():
            self.assertEqual(json.loads((self.directory / f".heddle/bugs/{bug}/bug.json").read_text())["test"], name)

    def test_debug_narrows_to_the_failing_test(self):
        document = self.run_json("debug", "--json", "--executions", "2000", "--", base.program("gtest_suite"))
        self.assertEqual(document["test"], "Account.Overdraws")
        self.assertLess(document["simplified"]["switches"], 8)

    def test_tests_that_the_time_does_not_reach(self):
        """Each run of the suite has time for its first test only."""
        words = ("--json", "--time", "0.01", "--no-explain", "--filter", "Adds|Sized", "--", base.program("gtest_suite"))
        reached = []
        for _ in range(4):
            document = self.run_json("test", *words, code=125)
            self.assertEqual((document["verdict"], document["not_reached"]), ("inconclusive", 3), document)
            self.assertEqual({test["verdict"] for test in document["tests"] if test.get("missed", 0)}, {"cannot-test"})
            reached += [test["name"] for test in document["tests"] if not test.get("missed", 0)]
        self.assertEqual(len(set(reached)), 4, "what was left out for longest is first in the next run")
        document = self.run_json("test", "--partial", *words, code=0)
        self.assertEqual((document["verdict"], document["not_reached"]), ("none", 3), document)
        text = self.heddle("test", *words[1:])
        self.assertEqual(text.returncode, 125, text)
        self.assertIn("no time was left for 3 of the 4 tests, so this is inconclusive", text.stdout)
        self.assertEqual(text.stdout.count("3 not reached"), 1)

    def test_no_suite(self):
        self.one_sentence(self.heddle("test", "--", base.program("correct")), 125)
        self.one_sentence(self.heddle("test", "--filter", "Nothing", "--", base.program("gtest_suite")), 125)
        self.one_sentence(self.heddle("test", "--shard", "3/2", "--", base.program("gtest_suite")), 2)
        self.one_sentence(self.heddle("test", "--baseline", "none.json", "--", base.program("gtest_suite")), 125)


if __name__ == "__main__":
    base.main()
