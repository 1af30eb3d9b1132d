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

std::vector<OriginLine> origin_lines(const Origins& origins, const BlockSymbols& symbols) {
  struct Open {
    size_t index;
    bool stored;
    uint32_t frame;
  };
  std::vector<OriginLine> lines;
  std::map<uint32_t, Open> open;                         // by thread: the line that it is at
  std::map<std::pair<uint32_t, uint32_t>, size_t> last;  // by thread and line
  std::vector<bool> replaced;
  for (size_t i = origins.rows.size(); i > 0; --i) {
    const Origin& row = origins.rows[i - 1];
    const symbols::Frame& frame = symbols.frame(row.module, row.pc);
    if (frame.line == 0) continue;
    const std::pair key{row.thread, symbols.line_number(row.module, row.pc)};
    const auto at = open.find(row.thread);
    const auto before = last.find(key);
    if (at == open.end() || before == last.end() || before->second != at->second.index || at->second.frame != row.frame) {
      OriginLine line = line_at(frame, symbols);
      line.thread = row.thread;
      line.distance = row.distance;
      if (before != last.end()) {
        line.times = lines[before->second].times + 1;
        line.distance = std::min(line.distance, lines[before->second].distance);
        replaced[before->second] = true;
      }
      open[row.thread] = {lines.size(), false, row.frame};
      last[key] = lines.size();
      lines.push_back(line);
      replaced.push_back(false);
    }
    OriginLine& line = lines[open[row.thread].index];
    line.step = row.step;
    add_to(line, row, symbols.access(row, origins.frames), open[row.thread].stored);
  }
  std::vector<OriginLine> kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!replaced[i]) kept.push_back(std::move(lines[i]));
  }
  return kept;
}

}  // namespace heddle::trace
