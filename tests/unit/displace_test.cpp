// Displaced instructions do what the originals do: those of the C library and the C++ library, each form of them, on random states.
#include "symbols/displace.h"

#include <gtest/gtest.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <sstream>

namespace heddle::test {
namespace {

constexpr uint64_t kRegion = uint64_t{256} << 20;
constexpr uint64_t kPlace = uint64_t{128} << 20;   // of the original
constexpr uint64_t kCopyAt = uint64_t{200} << 20;  // of the copy
constexpr uint64_t kData = uint64_t{32} << 20;     // what registers point to
constexpr uint64_t kHarness = uint64_t{250} << 20;
constexpr uint64_t kApart = 256;  // of the code that is compared: what it accesses farther away is the same for both

struct State {
  uint64_t general[16];
  uint64_t flags;
  alignas(16) uint8_t vectors[16][16];
  uint64_t left_by;  // 0: at the end, 1: by its branch
};

// What is shared with the code that is made here.
struct Shared {
  State state;
  uint64_t host_stack, own_stack, code;
};

sigjmp_buf g_fault;
void on_fault(int number) { siglongjmp(g_fault, number); }

// Enters code with a state, and comes back with another.
class Machine {
 public:
  Machine() {
    base_ = static_cast<uint8_t*>(
        ::mmap(nullptr, kRegion, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    shared_ = reinterpret_cast<Shared*>(base_ + kHarness);
    shared_->own_stack = reinterpret_cast<uint64_t>(base_ + kHarness + 65536);
    make_entry();
    make_exits();
    stack_t stack{};
    stack.ss_sp = alternate_;
    stack.ss_size = sizeof alternate_;
    ::sigaltstack(&stack, nullptr);
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
      struct sigaction action {};
      action.sa_handler = on_fault;
      action.sa_flags = SA_ONSTACK | SA_NODEFER;
      ::sigaction(number, &action, nullptr);
    }
  }
  ~Machine() { ::munmap(base_, kRegion); }

  uint8_t* at(uint64_t offset) { return base_ + offset; }

  // The signal that it ended with, or 0.
  int run(const State& before, uint64_t code, State* after) {
    shared_->state = before;
    shared_->code = reinterpret_cast<uint64_t>(base_ + code);
    const int signal = sigsetjmp(g_fault, 1);
    if (signal == 0) reinterpret_cast<void (*)()>(base_ + entry_)();
    *after = shared_->state;
    return signal;
  }

  // `jmp` to where the state is saved.
  void put_exit(uint8_t* to, bool by_branch) {
    const uint64_t target = reinterpret_cast<uint64_t>(base_ + (by_branch ? branch_exit_ : end_exit_));
    const uint8_t jump[] = {0xFF, 0x25, 0, 0, 0, 0};
    std::memcpy(to, jump, sizeof jump);
    std::memcpy(to + sizeof jump, &target, sizeof target);
  }

 private:
  void byte(std::initializer_list<int> bytes) {
    for (int b : bytes) base_[end_++] = static_cast<uint8_t>(b);
  }
  // The distance to a field of `shared_`, with so many bytes of the instruction behind it.
  void field(const void* to, int behind = 0) {
    const auto distance = static_cast<int32_t>(static_cast<const uint8_t*>(to) - (base_ + end_ + 4 + behind));
    std::memcpy(base_ + end_, &distance, 4);
    end_ += 4;
  }
  void general(int opcode, int reg) {
    byte({0x48 | (reg >= 8 ? 4 : 0), opcode, 0x05 | (reg & 7) << 3});
    field(&shared_->state.general[reg]);
  }
  void vector(int opcode, int reg) {
    if (reg >= 8) byte({0x44});
    byte({0x0F, opcode, 0x05 | (reg & 7) << 3});
    field(shared_->state.vectors[reg]);
  }
  void make_entry() {
    entry_ = end_;
    byte({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // push what a call preserves
    byte({0x48, 0x89, 0x25});
    field(&shared_->host_stack);
    if (__builtin_cpu_supports("avx") != 0) byte({0xC5, 0xF8, 0x77});  // vzeroupper: no upper half from the run before
    for (int i = 0; i < 16; ++i) vector(0x10, i);
    byte({0xFF, 0x35});
    field(&shared_->state.flags);
    byte({0x9D});
    for (int i = 0; i < 16; ++i) general(0x8B, i);
    byte({0xFF, 0x25});
    field(&shared_->code);
  }
  void make_exits() {
    branch_exit_ = end_;
    byte({0xC7, 0x05});
    field(&shared_->state.left_by, 4);
    byte({1, 0, 0, 0});
    end_exit_ = end_;
    for (int i = 0; i < 16; ++i) general(0x89, i);
    byte({0x48, 0x8B, 0x25});
    field(&shared_->own_stack);
    byte({0x9C, 0x8F, 0x05});
    field(&shared_->state.flags);
    for (int i = 0; i < 16; ++i) vector(0x11, i);
    byte({0xFC, 0x48, 0x8B, 0x25});
    field(&shared_->host_stack);
    byte({0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x41, 0x5C, 0x5D, 0x5B, 0xC3});
  }

  uint8_t* base_ = nullptr;
  Shared* shared_ = nullptr;
  uint64_t end_ = kHarness + 131072;
  uint64_t entry_ = 0, end_exit_ = 0, branch_exit_ = 0;
  uint8_t alternate_[65536] = {};
};

std::string path_of(const char* beginning) {
  struct Wanted {
    const char* name;
    std::string path;
  } wanted{beginning, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* w = static_cast<Wanted*>(data);
        const std::string path = info->dlpi_name;
        if (path.find(w->name) != std::string::npos) w->path = path;
        return 0;
      },
      &wanted);
  return wanted.path;
}

// What would change more than the state that is compared, or runs for too long on random counts.
bool is_too_wild(std::span<const uint8_t> b, const Instruction& i) {
  size_t at = 0;
  bool repeats = false;
  while (at < b.size() && (b[at] == 0x66 || b[at] == 0xF2 || b[at] == 0xF3 || b[at] == 0x2E || b[at] == 0x3E || b[at] == 0x64 ||
                           (b[at] & 0xF0) == 0x40 || b[at] == 0xF0)) {
    repeats = repeats || b[at] == 0xF2 || b[at] == 0xF3;
    ++at;
  }
  if (at >= b.size()) return true;
  if (repeats && b[at] >= 0xA4 && b[at] <= 0xAF) return true;
  if (b[at] >= 0xD8 && b[at] <= 0xDF) return true;  // x87
  if (b[at] == 0x8E || b[at] == 0x9D || b[at] == 0xC6 || b[at] == 0xC7) return b[at] == 0x8E || b[at] == 0x9D;
  if (b[at] == 0x0F && at + 1 < b.size())
    if (b[at + 1] == 0xAE || b[at + 1] == 0xC7 || b[at + 1] == 0x01 || b[at + 1] == 0x31 || b[at + 1] == 0x77 || b[at + 1] == 0xA2)
      return true;
  for (const MemoryOperand& m : i.memory)
    if (m.of_thread) return true;
  return false;
}

// The form of an instruction: without what differs from place to place.
std::string form_of(std::span<const uint8_t> bytes, const Instruction& i) {
  std::string form(bytes.begin(), bytes.begin() + std::min<size_t>(bytes.size(), i.relative_at != 0 ? i.relative_at : 5));
  form += static_cast<char>(i.length);
  return form;
}

uint64_t address_in(const MemoryOperand& m, const State& s, uint64_t bias) {
  if (m.of_instruction) return bias + static_cast<uint64_t>(m.displacement);
  return static_cast<uint64_t>(m.displacement) + (m.base >= 0 ? s.general[m.base] : 0) + (m.index >= 0 ? s.general[m.index] * m.scale : 0);
}

class Comparison {
 public:
  size_t compared = 0, refused = 0, faulted = 0, jumps = 0;

  // `functions`: so many of them, of all kinds.
  void all_of(const std::string& path, size_t most, size_t functions = 400) {
    const ModuleCode code(path);
    ASSERT_GT(code.functions().size(), 0u) << path;
    const size_t stride = std::max<size_t>(1, code.functions().size() / functions);
    for (size_t f = 0; f < code.functions().size() && compared < most; f += stride) {
      const auto function = code.function(code.functions()[f].begin);
      if (!function) continue;
      for (const Instruction& i : function->instructions) one(code, *function, i);
    }
  }

 private:
  void one(const ModuleCode& code, const DecodedFunction& function, const Instruction& i) {
    const auto bytes = code.bytes(i.offset, i.length);
    if (i.kind != Instruction::Kind::kPlain && i.kind != Instruction::Kind::kBranch && i.kind != Instruction::Kind::kJump) return;
    if (is_too_wild(bytes, i) || !seen_.insert(form_of(bytes, i)).second) return;
    // Alone: its neighbours are compared by themselves.
    DecodedFunction alone = function;
    alone.has_indirect_jump = true;
    const auto point = displace(code, alone, i.offset);
    if (!point) {
      ++refused;
      return;
    }
    jumps += point->jump;
    compare(bytes, i, *point);
  }

  State random_state(const Instruction& i) {
    State s{};
    for (uint64_t& g : s.general) g = reinterpret_cast<uint64_t>(machine_.at(kData)) + (random_() % 4096) * 64;
    s.general[4] = reinterpret_cast<uint64_t>(machine_.at(kData)) + 65536;
    for (const MemoryOperand& m : i.memory)
      if (m.index >= 0 && m.index != m.base) s.general[m.index] = random_() % 64;
    s.flags = 0x202 | (random_() & 0x8D5);
    for (auto& v : s.vectors)
      for (uint8_t& b : v) b = static_cast<uint8_t>(random_());
    return s;
  }

  void compare(std::span<const uint8_t> bytes, const Instruction& i, const CodePoint& point) {
    const uint64_t bias = reinterpret_cast<uint64_t>(machine_.at(kPlace)) - i.offset;
    if (i.target != 0 && (i.target + 64 > i.offset && i.target < i.offset + 64)) return;
    if (i.target != 0 && i.target - i.offset + (64 << 20) > (128 << 20)) return;
    std::memcpy(machine_.at(kPlace), bytes.data(), bytes.size());
    machine_.put_exit(machine_.at(kPlace) + i.length, false);
    if (i.target != 0) machine_.put_exit(reinterpret_cast<uint8_t*>(bias + i.target), true);
    std::memcpy(machine_.at(kCopyAt), point.copy, point.copy_length);
    for (uint32_t f = 0; f < point.fix_count; ++f) {
      const auto distance =
          static_cast<int32_t>(bias + point.fixes[f].target - reinterpret_cast<uint64_t>(machine_.at(kCopyAt) + point.fixes[f].end));
      std::memcpy(machine_.at(kCopyAt) + point.fixes[f].at, &distance, 4);
    }
    machine_.put_exit(machine_.at(kCopyAt) + point.copy_length, false);
    for (int round = 0; round < 3; ++round) {
      const State before = random_state(i);
      State first{}, second{};
      std::vector<uint8_t> memory[2];
      const int end[2] = {with_memory(i, before, bias, kPlace, &first, &memory[0]),
                          with_memory(i, before, bias, kCopyAt, &second, &memory[1])};
      ASSERT_EQ(end[0], end[1]) << "at " << std::hex << i.offset;
      if (end[0] != 0) {
        ++faulted;
        return;
      }
      ASSERT_EQ(std::memcmp(&first, &second, sizeof first), 0) << "state after " << std::hex << i.offset;
      ASSERT_EQ(memory[0], memory[1]) << "memory after " << std::hex << i.offset;
    }
    ++compared;
  }

  // Runs it with the same memory each time; `after` gets what is there then.
  int with_memory(const Instruction& i, const State& before, uint64_t bias, uint64_t code, State* after, std::vector<uint8_t>* memory) {
    std::vector<uint8_t*> places;
    for (const MemoryOperand& m : i.memory) {
      const uint64_t address = address_in(m, before, bias), at = address - reinterpret_cast<uint64_t>(machine_.at(0));
      const auto apart = [&](uint64_t code_at) { return at + kApart < code_at || at > code_at + kApart; };
      if (m.known && at >= kApart && at < kHarness - kApart && apart(kPlace) && apart(kCopyAt))
        places.push_back(reinterpret_cast<uint8_t*>(address));
    }
    for (uint8_t* p : places)
      for (int k = 0; k < 64; ++k) p[k] = static_cast<uint8_t>(k * 37 + 11);
    const int signal = machine_.run(before, code, after);
    for (uint8_t* p : places) memory->insert(memory->end(), p, p + 64);
    return signal;
  }

  Machine machine_;
  std::mt19937_64 random_{1};
  std::set<std::string> seen_;
};

TEST(Displace, CopiesDoWhatTheOriginalsDo) {
  Comparison comparison;
  comparison.all_of(path_of("libc.so"), 8000);
  comparison.all_of(path_of("libstdc++.so"), 16000);
  std::printf("%zu forms compared, %zu of them by a jump of their own, %zu fault in both, %zu refused\n", comparison.compared,
              comparison.jumps, comparison.faulted, comparison.refused);
  EXPECT_GT(comparison.compared, 1000u);
  EXPECT_LT(comparison.refused * 50, comparison.compared) << "few instructions cannot be moved";
}

// For ./dev bench binaries: every function of the modules that it names.
TEST(Displace, OfGivenModules) {
  const char* given = std::getenv("HEDDLE_DISPLACE");
  std::istringstream paths(given != nullptr ? given : "");
  for (std::string path; std::getline(paths, path, ':');) {
    Comparison comparison;
    comparison.all_of(path, ~size_t{0}, ~size_t{0});
    std::printf("%s: %zu forms compared, %zu fault in both, %zu refused\n", path.c_str(), comparison.compared, comparison.faulted,
                comparison.refused);
  }
}

TEST(Displace, OverwritesNothingThatABranchLeadsTo) {
  const ModuleCode code(path_of("libc.so"));
  size_t joined = 0;
  for (size_t f = 0; f < code.functions().size(); f += 20) {
    const auto function = code.function(code.functions()[f].begin);
    if (!function) continue;
    for (const Instruction& i : function->instructions) {
      const auto point = displace(code, *function, i.offset);
      if (!point || point->jump == 0 || point->part_count < 2) continue;
      ++joined;
      for (uint32_t k = 1; k < point->part_count; ++k) {
        EXPECT_FALSE(code.is_target(i.offset + point->parts[k].original)) << std::hex << i.offset;
        EXPECT_TRUE(function->at(i.offset + point->parts[k].original));
      }
    }
  }
  EXPECT_GT(joined, 100u);
}

}  // namespace
}  // namespace heddle::test
