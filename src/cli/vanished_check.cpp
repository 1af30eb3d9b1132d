#include "cli/vanished_check.h"

#include <algorithm>
#include <filesystem>

#include "store/atomic_file.h"
#include "symbols/symbols.h"
#include "trace/reanchor.h"
#include "trace/similar_text.h"

namespace heddle::cli {

namespace {

// Statements are no evidence: `std::lock_guard<std::mutex> hold(mutex_);` is in many programs. Nor is what each program has: a main, its lambdas, a "thread 0.1".
bool tells(const std::string& name) {
  const bool of_main = name == "main" || name.starts_with("main(") || name.starts_with("main.");
  return !name.empty() && !of_main && name.find("<lambda") == std::string::npos && name.find(' ') == std::string::npos;
}

}  // namespace

void TellingNames::add(const std::vector<PlacedOperation>& operations) {
  for (const PlacedOperation& o : operations) {
    for (const std::string* name : {&o.object, &o.place.function, &o.place.file}) {
      if (tells(*name)) names_.insert(*name);
    }
  }
}

bool TellingNames::any_of(const TellingNames& other) const {
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) { return other.names_.contains(name); });
}

std::string other_program(const Anchors& bug, const TellingNames& seen) {
  if (!bug.placed()) return "the build of the bug had no symbols, and nothing says that this is the same program";
  if (seen.none()) return "this build shows no names, and nothing says that it is the same program";
  TellingNames names;
  names.add(bug.operations);
  return names.any_of(seen) ? "" : "no function, variable or file has a name as in the build of the bug: this may be another program";
}

std::string vanished_check(const AnchoredEnding& ending, const std::set<std::string>& sources, const Trace& run) {
  if (ending.kind != "assert") return {};
  const std::string text = asserted_text(ending.message);
  // An assertion's text is in the source; and in the program, unless the compiler knows that it always holds.
  std::error_code failure;
  for (const std::string& path : sources) {
    if (std::filesystem::is_regular_file(path, failure) && read_file(path).find("assert(" + text) != std::string::npos) return {};
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
          similarity(text, std::string_view(bytes).substr(at, length)) >= 0.75)
        return {};
      at = stop + 1;
    }
  }
  return text;
}

}  // namespace heddle::cli
