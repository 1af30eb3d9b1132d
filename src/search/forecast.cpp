#include "search/forecast.h"

#include <algorithm>

#include "trace/blocks.h"
#include "trace/happens_before.h"
#include "trace/known.h"
#include "trace/locks.h"
#include "trace/patience.h"

namespace heddle::search {

namespace {

bool ended_itself(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kExit:
    case OutcomeKind::kSignal:
    case OutcomeKind::kAbort:
    case OutcomeKind::kAssert:
    case OutcomeKind::kException: return true;
    default: return false;
  }
}

}  // namespace

void Forecast::learn(const Trace& trace, const Plan* plan) {
  if (!begun_.empty()) {
    const auto reached = reached_.find(begun_.front());
    if (reached != reached_.end() && --reached->second == 0) reached_.erase(reached);
    begun_.pop_front();
  }
  const auto events = trace.events();
  if (!usable_ || events.empty() || events.size() > kLongest || trace.data().executed != events.size()) return;
  if (steps_.size() > kMostKnown) {
    usable_ = false;
    return;
  }
  earned_ += events.size();
  // What was seen before teaches nothing.
  const uint64_t order = order_hash(trace);
  if (orders_.insert(order).second) learn_steps(trace);
  if (plan == nullptr || !ended_itself(trace.outcome().kind)) return;
  // Nothing of this run is new any more: the forecast has to be this very run, or is of no use here.
  if (const auto predicted = this->order(*plan)) (*predicted == order ? right_ : wrong_) += 1;
  if (++tested_ == kHopeless && right_ == 0) usable_ = false;
}

void Forecast::learn_steps(const Trace& trace) {
  const auto events = trace.events();
  const Blocks blocks(trace);
  HeldLocks locks(trace.threads().size());
  const std::vector<uint64_t>& found = found_by(trace);
  steps_.make_room(events.size() + trace.threads().size());
  last_.clear();
  for (const Thread& t : trace.threads()) last_.push_back(&steps_.insert(beginning(t.id)));
  auto goes_on = [](Step& step, const Next& next) {
    if (!step.known_next) step.next = next;
    step.known_next = true;
  };
  now_.objects = start_.objects;
  now_.threads.assign(trace.threads().size(), {});
  for (model::ThreadNow& t : now_.threads) t.live = true;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    const ObjectId mutex = locks.mutex_of(e);
    const ObjectId block = blocks.of(e.object);
    const uint32_t object = model::has_object(e.op) ? at(e.object) : 0;
    const uint32_t mutex_at = mutex == kNoObject ? model::kNone : at(mutex);
    goes_on(*last_[e.thread], Next{e.op, e.object, e.site, mutex, block, object, mutex_at});
    Step& step = steps_.insert(name_of(found[i]));
    if (!step.known_result) step.flags = e.flags;
    step.known_result = true;
    last_[e.thread] = &step;
    locks.step(i, e);
    if (!is_memory(e.op)) learn_object(trace, e, object, mutex_at);
  }
  if (ended_itself(trace.outcome().kind)) last_[events.back().thread]->ends = true;
  for (uint32_t i = 0; i < trace.threads().size(); ++i) {
    const Thread& t = trace.threads()[i];
    if (t.state == ThreadState::kFinished || t.pending == Op::kNone) continue;
    const bool wakes = model::is_reacquire(t.pending);
    const ObjectId mutex = wakes ? locks.wait_mutex(i) : kNoObject;
    const uint32_t object = model::has_object(t.pending) ? at(t.object) : 0;
    const uint32_t mutex_at = mutex == kNoObject ? model::kNone : at(mutex);
    goes_on(*last_[i], Next{t.pending, t.object, t.site, mutex, blocks.of(t.object), object, mutex_at});
    model::learn_end(start_.objects.data(), now_.objects[object], i, t.pending, object, t.state == ThreadState::kBlocked);
  }
  most_threads_ = std::max(most_threads_, trace.threads().size());
}

uint32_t Forecast::at(ObjectId object) {
  const auto [known, fresh] = objects_.try_emplace(object, static_cast<uint32_t>(start_.objects.size()));
  if (fresh) {
    start_.objects.push_back({});
    now_.objects.push_back({});
  }
  return known->second;
}

// Of what sort the object is, as far as the event tells.
void Forecast::learn_object(const Trace& trace, const Event& e, uint32_t object, uint32_t mutex) {
  model::Happening h{e.op, e.flags, e.thread, object, mutex, model::kNone, e.value};
  if (e.op == Op::kThreadCreate) h.peer = trace.thread_index(child_thread(trace.thread_id(e), static_cast<uint32_t>(e.value)));
  if ((e.flags & kChoice) != 0 && e.op == Op::kCondSignal) h.peer = trace.thread_index(e.value);
  model::EventState state = now_.view();
  model::learn(start_.objects.data(), &state, h);
  model::apply(state, h);
}

bool Forecast::knows(const Plan& plan) {
  asked_ = 0;
  if (!trusted()) return false;
  if (!affordable()) {
    if (!exact_) give_up();
    return false;
  }
  const auto predicted = order(plan);
  asked_ = predicted ? 0 : news_;
  return predicted ? orders_.contains(*predicted) : reached_.contains(news_);
}

void Forecast::begin(const Plan& plan, bool asked) {
  begun_.push_back(asked ? asked_ : trusted() && affordable() && !order(plan) ? news_ : 0);
  if (begun_.back() != 0) ++reached_[begun_.back()];
}

// What the thread does next; false if that is not known.
bool Forecast::stand(uint32_t slot) {
  Actor& t = threads_[slot];
  if (t.at == nullptr) t.at = steps_.find(beginning(t.id));
  if (t.at == nullptr || !t.at->known_next || !model::is_known(t.at->next.op) || has(t.at->next.op, kTimed)) return false;
  t.next = &t.at->next;
  t.waits = model::waits_for(t.next->op) != model::WaitKind::kNothing;
  t.joins = model::kNone;
  show(slot);
  return true;
}

// What the policy sees of the thread. Whether it is ready others can change only where it waits for something.
void Forecast::show(uint32_t slot) {
  const Actor& t = threads_[slot];
  const Next& n = *t.next;
  candidates_[t.place] = {t.id, slot, t.number + 1, n.op, ready(slot), t.gave_way, n.object, n.site, t.last_step, 0};
}

void Forecast::leave(uint32_t slot) {
  candidates_.erase(candidates_.begin() + threads_[slot].place);
  for (uint32_t i = slot + 1; i < threads_.size(); ++i) --threads_[i].place;
}

Ready Forecast::ready(uint32_t slot) {
  Actor& t = threads_[slot];
  const Next& n = *t.next;
  if (n.op != Op::kThreadJoin) return now_.ready(n.op, {slot, n.at});
  for (uint32_t i = 0; i < threads_.size() && t.joins == model::kNone; ++i) {
    if (thread_object(threads_[i].id) == n.object) t.joins = i;
  }
  return now_.ready(n.op, {slot, t.joins});
}

// As the runtime's scheduler does it. kNobody: nobody can go on; nothing: nobody can tell.
std::optional<uint32_t> Forecast::decide(Director& director) {
  if (now_.threads[current_].live) {
    const Actor& t = threads_[current_];
    // Alone before the first thread: nobody is asked.
    if (threads_.size() == 1 && t.next->op != Op::kThreadCreate && ready(current_) == Ready::kYes) return current_;
    if (!t.gave_way && director.keeps(t.id, t.number + 1, step_ + 1) && ready(current_) == Ready::kYes) return current_;
  }
  able_.clear();
  for (uint32_t i = 0; i < candidates_.size(); ++i) {
    Candidate& c = candidates_[i];
    if (threads_[c.slot].waits) c.ready = ready(c.slot);
    if (c.ready == Ready::kUnknown) return std::nullopt;
    if (c.ready == Ready::kYes && !c.gave_way) able_.push_back(i);
  }
  PointView m{};
  m.current = now_.threads[current_].live ? threads_[current_].place : kNobody;
  m.threads = candidates_.data();
  m.count = static_cast<uint32_t>(candidates_.size());
  m.step = step_ + 1;
  m.able = able_.data();
  m.able_count = static_cast<uint32_t>(able_.size());
  const Decision decision = director.next(m);
  if (decision.verdict != Verdict::kRun) return kNobody;
  return candidates_[decision.index].slot;
}

// Who is woken, first come first if the policy does not draw.
uint32_t Forecast::signal(const Director& director, uint32_t slot) {
  const std::vector<uint32_t> queue = now_.waiters(threads_[slot].next->at);
  if (queue.empty()) return model::kNone;
  std::vector<uint64_t> ids;
  for (uint32_t w : queue) ids.push_back(threads_[w].id);
  return queue[director.choose(threads_[slot].id, threads_[slot].number, step_, ids.data(), static_cast<uint32_t>(ids.size()))];
}

// What the operation changes; false if that is doubtful.
bool Forecast::take(uint32_t slot, uint16_t flags, uint32_t woken) {
  Actor& t = threads_[slot];
  const Next& n = *t.next;
  model::Happening h{n.op, flags, slot, n.at, n.mutex_at, woken, 0};
  const bool creates = n.op == Op::kThreadCreate && (flags & kFailed) == 0;
  if (creates) {
    const ThreadId child = child_thread(t.id, ++t.births);
    if (thread_object(child) != n.object || threads_.size() == most_threads_) return false;
    h.peer = static_cast<uint32_t>(threads_.size());
    threads_.push_back({});
    threads_.back().id = child;
    threads_.back().place = static_cast<uint32_t>(candidates_.size());
    candidates_.push_back({});
    now_.threads.push_back({});
  }
  if (model::is_condition_wait(n.op) && (n.mutex_at == model::kNone || now_.objects[n.mutex_at].owner != slot)) return false;
  now_.apply(h);
  return !creates || stand(h.peer);
}

// The work is counted, not timed: what is proposed must not depend on the machine.
bool Forecast::affordable() const { return spent_ <= kFree + (exact_ ? kPerEvent * earned_ : 0); }

void Forecast::give_up() {
  usable_ = false;
  steps_ = {};
  orders_ = {};
  reached_ = {};
}

std::optional<uint64_t> Forecast::order(const Plan& plan) {
  const auto order = run_through(plan);
  spent_ += step_;
  return order;
}

std::optional<uint64_t> Forecast::run_through(const Plan& plan) {
  step_ = 0;
  if (!usable_ || !plan.skips.empty()) return std::nullopt;
  block_.resize(encoded_size(plan));
  encode_to(plan, block_.data());
  policy_threads_.assign(std::max(most_threads_, plan.weights.size()) + 1, {});
  Director director;
  director.install(PlanView::over(block_.data()), policy_threads_.data(), 0);
  walk_.reset();
  now_.objects = start_.objects;
  now_.threads.assign(1, {});
  now_.threads[0].live = true;
  threads_.assign(1, {});
  threads_[0].id = kMainThread;
  candidates_.assign(1, {});
  current_ = 0;
  news_ = 0;
  if (!stand(0)) return std::nullopt;
  while (step_ < kLongest && step_ < plan.limits.events) {
    think();
    const auto chosen = decide(director);
    if (!chosen) return std::nullopt;
    if (*chosen == kNobody) return walk_.whole();
    const uint32_t slot = *chosen;
    if (slot != current_ && now_.threads[current_].live) {
      threads_[current_].gave_way = false;
      candidates_[threads_[current_].place].gave_way = false;
    }
    current_ = slot;
    Actor& t = threads_[slot];
    const Next next = *t.next;
    ++t.number;
    t.last_step = ++step_;
    const uint32_t woken = next.op == Op::kCondSignal ? signal(director, slot) : model::kNone;
    const bool chooses = woken != model::kNone;
    const uint64_t found = name_of(
        walk_.finds({slot, t.id, t.number, next.op, chooses, chooses ? threads_[woken].id : 0, next.mutex, next.object, next.block}));
    t.at = steps_.find(found);
    if (t.at == nullptr || !t.at->known_result) {
      news_ = found;
      return std::nullopt;
    }
    Event e{};
    e.op = next.op;
    e.flags = t.at->flags;
    walk_.ends(only_reads(e));
    t.gave_way = has(e.op, kYields) || (e.flags & kSpin) != 0;
    const bool ends = t.at->ends;
    if (!take(slot, e.flags, woken)) return std::nullopt;
    if (ends) return walk_.whole();
    if (!now_.threads[slot].live) {
      leave(slot);
    } else if (!stand(slot)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace heddle::search
