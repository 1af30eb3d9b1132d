#!/usr/bin/env python3
"""Calls that a recording tries without waiting, instead of asking before whether they would wait.

usage: tried_calls_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import socket
import subprocess

import cli_test as base

CARRIERS = ("fiber", "kernel")

# Gives back what it reads byte by byte, until nothing has come for a while.
COUNTS = r"""
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
static int listener;
static void* serve(void* unused) {
  const int fd = accept(listener, NULL, NULL);
  const struct timeval limit = {0, 400000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  int bytes = 0;
  char byte;
  for (ssize_t n; bytes < 1000; ++bytes) {
    n = bytes % 2 ? read(fd, &byte, 1) : recv(fd, &byte, 1, 0);
    if (n != 1 || (unsigned char)byte != bytes || write(fd, &byte, 1) != 1) break;
  }
  printf("%d bytes, then %s\n", bytes, errno == EAGAIN ? "late" : "something else");
  return unused;
}
int main(void) {
  listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof name;
  bind(listener, (struct sockaddr*)&name, sizeof name);
  listen(listener, 8);
  getsockname(listener, (struct sockaddr*)&name, &length);
  printf("port %d\n", ntohs(name.sin_port));
  fflush(stdout);
  pthread_t thread;
  pthread_create(&thread, NULL, serve, NULL);
  pthread_join(thread, NULL);
  return 6;
}
"""


class TriedCalls(base.InDirectory):
    def test_nothing_is_lost_of_what_is_tried(self):
        """A call that may wait is made without waiting where its thread goes on at once: what it got then is what the program gets."""
        program = self.directory / "counts"
        subprocess.run(["cc", "-w", "-pthread", "-xc", "-", "-o", program], input=COUNTS, text=True, check=True)
        tool = subprocess.Popen([base.HEDDLE, "record", "--", program], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        port = int(tool.stdout.readline().split()[1])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(bytes(range(200)))
            answered = b""
            while len(answered) < 200 and (more := connection.recv(1000)):
                answered += more
            said, complaints = tool.communicate(timeout=60)
        self.assertEqual(answered, bytes(range(200)))
        self.assertEqual((tool.returncode, said), (6, "200 bytes, then late\n"), complaints)
        self.assertNotIn("does not replay", complaints)
        for carrier in CARRIERS:
            again = self.heddle("replay", "--carrier", carrier)
            self.assertIn(said, again.stdout, again)


if __name__ == "__main__":
    base.main()
