#include "trace/plan.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "wire/version.h"

namespace heddle::trace {

namespace {

PlanHeader header_of(const Plan& plan) {
  PlanHeader h{};
  h.version = kChannelVersion;
  h.strictness = plan.strictness;
  h.tail = plan.tail;
  h.limits = plan.limits;
  h.time = plan.time;
  h.env_seed = plan.env_seed;
  h.input_id = plan.input_id;
  h.points_id = plan.points_id;
  h.points = plan.points;
  h.slice_count = static_cast<uint32_t>(plan.slices.size());
  h.choice_count = static_cast<uint32_t>(plan.choices.size());
  h.weight_count = static_cast<uint32_t>(plan.weights.size());
  h.mark_count = static_cast<uint32_t>(plan.marks.size());
  h.skip_count = static_cast<uint32_t>(plan.skips.size());
  h.step_count = static_cast<uint32_t>(plan.steps.size());
  h.site_count = static_cast<uint32_t>(plan.sites.size());
  h.code_count = plan.code ? static_cast<uint32_t>(plan.code->size()) : 0;
  h.detect = plan.detect;
  return h;
}

template <typename T>
std::byte* put(std::byte* at, const std::vector<T>& items) {
  if (!items.empty()) std::memcpy(at, items.data(), items.size() * sizeof(T));
  return at + items.size() * sizeof(T);
}

}  // namespace

void Plan::sort_choices() {
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) { return std::tie(a.thread, a.number) < std::tie(b.thread, b.number); });
}

void Plan::remove_iterations(ThreadId thread, LoopId loop, uint64_t first, uint64_t last) {
  constexpr uint64_t kMost = UINT32_MAX;
  for (uint64_t from = first; from <= last && from >= first; from += kMost + 1)
    skips.push_back({SkipKind::kIteration, static_cast<uint32_t>(std::min(last - from, kMost)), thread, loop, from});
}

size_t encoded_size(const Plan& plan) { return PlanView::bytes(header_of(plan)); }

void encode_to(const Plan& plan, std::byte* block) {
  const PlanHeader h = header_of(plan);
  std::memcpy(block, &h, sizeof h);
  std::byte* at = block + sizeof h;
  at = put(at, plan.slices);
  at = put(at, plan.choices);
  at = put(at, plan.weights);
  at = put(at, plan.marks);
  auto skips = plan.skips;
  std::sort(skips.begin(), skips.end(), skips_before);
  at = put(at, skips);
  at = put(at, plan.steps);
  at = put(at, plan.sites);
  if (plan.code) put(at, *plan.code);
}

std::vector<std::byte> encode(const Plan& plan) {
  std::vector<std::byte> block(encoded_size(plan));
  encode_to(plan, block.data());
  return block;
}

}  // namespace heddle::trace
