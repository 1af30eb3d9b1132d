#!/usr/bin/env python3
"""What a program does before `main`, what it reads from, and who gets what several threads wait for are the same in the replay of a recording.

usage: recorded_starts_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import socket
import subprocess

import cli_test as base
from recordings_test import CARRIERS, Recordings


class Starts(Recordings):
    def test_what_happens_before_main(self):
        """The number of allocations there is the same again: after a stream that was not there, and where a library measures itself by the counter."""
        library, program = self.directory / "libmeasures.so", self.directory / "early"
        (self.directory / "measures.c").write_text(MEASURES)
        (self.directory / "early.c").write_text(EARLY)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", self.directory / "measures.c", "-o", library], check=True)
        subprocess.run(["cc", "-O2", "-pthread", self.directory / "early.c", "-o", program, f"-L{self.directory}", "-lmeasures",
                        f"-Wl,-rpath,{self.directory}"], check=True)
        copy = self.directory / "loaded.so"
        copy.write_bytes(library.read_bytes())
        said = self.record("--always", "--", program, copy, code=0).stdout
        self.assertTrue(said.endswith("done\n"), said)
        for carrier in CARRIERS:
            again = self.heddle("replay", "--json", "--carrier", carrier)
            self.assertTrue(json.loads(again.stdout)["identical"], again)
            # What the counter showed is the seed's, as the clock is.
            self.assertEqual(*(self.heddle("run", "--carrier", carrier, "--", program, copy).stdout for _ in range(2)))

    def test_nothing_to_read_is_no_file(self):
        program = self.directory / "asks"
        subprocess.run(["cc", "-include", "sys/stat.h", "-xc", "-", "-o", program], input="int main(void) { struct stat s; return fstat(0, &s) == 0 && S_ISCHR(s.st_mode) ? 4 : 5; }",
                       text=True, check=True)
        self.record("--", program, code=4)
        self.assertEqual(self.heddle("replay").returncode, 1)


class Shared(Recordings):
    def test_threads_that_wait_at_one_socket(self):
        """What a thread saw was there when it gave way, and another took: the switch says so in the replay, too."""
        self.serves_datagrams()

    def test_threads_that_take_several_messages_at_once(self):
        """Of each room only what came is kept: whole rooms were too much for a recording."""
        self.serves_datagrams("-DMANY", rounds=1000)

    def serves_datagrams(self, *options, rounds=100):
        source, program = self.directory / "shares.c", self.directory / "shares"
        source.write_text(SHARES)
        subprocess.run(["cc", "-D_GNU_SOURCE", "-pthread", *options, source, "-o", program], check=True)
        tool = subprocess.Popen([base.HEDDLE, "record", "--seed", "1", "--", program], cwd=self.directory, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        port = int(tool.stdout.readline().split()[1])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.connect(("127.0.0.1", port))
            client.settimeout(20)
            for _ in range(rounds):
                for length in range(1, 8):
                    client.send(b"x" * length)
                for _ in range(7):
                    client.recv(16)
            client.send(b"q")
            _, complaints = tool.communicate(timeout=60)
        self.assertIn("recorded", complaints)
        self.assertNotIn("does not replay", complaints)
        for carrier in CARRIERS:
            self.assertEqual(self.heddle("replay", "--carrier", carrier).returncode, 1)


SHARES = r"""
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
static int fd;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef MANY
enum { kMost = 8 };
struct batch {
  int count, next;
  struct mmsghdr messages[kMost];
  struct iovec pieces[kMost];
  struct sockaddr_in from[kMost];
  char rooms[kMost][65536];
};
static ssize_t receive(char* said, size_t room, struct sockaddr_in* from, socklen_t* size) {
  static _Thread_local struct batch* b;
  if (b == NULL) b = calloc(1, sizeof *b);
  if (b->next == b->count) {
    for (int i = 0; i < kMost; i++) {
      b->pieces[i] = (struct iovec){b->rooms[i], sizeof b->rooms[i]};
      b->messages[i].msg_hdr = (struct msghdr){.msg_name = &b->from[i], .msg_namelen = sizeof b->from[i], .msg_iov = &b->pieces[i], .msg_iovlen = 1};
    }
    b->next = 0;
    b->count = recvmmsg(fd, b->messages, kMost, MSG_WAITFORONE, NULL);
    if (b->count <= 0) abort();
  }
  const struct mmsghdr* m = &b->messages[b->next];
  if (m->msg_len > room || m->msg_hdr.msg_namelen != sizeof *from) exit(3);
  memcpy(said, b->rooms[b->next], m->msg_len);
  *from = b->from[b->next++];
  *size = sizeof *from;
  return m->msg_len;
}
#else
static ssize_t receive(char* said, size_t room, struct sockaddr_in* from, socklen_t* size) {
  return recvfrom(fd, said, room, 0, (struct sockaddr*)from, size);
}
#endif
static void* serve(void* unused) {
  char said[16];
  struct sockaddr_in from;
  for (;;) {
    socklen_t size = sizeof from;
    const ssize_t n = receive(said, sizeof said, &from, &size);
    if (n > 0 && said[0] == 'q') abort();
    for (int i = 0; i < 5; i++) {
      pthread_mutex_lock(&lock);
      pthread_mutex_unlock(&lock);
    }
    if (n > 0) sendto(fd, said, n, 0, (struct sockaddr*)&from, size);
  }
  return unused;
}
int main(void) {
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof name;
  pthread_t threads[3];
  fd = socket(AF_INET, SOCK_DGRAM, 0);
  bind(fd, (struct sockaddr*)&name, size);
  getsockname(fd, (struct sockaddr*)&name, &size);
  printf("port %d\n", ntohs(name.sin_port));
  fflush(stdout);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, serve, NULL);
  pthread_join(threads[0], NULL);
}
"""

MEASURES = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
static void* kept[64];
static __attribute__((noinline)) uint64_t now(void) { return __rdtsc(); }
__attribute__((constructor)) static void measure(void) {
  uint64_t shortest = ~0ull;
  for (int i = 0; i < 1000; i++) {
    const uint64_t from = now();
    const uint64_t length = now() - from;
    if (length < shortest) shortest = length;
  }
  uint64_t odd;
  __asm__ volatile("rdtscp\n shl $32, %%rdx\n or %%rdx, %0" : "=a"(odd) : : "rdx", "rcx", "cc");
  odd >>= 5;
  for (uint64_t i = 0; i < (shortest + odd) % 64; i++) kept[i] = malloc(20);
  printf("%lu, %lu\n", (unsigned long)shortest, (unsigned long)odd);
}
"""

EARLY = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
static __attribute__((noinline)) unsigned long long now(void) { return __rdtsc(); }
__attribute__((constructor)) static void looks(void) {
  if (fopen("/proc/sys/there/is/none", "r") != NULL) abort();
}
static void* work(void* lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return lock;
}
int main(int argc, char** argv) {
  if (dlopen(argv[argc - 1], RTLD_NOW) == NULL) abort();
  pthread_mutex_t* lock = calloc(1, sizeof *lock);
  const unsigned long long first = now();
  pthread_t t;
  pthread_create(&t, NULL, work, lock);
  work(lock);
  pthread_join(t, NULL);
  if (now() <= first) abort();
  printf("%llu\ndone\n", first);
}
"""


if __name__ == "__main__":
    base.main()
