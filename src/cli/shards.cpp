#include "cli/shards.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "store/atomic_file.h"
#include "store/bugs.h"
#include "trace/error.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kShardFile = "shard.json";
constexpr const char* kSuiteFile = "suite/results.json";

std::string id_in(const std::string& shown) { return shown.substr(shown.rfind('/') + 1); }

// Beside the bug's own files nothing is taken along, and a link is no file.
void copy_bug(const fs::path& from, const fs::path& to) {
  make_directory(to.parent_path().string());
  const fs::path draft = to.string() + ".new";
  std::error_code failure;
  fs::remove_all(draft, failure);
  fs::copy(from, draft, fs::copy_options::recursive | fs::copy_options::skip_symlinks, failure);
  if (!failure) fs::rename(draft, to, failure);
  if (!failure) return;
  const std::string why = failure.message();
  fs::remove_all(draft, failure);
  throw Error(fmt::format("{} cannot be copied to {}: {}", from.string(), to.string(), why));
}

// The bug's name here: its own, or a longer one where another bug has it.
std::string take_bug(const fs::path& place, const std::string& id) {
  const BugStore here, there(place.string());
  const Bug bug = there.load(id);
  std::string name = id;
  while (true) {
    std::error_code failure;
    const fs::path to = here.directory_of(name);
    if (!fs::exists(to / "bug.json", failure)) {
      copy_bug(there.directory_of(id), to);
      return name;
    }
    const Bug present = here.load(name);
    if (present.signature == bug.signature && present.command == bug.command) return name;
    name += "0";
  }
}

}  // namespace

void save_shard(const suite::SuiteResult& result) {
  make_directory(in_store(""));
  replace_file(in_store(kShardFile), json_of(result).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

bool has_shard(const std::string& place) {
  std::error_code failure;
  const fs::path store = fs::path(place) / ".heddle";
  return fs::exists(store / kShardFile, failure) || fs::exists(store / kSuiteFile, failure);
}

ShardResult load_shard(const std::string& place) {
  const fs::path store = fs::path(place) / ".heddle";
  std::error_code failure;
  for (const char* file : {kShardFile, kSuiteFile}) {
    if (fs::exists(store / file, failure)) return {place, suite::read_result((store / file).string())};
  }
  throw Error(fmt::format("{} holds no result of a shard", place), ExitCode::kUsage);
}

void take_bugs(ShardResult& shard) {
  const auto taken = [&](std::string& shown) {
    try {
      shown = BugStore::shown(take_bug(shard.place, id_in(shown)));
    } catch (const Error& error) {
      print_err("heddle: a bug of {} stays there: {}\n", shard.place, error.what());
    }
  };
  for (TestResult& test : shard.result.tests) {
    if (!test.bug.empty()) taken(test.bug);
    for (std::string& bug : test.bugs) taken(bug);
  }
}

}  // namespace heddle::cli
