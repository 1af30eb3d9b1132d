#include "trace/origin_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "symbols/displace.h"

namespace heddle::trace {

namespace {

using symbols::Encoding;
using symbols::Variable;

std::vector<std::string> paths_of(const std::vector<BlockModule>& modules) {
  std::vector<std::string> paths;
  for (const BlockModule& m : modules) paths.push_back(m.path);
  return paths;
}

int64_t signed_value(uint64_t value, uint32_t size) {
  const unsigned shift = 64 - 8 * std::clamp(size, 1U, 8U);
  return static_cast<int64_t>(value << shift) >> shift;
}

std::string floating(uint64_t value, uint32_t size) {
  if (size == 4) {
    float f = 0;
    std::memcpy(&f, &value, sizeof f);
    return fmt::format("{}", f);
  }
  double d = 0;
  std::memcpy(&d, &value, sizeof d);
  return fmt::format("{}", d);
}

std::string value_text(uint64_t value, uint32_t size, Encoding encoding) {
  switch (encoding) {
    case Encoding::kBoolean: return value != 0 ? "true" : "false";
    case Encoding::kFloating: return floating(value, size);
    case Encoding::kPointer: return value == 0 ? "null" : fmt::format("{:#x}", value);
    case Encoding::kUnsigned: return fmt::format("{}", value);
    case Encoding::kCharacter:
      if (size == 1 && value >= 32 && value < 127) return fmt::format("'{}'", static_cast<char>(value));
      [[fallthrough]];
    case Encoding::kSigned:
    case Encoding::kEnumeration: return fmt::format("{}", signed_value(value, size));
    case Encoding::kUnknown: break;
  }
  // An address is easier to see as one.
  if (size == 8 && value > 0xFFFFFF && value < uint64_t{1} << 47) return fmt::format("{:#x}", value);
  return fmt::format("{}", signed_value(value, size));
}

}  // namespace

BlockSymbols::BlockSymbols(const BlockTrace& blocks) : modules_(blocks.modules()), symbols_(paths_of(blocks.modules())) {}

const BlockSymbols::Known& BlockSymbols::known(uint32_t module, uint64_t pc) const {
  const auto [at, made] = known_.try_emplace({module, pc});
  if (!made || module >= modules_.size() || modules_[module].path.empty() || symbols_.is_system_library(module)) return at->second;
  const auto frame = symbols_.user_frame(module, pc - modules_[module].bias);
  if (!frame || frame->line == 0 || symbols::is_system_source(frame->file)) return at->second;
  at->second.frame = *frame;
  const auto [number, first] = numbers_.try_emplace(fmt::format("{}:{}", frame->file, frame->line), 0);
  if (first) number->second = static_cast<uint32_t>(numbers_.size());
  at->second.number = number->second;
  return at->second;
}

const symbols::Frame& BlockSymbols::frame(uint32_t module, uint64_t pc) const { return known(module, pc).frame; }
uint32_t BlockSymbols::line_number(uint32_t module, uint64_t pc) const { return known(module, pc).number; }

std::optional<Variable> BlockSymbols::variable(const Origin& origin, const std::vector<uint64_t>& frames) const {
  // The module that lies nearest below: its data follow its code.
  size_t best = modules_.size();
  for (size_t m = 0; m < modules_.size(); ++m) {
    if (!modules_[m].path.empty() && modules_[m].bias <= origin.address &&
        (best == modules_.size() || modules_[m].bias > modules_[best].bias))
      best = m;
  }
  if (best < modules_.size()) {
    if (auto v = symbols_.global_at(static_cast<unsigned>(best), origin.address - modules_[best].bias)) return v;
  }
  const uint64_t at = origin.frame < frames.size() ? frames[origin.frame] : 0;
  if (at == 0 || origin.address > at || at - origin.address > (1 << 20)) return std::nullopt;
  const auto function = code_.at(modules_[origin.module].path).function(origin.pc - modules_[origin.module].bias);
  if (!function) return std::nullopt;
  return symbols_.local_at(origin.module, function->begin, at + 8 - origin.address);
}

std::string BlockSymbols::access(const Origin& origin, const std::vector<uint64_t>& frames) const {
  if (origin.size == 0 || origin.address == 0) return {};
  const std::optional<Variable> v = variable(origin, frames);
  if (!v) return origin.stores ? value_text(origin.value, origin.size, Encoding::kUnknown) : std::string();
  const uint32_t size = v->size > 0 && v->size < origin.size ? static_cast<uint32_t>(v->size) : origin.size;
  const uint64_t mask = size >= 8 ? UINT64_MAX : (uint64_t{1} << 8 * size) - 1;
  return fmt::format("{} = {}", v->name, value_text(origin.value & mask, size, v->encoding));
}

BlockSymbols::Place BlockSymbols::global(const std::string& name) const {
  for (unsigned m = 0; m < modules_.size(); ++m) {
    if (modules_[m].path.empty() || symbols_.is_system_library(m)) continue;
    if (const auto found = symbols_.global_named(m, name)) return {found->offset + modules_[m].bias, found->size};
  }
  return {};
}

namespace {

OriginLine line_at(const symbols::Frame& frame, const BlockSymbols& symbols) {
  OriginLine line;
  line.file = frame.file;
  line.function = frame.function;
  line.line = frame.line;
  line.text = symbols.source_line(frame).value_or("");
  return line;
}

// Instructions of a line, executed one after the other by a thread: what they show together.
void add_to(OriginLine& line, const Origin& row, const std::string& value, bool& stored) {
  line.distance = std::min(line.distance, row.distance);
  if (row.kind != OriginKind::kValue) line.kind = row.kind;
  if (value.empty() || (stored && !row.stores)) return;
  if (line.value.empty() || (row.stores && !stored)) {
    line.value = value;
  } else if (line.value.find(value) == std::string::npos && line.value.size() + value.size() < 60) {
    line.value += ", " + value;
  }
  stored = stored || row.stores;
}

}  // namespace

std::vector<OriginLine> write_lines(const Origins& origins, const BlockSymbols& symbols) {
  std::vector<OriginLine> lines;
  for (size_t i = origins.writes.size(); i > 0; --i) {
    const Origin& row = origins.writes[i - 1];
    const symbols::Frame& frame = symbols.frame(row.module, row.pc);
    if (frame.line == 0) continue;
    OriginLine line = line_at(frame, symbols);
    line.thread = row.thread;
    line.step = row.step;
    // Those that came last are the nearest.
    line.distance = static_cast<uint32_t>(i - 1);
    line.value = symbols.access(row, origins.frames);
    lines.push_back(std::move(line));
  }
  return lines;
}

namespace {

// Rows of one line of the source, executed by one thread, are one line here.
class LineMaker {
 public:
  LineMaker(const Origins& origins, const BlockSymbols& symbols)
      : origins_(origins), symbols_(symbols), line_of_row_(origins.rows.size(), kNone) {}

  std::vector<OriginLine> lines() {
    for (size_t i = origins_.rows.size(); i > 0; --i) add(i - 1);
    compact();
    link();
    return std::move(kept_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Open {
    size_t index;
    bool stored;
    uint32_t frame;
  };

  void add(size_t r) {
    const Origin& row = origins_.rows[r];
    const symbols::Frame& frame = symbols_.frame(row.module, row.pc);
    if (frame.line == 0) return;
    const std::pair key{row.thread, symbols_.line_number(row.module, row.pc)};
    const auto at = open_.find(row.thread);
    const auto before = last_.find(key);
    if (at == open_.end() || before == last_.end() || before->second != at->second.index || at->second.frame != row.frame) {
      OriginLine line = line_at(frame, symbols_);
      line.thread = row.thread;
      line.distance = row.distance;
      if (before != last_.end()) {
        line.times = lines_[before->second].times + 1;
        line.distance = std::min(line.distance, lines_[before->second].distance);
        replaced_[before->second] = lines_.size();
      }
      open_[row.thread] = {lines_.size(), false, row.frame};
      last_[key] = lines_.size();
      lines_.push_back(line);
      replaced_.push_back(kNone);
    }
    Open& open = open_[row.thread];
    line_of_row_[r] = open.index;
    lines_[open.index].step = row.step;
    add_to(lines_[open.index], row, symbols_.access(row, origins_.frames), open.stored);
  }

  // Of the same line by the same thread, the last one alone.
  void compact() {
    std::vector<size_t> place(lines_.size(), kNone);
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (replaced_[i] != kNone) continue;
      place[i] = kept_.size();
      kept_.push_back(std::move(lines_[i]));
    }
    for (size_t i = lines_.size(); i > 0; --i) {
      if (replaced_[i - 1] != kNone) place[i - 1] = place[replaced_[i - 1]];
    }
    for (size_t& line : line_of_row_) line = line == kNone ? kNone : place[line];
  }

  // A row without a line passes on to those that needed it.
  void link() {
    constexpr size_t kMostNeeding = 4;
    std::vector<std::vector<size_t>> needing(origins_.rows.size());
    for (size_t r = 0; r < needing.size(); ++r) {
      if (line_of_row_[r] != kNone) needing[r] = {line_of_row_[r]};
    }
    for (const auto& [needs, from] : origins_.edges) {
      for (size_t line : needing[needs]) {
        if (line_of_row_[from] == kNone) {
          if (needing[from].size() < kMostNeeding && !contains(needing[from], line)) needing[from].push_back(line);
        } else if (line != line_of_row_[from]) {
          auto& sources = kept_[line].from;
          const auto source = static_cast<uint32_t>(line_of_row_[from]);
          if (!contains(sources, source)) sources.push_back(source);
        }
      }
    }
    for (OriginLine& line : kept_) std::sort(line.from.begin(), line.from.end());
  }

  template <typename T>
  static bool contains(const std::vector<T>& all, T one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }

  const Origins& origins_;
  const BlockSymbols& symbols_;
  std::vector<OriginLine> lines_, kept_;
  std::vector<size_t> replaced_;                          // by a later one
  std::map<uint32_t, Open> open_;                         // by thread: the line that it is at
  std::map<std::pair<uint32_t, uint32_t>, size_t> last_;  // by thread and line
  std::vector<size_t> line_of_row_;
};

}  // namespace

std::vector<OriginLine> origin_lines(const Origins& origins, const BlockSymbols& symbols) { return LineMaker(origins, symbols).lines(); }

}  // namespace heddle::trace
