"""ThreadSanitizer's own tests (compiler-rt/test/tsan), built by heddle-cc and watched by `heddle races`.

A test that expects a data race must give one between the functions that it names; one that expects no warning must give none.
"""
import json
import os
import re
import shlex

import suite

# Barriers that order threads without synchronising them, as the tests' own runtime has them.
BARRIER = """#include <sched.h>
void __tsan_testonly_barrier_init(unsigned *b, unsigned n) { *b = n << 16; }
void __tsan_testonly_barrier_wait(unsigned *b) {
  unsigned old = __atomic_fetch_add(b, 1, __ATOMIC_RELAXED), n = old >> 16, round = (old & 0xffff) / n;
  while ((__atomic_load_n(b, __ATOMIC_RELAXED) & 0xffff) / n == round) sched_yield();
}
unsigned long __tsan_testonly_shadow_stack_current_size(void) { return 0; }
"""
RACE = re.compile(r"ThreadSanitizer: (data race|heap-use-after-free|use of an invalid mutex)")
# What the test is about, by its text, and why that is not measured. The first that fits counts.
NOT_CLAIMED = [
    (r"java\.h", "the interface for Java"),
    (r"__tsan_(create|switch_to|destroy)_fiber", "fibers by ThreadSanitizer's own interface"),
    (r"__tsan_external_", "annotations of objects that an uninstrumented library guards"),
    (r"suppressions|ignorelist|ignore_noninstrumented|\.supp\b", "suppressions"),
    (r"lock-order-inversion|detect_deadlocks", "order of locks without a race"),
    (r"thread leak|finished with ignores|signal-unsafe call|spoils errno|unlock of an unlocked|double lock|destroy of a locked|read lock|read unlock|signal handler", "warnings that are no data race"),
    (r"__tsan_(get|locate|on_|default|flush|testonly_shadow)|__sanitizer_|OnReport|print_|symbolize|stack_trace_format|exitcode|halt_on_error|report_bugs|verbosity|history_size|FileCheck.*CHECK-DUMP|llvm-objdump", "ThreadSanitizer's options, reports and interface"),
    (r"__attribute__\(\(no_sanitize|disable_sanitizer_instrumentation", "attributes that switch ThreadSanitizer off"),
]


def named_functions(text):
    """The functions in the stacks of the first warning that the test expects."""
    names, inside = set(), False
    for line in text.splitlines():
        check = re.search(r"CHECK[\w-]*: *(.*)", line)
        if not check:
            continue
        if RACE.search(check[1]):
            inside = True
        elif inside and re.match(r"(Location|Mutex|Thread T|SUMMARY|As if|DONE|WARNING)", check[1].lstrip("{*. ")):
            break
        elif inside:
            frame = re.match(r"\s*(?:\{\{.*\}\})?\s*#\d+ ([A-Za-z_][\w:~]*)", check[1])
            if frame:
                names.add(frame[1])
    own = {n for n in names if re.search(r"\b" + re.escape(n) + r"\([^;{}]*\)\s*\{", text)}
    return own


class Tsan(suite.Suite):
    name = "tsan"
    package = "llvm-toolchain-14"
    needed = ("clang", "libclang-rt-14-dev")
    executions = 30

    def prepare(self):
        self.root = self.place / "compiler-rt/test"
        self.barrier = self.work / "barrier.c"
        self.barrier.write_text(BARRIER)

    def find(self):
        tests = self.root / "tsan"
        return sorted(str(f.relative_to(tests)) for d in (".", "Linux", "libcxx") for f in (tests / d).glob("*.c*") if f.suffix in (".c", ".cpp"))

    def text(self, test):
        return (self.root / "tsan" / test).read_text(errors="replace")

    def expects_race(self, test):
        return bool(re.search(r"CHECK[\w-]*(?<!NOT): .*" + RACE.pattern, self.text(test)))

    def build(self, test, directory):
        text = self.text(test)
        if test.startswith("bench_"):
            raise suite.LeftOut("a measurement, not a test")
        for pattern, reason in NOT_CLAIMED:
            if re.search(pattern, text):
                raise suite.LeftOut(reason)
        lines = re.findall(r"RUN: *(.*)", text.replace("\\\n// RUN:", " "))
        builds = [line for line in lines if re.search(r"%clang(xx)?_tsan\b", line)]
        runs = [line for line in lines if "%run %t" in line]
        if not builds or not runs or "-shared" in " ".join(lines) or "%t-dir" in " ".join(lines):
            raise suite.LeftOut("needs more than one program, or none")
        words = shlex.split(builds[0].split("&&")[0].split("%s", 1)[0].split("_tsan", 1)[1]) + shlex.split(builds[0].split("&&")[0].split("%s", 1)[-1])
        flags = [w for w in words if w.startswith("-") and w != "-o"]
        after = re.sub(r"[|>].*|2>&1.*|&&.*", "", runs[0].split("%run %t", 1)[1])
        arguments = shlex.split(after) if "%" not in after else []
        plus = test.endswith(".cpp")
        source = self.root / "tsan" / test
        common = ["-O1" if not any(f.startswith("-O") for f in flags) else "-g", *(["-std=c++11"] if plus else []), *flags, f"-I{self.root}", "-w", source]
        libraries = ["-lpthread", "-ldl", "-lrt", "-lm"]
        name = directory / source.stem
        suite.compile_or_leave_out(["clang++" if plus else "clang", "-fsanitize=thread", *common, "-o", str(name) + ".tsan", *libraries], directory)
        suite.compile_or_leave_out(["gcc", "-O1", "-c", self.barrier, "-o", directory / "barrier.o"], directory)
        compiler = self.heddle.parent / ("heddle-c++" if plus else "heddle-cc")
        os.environ.update(HEDDLE_CC="clang", HEDDLE_CXX="clang++")
        suite.compile_or_leave_out([compiler, *common, directory / "barrier.o", "-o", name, *libraries], directory)
        return [name, *arguments]

    def native(self, test, command, directory):
        """Under ThreadSanitizer itself, several times: what it says must be what the test expects."""
        race = self.expects_race(test)
        for _ in range(5):
            done = suite.run(["setarch", "-R", str(command[0]) + ".tsan", *command[1:]], directory, self.seconds, {"TSAN_OPTIONS": "atexit_sleep_ms=0"})
            if done.timed_out:
                raise suite.LeftOut("natively: hangs here")
            if ("WARNING: ThreadSanitizer" in done.output) == race:
                return race
        raise suite.LeftOut("natively: ThreadSanitizer does not say here what the test expects")

    def trial(self, test, command, directory, expected, carrier, policy):
        # A test that takes long is watched in one schedule.
        for executions in (self.executions, 1):
            words = [self.heddle, "races", "--json", "--carrier", carrier, "--executions", str(executions)]
            seed = policy[policy.index("--seed") + 1] if "--seed" in policy else "1"
            # Only the document: what the program writes goes elsewhere.
            done = suite.run(["sh", "-c", 'exec "$@" 2>races.err', "sh", *words, "--seed", seed, "--", *command], directory, self.seconds)
            if not done.timed_out:
                break
        (directory / f"{carrier}.json").write_text(done.output)
        if done.timed_out:
            return f"still runs after {self.seconds} s"
        try:
            document = json.loads(done.output)
        except (ValueError, KeyError):
            said = (directory / "races.err").read_text(errors="replace").strip().splitlines()
            return f"exit {done.code}: " + (said or [""])[-1][:150]
        races = document["races"]
        if not expected:
            return None if not races else f"false race ({sum(r['kind'] == 'confirmed' for r in races)} confirmed, {sum(r['kind'] != 'confirmed' for r in races)} possible) on {races[0]['object']}: {races[0]['first']['place']} and {races[0]['second']['place']}"
        if not races and re.search("heap-use-after-free|invalid mutex", self.text(test)) and document["failing_runs"]:
            return None  # found, and told as what it is: the run ends there
        if not races:
            return "the race is not found"
        names = named_functions(self.text(test))
        if not names:
            return None
        for race in races:
            if any(any(re.split(r"[( ]", frame)[0] in names for frame in race[side]["stack"] + [race[side].get("function") or ""]) for side in ("first", "second")):
                return None
        return f"a race, but not in {', '.join(sorted(names))}"
