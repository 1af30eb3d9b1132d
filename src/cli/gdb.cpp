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
#include "exec/debugger.h"
#include "report/names.h"
#include "store/atomic_file.h"
#include "store/checkpoint_file.h"
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
  HEDDLE_FIELD(live);
  HEDDLE_FIELD(live_count);
  HEDDLE_FIELD(records);
  HEDDLE_FIELD(current);
  HEDDLE_FIELD(step);
  HEDDLE_FIELD(record_context);
  HEDDLE_FIELD(held);
#undef HEDDLE_FIELD
  return fields;
}

}  // namespace

std::string gdb_script(const Trace& saved, uint64_t step, const std::string& processes) {
  nlohmann::json threads = nlohmann::json::array(), ops = nlohmann::json::array(), switches = nlohmann::json::array();
  for (const Thread& thread : saved.threads()) threads.push_back(thread_name(thread));
  for (const OpRow& op : kOps) ops.push_back(op.words);
  for (const TraceSlice& slice : saved.slices()) switches.push_back(saved.data().first + slice.end);
  const std::map<std::string, nlohmann::json> values = {{"THREADS", threads},
                                                        {"OPS", ops},
                                                        {"SWITCHES", switches},
                                                        {"STEP", step},
                                                        {"EVENTS", saved.data().first + saved.events().size()},
                                                        {"FIRST", saved.data().first},
                                                        {"PROCESSES", processes},
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

namespace {

// A file under /tmp that goes with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& end) : name_("/tmp/heddle-gdb-XXXXXX" + end) {
    const int file = ::mkstemps(name_.data(), static_cast<int>(end.size()));
    if (file < 0) throw Error("cannot write a script for gdb under /tmp");
    ::close(file);
  }
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// gdb with the script, what it does first, and what the user wants of it.
std::vector<std::string> gdb_words(const std::string& script, const char* first, const GdbOptions& options) {
  std::vector<std::string> words = {find_gdb(), "-q", "-x", script};
  if (!options.commands.empty()) words.insert(words.begin() + 2, {"-batch", "-nx"});
  words.insert(words.end(), {"-ex", first});
  for (size_t at = 0; at < options.commands.size();) {
    const size_t end = std::min(options.commands.size(), options.commands.find(';', at));
    words.insert(words.end(), {"-ex", options.commands.substr(at, end - at)});
    at = end + 1;
  }
  words.insert(words.end(), options.words.begin(), options.words.end());
  return words;
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128; }

}  // namespace

int replay_in_gdb(const Target& target, const Plan& plan, const Trace& saved, const GdbOptions& options) {
  const TemporaryFile script(".py");
  replace_file(script.name(), gdb_script(saved, options.step));
  return code_of(run_in_gdb(target, runtime_library(), plan, gdb_words(script.name(), "run", options), options.files));
}

int replay_in_gdb_from(const Campaign& campaign, const SavedCheckpoint& checkpoint, const Plan& plan, const Trace& saved,
                       const GdbOptions& options) {
  check_checkpoint(checkpoint);
  const TemporaryFile script(".py"), processes(".processes");
  replace_file(script.name(), gdb_script(saved, options.step, processes.name()));
  const std::vector<std::string> words = gdb_words(script.name(), "heddle-restart", options);
  std::unique_ptr<HeldProcess> process;
  unsigned started = 0;
  const auto start = [&] {
    CheckpointReader reader(checkpoint.path);
    process.reset();
    process = std::make_unique<HeldProcess>(campaign.target(), runtime_library(), plan, reader, options.files);
    replace_file(processes.name(), fmt::format("{} {}\n", ++started, process->pid()));
  };
  start();
  return code_of(run_beside(campaign.target(), words, [&] {
    if (process->ended()) start();
  }));
}

}  // namespace heddle::cli
