#include "symbols/displace.h"

#include <algorithm>
#include <cstring>

#include "symbols/register_use.h"

namespace heddle::symbols {

namespace {

constexpr int kStackPointer = 4;
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
      case Instruction::Kind::kCall: point_.leaves = 1; return add_call(bytes, i);
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

  // The address behind the original is pushed, then a jump leads to where the call does: whoever is called returns to the original code.
  bool add_call(std::span<const uint8_t> bytes, const Instruction& i) {
    constexpr uint8_t kPush[] = {0xFF, 0x35, 0, 0, 0, 0};  // push a word at a distance
    constexpr uint8_t kAddress[8] = {};
    if (!put(kPush)) return false;
    const uint8_t distance_at = static_cast<uint8_t>(point_.copy_length - 4);
    const uint8_t pushed = point_.copy_length;
    if (i.target != 0) {
      const uint8_t opcode[] = {0xE9};
      if (!add_branch(opcode, i.target)) return false;
    } else if (!add_indirect_jump(bytes, i)) {
      return false;
    }
    const auto distance = static_cast<uint32_t>(point_.copy_length - pushed);
    std::memcpy(point_.copy + distance_at, &distance, sizeof distance);
    if (point_.fix_count == kMostFixes) return false;
    point_.fixes[point_.fix_count++] = {point_.copy_length, 0, i.end()};
    return put(kAddress);
  }

  // `call *operand` and `jmp *operand` differ in three bits. The push has moved the stack.
  bool add_indirect_jump(std::span<const uint8_t> bytes, const Instruction& i) {
    for (const MemoryOperand& m : i.memory) {
      if (!m.implied && (m.base == kStackPointer || m.index == kStackPointer)) return false;
    }
    const auto opcode = std::find(bytes.begin(), bytes.end(), 0xFF);
    if (opcode == bytes.end() || opcode + 1 == bytes.end() || (opcode[1] >> 3 & 7) != 2) return false;
    const uint8_t begin = point_.copy_length;
    if (!add_same(bytes, i)) return false;
    uint8_t& form = point_.copy[begin + (opcode - bytes.begin()) + 1];
    form = static_cast<uint8_t>((form & ~0x38) | 4 << 3);
    return (form & 0xC7) != 0xC4;  // through the stack pointer itself
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
    // A call returns behind itself.
    if (i != first && function.instructions[i].kind == Instruction::Kind::kCall) return std::nullopt;
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

namespace {

// What an instruction is said to access, where it does more than one thing: what is written in it, and what it writes.
const MemoryOperand* chosen_operand(const Instruction& i) {
  const MemoryOperand* best = nullptr;
  const auto worth = [](const MemoryOperand& m) { return (m.implied ? 0 : 4) + (m.writes ? 2 : 0) + 1; };
  for (const MemoryOperand& m : i.memory) {
    if (!m.known || m.size == 0 || (i.kind == Instruction::Kind::kCall && m.implied)) continue;
    if (best == nullptr || worth(m) > worth(*best)) best = &m;
  }
  return best;
}

CodePoint::Operand operand_of(const Instruction& i, const MemoryOperand& m, bool atomic) {
  CodePoint::Operand o{};
  o.displacement = m.displacement;
  o.base = static_cast<int8_t>(m.base);
  o.index = static_cast<int8_t>(m.index);
  o.scale = m.scale;
  o.size = m.size;
  o.reads = m.reads ? 1 : 0;
  o.writes = m.writes ? 1 : 0;
  o.relative = m.of_instruction ? CodePoint::Relative::kModule : m.of_thread ? CodePoint::Relative::kThread : CodePoint::Relative::kNothing;
  // An instruction that reads and writes and locks nothing is two steps to other cores, whatever the source says of the variable.
  o.atomic = i.atomic || (atomic && !(m.reads && m.writes)) ? 1 : 0;
  o.exchange = i.swaps ? CodePoint::Exchange::kIfEqual : i.exchanges ? CodePoint::Exchange::kAlways : CodePoint::Exchange::kNone;
  o.with = static_cast<int8_t>(i.with);
  return o;
}

}  // namespace

std::optional<CodePoint> access_point(const ModuleCode& code, const DecodedFunction& function, uint64_t offset, bool atomic) {
  const auto at = function.at(offset);
  if (!at) return std::nullopt;
  const Instruction& i = function.instructions[*at];
  const MemoryOperand* memory = chosen_operand(i);
  if (memory == nullptr && i.kind != Instruction::Kind::kCall) return std::nullopt;
  auto point = displace(code, function, offset);
  if (!point) return std::nullopt;
  if (memory != nullptr) point->operand = operand_of(i, *memory, atomic);
  // How compilers write a sequentially consistent store.
  if (i.exchanges && i.with >= 0 && is_unused_after(function, *at, i.with)) {
    point->operand.reads = 0;
    point->operand.exchange = CodePoint::Exchange::kNone;
  }
  point->call = i.kind == Instruction::Kind::kCall ? 1 : 0;
  return point;
}

CodePoint without_jump(const CodePoint& point) {
  CodePoint alone = point;
  alone.jump = 0;
  if (point.part_count < 2) return alone;
  alone.part_count = 1;
  alone.length = point.parts[1].original;
  alone.copy_length = point.parts[1].copy;
  alone.leaves = 0;
  alone.fix_count = 0;
  for (uint32_t i = 0; i < point.fix_count; ++i) {
    if (point.fixes[i].at < alone.copy_length) alone.fixes[alone.fix_count++] = point.fixes[i];
  }
  return alone;
}

void keep_apart(std::vector<CodePoint>& points) {
  std::sort(points.begin(), points.end(), [](const CodePoint& a, const CodePoint& b) { return a.site < b.site; });
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    if (points[i].jump != 0 && points[i + 1].site < points[i].site + points[i].length) points[i] = without_jump(points[i]);
  }
}

std::vector<CodePoint> code_points(CodeModules& modules, const std::vector<std::string>& paths, const std::vector<SiteId>& sites,
                                   std::vector<SiteId>* refused) {
  std::vector<CodePoint> points;
  for (SiteId marked : sites) {
    if ((marked & (kLoopMark | kAccessMark)) == 0 || marked >> 63 != 0) continue;
    const SiteId site = marked & ~(kLoopMark | kAccessMark | kAtomicAccessMark);
    const bool known = site_module(site) < paths.size();
    const bool loop = (marked & kLoopMark) != 0;
    // An access is a point already, and a loop gives way there.
    if (loop && std::any_of(points.begin(), points.end(), [&](const CodePoint& p) { return p.site == site; })) continue;
    const ModuleCode* code = known ? &modules.at(paths[site_module(site)]) : nullptr;
    const auto function = code != nullptr ? code->function(site_offset(site)) : std::nullopt;
    std::optional<CodePoint> point;
    if (function)
      point = loop ? displace(*code, *function, site_offset(site))
                   : access_point(*code, *function, site_offset(site), (marked & kAtomicAccessMark) != 0);
    if (!point && refused != nullptr) refused->push_back(site);
    if (!point) continue;
    point->site = site;
    points.push_back(*point);
  }
  keep_apart(points);
  return points;
}

}  // namespace heddle::symbols
