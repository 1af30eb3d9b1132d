#include "cli/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/same_output.h"
#include "store/atomic_file.h"
#include "store/saved_json.h"

namespace heddle::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kIndex = "checkpoints";  // beside bug.json; the files themselves are large, and lie in a directory of their own

std::string directory_for(const std::string& id) { return store_root() + "/.heddle/checkpoints/" + id; }

std::optional<SavedCheckpoint> take(const std::string& from, const std::string& directory) {
  SavedCheckpoint c;
  c.path = directory + "/" + fs::path(from).filename().string();
  try {
    const CheckpointReader reader(from);
    c.step = reader.checkpoint().step;
    c.real_ms = reader.checkpoint().real_ms;
    c.pause_us = reader.checkpoint().pause_us;
    c.digest = checkpoint_digest(from);
    fs::rename(from, c.path);
  } catch (const std::exception& error) {
    print_err("heddle: {}\n", error.what());
    return std::nullopt;
  }
  return c;
}

}  // namespace

void save_checkpoints(const Bug& bug, const std::vector<std::string>& paths, uint64_t end) {
  std::error_code failure;
  const std::string directory = directory_for(bug.id);
  fs::remove_all(directory, failure);
  BugStore().remove(bug.id, kIndex);
  if (paths.empty()) return;
  make_directory(store_root() + "/.heddle/checkpoints");
  make_directory(directory);
  fs::permissions(directory, fs::perms::owner_all, failure);
  json index = json::array();
  for (const std::string& path : paths) {
    const auto c = take(path, directory);
    if (c && c->step >= end) {
      fs::remove(c->path, failure);
    } else if (c) {
      index.push_back({{"file", fs::path(c->path).filename().string()},
                       {"events", c->step},
                       {"real_ms", c->real_ms},
                       {"pause_us", c->pause_us},
                       {"sha256", c->digest}});
    }
  }
  BugStore().save_text(bug.id, kIndex, saved_json(index).dump(1) + "\n");
}

std::vector<SavedCheckpoint> checkpoints_of(const Bug& bug) {
  const BugStore store;
  std::vector<SavedCheckpoint> all;
  const Seal::Verdict verdict = store.check(bug);
  // What lies in one is executed.
  if (!store.has(bug, kIndex) || !verdict.own || !verdict.changed.empty()) return all;
  try {
    for (const json& row : parse_saved_json<json>(store.text(bug, kIndex))) {
      const std::string file = row.at("file").get<std::string>();
      if (file.find('/') != std::string::npos) continue;
      all.push_back({directory_for(bug.id) + "/" + file, row.at("events").get<uint64_t>(), row.at("real_ms").get<uint64_t>(),
                     row.at("pause_us").get<uint64_t>(), row.at("sha256").get<std::string>()});
    }
  } catch (const json::exception&) {
    throw Error(fmt::format("the list of checkpoints of bug {} is damaged", bug.id));
  }
  return all;
}

Moment parse_moment(const char* option, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const auto wrong = [&] {
    return Error(fmt::format("{}: {} is neither a number of events nor a time (90s, 2m, 1500ms)", option, text), ExitCode::kUsage);
  };
  if (error != std::errc() || number < 0 || number > 1e15) throw wrong();
  if (unit.empty() && number == static_cast<double>(static_cast<uint64_t>(number))) return {static_cast<uint64_t>(number), std::nullopt};
  const double scale = unit == "ms" ? 1 : unit == "s" ? 1000 : unit == "m" ? 60'000 : unit == "h" ? 3'600'000 : 0;
  if (scale == 0) throw wrong();
  return {std::nullopt, static_cast<uint64_t>(number * scale)};
}

const SavedCheckpoint* last_before(const std::vector<SavedCheckpoint>& all, const Moment& moment) {
  const SavedCheckpoint* last = nullptr;
  for (const SavedCheckpoint& c : all) {
    if (moment.event ? c.step <= *moment.event : c.real_ms <= *moment.ms) last = &c;
  }
  return last;
}

const SavedCheckpoint& first_of(const std::vector<SavedCheckpoint>& all, const Trace& saved) {
  for (const SavedCheckpoint& c : all) {
    if (c.step >= saved.data().first) return c;
  }
  throw Error(fmt::format("the recording begins after event {}, and the checkpoint there is missing", saved.data().first));
}

Trace tail_of(const Trace& trace, uint64_t step) {
  Trace::Data data = trace.data();
  const uint64_t gone = std::min<uint64_t>(step - std::min(step, data.first), data.events.size());
  data.events.erase(data.events.begin(), data.events.begin() + static_cast<std::ptrdiff_t>(gone));
  data.first += gone;
  return Trace(std::move(data));
}

void check_checkpoint(const SavedCheckpoint& checkpoint) {
  if (!fs::exists(checkpoint.path)) throw Error(fmt::format("the checkpoint {} is missing", checkpoint.path));
  if (checkpoint_digest(checkpoint.path) != checkpoint.digest)
    throw Error(fmt::format("the checkpoint {} is not as it was written", checkpoint.path));
}

RunResult run_from(const Campaign& campaign, const SavedCheckpoint& checkpoint, const Plan& plan) {
  check_checkpoint(checkpoint);
  CheckpointReader reader(checkpoint.path);
  Runner runner(campaign.target(), campaign.runner_options());
  RunResult result = runner.run_from(reader, plan);
  for (const std::string& note : runner.notes()) print_err("heddle: {}\n", note);
  return result;
}

std::string tail_difference(const Output& whole, const Output& tail) {
  const auto end_of = [](const std::string& text, size_t size) { return text.substr(text.size() - std::min(text.size(), size)); };
  return output_difference({end_of(whole.out, tail.out.size()), end_of(whole.err, tail.err.size())}, tail);
}

}  // namespace heddle::cli
