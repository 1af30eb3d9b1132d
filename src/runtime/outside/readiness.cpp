#include "runtime/outside/readiness.h"

#include "model/waits.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/model.h"
#include "runtime/engine/run.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/descriptors.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kMaxAsked = 1024;
HEDDLE_APART pollfd g_asked[kMaxAsked];
HEDDLE_APART bool g_over[kMaxThreads];
// The step, plus 1, at which a thread was asked for by itself: one step has one answer, or a replay could not give the same.
HEDDLE_APART uint64_t g_asked_alone[kMaxThreads];

// The moment for which g_over was asked. In a plain run it is good for some events, where somebody can run: nobody outside can tell.
constexpr uint64_t kGoodFor = 64;
struct AskedAt {
  uint64_t step;
  uint64_t round;
  uint64_t waits;
};
AskedAt g_asked_at = {~uint64_t{0}, 0, 0};
uint64_t g_round;

bool is_recent() {
  if (g_asked_at.round != g_round || g_asked_at.waits != g_nobody_ready || g_run.step < g_asked_at.step) return false;
  return g_run.step - g_asked_at.step < (g_run.control->mode == Mode::kOnce ? kGoodFor : 1);
}

const DescriptorWait* outside_wait(const ThreadSlot& t) {
  if (model::waits_for(t.pending.op) != model::WaitKind::kDescriptors) return nullptr;
  const auto* wait = static_cast<const DescriptorWait*>(t.pending.address);
  return wait != nullptr && wait->outside ? wait : nullptr;
}

// For a thread alone.
bool ready_now(const DescriptorWait& wait) {
  TriedCall* tried = g_goes_on && g_run.control->mode == Mode::kOnce ? wait.tried : nullptr;
  if (tried == nullptr) return descriptors_ready(wait);
  tried->made = tried->make(*tried);
  return tried->made;
}

void ask_for_all() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    const DescriptorWait* wait = outside_wait(t);
    if (wait == nullptr) continue;
    if (count + wait->count > kMaxAsked) {
      g_over[t.index] = descriptors_ready(*wait);
      continue;
    }
    for (nfds_t k = 0; k < wait->count; ++k) g_asked[count++] = {wait->fds[k].fd, wait->fds[k].events, 0};
  }
  const timespec now{0, 0};
  const long found = count != 0 ? sys(SYS_ppoll, g_asked, count, &now, nullptr, 8) : 0;
  uint32_t at = 0;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    const DescriptorWait* wait = outside_wait(t);
    if (wait == nullptr || at + wait->count > kMaxAsked) continue;
    bool over = found < 0;  // an error is an answer, too
    for (nfds_t k = 0; k < wait->count; ++k, ++at) over = over || g_asked[at].revents != 0;
    g_over[t.index] = over;
  }
}

}  // namespace

bool outside_ready(const ThreadSlot& thread, const DescriptorWait& wait) {
  if (!is_recent()) {
    // The thread that runs is asked for alone: where it can go on, nobody else is of interest.
    if (&thread == g_current && ready_now(wait)) return true;
    ask_for_all();
    g_asked_at = {g_run.step, g_round, g_nobody_ready};
  }
  bool& over = g_over[thread.index];
  // It came to wait after all were asked. And a call that blocks must not be made for something that somebody else has taken meanwhile.
  const bool late = thread.last_step > g_asked_at.step;
  const bool old = over && !wait.polls && g_asked_at.step != g_run.step;
  if ((late || old) && g_asked_alone[thread.index] != g_run.step + 1) {
    g_asked_alone[thread.index] = g_run.step + 1;
    over = ready_now(wait);
  } else if (over && g_goes_on && wait.tried != nullptr && g_run.control->mode == Mode::kOnce) {
    over = ready_now(wait);
  }
  return over;
}

void answered(const pollfd* fds) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    const DescriptorWait* wait = outside_wait(t);
    if (wait == nullptr) continue;
    bool over = false;
    for (nfds_t k = 0; k < wait->count; ++k, ++fds) over = over || fds->revents != 0;
    g_over[t.index] = over;
  }
  g_asked_at = {g_run.step, g_round, g_nobody_ready};
}

void ask_again() { ++g_round; }

}  // namespace heddle::rt
