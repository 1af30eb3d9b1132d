"""Test sources from Debian's source packages, fetched through a private apt configuration: no file of the system is changed.

The places to fetch from are those that the machine itself installs from, asked for sources instead of packages.
"""
import pathlib
import re
import shutil
import subprocess
import tarfile


class CannotFetch(Exception):
    pass


# What of a package's upstream archive is unpacked, as patterns for tar over the path below the top directory.
PACKAGES = {
    "glibc": ["nptl/*", "rt/*", "support/*", "include/*", "sysdeps/pthread/*", "sysdeps/unix/sysv/linux/*.[ch]", "sysdeps/generic/*", "sysdeps/x86*/*", "scripts/*", "test-skeleton.c", "stdlib/*", "misc/*", "posix/*"],
    "gcc-12": ["libstdc++-v3/testsuite/30_threads/*", "libstdc++-v3/testsuite/29_atomics/*", "libstdc++-v3/testsuite/util/*"],
    "llvm-toolchain-14": ["libcxx/test/std/thread/*", "libcxx/test/support/*", "libcxx/test/std/atomics/*", "compiler-rt/test/tsan/*", "compiler-rt/test/sanitizer_common/*"],
}


def source_entries(etc=pathlib.Path("/etc/apt")):
    """The machine's package sources as (name, text) of files that ask for source packages."""
    files = []
    lists = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*.list"))]
    lines = [line for file in lists if file.is_file() for line in file.read_text().splitlines() if re.match(r"deb\s", line)]
    if lines:
        files.append(("lines.list", "".join("deb-src" + line[3:] + "\n" for line in lines)))
    for file in sorted((etc / "sources.list.d").glob("*.sources")):
        files.append((file.name, re.sub(r"(?im)^types:.*$", "Types: deb-src", file.read_text())))
    return files


def apt(home, *words, **options):
    """apt-get with all its state under `home`."""
    state = [f"Dir::Etc::sourcelist={home}/none", f"Dir::Etc::sourceparts={home}/sources", f"Dir::State::lists={home}/lists", f"Dir::Cache={home}/cache", "APT::Sandbox::User="]
    return subprocess.run(["apt-get", "-q", *(x for s in state for x in ("-o", s)), *words], text=True, capture_output=True, **options)


def download(cache, package):
    """The upstream archive of a source package, fetched if it is not there yet."""
    home = cache.resolve() / "apt"
    kept = cache / "archives" / package
    found = sorted(kept.glob("*.orig.tar.*"))
    if found:
        return found[0]
    if not shutil.which("apt-get"):
        raise CannotFetch("this is not Debian: there is no apt-get to fetch source packages with")
    for part in ("sources", "lists/partial", "cache/archives/partial"):
        (home / part).mkdir(parents=True, exist_ok=True)
    for name, text in source_entries():
        (home / "sources" / name).write_text(text)
    (home / "none").touch()
    if not any((home / "lists").glob("*Sources*")):
        done = apt(home, "update")
        if done.returncode:
            raise CannotFetch("apt-get update: " + (done.stderr.strip().splitlines() or ["failed"])[-1])
    partial = cache / "archives" / (package + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    done = apt(home, "source", "--download-only", package, cwd=partial)
    archives = sorted(partial.glob("*.orig.tar.*"))
    if done.returncode or not archives:
        raise CannotFetch(f"apt-get source {package}: " + (done.stderr.strip().splitlines() or ["no upstream archive"])[-1])
    partial.rename(kept)
    return kept / archives[0].name


def unpack(cache, package):
    """The directory with the needed parts of a package's sources."""
    place = cache / "sources" / package
    if place.is_dir():
        return place
    archive = download(cache, package)
    partial = cache / "sources" / (package + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    names = subprocess.run(["tar", "-tf", archive], check=True, capture_output=True, text=True).stdout.splitlines()
    inner = [name for name in names if re.search(r"/gcc-[^/]*\.tar\.[a-z0-9]+$", name)]
    if inner:  # gcc's package holds upstream's archive inside its own
        outer = partial / "outer"
        outer.mkdir()
        subprocess.run(["tar", "-xf", archive.resolve(), "-C", outer, inner[0]], check=True)
        archive = outer / inner[0]
    subprocess.run(["tar", "-xf", archive.resolve(), "-C", partial, "--strip-components=1", "--wildcards", *("*/" + p for p in PACKAGES[package])], check=True)
    shutil.rmtree(partial / "outer", ignore_errors=True)
    partial.rename(place)
    return place
