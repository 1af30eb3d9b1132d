#include "cli/gdb.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "exec/debugger.h"
#include "report/names.h"
#include "trace/atomic_file.h"
#include "trace/error.h"

namespace heddle {

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

// Reads the runtime's own tables by name: its debug information is part of it.
constexpr const char* kScript = R"script(
import gdb

RT = "heddle::rt::"
PREFIX = "heddle: "


def value(expression):
    with gdb.with_parameter("language", "c++"):  # whatever the selected frame is written in
        return gdb.parse_and_eval(RT + expression)


def thread_name(index):
    return THREADS[index] if index < len(THREADS) else "thread %d" % index


def step():
    return int(value("g_run.step"))


def own_frame(frame):
    """The innermost frame of the program's own source."""
    while frame is not None:
        sal = frame.find_sal()
        if gdb.solib_name(frame.pc()) is None and sal.symtab is not None and not sal.symtab.fullname().startswith("/usr/"):
            return frame
        frame = frame.older()
    return None


def where(slot):
    """Source position of a thread, by its kernel thread."""
    tid = int(slot["tid"])
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


def describe(slot):
    pending = slot["pending"]
    op = int(pending["op"])
    text = OPS[op] if op < len(OPS) else "?"
    name = symbol(int(pending["address"])) if int(pending["address"]) else ""
    place = where(slot)
    return text + (" " + name if name else "") + ("  " + place if place else "")


def show_threads():
    current = int(value("g_current").dereference()["index"])
    print(PREFIX + "after %d of %d operations" % (step(), EVENTS))
    for i in range(int(value("g_live_count"))):
        slot = value("g_threads")[int(value("g_live")[i]["slot"])]
        index = int(slot["index"])
        print("%s %-6s before: %s" % ("*" if index == current else " ", thread_name(index), describe(slot)))


class Switch(gdb.Breakpoint):
    """Stops where the scheduler hands over, from the given operation on."""

    def __init__(self, first):
        super().__init__(RT + "switch_to", internal=True)
        self.first = first
        self.silent = True

    def stop(self):
        return step() >= self.first


switch = None


def stopped(event):
    if not isinstance(event, gdb.BreakpointEvent) or switch not in event.breakpoints:
        return
    try:
        following = gdb.newest_frame().read_var("next")
    except (ValueError, gdb.error):
        following = None
    current = value("g_current").dereference()
    print(PREFIX + "%s is about to be stopped after operation %d%s" % (
        thread_name(int(current["index"])), step(),
        "" if following is None or int(following) == 0 else "; %s goes on" % thread_name(int(following.dereference()["index"]))))
    frame = own_frame(gdb.newest_frame())
    if frame is not None:
        frame.select()
        gdb.execute("frame")


class NextSwitch(gdb.Command):
    """Go on to the next switch between threads."""

    def __init__(self):
        super().__init__("heddle-next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        switch.first = step() + 1
        gdb.execute("continue")


class InfoHeddle(gdb.Command):
    """What each thread is about to do."""

    def __init__(self):
        super().__init__("info heddle", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        show_threads()


switch = Switch(STEP)
gdb.events.stop.connect(stopped)
NextSwitch()
InfoHeddle()
for signal in ("SIGUSR1", "SIGUSR2"):
    gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
print(PREFIX + "the schedule runs up to the deciding switch; then: heddle-next-switch, info heddle")
)script";

}  // namespace

std::string gdb_script(const Trace& saved, uint64_t step) {
  nlohmann::json threads = nlohmann::json::array(), ops = nlohmann::json::array();
  for (const Thread& thread : saved.threads()) threads.push_back(thread_name(thread));
  for (const OpRow& op : kOps) ops.push_back(op.words);
  return fmt::format("THREADS = {}\nOPS = {}\nSTEP = {}\nEVENTS = {}\n{}", threads.dump(), ops.dump(), step, saved.events().size(),
                     kScript);
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
  const int status = run_in_gdb(target, runtime_library(), plan, words, options.files);
  ::unlink(name);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace heddle
