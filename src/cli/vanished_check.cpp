#include "cli/vanished_check.h"

#include <algorithm>
#include <filesystem>

#include "store/atomic_file.h"
#include "symbols/symbols.h"
#include "trace/reanchor.h"
#include "trace/similar_text.h"

namespace heddle::cli {

namespace {

constexpr double kSameCheck = 0.75;  // renamed, or put otherwise

// Has the source an assertion that says this, or much the same?
bool asserts_alike(const std::string& source, const std::string& text) {
  constexpr std::string_view kAssert = "assert(";
  for (size_t at = source.find(kAssert); at != std::string::npos; at = source.find(kAssert, at + 1)) {
    const std::string_view rest = std::string_view(source).substr(at + kAssert.size());
    if (rest.starts_with(text)) return true;
    const size_t end = std::min(rest.find(");"), rest.find('\n'));
    if (end != std::string_view::npos && similarity(text, rest.substr(0, end)) >= kSameCheck) return true;
  }
  return false;
}

// Statements are no evidence: `std::lock_guard<std::mutex> hold(mutex_);` is in many programs. Nor is what each program has: a main, its lambdas, a "thread 0.1".
bool tells(const std::string& name) {
  const bool of_main = name == "main" || name.starts_with("main(") || name.starts_with("main.");
  return !name.empty() && !of_main && name.find("<lambda") == std::string::npos && name.find(' ') == std::string::npos;
}

}  // namespace

void TellingNames::add(const std::vector<PlacedOperation>& operations) {
  for (const PlacedOperation& o : operations) {
    for (const std::string* name : {&o.object, &o.place.function, &o.place.file}) add(*name);
  }
}

void TellingNames::add(const std::string& name) {
  if (tells(name)) names_.insert(name);
}

bool TellingNames::any_of(const TellingNames& other) const {
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) { return other.names_.contains(name); });
}

std::string other_program(const Anchors& bug, const TellingNames& seen) {
  if (!bug.placed()) return "the build of the bug had no symbols, and nothing says that this is the same program";
  if (seen.none()) return "this build shows no names, and nothing says that it is the same program";
  TellingNames names;
  names.add(bug.operations);
  for (const AnchoredThread& thread : bug.threads) names.add(thread.entry);
  return names.any_of(seen) ? "" : "no function, variable or file has a name as in the build of the bug: this may be another program";
}

std::string vanished_check(const AnchoredEnding& ending, const std::set<std::string>& sources, const Trace& run) {
  if (ending.kind != "assert") return {};
  const std::string text = asserted_text(ending.message);
  // An assertion's text is in the source; and in the program, unless the compiler knows that it always holds.
  std::error_code failure;
  for (const std::string& path : sources) {
    if (std::filesystem::is_regular_file(path, failure) && asserts_alike(read_file(path), text)) return {};
  }
  for (const Module& module : run.modules()) {
    if (is_system_library_path(module.path) || !std::filesystem::is_regular_file(module.path, failure)) continue;
    const std::string bytes = read_file(module.path);
    if (bytes.find(text) != std::string::npos) return {};
    // Renamed: a text of its own that is much alike.
    for (size_t at = 0; at < bytes.size();) {
      const size_t stop = std::min(bytes.size(), bytes.find('\0', at));
      const size_t length = stop - at;
      if (length >= text.size() / 2 && length <= text.size() * 2 + 8 &&
          similarity(text, std::string_view(bytes).substr(at, length)) >= kSameCheck)
        return {};
      at = stop + 1;
    }
  }
  return text;
}

}  // namespace heddle::cli
