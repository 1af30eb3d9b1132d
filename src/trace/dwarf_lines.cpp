#include "trace/dwarf_lines.h"

#include <algorithm>
#include <unordered_map>

#include "trace/dwarf_walk.h"

namespace heddle {

LineIndex::LineIndex(Dwarf_Die* unit) {
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  if (dwarf_getsrclines(unit, &lines, &count) != 0) return;
  rows_.reserve(count);
  std::unordered_map<const char*, uint32_t> numbers;  // libdw hands out one pointer a file
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    Row row{};
    if (line == nullptr || dwarf_lineaddr(line, &address) != 0) continue;
    row.address = address;
    dwarf_lineendsequence(line, &row.is_end);
    dwarf_lineno(line, &row.line);
    dwarf_linecol(line, &row.column);
    const char* file = row.is_end ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
    if (!row.is_end) {
      if (file == nullptr) continue;
      auto [entry, is_new] = numbers.emplace(file, static_cast<uint32_t>(files_.size()));
      if (is_new) files_.push_back(clean_path(file));
      row.file = entry->second;
    }
    rows_.push_back(row);
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    if (a.address != b.address) return a.address < b.address;
    return a.is_end && !b.is_end;
  });
  // Line 0 marks code that belongs to no line of its own; what precedes it is the nearest thing to show.
  for (size_t i = 1; i < rows_.size(); ++i) {
    if (rows_[i].line != 0 || rows_[i].is_end || rows_[i - 1].is_end) continue;
    rows_[i].file = rows_[i - 1].file;
    rows_[i].line = rows_[i - 1].line;
    rows_[i].column = rows_[i - 1].column;
  }
}

SourcePosition LineIndex::find(uint64_t address) const {
  auto next = std::upper_bound(rows_.begin(), rows_.end(), address,
                               [](uint64_t value, const Row& row) { return value < row.address; });
  if (next == rows_.begin()) return {};
  const Row& row = *--next;
  if (row.is_end) return {};
  return {&files_[row.file], row.line, row.column};
}

std::vector<std::pair<uint64_t, uint64_t>> LineIndex::covered() const {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (size_t i = 0; i + 1 < rows_.size(); ++i) {
    if (rows_[i].is_end || rows_[i].address == rows_[i + 1].address) continue;
    if (!ranges.empty() && ranges.back().second == rows_[i].address) {
      ranges.back().second = rows_[i + 1].address;
    } else {
      ranges.emplace_back(rows_[i].address, rows_[i + 1].address);
    }
  }
  return ranges;
}

}  // namespace heddle
