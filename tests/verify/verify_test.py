#!/usr/bin/env python3
"""After the fix: verdicts that must not be wrong, tests that force an interleaving, bisection, suggestions, bad input.

usage: verify_test.py --heddle PROGRAM [unittest arguments]
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import run as cases

HEDDLE = None
CASES = pathlib.Path(__file__).resolve().parent / "cases"
VARIED = CASES.parent / "varied"
REPLACED = CASES.parent / "replaced"


def heddle(*words, cwd, **environment):
    return subprocess.run([HEDDLE, *map(str, words)], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=cases.TIMEOUT, env={**os.environ, **environment})


class Work(unittest.TestCase):
    """A directory with the bug of a case found and saved in it."""
    NAME = "lost_update"
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.base = pathlib.Path(cls.kept.name) / "base"
        cls.base.mkdir()
        cls.case = cases.Case(cls.CASES / cls.NAME, HEDDLE)
        cls.found = cls.case.find(cls.base)

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name) / "work"
        shutil.copytree(self.base, self.work)
        self.bug = next((self.work / ".heddle/bugs").iterdir())

    def forget_the_old_build(self):
        """As if the program had been built anew in its place."""
        (self.base / "prog").rename(self.base / "moved")
        self.addCleanup((self.base / "moved").rename, self.base / "prog")

    def verify(self, version, *words):
        return self.case.verify(self.case.where / version, self.work, *words)[1]

    def heddle(self, *words, **environment):
        return heddle(*words, cwd=self.work, **environment)

    def one_sentence(self, done, code):
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stderr.count("\n"), 1, done)
        self.assertTrue(done.stderr.startswith("heddle: "), done)
        return done.stderr


class Verdicts(Work):
    def test_every_version(self):
        for version in self.case.versions():
            with self.subTest(version.name):
                code, document = self.case.verify(version, self.work)
                self.assertIn(document["verdict"], cases.expected(version), document)
                self.assertEqual(code, cases.EXITS[document["verdict"]])
                self.assertEqual(list(document), ["verdict", "confidence", "anchors", "evidence"])
                self.assertEqual(set(document["anchors"]), {"exact", "moved", "lost"})

    def test_the_confidence_of_a_fix(self):
        document = self.verify("fix.c")
        confidence = document["confidence"]
        self.assertEqual(confidence["kind"], "enumerated")
        self.assertTrue(confidence["enumerated"]["proved"])
        self.assertGreaterEqual(confidence["enumerated"]["bound"], self.found["simplified"]["preemptions"])
        sampled = confidence["sampled"]
        low, high = sampled["interval"]
        self.assertLess(low, sampled["fraction"])
        self.assertLess(sampled["fraction"], high)
        self.assertGreater(sampled["before"]["failed"], 0)
        self.assertAlmostEqual(sampled["miss_interval"][1], (1 - low) ** sampled["schedules"], delta=1e-6)
        self.assertIn("is fixed", confidence["sentence"])

    def test_the_same_twice_and_for_any_jobs(self):
        def shown(*words):
            document = self.verify("wrong_lock.c", *words)
            return [document["verdict"], document["anchors"], document["evidence"]]
        self.assertEqual(shown("--jobs", "1"), shown("--jobs", "3"))

    def test_too_little_is_no_fix(self):
        """Without an enumeration and with samples that say little, nothing is claimed."""
        document = self.verify("fix.c", "--executions", "1", "--samples", "2")
        self.assertEqual(document["verdict"], "cannot-tell", document)

    def test_without_the_old_build(self):
        self.forget_the_old_build()
        self.assertIsNotNone(self.verify("fix.c")["confidence"]["sampled"]["before"], "its copy was kept")
        (self.bug / "program.zst").unlink()
        seal = (self.bug / "seal").read_text().splitlines(keepends=True)
        (self.bug / "seal").write_text("".join(line for line in seal if "program.zst" not in line))
        document = self.verify("fix.c")
        self.assertEqual(document["verdict"], "fixed", document)
        self.assertIsNone(document["confidence"]["sampled"]["before"], "what is known is in which run it was found")

    def test_the_build_of_the_bug(self):
        self.assertEqual(self.verify("bug.c")["verdict"], "still-fails")

    def test_another_compiler(self):
        if shutil.which("clang"):
            self.case.compiler, kept = ["clang"], self.case.compiler
            try:
                self.assertEqual(self.verify("fix.c")["verdict"], "fixed")
                self.assertEqual(self.verify("wrong_lock.c")["verdict"], "still-fails")
            finally:
                self.case.compiler = kept


class BadInput(Work):
    def document(self, *words):
        done = self.heddle("verify", "--json", "--time", "0", *words)
        self.assertEqual(done.returncode, 125, done)
        return json.loads(done.stdout)

    def test_an_unrelated_program(self):
        shutil.copy(CASES / "order/bug.c", self.work / "prog.c")
        subprocess.run(["gcc", "-g", "prog.c", "-o", "other", "-pthread", "-DNDEBUG"], cwd=self.work, check=True)
        document = self.document("--", "./other")
        self.assertEqual(document["verdict"], "cannot-tell", document)
        document = self.document("--", "/bin/true")
        self.assertIn("no threads", document["confidence"]["sentence"])

    def test_a_stripped_build(self):
        self.case.build(self.case.where / "fix.c", self.work)
        subprocess.run(["strip", "prog"], cwd=self.work, check=True)
        self.assertEqual(self.document("--", "./prog")["verdict"], "cannot-tell")

    def test_a_bug_of_a_stripped_build(self):
        """Without names any program looks like it; of another one everything passes, which is no fix."""
        build = ["gcc", "-g", "-pthread"]
        subprocess.run([*build, "-s", CASES / "lost_wakeup/bug.c", "-o", "prog"], cwd=self.work, check=True)
        subprocess.run([*build, "-DNDEBUG", CASES / "order/bug.c", "-o", "other"], cwd=self.work, check=True)
        done = self.heddle("debug", "--json", "--no-reduce", "--no-slice", "--no-isolate", "--simplify-time", "0", "--", "./prog")
        self.assertEqual(done.returncode, 1, done)
        document = self.document(json.loads(done.stdout)["bug"].split("/")[-1], "--", "./other")
        self.assertEqual(document["verdict"], "cannot-tell", document)
        self.assertIn("no symbols", document["confidence"]["sentence"])

    def test_other_arguments(self):
        self.case.build(self.case.where / "fix.c", self.work)
        self.assertIn("arguments", self.document("--", "./prog", "more")["confidence"]["sentence"])

    def test_a_bug_without_anchors(self):
        self.case.build(self.case.where / "fix.c", self.work)
        (self.bug / "anchors").write_bytes(b"nonsense")
        self.one_sentence(self.heddle("verify", "--", "./prog"), 125)
        self.forget_the_old_build()
        (self.bug / "anchors").unlink()
        self.assertIn("no anchors", self.one_sentence(self.heddle("verify", "--", "./prog"), 125))

    def test_usage(self):
        self.assertIn("after --", self.one_sentence(self.heddle("verify"), 2))
        self.one_sentence(self.heddle("verify", "zzzz", "--", "./prog"), 125)
        self.one_sentence(self.heddle("verify", "hd1:AAAA", "--", "./prog"), 125)
        self.one_sentence(self.heddle("bisect", "--", "./prog"), 2)
        old = (pathlib.Path(__file__).resolve().parents[1] / "cli/saved/0.1/2e92.string").read_text().split()[0]
        self.assertIn("no anchors", self.one_sentence(self.heddle("verify", old, "--", "./prog"), 125))

    def test_a_stranger_chooses_nothing(self):
        home = self.work / "home"
        home.mkdir()
        record = json.loads((self.bug / "bug.json").read_text())
        record["predicates"]["fails_if"] = "touch owned"
        (self.bug / "bug.json").write_text(json.dumps(record))
        self.case.build(self.case.where / "fix.c", self.work)
        self.assertIn("judged by a command", self.one_sentence(self.heddle("verify", "--", "./prog", HOME=str(home)), 125))
        self.assertFalse((self.work / "owned").exists())


FRAMEWORKS = """cmake_minimum_required(VERSION 3.10)
project(fresh C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(Catch2 REQUIRED)
add_executable(prog prog.c)
target_compile_options(prog PRIVATE -g)
target_link_libraries(prog Threads::Threads)
add_executable(in_gtest in_gtest.cpp)
target_link_libraries(in_gtest GTest::gtest_main)
add_executable(in_catch2 in_catch2.cpp)
target_link_libraries(in_catch2 Catch2::Catch2)
target_compile_definitions(in_catch2 PRIVATE CATCH_CONFIG_MAIN)
enable_testing()
add_test(NAME in_gtest COMMAND in_gtest)
add_test(NAME in_catch2 COMMAND in_catch2)
set_tests_properties(in_gtest in_catch2 PROPERTIES ENVIRONMENT "HEDDLE_TEST_PROGRAM=$<TARGET_FILE:prog>")
"""
CMAKE = """cmake_minimum_required(VERSION 3.10)
project(fresh C CXX)
find_package(Threads REQUIRED)
add_executable(prog prog.c)
target_compile_options(prog PRIVATE -g)
target_link_libraries(prog Threads::Threads)
enable_testing()
include(bug.cmake)
"""


class Emitted(Work):
    def ctest(self, version, path=None):
        """The result of the emitted test in a fresh project, under plain CTest."""
        shutil.copy(self.case.where / version, self.work / "prog.c")
        environment = {**os.environ, "PATH": path or f"{pathlib.Path(HEDDLE).parent}:{os.environ['PATH']}"}
        for words in (["cmake", "-S", ".", "-B", "out"], ["cmake", "--build", "out"]):
            subprocess.run(words, cwd=self.work, check=True, capture_output=True)
        return subprocess.run(["ctest", "-V"], cwd=self.work / "out", env=environment, capture_output=True, text=True)

    def test_under_ctest(self):
        done = self.heddle("emit-test", "--format", "ctest", "--target", "prog", "-o", "bug.cmake")
        self.assertEqual(done.returncode, 0, done)
        (self.work / "CMakeLists.txt").write_text(CMAKE)
        for _ in range(2):
            failed = self.ctest("bug.c")
            self.assertNotEqual(failed.returncode, 0, failed.stdout)
            self.assertIn("reproduced", failed.stdout)
            passed = self.ctest("fix.c")
            self.assertEqual(passed.returncode, 0, passed.stdout)
            self.assertIn("100% tests passed", passed.stdout)
            self.assertNotIn("Skipped", passed.stdout)
        skipped = self.ctest("bug.c", path="/usr/bin:/bin")
        self.assertIn("heddle is not installed", skipped.stdout)
        self.assertIn("Skipped", skipped.stdout)

    def test_as_a_script(self):
        script = self.work / "test.sh"
        self.assertEqual(self.heddle("emit-test", "--format", "shell", "-o", script).returncode, 0)
        for version, code in (("bug.c", 1), ("fix_renamed.c", 0), ("wrong_lock.c", 1)):
            self.case.build(self.case.where / version, self.work)
            done = subprocess.run(["sh", script], cwd=self.work, env={**os.environ, "HEDDLE": HEDDLE}, capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done)

    def test_under_googletest_and_catch2(self):
        for form in ("gtest", "catch2"):
            done = self.heddle("emit-test", "--format", form, "-o", f"in_{form}.cpp")
            self.assertEqual(done.returncode, 0, done)
        (self.work / "CMakeLists.txt").write_text(FRAMEWORKS)
        for version, verdict in (("bug.c", "Failed"), ("fix.c", "Passed"), ("bug.c", "Failed"), ("fix_renamed.c", "Passed")):
            done = self.ctest(version)
            for test in ("in_gtest", "in_catch2"):
                self.assertRegex(done.stdout, rf"Test +#\d: {test} \.+[ *]*{verdict}", version)
        skipped = self.ctest("bug.c", path="/usr/bin:/bin")
        self.assertIn("100% tests passed", skipped.stdout)
        self.assertIn("heddle is not installed, or cannot tell", skipped.stdout)  # GoogleTest's SKIPPED
        self.assertIn("skipped: heddle is not installed, or cannot tell", skipped.stdout)  # Catch2's warning

    def test_two_in_one_binary(self):
        """Each runs its own program, whichever comes first."""
        self.assertEqual(self.heddle("emit-test", "--format", "gtest", "-o", "test.cpp").returncode, 0)
        text, bug = (self.work / "test.cpp").read_text(), self.bug.name
        for name in ("left", "right"):
            (self.work / f"{name}.cpp").write_text(text.replace(bug, name).replace("(./prog)", f"(./{name})"))
        stub = self.work / "stub"
        stub.write_text('#!/bin/sh\nfor word; do echo "$word"; done >> programs\n')
        stub.chmod(0o755)
        subprocess.run(["g++", "left.cpp", "right.cpp", "-o", "both", "-lgtest_main", "-lgtest", "-pthread"], cwd=self.work, check=True)
        subprocess.run(["./both"], cwd=self.work, env={**os.environ, "HEDDLE": "./stub"}, check=True, capture_output=True)
        ran = (self.work / "programs").read_text().split()
        self.assertEqual([word for word in ran if word in ("./left", "./right")], ["./left", "./right"])


class PlainBuild(Work):
    """A bug between two instructions of a program that shows no accesses: its points are learnt, in the new build again."""
    NAME = "plain_flag"

    def test_verdicts(self):
        for version, verdict in (("fix_exchange.c", "fixed"), ("fix_lock.c", "fixed"), ("wrong_look.c", "still-fails")):
            document = self.verify(version)
            self.assertEqual(document["verdict"], verdict, document)
            self.assertNotEqual(document["confidence"]["kind"], "enumerated")
            if verdict == "fixed":
                self.assertIsNotNone(document["confidence"]["sampled"]["before"])
                self.assertRegex(document["confidence"]["sentence"], r"at calls and at \d+ instructions? of the program")

    def test_its_string(self):
        string = json.loads(self.heddle("explain", "--json").stdout)["replay"]
        self.assertTrue(string.startswith("hd2:"))
        self.assertEqual(self.heddle("replay", string, "--", "./prog").returncode, 1)
        self.assertEqual(self.heddle("verify", string, "--", "./prog").returncode, 1)

    def test_emitted(self):
        script = self.work / "test.sh"
        self.assertEqual(self.heddle("emit-test", "--format", "shell", "-o", script).returncode, 0)
        for version, code in (("bug.c", 1), ("fix_lock.c", 0), ("fix_exchange.c", 0), ("wrong_set.c", 1)):
            self.case.build(self.case.where / version, self.work)
            done = subprocess.run(["sh", script], cwd=self.work, env={**os.environ, "HEDDLE": HEDDLE}, capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done)


class OwnGuard(Work):
    """Nothing in the source's words shows that the lock of an own guard class is gone: the accesses that race do."""
    NAME = "own_guard"

    def test_verdicts(self):
        self.assertEqual(self.verify("fix.cpp")["verdict"], "fixed")
        gone = self.verify("wrong_bare.cpp")
        self.assertEqual(gone["verdict"], "still-fails", gone)
        self.assertIn("watched", [entry["step"] for entry in gone["evidence"]])


class EndOfAFunction(Work):
    """The lock is given back at the function's last line: what follows in the file is not used without it."""
    NAME, CASES = "stock", VARIED

    def test_verdicts(self):
        self.assertEqual(self.verify("fix_try_take.cpp")["verdict"], "fixed")
        self.assertEqual(self.verify("wrong_each.cpp")["verdict"], "still-fails")


class OneInstruction(Work):
    """It reads and writes on one line: what stands behind it, after the lock, is not under the lock."""
    NAME, CASES = "shared", VARIED

    def test_verdicts(self):
        self.assertEqual(self.verify("fix_inside.c")["verdict"], "fixed")
        self.assertEqual(self.verify("wrong_other.c")["verdict"], "still-fails")


class AtomicsForALock(Work):
    """In a plain build atomics are no points of the schedule: they are made points when nothing has failed."""
    NAME, CASES = "fdclose", REPLACED

    def test_verdicts(self):
        # The source's words leave a doubt; a search with the atomics as points does not bear it out.
        told = self.verify("fix_exchange.c")
        self.assertIn(told["verdict"], ("fixed", "cannot-tell"), told)
        self.assertTrue(any(e["step"] == "watched" and "instructions" in e["what"] and e["passed"] for e in told["evidence"]), told)
        self.assertEqual(self.verify("wrong_flag.c")["verdict"], "still-fails")


class AtomicsThatAreTwoSteps(Work):
    NAME, CASES = "token", REPLACED

    def test_verdicts(self):
        self.assertEqual(self.verify("wrong_claim.c")["verdict"], "still-fails")


class SplitIntoFiles(Work):
    NAME, CASES = "largest", VARIED

    def test_verdicts(self):
        self.assertEqual(self.verify("fix_split")["verdict"], "fixed")
        self.assertEqual(self.verify("wrong_split")["verdict"], "still-fails")


class Rebuilt(Work):
    def test_what_is_found_is_of_the_new_build(self):
        """The saved schedule fails in a program that was built anew, too: from then on the bug is that one's."""
        text = self.case.bug.read_text()
        for i, verb in enumerate(("find", "find", "debug")):
            (self.work / "prog.c").write_text(text)
            subprocess.run(["gcc", "-g", "-O1", "prog.c", "-o", "prog", "-pthread"], cwd=self.work, check=True)
            found = self.heddle(verb, "--json", "--", "./prog")
            self.assertEqual(found.returncode, 1, found)
            bug = pathlib.Path(json.loads(found.stdout)["bug"]).name
            again = self.heddle("replay", bug, "--repeat", "2")
            self.assertEqual(again.returncode, 1, again)
            self.assertNotIn("CHANGED", again.stderr)
            text = f"int unused{i}(int n) {{ return 3 * n; }}\n{text}"


class Bisected(Work):
    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.work, check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self, text, message):
        (self.work / "prog.c").write_text(text)
        self.git("add", "prog.c")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def test_over_history(self):
        good, bad = ((self.case.where / name).read_text() for name in ("fix.c", "bug.c"))
        self.git("init", "-q")
        self.commit("int main(void) { return 0; }\n", "Begin")
        self.commit(good, "Add the counter")
        self.commit(good.replace("static int counter;", "\n// How many.\nstatic int counter;"), "Say what it is")
        self.commit(good + "broken", "Does not build")
        self.commit(good, "Build again")
        first = self.commit(bad, "Hold the lock for less long")
        self.commit(bad.replace("add", "increase"), "Rename")
        self.commit(bad.replace("add", "increase") + "\n// The end.\n", "End")
        (self.work / "prog.c").write_text("half-done\n")
        done = self.heddle("bisect", "--json", "--build", "gcc -g -O1 prog.c -o prog -pthread", "--", "./prog")
        self.assertEqual(done.returncode, 0, done)
        document = json.loads(done.stdout)
        self.assertEqual((document["verdict"], document["commit"]), ("found", first), document)
        self.assertIn("still there", document["why"])
        self.assertEqual((self.work / "prog.c").read_text(), "half-done\n", "the user's tree is left alone")
        self.assertEqual(self.git("worktree", "list").count("\n"), 0)

    def test_where_there_is_nothing(self):
        self.assertIn("not a git repository", self.one_sentence(self.heddle("bisect", "--build", "true", "--", "./prog"), 125))


class Suggested(Work):
    def test_the_lock_to_hold(self):
        self.case.build(self.case.bug, self.work)
        done = self.heddle("suggest", "--json", "--time", "0")
        self.assertEqual(done.returncode, 0, done)
        document = json.loads(done.stdout)
        self.assertIn("hold `lock` from prog.c", document["suggestion"])
        best = document["tried"][0]
        self.assertEqual((best["result"], best["exhausted"]), ("removes", True))
        self.assertGreater(best["schedules"], 0)

    def test_locks_that_a_library_takes_are_told_by_their_callers(self):
        # Without optimisation every std::mutex is locked at one place, in the library's own header.
        (self.work / "two.cpp").write_text("""#include <mutex>
#include <thread>
std::mutex a, b;
void one() {
  std::lock_guard<std::mutex> first(a);
  std::lock_guard<std::mutex> second(b);
}
void two() {
  std::lock_guard<std::mutex> first(b);
  std::lock_guard<std::mutex> second(a);
}
int main() {
  std::thread t(one), u(two);
  t.join();
  u.join();
}
""")
        subprocess.run(["g++", "-g", "-O0", "-pthread", "two.cpp", "-o", "two"], cwd=self.work, check=True)
        told = self.heddle("debug", "--simplify-time", "0", "--", "./two")
        self.assertEqual(told.returncode, 1, told)
        self.assertNotIn("gthread", told.stdout.split("FAILING")[0])
        done = self.heddle("suggest", "--json", "--time", "0")
        self.assertEqual(done.returncode, 0, done)
        suggestion = json.loads(done.stdout)["suggestion"]
        self.assertIn("take one lock before two.cpp", suggestion)

    def test_the_lock_to_take_before(self):
        # To hold the first lock on is a deadlock with the checkpoint. Each thread has its own copy of the inlined code.
        (self.work / "log.cpp").write_text("""#include <cassert>
#include <mutex>
#include <thread>
#include <vector>
std::mutex number_mutex, log_mutex;
int last = 0;
std::vector<int> records;
inline int draw() {
  std::lock_guard<std::mutex> lock(number_mutex);
  return ++last;
}
inline void append(int number) {
  std::lock_guard<std::mutex> lock(log_mutex);
  assert(records.empty() || records.back() < number);
  records.push_back(number);
}
int main() {
  std::thread one([] { append(draw()); });
  std::thread two([] { append(draw()); });
  {
    std::lock_guard<std::mutex> log(log_mutex);
    std::lock_guard<std::mutex> number(number_mutex);
  }
  one.join();
  two.join();
}
""")
        subprocess.run(["g++", "-g", "-O1", "-pthread", "log.cpp", "-o", "log"], cwd=self.work, check=True)
        told = self.heddle("debug", "--json", "--no-slice", "--no-isolate", "--simplify-time", "0", "--", "./log")
        self.assertEqual(told.returncode, 1, told)
        done = self.heddle("suggest", "--json", "--time", "0")
        self.assertEqual(done.returncode, 0, done)
        changes = {row["change"]: row["result"] for row in json.loads(done.stdout)["tried"]}
        self.assertIn("removes", {result for change, result in changes.items() if change.startswith("take `log_mutex` before")}, changes)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    at = arguments.index("--heddle")
    HEDDLE = str(pathlib.Path(arguments[at + 1]).resolve())
    del arguments[at:at + 2]
    unittest.main(argv=[sys.argv[0], *arguments])
