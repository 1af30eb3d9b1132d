#!/usr/bin/env python3
"""Libraries that a program loads while it runs, in ways that would lead their calls past ours.

usage: libraries_test.py --heddle PROGRAM --programs DIR [unittest arguments]
"""
import subprocess

import cli_test as base

# A module as some interpreters load theirs: it gives back what the program allocated, and locks.
MODULE = r"""
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void* module_takes(void* block) {
  free(block);
  for (int i = 0; i < 50; ++i) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  }
  return malloc(40);
}
"""
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void* (*takes)(void*);
static void* work(void* unused) {
  (void)unused;
  free(takes(malloc(40)));
  return NULL;
}
int main(void) {
  pthread_t t;
  void* module = dlopen("libmodule.so", RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
  if (module == NULL) return puts(dlerror());
  takes = (void* (*)(void*))dlsym(module, "module_takes");
  pthread_create(&t, NULL, work, NULL);
  work(NULL);
  pthread_join(t, NULL);
  return puts("done") < 0;
}
"""


class Libraries(base.InDirectory):
    def test_bound_deeply(self):
        """Found by the program's own search path, its blocks are the program's and its locks are under control."""
        (self.directory / "lib").mkdir()
        (self.directory / "module.c").write_text(MODULE)
        (self.directory / "program.c").write_text(PROGRAM)
        subprocess.run(["cc", "-shared", "-fPIC", "module.c", "-o", "lib/libmodule.so"], cwd=self.directory, check=True)
        subprocess.run(["cc", "-pthread", "program.c", "-o", "program", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/lib"], cwd=self.directory, check=True)
        for carrier in ("fiber", "kernel"):
            done = self.heddle("run", "--statistics", "--carrier", carrier, "--", "./program")
            self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done)
            self.assertGreater(int(done.stderr.split("heddle: ")[1].split()[0]), 200, done)


if __name__ == "__main__":
    base.main()
