#!/usr/bin/env python3
"""What `heddle record` keeps can be had again: in every kind of process, on both carriers, with the world outside gone.

usage: recordings_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

import cli_test as base

HERE = pathlib.Path(__file__).resolve().parent
CARRIERS = ("fiber", "kernel")


class Recordings(base.InDirectory):
    def record(self, *words, code=None, **more):
        done = self.heddle("record", *words, **more)
        self.assertNotIn("does not replay", done.stderr, done)
        self.assertIn("heddle: recorded", done.stderr, done)
        if code is not None:
            self.assertEqual(done.returncode, code, done)
        return done

    def replays(self, *words, carriers=CARRIERS, repeat=2):
        """In a fresh process, in one that serves, and in one that is used again."""
        for carrier in carriers:
            for how in ([], ["--no-snapshots"]):
                done = self.heddle("replay", "--json", "--repeat", repeat, "--carrier", carrier, *how, *words)
                self.assertEqual(done.returncode, 1, done)
                document = json.loads(done.stdout)
                self.assertEqual((document["verdict"], document["identical"]), ("failure", True), (carrier, how, document))


class PointSets(Recordings):
    """The same events whether the process is an ordinary one, a server's child, or one that has run before."""

    def test_all(self):
        program = self.directory / "threads"
        compiler = pathlib.Path(base.HEDDLE).parent / "heddle-c++"
        subprocess.run([compiler, "-std=c++20", "-O1", "-g", "-pthread", HERE / "instrumented_threads.cpp", "-o", program], check=True)
        for points in ("sync", "atomics", "racy", "all", "functions"):
            for carrier in CARRIERS:
                with self.subTest(points=points, carrier=carrier):
                    self.record("--seed", 3, "--quantum", 7, "--points", points, "--carrier", carrier, "--", program, code=1)
                    self.replays()


class Ends(Recordings):
    def test_an_exception_that_nobody_catches(self):
        # The recording leaves standard error alone, and so does not know what it was: the replay does.
        self.assertIn("std::out_of_range: too far", self.record("--", base.program("throws")).stderr)
        self.replays(carriers=["fiber"], repeat=1)


class Outside(Recordings):
    def test_much_from_a_socket(self):
        megabyte = bytes(range(256)) * 4096
        with socket.create_server(("127.0.0.1", 0)) as server:
            def serve():
                with server.accept()[0] as connection:
                    for _ in range(80):
                        connection.sendall(megabyte)
            thread = threading.Thread(target=serve)
            thread.start()
            said = self.record("--seed", 1, "--", base.program("reads_much"), server.getsockname()[1], code=1)
            thread.join()
        self.assertTrue(said.stdout.startswith("83886080 bytes"), said)
        for carrier in CARRIERS:
            again = self.heddle("replay", "--carrier", carrier)
            self.assertEqual(again.returncode, 1, again)
            self.assertTrue(again.stdout.startswith(said.stdout), again)

    def recorded_server(self, *options):
        """heddle record of a server that has answered some requests, and its port."""
        servers = HERE.parent.parent / "bench" / "servers"
        for name in ("cache", "kv_load"):
            subprocess.run(["gcc", "-O1", "-g", "-pthread", servers / f"{name}.c", "-o", self.directory / name], check=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        tool = subprocess.Popen([base.HEDDLE, "record", *options, "--", "./cache", str(port), "3"], cwd=self.directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        self.load(port)
        return tool, port

    def load(self, port):
        subprocess.run([self.directory / "kv_load", str(port), "4", "0.1"], capture_output=True, check=True)

    def test_a_server_whose_sets_fill_while_they_are_waited_for(self):
        """Clients connect after the workers have begun to wait, and are gone when it is replayed."""
        tool, _ = self.recorded_server("--always")
        tool.send_signal(signal.SIGTERM)
        said = tool.communicate(timeout=60)[1]
        self.assertRegex(said, r"heddle: log: \d+ events, \d+ inputs, \d+ bytes")
        self.assertIn("heddle: recorded", said)
        self.assertIn("look at it before you share it", said)
        self.assertNotIn("does not replay", said)
        self.assertFalse((self.directory / ".heddle" / "recordings").exists(), "the bug holds all of it")
        self.replays()
        # Shells leave descriptors open that have a recorded connection's number.
        again = subprocess.run([base.HEDDLE, "replay"], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               pass_fds=[os.dup2(0, 10)])
        os.close(10)
        self.assertEqual(again.returncode, 1, again)

    def test_what_is_left_when_heddle_is_killed(self):
        tool, port = self.recorded_server()
        recordings = self.directory / ".heddle" / "recordings"
        (recording,) = recordings.iterdir()
        sizes = set()  # the load is on disk a moment later, in several blocks: the last one is cut below
        for _ in range(200):
            sizes.add((recording / "segment.0000").stat().st_size)
            if len(sizes) > 3 and max(sizes) > 20000:
                break
            self.load(port)
        tool.kill()
        tool.communicate()
        other = self.heddle("recover", "--", "./cache", "1", "3")
        self.assertEqual(other.returncode, 125, other)
        self.assertIn(f"is a recording of: ./cache {port} 3", other.stderr)
        segment = recording / "segment.0000"
        segment.write_bytes(segment.read_bytes()[:-7])
        done = self.heddle("recover", "--", "./cache", port, "3")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("ends in the middle of a block", done.stderr)
        self.assertIn("heddle: recorded", done.stderr)
        self.assertNotIn("does not replay", done.stderr)
        self.assertFalse(recordings.exists())
        replayed = self.heddle("replay", "--repeat", 2)
        self.assertEqual(replayed.returncode, 0, replayed)
        self.assertIn("replayed to the end of its recording", replayed.stdout)
        again = self.heddle("recover", "--", "./cache", port, "3")
        self.assertEqual((again.returncode, again.stderr), (125, "heddle: no recording is left in .heddle/recordings\n"))

    def test_again_until_it_fails(self):
        said = self.record("--retry-until-failure", "--seed", 1, "--quantum", 3, "--", base.program("lost_update"), code=1)
        self.assertEqual(said.stderr.count("heddle: recorded"), 1, said)
        self.replays()

    def signalled(self, number, *words, times=1):
        """The tool with these words; it gets the signal as soon as the program says that it is ready. What it said, and its exit code."""
        tool = subprocess.Popen([base.HEDDLE, *map(str, words)], cwd=self.directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(tool.stdout.readline(), "ready\n")
        tool.send_signal(number)
        for _ in range(1, times):
            time.sleep(0.05)  # the kernel makes one of two that come at once
            tool.send_signal(number)
        out, err = tool.communicate(timeout=60)
        return out, err, tool.returncode

    def test_signal_to_the_tool_reaches_the_program(self):
        out, err, code = self.signalled(signal.SIGUSR1, "run", "--", base.program("takes_signals"), "handler")
        self.assertEqual(code, 1, (out, err))
        self.assertIn("turns", out)

    def test_signal_is_part_of_the_recording(self):
        for how in ("handler", "pause", "wait"):
            for carrier in CARRIERS:
                with self.subTest(how=how, carrier=carrier):
                    out, err, code = self.signalled(signal.SIGUSR1, "record", "--carrier", carrier, "--", base.program("takes_signals"), how)
                    self.assertEqual(code, 1, (out, err))
                    self.assertIn("heddle: recorded", err)
                    self.assertNotIn("does not replay", err)
                    self.replays()
                    again = self.heddle("replay")
                    # How far it came depends on the moment at which the signal is taken.
                    self.assertTrue(again.stdout.startswith("ready\n" + out), (out, again))

    def test_death_by_a_signal_is_part_of_the_recording(self):
        # Without the signal the program would go on for ever.
        for how in ("handler", "pause", "wait"):
            for carrier in CARRIERS:
                for number in (signal.SIGTERM, signal.SIGUSR2):
                    with self.subTest(how=how, carrier=carrier, number=number):
                        out, err, code = self.signalled(number, "record", "--carrier", carrier, "--", base.program("takes_signals"), how)
                        self.assertEqual(code, 128 + number, (out, err))
                        self.assertIn("heddle: recorded signal: ", err)
                        self.assertNotIn("does not replay", err)
                        self.replays(repeat=1)

    def test_death_between_points_is_part_of_the_recording(self):
        # The second one ends a program that computes, as it would one that is not under control.
        for carrier in CARRIERS:
            with self.subTest(carrier=carrier):
                out, err, code = self.signalled(signal.SIGTERM, "record", "--carrier", carrier, "--", base.program("takes_signals"), "slow", times=2)
                self.assertEqual(code, 128 + signal.SIGTERM, (out, err))
                self.assertIn("heddle: recorded signal: ", err)
                self.assertNotIn("does not replay", err)
                self.replays(repeat=1)

    def test_death_of_a_program_that_comes_to_no_point(self):
        out, err, code = self.signalled(signal.SIGTERM, "run", "--", base.program("takes_signals"), "busy")
        self.assertEqual(code, 128 + signal.SIGTERM, (out, err))

    def test_a_signal_to_the_group_comes_once(self):
        for verb in ("run", "record"):
            tool = subprocess.Popen([base.HEDDLE, verb, "--", base.program("takes_signals"), "twice"], cwd=self.directory, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
            for _ in range(3):
                tool.stdout.readline()  # ready, or taken
                os.killpg(tool.pid, signal.SIGINT)
            self.assertEqual(tool.stdout.readline(), "taken 3\n")
            os.killpg(tool.pid, signal.SIGUSR1)
            out, err = tool.communicate(timeout=60)
            self.assertEqual((out, tool.returncode), ("3 times\n", 1), err)

    def test_a_child_that_writes_in_pieces_and_is_killed(self):
        program = self.directory / "child"
        source = self.directory / "child.c"
        source.write_text(CHILD)
        subprocess.run(["cc", "-w", "-pthread", source, "-o", program], check=True)
        for carrier in CARRIERS:
            with self.subTest(carrier=carrier):
                said = self.record("--seed", 1, "--carrier", carrier, "--", program, code=1)
                self.assertEqual(said.stdout, "ab signal 15\n")
                self.replays(repeat=1)

    def test_what_was_missing_is_missing_again(self):
        names, seen = self.directory / "names", self.directory / "lists"
        names.mkdir()
        for name in ("b", "a", "c"):
            (names / name).write_text(name)
        source = self.directory / "lists.c"
        source.write_text(LISTS)
        subprocess.run(["cc", "-pthread", source, "-o", seen], check=True)
        said = self.record("--seed", 1, "--", seen, names, code=1)
        (names / "a").unlink()
        (names / "later").write_text("")
        (self.directory / "missing").write_text("")
        for carrier in ("fiber", "kernel"):
            again = self.heddle("replay", "--carrier", carrier)
            self.assertEqual(again.returncode, 1, again)
            self.assertTrue(again.stdout.startswith(said.stdout), (said, again))
        for name in ("b", "c", "later"):
            (names / name).unlink()
        names.rmdir()
        again = self.heddle("replay")
        self.assertEqual(again.returncode, 1, again)
        self.assertTrue(again.stdout.startswith(said.stdout), (said, again))

    def test_what_a_program_finds_around_it(self):
        """Environment, addresses and the state of a connection: the replay has another shell and no peer."""
        tool = subprocess.Popen([base.HEDDLE, "record", "--", base.program("asks_around")], cwd=self.directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "ONE_MORE": "1"})
        said = []
        while not said or not said[-1].startswith("port "):
            said.append(tool.stdout.readline())
            self.assertTrue(said[-1], tool.stderr)
        with socket.create_connection(("127.0.0.1", int(said[-1].split()[1]))) as connection:
            connection.sendall(b"words")
            rest, complaints = tool.communicate(timeout=60)
            own = connection.getsockname()[1]
        self.assertEqual(tool.returncode, 3, complaints)
        self.assertNotIn("does not replay", complaints)
        whole = "".join(said) + rest
        self.assertIn(f"at once 0, peer 0 {own}, error 0 0, waiting 0 5, end 0", whole)
        for _ in range(2):
            done = self.heddle("replay", "--repeat", 2)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(whole, done.stdout)

    def test_what_the_kernel_says(self):
        (self.directory / "file").write_text("words")
        for carrier in CARRIERS:
            said = self.record("--carrier", carrier, "--", base.program("asks_kernel"), "file", code=4)
            (self.directory / "file").write_text("others")
            for other in CARRIERS:
                again = self.heddle("replay", "--carrier", other)
                self.assertEqual(again.returncode, 1, again)
                self.assertTrue(again.stdout.startswith(said.stdout), (said.stdout, again.stdout))

    def test_files_that_the_run_changes(self):
        """What was in them before, in one read of 17 MB; names that are there after the run. Twice, over what the first recording left."""
        source, program = self.directory / "changes.c", self.directory / "changes"
        source.write_text(CHANGES)
        subprocess.run(["cc", "-pthread", source, "-o", program], check=True)
        for carrier in CARRIERS:
            for name in ("made", "new"):
                subprocess.run(["rm", "-rf", self.directory / name], check=True)
            (self.directory / "data").write_bytes(bytes(range(251)) * 68000)
            said = self.record("--carrier", carrier, "--", program, code=3)
            self.assertEqual(said.stdout.split()[0], "17068000", said)
            for other in CARRIERS:
                again = self.heddle("replay", "--carrier", other)
                self.assertEqual(again.returncode, 1, again)
                self.assertTrue(again.stdout.startswith(said.stdout), (said.stdout, again.stdout))

    def test_signals_of_children(self):
        self.record("--", base.program("children_end"), code=3)
        for _ in range(3):
            done = self.heddle("replay", "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["identical"]), (1, True), done)

    def test_a_child_that_is_looked_for_now_and_then(self):
        source, program = self.directory / "looks.c", self.directory / "looks"
        source.write_text(LOOKS)
        subprocess.run(["cc", "-pthread", source, "-o", program], check=True)
        said = self.record("--", program, code=6)
        for carrier in CARRIERS:
            again = self.heddle("replay", "--carrier", carrier)
            self.assertEqual(again.returncode, 1, again)
            self.assertTrue(again.stdout.startswith(said.stdout), (said.stdout, again.stdout))

    def test_connections_with_time_outs(self):
        """What somebody else has taken, the end of a connection and a time-out are three things; a timer ends a wait."""
        tool = subprocess.Popen([base.HEDDLE, "record", "--", base.program("timed_reads")], cwd=self.directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        port = int(tool.stdout.readline().split()[1])
        for late in (False, True, False):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"xyz")
                time.sleep(0.5 if late else 0)
        said, complaints = tool.communicate(timeout=60)
        self.assertEqual(tool.returncode, 5, (said, complaints))
        self.assertNotIn("does not replay", complaints)
        for carrier in CARRIERS:
            again = self.heddle("replay", "--carrier", carrier)
            self.assertEqual(again.returncode, 1, again)
            self.assertIn(said, again.stdout)

    def test_other_output_is_no_replay(self):
        marker = self.directory / "marker"
        marker.write_text("")
        program = self.directory / "shows"
        source = self.directory / "shows.c"
        source.write_text(SHOWS)
        subprocess.run(["cc", "-pthread", source, "-o", program], check=True)
        self.record("--seed", 1, "--", program, marker, code=1)
        self.replays()
        marker.write_text("more")
        other = self.heddle("replay")
        self.assertEqual(other.returncode, 125, other)
        self.assertIn("the output differs: stdout, line 1", other.stdout)


# A child writes to a pipe in two pieces and waits; the parent reads them, and then kills the child, which has our handler for signals from outside
# and must die of one like any other process.
CHILD = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int ends[2];
static void* reader(void* unused) {
  char text[8];
  long all = 0;
  for (long n; all < 2 && (n = read(ends[0], text, sizeof text)) > 0; all += n) printf("%.*s", (int)n, text);
  return unused;
}
int main(void) {
  pthread_t t;
  if (pipe(ends) != 0) return 2;
  const pid_t child = fork();
  if (child == 0) {
    write(ends[1], "a", 1);
    usleep(2000);
    write(ends[1], "b", 1);
    for (;;) pause();
  }
  close(ends[1]);
  pthread_create(&t, NULL, reader, NULL);
  pthread_join(t, NULL);
  int status = 0;
  kill(child, SIGTERM);
  waitpid(child, &status, 0);
  printf(" signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 1;
}
"""

# Says whether there is such a file, which no recording keeps, and an address, which no replay has to repeat.
# Two lists of a directory, a look-up, and three ways to find that there is no file.
LISTS = r"""
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static void* lists(void* name) {
  DIR* d = opendir(name);
  for (int round = 0; round < 2; ++round, rewinddir(d)) {
    for (struct dirent* e; (e = readdir(d)) != NULL;) printf("%s %lu\n", e->d_name, (unsigned long)e->d_ino);
  }
  struct dirent own, *e;
  while (readdir_r(d, &own, &e) == 0 && e != NULL) printf("again %s %lu\n", own.d_name, (unsigned long)own.d_ino);
  closedir(d);
  return NULL;
}
int main(int argc, char** argv) {
  pthread_t t;
  pthread_create(&t, NULL, lists, argv[argc - 1]);
  pthread_join(t, NULL);
  struct stat s;
  printf("%d %d %d\n", access("missing", F_OK), open("missing", O_RDONLY), stat("missing", &s));
  struct addrinfo* a = NULL;
  printf("%d\n", getaddrinfo("localhost", "80", NULL, &a));
  for (; a != NULL; a = a->ai_next) printf("%d %d %d\n", a->ai_family, a->ai_socktype, (int)a->ai_addrlen);
  return 1;
}
"""

LOOKS = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void* nothing(void* p) { return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, nothing, NULL);
  const pid_t child = fork();
  if (child == 0) {
    usleep(200000);
    _exit(9);
  }
  int status = 0;
  long looks = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    ++looks;
    usleep(5000);
  }
  pthread_join(t, NULL);
  printf("%ld looks, %d\n", looks, WEXITSTATUS(status));
  return 6;
}
"""

CHANGES = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static unsigned sum(const unsigned char* bytes, ssize_t size) {
  unsigned total = 0;
  for (ssize_t i = 0; i < size; ++i) total = total * 31 + bytes[i];
  return total;
}
static void* work(void* p) {
  unsigned char* bytes = malloc(50000000);
  const int fd = open("data", O_RDWR);
  const ssize_t n = read(fd, bytes, 50000000);
  printf("%zd %u %ld ", n, sum(bytes, n), (long)lseek(fd, 0, SEEK_CUR));
  memset(bytes, 7, 1000);
  pwrite(fd, bytes, 1000, 5000);
  const ssize_t again = pread(fd, bytes, 3000, 4500);
  printf("%u %ld ", sum(bytes, again), (long)lseek(fd, 0, SEEK_END));
  ftruncate(fd, 100);
  const int made = mkdir("made", 0700);
  printf("%d %d ", made, open("new", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0);
  printf("%d\n", rename("nothing", "made/nothing"));
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_join(t, NULL);
  return 3;
}
"""

SHOWS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
static void* nothing(void* p) { return p; }
int main(int argc, char** argv) {
  pthread_t t;
  pthread_create(&t, NULL, nothing, NULL);
  pthread_join(t, NULL);
  struct stat s;
  long result = 4;  // SYS_stat, by an instruction of its own: nobody sees the call, and its answer is not recorded
  __asm__ volatile("syscall" : "+a"(result) : "D"(argv[argc - 1]), "S"(&s) : "rcx", "r11", "memory");
  if (result != 0) s.st_size = -1;
  printf("%ld\nat %p, %lu\ndone\n", (long)s.st_size, malloc(10), (unsigned long)t);
  return 1;
}
"""


if __name__ == "__main__":
    base.main()
