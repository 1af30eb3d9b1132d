// The tool's side of a run that is recorded while it goes on (StreamBlock in wire/channel.h).
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "exec/channel.h"
#include "trace/hash.h"

namespace heddle::exec {

namespace {

constexpr int kTablesShare = 100;  // of the time that goes by

uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

}  // namespace

void Channel::begin_stream() {
  control().stream.events = kStreamEvents;
  control().stream.input_bytes = kStreamInputs;
}

uint64_t Channel::event_count() const { return load(header().event_count); }

bool Channel::tables_have_changed(const Plan& plan) {
  const TraceHeader& h = header();
  const uint64_t sizes[] = {h.thread_count,       h.module_count, h.object_count,   control().note_count,
                            control().file_bytes, h.inputs_lost,  plan.sites.size()};
  const uint64_t now = hash_bytes(sizes, sizeof sizes);
  const bool changed = now != tables_seen_;
  tables_seen_ = now;
  return changed;
}

// The records of the ring in one piece. Whatever the target scribbled there, what comes back consists of whole records.
std::string Channel::ring_inputs(uint64_t from, uint64_t to) const {
  const char* arena = base_ + layout_.inputs;
  std::string records;
  while (from < to) {
    const uint64_t offset = from % kStreamInputs;
    const uint64_t rest = kStreamInputs - offset;
    InputRecord r{};
    if (rest >= sizeof r) std::memcpy(&r, arena + offset, sizeof r);
    if (rest < sizeof r || r.kind == InputKind::kRest) {
      from += rest;
      continue;
    }
    const uint64_t bytes = input_record_bytes(r.size);
    if (bytes > rest || bytes > to - from) break;
    records.append(arena + offset, bytes);
    from += bytes;
  }
  return records;
}

void Channel::drained(uint64_t events, uint64_t inputs) {
  StreamBlock& s = control().stream;
  __atomic_store_n(&s.drained_events, events, __ATOMIC_RELEASE);
  __atomic_store_n(&s.drained_inputs, inputs, __ATOMIC_RELEASE);
  __atomic_add_fetch(&s.ticket, 1, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &s.ticket, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Channel::take_stream(const Plan& plan, StreamSink& sink, bool last) {
  const StreamBlock& s = control().stream;
  // Before a program has claimed the run its header says nothing.
  if (control().server_pid == 0 && !last) return;
  const uint64_t count = event_count();
  const uint64_t whole = last ? count : count - std::min(count, kOpenEvents);
  const uint64_t inputs = last ? header().input_bytes : load(s.ready_inputs);
  // What an event got from outside is here when the event is. Its thread is where tables are small; a program that makes threads or objects all the time has
  // tables that grow, and is not to spend its time on them: where the recording is cut, up to a second more is lost.
  const auto now = Clock::now();
  if ((now >= tables_due_ || tables_seen_ == 0) && tables_have_changed(plan)) {
    sink.tables(read(plan, 0, [](const Outcome&) { return false; }));
    const auto written = Clock::now();
    tables_due_ = written + std::min<Clock::duration>(kTablesShare * (written - now), std::chrono::seconds(1));
  }
  if (inputs > s.drained_inputs && inputs - s.drained_inputs <= kStreamInputs) {
    const std::string records = ring_inputs(s.drained_inputs, inputs);
    if (!records.empty()) sink.inputs(records);
  }
  const auto* ring = rows<Event>(layout_.events);
  uint64_t taken = s.drained_events;
  while (taken < whole && whole - taken <= kStreamEvents) {
    const uint64_t at = taken & (kStreamEvents - 1);
    const uint64_t piece = std::min(whole - taken, kStreamEvents - at);
    sink.events(taken, {ring + at, piece});
    taken += piece;
  }
  drained(std::max(taken, s.drained_events), std::max(inputs, s.drained_inputs));
}

void Channel::drop_stream() {
  const uint64_t count = event_count();
  drained(std::max(count - std::min(count, kOpenEvents), control().stream.drained_events), load(control().stream.ready_inputs));
}

}  // namespace heddle::exec
