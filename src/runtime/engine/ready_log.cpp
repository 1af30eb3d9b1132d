#include "runtime/engine/ready_log.h"

#include <string.h>

#include "runtime/engine/model.h"
#include "wire/ready_log.h"

namespace heddle::rt {

bool g_logging_ready;

namespace {

// To ask the world outside may be an event of its own, and the tool knows nothing about it anyway.
bool is_outside(Op op) {
  const Family family = row(op).family;
  return family == Family::kDescriptors || family == Family::kSignals || family == Family::kProcesses;
}

uint64_t g_logged;  // words

}  // namespace

void install_ready_log(bool wanted) {
  g_logging_ready = wanted;
  g_logged = 0;
}

void log_ready() {
  const uint32_t words = (g_thread_count + 3) / 4;
  if (g_logged + 1 + words > kReadyLogWords) return;
  auto* rows = reinterpret_cast<RaceRow*>(g_run.slot + g_run.layout.races);
  while (g_run.header->race_count * uint64_t{kReadyLogRow} < g_logged + 1 + words)
    memset(&rows[g_run.header->race_count++], 0, sizeof(RaceRow));
  const ReadyLogHead head{static_cast<uint32_t>(g_run.step), words};
  memcpy(&ready_log_word(rows, g_logged++), &head, sizeof head);
  for (uint32_t w = 0; w < words; ++w) {
    ReadyLogThread four[4]{};
    for (uint32_t i = 0; i < 4 && 4 * w + i < g_thread_count; ++i) {
      const ThreadSlot& t = g_threads[4 * w + i];
      if (t.life != Life::kLive) continue;
      const Ready can = is_outside(t.pending.op) ? Ready::kUnknown : ready(t);
      four[i].op = static_cast<uint8_t>(t.pending.op);
      four[i].live = 1;
      four[i].due = has(t.pending.op, kTimed) && g_run.clock >= t.pending.deadline ? 1 : 0;
      four[i].ready = static_cast<uint8_t>(can) & 3;
    }
    memcpy(&ready_log_word(rows, g_logged++), four, sizeof four);
  }
}

}  // namespace heddle::rt
