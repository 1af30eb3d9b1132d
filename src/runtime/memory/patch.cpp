#include "runtime/memory/patch.h"

#include <stdint.h>
#include <string.h>

#include "runtime/base/program_text.h"
#include "runtime/engine/names.h"
#include "runtime/engine/run.h"
#include "wire/disabled_hooks.h"

// The bounds of the section that holds the hooks whose calls may go (tsan_access.cpp).
extern "C" __attribute__((visibility("hidden"))) const char __start_heddle_hooks[];
extern "C" __attribute__((visibility("hidden"))) const char __stop_heddle_hooks[];
extern "C" long __tsan_func_exit();

namespace heddle::rt {

namespace {

using Byte = unsigned char;

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

// Where a direct call ends up, if at a hook: there itself, or by a linkage stub `[endbr64] [bnd] jmp *slot`. 0: elsewhere.
uintptr_t hook_behind(uintptr_t target) {
  if (is_hook(target)) return target;
  if (site_of(reinterpret_cast<const void*>(target)) == kNoSite) return 0;
  const auto* code = reinterpret_cast<const Byte*>(target);
  if (code[0] == 0xF3 && code[1] == 0x0F && code[2] == 0x1E && code[3] == 0xFA) code += 4;
  if (code[0] == 0xF2) ++code;
  if (code[0] != 0xFF || code[1] != 0x25) return 0;
  const uintptr_t slot = word_at(relative(code + 2));
  return is_hook(slot) ? slot : 0;
}

// A hook may have been reached by a jump at the end of a function (a tail call): the call before the return address is then not the
// hook's, so what is rewritten must be seen to lead to a hook.
bool rewrite(TextWindow* window, const void* pc) {
  static const Byte kNop5[] = {0x0F, 0x1F, 0x44, 0x00, 0x00};
  static const Byte kNop6[] = {0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00};
  // xor %eax, %eax: what the hook at a function's end leaves behind, too.
  static const Byte kZero5[] = {0x31, 0xC0, 0x0F, 0x1F, 0x00};
  static const Byte kZero6[] = {0x31, 0xC0, 0x0F, 0x1F, 0x40, 0x00};
  const auto at_end = reinterpret_cast<uintptr_t>(&__tsan_func_exit);
  auto* end = static_cast<Byte*>(const_cast<void*>(pc));
  if (end[-5] == 0xE8) {
    if (const uintptr_t hook = hook_behind(relative(end - 4))) return window->write(end - 5, hook == at_end ? kZero5 : kNop5, 5);
  }
  if (end[-6] == 0xFF && end[-5] == 0x15) {
    const uintptr_t hook = word_at(relative(end - 4));
    if (is_hook(hook)) return window->write(end - 6, hook == at_end ? kZero6 : kNop6, 6);
  }
  return false;
}

bool g_rewritten;
uint32_t g_patched;

}  // namespace

void patch_call(const void* pc) {
  TextWindow window;
  if (rewrite(&window, pc)) ++g_patched;
  window.close();
}

uint32_t patched_calls() { return g_patched; }

void rewrite_disabled() {
  if (g_rewritten) return;
  g_rewritten = true;
  TextWindow window;
  for (uint32_t i = g_run.plan.header->site_count; i > 0 && is_disabled_hook(g_run.plan.sites[i - 1]); --i) {
    const char* call = static_cast<const char*>(address_of(without_hook_bit(g_run.plan.sites[i - 1])));
    if (call != nullptr && rewrite(&window, call + 1)) ++g_patched;
  }
  window.close();
}

}  // namespace heddle::rt
