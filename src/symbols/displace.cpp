#include "symbols/displace.h"

#include <algorithm>
#include <cstring>

namespace heddle::symbols {

namespace {

constexpr uint8_t kJumpBytes = 5;  // jmp with a distance of 32 bits

class CopyMaker {
 public:
  explicit CopyMaker(CodePoint& point) : point_(point) {}

  // False: no room, or it cannot be moved.
  bool add(const ModuleCode& code, const Instruction& i) {
    if (point_.part_count == kMostParts || point_.length + i.length > kMostOriginal) return false;
    const auto bytes = code.bytes(i.offset, i.length);
    if (bytes.size() != i.length) return false;
    point_.parts[point_.part_count++] = {point_.length, point_.copy_length};
    std::copy(bytes.begin(), bytes.end(), point_.original + point_.length);
    point_.length = static_cast<uint8_t>(point_.length + i.length);
    switch (i.kind) {
      case Instruction::Kind::kPlain: return add_same(bytes, i);
      case Instruction::Kind::kReturn:
      case Instruction::Kind::kIndirectJump: point_.leaves = 1; return add_same(bytes, i);
      case Instruction::Kind::kJump: {
        const uint8_t opcode[] = {0xE9};
        point_.leaves = 1;
        return add_branch(opcode, i.target);
      }
      case Instruction::Kind::kBranch: {
        const uint8_t opcode[] = {0x0F, static_cast<uint8_t>(0x80 | i.condition)};
        return add_branch(opcode, i.target);
      }
      case Instruction::Kind::kCall:
      case Instruction::Kind::kNotCopied: break;
    }
    return false;
  }

 private:
  bool add_same(std::span<const uint8_t> bytes, const Instruction& i) {
    const uint8_t begin = point_.copy_length;
    if (!put(bytes)) return false;
    if (i.relative_at == 0) return true;
    int32_t distance = 0;
    std::memcpy(&distance, bytes.data() + i.relative_at, sizeof distance);
    return fix(static_cast<uint8_t>(begin + i.relative_at), i.end() + static_cast<uint64_t>(int64_t{distance}));
  }

  bool add_branch(std::span<const uint8_t> opcode, uint64_t target) {
    constexpr uint8_t kNothing[4] = {};
    if (!put(opcode) || !put(kNothing)) return false;
    return fix(static_cast<uint8_t>(point_.copy_length - 4), target);
  }

  bool put(std::span<const uint8_t> bytes) {
    if (point_.copy_length + bytes.size() > kMostCopied) return false;
    std::copy(bytes.begin(), bytes.end(), point_.copy + point_.copy_length);
    point_.copy_length = static_cast<uint8_t>(point_.copy_length + bytes.size());
    return true;
  }

  bool fix(uint8_t at, uint64_t target) {
    if (point_.fix_count == kMostFixes) return false;
    point_.fixes[point_.fix_count++] = {at, point_.copy_length, target};
    return true;
  }

  CodePoint& point_;
};

// Whether the instructions from the first on, up to where a jump ends, may be overwritten: nothing leads into their middle.
bool may_join(const ModuleCode& code, const DecodedFunction& function, const Instruction& next) {
  return !function.has_indirect_jump && !code.is_target(next.offset);
}

std::optional<CodePoint> with_jump(const ModuleCode& code, const DecodedFunction& function, size_t first) {
  CodePoint point{};
  CopyMaker copy(point);
  for (size_t i = first; point.length < kJumpBytes; ++i) {
    if (i == function.instructions.size() || point.leaves != 0) return std::nullopt;
    if (i != first && !may_join(code, function, function.instructions[i])) return std::nullopt;
    if (!copy.add(code, function.instructions[i])) return std::nullopt;
  }
  point.jump = 1;
  return point;
}

}  // namespace

std::optional<CodePoint> displace(const ModuleCode& code, const DecodedFunction& function, uint64_t offset) {
  const auto first = function.at(offset);
  if (!first) return std::nullopt;
  if (auto point = with_jump(code, function, *first)) return point;
  CodePoint alone{};
  CopyMaker copy(alone);
  if (!copy.add(code, function.instructions[*first])) return std::nullopt;
  return alone;
}

const ModuleCode& CodeModules::at(const std::string& path) {
  auto& module = known_[path];
  if (!module) module = std::make_unique<ModuleCode>(path);
  return *module;
}

std::vector<CodePoint> loop_points(CodeModules& modules, const std::vector<std::string>& paths, const std::vector<SiteId>& sites) {
  std::vector<CodePoint> points;
  for (SiteId marked : sites) {
    if ((marked & kLoopMark) == 0 || marked >> 63 != 0) continue;
    const SiteId site = marked & ~kLoopMark;
    if (site_module(site) >= paths.size()) continue;
    const ModuleCode& code = modules.at(paths[site_module(site)]);
    const auto function = code.function(site_offset(site));
    auto point = function ? displace(code, *function, site_offset(site)) : std::nullopt;
    if (!point) continue;
    point->site = site;
    points.push_back(*point);
  }
  return points;
}

}  // namespace heddle::symbols
