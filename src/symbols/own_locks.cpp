#include "symbols/own_locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "symbols/machine_code.h"
#include "symbols/symbols.h"

namespace heddle::symbols {

namespace {

constexpr size_t kMostNamed = 3;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::vector<OwnLocks> find_own_locks(const std::vector<std::string>& paths) {
  std::vector<OwnLocks> found;
  for (const std::string& path : paths) {
    if (path.empty() || is_system_library_path(path)) continue;
    if (const size_t exchanges = ModuleCode(path).count_exchanges(); exchanges > 0) found.push_back({path, exchanges});
  }
  std::stable_sort(found.begin(), found.end(), [](const OwnLocks& a, const OwnLocks& b) { return a.exchanges > b.exchanges; });
  return found;
}

std::string words_about(const std::vector<OwnLocks>& modules) {
  if (modules.empty()) return {};
  std::string list;
  for (size_t i = 0; i < std::min(modules.size(), kMostNamed); ++i)
    list += fmt::format("{}{} ({} exchange{})", i == 0 ? "" : ", ", file_name(modules[i].path), modules[i].exchanges,
                        modules[i].exchanges == 1 ? "" : "s");
  if (modules.size() > kMostNamed) list += fmt::format(" and {} more modules", modules.size() - kMostNamed);
  return fmt::format(
      "atomic operations of the program's own are not seen: {}; locks made of them leave no event, unless it is built with heddle-cc",
      list);
}

}  // namespace heddle::symbols
