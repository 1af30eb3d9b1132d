#include "runtime/engine/sanitizer.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <string.h>

#include "runtime/base/check.h"
#include "runtime/base/elf_symbols.h"
#include "runtime/base/program_text.h"
#include "runtime/base/real.h"
#include "runtime/base/sys.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"

extern "C" void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));
// The bounds of our own library, by the linker.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

namespace heddle::rt {

uintptr_t g_sanitizer_code, g_sanitizer_code_bytes;

namespace {

using Byte = unsigned char;

// jmp *0(%rip), and the address
constexpr uint32_t kJumpBytes = 14;
struct Detour {
  CreateThread* at;  // the sanitizer's own function; nullptr: the program's calls reach ours anyway
  Byte before[kJumpBytes];
  Byte jump[kJumpBytes];
  int busy;
};
Detour g_detour;

// Functions that the program may define itself, under the sanitizers' names.
bool may_be_the_programs(const char* name) {
  static const char* const kParts[] = {"_default_", "_on_", "_hook", "_cov_", "_error_summary", "turned_off", "_weak_"};
  for (const char* part : kParts) {
    if (strstr(name, part) != nullptr) return true;
  }
  return false;
}

bool is_of_runtime(const char* name) {
  static const char* const kBeginnings[] = {"__interceptor_", "__sanitizer_", "__asan_", "__lsan_",
                                            "__tsan_",        "__ubsan_",     "__msan_", "__hwasan_"};
  for (const char* beginning : kBeginnings) {
    if (strncmp(name, beginning, strlen(beginning)) == 0) return !may_be_the_programs(name);
  }
  return false;
}

void take_code(uintptr_t low, uintptr_t high) {
  if (high <= low) return;
  g_sanitizer_code = low;
  g_sanitizer_code_bytes = high - low;
}

// In the executable the objects of its archive lie together, between those of its functions that can be found by name.
void find_in_executable(const dl_phdr_info& info) {
  uintptr_t low = UINTPTR_MAX;
  uintptr_t high = 0;
  for_each_symbol(info, [&](const ElfW(Sym) & symbol, const char* name) {
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !is_of_runtime(name)) return;
    const uintptr_t at = info.dlpi_addr + symbol.st_value;
    if (at < low) low = at;
    if (at + symbol.st_size > high) high = at + symbol.st_size;
  });
  take_code(low, high);
}

int find_runtime(dl_phdr_info* info, size_t, void* seen) {
  const auto inside = reinterpret_cast<uintptr_t>(&__sanitizer_set_death_callback);
  const bool executable = !*static_cast<bool*>(seen);
  *static_cast<bool*>(seen) = true;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uintptr_t low = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || inside < low || inside >= low + segment.p_memsz) continue;
    if (executable) {
      find_in_executable(*info);
    } else {
      take_code(low, low + segment.p_memsz);
    }
    return 1;
  }
  return 0;
}

bool put(const Byte* bytes) {
  const bool written = write_text(reinterpret_cast<void*>(g_detour.at), bytes, kJumpBytes);
  flush_text();
  return written;
}

void send_calls_to(CreateThread* create) {
  auto* theirs = reinterpret_cast<CreateThread*>(dlsym(RTLD_DEFAULT, "pthread_create"));
  if (!in_sanitizer(reinterpret_cast<const void*>(theirs))) return;
  g_detour.at = theirs;
  memcpy(g_detour.before, reinterpret_cast<const void*>(theirs), kJumpBytes);
  const Byte jump[6] = {0xFF, 0x25, 0, 0, 0, 0};
  memcpy(g_detour.jump, jump, sizeof jump);
  memcpy(g_detour.jump + sizeof jump, &create, sizeof create);
  if (!put(g_detour.jump)) g_detour.at = nullptr;
}

// The sanitizer has found an error and said so; it ends the process in a call that we do not see.
void on_death() {
  if (!active()) return;
  OutcomeBlock& outcome = g_run.header->outcome;
  outcome.kind = OutcomeKind::kUnknown;  // that main had returned is no longer the last word
  record_outcome(OutcomeKind::kUnknown, 0, "");
  // What it finds at the end (leaks) happened elsewhere.
  if (g_run.exiting) outcome.stack_size = 0;
}

}  // namespace

void wake_sanitizer() {
  if (__sanitizer_set_death_callback == nullptr) return;
  auto* begin = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "__tsan_init"));
  const auto at = reinterpret_cast<uintptr_t>(begin);
  const bool ours = at >= reinterpret_cast<uintptr_t>(__ehdr_start) && at < reinterpret_cast<uintptr_t>(_end);
  if (begin != nullptr && !ours) begin();
}

void meet_sanitizer(CreateThread* create) {
  if (__sanitizer_set_death_callback == nullptr) return;
  bool seen = false;
  dl_iterate_phdr(find_runtime, &seen);
  if (g_sanitizer_code_bytes != 0) send_calls_to(create);
  __sanitizer_set_death_callback(on_death);
}

int create_known_thread(pthread_t* handle, const pthread_attr_t* attributes, ThreadEntry entry, void* argument) {
  Detour& d = g_detour;
  if (d.at == nullptr) return real().pthread_create(handle, attributes, entry, argument);
  while (__atomic_exchange_n(&d.busy, 1, __ATOMIC_ACQUIRE) != 0) sys(SYS_sched_yield);
  put(d.before);
  const int error = d.at(handle, attributes, entry, argument);
  put(d.jump);
  __atomic_store_n(&d.busy, 0, __ATOMIC_RELEASE);
  return error;
}

const void* caller_of_sanitizer(const void* pc) {
  void* frames[24];
  const int depth = backtrace(frames, 24);
  bool seen = false;
  for (int i = 0; i < depth; ++i) {
    if (frames[i] == pc) seen = true;
    if (seen && !in_sanitizer(frames[i])) return frames[i];
  }
  return pc;
}

}  // namespace heddle::rt
