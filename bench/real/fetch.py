#!/usr/bin/env python3
"""Fetches Debian source packages by name, from the archives that this machine already gets its packages from.

usage: fetch.py DIRECTORY PACKAGE...

The machine's own apt configuration is not touched: the entries for the release's packages are copied with their sources switched on, and
the lists are kept under DIRECTORY. Each package is unpacked to DIRECTORY/PACKAGE with Debian's patches applied, once.
"""
import pathlib
import re
import shutil
import subprocess
import sys


def release():
    return re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE).group(1)


def of_release(suites, codename):
    """bookworm and bookworm-security, but not what a third party calls something-bookworm."""
    return any(suite == codename or suite.startswith(codename + "-") for suite in suites.split())


def source_entries(etc=pathlib.Path("/etc/apt"), codename=None):
    """The archives' entries for sources: one-line entries, and paragraphs of the newer form."""
    codename = codename or release()
    lines, paragraphs = [], []
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*.list"))]:
        for line in path.read_text().splitlines() if path.exists() else []:
            found = re.match(r"deb(?:-src)?\s+((?:\[[^\]]*\]\s+)?\S+)\s+(\S+)\s+(.*)", line)
            if found and of_release(found.group(2), codename):
                lines.append(f"deb-src {found.group(1)} {found.group(2)} {found.group(3)}")
    for path in sorted((etc / "sources.list.d").glob("*.sources")):
        for paragraph in re.split(r"\n\s*\n", path.read_text()):
            suites = re.search(r"^Suites:(.*)$", paragraph, re.MULTILINE)
            if suites and of_release(suites.group(1), codename):
                kept = [line for line in paragraph.splitlines() if line and not line.startswith(("#", "Types:"))]
                paragraphs.append("\n".join(["Types: deb-src", *kept]))
    return list(dict.fromkeys(lines)), list(dict.fromkeys(paragraphs))


class Archive:
    """apt with a configuration of its own under `where`."""

    def __init__(self, where):
        self.where = pathlib.Path(where).resolve()
        self.apt = self.where / ".apt"

    def _apt_get(self, *words, cwd=None):
        settings = {"Dir::Etc::sourcelist": self.apt / "sources.list", "Dir::Etc::sourceparts": self.apt / "parts",
                    "Dir::State::lists": self.apt / "lists", "Dir::Cache": self.apt / "cache", "APT::Sandbox::User": "root"}
        command = ["apt-get", "-q"]
        for name, value in settings.items():
            command += ["-o", f"{name}={value}"]
        done = subprocess.run([*command, *words], cwd=cwd, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"apt-get {' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")

    def _update(self):
        if (self.apt / "ready").exists():
            return
        for name in ("parts", "lists/partial", "cache/archives/partial"):
            (self.apt / name).mkdir(parents=True, exist_ok=True)
        lines, paragraphs = source_entries()
        if not lines and not paragraphs:
            raise SystemExit("apt knows no archive of this release's packages")
        (self.apt / "sources.list").write_text("\n".join(lines) + "\n")
        (self.apt / "parts" / "release.sources").write_text("\n\n".join(paragraphs) + "\n")
        self._apt_get("update")
        (self.apt / "ready").touch()

    def fetch(self, package):
        """The directory with the package's source."""
        target = self.where / package
        if target.exists():
            return target
        self._update()
        unpacking = self.where / f".{package}"
        shutil.rmtree(unpacking, ignore_errors=True)
        unpacking.mkdir(parents=True)
        self._apt_get("source", package, cwd=unpacking)
        (tree,) = [entry for entry in unpacking.iterdir() if entry.is_dir()]
        tree.rename(target)
        shutil.rmtree(unpacking)
        return target


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    archive = Archive(sys.argv[1])
    for name in sys.argv[2:]:
        print(archive.fetch(name))
