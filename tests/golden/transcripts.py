#!/usr/bin/env python3
"""The transcripts in README.md and docs/tutorial.md are what the tool prints.

usage: transcripts.py --heddle PROGRAM --bank PROGRAM [--work DIR] [--update]

Each console block of these pages whose first line is `$ ... heddle debug` or `$ ... heddle replay --repeat` is compared with the output of that
command. Left out: the id of the bug, the replay string, and addresses, which change from build to build.
--update writes into the pages what heddle says now; look at the difference before committing it.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs" / "tutorial.md"]
BLOCK = re.compile(r"^(```\n\$ \S*heddle (debug|replay --repeat 3)[^\n]*\n)(BUG .*?)^```$", re.M | re.S)
TIMEOUT = 600  # a hang of heddle itself, not a measurement


def call(options, *words):
    done = subprocess.run([options.heddle, *words], cwd=options.work, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode != 1:
        sys.exit(f"heddle {' '.join(words)} exits with {done.returncode} and not with 1\n{done.stderr[-2000:]}")
    return re.sub(r"^PASTE .*\n", "", done.stdout, flags=re.M)


def settled(text):
    bug = re.match(r"BUG (\w+)", text)[1]
    return re.sub(r"\b0x[0-9a-f]+\b", "0x..", re.sub(rf"\b{bug}\b", "ID", text))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--bank", required=True, type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("transcripts-work"))
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    options.heddle = str(pathlib.Path(options.heddle).resolve())
    bank = str(options.bank.resolve())
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    said = {"debug": call(options, "debug", "--", bank), "replay --repeat 3": call(options, "replay", "--repeat", "3")}
    stale, blocks = [], 0

    def compared(block):
        nonlocal blocks
        blocks += 1
        head, command, shown = block.groups()
        if settled(shown) == settled(said[command]):
            return block[0]
        stale.append(f"{page.name}: `heddle {command}` prints\n{said[command]}")
        return f"{head}{said[command]}```"

    for page in PAGES:
        text = page.read_text()
        ids = {re.match(r"BUG (\w+)", block[2])[1] for block in BLOCK.findall(text)}
        if len(ids) != 1:
            stale.append(f"{page.name}: one bug, and its id is {' and '.join(sorted(ids))}")
        current = BLOCK.sub(compared, text)
        if options.update:
            page.write_text(current)
    assert blocks == 3, f"{blocks} transcripts found, not 3: does BLOCK still fit the pages?"
    print(*stale, "write them into the pages with --update" if stale and not options.update else f"{blocks} transcripts", sep="\n")
    return 1 if stale and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
