#include "symbols/waiting_loop.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace heddle::symbols {

namespace {

// Rounds that have to be seen, in each of the two stretches.
constexpr size_t kFewestRounds = 4;
constexpr int kStackPointer = 4;
// Near the stack pointer: the thread's own variables.
constexpr uint64_t kBelowStack = 4096, kAboveStack = 64 << 10;

struct CodePlace {
  uint32_t module = 0;
  Instruction instruction;
};

class StepReader {
 public:
  StepReader(CodeModules& modules, std::span<const LoadedModule> loaded) : modules_(modules), loaded_(loaded) {}

  // nullptr: no code of a module.
  const CodePlace* at(uint64_t pc) {
    const auto [known, fresh] = places_.try_emplace(pc);
    if (fresh) known->second = read(pc);
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::optional<CodePlace> read(uint64_t pc) {
    for (uint32_t i = 0; i < loaded_.size(); ++i) {
      const LoadedModule& m = loaded_[i];
      if (pc < m.bias + m.low || pc >= m.bias + m.high) continue;
      auto instruction = modules_.at(m.path).instruction(pc - m.bias);
      if (!instruction) return std::nullopt;
      return CodePlace{i, std::move(*instruction)};
    }
    return std::nullopt;
  }

  CodeModules& modules_;
  std::span<const LoadedModule> loaded_;
  std::unordered_map<uint64_t, std::optional<CodePlace>> places_;
};

struct StepStretch {
  std::map<uint64_t, std::vector<const CodeStep*>> rounds;  // by where a loop begins: what the registers were
  std::set<uint64_t> accessed;
  bool reads_others = false;  // something that is not on the thread's own stack
  std::set<uint64_t> stored;  // by ordinary instructions
};

uint64_t address_of(const MemoryOperand& m, const CodeStep& step, uint64_t bias) {
  if (m.of_instruction) return bias + static_cast<uint64_t>(m.displacement);
  uint64_t address = static_cast<uint64_t>(m.displacement);
  if (m.base >= 0) address += step.registers[m.base];
  if (m.index >= 0) address += step.registers[m.index] * m.scale;
  return address;
}

bool is_own(uint64_t address, const CodeStep& step) {
  const uint64_t stack = step.registers[kStackPointer];
  return address + kBelowStack >= stack && address < stack + kAboveStack;
}

void note_accesses(const CodePlace& place, const CodeStep& step, uint64_t bias, StepStretch& stretch) {
  for (const MemoryOperand& m : place.instruction.memory) {
    if (!m.known || m.of_thread) continue;
    const uint64_t address = address_of(m, step, bias);
    stretch.accessed.insert(address);
    stretch.reads_others = stretch.reads_others || (m.reads && !is_own(address, step));
    if (m.writes && !place.instruction.atomic) stretch.stored.insert(address);
  }
}

StepStretch read(StepReader& reader, std::span<const LoadedModule> loaded, std::span<const CodeStep> steps) {
  StepStretch stretch;
  for (size_t i = 0; i < steps.size(); ++i) {
    const CodePlace* place = reader.at(steps[i].pc);
    if (place == nullptr) continue;
    note_accesses(*place, steps[i], loaded[place->module].bias, stretch);
    const Instruction& in = place->instruction;
    const bool branches = in.kind == Instruction::Kind::kBranch || in.kind == Instruction::Kind::kJump;
    if (!branches || i + 1 == steps.size() || steps[i + 1].pc > steps[i].pc) continue;
    if (steps[i + 1].pc == loaded[place->module].bias + in.target) stretch.rounds[steps[i + 1].pc].push_back(&steps[i + 1]);
  }
  return stretch;
}

// The outermost loop of which enough was seen: what lies inside of it is executed more often.
const std::vector<const CodeStep*>* outermost(const StepStretch& first, const StepStretch& later, uint64_t* pc) {
  const std::vector<const CodeStep*>* best = nullptr;
  for (const auto& [at, rounds] : first.rounds) {
    const auto again = later.rounds.find(at);
    if (rounds.size() < kFewestRounds || again == later.rounds.end() || again->second.size() < kFewestRounds) continue;
    if (best != nullptr && best->size() <= rounds.size()) continue;
    best = &rounds;
    *pc = at;
  }
  return best;
}

bool same_registers(const std::vector<const CodeStep*>& rounds) {
  return std::all_of(rounds.begin() + 1, rounds.end(),
                     [&](const CodeStep* s) { return std::equal(std::begin(s->registers), std::end(s->registers), rounds[0]->registers); });
}

// Does a branch depend on memory that the loop only reads, or that it accesses by atomic instructions? Whoever counts up to a number
// in a variable of its own does not wait, however little it accesses. `own_too`: the thread's own stack counts as such memory.
class Dependence {
 public:
  Dependence(StepReader& reader, std::span<const LoadedModule> loaded, const StepStretch& stretch, bool own_too)
      : reader_(reader), loaded_(loaded), stretch_(stretch), own_too_(own_too) {}

  bool decides(std::span<const CodeStep> steps) {
    for (const CodeStep& step : steps) {
      const CodePlace* place = reader_.at(step.pc);
      if (place == nullptr) continue;
      if (place->instruction.kind == Instruction::Kind::kBranch && (registers_ & Instruction::kFlags) != 0) return true;
      follow(*place, step);
    }
    return false;
  }

 private:
  void follow(const CodePlace& place, const CodeStep& step) {
    const Instruction& in = place.instruction;
    const uint64_t bias = loaded_[place.module].bias;
    bool depends = (registers_ & in.reads) != 0;
    for (const MemoryOperand& m : in.memory) {
      if (m.known && !m.of_thread && m.reads) depends = depends || comes_from(address_of(m, step, bias), in, step);
    }
    registers_ = depends ? registers_ | in.writes : registers_ & ~in.writes;
    for (const MemoryOperand& m : in.memory) {
      if (!m.known || m.of_thread || !m.writes) continue;
      if (depends) memory_.insert(address_of(m, step, bias));
      if (!depends) memory_.erase(address_of(m, step, bias));
    }
  }
  bool comes_from(uint64_t address, const Instruction& in, const CodeStep& step) const {
    if (memory_.contains(address) || in.atomic) return true;
    return !stretch_.stored.contains(address) && (own_too_ || !is_own(address, step));
  }

  StepReader& reader_;
  std::span<const LoadedModule> loaded_;
  const StepStretch& stretch_;
  bool own_too_;
  uint32_t registers_ = 0;     // that depend on it
  std::set<uint64_t> memory_;  // what they were stored to
};

// Of the instructions that follow each other from the loop's beginning, the first that a jump can replace; else the first that can be moved.
std::optional<CodePoint> best_place(const ModuleCode& code, uint64_t begin) {
  const auto function = code.function(begin);
  if (!function) return std::nullopt;
  const auto first = function->at(begin);
  if (!first) return std::nullopt;
  std::optional<CodePoint> best;
  for (size_t i = *first; i < function->instructions.size(); ++i) {
    const Instruction& in = function->instructions[i];
    auto point = in.kind == Instruction::Kind::kCall ? std::nullopt : displace(code, *function, in.offset);
    if (point) {
      point->site = in.offset;
      if (point->jump != 0) return point;
      if (!best) best = point;
    }
    if (in.kind != Instruction::Kind::kPlain && in.kind != Instruction::Kind::kNotCopied) break;
  }
  return best;
}

}  // namespace

bool goes_round_in_place(std::span<const CodeStep> steps) {
  std::vector<const CodeStep*> rounds;
  for (const CodeStep& step : steps) {
    if (step.pc == steps.back().pc) rounds.push_back(&step);
  }
  return rounds.size() >= kFewestRounds && same_registers(rounds);
}

std::optional<CodePoint> find_waiting_loop(CodeModules& modules, std::span<const LoadedModule> loaded, std::span<const CodeStep> first,
                                           std::span<const CodeStep> later) {
  StepReader reader(modules, loaded);
  const StepStretch one = read(reader, loaded, first);
  const StepStretch two = read(reader, loaded, later);
  uint64_t pc = 0;
  const auto* rounds = outermost(one, two, &pc);
  if (rounds == nullptr) return std::nullopt;
  const bool stands = same_registers(*rounds) && same_registers(two.rounds.at(pc));
  const bool closed = one.reads_others && std::includes(one.accessed.begin(), one.accessed.end(), two.accessed.begin(), two.accessed.end());
  if (!(stands && Dependence(reader, loaded, two, true).decides(later)) &&
      !(closed && Dependence(reader, loaded, two, false).decides(later)))
    return std::nullopt;
  const CodePlace* place = reader.at(pc);
  if (place == nullptr) return std::nullopt;
  auto point = best_place(modules.at(loaded[place->module].path), place->instruction.offset);
  if (point) point->site = make_site(place->module, point->site);
  return point;
}

}  // namespace heddle::symbols
