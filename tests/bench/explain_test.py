#!/usr/bin/env python3
"""Sentences that were wrong once: each of these bugs is called by its class, its line is named, the advice says what to change and where, and no
claim is shown that its counts refute. The keys are in the programs (bench/programs/explained); ./dev bench explain has the others.

usage: explain_test.py BUILD
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# One for each kind of sentence: a teardown that names who took it away, `if` around a wait, two critical sections of one caller, a failed try, a barrier of
# the wrong size, a recursive mutex in a wait, one wake-up for two, a time-out that nobody looks at, a second read lock, a broken protocol, a map,
# a half-published pair, a condition changed without the lock, a joiner among those who wait, several windows, a use before it is set; a barrier of the
# C++ library, locks on the heap, an answer that nobody looks at, a condition_variable_any; a swap whose value was set back, a lock in a signal's handler, a
# thread that goes another way than the one that ends a wait, memory freed by a smart pointer, a lock that ends with its thread, a read in the wrong phase, one wake-up for those that
# wait when all is closed; the next turn of a loop, a wait for one fewer, a time-out of a wait with a condition, a pointer set before what it points to is there, a pair that is no
# announcement, memory used and freed in a header of the library; a loop that releases its lock between two turns, a count that is raised too early, a thread that goes past a latch, a
# signal that comes before pause(), two values that bound each other, a look under a read lock, a lock made of a variable in two steps, an object whose end its member tells, a pointer to a
# function that is not set yet, a ticket drawn twice; a wait for a future whose time was over, a sleep that stands for an order, an announcement that another used up or that was taken
# back, a post before the data is there, a string read in pieces, initialisers that need each other, two different locks, a look before the lock is taken, a call that comes too early.
NAMES = ["teardown_logger", "if_wait_slot", "two_sections_seat", "try_then_post", "barrier_size", "recursive_wait", "notify_one_two_wait", "timedlock_ignored",
         "recursive_read", "flag_lock", "map_find_insert", "half_pair", "wakeup_set_unlocked", "join_cycle", "three_windows", "start_before_init",
         "barrier_std", "heap_nodes", "try_answer_ignored", "recursive_any", "aba_stack", "handler_lock", "promise_cancelled", "view_callback", "lookup_leak",
         "phase_neighbour", "close_one_signal", "rotate_twice", "reduce_one_short", "mail_timeout", "codec_published", "clock_pair", "routes_shared_ptr", "observers_skipped",
         "ring_head_first", "latch_cancelled", "pause_too_late", "range_ends", "intern_twice", "spin_two_steps", "timer_cancelled", "plugin_half_set", "ticket_drawn_twice",
         "future_wait_ignored", "stages_by_sleep", "poison_one", "pulse_event", "sem_before_data", "status_text", "once_cross", "queue", "bluetooth",
         "publish_before_init"]
MOST_LINES = 60


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    with tempfile.TemporaryDirectory() as where:
        command = [sys.executable, str(ROOT / "bench" / "explain.py"), "--build", str(build), "--out", where, *NAMES]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        rows = json.loads((pathlib.Path(where) / "explain.json").read_text())["rows"]
    wrong = [row for row in rows if not (row["class"] and row["line"] and row["fix"]) or row["false"] or row["rows"] > MOST_LINES + 2]
    for row in wrong:
        print({key: row.get(key) for key in ("program", "called", "class", "line", "fix", "false", "rows", "advice", "claim")})
    missing = set(NAMES) - {row["program"] for row in rows}
    if missing:
        print("not measured:", sorted(missing))
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
