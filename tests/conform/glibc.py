"""glibc's tests of threads (nptl and sysdeps/pthread), compiled against the installed glibc."""
import concurrent.futures
import pathlib
import re
import shlex

import suite

FLAGS = ["-O2", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-DTIMEOUTFACTOR=1", "-w", "-include", "limits.h", "-Dattribute_hidden="]
# Headers of glibc's own tree that a test may use without being inside glibc.
HEADERS = ["include/array_length.h", "include/intprops.h", "include/libc-diag.h", "include/verify.h", "include/libc-pointer-arith.h", "sysdeps/generic/tst-stack-align.h"]
# In place of headers that drag all of glibc in.
WRITTEN = {
    "config.h": "",
    "stackinfo.h": "#include <elf.h>\n#define _STACK_GROWS_DOWN 1\n#define DEFAULT_STACK_PERMS (PF_R | PF_W | PF_X)\n",
    "allocate_once.h": "static void *allocate_once(void **place, void *(*make)(void *), void (*drop)(void *, void *), void *with) { return *place ? *place : (*place = make(with)); }\n",
}
PATHS = [f'-D{name}="/"' for name in ("SRCDIR_PATH", "OBJDIR_PATH", "OBJDIR_ELF_LDSO_PATH", "INSTDIR_PATH", "LIBDIR_PATH", "BINDIR_PATH", "SBINDIR_PATH", "ROOTSBINDIR_PATH", "COMPLOCALEDIR_PATH", "SYSCONFDIR_PATH", "SLIBDIR_PATH")]


def makefile_values(text, kind, name):
    """What the Makefile sets `kind-name` (CFLAGS-x.c) to, in words; words that need its variables are left out."""
    values = re.findall(rf"(?m)^{re.escape(kind)}-{re.escape(name)}\s*[:+]?=\s*(.*)$", text)
    return [word for value in values for word in value.split() if "$" not in word and word != "\\"]


class Glibc(suite.Suite):
    name = "glibc"
    package = "glibc"
    directories = ("nptl", "sysdeps/pthread")

    def prepare(self):
        self.makefiles = "\n".join((self.place / d / "Makefile").read_text() for d in self.directories)
        headers = self.work / "headers"
        headers.mkdir(parents=True, exist_ok=True)
        for header in HEADERS:
            (headers / pathlib.Path(header).name).write_bytes((self.place / header).read_bytes())
        for header, text in WRITTEN.items():
            (headers / header).write_text(text)
        self.includes = ["-I", self.place, "-I", headers, *(w for d in (*self.directories, "support") for w in ("-iquote", self.place / d)), "-idirafter", self.place / "support"]
        self.support = self.work / "libsupport.a"
        if self.support.is_file():
            return
        objects = self.work / "support"
        objects.mkdir(exist_ok=True)

        def build_one(source):
            done = suite.run(["gcc", *FLAGS, *PATHS, *self.includes, "-c", source, "-o", objects / (source.stem + ".o")], self.work, 120)
            return objects / (source.stem + ".o") if done.code == 0 else None

        sources = [s for s in sorted((self.place / "support").glob("*.c")) if not s.name.startswith("tst-")]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            made = [o for o in pool.map(build_one, sources) if o]
        suite.run(["ar", "crs", self.support, *made], self.work, 60)

    def find(self):
        return sorted({s.stem: s for d in self.directories for s in (self.place / d).glob("tst-*.c*") if not re.search(r"mod\w*$|aux$|helper$", s.stem)})

    def source(self, test):
        for d in self.directories:
            for end in (".c", ".cc"):
                if (self.place / d / (test + end)).is_file():
                    return self.place / d / (test + end)
        raise KeyError(test)

    def build(self, test, directory):
        source = self.source(test)
        text = source.read_text(errors="replace")
        if "static" in test.split("-"):
            raise suite.LeftOut("static: the runtime cannot be preloaded into a static program")
        if "time64" in test:
            raise suite.LeftOut("for 32-bit systems with 64-bit time")
        if re.search(r"(?m)^tests-internal\b.*(\n.*\\)*.*\b%s\b" % re.escape(test), self.makefiles) or re.search(r"#\s*include <(internaltypes|pthreadP|lowlevellock|nptl/|libc-internal|tls\.h|ldsodefs|atomic\.h|futex-internal|shlib-compat|kernel-features)", text):
            raise suite.LeftOut("uses what only glibc's own build has")
        if "gdb" in test:
            raise suite.LeftOut("runs gdb on itself")
        compiler = ["g++", "-std=gnu++11", *(f for f in FLAGS if not f.startswith("-std"))] if source.suffix == ".cc" else ["gcc", *FLAGS]
        flags = [f for f in makefile_values(self.makefiles, "CFLAGS", source.name) if not f.startswith("-W")]
        if re.search(r"x\d+$", test) and re.match(r"tst-(cancel|cleanup|once)x", test):
            flags.append("-fexceptions")
        module_sources = sorted(m for d in self.directories for m in (self.place / d).glob("*.c") if re.match(re.escape(test.replace("tst-pt-", "tst-")) + r"-?mod\w*$", m.stem))
        linked = []
        for module in module_sources:
            objects = [directory / m for m in linked]
            suite.compile_or_leave_out(["gcc", *FLAGS, *self.includes, "-shared", "-fPIC", module, *objects, "-Wl,-soname," + module.stem + ".so", "-Wl,-rpath,$ORIGIN", "-o", directory / (module.stem + ".so")], directory)
            if re.search(rf"(?m)^\$\(objpfx\)[\w.-]+: .*{module.stem}\.so", self.makefiles):
                linked.append(module.stem + ".so")
        extra = [s for d in self.directories for s in [self.place / d / (test + "aux.c")] if s.is_file()]
        link = [f for f in makefile_values(self.makefiles, "LDFLAGS", test) + makefile_values(self.makefiles, "LDLIBS", test)]
        dlopened = [m for m in linked if f'"{m}"' in text or f"$ORIGIN/{m}" in text]
        for name in ("Makefile", "tst-cancel4.c"):  # tests open such files of their source directory
            (directory / name).touch()
        program = directory / test
        suite.compile_or_leave_out([*compiler, *flags, f'-DOBJPFX="{directory}/"', *self.includes, source, *extra, *(directory / m for m in linked if m not in dlopened), self.support, "-o", program, *link, "-Wl,-rpath,$ORIGIN", "-lpthread", "-lrt", "-ldl", "-lm"], directory)
        return [program]

    def arguments(self, test, directory):
        for value in re.findall(rf"(?m)^{re.escape(test)}-ARGS\s*=\s*(.*)$", self.makefiles):
            value = value.replace("$(host-test-program-cmd)", str(directory / test)).replace("$(objpfx)", f"{directory}/")
            value = value.replace("$(tst-cancel7-ARGS)", f'--command "exec {directory / test}"')
            return shlex.split(value)
        return []

    def environment(self, test, directory):
        return {"TMPDIR": str(directory)}

    def native(self, test, command, directory):
        arguments = self.arguments(test, directory)
        command += arguments
        super().native(test, command, directory)
        # The driver of glibc's tests forks and looks at how the child ends; heddle follows the test itself, so the driver stays out.
        command.append("--direct") if not arguments else command.insert(1, "--direct")
        if test == "tst-umask1":
            (directory / "tst-umask1.temp").unlink(missing_ok=True)
        done = suite.run(command, directory, self.seconds, self.environment(test, directory))
        if done.timed_out:
            raise suite.LeftOut("natively: ends only by the time limit of its driver")
        return done.code
