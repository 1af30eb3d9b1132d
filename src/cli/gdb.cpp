#include "cli/gdb.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "exec/debugger.h"
#include "report/names.h"
#include "store/atomic_file.h"
#include "trace/error.h"
#include "wire/debug_map.h"

namespace heddle::cli {

namespace {

std::string find_gdb() {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.size(), rest.find(':'));
    const std::string candidate = rest.substr(0, end) + "/gdb";
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.erase(0, end + 1);
  }
  throw Error("gdb is not installed: replay without --gdb, or install it");
}

// Reads what wire/debug_map.h says, and nothing else of the runtime.
constexpr const char* kScript = R"script(
import gdb

PREFIX = "heddle: "


def word(address, size):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, size)), "little")


def address_of(symbol):
    with gdb.with_parameter("language", "c"):  # whatever the selected frame is written in
        return int(gdb.parse_and_eval("(unsigned long)&" + symbol))


def known(field):
    offset, size = FIELDS[field]
    return word(address_of(MAP) + offset, size)


def thread_name(index):
    return THREADS[index] if index < len(THREADS) else "thread %d" % index


def index_of(record):
    return word(record + known("record_index"), 4)


def current():
    return word(known("current"), 8)


def step():
    return word(known("step"), 8)


def own_frame(frame):
    """The innermost frame of the program's own source."""
    while frame is not None:
        sal = frame.find_sal()
        if gdb.solib_name(frame.pc()) is None and sal.symtab is not None and not sal.symtab.fullname().startswith("/usr/"):
            return frame
        frame = frame.older()
    return None


def where(record):
    """Source position of a thread, by its kernel thread."""
    tid = word(record + known("record_tid"), 4)
    before = gdb.selected_thread()
    text = ""
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] != tid:
            continue
        thread.switch()
        try:
            frame = own_frame(gdb.newest_frame())
            if frame is not None:
                sal = frame.find_sal()
                text = "%s:%d" % (sal.symtab.filename.rsplit("/", 1)[-1], sal.line)
        except gdb.error:
            pass
    if before is not None:
        before.switch()
    return text


def symbol(address):
    if address == 0:
        return ""
    words = gdb.execute("info symbol %d" % address, to_string=True).strip()
    return "" if words.startswith(("No symbol", "heddle::")) else words.split(" in section")[0]


def describe(record):
    op = word(record + known("record_op"), 2)
    text = OPS[op] if op < len(OPS) else "?"
    name = symbol(word(record + known("record_address"), 8))
    place = where(record)
    return text + (" " + name if name else "") + ("  " + place if place else "")


def live_records():
    for i in range(word(known("live_count"), 4)):
        entry = known("live") + i * known("live_stride")
        yield known("records") + word(entry + known("live_record"), 4) * known("record_stride")


def show_threads():
    print(PREFIX + "after %d of %d operations" % (step(), EVENTS))
    for record in live_records():
        print("%s %-6s before: %s" % ("*" if record == current() else " ", thread_name(index_of(record)), describe(record)))


class Switch(gdb.Breakpoint):
    """Stops where the scheduler hands over, from the given operation on."""

    def __init__(self):
        super().__init__("*%d" % address_of(SWITCH), internal=True)
        self.silent = True

    def stop(self):
        return step() >= first


first = STEP
switch = None


def stopped(event):
    if not isinstance(event, gdb.BreakpointEvent) or switch not in event.breakpoints:
        return
    following = int(gdb.newest_frame().read_register("rdi"))  # the only argument
    print(PREFIX + "%s is about to be stopped after operation %d; %s goes on" % (
        thread_name(index_of(current())), step(), thread_name(index_of(following))))
    frame = own_frame(gdb.newest_frame())
    if frame is not None:
        frame.select()
        gdb.execute("frame")


class ProgramFirst:
    """Back-traces begin with the program's own frame: above it stand those of the runtime that stopped it."""

    def __init__(self):
        self.name = "heddle"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        frames = list(frames)
        for i, frame in enumerate(frames):
            if not (gdb.solib_name(frame.inferior_frame().pc()) or "").endswith("/" + RUNTIME):
                return iter(frames[i:])
        return iter(frames)


class NextSwitch(gdb.Command):
    """Go on to the next switch between threads."""

    def __init__(self):
        super().__init__("heddle-next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        global first
        first = step() + 1
        gdb.execute("continue")


class InfoHeddle(gdb.Command):
    """What each thread is about to do."""

    def __init__(self):
        super().__init__("info heddle", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        show_threads()


def loaded(event):
    global switch
    if switch is not None:
        return
    try:
        switch = Switch()
    except gdb.error:
        pass  # the runtime comes with a later file


gdb.events.new_objfile.connect(loaded)
gdb.events.stop.connect(stopped)
NextSwitch()
InfoHeddle()
ProgramFirst()
for signal in ("SIGUSR1", "SIGUSR2"):
    gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
print(PREFIX + "the schedule runs up to the deciding switch; then: heddle-next-switch, info heddle")
)script";

// Of the fields that the script asks for: where each lies, and its size.
nlohmann::json debug_map_fields() {
  nlohmann::json fields;
#define HEDDLE_FIELD(name) fields[#name] = {offsetof(DebugMap, name), sizeof(DebugMap::name)}
  HEDDLE_FIELD(live_stride);
  HEDDLE_FIELD(live_record);
  HEDDLE_FIELD(record_stride);
  HEDDLE_FIELD(record_index);
  HEDDLE_FIELD(record_tid);
  HEDDLE_FIELD(record_op);
  HEDDLE_FIELD(record_address);
  HEDDLE_FIELD(live);
  HEDDLE_FIELD(live_count);
  HEDDLE_FIELD(records);
  HEDDLE_FIELD(current);
  HEDDLE_FIELD(step);
#undef HEDDLE_FIELD
  return fields;
}

}  // namespace

std::string gdb_script(const Trace& saved, uint64_t step) {
  nlohmann::json threads = nlohmann::json::array(), ops = nlohmann::json::array();
  for (const Thread& thread : saved.threads()) threads.push_back(thread_name(thread));
  for (const OpRow& op : kOps) ops.push_back(op.words);
  return fmt::format("THREADS = {}\nOPS = {}\nSTEP = {}\nEVENTS = {}\nMAP = \"{}\"\nRUNTIME = \"{}\"\nSWITCH = \"{}\"\nFIELDS = {}\n{}",
                     threads.dump(), ops.dump(), step, saved.events().size(), kDebugMapSymbol, kRuntimeFile, kDebugSwitchSymbol,
                     debug_map_fields().dump(), kScript);
}

int replay_in_gdb(const Target& target, const Plan& plan, const Trace& saved, const GdbOptions& options) {
  char name[] = "/tmp/heddle-gdb-XXXXXX.py";
  const int file = ::mkstemps(name, 3);
  if (file < 0) throw Error("cannot write a script for gdb under /tmp");
  ::close(file);
  replace_file(name, gdb_script(saved, options.step));
  std::vector<std::string> words = {find_gdb(), "-q", "-x", name};
  if (!options.commands.empty()) words.insert(words.begin() + 2, {"-batch", "-nx"});
  words.insert(words.end(), {"-ex", "run"});
  for (size_t at = 0; at < options.commands.size();) {
    const size_t end = std::min(options.commands.size(), options.commands.find(';', at));
    words.insert(words.end(), {"-ex", options.commands.substr(at, end - at)});
    at = end + 1;
  }
  words.insert(words.end(), options.words.begin(), options.words.end());
  const int status = run_in_gdb(target, runtime_library(), plan, words, options.files);
  ::unlink(name);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace heddle::cli
