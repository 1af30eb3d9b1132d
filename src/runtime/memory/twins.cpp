#include "runtime/memory/twins.h"

#include <link.h>
#include <string.h>

#include "runtime/base/memory_map.h"
#include "runtime/base/program_text.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "runtime/memory/patch.h"
#include "wire/disabled_hooks.h"
#include "wire/event_stacks.h"
#include "wire/twin_note.h"

namespace heddle::rt {

namespace {

struct Function {
  const TwinNote* note;
  uintptr_t entry, plain;
  uint64_t name;
  uint32_t next;            // of the same place in the table of names, plus one
  uint32_t visit;           // the search that has been here last
  uint32_t disabled_loops;  // of those that may wait: a bit where a hook inside is disabled
  bool matters;             // has a point, does atomic operations, or calls what is not known
  bool hot, silent, gone;   // silent: seen to call nothing that matters; gone: begins with the jump
};

struct Stretch {
  uintptr_t begin, end;
  uint32_t function;
  bool plain;
};

Function* g_functions;
uint32_t g_function_count;
Stretch* g_stretches;  // sorted
uint32_t g_stretch_count;
uint32_t* g_names;  // table: the first function, plus one
uint32_t g_name_mask;
uint32_t* g_queue;
uint32_t g_visit;
bool g_choosing;  // twins may be taken

uintptr_t place(const int32_t* field) {
  return *field == 0 ? 0 : reinterpret_cast<uintptr_t>(field) + static_cast<uintptr_t>(static_cast<intptr_t>(*field));
}

uint64_t joined(const uint32_t* halves) { return halves[0] | static_cast<uint64_t>(halves[1]) << 32; }

const int32_t* loops_of(const TwinNote* note) { return reinterpret_cast<const int32_t*>(note + 1); }
const uint32_t* names_of(const TwinNote* note) { return reinterpret_cast<const uint32_t*>(note + 1) + 2 * note->loops; }

struct Notes {
  uint32_t count;
  bool keep;
};

void add_stretch(uintptr_t begin, uintptr_t end, uint32_t function, bool plain) {
  if (begin != 0 && end > begin) g_stretches[g_stretch_count++] = {begin, end, function, plain};
}

void add_function(const TwinNote* note) {
  Function& f = g_functions[g_function_count];
  f.note = note;
  f.entry = place(&note->entry);
  f.plain = place(&note->plain);
  f.name = joined(note->name);
  f.matters = (note->flags & (kTwinAtomics | kTwinOpaque)) != 0;
  add_stretch(f.entry, place(&note->end), g_function_count, false);
  add_stretch(place(&note->cold), place(&note->cold_end), g_function_count, false);
  add_stretch(f.plain, place(&note->plain_end), g_function_count, true);
  ++g_function_count;
}

int read_notes(dl_phdr_info* info, size_t, void* data) {
  auto* notes = static_cast<Notes*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || segment.p_align > 4) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* head = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* owner = at + sizeof *head;
      const char* body = owner + ((head->n_namesz + 3) & ~3u);
      if (head->n_namesz == sizeof kTwinOwner && head->n_type == kTwinNote && head->n_descsz >= sizeof(TwinNote) &&
          memcmp(owner, kTwinOwner, sizeof kTwinOwner) == 0) {
        if (notes->keep && g_function_count < notes->count) add_function(reinterpret_cast<const TwinNote*>(body));
        if (!notes->keep) ++notes->count;
      }
      at = body + ((head->n_descsz + 3) & ~3u);
    }
  }
  return 0;
}

// The linker lays functions out in any order; shell sort, as the list is sorted once and must not call anything.
void sort_stretches() {
  uint32_t gap = 1;
  while (gap < g_stretch_count / 3) gap = gap * 3 + 1;
  for (; gap > 0; gap /= 3) {
    for (uint32_t i = gap; i < g_stretch_count; ++i) {
      const Stretch moved = g_stretches[i];
      uint32_t to = i;
      for (; to >= gap && g_stretches[to - gap].begin > moved.begin; to -= gap) g_stretches[to] = g_stretches[to - gap];
      g_stretches[to] = moved;
    }
  }
}

bool find_twins() {
  Notes notes{0, false};
  dl_iterate_phdr(read_notes, &notes);
  if (notes.count == 0) return false;
  uint32_t slots = 64;
  while (slots < notes.count * 2) slots *= 2;
  g_functions = static_cast<Function*>(map_zeroed(sizeof(Function) * notes.count));
  g_stretches = static_cast<Stretch*>(map_zeroed(sizeof(Stretch) * notes.count * 3));
  g_names = static_cast<uint32_t*>(map_zeroed(sizeof(uint32_t) * slots));
  g_queue = static_cast<uint32_t*>(map_zeroed(sizeof(uint32_t) * notes.count));
  if (g_functions == nullptr || g_stretches == nullptr || g_names == nullptr || g_queue == nullptr) return false;
  g_name_mask = slots - 1;
  notes.keep = true;
  dl_iterate_phdr(read_notes, &notes);
  sort_stretches();
  for (uint32_t i = 0; i < g_function_count; ++i) {
    uint32_t& first = g_names[g_functions[i].name & g_name_mask];
    g_functions[i].next = first;
    first = i + 1;
  }
  return true;
}

const Stretch* stretch_of(uintptr_t at) {
  uint32_t low = 0;
  uint32_t high = g_stretch_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (g_stretches[middle].end <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < g_stretch_count && at >= g_stretches[low].begin ? &g_stretches[low] : nullptr;
}

Function* function_of(uintptr_t at) {
  const Stretch* stretch = stretch_of(at);
  return stretch != nullptr && !stretch->plain ? &g_functions[stretch->function] : nullptr;
}

void note_disabled(Function* f, uintptr_t at) {
  f->hot = true;
  const int32_t* loops = loops_of(f->note);
  for (uint32_t i = 0; i < f->note->loops; ++i) {
    if (at >= place(&loops[2 * i]) && at < place(&loops[2 * i + 1])) f->disabled_loops |= 1u << i;
  }
}

// A loop that only reads and has not been seen to run for long: should it turn out to wait, its hooks are what tells.
bool may_wait_in(const Function& f) { return f.note->loops > 0 && f.disabled_loops != UINT32_MAX >> (32 - f.note->loops); }

enum class Reached : uint8_t { kAll, kInlined };

// Puts what `f` calls, or contains in its twin, behind the queue; false: it is not known.
bool enqueue(const Function& f, Reached which, uint32_t* tail) {
  const uint32_t* name = names_of(f.note);
  const uint32_t count = f.note->inlined + (which == Reached::kAll ? f.note->called : 0);
  for (uint32_t i = 0; i < count; ++i, name += 2) {
    const uint64_t wanted = joined(name);
    bool known = false;
    for (uint32_t at = g_names[wanted & g_name_mask]; at != 0; at = g_functions[at - 1].next) {
      Function& callee = g_functions[at - 1];
      if (callee.name != wanted) continue;
      known = true;
      if (callee.visit == g_visit || (which == Reached::kAll && callee.silent)) continue;
      callee.visit = g_visit;
      g_queue[(*tail)++] = at - 1;
    }
    if (!known) return false;
  }
  return true;
}

// Is there nothing that matters in what this function calls, directly or not? And nothing that may wait in what its twin contains?
bool is_silent(uint32_t from) {
  static const Reached kBoth[] = {Reached::kInlined, Reached::kAll};
  for (Reached which : kBoth) {
    ++g_visit;
    uint32_t tail = 0;
    g_functions[from].visit = g_visit;
    g_queue[tail++] = from;
    for (uint32_t head = 0; head < tail; ++head) {
      const Function& f = g_functions[g_queue[head]];
      if (f.matters || (which == Reached::kInlined && may_wait_in(f)) || !enqueue(f, which, &tail)) return false;
    }
    for (uint32_t i = 0; which == Reached::kAll && i < tail; ++i) g_functions[g_queue[i]].silent = true;
  }
  return true;
}

void go_to_twin(Function* f) {
  if (f->gone || f->plain == 0 || f->matters || !is_silent(static_cast<uint32_t>(f - g_functions))) return;
  const auto distance = static_cast<int64_t>(f->plain - (f->entry + 5));
  if (distance != static_cast<int32_t>(distance)) return;
  unsigned char jump[5] = {0xE9};
  const auto low = static_cast<int32_t>(distance);
  memcpy(jump + 1, &low, 4);
  f->gone = write_text(reinterpret_cast<void*>(f->entry), jump, sizeof jump);
}

bool may_have_twins(const PlanHeader& header) {
  if (header.points == PointKind::kAll || header.points == PointKind::kFunctions) return false;
  return (header.detect & ~kRewriteHot) == 0;
}

}  // namespace

void choose_twins() {
  static bool done;
  if (done) return;
  done = true;
  const PlanHeader& header = *g_run.plan.header;
  const uint32_t count = header.site_count;
  const SiteId* sites = g_run.plan.sites;
  const bool any_disabled = count > 0 && is_disabled_hook(sites[count - 1]);
  if (!may_have_twins(header) || (!any_disabled && (header.detect & kRewriteHot) == 0) || !find_twins()) return;
  g_choosing = true;
  for (uint32_t i = 0; i < count; ++i) {
    const auto at = reinterpret_cast<uintptr_t>(address_of(without_hook_bit(sites[i])));
    Function* f = at != 0 ? function_of(at) : nullptr;
    if (f == nullptr) continue;
    if (is_disabled_hook(sites[i])) {
      note_disabled(f, at);
    } else {
      f->matters = true;
    }
  }
  for (uint32_t i = 0; i < g_function_count; ++i) {
    if (g_functions[i].hot) go_to_twin(&g_functions[i]);
  }
  flush_text();
}

void twin_grew_disabled(const void* pc) {
  if (!g_choosing) return;
  const uintptr_t at = reinterpret_cast<uintptr_t>(pc) - 1;
  Function* f = function_of(at);
  if (f == nullptr) return;
  note_disabled(f, at);
  go_to_twin(f);
  flush_text();
}

void drop_twins() {
  static const unsigned char kNop[] = {0x0F, 0x1F, 0x44, 0x00, 0x00};
  // What the plan has chosen stays: it must not depend on the runs before this one.
  if (!g_choosing || (g_run.plan.header->detect & kRewriteHot) == 0) return;
  g_choosing = false;
  for (uint32_t i = 0; i < g_function_count; ++i) {
    if (g_functions[i].gone) write_text(reinterpret_cast<void*>(g_functions[i].entry), kNop, sizeof kNop);
  }
  flush_text();
}

bool in_twin(const void* pc) {
  const Stretch* stretch = stretch_of(reinterpret_cast<uintptr_t>(pc));
  return stretch != nullptr && stretch->plain;
}

}  // namespace heddle::rt
