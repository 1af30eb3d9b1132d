#include "runtime/engine/event_stacks.h"

#include <execinfo.h>
#include <string.h>

#include "runtime/engine/names.h"
#include "wire/event_stacks.h"

// The linker's names for where this library begins and ends.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

namespace heddle::rt {

bool g_keeping_stacks;

void install_event_stacks(bool wanted) { g_keeping_stacks = wanted; }

void keep_stack(const Event& event) {
  constexpr int kOwnFrames = 12;  // at most, between the program and here
  if (g_run.header->race_count >= kMaxRaces) return;
  RaceRow& row = reinterpret_cast<RaceRow*>(g_run.slot + g_run.layout.races)[g_run.header->race_count];
  memset(&row, 0, sizeof row);
  row.count = static_cast<uint32_t>(g_run.step);
  row.first.thread = event.thread;
  row.first.op = event.op;
  row.first.site = event.site;
  void* frames[kRaceStack + kOwnFrames];
  // What the unwinder calls is no operation of the program.
  const char managed = t_managed;
  t_managed = 0;
  const int depth = backtrace(frames, static_cast<int>(kRaceStack) + kOwnFrames);
  t_managed = managed;
  for (int i = 0; i < depth && row.first.stack_size < kRaceStack; ++i) {
    const char* pc = static_cast<char*>(frames[i]) - 1;
    if (pc >= __ehdr_start && pc < _end) continue;
    const SiteId site = site_of(pc);
    if (site != kNoSite) row.first.stack[row.first.stack_size++] = site;
  }
  ++g_run.header->race_count;
}

}  // namespace heddle::rt
