#pragma once
#include <stdint.h>

namespace heddle {

enum class Family : uint8_t {
  kThreads,
  kMutexes,
  kConditions,
  kSemaphores,
  kRwlocks,
  kBarriers,
  kOnces,
  kFutexes,
  kTime,
  kSignals,
  kDescriptors,
  kProcesses,
  kMemory,
  kAtomics,
  kCode,
};

enum OpTrait : uint8_t {
  kBlocks = 1 << 0,
  kTimed = 1 << 1,
  kYields = 1 << 2,
  kAcquires = 1 << 3,
  kReleases = 1 << 4,
  kReads = 1 << 5,
  kWrites = 1 << 6,
};

enum class Op : uint16_t {
#define HEDDLE_OP(name, words, family, traits) k##name,
#include "wire/ops.def"
#undef HEDDLE_OP
};

struct OpRow {
  const char* name;
  const char* words;
  Family family;
  uint8_t traits;
};

inline constexpr OpRow kOps[] = {
#define HEDDLE_OP(name, words, family, traits) {#name, words, Family::family, traits},
#include "wire/ops.def"
#undef HEDDLE_OP
};
inline constexpr uint32_t kOpCount = sizeof(kOps) / sizeof(kOps[0]);

constexpr const OpRow& row(Op op) { return kOps[static_cast<uint16_t>(op)]; }
constexpr bool has(Op op, OpTrait trait) { return (row(op).traits & trait) != 0; }
constexpr bool is_memory(Op op) { return row(op).family == Family::kMemory || row(op).family == Family::kAtomics; }

}  // namespace heddle
