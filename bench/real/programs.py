#!/usr/bin/env python3
"""Real programs from Debian's source packages, built with heddle-cc and heddle-c++, as they are and with one bug each put in.

usage: programs.py [--build DIR] [--where DIR] [--plain] [NAME...]     builds them; prints where each is

Every program is small work with a result that can be checked. A bug is a patch under patches/: one that the program once had, or one of the
kind it could have.
"""
import argparse
import dataclasses
import os
import pathlib
import random
import shutil
import subprocess
import sys

import fetch

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = "-O1 -g"


@dataclasses.dataclass
class Bug:
    name: str        # patches/NAME.patch
    what: str        # for the table
    line: str        # a file that a right answer names
    paper: dict = dataclasses.field(default_factory=dict)  # the row of a paper that this program has


@dataclasses.dataclass
class Program:
    name: str
    package: str
    needs: list       # Debian packages besides the compiler
    steps: list       # shell commands in the source directory; $CC $CXX $FLAGS $HERE
    result: str       # the executable, from the source directory
    arguments: list   # {data} is the directory with the inputs
    bug: Bug
    options: tuple = ()  # for heddle debug
    compare: bool = False  # standard output must be what it is without us


# Thrille's figures: executions until found; switches and preemptions before and after (Jalbert & Sen 2010, Tables 1 and 2).
PROGRAMS = [
    Program("pbzip2", "pbzip2", ["libbz2-dev"], ['make CXX="$CXX" CXXFLAGS="$FLAGS" pbzip2'], "pbzip2",
            ["-c", "-k", "-p2", "-1", "-b1", "{data}/text.250k"],
            Bug("pbzip2-teardown", "main frees the queue while a consumer still uses it (as in 0.9.4)", "pbzip2.cpp",
                {"row": "Tinertia: pbzip2", "switches": [128.6, 3.8], "preemptions": [114.0, 1.6]}), compare=True),
    Program("zstd", "zstd", [],
            ['make -C programs zstd CC="$CC" CFLAGS="$FLAGS -DZSTD_DISABLE_ASM=1" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 ZSTD_LEGACY_SUPPORT=0 -j2'],
            "programs/zstd", ["-q", "-c", "-1", "-T2", "-B524288", "{data}/text.600k"],
            Bug("zstd-pool-shutdown", "the pool is told to stop without its lock: a wake-up is lost", "pool.c"), ("--points", "sync"), compare=True),
    Program("x264", "x264", [],
            ['CC="$CC" ./configure --disable-asm --bit-depth=8 --chroma-format=420 --disable-interlaced --disable-avs --disable-swscale '
             '--disable-lavf --disable-ffms --disable-gpac --disable-lsmash --disable-opencl --extra-cflags="$FLAGS"',
             "sed -i 's/-O3 -ffast-math/-O1/' config.mak", "make -j2 x264"],
            "x264", ["--quiet", "--no-progress", "--preset", "ultrafast", "--threads", "2", "--sync-lookahead", "2", "--rc-lookahead", "2",
                     "--bframes", "0", "-o", "-", "--muxer", "raw", "{data}/tiny.y4m"],
            Bug("x264-lock-order", "two locks of the lookahead are taken in the other order", "encoder.c",
                {"row": "Tinertia: x264", "switches": [148.5, 18.2], "preemptions": [129.9, 2.2]}), ("--points", "sync"), compare=True),
    Program("sqlite3", "sqlite3", ["tcl"],
            ['CC="$CC" CFLAGS="$FLAGS" ./configure --disable-tcl --disable-readline --disable-shared', "make sqlite3.c",
             '"$CC" $FLAGS -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_DEFAULT_LOOKASIDE=0,0 -I. -pthread '
             '-o driver "$HERE/drivers/sqlite.c" sqlite3.c -lm'],
            "driver", [], Bug("sqlite3-memory-count", "memory in use is counted down without the lock", "sqlite3.c")),
    Program("memcached", "memcached", ["libevent-dev"],
            ['"$CC" $FLAGS -c -o driver.o "$HERE/drivers/memcached.c"',
             'CC="$CC" CFLAGS="$FLAGS -fcommon" ./configure --disable-docs --disable-coverage --disable-extstore',
             'make -j2 memcached CFLAGS="$FLAGS -pthread -fcommon" LDFLAGS="-Wl,--wrap=main" LIBS="$PWD/driver.o -levent"'],
            "memcached", [], Bug("memcached-incr", "incr without the item's lock (issue 127, in 1.4.4)", "memcached.c")),
    Program("leveldb", "leveldb", [],
            ['cmake -S . -B out -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS="$FLAGS" '
             "-DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF -DBUILD_SHARED_LIBS=OFF -DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF "
             "-DHAVE_CRC32C=OFF -DLEVELDB_INSTALL=OFF",
             "cmake --build out -j2 -t leveldb",
             '"$CXX" $FLAGS -I. -Iinclude -pthread -o driver "$HERE/drivers/leveldb.cc" out/libleveldb.a'],
            "driver", [], Bug("leveldb-get-reference", "a look-up keeps no reference to the table it reads", "memtable.cc")),
]


def named(names):
    chosen = [program for program in PROGRAMS if not names or program.name in names]
    unknown = set(names) - {program.name for program in PROGRAMS}
    if unknown:
        raise SystemExit(f"no such program: {' '.join(sorted(unknown))} (there are: {' '.join(p.name for p in PROGRAMS)})")
    return chosen


def make_inputs(where):
    """Text that compresses as text does, and a few small pictures that move. The same on every machine."""
    where.mkdir(parents=True, exist_ok=True)
    chance = random.Random(20)
    words = ["".join(chance.choice("etaoinshrdlucmfwyp") for _ in range(chance.randint(2, 9))) for _ in range(800)]
    for name, size in (("text.250k", 250_000), ("text.600k", 600_000)):
        text = bytearray()
        while len(text) < size:
            text += (chance.choice(words) + " ").encode()
        (where / name).write_bytes(bytes(text[:size]))
    wide, high = 64, 48
    picture = bytearray(b"YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C420\n")
    for n in range(5):
        picture += b"FRAME\n" + bytes((x * 3 + y * 2 + n * 5) % 200 + 20 for y in range(high) for x in range(wide)) + bytes([128 - n] * (wide * high // 2))
    (where / "tiny.y4m").write_bytes(bytes(picture))


def install(packages):
    missing = [p for p in packages
               if not subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", p], capture_output=True, text=True).stdout.startswith("ii")]
    if missing:
        root = [] if os.getuid() == 0 else ["sudo"]
        subprocess.run([*root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True, stdout=sys.stderr,
                       env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})


def run_steps(program, tree, compilers, log):
    environment = os.environ | {"CC": str(compilers[0]), "CXX": str(compilers[1]), "FLAGS": FLAGS, "HERE": str(HERE)}
    with open(log, "w") as out:
        for step in program.steps:
            out.write(f"$ {step}\n")
            out.flush()
            if subprocess.run(["sh", "-e", "-c", step], cwd=tree, env=environment, stdout=out, stderr=subprocess.STDOUT).returncode != 0:
                raise SystemExit(f"{program.name}: `{step}` failed, see {log}")


def build(program, where, compilers, variant="", patch=None):
    """Builds the program once and returns the executable. `variant` tells builds of the same program apart."""
    tree = where / (program.name + variant)
    done = tree / ".built"
    if not done.exists():
        install(program.needs)
        source = fetch.Archive(where / "source").fetch(program.package)
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(source, tree, symlinks=True)
        if patch:
            subprocess.run(["patch", "-s", "-p1", "-i", str(HERE / "patches" / f"{patch}.patch")], cwd=tree, check=True)
        run_steps(program, tree, compilers, where / f"{program.name}{variant}.log")
        done.touch()
    return tree / program.result


def wrapped(build_directory):
    return (build_directory / "bin" / "heddle-cc", build_directory / "bin" / "heddle-c++")


def arguments(program, where):
    if not (where / "data").exists():
        make_inputs(where / "data")
    return [word.format(data=where / "data") for word in program.arguments]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent.parent / "build")
    parser.add_argument("--where", type=pathlib.Path, help="[BUILD/real]")
    parser.add_argument("--plain", action="store_true", help="with gcc and g++, uninstrumented")
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    place = (chosen.where or chosen.build / "real").resolve()
    place.mkdir(parents=True, exist_ok=True)
    for one in named(chosen.names):
        if chosen.plain:
            print(build(one, place, ("gcc", "g++"), "-plain"))
        else:
            print(build(one, place, wrapped(chosen.build.resolve())), *arguments(one, place))
            print(build(one, place, wrapped(chosen.build.resolve()), "-bug", one.bug.name))
