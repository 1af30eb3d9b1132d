#pragma once
// Saved bugs: .heddle/bugs/<id>/ with bug.json, the traces and the output, and .heddle/latest, which names the newest.
#include <optional>
#include <string>
#include <vector>

#include "store/root.h"
#include "store/seal.h"
#include "trace/trace.h"

namespace heddle::store {

// What bug.json holds.
struct Bug {
  std::string id;                    // short hash of program, signature and test
  std::vector<std::string> command;  // as given after --
  std::string program;               // absolute path
  std::string build_id;
  std::string directory;
  std::string test;                      // the test of a suite that it is a bug of; empty: of the whole program
  std::vector<std::string> environment;  // "NAME=value", which the suite sets for the test; or all that the program had
  bool whole_environment = false;        // a recording has all: a variable more can be an allocation more
  std::string kind, message, signature;
  std::string carrier = "fiber";
  std::string strategy;
  uint64_t seed = 1;
  uint64_t env_seed = 0;
  int expect_exit = 0;
  std::optional<std::string> expect_stdout;  // the bytes expected
  std::optional<std::string> fails_if_output;
  std::optional<std::string> fails_if;
  std::optional<std::string> ctest_rule;  // how CTest judges the test (trace/ctest_rule.h)
  size_t find_executions = 0;
  double find_seconds = 0;
  size_t simplify_executions = 0;
  double simplify_seconds = 0;
  std::string minimal;  // "proved", "local", or empty before it was simplified
  std::string certificate;
  Counts found, simplified, reduced;
  bool was_reduced = false;
  std::string decides;   // the one switch that decides between pass and fail, in a sentence; empty if it was not isolated
  std::string saved_at;  // UTC, for people
};

// The traces and texts that a bug may have beside bug.json.
inline constexpr const char* kFailingTrace = "failing.trace";
inline constexpr const char* kSimplifiedTrace = "simplified.trace";
inline constexpr const char* kPassingTrace = "passing.trace";
inline constexpr const char* kReducedTrace = "reduced.trace";
inline constexpr const char* kStdout = "stdout";
inline constexpr const char* kStderr = "stderr";
inline constexpr const char* kStdin = "stdin";
inline constexpr const char* kInputs = "inputs";  // directory
// What `replay --live-input` recorded last: the same schedule with the input of that day.
inline constexpr const char* kLiveTrace = "live.trace";
inline constexpr const char* kLiveStdin = "live.stdin";
inline constexpr const char* kLiveInputs = "live.inputs";

class BugStore {
 public:
  // Everything lies under `root`/.heddle.
  explicit BugStore(std::string root = store_root());

  // The same bug of the same program keeps its id; a bug that somebody else wrote keeps its own, and its files.
  std::string id_for(const Bug& bug) const;
  void save(const Bug& bug) const;  // bug.json, then `latest`
  // With the contents of the files that the run read. Returns what of them was not kept, a sentence each.
  std::vector<std::string> save_trace(const std::string& id, const char* name, const Trace& trace, const char* inputs = kInputs) const;
  void save_text(const std::string& id, const char* name, const std::string& bytes) const;
  void remove(const std::string& id, const char* name) const;

  // `name` is an id, the beginning of one, a bug's directory, or empty for the latest. Throws Error with one sentence.
  Bug load(const std::string& name) const;
  Trace load_trace(const Bug& bug, const char* name) const;
  bool has(const Bug& bug, const char* name) const;
  // Files that the bug's runs read and that are no longer as they were.
  std::vector<RecordedFile> changed_files(const Bug& bug, const char* inputs = kInputs) const;
  void forget_files(const std::string& id, const char* inputs = kInputs) const;
  // Did this user's heddle write it, and is it as it was written? Only then may what it names be run.
  Seal::Verdict check(const Bug& bug) const;
  void trust(const Bug& bug) const;
  std::string text(const Bug& bug, const char* name) const;  // empty if it was not saved

  struct Listed {
    std::string id;
    std::optional<Bug> bug;  // nothing if bug.json cannot be read
    std::string complaint;
  };
  std::vector<Listed> list() const;  // newest first
  std::string directory_of(const std::string& id) const;
  // As shown to the user, relative to the root: ".heddle/bugs/7c1e".
  static std::string shown(const std::string& id) { return in_store("bugs/" + id); }

 private:
  Bug load_from(const std::string& directory) const;

  std::string root_;
};

}  // namespace heddle::store
