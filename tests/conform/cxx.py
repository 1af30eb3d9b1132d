"""The thread tests of the two C++ libraries: libstdc++'s 30_threads and 29_atomics, libc++'s std/thread."""
import re
import shlex

import suite

# These wait for another thread in a loop without a call of the library. Only in an instrumented build is that seen (docs/limits.md), so they get one.
SPINNING = (
    "30_threads/this_thread/60421.cc",
    "thread/thread.mutex/thread.mutex.requirements/thread.sharedtimedmutex.requirements/thread.sharedtimedmutex.class/try_lock_until_deadlock_bug.pass.cpp",
    "thread/thread.threads/thread.thread.class/thread.thread.member/detach.pass.cpp",
    "thread/thread.threads/thread.thread.class/thread.thread.member/join.pass.cpp",
)


def compiler_for(tests, test, plain):
    """The words that begin the compiler's command."""
    return ["env", f"HEDDLE_CXX={plain}", tests.heddle.parent / "heddle-c++"] if test in SPINNING else [plain]


class Libstdcxx(suite.Suite):
    name = "libstdc++"
    package = "gcc-12"

    def find(self):
        root = self.place / "libstdc++-v3/testsuite"
        threads = [f for f in (root / "30_threads").rglob("*.cc")]
        atomics = [f for f in (root / "29_atomics").rglob("*.cc") if re.search(r"std::(thread|async|jthread)\b", f.read_text(errors="replace"))]
        return sorted(str(f.relative_to(root)) for f in threads + atomics)

    def build(self, test, directory):
        root = self.place / "libstdc++-v3/testsuite"
        text = (root / test).read_text(errors="replace")
        if not re.search(r"dg-do run", text):
            raise suite.LeftOut("only compiled, not run")
        if "xfail" in text:
            raise suite.LeftOut("fails by intent")
        options = " ".join(re.findall(r'dg-(?:additional-)?options "([^"]*)"', text))
        flags = [f for f in shlex.split(options) if not f.startswith("$")]
        if not any(f.startswith("-std") for f in flags):
            flags.append("-std=gnu++17")
        if "-static" in flags:
            raise suite.LeftOut("static: the runtime cannot be preloaded into a static program")
        program = directory / "test"
        suite.compile_or_leave_out([*compiler_for(self, test, "g++"), "-g", "-O2", "-w", *flags, "-D_GLIBCXX_ASSERTIONS", f"-I{root / 'util'}", root / test, "-o", program, "-pthread", "-latomic"], directory)
        return [program]


class Libcxx(suite.Suite):
    name = "libcxx"
    package = "llvm-toolchain-14"
    needed = ("clang", "libc++-14-dev", "libc++abi-14-dev")

    def find(self):
        root = self.place / "libcxx/test/std"
        return sorted(str(f.relative_to(root)) for f in (root / "thread").rglob("*.cpp"))

    def build(self, test, directory):
        if test.endswith((".fail.cpp", ".verify.cpp", ".compile.pass.cpp")):
            raise suite.LeftOut("only compiled, not run")
        root = self.place / "libcxx/test"
        text = (root / "std" / test).read_text(errors="replace")
        standard = "c++20" if not re.search(r"REQUIRES:.*c\+\+(03|11|14|17)\b", text) else re.search(r"REQUIRES:.*(c\+\+(?:03|11|14|17))\b", text)[1]
        unsupported = " ".join(re.findall(r"UNSUPPORTED: *(.*)", text))
        if "c++20" in unsupported or "c++2a" in unsupported:
            standard = next((s for s in ("c++17", "c++14", "c++11", "c++03") if s not in unsupported), "c++17")
        flags = shlex.split(" ".join(re.findall(r"ADDITIONAL_COMPILE_FLAGS: *(.*)", text)))
        program = directory / "test"
        suite.compile_or_leave_out([*compiler_for(self, test, "clang++"), "-stdlib=libc++", "-g", "-O1", "-w", f"-std={standard}", "-D_LIBCPP_DISABLE_DEPRECATION_WARNINGS", *flags, f"-I{root / 'support'}", root / "std" / test, "-o", program, "-pthread"], directory)
        return [program]
