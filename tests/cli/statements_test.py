#!/usr/bin/env python3
"""Statements that a bug does not depend on are sliced away and really left out (heddle-cc with clang, Valgrind).

usage: statements_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import re
import subprocess

import cli_test as base

# Three threads add and look; between and around that they do what has nothing to do with it. What a thread writes down may throw.
PROGRAM = r"""
#include <pthread.h>
#include <cassert>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>
static std::mutex lock, notes_lock;
static long value, armed, statistics[8];
static std::vector<std::string> notes;
static void note(const std::string& text) {
  if (text.size() > 100) throw std::runtime_error("too long");
  std::lock_guard<std::mutex> held(notes_lock);
  notes.push_back(text);
  std::fprintf(stderr, "%s\n", text.c_str());
}
static long locked_add(long n) {
  std::lock_guard<std::mutex> held(lock);
  return value += n;
}
static long squares(long n) {
  long all = 0;
  for (long i = 0; i < n; i++) all += i * i;
  return all;
}
static void prepare(long* to) { *to = 1; }
static void* worker(void* p) {
  const long me = reinterpret_cast<long>(p);
  std::string name = "worker " + std::to_string(me);
  note(name + " begins");          // begins
  statistics[me] = squares(1000);  // statistics
  PREPARE                          // armed
  const long mine = locked_add(1); // adds
  note(name + " has added");       // added
  const long now = locked_add(0);  // looks
  if (armed) assert(now == mine);  // checks
  note(name + " ends");            // ends
  return nullptr;
}
int main() {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], nullptr, worker, reinterpret_cast<void*>(i));
  for (pthread_t t : threads) pthread_join(t, nullptr);
  std::printf("%ld %zu %ld\n", value, notes.size(), statistics[0]);
}
"""


class Statements(base.InDirectory):
    def build(self, prepare, *options, marks="1"):
        text = PROGRAM.replace("PREPARE", prepare)
        (self.directory / "notes.cpp").write_text(text)
        compiler = str(pathlib.Path(base.HEDDLE).with_name("heddle-c++"))
        done = subprocess.run([compiler, *options, "-pthread", "notes.cpp", "-o", "notes"], cwd=self.directory, capture_output=True, text=True,
                              env={**os.environ, "HEDDLE_CC": "clang", "HEDDLE_CXX": "clang++", "HEDDLE_STATEMENTS": marks}, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {mark[1]: n for n, line in enumerate(text.splitlines(), 1) if (mark := re.search(r"// (\w+)$", line))}

    def json(self, code, *words):
        done = self.heddle(words[0], "--json", *words[1:])
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def reduced(self, carrier="fiber"):
        self.json(1, "find", "--carrier", carrier, "--", "./notes")
        return self.json(0, "reduce")["reduction"]

    def check(self, at, reduction, unneeded):
        statements = reduction["statements"]
        self.assertLess(statements["after"], statements["before"])
        lines = {row["line"] for row in statements["kept"] if row["thread"] != "main"}
        for needed in ("armed", "adds", "looks"):
            self.assertIn(at[needed], lines)
        for not_needed in unneeded:
            self.assertNotIn(at[not_needed], lines)
        self.assertLess(reduction["log_events"]["after"], reduction["log_events"]["before"])
        self.assertTrue(reduction["same_failure"])
        self.assertTrue(reduction["criterion"]["fails"] and reduction["criterion"]["check_passed"], reduction["criterion"])

    def test_what_is_not_needed_is_not_executed(self):
        at = self.build("armed = 1;", "-O1")
        self.check(at, self.reduced(), ("begins", "statistics", "added"))
        whole = self.heddle("replay")
        self.assertIn("has added", whole.stderr)
        done = self.heddle("replay", "--reduced")
        self.assertEqual(done.returncode, 1, done)
        self.assertNotIn("has added", done.stderr)
        self.assertNotIn("begins", done.stderr)
        text = self.heddle("reduce").stdout
        self.assertRegex(text, r"needs 3 of 4 threads.* and \d+ of \d+ executed statements")
        self.assertRegex(text, r"T\d executes lines .* of notes.cpp")

    def test_what_is_needed_stays(self):
        # Without it the check would not be evaluated, and without the other it would look at another variable.
        at = self.build("long* where = &armed; prepare(where);", "-O0")
        self.check(at, self.reduced("kernel"), ("begins", "statistics"))

    def test_a_statement_may_begin_where_a_loop_does(self):
        at = self.build("armed = 1; for (long i = 0; i < 20; i++) locked_add(0);", "-O1")
        reduction = self.reduced()
        self.assertIn("statements", reduction, reduction)
        self.check(at, reduction, ("begins", "statistics"))
        self.assertLess(reduction["iterations"]["after"], reduction["iterations"]["before"])

    def test_without_marks_there_is_nothing_to_leave_out(self):
        self.build("armed = 1;", marks="0")
        self.assertNotIn("statements", self.reduced())


if __name__ == "__main__":
    base.main()
