#!/usr/bin/env python3
"""Breaks every rule of check.py once, in a tree of its own, and wants each breach reported and a clean tree left alone."""
import os
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).resolve().parent / "check.py"
ROOT_CMAKE = """
heddle_room(wire)
heddle_room(trace DEPENDS wire
  LIBRARIES fmt::fmt)
heddle_room(search DEPENDS trace wire)
heddle_runtime(heddle-rt ROOMS runtime wire
  SUBROOMS base engine calls)
heddle_program(heddle ROOM cli DEPENDS search trace wire
  LIBRARIES CLI11::CLI11)
"""
failures = 0


def expect(name, condition, shown):
    global failures
    if not condition:
        failures += 1
        print(f"self-test: {name}\n{shown}")


def check(root, *arguments):
    done = subprocess.run(
        [sys.executable, str(CHECK), "--root", str(root), *arguments], capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def with_files(contents, rule):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "CMakeLists.txt").write_text(ROOT_CMAKE)
        for path, text in contents.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return check(root, rule)


def breaks(name, rule, contents, message):
    code, out = with_files(contents, rule)
    expect(f"{name} must be reported", code == 1 and message in out, out)


def keeps(name, rule, contents):
    code, out = with_files(contents, rule)
    expect(f"{name} must pass", code == 0, out)


keeps("what the kernel refuses", "skips", {"tests/a.py": '        self.skipTest("no namespaces here")\n'})
breaks("a test without its package", "skips", {"tests/a.py": '        self.skipTest("no clang")\n'}, "a.py:1: skips a test")
breaks("a test switched off", "skips", {"tests/a/CMakeLists.txt": "set_tests_properties(a PROPERTIES SKIP_RETURN_CODE 77)\n"}, "skips a test")
keeps("a downward include", "includes", {"src/search/a.h": '#include "trace/t.h"\n#include <string>\n'})
keeps("the program joins the rooms", "includes", {"src/cli/a.cpp": '#include "search/t.h"\n'})
breaks("an upward include", "includes", {"src/wire/a.h": '#include "trace/t.h"\n'}, "wire may not include trace")
breaks("runtime and tool meet in wire", "includes", {"src/runtime/base/a.cpp": '#include "trace/t.h"\n'}, "runtime may not")
breaks("rooms in a circle", "includes", {"CMakeLists.txt": "heddle_room(a DEPENDS b)\nheddle_room(b DEPENDS a)\n"}, "depends on itself")
keeps("a sub-room on those before it", "includes", {"src/runtime/calls/a.cpp": '#include "runtime/engine/t.h"\n#include "runtime/base/u.h"\n'})
breaks(
    "a cycle of sub-rooms",
    "includes",
    {"src/runtime/calls/a.h": '#include "runtime/engine/b.h"\n', "src/runtime/engine/b.h": '#include "runtime/calls/a.h"\n'},
    "runtime/engine may not include runtime/calls",
)
breaks("an unknown sub-room", "includes", {"src/runtime/base/a.h": '#include "runtime/other/t.h"\n'}, "is not a sub-room")
breaks("a file beside the sub-rooms", "includes", {"src/runtime/a.h": "\n"}, "not a sub-room")
breaks("a relative include", "includes", {"src/trace/a.h": '#include "t.h"\n'}, "write includes from src/")
breaks("a heavy header in wire", "includes", {"src/wire/a.h": "#include <vector>\n"}, "freestanding")
breaks("a virtual function in the runtime", "includes", {"src/runtime/base/a.h": "struct A {\n  virtual int f();\n};\n"}, "no virtual functions")
breaks("a header that clang lacks", "includes", {"src/trace/a.h": "#include <format>\n"}, "not there with both compilers")
breaks("an unknown room", "includes", {"src/util/a.h": "\n"}, "not a room")
keeps("names in their room", "namespaces", {"src/trace/a.h": "namespace heddle::trace {\n", "src/runtime/base/a.h": "namespace heddle::rt {\n"})
breaks("names of nobody's room", "namespaces", {"src/trace/a.h": "namespace heddle {\n"}, "opens heddle: the names of src/trace are in heddle::trace")
breaks("names of another room", "namespaces", {"src/trace/a.h": "namespace heddle::search {\n"}, "opens heddle::search")
breaks("a room that speaks of one above it", "namespaces", {"src/wire/rooms.h": "namespace trace {\nusing namespace search;\n}\n"}, "trace uses ['search']")
keeps("500 lines", "length", {"src/trace/a.cpp": "x\n" * 500})
keeps("501 lines with a reason", "length", {"src/trace/a.cpp": "// long: one table\n" + "x\n" * 500})
breaks("501 lines", "length", {"src/trace/a.cpp": "x\n" * 501}, "501 lines")
def function(lines, nesting):
    blocks = "".join("  " * i + "if (a) {\n" for i in range(nesting)) + "}\n" * nesting
    return "namespace heddle::trace {\nclass A {\n  A() : b_{1} {}\n};\nint f(int a) {\n" + blocks + "g();\n" * (lines - 2 - 2 * nesting) + "}\n}\n"


keeps("60 lines, 4 deep", "functions", {"src/trace/a.cpp": function(60, 4)})
breaks("61 lines", "functions", {"src/trace/a.cpp": function(61, 0)}, "a.cpp:5: f has 61 lines")
breaks("5 deep", "functions", {"src/trace/a.cpp": function(20, 5)}, "a.cpp:5: f nests 5 deep")
keeps("plain words", "words", {"docs/a.md": "see src/work/list and /usr/lib\n"})
breaks("a machine path", "words", {"docs/a.md": "see /" + "work/x\n"}, "somebody's machine")
breaks("a note to oneself", "words", {"src/trace/a.cpp": "// TO" + "DO later\n"}, "unfinished")
keeps("two types", "types", {"src/trace/a.h": "struct A {\n};\n", "src/search/b.h": "struct B {\n};\nstruct A;\n"})
breaks("one name for two types", "types", {"src/trace/a.h": "struct A {\n};\n", "src/search/b.h": "class A {\n};\n"}, "is a type of")
keeps("printing through print.h", "printing", {"src/cli/a.cpp": 'print_out("{}", text);\n'})
breaks("printing past print.h", "printing", {"src/cli/a.cpp": 'fmt::print("{}", text);\n'}, "prints past")
keeps("a question to the model", "model", {"src/trace/a.cpp": "bool b = now.ready(op, a) == Ready::kYes;\ncase Ready::kNo: break;\n"})
breaks("an answer of one's own", "model", {"src/trace/a.cpp": "return lock.owner == kNone ? Ready::kYes : Ready::kNo;\n"}, "makes up")
breaks("a list of what blocks", "model", {"src/trace/a.cpp": "switch (op) {\n  case Op::kSemWait: return count > 0;\n}\n"}, "lists SemWait")
breaks("a kind listed once more", "model", {"src/report/a.cpp": "bool b = op == Op::kCondWait || op == Op::kCondTimedWait;\n"}, "ask model::is_condition_wait")
breaks(
    "a default over operations",
    "model",
    {"src/model/a.h": "switch (op) {\n  case Op::kYield: return 1;\n  default: return 0;\n}\n"},
    "a.h:1: a `default:`",
)
breaks(
    "a default over families",
    "model",
    {"src/report/a.cpp": "switch (row(op).family) {\n  case Family::kTime: return 1;\n  default: return 0;\n}\n"},
    "a.cpp:1: a `default:`",
)
keeps("a default over something else", "model", {"src/trace/a.cpp": "switch (kind) {\n  case Kind::kA: return 1;\n  default: return 0;\n}\n"})

def pass_row(name, rank, registered=True):
    return f'constexpr PassRow k{name}Pass{{\n    .rank = {rank},\n    .name = "{name.lower()}",\n}};\n' + f"HEDDLE_ROW(passes, k{name}Pass);\n" * registered


keeps("two rows", "rows", {"src/trace/a.cpp": pass_row("A", 1), "src/trace/b.cpp": pass_row("B", 2)})
breaks("a row that nobody registers", "rows", {"src/trace/a.cpp": pass_row("A", 1, False)}, "a.cpp:1: kAPass is in no table")
breaks("a rank twice", "rows", {"src/trace/a.cpp": pass_row("A", 1), "src/trace/b.cpp": pass_row("B", 1)}, "kBPass has the rank of kAPass: 1")
breaks("a policy without a row", "rows", {"src/wire/plan.h": "enum class PolicyKind : int {\n  kStay,  // x\n};\n"}, "no policy has the row of kStay")
keeps("a comment that leads somewhere", "comments", {"src/trace/a.h": "int a;  // see trace/a.h\n"})
breaks("a comment that leads nowhere", "comments", {"src/trace/a.h": "// see trace/b.h\n"}, "a.h:1: the comment names trace/b.h")

with tempfile.TemporaryDirectory() as name:
    library = os.path.join(name, "lib.so")
    source = os.path.join(name, "lib.c")

    def build(text, *flags):
        pathlib.Path(source).write_text(text)
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library, *flags], check=True)
        return check(name, "--library", library, "symbols", "needed", "calls")

    code, out = build("int heddle_ok(void) { return 0; }")
    expect("allowed export", code == 0, out)
    code, out = build("int leaked(void) { return 0; }")
    expect("leaked export must be reported", code == 1 and "exports leaked" in out, out)
    code, out = build("int gettid(void); int heddle_ok(void) { return gettid(); }")
    expect("a call that a program may take over must be reported", code == 1 and "calls gettid" in out, out)
    code, out = build("int heddle_ok(void) { return 0; }", "-Wl,--no-as-needed", "-l:libstdc++.so.6")
    expect("libstdc++ must be reported", code == 1 and "needs libstdc++" in out, out)

with tempfile.TemporaryDirectory() as name:
    root = pathlib.Path(name)
    (root / "CMakeLists.txt").write_text(ROOT_CMAKE)

    def link(texts):
        for room, text in texts.items():
            place = root / "build" / "CMakeFiles" / "heddle-rt.dir" / "src" / "runtime" / room
            place.mkdir(parents=True, exist_ok=True)
            (place / "a.c").write_text(text)
            (root / "src" / "runtime" / room).mkdir(parents=True, exist_ok=True)
            (root / "src" / "runtime" / room / "a.c").write_text(text)
            subprocess.run([os.environ.get("CC", "cc"), "-c", str(place / "a.c"), "-o", str(place / "a.c.o")], check=True)
        return check(root, "--library", str(root / "build" / "lib" / "lib.so"), "links")

    base, engine = "int heddle_low(void) { return 0; }", "int heddle_low(void); int heddle_high(void) { return heddle_low(); }"
    code, out = link({"base": base, "engine": engine})
    expect("a call downward must pass", code == 0, out)
    code, out = link({"base": "int heddle_high(void); int heddle_low(void) { return heddle_high(); }", "engine": engine})
    expect("a call upward must be reported", code == 1 and "uses heddle_high, which is defined in runtime/engine" in out, out)

print(f"{failures} failed" if failures else "every rule can fail, and does not fail without a reason")
sys.exit(1 if failures else 0)
