#!/usr/bin/env python3
"""Lists the programs of this directory as JSON, from the `heddle-kernel:` line in each source.

    manifest.py                     every program, one entry per variant
    manifest.py --suite kernels     one directory only
    manifest.py --names             just the names
    manifest.py --check             say what is wrong with the headers; exit 1 if anything is

An entry has: name, suite, source (relative to this directory), language, defines, and the fields of
the header line; `optimum` is a number or null, `bug_lines` are the lines marked `// BUG` (or `// BUG:2` for the
variant with that number alone), and `about` is the prose of the head comment.
"""
import argparse
import ast
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUITES = ("kernels", "heldout", "tinertia", "cz", "lean", "er")
KINDS = {"assert", "abort", "exception", "deadlock", "signal", "exit", "livelock", "misuse"}
CLASSES = {"atomicity", "order", "deadlock", "lost-wakeup", "uaf", "race", "livelock", "misuse", "always", "wait"}
GRANULARITIES = {"sync", "access"}
MARK = "heddle-kernel:"
KEY = "heddle-bug:"  # of explained/


def header(text):
    """The fields of the machine-readable line, or None if the file has none."""
    for line in text.splitlines():
        if MARK in line:
            return dict(field.split("=", 1) for field in line.split(MARK, 1)[1].split())
    return None


def about(text):
    lines = []
    for line in text.splitlines():
        if not line.startswith("//") or MARK in line:
            break
        lines.append(line[2:].strip())
    return " ".join(lines)


def bug_lines(text, variant):
    found = ((n, re.search(r"// BUG(?::(\d+))?$", line)) for n, line in enumerate(text.splitlines(), 1))
    return [n for n, match in found if match and (match[1] is None or int(match[1]) in variant)]


def arithmetic(expression, names):
    """Integers, the variant's macros, + - *: enough for an optimum such as N-1 or 2*N-2."""

    def value(node):
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, ast.BinOp):
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
        raise ValueError(f"cannot evaluate {expression!r}")

    return value(ast.parse(expression, mode="eval"))


def of_variant(text, defines):
    """A field's value for one variant: `x` for all of them, or `1:x,2:y`; None where it is not given."""
    if text is None or ":" not in text:
        return text
    table = dict(pair.split(":") for pair in text.split(","))
    return next((table[str(number)] for number in defines.values() if str(number) in table), None)


def variant_name(stem, macro, number):
    """reorder.c with N:3 is reorder_3; wsq.cpp with BUG:2 is wsq_bug2."""
    return f"{stem}_{number}" if macro == "N" else f"{stem}_{macro.lower()}{number}"


def programs(suites=SUITES):
    for suite in suites:
        for path in sorted((HERE / suite).glob("*.c*")):
            text = path.read_text()
            fields = header(text)
            if fields is None:
                continue
            base = {
                "suite": suite,
                "source": f"{suite}/{path.name}",
                "language": "c" if path.suffix == ".c" else "c++",
                "about": about(text),
            }
            variants = [v.split(":") for v in fields["variants"].split(",")] if "variants" in fields else [None]
            for variant in variants:
                entry = {"name": path.stem, "defines": {}} | base
                if variant:
                    entry["name"] = variant_name(path.stem, *variant)
                    entry["defines"] = {variant[0]: int(variant[1])}
                entry["bug_lines"] = bug_lines(text, set(entry["defines"].values()))
                for key, value in fields.items():
                    if key not in ("optimum", "variants"):
                        entry[key] = of_variant(value, entry["defines"])
                best = of_variant(fields.get("optimum"), entry["defines"])
                entry["optimum"] = None if best is None else arithmetic(best, entry["defines"])
                yield entry


def explained():
    """The bugs of explained/, each with the key of its explanation: class, marked lines, a pattern for the advice."""
    for path in sorted((HERE / "explained").glob("*.c*")):
        text = path.read_text()
        fields = next((dict(field.split("=", 1) for field in line.split(KEY, 1)[1].split()) for line in text.splitlines() if KEY in line), None)
        if fields is None:
            continue
        pattern = re.search(r"(?m)^// fix: (.*)$", text)
        mended = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("// FIX")]
        yield {"name": path.stem, "suite": "explained", "source": f"explained/{path.name}", "defines": {}, "bug_lines": bug_lines(text, set()),
               "fix_lines": mended, "fix": pattern[1] if pattern else None, **fields}


def plain():
    """The bugs of plain/, which are built without our compiler; Rust among them."""
    for path in sorted((HERE / "plain").iterdir()):
        text = path.read_text()
        fields = next((dict(field.split("=", 1) for field in line.split(KEY, 1)[1].split()) for line in text.splitlines() if KEY in line), None)
        if fields is not None:
            yield {"name": path.stem, "suite": "plain", "source": f"plain/{path.name}", "defines": {}, "bug_lines": bug_lines(text, set()), **fields}


def problems():
    for entry in plain():
        if not set(entry["kind"].split(",")) <= KINDS or entry.get("set") not in ("tuned", "held") or not set(entry["class"].split(",")) <= CLASSES or not entry["bug_lines"]:
            yield f"{entry['source']}: kind, set, class or marked lines"
    for entry in explained():
        if not set(entry["kind"].split(",")) <= KINDS or entry.get("set") not in ("tuned", "held") or entry.get("granularity") not in GRANULARITIES:
            yield f"{entry['source']}: kind, set or granularity"
        if not set(entry["class"].split(",")) <= CLASSES or not entry["bug_lines"] or not entry["fix"]:
            yield f"{entry['source']}: no class, no line marked // BUG or no // fix:"
    names = {}
    for suite in SUITES:
        for path in sorted((HERE / suite).glob("*.c*")):
            text = path.read_text()
            where = f"{suite}/{path.name}"
            fields = header(text)
            if fields is None:
                yield f"{where}: no {MARK} line"
                continue
            if "family" not in fields:
                yield f"{where}: no family"
            if not re.search(r"// BUG(:\d+)?$", text, re.MULTILINE):
                yield f"{where}: no line marked // BUG"
            if not re.search(r"#\s*(ifdef FIXED|ifndef FIXED|if defined\(FIXED\)|if !defined\(FIXED\))", text):
                yield f"{where}: no FIXED twin"
    for entry in programs():
        for key, allowed in (("kind", KINDS), ("class", CLASSES), ("granularity", GRANULARITIES)):
            if entry.get(key) not in allowed:
                yield f"{entry['source']}: {key} of {entry['name']} is {entry.get(key)!r}"
        if entry["name"] in names:
            yield f"{entry['source']}: name {entry['name']} is also {names[entry['name']]}"
        names[entry["name"]] = entry["source"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", choices=SUITES, action="append")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        found = list(problems())
        print("\n".join(found), file=sys.stderr)
        return 1 if found else 0
    listed = list(programs(options.suite or SUITES))
    if options.names:
        print("\n".join(entry["name"] for entry in listed))
    else:
        json.dump(listed, sys.stdout, indent=2)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
