#include "cli/history.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <sstream>

#include "exec/capture.h"
#include "trace/error.h"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

std::string first_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string History::git(const std::vector<std::string>& words, const std::string& where) const {
  std::vector<std::string> all = {"git"};
  all.insert(all.end(), words.begin(), words.end());
  const Captured done = run_command(all, where);
  if (done.code() != 0) throw Error(fmt::format("git {}: {}", words.front(), first_line_of(done.err.empty() ? done.out : done.err)));
  return done.out;
}

History::History() {
  const Captured done = run_command({"git", "rev-parse", "--show-toplevel"}, "");
  if (done.code() != 0) throw Error("this is not a git repository: bisect searches its history");
  top_ = first_line_of(done.out);
  prefix_ = first_line_of(git({"rev-parse", "--show-prefix"}, ""));
  place_ = (fs::temp_directory_path() / "heddle-bisect-XXXXXX").string();
  if (::mkdtemp(place_.data()) == nullptr) throw Error("cannot create a directory for a second checkout");
}

History::~History() {
  try {
    if (added_) run_command({"git", "worktree", "remove", "--force", path(top_)}, top_);
  } catch (const Error&) {
    // What is left is removed below; git forgets it by itself.
  }
  std::error_code ignored;
  fs::remove_all(place_, ignored);
}

std::string History::commit(const std::string& revision) const {
  const Captured done = run_command({"git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}, top_);
  if (done.code() != 0) throw Error(fmt::format("{} is not a commit of this repository", revision), ExitCode::kUsage);
  return first_line_of(done.out);
}

std::string History::shown(const std::string& commit) const { return first_line_of(git({"log", "-1", "--format=%h %s", commit}, top_)); }

bool History::has_parent(const std::string& commit) const {
  return run_command({"git", "rev-parse", "--verify", "--quiet", commit + "^"}, top_).code() == 0;
}

void History::check_out(const std::string& commit) {
  if (added_) {
    git({"checkout", "--quiet", "--force", "--detach", commit}, path(top_));
    return;
  }
  git({"worktree", "add", "--quiet", "--detach", place_ + "/tree", commit}, top_);
  added_ = true;
}

void History::start(const std::string& bad, const std::string& good) { git({"bisect", "start", bad, good}, path(top_)); }

std::string History::current() const { return first_line_of(git({"rev-parse", "HEAD"}, path(top_))); }

History::Answer History::mark(const std::string& commit, const std::string& word) {
  const Captured done = run_command({"git", "bisect", word, commit}, path(top_));
  Answer answer;
  std::istringstream lines(done.out);
  bool listing = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string mark = " is the first bad commit";
    if (line.ends_with(mark)) answer.first_bad = line.substr(0, line.size() - mark.size());
    if (listing && line.size() == 40) answer.candidates.push_back(line);
    if (line.starts_with("The first bad commit could be any of")) listing = true;
  }
  // 2 says that only skipped ones are left; anything else that is not 0 is git's own complaint.
  if (done.code() != 0 && answer.candidates.empty())
    throw Error(fmt::format("git bisect: {}", first_line_of(done.err.empty() ? done.out : done.err)));
  return answer;
}

std::string History::path(const std::string& in_tree) const {
  const fs::path whole = fs::path(in_tree).is_absolute() ? fs::path(in_tree) : fs::current_path() / in_tree;
  const fs::path relative = whole.lexically_normal().lexically_relative(top_);
  if (relative.empty() || *relative.begin() == "..")
    throw Error(fmt::format("{} is not in the repository {}", in_tree, top_), ExitCode::kUsage);
  const fs::path tree = fs::path(place_) / "tree";
  return relative == "." ? tree.string() : (tree / relative).string();
}

std::string History::directory() const { return (fs::path(place_) / "tree" / prefix_).string(); }

}  // namespace heddle::cli
