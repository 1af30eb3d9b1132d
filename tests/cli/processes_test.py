#!/usr/bin/env python3
"""Processes: a worker that is forked is the one under control, and nothing that heddle starts outlives it, however heddle ends.

usage: processes_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import signal
import subprocess
import time

import cli_test as base


class Outlive(base.InDirectory):
    def started(self, *words):
        tool = subprocess.Popen([base.HEDDLE, *words], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.assertEqual(tool.stdout.readline(), b"ready\n")
        return tool

    def ends(self, tool):
        """The pipe is at its end only when everybody who had it is gone."""
        tool.communicate(timeout=60)

    def test_killed(self):
        for verb in ("run", "record"):
            with self.subTest(verb=verb):
                tool = self.started(verb, "--", base.program("leaves_server"))
                tool.kill()
                self.ends(tool)

    def test_told_to_end(self):
        tool = self.started("run", "--", base.program("leaves_server"))
        tool.send_signal(signal.SIGTERM)
        self.ends(tool)
        self.assertEqual(tool.returncode, 128 + signal.SIGTERM)

    def test_ended_by_itself(self):
        tool = self.started("run", "--", base.program("leaves_server"), "ends")
        self.ends(tool)
        self.assertEqual(tool.returncode, 0)


class Forked(base.InDirectory):
    """The failure is in a child: it is found, recorded, replayed on both carriers, and told like any other."""

    def replays(self):
        for carrier in ("fiber", "kernel"):
            done = self.heddle("replay", "--json", "--carrier", carrier)
            self.assertEqual(done.returncode, 1, done)
            self.assertEqual(json.loads(done.stdout)["verdict"], "failure", done)

    def test_found(self):
        done = self.heddle("debug", "--json", "--seed", 1, "--", base.program("forked_worker"))
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(json.loads(done.stdout)["failure"]["kind"], "signal", done.stdout)
        self.replays()

    def test_recorded(self):
        recorded = [self.heddle("record", "--seed", seed, "--quantum", 2, "--", base.program("forked_worker")) for seed in range(8)]
        said = [done for done in recorded if "heddle: recorded" in done.stderr]
        self.assertTrue(said, recorded)
        self.assertFalse([done for done in said if "does not replay" in done.stderr], said)
        self.replays()


class Ended(base.InDirectory):
    def test_the_signal_of_a_child_goes_to_who_waits_for_it(self):
        for seed in range(1, 7):
            for carrier in ("fiber", "kernel"):
                done = self.heddle("run", "--policy", "random", "--seed", seed, "--carrier", carrier, "--", base.program("child_signals"))
                self.assertEqual(done.returncode, 0, done)
        done = self.heddle("debug", "--executions", 40, "--", base.program("child_signals"))
        self.assertEqual(done.returncode, 0, done)

    def test_a_look_for_ended_children_is_no_wait_for_one(self):
        # A plan's thread waits for somebody outside while another one is about to look, without waiting, whether a child has ended.
        for seed in range(1, 13):
            done = self.heddle("check", "--executions", 60, "--seed", seed, "--", base.program("child_signals"))
            self.assertNotIn("Segmentation fault", done.stdout + done.stderr)

    def test_a_child_gives_back_the_lock_of_its_parent(self):
        for carrier in ("fiber", "kernel"):
            done = self.heddle("run", "--carrier", carrier, "--", base.program("unlocked_for_parent"))
            self.assertEqual(done.returncode, 0, done)

    def test_a_child_without_threads_is_as_it_would_be(self):
        for verb in (["run"], ["run", "--real-time"], ["record"]):
            for carrier in ("fiber", "kernel"):
                done = self.heddle(*verb, "--carrier", carrier, "--", base.program("forks_early"))
                self.assertEqual(done.returncode, 7, done)


    def test_a_signal_wakes_whoever_waits_outside(self):
        """Main waits for a thread, and that thread for the world: the kernel gives the signal to main."""
        source, program = self.directory / "waits.c", self.directory / "waits"
        source.write_text(WAITS)
        subprocess.run(["cc", "-pthread", source, "-o", program], check=True)
        for carrier in ("fiber", "kernel"):
            tool = subprocess.Popen([base.HEDDLE, "run", "--carrier", carrier, "--", program], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            self.assertEqual(tool.stdout.readline(), b"ready\n")
            time.sleep(0.5)
            tool.send_signal(signal.SIGTERM)
            tool.communicate(timeout=60)
            self.assertEqual(tool.returncode, 3)


WAITS = r"""
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static void ends(int number) { _exit(number == SIGTERM ? 3 : 4); }
static void* waits(void* unused) {
  struct pollfd open = {.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
  listen(open.fd, 1);
  puts("ready");
  fflush(stdout);
  poll(&open, 1, -1);
  return unused;
}
int main(void) {
  pthread_t t;
  signal(SIGTERM, ends);
  pthread_create(&t, NULL, waits, NULL);
  pthread_join(t, NULL);
}
"""


class Languages(base.InDirectory):
    def test_a_program_of_go_is_refused(self):
        """Its threads wait past the C library: nobody would ever see them wait. One that a script starts is left alone."""
        source, program = self.directory / "go.c", self.directory / "go"
        source.write_text('asm(".section .note.go.buildid,\\"a\\",@note\\n.long 4, 4, 4\\n.asciz \\"Go\\"\\n.byte 0\\n.long 0\\n.text");\nint main(void) { return 5; }\n')
        subprocess.run(["cc", source, "-o", program], check=True)
        for verb in ("run", "record", "find", "debug"):
            done = self.heddle(verb, "--", program)
            self.assertEqual(done.returncode, 125, done)
            self.assertIn("a program of Go", done.stderr)
        self.assertEqual(self.heddle("run", "--", "sh", "-c", f"{program}; exit $?").returncode, 5)


if __name__ == "__main__":
    base.main()
