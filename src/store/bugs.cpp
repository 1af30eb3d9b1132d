#include "store/bugs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "store/atomic_file.h"
#include "store/input_store.h"
#include "store/saved_json.h"
#include "store/store.h"
#include "store/user_key.h"
#include "trace/error.h"
#include "trace/hash.h"

namespace heddle::store {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kBugVersion = 1;

json json_of(const Counts& c) {
  return {{"events", c.events},
          {"threads", c.threads},
          {"switches", c.switches},
          {"preemptions", c.preemptions},
          {"preemptions_paper", c.preemptions_paper}};
}

Counts counts_of(const json& j) {
  return {j.at("events"), j.at("threads"), j.at("switches"), j.at("preemptions"), j.at("preemptions_paper")};
}

json optional_text(const std::optional<std::string>& text) { return text ? json(*text) : json(nullptr); }

std::optional<std::string> optional_text(const json& j) {
  return j.is_null() ? std::nullopt : std::optional<std::string>(j.get<std::string>());
}

json json_of(const Bug& b) {
  return {
      {"version", kBugVersion},
      {"id", b.id},
      {"command", b.command},
      {"program", b.program},
      {"build_id", b.build_id},
      {"directory", b.directory},
      {"test", b.test},
      {"environment", b.environment},
      {"whole_environment", b.whole_environment},
      {"failure", {{"kind", b.kind}, {"message", b.message}, {"signature", b.signature}}},
      {"carrier", b.carrier},
      {"strategy", b.strategy},
      {"seed", b.seed},
      {"env_seed", b.env_seed},
      {"predicates",
       {{"expect_exit", b.expect_exit},
        {"expect_stdout", optional_text(b.expect_stdout)},
        {"fails_if_output", optional_text(b.fails_if_output)},
        {"fails_if", optional_text(b.fails_if)},
        {"ctest", optional_text(b.ctest_rule)}}},
      {"find", {{"executions", b.find_executions}, {"seconds", b.find_seconds}}},
      {"simplify",
       {{"executions", b.simplify_executions}, {"seconds", b.simplify_seconds}, {"minimal", b.minimal}, {"certificate", b.certificate}}},
      {"found", json_of(b.found)},
      {"simplified", json_of(b.simplified)},
      {"reduced", b.was_reduced ? json_of(b.reduced) : json(nullptr)},
      {"decides", b.decides},
      {"saved_at", b.saved_at}};
}

Bug bug_of(const json& j) {
  Bug b;
  b.id = j.at("id");
  b.command = j.at("command").get<std::vector<std::string>>();
  b.program = j.at("program");
  b.build_id = j.at("build_id");
  b.directory = j.at("directory");
  b.test = j.value("test", "");
  b.environment = j.value("environment", std::vector<std::string>());
  b.whole_environment = j.value("whole_environment", false);
  b.kind = j.at("failure").at("kind");
  b.message = j.at("failure").at("message");
  b.signature = j.at("failure").at("signature");
  b.carrier = j.at("carrier");
  b.strategy = j.at("strategy");
  b.seed = j.at("seed");
  b.env_seed = j.at("env_seed");
  const json& p = j.at("predicates");
  b.expect_exit = p.at("expect_exit");
  b.expect_stdout = optional_text(p.at("expect_stdout"));
  b.fails_if_output = optional_text(p.at("fails_if_output"));
  b.fails_if = optional_text(p.at("fails_if"));
  b.ctest_rule = p.contains("ctest") ? optional_text(p.at("ctest")) : std::nullopt;
  b.find_executions = j.at("find").at("executions");
  b.find_seconds = j.at("find").at("seconds");
  b.simplify_executions = j.at("simplify").at("executions");
  b.simplify_seconds = j.at("simplify").at("seconds");
  b.minimal = j.at("simplify").at("minimal");
  b.certificate = j.at("simplify").at("certificate");
  b.found = counts_of(j.at("found"));
  b.simplified = counts_of(j.at("simplified"));
  b.was_reduced = !j.at("reduced").is_null();
  if (b.was_reduced) b.reduced = counts_of(j.at("reduced"));
  b.decides = j.at("decides");
  b.saved_at = j.at("saved_at");
  return b;
}

// Names of bugs go into paths, into commands that are shown, and into emitted tests.
bool is_plain_name(const std::string& name) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !name.empty() && name.front() != '.' && name.front() != '-' && name.find_first_not_of(kPlain) == std::string::npos;
}

}  // namespace

BugStore::BugStore(std::string root) : root_(std::move(root)) {}

std::string BugStore::directory_of(const std::string& id) const { return (fs::path(root_) / ".heddle" / "bugs" / id).string(); }

// Four digits are easy to say; another bug that happens to share them gets more.
std::string BugStore::id_for(const Bug& bug) const {
  // Tests of one binary fail alike, and are different bugs.
  const std::string test = bug.test.empty() ? "" : '\n' + bug.test;
  const std::string key = fs::path(bug.program).filename().string() + '\n' + bug.signature + test;
  const std::string digits = fmt::format("{:016x}", hash_bytes(key.data(), key.size()));
  for (size_t length = 4; length < digits.size(); length += 2) {
    const std::string id = digits.substr(0, length);
    std::error_code failure;
    if (!fs::exists(fs::path(directory_of(id)) / "bug.json", failure)) return id;
    try {
      const Bug there = load_from(directory_of(id));
      const bool foreign = user_key().has_value() && !check(there).own;
      const bool same = there.signature == bug.signature && there.test == bug.test;
      if (!foreign && same && fs::path(there.program).filename() == fs::path(bug.program).filename()) return id;
    } catch (const Error&) {
      return id;  // unreadable: this bug takes its place
    }
  }
  return digits;
}

void BugStore::save(const Bug& bug) const {
  save_text(bug.id, "bug.json", saved_json(json_of(bug)).dump(2) + "\n");
  replace_file((fs::path(root_) / ".heddle" / "latest").string(), bug.id + "\n");
}

std::vector<std::string> BugStore::save_trace(const std::string& id, const char* name, const Trace& trace, const char* inputs) const {
  make_directory(directory_of(id));
  const Seal seal(directory_of(id));
  std::vector<std::string> notes =
      keep_files(fmt::format("{}/{}", directory_of(id), inputs), trace.inputs(),
                 [&](const std::string& file, std::string_view bytes) { seal.writes(fmt::format("{}/{}", inputs, file), bytes); });
  save_text(id, name, encode_trace(trace));
  return notes;
}

std::vector<RecordedFile> BugStore::changed_files(const Bug& bug, const char* inputs) const {
  return heddle::store::changed_files(fmt::format("{}/{}", directory_of(bug.id), inputs));
}

void BugStore::forget_files(const std::string& id, const char* inputs) const {
  std::error_code ignored;
  const fs::path place = fs::path(directory_of(id)) / inputs;
  for (fs::directory_iterator at(place, ignored), end; !ignored && at != end; at.increment(ignored))
    Seal(directory_of(id)).removes(fmt::format("{}/{}", inputs, at->path().filename().string()));
  fs::remove_all(place, ignored);
}

Seal::Verdict BugStore::check(const Bug& bug) const { return Seal(directory_of(bug.id)).check(); }
void BugStore::trust(const Bug& bug) const { Seal(directory_of(bug.id)).trust(); }

void BugStore::save_text(const std::string& id, const char* name, const std::string& bytes) const {
  make_directory(directory_of(id));
  Seal(directory_of(id)).writes(name, bytes);
  replace_file(directory_of(id) + "/" + name, bytes);
}

void BugStore::remove(const std::string& id, const char* name) const {
  std::error_code ignored;
  const fs::path place = fs::path(directory_of(id)) / name;
  if (!fs::exists(place, ignored)) return;
  Seal(directory_of(id)).removes(name);
  fs::remove(place, ignored);
}

Bug BugStore::load_from(const std::string& directory) const {
  const std::string path = directory + "/bug.json";
  if (!is_plain_name(fs::path(directory).filename().string())) throw Error(fmt::format("{} is no name of a bug", directory));
  const std::string bytes = read_file(path);
  try {
    const json j = parse_saved_json<json>(bytes);
    if (j.at("version").get<int>() > kBugVersion) throw Error(fmt::format("{} was written by a later version of heddle", path));
    Bug bug = bug_of(j);
    bug.id = fs::path(directory).filename().string();
    return bug;
  } catch (const json::exception&) {
    throw Error(fmt::format("{} is damaged", path));
  }
}

Bug BugStore::load(const std::string& name) const {
  std::error_code failure;
  const fs::path bugs = fs::path(root_) / ".heddle" / "bugs";
  if (name.empty()) {
    const std::string pointer = (fs::path(root_) / ".heddle" / "latest").string();
    if (!fs::exists(pointer, failure)) throw Error("no bug is saved here: heddle debug -- PROGRAM finds and saves one");
    std::string id = read_file(pointer);
    while (!id.empty() && (id.back() == '\n' || id.back() == ' ')) id.pop_back();
    if (!is_plain_name(id)) throw Error(fmt::format("{} is damaged", pointer));
    return load_from((bugs / id).string());
  }
  if (is_plain_name(name)) {
    if (fs::is_directory(bugs / name, failure)) return load_from((bugs / name).string());
    std::vector<std::string> matching;
    for (const Listed& listed : list()) {
      if (listed.id.starts_with(name)) matching.push_back(listed.id);
    }
    if (matching.size() == 1) return load_from((bugs / matching.front()).string());
    if (matching.size() > 1)
      throw Error(fmt::format("{} bugs begin with {}; heddle list shows them", matching.size(), name), ExitCode::kUsage);
  }
  // A directory elsewhere: moved or copied from another project. It is read where it lies.
  fs::path place = fs::path(name).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (name.find('/') == std::string::npos || !fs::exists(place / "bug.json", failure)) {
    throw Error(fmt::format("no bug {} is saved here; heddle list shows what is", name));
  }
  if (fs::equivalent(place.parent_path(), bugs, failure)) return load_from((bugs / place.filename()).string());
  throw Error(fmt::format("{} belongs to another directory: run heddle there", name));
}

Trace BugStore::load_trace(const Bug& bug, const char* name) const { return heddle::store::load_trace(directory_of(bug.id) + "/" + name); }

bool BugStore::has(const Bug& bug, const char* name) const {
  std::error_code failure;
  return fs::exists(fs::path(directory_of(bug.id)) / name, failure);
}

std::string BugStore::text(const Bug& bug, const char* name) const {
  return has(bug, name) ? read_file(directory_of(bug.id) + "/" + name) : std::string();
}

std::vector<BugStore::Listed> BugStore::list() const {
  std::vector<std::pair<fs::file_time_type, Listed>> found;
  std::error_code failure;
  for (fs::directory_iterator at(fs::path(root_) / ".heddle" / "bugs", failure), end; !failure && at != end; at.increment(failure)) {
    if (!at->is_directory(failure)) continue;
    Listed listed;
    listed.id = at->path().filename().string();
    try {
      listed.bug = load_from(at->path().string());
    } catch (const Error& error) {
      listed.complaint = error.what();
    }
    std::error_code no_time;
    found.emplace_back(fs::last_write_time(at->path(), no_time), std::move(listed));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second.id < b.second.id; });
  std::vector<Listed> result;
  for (auto& entry : found) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace heddle::store
