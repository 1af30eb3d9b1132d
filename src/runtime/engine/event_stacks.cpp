#include "runtime/engine/event_stacks.h"

#include <string.h>

#include "runtime/engine/names.h"
#include "runtime/engine/unwinder.h"
#include "wire/event_stacks.h"

namespace heddle::rt {

bool g_keeping_stacks;

void install_event_stacks(bool wanted) { g_keeping_stacks = wanted; }

void keep_stack(const Event& event) {
  if (g_run.header->race_count >= kMaxRaces) return;
  RaceRow& row = reinterpret_cast<RaceRow*>(g_run.slot + g_run.layout.races)[g_run.header->race_count];
  memset(&row, 0, sizeof row);
  row.count = static_cast<uint32_t>(g_run.step);
  row.first.thread = event.thread;
  row.first.op = event.op;
  row.first.site = event.site;
  CallFrame frames[kRaceStack];
  // What the unwinder calls is no operation of the program.
  const char managed = t_managed;
  t_managed = 0;
  const int depth = find_call_frames(frames, static_cast<int>(kRaceStack));
  t_managed = managed;
  const auto low = reinterpret_cast<uintptr_t>(g_current->carrier.stack_low);
  const auto high = reinterpret_cast<uintptr_t>(g_current->carrier.stack_high);
  for (int i = 0; i < depth; ++i) {
    const SiteId site = site_of(reinterpret_cast<const void*>(frames[i].pc - 1));
    if (site == kNoSite) continue;
    const uint32_t at = row.first.stack_size++;
    row.first.stack[at] = site;
    row.second.stack[at] = frames[i].end >= low && frames[i].end <= high ? high - frames[i].end : kNoFrameEnd;
  }
  ++g_run.header->race_count;
}

}  // namespace heddle::rt
