#pragma once
// The tool's side of a plan: what a run is asked to do. wire/plan.h has its form in shared memory and the meaning of every field.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/input_log.h"
#include "wire/plan.h"

namespace heddle::trace {

struct Plan {
  std::vector<Slice> slices;
  std::vector<Choice> choices;  // kept sorted by (thread, number); see sort_choices
  PolicySpec tail{};            // kStay by default
  Strictness strictness = Strictness::kRelaxed;
  Limits limits{1'000'000, 10'000};
  TimeKind time = TimeKind::kVirtual;
  uint64_t env_seed = 0;
  uint64_t input_id = 0;
  uint64_t points_id = 0;
  PointKind points = PointKind::kSync;
  std::vector<Weight> weights;
  std::vector<uint64_t> marks;
  std::vector<Skip> skips;
  std::vector<uint64_t> steps;
  std::vector<SiteId> sites;  // kRacy: the accesses that are points; sorted
  uint32_t detect = 0;        // DetectFlag
  // The marked ones of `sites` as code that a process can have; nothing: there are none. Made by symbols/displace.h.
  std::shared_ptr<const std::vector<CodePoint>> code;
  // What other processes sent when the schedule was recorded; nothing: they are asked again.
  std::shared_ptr<const InputLog> inputs;

  void sort_choices();
  void remove_thread(ThreadId thread) { skips.push_back({SkipKind::kThread, 0, thread, 0, 0}); }
  void pass_over(ThreadId thread) { skips.push_back({SkipKind::kBirth, 0, thread, 0, 0}); }
  // Iterations first to last of the loop by the thread.
  void remove_iterations(ThreadId thread, LoopId loop, uint64_t first, uint64_t last);
};

// The block that wire's PlanView reads.
std::vector<std::byte> encode(const Plan& plan);
size_t encoded_size(const Plan& plan);
void encode_to(const Plan& plan, std::byte* block);

}  // namespace heddle::trace
