"""Plain builds of the programs of bench/programs, and what a search of them says."""
import pathlib
import shutil
import subprocess
import tempfile

import _bench
import explain

MISS = 10_000
LEVELS = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")]
CPP = {"gcc": "g++", "clang": "clang++"}


def build_plain(entry, compiler, level, where, debug=True):
    """Without -g, what is left of symbols is stripped, too."""
    source = _bench.HERE / "programs" / entry["source"]
    program = pathlib.Path(where) / f"{entry['name']}{level}{compiler}{'' if debug else '.bare'}"
    how = ["-g"] if debug else ["-s"]
    if source.suffix == ".rs":
        words = ["/usr/bin/rustc", "--edition", "2021", "-C", "panic=abort", "-C", f"opt-level={level[-1]}", *(["-g"] if debug else ["-C", "strip=symbols"]), str(source), "-o", str(program)]
        subprocess.run(words, check=True, capture_output=True)
        return program
    cpp = source.suffix == ".cpp"
    words = [CPP[compiler] if cpp else compiler, level, *how, "-pthread", "-std=c++20" if cpp else "-std=gnu11"]
    words += [f"-D{macro}={value}" for macro, value in entry["defines"].items()]
    libraries = ["-lm"]
    if "LIBRARY" in source.read_text():
        library = program.with_name(f"lib{program.name}.so")
        subprocess.run([*words, "-DLIBRARY", "-shared", "-fPIC", str(source), "-o", str(library)], check=True, capture_output=True)
        libraries += [str(library)]
    subprocess.run([*words, str(source), "-o", str(program), *libraries], check=True, capture_output=True)
    return program


def ask(options, verb, program, seed, *more):
    """The answer to `find` or `debug`, and the schedules that it took, those that learnt the points included."""
    where = tempfile.mkdtemp()
    try:
        answer = _bench.answer([options.heddle, verb, "--json", "--jobs", "1", "--seed", seed, "--executions", options.most, "--time", "60", *more, "--", program], where, 240)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    if not answer:
        return None
    learnt = answer["find"].get("learnt", {})
    taken = answer["find"]["executions"] + learnt.get("runs", 0) + learnt.get("native", 0)
    return {"taken": taken if answer["verdict"] == "failure" else MISS, "learnt": learnt, "answer": answer}


def names_line(answer, entry):
    """Does the diagnosis name a marked line, or show a stretch of source with it?"""
    diagnosis = answer.get("diagnosis")
    if not diagnosis:
        return False
    source = pathlib.Path(entry["source"]).name
    named = set()
    for line in diagnosis["lines"]:
        if line["file"].endswith("/" + source):
            first, last = line.get("stretch", (line["line"], line["line"]))
            named |= set(range(first, last + 1))
    claim = diagnosis.get("claim") or {}
    for text in (diagnosis["why"], diagnosis.get("fix", ""), claim.get("sentence", ""), *claim.get("parts", [])):
        named |= explain.places(text, source)
    return any(line in named for line in entry["bug_lines"])
