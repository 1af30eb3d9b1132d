#include "trace/trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/condition.h"
#include "trace/plain_points.h"

namespace heddle::trace {

namespace {

// A switch after event `last` is a preemption iff the thread's next operation was enabled, not only by its time-out, and `last` was no
// yield, no sleep and no spin iteration (contract "Counting").
void mark_preemption(TraceSlice& slice, const Event& last, const Event& next) {
  const bool ready = (next.flags & kPreviousReady) != 0;
  const bool by_timeout = (next.flags & kPreviousReadyByTimeout) != 0;
  const bool gave_way = has(last.op, kYields) || (last.flags & kSpin) != 0;
  slice.preempted_paper = ready || by_timeout;
  slice.preempted = ready && !by_timeout && !gave_way;
}

LongRows<TraceSlice> slices_of(const LongRows<Event>& events) {
  if (events.empty()) return {};
  // Counted first: this is done for every run, and to grow step by step would copy them several times.
  size_t count = 1;
  for (size_t i = 1; i < events.size(); ++i) count += events[i].thread != events[i - 1].thread ? 1 : 0;
  LongRows<TraceSlice> slices(count);
  TraceSlice* slice = slices.data();
  slice->thread = events[0].thread;
  for (size_t i = 1; i < events.size(); ++i) {
    if (events[i].thread == events[i - 1].thread) continue;
    slice->end = i;
    mark_preemption(*slice, events[i - 1], events[i]);
    ++slice;
    slice->thread = events[i].thread;
    slice->begin = i;
  }
  slice->end = events.size();
  return slices;
}

}  // namespace

Trace::Trace(Data data) {
  for (size_t i = 0; i < data.threads.size(); ++i) {
    Thread& t = data.threads[i];
    t.path = i == 0 || t.parent >= i ? "0" : fmt::format("{}.{}", data.threads[t.parent].path, t.birth);
  }
  slices_ = std::make_shared<const LongRows<TraceSlice>>(slices_of(data.events));
  data_ = std::make_shared<const Data>(std::move(data));
}

Counts Trace::counts() const {
  Counts c;
  c.events = data_->events.size();
  if (!data_->skips.empty()) {  // of a removed thread there is neither start nor join
    c.events -= static_cast<size_t>(
        std::count_if(data_->events.begin(), data_->events.end(), [](const Event& e) { return (e.flags & kDisabledThread) != 0; }));
  }
  c.switches = switches();
  std::vector<bool> seen(data_->threads.size());
  for (const TraceSlice& s : *slices_) {
    if (!seen[s.thread]) {
      seen[s.thread] = true;
      ++c.threads;
    }
    c.preemptions += s.preempted ? 1 : 0;
    c.preemptions_paper += s.preempted_paper ? 1 : 0;
  }
  return c;
}

uint32_t Trace::thread_index(ThreadId id) const {
  for (size_t i = 0; i < data_->threads.size(); ++i) {
    if (data_->threads[i].id == id) return static_cast<uint32_t>(i);
  }
  return kNoIndex;
}

const ObjectRow* Trace::object(ObjectId id) const {
  for (const ObjectRow& row : data_->objects) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

Trace Trace::with_outcome(Outcome outcome) const {
  Trace copy = *this;
  Data data = *data_;
  data.outcome = std::move(outcome);
  copy.data_ = std::make_shared<const Data>(std::move(data));
  return copy;
}

Trace Trace::with_learnt(std::vector<CodePoint> loops) const {
  Trace copy = *this;
  Data data = *data_;
  data.learnt = std::move(loops);
  copy.data_ = std::make_shared<const Data>(std::move(data));
  return copy;
}

Trace Trace::with_inputs(InputLog inputs) const {
  Trace copy = *this;
  Data data = *data_;
  data.inputs = std::make_shared<const InputLog>(std::move(inputs));
  copy.data_ = std::make_shared<const Data>(std::move(data));
  return copy;
}

std::optional<Choice> choice_of(const Trace& trace, const Event& e) {
  const bool spurious = (e.flags & kSpurious) != 0 && model::is_condition_wait(e.op);
  if (!spurious && (e.flags & kChoice) == 0) return std::nullopt;
  // The value of a wait is its mutex.
  return Choice{trace.thread_id(e), e.number, spurious ? kChoiceSpurious : e.value};
}

Plan plan_of(const Trace& trace, Strictness strictness) {
  Plan plan;
  plan.strictness = strictness;
  plan.points = trace.data().points;
  plan.points_id = trace.data().points_id;
  plan.env_seed = trace.data().env_seed;
  plan.input_id = trace.data().input_id;
  plan.skips = trace.data().skips;
  plan.sites = trace.data().sites;
  plan.code = code_of(trace, strictness);
  // Another part of a recording has other answers.
  const bool strict = strictness == Strictness::kStrict;
  if (strict ? !trace.inputs().calls.empty() : trace.inputs().from_outside()) plan.inputs = trace.data().inputs;
  for (const TraceSlice& s : trace.slices()) {
    plan.slices.push_back({trace.threads()[s.thread].id, trace.events()[s.end - 1].number});
  }
  for (const Event& e : trace.events()) {
    if (const auto choice = choice_of(trace, e)) plan.choices.push_back(*choice);
  }
  plan.sort_choices();
  return plan;
}

size_t first_difference(const Trace& a, const Trace& b, std::string* why) {
  const size_t common = std::min(a.events().size(), b.events().size());
  auto say = [&](size_t at, const char* what) {
    if (why != nullptr) *why = fmt::format("event {} differs in its {}", a.data().first + at + 1, what);
    return at;
  };
  for (size_t i = 0; i < common; ++i) {
    const Event& x = a.events()[i];
    const Event& y = b.events()[i];
    if (a.thread_id(x) != b.thread_id(y)) return say(i, "thread");
    if (x.number != y.number) return say(i, "number");
    if (x.op != y.op) return say(i, "operation");
    if (x.site != y.site) return say(i, "place in the code");
    if (x.object != y.object) return say(i, "object");
    if (x.value != y.value) {
      if (why != nullptr)
        *why = fmt::format("event {} ({}) differs in its value: {:#x} and {:#x}", a.data().first + i + 1, row(x.op).words, x.value, y.value);
      return i;
    }
    if (x.flags != y.flags) return say(i, "flags");
  }
  if (a.events().size() != b.events().size()) {
    if (why != nullptr) *why = fmt::format("one run ends after event {}, the other goes on", common);
    return common;
  }
  if (a.outcome().kind != b.outcome().kind || a.outcome().code != b.outcome().code) {
    if (why != nullptr) *why = "the same events ended differently";
    return common;
  }
  return kNoDifference;
}

}  // namespace heddle::trace
