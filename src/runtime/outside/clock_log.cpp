#include "runtime/outside/clock_log.h"

#include "runtime/engine/stream.h"
#include "runtime/outside/input_log.h"

namespace heddle::rt {

namespace {

constexpr uint32_t kBlockBytes = 1024;
constexpr uint32_t kLongestEntry = 24;
constexpr uint32_t kBaseOrdinal = 0;  // of the records: the base, then the blocks

// The low two bits of an entry's first number; the rest of it is the motion of the clock, or the value itself.
enum class Kind : uint8_t { kLook = 0, kValue = 1, kPass = 2, kEnd = 3 };

struct Entry {
  Kind kind;
  uint64_t clock;  // or the value
  uint64_t step;   // of a pass
};

struct Writer {
  uint32_t blocks;           // begun
  const InputRecord* block;  // the last one
  uint64_t first;            // the step of its first entry
  uint64_t clock;
  uint64_t step;
};
Writer g_out;

struct Reader {
  bool started;
  const InputRecord* block;
  uint32_t number;
  uint64_t at;
  uint64_t clock;
  uint64_t step;
  Entry next;
};
Reader g_in;

// A recording is taken away while it is made: an entry goes with the events around it.
constexpr uint64_t kOldestStreamed = kOpenEvents / 2;

// Is there room for one more entry? If not, the arena is full.
bool has_room() {
  const bool old = is_streaming() && g_run.step - g_out.first >= kOldestStreamed;
  if (g_out.block != nullptr && is_last(g_out.block) && !old && g_out.block->size + kLongestEntry <= kBlockBytes) return true;
  g_out.block = new_clock_record(kBaseOrdinal + 1 + g_out.blocks, kBlockBytes);
  if (g_out.block == nullptr) return false;
  ++g_out.blocks;
  g_out.first = g_run.step;
  return true;
}

void put(uint64_t number) {
  unsigned char bytes[10];
  uint32_t size = 0;
  for (; number >= 128; number >>= 7) bytes[size++] = static_cast<unsigned char>(number | 128);
  bytes[size++] = static_cast<unsigned char>(number);
  add_to_last(bytes, size);
}

uint64_t get() {
  const auto* bytes = reinterpret_cast<const unsigned char*>(g_in.block + 1);
  uint64_t number = 0;
  for (unsigned shift = 0; g_in.at < g_in.block->size && shift < 64; shift += 7) {
    const unsigned char byte = bytes[g_in.at++];
    number |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) break;
  }
  return number;
}

bool has_more() {
  while (g_in.block != nullptr && g_in.at >= g_in.block->size) {
    g_in.block = recorded_clock(kBaseOrdinal + 1 + ++g_in.number);
    g_in.at = 0;
  }
  return g_in.block != nullptr;
}

void advance() {
  do {
    g_in.next = {Kind::kEnd, 0, 0};
    if (!has_more()) return;
    const uint64_t first = get();
    g_in.next.kind = static_cast<Kind>(first & 3);
    if (g_in.next.kind == Kind::kValue) {
      g_in.next.clock = first >> 2;
    } else {
      g_in.next.clock = g_in.clock += first >> 2;
    }
    if (g_in.next.kind == Kind::kPass) g_in.next.step = g_in.step += get();
    // Under another schedule nobody looks at the same places; time passes as it did.
  } while (!replays_exactly() && g_in.next.kind != Kind::kPass);
}

const Entry& next_entry() {
  if (!g_in.started) {
    g_in.started = true;
    g_in.block = recorded_clock(kBaseOrdinal + 1);
    advance();
  }
  return g_in.next;
}

bool take(Kind kind, uint64_t* out) {
  if (!replays_exactly() || next_entry().kind != kind) return false;
  *out = g_in.next.clock;
  advance();
  return true;
}

void log_motion(Kind kind, uint64_t clock) {
  if (!has_room()) return;
  put((clock - g_out.clock) << 2 | static_cast<uint64_t>(kind));
  g_out.clock = clock;
}

}  // namespace

bool recorded_base(ClockBase* base) {
  const InputRecord* r = recorded_clock(kBaseOrdinal);
  if (r == nullptr || r->size < sizeof *base) return false;
  *base = *reinterpret_cast<const ClockBase*>(r + 1);
  return true;
}

void log_base(const ClockBase& base) {
  if (new_clock_record(kBaseOrdinal, sizeof base) != nullptr) add_to_last(&base, sizeof base);
}

bool recorded_look(uint64_t* clock) { return take(Kind::kLook, clock); }
bool recorded_value(uint64_t* value) { return take(Kind::kValue, value); }

bool recorded_pass(uint64_t step, uint64_t* clock, uint64_t* next) {
  const Entry& e = next_entry();
  *next = e.kind == Kind::kPass ? e.step : UINT64_MAX;
  if (*next > step) return false;
  *clock = e.clock;
  advance();
  return true;
}

void log_look(uint64_t clock) { log_motion(Kind::kLook, clock); }

void log_value(uint64_t value) {
  if (has_room()) put(value << 2 | static_cast<uint64_t>(Kind::kValue));
}

void log_pass(uint64_t step, uint64_t clock) {
  log_motion(Kind::kPass, clock);
  if (g_out.block == nullptr) return;
  put(step - g_out.step);
  g_out.step = step;
}

void end_clock_record() { g_out.block = nullptr; }

void read_clock_from_here() {
  g_in = {};
  g_in.started = true;
  g_in.number = g_out.blocks;
  g_in.clock = g_out.clock;
  g_in.step = g_out.step;
  g_in.block = recorded_clock(kBaseOrdinal + 1 + g_in.number);
  advance();
}

}  // namespace heddle::rt
