#include "runtime/outside/external_wait.h"

#include <errno.h>
#include <time.h>

#include "model/condition.h"
#include "model/waits.h"
#include "runtime/base/placement.h"
#include "runtime/base/sys.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/model.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/input_log.h"
#include "runtime/outside/orphans.h"
#include "runtime/outside/peers.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/readiness.h"
#include "runtime/outside/shared_objects.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kMillisecond = 1000000;
constexpr uint64_t kSearchBudget = 2000 * kMillisecond;  // of real waiting in one run of a search
constexpr uint64_t kSearchTimed = 20 * kMillisecond;     // where a time-out would end the wait anyway
constexpr uint64_t kPatience = 200 * kMillisecond;
constexpr uint64_t kGlance = 5 * kMillisecond;  // between looks at what cannot be polled
constexpr uint32_t kMaxFds = 1024;

uint64_t g_waited;  // real ns that this run has waited in vain

// A shell that waits for the program under control waits as long as the search takes.
bool searching() { return g_run.control->mode == Mode::kServe && g_run.claimed; }

uint64_t real_now() {
  timespec now;
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// Is the same seed to give the same run again? A recording is repeated from its log: there nobody is waited for whose absence others can use.
bool repeats() { return g_run.plan.header->env_seed != 0 && !is_real_time(); }

const DescriptorWait* descriptors_of(const Pending& p) {
  return model::waits_for(p.op) == model::WaitKind::kDescriptors ? static_cast<const DescriptorWait*>(p.address) : nullptr;
}

// nullptr: it waits for no child. One that only looks whether a child has ended (WNOHANG) does not wait.
const ChildWait* child_of(const Pending& p) { return p.op == Op::kWaitChild ? static_cast<const ChildWait*>(p.address) : nullptr; }

bool waits_for_signal(Op op) { return model::waits_for(op) == model::WaitKind::kPause || model::waits_for(op) == model::WaitKind::kSignal; }

struct Hopes {
  pollfd fds[kMaxFds];
  uint32_t count;
  bool outside;  // one of them may be made ready by somebody else
  bool whole;    // they are those of all waits for the world, and no others: the answer of the kernel is good for these
  bool children;
  bool shared;  // what another process may do to memory that it shares
  bool signals;
  bool only_signals;  // every thread waits for a signal: there is no deadlock among the others
  uint64_t mask;      // blocked by every thread
};

void gather(Hopes* h) {
  h->count = 0;
  h->outside = false;
  h->whole = true;
  h->children = false;
  h->shared = false;
  h->signals = false;
  h->only_signals = true;
  h->mask = ~uint64_t{0};
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    h->mask &= t.signals.mask;
    if (child_of(t.pending) != nullptr) h->children = true;
    h->shared = h->shared || others_may_end(t);
    if (waits_for_signal(t.pending.op)) {
      h->signals = true;
    } else {
      h->only_signals = false;
    }
    const DescriptorWait* wait = descriptors_of(t.pending);
    if (wait == nullptr) continue;
    // A recording has all that will come, but for what a child brings that lives in the replay too.
    const bool outside = child_may_end(*wait) || left_with_orphans(*wait) || (!replays_inputs() && reaches_outside(*wait));
    h->outside = h->outside || outside;
    if (!outside && !(wait->outside && is_real_time())) {
      h->whole = h->whole && !wait->outside;
      continue;
    }
    h->whole = h->whole && wait->outside && h->count + wait->count <= kMaxFds;
    for (nfds_t k = 0; k < wait->count && h->count < kMaxFds; ++k) h->fds[h->count++] = wait->fds[k];
  }
  h->signals = h->signals && (!searching() || h->only_signals || live_children() > 0);
}

HEDDLE_APART Hopes g_hopes;

bool hopeful(const Hopes& h) { return h.outside || h.children || h.shared || h.signals; }

bool news(const Hopes& h) {
  if (g_attention != 0 && hand_out_arrived(kNobodyRan, kNoSite)) return true;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const Pending& p = g_threads[g_live[i].slot].pending;
    if (h.shared && ready(g_threads[g_live[i].slot]) == Ready::kYes) return true;
    const ChildWait* child = child_of(p);
    if (child != nullptr && child_ready(*child)) return true;
    if (h.signals && (p.op == Op::kSigWait || p.op == Op::kSigTimedWait) &&
        has_signal(g_threads[g_live[i].slot], *static_cast<const uint64_t*>(p.address))) {
      return true;
    }
  }
  return false;
}

// Another process that signals a condition does not find our waiters in it. A wait may end without a signal, and then the program looks
// itself for what it waits for.
bool wake_from_shared_conditions() {
  bool any = false;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot& t = g_threads[g_live[i].slot];
    const bool waits = model::is_reacquire(t.pending.op);
    if (!waits || t.wait.ended || !others_may_end(t)) continue;
    t.wait.ended = true;
    any = any || ready(t) == Ready::kYes;
  }
  return any;
}

bool poll_really(Hopes* h, uint64_t nanoseconds) {
  const timespec limit{static_cast<time_t>(nanoseconds / 1000000000), static_cast<long>(nanoseconds % 1000000000)};
  // Whatever signal some thread would take may interrupt: our handler keeps it for that thread.
  const long found = sys(SYS_ppoll, h->fds, h->count, &limit, &h->mask, 8);
  if (found >= 0 && h->whole && is_real_time()) answered(h->fds);
  return found > 0;
}

}  // namespace

bool awaits_outside() {
  gather(&g_hopes);
  return hopeful(g_hopes);
}

bool wait_for_outside(uint64_t deadline) {
  if (peers_are_silent()) end_run(OutcomeKind::kExternalWait, 0, "nobody outside says anything more");
  gather(&g_hopes);
  // Somebody who sends a signal is not waited for where a time-out or a timer of the program's own comes anyway; but the parent of a forked
  // child is part of the program, and its clock is the machine's.
  const bool real = is_real_time();
  if (deadline != kNoDeadline && !real && !is_forked()) g_hopes.signals = false;
  if (!hopeful(g_hopes) && !(real && deadline != kNoDeadline)) return false;
  if (real) time_passes();
  uint64_t left = kNoDeadline;
  if (deadline != kNoDeadline) left = deadline > g_run.clock ? deadline - g_run.clock : 0;
  if (searching()) {
    const uint64_t budget = g_waited < kSearchBudget ? kSearchBudget - g_waited : 0;
    if (left != kNoDeadline && left > kSearchTimed) left = kSearchTimed;
    if (left > budget) left = budget;
  }
  ask_again();
  const uint64_t start = real_now();
  uint64_t spent = 0;
  bool found = false;
  while (!found) {
    // A signal to the process may have been taken by a thread that is parked, and then the wait of this one goes on.
    const bool by_another = g_run.carrier == Carrier::kKernel && g_live_count > 1;
    const bool glances = g_hopes.children || g_hopes.shared || g_hopes.signals || by_another;
    const uint64_t rest = left == kNoDeadline ? 3600000 * kMillisecond : left - spent;
    found = poll_really(&g_hopes, glances && rest > kGlance ? kGlance : rest) || news(g_hopes);
    spent = real_now() - start;
    if (spent >= left) break;
    if (!found && g_hopes.shared && wake_from_shared_conditions()) {
      g_waited += spent;
      return true;
    }
  }
  if (searching()) {
    if (!found) g_waited += spent;
  } else if (real) {
    time_passes();
    g_run.progress.last = g_run.step;
    signal_took_time();
    return found || g_run.clock >= deadline;
  } else {
    // In a plain run virtual time keeps up with the wait, and waiting is no livelock.
    if (deadline == kNoDeadline || g_run.clock + spent < deadline) wait_until(g_run.clock + spent);
    g_run.progress.last = g_run.step;
    signal_took_time();
  }
  return found;
}

void be_patient(const DescriptorWait& wait) {
  if (!repeats() || g_waited >= kSearchBudget || descriptors_ready(wait)) return;
  const timespec limit{0, static_cast<long>(kPatience)};
  if (sys(SYS_ppoll, wait.fds, wait.count, &limit, nullptr, 8) <= 0) g_waited += kPatience;
}

namespace {

template <typename Over>
void glance_until(Over over) {
  for (uint64_t spent = 0; spent < kPatience && g_waited < kSearchBudget; spent += kGlance / 5) {
    if (over()) return;
    const timespec pause{0, static_cast<long>(kGlance / 5)};
    sys(SYS_nanosleep, &pause, nullptr);
    if (has_arrived()) return;
  }
  g_waited += kPatience;
}

}  // namespace

void be_patient(const ChildWait& wait) {
  if (!repeats()) return;
  glance_until([&] { return child_ready(wait); });
}

void be_patient(const Pending& wait) {
  if (!repeats() || live_children() == 0) return;
  ThreadSlot* me = g_current;
  me->pending = wait;
  const auto over = [&] { return ready(*me) == Ready::kYes; };
  if (!over() && others_may_end(*me)) glance_until(over);
}

}  // namespace heddle::rt
