#!/usr/bin/env python3
"""An archive of an installed Heddle that unpacks and runs on any x86-64 Linux with a glibc as new as the one it was built with.

usage: archive.py --build DIR --output FILE.tar.gz

The tool's own libraries go with it, into lib/heddle/libraries, where bin/heddle looks first; those of glibc do not, nor does the program under
test see any of them: what is loaded into it needs libc alone.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

GLIBC = re.compile(r"^(libc|libm|libdl|librt|libpthread|ld-linux-x86-64)\.so")


def needed(program):
    """Files of the shared libraries of a program, those of glibc left out."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    for name, path in re.findall(r"^\s*(\S+) => (\S+) \(", done.stdout, re.M):
        if not GLIBC.match(name):
            yield name, pathlib.Path(path)


def make(build, output):
    name = output.name.removesuffix(".tar.gz")
    with tempfile.TemporaryDirectory() as directory:
        prefix = pathlib.Path(directory) / name
        subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL)
        libraries = prefix / "lib/heddle/libraries"
        libraries.mkdir()
        for program in (prefix / "bin").iterdir():
            if program.read_bytes()[:4] != b"\x7fELF":
                continue
            for library, path in needed(program):
                shutil.copyfile(path, libraries / library)
        with tarfile.open(output, "w:gz") as archive:
            archive.add(prefix, arcname=name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    make(options.build, options.output)
    print(options.output)


if __name__ == "__main__":
    sys.exit(main())
