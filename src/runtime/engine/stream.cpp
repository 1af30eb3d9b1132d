#include "runtime/engine/stream.h"

#include <linux/futex.h>
#include <string.h>
#include <time.h>

#include "runtime/base/sys.h"
#include "runtime/engine/run.h"

namespace heddle::rt {

namespace {

StreamBlock& block() { return g_run.control->stream; }

uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

// The tool looks every few milliseconds; when it dies, so does this process.
template <typename Has>
void wait_until(Has has) {
  for (;;) {
    const uint32_t seen = __atomic_load_n(&block().ticket, __ATOMIC_ACQUIRE);
    if (has()) return;
    const timespec limit{0, 100000000};
    sys(SYS_futex, &block().ticket, FUTEX_WAIT, seen, &limit, nullptr, 0);
  }
}

void publish_events(const Event* events, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    wait_until([&] { return i < load(block().drained_events) + block().events; });
    g_run.events[i & g_run.ring] = events[i];
    __atomic_store_n(&g_run.header->event_count, i + 1, __ATOMIC_RELEASE);
  }
}

void publish_inputs(const char* records, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes;) {
    const uint64_t size = input_record_bytes(reinterpret_cast<const InputRecord*>(records + at)->size);
    if (char* to = input_room(size)) memcpy(to, records + at, size);
    at += size;
  }
  inputs_are_whole();
}

}  // namespace

bool is_streaming() { return g_run.claimed && block().events != 0; }

void begin_stream(const char* own) {
  const auto* before = reinterpret_cast<const TraceHeader*>(own + g_run.layout.header);
  g_run.ring = block().events - 1;
  g_run.capacity = UINT64_MAX;
  g_run.header->event_count = 0;
  g_run.header->input_bytes = 0;
  // What an event's thread is has to be known before the event.
  g_run.header->thread_count = g_thread_count;
  for (uint32_t i = 0; i < g_thread_count; ++i) name_row(g_threads[i]);
  publish_inputs(own + g_run.layout.inputs, before->input_bytes);
  publish_events(reinterpret_cast<const Event*>(own + g_run.layout.events), before->event_count);
  g_run.mapped = wait_for_event_room();
}

uint64_t wait_for_event_room() {
  const auto room = [] { return load(block().drained_events) + block().events; };
  wait_until([&] { return g_run.step < room(); });
  return room();
}

char* input_room(uint64_t bytes) {
  const uint64_t ring = block().input_bytes;
  if (bytes > ring / 2) return nullptr;
  TraceHeader* h = g_run.header;
  char* arena = g_run.slot + g_run.layout.inputs;
  const uint64_t offset = h->input_bytes % ring;
  const uint64_t rest = ring - offset;
  const uint64_t skipped = bytes > rest ? rest : 0;
  wait_until([&] { return h->input_bytes + skipped + bytes <= load(block().drained_inputs) + ring; });
  if (skipped >= sizeof(InputRecord)) {
    InputRecord nothing{};
    nothing.kind = InputKind::kRest;
    memcpy(arena + offset, &nothing, sizeof nothing);
  }
  h->input_bytes += skipped + bytes;
  return arena + (skipped != 0 ? 0 : offset);
}

void inputs_are_whole() { __atomic_store_n(&block().ready_inputs, g_run.header->input_bytes, __ATOMIC_RELEASE); }

}  // namespace heddle::rt
