#include "exec/loop_watch.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "exec/activity.h"
#include "symbols/symbols.h"

namespace heddle::exec {

namespace {

// More each time: it costs the run some microseconds for each.
constexpr uint32_t kFirstSteps = 1000;
// In a millisecond of processor time, counted as Channel::progress does: with fewer than that a run hardly moves. A loop that waits may look at the
// clock, or try a lock, after a million rounds.
constexpr uint64_t kFewEvents = 5;
constexpr int kAnswerMs = 2000;  // a step takes microseconds, on a busy machine a hundred
// Between the two stretches of instructions: whoever computes is somewhere else by then.
constexpr auto kBetween = std::chrono::milliseconds(30);

}  // namespace

LoopWatch::LoopWatch(Channel& channel, pid_t pid)
    : channel_(channel), pid_(pid), progress_(channel.progress()), used_ms_(activity_of(pid).used_ms) {}

bool LoopWatch::ask(Inspection what, uint32_t steps) {
  InspectionBlock& block = channel_.inspection();
  const pid_t thread = running_thread(pid_);
  if (thread == 0) return false;
  block.what = what;
  block.wanted_steps = steps;
  block.step_count = 0;
  block.installed = 0;
  const uint32_t request = __atomic_add_fetch(&block.request, 1, __ATOMIC_RELEASE);
  if (::syscall(SYS_tgkill, pid_, thread, SIGTRAP) != 0) return false;
  for (int waited = 0; waited < kAnswerMs; ++waited) {
    if (__atomic_load_n(&block.reply, __ATOMIC_ACQUIRE) == request) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::vector<CodeStep> LoopWatch::steps(uint32_t wanted) {
  if (!ask(Inspection::kSteps, wanted)) return {};
  const InspectionBlock& block = channel_.inspection();
  return {block.steps, block.steps + std::min(block.step_count, kMostSteps)};
}

std::optional<CodePoint> LoopWatch::look() {
  const uint64_t progress = channel_.progress();
  const uint64_t used = activity_of(pid_).used_ms;
  const uint64_t computed = used - std::min(used, used_ms_);
  if (progress - std::min(progress, progress_) > kFewEvents * (computed + kFirstPatience / 2)) {
    progress_ = progress;
    used_ms_ = used;
    patience_ms_ = kFirstPatience;
    steps_ = kFirstSteps;
    in_vain_ = false;
    return std::nullopt;
  }
  if (computed < patience_ms_) return std::nullopt;
  progress_ = progress;
  used_ms_ = used;
  patience_ms_ = std::min(4 * patience_ms_, kMostPatience);
  const uint32_t wanted = steps_;
  steps_ = std::min(3 * steps_, kMostSteps);
  const std::vector<CodeStep> first = steps(wanted);
  if (first.size() < wanted) return std::nullopt;
  std::this_thread::sleep_for(kBetween);
  const std::vector<CodeStep> later = steps(wanted);
  if (later.size() < wanted) return std::nullopt;
  auto point = find_waiting_loop(modules_, channel_.modules(), first, later);
  in_vain_ = !point && goes_round_in_place(later);
  return point;
}

std::string LoopWatch::place(const CodePoint& point) const {
  std::vector<std::string> paths;
  for (const LoadedModule& m : channel_.modules()) paths.push_back(m.path);
  return Symbols(std::move(paths)).describe(site_module(point.site), site_offset(point.site));
}

bool LoopWatch::install(CodePoint& point) {
  channel_.inspection().point = point;
  in_vain_ = !ask(Inspection::kInstall, 0) || channel_.inspection().installed == 0;
  point.from = channel_.inspection().steps[0].pc;
  return !in_vain_;
}

std::string gives_way_at(const std::string& place) {
  return fmt::format("a thread waits in a loop without a call at {}: it is made to give way there", place);
}

}  // namespace heddle::exec
