#!/usr/bin/env python3
"""The rules of the house that no compiler checks.

usage: check.py [--root DIR] [--library libheddle-rt.so] RULE...

includes  a room includes only itself and the rooms that CMakeLists.txt gives it, a sub-room only itself and those stated before it; the
          freestanding rooms no heavy header and no virtual function
namespaces  a room's names are in its own namespace, heddle::ROOM, and wire/rooms.h lets it speak of the rooms that CMakeLists.txt gives it
length    a source file over 500 lines carries a `// long:` (or `# long:`) comment with the reason
functions  a function of src has at most 60 lines and nests at most 4 deep, but those of LONG_FUNCTIONS
words     no machine paths, no unfinished-work markers
rows      every row of a table (wire/rows.h) is registered, no two of a table have one rank or name, and every policy has its row
comments  a file that a comment names is there
printing  the tool prints through cli/print.h alone
types     no two types of one program have one name
skips     a test is skipped only for what the machine refuses (SKIPS); what a package lacks is a failure, as ./dev setup installs it
model     what blocks is said in src/model alone: nothing else lists blocking operations or makes up a Ready; no list of operations has a
          `default:`, which would swallow a new one
symbols   the runtime exports only what exported_symbols.txt allows
needed    the runtime needs no library but libc
calls     the runtime calls the C library only by names that no program may define, or through src/runtime/base/libc_calls.def
links     no sub-room of the runtime uses a function or variable that is defined in one stated after it, but those of UPWARD
Prints one line for each breach and exits 1 if there is one.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from cpp_functions import functions

HERE = pathlib.Path(__file__).resolve().parent
SOURCE_SUFFIXES = {".cpp", ".h", ".c", ".S", ".def", ".py", ".sh", ".js", ".ts"}
TEXT_SUFFIXES = SOURCE_SUFFIXES | {".md", ".txt", ".cmake", ".tsv", ".yml", ".json", ".html", ".css", ".map", ""}
MAX_LINES = 500

# Rooms that live inside the target, where libstdc++ may not be. Templates that need no library code are fine.
FREESTANDING = {"wire", "model", "policy", "runtime"}
HEAVY_HEADERS = set(
    "iostream ostream istream fstream sstream string vector map set unordered_map unordered_set deque list memory functional"
    " stdexcept regex thread mutex condition_variable future filesystem locale random any variant".split()
)

# g++ 12 or clang 14 lacks what is in them.
UNUSABLE_HEADERS = {"format", "ranges", "source_location"}

# Written with one-letter classes so that this file does not break its own rule.
FORBIDDEN = [
    (r"(?<![\w.])/[w]ork/|(?<![\w.])/[r]oot/|(?<![\w.])/[h]ome/(?!me\b|user\b)\w|(?<![\w.])/[U]sers/\w", "a path of somebody's machine"),
    (r"/tmp/[b](uild|rief)", "a path of somebody's machine"),
    (r"\b(T[O]DO|FI[X]ME|X[X]X)\b", "unfinished work belongs in the issue tracker"),
]


def files(root):
    """Every file of the project: what git knows and has not ignored, or all but the build directories without git."""
    known = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
    )
    if known.returncode == 0 and known.stdout:
        paths = [root / name for name in known.stdout.split("\0") if name]
    else:
        paths = []
        for where, dirs, names in os.walk(root):
            dirs[:] = [d for d in dirs if not d.startswith("build") and d not in (".git", ".heddle")]
            paths += [pathlib.Path(where) / name for name in names]
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def rooms(root):
    """room -> the rooms it may include, as the root CMakeLists.txt states it."""
    text = read(root / "CMakeLists.txt")
    allowed = {}
    for name, rest in re.findall(r"heddle_room\((\w+)([^)]*)\)", text):
        depends = re.search(r"DEPENDS((?:\s+[a-z]\w*)+)", rest)
        allowed[name] = {name} | set(depends.group(1).split() if depends else ())
    for rest in re.findall(r"heddle_runtime\([\w-]+ ROOMS ([^)]*)\)", text):
        home, *others = rest.split("SUBROOMS")[0].split()
        allowed[home] = {home, *others}
    for rest in re.findall(r"heddle_program\([\w-]+ ([^)]*)\)", text):
        home = re.search(r"ROOM (\w+)", rest).group(1)
        allowed[home] = {home} | set(re.search(r"DEPENDS((?:\s+[a-z]\w*)+)", rest).group(1).split())
    for home in re.findall(r"heddle_plugin\([\w-]+ ROOM (\w+)\)", text):
        allowed[home] = {home}
    return allowed


def subrooms(root):
    """room -> its sub-rooms in the order of the root CMakeLists.txt: each may include those before it, so there is no cycle."""
    text = read(root / "CMakeLists.txt")
    return {
        home: inner.split()
        for home, inner in re.findall(r"heddle_runtime\([\w-]+ ROOMS (\w+)[^)]*?SUBROOMS\s+([^)]*)\)", text)
    }


def check_includes(root, _library):
    allowed = rooms(root)
    inner = subrooms(root)
    for room in allowed:
        reached, todo = set(), [room]
        while todo:
            for other in allowed.get(todo.pop(), set()) - reached:
                todo.append(other)
                reached.add(other)
            if any(room in allowed.get(other, set()) for other in reached - {room}):
                yield root / "CMakeLists.txt", 0, f"{room} depends on itself by way of others"
                break
    for path in files(root):
        parts = path.relative_to(root).parts
        if parts[0] != "src" or path.suffix not in SOURCE_SUFFIXES or len(parts) < 3:
            continue
        room = parts[1]
        if room not in allowed:
            yield path, 1, f"src/{room} is not a room of CMakeLists.txt"
            continue
        order = inner.get(room, [])
        if order and parts[2] not in order:
            yield path, 1, f"src/{room}/{parts[2]} is not a sub-room of CMakeLists.txt"
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not include:
                if room in FREESTANDING and re.match(r"\s*virtual\b", line):
                    yield path, number, f"{room} is freestanding: no virtual functions"
                continue
            quote, name = include.groups()
            target = name.split("/")[0] if "/" in name else None
            if quote == '"' and target not in allowed:
                yield path, number, f'"{name}": write includes from src/, as "room/file.h"'
            elif quote == '"' and target not in allowed[room]:
                yield path, number, f"{room} may not include {target}"
            elif quote == '"' and target == room and order:
                to = name.split("/")[1]
                if to not in order:
                    yield path, number, f'"{name}": {room}/{to} is not a sub-room'
                elif order.index(to) > order.index(parts[2]):
                    yield path, number, f"{room}/{parts[2]} may not include {room}/{to}, which is built on it"
            elif quote == "<" and room in FREESTANDING and name in HEAVY_HEADERS:
                yield path, number, f"{room} is freestanding: no <{name}>"
            elif quote == "<" and name in UNUSABLE_HEADERS:
                yield path, number, f"<{name}> is not there with both compilers"


# Rooms whose names are not in heddle::ROOM, and files that say something in `heddle` itself.
NAMESPACES = {"wire": "heddle", "runtime": "heddle::rt"}
SHARED_NAMES = {"src/model/ready.h": "the answer's type is everybody's word"}


def check_namespaces(root, _library):
    allowed = rooms(root)
    for path in files(root):
        parts = path.relative_to(root).parts
        if parts[0] != "src" or len(parts) < 3 or path.suffix not in (".cpp", ".h") or "/".join(parts) in (*SHARED_NAMES, "src/wire/rooms.h"):
            continue
        own = NAMESPACES.get(parts[1], f"heddle::{parts[1]}")
        for number, line in enumerate(read(path).splitlines(), 1):
            opened = re.match(r"namespace (heddle[\w:]*) \{", line)
            if opened and opened.group(1) != own and not opened.group(1).startswith(own + "::"):
                yield path, number, f"opens {opened.group(1)}: the names of src/{parts[1]} are in {own}"
    # What each room speaks of without saying where it is from. Names of wire are in `heddle`, those of model are written out.
    path = root / "src/wire/rooms.h"
    if not path.exists():
        return
    blocks = re.findall(r"^namespace (\w+) \{\n((?:using namespace \w+;\n)+)", read(path), re.M)
    spoken = {name: set(re.findall(r"using namespace (\w+);", body)) for name, body in blocks}
    for room, may in allowed.items():
        name = NAMESPACES.get(room, room).split("::")[-1]
        expected = may - {room, "wire", "model"}
        if spoken.get(name, set()) != expected:
            yield path, 0, f"{name} uses {sorted(spoken.get(name, ()))} here and {sorted(expected)} in CMakeLists.txt"


def check_length(root, _library):
    for path in files(root):
        if path.suffix not in SOURCE_SUFFIXES:
            continue
        text = read(path)
        count = text.count("\n")
        if count > MAX_LINES and not re.search(r"^\s*(//|#) long: \S", text, re.M):
            yield path, count, f"{count} lines: split it or give the reason in a `// long:` comment"


# What is one list and reads best as one, and what every watched access runs.
LONG_FUNCTIONS = {
    ("src/model/machine.h", "apply"): "what each operation changes",
    ("src/model/waits.h", "wait_kind_of"): "what each operation waits for",
    ("src/runtime/base/call_effects.h", "effect_of"): "what each system call leaves behind",
    ("src/runtime/calls/syscalls.cpp", "forwarded_syscall"): "which wrapper each system call has",
    ("src/runtime/memory/race_clocks.cpp", "touch_object"): "whether each operation acts on a clock",
    ("src/runtime/memory/race_clocks.cpp", "race_event"): "which clocks each operation joins",
}
MAX_FUNCTION_LINES = 60
MAX_NESTING = 4


def check_functions(root, _library):
    for path in files(root):
        where = path.relative_to(root).as_posix()
        if not where.startswith("src/") or path.suffix not in (".cpp", ".h"):
            continue
        for name, line, lines, nesting in functions(read(path)):
            if (where, name) in LONG_FUNCTIONS:
                if lines <= MAX_FUNCTION_LINES:
                    yield path, line, f"{name} is short now: take it out of LONG_FUNCTIONS"
                continue
            if lines > MAX_FUNCTION_LINES:
                yield path, line, f"{name} has {lines} lines: split it, or say in LONG_FUNCTIONS why it is one"
            if nesting > MAX_NESTING:
                yield path, line, f"{name} nests {nesting} deep"


def check_words(root, _library):
    for path in files(root):
        if path.suffix not in TEXT_SUFFIXES or path.name == "LICENSE":
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            for pattern, why in FORBIDDEN:
                if re.search(pattern, line):
                    yield path, number, f"{why}: {line.strip()[:100]}"


def check_printing(root, _library):
    """What the tool prints goes through cli/print.h or report/screen.h, which clean it for the terminal."""
    for path in files(root):
        parts = path.relative_to(root).parts
        if parts[0] != "src" or len(parts) < 3 or parts[1] in ("runtime", "twin") or parts[1:] == ("cli", "print.cpp"):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            if re.search(r"fmt::print\(|std::(cout|cerr)\b|\b(std::)?(printf|fprintf|puts|fputs|fwrite)\(", line):
                yield path, number, "prints past cli/print.h, which keeps escape sequences from the terminal"


def check_types(root, _library):
    """One name, one type: the linker joins the functions of two types of one name, and keeps those of one of them."""
    known = {}
    for path in sorted(files(root)):
        parts = path.relative_to(root).parts
        if parts[0] != "src" or path.suffix != ".h" or len(parts) < 3:
            continue
        # Two programs, which share only the freestanding rooms.
        programs = {"runtime": ("runtime",), "twin": ("twin",)}.get(parts[1], ("tool",))
        if parts[1] in ("wire", "model", "policy"):
            programs = ("tool", "runtime", "twin")
        for number, line in enumerate(read(path).splitlines(), 1):
            found = re.match(r"(?:class|struct|union|enum class|enum) (\w+)\b[^;]*\{", line)
            for program in programs if found else ():
                first = known.setdefault((program, found.group(1)), path)
                if first != path:
                    yield path, number, f"{found.group(1)} is a type of {first.relative_to(root)} too"
                    break


# Where a Ready or a list of blocking operations is something else than a rule about what blocks.
NO_READINESS = {
    "src/runtime/engine/model.cpp": "glibc's words and the kernel, as the model asks for them",
    "src/runtime/engine/ready_log.cpp": "says what was not asked",
    "src/runtime/engine/scheduler.cpp": "looks at the gate, the short form of an answer of the model",
    "src/runtime/memory/race_clocks.cpp": "which clocks an operation joins",
    "src/trace/enabled.cpp": "what the run did is better known than what it could do",
    "src/simplify/predict.cpp": "a prediction that gives up has no answer",
}


# Which operations are of a kind that the traits do not say is listed once, by a function in src/model.
KINDS = {"CondTimedWait": "model::is_condition_wait", "CondTimedReacquire": "model::is_reacquire", "RwTimedReadLock": "model::is_shared_lock_request"}
OWN_KINDS = {"src/exec/agreement.cpp": "exec does not know the model"}


def switches(text):
    """(line, text) of the body of each switch, without the bodies of the switches inside it."""
    for start in re.finditer(r"\bswitch \(", text):
        at = text.find("{", start.end())
        if at < 0:
            continue
        begin, depth, skipped, body = at, 0, None, []
        for i in range(at, len(text)):
            depth += {"{": 1, "}": -1}.get(text[i], 0)
            if depth == 0:
                break
            if skipped is None and i > begin and re.match(r"\bswitch \(", text[i:i + 8]):
                skipped = depth
            if skipped is None:
                body.append(text[i])
            elif text[i] == "}" and depth == skipped:
                skipped = None
        yield text.count("\n", 0, start.start()) + 1, "".join(body)


def check_model(root, _library):
    rows = root / "src/wire/ops.def"
    rows = read(rows if rows.exists() else HERE.parent.parent / "src/wire/ops.def")
    blocking = {name for name, traits in re.findall(r'^HEDDLE_OP\((\w+), "[^"]*", \w+, ([^)]*)\)', rows, re.M) if "kBlocks" in traits}
    for path in files(root):
        parts = path.relative_to(root).parts
        if parts[0] != "src" or path.suffix not in (".cpp", ".h") or len(parts) < 3:
            continue
        text = read(path)
        for number, body in switches(text):
            over = re.search(r"case (?:model::)?(Op|Family|WaitKind)::k", body)
            if over and re.search(r"^\s*default:", body, re.M):
                yield path, number, f"a `default:` in a switch over {over.group(1)} swallows an operation that is new"
        if parts[1] == "model" or "/".join(parts) in NO_READINESS:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            code = line.split("//")[0]
            listed = re.search(r"case Op::k(\w+):", code)
            compared = re.search(rf"== Op::k({'|'.join(KINDS)})\b", code)
            if compared and "/".join(parts) not in OWN_KINDS:
                yield path, number, f"lists operations of a kind: ask {KINDS[compared.group(1)]}"
            if listed and listed.group(1) in blocking:
                yield path, number, f"lists {listed.group(1)}, which blocks: ask model/waits.h what an operation waits for"
            elif re.search(r"(?<![=!]= )(?<!case )\bReady::k\w+|\bmodel::when\(", code):
                yield path, number, "makes up whether a thread may go on: src/model says that"


def check_rows(root, _library):
    """A row that is not registered does nothing, and nobody says so: its search, pass or verb is just not there."""
    taken, policies = {}, set()
    for path in files(root):
        if path.relative_to(root).parts[0] != "src" or path.suffix != ".cpp":
            continue
        text = read(path)
        for row in re.finditer(r"^constexpr (\w+)Row (k\w+)\{", text, re.M):
            table, name = row.groups()
            line = text.count("\n", 0, row.start()) + 1
            if not re.search(rf"^HEDDLE_ROW\(\w+, {name}\);", text, re.M):
                yield path, line, f"{name} is in no table: HEDDLE_ROW({table.lower()}..., {name}) is missing"
            policies |= set(re.findall(r"PolicyKind::(k\w+)", text[row.end():row.end() + 200])) if table == "Policy" else set()
            head = text[row.end():].split(";")[0]
            keys = [("rank", re.match(r"\s*(?:\.rank = )?(\d+)", head)), ("name", re.search(r'"([\w-]+)"', head) if table != "Verb" else None)]
            for what, found in keys:
                first = taken.setdefault((table, what, found.group(1)), name) if found else name
                if first != name:
                    yield path, line, f"{name} has the {what} of {first}: {found.group(1)}"
    kinds = re.search(r"enum class PolicyKind[^{]*\{(.*?)\n\};", read(root / "src/wire/plan.h"), re.S) if (root / "src/wire/plan.h").exists() else None
    for kind in re.findall(r"^  (k\w+)", kinds.group(1), re.M) if kinds else ():
        if kind not in policies:
            yield root / "src/wire/plan.h", 0, f"no policy has the row of {kind}: its plans would be run by another"


def check_comments(root, _library):
    """A file that a comment names, as room/file.h, is there: whoever follows the comment finds something."""
    here = {path.relative_to(root).as_posix() for path in files(root)}
    rooms_here = {name.split("/")[1] for name in here if name.startswith("src/") and name.count("/") > 1}
    inner = {name.split("/")[2] for name in here if name.startswith("src/runtime/") and name.count("/") > 2}
    named = re.compile(rf"(?<![\w./-])((?:src/)?(?:{'|'.join(sorted(rooms_here | inner) or ['src'])})/[\w/]*\w\.(?:h|cpp|c|def))\b")
    for path in files(root):
        parts = path.relative_to(root).parts
        if parts[0] not in ("src", "valgrind") or path.suffix not in (".cpp", ".h", ".c", ".def"):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            comment = line[line.find("//"):] if "//" in line else line if re.match(r"\s*(/\*|\*| {3})", line) else ""
            for name in named.findall(comment):
                if not {name, f"src/{name}", f"src/runtime/{name}"} & here:
                    yield path, number, f"the comment names {name}, which is not there"


def check_symbols(root, library):
    lines = read(HERE / "exported_symbols.txt").splitlines()
    patterns = [re.compile(line.split("#")[0].strip()) for line in lines if line.split("#")[0].strip()]
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        name = line.split()[-1].split("@")[0]
        if not any(pattern.fullmatch(name) for pattern in patterns):
            yield library, 0, f"exports {name}, which exported_symbols.txt does not allow"


def check_needed(root, library):
    out = subprocess.run(["readelf", "-d", "-W", library], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", out):
        if not re.fullmatch(r"libc\.so\.\d+|libdl\.so\.\d+|ld-linux-.*", name):
            yield library, 0, f"needs {name}"
    out = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        kind, name = line.split()[-2:]
        if kind not in ("w", "v") and re.search(r"GLIBCXX|CXXABI|^_Unwind_|^__cxa_(throw|begin_catch|allocate)", name):
            yield library, 0, f"uses {name}"


# What no program defines, of what we use. dlsym is how the others are found.
# The two variables are other names of reserved ones, which the linker lists beside them.
RESERVED = re.compile(
    r"_\w+|dlv?sym|environ|program_invocation_short_name|stdin|stdout|stderr"
)


def check_calls(root, library):
    # The wrapper of a function that an instrumented program calls goes on to the program's own, where it has one.
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    wrapped = set(re.findall(r" __wrap_(\w+)", out))
    out = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        name = line.split()[-1].split("@")[0]
        if not RESERVED.fullmatch(name) and name not in wrapped:
            yield library, 0, f"calls {name}, which a program may define: add it to src/runtime/base/libc_calls.def"


# What a kernel or a container may refuse: no package brings it.
SKIPS = {
    "no namespaces here",
    "no user namespaces here",
    "no seccomp here to refuse anything with",
    "the tool lies where others may not go",
    "-fsanitize={sanitizer} does not run here",
}


def check_skips(root, _library):
    for path in files(root):
        parts = path.relative_to(root).parts
        if parts[0] != "tests" or parts[1] == "rules":
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            reason = re.search(r"skipTest\((.*)\)", line)
            if reason and reason.group(1).lstrip("f").strip("\"'") in SKIPS:
                continue
            # In other files these are words of CTest's that a test gives to the tool.
            by_ctest = path.name == "CMakeLists.txt" and re.search(r"SKIP_RETURN_CODE|\bDISABLED\b", line)
            if reason or by_ctest or re.search(r"@unittest\.skip|SkipTest", line):
                yield path, number, "skips a test for a reason that tests/rules/check.py does not list"


# What a sub-room may use although it is defined above it, each with its reason.
UPWARD = {
    "heddle::rt::kUpward": "the engine's table",
    "heddle::rt::check_failed(char const*, char const*, int)": "base: a check that fails ends the run",
    "heddle::rt::saw_own_call(long)": "base: sys() tells the engine of each call while it asks for them",
    "heddle::rt::g_influence_watched": "base: whether it asks",
    "heddle::rt::left_effect(heddle::rt::CallEffect, long, long const*, long)": "base: sys() tells process what stays in the kernel",
}


def check_links(root, library):
    """The include rule for what is declared in one sub-room and defined in another."""
    ((home, order),) = subrooms(root).items()
    objects = pathlib.Path(library).parent.parent / "CMakeFiles" / "heddle-rt.dir" / "src" / home
    defined, used = {}, []
    for place, room in enumerate(order):
        for path in sorted((objects / room).glob("*.o")):
            if not (root / "src" / home / room / path.stem).exists():
                continue  # of a file that is no more
            out = subprocess.run(["nm", "-C", str(path)], check=True, capture_output=True, text=True).stdout
            for kind, name in re.findall(r"^[0-9a-f ]{16} (\w) (.*)$", out, re.M):
                # What has a C name is an interposer or the program's own: which it is says the dynamic linker.
                if not re.match(r"heddle(::|_)", name):
                    continue
                if kind == "U":
                    used.append((place, room, path, name))
                elif kind in "TBDRGS":
                    defined[name] = (place, room)
    if not defined:
        yield library, 0, f"has no objects under {objects}"
    for place, room, path, name in used:
        to, where = defined.get(name, (0, ""))
        if to > place and name not in UPWARD:
            yield f"src/{home}/{room}/{path.stem}", 0, f"uses {name}, which is defined in {home}/{where}"


RULES = {name[len("check_"):]: rule for name, rule in list(globals().items()) if name.startswith("check_")}
NEEDS_LIBRARY = {"symbols", "needed", "calls", "links"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parent.parent)
    parser.add_argument("--library")
    parser.add_argument("rules", nargs="+", choices=sorted(RULES))
    options = parser.parse_args()
    root = options.root.resolve()
    breaches = 0
    for name in options.rules:
        if name in NEEDS_LIBRARY and not options.library:
            parser.error(f"{name} needs --library")
        for path, number, what in RULES[name](root, options.library):
            where = os.path.relpath(path, root) if os.path.isabs(path) else path
            print(f"{where}:{number}: {what}" if number else f"{where}: {what}")
            breaches += 1
    print(f"{', '.join(options.rules)}: {breaches} breaches" if breaches else f"{', '.join(options.rules)}: kept")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
