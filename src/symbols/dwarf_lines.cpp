#include "symbols/dwarf_lines.h"

#include <algorithm>
#include <unordered_map>

#include "symbols/dwarf_walk.h"

namespace heddle::symbols {
namespace {

constexpr size_t kFarthestRow = 64;

}  // namespace

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
      if (is_new) files_.push_back(source_path(unit, file));
      row.file = entry->second;
    }
    rows_.push_back(row);
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    if (a.address != b.address) return a.address < b.address;
    return a.is_end && !b.is_end;
  });
}

size_t LineIndex::row_of(uint64_t address) const {
  auto next = std::upper_bound(rows_.begin(), rows_.end(), address, [](uint64_t value, const Row& row) { return value < row.address; });
  if (next == rows_.begin() || (--next)->is_end) return rows_.size();
  return static_cast<size_t>(next - rows_.begin());
}

SourcePosition LineIndex::find(uint64_t address) const {
  size_t at = row_of(address);
  if (at == rows_.size()) return {};
  return {&files_[rows_[at].file], rows_[at].line, rows_[at].column};
}

SourcePosition LineIndex::find_near(uint64_t address, const std::function<bool(uint64_t)>& accept) const {
  size_t from = row_of(address);
  if (from == rows_.size()) return {};
  auto is_answer = [&](const Row& row) { return row.line != 0 && accept(row.address); };
  auto position = [&](const Row& row) { return SourcePosition{&files_[row.file], row.line, row.column}; };
  for (size_t at = from, steps = 0; at-- > 0 && steps < kFarthestRow && !rows_[at].is_end; ++steps) {
    if (is_answer(rows_[at])) return position(rows_[at]);
  }
  for (size_t at = from + 1, steps = 0; at < rows_.size() && steps < kFarthestRow && !rows_[at].is_end; ++at, ++steps) {
    if (is_answer(rows_[at])) return position(rows_[at]);
  }
  return {};
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

}  // namespace heddle::symbols
