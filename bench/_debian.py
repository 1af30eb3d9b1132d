"""Programs of Debian, as they are installed and rebuilt with their symbols kept: which races `heddle races` lists in them."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import _bench

TESTS = _bench.HERE.parent / "tests"
PYTHON = """
import threading, queue
q = queue.Queue(); out = []
def work():
    while (n := q.get()) is not None: out.append(n * n)
ts = [threading.Thread(target=work) for _ in range(3)]
for t in ts: t.start()
for n in range(20): q.put(n)
for t in ts: q.put(None)
for t in ts: t.join()
"""
# Name, what is run in a directory with `in/small.txt` and others of the corpus, and the package that it is of.
PROGRAMS = [
    ("pigz", ["/usr/bin/pigz", "-p3", "-b128", "-k", "-f", "in/small.txt"], "pigz"),
    ("pbzip2", ["/usr/bin/pbzip2", "-p3", "-b1", "-k", "-f", "in/tiny.txt"], "pbzip2"),
    ("lbzip2", ["/usr/bin/lbzip2", "-n3", "-k", "-f", "in/tiny.txt"], "lbzip2"),
    ("xz", ["/usr/bin/xz", "-T3", "-0", "--block-size=32KiB", "-k", "-f", "in/tiny.txt"], "xz-utils"),
    ("zstd", ["/usr/bin/zstd", "-q", "-T3", "-1", "-B64K", "-k", "-f", "in/tiny.txt"], "zstd"),
    ("plzip", ["/usr/bin/plzip", "-n3", "-0", "-B32KiB", "-k", "-f", "in/tiny.txt"], "plzip"),
    ("sort", ["/usr/bin/sort", "--parallel=3", "-S", "10M", "-n", "in/nums.txt", "-o", "sorted.txt"], "coreutils"),
    ("ripgrep", ["/usr/bin/rg", "-j3", "-c", "define", "in/tree"], "ripgrep"),
    ("sqlite3", ["/usr/bin/sqlite3", ":memory:", "pragma threads=3; create table t as with recursive c(x) as (select 1 union all select x+1 from c where x<3000) select x*7919%3001 a from c; create index i on t(a); select count(*) from t;"], "sqlite3"),
    ("python3", ["/usr/bin/python3", "-c", PYTHON], "python3.11-minimal"),
    ("x264", ["/usr/bin/x264", "--quiet", "--threads", "3", "--preset", "ultrafast", "--frames", "2", "-o", "t.264", "in/t.y4m"], "x264"),
    ("convert", ["/usr/bin/convert", "in/t.ppm", "-limit", "thread", "3", "-resize", "50%", "t.ppm"], "imagemagick-6.q16"),
    ("redis-benchmark", ["/usr/bin/redis-benchmark", "--threads", "2", "-n", "1", "-p", "1"], "redis-tools"),
]
REBUILT = ("pigz", "pbzip2", "plzip", "xz", "zstd")  # with DEB_BUILD_OPTIONS=nostrip
LIBRARIES = ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"]


def modules(quick):
    """What the comparison of displaced instructions looks at."""
    programs = [os.path.realpath(words[0]) for name, words, _ in PROGRAMS if os.path.exists(words[0])]
    return [os.path.realpath(path) for path in (LIBRARIES[:1] if quick else [*LIBRARIES, *programs])]


def fixtures(where):
    subprocess.run([sys.executable, str(TESTS / "corpus" / "fixtures.py"), str(where)], check=True, capture_output=True)
    inputs = pathlib.Path(where) / "in"
    (inputs / "tiny.txt").write_bytes((inputs / "small.txt").read_bytes()[:120_000])
    numbers = (inputs / "nums.txt").read_text().splitlines()[:20_000]
    (inputs / "nums.txt").write_text("\n".join(numbers) + "\n")


def rebuild(package, name, work):
    """The program of the package, built from Debian's source with its symbols kept and nothing else changed."""
    sys.path.insert(0, str(TESTS / "conform"))
    import sources

    kept = pathlib.Path(work) / package
    sources.download(pathlib.Path(work), package)
    archive = pathlib.Path(work) / "archives" / package
    shutil.rmtree(kept, ignore_errors=True)
    description = next(archive.glob("*.dsc"))
    subprocess.run(["dpkg-source", "-x", str(description), str(kept)], check=True, capture_output=True)
    subprocess.run(["dpkg-buildpackage", "-b", "-d", "-uc", "-us"], cwd=kept, check=True, capture_output=True, env={**os.environ, "DEB_BUILD_OPTIONS": "nostrip nocheck"})
    built = [p for p in kept.glob(f"debian/**/usr/bin/{name}") if p.is_file()]
    return built[0]


def ask(options, words, where):
    command = [options.heddle, "races", "--json", "--executions", "2" if not options.quick else "1", "--", *words]
    try:
        done = subprocess.run([str(w) for w in command], cwd=where, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=580)
        return json.loads(done.stdout), done.stderr.strip()
    except subprocess.TimeoutExpired:
        return None, "no answer in 580 s"
    except json.JSONDecodeError:
        return None, (done.stderr.strip().splitlines() or ["no answer"])[-1]


def measure(options):
    table = _bench.Table("binaries-debian", options, [("program", "{}"), ("build", "{}"), ("seconds", "{:.1f}"), ("confirmed", "{}"), ("possible", "{}"), ("lines", "{}"), ("first", "{}")])
    chosen = [p for p in PROGRAMS if not options.names or p[0] in options.names]
    with tempfile.TemporaryDirectory() as where:
        fixtures(where)
        rows = [(name, words, "as installed") for name, words, _ in chosen]
        work = options.build / "binaries"
        for name, words, package in chosen:
            if name not in REBUILT or options.quick:
                continue
            try:
                rows.append((name, [rebuild(package, name, work), *words[1:]], "nostrip"))
            except Exception as error:  # noqa: BLE001: the reason is a row's
                table.lost(f"{name}: cannot be rebuilt: {error}")
        for name, words, build in rows:
            if not os.path.exists(words[0]):
                table.lost(f"{name}: {words[0]} is not installed")
                continue
            begun = os.times().elapsed
            answer, why = ask(options, words, where)
            if answer is None:
                table.lost(f"{name}: {why}")
                continue
            sides = [side for race in answer["races"] for side in (race["first"], race["second"])]
            first = f"{answer['races'][0]['first']['place']} and {answer['races'][0]['second']['place']}" if sides else None
            table.row(program=name, build=build, seconds=os.times().elapsed - begun, confirmed=answer["confirmed"], possible=answer["possible"],
                      lines=sum(bool(side["line"]) for side in sides), first=first, races=[f"{r['kind']}: {r['object']}: {r['first']['place']} and {r['second']['place']}" for r in answer["races"]],
                      warnings=answer["warnings"], inconclusive=answer.get("inconclusive"))
    return table.finish(programs=len(table.rows), with_races=sum(r["confirmed"] + r["possible"] > 0 for r in table.rows))
