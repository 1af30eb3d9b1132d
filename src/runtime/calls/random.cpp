// Random numbers from the system: another schedule must not mean other program data.
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/base/placement.h"
#include "runtime/base/random_bytes.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/engine/run.h"

namespace heddle::rt {

namespace {

HEDDLE_APART uint64_t g_drawn[kMaxThreads];

}  // namespace

bool seeded() { return in_world() && g_run.plan.header->env_seed != 0; }

void seeded_bytes(void* data, size_t size) {
  // Before main the first thread draws.
  const ThreadId thread = g_current != nullptr ? g_current->id : kMainThread;
  uint64_t& drawn = g_drawn[g_current != nullptr ? g_current->index : 0];
  const uint64_t stream = mix(g_run.plan.header->env_seed, thread);
  auto* out = static_cast<char*>(data);
  while (size > 0) {
    const uint64_t word = mix(stream, ++drawn);
    const size_t n = size < sizeof word ? size : sizeof word;
    memcpy(out, &word, n);
    out += n;
    size -= n;
  }
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

HEDDLE_EXPORT ssize_t getrandom(void* data, size_t size, unsigned flags) {
  if (!seeded()) return with_errno(sys(SYS_getrandom, data, size, flags));
  seeded_bytes(data, size);
  return static_cast<ssize_t>(size);
}

HEDDLE_EXPORT int getentropy(void* data, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return getrandom(data, size, 0) == static_cast<ssize_t>(size) ? 0 : -1;
}

HEDDLE_EXPORT void arc4random_buf(void* data, size_t size) noexcept {
  auto* out = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = getrandom(out, size, 0);
    if (n <= 0) continue;
    out += n;
    size -= static_cast<size_t>(n);
  }
}

HEDDLE_EXPORT uint32_t arc4random() noexcept {
  uint32_t value = 0;
  arc4random_buf(&value, sizeof value);
  return value;
}

HEDDLE_EXPORT uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (bound < 2) return 0;
  // Values below the remainder would make the low results more likely.
  const uint32_t skewed = (0u - bound) % bound;
  uint32_t value = 0;
  do {
    value = arc4random();
  } while (value < skewed);
  return value % bound;
}

// std::random_device: libstdc++ asks the processor directly.
HEDDLE_EXPORT unsigned heddle_random_device(const void*) __asm__("_ZNSt13random_device9_M_getvalEv");
HEDDLE_EXPORT unsigned heddle_random_device(const void* device) {
  static unsigned (*library)(const void*);
  if (seeded()) return arc4random();
  if (library == nullptr) library = next_symbol<unsigned (*)(const void*)>("_ZNSt13random_device9_M_getvalEv");
  return library != nullptr ? library(device) : arc4random();
}

HEDDLE_EXPORT int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (!active()) return static_cast<int>(with_errno(sys(SYS_getcpu, cpu, node, nullptr)));
  if (cpu != nullptr) *cpu = 0;
  if (node != nullptr) *node = 0;
  return 0;
}

HEDDLE_EXPORT int sched_getcpu() noexcept {
  if (active()) return 0;
  unsigned cpu = 0;
  const long result = sys(SYS_getcpu, &cpu, nullptr, nullptr);
  return result == 0 ? static_cast<int>(cpu) : -1;
}
