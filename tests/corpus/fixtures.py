#!/usr/bin/env python3
"""Makes the corpus inputs under DIR/in and an empty DIR/out: the same bytes on every machine.

usage: fixtures.py DIR
"""
import os
import pathlib
import random
import subprocess
import sys

SEED = 20021
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


class Text:
    """Endless prose over a fixed vocabulary: compressible, but not trivially so."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.vocabulary = [self.word() for _ in range(3000)]

    def word(self):
        return "".join(self.random.choices(LETTERS, k=self.random.randint(2, 10)))

    def lines(self, size):
        """Whole lines, together at least `size` characters."""
        out, length = [], 0
        while length < size:
            line = " ".join(self.random.choices(self.vocabulary, k=11)) + "\n"
            out.append(line)
            length += len(line)
        return "".join(out)


def write_video(path, width=320, height=240, frames=50):
    """A moving pattern as YUV4MPEG2."""
    with open(path, "wb") as out:
        out.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
        for frame in range(frames):
            luma = bytearray()
            for y in range(height):
                luma += bytes(((x + frame * 5) * (y + 3) // 32 + 2 * y) & 255 for x in range(width))
            chroma = bytes([96 + frame]) * (width * height // 2)
            out.write(b"FRAME\n" + bytes(luma) + chroma)


def write_repository(path, text):
    """A history of five commits over 200 growing files, so that packing has deltas to look for."""
    who = {f"GIT_{role}_{part}": "corpus" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    when = {f"GIT_{role}_DATE": "2002-07-22T12:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    environment = {**os.environ, **who, **when, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*arguments):
        subprocess.run(["git", "-C", str(path), *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)

    path.mkdir()
    git("init", "-q")
    for commit in range(5):
        for number in range(200):
            with open(path / f"file{number}.txt", "a", encoding="ascii") as out:
                out.write(text.lines(400))
        git("add", "-A")
        git("commit", "-q", "-m", f"commit {commit}")


def main():
    root = pathlib.Path(sys.argv[1])
    (root / "out").mkdir(parents=True, exist_ok=True)
    made = root / "in.part"  # renamed when complete: an interrupted run leaves no half-made inputs behind
    subprocess.run(["rm", "-rf", str(made)], check=True)
    (made / "tree").mkdir(parents=True)
    text = Text(SEED)
    (made / "text.txt").write_text(text.lines(6_000_000))
    (made / "small.txt").write_text(text.lines(1_500_000))
    (made / "nums.txt").write_text("".join(f"{text.random.getrandbits(30)}\n" for _ in range(400_000)))
    for number in range(400):
        (made / "tree" / f"f{number}.txt").write_text(text.lines(2000) + "#define name\n" * (number % 5))
    write_video(made / "t.y4m")
    write_repository(made / "repo", text)
    made.rename(root / "in")


if __name__ == "__main__":
    main()
