#!/usr/bin/env python3
"""Iterations of loops that a bug does not need are left out: marked by HEDDLE_ITERATION, or found by heddle-cc with clang.

usage: iterations_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess

import cli_test as base

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"

# Four threads add ten times each. From the seventh time on each checks that nobody has added in between.
DRIVER = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <heddle/heddle.h>
enum { kThreads = 4, kTimes = 10 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, armed;
static int locked_add(int n) {
  pthread_mutex_lock(&lock);
  const int now = value += n;
  pthread_mutex_unlock(&lock);
  return now;
}
static void step(int i) {
  PREPARE
  const int mine = locked_add(1);
  const int now = locked_add(0);
  if (i >= 6) assert(!armed || now == mine);
}
static void* driver(void* me) {
  for (int i = 0; i < kTimes; i++) MARK {
    if (i == 20) continue;
    step(i);
  }
  return me;
}
int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  (void)argv;
  armed = argc == 1;
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, driver, NULL);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  printf("%d\n", value);
  assert(value == kThreads * kTimes);
}
"""
# The initialiser: without the third iteration of a thread the check would fail in every schedule. The cache: without the first it would not fail.
INITIALISES = "static __thread int begun; if (i == 2) begun = 1; if (i >= 6) assert(begun && \"begun\");"
WARMS = "static __thread int warm; if (i == 0) warm = 1; if (i >= 6 && !warm) return;"
# The check would be vacuous: without the second iteration of a thread only a run with the failure evaluates it.
VACUOUS = "static __thread int seen; if (i == 1) seen = 1; if (i >= 6) { const int a = locked_add(1), b = locked_add(0); if (seen || a != b) check(a == b); } return;"
CHECK = """static void check(int holds) {
  pthread_mutex_lock(&lock);
  assert(holds && "undisturbed");
  pthread_mutex_unlock(&lock);
}
static void step(int i) {"""

# Requests: one thread makes them, two serve them. From the seventh on, one that is served while the other is in the middle of another is an error.
REQUESTS = r"""
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include <heddle/heddle.h>
enum { kRequests = 24 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;
static int ends[2], queue[kRequests + 2], first, last, value;
TRANSPORT
static int locked_add(int n) {
  pthread_mutex_lock(&lock);
  const int now = value += n;
  pthread_mutex_unlock(&lock);
  return now;
}
static void serve(int request) {
  for (int i = 0; i < 20; i++) locked_add(0);
  if (request < 7) return;
  const int mine = locked_add(1), now = locked_add(0);
  assert(now == mine);
}
static void* server(void* me) {
  for (int request; (request = take()) != 0;) HEDDLE_ITERATION serve(request); // serves
  return me;
}
int main(void) {
  pthread_t threads[2];
  prepare();
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, server, NULL);
  for (int i = 1; i <= kRequests; i++) HEDDLE_ITERATION give(i); // gives
  give(0);
  give(0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
"""
QUEUE = """static void prepare(void) {}
static void give(int request) {
  pthread_mutex_lock(&queue_lock);
  queue[last++] = request;
  pthread_cond_signal(&queued);
  pthread_mutex_unlock(&queue_lock);
}
static int take(void) {
  pthread_mutex_lock(&queue_lock);
  while (first == last) pthread_cond_wait(&queued, &queue_lock);
  const int request = queue[first++];
  pthread_mutex_unlock(&queue_lock);
  return request;
}"""
DESCRIPTORS = """static void prepare(void) { OPEN; }
static void give(int request) { assert(write(ends[1], &request, sizeof request) == sizeof request); }
static int take(void) {
  int request;
  assert(read(ends[0], &request, sizeof request) == sizeof request);
  return request;
}"""
TRANSPORTS = {"queue": QUEUE, "pipe": DESCRIPTORS.replace("OPEN", "assert(pipe(ends) == 0)"),
              "socket": DESCRIPTORS.replace("OPEN", "assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)")}
LINE = next(n for n, line in enumerate(DRIVER.splitlines(), 1) if "MARK" in line)


class Iterations(base.InDirectory):
    def compile(self, compiler, *options, mark="HEDDLE_ITERATION", prepare="", check=None, source="driver.c", environment=None):
        shutil.rmtree(self.directory / ".heddle", ignore_errors=True)  # another program
        text = DRIVER.replace("MARK", mark).replace("PREPARE", prepare)
        if check:
            text = text.replace("static void step(int i) {", check)
        if mark == "":
            text = text.replace("#include <heddle/heddle.h>", "")
        (self.directory / source).write_text(text)
        done = subprocess.run([*compiler, *options, "-g", "-pthread", f"-I{INCLUDE}", source, "-o", "driver"], cwd=self.directory,
                              env={**os.environ, **(environment or {})}, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def run_alone(self):
        """Code and output of the driver without Heddle. Nobody orders its threads there, so that its check is off: it could fail."""
        done = subprocess.run(["./driver", "unarmed"], cwd=self.directory, capture_output=True, text=True, timeout=20)
        return done.returncode, done.stdout

    def json(self, code, *words):
        done = self.heddle(words[0], "--json", *words[1:])
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def find(self, *words):
        return self.json(1, "find", "--strategy", "walk", "--executions", 2000, "--time", 30, *words, "--", "./driver")

    def check_reduced(self, told):
        reduction = told["reduction"]
        self.assertEqual(reduction["by"], ["delta"])
        self.assertTrue(reduction["same_failure"])
        self.assertEqual(reduction["criterion"], {"fails": True, "check_reached": True, "check_passed": True, "sequential_bug": False, "asked": True})
        self.assertEqual(reduction["threads"]["after"], 3, reduction)
        self.assertEqual(len(reduction["threads"]["kept"]), 3)
        self.assertEqual(reduction["iterations"]["after"], sum(len(k["numbers"]) for k in reduction["iterations"]["kept"]))
        self.assertLess(reduction["log_events"]["after"], reduction["log_events"]["before"])
        return reduction

    def test_links_and_runs_without_heddle(self):
        for compiler in (["gcc"], ["clang"], ["g++", "-x", "c++"], ["clang++", "-x", "c++"]):
            for options in (["-O0", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"], ["-O2", "-fno-pie", "-no-pie"], ["-O2", "-DHEDDLE_OFF"]):
                self.compile(compiler, *options)
                self.assertEqual(self.run_alone(), (0, "40\n"), (compiler, options))

    def test_leaves_one_iteration_of_two_threads(self):
        for compiler, options in ((["gcc"], ["-O1"]), (["clang"], ["-O2", "-fno-pie", "-no-pie"]), (["g++", "-x", "c++"], ["-O0"])):
            self.compile(compiler, *options)
            self.find()
            told = self.json(0, "reduce", "--found")
            reduction = self.check_reduced(told)
            self.assertLessEqual(reduction["iterations"]["after"], 3, reduction)
            kept = reduction["iterations"]["kept"]
            self.assertTrue(any(number >= 7 for k in kept for number in k["numbers"]), kept)
            self.assertEqual({(k["file"], k["line"]) for k in kept}, {("driver.c", LINE)})
            self.assertEqual(told["reduce"]["loops"], {"found": 1, "redundant": 1})
            for carrier in ("fiber", "kernel"):
                again = self.json(1, "replay", "--reduced", "--repeat", 3, "--carrier", carrier)
                self.assertEqual((again["verdict"], again["identical"]), ("failure", True), again)

    def test_same_for_any_number_of_jobs(self):
        self.compile(["gcc"], "-O1")
        self.find()
        told = [self.json(0, "reduce", "--found", "--time", 0, "--jobs", jobs) for jobs in (1, 3)]
        for each in told:
            del each["reduction"]["replay_seconds"]
        self.assertEqual(told[0]["reduction"], told[1]["reduction"])
        self.assertEqual(told[0]["reduce"]["executions"], told[1]["reduce"]["executions"])

    def test_cut_short_it_leaves_the_best_so_far(self):
        self.compile(["gcc"], "-O1")
        self.find()
        whole = self.json(0, "reduce", "--found", "--time", 0)["reduce"]["executions"]
        for most in (1, whole // 2, whole - 1):
            told = self.json(0, "reduce", "--found", "--executions", most)
            self.assertFalse(told["reduce"]["finished"])
            self.assertTrue(told["reduction"]["same_failure"])
            self.assertEqual(self.json(1, "replay", "--reduced")["verdict"], "failure")

    def test_a_needed_iteration_stays(self):
        for prepare, needed in ((INITIALISES, 3), (WARMS, 1)):
            self.compile(["gcc"], "-O1", prepare=prepare)
            self.find()
            kept = self.check_reduced(self.json(0, "reduce", "--found"))["iterations"]["kept"]
            self.assertTrue(any(needed in k["numbers"] and max(k["numbers"]) >= 7 for k in kept), (needed, kept))

    def test_an_iteration_stays_without_which_the_check_is_vacuous(self):
        self.compile(["gcc"], "-O1", prepare=VACUOUS, check=CHECK)
        self.find()
        kept = self.check_reduced(self.json(0, "reduce", "--found"))["iterations"]["kept"]
        self.assertTrue(any(2 in k["numbers"] and max(k["numbers"]) >= 7 for k in kept), kept)

    def test_requests_are_iterations(self):
        for name, transport in TRANSPORTS.items():
            with self.subTest(name):
                shutil.rmtree(self.directory / ".heddle", ignore_errors=True)
                text = REQUESTS.replace("TRANSPORT", transport)
                (self.directory / "driver.c").write_text(text)
                subprocess.run(["gcc", "-O1", "-g", "-pthread", f"-I{INCLUDE}", "driver.c", "-o", "driver"], cwd=self.directory, check=True, timeout=100)
                at = {mark[1]: n for n, line in enumerate(text.splitlines(), 1) if (mark := re.search(r"// (\w+)$", line))}
                self.find()
                told = self.json(0, "reduce", "--found")
                reduction = told["reduction"]
                self.assertTrue(reduction["criterion"]["fails"] and reduction["criterion"]["check_passed"], reduction["criterion"])
                served = [k for k in reduction["iterations"]["kept"] if k["line"] == at["serves"]]
                # Two requests meet; a few more may be in the way of the schedule.
                self.assertLessEqual(sum(len(k["numbers"]) for k in served), 6, reduction["iterations"])
                self.assertLess(reduction["log_events"]["after"] * 3, reduction["log_events"]["before"] * 2)
                self.assertEqual(self.json(1, "replay", "--reduced", "--repeat", 3)["identical"], True)

    def test_rounds_are_told(self):
        self.compile(["gcc"], "-O1")
        self.find()
        reduce = self.json(0, "reduce", "--found")["reduce"]
        rounds = reduce["history"]
        self.assertEqual(len(rounds), reduce["rounds"])
        for stage in ("threads", "iterations"):
            mine = [r for r in rounds if r["stage"] == stage]
            self.assertEqual(len(mine), reduce[stage]["rounds"])
            self.assertTrue(mine[reduce[stage]["rounds_to_result"] - 1]["holds"])
            self.assertFalse(any(r["holds"] for r in mine[reduce[stage]["rounds_to_result"]:]))

    def test_back_edges_are_points(self):
        self.compile(["gcc"], "-O1")
        for points, edges in (("sync", 0), ("functions", 40)):
            self.assertEqual(self.heddle("run", "--points", points, "--save", "run.trace", "--", "./driver").returncode, 0)
            shown = self.heddle("show", "run.trace").stdout
            self.assertEqual(len(re.findall(r"^ *\d+ .*\bloops\b", shown, re.M)), edges, shown)

    def test_debug_does_it_and_shows_it(self):
        self.compile(["gcc"], "-O1")
        told = self.json(1, "debug", "--time", 30, "--", "./driver")
        self.assertLessEqual(self.check_reduced(told)["iterations"]["after"], 3)
        text = self.heddle("explain").stdout
        self.assertRegex(text, r"NEEDS +3 of \d thread")
        self.assertRegex(text, rf"driver.c:{LINE}: T\d executes iteration")
        text = self.heddle("reduce").stdout
        self.assertIn("validated: it fails in the same way; a run of the same without interleaving reaches the check and passes it", text)
        gdb = self.heddle("replay", "--reduced", "--gdb", "--gdb-commands", "bt").stdout
        self.assertIn("driver.c", gdb)

    def test_heddle_cc_finds_loops_with_clang(self):
        cc = pathlib.Path(base.HEDDLE).parent / "heddle-cc"
        plugins = (cc.parents[1] / "lib").glob("heddle-loops-*.so")
        newer = [name for plugin in plugins if shutil.which(name := f"clang-{plugin.stem.rsplit('-', 1)[1]}")]
        for clang in ("clang", *newer):
            with self.subTest(clang):
                said = self.compile([str(cc)], "-O1", mark="", environment={"HEDDLE_CC": clang, "HEDDLE_LOOPS": "explain"})
                self.assertIn(f"driver.c:{LINE}", re.findall(r"heddle-cc: loop (\S+)", said), said)
                self.assertEqual(self.run_alone(), (0, "40\n"))
                self.find("--points", "sync")
                reduction = self.check_reduced(self.json(0, "reduce", "--found"))
                workers = [k for k in reduction["iterations"]["kept"] if k["thread"] != "main"]
                self.assertLessEqual(sum(len(k["numbers"]) for k in workers), 3, reduction)

    def test_gcc_says_that_it_needs_marks(self):
        cc = str(pathlib.Path(base.HEDDLE).parent / "heddle-cc")
        said = self.compile([cc], "-O1", environment={"HEDDLE_CC": "gcc", "HEDDLE_LOOPS": "1"})
        self.assertIn("gcc finds no loops: mark them with HEDDLE_ITERATION", said)


if __name__ == "__main__":
    base.main()
