#!/usr/bin/env python3
"""Whole test suites: test binaries of several frameworks, CTest, budgets, baselines, shards and what heddle merge makes of them.

usage: suite_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import subprocess
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
        self.one_sentence(call("submit", *words), 2)
        self.assertIn("completionMode: Indexed", call("submit", "--kubernetes", *words).stdout)
        self.assertIn("shard: [1, 2, 3, 4]", call("submit", "--github", *words).stdout)

    def test_another_framework(self):
        document = self.run_json("test", *RUNS, "--json", "--", base.program("doctest_suite"))
        self.assertEqual(document["framework"], "doctest")
        self.assertEqual(self.verdicts(document),
                         {"takes one, gives one": "passed", "takes one": "no-threads", "sometimes wrong": "failure"})

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

    def test_debug_narrows_to_the_failing_test(self):
        document = self.run_json("debug", "--json", "--executions", "2000", "--", base.program("gtest_suite"))
        self.assertEqual(document["test"], "Account.Overdraws")
        self.assertLess(document["simplified"]["switches"], 8)

    def test_no_suite(self):
        self.one_sentence(self.heddle("test", "--", base.program("correct")), 125)
        self.one_sentence(self.heddle("test", "--filter", "Nothing", "--", base.program("gtest_suite")), 125)
        self.one_sentence(self.heddle("test", "--shard", "3/2", "--", base.program("gtest_suite")), 2)
        self.one_sentence(self.heddle("test", "--baseline", "none.json", "--", base.program("gtest_suite")), 125)


if __name__ == "__main__":
    base.main()
