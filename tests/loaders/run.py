#!/usr/bin/env python3
"""The loaders of untrusted files under libFuzzer, with files that heddle itself saved as seeds. Seed and number of runs are fixed."""
import argparse
import glob
import os
import shutil
import subprocess
import sys

# How often each is called: about a minute in all. What goes over files is slower.
RUNS = {"trace-contents": 60000, "replay-contents": 60000, "trace": 30000, "bug": 8000, "latest": 5000, "input-index": 5000, "campaigns": 700}
USUAL_RUNS = 40000
MOST_SECONDS = 60  # for one: a machine that is slower does less

PROGRAM = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, sum;
void* waits(void* unused) {
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  sum++;
  return unused;
}
int main(void) {
  char text[16];
  FILE* file = fopen("input", "r");
  assert(file && fgets(text, sizeof text, file));
  pthread_t a, b;
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, waits, 0);
  usleep(10);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 2);
}
"""


def make_seeds(options, seeds):
    """What heddle saves about a program that fails, by the loader that reads it."""
    place = os.path.join(options.work, "program")
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(place)
    with open(os.path.join(place, "program.c"), "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    with open(os.path.join(place, "input"), "w", encoding="utf-8") as file:
        file.write("some input\n")
    subprocess.run([os.path.join(os.path.dirname(options.heddle), "heddle-cc"), "-g", "program.c", "-o", "program"], cwd=place, check=True)
    found = subprocess.run([options.heddle, "debug", "--executions", "200", "--", "./program"], cwd=place, stdout=subprocess.DEVNULL, check=False)
    if found.returncode != 1:
        raise SystemExit("loaders: heddle did not find the seed program's failure")
    text = subprocess.run([options.heddle, "explain", "--json"], cwd=place, capture_output=True, text=True, check=True).stdout
    bug = glob.glob(os.path.join(place, ".heddle/bugs/*"))[0]

    def seed(loader, name, data):
        os.makedirs(os.path.join(seeds, loader), exist_ok=True)
        with open(os.path.join(seeds, loader, name), "wb") as file:
            file.write(data)

    def copy(loader, pattern):
        for number, path in enumerate(sorted(glob.glob(pattern, recursive=True))):
            with open(path, "rb") as file:
                seed(loader, str(number), file.read())

    copy("trace", bug + "/*.trace")
    for number, path in enumerate(sorted(glob.glob(bug + "/*.trace"))):
        unpacked = subprocess.run([options.fuzzer, f"--unpack={path}"], capture_output=True, check=True).stdout
        seed("trace-contents", str(number), unpacked)
    copy("bug", bug + "/bug.json")
    copy("cause", bug + "/cause.json")
    copy("reduction", bug + "/reduction.json")
    copy("stacks", bug + "/*.stacks")
    copy("anchors", bug + "/anchors")
    copy("latest", os.path.join(place, ".heddle/latest"))
    copy("campaigns", os.path.join(place, ".heddle/campaigns.sqlite"))
    copy("input-index", bug + "/**/index.json")
    for word in text.split('"'):
        if word.startswith(("hd1:", "hd2:")):
            seed("replay", "0", word.encode())


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--fuzzer", required=True)
    p.add_argument("--heddle", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--times", type=float, default=1, help="so many times the usual number of runs [1]")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("loaders", nargs="*", help="[all]")
    options = p.parse_args()
    for name in ("fuzzer", "heddle", "work"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    seeds = os.path.join(options.work, "seeds")
    make_seeds(options, seeds)
    known = subprocess.run([options.fuzzer, "--loaders"], capture_output=True, text=True, check=True).stdout.split()
    failed = []
    for loader in options.loaders or known:
        place = os.path.join(options.work, loader)
        os.makedirs(os.path.join(place, "corpus"))
        os.makedirs(os.path.join(seeds, loader), exist_ok=True)
        runs = int(RUNS.get(loader, USUAL_RUNS) * options.times)
        command = [options.fuzzer, f"-seed={options.seed}", f"-runs={runs}", f"-max_total_time={int(MOST_SECONDS * max(options.times, 1))}", "-timeout=20",
                   "-rss_limit_mb=2048", "-max_len=16384", "-print_final_stats=1", f"-artifact_prefix={place}/", "corpus", os.path.join(seeds, loader),
                   f"--loader={loader}"]
        with open(os.path.join(place, "log"), "w", encoding="utf-8") as log:
            code = subprocess.run(command, cwd=place, stdout=log, stderr=log, check=False).returncode
        with open(os.path.join(place, "log"), encoding="utf-8", errors="replace") as log:
            lines = log.read().split("\n")
        done = next((line.split()[-1] for line in lines if line.startswith("stat::number_of_executed_units")), "?")
        print(f"{'ok    ' if code == 0 else 'FAILED'} {loader}: {done} runs", flush=True)
        if code != 0:
            failed.append(loader)
            print("\n".join(lines[-60:]) + f"\n  to repeat: {options.fuzzer} --loader={loader} {place}/crash-*", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
