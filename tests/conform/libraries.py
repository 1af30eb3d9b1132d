"""Test programs of threaded libraries, built from Debian's sources against the libraries that are installed (`./dev conform LIBRARY`)."""
import re

import suite


class Library(suite.Suite):
    """A library whose tests are single programs. `tests` names the files, below `below`."""

    below = ""
    tests = ()
    flags = ()
    compiler = ("gcc", "-std=gnu11")

    def find(self):
        return [name for name in self.tests if (self.place / self.below / name).is_file()]

    def sources(self, test):
        return [self.place / self.below / test]

    def arguments(self, test):
        return []

    def build(self, test, directory):
        program = directory / "test"
        (directory / "config.h").write_text("#define HAVE_SYS_PRCTL_H 1\n#define HAVE_PRCTL 1\n#define THREADS_POSIX 1\n#define SIZEOF_CHAR 1\n")
        suite.compile_or_leave_out([*self.compiler, "-g", "-O1", "-w", f"-I{directory}", f"-I{self.place / self.below}", f"-I{self.place / self.below}/../..", f"-I{self.place / self.below}/..", *self.sources(test), "-o", program, *self.flags, "-pthread"], directory)
        return [program, *self.arguments(test)]


class Glib(Library):
    name, package = "glib", "glib2.0"
    needed = ("libglib2.0-dev",)
    below = "glib/tests"
    tests = ("1bit-mutex.c", "asyncqueue.c", "atomic.c", "bitlock.c", "cond.c", "mainloop.c", "mutex.c", "once.c", "onceinit.c", "private.c", "rec-mutex.c", "rwlock.c", "slice-concurrent.c", "spawn-multithreaded.c", "thread-deprecated.c", "thread-pool.c", "thread.c", "timeout.c")
    of_gio = ("cancellable.c", "task.c")
    flags = ('-DG_LOG_DOMAIN="GLib"', "-I/usr/include/glib-2.0", "-I/usr/lib/x86_64-linux-gnu/glib-2.0/include", "-I/usr/include/gio-unix-2.0", "-lgio-2.0", "-lgobject-2.0", "-lglib-2.0")

    def find(self):
        return [*super().find(), *self.of_gio]

    def sources(self, test):
        return [self.place / ("gio/tests" if test in self.of_gio else self.below) / test]


class Libuv(Library):
    """One program with all tests; run with a test's name twice it runs that one in its own process."""

    name, package = "libuv", "libuv1"
    needed = ("libuv1-dev", "ninja-build")
    seconds = 120
    tests = ("async", "async_null_cb", "barrier_1", "barrier_2", "barrier_3", "barrier_serial_thread", "condvar_1", "condvar_2", "condvar_3", "condvar_4", "condvar_5", "semaphore_1", "semaphore_2", "semaphore_3", "thread_create", "thread_equal", "thread_local_storage", "thread_mutex", "thread_mutex_recursive", "thread_rwlock", "thread_rwlock_trylock", "threadpool_cancel_fs", "threadpool_cancel_getaddrinfo", "threadpool_cancel_single", "threadpool_cancel_when_busy", "threadpool_multiple_event_loops", "threadpool_queue_work_einval", "threadpool_queue_work_simple", "getaddrinfo_concurrent", "fs_file_async", "fs_read_file_eof", "timer", "loop_stop", "pipe_set_non_blocking", "tcp_writealot", "signal_multiple_loops")

    def prepare(self):
        build = self.work / "build"
        if (build / "uv_run_tests").is_file():
            return
        build.mkdir(parents=True, exist_ok=True)
        for command in (["cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DLIBUV_BUILD_BENCH=OFF", self.place], ["cmake", "--build", ".", "-t", "uv_run_tests"]):
            suite.run(command, build, 1800)

    def find(self):
        return list(self.tests)

    def environment(self, test, directory):
        return {"UV_RUN_AS_ROOT": "1"}

    def build(self, test, directory):
        program = self.work / "build/uv_run_tests"
        if not program.is_file():
            raise suite.LeftOut("does not compile: its own build failed")
        return [program, test, test]


class Libevent(Library):
    name, package = "libevent", "libevent"
    needed = ("libevent-dev",)
    below = "test"
    tests = ("test-init.c", "test-eof.c", "test-weof.c", "test-time.c", "test-changelist.c", "test-closed.c", "test-fdleak.c", "bench_cascade.c", "bench.c")
    flags = ("-levent", "-levent_core", "-levent_extra", "-levent_pthreads")

    def build(self, test, directory):
        (directory / "event2").mkdir(exist_ok=True)
        # Of the library's own configuration the tests want only that the system's headers are there.
        (directory / "evconfig-private.h").write_text("")
        (directory / "event2/event-config.h").write_text('#include_next <event2/event-config.h>\n#define EVENT__HAVE_UNISTD_H 1\n#define EVENT__HAVE_SYS_TIME_H 1\n#define EVENT__HAVE_SYS_SOCKET_H 1\n')
        program = directory / "test"
        suite.compile_or_leave_out([*self.compiler, "-g", "-O1", "-w", f"-I{directory}", f"-I{self.place}", self.place / self.below / test, "-o", program, *self.flags, "-pthread"], directory)
        return [program]


class Nng(Library):
    name, package = "nng", "nng"
    needed = ("libnng-dev",)
    below = "tests"
    tests = ("compat_block.c", "compat_bug777.c", "compat_bus.c", "compat_device.c", "compat_iovec.c", "compat_msg.c", "compat_pair.c", "compat_pipeline.c", "compat_poll.c", "compat_reqrep.c", "compat_reqttl.c", "compat_shutdown.c", "compat_survey.c", "compat_surveyttl.c", "device.c", "multistress.c", "nonblock.c", "options.c", "pipe.c", "pollfd.c", "reqctx.c", "reqstress.c", "scalability.c", "synch.c")
    flags = ("-lnng",)

    def sources(self, test):
        helper = "compat_testutil.c" if test.startswith("compat_") else "convey.c"
        return [self.place / self.below / test, self.place / self.below / helper]

    def build(self, test, directory):
        program = directory / "test"
        where = [f"-I{self.place / p}" for p in ("tests", "src", "include")]
        platform = ["-DNNG_PLATFORM_POSIX", "-DNNG_PLATFORM_LINUX", "-D_GNU_SOURCE", "-DNNG_HAVE_CLOCK_GETTIME"]
        suite.compile_or_leave_out([*self.compiler, "-g", "-O1", "-w", *where, *platform, *self.sources(test), "-o", program, *self.flags, "-pthread"], directory)
        return [program]


class OneTbb(Library):
    name, package = "onetbb", "onetbb"
    needed = ("libtbb-dev",)
    below = "test"
    seconds = 240
    tests = tuple(f"conformance/conformance_{name}.cpp" for name in ("mutex", "concurrent_queue", "parallel_for", "parallel_reduce", "parallel_pipeline", "task_group", "task_arena", "collaborative_call_once", "enumerable_thread_specific", "concurrent_priority_queue", "global_control", "resumable_tasks"))
    compiler = ("g++", "-std=c++17")

    def build(self, test, directory):
        program = directory / "test"
        where = [f"-I{self.place / p}" for p in ("test", "include", "test/conformance", "")]
        suite.compile_or_leave_out([*self.compiler, "-g", "-O1", "-w", *where, "-D__TBB_NO_IMPLICIT_LINKAGE", self.place / self.below / test, "-o", program, "-ltbb", "-pthread"], directory)
        return [program]


class Mimalloc(Library):
    name, package = "mimalloc", "mimalloc"
    needed = ("libmimalloc-dev",)
    below = "test"
    tests = ("test-stress.c", "test-api.c")
    flags = ("-lmimalloc",)

    def build(self, test, directory):
        program = directory / "test"
        suite.compile_or_leave_out([*self.compiler, "-g", "-O1", "-w", f"-I{self.place / 'include'}", self.place / self.below / test, "-o", program, *self.flags, "-pthread"], directory)
        # threads, scale, rounds
        return [program, "4", "10", "3"] if test == "test-stress.c" else [program]


class Leveldb(Library):
    name, package = "leveldb", "leveldb"
    needed = ("libleveldb-dev", "libgtest-dev", "libgmock-dev")
    seconds = 300
    tests = ("util/env_posix_test.cc", "util/env_test.cc", "db/autocompact_test.cc", "db/recovery_test.cc", "db/skiplist_test.cc", "db/fault_injection_test.cc", "issues/issue178_test.cc", "issues/issue200_test.cc")
    compiler = ("g++", "-std=c++14")

    def build(self, test, directory):
        program = directory / "test"
        own = [f for part in ("db", "table", "util") for f in sorted((self.place / part).glob("*.cc")) if not re.search(r"_test\.cc$|leveldbutil|windows|_bench", f.name)]
        memory = self.place / "helpers/memenv/memenv.cc"
        flags = [f"-I{self.place}", f"-I{self.place / 'include'}", "-DLEVELDB_PLATFORM_POSIX=1", "-DHAVE_FDATASYNC=1", "-DHAVE_O_CLOEXEC=1", "-DHAVE_SNAPPY=0", "-DHAVE_CRC32C=0"]
        port = directory / "port"
        port.mkdir(exist_ok=True)
        (port / "port_config.h").write_text("#define HAVE_FDATASYNC 1\n#define HAVE_FULLFSYNC 0\n#define HAVE_O_CLOEXEC 1\n#define HAVE_CRC32C 0\n#define HAVE_SNAPPY 0\n")
        archive = self.work / "libleveldb.a"
        if not archive.is_file():
            objects = self.work / "objects"
            objects.mkdir(exist_ok=True)
            suite.compile_or_leave_out([*self.compiler, "-c", "-g", "-O1", "-w", *flags, f"-I{directory}", *own, memory, "-pthread"], objects)
            suite.compile_or_leave_out(["ar", "rcs", archive, *sorted(objects.glob("*.o"))], objects)
        suite.compile_or_leave_out([*self.compiler, "-g", "-O1", "-w", *flags, f"-I{directory}", self.place / test, archive, "-o", program, "-lgmock", "-lgtest", "-lgtest_main", "-pthread"], directory)
        return [program]

    def environment(self, test, directory):
        return {"TEST_TMPDIR": str(directory)}


class Own(Library):
    """A thread pool and a task scheduler in the manner of header-only libraries; they lie beside this file."""

    name, package = "own", ""
    tests = ("pool.cpp", "scheduler.cpp")
    compiler = ("g++", "-std=c++17")


ALL = (Glib, Libuv, Libevent, Nng, OneTbb, Mimalloc, Leveldb, Own)
# What of the upstream archives is unpacked.
PACKAGES = {"glib2.0": ["glib/*", "gio/*.h", "gio/tests/*.c"], "libuv1": ["*"], "libevent": ["*"], "nng": ["*"], "onetbb": ["test/*", "include/*", "src/*"], "mimalloc": ["*"], "leveldb": ["*"]}
