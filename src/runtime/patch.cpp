#include "runtime/patch.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/call_sites.h"
#include "runtime/names.h"
#include "runtime/run.h"
#include "runtime/sys.h"

// The bounds of the section that holds the hooks whose calls may go (tsan_access.cpp).
extern "C" __attribute__((visibility("hidden"))) const char __start_heddle_hooks[];
extern "C" __attribute__((visibility("hidden"))) const char __stop_heddle_hooks[];

namespace heddle::rt {

namespace {

using Byte = unsigned char;
constexpr uintptr_t kPage = 4096;

bool is_hook(uintptr_t at) {
  return at >= reinterpret_cast<uintptr_t>(__start_heddle_hooks) && at < reinterpret_cast<uintptr_t>(__stop_heddle_hooks);
}

uintptr_t relative(const Byte* field) {
  int32_t distance;
  memcpy(&distance, field, 4);
  return reinterpret_cast<uintptr_t>(field) + 4 + static_cast<uintptr_t>(static_cast<intptr_t>(distance));
}

uintptr_t word_at(uintptr_t address) {
  uintptr_t value;
  memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// Where a direct call ends up: at a hook, or at a linkage stub `[endbr64] [bnd] jmp *slot`.
bool leads_to_hook(uintptr_t target) {
  if (is_hook(target)) return true;
  if (site_of(reinterpret_cast<const void*>(target)) == kNoSite) return false;
  const auto* code = reinterpret_cast<const Byte*>(target);
  if (code[0] == 0xF3 && code[1] == 0x0F && code[2] == 0x1E && code[3] == 0xFA) code += 4;
  if (code[0] == 0xF2) ++code;
  return code[0] == 0xFF && code[1] == 0x25 && is_hook(word_at(relative(code + 2)));
}

// The protection that the text has to get back is read and execute: code that is also writable is not touched.
bool overwrite(Byte* at, const Byte* bytes, size_t n) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(at) & ~(kPage - 1);
  const uintptr_t last = (reinterpret_cast<uintptr_t>(at) + n + kPage - 1) & ~(kPage - 1);
  if (sys(SYS_mprotect, first, last - first, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  memcpy(at, bytes, n);
  sys(SYS_mprotect, first, last - first, PROT_READ | PROT_EXEC);
  return true;
}

}  // namespace

// A hook may have been reached by a jump at the end of a function (a tail call): the call before the return address is then not the
// hook's, so what is rewritten must be seen to lead to a hook.
bool patch_call(const void* pc) {
  static const Byte kNop5[] = {0x0F, 0x1F, 0x44, 0x00, 0x00};
  static const Byte kNop6[] = {0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00};
  auto* end = static_cast<Byte*>(const_cast<void*>(pc));
  if (end[-5] == 0xE8 && leads_to_hook(relative(end - 4))) return overwrite(end - 5, kNop5, sizeof kNop5);
  if (end[-6] == 0xFF && end[-5] == 0x15 && is_hook(word_at(relative(end - 4)))) return overwrite(end - 6, kNop6, sizeof kNop6);
  return false;
}

void prepare_hooks() {
  auto* block = reinterpret_cast<HookBlock*>(g_run.slot + g_run.layout.hooks);
  const uint32_t count = block->patch_count < kMaxPatches ? block->patch_count : kMaxPatches;
  block->accesses = block->atomics = block->entries = 0;  // of the next run
  while (block->patched < count) {
    const auto* pc = reinterpret_cast<const void*>(block->patches[block->patched++]);
    patch_call(pc);
    // Also what cannot be rewritten: the runs to come need not list it again.
    CallSite* site = call_site(pc, HookKind::kExit);
    site->point = false;
    site->listed = true;
  }
}

}  // namespace heddle::rt
