#include "store/bug_draft.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "store/atomic_file.h"
#include "trace/error.h"

namespace heddle::store {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDrafts = "draft-";

// What a tool that was killed has left. Others may be writing theirs now.
void remove_old_drafts(const fs::path& directory) {
  std::error_code ignored;
  for (fs::directory_iterator at(directory, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (!at->path().filename().string().starts_with(kDrafts)) continue;
    std::error_code no_time;
    const auto written = fs::last_write_time(at->path(), no_time);
    if (!no_time && fs::file_time_type::clock::now() - written > std::chrono::hours(1)) fs::remove_all(at->path(), no_time);
  }
}

std::string new_place(const std::string& root) {
  const fs::path directory = fs::path(root) / ".heddle";
  make_directory(directory.string());
  remove_old_drafts(directory);
  std::string place = (directory / kDrafts).string() + "XXXXXX";
  if (::mkdtemp(place.data()) == nullptr)
    throw Error(fmt::format("cannot create a directory in {}: {}", directory.string(), std::strerror(errno)));
  return place;
}

}  // namespace

BugDraft::BugDraft(std::string root) : root_(std::move(root)), place_(new_place(root_)), store_(place_) {}

BugDraft::~BugDraft() {
  std::error_code ignored;
  fs::remove_all(place_, ignored);
}

void BugDraft::publish(const Bug& bug) {
  store_.save(bug);
  const std::string from = store_.directory_of(bug.id);
  const std::string to = BugStore(root_).directory_of(bug.id);
  make_directory(fs::path(to).parent_path().string());
  // An empty or missing directory is replaced, another one exchanged: what was there goes with the draft.
  std::error_code ignored;
  bool done = ::rename(from.c_str(), to.c_str()) == 0 || ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0;
  if (!done) {
    // Some file systems exchange nothing.
    fs::remove_all(to, ignored);
    done = ::rename(from.c_str(), to.c_str()) == 0;
  }
  if (!done) throw Error(fmt::format("cannot write {}: {}", to, std::strerror(errno)));
  // The name of the latest was written with the draft: there is room for it.
  fs::rename(fs::path(place_) / ".heddle" / "latest", fs::path(root_) / ".heddle" / "latest", ignored);
}

}  // namespace heddle::store
