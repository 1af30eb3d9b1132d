#include "cli/vanished_check.h"

#include <algorithm>
#include <filesystem>

#include "store/atomic_file.h"
#include "symbols/symbols.h"
#include "trace/reanchor.h"
#include "trace/similar_text.h"

namespace heddle::cli {

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
