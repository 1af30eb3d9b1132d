#!/usr/bin/env python3
"""Is --time obeyed? `heddle find --time T` on programs that do not fail: the fixed twins of bench/programs, the planted kernels, and programs of Debian.

A row: wall time of the whole call, start and report included, and by how much it is over T. The goal is 5 %. A search that ends before its time because it has seen everything
is marked `exhausted`; it cannot be late. --at-once N runs N calls at a time: on a busy machine a call is late by what it waits for a processor.
"""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import _bench
import planted

TWINS = {"kernels": ["account", "philosophers_5", "safestack", "wsq_the_bug1", "reorder_100", "twostage_100", "token_ring", "treiber_aba", "lamport_fast"],
         "heldout": ["poll_deadline", "heartbeat", "hazard_late", "parking"],
         "tinertia": ["blackscholes", "canneal", "dedup", "pbzip2", "streamcluster", "swarm", "x264"], "cz": ["raytracer"],
         "lean": ["tsp", "web_container", "jms_broker"], "er": ["axel", "table_server"]}
DEBIAN = {"pigz": ["-c", "-p", "4", "{data}"], "pbzip2": ["-c", "-p3", "{data}"], "lbzip2": ["-c", "-n3", "{data}"], "xz": ["-c", "-T3", "--block-size=20000", "{data}"],
          "zstd": ["-c", "-T3", "{data}"], "plzip": ["-c", "-n3", "-B20000", "{data}"], "rg": ["-j3", "needle", "{where}"], "sqlite3": [":memory:", "select 1"],
          "python3": ["-c", "import threading\nl=[threading.Thread(target=lambda: sum(range(9))) for _ in range(3)]\n[t.start() for t in l]\n[t.join() for t in l]"]}


def programs(chosen, where):
    """Pairs of a name and a command."""
    for suite, names in TWINS.items():
        for entry in _bench.programs(suite, names):
            yield entry["name"], lambda entry=entry: [_bench.compile_program(entry, chosen.build, where, fixed=True)]
    for name in planted.TUNED + planted.OTHERS:
        yield name, lambda name=name: [planted.compile_kernel(chosen, name, where)]
    for name, words in DEBIAN.items():
        if shutil.which(name):
            yield name, lambda name=name, words=words: [shutil.which(name), *(w.format(data=where / "data", where=where) if w.startswith("{") else w for w in words)]


def measure(chosen, name, command):
    words = command()
    with tempfile.TemporaryDirectory() as own:
        start = time.perf_counter()
        done = subprocess.run([chosen.heddle, "find", "--jobs", "1", "--time", str(chosen.time), "--", *words], cwd=own, capture_output=True, text=True)
        taken = time.perf_counter() - start
    over = (taken - chosen.time) / chosen.time * 100
    if done.returncode != 0:
        return {"name": name, "lost": (done.stdout + done.stderr)[:200]}
    return {"name": name, "seconds": taken, "over": over, "code": done.returncode, "late": "late" if over > 5 else "", "last": done.stdout.splitlines()[-1:]}


def main():
    def extend(parser):
        parser.add_argument("--time", type=float, default=0, help="T")
        parser.add_argument("--at-once", type=int, default=1)

    chosen = _bench.options(__doc__, extend)
    chosen.time = chosen.time or _bench.pick(chosen, 1, 5, 5)
    columns = [("name", "{}", "program"), ("seconds", "{:.2f}"), ("over", "{:+.1f} %", "over"), ("code", "{}", "exit"), ("late", "{}")]
    table = _bench.Table("deadline", chosen, columns, f"--time {chosen.time:g}")
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(chosen.at_once) as pool:
        where = pathlib.Path(directory)
        (where / "data").write_bytes(b"".join(b"%d needle in the hay\n" % (i * i) for i in range(8000)))
        listed = [row for row in programs(chosen, where) if not chosen.names or row[0] in chosen.names]
        for fields in pool.map(lambda row: measure(chosen, *row), listed):
            if "lost" in fields:
                table.lost(f"{fields['name']}: {fields['lost']}")
            else:
                table.row(**fields)
    if not table.rows:
        return table.finish()
    late = [row["name"] for row in table.rows if row["late"]]
    return table.finish(programs=len(table.rows), worst_over_in_percent=max(row["over"] for row in table.rows), late=late)


if __name__ == "__main__":
    sys.exit(main())
