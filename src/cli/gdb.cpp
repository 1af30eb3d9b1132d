#include "cli/gdb.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/gdb_script.h"
#include "report/names.h"
#include "store/atomic_file.h"
#include "trace/error.h"
#include "wire/channel.h"
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
  HEDDLE_FIELD(record_context);
  HEDDLE_FIELD(record_fs_base);
  HEDDLE_FIELD(live);
  HEDDLE_FIELD(live_count);
  HEDDLE_FIELD(records);
  HEDDLE_FIELD(current);
  HEDDLE_FIELD(step);
#undef HEDDLE_FIELD
  return fields;
}

}  // namespace

std::string gdb_script(const Trace& saved, const GdbOptions& options) {
  const uint64_t first = saved.data().first;
  nlohmann::json threads = nlohmann::json::array(), ops = nlohmann::json::array(), switches = nlohmann::json::array();
  for (const Thread& thread : saved.threads()) threads.push_back(thread_name(thread));
  for (const OpRow& op : kOps) ops.push_back(op.words);
  for (const TraceSlice& slice : saved.slices()) switches.push_back(first + slice.end);
  const std::map<std::string, nlohmann::json> values = {{"THREADS", threads},
                                                        {"OPS", ops},
                                                        {"SWITCHES", switches},
                                                        {"STEP", options.step},
                                                        {"EVENTS", first + saved.events().size()},
                                                        {"CHECKPOINTS", options.checkpoints},
                                                        {"CONTROL_BYTES", kControlSize},
                                                        {"WANTED", offsetof(Control, restore) + offsetof(RestoreWords, first_event)},
                                                        {"MAP", kDebugMapSymbol},
                                                        {"SWITCH", kDebugSwitchSymbol},
                                                        {"CHANNEL", kChannelVariable},
                                                        {"RUNTIME", kRuntimeFile},
                                                        {"FIELDS", debug_map_fields()}};
  std::string script;
  for (const auto& [name, value] : values) script += fmt::format("{} = {}\n", name, value.dump());
  script += kGdbScript;
  return script;
}

int replay_in_gdb(const Target& target, const exec::DebuggedRun& run, const Trace& saved, const GdbOptions& options) {
  char name[] = "/tmp/heddle-gdb-XXXXXX.py";
  const int file = ::mkstemps(name, 3);
  if (file < 0) throw Error("cannot write a script for gdb under /tmp");
  ::close(file);
  replace_file(name, gdb_script(saved, options));
  std::vector<std::string> words = {find_gdb(), "-q", "-x", name};
  if (!options.commands.empty()) words.insert(words.begin() + 2, {"-batch", "-nx"});
  words.insert(words.end(), {"-ex", "heddle-begin"});
  for (size_t at = 0; at < options.commands.size();) {
    const size_t end = std::min(options.commands.size(), options.commands.find(';', at));
    words.insert(words.end(), {"-ex", options.commands.substr(at, end - at)});
    at = end + 1;
  }
  words.insert(words.end(), options.words.begin(), options.words.end());
  const int status = run_in_gdb(target, runtime_library(), run, words);
  ::unlink(name);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace heddle::cli
