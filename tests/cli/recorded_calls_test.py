#!/usr/bin/env python3
"""Calls that reach the world by another way than the plain function: by their number, inside of the C library, over an accepted connection.

usage: recorded_calls_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import json
import os
import pathlib
import socket
import subprocess

import cli_test as base
from recordings_test import CARRIERS, Recordings

HEADERS = """
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <netdb.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* What happens depends on the number: so many operations more. */
static void depend_on(unsigned long n) {
  for (unsigned long i = 0; i < n % 64; ++i) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
}
static unsigned long of_text(const char* t) { unsigned long n = 7; while (*t) n = n * 31 + (unsigned char)*t++; return n; }
"""

# Asks the kernel by numbers, as libuv does.
BY_NUMBER = HEADERS + r"""
static void* ask(void* place) {
  struct statx s;
  char entries[4096];
  syscall(SYS_statx, AT_FDCWD, place, 0, STATX_ALL, &s);
  depend_on(s.stx_ino + s.stx_mtime.tv_nsec);
  const long fd = syscall(SYS_openat, AT_FDCWD, place, O_RDONLY | O_DIRECTORY);
  unsigned long n = 0;
  for (long size; (size = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < size; at += *(unsigned short*)(entries + at + 16)) n += of_text(entries + at + 19);
  }
  printf("%lu names\n", n);
  depend_on(n);
  syscall(SYS_close, fd);
  return 0;
}
int main(int count, char** words) {
  pthread_t t;
  pthread_create(&t, 0, ask, words[count - 1]);
  pthread_join(t, 0);
  return 0;
}
"""

# The C library reads the directory by itself.
LISTS = HEADERS + r"""
static int wanted(const struct dirent* e) { return e->d_name[0] != '.'; }
int main(int count, char** words) {
  struct dirent** all;
  const int n = scandir(words[count - 1], &all, wanted, alphasort);
  for (int i = 0; i < n; ++i) { depend_on(of_text(all[i]->d_name)); printf("%s\n", all[i]->d_name); }
  char pattern[4096];
  snprintf(pattern, sizeof pattern, "%s/a*", words[count - 1]);
  glob_t found;
  if (glob(pattern, 0, 0, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) { depend_on(of_text(found.gl_pathv[i])); printf("%s\n", found.gl_pathv[i]); }
    globfree(&found);
  }
  return 0;
}
"""

# Looks names up, then does what hangs on where a block of memory lies, as slapd does.
LOOKS_UP = HEADERS + r"""
static void* look(void* unused) {
  struct addrinfo* list = 0;
  char host[256], service[64], room[1024];
  struct sockaddr_in a = {AF_INET, htons(80), {htonl(INADDR_LOOPBACK)}, {0}};
  struct hostent one, *h;
  int error;
  (void)unused;
  printf("%d\n", getaddrinfo("localhost", "80", 0, &list));
  printf("%d %s %s\n", getnameinfo((struct sockaddr*)&a, sizeof a, host, sizeof host, service, sizeof service, 0), host, service);
  h = gethostbyname("localhost");
  printf("%s %d %s\n", h ? h->h_name : "-", h ? h->h_length : 0, h ? inet_ntoa(*(struct in_addr*)h->h_addr_list[0]) : "-");
  printf("%d %d %d\n", gethostbyname_r("localhost", &one, room, 8, &h, &error), h == 0, error);
  printf("%d %s\n", gethostbyaddr_r(&a.sin_addr, 4, AF_INET, &one, room, sizeof room, &h, &error), h ? h->h_name : "-");
  printf("%d\n", gethostbyname("name.invalid") == 0);
  void* block = malloc(3000);
  depend_on((uintptr_t)block >> 4);
  depend_on((uintptr_t)block >> 12);
  free(block);
  if (list) freeaddrinfo(list);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, look, 0);
  pthread_join(t, 0);
  return 0;
}
"""

# Says what is wrong on standard error before anything else was written there: the C library asks whether it can read from it.
COMPLAINS = HEADERS + r"""
static void* complain(void* unused) {
  (void)unused;
  perror("first");
  pthread_mutex_t* own = malloc(sizeof *own);
  pthread_mutex_init(own, 0);
  pthread_mutex_lock(own);
  pthread_mutex_unlock(own);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, complain, 0);
  pthread_join(t, 0);
  return 0;
}
"""

# A connection gets the time-outs of its listener.
TIMED = HEADERS + r"""
int main(void) {
  struct sockaddr_in a = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
  socklen_t n = sizeof a;
  struct timeval limit = {30, 0};
  char c;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  bind(listener, (struct sockaddr*)&a, sizeof a);
  listen(listener, 5);
  getsockname(listener, (struct sockaddr*)&a, &n);
  printf("%d\n", ntohs(a.sin_port));
  fflush(stdout);
  const int fd = accept(listener, 0, 0);
  while (read(fd, &c, 1) == 1) depend_on(c);
  return 0;
}
"""

# Datagrams by the calls' numbers, several at a time.
DATAGRAMS = HEADERS + r"""
int main(void) {
  struct sockaddr_in a = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}}, from;
  socklen_t n = sizeof a;
  char text[2][64];
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  bind(fd, (struct sockaddr*)&a, sizeof a);
  getsockname(fd, (struct sockaddr*)&a, &n);
  printf("%d\n", ntohs(a.sin_port));
  fflush(stdout);
  for (int left = 3; left > 0;) {
    struct iovec pieces[2] = {{text[0], 64}, {text[1], 64}};
    struct mmsghdr all[2] = {{{&from, sizeof from, &pieces[0], 1, 0, 0, 0}, 0}, {{0, 0, &pieces[1], 1, 0, 0, 0}, 0}};
    const long got = syscall(SYS_recvmmsg, fd, all, 2, MSG_WAITFORONE, 0);
    if (got < 1) return 9;
    left -= got;
    for (long i = 0; i < got; ++i) depend_on(all[i].msg_len);
    struct iovec answer = {text[0], all[0].msg_len};
    struct mmsghdr out = {{&from, sizeof from, &answer, 1, 0, 0, 0}, 0};
    if (syscall(SYS_sendmmsg, fd, &out, 1, 0) != 1) return 8;
  }
  return 0;
}
"""

# Reads its state, writes the next one and puts it in its place; another file it removes.
REPLACES = HEADERS + r"""
static unsigned long content(const char* path) {
  char text[256] = "";
  FILE* file = fopen(path, "r");
  if (file == 0) return 0;
  if (fgets(text, sizeof text, file) == 0) text[0] = 0;
  fclose(file);
  printf("%s", text);
  return of_text(text);
}
static void* work(void* unused) {
  (void)unused;
  depend_on(content("state"));
  depend_on(content("once"));
  usleep(300000);
  FILE* next = fopen("state.new", "w");
  fputs("another state, and a longer one\n", next);
  fclose(next);
  rename("state.new", "state");
  unlink("once");
  depend_on(content("state"));
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  return 0;
}
"""


class Calls(Recordings):
    def built(self, source):
        program = self.directory / "program"
        subprocess.run(["cc", "-O1", "-w", "-pthread", "-xc", "-", "-o", program], input=source, text=True, check=True)
        return program

    def same_again(self):
        for carrier in CARRIERS:
            again = self.heddle("replay", "--json", "--carrier", carrier)
            self.assertTrue(json.loads(again.stdout)["identical"], again)

    def test_by_number(self):
        place = self.directory / "place"
        place.mkdir()
        (place / "first").write_text("x")
        self.record("--always", "--", self.built(BY_NUMBER), place, code=0)
        (place / "second").write_text("x")
        os.utime(place, ns=(1, 1))
        self.same_again()

    def test_listings(self):
        place = self.directory / "place"
        place.mkdir()
        for name in ("another", "first", ".hidden"):
            (place / name).write_text("x")
        said = self.record("--always", "--", self.built(LISTS), place, code=0).stdout
        self.assertEqual(said, f"another\nfirst\n{place}/another\n")
        (place / "a third").write_text("x")
        (place / "first").unlink()
        self.same_again()

    def test_look_ups(self):
        program = self.built(LOOKS_UP)
        said = self.record("--always", "--", program, code=0).stdout
        self.assertEqual(said, subprocess.run([program], text=True, capture_output=True, check=True).stdout)
        self.same_again()

    def test_a_stream_for_writing_alone(self):
        program = self.built(COMPLAINS)
        with open(self.directory / "said", "wb") as file:
            subprocess.run([base.HEDDLE, "record", "--always", "--", program], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=True)
        said = (self.directory / "said").read_text()
        self.assertIn("heddle: recorded", said)
        self.assertNotIn("does not replay", said)
        self.same_again()

    def test_files_that_the_program_replaces(self):
        """They were read as they were, also where nobody has them any more."""
        (self.directory / "state").write_text("first state\n")
        (self.directory / "once").write_text("read once\n")
        said = self.record("--always", "--", self.built(REPLACES), code=0).stdout
        self.assertEqual(said, "first state\nread once\nanother state, and a longer one\n")
        self.same_again()
        self.assertEqual((self.directory / "state").read_text(), "another state, and a longer one\n")
        self.assertFalse((self.directory / "once").exists())

    def recorded_beside(self, source, talk):
        """A service of the program's, to which `talk` talks at its port."""
        tool = subprocess.Popen([base.HEDDLE, "record", "--always", "--", self.built(source)], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        talk(int(tool.stdout.readline()))
        _, complaints = tool.communicate(timeout=60)
        self.assertEqual(tool.returncode, 0, complaints)
        self.assertIn("heddle: recorded", complaints)
        self.assertNotIn("does not replay", complaints)
        self.same_again()

    def test_time_outs_of_the_listener(self):
        def talk(port):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"abc")
        self.recorded_beside(TIMED, talk)

    def test_datagrams_by_number(self):
        def talk(port):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                client.connect(("127.0.0.1", port))
                client.settimeout(20)
                for text in (b"a", b"bcd", b"ef"):
                    client.send(text)
                    self.assertEqual(client.recv(64), text)
        self.recorded_beside(DATAGRAMS, talk)


if __name__ == "__main__":
    base.main()
